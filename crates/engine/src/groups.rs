//! Connected components of lists that share elements.

use std::collections::BTreeMap;

/// The group of each list: lists in one group are connected by shared elements.
pub fn connected<T: Ord + Copy>(lists: &[Vec<T>]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..lists.len()).collect();
    let mut owner: BTreeMap<T, usize> = BTreeMap::new();
    for (i, list) in lists.iter().enumerate() {
        for &element in list {
            let other = *owner.entry(element).or_insert(i);
            let (a, b) = (find(&mut parent, i), find(&mut parent, other));
            // The smaller number is the representative, so groups are in the order of their first
            // lists.
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..lists.len()).map(|i| find(&mut parent, i)).collect()
}

fn find(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}
