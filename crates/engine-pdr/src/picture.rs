//! Pictures of the frames: each frame with its own lemmas, from the initial states to the last
//! frame.

use crate::frames::Frames;
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run};
use sectile_terms::{NativePrinter, Terms};

/// Maximum number of lemmas shown per frame.
const MOST_LEMMAS: usize = 12;

/// Reports the frames. The lemmas of a frame hold in all earlier frames, so each is shown in the
/// last frame to which it belongs; a frame without lemmas of its own completes the proof.
pub fn tell(terms: &Terms, frames: &Frames<'_>, predicates: usize, run: &mut Run<'_>) {
    let last = frames.last();
    run.tell(Event::Abstraction {
        step: last as u64 + 1,
        nodes: last + 1,
        edges: frames.lemmas.len(),
        predicates,
    });
    if !run.wants(Interest::Pictures) {
        return;
    }
    let printer = NativePrinter::new(terms);
    let node = |level: usize| {
        let own = || frames.lemmas.iter().filter(|l| l.level == level);
        let shown = own().take(MOST_LEMMAS).map(|l| printer.print(l.clause));
        let name = match level {
            0 => "at the start".to_string(),
            _ => format!("at most {level} steps: {} lemmas", own().count()),
        };
        PictureNode {
            id: level,
            label: std::iter::once(name).chain(shown).collect(),
            initial: level == 0,
            error: false,
            labelled: false,
            removed: None,
        }
    };
    let step = |level: usize| PictureEdge {
        from: level,
        to: level + 1,
        relation: "one step".to_string(),
        removed: None,
    };
    run.tell(Event::Picture(Box::new(Picture {
        step: last as u64 + 1,
        title: format!("no violation has {last} steps or fewer"),
        nodes: (0..=last).map(node).collect(),
        edges: (0..last).map(step).collect(),
    })));
}
