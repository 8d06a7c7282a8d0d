//! Projections of polyhedra against the eliminator of the solver, which knows nothing of them.
#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Int, Rat, Rng};
use sectile_domains::domain::Domain;
use sectile_domains::linear::{Constraint, Numbers, Relation};
use sectile_domains::poly::Poly;
use sectile_solver::{Answer, Backend as _, Eliminator as _};
use sectile_solver_native::NativeBackend;
use sectile_solver_native::project::NativeEliminator;
use sectile_terms::{Linear, Sort, Stage, Symbol, SymbolKind, Term, Terms};

fn comparison(terms: &Terms, symbols: &[Symbol], c: &Constraint, sort: Sort) -> Term {
    let mut sum = Linear::constant_only(Rat::ZERO);
    for (symbol, k) in symbols.iter().zip(&c.coefficients) {
        sum.add_term(terms.var(*symbol), &Rat::from(k));
    }
    let left = terms.sum(sum, sort);
    let right = terms.sum(Linear::constant_only(Rat::from(&c.bound)), sort);
    match c.relation {
        Relation::Equal => terms.eq(left, right),
        Relation::AtMost => terms.le(left, right),
        Relation::Below => terms.lt(left, right),
    }
}

fn implies(terms: &Terms, a: Term, b: Term) -> bool {
    let mut solver = NativeBackend.certifying_solver(terms).unwrap();
    solver.assert(terms.and2(a, terms.not(b))).unwrap();
    let answer = solver.check(&[], &Budget::unlimited()).unwrap();
    matches!(answer, Answer::Unsat(_))
}

#[test]
fn projections_are_those_of_the_solver() {
    let (mut reals, mut integers) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let (numbers, sort) = match rng.chance(1, 2) {
            true => (Numbers::Integers, Sort::Int),
            false => (Numbers::Reals, Sort::Real),
        };
        let (few, more) = (1 + rng.below(2) as usize, 1 + rng.below(2) as usize);
        let terms = Terms::new();
        let symbols: Vec<Symbol> = (0..few + more)
            .map(|k| {
                let name = format!("x{k}");
                terms.declare(&name, sort, SymbolKind::State).unwrap()
            })
            .collect();
        let constraint = |rng: &mut Rng| Constraint {
            coefficients: (0..few + more)
                .map(|_| Int::from(rng.range(-2..=2)))
                .collect(),
            relation: *rng
                .pick(&[Relation::Equal, Relation::Below, Relation::AtMost])
                .unwrap(),
            bound: Int::from(rng.range(-4..=6)),
        };
        let count = 2 + rng.below(4);
        let list: Vec<Constraint> = (0..count).map(|_| constraint(&mut rng)).collect();
        let formula = terms.and(list.iter().map(|c| comparison(&terms, &symbols, c, sort)));
        let hidden: Vec<(Symbol, Stage)> =
            symbols[few..].iter().map(|s| (*s, Stage::Now)).collect();
        let mut eliminator = NativeEliminator::new(&terms);
        let projection = eliminator.project(formula, &hidden, &Budget::unlimited());
        let projection = projection.unwrap().unwrap();
        let poly = Poly::new(numbers, few + more, list);
        let text = |p: Option<Poly>| {
            p.map_or(terms.ff(), |p| {
                let parts = p.constraints().iter();
                terms.and(parts.map(|c| comparison(&terms, &symbols[..few], c, sort)))
            })
        };
        let outside = text(poly.as_ref().map(|p| p.projected(few)));
        let inside = text(poly.as_ref().and_then(|p| p.surely_projected(few)));
        assert!(implies(&terms, inside, outside), "seed {seed}");
        if !projection.exact {
            continue;
        }
        let found = projection.formula;
        assert!(implies(&terms, found, outside), "seed {seed}");
        assert!(implies(&terms, inside, found), "seed {seed}");
        match numbers {
            Numbers::Integers => integers += 1,
            Numbers::Reals => {
                assert!(implies(&terms, outside, found), "seed {seed}");
                reals += 1;
            }
        }
    }
    assert!(reals > 100 && integers > 80, "{reals} {integers}");
}
