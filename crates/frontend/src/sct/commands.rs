//! From commands and relations as written to parts of steps.

use super::ast::{Action, Body, Choose, CommandItem};
use super::compose::{Part, PartKind};
use super::read::Reader;
use super::symbols::outside;
use crate::elaborate::{
    Bounds, Choice, Elaborated, Elaborator, Instance, Primes, each_choice, element_name, free_name,
};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Expr, ExprKind, Name, TypeItem};
use sectile_base::{Diagnostics, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// A command for one choice of its indices.
struct Drafting<'p, 'e> {
    terms: &'e Terms,
    elaborator: Elaborator<'e>,
    /// `P[1].` inside of a process.
    prefix: &'p str,
    part: Part,
    /// The variables that are assigned already, with the place.
    assigned: BTreeMap<Symbol, Span>,
    warnings: Diagnostics,
}

impl Reader<'_> {
    /// All copies of a command. Where one has a mistake the others are left out.
    pub(super) fn command(&mut self, item: &CommandItem, instance: Option<&Instance>) {
        let Ok(ranges) = self.ranges(&item.indices, instance) else {
            return;
        };
        let prefix = self.prefix(instance);
        for choice in each_choice(&ranges) {
            let name = format!("{prefix}{}", element_name(&item.name.text, &choice));
            let mut part = match self.draft(item, instance, &choice, (&prefix, name.clone())) {
                Ok(Some(part)) => part,
                Ok(None) => continue,
                Err(Reported) => return,
            };
            if !self.command_names.insert(name) {
                let message = format!("there are two commands called `{}`", part.name);
                let help = "give them different names";
                self.error("duplicate", item.name.span, message, help);
                return;
            }
            part.component = instance.map_or(0, |_| self.components);
            self.parts.push(part);
        }
    }

    /// The part for one choice of indices; `None` where `when` switches it off.
    fn draft(
        &mut self,
        item: &CommandItem,
        instance: Option<&Instance>,
        choice: &[i64],
        (prefix, name): (&str, String),
    ) -> Elaborated<Option<Part>> {
        let types = self.chosen_types(item, instance)?;
        let field = self.field(instance, &item.name.text, choice);
        let terms = self.terms;
        let mut elaborator = self.elaborator(instance);
        for (binder, value) in item.indices.iter().zip(choice) {
            elaborator.bind_index(&binder.name.text, *value);
        }
        if let Some(condition) = &item.when
            && !elaborator.constant_condition(condition)?
        {
            return Ok(None);
        }
        let kind = match item.body {
            Body::Guarded(..) => PartKind::Guarded,
            Body::Relation(..) => PartKind::Relation,
        };
        let mut drafting = Drafting {
            terms,
            elaborator,
            prefix,
            part: Part::new(name, field, item.span, kind),
            assigned: BTreeMap::new(),
            warnings: Diagnostics::new(),
        };
        let result = match &item.body {
            Body::Guarded(guard, actions) => drafting.guarded(guard, actions, &types),
            Body::Relation(chosen, formula) => drafting.relation(chosen, formula, &types),
        };
        let Drafting { part, warnings, .. } = drafting;
        for warning in warnings.iter() {
            self.report(warning.clone());
        }
        result.map(|()| Some(part))
    }

    /// The types of values that are chosen by `any v : type`, in the order of the text.
    fn chosen_types(
        &mut self,
        item: &CommandItem,
        instance: Option<&Instance>,
    ) -> Elaborated<Vec<(Sort, Bounds)>> {
        let mut each = |sort: &TypeItem| self.sort(sort, "Choice", instance, &[]);
        match &item.body {
            Body::Relation(chosen, _) => chosen.iter().map(|(_, sort)| each(sort)).collect(),
            Body::Guarded(_, actions) => {
                let types = actions.iter().filter_map(|action| match action {
                    Action::Choose(_, sort) => Some(each(sort)),
                    _ => None,
                });
                types.collect()
            }
        }
    }
}

impl Drafting<'_, '_> {
    fn guarded(
        &mut self,
        guard: &Expr,
        actions: &[Action],
        types: &[(Sort, Bounds)],
    ) -> Elaborated<()> {
        let terms = self.terms;
        let guard = self.elaborator.formula(guard);
        if let Ok(guard) = guard {
            self.part.guards.extend(terms.conjuncts(guard));
        }
        // Chosen values are known to all actions, whatever the order.
        let mut types = types.iter();
        let mut failed = guard.is_err();
        let mut chosen: Vec<Option<(Vec<Choice>, Symbol)>> = Vec::new();
        for action in actions {
            let choice = match action {
                Action::Any(target, choose) => self.choose_for(target, choose).map(Some),
                Action::Choose(choose, _) => {
                    let (sort, bounds) = types.next().expect("every choice has its type").clone();
                    let symbol = self.choose(&choose.name, sort, bounds.clone());
                    symbol.map(|symbol| {
                        self.keep_bounds(symbol, &bounds);
                        None
                    })
                }
                _ => Ok(None),
            };
            failed |= choice.is_err();
            chosen.push(choice.unwrap_or(None));
        }
        for (action, choice) in actions.iter().zip(chosen) {
            failed |= self.action(action, choice).is_err();
        }
        self.warn_unused(actions);
        if failed { Err(Reported) } else { Ok(()) }
    }

    fn action(&mut self, action: &Action, chosen: Option<(Vec<Choice>, Symbol)>) -> Elaborated<()> {
        match action {
            Action::Skip => Ok(()),
            Action::Assign(target, value) => {
                let choices = self.elaborator.target(target)?;
                let Some(first) = choices.first() else {
                    return Err(Reported);
                };
                let sort = self.terms.symbol_sort(first.symbol);
                let term = self.elaborator.expect(value, sort)?;
                self.warn_outside(&choices, term, value.span);
                self.assign(&choices, term, target.span)
            }
            Action::Havoc(target) => {
                let choices = self.elaborator.target(target)?;
                let input = self.havoc_input(&choices, target)?;
                self.assign(&choices, self.terms.var(input), target.span)
            }
            Action::Any(target, choose) => {
                let condition = self.condition(choose);
                if let Some((choices, input)) = chosen {
                    self.assign(&choices, self.terms.var(input), target.span)?;
                }
                condition
            }
            Action::Choose(choose, _) => self.condition(choose),
        }
    }

    fn condition(&mut self, choose: &Choose) -> Elaborated<()> {
        let Some(condition) = &choose.condition else {
            return Ok(());
        };
        let term = self.elaborator.formula(condition)?;
        self.part.guards.extend(self.terms.conjuncts(term));
        Ok(())
    }

    /// The input for `target := any v`, of the type of the target.
    fn choose_for(&mut self, target: &Expr, choose: &Choose) -> Elaborated<(Vec<Choice>, Symbol)> {
        let choices = self.elaborator.target(target)?;
        let first = choices.first().ok_or(Reported)?;
        let sort = self.terms.symbol_sort(first.symbol);
        let bounds = match choices.len() {
            1 => self.elaborator.names.bounds(first.symbol),
            _ => Bounds::default(),
        };
        let symbol = self.choose(&choose.name, sort, bounds)?;
        Ok((choices, symbol))
    }

    /// Declares a chosen value and makes its name known.
    fn choose(&mut self, name: &Name, sort: Sort, bounds: Bounds) -> Elaborated<Symbol> {
        if self.elaborator.is_known(&name.text) {
            let message = format!("the name `{}` is taken", name.text);
            let help = "a chosen value needs a name that means nothing else here";
            return Err(self.elaborator.error("duplicate", name.span, message, help));
        }
        let symbol = self.input(&name.text, sort);
        self.elaborator.bind_chosen(&name.text, symbol, bounds);
        Ok(symbol)
    }

    /// A value of a range type that is assigned to nothing is kept in its range by guards.
    fn keep_bounds(&mut self, symbol: Symbol, bounds: &Bounds) {
        let conditions = bounds.conditions(self.terms, self.terms.var(symbol));
        self.part.guards.extend(conditions);
    }

    fn havoc_input(&mut self, choices: &[Choice], target: &Expr) -> Elaborated<Symbol> {
        let first = choices.first().ok_or(Reported)?;
        let sort = self.terms.symbol_sort(first.symbol);
        let full = self.terms.name(first.symbol);
        let hint = match (choices.len(), &target.kind) {
            (1, _) => full.strip_prefix(self.prefix).unwrap_or(full),
            (_, ExprKind::Reference(r)) => &r.base.text,
            _ => full,
        };
        Ok(self.input(hint, sort))
    }

    /// An input with a name like this, with a number behind it where the name is taken.
    fn input(&mut self, hint: &str, sort: Sort) -> Symbol {
        let (names, inputs) = (self.elaborator.names, &mut self.part.inputs);
        free_name(&format!("{}.{hint}", self.part.name), ".", |name| {
            let declared = || self.terms.declare(name, sort, SymbolKind::Input).ok();
            let symbol = names.element(name).map_or_else(declared, |_| None);
            let symbol = symbol.filter(|s| !inputs.contains(s));
            inputs.extend(symbol);
            symbol.is_some()
        });
        inputs[inputs.len() - 1]
    }

    /// Records an assignment to the element that the state selects.
    fn assign(&mut self, choices: &[Choice], value: Term, span: Span) -> Elaborated<()> {
        let terms = self.terms;
        for choice in choices {
            let name = terms.name(choice.symbol);
            if self.assigned.insert(choice.symbol, span).is_some() {
                let message = match choice.condition {
                    None => format!("`{name}` is assigned twice"),
                    Some(_) => format!("`{name}` may be assigned twice"),
                };
                let help = "all assignments of a command happen at once";
                return Err(self.elaborator.error("assignment", span, message, help));
            }
            let new = match choice.condition {
                None => value,
                Some(condition) => terms.ite(condition, value, terms.var(choice.symbol)),
            };
            self.part.assigned.insert(choice.symbol, new);
        }
        Ok(())
    }

    fn warn_outside(&mut self, choices: &[Choice], value: Term, span: Span) {
        for choice in choices {
            let bounds = self.elaborator.names.bounds(choice.symbol);
            if let Some(outside) = outside(self.terms, value, &bounds) {
                let message = format!("this step never happens: {outside}");
                self.warnings.warning("range", span, message);
                return;
            }
        }
    }

    /// Warns of chosen values that nothing depends on, and of conditions that forget theirs.
    fn warn_unused(&mut self, actions: &[Action]) {
        for action in actions {
            let (choose, help) = match action {
                Action::Any(_, choose) if choose.condition.is_some() => {
                    (choose, "its condition does not mention it")
                }
                Action::Choose(choose, _) => (choose, "nothing in the command mentions it"),
                _ => continue,
            };
            let name = &choose.name;
            let mentions = |e: &Expr| e.free_names().iter().any(|n| n.text == name.text);
            let conditions = actions.iter().filter_map(|a| match a {
                Action::Any(_, c) | Action::Choose(c, _) => c.condition.as_ref(),
                _ => None,
            });
            let values = actions.iter().flat_map(|a| match a {
                Action::Assign(target, value) => vec![target, value],
                _ => Vec::new(),
            });
            if !conditions.chain(values).any(mentions) {
                let message = format!("the chosen value `{}` is not used: {help}", name.text);
                self.warnings.warning("unused", name.span, message);
            }
        }
    }

    fn relation(
        &mut self,
        chosen: &[(Name, TypeItem)],
        formula: &Expr,
        types: &[(Sort, Bounds)],
    ) -> Elaborated<()> {
        for ((name, _), (sort, bounds)) in chosen.iter().zip(types) {
            let symbol = self.choose(name, *sort, bounds.clone())?;
            self.keep_bounds(symbol, bounds);
        }
        self.elaborator.set_primes(Primes::Allowed);
        let term = self.elaborator.formula(formula)?;
        self.part.relations.extend(self.terms.conjuncts(term));
        Ok(())
    }
}
