//! Inductive clauses that exclude states.

use sectile_engine::{Discrete, EngineError, Run, SafetyQuestion, Stop, Unroller};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Sort, evaluate};
use sectile_terms::{Stage, Symbol, SymbolKind, Term, Terms, Value};

/// The maximum length of a chain of states in which each is excluded only after its predecessor.
const LONGEST_CHAIN: usize = 30;

/// The known invariant, and what is needed to strengthen it.
///
/// Paper: [Bradley11, Sect. 3], with one frame, which is the invariant.
pub struct Excluder<'t> {
    terms: &'t Terms,
    /// Has the invariant asserted.
    solver: Box<dyn Solver + 't>,
    /// Literals that activate the steps and the initial states.
    step: Term,
    start: Term,
    /// Literals of cubes: the values of variables with few values, and the atoms of the model.
    values: Vec<(Symbol, Vec<Value>)>,
    atoms: Vec<Term>,
    /// The conjuncts of the invariant.
    pub invariant: Vec<Term>,
}

impl<'t> Excluder<'t> {
    /// Starts with formulas that are inductive together.
    pub fn new(
        terms: &'t Terms,
        asked: &SafetyQuestion<'t>,
        known: Vec<Term>,
        run: &Run<'_>,
    ) -> Result<Excluder<'t>, EngineError> {
        let system = asked.system;
        let mut solver = run.backend.solver(terms)?;
        solver.assert(system.restrict_formula(terms))?;
        let mut switch = |name: &str, formula: Term| -> Result<Term, EngineError> {
            let switch = terms.var(terms.fresh(name, Sort::Bool, SymbolKind::Rigid));
            solver.assert(terms.implies(switch, formula))?;
            Ok(switch)
        };
        let step = switch("step", Unroller::new(terms, system).transition())?;
        let start = switch("start", system.init_formula(terms))?;
        let discrete = Discrete::of(terms, system, asked.bad);
        let variables = system.variables.iter();
        let values: Vec<_> = variables
            .filter_map(|&v| Some((v, discrete.values(v)?)))
            .collect();
        let told = |&atom: &Term| {
            let used = terms.free_vars(atom);
            let now = used.iter().all(|(_, stage)| *stage == Stage::Now);
            let inputs = system.commands().flat_map(|c| &c.inputs);
            let chosen = inputs.into_iter().any(|i| used.iter().any(|u| u.0 == *i));
            let alone = used
                .iter()
                .all(|(v, _)| values.iter().any(|(known, _)| known == v));
            now && !chosen && !alone
        };
        let guards = system.commands().flat_map(|c| &c.guards).copied();
        let all: Vec<Term> = guards
            .chain(system.init.clone())
            .chain([asked.bad])
            .collect();
        let mut atoms: Vec<Term> = all.iter().flat_map(|&f| terms.atoms(f)).collect();
        atoms.sort();
        atoms.dedup();
        atoms.retain(told);
        let mut excluder = Excluder {
            terms,
            solver,
            step,
            start,
            values,
            atoms,
            invariant: Vec::new(),
        };
        for formula in known {
            excluder.know(formula)?;
        }
        Ok(excluder)
    }

    fn know(&mut self, formula: Term) -> Result<(), EngineError> {
        self.solver.assert(formula)?;
        self.invariant.push(formula);
        Ok(())
    }

    /// The literals that describe a state.
    pub fn cube(&self, value: &dyn Fn(Symbol, Stage) -> Option<Value>) -> Vec<Term> {
        let terms = self.terms;
        let literal = |formula: Term, holds: bool| match holds {
            true => formula,
            false => terms.not(formula),
        };
        let mut cube = Vec::new();
        for (v, values) in &self.values {
            let Some(here) = value(*v, Stage::Now) else {
                continue;
            };
            let is = |value: &Value| match value {
                Value::Bool(holds) => literal(terms.var(*v), *holds),
                other => terms.eq(terms.var(*v), other.to_term(terms)),
            };
            match values.contains(&here) {
                true => cube.push(is(&here)),
                false => cube.extend(values.iter().map(|other| terms.not(is(other)))),
            }
        }
        for &atom in &self.atoms {
            if let Ok(Value::Bool(holds)) = evaluate(terms, atom, &value) {
                cube.push(literal(atom, holds));
            }
        }
        cube
    }

    /// Strengthens the invariant so that it excludes all states of the cube. Returns whether that
    /// was possible.
    pub fn exclude(&mut self, cube: Vec<Term>, run: &Run<'_>) -> Result<bool, Stop> {
        let mut chain = vec![cube];
        let mut rounds = 0;
        while let Some(cube) = chain.last().cloned() {
            rounds += 1;
            if chain.len() > LONGEST_CHAIN || rounds > LONGEST_CHAIN * LONGEST_CHAIN {
                return Ok(false);
            }
            if self.starts(&cube, run)? {
                return Ok(false);
            }
            match self.entered(&cube, run)? {
                Some(before) => chain.push(before),
                None => {
                    let cube = self.generalised(cube, run)?;
                    let clause = self.terms.not(self.terms.and(cube));
                    self.know(clause)?;
                    chain.pop();
                }
            }
        }
        Ok(true)
    }

    fn starts(&mut self, cube: &[Term], run: &Run<'_>) -> Result<bool, Stop> {
        let mut question = cube.to_vec();
        question.push(self.start);
        match self.solver.check(&question, &run.budget)? {
            Answer::Unknown(why) => Err(why.into()),
            answer => Ok(answer.is_sat()),
        }
    }

    /// The cube of a state outside of the cube with a step into it.
    fn entered(&mut self, cube: &[Term], run: &Run<'_>) -> Result<Option<Vec<Term>>, Stop> {
        let terms = self.terms;
        let mut question: Vec<Term> = cube.iter().map(|&l| terms.prime(l)).collect();
        question.extend([self.step, terms.not(terms.and(cube.iter().copied()))]);
        let model = match self.solver.check(&question, &run.budget)? {
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(_) => return Ok(None),
            Answer::Sat(model) => {
                let known = self.values.iter().map(|(v, _)| terms.var(*v));
                let all: Vec<Term> = known.chain(self.atoms.iter().copied()).collect();
                let free = terms.free_vars_of(&all);
                let variables: Vec<(Symbol, Stage)> = free.into_iter().collect();
                model.snapshot(terms, &variables)
            }
        };
        Ok(Some(self.cube(&|v, stage| model.value(v, stage))))
    }

    /// A subset of the literals that no initial state satisfies and no step enters. Literals are
    /// dropped one by one as long as this remains true.
    fn generalised(&mut self, mut cube: Vec<Term>, run: &Run<'_>) -> Result<Vec<Term>, Stop> {
        let mut place = cube.len();
        while place > 0 && cube.len() > 1 {
            place -= 1;
            let mut fewer = cube.clone();
            fewer.remove(place);
            if !self.starts(&fewer, run)? && self.entered(&fewer, run)?.is_none() {
                cube = fewer;
            }
        }
        Ok(cube)
    }
}
