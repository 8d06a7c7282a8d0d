//! Elaborates commands and relations into parts of steps.

use super::actions::{ChosenTypes, Drafting};
use super::ast::{Action, Body, CommandItem, all_actions};
use super::compose::{Part, PartKind};
use super::fair::FairSet;
use super::read::Reader;
use crate::elaborate::{Elaborated, Instance, Primes, each_choice, element_name};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Expr, Name, TypeItem};

impl Reader<'_> {
    /// All instances of a command. If one has an error, the others are left out.
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
            part.fair.extend(self.fair_process);
            let Ok(fairness) = self.fairness(item.fairness.as_ref(), instance) else {
                return;
            };
            if let Some(fairness) = fairness {
                let field = self.field(instance, &format!("{}.wait", item.name.text), &choice);
                let set = FairSet::new(&part.name, field, fairness, item.span);
                part.fair.push(self.fair.len());
                self.fair.push(set);
            }
            self.parts.push(part);
        }
    }

    /// The part for one choice of indices; `None` if `when` excludes it, or if it never happens and
    /// assigns a variable more than once.
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
        let part = Part::new(name, field, item.span, kind);
        let mut drafting = Drafting::new(terms, elaborator, prefix, part);
        let result = match &item.body {
            Body::Guarded(guard, actions) => drafting.guarded(guard, actions, &types),
            Body::Relation(chosen, formula) => {
                drafting.relation(chosen, formula, &types).map(|()| true)
            }
        };
        let Drafting { part, warnings, .. } = drafting;
        for warning in warnings.iter() {
            self.report(warning.clone());
        }
        Ok(result?.then_some(part))
    }

    /// The types of the values chosen by `any v : type`.
    fn chosen_types(
        &mut self,
        item: &CommandItem,
        instance: Option<&Instance>,
    ) -> Elaborated<ChosenTypes> {
        let chosen: Vec<(&Name, &TypeItem)> = match &item.body {
            Body::Relation(chosen, _) => chosen.iter().map(|(name, sort)| (name, sort)).collect(),
            Body::Guarded(_, actions) => {
                let all = all_actions(actions).into_iter();
                let types = all.filter_map(|action| match action {
                    Action::Choose(choose, sort) => Some((&choose.name, sort)),
                    _ => None,
                });
                types.collect()
            }
        };
        let types = chosen.into_iter().map(|(name, sort)| {
            let sort = self.sort(sort, "Choice", instance, &[])?;
            Ok((name.span, sort))
        });
        types.collect()
    }
}

impl Drafting<'_, '_> {
    fn relation(
        &mut self,
        chosen: &[(Name, TypeItem)],
        formula: &Expr,
        types: &ChosenTypes,
    ) -> Elaborated<()> {
        for (name, _) in chosen {
            let (sort, bounds) = &types[&name.span];
            let symbol = self.choose(name, *sort, bounds.clone())?;
            self.keep_bounds(symbol, bounds);
        }
        self.elaborator.set_primes(Primes::Allowed);
        let term = self.elaborator.formula(formula)?;
        self.part.relations.extend(self.terms.conjuncts(term));
        Ok(())
    }
}
