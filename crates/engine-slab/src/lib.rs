//! Slicing abstractions: an explicit abstraction that grows by splitting single nodes with
//! interpolants and shrinks by slicing, until it is empty or has a real error path.
//!
//! It needs no control flow: any transition system will do, concurrent or with infinite control.
//! When the slice is empty, the removed nodes give an inductive invariant.
//!
//! | definition | where | paper |
//! |---|---|---|
//! | relations, guarded assignments | `relation` | [BrDrFiWe07, Sect. 3] |
//! | abstraction, split | `abstraction` | [BrDrFiWe07, Def. 1, Sect. 6.1] |
//! | initial abstraction | `four_nodes` | [BrDrFiWe07, Def. 2] |
//! | slicing: inconsistent, empty, unreachable | `slice` | [BrDrFiWe07, Sect. 5] |
//! | live variables, dependence, simplification | `live` | [BrDrFiWe07, Sect. 5] |
//! | bypassing | `bypass` | [BrDrFiWe07, Sect. 5] |
//! | error paths, minimal spurious parts | `path` | [BrDrFiWe07, Sect. 6.2] |
//! | interpolants, refinement | `refine` | [BrDrFiWe07, Sect. 6.2] |
//! | the loop | `rounds` | [BrDrFiWe07, Sect. 6] |
//! | splits that the user chooses, path slicing | `guided`, `path_slice` | [BrDrFiWe07, Sect. 2] |
//! | the proof as a diagram | `diagram` | |
//!
//! Not in the paper: lemmas that are guessed first (`seeds`) or come from a smaller instance
//! (`transfer`), one loop for every disjunct of the error as the first error (`first_error`),
//! inheritance of concrete steps (`refine`), the syntactic test (`syntactic`), and invariants
//! (`proof`). Each has an option (`config`).

mod abstraction;
mod bypass;
mod config;
mod diagram;
mod disjunct;
mod first_error;
mod four_nodes;
mod guided;
mod live;
#[cfg(test)]
mod operations_tests;
mod path;
mod path_slice;
mod proof;
mod question;
mod reduce;
mod refine;
mod relation;
mod rounds;
mod search;
mod seeds;
mod slice;
mod syntactic;
mod transfer;

use config::Config;
use question::{Progress, Question};
use sectile_engine::symmetry;
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, Stop, safety_question};
use sectile_model::{Task, Unknown, Verdict};
use sectile_terms::{NativePrinter, Terms};

/// Slicing abstractions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slab;

impl Engine for Slab {
    fn info(&self) -> Info {
        Info {
            name: "slab",
            summary: "slicing abstractions: splits nodes by interpolants, slices until empty",
            papers: &["BrDrFiWe07"],
            accepts: Accepts {
                functions: true,
                ..Accepts::SYSTEMS
            },
            uses_predicates: true,
            uses_lemmas: true,
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let config = Config::chosen(run.settings)?;
        let question = Question {
            terms: task.terms,
            system: asked.system,
            bad: asked.bad,
            config: &config,
            predicates: run.predicates,
            lemmas: run.lemmas,
        };
        let mut progress = Progress::default();
        let ended = question.decide(&mut progress, run);
        let counters = &progress.counters;
        for (name, value) in [
            ("iterations", counters.iterations),
            ("splits", counters.splits),
            ("edge_checks", counters.edge_checks),
            ("edge_checks_quick", counters.quick),
            ("edges_inherited", counters.inherited),
            ("bypassed", counters.bypassed),
            ("simplified", counters.simplified),
            ("left_out", counters.left_out),
        ] {
            run.count(name, value);
        }
        ended.or_else(|stop| explain(task.terms, stop, &progress).map(Verdict::Unknown))
    }
}

/// The `unknown` with the partial results.
fn explain(terms: &Terms, stop: Stop, progress: &Progress) -> Result<Unknown, EngineError> {
    let counters = &progress.counters;
    let mut reached = format!(
        "{} of {} disjuncts of the error are excluded, after {} refinements",
        progress.done, progress.parts, counters.iterations
    );
    // The newest predicates, to show the trend.
    let newest = counters.predicates.iter().rev().take(3).rev();
    let printer = NativePrinter::new(terms);
    let newest: Vec<String> = newest.map(|&p| printer.print(p)).collect();
    if !newest.is_empty() {
        let newest = newest.join(", ");
        reached.push_str(&format!("; the newest predicates are {newest}"));
    }
    stop.unknown(reached)
}
