//! Random systems as texts of the native language.
//!
//! They are over `a`, `b` (Boolean), `p` (enumeration of `u`, `v`, `w`) and `x`, `y` (0..3).

use sectile_base::Rng;

/// A random condition.
pub fn condition(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.below(3) == 0 {
        return match rng.below(6) {
            0 => "a".to_string(),
            1 => "not b".to_string(),
            2 => format!("p = {}", ["u", "v", "w"][rng.below(3) as usize]),
            3 => format!("x <= {}", rng.below(4)),
            4 => format!("x = y + {}", rng.below(2)),
            _ => "x < y".to_string(),
        };
    }
    let (l, r) = (condition(rng, depth - 1), condition(rng, depth - 1));
    let word = ["and", "or"][rng.below(2) as usize];
    format!("({l} {word} {r})")
}

/// A random assignment.
pub fn assignment(rng: &mut Rng) -> String {
    match rng.below(7) {
        0 => "a := not a".to_string(),
        1 => format!("b := {}", condition(rng, 1)),
        2 => format!("p := {}", ["u", "v", "w"][rng.below(3) as usize]),
        3 => "x := x + 1".to_string(),
        4 => "x := y".to_string(),
        5 => "y := 3 - x".to_string(),
        _ => "havoc y".to_string(),
    }
}

/// One random assignment, or two to different variables.
pub fn assignments(rng: &mut Rng) -> String {
    let (one, other) = (assignment(rng), assignment(rng));
    let variable = |text: &str| text.split(' ').find(|w| *w != "havoc").map(String::from);
    match variable(&one) == variable(&other) {
        true => one,
        false => format!("{one}, {other}"),
    }
}

/// A random finite system with an error `bad` that may or may not be reachable; states where
/// `surely` holds are among its states. Commands have a guard and some assignments.
pub fn finite_system(rng: &mut Rng, assignments: fn(&mut Rng) -> String, surely: &str) -> String {
    let mut text = String::from(
        "var a, b : bool\nvar p : {u, v, w}\nvar x, y : 0..3\ninit not a and p = u and x = 0\n",
    );
    for k in 0..2 + rng.below(4) {
        let guard = condition(rng, 2);
        if rng.below(5) == 0 {
            let next = ["x' = x", "x' <= y", "p' = p and y' = y", "a' != a"];
            let next = next[rng.below(4) as usize];
            text.push_str(&format!("relation r{k}: {guard} and {next}\n"));
        } else {
            text.push_str(&format!("c{k}: {guard} --> {}\n", assignments(rng)));
        }
    }
    let (e, f) = (condition(rng, 1), condition(rng, 2));
    text.push_str(&format!("error bad: ({e} and {f}) or ({surely})\n"));
    text
}
