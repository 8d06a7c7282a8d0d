//! The paper's initial abstraction.

use crate::abstraction::{Arc, Role};
use crate::parts::{Progress, Question};
use crate::relation::Relations;
use crate::rounds::Outcome;
use crate::search::{Background, Search};
use sectile_engine::{Run, Stop};
use sectile_model::{Certificate, Verdict};

impl Question<'_, '_> {
    /// Paper: [BrDrFiWe07, Def. 2]: four nodes by the values of `init` and `error`, and four edges,
    /// none of which enters an initial node or leaves an error node.
    pub fn as_in_the_paper(
        &self,
        progress: &mut Progress,
        run: &mut Run<'_>,
    ) -> Result<Verdict, Stop> {
        let terms = self.terms;
        let mut relations = Relations::new(terms, self.system);
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
        let verdict = match search.refine(u64::MAX, run)? {
            Outcome::ErrorPath(path) => {
                let trace = search.concretize(&path, self.system, self.bad, run)?;
                Verdict::Violated(Certificate::Trace(trace))
            }
            Outcome::Empty => Verdict::Holds(Certificate::invariant(search.disjunction()?)),
            Outcome::Paused => {
                let why = "the refinement loop paused".to_string();
                return Err(Stop::incomplete(why));
            }
        };
        run.count("predicates", search.vocabulary.len() as u64);
        progress.done = 1;
        Ok(verdict)
    }
}
