//! LTL formulas: `ltl.X`, `ltl.F`, `ltl.G`, `ltl.U`, `ltl.W` and `ltl.R`.
//!
//! Terms have no temporal operators, so each application of one is represented by a Boolean
//! placeholder. The surrounding terms are turned into formulas at the end.

use sectile_base::Diagnostic;
use sectile_model::Ctl;
use sectile_smtlib::{Extension, Quantifier, Sexp, Tree};
use sectile_terms::{Node, Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// The maximum nesting of formulas.
const MOST_NESTED: usize = 100;

#[derive(Clone, Copy, Debug)]
enum Operator {
    Next,
    Finally,
    Globally,
    Until,
    Weak,
    Release,
}

impl Operator {
    fn named(name: &str) -> Option<Operator> {
        Some(match name {
            "ltl.X" => Operator::Next,
            "ltl.F" => Operator::Finally,
            "ltl.G" => Operator::Globally,
            "ltl.U" => Operator::Until,
            "ltl.W" => Operator::Weak,
            "ltl.R" => Operator::Release,
            _ => return None,
        })
    }

    fn arity(self) -> usize {
        match self {
            Operator::Next | Operator::Finally | Operator::Globally => 1,
            Operator::Until | Operator::Weak | Operator::Release => 2,
        }
    }
}

/// The applications of temporal operators in a file.
pub(super) struct Temporal<'t> {
    terms: &'t Terms,
    applied: BTreeMap<Symbol, (Operator, Vec<Term>)>,
}

impl<'t> Temporal<'t> {
    pub fn new(terms: &'t Terms) -> Temporal<'t> {
        let applied = BTreeMap::new();
        Temporal { terms, applied }
    }

    /// Whether a term contains a temporal operator.
    pub fn is_inside(&self, term: Term) -> bool {
        let variables = self.terms.free_vars(term);
        variables.iter().any(|(s, _)| self.applied.contains_key(s))
    }

    /// The formula in linear time; its parts without temporal operators are added to `leaves`.
    pub fn formula(&self, term: Term, leaves: &mut Vec<Term>) -> Result<Ctl, &'static str> {
        self.nested(term, leaves, MOST_NESTED)
    }

    /// Recurses on the nesting, which is bounded.
    fn nested(&self, t: Term, leaves: &mut Vec<Term>, depth: usize) -> Result<Ctl, &'static str> {
        if !self.is_inside(t) {
            leaves.push(t);
            return Ok(Ctl::State(t));
        }
        let depth = depth
            .checked_sub(1)
            .ok_or("the formula is nested too deeply")?;
        let mut of = |part: Term| self.nested(part, leaves, depth).map(Box::new);
        let not = |f: &Ctl| Box::new(Ctl::Not(Box::new(f.clone())));
        Ok(match *self.terms.node(t) {
            Node::Not(a) => Ctl::Not(of(a)?),
            Node::And(ref list) | Node::Or(ref list) => {
                let is_and = matches!(self.terms.node(t), Node::And(_));
                let mut whole: Option<Box<Ctl>> = None;
                for &part in list.iter() {
                    let part = of(part)?;
                    whole = Some(match (whole, is_and) {
                        (None, _) => part,
                        (Some(before), true) => Box::new(Ctl::And(before, part)),
                        (Some(before), false) => Box::new(Ctl::Or(before, part)),
                    });
                }
                *whole.ok_or("an empty formula")?
            }
            Node::Eq(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let neither = Ctl::And(not(&a), not(&b));
                Ctl::Or(Box::new(Ctl::And(a, b)), Box::new(neither))
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                let otherwise = Ctl::And(not(&c), b);
                Ctl::Or(Box::new(Ctl::And(c, a)), Box::new(otherwise))
            }
            Node::Var(symbol, _) => {
                let (operator, arguments) = &self.applied[&symbol];
                let mut parts = Vec::new();
                for &argument in arguments {
                    parts.push(of(argument)?);
                }
                let second = parts.pop().ok_or("an operator without an argument")?;
                match (operator, parts.pop()) {
                    (Operator::Next, _) => Ctl::Ax(second),
                    (Operator::Finally, _) => Ctl::Af(second),
                    (Operator::Until, Some(first)) => Ctl::Au(first, second),
                    (Operator::Weak, Some(first)) => Ctl::Aw(first, second),
                    // The second holds until both do, or forever.
                    (Operator::Release, Some(first)) => {
                        let both = Ctl::And(first, second.clone());
                        Ctl::Aw(second, Box::new(both))
                    }
                    (_, _) => Ctl::Ag(second),
                }
            }
            _ => return Err("temporal operators stand under `not`, `and`, `or`, `=>` and `=`"),
        })
    }
}

impl Extension for Temporal<'_> {
    fn apply(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let rest = name.strip_prefix("ltl.")?;
        let Some(operator) = Operator::named(name) else {
            let message = match rest {
                "Y" | "Z" | "O" | "H" | "S" | "T" => "operators about the past are not supported",
                _ => "there is no such operator of linear time",
            };
            return Some(Err(tree.error("vmt-unsupported", at, message)));
        };
        let is_bool = |&a: &Term| self.terms.sort(a) == Sort::Bool;
        if arguments.len() != operator.arity() || !arguments.iter().all(is_bool) {
            let wanted = match operator.arity() {
                1 => "one formula",
                _ => "two formulas",
            };
            let message = format!("`{name}` is about {wanted}");
            return Some(Err(tree.error("smt-sort", at, message)));
        }
        let symbol = self.terms.fresh(name, Sort::Bool, SymbolKind::Input);
        self.applied.insert(symbol, (operator, arguments.to_vec()));
        Some(Ok(self.terms.var(symbol)))
    }

    fn indexed(
        &mut self,
        _: &Tree<'_>,
        _: Sexp,
        _: Sexp,
        _: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        None
    }

    fn bound(&mut self, tree: &Tree<'_>, at: Sexp, _: &str, _: Sexp) -> Result<Term, Diagnostic> {
        Err(tree.error("vmt-unsupported", at, "quantifiers are not supported"))
    }

    fn quantified(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        _: Quantifier,
        _: Term,
    ) -> Result<Term, Diagnostic> {
        Err(tree.error("vmt-unsupported", at, "quantifiers are not supported"))
    }
}
