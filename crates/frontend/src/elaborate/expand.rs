//! Expands quantifiers over ranges of indices, and calls of definitions.

use super::names::{Definition, Instance};
use super::reference::Meaning;
use super::{Binding, Elaborated, Elaborator, Frame, Primes, Way};
use crate::messages::{Report as _, Reported, all};
use crate::syntax::{Binder, Call, Expr, ExprKind, Quantified, Quantifier};
use sectile_base::Span;
use sectile_terms::{Sort, Symbol, Term};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The maximum number of indices of one quantifier.
pub const MOST_BINDERS: usize = 32;

/// A function called for each choice of indices; a break skips the remaining choices.
type Each<'f, 'e> = dyn FnMut(&mut Elaborator<'e>) -> Elaborated<ControlFlow<()>> + 'f;

impl<'e> Elaborator<'e> {
    pub(super) fn quantified(
        &mut self,
        quantified: &Quantified,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let terms = self.terms;
        match quantified.quantifier {
            Quantifier::Forall => Ok(terms.and(self.conditions(quantified, Some(false))?)),
            Quantifier::Exists => Ok(terms.or(self.conditions(quantified, Some(true))?)),
            Quantifier::Count => {
                let conditions = self.conditions(quantified, None)?;
                let (one, zero) = (terms.int(1), terms.int(0));
                let ones = conditions.into_iter().map(|c| terms.ite(c, one, zero));
                Ok(terms.add_all(ones, Sort::Int))
            }
            Quantifier::Sum => {
                let (values, sort) = self.values(quantified, hint)?;
                Ok(terms.add_all(values, sort))
            }
            Quantifier::Max | Quantifier::Min => {
                let (values, _) = self.values(quantified, hint)?;
                if values.is_empty() {
                    let message = "the range is empty: there is no value to choose";
                    return Err(match self.dead {
                        true => Reported,
                        false => self.error(
                            "range",
                            quantified.span,
                            message,
                            "`sum` and `count` would be 0",
                        ),
                    });
                }
                Ok(self.extremum(quantified.quantifier == Quantifier::Max, values))
            }
        }
    }

    /// The condition for every choice of indices, up to one that determines the result.
    fn conditions(
        &mut self,
        quantified: &Quantified,
        deciding: Option<bool>,
    ) -> Elaborated<Vec<Term>> {
        let mut found = Vec::new();
        self.for_each_choice(quantified, &mut |this| {
            let condition = this.formula(&quantified.body)?;
            found.push(condition);
            let value = this.terms.as_bool(condition);
            Ok(match value.is_some() && value == deciding {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        })?;
        Ok(found)
    }

    /// The number for every choice of indices, all of the same sort.
    fn values(
        &mut self,
        quantified: &Quantified,
        hint: Option<Sort>,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let hint = hint.filter(|s| s.is_numeric());
        let mut found = Vec::new();
        let span = quantified.body.span;
        self.for_each_choice(quantified, &mut |this| {
            let value = this.infer(&quantified.body, hint)?;
            if this.terms.sort(value) == Sort::Bool {
                return Err(this.reaches_too_far(quantified));
            }
            this.numeric(value, span)?;
            found.push(value);
            Ok(ControlFlow::Continue(()))
        })?;
        let real = found.iter().any(|&t| self.terms.sort(t) == Sort::Real);
        let sort = match (found.is_empty(), real) {
            (true, _) => hint.unwrap_or(Sort::Int),
            (_, true) => Sort::Real,
            _ => Sort::Int,
        };
        let coerced = found.into_iter().map(|t| self.coerce(t, sort, span));
        Ok((coerced.collect::<Elaborated<_>>()?, sort))
    }

    fn reaches_too_far(&mut self, quantified: &Quantified) -> Reported {
        let message = "expected a number, found `bool`";
        let help = match quantified.quantifier {
            Quantifier::Sum => {
                "`sum` reaches as far right as possible: write `(sum ...) = x` to \
                                compare its value, `count` to count how often something holds"
            }
            _ => {
                "`max` and `min` reach as far right as possible: write `(max ...) = x` to compare \
                  the value"
            }
        };
        self.error("type", quantified.body.span, message, help)
    }

    /// Calls `each` for every choice of indices in order, with the indices bound.
    pub(super) fn for_each_choice(
        &mut self,
        quantified: &Quantified,
        each: &mut Each<'_, 'e>,
    ) -> Elaborated<()> {
        if quantified.binders.len() > MOST_BINDERS {
            let message = format!("more than {MOST_BINDERS} indices at a time");
            return Err(self.error("size", quantified.span, message, "split the quantifier"));
        }
        self.choose(&quantified.binders, quantified.span, each)
            .map(|_| ())
    }

    fn choose(
        &mut self,
        binders: &[Binder],
        span: Span,
        each: &mut Each<'_, 'e>,
    ) -> Elaborated<ControlFlow<()>> {
        let Some((binder, rest)) = binders.split_first() else {
            return each(self);
        };
        let range = self.index_range(&binder.low, &binder.high)?;
        self.charge(0, span)?;
        for value in range.low..=range.high {
            self.charge(1, span)?;
            self.bind_index(&binder.name.text, value);
            let result = self.choose(rest, span, each);
            self.frame.bound.pop();
            // The instances differ only in numbers: reporting the first error suffices.
            if result?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    pub(super) fn call(&mut self, call: &Call, span: Span, hint: Option<Sort>) -> Elaborated<Term> {
        let (definition, instance) = match self.resolve(&call.name) {
            Some(Meaning::Definition(definition, instance)) => {
                if let Some(field) = call.fields.first() {
                    let message = format!("a definition has no field `{}`", field.text);
                    return Err(self.error("name", field.span, message, ""));
                }
                (definition, instance)
            }
            Some(Meaning::Function(function)) => return self.application(function, call, span),
            Some(_) => {
                let message = format!("`{}` is not a definition", call.name.text);
                let help =
                    "only definitions and functions take arguments; elements are written `f[i]`";
                return Err(self.error("name", call.name.span, message, help));
            }
            None => {
                let result = self.channel_call(call, span, hint);
                return result.unwrap_or_else(|| Err(self.unknown(&call.name, None)));
            }
        };
        let arguments = all(call.arguments.iter().map(|a| self.argument(a)))?;
        self.apply(definition, instance, arguments, span, hint)
    }

    /// The application of an uninterpreted function.
    fn application(&mut self, function: Symbol, call: &Call, span: Span) -> Elaborated<Term> {
        if let Some(field) = call.fields.first() {
            let message = format!("a function has no field `{}`", field.text);
            return Err(self.error("name", field.span, message, ""));
        }
        let (given, wanted) = (call.arguments.len(), self.terms.arity(function));
        if given != wanted {
            let plural = if wanted == 1 { "argument" } else { "arguments" };
            let message = format!("`{}` has {wanted} {plural}, not {given}", call.name.text);
            return Err(self.error("arity", span, message, ""));
        }
        self.element(self.terms.var(function), &call.arguments, span)
    }

    /// An argument: a value, or the name of a value of an enumeration that is not yet determined.
    fn argument(&mut self, expr: &Expr) -> Elaborated<Binding> {
        if let ExprKind::Name(name) = &expr.kind
            && self.names_a_variant(name)
        {
            return Ok(match self.resolve(name) {
                Some(Meaning::Bound(passed)) => passed,
                _ => Binding::Variant(name.clone()),
            });
        }
        self.infer(expr, None).map(Binding::Term)
    }

    /// The value of a definition for these arguments.
    pub(super) fn apply(
        &mut self,
        definition: &Arc<Definition>,
        instance: Option<Instance>,
        arguments: Vec<Binding>,
        span: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let name = &definition.name.text;
        if definition.parameters.len() != arguments.len() {
            let (wanted, given) = (definition.parameters.len(), arguments.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {wanted} argument{plural}, not {given}");
            return Err(self.error("arity", span, message, ""));
        }
        let mut active = self.active.iter();
        if let Some(first) = active.position(|active| Arc::ptr_eq(active, definition)) {
            return Err(self.cycle(first, definition));
        }
        let values = arguments.iter().map(|argument| match argument {
            // The bounds of a chosen value are not part of its term.
            Binding::Term(term) if self.chosen.is_empty() => Some(*term),
            _ => None,
        });
        let Some(values) = values.collect::<Option<Vec<Term>>>() else {
            return self.expanded(definition, instance, arguments, span, hint);
        };
        let (place, primes) = (definition.name.span, self.frame.primes);
        let key = (place, instance.clone(), hint, primes, values);
        if let Some(term) = self.expansion.known.get(&key) {
            return Ok(*term);
        }
        let way = match self.dead || arguments.is_empty() {
            true => Way::Expand,
            false => self.way(definition, instance.clone(), &key.4, span, hint),
        };
        let term = match way {
            Way::Known(term) => term,
            _ => self.expanded(definition, instance, arguments, span, hint)?,
        };
        if !self.dead {
            self.expansion.known.insert(key, term);
        }
        Ok(term)
    }

    /// How a use of a definition becomes a term. If the definition is used often, its body is
    /// shared from now on. Errors in a shared body are ignored here: expansions report them.
    fn way(
        &mut self,
        definition: &Arc<Definition>,
        instance: Option<Instance>,
        values: &[Term],
        span: Span,
        hint: Option<Sort>,
    ) -> Way {
        let terms = self.terms;
        let sorts = values.iter().map(|&v| terms.sort(v)).collect();
        let place = definition.name.span;
        let key = (place, instance.clone(), hint, self.frame.primes, sorts);
        let way = self.expansion.shared.way(terms, &key, values);
        let Way::Share(parameters) = way else {
            return way;
        };
        let before = self.diagnostics.clone();
        let arguments = parameters.iter().map(|&p| Binding::Term(terms.var(p)));
        let arguments = arguments.collect();
        if let Ok(term) = self.expanded(definition, instance, arguments, span, hint) {
            let shared = &mut self.expansion.shared;
            shared.share(terms, key.clone(), parameters, term);
        }
        if !self.expansion.exhausted {
            *self.diagnostics = before;
        }
        self.expansion.shared.way(terms, &key, values)
    }

    /// The body of a definition with its parameters bound.
    fn expanded(
        &mut self,
        definition: &Arc<Definition>,
        instance: Option<Instance>,
        arguments: Vec<Binding>,
        span: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        self.charge(1, span)?;
        let parameters = definition.parameters.iter().map(|p| p.text.clone());
        let frame = Frame {
            instance,
            bound: parameters.zip(arguments).collect(),
            primes: self.frame.primes,
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        self.active.push(definition.clone());
        let result = self.infer(&definition.body, hint);
        self.active.pop();
        self.frame = outer;
        result
    }

    /// Checks a definition without parameters for errors.
    ///
    /// Whether it may use primed variables, and the enumeration of its value, are determined by its
    /// uses.
    pub fn check_definition(&mut self, definition: &Arc<Definition>) {
        if self.is_flexible(&definition.body) {
            return;
        }
        self.set_primes(Primes::Allowed);
        let instance = self.frame.instance.clone();
        // Errors are in the diagnostics; the term is computed again at each use.
        let _ = self.apply(definition, instance, Vec::new(), definition.name.span, None);
    }

    fn cycle(&mut self, first: usize, definition: &Definition) -> Reported {
        let name = &definition.name;
        let circle = self.active[first..].iter().map(|d| &d.name.text);
        let circle = circle.chain([&name.text]).map(|n| format!("`{n}`"));
        let path: Vec<String> = circle.collect();
        let message = format!("`{}` is defined in terms of itself", name.text);
        let help = format!("the cycle is {}", path.join(" -> "));
        self.error("cycle", name.span, message, help)
    }
}
