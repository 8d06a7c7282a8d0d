//! Fresh names.

use sectile_terms::{Sort, Symbol, SymbolKind, Terms};

/// `hint`, followed by as many underscores as make it unused.
///
/// The result stays an identifier if the hint is one, so that exported files can be read back.
pub(crate) fn free_name(hint: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut name = hint.to_string();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// A variable over an enumeration with these values that is not among `used`.
///
/// Applying a pass twice to one model (once for every property) gives the same variable: it is
/// found again by its name and values. This is safe because nothing in a model without it depends
/// on it.
pub(crate) fn enum_variable(
    terms: &Terms,
    hint: &str,
    values: &[String],
    used: &[Symbol],
) -> Symbol {
    let mut name = hint.to_string();
    loop {
        match terms.symbol(&name) {
            None => {
                let id = terms.declare_enum(&name, values);
                let declared = terms.declare(&name, Sort::Enum(id), SymbolKind::State);
                return declared.expect("the name was just found to be free");
            }
            Some(old) if !used.contains(&old) && ranges_over(terms, old, values) => return old,
            Some(_) => name.push('_'),
        }
    }
}

fn ranges_over(terms: &Terms, symbol: Symbol, values: &[String]) -> bool {
    match terms.symbol_sort(symbol) {
        Sort::Enum(id) => {
            terms.symbol_kind(symbol) == SymbolKind::State && terms.enum_info(id).variants == values
        }
        _ => false,
    }
}
