//! Judges and aggregates records: a row for every task, a cell for every contender.

use crate::Verdict;
use crate::plan::Task;
use crate::record::{Outcome, Record};
use indexmap::IndexMap;

/// The judgement of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The expected verdict.
    Right,
    /// A verdict where none is expected.
    Unchecked,
    /// No verdict.
    Unsolved,
    /// A verdict that differs from the expected one.
    Wrong,
    /// A verdict of ours with unchecked evidence.
    Uncertified,
    /// A verdict where none is expected and contenders contradict each other.
    Disagree,
    /// A result of ours that failed its own check.
    Failed,
}

impl Mark {
    /// Whether the result needs attention.
    pub fn is_alarm(self) -> bool {
        matches!(
            self,
            Mark::Wrong | Mark::Uncertified | Mark::Disagree | Mark::Failed
        )
    }

    /// Whether the task counts as solved.
    pub fn is_solved(self) -> bool {
        matches!(self, Mark::Right | Mark::Unchecked)
    }
}

/// A contender in the tables.
#[derive(Clone, Debug)]
pub struct Heading {
    /// Its name.
    pub name: String,
    /// The first line of its output about its version.
    pub version: String,
}

/// The result of a contender on a task, over all repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The outcome; the worst of all repetitions.
    pub outcome: Outcome,
    /// The judgement.
    pub mark: Mark,
    /// The median time.
    pub seconds: f64,
    /// The median peak of memory.
    pub memory: Option<u64>,
    /// The counters of the run with the median time.
    pub statistics: IndexMap<String, f64>,
    /// Details of the outcome.
    pub detail: String,
}

impl Cell {
    /// Whether the wall clock ended it before it had used its CPU time: the machine was too busy,
    /// or the program slept.
    pub fn starved(&self, limit: f64) -> bool {
        self.outcome == Outcome::Timeout && self.seconds < 0.95 * limit
    }
}

/// A task with its results, in the order of the contenders.
#[derive(Clone, Debug)]
pub struct Row {
    /// The task.
    pub task: Task,
    /// The results; `None` for contenders that do not run the task.
    pub cells: Vec<Option<Cell>>,
}

/// The totals of a contender.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Total {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of solved tasks.
    pub solved: usize,
    /// Number of results that need attention.
    pub alarms: usize,
    /// The total time of solved tasks.
    pub seconds: f64,
    /// The mean time over all tasks, where an unsolved one counts twice the limit.
    pub par2: f64,
    /// The geometric mean of the ratios of its times to those of the first contender, on the tasks
    /// that both solved, and the number of these tasks.
    pub ratio: Option<(f64, usize)>,
}

/// The data shown in tables and plots.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The contenders.
    pub headings: Vec<Heading>,
    /// The tasks.
    pub rows: Vec<Row>,
    /// The totals, in the order of the contenders.
    pub totals: Vec<Total>,
    /// The totals of each family with many tasks, in the order of the suite, if there are several
    /// such families.
    pub families: Vec<(String, Vec<Total>)>,
    /// The time limit, in seconds.
    pub limit: f64,
}

/// Shorter times count as this: they are noise, and would spoil ratios and logarithms.
pub const SHORTEST: f64 = 0.001;

impl Summary {
    /// Judges the records of some tasks.
    pub fn new(headings: Vec<Heading>, tasks: &[&Task], records: &[Record], limit: f64) -> Summary {
        let mut rows: Vec<Row> = tasks
            .iter()
            .map(|&task| row(task, &headings, records))
            .collect();
        rows.iter_mut().for_each(find_disagreement);
        let all: Vec<&Row> = rows.iter().collect();
        let totals = |rows: &[&Row]| -> Vec<Total> {
            (0..headings.len()).map(|i| total(i, rows, limit)).collect()
        };
        Summary {
            totals: totals(&all),
            families: families(&all, totals),
            headings,
            rows,
            limit,
        }
    }

    /// The names of the contenders.
    pub fn names(&self) -> Vec<&str> {
        self.headings.iter().map(|h| h.name.as_str()).collect()
    }

    /// The results that need attention, as text.
    pub fn alarms(&self) -> Vec<String> {
        let mut found = Vec::new();
        for row in &self.rows {
            for (heading, cell) in self.headings.iter().zip(&row.cells) {
                let Some(cell) = cell.as_ref().filter(|c| c.mark.is_alarm()) else {
                    continue;
                };
                let (task, alarm) = (&row.task.name, alarm(cell, row));
                found.push(format!("{task}, {}: {alarm}", heading.name));
            }
        }
        found
    }
}

fn alarm(cell: &Cell, row: &Row) -> String {
    let said = cell.outcome.word();
    match (cell.mark, row.task.expected) {
        (Mark::Wrong, Some(expected)) => format!("WRONG: {said}, expected {}", expected.word()),
        (Mark::Uncertified, _) => format!("UNCERTIFIED: {said}"),
        (Mark::Disagree, _) => format!("DISAGREE: {said}, others say otherwise"),
        _ => format!("FAILED: {}", cell.detail),
    }
}

fn row(task: &Task, headings: &[Heading], records: &[Record]) -> Row {
    let cells = headings.iter().map(|heading| {
        let mine = |r: &&Record| r.task == task.name && r.contender == heading.name;
        let runs: Vec<&Record> = records.iter().filter(mine).collect();
        cell(task, &runs)
    });
    Row {
        cells: cells.collect(),
        task: task.clone(),
    }
}

fn cell(task: &Task, runs: &[&Record]) -> Option<Cell> {
    let mut sorted = runs.to_vec();
    sorted.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    let median = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    let mut memory: Vec<u64> = runs.iter().filter_map(|r| r.memory).collect();
    memory.sort_unstable();
    let severity = |r: &&&Record| {
        let mark = mark(r, task.expected);
        (mark.is_alarm(), !mark.is_solved(), r.outcome)
    };
    let worst = runs.iter().max_by_key(severity)?;
    Some(Cell {
        outcome: worst.outcome,
        mark: mark(worst, task.expected),
        seconds: median.seconds(),
        memory: memory.get(memory.len().saturating_sub(1) / 2).copied(),
        statistics: median.statistics.clone(),
        detail: worst.detail.clone(),
    })
}

fn mark(record: &Record, expected: Option<Verdict>) -> Mark {
    match (record.outcome, expected) {
        (Outcome::Failed, _) => Mark::Failed,
        (Outcome::Decided(said), Some(expected)) if said != expected => Mark::Wrong,
        (Outcome::Decided(_), _) if record.certified == Some(false) => Mark::Uncertified,
        (Outcome::Decided(_), Some(_)) => Mark::Right,
        (Outcome::Decided(_), None) => Mark::Unchecked,
        _ => Mark::Unsolved,
    }
}

/// If no verdict is expected, contenders must at least agree.
fn find_disagreement(row: &mut Row) {
    if row.task.expected.is_some() {
        return;
    }
    let said = |verdict: Verdict| {
        let mut cells = row.cells.iter().flatten();
        cells.any(|c| c.outcome == Outcome::Decided(verdict))
    };
    if said(Verdict::Holds) && said(Verdict::Violated) {
        for cell in row.cells.iter_mut().flatten() {
            if cell.mark == Mark::Unchecked {
                cell.mark = Mark::Disagree;
            }
        }
    }
}

/// The minimum number of tasks for which a family has its own totals.
const MANY: usize = 5;

/// The totals of families with many tasks; empty unless there are several.
fn families(rows: &[&Row], totals: impl Fn(&[&Row]) -> Vec<Total>) -> Vec<(String, Vec<Total>)> {
    let mut families: IndexMap<&String, Vec<&Row>> = IndexMap::new();
    for &row in rows {
        families.entry(&row.task.family).or_default().push(row);
    }
    families.retain(|_, members| members.len() >= MANY);
    let sums = families.into_iter();
    let sums: Vec<(String, Vec<Total>)> = sums
        .map(|(name, members)| (name.clone(), totals(&members)))
        .collect();
    if sums.len() < 2 { Vec::new() } else { sums }
}

fn total(contender: usize, rows: &[&Row], limit: f64) -> Total {
    let mut total = Total::default();
    let mut logarithms = 0.0;
    let mut both = 0;
    for row in rows {
        let Some(cell) = row.cells.get(contender).and_then(Option::as_ref) else {
            continue;
        };
        total.tasks += 1;
        total.alarms += usize::from(cell.mark.is_alarm());
        if !cell.mark.is_solved() {
            total.par2 += 2.0 * limit;
            continue;
        }
        total.solved += 1;
        total.seconds += cell.seconds;
        total.par2 += cell.seconds;
        let first = row.cells.first().and_then(Option::as_ref);
        if let Some(first) = first.filter(|c| c.mark.is_solved()) {
            logarithms += (cell.seconds.max(SHORTEST) / first.seconds.max(SHORTEST)).ln();
            both += 1;
        }
    }
    total.par2 /= total.tasks.max(1) as f64;
    if both > 0 {
        total.ratio = Some(((logarithms / both as f64).exp(), both));
    }
    total
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::tests::example;

    /// A task for tests.
    pub(crate) fn task(name: &str, expected: Option<Verdict>) -> Task {
        Task {
            name: name.to_string(),
            family: name.split(' ').next().unwrap_or("").to_string(),
            size: name.split(' ').nth(1).and_then(|t| t.parse().ok()),
            file: "m.sct".to_string(),
            parameters: Vec::new(),
            properties: vec!["p".to_string()],
            expected,
            reference: vec!["42".to_string()],
            contenders: None,
        }
    }

    /// Two contenders for tests.
    pub(crate) fn headings() -> Vec<Heading> {
        let heading = |name: &str| Heading {
            name: name.to_string(),
            version: format!("{name} 1"),
        };
        ["slab", "z3"].map(heading).to_vec()
    }

    const HOLDS: Outcome = Outcome::Decided(Verdict::Holds);
    const VIOLATED: Outcome = Outcome::Decided(Verdict::Violated);

    fn marks(expected: Option<Verdict>, records: &[Record]) -> Vec<Option<Mark>> {
        let task = task("t", expected);
        let summary = Summary::new(headings(), &[&task], records, 60.0);
        let cells = summary.rows[0].cells.iter();
        cells.map(|c| c.as_ref().map(|c| c.mark)).collect()
    }

    #[test]
    fn verdicts_are_compared() {
        let records = [
            example("t", "slab", HOLDS, 1.0),
            example("t", "z3", VIOLATED, 1.0),
        ];
        assert_eq!(
            marks(Some(Verdict::Holds), &records),
            [Some(Mark::Right), Some(Mark::Wrong)]
        );
        assert_eq!(
            marks(None, &records),
            [Some(Mark::Disagree), Some(Mark::Disagree)]
        );
        assert_eq!(marks(None, &records[..1]), [Some(Mark::Unchecked), None]);
    }

    #[test]
    fn ours_must_be_certified_and_pass_their_checks() {
        let mut doubtful = example("t", "slab", HOLDS, 1.0);
        doubtful.certified = Some(false);
        let failed = example("t", "slab", Outcome::Failed, 1.0);
        let right = Some(Verdict::Holds);
        assert_eq!(marks(right, &[doubtful])[0], Some(Mark::Uncertified));
        assert_eq!(marks(right, &[failed])[0], Some(Mark::Failed));
    }

    #[test]
    fn of_repetitions_the_worst_outcome_and_the_median_time_count() {
        let run = |outcome, cpu| example("t", "slab", outcome, cpu);
        let records = [run(HOLDS, 3.0), run(HOLDS, 1.0), run(Outcome::Timeout, 2.0)];
        let task = task("t", Some(Verdict::Holds));
        let summary = Summary::new(headings(), &[&task], &records, 60.0);
        let cell = summary.rows[0].cells[0].as_ref().unwrap();
        assert_eq!((cell.outcome, cell.seconds), (Outcome::Timeout, 2.0));
        let records = [
            run(HOLDS, 3.0),
            run(VIOLATED, 1.0),
            run(Outcome::Crash, 2.0),
        ];
        let summary = Summary::new(headings(), &[&task], &records, 60.0);
        assert_eq!(
            summary.alarms(),
            ["t, slab: WRONG: violated, expected holds"]
        );
    }

    #[test]
    fn totals_compare_what_both_solved() {
        let tasks = [
            task("a", Some(Verdict::Holds)),
            task("b", None),
            task("c", None),
        ];
        let list: Vec<&Task> = tasks.iter().collect();
        let records = [
            example("a", "slab", HOLDS, 1.0),
            example("a", "z3", HOLDS, 4.0),
            example("b", "slab", VIOLATED, 2.0),
            example("b", "z3", VIOLATED, 2.0),
            example("c", "slab", HOLDS, 5.0),
            example("c", "z3", Outcome::Timeout, 60.0),
        ];
        let summary = Summary::new(headings(), &list, &records, 60.0);
        assert_eq!(summary.totals[0].solved, 3);
        assert_eq!(summary.totals[0].seconds, 8.0);
        assert_eq!(summary.families, []);
        let z3 = &summary.totals[1];
        assert_eq!(z3.par2, 42.0);
        assert_eq!((z3.tasks, z3.solved, z3.seconds), (3, 2, 6.0));
        let (ratio, both) = z3.ratio.unwrap();
        assert!((ratio - 2.0).abs() < 1e-9 && both == 2);
    }

    #[test]
    fn families_of_many_tasks_have_their_own_sums() {
        let of = |family: &'static str| (0..5).map(move |k| task(&format!("{family} {k}"), None));
        let tasks: Vec<Task> = of("a").chain(of("b")).chain([task("c 0", None)]).collect();
        let list: Vec<&Task> = tasks.iter().collect();
        let records = [
            example("a 0", "slab", HOLDS, 10.0),
            example("b 1", "slab", HOLDS, 2.0),
            example("b 2", "slab", Outcome::Timeout, 60.0),
        ];
        let summary = Summary::new(headings(), &list, &records, 60.0);
        let shown: Vec<(&str, usize, usize, f64)> = summary
            .families
            .iter()
            .map(|(name, t)| (name.as_str(), t[0].tasks, t[0].solved, t[0].par2))
            .collect();
        assert_eq!(shown, [("a", 1, 1, 10.0), ("b", 2, 1, 61.0)]);
    }
}
