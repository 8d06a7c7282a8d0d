//! Quantifiers over all values of a type.
//!
//! A condition is assumed to hold, or to fail. To assume that some value satisfies it, a *witness*
//! is used, which may have any value. To assume that all values satisfy it, a few *instances* are
//! used. This allows more than the program does, so such a step cannot be part of a violation.

use super::ast::{Bound, Expr, for_each_name};
use super::constructs::QUANTIFIER;
use super::elaborate::{Context, Elaborated, Elaborator};
use super::instances::Scheme;
use super::program::{Key, Program, Scope};
use crate::messages::all;
use crate::syntax::{Comparison, ExprKind, Name, Unbounded};
use sectile_base::Span;
use sectile_base::digraph::Digraph;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, display_sort};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of values tried for one variable, and of instances made of one condition.
const MOST_VALUES: usize = 16;
const MOST_INSTANCES: usize = 256;

/// How a condition is assumed.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Whether it is assumed to hold, or to fail.
    pub holds: bool,
    /// Whether no run assumes it twice with different witnesses, so that these can be constants.
    pub once: bool,
}

impl Side {
    pub const HOLDS: Side = Side {
        holds: true,
        once: false,
    };
    pub const FAILS: Side = Side {
        holds: false,
        once: false,
    };
    /// A claim that fails: the run ends there.
    pub const FAILS_ONCE: Side = Side {
        holds: false,
        once: true,
    };
    /// An axiom, which holds throughout the run.
    pub const HOLDS_ONCE: Side = Side {
        holds: true,
        once: true,
    };
}

/// A condition to assume, without quantifiers.
pub struct Assumption {
    pub term: Term,
    /// The witnesses that get a new arbitrary value each time.
    pub chosen: Vec<Symbol>,
    /// Whether it says less than the condition does.
    pub weaker: bool,
}

/// Identifies a variable of a quantifier: its position in the text, the values of the surrounding
/// variables that stand for all values, and how often it occurred in the condition before (a
/// function body may be used several times).
type Place = (Span, Vec<Term>, usize);

/// The witnesses and instances of a program's quantifiers.
#[derive(Clone, Default)]
pub struct Quantifiers {
    /// Witnesses that are constants.
    pub constants: BTreeMap<Place, Symbol>,
    /// Witnesses that are chosen anew each time.
    pub choices: BTreeMap<Place, Symbol>,
    /// Whether there was any quantifier.
    pub met: bool,
    within: Vec<Term>,
    uses: BTreeMap<(Span, Vec<Term>), usize>,
    chosen: Vec<Symbol>,
    weaker: bool,
    instances: usize,
}

impl Quantifiers {
    /// Only the witnesses, to be used in another graph of the same program.
    pub fn witnesses(&self) -> Quantifiers {
        Quantifiers {
            constants: self.constants.clone(),
            choices: self.choices.clone(),
            ..Quantifiers::default()
        }
    }
}

impl<'b> Context<'b> {
    /// The context under a negation.
    pub(super) fn flipped(self) -> Context<'b> {
        let side = self.side.map(|side| Side {
            holds: !side.holds,
            ..side
        });
        Context { side, ..self }
    }

    /// The context of a value that is not assumed: no quantifier can occur there.
    pub(super) fn plain(self) -> Context<'b> {
        Context { side: None, ..self }
    }
}

impl Elaborator<'_, '_> {
    /// The meaning of assuming that a condition holds, or fails.
    pub fn assumption(
        &mut self,
        expr: &Expr,
        side: Side,
        place: Context<'_>,
    ) -> Elaborated<Assumption> {
        self.quantifiers.instances = 0;
        self.quantifiers.weaker = false;
        self.quantifiers.chosen.clear();
        self.quantifiers.uses.clear();
        let at = Context {
            side: Some(side),
            ..place
        };
        let term = self.formula(expr, at)?;
        Ok(Assumption {
            term: match side.holds {
                true => term,
                false => self.terms.not(term),
            },
            chosen: std::mem::take(&mut self.quantifiers.chosen),
            weaker: self.quantifiers.weaker,
        })
    }

    /// A quantifier, by witnesses or instances.
    pub(super) fn quantified(
        &mut self,
        quantified: &Unbounded,
        span: Span,
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let Some(side) = place.side else {
            return Err(self.unsupported(&QUANTIFIER, span));
        };
        self.quantifiers.met = true;
        let sorts: Vec<Sort> = all(quantified.bound.iter().map(|b| self.type_sort(&b.of)))?;
        if quantified.universal != side.holds {
            let bound = quantified.bound.iter().zip(sorts);
            let values: Vec<Term> = bound.map(|(b, s)| self.witness(&b.name, s, side)).collect();
            return self.instance(quantified, &values, place);
        }
        if let Some(filled) = elements(quantified, side.holds) {
            return self.filled(&filled, &sorts, place);
        }
        self.quantifiers.weaker |= sorts.iter().any(|s| *s != Sort::Bool);
        let candidates: Vec<Vec<Term>> = quantified
            .bound
            .iter()
            .zip(sorts)
            .map(|(b, s)| self.candidates(&b.name, s, place.scope))
            .collect();
        let mut parts = Vec::new();
        for values in combinations(&candidates) {
            if !parts.is_empty() && self.quantifiers.instances == MOST_INSTANCES {
                self.quantifiers.weaker = true;
                break;
            }
            self.quantifiers.instances = (self.quantifiers.instances + 1).min(MOST_INSTANCES);
            let outside = self.quantifiers.within.len();
            self.quantifiers.within.extend(&values);
            let part = self.instance(quantified, &values, place);
            self.quantifiers.within.truncate(outside);
            parts.push(part?);
        }
        Ok(match side.holds {
            true => self.terms.and(parts),
            false => self.terms.or(parts),
        })
    }

    /// The statement that all elements of a map are the same, or its negation.
    fn filled(
        &mut self,
        filled: &Elements<'_>,
        sorts: &[Sort],
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let (terms, at) = (self.terms, place.plain());
        let map = self.term(filled.map, at)?;
        let mut levels = Vec::new();
        let mut element = terms.sort(map);
        for (index, which) in &filled.indices {
            let Sort::Array(id) = element else {
                return Err(self.no_map(terms.sort(map), element, levels.len(), filled.span));
            };
            let (wanted, next) = terms.array_parts(id);
            if wanted != sorts[*which] {
                let wanted = format!("`{}`", display_sort(terms, wanted));
                return Err(self.mismatch(index.span, &wanted, sorts[*which]));
            }
            levels.push(id);
            element = next;
        }
        let value = match filled.value {
            Value::Truth(value) => terms.bool(value),
            Value::Of(expr) => self.expect(expr, element, at)?,
        };
        if terms.sort(value) != element {
            return Err(self.mismatch(filled.span, "`bool`", element));
        }
        let whole = levels.iter().rfold(value, |v, &id| terms.filled(id, v));
        let same = terms.eq(map, whole);
        Ok(match place.side {
            Some(Side { holds: false, .. }) => terms.not(same),
            _ => same,
        })
    }

    /// The body of a quantifier for these values.
    fn instance(
        &mut self,
        quantified: &Unbounded,
        values: &[Term],
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let mut bound: BTreeMap<Arc<str>, Term> = place.bound.cloned().unwrap_or_default();
        let names = quantified.bound.iter().map(|b| b.name.text.clone());
        bound.extend(names.zip(values.iter().copied()));
        let inside = Context {
            bound: Some(&bound),
            ..place
        };
        self.expect(&quantified.body, Sort::Bool, inside)
    }

    /// An arbitrary value. A condition that occurs at several places because its procedure is
    /// inlined has only one.
    fn witness(&mut self, name: &Name, sort: Sort, side: Side) -> Term {
        let within = self.quantifiers.within.clone();
        let before = self.quantifiers.uses.entry((name.span, within.clone()));
        let uses = before.and_modify(|n| *n += 1).or_insert(0);
        let key = (name.span, within, *uses);
        let (known, prefix, kind) = match side.once {
            true => (&mut self.quantifiers.constants, "forall", SymbolKind::Rigid),
            false => (&mut self.quantifiers.choices, "exists", SymbolKind::State),
        };
        let (terms, hint) = (self.terms, format!("{prefix}.{}", name.text));
        let entry = known.entry(key);
        let symbol = *entry.or_insert_with(|| terms.fresh(&hint, sort, kind));
        if !side.once {
            self.quantifiers.chosen.push(symbol);
        }
        terms.var(symbol)
    }

    /// Values that are tried in place of all values of a sort; at least one.
    fn candidates(&mut self, name: &Name, sort: Sort, scope: Scope) -> Vec<Term> {
        let terms = self.terms;
        if sort == Sort::Bool {
            return vec![terms.ff(), terms.tt()];
        }
        let visible = |key: Key, symbol: Symbol| match (key, scope) {
            (Key::Constant(_), _) => true,
            (Key::Global(_), Scope::File) => terms.symbol_kind(symbol) == SymbolKind::Rigid,
            (Key::Global(_), _) => true,
            (Key::Local(p, _), Scope::Body(q) | Scope::Contract(q)) => p == q,
            (Key::Passed(p, _), Scope::Call(q)) => p == q,
            _ => false,
        };
        let witnesses = self.quantifiers.constants.values();
        let choices = self.quantifiers.choices.values();
        let choices = choices.filter(|_| scope != Scope::File);
        let witnesses = witnesses.chain(choices).copied();
        let variables = self.symbols.iter().filter(|&(&k, &s)| visible(k, s));
        let symbols = witnesses.chain(variables.map(|(_, &symbol)| symbol));
        let symbols = symbols.filter(|s| terms.symbol_sort(*s) == sort);
        let mut found: Vec<Term> = symbols.map(|s| terms.var(s)).collect();
        if sort == Sort::Int {
            let numbers = self.program.indices.iter();
            found.extend(numbers.map(|n| terms.number(n.clone(), sort)));
        }
        found.truncate(MOST_VALUES);
        if found.is_empty() {
            found.push(self.witness(name, sort, Side::HOLDS_ONCE));
        }
        found
    }

    /// The axiom as a statement about all values, if it has this form.
    pub(super) fn scheme(&mut self, axiom: &Expr, place: Context<'_>) -> Option<Scheme> {
        let mut bound = BTreeMap::new();
        let mut symbols = Vec::new();
        let mut inside = axiom;
        while let ExprKind::Unbounded(quantified) = &inside.kind
            && quantified.universal
        {
            for Bound { name, of } in &quantified.bound {
                let sort = self.type_sort(of).ok()?;
                let symbol = self.terms.fresh(&name.text, sort, SymbolKind::Rigid);
                bound.insert(name.text.clone(), self.terms.var(symbol));
                symbols.push(symbol);
            }
            inside = &quantified.body;
        }
        if symbols.is_empty() || self.quantifies(inside) {
            return None;
        }
        let at = Context {
            bound: Some(&bound),
            ..place
        };
        let says = self.expect(inside, Sort::Bool, at).ok()?;
        Some(Scheme::new(self.terms, &symbols, says))
    }

    /// `a <==> b` with quantifiers: each side is assumed to hold, and to fail.
    pub(super) fn equivalence(
        &mut self,
        list: &[Expr],
        side: Side,
        place: Context<'_>,
    ) -> Elaborated<Term> {
        let terms = self.terms;
        let (last, rest) = list.split_last().expect("a connective has operands");
        let [first] = rest else {
            // One side would be a condition and a value at once.
            return Err(self.unsupported(&QUANTIFIER, list[0].span.to(last.span)));
        };
        let mut both = |holds: bool| -> Elaborated<(Term, Term)> {
            let at = Context {
                side: Some(Side { holds, ..side }),
                ..place
            };
            Ok((self.formula(first, at)?, self.formula(last, at)?))
        };
        let (a, b) = both(true)?;
        let (not_a, not_b) = both(false)?;
        let (not_a, not_b) = (terms.not(not_a), terms.not(not_b));
        Ok(match side.holds {
            true => terms.or([terms.and([a, b]), terms.and([not_a, not_b])]),
            false => terms.not(terms.or([terms.and([a, not_b]), terms.and([not_a, b])])),
        })
    }

    /// Whether an expression contains a quantifier, directly or in the functions that it uses.
    pub(super) fn quantifies(&self, expr: &Expr) -> bool {
        let mut found = is_quantifier(expr);
        for_each_name(expr, false, &mut |name, _| {
            let function = self.program.function(name);
            found |= function.is_some_and(|(id, _)| self.program.quantified[id]);
        });
        found
    }
}

fn is_quantifier(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Unbounded(_));
    expr.for_each_part(&mut |part| found = found || is_quantifier(part));
    found
}

/// The functions whose bodies contain quantifiers, directly or in the functions that they use.
pub fn quantified_functions(program: &Program<'_>) -> Vec<bool> {
    let bodies: Vec<Option<&Expr>> = program
        .file
        .functions
        .iter()
        .map(|f| f.body.as_ref())
        .collect();
    let users = Digraph::from_successors(bodies.len(), |f| {
        let mut used = Vec::new();
        if let Some(body) = bodies[f] {
            for_each_name(body, false, &mut |name, _| {
                used.extend(program.function(name).map(|(id, _)| id));
            });
        }
        used.into_iter()
    })
    .reversed();
    let direct = |f: &usize| bodies[*f].is_some_and(is_quantifier);
    users.reachable_from((0..bodies.len()).filter(direct))
}

/// `(forall i, j : int :: m[i, j] == e)`, or its negation: `m` is filled with `e`.
struct Elements<'q> {
    map: &'q Expr,
    /// The indices, with the position of each among the variables of the quantifier.
    indices: Vec<(&'q Expr, usize)>,
    value: Value<'q>,
    span: Span,
}

#[derive(Clone, Copy)]
enum Value<'q> {
    Truth(bool),
    Of(&'q Expr),
}

/// The elements that a quantifier is about, if it only compares all of them with one value.
fn elements(quantified: &Unbounded, holds: bool) -> Option<Elements<'_>> {
    let (mut body, mut holds) = (&quantified.body, holds);
    while let ExprKind::Not(inner) = &body.kind {
        (body, holds) = (inner, !holds);
    }
    let wanted = match holds {
        true => Comparison::Equal,
        false => Comparison::NotEqual,
    };
    let (sides, value) = match &body.kind {
        ExprKind::Indexed(..) => ([body, body], [Value::Truth(holds); 2]),
        ExprKind::Compared(left, rest) => match &rest[..] {
            [(comparison, right)] if *comparison == wanted => {
                ([&**left, right], [Value::Of(right), Value::Of(left)])
            }
            _ => return None,
        },
        _ => return None,
    };
    let position = |name: &str| quantified.bound.iter().position(|b| *b.name.text == *name);
    let free = |expr: &Expr| {
        let mut free = true;
        for_each_name(expr, false, &mut |name, _| free &= position(name).is_none());
        free
    };
    sides.into_iter().zip(value).find_map(|(side, value)| {
        let ExprKind::Indexed(map, accesses) = &side.kind else {
            return None;
        };
        if accesses.iter().any(|a| a.value.is_some()) || !free(map) {
            return None;
        }
        if let Value::Of(value) = value
            && !free(value)
        {
            return None;
        }
        let all = accesses.iter().flat_map(|a| &a.indices);
        let indices: Option<Vec<(&Expr, usize)>> = all
            .map(|index| match &index.kind {
                ExprKind::Name(name) => Some((index, position(&name.text)?)),
                _ => None,
            })
            .collect();
        let indices = indices?;
        let each = |i: usize| indices.iter().filter(|(_, k)| *k == i).count() == 1;
        (0..quantified.bound.len()).all(each).then_some(Elements {
            map,
            indices,
            value,
            span: side.span,
        })
    })
}

/// All ways to choose one element of each list, beginning with the first elements.
fn combinations(lists: &[Vec<Term>]) -> impl Iterator<Item = Vec<Term>> + '_ {
    let count: usize = lists.iter().map(Vec::len).product();
    (0..count).map(move |mut number| {
        let choose = |list: &Vec<Term>| {
            let value = list[number % list.len()];
            number /= list.len();
            value
        };
        lists.iter().map(choose).collect()
    })
}
