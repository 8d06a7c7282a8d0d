//! Certificates for CTL formulas and safety properties: cells with one state each.

use crate::claims::{Claims, numbered};
use crate::code::Code;
use crate::compiled::location_of;
use crate::graph::Graph;
use crate::monitor::state_code;
use crate::replay::inputs_of;
use crate::space::Space;
use crate::table::StateId;
use crate::word::Word;
use rustc_hash::FxHashMap;
use sectile_base::{Budget, Exhausted};
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Edge, Initial, LocationId, Model, NormalCtl, NormalPart,
    Successors, Task,
};
use sectile_terms::{Term, Terms};

/// Proves that the property holds, or is violated, in the initial states. These are the first ones
/// of the graph, and all of them must be known. `None` if the known part of the graph does not
/// suffice.
pub(crate) fn proof(
    space: &mut Space,
    graph: &Graph,
    initial: usize,
    task: &Task<'_>,
    positive: bool,
    budget: &Budget,
) -> Result<Option<CtlProof>, Exhausted> {
    let kind = &task.property.kind;
    let at = |l| NormalCtl::of_property_at(task.terms, kind, positive, LocationId(l));
    let formulas: Option<Vec<NormalCtl>> = (0..space.locations).map(at).collect();
    let Some(formulas) = formulas else {
        return Ok(None);
    };
    let Some(codes) = codes(space, task, &formulas) else {
        return Ok(None);
    };
    let formula = &formulas[task.model.entry.0];
    let claims = Claims::new(graph, formula, |part, id| {
        let row = space.table.row(id);
        let location = space.compiled.load(&mut space.machine, row);
        let code = codes[location][part].as_ref();
        code.is_some_and(|code| space.machine.test(code))
    });
    budget.check()?;
    let mut starts: Vec<StateId> = (0..).take(initial).collect();
    starts.retain(|&s| claims.holds(formula.root(), s));
    match positive {
        true if starts.len() < initial => return Ok(None),
        true => {}
        false => starts.truncate(1),
    }
    let needed = claims.needed(&starts);
    let (used, positions) = numbered(&needed, graph.len());
    let mut builder = Builder {
        terms: task.terms,
        model: task.model,
        graph,
        claims: &claims,
        positions: &positions,
        equations: FxHashMap::default(),
        proof: CtlProof {
            cells: Vec::with_capacity(used.len()),
            renamings: Vec::new(),
            images: Vec::new(),
            claims: vec![Vec::new(); formula.parts.len()],
            initial: Initial::All(Vec::new()),
        },
    };
    for &id in &used {
        budget.poll()?;
        let parts = (0..needed.len()).filter(|&part| needed[part].contains(id));
        if builder.cell(space, id, parts).is_none() {
            return Ok(None);
        }
    }
    let mut proof = builder.proof;
    let cell = |&s: &StateId| positions[s as usize];
    proof.initial = match (positive, starts.first()) {
        (true, _) => Initial::All(starts.iter().map(cell).collect()),
        (false, Some(s)) => Initial::One(space.rigid(*s), space.state(*s), cell(s)),
        (false, None) => return Ok(None),
    };
    Ok(Some(proof))
}

/// The compiled state formulas for every location; `None` if one cannot be compiled.
fn codes(
    space: &mut Space,
    task: &Task<'_>,
    formulas: &[NormalCtl],
) -> Option<Vec<Vec<Option<Code>>>> {
    let name = &task.property.name;
    let mut code = |part: &NormalPart| match *part {
        NormalPart::State(p) => {
            let layout = &space.compiled.layout;
            state_code(task.terms, layout, p, name, &mut space.machine).map(Some)
        }
        _ => Ok(None),
    };
    let mut list = |f: &NormalCtl| f.parts.iter().map(&mut code).collect();
    let codes: Result<Vec<_>, _> = formulas.iter().map(&mut list).collect();
    codes.ok()
}

struct Builder<'a> {
    terms: &'a Terms,
    model: &'a Model,
    graph: &'a Graph,
    claims: &'a Claims<'a>,
    /// The numbers of the cells, by state.
    positions: &'a [usize],
    /// Cached equations `component = value`.
    equations: FxHashMap<(usize, Word), Term>,
    proof: CtlProof,
}

impl Builder<'_> {
    /// Adds a state with its claims. `None` if a claim needs a step that proves nothing.
    fn cell(
        &mut self,
        space: &mut Space,
        id: StateId,
        parts: impl Iterator<Item = usize>,
    ) -> Option<()> {
        let number = self.proof.cells.len();
        let mut cell = Cell {
            location: LocationId(location_of(space.word(id, 0))),
            formula: self.formula(space, id),
            successors: Vec::new(),
            choices: Vec::new(),
        };
        let (mut closed, mut steps) = (false, Vec::new());
        for part in parts {
            closed |= self.claims.looks_at_all(part, id);
            let mut choices = Vec::new();
            if let Some(step) = self.claims.chosen(part, id) {
                let known = steps.iter().position(|s| *s == step);
                choices.push(known.unwrap_or(steps.len()));
                if known.is_none() {
                    steps.push(step);
                    cell.choices.push(self.choice(space, id, step)?);
                }
            }
            self.proof.claims[part].push(CellClaim {
                cell: number,
                rank: u64::from(self.claims.rank(part, id)),
                measures: Vec::new(),
                choices,
            });
        }
        if closed {
            cell.successors = self.successors(id);
        }
        self.proof.cells.push(cell);
        Some(())
    }

    /// The state as a conjunction of equations.
    fn formula(&mut self, space: &Space, id: StateId) -> Term {
        let (terms, layout) = (self.terms, &space.compiled.layout);
        let symbols = layout.variables.iter().chain(&layout.rigid);
        let parts = symbols.enumerate().map(|(i, &symbol)| {
            let word = space.word(id, i + 1);
            let equation = || space.equation(terms, i, symbol, word);
            *self.equations.entry((i, word)).or_insert_with(equation)
        });
        terms.and(parts)
    }

    fn successors(&self, id: StateId) -> Vec<Successors> {
        let mut list: Vec<Successors> = Vec::new();
        let steps = self.graph.successors(id).iter();
        for (&target, &command) in steps.zip(self.graph.commands(id)) {
            let (cell, command) = (self.positions[target as usize], command as usize);
            match list.last_mut().filter(|s| s.command == command) {
                Some(last) => last.cells.push(cell),
                None => list.push(Successors {
                    command,
                    cells: vec![cell],
                }),
            }
        }
        list
    }

    /// A step with the values that are chosen in it.
    fn choice(&self, space: &mut Space, id: StateId, step: usize) -> Option<Choice> {
        let terms = self.terms;
        let target = self.graph.successors(id)[step];
        let number = self.graph.commands(id)[step] as usize;
        let Edge { command, loose, .. } = &self.model.edges[number];
        if *loose {
            return None;
        }
        let mut values = Vec::new();
        if !command.inputs.is_empty() {
            let Space {
                compiled,
                machine,
                table,
                ..
            } = space;
            let (from, to) = (table.row(id), table.row(target));
            let inputs = inputs_of(compiled, machine, None, number, from, to)?;
            let inputs = inputs.iter().map(|v| v.to_term(terms));
            values.extend(command.inputs.iter().copied().zip(inputs));
        }
        let open = command.unassigned(&self.model.variables);
        if !open.is_empty() {
            let after = space.state(target);
            let all = self.model.variables.iter().zip(&after.values);
            let open = all.filter(|(symbol, _)| open.contains(symbol));
            values.extend(open.map(|(symbol, value)| (*symbol, value.to_term(terms))));
        }
        Some(Choice {
            command: number,
            values,
            target: self.positions[target as usize],
        })
    }
}
