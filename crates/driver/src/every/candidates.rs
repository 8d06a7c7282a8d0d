//! Candidates for clauses: conditions on one or two processes that exclude each other, and orders
//! between their numbers.

use super::words::{Condition, Number, Words};
use sectile_certify::every::Qualified;

/// The names of indices in clauses.
const NAMES: [&str; 3] = ["i", "j", "k"];

/// Three conditions are combined only while there are fewer candidates than this.
const MOST: usize = 12_000;

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
    pub weaker: Vec<String>,
}

impl Candidate {
    fn excluded(width: usize, ordered: bool, conditions: &[&str]) -> Candidate {
        Candidate {
            width,
            ordered,
            body: format!("not ({})", conditions.join(" and ")),
            weaker: Vec::new(),
        }
    }

    /// The clause about all processes.
    pub fn clause(&self, size: &str, qualified: &Qualified) -> String {
        quantified(self.width, self.ordered, &self.body, size, qualified)
    }

    /// The weaker clauses.
    pub fn weaker_clauses(&self, size: &str, qualified: &Qualified) -> Vec<String> {
        let each = self.weaker.iter();
        let said = |b: &String| quantified(self.width, self.ordered, b, size, qualified);
        each.map(said).collect()
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
    let high = match qualified.shift {
        0 => size.to_string(),
        shift if shift < 0 => format!("{size}-{}", -shift),
        shift => format!("{size}+{shift}"),
    };
    let names = &NAMES[..width];
    let low = qualified.low;
    let binders: Vec<String> = names
        .iter()
        .map(|v| format!("{v} in {low}..{high}"))
        .collect();
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

/// All candidates that the words allow, up to a number.
pub fn candidates(words: &Words, ordered: bool) -> Vec<Candidate> {
    let mut maker = Maker {
        words,
        found: Vec::new(),
        ordered,
    };
    maker.numbers();
    maker.excluded_pairs();
    maker.excluded_triples();
    maker.found
}

struct Maker<'w> {
    words: &'w Words,
    found: Vec<Candidate>,
    ordered: bool,
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

    fn compared(&mut self, width: usize, ordered: bool, premise: &str, sides: (&str, &str)) {
        let said = |relation: &str| {
            let atom = format!("{} {relation} {}", sides.0, sides.1);
            match premise.is_empty() {
                true => atom,
                false => format!("{premise} => {atom}"),
            }
        };
        for (relation, weaker) in RELATIONS {
            self.found.push(Candidate {
                width,
                ordered,
                body: said(relation),
                weaker: weaker.iter().map(|r| said(r)).collect(),
            });
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
        for a in &first {
            for b in &second {
                let both = format!("{} and {}", a.text, b.text);
                let mut premises = vec![both.clone()];
                premises.extend(pointers.iter().map(|p| format!("{} and {both}", p.text)));
                for x in local {
                    let sides = (at(&x.text, "i"), at(&x.text, "j"));
                    for premise in &premises {
                        for &ordered in self.orders() {
                            self.compared(2, ordered, premise, (&sides.0, &sides.1));
                        }
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

    fn excluded_pairs(&mut self) {
        let (first, second) = (self.of_one("i"), self.of_one("j"));
        let shared = &self.words.shared;
        for (k, a) in shared.iter().enumerate() {
            for b in shared[k + 1..].iter().filter(|b| b.field != a.field) {
                self.found
                    .push(Candidate::excluded(0, false, &[&a.text, &b.text]));
            }
        }
        for (k, a) in first.iter().enumerate() {
            let rest = first[k + 1..].iter().chain(shared);
            for b in rest.filter(|b| b.field != a.field) {
                self.found
                    .push(Candidate::excluded(1, false, &[&a.text, &b.text]));
            }
        }
        for a in &first {
            for b in &second {
                for &ordered in self.orders() {
                    self.found
                        .push(Candidate::excluded(2, ordered, &[&a.text, &b.text]));
                }
            }
        }
        for a in self.of_two() {
            for b in first.iter().chain(&second) {
                for &ordered in self.orders() {
                    self.found
                        .push(Candidate::excluded(2, ordered, &[&a.text, &b.text]));
                }
            }
        }
    }

    fn excluded_triples(&mut self) {
        let (first, second) = (self.of_one("i"), self.of_one("j"));
        let shared = self.words.shared.clone();
        let mut triples = Vec::new();
        for (k, a) in first.iter().enumerate() {
            let rest: Vec<&Condition> = first[k + 1..].iter().chain(&shared).collect();
            for (l, b) in rest.iter().enumerate() {
                if b.field == a.field {
                    continue;
                }
                let others = rest[l + 1..].iter();
                for c in others.filter(|c| c.field != a.field && c.field != b.field) {
                    triples.push(Candidate::excluded(1, false, &[&a.text, &b.text, &c.text]));
                }
                for c in &second {
                    for &ordered in self.orders() {
                        let three = [a.text.as_str(), &b.text, &c.text];
                        triples.push(Candidate::excluded(2, ordered, &three));
                    }
                }
            }
        }
        let both = self.of_two();
        for a in &both {
            for b in &first {
                for c in both.iter().chain(&second).filter(|c| c.field != a.field) {
                    for &ordered in self.orders() {
                        let three = [a.text.as_str(), &b.text, &c.text];
                        triples.push(Candidate::excluded(2, ordered, &three));
                    }
                }
            }
        }
        if self.found.len() + triples.len() <= MOST {
            self.found.extend(triples);
        }
    }
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
    Some(Candidate {
        width,
        ordered: false,
        body: format!("({body})"),
        weaker: Vec::new(),
    })
}
