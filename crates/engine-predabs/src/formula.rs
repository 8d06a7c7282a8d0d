//! Readable formulas from decision diagrams.

use crate::alpha::{AbstractVariable, Alpha, Kind};
use crate::system::AbstractSystem;
use rustc_hash::FxHashMap;
use sectile_domains::bdd::{Bdd, Manager};
use sectile_terms::Term;
use std::rc::Rc;

/// A formula over abstract variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// True.
    True,
    /// False.
    False,
    /// A condition on one variable.
    Is(Condition),
    /// Two or more conjuncts.
    And(Vec<Rc<Formula>>),
    /// A condition and its consequence.
    Implies(Condition, Rc<Formula>),
}

/// `variable in values`, or `variable not in values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The variable.
    pub variable: usize,
    /// Values, in order.
    pub values: Vec<usize>,
    /// Whether the variable has none of them.
    pub negated: bool,
}

impl Condition {
    fn new(variable: usize, values: Vec<usize>, size: usize) -> Condition {
        // Paper: [BeGrLa, Sect. 5.2]: more than half of the domain is described by the complement.
        let negated = 2 * values.len() > size;
        let named = (0..size).filter(|v| values.contains(v) != negated);
        Condition {
            variable,
            values: named.collect(),
            negated,
        }
    }

    fn opposite(&self) -> Condition {
        Condition {
            negated: !self.negated,
            ..self.clone()
        }
    }

    /// Whether a value satisfies it.
    pub fn holds(&self, value: usize) -> bool {
        self.values.contains(&value) != self.negated
    }
}

/// The formula of a set of current abstract states, in the order of the variables.
///
/// Paper: [BeGrLa, Fig. 8], with both simplifications of Sect. 5.2.
pub fn bdd2f(alpha: &Alpha, m: &mut Manager, set: Bdd) -> Rc<Formula> {
    let mut done = FxHashMap::default();
    convert(alpha, m, set, &mut done)
}

/// Guards or their negations, and the formula of the states that satisfy them.
pub type GuardCase = (Vec<Term>, Rc<Formula>);

impl AbstractSystem<'_> {
    /// A set of states by cases of guards: for every combination of guards and negations that the
    /// set intersects, the guards and the formula of the states with them. A guard that is not a
    /// set of abstract states is the error.
    ///
    /// Paper: [BeGrLa, Sect. 5.2, "Splitting on Guards"].
    pub fn split_on_guards(&mut self, set: Bdd, guards: &[Term]) -> Result<Vec<GuardCase>, Term> {
        let terms = self.terms();
        let mut cases: Vec<(Vec<Term>, Bdd, Bdd)> = vec![(Vec::new(), set, self.valid)];
        for &guard in guards {
            let is = self.exact(terms, guard).ok_or(guard)?;
            let mut finer = Vec::new();
            for (literals, part, care) in cases {
                let not = self.manager.not(is);
                for (literal, side) in [(guard, is), (terms.not(guard), not)] {
                    let here = self.manager.and(part, side);
                    if here != Bdd::FALSE {
                        let mut longer = literals.clone();
                        longer.push(literal);
                        finer.push((longer, here, self.manager.and(care, side)));
                    }
                }
            }
            cases = finer;
        }
        let mut found = Vec::new();
        for (literals, part, care) in cases {
            let short = self.manager.simplified_within(part, care);
            found.push((literals, bdd2f(&self.alpha, &mut self.manager, short)));
        }
        Ok(found)
    }
}

fn convert(
    alpha: &Alpha,
    m: &mut Manager,
    set: Bdd,
    done: &mut FxHashMap<Bdd, Rc<Formula>>,
) -> Rc<Formula> {
    let Some(level) = m.level(set) else {
        return Rc::new(match set {
            Bdd::TRUE => Formula::True,
            _ => Formula::False,
        });
    };
    if let Some(known) = done.get(&set) {
        return Rc::clone(known);
    }
    let (variable, _) = alpha.space().variable_of(level);
    let size = alpha.space().size(variable);
    let mut groups = alpha.groups(m, set, variable, false);
    // True comes before false, as is usual.
    if size == 2 {
        groups.reverse();
    }
    let mut cases = Vec::new();
    for (rest, values) in groups {
        let conclusion = convert(alpha, m, rest, done);
        cases.push((Condition::new(variable, values, size), conclusion));
    }
    let result = Rc::new(simplified(cases));
    done.insert(set, Rc::clone(&result));
    result
}

/// Paper: [BeGrLa, Sect. 5.2], simplification 2.
fn simplified(cases: Vec<(Condition, Rc<Formula>)>) -> Formula {
    if let [(_, only)] = &cases[..] {
        return only.as_ref().clone();
    }
    if let [(g, f), (h, k)] = &cases[..] {
        if **f == Formula::False {
            return both(h, k);
        }
        if **k == Formula::False {
            return both(g, f);
        }
    }
    let mut conjuncts = Vec::new();
    for (condition, conclusion) in cases {
        match conclusion.as_ref() {
            Formula::True => {}
            Formula::False => conjuncts.push(Rc::new(Formula::Is(condition.opposite()))),
            _ => conjuncts.push(Rc::new(Formula::Implies(condition, conclusion))),
        }
    }
    match conjuncts.len() {
        0 => Formula::True,
        1 => conjuncts[0].as_ref().clone(),
        _ => Formula::And(conjuncts),
    }
}

fn both(condition: &Condition, rest: &Rc<Formula>) -> Formula {
    let is = Rc::new(Formula::Is(condition.clone()));
    match rest.as_ref() {
        Formula::True => Formula::Is(condition.clone()),
        Formula::And(list) => {
            Formula::And(std::iter::once(is).chain(list.iter().cloned()).collect())
        }
        _ => Formula::And(vec![is, Rc::clone(rest)]),
    }
}

impl Formula {
    /// Whether an abstract state satisfies it.
    pub fn holds(&self, state: &[usize]) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Is(c) => c.holds(state[c.variable]),
            Formula::And(list) => list.iter().all(|f| f.holds(state)),
            Formula::Implies(c, f) => !c.holds(state[c.variable]) || f.holds(state),
        }
    }

    /// The leaves of the tree of implications: premises with their conclusions.
    ///
    /// Paper: [BeGrLa, Sect. 5.2]: the invariants (1) to (5) of the bakery are these.
    pub fn cases(&self) -> Vec<(Vec<&Condition>, Vec<&Formula>)> {
        let mut found: Vec<(Vec<&Condition>, Vec<&Formula>)> = Vec::new();
        let mut stack = vec![(Vec::new(), self)];
        while let Some((premises, formula)) = stack.pop() {
            match formula {
                Formula::True => {}
                Formula::Implies(c, f) => {
                    let mut longer: Vec<&Condition> = premises;
                    longer.push(c);
                    stack.push((longer, f));
                }
                Formula::And(list) => {
                    let (deep, flat): (Vec<_>, Vec<_>) = list
                        .iter()
                        .map(Rc::as_ref)
                        .partition(|f| matches!(f, Formula::Implies(..) | Formula::And(_)));
                    stack.extend(deep.into_iter().rev().map(|f| (premises.clone(), f)));
                    if !flat.is_empty() {
                        found.push((premises, flat));
                    }
                }
                leaf => found.push((premises, vec![leaf])),
            }
        }
        found
    }

    /// The text of the formula.
    pub fn text(&self, alpha: &Alpha) -> String {
        match self {
            Formula::True => "true".to_string(),
            Formula::False => "false".to_string(),
            Formula::Is(c) => c.text(alpha),
            Formula::And(list) => {
                let parts = list.iter().map(|f| match f.as_ref() {
                    Formula::Implies(..) => format!("({})", f.text(alpha)),
                    _ => f.text(alpha),
                });
                parts.collect::<Vec<_>>().join(" and ")
            }
            Formula::Implies(c, f) => match f.as_ref() {
                Formula::Implies(..) => format!("{} => ({})", c.text(alpha), f.text(alpha)),
                _ => format!("{} => {}", c.text(alpha), f.text(alpha)),
            },
        }
    }
}

impl Condition {
    /// The text of the condition.
    pub fn text(&self, alpha: &Alpha) -> String {
        let variable: &AbstractVariable = &alpha.variables()[self.variable];
        let name = &variable.name;
        let truth = variable.labels.len() == 2 && variable.kind != Kind::Data;
        if truth && variable.labels[0] == "false" && self.values.len() == 1 {
            return match (self.values[0] == 1) != self.negated {
                true => name.clone(),
                false => format!("not {name}"),
            };
        }
        let labels: Vec<&str> = self
            .values
            .iter()
            .map(|&v| variable.labels[v].as_str())
            .collect();
        match (&labels[..], self.negated) {
            ([one], false) => format!("{name} = {one}"),
            ([one], true) => format!("{name} != {one}"),
            (_, false) => format!("{name} in {{{}}}", labels.join(", ")),
            (_, true) => format!("{name} not in {{{}}}", labels.join(", ")),
        }
    }
}
