//! `sectile abstract`: computes and prints an abstraction of a system.

mod lecture;
mod must;
mod picture;
mod relation;
pub mod setup;
mod simulated;

use crate::args::{AbstractArgs, AbstractFormat};
use crate::commands::prove::subject;
use crate::commands::{bad, load_counters, load_model};
use crate::exit::Exit;
use crate::output;
use picture::Picture;
use sectile_domains::bdd::Bdd;
use sectile_driver::registry;
use sectile_engine_predabs::{AbstractSystem, Kind, Prover, is_abstraction};
use sectile_questions::counters;

/// All validity questions are shown for programs with at most this many predicates.
const FEW_PREDICATES: usize = 3;

/// Runs the command.
pub fn run(args: &AbstractArgs) -> anyhow::Result<Exit> {
    let nothing =
        args.predicates.trim().is_empty() && args.data.is_empty() && args.relation.is_empty();
    if args.counters && nothing {
        let (file, language) = (&args.input.file, args.input.input.as_deref());
        output::result(&counters::translate(file, language, &args.input.define)?);
        return Ok(Exit::Success);
    }
    if nothing {
        let why =
            "give --predicates, --data, --relation or --counters: what the abstraction tells apart";
        return Err(bad(why));
    }
    let loaded = match args.counters {
        true => load_counters(&args.input)?.0,
        false => load_model(&args.input)?,
    };
    let mut subject = subject(&loaded, args.property.as_deref())?;
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let budget = args.input.limits.budget();
    let terms = &loaded.terms;
    let mut prover = Prover::new(terms, backend.as_ref(), &budget)?;
    if let Some(text) = &args.known {
        let known = setup::established(&loaded, &subject.system, text, &mut prover)?;
        // No run leaves the invariant, so the system restricted to it has the same runs.
        subject.system.restrict.push(known);
    }
    let prover = Prover::new(terms, backend.as_ref(), &budget)?;
    let alpha = setup::alpha(&loaded, &subject, args, backend.as_ref(), &budget)?;
    let recipe = setup::recipe(args, &alpha)?;
    let mut prover = prover.limited(args.calls);
    let within = setup::relative(&loaded, &subject, args.relative.as_deref())?;
    let in_doubt = setup::is_in_doubt(&recipe, &alpha);
    let system = &subject.system;
    let mut abstracted = AbstractSystem::by(&recipe, terms, system, alpha, within, &mut prover)?;
    let reach = abstracted.reach(Bdd::FALSE, &mut prover)?;
    let predicates = abstracted.alpha.variables().iter();
    let predicates = predicates.filter(|v| v.kind == Kind::Predicate).count();
    let (calls, limited) = (prover.calls(), prover.spent());
    prover = prover.limited(None);
    let consistent = abstracted.consistent(&mut prover)?;
    let simulation = match in_doubt {
        true => Some(is_abstraction(
            terms,
            system,
            &mut abstracted,
            within,
            &mut prover,
        )?),
        false => None,
    };
    let is_lecture = loaded.frontend.info().name == "imp" && predicates <= FEW_PREDICATES;
    let mut picture = Picture {
        loaded: &loaded,
        subject: &subject,
        abstracted,
        reach,
        calls,
        limited,
        consistent,
        method: recipe.method.name().to_string(),
        simulation,
        must: None,
        prover,
    };
    if args.must {
        picture.find_must_steps(backend.as_ref(), &budget)?;
    }
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
            text.push_str(&picture.must_text()?);
            if let Some(verdict) = verdict {
                text.push_str(&verdict.text(&picture));
            }
            text.push_str(&picture.simulation_text());
            text.push_str(&picture.footer());
            text
        }
    };
    output::result(&text);
    Ok(match picture.simulation {
        Some(Err(_)) => Exit::Unknown,
        _ => Exit::Success,
    })
}
