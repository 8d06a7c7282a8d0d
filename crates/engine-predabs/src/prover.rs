//! Counted queries to the solver: their number is the cost of an abstraction.

use sectile_base::Budget;
use sectile_engine::{Stop, is_satisfiable};
use sectile_solver::{Answer, Assignment, Backend, Solver, scoped};
use sectile_terms::{Stage, Symbol, Term, Terms};

/// Number of sub-terms in all queries after which a new solver is created: a solver keeps the
/// contents of closed scopes and gets slow.
const MOST_TERMS: usize = 2_000;

/// A solver that counts its queries.
pub struct Prover<'t> {
    terms: &'t Terms,
    backend: &'t dyn Backend,
    solver: Box<dyn Solver + 't>,
    budget: Budget,
    calls: u64,
    most: Option<u64>,
    /// Sub-terms of all queries to this solver.
    told: usize,
    /// The number of open scopes.
    depth: usize,
}

impl<'t> Prover<'t> {
    /// A prover over the store.
    pub fn new(
        terms: &'t Terms,
        backend: &'t dyn Backend,
        budget: &Budget,
    ) -> Result<Prover<'t>, Stop> {
        Ok(Prover {
            terms,
            backend,
            solver: backend.solver(terms)?,
            budget: budget.clone(),
            calls: 0,
            most: None,
            told: 0,
            depth: 0,
        })
    }

    /// The same with a limit on queries about abstractions; see [`Prover::spent`].
    pub fn limited(self, most: Option<u64>) -> Prover<'t> {
        Prover { most, ..self }
    }

    /// Whether the query limit is reached: then intermediate results stay as they are.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: every intermediate result is an abstraction.
    pub fn spent(&self) -> bool {
        self.most.is_some_and(|most| self.calls >= most)
    }

    /// The number of queries.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The store.
    pub fn terms(&self) -> &'t Terms {
        self.terms
    }

    /// The limits.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A model of the formula over the given variables, if it has one.
    pub fn model(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
    ) -> Result<Option<Assignment>, Stop> {
        self.hear(formula)?;
        self.calls += 1;
        let (terms, budget) = (self.terms, &self.budget);
        scoped(self.solver.as_mut(), |s| {
            s.assert(formula)?;
            match s.check(&[], budget)? {
                Answer::Sat(view) => Ok(Some(view.snapshot(terms, variables))),
                Answer::Unsat(_) => Ok(None),
                Answer::Unknown(why) => Err(why.into()),
            }
        })
    }

    /// Whether the formula has a model.
    pub fn satisfiable(&mut self, formula: Term) -> Result<bool, Stop> {
        match self.terms.as_bool(formula) {
            Some(known) => Ok(known),
            None => Ok(self.model(formula, &[])?.is_some()),
        }
    }

    /// Whether the premise implies the claim.
    pub fn implies(&mut self, premise: Term, claim: Term) -> Result<bool, Stop> {
        let against = self.terms.and2(premise, self.terms.not(claim));
        Ok(!self.satisfiable(against)?)
    }

    /// All combinations of truth values of the terms in models of the formula.
    ///
    /// `rows` are groups of conditions of which exactly one holds; the result names it for every
    /// group. At most `most` combinations are found; `None` if there are more, or if the query
    /// limit is reached first.
    pub fn combinations(
        &mut self,
        formula: Term,
        rows: &[Vec<Term>],
        most: usize,
    ) -> Result<Option<Vec<Vec<usize>>>, Stop> {
        self.hear(formula)?;
        let terms = self.terms;
        let budget = self.budget.clone();
        let limit = self.most.unwrap_or(u64::MAX);
        let calls = &mut self.calls;
        scoped(self.solver.as_mut(), |s| {
            s.assert(formula)?;
            let mut found: Vec<Vec<usize>> = Vec::new();
            loop {
                budget.check_for(0)?;
                if *calls >= limit {
                    return Ok(None);
                }
                *calls += 1;
                let combination = match s.check(&[], &budget)? {
                    Answer::Unsat(_) => return Ok(Some(found)),
                    Answer::Unknown(why) => return Err(why.into()),
                    Answer::Sat(view) => {
                        let mut combination = Vec::new();
                        for row in rows {
                            let holds = |t: &Term| {
                                let value = view.eval(terms, *t);
                                value.is_ok_and(|v| v.as_bool() == Some(true))
                            };
                            let place = row.iter().position(holds);
                            combination.push(place.ok_or_else(|| {
                                let why = "a model gives an abstract variable no value";
                                Stop::incomplete(why)
                            })?);
                        }
                        combination
                    }
                };
                let same = rows.iter().zip(&combination).map(|(row, &k)| row[k]);
                let block = terms.not(terms.and(same));
                if found.len() == most {
                    return Ok(None);
                }
                found.push(combination);
                s.assert(block)?;
            }
        })
    }

    /// Creates a new solver for a query if the old one has seen enough.
    fn hear(&mut self, formula: Term) -> Result<(), Stop> {
        let size = self.terms.post_order(&[formula]).len();
        if self.depth == 0 && self.told > 0 && self.told + size > MOST_TERMS {
            self.solver = self.backend.solver(self.terms)?;
            self.told = 0;
        }
        self.told += size;
        Ok(())
    }

    /// Opens a scope in which a formula is assumed. It must be closed by [`Prover::retract`].
    pub(crate) fn assume(&mut self, formula: Term) -> Result<(), Stop> {
        self.hear(formula)?;
        self.depth += 1;
        self.solver.push();
        Ok(self.solver.assert(formula)?)
    }

    /// Whether the assumptions have a model.
    pub(crate) fn ask(&mut self) -> Result<bool, Stop> {
        self.budget.check_for(0)?;
        self.calls += 1;
        is_satisfiable(self.solver.as_mut(), &[], &self.budget)
    }

    /// Closes the innermost scope.
    pub(crate) fn retract(&mut self) {
        self.depth -= 1;
        self.solver.pop();
    }
}
