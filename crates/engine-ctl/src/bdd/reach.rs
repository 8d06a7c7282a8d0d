//! Computes the reachable states, and the values of integers without a range.

use super::{Config, stop};
use sectile_base::Rat;
use sectile_base::bdd::Bdd;
use sectile_certify::finite::{Finite, NamedValues, NotFinite, Outside, mentioned_values};
use sectile_engine::{Run, Stop};
use sectile_model::{Model, NormalCtl, NormalPart, Task};
use sectile_terms::{Symbol, Term, Value};

/// A forward search.
pub(crate) struct Reached<'t> {
    task: &'t Task<'t>,
    pub system: &'t Model,
    /// The state formulas of the property, which determine the relevant variables.
    formulas: Vec<Term>,
    /// The states that violate a safety property.
    bad: Option<Term>,
    most_nodes: usize,
    most_values: usize,
    is_forwards: bool,
    /// Number of values to add at a time.
    growth: i64,
    named: NamedValues,
    finite: Option<Finite<'t>>,
    /// The reachable states, or all states.
    pub set: Bdd,
    /// The initial states.
    pub initial: Bdd,
    /// The number of searches; each considers more values.
    pub rounds: u64,
}

impl<'t> Reached<'t> {
    /// Before the first search.
    pub fn new(
        task: &'t Task<'t>,
        system: &'t Model,
        formula: &NormalCtl,
        bad: Option<Term>,
        config: &Config,
    ) -> Reached<'t> {
        let states = formula.parts.iter().filter_map(|part| match *part {
            NormalPart::State(p) => Some(p),
            _ => None,
        });
        Reached {
            task,
            system,
            formulas: states.collect(),
            bad,
            most_nodes: config.nodes,
            most_values: config.values,
            is_forwards: config.reach,
            growth: 1,
            named: mentioned_values(task.terms, &system.init),
            finite: None,
            set: Bdd::FALSE,
            initial: Bdd::FALSE,
            rounds: 0,
        }
    }

    /// The system as diagrams.
    pub fn finite(&mut self) -> Result<&mut Finite<'t>, Stop> {
        let missing = || Stop::bug("the search did not begin");
        self.finite.as_mut().ok_or_else(missing)
    }

    /// The number of reachable states, over the relevant variables.
    pub fn states(&mut self) -> Result<u64, Stop> {
        let set = self.set;
        let count = self.finite()?.count(set);
        // Larger numbers are capped.
        Ok(count.min(1e18) as u64)
    }

    /// Computes the reachable states for the values considered so far (all states if `reach` is
    /// off). Returns whether one of them violates a safety property.
    pub fn search(&mut self, run: &mut Run<'_>) -> Result<bool, Stop> {
        let mut finite = Finite::new(
            self.task.terms,
            self.system,
            &self.formulas,
            &self.named,
            self.most_nodes,
            &run.budget,
        )
        .map_err(stop)?;
        let bad = match self.bad {
            Some(bad) => finite.states_of(bad).map_err(stop)?,
            None => Bdd::FALSE,
        };
        self.initial = finite.initial(self.system).map_err(stop)?;
        finite.check(&run.budget)?;
        let mut violated = false;
        self.set = match self.is_forwards {
            true => {
                let set = finite.reached_from(self.initial, &run.budget)?;
                violated = finite.manager().and(set, bad) != Bdd::FALSE;
                set
            }
            false => finite.states(),
        };
        self.rounds += 1;
        finite.check(&run.budget)?;
        self.finite = Some(finite);
        Ok(violated)
    }

    /// Adds values to which steps lead; returns whether there are any.
    pub fn look_at_more(&mut self) -> Result<bool, Stop> {
        let set = self.set;
        let outside = self.finite()?.leaving(set);
        for part in &outside {
            self.extend(part, self.growth)?;
        }
        self.growth *= 2;
        Ok(!outside.is_empty())
    }

    /// Adds a value of an integer, and some values beyond it.
    fn extend(&mut self, outside: &Outside, growth: i64) -> Result<(), Stop> {
        let name = self.task.terms.name(outside.symbol).to_string();
        let infinite = || stop(NotFinite::Values(outside.symbol, name));
        let Some(value) = &outside.value else {
            return Err(infinite());
        };
        let values = self.named.entry(outside.symbol).or_default();
        let new = behind(values, value, growth);
        values.extend(new);
        values.sort();
        values.dedup();
        match values.len() > self.most_values {
            true => Err(infinite()),
            false => Ok(()),
        }
    }

    /// The integers without a range, with the considered values.
    pub fn open_values(&mut self) -> Result<Vec<(Symbol, Vec<Value>)>, Stop> {
        let symbols = self.finite()?.symbols();
        let open = symbols.filter(|(_, _, is_open)| *is_open);
        Ok(open.map(|(s, values, _)| (s, values.to_vec())).collect())
    }
}

/// A value and, if it is an integer outside of the values so far, the next ones in the same
/// direction.
fn behind(values: &[Value], value: &Value, growth: i64) -> Vec<Value> {
    let mut found = vec![value.clone()];
    let Value::Int(number) = value else {
        return found;
    };
    let direction = match (values.first(), values.last()) {
        (_, Some(last)) if value > last => 1,
        (Some(first), _) if value < first => -1,
        _ => return found,
    };
    let number = Rat::from(number);
    let further = (1..growth).map(|k| &number + &Rat::from(k * direction));
    found.extend(further.map(|r| Value::Int(r.numer())));
    found
}
