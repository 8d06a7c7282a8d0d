//! Parsing terms and sorts.
//!
//! The parser keeps its own stack: the depth of a term costs heap memory, not stack.

use crate::operators::{Application, NONLINEAR, SORT, UNSUPPORTED, coerce};
use crate::scope::{Meaning, Scope};
use crate::sexp::{Atom, Sexp, Tree, View};
use sectile_base::{Diagnostic, Int, Rat};
use sectile_terms::{Sort, Substitution, Term, Terms};

const SYNTAX: &str = "smt-syntax";
const NAME: &str = "smt-name";

/// Parses a sort: `Bool`, `Int`, `Real`, a sort that the scope has a name for, or an array of such.
pub fn parse_sort(
    terms: &Terms,
    tree: &Tree<'_>,
    e: Sexp,
    scope: &Scope,
) -> Result<Sort, Diagnostic> {
    let mut stack = vec![(e, false)];
    let mut sorts = Vec::new();
    while let Some((at, expanded)) = stack.pop() {
        match tree.view(at) {
            View::Atom(Atom::Symbol, "Bool") => sorts.push(Sort::Bool),
            View::Atom(Atom::Symbol, "Int") => sorts.push(Sort::Int),
            View::Atom(Atom::Symbol, "Real") => sorts.push(Sort::Real),
            View::List(&[head, index, element]) if tree.symbol(head) == Some("Array") => {
                if expanded {
                    let element = sorts.pop().expect("the element's sort was parsed");
                    let index = sorts.pop().expect("the index's sort was parsed");
                    sorts.push(terms.array_sort(index, element));
                } else {
                    stack.extend([(at, true), (element, false), (index, false)]);
                }
            }
            _ => {
                let named = tree.symbol(at).and_then(|name| scope.sort(name));
                sorts.push(named.ok_or_else(|| {
                    tree.error(UNSUPPORTED, at, "this sort is not supported")
                        .help("sorts are Bool, Int, Real and (Array S T) of them")
                })?);
            }
        }
    }
    Ok(sorts.pop().expect("every expression gives one sort"))
}

/// Which quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
}

/// Additions of a language on top of SMT-LIB. Each method returns a term for what was read; the
/// implementation keeps everything that terms cannot express.
pub trait Extension {
    /// A name of the language applied to arguments; `None` where it has no such name.
    fn apply(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>>;

    /// An operator that is not a simple name, such as `(_ is C)`, applied to arguments, or such a
    /// constant; `None` if the language has no such operator.
    fn indexed(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        operator: Sexp,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>>;

    /// A variable that a quantifier binds.
    fn bound(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        sort: Sexp,
    ) -> Result<Term, Diagnostic>;

    /// A quantified formula.
    fn quantified(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        quantifier: Quantifier,
        body: Term,
    ) -> Result<Term, Diagnostic>;
}

/// Parses a term in a scope. `(! t :named n)` adds the name `n` to the scope.
pub fn parse_term(
    terms: &Terms,
    tree: &Tree<'_>,
    e: Sexp,
    scope: &mut Scope,
) -> Result<Term, Diagnostic> {
    parse_extended(terms, tree, e, scope, None)
}

/// Parses a term, perhaps of a language on top of SMT-LIB.
pub fn parse_extended(
    terms: &Terms,
    tree: &Tree<'_>,
    e: Sexp,
    scope: &mut Scope,
    extension: Option<&mut dyn Extension>,
) -> Result<Term, Diagnostic> {
    let mark = scope.mark();
    let mut parser = Parser {
        terms,
        tree,
        scope,
        extension,
        todo: vec![Todo::Visit(e)],
        values: Vec::new(),
        named: Vec::new(),
    };
    let result = parser.run();
    let named = std::mem::take(&mut parser.named);
    // Local names are removed, also after an error; names given by annotations stay.
    scope.undo_to(mark);
    let value = result?;
    for (name, term) in named {
        scope.define(name, Meaning::Term(term));
    }
    Ok(value)
}

/// Parses a term of a given sort; integers become reals if necessary.
pub fn parse_term_of(
    terms: &Terms,
    tree: &Tree<'_>,
    e: Sexp,
    scope: &mut Scope,
    sort: Sort,
) -> Result<Term, Diagnostic> {
    let term = parse_term(terms, tree, e, scope)?;
    coerce(terms, term, sort).ok_or_else(|| {
        let wanted = crate::print::print_sort(terms, sort);
        tree.error(SORT, e, format!("this must be of sort {wanted}"))
    })
}

enum Todo {
    /// Parse an expression and push its value.
    Visit(Sexp),
    /// Apply the operator of a list to that many values.
    Apply(Sexp, usize),
    /// The values of a `let` are ready: bind them.
    Bind(Sexp),
    /// The body of a `let` is done: remove its names.
    Unbind(usize),
    /// Apply the annotations of a list to the value on top.
    Annotate(Sexp),
    /// The body of a quantifier is done.
    Quantify(Sexp, Quantifier),
}

struct Parser<'a, 's, 'x> {
    terms: &'a Terms,
    tree: &'a Tree<'s>,
    scope: &'a mut Scope,
    extension: Option<&'x mut dyn Extension>,
    todo: Vec<Todo>,
    values: Vec<Term>,
    named: Vec<(&'s str, Term)>,
}

impl<'s> Parser<'_, 's, '_> {
    fn run(&mut self) -> Result<Term, Diagnostic> {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Visit(e) => self.visit(e)?,
                Todo::Apply(e, count) => self.apply(e, count)?,
                Todo::Bind(e) => self.bind(e)?,
                Todo::Unbind(mark) => self.scope.undo_to(mark),
                Todo::Annotate(e) => self.annotate(e)?,
                Todo::Quantify(e, quantifier) => self.quantify(e, quantifier)?,
            }
        }
        Ok(self.values.pop().expect("every expression gives one value"))
    }

    fn visit(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        match self.tree.view(e) {
            View::Atom(atom, text) => {
                let value = self.atom(e, atom, text)?;
                self.values.push(value);
                Ok(())
            }
            View::List([]) => Err(self.tree.error(SYNTAX, e, "`()` is not a term")),
            View::List(list) => match self.tree.symbol(list[0]) {
                Some("let") => self.open_let(e),
                Some("!") => self.open_annotation(e),
                Some("forall") => self.open_quantifier(e, Quantifier::Forall),
                Some("exists") => self.open_quantifier(e, Quantifier::Exists),
                Some("_" | "as") => {
                    let value = self.indexed(e, e, &[])?;
                    self.values.push(value);
                    Ok(())
                }
                Some("match" | "lambda") => {
                    Err(self.tree.error(UNSUPPORTED, e, "this is not supported"))
                }
                _ => {
                    let arguments = &list[1..];
                    self.todo.push(Todo::Apply(e, arguments.len()));
                    let visits = arguments.iter().rev().map(|&a| Todo::Visit(a));
                    self.todo.extend(visits);
                    Ok(())
                }
            },
        }
    }

    fn wrong<T>(
        &self,
        code: &'static str,
        e: Sexp,
        message: impl Into<String>,
    ) -> Result<T, Diagnostic> {
        Err(self.tree.error(code, e, message))
    }

    fn atom(&mut self, e: Sexp, atom: Atom, text: &str) -> Result<Term, Diagnostic> {
        let number = |sort| {
            let value: Result<Rat, _> = text.parse();
            let value = value.map_err(|_| self.tree.error(SYNTAX, e, "this is not a number"))?;
            Ok(self.terms.number(value, sort))
        };
        match atom {
            Atom::Numeral => number(Sort::Int),
            Atom::Decimal => number(Sort::Real),
            Atom::Symbol => self.symbol(e, text),
            Atom::Hexadecimal | Atom::Binary => {
                let literal = self.tree.source(e);
                let known = self.extended(e, literal, &[]);
                known.unwrap_or_else(|| self.wrong(UNSUPPORTED, e, "bit-vectors are not supported"))
            }
            Atom::String => self.wrong(UNSUPPORTED, e, "strings are not supported here"),
            Atom::Keyword => self.wrong(SYNTAX, e, "a keyword is not a term"),
        }
    }

    fn symbol(&mut self, e: Sexp, name: &str) -> Result<Term, Diagnostic> {
        match self.scope.meaning(self.terms, name) {
            Some(Meaning::Term(t)) => Ok(t),
            Some(Meaning::Macro { parameters, .. }) => {
                let wanted = parameters.len();
                self.wrong(SORT, e, format!("`{name}` needs {wanted} arguments"))
            }
            Some(Meaning::Function(function)) => {
                let wanted = self.terms.arity(function);
                self.wrong(SORT, e, format!("`{name}` needs {wanted} arguments"))
            }
            Some(Meaning::Sort(_)) | None => match name {
                "true" => Ok(self.terms.tt()),
                "false" => Ok(self.terms.ff()),
                _ => self
                    .extended(e, name, &[])
                    .unwrap_or_else(|| self.wrong(NAME, e, format!("there is no `{name}`"))),
            },
        }
    }

    /// An application of the language on top of SMT-LIB.
    fn extended(
        &mut self,
        e: Sexp,
        name: &str,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let tree = self.tree;
        self.extension
            .as_deref_mut()
            .and_then(|x| x.apply(tree, e, name, arguments))
    }

    fn open_quantifier(&mut self, e: Sexp, quantifier: Quantifier) -> Result<(), Diagnostic> {
        let tree = self.tree;
        let shape = || {
            let message = "a quantifier looks like (forall ((name sort) ...) term)";
            tree.error(SYNTAX, e, message)
        };
        let Some(extension) = self.extension.as_deref_mut() else {
            return self.wrong(UNSUPPORTED, e, "quantifiers are not supported");
        };
        let [_, bound, body] = tree.list(e).unwrap_or(&[]) else {
            return Err(shape());
        };
        let mark = self.scope.mark();
        for &pair in tree.list(*bound).ok_or_else(shape)? {
            let Some(&[name, sort]) = tree.list(pair) else {
                return Err(shape());
            };
            let name = tree.symbol(name).ok_or_else(shape)?;
            let variable = extension.bound(tree, pair, name, sort)?;
            self.scope.define(name, Meaning::Term(variable));
        }
        self.todo.push(Todo::Unbind(mark));
        self.todo.push(Todo::Quantify(e, quantifier));
        self.todo.push(Todo::Visit(*body));
        Ok(())
    }

    fn quantify(&mut self, e: Sexp, quantifier: Quantifier) -> Result<(), Diagnostic> {
        let tree = self.tree;
        let body = self.values.pop().expect("the body was parsed");
        if self.terms.sort(body) != Sort::Bool {
            return Err(tree.error(SORT, e, "only formulas can be quantified"));
        }
        let extension = self.extension.as_deref_mut();
        let extension = extension.expect("`open_quantifier` looked for it");
        let value = extension.quantified(tree, e, quantifier, body)?;
        self.values.push(value);
        Ok(())
    }

    fn open_let(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        let shape = || {
            self.tree
                .error(SYNTAX, e, "a `let` looks like (let ((name term) ...) term)")
        };
        let [_, bindings, _] = self.tree.list(e).unwrap_or(&[]) else {
            return Err(shape());
        };
        let bindings = self.tree.list(*bindings).ok_or_else(shape)?;
        self.todo.push(Todo::Bind(e));
        for &binding in bindings.iter().rev() {
            match self.tree.list(binding) {
                Some(&[name, value]) if self.tree.symbol(name).is_some() => {
                    self.todo.push(Todo::Visit(value));
                }
                _ => return Err(shape()),
            }
        }
        Ok(())
    }

    fn bind(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        let [_, bindings, body] = self.tree.list(e).unwrap_or(&[]) else {
            unreachable!("`open_let` checked the shape")
        };
        let bindings = self.tree.list(*bindings).unwrap_or(&[]);
        let mark = self.scope.mark();
        let values = self.values.split_off(self.values.len() - bindings.len());
        for (&binding, value) in bindings.iter().zip(values) {
            let name = self.tree.list(binding).and_then(|b| self.tree.symbol(b[0]));
            let name = name.expect("`open_let` checked the bindings");
            self.scope.define(name, Meaning::Term(value));
        }
        self.todo.push(Todo::Unbind(mark));
        self.todo.push(Todo::Visit(*body));
        Ok(())
    }

    fn open_annotation(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        match self.tree.list(e) {
            Some([_, term, attribute, ..]) if self.tree.keyword(*attribute).is_some() => {
                self.todo.push(Todo::Annotate(e));
                self.todo.push(Todo::Visit(*term));
                Ok(())
            }
            _ => self.wrong(
                SYNTAX,
                e,
                "an annotation looks like (! term :keyword value)",
            ),
        }
    }

    fn annotate(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        let value = *self.values.last().expect("the annotated term was parsed");
        for (keyword, argument) in annotations(self.tree, e) {
            if keyword == "named" {
                let Some(name) = argument.and_then(|a| self.tree.symbol(a)) else {
                    return self.wrong(SYNTAX, e, "`:named` needs a symbol");
                };
                self.named.push((name, value));
            }
        }
        Ok(())
    }

    fn apply(&mut self, e: Sexp, count: usize) -> Result<(), Diagnostic> {
        let arguments = self.values.split_off(self.values.len() - count);
        let head = self.tree.list(e).expect("only lists are applied")[0];
        let value = match self.tree.symbol(head) {
            Some(name) => self.call(e, name, &arguments)?,
            None => self.indexed(e, head, &arguments)?,
        };
        self.values.push(value);
        Ok(())
    }

    fn call(&mut self, e: Sexp, name: &str, arguments: &[Term]) -> Result<Term, Diagnostic> {
        if let Some(result) = self.extended(e, name, arguments) {
            return result;
        }
        match self.scope.meaning(self.terms, name) {
            Some(Meaning::Macro { parameters, body }) => {
                return self.expand(e, name, (&parameters, body), arguments);
            }
            Some(Meaning::Function(function)) => {
                let sorts = self.terms.signature(function).0;
                let arguments = self.fitted(e, name, &sorts, arguments)?;
                return Ok(self.terms.apply(function, &arguments));
            }
            Some(Meaning::Term(_)) => {
                return self.wrong(SORT, e, format!("`{name}` has no arguments"));
            }
            Some(Meaning::Sort(_)) | None => {}
        }
        let application = Application {
            terms: self.terms,
            tree: self.tree,
            at: e,
            name,
        };
        application
            .apply(arguments)
            .unwrap_or_else(|| self.wrong(NAME, e, format!("there is no operator `{name}`")))
    }

    fn expand(
        &self,
        e: Sexp,
        name: &str,
        (parameters, body): (&[Term], Term),
        arguments: &[Term],
    ) -> Result<Term, Diagnostic> {
        let sorts: Vec<Sort> = parameters.iter().map(|&p| self.terms.sort(p)).collect();
        let arguments = self.fitted(e, name, &sorts, arguments)?;
        let map: Substitution = parameters.iter().copied().zip(arguments).collect();
        Ok(self.terms.substitute(body, &map))
    }

    /// The arguments, converted to the required sorts.
    fn fitted(
        &self,
        e: Sexp,
        name: &str,
        sorts: &[Sort],
        arguments: &[Term],
    ) -> Result<Vec<Term>, Diagnostic> {
        if sorts.len() != arguments.len() {
            let wanted = sorts.len();
            return self.wrong(SORT, e, format!("`{name}` needs {wanted} arguments"));
        }
        let pairs = arguments.iter().zip(sorts);
        let fitted = pairs.map(|(&a, &sort)| coerce(self.terms, a, sort));
        let fitted: Option<Vec<Term>> = fitted.collect();
        let wrong = || {
            let message = format!("an argument of `{name}` has the wrong sort");
            self.tree.error(SORT, e, message)
        };
        fitted.ok_or_else(wrong)
    }

    /// `((as const sort) value)`.
    fn constant_array(&self, e: Sexp, sort: Sexp, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let Sort::Array(id) = parse_sort(self.terms, self.tree, sort, self.scope)? else {
            return self.wrong(SORT, sort, "`const` needs the sort of an array");
        };
        let element = self.terms.array_parts(id).1;
        if let [value] = *arguments
            && let Some(value) = coerce(self.terms, value, element)
        {
            return Ok(self.terms.filled(id, value));
        }
        self.wrong(SORT, e, "`const` has one argument, an element of the array")
    }

    /// An operator that is not a plain symbol: `(_ divisible n)`.
    fn indexed(&mut self, e: Sexp, head: Sexp, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let tree = self.tree;
        let extension = self.extension.as_deref_mut();
        if let Some(result) = extension.and_then(|x| x.indexed(tree, e, head, arguments)) {
            return result;
        }
        let parts = self.tree.list(head).unwrap_or(&[]);
        if let [underscore, name, number] = *parts
            && self.tree.symbol(underscore) == Some("_")
            && self.tree.symbol(name) == Some("divisible")
        {
            let divisor: Option<Int> = self.tree.numeral(number).and_then(|n| n.parse().ok());
            let divisor = divisor.filter(|d| !d.is_zero());
            let Some(divisor) = divisor else {
                return self.wrong(NONLINEAR, head, "`divisible` needs a positive number");
            };
            let [argument] = *arguments else {
                return self.wrong(SORT, e, "`divisible` has one argument");
            };
            return match coerce(self.terms, argument, Sort::Int) {
                Some(a) => Ok(self.terms.divides(&divisor, a)),
                None => self.wrong(SORT, e, "`divisible` needs an integer"),
            };
        }
        if let [qualified, name, sort] = *parts
            && self.tree.symbol(qualified) == Some("as")
            && self.tree.symbol(name) == Some("const")
        {
            return self.constant_array(e, sort, arguments);
        }
        self.wrong(UNSUPPORTED, head, "this operator is not supported")
    }
}

/// The attributes of `(! term :a x :b ...)` with their values, which may be missing.
pub fn annotations<'t, 's>(
    tree: &'t Tree<'s>,
    e: Sexp,
) -> impl Iterator<Item = (&'s str, Option<Sexp>)> + use<'t, 's> {
    let list = tree.list(e).unwrap_or(&[]);
    let rest = list.get(2..).unwrap_or(&[]);
    rest.iter().enumerate().filter_map(move |(i, &a)| {
        let keyword = tree.keyword(a)?;
        let next = rest.get(i + 1).copied();
        Some((keyword, next.filter(|&n| tree.keyword(n).is_none())))
    })
}
