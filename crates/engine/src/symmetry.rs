//! Symmetries: exchanges of processes that map a system to itself.
//!
//! A candidate comes from the families of the model: exchanging the indices `a` and `b` maps
//! `P[a].pc` to `P[b].pc`, and the command `P[a].enter` to `P[b].enter`. Values may have to be
//! exchanged too, such as those of a lock that holds the number of a process; they are read off the
//! assignments of corresponding commands. Each candidate is then *checked*: it must map the initial
//! condition, the restrictions, the commands and the disjuncts of the error to themselves. A
//! candidate fails if some formula cannot be mapped exactly.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_model::{Command, Field, Model};
use sectile_terms::{Node, Rewriter, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// An exchange of processes that maps a system to itself.
#[derive(Clone, Debug)]
pub struct Exchange {
    symbols: FxHashMap<Symbol, Symbol>,
    /// The exchanged values of some variables; all others are kept.
    values: FxHashMap<Symbol, Vec<(Value, Value)>>,
}

/// The disjuncts of an error that exchanges map to each other.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// Position of the representative disjunct.
    pub representative: usize,
    /// Every other one, with the exchanges that lead to it, to be applied in order.
    pub images: Vec<(usize, Vec<usize>)>,
}

/// The symmetries of a system with an error, as generators.
pub struct Symmetry<'t> {
    terms: &'t Terms,
    generators: Vec<Exchange>,
}

impl<'t> Symmetry<'t> {
    /// No symmetry at all.
    pub fn none(terms: &'t Terms) -> Symmetry<'t> {
        Symmetry {
            terms,
            generators: Vec::new(),
        }
    }

    /// All exchanges of two neighbouring indices that map system and error to themselves: those of
    /// single families, and those of larger scopes only if no smaller part can be exchanged alone.
    pub fn of(terms: &'t Terms, system: &Model, errors: &[Term]) -> Symmetry<'t> {
        let indices = indices(system);
        let shapes = shapes(terms, system);
        let scopes = Scope::all(system);
        let mut generators = Vec::new();
        for pair in indices.windows(2) {
            let mut done: Vec<&Scope> = Vec::new();
            for scope in &scopes {
                if !scope.has(pair) || done.iter().any(|s| s.is_subset(scope)) {
                    continue;
                }
                let found =
                    Exchange::checked(terms, system, [pair[0], pair[1]], scope, errors, &shapes);
                if let Some(exchange) = found {
                    done.push(scope);
                    generators.push(exchange);
                }
            }
        }
        Symmetry { terms, generators }
    }

    /// The same; where no two neighbours can be exchanged, the turn of all indices by one, if that maps
    /// system and error to themselves, as it does in a ring. A turn is not its own inverse.
    pub fn or_turn(mut self, system: &Model, errors: &[Term]) -> Symmetry<'t> {
        let indices = indices(system);
        if self.is_none() && indices.len() > 2 {
            let next = |i: i64| match indices.iter().position(|&k| k == i) {
                Some(place) => indices[(place + 1) % indices.len()],
                None => i,
            };
            let (terms, everything) = (self.terms, Scope::everything(system));
            let turn = Exchange::candidate(terms, system, next, &everything);
            let found = |t: &Exchange| t.is_symmetry(terms, system, errors, &shapes(terms, system));
            self.generators.extend(turn.filter(found));
        }
        self
    }

    /// The exchanges.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.generators
    }

    /// The disjuncts by orbit, in order of their first members.
    pub fn orbits(&self, errors: &[Term]) -> Vec<Orbit> {
        let canonical: Vec<Term> = errors.iter().map(|&e| canonical(self.terms, e)).collect();
        let position: FxHashMap<Term, usize> =
            canonical.iter().enumerate().map(|(i, &e)| (e, i)).collect();
        let mut seen = vec![false; errors.len()];
        let mut orbits = Vec::new();
        for representative in 0..errors.len() {
            if seen[representative] {
                continue;
            }
            seen[representative] = true;
            let mut images = Vec::new();
            let mut work = vec![(representative, Vec::new())];
            while let Some((at, word)) = work.pop() {
                for g in 0..self.generators.len() {
                    let image = self.apply(g, canonical[at]);
                    let Some(&to) = image.and_then(|t| position.get(&t)) else {
                        continue;
                    };
                    if !seen[to] {
                        seen[to] = true;
                        let mut longer: Vec<usize> = word.clone();
                        longer.push(g);
                        images.push((to, longer.clone()));
                        work.push((to, longer));
                    }
                }
            }
            orbits.push(Orbit {
                representative,
                images,
            });
        }
        orbits
    }

    /// The image of a formula under one generator, in canonical form.
    fn apply(&self, generator: usize, formula: Term) -> Option<Term> {
        let mapped = self.generators[generator].map(self.terms, formula)?;
        Some(canonical(self.terms, mapped))
    }

    /// The image of a formula under several generators, applied in order.
    pub fn image(&self, word: &[usize], formula: Term) -> Option<Term> {
        word.iter()
            .try_fold(formula, |t, &g| self.generators[g].map(self.terms, t))
    }

    /// The formulas together with all their images.
    pub fn closure(&self, formulas: &[Term]) -> Option<Vec<Term>> {
        self.closure_within(formulas, usize::MAX)
    }

    /// The formulas together with all their images, if there are no more than `most`.
    pub fn closure_within(&self, formulas: &[Term], most: usize) -> Option<Vec<Term>> {
        let mut found: IndexSet<Term> =
            formulas.iter().map(|&f| canonical(self.terms, f)).collect();
        let mut next = 0;
        while let Some(&formula) = found.get_index(next) {
            next += 1;
            for g in 0..self.generators.len() {
                found.insert(self.apply(g, formula)?);
            }
            if found.len() > most {
                return None;
            }
        }
        Some(found.into_iter().collect())
    }

    /// Whether there is no symmetry.
    pub fn is_none(&self) -> bool {
        self.generators.is_empty()
    }
}

/// The indices of the variables of a system, in order.
pub fn indices(system: &Model) -> Vec<i64> {
    let fields = system.variables.iter();
    let fields = fields.filter_map(|&v| system.families.field(v));
    let found: BTreeSet<i64> = fields.flat_map(Field::indices).collect();
    found.into_iter().collect()
}

/// An indexed entity: the processes of a family, or one index position of variables declared over
/// ranges.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Family(usize),
    Elements(Option<usize>, String, usize),
}

/// The entities whose indices are exchanged, with their indices; everything else stays.
#[derive(Debug, PartialEq)]
struct Scope(BTreeMap<Place, BTreeSet<i64>>);

impl Scope {
    /// All indexed entities.
    fn everything(system: &Model) -> Scope {
        let mut places: BTreeMap<Place, BTreeSet<i64>> = BTreeMap::new();
        let variables = system.variables.iter().chain(&system.rigid);
        let variables = variables.filter_map(|&v| system.families.field(v));
        let parts = system.commands().flat_map(|c| &c.parts);
        for field in variables.chain(parts) {
            if let Some((family, index)) = field.process {
                places
                    .entry(Place::Family(family))
                    .or_default()
                    .insert(index);
            }
            for (position, &index) in field.elements.iter().enumerate() {
                let place = Place::of_element(field, position);
                places.entry(place).or_default().insert(index);
            }
        }
        Scope(places)
    }

    /// Candidate scopes: single families, then all entities with the same indices, then everything.
    fn all(system: &Model) -> Vec<Scope> {
        let all = Scope::everything(system);
        let of = |keeps: &dyn Fn(&Place, &BTreeSet<i64>) -> bool| {
            let mut places = all.0.clone();
            places.retain(|place, indices| keeps(place, indices));
            Scope(places)
        };
        let mut scopes = Vec::new();
        for place in all.0.keys().filter(|p| matches!(p, Place::Family(_))) {
            scopes.push(of(&|other, _| other == place));
        }
        for same in all.0.values() {
            scopes.push(of(&|_, indices| indices == same));
        }
        scopes.push(all);
        let mut distinct: Vec<Scope> = Vec::new();
        for scope in scopes {
            if !distinct.contains(&scope) {
                distinct.push(scope);
            }
        }
        distinct
    }

    /// Whether some entity has all of these indices.
    fn has(&self, indices: &[i64]) -> bool {
        self.0
            .values()
            .any(|own| indices.iter().all(|i| own.contains(i)))
    }

    fn is_subset(&self, other: &Scope) -> bool {
        self.0.keys().all(|place| other.0.contains_key(place))
    }

    /// A field with exchanged indices.
    fn image(&self, field: &Field, image: impl Fn(i64) -> i64) -> Field {
        let mut found = field.clone();
        if let Some((family, index)) = &mut found.process
            && self.0.contains_key(&Place::Family(*family))
        {
            *index = image(*index);
        }
        for (position, index) in found.elements.iter_mut().enumerate() {
            if self.0.contains_key(&Place::of_element(field, position)) {
                *index = image(*index);
            }
        }
        found
    }
}

impl Place {
    fn of_element(field: &Field, position: usize) -> Place {
        let family = field.process.map(|(family, _)| family);
        Place::Elements(family, field.name.clone(), position)
    }
}

/// The effect of an index change on the variables and commands of a system.
#[derive(Clone, Debug)]
pub struct Renumbering {
    /// The images of variables, constants and inputs.
    pub symbols: FxHashMap<Symbol, Symbol>,
    /// The images of commands, by the numbers of their edges.
    pub commands: Vec<usize>,
}

impl Renumbering {
    /// The renumbering of variables and commands, if all images exist.
    pub fn of(system: &Model, image: impl Fn(&Field) -> Field) -> Option<Renumbering> {
        let variables = system.families.symbols();
        let mut symbols = FxHashMap::default();
        for &symbol in system.variables.iter().chain(&system.rigid) {
            let to = match system.families.field(symbol) {
                Some(field) => *variables.get(&image(field))?,
                None => symbol,
            };
            symbols.insert(symbol, to);
        }
        let parts = system.commands().enumerate().rev();
        let by_parts: BTreeMap<&[Field], usize> = parts.map(|(i, c)| (&*c.parts, i)).collect();
        let mut commands = Vec::new();
        for (edge, command) in system.commands().enumerate() {
            let parts = command.parts.iter().map(&image);
            let parts: Vec<Field> = parts.collect();
            let to = match parts == command.parts {
                true => edge,
                false => *by_parts.get(parts.as_slice())?,
            };
            let inputs = &system.edges[to].command.inputs;
            if command.inputs.len() != inputs.len() {
                return None;
            }
            symbols.extend(command.inputs.iter().copied().zip(inputs.iter().copied()));
            commands.push(to);
        }
        Some(Renumbering { symbols, commands })
    }
}

/// The same formula with the arguments of conjunctions and disjunctions in a fixed order.
pub fn canonical(terms: &Terms, formula: Term) -> Term {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for t in terms.post_order(&[formula]) {
        let sorted = |list: &[Term]| {
            let mut args: Vec<Term> = list.iter().map(|c| done[c]).collect();
            args.sort();
            args
        };
        let new = match terms.node(t) {
            Node::And(list) => terms.and(sorted(list)),
            Node::Or(list) => terms.or(sorted(list)),
            _ => terms.rebuild(t, |c| done[&c]),
        };
        done.insert(t, new);
    }
    done[&formula]
}

/// A command as sets of conjuncts, independent of order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    conditions: BTreeSet<Term>,
    updates: BTreeMap<Symbol, Term>,
}

impl Exchange {
    /// The exchange of two indices everywhere, if it maps the system to itself.
    pub fn of(terms: &Terms, system: &Model, a: i64, b: i64) -> Option<Exchange> {
        let everything = Scope::everything(system);
        Exchange::checked(
            terms,
            system,
            [a, b],
            &everything,
            &[],
            &shapes(terms, system),
        )
    }

    fn checked(
        terms: &Terms,
        system: &Model,
        pair: [i64; 2],
        scope: &Scope,
        errors: &[Term],
        shapes: &BTreeSet<Shape>,
    ) -> Option<Exchange> {
        let [a, b] = pair;
        let exchanged = |i| match i {
            _ if i == a => b,
            _ if i == b => a,
            _ => i,
        };
        let exchange = Exchange::candidate(terms, system, exchanged, scope)?;
        let found = exchange.is_symmetry(terms, system, errors, shapes);
        found.then_some(exchange)
    }

    /// Whether it renames variables and keeps all values.
    pub fn keeps_values(&self) -> bool {
        self.values.is_empty()
    }

    /// The image of a variable or constant.
    pub fn symbol(&self, symbol: Symbol) -> Symbol {
        self.symbols.get(&symbol).copied().unwrap_or(symbol)
    }

    /// Whether all values of a variable are kept.
    pub fn keeps_values_of(&self, symbol: Symbol) -> bool {
        !self.values.contains_key(&symbol)
    }

    /// The image of a value of a variable.
    pub fn value(&self, symbol: Symbol, value: &Value) -> Value {
        let map = self.values.get(&symbol);
        map.map_or_else(|| value.clone(), |map| exchanged(map, value.clone()))
    }

    /// The exchange that the families suggest, where indices become others.
    fn candidate(
        terms: &Terms,
        system: &Model,
        other: impl Fn(i64) -> i64,
        scope: &Scope,
    ) -> Option<Exchange> {
        let renumbering = Renumbering::of(system, |f| scope.image(f, &other))?;
        let mut exchange = Exchange {
            symbols: renumbering.symbols,
            values: FxHashMap::default(),
        };
        let mut pairs = exchange.symbols.iter();
        if pairs.any(|(&v, &w)| terms.symbol_sort(v) != terms.symbol_sort(w)) {
            return None;
        }
        for (command, &to) in system.commands().zip(&renumbering.commands) {
            exchange.read_values(terms, command, system.command(to)?)?;
        }
        exchange.values.retain(|_, map| {
            map.sort();
            map.dedup();
            // A variable that never gets its own index as a value may still get that of the other
            // one.
            for (old, new) in map.clone() {
                let known = map.iter().any(|(a, b)| *a == new || *b == old);
                if !known {
                    map.push((new, old));
                }
            }
            map.sort();
            map.iter().any(|(x, y)| x != y)
        });
        let is_function = |map: &Vec<(Value, Value)>| {
            let from: BTreeSet<_> = map.iter().map(|(x, _)| x).collect();
            let to: BTreeSet<_> = map.iter().map(|(_, y)| y).collect();
            from.len() == map.len() && to.len() == map.len() && from == to
        };
        exchange
            .values
            .values()
            .all(is_function)
            .then_some(exchange)
    }

    /// Records that values assigned by corresponding commands correspond to each other.
    fn read_values(&mut self, terms: &Terms, command: &Command, image: &Command) -> Option<()> {
        for update in &command.updates {
            let to = image.update_of(*self.symbols.get(&update.symbol)?);
            let old = Value::from_term(terms, update.value);
            let new = to.and_then(|t| Value::from_term(terms, t));
            if let (Some(old), Some(new)) = (old, new) {
                self.values
                    .entry(update.symbol)
                    .or_default()
                    .push((old, new));
            }
        }
        Some(())
    }

    /// The image of a formula, or `None` if it cannot be mapped.
    pub fn map(&self, terms: &Terms, formula: Term) -> Option<Term> {
        let mut failed = false;
        let mut rewriter = Rewriter::new(terms, |t: Term| {
            let image = self.equation(terms, t).or_else(|| self.copy(terms, t));
            if let Some(image) = image.or_else(|| self.bound(terms, t)) {
                return Some(image);
            }
            let Node::Var(symbol, stage) = *terms.node(t) else {
                return None;
            };
            if self.values.contains_key(&symbol) {
                failed = true;
                return Some(t);
            }
            match self.symbols.get(&symbol) {
                Some(&image) => Some(terms.var_at(image, stage)),
                None => {
                    failed |= terms.symbol_kind(symbol) != SymbolKind::Rigid;
                    Some(t)
                }
            }
        });
        let image = rewriter.apply(formula);
        (!failed).then_some(image)
    }

    /// The image of `v = c`, where values of `v` are exchanged.
    fn equation(&self, terms: &Terms, t: Term) -> Option<Term> {
        let (symbol, stage, value) = equation(terms, t)?;
        let image = exchanged(self.values.get(&symbol)?, value);
        let var = terms.var_at(*self.symbols.get(&symbol)?, stage);
        Some(terms.eq(var, image.to_term(terms)))
    }

    /// The image of `v = w`, where values of both are exchanged in the same way.
    fn copy(&self, terms: &Terms, t: Term) -> Option<Term> {
        let (v, w) = match terms.node(t) {
            Node::Eq(v, w) => (*v, *w),
            Node::Zero(sum) => {
                let linear = terms.linear(*sum);
                let [(v, a), (w, b)] = linear.monomials() else {
                    return None;
                };
                let difference = linear.constant().is_zero() && (a + b).is_zero();
                difference.then_some((*v, *w))?
            }
            _ => return None,
        };
        let (from, to) = (variable(terms, v)?, variable(terms, w)?);
        let alike = self.values.get(&from.0)? == self.values.get(&to.0)?;
        let image = |(s, stage)| Some(terms.var_at(*self.symbols.get(&s)?, stage));
        let (from, to) = (image(from)?, image(to)?);
        alike.then(|| terms.eq(from, to))
    }

    /// The image of an atom about one variable that does not distinguish exchanged values, such as
    /// a common bound.
    fn bound(&self, terms: &Terms, t: Term) -> Option<Term> {
        let (Node::NonPos(_) | Node::Neg(_)) = terms.node(t) else {
            return None;
        };
        let variables = terms.free_vars(t);
        let (Some(&(symbol, stage)), 1) = (variables.first(), variables.len()) else {
            return None;
        };
        let var = terms.var_at(symbol, stage);
        let at = |value: &Value| {
            let mut values = Substitution::default();
            values.insert(var, value.to_term(terms));
            terms.as_bool(terms.substitute(t, &values))
        };
        let pairs = self.values.get(&symbol)?;
        let alike = pairs.iter().all(|(a, b)| at(a).is_some() && at(a) == at(b));
        let mut image = Substitution::default();
        image.insert(var, terms.var_at(*self.symbols.get(&symbol)?, stage));
        alike.then(|| terms.substitute(t, &image))
    }

    /// The image of an assignment.
    fn update(&self, terms: &Terms, symbol: Symbol, value: Term) -> Option<(Symbol, Term)> {
        let image = *self.symbols.get(&symbol)?;
        let Some(map) = self.values.get(&symbol) else {
            return Some((image, self.map(terms, value)?));
        };
        if let Some(constant) = Value::from_term(terms, value) {
            return Some((image, exchanged(map, constant).to_term(terms)));
        }
        // A copy of a variable with the same exchange of values.
        let (source, stage) = variable(terms, value)?;
        let alike = self.values.get(&source) == Some(map);
        let image_of_source = *self.symbols.get(&source)?;
        alike.then(|| (image, terms.var_at(image_of_source, stage)))
    }

    /// Whether it maps the system and the disjuncts of the error to themselves.
    fn is_symmetry(
        &self,
        terms: &Terms,
        system: &Model,
        errors: &[Term],
        shapes: &BTreeSet<Shape>,
    ) -> bool {
        let flat = |list: &[Term]| -> Vec<Term> {
            list.iter().flat_map(|&t| terms.conjuncts(t)).collect()
        };
        let keeps = |list: &[Term]| {
            let own: BTreeSet<Term> = list.iter().map(|&t| canonical(terms, t)).collect();
            let image = |&t: &Term| Some(canonical(terms, self.map(terms, t)?));
            let image: Option<BTreeSet<Term>> = list.iter().map(image).collect();
            image == Some(own)
        };
        let condition = |c| self.map(terms, c);
        let update = |symbol, value| self.update(terms, symbol, value);
        let image_is_there = |command: &Command| {
            let image = Shape::of_image(terms, command, condition, update);
            image.is_some_and(|shape| shapes.contains(&shape))
        };
        keeps(errors)
            && keeps(&flat(&system.init))
            && keeps(&flat(&system.restrict))
            && system.commands().all(image_is_there)
    }
}

impl Shape {
    /// The shape of the image of a command, if all its parts have images.
    fn of_image(
        terms: &Terms,
        command: &Command,
        condition: impl Fn(Term) -> Option<Term>,
        update: impl Fn(Symbol, Term) -> Option<(Symbol, Term)>,
    ) -> Option<Shape> {
        let conditions = command.guards.iter().chain(&command.relations);
        let conditions = conditions.flat_map(|&c| terms.conjuncts(c));
        let conditions = conditions.map(|c| Some(canonical(terms, condition(c)?)));
        let updates = command.updates.iter().map(|u| {
            let (symbol, value) = update(u.symbol, u.value)?;
            Some((symbol, canonical(terms, value)))
        });
        Some(Shape {
            conditions: conditions.collect::<Option<_>>()?,
            updates: updates.collect::<Option<_>>()?,
        })
    }
}

/// The shapes of the commands of a system.
fn shapes(terms: &Terms, system: &Model) -> BTreeSet<Shape> {
    let shape = |c| Shape::of_image(terms, c, Some, |s, v| Some((s, v)));
    system.commands().filter_map(shape).collect()
}

fn exchanged(map: &[(Value, Value)], value: Value) -> Value {
    let pair = map.iter().find(|(from, _)| *from == value);
    pair.map_or(value, |(_, to)| to.clone())
}

fn variable(terms: &Terms, t: Term) -> Option<(Symbol, Stage)> {
    match terms.node(t) {
        Node::Var(symbol, stage) => Some((*symbol, *stage)),
        _ => None,
    }
}

/// `v = c`: the variable, its stage and the value.
pub fn equation(terms: &Terms, atom: Term) -> Option<(Symbol, Stage, Value)> {
    match terms.node(atom) {
        Node::Eq(a, b) => {
            let (symbol, stage) = variable(terms, *a)?;
            Some((symbol, stage, Value::from_term(terms, *b)?))
        }
        Node::Zero(sum) => {
            let linear = terms.linear(*sum);
            let [(v, one)] = linear.monomials() else {
                return None;
            };
            let (symbol, stage) = variable(terms, *v)?;
            let constant = terms.number(-linear.constant(), terms.sort(*sum));
            let value = Value::from_term(terms, constant)?;
            (*one == Rat::ONE).then_some((symbol, stage, value))
        }
        _ => None,
    }
}
