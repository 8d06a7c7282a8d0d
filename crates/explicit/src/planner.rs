//! Makes plans: determines the order in which constraints are used.
//!
//! Tests come as early as their variables allow, equations define unknowns before any values are
//! tried, and unknowns with few values or narrow ranges are tried before others.

use crate::code::Code;
use crate::error::ExploreError;
use crate::layout::Scope;
use crate::literal::{Equation, Relation, alternatives, equations, inequality, variable};
use crate::plan::{
    Choice, CodeId, Definition, End, NodeId, Plan, PlanNode, PlanStep, Role, Row, Unknown,
};
use crate::word::Numbers;
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Int, Rat};
use sectile_engine::shape::conjuncts;
use sectile_terms::{Sort, Term, Terms, Value};
use std::rc::Rc;

/// The maximum number of nodes: with more, the cases of a relation cannot be enumerated in
/// reasonable time.
const MAX_NODES: usize = 50_000;

/// The approximate cost of a node in units of work.
const NODE_UNITS: u64 = 5;

/// An unknown, with its variable as a term.
pub(crate) type Wanted = (Term, Unknown);

/// Makes the plan that finds all values of `wanted` under the constraints.
pub(crate) fn plan(
    terms: &Terms,
    scope: Scope<'_>,
    numbers: &mut Numbers,
    wanted: Vec<Wanted>,
    constraints: &[Term],
    budget: &Budget,
) -> Result<Plan, ExploreError> {
    let positions = wanted
        .iter()
        .enumerate()
        .map(|(i, (t, _))| (*t, i))
        .collect();
    let unknowns: Vec<Unknown> = wanted.into_iter().map(|(_, u)| u).collect();
    let start = Task {
        known: vec![false; unknowns.len()],
        pending: conjuncts(terms, constraints.iter().copied()),
    };
    let planner = Planner {
        terms,
        scope,
        numbers,
        positions,
        unknowns,
        codes: Vec::new(),
        code_of: FxHashMap::default(),
        free: FxHashMap::default(),
        ids: FxHashMap::default(),
        tasks: Vec::new(),
        budget,
    };
    planner.run(start)
}

/// The remaining work at a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Task {
    known: Vec<bool>,
    pending: Vec<Term>,
}

struct Planner<'a> {
    terms: &'a Terms,
    scope: Scope<'a>,
    numbers: &'a mut Numbers,
    positions: FxHashMap<Term, usize>,
    unknowns: Vec<Unknown>,
    codes: Vec<Code>,
    code_of: FxHashMap<Term, CodeId>,
    /// Cached unknowns of terms.
    free: FxHashMap<Term, Rc<[usize]>>,
    ids: FxHashMap<Task, NodeId>,
    tasks: Vec<Task>,
    budget: &'a Budget,
}

impl Planner<'_> {
    fn run(mut self, start: Task) -> Result<Plan, ExploreError> {
        self.node_for(start);
        let mut nodes = Vec::new();
        while nodes.len() < self.tasks.len() {
            if self.tasks.len() > MAX_NODES {
                let what = format!("a relation with so many cases {}", self.scope.context);
                return Err(ExploreError::Unsupported { what });
            }
            let spent = self.budget.poll_for(NODE_UNITS);
            spent.map_err(ExploreError::Exhausted)?;
            let task = self.tasks[nodes.len()].clone();
            nodes.push(self.node(task)?);
        }
        Ok(Plan {
            context: self.scope.context.clone(),
            unknowns: self.unknowns,
            nodes,
            codes: self.codes,
        })
    }

    fn node_for(&mut self, task: Task) -> NodeId {
        if let Some(&id) = self.ids.get(&task) {
            return id;
        }
        let id = self.tasks.len();
        self.tasks.push(task.clone());
        self.ids.insert(task, id);
        id
    }

    fn node(&mut self, mut task: Task) -> Result<PlanNode, ExploreError> {
        let mut steps = self.ready_checks(&mut task)?;
        while self.propagate(&mut task, &mut steps)? {}
        self.drop_idle_inputs(&mut task, &mut steps)?;
        let end = self.end(task)?;
        Ok(PlanNode { steps, end })
    }

    /// Tests that are possible at once, short programs first: these are usually guards on control
    /// locations.
    fn ready_checks(&mut self, task: &mut Task) -> Result<Vec<PlanStep>, ExploreError> {
        let mut ready = Vec::new();
        for t in std::mem::take(&mut task.pending) {
            if self.open(t, &task.known).next().is_none() {
                ready.push(self.code(t)?);
            } else {
                task.pending.push(t);
            }
        }
        ready.sort_by_key(|&c| self.codes[c].ops.len());
        Ok(ready.into_iter().map(PlanStep::Check).collect())
    }

    /// One pass over the constraints; returns whether it used one.
    fn propagate(
        &mut self,
        task: &mut Task,
        steps: &mut Vec<PlanStep>,
    ) -> Result<bool, ExploreError> {
        let before = task.pending.len();
        for t in std::mem::take(&mut task.pending) {
            if self.open(t, &task.known).next().is_none() {
                steps.push(PlanStep::Check(self.code(t)?));
            } else if let Some((unknown, equation)) = self.solve(t, &task.known) {
                steps.push(PlanStep::Define(self.definition(unknown, &equation)?));
                task.known[unknown] = true;
            } else {
                task.pending.push(t);
            }
        }
        Ok(task.pending.len() < before)
    }

    /// Assigns some value to inputs on which nothing depends.
    fn drop_idle_inputs(
        &mut self,
        task: &mut Task,
        steps: &mut Vec<PlanStep>,
    ) -> Result<(), ExploreError> {
        let used = self.occurrences(task);
        for (u, &used) in used.iter().enumerate() {
            if !task.known[u] && used == 0 && self.unknowns[u].role == Role::Input {
                task.known[u] = true;
                let slot = self.unknowns[u].slot;
                let some = Value::some_of(self.terms, self.unknowns[u].sort);
                let code = self.code(some.to_term(self.terms))?;
                steps.push(PlanStep::Define(Definition {
                    slot,
                    code,
                    divisor: None,
                    integral: false,
                }));
            }
        }
        Ok(())
    }

    /// For each unknown, the number of pending constraints that mention it.
    fn occurrences(&mut self, task: &Task) -> Vec<usize> {
        let mut used = vec![0; self.unknowns.len()];
        for &t in &task.pending {
            for &u in self.free(t).iter() {
                used[u] += 1;
            }
        }
        used
    }

    fn end(&mut self, task: Task) -> Result<End, ExploreError> {
        if task.known.iter().all(|&k| k) {
            return Ok(End::Done);
        }
        if let Some(i) = self.decisive_disjunction(&task) {
            return Ok(self.branch(&task, i));
        }
        let rows = self.rows(&task)?;
        let (unknown, class) = self.best_unknown(&task, &rows);
        if class == Class::Unbounded
            && let Some(i) = self.disjunction_about(&task, unknown)
        {
            return Ok(self.branch(&task, i));
        }
        let rows = match class {
            Class::Finite | Class::Idle => Vec::new(),
            Class::Direct => rows
                .into_iter()
                .filter(|r| is_bound_of(r, unknown))
                .collect(),
            Class::Propagated | Class::Unbounded => connected(rows, unknown),
        };
        let mut next = task;
        next.known[unknown] = true;
        let next = self.node_for(next);
        Ok(End::Choose(Choice {
            unknown,
            rows,
            next,
        }))
    }

    /// A disjunction whose cases all determine unknowns by equations, at least one of them a
    /// number.
    fn decisive_disjunction(&mut self, task: &Task) -> Option<usize> {
        task.pending.iter().position(|&t| {
            let mut open = self.open(t, &task.known);
            let about_numbers = open.any(|u| self.unknowns[u].sort.is_numeric());
            about_numbers && self.is_decisive(t, &task.known, 2)
        })
    }

    fn is_decisive(&mut self, t: Term, known: &[bool], depth: usize) -> bool {
        let Some(cases) = alternatives(self.terms, t) else {
            return false;
        };
        cases.into_iter().all(|case| {
            let parts = conjuncts(self.terms, [case]);
            let settled = parts.iter().all(|&p| self.open(p, known).next().is_none());
            settled
                || parts.iter().any(|&p| {
                    self.solve(p, known).is_some()
                        || (depth > 0 && self.is_decisive(p, known, depth - 1))
                })
        })
    }

    /// A disjunction that mentions an unknown: its cases may bound it even if the disjunction does
    /// not.
    fn disjunction_about(&mut self, task: &Task, unknown: usize) -> Option<usize> {
        task.pending
            .iter()
            .position(|&t| self.free(t).contains(&unknown) && alternatives(self.terms, t).is_some())
    }

    fn branch(&mut self, task: &Task, position: usize) -> End {
        let mut rest = task.pending.clone();
        let disjunction = rest.remove(position);
        let cases = alternatives(self.terms, disjunction).unwrap_or_default();
        let nodes = cases.into_iter().map(|case| {
            let pending = conjuncts(self.terms, rest.iter().copied().chain([case]));
            self.node_for(Task {
                known: task.known.clone(),
                pending,
            })
        });
        End::Branch(nodes.collect())
    }

    /// The unknown to try next.
    fn best_unknown(&mut self, task: &Task, rows: &[Row]) -> (usize, Class) {
        let used = self.occurrences(task);
        let bounded = bounded_by_propagation(rows, self.unknowns.len());
        let open = (0..self.unknowns.len()).filter(|&u| !task.known[u]);
        let rated = open.map(|u| {
            let size = self.unknowns[u].size;
            let class = match size {
                Some(_) if used[u] > 0 => Class::Finite,
                Some(_) => Class::Idle,
                // A bounded interval of reals still has infinitely many values.
                None if self.unknowns[u].sort != Sort::Int => Class::Unbounded,
                None if is_bounded_directly(rows, u) => Class::Direct,
                None if bounded[u] => Class::Propagated,
                None => Class::Unbounded,
            };
            // Among unbounded unknowns, prefer constrained ones, which fail early.
            (class, size.unwrap_or(0), usize::MAX - used[u], u)
        });
        let best = rated
            .min()
            .expect("some unknown is open when a guess is needed");
        (best.3, best.0)
    }

    /// The linear constraints among the pending ones.
    fn rows(&mut self, task: &Task) -> Result<Vec<Row>, ExploreError> {
        let mut rows = Vec::new();
        for &t in &task.pending {
            let Some(constraint) = inequality(self.terms, t) else {
                continue;
            };
            let mut rest = constraint.linear.clone();
            let mut summands: Vec<(usize, Rat)> = Vec::new();
            for (m, c) in constraint.linear.monomials() {
                let position = variable(self.terms, *m).and_then(|v| self.positions.get(&v));
                if let Some(&u) = position.filter(|&&u| !task.known[u]) {
                    summands.push((u, c.clone()));
                    rest.add_term(*m, &-c);
                }
            }
            let rest = self.terms.sum(rest, constraint.sort);
            if self.open(rest, &task.known).next().is_none() {
                let rest = self.code(rest)?;
                rows.push(Row {
                    rest,
                    summands,
                    relation: constraint.relation,
                });
            }
        }
        Ok(rows)
    }

    /// An equation in the constraint that defines an open unknown by known values.
    fn solve(&mut self, t: Term, known: &[bool]) -> Option<(usize, Equation)> {
        equations(self.terms, t).into_iter().find_map(|equation| {
            let unknown = *self.positions.get(&equation.unknown)?;
            let usable = !known[unknown] && self.open(equation.value, known).next().is_none();
            usable.then_some((unknown, equation))
        })
    }

    fn definition(&mut self, u: usize, equation: &Equation) -> Result<Definition, ExploreError> {
        let code = self.code(equation.value)?;
        let divides = equation.divisor != Int::ONE;
        let from_real = self.terms.sort(equation.value) == Sort::Real;
        Ok(Definition {
            slot: self.unknowns[u].slot,
            code,
            divisor: divides.then(|| equation.divisor.clone()),
            integral: self.unknowns[u].sort == Sort::Int && (divides || from_real),
        })
    }

    fn code(&mut self, t: Term) -> Result<CodeId, ExploreError> {
        if let Some(&id) = self.code_of.get(&t) {
            return Ok(id);
        }
        let code = Code::new(self.terms, t, self.scope, self.numbers)?;
        self.codes.push(code);
        self.code_of.insert(t, self.codes.len() - 1);
        Ok(self.codes.len() - 1)
    }

    /// The unknowns of a term.
    fn free(&mut self, t: Term) -> Rc<[usize]> {
        let compute = || {
            let vars = self.terms.free_vars(t);
            let vars = vars.iter().map(|&(s, stage)| self.terms.var_at(s, stage));
            vars.filter_map(|v| self.positions.get(&v).copied())
                .collect()
        };
        self.free.entry(t).or_insert_with(compute).clone()
    }

    /// The unknowns of a term without a value.
    fn open<'k>(&mut self, t: Term, known: &'k [bool]) -> impl Iterator<Item = usize> + use<'k> {
        let free = self.free(t);
        (0..free.len()).map(move |i| free[i]).filter(|&u| !known[u])
    }
}

/// How easy it is to try all values of an unknown; easier classes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// A truth value or enumeration with constraints.
    Finite,
    /// A number with a lower and an upper bound.
    Direct,
    /// A number whose bounds follow from several constraints.
    Propagated,
    /// A truth value or enumeration without constraints.
    Idle,
    /// A number that needs a domain.
    Unbounded,
}

fn is_bound_of(row: &Row, unknown: usize) -> bool {
    matches!(&row.summands[..], [(u, _)] if *u == unknown)
}

fn is_bounded_directly(rows: &[Row], unknown: usize) -> bool {
    let own = rows.iter().filter(|r| is_bound_of(r, unknown));
    let (below, above) = own.fold((false, false), |(below, above), row| {
        let equation = row.relation == Relation::Zero;
        let negative = row.summands[0].1.is_negative();
        (below | equation | negative, above | equation | !negative)
    });
    below && above
}

/// The unknowns for which propagation of the rows yields both bounds, regardless of the known
/// values.
fn bounded_by_propagation(rows: &[Row], unknowns: usize) -> Vec<bool> {
    // Whether each unknown has a lower and an upper bound.
    let mut bounds = vec![[false; 2]; unknowns];
    let mut changed = true;
    while changed {
        changed = false;
        for row in rows {
            for (i, (u, c)) in row.summands.iter().enumerate() {
                // One side of `c * u` is bounded if the same side of all other summands is.
                let others = || row.summands.iter().enumerate().filter(|&(j, _)| j != i);
                let lowest = others().all(|(_, (v, d))| bounds[*v][usize::from(d.is_negative())]);
                let highest = others().all(|(_, (v, d))| bounds[*v][usize::from(!d.is_negative())]);
                let equation = row.relation == Relation::Zero;
                for (side, possible) in [(1, lowest), (0, equation && highest)] {
                    let side = if c.is_negative() { 1 - side } else { side };
                    if possible && !bounds[*u][side] {
                        bounds[*u][side] = true;
                        changed = true;
                    }
                }
            }
        }
    }
    bounds.iter().map(|b| b[0] && b[1]).collect()
}

/// The rows that are connected to an unknown, directly or through other unknowns.
fn connected(rows: Vec<Row>, unknown: usize) -> Vec<Row> {
    let mut reached = vec![unknown];
    let mut taken = vec![false; rows.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, row) in rows.iter().enumerate() {
            if !taken[i] && row.summands.iter().any(|(u, _)| reached.contains(u)) {
                taken[i] = true;
                reached.extend(row.summands.iter().map(|(u, _)| *u));
                changed = true;
            }
        }
    }
    let pairs = rows.into_iter().zip(taken);
    pairs.filter(|(_, t)| *t).map(|(r, _)| r).collect()
}
