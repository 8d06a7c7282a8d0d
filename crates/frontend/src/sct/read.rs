//! Reads declarations into a module, in the order of their dependencies.

use super::ast::{ConditionKind, FairItem, Fairness, Item, ProcessItem};
use super::compose;
use super::compose::Part;
use super::fair::{Fair, FairSet};
use super::parse::{DIALECT, parse};
use crate::elaborate::{Elaborated, Elaborator, Entity, Expansion, Instance, Names, each_choice};
use crate::linear::{add_monitors, declare_added, linear_properties};
use crate::messages::{Report, Reported};
use crate::syntax::{Claim, ClaimKind, Expr, TypeItem};
use crate::{ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostic, Diagnostics, Int, Severity, Source, Span};
use sectile_model::{Model, Property};
use sectile_terms::{Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state of the reader: what is known so far about the file.
pub(super) struct Reader<'r> {
    pub terms: &'r Terms,
    pub source: &'r Source,
    pub names: Names,
    pub diagnostics: Diagnostics,
    pub expansion: Expansion,
    /// The positions of global declarations.
    pub places: BTreeMap<Arc<str>, Span>,
    pub parameters: Vec<(String, Int)>,
    /// The named types that are not enumerations.
    pub types: BTreeMap<Arc<str>, TypeItem>,
    /// The model, without its steps.
    pub model: Model,
    pub clocks: Vec<Symbol>,
    pub stay: Vec<Term>,
    pub parts: Vec<Part>,
    pub command_names: BTreeSet<String>,
    pub properties: Vec<Property>,
    pub synchronous: Option<Span>,
    /// The number of process instances so far.
    pub components: usize,
    /// The sets of commands with fairness assumptions.
    pub fair: Vec<FairSet>,
    /// The set of the current process instance, if it is fair.
    pub fair_process: Option<usize>,
    /// The properties in linear time.
    pub linear: Vec<usize>,
}

/// Reads a complete text.
pub(super) fn read(
    terms: &Terms,
    source: &Source,
    options: &ReadOptions,
) -> Result<Reading, Diagnostics> {
    let mut parsed = parse(source);
    stop_at_errors(&mut parsed.diagnostics)?;
    let mut reader = Reader::new(terms, source, parsed.diagnostics);
    reader.claim_names(&parsed.items);
    reader.parameters(&parsed.items, options);
    let items = reader.plain_variables(parsed.items);
    reader.declare_all(&items);
    stop_at_errors(&mut reader.diagnostics)?;
    reader.elaborate_all(&items);
    reader.refuse_empty();
    stop_at_errors(&mut reader.diagnostics)?;
    let commands = compose::commands(&mut reader);
    stop_at_errors(&mut reader.diagnostics)?;
    let system = Model::system(commands);
    let model = Model {
        name: crate::imp::stem(source.name()),
        locations: system.locations,
        edges: system.edges,
        ..reader.model
    };
    let mut model = model;
    let known = model.variables.len();
    let mut warnings = reader.diagnostics;
    let mut properties = reader.properties;
    let open = linear_properties(terms, &mut properties, &reader.linear);
    if !reader.fair.is_empty() && !options.unfair {
        let fair = Fair {
            terms,
            sets: &reader.fair,
            synchronous: reader.synchronous,
        };
        let about = properties.iter().enumerate();
        let about = about.filter(|(k, _)| !open.contains(k)).map(|(_, p)| p);
        fair.schedule(&mut model, &about.collect::<Vec<_>>(), &mut warnings);
        stop_at_errors(&mut warnings)?;
    }
    let picks = add_monitors(terms, &mut model, &mut properties, &open, &mut warnings);
    stop_at_errors(&mut warnings)?;
    let mut names = reader.names;
    declare_added(terms, &mut names, &model.variables[known..], &picks);
    let mut reading = Reading::new(model, properties, names, DIALECT, warnings);
    reading.module.parameters = reader.parameters;
    Ok(reading.with_headers(source, &parsed.comments))
}

impl Report for Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.report(diagnostic)
    }
}

impl<'r> Reader<'r> {
    fn new(terms: &'r Terms, source: &'r Source, diagnostics: Diagnostics) -> Reader<'r> {
        Reader {
            terms,
            source,
            names: Names::default(),
            diagnostics,
            expansion: Expansion::default(),
            places: BTreeMap::new(),
            parameters: Vec::new(),
            types: BTreeMap::new(),
            model: Model::default(),
            clocks: Vec::new(),
            stay: Vec::new(),
            parts: Vec::new(),
            command_names: BTreeSet::new(),
            properties: Vec::new(),
            synchronous: None,
            components: 0,
            fair: Vec::new(),
            fair_process: None,
            linear: Vec::new(),
        }
    }

    /// An elaborator, in the scope of a process instance if one is given.
    pub fn elaborator(&mut self, instance: Option<&Instance>) -> Elaborator<'_> {
        let (diagnostics, expansion) = (&mut self.diagnostics, &mut self.expansion);
        let elaborator = Elaborator::new(self.terms, &self.names, diagnostics, expansion);
        elaborator.inside(instance.cloned())
    }

    /// The number of errors so far, to find out whether an operation caused more.
    pub fn errors(&self) -> usize {
        let errors = self.diagnostics.iter();
        errors.filter(|d| d.severity == Severity::Error).count()
    }

    fn refuse_empty(&mut self) {
        if self.model.variables.is_empty() && self.parts.is_empty() && self.errors() == 0 {
            let end = self.source.text().trim_end().len();
            let span = Span::new(end, end);
            let message = "there are no variables and no commands";
            let help = "a model has at least `var x : int = 0` and a command such as \
                        `step: x >= 0 --> x := x + 1`";
            self.error("empty", span, message, help);
        }
    }

    /// Elaborates everything that depends on the meaning of names, in the order of the text.
    fn elaborate_all(&mut self, items: &[Item]) {
        self.check_definitions();
        for item in items {
            match item {
                Item::Symbols(symbols) => self.initial_values(symbols, None),
                Item::Condition(kind, formula, span) => {
                    self.condition(*kind, formula, *span, None);
                }
                Item::Command(command) => self.command(command, None),
                Item::Process(process) => self.process_body(process),
                Item::Property(property) => self.property(property),
                Item::Synchronous(span) => {
                    if self.synchronous.replace(*span).is_some() {
                        let message = "`compose synchronous` is stated twice";
                        self.error("duplicate", *span, message, "");
                    }
                }
                Item::Parameter(..)
                | Item::Enumeration(..)
                | Item::Type(..)
                | Item::Definition(..)
                | Item::Function(_)
                | Item::Channel(_)
                | Item::Aggregates(_) => {}
            }
        }
    }

    /// All instances of a process. If one has an error, the others are left out, because they would
    /// repeat it.
    fn process_body(&mut self, item: &ProcessItem) {
        // There is none if its declaration failed.
        let Some(&Entity::Process(process)) = self.names.entities.get(&*item.name.text) else {
            return;
        };
        let before = self.errors();
        let mut first = true;
        for indices in each_choice(&self.names.processes[process].ranges) {
            let instance = Instance { process, indices };
            if self.errors() == before && first {
                self.check_member_definitions(&instance);
            }
            first = false;
            self.components += 1;
            let Ok(fairness) = self.fairness(item.fairness.as_ref(), Some(&instance)) else {
                return;
            };
            self.fair_process = fairness.map(|fairness| {
                let name = self.prefix(Some(&instance));
                let field = self.field(Some(&instance), "wait", &[]);
                self.fair
                    .push(FairSet::new(&name, field, fairness, item.name.span));
                self.fair.len() - 1
            });
            for inner in &item.items {
                match inner {
                    Item::Symbols(symbols) => self.initial_values(symbols, Some(&instance)),
                    Item::Condition(kind, formula, span) => {
                        self.condition(*kind, formula, *span, Some(&instance));
                    }
                    Item::Command(command) => self.command(command, Some(&instance)),
                    _ => {}
                }
            }
            self.fair_process = None;
            if self.errors() > before {
                return;
            }
        }
    }

    /// The fairness of a command or process, if any.
    pub(super) fn fairness(
        &mut self,
        item: Option<&FairItem>,
        instance: Option<&Instance>,
    ) -> Elaborated<Option<Fairness>> {
        let Some(FairItem {
            fairness,
            condition,
        }) = item
        else {
            return Ok(None);
        };
        let is_fair = match condition {
            None => true,
            Some(condition) => self.elaborator(instance).constant_condition(condition)?,
        };
        Ok(is_fair.then_some(*fairness))
    }

    fn condition(
        &mut self,
        kind: ConditionKind,
        formula: &Expr,
        span: Span,
        instance: Option<&Instance>,
    ) {
        let Ok(term) = self.elaborator(instance).formula(formula) else {
            return;
        };
        if kind == ConditionKind::Assume && self.mentions_state(term) {
            let message = "`assume` is about constants, and this mentions variables";
            let help = "`restrict` is about every state, `init` about the first";
            self.error("name", formula.span, message, help);
            return;
        }
        if kind == ConditionKind::Stay && self.clocks.is_empty() {
            let message = "`stay` has no meaning without clocks";
            self.warning("unused", span, message);
        }
        let list = match kind {
            ConditionKind::Assume | ConditionKind::Restrict => &mut self.model.restrict,
            ConditionKind::Init => &mut self.model.init,
            ConditionKind::Stay => &mut self.stay,
        };
        list.extend(self.terms.conjuncts(term));
    }

    fn mentions_state(&self, term: Term) -> bool {
        let variables = self.terms.free_vars(term);
        let state = |v: &(Symbol, Stage)| self.terms.symbol_kind(v.0) == SymbolKind::State;
        variables.iter().any(state)
    }

    fn property(&mut self, item: &Claim) {
        let earlier = self.properties.iter().find(|p| *p.name == *item.name.text);
        if earlier.is_some() {
            let message = format!("there are two properties called `{}`", item.name.text);
            let help = "give them different names";
            self.error("duplicate", item.name.span, message, help);
        }
        let Ok(kind) = self.elaborator(None).claim(&item.kind) else {
            return;
        };
        if matches!(item.kind, ClaimKind::Ltl(_)) {
            self.linear.push(self.properties.len());
        }
        self.properties.push(Property {
            name: item.name.text.to_string(),
            kind,
            span: item.span,
        });
    }
}
