//! Formulas whose truth values are preserved when processes are removed.

use super::{Class, Judge, Judged, Standing, constant, is_data, refuse};
use sectile_base::Span;
use sectile_model::scheme::{Over, Relation, Use, UseKind};

impl Judge<'_> {
    /// A formula whose truth value must be preserved.
    pub(super) fn both(&mut self, formula: &Use, under: bool) -> Judged {
        self.formula(formula, true, under)?;
        self.formula(formula, false, under)
    }

    /// A formula that must stay true if it occurs positively, and must stay false otherwise.
    /// `under` means that it is quantified over all processes.
    pub(super) fn formula(&mut self, formula: &Use, positive: bool, under: bool) -> Judged {
        match &formula.kind {
            UseKind::And(parts) | UseKind::Or(parts) => parts
                .iter()
                .try_for_each(|p| self.formula(p, positive, under)),
            UseKind::Not(inner) => self.formula(inner, !positive, under),
            UseKind::Choice(branches, otherwise) => {
                for (condition, value) in branches {
                    self.both(condition, under)?;
                    self.formula(value, positive, under)?;
                }
                self.formula(otherwise, positive, under)
            }
            UseKind::Over(over @ (Over::Forall | Over::Exists), binders, body) => {
                let copies = self.copies;
                match (*over == Over::Forall) == positive {
                    true => {
                        self.bind(binders, Standing::Any)?;
                        self.formula(body, positive, true)?;
                    }
                    false => {
                        let terms = self.bind(binders, Standing::Term)?;
                        let what = match over {
                            Over::Forall => "`forall` on the left of an implication or negated",
                            _ => "`exists`",
                        };
                        self.witness(terms, under, formula.span, what)?;
                        self.formula(body, positive, under)?;
                    }
                }
                self.copies = copies;
                Ok(())
            }
            UseKind::Compare(relation, sides) => self.compare(*relation, sides, under),
            UseKind::Truth(_) => Ok(()),
            _ => match self.value(formula, under)? {
                Class::Plain(_) | Class::Data => Ok(()),
                _ => refuse(
                    formula.span,
                    "an index where there should be a condition",
                    "",
                ),
            },
        }
    }

    fn compare(&mut self, relation: Relation, sides: &(Use, Use), under: bool) -> Judged {
        let span = sides.0.span.to(sides.1.span);
        if self.counts(sides, under)? || self.counts(&(sides.1.clone(), sides.0.clone()), under)? {
            return Ok(());
        }
        let (a, b) = (self.value(&sides.0, under)?, self.value(&sides.1, under)?);
        match (a, b) {
            (Class::Index(_, a), Class::Index(_, b)) if a == b => {
                self.ordered |= relation == Relation::Order;
                Ok(())
            }
            (Class::Index(..), Class::Index(..)) => refuse(
                span,
                "indices are compared with a distance between them",
                "only `=`, `!=` and `<` between indices keep their meaning when processes are left out",
            ),
            (Class::Index(_, add), Class::Number(number))
            | (Class::Number(number), Class::Index(_, add)) => {
                self.pin_first(number - add - self.low + 1);
                Ok(())
            }
            (Class::Index(_, add), Class::Size(more))
            | (Class::Size(more), Class::Index(_, add)) => {
                self.pin_last(self.shift - (more - add) + 1);
                Ok(())
            }
            (Class::Size(add), Class::Number(number))
            | (Class::Number(number), Class::Size(add)) => {
                self.least = self.least.max(number - add + 1);
                Ok(())
            }
            (Class::Size(_), Class::Size(_)) | (Class::Number(_), Class::Number(_)) => Ok(()),
            (a, b) if is_data(&a) && is_data(&b) => Ok(()),
            (a, b) => self.pointers_compared(relation, a, b, span),
        }
    }

    /// Variables that hold an index are only compared for equality.
    fn pointers_compared(&mut self, relation: Relation, a: Class, b: Class, span: Span) -> Judged {
        let (pointer, add, other) = match (a, b) {
            (Class::Pointer(name, add), other) | (other, Class::Pointer(name, add)) => {
                (name, add, other)
            }
            (Class::Plain(name), other @ Class::Index(..))
            | (other @ Class::Index(..), Class::Plain(name)) => (name, 0, other),
            (Class::Size(_), _) | (_, Class::Size(_)) => {
                let why = format!("`{}` is compared with data", self.scheme.size);
                return refuse(
                    span,
                    why,
                    "what holds for one number of processes need not for more",
                );
            }
            _ => return refuse(span, "an index is compared with data", ""),
        };
        if relation == Relation::Order {
            let why = format!("`{pointer}` holds an index, and is compared by its order");
            return refuse(span, why, "");
        }
        self.flows(&pointer, add, other, span)
    }

    /// A value that is assigned to, or compared with, a variable that holds an index.
    pub(super) fn flows(&mut self, pointer: &str, add: i64, value: Class, span: Span) -> Judged {
        let offset = self.pointers.get(pointer).copied();
        match (value, offset) {
            (Class::Index(_, more), _) => self.point(pointer, more - add, span),
            (Class::Pointer(name, more), _) => match self.pointers.get(&name).copied() {
                Some(other) => self.point(pointer, other + more - add, span),
                None => Ok(()),
            },
            (Class::Plain(name), Some(offset)) => self.point(&name, offset + add, span),
            (Class::Number(number), Some(offset)) => {
                self.pin_first(number - add - offset - self.low + 1);
                Ok(())
            }
            (Class::Size(more), Some(offset)) if more - add - offset <= self.shift => {
                self.pin_last(self.shift - (more - add - offset) + 1);
                Ok(())
            }
            _ => refuse(
                span,
                format!("`{pointer}` holds an index, and is mixed with data"),
                "",
            ),
        }
    }

    /// Whether the left side counts processes and the right side is a number; if so, keeps as many
    /// witnesses as decide the comparison.
    fn counts(&mut self, sides: &(Use, Use), under: bool) -> Judged<bool> {
        let Some((0, bound)) = constant(&sides.1) else {
            return Ok(false);
        };
        let parts: Vec<(bool, &Use)> = match &sides.0.kind {
            UseKind::Sum(parts) => parts.iter().map(|(minus, p)| (*minus, p)).collect(),
            _ => vec![(false, &sides.0)],
        };
        let mut most = bound;
        let mut counted = Vec::new();
        for (minus, part) in parts {
            match (&part.kind, constant(part)) {
                (UseKind::Over(Over::Count, binders, body), _) if !minus => {
                    counted.push((binders, body));
                }
                (_, Some((0, number))) if minus => most += number,
                (_, Some((0, number))) => most -= number,
                _ => return Ok(false),
            }
        }
        if counted.is_empty() {
            return Ok(false);
        }
        let copies = self.copies;
        let mut indices = 0;
        for (binders, body) in counted {
            indices = indices.max(self.bind(binders, Standing::Any)?);
            self.both(body, true)?;
        }
        self.copies = copies;
        let witnesses = usize::try_from((most + 1).max(0)).unwrap_or(usize::MAX / 4);
        self.witness(witnesses * indices, under, sides.0.span, "`count`")?;
        Ok(true)
    }
}
