//! The state of one refinement loop, and its queries to the solver.

use crate::abstraction::{Abstraction, Arc, Witness};
use crate::config::Config;
use crate::proof::Record;
use crate::relation::{Origin, RelationId, Relations};
use crate::syntactic::Syntactic;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_engine::{Discrete, EngineError, NodeId, Removed, Run, Stop, is_satisfiable};
use sectile_solver::{Answer, Eliminator, Interpolator, Solver};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};

/// Formulas that are implicit in the labels of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// For every state: restrictions of the model, and lemmas.
    pub all: Vec<Term>,
    /// For every state before the first error: negated disjuncts of the error.
    pub inner: Vec<Term>,
}

impl Background {
    /// The conditions on every state before the first error.
    pub fn before_error(&self) -> Vec<Term> {
        [&self.all[..], &self.inner[..]].concat()
    }
}

/// Statistics of one property, over all its loops.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Number of spurious paths analysed.
    pub iterations: u64,
    /// Number of nodes split.
    pub splits: u64,
    /// Queries whether a relation leads from one node to another.
    pub edge_checks: u64,
    /// Of these, refuted by the syntactic test.
    pub quick: u64,
    /// Number of edges that inherited a concrete step.
    pub inherited: u64,
    /// Number of edges composed by bypassing.
    pub bypassed: u64,
    /// Number of relations simplified.
    pub simplified: u64,
    /// Conjuncts removed by path slicing.
    pub left_out: u64,
    /// The predicates of all loops, in the order of discovery.
    pub predicates: Vec<Term>,
}

/// The state of one refinement loop.
pub struct Search<'s, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The options.
    pub config: &'s Config,
    /// All relations, with their preconditions.
    pub relations: &'s mut Relations<'t>,
    /// The abstraction graph.
    pub graph: Abstraction,
    /// The background of all labels.
    pub background: Background,
    /// Predicates used so far, in the order of discovery.
    pub vocabulary: IndexSet<Term>,
    /// Predicates of the user, which are tried first.
    pub prescribed: Vec<Term>,
    /// Splits chosen by the user: nodes by their numbers, and predicates.
    pub guide: Vec<(usize, Term)>,
    /// The discrete variables.
    pub discrete: Discrete,
    /// Removed nodes, for the proof.
    pub record: Record,
    /// The counters.
    pub counters: &'s mut Counters,
    /// Parts removed in this step, for observers.
    pub removed: Removed<RelationId>,
    /// Simplified relations, by their remaining parts.
    pub simpler: FxHashMap<(RelationId, Vec<Symbol>, Vec<Term>), RelationId>,
    /// The step of the refinement loop, for observers.
    pub step: u64,
    /// Eliminates quantifiers.
    pub eliminator: Box<dyn Eliminator + 't>,
    /// Computes interpolants.
    pub interpolator: Box<dyn Interpolator + 't>,
    /// Answers queries; has the background asserted.
    pub solver: Box<dyn Solver + 't>,
    /// The limits.
    pub budget: Budget,
    quick: Syntactic<'t>,
    entries: FxHashMap<(RelationId, bool), Option<Box<[Term]>>>,
}

impl<'s, 't> Search<'s, 't> {
    /// A loop over an empty abstraction.
    pub fn new(
        relations: &'s mut Relations<'t>,
        config: &'s Config,
        background: Background,
        counters: &'s mut Counters,
        run: &Run<'_>,
    ) -> Result<Search<'s, 't>, EngineError> {
        let terms = relations.terms;
        let mut solver = run.backend.solver(terms)?;
        for &lemma in &background.all {
            solver.assert(lemma)?;
        }
        Ok(Search {
            terms,
            config,
            relations,
            graph: Abstraction::default(),
            background,
            vocabulary: IndexSet::new(),
            prescribed: Vec::new(),
            guide: Vec::new(),
            discrete: Discrete::default(),
            record: Record::default(),
            counters,
            removed: Removed::default(),
            simpler: FxHashMap::default(),
            step: 0,
            eliminator: run.backend.eliminator(terms)?,
            interpolator: run.backend.interpolator(terms)?,
            solver,
            budget: run.budget.clone(),
            quick: Syntactic::new(terms),
            entries: FxHashMap::default(),
        })
    }

    /// The label of a node, including the background.
    pub fn full_label(&self, n: NodeId) -> Vec<Term> {
        let node = self.graph.node(n);
        let mut label = Vec::new();
        if !node.own.role.start {
            label.extend(&self.background.all);
            if !node.own.role.error {
                label.extend(&self.background.inner);
            }
        }
        label.extend(&node.label);
        label
    }

    /// The conditions under which a relation leads to some node of a kind: its own conditions, and
    /// the precondition of the background. `None` if it never does.
    fn entry(&mut self, relation: RelationId, to_error: bool) -> Option<Box<[Term]>> {
        if let Some(known) = self.entries.get(&(relation, to_error)) {
            return known.clone();
        }
        let terms = self.terms;
        let mut list = self.relations.get(relation).conditions.clone();
        let from_nowhere = self.relations.get(relation).origin[0] == Origin::Initial;
        let mut after = self.background.all.clone();
        if !to_error {
            after.extend(&self.background.inner);
        }
        for formula in after {
            let before = self.relations.precondition(relation, formula);
            // Unchanged conditions of the source need not be repeated, except for the choice of an
            // initial state, which has no source state.
            if before != formula || from_nowhere {
                list.extend(terms.conjuncts(before));
            }
        }
        let list: IndexSet<Term> = list.into_iter().filter(|&c| c != terms.tt()).collect();
        let impossible = list.contains(&terms.ff());
        let entry: Option<Box<[Term]>> = (!impossible).then(|| list.into_iter().collect());
        self.entries.insert((relation, to_error), entry.clone());
        entry
    }

    /// Conjuncts stating that the relation leads from a state of `m` to a state of `n`.
    ///
    /// All of them are about one copy of the variables. `None` if one of them is false.
    pub fn step_conjuncts(
        &mut self,
        m: NodeId,
        relation: RelationId,
        n: NodeId,
    ) -> Option<Vec<Term>> {
        let terms = self.terms;
        let to_error = self.graph.node(n).own.role.error;
        let entry = self.entry(relation, to_error)?;
        let mut list: Vec<Term> = self.graph.node(m).label.clone();
        for i in 0..self.graph.node(n).label.len() {
            let after = self.graph.node(n).label[i];
            let before = self.relations.precondition(relation, after);
            if before == terms.ff() {
                return None;
            }
            if before != terms.tt() {
                list.push(before);
            }
        }
        list.extend(entry.iter());
        let from = self.graph.node(m).own.role;
        if !from.start && !from.error {
            list.extend(&self.background.inner);
        }
        Some(list)
    }

    /// A concrete step from `m` to `n`, or `None` if there is none.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5, Inconsistent Transition]: `ν(m) ∧ τ ∧ ν(n)'`.
    pub fn concrete_step(
        &mut self,
        m: NodeId,
        relation: RelationId,
        n: NodeId,
    ) -> Result<Option<Witness>, Stop> {
        self.counters.edge_checks += 1;
        let Some(conjuncts) = self.step_conjuncts(m, relation, n) else {
            self.counters.quick += 1;
            return Ok(None);
        };
        if self.is_contradictory(&conjuncts) {
            self.counters.quick += 1;
            return Ok(None);
        }
        let terms = self.terms;
        match self.solver.check(&conjuncts, &self.budget)? {
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(why) => Err(why.into()),
            Answer::Sat(model) => {
                let value = |&symbol: &Symbol| {
                    let value = model.value(symbol, Stage::Now);
                    value.unwrap_or_else(|| Value::some_of(terms, terms.symbol_sort(symbol)))
                };
                let scope = self.relations.get(relation).scope.iter();
                Ok(Some(scope.map(value).collect()))
            }
        }
    }

    /// Whether the syntactic test refutes the conjuncts together with the background.
    fn is_contradictory(&mut self, conjuncts: &[Term]) -> bool {
        let all = conjuncts.iter().chain(&self.background.all).copied();
        self.config.syntactic && self.quick.contradictory(all)
    }

    /// Whether conjuncts over one state are consistent with the background.
    pub fn consistent(&mut self, conjuncts: &[Term]) -> Result<bool, Stop> {
        Ok(!self.is_contradictory(conjuncts) && self.is_satisfiable(conjuncts)?)
    }

    /// Whether the assumptions are consistent with the solver's assertions.
    pub fn is_satisfiable(&mut self, assumptions: &[Term]) -> Result<bool, Stop> {
        is_satisfiable(self.solver.as_mut(), assumptions, &self.budget)
    }

    /// The value of a formula after the known concrete step.
    pub fn holds_after(&mut self, arc: &Arc, formula: Term) -> Option<bool> {
        arc.witness()?;
        let before = self.relations.precondition(arc.relation, formula);
        self.holds_before(arc, before)
    }

    /// The value of a formula before the known concrete step.
    pub fn holds_before(&self, arc: &Arc, formula: Term) -> Option<bool> {
        let witness = arc.witness()?;
        let scope = &self.relations.get(arc.relation).scope;
        let of = |symbol: Symbol, _: Stage| -> Option<Value> {
            let position = scope.iter().position(|s| *s == symbol)?;
            Some(witness[position].clone())
        };
        evaluate(self.terms, formula, &of).ok()?.as_bool()
    }
}
