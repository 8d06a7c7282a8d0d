//! Decides which families allow the removal of processes, see `every`.
//!
//! An *index term* of a rule is an index that must be kept: that of the process that moves, an
//! index of the command, a witness of an existential condition, a neighbour of one of these.
//! Constants as indices must be kept as well (with all below, so that their number is the same),
//! and so must the processes that variables of index type point to.
//!
//! A positive formula has to stay true when processes are removed, a negative one has to stay
//! false. Quantifiers that get weaker with fewer processes cost nothing, others a witness. Counting
//! a term twice only makes the instance larger.
//!
//! | file | what |
//! |---|---|
//! | `rules.rs` | the index terms of rules, properties, clauses and counters |
//! | `responses.rs` | the index terms of claims about waiting |
//! | `formulas.rs` | truth values that are preserved when processes are removed |
//! | `values.rs` | which expressions are indices, the size, or data |

mod formulas;
mod responses;
mod rules;
mod values;

use sectile_base::{Diagnostic, Span};
use sectile_model::scheme::{
    IndexBinder, Relation, RuleKind, Scheme, SchemeVariable, Use, UseKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// The size of the instance that stands for all larger ones.
#[derive(Clone, Debug, Default)]
pub struct Qualified {
    /// The smallest index of a process.
    pub low: i64,
    /// The difference between the largest index and the size.
    pub shift: i64,
    /// The number of processes that are always kept.
    pub fixed: usize,
    /// The number of further processes that are kept initially.
    pub first: usize,
    /// The most index terms of a rule about steps.
    pub terms: usize,
    /// The index terms of every rule, by name.
    pub rules: Vec<(String, usize)>,
    /// The most indices of a clause or the property.
    pub width: usize,
    /// Witnesses of counters.
    pub witnesses: usize,
    /// From this size on, conditions on the size are constant.
    pub least: i64,
    /// The variables that hold an index, with their offset to it.
    pub pointers: BTreeMap<String, i64>,
    /// Whether the text uses the order of indices.
    pub ordered: bool,
}

impl Qualified {
    /// The number of processes of the instance that stands for all larger ones.
    pub fn processes(&self) -> usize {
        self.fixed + self.terms.max(self.first) + self.width + self.witnesses
    }

    /// The value of the size parameter there.
    pub fn size(&self) -> i64 {
        let processes = i64::try_from(self.processes()).unwrap_or(i64::MAX / 2);
        self.least.max(processes - self.shift + self.low - 1)
    }
}

type Judged<T = ()> = Result<T, Diagnostic>;

fn refuse<T>(span: Span, why: impl Into<String>, help: &str) -> Judged<T> {
    let diagnostic = Diagnostic::error("every-n", span, why);
    Err(match help.is_empty() {
        true => diagnostic,
        false => diagnostic.help(help),
    })
}

/// A proof as written, in terms of its indices.
#[derive(Clone, Debug, Default)]
pub struct WrittenProof {
    /// The clauses of the invariant.
    pub clauses: Vec<Use>,
    /// The counters, with the number of their witnesses.
    pub counters: Vec<(Use, usize)>,
    /// The proof that waiting processes are served, if that is the property.
    pub waiting: Option<Waiting>,
}

/// The proof that waiting processes are served, with quantified indices.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// `forall i: ...`: the states in which the process waits.
    pub region: Use,
    /// `forall i: ... >= 0`: the terms that decrease until it is served.
    pub ranks: Vec<Use>,
    /// `v = s`: the values for instantiating clauses about arbitrary numbers.
    pub values: Vec<Use>,
}

/// The required size of the instance, or the place and the reason why the family does not qualify.
pub fn qualify(scheme: &Scheme, property: &str, said: &WrittenProof) -> Judged<Qualified> {
    let mut pointers = BTreeMap::new();
    loop {
        let mut judge = Judge::new(scheme, pointers.clone())?;
        let qualified = judge.all(property, said)?;
        // Repeated until no further variable turns out to hold an index.
        if judge.pointers == pointers {
            return Ok(qualified);
        }
        pointers = judge.pointers;
    }
}

/// The role of an index in a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// An index term.
    Term,
    /// A universally quantified index.
    Any,
    /// A number in a range that does not depend on the size.
    Number,
}

/// The classification of an expression.
enum Class {
    Number(i64),
    /// The size and a number.
    Size(i64),
    /// An index and a number.
    Index(usize, i64),
    /// An index and a number, round the ring.
    Ring(usize, i64),
    /// A variable that holds an index, and a number.
    Pointer(String, i64),
    /// A variable that holds something else.
    Plain(String),
    Data,
}

struct Judge<'s> {
    scheme: &'s Scheme,
    variables: BTreeMap<&'s str, &'s SchemeVariable>,
    pointers: BTreeMap<String, i64>,
    low: i64,
    shift: i64,
    /// The numbers of first and of last processes that are kept.
    pinned: (i64, i64),
    /// The same for the initial state.
    pinned_at_first: (i64, i64),
    ordered: bool,
    least: i64,
    standing: BTreeMap<usize, Standing>,
    neighbours: BTreeSet<(usize, i64)>,
    witnesses: usize,
    /// The number of instances of a formula, for numbers in ranges that do not depend on the size.
    copies: usize,
    /// Variables that a step changes for all processes.
    everywhere: BTreeSet<String>,
}

impl<'s> Judge<'s> {
    fn new(scheme: &'s Scheme, pointers: BTreeMap<String, i64>) -> Judged<Judge<'s>> {
        let variables = scheme.variables.iter().map(|v| (v.name.as_str(), v));
        let mut judge = Judge {
            scheme,
            variables: variables.collect(),
            pointers,
            low: 0,
            shift: 0,
            pinned: (0, 0),
            pinned_at_first: (0, 0),
            ordered: false,
            least: i64::MIN,
            standing: BTreeMap::new(),
            neighbours: BTreeSet::new(),
            witnesses: 0,
            copies: 1,
            everywhere: BTreeSet::new(),
        };
        judge.find_range()?;
        judge.find_ranged_variables()?;
        Ok(judge)
    }

    /// The one range of all indices that depend on the size.
    fn find_range(&mut self) -> Judged {
        let mut found: Option<(i64, i64)> = None;
        for (low, high) in &self.scheme.ranges {
            let range = match (constant(low), constant(high)) {
                (Some((0, _)), Some((0, _))) => continue,
                (Some((0, low)), Some((1, shift))) => (low, shift),
                _ => {
                    let why =
                        "this range of indices is neither fixed nor from a number to the size";
                    return refuse(high.span, why, "write `0..n-1` or `1..n`");
                }
            };
            if found.is_some_and(|f| f != range) {
                let why = "this range of indices is another one than that of other processes";
                return refuse(high.span, why, "");
            }
            found = Some(range);
        }
        let Some((low, shift)) = found else {
            let why = format!(
                "no family of processes has a number that depends on `{}`",
                self.scheme.size
            );
            return refuse(Span::default(), why, "");
        };
        (self.low, self.shift) = (low, shift);
        Ok(())
    }

    /// Variables whose type is a range that depends on the size hold an index.
    fn find_ranged_variables(&mut self) -> Judged {
        for variable in &self.scheme.variables {
            let Some((low, high)) = &variable.values else {
                continue;
            };
            match (constant(low), constant(high)) {
                (Some((0, _)), Some((0, _))) => {}
                (Some((0, least)), Some((1, shift))) if least <= self.low + shift - self.shift => {
                    let offset = shift - self.shift;
                    self.point(&variable.name, offset, variable.span)?;
                    if !variable.subscripts.is_empty() {
                        let why = format!(
                            "`{}` may point to a process that is left out",
                            variable.name
                        );
                        let help = "as an `int` that is compared only, it may";
                        return refuse(variable.span, why, help);
                    }
                }
                _ => {
                    let why = "the values of this variable depend on the number of processes";
                    return refuse(variable.span, why, "");
                }
            }
        }
        Ok(())
    }

    fn is_ranged(&self, name: &str) -> bool {
        let found = self.variables.get(name);
        let ends = found.and_then(|v| v.values.as_ref());
        ends.is_some_and(|(_, high)| constant(high).is_some_and(|(sizes, _)| sizes != 0))
    }

    fn all(&mut self, property: &str, said: &WrittenProof) -> Judged<Qualified> {
        let mut rules = Vec::new();
        let (mut twice, mut at_first) = (0, 0);
        for rule in &self.scheme.rules {
            if self.is_never(&rule.when) {
                continue;
            }
            let is_first = rule.kind == RuleKind::Init;
            if is_first {
                // Constants that occur only in the initial condition matter only there.
                std::mem::swap(&mut self.pinned, &mut self.pinned_at_first);
            }
            let terms = self.rule(rule);
            if is_first {
                std::mem::swap(&mut self.pinned, &mut self.pinned_at_first);
            }
            let terms = terms?;
            match rule.kind {
                // A witness in every state is needed both before and after a step.
                RuleKind::Restrict => twice += 2 * terms,
                RuleKind::Init => at_first += terms,
                _ => rules.push((rule.name.clone(), terms)),
            }
        }
        let mut width = self.property(property)?;
        let mut witnesses = 0;
        let values = said.waiting.as_ref().map_or(0, |w| w.values.len());
        for (k, clause) in said.clauses.iter().enumerate() {
            let told = |d: Diagnostic| Diagnostic {
                message: format!("clause {}: {}", k + 1, d.message),
                ..d
            };
            let (lasting, falsifying) = self.clause(clause).map_err(told)?;
            width = width.max(falsifying);
            // The clause is used for its own number, and for other values of it.
            witnesses += lasting * (1 + values);
        }
        for (counter, count) in &said.counters {
            self.counter(counter)?;
            witnesses += count;
        }
        if let Some(waiting) = &said.waiting {
            width = width.max(self.waiting(waiting)?);
        }
        let ranged = self.pointers.keys().filter(|p| self.is_ranged(p)).count();
        let number = |pinned: (i64, i64)| usize::try_from(pinned.0 + pinned.1).unwrap_or(1 << 20);
        let pinned = number(self.pinned);
        let own = self.pinned_at_first;
        let all = (own.0.max(self.pinned.0), own.1.max(self.pinned.1));
        Ok(Qualified {
            low: self.low,
            shift: self.shift,
            fixed: pinned + ranged + twice,
            first: at_first + number(all) - pinned,
            terms: rules.iter().map(|r| r.1).max().unwrap_or(0),
            rules,
            width,
            witnesses,
            least: self.least.max(self.low - self.shift),
            pointers: self.pointers.clone(),
            ordered: self.ordered,
        })
    }

    /// Whether a condition on the size is false from some size on.
    fn is_never(&mut self, when: &Use) -> bool {
        match &when.kind {
            UseKind::And(parts) => parts.iter().any(|p| self.is_never(p)),
            UseKind::Truth(value) => !value,
            UseKind::Compare(Relation::Equal, sides) => {
                let (a, b) = (constant(&sides.0), constant(&sides.1));
                match (a, b) {
                    (Some((1, add)), Some((0, number))) | (Some((0, number)), Some((1, add))) => {
                        self.least = self.least.max(number - add + 1);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn begin(&mut self) {
        self.standing.clear();
        self.neighbours.clear();
        self.witnesses = 0;
        self.copies = 1;
    }

    /// Sets the role of indices; returns how many of them are indices of processes.
    fn bind(&mut self, binders: &[IndexBinder], standing: Standing) -> Judged<usize> {
        let mut terms = 0;
        for binder in binders {
            let standing = match (constant(&binder.low), constant(&binder.high)) {
                (Some((0, low)), Some((0, high))) => {
                    let count = usize::try_from((high - low + 1).max(1)).unwrap_or(usize::MAX);
                    self.copies = self.copies.saturating_mul(count);
                    Standing::Number
                }
                (Some((0, low)), Some((1, shift))) if low >= self.low && shift <= self.shift => {
                    self.pin_first(low - self.low);
                    self.pin_last(self.shift - shift);
                    terms += 1;
                    standing
                }
                _ => {
                    let why = "this range is neither fixed nor one of the indices of processes";
                    let help = "a condition such as `j < i =>` can say the same";
                    return refuse(binder.low.span.to(binder.high.span), why, help);
                }
            };
            self.standing.insert(binder.id, standing);
        }
        Ok(terms)
    }

    fn pin_first(&mut self, count: i64) {
        self.pinned.0 = self.pinned.0.max(count);
    }

    fn pin_last(&mut self, count: i64) {
        self.pinned.1 = self.pinned.1.max(count);
    }

    /// Records that the variable holds an index plus an offset.
    fn point(&mut self, name: &str, offset: i64, span: Span) -> Judged {
        let found = self.variables.get(name);
        if found.is_some_and(|v| v.values.is_some()) && !self.is_ranged(name) {
            // A variable that points to a removed process must get another value.
            let why = format!("`{name}` holds an index, and has only some values");
            return refuse(
                span,
                why,
                "declare it as an `int`, or with the range of the indices",
            );
        }
        match self.pointers.insert(name.to_string(), offset) {
            Some(other) if other != offset => {
                let why = format!("`{name}` is used for the index of a process in two ways");
                refuse(span, why, "")
            }
            _ => Ok(()),
        }
    }

    fn witness(&mut self, count: usize, under: bool, span: Span, what: &str) -> Judged {
        if under && count > 0 {
            let why = format!("{what} inside of something that is said of all processes");
            return refuse(
                span,
                why,
                "there would have to be a witness for each of them",
            );
        }
        let count = count.saturating_mul(self.copies);
        self.witnesses = self.witnesses.saturating_add(count);
        Ok(())
    }
}

const ARITHMETIC: &str = "this calculates with indices or with their number";
const ARITHMETIC_HELP: &str =
    "indices may be compared, and `lock := i + 1` stored and compared again";

fn is_data(class: &Class) -> bool {
    matches!(class, Class::Number(_) | Class::Plain(_) | Class::Data)
}

/// The coefficient of the size and the constant, if an expression consists of nothing else.
fn constant(used: &Use) -> Option<(i64, i64)> {
    match &used.kind {
        UseKind::Number(number) => Some((0, *number)),
        UseKind::Size => Some((1, 0)),
        UseKind::Sum(parts) => {
            let mut sum = (0, 0);
            for (minus, part) in parts {
                let (sizes, number) = constant(part)?;
                let sign = if *minus { -1 } else { 1 };
                sum = (sum.0 + sign * sizes, sum.1 + sign * number);
            }
            Some(sum)
        }
        _ => None,
    }
}
