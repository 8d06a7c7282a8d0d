//! The main procedure: from a task to a verdict.

use crate::cells::{CellGraph, Watched, turned_sources};
use crate::cuts::{Cut, Cutter};
use crate::label::{Labelled, Labels, label};
use crate::live::Dead;
use crate::picture::Story;
use crate::proof::{Evidence, Target};
use crate::reach::{ForwardSearch, Precision, Question, Reached};
use crate::symmetry::{Layout, STAY, Symmetry};
use crate::unturn::unturned;
use crate::{Exchanges, Limits, Sets};
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::{Control, Program, StateCube};
use sectile_domains::guarded::run::RunMaker;
use sectile_domains::poly::Poly;
use sectile_domains::zone::Zone;
use sectile_engine::{EngineError, Event, Run};
use sectile_model::{
    Certificate, Model, NormalCtl, NormalPart, Paths, ReasonCode, Task, Unknown, Verdict,
};
use sectile_terms::Term;
use std::time::Duration;

/// Decides a task, or reports the progress.
pub fn decide(task: &Task<'_>, run: &mut Run<'_>, limits: Limits) -> Result<Verdict, EngineError> {
    let kind = &task.property.kind;
    let normal = |positive| NormalCtl::of_property(task.terms, kind, positive);
    let (Some(holds), Some(fails)) = (normal(true), normal(false)) else {
        return Ok(refused("it takes no locations in formulas"));
    };
    let formulas = (&holds, &fails);
    let decided = match limits.domain {
        Sets::Zones => decide_with::<Zone>(task, formulas, limits, run),
        Sets::Polyhedra => decide_with::<Poly>(task, formulas, limits, run),
        Sets::Chosen => decide_with::<Zone>(task, formulas, limits, run)
            .and_then(expressed)
            .or_else(|_| decide_with::<Poly>(task, formulas, limits, run)),
    };
    Ok(decided.unwrap_or_else(|why| refused_or_ended(&why, run)))
}

/// The verdict if a task cannot be expressed, or was not decided within the limits.
pub fn refused_or_ended(why: &str, run: &Run<'_>) -> Verdict {
    match run.budget.check() {
        Err(limit) => Verdict::Unknown(Unknown::new(ReasonCode::Exhausted(limit), why)),
        Ok(()) => refused(why),
    }
}

/// Turns an unsupported task into an error, so that another domain can be tried.
fn expressed(verdict: Verdict) -> Result<Verdict, String> {
    match verdict {
        Verdict::Unknown(why) if why.code == ReasonCode::Unsupported => Err(why.reached),
        verdict => Ok(verdict),
    }
}

/// The verdict, if the domain can express the formulas of the property.
fn decide_with<D: Domain>(
    task: &Task<'_>,
    (holds, fails): (&NormalCtl, &NormalCtl),
    limits: Limits,
    run: &mut Run<'_>,
) -> Result<Verdict, String> {
    let system = task.model;
    let program = &Program::<D>::new(task, system, &run.budget)?;
    let layout = Layout {
        control: &program.control,
        numeric: &program.numeric,
    };
    let terms = program.terms;
    let with = |least| Symmetry::of(terms, system, layout, &[holds, fails], least);
    let symmetry = match limits.exchanges {
        Exchanges::Nowhere => Symmetry::none(terms, system, layout),
        Exchanges::Some => with(2),
        Exchanges::Many => with(3),
    };
    let work = Work {
        symmetry: &symmetry,
        system,
        program,
        holds,
        fails,
        limits,
    };
    let watched = work.watched()?;
    Ok(work.run(&watched, run).unwrap_or_else(|limit| {
        let code = ReasonCode::Exhausted(limit);
        Verdict::Unknown(Unknown::new(code, "the cells were not complete"))
    }))
}

/// The verdict if something cannot be expressed.
pub fn refused(why: &str) -> Verdict {
    Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why))
}

/// The parameters of one forward search.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The treatment of sets with the same control.
    pub precision: Precision,
    /// Whether numbers that grew in an earlier search may start anywhere.
    pub adrift: bool,
    /// Maximum number of rounds of cutting cells.
    rounds: usize,
}

impl Attempt {
    /// Whether the search is exact, so that all found states are reachable.
    fn is_exact(self) -> bool {
        !self.adrift && !matches!(self.precision, Precision::Widened(_))
    }
}

/// In order: exactly, until numbers seem to diverge; then with arbitrary start values for these;
/// then with widening; then exactly again, within the limits.
fn attempts<D: Domain>(program: &Program<'_, D>) -> Vec<Attempt> {
    let attempt = |precision, rounds| Attempt {
        precision,
        adrift: false,
        rounds,
    };
    let variables = i64::try_from(program.numeric.len()).unwrap_or(i64::MAX);
    let largest = program.largest.to_i64().unwrap_or(0);
    let grown = largest.saturating_add(2 * variables + ROOM);
    vec![
        attempt(Precision::ExactUpTo(grown), usize::MAX),
        Attempt {
            adrift: true,
            ..attempt(Precision::ExactUpTo(grown), 10)
        },
        attempt(Precision::Widened(5), 10),
        attempt(Precision::Widened(12), 10),
        attempt(Precision::Exact, usize::MAX),
    ]
}

/// The result of examining the cells.
enum Examination {
    /// A verdict.
    Decided(Verdict),
    /// Undecided; these cuts may help.
    Open(Vec<Cut>),
}

/// The labels of a property and of its negation.
type BothLabels = Box<(Labelled, Labelled)>;

/// The uses of rankings.
#[derive(Clone, Copy)]
struct Ranking {
    /// For labelling cells. If steps are unknown, that is hardly worth the time.
    labels: bool,
    /// For cutting cells if labelling fails.
    cuts: bool,
}

/// Maximum number of rounds of cuts for rankings and for infinite cycles.
const MOST_CUT_ROUNDS: usize = 12;

/// The index of the property among its formulas.
const HOLDS: usize = 0;
/// The index of its negation.
const FAILS: usize = 1;

/// How long the first search may take before the others have a turn; then all have four times as
/// long. Where numbers grow for ever, the first search does not end; elsewhere it decides.
const FIRST_SEARCH: Duration = Duration::from_millis(100);

/// How far numbers may exceed those of the program before they count as diverging.
const ROOM: i64 = 12;

/// The common input of all searches.
struct Given<'g, D: Domain> {
    watched: &'g [Watched<D>],
    /// The forbidden states.
    bad: &'g [StateCube<D>],
    dead: &'g Dead,
}

struct Work<'w, D: Domain> {
    symmetry: &'w Symmetry<'w>,
    system: &'w Model,
    program: &'w Program<'w, D>,
    holds: &'w NormalCtl,
    fails: &'w NormalCtl,
    limits: Limits,
}

impl<D: Domain> Work<'_, D> {
    fn run(&self, watched: &[Watched<D>], run: &mut Run<'_>) -> Result<Verdict, Exhausted> {
        let bad = match self.forbidden().map(|f| self.program.state_cubes(&[f])) {
            Some(Ok(cubes)) => cubes,
            // Then violations are found on the cells.
            None | Some(Err(_)) => Vec::new(),
        };
        run.tell(Event::Phase { name: "forwards" });
        let init = self.system.init_formula(self.program.terms);
        let dead = Dead::new(self.program, &numbers_in(watched, init));
        let mut last = Verdict::Unknown(Unknown::new(ReasonCode::Incomplete, "nothing was tried"));
        let mut grown = Vec::new();
        let given = Given {
            watched,
            bad: &bad,
            dead: &dead,
        };
        let begin = |attempt: Attempt| (attempt, None);
        let mut open: Vec<_> = attempts(self.program).into_iter().map(begin).collect();
        let mut longest = FIRST_SEARCH;
        while !open.is_empty() {
            let mut again = Vec::new();
            for (place, (attempt, begun)) in open.into_iter().enumerate() {
                if attempt.adrift && grown.is_empty() {
                    continue;
                }
                let mut search = begun.unwrap_or_else(|| self.search(attempt, &given, &grown));
                // The first one decides most properties.
                let longest = if place == 0 { longest } else { longest / 4 };
                let budget = run.share(2, Some(longest));
                let result = self.attempt(attempt, &given, &mut search, &budget, run);
                grown = self.symmetry.closed(&search.reached.grown);
                // The numbers that may start anywhere depend on what has grown by then.
                let search = Some(search).filter(|_| !attempt.adrift);
                last = match result {
                    Ok((verdict, true)) => return Ok(verdict),
                    Ok((unknown, false)) => {
                        // A search that was stopped by a limit may find more later.
                        if budget.check().is_err() {
                            again.push((attempt, search));
                        }
                        unknown
                    }
                    Err(limit) if run.budget.check().is_err() => return Err(limit),
                    Err(limit) => {
                        again.push((attempt, search));
                        let code = ReasonCode::Exhausted(limit);
                        let text = "the cells of one search were not complete";
                        Verdict::Unknown(Unknown::new(code, text))
                    }
                };
                run.budget.check()?;
            }
            open = again;
            longest = longest.saturating_mul(4);
        }
        Ok(last)
    }

    /// A new search.
    fn search<'g>(
        &'g self,
        attempt: Attempt,
        given: &Given<'g, D>,
        grown: &[usize],
    ) -> ForwardSearch<'g, D> {
        ForwardSearch::new(Question {
            program: self.program,
            dead: given.dead,
            symmetry: self.symmetry,
            // In an over-approximation a forbidden state proves nothing, and the search must
            // continue.
            bad: if attempt.is_exact() { given.bad } else { &[] },
            precision: attempt.precision,
            adrift: if attempt.adrift {
                grown.to_vec()
            } else {
                Vec::new()
            },
            most: self.limits.nodes,
        })
    }

    /// Continues a search, and examines its cells; also returns whether the result is final,
    /// because another search would not show more.
    fn attempt(
        &self,
        attempt: Attempt,
        given: &Given<'_, D>,
        search: &mut ForwardSearch<'_, D>,
        budget: &Budget,
        run: &mut Run<'_>,
    ) -> Result<(Verdict, bool), Exhausted> {
        let Given { watched, bad, .. } = *given;
        search.go_on(budget);
        let reached = &search.reached;
        run.count("nodes", reached.kept().count() as u64);
        let mut story = Story::new(self.program, self.system, reached, watched.len());
        story.search(&attempt, run);
        if let Some(node) = reached.bad
            && let Some(trace) = self.trace(reached, node, bad)
        {
            return Ok((Verdict::Violated(Certificate::Trace(trace)), true));
        }
        run.tell(Event::Phase { name: "cells" });
        let complete = attempt.is_exact() && reached.stopped.is_none();
        let mut graph = CellGraph::new(self.program, self.symmetry, reached, watched, budget)?;
        // Cutting cells does not help if steps are unknown.
        let most = if reached.stopped.is_some() {
            1
        } else {
            attempt.rounds
        };
        let (mut rounds, mut cut_rounds) = (0, 0);
        let init = self.system.init_formula(self.program.terms);
        let mut why = "The conditions of the property cut the sets";
        loop {
            run.count("cells", graph.cells.len() as u64);
            let edges: usize = graph.edges.iter().map(Vec::len).sum();
            run.count("edges", edges as u64);
            let ranking = Ranking {
                labels: reached.stopped.is_none(),
                cuts: cut_rounds < MOST_CUT_ROUNDS,
            };
            story.cut(&graph, init, why, run);
            let cuts = match self.verdict(&graph, ranking, budget, &mut story, run)? {
                Examination::Decided(verdict) => return Ok((verdict, true)),
                Examination::Open(cuts) => cuts,
            };
            if !cuts.is_empty() {
                match graph.cut(self.program, &cuts, budget)? {
                    Ok(true) => {
                        cut_rounds += 1;
                        why = "Numbers that fall, or cycles that go on, cut the cells";
                        continue;
                    }
                    Ok(false) => cut_rounds = MOST_CUT_ROUNDS,
                    Err(why) => return Ok((refused(&why), true)),
                }
            }
            let before = graph.cells.len();
            let room = before < self.limits.cells && rounds < most;
            if !room || !graph.refine(self.program, budget)? {
                return Ok((Verdict::Unknown(self.unknown(reached, before)), complete));
            }
            rounds += 1;
            why = "Steps that only some states of a cell can take cut the cells";
        }
    }

    fn unknown(&self, reached: &Reached<D>, cells: usize) -> Unknown {
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
    fn watched(&self) -> Result<Vec<Watched<D>>, String> {
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
        // A conjunction of many alternatives has few cubes in its negation, and vice versa.
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

    /// The states that must not be reached, if the property is an invariant.
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
        reached: &Reached<D>,
        node: usize,
        bad: &[StateCube<D>],
    ) -> Option<sectile_model::Trace> {
        let path = reached.path(node);
        let start = match path.first() {
            Some(&(_, first)) => reached.nodes[first].parent?.0,
            None => node,
        };
        let nodes = || [start].into_iter().chain(path.iter().map(|(_, n)| *n));
        let controls = nodes().map(|n| reached.nodes[n].control.clone());
        let controls: Vec<Control> = controls.collect();
        let turns: Vec<usize> = nodes().skip(1).map(|n| reached.nodes[n].turn).collect();
        let sources = path.iter().zip(&turns).map(|(&(case, _), &turn)| {
            let case = &self.program.cases[case];
            turned_sources(&self.symmetry.turn(turn), turn, &case.sources)
        });
        let sources: Vec<_> = sources.collect();
        let cases = path.iter().map(|&(case, _)| &self.program.cases[case]);
        let steps: Vec<_> = cases.zip(sources.iter().map(|s| &s[..])).collect();
        let trace = self.maker().run_along(&steps, &controls, bad)?;
        unturned(self.symmetry, self.system, trace, &turns)
    }

    fn maker(&self) -> RunMaker<'_, D> {
        RunMaker {
            program: self.program,
            system: self.system,
        }
    }

    /// The verdict from the cells, or cuts.
    fn verdict(
        &self,
        graph: &CellGraph<'_, D>,
        ranking: Ranking,
        budget: &Budget,
        story: &mut Story<'_, D>,
        run: &mut Run<'_>,
    ) -> Result<Examination, Exhausted> {
        let init = self.system.init_formula(self.program.terms);
        let cells = 0..graph.cells.len();
        let initial: Vec<usize> = cells.filter(|&c| graph.holds(c, init)).collect();
        // Rankings take long to find, and are needed only if cells alone are not enough.
        let mut shown = self.shown(graph, &initial, false, budget, story, run)?;
        if ranking.labels && shown.is_err() {
            shown = self.shown(graph, &initial, true, budget, story, run)?;
        }
        let (mut holds, fails) = match shown {
            Ok(verdict) => return Ok(Examination::Decided(verdict)),
            Err(labels) => *labels,
        };
        let holding = &holds.labels[self.holds.root()];
        story.open(holding, &fails.labels[self.fails.root()], run);
        if !ranking.cuts {
            return Ok(Examination::Open(Vec::new()));
        }
        let cutter = Cutter {
            program: self.program,
            graph,
            doubtful: holding.iter().map(Option::is_none).collect(),
            initial: &initial,
            budget,
        };
        holds.unranked.extend(fails.unranked);
        Ok(Examination::Open(cutter.cuts(&holds.unranked)?))
    }

    /// The verdict from the labels of the cells, with or without rankings; if there is none, the
    /// labels of the property and of its negation.
    fn shown(
        &self,
        graph: &CellGraph<'_, D>,
        initial: &[usize],
        ranking: bool,
        budget: &Budget,
        story: &mut Story<'_, D>,
        run: &mut Run<'_>,
    ) -> Result<Result<Verdict, BothLabels>, Exhausted> {
        let labelled =
            |formula, number| label(self.program, graph, formula, number, ranking, budget);
        let holds = labelled(self.holds, HOLDS)?;
        let holding = &holds.labels[self.holds.root()];
        if initial.iter().all(|&c| holding[c].is_some()) {
            story.fixpoints(self.holds, &holds, run);
            let starts = self.starts(graph, initial);
            let evidence = self.evidence(graph, HOLDS, &holds.labels);
            let certificate = Certificate::Ctl(Box::new(evidence.proof(&starts, None)));
            return Ok(Ok(Verdict::Holds(certificate)));
        }
        let fails = labelled(self.fails, FAILS)?;
        let failing = &fails.labels[self.fails.root()];
        let start = initial.iter().find(|&&c| failing[c].is_some());
        let maker = self.maker();
        let start = start.and_then(|&c| {
            let set = &graph.cells[c];
            let point = maker.initial_in(&set.control, &set.set);
            point.map(|point| (c, set, point))
        });
        let Some((cell, set, point)) = start else {
            return Ok(Err(Box::new((holds, fails))));
        };
        story.fixpoints(self.fails, &fails, run);
        let start = maker.located(&set.control, &point);
        let evidence = self.evidence(graph, FAILS, &fails.labels);
        let certificate = match evidence.run(cell, point) {
            Some(trace) => Certificate::Trace(trace),
            None => {
                let start = Some((start.rigid, start.state));
                Certificate::Ctl(Box::new(evidence.proof(&[(cell, STAY)], start)))
            }
        };
        Ok(Ok(Verdict::Violated(certificate)))
    }

    /// The initial cells with the turns that led to them.
    fn starts(&self, graph: &CellGraph<'_, D>, initial: &[usize]) -> Vec<Target> {
        let mut found = Vec::new();
        for (control, turn) in &graph.starts {
            let there = initial.iter();
            let there = there.filter(|&&c| graph.cells[c].control == *control);
            found.extend(there.map(|&c| (c, *turn)));
        }
        found
    }

    fn evidence<'m>(
        &'m self,
        graph: &'m CellGraph<'m, D>,
        number: usize,
        labels: &'m Labels,
    ) -> Evidence<'m, D> {
        Evidence {
            number,
            program: self.program,
            system: self.system,
            graph,
            formula: [self.holds, self.fails][number],
            labels,
        }
    }
}

/// The numbers in formulas of the property.
fn numbers_in<D: Domain>(watched: &[Watched<D>], init: Term) -> Vec<usize> {
    let properties = watched.iter().filter(|w| w.formula != init);
    let cubes = properties.flat_map(|w| &w.cubes);
    let mut list: Vec<usize> = cubes.flat_map(|c| c.reads.iter().copied()).collect();
    list.sort_unstable();
    list.dedup();
    list
}
