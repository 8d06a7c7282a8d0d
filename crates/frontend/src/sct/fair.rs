//! Fairness, enforced by a schedule that becomes a part of the state.
//!
//! A *wait count* says how many more times a set of commands may be passed over while it is enabled. Each
//! strongly fair set has its own, `wait_NAME`. All weakly fair sets share one, `due_in`: it belongs to the set
//! that is `due`, and the sets become due in turn, cyclically. (A single weakly fair set is always due, and its
//! wait count is also called `wait_NAME`.) Wait counts start at any nonnegative value. In a step
//!
//! - by a command of the set, the wait count gets any new nonnegative value;
//! - by another command, it decreases by one if the set is enabled;
//! - if the set is not enabled, the wait count gets a new value if the set is weakly fair, and stays the same
//!   if it is strongly fair.
//!
//! Whenever the wait count of the weakly fair sets gets a new value, the next one of them becomes due. A
//! command may pass over an enabled set only if the wait count of the set is at least one, or not below that of
//! a set to which the command itself belongs.
//!
//! *There are no new deadlocks:* if some command is enabled, an enabled command may be taken: any of them if
//! all enabled sets may still wait, and otherwise one of the set with the lowest wait count. So paths end where
//! they ended before.
//!
//! *All infinite paths are fair:* of `m` wait counts, at most `m - j` are `-j` or less, by induction over
//! steps. A step that would exceed this bound passes over a set whose wait count is at most `-j + 1`, so it
//! belongs to another of these sets, whose wait count gets a new value. So every wait count is above `-m`, and
//! no set is passed over forever while it has a wait count. So every weakly fair set becomes due again and
//! again, and each time stays due until it is taken or disabled.
//!
//! *No fair path is lost:* choose as the wait count the number of times that the set will be passed over before
//! it is taken or, if it is weakly fair, disabled.
//!
//! Weakly fair sets share a wait count instead of having one each, so that states differ only in which set is
//! due, and not in the relative order of many numbers.
//!
//! Paper: [ApOl83]; [Chou74] for treating the sets in turn. A single run must suffice to show a violation of a
//! property: the schedule restricts what comes next, so that formulas about several paths from one state would
//! change their meaning.

use super::ast::Fairness;
use crate::linear::{counter_sort, one_run};
use crate::messages::Report as _;
use sectile_base::{Diagnostics, Span};
use sectile_model::{Command, Field, Model, Property, Update};
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};

/// A set of commands with a fairness assumption.
pub(super) struct FairSet {
    /// The name of the command or the process, as one word.
    name: String,
    field: Field,
    fairness: Fairness,
    span: Span,
    /// The commands, by number.
    pub commands: Vec<usize>,
}

impl FairSet {
    /// A set without commands, named after the command or the process.
    pub fn new(name: &str, field: Field, fairness: Fairness, span: Span) -> FairSet {
        // `P_1` for `P[1].`, so that it can be written without backquotes.
        let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
        FairSet {
            name: words.join("_"),
            field,
            fairness,
            span,
            commands: Vec::new(),
        }
    }
}

/// A fair set, with the condition that it is due.
struct Due<'w> {
    set: &'w FairSet,
    /// The states in which it is due.
    here: Term,
    /// The states in which one of its commands is enabled.
    possible: Term,
}

/// A wait count, with the sets that share it.
struct Waiting<'w> {
    wait: Symbol,
    fairness: Fairness,
    sets: Vec<Due<'w>>,
    /// The variable for the set that is due, if there are several sets, and its values in the order
    /// of the sets.
    due: Option<(Symbol, Vec<Term>)>,
}

impl Waiting<'_> {
    /// The states in which a command belongs to the set that is due.
    fn own(&self, terms: &Terms, number: usize) -> Term {
        let own = self.sets.iter();
        let own = own.filter(|d| d.set.commands.contains(&number));
        terms.or(own.map(|d| d.here))
    }

    /// The states in which the set that is due is not enabled, or the command belongs to it.
    fn is_not_passed(&self, terms: &Terms, number: usize) -> Term {
        let not_passed = |d: &Due<'_>| match d.set.commands.contains(&number) {
            true => d.here,
            false => terms.and([d.here, terms.not(d.possible)]),
        };
        terms.or(self.sets.iter().map(not_passed))
    }
}

/// The fair sets of a file.
pub(super) struct Fair<'f> {
    pub terms: &'f Terms,
    pub sets: &'f [FairSet],
    pub synchronous: Option<Span>,
}

impl Fair<'_> {
    /// Adds the schedule to the model.
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
        let Some(waiting) = self.all_waiting(model, sort, diagnostics) else {
            return;
        };
        let terms = self.terms;
        for number in 0..model.edges.len() {
            let command = &mut model.edges[number].command;
            self.passing(command, number, &waiting);
            for w in &waiting {
                self.waits(command, number, w, sort);
            }
        }
        let zero = terms.number(0.into(), sort);
        for w in &waiting {
            model.variables.push(w.wait);
            model.init.push(terms.le(zero, terms.var(w.wait)));
            match &w.due {
                Some((due, values)) => {
                    model.variables.push(*due);
                    model.init.push(terms.eq(terms.var(*due), values[0]));
                }
                None => {
                    let field = &w.sets[0].set.field;
                    if field.indices().next().is_some() {
                        model.families.fields.insert(w.wait, field.clone());
                    }
                }
            }
        }
    }

    /// All wait counts with their sets: one for all weakly fair sets, one for every strongly fair
    /// set.
    fn all_waiting(
        &self,
        model: &Model,
        sort: Sort,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Waiting<'_>>> {
        let (weak, strong): (Vec<&FairSet>, Vec<&FairSet>) =
            self.sets.iter().partition(|s| s.fairness == Fairness::Weak);
        let mut groups: Vec<Vec<&FairSet>> = strong.into_iter().map(|s| vec![s]).collect();
        if !weak.is_empty() {
            groups.push(weak);
        }
        let mut found = Vec::new();
        for sets in groups {
            let span = sets[0].span;
            match self.waiting(model, &sets, sort) {
                Ok(waiting) => found.push(waiting),
                Err(why) => {
                    let message = format!("fairness needs to know where steps are possible: {why}");
                    let help = "write the condition of what is chosen into the guard";
                    diagnostics.error("fairness", span, message, help);
                    return None;
                }
            }
        }
        Some(found)
    }

    fn waiting<'w>(
        &self,
        model: &Model,
        sets: &[&'w FairSet],
        sort: Sort,
    ) -> Result<Waiting<'w>, String> {
        let terms = self.terms;
        let declare = |name: &str, sort: Sort| {
            let declared = terms.declare(name, sort, SymbolKind::State);
            declared.map_err(|_| format!("the name `{name}` is taken"))
        };
        let (wait, due) = match sets {
            [set] => (declare(&format!("wait_{}", set.name), sort)?, None),
            _ => {
                let names: Vec<String> = sets.iter().map(|s| format!("due_{}", s.name)).collect();
                let id = terms.declare_enum("due", &names);
                let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
                let values: Vec<Term> = (0..count).map(|k| terms.variant(id, k)).collect();
                let due = declare("due", Sort::Enum(id))?;
                (declare("due_in", sort)?, Some((due, values)))
            }
        };
        let mut found = Vec::new();
        for (k, set) in sets.iter().enumerate() {
            let commands = set.commands.iter().map(|&k| &model.edges[k].command);
            let possible = commands.map(|c| possible(terms, model, c));
            let possible: Vec<Term> = possible.collect::<Result<_, _>>()?;
            found.push(Due {
                set,
                here: match &due {
                    None => terms.tt(),
                    Some((due, values)) => terms.eq(terms.var(*due), values[k]),
                },
                possible: terms.or(possible),
            });
        }
        Ok(Waiting {
            wait,
            fairness: sets[0].fairness,
            sets: found,
            due,
        })
    }

    /// Adds guards to a command: it may pass over sets only as long as they can wait.
    fn passing(&self, command: &mut Command, number: usize, waiting: &[Waiting<'_>]) {
        let terms = self.terms;
        for w in waiting {
            let wait = terms.var(w.wait);
            let one = terms.number(1.into(), terms.sort(wait));
            let others = waiting.iter().filter(|other| other.wait != w.wait);
            let not_later = others.map(|other| {
                let earlier = terms.le(terms.var(other.wait), wait);
                terms.and([other.own(terms, number), earlier])
            });
            let may = [w.is_not_passed(terms, number), terms.le(one, wait)];
            command
                .guards
                .push(terms.or(may.into_iter().chain(not_later)));
        }
    }

    /// Adds the update of a wait count to a command.
    fn waits(&self, command: &mut Command, number: usize, w: &Waiting<'_>, sort: Sort) {
        let terms = self.terms;
        let wait = terms.var(w.wait);
        let less = terms.sub(wait, terms.number(1.into(), sort));
        let not_passed = w.is_not_passed(terms, number);
        let own = w.own(terms, number);
        let value = match w.fairness {
            Fairness::Strong if own == terms.ff() => terms.ite(not_passed, wait, less),
            // A strongly fair set is always due.
            Fairness::Strong => self.anew(command, w, sort),
            Fairness::Weak => terms.ite(not_passed, self.anew(command, w, sort), less),
        };
        command.updates.push(Update {
            symbol: w.wait,
            value,
        });
        if let Some((due, values)) = &w.due {
            let now = terms.var(*due);
            let mut next = values[0];
            for (k, d) in w.sets.iter().enumerate().take(values.len() - 1) {
                next = terms.ite(d.here, values[k + 1], next);
            }
            command.updates.push(Update {
                symbol: *due,
                value: terms.ite(not_passed, next, now),
            });
        }
    }

    /// An arbitrary nonnegative number, chosen in a step.
    fn anew(&self, command: &mut Command, w: &Waiting<'_>, sort: Sort) -> Term {
        let terms = self.terms;
        let name = format!("{}:{}", command.name, terms.name(w.wait));
        let input = terms
            .symbol(&name)
            .or_else(|| terms.declare(&name, sort, SymbolKind::Input).ok());
        let Some(input) = input else {
            // The names of commands and sets are unique.
            return terms.number(0.into(), sort);
        };
        command.inputs.push(input);
        let zero = terms.number(0.into(), sort);
        command.guards.push(terms.le(zero, terms.var(input)));
        terms.var(input)
    }
}

/// The states in which a command is enabled.
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
            // Values that are not assigned may stay the same.
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

/// The states in which a formula is true for some value of an input, by simple rules.
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
    // Bounds from only one side can always be satisfied.
    let mut signs = about.iter().map(|&part| side(terms, part, variable));
    let first = match signs.next() {
        None => return Some(formula),
        Some(first) => first?,
    };
    signs.all(|s| s == Some(first)).then(|| terms.and(rest))
}

/// Whether a comparison bounds a variable from above (`Some(true)`) or from below; `None` for
/// others.
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
