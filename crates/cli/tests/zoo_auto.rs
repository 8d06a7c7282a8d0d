//! `sectile check` without any option gives every verdict that the headers of the zoo expect.

use crate::common;

use sectile_driver::{CheckOptions, check, load};
use sectile_engine::Silent;
use sectile_model::Expected;
use sectile_report::{Certified, Status};
use std::time::Duration;

#[test]
fn auto_gives_every_expected_verdict_at_the_default_size() {
    let mut decided = 0;
    for file in common::zoo() {
        let name = file.to_str().expect("file names are text");
        let loaded = load(name, None, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let options = CheckOptions {
            timeout: Some(Duration::from_secs(60)),
            jobs: 2,
            ..CheckOptions::default()
        };
        let checked = check(&loaded, &options, &mut Silent).expect("the request is right");
        assert_eq!(checked.failures, Vec::<String>::new(), "{name}");
        let expectations = loaded.reading.module.expectations.iter();
        for expectation in expectations.filter(|e| e.parameters.is_empty()) {
            let mut reports = checked.report.properties.iter();
            let report = reports.find(|r| r.name == expectation.property);
            let report = report.unwrap_or_else(|| panic!("{name}: {}", expectation.property));
            let expected = match expectation.expected {
                Expected::Holds => Status::Holds,
                Expected::Violated(_) => Status::Violated,
            };
            let what = format!("{name}: {} ({})", report.name, report.reached);
            assert_eq!(report.status, expected, "{what}");
            assert_eq!(report.certified, Certified::Yes, "{what}");
            decided += 1;
        }
    }
    assert!(decided >= 40, "the zoo expects many verdicts: {decided}");
}
