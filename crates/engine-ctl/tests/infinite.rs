//! Formulas over infinite paths, against their meaning on the states of random finite systems.
#![allow(clippy::unwrap_used)]

use sectile_certify::Claim;
use sectile_engine_ctl::CtlZones;
use sectile_model::{Ctl, Model, PropertyKind};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};
use sectile_testkit::systems::{HIGH, checked, example, verdict_of};

/// All states with their steps.
struct Graph<'g> {
    terms: &'g Terms,
    system: &'g Model,
    states: Vec<Vec<Value>>,
    next: Vec<Vec<usize>>,
    /// Where an infinite path starts.
    infinite: Vec<bool>,
}

impl<'g> Graph<'g> {
    fn new(terms: &'g Terms, system: &'g Model) -> Graph<'g> {
        let mut states = Vec::new();
        for b in [false, true] {
            for x in 0..=HIGH {
                for y in 0..=HIGH {
                    states.push(vec![
                        Value::Bool(b),
                        Value::Int(x.into()),
                        Value::Int(y.into()),
                    ]);
                }
            }
        }
        let mut graph = Graph {
            terms,
            system,
            states,
            next: Vec::new(),
            infinite: Vec::new(),
        };
        let step = system.transition_formula(terms);
        let all = 0..graph.states.len();
        let leads = |i: usize, j: usize| graph.holds(step, i, j);
        graph.next = all
            .clone()
            .map(|i| all.clone().filter(|&j| leads(i, j)).collect())
            .collect();
        graph.infinite = greatest(vec![true; graph.states.len()], &graph.next);
        graph
    }

    fn holds(&self, formula: Term, now: usize, next: usize) -> bool {
        let value = |symbol: Symbol, stage: Stage| {
            let at = self.system.variables.iter().position(|s| *s == symbol)?;
            let state = if stage == Stage::Now { now } else { next };
            Some(self.states[state][at].clone())
        };
        evaluate(self.terms, formula, &value).unwrap() == Value::Bool(true)
    }

    /// Where the formula holds, if paths are infinite ones.
    fn meaning(&self, formula: &Ctl) -> Vec<bool> {
        let arguments: Vec<Vec<bool>> = formula
            .arguments()
            .into_iter()
            .map(|f| self.meaning(f))
            .collect();
        let a = || arguments[0].clone();
        let b = || arguments[1].clone();
        let top = || vec![true; self.states.len()];
        match formula {
            Ctl::State(p) => (0..self.states.len())
                .map(|i| self.holds(*p, i, i))
                .collect(),
            Ctl::At(_) => panic!("no locations"),
            Ctl::Not(_) => not(a()),
            Ctl::And(..) => both(a(), &b()),
            Ctl::Or(..) => not(both(not(a()), &not(b()))),
            Ctl::Ex(_) => self.next_in(&a()),
            Ctl::Ax(_) => not(self.next_in(&not(a()))),
            Ctl::Ef(_) => self.until(&top(), &a()),
            Ctl::Ag(_) => not(self.until(&top(), &not(a()))),
            Ctl::Eg(_) => self.always(a()),
            Ctl::Af(_) => not(self.always(not(a()))),
            Ctl::Eu(..) => self.until(&a(), &b()),
            Ctl::Ew(..) => self.weak(&a(), &b()),
            Ctl::Au(..) => not(self.weak(&not(b()), &both(not(a()), &not(b())))),
            Ctl::Aw(..) => not(self.until(&not(b()), &both(not(a()), &not(b())))),
        }
    }

    fn next_in(&self, set: &[bool]) -> Vec<bool> {
        let found = |n: &Vec<usize>| n.iter().any(|&j| set[j] && self.infinite[j]);
        self.next.iter().map(found).collect()
    }

    fn until(&self, f: &[bool], g: &[bool]) -> Vec<bool> {
        let mut found = both(g.to_vec(), &self.infinite);
        loop {
            let before = found.clone();
            for i in 0..found.len() {
                found[i] |= f[i] && self.next[i].iter().any(|&j| before[j]);
            }
            if found == before {
                return found;
            }
        }
    }

    fn always(&self, f: Vec<bool>) -> Vec<bool> {
        greatest(f, &self.next)
    }

    fn weak(&self, f: &[bool], g: &[bool]) -> Vec<bool> {
        let always = self.always(f.to_vec());
        not(both(not(always), &not(self.until(f, g))))
    }
}

fn not(mut set: Vec<bool>) -> Vec<bool> {
    set.iter_mut().for_each(|b| *b = !*b);
    set
}

fn both(mut set: Vec<bool>, other: &[bool]) -> Vec<bool> {
    set.iter_mut().zip(other).for_each(|(a, b)| *a &= b);
    set
}

/// The states of a set from which some path stays in it for ever.
fn greatest(mut set: Vec<bool>, next: &[Vec<usize>]) -> Vec<bool> {
    loop {
        let before = set.clone();
        for i in 0..set.len() {
            set[i] &= next[i].iter().any(|&j| before[j]);
        }
        if set == before {
            return set;
        }
    }
}

#[test]
fn formulas_over_infinite_paths_mean_what_they_say() {
    let (mut holds, mut violated, mut different) = (0, 0, 0);
    for seed in 0..700 {
        let mut example = example(seed, seed % 3 == 0);
        let maximal = example.expected;
        let PropertyKind::Ctl(formula) = example.property.kind.clone() else {
            panic!("a formula");
        };
        let system = example.model.clone();
        let graph = Graph::new(&example.terms, &system);
        let meaning = graph.meaning(&formula);
        let init = system.init_formula(&example.terms);
        let mut starts = (0..meaning.len()).filter(|&i| graph.holds(init, i, i));
        let expected = match starts.all(|i| meaning[i]) {
            true => Claim::Holds,
            false => Claim::Violated,
        };
        drop(graph);
        let rewritten = formula.over_infinite_paths(&example.terms);
        example.property.kind = PropertyKind::Ctl(rewritten);
        example.expected = expected;
        let verdict = verdict_of(&CtlZones, &example.task(), &[]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
        different += usize::from(expected != maximal);
    }
    assert!(holds > 50 && violated > 50 && different > 5);
}
