//! Abstraction relations: abstract variables with finitely many values and their meanings.

use rustc_hash::FxHashMap;
use sectile_domains::bdd::{Bdd, Manager, Space};
use sectile_model::Model;
use sectile_terms::{Node, Sort, Substitution, Symbol, Term, Terms};

/// An abstract variable: a case distinction over the concrete states.
///
/// Paper: [BeGrLa, Sect. 4.3]: Boolean variables for predicates, copies of control variables, and
/// data abstraction in general. Each value has a condition as its meaning, and some condition holds
/// in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractVariable {
    /// Its name.
    pub name: String,
    /// The names of its values.
    pub labels: Vec<String>,
    /// The meanings of its values.
    pub meanings: Vec<Term>,
    /// Its kind, for printing.
    pub kind: Kind,
}

/// The origin of an abstract variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A predicate: the values are false and true.
    Predicate,
    /// A copy of a concrete variable.
    Copy(Symbol),
    /// Any other case distinction.
    Data,
    /// Conditions that may overlap: a state has every value whose condition it satisfies.
    Relation,
}

/// An abstraction relation: `a` may have value `v` if the meaning of `v` holds. It is a function
/// unless a variable is of the kind [`Kind::Relation`].
#[derive(Clone, Debug, Default)]
pub struct Alpha {
    variables: Vec<AbstractVariable>,
    space: Space,
    known: FxHashMap<Term, (usize, usize)>,
}

impl Alpha {
    /// The relation without variables: a single abstract state.
    pub fn new() -> Alpha {
        Alpha::default()
    }

    /// The variables.
    pub fn variables(&self) -> &[AbstractVariable] {
        &self.variables
    }

    /// The encoding of abstract states.
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn push(&mut self, variable: AbstractVariable) {
        let index = self.space.add(variable.meanings.len());
        // If values overlap, a condition that holds does not determine the value of a state.
        if variable.kind != Kind::Relation {
            for (value, &meaning) in variable.meanings.iter().enumerate() {
                self.known.entry(meaning).or_insert((index, value));
            }
        }
        self.variables.push(variable);
    }

    /// Adds a predicate; false if it is trivial, or already there, possibly negated.
    pub fn add_predicate(&mut self, terms: &Terms, name: &str, predicate: Term) -> bool {
        let (atom, _) = terms.strip_not(predicate);
        if terms.as_bool(predicate).is_some() || self.known.contains_key(&atom) {
            return false;
        }
        let meaning = predicate;
        self.push(AbstractVariable {
            name: name.to_string(),
            labels: truth_values(),
            meanings: vec![terms.not(meaning), meaning],
            kind: Kind::Predicate,
        });
        true
    }

    /// Adds a copy of a Boolean or enumeration variable; false for other sorts, or if it is known.
    pub fn add_copy(&mut self, terms: &Terms, symbol: Symbol) -> bool {
        let variable = terms.var(symbol);
        let (labels, meanings) = match terms.symbol_sort(symbol) {
            Sort::Bool => (truth_values(), vec![terms.not(variable), variable]),
            Sort::Enum(id) => {
                let labels = terms.enum_info(id).variants.clone();
                let values = 0..u32::try_from(labels.len()).unwrap_or(u32::MAX);
                let is = |v| terms.eq(variable, terms.variant(id, v));
                (labels, values.map(is).collect())
            }
            _ => return false,
        };
        if self.known.contains_key(&meanings[meanings.len() - 1]) {
            return false;
        }
        self.push(AbstractVariable {
            name: terms.name(symbol).to_string(),
            labels,
            meanings,
            kind: Kind::Copy(symbol),
        });
        true
    }

    /// Adds copies of all variables with finitely many values.
    pub fn add_copies(&mut self, terms: &Terms, system: &Model) {
        for &symbol in system.variables.iter().chain(&system.rigid) {
            self.add_copy(terms, symbol);
        }
    }

    /// Adds a case distinction with names. The caller must have proved that exactly one case holds
    /// in every state.
    pub fn add_data(&mut self, name: &str, cases: &[(String, Term)]) {
        self.push(AbstractVariable {
            name: name.to_string(),
            labels: cases.iter().map(|c| c.0.clone()).collect(),
            meanings: cases.iter().map(|c| c.1).collect(),
            kind: Kind::Data,
        });
    }

    /// Adds conditions that may overlap, with names. The caller must have proved that at least one
    /// holds in every state.
    ///
    /// Paper: [BeGrLa, Notation 41]: a relation between concrete and abstract states.
    pub fn add_relation(&mut self, name: &str, cases: &[(String, Term)]) {
        self.push(AbstractVariable {
            name: name.to_string(),
            labels: cases.iter().map(|c| c.0.clone()).collect(),
            meanings: cases.iter().map(|c| c.1).collect(),
            kind: Kind::Relation,
        });
    }

    /// The variables whose values may overlap.
    pub fn relations(&self) -> Vec<usize> {
        let kinds = self.variables.iter().map(|v| v.kind).enumerate();
        let relations = kinds.filter(|(_, kind)| *kind == Kind::Relation);
        relations.map(|(position, _)| position).collect()
    }

    /// The number of predicates.
    pub fn predicates(&self) -> usize {
        let predicates = self.variables.iter();
        predicates.filter(|v| v.kind == Kind::Predicate).count()
    }

    /// Whether an atom or its negation is the meaning of some value.
    pub fn knows(&self, terms: &Terms, atom: Term) -> bool {
        self.known.contains_key(&terms.strip_not(atom).0) || self.known.contains_key(&atom)
    }

    /// The meaning of an abstract state.
    pub fn meaning(&self, terms: &Terms, state: &[usize]) -> Term {
        let pairs = self.variables.iter().zip(state);
        terms.and(pairs.map(|(v, &k)| v.meanings[k]))
    }

    /// The set of abstract states of a formula, if every atom of it is a value.
    ///
    /// Paper: [BeGrLa, Notation 41]: such formulas are abstracted exactly.
    pub fn exact(&self, terms: &Terms, m: &mut Manager, formula: Term) -> Option<Bdd> {
        let mut done: FxHashMap<Term, Option<Bdd>> = FxHashMap::default();
        for t in terms.post_order(&[formula]) {
            let set = self.exact_node(terms, m, t, &done);
            done.insert(t, set);
        }
        done[&formula]
    }

    fn exact_node(
        &self,
        terms: &Terms,
        m: &mut Manager,
        t: Term,
        done: &FxHashMap<Term, Option<Bdd>>,
    ) -> Option<Bdd> {
        if terms.sort(t) != Sort::Bool {
            return None;
        }
        if let Some(&(variable, value)) = self.known.get(&t) {
            return Some(self.space.value(m, variable, value, false));
        }
        let of = |c: &Term| done.get(c).copied().flatten();
        let all = |list: &[Term]| list.iter().map(of).collect::<Option<Vec<Bdd>>>();
        match terms.node(t) {
            Node::Bool(b) => Some(m.constant(*b)),
            Node::Not(a) => of(a).map(|a| m.not(a)),
            Node::And(list) => Some(m.and_all(all(list)?)),
            Node::Or(list) => Some(m.or_all(all(list)?)),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                Some(m.ite(c, a, b))
            }
            Node::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                let (a, b) = (of(a)?, of(b)?);
                Some(m.iff(a, b))
            }
            Node::Eq(a, b) => self.equal_copies(terms, m, *a, *b),
            _ => None,
        }
    }

    /// The set of abstract states in which two copied variables have the same value.
    fn equal_copies(&self, terms: &Terms, m: &mut Manager, a: Term, b: Term) -> Option<Bdd> {
        let copy = |t: Term| {
            self.variables.iter().position(|v| match v.kind {
                Kind::Copy(symbol) => terms.var(symbol) == t,
                _ => false,
            })
        };
        let (a, b) = (copy(a)?, copy(b)?);
        let mut same = Vec::new();
        for value in 0..self.space.size(a).min(self.space.size(b)) {
            let x = self.space.value(m, a, value, false);
            let y = self.space.value(m, b, value, false);
            same.push(m.and(x, y));
        }
        Some(m.or_all(same))
    }

    /// A relation over current and next abstract states as a formula over concrete ones.
    ///
    /// Paper: [BeGrLa, Sect. 5.2]: concretisation is substitution. Shared nodes are shared terms.
    pub fn concrete(&self, terms: &Terms, m: &mut Manager, set: Bdd) -> Term {
        let mut done = FxHashMap::default();
        self.concrete_node(terms, m, set, &mut done)
    }

    fn concrete_node(
        &self,
        terms: &Terms,
        m: &mut Manager,
        set: Bdd,
        done: &mut FxHashMap<Bdd, Term>,
    ) -> Term {
        let Some(level) = m.level(set) else {
            return terms.bool(set == Bdd::TRUE);
        };
        if let Some(&known) = done.get(&set) {
            return known;
        }
        let (variable, next) = self.space.variable_of(level);
        let groups = self.groups(m, set, variable, next);
        let stage = |t: Term| if next { terms.prime(t) } else { t };
        let meanings = &self.variables[variable].meanings;
        let mut cases = Vec::new();
        for (rest, values) in groups {
            let is = terms.or(values.iter().map(|&v| stage(meanings[v])));
            let rest = self.concrete_node(terms, m, rest, done);
            cases.push(terms.and2(is, rest));
        }
        let result = terms.or(cases);
        done.insert(set, result);
        result
    }

    /// Groups the values of a variable by the rest of the set.
    pub(crate) fn groups(
        &self,
        m: &mut Manager,
        set: Bdd,
        variable: usize,
        next: bool,
    ) -> Vec<(Bdd, Vec<usize>)> {
        let mut groups: Vec<(Bdd, Vec<usize>)> = Vec::new();
        for value in 0..self.space.size(variable) {
            let here = self.space.value(m, variable, value, next);
            let rest = m.and_exists(set, here, &|level| {
                self.space.variable_of(level) == (variable, next)
            });
            match groups.iter_mut().find(|(r, _)| *r == rest) {
                Some((_, values)) => values.push(value),
                None => groups.push((rest, vec![value])),
            }
        }
        groups
    }

    /// The meanings of a variable's values after a step, with assigned values substituted.
    pub fn after(&self, terms: &Terms, variable: usize, map: &Substitution) -> Vec<Term> {
        let meanings = self.variables[variable].meanings.iter();
        meanings
            .map(|&t| terms.substitute(terms.prime(t), map))
            .collect()
    }
}

fn truth_values() -> Vec<String> {
    vec!["false".to_string(), "true".to_string()]
}
