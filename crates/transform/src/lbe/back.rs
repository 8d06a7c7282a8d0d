//! Back-translation of evidence about blocks to statements.

use super::cut::{Cuts, Fate};
use super::encode::{Arrival, Block, Blocks};
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{Certificate, LocationId, Model, State, Step, Trace};
use sectile_solver::ModelView;
use sectile_terms::{Stage, Symbol, Term, Terms, Value};

/// The way back: from steps through blocks to steps along edges.
pub(super) struct Unfold {
    pub graph: Model,
    pub cuts: Cuts,
    pub kept: Vec<LocationId>,
    pub blocks: Blocks,
}

impl BackTranslate for Unfold {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(proof) if proof.is_inductive() => {
                self.invariants(terms, &proof.at)
            }
            Certificate::Trace(trace) => self.trace(terms, trace).map(Certificate::Trace),
            other => Err(unexpected(other)),
        }
    }
}

impl Unfold {
    /// The invariants of the kept locations; at locations that reach no error, the invariant is
    /// true.
    fn invariants(&self, terms: &Terms, list: &[Option<Term>]) -> Result<Certificate, Lost> {
        if list.len() != self.kept.len() {
            return Err(Lost("the number of invariants is wrong".into()));
        }
        let mut all = Vec::new();
        let mut kept = list.iter();
        for (l, fate) in self.cuts.fates.iter().enumerate() {
            let location = LocationId(l);
            all.push(match fate {
                Fate::Kept if self.cuts.is_harmless(location) => kept.next().map(|_| terms.tt()),
                Fate::Kept => kept.next().copied().flatten(),
                Fate::Inside => None,
                Fate::Harmless => Some(terms.tt()),
                Fate::Unreached => Some(terms.ff()),
            });
        }
        Ok(Certificate::cut_points(all))
    }

    fn trace(&self, terms: &Terms, trace: &Trace) -> Result<Trace, Lost> {
        let first = trace.states.first();
        let first = first.ok_or_else(|| Lost("the trace is empty".into()))?;
        let mut run = Trace {
            rigid: trace.rigid.clone(),
            states: vec![State {
                location: self.graph.entry,
                values: first.values.clone(),
            }],
            ..Trace::default()
        };
        for (k, step) in trace.steps.iter().enumerate() {
            let block = self.blocks.list.get(step.command);
            let block = block.ok_or_else(|| Lost("the trace leaves the blocks".into()))?;
            let mut values = Values::new(self, terms, trace);
            values.put(&self.graph.variables, Stage::Now, &trace.states[k].values);
            values.put(
                &self.graph.variables,
                Stage::Next,
                &trace.states[k + 1].values,
            );
            values.put(&block.command.inputs, Stage::Now, &step.inputs);
            for arrival in self.way(block, &values)? {
                self.follow(arrival, &values, &mut run)?;
            }
        }
        Ok(run)
    }

    /// The edges of a step through a block, found backwards from its end.
    fn way<'b>(&'b self, block: &'b Block, values: &Values<'_>) -> Result<Vec<&'b Arrival>, Lost> {
        let taken = |list: &'b [Arrival]| {
            let found = list
                .iter()
                .find(|a| a.tests.iter().all(|&t| values.holds(t)));
            found.ok_or_else(|| Lost("a step through a block takes none of its ways".into()))
        };
        let mut way = vec![taken(&block.arrivals)?];
        let inside = &self.blocks.inside[&block.from];
        loop {
            let here = way[way.len() - 1].from;
            if here == block.from {
                way.reverse();
                return Ok(way);
            }
            way.push(taken(&inside[&here])?);
        }
    }

    /// Executes an edge in the last state of the run.
    ///
    /// Irrelevant variables have no values in the blocks: they get them here.
    fn follow(&self, arrival: &Arrival, block: &Values<'_>, run: &mut Trace) -> Result<(), Lost> {
        let edge = &self.graph.edges[arrival.edge];
        let inputs: Vec<Value> = arrival
            .inputs
            .iter()
            .map(|&s| block.value(block.terms.var(s)))
            .collect::<Option<_>>()
            .ok_or_else(|| Lost("an input has no value".into()))?;
        let now = run.states[run.states.len() - 1].values.clone();
        let mut values = Values::new(self, block.terms, run);
        values.put(&self.graph.variables, Stage::Now, &now);
        values.put(&edge.command.inputs, Stage::Now, &inputs);
        let mut next = now;
        for &(i, symbol) in &arrival.free {
            next[i] = block
                .value(block.terms.var(symbol))
                .ok_or_else(|| Lost("a variable has no value".into()))?;
        }
        for update in &edge.command.updates {
            let place = self
                .graph
                .variables
                .iter()
                .position(|v| *v == update.symbol);
            let value = values.value(update.value);
            let (Some(i), Some(value)) = (place, value) else {
                return Err(Lost("an assigned value cannot be computed".into()));
            };
            next[i] = value;
        }
        run.steps.push(Step::new(arrival.edge, inputs));
        run.states.push(State {
            location: edge.to,
            values: next,
        });
        Ok(())
    }
}

/// Values of variables; those that do not occur in the block are arbitrary.
struct Values<'v> {
    terms: &'v Terms,
    known: sectile_solver::Assignment,
}

impl<'v> Values<'v> {
    fn new(unfold: &Unfold, terms: &'v Terms, trace: &Trace) -> Values<'v> {
        let mut values = Values {
            terms,
            known: sectile_solver::Assignment::default(),
        };
        values.put(&unfold.graph.rigid, Stage::Now, &trace.rigid);
        values
    }

    fn put(&mut self, symbols: &[Symbol], stage: Stage, values: &[Value]) {
        for (&symbol, value) in symbols.iter().zip(values) {
            self.known.set(symbol, stage, value.clone());
        }
    }

    fn value(&self, t: Term) -> Option<Value> {
        let known: &dyn ModelView = &self.known;
        known.eval(self.terms, t).ok()
    }

    fn holds(&self, t: Term) -> bool {
        self.value(t) == Some(Value::Bool(true))
    }
}
