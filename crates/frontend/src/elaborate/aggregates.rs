//! Elaborates records and channels: several variables under one name.
//!
//! The field `kind` of a record `m` is the family of variables `m.kind`; a channel `c` has the
//! variables `c.len` and `c.slot0`, `c.slot1`, ..., or, if it is unbounded, `c.head`, `c.tail` and the
//! array `c.queue`. An operation on a whole record applies to each of its fields.

use super::names::{Aggregate, Channel, Member};
use super::reference::Meaning;
use super::{Elaborated, Elaborator};
use crate::messages::{Report as _, Reported, did_you_mean};
use crate::syntax::{Access, Call, Comparison, Expr, ExprKind, Name, NumberKind, Reference, Sign};
use sectile_base::{Rat, Span};
use sectile_terms::{Sort, Term};
use std::sync::Arc;

/// The functions on channels.
const QUESTIONS: [&str; 5] = ["len", "empty", "full", "head", "slot"];

impl Aggregate {
    /// Its description in messages.
    pub fn word(&self) -> &'static str {
        match self {
            Aggregate::Record(_) => "a record",
            Aggregate::Channel(_) => "a channel",
        }
    }
}

impl Channel {
    /// The fields of its messages, if these are records.
    fn fields(&self) -> Option<Vec<Arc<str>>> {
        let fields: Vec<Arc<str>> = self.held.iter().map(|(path, _)| path.clone()).collect();
        let record = fields.iter().all(|path| !path.is_empty());
        record.then_some(fields)
    }
}

impl<'e> Elaborator<'e> {
    /// The reference with the names of fields merged: `q[i].kind` is the element `i` of the family
    /// `q.kind`. `None` if there is no field.
    pub(super) fn joined(&self, reference: &Reference) -> Option<Reference> {
        if !self.names.aggregates {
            return None;
        }
        let member = reference.member.as_ref()?;
        match self.resolve(&reference.base)? {
            Meaning::Aggregate(_) => {
                let rest = std::iter::once(member).chain(&reference.further);
                let (base, indices) = join(&reference.base, &reference.indices, rest);
                Some(Reference {
                    base,
                    indices,
                    member: None,
                    further: Vec::new(),
                    prime: reference.prime,
                })
            }
            Meaning::Process(process) if !reference.further.is_empty() => {
                let found = self.names.processes[process].members.get(&member.0.text);
                let Some(Member::Aggregate(_)) = found else {
                    return None;
                };
                let joined = join(&member.0, &member.1, reference.further.iter());
                Some(Reference {
                    member: Some(joined),
                    further: Vec::new(),
                    ..reference.clone()
                })
            }
            _ => None,
        }
    }

    /// The record or channel that an expression refers to.
    fn aggregate(&self, expr: &Expr) -> Option<&'e Arc<Aggregate>> {
        let of_name = |name: &Name| match self.resolve(name) {
            Some(Meaning::Aggregate(aggregate)) => Some(aggregate),
            _ => None,
        };
        let reference = match &expr.kind {
            ExprKind::Name(name) => return of_name(name),
            ExprKind::Reference(reference) => reference,
            _ => return None,
        };
        let joined = self.joined(reference);
        let reference = joined.as_ref().unwrap_or(reference);
        match (&reference.member, self.resolve(&reference.base)) {
            (None, _) => of_name(&reference.base),
            (Some((member, _)), Some(Meaning::Process(process))) => {
                match self.names.processes[process].members.get(&member.text) {
                    Some(Member::Aggregate(aggregate)) => Some(aggregate),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The channel that an expression refers to.
    pub fn channel(&mut self, expr: &Expr) -> Elaborated<&'e Channel> {
        if let Some(aggregate) = self.aggregate(expr)
            && let Aggregate::Channel(channel) = &**aggregate
        {
            return Ok(channel);
        }
        let help = "channels are declared by `chan c : 4 of int`";
        Err(self.error("type", expr.span, "this is not a channel", help))
    }

    /// The fields of an expression, if it is a record.
    pub fn fields(&self, expr: &Expr) -> Option<Vec<Arc<str>>> {
        if !self.names.aggregates {
            return None;
        }
        match &expr.kind {
            ExprKind::If(branches, otherwise) => {
                let values = branches.iter().map(|(_, value)| value);
                values.chain([&**otherwise]).find_map(|e| self.fields(e))
            }
            ExprKind::Call(call) => self.fields_of_message(call),
            _ => match &**self.aggregate(expr)? {
                Aggregate::Record(fields) => Some(fields.clone()),
                Aggregate::Channel(_) => None,
            },
        }
    }

    /// The fields of `head(c)` or `slot(c, k)`, or of a record inside of it.
    fn fields_of_message(&self, call: &Call) -> Option<Vec<Arc<str>>> {
        let message = ["head", "slot"].contains(&&*call.name.text);
        if !message || self.resolve(&call.name).is_some() {
            return None;
        }
        let Aggregate::Channel(channel) = &**self.aggregate(call.arguments.first()?)? else {
            return None;
        };
        let prefix: String = call.fields.iter().map(|f| format!("{}.", f.text)).collect();
        let inside = channel.fields()?.into_iter();
        let inside = inside.filter_map(|path| path.strip_prefix(&*prefix).map(Arc::from));
        let inside: Vec<Arc<str>> = inside.collect();
        (!inside.is_empty()).then_some(inside)
    }

    pub(super) fn fields_of_any(&self, list: &[&Expr]) -> Option<Vec<Arc<str>>> {
        list.iter().find_map(|e| self.fields(e))
    }

    /// The variables of a record or channel; any other expression is returned unchanged.
    pub fn variables(&mut self, expr: &Expr) -> Vec<Expr> {
        let paths: Vec<String> = match self.aggregate(expr).map(|a| &**a) {
            None => return vec![expr.clone()],
            Some(Aggregate::Record(fields)) => fields.iter().map(|f| f.to_string()).collect(),
            Some(Aggregate::Channel(channel)) => {
                let held = channel.held.iter().map(|(path, _)| &**path);
                match channel.capacity {
                    Some(capacity) => {
                        let slots = 0..capacity;
                        let slots = slots.flat_map(|k| held.clone().map(move |p| slot(k, p)));
                        std::iter::once("len".to_string()).chain(slots).collect()
                    }
                    None => {
                        let ends = ["head", "tail"].map(ToString::to_string);
                        ends.into_iter().chain(held.map(queue)).collect()
                    }
                }
            }
        };
        let parts = paths.iter().map(|path| self.part(expr, path));
        parts.filter_map(Result::ok).collect()
    }

    /// The number of messages in a channel.
    pub fn length_of(&mut self, channel: &Expr) -> Elaborated<Expr> {
        if self.channel(channel)?.capacity.is_some() {
            return self.part(channel, "len");
        }
        let (head, tail) = (self.part(channel, "head")?, self.part(channel, "tail")?);
        let sum = vec![(Sign::Plus, tail), (Sign::Minus, head)];
        Ok(Expr::at(channel.span, ExprKind::Sum(sum)))
    }

    /// The message at a position of a channel, or a field of it.
    pub fn message(&mut self, channel: &Expr, place: i64, path: &str) -> Elaborated<Expr> {
        if self.channel(channel)?.capacity.is_some() {
            return self.part(channel, &slot(place, path));
        }
        let array = self.part(channel, &queue(path))?;
        let place = ExprKind::Number(Rat::from(place), NumberKind::Integer);
        let place = Expr::at(channel.span, place);
        let head = self.part(channel, "head")?;
        let sum = ExprKind::Sum(vec![(Sign::Plus, head), (Sign::Plus, place)]);
        let access = Access {
            indices: vec![Expr::at(channel.span, sum)],
            value: None,
            span: channel.span,
        };
        let element = ExprKind::Indexed(Box::new(array), vec![access]);
        Ok(Expr::at(channel.span, element))
    }

    /// The part of a record or channel with this path, which may contain dots.
    pub fn part(&mut self, expr: &Expr, path: &str) -> Elaborated<Expr> {
        let names = path.split('.').filter(|name| !name.is_empty());
        let mut part = expr.clone();
        for name in names {
            part = self.field(part, name)?;
        }
        Ok(part)
    }

    /// Recursion is bounded by the parser's limit on nesting.
    fn field(&mut self, expr: Expr, field: &str) -> Elaborated<Expr> {
        let span = expr.span;
        let name = Name {
            text: Arc::from(field),
            span,
            quoted: false,
        };
        let kind = match expr.kind {
            ExprKind::Name(base) => ExprKind::Reference(Box::new(Reference {
                base,
                indices: Vec::new(),
                member: Some((name, Vec::new())),
                further: Vec::new(),
                prime: None,
            })),
            ExprKind::Reference(mut reference) => {
                match &reference.member {
                    None => reference.member = Some((name, Vec::new())),
                    Some(_) => reference.further.push((name, Vec::new())),
                }
                ExprKind::Reference(reference)
            }
            ExprKind::Call(mut call) => {
                call.fields.push(name);
                ExprKind::Call(call)
            }
            ExprKind::Record(list) => {
                let found = list.into_iter().find(|(n, _)| &*n.text == field);
                return found.map(|(_, value)| value).ok_or_else(|| {
                    let message = format!("the field `{field}` has no value");
                    self.error(
                        "type",
                        span,
                        message,
                        "a record has a value for every field",
                    )
                });
            }
            ExprKind::If(branches, otherwise) => {
                let mut list = Vec::new();
                for (condition, value) in branches {
                    list.push((condition, self.field(value, field)?));
                }
                ExprKind::If(list, Box::new(self.field(*otherwise, field)?))
            }
            _ => {
                let message = format!("expected a record with the field `{field}`");
                return Err(self.error("type", span, message, ""));
            }
        };
        Ok(Expr::at(span, kind))
    }

    /// Reports values for fields that do not exist, and fields with two values. Recursion is
    /// bounded by the parser's limit on nesting.
    pub fn check_record(&mut self, expr: &Expr, fields: &[Arc<str>]) -> Elaborated<()> {
        let ExprKind::Record(list) = &expr.kind else {
            return Ok(());
        };
        for (k, (name, value)) in list.iter().enumerate() {
            let text = &name.text;
            if list[..k].iter().any(|(n, _)| n.text == *text) {
                let message = format!("the field `{text}` has two values");
                return Err(self.error("duplicate", name.span, message, ""));
            }
            let inside = fields.iter().filter_map(|f| f.strip_prefix(&**text));
            let inner = inside.clone().filter_map(|rest| rest.strip_prefix('.'));
            let inner: Vec<Arc<str>> = inner.map(Arc::from).collect();
            if inner.is_empty() && !inside.clone().any(str::is_empty) {
                let message = format!("the record has no field `{text}`");
                let help = did_you_mean(text, fields.iter().map(|f| &**f), "");
                return Err(self.error("name", name.span, message, help));
            }
            self.check_record(value, &inner)?;
        }
        Ok(())
    }

    /// The comparison `m = {kind = ask, from = i}`, for each field.
    pub(super) fn compared_records(
        &mut self,
        first: &Expr,
        rest: &[(Comparison, Expr)],
        fields: &[Arc<str>],
    ) -> Elaborated<Term> {
        let mut parts = Vec::new();
        let mut left = first;
        self.check_record(first, fields)?;
        for (comparison, right) in rest {
            self.check_record(right, fields)?;
            let span = left.span.to(right.span);
            let mut same = Vec::new();
            for field in fields {
                let (a, b) = (self.part(left, field)?, self.part(right, field)?);
                let kind = ExprKind::Compared(Box::new(a), vec![(Comparison::Equal, b)]);
                same.push(self.formula(&Expr::at(span, kind))?);
            }
            let same = self.terms.and(same);
            parts.push(match comparison {
                Comparison::Equal => same,
                Comparison::NotEqual => self.terms.not(same),
                _ => {
                    let help = "compare them with `=` and `!=`, or their fields";
                    return Err(self.error("type", span, "records have no order", help));
                }
            });
            left = right;
        }
        Ok(self.terms.and(parts))
    }

    /// Elaborates `len(c)`, `empty(c)`, `full(c)`, `head(c)` and `slot(c, k)`; `None` for other
    /// calls.
    pub(super) fn channel_call(
        &mut self,
        call: &Call,
        span: Span,
        hint: Option<Sort>,
    ) -> Option<Elaborated<Term>> {
        let word = &*call.name.text;
        let known = self.names.aggregates && QUESTIONS.contains(&word);
        known.then(|| self.asked(word, call, span, hint))
    }

    fn asked(
        &mut self,
        word: &str,
        call: &Call,
        span: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let wanted = if word == "slot" { 2 } else { 1 };
        if call.arguments.len() != wanted {
            let message = format!("`{word}` does not take {} arguments", call.arguments.len());
            let help = match word {
                "slot" => "write `slot(c, k)`".to_string(),
                _ => format!("write `{word}(c)`"),
            };
            return Err(self.error("arity", span, message, help));
        }
        let of = &call.arguments[0];
        let channel = self.channel(of)?;
        let capacity = channel.capacity.unwrap_or(i64::MAX);
        let place = match word {
            "head" => 0,
            "slot" => {
                let place = self.constant(&call.arguments[1], "the number of a slot")?;
                let inside = place.to_i64().filter(|k| (0..capacity).contains(k));
                inside.ok_or_else(|| match self.dead {
                    true => Reported,
                    false => {
                        let message = format!("there is no slot {place}");
                        let help = format!("the slots are 0..{}", capacity - 1);
                        self.error("index", call.arguments[1].span, message, help)
                    }
                })?
            }
            _ => return self.length(word, call, channel.capacity),
        };
        if channel.capacity.is_none() {
            let fields: Vec<&str> = call.fields.iter().map(|f| &*f.text).collect();
            let path = fields.join(".");
            if channel.held.iter().all(|(known, _)| **known != *path) {
                let message = match call.fields.last() {
                    Some(field) => format!("a message has no single value `{}`", field.text),
                    None => "a message is a record, not a single value".to_string(),
                };
                return Err(self.error("type", span, message, "name a field of the message"));
            }
            let message = self.message(of, place, &path)?;
            return self.infer(&Expr::at(span, message.kind), hint);
        }
        let mut part = self.part(of, &slot(place, ""))?;
        for field in &call.fields {
            part = self.field(part, &field.text)?;
        }
        self.infer(&Expr::at(span, part.kind), hint)
    }

    fn length(&mut self, word: &str, call: &Call, capacity: Option<i64>) -> Elaborated<Term> {
        if let Some(field) = call.fields.first() {
            let message = format!("`{word}` has no field `{}`", field.text);
            return Err(self.error("name", field.span, message, ""));
        }
        let length = self.length_of(&call.arguments[0])?;
        let length = self.expect(&length, Sort::Int)?;
        Ok(match (word, capacity) {
            ("len", _) => length,
            ("empty", _) => self.terms.eq(length, self.terms.int(0)),
            (_, Some(capacity)) => self.terms.eq(length, self.terms.int(capacity)),
            (_, None) => self.terms.ff(),
        })
    }

    pub(super) fn no_field(&mut self, reference: &Reference, span: Span) -> Reported {
        let name = &reference.base.text;
        let fields = match self.resolve(&reference.base) {
            Some(Meaning::Aggregate(aggregate)) => match &**aggregate {
                Aggregate::Record(fields) => fields.clone(),
                Aggregate::Channel(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        let field = reference.member.as_ref().map_or("", |(n, _)| &n.text);
        let message = format!("`{name}` has no field `{field}`");
        let help = did_you_mean(field, fields.iter().map(|f| &**f), "");
        self.error("name", span, message, help)
    }

    pub(super) fn not_a_value(&mut self, name: &str, of: &Aggregate, span: Span) -> Reported {
        let (message, help) = match of {
            Aggregate::Record(fields) => {
                let field = fields.first().map_or("x", |f| f);
                let help =
                    format!("name a field, as in `{name}.{field}`, or compare it as a whole");
                (format!("`{name}` is a record, not a single value"), help)
            }
            Aggregate::Channel(_) => {
                let help = "`len(c)`, `empty(c)`, `full(c)` and `head(c)` describe a channel";
                (
                    format!("`{name}` is a channel, not a value"),
                    help.to_string(),
                )
            }
        };
        self.error("type", span, message, help)
    }
}

/// The name of a slot, or of a field of its message.
pub fn slot(place: i64, path: &str) -> String {
    match path.is_empty() {
        true => format!("slot{place}"),
        false => format!("slot{place}.{path}"),
    }
}

/// The name of the array of an unbounded channel, or of a field of its messages.
pub fn queue(path: &str) -> String {
    match path.is_empty() {
        true => "queue".to_string(),
        false => format!("queue.{path}"),
    }
}

/// Merges a name and the names after it, with all indices.
fn join<'r>(
    first: &Name,
    indices: &[Expr],
    rest: impl Iterator<Item = &'r (Name, Vec<Expr>)>,
) -> (Name, Vec<Expr>) {
    let mut text = first.text.to_string();
    let mut all = indices.to_vec();
    for (name, indices) in rest {
        text = format!("{text}.{}", name.text);
        all.extend(indices.iter().cloned());
    }
    let name = Name {
        text: Arc::from(text),
        ..first.clone()
    };
    (name, all)
}
