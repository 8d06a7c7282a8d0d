//! `sectile select`, and the selection of predicates for `sectile check`.

use crate::args::{CheckArgs, Format, InputArgs, SelectArgs};
use crate::commands::{load_model, load_silently};
use crate::exit::Exit;
use crate::output;
use sectile_base::Budget;
use sectile_driver::small::transferred;
use sectile_driver::{BadRequest, Loaded, registry};
use sectile_engine::{Settings, Silent};
use sectile_engine_partial::{Aim, Heuristic, SelectError, SelectOptions, Selection, select};
use sectile_model::{Property, Task};
use sectile_terms::{NativePrinter, Term};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(args: &SelectArgs) -> anyhow::Result<Exit> {
    let loaded = match args.small.is_empty() {
        true => load_model(&args.input)?,
        false => small_instance(&args.input, &args.small)?,
    };
    let mut exit = Exit::Success;
    let mut documents = Vec::new();
    for property in wanted(&loaded, &args.property)? {
        let mut budget = Budget::unlimited().with_memory(args.limits.memory);
        if let Some(limit) = args.limits.timeout {
            budget = budget.with_time(limit);
        }
        let options = SelectOptions {
            heuristic: args.heuristic.into(),
            aim: args.aim.into(),
            depth: args.depth,
            budget,
            settings: settings(&args.settings),
        };
        let selection = match chosen(
            &loaded,
            property,
            &args.solver,
            args.limits.memory,
            &options,
        )? {
            Ok(selection) => selection,
            Err(SelectError::Bad(bad)) => return Err(BadRequest(bad).into()),
            Err(SelectError::Stopped(stop)) => {
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

fn settings(list: &[(String, String)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in list {
        settings.set(name, value);
    }
    settings
}

/// The instance that `--small` describes.
fn small_instance(input: &InputArgs, small: &[(String, String)]) -> anyhow::Result<Loaded> {
    if input.file == "-" {
        return Err(BadRequest("--small reads the model twice: it needs a file".into()).into());
    }
    let mut input = input.clone();
    let given = |name: &str| small.iter().any(|(n, _)| n == name);
    input.define.retain(|(name, _)| !given(name));
    input.define.extend(small.iter().cloned());
    load_silently(&input)
}

/// The properties asked for; without a wish, all for which predicates can be selected.
fn wanted<'l>(loaded: &'l Loaded, names: &[String]) -> anyhow::Result<Vec<&'l Property>> {
    let module = &loaded.reading.module;
    if !names.is_empty() {
        let find = |name: &String| {
            let found = module.property(name);
            found.ok_or_else(|| BadRequest(format!("there is no property `{name}`")).into())
        };
        return names.iter().map(find).collect();
    }
    let fits = |property: &&Property| {
        let task = Task {
            terms: &loaded.terms,
            model: &module.model,
            property,
        };
        sectile_engine_partial::subject(&task).is_ok()
    };
    let found: Vec<&Property> = module.properties.iter().filter(fits).collect();
    match found.is_empty() {
        true => Err(BadRequest(
            "predicates are selected for systems and properties of all paths; there is none".into(),
        )
        .into()),
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
        false => Some(small_instance(&args.input, &args.small)?),
    };
    let instance = small.as_ref().unwrap_or(loaded);
    for property in wanted(instance, &args.property)? {
        let mut budget = Budget::unlimited().with_memory(args.limits.memory);
        if let Some(limit) = args.limits.timeout {
            budget = budget.with_time(limit);
        }
        let options = SelectOptions {
            heuristic: heuristic.into(),
            aim: Aim::Conclusively,
            depth: args.depth,
            budget,
            settings: settings(&args.settings),
        };
        let chosen = match chosen(
            instance,
            property,
            &args.solver,
            args.limits.memory,
            &options,
        )? {
            Ok(selection) => transferred(instance, loaded, &selection.predicates),
            Err(SelectError::Bad(bad)) => return Err(BadRequest(bad).into()),
            Err(SelectError::Stopped(stop)) => {
                warn(
                    args,
                    &format!("no predicates for {}: {stop}", property.name),
                );
                continue;
            }
        };
        if chosen.is_empty() {
            warn(
                args,
                &format!("no predicate is eligible for {}", property.name),
            );
        } else if !args.quiet {
            let printer = NativePrinter::new(&loaded.terms);
            let words: Vec<String> = chosen.iter().map(|&p| printer.print(p)).collect();
            output::diagnostic(&format!("{}: selected {}", property.name, words.join("; ")));
        }
        found.insert(property.name.clone(), chosen);
    }
    Ok(found)
}

fn warn(args: &CheckArgs, text: &str) {
    if !args.quiet {
        output::diagnostic(&format!("warning: {text}"));
    }
}

/// What was found, for people and for programs.
struct Table<'t> {
    loaded: &'t Loaded,
    property: &'t Property,
    selection: &'t Selection,
}

impl Table<'_> {
    fn words(&self, predicates: &[Term]) -> Vec<String> {
        let printer = NativePrinter::new(&self.loaded.terms);
        predicates.iter().map(|&p| printer.print(p)).collect()
    }

    fn text(&self) -> String {
        let s = self.selection;
        let mut out = format!(
            "{}: {} candidates\n",
            self.property.name,
            s.candidates.len()
        );
        for (i, words) in self.words(&s.candidates).iter().enumerate() {
            let score = s.imprecision.individual[i];
            let _ = writeln!(
                out,
                "  {:<4} imprecision {score:<3} {words}",
                format!("p{i}")
            );
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
                    "best with {}: {} ({} variables, {} {})",
                    k + 1,
                    names(&best.members),
                    best.variables,
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

    /// Below the diagonal pairwise imprecision, and a mark where the pair is compatible.
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
                let mark = if table.is_some_and(|t| t[i][j]) {
                    "+"
                } else {
                    ""
                };
                let cell = match (score, mark) {
                    (0, "") => ".".to_string(),
                    (0, mark) => mark.to_string(),
                    (score, mark) => format!("{score}{mark}"),
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

/// The selection for a property of a file.
fn chosen(
    loaded: &Loaded,
    property: &Property,
    solver: &str,
    memory: u64,
    options: &SelectOptions,
) -> Result<Result<Selection, SelectError>, BadRequest> {
    let backend = registry::backend(solver, Some(memory))?;
    let task = Task {
        terms: &loaded.terms,
        model: &loaded.reading.module.model,
        property,
    };
    let partial = registry::partial();
    Ok(select(
        &task,
        &partial,
        backend.as_ref(),
        options,
        &mut Silent,
    ))
}
