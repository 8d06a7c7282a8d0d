//! A deliberately simple second implementation for finite systems: all combinations of values
//! are states, steps are found by evaluating whole formulas, CTL by plain iteration.

use super::check::holds;
use sectile_model::{Command, Ctl, Model, State};
use sectile_terms::{Sort, Symbol, Term, Terms, Value};

/// The reachable part of a system, with numbers in `low..=high`.
pub struct Naive {
    pub states: Vec<State>,
    pub initial: usize,
    /// Successors by command.
    pub steps: Vec<Vec<(usize, usize)>>,
    pub depth: Vec<usize>,
}

fn values_of(terms: &Terms, symbol: Symbol, low: i64, high: i64) -> Vec<Value> {
    match terms.symbol_sort(symbol) {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (low..=high).map(|k| Value::Int(k.into())).collect(),
        Sort::Enum(id) => {
            let count = u32::try_from(terms.enum_info(id).variants.len()).unwrap();
            (0..count).map(|k| Value::Enum(id, k)).collect()
        }
        Sort::Real | Sort::Array(_) => panic!("not finite"),
    }
}

fn combinations(terms: &Terms, symbols: &[Symbol], low: i64, high: i64) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for &symbol in symbols {
        let values = values_of(terms, symbol, low, high);
        all = all
            .iter()
            .flat_map(|prefix| values.iter().map(move |v| (prefix, v)))
            .map(|(prefix, v)| prefix.iter().cloned().chain([v.clone()]).collect())
            .collect();
    }
    all
}

pub fn explore(terms: &Terms, system: &Model, low: i64, high: i64) -> Naive {
    assert!(system.rigid.is_empty());
    let all = combinations(terms, &system.variables, low, high);
    let all: Vec<State> = all
        .into_iter()
        .map(|values| State {
            location: system.entry,
            values,
        })
        .collect();
    let is = |t: Term, s: &State| holds(terms, system, t, &[], s, None, (&[], &[]));
    let restrict = system.restrict_formula(terms);
    let all: Vec<State> = all.into_iter().filter(|s| is(restrict, s)).collect();
    let can = |c: &Command, s: &State, t: &State| {
        let formula = c.formula(terms);
        let inputs = combinations(terms, &c.inputs, low, high);
        let possible =
            |v: &Vec<Value>| holds(terms, system, formula, &[], s, Some(t), (&c.inputs, v));
        inputs.iter().any(possible)
    };
    let init = system.init_formula(terms);
    let mut states: Vec<State> = all.iter().filter(|s| is(init, s)).cloned().collect();
    let initial = states.len();
    let mut depth = vec![0; initial];
    let mut steps: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let mut mine = Vec::new();
        for (k, command) in system.commands().enumerate() {
            for t in &all {
                if can(command, &states[next], t) {
                    let target = states.iter().position(|s| s == t).unwrap_or_else(|| {
                        states.push(t.clone());
                        depth.push(depth[next] + 1);
                        states.len() - 1
                    });
                    mine.push((k, target));
                }
            }
        }
        steps.push(mine);
        next += 1;
    }
    Naive {
        states,
        initial,
        steps,
        depth,
    }
}

impl Naive {
    pub fn is_deadlock(&self, s: usize) -> bool {
        self.steps[s].is_empty()
    }

    pub fn satisfies(&self, terms: &Terms, model: &Model, t: Term, s: usize) -> bool {
        holds(terms, model, t, &[], &self.states[s], None, (&[], &[]))
    }

    /// Where a formula holds; every operator by its own equation.
    pub fn label(&self, terms: &Terms, model: &Model, formula: &Ctl) -> Vec<bool> {
        let arguments: Vec<Vec<bool>> = formula
            .arguments()
            .into_iter()
            .map(|a| self.label(terms, model, a))
            .collect();
        let n = self.states.len();
        let f = |s: usize| arguments[0][s];
        let g = |s: usize| arguments[1][s];
        let some = |z: &[bool], s: usize| self.steps[s].iter().any(|&(_, t)| z[t]);
        let every = |z: &[bool], s: usize| self.steps[s].iter().all(|&(_, t)| z[t]);
        let end = |s: usize| self.is_deadlock(s);
        let (low, high) = (vec![false; n], vec![true; n]);
        let each = |value: &dyn Fn(usize) -> bool| (0..n).map(value).collect::<Vec<bool>>();
        match formula {
            Ctl::State(t) => each(&|s| self.satisfies(terms, model, *t, s)),
            Ctl::At(_) => panic!("systems have no locations"),
            Ctl::Not(_) => each(&|s| !f(s)),
            Ctl::And(..) => each(&|s| f(s) && g(s)),
            Ctl::Or(..) => each(&|s| f(s) || g(s)),
            Ctl::Ex(_) => each(&|s| some(&arguments[0], s)),
            Ctl::Ax(_) => each(&|s| every(&arguments[0], s)),
            Ctl::Ef(_) => iterate(low, |z, s| f(s) || some(z, s)),
            Ctl::Af(_) => iterate(low, |z, s| f(s) || (!end(s) && every(z, s))),
            Ctl::Eg(_) => iterate(high, |z, s| f(s) && (end(s) || some(z, s))),
            Ctl::Ag(_) => iterate(high, |z, s| f(s) && every(z, s)),
            Ctl::Eu(..) => iterate(low, |z, s| g(s) || (f(s) && some(z, s))),
            Ctl::Au(..) => iterate(low, |z, s| g(s) || (f(s) && !end(s) && every(z, s))),
            Ctl::Ew(..) => iterate(high, |z, s| g(s) || (f(s) && (end(s) || some(z, s)))),
            Ctl::Aw(..) => iterate(high, |z, s| g(s) || (f(s) && every(z, s))),
        }
    }
}

fn iterate(start: Vec<bool>, next: impl Fn(&[bool], usize) -> bool) -> Vec<bool> {
    let mut now = start;
    loop {
        let then: Vec<bool> = (0..now.len()).map(|s| next(&now, s)).collect();
        if then == now {
            return now;
        }
        now = then;
    }
}
