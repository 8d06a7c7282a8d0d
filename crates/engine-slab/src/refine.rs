//! Refinement: chooses a predicate that refutes a spurious path, and splits a node by it.

use crate::path::Path;
use crate::search::Search;
use sectile_engine::{End, Event, Interest, NodeId, Run, Stop, step_number};
use sectile_solver::{Answer, Interpolation};
use sectile_terms::{NativePrinter, Stage, Symbol, SymbolKind, Term, Value, evaluate};
use std::collections::BTreeSet;

/// A state of the last but one node of a spurious part, with the values of symbolic constants.
type Sample = Vec<(Symbol, Value)>;

/// The infeasible part of a path, cut before its last step.
struct Cut<'p> {
    path: &'p Path,
    first: usize,
    last: usize,
    /// A state that the part reaches before the last step.
    reached: Sample,
    /// A state from which the last step is possible, if one is known.
    leaving: Option<Sample>,
}

impl Cut<'_> {
    /// The position of the node that is split.
    fn position(&self) -> usize {
        self.last - 1
    }
}

/// A predicate for a split, with its source.
type Chosen = (Term, &'static str);

impl Search<'_, '_> {
    /// Refutes the infeasible part by splitting its last but one node; returns the two halves.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2].
    pub fn refute(
        &mut self,
        path: &Path,
        first: usize,
        last: usize,
        run: &mut Run<'_>,
    ) -> Result<BTreeSet<NodeId>, Stop> {
        let reached = self.reached_sample(path, first, last)?;
        let leaving = self.leaving_sample(path, last);
        let cut = Cut {
            path,
            first,
            last,
            reached,
            leaving,
        };
        let (predicate, source) = self.choose(&cut)?;
        let n = path.nodes[cut.position()];
        if run.wants(Interest::Steps) {
            let text = NativePrinter::new(self.terms).print(predicate);
            run.tell(Event::PathRefuted {
                first,
                last,
                interpolants: vec![(cut.position(), text)],
            });
        }
        let copy = self.split(n, predicate, source, run);
        Ok(BTreeSet::from([n, copy]))
    }

    /// Splits a node and distributes the known concrete steps to the halves.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.1].
    pub fn split(&mut self, n: NodeId, q: Term, source: &'static str, run: &mut Run<'_>) -> NodeId {
        let not_q = self.terms.not(q);
        let (atom, _) = self.terms.strip_not(q);
        let copy = self.graph.copy(n);
        self.graph.node_mut(n).label.push(q);
        self.graph.node_mut(copy).label.push(not_q);
        self.counters.splits += 1;
        let is_new = self.vocabulary.insert(atom);
        if is_new {
            self.counters.predicates.push(atom);
            run.born(self.terms, q, source);
        }
        if run.wants(Interest::Steps) {
            run.tell(Event::Split {
                node: n + 1,
                halves: [n + 1, copy + 1],
                predicate: NativePrinter::new(self.terms).print(q),
            });
        }
        self.distribute(n, copy, q);
        copy
    }

    /// Every copy of an edge keeps its concrete step if the step belongs there, and is open
    /// otherwise.
    fn distribute(&mut self, n: NodeId, copy: NodeId, q: Term) {
        let mut graph = std::mem::take(&mut self.graph);
        self.counters.inherited += graph.inherit([n, copy], |arc, end| match end {
            _ if !self.config.witnesses => None,
            End::Before => self.holds_before(arc, q),
            End::After => self.holds_after(arc, q),
        });
        self.graph = graph;
    }

    /// A predicate that holds after the prefix and fails where the last step is possible.
    fn choose(&mut self, cut: &Cut<'_>) -> Result<Chosen, Stop> {
        let prescribed = self.prescribed.clone();
        if let Some(predicate) = self.first_separating(cut, &prescribed)? {
            return Ok((predicate, "prescribed"));
        }
        if self.config.reuse {
            let known: Vec<Term> = self.vocabulary.iter().copied().collect();
            if let Some(predicate) = self.first_separating(cut, &known)? {
                return Ok((predicate, "reuse"));
            }
        }
        let mut before = self.prefix(cut.path, cut.first, cut.last);
        let after = self.after(cut, &before)?;
        if self.config.path_slice {
            before = self.path_slice(before, &after)?;
        }
        if !self.config.atomic {
            return Ok((self.interpolant(cut, before, after)?, "interpolant"));
        }
        if let Some(predicate) = self.control_literal(cut, &after) {
            return Ok((predicate, "control"));
        }
        let interpolant = self.interpolant(cut, before, after)?;
        Ok((self.distinguishing_atom(cut, interpolant), "interpolant"))
    }

    /// The first candidate that is an interpolant of the cut, possibly negated.
    fn first_separating(
        &mut self,
        cut: &Cut<'_>,
        candidates: &[Term],
    ) -> Result<Option<Term>, Stop> {
        let n = cut.path.nodes[cut.position()];
        for &candidate in candidates {
            let label = &self.graph.node(n).label;
            if label.contains(&candidate) || label.contains(&self.terms.not(candidate)) {
                continue;
            }
            let Some(holds) = self.value(&cut.reached, candidate) else {
                continue;
            };
            if let Some(sample) = &cut.leaving
                && self.value(sample, candidate) == Some(holds)
            {
                continue;
            }
            let oriented = if holds {
                candidate
            } else {
                self.terms.not(candidate)
            };
            if !self.leaves(cut, oriented)? && self.implied(cut, oriented)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    fn value(&self, sample: &Sample, formula: Term) -> Option<bool> {
        let of = |symbol: Symbol, _: Stage| -> Option<Value> {
            let found = sample.iter().find(|(s, _)| *s == symbol);
            found.map(|(_, v)| v.clone())
        };
        evaluate(self.terms, formula, &of).ok()?.as_bool()
    }

    /// Whether the last step is possible from a state that satisfies the formula.
    fn leaves(&mut self, cut: &Cut<'_>, formula: Term) -> Result<bool, Stop> {
        let (m, n) = (cut.path.nodes[cut.position()], cut.path.nodes[cut.last]);
        let relation = cut.path.relations[cut.position()];
        let Some(mut conjuncts) = self.step_conjuncts(m, relation, n) else {
            return Ok(false);
        };
        conjuncts.push(formula);
        self.consistent(&conjuncts)
    }

    /// Whether the formula holds in all states that the prefix reaches.
    fn implied(&mut self, cut: &Cut<'_>, formula: Term) -> Result<bool, Stop> {
        let prefix = self.prefix(cut.path, cut.first, cut.last);
        let refuted = self.at(self.terms.not(formula), cut.position());
        self.in_scope(&prefix, |search| Ok(!search.is_satisfiable(&[refuted])?))
    }

    /// The formula of the part up to its last but one node.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2], Γ1.
    fn prefix(&self, path: &Path, first: usize, last: usize) -> Vec<Term> {
        let mut list = Vec::new();
        for position in first..last {
            list.extend(self.label_at(path.nodes[position], position));
            if position + 1 < last {
                list.extend(self.relation_at(path.relations[position], position));
            }
        }
        list
    }

    /// Runs `f` with some formulas asserted in the solver.
    pub fn in_scope<R>(
        &mut self,
        formulas: &[Term],
        f: impl FnOnce(&mut Self) -> Result<R, Stop>,
    ) -> Result<R, Stop> {
        self.solver.push();
        let asserted = formulas.iter().try_for_each(|&t| self.solver.assert(t));
        let result = match asserted {
            Ok(()) => f(self),
            Err(e) => Err(e.into()),
        };
        self.solver.pop();
        result
    }

    /// Some state that the prefix reaches.
    fn reached_sample(&mut self, path: &Path, first: usize, last: usize) -> Result<Sample, Stop> {
        let prefix = self.prefix(path, first, last);
        let position = Stage::At(step_number(last - 1));
        self.in_scope(&prefix, |search| {
            let terms = search.terms;
            match search.solver.check(&[], &search.budget)? {
                Answer::Sat(model) => {
                    let value = |s: Symbol| {
                        let rigid = terms.symbol_kind(s) == SymbolKind::Rigid;
                        let value = model.value(s, if rigid { Stage::Now } else { position });
                        value.unwrap_or_else(|| Value::some_of(terms, terms.symbol_sort(s)))
                    };
                    let symbols = search.relations.state_symbols();
                    Ok(symbols.map(|s| (s, value(s))).collect())
                }
                Answer::Unsat(_) => Err(Stop::incomplete(
                    "the part of a path before its last step became infeasible",
                )),
                Answer::Unknown(why) => Err(why.into()),
            }
        })
    }

    /// The start state of the known concrete step of the last edge.
    fn leaving_sample(&self, path: &Path, last: usize) -> Option<Sample> {
        let relation = path.relations[last - 1];
        let arcs = self.graph.arcs(path.nodes[last - 1], path.nodes[last]);
        let arc = arcs.iter().find(|a| a.relation == relation)?;
        let witness = arc.witness()?;
        let scope = self.relations.get(relation).scope.iter().copied();
        Some(scope.zip(witness.iter().cloned()).collect())
    }

    /// The condition of the last step, over the variables at the cut and possibly those after it.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2], Γ2. With `minimise`, it is pushed through the assignments of
    /// the step and reduced to a minimal core.
    fn after(&mut self, cut: &Cut<'_>, before: &[Term]) -> Result<Vec<Term>, Stop> {
        let position = cut.position();
        if self.config.minimise {
            return self.minimal_core(cut, before);
        }
        let mut list = self.relation_at(cut.path.relations[position], position);
        list.extend(self.label_at(cut.path.nodes[cut.last], cut.last));
        Ok(list)
    }

    /// A condition of the last step on one discrete variable that the prefix violates.
    ///
    /// As a predicate about control, no interpolant is stronger, and this one uses the words of the
    /// model.
    fn control_literal(&self, cut: &Cut<'_>, after: &[Term]) -> Option<Term> {
        let step = step_number(cut.position());
        let conditions = after.iter().map(|&c| self.terms.from_step(c, step));
        let mut control = conditions.filter(|&c| self.discrete.is_discrete(self.terms, c));
        let literal = control.find(|&c| self.value(&cut.reached, c) == Some(false))?;
        Some(self.terms.strip_not(literal).0)
    }

    /// The interpolant between the parts before and after the cut.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2]: of Γ1 and Γ2, over the variables at the cut.
    fn interpolant(
        &mut self,
        cut: &Cut<'_>,
        before: Vec<Term>,
        after: Vec<Term>,
    ) -> Result<Term, Stop> {
        let blocks = [self.terms.and(before), self.terms.and(after)];
        match self.interpolator.sequence(&blocks, &self.budget)? {
            Interpolation::Unsat(cuts) => {
                Ok(self.terms.from_step(cuts[0], step_number(cut.position())))
            }
            Interpolation::Sat(_) => Err(Stop::incomplete(
                "the interpolator finds a spurious path feasible",
            )),
            Interpolation::Unknown(why) => Err(why.into()),
        }
    }

    /// A minimal set of conjuncts of the last step that contradicts the part before it.
    fn minimal_core(&mut self, cut: &Cut<'_>, before: &[Term]) -> Result<Vec<Term>, Stop> {
        let position = cut.position();
        let (m, n) = (cut.path.nodes[position], cut.path.nodes[cut.last]);
        let relation = cut.path.relations[position];
        let conjuncts = self.step_conjuncts(m, relation, n).unwrap_or_default();
        let staged: Vec<Term> = conjuncts.iter().map(|&c| self.at(c, position)).collect();
        let terms = self.terms;
        self.in_scope(before, |search| {
            let Some(mut core) = search.core(&staged)? else {
                // The background is needed for the contradiction: keep all conjuncts.
                return Ok(staged);
            };
            // Conjuncts with many variables give predicates with many: try to drop these first.
            core.sort_by_key(|&c| std::cmp::Reverse(terms.free_vars(c).len()));
            let mut needed: BTreeSet<Term> = BTreeSet::new();
            while let Some(&next) = core.iter().find(|c| !needed.contains(*c)) {
                let fewer: Vec<Term> = core.iter().copied().filter(|&c| c != next).collect();
                match search.core(&fewer)? {
                    Some(smaller) => core = smaller,
                    None => {
                        needed.insert(next);
                    }
                }
            }
            Ok(core)
        })
    }

    fn core(&mut self, assumptions: &[Term]) -> Result<Option<Vec<Term>>, Stop> {
        match self.solver.check(assumptions, &self.budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                let kept = assumptions.iter().copied().filter(|a| core.contains(a));
                Ok(Some(kept.collect()))
            }
            Answer::Sat(_) => Ok(None),
            Answer::Unknown(why) => Err(why.into()),
        }
    }

    /// One atom of the interpolant that distinguishes the two samples.
    ///
    /// The interpolant itself does, so one of its atoms does, and both halves of a split by it are
    /// non-empty.
    fn distinguishing_atom(&mut self, cut: &Cut<'_>, interpolant: Term) -> Term {
        let atoms = self.terms.atoms(interpolant);
        let Some(leaving) = &cut.leaving else {
            return interpolant;
        };
        let value = |sample, a: Term| self.value(sample, a);
        let differs = |&a: &Term| {
            let (x, y) = (value(&cut.reached, a), value(leaving, a));
            x.is_some() && y.is_some() && x != y
        };
        let candidates: Vec<Term> = atoms.into_iter().filter(differs).collect();
        let known = candidates.iter().find(|a| self.vocabulary.contains(*a));
        let Some(&atom) = known.or(candidates.first()) else {
            return interpolant;
        };
        // Replaces a bound on a discrete variable by an equation with the value that the last step
        // needs.
        match self.discrete.only_variable(self.terms, atom) {
            Some(symbol) if !self.discrete.is_discrete(self.terms, atom) => {
                let found = leaving.iter().find(|(s, _)| *s == symbol);
                let value = found.map(|(_, v)| v.to_term(self.terms));
                value.map_or(atom, |v| self.terms.eq(self.terms.var(symbol), v))
            }
            _ => atom,
        }
    }
}
