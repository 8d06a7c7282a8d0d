//! Expressions to terms: names, types, linear arithmetic, functions as abbreviations.

use super::ast::Function;
use super::constructs::{CALL_FORALL, FOREIGN_FUNCTION, OTHER};
use super::nonlinear::Opaque;
use super::program::{Key, Program, Scope};
use super::quantifiers::{Quantifiers, Side};
use super::types::{Known, Sorts};
pub use crate::elaborate::Elaborated;
use crate::elaborate::{Shared, Way, compared, connected, divisor, product, selected, updated};
use crate::messages::{Report, Reported, all, did_you_mean};
use crate::syntax::{
    Access, Builtin, Call, Comparison, Connective, Construct, Expr, ExprKind, Factor, Name,
    NumberKind, Sign,
};
use sectile_base::{Diagnostic, Diagnostics, Rat, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms, display_sort};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum joint nesting depth of expressions and the bodies of functions in them.
const DEEPEST: usize = 400;

/// Maximum number of applications of functions that are expanded.
const MOST_APPLICATIONS: usize = 100_000;

/// The context of an expression.
#[derive(Clone, Copy)]
pub struct Context<'b> {
    pub scope: Scope,
    /// The meaning of `old`.
    pub old: OldMeaning,
    /// The arguments of the function whose body this is, and the variables of quantifiers.
    pub(super) bound: Option<&'b BTreeMap<Arc<str>, Term>>,
    /// How it is assumed, if it is a condition that may have quantifiers.
    pub(super) side: Option<Side>,
}

/// The meaning of `old`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldMeaning {
    /// Nothing: the expression is about the state at the entry.
    Same,
    /// The values at the entry of the procedure.
    Entry,
    /// The expression stands inside of `old`.
    Inside,
}

/// Turns expressions into terms, declaring symbols of variables on first use.
pub struct Elaborator<'e, 'f> {
    pub terms: &'e Terms,
    pub program: &'e Program<'f>,
    pub diagnostics: &'e mut Diagnostics,
    pub symbols: BTreeMap<Key, Symbol>,
    pub quantifiers: Quantifiers,
    /// Operations that are not linear.
    pub opaque: Vec<Opaque>,
    /// Whether such operations are refused.
    pub linear: bool,
    sorts: Sorts,
    ambiguous: BTreeSet<&'f str>,
    taken: BTreeSet<String>,
    applications: BTreeMap<(usize, Vec<Term>), Elaborated<Term>>,
    shared: Shared<usize>,
    depth: usize,
    hopeless: bool,
}

impl Context<'_> {
    /// In the body of a procedure.
    pub fn body(procedure: usize) -> Context<'static> {
        Context {
            scope: Scope::Body(procedure),
            old: OldMeaning::Entry,
            bound: None,
            side: None,
        }
    }

    /// In this scope, with this meaning of `old`.
    pub fn new(scope: Scope, old: OldMeaning) -> Context<'static> {
        Context {
            scope,
            old,
            bound: None,
            side: None,
        }
    }
}

impl Report for Elaborator<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        // Bodies are inlined more than once: one message per position is enough.
        if !self.diagnostics.has_error_at(diagnostic.span) {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }
}

impl<'e, 'f> Elaborator<'e, 'f> {
    /// An elaborator without symbols.
    pub fn new(
        terms: &'e Terms,
        program: &'e Program<'f>,
        diagnostics: &'e mut Diagnostics,
    ) -> Elaborator<'e, 'f> {
        Elaborator {
            terms,
            program,
            diagnostics,
            symbols: BTreeMap::new(),
            quantifiers: Quantifiers::default(),
            opaque: Vec::new(),
            linear: false,
            sorts: Sorts::new(terms, program),
            ambiguous: ambiguous(program),
            taken: BTreeSet::new(),
            applications: BTreeMap::new(),
            shared: Shared::default(),
            depth: 0,
            hopeless: false,
        }
    }

    /// Refuses a construct.
    pub fn unsupported(&mut self, construct: &'static Construct, span: Span) -> Reported {
        let verb = match *construct == CALL_FORALL {
            true => "is",
            false => "are",
        };
        let message = format!("{} {verb} not supported", construct.name);
        self.error("unsupported", span, message, construct.help)
    }

    /// A condition.
    pub fn formula(&mut self, expr: &Expr, place: Context<'_>) -> Elaborated<Term> {
        self.expect(expr, Sort::Bool, place)
    }

    /// A value of this sort.
    pub fn expect(&mut self, expr: &Expr, sort: Sort, place: Context<'_>) -> Elaborated<Term> {
        let term = self.term(expr, place)?;
        let found = self.terms.sort(term);
        match found == sort {
            true => Ok(term),
            false => {
                let expected = format!("`{}`", display_sort(self.terms, sort));
                Err(self.mismatch(expr.span, &expected, found))
            }
        }
    }

    pub(super) fn mismatch(&mut self, span: Span, expected: &str, found: Sort) -> Reported {
        let found_name = display_sort(self.terms, found);
        let message = format!("expected {expected}, found `{found_name}`");
        let help = match (expected, found) {
            ("`real`", Sort::Int) => "write `real(...)`, or a number with a point: `1.0`",
            ("`int`", Sort::Real) => "write `int(...)`, which rounds down",
            _ => "",
        };
        self.error("type", span, message, help)
    }

    /// A term of any sort.
    pub fn term(&mut self, expr: &Expr, place: Context<'_>) -> Elaborated<Term> {
        if self.hopeless {
            return Err(Reported);
        }
        if self.depth == DEEPEST {
            // Everything around it would reach the limit again.
            self.hopeless = true;
            let message = "this is nested too deep, including the bodies of functions";
            let help = "assign parts of it to variables";
            return Err(self.error("nesting", expr.span, message, help));
        }
        self.depth += 1;
        let result = self.term_inside(expr, place);
        self.depth -= 1;
        result
    }

    fn term_inside(&mut self, expr: &Expr, around: Context<'_>) -> Elaborated<Term> {
        let place = match &expr.kind {
            ExprKind::Not(_) => around.flipped(),
            ExprKind::Connected(..)
            | ExprKind::Call(_)
            | ExprKind::Builtin(Builtin::Old, _)
            | ExprKind::Unbounded(_) => around,
            _ => around.plain(),
        };
        match &expr.kind {
            ExprKind::Bool(value) => Ok(self.terms.bool(*value)),
            ExprKind::Number(value, kind) => {
                let sort = match kind {
                    NumberKind::Integer => Sort::Int,
                    NumberKind::Decimal => Sort::Real,
                };
                Ok(self.terms.number(value.clone(), sort))
            }
            ExprKind::Name(name) => self.name(&name.text, expr.span, place),
            ExprKind::Not(inner) => self.formula(inner, place).map(|t| self.terms.not(t)),
            ExprKind::Negate(inner) => self.number(inner, place).map(|t| self.terms.neg(t)),
            ExprKind::Connected(connective, list) => self.connected(*connective, list, place),
            ExprKind::Unbounded(inner) => self.quantified(inner, expr.span, place),
            ExprKind::Compared(first, rest) => self.comparison(first, &rest[0], place),
            ExprKind::Sum(list) => {
                let (values, sort) = self.numbers(list.iter().map(|(_, e)| e), place)?;
                let signed = list.iter().zip(values).map(|((sign, _), v)| match sign {
                    Sign::Plus => v,
                    Sign::Minus => self.terms.neg(v),
                });
                Ok(self.terms.add_all(signed, sort))
            }
            ExprKind::Product(first, rest) => self.product(first, rest, place),
            ExprKind::If(arms, otherwise) => self.conditional(arms, otherwise, place),
            ExprKind::Call(call) => self.apply(call, expr.span, place),
            ExprKind::Builtin(function, list) => self.builtin(*function, list, expr.span, place),
            ExprKind::Indexed(map, accesses) => self.indexed(map, accesses, place),
            _ => Err(self.unsupported(&OTHER, expr.span)),
        }
    }

    fn connected(
        &mut self,
        connective: Connective,
        list: &[Expr],
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let last = list.len() - 1;
        let side = |i: usize| match connective {
            Connective::And | Connective::Or => place,
            Connective::Implies if i == last => place,
            Connective::Implies => place.flipped(),
            Connective::Iff => place.plain(),
        };
        if let (Connective::Iff, Some(assumed)) = (connective, place.side)
            && list.iter().any(|e| self.quantifies(e))
        {
            return self.equivalence(list, assumed, place);
        }
        let parts = list.iter().enumerate();
        let parts = all(parts.map(|(i, e)| self.formula(e, side(i))))?;
        Ok(connected(self.terms, connective, parts))
    }

    fn builtin(
        &mut self,
        function: Builtin,
        list: &[Expr],
        span: Span,
        place: Context<'_>,
    ) -> Elaborated<Term> {
        match (function, list) {
            (Builtin::Old, [inner]) => {
                let old = match place.old {
                    OldMeaning::Same => OldMeaning::Same,
                    _ => OldMeaning::Inside,
                };
                self.term(inner, Context { old, ..place })
            }
            (Builtin::Real, [inner]) => {
                let value = self.expect(inner, Sort::Int, place)?;
                Ok(self.terms.to_real(value))
            }
            (Builtin::Floor, [inner]) => {
                let value = self.expect(inner, Sort::Real, place)?;
                Ok(self.terms.floor(value))
            }
            (Builtin::Unsupported(construct), _) => Err(self.unsupported(construct, span)),
            _ => Err(self.unsupported(&OTHER, span)),
        }
    }

    fn name(&mut self, name: &str, span: Span, place: Context<'_>) -> Elaborated<Term> {
        if let Some(bound) = place.bound
            && let Some(&term) = bound.get(name)
        {
            return Ok(term);
        }
        let key = self.key(name, span, place.scope)?;
        let old = place.old == OldMeaning::Inside && self.program.changes(key);
        let key = match (key, place.scope) {
            (Key::Global(g), Scope::Body(p) | Scope::Contract(p)) if old => Key::Old(p, g),
            (Key::Global(g), Scope::Call(p)) if old => Key::PassedOld(p, g),
            _ => key,
        };
        Ok(self.terms.var(self.symbol(key, span)?))
    }

    /// The variable or constant of a name; an unknown one is reported.
    pub fn key(&mut self, name: &str, span: Span, scope: Scope) -> Elaborated<Key> {
        if let Some(key) = self.program.lookup(scope, name) {
            return Ok(key);
        }
        let message = format!("there is no variable or constant `{name}`");
        let otherwise = match self.program.function(name) {
            Some(_) => format!("`{name}` is a function: write `{name}(...)`"),
            None => String::new(),
        };
        let known = self.program.names(scope);
        let help = did_you_mean(name, known.into_iter(), &otherwise);
        Err(self.error("unknown", span, message, help))
    }

    /// The sort of a variable, or why it has none.
    pub fn sort_of(&self, key: Key) -> Known {
        let of = self.program.declared(key).1;
        self.sorts.of(self.terms, self.program, of)
    }

    /// The symbol of a variable or constant; `span` is the position of its use.
    pub fn symbol(&mut self, key: Key, span: Span) -> Elaborated<Symbol> {
        if let Some(&symbol) = self.symbols.get(&key) {
            return Ok(symbol);
        }
        let (name, of) = self.program.declared(key);
        let sort = match self.sort_of(key) {
            Ok(sort) => sort,
            Err(Some(construct)) => {
                let of = construct.name;
                let message = format!("`{}` cannot be used: {of} are not supported", name.text);
                return Err(self.error("unsupported", span, message, construct.help));
            }
            Err(None) => {
                let message = "this type is not declared, or is defined in terms of itself";
                let help = "types are `bool`, `int`, `real` and those declared by `type`";
                return Err(self.error("unknown", of.span, message, help));
            }
        };
        let kind = match self.program.changes(key) {
            true => SymbolKind::State,
            false => SymbolKind::Rigid,
        };
        let text = self.full_name(key);
        let Ok(symbol) = self.terms.declare(&text, sort, kind) else {
            let message = format!("the name `{text}` is used by another model");
            return Err(self.error("name", name.span, message, ""));
        };
        self.symbols.insert(key, symbol);
        Ok(symbol)
    }

    /// The name of a variable in the graph: as in the source, with the name of its procedure before
    /// it if that is ambiguous.
    fn full_name(&mut self, key: Key) -> String {
        let text = &*self.program.declared(key).0.text;
        let owner = |p: usize| &*self.program.procedures[p].declared.name.text;
        let mut name = match key {
            Key::Constant(_) | Key::Global(_) | Key::Function(_) => text.to_string(),
            Key::Local(p, _) if self.ambiguous.contains(text) => format!("{}.{text}", owner(p)),
            Key::Local(..) => text.to_string(),
            Key::Passed(p, _) => format!("call.{}.{text}", owner(p)),
            Key::Old(p, _) => format!("{}.old({text})", owner(p)),
            Key::PassedOld(p, _) => format!("call.{}.old({text})", owner(p)),
        };
        // Backquotes delimit names elsewhere.
        name = name.replace('`', "'");
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn number(&mut self, expr: &Expr, place: Context<'_>) -> Elaborated<Term> {
        let term = self.term(expr, place)?;
        let sort = self.terms.sort(term);
        match sort.is_numeric() {
            true => Ok(term),
            false => Err(self.mismatch(expr.span, "a number", sort)),
        }
    }

    /// Numbers of one sort, at least one.
    fn numbers<'x>(
        &mut self,
        list: impl Iterator<Item = &'x Expr>,
        place: Context<'_>,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let mut found: Vec<Term> = Vec::new();
        for expr in list {
            found.push(match found.first() {
                None => self.number(expr, place)?,
                Some(&first) => self.expect(expr, self.terms.sort(first), place)?,
            });
        }
        let sort = self.terms.sort(found[0]);
        Ok((found, sort))
    }

    fn comparison(
        &mut self,
        left: &Expr,
        (comparison, right): &(Comparison, Expr),
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let a = match comparison {
            Comparison::Equal | Comparison::NotEqual => self.term(left, place),
            _ => self.number(left, place),
        };
        // Both sides are elaborated, so that mistakes in both are reported.
        let Ok(a) = a else {
            let _ = self.term(right, place);
            return Err(Reported);
        };
        let b = self.expect(right, self.terms.sort(a), place)?;
        Ok(compared(self.terms, *comparison, a, b))
    }

    fn product(
        &mut self,
        first: &Expr,
        rest: &[(Factor, Expr)],
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let all = std::iter::once(first).chain(rest.iter().map(|(_, e)| e));
        let (values, sort) = self.numbers(all, place)?;
        let mut left = values[0];
        for ((factor, expr), &right) in rest.iter().zip(&values[1..]) {
            let span = first.span.to(expr.span);
            if *factor == Factor::Times {
                left = self.times(left, right, span)?;
                continue;
            }
            if sort == Sort::Real && *factor != Factor::Over {
                return Err(self.mismatch(expr.span, "`int`", sort));
            }
            if sort == Sort::Int && *factor == Factor::Over {
                self.warn_slash(span);
            }
            if self.terms.as_number(right).is_none() && !self.linear {
                left = self.opaque(*factor, left, right);
                continue;
            }
            let divisor = self.divisor(right, expr.span)?;
            left = match (factor, sort) {
                (_, Sort::Real) => self.terms.scale(left, &divisor.recip()),
                (Factor::Mod, _) => self.terms.modulo(left, &divisor.numer()),
                _ => self.terms.div(left, &divisor.numer()),
            };
        }
        Ok(left)
    }

    /// `/` between integers is a real in one dialect and an integer in another.
    fn warn_slash(&mut self, span: Span) {
        let message = "`/` between integers is read as `div`";
        let help = "write `div`, or `real(a) / real(b)` for a fraction";
        self.diagnostics
            .push(Diagnostic::warning("division", span, message).help(help));
    }

    fn times(&mut self, left: Term, right: Term, span: Span) -> Elaborated<Term> {
        let constant = |t| self.terms.as_number(t).is_some();
        if !self.linear && !constant(left) && !constant(right) {
            return Ok(self.opaque(Factor::Times, left, right));
        }
        let help = "only linear arithmetic is supported here: one factor of `*` must be a number";
        product(self.terms, left, right).map_err(|wrong| wrong.report(self, span, help))
    }

    fn divisor(&mut self, term: Term, span: Span) -> Elaborated<Rat> {
        let help =
            "only linear arithmetic is supported here: a divisor must be a number other than 0";
        divisor(self.terms, term).map_err(|wrong| wrong.report(self, span, help))
    }

    fn conditional(
        &mut self,
        arms: &[(Expr, Expr)],
        otherwise: &Expr,
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let mut result = self.term(otherwise, place)?;
        let sort = self.terms.sort(result);
        for (condition, value) in arms.iter().rev() {
            let condition = self.formula(condition, place)?;
            let value = self.expect(value, sort, place)?;
            result = self.terms.ite(condition, value, result);
        }
        Ok(result)
    }

    /// A function is replaced by its body; without one it is uninterpreted.
    fn apply(&mut self, call: &Call, span: Span, place: Context<'_>) -> Elaborated<Term> {
        let Call {
            name, arguments, ..
        } = call;
        let Some((id, function)) = self.program.function(&name.text) else {
            let message = format!("there is no function `{}`", name.text);
            let help = match self.program.procedure(&name.text) {
                Some(_) => "it is a procedure: use `call`",
                None => "",
            };
            return Err(self.error("unknown", name.span, message, help));
        };
        if arguments.len() != function.parameters.len() {
            let (name, given) = (&name.text, arguments.len());
            let parameters = function.parameters.len();
            let message =
                format!("`{name}` has {parameters} parameters, and {given} arguments are given");
            return Err(self.error("arity", span, message, ""));
        }
        let mut values = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let sort = self.type_sort(&parameter.of)?;
            values.push(self.expect(argument, sort, place.plain())?);
        }
        let Some(body) = &function.body else {
            if function.foreign {
                return Err(self.unsupported(&FOREIGN_FUNCTION, span));
            }
            let symbol = self.function_symbol(id, function)?;
            return Ok(match values.is_empty() {
                true => self.terms.var(symbol),
                false => self.terms.apply(symbol, &values),
            });
        };
        if place.side.is_some() && self.program.quantified[id] {
            // The meaning of a quantifier depends on its context.
            return self.body(function, body, &values, place.side);
        }
        if let Some(&known) = self.applications.get(&(id, values.clone())) {
            return known;
        }
        let mut way = self.shared.way(self.terms, &id, &values);
        if let Way::Share(parameters) = way {
            self.share(id, function, parameters);
            way = self.shared.way(self.terms, &id, &values);
        }
        let term = match way {
            Way::Known(term) => Ok(term),
            Way::Expand if self.applications.len() < MOST_APPLICATIONS => {
                self.body(function, body, &values, None)
            }
            _ => {
                self.hopeless = true;
                let message = "too many different applications of functions";
                return Err(self.error("size", span, message, ""));
            }
        };
        self.applications.insert((id, values), term);
        term
    }

    /// The symbol of a function without a body: any function, the same in all states.
    fn function_symbol(&mut self, id: usize, function: &Function) -> Elaborated<Symbol> {
        let key = Key::Function(id);
        if let Some(&symbol) = self.symbols.get(&key) {
            return Ok(symbol);
        }
        let mut sorts = Vec::new();
        for parameter in &function.parameters {
            sorts.push(self.type_sort(&parameter.of)?);
        }
        let result = self.type_sort(&function.result)?;
        let text = self.full_name(key);
        let declared = match sorts.is_empty() {
            true => self.terms.declare(&text, result, SymbolKind::Rigid),
            false => self.terms.declare_function(&text, &sorts, result),
        };
        let Ok(symbol) = declared else {
            let message = format!("the name `{text}` is used by another model");
            return Err(self.error("name", function.name.span, message, ""));
        };
        self.symbols.insert(key, symbol);
        Ok(symbol)
    }

    /// The body of a function for these arguments.
    fn body(
        &mut self,
        function: &Function,
        body: &Expr,
        values: &[Term],
        side: Option<Side>,
    ) -> Elaborated<Term> {
        let names = function.parameters.iter().map(|p| p.name.text.clone());
        let bound: BTreeMap<Arc<str>, Term> = names.zip(values.iter().copied()).collect();
        let inside = Context {
            scope: Scope::File,
            old: OldMeaning::Same,
            bound: Some(&bound),
            side,
        };
        let sort = self.type_sort(&function.result)?;
        self.expect(body, sort, inside)
    }

    /// Turns the body of a function into a term over its parameters, if possible. Mistakes are left
    /// to the expansions.
    fn share(&mut self, id: usize, function: &Function, parameters: Vec<Symbol>) {
        let before = self.diagnostics.clone();
        // A symbol for a nonlinear result belongs to particular arguments, so it cannot be shared.
        let linear = std::mem::replace(&mut self.linear, true);
        let values: Vec<Term> = parameters.iter().map(|&p| self.terms.var(p)).collect();
        let body = function.body.as_ref();
        if let Some(Ok(term)) = body.map(|body| self.body(function, body, &values, None)) {
            self.shared.share(self.terms, id, parameters, term);
        }
        *self.diagnostics = before;
        self.linear = linear;
        self.hopeless = false;
    }

    pub(super) fn type_sort(&mut self, of: &super::ast::Type) -> Elaborated<Sort> {
        let known = self.sorts.of(self.terms, self.program, of);
        known.map_err(|why| match why {
            Some(construct) => self.unsupported(construct, of.span),
            None => {
                let message = "this type is not declared, or is defined in terms of itself";
                self.error("unknown", of.span, message, "")
            }
        })
    }

    /// A map with a chain of element accesses and updates.
    fn indexed(&mut self, map: &Expr, accesses: &[Access], place: Context<'_>) -> Elaborated<Term> {
        let terms = self.terms;
        let mut whole = self.term(map, place)?;
        for access in accesses {
            let sort = terms.sort(whole);
            let (indices, element) = self.places(sort, &access.indices, access.span, place)?;
            whole = match &access.value {
                None => selected(terms, whole, &indices),
                Some(value) => {
                    let value = self.expect(value, element, place)?;
                    updated(terms, whole, &indices, value)
                }
            };
        }
        Ok(whole)
    }

    /// The values of indices into a map of this sort, and the sort of the selected value. `span` is
    /// the position of the map with its indices.
    pub fn places(
        &mut self,
        map: Sort,
        indices: &[Expr],
        span: Span,
        place: Context<'_>,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let mut sort = map;
        let mut found = Vec::new();
        for index in indices {
            let Sort::Array(id) = sort else {
                return Err(self.no_map(map, sort, found.len(), span));
            };
            let (wanted, element) = self.terms.array_parts(id);
            found.push(self.expect(index, wanted, place)?);
            sort = element;
        }
        Ok((found, sort))
    }

    pub(super) fn no_map(
        &mut self,
        map: Sort,
        element: Sort,
        taken: usize,
        span: Span,
    ) -> Reported {
        let name = display_sort(self.terms, map);
        let message = match taken {
            0 => format!("expected a map, found `{name}`"),
            _ => format!(
                "`{name}` has {taken} indices and elements of type `{}`",
                display_sort(self.terms, element)
            ),
        };
        self.error("type", span, message, "only maps have elements")
    }
}

/// Names shared by several variables or constants.
fn ambiguous<'f>(program: &Program<'f>) -> BTreeSet<&'f str> {
    let mut once = BTreeSet::new();
    let mut twice = BTreeSet::new();
    let mut add = |name: &'f Name| {
        if !once.insert(&*name.text) {
            twice.insert(&*name.text);
        }
    };
    program.file.globals.iter().for_each(|g| add(&g.name));
    program.file.constants.iter().for_each(|c| add(&c.name));
    for routine in program.procedures.iter().filter(|r| r.used || r.called) {
        routine.variables.iter().for_each(|v| add(&v.name));
    }
    twice
}
