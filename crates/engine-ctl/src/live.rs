//! Dead numbers: those that are not read before they are written again.

use sectile_domains::domain::Domain;
use sectile_domains::guarded::command::is_kept;
use sectile_domains::guarded::program::{Next, Program};

/// For every number, the values of discrete variables for which it is dead.
///
/// The choice of sets of states is free, and claims about them are checked by their steps. So this
/// affects the speed of the search, not its correctness.
pub struct Dead {
    /// For a number and a discrete variable: the values for which the number is dead, as bits.
    table: Vec<Vec<u64>>,
}

impl Dead {
    /// Considers each number with each discrete variable alone; `watched` numbers are never dead.
    pub fn new<D: Domain>(program: &Program<'_, D>, watched: &[usize]) -> Dead {
        let numbers = 0..program.numeric.len();
        let row = |number: usize| {
            let variables = 0..program.control.len();
            let entry = |v: usize| match watched.contains(&number) {
                true => 0,
                false => !live(program, number, v),
            };
            variables.map(entry).collect()
        };
        Dead {
            table: numbers.map(row).collect(),
        }
    }

    /// Drops the constraints on dead numbers.
    pub fn forget<D: Domain>(&self, control: &[u8], mut set: D) -> D {
        for (i, row) in self.table.iter().enumerate() {
            let dead = |(v, bits): (usize, &u64)| bits >> control[v] & 1 == 1;
            if row.iter().enumerate().any(dead) {
                set = set.havoc(i);
            }
        }
        set
    }
}

/// The values of a discrete variable for which a number may be read before it is written.
fn live<D: Domain>(program: &Program<'_, D>, number: usize, variable: usize) -> u64 {
    let mut live = 0u64;
    loop {
        let before = live;
        for case in &program.cases {
            let tests = case.tests.iter().filter(|t| t.variable == variable);
            let from = tests.fold(u64::MAX, |bits, t| bits & t.values);
            let kept = is_kept(&case.values[number], number);
            let to = match case.next[variable] {
                Next::Copy(v) if v == variable => from,
                Next::Copy(_) => u64::MAX,
                Next::Any(bits) => bits,
            };
            if case.reads.contains(&number) {
                live |= from;
            } else if kept && to & live != 0 {
                live |= match case.next[variable] {
                    Next::Copy(v) if v == variable => from & live,
                    _ => from,
                };
            }
        }
        if live == before {
            return live;
        }
    }
}
