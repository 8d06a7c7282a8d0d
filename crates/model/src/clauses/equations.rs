//! Solving the equations of a clause.
//!
//! Clauses use equations where programs use assignments. Variables of a clause that an equation
//! defines are substituted everywhere else, and defined next values become assignments.

use rustc_hash::FxHashSet;
use sectile_base::Rat;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};

/// Conjuncts after solving equations.
pub struct Solved {
    /// The remaining conjuncts.
    pub conjuncts: Vec<Term>,
    /// The eliminated unknowns, with their values.
    pub values: Substitution,
    /// Assigned next values.
    pub updates: Vec<(Symbol, Term)>,
}

/// Maximum number of rounds; each halves the length of chains of definitions.
const ROUNDS: usize = 64;

/// Solves equations for the unknowns, and then for next values.
pub fn solve(terms: &Terms, conjuncts: Vec<Term>, unknowns: &FxHashSet<Term>) -> Solved {
    let mut solved = Solved {
        conjuncts,
        values: Substitution::default(),
        updates: Vec::new(),
    };
    // Arrays and enumeration values are left in place.
    let is_plain = |t: Term| !matches!(terms.sort(t), Sort::Array(_) | Sort::Enum(_));
    let is_unknown = |t: Term| unknowns.contains(&t) && is_plain(t);
    let found = solved.rounds(terms, &is_unknown, &|_, _| true);
    solved.values.extend(found);
    let is_next = |t: Term| matches!(terms.node(t), Node::Var(_, Stage::Next)) && is_plain(t);
    let free_of_next = |_: Term, t: Term| terms.free_vars(t).iter().all(|v| v.1 != Stage::Next);
    for (variable, value) in solved.rounds(terms, &is_next, &free_of_next) {
        if let Node::Var(symbol, _) = terms.node(variable) {
            solved.updates.push((*symbol, value));
        }
    }
    solved.updates.sort();
    solved
}

/// Eliminates variables that conjuncts define: returns the remaining conjuncts and the values of
/// the variables. Sorts do not matter; `is_definition` decides which variable may have which value.
pub fn eliminate(
    terms: &Terms,
    conjuncts: Vec<Term>,
    is_unknown: &dyn Fn(Term) -> bool,
    is_definition: &dyn Fn(Term, Term) -> bool,
) -> (Vec<Term>, Substitution) {
    let mut solved = Solved {
        conjuncts,
        values: Substitution::default(),
        updates: Vec::new(),
    };
    let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..)) && is_unknown(t);
    let values = solved.rounds(terms, &is_variable, is_definition);
    (solved.conjuncts, values)
}

impl Solved {
    /// Solves until no more definitions are found, substituting them everywhere.
    fn rounds(
        &mut self,
        terms: &Terms,
        is_unknown: &dyn Fn(Term) -> bool,
        is_value: &dyn Fn(Term, Term) -> bool,
    ) -> Substitution {
        let mut all = Substitution::default();
        for _ in 0..ROUNDS {
            let round = round(terms, &mut self.conjuncts, is_unknown, is_value);
            if round.is_empty() {
                break;
            }
            for value in self.values.values_mut().chain(all.values_mut()) {
                *value = terms.substitute(*value, &round);
            }
            all.extend(round);
        }
        all
    }
}

/// One round: removes independent definitions from the conjuncts and substitutes them.
fn round(
    terms: &Terms,
    conjuncts: &mut Vec<Term>,
    is_unknown: &dyn Fn(Term) -> bool,
    is_value: &dyn Fn(Term, Term) -> bool,
) -> Substitution {
    let mut round = Substitution::default();
    let mut mentioned: FxHashSet<Term> = FxHashSet::default();
    let mut kept = Vec::with_capacity(conjuncts.len());
    for &c in conjuncts.iter() {
        let found = definitions(terms, c, is_unknown)
            .into_iter()
            .find(|(x, value)| {
                let fresh = !mentioned.contains(x) && !round.contains_key(x);
                let variables = terms.free_vars(*value);
                let vars = || variables.iter().map(|v| terms.var_at(v.0, v.1));
                fresh && vars().all(|v| v != *x && !round.contains_key(&v)) && is_value(*x, *value)
            });
        match found {
            Some((x, value)) => {
                let variables = terms.free_vars(value);
                mentioned.extend(variables.iter().map(|v| terms.var_at(v.0, v.1)));
                round.insert(x, value);
            }
            None => kept.push(c),
        }
    }
    if round.is_empty() {
        return round;
    }
    let all = terms.and(kept.iter().map(|&c| terms.substitute(c, &round)));
    *conjuncts = terms.conjuncts(all);
    round
}

/// The ways to read a conjunct as a definition of an unknown.
pub(crate) fn definitions(
    terms: &Terms,
    t: Term,
    is_unknown: &dyn Fn(Term) -> bool,
) -> Vec<(Term, Term)> {
    let (atom, negated) = terms.strip_not(t);
    let mut found = Vec::new();
    match *terms.node(atom) {
        Node::Var(..) if is_unknown(atom) => found.push((atom, terms.bool(!negated))),
        Node::Eq(a, b) if !negated || terms.sort(a) == Sort::Bool => {
            for (x, value) in [(a, b), (b, a)] {
                if is_unknown(x) {
                    let value = if negated { terms.not(value) } else { value };
                    found.push((x, value));
                }
            }
        }
        Node::Zero(sum) if !negated => found.extend(solutions(terms, sum, is_unknown)),
        _ => {}
    }
    found
}

/// `x = value` for every unknown `x` of a sum that equals zero.
fn solutions(terms: &Terms, sum: Term, is_unknown: &dyn Fn(Term) -> bool) -> Vec<(Term, Term)> {
    let sort = terms.sort(sum);
    let linear = terms.linear(sum);
    let solvable =
        |(m, c): &&(Term, Rat)| is_unknown(*m) && (sort == Sort::Real || c.abs().is_one());
    let list = linear.monomials().iter().filter(solvable);
    let solution = |(m, c): &(Term, Rat)| {
        let mut rest = linear.clone();
        rest.add_term(*m, &-c);
        rest.scale(&-(&Rat::ONE / c));
        (*m, terms.sum(rest, sort))
    };
    list.map(solution).collect()
}

/// The unknowns that occur in terms.
pub fn occurring(terms: &Terms, roots: &[Term], unknowns: &[Symbol]) -> Vec<Symbol> {
    let known: FxHashSet<Symbol> = unknowns.iter().copied().collect();
    let variables = terms.free_vars_of(roots).into_iter().map(|v| v.0);
    let mut found: Vec<Symbol> = Vec::new();
    for symbol in variables.filter(|v| known.contains(v)) {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}
