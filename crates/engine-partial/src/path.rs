//! Abstract counterexamples as paths of commands, and the search for concrete runs along them.

use sectile_base::Budget;
use sectile_engine::{Stop, read_trace, step_number as step, violating_states};
use sectile_model::{
    CellClaim, Certificate, Choice, CtlProof, Initial, Model, NormalCtl, NormalPart, Paths,
    PropertyKind, Trace,
};
use sectile_solver::{Assignment, Backend, Interpolation};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms, Value, evaluate};
use std::collections::BTreeMap;

/// A path of commands, with the conditions under which it violates the property.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The commands.
    pub commands: Vec<usize>,
    /// State formulas of the negated concrete property, with the positions where they must hold.
    pub claims: Vec<(usize, Term)>,
    /// The position to which the path returns after its last command, if it is a lasso.
    pub back_to: Option<usize>,
}

/// The result of following a path.
pub enum Followed {
    /// A concrete run takes it.
    Real(Box<Trace>),
    /// The path is spurious; these interpolants at its states show it.
    Spurious(Vec<Term>),
    /// Runs follow it for a while, but whether one does so for ever is unknown.
    Open,
}

/// Maximum number of steps to follow.
const LONGEST: usize = 10_000;

/// Number of times the loop of a path is unrolled to check whether it is feasible.
const ROUNDS: usize = 2;

/// The path described by evidence against the abstract property, if there is one.
///
/// For claims about several paths, only the first of them is followed.
pub fn abstract_path(
    terms: &Terms,
    system: &Model,
    concrete: &PropertyKind,
    meanings: &Substitution,
    certificate: &Certificate,
) -> Option<Path> {
    match certificate {
        Certificate::Trace(trace) => {
            let end = violating_states(terms, concrete);
            Some(Path {
                commands: trace.steps.iter().map(|s| s.command).collect(),
                claims: end.map(|e| (trace.steps.len(), e)).into_iter().collect(),
                back_to: trace.back_to,
            })
        }
        Certificate::Ctl(proof) if proof.images.is_empty() => {
            let formula = NormalCtl::of_property(terms, concrete, false)?;
            let walk = Walk::new(terms, system, &formula, proof)?;
            walk.run(meanings)
        }
        _ => None,
    }
}

/// A run of the abstract system along the choices of a proof.
struct Walk<'w> {
    terms: &'w Terms,
    system: &'w Model,
    formula: &'w NormalCtl,
    proof: &'w CtlProof,
    state: BTreeMap<Symbol, Value>,
    cell: usize,
    path: Path,
}

impl<'w> Walk<'w> {
    fn new(
        terms: &'w Terms,
        system: &'w Model,
        formula: &'w NormalCtl,
        proof: &'w CtlProof,
    ) -> Option<Walk<'w>> {
        let Initial::One(rigid, state, cell) = &proof.initial else {
            return None;
        };
        let constants = system.rigid.iter().zip(rigid);
        let variables = system.variables.iter().zip(&state.values);
        let all = constants.chain(variables);
        Some(Walk {
            terms,
            system,
            formula,
            proof,
            state: all.map(|(s, v)| (*s, v.clone())).collect(),
            cell: *cell,
            path: Path::default(),
        })
    }

    fn run(mut self, meanings: &Substitution) -> Option<Path> {
        let mut part = self.formula.root();
        let mut visited: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        while self.path.commands.len() < LONGEST {
            let here = self.path.commands.len();
            let claim = self.claim(part)?;
            part = match self.formula.parts[part] {
                NormalPart::State(p) => {
                    self.path.claims.push((here, p));
                    return Some(self.path);
                }
                NormalPart::And(a, b) => self.both(a, b),
                NormalPart::Or(a, b) => match self.claim(a) {
                    Some(_) => a,
                    None => b,
                },
                NormalPart::Next(Paths::Some, f) => {
                    self.choose(claim)?;
                    f
                }
                NormalPart::Until(Paths::Some, _, g) | NormalPart::Weak(Paths::Some, _, g)
                    if self.claim(g).is_some() =>
                {
                    g
                }
                NormalPart::Until(Paths::Some, f, _) | NormalPart::Weak(Paths::Some, f, _) => {
                    self.note(f);
                    if let Some(&earlier) = visited.get(&(part, self.cell)) {
                        self.path.back_to = Some(earlier);
                        return Some(self.path);
                    }
                    visited.insert((part, self.cell), here);
                    let cell = &self.proof.cells[self.cell];
                    if claim.choices.is_empty() && cell.successors.is_empty() {
                        // Where no abstract step is possible, no concrete one is possible either.
                        let end = self.terms.substitute(cell.formula, meanings);
                        self.path.claims.push((here, end));
                        return Some(self.path);
                    }
                    self.choose(claim)?;
                    part
                }
                // A claim about all paths is not a single path.
                _ => return None,
            };
        }
        None
    }

    fn claim(&self, part: usize) -> Option<&'w CellClaim> {
        let claims: &'w [CellClaim] = &self.proof.claims[part];
        claims.iter().find(|c| c.cell == self.cell)
    }

    /// Of two claims in one state, the one that leads further; the other one is recorded.
    fn both(&mut self, a: usize, b: usize) -> usize {
        let is_state = matches!(self.formula.parts[a], NormalPart::State(_));
        let (noted, followed) = if is_state { (a, b) } else { (b, a) };
        self.note(noted);
        followed
    }

    fn note(&mut self, part: usize) {
        if let NormalPart::State(p) = self.formula.parts[part] {
            self.path.claims.push((self.path.commands.len(), p));
        }
    }

    /// Takes the first possible choice of the claim.
    fn choose(&mut self, claim: &CellClaim) -> Option<()> {
        let choices = claim.choices.iter();
        let list = &self.proof.cells[self.cell].choices;
        let (target, command, state) = choices
            .filter_map(|&k| list.get(k))
            .find_map(|c| self.after(c).map(|s| (c.target, c.command, s)))?;
        self.cell = target;
        self.path.commands.push(command);
        self.state = state;
        Some(())
    }

    /// The state after a choice, if the choice is possible.
    fn after(&self, choice: &Choice) -> Option<BTreeMap<Symbol, Value>> {
        let terms = self.terms;
        let command = &self.system.edges[choice.command].command;
        let mut now = self.state.clone();
        let mut next: BTreeMap<Symbol, Value> = BTreeMap::new();
        for (symbol, value) in &choice.values {
            let value = self.value(*value, &self.state, None)?;
            match command.inputs.contains(symbol) {
                true => now.insert(*symbol, value),
                false => next.insert(*symbol, value),
            };
        }
        for update in &command.updates {
            next.insert(update.symbol, self.value(update.value, &now, None)?);
        }
        let conditions = command.guards.iter().chain(&command.relations).copied();
        let restrict = self.system.restrict.iter().map(|&r| terms.prime(r));
        let inside = terms.prime(self.proof.cells[choice.target].formula);
        let mut all = conditions.chain(restrict).chain([inside]);
        let possible = all.all(|c| self.value(c, &now, Some(&next)) == Some(Value::Bool(true)));
        let constants = self.system.rigid.iter();
        let constants = constants.filter_map(|s| Some((*s, self.state.get(s)?.clone())));
        next.extend(constants);
        possible.then_some(next)
    }

    fn value(
        &self,
        t: Term,
        now: &BTreeMap<Symbol, Value>,
        next: Option<&BTreeMap<Symbol, Value>>,
    ) -> Option<Value> {
        let lookup = |symbol: Symbol, stage: Stage| match stage {
            Stage::Next => next.and_then(|n| n.get(&symbol)).cloned(),
            _ => now.get(&symbol).cloned(),
        };
        evaluate(self.terms, t, &lookup).ok()
    }
}

/// Searches for a concrete run along a path.
///
/// Paper: [YaMe, Sect. 2.1]; interpolants between the steps explain why there is none.
pub fn follow(
    terms: &Terms,
    system: &Model,
    path: &Path,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Followed, Stop> {
    let run = |path: &Path, model: &Assignment| {
        let value = |symbol, stage| model.get(symbol, stage).cloned();
        read_trace(terms, system, &path.commands, &value)
    };
    let mut interpolator = backend.interpolator(terms)?;
    let unrolled = path.followed();
    let blocks = unrolled.blocks(terms, system, None);
    let model = match interpolator.sequence(&blocks, budget)? {
        Interpolation::Sat(model) => model,
        Interpolation::Unsat(cuts) => {
            let cuts = cuts.into_iter().enumerate();
            let now = cuts.map(|(k, t)| terms.from_step(t, step(k)));
            return Ok(Followed::Spurious(now.collect()));
        }
        Interpolation::Unknown(why) => return Err(why.into()),
    };
    let Some(back) = path.back_to else {
        let trace = run(&unrolled, &model);
        return Ok(Followed::Real(Box::new(trace)));
    };
    for rounds in 0..=ROUNDS {
        let lasso = path.unrolled(rounds);
        let blocks = lasso.blocks(terms, system, Some(back));
        if let Interpolation::Sat(model) = interpolator.sequence(&blocks, budget)? {
            let mut trace = run(&lasso, &model);
            trace.back_to = Some(back);
            return Ok(Followed::Real(Box::new(trace)));
        }
    }
    Ok(Followed::Open)
}

impl Path {
    /// The path with its loop unrolled often enough to check feasibility.
    pub fn followed(&self) -> Path {
        self.unrolled(if self.back_to.is_some() { ROUNDS } else { 0 })
    }

    /// The path with its loop unrolled further.
    fn unrolled(&self, rounds: usize) -> Path {
        let mut path = self.clone();
        let Some(back) = self.back_to else {
            return path;
        };
        let length = self.commands.len() - back;
        for round in 1..=rounds {
            path.commands.extend_from_slice(&self.commands[back..]);
            let inside = self.claims.iter().filter(|(k, _)| *k >= back);
            let later = inside.map(|(k, t)| (k + round * length, *t));
            path.claims.extend(later);
        }
        path
    }

    /// The formulas of the path: the initial condition, every step, and the final condition.
    fn blocks(&self, terms: &Terms, system: &Model, closed_at: Option<usize>) -> Vec<Term> {
        let claims_at = |k: usize| {
            let here = self.claims.iter().filter(move |(at, _)| *at == k);
            here.map(move |(_, t)| terms.at_step(*t, step(k)))
        };
        let after = terms.prime(system.restrict_formula(terms));
        let mut blocks = vec![terms.at_step(system.init_formula(terms), 0)];
        for (k, &command) in self.commands.iter().enumerate() {
            let taken = terms.and2(system.edges[command].command.formula(terms), after);
            let taken = terms.at_step(taken, step(k));
            blocks.push(terms.and(claims_at(k).chain([taken])));
        }
        let end = self.commands.len();
        let closing = closed_at.map(|back| {
            let variables = system.variables.iter();
            terms.and(variables.map(|&v| {
                let at = |k: usize| terms.var_at(v, Stage::At(step(k)));
                terms.eq(at(back), at(end))
            }))
        });
        blocks.push(terms.and(claims_at(end).chain(closing)));
        blocks
    }
}
