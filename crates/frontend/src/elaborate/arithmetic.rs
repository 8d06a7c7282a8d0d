//! Elaborates numbers: sums, products, functions.

use super::boolean::Operands;
use super::{COUNT_HELP, Elaborated, Elaborator};
use crate::messages::{Report, Reported};
use crate::syntax::{Builtin, Expr, Factor, Sign};
use sectile_base::{Rat, Span};
use sectile_terms::{Sort, Term, Terms};

/// Why a product or quotient is not supported.
pub struct NoResult {
    code: &'static str,
    message: &'static str,
}

impl NoResult {
    /// Reports it; `help` is used for results that are nonlinear or undefined.
    pub fn report(self, to: &mut impl Report, span: Span, help: &str) -> Reported {
        let help = match self.code {
            "size" => "it has more than a million digits",
            _ => help,
        };
        to.error(self.code, span, self.message, help)
    }
}

/// The product of two numbers of the same sort.
pub fn product(terms: &Terms, left: Term, right: Term) -> Result<Term, NoResult> {
    if terms.is_large_product(left, right) {
        let (code, message) = ("size", "this number is too large");
        return Err(NoResult { code, message });
    }
    let message = "a product of two values that are not constant is not linear";
    let code = "nonlinear";
    terms.mul(left, right).ok_or(NoResult { code, message })
}

/// The value of a divisor, which must be a nonzero constant.
pub fn divisor(terms: &Terms, term: Term) -> Result<Rat, NoResult> {
    let (code, message) = match terms.as_number(term) {
        Some(value) if !value.is_zero() => return Ok(value.clone()),
        Some(_) => ("division", "division by zero"),
        None => (
            "nonlinear",
            "division by a value that is not constant is not linear",
        ),
    };
    Err(NoResult { code, message })
}

impl Elaborator<'_> {
    pub(super) fn negate(&mut self, inner: &Expr, hint: Option<Sort>) -> Elaborated<Term> {
        let value = self.infer(inner, hint)?;
        self.numeric(value, inner.span)?;
        Ok(self.terms.neg(value))
    }

    /// Reports an error unless the term is a number.
    pub(super) fn numeric(&mut self, term: Term, span: Span) -> Elaborated<()> {
        let sort = self.terms.sort(term);
        if sort.is_numeric() {
            return Ok(());
        }
        let message = format!("expected a number, found `{}`", self.sort_name(sort));
        let help = if sort == Sort::Bool { COUNT_HELP } else { "" };
        Err(self.error("type", span, message, help))
    }

    pub(super) fn sum(&mut self, list: &[(Sign, Expr)], hint: Option<Sort>) -> Elaborated<Term> {
        let hint = hint.filter(|s| s.is_numeric());
        let operands: Vec<&Expr> = list.iter().map(|(_, e)| e).collect();
        let (values, sort) = self.operands(&operands, hint, Operands::Numbers)?;
        let signed = list
            .iter()
            .zip(&values)
            .map(|((sign, _), value)| match sign {
                Sign::Plus => *value,
                Sign::Minus => self.terms.neg(*value),
            });
        Ok(self.terms.add_all(signed, sort))
    }

    pub(super) fn product(
        &mut self,
        first: &Expr,
        rest: &[(Factor, Expr)],
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let hint = hint.filter(|s| s.is_numeric());
        let mut span = first.span;
        let mut left = self.infer(first, hint)?;
        self.numeric(left, first.span)?;
        for (factor, expr) in rest {
            let right = self.infer(expr, hint)?;
            self.numeric(right, expr.span)?;
            left = match factor {
                Factor::Times => self.times(left, right, span, expr.span)?,
                Factor::Over => self.over(left, right, span, expr.span)?,
                Factor::Div | Factor::Mod => {
                    let left = self.coerce(left, Sort::Int, span);
                    let right = self.coerce(right, Sort::Int, expr.span);
                    let (left, right) = (left?, right?);
                    let divisor = self.divisor(right, expr.span)?.numer();
                    match factor {
                        Factor::Div => self.terms.div(left, &divisor),
                        _ => self.terms.modulo(left, &divisor),
                    }
                }
            };
            span = span.to(expr.span);
        }
        Ok(left)
    }

    fn times(&mut self, left: Term, right: Term, at: Span, then: Span) -> Elaborated<Term> {
        let real = [left, right]
            .map(|t| self.terms.sort(t))
            .contains(&Sort::Real);
        let sort = if real { Sort::Real } else { Sort::Int };
        let (left, right) = (
            self.coerce(left, sort, at)?,
            self.coerce(right, sort, then)?,
        );
        let help = "one factor of `*` must be a number, a parameter or an index";
        product(self.terms, left, right).map_err(|wrong| wrong.report(self, at.to(then), help))
    }

    /// Division of reals.
    fn over(&mut self, left: Term, right: Term, at: Span, then: Span) -> Elaborated<Term> {
        if self.terms.sort(left) == Sort::Int && self.terms.as_number(left).is_none() {
            let message = "`/` divides reals, and this is an integer";
            let help = "use `div` for integers, or convert by `real(...)`";
            return Err(self.error("type", at, message, help));
        }
        let left = self.coerce(left, Sort::Real, at)?;
        let right = self.coerce(right, Sort::Real, then)?;
        let divisor = self.divisor(right, then)?;
        Ok(self.terms.scale(left, &divisor.recip()))
    }

    fn divisor(&mut self, term: Term, span: Span) -> Elaborated<Rat> {
        divisor(self.terms, term).map_err(|wrong| match (self.dead, wrong.code) {
            (true, _) => Reported,
            (_, "division") => wrong.report(self, span, "the divisor must not be 0"),
            _ => wrong.report(
                self,
                span,
                "a divisor must be a number, a parameter or an index",
            ),
        })
    }

    pub(super) fn builtin(
        &mut self,
        function: Builtin,
        arguments: &[Expr],
        span: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let several = matches!(function, Builtin::Min | Builtin::Max);
        if (several && arguments.len() < 2) || (!several && arguments.len() != 1) {
            let (wanted, example) = match several {
                true => ("two arguments", "a, b"),
                false => ("one argument", "a"),
            };
            let (name, given) = (function.name(), arguments.len());
            let message = format!("`{name}` takes {wanted}, not {given}");
            let help = format!("write `{name}({example})`");
            return Err(self.error("arity", span, message, help));
        }
        let terms = self.terms;
        let hint = hint.filter(|s| s.is_numeric());
        match function {
            Builtin::Abs => {
                let value = self.infer(&arguments[0], hint)?;
                self.numeric(value, arguments[0].span)?;
                Ok(terms.abs(value))
            }
            Builtin::Min | Builtin::Max => {
                let list: Vec<&Expr> = arguments.iter().collect();
                let (values, _) = self.operands(&list, hint, Operands::Numbers)?;
                Ok(self.extremum(function == Builtin::Max, values))
            }
            Builtin::Real => self.convert_to_real(&arguments[0]),
            Builtin::Floor => {
                let value = self.expect(&arguments[0], Sort::Real)?;
                Ok(terms.floor(value))
            }
            Builtin::Old | Builtin::Unsupported(_) => {
                let message = format!("`{}` has no meaning here", function.name());
                Err(self.error("unsupported", span, message, ""))
            }
        }
    }

    fn convert_to_real(&mut self, argument: &Expr) -> Elaborated<Term> {
        let value = self.infer(argument, None)?;
        match self.terms.sort(value) {
            Sort::Int => Ok(self.terms.to_real(value)),
            Sort::Real => Ok(value),
            other => Err(self.mismatch(Sort::Int, other, argument.span)),
        }
    }

    /// The maximum or minimum of one or more values of the same sort.
    pub(super) fn extremum(&self, largest: bool, values: Vec<Term>) -> Term {
        let pick = |a: Term, b: Term| match largest {
            true => self.terms.max(a, b),
            false => self.terms.min(a, b),
        };
        let whole = values.into_iter().reduce(pick);
        whole.expect("the callers give one value or more")
    }
}
