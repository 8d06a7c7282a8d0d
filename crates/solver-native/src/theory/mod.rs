//! Theories: the solver's knowledge about sorts other than Booleans.
//!
//! A theory is one module. It implements [`DecisionProcedure`], by which the SAT core talks to it
//! during the search, and [`Theory`], by which terms become literals, models get values, clauses get
//! proofs and lemmas get interpolants. A theory with a decision procedure of its own has atoms
//! ([`arith`]); one without adds clauses when terms are encoded ([`enumeration`]), or when a model
//! breaks its axioms ([`array`], [`function`]).
//!
//! To add one, write the module and add a line to the list at the end of this file.

pub(crate) mod arith;
pub(crate) mod array;
pub(crate) mod boolean;
pub(crate) mod enumeration;
mod function;

use crate::context::NativeSolver;
use crate::interpolate::{Cuts, Malformed, PartialInterpolant};
use crate::meter::Meter;
use crate::sat::{Conflict, DecisionProcedure, Exchange, FinalCheck, Lit, Var};
use sectile_proof::{Lemma, ProofAtom, ProofLit, Rule};
use sectile_terms::{Node, Sort, Term, Terms, Value};

/// The result of checking a model of the other theories against axioms that were not stated yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refinement {
    /// It satisfies them.
    Model,
    /// It violates some, which were added.
    Refined,
    /// It violates no known axiom, but could not be completed.
    Unknown,
}

/// The interface of a theory for the translation of terms, proofs and interpolation.
///
/// Its *terms* are those of its sorts; its *comparisons* are the formulas that compare two of them
/// or one with zero. Most functions have no `self`, because the state of a theory is a part of the
/// solver that they work on.
pub(crate) trait Theory: DecisionProcedure {
    /// The rules that justify its clauses.
    const RULES: &'static [Rule] = &[];

    /// Whether one of its terms was encoded.
    fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool;

    /// Schedules what must be encoded before a term or comparison that has `t` as an argument.
    fn push_argument(solver: &mut NativeSolver<'_>, t: Term) {
        solver.push_unencoded(t);
    }

    /// Schedules what must be encoded before one of its terms or comparisons.
    fn push_arguments(solver: &mut NativeSolver<'_>, t: Term) {
        let terms = solver.terms;
        terms.for_each_argument(t, |c| push_argument(solver, c));
    }

    /// Encodes one of its terms or comparisons, whose arguments are encoded.
    fn encode(solver: &mut NativeSolver<'_>, t: Term);

    /// Called for every encoded term, for operators of the theory whose sort belongs to another
    /// one.
    fn observe(&mut self, _terms: &Terms, _t: Term) {}

    /// Adds the clauses that define the literal of a comparison for the missing polarities;
    /// formulas that occur in these go to `pending`.
    fn define(_: &mut NativeSolver<'_>, _: Term, _missing: u8, _pending: &mut Vec<(Term, u8)>) {}

    /// Axioms on demand: checks the model of all theories against axioms that were not stated
    /// beforehand, and states the violated ones.
    fn refine(_solver: &mut NativeSolver<'_>) -> Refinement {
        Refinement::Model
    }

    /// The value in the last model of a variable, or of an operator that is a variable to the
    /// theory.
    fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value>;

    /// Why the last check has no answer, unless the budget is the reason.
    fn incomplete(&self) -> Option<&'static str> {
        None
    }

    /// One of its atoms in the form of proofs. `number` numbers the terms in it.
    fn proof_atom(&self, _var: Var, _number: &mut dyn FnMut(Term) -> u32) -> Option<ProofAtom> {
        None
    }

    /// The constructs that cannot be interpolated because of this theory, if it is in use.
    fn no_interpolants(&self) -> Option<&'static str> {
        None
    }

    /// From now on new atoms must only have terms of one block, where `span` gives the first and
    /// the last block of a term: an interpolator cannot use others.
    fn keep_local(&mut self, _span: &mut dyn FnMut(Term) -> (u32, u32)) {}

    /// The partial interpolants of a lemma by one of its rules, one for each cut. `None` if the
    /// lemma is to be treated as a clause of a block with all its symbols.
    fn interpolate(
        _lemma: &Lemma,
        _clause: &[ProofLit],
        _cuts: &Cuts<'_>,
    ) -> Result<Option<Vec<PartialInterpolant>>, Malformed> {
        Ok(None)
    }
}

/// Whether a term is a variable to the theory of its sort: a variable, or an operator of another
/// theory.
pub(crate) fn is_variable(terms: &Terms, t: Term) -> bool {
    matches!(
        terms.node(t),
        Node::Var(..) | Node::Select(..) | Node::Difference(..)
    )
}

/// The sort whose theory encodes a term: that of the sides for a comparison.
pub(crate) fn home(terms: &Terms, t: Term) -> Sort {
    match *terms.node(t) {
        Node::Zero(a) | Node::NonPos(a) | Node::Neg(a) | Node::Eq(a, _) => terms.sort(a),
        _ => terms.sort(t),
    }
}

/// Defines the list of theories, and dispatches every call to one theory: by the sort of a term, by
/// the owner of an atom, by the rule of a lemma. All calls are static.
macro_rules! theories {
    ($($field:ident: $theory:ty [$($sort:pat),*]),* $(,)?) => {
        /// The state of all theories.
        #[derive(Default)]
        pub(crate) struct Theories {
            $(pub $field: $theory,)*
        }

        impl DecisionProcedure for Theories {
            fn owns(&self, var: Var) -> bool {
                $(self.$field.owns(var))||*
            }

            fn begin_check(&mut self) {
                $(self.$field.begin_check();)*
            }

            fn set_interest(&mut self, var: Var, of_interest: bool) {
                $(self.$field.set_interest(var, of_interest);)*
            }

            fn new_level(&mut self) {
                $(self.$field.new_level();)*
            }

            fn backtrack(&mut self, levels: usize) {
                $(self.$field.backtrack(levels);)*
            }

            fn assert_literal(&mut self, lit: Lit, exchange: &mut Exchange) -> Result<(), Conflict> {
                $(if self.$field.owns(lit.var()) {
                    return self.$field.assert_literal(lit, exchange);
                })*
                Ok(())
            }

            fn propagate(&mut self, exchange: &mut Exchange, meter: &mut Meter) -> Result<(), Conflict> {
                $(self.$field.propagate(exchange, meter)?;)*
                Ok(())
            }

            fn final_check(&mut self, exchange: &mut Exchange, meter: &mut Meter) -> FinalCheck {
                $(match self.$field.final_check(exchange, meter) {
                    FinalCheck::Consistent => {}
                    other => return other,
                })*
                FinalCheck::Consistent
            }

            fn explain(&mut self, lit: Lit, token: u32, exchange: &mut Exchange) {
                $(if self.$field.owns(lit.var()) {
                    return self.$field.explain(lit, token, exchange);
                })*
            }

            fn restarted(&mut self) {
                $(self.$field.restarted();)*
            }

            fn suggested_value(&self, var: Var) -> Option<bool> {
                $(if self.$field.owns(var) {
                    return self.$field.suggested_value(var);
                })*
                None
            }
        }

        impl Theories {
            pub fn observe(&mut self, terms: &Terms, t: Term) {
                $(self.$field.observe(terms, t);)*
            }

            pub fn incomplete(&self) -> Option<&'static str> {
                None$(.or_else(|| self.$field.incomplete()))*
            }

            pub fn proof_atom(&self, var: Var, number: &mut dyn FnMut(Term) -> u32) -> Option<ProofAtom> {
                $(if self.$field.owns(var) {
                    return self.$field.proof_atom(var, number);
                })*
                None
            }

            pub fn no_interpolants(&self) -> Option<&'static str> {
                None$(.or_else(|| self.$field.no_interpolants()))*
            }

            pub fn keep_local(&mut self, span: &mut dyn FnMut(Term) -> (u32, u32)) {
                $(self.$field.keep_local(span);)*
            }
        }

        pub(crate) fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool {
            match solver.terms.sort(t) {
                $($($sort => <$theory>::is_encoded(solver, t),)*)*
            }
        }

        pub(crate) fn push_argument(solver: &mut NativeSolver<'_>, t: Term) {
            match solver.terms.sort(t) {
                $($($sort => <$theory>::push_argument(solver, t),)*)*
            }
        }

        pub(crate) fn push_arguments(solver: &mut NativeSolver<'_>, t: Term) {
            match home(solver.terms, t) {
                $($($sort => <$theory>::push_arguments(solver, t),)*)*
            }
        }

        pub(crate) fn encode(solver: &mut NativeSolver<'_>, t: Term) {
            match home(solver.terms, t) {
                $($($sort => <$theory>::encode(solver, t),)*)*
            }
        }

        pub(crate) fn define(
            solver: &mut NativeSolver<'_>,
            t: Term,
            missing: u8,
            pending: &mut Vec<(Term, u8)>,
        ) {
            match home(solver.terms, t) {
                $($($sort => <$theory>::define(solver, t, missing, pending),)*)*
            }
        }

        pub(crate) fn refine(solver: &mut NativeSolver<'_>) -> Refinement {
            $(match <$theory>::refine(solver) {
                Refinement::Model => {}
                other => return other,
            })*
            Refinement::Model
        }

        pub(crate) fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value> {
            match solver.terms.sort(t) {
                $($($sort => <$theory>::value(solver, t),)*)*
            }
        }

        pub(crate) fn interpolate(
            lemma: &Lemma,
            clause: &[ProofLit],
            cuts: &Cuts<'_>,
        ) -> Result<Option<Vec<PartialInterpolant>>, Malformed> {
            $(if <$theory>::RULES.contains(&lemma.rule) {
                return <$theory>::interpolate(lemma, clause, cuts);
            })*
            Ok(None)
        }
    };
}

theories! {
    boolean: boolean::Boolean [Sort::Bool],
    arith: arith::Arith [Sort::Int, Sort::Real],
    enums: enumeration::Enumerations [Sort::Enum(_)],
    arrays: array::Arrays [Sort::Array(_)],
    functions: function::Functions [],
}
