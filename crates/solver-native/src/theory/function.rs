//! Uninterpreted functions, by congruence on demand.
//!
//! An application is a variable to the theory of its sort. A model of the other theories is checked
//! against congruence: two applications of one function with equal arguments must have equal
//! values. Violated pairs become clauses, and the search continues. If there are none, the tables
//! of the functions are filled with the values of the applications.
//!
//! Clauses are added only for pairs that a model violates. All pairs together would be Ackermann's
//! reduction.

use super::array::Candidate;
use super::{Refinement, Theory};
use crate::context::NativeSolver;
use crate::proof_log::Origin;
use crate::sat::{DecisionProcedure, Guard, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_proof::{Lemma, Rule, congruence_axiom};
use sectile_terms::{Symbol, Term, Terms, Value};

/// The applications that occur in formulas, and the congruences that were added.
#[derive(Default)]
pub(crate) struct Functions {
    known: FxHashSet<Term>,
    applications: Vec<Application>,
    /// Pairs of applications whose congruence is already a clause.
    said: FxHashSet<(Term, Term)>,
    /// In the last model: the tables of the functions.
    tables: FxHashMap<Symbol, Value>,
    incomplete: Option<&'static str>,
}

struct Application {
    term: Term,
    function: Symbol,
    arguments: Vec<Term>,
}

impl Functions {
    /// The table of a function in the last model.
    pub fn table(&self, function: Symbol) -> Option<&Value> {
        self.tables.get(&function)
    }
}

impl DecisionProcedure for Functions {
    fn begin_check(&mut self) {
        self.incomplete = None;
    }
}

impl Theory for Functions {
    const RULES: &'static [Rule] = &[Rule::Congruence];

    /// It has no terms of its own.
    fn is_encoded(_: &NativeSolver<'_>, _: Term) -> bool {
        true
    }

    fn encode(_: &mut NativeSolver<'_>, _: Term) {}

    fn observe(&mut self, terms: &Terms, t: Term) {
        if let Some((function, arguments)) = terms.application(t)
            && self.known.insert(t)
        {
            self.applications.push(Application {
                term: t,
                function,
                arguments,
            });
        }
    }

    fn refine(solver: &mut NativeSolver<'_>) -> Refinement {
        if solver.sat.theory.functions.applications.is_empty() {
            return Refinement::Model;
        }
        match Rows::new(solver) {
            Ok(rows) => solver.sat.theory.functions.tables = rows.tables(solver.terms),
            Err(Obstacle::Broken(pairs)) => {
                pairs.into_iter().for_each(|p| solver.say_congruence(p));
                return Refinement::Refined;
            }
            Err(Obstacle::Unknown) => {
                let why = "an argument of a function has no value";
                solver.sat.theory.functions.incomplete = Some(why);
                return Refinement::Unknown;
            }
        }
        Refinement::Model
    }

    fn value(_: &NativeSolver<'_>, _: Term) -> Option<Value> {
        None
    }

    fn incomplete(&self) -> Option<&'static str> {
        self.incomplete
    }
}

/// Why a model has no tables of functions.
enum Obstacle {
    /// Applications with different values but equal arguments.
    Broken(Vec<(Term, Term)>),
    /// An argument has no value.
    Unknown,
}

/// The values of applications in a model: arguments and results, in order.
struct Rows(Vec<(Symbol, Vec<Value>, Value)>);

impl Rows {
    fn new(solver: &NativeSolver<'_>) -> Result<Rows, Obstacle> {
        let functions = &solver.sat.theory.functions;
        let candidate = Candidate::with_arrays(solver);
        let of = |t: Term| candidate.of(t).ok_or(Obstacle::Unknown);
        let mut first: FxHashMap<(Symbol, Vec<Value>), (Term, Value)> = FxHashMap::default();
        let mut rows = Vec::with_capacity(functions.applications.len());
        let mut broken = Vec::new();
        for application in &functions.applications {
            let arguments = application.arguments.iter().map(|&a| of(a));
            let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
            let result = of(application.term)?;
            let key = (application.function, arguments.clone());
            let known = first.entry(key);
            let (term, value) = known.or_insert_with(|| (application.term, result.clone()));
            if *value != result {
                let pair = (*term, application.term);
                if functions.said.contains(&pair) {
                    return Err(Obstacle::Unknown);
                }
                broken.push(pair);
            }
            rows.push((application.function, arguments, result));
        }
        match broken.is_empty() {
            true => Ok(Rows(rows)),
            false => Err(Obstacle::Broken(broken)),
        }
    }

    fn tables(self, terms: &Terms) -> FxHashMap<Symbol, Value> {
        let mut tables: FxHashMap<Symbol, Value> = FxHashMap::default();
        for (function, arguments, result) in self.0 {
            let empty = || Value::some_of(terms, terms.symbol_sort(function));
            let table = tables.remove(&function).unwrap_or_else(empty);
            tables.insert(function, terms.entered(table, &arguments, result));
        }
        tables
    }
}

impl NativeSolver<'_> {
    /// Adds the congruence of two applications.
    fn say_congruence(&mut self, (s, t): (Term, Term)) {
        if !self.sat.theory.functions.said.insert((s, t)) {
            return;
        }
        let Some(axiom) = congruence_axiom(self.terms, s, t) else {
            unreachable!("both are applications of one function")
        };
        let clause: Vec<Lit> = axiom.iter().map(|&t| self.asserted_literal(t)).collect();
        let lemma = Lemma::with_terms(Rule::Congruence, [s, t]);
        self.sat
            .add_clause(&clause, Guard::Always, Origin::Lemma(lemma));
        for lit in clause {
            self.assert_interest(lit);
        }
    }
}
