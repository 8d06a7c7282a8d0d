//! Formulas a hundred thousand operators deep, on a small stack and in linear time.

use sectile_base::Int;
use sectile_terms::{
    NativePrinter, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate,
};
use std::time::{Duration, Instant};

const DEPTH: usize = 100_000;

/// Each of these takes about a second, and minutes where something is quadratic. The machine may
/// be busy with other things.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs on a stack that would overflow at a few thousand frames.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let start = Instant::now();
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let thread = thread.spawn(test).expect("a thread");
    thread.join().expect("no overflow and no failure");
    let time = start.elapsed();
    assert!(time < LIMIT, "took {time:?}: quadratic?");
}

struct Deep {
    terms: Terms,
    x: Term,
    y: Term,
}

impl Deep {
    fn new() -> Deep {
        let terms = Terms::new();
        let declare = |n: &str| terms.declare(n, Sort::Int, SymbolKind::State);
        let x = terms.var(declare("x").expect("new"));
        let y = terms.var(declare("y").expect("new"));
        Deep { terms, x, y }
    }

    /// A different atom for every number.
    fn atom(&self, k: usize) -> Term {
        self.terms.le(self.x, self.terms.int(k as i64))
    }

    /// Everything that can be done with a term.
    fn exercise(&self, term: Term) {
        let terms = &self.terms;
        let value = |s: Symbol, _: Stage| Some(Value::Int(Int::from(s.index())));
        let before = evaluate(terms, term, &value).expect("all variables have values");
        let text = NativePrinter::new(terms).print(term);
        assert!(text.len() > DEPTH);
        let primed = terms.prime(term);
        assert_eq!(terms.unprime(primed), term);
        assert_eq!(terms.from_step(terms.at_step(term, 3), 3), term);
        let map: Substitution = [(self.y, terms.add(self.y, terms.int(1)))]
            .into_iter()
            .collect();
        let moved = terms.substitute(term, &map);
        let shifted = |s: Symbol, stage: Stage| {
            let moved = u32::from(terms.var(s) == self.y);
            value(s, stage).map(|_| Value::Int(Int::from(s.index() as i64 - i64::from(moved))))
        };
        let after = evaluate(terms, moved, &shifted).expect("all variables have values");
        assert_eq!(before, after);
        assert!(terms.size(term) >= DEPTH / 16);
        assert_eq!(terms.free_vars(term).len(), 2);
        let lowered = terms.lower_extrema(term);
        assert_eq!(evaluate(terms, lowered, &value), Ok(before.clone()));
        let simplified = terms.simplify(term);
        assert_eq!(evaluate(terms, simplified, &value), Ok(before));
        if terms.sort(term) == Sort::Bool {
            assert!(terms.atoms(term).len() > 1000);
        }
        assert!(terms.len() < 40 * DEPTH, "{} terms", terms.len());
    }
}

#[test]
fn alternating_operators() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let mut f = t.le(deep.y, t.int(0));
        for k in 0..DEPTH {
            let atom = deep.atom(k);
            f = match k % 5 {
                0 => t.and2(atom, f),
                1 => t.or2(f, atom),
                2 => t.not(f),
                3 => t.ite(atom, f, deep.atom(k + 1)),
                _ => t.iff(atom, f),
            };
        }
        deep.exercise(f);
    });
}

#[test]
fn long_conjunctions_in_both_directions() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let y = t.le(deep.y, t.int(0));
        let atoms: Vec<Term> = (0..DEPTH).map(|k| deep.atom(k)).collect();
        let left = atoms.iter().fold(y, |f, &a| t.and2(f, a));
        deep.exercise(left);
        let right = atoms.iter().rev().fold(y, |f, &a| t.and2(a, f));
        deep.exercise(right);
        let flat = t.and(atoms.iter().copied().chain([y]));
        assert_eq!(t.conjuncts(left).len(), DEPTH + 1);
        assert_eq!(t.conjuncts(right), t.conjuncts(flat));
    });
}

#[test]
fn conditionals_in_sums() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let mut sum = deep.y;
        for k in 0..DEPTH {
            let more = t.add(sum, t.int(k as i64 % 7 - 3));
            sum = t.ite(deep.atom(k), more, deep.y);
        }
        deep.exercise(t.ite(t.le(sum, t.int(5)), sum, deep.x));
    });
}

#[test]
fn numeric_operators_in_each_other() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let mut term = deep.y;
        for k in 0..DEPTH {
            let shifted = t.add(term, t.int(k as i64 % 100 + 1));
            term = match k % 6 {
                0 => t.abs(shifted),
                1 => t.min(deep.x, shifted),
                2 => t.max(shifted, deep.x),
                3 => t.div(shifted, &Int::from(-3)),
                4 => t.modulo(shifted, &Int::from(1_000_003)),
                _ => t.floor(t.scale(t.to_real(shifted), &sectile_base::Rat::from_ratio(1, 2))),
            };
        }
        deep.exercise(term);
    });
}

#[test]
fn wide_sums() {
    on_small_stack(|| {
        let terms = Terms::new();
        let declare = |k: usize| terms.declare(&format!("v{k}"), Sort::Int, SymbolKind::State);
        let vars: Vec<Term> = (0..DEPTH)
            .map(|k| terms.var(declare(k).expect("new")))
            .collect();
        let sum = terms.add_all(vars.iter().copied().rev(), Sort::Int);
        assert_eq!(terms.size(sum), DEPTH + 1);
        // Every variable becomes one that was made in another order.
        let map: Substitution = vars
            .iter()
            .copied()
            .zip(vars.iter().copied().rev())
            .collect();
        assert_eq!(terms.substitute(sum, &map), sum);
        assert_eq!(terms.unprime(terms.prime(sum)), sum);
        assert_eq!(terms.size(terms.to_real(sum)), 2 * DEPTH + 1);
        let mut chain = terms.int(0);
        for k in 0..DEPTH {
            chain = terms.add(chain, vars[k % 3]);
        }
        assert_eq!(terms.linear(chain).monomials().len(), 3);
    });
}

#[test]
fn chains_of_cases_compared_with_constants() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let names: Vec<String> = (0..5).map(|k| format!("s{k}")).collect();
        let id = t.declare_enum("E", &names);
        let pc = t.declare("pc", Sort::Enum(id), SymbolKind::State);
        let mut chain = t.var(pc.expect("new"));
        let mut equal = t.ff();
        for k in 0..DEPTH {
            chain = t.ite(deep.atom(k), t.variant(id, k as u32 % 5), chain);
            // Comparing after every step must not walk down the whole chain again.
            equal = t.eq(chain, t.variant(id, 0));
        }
        let value = |s: Symbol, _: Stage| {
            Some(match t.symbol_sort(s) {
                Sort::Enum(_) => Value::Enum(id, 2),
                _ => Value::Int(Int::from(10)),
            })
        };
        assert_eq!(evaluate(t, equal, &value), Ok(Value::Bool(false)));
        assert_eq!(t.unprime(t.prime(equal)), equal);
        assert!(t.len() < 20 * DEPTH);
    });
}

#[test]
fn chains_of_array_updates() {
    on_small_stack(|| {
        let deep = Deep::new();
        let t = &deep.terms;
        let sort = t.array_sort(Sort::Int, Sort::Int);
        let array = t.declare("a", sort, SymbolKind::State);
        let array = t.var(array.expect("new"));
        let updated = (0..DEPTH).fold(array, |a, k| t.store(a, t.int(k as i64), deep.x));
        assert_eq!(t.select(updated, t.int(-1)), t.select(array, t.int(-1)));
        assert_eq!(t.select(updated, t.int(0)), deep.x);
        assert_eq!(t.unprime(t.prime(updated)), updated);
    });
}
