//! Cycles that can be repeated for ever although numbers grow.
//!
//! A run leads to a state `x`, from there a cycle of steps leads to `x + y1 + .. + yk`, and takes
//! every direction `yj` to a multiple of itself, plus a multiple of the one before it; no constraint
//! of the cycle grows in these directions. Then the cycle takes every state `x + s1 y1 + .. + sk yk`,
//! with no `sj` negative, to another such state, and so on for ever. For fixed multiples these are
//! linear conditions.
//!
//! Paper: [LeHe18], geometric non-termination. Differs: the states become cells, whose steps are
//! the evidence.

use super::Transition;
use sectile_base::Rat;
use sectile_domains::domain::Domain as _;
use sectile_domains::linear::{Affine, Constraint, Numbers, Relation};
use sectile_domains::poly::{Poly, point_of};

/// Consecutive steps, as functions of the first state and all chosen values.
struct Path {
    /// The number of numbers and chosen values.
    points: usize,
    constraints: Vec<Row>,
    /// The numbers before every step, and after the last one.
    stages: Vec<Vec<Affine>>,
}

/// A constraint that compares an affine sum with zero.
struct Row {
    sum: Affine,
    relation: Relation,
}

/// States from which a cycle can be repeated forever.
pub struct Recurrence {
    /// The points along the path to the cycle.
    pub stem: Vec<Vec<Rat>>,
    /// For every step of the cycle, constraints on its source states.
    pub cycle: Vec<Vec<Constraint>>,
}

/// The factors by which a cycle multiplies directions.
struct Multiples<'m> {
    /// The factor of each direction itself.
    own: &'m [Rat],
    /// The factor of the previous direction.
    other: Rat,
}

/// States from which a cycle can be repeated forever, at the end of a stem.
pub fn recurrence(
    numbers: Numbers,
    variables: usize,
    stem: &[&Transition],
    cycle: &[&Transition],
) -> Option<Recurrence> {
    let stem = composed(variables, stem);
    let cycle = composed(variables, cycle);
    let number = |n: i64| Rat::from(n);
    let mut tries: Vec<(Vec<Rat>, i64)> = vec![
        (vec![number(1)], 0),
        (vec![number(2)], 0),
        (vec![number(1), number(1)], 1),
        (vec![number(2), number(1)], 1),
        (vec![number(1), number(2)], 1),
        (vec![number(0)], 0),
        (vec![number(3)], 0),
        (vec![number(1), number(1), number(1)], 1),
    ];
    if numbers == Numbers::Reals {
        tries.push((vec![Rat::from_ratio(1, 2)], 0));
    }
    let found = |(own, other): &(Vec<Rat>, i64)| {
        let other = number(*other);
        let multiples = Multiples { own, other };
        geometric(numbers, variables, &stem, &cycle, &multiples)
    };
    tries.iter().find_map(found)
}

/// The values of all variables.
pub type Point = Vec<Rat>;

/// States along a stem and some rounds of a cycle: before every step of the stem, and before every
/// step of the first round.
pub fn visited(
    numbers: Numbers,
    variables: usize,
    stem: &[&Transition],
    cycle: &[&Transition],
    rounds: usize,
) -> Option<[Vec<Point>; 2]> {
    let mut steps = stem.to_vec();
    (0..rounds).for_each(|_| steps.extend(cycle));
    let path = composed(variables, &steps);
    let rows = path.constraints.iter().map(|row| {
        let mut factors = vec![Rat::ZERO; path.points];
        for (v, c) in &row.sum.terms {
            factors[*v] += c;
        }
        Constraint::from_rationals(&factors, row.relation, &-&row.sum.constant)
    });
    let point = point_of(numbers, path.points, &rows.collect::<Vec<_>>())?;
    let state = |stage: &Vec<Affine>| stage.iter().map(|s| value_at(s, &point)).collect();
    let mut states: Vec<Vec<Rat>> = path.stages.iter().map(state).collect();
    let mut round = states.split_off(stem.len());
    round.truncate(cycle.len());
    Some([states, round])
}

fn composed(variables: usize, steps: &[&Transition]) -> Path {
    let mut state: Vec<Affine> = (0..variables).map(Affine::variable).collect();
    let mut path = Path {
        points: variables,
        constraints: Vec::new(),
        stages: vec![state.clone()],
    };
    for step in steps {
        let mut values = state;
        let chosen = step.points - variables;
        values.extend((path.points..path.points + chosen).map(Affine::variable));
        path.points += chosen;
        for constraint in &step.constraints {
            let factors = constraint.coefficients.iter().map(Rat::from);
            let sum = Affine {
                terms: factors.enumerate().collect(),
                constant: -&Rat::from(&constraint.bound),
            };
            path.constraints.push(Row {
                sum: substituted(&sum, &values),
                relation: constraint.relation,
            });
        }
        let next = step.next.iter().map(|sum| substituted(sum, &values));
        state = next.collect();
        path.stages.push(state.clone());
    }
    path
}

/// A sum with its variables substituted by sums.
fn substituted(sum: &Affine, values: &[Affine]) -> Affine {
    let mut result = Affine {
        terms: Vec::new(),
        constant: sum.constant.clone(),
    };
    for (variable, factor) in &sum.terms {
        add(&mut result, &values[*variable], factor);
    }
    result
}

/// Adds a multiple of a sum.
fn add(sum: &mut Affine, other: &Affine, factor: &Rat) {
    if factor.is_zero() {
        return;
    }
    for (variable, c) in &other.terms {
        let c = c * factor;
        match sum.terms.iter_mut().find(|(v, _)| v == variable) {
            Some((_, own)) => *own += &c,
            None => sum.terms.push((*variable, c)),
        }
    }
    sum.constant += &(&other.constant * factor);
}

/// The same sum without its constant.
fn linear_part(sum: &Affine) -> Affine {
    Affine {
        terms: sum.terms.clone(),
        constant: Rat::ZERO,
    }
}

fn value_at(sum: &Affine, point: &[Rat]) -> Rat {
    let parts = sum.terms.iter().map(|(v, c)| c * &point[*v]);
    parts.fold(sum.constant.clone(), |a, b| &a + &b)
}

fn geometric(
    numbers: Numbers,
    variables: usize,
    stem: &Path,
    cycle: &Path,
    multiples: &Multiples<'_>,
) -> Option<Recurrence> {
    let rays = multiples.own.len();
    let chosen = cycle.points - variables;
    // The unknowns: those of the stem, the choices of the cycle, and for every ray its direction
    // and the change of the choices of the cycle along it.
    let first_ray = stem.points + chosen;
    let ray = |j: usize| first_ray + j * cycle.points;
    let unknowns = first_ray + rays * cycle.points;
    let mut start: Vec<Affine> = stem.stages.last()?.clone();
    start.extend((stem.points..first_ray).map(Affine::variable));
    let direction = |j: usize| -> Vec<Affine> {
        let all = ray(j)..ray(j) + cycle.points;
        all.map(Affine::variable).collect()
    };
    let mut rows: Vec<Constraint> = Vec::new();
    let mut say = |sum: &Affine, relation: Relation| {
        let mut factors = vec![Rat::ZERO; unknowns];
        for (v, c) in &sum.terms {
            factors[*v] += c;
        }
        rows.push(Constraint::from_rationals(
            &factors,
            relation,
            &-&sum.constant,
        ));
    };
    for row in &stem.constraints {
        say(&row.sum, row.relation);
    }
    for row in &cycle.constraints {
        say(&substituted(&row.sum, &start), row.relation);
        let weak = match row.relation {
            Relation::Equal => Relation::Equal,
            Relation::AtMost | Relation::Below => Relation::AtMost,
        };
        for j in 0..rays {
            say(&substituted(&linear_part(&row.sum), &direction(j)), weak);
        }
    }
    for (v, next) in cycle.stages.last()?.iter().enumerate() {
        let mut sum = substituted(next, &start);
        add(&mut sum, &start[v], &Rat::MINUS_ONE);
        (0..rays).for_each(|j| add(&mut sum, &direction(j)[v], &Rat::MINUS_ONE));
        say(&sum, Relation::Equal);
        for j in 0..rays {
            let mut sum = substituted(&linear_part(next), &direction(j));
            add(&mut sum, &direction(j)[v], &-&multiples.own[j]);
            if let Some(before) = j.checked_sub(1) {
                add(&mut sum, &direction(before)[v], &-&multiples.other);
            }
            say(&sum, Relation::Equal);
        }
    }
    let solution = point_of(numbers, unknowns, &rows)?;
    let stem_points = stem.stages.iter().map(|stage| {
        let values = stage.iter().map(|sum| value_at(sum, &solution));
        values.collect()
    });
    let base: Vec<Rat> = start.iter().map(|sum| value_at(sum, &solution)).collect();
    let directions: Vec<&[Rat]> = (0..rays)
        .map(|j| &solution[ray(j)..ray(j) + cycle.points])
        .collect();
    let steps = cycle.stages.len() - 1;
    let at = |stage: &Vec<Affine>| {
        let point = |at: &[Rat]| -> Vec<Rat> { stage.iter().map(|s| value_at(s, at)).collect() };
        let moved = |d: &&[Rat]| -> Vec<Rat> {
            let linear = stage.iter().map(linear_part);
            linear.map(|s| value_at(&s, d)).collect()
        };
        let rays: Vec<Vec<Rat>> = directions.iter().map(moved).collect();
        cone(variables, &point(&base), &rays)
    };
    let cycle = cycle.stages[..steps].iter().map(at);
    Some(Recurrence {
        stem: stem_points.collect(),
        cycle: cycle.collect::<Option<_>>()?,
    })
}

/// The points of a cone with an apex and rays.
fn cone(variables: usize, point: &[Rat], rays: &[Vec<Rat>]) -> Option<Vec<Constraint>> {
    let rays: Vec<&Vec<Rat>> = rays
        .iter()
        .filter(|r| r.iter().any(|c| !c.is_zero()))
        .collect();
    let mut rows = Vec::new();
    for (v, value) in point.iter().enumerate() {
        let mut factors = vec![Rat::ZERO; variables + rays.len()];
        factors[v] = Rat::ONE;
        for (j, ray) in rays.iter().enumerate() {
            factors[variables + j] = -&ray[v];
        }
        rows.push(Constraint::from_rationals(&factors, Relation::Equal, value));
    }
    for j in 0..rays.len() {
        let mut factors = vec![Rat::ZERO; variables + rays.len()];
        factors[variables + j] = Rat::MINUS_ONE;
        let least = Constraint::from_rationals(&factors, Relation::AtMost, &Rat::ZERO);
        rows.push(least);
    }
    let all = Poly::new(Numbers::Reals, variables + rays.len(), rows)?;
    Some(all.projected(variables).constraints().to_vec())
}
