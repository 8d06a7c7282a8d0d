//! A sparse table indexed by terms, cheap to create for a store of any size.
//!
//! Terms are small numbers, but a plain vector would be as long as the store: many solvers live for
//! one query only, while the store of a long run holds millions of terms.

/// Entries on one page.
const PAGE: usize = 64;

/// Values by index, with a default; only pages with a value take space.
pub(crate) struct Pages<T> {
    /// By page: the position of its entries. The first entries are the defaults.
    directory: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy + Default> Default for Pages<T> {
    fn default() -> Pages<T> {
        Pages {
            directory: Vec::new(),
            entries: vec![T::default(); PAGE],
        }
    }
}

impl<T: Copy + Default> Pages<T> {
    #[inline]
    pub fn get(&self, index: usize) -> T {
        let start = self.directory.get(index / PAGE).copied().unwrap_or(0);
        self.entries[start as usize + index % PAGE]
    }

    pub fn set(&mut self, index: usize, value: T) {
        let page = index / PAGE;
        if self.directory.len() <= page {
            self.directory.resize(page + 1, 0);
        }
        if self.directory[page] == 0 {
            let start = u32::try_from(self.entries.len());
            self.directory[page] = start.expect("fewer than 2^32 terms");
            self.entries.resize(self.entries.len() + PAGE, T::default());
        }
        self.entries[self.directory[page] as usize + index % PAGE] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_apart_entries_take_few_pages() {
        let mut table: Pages<u8> = Pages::default();
        table.set(3, 7);
        table.set(1_000_000, 9);
        assert_eq!(
            [3, 4, 1_000_000, 5_000_000].map(|i| table.get(i)),
            [7, 0, 9, 0]
        );
        assert_eq!(table.entries.len(), 3 * PAGE);
    }
}
