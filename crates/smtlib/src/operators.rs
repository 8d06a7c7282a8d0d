//! The operators of the theories Core, Ints, Reals and Arrays.

use crate::sexp::{Sexp, Tree};
use sectile_base::{Diagnostic, Int, Rat};
use sectile_terms::{EnumId, Node, Sort, Term, Terms};

/// Codes of messages about terms.
pub(crate) const SORT: &str = "smt-sort";
pub(crate) const UNSUPPORTED: &str = "smt-unsupported";
pub(crate) const NONLINEAR: &str = "smt-nonlinear";

/// An operator with its arguments and its position.
pub(crate) struct Application<'a, 's> {
    pub(crate) terms: &'a Terms,
    pub(crate) tree: &'a Tree<'s>,
    /// The whole application, for messages.
    pub(crate) at: Sexp,
    /// The operator's name.
    pub(crate) name: &'a str,
}

impl Application<'_, '_> {
    /// The operator applied to the arguments; `None` where there is no such operator.
    pub(crate) fn apply(&self, args: &[Term]) -> Option<Result<Term, Diagnostic>> {
        Some(match self.name {
            "not" | "and" | "or" | "xor" | "=>" => self.connective(args),
            "=" | "distinct" | "ite" => self.polymorphic(args),
            "<=" | "<" | ">=" | ">" => self.comparison(args),
            "+" | "-" | "*" | "/" => self.arithmetic(args),
            "div" | "mod" | "abs" | "to_real" | "to_int" | "is_int" => self.integer(args),
            "select" | "store" => self.array(args),
            "array-ext" => self.differing_index(args),
            _ => return None,
        })
    }

    fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.tree.error(code, self.at, message)
    }

    fn count(&self, args: &[Term], least: usize, most: usize) -> Result<(), Diagnostic> {
        let found = args.len();
        let message = || format!("`{}` cannot have {found} arguments", self.name);
        let fits = (least..=most).contains(&found).then_some(());
        fits.ok_or_else(|| self.error(SORT, message()))
    }

    fn all_bool(&self, args: &[Term]) -> Result<(), Diagnostic> {
        match args.iter().all(|&a| self.terms.sort(a) == Sort::Bool) {
            true => Ok(()),
            false => Err(self.error(SORT, format!("`{}` needs truth values", self.name))),
        }
    }

    fn connective(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        self.count(args, 1, usize::MAX)?;
        self.all_bool(args)?;
        Ok(match self.name {
            "not" => {
                self.count(args, 1, 1)?;
                terms.not(args[0])
            }
            "and" => terms.and(args.iter().copied()),
            "or" => terms.or(args.iter().copied()),
            "xor" => args[1..]
                .iter()
                .fold(args[0], |acc, &a| terms.not(terms.iff(acc, a))),
            _ => {
                let (last, before) = args.split_last().expect("there is an argument");
                let negated = before.iter().map(|&a| terms.not(a));
                terms.or(negated.chain([*last]))
            }
        })
    }

    fn polymorphic(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        if self.name == "ite" {
            self.count(args, 3, 3)?;
            self.all_bool(&args[..1])?;
            let branches = self.unify(&args[1..])?;
            return Ok(terms.ite(args[0], branches[0], branches[1]));
        }
        self.count(args, 2, usize::MAX)?;
        let args = self.unify(args)?;
        Ok(if self.name == "=" {
            terms.and(args.windows(2).map(|w| terms.eq(w[0], w[1])))
        } else {
            terms.distinct(&args)
        })
    }

    fn comparison(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        self.count(args, 2, usize::MAX)?;
        let args = self.numeric(args)?;
        let compare = |a: Term, b: Term| match self.name {
            "<=" => terms.le(a, b),
            "<" => terms.lt(a, b),
            ">=" => terms.ge(a, b),
            _ => terms.gt(a, b),
        };
        Ok(terms.and(args.windows(2).map(|w| compare(w[0], w[1]))))
    }

    fn arithmetic(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        self.count(args, 1, usize::MAX)?;
        let args = self.numeric(args)?;
        let sort = terms.sort(args[0]);
        match self.name {
            "+" => Ok(terms.add_all(args, sort)),
            "-" if args.len() == 1 => Ok(terms.neg(args[0])),
            "-" => {
                let rest = terms.add_all(args[1..].iter().copied(), sort);
                Ok(terms.sub(args[0], rest))
            }
            "*" => args[1..].iter().try_fold(args[0], |acc, &a| {
                if terms.is_large_product(acc, a) {
                    let error = self.error("size", "this number is too large");
                    return Err(error.help("it has more than a million digits"));
                }
                terms.mul(acc, a).ok_or_else(|| self.not_linear())
            }),
            _ => self.quotient(&args),
        }
    }

    fn not_linear(&self) -> Diagnostic {
        self.error(NONLINEAR, "this is not linear")
            .help("one factor of a product, and every divisor, must be a number")
    }

    fn by_zero(&self) -> Diagnostic {
        self.error(UNSUPPORTED, "division by zero is not supported")
    }

    /// Real division, from the left.
    fn quotient(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        self.count(args, 2, usize::MAX)?;
        let args: Vec<Term> = args.iter().map(|&a| self.real(a)).collect();
        args[1..]
            .iter()
            .try_fold(args[0], |acc, &a| match self.terms.as_number(a) {
                Some(divisor) if divisor.is_zero() => Err(self.by_zero()),
                Some(divisor) => Ok(self.terms.scale(acc, &divisor.recip())),
                None => Err(self.not_linear()),
            })
    }

    fn integer(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        if matches!(self.name, "div" | "mod") {
            let most = if self.name == "div" { usize::MAX } else { 2 };
            self.count(args, 2, most)?;
            let args = self.integers(args)?;
            return args[1..].iter().try_fold(args[0], |acc, &a| {
                let divisor = self.divisor(a)?;
                Ok(match self.name {
                    "div" => terms.div(acc, &divisor),
                    _ => terms.modulo(acc, &divisor),
                })
            });
        }
        self.count(args, 1, 1)?;
        let a = self.numeric(args)?[0];
        let is_real = terms.sort(a) == Sort::Real;
        Ok(match self.name {
            "abs" => terms.abs(a),
            "to_real" => self.real(a),
            "to_int" if is_real => terms.floor(a),
            "to_int" => a,
            _ if is_real => terms.eq(terms.to_real(terms.floor(a)), a),
            _ => terms.tt(),
        })
    }

    fn divisor(&self, a: Term) -> Result<Int, Diagnostic> {
        match self.terms.as_number(a).and_then(Rat::to_int) {
            Some(d) if d.is_zero() => Err(self.by_zero()),
            Some(d) => Ok(d),
            None => Err(self.not_linear()),
        }
    }

    fn array(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        let terms = self.terms;
        let wanted = if self.name == "select" { 2 } else { 3 };
        self.count(args, wanted, wanted)?;
        let Sort::Array(id) = terms.sort(args[0]) else {
            return Err(self.error(SORT, format!("`{}` needs an array", self.name)));
        };
        let (index, element) = terms.array_parts(id);
        let fits = |t: Term, sort: Sort| {
            coerce(terms, t, sort)
                .ok_or_else(|| self.error(SORT, "the index or the value does not fit the array"))
        };
        let at = fits(args[1], index)?;
        Ok(if self.name == "select" {
            terms.select(args[0], at)
        } else {
            terms.store(args[0], at, fits(args[2], element)?)
        })
    }

    /// An index at which two arrays differ if they differ at all: as z3 calls it.
    fn differing_index(&self, args: &[Term]) -> Result<Term, Diagnostic> {
        self.count(args, 2, 2)?;
        let sort = self.terms.sort(args[0]);
        if !matches!(sort, Sort::Array(_)) || self.terms.sort(args[1]) != sort {
            return Err(self.error(SORT, "`array-ext` needs two arrays of one sort"));
        }
        Ok(self.terms.differing_index(args[0], args[1]))
    }

    /// The arguments as numbers of one sort: reals if one of them is real.
    fn numeric(&self, args: &[Term]) -> Result<Vec<Term>, Diagnostic> {
        let terms = self.terms;
        let mut numbers = Vec::with_capacity(args.len());
        for &a in args {
            numbers.push(match terms.sort(a) {
                Sort::Int | Sort::Real => a,
                Sort::Enum(id) => position(terms, a, id),
                Sort::Bool | Sort::Array(_) => {
                    return Err(self.error(SORT, format!("`{}` needs numbers", self.name)));
                }
            });
        }
        if numbers.iter().any(|&a| terms.sort(a) == Sort::Real) {
            numbers.iter_mut().for_each(|a| *a = self.real(*a));
        }
        Ok(numbers)
    }

    fn integers(&self, args: &[Term]) -> Result<Vec<Term>, Diagnostic> {
        let numbers = self.numeric(args)?;
        match numbers.iter().all(|&a| self.terms.sort(a) == Sort::Int) {
            true => Ok(numbers),
            false => Err(self.error(SORT, format!("`{}` needs integers", self.name))),
        }
    }

    fn real(&self, a: Term) -> Term {
        match self.terms.sort(a) {
            Sort::Int => self.terms.to_real(a),
            _ => a,
        }
    }

    /// The arguments as terms of one sort.
    fn unify(&self, args: &[Term]) -> Result<Vec<Term>, Diagnostic> {
        let terms = self.terms;
        let first = terms.sort(args[0]);
        if args.iter().all(|&a| terms.sort(a) == first) {
            return Ok(args.to_vec());
        }
        let sorts = || args.iter().map(|&a| terms.sort(a));
        // Integer literals may stand for values of enumerations, which are printed as numbers.
        if let Some(wanted) = sorts().find(|s| matches!(s, Sort::Enum(_))) {
            let fitted: Option<Vec<Term>> =
                args.iter().map(|&a| coerce(terms, a, wanted)).collect();
            if let Some(fitted) = fitted {
                return Ok(fitted);
            }
        }
        let numeric = |s: Sort| s.is_numeric() || matches!(s, Sort::Enum(_));
        if sorts().all(numeric) {
            return self.numeric(args);
        }
        let message = format!("the arguments of `{}` have different sorts", self.name);
        Err(self.error(SORT, message))
    }
}

/// The term in another sort: an integer as a real, or as a value of an enumeration.
pub(crate) fn coerce(terms: &Terms, t: Term, sort: Sort) -> Option<Term> {
    match (terms.sort(t), sort) {
        (own, wanted) if own == wanted => Some(t),
        (Sort::Int, Sort::Real) => Some(terms.to_real(t)),
        (Sort::Enum(id), Sort::Int) => Some(position(terms, t, id)),
        (Sort::Int, Sort::Enum(id)) => value_at(terms, t, id),
        _ => None,
    }
}

/// The position of a value of an enumeration, as an integer term.
fn position(terms: &Terms, t: Term, id: EnumId) -> Term {
    let count = terms.enum_info(id).variants.len();
    let count = u32::try_from(count).expect("enumerations have fewer than 2^32 values");
    let last = terms.int(i64::from(count) - 1);
    (0..count.saturating_sub(1)).rev().fold(last, |rest, k| {
        let here = terms.eq(t, terms.variant(id, k));
        terms.ite(here, terms.int(i64::from(k)), rest)
    })
}

/// The enumeration value with an integer term as its position: for numbers, conditionals between
/// them, and positions of terms.
fn value_at(terms: &Terms, root: Term, id: EnumId) -> Option<Term> {
    let count = terms.enum_info(id).variants.len();
    let mut done: rustc_hash::FxHashMap<Term, Term> = rustc_hash::FxHashMap::default();
    let mut stack = vec![(root, false)];
    while let Some((t, expanded)) = stack.pop() {
        if done.contains_key(&t) {
            continue;
        }
        match *terms.node(t) {
            Node::Number(ref value) => {
                let k = value.to_i64().and_then(|k| u32::try_from(k).ok())?;
                if k as usize >= count {
                    return None;
                }
                done.insert(t, terms.variant(id, k));
            }
            Node::Ite(c, a, b) if expanded => {
                done.insert(t, terms.ite(c, done[&a], done[&b]));
            }
            Node::Ite(_, a, b) => stack.extend([(t, true), (b, false), (a, false)]),
            _ => return None,
        }
    }
    done.remove(&root)
}
