//! Lexicographic linear rankings.
//!
//! One affine function per node, such that no step increases it and some steps, on which it is
//! bounded, decrease it by one or more. Those are removed, and what is still strongly connected is
//! ranked again; the functions in this order are the ranking.
//!
//! Papers: [ADFG10] for the procedure; [BrMS05] for functions that are bounded only where they
//! decrease.

use super::linear::{Form, LinearProgram, at_least};
use super::{Function, Transition};
use sectile_base::digraph::Digraph;
use sectile_base::{Budget, Exhausted, Int, Rat};
use sectile_domains::linear::{Affine, Numbers};
use std::collections::BTreeMap;

/// For every node, its functions in lexicographic order.
pub type Ranking = Vec<Vec<Function>>;

/// The result.
pub enum Ranked {
    /// A ranking that all transitions decrease.
    All(Ranking),
    /// Strongly connected transitions without a ranking.
    Left(Vec<usize>),
}

/// Maximum size of tables.
const LARGEST_TABLE: usize = 120_000;

/// Maximum total size of the tables for one component.
const MOST_NUMBERS: usize = 1_500_000;

/// Number of transitions up to which components are ranked by more than single numbers.
const MOST_TOGETHER: usize = 1_000;

/// Number of transitions up to which simple functions are tried first.
const SMALL: usize = 16;

/// The input of the ranking procedure.
pub struct Ranker<'r> {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of numbers in a state.
    pub variables: usize,
    /// Integers or reals.
    pub numbers: Numbers,
    /// The steps.
    pub transitions: &'r [Transition],
    /// Polled between linear programs.
    pub budget: &'r Budget,
}

impl Ranker<'_> {
    /// Searches for a ranking that all transitions decrease.
    pub fn ranking(&self) -> Result<Ranked, Exhausted> {
        let mut left: Vec<usize> = (0..self.transitions.len()).collect();
        let mut ranking: Ranking = vec![Vec::new(); self.nodes];
        while !left.is_empty() {
            let components = self.components(&left);
            let inside = |t: &usize| {
                let Transition { from, to, .. } = &self.transitions[*t];
                components[*from] == components[*to]
            };
            let across = left.iter().filter(|t| !inside(t)).count();
            if across > 0 {
                // A step to another component never returns.
                for (node, list) in ranking.iter_mut().enumerate() {
                    let place = i64::try_from(components[node]).unwrap_or(i64::MAX);
                    list.push(Function::number(Rat::from(place)));
                }
                left.retain(inside);
                continue;
            }
            let functions = match self.functions(&left, &components)? {
                Ok(functions) => functions,
                Err(stuck) => return Ok(Ranked::Left(stuck)),
            };
            let before = left.len();
            left.retain(|&t| !self.falls(&functions, &self.transitions[t]));
            if left.len() == before {
                return Ok(Ranked::Left(left));
            }
            for (list, function) in ranking.iter_mut().zip(functions) {
                list.push(function);
            }
        }
        Ok(Ranked::All(ranking))
    }

    /// The number of the strongly connected component of every node; steps never lead to larger
    /// numbers.
    fn components(&self, left: &[usize]) -> Vec<usize> {
        let mut graph = Digraph::new(self.nodes);
        for &t in left {
            let Transition { from, to, .. } = &self.transitions[t];
            graph.add_edge(*from, *to);
        }
        let mut number = vec![0; self.nodes];
        for (k, component) in graph.strongly_connected_components().iter().enumerate() {
            component.iter().for_each(|&node| number[node] = k);
        }
        number
    }

    /// One function per node, such that no transition increases it and one of every component with
    /// transitions decreases it; or else the transitions of a component without such functions.
    fn functions(
        &self,
        left: &[usize],
        components: &[usize],
    ) -> Result<Result<Vec<Function>, Vec<usize>>, Exhausted> {
        let mut functions = vec![Function::number(Rat::ZERO); self.nodes];
        let mut of_component: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &t in left {
            let number = components[self.transitions[t].from];
            of_component.entry(number).or_default().push(t);
        }
        for own in of_component.into_values() {
            let Some(found) = self.component(&own)? else {
                return Ok(Err(own));
            };
            for (node, function) in found {
                functions[node] = function;
            }
        }
        Ok(Ok(functions))
    }

    /// Functions for the nodes of one component that one of the transitions decreases, or all of
    /// them.
    ///
    /// If all can decrease, one can; but the functions are simpler if they need not. So small
    /// components are first tried with one transition, starting with those that change numbers.
    fn component(&self, own: &[usize]) -> Result<Option<Vec<(usize, Function)>>, Exhausted> {
        if own.len() > SMALL
            && let Some(found) = self.single(own)?
        {
            return Ok(Some(found));
        }
        if own.len() > MOST_TOGETHER {
            return Ok(None);
        }
        if own.len() == 1 || own.len() > SMALL {
            let all = self.solved(own, own)?;
            if all.is_some() || own.len() == 1 {
                return Ok(all);
            }
        }
        let keeps = |t: &usize| {
            let mut next = self.transitions[*t].next.iter().enumerate();
            next.all(|(v, value)| *value == Affine::variable(v))
        };
        let (kept, changing): (Vec<usize>, Vec<usize>) = own.iter().partition(|t| keeps(t));
        let constraints = own.iter().map(|&t| self.transitions[t].constraints.len());
        let rows = own.iter().map(|&t| self.transitions[t].points + 1);
        let table = constraints.sum::<usize>() * rows.sum::<usize>();
        let tries = MOST_NUMBERS / table.max(1);
        for falling in changing.iter().chain(&kept).take(tries) {
            let found = self.solved(own, std::slice::from_ref(falling))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// One number, the same for all nodes, that no transition increases and some decrease,
    /// preferring the one with the most decreasing transitions. No linear program is needed, so
    /// there may be many transitions: with fairness, the waiting counter of a process decreases
    /// with all steps of the others.
    fn single(&self, own: &[usize]) -> Result<Option<Vec<(usize, Function)>>, Exhausted> {
        let mut best: Option<(usize, Vec<Function>)> = None;
        for v in 0..self.variables {
            for sign in [Rat::ONE, Rat::MINUS_ONE] {
                self.budget.poll_for(1 + own.len() as u64)?;
                let mut factors = vec![Rat::ZERO; self.variables];
                factors[v] = sign;
                let function = Function {
                    factors,
                    constant: Rat::ZERO,
                };
                if own
                    .iter()
                    .any(|&t| !self.keeps(&function, &self.transitions[t]))
                {
                    continue;
                }
                // A waiting process may be passed over once by every other one.
                let others = i64::try_from(self.variables).unwrap_or(0);
                for constant in [Rat::ZERO, Rat::from(others)] {
                    let function = Function {
                        constant,
                        ..function.clone()
                    };
                    let functions = vec![function; self.nodes];
                    let falling = own
                        .iter()
                        .filter(|&&t| self.falls(&functions, &self.transitions[t]));
                    let count = falling.count();
                    if count > best.as_ref().map_or(0, |(most, _)| *most) {
                        best = Some((count, functions));
                    }
                }
            }
        }
        let Some((_, functions)) = best else {
            return Ok(None);
        };
        let mut nodes: Vec<usize> = own.iter().map(|&t| self.transitions[t].from).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let found = nodes.iter().map(|&node| (node, functions[node].clone()));
        Ok(Some(found.collect()))
    }

    /// Whether a transition does not increase a function.
    fn keeps(&self, function: &Function, transition: &Transition) -> bool {
        let (before, after) = (function.before(transition), function.after(transition));
        let difference: Vec<Rat> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
        let is_constant = difference[..transition.points].iter().all(Rat::is_zero);
        match is_constant {
            true => !difference[transition.points].is_negative(),
            false => at_least(&transition.constraints, &difference, &Rat::ZERO),
        }
    }

    /// Functions that no transition increases, and that the given ones decrease.
    fn solved(
        &self,
        own: &[usize],
        falling: &[usize],
    ) -> Result<Option<Vec<(usize, Function)>>, Exhausted> {
        let mut program = LinearProgram::default();
        let mut nodes: Vec<usize> = own.iter().map(|&t| self.transitions[t].from).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for _ in 0..nodes.len() * (self.variables + 1) {
            program.unknown(false);
        }
        let base = |node: usize| {
            let place = nodes.binary_search(&node).unwrap_or_default();
            place * (self.variables + 1)
        };
        for &t in own {
            let transition = &self.transitions[t];
            let mut difference = before(transition, self.variables, base(transition.from));
            subtract_after(
                &mut difference,
                transition,
                self.variables,
                base(transition.to),
            );
            if falling.contains(&t) {
                difference.constant.constant -= &Rat::ONE;
                let here = before(transition, self.variables, base(transition.from));
                program.not_negative_on(&transition.constraints, here);
            }
            program.not_negative_on(&transition.constraints, difference);
        }
        let size = program.size().min(LARGEST_TABLE);
        self.budget.poll_for(1 + size as u64 / 16)?;
        if program.size() > LARGEST_TABLE {
            return Ok(None);
        }
        let Some(values) = program.solution() else {
            return Ok(None);
        };
        let values = self.wholes(&values[..nodes.len() * (self.variables + 1)]);
        let function = |&node: &usize| {
            let own = &values[base(node)..=base(node) + self.variables];
            let function = Function {
                factors: own[..self.variables].to_vec(),
                constant: own[self.variables].clone(),
            };
            (node, function)
        };
        Ok(Some(nodes.iter().map(function).collect()))
    }

    /// Scales the values to integers; over the reals this is unnecessary.
    fn wholes(&self, values: &[Rat]) -> Vec<Rat> {
        let common = match self.numbers {
            Numbers::Integers => values.iter().fold(Int::ONE, |a, b| a.lcm(&b.denom())),
            Numbers::Reals => Int::ONE,
        };
        let common = Rat::from(&common);
        values.iter().map(|v| v * &common).collect()
    }

    /// Whether a transition decreases the functions by one or more from a bounded value.
    fn falls(&self, functions: &[Function], transition: &Transition) -> bool {
        let (here, there) = (&functions[transition.from], &functions[transition.to]);
        let before = here.before(transition);
        let after = there.after(transition);
        let difference: Vec<Rat> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
        at_least(&transition.constraints, &before, &Rat::ZERO)
            && at_least(&transition.constraints, &difference, &Rat::ONE)
    }
}

/// The function of a node, whose unknowns start at `base`, before a transition.
pub fn before(transition: &Transition, variables: usize, base: usize) -> Form {
    let mut form = Form::zero(transition.points);
    for (v, sum) in form.coefficients.iter_mut().take(variables).enumerate() {
        sum.add(base + v, Rat::ONE);
    }
    form.constant.add(base + variables, Rat::ONE);
    form
}

/// Subtracts the function of a node after a transition.
pub fn subtract_after(form: &mut Form, transition: &Transition, variables: usize, base: usize) {
    for (v, value) in transition.next.iter().enumerate() {
        for (point, c) in &value.terms {
            form.coefficients[*point].add(base + v, -c);
        }
        form.constant.add(base + v, -&value.constant);
    }
    form.constant.add(base + variables, Rat::MINUS_ONE);
}
