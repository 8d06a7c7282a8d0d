//! Pictures of the abstract states.

use crate::system::{AbstractPath, AbstractSystem, Reach};
use sectile_domains::bdd::{Bdd, Tuple};
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run};
use sectile_terms::NativePrinter;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of states in a picture: every edge needs an image.
const LARGEST: usize = 120;

/// Numbers of abstract states across rounds: a state keeps its number until a new predicate splits
/// it.
#[derive(Default)]
pub(crate) struct Drawing {
    numbers: BTreeMap<Tuple, usize>,
    next: usize,
    /// Whether the states of this round are numbered.
    drawn: bool,
}

impl Drawing {
    /// Reports the reached states and the steps between them, to observers that want pictures.
    pub fn tell(
        &mut self,
        step: u64,
        system: &mut AbstractSystem<'_>,
        reach: &Reach,
        bad: Bdd,
        run: &mut Run<'_>,
    ) {
        let count = system.alpha.space().count(&system.manager, reach.all);
        self.drawn = run.wants(Interest::Pictures) && count <= LARGEST as f64;
        if !self.drawn {
            return;
        }
        let states = system.states(reach.all, LARGEST);
        self.refine(system, &states, run);
        for state in &states {
            self.number(state);
        }
        let picture = Picture {
            step,
            title: match step {
                1 => "first abstraction".to_string(),
                _ => "abstraction with more predicates".to_string(),
            },
            nodes: states.iter().map(|s| self.node(system, s, bad)).collect(),
            edges: self.edges(system, reach, bad),
        };
        run.tell(Event::Picture(Box::new(picture)));
    }

    /// The numbers of the states of a path, or their positions if there is no picture.
    pub fn path(&self, path: &AbstractPath) -> Vec<usize> {
        let states = path.states.iter().enumerate();
        let known = |(k, s): (usize, &Tuple)| match self.drawn {
            true => self.numbers.get(s).copied().unwrap_or(k),
            false => k,
        };
        states.map(known).collect()
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn number(&mut self, state: &Tuple) -> usize {
        match self.numbers.get(state) {
            Some(&number) => number,
            None => {
                let number = self.fresh();
                self.numbers.insert(state.clone(), number);
                number
            }
        }
    }

    /// Splits the states of the previous round by the new predicates, one after the other.
    fn refine(&mut self, system: &AbstractSystem<'_>, states: &[Tuple], run: &mut Run<'_>) {
        let printer = NativePrinter::new(system.terms());
        let known = self.numbers.keys().next().map_or(0, Vec::len);
        let variables = system.alpha.variables();
        for at in known..variables.len() {
            let old = std::mem::take(&mut self.numbers);
            for (prefix, number) in old {
                let parts = states.iter().filter(|s| s.starts_with(&prefix));
                let values: BTreeSet<usize> = parts.map(|s| s[at]).collect();
                let values: Vec<usize> = values.into_iter().collect();
                let part = |value: usize| [prefix.as_slice(), &[value]].concat();
                match values[..] {
                    [only] => {
                        self.numbers.insert(part(only), number);
                    }
                    [one, other] => {
                        // The last value of a predicate is true.
                        let halves = [self.fresh(), self.fresh()];
                        self.numbers.insert(part(other), halves[0]);
                        self.numbers.insert(part(one), halves[1]);
                        run.tell(Event::Split {
                            node: number,
                            halves,
                            predicate: printer.print(variables[at].meanings[other]),
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    fn node(&self, system: &mut AbstractSystem<'_>, state: &Tuple, bad: Bdd) -> PictureNode {
        let printer = NativePrinter::new(system.terms());
        let variables = system.alpha.variables().iter().zip(state);
        let label = variables.map(|(v, &k)| printer.print(v.meanings[k]));
        let space = system.alpha.space();
        PictureNode {
            id: self.numbers.get(state).copied().unwrap_or_default(),
            label: label.collect(),
            initial: space.contains(&system.manager, system.initial, state),
            error: space.contains(&system.manager, bad, state),
            labelled: false,
            removed: None,
        }
    }

    /// The steps between the states; none from the last ones if these are errors, because those are
    /// not computed.
    fn edges(&self, system: &mut AbstractSystem<'_>, reach: &Reach, bad: Bdd) -> Vec<PictureEdge> {
        let mut edges = Vec::new();
        for &layer in &reach.layers {
            if system.manager.and(layer, bad) != Bdd::FALSE {
                break;
            }
            for state in system.states(layer, LARGEST) {
                let from = self.numbers.get(&state).copied().unwrap_or_default();
                let set = system
                    .alpha
                    .space()
                    .tuple(&mut system.manager, &state, false);
                for k in 0..system.transitions.len() {
                    let image = system.post(set, k);
                    let image = system.manager.and(image, reach.all);
                    let relation = system.transitions[k].name.clone();
                    for target in system.states(image, LARGEST) {
                        edges.push(PictureEdge {
                            from,
                            to: self.numbers.get(&target).copied().unwrap_or_default(),
                            relation: relation.clone(),
                            removed: None,
                        });
                    }
                }
            }
        }
        edges
    }
}
