//! The initial abstraction of the paper: four nodes.

use crate::abstraction::{Arc, Role};
use crate::question::{Progress, Question};
use crate::relation::{RelationId, Relations};
use crate::rounds::Outcome;
use crate::search::{Background, Search};
use sectile_engine::{Run, Stop};
use sectile_model::{Certificate, Model, Verdict};
use sectile_terms::Term;

impl Search<'_, '_> {
    /// Paper: [BrDrFiWe07, Def. 2]: four nodes, one for each pair of values of `init` and `error`,
    /// and four edges. No edge enters an initial node or leaves an error node.
    pub fn add_four_nodes(&mut self, system: &Model, error: Term, relations: &[RelationId]) {
        let terms = self.terms;
        let init = terms.and(system.init.iter().copied());
        let (not_init, not_error) = (terms.not(init), terms.not(error));
        let mut add = |init, error, role: Role| self.graph.add_node(vec![init, error], role.into());
        let n1 = add(init, not_error, Role::of_states(true, false));
        let n2 = add(not_init, not_error, Role::INNER);
        let n3 = add(not_init, error, Role::of_states(false, true));
        add(init, error, Role::of_states(true, true));
        for (from, to) in [(n1, n2), (n1, n3), (n2, n2), (n2, n3)] {
            for &relation in relations {
                self.graph.add_arc(from, to, Arc::open(relation));
            }
        }
    }
}

impl Question<'_, '_> {
    /// Runs the loop on the initial abstraction of the paper.
    pub fn as_in_the_paper(
        &self,
        progress: &mut Progress,
        run: &mut Run<'_>,
    ) -> Result<Verdict, Stop> {
        let mut relations = Relations::new(self.terms, self.system);
        let commands = self.enter_commands(&mut relations);
        let order = self.preferred(self.bad, &relations, &commands);
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
        let guide = &self.config.guide.0;
        if guide.len() > self.predicates.len() {
            let why = "the option `guide` names more nodes than there are predicates";
            return Err(Stop::incomplete(why));
        }
        let pairs = guide.iter().zip(self.predicates);
        search.guide = pairs.map(|(&node, &predicate)| (node, predicate)).collect();
        search.prescribed = self.predicates[guide.len()..].to_vec();
        search.add_four_nodes(self.system, self.bad, &order);
        let verdict = match search.refine(u64::MAX, run)? {
            Outcome::ErrorPath(path) => {
                let trace = search.concretize(&path, self.system, self.bad, run)?;
                Verdict::Violated(Certificate::Trace(trace))
            }
            Outcome::Empty => Verdict::Holds(Certificate::invariant(search.disjunction()?)),
            Outcome::Paused => return Err(Stop::incomplete("the refinement loop paused")),
        };
        run.count("predicates", search.vocabulary.len() as u64);
        progress.done = 1;
        Ok(verdict)
    }
}
