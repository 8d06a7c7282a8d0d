//! Programs in C, for tools that accept only C.
//!
//! A location is a label, a step a `goto`. Open values come from `__VERIFIER_nondet_int`, a
//! violation calls `reach_error`, as in the competition on software verification. The unbounded
//! integers of the model become `int`.

use super::{BadStates, ExportError, bad_states, comment};
use crate::sharing::{self, Cut};
use crate::vocabulary::NotPortable;
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_model::{Command, Edge, LocationId, Model, Module, Property};
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

const PROLOGUE: &str = "\
extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void assume(int condition) { if (!condition) abort(); }
";

/// Division that rounds so that the remainder is not negative.
const DIVISION: &str = "\
static int quotient(int a, int d) { return a / d - (a % d < 0 ? (d > 0 ? 1 : -1) : 0); }
static int remainder_of(int a, int d) { return a - d * quotient(a, d); }
";

/// Words that cannot be names of variables.
const RESERVED: &str = "abort assume auto break case char const continue default do double else enum \
    extern float for goto if inline int long main quotient reach_error register remainder_of restrict \
    return short signed sizeof static struct switch typedef union unsigned void volatile while";

/// The model with one of its properties as a program in C.
///
/// Reals, arrays and functions are not supported.
pub fn to_c(terms: &Terms, module: &Module, property: &Property) -> Result<String, ExportError> {
    let model = &module.model;
    let mut writer = Writer {
        terms,
        names: FxHashMap::default(),
        used: RESERVED.split_whitespace().map(String::from).collect(),
        out: String::new(),
        divides: false,
    };
    writer.program(model, &bad_states(terms, model, property)?)?;
    let (name, property) = (comment(&model.name), comment(&property.name));
    let title =
        format!("// {name}, property {property}. The integers of the model are unbounded.\n");
    let helpers = if writer.divides { DIVISION } else { "" };
    Ok(title + PROLOGUE + helpers + &writer.out)
}

struct Writer<'t> {
    terms: &'t Terms,
    /// Names of variables and of their next values.
    names: FxHashMap<(Symbol, Stage), String>,
    used: BTreeSet<String>,
    out: String,
    divides: bool,
}

/// Formulas and values that are written together, with names for their shared parts.
type Shared = FxHashMap<Term, u32>;

impl Writer<'_> {
    fn program(&mut self, model: &Model, bad: &BadStates) -> Result<(), ExportError> {
        self.line(0, "\nint main(void)\n{");
        let all: Vec<Symbol> = model
            .variables
            .iter()
            .chain(&model.rigid)
            .copied()
            .collect();
        for &symbol in &all {
            self.check_sort(symbol)?;
            let name = self.name(symbol, Stage::Now);
            self.line(1, &format!("int {name} = __VERIFIER_nondet_int();"));
        }
        let ranges = self.ranges(&all, Stage::Now);
        let start = [&model.init[..], &model.restrict].concat();
        self.assumed(1, &ranges, &start, &mut Shared::default())?;
        self.line(1, &format!("goto L{};", model.entry.0));
        for at in 0..model.locations.len() {
            self.location(model, LocationId(at), bad)?;
        }
        self.line(0, "}");
        Ok(())
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn location(
        &mut self,
        model: &Model,
        at: LocationId,
        bad: &BadStates,
    ) -> Result<(), ExportError> {
        let name = comment(&model.locations[at.0].name);
        self.line(0, &format!("L{}: ; // {name}", at.0));
        for (_, formula) in bad.iter().filter(|(l, _)| *l == at) {
            match self.terms.as_bool(*formula) {
                Some(false) => {}
                Some(true) => self.line(1, "reach_error();"),
                None => {
                    let text = self.text(*formula, &Shared::default())?;
                    self.line(1, &format!("if ({text}) reach_error();"));
                }
            }
        }
        let edges: Vec<&Edge> = model.edges.iter().filter(|e| e.from == at).collect();
        match edges.as_slice() {
            [] => self.line(1, "return 0;"),
            [only] => {
                self.line(1, "{");
                self.step(model, only, &only.command.guards)?;
                self.line(1, "}");
            }
            [yes, no] if self.are_branches(yes, no) => {
                let condition = self.text(yes.command.guards[0], &Shared::default())?;
                self.line(1, &format!("if ({condition}) {{"));
                self.step(model, yes, &yes.command.guards[1..])?;
                self.line(1, "} else {");
                self.step(model, no, &no.command.guards[1..])?;
                self.line(1, "}");
            }
            _ => {
                self.line(1, "switch (__VERIFIER_nondet_int()) {");
                for (k, edge) in edges.iter().enumerate() {
                    self.line(1, &format!("case {k}: {{"));
                    self.step(model, edge, &edge.command.guards)?;
                    self.line(1, "}");
                }
                self.line(1, "default: return 0;\n  }");
            }
        }
        Ok(())
    }

    /// Whether two steps are the branches of a condition.
    fn are_branches(&self, yes: &Edge, no: &Edge) -> bool {
        let about_state = |t: &Term| {
            let inputs = &yes.command.inputs;
            self.terms
                .free_vars(*t)
                .iter()
                .all(|(s, _)| !inputs.contains(s))
        };
        match (yes.command.guards.first(), no.command.guards.first()) {
            (Some(c), Some(d)) => self.terms.not(*c) == *d && about_state(c),
            _ => false,
        }
    }

    /// The effect of a step: choices, checks, simultaneous assignments, and the jump.
    fn step(&mut self, model: &Model, edge: &Edge, guards: &[Term]) -> Result<(), ExportError> {
        if !edge.premises.is_empty() {
            let why = "steps with several premises have no C form".to_string();
            return Err(NotPortable(why).into());
        }
        let command = &edge.command;
        let name = comment(&command.name);
        self.line(2, &format!("// {name}"));
        for &input in &command.inputs {
            self.check_sort(input)?;
            let name = self.name(input, Stage::Now);
            self.line(2, &format!("int {name} = __VERIFIER_nondet_int();"));
        }
        let mut shared = Shared::default();
        let ranges = self.ranges(&command.inputs, Stage::Now);
        self.assumed(2, &ranges, guards, &mut shared)?;
        let changed = self.assign(model, command, &mut shared)?;
        if !changed.is_empty() {
            let ranges = self.ranges(&changed, Stage::Now);
            self.assumed(2, &ranges, &model.restrict, &mut Shared::default())?;
        }
        self.line(2, &format!("goto L{};", edge.to.0));
        Ok(())
    }

    /// Gives the variables their next values; returns those that may have changed.
    fn assign(
        &mut self,
        model: &Model,
        command: &Command,
        shared: &mut Shared,
    ) -> Result<Vec<Symbol>, ExportError> {
        let terms = self.terms;
        let kept = |s: Symbol| command.update_of(s) == Some(terms.var(s));
        let variables = model.variables.iter().copied();
        let changed: Vec<Symbol> = variables.filter(|&s| !kept(s)).collect();
        let values: Vec<Term> = changed
            .iter()
            .filter_map(|&s| command.update_of(s))
            .collect();
        self.bind(2, &values, shared)?;
        for &symbol in &changed {
            let next = self.name(symbol, Stage::Next);
            let value = match command.update_of(symbol) {
                Some(value) => self.text(value, shared)?,
                None => "__VERIFIER_nondet_int()".to_string(),
            };
            self.line(2, &format!("int {next} = {value};"));
        }
        if !command.relations.is_empty() {
            for &symbol in model.variables.iter().filter(|s| !changed.contains(s)) {
                let (now, next) = (
                    self.name(symbol, Stage::Now),
                    self.name(symbol, Stage::Next),
                );
                self.line(2, &format!("int {next} = {now};"));
            }
            self.assumed(2, &[], &command.relations, shared)?;
        }
        for &symbol in &changed {
            let (now, next) = (
                self.name(symbol, Stage::Now),
                self.name(symbol, Stage::Next),
            );
            self.line(2, &format!("{now} = {next};"));
        }
        Ok(changed)
    }

    /// Conditions that must hold, or else the run ends.
    fn assumed(
        &mut self,
        depth: usize,
        ranges: &[String],
        conditions: &[Term],
        shared: &mut Shared,
    ) -> Result<(), ExportError> {
        for range in ranges {
            self.line(depth, &format!("assume({range});"));
        }
        self.bind(depth, conditions, shared)?;
        for &condition in conditions {
            let text = self.text(condition, shared)?;
            self.line(depth, &format!("assume({text});"));
        }
        Ok(())
    }

    /// Names the shared parts of some terms.
    fn bind(
        &mut self,
        depth: usize,
        roots: &[Term],
        shared: &mut Shared,
    ) -> Result<(), ExportError> {
        let terms = self.terms;
        let roots: Vec<Term> = roots.iter().map(|&r| terms.lower_extrema(r)).collect();
        for t in sharing::to_name(terms, &roots, Cut::Shared, |t| shared.contains_key(&t)) {
            let text = self.text(t, shared)?;
            let number = shared.len() as u32 + 1;
            let name = shared_name(number);
            self.line(depth, &format!("const int {name} = {text};"));
            shared.insert(t, number);
        }
        Ok(())
    }

    fn check_sort(&self, symbol: Symbol) -> Result<(), ExportError> {
        match self.terms.symbol_sort(symbol) {
            Sort::Bool | Sort::Int | Sort::Enum(_) => Ok(()),
            Sort::Real => Err(NotPortable("reals have no C form".to_string()).into()),
            Sort::Array(_) => {
                let why = "arrays and functions have no C form here".to_string();
                Err(NotPortable(why).into())
            }
        }
    }

    /// The conditions that Booleans and enumeration values are in range.
    fn ranges(&mut self, symbols: &[Symbol], stage: Stage) -> Vec<String> {
        let mut found = Vec::new();
        for &symbol in symbols {
            if let Some(count) = self.terms.symbol_sort(symbol).cardinality(self.terms) {
                let name = self.name(symbol, stage);
                found.push(format!("0 <= {name} && {name} < {count}"));
            }
        }
        found
    }

    /// The name of a variable: a unique C identifier.
    fn name(&mut self, symbol: Symbol, stage: Stage) -> String {
        let key = match *self.terms.node(self.terms.var_at(symbol, stage)) {
            Node::Var(symbol, stage) => (symbol, stage),
            _ => unreachable!("variables are variables"),
        };
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = self.terms.name(symbol).chars().map(letter).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || name.contains("__") {
            name = format!("v_{}", name.replace("__", "_"));
        }
        if key.1 == Stage::Next {
            name.push_str("_next");
        }
        while !self.used.insert(name.clone()) {
            name.push('_');
            name = name.replace("__", "_1");
        }
        self.names.insert(key, name.clone());
        name
    }

    /// The text of a term; named parts are written by their names.
    fn text(&mut self, root: Term, shared: &Shared) -> Result<String, ExportError> {
        let root = self.terms.lower_extrema(root);
        let mut out = String::new();
        let mut stack = vec![Item::Term(root)];
        let mut parts = Vec::new();
        while let Some(item) = stack.pop() {
            match item {
                Item::Text(text) => out.push_str(&text),
                Item::Term(t) => match shared.get(&t) {
                    Some(number) => out.push_str(&shared_name(*number)),
                    None => self.pieces(t, &mut parts)?,
                },
            }
            stack.extend(parts.drain(..).rev());
        }
        Ok(out)
    }

    fn pieces(&mut self, t: Term, parts: &mut Vec<Item>) -> Result<(), ExportError> {
        let terms = self.terms;
        match terms.node(t) {
            Node::Bool(b) => parts.push(Item::word(if *b { "1" } else { "0" })),
            Node::Number(value) => parts.push(Item::Text(number(value)?)),
            Node::Variant(_, k) => parts.push(Item::Text(k.to_string())),
            Node::Var(symbol, stage) => parts.push(Item::Text(self.name(*symbol, *stage))),
            Node::Not(a) => parts.extend([Item::word("!"), Item::Term(*a)]),
            Node::And(list) => joined(list, " && ", parts),
            Node::Or(list) => joined(list, " || ", parts),
            Node::Eq(a, b) => joined(&[*a, *b], " == ", parts),
            Node::Ite(c, a, b) => {
                parts.extend([Item::word("("), Item::Term(*c), Item::word(" ? ")]);
                parts.extend([Item::Term(*a), Item::word(" : "), Item::Term(*b)]);
                parts.push(Item::word(")"));
            }
            Node::Zero(a) => self.comparison(*a, " == ", parts)?,
            Node::NonPos(a) => self.comparison(*a, " <= ", parts)?,
            Node::Sum(sum) => self.sum(sum, parts)?,
            Node::Div(a, d) => self.division("quotient(", *a, d, parts)?,
            Node::Mod(a, d) => self.division("remainder_of(", *a, d, parts)?,
            _ => {
                let why = "reals, arrays and functions have no C form".to_string();
                return Err(NotPortable(why).into());
            }
        }
        Ok(())
    }

    fn division(
        &mut self,
        open: &'static str,
        a: Term,
        divisor: &Int,
        parts: &mut Vec<Item>,
    ) -> Result<(), ExportError> {
        self.divides = true;
        let divisor = number(&Rat::from(divisor))?;
        parts.extend([Item::word(open), Item::Term(a)]);
        parts.push(Item::Text(format!(", {divisor})")));
        Ok(())
    }

    /// `t op 0` with positive parts on the left and negative ones on the right.
    fn comparison(
        &self,
        t: Term,
        op: &'static str,
        parts: &mut Vec<Item>,
    ) -> Result<(), ExportError> {
        let whole = self.terms.linear(t);
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (m, c) in whole.monomials() {
            match c.is_negative() {
                true => right.add_term(*m, &-c),
                false => left.add_term(*m, c),
            }
        }
        match whole.constant().is_negative() {
            true => right.add_constant(&-whole.constant()),
            false => left.add_constant(whole.constant()),
        }
        parts.push(Item::word("("));
        self.sum(&left, parts)?;
        parts.push(Item::word(op));
        self.sum(&right, parts)?;
        parts.push(Item::word(")"));
        Ok(())
    }

    fn sum(&self, sum: &Linear, parts: &mut Vec<Item>) -> Result<(), ExportError> {
        match sum.monomials() {
            [] => {
                parts.push(Item::Text(number(sum.constant())?));
                return Ok(());
            }
            [(only, c)] if c.is_one() && sum.constant().is_zero() => {
                parts.push(Item::Term(*only));
                return Ok(());
            }
            _ => parts.push(Item::word("(")),
        }
        for (k, (m, c)) in sum.monomials().iter().enumerate() {
            let sign = match (k, c.is_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            parts.push(Item::word(sign));
            if !c.abs().is_one() {
                parts.push(Item::Text(number(&c.abs())? + " * "));
            }
            parts.push(Item::Term(*m));
        }
        let constant = sum.constant();
        if !constant.is_zero() {
            let sign = if constant.is_negative() { " - " } else { " + " };
            parts.push(Item::Text(sign.to_string() + &number(&constant.abs())?));
        }
        parts.push(Item::word(")"));
        Ok(())
    }
}

/// Pending output.
enum Item {
    Term(Term),
    Text(String),
}

impl Item {
    fn word(text: &str) -> Item {
        Item::Text(text.to_string())
    }
}

/// The name of a shared value, different from all variables.
fn shared_name(number: u32) -> String {
    format!("shared__{number}")
}

fn joined(list: &[Term], between: &'static str, parts: &mut Vec<Item>) {
    parts.push(Item::word("("));
    for (k, &t) in list.iter().enumerate() {
        if k > 0 {
            parts.push(Item::word(between));
        }
        parts.push(Item::Term(t));
    }
    parts.push(Item::word(")"));
}

/// A number in the range of `int`.
fn number(value: &Rat) -> Result<String, ExportError> {
    let fits = |v: &i64| i32::try_from(*v).is_ok_and(|v| v > i32::MIN);
    let text = value.to_i64().filter(fits).map(|v| v.to_string());
    text.ok_or_else(|| NotPortable(format!("the number {value} is no int of C")).into())
}
