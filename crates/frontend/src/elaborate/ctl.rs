//! Temporal formulas.

use super::{Elaborated, Elaborator};
use crate::syntax::{Connective, Expr, ExprKind, Quantified, Quantifier, Reported, Temporal};
use sectile_base::{Diagnostic, Span};
use sectile_model::Ctl;
use sectile_terms::Terms;

impl Elaborator<'_> {
    /// A formula of computation tree logic.
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
            ExprKind::Temporal(operator, arguments) => self.temporal(*operator, arguments),
            ExprKind::Quantified(quantified) => self.ctl_quantified(quantified, expr.span),
            _ => Err(self.misplaced_temporal(expr.span)),
        }
    }

    /// Whether a formula is about more than one state's variables.
    fn is_special(&self, expr: &Expr) -> bool {
        let own = match &expr.kind {
            ExprKind::Temporal(..) => true,
            ExprKind::Name(name) => self.location(name).is_some(),
            _ => false,
        };
        let mut found = own;
        expr.for_each_part(&mut |part| found = found || self.is_special(part));
        found
    }

    pub(super) fn misplaced_temporal(&mut self, span: Span) -> Reported {
        let message = "a temporal operator or a location cannot stand here";
        let help = "they may be combined by `not`, `and`, `or`, `=>`, `<=>`, `forall`, `exists` \
                    only, and in `ctl` properties only";
        self.report(Diagnostic::error("type", span, message).help(help))
    }

    fn ctl_connected(&mut self, connective: Connective, list: &[Expr]) -> Elaborated<Ctl> {
        let parts: Vec<_> = list.iter().map(|e| self.ctl(e)).collect();
        let parts: Elaborated<Vec<Ctl>> = parts.into_iter().collect();
        let mut parts = parts?;
        let terms = self.terms;
        match connective {
            Connective::And => Ok(all(terms, parts)),
            Connective::Or => Ok(any(terms, parts)),
            Connective::Implies => {
                let last = parts.pop();
                let mut alternatives: Vec<Ctl> = parts.into_iter().map(|p| not(terms, p)).collect();
                alternatives.extend(last);
                Ok(any(terms, alternatives))
            }
            Connective::Iff => {
                let span = list[0].span;
                let mut parts = parts.into_iter();
                let mut whole = parts.next().ok_or(Reported)?;
                for part in parts {
                    // Both sides are needed twice.
                    self.charge(size(&whole) + size(&part), span)?;
                    let both = and(terms, whole.clone(), part.clone());
                    let none = and(terms, not(terms, whole), not(terms, part));
                    whole = or(terms, both, none);
                }
                Ok(whole)
            }
        }
    }

    fn temporal(&mut self, operator: Temporal, arguments: &[Expr]) -> Elaborated<Ctl> {
        let parts: Vec<_> = arguments.iter().map(|e| self.ctl(e)).collect();
        let parts: Elaborated<Vec<Ctl>> = parts.into_iter().collect();
        let mut parts = parts?.into_iter().map(Box::new);
        let first = parts.next().ok_or(Reported)?;
        let second = parts.next();
        Ok(match (operator, second) {
            (Temporal::Ax, _) => Ctl::Ax(first),
            (Temporal::Ex, _) => Ctl::Ex(first),
            (Temporal::Af, _) => Ctl::Af(first),
            (Temporal::Ef, _) => Ctl::Ef(first),
            (Temporal::Ag, _) => Ctl::Ag(first),
            (Temporal::Eg, _) => Ctl::Eg(first),
            (Temporal::Au, Some(second)) => Ctl::Au(first, second),
            (Temporal::Eu, Some(second)) => Ctl::Eu(first, second),
            (Temporal::Aw, Some(second)) => Ctl::Aw(first, second),
            (Temporal::Ew, Some(second)) => Ctl::Ew(first, second),
            (_, None) => return Err(Reported),
        })
    }

    fn ctl_quantified(&mut self, quantified: &Quantified, span: Span) -> Elaborated<Ctl> {
        let terms = self.terms;
        let mut parts = Vec::new();
        self.each_instance(quantified, &mut |this| {
            parts.push(this.ctl(&quantified.body)?);
            Ok(())
        })?;
        match quantified.quantifier {
            Quantifier::Forall => Ok(all(terms, parts)),
            Quantifier::Exists => Ok(any(terms, parts)),
            _ => Err(self.misplaced_temporal(span)),
        }
    }
}

fn size(formula: &Ctl) -> u64 {
    1 + formula.arguments().into_iter().map(size).sum::<u64>()
}

/// Negation; of a state formula it is one again.
fn not(terms: &Terms, formula: Ctl) -> Ctl {
    match formula {
        Ctl::State(p) => Ctl::State(terms.not(p)),
        other => Ctl::Not(Box::new(other)),
    }
}

/// Conjunction; of state formulas it is one again.
fn and(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.and([p, q])),
        (a, b) => Ctl::And(Box::new(a), Box::new(b)),
    }
}

/// Disjunction; of state formulas it is one again.
fn or(terms: &Terms, a: Ctl, b: Ctl) -> Ctl {
    match (a, b) {
        (Ctl::State(p), Ctl::State(q)) => Ctl::State(terms.or([p, q])),
        (a, b) => Ctl::Or(Box::new(a), Box::new(b)),
    }
}

fn all(terms: &Terms, parts: Vec<Ctl>) -> Ctl {
    balanced(parts, &|a, b| and(terms, a, b)).unwrap_or(Ctl::State(terms.tt()))
}

fn any(terms: &Terms, parts: Vec<Ctl>) -> Ctl {
    balanced(parts, &|a, b| or(terms, a, b)).unwrap_or(Ctl::State(terms.ff()))
}

/// Joins neighbours until one formula is left: the tree of a long list stays flat.
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
