//! Formulas over arrays: models are evaluated, refutations replayed by the kernel, answers compared
//! with z3 where it is installed.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::Budget;
use sectile_solver::{Answer, Backend, Solver};
use sectile_solver_native::{NativeSolver, ReplayedSolver};
use sectile_solver_process::{ProcessBackend, dialect};
use sectile_terms::{NativePrinter, Sort, SymbolKind, Term, Terms, Value};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Variables of the sorts that formulas are made of.
struct Garden<'t> {
    terms: &'t Terms,
    random: Random,
    numbers: Vec<Term>,
    truths: Vec<Term>,
    colours: Vec<Term>,
    /// Arrays by sort.
    arrays: Vec<(Sort, Vec<Term>)>,
}

impl<'t> Garden<'t> {
    fn new(terms: &'t Terms, seed: u64) -> Garden<'t> {
        let colour = terms.declare_enum("colour", &["red", "green"].map(str::to_string));
        let colour = Sort::Enum(colour);
        let declare = |names: &[&str], sort: Sort| -> Vec<Term> {
            let one = |n: &&str| terms.var(terms.declare(n, sort, SymbolKind::State).unwrap());
            names.iter().map(one).collect()
        };
        let numbers = terms.array_sort(Sort::Int, Sort::Int);
        let sorts = [
            (numbers, ["a", "b", "c"]),
            (terms.array_sort(Sort::Int, numbers), ["m", "n", "o"]),
            (terms.array_sort(Sort::Int, Sort::Bool), ["p", "q", "r"]),
            (terms.array_sort(Sort::Bool, Sort::Int), ["d", "e", "f"]),
            (terms.array_sort(colour, colour), ["u", "v", "w"]),
        ];
        Garden {
            terms,
            random: Random(seed),
            numbers: declare(&["x", "y", "z"], Sort::Int),
            truths: declare(&["s", "t"], Sort::Bool),
            colours: declare(&["g", "h"], colour),
            arrays: sorts.map(|(s, names)| (s, declare(&names, s))).to_vec(),
        }
    }

    fn pick(&mut self, list: &[Term]) -> Term {
        list[self.random.below(list.len())]
    }

    fn of(&mut self, sort: Sort, depth: usize) -> Term {
        let depth = depth.saturating_sub(1);
        let terms = self.terms;
        if depth > 0 && self.random.below(6) == 0 {
            let condition = self.formula(depth);
            return terms.ite(condition, self.of(sort, depth), self.of(sort, depth));
        }
        // Elements of arrays with this sort.
        if depth > 0 && self.random.below(2) == 0 {
            let fits: Vec<Sort> = self.arrays.iter().map(|a| a.0).collect();
            let parts = |s: &Sort| match s {
                Sort::Array(id) => terms.array_parts(*id),
                _ => unreachable!(),
            };
            let fits: Vec<Sort> = fits.into_iter().filter(|s| parts(s).1 == sort).collect();
            if !fits.is_empty() {
                let array_sort = fits[self.random.below(fits.len())];
                let array = self.of(array_sort, depth);
                let index = self.of(parts(&array_sort).0, depth);
                return terms.select(array, index);
            }
        }
        match sort {
            Sort::Int => {
                let list = self.numbers.clone();
                let base = self.pick(&list);
                let constant = terms.int(self.random.below(3) as i64 - 1);
                match self.random.below(4) {
                    0 => constant,
                    1 => terms.add(base, constant),
                    _ => base,
                }
            }
            Sort::Bool => {
                let list = self.truths.clone();
                self.pick(&list)
            }
            Sort::Enum(id) => {
                let list = self.colours.clone();
                match self.random.below(3) {
                    0 => terms.variant(id, self.random.below(2) as u32),
                    _ => self.pick(&list),
                }
            }
            Sort::Array(id) => {
                let (index, element) = terms.array_parts(id);
                if depth > 0 && self.random.below(2) == 0 {
                    let array = self.of(sort, depth);
                    let (i, v) = (self.of(index, depth), self.of(element, depth));
                    return terms.store(array, i, v);
                }
                if self.random.below(12) == 0 {
                    return terms.filled(id, self.of(element, depth));
                }
                let known = self.arrays.iter().find(|a| a.0 == sort);
                let list = known.unwrap().1.clone();
                self.pick(&list)
            }
            Sort::Real => unreachable!(),
        }
    }

    fn formula(&mut self, depth: usize) -> Term {
        let terms = self.terms;
        let depth = depth.saturating_sub(1);
        if depth > 0 && self.random.below(3) == 0 {
            let (a, b) = (self.formula(depth), self.formula(depth));
            return match self.random.below(3) {
                0 => terms.and([a, b]),
                1 => terms.or([a, b]),
                _ => terms.iff(a, b),
            };
        }
        let choices = self.arrays.len() + 4;
        let atom = match self.random.below(choices) {
            0 | 1 => {
                let (a, b) = (self.of(Sort::Int, depth), self.of(Sort::Int, depth));
                terms.le(a, b)
            }
            2 => self.of(Sort::Bool, depth),
            3 => {
                let sort = terms.sort(self.colours[0]);
                let (a, b) = (self.of(sort, depth), self.of(sort, depth));
                terms.eq(a, b)
            }
            k => {
                let sort = self.arrays[k - 4].0;
                let (a, b) = (self.of(sort, depth), self.of(sort, depth));
                terms.eq(a, b)
            }
        };
        if self.random.below(2) == 0 {
            terms.not(atom)
        } else {
            atom
        }
    }
}

#[derive(PartialEq, Debug)]
enum Found {
    Sat,
    Unsat,
    Unknown,
}

/// Asks the solver, evaluates its model, and asks again after a scope was closed.
fn ask(terms: &Terms, solver: &mut dyn Solver, formulas: &[Term], evaluated: bool) -> Found {
    for &f in formulas {
        solver.assert(f).unwrap();
    }
    let answer = solver.check(&[], &Budget::unlimited());
    if !evaluated && answer.is_err() {
        // Arrays over enumerations have no form in SMT-LIB.
        return Found::Unknown;
    }
    match answer.unwrap() {
        Answer::Sat(model) => {
            for &f in formulas.iter().filter(|_| evaluated) {
                let value = model.eval(terms, f).unwrap();
                let text = NativePrinter::new(terms).print(f);
                assert_eq!(value, Value::Bool(true), "{text}");
            }
            Found::Sat
        }
        Answer::Unsat(_) => Found::Unsat,
        Answer::Unknown(_) => Found::Unknown,
    }
}

#[test]
fn random_formulas() {
    let z3 = ProcessBackend::new(dialect("z3").unwrap());
    let z3 = z3.find_program().is_ok().then_some(z3);
    if z3.is_none() {
        eprintln!("SKIPPED: z3 is not installed, its answers are not compared");
    }
    let rounds = std::env::var("SECTILE_ARRAY_ROUNDS");
    let rounds: u64 = rounds.map_or(300, |n| n.parse().unwrap());
    let first: u64 = std::env::var("SECTILE_ARRAY_SEED").map_or(0, |n| n.parse().unwrap());
    let mut counts = [0; 3];
    for seed in first..first + rounds {
        let terms = Terms::new();
        let mut garden = Garden::new(&terms, seed);
        let count = 2 + garden.random.below(6);
        let formulas: Vec<Term> = (0..count).map(|_| garden.formula(4)).collect();
        let mut solver = ReplayedSolver::new(&terms);
        solver.push();
        let found = ask(&terms, &mut solver, &formulas, true);
        solver.pop();
        // Nothing is left of what was asserted, and all of it can be asserted again.
        solver.push();
        assert_eq!(
            ask(&terms, &mut solver, &formulas, true),
            found,
            "seed {seed}"
        );
        solver.pop();
        assert_eq!(ask(&terms, &mut solver, &[], true), Found::Sat);
        if let Some(z3) = &z3 {
            let mut other = z3.solver(&terms).unwrap();
            let theirs = ask(&terms, other.as_mut(), &formulas, false);
            let differ = found != theirs && found != Found::Unknown && theirs != Found::Unknown;
            assert!(!differ, "seed {seed}: {found:?}, z3 {theirs:?}");
        }
        counts[found as usize] += 1;
    }
    eprintln!("sat, unsat, unknown: {counts:?}");
    assert!(counts[0] > rounds as i32 / 5 && counts[1] > rounds as i32 / 10);
    assert!(counts[2] < rounds as i32 / 50);
}

/// Sums of stored elements, and indices that are sums.
#[test]
fn arithmetic_on_indices_and_elements() {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    let var = |n: &str, s: Sort| terms.var(terms.declare(n, s, SymbolKind::State).unwrap());
    let (a, b) = (var("a", sort), var("b", sort));
    let (i, x) = (var("i", Sort::Int), var("x", Sort::Int));
    let next = terms.add(i, terms.int(1));
    let changed = terms.store(terms.store(a, i, x), next, terms.add(x, x));
    let sum = terms.add(terms.select(changed, i), terms.select(changed, next));
    let three = terms.add(x, terms.add(x, x));
    let mut solver = ReplayedSolver::new(&terms);
    solver.assert(terms.eq(b, changed)).unwrap();
    solver.push();
    let sum_of_b = terms.add(terms.select(b, i), terms.select(b, next));
    solver.assert(terms.neq(sum_of_b, three)).unwrap();
    assert!(solver.check(&[], &Budget::unlimited()).unwrap().is_unsat());
    solver.pop();
    assert_eq!(sum, three);
    assert!(solver.check(&[], &Budget::unlimited()).unwrap().is_sat());
}

/// Steps of programs have many ways with arrays of their own; those of the ways that are not taken
/// need not differ from anything.
#[test]
fn ways_that_are_not_taken_ask_for_nothing() {
    let terms = Terms::new();
    let row = terms.array_sort(Sort::Int, Sort::Int);
    let table = terms.array_sort(Sort::Int, row);
    let fresh = |sort: Sort| terms.var(terms.fresh("x", sort, SymbolKind::State));
    let mut solver = NativeSolver::new(&terms);
    let mut asserted = Vec::new();
    let mut now = fresh(table);
    for _ in 0..4 {
        let next = fresh(table);
        let ways = (0..20).map(|way| {
            let (here, line) = (fresh(table), fresh(row));
            let (i, j) = (fresh(Sort::Int), fresh(Sort::Int));
            terms.and([
                terms.eq(here, now),
                terms.eq(line, terms.store(terms.select(here, i), j, terms.int(way))),
                terms.eq(next, terms.store(here, i, line)),
            ])
        });
        asserted.push(terms.or(ways.collect::<Vec<_>>()));
        now = next;
    }
    for &f in &asserted {
        solver.assert(f).unwrap();
    }
    let before = solver.statistics().variables;
    match solver.check(&[], &Budget::unlimited()).unwrap() {
        Answer::Sat(model) => {
            for &f in &asserted {
                assert_eq!(model.eval(&terms, f), Ok(Value::Bool(true)));
            }
        }
        _ => panic!("it has a model"),
    }
    let made = solver.statistics().variables - before;
    assert!(made < before, "{made} variables more than {before}");
}
