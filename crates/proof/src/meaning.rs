//! A normal form of literals: equal meanings have equal forms.
//!
//! A bound is `sum <= 0` or `sum < 0` over *leaves*: variables and atomic operators. Two operators
//! are not atomic, because they are nothing but sums: an integer as a real is that integer, and `a
//! mod d` is `a - d * (a div d)`. The sum is scaled to coprime integers with a positive first
//! coefficient. Over integers the constant is rounded and the bound is not strict, so that the
//! complement of `t <= 0` is the complement of the same atom however it was written.

use crate::refutation::{ProofAtom, Refutation};
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// A literal of the kernel: a normalised atom and a sign. Equal literals have equal meanings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    /// Always true.
    pub const TRUE: Lit = Lit(0);
    /// Never true.
    pub const FALSE: Lit = Lit(1);

    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A small number, unique for each literal.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn negated_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        self.negated_if(true)
    }
}

/// A set of literals, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Clause(Box<[Lit]>);

impl Clause {
    pub fn new(mut lits: Vec<Lit>) -> Clause {
        lits.sort_unstable();
        lits.dedup();
        Clause(lits.into())
    }

    pub fn lits(&self) -> &[Lit] {
        &self.0
    }

    pub fn contains(&self, lit: Lit) -> bool {
        self.0.binary_search(&lit).is_ok()
    }

    /// Whether the disjunction of the given literals implies this clause, literal by literal.
    pub fn covers(&self, lits: &[Lit]) -> bool {
        lits.iter().all(|&l| l == Lit::FALSE || self.contains(l))
    }
}

/// A normalised atom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    Truth,
    /// Neither a truth value, nor a negation, nor a bound; an equality of numbers may be one.
    Formula(Term),
    /// `sum <= 0`, or `sum < 0` if strict.
    Bound {
        sum: Linear,
        strict: bool,
    },
}

/// Normalises literals, with a memo table.
pub(crate) struct Meanings<'t> {
    pub terms: &'t Terms,
    atoms: Vec<Atom>,
    numbers: FxHashMap<Atom, u32>,
    expansions: FxHashMap<Term, Linear>,
    literals: FxHashMap<Term, Lit>,
}

impl<'t> Meanings<'t> {
    pub fn new(terms: &'t Terms) -> Meanings<'t> {
        let mut meanings = Meanings {
            terms,
            atoms: Vec::new(),
            numbers: FxHashMap::default(),
            expansions: FxHashMap::default(),
            literals: FxHashMap::default(),
        };
        // The first atom is the one that `Lit::TRUE` names.
        meanings.literal(Atom::Truth);
        meanings
    }

    fn literal(&mut self, atom: Atom) -> Lit {
        let next = self.atoms.len() as u32;
        let number = *self.numbers.entry(atom).or_insert_with_key(|atom| {
            self.atoms.push(atom.clone());
            next
        });
        let code = number.checked_mul(2);
        Lit(code.expect("fewer than 2^31 atoms fit in memory"))
    }

    /// The positive literals of a refutation's atoms.
    pub fn of_atoms(&mut self, refutation: &Refutation) -> Vec<Lit> {
        let atoms = refutation.atoms.iter();
        let meaning = |atom: &ProofAtom| match atom {
            ProofAtom::Formula(t) => self.of_term(*t),
            ProofAtom::Bound {
                sum, bound, strict, ..
            } => {
                let mut linear = Linear::constant_only(-bound);
                for (v, c) in sum {
                    let variable = self.expand(refutation.variables[*v as usize]);
                    linear.add_scaled(variable, &Rat::from(c));
                }
                self.compare(linear, *strict)
            }
        };
        atoms.map(meaning).collect()
    }

    /// The literal of a formula.
    pub fn of_term(&mut self, t: Term) -> Lit {
        if let Some(lit) = self.literals.get(&t) {
            return *lit;
        }
        let (inner, negated) = self.terms.strip_not(t);
        let lit = match self.terms.node(inner) {
            Node::Bool(value) => Lit::TRUE.negated_if(!value),
            Node::NonPos(a) => {
                let sum = self.expand(*a).clone();
                self.compare(sum, false)
            }
            Node::Neg(a) => {
                let sum = self.expand(*a).clone();
                self.compare(sum, true)
            }
            Node::Zero(a) if self.expand(*a).is_constant() => {
                Lit::TRUE.negated_if(!self.expand(*a).constant().is_zero())
            }
            _ => self.literal(Atom::Formula(inner)),
        };
        let lit = lit.negated_if(negated);
        self.literals.insert(t, lit);
        lit
    }

    /// The literal that says `sum <= 0`, or `sum < 0` if strict, for a sum over leaves.
    pub fn compare(&mut self, mut sum: Linear, mut strict: bool) -> Lit {
        let Some((_, first)) = sum.monomials().first() else {
            let zero_will_do = !strict && sum.constant().is_zero();
            let holds = sum.constant().is_negative() || zero_will_do;
            return Lit::TRUE.negated_if(!holds);
        };
        let negated = first.is_negative();
        sum.scale(&sum.primitive_factor());
        if self.is_integral(&sum) {
            let constant = sum.constant();
            let rounded = if strict {
                constant.floor() + Int::ONE
            } else {
                constant.ceil()
            };
            sum.add_constant(&(Rat::from(rounded) - constant));
            strict = false;
        }
        if negated {
            (sum, strict) = self.complement(sum, strict);
        }
        self.literal(Atom::Bound { sum, strict })
            .negated_if(negated)
    }

    /// The complement of `sum <= 0` (or `sum < 0`), for a normalised sum.
    fn complement(&self, mut sum: Linear, strict: bool) -> (Linear, bool) {
        sum.scale(&Rat::MINUS_ONE);
        if self.is_integral(&sum) {
            sum.add_constant(&Rat::ONE);
            return (sum, false);
        }
        (sum, !strict)
    }

    /// The inequality of a literal that is a bound or a truth value: `sum <= 0`, or `sum < 0` if
    /// the second part is true.
    pub fn inequality(&self, lit: Lit) -> Option<(Linear, bool)> {
        match &self.atoms[(lit.0 / 2) as usize] {
            Atom::Truth => Some((Linear::default(), !lit.is_positive())),
            Atom::Formula(_) => None,
            Atom::Bound { sum, strict } if lit.is_positive() => Some((sum.clone(), *strict)),
            Atom::Bound { sum, strict } => Some(self.complement(sum.clone(), *strict)),
        }
    }

    /// The formula that a literal asserts or negates, unless it is a bound.
    pub fn formula(&self, lit: Lit) -> Option<Term> {
        match &self.atoms[(lit.0 / 2) as usize] {
            Atom::Formula(t) => Some(*t),
            _ => None,
        }
    }

    /// Whether all leaves are integers.
    fn is_integral(&self, sum: &Linear) -> bool {
        let mut leaves = sum.monomials().iter();
        leaves.all(|(t, _)| self.terms.sort(*t) == Sort::Int)
    }

    /// A numeric term as a sum over leaves.
    pub fn expand(&mut self, root: Term) -> &Linear {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.expansions.contains_key(&t) {
                stack.pop();
                continue;
            }
            let Some(parts) = self.parts(t) else {
                self.expansions.insert(t, Linear::term(t));
                continue;
            };
            let before = stack.len();
            let unknown = |t: &Term| !self.expansions.contains_key(t);
            stack.extend(parts.monomials().iter().map(|m| m.0).filter(unknown));
            if stack.len() == before {
                let mut sum = Linear::constant_only(parts.constant().clone());
                for (part, c) in parts.monomials() {
                    sum.add_scaled(&self.expansions[part], c);
                }
                self.expansions.insert(t, sum);
            }
        }
        &self.expansions[&root]
    }

    /// The sum of a term, one level deep; nothing for a leaf.
    fn parts(&self, t: Term) -> Option<Linear> {
        match self.terms.node(t) {
            Node::Number(_) | Node::Sum(_) => Some(self.terms.linear(t)),
            Node::ToReal(a) => Some(Linear::term(*a)),
            Node::Mod(a, d) => {
                let mut sum = Linear::term(*a);
                sum.add_term(self.terms.div(*a, d), &-Rat::from(d));
                Some(sum)
            }
            _ => None,
        }
    }
}
