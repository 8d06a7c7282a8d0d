//! Checks decision diagrams of the states in which the parts of a property hold.
//!
//! | set `S` of a part | rule |
//! |---|---|
//! | state formula `p` | `p` holds in `S` |
//! | `f and g`, `f or g` | `S` is inside both sets, or inside their union |
//! | `AX f`, `EX f` | all steps, or some step, from every state of `S` lead into the set of `f` |
//! | `A(f U g)` | `S` is inside the states reached backwards from the set of `g`, inside `S` and the set of `f`, by states with a step all of whose steps lead there |
//! | `E(f U g)` | the same with some step |
//! | `A(f W g)` | every state of `S` is in the set of `g`, or in that of `f` and all steps lead into `S` |
//! | `E(f W g)` | the same with some step, or without any step |
//!
//! All of this takes operations on diagrams, one step backwards at a time; no set is searched for.
//! The checker builds its own diagrams: those of a proof are read, but never trusted.

use crate::checker::{Checked, Checker, Stop};
use crate::ctl::Formulas;
use crate::finite::{Finite, NamedValues, NotFinite};
use crate::replay::check_run;
use crate::{Claim, Obligation};
use sectile_base::Exhausted;
use sectile_base::bdd::Bdd;
use sectile_model::{Diagram, DiagramProof, NormalCtl, NormalPart, Paths, State, Task, Trace};
use sectile_solver::Undecided;
use sectile_terms::{Symbol, Term, Value};

/// Maximum number of nodes: larger proofs are not checked.
const MOST_NODES: usize = 12_000_000;

/// Checks the sets against the property, or against its negation for a violation.
pub fn check(
    task: &Task<'_>,
    claim: Claim,
    proof: &DiagramProof,
    checker: &mut Checker<'_>,
) -> Checked {
    if !task.model.is_system() {
        return Err(Stop::shape("decision diagrams are about systems"));
    }
    let formulas = Formulas::new(task, claim == Claim::Holds)?;
    let formula = formulas.at(task.model.entry);
    well_formed(task, formula, proof)?;
    let finite = Finite::new(
        task.terms,
        task.model,
        &said(task, formula, proof),
        &values(proof),
        MOST_NODES,
        checker.budget,
    );
    let mut session = Session {
        task,
        formula,
        finite: finite.map_err(|why| not_finite(&why))?,
        sets: Vec::new(),
    };
    session.read(proof)?;
    session.initial(claim, proof, checker)?;
    for part in 0..formula.parts.len() {
        session.part(part, checker)?;
    }
    Ok(())
}

fn not_finite(why: &NotFinite) -> Stop {
    match why {
        NotFinite::TooLarge => too_large(Obligation::Shape),
        NotFinite::Exhausted(limit) => Stop::Undecided(Obligation::Shape, (*limit).into()),
        other => Stop::shape(other.to_string()),
    }
}

fn too_large(obligation: Obligation) -> Stop {
    Stop::Undecided(obligation, Undecided::Exhausted(Exhausted::Memory))
}

/// Checks that all indices are in range, and all symbols are state variables or constants.
fn well_formed(task: &Task<'_>, formula: &NormalCtl, proof: &DiagramProof) -> Checked {
    if proof.sets.len() != formula.parts.len() {
        return Err(Stop::shape(
            "there must be one set for every part of the formula",
        ));
    }
    let all = Diagram::FIRST + proof.diagram.nodes.len();
    if proof.sets.iter().any(|&s| s >= all) {
        return Err(Stop::shape("a set is a node that does not exist"));
    }
    for (k, node) in proof.diagram.nodes.iter().enumerate() {
        let (model, symbol) = (task.model, node.variable);
        if !model.variables.contains(&symbol) && !model.rigid.contains(&symbol) {
            return Err(Stop::shape(
                "a node tests a variable that the model does not have",
            ));
        }
        if node.children.iter().any(|c| c.1 >= k + Diagram::FIRST) {
            return Err(Stop::shape(
                "a node leads to a node that does not come before it",
            ));
        }
        let sort = task.terms.symbol_sort(symbol);
        if node.children.iter().any(|c| c.0.sort() != sort) {
            return Err(Stop::shape("a node names a value of another sort"));
        }
    }
    Ok(())
}

/// The formulas that determine the relevant variables: those of the property, and the variables of
/// nodes.
fn said(task: &Task<'_>, formula: &NormalCtl, proof: &DiagramProof) -> Vec<Term> {
    let states = formula.parts.iter().filter_map(|part| match *part {
        NormalPart::State(p) => Some(p),
        _ => None,
    });
    let asked = proof.diagram.nodes.iter();
    let asked = asked.map(|node| task.terms.var(node.variable));
    let mut found: Vec<Term> = states.chain(asked).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The values that occur in nodes.
fn values(proof: &DiagramProof) -> NamedValues {
    let mut found = NamedValues::new();
    for node in &proof.diagram.nodes {
        let values = node.children.iter().map(|c| c.0.clone());
        found.entry(node.variable).or_default().extend(values);
    }
    for list in found.values_mut() {
        list.sort();
        list.dedup();
    }
    found
}

struct Session<'s> {
    task: &'s Task<'s>,
    formula: &'s NormalCtl,
    finite: Finite<'s>,
    /// The set of every part.
    sets: Vec<Bdd>,
}

impl Session<'_> {
    /// Builds the sets.
    fn read(&mut self, proof: &DiagramProof) -> Checked {
        let mut known = vec![Bdd::FALSE, Bdd::TRUE];
        for node in &proof.diagram.nodes {
            let mut set = Bdd::FALSE;
            for (value, child) in &node.children {
                // No state has a value outside the range of a variable.
                if let Some(here) = self.finite.having(node.variable, value) {
                    let manager = self.finite.manager();
                    let both = manager.and(here, known[*child]);
                    set = manager.or(set, both);
                }
            }
            known.push(set);
        }
        let states = self.finite.states();
        for &node in &proof.sets {
            let set = self.finite.manager().and(known[node], states);
            self.sets.push(set);
        }
        match self.finite.is_full() {
            true => Err(too_large(Obligation::Shape)),
            false => Ok(()),
        }
    }

    fn initial(
        &mut self,
        claim: Claim,
        proof: &DiagramProof,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let whole = self.sets[self.formula.root()];
        match (claim, &proof.initial) {
            (Claim::Holds, None) => {
                self.start_with_known_values(checker)?;
                let initial = self.finite.initial(self.task.model);
                let initial = initial.map_err(|why| not_finite(&why))?;
                self.inside(Obligation::Initiation, initial, whole, checker)
            }
            (Claim::Violated, Some((rigid, state))) => {
                // An initial state is a run without steps.
                let run = Trace {
                    rigid: rigid.clone(),
                    states: vec![state.clone()],
                    ..Trace::default()
                };
                check_run(self.task, &run)?;
                match self.finite.contains(whole, |s| self.value(rigid, state, s)) {
                    true => Ok(()),
                    false => {
                        let because = "the state is not in the set of the whole formula";
                        Err(Stop::refused(Obligation::Start, because))
                    }
                }
            }
            _ => {
                let because = "`violated` needs an initial state, and `holds` all of them";
                Err(Stop::shape(because))
            }
        }
    }

    /// Initially, numbers without a range have one of the represented values.
    fn start_with_known_values(&mut self, checker: &mut Checker<'_>) -> Checked {
        let (terms, model) = (self.task.terms, self.task.model);
        let init = model.init_formula(terms);
        let restrict = model.restrict_formula(terms);
        for (symbol, values, is_open) in self.finite.symbols() {
            if is_open {
                let var = terms.var(symbol);
                let one = values.iter().map(|v| terms.eq(var, v.to_term(terms)));
                checker.implies(Obligation::Initiation, &[init, restrict], terms.or(one))?;
            }
        }
        Ok(())
    }

    fn value(&self, rigid: &[Value], state: &State, symbol: Symbol) -> Option<Value> {
        let model = self.task.model;
        let of = |symbols: &[Symbol], values: &[Value]| {
            let place = symbols.iter().position(|s| *s == symbol)?;
            values.get(place).cloned()
        };
        of(&model.variables, &state.values).or_else(|| of(&model.rigid, rigid))
    }

    /// Proves that a set is contained in another one.
    fn inside(
        &mut self,
        obligation: Obligation,
        set: Bdd,
        other: Bdd,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let outside = self.finite.manager().minus(set, other);
        if let Err(limit) = self.finite.check(checker.budget) {
            return Err(Stop::Undecided(obligation, limit.into()));
        }
        let Some(state) = self.finite.some_state(outside) else {
            checker.shown += 1;
            return Ok(());
        };
        let terms = self.task.terms;
        let values = state.iter().map(|(symbol, value)| {
            let value = sectile_terms::display_value(terms, value);
            format!("{} = {value}", terms.name(*symbol))
        });
        let because = format!("it fails for {}", values.collect::<Vec<_>>().join(", "));
        Err(Stop::refused(obligation, because))
    }

    /// Checks one part by its rule.
    fn part(&mut self, part: usize, checker: &mut Checker<'_>) -> Checked {
        let set = self.sets[part];
        let allowed = match self.formula.parts[part] {
            NormalPart::State(p) => {
                let states = self.finite.states_of(p);
                states.map_err(|why| not_finite(&why))?
            }
            NormalPart::And(a, b) => {
                let (a, b) = (self.sets[a], self.sets[b]);
                self.finite.manager().and(a, b)
            }
            NormalPart::Or(a, b) => {
                let (a, b) = (self.sets[a], self.sets[b]);
                self.finite.manager().or(a, b)
            }
            NormalPart::Next(paths, f) => self.next(paths, set, self.sets[f]),
            NormalPart::Until(paths, f, g) => self.until(paths, part, f, g, checker)?,
            NormalPart::Weak(paths, f, g) => {
                let (f, g) = (self.sets[f], self.sets[g]);
                let stays = self.finite.manager().and(set, f);
                let mut stays = self.next(paths, stays, set);
                if paths == Paths::Some {
                    let ends = self.finite.manager().and(set, f);
                    let ends = self.finite.without_a_step(ends);
                    stays = self.finite.manager().or(stays, ends);
                }
                self.finite.manager().or(stays, g)
            }
        };
        self.inside(Obligation::Set(part), set, allowed, checker)
    }

    /// The states of a set from which all steps, or some step, lead into another one.
    fn next(&mut self, paths: Paths, within: Bdd, set: Bdd) -> Bdd {
        match paths {
            Paths::All => self.finite.all_next(within, set),
            Paths::Some => {
                let before = self.finite.some_next(set);
                self.finite.manager().and(within, before)
            }
        }
    }

    /// The states reached backwards from the set of `g`, inside the sets of `f` and of the part.
    fn until(
        &mut self,
        paths: Paths,
        part: usize,
        f: usize,
        g: usize,
        checker: &mut Checker<'_>,
    ) -> Checked<Bdd> {
        let (set, f, mut found) = (self.sets[part], self.sets[f], self.sets[g]);
        let undecided = |limit: Exhausted| Stop::Undecided(Obligation::Set(part), limit.into());
        let mut within = self.finite.manager().and(set, f);
        if paths == Paths::Some {
            let led = self.finite.leading_to(found, within, checker.budget);
            return led.map_err(undecided);
        }
        let steps = self.finite.with_a_step();
        within = self.finite.manager().and(within, steps);
        loop {
            self.finite.check(checker.budget).map_err(undecided)?;
            let before = self.finite.all_next(within, found);
            let more = self.finite.manager().or(found, before);
            if more == found {
                return Ok(found);
            }
            found = more;
        }
    }
}
