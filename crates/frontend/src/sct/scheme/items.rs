//! Lowers declarations, commands and properties of a text to its scheme.

use super::{Context, Lowering, at, data, other, truth};
use crate::sct::ast::{
    Action, Body, Choose, CommandItem, ConditionKind, Item, Symbols, SymbolsKind, all_actions,
};
use crate::syntax::{Claim, ClaimKind, Connective, Expr, ExprKind, Quantifier, Temporal, TypeItem};
use sectile_base::Span;
use sectile_model::scheme::{
    Effect, IndexBinder, Relation, Response, Rule, RuleKind, Scheme, SchemeClaim, SchemeVariable,
    Use, UseKind,
};
use sectile_model::{Ctl, LocationId};

impl<'i> Lowering<'i> {
    pub(super) fn item(
        &self,
        item: &'i Item,
        context: &Context<'i>,
        binders: &[IndexBinder],
        scheme: &mut Scheme,
    ) {
        let rule = |kind, name: &str, span, condition| Rule {
            kind,
            name: name.to_string(),
            span,
            binders: binders.to_vec(),
            when: truth(span, true),
            condition,
            effects: Vec::new(),
        };
        let refused = |span, what| rule(RuleKind::Restrict, what, span, other(span, what));
        match item {
            Item::Symbols(symbols) => self.symbols(symbols, context, binders, scheme),
            Item::Condition(kind, formula, span) => {
                let kind = match kind {
                    ConditionKind::Init => RuleKind::Init,
                    _ => RuleKind::Restrict,
                };
                let condition = self.used(formula, context);
                scheme.rules.push(rule(kind, "condition", *span, condition));
            }
            Item::Command(command) => scheme.rules.push(self.command(command, context, binders)),
            Item::Process(process) => {
                let (own, inner) = self.bound(&process.indices, context);
                let indices = own.iter().map(|b| at(b.low.span, UseKind::Index(b.id)));
                let inner = Context {
                    own: Some((process, indices.collect())),
                    ..inner
                };
                scheme
                    .ranges
                    .extend(own.iter().map(|b| (b.low.clone(), b.high.clone())));
                for item in &process.items {
                    self.item(item, &inner, &own, scheme);
                }
            }
            Item::Synchronous(span) => {
                scheme.rules.push(refused(*span, "synchronous composition"));
            }
            Item::Channel(channel) => {
                let span = channel
                    .declarators
                    .first()
                    .map_or(Span::default(), |d| d.name.span);
                scheme.rules.push(refused(span, "a channel"));
            }
            Item::Aggregates(_) => {
                scheme.rules.push(refused(Span::default(), "a record"));
            }
            Item::Property(claim) => scheme.claims.push(self.claim(claim)),
            Item::Parameter(parameter) => {
                if let (true, Some((_, high))) =
                    (*parameter.name.text == *self.size, &parameter.range)
                {
                    let what = "a largest number of processes";
                    scheme.rules.push(refused(high.span, what));
                }
            }
            Item::Enumeration(..) | Item::Type(..) | Item::Definition(..) | Item::Function(_) => {}
        }
    }

    fn claim(&self, claim: &'i Claim) -> (String, Span, SchemeClaim) {
        let context = Context::default();
        let says = match &claim.kind {
            ClaimKind::Invariant(formula) => SchemeClaim::Always(self.used(formula, &context)),
            ClaimKind::Error(formula) => {
                let formula = self.used(formula, &context);
                SchemeClaim::Always(at(claim.span, UseKind::Not(Box::new(formula))))
            }
            ClaimKind::Ctl(formula) => {
                let found = self.response(formula, &context);
                found.map_or(SchemeClaim::Other, SchemeClaim::Response)
            }
            ClaimKind::At(..) | ClaimKind::Ltl(_) | ClaimKind::Terminates => SchemeClaim::Other,
        };
        (claim.name.text.to_string(), claim.span, says)
    }

    /// Recognises `forall i in ...: AG (p => AF q)`.
    fn response(&self, formula: &'i Expr, context: &Context<'i>) -> Option<Response> {
        let ExprKind::Quantified(quantified) = &formula.kind else {
            return None;
        };
        if quantified.quantifier != Quantifier::Forall {
            return None;
        }
        let (binders, inner) = self.bound(&quantified.binders, context);
        let always = temporal(&quantified.body, |f| matches!(f, Ctl::Ag(_)))?;
        let (from, last) = match &always.kind {
            ExprKind::Connected(Connective::Implies, sides) => match &sides[..] {
                [from, to] => (self.used(from, &inner), to),
                _ => return None,
            },
            _ => (truth(always.span, true), always),
        };
        let to = temporal(last, |f| matches!(f, Ctl::Af(_)))?;
        Some(Response {
            binders,
            from,
            to: self.used(to, &inner),
        })
    }

    fn symbols(
        &self,
        symbols: &'i Symbols,
        context: &Context<'i>,
        binders: &[IndexBinder],
        scheme: &mut Scheme,
    ) {
        for declarator in &symbols.declarators {
            let span = declarator.name.span;
            let (own, inner) = self.bound(&declarator.indices, context);
            scheme
                .ranges
                .extend(own.iter().map(|b| (b.low.clone(), b.high.clone())));
            let all: Vec<IndexBinder> = binders.iter().chain(&own).cloned().collect();
            let name = self.full_name(&declarator.name, context);
            let mut rule = Rule {
                kind: RuleKind::Init,
                name: name.clone(),
                span,
                binders: all.clone(),
                when: truth(span, true),
                condition: truth(span, true),
                effects: Vec::new(),
            };
            let values = match self.values(&symbols.sort, context) {
                Ok(values) => values,
                Err(what) => {
                    rule.kind = RuleKind::Restrict;
                    rule.condition = other(span, what);
                    scheme.rules.push(rule.clone());
                    rule.kind = RuleKind::Init;
                    None
                }
            };
            scheme.variables.push(SchemeVariable {
                name: name.clone(),
                span,
                subscripts: all
                    .iter()
                    .map(|b| (b.low.clone(), b.high.clone()))
                    .collect(),
                values,
                changes: symbols.kind == SymbolsKind::Clock,
            });
            if let Some(initial) = &symbols.initial {
                let subscripts = all.iter().map(|b| at(span, UseKind::Index(b.id)));
                let variable = at(span, UseKind::Variable(name, subscripts.collect()));
                let value = self.used(initial, &inner);
                let pair = Box::new((variable, value));
                rule.condition = at(initial.span, UseKind::Compare(Relation::Equal, pair));
                scheme.rules.push(rule);
            }
        }
    }

    /// The ends of a range type; an error for types that are not supported.
    fn values(
        &self,
        sort: &'i TypeItem,
        context: &Context<'i>,
    ) -> Result<Option<(Use, Use)>, &'static str> {
        Ok(match sort {
            TypeItem::Range(low, high) => Some((self.used(low, context), self.used(high, context))),
            TypeItem::Named(name) => {
                let found = self.items.iter().find_map(|item| match item {
                    Item::Type(n, sort) if n.text == name.text => Some(sort),
                    _ => None,
                });
                match found {
                    Some(sort) => self.values(sort, context)?,
                    None => None,
                }
            }
            TypeItem::Array(index, element, _) => {
                for inner in [index, element] {
                    if self.values(inner, context)?.is_some() {
                        return Err("an array over a range");
                    }
                }
                None
            }
            TypeItem::Record(..) => return Err("a record"),
            TypeItem::Bool
            | TypeItem::Int
            | TypeItem::Nat
            | TypeItem::Real
            | TypeItem::Values(_) => None,
        })
    }

    fn command(
        &self,
        command: &'i CommandItem,
        context: &Context<'i>,
        binders: &[IndexBinder],
    ) -> Rule {
        let (own, mut inner) = self.bound(&command.indices, context);
        let when = match &command.when {
            Some(when) => self.used(when, &inner),
            None => truth(command.span, true),
        };
        let mut effects = Vec::new();
        let (kind, condition) = match &command.body {
            Body::Guarded(guard, actions) => {
                let condition = self.used(guard, &inner);
                for choose in all_actions(actions).iter().filter_map(|a| choice(a)) {
                    let name = choose.name.text.to_string();
                    inner.names.insert(name, data(choose.name.span));
                }
                effects = self.effects(actions, &inner);
                (RuleKind::Step, condition)
            }
            Body::Relation(chosen, formula) => {
                let mut condition = Vec::new();
                for (name, sort) in chosen {
                    inner.names.insert(name.text.to_string(), data(name.span));
                    if !matches!(self.values(sort, &inner), Ok(None)) {
                        condition.push(other(name.span, "a choice between some numbers"));
                    }
                }
                condition.push(self.used(formula, &inner));
                let condition = at(formula.span, UseKind::And(condition));
                (RuleKind::Relation, condition)
            }
        };
        Rule {
            kind,
            name: command.name.text.to_string(),
            span: command.span,
            binders: binders.iter().cloned().chain(own).collect(),
            when,
            condition,
            effects,
        }
    }

    fn effects(&self, actions: &'i [Action], context: &Context<'i>) -> Vec<Effect> {
        actions
            .iter()
            .flat_map(|a| self.effect(a, context))
            .collect()
    }

    fn effect(&self, action: &'i Action, context: &Context<'i>) -> Vec<Effect> {
        let require = |choose: &'i Choose| {
            let condition = choose.condition.iter();
            condition.map(|c| Effect::Require(self.used(c, context)))
        };
        match action {
            Action::Skip => Vec::new(),
            Action::Assign(target, value) => {
                let value = self.used(value, context);
                vec![Effect::Set(self.used(target, context), Some(value))]
            }
            Action::Havoc(target) => vec![Effect::Set(self.used(target, context), None)],
            Action::Any(target, choose) => {
                let value = data(choose.name.span);
                let set = Effect::Set(self.used(target, context), Some(value));
                std::iter::once(set).chain(require(choose)).collect()
            }
            Action::Choose(choose, sort) => {
                let mut all: Vec<Effect> = require(choose).collect();
                if !matches!(self.values(sort, context), Ok(None)) {
                    let what = other(choose.name.span, "a choice between some numbers");
                    all.push(Effect::Require(what));
                }
                all
            }
            Action::ForAll(all) => {
                let (own, inner) = self.bound(&all.binders, context);
                let inside = self.effects(&all.actions, &inner);
                let inside = match &all.condition {
                    Some(condition) => vec![Effect::If(self.used(condition, &inner), inside)],
                    None => inside,
                };
                vec![Effect::Each(own, inside)]
            }
            Action::If(branches, otherwise) => {
                // Conditions and values are examined one by one, so it does not matter to which
                // branch they belong.
                let mut found = Vec::new();
                for (condition, actions) in branches {
                    let condition = self.used(condition, context);
                    if !matches!(condition.kind, UseKind::Truth(false)) {
                        found.push(Effect::If(condition, self.effects(actions, context)));
                    }
                }
                found.extend(self.effects(otherwise, context));
                found
            }
            Action::Send(channel, _) | Action::Receive(channel, _) => {
                vec![Effect::Require(other(channel.span, "a channel"))]
            }
        }
    }
}

fn choice(action: &Action) -> Option<&Choose> {
    match action {
        Action::Any(_, choose) | Action::Choose(choose, _) => Some(choose),
        _ => None,
    }
}

/// The operand of a temporal operator, if it is the wanted one.
fn temporal(formula: &Expr, is: fn(&Ctl) -> bool) -> Option<&Expr> {
    match &formula.kind {
        ExprKind::Temporal(Temporal::Unary(operator, inner)) => {
            let sample = operator(Box::new(Ctl::At(LocationId(0))));
            is(&sample).then_some(&**inner)
        }
        _ => None,
    }
}
