//! Expressions, as uses of indices.

use super::{Context, Lowering, at, data, other, truth};
use crate::syntax::{Comparison, Connective, Expr, ExprKind, Factor, Quantifier, Sign};
use sectile_base::Span;
use sectile_model::scheme::{Over, Relation, Use, UseKind};

impl<'i> Lowering<'i> {
    /// An expression, as a use of indices.
    pub(super) fn used(&self, expr: &'i Expr, context: &Context<'i>) -> Use {
        let span = expr.span;
        let each = |list: &'i [Expr]| list.iter().map(|e| self.used(e, context)).collect();
        match &expr.kind {
            ExprKind::Bool(value) => truth(span, *value),
            ExprKind::Number(value, _) => match value.to_string().parse() {
                Ok(number) => at(span, UseKind::Number(number)),
                Err(_) => data(span),
            },
            ExprKind::Name(name) => self.name(name, context),
            ExprKind::Reference(reference) => self.reference(reference, span, context),
            ExprKind::Indexed(array, accesses) => {
                let mut parts = vec![self.used(array, context)];
                for access in accesses {
                    parts.extend(access.indices.iter().map(|e| self.used(e, context)));
                    parts.extend(access.value.iter().map(|e| self.used(e, context)));
                }
                at(span, UseKind::Data(parts))
            }
            ExprKind::Filled(_, value) => at(span, UseKind::Data(vec![self.used(value, context)])),
            ExprKind::Call(call) => {
                let arguments: Vec<Use> = each(&call.arguments);
                match self.definition(&call.name, context) {
                    _ if !call.fields.is_empty() => other(span, "a field of a record"),
                    Some((parameters, body, own)) if parameters.len() == arguments.len() => {
                        let names = parameters.iter().map(|n| n.text.to_string());
                        let names = names.zip(arguments).collect();
                        self.inside(body, own, names, context)
                    }
                    Some(_) => other(span, "a call with other arguments"),
                    None if self.is_function(&call.name) => at(span, UseKind::Data(arguments)),
                    None => other(span, "a call"),
                }
            }
            ExprKind::Record(_) => other(span, "a record"),
            ExprKind::Builtin(_, list) => at(span, UseKind::Data(each(list))),
            ExprKind::Keep(list) => {
                let kept = list.iter().map(|e| {
                    let pair = Box::new((self.used(e, context), self.used(e, context)));
                    at(e.span, UseKind::Compare(Relation::Equal, pair))
                });
                at(span, UseKind::And(kept.collect()))
            }
            ExprKind::Not(inner) => negated(span, self.used(inner, context)),
            ExprKind::Negate(inner) => match self.used(inner, context) {
                Use {
                    kind: UseKind::Number(k),
                    ..
                } => at(span, UseKind::Number(-k)),
                inner => at(span, UseKind::Sum(vec![(true, inner)])),
            },
            ExprKind::Connected(connective, parts) => {
                let parts: Vec<Use> = each(parts);
                match connective {
                    Connective::And => conjunction(span, parts),
                    Connective::Or => disjunction(span, parts),
                    Connective::Implies => {
                        let last = parts.len().saturating_sub(1);
                        let sides = parts.into_iter().enumerate();
                        let sides = sides.map(|(k, p)| match k == last {
                            true => p,
                            false => negated(p.span, p),
                        });
                        disjunction(span, sides.collect())
                    }
                    Connective::Iff => at(span, UseKind::Data(parts)),
                }
            }
            ExprKind::Compared(first, rest) => {
                let mut left = self.used(first, context);
                let mut all = Vec::new();
                for (comparison, right) in rest {
                    let (holds, next) = self.compared(&left, *comparison, right, context);
                    all.push(holds);
                    left = next;
                }
                conjunction(span, all)
            }
            ExprKind::Sum(parts) => {
                let parts = parts.iter();
                let parts = parts.map(|(s, e)| (*s == Sign::Minus, self.used(e, context)));
                at(span, UseKind::Sum(parts.collect()))
            }
            ExprKind::Product(first, rest) => {
                let first = self.used(first, context);
                match &rest[..] {
                    [(Factor::Mod, by)] => {
                        let by = self.used(by, context);
                        at(span, UseKind::Modulo(Box::new((first, by))))
                    }
                    _ => {
                        let rest = rest.iter().map(|(_, e)| self.used(e, context));
                        at(
                            span,
                            UseKind::Data(std::iter::once(first).chain(rest).collect()),
                        )
                    }
                }
            }
            ExprKind::If(branches, otherwise) => {
                let mut kept = Vec::new();
                for (condition, value) in branches {
                    let condition = self.used(condition, context);
                    let value = self.used(value, context);
                    match condition.kind {
                        UseKind::Truth(false) => {}
                        UseKind::Truth(true) => return choice_of(span, kept, value),
                        _ => kept.push((condition, value)),
                    }
                }
                let otherwise = self.used(otherwise, context);
                choice_of(span, kept, otherwise)
            }
            ExprKind::Quantified(q) => {
                let over = match q.quantifier {
                    Quantifier::Forall => Over::Forall,
                    Quantifier::Exists => Over::Exists,
                    Quantifier::Count => Over::Count,
                    Quantifier::Sum => Over::Sum,
                    Quantifier::Max | Quantifier::Min => Over::Extreme,
                };
                let (binders, inner) = self.bound(&q.binders, context);
                let body = self.used(&q.body, &inner);
                match (over, &body.kind) {
                    (Over::Forall, UseKind::Truth(true)) => truth(span, true),
                    (Over::Exists, UseKind::Truth(false)) => truth(span, false),
                    _ => at(span, UseKind::Over(over, binders, Box::new(body))),
                }
            }
            ExprKind::Unbounded(_) => other(span, "a quantifier over all values"),
            ExprKind::Temporal(_) => other(span, "a temporal operator"),
            ExprKind::Range(_) | ExprKind::Set(_) => other(span, "a set"),
        }
    }

    /// A comparison, and its right side for the next one of a chain.
    fn compared(
        &self,
        left: &Use,
        comparison: Comparison,
        right: &'i Expr,
        context: &Context<'i>,
    ) -> (Use, Use) {
        let span = left.span.to(right.span);
        match (comparison, &right.kind) {
            (Comparison::In, ExprKind::Set(members)) => {
                let members = members.iter().map(|m| self.used(m, context));
                let equal = members.map(|m| compare(span, Relation::Equal, left.clone(), m));
                (disjunction(span, equal.collect()), data(span))
            }
            (Comparison::In, ExprKind::Range(ends)) => {
                let ends = [self.used(&ends.0, context), self.used(&ends.1, context)];
                let sides = ends.map(|e| compare(span, Relation::Order, left.clone(), e));
                (conjunction(span, sides.into()), data(span))
            }
            (Comparison::In, _) => (other(span, "a set"), data(span)),
            _ => {
                let right = self.used(right, context);
                let known = known_comparison(comparison, left, &right);
                let relation = match comparison {
                    Comparison::Equal => Relation::Equal,
                    Comparison::NotEqual => Relation::Different,
                    _ => Relation::Order,
                };
                let holds = match known {
                    Some(value) => truth(span, value),
                    None => compare(span, relation, left.clone(), right.clone()),
                };
                (holds, right)
            }
        }
    }
}

fn choice_of(span: Span, kept: Vec<(Use, Use)>, otherwise: Use) -> Use {
    match kept.is_empty() {
        true => otherwise,
        false => at(span, UseKind::Choice(kept, Box::new(otherwise))),
    }
}

fn compare(span: Span, relation: Relation, left: Use, right: Use) -> Use {
    at(span, UseKind::Compare(relation, Box::new((left, right))))
}

/// A comparison of numbers that are known.
fn known_comparison(comparison: Comparison, left: &Use, right: &Use) -> Option<bool> {
    let (UseKind::Number(a), UseKind::Number(b)) = (&left.kind, &right.kind) else {
        return None;
    };
    Some(match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
        Comparison::In => return None,
    })
}

fn negated(span: Span, inner: Use) -> Use {
    match inner.kind {
        UseKind::Truth(value) => truth(span, !value),
        _ => at(span, UseKind::Not(Box::new(inner))),
    }
}

fn conjunction(span: Span, parts: Vec<Use>) -> Use {
    connected(span, parts, true)
}

fn disjunction(span: Span, parts: Vec<Use>) -> Use {
    connected(span, parts, false)
}

/// A conjunction or disjunction with constants folded: `neutral` parts are dropped, and the
/// opposite value decides the result.
fn connected(span: Span, parts: Vec<Use>, neutral: bool) -> Use {
    let is = |part: &Use, value: bool| matches!(part.kind, UseKind::Truth(v) if v == value);
    if parts.iter().any(|p| is(p, !neutral)) {
        return truth(span, !neutral);
    }
    let mut open: Vec<Use> = parts.into_iter().filter(|p| !is(p, neutral)).collect();
    match (open.pop(), open.is_empty()) {
        (None, _) => truth(span, neutral),
        (Some(only), true) => only,
        (Some(last), false) => {
            open.push(last);
            match neutral {
                true => at(span, UseKind::And(open)),
                false => at(span, UseKind::Or(open)),
            }
        }
    }
}
