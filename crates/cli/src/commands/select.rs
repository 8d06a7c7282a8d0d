//! `sectile select`, and the selection of predicates for `sectile check`.

use crate::args::{CheckArgs, Format, LimitArgs, SelectArgs};
use crate::commands::{bad, load_model, load_small, named_property, settings};
use crate::exit::Exit;
use crate::output;
use sectile_base::counted;
use sectile_driver::small::transferred;
use sectile_driver::{Loaded, registry};
use sectile_engine::{Silent, Stop};
use sectile_engine_partial::{
    Aim, Heuristic, Memory, SelectError, SelectOptions, Selection, reusable, select,
};
use sectile_model::{Property, Task};
use sectile_terms::{NativePrinter, Term};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(args: &SelectArgs) -> anyhow::Result<Exit> {
    let loaded = match args.small.is_empty() {
        true => load_model(&args.input)?,
        false => load_small(&args.input, &args.small)?,
    };
    let mut exit = Exit::Success;
    let mut documents = Vec::new();
    let mut memory = Memory::default();
    for property in wanted(&loaded, &args.property)? {
        let options = SelectOptions {
            heuristic: args.heuristic.into(),
            aim: args.aim.into(),
            depth: args.depth,
            ties: args.ties.into(),
            budget: args.input.limits.budget(),
            settings: settings(&args.settings),
        };
        let mut chooser = Chooser {
            loaded: &loaded,
            solver: &args.solver,
            limits: &args.input.limits,
            reuse: args.reuse,
            memory: &mut memory,
        };
        let selection = match chooser.chosen(property, &options)? {
            Ok(Chosen::Reused(predicates)) => {
                let words = words(&loaded, &predicates);
                let name = &property.name;
                match args.format {
                    Format::Text => {
                        output::result(&format!("{name}: reused: {}\n", words.join("; ")));
                    }
                    Format::Json => {
                        let found = json!({"property": name, "reused": true, "chosen": words});
                        documents.push(found);
                    }
                }
                continue;
            }
            Ok(Chosen::Anew(selection)) => selection,
            Err(stop) => {
                output::diagnostic(&format!("{}: no selection: {stop}", property.name));
                exit = Exit::Unknown;
                continue;
            }
        };
        let table = Table {
            loaded: &loaded,
            property,
            selection: &selection,
        };
        match args.format {
            Format::Text => output::result(&table.text()),
            Format::Json => documents.push(table.json(options.heuristic)),
        }
    }
    if args.format == Format::Json {
        let document = json!({"version": 1, "file": loaded.source.name(), "selections": documents});
        output::result(&format!("{document:#}\n"));
    }
    Ok(exit)
}

/// The requested properties; by default, all for which predicates can be selected.
fn wanted<'l>(loaded: &'l Loaded, names: &[String]) -> anyhow::Result<Vec<&'l Property>> {
    let module = &loaded.reading.module;
    if !names.is_empty() {
        return names.iter().map(|n| named_property(loaded, n)).collect();
    }
    let fits = |property: &&Property| {
        let task = Task::new(&loaded.terms, &module.model, property);
        sectile_engine_partial::subject(&task).is_ok()
    };
    let found: Vec<&Property> = module.properties.iter().filter(fits).collect();
    match found.is_empty() {
        true => Err(bad(
            "predicates can be selected only for systems and properties of all paths; there is no such property",
        )),
        false => Ok(found),
    }
}

/// For `check --select`: the predicates for each property, in the words of the model checked.
pub fn for_check(args: &CheckArgs, loaded: &Loaded) -> anyhow::Result<BTreeMap<String, Vec<Term>>> {
    let mut found = BTreeMap::new();
    let Some(heuristic) = args.select else {
        return Ok(found);
    };
    let small = match args.small.is_empty() {
        true => None,
        false => Some(load_small(&args.input, &args.small)?),
    };
    let instance = small.as_ref().unwrap_or(loaded);
    let mut memory = Memory::default();
    for property in wanted(instance, &args.property)? {
        let options = SelectOptions {
            heuristic: heuristic.into(),
            aim: Aim::Conclusively,
            depth: args.depth,
            ties: args.ties.into(),
            budget: args.input.limits.budget(),
            settings: settings(&args.settings),
        };
        let name = &property.name;
        let mut chooser = Chooser {
            loaded: instance,
            solver: &args.solver,
            limits: &args.input.limits,
            reuse: args.reuse,
            memory: &mut memory,
        };
        let said = match chooser.chosen(property, &options)? {
            Err(stop) => format!("warning: no predicates for {name}: {stop}"),
            Ok(outcome) => {
                let (how, predicates) = match &outcome {
                    Chosen::Reused(predicates) => ("reused", predicates),
                    Chosen::Anew(selection) => ("selected", &selection.predicates),
                };
                let chosen = transferred(instance, loaded, predicates);
                let said = match chosen.is_empty() {
                    true => format!("warning: no predicate is eligible for {name}"),
                    false => format!("{name}: {how} {}", words(loaded, &chosen).join("; ")),
                };
                found.insert(name.clone(), chosen);
                said
            }
        };
        if !args.quiet {
            output::diagnostic(&said);
        }
    }
    Ok(found)
}

fn words(loaded: &Loaded, predicates: &[Term]) -> Vec<String> {
    let printer = NativePrinter::new(&loaded.terms);
    predicates.iter().map(|&p| printer.print(p)).collect()
}

/// The result of a selection, printed as text or as JSON.
struct Table<'t> {
    loaded: &'t Loaded,
    property: &'t Property,
    selection: &'t Selection,
}

impl Table<'_> {
    fn words(&self, predicates: &[Term]) -> Vec<String> {
        words(self.loaded, predicates)
    }

    fn text(&self) -> String {
        let s = self.selection;
        let (name, count) = (&self.property.name, s.candidates.len());
        let mut out = format!("{name}: {count} candidates\n");
        for (i, words) in self.words(&s.candidates).iter().enumerate() {
            let score = s.imprecision.individual[i];
            let name = format!("p{i}");
            let _ = writeln!(out, "  {name:<4} imprecision {score:<3} {words}");
        }
        out.push_str(&self.matrix());
        let (alone, pairs) = (s.imprecision.individuals(), s.imprecision.pairs());
        let _ = writeln!(out, "imprecise: {alone} alone, {pairs} pairs");
        if let Some(compatibility) = &s.compatibility {
            let (yes, no) = compatibility.counts();
            let _ = writeln!(out, "compatible: {yes} pairs, {no} are not");
            let (precision, recall) = compatibility.predicted_by(&s.imprecision);
            let percent = |x: Option<f64>| match x {
                Some(x) => format!("{:.1} %", 100.0 * x),
                None => "undefined".to_string(),
            };
            let _ = writeln!(
                out,
                "imprecision as a prediction of incompatibility: precision {}, recall {}",
                percent(precision),
                percent(recall)
            );
        }
        for (k, best) in s.choices.best.iter().enumerate() {
            if let Some(best) = best {
                let _ = writeln!(
                    out,
                    "best with {}: {} ({}, {} {})",
                    k + 1,
                    names(&best.members),
                    counted(best.variables, "variable"),
                    self.score_word(),
                    best.score
                );
            }
        }
        let chosen = match s.predicates.is_empty() {
            true => "none".to_string(),
            false => self.words(&s.predicates).join("; "),
        };
        let _ = writeln!(out, "chosen: {chosen}");
        out
    }

    fn score_word(&self) -> &'static str {
        match self.selection.compatibility {
            Some(_) => "cohesion",
            None => "imprecision",
        }
    }

    /// Below the diagonal: the imprecision of each pair, with a mark if the pair is compatible.
    fn matrix(&self) -> String {
        let s = self.selection;
        let mut out = String::from("pairs: imprecision");
        if s.compatibility.is_some() {
            out.push_str(", + if compatible");
        }
        out.push('\n');
        for i in 1..s.candidates.len() {
            let _ = write!(out, "  {:<4}", format!("p{i}"));
            for j in 0..i {
                let score = s.imprecision.pairwise[i][j];
                let table = s.compatibility.as_ref().map(|c| &c.table);
                let cell = match (score, table.is_some_and(|t| t[i][j])) {
                    (0, false) => ".".to_string(),
                    (0, true) => "+".to_string(),
                    (score, false) => score.to_string(),
                    (score, true) => format!("{score}+"),
                };
                let _ = write!(out, " {cell:<3}");
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out
    }

    fn json(&self, heuristic: Heuristic) -> Value {
        let s = self.selection;
        let best = s
            .choices
            .best
            .iter()
            .flatten()
            .map(|b| json!({"members": b.members, "variables": b.variables, "score": b.score}));
        let compatibility = s.compatibility.as_ref().map(|c| {
            let (yes, no) = c.counts();
            let (precision, recall) = c.predicted_by(&s.imprecision);
            json!({"pairs": c.table, "compatible": yes, "incompatible": no,
                   "precision": precision, "recall": recall})
        });
        let mut document = json!({
            "property": self.property.name,
            "heuristic": match heuristic {
                Heuristic::Imprecision => "imprecision",
                Heuristic::Property => "property",
                Heuristic::Compatibility => "compatibility",
            },
            "candidates": self.words(&s.candidates),
            "imprecision": {
                "individual": s.imprecision.individual,
                "pairwise": s.imprecision.pairwise,
                "imprecise": s.imprecision.individuals(),
                "imprecise_pairs": s.imprecision.pairs(),
            },
            "best": best.collect::<Vec<_>>(),
            "chosen": self.words(&s.predicates),
        });
        if let Some(compatibility) = compatibility {
            document["compatibility"] = compatibility;
        }
        document
    }
}

fn names(members: &[usize]) -> String {
    let list: Vec<String> = members.iter().map(|i| format!("p{i}")).collect();
    format!("{{{}}}", list.join(", "))
}

/// Chooses predicates for the properties of a file, one after the other.
struct Chooser<'c> {
    loaded: &'c Loaded,
    solver: &'c str,
    limits: &'c LimitArgs,
    reuse: bool,
    memory: &'c mut Memory,
}

/// Where predicates come from.
enum Chosen {
    /// They were chosen for an earlier property.
    Reused(Vec<Term>),
    /// They were chosen for this one.
    Anew(Selection),
}

impl Chooser<'_> {
    /// The predicates for a property, or why the selection was given up.
    fn chosen(
        &mut self,
        property: &Property,
        options: &SelectOptions,
    ) -> anyhow::Result<Result<Chosen, Stop>> {
        let backend = registry::backend(self.solver, Some(self.limits.memory))?;
        let backend = backend.as_ref();
        let Loaded { terms, reading, .. } = self.loaded;
        let task = Task::new(terms, &reading.module.model, property);
        let partial = registry::partial();
        let mut found = Ok(None);
        if self.reuse {
            found = reusable(&task, &partial, backend, options, self.memory, &mut Silent);
        }
        let found = found.and_then(|known| match known {
            Some(predicates) => Ok(Chosen::Reused(predicates)),
            None => {
                let (memory, observer) = (&mut *self.memory, &mut Silent);
                select(&task, &partial, backend, options, memory, observer).map(Chosen::Anew)
            }
        });
        match found {
            Ok(chosen) => Ok(Ok(chosen)),
            Err(SelectError::Stopped(stop)) => Ok(Err(stop)),
            Err(SelectError::Bad(why)) => Err(bad(why)),
        }
    }
}
