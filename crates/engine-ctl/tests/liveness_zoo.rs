//! The models of `models/liveness`: all verdicts that their headers expect, and what is said of them.
#![allow(clippy::unwrap_used)]

use sectile_driver::load;
use sectile_engine::Settings;
use sectile_model::Expected;
use sectile_report::{Evidence, PropertyReport, Status, TextOptions, property_text};
use sectile_testkit::driven::{options, report};
use sectile_testkit::files::{files_in, root};

/// The report of `ctl` about a property of a file of `models/liveness`, with values of parameters.
fn asked(file: &str, parameters: &[(String, String)], property: &str) -> PropertyReport {
    let path = root().join("models/liveness").join(file);
    let loaded = load(&path.display().to_string(), None, parameters).unwrap();
    let mut options = options("ctl", 60, Settings::default());
    options.properties = vec![property.to_string()];
    report(&loaded, &options)
}

/// All that is told about a property of a file.
fn told(file: &str, property: &str) -> String {
    let options = TextOptions {
        trace: true,
        model: true,
        stats: false,
    };
    property_text(&asked(file, &[], property), options)
}

#[test]
fn systems_have_the_verdicts_they_expect_for_all_parameters() {
    let (mut holds, mut violated) = (0, 0);
    for path in files_in(&root().join("models/liveness"), &["sct"]) {
        let file = path.file_name().unwrap().to_str().unwrap().to_string();
        let loaded = load(&path.display().to_string(), None, &[]).unwrap();
        for expectation in &loaded.reading.module.expectations {
            let parameters = expectation.parameters.iter();
            let parameters: Vec<(String, String)> = parameters
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect();
            let status = asked(&file, &parameters, &expectation.property).status;
            let wanted = match expectation.expected {
                Expected::Holds => Status::Holds,
                Expected::Violated(_) => Status::Violated,
            };
            assert_eq!(status, wanted, "{file} {expectation:?}");
            match wanted {
                Status::Holds => holds += 1,
                _ => violated += 1,
            }
        }
    }
    assert!(holds >= 28 && violated >= 16, "{holds} and {violated}");
}

#[test]
fn rankings_are_told_in_words() {
    let sentences = [
        ("down.imp", "`x` goes down with every"),
        ("gcd.imp", "goes down with every"),
        ("nested-count.imp", "until then"),
        (
            "havoc-reset.imp",
            "until then `y` goes down with every `y := y - 1`",
        ),
    ];
    for (file, sentence) in sentences {
        let text = told(file, "terminates");
        assert!(text.contains(sentence), "{file}: {text}");
        assert!(text.contains("progress, the highest rank first"), "{text}");
    }
    let fair = told("lamp-fair.sct", "live");
    assert!(fair.contains("wait_dec"), "{fair}");
}

#[test]
fn violations_say_why_the_cycle_can_be_repeated() {
    let mut grown = 0;
    for path in files_in(&root().join("models/liveness"), &["imp"]) {
        let file = path.file_name().unwrap().to_str().unwrap();
        let report = asked(file, &[], "terminates");
        if report.status != Status::Violated {
            continue;
        }
        let options = TextOptions {
            trace: true,
            ..TextOptions::default()
        };
        let text = property_text(&report, options);
        let comes_back = text.contains("and again from");
        let goes_on = text.contains("for ever");
        assert!(comes_back || goes_on, "{file}: {text}");
        assert!(
            text.contains("the cycle:") || text.contains("every state of the cells"),
            "{text}"
        );
        if goes_on {
            grown += 1;
            assert!(
                matches!(report.evidence, Some(Evidence::Cells(_))),
                "{file}"
            );
        }
    }
    assert!(grown > 10, "{grown}");
}

#[test]
fn one_round_is_told() {
    let text = told("accelerate.imp", "terminates");
    assert!(
        text.contains("one round sets `x` to x + y, `y` to y + 1; it needs x > 0"),
        "{text}"
    );
}
