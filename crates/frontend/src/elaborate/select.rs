//! Determines the elements that indices select: in expressions, assignments and `keep`.

use super::interval::bounds_of;
use super::names::{Bounds, Family, IndexRange, Member, each_choice};
use super::reference::Meaning;
use super::{Elaborated, Elaborator, Primes};
use crate::messages::{Report as _, Reported, all};
use crate::syntax::{Expr, ExprKind};
use sectile_base::{Int, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term};

/// An element that may be selected, and the condition under which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The condition on the state; `None` if the element is always selected.
    pub condition: Option<Term>,
    pub symbol: Symbol,
}

impl Choice {
    /// An element that is selected in every state.
    pub fn certain(symbol: Symbol) -> Choice {
        Choice {
            condition: None,
            symbol,
        }
    }
}

/// An index: a known value, or a term.
pub(super) enum Index {
    Known(i64),
    Depends(Term, IndexRange),
}

impl Elaborator<'_> {
    /// The value of the selected element.
    pub(super) fn read(
        &mut self,
        choices: &[Choice],
        name: &str,
        prime: Option<Span>,
    ) -> Elaborated<Term> {
        let terms = self.terms;
        let rigid = |c: &Choice| terms.symbol_kind(c.symbol) == SymbolKind::Rigid;
        if prime.is_some() && choices.iter().any(rigid) {
            return Err(self.has_no_next(name, prime));
        }
        let value = |symbol: Symbol| match prime {
            Some(_) => terms.next(symbol),
            None => terms.var(symbol),
        };
        let mut from_last = choices.iter().rev();
        let last = from_last.next().ok_or(Reported)?;
        Ok(from_last.fold(value(last.symbol), |rest, choice| {
            let condition = choice.condition.unwrap_or_else(|| terms.tt());
            terms.ite(condition, value(choice.symbol), rest)
        }))
    }

    /// The elements that the indices may select; at least one.
    pub(super) fn select(
        &mut self,
        family: &Family,
        fixed: &[i64],
        given: &[&Expr],
        name: &str,
        span: Span,
    ) -> Elaborated<Vec<Choice>> {
        let ranges = &family.ranges[fixed.len().min(family.ranges.len())..];
        self.check_arity(given.len(), ranges.len(), name, span)?;
        let given = given.iter().zip(ranges);
        let given = all(given.map(|(expr, range)| self.index(expr, *range, name)))?;
        let mut partial: Vec<(Vec<i64>, Vec<Term>)> = vec![(fixed.to_vec(), Vec::new())];
        for index in Vec::<Index>::into_iter(given) {
            partial = self.extend(partial, &index, span)?;
        }
        let choices = partial.into_iter().filter_map(|(indices, conditions)| {
            let condition = (!conditions.is_empty()).then(|| self.terms.and(conditions));
            let symbol = family.element(&indices)?;
            Some(Choice { condition, symbol })
        });
        let possible = |c: &Choice| c.condition != Some(self.terms.ff());
        Ok(choices.filter(possible).collect())
    }

    /// Extends all partial choices by one more index.
    fn extend(
        &mut self,
        partial: Vec<(Vec<i64>, Vec<Term>)>,
        index: &Index,
        span: Span,
    ) -> Elaborated<Vec<(Vec<i64>, Vec<Term>)>> {
        let mut longer = Vec::new();
        for (mut indices, conditions) in partial {
            match index {
                Index::Known(value) => {
                    indices.push(*value);
                    longer.push((indices, conditions));
                }
                Index::Depends(term, range) => {
                    self.charge(range.count(), span)?;
                    for value in range.low..=range.high {
                        let equal = self.terms.eq(*term, self.terms.int(value));
                        let mut indices = indices.clone();
                        indices.push(value);
                        let mut conditions = conditions.clone();
                        conditions.push(equal);
                        longer.push((indices, conditions));
                    }
                }
            }
        }
        Ok(longer)
    }

    pub(super) fn check_arity(
        &mut self,
        given: usize,
        wanted: usize,
        name: &str,
        span: Span,
    ) -> Elaborated<()> {
        if given == wanted {
            return Ok(());
        }
        let plural = if wanted == 1 { "index" } else { "indices" };
        let message = match (given, wanted) {
            (_, 0) => format!("`{name}` has no indices"),
            (0, _) => format!("`{name}` needs {wanted} {plural}"),
            _ => format!("`{name}` has {wanted} {plural}, not {given}"),
        };
        let names = ["i", "j", "k"].into_iter().cycle().take(wanted);
        let names = names.collect::<Vec<_>>().join(", ");
        let help = match given {
            0 => format!("an element is written with `[{names}]`"),
            _ => String::new(),
        };
        Err(self.error("arity", span, message, help))
    }

    /// One index: a constant in the range, or a term whose values all lie in it.
    pub(super) fn index(
        &mut self,
        expr: &Expr,
        range: IndexRange,
        name: &str,
    ) -> Elaborated<Index> {
        let term = self.expect(expr, Sort::Int)?;
        if let Some(value) = self.terms.as_number(term) {
            return match value.to_i64() {
                Some(v) if range.contains(v) => Ok(Index::Known(v)),
                _ => {
                    let what = format!("the index {value}");
                    Err(self.out_of_range(&what, expr.span, range, name))
                }
            };
        }
        let bounds = self.bounds(term);
        let low = bounds.low.as_ref().and_then(Int::to_i64);
        let high = bounds.high.as_ref().and_then(Int::to_i64);
        match (low, high) {
            (Some(low), Some(high)) if range.contains(low) && range.contains(high) => {
                Ok(Index::Depends(term, IndexRange { low, high }))
            }
            (Some(low), Some(high)) => {
                let what = format!("an index that takes the values {low}..{high}");
                Err(self.out_of_range(&what, expr.span, range, name))
            }
            _ => {
                let message = "an index must have a range of values";
                let IndexRange { low, high } = range;
                let help = format!(
                    "declare the variable with the range `{low}..{high}`, the indices of `{name}`"
                );
                Err(self.error("index", expr.span, message, help))
            }
        }
    }

    /// The bounds of an integer term.
    fn bounds(&self, term: Term) -> Bounds {
        let of_symbol = |symbol: Symbol| {
            let chosen = self.chosen.iter().find(|(s, _)| *s == symbol);
            chosen.map_or_else(|| self.names.bounds(symbol), |(_, bounds)| bounds.clone())
        };
        bounds_of(self.terms, &of_symbol, term)
    }

    fn out_of_range(&mut self, what: &str, span: Span, range: IndexRange, name: &str) -> Reported {
        if self.dead {
            return Reported;
        }
        let message = format!("{what} is out of range");
        let help = match range.count() {
            0 => format!("`{name}` has no elements"),
            _ => format!("the indices of `{name}` are {}..{}", range.low, range.high),
        };
        self.error("index", span, message, help)
    }

    /// The elements that an assignment to this reference may set.
    pub fn target(&mut self, expr: &Expr) -> Elaborated<Vec<Choice>> {
        let (choices, name) = self.choices(expr, Primes::Forbidden)?;
        let rigid = |c: &Choice| self.terms.symbol_kind(c.symbol) != SymbolKind::State;
        if choices.iter().any(rigid) {
            return Err(self.not_assignable(expr.span, &name, "a constant"));
        }
        Ok(choices)
    }

    /// The elements that a reference may select, and its name.
    fn choices(&mut self, expr: &Expr, whole: Primes) -> Elaborated<(Vec<Choice>, String)> {
        if let ExprKind::Reference(reference) = &expr.kind
            && let Some(joined) = self.joined(reference)
        {
            let kind = ExprKind::Reference(Box::new(joined));
            return self.choices(&Expr::at(expr.span, kind), whole);
        }
        let (base, reference) = match &expr.kind {
            ExprKind::Name(name) => (name, None),
            ExprKind::Reference(r) => (&r.base, Some(r)),
            _ => {
                let message = "only variables can be assigned";
                return Err(self.error("syntax", expr.span, message, ""));
            }
        };
        let name = base.text.to_string();
        let indices = reference.map_or(&[][..], |r| &r.indices);
        let member = reference.and_then(|r| r.member.as_ref());
        if let Some(span) = reference.and_then(|r| r.prime) {
            let message = "a variable is named without a prime here";
            return Err(self.error("prime", span, message, format!("write `{name}`")));
        }
        let flat = reference.is_some_and(|r| !r.further.is_empty());
        let choices = match self.resolve(base).filter(|_| !flat) {
            Some(Meaning::Family(family, fixed)) if member.is_none() => {
                if whole == Primes::Allowed && indices.is_empty() && !family.ranges.is_empty() {
                    self.all_elements(family, &fixed)
                } else {
                    self.assigned(family, &fixed, (&[], indices), &name, expr.span)?
                }
            }
            Some(Meaning::Process(process)) => {
                let found = self.find_member(process, indices, member, expr.span)?;
                let name = self.member_name(process, member);
                let Member::Family(family) = found else {
                    return Err(self.not_assignable(expr.span, &name, "a definition"));
                };
                let inner = member.map_or(&[][..], |(_, inner)| inner);
                self.assigned(family, &[], (indices, inner), &name, expr.span)?
            }
            Some(Meaning::Element(symbol)) if indices.is_empty() && member.is_none() => {
                vec![Choice::certain(symbol)]
            }
            Some(other) => return Err(self.not_assignable(expr.span, &name, describe(&other))),
            None => match reference.and_then(|r| self.flat(r)) {
                Some((symbol, [])) => vec![Choice::certain(symbol)],
                _ => return Err(self.unknown(base, None)),
            },
        };
        Ok((choices, name))
    }

    /// The elements of a family; the first indices are those of the process.
    fn assigned(
        &mut self,
        family: &Family,
        fixed: &[i64],
        (outer, indices): (&[Expr], &[Expr]),
        name: &str,
        span: Span,
    ) -> Elaborated<Vec<Choice>> {
        let (_, inner) = self.split_indices(family, fixed.len() + outer.len(), indices);
        if !inner.is_empty() {
            let help = format!("write `{name} := {name}[i := e]`");
            return Err(self.error("assignment", span, "an array is assigned as a whole", help));
        }
        let given: Vec<&Expr> = outer.iter().chain(indices).collect();
        self.select(family, fixed, &given, name, span)
    }

    fn all_elements(&self, family: &Family, fixed: &[i64]) -> Vec<Choice> {
        let choices = each_choice(&family.ranges[fixed.len()..]).into_iter();
        let symbols = choices.filter_map(|rest| family.element(&[fixed, &rest].concat()));
        symbols.map(Choice::certain).collect()
    }

    fn not_assignable(&mut self, span: Span, name: &str, what: &str) -> Reported {
        let message = format!("`{name}` is {what} and cannot be assigned");
        let help = "only variables declared by `var` or `clock` change";
        self.error("assignment", span, message, help)
    }

    /// Elaborates `keep(x, f, P[1].y)`: the variables, or all elements of the families, stay the
    /// same.
    pub(super) fn keep(&mut self, list: &[Expr], span: Span) -> Elaborated<Term> {
        self.check_prime(Some(span))?;
        let terms = self.terms;
        let mut parts = Vec::new();
        let mut failed = false;
        let list: Vec<Expr> = list.iter().flat_map(|e| self.variables(e)).collect();
        for expr in &list {
            let Ok((choices, name)) = self.choices(expr, Primes::Allowed) else {
                failed = true;
                continue;
            };
            for choice in choices {
                if terms.symbol_kind(choice.symbol) != SymbolKind::State {
                    self.not_assignable(expr.span, &name, "a constant");
                    failed = true;
                    continue;
                }
                let same = terms.eq(terms.next(choice.symbol), terms.var(choice.symbol));
                let condition = choice.condition.unwrap_or_else(|| terms.tt());
                parts.push(terms.implies(condition, same));
            }
        }
        match failed {
            true => Err(Reported),
            false => Ok(terms.and(parts)),
        }
    }
}

fn describe(meaning: &Meaning<'_>) -> &'static str {
    match meaning {
        Meaning::Bound(_) => "a bound name",
        Meaning::Parameter(_) => "a parameter",
        Meaning::Family(..) | Meaning::Element(_) => "no process",
        Meaning::Definition(..) => "a definition",
        Meaning::Function(_) => "a function",
        Meaning::Process(_) => "a process",
        Meaning::Type(_) => "a type",
        Meaning::Location(_) => "a location",
        Meaning::Aggregate(aggregate) => aggregate.word(),
    }
}
