//! Candidate lemmas: facts that a step establishes may hold afterwards.
//!
//! In a protocol with phases, the conjuncts of a step of a phase state what it establishes, over
//! what it keeps. Read about the state after the step, every such conjunct is a fact that may hold
//! from then on, or as long as control is at the target of the step. Which of these candidates are
//! invariants is decided elsewhere.

use indexmap::{IndexMap, IndexSet};
use sectile_engine::{Guess, SafetyQuestion};
use sectile_model::{Command, Model};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of alternatives of a command that are considered separately.
const MOST_WAYS: usize = 64;

/// Maximum number of values of a control variable.
const MOST_VALUES: usize = 32;

/// Maximum number of candidates.
const MOST_GUESSES: usize = 4000;

/// Formulas over the state that may be invariants; none if there would be too many.
///
/// The facts of a step are tried everywhere, then under the value of each single control variable
/// after the step, and those of the step itself under all of these values together.
pub fn guesses(terms: &Terms, asked: &SafetyQuestion<'_>) -> Vec<Guess> {
    let system = asked.system;
    let lists = system.commands().flat_map(|c| alternatives(terms, c));
    let mut ways: Vec<Alternative> = lists
        .map(|list| Alternative::new(terms, system, list))
        .collect();
    ways.push(Alternative::initial(terms, system));
    ways.retain(|w| !w.leads_into(terms, asked.bad));
    let control = control(terms, system, &ways);
    let marks: Vec<Vec<Term>> = ways.iter().map(|w| w.marks(terms, &control)).collect();
    let single: BTreeSet<Term> = marks.iter().flatten().copied().collect();
    let here: Vec<Term> = marks.into_iter().map(|m| terms.and(m)).collect();
    let mut found: IndexMap<Term, IndexSet<Term>> = IndexMap::new();
    found.insert(terms.or(here.iter().copied()), IndexSet::new());
    for (way, &here) in ways.iter().zip(&here) {
        for fact in way.facts(terms) {
            let places = single.iter().copied().chain([here]);
            let weaker = places.map(|place| terms.implies(place, fact));
            found.entry(fact).or_default().extend(weaker);
            if found.len() * (1 + single.len()) > MOST_GUESSES {
                return Vec::new();
            }
        }
    }
    let says_something = |t: &Term| terms.as_bool(*t).is_none();
    let guesses = found.into_iter().filter(|g| says_something(&g.0));
    let guesses = guesses.map(|(claim, weaker)| Guess {
        claim,
        weaker: weaker.into_iter().filter(says_something).collect(),
    });
    guesses.collect()
}

/// The conjuncts of a command, once for each of its alternatives.
fn alternatives(terms: &Terms, command: &Command) -> Vec<Vec<Term>> {
    let conjuncts = command.conjuncts(terms).into_iter();
    let mut done = Vec::new();
    let all: Vec<Term> = conjuncts.flat_map(|c| terms.conjuncts(c)).collect();
    // The number of conjuncts of a list that are already expanded, or are not choices.
    let mut open = vec![(all.clone(), 0)];
    while let Some((list, looked_at)) = open.pop() {
        let rest = list.iter().skip(looked_at);
        let choice = rest.copied().position(|c| is_choice_of_control(terms, c));
        let Some(place) = choice.map(|p| looked_at + p) else {
            done.push(list);
            continue;
        };
        for part in terms.disjuncts(list[place]) {
            let mut one = list.clone();
            one.extend(terms.conjuncts(part));
            open.push((one, place + 1));
        }
        if open.len() + done.len() > MOST_WAYS {
            return vec![all];
        }
    }
    done.reverse();
    done
}

/// Whether every part of a disjunction assigns a value to the same variable, or keeps it.
fn is_choice_of_control(terms: &Terms, formula: Term) -> bool {
    let Node::Or(parts) = terms.node(formula) else {
        return false;
    };
    let mut common: Option<BTreeSet<Symbol>> = None;
    let mut sets = false;
    for &part in parts {
        let conjuncts = terms.conjuncts(part);
        let values = conjuncts.iter().filter_map(|&c| value_of(terms, c));
        let values = values.filter(|v| v.1 == Stage::Next).map(|v| v.0);
        let mut here: BTreeSet<Symbol> = values.collect();
        sets |= !here.is_empty();
        here.extend(conjuncts.iter().filter_map(|&c| kept_by(terms, c)));
        common = Some(match common {
            None => here,
            Some(known) => known.intersection(&here).copied().collect(),
        });
    }
    sets && common.is_some_and(|c| !c.is_empty())
}

/// The variable to which an equation gives a constant value, at a stage, unless it is Boolean.
fn value_of(terms: &Terms, equation: Term) -> Option<(Symbol, Stage, Term)> {
    let variable = |t: Term| match *terms.node(t) {
        Node::Var(symbol, stage) if terms.symbol_kind(symbol) == SymbolKind::State => {
            Some((symbol, stage))
        }
        _ => None,
    };
    match *terms.node(equation) {
        Node::Eq(a, b) if matches!(terms.node(b), Node::Variant(..)) => {
            let (symbol, stage) = variable(a)?;
            Some((symbol, stage, b))
        }
        Node::Zero(t) => {
            let linear = terms.linear(t);
            let [(one, factor)] = linear.monomials() else {
                return None;
            };
            let (symbol, stage) = variable(*one)?;
            let value = -(linear.constant() / factor);
            let value = terms.number(value, terms.symbol_sort(symbol));
            Some((symbol, stage, value))
        }
        _ => None,
    }
}

/// The variable that a conjunct keeps unchanged.
fn kept_by(terms: &Terms, conjunct: Term) -> Option<Symbol> {
    let mut next = terms.free_vars(conjunct).into_iter();
    let (symbol, _) = next.find(|v| v.1 == Stage::Next)?;
    let frame = terms.eq(terms.next(symbol), terms.var(symbol));
    (frame == conjunct).then_some(symbol)
}

/// The input that a conjunct makes the next value of a variable, and that variable.
fn chosen_by(terms: &Terms, conjunct: Term) -> Option<(Symbol, Symbol)> {
    let variables: Vec<(Symbol, Stage)> = terms.free_vars(conjunct).into_iter().collect();
    if variables.len() != 2 {
        return None;
    }
    let (symbol, _) = *variables.iter().find(|v| v.1 == Stage::Next)?;
    let is_input = |v: &&(Symbol, Stage)| terms.symbol_kind(v.0) == SymbolKind::Input;
    let (input, _) = *variables.iter().find(is_input)?;
    let same_sort = terms.symbol_sort(symbol) == terms.symbol_sort(input);
    let chosen = same_sort && terms.eq(terms.next(symbol), terms.var(input)) == conjunct;
    chosen.then_some((input, symbol))
}

/// One alternative of a step: its conjuncts, and their effects on single variables.
struct Alternative {
    conjuncts: Vec<Term>,
    kept: BTreeSet<Symbol>,
    before: BTreeMap<Symbol, Term>,
    after: BTreeMap<Symbol, Term>,
}

impl Alternative {
    fn new(terms: &Terms, system: &Model, conjuncts: Vec<Term>) -> Alternative {
        let own: BTreeSet<Symbol> = system.variables.iter().copied().collect();
        let kept = conjuncts.iter().filter_map(|&c| kept_by(terms, c));
        let mut way = Alternative {
            kept: kept.filter(|s| own.contains(s)).collect(),
            conjuncts,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        };
        for &conjunct in &way.conjuncts {
            match value_of(terms, conjunct) {
                Some((s, Stage::Now, value)) => way.before.insert(s, value),
                Some((s, Stage::Next, value)) => way.after.insert(s, value),
                _ => None,
            };
        }
        way
    }

    /// The initial condition as a step without a source.
    fn initial(terms: &Terms, system: &Model) -> Alternative {
        let conjuncts = system.init.iter().flat_map(|&c| terms.conjuncts(c));
        let conjuncts = conjuncts.map(|c| terms.prime(c)).collect();
        Alternative::new(terms, system, conjuncts)
    }

    /// The value of a variable after the step.
    fn value(&self, symbol: Symbol) -> Option<Term> {
        let kept = self.kept.contains(&symbol);
        let before = self.before.get(&symbol).filter(|_| kept);
        self.after.get(&symbol).or(before).copied()
    }

    /// The control values after the step.
    fn marks(&self, terms: &Terms, control: &[Symbol]) -> Vec<Term> {
        let known = control.iter().filter_map(|&s| {
            let value = self.value(s)?;
            Some(terms.eq(terms.var(s), value))
        });
        known.collect()
    }

    /// Whether the values after the step alone make a formula true.
    fn leads_into(&self, terms: &Terms, formula: Term) -> bool {
        let values = self.after.iter().map(|(&s, &v)| (terms.var(s), v));
        let map: Substitution = values.collect();
        terms.as_bool(terms.substitute(formula, &map)) == Some(true)
    }

    /// The facts about the state after the step.
    fn facts(&self, terms: &Terms) -> Vec<Term> {
        let mut map = Substitution::default();
        for (&symbol, &value) in &self.before {
            map.insert(terms.var(symbol), value);
        }
        for &symbol in &self.kept {
            map.insert(terms.var(symbol), terms.next(symbol));
        }
        for &conjunct in &self.conjuncts {
            if let Some((input, symbol)) = chosen_by(terms, conjunct) {
                map.insert(terms.var(input), terms.next(symbol));
            }
        }
        let facts = self.conjuncts.iter().filter_map(|&conjunct| {
            let fact = terms.substitute(conjunct, &map);
            let mut variables = terms.free_vars(fact).into_iter();
            let after = variables.all(|(symbol, stage)| match terms.symbol_kind(symbol) {
                SymbolKind::State => stage == Stage::Next,
                SymbolKind::Rigid => true,
                SymbolKind::Input | SymbolKind::Bound => false,
            });
            after.then(|| terms.unprime(fact))
        });
        facts.filter(|&f| terms.as_bool(f).is_none()).collect()
    }
}

/// The variables that every step sets to a constant or keeps.
fn control(terms: &Terms, system: &Model, ways: &[Alternative]) -> Vec<Symbol> {
    let is_control = |s: &Symbol| {
        let values: BTreeSet<&Term> = ways.iter().filter_map(|w| w.after.get(s)).collect();
        let tells = |w: &Alternative| w.after.contains_key(s) || w.kept.contains(s);
        let few = (2..=MOST_VALUES).contains(&values.len());
        few && terms.symbol_sort(*s) != Sort::Bool && ways.iter().all(tells)
    };
    let variables = system.variables.iter().copied();
    variables.filter(is_control).collect()
}
