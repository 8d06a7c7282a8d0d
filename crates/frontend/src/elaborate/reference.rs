//! Resolves references: the meaning of a name in its context, and the elements that indices select.

use super::names::{Aggregate, Definition, Entity, Family, Instance, Member, Names, element_name};
use super::select::{Choice, Index};
use super::{Binding, Elaborated, Elaborator, Primes};
use crate::messages::{Report as _, Reported, did_you_mean};
use crate::syntax::{Expr, ExprKind, Name, Reference};
use sectile_base::{Int, Span};
use sectile_model::LocationId;
use sectile_terms::{EnumId, Sort, Symbol, Term};
use std::sync::Arc;

/// The names that are operators in `ctl` properties.
pub const TEMPORAL: [&str; 8] = ["AX", "EX", "AF", "EF", "AG", "EG", "A", "E"];

/// The meaning of a name in its context.
pub(super) enum Meaning<'n> {
    Bound(Binding),
    Parameter(&'n Int),
    /// Variables, with the indices that the surrounding process determines.
    Family(&'n Family, Vec<i64>),
    /// A variable by its full name.
    Element(Symbol),
    Definition(&'n Arc<Definition>, Option<Instance>),
    Function(Symbol),
    Process(usize),
    Type(EnumId),
    Location(LocationId),
    Aggregate(&'n Arc<Aggregate>),
}

impl<'e> Elaborator<'e> {
    /// The meaning of a name: bound names first, then those of the process, then global ones.
    /// Values of enumerations are not considered.
    pub(super) fn resolve(&self, name: &Name) -> Option<Meaning<'e>> {
        let names: &'e Names = self.names;
        let text: &str = &name.text;
        let mut bound = self.frame.bound.iter().rev();
        if let Some((_, binding)) = bound.find(|(n, _)| &**n == text) {
            return Some(Meaning::Bound(binding.clone()));
        }
        if let Some(instance) = &self.frame.instance {
            let process = &names.processes[instance.process];
            if let Some(k) = process.indices.iter().position(|n| &**n == text) {
                let value = self.terms.int(instance.indices[k]);
                return Some(Meaning::Bound(Binding::Term(value)));
            }
            match process.members.get(text) {
                Some(Member::Family(family)) => {
                    return Some(Meaning::Family(family, instance.indices.clone()));
                }
                Some(Member::Definition(definition)) => {
                    return Some(Meaning::Definition(definition, Some(instance.clone())));
                }
                Some(Member::Aggregate(aggregate)) => {
                    return Some(Meaning::Aggregate(aggregate));
                }
                None => {}
            }
        }
        Some(match names.entities.get(text) {
            Some(Entity::Parameter(value)) => Meaning::Parameter(value),
            Some(Entity::Family(family)) => Meaning::Family(family, Vec::new()),
            Some(Entity::Definition(definition)) => Meaning::Definition(definition, None),
            Some(Entity::Function(symbol)) => Meaning::Function(*symbol),
            Some(Entity::Process(process)) => Meaning::Process(*process),
            Some(Entity::Type(id)) => Meaning::Type(*id),
            Some(Entity::Location(id)) => Meaning::Location(*id),
            Some(Entity::Aggregate(aggregate)) => Meaning::Aggregate(aggregate),
            None => Meaning::Element(names.element(text)?),
        })
    }

    /// Whether a name is declared here, other than as a bound name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        let local = self.frame.instance.as_ref().is_some_and(|instance| {
            let process = &self.names.processes[instance.process];
            process.members.contains_key(name) || process.indices.iter().any(|n| &**n == name)
        });
        local
            || self.names.entities.contains_key(name)
            || self.names.element(name).is_some()
            || !self.names.variants(name).is_empty()
    }

    /// Whether a name can only be the value of an enumeration.
    pub(super) fn names_a_variant(&self, name: &Name) -> bool {
        match self.resolve(name) {
            None => !self.names.variants(&name.text).is_empty(),
            Some(Meaning::Bound(Binding::Variant(_))) => true,
            Some(_) => false,
        }
    }

    /// A name without indices.
    pub(super) fn name(&mut self, name: &Name, hint: Option<Sort>) -> Elaborated<Term> {
        match self.resolve(name) {
            None => self.variant(name, hint),
            Some(meaning) => self.meaning(meaning, name, &[], None, (None, name.span), hint),
        }
    }

    /// A name with indices, a member or a prime.
    pub(super) fn reference(
        &mut self,
        reference: &Reference,
        span: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        self.check_prime(reference.prime)?;
        let joined = self.joined(reference);
        if let Some(joined) = &joined
            && joined.member.is_none()
            && self.resolve(&joined.base).is_none()
        {
            return Err(self.no_field(reference, span));
        }
        let reference = joined.as_ref().unwrap_or(reference);
        let place = (reference.prime, span);
        let base = &reference.base;
        let meaning = self.resolve(base).filter(|_| reference.further.is_empty());
        // A name with a dot may be a variable even if the part before the dot is one, too.
        let has_members = matches!(meaning, Some(Meaning::Process(_) | Meaning::Type(_)));
        if (meaning.is_none() || (reference.member.is_some() && !has_members))
            && let Some((symbol, indices)) = self.flat(reference)
        {
            return self.meaning(Meaning::Element(symbol), base, indices, None, place, hint);
        }
        let Some(meaning) = meaning else {
            let full = self.full_name(reference).unwrap_or_default();
            if !self.names.variants(&full).is_empty() && reference.prime.is_none() {
                let name = Name {
                    text: Arc::from(full),
                    ..base.clone()
                };
                return self.variant(&name, hint);
            }
            return Err(self.unknown(base, hint));
        };
        let member = reference.member.as_ref();
        self.meaning(meaning, base, &reference.indices, member, place, hint)
    }

    pub(super) fn check_prime(&mut self, prime: Option<Span>) -> Elaborated<()> {
        let Some(span) = prime else {
            return Ok(());
        };
        if self.frame.primes == Primes::Allowed {
            return Ok(());
        }
        let message = "a primed variable can only stand in a relation";
        let help = "`x'` is the value after a step; guarded commands write `x := ...` instead";
        Err(self.error("prime", span, message, help))
    }

    /// The variable whose full name is written out, as in a file made by `export`; the last indices
    /// may be those of an array.
    pub(super) fn flat<'r>(&self, reference: &'r Reference) -> Option<(Symbol, &'r [Expr])> {
        let whole = self.full_name(reference);
        if let Some(symbol) = whole.and_then(|name| self.names.element(&name)) {
            return Some((symbol, &[]));
        }
        let mut array = reference.clone();
        let further = array.further.last_mut().or(array.member.as_mut());
        further.map_or(&mut array.indices, |(_, i)| i).clear();
        let symbol = self.names.element(&self.full_name(&array)?)?;
        let further = reference.further.last().or(reference.member.as_ref());
        let indices = further.map_or(&reference.indices[..], |(_, i)| i);
        let is_array = self.is_array(self.terms.symbol_sort(symbol));
        is_array.then_some((symbol, indices))
    }

    /// The text of a reference in the form of an element's name, if its indices are constant.
    fn full_name(&self, reference: &Reference) -> Option<String> {
        let part = |name: &Name, indices: &[Expr]| {
            let constants = self.constant_indices(indices)?;
            Some(element_name(&name.text, &constants))
        };
        let mut full = part(&reference.base, &reference.indices)?;
        for (name, indices) in reference.member.iter().chain(&reference.further) {
            full = format!("{full}.{}", part(name, indices)?);
        }
        Some(full)
    }

    fn constant_indices(&self, indices: &[Expr]) -> Option<Vec<i64>> {
        let literal = |e: &Expr| match &e.kind {
            ExprKind::Number(value, _) => value.to_i64(),
            ExprKind::Negate(inner) => match &inner.kind {
                ExprKind::Number(value, _) => value.to_i64().map(|v| -v),
                _ => None,
            },
            ExprKind::Name(name) => match self.resolve(name) {
                Some(Meaning::Bound(Binding::Term(t))) => self.terms.as_number(t)?.to_i64(),
                Some(Meaning::Parameter(value)) => value.to_i64(),
                _ => None,
            },
            _ => None,
        };
        indices.iter().map(literal).collect()
    }

    /// The term for a name with this meaning. `place` has the position of the prime, if any, and of
    /// the whole reference.
    fn meaning(
        &mut self,
        meaning: Meaning<'e>,
        base: &Name,
        indices: &[Expr],
        member: Option<&(Name, Vec<Expr>)>,
        place: (Option<Span>, Span),
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let (prime, span) = place;
        match meaning {
            Meaning::Process(process) => self.process_member(process, indices, member, place, hint),
            Meaning::Type(id) => self.type_member(id, base, indices, member, span),
            Meaning::Aggregate(aggregate) => Err(self.not_a_value(&base.text, aggregate, span)),
            Meaning::Function(_) => {
                let message = format!("`{}` is a function", base.text);
                let help = format!("its arguments stand in parentheses: `{}(...)`", base.text);
                Err(self.error("type", span, message, help))
            }
            _ if member.is_some() => {
                let (what, help) = match self.names.aggregates {
                    true => (
                        "neither a process nor a record",
                        "only these have members, as in `P[1].x` and `m.kind`",
                    ),
                    false => (
                        "not a process",
                        "only processes have members, as in `P[1].x`",
                    ),
                };
                let message = format!("`{}` is {what}", base.text);
                Err(self.error("name", base.span, message, help))
            }
            Meaning::Family(family, fixed) => {
                self.family(family, &fixed, (&[], indices), &base.text, place)
            }
            Meaning::Element(symbol) if self.is_array(self.terms.symbol_sort(symbol)) => {
                let array = self.read(&[Choice::certain(symbol)], &base.text, prime)?;
                self.element(array, indices, span)
            }
            Meaning::Bound(Binding::Term(term))
                if prime.is_none() && self.is_array(self.terms.sort(term)) =>
            {
                self.element(term, indices, span)
            }
            _ if !indices.is_empty() => {
                let message = format!("`{}` has no indices", base.text);
                Err(self.error("arity", span, message, ""))
            }
            Meaning::Element(symbol) => self.read(&[Choice::certain(symbol)], &base.text, prime),
            Meaning::Definition(definition, instance) => {
                self.definition(definition, instance, place, hint)
            }
            _ if prime.is_some() => Err(self.has_no_next(&base.text, prime)),
            Meaning::Bound(Binding::Term(term)) => Ok(term),
            Meaning::Bound(Binding::Variant(variant)) => self.variant(&variant, hint),
            Meaning::Parameter(value) => Ok(self.terms.number(value.clone().into(), Sort::Int)),
            Meaning::Location(_) => {
                let message = format!("`{}` is a location, not a value", base.text);
                let help = "in a `ctl` formula it means that control is there";
                Err(self.error("type", span, message, help))
            }
        }
    }

    /// An element of a family. The first indices are those of the process.
    fn family(
        &mut self,
        family: &Family,
        fixed: &[i64],
        (outer, indices): (&[Expr], &[Expr]),
        name: &str,
        (prime, span): (Option<Span>, Span),
    ) -> Elaborated<Term> {
        let (own, inner) = self.split_indices(family, fixed.len() + outer.len(), indices);
        let given: Vec<&Expr> = outer.iter().chain(own).collect();
        let choices = self.select(family, fixed, &given, name, span)?;
        let array = self.read(&choices, name, prime)?;
        self.element(array, inner, span)
    }

    /// A definition without parameters.
    fn definition(
        &mut self,
        definition: &Arc<Definition>,
        instance: Option<Instance>,
        (prime, span): (Option<Span>, Span),
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let term = self.apply(definition, instance, Vec::new(), span, hint)?;
        Ok(match prime {
            Some(_) => self.terms.prime(term),
            None => term,
        })
    }

    pub(super) fn has_no_next(&mut self, name: &str, prime: Option<Span>) -> Reported {
        let message = format!("`{name}` does not change: it has no next value");
        let help = format!("write `{name}`");
        self.error("prime", prime.unwrap_or_default(), message, help)
    }

    /// Elaborates `P[i].x`.
    fn process_member(
        &mut self,
        process: usize,
        indices: &[Expr],
        member: Option<&(Name, Vec<Expr>)>,
        place: (Option<Span>, Span),
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let span = place.1;
        match self.find_member(process, indices, member, span)? {
            Member::Family(family) => {
                let inner = member.map_or(&[][..], |(_, inner)| inner);
                let name = self.member_name(process, member);
                self.family(family, &[], (indices, inner), &name, place)
            }
            Member::Aggregate(aggregate) => {
                let name = self.member_name(process, member);
                Err(self.not_a_value(&name, aggregate, span))
            }
            Member::Definition(definition) => {
                let ranges = self.names.processes[process].ranges.clone();
                let name = self.names.processes[process].name.clone();
                self.check_arity(indices.len(), ranges.len(), &name, span)?;
                let mut values = Vec::new();
                for (e, range) in indices.iter().zip(&ranges) {
                    let Index::Known(value) = self.index(e, *range, &name)? else {
                        let message = "the index of a process must be constant before a definition";
                        return Err(self.error("constant", e.span, message, ""));
                    };
                    values.push(value);
                }
                let instance = Instance {
                    process,
                    indices: values,
                };
                self.definition(definition, Some(instance), place, hint)
            }
        }
    }

    pub(super) fn member_name(&self, process: usize, member: Option<&(Name, Vec<Expr>)>) -> String {
        let process = &self.names.processes[process];
        let member = member.map_or("", |(name, _)| &name.text);
        format!("{}.{member}", process.name)
    }

    pub(super) fn find_member(
        &mut self,
        process: usize,
        indices: &[Expr],
        member: Option<&(Name, Vec<Expr>)>,
        span: Span,
    ) -> Elaborated<&'e Member> {
        let names: &'e Names = self.names;
        let process = &names.processes[process];
        let element = match indices.is_empty() {
            true => process.name.to_string(),
            false => format!("{}[...]", process.name),
        };
        let Some((name, _)) = member else {
            let message = format!("`{}` is a process, not a value", process.name);
            let help = format!("its variables are written `{element}.x`");
            return Err(self.error("type", span, message, help));
        };
        if let Some(found) = process.members.get(&name.text) {
            return Ok(found);
        }
        let message = format!(
            "the process `{}` has no variable `{}`",
            process.name, name.text
        );
        let known = process.members.keys().map(|k| &**k);
        let otherwise = match process.members.is_empty() {
            true => String::new(),
            false => format!(
                "it has {}",
                known.clone().take(8).collect::<Vec<_>>().join(", ")
            ),
        };
        let help = did_you_mean(&name.text, known, &otherwise);
        Err(self.error("name", name.span, message, help))
    }

    /// Elaborates `Mode.slow`, a value with its enumeration.
    fn type_member(
        &mut self,
        id: EnumId,
        base: &Name,
        indices: &[Expr],
        member: Option<&(Name, Vec<Expr>)>,
        span: Span,
    ) -> Elaborated<Term> {
        match member {
            Some((name, inner)) if indices.is_empty() && inner.is_empty() => {
                self.variant(name, Some(Sort::Enum(id)))
            }
            _ => {
                let message = format!("`{}` is a type, not a value", base.text);
                let values = self.sort_name(Sort::Enum(id));
                Err(self.error("type", span, message, format!("its values are {values}")))
            }
        }
    }

    /// A value of an enumeration by its name.
    fn variant(&mut self, name: &Name, hint: Option<Sort>) -> Elaborated<Term> {
        let candidates = self.names.variants(&name.text);
        if let Some(Sort::Enum(wanted)) = hint
            && let Some((id, k)) = candidates.iter().find(|(id, _)| *id == wanted)
        {
            return Ok(self.terms.variant(*id, *k));
        }
        match candidates {
            [] => Err(self.unknown(name, hint)),
            [(id, k)] => Ok(self.terms.variant(*id, *k)),
            several => {
                let types = several
                    .iter()
                    .map(|(id, _)| self.sort_name(Sort::Enum(*id)));
                let types: Vec<String> = types.take(3).collect();
                let message = format!("`{}` is a value of several enumerations", name.text);
                let (text, types) = (&name.text, types.join(" and "));
                let help = format!(
                    "compare it with a variable, or write `Type.{text}`; it belongs to {types}"
                );
                Err(self.error("type", name.span, message, help))
            }
        }
    }

    /// Reports an unknown name.
    pub(super) fn unknown(&mut self, name: &Name, hint: Option<Sort>) -> Reported {
        // A definition can be expanded a million times; its error is reported once.
        if self.diagnostics.has_error_at(name.span) {
            return Reported;
        }
        let text: &str = &name.text;
        if let Some(Sort::Enum(id)) = hint {
            let type_name = self.sort_name(Sort::Enum(id));
            let message = format!("`{text}` is not a value of `{type_name}`");
            let variants = self.terms.enum_info(id).variants.iter();
            let help = did_you_mean(text, variants.map(String::as_str), "");
            return self.error("name", name.span, message, help);
        }
        let otherwise = match TEMPORAL.contains(&text) {
            true => "temporal operators belong in `ctl` properties",
            false => "variables, constants and parameters must be declared",
        };
        let help = self.similar(text, otherwise);
        self.error("name", name.span, format!("unknown name `{text}`"), help)
    }

    fn similar(&self, text: &str, otherwise: &str) -> String {
        let bound = self.frame.bound.iter().map(|(n, _)| &**n);
        let instance = self.frame.instance.as_ref();
        let process = instance.map(|i| &self.names.processes[i.process]);
        let indices = process.iter().flat_map(|p| p.indices.iter().map(|n| &**n));
        let members = process.iter().flat_map(|p| p.members.keys().map(|n| &**n));
        let global = self.names.entities.keys().map(|n| &**n);
        let values = self.names.variants.keys().map(String::as_str);
        let all = bound.chain(indices).chain(members).chain(global);
        did_you_mean(text, all.chain(values), otherwise)
    }

    /// The location of this name, if any.
    pub(super) fn location(&self, name: &Name) -> Option<LocationId> {
        match self.resolve(name) {
            Some(Meaning::Location(id)) => Some(id),
            _ => None,
        }
    }
}
