//! A normal form of CTL: negations at state formulas only, and few operators.

use crate::ctl::Ctl;
use crate::model::LocationId;
use crate::property::PropertyKind;
use sectile_terms::{NativePrinter, Term, Terms};

/// The path quantifier: all paths or some path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paths {
    /// All maximal paths.
    All,
    /// Some maximal path.
    Some,
}

/// A formula, with its arguments as positions in [`NormalCtl::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalPart {
    /// A formula about the current state: it has no temporal operators.
    State(Term),
    /// Conjunction.
    And(usize, usize),
    /// Disjunction.
    Or(usize, usize),
    /// In the next state.
    Next(Paths, usize),
    /// The first holds until the second does; the second does hold eventually.
    Until(Paths, usize, usize),
    /// The first holds until the second does, or to the end of the path.
    Weak(Paths, usize, usize),
}

/// A formula in normal form: arguments come before the parts that use them.
///
/// `AG p` is `A(p W false)`, `AF p` is `A(true U p)`, and so on. The negation of `A(p U q)` is
/// `E(not q W not p and not q)`: on maximal paths, finite ones included, nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalCtl {
    /// The parts; the last one is the formula.
    pub parts: Vec<NormalPart>,
}

/// Maximum length of the text of a formula.
const LONGEST_WORDS: usize = 400;

/// Pending work: visit a formula, or combine its arguments.
enum Work<'f> {
    Look(&'f Ctl, bool),
    Join(&'f Ctl, bool),
}

impl NormalCtl {
    /// The formula, or its negation if `positive` is false, at a location.
    ///
    /// Only the state formulas depend on the location: the parts and their arguments are the same
    /// everywhere.
    pub fn at(
        terms: &Terms,
        formula: &Ctl,
        positive: bool,
        location: LocationId,
    ) -> Option<NormalCtl> {
        let mut normal = NormalCtl { parts: Vec::new() };
        let mut values: Vec<usize> = Vec::new();
        let mut work = vec![Work::Look(formula, positive)];
        while let Some(next) = work.pop() {
            if let Work::Look(f, sign) = &next
                && let Some(p) = f.state_formula(terms, location)
            {
                let p = if *sign { p } else { terms.not(p) };
                values.push(normal.add(NormalPart::State(p)));
                continue;
            }
            match next {
                Work::Look(Ctl::At(_), _) => return None,
                Work::Look(Ctl::Not(inner), sign) => work.push(Work::Look(inner, !sign)),
                Work::Look(f, sign) => {
                    work.push(Work::Join(f, sign));
                    for argument in f.arguments().into_iter().rev() {
                        work.push(Work::Look(argument, sign));
                    }
                }
                Work::Join(f, sign) => {
                    let from = values.len() - f.arguments().len();
                    let arguments = values.split_off(from);
                    values.push(normal.join(terms, f, sign, &arguments));
                }
            }
        }
        // The last value is the whole formula; no parts come after it.
        Some(normal)
    }

    /// The normal form of a property of a system, or of its negation.
    pub fn of_property(terms: &Terms, kind: &PropertyKind, positive: bool) -> Option<NormalCtl> {
        NormalCtl::of_property_at(terms, kind, positive, LocationId(0))
    }

    /// The normal form of a property, or of its negation, at a location.
    pub fn of_property_at(
        terms: &Terms,
        kind: &PropertyKind,
        positive: bool,
        location: LocationId,
    ) -> Option<NormalCtl> {
        let always = |f: Ctl| NormalCtl::at(terms, &Ctl::Ag(Box::new(f)), positive, location);
        match kind {
            PropertyKind::Ctl(formula) => NormalCtl::at(terms, formula, positive, location),
            other => always(Ctl::State(other.safe_at(terms, location)?)),
        }
    }

    /// Every part as text. Long texts are cut, because arguments may occur in a part more than
    /// once.
    pub fn words(&self, terms: &Terms) -> Vec<String> {
        let printer = NativePrinter::new(terms);
        let mut words: Vec<String> = Vec::new();
        for part in &self.parts {
            let name = |paths: Paths| if paths == Paths::All { "A" } else { "E" };
            let of = |k: usize| words[k].as_str();
            let mut text = match *part {
                NormalPart::State(p) => printer.print(p),
                NormalPart::And(a, b) => format!("({}) and ({})", of(a), of(b)),
                NormalPart::Or(a, b) => format!("({}) or ({})", of(a), of(b)),
                NormalPart::Next(p, a) => format!("{}X({})", name(p), of(a)),
                NormalPart::Until(p, a, b) if of(a) == "true" => format!("{}F({})", name(p), of(b)),
                NormalPart::Weak(p, a, b) if of(b) == "false" => format!("{}G({})", name(p), of(a)),
                NormalPart::Until(p, a, b) => format!("{}({} U {})", name(p), of(a), of(b)),
                NormalPart::Weak(p, a, b) => format!("{}({} W {})", name(p), of(a), of(b)),
            };
            if let Some((end, _)) = text.char_indices().nth(LONGEST_WORDS) {
                text.truncate(end);
                text.push_str(" ...");
            }
            words.push(text);
        }
        words
    }

    /// The position of the whole formula.
    pub fn root(&self) -> usize {
        self.parts.len() - 1
    }

    fn add(&mut self, part: NormalPart) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn join(&mut self, terms: &Terms, f: &Ctl, sign: bool, arguments: &[usize]) -> usize {
        let quantifier = match f {
            Ctl::Ax(_) | Ctl::Af(_) | Ctl::Ag(_) | Ctl::Au(..) | Ctl::Aw(..) => sign,
            _ => !sign,
        };
        let paths = if quantifier { Paths::All } else { Paths::Some };
        let a = arguments[0];
        let until = |n: &mut NormalCtl, a, b| n.add(NormalPart::Until(paths, a, b));
        let weak = |n: &mut NormalCtl, a, b| n.add(NormalPart::Weak(paths, a, b));
        match f {
            Ctl::And(..) => self.junction(terms, sign, a, arguments[1]),
            Ctl::Or(..) => self.junction(terms, !sign, a, arguments[1]),
            Ctl::Ex(_) | Ctl::Ax(_) => self.add(NormalPart::Next(paths, a)),
            // Eventually, or the negation of always.
            Ctl::Ef(_) | Ctl::Af(_) | Ctl::Eg(_) | Ctl::Ag(_)
                if sign == matches!(f, Ctl::Ef(_) | Ctl::Af(_)) =>
            {
                let top = self.add(NormalPart::State(terms.tt()));
                until(self, top, a)
            }
            Ctl::Eg(_) | Ctl::Ag(_) | Ctl::Ef(_) | Ctl::Af(_) => {
                let bottom = self.add(NormalPart::State(terms.ff()));
                weak(self, a, bottom)
            }
            Ctl::Eu(..) | Ctl::Au(..) if sign => until(self, a, arguments[1]),
            Ctl::Ew(..) | Ctl::Aw(..) if sign => weak(self, a, arguments[1]),
            Ctl::Eu(..) | Ctl::Au(..) => {
                let both = self.junction(terms, true, a, arguments[1]);
                weak(self, arguments[1], both)
            }
            _ => {
                let both = self.junction(terms, true, a, arguments[1]);
                until(self, arguments[1], both)
            }
        }
    }

    /// A conjunction or a disjunction; a state formula if both arguments are.
    fn junction(&mut self, terms: &Terms, and: bool, a: usize, b: usize) -> usize {
        let part = match (self.parts[a], self.parts[b], and) {
            (NormalPart::State(p), NormalPart::State(q), true) => {
                NormalPart::State(terms.and([p, q]))
            }
            (NormalPart::State(p), NormalPart::State(q), false) => {
                NormalPart::State(terms.or([p, q]))
            }
            (_, _, true) => NormalPart::And(a, b),
            (_, _, false) => NormalPart::Or(a, b),
        };
        self.add(part)
    }
}
