//! Merges several literals about one sum or one enumeration.

use super::facts::{End, Facts, Range, Relation, Statement};
use crate::node::Term;
use crate::sorts::Sort;
use crate::store::Terms;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use sectile_base::Rat;

type Groups<M> = IndexMap<Term, Vec<M>, FxBuildHasher>;

/// A comparison among the parts: its position, and its statement if it holds.
struct Comparison {
    place: usize,
    relation: Relation,
    value: Rat,
    truth: bool,
}

/// An equality with a constant among the parts.
struct Case {
    place: usize,
    variant: u32,
    truth: bool,
}

/// The parts contradict each other.
struct Contradiction;

/// The parts of a conjunction during merging. For a disjunction these are the negations of its
/// parts, so the same rules apply.
struct Parts<'t> {
    terms: &'t Terms,
    list: Vec<Option<Term>>,
    unit: bool,
}

impl Parts<'_> {
    fn drop(&mut self, place: usize) {
        self.list[place] = None;
    }

    /// Replaces the part at a position by a literal.
    fn put(&mut self, place: usize, literal: Term) {
        let negated = || self.terms.not(literal);
        self.list[place] = Some(if self.unit { literal } else { negated() });
    }
}

impl Facts<'_> {
    /// Merges the parts of a conjunction (`unit`) or disjunction under the context; none if it is
    /// false (true). The remaining parts keep their order.
    pub(super) fn merge(&mut self, parts: Vec<Term>, unit: bool) -> Option<Vec<Term>> {
        let mut comparisons: Groups<Comparison> = Groups::default();
        let mut cases: Groups<Case> = Groups::default();
        let mut seen: FxHashMap<Term, bool> = FxHashMap::default();
        let mut merged = Parts {
            terms: self.terms,
            list: Vec::with_capacity(parts.len()),
            unit,
        };
        for part in parts {
            let place = merged.list.len();
            let (atom, negated) = self.terms.strip_not(part);
            let truth = negated != unit;
            let decided = self.decide(atom).or_else(|| seen.insert(atom, truth));
            match decided {
                Some(decided) if decided == truth => continue,
                Some(_) => return None,
                None => merged.list.push(Some(part)),
            }
            match self.statement(atom) {
                Statement::Number(form, relation, value) => {
                    comparisons.entry(form).or_default().push(Comparison {
                        place,
                        relation,
                        value,
                        truth,
                    });
                }
                Statement::Variant(of, variant) => cases.entry(of).or_default().push(Case {
                    place,
                    variant,
                    truth,
                }),
                Statement::Other => {}
            }
        }
        for (form, group) in comparisons.into_iter().filter(|g| g.1.len() > 1) {
            let known = self.ranges.get(&form).cloned().unwrap_or_default();
            merge_comparisons(&mut merged, form, group, &known).ok()?;
        }
        for (of, group) in cases.into_iter().filter(|g| g.1.len() > 1) {
            self.merge_cases(&mut merged, of, &group).ok()?;
        }
        Some(merged.list.into_iter().flatten().collect())
    }

    /// Merges equalities of one term of an enumeration with constants.
    fn merge_cases(
        &mut self,
        parts: &mut Parts<'_>,
        of: Term,
        group: &[Case],
    ) -> Result<(), Contradiction> {
        let mut holding = group.iter().filter(|c| c.truth);
        if let Some(value) = holding.next() {
            // Disequalities with other values add nothing, and two equalities contradict each
            // other.
            let excluded = |c: &Case| !c.truth && c.variant == value.variant;
            if holding.next().is_some() || group.iter().any(excluded) {
                return Err(Contradiction);
            }
            let others = group.iter().filter(|c| c.place != value.place);
            others.for_each(|c| parts.drop(c.place));
            return Ok(());
        }
        let left = self.terms.variant_count(of) - self.excluded(of);
        if group.len() >= left {
            return Err(Contradiction);
        }
        if group.len() + 1 == left {
            let own: FxHashSet<u32> = group.iter().map(|c| c.variant).collect();
            group.iter().for_each(|c| parts.drop(c.place));
            if let Some(last) = self.last_variant(of, &own) {
                parts.put(group[0].place, last);
            }
        }
        Ok(())
    }

    /// `of = value` for the only value that is not excluded.
    fn last_variant(&mut self, of: Term, excluded: &FxHashSet<u32>) -> Option<Term> {
        let Sort::Enum(id) = self.terms.sort(of) else {
            return None;
        };
        let count = u32::try_from(self.terms.variant_count(of)).ok()?;
        let mut equalities = (0..count)
            .filter(|k| !excluded.contains(k))
            .map(|k| self.terms.eq(of, self.terms.variant(id, k)));
        equalities.find(|e| self.known.get(e) != Some(&false))
    }
}

/// Merges comparisons of one sum with constants.
fn merge_comparisons(
    parts: &mut Parts<'_>,
    form: Term,
    group: Vec<Comparison>,
    known: &Range,
) -> Result<(), Contradiction> {
    let terms = parts.terms;
    let integer = terms.sort(form) == Sort::Int;
    let mut bounds = Bounds::default();
    let mut holes: FxHashMap<Rat, usize> = FxHashMap::default();
    let mut equal: Option<(Rat, usize)> = None;
    for c in group {
        match (c.relation, c.truth) {
            (Relation::Equal, true) => match &equal {
                Some((value, _)) if *value != c.value => return Err(Contradiction),
                _ => equal = Some((c.value, c.place)),
            },
            (Relation::Equal, false) => {
                holes.insert(c.value, c.place);
            }
            _ => bounds.add(parts, &c, integer),
        }
    }
    if let Some((value, _)) = equal {
        if !bounds.range.contains(&value) || holes.contains_key(&value) {
            return Err(Contradiction);
        }
        bounds.drop(parts);
        holes.values().for_each(|&place| parts.drop(place));
        return Ok(());
    }
    bounds.close_holes(parts, &mut holes, integer);
    let all = bounds.range.intersect(known);
    if all.is_empty() {
        return Err(Contradiction);
    }
    for (value, place) in &holes {
        if !all.contains(value) {
            parts.drop(*place);
        }
    }
    bounds.put(parts, form);
    Ok(())
}

/// The bounds among the comparisons of one sum.
#[derive(Default)]
struct Bounds {
    range: Range,
    low: Option<usize>,
    high: Option<usize>,
    /// Whether an end differs from the comparison at its position.
    moved: [bool; 2],
}

impl Bounds {
    /// Adds a bound; the weaker one is dropped.
    fn add(&mut self, parts: &mut Parts<'_>, c: &Comparison, integer: bool) {
        let mut own = Range::default();
        own.restrict(c.relation, &c.value, c.truth, integer);
        let (place, tighter) = match (own.low, own.high) {
            (Some(low), _) => (&mut self.low, self.range.raise(low)),
            (_, Some(high)) => (&mut self.high, self.range.lower(high)),
            (None, None) => return,
        };
        let dropped = if tighter {
            place.replace(c.place)
        } else {
            Some(c.place)
        };
        if let Some(dropped) = dropped {
            parts.drop(dropped);
        }
    }

    fn drop(&self, parts: &mut Parts<'_>) {
        let places = self.low.iter().chain(&self.high);
        places.for_each(|&place| parts.drop(place));
    }

    /// Moves the ends past excluded values: `x >= 3 and x != 3` is `x >= 4`.
    fn close_holes(
        &mut self,
        parts: &mut Parts<'_>,
        holes: &mut FxHashMap<Rat, usize>,
        integer: bool,
    ) {
        let ends = [(&mut self.range.low, 1), (&mut self.range.high, -1)];
        for (i, (end, step)) in ends.into_iter().enumerate() {
            let Some(end) = end else { continue };
            while !end.open
                && let Some(place) = holes.remove(&end.value)
            {
                parts.drop(place);
                self.moved[i] = true;
                if integer {
                    end.value += &Rat::from(step);
                } else {
                    end.open = true;
                }
            }
        }
    }

    /// Writes the bounds that changed, or an equality if only one value is left.
    fn put(&self, parts: &mut Parts<'_>, form: Term) {
        let terms = parts.terms;
        let number = |value: &Rat| terms.number(value.clone(), terms.sort(form));
        if let (Some(value), Some(low), Some(high)) = (self.range.point(), self.low, self.high) {
            parts.drop(low.max(high));
            parts.put(low.min(high), terms.eq(form, number(value)));
            return;
        }
        for (moved, place, end, is_low) in [
            (self.moved[0], self.low, &self.range.low, true),
            (self.moved[1], self.high, &self.range.high, false),
        ] {
            if let (true, Some(place), Some(End { value, open })) = (moved, place, end) {
                let literal = match (is_low, open) {
                    (true, true) => terms.gt(form, number(value)),
                    (true, false) => terms.ge(form, number(value)),
                    (false, true) => terms.lt(form, number(value)),
                    (false, false) => terms.le(form, number(value)),
                };
                parts.put(place, literal);
            }
        }
    }
}
