//! Generators of cones, by double description.
//!
//! Constraints are added one after the other. A constraint first turns a line outside of its
//! hyperplane into a ray; then it keeps the rays on its side and, for adjacent rays on different
//! sides, adds the ray between them in the hyperplane.

use sectile_base::Int;

/// A vector of a cone.
pub type Vector = Vec<Int>;

/// A ray with the inequalities it satisfies with equality, as bits.
#[derive(Clone, Debug)]
struct Ray {
    vector: Vector,
    tight: Vec<u64>,
}

/// Lines and rays whose combinations, with rays not taken negatively, are the cone.
#[derive(Clone, Debug, Default)]
pub struct Cone {
    /// The lines.
    pub lines: Vec<Vector>,
    /// The rays.
    pub rays: Vec<Vector>,
}

/// The vectors with a zero product with some vectors, and a non-negative product with others.
///
/// Paper: [FuPr96, double description method].
pub fn generators(dimension: usize, zero: &[Vector], positive: &[Vector]) -> Cone {
    let unit = |i: usize| {
        let mut vector = vec![Int::ZERO; dimension];
        vector[i] = Int::ONE;
        vector
    };
    let mut state = State {
        lines: (0..dimension).map(unit).collect(),
        rays: Vec::new(),
        words: positive.len().div_ceil(64),
    };
    for vector in zero {
        state.cut(vector, None);
    }
    for (i, vector) in positive.iter().enumerate() {
        state.cut(vector, Some(i));
    }
    Cone {
        lines: state.lines,
        rays: state.rays.into_iter().map(|r| r.vector).collect(),
    }
}

struct State {
    lines: Vec<Vector>,
    rays: Vec<Ray>,
    words: usize,
}

impl State {
    /// Intersects the cone with a half-space, which has a number, or with a hyperplane.
    fn cut(&mut self, normal: &Vector, number: Option<usize>) {
        if let Some(place) = self
            .lines
            .iter()
            .position(|l| !product(normal, l).is_zero())
        {
            self.bend(normal, place, number);
            return;
        }
        let sides: Vec<Int> = self
            .rays
            .iter()
            .map(|r| product(normal, &r.vector))
            .collect();
        let mut kept = Vec::new();
        for (i, a) in sides.iter().enumerate().filter(|(_, s)| s.is_positive()) {
            for (j, b) in sides.iter().enumerate().filter(|(_, s)| s.is_negative()) {
                if self.adjacent(i, j) {
                    let (p, n) = (&self.rays[i], &self.rays[j]);
                    let both = p.tight.iter().zip(&n.tight).map(|(x, y)| x & y);
                    let mut ray = Ray {
                        vector: combination(&p.vector, &-b, &n.vector, a),
                        tight: both.collect(),
                    };
                    mark(&mut ray.tight, number);
                    kept.push(ray);
                }
            }
        }
        for (mut ray, side) in std::mem::take(&mut self.rays).into_iter().zip(sides) {
            if side.is_zero() {
                mark(&mut ray.tight, number);
                kept.push(ray);
            } else if side.is_positive() && number.is_some() {
                kept.push(ray);
            }
        }
        self.rays = kept;
    }

    /// A line that leaves the hyperplane becomes a ray, and all others are moved along it.
    fn bend(&mut self, normal: &Vector, place: usize, number: Option<usize>) {
        let mut line = self.lines.swap_remove(place);
        let mut step = product(normal, &line);
        if step.is_negative() {
            line.iter_mut().for_each(|c| *c = -&*c);
            step = -&step;
        }
        let into = |vector: &Vector| combination(vector, &step, &line, &-&product(normal, vector));
        for other in &mut self.lines {
            *other = into(other);
        }
        for ray in &mut self.rays {
            ray.vector = into(&ray.vector);
            mark(&mut ray.tight, number);
        }
        if let Some(number) = number {
            // The line satisfied all constraints before with equality.
            let mut tight = vec![0u64; self.words];
            (0..number).for_each(|k| mark(&mut tight, Some(k)));
            self.rays.push(Ray {
                vector: line,
                tight,
            });
        }
    }

    /// Whether no third ray satisfies with equality all that two rays do.
    fn adjacent(&self, i: usize, j: usize) -> bool {
        let pair = self.rays[i].tight.iter().zip(&self.rays[j].tight);
        let common: Vec<u64> = pair.map(|(a, b)| a & b).collect();
        let contains = |ray: &Ray| common.iter().zip(&ray.tight).all(|(c, t)| c & !t == 0);
        let mut others = self.rays.iter().enumerate();
        !others.any(|(k, ray)| k != i && k != j && contains(ray))
    }
}

fn mark(tight: &mut [u64], number: Option<usize>) {
    if let Some(number) = number {
        tight[number / 64] |= 1 << (number % 64);
    }
}

/// The scalar product.
pub fn product(a: &[Int], b: &[Int]) -> Int {
    let mut sum = Int::ZERO;
    for (x, y) in a.iter().zip(b) {
        sum.add_mul_assign(x, y);
    }
    sum
}

/// A sum of multiples, divided by its common factor.
fn combination(a: &[Int], by: &Int, b: &[Int], times: &Int) -> Vector {
    let pairs = a.iter().zip(b);
    let mut sum: Vector = pairs.map(|(x, y)| &(x * by) + &(y * times)).collect();
    let factor = sum.iter().fold(Int::ZERO, |g, c| g.gcd(c));
    if !factor.is_zero() && !factor.is_one() {
        sum.iter_mut().for_each(|c| *c = c.div_exact(&factor));
    }
    sum
}
