//! `sectile abstract`.

use crate::args::{AbstractArgs, ShowFormat};
use crate::commands::load_model;
use crate::commands::prove::{Subject, budget, subject};
use crate::exit::Exit;
use crate::output;
use sectile_base::Budget;
use sectile_domains::bdd::Bdd;
use sectile_driver::check::BadRequest;
use sectile_driver::{Loaded, predicates, registry};
use sectile_engine_predabs::{
    AbstractSystem, Alpha, Analysis, Effect, Kind, Prover, Question, Reach, bdd2f,
};
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Sort, Substitution, Symbol, SymbolKind, Term};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// More states than this are not listed one by one.
const MOST_STATES: usize = 500;

/// Runs the command.
pub fn run(args: &AbstractArgs) -> anyhow::Result<Exit> {
    let loaded = load_model(&args.input)?;
    let subject = subject(&loaded, args.property.as_deref())?;
    let backend = registry::backend(&args.solver, Some(args.limits.memory))?;
    let budget = budget(&args.limits);
    let mut prover = Prover::new(&loaded.terms, backend.as_ref(), &budget)?;
    let alpha = alpha(&loaded, &subject, &args.predicates)?;
    let terms = &loaded.terms;
    let mut abstracted =
        AbstractSystem::new(terms, &subject.system, alpha, terms.tt(), &mut prover)?;
    let reach = abstracted.reach(Bdd::FALSE, &mut prover)?;
    let mut picture = Picture {
        loaded: &loaded,
        subject: &subject,
        abstracted,
        reach,
        prover,
    };
    if args.format == ShowFormat::Dot {
        output::result(&picture.dot());
        return Ok(Exit::Success);
    }
    let mut text = picture.text();
    if args.questions {
        text.push_str(&picture.questions()?);
    }
    if let Some(name) = &args.property {
        text.push_str(&picture.property(name, backend.as_ref(), &budget)?);
    }
    let _ = writeln!(text, "prover calls: {}", picture.prover.calls());
    output::result(&text);
    Ok(Exit::Success)
}

/// The abstraction relation: the predicates, then copies of all finite variables.
fn alpha(loaded: &Loaded, subject: &Subject, text: &str) -> anyhow::Result<Alpha> {
    let terms = &loaded.terms;
    let mut alpha = Alpha::new();
    for (k, &p) in predicates::read(loaded, "<--predicates>", text)?
        .iter()
        .enumerate()
    {
        alpha.add_predicate(terms, &format!("a{}", k + 1), p);
    }
    alpha.add_copies(terms, &subject.system);
    Ok(alpha)
}

struct Picture<'p> {
    loaded: &'p Loaded,
    subject: &'p Subject,
    abstracted: AbstractSystem<'p>,
    reach: Reach,
    prover: Prover<'p>,
}

impl Picture<'_> {
    fn text(&mut self) -> String {
        let terms = &self.loaded.terms;
        let printer = NativePrinter::new(terms);
        let mut out = String::from("abstract variables\n");
        for variable in self.abstracted.alpha.variables() {
            let meaning = match variable.kind {
                Kind::Predicate => printer.print(variable.meanings[1]),
                Kind::Copy(_) => "copied".to_string(),
                Kind::Data => variable.labels.join(" | "),
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
            let _ = writeln!(out, "  {}", self.transition(k));
        }
        let all = self.reach.all;
        let count = self
            .abstracted
            .alpha
            .space()
            .count(&self.abstracted.manager, all);
        let _ = writeln!(out, "reachable: {count} states");
        for state in self.abstracted.states(all, MOST_STATES) {
            let _ = writeln!(out, "  {}", self.state(&state));
        }
        let alpha = &self.abstracted.alpha;
        let formula = bdd2f(alpha, &mut self.abstracted.manager, all);
        let _ = writeln!(out, "formula: {}", formula.text(alpha));
        out.push_str("invariants\n");
        for (premises, conclusions) in formula.cases() {
            let left: Vec<String> = premises
                .iter()
                .map(|c| self.concrete(&c.text(alpha)))
                .collect();
            let right = conclusions.iter().map(|f| self.concrete(&f.text(alpha)));
            let right = right.collect::<Vec<_>>().join(" and ");
            let _ = match left.is_empty() {
                true => writeln!(out, "  {right}"),
                false => writeln!(out, "  {} => {right}", left.join(" and ")),
            };
        }
        out
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

    fn state(&self, state: &[usize]) -> String {
        let variables = self.abstracted.alpha.variables().iter().zip(state);
        let parts = variables.map(|(v, &k)| match (v.labels[k].as_str(), v.kind) {
            ("true", Kind::Predicate | Kind::Copy(_)) => v.name.clone(),
            ("false", Kind::Predicate | Kind::Copy(_)) => format!("not {}", v.name),
            (label, _) => format!("{} = {label}", v.name),
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The transition as a guarded assignment over abstract variables.
    fn transition(&self, k: usize) -> String {
        let terms = &self.loaded.terms;
        let variables = self.abstracted.alpha.variables();
        let mut names: BTreeMap<Symbol, String> = BTreeMap::new();
        let mut map = Substitution::default();
        for variable in variables.iter().filter(|v| v.kind == Kind::Predicate) {
            let symbol = terms.fresh(&variable.name, Sort::Bool, SymbolKind::Input);
            names.insert(symbol, variable.name.clone());
            map.insert(variable.meanings[1], terms.var(symbol));
            map.insert(variable.meanings[0], terms.not(terms.var(symbol)));
        }
        let rename = |symbol: Symbol| names.get(&symbol).cloned();
        let printer = NativePrinter::renaming(terms, &rename);
        let guards = self.subject.system.commands[k].guards.iter();
        let guard = terms.and(guards.map(|&g| terms.substitute(g, &map)));
        let transition = &self.abstracted.transitions[k];
        let mut effects = Vec::new();
        for (v, effect) in variables.iter().zip(&transition.effects) {
            let value = match *effect {
                Effect::Keep => continue,
                Effect::Value(value) => v.labels[value].clone(),
                Effect::Copy(other) => variables[other].name.clone(),
                Effect::Opposite(other) => format!("not {}", variables[other].name),
                Effect::Open => "?".to_string(),
            };
            effects.push(format!("{} := {value}", v.name));
        }
        let open: Vec<&str> = transition
            .open
            .iter()
            .map(|&v| variables[v].name.as_str())
            .collect();
        let how = match open.is_empty() {
            true => "substitution".to_string(),
            false => format!("elimination for {}", open.join(", ")),
        };
        let effects = match effects.is_empty() {
            true => "skip".to_string(),
            false => effects.join(", "),
        };
        format!(
            "{}: {} --> {effects}   // {how}",
            transition.name,
            printer.print(guard)
        )
    }

    /// The reachable graph for Graphviz.
    fn dot(&mut self) -> String {
        let all = self.reach.all;
        let states = self.abstracted.states(all, MOST_STATES);
        let mut out = String::from("digraph abstraction {\n  node [shape=box];\n");
        let initial = self.abstracted.initial;
        for (i, state) in states.iter().enumerate() {
            let first =
                self.abstracted
                    .alpha
                    .space()
                    .contains(&self.abstracted.manager, initial, state);
            let style = if first { ", peripheries=2" } else { "" };
            let label = self.state(state).replace('"', "'");
            let _ = writeln!(out, "  s{i} [label=\"{label}\"{style}];");
        }
        for (i, state) in states.iter().enumerate() {
            let source = {
                let system = &mut self.abstracted;
                system
                    .alpha
                    .space()
                    .tuple(&mut system.manager, state, false)
            };
            for k in 0..self.abstracted.transitions.len() {
                let after = self.abstracted.post(source, k);
                for target in self.abstracted.states(after, MOST_STATES) {
                    if let Some(j) = states.iter().position(|s| *s == target) {
                        let name = self.abstracted.transitions[k].name.replace('"', "'");
                        let _ = writeln!(out, "  s{i} -> s{j} [label=\"{name}\"];");
                    }
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// The validity question behind every possible edge.
    fn questions(&mut self) -> anyhow::Result<String> {
        let terms = &self.loaded.terms;
        let printer = NativePrinter::new(terms);
        let predicates: Vec<Term> = self
            .abstracted
            .alpha
            .variables()
            .iter()
            .filter(|v| v.kind == Kind::Predicate)
            .map(|v| v.meanings[1])
            .collect();
        if predicates.len() > 5 {
            return Err(BadRequest("--questions shows at most 5 predicates".to_string()).into());
        }
        let states: Vec<Term> = (0..1usize << predicates.len())
            .map(|bits| {
                let literals = predicates.iter().enumerate();
                terms.and(literals.map(|(i, &p)| match bits >> i & 1 {
                    1 => p,
                    _ => terms.not(p),
                }))
            })
            .collect();
        let mut out = String::from("questions\n");
        for command in &self.subject.system.commands {
            let step = self.subject.system.step_formula(terms, command);
            for &from in &states {
                for &to in &states {
                    let there = terms.and([from, step, terms.prime(to)]);
                    let edge = self.prover.satisfiable(there)?;
                    let _ = writeln!(
                        out,
                        "  {}: {} -> [] not ({}) is {}",
                        command.name,
                        printer.print(from),
                        printer.print(to),
                        if edge {
                            "not valid: edge"
                        } else {
                            "valid: no edge"
                        }
                    );
                }
            }
        }
        Ok(out)
    }

    /// Whether the property holds in the abstract system; if not, whether the path is real.
    fn property(
        &mut self,
        name: &str,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> anyhow::Result<String> {
        let terms = &self.loaded.terms;
        let Some(good) = self.subject.property else {
            return Ok(String::new());
        };
        let bad = terms.not(good);
        let mut set = Bdd::FALSE;
        let all = self.reach.all;
        for state in self.abstracted.states(all, usize::MAX) {
            let meaning = self.abstracted.alpha.meaning(terms, &state);
            if self.prover.satisfiable(terms.and2(meaning, bad))? {
                let system = &mut self.abstracted;
                let one = system
                    .alpha
                    .space()
                    .tuple(&mut system.manager, &state, false);
                set = system.manager.or(set, one);
            }
        }
        let reach = self.abstracted.reach(set, &mut self.prover)?;
        let Some(path) = self.abstracted.path(&reach, set) else {
            return Ok(format!("{name}: holds in the abstract system\n"));
        };
        let mut out = format!(
            "{name}: abstract counterexample\n  {}\n",
            self.state(&path.states[0])
        );
        for (&k, state) in path.commands.iter().zip(&path.states[1..]) {
            let command = &self.abstracted.transitions[k].name;
            let _ = writeln!(out, "  {command}\n  {}", self.state(state));
        }
        let question = Question {
            terms,
            system: &self.subject.system,
            bad,
        };
        out.push_str(match question.analyse(&path, backend, budget)? {
            Analysis::Real(_) => "  it is real: some run takes these steps\n",
            Analysis::Spurious(_) => "  it is spurious: no run takes these steps\n",
        });
        Ok(out)
    }
}
