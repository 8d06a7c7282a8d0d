//! Rankings as text: which sum decreases with which steps.
//!
//! Only what is visible without a solver is described: a sum that changes by a constant, or by
//! something bounded by one condition of the cell or of the step. The certificate has the rest.

use sectile_base::Rat;
use sectile_model::{CellClaim, CtlProof, Edge, LocationId, Task};
use sectile_terms::{Linear, NativePrinter, Node, Sort, Substitution, Symbol, Term, Terms};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of sentences.
const MOST_SENTENCES: usize = 20;

/// Maximum number of steps that are named.
const MOST_NAMES: usize = 4;

/// Maximum number of pairs of a cell and a step in a part of a proof that is described.
const MOST_PAIRS: usize = 20_000;

/// Why eventualities are reached, one sentence per sum.
pub(crate) fn progress_words(task: &Task<'_>, proof: &CtlProof) -> Vec<String> {
    let mut groups: BTreeMap<(Reverse<u64>, usize), Vec<&CellClaim>> = BTreeMap::new();
    for (part, claims) in proof.claims.iter().enumerate() {
        for claim in claims.iter().filter(|c| !c.measures.is_empty()) {
            let group = groups.entry((Reverse(claim.rank), part)).or_default();
            group.push(claim);
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for ((Reverse(rank), _), claims) in &groups {
        let Some(component) = Component::new(task, proof, claims) else {
            continue;
        };
        for sentence in component.sentences() {
            let line = format!("rank {rank}: {sentence}");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    let more = lines.len().saturating_sub(MOST_SENTENCES);
    lines.truncate(MOST_SENTENCES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// A cell with its known facts.
struct KnownCell {
    location: LocationId,
    /// Literals and values of discrete variables.
    known: Substitution,
    /// Sums that are not positive.
    bounds: Vec<Linear>,
    /// The measures.
    sums: Vec<Linear>,
}

/// Cells of the same rank, between which measures decide.
struct Component<'c> {
    task: &'c Task<'c>,
    places: Vec<KnownCell>,
}

/// How steps decrease a sum.
struct Decrease {
    /// The names of the steps that decrease it.
    names: BTreeSet<String>,
    /// A lower bound of the sum after such steps.
    least: Option<Rat>,
}

impl<'c> Component<'c> {
    fn new(task: &'c Task<'c>, proof: &CtlProof, claims: &[&CellClaim]) -> Option<Component<'c>> {
        if claims.len() * task.model.edges.len() > MOST_PAIRS {
            return None;
        }
        let terms = task.terms;
        let places = claims.iter().map(|claim| {
            let cell = proof.cells.get(claim.cell)?;
            let literals = terms.conjuncts(cell.formula);
            Some(KnownCell {
                location: cell.location,
                known: known(terms, &literals),
                bounds: bounds(terms, &literals),
                sums: claim.measures.iter().map(|&m| terms.linear(m)).collect(),
            })
        });
        let places: Vec<KnownCell> = places.collect::<Option<_>>()?;
        let length = places.first()?.sums.len();
        let alike = places.iter().all(|p| p.sums.len() == length);
        alike.then_some(Component { task, places })
    }

    fn sentences(&self) -> Vec<String> {
        let length = self.places.first().map_or(0, |p| p.sums.len());
        let mut found: Vec<String> = Vec::new();
        for position in 0..length {
            let mut covered: BTreeSet<String> = BTreeSet::new();
            for sum in self.sums_at(position) {
                let (sum, fall) = self.simplest(sum);
                if fall.names.is_empty() || fall.names.is_subset(&covered) {
                    continue;
                }
                let sentence = self.sentence(&sum, &fall);
                covered.extend(fall.names);
                if !found.iter().any(|f| f.ends_with(&sentence)) {
                    let lead = if found.is_empty() { "" } else { "until then " };
                    found.push(format!("{lead}{sentence}"));
                }
            }
        }
        let is_constant = |p: &KnownCell| p.sums.last().is_some_and(Linear::is_constant);
        if !found.is_empty() && self.places.iter().all(is_constant) {
            found.push("until then no cell is entered twice".to_string());
        }
        found
    }

    /// The sums at a position in the measures, without constants; short sums first.
    fn sums_at(&self, position: usize) -> Vec<Linear> {
        let mut list: Vec<Linear> = Vec::new();
        for place in &self.places {
            let sum = &place.sums[position];
            let sum = Linear::from_monomials(Rat::ZERO, sum.monomials().to_vec());
            if !sum.is_constant() && !list.contains(&sum) {
                list.push(sum);
            }
        }
        list.sort_by_key(|sum| sum.monomials().len());
        list
    }

    /// A sum, or one of its variables if that is as informative.
    fn simplest(&self, sum: Linear) -> (Linear, Decrease) {
        let fall = self.fall(&sum);
        let positive = sum.monomials().iter().filter(|(_, c)| c.is_positive());
        let variables = positive.map(|(m, _)| Linear::term(*m));
        for variable in variables.filter(|v| *v != sum) {
            let own = self.fall(&variable);
            let better = own.least.is_some() || fall.least.is_none();
            if own.names.is_superset(&fall.names) && better && !own.names.is_empty() {
                return (variable, own);
            }
        }
        (sum, fall)
    }

    /// The steps that decrease a sum, wherever they are possible.
    fn fall(&self, sum: &Linear) -> Decrease {
        let mut falls: BTreeMap<&str, bool> = BTreeMap::new();
        let mut least: BTreeMap<&str, Option<Rat>> = BTreeMap::new();
        for edge in &self.task.model.edges {
            let stays = self.places.iter().any(|p| p.location == edge.to);
            let from = self.places.iter().filter(|p| p.location == edge.from);
            for place in from.filter(|_| stays) {
                let Some((does, least_after)) = self.step(place, edge, sum) else {
                    continue;
                };
                let name = edge.command.name.as_str();
                *falls.entry(name).or_insert(true) &= does;
                let known = least.entry(name).or_insert_with(|| least_after.clone());
                *known = lower(known.take(), least_after);
            }
        }
        falls.retain(|_, does| *does);
        least.retain(|name, _| falls.contains_key(name));
        let mut all = least.into_values();
        let first = all.next().flatten();
        Decrease {
            names: falls.into_keys().map(str::to_string).collect(),
            least: all.fold(first, lower),
        }
    }

    /// Whether a step from a cell decreases a sum, and a bound of the sum after it; none if the
    /// step is impossible there.
    fn step(&self, place: &KnownCell, edge: &Edge, sum: &Linear) -> Option<(bool, Option<Rat>)> {
        let terms = self.task.terms;
        let command = &edge.command;
        let guards = command.guards.iter();
        let guards = guards.flat_map(|&g| terms.conjuncts(terms.substitute(g, &place.known)));
        let guards: Vec<Term> = guards.collect();
        if guards.contains(&terms.ff()) {
            return None;
        }
        let tested = known(terms, &guards);
        let mut facts = bounds(terms, &guards);
        facts.extend(place.bounds.iter().cloned());
        let mut after = Linear::constant_only(sum.constant().clone());
        for (monomial, factor) in sum.monomials() {
            let Node::Var(symbol, _) = *terms.node(*monomial) else {
                return Some((false, None));
            };
            let value = match self.task.model.rigid.contains(&symbol) {
                true => Some(*monomial),
                false => assigned(edge, symbol),
            };
            let Some(value) = value else {
                return Some((false, None));
            };
            let value = terms.substitute(terms.substitute(value, &place.known), &tested);
            after.add_scaled(&terms.linear(value), factor);
        }
        let minus = -Rat::ONE;
        let mut change = after.clone();
        change.add_scaled(sum, &minus);
        let one = Rat::ONE;
        let falls = match change.is_constant() {
            true => change.constant() <= &minus,
            // change = fact - k, and the fact is not positive.
            false => facts.iter().any(|fact| {
                let mut distance = fact.clone();
                distance.add_scaled(&change, &minus);
                distance.is_constant() && distance.constant() >= &one
            }),
        };
        // after = k - fact, and the fact is not positive.
        let least = facts.iter().filter_map(|fact| {
            let mut bound = fact.clone();
            bound.add_scaled(&after, &one);
            bound.is_constant().then(|| bound.constant().clone())
        });
        Some((falls, least.max()))
    }

    fn sentence(&self, sum: &Linear, fall: &Decrease) -> String {
        let terms = self.task.terms;
        let sort = sum.monomials().first();
        let sort = sort.map_or(Sort::Int, |(m, _)| terms.sort(*m));
        let sum = NativePrinter::new(terms).print(terms.sum(sum.clone(), sort));
        let names = listed(&fall.names);
        let least = match &fall.least {
            Some(least) => format!(" and never below {least}"),
            None => String::new(),
        };
        format!("`{sum}` goes down with every {names}{least}")
    }
}

/// The value that a step gives to a variable.
fn assigned(edge: &Edge, symbol: Symbol) -> Option<Term> {
    let mut updates = edge.command.updates.iter();
    updates.find(|u| u.symbol == symbol).map(|u| u.value)
}

fn lower(a: Option<Rat>, b: Option<Rat>) -> Option<Rat> {
    a.zip(b).map(|(a, b)| a.min(b))
}

/// `a`, `b` and `c`.
fn listed(names: &BTreeSet<String>) -> String {
    let mut words: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    if words.len() > MOST_NAMES {
        let others = words.len() - MOST_NAMES + 1;
        words.truncate(MOST_NAMES - 1);
        words.push(format!("{others} other steps"));
    }
    let last = words.pop().unwrap_or_default();
    match words.as_slice() {
        [] => last,
        _ => format!("{} and {last}", words.join(", ")),
    }
}

/// Literals with their truth, and discrete variables with their values.
fn known(terms: &Terms, literals: &[Term]) -> Substitution {
    let pairs = literals.iter().flat_map(|&literal| {
        let (atom, negated) = terms.strip_not(literal);
        let value = match (terms.node(atom), negated) {
            (Node::Eq(a, b), false) if matches!(terms.node(*b), Node::Variant(..)) => {
                Some((*a, *b))
            }
            _ => None,
        };
        [Some((atom, terms.bool(!negated))), value]
    });
    pairs.flatten().collect()
}

/// The sums with an upper bound of zero.
fn bounds(terms: &Terms, literals: &[Term]) -> Vec<Linear> {
    let mut found = Vec::new();
    for &literal in literals {
        let (atom, negated) = terms.strip_not(literal);
        let (Node::NonPos(sum) | Node::Neg(sum) | Node::Zero(sum)) = *terms.node(atom) else {
            continue;
        };
        let is_strict = matches!(terms.node(atom), Node::Neg(_)) != negated;
        let is_equation = matches!(terms.node(atom), Node::Zero(_));
        let linear = terms.linear(sum);
        let mut opposite = linear.clone();
        opposite.scale(&-Rat::ONE);
        let mut list = match (is_equation, negated) {
            (true, true) => continue,
            (true, false) => vec![linear, opposite],
            (false, true) => vec![opposite],
            (false, false) => vec![linear],
        };
        if is_strict && !is_equation && terms.sort(sum) == Sort::Int {
            list.iter_mut().for_each(|l| l.add_constant(&Rat::ONE));
        }
        found.extend(list);
    }
    found
}
