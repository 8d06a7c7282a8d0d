//! Who waits is served, for every number of processes: what is proved, what must not be, and what is
//! checked.

use crate::every::{accepted, family, found, judged, model};
use sectile_base::Source;
use sectile_certify::Outcome;
use sectile_questions::every::{EveryProof, Family, Found, WaitingProof, print, read};

fn ticket() -> (Family, EveryProof) {
    let family = family(&model("ticket"), &[]);
    match found(&family, "live") {
        Found::Proved { proof, .. } => (family, proof),
        Found::Violated { size, .. } => panic!("violated with {size}"),
        Found::Refused(why) => panic!("{}", why.text),
        Found::Unknown(why) => panic!("{why}"),
    }
}

fn changed(proof: &EveryProof, change: impl Fn(&mut WaitingProof)) -> EveryProof {
    let mut other = proof.clone();
    change(other.waiting.as_mut().expect("it is about waiting"));
    other
}

/// Paper: the ticket algorithm of [YaMe], whose `live` is checked there for 2, 3 and 4 processes.
#[test]
fn tickets_are_served_for_every_number_of_processes() {
    let (family, proof) = ticket();
    assert!(accepted(&family, &proof));
    let text = print(&family, std::slice::from_ref(&proof));
    let read = read(&Source::new("certificate", text)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.proofs, std::slice::from_ref(&proof));
    let broken = crate::every::family(&model("ticket"), &[("bug", "1")]);
    let Found::Violated { size, smallest, .. } = found(&broken, "live") else {
        panic!("it is violated");
    };
    assert_eq!((size, smallest), (2, true));
    assert!(!accepted(&broken, &proof));
}

#[test]
fn mutated_proofs_about_waiting_are_refused() {
    let (family, proof) = ticket();
    for k in 0..proof.clauses.len() {
        let mut less = proof.clone();
        let clause = less.clauses.remove(k);
        // That some ticket is out follows from those that are.
        let follows = clause.ends_with("s < t") || clause == "s <= t";
        assert!(follows || !accepted(&family, &less), "without {clause}");
    }
    let ranks = proof.waiting.as_ref().map_or(0, |w| w.ranks.len());
    assert!(ranks > 1);
    for k in 0..ranks {
        let less = changed(&proof, |w| drop(w.ranks.remove(k)));
        assert!(!accepted(&family, &less), "without rank {k}");
    }
    let last = changed(&proof, |w| w.ranks.rotate_left(1));
    assert!(!accepted(&family, &last), "tickets are the first to fall");
    for region in ["P[i].pc = think", "P[i].pc != cr", "false", "true"] {
        let other = changed(&proof, |w| w.region = region.to_string());
        assert!(!accepted(&family, &other), "{region}");
    }
    for rank in [
        "P[i].a - s - 1",
        "s - P[i].a",
        "at_think - 1",
        "2 * at_try - 1",
    ] {
        let other = changed(&proof, |w| w.ranks[0] = rank.to_string());
        assert!(!accepted(&family, &other), "{rank}");
    }
    let other = changed(&proof, |w| w.values.clear());
    assert!(!accepted(&family, &other), "nobody is known to have a turn");
    let other = changed(&proof, |w| {
        w.values = vec![("v".to_string(), "t".to_string())]
    });
    assert!(!accepted(&family, &other), "nobody has the next ticket");
}

/// A variable of the model stands for itself, not for any number.
#[test]
fn only_names_of_any_number_have_other_values() {
    let (family, proof) = ticket();
    for (name, value) in [("s", "t"), ("s", "s - 1"), ("at_try", "0"), ("w", "s")] {
        let other = changed(&proof, |w| {
            w.values.push((name.to_string(), value.to_string()));
        });
        let outcome = judged(&family, &other);
        let refused = matches!(outcome, Ok(Outcome::Refused(_)) | Err(_));
        assert!(refused, "{name} = {value}: {outcome:?}");
    }
}

/// What leaving out processes would change is no number that falls.
#[test]
fn numbers_that_fall_are_kept_when_processes_are_left_out() {
    let (family, proof) = ticket();
    for rank in [
        "n",
        "i",
        "P[0].a",
        "(sum j in 0..n-1: P[j].a)",
        "(count j in 0..n-1: P[j].pc = try)",
        "(max j in 0..n-1: P[j].a)",
        "(if P[i].pc = try then 1 else 0)",
    ] {
        let other = changed(&proof, |w| w.ranks.push(rank.to_string()));
        let outcome = judged(&family, &other);
        let refused = matches!(outcome, Ok(Outcome::Refused(_)) | Err(_));
        assert!(refused, "{rank}: {outcome:?}");
    }
}

/// Families in which few processes are served, and many are not: a proof would be wrong.
const TRAPS: &[(&str, &str)] = &[
    (
        "room: there is room for five",
        "param n = 2\nvar x : int = 0\n\
         process P[i : 0..n-1] {\n  var pc : {wait, done} = wait\n\
           go: pc = wait and x < 5 --> x := x + 1, pc := done\n}\n\
         ctl live: forall i in 0..n-1: AG(P[i].pc = wait => AF P[i].pc = done)\n",
    ),
    (
        "range: a number leaves its range",
        "param n = 2\nvar x : 0..5 = 0\n\
         process P[i : 0..n-1] {\n  var pc : {wait, done} = wait\n\
           go: pc = wait --> x := x + 1, pc := done\n}\n\
         ctl live: forall i in 0..n-1: AG(P[i].pc = wait => AF P[i].pc = done)\n",
    ),
    (
        "crowd: who waits needs to be in a small company",
        "param n = 2\n\
         process P[i : 0..n-1] {\n  var pc : {wait, done} = wait\n\
           go: pc = wait and (count j in 0..n-1: P[j].pc = wait) <= 4 --> pc := done\n}\n\
         ctl live: forall i in 0..n-1: AG(P[i].pc = wait => AF P[i].pc = done)\n",
    ),
];

#[test]
fn who_waits_in_a_crowd_is_not_proved_to_be_served() {
    for (what, text) in TRAPS {
        match found(&family(text, &[]), "live") {
            Found::Proved { proof, .. } => panic!("{what}: {proof:?}"),
            Found::Violated { size, .. } => assert!(size > 4, "{what}"),
            Found::Refused(_) | Found::Unknown(_) => {}
        }
    }
}

/// What holds on all paths holds on fair ones; what does not is left open.
#[test]
fn fair_processes_are_served_where_all_are() {
    let family = family(&model("liveness/ticket"), &[]);
    assert!(matches!(found(&family, "live"), Found::Proved { .. }));
    assert!(matches!(found(&family, "turns"), Found::Unknown(_)));
}

/// Without tickets: a process is served because everybody else comes to an end.
#[test]
fn counters_alone_show_that_all_come_to_an_end() {
    let text = "param n = 2\nvar x : int = 0\n\
        process P[i : 0..n-1] {\n  var pc : {wait, half, done} = wait\n\
          go:  pc = wait --> x := x + 1, pc := half\n\
          end: pc = half --> pc := done\n}\n\
        ctl live: forall i in 0..n-1: AG(P[i].pc = wait => AF P[i].pc = done)\n";
    let family = family(text, &[]);
    let Found::Proved { proof, size, .. } = found(&family, "live") else {
        panic!("it is proved");
    };
    let waiting = proof.waiting.expect("it is about waiting");
    assert_eq!(waiting.region, "P[i].pc = wait or P[i].pc = half");
    assert_eq!(waiting.ranks, ["at_wait", "at_half"]);
    assert_eq!(size, 3);
}
