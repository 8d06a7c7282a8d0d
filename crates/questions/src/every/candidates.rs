//! Candidates for clauses: conditions on one or two processes that exclude each other, and orders
//! between their numbers.

use super::words::{Condition, Number, Words};
use sectile_certify::every::Qualified;
use std::collections::{BTreeMap, BTreeSet};

/// The names of indices in clauses.
const NAMES: [&str; 3] = ["i", "j", "k"];

/// More combinations of conditions are not tried; the shorter ones come first.
const MOST: usize = 20_000;

/// Relations between numbers, each with those that follow from it.
const RELATIONS: [(&str, &[&str]); 6] = [
    ("=", &["<=", ">="]),
    ("<", &["<=", "!="]),
    (">", &[">=", "!="]),
    ("<=", &[]),
    (">=", &[]),
    ("!=", &[]),
];

/// A clause in the making.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// How many indices it has.
    pub width: usize,
    /// Whether it is about indices in their order.
    pub ordered: bool,
    /// What is said, with the names of the indices.
    pub body: String,
    /// What follows from it, and may be an invariant where it is none.
    pub weaker: Vec<Candidate>,
}

impl Candidate {
    /// A candidate from which nothing else is known to follow.
    pub fn new(width: usize, ordered: bool, body: String) -> Candidate {
        Candidate {
            width,
            ordered,
            body,
            weaker: Vec::new(),
        }
    }

    fn excluded(width: usize, ordered: bool, conditions: &[&str]) -> Candidate {
        let body = format!("not ({})", conditions.join(" and "));
        Candidate::new(width, ordered, body)
    }

    /// The clause about all processes.
    pub fn clause(&self, size: &str, qualified: &Qualified) -> String {
        quantified(self.width, self.ordered, &self.body, size, qualified)
    }
}

/// The indices of processes, such as `0..n-1`.
pub fn range(size: &str, qualified: &Qualified) -> String {
    let low = qualified.low;
    match qualified.shift {
        0 => format!("{low}..{size}"),
        shift if shift < 0 => format!("{low}..{size}-{}", -shift),
        shift => format!("{low}..{size}+{shift}"),
    }
}

/// `forall i in 0..n-1, j in 0..n-1: i != j => body`.
pub fn quantified(
    width: usize,
    ordered: bool,
    body: &str,
    size: &str,
    qualified: &Qualified,
) -> String {
    if width == 0 {
        return body.to_string();
    }
    let names = &NAMES[..width];
    let range = range(size, qualified);
    let binders: Vec<String> = names.iter().map(|v| format!("{v} in {range}")).collect();
    let relation = if ordered { "<" } else { "!=" };
    let mut different = Vec::new();
    for (k, a) in names.iter().enumerate() {
        for b in &names[k + 1..] {
            different.push(format!("{a} {relation} {b}"));
        }
    }
    let binders = binders.join(", ");
    match different.is_empty() {
        true => format!("forall {binders}: {body}"),
        false => format!("forall {binders}: {} => {body}", different.join(" and ")),
    }
}

/// All candidates that the words allow, up to a number, as far as they are plausible.
///
/// What follows from a plausible candidate is kept with it and not tried by itself.
pub fn candidates(
    words: &Words,
    ordered: bool,
    plausible: &dyn Fn(&Candidate) -> bool,
) -> Vec<Candidate> {
    let mut maker = Maker {
        words,
        found: Vec::new(),
        general: BTreeMap::new(),
        ordered,
        plausible,
    };
    maker.numbers();
    maker.excluded();
    maker.found
}

struct Maker<'w> {
    words: &'w Words,
    found: Vec<Candidate>,
    /// The places of plausible candidates by what they say: those without a premise, and pairs
    /// that exclude each other.
    general: BTreeMap<String, usize>,
    ordered: bool,
    plausible: &'w dyn Fn(&Candidate) -> bool,
}

fn at(text: &str, index: &str) -> String {
    text.replace('@', index)
}

/// Conditions of one process, with the shared ones.
fn placed(conditions: &[Condition], index: &str) -> Vec<Condition> {
    let each = conditions.iter().map(|c| Condition {
        field: at(&c.field, index),
        text: at(&c.text, index),
    });
    each.collect()
}

impl Maker<'_> {
    fn orders(&self) -> &'static [bool] {
        // What holds for indices in their order, and for all: one follows from the other.
        match self.ordered {
            true => &[false, true],
            false => &[false],
        }
    }

    /// Keeps the strongest plausible relations between two numbers under a premise.
    fn compared(&mut self, width: usize, ordered: bool, premise: &str, sides: (&str, &str)) {
        let atom = |relation: &str| format!("{} {relation} {}", sides.0, sides.1);
        let said = |relation: &str| match premise.is_empty() {
            true => Candidate::new(width, ordered, atom(relation)),
            false => Candidate::new(width, ordered, format!("{premise} => {}", atom(relation))),
        };
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        let mut kept = Vec::new();
        for (relation, weaker) in RELATIONS {
            if covered.contains(relation) {
                continue;
            }
            let mut candidate = said(relation);
            if let Some(&place) = self.general.get(&atom(relation))
                && !premise.is_empty()
            {
                self.found[place].weaker.push(candidate);
                covered.extend(weaker);
                continue;
            }
            if !(self.plausible)(&candidate) {
                continue;
            }
            covered.extend(weaker);
            candidate.weaker = weaker.iter().map(|r| said(r)).collect();
            kept.push((relation, candidate));
        }
        if kept.len() > 2 {
            // Nothing contradicts anything: the premise holds nowhere.
            return;
        }
        for (relation, candidate) in kept {
            if premise.is_empty() {
                self.general.insert(atom(relation), self.found.len());
            }
            self.found.push(candidate);
        }
    }

    fn numbers(&mut self) {
        let words = self.words;
        let comparable = |a: &Number, b: &Number| a.sort == b.sort && a.text != b.text;
        let shared: Vec<&Number> = words
            .shared_numbers
            .iter()
            .chain(&words.constants)
            .collect();
        let mut premises = vec![String::new()];
        premises.extend(words.shared.iter().map(|c| c.text.clone()));
        for (k, a) in words.shared_numbers.iter().enumerate() {
            for b in shared[k + 1..].iter().filter(|b| comparable(a, b)) {
                for premise in &premises {
                    self.compared(0, false, premise, (&a.text, &b.text));
                }
            }
        }
        let mut own = vec![String::new()];
        own.extend(placed(&words.main, "i").into_iter().map(|c| c.text));
        let local: Vec<Number> = words.local_numbers.clone();
        for premise in &own {
            for (k, x) in local.iter().enumerate() {
                let mine = at(&x.text, "i");
                for b in shared.iter().filter(|b| comparable(x, b)) {
                    self.compared(1, false, premise, (&mine, &b.text));
                }
                for y in local[k + 1..].iter().filter(|y| comparable(x, y)) {
                    self.compared(1, false, premise, (&mine, &at(&y.text, "i")));
                }
            }
            if !premise.is_empty() {
                for (k, a) in words.shared_numbers.iter().enumerate() {
                    for b in shared[k + 1..].iter().filter(|b| comparable(a, b)) {
                        self.compared(1, false, premise, (&a.text, &b.text));
                    }
                }
            }
        }
        self.pairs_of_numbers(&local);
    }

    fn pairs_of_numbers(&mut self, local: &[Number]) {
        let (first, second) = (placed(&self.words.main, "i"), placed(&self.words.main, "j"));
        let pointers = placed(&self.words.pointers, "i");
        for (k, a) in first.iter().enumerate() {
            for (l, b) in second.iter().enumerate() {
                let both = format!("{} and {}", a.text, b.text);
                let mut premises = vec![both.clone()];
                premises.extend(pointers.iter().map(|p| format!("{} and {both}", p.text)));
                if k > l && !self.ordered {
                    // The same with the other index first.
                    premises.remove(0);
                }
                for x in local {
                    let sides = (at(&x.text, "i"), at(&x.text, "j"));
                    for premise in &premises {
                        for &ordered in self.orders() {
                            self.compared(2, ordered, premise, (&sides.0, &sides.1));
                        }
                    }
                }
                self.numbers_of_related(&both, local);
            }
        }
    }

    /// Orders between any numbers of two processes where a field is about both, such as
    /// `N[i].agreed[j] and ... => N[i].stamp <= N[j].seen`.
    fn numbers_of_related(&mut self, both: &str, local: &[Number]) {
        // What two processes have in common says more than that they have not.
        let related = self.of_two().into_iter();
        let related: Vec<Condition> = related.filter(|c| !c.text.starts_with("not ")).collect();
        for related in related {
            let premise = format!("{} and {both}", related.text);
            for x in local {
                for y in local.iter().filter(|y| y.sort == x.sort) {
                    let sides = (at(&x.text, "i"), at(&y.text, "j"));
                    for &ordered in self.orders() {
                        self.compared(2, ordered, &premise, (&sides.0, &sides.1));
                    }
                }
            }
        }
    }

    fn of_one(&self, index: &str) -> Vec<Condition> {
        let words = self.words;
        let mut all = placed(&words.local, index);
        all.extend(placed(&words.pointers, index));
        all
    }

    fn of_two(&self) -> Vec<Condition> {
        let ways = [("i", "j"), ("j", "i")];
        let each = ways.iter().flat_map(|(a, b)| {
            let pairs = placed(&self.words.pairs, a);
            pairs.into_iter().map(|c| Condition {
                field: c.field.replace('#', b),
                text: c.text.replace('#', b),
            })
        });
        each.collect()
    }

    /// Conditions that exclude each other, and exclude a third one together.
    fn excluded(&mut self) {
        let (first, second) = (self.of_one("i"), self.of_one("j"));
        let shared = self.words.shared.clone();
        let both = self.of_two();
        let mut lists: Vec<(usize, Vec<&Condition>)> = Vec::new();
        for (k, a) in shared.iter().enumerate() {
            for b in &shared[k + 1..] {
                lists.push((0, vec![a, b]));
            }
        }
        let mine: Vec<&Condition> = first.iter().chain(&shared).collect();
        for (k, a) in first.iter().enumerate() {
            for b in &mine[k + 1..] {
                lists.push((1, vec![a, b]));
            }
        }
        for (k, a) in first.iter().enumerate() {
            let from = if self.ordered { 0 } else { k };
            for b in second[from..].iter().chain(&both) {
                lists.push((2, vec![a, b]));
            }
        }
        for a in &both {
            for b in second.iter().chain(&shared) {
                lists.push((2, vec![a, b]));
            }
        }
        for (k, a) in first.iter().enumerate() {
            for (l, b) in mine.iter().enumerate().skip(k + 1) {
                for c in &mine[l + 1..] {
                    lists.push((1, vec![a, b, c]));
                }
                for c in second.iter().chain(&both) {
                    lists.push((2, vec![a, b, c]));
                }
            }
        }
        for (k, a) in both.iter().enumerate() {
            for b in first.iter().chain(&shared) {
                for c in both[k + 1..].iter().chain(&second) {
                    lists.push((2, vec![a, b, c]));
                }
            }
        }
        for (k, a) in shared.iter().enumerate() {
            for (l, b) in shared.iter().enumerate().skip(k + 1) {
                for c in &shared[l + 1..] {
                    lists.push((0, vec![a, b, c]));
                }
            }
        }
        lists.retain(|(_, list)| are_apart(list));
        lists.sort_by_key(|(_, list)| list.len());
        for (width, list) in lists.into_iter().take(MOST) {
            self.exclude(width, &list);
        }
    }

    fn exclude(&mut self, width: usize, list: &[&Condition]) {
        let texts: Vec<&str> = list.iter().map(|c| c.text.as_str()).collect();
        let key = |ordered: bool, texts: &[&str]| {
            let mut sorted = texts.to_vec();
            sorted.sort_unstable();
            format!("{ordered} {}", sorted.join(" and "))
        };
        for &ordered in self.orders() {
            if ordered && width != 2 {
                continue;
            }
            let candidate = Candidate::excluded(width, ordered, &texts);
            // Two of three conditions that exclude each other already.
            let pairs = (0..list.len()).filter(|_| list.len() > 2).map(|left_out| {
                let rest = texts.iter().enumerate().filter(|(k, _)| *k != left_out);
                rest.map(|(_, t)| *t).collect::<Vec<&str>>()
            });
            let mut covers = pairs.flat_map(|p| [key(false, &p), key(ordered, &p)]);
            let cover = covers.find_map(|k| self.general.get(&k).copied());
            let cover = cover.or_else(|| match ordered {
                true => self.general.get(&key(false, &texts)).copied(),
                false => None,
            });
            if let Some(place) = cover {
                self.found[place].weaker.push(candidate);
            } else if (self.plausible)(&candidate) {
                self.general.insert(key(ordered, &texts), self.found.len());
                self.found.push(candidate);
            }
        }
    }
}

/// Whether no two conditions are about the same field.
fn are_apart(list: &[&Condition]) -> bool {
    let fields: BTreeSet<&str> = list.iter().map(|c| c.field.as_str()).collect();
    fields.len() == list.len()
}

/// A formula about single processes of an instance as a candidate about all processes: numbers in
/// brackets are indices, and so are numbers that variables which hold an index are compared with.
pub fn lifted(text: &str, qualified: &Qualified) -> Option<Candidate> {
    let mut names: Vec<i64> = Vec::new();
    let mut name_of = |index: i64| -> Option<&'static str> {
        let place = match names.iter().position(|n| *n == index) {
            Some(place) => place,
            None => {
                names.push(index);
                names.len() - 1
            }
        };
        NAMES.get(place).copied()
    };
    let mut body = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = open + rest[open..].find(']')?;
        body.push_str(&rest[..=open]);
        let inside = &rest[open + 1..close];
        match inside.trim().parse::<i64>() {
            Ok(index) => body.push_str(name_of(index)?),
            Err(_) => body.push_str(inside),
        }
        rest = &rest[close..];
    }
    body.push_str(rest);
    for (pointer, offset) in &qualified.pointers {
        for relation in ["=", "!="] {
            for index in qualified.low..qualified.low + 4 {
                let number = format!("{pointer} {relation} {}", index + offset);
                while let Some(at) = body.find(&number) {
                    if body[at + number.len()..].starts_with(|c: char| c.is_ascii_digit()) {
                        break;
                    }
                    let name = name_of(index)?;
                    let sum = match offset {
                        0 => format!("{pointer} {relation} {name}"),
                        _ => format!("{pointer} {relation} {name} + {offset}"),
                    };
                    body.replace_range(at..at + number.len(), &sum);
                }
            }
        }
    }
    let width = names.len();
    Some(Candidate::new(width, false, body))
}
