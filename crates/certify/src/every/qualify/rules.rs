//! The index terms of rules, properties, clauses and counters.

use super::{ARITHMETIC, ARITHMETIC_HELP, Class, Judge, Judged, Standing, constant, refuse};
use sectile_base::Span;
use sectile_model::scheme::{Effect, Over, Rule, RuleKind, SchemeClaim, Use, UseKind};

impl Judge<'_> {
    /// The number of index terms of a rule.
    pub(super) fn rule(&mut self, rule: &Rule) -> Judged<usize> {
        self.begin();
        let is_step = matches!(rule.kind, RuleKind::Step | RuleKind::Relation);
        let standing = match is_step {
            true => Standing::Term,
            false => Standing::Any,
        };
        let moving = self.bind(&rule.binders, standing)?;
        let under = !is_step && moving > 0;
        self.formula(&rule.when, true, under)?;
        self.formula(&rule.condition, true, under)?;
        self.effects(&rule.effects, false)?;
        if rule.kind == RuleKind::Relation {
            let all = self.scheme.variables.iter().map(|v| v.name.clone());
            self.everywhere.extend(all);
            // The next value of a variable may be any index.
            self.witnesses += self.pointers.keys().filter(|p| self.is_ranged(p)).count();
        }
        let own = if is_step { moving } else { 0 };
        Ok(own + self.witnesses + self.neighbours.len())
    }

    /// The number of indices that show a violation.
    pub(super) fn property(&mut self, name: &str) -> Judged<usize> {
        let claim = self.scheme.claims.iter().find(|c| c.0 == name);
        match claim {
            Some((_, _, SchemeClaim::Always(says))) => {
                self.begin();
                self.formula(says, false, false)?;
                Ok(self.witnesses + self.neighbours.len())
            }
            Some((_, span, SchemeClaim::Response(response))) => self.response(response, *span),
            Some((_, span, SchemeClaim::Other)) => {
                let why = "neither an invariant nor `forall i: AG (p => AF q)`";
                refuse(*span, why, "nothing else is proved for every size")
            }
            None => refuse(
                Span::default(),
                format!("there is no property `{name}`"),
                "",
            ),
        }
    }

    /// A clause stays true when processes are removed, except for witnesses of its existential
    /// parts. Returns the number of these, and that of the indices that falsify it.
    pub(super) fn clause(&mut self, clause: &Use) -> Judged<(usize, usize)> {
        self.begin();
        self.formula(clause, true, false)?;
        let lasting = self.witnesses + self.neighbours.len();
        self.begin();
        self.formula(clause, false, false)?;
        Ok((lasting, self.witnesses + self.neighbours.len()))
    }

    /// A counter is about all processes, and about variables that only the step of their own
    /// process changes.
    pub(super) fn counter(&mut self, counter: &Use) -> Judged {
        let why = "a counter counts the processes that satisfy a condition on their own variables";
        let UseKind::Over(Over::Count, binders, body) = &counter.kind else {
            return refuse(counter.span, why, "");
        };
        let [binder] = &binders[..] else {
            return refuse(counter.span, why, "");
        };
        let ends = (constant(&binder.low), constant(&binder.high));
        if ends != (Some((0, self.low)), Some((1, self.shift))) {
            return refuse(counter.span, why, "");
        }
        self.begin();
        self.bind(binders, Standing::Any)?;
        self.both(body, true)?;
        let mut open: Vec<&Use> = vec![body];
        while let Some(next) = open.pop() {
            match &next.kind {
                UseKind::Truth(_) | UseKind::Number(_) => {}
                UseKind::Variable(name, subscripts) => {
                    let own = |s: &Use| matches!(s.kind, UseKind::Index(id) if id == binder.id);
                    let found = self.variables.get(name.as_str());
                    let changes = found.is_none_or(|v| v.changes);
                    let local = !subscripts.is_empty() && subscripts.iter().all(own);
                    if changes || !local || self.everywhere.contains(name) {
                        return refuse(next.span, why, "");
                    }
                }
                UseKind::Data(parts) | UseKind::And(parts) | UseKind::Or(parts) => {
                    open.extend(parts);
                }
                UseKind::Compare(_, sides) => open.extend([&sides.0, &sides.1]),
                UseKind::Not(inner) => open.push(inner),
                _ => return refuse(next.span, why, ""),
            }
        }
        Ok(())
    }

    fn effects(&mut self, effects: &[Effect], under: bool) -> Judged {
        effects.iter().try_for_each(|e| self.effect(e, under))
    }

    fn effect(&mut self, effect: &Effect, under: bool) -> Judged {
        match effect {
            Effect::Require(condition) => self.formula(condition, true, under),
            Effect::If(condition, effects) => {
                self.both(condition, under)?;
                self.effects(effects, under)
            }
            Effect::Each(binders, effects) => {
                let copies = self.copies;
                self.bind(binders, Standing::Any)?;
                self.effects(effects, true)?;
                self.copies = copies;
                Ok(())
            }
            Effect::Set(target, value) => {
                let UseKind::Variable(name, subscripts) = &target.kind else {
                    return refuse(target.span, "this target is not supported", "");
                };
                self.value(target, under)?;
                let is_any = |s: &Use| match s.kind {
                    UseKind::Index(id) => self.standing.get(&id) == Some(&Standing::Any),
                    _ => false,
                };
                if subscripts.iter().any(is_any) {
                    self.everywhere.insert(name.clone());
                }
                match value {
                    Some(value) => self.set(name, value, under),
                    None if self.is_ranged(name) => {
                        self.witness(1, under, target.span, "a choice of an index")
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// The variable gets a value.
    fn set(&mut self, name: &str, value: &Use, under: bool) -> Judged {
        if let UseKind::Choice(branches, otherwise) = &value.kind {
            for (condition, value) in branches {
                self.both(condition, under)?;
                self.set(name, value, under)?;
            }
            return self.set(name, otherwise, under);
        }
        let class = self.value(value, under)?;
        let is_pointer = self.pointers.contains_key(name);
        if let Class::Pointer(other, _) = &class
            && self.is_ranged(name)
            && !self.is_ranged(other)
        {
            self.witness(1, under, value.span, "an index that is read")?;
        }
        match class {
            Class::Number(_) | Class::Plain(_) | Class::Data if !is_pointer => Ok(()),
            class @ (Class::Index(..) | Class::Pointer(..)) => {
                self.flows(name, 0, class, value.span)
            }
            class if is_pointer => self.flows(name, 0, class, value.span),
            _ => refuse(value.span, ARITHMETIC, ARITHMETIC_HELP),
        }
    }
}
