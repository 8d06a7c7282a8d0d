//! Uninterpreted functions and predicates.
//!
//! A function is a rigid symbol whose value is a table: an array from the first argument to an array
//! from the second, and so on. `f(a, b)` is the element of that table at `a` and `b`, so everything
//! that supports arrays supports functions. A function never has an update, and is never compared
//! with another function. A predicate is a function with Boolean results.

use crate::node::{Node, Term};
use crate::sorts::{ArrayValue, Sort, Value};
use crate::store::{NameTaken, Symbol, SymbolKind, Terms};

impl Terms {
    /// Declares a function with at least one argument. Repeating a declaration gives the same
    /// symbol.
    pub fn declare_function(
        &self,
        name: &str,
        arguments: &[Sort],
        result: Sort,
    ) -> Result<Symbol, NameTaken> {
        debug_assert!(
            !arguments.is_empty(),
            "a function without arguments is a constant"
        );
        let parts = arguments.iter().rev();
        let sort = parts.fold(result, |rest, &index| self.array_sort(index, rest));
        self.declare_with_arity(name, sort, SymbolKind::Rigid, arguments.len())
    }

    /// Declares a function whose name was not used before: `hint`, or `hint!k` for some number.
    pub fn fresh_function(&self, hint: &str, arguments: &[Sort], result: Sort) -> Symbol {
        let declared = self.declare_function(&self.fresh_name(hint), arguments, result);
        declared.expect("the name was just found to be free")
    }

    /// Whether a symbol was declared as a function.
    pub fn is_function(&self, symbol: Symbol) -> bool {
        self.arity(symbol) > 0
    }

    /// The sorts of the arguments and of the result of a function; no arguments for other symbols.
    pub fn signature(&self, symbol: Symbol) -> (Vec<Sort>, Sort) {
        let mut arguments = Vec::new();
        let mut result = self.symbol_sort(symbol);
        while arguments.len() < self.arity(symbol)
            && let Some((index, element)) = result.array_parts(self)
        {
            arguments.push(index);
            result = element;
        }
        (arguments, result)
    }

    /// A function applied to all its arguments.
    pub fn apply(&self, function: Symbol, arguments: &[Term]) -> Term {
        debug_assert_eq!(self.arity(function), arguments.len());
        let table = self.var(function);
        arguments.iter().fold(table, |t, &a| self.select(t, a))
    }

    /// The function and its arguments, if a term is a function applied to all its arguments.
    pub fn application(&self, t: Term) -> Option<(Symbol, Vec<Term>)> {
        if !self.has_functions() {
            return None;
        }
        let (function, count) = self.applied(t)?;
        if count != self.arity(function) {
            return None;
        }
        let mut arguments = Vec::with_capacity(count);
        let mut at = t;
        while let Node::Select(table, argument) = *self.node(at) {
            arguments.push(argument);
            at = table;
        }
        arguments.reverse();
        Some((function, arguments))
    }

    /// Whether a term is a function applied to only some of its arguments: a part of an
    /// application.
    pub fn is_partial_application(&self, t: Term) -> bool {
        self.applied(t)
            .is_some_and(|(function, count)| count < self.arity(function))
    }

    /// The function at the head of nested element accesses, and the number of accesses.
    fn applied(&self, t: Term) -> Option<(Symbol, usize)> {
        let mut at = t;
        let mut count = 0;
        loop {
            match *self.node(at) {
                Node::Select(table, _) => at = table,
                Node::Var(symbol, _) if self.is_function(symbol) => return Some((symbol, count)),
                _ => return None,
            }
            count += 1;
        }
    }

    /// The table of a function with one result set.
    pub fn entered(&self, table: Value, arguments: &[Value], result: Value) -> Value {
        let mut levels: Vec<ArrayValue> = Vec::with_capacity(arguments.len());
        let mut at = table;
        for argument in arguments {
            let Value::Array(table) = at else {
                unreachable!("the table of a function has a level for each argument")
            };
            at = table.get(argument).clone();
            levels.push(*table);
        }
        let levels = levels.into_iter().zip(arguments).rev();
        levels.fold(result, |inner, (table, argument)| {
            Value::Array(Box::new(table.with(self, argument.clone(), inner)))
        })
    }

    /// Calls `f` on the arguments of a term as a reader sees them: for an application all its
    /// arguments, but not the function itself.
    pub fn for_each_argument(&self, t: Term, f: impl FnMut(Term)) {
        match self.application(t) {
            Some((_, arguments)) => arguments.into_iter().for_each(f),
            None => self.node(t).for_each_child(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NativePrinter, evaluate};

    #[test]
    fn applications_are_elements_of_tables() {
        let terms = Terms::new();
        let f = terms.declare_function("f", &[Sort::Int, Sort::Bool], Sort::Real);
        let f = f.expect("a new name");
        let x = terms.var(terms.fresh("x", Sort::Int, SymbolKind::State));
        let t = terms.apply(f, &[x, terms.tt()]);
        assert_eq!(terms.sort(t), Sort::Real);
        assert_eq!(terms.application(t), Some((f, vec![x, terms.tt()])));
        assert_eq!(
            terms.signature(f),
            (vec![Sort::Int, Sort::Bool], Sort::Real)
        );
        let part = terms.select(terms.var(f), x);
        assert!(terms.is_partial_application(part) && terms.application(part).is_none());
        assert!(terms.is_partial_application(terms.var(f)));
        assert!(!terms.is_partial_application(t) && !terms.is_partial_application(x));
        assert_eq!(NativePrinter::new(&terms).print(t), "f(x, true)");
        let again = terms.declare_function("f", &[Sort::Int, Sort::Bool], Sort::Real);
        assert_eq!(again, Ok(f));
        let sort = terms.symbol_sort(f);
        assert!(terms.declare("f", sort, SymbolKind::Rigid).is_err());
        assert!(
            terms
                .declare_function("f", &[Sort::Int], Sort::Real)
                .is_err()
        );
    }

    #[test]
    fn a_function_that_gives_arrays_is_applied_before_it_is_read() {
        let terms = Terms::new();
        let array = terms.array_sort(Sort::Int, Sort::Int);
        let f = terms.declare_function("f", &[Sort::Int], array);
        let f = f.expect("a new name");
        let t = terms.apply(f, &[terms.int(1)]);
        let element = terms.select(t, terms.int(2));
        assert_eq!(terms.application(t), Some((f, vec![terms.int(1)])));
        assert_eq!(terms.application(element), None);
        assert!(!terms.is_partial_application(element));
        assert_eq!(NativePrinter::new(&terms).print(element), "f(1)[2]");
        let table = Value::some_of(&terms, terms.symbol_sort(f));
        let value = evaluate(&terms, element, &|_, _| Some(table.clone()));
        assert_eq!(value, Ok(Value::some_of(&terms, Sort::Int)));
    }
}
