//! Elaborates truth values: connectives, comparisons, membership, conditionals.

use super::{Elaborated, Elaborator};
use crate::messages::{Report as _, Reported, all};
use crate::syntax::{Comparison, Connective, Expr, ExprKind, Sign};
use sectile_base::Span;
use sectile_terms::{Sort, Term, Terms};

/// Which sorts the operands of an operator may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Of any sort.
    Any,
    /// Numbers.
    Numbers,
}

impl Elaborator<'_> {
    /// The operands of a connective. Operands after one that determines the result are checked, but
    /// their indices may be out of range: `i < n => f[i] < f[i + 1]` is valid for `i = n`.
    pub(super) fn connected(&mut self, connective: Connective, list: &[Expr]) -> Elaborated<Term> {
        if connective == Connective::Iff {
            let parts = all(list.iter().map(|e| self.formula(e)))?;
            return Ok(connected(self.terms, Connective::Iff, parts));
        }
        let terms = self.terms;
        let mut parts = Vec::with_capacity(list.len());
        let (mut decided, mut failed) = (None, false);
        for (i, expr) in list.iter().enumerate() {
            if decided.is_some() {
                self.irrelevant(expr, Some(Sort::Bool));
                continue;
            }
            let Ok(part) = self.formula(expr) else {
                failed = true;
                continue;
            };
            let premise = connective == Connective::Implies && i + 1 < list.len();
            let part = if premise { terms.not(part) } else { part };
            let deciding = connective != Connective::And;
            if terms.as_bool(part) == Some(deciding) {
                decided = Some(terms.bool(deciding));
            }
            parts.push(part);
        }
        match (failed, decided, connective) {
            (true, ..) => Err(Reported),
            (_, Some(value), _) => Ok(value),
            (_, _, Connective::And) => Ok(terms.and(parts)),
            _ => Ok(terms.or(parts)),
        }
    }

    /// Elaborates `a < b <= c` and `a in ...`.
    pub(super) fn compared(
        &mut self,
        first: &Expr,
        rest: &[(Comparison, Expr)],
    ) -> Elaborated<Term> {
        let operands: Vec<&Expr> = std::iter::once(first)
            .chain(rest.iter().filter(|r| r.0 != Comparison::In).map(|r| &r.1))
            .collect();
        if let Some(fields) = self.fields_of_any(&operands) {
            return self.compared_records(first, rest, &fields);
        }
        let (values, sort) = self.operands(&operands, None, Operands::Any)?;
        let mut values = values.into_iter();
        let mut left = values.next().expect("there is a first operand");
        let mut parts = Vec::with_capacity(rest.len());
        for (comparison, expr) in rest {
            if *comparison == Comparison::In {
                parts.push(self.member(left, sort, expr)?);
                continue;
            }
            let right = values.next().expect("every comparison has an operand");
            parts.push(self.comparison(*comparison, left, right, first.span.to(expr.span))?);
            left = right;
        }
        Ok(self.terms.and(parts))
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: Term,
        right: Term,
        span: Span,
    ) -> Elaborated<Term> {
        let terms = self.terms;
        let sort = terms.sort(left);
        if !sort.is_numeric() && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            let message = format!("values of `{}` have no order", self.sort_name(sort));
            let help = match sort {
                Sort::Bool => "use `=>` or `<=>` between conditions",
                _ => "compare with `=` and `!=`",
            };
            return Err(self.error("type", span, message, help));
        }
        Ok(compared(terms, comparison, left, right))
    }

    /// Whether a value belongs to a set or range.
    fn member(&mut self, value: Term, sort: Sort, collection: &Expr) -> Elaborated<Term> {
        let terms = self.terms;
        match &collection.kind {
            ExprKind::Set(members) => {
                let members: Vec<Term> = all(members.iter().map(|m| self.expect(m, sort)))?;
                Ok(terms.or(members.into_iter().map(|m| terms.eq(value, m))))
            }
            ExprKind::Range(ends) => {
                if !sort.is_numeric() {
                    let wanted = format!("values of `{}` have no order", self.sort_name(sort));
                    let help = "list the values: `x in {a, b}`";
                    return Err(self.error("type", collection.span, wanted, help));
                }
                let low = self.expect(&ends.0, sort);
                let high = self.expect(&ends.1, sort);
                Ok(terms.and([terms.le(low?, value), terms.le(value, high?)]))
            }
            _ => {
                let message = "expected a set or a range after `in`";
                Err(self.error("syntax", collection.span, message, ""))
            }
        }
    }

    /// Elaborates `if`. Branches that are never taken are checked, but their indices may be out of
    /// range.
    pub(super) fn conditional(
        &mut self,
        branches: &[(Expr, Expr)],
        otherwise: &Expr,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let mut live = Vec::new();
        let mut conditions = Vec::new();
        let (mut taken, mut failed) = (false, false);
        for (condition, value) in branches {
            if taken {
                self.irrelevant(condition, Some(Sort::Bool));
                self.irrelevant(value, hint);
                continue;
            }
            match self.formula(condition) {
                Err(Reported) => failed = true,
                Ok(c) if self.terms.as_bool(c) == Some(false) => self.irrelevant(value, hint),
                Ok(c) => {
                    taken = self.terms.as_bool(c) == Some(true);
                    conditions.push(c);
                    live.push(value);
                }
            }
        }
        match taken {
            true => self.irrelevant(otherwise, hint),
            false => live.push(otherwise),
        }
        let (values, _) = self.operands(&live, hint, Operands::Any)?;
        if failed {
            return Err(Reported);
        }
        let mut values = values.into_iter().rev();
        let last = values.next().expect("one branch is always possible");
        // A branch that is always taken comes last and needs no condition.
        let conditions = conditions.iter().rev().skip(usize::from(taken));
        let pairs = conditions.zip(values);
        Ok(pairs.fold(last, |rest, (c, v)| self.terms.ite(*c, v, rest)))
    }

    /// The operands, which must have a common sort, and that sort.
    ///
    /// Operands whose sort depends on the context (literals, values of enumerations) are elaborated
    /// last, when the others have determined the sort.
    pub(super) fn operands(
        &mut self,
        list: &[&Expr],
        hint: Option<Sort>,
        wanted: Operands,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let mut values: Vec<Option<Elaborated<Term>>> = vec![None; list.len()];
        let mut common = None;
        for flexible in [false, true] {
            for (i, expr) in list.iter().enumerate() {
                if self.is_flexible(expr) != flexible {
                    continue;
                }
                let value = self.infer(expr, common.or(hint)).and_then(|term| {
                    if wanted == Operands::Numbers {
                        self.numeric(term, expr.span)?;
                    }
                    Ok(term)
                });
                if let Ok(term) = value {
                    let sort = self.terms.sort(term);
                    let widens = common == Some(Sort::Int) && sort == Sort::Real;
                    if common.is_none() || widens || hint == Some(sort) {
                        common = Some(sort);
                    }
                }
                values[i] = Some(value);
            }
        }
        let common = common.ok_or(Reported)?;
        let checked = all(values.into_iter().zip(list).map(|(value, expr)| {
            let value = value.expect("every operand was elaborated in one of the rounds")?;
            self.coerce(value, common, expr.span)
        }))?;
        Ok((checked, common))
    }

    /// Whether the sort of an expression depends on its context.
    pub(super) fn is_flexible(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(..) => true,
            ExprKind::Name(name) => self.names_a_variant(name),
            ExprKind::Negate(inner) => self.is_flexible(inner),
            ExprKind::Sum(list) => list.iter().all(|(_, e): &(Sign, Expr)| self.is_flexible(e)),
            ExprKind::Product(first, rest) => {
                self.is_flexible(first) && rest.iter().all(|(_, e)| self.is_flexible(e))
            }
            ExprKind::If(branches, otherwise) => {
                self.is_flexible(otherwise) && branches.iter().all(|(_, v)| self.is_flexible(v))
            }
            ExprKind::Builtin(_, arguments) => arguments.iter().all(|a| self.is_flexible(a)),
            ExprKind::Filled(_, value) => self.is_flexible(value),
            ExprKind::Indexed(array, accesses) => {
                self.is_flexible(array) && accesses.iter().all(|a| a.value.is_some())
            }
            _ => false,
        }
    }
}

/// Compares two values of the same sort.
pub fn compared(terms: &Terms, comparison: Comparison, left: Term, right: Term) -> Term {
    match comparison {
        Comparison::NotEqual => terms.neq(left, right),
        Comparison::Less => terms.lt(left, right),
        Comparison::LessEqual => terms.le(left, right),
        Comparison::Greater => terms.gt(left, right),
        Comparison::GreaterEqual => terms.ge(left, right),
        Comparison::Equal | Comparison::In => terms.eq(left, right),
    }
}

/// Applies a connective to one or more conditions.
pub fn connected(terms: &Terms, connective: Connective, parts: Vec<Term>) -> Term {
    let mut parts = parts.into_iter();
    let folded = match connective {
        Connective::And => Some(terms.and(parts)),
        Connective::Or => Some(terms.or(parts)),
        Connective::Iff => parts.reduce(|a, b| terms.iff(a, b)),
        Connective::Implies => {
            let last = parts.next_back();
            last.map(|last| parts.rfold(last, |acc, a| terms.implies(a, acc)))
        }
    };
    folded.expect("a chain of operators has operands")
}
