//! Lowers programs to graphs.
//!
//! Every statement has one location, the one before it; in addition there is the end of the
//! program. A location represents the rest of the program: if two statements are followed by the
//! same rest, they lead to the same location. This merges the glue edges of the definition.

use super::ast::{Block, Statement, StatementKind};
use super::declare::Declared;
use super::text::one_line;
use crate::elaborate::{Elaborated, Entity};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Expr, Name};
use sectile_base::{Source, Span};
use sectile_model::{Command, Edge, Location, LocationId, Property, PropertyKind, Update};
use sectile_terms::{Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The control flow of a program.
#[derive(Debug)]
pub struct ControlFlow {
    /// The locations, in the order of the text; the first one is the entry, the last one the end.
    pub locations: Vec<Location>,
    /// The edges, in the order of the locations that they leave.
    pub edges: Vec<Edge>,
    /// The locations of labels.
    pub labels: BTreeMap<Arc<str>, LocationId>,
    /// The properties of assertions, in the order of the text.
    pub assertions: Vec<Property>,
}

/// The locations and edges of a program; `end` is the position of its end. Errors are added to the
/// diagnostics, and erroneous statements are left out.
///
/// Paper: [Fr23, Def. 2]. Differs: glue edges are merged; `x := *`, nondeterministic choices and
/// `a*` are added, where a choice is a pair of tests `?true` and `a*` is a loop with such a choice.
pub fn lower(
    declared: &mut Declared<'_>,
    source: &Source,
    program: &Block,
    end: Span,
) -> ControlFlow {
    let mut lowering = Lowering {
        terms: declared.terms,
        declared,
        source,
        places: Vec::new(),
        edges: Vec::new(),
        labels: Vec::new(),
        assertions: Vec::new(),
        unnamed: 0,
    };
    let end = lowering.place(end);
    let entry = lowering.before(&program.statements, end);
    lowering.sequence(program, entry, end);
    lowering.finish()
}

/// A location before the final numbering.
type Point = usize;

/// Decides which of several labels names a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Before a statement.
    Statement,
    /// At the end of a block.
    End,
}

struct Lowering<'a, 't> {
    terms: &'t Terms,
    declared: &'a mut Declared<'t>,
    source: &'a Source,
    places: Vec<Span>,
    edges: Vec<(Point, Point, Command)>,
    labels: Vec<(Rank, Name, Point)>,
    /// The names, formulas, positions and locations of assertions.
    assertions: Vec<(String, Term, Span, Point)>,
    unnamed: usize,
}

impl Lowering<'_, '_> {
    fn place(&mut self, span: Span) -> Point {
        self.places.push(span);
        self.places.len() - 1
    }

    fn label(&mut self, labels: &[Name], rank: Rank, place: Point) {
        let named = labels.iter().map(|name| (rank, name.clone(), place));
        self.labels.extend(named);
    }

    /// The location before statements: that of the first one, or `behind` if there is none.
    fn before(&mut self, statements: &[Statement], behind: Point) -> Point {
        match statements.iter().find(|s| !s.is_empty()) {
            Some(first) => self.place(first.span),
            None => behind,
        }
    }

    /// Lowers a sequence of statements; `to` is `from` if the block is empty.
    fn sequence(&mut self, block: &Block, from: Point, to: Point) {
        let mut here = from;
        for (i, statement) in block.statements.iter().enumerate() {
            let (rank, next) = match statement.is_empty() {
                true => (Rank::End, here),
                false => (Rank::Statement, self.before(&block.statements[i + 1..], to)),
            };
            self.label(&statement.labels, rank, here);
            self.statement(statement, here, next);
            here = next;
        }
        self.label(&block.end_labels, Rank::End, to);
    }

    fn statement(&mut self, statement: &Statement, from: Point, to: Point) {
        match &statement.kind {
            StatementKind::If(branches, otherwise) => {
                let mut here = from;
                for (i, branch) in branches.iter().enumerate() {
                    let body = self.before(&branch.body.statements, to);
                    let next = match (branches.get(i + 1), otherwise) {
                        (Some(branch), _) => self.place(branch.span),
                        (None, Some(block)) => self.before(&block.statements, to),
                        (None, None) => to,
                    };
                    let condition = branch.condition.as_ref();
                    self.choice(condition, branch.span, here, body, next);
                    self.sequence(&branch.body, body, to);
                    here = next;
                }
                if let Some(block) = otherwise {
                    self.sequence(block, here, to);
                }
            }
            StatementKind::While(condition, body) => {
                self.rounds(condition.as_ref(), body, statement.span, from, to);
            }
            StatementKind::Loop(body) => self.rounds(None, body, statement.span, from, to),
            StatementKind::Block(inner) => self.sequence(inner, from, to),
            _ => {
                if let Ok(command) = self.step(statement, from) {
                    self.edges.push((from, to, command));
                }
            }
        }
    }

    fn rounds(
        &mut self,
        condition: Option<&Expr>,
        body: &Block,
        span: Span,
        from: Point,
        to: Point,
    ) {
        let first = self.before(&body.statements, from);
        self.choice(condition, span, from, first, to);
        self.sequence(body, first, from);
    }

    /// The two edges of a condition; `None` is a nondeterministic choice. An edge whose guard is
    /// false is left out.
    fn choice(&mut self, condition: Option<&Expr>, span: Span, from: Point, yes: Point, no: Point) {
        let any = self.terms.tt();
        let mut ways = [
            ("?true".to_string(), any, yes),
            ("?true".to_string(), any, no),
        ];
        if let Some(expr) = condition {
            let Ok(test) = self.declared.elaborator().formula(expr) else {
                return;
            };
            let text = one_line(self.source.slice(expr.span));
            ways[0] = (format!("?{text}"), test, yes);
            ways[1] = (format!("?not ({text})"), self.terms.not(test), no);
        }
        for (text, test, to) in ways {
            if test != self.terms.ff() {
                let mut command = self.command(text, span, None);
                command.guards = guards(self.terms, test);
                self.edges.push((from, to, command));
            }
        }
    }

    /// The command of a statement that is a single step.
    fn step(&mut self, statement: &Statement, from: Point) -> Elaborated<Command> {
        let (mut guard, mut inputs, mut assigned) = (None, Vec::new(), None);
        match &statement.kind {
            StatementKind::Assign(name, value) => {
                let symbol = self.target(name)?;
                let sort = self.terms.symbol_sort(symbol);
                assigned = Some((symbol, self.declared.elaborator().expect(value, sort)?));
            }
            StatementKind::Havoc(name) => {
                let symbol = self.target(name)?;
                let input = self.input_for(symbol);
                inputs.push(input);
                assigned = Some((symbol, self.terms.var(input)));
            }
            StatementKind::Test(formula) => {
                guard = Some(self.declared.elaborator().formula(formula)?);
            }
            StatementKind::Assert(name, formula) => {
                let formula = self.declared.elaborator().formula(formula);
                self.unnamed += usize::from(name.is_none());
                let unnamed = || format!("assert{}", self.unnamed);
                let name = name.as_ref().map_or_else(unnamed, |n| n.text.to_string());
                self.assertions.push((name, formula?, statement.span, from));
            }
            _ => {}
        }
        let text = one_line(self.source.slice(statement.span));
        let mut command = self.command(text, statement.span, assigned);
        command.guards = guard.map_or_else(Vec::new, |g| guards(self.terms, g));
        command.inputs = inputs;
        Ok(command)
    }

    /// A step that assigns at most one variable; the others keep their values.
    fn command(&self, text: String, span: Span, assigned: Option<(Symbol, Term)>) -> Command {
        let mut command = Command::new(text, span);
        let update = |&symbol: &Symbol| Update {
            symbol,
            value: match assigned {
                Some((target, value)) if target == symbol => value,
                _ => self.terms.var(symbol),
            },
        };
        command.updates = self.declared.model.variables.iter().map(update).collect();
        command
    }

    /// The variable on the left of `:=`.
    fn target(&mut self, name: &Name) -> Elaborated<Symbol> {
        let what = match self.declared.names.entities.get(&*name.text) {
            Some(Entity::Family(family)) => return Ok(family.symbols[0]),
            Some(_) => "a parameter",
            None if !self.declared.names.variants(&name.text).is_empty() => "a value",
            // Its declaration has an error, which was reported.
            None => return Err(Reported),
        };
        let message = format!("`{}` is {what} and cannot be assigned", name.text);
        Err(self.declared.error("assignment", name.span, message, ""))
    }

    /// The input that `x := *` assigns to `x`; all statements about one variable share it.
    fn input_for(&mut self, symbol: Symbol) -> Symbol {
        let sort = self.terms.symbol_sort(symbol);
        let mut name = format!("{}_any", self.terms.name(symbol));
        loop {
            let free = !self.declared.names.entities.contains_key(name.as_str());
            if free && let Ok(input) = self.terms.declare(&name, sort, SymbolKind::Input) {
                return input;
            }
            name.push('_');
        }
    }

    /// Numbers and names the locations in the order of the text.
    fn finish(mut self) -> ControlFlow {
        let mut order: Vec<Point> = (0..self.places.len()).collect();
        // The end of the program was created first, but comes last.
        order.sort_by_key(|&p| (p == 0, self.places[p]));
        let mut ids = vec![LocationId(0); order.len()];
        for (i, &place) in order.iter().enumerate() {
            ids[place] = LocationId(i);
        }
        self.labels
            .sort_by_key(|(rank, name, _)| (*rank, name.span));
        let mut names: Vec<Option<Arc<str>>> = vec![None; order.len()];
        let mut labels = BTreeMap::new();
        for (_, name, place) in &self.labels {
            let id = ids[*place];
            names[id.0].get_or_insert_with(|| name.text.clone());
            labels.insert(name.text.clone(), id);
        }
        let mut numbers = 0_usize..;
        let mut free_name = || {
            let mut candidates = numbers.by_ref().map(|k| format!("l{k}"));
            let taken = |n: &str| self.declared.is_taken(n) || labels.contains_key(n);
            let free = candidates.find(|n| !taken(n));
            free.expect("there are more numbers than names")
        };
        let locations = order.iter().zip(names).map(|(&place, name)| {
            let name = name.map_or_else(&mut free_name, |n| n.to_string());
            Location::new(name, self.places[place])
        });
        let locations = locations.collect();
        self.edges.sort_by_key(|(from, ..)| ids[*from]);
        let edge = |(from, to, command)| Edge::new(ids[from], ids[to], command);
        let assertion = |(name, formula, span, place)| Property {
            name,
            kind: PropertyKind::AtLocation(ids[place], formula),
            span,
        };
        ControlFlow {
            locations,
            edges: self.edges.into_iter().map(edge).collect(),
            labels,
            assertions: self.assertions.into_iter().map(assertion).collect(),
        }
    }
}

/// The conjuncts of a condition, including those of a negated disjunction.
pub(crate) fn guards(terms: &Terms, condition: Term) -> Vec<Term> {
    let (inner, negated) = terms.strip_not(condition);
    let parts = terms.disjuncts(inner);
    if negated && parts.len() > 1 {
        return parts.into_iter().map(|t| terms.not(t)).collect();
    }
    terms.conjuncts(condition)
}
