//! Splitting a non-negative vector of a null space into ones with the smallest support.

use sectile_base::Rat;

/// Splits `weights`, which are positive and for which the weighted sum of the columns is zero,
/// into `(ray, factor)` with the same properties, such that no ray can be split further.
pub(super) fn rays(columns: &[Vec<Rat>], weights: &[Rat]) -> Vec<(Vec<Rat>, Rat)> {
    let mut rest = weights.to_vec();
    let mut found = Vec::new();
    while rest.iter().any(Rat::is_positive) {
        let ray = extreme(columns, rest.clone());
        let factor = largest_multiple(&rest, &ray);
        subtract(&mut rest, &ray, &factor);
        found.push((ray, factor));
    }
    found
}

/// The largest `t` for which `vector - t * direction` has no negative entry.
fn largest_multiple(vector: &[Rat], direction: &[Rat]) -> Rat {
    let pairs = vector.iter().zip(direction);
    let ratios = pairs.filter(|(_, d)| d.is_positive()).map(|(v, d)| v / d);
    ratios.min().unwrap_or(Rat::ZERO)
}

fn subtract(vector: &mut [Rat], direction: &[Rat], factor: &Rat) {
    for (v, d) in vector.iter_mut().zip(direction) {
        v.sub_mul_assign(d, factor);
    }
}

/// A vector with smallest support below the given one.
fn extreme(columns: &[Vec<Rat>], mut vector: Vec<Rat>) -> Vec<Rat> {
    loop {
        let support: Vec<usize> = (0..vector.len())
            .filter(|&i| !vector[i].is_zero())
            .collect();
        let Some(mut direction) = other_direction(columns, &vector, &support) else {
            return vector;
        };
        if !direction.iter().any(Rat::is_positive) {
            for d in &mut direction {
                *d = -&*d;
            }
        }
        let factor = largest_multiple(&vector, &direction);
        subtract(&mut vector, &direction, &factor);
    }
}

/// A vector of the null space with this support that is not a multiple of the given one.
fn other_direction(columns: &[Vec<Rat>], vector: &[Rat], support: &[usize]) -> Option<Vec<Rat>> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut matrix: Vec<Vec<Rat>> = (0..rows)
        .map(|r| support.iter().map(|&i| columns[i][r].clone()).collect())
        .collect();
    let pivots = reduce(&mut matrix, support.len());
    let free: Vec<usize> = (0..support.len())
        .filter(|c| !pivots.iter().any(|p| p == c))
        .collect();
    // With one free column the null space is the line through the vector.
    let (&column, _) = free.split_first().filter(|(_, rest)| !rest.is_empty())?;
    // The basis vector of one free column is zero in the others, where the vector is not.
    let mut direction = vec![Rat::ZERO; vector.len()];
    direction[support[column]] = Rat::ONE;
    for (row, &pivot) in pivots.iter().enumerate() {
        direction[support[pivot]] = -&matrix[row][column];
    }
    Some(direction)
}

/// Brings a matrix to reduced row echelon form and returns the pivot column of each row.
fn reduce(matrix: &mut [Vec<Rat>], columns: usize) -> Vec<usize> {
    let mut pivots = Vec::new();
    for column in 0..columns {
        let rank = pivots.len();
        let Some(found) = (rank..matrix.len()).find(|&r| !matrix[r][column].is_zero()) else {
            continue;
        };
        matrix.swap(rank, found);
        let factor = matrix[rank][column].recip();
        for entry in &mut matrix[rank] {
            *entry *= &factor;
        }
        let pivot_row = matrix[rank].clone();
        for (r, row) in matrix.iter_mut().enumerate() {
            if r != rank && !row[column].is_zero() {
                let factor = row[column].clone();
                subtract(row, &pivot_row, &factor);
            }
        }
        pivots.push(column);
    }
    pivots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rationals(list: &[i64]) -> Vec<Rat> {
        list.iter().map(|&n| Rat::from(n)).collect()
    }

    #[test]
    fn independent_pairs_are_separated() {
        // x - x, y - y, and a column without local variables.
        let columns = [[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]];
        let columns: Vec<Vec<Rat>> = columns.iter().map(|c| rationals(c)).collect();
        let weights = rationals(&[2, 2, 3, 3, 1]);
        let found = rays(&columns, &weights);
        assert_eq!(found.len(), 3);
        let mut sum = rationals(&[0, 0, 0, 0, 0]);
        for (ray, factor) in &found {
            assert!(factor.is_positive());
            assert!(ray.iter().all(|c| !c.is_negative()));
            subtract(&mut sum, ray, &-factor);
        }
        assert_eq!(sum, weights);
    }

    #[test]
    fn a_cycle_stays_whole() {
        let columns = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]];
        let columns: Vec<Vec<Rat>> = columns.iter().map(|c| rationals(c)).collect();
        let found = rays(&columns, &rationals(&[1, 1, 1]));
        assert_eq!(found.len(), 1);
    }
}
