//! What kind of task it is, and which engines suit it.

use crate::check::BadRequest;
use crate::lower::Lowered;
use crate::portfolio::Member;
use crate::registry;
use crate::tables::{ARRAYS, Attempt, CLAUSES, CTL, GRAPHS, LINEAR_CLAUSES, STRAIGHT, SYSTEMS};
use sectile_engine::{Accepts, Settings};
use sectile_model::{Module, PropertyKind, Task};
use sectile_terms::{Sort, Symbol};

/// What the choice of engines looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// A program graph, not a transition system.
    pub graph: bool,
    /// A CTL property that is no invariant.
    pub ctl: bool,
    /// Locations at which a loop is entered again.
    pub loops: usize,
    /// Variables of finite sorts.
    pub finite: usize,
    /// Integer variables.
    pub integers: usize,
    /// Real variables.
    pub reals: usize,
    /// Array variables, and constants that are arrays.
    pub arrays: usize,
    /// Commands or edges.
    pub steps: usize,
}

impl Profile {
    /// Looks at a task.
    pub fn of(task: &Task<'_>) -> Profile {
        let mut profile = Profile {
            graph: !task.model.is_system(),
            steps: task.model.edges.len(),
            loops: task.model.loop_heads().len(),
            ctl: match &task.property.kind {
                PropertyKind::Ctl(formula) => formula.as_invariant(task.terms).is_none(),
                _ => false,
            },
            ..Profile::default()
        };
        let constants = task.model.rigid.iter();
        let is_array = |s: &&Symbol| matches!(task.terms.symbol_sort(**s), Sort::Array(_));
        profile.arrays = constants.filter(is_array).count();
        for &variable in &task.model.variables {
            match task.terms.symbol_sort(variable) {
                Sort::Bool | Sort::Enum(_) => profile.finite += 1,
                Sort::Int => profile.integers += 1,
                Sort::Real => profile.reals += 1,
                Sort::Array(_) => profile.arrays += 1,
            }
        }
        profile
    }
}

/// What a model has to do with Horn clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clauses {
    /// Nothing.
    None,
    /// It is the graph of linear clauses.
    Linear,
    /// Clauses say what it means exactly, and the graph allows more.
    Exact,
}

fn attempts(profile: &Profile) -> &'static [Attempt] {
    match profile {
        Profile { ctl: true, .. } => CTL,
        Profile { arrays: 1.., .. } => ARRAYS,
        Profile {
            graph: true,
            loops: 0,
            ..
        } => STRAIGHT,
        Profile { graph: true, .. } => GRAPHS,
        _ => SYSTEMS,
    }
}

/// The engines for a task: those that were asked for, or those that suit it.
pub(crate) fn members(
    asked: &[String],
    settings: &Settings,
    module: &Module,
    task: &Task<'_>,
) -> Result<Vec<Member>, BadRequest> {
    let mut members = Vec::new();
    let auto = asked.is_empty() || asked.iter().any(|e| e == "auto");
    if auto {
        let accepts = Accepts {
            premises: true,
            arrays: true,
            ..Accepts::GRAPHS
        };
        let lowered = Lowered::new(*task, &accepts);
        let task = lowered.task();
        let profile = Profile::of(&task);
        let clauses = match (&module.contracts, task.model.is_clauses()) {
            (Some(_), _) => Clauses::Exact,
            (None, true) if task.model.is_linear() => Clauses::Linear,
            (None, true) => Clauses::Exact,
            (None, false) => Clauses::None,
        };
        let chosen = match clauses {
            Clauses::Exact if profile.arrays == 0 => CLAUSES,
            Clauses::Linear if profile.arrays == 0 => LINEAR_CLAUSES,
            _ => attempts(&profile),
        };
        for (engine, own, weight) in chosen {
            let mut settings = settings.clone();
            for (option, value) in *own {
                if settings.get(option).is_none() {
                    settings.set(*option, *value);
                }
            }
            members.push(Member {
                engine,
                settings,
                weight: *weight,
            });
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

/// The name of an engine that there is.
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

/// Every option must be one of some engine, and make sense to those that have it.
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
