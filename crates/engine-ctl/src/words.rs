//! Converts cells to formulas, and the choices of steps to terms.

use crate::cells::{CellSet, Edge, turned_sources};
use crate::formulas::{control_formula, number, states};
use crate::proof::Evidence;
use crate::rank::Function;
use sectile_base::Rat;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Case;
use sectile_domains::linear::{Affine, Constraint, Numbers, Relation};
use sectile_terms::{Stage, Symbol, Term};

/// Bounds of a value, and whether one of them is strict.
type Bounds = (Vec<Term>, bool);

impl<D: Domain> Evidence<'_, D> {
    /// A cell as a formula.
    pub fn formula_of(&self, set: &CellSet<D>) -> Term {
        let control = control_formula(self.program, &set.control);
        states(self.program, control, &*set.set)
    }

    /// A number of the domain as a term.
    fn number(&self, scaled: &Rat) -> Term {
        number(self.program, scaled)
    }

    /// The variable at a position of a set; chosen values come after the variables.
    fn variable(&self, position: usize, chosen: &[Term]) -> Term {
        match position.checked_sub(self.program.numeric.len()) {
            None => self.program.terms.var(self.program.numeric[position]),
            Some(k) => chosen[k],
        }
    }

    /// A sum of multiples of variables and chosen values.
    fn sum<'s>(
        &self,
        parts: impl IntoIterator<Item = (usize, &'s Rat)>,
        constant: &Rat,
        chosen: &[Term],
    ) -> Term {
        let terms = self.program.terms;
        let mut sum = self.number(constant);
        for (position, factor) in parts {
            let part = terms.scale(self.variable(position, chosen), factor);
            sum = terms.add(sum, part);
        }
        sum
    }

    /// A measure in the units of the system.
    pub fn measure(&self, function: &Function) -> Term {
        let terms = self.program.terms;
        let scale = Rat::from(&self.program.scale);
        let constant = self.number(&(&function.constant * &scale));
        let variables = self.program.numeric.iter().zip(&function.factors);
        variables.fold(constant, |sum, (&symbol, factor)| {
            let part = terms.scale(terms.var(symbol), &(factor * &scale));
            terms.add(sum, part)
        })
    }

    /// The chosen values of a step from a cell, as terms over the state before it.
    pub fn values(&self, edge: &Edge<D>, from: &CellSet<D>) -> Vec<(Symbol, Term)> {
        let mut found = Vec::new();
        let case = &self.program.cases[edge.case];
        let to = &self.graph.cells[edge.target];
        let turn = self.graph.symmetry.turn(edge.turn);
        let command = &self.system.edges[case.command].command;
        // The target gives the values of variables after the turn.
        let after = |v: usize| to.control[turn.control[v]];
        for (v, symbol) in self.program.control.iter().enumerate() {
            if self.system.variables.contains(symbol) && command.update_of(*symbol).is_none() {
                let value = self.program.discrete_term(*symbol, u32::from(after(v)));
                found.push((*symbol, value));
            }
        }
        let sources = turned_sources(&turn, edge.turn, &case.sources);
        let inside = case.guarded(&from.set);
        let inside = inside.and_then(|g| to.set.preimage(&g, &sources));
        let Some(inside) = inside else { return found };
        let chosen = self.chosen(case, &inside);
        for &input in &command.inputs {
            let slot = (input, Stage::Now);
            let value = match case.chosen.iter().position(|s| *s == slot) {
                Some(k) => chosen[k],
                None => self.unused_input(case, input),
            };
            found.push((input, value));
        }
        for (i, &symbol) in self.program.numeric.iter().enumerate() {
            if self.system.variables.contains(&symbol) && command.update_of(symbol).is_none() {
                let Affine { terms, constant } = &case.values[i];
                let parts = terms.iter().map(|(v, c)| (*v, c));
                found.push((symbol, self.sum(parts, constant, &chosen)));
            }
        }
        found
    }

    /// A discrete input, or an irrelevant number.
    fn unused_input(&self, case: &Case<D>, input: Symbol) -> Term {
        let sort = self.program.terms.symbol_sort(input);
        match sort.is_numeric() {
            true => self.number(&Rat::ZERO),
            false => {
                let value = case.inputs.get(&input).copied().unwrap_or(0);
                self.program.discrete_term(input, value)
            }
        }
    }

    /// Terms for the chosen numbers: each is the largest of its lower bounds.
    ///
    /// In a projection every bound over the previous variables is feasible.
    fn chosen(&self, case: &Case<D>, inside: &D) -> Vec<Term> {
        let terms = self.program.terms;
        let fixed = self.program.numeric.len();
        let mut found: Vec<Term> = Vec::new();
        for k in 0..case.chosen.len() {
            let me = fixed + k;
            let constraints = inside.projected(me + 1).constraints();
            let (low, low_strict) = self.bounds_of(me, &constraints, false, &found);
            let (high, high_strict) = self.bounds_of(me, &constraints, true, &found);
            let low = low.into_iter().reduce(|a, b| terms.max(a, b));
            let high = high.into_iter().reduce(|a, b| terms.min(a, b));
            let one = self.number(&Rat::from(&self.program.scale));
            found.push(match (low, high) {
                (Some(l), _) if !low_strict => l,
                (_, Some(h)) if !high_strict => h,
                (Some(l), Some(h)) => terms.scale(terms.add(l, h), &Rat::from_ratio(1, 2)),
                (Some(l), None) => terms.add(l, one),
                (None, Some(h)) => terms.sub(h, one),
                (None, None) => self.number(&Rat::ZERO),
            });
        }
        found
    }

    /// The bounds of the last variable in constraints, over the previous variables.
    ///
    /// Over the integers a bound with a factor is not a term; then the others are used, and the
    /// check of the choice decides whether they are enough.
    fn bounds_of(
        &self,
        me: usize,
        constraints: &[Constraint],
        upper: bool,
        chosen: &[Term],
    ) -> Bounds {
        let (mut list, mut strict) = (Vec::new(), false);
        for constraint in constraints {
            let own = Rat::from(&constraint.coefficients[me]);
            let usable = constraint.relation == Relation::Equal || own.is_positive() == upper;
            let whole = own.abs().is_one() || self.program.numbers == Numbers::Reals;
            if own.is_zero() || !usable || !whole {
                continue;
            }
            let others = constraint.coefficients[..me].iter();
            let others: Vec<Rat> = others.map(|c| -&(&Rat::from(c) / &own)).collect();
            let parts = others.iter().enumerate().filter(|(_, c)| !c.is_zero());
            let bound = &Rat::from(&constraint.bound) / &own;
            list.push(self.sum(parts, &bound, chosen));
            strict |= constraint.relation == Relation::Below;
        }
        (list, strict)
    }
}
