//! Classification of tasks, and the engines that suit them.

use crate::check::BadRequest;
use crate::lower::Lowered;
use crate::portfolio::Member;
use crate::registry;
use crate::tables::{
    ARRAY_CLAUSES, ARRAYS, Attempt, CLAUSES, CTL, GRAPHS, LINEAR_CLAUSES, MANY, STRAIGHT, SYSTEMS,
    TABLE_SHARE, WIDE_CLAUSES,
};
use sectile_engine::{Accepts, Settings};
use sectile_model::{PropertyKind, Task};
use sectile_terms::Sort;
use sectile_transform::{Applied, has_arrays};

/// Whether the property is about branching time and not about single states.
fn branches(task: &Task<'_>) -> bool {
    match &task.property.kind {
        kind @ PropertyKind::Ctl(_) => kind.safe_at(task.terms, task.model.entry).is_none(),
        _ => false,
    }
}

/// Whether there is a single loop over many Booleans and reals.
fn is_wide(task: &Task<'_>) -> bool {
    let sorts = task.model.variables.iter();
    let sorts = sorts.map(|&v| task.terms.symbol_sort(v));
    let dense = sorts.filter(|s| matches!(s, Sort::Bool | Sort::Real));
    task.model.loop_heads().len() == 1 && dense.count() >= MANY
}

/// The table for a task, after the passes on clauses.
fn table(task: &Task<'_>) -> &'static [Attempt] {
    let model = task.model;
    let contracts = model.contracts.is_some();
    let clauses = contracts || model.is_clauses();
    match () {
        () if branches(task) => CTL,
        () if has_arrays(task.terms, model) && clauses && !model.is_linear() => ARRAY_CLAUSES,
        () if has_arrays(task.terms, model) => ARRAYS,
        () if clauses && (contracts || !model.is_linear()) => CLAUSES,
        () if clauses && is_wide(task) => WIDE_CLAUSES,
        () if clauses => LINEAR_CLAUSES,
        () if model.is_system() => SYSTEMS,
        () if model.loop_heads().is_empty() => STRAIGHT,
        () => GRAPHS,
    }
}

/// The engines for a task: the requested ones, or those that suit it.
pub(crate) fn members(
    asked: &[String],
    settings: &Settings,
    task: &Task<'_>,
    reduced: Option<Applied>,
) -> Result<Vec<Member>, BadRequest> {
    let mut members = Vec::new();
    let auto = asked.is_empty() || asked.iter().any(|e| e == "auto");
    if auto {
        let accepts = Accepts {
            premises: true,
            arrays: true,
            functions: true,
            ..Accepts::GRAPHS
        };
        let lowered = Lowered::new(*task, reduced, &accepts);
        let chosen = table(&lowered.task());
        let is_ctl = branches(&lowered.task());
        members.extend(chosen.iter().map(|attempt| attempted(attempt, settings)));
        // Engines that are in no table for such tasks may still decide it.
        for info in registry::engines().iter().map(|e| e.info()) {
            let suits = match is_ctl {
                true => info.accepts.ctl,
                false => info.accepts.safety,
            };
            if suits && chosen.iter().all(|(name, ..)| *name != info.name) {
                members.push(Member {
                    engine: info.name,
                    settings: settings.clone(),
                    weight: 1,
                });
            }
        }
    } else {
        for name in asked {
            members.push(Member {
                engine: known(name)?,
                settings: settings.clone(),
                weight: 1,
            });
        }
    }
    check_settings(&members, settings)?;
    Ok(members)
}

/// An engine of a table, with its own options unless the user set them.
pub(crate) fn attempted((engine, own, weight): &Attempt, given: &Settings) -> Member {
    let mut settings = given.clone();
    for (option, value) in *own {
        if settings.get(option).is_none() {
            settings.set(*option, *value);
        }
    }
    Member {
        engine,
        settings,
        weight: *weight * TABLE_SHARE,
    }
}

/// Restricts an engine to one interpolation method, unless the user set its methods.
pub(crate) fn interpolate_by(member: &mut Member, method: &str, given: &Settings) {
    let engine = registry::engine(member.engine);
    let options = engine.map_or_else(Vec::new, |e| e.info().options);
    for option in options.iter().filter(|o| o.interpolates) {
        if given.get(option.name).is_none() {
            member.settings.set(option.name, method);
        }
    }
}

/// The name of an existing engine.
fn known(name: &str) -> Result<&'static str, BadRequest> {
    let engine = registry::engine(name).map(|e| e.info().name);
    engine.ok_or_else(|| {
        let known: Vec<&str> = registry::engines().iter().map(|e| e.info().name).collect();
        BadRequest(format!(
            "there is no engine `{name}`; there are auto, {}",
            known.join(", ")
        ))
    })
}

/// Checks that every option belongs to some engine and has a valid value.
fn check_settings(members: &[Member], settings: &Settings) -> Result<(), BadRequest> {
    let mut names = Vec::new();
    for member in members {
        if let Some(engine) = registry::engine(member.engine) {
            let checked = engine.check_options(&member.settings);
            checked.map_err(|e| BadRequest(e.to_string()))?;
            names.extend(engine.info().options.iter().map(|o| o.name));
        }
    }
    match settings.names().find(|n| !names.contains(n)) {
        Some(odd) => Err(BadRequest(format!(
            "none of the engines has an option `{odd}`; `sectile engines` lists them"
        ))),
        None => Ok(()),
    }
}
