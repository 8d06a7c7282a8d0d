//! Decision diagrams against truth tables.

use sectile_base::{Budget, Rng};
use sectile_domains::bdd::{Bdd, Direction, Manager, Relation, Space};

/// A set over `n` bits, as a table and as a diagram.
struct Both {
    table: Vec<bool>,
    diagram: Bdd,
}

const BITS: u32 = 5;

fn bit(row: usize, level: u32) -> bool {
    row >> level & 1 == 1
}

fn agrees(m: &Manager, both: &Both) {
    for (row, &expected) in both.table.iter().enumerate() {
        assert_eq!(m.contains(both.diagram, |l| bit(row, l)), expected);
    }
}

fn random(m: &mut Manager, rng: &mut Rng, depth: u32) -> Both {
    if depth == 0 || rng.below(5) == 0 {
        let level = rng.below(u64::from(BITS)) as u32;
        let table = (0..1 << BITS).map(|row| bit(row, level)).collect();
        return Both {
            table,
            diagram: m.bit(level),
        };
    }
    let (a, b) = (random(m, rng, depth - 1), random(m, rng, depth - 1));
    let zip = |f: fn(bool, bool) -> bool| {
        let pairs = a.table.iter().zip(&b.table);
        pairs.map(|(&x, &y)| f(x, y)).collect::<Vec<bool>>()
    };
    let (table, diagram) = match rng.below(6) {
        0 => (zip(|x, y| x && y), m.and(a.diagram, b.diagram)),
        1 => (zip(|x, y| x || y), m.or(a.diagram, b.diagram)),
        2 => (zip(|x, y| x == y), m.iff(a.diagram, b.diagram)),
        3 => (zip(|x, y| !x || y), m.implies(a.diagram, b.diagram)),
        4 => (zip(|x, y| x && !y), m.minus(a.diagram, b.diagram)),
        _ => (zip(|x, _| !x), m.not(a.diagram)),
    };
    Both { table, diagram }
}

#[test]
fn operations_agree_with_truth_tables() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut m = Manager::new();
        let (a, b) = (random(&mut m, &mut rng, 5), random(&mut m, &mut rng, 5));
        agrees(&m, &a);
        // Canonical: the same set is the same node.
        assert_eq!(a.table == b.table, a.diagram == b.diagram);
        let count = a.table.iter().filter(|&&x| x).count();
        assert_eq!(m.count(a.diagram, &[0, 1, 2, 3, 4]), count as f64);
        // exists l. a and b
        let level = rng.below(u64::from(BITS)) as u32;
        let product = m.and_exists(a.diagram, b.diagram, &|l| l == level);
        let table = (0..1usize << BITS).map(|row| {
            let (zero, one) = (row & !(1 << level), row | 1 << level);
            [zero, one].iter().any(|&r| a.table[r] && b.table[r])
        });
        agrees(
            &m,
            &Both {
                table: table.collect(),
                diagram: product,
            },
        );
    }
}

/// Inside the care set nothing changes, and what care decides alone is not said again.
#[test]
fn simplified_sets_agree_where_it_matters() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut m = Manager::new();
        let (a, care) = (random(&mut m, &mut rng, 5), random(&mut m, &mut rng, 4));
        let small = m.simplified_within(a.diagram, care.diagram);
        for row in 0..1usize << BITS {
            if care.table[row] {
                assert_eq!(m.contains(small, |l| bit(row, l)), a.table[row]);
            }
        }
        let itself = m.simplified_within(care.diagram, care.diagram);
        assert!(itself.is_constant());
    }
}

#[test]
fn tuples_come_back() {
    let space = Space::new([2, 3, 1, 5]);
    let mut m = Manager::new();
    let valid = space.valid(&mut m, false);
    assert_eq!(space.count(&m, valid), 30.0);
    assert_eq!(space.tuples(&mut m, valid, 100).len(), 30);
    let wanted = [vec![0, 2, 0, 4], vec![1, 0, 0, 3], vec![1, 1, 0, 0]];
    let mut set = Bdd::FALSE;
    for tuple in &wanted {
        let one = space.tuple(&mut m, tuple, false);
        set = m.or(set, one);
        assert!(space.contains(&m, set, tuple));
    }
    assert!(!space.contains(&m, set, &[0, 0, 0, 0]));
    assert_eq!(space.tuples(&mut m, set, 100), wanted);
    assert_eq!(space.tuples(&mut m, set, 2).len(), 2);
    let primed = space.prime(&mut m, set);
    assert_eq!(space.unprime(&mut m, primed), set);
}

#[test]
fn images_are_those_of_the_relation() {
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let space = Space::new([3, 2]);
        let mut m = Manager::new();
        let all: Vec<Vec<usize>> = (0..6).map(|k| vec![k / 2, k % 2]).collect();
        let mut pairs = Vec::new();
        let mut relation = Bdd::FALSE;
        for _ in 0..rng.below(10) {
            let (from, to) = (rng.below(6) as usize, rng.below(6) as usize);
            pairs.push((from, to));
            let a = space.tuple(&mut m, &all[from], false);
            let b = space.tuple(&mut m, &all[to], true);
            let both = m.and(a, b);
            relation = m.or(relation, both);
        }
        let chosen: Vec<usize> = (0..6).filter(|_| rng.below(2) == 0).collect();
        let set: Vec<Bdd> = chosen
            .iter()
            .map(|&k| space.tuple(&mut m, &all[k], false))
            .collect();
        let set = m.or_all(set);
        let image = space.image(&mut m, set, relation);
        let before = space.preimage(&mut m, set, relation);
        for (k, tuple) in all.iter().enumerate() {
            let reached = pairs.iter().any(|(f, t)| chosen.contains(f) && *t == k);
            assert_eq!(space.contains(&m, image, tuple), reached);
            let reaches = pairs.iter().any(|(f, t)| chosen.contains(t) && *f == k);
            assert_eq!(space.contains(&m, before, tuple), reaches);
        }
    }
}

/// Steps over [`BITS`] bits, as a table and as a relation that speaks of few of them.
fn random_steps(m: &mut Manager, rng: &mut Rng) -> (Vec<(usize, usize)>, Relation) {
    let changed: Vec<u32> = (0..BITS).filter(|_| rng.chance(1, 3)).collect();
    let mut rules = Vec::new();
    let mut pairs = Bdd::FALSE;
    for _ in 0..1 + rng.below(2) {
        let mut guards = Vec::new();
        let mut values = Vec::new();
        for bit in 0..BITS {
            if rng.chance(1, 3) {
                guards.push((bit, rng.chance(1, 2)));
            }
            // What is changed and not said may become anything.
            if changed.contains(&bit) && rng.chance(3, 4) {
                values.push((bit, rng.chance(1, 2)));
            }
        }
        let now = guards.iter().map(|&(bit, value)| (2 * bit, value));
        let next = values.iter().map(|&(bit, value)| (2 * bit + 1, value));
        let mut rule = Bdd::TRUE;
        for (level, value) in now.chain(next).collect::<Vec<_>>() {
            let bit = m.bit(level);
            let literal = if value { bit } else { m.not(bit) };
            rule = m.and(rule, literal);
        }
        pairs = m.or(pairs, rule);
        rules.push((guards, values));
    }
    let all = || 0..1usize << BITS;
    let steps = all().flat_map(|s| all().map(move |t| (s, t)));
    let steps = steps.filter(|&(s, t)| {
        let keeps = (0..BITS).all(|b| changed.contains(&b) || bit(s, b) == bit(t, b));
        let follows = rules.iter().any(|(guards, values)| {
            guards.iter().all(|&(b, v)| bit(s, b) == v)
                && values.iter().all(|&(b, v)| bit(t, b) == v)
        });
        keeps && follows
    });
    let steps = steps.collect();
    let relation = m.relation(pairs, changed);
    (steps, relation)
}

/// A set of rows over the current levels.
fn random_rows(m: &mut Manager, rng: &mut Rng, share: u64) -> (Vec<usize>, Bdd) {
    let rows: Vec<usize> = (0..1 << BITS).filter(|_| rng.chance(share, 8)).collect();
    let mut set = Bdd::FALSE;
    for &row in &rows {
        let mut one = Bdd::TRUE;
        for b in 0..BITS {
            let variable = m.bit(2 * b);
            let literal = if bit(row, b) {
                variable
            } else {
                m.not(variable)
            };
            one = m.and(one, literal);
        }
        set = m.or(set, one);
    }
    (rows, set)
}

/// One step, and any number of steps through a set, are those of the table, in both directions.
#[test]
fn closures_are_those_of_the_relations() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let mut m = Manager::new();
        let count = 1 + rng.below(4);
        let made: Vec<_> = (0..count).map(|_| random_steps(&mut m, &mut rng)).collect();
        let (tables, relations): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let (rows, set) = random_rows(&mut m, &mut rng, 1);
        let (inside, through) = match rng.chance(1, 3) {
            true => ((0..1 << BITS).collect(), Bdd::TRUE),
            false => random_rows(&mut m, &mut rng, 6),
        };
        for direction in [Direction::Forwards, Direction::Backwards] {
            let ends = |&(s, t): &(usize, usize)| match direction {
                Direction::Forwards => (s, t),
                Direction::Backwards => (t, s),
            };
            for (table, relation) in tables.iter().zip(&relations) {
                let image = m.image(relation, direction, set);
                for row in 0..1usize << BITS {
                    let mut steps = table.iter().map(ends);
                    let reached = steps.any(|(s, t)| rows.contains(&s) && t == row);
                    assert_eq!(m.contains(image, |l| bit(row, l / 2)), reached, "{seed}");
                }
            }
            let mut reached = rows.clone();
            let mut next = 0;
            while let Some(&from) = reached.get(next) {
                next += 1;
                for (s, t) in tables.iter().flatten().map(ends) {
                    if s == from && inside.contains(&t) && !reached.contains(&t) {
                        reached.push(t);
                    }
                }
            }
            let budget = Budget::unlimited();
            let closed = m.closure(&relations, direction, set, through, &budget);
            let closed = closed.expect("there is no limit");
            for row in 0..1usize << BITS {
                let found = m.contains(closed, |l| bit(row, l / 2));
                assert_eq!(found, reached.contains(&row), "{seed}, row {row}");
            }
        }
    }
}
