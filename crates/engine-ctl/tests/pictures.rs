//! The steps that the report replays: sets of states, cells, and the rounds of fixpoints.

use sectile_engine::{Event, Interest, Observer, Picture};
use sectile_report::Status;
use sectile_testkit::driven::{checked, first, options, read};
use sectile_testkit::verdicts::settings;
use std::collections::{BTreeMap, BTreeSet};

/// Pictures, and the splits that were told before each.
#[derive(Default)]
struct Steps {
    pictures: Vec<Picture>,
    splits: Vec<Vec<(usize, [usize; 2])>>,
    pending: Vec<(usize, [usize; 2])>,
}

impl Observer for Steps {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Split { node, halves, .. } => self.pending.push((*node, *halves)),
            Event::Picture(picture) => {
                self.pictures.push((**picture).clone());
                self.splits.push(std::mem::take(&mut self.pending));
            }
            _ => {}
        }
    }

    fn interest(&self) -> Interest {
        Interest::Pictures
    }
}

fn steps(text: &str, status: Status) -> Steps {
    let mut steps = Steps::default();
    let options = options("ctl", 60, settings(&[]));
    let report = first(checked(&read("sct", text), &options, &mut steps));
    assert_eq!(report.status, status, "{text}");
    for (k, picture) in steps.pictures.iter().enumerate() {
        let ids: BTreeSet<usize> = picture.nodes.iter().map(|n| n.id).collect();
        assert_eq!(ids.len(), picture.nodes.len(), "{}", picture.title);
        let mut ends = picture.edges.iter().flat_map(|e| [e.from, e.to]);
        assert!(ends.all(|n| ids.contains(&n)), "{}", picture.title);
        for (whole, halves) in &steps.splits[k] {
            let mut before = steps.pictures[k - 1].nodes.iter();
            assert!(before.any(|n| n.id == *whole));
            assert!(halves.iter().all(|h| ids.contains(h)));
        }
    }
    steps
}

impl Steps {
    /// The pictures about a part of the formula.
    fn about(&self, part: &str) -> Vec<&Picture> {
        let all = self.pictures.iter();
        all.filter(|p| p.title.starts_with(part)).collect()
    }
}

fn labelled(picture: &Picture) -> BTreeSet<usize> {
    let nodes = picture.nodes.iter().filter(|n| n.labelled);
    nodes.map(|n| n.id).collect()
}

/// A number counts down, from anywhere up to 3, and rests.
const COUNTDOWN: &str = "var x : 0..3\nvar done : bool = false\n\
    down: x > 0 --> x := x - 1\nrest: x = 0 and not done --> done := true\nround: done --> done := done\n";

#[test]
fn a_least_fixpoint_grows_rank_by_rank() {
    let text = format!("{COUNTDOWN}ctl ends: AF done\n");
    let steps = steps(&text, Status::Holds);
    let rounds = steps.about("AF(");
    assert_eq!(rounds.len(), 5, "from rank 0 to 4");
    for pair in rounds.windows(2) {
        assert!(labelled(pair[0]).is_subset(&labelled(pair[1])));
    }
    // Every step leads from a rank to a smaller one, until it has happened.
    let last = rounds[4];
    let rank = |label: &[String]| label.last()?.strip_prefix("rank ")?.parse::<u64>().ok();
    let ranks = last
        .nodes
        .iter()
        .filter_map(|n| Some((n.id, rank(&n.label)?)));
    let ranks: BTreeMap<usize, u64> = ranks.collect();
    assert_eq!(ranks.values().max(), Some(&4));
    for edge in last.edges.iter().filter(|e| ranks[&e.from] > 0) {
        assert!(ranks[&edge.to] < ranks[&edge.from]);
    }
}

#[test]
fn a_greatest_fixpoint_loses_cells_round_by_round() {
    let text = format!("{COUNTDOWN}ctl rests: AG (x = 3 => EG not done)\n");
    let steps = steps(&text, Status::Violated);
    // The negation: some state is reached from which every path comes to `done`.
    assert!(!steps.about("AF(").is_empty());
    let text = format!("{COUNTDOWN}ctl low: AG (x <= 5 or EG x >= 1)\n");
    let steps = self::steps(&text, Status::Holds);
    let rounds = steps.about("EG(x > 0)");
    assert!(rounds.len() >= 2 && labelled(rounds[0]).len() > labelled(rounds[1]).len());
    let text = format!("{COUNTDOWN}ctl stays: AG (done => AG done)\n");
    let steps = self::steps(&text, Status::Holds);
    let rounds = steps.about("AG(done)");
    let picture = rounds[rounds.len() - 1];
    let last = labelled(picture);
    assert!(!last.is_empty());
    let leaves = |e: &&sectile_engine::PictureEdge| last.contains(&e.from) && !last.contains(&e.to);
    assert_eq!(picture.edges.iter().filter(leaves).count(), 0);
}

#[test]
fn sets_of_states_appear_by_layers_and_are_cut_where_they_stand() {
    let text = "var x : int = 0\nstep: x < 4 --> x := x + 1\njump: x = 4 --> x := any v where v >= 4\nctl goes: EF x > 10\n";
    let steps = steps(text, Status::Holds);
    let search = steps.about("Search exactly, depth");
    let sizes: Vec<usize> = search.iter().map(|p| p.nodes.len()).collect();
    assert!(sizes.windows(2).all(|w| w[0] <= w[1]), "{sizes:?}");
    assert!(
        !steps
            .about("The conditions of the property cut the sets")
            .is_empty()
    );
}
