//! Bit-vectors, represented as bounded integers.
//!
//! Operations that are arithmetic with constants are translated exactly: conversions, sums, shifts by
//! constants, masks. The others are *opaque* (`opaque.rs`): their result is an arbitrary number of
//! the right width.

use super::placeholders::Book;
use super::types::{Type, power};
use super::values::Place;
use sectile_base::{Diagnostic, Int, Rat};
use sectile_smtlib::{Sexp, Tree};
use sectile_terms::{Sort, Term};

/// Maximum number of runs of ones in a mask: masks with more are opaque.
const MOST_RUNS: usize = 64;

/// An integer and the number of its bits.
type Word = (Term, u32);

impl Book<'_> {
    fn word(&mut self, t: Term) -> Option<Word> {
        let (id, leaves) = self.parts(t);
        match self.types.shape(id) {
            Type::Bits(width) => Some((leaves[0], width)),
            _ => None,
        }
    }

    fn made(&mut self, number: Term, width: u32) -> Term {
        let id = self.types.bits(width);
        self.value(id, vec![number])
    }

    fn number(&self, value: Rat) -> Term {
        self.terms.number(value, Sort::Int)
    }

    /// The remainder modulo two to the power of the width.
    fn wrapped(&mut self, number: Term, width: u32) -> Term {
        let number = self.terms.modulo(number, &power(width).numer());
        self.made(number, width)
    }

    /// An operator on bit-vectors with a plain name.
    pub fn bits(
        &mut self,
        place: Place<'_, '_>,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        if let Some(literal) = place.name.strip_prefix('#') {
            return Some(self.literal(place, literal));
        }
        let words: Option<Vec<Word>> = arguments.iter().map(|&a| self.word(a)).collect();
        let words = words.filter(|w| !w.is_empty())?;
        self.word_operation(place, &words)
    }

    fn literal(&mut self, place: Place<'_, '_>, literal: &str) -> Result<Term, Diagnostic> {
        let wrong = || place.error("this is not a number");
        let (digits, bits) = match literal.split_at_checked(1) {
            Some(("x", digits)) => (digits, 4),
            Some(("b", digits)) => (digits, 1),
            _ => return Err(wrong()),
        };
        let mut value = Rat::ZERO;
        let base = power(bits);
        for digit in digits.chars() {
            let digit = digit.to_digit(16).ok_or_else(wrong)?;
            value = &(&value * &base) + &Rat::from(Int::from(digit));
        }
        let width = u32::try_from(digits.len()).map_err(|_| wrong())? * bits;
        let number = self.number(value);
        Ok(self.made(number, width))
    }

    fn word_operation(
        &mut self,
        place: Place<'_, '_>,
        words: &[Word],
    ) -> Option<Result<Term, Diagnostic>> {
        let terms = self.terms;
        let (a, width) = words[0];
        let all_ones = self.number(&power(width) - &Rat::ONE);
        if let [_] = words {
            return Some(Ok(match place.name {
                "bvnot" => self.made(terms.sub(all_ones, a), width),
                "bvneg" => self.wrapped(terms.neg(a), width),
                "ubv_to_int" | "bv2nat" | "bv2int" => a,
                "sbv_to_int" => self.signed(words[0]),
                _ => return None,
            }));
        }
        if place.name == "concat" {
            let mut whole = words[0];
            for &(next, bits) in &words[1..] {
                let high = terms.scale(whole.0, &power(bits));
                whole = (terms.add(high, next), whole.1 + bits);
            }
            return Some(Ok(self.made(whole.0, whole.1)));
        }
        if place.name == "=" || place.name == "distinct" || place.name == "ite" {
            return None;
        }
        if words.iter().any(|w| w.1 != width) {
            return Some(Err(place.error("bit-vectors of different widths")));
        }
        if let &[_, (b, _)] = words
            && let Some(test) = self.comparison(place.name, words[0], (b, width))
        {
            return Some(Ok(test));
        }
        let mut rest = words[1..].iter();
        rest.try_fold(a, |a, &(b, _)| self.binary(place.name, (a, b), width))
            .map(|number| Ok(self.made(number, width)))
    }

    /// The signed value of a bit-vector, in two's complement.
    fn signed(&self, (a, width): Word) -> Term {
        let terms = self.terms;
        let half = self.number(power(width - 1));
        let less = terms.sub(a, self.number(power(width)));
        terms.ite(terms.lt(a, half), a, less)
    }

    fn comparison(&self, name: &str, a: Word, b: Word) -> Option<Term> {
        let terms = self.terms;
        let (kind, rest) = name.strip_prefix("bv")?.split_at_checked(1)?;
        let (x, y) = match kind {
            "u" => (a.0, b.0),
            "s" => (self.signed(a), self.signed(b)),
            _ => return None,
        };
        Some(match rest {
            "lt" => terms.lt(x, y),
            "le" => terms.le(x, y),
            "gt" => terms.gt(x, y),
            "ge" => terms.ge(x, y),
            _ => return None,
        })
    }

    /// The result as a number of the right width, opaque if it is not linear; `None` if there is no
    /// such operator.
    fn binary(&mut self, name: &str, (a, b): (Term, Term), width: u32) -> Option<Term> {
        let number = self.arithmetic(name, (a, b), width)?;
        Some(number.unwrap_or_else(|| self.opaque(name, [a, b], Some(width))))
    }

    /// The same only if it is linear arithmetic; `Some(None)` if it is not.
    #[allow(clippy::option_option)]
    pub fn arithmetic(&self, name: &str, (a, b): (Term, Term), width: u32) -> Option<Option<Term>> {
        let terms = self.terms;
        let modulus = power(width).numer();
        let constant = |t: Term| terms.as_number(t).map(Rat::numer);
        Some(Some(match name {
            "bvadd" => terms.modulo(terms.add(a, b), &modulus),
            "bvsub" => terms.modulo(terms.sub(a, b), &modulus),
            "bvmul" => match terms.mul(a, b) {
                Some(product) => terms.modulo(product, &modulus),
                None => return Some(None),
            },
            "bvudiv" | "bvurem" => match constant(b) {
                Some(d) if d.is_zero() && name == "bvurem" => a,
                Some(d) if d.is_zero() => self.number(&power(width) - &Rat::ONE),
                Some(d) if name == "bvurem" => terms.modulo(a, &d),
                Some(d) => terms.div(a, &d),
                None => return Some(None),
            },
            "bvshl" | "bvlshr" | "bvashr" => match constant(b) {
                Some(by) => self.shifted(name, (a, width), &by),
                None => return Some(None),
            },
            "bvand" | "bvor" | "bvxor" => {
                let masked = match (constant(a), constant(b)) {
                    (Some(a), Some(b)) => {
                        return Some(Some(self.number(Rat::from(&bitwise(name, a, b)))));
                    }
                    (Some(mask), _) => self.masked(b, &mask, width).map(|m| (b, mask, m)),
                    (None, Some(mask)) => self.masked(a, &mask, width).map(|m| (a, mask, m)),
                    (None, None) => None,
                };
                let Some((x, mask, both)) = masked else {
                    return Some(None);
                };
                let sum = terms.add(x, self.number(Rat::from(&mask)));
                match name {
                    "bvand" => both,
                    "bvor" => terms.sub(sum, both),
                    _ => terms.sub(sum, terms.scale(both, &Rat::from(2_i64))),
                }
            }
            "bvnand" | "bvnor" | "bvxnor" | "bvsdiv" | "bvsrem" | "bvsmod" => {
                return Some(None);
            }
            _ => return None,
        }))
    }

    fn shifted(&self, name: &str, (a, width): Word, by: &Int) -> Term {
        let terms = self.terms;
        let by = by.to_i64().and_then(|k| u32::try_from(k).ok());
        let by = by.filter(|&k| k < width);
        match (name, by) {
            ("bvshl", Some(k)) => terms.modulo(terms.scale(a, &power(k)), &power(width).numer()),
            ("bvlshr", Some(k)) => terms.div(a, &power(k).numer()),
            ("bvashr", by) => {
                let k = by.unwrap_or(width - 1);
                let quotient = terms.div(self.signed((a, width)), &power(k).numer());
                terms.modulo(quotient, &power(width).numer())
            }
            _ => terms.int(0),
        }
    }

    /// The bitwise conjunction with a constant: a difference of remainders for each run of ones in
    /// the constant.
    fn masked(&self, a: Term, mask: &Int, width: u32) -> Option<Term> {
        let terms = self.terms;
        let two = Int::from(2_i64);
        let mut rest = mask.clone();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut open: Option<u32> = None;
        for k in 0..=width {
            let one = !rest.rem_euclid(&two).is_zero();
            rest = rest.div_euclid(&two);
            match (one, open) {
                (true, None) => open = Some(k),
                (false, Some(start)) => {
                    runs.push((start, k));
                    open = None;
                }
                _ => {}
            }
        }
        if runs.len() > MOST_RUNS {
            return None;
        }
        let below = |k: u32| match k {
            k if k >= width => a,
            0 => terms.int(0),
            k => terms.modulo(a, &power(k).numer()),
        };
        let parts = runs
            .iter()
            .map(|&(low, high)| terms.sub(below(high), below(low)));
        Some(terms.add_all(parts.collect::<Vec<_>>(), Sort::Int))
    }

    /// An operator on bit-vectors with an index, or a constant.
    pub fn indexed_bits(
        &mut self,
        place: Place<'_, '_>,
        parts: &[Sexp],
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let tree = place.tree;
        let numbers: Option<Vec<u32>> = { parts.iter() }.map(|&e| number(tree, e)).collect();
        let numbers = numbers?;
        if let Some(value) = place.name.strip_prefix("bv")
            && let (Ok(value), &[width], []) = (value.parse::<Int>(), &numbers[..], arguments)
        {
            let number = self.number(Rat::from(&value));
            return Some(Ok(self.wrapped(number, width)));
        }
        let &[argument] = arguments else {
            return None;
        };
        let terms = self.terms;
        if let ("int_to_bv" | "int2bv" | "nat2bv", &[width]) = (place.name, &numbers[..])
            && width > 0
        {
            let whole = !self.is_handle(argument) && terms.sort(argument) == Sort::Int;
            return Some(match whole {
                true => Ok(self.wrapped(argument, width)),
                false => Err(place.error("a conversion to bit-vectors needs an integer")),
            });
        }
        let (a, width) = self.word(argument)?;
        Some(Ok(match (place.name, &numbers[..]) {
            ("extract", &[high, low]) if low <= high && high < width => {
                let shifted = terms.div(a, &power(low).numer());
                self.wrapped(shifted, high - low + 1)
            }
            ("zero_extend", &[more]) => self.made(a, width + more),
            ("sign_extend", &[more]) => {
                let number = self.signed((a, width));
                self.wrapped(number, width + more)
            }
            _ => return None,
        }))
    }
}

/// A bitwise operation on nonnegative numbers.
fn bitwise(name: &str, mut a: Int, mut b: Int) -> Int {
    let two = Int::from(2_i64);
    let (mut result, mut weight) = (Int::from(0_i64), Int::from(1_i64));
    while !(a.is_zero() && b.is_zero()) {
        let is_one = |n: &Int| !n.rem_euclid(&two).is_zero();
        let bit = match name {
            "bvand" => is_one(&a) && is_one(&b),
            "bvor" => is_one(&a) || is_one(&b),
            _ => is_one(&a) != is_one(&b),
        };
        if bit {
            result = &result + &weight;
        }
        weight = &weight * &two;
        (a, b) = (a.div_euclid(&two), b.div_euclid(&two));
    }
    result
}

fn number(tree: &Tree<'_>, e: Sexp) -> Option<u32> {
    let number: u32 = tree.numeral(e)?.parse().ok()?;
    (number <= 65_536).then_some(number)
}
