//! A tiny explicit-state oracle: everything by enumeration and evaluation, nothing clever.
//!
//! Integers range over 0..=2; models restrict their integer variables to that.

#![allow(dead_code)] // Every test file uses a part.

use sectile_model::*;
use sectile_terms::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const HIGH: i64 = 2;

pub fn values_of(terms: &Terms, symbol: Symbol) -> Vec<Value> {
    match terms.symbol_sort(symbol) {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (0..=HIGH).map(|i| Value::Int(i.into())).collect(),
        Sort::Enum(id) => {
            let count = terms.enum_info(id).variants.len() as u32;
            (0..count).map(|k| Value::Enum(id, k)).collect()
        }
        other => panic!("no values of {other:?}"),
    }
}

fn product(terms: &Terms, symbols: &[Symbol]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for &s in symbols {
        let longer = |prefix: &Vec<Value>| {
            let prefix = prefix.clone();
            values_of(terms, s)
                .into_iter()
                .map(move |v| [prefix.clone(), vec![v]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// One model with values for its symbolic constants.
pub struct World<'a> {
    pub terms: &'a Terms,
    pub model: &'a Model,
    pub rigid: Vec<Value>,
    init: Term,
    restrict: Term,
}

/// All the worlds of a model.
pub fn worlds<'a>(terms: &'a Terms, model: &'a Model) -> Vec<World<'a>> {
    let (init, restrict) = (model.init_formula(terms), model.restrict_formula(terms));
    let make = |rigid| World {
        terms,
        model,
        rigid,
        init,
        restrict,
    };
    product(terms, &model.rigid).into_iter().map(make).collect()
}

impl World<'_> {
    pub fn holds(&self, t: Term, now: &State) -> bool {
        self.eval(t, now, None, &[], &[]) == Value::Bool(true)
    }

    fn eval(
        &self,
        t: Term,
        now: &State,
        next: Option<&State>,
        inputs: &[Symbol],
        chosen: &[Value],
    ) -> Value {
        let find = |names: &[Symbol], values: &[Value], symbol: Symbol| {
            let i = names.iter().position(|&s| s == symbol)?;
            Some(values[i].clone())
        };
        let value = |symbol: Symbol, stage: Stage| match stage {
            Stage::Now => find(&self.model.variables, &now.values, symbol)
                .or_else(|| find(&self.model.rigid, &self.rigid, symbol))
                .or_else(|| find(inputs, chosen, symbol)),
            Stage::Next => find(&self.model.variables, &next?.values, symbol),
            Stage::At(_) => None,
        };
        evaluate(self.terms, t, &value)
            .unwrap_or_else(|e| panic!("{e:?} in {}", NativePrinter::new(self.terms).print(t)))
    }

    pub fn states(&self) -> Vec<State> {
        let locations = (0..self.model.locations.len()).map(LocationId);
        let all = product(self.terms, &self.model.variables);
        let states = locations.flat_map(|location| {
            all.iter().map(move |values| State {
                location,
                values: values.clone(),
            })
        });
        states.filter(|s| self.holds(self.restrict, s)).collect()
    }

    pub fn initial(&self) -> Vec<State> {
        let mut states = self.states();
        states.retain(|s| s.location == self.model.entry && self.holds(self.init, s));
        states
    }

    /// Whether a step leads from a state to a state.
    pub fn is_step(&self, from: &State, step: &Step, to: &State) -> bool {
        let edge = &self.model.edges[step.command];
        let command = &edge.command;
        let formula = command.formula(self.terms);
        (from.location, to.location) == (edge.from, edge.to)
            && self.holds(self.restrict, from)
            && self.holds(self.restrict, to)
            && self.eval(formula, from, Some(to), &command.inputs, &step.inputs)
                == Value::Bool(true)
    }

    pub fn successors(&self, from: &State) -> Vec<(Step, State)> {
        let mut found = Vec::new();
        for index in self.model.edges_from(from.location) {
            let edge = &self.model.edges[index];
            let command = &edge.command;
            for inputs in product(self.terms, &command.inputs) {
                let now = |t: Term| self.eval(t, from, None, &command.inputs, &inputs);
                if command.guards.iter().any(|&g| now(g) != Value::Bool(true)) {
                    continue;
                }
                for values in self.candidates(command, &now) {
                    let to = State {
                        location: edge.to,
                        values,
                    };
                    let step = Step::new(index, inputs.clone());
                    if self.is_step(from, &step, &to) {
                        found.push((step, to));
                    }
                }
            }
        }
        found
    }

    /// The next values that the assignments leave possible.
    fn candidates(&self, command: &Command, now: &impl Fn(Term) -> Value) -> Vec<Vec<Value>> {
        let mut all = vec![Vec::new()];
        for &symbol in &self.model.variables {
            let values = match command.update_of(symbol) {
                Some(t) => vec![now(t)],
                None => values_of(self.terms, symbol),
            };
            let longer = |prefix: &Vec<Value>| {
                let prefix = prefix.clone();
                let all = values.clone().into_iter();
                all.map(move |v| [prefix.clone(), vec![v]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The transition relation on all states.
    pub fn relation(&self) -> BTreeMap<State, Vec<(Step, State)>> {
        let states = self.states().into_iter();
        states.map(|s| (s.clone(), self.successors(&s))).collect()
    }

    /// A shortest run to every reachable state.
    pub fn runs(&self) -> BTreeMap<State, Trace> {
        let mut runs = BTreeMap::new();
        let mut queue = VecDeque::new();
        for state in self.initial() {
            let trace = Trace {
                rigid: self.rigid.clone(),
                states: vec![state.clone()],
                steps: Vec::new(),
                back_to: None,
            };
            runs.insert(state.clone(), trace);
            queue.push_back(state);
        }
        while let Some(state) = queue.pop_front() {
            for (step, next) in self.successors(&state) {
                if !runs.contains_key(&next) {
                    let mut trace = runs[&state].clone();
                    trace.states.push(next.clone());
                    trace.steps.push(step);
                    runs.insert(next.clone(), trace);
                    queue.push_back(next);
                }
            }
        }
        runs
    }

    /// Whether a state violates a property that is about single states.
    pub fn is_bad(&self, kind: &PropertyKind, state: &State) -> bool {
        match kind {
            PropertyKind::Invariant(p) => !self.holds(*p, state),
            PropertyKind::Error(p) => self.holds(*p, state),
            PropertyKind::Unreachable(list) => list.contains(&state.location),
            PropertyKind::AtLocation(l, p) => state.location == *l && !self.holds(*p, state),
            PropertyKind::Ctl(_) => panic!("not about single states"),
        }
    }

    /// The states that satisfy a CTL formula, by fixed points over maximal paths.
    pub fn satisfying(&self, formula: &Ctl) -> BTreeSet<State> {
        let relation = self.relation();
        let next: BTreeMap<State, Vec<State>> = relation
            .into_iter()
            .map(|(s, list)| (s, list.into_iter().map(|x| x.1).collect()))
            .collect();
        self.ctl(formula, &next)
    }

    fn ctl(&self, formula: &Ctl, next: &BTreeMap<State, Vec<State>>) -> BTreeSet<State> {
        type Set = BTreeSet<State>;
        let all: Set = next.keys().cloned().collect();
        let go = |f: &Ctl| self.ctl(f, next);
        let some = |set: &Set, s: &State| next[s].iter().any(|t| set.contains(t));
        let every = |set: &Set, s: &State| next[s].iter().all(|t| set.contains(t));
        let select = |keep: &dyn Fn(&State) -> bool| -> Set {
            all.iter().filter(|s| keep(s)).cloned().collect()
        };
        let fix = |start: Set, step: &dyn Fn(&Set, &State) -> bool| {
            let mut set = start;
            loop {
                let new = select(&|s| step(&set, s));
                if new == set {
                    return set;
                }
                set = new;
            }
        };
        let ends = |s: &State| next[s].is_empty();
        match formula {
            Ctl::State(p) => select(&|s| self.holds(*p, s)),
            Ctl::At(l) => select(&|s| s.location == *l),
            Ctl::Not(a) => &all - &go(a),
            Ctl::And(a, b) => &go(a) & &go(b),
            Ctl::Or(a, b) => &go(a) | &go(b),
            Ctl::Ex(a) => {
                let a = go(a);
                select(&|s| some(&a, s))
            }
            Ctl::Ax(a) => {
                let a = go(a);
                select(&|s| every(&a, s))
            }
            Ctl::Ef(a) => {
                let a = go(a);
                fix(Set::new(), &|x, s| a.contains(s) || some(x, s))
            }
            Ctl::Af(a) => {
                let a = go(a);
                fix(Set::new(), &|x, s| {
                    a.contains(s) || (!ends(s) && every(x, s))
                })
            }
            Ctl::Eg(a) => {
                let a = go(a);
                fix(all.clone(), &|x, s| {
                    a.contains(s) && (ends(s) || some(x, s))
                })
            }
            Ctl::Ag(a) => {
                let a = go(a);
                fix(all.clone(), &|x, s| a.contains(s) && every(x, s))
            }
            Ctl::Eu(a, b) => {
                let (a, b) = (go(a), go(b));
                fix(Set::new(), &|x, s| {
                    b.contains(s) || (a.contains(s) && some(x, s))
                })
            }
            Ctl::Au(a, b) => {
                let (a, b) = (go(a), go(b));
                fix(Set::new(), &|x, s| {
                    b.contains(s) || (a.contains(s) && !ends(s) && every(x, s))
                })
            }
            Ctl::Ew(a, b) => {
                let (a, b) = (go(a), go(b));
                fix(all.clone(), &|x, s| {
                    b.contains(s) || (a.contains(s) && (ends(s) || some(x, s)))
                })
            }
            Ctl::Aw(a, b) => {
                let (a, b) = (go(a), go(b));
                fix(all.clone(), &|x, s| {
                    b.contains(s) || (a.contains(s) && every(x, s))
                })
            }
        }
    }
}

/// Whether the property holds, in every world.
pub fn verdict(terms: &Terms, model: &Model, property: &Property) -> bool {
    worlds(terms, model).iter().all(|w| match &property.kind {
        PropertyKind::Ctl(f) => {
            let good = w.satisfying(f);
            w.initial().iter().all(|s| good.contains(s))
        }
        kind => w.runs().keys().all(|s| !w.is_bad(kind, s)),
    })
}

/// Some certificates for the right verdict: shortest violations, or the strongest and the weakest
/// inductive invariant.
pub fn certificates(terms: &Terms, model: &Model, property: &Property) -> Vec<Certificate> {
    let kind = &property.kind;
    let worlds = worlds(terms, model);
    let violations = worlds.iter().filter_map(|w| {
        let runs = w.runs();
        let bad = runs.iter().filter(|(s, _)| w.is_bad(kind, s));
        bad.map(|(_, t)| t.clone()).min_by_key(|t| t.steps.len())
    });
    let violations: Vec<Certificate> = violations.map(Certificate::Trace).collect();
    if !violations.is_empty() {
        return violations;
    }
    let mut strongest = Vec::new();
    let mut weakest = Vec::new();
    for (i, w) in worlds.iter().enumerate() {
        strongest.extend(w.runs().into_keys().map(|s| (i, s)));
        let relation = w.relation();
        let mut safe: BTreeSet<State> = relation.keys().cloned().collect();
        safe.retain(|s| !w.is_bad(kind, s));
        loop {
            let before = safe.len();
            let old = safe.clone();
            safe.retain(|s| relation[s].iter().all(|(_, t)| old.contains(t)));
            if safe.len() == before {
                break;
            }
        }
        weakest.extend(safe.into_iter().map(|s| (i, s)));
    }
    let list = [strongest, weakest];
    let mut found: Vec<Certificate> = list.iter().map(|set| describe(&worlds, set)).collect();
    found.extend(induction(terms, model, property));
    found
}

/// The property itself as a k-inductive invariant, for the smallest depth, if there is one.
fn induction(terms: &Terms, model: &Model, property: &Property) -> Option<Certificate> {
    let kind = &property.kind;
    let everywhere = match kind {
        PropertyKind::Invariant(p) => *p,
        PropertyKind::Error(p) => terms.not(*p),
        _ => terms.tt(),
    };
    let at = |l: usize| match kind {
        PropertyKind::AtLocation(here, p) if here.0 == l => *p,
        PropertyKind::Unreachable(list) if list.contains(&LocationId(l)) => terms.ff(),
        _ => everywhere,
    };
    let invariants: Vec<Option<Term>> = (0..model.locations.len()).map(|l| Some(at(l))).collect();
    let with = |depth| {
        Certificate::Invariants(Invariants {
            at: invariants.clone(),
            depth,
            simple_paths: false,
        })
    };
    let mut depths = (1..6).map(with);
    depths.find(|c| check(terms, model, property, c).is_ok())
}

/// Checks a k-inductive invariant: the states at the end of ever longer runs inside it.
fn check_induction(
    world: &World<'_>,
    kind: &PropertyKind,
    invariants: &[Term],
    depth: u32,
) -> Result<(), String> {
    let inside = |s: &State| world.holds(invariants[s.location.0], s);
    let relation = world.relation();
    let post = |set: &BTreeSet<State>| -> BTreeSet<State> {
        let all = set.iter().flat_map(|s| &relation[s]);
        all.map(|x| x.1.clone()).collect()
    };
    let mut reached: BTreeSet<State> = world.initial().into_iter().collect();
    let mut ends: BTreeSet<State> = relation.keys().filter(|s| inside(s)).cloned().collect();
    if ends.iter().any(|s| world.is_bad(kind, s)) {
        return Err("property".into());
    }
    for k in 0..depth {
        if !reached.iter().all(inside) {
            return Err(format!("base {k}"));
        }
        reached = post(&reached);
        let next = post(&ends);
        if k + 1 == depth && !next.iter().all(inside) {
            return Err("step".into());
        }
        ends = next.into_iter().filter(|s| inside(s)).collect();
    }
    Ok(())
}

/// A set of states as a certificate.
fn describe(worlds: &[World<'_>], set: &[(usize, State)]) -> Certificate {
    let (terms, model) = (worlds[0].terms, worlds[0].model);
    let is = |&s: &Symbol, v: &Value| terms.eq(terms.var(s), v.to_term(terms));
    let formula = |(i, state): &(usize, State)| {
        let values = model.variables.iter().zip(&state.values);
        let rigid = model.rigid.iter().zip(&worlds[*i].rigid);
        terms.and(values.chain(rigid).map(|(s, v)| is(s, v)))
    };
    let at = |l: usize| {
        let here = set.iter().filter(|s| s.1.location == LocationId(l));
        terms.or(here.map(formula))
    };
    Certificate::invariants((0..model.locations.len()).map(at).collect())
}

/// Checks a certificate by enumeration; the answer says what it shows about the property.
pub fn check(
    terms: &Terms,
    model: &Model,
    property: &Property,
    certificate: &Certificate,
) -> Result<bool, String> {
    if let Certificate::Trace(trace) = certificate {
        let worlds = worlds(terms, model);
        let world = worlds.iter().find(|w| w.rigid == trace.rigid);
        let world = world.ok_or("no such constants")?;
        replay(world, trace)?;
        let last = trace.states.last().ok_or("no state")?;
        return match world.is_bad(&property.kind, last) {
            true => Ok(false),
            false => Err("the last state is not bad".into()),
        };
    }
    let Certificate::Invariants(proof) = certificate else {
        panic!("a certificate of another kind");
    };
    let list = proof.at_all().ok_or("a location has no invariant")?;
    if list.len() != model.locations.len() {
        return Err("the number of invariants is wrong".into());
    }
    for world in worlds(terms, model) {
        if proof.depth > 1 {
            check_induction(&world, &property.kind, &list, proof.depth)?;
            continue;
        }
        let inside = |s: &State| world.holds(list[s.location.0], s);
        if let Some(s) = world.initial().iter().find(|s| !inside(s)) {
            return Err(format!("initially: {s:?}"));
        }
        for state in world.states().iter().filter(|s| inside(s)) {
            if world.is_bad(&property.kind, state) {
                return Err(format!("property: {state:?}"));
            }
            if let Some((step, to)) = world.successors(state).iter().find(|x| !inside(&x.1)) {
                return Err(format!("step: {state:?} {step:?} {to:?}"));
            }
        }
    }
    Ok(true)
}

/// Checks that a trace is a run.
pub fn replay(world: &World<'_>, trace: &Trace) -> Result<(), String> {
    let first = trace.states.first().ok_or("no state")?;
    if !world.initial().contains(first) {
        return Err("the first state is not initial".into());
    }
    if trace.states.len() != trace.steps.len() + 1 {
        return Err("states and steps do not fit".into());
    }
    for (i, step) in trace.steps.iter().enumerate() {
        if !world.is_step(&trace.states[i], step, &trace.states[i + 1]) {
            return Err(format!("step {i} is none"));
        }
    }
    Ok(())
}
