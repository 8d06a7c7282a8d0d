//! Bounded unfolding: all derivation trees up to a height as one formula.
//!
//! A node is a fact that may be needed. It chooses one of the clauses that derive its predicate;
//! the predicates in the body of the clause are nodes below it, which the clauses of one node
//! share. The height grows until the formula has a model, which is a derivation. Only the solver
//! has to support the sorts of the clauses, so they may have arrays.

use sectile_engine::{
    Accepts, AtMost, Engine, EngineError, Event, Info, Options, Run, Stop, options,
};
use sectile_model::horn::{Application, Clause, Derivation, Instance};
use sectile_model::{
    Certificate, ClauseView, HornClauses, PropertyKind, ReasonCode, Task, Unknown, Verdict,
};
use sectile_solver::{Answer, ModelView};
use sectile_terms::{Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use sectile_transform::has_arrays;
use std::collections::BTreeMap;

/// Maximum number of nodes.
const MOST_NODES: usize = 3_000;

options! {
    /// The options of `trees`.
    pub(crate) struct Config {
        /// the largest height of derivation trees
        height("tree-height"): AtMost = AtMost::UNLIMITED,
    }
}

/// Bounded unfolding of Horn clauses with several predicates in a body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trees;

impl Engine for Trees {
    fn info(&self) -> Info {
        Info {
            name: "trees",
            summary: "bounded derivation trees of Horn clauses, arrays too: refutes",
            papers: &[],
            accepts: Accepts {
                premises: true,
                arrays: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        let is_linear = task.model.is_linear() && !has_arrays(task.terms, task.model);
        match (&task.property.kind, is_linear) {
            (PropertyKind::Unreachable(_), false) => Ok(()),
            (_, true) => Err("bounded model checking does the same for linear clauses".to_string()),
            _ => Err("it only takes properties about unreachable locations".to_string()),
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let PropertyKind::Unreachable(errors) = &task.property.kind else {
            return Err(EngineError::Bug("the task was not accepted".to_string()));
        };
        let terms = task.terms;
        let view = ClauseView::new(terms, task.model, errors);
        let mut height = 0;
        match search(terms, &view, &config, run, &mut height) {
            Ok(Some(derivation)) => {
                let trace = view.trace(terms, &derivation.shared(terms, &view.clauses));
                let lost = || {
                    EngineError::Bug("a derivation could not be translated to a run".to_string())
                };
                Ok(Verdict::Violated(Certificate::Trace(
                    trace.ok_or_else(lost)?,
                )))
            }
            Ok(None) => {
                let unknown = Unknown::new(ReasonCode::Bounded, none_up_to(height));
                Ok(Verdict::Unknown(unknown.hint("--engine horn")))
            }
            Err(stop) => stop.verdict(none_up_to(height)),
        }
    }
}

fn none_up_to(height: usize) -> String {
    format!("no tree of height {height} or less derives false")
}

/// Searches with increasing height; `height` is the last one without a derivation.
fn search(
    terms: &Terms,
    view: &ClauseView,
    config: &Config,
    run: &mut Run<'_>,
    height: &mut usize,
) -> Result<Option<Derivation>, Stop> {
    let clauses = &view.clauses;
    let least = least_heights(clauses);
    let queries = view.queries.iter().map(|&q| &clauses.clauses[q]);
    let Some(first) = queries.filter_map(|q| body_height(q, &least)).min() else {
        return Ok(None);
    };
    let most = usize::try_from(config.height.0).unwrap_or(usize::MAX);
    for next in first + 1..=most {
        let mut unfolding = Unfolding::new(terms, clauses, &least);
        if !unfolding.unfold(&view.queries, next) {
            return Ok(None);
        }
        let mut solver = run.backend.solver(terms)?;
        let found = match solver.check(&unfolding.formulas, &run.budget)? {
            Answer::Sat(model) => Some(unfolding.derivation(model)),
            Answer::Unsat(_) => None,
            Answer::Unknown(why) => return Err(why.into()),
        };
        if let Some(found) = found {
            let lost = || Stop::bug("a derivation has a variable without a value");
            let derivation = found.ok_or_else(lost)?;
            let steps = derivation.instances.len();
            run.tell(Event::PathConcretized { steps });
            return Ok(Some(derivation));
        }
        *height = next;
        if !unfolding.is_cut {
            // No tree is higher.
            return Ok(None);
        }
    }
    Ok(None)
}

/// For each predicate, the least height of a tree that may derive it.
fn least_heights(clauses: &HornClauses) -> Vec<Option<usize>> {
    let mut least: Vec<Option<usize>> = vec![None; clauses.predicates.len()];
    loop {
        let mut changed = false;
        for clause in &clauses.clauses {
            let Some(head) = &clause.head else { continue };
            let Some(below) = body_height(clause, &least) else {
                continue;
            };
            let known = &mut least[head.predicate];
            if known.is_none_or(|k| below + 1 < k) {
                *known = Some(below + 1);
                changed = true;
            }
        }
        if !changed {
            return least;
        }
    }
}

/// The least height of trees for the whole body of a clause, if there are any.
fn body_height(clause: &Clause, least: &[Option<usize>]) -> Option<usize> {
    let mut heights = clause.body.iter().map(|b| least[b.predicate]);
    heights.try_fold(0, |most, height| Some(most.max(height?)))
}

/// A fact that may be needed.
struct Node {
    /// The values of the arguments of its predicate.
    arguments: Vec<Term>,
    /// Whether it is needed.
    flag: Term,
    /// The maximum height of its tree.
    height: usize,
    predicate: Option<usize>,
    /// The clauses that may derive it.
    choices: Vec<Choice>,
}

/// A clause at a node.
struct Choice {
    clause: usize,
    flag: Term,
    /// The variables of the clause.
    variables: Vec<Symbol>,
    /// The nodes of its body.
    children: Vec<usize>,
}

struct Unfolding<'u> {
    terms: &'u Terms,
    clauses: &'u HornClauses,
    least: &'u [Option<usize>],
    nodes: Vec<Node>,
    formulas: Vec<Term>,
    /// Whether some clauses were left out because their trees would be too high.
    is_cut: bool,
}

impl<'u> Unfolding<'u> {
    fn new(
        terms: &'u Terms,
        clauses: &'u HornClauses,
        least: &'u [Option<usize>],
    ) -> Unfolding<'u> {
        Unfolding {
            terms,
            clauses,
            least,
            nodes: Vec::new(),
            formulas: Vec::new(),
            is_cut: false,
        }
    }

    fn fresh(&self, sort: Sort) -> Term {
        let symbol = self.terms.fresh("tree", sort, SymbolKind::Input);
        self.terms.var(symbol)
    }

    fn node(&mut self, predicate: Option<usize>, height: usize) -> usize {
        let parameters = predicate.map(|p| self.clauses.predicates[p].parameters.as_slice());
        let parameters = parameters.unwrap_or_default().iter();
        let arguments = parameters.map(|&p| self.fresh(self.terms.symbol_sort(p)));
        let node = Node {
            arguments: arguments.collect(),
            flag: self.fresh(Sort::Bool),
            height,
            predicate,
            choices: Vec::new(),
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Unfolds all trees of a height whose root is a query. Returns false if there are too many
    /// nodes.
    fn unfold(&mut self, queries: &[usize], height: usize) -> bool {
        let root = self.node(None, height);
        self.formulas.push(self.nodes[root].flag);
        let mut next = root;
        while next < self.nodes.len() {
            let predicate = self.nodes[next].predicate;
            let all = self.clauses.clauses.iter().enumerate();
            let defines = all.filter(|(k, c)| match (&c.head, predicate) {
                (Some(head), Some(p)) => head.predicate == p,
                (None, None) => queries.contains(k),
                _ => false,
            });
            let own: Vec<usize> = defines.map(|(k, _)| k).collect();
            self.choose(next, &own);
            next += 1;
            if self.nodes.len() > MOST_NODES {
                return false;
            }
        }
        true
    }

    /// Requires one of the clauses if the node is needed.
    fn choose(&mut self, node: usize, clauses: &[usize]) {
        let height = self.nodes[node].height;
        let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for &k in clauses {
            let clause = &self.clauses.clauses[k];
            match body_height(clause, self.least) {
                Some(below) if below < height => self.add(node, k, clause, &mut shared),
                Some(_) => self.is_cut = true,
                None => {}
            }
        }
        let terms = self.terms;
        let Node { flag, choices, .. } = &self.nodes[node];
        let flags = terms.or(choices.iter().map(|c| c.flag).collect::<Vec<_>>());
        self.formulas.push(terms.implies(*flag, flags));
    }

    fn add(
        &mut self,
        node: usize,
        k: usize,
        clause: &Clause,
        shared: &mut BTreeMap<(usize, usize), usize>,
    ) {
        let terms = self.terms;
        let fresh = |&v: &Symbol| terms.fresh("tree", terms.symbol_sort(v), SymbolKind::Input);
        let variables: Vec<Symbol> = clause.variables.iter().map(fresh).collect();
        let pairs = clause.variables.iter().zip(&variables);
        let own: Substitution = pairs.map(|(&v, &f)| (terms.var(v), terms.var(f))).collect();
        let mut parts: Vec<Term> = Vec::new();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut children = Vec::new();
        for application in &clause.body {
            let count = counts.entry(application.predicate).or_default();
            let key = (application.predicate, *count);
            *count += 1;
            let height = self.nodes[node].height - 1;
            let child = match shared.get(&key) {
                Some(&known) => known,
                None => self.node(Some(application.predicate), height),
            };
            shared.insert(key, child);
            children.push(child);
            parts.push(self.nodes[child].flag);
            parts.extend(self.linked(child, application, &own));
        }
        if let Some(head) = &clause.head {
            parts.extend(self.linked(node, head, &own));
        }
        let constraint = clause.constraint.iter();
        parts.extend(constraint.map(|&c| terms.substitute(c, &own)));
        let flag = self.fresh(Sort::Bool);
        self.formulas.push(terms.implies(flag, terms.and(parts)));
        self.nodes[node].choices.push(Choice {
            clause: k,
            flag,
            variables,
            children,
        });
    }

    /// Equates the arguments of a node with those of an application.
    fn linked(&self, node: usize, application: &Application, own: &Substitution) -> Vec<Term> {
        let pairs = self.nodes[node]
            .arguments
            .iter()
            .zip(&application.arguments);
        let equal = |(&n, &a): (&Term, &Term)| self.terms.eq(n, self.terms.substitute(a, own));
        pairs.map(equal).collect()
    }

    /// The derivation in a model.
    fn derivation(&self, model: &dyn ModelView) -> Option<Derivation> {
        let terms = self.terms;
        let value = |symbol: Symbol| {
            let known = model.value(symbol, Stage::Now);
            known.unwrap_or_else(|| Value::some_of(terms, terms.symbol_sort(symbol)))
        };
        let holds = |flag: Term| match *terms.node(flag) {
            sectile_terms::Node::Var(symbol, _) => value(symbol) == Value::Bool(true),
            _ => false,
        };
        let mut chosen: BTreeMap<usize, &Choice> = BTreeMap::new();
        let mut open = vec![0];
        while let Some(n) = open.pop() {
            let choice = self.nodes[n].choices.iter().find(|c| holds(c.flag))?;
            chosen.insert(n, choice);
            open.extend(&choice.children);
        }
        // Children come later in the list than their parents.
        let mut instances = Vec::new();
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        for (&n, choice) in chosen.iter().rev() {
            let premises = choice.children.iter().map(|c| place.get(c).copied());
            let premises = premises.collect::<Option<_>>()?;
            place.insert(n, instances.len());
            instances.push(Instance {
                clause: choice.clause,
                values: choice.variables.iter().map(|&v| value(v)).collect(),
                premises,
            });
        }
        Some(Derivation { instances })
    }
}
