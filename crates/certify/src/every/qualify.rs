//! Which families are such that processes can be left out, see `every`.
//!
//! An *index term* of a rule is an index that must stay: that of the process that moves, an index
//! of the command, a witness of something that is said to exist, a neighbour of one of these.
//! Constants as indices must stay as well (with all below, so that their number is the same), and
//! what variables that are indices point to.
//!
//! A formula that is said positively has to stay true when processes are left out, one that is
//! said negatively has to stay false. Quantifiers that say less about fewer processes cost nothing,
//! others a witness. Terms that are counted twice only make the instance larger.

use sectile_base::{Diagnostic, Span};
use sectile_model::scheme::{
    Effect, IndexBinder, Over, Relation, Rule, RuleKind, Scheme, SchemeVariable, Use, UseKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// How large the instance is that stands for all larger ones.
#[derive(Clone, Debug, Default)]
pub struct Qualified {
    /// The smallest index of a process.
    pub low: i64,
    /// What the largest index is more than the size.
    pub shift: i64,
    /// Processes that always stay.
    pub fixed: usize,
    /// Processes that stay at the start, besides.
    pub first: usize,
    /// The most index terms of a rule about steps.
    pub terms: usize,
    /// The index terms of every rule, by name.
    pub rules: Vec<(String, usize)>,
    /// The most indices of a clause or the property.
    pub width: usize,
    /// Witnesses of counters.
    pub witnesses: usize,
    /// From this size on, what the text says about the size does not change.
    pub least: i64,
    /// The variables that hold an index, and how much they are more than it.
    pub pointers: BTreeMap<String, i64>,
    /// Whether the text looks at the order of indices.
    pub ordered: bool,
}

impl Qualified {
    /// The number of processes of the instance that stands for all larger ones.
    pub fn processes(&self) -> usize {
        self.fixed + self.terms.max(self.first) + self.width + self.witnesses
    }

    /// The value of the size there.
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

/// How large an instance must be, or where and why the family does not qualify.
pub fn qualify(
    scheme: &Scheme,
    property: &str,
    clauses: &[Use],
    counters: &[(Use, usize)],
) -> Judged<Qualified> {
    let mut pointers = BTreeMap::new();
    loop {
        let mut judge = Judge::new(scheme, pointers.clone())?;
        let qualified = judge.all(property, clauses, counters)?;
        // Variables that turn out to hold an index are looked at again with that in mind.
        if judge.pointers == pointers {
            return Ok(qualified);
        }
        pointers = judge.pointers;
    }
}

/// What an index is to a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// An index term.
    Term,
    /// One of all.
    Any,
    /// A number of a range that does not depend on the size.
    Number,
}

/// What an expression is.
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
    /// How many of the first and of the last processes stay.
    pinned: (i64, i64),
    /// The same at the start.
    pinned_at_first: (i64, i64),
    ordered: bool,
    least: i64,
    standing: BTreeMap<usize, Standing>,
    neighbours: BTreeSet<(usize, i64)>,
    witnesses: usize,
    /// How often a formula is said, for numbers of ranges that do not depend on the size.
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

    fn all(
        &mut self,
        property: &str,
        clauses: &[Use],
        counters: &[(Use, usize)],
    ) -> Judged<Qualified> {
        let mut rules = Vec::new();
        let (mut twice, mut at_first) = (0, 0);
        for rule in &self.scheme.rules {
            if self.is_never(&rule.when) {
                continue;
            }
            let is_first = rule.kind == RuleKind::Init;
            if is_first {
                // Constants that only the start names matter there only.
                std::mem::swap(&mut self.pinned, &mut self.pinned_at_first);
            }
            let terms = self.rule(rule);
            if is_first {
                std::mem::swap(&mut self.pinned, &mut self.pinned_at_first);
            }
            let terms = terms?;
            match rule.kind {
                // What exists in every state does so before and after a step.
                RuleKind::Restrict => twice += 2 * terms,
                RuleKind::Init => at_first += terms,
                _ => rules.push((rule.name.clone(), terms)),
            }
        }
        let mut width = self.property(property)?;
        for (k, clause) in clauses.iter().enumerate() {
            let said = |d: Diagnostic| Diagnostic {
                message: format!("clause {}: {}", k + 1, d.message),
                ..d
            };
            width = width.max(self.clause(clause).map_err(said)?);
        }
        let mut witnesses = 0;
        for (counter, count) in counters {
            self.counter(counter)?;
            witnesses += count;
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

    /// The number of index terms of a rule.
    fn rule(&mut self, rule: &Rule) -> Judged<usize> {
        self.begin();
        let is_step = matches!(rule.kind, RuleKind::Step | RuleKind::Relation);
        let standing = match is_step {
            true => Standing::Term,
            false => Standing::Any,
        };
        let moving = self.bind(&rule.binders, standing)?;
        let under = !is_step && moving > 0;
        self.formula(&rule.when, true, under)?;
        self.formula(&rule.condition, true, under)?;
        self.effects(&rule.effects, false)?;
        if rule.kind == RuleKind::Relation {
            let all = self.scheme.variables.iter().map(|v| v.name.clone());
            self.everywhere.extend(all);
            // The next value of a variable may be any index.
            self.witnesses += self.pointers.keys().filter(|p| self.is_ranged(p)).count();
        }
        let own = if is_step { moving } else { 0 };
        Ok(own + self.witnesses + self.neighbours.len())
    }

    /// The number of indices that show a violation.
    fn property(&mut self, name: &str) -> Judged<usize> {
        let claim = self.scheme.claims.iter().find(|c| c.0 == name);
        match claim {
            Some((_, _, Some(says))) => {
                self.begin();
                self.formula(says, false, false)?;
                Ok(self.witnesses + self.neighbours.len())
            }
            Some((_, span, None)) => refuse(*span, "only invariants are proved for every size", ""),
            None => refuse(
                Span::default(),
                format!("there is no property `{name}`"),
                "",
            ),
        }
    }

    /// A clause stays true where processes are left out; the number of indices that falsify it.
    fn clause(&mut self, clause: &Use) -> Judged<usize> {
        self.begin();
        self.formula(clause, true, true)?;
        self.begin();
        self.formula(clause, false, false)?;
        Ok(self.witnesses + self.neighbours.len())
    }

    /// A counter is about all processes, and about variables that only the step of a process
    /// changes.
    fn counter(&mut self, counter: &Use) -> Judged {
        let why = "a counter counts the processes that satisfy a condition on their own variables";
        let UseKind::Over(Over::Count, binders, body) = &counter.kind else {
            return refuse(counter.span, why, "");
        };
        let [binder] = &binders[..] else {
            return refuse(counter.span, why, "");
        };
        let ends = (constant(&binder.low), constant(&binder.high));
        if ends != (Some((0, self.low)), Some((1, self.shift))) {
            return refuse(counter.span, why, "");
        }
        self.begin();
        self.bind(binders, Standing::Any)?;
        self.both(body, true)?;
        let mut open: Vec<&Use> = vec![body];
        while let Some(next) = open.pop() {
            match &next.kind {
                UseKind::Truth(_) | UseKind::Number(_) => {}
                UseKind::Variable(name, subscripts) => {
                    let own = |s: &Use| matches!(s.kind, UseKind::Index(id) if id == binder.id);
                    let found = self.variables.get(name.as_str());
                    let changes = found.is_none_or(|v| v.changes);
                    let local = !subscripts.is_empty() && subscripts.iter().all(own);
                    if changes || !local || self.everywhere.contains(name) {
                        return refuse(next.span, why, "");
                    }
                }
                UseKind::Data(parts) | UseKind::And(parts) | UseKind::Or(parts) => {
                    open.extend(parts);
                }
                UseKind::Compare(_, sides) => open.extend([&sides.0, &sides.1]),
                UseKind::Not(inner) => open.push(inner),
                _ => return refuse(next.span, why, ""),
            }
        }
        Ok(())
    }

    /// Gives indices their standing; how many of them are indices of processes.
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

    /// The variable holds an index, and is so much more than it.
    fn point(&mut self, name: &str, offset: i64, span: Span) -> Judged {
        let found = self.variables.get(name);
        if found.is_some_and(|v| v.values.is_some()) && !self.is_ranged(name) {
            // What points to a process that is left out must have some value.
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

    /// A formula that stays what it is, true or false.
    fn both(&mut self, formula: &Use, under: bool) -> Judged {
        self.formula(formula, true, under)?;
        self.formula(formula, false, under)
    }

    /// A formula that stays true if it is said positively, and else stays false. `under` tells
    /// whether it is said of all processes.
    fn formula(&mut self, formula: &Use, positive: bool, under: bool) -> Judged {
        match &formula.kind {
            UseKind::And(parts) | UseKind::Or(parts) => parts
                .iter()
                .try_for_each(|p| self.formula(p, positive, under)),
            UseKind::Not(inner) => self.formula(inner, !positive, under),
            UseKind::Choice(branches, otherwise) => {
                for (condition, value) in branches {
                    self.both(condition, under)?;
                    self.formula(value, positive, under)?;
                }
                self.formula(otherwise, positive, under)
            }
            UseKind::Over(over @ (Over::Forall | Over::Exists), binders, body) => {
                let copies = self.copies;
                match (*over == Over::Forall) == positive {
                    true => {
                        self.bind(binders, Standing::Any)?;
                        self.formula(body, positive, true)?;
                    }
                    false => {
                        let terms = self.bind(binders, Standing::Term)?;
                        let what = match over {
                            Over::Forall => "`forall` on the left of an implication or negated",
                            _ => "`exists`",
                        };
                        self.witness(terms, under, formula.span, what)?;
                        self.formula(body, positive, under)?;
                    }
                }
                self.copies = copies;
                Ok(())
            }
            UseKind::Compare(relation, sides) => self.compare(*relation, sides, under),
            UseKind::Truth(_) => Ok(()),
            _ => match self.value(formula, under)? {
                Class::Plain(_) | Class::Data => Ok(()),
                _ => refuse(
                    formula.span,
                    "an index where there should be a condition",
                    "",
                ),
            },
        }
    }

    fn compare(&mut self, relation: Relation, sides: &(Use, Use), under: bool) -> Judged {
        let span = sides.0.span.to(sides.1.span);
        if self.counts(sides, under)? || self.counts(&(sides.1.clone(), sides.0.clone()), under)? {
            return Ok(());
        }
        let (a, b) = (self.value(&sides.0, under)?, self.value(&sides.1, under)?);
        match (a, b) {
            (Class::Index(_, a), Class::Index(_, b)) if a == b => {
                self.ordered |= relation == Relation::Order;
                Ok(())
            }
            (Class::Index(..), Class::Index(..)) => refuse(
                span,
                "indices are compared with a distance between them",
                "only `=`, `!=` and `<` between indices survive that processes are left out",
            ),
            (Class::Index(_, add), Class::Number(number))
            | (Class::Number(number), Class::Index(_, add)) => {
                self.pin_first(number - add - self.low + 1);
                Ok(())
            }
            (Class::Index(_, add), Class::Size(more))
            | (Class::Size(more), Class::Index(_, add)) => {
                self.pin_last(self.shift - (more - add) + 1);
                Ok(())
            }
            (Class::Size(add), Class::Number(number))
            | (Class::Number(number), Class::Size(add)) => {
                self.least = self.least.max(number - add + 1);
                Ok(())
            }
            (Class::Size(_), Class::Size(_)) | (Class::Number(_), Class::Number(_)) => Ok(()),
            (a, b) if is_data(&a) && is_data(&b) => Ok(()),
            (a, b) => self.pointers_compared(relation, a, b, span),
        }
    }

    /// Variables that hold an index are compared for being equal.
    fn pointers_compared(&mut self, relation: Relation, a: Class, b: Class, span: Span) -> Judged {
        let (pointer, add, other) = match (a, b) {
            (Class::Pointer(name, add), other) | (other, Class::Pointer(name, add)) => {
                (name, add, other)
            }
            (Class::Plain(name), other @ Class::Index(..))
            | (other @ Class::Index(..), Class::Plain(name)) => (name, 0, other),
            (Class::Size(_), _) | (_, Class::Size(_)) => {
                let why = format!("`{}` is compared with data", self.scheme.size);
                return refuse(
                    span,
                    why,
                    "what holds for one number of processes need not for more",
                );
            }
            _ => return refuse(span, "an index is compared with data", ""),
        };
        if relation == Relation::Order {
            let why = format!("`{pointer}` holds an index, and is compared by its order");
            return refuse(span, why, "");
        }
        self.flows(&pointer, add, other, span)
    }

    /// A value that a variable which holds an index gets, or is compared with.
    fn flows(&mut self, pointer: &str, add: i64, value: Class, span: Span) -> Judged {
        let offset = self.pointers.get(pointer).copied();
        match (value, offset) {
            (Class::Index(_, more), _) => self.point(pointer, more - add, span),
            (Class::Pointer(name, more), _) => match self.pointers.get(&name).copied() {
                Some(other) => self.point(pointer, other + more - add, span),
                None => Ok(()),
            },
            (Class::Plain(name), Some(offset)) => self.point(&name, offset + add, span),
            (Class::Number(number), Some(offset)) => {
                self.pin_first(number - add - offset - self.low + 1);
                Ok(())
            }
            (Class::Size(more), Some(offset)) if more - add - offset <= self.shift => {
                self.pin_last(self.shift - (more - add - offset) + 1);
                Ok(())
            }
            _ => refuse(
                span,
                format!("`{pointer}` holds an index, and is mixed with data"),
                "",
            ),
        }
    }

    /// Whether the left side counts processes and the right side is a number: as many witnesses as
    /// decide the comparison.
    fn counts(&mut self, sides: &(Use, Use), under: bool) -> Judged<bool> {
        let Some((0, bound)) = constant(&sides.1) else {
            return Ok(false);
        };
        let parts: Vec<(bool, &Use)> = match &sides.0.kind {
            UseKind::Sum(parts) => parts.iter().map(|(minus, p)| (*minus, p)).collect(),
            _ => vec![(false, &sides.0)],
        };
        let mut most = bound;
        let mut counted = Vec::new();
        for (minus, part) in parts {
            match (&part.kind, constant(part)) {
                (UseKind::Over(Over::Count, binders, body), _) if !minus => {
                    counted.push((binders, body));
                }
                (_, Some((0, number))) if minus => most += number,
                (_, Some((0, number))) => most -= number,
                _ => return Ok(false),
            }
        }
        if counted.is_empty() {
            return Ok(false);
        }
        let copies = self.copies;
        let mut indices = 0;
        for (binders, body) in counted {
            indices = indices.max(self.bind(binders, Standing::Any)?);
            self.both(body, true)?;
        }
        self.copies = copies;
        let witnesses = usize::try_from((most + 1).max(0)).unwrap_or(usize::MAX / 4);
        self.witness(witnesses * indices, under, sides.0.span, "`count`")?;
        Ok(true)
    }

    /// What an expression is; what is inside keeps its value.
    fn value(&mut self, used: &Use, under: bool) -> Judged<Class> {
        match &used.kind {
            UseKind::Number(number) => Ok(Class::Number(*number)),
            UseKind::Size => Ok(Class::Size(0)),
            UseKind::Index(id) => Ok(match self.standing.get(id) {
                Some(Standing::Number) => Class::Data,
                Some(_) => Class::Index(*id, 0),
                None => return refuse(used.span, "an index that is not known", ""),
            }),
            UseKind::Variable(name, subscripts) => self.variable(used, name, subscripts, under),
            UseKind::Sum(parts) => self.sum(used.span, parts, under),
            UseKind::Modulo(sides) => {
                let (a, b) = (self.value(&sides.0, under)?, self.value(&sides.1, under)?);
                let is_ring = self.low == 0 && self.shift == -1;
                match (a, b) {
                    (Class::Index(id, add), Class::Size(0)) if is_ring => Ok(Class::Ring(id, add)),
                    (a, b) if is_data(&a) && is_data(&b) => Ok(Class::Data),
                    _ => refuse(used.span, ARITHMETIC, ARITHMETIC_HELP),
                }
            }
            UseKind::Data(parts) => {
                for part in parts {
                    self.data(part, under)?;
                }
                Ok(Class::Data)
            }
            UseKind::Choice(branches, otherwise) => {
                for (condition, value) in branches {
                    self.both(condition, under)?;
                    self.data(value, under)?;
                }
                self.data(otherwise, under)?;
                Ok(Class::Data)
            }
            UseKind::Over(Over::Extreme, binders, body) => {
                let copies = self.copies;
                let terms = self.bind(binders, Standing::Any)?;
                self.data(body, true)?;
                self.copies = copies;
                self.witness(terms, under, used.span, "`max` or `min`")?;
                Ok(Class::Data)
            }
            UseKind::Over(Over::Count | Over::Sum, ..) => refuse(
                used.span,
                "how many processes there are is used as data",
                "a count may be compared with a number",
            ),
            UseKind::Other(what) => refuse(used.span, format!("{what}: this is not supported"), ""),
            UseKind::Truth(_)
            | UseKind::Compare(..)
            | UseKind::And(_)
            | UseKind::Or(_)
            | UseKind::Not(_)
            | UseKind::Over(Over::Forall | Over::Exists, ..) => {
                self.both(used, under)?;
                Ok(Class::Data)
            }
        }
    }

    /// An expression that must not be an index or the size.
    fn data(&mut self, used: &Use, under: bool) -> Judged {
        match self.value(used, under)? {
            Class::Number(_) | Class::Plain(_) | Class::Data => Ok(()),
            Class::Size(_) => refuse(
                used.span,
                format!("`{}` is used as data", self.scheme.size),
                "what holds for one number of processes need not for more",
            ),
            Class::Index(..) | Class::Ring(..) | Class::Pointer(..) => {
                refuse(used.span, ARITHMETIC, ARITHMETIC_HELP)
            }
        }
    }

    fn sum(&mut self, span: Span, parts: &[(bool, Use)], under: bool) -> Judged<Class> {
        let mut add = 0;
        let mut found: Option<Class> = None;
        let mut data = false;
        for (minus, part) in parts {
            match (self.value(part, under)?, minus) {
                (Class::Number(number), true) => add -= number,
                (Class::Number(number), false) => add += number,
                (Class::Plain(_) | Class::Data, _) => data = true,
                (class, false) if found.is_none() => found = Some(class),
                _ => return refuse(span, ARITHMETIC, ARITHMETIC_HELP),
            }
        }
        match found {
            None if data => Ok(Class::Data),
            None => Ok(Class::Number(add)),
            Some(_) if data => refuse(span, ARITHMETIC, ARITHMETIC_HELP),
            Some(Class::Size(more)) => Ok(Class::Size(more + add)),
            Some(Class::Index(id, more)) => Ok(Class::Index(id, more + add)),
            Some(Class::Pointer(name, more)) => Ok(Class::Pointer(name, more + add)),
            Some(_) => refuse(span, ARITHMETIC, ARITHMETIC_HELP),
        }
    }

    fn variable(
        &mut self,
        used: &Use,
        name: &str,
        subscripts: &[Use],
        under: bool,
    ) -> Judged<Class> {
        let Some(variable) = self.variables.get(name).copied() else {
            return refuse(used.span, format!("`{name}` is not known"), "");
        };
        if variable.subscripts.len() != subscripts.len() {
            return refuse(used.span, format!("`{name}` has other indices"), "");
        }
        for (range, subscript) in variable.subscripts.iter().zip(subscripts) {
            let is_fixed = matches!(constant(&range.1), Some((0, _)));
            match is_fixed {
                true => self.data(subscript, under)?,
                false => self.subscript(subscript, under)?,
            }
        }
        Ok(match self.pointers.contains_key(name) {
            true => Class::Pointer(name.to_string(), 0),
            false => Class::Plain(name.to_string()),
        })
    }

    /// The index of a process.
    fn subscript(&mut self, used: &Use, under: bool) -> Judged {
        match self.value(used, under)? {
            Class::Index(_, 0) => Ok(()),
            Class::Index(id, add) | Class::Ring(id, add) => {
                if self.standing.get(&id) != Some(&Standing::Term) {
                    let why = "a neighbour of all processes";
                    let help = "between neighbours there may be processes that are left out";
                    return refuse(used.span, why, help);
                }
                let between = 1..=add.abs();
                let all = between.map(|k| (id, k * add.signum()));
                self.neighbours.extend(all);
                Ok(())
            }
            Class::Number(number) if number >= self.low => {
                self.pin_first(number - self.low + 1);
                Ok(())
            }
            Class::Size(add) if add <= self.shift => {
                self.pin_last(self.shift - add + 1);
                Ok(())
            }
            Class::Pointer(name, add)
                if self.is_ranged(&name) && self.pointers.get(&name) == Some(&-add) =>
            {
                Ok(())
            }
            _ => refuse(
                used.span,
                "the index of a process is read out of a variable",
                "a variable of the type of the indices, outside of processes, may be one",
            ),
        }
    }

    fn effects(&mut self, effects: &[Effect], under: bool) -> Judged {
        effects.iter().try_for_each(|e| self.effect(e, under))
    }

    fn effect(&mut self, effect: &Effect, under: bool) -> Judged {
        match effect {
            Effect::Require(condition) => self.formula(condition, true, under),
            Effect::If(condition, effects) => {
                self.both(condition, under)?;
                self.effects(effects, under)
            }
            Effect::Each(binders, effects) => {
                let copies = self.copies;
                self.bind(binders, Standing::Any)?;
                self.effects(effects, true)?;
                self.copies = copies;
                Ok(())
            }
            Effect::Set(target, value) => {
                let UseKind::Variable(name, subscripts) = &target.kind else {
                    return refuse(target.span, "this target is not supported", "");
                };
                self.value(target, under)?;
                let is_any = |s: &Use| match s.kind {
                    UseKind::Index(id) => self.standing.get(&id) == Some(&Standing::Any),
                    _ => false,
                };
                if subscripts.iter().any(is_any) {
                    self.everywhere.insert(name.clone());
                }
                match value {
                    Some(value) => self.set(name, value, under),
                    None if self.is_ranged(name) => {
                        self.witness(1, under, target.span, "a choice of an index")
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// The variable gets a value.
    fn set(&mut self, name: &str, value: &Use, under: bool) -> Judged {
        if let UseKind::Choice(branches, otherwise) = &value.kind {
            for (condition, value) in branches {
                self.both(condition, under)?;
                self.set(name, value, under)?;
            }
            return self.set(name, otherwise, under);
        }
        let class = self.value(value, under)?;
        let is_pointer = self.pointers.contains_key(name);
        if let Class::Pointer(other, _) = &class
            && self.is_ranged(name)
            && !self.is_ranged(other)
        {
            self.witness(1, under, value.span, "an index that is read")?;
        }
        match class {
            Class::Number(_) | Class::Plain(_) | Class::Data if !is_pointer => Ok(()),
            class @ (Class::Index(..) | Class::Pointer(..)) => {
                self.flows(name, 0, class, value.span)
            }
            class if is_pointer => self.flows(name, 0, class, value.span),
            _ => refuse(value.span, ARITHMETIC, ARITHMETIC_HELP),
        }
    }
}

const ARITHMETIC: &str = "this calculates with indices or with their number";
const ARITHMETIC_HELP: &str =
    "indices may be compared, and `lock := i + 1` stored and compared again";

fn is_data(class: &Class) -> bool {
    matches!(class, Class::Number(_) | Class::Plain(_) | Class::Data)
}

/// How often the size, and which number, an expression without anything else is the sum of.
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
