//! Verdicts about counters are checked on the processes that they count.

use sectile_driver::{CheckOptions, Checked, Loaded, check, load_text};
use sectile_engine::Silent;
use sectile_questions::counters::{Family, load};
use sectile_report::{Certified, PropertyReport, Status};
use std::time::Duration;

fn model(name: &str) -> String {
    format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn defined(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = list.iter();
    pairs.map(|(n, v)| (n.to_string(), v.to_string())).collect()
}

fn options(property: &str) -> CheckOptions {
    CheckOptions {
        properties: vec![property.to_string()],
        timeout: Some(Duration::from_secs(60)),
        ..CheckOptions::default()
    }
}

fn checked(loaded: &Loaded, family: &Family, property: &str) -> Checked {
    let options = options(property);
    let mut checked = check(loaded, &options, &mut Silent).expect("the property is there");
    family.certify(loaded, &options, &mut checked);
    checked
}

/// The verdict about the counters of a model.
fn report(file: &str, property: &str, define: &[(&str, &str)]) -> PropertyReport {
    let (loaded, family) =
        load(&model(file), None, &defined(define)).expect("the model can be counted");
    let checked = checked(&loaded, &family, property);
    assert_eq!(checked.failures, Vec::<String>::new());
    checked.report.properties[0].clone()
}

#[test]
fn a_proof_for_a_number_of_processes_is_checked_on_them() {
    for (file, property) in [
        ("semaphore.sct", "mutex"),
        ("semaphore.sct", "permissions"),
        ("readers.sct", "exclusive"),
        ("readers.sct", "single"),
    ] {
        for n in ["1", "2", "4"] {
            let report = report(file, property, &[("n", n)]);
            assert_eq!(report.status, Status::Holds, "{property}, n = {n}");
            assert_eq!(report.certified, Certified::Yes, "{property}, n = {n}");
        }
    }
}

#[test]
fn a_proof_for_every_number_says_for_which_one_it_was_checked() {
    let report = report("semaphore.sct", "mutex", &[]);
    assert_eq!(report.status, Status::Holds);
    let how = "for n = 3; for other numbers of processes on the counter system only";
    assert_eq!(report.certified, Certified::Partly(how.to_string()));
}

#[test]
fn families_that_are_too_large_to_write_down_are_said_to_be_trusted() {
    for n in ["51", "1000000"] {
        let report = report("semaphore.sct", "mutex", &[("n", n)]);
        assert_eq!(report.status, Status::Holds);
        let Certified::Partly(how) = report.certified else {
            panic!("{n}: {:?}", report.certified);
        };
        let only = format!("on the counter system only: n = {n} is more than 50 processes");
        assert_eq!(how, only);
    }
}

#[test]
fn a_run_of_counters_is_replayed_by_processes() {
    for define in [
        &[("bug", "1")][..],
        &[("bug", "1"), ("n", "2")],
        &[("bug", "1"), ("n", "5")],
    ] {
        let report = report("semaphore.sct", "mutex", define);
        assert_eq!(report.status, Status::Violated);
        assert_eq!(report.certified, Certified::Yes);
    }
}

/// The counter system of the semaphore with pieces of its text replaced is not believed.
fn caught(define: &[(&str, &str)], property: &str, replaced: &[(&str, &str)]) {
    let (loaded, family) =
        load(&model("semaphore.sct"), None, &defined(define)).expect("the model can be counted");
    let mut text = loaded.source.text().to_string();
    for (old, new) in replaced {
        assert!(text.contains(old), "{text}");
        text = text.replace(old, new);
    }
    let wrong = load_text("wrong", text.clone(), loaded.frontend, &loaded.parameters);
    let wrong = wrong.unwrap_or_else(|e| panic!("{e}"));
    let plain = check(&wrong, &options(property), &mut Silent).expect("the property is there");
    // The counters alone do not show it.
    assert_eq!(plain.report.properties[0].certified, Certified::Yes);
    let checked = checked(&wrong, &family, property);
    let report = &checked.report.properties[0];
    assert_eq!(report.status, Status::Unknown, "{text}");
    assert_eq!(report.reason, "self-check failed");
    assert_eq!(checked.failures.len(), 1);
}

const LEAVE: &str = "leave_critical: P_critical >= 1 -->";
const FREE: &str = "free := (if (bug = 1) then (free + 2) else (free + 1))";

#[test]
fn a_command_that_is_forgotten_is_noticed() {
    let bug = [("n", "3"), ("bug", "1")];
    caught(&bug, "mutex", &[(LEAVE, "leave_critical: false -->")]);
    let want = ("want_idle: P_idle >= 1", "want_idle: false");
    caught(&bug, "mutex", &[want]);
}

#[test]
fn a_bound_that_is_forgotten_is_noticed() {
    // Processes enter that are not there.
    let signed = ("P_critical : nat", "P_critical : int");
    let enter = ("(P_waiting >= 1) and (free >= 1)", "free >= 1");
    caught(&[("n", "1"), ("bug", "1")], "mutex", &[signed, enter]);
    // There are more processes than there are.
    let sum = ("restrict P_idle + P_waiting + P_critical = n\n", "");
    caught(&[("n", "1"), ("bug", "1")], "mutex", &[sum]);
}

#[test]
fn a_step_or_a_start_that_is_wrong_is_noticed() {
    let more = (FREE, "free := (free + 2)");
    caught(&[("n", "3")], "permissions", &[more]);
    let start = ("init P_critical = 0\n", "");
    caught(&[("n", "3")], "mutex", &[start]);
}

const TWO_FAMILIES: &str = "param n = 3
param m = 2
var free : bool = true
process P[i : 1..n] {
  var pc : {idle, work} = idle
  go: pc = idle and free --> pc := work, free := false
  done: pc = work --> pc := idle, free := true
}
process Q[j : 1..m] {
  var st : {off, on} = off
  watch: st = off and (exists i in 1..n: P[i].pc = work) --> st := on
  stop: st = on and (forall k in 1..m: k = j or Q[k].st = off) --> st := off
}
pair[i : 1..n, j : 1..m]: P[i].pc = work and Q[j].st = off --> P[i].pc := idle, Q[j].st := on, free := true
invariant mutex: forall i in 1..n, j in 1..n: i < j => not (P[i].pc = work and P[j].pc = work)
invariant asleep: forall j in 1..m: Q[j].st = off
invariant alone: (count j in 1..m: Q[j].st = on) <= 1
";

#[test]
fn several_families_are_counted() {
    // With the same range, what is said of an index decides of which family it is.
    let same = TWO_FAMILIES.replace("1..m", "1..n");
    for (text, sizes) in [
        (TWO_FAMILIES, &["n", "m"][..]),
        (TWO_FAMILIES, &["n"]),
        (&same, &["n"]),
        (&same, &[]),
    ] {
        let name = format!(
            "sectile-questions-{}-{}.sct",
            std::process::id(),
            sizes.len()
        );
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, text).expect("the temporary folder can be written");
        let given: Vec<(&str, &str)> = sizes.iter().map(|&n| (n, "2")).collect();
        let path = file.to_str().expect("the name is text");
        let (loaded, family) = load(path, None, &defined(&given)).unwrap_or_else(|e| panic!("{e}"));
        std::fs::remove_file(&file).expect("the file was there");
        let all_given = loaded.reading.module.model.rigid.is_empty();
        for (property, status) in [
            ("mutex", Status::Holds),
            ("asleep", Status::Violated),
            ("alone", Status::Violated),
        ] {
            let checked = checked(&loaded, &family, property);
            assert_eq!(checked.failures, Vec::<String>::new());
            let report = &checked.report.properties[0];
            assert_eq!(report.status, status, "{property} {sizes:?}");
            let whole = report.certified == Certified::Yes;
            assert_eq!(whole, all_given || status == Status::Violated, "{report:?}");
        }
    }
}
