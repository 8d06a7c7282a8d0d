//! `sectile abstract`.

mod lecture;
mod picture;
mod relation;
mod setup;

use crate::args::{AbstractArgs, AbstractFormat};
use crate::commands::prove::subject;
use crate::commands::{bad, load_counters, load_model};
use crate::exit::Exit;
use crate::output;
use picture::Picture;
use sectile_domains::bdd::Bdd;
use sectile_driver::registry;
use sectile_engine_predabs::{AbstractSystem, Kind, Prover};
use sectile_questions::counters;

/// Programs with no more predicates than this show all questions.
const FEW_PREDICATES: usize = 3;

/// Runs the command.
pub fn run(args: &AbstractArgs) -> anyhow::Result<Exit> {
    let nothing = args.predicates.trim().is_empty() && args.data.is_empty();
    if args.counters && nothing {
        let (file, language) = (&args.input.file, args.input.input.as_deref());
        output::result(&counters::translate(file, language, &args.input.define)?);
        return Ok(Exit::Success);
    }
    if nothing {
        let why = "give --predicates, --data or --counters: what the abstraction tells apart";
        return Err(bad(why));
    }
    let loaded = match args.counters {
        true => load_counters(&args.input)?.0,
        false => load_model(&args.input)?,
    };
    let subject = subject(&loaded, args.property.as_deref())?;
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let budget = args.input.limits.budget();
    let terms = &loaded.terms;
    let prover = Prover::new(terms, backend.as_ref(), &budget)?;
    let alpha = setup::alpha(&loaded, &subject, args, backend.as_ref(), &budget)?;
    let recipe = setup::recipe(args, &alpha)?;
    let mut prover = prover.limited(args.calls);
    let within = match (args.relative, subject.property) {
        (true, Some(property)) => property,
        _ => terms.tt(),
    };
    let system = &subject.system;
    let mut abstracted = AbstractSystem::by(&recipe, terms, system, alpha, within, &mut prover)?;
    let reach = abstracted.reach(Bdd::FALSE, &mut prover)?;
    let predicates = abstracted.alpha.variables().iter();
    let predicates = predicates.filter(|v| v.kind == Kind::Predicate).count();
    let (calls, limited) = (prover.calls(), prover.spent());
    prover = prover.limited(None);
    let consistent = abstracted.consistent(&mut prover)?;
    let is_lecture = loaded.frontend.name() == "imp" && predicates <= FEW_PREDICATES;
    let mut picture = Picture {
        loaded: &loaded,
        subject: &subject,
        abstracted,
        reach,
        calls,
        limited,
        consistent,
        method: recipe.method.name().to_string(),
        prover,
    };
    let verdict = match &args.property {
        Some(name) => Some(picture.property(name, backend.as_ref(), &budget)?),
        None => None,
    };
    let text = match args.format {
        AbstractFormat::Dot => picture.dot(),
        AbstractFormat::Json => picture.json(verdict.as_ref())?,
        AbstractFormat::Text => {
            let mut text = picture.text();
            if let Some(split) = &args.split {
                text.push_str(&picture.by_guards(split)?);
            }
            if args.questions || is_lecture {
                text.push_str(&picture.questions(backend.as_ref(), &budget)?);
            }
            if let Some(verdict) = verdict {
                text.push_str(&verdict.text(&picture));
            }
            text.push_str(&picture.footer());
            text
        }
    };
    output::result(&text);
    Ok(Exit::Success)
}
