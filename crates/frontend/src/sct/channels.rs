//! Sending and receiving, as assignments to the variables of a channel.

use super::actions::Drafting;
use crate::elaborate::{Elaborated, slot};
use crate::syntax::{Expr, ExprKind, NumberKind, Sign};
use sectile_base::Rat;
use sectile_terms::Sort;
use std::sync::Arc;

impl Drafting<'_, '_> {
    /// `send(c, e)`: the message comes into the first empty slot. There must be one.
    pub(super) fn send(&mut self, channel: &Expr, message: &Expr) -> Elaborated<()> {
        let terms = self.terms;
        let found = self.elaborator.channel(channel)?;
        let fields: Vec<Arc<str>> = found.held.iter().map(|(path, _)| path.clone()).collect();
        self.elaborator.check_record(message, &fields)?;
        let length = self.elaborator.part(channel, "len")?;
        let term = self.elaborator.expect(&length, Sort::Int)?;
        self.require(terms.lt(term, terms.int(found.capacity)));
        for place in 0..found.capacity {
            let here = terms.eq(term, terms.int(place));
            for path in &fields {
                let target = self.elaborator.part(channel, &slot(place, path))?;
                let value = self.elaborator.part(message, path)?;
                self.assign_under(here, &target, &value)?;
            }
        }
        self.assign_value(&length, &plus(&length, 1))
    }

    /// `receive(c, x)`: the first message leaves the channel, the others move up. There must be
    /// one.
    pub(super) fn receive(&mut self, channel: &Expr, target: Option<&Expr>) -> Elaborated<()> {
        let terms = self.terms;
        let found = self.elaborator.channel(channel)?;
        let length = self.elaborator.part(channel, "len")?;
        let term = self.elaborator.expect(&length, Sort::Int)?;
        self.require(terms.gt(term, terms.int(0)));
        if let Some(target) = target {
            let head = self.elaborator.part(channel, &slot(0, ""))?;
            self.assign_whole(target, &head)?;
        }
        for place in 0..found.capacity {
            for (path, empty) in &found.held {
                let here = self.elaborator.part(channel, &slot(place, path))?;
                let next = match place + 1 < found.capacity {
                    true => self.elaborator.part(channel, &slot(place + 1, path))?,
                    false => empty.clone(),
                };
                self.assign_value(&here, &next)?;
            }
        }
        self.assign_value(&length, &plus(&length, -1))
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
