//! Translation of runs of counters to runs of processes.
//!
//! It does not matter which process steps: processes in the same local state have the same steps.
//! So the first matching step is taken, without backtracking.

use super::Back;
use crate::pass::Lost;
use rustc_hash::FxHashMap;
use sectile_base::Int;
use sectile_model::{LocationId, PropertyKind, State, Step, Trace};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};

/// The values of the constants and variables of the family.
type Values = FxHashMap<Symbol, Value>;

/// The target of a step.
enum Target<'t> {
    /// A state with these counters.
    Counters(&'t [Value]),
    /// To this state.
    State(&'t [Value]),
}

impl Back {
    /// The run of processes.
    pub(super) fn run(&self, terms: &Terms, trace: &Trace) -> Result<Trace, Lost> {
        let known: FxHashMap<Symbol, &Value> =
            self.rigid.iter().copied().zip(&trace.rigid).collect();
        let rigid = self.family.rigid.iter().map(|s| known.get(s).copied());
        let rigid: Option<Vec<Value>> = rigid.map(|v| v.cloned()).collect();
        let rigid = rigid.ok_or_else(|| Lost("a constant has no value".to_string()))?;
        let first = trace.states.first().and_then(|s| self.start(&s.values));
        let first = first.ok_or_else(|| {
            Lost("no processes are in the local states in which the run starts".to_string())
        })?;
        let targets = trace.states.iter().skip(1);
        let targets = targets.map(|s| Target::Counters(&s.values));
        let run = self.follow(terms, &rigid, first, targets)?;
        Ok(self.in_order(terms, run))
    }

    /// A state of processes with these counters: the first ones are in the first local state.
    fn start(&self, counters: &[Value]) -> Option<Vec<Value>> {
        let counters: FxHashMap<Symbol, &Value> =
            self.variables.iter().copied().zip(counters).collect();
        let mut values = Values::default();
        let mut processes: Vec<_> = self.processes.iter().map(|list| list.iter()).collect();
        for (counter, family, state) in &self.states {
            let Value::Int(count) = counters.get(counter)? else {
                return None;
            };
            for _ in 0..count.to_usize()? {
                let locals = processes[*family].next()?.iter().copied();
                values.extend(locals.zip(state.iter().cloned()));
            }
        }
        let value = |s: &Symbol| match values.get(s) {
            Some(value) => Some(value.clone()),
            None => counters.get(s).map(|v| (*v).clone()),
        };
        self.family.variables.iter().map(value).collect()
    }

    /// The run along the targets.
    fn follow<'t>(
        &self,
        terms: &Terms,
        rigid: &[Value],
        first: Vec<Value>,
        targets: impl Iterator<Item = Target<'t>>,
    ) -> Result<Trace, Lost> {
        let state = |values| State {
            location: LocationId(0),
            values,
        };
        let mut run = Trace {
            rigid: rigid.to_vec(),
            states: vec![state(first.clone())],
            ..Trace::default()
        };
        let mut now = first;
        for (k, target) in targets.enumerate() {
            let found = self.step(terms, rigid, &now, &target);
            let (step, next) = found.ok_or_else(|| {
                let number = k + 1;
                Lost(format!("no process can do step {number} of the counters"))
            })?;
            run.steps.push(step);
            run.states.push(state(next.clone()));
            now = next;
        }
        Ok(run)
    }

    /// The first step to the target.
    fn step(
        &self,
        terms: &Terms,
        rigid: &[Value],
        now: &[Value],
        target: &Target<'_>,
    ) -> Option<(Step, Vec<Value>)> {
        let mut values = self.values(rigid, now);
        let of = |t: Term, values: &Values| {
            let valuation = |s: Symbol, _: Stage| values.get(&s).cloned();
            evaluate(terms, t, &valuation).ok()
        };
        let holds = |t: &Term, values: &Values| of(*t, values) == Some(Value::Bool(true));
        for (edge, command) in self.family.commands().enumerate() {
            if !command.relations.is_empty() {
                continue;
            }
            for inputs in self.inputs(terms, edge, target) {
                values.extend(command.inputs.iter().copied().zip(inputs.iter().cloned()));
                if !command.guards.iter().all(|g| holds(g, &values)) {
                    continue;
                }
                let next = self.family.variables.iter();
                let next = next.map(|&s| of(command.update_of(s)?, &values));
                let Some(next) = next.collect::<Option<Vec<Value>>>() else {
                    continue;
                };
                let after = self.values(rigid, &next);
                let allowed = self.family.restrict.iter().all(|r| holds(r, &after));
                if allowed && self.is_there(&after, &next, target) {
                    return Some((Step::new(edge, inputs), next));
                }
            }
        }
        None
    }

    fn values(&self, rigid: &[Value], state: &[Value]) -> Values {
        let constants = self.family.rigid.iter().zip(rigid);
        let variables = self.family.variables.iter().zip(state);
        let all = constants.chain(variables);
        all.map(|(s, v)| (*s, v.clone())).collect()
    }

    /// The values that may be chosen in a step to the target, given that chosen values are
    /// assigned.
    fn inputs(&self, terms: &Terms, edge: usize, target: &Target<'_>) -> Vec<Vec<Value>> {
        let command = &self.family.edges[edge].command;
        let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
        for &input in &command.inputs {
            let mut updates = command.updates.iter();
            let assigned = updates.find(|u| u.value == terms.var(input));
            let values = assigned.map_or_else(Vec::new, |u| self.wanted(u.symbol, target));
            let longer = lists.iter().flat_map(|list| {
                let longer = |v: &Value| list.iter().chain([v]).cloned().collect();
                values.iter().map(longer).collect::<Vec<_>>()
            });
            lists = longer.collect();
        }
        lists
    }

    /// The possible values of a variable at the target.
    fn wanted(&self, symbol: Symbol, target: &Target<'_>) -> Vec<Value> {
        let (symbols, values) = match target {
            Target::Counters(values) => (&self.variables, values),
            Target::State(values) => (&self.family.variables, values),
        };
        if let Some(place) = symbols.iter().position(|s| *s == symbol) {
            return vec![values[place].clone()];
        }
        let families = self.processes.iter().enumerate();
        let mut locals = families.flat_map(|(k, list)| list.iter().map(move |p| (k, p)));
        let local = locals.find_map(|(k, p)| Some((k, p.iter().position(|s| *s == symbol)?)));
        let mut values: Vec<Value> = Vec::new();
        for (_, family, state) in &self.states {
            let here = local.filter(|(k, _)| k == family);
            values.extend(here.map(|(_, l)| state[l].clone()));
        }
        values.sort();
        values.dedup();
        values
    }

    fn is_there(&self, after: &Values, next: &[Value], target: &Target<'_>) -> bool {
        match target {
            Target::State(values) => next == *values,
            Target::Counters(values) => {
                let counted = self.variables.iter().map(|&s| self.counted(after, s));
                counted.eq(values.iter().cloned().map(Some))
            }
        }
    }

    /// The value of a variable of the counter system.
    fn counted(&self, values: &Values, symbol: Symbol) -> Option<Value> {
        let Some((_, family, state)) = self.states.iter().find(|s| s.0 == symbol) else {
            return values.get(&symbol).cloned();
        };
        let there = self.processes[*family].iter().filter(|locals| {
            let mut pairs = locals.iter().zip(state);
            pairs.all(|(s, v)| values.get(s) == Some(v))
        });
        Some(Value::Int(Int::from(there.count() as i64)))
    }

    /// The run, with two processes exchanged if the property is violated only then.
    ///
    /// A property about all pairs `i < j` is translated to one about all pairs of different
    /// processes: in the run they may be in the other order.
    fn in_order(&self, terms: &Terms, run: Trace) -> Trace {
        let Some(last) = run.states.last() else {
            return run;
        };
        if self.violates(terms, &run.rigid, &last.values) {
            return run;
        }
        let pairs = self.processes.iter().flat_map(|list| {
            let pair = move |k: usize| list[k + 1..].iter().map(move |b| (&list[k], b));
            (0..list.len()).flat_map(pair)
        });
        for (a, b) in pairs {
            let last = self.exchanged(&last.values, a, b);
            if !self.violates(terms, &run.rigid, &last) {
                continue;
            }
            let states = run.states.iter();
            let states: Vec<Vec<Value>> = states.map(|s| self.exchanged(&s.values, a, b)).collect();
            let targets = states.iter().skip(1).map(|s| Target::State(s));
            let other = self.follow(terms, &run.rigid, states[0].clone(), targets);
            if let Ok(other) = other {
                return other;
            }
        }
        run
    }

    fn violates(&self, terms: &Terms, rigid: &[Value], state: &[Value]) -> bool {
        let values = self.values(rigid, state);
        let valuation = |s: Symbol, _: Stage| values.get(&s).cloned();
        let holds = |t| evaluate(terms, t, &valuation) == Ok(Value::Bool(true));
        match self.property.kind {
            PropertyKind::Invariant(p) => !holds(p),
            PropertyKind::Error(e) => holds(e),
            _ => true,
        }
    }

    /// The state with the variables of two processes exchanged.
    fn exchanged(&self, state: &[Value], a: &[Symbol], b: &[Symbol]) -> Vec<Value> {
        let place = |s: &Symbol| self.family.variables.iter().position(|v| v == s);
        let mut state = state.to_vec();
        for (x, y) in a.iter().zip(b) {
            if let (Some(x), Some(y)) = (place(x), place(y)) {
                state.swap(x, y);
            }
        }
        state
    }
}
