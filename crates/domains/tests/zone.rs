//! Zones against the sets of points they stand for.

use sectile_base::{Int, Rat, Rng};
use sectile_domains::domain::{Domain, covers, uncovered};
use sectile_domains::linear::Numbers;
use sectile_domains::zone::{Bound, Difference, Source, Zone};

const DIMENSIONS: usize = 3;
const REACH: i64 = 3;

fn random_difference(rng: &mut Rng, variables: usize) -> Difference {
    let left = rng.below(variables as u64 + 1) as usize;
    let mut right = rng.below(variables as u64 + 1) as usize;
    while right == left {
        right = rng.below(variables as u64 + 1) as usize;
    }
    let value = Int::from(rng.range(-2..=3));
    let bound = if rng.chance(1, 3) {
        Bound::Below(value)
    } else {
        Bound::AtMost(value)
    };
    Difference { left, right, bound }
}

/// A box around zero, so that all points can be listed.
fn bounded(numbers: Numbers) -> Zone {
    let limits: Vec<Difference> = (1..=DIMENSIONS)
        .flat_map(|v| {
            let bound = Bound::AtMost(Int::from(REACH));
            let (left, right) = (v, 0);
            [
                Difference {
                    left,
                    right,
                    bound: bound.clone(),
                },
                Difference {
                    left: right,
                    right: left,
                    bound,
                },
            ]
        })
        .collect();
    Zone::all(numbers, DIMENSIONS)
        .assume_all(&limits)
        .expect("the box has points")
}

/// Points of the box; halves as well where the numbers are reals.
fn points(numbers: Numbers) -> Vec<Vec<Rat>> {
    let values: Vec<Rat> = match numbers {
        Numbers::Integers => (-REACH..=REACH).map(Rat::from).collect(),
        Numbers::Reals => (-2 * REACH..=2 * REACH)
            .map(|k| Rat::from_ratio(k, 2))
            .collect(),
    };
    let mut list: Vec<Vec<Rat>> = vec![Vec::new()];
    for _ in 0..DIMENSIONS {
        list = list
            .iter()
            .flat_map(|p| {
                values
                    .iter()
                    .map(|v| [p.as_slice(), std::slice::from_ref(v)].concat())
            })
            .collect();
    }
    list
}

fn satisfies(point: &[Rat], d: &Difference) -> bool {
    let value = |i: usize| {
        if i == 0 {
            Rat::ZERO
        } else {
            point[i - 1].clone()
        }
    };
    let difference = &value(d.left) - &value(d.right);
    match &d.bound {
        Bound::AtMost(b) => difference <= Rat::from(b),
        Bound::Below(b) => difference < Rat::from(b),
        Bound::Infinite => true,
    }
}

fn random_zone(rng: &mut Rng, numbers: Numbers) -> (Option<Zone>, Vec<Difference>) {
    let count = rng.below(5);
    let list: Vec<Difference> = (0..count)
        .map(|_| random_difference(rng, DIMENSIONS))
        .collect();
    (bounded(numbers).assume_all(&list), list)
}

#[test]
fn constraints_mean_what_they_say() {
    let mut rng = Rng::new(1);
    for numbers in [Numbers::Integers, Numbers::Reals] {
        let all = points(numbers);
        for _ in 0..300 {
            let (zone, list) = random_zone(&mut rng, numbers);
            let inside = |p: &Vec<Rat>| list.iter().all(|d| satisfies(p, d));
            match &zone {
                None if numbers == Numbers::Integers => assert!(!all.iter().any(inside)),
                // Thin sets of reals may have no point with halves only.
                None => {}
                Some(zone) => {
                    for p in &all {
                        assert_eq!(zone.contains(p), inside(p), "{list:?} at {p:?}");
                    }
                    let point = zone.point().expect("zones have points");
                    assert!(zone.contains(&point), "{list:?}: {point:?}");
                    let integral = point.iter().all(Rat::is_int);
                    assert!(numbers == Numbers::Reals || integral);
                }
            }
        }
    }
}

#[test]
fn integer_zones_are_tight() {
    // In a closed form every bound is reached by a point.
    let mut rng = Rng::new(2);
    let all = points(Numbers::Integers);
    for _ in 0..200 {
        let (Some(zone), _) = random_zone(&mut rng, Numbers::Integers) else {
            continue;
        };
        let inside: Vec<&Vec<Rat>> = all.iter().filter(|p| zone.contains(p)).collect();
        for left in 0..=DIMENSIONS {
            for right in 0..=DIMENSIONS {
                let value = |p: &[Rat], i: usize| if i == 0 { Rat::ZERO } else { p[i - 1].clone() };
                let largest = inside
                    .iter()
                    .map(|p| &value(p, left) - &value(p, right))
                    .max();
                let bound = zone.bound(left, right).value().map(Rat::from);
                assert_eq!(bound, largest, "x{left} - x{right}");
            }
        }
    }
}

#[test]
fn descriptions_are_complete() {
    let mut rng = Rng::new(3);
    for numbers in [Numbers::Integers, Numbers::Reals] {
        for _ in 0..300 {
            let (Some(zone), _) = random_zone(&mut rng, numbers) else {
                continue;
            };
            let short = zone.differences();
            let again = Zone::all(numbers, DIMENSIONS).assume_all(&short);
            assert_eq!(again.as_ref(), Some(&zone));
            for skipped in 0..short.len() {
                let mut others = short.clone();
                others.remove(skipped);
                let weaker = Zone::all(numbers, DIMENSIONS).assume_all(&others);
                assert_ne!(
                    weaker.as_ref(),
                    Some(&zone),
                    "{:?} is superfluous",
                    short[skipped]
                );
            }
        }
    }
}

#[test]
fn sets_agree_with_points() {
    let mut rng = Rng::new(4);
    for numbers in [Numbers::Integers, Numbers::Reals] {
        let all = points(numbers);
        for _ in 0..150 {
            let zones: Vec<Zone> = (0..3)
                .filter_map(|_| random_zone(&mut rng, numbers).0)
                .collect();
            let [a, b, c] = zones.as_slice() else {
                continue;
            };
            let meet = a.meet(b);
            assert_eq!(meet.is_some(), a.meets(b));
            let difference = a.minus(b);
            let rest = uncovered(a, [b, c]);
            let hull = a.hull(b);
            let wide = a.widened(&hull);
            for p in &all {
                let (in_a, in_b, in_c) = (a.contains(p), b.contains(p), c.contains(p));
                assert_eq!(meet.as_ref().is_some_and(|m| m.contains(p)), in_a && in_b);
                let pieces = difference.iter().filter(|z| z.contains(p)).count();
                assert_eq!(pieces, usize::from(in_a && !in_b), "disjoint pieces");
                let left = rest.iter().any(|z| z.contains(p));
                assert_eq!(left, in_a && !in_b && !in_c);
                if in_a || in_b {
                    assert!(hull.contains(p) && wide.contains(p));
                }
            }
            assert_eq!(covers([b, c], a), rest.is_empty());
            let included = all.iter().all(|p| !a.contains(p) || b.contains(p));
            if numbers == Numbers::Integers {
                assert_eq!(b.includes(a), included);
            } else if b.includes(a) {
                assert!(included);
            }
        }
    }
}

/// Random assignments: each variable gets another one plus a number, or a number.
fn random_sources(rng: &mut Rng, variables: usize) -> Vec<Source> {
    let one = |rng: &mut Rng| Source {
        variable: rng.below(variables as u64 + 1) as usize,
        offset: Int::from(rng.range(-1..=1)),
    };
    (0..DIMENSIONS).map(|_| one(rng)).collect()
}

fn apply(point: &[Rat], sources: &[Source]) -> Vec<Rat> {
    let value = |i: usize| {
        if i == 0 {
            Rat::ZERO
        } else {
            point[i - 1].clone()
        }
    };
    let of = |s: &Source| &value(s.variable) + &Rat::from(&s.offset);
    sources.iter().map(of).collect()
}

#[test]
fn images_and_preimages_agree_with_points() {
    let mut rng = Rng::new(5);
    let all = points(Numbers::Integers);
    for _ in 0..300 {
        let (Some(zone), _) = random_zone(&mut rng, Numbers::Integers) else {
            continue;
        };
        let (Some(target), _) = random_zone(&mut rng, Numbers::Integers) else {
            continue;
        };
        let sources = random_sources(&mut rng, DIMENSIONS);
        let image = zone.image(&sources);
        let before = target.preimage(&zone, &sources);
        let mut images = Vec::new();
        for p in all.iter().filter(|p| zone.contains(p)) {
            let q = apply(p, &sources);
            assert!(image.contains(&q));
            let hits = before.as_ref().is_some_and(|z| z.contains(p));
            assert_eq!(hits, target.contains(&q), "{p:?} to {q:?}");
            images.push(q);
        }
        // Nothing else is in the image: all of its points are within reach.
        let steps: Vec<Rat> = (-REACH - 1..=REACH + 1).map(Rat::from).collect();
        for x in &steps {
            for y in &steps {
                for z in &steps {
                    let q = vec![x.clone(), y.clone(), z.clone()];
                    assert_eq!(image.contains(&q), images.contains(&q), "{q:?}");
                }
            }
        }
    }
}

#[test]
fn projections_agree_with_points() {
    let mut rng = Rng::new(6);
    let all = points(Numbers::Integers);
    for _ in 0..200 {
        let (Some(zone), _) = random_zone(&mut rng, Numbers::Integers) else {
            continue;
        };
        let inside: Vec<&Vec<Rat>> = all.iter().filter(|p| zone.contains(p)).collect();
        let small = zone.projected(2);
        let free = zone.clone().havoc(2);
        let wide = small.extended(1);
        for p in &all {
            let possible = inside.iter().any(|q| q[..2] == p[..2]);
            assert_eq!(small.contains(&p[..2]), possible);
            assert_eq!(free.contains(p), possible);
            assert_eq!(wide.contains(p), possible);
        }
    }
}

#[test]
fn widening_ends() {
    let mut rng = Rng::new(7);
    for _ in 0..100 {
        let (Some(mut zone), _) = random_zone(&mut rng, Numbers::Integers) else {
            continue;
        };
        let mut changes = 0;
        for _ in 0..200 {
            let sources = random_sources(&mut rng, DIMENSIONS);
            let next = zone.widened(&zone.hull(&zone.image(&sources)));
            assert!(next.includes(&zone));
            if next != zone {
                changes += 1;
            }
            zone = next;
        }
        assert!(changes <= 16, "every bound is dropped once: {changes}");
    }
}

#[test]
fn numbers_beyond_words_are_exact() {
    let huge = Int::from(i64::MAX);
    let at_least = |v: usize, n: &Int| Difference {
        left: 0,
        right: v,
        bound: Bound::AtMost(-n),
    };
    let zone = Zone::all(Numbers::Integers, 2)
        .assume(&at_least(1, &huge))
        .expect("there are such numbers");
    let shift = Source {
        variable: 1,
        offset: huge.clone(),
    };
    let image = zone.image(&[shift.clone(), shift]);
    let twice = &huge + &huge;
    assert!(image.implies(&at_least(1, &twice)));
    assert!(!image.implies(&at_least(1, &(&twice + &Int::ONE))));
}
