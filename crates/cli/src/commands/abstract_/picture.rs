//! An abstract system as text, as JSON and as a graph.

use crate::commands::bad;
use crate::commands::prove::Subject;
use sectile_base::{Budget, counted};
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{
    AbstractPath, AbstractSystem, Analysis, Discharge, Kind, MustSteps, Obligation, Prover,
    Question, Reach, bdd2f,
};
use sectile_model::Trace;
use sectile_report::{Evidence, TraceWords, run_words, trace_text};
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Term};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// More states than this are not listed one by one.
pub const MOST_STATES: usize = 500;

/// The reachable states are split on at most this many guards of commands.
const MOST_GUARDS: usize = 6;

/// An abstract system with what is reachable in it.
pub struct Picture<'p> {
    /// The model.
    pub loaded: &'p Loaded,
    /// Its system and property.
    pub subject: &'p Subject,
    /// The abstract system.
    pub abstracted: AbstractSystem<'p>,
    /// What is reachable.
    pub reach: Reach,
    /// Answers questions.
    pub prover: Prover<'p>,
    /// How many questions the abstraction took.
    pub calls: u64,
    /// Whether the limit on questions was reached.
    pub limited: bool,
    /// What the method is called.
    pub method: String,
    /// The abstract states without values that exclude each other.
    pub consistent: Bdd,
    /// Whether it is an abstraction, if this had to be checked.
    pub simulation: Option<Result<(), (Obligation, Discharge)>>,
    /// The steps that are certain, if they were asked for.
    pub must: Option<MustSteps>,
}

/// The result for a property.
pub struct Verdict {
    name: String,
    /// The abstract counterexample, and the run if it is real.
    path: Option<(AbstractPath, Option<Trace>)>,
}

impl Picture<'_> {
    /// The whole picture as text.
    pub fn text(&mut self) -> String {
        let printer = NativePrinter::new(&self.loaded.terms);
        let mut out = String::from("abstract variables\n");
        for variable in self.abstracted.alpha.variables() {
            let meaning = match variable.kind {
                Kind::Predicate => printer.print(variable.meanings[1]),
                Kind::Copy(_) => "copied".to_string(),
                Kind::Data | Kind::Relation => {
                    let cases = variable.labels.iter().zip(&variable.meanings);
                    let cases = cases.map(|(label, &m)| match label.starts_with('[') {
                        true => label.clone(),
                        false => format!("{label} [{}]", printer.print(m)),
                    });
                    cases.collect::<Vec<_>>().join(" | ")
                }
            };
            let _ = writeln!(out, "  {}: {meaning}", variable.name);
        }
        out.push_str("initial states\n");
        let initial = self.abstracted.initial;
        for state in self.abstracted.states(initial, MOST_STATES) {
            let _ = writeln!(out, "  {}", self.state(&state));
        }
        out.push_str("transitions\n");
        for k in 0..self.abstracted.transitions.len() {
            let line = self.transition_line(k);
            let _ = writeln!(out, "  {line}");
        }
        let all = self.reach.all;
        let _ = writeln!(out, "reachable: {}", counted(self.count(), "state"));
        for state in self.abstracted.states(all, MOST_STATES) {
            let _ = writeln!(out, "  {}", self.state(&state));
        }
        if self.count() > MOST_STATES as f64 {
            out.push_str("  ...\n");
        }
        let alpha = &self.abstracted.alpha;
        let formula = bdd2f(alpha, &mut self.abstracted.manager, all);
        let _ = writeln!(out, "formula: {}", formula.text(alpha));
        out.push_str("invariants\n");
        for line in self.invariants() {
            let _ = writeln!(out, "  {line}");
        }
        out
    }

    fn count(&self) -> f64 {
        let space = self.abstracted.alpha.space();
        space.count(&self.abstracted.manager, self.reach.all)
    }

    /// The number of prover calls.
    pub fn footer(&self) -> String {
        let limited = match self.limited {
            true => " (the limit: whatever was not excluded by then is kept)",
            false => "",
        };
        format!("prover calls: {}{limited}\n", self.calls)
    }

    fn transition_line(&mut self, k: usize) -> String {
        let words = self.transition(k);
        let effects = words.effects.iter();
        let effects: Vec<String> = effects.map(|(n, v)| format!("{n} := {v}")).collect();
        let effects = match effects.is_empty() {
            true => "skip".to_string(),
            false => effects.join(", "),
        };
        let all = self.abstracted.alpha.variables().len();
        let how = match words.open.len() {
            0 => "substitution".to_string(),
            open if open == all && self.method != "auto" => self.method.to_string(),
            _ => format!("elimination for {}", words.open.join(", ")),
        };
        let name = &self.abstracted.transitions[k].name;
        format!("{name}: {} --> {effects}   // {how}", words.guard)
    }

    /// The formula of the reachable states by its cases, with the predicates in concrete words.
    ///
    /// Paper: [BeGrLa, Sect. 5.2].
    fn invariants(&mut self) -> Vec<String> {
        // Where values overlap, "not this value" says nothing about a state.
        if !self.abstracted.alpha.relations().is_empty() {
            let terms = &self.loaded.terms;
            let set = self.abstracted.concrete(terms, self.reach.all);
            let conjuncts = terms.conjuncts(terms.simplify(set));
            let printer = NativePrinter::new(terms);
            return conjuncts.iter().map(|&c| printer.print(c)).collect();
        }
        let alpha = &self.abstracted.alpha;
        let formula = bdd2f(alpha, &mut self.abstracted.manager, self.reach.all);
        let cases = formula.cases();
        let lines = cases.iter().map(|(premises, conclusions)| {
            let left: Vec<String> = premises
                .iter()
                .map(|c| self.concrete(&c.text(alpha)))
                .collect();
            let right = conclusions.iter().map(|f| self.concrete(&f.text(alpha)));
            let right = right.collect::<Vec<_>>().join(" and ");
            match left.is_empty() {
                true => right,
                false => format!("{} => {right}", left.join(" and ")),
            }
        });
        lines.collect()
    }

    /// Names of predicates replaced by what they mean.
    fn concrete(&self, text: &str) -> String {
        let printer = NativePrinter::new(&self.loaded.terms);
        for variable in self.abstracted.alpha.variables() {
            if variable.kind == Kind::Predicate {
                if text == variable.name {
                    return printer.print(variable.meanings[1]);
                }
                if text == format!("not {}", variable.name) {
                    return printer.print(variable.meanings[0]);
                }
            }
        }
        text.to_string()
    }

    /// An abstract state in words.
    pub fn state(&self, state: &[usize]) -> String {
        let variables = self.abstracted.alpha.variables().iter().zip(state);
        let parts = variables.map(|(v, &k)| match (v.labels[k].as_str(), v.kind) {
            ("true", Kind::Predicate | Kind::Copy(_)) => v.name.clone(),
            ("false", Kind::Predicate | Kind::Copy(_)) => format!("not {}", v.name),
            (label, _) => format!("{} = {label}", v.name),
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The reachable states, one formula for every combination of guards that occurs.
    ///
    /// Paper: [BeGrLa, Sect. 5.2, "Splitting on Guards"].
    pub fn by_guards(&mut self, text: &str) -> anyhow::Result<String> {
        let terms = &self.loaded.terms;
        let printer = NativePrinter::new(terms);
        let guards = match text.trim() {
            "guards" => self.exact_guards(),
            text => self.loaded.formulas("<--split>", text)?,
        };
        let mut out = String::from("by guards\n");
        let split = self
            .abstracted
            .split_on_guards(self.reach.all, &guards)
            .map_err(|guard| {
                let guard = printer.print(guard);
                bad(format!(
                    "--split: `{guard}` is not a formula over the abstract variables"
                ))
            })?;
        for (literals, formula) in &split {
            let premise = printer.print(terms.and(literals.iter().copied()));
            let formula = formula.text(&self.abstracted.alpha);
            let _ = writeln!(out, "  {premise} => {formula}");
        }
        if split.len() < 1 << guards.len() {
            out.push_str("  in all other cases => false\n");
        }
        Ok(out)
    }

    /// Guards of commands that are formulas over the abstract variables, at most [`MOST_GUARDS`].
    fn exact_guards(&mut self) -> Vec<Term> {
        let terms = &self.loaded.terms;
        let mut guards: Vec<Term> = Vec::new();
        for command in self.subject.system.commands() {
            let guard = terms.and(command.guards.iter().copied());
            let is_new = !guards.contains(&guard) && terms.as_bool(guard).is_none();
            if is_new && self.abstracted.exact(terms, guard).is_some() {
                guards.push(guard);
            }
        }
        guards.truncate(MOST_GUARDS);
        guards
    }

    /// Whether a property holds in the abstract system; if not, whether the path is real.
    pub fn property(
        &mut self,
        name: &str,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> anyhow::Result<Verdict> {
        let terms = &self.loaded.terms;
        let good = self.subject.property.unwrap_or_else(|| terms.tt());
        let bad = terms.not(good);
        let set = self.may_violate(bad)?;
        let reach = self.abstracted.reach(set, &mut self.prover)?;
        let mut path = None;
        if let Some(found) = self.abstracted.path(&reach, set) {
            let system = &self.subject.system;
            let question = Question { terms, system, bad };
            let run = match question.analyse(&found, backend, budget)? {
                Analysis::Real(trace) => Some(trace),
                Analysis::Spurious(_) => None,
            };
            path = Some((found, run));
        }
        let name = name.to_string();
        Ok(Verdict { name, path })
    }

    /// The reachable abstract states that stand for some bad state.
    fn may_violate(&mut self, bad: Term) -> anyhow::Result<Bdd> {
        let terms = &self.loaded.terms;
        if let Some(exact) = self.abstracted.exact(terms, bad) {
            return Ok(exact);
        }
        let mut set = Bdd::FALSE;
        for state in self.abstracted.states(self.reach.all, usize::MAX) {
            let meaning = self.abstracted.alpha.meaning(terms, &state);
            if self.prover.satisfiable(terms.and2(meaning, bad))? {
                let one = self.one(&state);
                set = self.abstracted.manager.or(set, one);
            }
        }
        Ok(set)
    }

    fn one(&mut self, state: &[usize]) -> Bdd {
        let system = &mut self.abstracted;
        let space = system.alpha.space();
        space.tuple(&mut system.manager, state, false)
    }

    /// A run in words.
    fn run(&self, trace: &Trace) -> TraceWords {
        let (terms, source) = (&self.loaded.terms, &self.loaded.source);
        run_words(terms, &self.subject.system, source, trace)
    }

    /// The edges between reachable states, with the commands on them.
    fn edges(&mut self, states: &[Vec<usize>]) -> Vec<(usize, usize, usize)> {
        let mut edges = Vec::new();
        for (i, state) in states.iter().enumerate() {
            let source = self.one(state);
            for k in 0..self.abstracted.transitions.len() {
                let after = self.abstracted.post(source, k);
                for target in self.abstracted.states(after, MOST_STATES) {
                    if let Ok(j) = states.binary_search(&target) {
                        edges.push((i, k, j));
                    }
                }
            }
        }
        edges
    }

    /// The reachable graph for Graphviz.
    pub fn dot(&mut self) -> String {
        let states = self.abstracted.states(self.reach.all, MOST_STATES);
        let mut out = String::from("digraph abstraction {\n  node [shape=box];\n");
        for (i, state) in states.iter().enumerate() {
            let system = &self.abstracted;
            let space = system.alpha.space();
            let first = space.contains(&system.manager, system.initial, state);
            let style = if first { ", peripheries=2" } else { "" };
            let label = quoted(&self.state(state));
            let _ = writeln!(out, "  s{i} [label=\"{label}\"{style}];");
        }
        for (i, k, j) in self.edges(&states) {
            let name = quoted(&self.abstracted.transitions[k].name);
            let style = match &self.must {
                Some(steps) if !steps.must.contains(&(i, k, j)) => ", style=dashed",
                _ => "",
            };
            let _ = writeln!(out, "  s{i} -> s{j} [label=\"{name}\"{style}];");
        }
        if self.count() > MOST_STATES as f64 {
            let _ = writeln!(out, "  // {} states in all", self.count());
        }
        out.push_str("}\n");
        out
    }

    /// The whole picture as JSON.
    pub fn json(&mut self, verdict: Option<&Verdict>) -> anyhow::Result<String> {
        let printer = NativePrinter::new(&self.loaded.terms);
        let variables = self.abstracted.alpha.variables().iter().map(|v| {
            let kind = match v.kind {
                Kind::Predicate => "predicate",
                Kind::Copy(_) => "copy",
                Kind::Data => "data",
                Kind::Relation => "relation",
            };
            let values = v.labels.iter().zip(&v.meanings);
            let values: Vec<Value> = values
                .map(|(label, &m)| json!({ "value": label, "meaning": printer.print(m) }))
                .collect();
            json!({ "name": v.name, "kind": kind, "values": values })
        });
        let variables: Vec<Value> = variables.collect();
        let mut transitions = Vec::new();
        for k in 0..self.abstracted.transitions.len() {
            let words = self.transition(k);
            let transition = &self.abstracted.transitions[k];
            let effects = words.effects.into_iter();
            let effects: Map<String, Value> = effects.map(|(n, v)| (n, json!(v))).collect();
            transitions.push(json!({
                "name": transition.name,
                "guard": words.guard,
                "effects": effects,
                "eliminated": words.open,
                "least": transition.complete && !self.limited,
            }));
        }
        let initial = self.states_json(self.abstracted.initial);
        let states = self.states_json(self.reach.all);
        let alpha = &self.abstracted.alpha;
        let formula = bdd2f(alpha, &mut self.abstracted.manager, self.reach.all).text(alpha);
        let mut document = json!({
            "version": 1,
            "method": self.method,
            "variables": variables,
            "initial": initial,
            "transitions": transitions,
            "reachable": {
                "count": self.count(),
                "states": states,
                "formula": formula,
                "invariants": self.invariants(),
            },
            "prover_calls": self.calls,
            "limited": self.limited,
        });
        let (must, simulation) = (self.must_json(), self.simulation_json());
        if let Some(object) = document.as_object_mut() {
            for (key, part) in [("must", must), ("simulation", simulation)] {
                if let Some(part) = part {
                    object.insert(key.to_string(), part);
                }
            }
            if let Some(verdict) = verdict {
                object.insert("property".to_string(), verdict.json(self));
            }
        }
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    fn states_json(&mut self, set: Bdd) -> Vec<Value> {
        let states = self.abstracted.states(set, MOST_STATES);
        states.iter().map(|s| self.state_json(s)).collect()
    }

    pub fn state_json(&self, state: &[usize]) -> Value {
        let variables = self.abstracted.alpha.variables().iter().zip(state);
        let fields = variables.map(|(v, &k)| (v.name.clone(), json!(v.labels[k])));
        Value::Object(fields.collect())
    }
}

impl Verdict {
    /// The verdict as text.
    pub fn text(&self, picture: &Picture<'_>) -> String {
        let name = &self.name;
        let Some((path, run)) = &self.path else {
            let but = match picture.simulation {
                Some(Err(_)) => ", which is not an abstraction: nothing follows",
                _ => "",
            };
            return format!("{name}: holds in the abstract system{but}\n");
        };
        let mut out = format!(
            "{name}: abstract counterexample\n  {}\n",
            picture.state(&path.states[0])
        );
        for (&k, state) in path.commands.iter().zip(&path.states[1..]) {
            let command = &picture.abstracted.transitions[k].name;
            let _ = writeln!(out, "  {command}\n  {}", picture.state(state));
        }
        match run {
            Some(trace) => {
                out.push_str("  it is real: this run takes these steps\n");
                let words = picture.run(trace);
                for line in trace_text(&words).lines() {
                    let _ = writeln!(out, "  {line}");
                }
            }
            None => out.push_str("  it is spurious: no run takes these steps\n"),
        }
        out
    }

    /// The verdict as JSON.
    fn json(&self, picture: &Picture<'_>) -> Value {
        let Some((path, run)) = &self.path else {
            return json!({ "name": self.name, "abstract": "holds" });
        };
        let states: Vec<Value> = path.states.iter().map(|s| picture.state_json(s)).collect();
        let name = |&k: &usize| picture.abstracted.transitions[k].name.as_str();
        let steps: Vec<&str> = path.commands.iter().map(name).collect();
        let trace = run.as_ref().map(|t| Evidence::Trace(picture.run(t)));
        json!({
            "name": self.name,
            "abstract": "violated",
            "states": states,
            "steps": steps,
            "real": run.is_some(),
            "run": trace,
        })
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
