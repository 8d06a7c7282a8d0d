//! The indices of a text: what `--forall n` looks at.
//!
//! Definitions are put in, and parameters other than the number of processes have their values.
//! What is not understood becomes `Other`, which whoever judges the scheme refuses.

use super::ast::{
    Action, Body, Choose, CommandItem, ConditionKind, Item, ProcessItem, Symbols, SymbolsKind,
};
use super::parse::{DIALECT, parse};
use crate::ReadOptions;
use crate::syntax::{
    Binder, Claim, ClaimKind, Comparison, Connective, Expr, ExprKind, Factor, Name, Parser,
    Quantifier, Reference, Sign, TypeItem,
};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::scheme::{
    Effect, IndexBinder, Over, Relation, Rule, RuleKind, Scheme, SchemeVariable, Use, UseKind,
};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Definitions inside of definitions deeper than this are not followed.
const DEEPEST: usize = 200;

/// The scheme of a text, for every value of the parameter `size`.
pub fn scheme(source: &Source, options: &ReadOptions, size: &str) -> Result<Scheme, Diagnostics> {
    let parsed = parse(source);
    if parsed.diagnostics.has_errors() {
        return Err(parsed.diagnostics);
    }
    Ok(Lowering::new(&parsed.items, options, size, &[]).scheme())
}

/// A formula in the words of a text. The names in `known` are data besides.
pub fn scheme_formula(
    source: &Source,
    options: &ReadOptions,
    size: &str,
    known: &[String],
    formula: &Source,
) -> Result<Use, Diagnostics> {
    let parsed = parse(source);
    if parsed.diagnostics.has_errors() {
        return Err(parsed.diagnostics);
    }
    let mut parser = Parser::new(formula, DIALECT);
    let expr = parser.expression();
    if expr.is_ok() && !parser.at_end() {
        parser.unexpected("the end of the expression", None);
    }
    let (diagnostics, _) = parser.finish();
    let lowering = Lowering::new(&parsed.items, options, size, known);
    match expr {
        Ok(expr) if !diagnostics.has_errors() => Ok(lowering.used(&expr, &Context::default())),
        _ => Err(diagnostics),
    }
}

/// What names mean at a place.
#[derive(Clone, Default)]
struct Context<'i> {
    /// Indices, arguments and chosen values.
    names: BTreeMap<String, Use>,
    /// The process around, with its indices.
    own: Option<(&'i ProcessItem, Vec<Use>)>,
    depth: usize,
}

struct Lowering<'i> {
    items: &'i [Item],
    given: BTreeMap<String, i64>,
    size: String,
    known: BTreeSet<String>,
    values: BTreeSet<String>,
    indices: Cell<usize>,
}

fn at(span: Span, kind: UseKind) -> Use {
    Use { kind, span }
}

fn data(span: Span) -> Use {
    at(span, UseKind::Data(Vec::new()))
}

fn truth(span: Span, value: bool) -> Use {
    at(span, UseKind::Truth(value))
}

impl<'i> Lowering<'i> {
    fn new(items: &'i [Item], options: &ReadOptions, size: &str, known: &[String]) -> Lowering<'i> {
        let given = options.parameters.iter().filter(|(n, _)| n != size);
        let given = given.filter_map(|(n, v)| Some((n.clone(), v.trim().parse().ok()?)));
        let mut values = BTreeSet::new();
        let inner = items.iter().flat_map(|item| match item {
            Item::Process(process) => &process.items[..],
            _ => &[],
        });
        for item in items.iter().chain(inner) {
            let named = match item {
                Item::Enumeration(_, names) => names,
                Item::Symbols(Symbols {
                    sort: TypeItem::Values(names),
                    ..
                }) => names,
                _ => continue,
            };
            values.extend(named.iter().map(|n| n.text.to_string()));
        }
        Lowering {
            items,
            given: given.collect(),
            size: size.to_string(),
            known: known.iter().cloned().collect(),
            values,
            indices: Cell::new(0),
        }
    }

    fn scheme(&self) -> Scheme {
        let mut scheme = Scheme {
            size: self.size.clone(),
            ..Scheme::default()
        };
        for item in self.items {
            self.item(item, &Context::default(), &[], &mut scheme);
        }
        scheme
    }

    fn item(
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

    fn claim(&self, claim: &'i Claim) -> (String, Span, Option<Use>) {
        let context = Context::default();
        let says = match &claim.kind {
            ClaimKind::Invariant(formula) => Some(self.used(formula, &context)),
            ClaimKind::Error(formula) => {
                let formula = self.used(formula, &context);
                Some(at(claim.span, UseKind::Not(Box::new(formula))))
            }
            ClaimKind::At(..) | ClaimKind::Ctl(_) | ClaimKind::Ltl(_) | ClaimKind::Terminates => {
                None
            }
        };
        (claim.name.text.to_string(), claim.span, says)
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

    /// The ends of a type that is a range; an error for what is not looked at.
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
                for choose in super::ast::all_actions(actions)
                    .iter()
                    .filter_map(|a| choice(a))
                {
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
                // Conditions and values are looked at one by one: it does not matter which branch
                // they belong to.
                let mut found = Vec::new();
                for (condition, actions) in branches {
                    let inside = self.effects(actions, context);
                    found.push(Effect::If(self.used(condition, context), inside));
                }
                found.extend(self.effects(otherwise, context));
                found
            }
            Action::Send(channel, _) | Action::Receive(channel, _) => {
                vec![Effect::Require(other(channel.span, "a channel"))]
            }
        }
    }

    /// Indices with their ranges, and the context in which their names are known.
    fn bound(
        &self,
        binders: &'i [Binder],
        context: &Context<'i>,
    ) -> (Vec<IndexBinder>, Context<'i>) {
        let mut inner = context.clone();
        let mut found = Vec::new();
        for binder in binders {
            let id = self.indices.replace(self.indices.get() + 1);
            found.push(IndexBinder {
                id,
                low: self.used(&binder.low, &inner),
                high: self.used(&binder.high, &inner),
            });
            let index = at(binder.name.span, UseKind::Index(id));
            inner.names.insert(binder.name.text.to_string(), index);
        }
        (found, inner)
    }

    fn full_name(&self, name: &Name, context: &Context<'i>) -> String {
        match &context.own {
            Some((process, _)) => format!("{}.{}", process.name.text, name.text),
            None => name.text.to_string(),
        }
    }

    /// An expression, seen from the indices.
    fn used(&self, expr: &'i Expr, context: &Context<'i>) -> Use {
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
                let body = Box::new(self.used(&q.body, &inner));
                at(span, UseKind::Over(over, binders, body))
            }
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

    /// An expression with other names, inside of a definition.
    fn inside(
        &self,
        body: &'i Expr,
        own: Option<(&'i ProcessItem, Vec<Use>)>,
        names: BTreeMap<String, Use>,
        context: &Context<'i>,
    ) -> Use {
        if context.depth > DEEPEST {
            return other(body.span, "a definition inside of too many others");
        }
        let mut names = names;
        if let Some((process, indices)) = &own {
            let own = process.indices.iter().map(|b| b.name.text.to_string());
            names.extend(own.zip(indices.iter().cloned()));
        }
        let context = Context {
            names,
            own,
            depth: context.depth + 1,
        };
        self.used(body, &context)
    }

    #[allow(clippy::type_complexity)]
    fn definition(
        &self,
        name: &Name,
        context: &Context<'i>,
    ) -> Option<(&'i [Name], &'i Expr, Option<(&'i ProcessItem, Vec<Use>)>)> {
        let find = |items: &'i [Item]| {
            items.iter().find_map(|item| match item {
                Item::Definition(n, parameters, body) if n.text == name.text => {
                    Some((&parameters[..], body))
                }
                _ => None,
            })
        };
        if let Some((process, indices)) = &context.own
            && let Some((parameters, body)) = find(&process.items)
        {
            let own = Some((*process, indices.clone()));
            return Some((parameters, body, own));
        }
        find(self.items).map(|(parameters, body)| (parameters, body, None))
    }

    fn is_function(&self, name: &Name) -> bool {
        let mut items = self.items.iter();
        items.any(|item| matches!(item, Item::Function(f) if f.name.text == name.text))
    }

    fn name(&self, name: &Name, context: &Context<'i>) -> Use {
        let (text, span) = (&*name.text, name.span);
        if let Some(known) = context.names.get(text) {
            return Use {
                span,
                ..known.clone()
            };
        }
        if let Some((parameters, body, own)) = self.definition(name, context) {
            return match parameters.is_empty() {
                true => self.inside(body, own, BTreeMap::new(), context),
                false => other(span, "a definition without its arguments"),
            };
        }
        if let Some((process, indices)) = &context.own
            && declares(&process.items, text)
        {
            let name = format!("{}.{text}", process.name.text);
            return at(span, UseKind::Variable(name, indices.clone()));
        }
        if text == self.size {
            return at(span, UseKind::Size);
        }
        if let Some(value) = self.given.get(text) {
            return at(span, UseKind::Number(*value));
        }
        let parameter = self.items.iter().find_map(|item| match item {
            Item::Parameter(p) if *p.name.text == *text => Some(&p.default),
            _ => None,
        });
        if let Some(default) = parameter {
            return self.inside(default, None, BTreeMap::new(), context);
        }
        if declares(self.items, text) {
            return at(span, UseKind::Variable(text.to_string(), Vec::new()));
        }
        match self.values.contains(text) || self.known.contains(text) {
            true => data(span),
            false => other(span, "a name that is not known"),
        }
    }

    fn reference(&self, reference: &'i Reference, span: Span, context: &Context<'i>) -> Use {
        let base = &*reference.base.text;
        let indices =
            |list: &'i [Expr]| -> Vec<Use> { list.iter().map(|e| self.used(e, context)).collect() };
        if !reference.further.is_empty() {
            return other(span, "a name with several dots");
        }
        let process = self.items.iter().find_map(|item| match item {
            Item::Process(p) if *p.name.text == *base => Some(p),
            _ => None,
        });
        let own = indices(&reference.indices);
        match (process, &reference.member) {
            (Some(process), Some((member, more))) => {
                if declares(&process.items, &member.text) {
                    let name = format!("{base}.{}", member.text);
                    let all = own.into_iter().chain(indices(more)).collect();
                    return self.element(
                        name,
                        &process.items,
                        &member.text,
                        all,
                        process.indices.len(),
                        span,
                    );
                }
                let inside = Context {
                    own: Some((process, own)),
                    ..Context::default()
                };
                match self.definition(member, &inside) {
                    Some((parameters, body, Some(own)))
                        if parameters.is_empty() && more.is_empty() =>
                    {
                        self.inside(body, Some(own), BTreeMap::new(), context)
                    }
                    _ => other(span, "a member that is not known"),
                }
            }
            (None, None) => match &context.own {
                Some((process, outer)) if declares(&process.items, base) => {
                    let name = format!("{}.{base}", process.name.text);
                    let all = outer.iter().cloned().chain(own).collect();
                    self.element(name, &process.items, base, all, process.indices.len(), span)
                }
                _ if context.names.contains_key(base) && own.is_empty() => {
                    self.name(&reference.base, context)
                }
                _ if declares(self.items, base) => {
                    self.element(base.to_string(), self.items, base, own, 0, span)
                }
                _ => other(span, "a name that is not known"),
            },
            _ => other(span, "a record"),
        }
    }

    /// A variable with subscripts; what is more than it declares is an access to an array.
    fn element(
        &self,
        name: String,
        items: &'i [Item],
        own: &str,
        subscripts: Vec<Use>,
        outer: usize,
        span: Span,
    ) -> Use {
        let declared = outer + dimensions(items, own);
        if subscripts.len() < declared {
            return other(span, "a variable without its indices");
        }
        let mut subscripts = subscripts;
        let rest = subscripts.split_off(declared);
        let variable = at(span, UseKind::Variable(name, subscripts));
        match rest.is_empty() {
            true => variable,
            false => {
                let parts = std::iter::once(variable).chain(rest).collect();
                at(span, UseKind::Data(parts))
            }
        }
    }
}

fn other(span: Span, what: &'static str) -> Use {
    at(span, UseKind::Other(what))
}

fn choice(action: &Action) -> Option<&Choose> {
    match action {
        Action::Any(_, choose) | Action::Choose(choose, _) => Some(choose),
        _ => None,
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
    if parts
        .iter()
        .any(|p| matches!(p.kind, UseKind::Truth(false)))
    {
        return truth(span, false);
    }
    let open = parts
        .into_iter()
        .filter(|p| !matches!(p.kind, UseKind::Truth(true)));
    at(span, UseKind::And(open.collect()))
}

fn disjunction(span: Span, parts: Vec<Use>) -> Use {
    if parts.iter().any(|p| matches!(p.kind, UseKind::Truth(true))) {
        return truth(span, true);
    }
    let open = parts
        .into_iter()
        .filter(|p| !matches!(p.kind, UseKind::Truth(false)));
    at(span, UseKind::Or(open.collect()))
}

fn declares(items: &[Item], name: &str) -> bool {
    let mut items = items.iter();
    items.any(|item| match item {
        Item::Symbols(symbols) => symbols.declarators.iter().any(|d| &*d.name.text == name),
        _ => false,
    })
}

/// How many indices a declaration gives a variable.
fn dimensions(items: &[Item], name: &str) -> usize {
    let found = items.iter().find_map(|item| match item {
        Item::Symbols(symbols) => symbols.declarators.iter().find(|d| &*d.name.text == name),
        _ => None,
    });
    found.map_or(0, |d| d.indices.len())
}
