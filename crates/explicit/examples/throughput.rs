//! How many states a minute the search sees, on models like those it is meant for.
#![allow(clippy::print_stdout)]

#[path = "../tests/zoo/mod.rs"]
mod zoo;

use sectile_base::Budget;
use sectile_explicit::{Options, explore};
use sectile_model::{Module, PropertyKind};
use sectile_terms::Terms;
use std::time::Instant;

fn main() {
    let cap = Options {
        max_states: Some(1_000_000),
        ..Options::default()
    };
    let with_domain = |high| Options {
        max_states: Some(1_000_000),
        ..zoo::domain(0, high)
    };
    type Make = fn(&Terms) -> Module;
    let models: [(&str, Options, Make); 6] = [
        ("deque (disjunctive), 18 cells", cap.clone(), |t| {
            zoo::small::deque(t, 18, true)
        }),
        ("airport with tickets, 4 planes", cap.clone(), |t| {
            zoo::airport::airport(t, 4, zoo::airport::AirportBug::None)
        }),
        ("airport with numbers, 4 planes", with_domain(8), |t| {
            zoo::airport::airport_bakery(t, 4)
        }),
        ("character driver, 7 processes", cap, |t| {
            zoo::chardriver::chardriver(t, 7, zoo::chardriver::DriverBug::None)
        }),
        ("bakery, 4 processes", with_domain(12), |t| {
            zoo::mutual::bakery(t, 4, true)
        }),
        ("fischer, 4 processes", with_domain(5), |t| {
            zoo::mutual::fischer(t, 4, 1, 2)
        }),
    ];
    for (name, options, make) in models {
        for ctl in [false, true] {
            let terms = Terms::new();
            let mut module = make(&terms);
            module
                .properties
                .retain(|p| ctl || !matches!(p.kind, PropertyKind::Ctl(_)));
            let start = Instant::now();
            let found = explore(&terms, &module, &options, &Budget::unlimited())
                .expect("these models can be searched");
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{name}{}: {} states, {} transitions, {seconds:.2} s, {:.1} million states a minute",
                if ctl { " with CTL" } else { "" },
                found.states,
                found.transitions,
                found.states as f64 / seconds * 60.0 / 1e6,
            );
        }
    }
}
