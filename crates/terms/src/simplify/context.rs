//! A walk over a formula that simplifies every part under its context.

use super::facts::{Facts, Mark};
use crate::node::{Node, Term};
use crate::sorts::Sort;
use crate::store::Terms;
use rustc_hash::FxHashMap;

/// A term may occur at many positions, each with another context. This is the average number of
/// positions visited per use of a term; further ones are left unchanged.
const PLACES: usize = 4;

/// A conjunction or disjunction whose parts are being rewritten.
struct Junction {
    term: Term,
    unit: bool,
    parts: Vec<Term>,
    next: usize,
    mark: Mark,
    changed: bool,
}

/// A conditional whose condition or branches are being rewritten.
struct Branching {
    term: Term,
    /// Rewritten so far: condition, first branch.
    done: Vec<Term>,
    mark: Mark,
}

/// Any other operator whose arguments are being rewritten.
struct Operator {
    term: Term,
    arguments: Vec<Term>,
    next: usize,
}

enum Frame {
    Junction(Junction),
    Branching(Branching),
    Operator(Operator),
}

enum Step {
    /// This part comes next.
    Visit(Term),
    /// The whole is done.
    Done(Term),
}

/// The walk.
pub(super) struct Walk<'t> {
    terms: &'t Terms,
    root: Term,
    facts: Facts<'t>,
    /// The number of positions that may still be visited.
    left: usize,
    /// Whether terms contain conditions.
    structured: FxHashMap<Term, bool>,
    /// Results of terms by context version.
    done: FxHashMap<(Term, u32), Term>,
}

impl<'t> Walk<'t> {
    /// A walk over a term.
    pub(super) fn new(terms: &'t Terms, root: Term) -> Walk<'t> {
        let all = terms.post_order(&[root]);
        let uses: usize = all.iter().map(|&t| uses_in(terms, t)).sum();
        Walk {
            terms,
            root,
            facts: Facts::new(terms),
            left: PLACES * uses,
            structured: FxHashMap::default(),
            done: FxHashMap::default(),
        }
    }

    /// The rewritten term.
    pub(super) fn run(mut self) -> Term {
        let mut frames: Vec<Frame> = Vec::new();
        let mut step = Step::Visit(self.root);
        loop {
            let result = match step {
                Step::Visit(t) => match self.enter(t) {
                    Ok(done) => Some(done),
                    Err(frame) => {
                        frames.push(frame);
                        None
                    }
                },
                Step::Done(result) => {
                    frames.pop();
                    Some(result)
                }
            };
            step = match frames.last_mut() {
                Some(Frame::Junction(j)) => self.resume_junction(j, result),
                Some(Frame::Branching(b)) => self.resume_branching(b, result),
                Some(Frame::Operator(o)) => self.resume_operator(o, result),
                None => return result.expect("without a frame, a result was just found"),
            };
        }
    }

    /// The result for a term, or the work that remains for it.
    fn enter(&mut self, t: Term) -> Result<Term, Frame> {
        if self.terms.sort(t) == Sort::Bool
            && let Some(truth) = self.facts.decide(t)
        {
            return Ok(self.terms.bool(truth));
        }
        if self.left == 0 || !self.is_structured(t) {
            return Ok(t);
        }
        if let Some(&done) = self.done.get(&(t, self.facts.version)) {
            return Ok(done);
        }
        self.left = self.left.saturating_sub(uses_in(self.terms, t));
        match self.terms.node(t) {
            Node::And(_) => self.enter_junction(t, true),
            Node::Or(_) => self.enter_junction(t, false),
            Node::Ite(..) => Err(Frame::Branching(Branching {
                term: t,
                done: Vec::new(),
                mark: self.facts.mark(),
            })),
            node => {
                let mut arguments = Vec::new();
                node.for_each_child(|c| arguments.push(c));
                Err(Frame::Operator(Operator {
                    term: t,
                    arguments,
                    next: 0,
                }))
            }
        }
    }

    /// Stores a result. The context must be the one at the entry of the term.
    fn finish(&mut self, t: Term, result: Term) -> Step {
        self.done.insert((t, self.facts.version), result);
        Step::Done(result)
    }

    fn enter_junction(&mut self, t: Term, unit: bool) -> Result<Term, Frame> {
        let terms = self.terms;
        let parts = match self.facts.merge(terms.parts(t, unit), unit) {
            Some(parts) if parts.len() > 1 => parts,
            few => return Ok(terms.joined(few, unit)),
        };
        let mark = self.facts.mark();
        for &part in &parts {
            self.learn(part, unit);
        }
        Err(Frame::Junction(Junction {
            term: t,
            unit,
            parts,
            next: 0,
            mark,
            changed: false,
        }))
    }

    fn resume_junction(&mut self, j: &mut Junction, result: Option<Term>) -> Step {
        let terms = self.terms;
        if let Some(result) = result {
            if terms.as_bool(result) == Some(!j.unit) {
                self.facts.undo(j.mark);
                return self.finish(j.term, result);
            }
            // From now on the other parts may only rely on the rewritten form of this one.
            j.changed = j.changed || result != j.parts[j.next];
            j.parts[j.next] = result;
            for part in terms.parts(result, j.unit) {
                self.learn(part, j.unit);
            }
            j.next += 1;
        }
        while let Some(&part) = j.parts.get(j.next) {
            if self.is_structured(part) {
                // A part must not assume itself.
                self.facts.forget(part);
                return Step::Visit(part);
            }
            j.next += 1;
        }
        self.facts.undo(j.mark);
        let parts = std::mem::take(&mut j.parts);
        let parts = if j.changed {
            let flat = parts.into_iter().flat_map(|p| terms.parts(p, j.unit));
            self.facts.merge(flat.collect(), j.unit)
        } else {
            Some(parts)
        };
        let result = terms.joined(parts, j.unit);
        self.finish(j.term, result)
    }

    fn resume_branching(&mut self, b: &mut Branching, result: Option<Term>) -> Step {
        let terms = self.terms;
        let Node::Ite(condition, yes, no) = *terms.node(b.term) else {
            unreachable!("only conditionals branch")
        };
        self.facts.undo(b.mark);
        b.done.extend(result);
        match *b.done.as_slice() {
            [] => Step::Visit(condition),
            [c] => match terms.as_bool(c) {
                // The remaining branch is rewritten; it stands for both.
                Some(truth) => {
                    let taken = if truth { yes } else { no };
                    b.done.push(taken);
                    Step::Visit(taken)
                }
                None => {
                    self.learn_parts(c, true);
                    Step::Visit(yes)
                }
            },
            [c, _] => {
                self.learn_parts(c, false);
                Step::Visit(no)
            }
            [c, y, n] if terms.as_bool(c).is_none() => {
                let result = terms.ite(c, y, n);
                self.finish(b.term, result)
            }
            [_, _, taken] => self.finish(b.term, taken),
            _ => unreachable!("a conditional has three parts"),
        }
    }

    fn resume_operator(&mut self, o: &mut Operator, result: Option<Term>) -> Step {
        if let Some(result) = result {
            o.arguments[o.next] = result;
            o.next += 1;
        }
        if let Some(&argument) = o.arguments.get(o.next) {
            return Step::Visit(argument);
        }
        let mut arguments = o.arguments.iter();
        let result = self.terms.rebuild(o.term, |_| {
            let new = arguments.next();
            *new.expect("an operator is rebuilt from as many arguments as it has")
        });
        self.finish(o.term, result)
    }

    /// Adds a part of a conjunction or disjunction to the context.
    fn learn(&mut self, part: Term, truth: bool) {
        if self.is_structured(part) {
            self.facts.learn(part, truth);
        } else {
            self.facts.learn_literal(part, truth);
        }
    }

    /// Adds the truth of a condition, and that of its parts if it determines them.
    fn learn_parts(&mut self, condition: Term, truth: bool) {
        let (inner, negated) = self.terms.strip_not(condition);
        let truth = truth != negated;
        for part in self.terms.parts(inner, truth) {
            self.learn(part, truth);
        }
    }

    /// Whether a term contains conditions that may be decided: formulas or conditionals below it.
    /// A literal has none.
    fn is_structured(&mut self, t: Term) -> bool {
        let (t, _) = self.terms.strip_not(t);
        if let Some(&known) = self.structured.get(&t) {
            return known;
        }
        let known = |s| self.structured.contains_key(&s);
        for s in self.terms.post_order_unless(&[t], known) {
            let node = self.terms.node(s);
            let mut below = matches!(node, Node::Ite(..));
            node.for_each_child(|c| {
                below = below || self.terms.sort(c) == Sort::Bool || self.structured[&c];
            });
            self.structured.insert(s, below);
        }
        self.structured[&t]
    }
}

/// The number of occurrences: the term and its arguments.
fn uses_in(terms: &Terms, t: Term) -> usize {
    let mut uses = 1;
    terms.node(t).for_each_child(|_| uses += 1);
    uses
}
