//! Fairness, by a schedule that is a part of the state.
//!
//! Every fair set of commands `C` has a number `wait_C`: how many more times it may be passed over while
//! it is possible. It starts anywhere from zero on. A step
//!
//! - of `C` chooses it anew, anywhere from zero on;
//! - of another command lets it fall by one where `C` is possible; where `C` is not possible, it is
//!   chosen anew if `C` is weakly fair, and stays as it is if `C` is strongly fair.
//!
//! A command passes over `C` only where `wait` is at least one, or not below that of a fair set which
//! the command itself belongs to.
//!
//! *No step is lost:* where a command is possible, so is one that may be taken: any of them if all
//! possible sets may still wait, and otherwise one of the set with the lowest `wait`. So paths
//! end where they ended before.
//!
//! *All infinite paths are fair:* of `m` sets at most `m - j` have a `wait` of `-j` or less, by induction
//! over steps. A step that would make them more has passed over one of those with at most `-j + 1`, so
//! it was one of another of these, which starts anew. So every `wait` is above `-m`, and no set is
//! passed over for ever.
//!
//! *All fair paths are there:* choose for `wait` how often the set will be passed over before it is
//! taken or, if it is weakly fair, impossible.
//!
//! Paper: [ApOl83]. Properties must be such that a single run shows a violation: the schedule says
//! what comes next, so that formulas about several paths from one state would mean something else.

use super::ast::Fairness;
use crate::linear::{counter_sort, one_run};
use crate::messages::Report as _;
use sectile_base::{Diagnostics, Span};
use sectile_model::{Command, Field, Model, Property, Update};
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};

/// Commands that must not wait for ever.
pub(super) struct FairSet {
    /// What the number is called.
    name: String,
    field: Field,
    fairness: Fairness,
    span: Span,
    /// The commands, by their numbers.
    pub commands: Vec<usize>,
}

impl FairSet {
    /// A set without commands, with the name of the command or the process.
    pub fn new(name: &str, field: Field, fairness: Fairness, span: Span) -> FairSet {
        // `wait_P_1` for `P[1].`, so that it can be written without backquotes.
        let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|w| !w.is_empty());
        let words: Vec<&str> = std::iter::once("wait").chain(words).collect();
        FairSet {
            name: words.join("_"),
            field,
            fairness,
            span,
            commands: Vec::new(),
        }
    }
}

/// A fair set in the model.
struct Waiting<'w> {
    set: &'w FairSet,
    wait: Symbol,
    /// Where one of its commands is possible.
    possible: Term,
}

/// The fair sets of a file.
pub(super) struct Fair<'f> {
    pub terms: &'f Terms,
    pub sets: &'f [FairSet],
    pub synchronous: Option<Span>,
}

impl Fair<'_> {
    /// Makes the schedule a part of the model.
    pub fn schedule(
        &self,
        model: &mut Model,
        properties: &[&Property],
        diagnostics: &mut Diagnostics,
    ) {
        if let Some(span) = self.synchronous {
            let message = "processes that step together do not wait for each other";
            diagnostics.error("fairness", span, message, "leave out `fair`");
            return;
        }
        for property in properties.iter().filter(|p| !one_run(self.terms, &p.kind)) {
            let message = "with fairness a formula is about all fair paths, and one of them must \
                           show that it is false";
            let help = "such are `AG`, `AX`, and `AF`, `A[f U g]` and `A[f W g]` where `g` has no \
                        temporal operators";
            diagnostics.error("fairness", property.span, message, help);
        }
        let sort = counter_sort(self.terms, model);
        let mut waiting = Vec::new();
        for set in self.sets {
            match self.waiting(model, set, sort) {
                Ok(found) => waiting.push(found),
                Err(why) => {
                    let message = format!("fairness needs to know where steps are possible: {why}");
                    let help = "write the condition of what is chosen into the guard";
                    diagnostics.error("fairness", set.span, message, help);
                    return;
                }
            }
        }
        let terms = self.terms;
        let zero = terms.number(0.into(), sort);
        for number in 0..model.edges.len() {
            let command = &mut model.edges[number].command;
            self.passing(command, number, &waiting);
            for w in &waiting {
                self.waits(command, number, w, sort);
            }
        }
        for w in &waiting {
            model.variables.push(w.wait);
            model.init.push(terms.le(zero, terms.var(w.wait)));
            if w.set.field.process.is_some() || w.set.field.element.is_some() {
                model.families.fields.insert(w.wait, w.set.field.clone());
            }
        }
    }

    fn waiting<'w>(
        &self,
        model: &Model,
        set: &'w FairSet,
        sort: Sort,
    ) -> Result<Waiting<'w>, String> {
        let wait = self.terms.declare(&set.name, sort, SymbolKind::State);
        let wait = wait.map_err(|_| format!("the name `{}` is taken", set.name))?;
        let commands = set.commands.iter().map(|&k| &model.edges[k].command);
        let possible = commands.map(|c| possible(self.terms, model, c));
        let possible: Vec<Term> = possible.collect::<Result<_, _>>()?;
        Ok(Waiting {
            set,
            wait,
            possible: self.terms.or(possible),
        })
    }

    /// A command may pass over sets only as long as they can wait.
    fn passing(&self, command: &mut Command, number: usize, waiting: &[Waiting<'_>]) {
        let terms = self.terms;
        let is_own = |w: &&Waiting<'_>| w.set.commands.contains(&number);
        for other in waiting.iter().filter(|w| !is_own(w)) {
            let wait = terms.var(other.wait);
            let one = terms.number(1.into(), terms.sort(wait));
            let own = waiting.iter().filter(is_own);
            let not_later = own.map(|w| terms.le(terms.var(w.wait), wait));
            let may = [terms.not(other.possible), terms.le(one, wait)];
            command
                .guards
                .push(terms.or(may.into_iter().chain(not_later)));
        }
    }

    /// What a command does to the number of a set.
    fn waits(&self, command: &mut Command, number: usize, w: &Waiting<'_>, sort: Sort) {
        let terms = self.terms;
        let wait = terms.var(w.wait);
        let less = terms.sub(wait, terms.number(1.into(), sort));
        let is_own = w.set.commands.contains(&number);
        let value = match (is_own, w.set.fairness) {
            (false, Fairness::Strong) => terms.ite(w.possible, less, wait),
            (true, _) => self.anew(command, w, sort),
            (false, Fairness::Weak) => {
                let anew = self.anew(command, w, sort);
                terms.ite(w.possible, less, anew)
            }
        };
        command.updates.push(Update {
            symbol: w.wait,
            value,
        });
    }

    /// Any number from zero on, chosen in a step.
    fn anew(&self, command: &mut Command, w: &Waiting<'_>, sort: Sort) -> Term {
        let terms = self.terms;
        let name = format!("{}:{}", command.name, w.set.name);
        let input = terms
            .symbol(&name)
            .or_else(|| terms.declare(&name, sort, SymbolKind::Input).ok());
        let Some(input) = input else {
            // Every command and every set has a name of its own.
            return terms.number(0.into(), sort);
        };
        command.inputs.push(input);
        let zero = terms.number(0.into(), sort);
        command.guards.push(terms.le(zero, terms.var(input)));
        terms.var(input)
    }
}

/// Where a command is possible.
fn possible(terms: &Terms, model: &Model, command: &Command) -> Result<Term, String> {
    if !command.relations.is_empty() {
        return Err(format!("`{}` is a relation", command.name));
    }
    let free = command.unassigned(&model.variables);
    let updates = command.updates.iter();
    let next: Substitution = updates.map(|u| (terms.var(u.symbol), u.value)).collect();
    let mut all = command.guards.clone();
    for &r in &model.restrict {
        let variables = terms.free_vars(r);
        match variables.iter().filter(|v| free.contains(&v.0)).count() {
            0 => all.push(terms.substitute(r, &next)),
            // What is not assigned may stay as it is.
            open if open == variables.len() => {}
            _ => return Err("a value that is left open is bounded by others".to_string()),
        }
    }
    let mut condition = terms.and(all);
    for &input in &command.inputs {
        condition = chosen(terms, condition, input)
            .ok_or_else(|| format!("`{}` is chosen in `{}`", terms.name(input), command.name))?;
    }
    Ok(condition)
}

/// Where a formula is true for some value of an input, if that is seen at once.
fn chosen(terms: &Terms, formula: Term, input: Symbol) -> Option<Term> {
    let variable = terms.var(input);
    let mentions = |t: &Term| terms.free_vars(*t).iter().any(|(s, _)| *s == input);
    let with = |value: Term| {
        let map = Substitution::from_iter([(variable, value)]);
        terms.substitute(formula, &map)
    };
    match terms.symbol_sort(input) {
        Sort::Bool => return Some(terms.or([with(terms.tt()), with(terms.ff())])),
        Sort::Enum(id) => {
            let count = u32::try_from(terms.enum_info(id).variants.len()).ok()?;
            return Some(terms.or((0..count).map(|k| with(terms.variant(id, k)))));
        }
        _ => {}
    }
    let parts = terms.conjuncts(formula);
    let (about, rest): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(mentions);
    // Bounds from one side alone can always be met.
    let mut signs = about.iter().map(|&part| side(terms, part, variable));
    let first = match signs.next() {
        None => return Some(formula),
        Some(first) => first?,
    };
    signs.all(|s| s == Some(first)).then(|| terms.and(rest))
}

/// Whether a comparison bounds a variable from above, and not from below.
fn side(terms: &Terms, comparison: Term, variable: Term) -> Option<bool> {
    let (positive, atom) = match *terms.node(comparison) {
        Node::Not(a) => (false, a),
        _ => (true, comparison),
    };
    let sum = match *terms.node(atom) {
        Node::NonPos(sum) | Node::Neg(sum) => sum,
        _ => return None,
    };
    let linear = terms.linear(sum);
    let (own, others): (Vec<_>, Vec<_>) = linear
        .monomials()
        .iter()
        .partition(|(monomial, _)| *monomial == variable);
    let inside = terms.free_vars(variable);
    let elsewhere = others.iter().any(|(monomial, _)| {
        let variables = terms.free_vars(*monomial);
        inside.iter().any(|v| variables.contains(v))
    });
    let (_, factor) = own.first().filter(|_| !elsewhere)?;
    Some(factor.is_positive() == positive)
}
