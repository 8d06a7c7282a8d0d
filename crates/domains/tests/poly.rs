//! Polyhedra against their definitions: points, samples, zones, chains.
#![allow(clippy::unwrap_used)]

use sectile_base::{Int, Rat, Rng};
use sectile_domains::domain::Domain;
use sectile_domains::linear::{Affine, Constraint, Numbers, Relation};
use sectile_domains::poly::Poly;
use sectile_domains::zone::{self, Bound, Difference, Zone};

const NUMBERS: [Numbers; 2] = [Numbers::Integers, Numbers::Reals];

fn constraint(rng: &mut Rng, variables: usize, size: i64) -> Constraint {
    let coefficients = (0..variables)
        .map(|_| Int::from(rng.range(-size..=size)))
        .collect();
    let relation = match rng.below(6) {
        0 => Relation::Equal,
        1 => Relation::Below,
        _ => Relation::AtMost,
    };
    Constraint {
        coefficients,
        relation,
        bound: Int::from(rng.range(-4..=6)),
    }
}

fn constraints(rng: &mut Rng, variables: usize) -> Vec<Constraint> {
    let count = 1 + rng.below(5);
    (0..count).map(|_| constraint(rng, variables, 3)).collect()
}

/// All points with integers, or halves, of small size.
fn samples(numbers: Numbers, variables: usize) -> Vec<Vec<Rat>> {
    let values: Vec<Rat> = match numbers {
        Numbers::Integers => (-4..=4).map(Rat::from).collect(),
        Numbers::Reals => (-6..=6).map(|k| Rat::from_ratio(k, 2)).collect(),
    };
    let mut points: Vec<Vec<Rat>> = vec![Vec::new()];
    for _ in 0..variables {
        let each = |p: Vec<Rat>| {
            let longer = |v: &Rat| [p.as_slice(), std::slice::from_ref(v)].concat();
            values.iter().map(longer).collect::<Vec<_>>()
        };
        points = points.iter().cloned().flat_map(each).collect();
    }
    points
}

fn holds(list: &[Constraint], point: &[Rat]) -> bool {
    list.iter().all(|c| c.holds_at(point))
}

/// The polyhedron of one point.
fn single(point: &[Rat]) -> Vec<Constraint> {
    let fix = |(i, value): (usize, &Rat)| {
        let mut coefficients = vec![Rat::ZERO; point.len()];
        coefficients[i] = Rat::ONE;
        Constraint::from_rationals(&coefficients, Relation::Equal, value)
    };
    point.iter().enumerate().map(fix).collect()
}

#[test]
fn shortest_descriptions_have_the_same_points() {
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let variables = 1 + rng.below(3) as usize;
        let list = constraints(&mut rng, variables);
        let poly = Poly::new(numbers, variables, list.clone());
        for point in samples(numbers, variables) {
            let inside = holds(&list, &point);
            let found = poly.as_ref().is_some_and(|p| p.contains(&point));
            assert_eq!(inside, found, "seed {seed}: {point:?} {list:?} {poly:?}");
        }
        if let Some(poly) = poly {
            // None of the constraints follows from the others.
            for i in 0..poly.constraints().len() {
                let mut fewer = poly.constraints().to_vec();
                let one = fewer.remove(i);
                let real = Poly::new(Numbers::Reals, variables, fewer).unwrap();
                assert!(!real.implies(&one), "seed {seed}: {one:?} in {poly:?}");
            }
            if let Some(point) = poly.point() {
                assert!(holds(&list, &point), "seed {seed}: {point:?} {list:?}");
            } else {
                assert_eq!(numbers, Numbers::Integers, "seed {seed}");
                let none = samples(numbers, variables).iter().all(|p| !holds(&list, p));
                assert!(none, "seed {seed}: no point found in {list:?}");
            }
        }
    }
}

#[test]
fn bounds_of_integers_are_values_that_sums_can_have() {
    let row = |coefficients: [i64; 2], relation, bound: i64| Constraint {
        coefficients: coefficients.map(Int::from).to_vec(),
        relation,
        bound: Int::from(bound),
    };
    // From `2a = 3b + 1` and `4 <= b <= 6`: `b` is odd, so it is 5.
    let list = vec![
        row([2, -3], Relation::Equal, 1),
        row([0, -1], Relation::AtMost, -4),
        row([0, 1], Relation::AtMost, 6),
    ];
    let whole = Poly::new(Numbers::Integers, 2, list.clone()).unwrap();
    assert!(whole.implies(&row([0, -1], Relation::AtMost, -5)));
    assert!(whole.implies(&row([1, 0], Relation::Equal, 8)));
    let dense = Poly::new(Numbers::Reals, 2, list).unwrap();
    assert!(!dense.implies(&row([0, -1], Relation::AtMost, -5)));
}

#[test]
fn sets_behave_as_sets() {
    for seed in 0..800 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let variables = 1 + rng.below(3) as usize;
        let one = Poly::new(numbers, variables, constraints(&mut rng, variables));
        let two = Poly::new(numbers, variables, constraints(&mut rng, variables));
        let (Some(one), Some(two)) = (one, two) else {
            continue;
        };
        let meet = one.meet(&two);
        let pieces = one.minus(&two);
        let hull = one.hull(&two);
        let wide = one.widened(&hull);
        assert!(meet.is_none() || one.meets(&two), "seed {seed}");
        if numbers == Numbers::Reals {
            assert_eq!(meet.is_some(), one.meets(&two), "seed {seed}");
        }
        assert!(hull.includes(&one) && hull.includes(&two), "seed {seed}");
        assert!(
            wide.includes(&hull),
            "seed {seed}: {one:?} {hull:?} {wide:?}"
        );
        for point in samples(numbers, variables) {
            let (a, b) = (one.contains(&point), two.contains(&point));
            let both = meet.as_ref().is_some_and(|p| p.contains(&point));
            assert_eq!(both, a && b, "seed {seed}");
            let outside = pieces.iter().filter(|p| p.contains(&point)).count();
            assert_eq!(outside, usize::from(a && !b), "seed {seed}: {point:?}");
            if a || b {
                assert!(hull.contains(&point), "seed {seed}");
            }
            if one.includes(&two) {
                assert!(a || !b, "seed {seed}: {point:?}");
            }
        }
    }
}

/// A closed half-space contains the hull exactly if it contains both.
#[test]
fn hulls_are_smallest() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let variables = 1 + rng.below(3) as usize;
        let closed = |rng: &mut Rng| {
            let mut list = constraints(rng, variables);
            for c in &mut list {
                if c.relation == Relation::Below {
                    c.relation = Relation::AtMost;
                }
            }
            Poly::new(Numbers::Reals, variables, list)
        };
        let (Some(one), Some(two)) = (closed(&mut rng), closed(&mut rng)) else {
            continue;
        };
        let hull = one.hull(&two);
        for _ in 0..20 {
            let mut c = constraint(&mut rng, variables, 3);
            c.relation = Relation::AtMost;
            let both = one.implies(&c) && two.implies(&c);
            assert_eq!(
                both,
                hull.implies(&c),
                "seed {seed}: {c:?} {one:?} {two:?} {hull:?}"
            );
        }
        // The hull itself is made of half-spaces that both satisfy.
        for c in hull.constraints() {
            assert!(one.implies(c) && two.implies(c), "seed {seed}: {c:?}");
        }
    }
}

#[test]
fn projections_have_the_points_that_can_be_continued() {
    for seed in 0..700 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let (few, more) = (1 + rng.below(2) as usize, 1 + rng.below(2) as usize);
        let list = constraints(&mut rng, few + more);
        let Some(poly) = Poly::new(numbers, few + more, list.clone()) else {
            continue;
        };
        let outside = poly.projected(few);
        let inside = poly.surely_projected(few);
        for point in samples(numbers, few) {
            let mut fibre = single(&point);
            fibre.iter_mut().for_each(|c| *c = c.extended(more));
            fibre.extend(list.iter().cloned());
            let fibre = Poly::new(numbers, few + more, fibre);
            let continued = match numbers {
                Numbers::Reals => fibre.is_some(),
                Numbers::Integers => fibre.as_ref().is_some_and(|f| f.point().is_some()),
            };
            if continued {
                assert!(outside.contains(&point), "seed {seed}: {point:?} {list:?}");
            }
            if inside.as_ref().is_some_and(|p| p.contains(&point)) {
                assert!(continued, "seed {seed}: {point:?} {list:?} {inside:?}");
            }
            if numbers == Numbers::Reals {
                assert_eq!(continued, outside.contains(&point), "seed {seed}");
            }
        }
    }
}

#[test]
fn images_and_preimages_are_those_of_points() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let variables = 1 + rng.below(3) as usize;
        let list = constraints(&mut rng, variables);
        let Some(poly) = Poly::new(numbers, variables, list) else {
            continue;
        };
        let value = |rng: &mut Rng| Affine {
            terms: (0..variables)
                .map(|v| (v, Rat::from(rng.range(-1..=2))))
                .filter(|(_, c)| !c.is_zero())
                .collect(),
            constant: Rat::from(rng.range(-2..=2)),
        };
        let sources: Vec<Affine> = (0..variables).map(|_| value(&mut rng)).collect();
        let after = |point: &[Rat]| -> Vec<Rat> {
            let at = |s: &Affine| {
                let sum = s.terms.iter().map(|(v, c)| c * &point[*v]);
                sum.fold(s.constant.clone(), |a, b| &a + &b)
            };
            sources.iter().map(at).collect()
        };
        let image = poly.image(&sources);
        let whole = Poly::all(numbers, variables);
        let before = poly.preimage(&whole, &sources);
        for point in samples(numbers, variables) {
            let next = after(&point);
            if poly.contains(&point) {
                assert!(image.contains(&next), "seed {seed}: {point:?}");
            }
            let leads = before.as_ref().is_some_and(|p| p.contains(&point));
            assert_eq!(leads, poly.contains(&next), "seed {seed}: {point:?}");
        }
    }
}

fn difference(rng: &mut Rng, variables: usize) -> Difference {
    let left = rng.below(variables as u64 + 1) as usize;
    let right = (left + 1 + rng.below(variables as u64) as usize) % (variables + 1);
    let bound = Int::from(rng.range(-3..=4));
    let bound = match rng.below(3) {
        0 => Bound::Below(bound),
        _ => Bound::AtMost(bound),
    };
    Difference { left, right, bound }
}

fn linear(d: &Difference, variables: usize) -> Constraint {
    let mut coefficients = vec![Int::ZERO; variables];
    if d.left > 0 {
        coefficients[d.left - 1] = Int::ONE;
    }
    if d.right > 0 {
        coefficients[d.right - 1] = Int::MINUS_ONE;
    }
    let (relation, bound) = match &d.bound {
        Bound::AtMost(b) => (Relation::AtMost, b.clone()),
        Bound::Below(b) => (Relation::Below, b.clone()),
        Bound::Infinite => (Relation::AtMost, Int::ZERO),
    };
    Constraint {
        coefficients,
        relation,
        bound,
    }
}

/// On differences polyhedra are zones: same emptiness, inclusion, projection, images.
#[test]
fn polyhedra_of_differences_are_zones() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let variables = 2 + rng.below(3) as usize;
        let pair = |rng: &mut Rng| {
            let list: Vec<Difference> = (0..1 + rng.below(6))
                .map(|_| difference(rng, variables))
                .collect();
            let zone = Zone::all(numbers, variables).assume_all(&list);
            let poly = list.iter().map(|d| linear(d, variables)).collect();
            let poly = Poly::new(numbers, variables, poly);
            assert_eq!(zone.is_some(), poly.is_some(), "seed {seed}: {list:?}");
            zone.zip(poly)
        };
        let same = |zone: &Zone, poly: &Poly, what: &str| {
            let list = zone.differences();
            let list = list.iter().map(|d| linear(d, zone.variables())).collect();
            let expected = Poly::new(numbers, zone.variables(), list).unwrap();
            assert_eq!(&expected, poly, "seed {seed}: {what}");
        };
        let (Some((zone, poly)), Some((other, poly_other))) = (pair(&mut rng), pair(&mut rng))
        else {
            continue;
        };
        same(&zone, &poly, "itself");
        assert_eq!(
            zone.includes(&other),
            poly.includes(&poly_other),
            "seed {seed}"
        );
        assert_eq!(zone.meets(&other), poly.meets(&poly_other), "seed {seed}");
        let few = variables - 1;
        same(&zone.projected(few), &poly.projected(few), "projection");
        assert_eq!(
            poly.surely_projected(few),
            Some(poly.projected(few)),
            "seed {seed}"
        );
        let last = variables - 1;
        same(
            &zone.clone().havoc(last),
            &poly.clone().havoc(last),
            "havoc",
        );
        let moved = [0, last];
        // Two bounds of what moves together may say something about a sum, which zones forget.
        let loose = zone.adrift(&moved).constraints();
        let loose = Poly::new(numbers, variables, loose).unwrap();
        assert!(loose.includes(&poly.adrift(&moved)), "seed {seed}");
        let sources: Vec<zone::Source> = (0..variables)
            .map(|_| zone::Source {
                variable: rng.below(variables as u64 + 1) as usize,
                offset: Int::from(rng.range(-2..=2)),
            })
            .collect();
        let affine = |s: &zone::Source| Affine {
            terms: match s.variable {
                0 => Vec::new(),
                v => vec![(v - 1, Rat::ONE)],
            },
            constant: Rat::from(&s.offset),
        };
        let values: Vec<Affine> = sources.iter().map(affine).collect();
        same(&zone.image(&sources), &poly.image(&values), "image");
        match (
            other.preimage(&zone, &sources),
            poly_other.preimage(&poly, &values),
        ) {
            (Some(z), Some(p)) => same(&z, &p, "preimage"),
            (z, p) => assert_eq!(z.is_some(), p.is_some(), "seed {seed}"),
        }
    }
}

/// Growing polyhedra, widened, stop growing.
#[test]
fn widening_ends() {
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let numbers = NUMBERS[rng.below(2) as usize];
        let variables = 2 + rng.below(2) as usize;
        let mut current = loop {
            let list = constraints(&mut rng, variables);
            if let Some(poly) = Poly::new(numbers, variables, list) {
                break poly;
            }
        };
        let mut changes = 0;
        for _ in 0..40 {
            let Some(more) = Poly::new(numbers, variables, constraints(&mut rng, variables)) else {
                continue;
            };
            if current.includes(&more) {
                continue;
            }
            current = current.widened(&current.hull(&more));
            changes += 1;
        }
        assert!(changes <= 12, "seed {seed}: {changes} changes");
    }
}

#[test]
fn widening_keeps_what_does_not_change() {
    let at_most = |c: [i64; 2], bound: i64| Constraint {
        coefficients: c.iter().map(|&a| Int::from(a)).collect(),
        relation: Relation::AtMost,
        bound: Int::from(bound),
    };
    // 0 <= y <= x <= 1, then 0 <= y <= x <= 2.
    let small = vec![at_most([0, -1], 0), at_most([-1, 1], 0), at_most([1, 0], 1)];
    let large = vec![at_most([0, -1], 0), at_most([-1, 1], 0), at_most([1, 0], 2)];
    for numbers in NUMBERS {
        let small = Poly::new(numbers, 2, small.clone()).unwrap();
        let large = Poly::new(numbers, 2, large.clone()).unwrap();
        let wide = small.widened(&large);
        let expected = Poly::new(numbers, 2, vec![at_most([0, -1], 0), at_most([-1, 1], 0)]);
        assert_eq!(Some(wide), expected);
    }
    // The point (0, 0), then the segment to (1, 1): the line through both is kept.
    let origin = [[1, 0], [0, 1], [-1, 0], [0, -1]].map(|c| at_most(c, 0));
    let origin = Poly::new(Numbers::Integers, 2, origin.to_vec()).unwrap();
    let next = [
        at_most([1, 0], 1),
        at_most([-1, 0], -1),
        at_most([0, 1], 1),
        at_most([0, -1], -1),
    ];
    let next = Poly::new(Numbers::Integers, 2, next.to_vec()).unwrap();
    let wide = origin.widened(&origin.hull(&next));
    let diagonal = [
        at_most([1, -1], 0),
        at_most([-1, 1], 0),
        at_most([-1, 0], 0),
    ];
    assert_eq!(
        Some(wide),
        Poly::new(Numbers::Integers, 2, diagonal.to_vec())
    );
}
