//! Translates LTL formulas: to CTL formulas about all paths if that is equivalent, otherwise by a
//! monitor that becomes part of the state.
//!
//! Formulas are represented as CTL formulas that are interpreted in linear time: `Ag` is "always",
//! `Au` "until" and so on. Paths are maximal. At the end of a path, `X f` is true, as `AX f` is.
//!
//! **The monitor** follows a tableau of the negated formula. Its value is a set of formulas that
//! the rest of the path must satisfy. In each step it chooses a way to satisfy them: conditions on
//! the state before the step, and formulas that the path after the step must satisfy. It may give
//! up at any time and is `done` then, so no step of the model is lost. For every "until" there is a
//! number: how many more times it may be postponed. It decreases whenever the until is postponed,
//! which requires a value of at least one; otherwise a new nonnegative value is chosen. So the
//! monitor can run forever exactly on the infinite paths that violate the formula. If a path ends,
//! the monitor must be able to satisfy its formulas without a next state. The property is: on all
//! paths, the monitor is eventually `done`, or the path ends where the monitor cannot end.
//!
//! Paper: [GPVW95] for the tableau. Differs: acceptance by numbers, and finite paths.

use crate::elaborate::{Bounds, Entity, Family, Names};
use crate::messages::Report as _;
use sectile_base::Diagnostics;
use sectile_model::{
    Command, Ctl, LocationId, Model, NormalCtl, NormalPart, Paths, Property, PropertyKind, Update,
};
use sectile_terms::{EnumId, Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of values of a monitor, and of its transitions.
const MOST_VALUES: usize = 60;

/// Translates LTL properties that are equivalent to CTL formulas; returns those that need monitors.
pub(crate) fn linear_properties(
    terms: &Terms,
    properties: &mut [Property],
    linear: &[usize],
) -> Vec<usize> {
    let mut open = Vec::new();
    for &k in linear {
        let PropertyKind::Ctl(formula) = &properties[k].kind else {
            continue;
        };
        match branching(terms, formula) {
            Some(same) => properties[k].kind = PropertyKind::Ctl(same),
            None => open.push(k),
        }
    }
    open
}

/// Adds monitors for properties to a model; returns the variables of the monitors.
pub(crate) fn add_monitors(
    terms: &Terms,
    model: &mut Model,
    properties: &mut [Property],
    open: &[usize],
    diagnostics: &mut Diagnostics,
) -> Vec<Symbol> {
    let (mut added, mut found) = (Vec::new(), Vec::new());
    for &k in open {
        let Property { name, kind, span } = &mut properties[k];
        let PropertyKind::Ctl(formula) = &*kind else {
            continue;
        };
        let mut own = model.clone();
        match monitored(terms, &mut own, name, formula) {
            Ok((same, pick)) => {
                *kind = PropertyKind::Ctl(same);
                added.extend(&own.variables[model.variables.len()..]);
                added.push(pick);
                found.push((name.clone(), own));
            }
            Err(why) => {
                let help =
                    "`G`, `F`, `X`, `U`, `W` and `R` may be combined by `not`, `and`, `or`, `=>`";
                diagnostics.error("ltl", *span, why, help);
            }
        }
    }
    model.monitored = found;
    added
}

/// Declares the variables that were added to a model, so that certificates can mention them.
pub(crate) fn declare_added(
    terms: &Terms,
    names: &mut Names,
    added: &[Symbol],
    monitors: &[Symbol],
) {
    let all = added.iter().chain(monitors);
    for &symbol in all.clone() {
        if let Sort::Enum(id) = terms.symbol_sort(symbol) {
            names.declare_variants(terms, id);
        }
    }
    for &symbol in all {
        names.declare_element(terms, symbol, Bounds::default());
        names.declare(terms.name(symbol), Entity::Family(Family::single(symbol)));
    }
}

/// An equivalent CTL formula about all paths, if a single path shows a violation of it.
pub(crate) fn branching(terms: &Terms, formula: &Ctl) -> Option<Ctl> {
    let mut tableau = Tableau::new(terms);
    let root = tableau.add_formula(formula, true)?;
    let same = tableau.as_ctl(root)?;
    let kind = PropertyKind::Ctl(same.clone());
    one_run(terms, &kind).then_some(same)
}

/// Whether a single run shows a violation of a property.
///
/// Then it means the same in linear and branching time, and adding a scheduler to the model does
/// not change it.
pub(crate) fn one_run(terms: &Terms, kind: &PropertyKind) -> bool {
    if !matches!(kind, PropertyKind::Ctl(_)) {
        return true;
    }
    let Some(normal) = NormalCtl::of_property_at(terms, kind, true, LocationId(0)) else {
        return false;
    };
    let is_state = |k: usize| matches!(normal.parts[k], NormalPart::State(_));
    normal.parts.iter().all(|part| match *part {
        NormalPart::State(_) | NormalPart::And(..) => true,
        NormalPart::Or(a, b) => is_state(a) || is_state(b),
        NormalPart::Next(paths, _) => paths == Paths::All,
        NormalPart::Until(paths, _, g) | NormalPart::Weak(paths, _, g) => {
            // The state determines whether a next state exists.
            let ends = matches!(normal.parts[g], NormalPart::Next(Paths::All, f) if
                normal.parts[f] == NormalPart::State(terms.ff()));
            paths == Paths::All && (is_state(g) || ends)
        }
    })
}

/// The integer sort, or the real sort if the model has reals: most engines support only one of
/// them.
pub(crate) fn counter_sort(terms: &Terms, model: &Model) -> Sort {
    let inputs = model.commands().flat_map(|c| &c.inputs);
    let all = model.variables.iter().chain(&model.rigid).chain(inputs);
    let mut sorts = all.map(|s| terms.symbol_sort(*s));
    match sorts.any(|s| s == Sort::Real) {
        true => Sort::Real,
        false => Sort::Int,
    }
}

/// A formula in negation normal form, whose arguments are given by numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Linear {
    /// A formula without temporal operators.
    State(Ctl),
    And(usize, usize),
    Or(usize, usize),
    /// There is a next state, and the formula holds there.
    Next(usize),
    /// If there is a next state, the formula holds there.
    WeakNext(usize),
    Until(usize, usize),
    Weak(usize, usize),
}

/// Formulas, identified by their numbers.
struct Tableau<'t> {
    terms: &'t Terms,
    list: Vec<Linear>,
}

/// One way to satisfy a set of formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Way {
    /// Conditions on the state, by number.
    now: BTreeSet<usize>,
    /// The formulas that the rest of the path must satisfy.
    next: BTreeSet<usize>,
    /// Whether there must be a next state.
    strong: bool,
    /// The postponed untils.
    put_off: BTreeSet<usize>,
}

impl<'t> Tableau<'t> {
    fn new(terms: &'t Terms) -> Tableau<'t> {
        let list = Vec::new();
        Tableau { terms, list }
    }

    fn add(&mut self, formula: Linear) -> usize {
        let known = self.list.iter().position(|f| *f == formula);
        known.unwrap_or_else(|| {
            self.list.push(formula);
            self.list.len() - 1
        })
    }

    fn truth(&mut self, value: bool) -> usize {
        self.add(Linear::State(Ctl::State(self.terms.bool(value))))
    }

    /// Adds a formula, or its negation; `None` if it has an existential path quantifier.
    ///
    /// Recurses on the nesting of the formula, which front-ends bound.
    fn add_formula(&mut self, formula: &Ctl, positive: bool) -> Option<usize> {
        if !is_temporal(formula) {
            let leaf = match positive {
                true => formula.clone(),
                false => Ctl::Not(Box::new(formula.clone())),
            };
            return Some(self.add(Linear::State(leaf)));
        }
        let mut of = |f: &Ctl| self.add_formula(f, positive);
        let made = match formula {
            Ctl::Not(a) => return self.add_formula(a, !positive),
            Ctl::And(a, b) | Ctl::Or(a, b) => {
                let (first, second) = (of(a)?, of(b)?);
                match matches!(formula, Ctl::And(..)) == positive {
                    true => Linear::And(first, second),
                    false => Linear::Or(first, second),
                }
            }
            Ctl::Ax(a) => match (of(a)?, positive) {
                (next, true) => Linear::WeakNext(next),
                (next, false) => Linear::Next(next),
            },
            Ctl::Ag(a) | Ctl::Af(a) => {
                let inner = of(a)?;
                match matches!(formula, Ctl::Ag(_)) == positive {
                    true => Linear::Weak(inner, self.truth(false)),
                    false => Linear::Until(self.truth(true), inner),
                }
            }
            Ctl::Au(a, b) | Ctl::Aw(a, b) => {
                let (first, second) = (of(a)?, of(b)?);
                let until = matches!(formula, Ctl::Au(..)) == positive;
                let (first, second) = match positive {
                    true => (first, second),
                    false => (second, self.add(Linear::And(first, second))),
                };
                match until {
                    true => Linear::Until(first, second),
                    false => Linear::Weak(first, second),
                }
            }
            _ => return None,
        };
        Some(self.add(made))
    }

    /// The formula about all paths; `None` if it requires a next state.
    fn as_ctl(&self, formula: usize) -> Option<Ctl> {
        let of = |f: usize| self.as_ctl(f).map(Box::new);
        Some(match &self.list[formula] {
            Linear::State(leaf) => leaf.clone(),
            Linear::And(a, b) => Ctl::And(of(*a)?, of(*b)?),
            Linear::Or(a, b) => Ctl::Or(of(*a)?, of(*b)?),
            Linear::Next(_) => return None,
            Linear::WeakNext(a) => Ctl::Ax(of(*a)?),
            Linear::Until(a, b) => Ctl::Au(of(*a)?, of(*b)?),
            // Invariants have the form that engines for invariants accept.
            Linear::Weak(a, b) if self.is_false(*b) => Ctl::Ag(of(*a)?),
            Linear::Weak(a, b) => Ctl::Aw(of(*a)?, of(*b)?),
        })
    }

    fn is_false(&self, formula: usize) -> bool {
        matches!(&self.list[formula], Linear::State(Ctl::State(p)) if *p == self.terms.ff())
    }

    /// All ways to satisfy a set of formulas.
    fn ways(&self, set: &BTreeSet<usize>) -> Vec<Way> {
        let mut found: Vec<Way> = Vec::new();
        let todo: Vec<usize> = set.iter().rev().copied().collect();
        let mut open = vec![(todo, BTreeSet::new(), Way::default())];
        while let Some((mut todo, mut seen, mut way)) = open.pop() {
            let Some(formula) = todo.pop() else {
                if !found.contains(&way) {
                    found.push(way);
                }
                continue;
            };
            if !seen.insert(formula) {
                open.push((todo, seen, way));
                continue;
            }
            match self.list[formula] {
                Linear::State(ref leaf) => {
                    match leaf {
                        Ctl::State(p) if *p == self.terms.ff() => continue,
                        Ctl::State(p) if *p == self.terms.tt() => {}
                        _ => {
                            way.now.insert(formula);
                        }
                    }
                    open.push((todo, seen, way));
                }
                Linear::And(a, b) => {
                    todo.extend([a, b]);
                    open.push((todo, seen, way));
                }
                Linear::Or(a, b) => {
                    for one in [b, a] {
                        let mut todo = todo.clone();
                        todo.push(one);
                        open.push((todo, seen.clone(), way.clone()));
                    }
                }
                Linear::Next(a) | Linear::WeakNext(a) => {
                    way.strong |= matches!(self.list[formula], Linear::Next(_));
                    way.next.insert(a);
                    open.push((todo, seen, way));
                }
                Linear::Until(f, g) | Linear::Weak(f, g) => {
                    let until = matches!(self.list[formula], Linear::Until(..));
                    let mut later = (todo.clone(), seen.clone(), way.clone());
                    later.0.push(f);
                    later.2.next.insert(formula);
                    later.2.strong |= until;
                    if until {
                        later.2.put_off.insert(formula);
                    }
                    open.push(later);
                    todo.push(g);
                    open.push((todo, seen, way));
                }
            }
        }
        found
    }

    fn leaf(&self, formula: usize) -> Option<&Ctl> {
        match &self.list[formula] {
            Linear::State(leaf) => Some(leaf),
            _ => None,
        }
    }
}

fn is_temporal(formula: &Ctl) -> bool {
    formula.operator().is_some() || formula.arguments().into_iter().any(is_temporal)
}

/// The tableau of a negated formula as an automaton.
struct Automaton<'t> {
    tableau: Tableau<'t>,
    /// The sets of formulas; the first one is the initial value.
    sets: Vec<BTreeSet<usize>>,
    /// The transitions: from a set to a set, in this way.
    ways: Vec<(usize, usize, Way)>,
    /// All untils that are postponed in some transition.
    untils: Vec<usize>,
}

impl<'t> Automaton<'t> {
    fn new(terms: &'t Terms, formula: &Ctl) -> Result<Automaton<'t>, String> {
        let mut tableau = Tableau::new(terms);
        let root = tableau.add_formula(formula, false);
        let root = root.ok_or("formulas of linear time have no quantifiers over paths")?;
        let mut sets = vec![BTreeSet::from([root])];
        let mut ways = Vec::new();
        let mut untils = BTreeSet::new();
        let mut at = 0;
        while at < sets.len() {
            for way in tableau.ways(&sets[at].clone()) {
                let known = sets.iter().position(|s| *s == way.next);
                let to = known.unwrap_or_else(|| {
                    sets.push(way.next.clone());
                    sets.len() - 1
                });
                untils.extend(way.put_off.iter().copied());
                ways.push((at, to, way));
            }
            if sets.len() > MOST_VALUES || ways.len() > MOST_VALUES {
                return Err("the formula is too large for a monitor".to_string());
            }
            at += 1;
        }
        Ok(Automaton {
            tableau,
            sets,
            ways,
            untils: untils.into_iter().collect(),
        })
    }

    /// The conditions of a transition at a location; `None` if they are false there.
    fn conditions(&self, way: &Way, location: LocationId) -> Option<Vec<Term>> {
        let terms = self.tableau.terms;
        let mut found = Vec::new();
        for &formula in &way.now {
            let condition = self.tableau.leaf(formula)?.state_formula(terms, location)?;
            if condition == terms.ff() {
                return None;
            }
            found.push(condition);
        }
        Some(found)
    }
}

/// The variables of a monitor in the model.
struct Monitor<'t> {
    terms: &'t Terms,
    automaton: Automaton<'t>,
    value: Symbol,
    values: EnumId,
    pick: Symbol,
    picks: EnumId,
    /// For every until: the number of times that it may still be postponed, and the input with its
    /// new value.
    left: BTreeMap<usize, (Symbol, Symbol)>,
    sort: Sort,
}

/// Adds a monitor of a formula to a model; returns the property to be proved, and the variable of
/// the monitor's choices.
pub(crate) fn monitored(
    terms: &Terms,
    model: &mut Model,
    name: &str,
    formula: &Ctl,
) -> Result<(Ctl, Symbol), String> {
    if !model.is_linear() {
        return Err("steps with premises cannot be followed".to_string());
    }
    let automaton = Automaton::new(terms, formula)?;
    let sort = counter_sort(terms, model);
    let monitor = Monitor::new(terms, name, automaton, sort)?;
    for edge in &mut model.edges {
        let from = edge.from;
        monitor.follow(&mut edge.command, from);
    }
    let first = monitor.is(1);
    model.init.push(first);
    model.variables.push(monitor.value);
    let zero = terms.number(0.into(), sort);
    for (left, _) in monitor.left.values() {
        model.variables.push(*left);
        model.init.push(terms.le(zero, terms.var(*left)));
    }
    Ok((monitor.property(), monitor.pick))
}

impl<'t> Monitor<'t> {
    fn new(
        terms: &'t Terms,
        name: &str,
        automaton: Automaton<'t>,
        sort: Sort,
    ) -> Result<Monitor<'t>, String> {
        let declare = |part: &str, sort: Sort, kind: SymbolKind| {
            let whole = format!("{name}_{part}");
            let declared = terms.declare(&whole, sort, kind);
            declared.map_err(|_| format!("the name `{whole}` is taken"))
        };
        let named = |word: &str, count: usize| -> Vec<String> {
            (0..count).map(|k| format!("{name}_{word}{k}")).collect()
        };
        let mut values = vec![format!("{name}_done")];
        values.extend(named("s", automaton.sets.len()));
        let values = terms.declare_enum(&format!("{name}_monitor"), &values);
        let mut picks = vec![format!("{name}_stop")];
        picks.extend(named("w", automaton.ways.len()));
        let picks = terms.declare_enum(&format!("{name}_pick"), &picks);
        let mut left = BTreeMap::new();
        for (k, &until) in automaton.untils.iter().enumerate() {
            let number = declare(&format!("left{k}"), sort, SymbolKind::State)?;
            let anew = declare(&format!("anew{k}"), sort, SymbolKind::Input)?;
            left.insert(until, (number, anew));
        }
        Ok(Monitor {
            value: declare("monitor", Sort::Enum(values), SymbolKind::State)?,
            pick: declare("pick", Sort::Enum(picks), SymbolKind::Input)?,
            terms,
            automaton,
            values,
            picks,
            left,
            sort,
        })
    }

    /// The condition that the monitor has this value: 0 is `done`, the sets follow.
    fn is(&self, value: usize) -> Term {
        self.terms
            .eq(self.terms.var(self.value), self.value_term(value))
    }

    fn value_term(&self, value: usize) -> Term {
        self.terms.variant(self.values, position(value))
    }

    /// The condition that this transition is chosen: 0 is to give up, the transitions follow.
    fn picked(&self, pick: usize) -> Term {
        let variant = self.terms.variant(self.picks, position(pick));
        self.terms.eq(self.terms.var(self.pick), variant)
    }

    /// Makes the monitor follow a command.
    fn follow(&self, command: &mut Command, from: LocationId) {
        let terms = self.terms;
        let mut cases = vec![self.picked(0)];
        let mut value = self.value_term(0);
        for (k, (set, to, way)) in self.automaton.ways.iter().enumerate() {
            let Some(conditions) = self.automaton.conditions(way, from) else {
                continue;
            };
            let one = terms.number(1.into(), self.sort);
            let able = way.put_off.iter();
            let able = able.map(|u| terms.le(one, terms.var(self.left[u].0)));
            let case = [self.picked(k + 1), self.is(set + 1)].into_iter();
            cases.push(terms.and(case.chain(conditions).chain(able)));
            value = terms.ite(self.picked(k + 1), self.value_term(to + 1), value);
        }
        command.inputs.push(self.pick);
        command.guards.push(terms.or(cases));
        command.updates.push(Update {
            symbol: self.value,
            value,
        });
        for (until, &(left, anew)) in &self.left {
            let ways = self.automaton.ways.iter().enumerate();
            let put_off = ways.filter(|(_, (_, _, way))| way.put_off.contains(until));
            let put_off = terms.or(put_off.map(|(k, _)| self.picked(k + 1)));
            let zero = terms.number(0.into(), self.sort);
            let less = terms.sub(terms.var(left), terms.number(1.into(), self.sort));
            let free = terms.ite(self.picked(0), zero, terms.var(anew));
            command.inputs.push(anew);
            command.guards.push(terms.le(zero, terms.var(anew)));
            command.updates.push(Update {
                symbol: left,
                value: terms.ite(put_off, less, free),
            });
        }
    }

    /// On all paths, the monitor is eventually done, or the path ends where the monitor cannot end.
    fn property(&self) -> Ctl {
        let mut ends = Ctl::State(self.terms.ff());
        for (set, _, way) in self.automaton.ways.iter().filter(|(.., w)| !w.strong) {
            let mut case = Ctl::State(self.is(set + 1));
            for leaf in way
                .now
                .iter()
                .filter_map(|&f| self.automaton.tableau.leaf(f))
            {
                case = Ctl::And(Box::new(case), Box::new(leaf.clone()));
            }
            ends = Ctl::Or(Box::new(ends), Box::new(case));
        }
        let stuck = Ctl::Ax(Box::new(Ctl::State(self.terms.ff())));
        let lost = Ctl::And(Box::new(stuck), Box::new(Ctl::Not(Box::new(ends))));
        let done = Ctl::State(self.is(0));
        Ctl::Af(Box::new(Ctl::Or(Box::new(done), Box::new(lost))))
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
