//! From a task to a verdict.

use crate::Limits;
use crate::cells::{CellGraph, Watched};
use crate::label::{Labels, label};
use crate::live::Dead;
use crate::program::{Program, StateCube};
use crate::proof::ProofMaker;
use crate::reach::{Precision, Reached, reach};
use crate::run::RunMaker;
use sectile_base::{Budget, Exhausted};
use sectile_engine::{EngineError, Event, Run};
use sectile_model::{
    Certificate, Model, NormalCtl, NormalPart, Paths, ReasonCode, Task, TransitionSystem, Unknown,
    Verdict,
};
use sectile_terms::Term;

/// Decides a task, or says how far it came.
pub fn decide(task: &Task<'_>, run: &mut Run<'_>, limits: Limits) -> Result<Verdict, EngineError> {
    let Model::System(system) = task.model else {
        return Ok(refused("it takes transition systems only"));
    };
    let kind = &task.property.kind;
    let normal = |positive| NormalCtl::of_property(task.terms, kind, positive);
    let (Some(holds), Some(fails)) = (normal(true), normal(false)) else {
        return Ok(refused("it takes no locations in formulas"));
    };
    let program = match Program::new(task, system) {
        Ok(program) => program,
        Err(why) => return Ok(refused(&why)),
    };
    let work = Work {
        system,
        program: &program,
        holds: &holds,
        fails: &fails,
        limits,
    };
    match work.run(run) {
        Ok(verdict) => verdict,
        Err(limit) => Ok(Verdict::Unknown(Unknown::new(
            ReasonCode::Exhausted(limit),
            "the cells were not complete",
        ))),
    }
}

fn refused(why: &str) -> Verdict {
    Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why))
}

/// One way to search for states.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    precision: Precision,
    nodes: usize,
    /// How often cells may be cut.
    rounds: usize,
}

/// Exactly, until numbers seem to grow for ever; then with widening; then exactly again, as far
/// as the limits allow.
fn attempts(program: &Program<'_>, limits: Limits) -> Vec<Attempt> {
    let attempt = |precision, rounds| Attempt {
        precision,
        nodes: limits.nodes,
        rounds,
    };
    let variables = i64::try_from(program.numeric.len()).unwrap_or(i64::MAX);
    let grown = program.largest().saturating_add(2 * variables + ROOM);
    vec![
        attempt(Precision::ExactUpTo(grown), usize::MAX),
        attempt(Precision::Widened(5), 10),
        attempt(Precision::Widened(12), 10),
        attempt(Precision::Exact, usize::MAX),
    ]
}

/// How much larger than those of the program numbers may become before they are widened.
const ROOM: i64 = 12;

struct Work<'w> {
    system: &'w TransitionSystem,
    program: &'w Program<'w>,
    holds: &'w NormalCtl,
    fails: &'w NormalCtl,
    limits: Limits,
}

impl Work<'_> {
    fn run(&self, run: &mut Run<'_>) -> Result<Result<Verdict, EngineError>, Exhausted> {
        let watched = match self.watched() {
            Ok(watched) => watched,
            Err(why) => return Ok(Ok(refused(&why))),
        };
        let bad = match self.forbidden().map(|f| self.program.state_cubes(&[f])) {
            Some(Ok(cubes)) => cubes,
            // Then the cells show what is forbidden.
            None | Some(Err(_)) => Vec::new(),
        };
        run.tell(Event::Phase { name: "forwards" });
        let init = self.system.init_formula(self.program.terms);
        let dead = Dead::new(self.program, &numbers_in(&watched, init));
        let mut unknown = None;
        for attempt in attempts(self.program, self.limits) {
            let result = self.attempt(attempt, &watched, &bad, &dead, run);
            let result = match result {
                Err(limit) if run.budget.check().is_ok() => {
                    let code = ReasonCode::Exhausted(limit);
                    let text = "the cells of one search were not complete";
                    (Verdict::Unknown(Unknown::new(code, text)), false)
                }
                other => other?,
            };
            match result {
                (Verdict::Unknown(why), true) => return Ok(Ok(Verdict::Unknown(why))),
                (Verdict::Unknown(why), false) => unknown = Some(why),
                (verdict, _) => return Ok(Ok(verdict)),
            }
        }
        let unknown = unknown.ok_or(EngineError::Bug("nothing was tried".to_string()));
        Ok(unknown.map(Verdict::Unknown))
    }

    /// One search and what its cells show; whether another search could show more is told too.
    fn attempt(
        &self,
        attempt: Attempt,
        watched: &[Watched],
        bad: &[StateCube],
        dead: &Dead,
        run: &mut Run<'_>,
    ) -> Result<(Verdict, bool), Exhausted> {
        // The rest of the time is for further searches and for the evidence.
        let mut budget = run.budget.clone();
        if let Some(rest) = budget.remaining() {
            budget = budget.with_time(rest / 2);
        }
        // Beyond the exact states a forbidden one proves nothing, and the search must go on.
        let exact = !matches!(attempt.precision, Precision::Widened(_));
        let stops = if exact { bad } else { &[] };
        let reached = reach(
            self.program,
            dead,
            stops,
            attempt.precision,
            attempt.nodes,
            &budget,
        );
        run.count("nodes", reached.kept().count() as u64);
        if let Some(node) = reached.bad
            && let Some(trace) = self.trace(&reached, node, bad)
        {
            return Ok((Verdict::Violated(Certificate::Trace(trace)), true));
        }
        run.tell(Event::Phase { name: "cells" });
        let complete = exact && reached.stopped.is_none();
        let mut graph = CellGraph::new(self.program, &reached, watched, &budget)?;
        // Cutting cells does not help where steps are not known.
        let most = if reached.stopped.is_some() {
            1
        } else {
            attempt.rounds
        };
        let mut rounds = 0;
        loop {
            run.count("cells", graph.cells.len() as u64);
            let edges: usize = graph.edges.iter().map(Vec::len).sum();
            run.count("edges", edges as u64);
            if let Some(verdict) = self.verdict(&graph, &budget)? {
                return Ok((verdict, true));
            }
            let before = graph.cells.len();
            let room = before < self.limits.cells && rounds < most;
            if !room || !graph.refine(self.program, &|_| true, &budget)? {
                return Ok((Verdict::Unknown(self.unknown(&reached, before)), complete));
            }
            rounds += 1;
        }
    }

    fn unknown(&self, reached: &Reached, cells: usize) -> Unknown {
        let text = format!(
            "{} sets of states, cut into {cells} cells, show neither the property nor its negation",
            reached.kept().count()
        );
        match reached.stopped {
            Some(Exhausted::Steps) => Unknown::new(ReasonCode::Bounded, text)
                .hint("--set nodes=N lets the search find more sets of states"),
            Some(limit) => Unknown::new(ReasonCode::Exhausted(limit), text),
            None => Unknown::new(ReasonCode::Incomplete, text),
        }
    }

    /// The state formulas of the property and of its negation, and the initial condition.
    fn watched(&self) -> Result<Vec<Watched>, String> {
        let terms = self.program.terms;
        let parts = self.holds.parts.iter().chain(&self.fails.parts);
        let mut formulas: Vec<Term> = parts
            .filter_map(|p| match p {
                NormalPart::State(f) => Some(*f),
                _ => None,
            })
            .collect();
        formulas.push(self.system.init_formula(terms));
        formulas.sort_unstable();
        formulas.dedup();
        // A conjunction of many alternatives has few cubes in its negation, and the other way round.
        let watch = |formula: Term| {
            let yes = self.program.state_cubes(&[formula]);
            let no = self.program.state_cubes(&[terms.not(formula)]);
            let (cubes, negated) = match (yes, no) {
                (Ok(yes), Ok(no)) if yes.len() <= no.len() => (yes, false),
                (_, Ok(no)) => (no, true),
                (yes, Err(_)) => (yes?, false),
            };
            Ok(Watched {
                formula,
                cubes,
                negated,
            })
        };
        formulas.into_iter().map(watch).collect()
    }

    /// The states that must not be reached, if that is what the property says.
    fn forbidden(&self) -> Option<Term> {
        let terms = self.program.terms;
        let state = |part: usize| match self.holds.parts[part] {
            NormalPart::State(p) => Some(p),
            _ => None,
        };
        match self.holds.parts[self.holds.root()] {
            NormalPart::Weak(Paths::All, f, g) if state(g) == Some(terms.ff()) => {
                state(f).map(|p| terms.not(p))
            }
            _ => None,
        }
    }

    fn trace(
        &self,
        reached: &Reached,
        node: usize,
        bad: &[StateCube],
    ) -> Option<sectile_model::Trace> {
        let mut controls = vec![reached.nodes[node].control.clone()];
        let mut at = node;
        while let Some((parent, _)) = reached.nodes[at].parent {
            controls.push(reached.nodes[parent].control.clone());
            at = parent;
        }
        controls.reverse();
        let maker = RunMaker {
            program: self.program,
            system: self.system,
        };
        maker.run(&reached.path(node), &controls, bad)
    }

    /// The verdict that the cells allow.
    fn verdict(&self, graph: &CellGraph, budget: &Budget) -> Result<Option<Verdict>, Exhausted> {
        let init = self.system.init_formula(self.program.terms);
        let cells = 0..graph.cells.len();
        let initial: Vec<usize> = cells.filter(|&c| graph.holds(c, init)).collect();
        let labels = label(graph, self.holds, budget)?;
        let root = &labels[self.holds.root()];
        if initial.iter().all(|&c| root[c].is_some()) {
            let proof = self.maker(graph, self.holds, &labels).proof(&initial, None);
            return Ok(Some(Verdict::Holds(Certificate::Ctl(Box::new(proof)))));
        }
        let labels = label(graph, self.fails, budget)?;
        let root = &labels[self.fails.root()];
        let Some(&cell) = initial.iter().find(|&&c| root[c].is_some()) else {
            return Ok(None);
        };
        let maker = RunMaker {
            program: self.program,
            system: self.system,
        };
        let Some(start) = maker.initial_in(&graph.cells[cell]) else {
            return Ok(None);
        };
        let proof = self.maker(graph, self.fails, &labels);
        let proof = proof.proof(&[cell], Some((start.rigid, start.state)));
        Ok(Some(Verdict::Violated(Certificate::Ctl(Box::new(proof)))))
    }

    fn maker<'m>(
        &'m self,
        graph: &'m CellGraph,
        formula: &'m NormalCtl,
        labels: &'m Labels,
    ) -> ProofMaker<'m> {
        ProofMaker {
            program: self.program,
            system: self.system,
            graph,
            formula,
            labels,
        }
    }
}

/// The numbers that some formula of the property looks at.
fn numbers_in(watched: &[Watched], init: Term) -> Vec<usize> {
    let properties = watched.iter().filter(|w| w.formula != init);
    let cubes = properties.flat_map(|w| &w.cubes);
    let bounds = cubes.flat_map(|c| &c.bounds);
    let mut list: Vec<usize> = bounds.flat_map(|d| [d.left, d.right]).collect();
    list.sort_unstable();
    list.dedup();
    list
}
