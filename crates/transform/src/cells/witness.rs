//! Witnesses: constants that anticipate the indices that a violation reads.
//!
//! Loops over arrays establish conditions on all visited elements, but a step into an error reads
//! only a few elements. A witness is a constant of unknown value, and the step into the error
//! requires that it is such an index. No violation is lost: the constant may have any value. So the
//! element at the witness is a cell whose index does not change, and a proof that assumes nothing
//! about the witness holds for all elements.
//!
//! Paper: [MIGPB21]. Differs: indices of the last step only, chosen before there is a spurious
//! violation.

use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use sectile_base::Rat;
use sectile_model::equations::eliminate;
use sectile_model::{Certificate, Command, Edge, LocationId, Model, Task};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Maximum number of witnesses: more make too many cells for engines.
const MOST: usize = 3;

/// Adds a witness for every changing index that a step into an error reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Witnesses;

impl Pass for Witnesses {
    fn name(&self) -> &'static str {
        "witnesses"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, model) = (task.terms, task.model);
        let errors = task.property.errors()?;
        if model.edges.iter().any(|e| errors.contains(&e.from)) {
            return Err("a run goes on after an error".to_string());
        }
        let mut witnesses = Made {
            terms,
            changing: Changing::new(terms, model),
            list: Vec::new(),
        };
        let mut changed = model.clone();
        for edge in &mut changed.edges {
            if errors.contains(&edge.to) {
                witnesses.add_to(edge);
            }
        }
        if witnesses.list.is_empty() {
            let why = "no step into an error reads an array at an index that changes";
            return Err(why.to_string());
        }
        changed.rigid.extend(&witnesses.list);
        let numbered = witnesses.list.iter().enumerate();
        let back = Forget {
            bound: numbered.map(|(k, &w)| bound(terms, k, w)).collect(),
            witnesses: witnesses.list,
        };
        Ok(Applied::new(changed, task.property.clone(), back))
    }
}

/// The bound symbol for all values of a witness, which has this number.
fn bound(terms: &Terms, number: usize, witness: Symbol) -> Symbol {
    let sort = terms.symbol_sort(witness);
    let name = match number {
        0 => "k".to_string(),
        more => format!("k{more}"),
    };
    let declared = terms.declare(&name, sort, SymbolKind::Bound);
    declared.unwrap_or_else(|_| terms.fresh(&name, sort, SymbolKind::Bound))
}

/// Variables that do not keep their values.
pub(super) struct Changing {
    /// Those that some step changes, except for the first steps of runs.
    pub anywhere: BTreeSet<Symbol>,
    /// For each location, those that change on a cycle through it.
    around: Vec<BTreeSet<Symbol>>,
}

impl Changing {
    pub fn new(terms: &Terms, model: &Model) -> Changing {
        let changed = |edge: &Edge| -> BTreeSet<Symbol> {
            let variables = model.variables.iter().copied();
            let is_kept = |v: Symbol| edge.command.update_of(v) == Some(terms.var(v));
            variables.filter(|&v| !is_kept(v)).collect()
        };
        let is_entered = |l: LocationId| model.edges_to(l).next().is_some();
        let is_left = |l: LocationId| model.edges_from(l).next().is_some();
        let later = { model.edges.iter() }.filter(|e| is_entered(e.from) && is_left(e.to));
        let anywhere = later.flat_map(&changed).collect();
        let mut component = vec![0; model.locations.len()];
        for (k, list) in model
            .flow()
            .strongly_connected_components()
            .iter()
            .enumerate()
        {
            list.iter().for_each(|&l| component[l] = k);
        }
        let mut inside = vec![BTreeSet::new(); model.locations.len()];
        for edge in &model.edges {
            let here = component[edge.from.0];
            if here == component[edge.to.0] {
                inside[here].extend(changed(edge));
            }
        }
        let around = component.iter().map(|&k| inside[k].clone()).collect();
        Changing { anywhere, around }
    }

    /// The integer variables of an index that change on a cycle through a location, or all changing
    /// variables if there are none.
    pub fn variables(&self, terms: &Terms, here: Option<LocationId>, index: Term) -> Vec<Symbol> {
        let variables = terms.free_vars(index).into_iter().map(|v| v.0);
        let all: Vec<Symbol> = variables
            .filter(|s| self.anywhere.contains(s) && terms.symbol_sort(*s) == Sort::Int)
            .collect();
        let around = here.map(|l| &self.around[l.0]);
        let is_counted = |s: &Symbol| around.is_some_and(|list| list.contains(s));
        match all.iter().any(is_counted) {
            true => all.into_iter().filter(is_counted).collect(),
            false => all,
        }
    }
}

/// The purpose of a witness.
enum Purpose {
    /// The value of this term plus a number.
    Value(Term, Rat),
    /// An index at which the arrays differ, if they differ.
    Difference(Term, Term),
}

/// The witnesses so far.
struct Made<'t> {
    terms: &'t Terms,
    changing: Changing,
    list: Vec<Symbol>,
}

impl Made<'_> {
    /// Adds to a step into an error the condition that the witnesses are the indices that it reads.
    fn add_to(&mut self, edge: &mut Edge) {
        let terms = self.terms;
        edge.command.guards = unfolded(terms, &edge.command.guards);
        let mut map = Substitution::default();
        let (mut values, mut added) = (Vec::new(), Vec::new());
        for foreseen in self.foreseen(edge) {
            let Some(witness) = self.witness(map.len() + added.len()) else {
                break;
            };
            match foreseen {
                Purpose::Value(t, offset) => {
                    let value = terms.sub(witness, terms.number(offset, Sort::Int));
                    map.insert(t, value);
                    values.push(terms.eq(value, t));
                }
                Purpose::Difference(a, b) => {
                    let there = terms.neq(terms.select(a, witness), terms.select(b, witness));
                    added.push(terms.or([terms.eq(a, b), there]));
                }
            }
        }
        let command = &mut edge.command;
        let told = |t: &mut Term| *t = terms.substitute(*t, &map);
        command.guards.iter_mut().for_each(told);
        command.relations.iter_mut().for_each(told);
        command.guards.extend(values.into_iter().chain(added));
    }

    /// The witness with this number, if the maximum allows it.
    fn witness(&mut self, number: usize) -> Option<Term> {
        if number == self.list.len() && number < MOST {
            let witness = self.terms.fresh("witness", Sort::Int, SymbolKind::Rigid);
            self.list.push(witness);
        }
        self.list.get(number).map(|&w| self.terms.var(w))
    }

    /// The indices that a step into an error reads.
    fn foreseen(&self, edge: &Edge) -> Vec<Purpose> {
        let terms = self.terms;
        let Command {
            guards, relations, ..
        } = &edge.command;
        let roots: Vec<Term> = guards.iter().chain(relations).copied().collect();
        let claimed: BTreeSet<Term> = roots.iter().flat_map(|&t| terms.conjuncts(t)).collect();
        let mut values: Vec<(Term, Rat)> = Vec::new();
        let mut differences = Vec::new();
        for t in terms.post_order(&roots) {
            match *terms.node(t) {
                Node::Select(_, index) if terms.sort(index) == Sort::Int => {
                    for part in self.parts(edge.from, index) {
                        if values.iter().all(|known| known.0 != part.0) {
                            values.push(part);
                        }
                    }
                }
                // An asserted equation defines an array.
                Node::Eq(a, b) if is_indexed_by_numbers(terms, a) && !claimed.contains(&t) => {
                    differences.push(Purpose::Difference(a, b));
                }
                _ => {}
            }
        }
        let values = values.into_iter().map(|(t, c)| Purpose::Value(t, c));
        values.chain(differences).collect()
    }

    /// The parts of an index that change: variables and inputs, or the index itself. If the index
    /// is a multiple of a sum, numbers are added, apart from the unchanging parts.
    fn parts(&self, here: LocationId, index: Term) -> Vec<(Term, Rat)> {
        let terms = self.terms;
        let vars = terms.free_vars(index);
        let is_input = |s: Symbol| terms.symbol_kind(s) == SymbolKind::Input;
        if vars.iter().any(|v| v.1 != Stage::Now) {
            return Vec::new();
        }
        let chosen = |is_changing: &dyn Fn(Symbol) -> bool| -> Vec<Symbol> {
            let all = vars.iter().map(|v| v.0);
            all.filter(|&s| is_input(s) || is_changing(s)).collect()
        };
        let mut list = chosen(&|s| self.changing.around[here.0].contains(&s));
        if list.is_empty() {
            list = chosen(&|s| self.changing.anywhere.contains(&s));
        }
        let linear = terms.linear(index);
        let factors = list.iter().map(|&s| linear.coefficient(terms.var(s)));
        let factors: Vec<Rat> = factors.collect();
        if factors.iter().any(Rat::is_zero) {
            return vec![(index, Rat::ZERO)];
        }
        let offset = match factors.as_slice() {
            [factor] => linear.constant().clone() / factor.clone(),
            _ => Rat::ZERO,
        };
        let offset = if offset.is_int() { offset } else { Rat::ZERO };
        let list = list.into_iter().map(|s| (terms.var(s), offset.clone()));
        list.collect()
    }
}

/// The same conditions with alternatives that define inputs unfolded: `x = t or c` means that `x`
/// is `t` in every other condition of the form `... or c`.
///
/// Clauses from compilers use this form for everything that happens in a branch.
fn unfolded(terms: &Terms, conditions: &[Term]) -> Vec<Term> {
    let parts = conditions.iter().flat_map(|&c| terms.conjuncts(c));
    let mut list: Vec<Term> = parts.collect();
    for k in 0..list.len() {
        let Some((others, value)) = definition(terms, list[k]) else {
            continue;
        };
        for (j, condition) in list.iter_mut().enumerate() {
            let disjuncts = terms.disjuncts(*condition);
            if j != k && others.iter().all(|o| disjuncts.contains(o)) {
                *condition = terms.substitute(*condition, &value);
            }
        }
    }
    list
}

/// The definition of an input by a disjunct, and the other disjuncts.
fn definition(terms: &Terms, condition: Term) -> Option<(Vec<Term>, Substitution)> {
    let disjuncts = terms.disjuncts(condition);
    if disjuncts.len() < 2 {
        return None;
    }
    let is_input = |t: Term| match terms.node(t) {
        Node::Var(s, _) => terms.symbol_kind(*s) == SymbolKind::Input,
        _ => false,
    };
    disjuncts.iter().find_map(|&disjunct| {
        // Truth values cannot be indices.
        if !matches!(terms.node(disjunct), Node::Zero(_)) {
            return None;
        }
        let (_, found) = eliminate(terms, vec![disjunct], &is_input, &|_, _| true);
        let others = disjuncts.iter().copied().filter(|&d| d != disjunct);
        (found.len() == 1).then(|| (others.collect(), found))
    })
}

fn is_indexed_by_numbers(terms: &Terms, t: Term) -> bool {
    match terms.sort(t) {
        Sort::Array(id) => terms.array_parts(id).0 == Sort::Int,
        _ => false,
    }
}

/// The way back: a proof for a witness holds for all values.
struct Forget {
    witnesses: Vec<Symbol>,
    bound: Vec<Symbol>,
}

impl BackTranslate for Forget {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(proof) if proof.is_inductive() => {
                let pairs = self.witnesses.iter().zip(&self.bound);
                let pairs = pairs.map(|(&w, &b)| (terms.var(w), terms.var(b)));
                let map: Substitution = pairs.collect();
                let at = proof.at.iter();
                let at = at.map(|t| t.map(|t| terms.substitute(t, &map)));
                Ok(proof.with(at.collect()))
            }
            Certificate::Trace(trace) => {
                let mut trace = trace.clone();
                let kept = trace.rigid.len().saturating_sub(self.witnesses.len());
                trace.rigid.truncate(kept);
                Ok(Certificate::Trace(trace))
            }
            other => Err(unexpected(other)),
        }
    }
}
