//! Elaborates properties and temporal formulas.

use super::{Elaborated, Elaborator};
use crate::messages::{Report as _, Reported, all};
use crate::syntax::{ClaimKind, Connective, Expr, ExprKind, Quantified, Quantifier, Temporal};
use sectile_base::Span;
use sectile_model::{Ctl, PropertyKind};
use sectile_terms::Terms;
use std::ops::ControlFlow;

impl Elaborator<'_> {
    /// A property that does not refer to labels.
    pub fn claim(&mut self, claim: &ClaimKind) -> Elaborated<PropertyKind> {
        match claim {
            ClaimKind::Invariant(e) => self.formula(e).map(PropertyKind::Invariant),
            ClaimKind::Error(e) => self.formula(e).map(PropertyKind::Error),
            ClaimKind::Ctl(e) => self.ctl(e).map(PropertyKind::Ctl),
            // Interpreted in linear time later, when the model is known.
            ClaimKind::Ltl(e) => self.ctl(e).map(PropertyKind::Ctl),
            ClaimKind::Terminates => Ok(PropertyKind::Ctl(Ctl::terminates(self.terms))),
            ClaimKind::At(_, e) => Err(self.misplaced_temporal(e.span)),
        }
    }

    /// A CTL formula.
    ///
    /// The largest parts without temporal operators and locations become single state formulas.
    pub fn ctl(&mut self, expr: &Expr) -> Elaborated<Ctl> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(location) = self.location(name)
        {
            return Ok(Ctl::At(location));
        }
        if !self.is_special(expr) {
            return self.formula(expr).map(Ctl::State);
        }
        match &expr.kind {
            ExprKind::Not(inner) => self.ctl(inner).map(|f| not(self.terms, f)),
            ExprKind::Connected(connective, list) => self.ctl_connected(*connective, list),
            ExprKind::Temporal(temporal) => self.temporal(temporal),
            ExprKind::Quantified(quantified) => self.ctl_quantified(quantified, expr.span),
            _ => Err(self.misplaced_temporal(expr.span)),
        }
    }

    /// Whether a formula contains temporal operators or locations.
    fn is_special(&self, expr: &Expr) -> bool {
        let mut found = match &expr.kind {
            ExprKind::Temporal(..) => true,
            ExprKind::Name(name) => self.location(name).is_some(),
            _ => false,
        };
        expr.for_each_part(&mut |part| found = found || self.is_special(part));
        found
    }

    pub(super) fn misplaced_temporal(&mut self, span: Span) -> Reported {
        let message = "a temporal operator or a location cannot stand here";
        let help = "they may be combined by `not`, `and`, `or`, `=>`, `<=>`, `forall`, `exists` \
                    only, and in `ctl` properties only";
        self.error("type", span, message, help)
    }

    fn ctl_connected(&mut self, connective: Connective, list: &[Expr]) -> Elaborated<Ctl> {
        let mut parts: Vec<Ctl> = all(list.iter().map(|e| self.ctl(e)))?;
        let terms = self.terms;
        match connective {
            Connective::And => Ok(conjunction(terms, parts)),
            Connective::Or => Ok(disjunction(terms, parts)),
            Connective::Implies => {
                let last = parts.pop();
                let premises = parts.into_iter().map(|p| not(terms, p));
                Ok(disjunction(terms, premises.chain(last).collect()))
            }
            Connective::Iff => {
                let span = list[0].span;
                let mut parts = parts.into_iter();
                let mut whole = parts.next().ok_or(Reported)?;
                for part in parts {
                    // Both sides are used twice.
                    self.charge(size(&whole) + size(&part), span)?;
                    let both = and(terms, whole.clone(), part.clone());
                    let none = and(terms, not(terms, whole), not(terms, part));
                    whole = or(terms, both, none);
                }
                Ok(whole)
            }
        }
    }

    fn temporal(&mut self, temporal: &Temporal) -> Elaborated<Ctl> {
        match temporal {
            Temporal::Unary(operator, inner) => Ok(operator(Box::new(self.ctl(inner)?))),
            Temporal::Until(operator, parts) => {
                let (first, second) = (self.ctl(&parts.0), self.ctl(&parts.1));
                Ok(operator(Box::new(first?), Box::new(second?)))
            }
        }
    }

    fn ctl_quantified(&mut self, quantified: &Quantified, span: Span) -> Elaborated<Ctl> {
        let terms = self.terms;
        let mut parts = Vec::new();
        self.for_each_choice(quantified, &mut |this| {
            parts.push(this.ctl(&quantified.body)?);
            Ok(ControlFlow::Continue(()))
        })?;
        match quantified.quantifier {
            Quantifier::Forall => Ok(conjunction(terms, parts)),
            Quantifier::Exists => Ok(disjunction(terms, parts)),
            _ => Err(self.misplaced_temporal(span)),
        }
    }
}

fn size(formula: &Ctl) -> u64 {
    1 + formula.arguments().into_iter().map(size).sum::<u64>()
}

/// Negation; the negation of a state formula is a state formula.
fn not(terms: &Terms, formula: Ctl) -> Ctl {
    match formula {
        Ctl::State(p) => Ctl::State(terms.not(p)),
        other => Ctl::Not(Box::new(other)),
    }
}

/// Conjunction; the conjunction of state formulas is a state formula.
fn and(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.and([p, q])),
        (a, b) => Ctl::And(Box::new(a), Box::new(b)),
    }
}

/// Disjunction; the disjunction of state formulas is a state formula.
fn or(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.or([p, q])),
        (a, b) => Ctl::Or(Box::new(a), Box::new(b)),
    }
}

fn conjunction(terms: &Terms, parts: Vec<Ctl>) -> Ctl {
    balanced(parts, &|a, b| and(terms, a, b)).unwrap_or(Ctl::State(terms.tt()))
}

fn disjunction(terms: &Terms, parts: Vec<Ctl>) -> Ctl {
    balanced(parts, &|a, b| or(terms, a, b)).unwrap_or(Ctl::State(terms.ff()))
}

/// Joins neighbours until one formula is left, so that the depth of the tree is logarithmic.
fn balanced(mut parts: Vec<Ctl>, join: &dyn Fn(Ctl, Ctl) -> Ctl) -> Option<Ctl> {
    while parts.len() > 1 {
        let mut joined = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(a) = rest.next() {
            joined.push(match rest.next() {
                Some(b) => join(a, b),
                None => a,
            });
        }
        parts = joined;
    }
    parts.pop()
}
