//! From a property to refinement loops, and from what they prove to one certificate.
//!
//! Paper: [BrDrFiWe07, Def. 2] starts one loop with one error node. By default the error is taken
//! apart instead: for every disjunct `e` of the error one loop shows that `e` is never the *first*
//! error. All other disjuncts are then false in all inner nodes, whatever their own loops find
//! out: a run into an error has a first error state, which satisfies some disjunct, and no state
//! before it satisfies any. In one graph the proofs of all disjuncts would multiply.

use crate::abstraction::{Arc, NodeId, Role};
use crate::config::{Config, Order};
use crate::discrete::Discrete;
use crate::reduce::Reduction;
use crate::relation::{RelationId, Relations};
use crate::rounds::Outcome;
use crate::search::{Background, Counters, Search, Stop};
use crate::seeds::Seeds;
use crate::symmetry::{Orbit, Symmetry, canonical};
use indexmap::IndexSet;
use sectile_engine::{Event, Run};
use sectile_model::{Certificate, Trace, TransitionSystem, Verdict};
use sectile_solver::Undecided;
use sectile_terms::{NativePrinter, Node, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// After so many refinements of one part, lemmas are looked for before it is tried again.
const SEED_AFTER: u64 = 120;

/// More disjuncts than this are checked in one loop: each loop has a price of its own.
const MANY_DISJUNCTS: usize = 4096;

/// A system and the states it must not reach.
pub struct Question<'q, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'q TransitionSystem,
    /// The error.
    pub bad: Term,
    /// How to work.
    pub config: &'q Config,
    /// Predicates of the user.
    pub predicates: &'q [Term],
}

/// What is known when a loop ends early.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Disjuncts of the error that are excluded.
    pub done: usize,
    /// All disjuncts.
    pub parts: usize,
    /// Counts.
    pub counters: Counters,
}

/// The disjuncts of a formula, as far as they are written as such.
pub fn disjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found: IndexSet<Term> = IndexSet::new();
    let mut work = vec![formula];
    while let Some(t) = work.pop() {
        let (inner, negated) = terms.strip_not(t);
        match (terms.node(inner), negated) {
            (Node::Or(list), false) => work.extend(list.iter().rev().copied()),
            (Node::And(list), true) => work.extend(list.iter().rev().map(|&l| terms.not(l))),
            (Node::Bool(b), _) if *b == negated => {}
            _ => {
                found.insert(t);
            }
        }
    }
    found.into_iter().collect()
}

impl Question<'_, '_> {
    /// Decides the question.
    pub fn decide(&self, progress: &mut Progress, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        let mut errors = disjuncts(self.terms, self.bad);
        if !self.config.decompose || errors.len() > MANY_DISJUNCTS {
            errors = vec![self.bad];
        }
        if self.config.four_nodes {
            self.as_in_the_paper(progress, run)
        } else {
            self.first_errors(&errors, progress, run)
        }
    }

    /// Enters all commands, in the order in which paths shall prefer them.
    fn relations_for<'t>(
        &self,
        error: Term,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
    ) -> Vec<RelationId> {
        let mut order = commands.to_vec();
        match self.config.order {
            Order::Model => {}
            Order::Reverse => order.reverse(),
            Order::Relevance => {
                let vars = self.terms.free_vars(error);
                let mentioned: BTreeSet<Symbol> = vars.iter().map(|v| v.0).collect();
                order.sort_by_key(|&r| {
                    let changed = relations.get(r).changes(self.terms);
                    std::cmp::Reverse(changed.filter(|v| mentioned.contains(v)).count())
                });
            }
        }
        order
    }

    fn enter_commands(&self, relations: &mut Relations<'_>) -> Vec<RelationId> {
        let commands = self.system.commands.iter().enumerate();
        let mut ids: Vec<RelationId> = commands.map(|(i, c)| relations.command(i, c)).collect();
        if self.config.idle {
            ids.push(relations.idle());
        }
        ids
    }

    fn restrictions(&self) -> Vec<Term> {
        let all = self.system.restrict.iter();
        all.flat_map(|&r| self.terms.conjuncts(r)).collect()
    }

    /// Paper: [BrDrFiWe07, Def. 2]: four nodes by the values of `init` and `error`, and four edges,
    /// none of which enters an initial node or leaves an error node.
    fn as_in_the_paper(&self, progress: &mut Progress, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        let terms = self.terms;
        let mut relations = Relations::new(terms, self.system);
        let commands = self.enter_commands(&mut relations);
        let order = self.relations_for(self.bad, &mut relations, &commands);
        let background = Background {
            all: self.restrictions(),
            inner: Vec::new(),
        };
        progress.parts = 1;
        let mut search = Search::new(
            &mut relations,
            self.config,
            background,
            &mut progress.counters,
            run,
        )?;
        search.prescribed = self.predicates.to_vec();
        let init = terms.and(self.system.init.iter().copied());
        let (not_init, error) = (terms.not(init), self.bad);
        let not_error = terms.not(error);
        let role = |initial: bool, error: bool| Role {
            initial,
            error,
            start: false,
        };
        let n1 = search
            .graph
            .add_node(vec![init, not_error], role(true, false));
        let n2 = search
            .graph
            .add_node(vec![not_init, not_error], role(false, false));
        let n3 = search
            .graph
            .add_node(vec![not_init, error], role(false, true));
        search.graph.add_node(vec![init, error], role(true, true));
        for (from, to) in [(n1, n2), (n1, n3), (n2, n2), (n2, n3)] {
            for &relation in &order {
                search.graph.add_arc(from, to, Arc::open(relation));
            }
        }
        let outcome = search.refine(u64::MAX, run)?;
        let verdict = match outcome {
            Outcome::Paused => {
                let why = "the refinement loop paused".to_string();
                return Err(Stop::Undecided(Undecided::Incomplete(why)));
            }
            Outcome::ErrorPath(path) => {
                let trace = search.concretize(&path, self.system, self.bad, run)?;
                Verdict::Violated(Certificate::Trace(trace))
            }
            Outcome::Empty => {
                let budget = run.budget.clone();
                let record = std::mem::take(&mut search.record);
                let Search {
                    relations,
                    eliminator,
                    ..
                } = &mut search;
                let invariant = record.disjunction(relations, eliminator.as_mut(), &budget)?;
                let invariant = invariant.map_err(Stop::Undecided)?;
                Verdict::Holds(Certificate::Invariant(invariant))
            }
        };
        run.count("predicates", search.vocabulary.len() as u64);
        progress.done = 1;
        Ok(verdict)
    }

    /// One loop for every disjunct of the error.
    fn first_errors(
        &self,
        errors: &[Term],
        progress: &mut Progress,
        run: &mut Run<'_>,
    ) -> Result<Verdict, Stop> {
        let terms = self.terms;
        let mut relations = Relations::new(terms, self.system);
        let init: Vec<Term> = self
            .system
            .init
            .iter()
            .flat_map(|&i| terms.conjuncts(i))
            .collect();
        let start = relations.initial(&init);
        let commands = self.enter_commands(&mut relations);
        let mut invariant: IndexSet<Term> = IndexSet::new();
        let mut background = Background {
            all: self.restrictions(),
            inner: errors
                .iter()
                .map(|&e| canonical(terms, terms.not(e)))
                .collect(),
        };
        let mut most = if self.config.seeds {
            SEED_AFTER
        } else {
            u64::MAX
        };
        invariant.extend(background.inner.iter().copied());
        progress.parts = errors.len();
        let mut predicates: IndexSet<Term> = IndexSet::new();
        let symmetry = if self.config.symmetry {
            Symmetry::of(terms, self.system, errors)
        } else {
            Symmetry::none(terms)
        };
        let discrete = Discrete::of(terms, self.system, self.bad);
        let mut todo: Vec<Orbit> = symmetry.orbits(errors);
        todo.reverse();
        while let Some(orbit) = todo.pop() {
            let error = errors[orbit.representative];
            if errors.len() > 1 {
                run.tell(Event::Part {
                    index: orbit.representative + 1,
                    of: errors.len(),
                    name: NativePrinter::new(terms).print(error),
                });
            }
            let part = Part {
                question: self,
                error,
                start,
                order: self.relations_for(error, &mut relations, &commands),
                most,
            };
            let counters = &mut progress.counters;
            let ended = part.run(
                &mut relations,
                &background,
                &discrete,
                counters,
                &mut predicates,
                run,
            )?;
            let clauses = match ended {
                Ended::Excluded(clauses) => clauses,
                Ended::Reached(trace) => {
                    return Ok(Verdict::Violated(Certificate::Trace(trace)));
                }
                Ended::Paused => {
                    most = u64::MAX;
                    let seeds = Seeds {
                        terms,
                        system: self.system,
                        symmetry: &symmetry,
                        discrete: &discrete,
                        background: background
                            .all
                            .iter()
                            .chain(&background.inner)
                            .copied()
                            .collect(),
                    };
                    let lemmas = seeds.find(&mut relations, &commands, run)?;
                    run.count("lemmas", lemmas.len() as u64);
                    background.all.extend(&lemmas);
                    invariant.extend(lemmas);
                    todo.push(orbit);
                    continue;
                }
            };
            progress.done += 1;
            for (index, word) in orbit.images {
                let image: Option<Vec<Term>> =
                    clauses.iter().map(|&c| symmetry.image(&word, c)).collect();
                match image {
                    Some(image) => {
                        invariant.extend(image);
                        progress.done += 1;
                    }
                    // A clause may say something that the exchange cannot express.
                    None => todo.push(Orbit {
                        representative: index,
                        images: Vec::new(),
                    }),
                }
            }
            invariant.extend(clauses);
            run.count("predicates", predicates.len() as u64);
        }
        // Images of an inductive invariant are inductive, and so are they all together.
        let invariant: Vec<Term> = invariant.into_iter().collect();
        let none = Symmetry::none(terms);
        let (invariant, symmetry) = match symmetry.closure(&invariant) {
            Some(closed) => (closed, &symmetry),
            None => (invariant, &none),
        };
        let reduction = Reduction {
            terms,
            restrict: &self.restrictions(),
            invariant,
            goals: &background.inner,
            symmetry,
        };
        let invariant = reduction.sufficient(&mut relations, &commands, run)?;
        Ok(Verdict::Holds(Certificate::Invariant(terms.and(invariant))))
    }
}

/// One disjunct of the error.
struct Part<'q, 't> {
    question: &'q Question<'q, 't>,
    error: Term,
    start: RelationId,
    order: Vec<RelationId>,
    most: u64,
}

/// How a part ends.
enum Ended {
    /// The disjunct is never the first error: these formulas show it.
    Excluded(Vec<Term>),
    /// A run reaches it.
    Reached(Trace),
    /// It needs more refinements than it was allowed.
    Paused,
}

impl<'t> Part<'_, 't> {
    fn run(
        &self,
        relations: &mut Relations<'t>,
        background: &Background,
        discrete: &Discrete,
        counters: &mut Counters,
        predicates: &mut IndexSet<Term>,
        run: &mut Run<'_>,
    ) -> Result<Ended, Stop> {
        let terms = self.question.terms;
        let config = self.question.config;
        let mut search = Search::new(relations, config, background.clone(), counters, run)?;
        search.prescribed = self.question.predicates.to_vec();
        search.discrete = discrete.clone();
        let start = search.graph.add_node(
            vec![],
            Role {
                initial: true,
                error: false,
                start: true,
            },
        );
        let label = terms.conjuncts(self.error);
        let error = search.graph.add_node(
            label,
            Role {
                initial: false,
                error: true,
                start: false,
            },
        );
        let inner = search.graph.add_node(vec![], Role::INNER);
        self.connect(&mut search, start, &[inner], error);
        let touched = BTreeSet::from([start, error, inner]);
        search.slice(&touched, run)?;
        if search.graph.error_path().is_some_and(|p| p.len() > 2) {
            self.split_up_front(&mut search, start, inner, error);
        }
        let outcome = search.refine(self.most, run)?;
        predicates.extend(search.vocabulary.iter().copied());
        Ok(match outcome {
            Outcome::Paused => Ended::Paused,
            Outcome::Empty => Ended::Excluded(search.clauses(run)?),
            Outcome::ErrorPath(path) => {
                let system = self.question.system;
                Ended::Reached(search.concretize(&path, system, self.error, run)?)
            }
        })
    }

    /// Every relation on every edge; the slice decides.
    fn connect(&self, search: &mut Search<'_, 't>, start: NodeId, inner: &[NodeId], error: NodeId) {
        search.graph.add_arc(start, error, Arc::open(self.start));
        for &m in inner {
            search.graph.add_arc(start, m, Arc::open(self.start));
            for &relation in &self.order {
                search.graph.add_arc(m, error, Arc::open(relation));
                for &n in inner {
                    search.graph.add_arc(m, n, Arc::open(relation));
                }
            }
        }
    }

    /// Replaces the inner node by one for every combination of values of the control variables
    /// that the error mentions, if there are not too many.
    fn split_up_front(
        &self,
        search: &mut Search<'_, 't>,
        start: NodeId,
        inner: NodeId,
        error: NodeId,
    ) {
        let terms = self.question.terms;
        let mut labels: Vec<Vec<Term>> = vec![Vec::new()];
        for (symbol, domain) in self.control_variables(&search.discrete) {
            let var = terms.var(symbol);
            let product = labels.len() * domain.len();
            if product as u64 > self.question.config.up_front {
                continue;
            }
            let mut longer = Vec::with_capacity(product);
            for label in &labels {
                for value in &domain {
                    let mut label = label.clone();
                    label.push(terms.eq(var, *value));
                    longer.push(label);
                }
            }
            labels = longer;
        }
        if labels.len() < 2 {
            return;
        }
        search.graph.remove_node(inner);
        for label in &labels {
            search
                .vocabulary
                .extend(label.iter().map(|&p| terms.strip_not(p).0));
        }
        let nodes: Vec<NodeId> = labels
            .into_iter()
            .map(|label| search.graph.add_node(label, Role::INNER))
            .collect();
        self.connect(search, start, &nodes, error);
    }

    /// The variables of the error with a small domain, and their values.
    fn control_variables(&self, discrete: &Discrete) -> Vec<(Symbol, Vec<Term>)> {
        let terms = self.question.terms;
        let vars = terms.free_vars(self.error);
        let with_domain = vars.iter().filter_map(|v| {
            let domain = discrete.domain(v.0)?.iter();
            Some((v.0, domain.map(|value| value.to_term(terms)).collect()))
        });
        with_domain.collect()
    }
}
