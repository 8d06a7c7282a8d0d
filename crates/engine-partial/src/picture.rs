//! Pictures of abstract counterexamples and their concrete runs, for the report.

use crate::path::{Followed, Path};
use sectile_engine::{Event, Interest, Run};
use sectile_model::Model;
use sectile_terms::{NativePrinter, Term, Terms};

/// A counterexample of the abstract system, to be followed with concrete steps.
pub struct PathPicture<'p> {
    /// The store of the formulas.
    pub terms: &'p Terms,
    /// The concrete system.
    pub system: &'p Model,
    /// The path.
    pub path: Path,
    /// Number of predicates of the abstraction.
    pub predicates: usize,
}

impl PathPicture<'_> {
    /// Reports the path as a separate step: its states differ from those of the engine below.
    pub fn tell(&self, followed: &Followed, run: &mut Run<'_>) {
        if !run.wants(Interest::Steps) {
            return;
        }
        let steps = self.path.commands.len();
        run.tell(Event::Phase {
            name: "a counterexample of the abstract system is followed with concrete steps",
        });
        run.tell(Event::Abstraction {
            step: 1,
            nodes: steps + 1,
            edges: steps,
            predicates: self.predicates,
        });
        let command = |k: &usize| self.system.edges[*k].command.name.clone();
        run.tell(Event::PathFound {
            nodes: (0..=steps).collect(),
            relations: self.path.commands.iter().map(command).collect(),
        });
        let states = (0..=steps).map(|k| self.claims_at(k)).collect();
        let formula = String::new();
        run.tell(Event::PathStates { states, formula });
        match followed {
            Followed::Real(trace) => run.tell(Event::PathConcretized {
                steps: trace.steps.len(),
            }),
            Followed::Spurious(cuts) => self.tell_refuted(cuts, run),
            Followed::Open => {}
        }
    }

    /// The conditions on a state under which the path violates the property.
    fn claims_at(&self, position: usize) -> String {
        let printer = NativePrinter::new(self.terms);
        let here = self.path.claims.iter().filter(|(k, _)| *k == position);
        let here = here.map(|(_, claim)| printer.print(*claim));
        here.collect::<Vec<_>>().join(", ")
    }

    fn tell_refuted(&self, cuts: &[Term], run: &mut Run<'_>) {
        let printer = NativePrinter::new(self.terms);
        let told = |t: Term| t != self.terms.tt() && t != self.terms.ff();
        let cuts = cuts.iter().enumerate().filter(|(_, t)| told(**t));
        let interpolants: Vec<_> = cuts.map(|(k, t)| (k, printer.print(*t))).collect();
        let ends = (interpolants.first(), interpolants.last());
        let (first, last) = match ends {
            (Some((first, _)), Some((last, _))) => (first.saturating_sub(1), last + 1),
            _ => (0, self.path.commands.len()),
        };
        run.tell(Event::PathRefuted {
            first,
            last: last.min(self.path.commands.len()),
            interpolants,
        });
    }
}
