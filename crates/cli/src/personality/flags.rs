//! The options of other Horn solvers. Options that only control their search are ignored.

use super::Personality;
use std::time::Duration;

/// The resource units of z3 that correspond to one second, roughly.
const RESOURCES_A_SECOND: u64 = 2_500_000;

/// The request of a command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The script; `-` is standard input.
    pub file: String,
    pub timeout: Option<Duration>,
    pub model: bool,
    pub trace: bool,
    pub version: bool,
}

impl Request {
    /// Reads the options of a solver; an error unless there is exactly one file.
    pub fn of(personality: Personality, line: &[String]) -> Result<Request, String> {
        let mut request = Request::default();
        let mut files = Vec::new();
        let mut words = line.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if word == "-" {
                files.push(word);
                continue;
            }
            if matches!(word, "--version" | "-version") {
                request.version = true;
                return Ok(request);
            }
            let is_option = match personality {
                Personality::Eldarica => request.eldarica(word),
                Personality::Z3 => request.z3(word),
                Personality::Golem => {
                    if takes_a_value(word) {
                        words.next();
                    }
                    request.golem(word)
                }
            };
            if !is_option {
                files.push(word);
            }
        }
        match files.as_slice() {
            [file] => request.file = (*file).to_string(),
            [] if request.file == "-" => {}
            [] => return Err("no script is given".to_string()),
            _ => return Err("more than one script is given".to_string()),
        }
        Ok(request)
    }

    /// `-t:SECONDS`, `-ssol` and `-sol` for the model, `-cex` and `-scex` for the derivation.
    fn eldarica(&mut self, word: &str) -> bool {
        match word {
            "-ssol" | "-sol" => self.model = true,
            "-cex" | "-scex" => self.trace = true,
            "-in" | "-stdin" => self.file = "-".to_string(),
            _ => self.at_most(word.strip_prefix("-t:"), 1000),
        }
        word.starts_with('-')
    }

    /// `-T:SECONDS`, `-t:MILLISECONDS`, `-in`, `-model`, and parameters `NAME=VALUE`.
    fn z3(&mut self, word: &str) -> bool {
        match word {
            "-in" => self.file = "-".to_string(),
            "-model" => self.model = true,
            _ => {
                self.at_most(word.strip_prefix("-T:"), 1000);
                self.at_most(word.strip_prefix("-t:"), 1);
                self.at_most(word.strip_prefix("timeout="), 1);
                let resources = word.strip_prefix("rlimit=").and_then(|n| n.parse().ok());
                let seconds = resources.map(|n: u64| n.div_ceil(RESOURCES_A_SECOND));
                self.at_most(seconds.map(|n| n.to_string()).as_deref(), 1000);
            }
        }
        let is_path = std::path::Path::new(word).exists();
        word.starts_with('-') || (word.contains('=') && !is_path)
    }

    /// `--print-witness`, which asks for a model or a derivation.
    fn golem(&mut self, word: &str) -> bool {
        if matches!(word, "--print-witness" | "-p") {
            (self.model, self.trace) = (true, true);
        }
        word.starts_with('-')
    }

    /// Applies a time limit of this many units of milliseconds, if it is the tightest; zero means
    /// no limit.
    fn at_most(&mut self, number: Option<&str>, unit: u64) {
        let number: Option<u64> = number.and_then(|n| n.parse().ok());
        if let Some(number) = number.filter(|n| *n > 0) {
            let time = Duration::from_millis(number.saturating_mul(unit));
            self.timeout = Some(self.timeout.map_or(time, |t| t.min(time)));
        }
    }
}

/// The options of Golem that are followed by a value.
fn takes_a_value(word: &str) -> bool {
    matches!(
        word,
        "-l" | "--logic" | "-e" | "--engine" | "-i" | "--input"
    )
}

#[cfg(test)]
mod tests {
    use super::{Personality, Request};
    use std::time::Duration;

    fn of(personality: Personality, line: &str) -> Result<Request, String> {
        let line: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Request::of(personality, &line)
    }

    #[test]
    fn what_clients_pass_is_understood() {
        let compiler = "-smt2 rlimit=20000000 rewriter.pull_cheap_ite=true \
                        fp.spacer.q3.use_qgen=true fp.spacer.mbqi=false q.smt2";
        let request = of(Personality::Z3, compiler).expect("it is understood");
        assert_eq!(request.file, "q.smt2");
        assert_eq!(request.timeout, Some(Duration::from_secs(8)));
        assert!(!request.model);
        let request = of(Personality::Z3, "-in -T:20 -t:500 -model").expect("it is understood");
        assert_eq!((request.file.as_str(), request.model), ("-", true));
        assert_eq!(request.timeout, Some(Duration::from_millis(500)));
        let request = of(Personality::Eldarica, "-horn -t:10 -hints q.smt2 -ssol");
        let request = request.expect("it is understood");
        assert_eq!((request.file.as_str(), request.model), ("q.smt2", true));
        assert_eq!(request.timeout, Some(Duration::from_secs(10)));
        let request = of(
            Personality::Golem,
            "-l QF_LIA -e spacer q.smt2 --print-witness",
        );
        let request = request.expect("it is understood");
        assert_eq!((request.file.as_str(), request.trace), ("q.smt2", true));
    }

    #[test]
    fn one_script_is_wanted() {
        assert!(of(Personality::Z3, "-smt2").is_err());
        assert!(of(Personality::Eldarica, "a.smt2 b.smt2").is_err());
    }
}
