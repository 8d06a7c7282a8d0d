//! Lowers `send` and `receive` to assignments to the variables of a channel.

use super::actions::Drafting;
use crate::elaborate::{Channel, Elaborated, queue, slot};
use crate::syntax::{Access, Comparison, Expr, ExprKind, NumberKind, Sign};
use sectile_base::Rat;
use sectile_terms::Sort;
use std::sync::Arc;

impl Drafting<'_, '_> {
    /// Lowers `send(c, e)`: the message is put into the first empty slot, which must exist unless
    /// the channel is unbounded.
    pub(super) fn send(&mut self, channel: &Expr, message: &Expr) -> Elaborated<()> {
        let terms = self.terms;
        let found = self.elaborator.channel(channel)?;
        let fields: Vec<Arc<str>> = found.held.iter().map(|(path, _)| path.clone()).collect();
        self.elaborator.check_record(message, &fields)?;
        let Some(capacity) = found.capacity else {
            return self.append(channel, found, message);
        };
        let length = self.elaborator.part(channel, "len")?;
        let term = self.elaborator.expect(&length, Sort::Int)?;
        self.require(terms.lt(term, terms.int(capacity)));
        for place in 0..capacity {
            let here = terms.eq(term, terms.int(place));
            for path in &fields {
                let target = self.elaborator.part(channel, &slot(place, path))?;
                let value = self.elaborator.part(message, path)?;
                self.assign_under(here, &target, &value)?;
            }
        }
        self.assign_value(&length, &plus(&length, 1))
    }

    /// Lowers `receive(c, x)`: the first message is removed, and the others move up. The channel
    /// must not be empty.
    pub(super) fn receive(&mut self, channel: &Expr, target: Option<&Expr>) -> Elaborated<()> {
        let terms = self.terms;
        let found = self.elaborator.channel(channel)?;
        let length = self.elaborator.length_of(channel)?;
        let term = self.elaborator.expect(&length, Sort::Int)?;
        self.require(terms.gt(term, terms.int(0)));
        let Some(capacity) = found.capacity else {
            return self.advance(channel, found, target);
        };
        if let Some(target) = target {
            let head = self.elaborator.part(channel, &slot(0, ""))?;
            self.assign_whole(target, &head)?;
        }
        for place in 0..capacity {
            for (path, empty) in &found.held {
                let here = self.elaborator.part(channel, &slot(place, path))?;
                let next = match place + 1 < capacity {
                    true => self.elaborator.part(channel, &slot(place + 1, path))?,
                    false => empty.clone(),
                };
                self.assign_value(&here, &next)?;
            }
        }
        self.assign_value(&length, &plus(&length, -1))
    }

    /// Appends the message to an unbounded channel.
    fn append(&mut self, channel: &Expr, found: &Channel, message: &Expr) -> Elaborated<()> {
        let tail = self.elaborator.part(channel, "tail")?;
        for ((path, _), (low, high)) in found.held.iter().zip(&found.ranges) {
            let value = self.elaborator.part(message, path)?;
            let ends = [
                low.as_ref().map(|l| (l, &value)),
                high.as_ref().map(|h| (&value, h)),
            ];
            for (small, large) in ends.into_iter().flatten() {
                let rest = vec![(Comparison::LessEqual, large.clone())];
                let inside = ExprKind::Compared(Box::new(small.clone()), rest);
                let inside = Expr::at(value.span, inside);
                let inside = self.elaborator.expect(&inside, Sort::Bool)?;
                self.require(inside);
            }
            let array = self.elaborator.part(channel, &queue(path))?;
            let access = Access {
                indices: vec![tail.clone()],
                value: Some(value),
                span: channel.span,
            };
            let longer = ExprKind::Indexed(Box::new(array.clone()), vec![access]);
            self.assign_value(&array, &Expr::at(channel.span, longer))?;
        }
        self.assign_value(&tail, &plus(&tail, 1))
    }

    /// Removes the oldest message of an unbounded channel.
    fn advance(
        &mut self,
        channel: &Expr,
        found: &Channel,
        target: Option<&Expr>,
    ) -> Elaborated<()> {
        if let Some(target) = target {
            let fields: Vec<Arc<str>> = found.held.iter().map(|(path, _)| path.clone()).collect();
            self.elaborator.check_record(target, &fields)?;
            for path in &fields {
                let part = self.elaborator.part(target, path)?;
                let value = self.elaborator.message(channel, 0, path)?;
                self.assign_value(&part, &value)?;
            }
        }
        let head = self.elaborator.part(channel, "head")?;
        self.assign_value(&head, &plus(&head, 1))
    }
}

fn plus(expr: &Expr, value: i64) -> Expr {
    let kind = ExprKind::Number(Rat::from(value), NumberKind::Integer);
    let list = vec![
        (Sign::Plus, expr.clone()),
        (Sign::Plus, Expr::at(expr.span, kind)),
    ];
    Expr::at(expr.span, ExprKind::Sum(list))
}
