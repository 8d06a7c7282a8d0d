//! Cells against enumeration: a step on cells is exactly a step on arrays with such cells.
#![allow(clippy::unwrap_used)]

use sectile_base::Span;
use sectile_model::*;
use sectile_terms::*;
use sectile_transform::*;
use std::collections::BTreeSet;

/// A generator of small numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

/// Two arrays over indices of a sort, two indices, and a number that may be an element.
struct World<'t> {
    terms: &'t Terms,
    index: Sort,
    arrays: Vec<Symbol>,
    indices: Vec<Symbol>,
    number: Symbol,
    input: Symbol,
}

impl<'t> World<'t> {
    fn new(terms: &'t Terms, index: Sort, dimensions: usize) -> World<'t> {
        let mut sort = Sort::Int;
        for _ in 0..dimensions {
            sort = terms.array_sort(index, sort);
        }
        let names: &[&str] = if dimensions > 1 { &["m"] } else { &["a", "b"] };
        let state = |n: &str, s: Sort| terms.declare(n, s, SymbolKind::State).unwrap();
        World {
            terms,
            index,
            arrays: names.iter().map(|n| state(n, sort)).collect(),
            indices: vec![state("i", index), state("j", index)],
            number: state("x", Sort::Int),
            input: terms.declare("in", Sort::Int, SymbolKind::Input).unwrap(),
        }
    }

    fn variables(&self) -> Vec<Symbol> {
        let mut all = self.indices.clone();
        all.push(self.number);
        all.extend(&self.arrays);
        all
    }

    /// Values of indices before a step.
    fn places(&self, some: usize) -> Vec<Value> {
        match self.index {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            _ => (0..some as i64).map(|k| Value::Int(k.into())).collect(),
        }
    }

    fn values_of(&self, symbol: Symbol, places: usize) -> Vec<Value> {
        let terms = self.terms;
        match terms.symbol_sort(symbol) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Array(_) => self.arrays_of(terms.symbol_sort(symbol), places),
            // The index at which two arrays differ may be any.
            Sort::Int if terms.name(symbol).starts_with("place") => self.places(places),
            _ => (0..2_i64).map(|k| Value::Int(k.into())).collect(),
        }
    }

    /// All arrays with elements 0 and 1 at the first places.
    fn arrays_of(&self, sort: Sort, places: usize) -> Vec<Value> {
        let Sort::Array(id) = sort else {
            return (0..2_i64).map(|k| Value::Int(k.into())).collect();
        };
        let elements = self.arrays_of(self.terms.array_parts(id).1, places);
        let mut all = vec![ArrayValue::filled(id, elements[0].clone())];
        for place in self.places(places) {
            let with = |a: &ArrayValue| {
                let (a, place) = (a.clone(), place.clone());
                let elements = elements.clone().into_iter();
                elements.map(move |e| (a.clone(), place.clone(), e))
            };
            let longer = all.iter().flat_map(with);
            all = longer.map(|(a, p, e)| a.with(self.terms, p, e)).collect();
        }
        all.into_iter().map(|a| Value::Array(Box::new(a))).collect()
    }

    fn index_term(&self, dice: &mut Dice) -> Term {
        let terms = self.terms;
        let variable = |k: usize| terms.var(self.indices[k]);
        match (dice.roll(6), self.index) {
            (0..=1, _) => variable(0),
            (2..=3, _) => variable(1),
            (4, Sort::Int) => terms.add(variable(0), terms.int(1)),
            (_, Sort::Int) => terms.int(0),
            (4, _) => terms.not(variable(0)),
            _ => terms.tt(),
        }
    }

    fn element_term(&self, dice: &mut Dice) -> Term {
        let terms = self.terms;
        match dice.roll(6) {
            0 => terms.var(self.number),
            1 => terms.var(self.input),
            2 => terms.int(1),
            _ => {
                let array = self.array_term(dice);
                let mut t = array;
                while let Sort::Array(_) = terms.sort(t) {
                    t = terms.select(t, self.index_term(dice));
                }
                // An element is an index again, now and then.
                if terms.sort(array) == terms.array_sort(Sort::Int, Sort::Int) && dice.roll(4) == 0
                {
                    return terms.select(array, t);
                }
                t
            }
        }
    }

    fn array_term(&self, dice: &mut Dice) -> Term {
        let terms = self.terms;
        let count = self.arrays.len() as u64;
        let base = terms.var(self.arrays[dice.roll(count) as usize]);
        let other = terms.var(self.arrays[dice.roll(count) as usize]);
        let element = [terms.var(self.number), terms.int(1), terms.var(self.input)];
        let element = element[dice.roll(3) as usize];
        let index = self.index_term(dice);
        match dice.roll(5) {
            0..=1 => base,
            2 if self.arrays.len() == 1 => {
                let row = terms.select(base, index);
                let row = terms.store(row, self.index_term(dice), element);
                terms.store(base, index, row)
            }
            2..=3 if self.arrays.len() > 1 => terms.store(base, index, element),
            _ => {
                let way = terms.eq(terms.var(self.indices[0]), terms.var(self.indices[1]));
                terms.ite(way, base, other)
            }
        }
    }

    fn condition(&self, dice: &mut Dice) -> Term {
        let terms = self.terms;
        let simple = |dice: &mut Dice| match dice.roll(4) {
            0..=1 => terms.eq(self.element_term(dice), self.element_term(dice)),
            2 if self.arrays.len() > 1 => terms.eq(self.array_term(dice), self.array_term(dice)),
            _ => terms.le(self.element_term(dice), self.element_term(dice)),
        };
        let mut parts = [simple(dice), simple(dice)].map(|t| match dice.roll(3) {
            0 => terms.not(t),
            _ => t,
        });
        match dice.roll(5) {
            0..=1 => parts[0],
            2 => terms.or(parts),
            3 => terms.iff(parts[0], parts[1]),
            _ => {
                parts.swap(0, 1);
                terms.and(parts)
            }
        }
    }

    fn command(&self, dice: &mut Dice) -> Command {
        let terms = self.terms;
        let mut command = Command::new("step", Span::default());
        command.inputs = vec![self.input];
        for _ in 0..dice.roll(3) {
            command.guards.push(self.condition(dice));
        }
        let mut set = |symbol: Symbol, value: Term| command.updates.push(Update { symbol, value });
        for &i in &self.indices {
            match dice.roll(4) {
                0 => {}
                1 => set(i, self.index_term(dice)),
                _ => set(i, terms.var(i)),
            }
        }
        set(self.number, self.element_term(dice));
        let mut free = None;
        for &a in &self.arrays {
            match dice.roll(4) {
                0 if free.is_none() => free = Some(a),
                1 => set(a, terms.var(a)),
                _ => set(a, self.array_term(dice)),
            }
        }
        if let (Some(a), 0..=1) = (free, dice.roll(3)) {
            let mut t = terms.next(a);
            let whole = terms.eq(t, self.array_term(dice));
            while let Sort::Array(_) = terms.sort(t) {
                t = terms.select(t, self.index_term(dice));
            }
            let about = [terms.eq(t, self.element_term(dice)), whole];
            command.relations.push(about[dice.roll(2) as usize]);
        }
        command
    }
}

fn product(lists: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = |prefix: &Vec<Value>| {
            let prefix = prefix.clone();
            let list = list.iter().cloned();
            list.map(move |v| [prefix.clone(), vec![v]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Values of variables before and after a step.
struct Values<'v> {
    now: Vec<(Symbol, &'v Value)>,
    next: Vec<(Symbol, &'v Value)>,
}

impl Values<'_> {
    fn of(&self, terms: &Terms, t: Term) -> Value {
        let find = |symbol: Symbol, stage: Stage| {
            let list = match stage {
                Stage::Next => &self.next,
                _ => &self.now,
            };
            let found = list.iter().find(|(s, _)| *s == symbol);
            found.map(|(_, v)| (*v).clone())
        };
        let printed = || NativePrinter::new(terms).print(t);
        evaluate(terms, t, &find).unwrap_or_else(|e| panic!("{e:?} in {}", printed()))
    }

    fn hold(&self, terms: &Terms, list: &[Term]) -> bool {
        list.iter().all(|&t| self.of(terms, t) == Value::Bool(true))
    }
}

fn zip<'v>(symbols: &[Symbol], values: &'v [Value]) -> Vec<(Symbol, &'v Value)> {
    symbols.iter().copied().zip(values).collect()
}

/// Commands with more cases than this take too long to enumerate.
const MOST: usize = 1 << 14;

type Pairs = BTreeSet<(Vec<Value>, Vec<Value>)>;

/// All steps of a command from states with small values, seen through `view`.
fn steps(
    world: &World<'_>,
    variables: &[Symbol],
    command: &Command,
    places: usize,
    view: &dyn Fn(&[Value]) -> Vec<Value>,
) -> Pairs {
    let terms = world.terms;
    let all = |symbols: &[Symbol]| {
        let lists = symbols.iter().map(|&s| world.values_of(s, places));
        product(&lists.collect::<Vec<_>>())
    };
    let (befores, inputs) = (all(variables), all(&command.inputs));
    let free = command.unassigned(variables);
    let frees = all(&free);
    let mut found = Pairs::new();
    for before in &befores {
        for chosen in &inputs {
            let mut values = Values {
                now: zip(variables, before),
                next: Vec::new(),
            };
            values.now.extend(zip(&command.inputs, chosen));
            if !values.hold(terms, &command.guards) {
                continue;
            }
            let set: Vec<Value> = command
                .updates
                .iter()
                .map(|u| values.of(terms, u.value))
                .collect();
            let symbols: Vec<Symbol> = command.updates.iter().map(|u| u.symbol).collect();
            for rest in &frees {
                values.next = zip(&symbols, &set);
                values.next.extend(zip(&free, rest));
                if !values.hold(terms, &command.relations) {
                    continue;
                }
                let value = |v: &Symbol| {
                    let next = values.next.iter().find(|(s, _)| s == v);
                    next.map(|(_, v)| (*v).clone()).unwrap()
                };
                let after: Vec<Value> = variables.iter().map(value).collect();
                found.insert((view(before), view(&after)));
            }
        }
    }
    found
}

/// Compares the steps of a random command with those on cells.
fn compare(seed: u64, index: Sort, dimensions: usize, places: usize) -> bool {
    let terms = Terms::new();
    let world = World::new(&terms, index, dimensions);
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let command = world.command(&mut dice);
    let most = usize::try_from(seed % 5).unwrap();
    agree(&world, &command, places, most, &format!("seed {seed}"))
}

/// Whether a command is small enough to be compared with its steps on cells, which agree then.
fn agree(world: &World<'_>, command: &Command, places: usize, most: usize, what: &str) -> bool {
    let terms = world.terms;
    let system = Model {
        name: "random".into(),
        variables: world.variables(),
        ..Model::system(vec![command.clone()])
    };
    let old = system.variables.clone();
    let property = Property {
        name: "p".into(),
        kind: PropertyKind::Invariant(terms.tt()),
        span: Span::default(),
    };
    let pass = Cells {
        most,
        ..Cells::default()
    };
    let made = pass.replace(&Task::new(terms, &system, &property));
    let made = made.unwrap();
    let new = &made.applied.model;
    assert!(new.is_system(), "a system stays one");
    let list = &new.edges[0].command;
    let size = |variables: &[Symbol], command: &Command| -> usize {
        let free = command.unassigned(variables);
        let all = variables.iter().chain(&command.inputs).chain(&free);
        all.map(|&s| world.values_of(s, places).len()).product()
    };
    if size(&old, command) > MOST || size(&new.variables, list) > MOST {
        return false;
    }
    let mentioned = list.conjuncts(terms);
    let sorts = terms.post_order(&mentioned);
    let is_array = |t: &Term| matches!(terms.sort(*t), Sort::Array(_));
    assert!(!sorts.iter().any(is_array), "an array is left");
    let view = |values: &[Value]| -> Vec<Value> {
        let state = Values {
            now: zip(&old, values),
            next: Vec::new(),
        };
        let scalars = new.variables.iter().map(|&v| {
            let cell = made.cells.iter().find(|c| c.symbol == v);
            state.of(terms, cell.map_or_else(|| terms.var(v), |c| c.meaning))
        });
        scalars.collect()
    };
    let expected = steps(world, &old, command, places, &view);
    let mut found = steps(world, &new.variables, list, places, &|v| v.to_vec());
    // States of cells that are no states of arrays have no meaning.
    let states: BTreeSet<Vec<Value>> = {
        let lists = old.iter().map(|&s| world.values_of(s, places));
        let all = product(&lists.collect::<Vec<_>>());
        all.iter().map(|v| view(v)).collect()
    };
    found.retain(|(before, _)| states.contains(before));
    let print = |list: Vec<Term>| {
        let texts = list.iter().map(|&t| NativePrinter::new(terms).print(t));
        texts.collect::<Vec<_>>().join("\n  ")
    };
    assert!(
        expected == found,
        "{what}: {} steps, but {} on cells {:?}\n  {}\nbecame\n  {}\nmissing {:?}\ntoo many {:?}",
        expected.len(),
        found.len(),
        made.cells
            .iter()
            .map(|c| terms.name(c.symbol))
            .collect::<Vec<_>>(),
        print(command.conjuncts(terms)),
        print(list.conjuncts(terms)),
        expected.difference(&found).next(),
        found.difference(&expected).next(),
    );
    true
}

#[test]
fn steps_on_cells_are_those_on_arrays_of_integers() {
    let compared = (1..120).filter(|&k| compare(k, Sort::Int, 1, 4)).count();
    assert!(compared > 20, "{compared}");
}

#[test]
fn steps_on_cells_are_those_on_arrays_with_two_places() {
    let compared = (1..200).filter(|&k| compare(k, Sort::Bool, 1, 2)).count();
    assert!(compared > 100, "{compared}");
}

#[test]
fn steps_on_cells_are_those_on_arrays_of_arrays() {
    let compared = (1..80).filter(|&k| compare(k, Sort::Int, 2, 3)).count();
    assert!(compared > 20, "{compared}");
}

/// What stores write is compared even where nobody reads it.
#[test]
fn equations_of_updates_are_about_what_they_write() {
    let terms = Terms::new();
    let world = World::new(&terms, Sort::Int, 1);
    let [a, b] = [0, 1].map(|k| terms.var(world.arrays[k]));
    let [i, j] = [0, 1].map(|k| terms.var(world.indices[k]));
    let x = terms.var(world.number);
    let conditions = [
        terms.eq(
            terms.store(a, i, terms.int(0)),
            terms.store(b, i, terms.int(1)),
        ),
        terms.eq(terms.store(a, i, terms.int(0)), terms.store(b, j, x)),
        terms.neq(terms.store(a, i, x), terms.store(a, j, x)),
        terms.neq(
            terms.store(terms.store(a, i, x), j, x),
            terms.store(terms.store(a, j, x), i, x),
        ),
        terms.or([
            terms.eq(a, b),
            terms.eq(terms.store(a, j, x), terms.store(b, i, x)),
        ]),
    ];
    for (k, &condition) in conditions.iter().enumerate() {
        let mut command = Command::new("step", Span::default());
        command.guards.push(condition);
        for symbol in world.variables() {
            let value = terms.var(symbol);
            command.updates.push(Update { symbol, value });
        }
        for most in 0..3 {
            assert!(agree(&world, &command, 4, most, &format!("{k}")), "{k}");
        }
    }
}
