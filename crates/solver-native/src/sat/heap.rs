//! A binary heap of variables ordered by activity, with positions so that keys can change.

use super::lit::Var;

const ABSENT: u32 = u32::MAX;

/// Variables with the most active one on top; ties go to the smaller variable.
#[derive(Default)]
pub struct ActivityHeap {
    heap: Vec<Var>,
    position: Vec<u32>,
    activity: Vec<f64>,
    increment: f64,
}

impl ActivityHeap {
    pub fn new() -> ActivityHeap {
        ActivityHeap {
            increment: 1.0,
            ..ActivityHeap::default()
        }
    }

    /// Makes room for the next variable, which starts outside the heap.
    pub fn add_var(&mut self) {
        self.position.push(ABSENT);
        self.activity.push(0.0);
    }

    #[inline]
    pub fn contains(&self, v: Var) -> bool {
        self.position[v.index()] != ABSENT
    }

    /// Resets a recycled variable.
    pub fn reset_activity(&mut self, v: Var) {
        self.activity[v.index()] = 0.0;
    }

    /// Puts a variable into the heap unless it is there.
    #[inline]
    pub fn insert(&mut self, v: Var) {
        if !self.contains(v) {
            self.position[v.index()] = self.heap.len() as u32;
            self.heap.push(v);
            self.sift_up(self.heap.len() - 1);
        }
    }

    /// Takes the most active variable out.
    pub fn pop(&mut self) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.position[top.index()] = ABSENT;
        if last != top {
            self.heap[0] = last;
            self.position[last.index()] = 0;
            self.sift_down(0);
        }
        Some(top)
    }

    /// Raises the activity of a variable that took part in a conflict.
    pub fn bump(&mut self, v: Var) {
        self.activity[v.index()] += self.increment;
        if self.activity[v.index()] > 1e100 {
            for a in &mut self.activity {
                *a *= 1e-100;
            }
            self.increment *= 1e-100;
        }
        if self.contains(v) {
            self.sift_up(self.position[v.index()] as usize);
        }
    }

    /// Makes all later bumps weigh more.
    pub fn decay(&mut self, factor: f64) {
        self.increment /= factor;
    }

    #[inline]
    fn before(&self, a: Var, b: Var) -> bool {
        let (x, y) = (self.activity[a.index()], self.activity[b.index()]);
        x > y || (x == y && a < b)
    }

    fn sift_up(&mut self, mut i: usize) {
        let v = self.heap[i];
        while i > 0 {
            let parent = (i - 1) / 2;
            if !self.before(v, self.heap[parent]) {
                break;
            }
            self.heap[i] = self.heap[parent];
            self.position[self.heap[i].index()] = i as u32;
            i = parent;
        }
        self.heap[i] = v;
        self.position[v.index()] = i as u32;
    }

    fn sift_down(&mut self, mut i: usize) {
        let v = self.heap[i];
        loop {
            let mut child = 2 * i + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], v) {
                break;
            }
            self.heap[i] = self.heap[child];
            self.position[self.heap[i].index()] = i as u32;
            i = child;
        }
        self.heap[i] = v;
        self.position[v.index()] = i as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_active_comes_first_and_ties_go_to_the_smaller() {
        let mut heap = ActivityHeap::new();
        for _ in 0..6 {
            heap.add_var();
        }
        for v in [4, 2, 5, 0] {
            heap.insert(Var(v));
        }
        heap.bump(Var(5));
        heap.decay(0.5);
        heap.bump(Var(2));
        let order: Vec<u32> = std::iter::from_fn(|| heap.pop()).map(|v| v.0).collect();
        assert_eq!(order, [2, 5, 0, 4]);
        assert!(!heap.contains(Var(4)));
    }
}
