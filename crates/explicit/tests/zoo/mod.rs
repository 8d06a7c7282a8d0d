//! Models built by hand, so that these tests depend on no front-end.
#![allow(dead_code, clippy::unwrap_used, clippy::needless_range_loop)]

pub mod airport;
pub mod chardriver;
pub mod check;
pub mod mutual;
pub mod naive;
pub mod programs;
pub mod random;
pub mod small;

use sectile_base::{Budget, Int, Rat, Span};
use sectile_explicit::{
    Answer, Domain, Exploration, ExploreError, Options, PropertyResult, explore,
};
use sectile_model::{Command, Ctl, Edge, Model, Module, Property, PropertyKind, Update};
use sectile_terms::{EnumId, Sort, Symbol, SymbolKind, Term, Terms};

/// Builds a transition system in the words of guarded commands.
pub struct Builder<'t> {
    pub terms: &'t Terms,
    pub system: Model,
    pub properties: Vec<Property>,
}

impl<'t> Builder<'t> {
    pub fn new(terms: &'t Terms) -> Builder<'t> {
        Builder {
            terms,
            system: Model {
                name: "test".into(),
                ..Model::system(Vec::new())
            },
            properties: Vec::new(),
        }
    }

    pub fn var(&mut self, name: &str, sort: Sort) -> Symbol {
        let symbol = self.terms.declare(name, sort, SymbolKind::State).unwrap();
        self.system.variables.push(symbol);
        symbol
    }

    pub fn int(&mut self, name: &str) -> Symbol {
        self.var(name, Sort::Int)
    }

    pub fn boolean(&mut self, name: &str) -> Symbol {
        self.var(name, Sort::Bool)
    }

    pub fn nat(&mut self, name: &str) -> Symbol {
        let symbol = self.int(name);
        let t = self.terms;
        self.system.restrict.push(t.ge(t.var(symbol), t.int(0)));
        symbol
    }

    pub fn range(&mut self, name: &str, low: i64, high: i64) -> Symbol {
        let symbol = self.int(name);
        let t = self.terms;
        self.system.restrict.push(t.ge(t.var(symbol), t.int(low)));
        self.system.restrict.push(t.le(t.var(symbol), t.int(high)));
        symbol
    }

    pub fn constant(&mut self, name: &str, sort: Sort) -> Symbol {
        let symbol = self.terms.declare(name, sort, SymbolKind::Rigid).unwrap();
        self.system.rigid.push(symbol);
        symbol
    }

    pub fn input(&mut self, name: &str, sort: Sort) -> Symbol {
        self.terms.declare(name, sort, SymbolKind::Input).unwrap()
    }

    pub fn init(&mut self, t: Term) {
        self.system.init.push(t);
    }

    /// A command under which what is not set keeps its value.
    pub fn command(&mut self, name: &str, guards: &[Term], sets: &[(Symbol, Term)]) {
        self.command_with(name, &[], guards, sets);
    }

    pub fn command_with(
        &mut self,
        name: &str,
        inputs: &[Symbol],
        guards: &[Term],
        sets: &[(Symbol, Term)],
    ) {
        let mut command = Command::new(name, Span::default());
        command.inputs = inputs.to_vec();
        command.guards = guards.to_vec();
        command.updates = updates(self.terms, &self.system.variables, sets);
        self.push(command);
    }

    pub fn push(&mut self, command: Command) {
        let run = self.system.entry;
        self.system.edges.push(Edge::new(run, run, command));
    }

    /// A command given by a relation; what is not mentioned is free.
    pub fn relation(&mut self, name: &str, parts: &[Term]) {
        let mut command = Command::new(name, Span::default());
        command.relations = parts.to_vec();
        self.push(command);
    }

    pub fn property(&mut self, name: &str, kind: PropertyKind) {
        self.properties.push(property(name, kind));
    }

    pub fn invariant(&mut self, name: &str, t: Term) {
        self.property(name, PropertyKind::Invariant(t));
    }

    pub fn error(&mut self, name: &str, t: Term) {
        self.property(name, PropertyKind::Error(t));
    }

    pub fn ctl(&mut self, name: &str, formula: Ctl) {
        self.property(name, PropertyKind::Ctl(formula));
    }

    pub fn module(self) -> Module {
        module(self.system, self.properties)
    }
}

pub fn updates(terms: &Terms, variables: &[Symbol], sets: &[(Symbol, Term)]) -> Vec<Update> {
    let update = |&symbol: &Symbol| {
        let set = sets.iter().find(|s| s.0 == symbol);
        let value = set.map_or(terms.var(symbol), |s| s.1);
        Update { symbol, value }
    };
    variables.iter().map(update).collect()
}

pub fn property(name: &str, kind: PropertyKind) -> Property {
    Property {
        name: name.into(),
        kind,
        span: Span::default(),
    }
}

pub fn module(model: Model, properties: Vec<Property>) -> Module {
    Module {
        model,
        properties,
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
    }
}

pub fn domain(low: i64, high: i64) -> Options {
    Options {
        domain: Some(Domain::new(Int::from(low), Int::from(high)).unwrap()),
        ..Options::default()
    }
}

/// Searches, and checks every run that the search shows.
pub fn run(terms: &Terms, module: &Module, options: &Options) -> Exploration {
    let found = try_run(terms, module, options).unwrap();
    for (result, property) in found.properties.iter().zip(&module.properties) {
        if let Some(trace) = &result.evidence {
            check::trace(terms, &module.model, trace);
            if result.answer == Answer::Violated {
                check::violation(terms, &module.model, property, trace);
            }
        }
    }
    if let Some(trace) = &found.deadlocks.shortest {
        check::trace(terms, &module.model, trace);
    }
    found
}

pub fn try_run(
    terms: &Terms,
    module: &Module,
    options: &Options,
) -> Result<Exploration, ExploreError> {
    explore(terms, module, options, &Budget::unlimited())
}

pub fn result<'e>(exploration: &'e Exploration, name: &str) -> &'e PropertyResult {
    let mut all = exploration.properties.iter();
    all.find(|p| p.name == name).unwrap()
}

pub fn answer(exploration: &Exploration, name: &str) -> Answer {
    result(exploration, name).answer
}

/// Length of the run that shows a violation.
pub fn steps(exploration: &Exploration, name: &str) -> usize {
    let result = result(exploration, name);
    assert_eq!(result.answer, Answer::Violated, "{name}");
    result.evidence.as_ref().unwrap().steps.len()
}

/// Terms with fewer words.
pub struct Words<'t>(pub &'t Terms);

impl Words<'_> {
    pub fn is(&self, x: Symbol, k: i64) -> Term {
        self.0.eq(self.0.var(x), self.0.int(k))
    }

    pub fn plus(&self, x: Symbol, k: i64) -> Term {
        self.0.add(self.0.var(x), self.0.int(k))
    }

    pub fn n(&self, k: i64) -> Term {
        self.0.int(k)
    }

    pub fn real(&self, k: i64) -> Term {
        self.0.number(Rat::from(k), Sort::Real)
    }

    pub fn at(&self, x: Symbol, id: EnumId, k: u32) -> Term {
        self.0.eq(self.0.var(x), self.0.variant(id, k))
    }
}

pub fn ag(f: Ctl) -> Ctl {
    Ctl::Ag(Box::new(f))
}

pub fn af(f: Ctl) -> Ctl {
    Ctl::Af(Box::new(f))
}

/// The position of a name.
pub fn position(names: &[&str], name: &str) -> u32 {
    let found = names.iter().position(|&n| n == name);
    u32::try_from(found.unwrap()).unwrap()
}
