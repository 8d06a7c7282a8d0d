//! The options given to `check`, repeated in the commands that its output suggests.

use super::{CheckArgs, InputArgs, Methods, TiesName};
use clap::ValueEnum as _;
use sectile_report::GivenOption;

impl CheckArgs {
    /// The options that affect how properties are checked, without names of properties and output
    /// options.
    pub fn given(&self) -> Vec<GivenOption> {
        let mut all: Vec<GivenOption> = Vec::new();
        let mut add = |name: &str, value: Option<String>| all.push((name.to_string(), value));
        let InputArgs { input, limits, .. } = &self.input;
        let engines = (self.engine != ["auto"]).then(|| self.engine.join(","));
        for (parameter, value) in &self.input.define {
            add("-D", Some(format!("{parameter}={value}")));
        }
        if engines.is_some() {
            add("--engine", engines);
        }
        for (parameter, value) in &self.settings {
            add("--set", Some(format!("{parameter}={value}")));
        }
        for part in &self.small {
            add("--small", Some(part.text()));
        }
        if self.reuse {
            add("--reuse", None);
        }
        let select = self.select.and_then(|s| s.to_possible_value());
        let usual_depth = self.depth == 2;
        let milliseconds = |t: std::time::Duration| match t.as_millis() {
            ms if ms % 1000 == 0 => format!("{}s", ms / 1000),
            ms => format!("{ms}ms"),
        };
        let values = [
            ("--input", input.clone()),
            (
                "--solver",
                (self.solver != "native").then(|| self.solver.clone()),
            ),
            (
                "--interpolation",
                self.interpolation
                    .and_then(Methods::one)
                    .map(|m| m.name().to_string()),
            ),
            ("--predicates", self.predicates.clone()),
            ("--split", self.split.clone()),
            ("--forall", self.forall.clone()),
            ("--select", select.map(|s| s.get_name().to_string())),
            ("--depth", (!usual_depth).then(|| self.depth.to_string())),
            (
                "--ties",
                (self.ties == TiesName::Predicates).then(|| "predicates".to_string()),
            ),
            ("--seed", (self.seed != 0).then(|| self.seed.to_string())),
            ("--jobs", self.jobs.map(|n| n.to_string())),
            ("--timeout", limits.timeout.map(milliseconds)),
            (
                "--memory",
                (limits.memory != 4 << 30).then(|| limits.memory.to_string()),
            ),
        ];
        for (name, value) in values {
            if value.is_some() {
                add(name, value);
            }
        }
        for (name, is_given) in [
            ("--infinite-paths", self.input.infinite_paths),
            ("--termination", self.input.termination),
            ("--slab-paper", self.slab_paper),
            ("--no-certify", self.no_certify),
            ("--counters", self.counters),
            ("--explain", self.explain),
        ] {
            if is_given {
                add(name, None);
            }
        }
        all
    }
}
