//! Translates declarations, commands and properties to counters.

use super::super::ast::{
    Action, Body, CommandItem, ConditionKind, Item, Parameter, Symbols, SymbolsKind,
};
use super::CounterSystem;
use super::code::{Code, bracket};
use super::evaluate::{Evaluator, NOT_SAID, Scene, compare, first_that_fits};
use super::family::{Families, NO_CHANNELS, refused};
use crate::ReadOptions;
use crate::elaborate::combinations;
use crate::syntax::{
    Binder, Claim, ClaimKind, Comparison, Connective, Expr, ExprKind, Name, Quantified, Quantifier,
    TypeItem,
};
use sectile_base::{Diagnostic, Diagnostics, Source};
use std::fmt::Write as _;

const NO_TYPES: &str = "records and names of types are not translated: write the type itself";

/// Translates a model to counters.
pub(super) fn rewrite(
    source: &Source,
    items: &[Item],
    options: &ReadOptions,
) -> Result<CounterSystem, Diagnostic> {
    let mut families = Families::find(source, items)?;
    for number in 0..families.list.len() {
        initial_values(source, items, &mut families, number)?;
    }
    let mut writer = Writer {
        evaluator: Evaluator {
            source,
            items,
            families: &families,
        },
        options,
        out: String::new(),
        warnings: Diagnostics::new(),
        defaults: Vec::new(),
    };
    writer.whole()?;
    Ok(CounterSystem {
        text: writer.out,
        warnings: writer.warnings,
        counters: families.meanings(),
        sizes: families.sizes(),
        defaults: writer.defaults,
        process: match &families.list[..] {
            [only] => {
                let (low, high) = &only.range;
                Some((only.item.name.text.to_string(), format!("{low}..{high}")))
            }
            _ => None,
        },
    })
}

/// Evaluates the initial values of local variables, which must be constants.
fn initial_values(
    source: &Source,
    items: &[Item],
    families: &mut Families<'_>,
    number: usize,
) -> Result<(), Diagnostic> {
    for inner in &families.list[number].item.items {
        let Item::Symbols(symbols) = inner else {
            continue;
        };
        let Some(initial) = &symbols.initial else {
            continue;
        };
        let evaluator = Evaluator {
            source,
            items,
            families,
        };
        let value = evaluator.value(initial, &Scene::default())?;
        if !value.is_constant() {
            let why = "the initial value of a local variable is not constant";
            return Err(refused(initial.span, why));
        }
        for declarator in &symbols.declarators {
            let family = &mut families.list[number];
            if let Some(k) = family.local(&declarator.name.text) {
                family.locals[k].initial = Some(value.clone());
            }
        }
    }
    Ok(())
}

struct Writer<'w> {
    evaluator: Evaluator<'w>,
    options: &'w ReadOptions,
    out: String,
    warnings: Diagnostics,
    /// The values of parameters that became constants.
    defaults: Vec<(String, String)>,
}

/// One possible execution of a command: conditions, next local states, and assignments.
#[derive(Clone)]
struct Way {
    conditions: Vec<Code>,
    next: Vec<usize>,
    /// The local variables that have been assigned.
    done: Vec<(usize, usize)>,
    writes: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn whole(&mut self) -> Result<(), Diagnostic> {
        let families = self.evaluator.families.list.iter();
        let names: Vec<&str> = families.map(|f| &*f.item.name.text).collect();
        let names = names.join(", ");
        self.line(&format!(
            "// Counters for the processes {names}: how many are in each local state."
        ));
        for item in self.evaluator.items {
            match item {
                Item::Parameter(parameter) => self.parameter(parameter)?,
                Item::Enumeration(name, values) => {
                    self.line(&format!("enum {} = {}", name.text, set(values)));
                }
                Item::Symbols(symbols) => self.symbols(symbols)?,
                Item::Type(name, _) => return Err(refused(name.span, NO_TYPES)),
                Item::Channel(channel) => {
                    return Err(refused(channel.declarators[0].name.span, NO_CHANNELS));
                }
                Item::Synchronous(span) => {
                    let why = "processes that step together are not counted";
                    return Err(refused(*span, why));
                }
                _ => {}
            }
        }
        self.counters()?;
        let mut processes = 0;
        for item in self.evaluator.items {
            match item {
                Item::Condition(kind, formula, span) => {
                    let word = match kind {
                        ConditionKind::Assume => "assume",
                        ConditionKind::Init => "init",
                        ConditionKind::Restrict => "restrict",
                        ConditionKind::Stay => {
                            return Err(refused(*span, "time is not counted"));
                        }
                    };
                    let text = self.global(formula)?;
                    self.line(&format!("{word} {text}"));
                }
                Item::Command(command) => self.command(command, &Scene::default(), "")?,
                Item::Process(_) => {
                    self.process(processes)?;
                    processes += 1;
                }
                _ => {}
            }
        }
        for item in self.evaluator.items {
            if let Item::Property(property) = item {
                self.property(property)?;
            }
        }
        Ok(())
    }

    /// The text of an expression outside of processes.
    fn global(&self, expr: &Expr) -> Result<String, Diagnostic> {
        Ok(self.evaluator.value(expr, &Scene::default())?.text())
    }

    /// Translates a parameter. Parameters stay, except for the number of processes, which becomes
    /// an arbitrary constant unless it is given.
    fn parameter(&mut self, parameter: &Parameter) -> Result<(), Diagnostic> {
        let name = &parameter.name;
        let range = match &parameter.range {
            Some((low, high)) => Some((self.global(low)?, self.global(high)?)),
            None => None,
        };
        let families = self.evaluator.families.list.iter();
        let sized = families.filter(|f| f.sizes().iter().any(|n| **n == *name.text));
        let mut sizes: Vec<&String> = sized.map(|f| &f.size).collect();
        sizes.dedup();
        let mut given = self.options.parameters.iter();
        let given = given.any(|(n, _)| **n == *name.text);
        if !sizes.is_empty() && !given {
            let default = self.global(&parameter.default)?;
            self.defaults.push((name.text.to_string(), default));
            self.line(&format!("const {} : int", name.text));
            for size in sizes {
                self.line(&format!("assume {size} >= 1"));
            }
            if let Some((low, high)) = range {
                self.line(&format!("assume {low} <= {} <= {high}", name.text));
            }
            return Ok(());
        }
        let value = self.global(&parameter.default)?;
        let range = range.map_or(String::new(), |(low, high)| format!(" : {low}..{high}"));
        self.line(&format!("param {}{range} = {value}", name.text));
        Ok(())
    }

    fn sort(&self, sort: &TypeItem) -> Result<String, Diagnostic> {
        Ok(match sort {
            TypeItem::Bool => "bool".to_string(),
            TypeItem::Int => "int".to_string(),
            TypeItem::Nat => "nat".to_string(),
            TypeItem::Real => "real".to_string(),
            TypeItem::Range(low, high) => format!("{}..{}", self.global(low)?, self.global(high)?),
            TypeItem::Named(name) => name.text.to_string(),
            TypeItem::Values(names) => set(names),
            TypeItem::Array(_, _, span) | TypeItem::Record(_, span) => {
                return Err(refused(*span, NOT_SAID));
            }
        })
    }

    fn symbols(&mut self, symbols: &Symbols) -> Result<(), Diagnostic> {
        let word = match symbols.kind {
            SymbolsKind::Variable => "var",
            SymbolsKind::Constant => "const",
            SymbolsKind::Clock => {
                let span = symbols.declarators[0].name.span;
                return Err(refused(span, "time is not counted"));
            }
        };
        let mut names = Vec::new();
        for declarator in &symbols.declarators {
            if let Some(index) = declarator.indices.first() {
                let why = "an array: its elements may belong to single processes";
                return Err(refused(index.name.span, why));
            }
            names.push(declarator.name.text.to_string());
        }
        let sort = self.sort(&symbols.sort)?;
        let initial = match &symbols.initial {
            Some(value) => format!(" = {}", self.global(value)?),
            None => String::new(),
        };
        self.line(&format!("{word} {} : {sort}{initial}", names.join(", ")));
        Ok(())
    }

    /// Declares the counters, their sum, and their initial values.
    fn counters(&mut self) -> Result<(), Diagnostic> {
        let families = self.evaluator.families;
        for family in &families.list {
            let counters = &families.counters[family.states()];
            self.line(&format!("var {} : nat", counters.join(", ")));
            let sum = counters.join(" + ");
            self.line(&format!("restrict {sum} = {}", family.size));
            for state in family.states() {
                if !self.may_start(state)? {
                    self.line(&format!("init {} = 0", families.counters[state]));
                }
            }
        }
        Ok(())
    }

    fn own(&self, state: usize) -> Scene {
        match &self.evaluator.families.of(state).item.indices[..] {
            [index] => Scene {
                own: Some(0),
                ..Scene::default().with_other(&index.name, state)
            },
            _ => Scene::default(),
        }
    }

    /// Whether processes may start in a local state.
    fn may_start(&self, state: usize) -> Result<bool, Diagnostic> {
        let family = self.evaluator.families.of(state);
        for (k, local) in family.locals.iter().enumerate() {
            let here = family.value(state, k);
            if local.initial.as_ref().is_some_and(|v| *v != here) {
                return Ok(false);
            }
        }
        for item in &family.item.items {
            if let Item::Condition(ConditionKind::Init, formula, span) = item {
                match self.evaluator.value(formula, &self.own(state))? {
                    Code::Bool(true) => {}
                    Code::Bool(false) => return Ok(false),
                    _ => {
                        let why = "`init` of a process may be about its local variables only";
                        return Err(refused(*span, why));
                    }
                }
            }
        }
        Ok(true)
    }

    /// Translates the commands and conditions of a family.
    fn process(&mut self, number: usize) -> Result<(), Diagnostic> {
        let families = self.evaluator.families;
        let family = &families.list[number];
        for item in &family.item.items {
            match item {
                Item::Condition(ConditionKind::Restrict, formula, _) => {
                    for state in family.states() {
                        let scene = self.own(state);
                        let there = self.evaluator.another(&Scene::default(), state);
                        let code = there.implies(self.evaluator.value(formula, &scene)?);
                        if code != Code::Bool(true) {
                            self.line(&format!("restrict {}", code.text()));
                        }
                    }
                }
                Item::Condition(ConditionKind::Stay, _, span) => {
                    return Err(refused(*span, "time is not counted"));
                }
                Item::Command(command) => {
                    for state in family.states() {
                        let counter = &families.counters[state];
                        let prefix = format!("{}_", family.item.name.text);
                        let place = counter.strip_prefix(&prefix).unwrap_or(counter);
                        self.command(command, &self.own(state), place)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Translates a command, with the first combination of families for its indices that works.
    fn command(
        &mut self,
        command: &CommandItem,
        scene: &Scene,
        place: &str,
    ) -> Result<(), Diagnostic> {
        let candidates = command.indices.iter();
        let candidates = candidates.map(|b| self.evaluator.candidates(b));
        let candidates: Vec<Vec<usize>> = candidates.collect::<Result<_, _>>()?;
        let before = self.out.len();
        first_that_fits(combinations(candidates.into_iter()), |families| {
            self.out.truncate(before);
            self.command_of(command, &families, scene, place)
        })
    }

    /// Translates a command with indices of these families, for every choice of the named
    /// processes.
    fn command_of(
        &mut self,
        command: &CommandItem,
        families: &[usize],
        scene: &Scene,
        place: &str,
    ) -> Result<(), Diagnostic> {
        let mut scenes = vec![(Vec::new(), scene.clone(), place.to_string())];
        if !scene.states.is_empty() {
            let first = self.evaluator.another(&Scene::default(), scene.states[0]);
            scenes[0].0.push(first);
        }
        for (binder, &family) in command.indices.iter().zip(families) {
            scenes = self.chosen(binder, family, &scenes);
        }
        let many = scenes.len() > 1;
        for (k, (conditions, scene, place)) in scenes.into_iter().enumerate() {
            let label = match many {
                true => format!("{place}_{}", k + 1),
                false => place,
            };
            self.instance(command, conditions, &scene, &label)?;
        }
        Ok(())
    }

    fn chosen(
        &self,
        binder: &Binder,
        family: usize,
        scenes: &[(Vec<Code>, Scene, String)],
    ) -> Vec<(Vec<Code>, Scene, String)> {
        let each = scenes.iter().flat_map(|(conditions, scene, place)| {
            let choices = self.evaluator.choices(&binder.name, family, scene);
            choices.into_iter().map(move |(there, inner)| {
                let conditions = conditions.iter().cloned().chain([there]);
                (conditions.collect(), inner, place.clone())
            })
        });
        each.collect()
    }

    fn instance(
        &mut self,
        command: &CommandItem,
        conditions: Vec<Code>,
        scene: &Scene,
        label: &str,
    ) -> Result<(), Diagnostic> {
        let (guard, actions) = match &command.body {
            Body::Guarded(guard, actions) => (guard, actions),
            Body::Relation(..) => {
                let why = "a relation over next values: write it as a guarded command";
                return Err(refused(command.span, why));
            }
        };
        let nothing = Scene::default();
        let when = command.when.as_ref();
        let when = when.map(|when| self.evaluator.value(when, &nothing));
        let when = match when.transpose()? {
            Some(Code::Bool(false)) => return Ok(()),
            None | Some(Code::Bool(true)) => String::new(),
            Some(code) => format!(" when {}", code.text()),
        };
        let guard = self.evaluator.value(guard, scene)?;
        if guard == Code::Bool(false) {
            return Ok(());
        }
        let ways = vec![Way {
            conditions: conditions.into_iter().chain([guard]).collect(),
            next: scene.states.clone(),
            done: Vec::new(),
            writes: Vec::new(),
        }];
        let ways = self.act_all(actions, scene, ways)?;
        let many = ways.len() > 1;
        for (k, way) in ways.into_iter().enumerate() {
            let mut name = command.name.text.to_string();
            if !label.is_empty() {
                let _ = write!(name, "_{label}");
            }
            if many {
                let _ = write!(name, "_{}", (b'a' + (k % 26) as u8) as char);
                if k >= 26 {
                    let _ = write!(name, "{}", k / 26);
                }
            }
            self.written(&name, &when, scene, way);
        }
        Ok(())
    }

    fn written(&mut self, name: &str, when: &str, scene: &Scene, way: Way) {
        let guard = Code::and(way.conditions);
        if guard == Code::Bool(false) {
            return;
        }
        let mut writes = way.writes;
        for (state, counter) in self.evaluator.families.counters.iter().enumerate() {
            let count = |list: &[usize]| list.iter().filter(|&&s| s == state).count();
            let (before, after) = (count(&scene.states), count(&way.next));
            if after != before {
                let sign = if after > before { '+' } else { '-' };
                let change = after.abs_diff(before);
                writes.push(format!("{counter} := {counter} {sign} {change}"));
            }
        }
        if writes.is_empty() {
            writes.push("skip".to_string());
        }
        let writes = writes.join(", ");
        let guard = guard.text();
        let inside = guard.strip_prefix('(').and_then(|g| g.strip_suffix(')'));
        let inside = inside.filter(|_| bracket(&guard) == guard);
        let guard = inside.unwrap_or(&guard);
        self.line(&format!("{name}{when}: {guard} --> {writes}"));
    }

    /// The continuations of the executions so far by an action.
    fn act(&self, action: &Action, scene: &Scene, ways: Vec<Way>) -> Result<Vec<Way>, Diagnostic> {
        match action {
            Action::Skip => Ok(ways),
            Action::Assign(target, value) => {
                let value = self.evaluator.value(value, scene)?;
                match self.target(target, scene, &ways)? {
                    Some((process, local)) => Ok(self.assigned(process, local, Some(&value), ways)),
                    None => {
                        let target = self.evaluator.value(target, scene)?.text();
                        Ok(with(ways, &format!("{target} := {}", value.text())))
                    }
                }
            }
            Action::Havoc(target) => match self.target(target, scene, &ways)? {
                Some((process, local)) => Ok(self.assigned(process, local, None, ways)),
                None => {
                    let target = self.evaluator.value(target, scene)?.text();
                    Ok(with(ways, &format!("havoc {target}")))
                }
            },
            Action::Any(target, choose) => {
                if self.target(target, scene, &ways)?.is_some() {
                    let why = "a chosen local value: use `havoc` and a guard";
                    return Err(refused(target.span, why));
                }
                let target = self.evaluator.value(target, scene)?.text();
                let condition = match &choose.condition {
                    Some(c) => format!(" where {}", self.evaluator.value(c, scene)?.text()),
                    None => String::new(),
                };
                let name = &choose.name.text;
                Ok(with(ways, &format!("{target} := any {name}{condition}")))
            }
            Action::If(branches, otherwise) => self.conditional(branches, otherwise, scene, ways),
            Action::Send(channel, _) | Action::Receive(channel, _) => {
                Err(refused(channel.span, NO_CHANNELS))
            }
            Action::ForAll(all) => {
                let why = "assignments to all processes at once are not counted";
                Err(refused(all.span, why))
            }
            Action::Choose(choose, _) => {
                let why = "values that are chosen for a whole command are not translated";
                Err(refused(choose.name.span, why))
            }
        }
    }

    /// The executions of every branch, with the conditions under which it is taken.
    fn conditional(
        &self,
        branches: &[(Expr, Vec<Action>)],
        otherwise: &[Action],
        scene: &Scene,
        ways: Vec<Way>,
    ) -> Result<Vec<Way>, Diagnostic> {
        let mut found = Vec::new();
        let mut left = ways;
        for (condition, actions) in branches {
            let condition = self.evaluator.value(condition, scene)?;
            let taken = under(left.clone(), &condition);
            found.extend(self.act_all(actions, scene, taken)?);
            left = under(left, &condition.not());
        }
        found.extend(self.act_all(otherwise, scene, left)?);
        Ok(found)
    }

    fn act_all(
        &self,
        actions: &[Action],
        scene: &Scene,
        mut ways: Vec<Way>,
    ) -> Result<Vec<Way>, Diagnostic> {
        for action in actions {
            // If there are no executions, the action is never reached.
            if !ways.is_empty() {
                ways = self.act(action, scene, ways)?;
            }
        }
        Ok(ways)
    }

    /// The process and the local variable that are assigned; `None` for other targets.
    fn target(
        &self,
        expr: &Expr,
        scene: &Scene,
        ways: &[Way],
    ) -> Result<Option<(usize, usize)>, Diagnostic> {
        let own = match &expr.kind {
            ExprKind::Name(name) => {
                let family = self.evaluator.own_family(scene);
                scene.own.zip(family.and_then(|f| f.local(&name.text)))
            }
            _ => None,
        };
        let found = match own {
            Some(own) => Some(own),
            None => self.evaluator.place(expr, scene)?,
        };
        let again = |place| ways.iter().any(|w| w.done.contains(place));
        match found.as_ref().is_some_and(again) {
            true => Err(refused(expr.span, "a local variable is assigned twice")),
            false => Ok(found),
        }
    }

    /// Assigns a local variable: if the value is not known, there is an execution for each possible
    /// value.
    fn assigned(
        &self,
        process: usize,
        local: usize,
        value: Option<&Code>,
        ways: Vec<Way>,
    ) -> Vec<Way> {
        let mut found = Vec::new();
        for way in ways {
            let family = self.evaluator.families.of(way.next[process]);
            for (k, candidate) in family.locals[local].values.iter().enumerate() {
                let condition = match value {
                    Some(value) => compare(Comparison::Equal, value, candidate),
                    None => Code::Bool(true),
                };
                if condition == Code::Bool(false) {
                    continue;
                }
                let mut way = way.clone();
                way.conditions.push(condition);
                way.done.push((process, local));
                way.next[process] = family.changed(way.next[process], local, k);
                found.push(way);
            }
        }
        found
    }

    fn property(&mut self, item: &Claim) -> Result<(), Diagnostic> {
        let (word, quantifier, formula) = match &item.kind {
            ClaimKind::Invariant(formula) => ("invariant", Quantifier::Forall, formula),
            ClaimKind::Error(formula) => ("error", Quantifier::Exists, formula),
            _ => {
                let why = format!("the ctl property `{}` is left out", item.name.text);
                let warning = Diagnostic::warning("counters", item.name.span, why);
                self.warnings
                    .push(warning.help("invariants and errors are translated"));
                return Ok(());
            }
        };
        let mut formula = formula.clone();
        if let ExprKind::Quantified(q) = &mut formula.kind
            && q.quantifier == quantifier
        {
            loosen(q);
        }
        let text = self.global(&formula)?;
        self.line(&format!("{word} {}: {text}", item.name.text));
        Ok(())
    }
}

/// Replaces `<` between indices in the condition of a quantifier over pairs by `!=`.
///
/// A property of all pairs `i < j`, or of some pair, is equivalent to the property of pairs of
/// distinct processes, because all permutations of a reachable state are reachable.
fn loosen(q: &mut Quantified) {
    let connective = match q.quantifier {
        Quantifier::Forall => Connective::Implies,
        _ => Connective::And,
    };
    let index = |e: &Expr| match &e.kind {
        ExprKind::Name(name) => q.binders.iter().any(|b| b.name.text == name.text),
        _ => false,
    };
    if let ExprKind::Connected(found, parts) = &mut q.body.kind
        && *found == connective
        && let Some(first) = parts.first_mut()
        && let ExprKind::Compared(left, rest) = &mut first.kind
        && let [(comparison @ (Comparison::Less | Comparison::Greater), right)] = &mut rest[..]
        && index(left)
        && index(right)
    {
        *comparison = Comparison::NotEqual;
    }
}

/// The set as text: `{a, b}`.
fn set(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|n| &*n.text).collect();
    format!("{{{}}}", names.join(", "))
}

/// The executions that are possible under a condition.
fn under(mut ways: Vec<Way>, condition: &Code) -> Vec<Way> {
    match condition {
        Code::Bool(true) => {}
        Code::Bool(false) => ways.clear(),
        _ => ways
            .iter_mut()
            .for_each(|w| w.conditions.push(condition.clone())),
    }
    ways
}

fn with(mut ways: Vec<Way>, text: &str) -> Vec<Way> {
    for way in &mut ways {
        way.writes.push(text.to_string());
    }
    ways
}
