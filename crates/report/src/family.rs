//! Families of predicates that differ in their numbers only: `x = y`, `x + 1 = y`, `x + 2 = y`, ...
//!
//! An abstraction that needs one more of them after every refinement will not end. The families
//! are found in the texts of the predicates, so that those of all engines are alike.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Predicates that differ in their numbers only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Family {
    /// The engine that made them.
    pub engine: String,
    /// What they have in common, with `k`, `l`, ... for the numbers that differ.
    pub pattern: String,
    /// All of them, in the order in which they were made.
    pub members: Vec<String>,
}

/// Fewer members are no family: a program compares with a few constants anyway.
const SMALLEST: usize = 4;

/// How many members are shown.
const SHOWN: usize = 4;

impl Family {
    /// `x + k = y (9 predicates of kojak: x = y; x + 1 = y; ...)`.
    pub(crate) fn text(&self) -> String {
        let count = self.members.len();
        let shown = self.members[..count.min(SHOWN)].join("; ");
        let more = if count > SHOWN { "; ..." } else { "" };
        let (pattern, engine) = (&self.pattern, &self.engine);
        format!("{pattern} ({count} predicates of {engine}: {shown}{more})")
    }

    /// A weaker predicate that all members may be instances of: for equations with a growing
    /// distance, that one side is not larger.
    pub fn generalisation(&self) -> Option<String> {
        let first = self.members.first()?;
        let (left, right) = first.split_once(" = ")?;
        let single = |side: &str| !side.contains(['<', '>', '=', '(', ')', ' ']);
        (single(left) && single(right) && !left.starts_with(|c: char| c.is_ascii_digit()))
            .then(|| format!("{left} <= {right}; {left} >= {right}"))
    }
}

/// The pieces of a formula: words, numbers and signs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Text(String),
    Number(i128),
}

fn text(sign: &str) -> Piece {
    Piece::Text(sign.to_string())
}

/// A formula in pieces; `- 3` behind something is `+ -3`, and a sum without number has `+ 0`.
fn pieces(text: &str) -> Vec<Piece> {
    let mut list: Vec<Piece> = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || matches!(c, '_' | '`' | '.' | '\'' | '[' | ']' | '#' | '!') {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            let word = std::mem::take(&mut word);
            list.push(match word.parse::<i128>() {
                Ok(n) => Piece::Number(n),
                Err(_) => Piece::Text(word),
            });
        }
        if !c.is_whitespace() {
            match list.last_mut() {
                // Signs of several characters stay together.
                Some(Piece::Text(last)) if matches!(last.as_str(), "<" | ">" | "!") && c == '=' => {
                    last.push(c);
                }
                _ => list.push(Piece::Text(c.to_string())),
            }
        }
    }
    signed(list)
}

/// Joins minus signs and numbers.
fn signed(list: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for (i, piece) in list.iter().enumerate() {
        let factor = list.get(i + 1) == Some(&text("*"));
        match piece {
            Piece::Number(n) if !factor => {
                let is_negative = out.pop_if(|last| *last == text("-")).is_some();
                if is_negative && !out.last().is_none_or(is_sign) {
                    out.push(text("+"));
                }
                out.push(Piece::Number(if is_negative { -n } else { *n }));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

/// Whether a number behind this piece is no further summand.
fn is_sign(piece: &Piece) -> bool {
    matches!(piece, Piece::Text(t) if matches!(t.as_str(), "=" | "<" | ">" | "<=" | ">=" | "!=" | "("))
}

/// The pieces with the numbers taken out; a missing `+ 0` is put in at the first relation.
fn shape(list: &[Piece]) -> (Vec<Piece>, Vec<i128>) {
    let mut shape = list.to_vec();
    let numbers = shape.iter_mut().filter_map(|piece| match piece {
        Piece::Number(n) => Some(std::mem::take(n)),
        Piece::Text(_) => None,
    });
    let numbers = numbers.collect();
    (shape, numbers)
}

/// The same with `+ 0` before or behind the relation, for members whose number is zero.
fn with_zero(list: &[Piece]) -> Vec<Vec<Piece>> {
    let Some(at) = list.iter().position(|p| is_sign(p) && *p != text("(")) else {
        return Vec::new();
    };
    let zero = [text("+"), Piece::Number(0)];
    let mut left = list.to_vec();
    left.splice(at..at, zero.clone());
    let mut right = list.to_vec();
    right.extend(zero);
    vec![left, right]
}

/// The largest family among the predicates of an engine, if it is large enough to worry.
pub fn diverging_family(engine: &str, predicates: &[String]) -> Option<Family> {
    let split: Vec<Vec<Piece>> = predicates.iter().map(|p| pieces(p)).collect();
    let mut groups: BTreeMap<Vec<Piece>, Vec<(usize, Vec<i128>)>> = BTreeMap::new();
    for (i, list) in split.iter().enumerate() {
        let (shape, numbers) = shape(list);
        if !numbers.is_empty() {
            groups.entry(shape).or_default().push((i, numbers));
        }
    }
    for (i, list) in split.iter().enumerate() {
        for extended in with_zero(list) {
            let (shape, numbers) = shape(&extended);
            if let Some(group) = groups.get_mut(&shape) {
                group.push((i, numbers));
            }
        }
    }
    let families = groups.into_iter().filter_map(|(shape, mut group)| {
        group.sort();
        group.dedup_by_key(|(_, numbers)| numbers.clone());
        (group.len() >= SMALLEST && grows(&group)).then_some((shape, group))
    });
    // Of two that are equally large, the one with the shorter pattern.
    let best = families.max_by_key(|(shape, group)| (group.len(), std::cmp::Reverse(shape.len())));
    best.map(|(shape, group)| Family {
        engine: engine.to_string(),
        pattern: pattern(&shape, &group),
        members: group.iter().map(|(i, _)| predicates[*i].clone()).collect(),
    })
}

/// Whether some number takes as many different values as there are members, more or less.
fn grows(group: &[(usize, Vec<i128>)]) -> bool {
    let width = group.first().map_or(0, |(_, numbers)| numbers.len());
    (0..width).any(|at| {
        let values: BTreeSet<i128> = group.iter().map(|(_, n)| n[at]).collect();
        values.len() >= SMALLEST
    })
}

/// The shape with the numbers that are always the same, and names for the others.
fn pattern(shape: &[Piece], group: &[(usize, Vec<i128>)]) -> String {
    let mut words: Vec<String> = Vec::new();
    let (mut at, mut names) = (0, "klmnpqrstuvw".chars());
    for piece in shape {
        match piece {
            Piece::Text(text) => words.push(text.clone()),
            Piece::Number(_) => {
                let values: Vec<i128> = group.iter().map(|(_, n)| n[at]).collect();
                at += 1;
                words.push(if values.windows(2).all(|w| w[0] == w[1]) {
                    values.first().map(ToString::to_string).unwrap_or_default()
                } else {
                    names.next().unwrap_or('k').to_string()
                });
            }
        }
    }
    let mut text = words.join(" ");
    for (from, to) in [(" * ", "*"), ("( ", "("), (" )", ")")] {
        text = text.replace(from, to);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(list: &[&str]) -> Option<Family> {
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        diverging_family("kojak", &list)
    }

    #[test]
    fn a_growing_distance_is_a_family_and_zero_belongs_to_it() {
        let found = family(&["x = y", "z <= 3", "x + 1 = y", "x + 2 = y", "x + 3 = y"]);
        let found = found.expect("there is one");
        assert_eq!(found.pattern, "x + k = y");
        assert_eq!(
            found.members,
            ["x = y", "x + 1 = y", "x + 2 = y", "x + 3 = y"]
        );
        let general = found.generalisation();
        assert_eq!(general.as_deref(), Some("x <= y; x >= y"));
        let text = found.text();
        assert!(
            text.starts_with("x + k = y (4 predicates of kojak: x = y;"),
            "{text}"
        );
    }

    #[test]
    fn signs_and_constant_factors_are_understood() {
        let found = family(&[
            "2*x - 3 <= y",
            "2*x - 1 <= y",
            "2*x + 1 <= y",
            "2*x + 7 <= y",
            "3*x + 7 <= z",
        ]);
        assert_eq!(found.expect("there is one").pattern, "2*x + k <= y");
        let found = family(&["x <= -1", "x <= -2", "x <= -3", "x <= 4"]);
        assert_eq!(found.expect("there is one").pattern, "x <= k");
    }

    #[test]
    fn a_few_constants_are_no_family() {
        assert_eq!(family(&["x <= 1", "x <= 2", "y <= 3", "y = 4"]), None);
        assert_eq!(family(&["x <= 1", "x <= 1", "x <= 1", "x <= 1"]), None);
        assert_eq!(family(&[]), None);
        assert_eq!(
            family(&["p", "q and r", "`a b` = c", "not d", "((((", "= ="]),
            None
        );
    }
}
