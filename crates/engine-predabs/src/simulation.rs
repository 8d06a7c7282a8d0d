//! Simulation: what has to be valid so that one system is an abstraction of another.

use crate::prover::Prover;
use crate::rules::{Discharge, Obligation, discharge};
use crate::system::AbstractSystem;
use sectile_domains::bdd::Bdd;
use sectile_engine::Stop;
use sectile_model::Model;
use sectile_terms::{Term, Terms};

/// What has to be valid so that an abstract system is an abstraction of a system, relative to a set
/// of states; `true` for all of them.
///
/// Paper: [BeGrLa, Def. 9, Def. 10]. Where abstract values overlap, every abstract state of the
/// source has to have a step, and some abstract state of the target is enough.
pub fn simulation<'t>(
    terms: &'t Terms,
    system: &'t Model,
    abstracted: &mut AbstractSystem<'t>,
    relative: Term,
) -> Vec<Obligation> {
    let domain = system.restrict_formula(terms);
    let init = system.init_formula(terms);
    let mut list = Vec::new();
    for &k in &abstracted.alpha.relations() {
        let variable = &abstracted.alpha.variables()[k];
        let some = terms.or(variable.meanings.iter().copied());
        let name = format!("simulation, {} is total", variable.name);
        list.push(Obligation::new(name, terms.and2(domain, relative), some));
    }
    if relative != terms.tt() {
        let name = "simulation, initial states are inside".to_string();
        list.push(Obligation::new(name, init, relative));
    }
    let initial = abstracted.initial;
    let initial = abstracted.concrete(terms, initial);
    let name = "simulation, initial".to_string();
    list.push(Obligation::new(name, init, initial));
    let sources = sources(abstracted);
    for (k, command) in system.commands().enumerate() {
        let step = terms.and2(relative, system.step_formula(terms, command));
        let relation = abstracted.transitions[k].relation;
        for (text, meaning, set) in &sources {
            let here = abstracted.manager.and(relation, *set);
            let claim = abstracted.concrete(terms, here);
            let name = format!("simulation, {}{text}", command.name);
            let premise = terms.and2(step, *meaning);
            list.push(Obligation::new(name, premise, claim));
        }
    }
    list
}

/// The values of the variables whose values overlap, all together: in words, as a condition and as a
/// set. A state with several of them is a source with each.
fn sources(abstracted: &mut AbstractSystem<'_>) -> Vec<(String, Term, Bdd)> {
    let terms = abstracted.terms();
    let mut all = vec![(String::new(), terms.tt(), Bdd::TRUE)];
    for position in abstracted.alpha.relations() {
        let variable = abstracted.alpha.variables()[position].clone();
        let mut longer = Vec::new();
        for (text, meaning, set) in all {
            for (value, label) in variable.labels.iter().enumerate() {
                let space = abstracted.alpha.space();
                let is = space.value(&mut abstracted.manager, position, value, false);
                let here = abstracted.manager.and(set, is);
                let meaning = terms.and2(meaning, variable.meanings[value]);
                longer.push((
                    format!("{text} from {} = {label}", variable.name),
                    meaning,
                    here,
                ));
            }
        }
        all = longer;
    }
    all
}

/// Whether an abstract system is an abstraction of a system, relative to a property. If not, the
/// obligation that fails, with a state or step that shows it.
///
/// Paper: [BeGrLa, Def. 10].
pub fn is_abstraction<'t>(
    terms: &'t Terms,
    system: &'t Model,
    abstracted: &mut AbstractSystem<'t>,
    property: Term,
    prover: &mut Prover<'t>,
) -> Result<Result<(), (Obligation, Discharge)>, Stop> {
    for obligation in simulation(terms, system, abstracted, property) {
        let answer = discharge(prover, system, &obligation)?;
        if answer != Discharge::Valid {
            return Ok(Err((obligation, answer)));
        }
    }
    Ok(Ok(()))
}
