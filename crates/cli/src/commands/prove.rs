//! `sectile prove`: checks the premises of proof rules.

use crate::args::{Format, PartsName, ProveArgs};
use crate::commands::abstract_::setup;
use crate::commands::{self, load_model, named_property, refused};
use crate::exit::Exit;
use crate::output;
use anyhow::Context as _;
use sectile_base::{Budget, Span};
use sectile_domains::bdd::Bdd;
use sectile_driver::{Loaded, registry};
use sectile_engine::violating_states;
use sectile_engine_predabs::{
    AbstractSystem, Alpha, Backward, Discharge, InvUni, Obligation, Parts, Prover, Transformers,
    backward, discharge, inv, simulation,
};
use sectile_model::{Model, Property, PropertyKind, Task};
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Stage, Symbol, Term, Terms, Value as Constant, display_value};
use sectile_transform::{Pass as _, PcEncoding};
use serde_json::{Value, json};

/// A system and a property of it.
pub struct Subject {
    /// The system; programs have a program counter added.
    pub system: Model,
    /// The states that satisfy the property.
    pub property: Option<Term>,
}

/// The system of a file, and the property of the given name, if any.
pub fn subject(loaded: &Loaded, name: Option<&str>) -> anyhow::Result<Subject> {
    let module = &loaded.reading.module;
    let chosen = name.map(|name| named_property(loaded, name)).transpose()?;
    let (system, chosen) = match module.model.is_system() {
        true => (module.model.clone(), chosen.cloned()),
        false => {
            let nothing = Property {
                name: "nothing".to_string(),
                kind: PropertyKind::Invariant(loaded.terms.tt()),
                span: Span::new(0, 0),
            };
            let asked = chosen.unwrap_or(&nothing);
            let applied = PcEncoding.apply(&Task::new(&loaded.terms, &module.model, asked));
            let applied = applied.map_err(|e| refused("program", e))?;
            (applied.model, chosen.map(|_| applied.property))
        }
    };
    let property = match chosen {
        None => None,
        Some(property) => {
            let bad = violating_states(&loaded.terms, &property.kind);
            let why = || commands::bad(format!("`{}` is not an invariant", property.name));
            Some(loaded.terms.not(bad.ok_or_else(why)?))
        }
    };
    Ok(Subject { system, property })
}

/// Some values of a model as `x = 1, y = 2`.
pub fn values<'m>(
    terms: &Terms,
    model: impl Iterator<Item = (&'m (Symbol, Stage), &'m Constant)>,
) -> String {
    let shown = model.map(|((symbol, _), value)| {
        format!("{} = {}", terms.name(*symbol), display_value(terms, value))
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Runs the command.
pub fn run(args: &ProveArgs) -> anyhow::Result<Exit> {
    let loaded = load_model(&args.input)?;
    let subject = subject(&loaded, args.property.as_deref())?;
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let work = Work {
        loaded: &loaded,
        subject: &subject,
        args,
        backend: backend.as_ref(),
        budget: args.input.limits.budget(),
    };
    work.run()
}

struct Work<'w> {
    loaded: &'w Loaded,
    subject: &'w Subject,
    args: &'w ProveArgs,
    backend: &'w dyn Backend,
    budget: Budget,
}

impl Work<'_> {
    fn run(&self) -> anyhow::Result<Exit> {
        let terms = &self.loaded.terms;
        // The premise about simulation, if the construction does not guarantee it.
        let mut first = Vec::new();
        let inside = self.inside(&mut first)?;
        let system = inside.as_ref().unwrap_or(&self.subject.system);
        let mut prover = Prover::new(terms, self.backend, &self.budget)?;
        let mut psi = self.invariant()?;
        let mut text = String::new();
        let mut how_backward = None;
        let mut known = None;
        let relative = self.args.relative.as_deref();
        let relative = setup::relative(self.loaded, self.subject, relative)?;
        if let Some(using) = &self.args.using {
            let mut alpha = Alpha::new();
            let given = self.loaded.formulas("<--using>", using)?;
            for (k, p) in given.into_iter().enumerate() {
                alpha.add_predicate(terms, &format!("a{}", k + 1), p);
            }
            alpha.add_copies(terms, system);
            let mut abstracted = AbstractSystem::new(terms, system, alpha, relative, &mut prover)?;
            let reach = abstracted.reach(Bdd::FALSE, &mut prover)?;
            let set = abstracted.concrete(terms, reach.all);
            let shown = self.print(terms.simplify(set));
            text += &format!("known invariant: {shown}\n");
            known = Some((abstracted, reach, set));
        } else if let Some(q) = self.known()? {
            let mut abstracted = AbstractSystem::two_states(terms, system, q);
            first = simulation(terms, system, &mut abstracted, terms.tt());
            let reach = abstracted.reach(Bdd::FALSE, &mut prover)?;
            text += &format!("known invariant: {}\n", self.print(q));
            known = Some((abstracted, reach, q));
        }
        if let Some(bound) = self.args.backward {
            let start = known.as_ref().map_or(psi, |k| terms.and2(psi, k.2));
            let mut transformers = Transformers::new(terms, system, self.backend, &self.budget);
            let found = backward(terms, system, start, bound, &mut prover, &mut transformers)?;
            let (set, how) = match found {
                Backward::Fixpoint { set, iterations } => {
                    (set, format!("fixpoint after {iterations} iterations"))
                }
                Backward::Open(set) => (set, format!("no fixpoint after {bound} iterations")),
            };
            text.push_str(&format!("backward procedure: {how}\n"));
            psi = set;
            how_backward = Some(how);
        }
        text.push_str(&format!("invariant: {}\n", self.print(psi)));
        let property = self.subject.property;
        let obligations = match &mut known {
            None => {
                text.push_str("rule: Inv\n");
                inv(terms, system, psi, property)
            }
            Some((abstracted, reach, _)) => {
                text.push_str("rule: Inv-Uni\n");
                let rule = InvUni {
                    relative,
                    weaker: self.weaker()?,
                    parts: match self.args.parts {
                        PartsName::Whole => Parts::Whole,
                        PartsName::Apart => Parts::Apart,
                        PartsName::States => Parts::States,
                    },
                    ..InvUni::new(terms, psi, property)
                };
                rule.obligations(abstracted, reach)
            }
        };
        let obligations = [first, obligations].concat();
        self.export(&obligations)?;
        let mut all_valid = true;
        let mut list = Vec::new();
        for obligation in &obligations {
            let answer = discharge(&mut prover, system, obligation)?;
            all_valid &= answer == Discharge::Valid;
            text.push_str(&self.line(obligation, &answer));
            list.push(self.obligation_json(obligation, &answer));
        }
        if self.args.format == Format::Json {
            let rule = if known.is_some() { "Inv-Uni" } else { "Inv" };
            let document = json!({
                "version": 1,
                "rule": rule,
                "known": known.as_ref().map(|k| self.print(terms.simplify(k.2))),
                "backward": how_backward,
                "invariant": self.print(psi),
                "obligations": list,
                "proved": all_valid,
                "prover_calls": prover.calls(),
            });
            text = serde_json::to_string_pretty(&document)? + "\n";
        } else {
            text += if all_valid {
                "proved\n"
            } else {
                "not proved\n"
            };
        }
        output::result(&text);
        Ok(match all_valid {
            true => Exit::Success,
            false => Exit::Unknown,
        })
    }

    fn print(&self, t: Term) -> String {
        NativePrinter::new(&self.loaded.terms).print(t)
    }

    /// The invariant of `--known`.
    fn known(&self) -> anyhow::Result<Option<Term>> {
        let terms = &self.loaded.terms;
        let read = |text: &String| self.loaded.formulas("<--known>", text);
        let read = self.args.known.as_ref().map(read).transpose()?;
        Ok(read.map(|list| terms.and(list)))
    }

    /// The condition of `--weaker`.
    fn weaker(&self) -> anyhow::Result<Option<Term>> {
        let terms = &self.loaded.terms;
        let read = |text: &String| self.loaded.formulas("<--weaker>", text);
        let read = self.args.weaker.as_ref().map(read).transpose()?;
        Ok(read.map(|list| terms.and(list)))
    }

    /// With `--using` and `--known`, the system restricted to the known invariant, which has the
    /// same runs. Adds the obligations that establish the invariant to `first`.
    fn inside(&self, first: &mut Vec<Obligation>) -> anyhow::Result<Option<Model>> {
        let (Some(q), Some(_)) = (self.known()?, &self.args.using) else {
            return Ok(None);
        };
        let (terms, system) = (&self.loaded.terms, &self.subject.system);
        let mut two = AbstractSystem::two_states(terms, system, q);
        first.extend(simulation(terms, system, &mut two, terms.tt()));
        let mut inside = system.clone();
        inside.restrict.push(q);
        Ok(Some(inside))
    }

    /// The given invariant, or the property.
    fn invariant(&self) -> anyhow::Result<Term> {
        match &self.args.invariant {
            Some(text) => {
                let read = self.loaded.formulas("<--invariant>", text)?;
                Ok(self.loaded.terms.and(read))
            }
            None => self.subject.property.ok_or_else(|| {
                commands::bad("give --invariant, or --property for the property itself")
            }),
        }
    }

    fn export(&self, obligations: &[Obligation]) -> anyhow::Result<()> {
        let Some(folder) = &self.args.export else {
            return Ok(());
        };
        let terms = &self.loaded.terms;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {folder:?}"))?;
        for (k, obligation) in obligations.iter().enumerate() {
            let formulas = [obligation.premise, terms.not(obligation.claim)];
            let script = sectile_smtlib::script(terms, &formulas);
            let script = script.map_err(|e| refused("export", format!("{e:?}")))?;
            let word = obligation
                .name
                .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            let file = folder.join(format!("{:02}-{word}.smt2", k + 1));
            let note = format!("; {}: valid if unsat\n", obligation.name.replace('\n', " "));
            output::file(&file, &(note + &script))?;
        }
        Ok(())
    }

    /// The obligation with its answer, as JSON.
    fn obligation_json(&self, obligation: &Obligation, answer: &Discharge) -> Value {
        let terms = &self.loaded.terms;
        let mut document = json!({
            "name": obligation.name,
            "premise": self.print(obligation.premise),
            "claim": self.print(obligation.claim),
            "answer": match answer {
                Discharge::Valid => "valid",
                Discharge::Fails(_) => "fails",
                Discharge::Unknown(_) => "unknown",
            },
        });
        let Some(object) = document.as_object_mut() else {
            return document;
        };
        match answer {
            Discharge::Valid => {}
            Discharge::Unknown(why) => {
                object.insert("reason".to_string(), json!(why));
            }
            Discharge::Fails(model) => {
                for (key, stage) in [("from", Stage::Now), ("to", Stage::Next)] {
                    let values = model.iter().filter(|((_, s), _)| *s == stage);
                    let values = values.map(|((symbol, _), value)| {
                        let value = display_value(terms, value).to_string();
                        (terms.name(*symbol).to_string(), json!(value))
                    });
                    let values: serde_json::Map<String, Value> = values.collect();
                    if !values.is_empty() {
                        object.insert(key.to_string(), Value::Object(values));
                    }
                }
            }
        }
        document
    }

    /// The obligation with its answer, as text.
    fn line(&self, obligation: &Obligation, answer: &Discharge) -> String {
        let terms = &self.loaded.terms;
        let head = format!("  {}: ", obligation.name);
        match answer {
            Discharge::Valid => head + "valid\n",
            Discharge::Unknown(why) => format!("{head}unknown ({why})\n"),
            Discharge::Fails(model) => {
                let at = |stage| values(terms, model.iter().filter(|((_, s), _)| *s == stage));
                let after = at(Stage::Next);
                let arrow = match after.is_empty() {
                    true => String::new(),
                    false => format!("\n    to   {after}"),
                };
                format!("{head}fails\n    from {}{arrow}\n", at(Stage::Now))
            }
        }
    }
}
