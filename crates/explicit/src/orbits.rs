//! Symmetry reduction: rows that differ by an exchange of processes get the same representative.
//!
//! An exchange rearranges the components of a row. Representatives are used only to search for violations, and every
//! step of the resulting run is found again on the rows themselves: soundness does not depend on the exchanges being
//! symmetries.
//!
//! A representative cannot be made smaller by any exchange of neighbours. Two rows in the same orbit may still have
//! different representatives; this costs only time.

use crate::compiled::Compiled;
use crate::evidence::Path;
use crate::machine::Machine;
use crate::replay::inputs_of;
use crate::table::StateTable;
use crate::values::Choosing;
use sectile_base::Budget;
use sectile_engine::symmetry::{Exchange, Symmetry, canonical};
use sectile_model::{Ctl, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};
use std::ops::ControlFlow;

/// The exchanges of neighbouring processes under which a model and the state formulas of a property are
/// invariant.
pub(crate) struct Orbits {
    exchanges: Vec<Rearrangement>,
}

/// The effect of an exchange on a row: the components that it changes, in order.
struct Rearrangement(Vec<Moved>);

struct Moved {
    /// The component that receives the value,
    to: usize,
    /// and the one from which it is taken.
    from: usize,
    /// If values are exchanged as well, the image of each code.
    codes: Option<Vec<u64>>,
}

/// Rows, and the commands between them.
pub(crate) struct ConcreteRun {
    pub rows: Vec<Vec<u64>>,
    pub commands: Vec<u32>,
}

/// The maximum number of codes that are tabulated.
const MOST_CODES: u64 = 256;

impl Orbits {
    /// The exchanges, if there are any.
    pub(crate) fn of(
        terms: &Terms,
        model: &Model,
        property: &Property,
        compiled: &Compiled,
        machine: &Machine,
    ) -> Option<Orbits> {
        let formulas = state_formulas(property).filter(|_| model.is_system())?;
        let symmetry = Symmetry::of(terms, model, &[]);
        let keeps = |exchange: &&Exchange| {
            let same = |t: Term| Some(canonical(terms, exchange.map(terms, t)?));
            formulas
                .iter()
                .all(|&t| same(t) == Some(canonical(terms, t)))
        };
        let found = symmetry.exchanges().iter().filter(keeps);
        let found = found.filter_map(|e| Rearrangement::of(e, compiled, machine));
        let exchanges: Vec<Rearrangement> = found.collect();
        (!exchanges.is_empty()).then_some(Orbits { exchanges })
    }

    /// Replaces a row by its representative; calls `used` with the exchanges that lead there.
    pub(crate) fn represent(
        &self,
        compiled: &Compiled,
        row: &mut [u64],
        mut used: impl FnMut(usize),
    ) {
        let mut changes = true;
        while changes {
            changes = false;
            for (number, exchange) in self.exchanges.iter().enumerate() {
                if exchange.makes_smaller(compiled, row) {
                    exchange.apply(compiled, row);
                    used(number);
                    changes = true;
                }
            }
        }
    }

    /// The run that a path of representatives represents. `None` if it is a lasso, which may return to its
    /// start only after several rounds.
    pub(crate) fn run(
        &self,
        compiled: &Compiled,
        machine: &mut Machine,
        table: &StateTable,
        path: &Path,
    ) -> Option<ConcreteRun> {
        if path.back_to.is_some() {
            return None;
        }
        let mut run = ConcreteRun {
            rows: vec![table.row(path.states[0]).to_vec()],
            commands: Vec::with_capacity(path.commands.len()),
        };
        // The exchanges that lead from the representative to the row, in order.
        let mut word: Vec<usize> = Vec::new();
        for (ends, &command) in path.states.windows(2).zip(&path.commands) {
            let (from, to) = (table.row(ends[0]), table.row(ends[1]));
            let (mut row, mut back) = self.successor(compiled, machine, command, from, to)?;
            for &exchange in &word {
                self.exchanges[exchange].apply(compiled, &mut row);
            }
            // Every exchange is its own inverse.
            back.reverse();
            back.extend_from_slice(&word);
            word = back;
            let step = step(compiled, machine, run.rows.last()?, &row)?;
            run.commands.push(step);
            run.rows.push(row);
        }
        Some(run)
    }

    /// A successor by a command with the given representative, and the exchanges that lead from the
    /// successor to the representative.
    fn successor(
        &self,
        compiled: &Compiled,
        machine: &mut Machine,
        command: u32,
        from: &[u64],
        to: &[u64],
    ) -> Option<(Vec<u64>, Vec<usize>)> {
        compiled.load(machine, from);
        let mut row = vec![0; compiled.codec.width];
        let mut found = None;
        // No limits here: the search has found this step within its own.
        let outcome = compiled.successors(
            command as usize,
            machine,
            &mut Choosing::All(None),
            &Budget::unlimited(),
            &mut row,
            |row, _| {
                let (mut image, mut word) = (row.to_vec(), Vec::new());
                self.represent(compiled, &mut image, |exchange| word.push(exchange));
                if image != to {
                    return ControlFlow::Continue(());
                }
                found = Some((row.to_vec(), word));
                ControlFlow::Break(())
            },
        );
        outcome.ok()?;
        found
    }
}

/// The first command that leads from one row to another.
fn step(compiled: &Compiled, machine: &mut Machine, from: &[u64], to: &[u64]) -> Option<u32> {
    let location = compiled.load(machine, from);
    let mut commands = compiled.moves_from(location).iter();
    let command = commands.find(|&&c| inputs_of(compiled, machine, None, c, from, to).is_some())?;
    u32::try_from(*command).ok()
}

impl Rearrangement {
    /// The effect of an exchange on rows, if all components that it maps to each other have the same
    /// codes.
    fn of(exchange: &Exchange, compiled: &Compiled, machine: &Machine) -> Option<Rearrangement> {
        let (layout, codec) = (&compiled.layout, &compiled.codec);
        let symbols = layout.variables.iter().chain(&layout.rigid);
        let mut moved = Vec::new();
        for (from, &symbol) in symbols.enumerate() {
            let to = layout.position(exchange.symbol(symbol))?;
            let sort = layout.sorts[from];
            // The location is the first component of a row.
            let (from, to) = (from + 1, to + 1);
            let codes = match exchange.keeps_values_of(symbol) {
                true => None,
                false => {
                    let value = |code| Some(machine.numbers.value(codec.word(from, code)?, sort));
                    let all: Vec<_> = (0..=codec.last_code(from))
                        .take_while(|&c| c < MOST_CODES)
                        .map(value)
                        .collect::<Option<_>>()?;
                    let image = |v| all.iter().position(|w| *w == exchange.value(symbol, v));
                    let images = all.iter().map(|v| Some(image(v)? as u64));
                    Some(images.collect::<Option<Vec<u64>>>()?)
                }
            };
            let complete = codes
                .as_ref()
                .is_none_or(|c| c.len() as u64 == codec.last_code(from) + 1);
            if !codec.are_alike(from, to) || !complete {
                return None;
            }
            if from != to || codes.is_some() {
                moved.push(Moved { to, from, codes });
            }
        }
        moved.sort_by_key(|m| m.to);
        Some(Rearrangement(moved))
    }

    /// Whether the image of a row is smaller, in the lexicographic order of the components.
    fn makes_smaller(&self, compiled: &Compiled, row: &[u64]) -> bool {
        let pairs = self
            .0
            .iter()
            .map(|m| (m.code(compiled, row), compiled.codec.code(row, m.to)));
        let mut different = pairs.filter(|(new, old)| new != old);
        different.next().is_some_and(|(new, old)| new < old)
    }

    fn apply(&self, compiled: &Compiled, row: &mut [u64]) {
        let old = row.to_vec();
        for m in &self.0 {
            compiled.codec.set_code(row, m.to, m.code(compiled, &old));
        }
    }
}

impl Moved {
    /// The new code of the component.
    fn code(&self, compiled: &Compiled, row: &[u64]) -> u64 {
        let code = compiled.codec.code(row, self.from);
        match &self.codes {
            Some(codes) => codes[code as usize],
            None => code,
        }
    }
}

/// The state formulas of a property; `None` if it mentions locations.
fn state_formulas(property: &Property) -> Option<Vec<Term>> {
    let root = match &property.kind {
        PropertyKind::Invariant(t) | PropertyKind::Error(t) => return Some(vec![*t]),
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => return None,
        PropertyKind::Ctl(root) => root,
    };
    let mut formulas = Vec::new();
    let mut stack = vec![root];
    while let Some(part) = stack.pop() {
        match part {
            Ctl::State(t) => formulas.push(*t),
            Ctl::At(_) => return None,
            _ => stack.extend(part.arguments()),
        }
    }
    Some(formulas)
}
