//! Concrete runs along a list of cases.

use crate::domain::Domain;
use crate::guarded::program::{Case, Control, Program, StateCube};
use crate::linear::{Constraint, Relation};
use sectile_base::Rat;
use sectile_model::{Model, State, Step, Trace};
use sectile_terms::{Sort, Stage, Symbol, Value};

/// Makes values of states and inputs from points of sets.
pub struct RunMaker<'r, D: Domain> {
    /// The program.
    pub program: &'r Program<'r, D>,
    /// The system it was made from.
    pub system: &'r Model,
}

/// A state with the values of the constants.
pub struct Located {
    /// The constants.
    pub rigid: Vec<Value>,
    /// The state.
    pub state: State,
}

impl<D: Domain> RunMaker<'_, D> {
    /// A state with these discrete values and numbers.
    pub fn located(&self, control: &[u8], point: &[Rat]) -> Located {
        let value = |symbol: &Symbol| self.value(*symbol, control, point);
        Located {
            rigid: self.system.rigid.iter().map(value).collect(),
            state: State {
                location: sectile_model::LocationId(0),
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

    /// The numbers of an initial state in a set with this control.
    pub fn initial_in(&self, control: &[u8], set: &D) -> Option<Vec<Rat>> {
        let mut starts = self.program.init.iter();
        let points = |c: &StateCube<D>| c.within(control, set)?.point();
        starts.find_map(points)
    }

    /// A run along the cases that ends in one of the cubes, if there is one.
    ///
    /// Forward images are exact and keep all variables; then a last state is chosen, and one before
    /// each.
    pub fn run(
        &self,
        cases: &[usize],
        controls: &[Control],
        bad: &[StateCube<D>],
    ) -> Option<Trace> {
        let cases = cases.iter().map(|&k| &self.program.cases[k]);
        let steps: Vec<(&Case<D>, &[D::Source])> = cases.map(|c| (c, &c.sources[..])).collect();
        self.run_along(&steps, controls, bad)
    }

    /// The same along cases with other next values of the numbers than their own.
    pub fn run_along(
        &self,
        cases: &[(&Case<D>, &[D::Source])],
        controls: &[Control],
        bad: &[StateCube<D>],
    ) -> Option<Trace> {
        for start in &self.program.init {
            let Some(set) = start.within(&controls[0], &self.program.universe()) else {
                continue;
            };
            let Some(sets) = forwards(set, cases) else {
                continue;
            };
            let (last, end) = (sets.last()?, controls.last()?);
            let points = |c: &StateCube<D>| c.within(end, last)?.point();
            let Some(end) = bad.iter().find_map(points) else {
                continue;
            };
            if let Some(trace) = self.backwards(cases, controls, &sets, end) {
                return Some(trace);
            }
        }
        None
    }

    fn backwards(
        &self,
        cases: &[(&Case<D>, &[D::Source])],
        controls: &[Control],
        sets: &[D],
        end: Vec<Rat>,
    ) -> Option<Trace> {
        let mut points = vec![end];
        let mut steps = Vec::new();
        for (k, (case, sources)) in cases.iter().enumerate().rev() {
            let target = points.last()?;
            let before = single(self.program, target)?;
            let guarded = case.guarded(&sets[k])?;
            let chosen = before.preimage(&guarded, sources)?.point()?;
            steps.push(Step::new(case.command, self.inputs(case, &chosen)));
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

    /// The values of the inputs of a case at a point of the numbers and chosen values.
    pub fn inputs(&self, case: &Case<D>, point: &[Rat]) -> Vec<Value> {
        let command = &self.system.edges[case.command].command;
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
fn forwards<D: Domain>(start: D, cases: &[(&Case<D>, &[D::Source])]) -> Option<Vec<D>> {
    let mut sets = vec![start];
    for (case, sources) in cases {
        let guarded = case.guarded(sets.last()?)?;
        sets.push(guarded.image(sources));
    }
    Some(sets)
}

/// The set of one point; none if the domain cannot express it.
pub fn single<D: Domain>(program: &Program<'_, D>, point: &[Rat]) -> Option<D> {
    let mut guards = Vec::new();
    for (i, value) in point.iter().enumerate() {
        let mut coefficients = vec![Rat::ZERO; point.len()];
        coefficients[i] = Rat::ONE;
        let equal = Constraint::from_rationals(&coefficients, Relation::Equal, value);
        guards.extend(D::guard(&equal)?);
    }
    program.universe().assume_all(&guards)
}
