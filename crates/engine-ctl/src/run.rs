//! Concrete runs along a list of cases.

use crate::cells::CellSet;
use crate::program::{Case, Control, Program, StateCube};
use sectile_base::Rat;
use sectile_domains::zone::{Bound, Difference, Zone};
use sectile_model::{State, Step, Trace, TransitionSystem};
use sectile_terms::{Sort, Stage, Symbol, Value};

/// Makes values of states and inputs from points of zones.
pub struct RunMaker<'r> {
    /// The program.
    pub program: &'r Program<'r>,
    /// The system it was made from.
    pub system: &'r TransitionSystem,
}

/// A state with the values of the constants.
pub struct Located {
    /// The constants.
    pub rigid: Vec<Value>,
    /// The state.
    pub state: State,
}

impl RunMaker<'_> {
    /// A state with these discrete values and numbers.
    pub fn located(&self, control: &[u8], point: &[Rat]) -> Located {
        let value = |symbol: &Symbol| self.value(*symbol, control, point);
        Located {
            rigid: self.system.rigid.iter().map(value).collect(),
            state: State {
                location: None,
                values: self.system.variables.iter().map(value).collect(),
            },
        }
    }

    fn value(&self, symbol: Symbol, control: &[u8], point: &[Rat]) -> Value {
        if let Some(i) = self.program.numeric.iter().position(|s| *s == symbol) {
            return self.number(symbol, &point[i]);
        }
        let at = self.program.control.iter().position(|s| *s == symbol);
        self.discrete(symbol, at.map_or(0, |i| u32::from(control[i])))
    }

    fn number(&self, symbol: Symbol, scaled: &Rat) -> Value {
        let number = scaled / &Rat::from(&self.program.scale);
        match (self.program.terms.symbol_sort(symbol), number.to_int()) {
            (Sort::Int, Some(int)) => Value::Int(int),
            _ => Value::Real(number),
        }
    }

    fn discrete(&self, symbol: Symbol, value: u32) -> Value {
        match self.program.terms.symbol_sort(symbol) {
            Sort::Enum(id) => Value::Enum(id, value),
            _ => Value::Bool(value == 1),
        }
    }

    /// An initial state in a cell.
    pub fn initial_in(&self, cell: &CellSet) -> Option<Located> {
        let mut starts = self.program.init.iter();
        let zone = starts.find_map(|c| c.within(&cell.control, &cell.zone))?;
        Some(self.located(&cell.control, &zone.point()))
    }

    /// A run along the cases that ends in one of the cubes, if there is one.
    ///
    /// Forwards all states are found exactly, without forgetting anything; then one is chosen in
    /// the end, and one before each.
    pub fn run(&self, cases: &[usize], controls: &[Control], bad: &[StateCube]) -> Option<Trace> {
        let cases: Vec<&Case> = cases.iter().map(|&k| &self.program.cases[k]).collect();
        for start in &self.program.init {
            let Some(zone) = start.within(&controls[0], &self.program.universe()) else {
                continue;
            };
            let Some(zones) = forwards(zone, &cases) else {
                continue;
            };
            let (last, end) = (zones.last()?, controls.last()?);
            let Some(end) = bad.iter().find_map(|c| c.within(end, last)) else {
                continue;
            };
            return self.backwards(&cases, controls, &zones, end.point());
        }
        None
    }

    fn backwards(
        &self,
        cases: &[&Case],
        controls: &[Control],
        zones: &[Zone],
        end: Vec<Rat>,
    ) -> Option<Trace> {
        let mut points = vec![end];
        let mut steps = Vec::new();
        for (k, case) in cases.iter().enumerate().rev() {
            let target = points.last()?;
            let before = single(self.program, target)?;
            let guarded = case.guarded(&zones[k])?;
            let chosen = before.preimage(&guarded, &case.sources)?.point();
            steps.push(Step {
                command: case.command,
                inputs: self.inputs(case, &chosen),
            });
            points.push(chosen[..self.program.numeric.len()].to_vec());
        }
        points.reverse();
        steps.reverse();
        let located = points.iter().zip(controls);
        let located: Vec<Located> = located.map(|(p, c)| self.located(c, p)).collect();
        Some(Trace {
            rigid: located.first()?.rigid.clone(),
            states: located.into_iter().map(|l| l.state).collect(),
            steps,
            back_to: None,
        })
    }

    fn inputs(&self, case: &Case, point: &[Rat]) -> Vec<Value> {
        let command = &self.system.commands[case.command];
        let value = |&input: &Symbol| {
            let slot = (input, Stage::Now);
            match case.chosen.iter().position(|s| *s == slot) {
                Some(k) => self.number(input, &point[self.program.numeric.len() + k]),
                None if self.program.terms.symbol_sort(input).is_numeric() => {
                    self.number(input, &Rat::ZERO)
                }
                None => self.discrete(input, case.inputs.get(&input).copied().unwrap_or(0)),
            }
        };
        command.inputs.iter().map(value).collect()
    }
}

/// The states after each of the cases.
fn forwards(start: Zone, cases: &[&Case]) -> Option<Vec<Zone>> {
    let mut zones = vec![start];
    for case in cases {
        let guarded = case.guarded(zones.last()?)?;
        zones.push(guarded.image(&case.sources));
    }
    Some(zones)
}

/// The zone of one point; none if a coordinate is not whole, which zones cannot say.
fn single(program: &Program<'_>, point: &[Rat]) -> Option<Zone> {
    let mut zone = program.universe();
    for (i, value) in point.iter().enumerate() {
        let value = value.to_int()?;
        let (left, right) = (i + 1, 0);
        let high = Bound::AtMost(value.clone());
        let low = Bound::AtMost(-&value);
        zone = zone.assume(&Difference {
            left,
            right,
            bound: high,
        })?;
        zone = zone.assume(&Difference {
            left: right,
            right: left,
            bound: low,
        })?;
    }
    Some(zone)
}
