//! Conditions on Booleans under which a term has a given remainder.

use super::bounded::Bounds;
use super::{Residue, small};
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};

/// Conditions for the remainders of terms without divisions.
pub(super) struct Conditions<'c> {
    terms: &'c Terms,
    residues: &'c [Residue],
    bounds: &'c Bounds<'c>,
    /// Replacements of remainders, with the conditions for each of their values.
    remainders: FxHashMap<Term, Vec<Term>>,
    /// For a term and a modulus, the conditions for all remainders, memoised.
    known: FxHashMap<(Term, usize), Vec<Term>>,
}

impl<'c> Conditions<'c> {
    pub(super) fn new(
        terms: &'c Terms,
        residues: &'c [Residue],
        bounds: &'c Bounds<'c>,
    ) -> Conditions<'c> {
        Conditions {
            terms,
            residues,
            bounds,
            remainders: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// A remainder or a quotient without division; `inner` replaces divisions inside of it.
    pub(super) fn without(&mut self, division: Term, inner: &Substitution) -> Result<Term, String> {
        let terms = self.terms;
        let (Node::Mod(a, k) | Node::Div(a, k)) = terms.node(division) else {
            return Ok(division);
        };
        let is_remainder = matches!(terms.node(division), Node::Mod(..));
        let (a, k) = (terms.substitute(*a, inner), small(k)?);
        if !is_remainder {
            return self.quotient(a, k);
        }
        let conditions = self.of(a, k)?;
        let value = |j: usize| terms.number(rational(j), Sort::Int);
        let result = self.by_remainder(a, k, &value)?;
        self.remainders.insert(result, conditions);
        Ok(result)
    }

    /// The quotient of a number without division.
    pub(super) fn quotient(&mut self, a: Term, k: usize) -> Result<Term, String> {
        let terms = self.terms;
        let linear = terms.linear(a);
        if linear.monomials().is_empty() {
            let number = linear.constant().to_int().ok_or("a number is not whole")?;
            let quotient = number.div_euclid(&Int::from(k as i64));
            return Ok(terms.number(Rat::from(quotient), Sort::Int));
        }
        self.of(a, k)?;
        // An integer if the remainder is this one.
        let value = |j: usize| {
            let mut quotient = terms.linear(a);
            quotient.add_constant(&-&rational(j));
            quotient.scale(&rational(k).recip());
            terms.sum(quotient, Sort::Int)
        };
        self.by_remainder(a, k, &value)
    }

    /// A term with the given values for the remainders of a sum: a tree that branches on one
    /// summand after the other, so that its conditions are simple.
    fn by_remainder(
        &self,
        sum: Term,
        k: usize,
        value: &dyn Fn(usize) -> Term,
    ) -> Result<Term, String> {
        let terms = self.terms;
        let linear = terms.linear(sum);
        // The subtrees for every remainder of the summands before.
        let mut rest: Vec<Term> = (0..k).map(value).collect();
        for (m, c) in linear.monomials().iter().rev() {
            let c = factor(c, k)?;
            if c == 0 {
                continue;
            }
            let cases = self.cases(*m, k)?;
            let tree = |before: usize| {
                let after = |remainder: usize| rest[(before + c * remainder) % k];
                let mut cases = cases.iter().rev();
                let last = cases.next().map_or(before, |(_, r)| *r);
                cases.fold(after(last), |tree, (c, r)| terms.ite(*c, after(*r), tree))
            };
            rest = (0..k).map(tree).collect();
        }
        Ok(rest[factor(linear.constant(), k)?])
    }

    /// The remainders of a number with conditions, of which the first true one decides. The last
    /// one is the default.
    fn cases(&self, t: Term, k: usize) -> Result<Vec<(Term, usize)>, String> {
        let terms = self.terms;
        if let Node::Var(x, _) = terms.node(t)
            && let Some((low, high)) = self.bounds.values(*x)
        {
            let case = |value: i64| {
                let remainder = factor(&Rat::from(value), k)?;
                Ok::<_, String>((terms.le(t, terms.int(value)), remainder))
            };
            return (low..=high).map(case).collect();
        }
        let conditions = self.known.get(&(t, k)).ok_or("a remainder is not known")?;
        let cases = conditions.iter().enumerate().map(|(j, &c)| (c, j));
        Ok(cases.filter(|(c, _)| *c != terms.ff()).collect())
    }

    /// For every remainder modulo `k`, the condition that the term has it.
    pub(super) fn of(&mut self, t: Term, k: usize) -> Result<Vec<Term>, String> {
        let mut work = vec![t];
        while let Some(&next) = work.last() {
            if self.known.contains_key(&(next, k)) {
                work.pop();
                continue;
            }
            let mut missing = self.arguments(next, k)?;
            missing.retain(|a| !self.known.contains_key(&(*a, k)));
            if missing.is_empty() {
                let conditions = self.join(next, k)?;
                self.known.insert((next, k), conditions);
                work.pop();
            } else {
                work.extend(missing);
            }
        }
        Ok(self.known[&(t, k)].clone())
    }

    /// The numbers that determine the remainder.
    fn arguments(&self, t: Term, k: usize) -> Result<Vec<Term>, String> {
        if self.remainders.contains_key(&t) {
            return Ok(Vec::new());
        }
        Ok(match self.terms.node(t) {
            Node::Number(_) | Node::Var(..) => Vec::new(),
            Node::Sum(sum) => {
                let monomials = sum.monomials().iter();
                let counting = monomials.filter(|(_, c)| factor(c, k) != Ok(0));
                counting.map(|(m, _)| *m).collect()
            }
            Node::Ite(_, a, b) | Node::Min(a, b) | Node::Max(a, b) => vec![*a, *b],
            Node::Abs(a) => vec![*a],
            _ => return Err("a remainder is not of a sum of variables".to_string()),
        })
    }

    /// The conditions for a term whose arguments are known.
    fn join(&self, t: Term, k: usize) -> Result<Vec<Term>, String> {
        let terms = self.terms;
        if let Some(values) = self.remainders.get(&t) {
            let condition = |j: usize| terms.or(values.iter().skip(j).step_by(k).copied());
            return Ok((0..k).map(condition).collect());
        }
        let of = |t: &Term| &self.known[&(*t, k)];
        let choice = |c: Term, a: &[Term], b: &[Term]| {
            let both = a.iter().zip(b);
            both.map(|(&a, &b)| terms.ite(c, a, b)).collect()
        };
        Ok(match terms.node(t) {
            Node::Number(n) => self.number(factor(n, k)?, k),
            Node::Var(x, stage) => self.variable(*x, *stage, k)?,
            Node::Sum(sum) => {
                let mut total = self.number(factor(sum.constant(), k)?, k);
                for (m, c) in sum.monomials() {
                    let c = factor(c, k)?;
                    if c != 0 {
                        total = self.add(&total, of(m), c);
                    }
                }
                total
            }
            Node::Ite(c, a, b) => choice(*c, of(a), of(b)),
            Node::Min(a, b) => choice(terms.le(*a, *b), of(a), of(b)),
            Node::Max(a, b) => choice(terms.le(*a, *b), of(b), of(a)),
            Node::Abs(a) => {
                let own = of(a);
                let negated: Vec<Term> = (0..k).map(|j| own[(k - j) % k]).collect();
                choice(terms.le(*a, terms.int(0)), &negated, own)
            }
            _ => return Err("a remainder is not of a sum of variables".to_string()),
        })
    }

    fn number(&self, remainder: usize, k: usize) -> Vec<Term> {
        (0..k).map(|j| self.terms.bool(j == remainder)).collect()
    }

    fn variable(&self, x: Symbol, stage: Stage, k: usize) -> Result<Vec<Term>, String> {
        let terms = self.terms;
        if let Some((low, high)) = self.bounds.values(x) {
            let var = terms.var_at(x, stage);
            let mut conditions = vec![Vec::new(); k];
            for value in low..=high {
                let remainder = factor(&Rat::from(value), k)?;
                conditions[remainder].push(terms.eq(var, terms.int(value)));
            }
            return Ok(conditions.into_iter().map(|list| terms.or(list)).collect());
        }
        let found = self.residues.iter().find(|r| r.variable == x);
        let known = found.filter(|r| r.bits.len() % k == 0);
        let bits = &known.ok_or("a remainder is not known")?.bits;
        let condition = |j: usize| {
            let fitting = bits.iter().skip(j).step_by(k);
            terms.or(fitting.map(|&b| terms.var_at(b, stage)))
        };
        Ok((0..k).map(condition).collect())
    }

    /// The conditions for a sum of a number and `c` times another one.
    fn add(&self, total: &[Term], other: &[Term], c: usize) -> Vec<Term> {
        let (terms, k) = (self.terms, total.len());
        let mut cases: Vec<Vec<Term>> = vec![Vec::new(); k];
        for (i, &a) in total.iter().enumerate() {
            for (j, &b) in other.iter().enumerate() {
                cases[(i + c * j) % k].push(terms.and2(a, b));
            }
        }
        cases.into_iter().map(|list| terms.or(list)).collect()
    }

    /// An equation expressed by remainders, if these are known.
    pub(super) fn of_equation(&mut self, equation: Term) -> Option<Term> {
        let Node::Zero(sum) = *self.terms.node(equation) else {
            return None;
        };
        let variables = self.terms.free_vars(sum);
        let moduli = variables.iter().filter_map(|(x, _)| {
            let found = self.residues.iter().find(|r| r.variable == *x)?;
            Some(found.bits.len())
        });
        let k = moduli.fold(0, gcd);
        (k > 1).then(|| self.of(sum, k).ok()?.first().copied())?
    }
}

fn gcd(a: usize, b: usize) -> usize {
    let (a, b) = (Int::from(a as i64), Int::from(b as i64));
    a.gcd(&b).to_usize().unwrap_or(1)
}

fn rational(n: usize) -> Rat {
    Rat::from(Int::from(n as i64))
}

/// The remainder of an integer constant.
fn factor(c: &Rat, k: usize) -> Result<usize, String> {
    let c = c.to_int().ok_or("a number is not whole")?;
    let remainder = c.rem_euclid(&Int::from(k as i64));
    remainder
        .to_usize()
        .ok_or_else(|| "a number is too large".to_string())
}
