//! Labels the reached states with the parts of a property, and turns the labels into evidence.

use super::reach::Reached;
use super::stop;
use rustc_hash::FxHashMap;
use sectile_base::bdd::Bdd;
use sectile_certify::finite::Finite;
use sectile_engine::{Run, Stop, Unroller};
use sectile_model::{
    Certificate, Diagram, DiagramNode, DiagramProof, NormalCtl, NormalPart, Paths, State, Task,
};
use sectile_solver::Answer;
use sectile_terms::Value;

/// Evidence that a formula holds in all initial states, or in one of them; `None` if it does not.
pub(crate) fn proof(
    task: &Task<'_>,
    reached: &mut Reached<'_>,
    formula: &NormalCtl,
    in_all: bool,
    run: &mut Run<'_>,
) -> Result<Option<Certificate>, Stop> {
    let (within, initial) = (reached.set, reached.initial);
    let sets = labels(reached.finite()?, formula, within, run)?;
    let whole = sets[formula.root()];
    let manager = reached.finite()?.manager();
    let initial = match in_all {
        true if manager.is_subset(initial, whole) => None,
        true => return Ok(None),
        false => match manager.and(initial, whole) {
            Bdd::FALSE => return Ok(None),
            some => Some(initial_state(task, reached, some, run)?),
        },
    };
    let mut builder = Builder {
        finite: reached.finite()?,
        diagram: Diagram::default(),
        known: FxHashMap::default(),
    };
    let sets = sets.iter().map(|&set| builder.node(set)).collect();
    let mut diagram = builder.diagram;
    // The considered values of variables are recorded separately, because the sets need not depend
    // on all variables.
    for (variable, values) in reached.open_values()? {
        let children = values.into_iter().map(|v| (v, Diagram::ALL)).collect();
        diagram.add(DiagramNode { variable, children });
    }
    Ok(Some(Certificate::Diagrams(Box::new(DiagramProof {
        diagram,
        sets,
        initial,
    }))))
}

/// For every part of a formula, the states of a closed set in which it holds.
fn labels(
    finite: &mut Finite<'_>,
    formula: &NormalCtl,
    within: Bdd,
    run: &Run<'_>,
) -> Result<Vec<Bdd>, Stop> {
    let mut sets: Vec<Bdd> = Vec::with_capacity(formula.parts.len());
    for part in &formula.parts {
        let set = match *part {
            NormalPart::State(p) => {
                let states = finite.states_of(p).map_err(stop)?;
                finite.manager().and(states, within)
            }
            NormalPart::And(f, g) => finite.manager().and(sets[f], sets[g]),
            NormalPart::Or(f, g) => finite.manager().or(sets[f], sets[g]),
            NormalPart::Next(paths, f) => next(finite, paths, within, sets[f]),
            NormalPart::Until(paths, f, g) => until(finite, paths, sets[f], sets[g], run)?,
            NormalPart::Weak(Paths::All, f, g) => {
                finite.always_unless(within, sets[f], sets[g], &run.budget)?
            }
            NormalPart::Weak(Paths::Some, f, g) => possibly(finite, sets[f], sets[g], run)?,
        };
        finite.check(&run.budget)?;
        sets.push(set);
    }
    Ok(sets)
}

/// The states of a set from which all steps, or some step, lead to another set.
fn next(finite: &mut Finite<'_>, paths: Paths, within: Bdd, set: Bdd) -> Bdd {
    match paths {
        Paths::All => finite.all_next(within, set),
        Paths::Some => {
            let before = finite.some_next(set);
            finite.manager().and(within, before)
        }
    }
}

/// The least fixpoint for until.
fn until(
    finite: &mut Finite<'_>,
    paths: Paths,
    f: Bdd,
    g: Bdd,
    run: &Run<'_>,
) -> Result<Bdd, Stop> {
    if paths == Paths::Some {
        return Ok(finite.leading_to(g, f, &run.budget)?);
    }
    let steps = finite.with_a_step();
    let within = finite.manager().and(f, steps);
    let mut found = g;
    loop {
        let before = finite.all_next(within, found);
        let more = finite.manager().or(found, before);
        finite.check(&run.budget)?;
        if more == found {
            return Ok(found);
        }
        found = more;
    }
}

/// The greatest fixpoint for weak until on some path.
fn possibly(finite: &mut Finite<'_>, f: Bdd, g: Bdd, run: &Run<'_>) -> Result<Bdd, Stop> {
    let ends = finite.without_a_step(f);
    let fixed = finite.manager().or(g, ends);
    let mut found = finite.manager().or(f, g);
    loop {
        let inside = finite.manager().and(f, found);
        let stays = next(finite, Paths::Some, inside, found);
        let fewer = finite.manager().or(stays, fixed);
        finite.check(&run.budget)?;
        if fewer == found {
            return Ok(found);
        }
        found = fewer;
    }
}

/// An initial state of a set, with values of all variables.
fn initial_state(
    task: &Task<'_>,
    reached: &mut Reached<'_>,
    set: Bdd,
    run: &Run<'_>,
) -> Result<(Vec<Value>, State), Stop> {
    let (terms, system) = (task.terms, reached.system);
    let missing = || Stop::bug("a set that is not empty has a state");
    let state = reached.finite()?.some_state(set).ok_or_else(missing)?;
    let unroller = Unroller::new(terms, system);
    let mut question = vec![unroller.start()];
    for (symbol, value) in &state {
        let here = terms.eq(terms.var(*symbol), value.to_term(terms));
        question.push(unroller.at(here, 0));
    }
    let mut solver = run.backend.solver(terms)?;
    match solver.check(&question, &run.budget)? {
        Answer::Sat(model) => {
            let trace = unroller.trace(model, 0)?;
            let state = trace.states.into_iter().next().ok_or_else(missing)?;
            Ok((trace.rigid, state))
        }
        Answer::Unsat(_) => Err(Stop::incomplete(
            "no initial state agrees with the state that was found",
        )),
        Answer::Unknown(why) => Err(why.into()),
    }
}

/// Converts sets to nodes of the diagram in the evidence.
struct Builder<'b, 't> {
    finite: &'b Finite<'t>,
    diagram: Diagram,
    known: FxHashMap<Bdd, usize>,
}

impl Builder<'_, '_> {
    /// The node of a set. The recursion depth is the number of variables.
    fn node(&mut self, set: Bdd) -> usize {
        let known = self.known.get(&set).copied();
        let Some((variable, cases)) = known.is_none().then(|| self.finite.cases(set)).flatten()
        else {
            let constant = match set {
                Bdd::TRUE => Diagram::ALL,
                _ => Diagram::EMPTY,
            };
            return known.unwrap_or(constant);
        };
        let mut children = Vec::new();
        for (value, child) in cases {
            if child != Bdd::FALSE {
                children.push((value, self.node(child)));
            }
        }
        let number = self.diagram.add(DiagramNode { variable, children });
        self.known.insert(set, number);
        number
    }
}
