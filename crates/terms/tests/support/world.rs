//! The variables that random terms are about, and their values.

use super::random::Choices;
use super::reference::Val;
use sectile_base::{Int, Rat, Rng};
use sectile_terms::{EnumId, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};

/// Sorts of the reference language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int,
    Real,
    /// Red, green or blue.
    Color,
    /// On or off.
    Switch,
}

/// Name, sort and use of every variable.
pub const VARIABLES: [(&str, Kind, SymbolKind); 14] = [
    ("p", Kind::Bool, SymbolKind::State),
    ("q", Kind::Bool, SymbolKind::State),
    ("r", Kind::Bool, SymbolKind::Input),
    ("x", Kind::Int, SymbolKind::State),
    ("y", Kind::Int, SymbolKind::State),
    ("z", Kind::Int, SymbolKind::Input),
    ("n", Kind::Int, SymbolKind::Rigid),
    ("u", Kind::Real, SymbolKind::State),
    ("v", Kind::Real, SymbolKind::State),
    ("w", Kind::Real, SymbolKind::Rigid),
    ("c", Kind::Color, SymbolKind::State),
    ("d", Kind::Color, SymbolKind::State),
    ("s", Kind::Switch, SymbolKind::State),
    ("ok", Kind::Bool, SymbolKind::Rigid),
];

/// The names of the variants of an enumeration.
pub fn variants(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Color => &["red", "green", "blue"],
        Kind::Switch => &["on", "off"],
        _ => &[],
    }
}

/// A store in which the variables are declared.
pub struct World {
    pub terms: Terms,
    pub color: EnumId,
    pub switch: EnumId,
    pub symbols: Vec<Symbol>,
}

impl World {
    pub fn new() -> World {
        let terms = Terms::new();
        let declare = |name: &str, kind: Kind| {
            let names: Vec<String> = variants(kind).iter().map(|v| v.to_string()).collect();
            terms.declare_enum(name, &names)
        };
        let color = declare("Color", Kind::Color);
        let switch = declare("Switch", Kind::Switch);
        let mut world = World {
            terms,
            color,
            switch,
            symbols: Vec::new(),
        };
        for (name, kind, role) in VARIABLES {
            let symbol = world.terms.declare(name, world.sort(kind), role);
            let symbol = symbol.expect("the names differ");
            // Sums list their terms in the order in which those were made: let it be this one.
            world.terms.var(symbol);
            world.symbols.push(symbol);
        }
        world
    }

    pub fn sort(&self, kind: Kind) -> Sort {
        match kind {
            Kind::Bool => Sort::Bool,
            Kind::Int => Sort::Int,
            Kind::Real => Sort::Real,
            Kind::Color => Sort::Enum(self.color),
            Kind::Switch => Sort::Enum(self.switch),
        }
    }

    /// The variable with this name.
    pub fn var(&self, name: &str) -> Term {
        let symbol = self.terms.symbol(name).expect("a name of the table");
        self.terms.var(symbol)
    }

    /// The value with this name, of the enumeration of colors.
    pub fn color(&self, name: &str) -> Term {
        let index = variants(Kind::Color).iter().position(|v| *v == name);
        let index = index.expect("a color");
        self.terms.variant(self.color, index as u32)
    }

    fn value(&self, kind: Kind, val: &Val) -> Value {
        match (kind, val) {
            (Kind::Bool, Val::Bool(b)) => Value::Bool(*b),
            (Kind::Int, Val::Num(r)) => Value::Int(r.to_int().expect("an integer")),
            (Kind::Real, Val::Num(r)) => Value::Real(r.clone()),
            (Kind::Color, Val::Variant(k)) => Value::Enum(self.color, *k),
            (Kind::Switch, Val::Variant(k)) => Value::Enum(self.switch, *k),
            _ => panic!("{val:?} is no {kind:?}"),
        }
    }

    /// The value of a term, in the reference language.
    pub fn eval(&self, t: Term, state: &Assignment) -> Val {
        let valuation = |symbol: Symbol, stage: Stage| {
            let i = self.symbols.iter().position(|s| *s == symbol)?;
            let val = match stage {
                Stage::Now => &state.now[i],
                Stage::Next => &state.next[i],
                Stage::At(_) => return None,
            };
            Some(self.value(VARIABLES[i].1, val))
        };
        match evaluate(&self.terms, t, &valuation).expect("every variable has a value") {
            Value::Bool(b) => Val::Bool(b),
            Value::Int(i) => Val::Num(Rat::from(i)),
            Value::Real(r) => Val::Num(r),
            Value::Enum(_, k) => Val::Variant(k),
            Value::Array(_) => panic!("no variable is an array"),
        }
    }
}

/// Values of all variables, before and after a step. Rigid ones have the same value twice.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub now: Vec<Val>,
    pub next: Vec<Val>,
}

impl Assignment {
    pub fn random(rng: &mut Rng) -> Assignment {
        let mut choices = Choices::endless(rng);
        let mut draw = || {
            let values = VARIABLES.iter().map(|v| value_of(v.1, &mut choices));
            values.collect::<Vec<Val>>()
        };
        let now = draw();
        let mut next = draw();
        for (i, (_, _, role)) in VARIABLES.iter().enumerate() {
            if *role == SymbolKind::Rigid {
                next[i] = now[i].clone();
            }
        }
        Assignment { now, next }
    }

    /// The assignment before the step that says what this one says about both sides of it.
    pub fn of_next(&self) -> Assignment {
        Assignment {
            now: self.next.clone(),
            next: self.next.clone(),
        }
    }
}

fn value_of(kind: Kind, choices: &mut Choices) -> Val {
    match kind {
        Kind::Bool => Val::Bool(choices.below(2) == 1),
        Kind::Int => Val::Num(Rat::from(choices.integer())),
        Kind::Real => Val::Num(choices.rational()),
        Kind::Color => Val::Variant(choices.below(3)),
        Kind::Switch => Val::Variant(choices.below(2)),
    }
}

/// An integer, as the tests write them.
pub fn int(value: i64) -> Int {
    Int::from(value)
}
