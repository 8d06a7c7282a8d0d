//! Fairness, by a schedule that is a part of the state.
//!
//! A *number* says how many more times commands may be passed over while they are possible. A strongly fair
//! set of commands has one of its own, `wait_NAME`. All weakly fair sets together have one, `due_in`: it is
//! about the set that is `due`, and they are due one after the other, in a circle. (A single weakly fair set is
//! always due, and its number is called `wait_NAME` too.) Numbers start anywhere from zero on. A step
//!
//! - of the set chooses its number anew, anywhere from zero on;
//! - of another command lets it fall by one where the set is possible;
//! - where the set is not possible, the number is chosen anew if it is weakly fair, and stays as it is if it is
//!   strongly fair.
//!
//! Whenever the number of the weakly fair sets is chosen anew, the next one of them is due. A command passes
//! over a possible set only where its number is at least one, or not below that of a set which the command
//! itself belongs to.
//!
//! *No step is lost:* where a command is possible, so is one that may be taken: any of them if all
//! possible sets may still wait, and otherwise one of the set with the lowest number. So paths
//! end where they ended before.
//!
//! *All infinite paths are fair:* of `m` numbers at most `m - j` are `-j` or less, by induction over steps. A
//! step that would make them more has passed over a set whose number is at most `-j + 1`, so it was one of
//! another of these sets, whose number starts anew. So every number is above `-m`, and no set is passed over
//! for ever while it has a number. So every weakly fair set is due again and again, and every time until it
//! is taken or impossible.
//!
//! *All fair paths are there:* choose for the number how often the set will be passed over before it is
//! taken or, if it is weakly fair, impossible.
//!
//! One number for all weakly fair sets, not one each: the states differ by who is due, and not by the order of
//! many numbers.
//!
//! Paper: [ApOl83]; [Chou74] for one set after the other. Properties must be such that a single run shows a
//! violation: the schedule says what comes next, so that formulas about several paths from one state would mean
//! something else.

use super::ast::Fairness;
use crate::linear::{counter_sort, one_run};
use crate::messages::Report as _;
use sectile_base::{Diagnostics, Span};
use sectile_model::{Command, Field, Model, Property, Update};
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};

/// Commands that must not wait for ever.
pub(super) struct FairSet {
    /// The name of the command or the process, in one word.
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

/// A fair set while it is due.
struct Due<'w> {
    set: &'w FairSet,
    /// Where it is due.
    here: Term,
    /// Where one of its commands is possible.
    possible: Term,
}

/// A number, and the sets that it is about, one at a time.
struct Waiting<'w> {
    wait: Symbol,
    fairness: Fairness,
    sets: Vec<Due<'w>>,
    /// Who is due, where there are several sets, and the values in the order of the sets.
    due: Option<(Symbol, Vec<Term>)>,
}

impl Waiting<'_> {
    /// Where a command belongs to the set that is due.
    fn own(&self, terms: &Terms, number: usize) -> Term {
        let own = self.sets.iter();
        let own = own.filter(|d| d.set.commands.contains(&number));
        terms.or(own.map(|d| d.here))
    }

    /// Where the set that is due is not possible, or the command is one of it.
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

    /// All numbers with their sets: one for all weakly fair ones, one for every strongly fair one.
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

    /// A command may pass over sets only as long as they can wait.
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

    /// What a command does to a number.
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

    /// Any number from zero on, chosen in a step.
    fn anew(&self, command: &mut Command, w: &Waiting<'_>, sort: Sort) -> Term {
        let terms = self.terms;
        let name = format!("{}:{}", command.name, terms.name(w.wait));
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
