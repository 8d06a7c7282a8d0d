//! The reference language: a plain tree, evaluated by definition.

use super::world::{Assignment, Kind, VARIABLES, World};
use sectile_base::{Int, Rat};
use sectile_terms::{Stage, Term};

/// A value of the reference language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Val {
    Bool(bool),
    Num(Rat),
    Variant(u32),
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

/// A term of the reference language.
#[derive(Clone, Debug)]
pub enum Ast {
    Bool(bool),
    Num(Rat, Kind),
    Variant(u32, Kind),
    Var(usize, Stage),
    Not(Box<Ast>),
    And(Vec<Ast>),
    Or(Vec<Ast>),
    Implies(Box<Ast>, Box<Ast>),
    Ite(Box<Ast>, Box<Ast>, Box<Ast>),
    /// Of any sort for `Eq` and `Ne`, of numbers otherwise.
    Compare(Op, Box<Ast>, Box<Ast>),
    /// With zero.
    Sign(Op, Box<Ast>),
    Distinct(Vec<Ast>),
    Add(Box<Ast>, Box<Ast>),
    Sub(Box<Ast>, Box<Ast>),
    AddAll(Vec<Ast>, Kind),
    Neg(Box<Ast>),
    Scale(Rat, Box<Ast>),
    Div(Box<Ast>, Int),
    Mod(Box<Ast>, Int),
    Divides(Int, Box<Ast>),
    Abs(Box<Ast>),
    Min(Box<Ast>, Box<Ast>),
    Max(Box<Ast>, Box<Ast>),
    ToReal(Box<Ast>),
    Floor(Box<Ast>),
}

impl Ast {
    /// The value, straight from the definitions.
    pub fn eval(&self, state: &Assignment) -> Val {
        match self {
            Ast::Bool(b) => Val::Bool(*b),
            Ast::Num(r, _) => Val::Num(r.clone()),
            Ast::Variant(k, _) => Val::Variant(*k),
            Ast::Var(i, Stage::Now) => state.now[*i].clone(),
            Ast::Var(i, _) => state.next[*i].clone(),
            Ast::Ite(c, a, b) if c.truth(state) => {
                b.eval(state);
                a.eval(state)
            }
            Ast::Ite(_, _, b) => b.eval(state),
            _ => match self.eval_truth(state) {
                Some(b) => Val::Bool(b),
                None => Val::Num(self.eval_number(state)),
            },
        }
    }

    fn truth(&self, state: &Assignment) -> bool {
        match self.eval(state) {
            Val::Bool(b) => b,
            other => panic!("{other:?} is no truth value"),
        }
    }

    fn number(&self, state: &Assignment) -> Rat {
        match self.eval(state) {
            Val::Num(r) => r,
            other => panic!("{other:?} is no number"),
        }
    }

    fn eval_truth(&self, state: &Assignment) -> Option<bool> {
        Some(match self {
            Ast::Not(a) => !a.truth(state),
            Ast::And(list) => list.iter().all(|a| a.truth(state)),
            Ast::Or(list) => list.iter().any(|a| a.truth(state)),
            Ast::Implies(a, b) => !a.truth(state) || b.truth(state),
            Ast::Compare(Op::Eq, a, b) => a.eval(state) == b.eval(state),
            Ast::Compare(Op::Ne, a, b) => a.eval(state) != b.eval(state),
            Ast::Compare(op, a, b) => op.holds(&a.number(state), &b.number(state)),
            Ast::Sign(op, a) => op.holds(&a.number(state), &Rat::ZERO),
            Ast::Distinct(list) => {
                let values: Vec<Val> = list.iter().map(|a| a.eval(state)).collect();
                (0..values.len()).all(|i| !values[..i].contains(&values[i]))
            }
            Ast::Divides(d, a) => (&a.number(state) / &Rat::from(d)).is_int(),
            _ => return None,
        })
    }

    fn eval_number(&self, state: &Assignment) -> Rat {
        match self {
            Ast::Add(a, b) => &a.number(state) + &b.number(state),
            Ast::Sub(a, b) => &a.number(state) - &b.number(state),
            Ast::AddAll(list, _) => list.iter().map(|a| a.number(state)).sum(),
            Ast::Neg(a) => -a.number(state),
            Ast::Scale(c, a) => c * &a.number(state),
            Ast::Div(a, d) => quotient(&a.number(state), d),
            Ast::Mod(a, d) => {
                let a = a.number(state);
                &a - &(&quotient(&a, d) * &Rat::from(d))
            }
            Ast::Abs(a) => {
                let a = a.number(state);
                if a < Rat::ZERO { -a } else { a }
            }
            Ast::Min(a, b) => a.number(state).min(b.number(state)),
            Ast::Max(a, b) => a.number(state).max(b.number(state)),
            Ast::ToReal(a) => a.number(state),
            Ast::Floor(a) => Rat::from(a.number(state).floor()),
            other => panic!("{other:?} is no numeric operator"),
        }
    }

    /// The same in a store of terms.
    pub fn build(&self, world: &World) -> Term {
        let t = &world.terms;
        let of = |a: &Ast| a.build(world);
        let all = |list: &[Ast]| list.iter().map(of).collect::<Vec<Term>>();
        match self {
            Ast::Bool(b) => t.bool(*b),
            Ast::Num(r, kind) => t.number(r.clone(), world.sort(*kind)),
            Ast::Variant(k, Kind::Color) => t.variant(world.color, *k),
            Ast::Variant(k, _) => t.variant(world.switch, *k),
            Ast::Var(i, stage) => t.var_at(world.symbols[*i], *stage),
            Ast::Not(a) => t.not(of(a)),
            Ast::And(list) => t.and(all(list)),
            Ast::Or(list) => t.or(all(list)),
            Ast::Implies(a, b) => t.implies(of(a), of(b)),
            Ast::Ite(c, a, b) => t.ite(of(c), of(a), of(b)),
            Ast::Compare(op, a, b) => op.build(world, of(a), of(b)),
            Ast::Sign(op, a) => sign(world, *op, of(a)),
            Ast::Distinct(list) => t.distinct(&all(list)),
            Ast::Add(a, b) => t.add(of(a), of(b)),
            Ast::Sub(a, b) => t.sub(of(a), of(b)),
            Ast::AddAll(list, kind) => t.add_all(all(list), world.sort(*kind)),
            Ast::Neg(a) => t.neg(of(a)),
            Ast::Scale(c, a) => {
                let a = of(a);
                let c = t.number(c.clone(), t.sort(a));
                t.mul(c, a).expect("a product with a number")
            }
            Ast::Div(a, d) => t.div(of(a), d),
            Ast::Mod(a, d) => t.modulo(of(a), d),
            Ast::Divides(d, a) => t.divides(d, of(a)),
            Ast::Abs(a) => t.abs(of(a)),
            Ast::Min(a, b) => t.min(of(a), of(b)),
            Ast::Max(a, b) => t.max(of(a), of(b)),
            Ast::ToReal(a) => t.to_real(of(a)),
            Ast::Floor(a) => t.floor(of(a)),
        }
    }
}

impl Op {
    fn holds(self, a: &Rat, b: &Rat) -> bool {
        match self {
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Eq => a == b,
            Op::Ne => a != b,
            Op::Ge => a >= b,
            Op::Gt => a > b,
        }
    }

    fn build(self, world: &World, a: Term, b: Term) -> Term {
        let t = &world.terms;
        match self {
            Op::Lt => t.lt(a, b),
            Op::Le => t.le(a, b),
            Op::Eq => t.eq(a, b),
            Op::Ne => t.neq(a, b),
            Op::Ge => t.ge(a, b),
            Op::Gt => t.gt(a, b),
        }
    }
}

fn sign(world: &World, op: Op, a: Term) -> Term {
    let t = &world.terms;
    match op {
        Op::Lt => t.negative(a),
        Op::Le => t.non_pos(a),
        Op::Eq => t.eq_zero(a),
        Op::Ne => t.not(t.eq_zero(a)),
        Op::Ge => t.not(t.negative(a)),
        Op::Gt => t.not(t.non_pos(a)),
    }
}

/// The integer `q` with `0 <= a - q * d < |d|`.
fn quotient(a: &Rat, d: &Int) -> Rat {
    let ratio = a / &Rat::from(d);
    Rat::from(if d.is_negative() {
        ratio.ceil()
    } else {
        ratio.floor()
    })
}

/// The variables of a sort.
pub fn variables_of(kind: Kind) -> Vec<usize> {
    let of_kind = |i: &usize| VARIABLES[*i].1 == kind;
    (0..VARIABLES.len()).filter(of_kind).collect()
}
