//! The tableau: sparse rows `sum of coefficient * variable = 0` with integer coefficients, and for
//! each variable the list of its occurrences.
//!
//! Each row has one basic variable, kept at position 0; a basic variable occurs in its own row
//! only. Integer coefficients make row operations cheap (no fractions to reduce) and are what the
//! integer procedures want to see; rows are divided by the gcd of their coefficients.

use super::ArithVar;
use sectile_base::Int;

/// An occurrence of a variable in a row.
#[derive(Clone, Debug)]
pub struct Entry {
    pub var: ArithVar,
    /// Position in the variable's column.
    column_slot: u32,
    /// The coefficient, never zero.
    pub coefficient: Int,
}

/// Where a variable occurs.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    pub row: u32,
    /// The position in it.
    pub slot: u32,
}

/// Marks "not basic".
pub const NO_ROW: u32 = u32::MAX;
const NO_SLOT: u32 = u32::MAX;

/// Rows and columns.
#[derive(Default)]
pub struct Tableau {
    rows: Vec<Vec<Entry>>,
    free_rows: Vec<u32>,
    columns: Vec<Vec<Occurrence>>,
    row_of: Vec<u32>,
    slot_of: Vec<u32>,
    scratch_rows: Vec<Occurrence>,
}

impl Tableau {
    /// Makes room for the next variable.
    pub fn add_var(&mut self) {
        self.columns.push(Vec::new());
        self.row_of.push(NO_ROW);
        self.slot_of.push(NO_SLOT);
    }

    /// The row in which a variable is basic, or [`NO_ROW`].
    #[inline]
    pub fn row_of(&self, v: ArithVar) -> u32 {
        self.row_of[v.index()]
    }

    #[inline]
    pub fn is_basic(&self, v: ArithVar) -> bool {
        self.row_of[v.index()] != NO_ROW
    }

    /// The entries of a row, the basic one first. Empty for an unused row.
    #[inline]
    pub fn row(&self, row: u32) -> &[Entry] {
        &self.rows[row as usize]
    }

    #[inline]
    pub fn column(&self, v: ArithVar) -> &[Occurrence] {
        &self.columns[v.index()]
    }

    #[inline]
    pub fn basic(&self, row: u32) -> ArithVar {
        self.rows[row as usize][0].var
    }

    /// Upper limit of row numbers.
    pub fn row_capacity(&self) -> usize {
        self.rows.len()
    }

    /// How many rows are in use.
    pub fn row_count(&self) -> usize {
        self.rows.len() - self.free_rows.len()
    }

    /// Adds the row `definition - basic = 0`. The variables of the definition may be basic.
    pub fn add_row(&mut self, basic: ArithVar, definition: &[(ArithVar, Int)]) -> u32 {
        debug_assert!(!self.is_basic(basic) && self.columns[basic.index()].is_empty());
        let row = self.free_rows.pop().unwrap_or_else(|| {
            self.rows.push(Vec::new());
            u32::try_from(self.rows.len() - 1).expect("fewer than 2^32 rows")
        });
        self.push_entry(row, basic, Int::MINUS_ONE);
        for (v, c) in definition {
            self.push_entry(row, *v, c.clone());
        }
        self.row_of[basic.index()] = row;
        for (v, _) in definition {
            let other = self.row_of[v.index()];
            if other != NO_ROW {
                self.eliminate(row, self.slot_in_row(row, *v), other);
            }
        }
        row
    }

    /// Removes a row; its basic variable becomes a variable without occurrence.
    pub fn remove_row(&mut self, row: u32) {
        let basic = self.basic(row);
        while let Some(entry) = self.rows[row as usize].pop() {
            self.remove_occurrence(entry.var, entry.column_slot);
        }
        self.row_of[basic.index()] = NO_ROW;
        self.free_rows.push(row);
    }

    fn push_entry(&mut self, row: u32, var: ArithVar, coefficient: Int) {
        let column = &mut self.columns[var.index()];
        let entries = &mut self.rows[row as usize];
        column.push(Occurrence {
            row,
            slot: entries.len() as u32,
        });
        entries.push(Entry {
            var,
            column_slot: column.len() as u32 - 1,
            coefficient,
        });
    }

    fn remove_occurrence(&mut self, var: ArithVar, slot: u32) {
        let column = &mut self.columns[var.index()];
        column.swap_remove(slot as usize);
        if let Some(moved) = column.get(slot as usize) {
            self.rows[moved.row as usize][moved.slot as usize].column_slot = slot;
        }
    }

    fn remove_entry(&mut self, row: u32, slot: usize) {
        let entry = self.rows[row as usize].swap_remove(slot);
        if let Some(moved) = self.rows[row as usize].get(slot) {
            self.columns[moved.var.index()][moved.column_slot as usize].slot = slot as u32;
        }
        self.remove_occurrence(entry.var, entry.column_slot);
    }

    fn swap_entries(&mut self, row: u32, a: usize, b: usize) {
        self.rows[row as usize].swap(a, b);
        for slot in [a, b] {
            let entry = &self.rows[row as usize][slot];
            self.columns[entry.var.index()][entry.column_slot as usize].slot = slot as u32;
        }
    }

    /// Makes `entering` basic in `row` instead of the present basic variable.
    pub fn pivot(&mut self, row: u32, entering: ArithVar) {
        let leaving = self.basic(row);
        let slot = self.slot_in_row(row, entering);
        self.swap_entries(row, 0, slot);
        self.row_of[leaving.index()] = NO_ROW;
        self.row_of[entering.index()] = row;
        let mut others = std::mem::take(&mut self.scratch_rows);
        others.clear();
        others.extend(
            self.columns[entering.index()]
                .iter()
                .filter(|o| o.row != row),
        );
        // Work on one row moves no entry of another one.
        for o in &others {
            self.eliminate(o.row, o.slot as usize, row);
        }
        self.scratch_rows = others;
    }

    fn slot_in_row(&self, row: u32, v: ArithVar) -> usize {
        let column = &self.columns[v.index()];
        let entries = &self.rows[row as usize];
        if column.len() < entries.len() {
            let found = column.iter().find(|o| o.row == row);
            found.expect("the variable occurs in the row").slot as usize
        } else {
            let found = entries.iter().position(|e| e.var == v);
            found.expect("the variable occurs in the row")
        }
    }

    /// Adds a multiple of `source` to `target` so that the variable in this slot of `target`, which is
    /// basic in `source`, vanishes.
    fn eliminate(&mut self, target: u32, slot: usize, source: u32) {
        let a = &self.rows[target as usize][slot].coefficient;
        let b = &self.rows[source as usize][0].coefficient;
        let g = a.gcd(b);
        let mut keep = b.div_exact(&g);
        let mut add = -a.div_exact(&g);
        if keep.is_negative() {
            keep = -keep;
            add = -add;
        }
        self.combine(target, &keep, source, &add);
    }

    /// `target := keep * target + add * source`, divided by the gcd.
    fn combine(&mut self, target: u32, keep: &Int, source: u32, add: &Int) {
        for (slot, entry) in self.rows[target as usize].iter_mut().enumerate() {
            if !keep.is_one() {
                entry.coefficient *= keep;
            }
            self.slot_of[entry.var.index()] = slot as u32;
        }
        let from = std::mem::take(&mut self.rows[source as usize]);
        let mut cancelled = false;
        for entry in &from {
            let slot = self.slot_of[entry.var.index()];
            if slot == NO_SLOT {
                self.push_entry(target, entry.var, &entry.coefficient * add);
            } else {
                let own = &mut self.rows[target as usize][slot as usize].coefficient;
                own.add_mul_assign(&entry.coefficient, add);
                cancelled |= own.is_zero();
            }
        }
        self.rows[source as usize] = from;
        for entry in &self.rows[target as usize] {
            self.slot_of[entry.var.index()] = NO_SLOT;
        }
        if cancelled {
            for slot in (0..self.rows[target as usize].len()).rev() {
                if self.rows[target as usize][slot].coefficient.is_zero() {
                    self.remove_entry(target, slot);
                }
            }
        }
        self.reduce_row(target);
    }

    fn reduce_row(&mut self, row: u32) {
        let mut g = Int::ZERO;
        for entry in &self.rows[row as usize] {
            g = g.gcd(&entry.coefficient);
            if g.is_one() {
                return;
            }
        }
        for entry in &mut self.rows[row as usize] {
            entry.coefficient = entry.coefficient.div_exact(&g);
        }
    }

    /// Panics unless rows, columns and the basis agree.
    #[cfg(test)]
    pub fn check_invariants(&self) {
        for (r, row) in self.rows.iter().enumerate() {
            for (slot, entry) in row.iter().enumerate() {
                let o = self.columns[entry.var.index()][entry.column_slot as usize];
                assert_eq!((o.row as usize, o.slot as usize), (r, slot));
                assert!(!entry.coefficient.is_zero());
            }
            if let Some(first) = row.first() {
                assert_eq!(self.row_of[first.var.index()] as usize, r);
                assert_eq!(self.columns[first.var.index()].len(), 1);
            }
        }
        let occurrences: usize = self.columns.iter().map(Vec::len).sum();
        assert_eq!(occurrences, self.rows.iter().map(Vec::len).sum::<usize>());
        assert!(self.slot_of.iter().all(|&s| s == NO_SLOT));
    }
}
