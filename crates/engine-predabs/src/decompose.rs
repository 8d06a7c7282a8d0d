//! The loops of a path, and the ways to choose some of them that do not overlap.

use std::collections::BTreeMap;

/// More choices than these are not looked for.
const MOST_CHOICES: usize = 12;

/// The search for choices ends after this many steps.
const MOST_STEPS: usize = 4_000;

/// A part of a path that repeats a loop once or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// Where it begins.
    pub first: usize,
    /// Where it ends.
    pub end: usize,
    /// How long one round is.
    pub body: usize,
}

/// What the loops of a path are found from.
pub struct Commands<'p> {
    /// The commands of the path.
    pub commands: &'p [usize],
    /// Whether control is at the same place at two positions.
    pub same_place: &'p dyn Fn(usize, usize) -> bool,
    /// Whether the commands between two positions can be taken any number of times at once.
    pub is_loop: &'p dyn Fn(usize, usize) -> bool,
}

impl Commands<'_> {
    /// One round of every loop, by where it ends, the shortest first.
    fn rounds(&self) -> BTreeMap<usize, Vec<Segment>> {
        let mut found: BTreeMap<usize, Vec<Segment>> = BTreeMap::new();
        for end in 1..=self.commands.len() {
            let mut here: Vec<Segment> = Vec::new();
            for first in (0..end).rev() {
                let body = end - first;
                let round = Segment { first, end, body };
                // Rounds of a loop together are no loop of their own.
                let is_repeated = here
                    .iter()
                    .any(|s| self.extended(*s).first <= first && body % s.body == 0);
                if !is_repeated && (self.same_place)(first, end) && (self.is_loop)(first, end) {
                    here.push(round);
                }
            }
            found.insert(end, here);
        }
        found
    }

    /// The segment with all rounds of the same loop right before it.
    fn extended(&self, round: Segment) -> Segment {
        let Segment {
            mut first,
            end,
            body,
        } = round;
        let last = &self.commands[end - body..end];
        while first >= body
            && &self.commands[first - body..first] == last
            && (self.same_place)(first - body, end)
        {
            first -= body;
        }
        Segment { first, end, body }
    }

    /// The choices of loops that do not overlap and to which none can be added, those with short
    /// loops first: inner loops come before the loops around them.
    ///
    /// Paper: [BeGrLa, Sect. 5.3]: a sequence of transitions can be partitioned in several but
    /// finitely many ways. There are limits here.
    pub fn decompositions(&self) -> Vec<Vec<Segment>> {
        let rounds = self.rounds();
        let mut found: Vec<Vec<Segment>> = Vec::new();
        let mut stack: Vec<(usize, Vec<Segment>)> = vec![(self.commands.len(), Vec::new())];
        for _ in 0..MOST_STEPS {
            let Some((position, chosen)) = stack.pop() else {
                break;
            };
            if position == 0 {
                let new = !chosen.is_empty() && !found.contains(&chosen);
                if new && is_maximal(&rounds, &chosen) {
                    found.push(chosen);
                }
                if found.len() == MOST_CHOICES {
                    break;
                }
                continue;
            }
            // What is pushed last is tried first.
            stack.push((position - 1, chosen.clone()));
            let here = rounds.get(&position).into_iter().flatten();
            for &round in here.rev() {
                let segment = self.extended(round);
                let mut longer = chosen.clone();
                longer.push(segment);
                stack.push((segment.first, longer));
            }
        }
        let longest = |c: &Vec<Segment>| c.iter().map(|s| s.body).max();
        found.sort_by_key(|c| (longest(c), std::cmp::Reverse(c.len())));
        found
    }
}

/// Whether every loop overlaps a chosen one.
fn is_maximal(rounds: &BTreeMap<usize, Vec<Segment>>, chosen: &[Segment]) -> bool {
    let mut all = rounds.values().flatten();
    all.all(|s| {
        let mut chosen = chosen.iter();
        chosen.any(|c| c.first < s.end && s.first < c.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choices for a path whose places are letters, as texts: parts in brackets are loops.
    fn choices(places: &str, commands: &str) -> Vec<String> {
        let places: Vec<char> = places.chars().collect();
        let letters: Vec<char> = commands.chars().collect();
        let numbers: Vec<usize> = letters.iter().map(|&c| c as usize).collect();
        let path = Commands {
            commands: &numbers,
            same_place: &|a, b| places[a] == places[b],
            is_loop: &|first, end| !letters[first..end].contains(&'!'),
        };
        let show = |choice: &Vec<Segment>| {
            let mut text = String::new();
            for (k, letter) in letters.iter().enumerate() {
                let (begins, ends) = (
                    choice.iter().any(|s| s.first == k),
                    choice.iter().any(|s| s.end == k + 1),
                );
                text.push_str(if begins { "(" } else { "" });
                text.push(*letter);
                text.push_str(if ends { ")" } else { "" });
            }
            text
        };
        path.decompositions().iter().map(show).collect()
    }

    #[test]
    fn a_loop_and_its_rounds() {
        assert_eq!(choices("ABBC", "abc"), ["a(b)c"]);
        assert_eq!(choices("ABBBBC", "abbbc"), ["a(bbb)c"]);
        assert!(choices("ABC", "ab").is_empty());
    }

    #[test]
    fn two_loops_are_taken_together() {
        assert_eq!(choices("ABBCCD", "abcde"), ["a(b)c(d)e"]);
        assert_eq!(choices("ABBBC", "abdc"), ["a(b)(d)c", "a(bd)c"]);
    }

    #[test]
    fn a_loop_may_begin_in_two_places() {
        // b c b between B and C: the loop is b c from B, or c b from C.
        assert_eq!(choices("ABCBC", "abcb"), ["ab(cb)", "a(bc)b"]);
    }

    #[test]
    fn inner_loops_come_first() {
        assert_eq!(choices("ABCCBD", "abcde"), ["ab(c)de", "a(bcd)e"]);
    }

    #[test]
    fn what_is_no_loop_is_left() {
        assert_eq!(choices("ABCCBD", "ab!de"), Vec::<String>::new());
        assert_eq!(choices("ABBBC", "a!bc"), ["a!(b)c"]);
    }

    #[test]
    fn many_loops_do_not_take_long() {
        let places = "A".repeat(41);
        let commands: String = (0..40u8).map(|k| char::from(b'a' + k % 7)).collect();
        let found = choices(&places, &commands);
        assert!(!found.is_empty() && found.len() <= MOST_CHOICES);
    }
}
