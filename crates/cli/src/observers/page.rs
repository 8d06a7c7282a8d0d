//! `--report OUT.html`: the results and the steps of the engines as one HTML page.

use crate::args::CheckArgs;
use crate::output;
use sectile_certify::Claim;
use sectile_driver::{Checked, Loaded, certificates};
use sectile_engine::{Event, Interest, Observer};
use sectile_model::Certificate;
use sectile_report::{PageEvidence, PageInput, PropertyReport, Recorder, page, shell_word};
use std::path::Path;
use std::time::Instant;

/// Longer certificates are not embedded in the page as a test.
const LONGEST_TEST: usize = 200_000;

/// Records what engines do, and writes the page at the end.
pub struct Page {
    recorder: Recorder,
    started: Instant,
}

impl Page {
    /// A page for a check that begins now.
    pub fn new() -> Page {
        Page {
            recorder: Recorder::default(),
            started: Instant::now(),
        }
    }

    /// Writes the page.
    pub fn finish(
        self,
        args: &CheckArgs,
        loaded: &Loaded,
        checked: &Checked,
        file: &str,
    ) -> anyhow::Result<()> {
        let pairs = checked.report.properties.iter().zip(&checked.certificates);
        let evidence = pairs.map(|(property, known)| {
            let (claim, certificate) = known.as_ref()?;
            Some(PageEvidence {
                certificate,
                test: test(args, loaded, property, *claim, certificate),
            })
        });
        let input = PageInput {
            command: command(args),
            version: env!("CARGO_PKG_VERSION"),
            report: &checked.report,
            source: &loaded.source,
            terms: &loaded.terms,
            module: &loaded.reading.module,
            evidence: evidence.collect(),
        };
        output::file(Path::new(file), &page(&input, self.recorder))
    }
}

/// A command line that repeats the check.
fn command(args: &CheckArgs) -> String {
    let mut text = format!("sectile check {}", shell_word(&args.input.file));
    for name in &args.property {
        text += &format!(" --property {}", shell_word(name));
    }
    for (name, value) in args.given() {
        text += &format!(" {name}");
        if let Some(value) = value {
            text += &format!(" {}", shell_word(&value));
        }
    }
    text
}

/// Shell commands that check the evidence again; empty if the evidence is not about the file
/// itself.
fn test(
    args: &CheckArgs,
    loaded: &Loaded,
    property: &PropertyReport,
    claim: Claim,
    certificate: &Certificate,
) -> String {
    if args.counters {
        return String::new();
    }
    let text = certificates::print(loaded, [(property.name.as_str(), claim, certificate)]);
    let is_read = !text.lines().any(|l| l == "END") && text.len() <= LONGEST_TEST;
    if !is_read {
        return String::new();
    }
    let define = args.input.define.iter();
    let define = define.map(|(n, v)| format!(" -D {}", shell_word(&format!("{n}={v}"))));
    let input = args.input.input.as_ref();
    let input = input.map(|i| format!(" --input {}", shell_word(i)));
    format!(
        "sectile certify {}{}{} - <<'END'\n{text}END\n",
        shell_word(&args.input.file),
        define.collect::<String>(),
        input.unwrap_or_default(),
    )
}

impl Observer for Page {
    fn event(&mut self, event: &Event) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.recorder.hear(event, seconds);
    }

    fn interest(&self) -> Interest {
        Interest::Pictures
    }
}
