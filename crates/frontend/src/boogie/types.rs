//! Types as sorts: abbreviations are expanded, and maps are arrays.
//!
//! A map with several indices is a map of maps: `[int, bool]real` is `[int][bool]real`.

use super::ast::{Type, TypeKind};
use super::constructs::{MAP_FROM_MAPS, USER_TYPE};
use super::program::Program;
use crate::syntax::Construct;
use sectile_base::digraph::Digraph;
use sectile_terms::{Sort, Terms};

/// A sort, or the construct that makes a type unsupported; `Err(None)` if a type has no declaration
/// or is defined in terms of itself.
pub type Known = Result<Sort, Option<&'static Construct>>;

/// The sorts of the declared types.
pub struct Sorts {
    declared: Vec<Known>,
}

impl Sorts {
    /// Expands all abbreviations, each of them once.
    pub fn new(terms: &Terms, program: &Program<'_>) -> Sorts {
        let types = &program.file.types;
        let meanings = types.iter().map(|t| t.meaning.as_ref());
        let needs: Vec<Vec<usize>> = meanings.map(|m| named_in(program, m)).collect();
        let graph = Digraph::from_successors(types.len(), |t| needs[t].iter().copied());
        // A type that is defined in terms of itself stays without a sort.
        let mut sorts = Sorts {
            declared: vec![Err(None); types.len()],
        };
        // The components of a type come before it.
        for component in graph.strongly_connected_components() {
            let [t] = component[..] else { continue };
            if needs[t].contains(&t) {
                continue;
            }
            sorts.declared[t] = match &types[t].meaning {
                _ if types[t].parametric => Err(Some(&USER_TYPE)),
                Some(meaning) => sorts.of(terms, program, meaning),
                // Only equality is known of its values, and there may be as many as needed:
                // whatever can happen with some set of values can happen with integers.
                None => Ok(Sort::Int),
            };
        }
        sorts
    }

    /// The sort of a type. Recursion is bounded by the parser's limit on nesting.
    pub fn of(&self, terms: &Terms, program: &Program<'_>, of: &Type) -> Known {
        match &of.kind {
            TypeKind::Bool => Ok(Sort::Bool),
            TypeKind::Int => Ok(Sort::Int),
            TypeKind::Real => Ok(Sort::Real),
            TypeKind::Unsupported(construct) => Err(Some(construct)),
            TypeKind::Named(name) => match program.type_declaration(name) {
                Some(t) => self.declared[t],
                None => Err(None),
            },
            TypeKind::Map(indices, element) => {
                let mut sort = self.of(terms, program, element)?;
                for index in indices.iter().rev() {
                    let index = self.of(terms, program, index)?;
                    if let Sort::Array(_) = index {
                        return Err(Some(&MAP_FROM_MAPS));
                    }
                    sort = terms.array_sort(index, sort);
                }
                Ok(sort)
            }
        }
    }
}

/// The declared types that a type mentions.
fn named_in(program: &Program<'_>, of: Option<&Type>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut work: Vec<&Type> = of.into_iter().collect();
    while let Some(next) = work.pop() {
        match &next.kind {
            TypeKind::Named(name) => found.extend(program.type_declaration(name)),
            TypeKind::Map(indices, element) => {
                work.extend(indices);
                work.push(element);
            }
            _ => {}
        }
    }
    found
}
