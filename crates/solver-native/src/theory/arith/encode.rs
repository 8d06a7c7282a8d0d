//! Sums and numeric operators.
//!
//! Every numeric term is a sum over simplex variables. Operators other than addition get an
//! auxiliary variable; its *guard* is a literal that implies the defining constraints, and every
//! atom over the variable implies the guard whichever way it is assigned.

use super::Relation;
use crate::context::{BOTH, NativeSolver};
use crate::proof_log::Origin;
use crate::sat::{Guard, Lit};
use crate::simplex::ArithVar;
use crate::theory::is_variable;
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_proof::{Lemma, Rule};
use sectile_terms::{Linear, Node, Sort, Term};

/// Maximum number of values of a conditional that is split into cases.
const MOST_CHOICES: usize = 16;

/// The encoding of numeric terms.
#[derive(Default)]
pub(super) struct Encoding {
    /// The sums of variables and operators.
    pub leaves: FxHashMap<Term, Expansion>,
    quotients: FxHashMap<(Term, Int), Term>,
    /// By simplex variable: its term; forms have none.
    pub variable_terms: Vec<Option<Term>>,
}

/// A sum of simplex variables, and the guards of the auxiliary variables in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansion {
    pub sum: Linear<ArithVar>,
    pub guards: Vec<Lit>,
}

impl Expansion {
    fn variable(v: ArithVar) -> Expansion {
        Expansion {
            sum: Linear::term(v),
            guards: Vec::new(),
        }
    }

    fn add(&mut self, other: &Expansion, factor: &Rat) {
        self.sum.add_scaled(&other.sum, factor);
        self.guards.extend_from_slice(&other.guards);
        self.guards.sort_unstable();
        self.guards.dedup();
    }
}

impl NativeSolver<'_> {
    /// A numeric term whose operators are encoded, as a sum of variables.
    fn expand(&self, t: Term) -> Expansion {
        let mut result = Expansion::default();
        match self.terms.node(t) {
            Node::Number(value) => result.sum.add_constant(value),
            Node::Sum(linear) => {
                result.sum.add_constant(linear.constant());
                for (leaf, c) in linear.monomials() {
                    result.add(self.leaf(*leaf), c);
                }
            }
            _ => result = self.leaf(t).clone(),
        }
        result
    }

    fn leaf(&self, t: Term) -> &Expansion {
        let leaf = self.sat.theory.arith.encoding.leaves.get(&t);
        leaf.expect("operators are encoded before the sums they occur in")
    }

    /// The term of the integer quotient.
    pub(super) fn quotient(&mut self, a: Term, d: &Int) -> Term {
        let terms = self.terms;
        let quotients = &mut self.sat.theory.arith.encoding.quotients;
        let known = quotients.entry((a, d.clone()));
        *known.or_insert_with(|| terms.div(a, d))
    }

    /// `abs`, `min` and `max` as condition, then-value and else-value.
    pub(super) fn choice(&self, t: Term) -> (Term, Term, Term) {
        let terms = self.terms;
        match terms.node(t) {
            Node::Abs(a) => (terms.non_pos(*a), terms.neg(*a), *a),
            Node::Min(a, b) => (terms.le(*a, *b), *a, *b),
            Node::Max(a, b) => (terms.le(*a, *b), *b, *a),
            Node::Ite(c, a, b) => (*c, *a, *b),
            _ => unreachable!("only operators that choose between two values are asked for"),
        }
    }

    /// A comparison of a conditional, by cases: the condition, and the comparisons in both cases.
    ///
    /// Only comparisons with a number, and equations with one further variable, are split: these
    /// determine the conditional, which then needs no variable. Others would need a form for each
    /// branch.
    pub(super) fn cases(&self, t: Term) -> Option<[Term; 3]> {
        let terms = self.terms;
        let (Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum)) = *terms.node(t) else {
            return None;
        };
        let sum = terms.linear(sum);
        let most = if matches!(terms.node(t), Node::Zero(_)) {
            2
        } else {
            1
        };
        if sum.monomials().len() > most {
            return None;
        }
        let is_choice = |leaf: Term| matches!(terms.node(leaf), Node::Ite(..));
        let mut choices = sum.monomials().iter().filter(|(leaf, _)| is_choice(*leaf));
        let (Some((choice, _)), None) = (choices.next(), choices.next()) else {
            return None;
        };
        sectile_proof::cases(terms, t, *choice)
    }

    /// The sum for an operator whose arguments are encoded.
    fn expand_leaf(&mut self, t: Term) -> Expansion {
        match self.terms.node(t) {
            _ if is_variable(self.terms, t) => Expansion::variable(self.new_variable(t)),
            Node::ToReal(a) => self.expand(*a),
            Node::Mod(a, d) => {
                let quotient = self.quotient(*a, d);
                let mut sum = self.expand(*a);
                sum.add(&self.expand(quotient), &-Rat::from(d));
                sum
            }
            Node::Div(a, d) => {
                let a = self.expand(*a);
                let largest = Rat::from(d - Int::ONE);
                self.define_quotient(t, &a, &Rat::from(d), Relation::NonPositive, &largest)
            }
            Node::Floor(a) => {
                let a = self.expand(*a);
                self.define_quotient(t, &a, &Rat::ONE, Relation::Negative, &Rat::ONE)
            }
            Node::Ite(..) | Node::Abs(_) | Node::Min(..) | Node::Max(..) => {
                self.define_numeric_choice(t)
            }
            _ => self.expand(t),
        }
    }

    fn new_variable(&mut self, t: Term) -> ArithVar {
        let is_int = self.terms.sort(t) == Sort::Int;
        let arith = &mut self.sat.theory.arith;
        let v = arith.new_variable(is_int);
        let terms = &mut arith.encoding.variable_terms;
        if terms.len() <= v.index() {
            terms.resize(v.index() + 1, None);
        }
        terms[v.index()] = Some(t);
        v
    }

    fn compare(&mut self, sum: &Expansion, relation: Relation) -> Lit {
        if sum.sum.is_constant() {
            let constant = sum.sum.constant();
            let holds = match relation {
                Relation::NonPositive => !constant.is_positive(),
                Relation::Negative => constant.is_negative(),
                Relation::NonNegative => !constant.is_negative(),
            };
            return self.constant_literal(holds);
        }
        let (arith, exchange) = (&mut self.sat.theory.arith, &mut self.sat.exchange);
        let lit = arith.literal(&sum.sum, relation, exchange);
        self.sat.adopt_atoms();
        lit
    }

    /// A new variable with its guard, which implies the guards of the given sums.
    fn auxiliary(&mut self, t: Term, sums: &[&Expansion]) -> (Expansion, Lit) {
        let mut own = Expansion::variable(self.new_variable(t));
        let guard = self.sat.new_var().positive();
        own.guards.push(guard);
        let below = sums.iter().flat_map(|s| s.guards.iter().copied());
        self.interest.add(guard, below);
        for inner in sums.iter().flat_map(|s| &s.guards) {
            self.define_by(t, &[!guard, *inner], Guard::Never);
        }
        (own, guard)
    }

    /// The integer `q` with `0 <= a - d * q` and `a - d * q - limit` in the given relation to 0.
    fn define_quotient(
        &mut self,
        t: Term,
        a: &Expansion,
        d: &Rat,
        relation: Relation,
        limit: &Rat,
    ) -> Expansion {
        let (own, guard) = self.auxiliary(t, &[a]);
        let mut rest = a.clone();
        rest.add(&own, &-d);
        let low = self.compare(&rest, Relation::NonNegative);
        rest.sum.add_constant(&-limit);
        let high = self.compare(&rest, relation);
        self.interest.add(guard, [low, high]);
        for bound in [low, high] {
            self.define_by(t, &[!guard, bound], Guard::When(guard));
        }
        own
    }

    /// The values that an operator chooses between, each with its conditions.
    ///
    /// Nested conditionals in branches are included: the variables of inner ones would only be
    /// equal to the outer one.
    pub(super) fn choices(&self, t: Term) -> Vec<(Vec<Term>, Term)> {
        let terms = self.terms;
        let (c, a, b) = self.choice(t);
        let mut list = vec![(vec![c], a), (vec![terms.not(c)], b)];
        let is_conditional = matches!(terms.node(t), Node::Ite(..));
        let mut next = if is_conditional { 0 } else { list.len() };
        while let Some((path, value)) = list.get(next) {
            let Node::Ite(c, a, b) = *terms.node(*value) else {
                next += 1;
                continue;
            };
            if list.len() >= MOST_CHOICES {
                break;
            }
            let path = path.clone();
            let with = |c: Term| path.iter().copied().chain([c]).collect::<Vec<Term>>();
            list[next] = (with(c), a);
            list.insert(next + 1, (with(terms.not(c)), b));
        }
        // A branch may repeat the condition under which it is chosen.
        list.retain(|(path, _)| path.iter().all(|&c| !path.contains(&terms.not(c))));
        list
    }

    /// Defines a variable as one of several sums, by conditions.
    fn define_numeric_choice(&mut self, t: Term) -> Expansion {
        let choices = self.choices(t);
        let sums: Vec<Expansion> = choices.iter().map(|(_, v)| self.expand(*v)).collect();
        let (own, guard) = self.auxiliary(t, &sums.iter().collect::<Vec<_>>());
        for ((path, _), value) in choices.iter().zip(&sums) {
            let mut clause = vec![!guard];
            for &condition in path {
                self.require(condition, BOTH);
                let lit = self.literal(condition);
                self.interest.add(guard, [lit]);
                clause.push(!lit);
            }
            let mut difference = own.clone();
            difference.add(value, &Rat::MINUS_ONE);
            for relation in [Relation::NonPositive, Relation::NonNegative] {
                let side = self.compare(&difference, relation);
                self.interest.add(guard, [side]);
                clause.push(side);
                self.define_by(t, &clause, Guard::When(guard));
                clause.pop();
            }
        }
        own
    }

    /// Encodes a numeric operator or a comparison, whose arguments are encoded.
    pub(super) fn encode_numeric(&mut self, t: Term) {
        if self.cases(t).is_some() {
            let lit = self.formula_literal(t);
            return self.set_literal(t, lit);
        }
        match self.terms.node(t) {
            Node::Zero(a) => self.encode_equality(t, *a),
            Node::NonPos(a) => self.encode_bound(t, *a, Relation::NonPositive),
            Node::Neg(a) => self.encode_bound(t, *a, Relation::Negative),
            _ => {
                let expansion = self.expand_leaf(t);
                let leaves = &mut self.sat.theory.arith.encoding.leaves;
                leaves.insert(t, expansion);
            }
        }
    }

    /// `a <= 0` or `a < 0`.
    fn encode_bound(&mut self, t: Term, a: Term, relation: Relation) {
        let sum = self.expand(a);
        let lit = self.compare(&sum, relation);
        self.tie(t, lit, &sum);
    }

    /// `a = 0` is the conjunction of two bounds.
    fn encode_equality(&mut self, t: Term, a: Term) {
        let sum = self.expand(a);
        let at_most = self.compare(&sum, Relation::NonPositive);
        let at_least = self.compare(&sum, Relation::NonNegative);
        let lit = self.formula_literal(t);
        let mut add = |clause: &[Lit], guard: Lit| {
            let origin = Origin::Lemma(Lemma::plain(Rule::Trichotomy));
            self.sat.add_clause(clause, Guard::When(guard), origin);
        };
        for side in [at_most, at_least] {
            add(&[!lit, side], lit);
        }
        add(&[lit, !at_most, !at_least], !lit);
        self.interest.add(lit, [at_most, at_least]);
        self.tie(t, lit, &sum);
    }

    /// Makes `lit` the literal of `t`. The definitions of auxiliary variables matter once an atom
    /// over them is assigned.
    fn tie(&mut self, t: Term, lit: Lit, sum: &Expansion) {
        self.set_literal(t, lit);
        self.emitted.set(t.index(), BOTH);
        self.interest.add(lit, sum.guards.iter().copied());
        for &guard in &sum.guards {
            for side in [lit, !lit] {
                self.define_by(t, &[side, guard], Guard::Never);
            }
        }
    }
}
