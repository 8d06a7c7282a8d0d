//! All runs as comma-separated values.

use crate::plan::Task;
use crate::record::Record;
use indexmap::IndexSet;

/// One line for every run, with every counter that any of them has.
pub fn csv(tasks: &[&Task], records: &[Record]) -> String {
    let all = records.iter().flat_map(|r| r.statistics.keys());
    let counters: IndexSet<&str> = all.map(String::as_str).collect();
    let fixed = [
        "task",
        "family",
        "size",
        "file",
        "parameters",
        "property",
        "expected",
        "contender",
        "repeat",
        "outcome",
        "detail",
        "certified",
        "cpu_seconds",
        "wall_seconds",
        "memory_bytes",
    ];
    let mut out = line(fixed.iter().chain(&counters).map(ToString::to_string));
    for record in records {
        let Some(task) = tasks.iter().find(|t| t.name == record.task) else {
            continue;
        };
        let counter = |name: &&str| plain(record.statistics.get(*name).copied());
        let cells = common(task, record).into_iter();
        out.push_str(&line(cells.chain(counters.iter().map(counter))));
    }
    out
}

fn common(task: &Task, record: &Record) -> Vec<String> {
    let parameters: Vec<String> = task
        .parameters
        .iter()
        .map(|(n, v)| format!("{n}={v}"))
        .collect();
    vec![
        task.name.clone(),
        task.family.clone(),
        plain(task.size),
        task.file.clone(),
        parameters.join(" "),
        task.properties.join(" "),
        task.expected.map_or("", |v| v.word()).to_string(),
        record.contender.clone(),
        record.repeat.to_string(),
        record.outcome.word().to_string(),
        record.detail.clone(),
        record.certified.map(|c| c.to_string()).unwrap_or_default(),
        plain(record.cpu),
        plain(Some(record.wall)),
        record.memory.map(|m| m.to_string()).unwrap_or_default(),
    ]
}

fn plain(value: Option<f64>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

/// One line; cells with a comma, a quote or a line break are quoted.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = cells.map(|cell| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Outcome;
    use crate::record::tests::example;
    use crate::summary::tests::task;

    #[test]
    fn odd_texts_are_quoted() {
        let task = task("a, \"b\"", None);
        let mut record = example("a, \"b\"", "z3", Outcome::Timeout, 1.5);
        record.statistics = [("k".to_string(), 3.0)].into();
        assert_eq!(
            csv(&[&task], &[record]),
            "task,family,size,file,parameters,property,expected,contender,repeat,outcome,detail,\
             certified,cpu_seconds,wall_seconds,memory_bytes,k\n\
             \"a, \"\"b\"\"\",\"a,\",,m.sct,,p,,z3,0,timeout,,,1.5,1.5,12000000,3\n"
        );
    }
}
