//! Terms on their way from one thread to another, in a store of their own.
//!
//! Every engine works in a thread with its own store, in which it reads the text again. What the
//! user prescribed comes to it in a parcel, and its certificate goes back in its store.

use sectile_terms::{Copier, Different, Term, Terms};

/// Terms on their way to another thread.
pub(crate) struct Parcel {
    terms: Terms,
    list: Vec<Term>,
}

impl Parcel {
    /// Packs terms of a store.
    pub(crate) fn pack(from: &Terms, list: &[Term]) -> Result<Parcel, Different> {
        let terms = from.declarations();
        let list = copied(from, &terms, list)?;
        Ok(Parcel { terms, list })
    }

    /// The terms in the store of those who receive it.
    pub(crate) fn unpack(&self, to: &Terms) -> Result<Vec<Term>, Different> {
        copied(&self.terms, to, &self.list)
    }
}

fn copied(from: &Terms, to: &Terms, list: &[Term]) -> Result<Vec<Term>, Different> {
    let mut copier = Copier::new(from, to);
    list.iter().map(|&t| copier.term(t)).collect()
}
