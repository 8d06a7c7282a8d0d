//! Random finite systems: property-directed engines agree with explicit search, whatever is switched on
//! or off.
//!
//! `PDR_CASES=3000` runs more of them.

use sectile_base::Rng;
use sectile_engine::Silent;
use sectile_report::Status;
use sectile_testkit::driven::{checked, explored, first, options, read};
use sectile_testkit::texts::{assignments, finite_system};
use sectile_testkit::verdicts::settings;

#[test]
fn verdicts_agree_with_explicit_search() {
    let cases = std::env::var("PDR_CASES").map_or(120, |n| n.parse().expect("a number"));
    let mut seen = [0, 0];
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let text = finite_system(&mut rng, assignments, "a and x = 3 and p = w");
        let loaded = read("sct", &text);
        let expected = explored(&loaded);
        seen[usize::from(expected == Status::Holds)] += 1;
        let ways: [(&str, &[(&str, &str)]); 5] = [
            ("pdr", &[]),
            ("pdr", &[("lift", "false")]),
            ("pdr", &[("symmetry", "false")]),
            ("pdkind", &[]),
            ("pdkind", &[("induction-steps", "1")]),
        ];
        for (engine, set) in ways {
            let mut options = options(engine, 60, settings(set));
            options.properties = vec!["bad".to_string()];
            let report = first(checked(&loaded, &options, &mut Silent));
            assert_eq!(
                report.status, expected,
                "seed {seed}, {engine} {set:?}\n{text}"
            );
        }
    }
    assert!(seen[0] > cases / 10 && seen[1] > cases / 10, "{seen:?}");
}
