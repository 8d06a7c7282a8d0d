//! From programs to graphs.
//!
//! Every statement has one location, the one before it; besides there is the end of the program.
//! A location stands for what is still to be done: where two statements are followed by the same
//! rest, the location behind both is the same. This merges the glue edges of the definition.

use super::core::{Action, Block, Choice, Node, NodeKind};
use crate::syntax::Name;
use sectile_base::Span;
use sectile_model::{Command, Edge, Location, LocationId, Update};
use sectile_terms::{Symbol, Term, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The control flow of a program.
#[derive(Debug)]
pub struct ControlFlow {
    /// The locations, in the order of the text; the first one is the entry, the last one the end.
    pub locations: Vec<Location>,
    /// The edges, in the order of the locations that they leave.
    pub edges: Vec<Edge>,
    /// What the labels name.
    pub labels: BTreeMap<Arc<str>, LocationId>,
    /// Where the assertions stand, by their position.
    pub assertions: Vec<LocationId>,
}

/// The locations and edges of a program that is not empty.
///
/// `end` is the place of its end; `is_taken` says which names are not free for locations without a label.
///
/// Paper: [Fr23, Def. 2]. Differs: glue edges are merged; `x := *`, free choices and `a*` are
/// added, where a free choice is a pair of tests `?true` and `a*` is a loop with such a choice.
pub fn lower(
    terms: &Terms,
    variables: &[Symbol],
    program: &Block,
    end: Span,
    is_taken: &dyn Fn(&str) -> bool,
) -> ControlFlow {
    let mut lowering = Lowering {
        terms,
        variables,
        places: Vec::new(),
        edges: Vec::new(),
        labels: Vec::new(),
        assertions: BTreeMap::new(),
    };
    let end = lowering.place(end);
    let entry = lowering.entry(program, end);
    lowering.sequence(program, entry, end);
    lowering.finish(is_taken)
}

/// A location before it has its final number.
type Place = usize;

/// Which of several labels names a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Before a statement.
    Statement,
    /// At the end of a block.
    End,
}

struct Lowering<'a> {
    terms: &'a Terms,
    variables: &'a [Symbol],
    places: Vec<Span>,
    edges: Vec<(Place, Place, Command)>,
    labels: Vec<(Rank, Name, Place)>,
    assertions: BTreeMap<usize, Place>,
}

impl Lowering<'_> {
    fn place(&mut self, span: Span) -> Place {
        self.places.push(span);
        self.places.len() - 1
    }

    fn label(&mut self, labels: &[Name], rank: Rank, place: Place) {
        let named = labels.iter().map(|name| (rank, name.clone(), place));
        self.labels.extend(named);
    }

    /// The location in front of a block: that of its first statement, or the one behind it.
    fn entry(&mut self, block: &Block, behind: Place) -> Place {
        match block.nodes.iter().find(|n| !n.is_empty()) {
            Some(first) => self.place(first.span),
            None => behind,
        }
    }

    /// Statements one after the other; `to` is `from` where the block is empty.
    fn sequence(&mut self, block: &Block, from: Place, to: Place) {
        let mut here = from;
        for (i, node) in block.nodes.iter().enumerate() {
            let NodeKind::Block(inner) = &node.kind else {
                let next = self.behind(block, i, to);
                self.label(&node.labels, Rank::Statement, here);
                self.node(node, here, next);
                here = next;
                continue;
            };
            let (rank, next) = match inner.is_empty() {
                true => (Rank::End, here),
                false => (Rank::Statement, self.behind(block, i, to)),
            };
            self.label(&node.labels, rank, here);
            self.sequence(inner, here, next);
            here = next;
        }
        self.label(&block.end_labels, Rank::End, to);
    }

    /// The location behind the node at `position`.
    fn behind(&mut self, block: &Block, position: usize, to: Place) -> Place {
        let mut rest = block.nodes[position + 1..].iter();
        match rest.find(|n| !n.is_empty()) {
            Some(next) => self.place(next.span),
            None => to,
        }
    }

    /// A statement that is no block.
    fn node(&mut self, node: &Node, from: Place, to: Place) {
        match &node.kind {
            NodeKind::Step(action, text) => {
                if let Action::Assert(position) = action {
                    self.assertions.insert(*position, from);
                }
                let command = self.command(*action, text, node.span);
                self.edges.push((from, to, command));
            }
            NodeKind::If(arms, otherwise) => {
                let mut here = from;
                for (i, arm) in arms.iter().enumerate() {
                    let body = self.entry(&arm.body, to);
                    let next = match arms.get(i + 1) {
                        Some(arm) => self.place(arm.span),
                        None => self.entry(otherwise, to),
                    };
                    self.choice(&arm.choice, arm.span, here, body, next);
                    self.sequence(&arm.body, body, to);
                    here = next;
                }
                self.sequence(otherwise, here, to);
            }
            NodeKind::While(choice, body) => {
                let first = self.entry(body, from);
                self.choice(choice, node.span, from, first, to);
                self.sequence(body, first, from);
            }
            NodeKind::Block(_) => unreachable!("`sequence` goes into blocks itself"),
        }
    }

    /// The two edges of a condition. One that is never taken is left out.
    fn choice(&mut self, choice: &Choice, span: Span, from: Place, yes: Place, no: Place) {
        let ways = [
            (choice.yes, &choice.yes_text, yes),
            (choice.no, &choice.no_text, no),
        ];
        for (test, text, to) in ways {
            if test != self.terms.ff() {
                let command = self.command(Action::Test(test), text, span);
                self.edges.push((from, to, command));
            }
        }
    }

    fn command(&self, action: Action, text: &str, span: Span) -> Command {
        let mut command = Command::new(text, span);
        let mut assigned = None;
        match action {
            Action::Assign(symbol, value) => assigned = Some((symbol, value)),
            Action::Havoc(symbol, input) => {
                command.inputs.push(input);
                assigned = Some((symbol, self.terms.var(input)));
            }
            Action::Test(condition) => command.guards = guards(self.terms, condition),
            Action::Assert(_) | Action::Skip => {}
        }
        let update = |&symbol: &Symbol| match assigned {
            Some((target, value)) if target == symbol => Update { symbol, value },
            _ => Update {
                symbol,
                value: self.terms.var(symbol),
            },
        };
        command.updates = self.variables.iter().map(update).collect();
        command
    }

    /// Numbers and names the locations in the order of the text.
    fn finish(mut self, is_taken: &dyn Fn(&str) -> bool) -> ControlFlow {
        let mut order: Vec<Place> = (0..self.places.len()).collect();
        // The end of the program was made first and comes last.
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
            let free = candidates.find(|n| !is_taken(n) && !labels.contains_key(n.as_str()));
            free.expect("there are more numbers than names")
        };
        let locations = order.iter().zip(names).map(|(&place, name)| {
            let name = name.map_or_else(&mut free_name, |n| n.to_string());
            Location::new(name, self.places[place])
        });
        let locations = locations.collect();
        self.edges.sort_by_key(|(from, ..)| ids[*from]);
        let edge =
            |(from, to, command): (Place, Place, Command)| Edge::new(ids[from], ids[to], command);
        ControlFlow {
            locations,
            edges: self.edges.into_iter().map(edge).collect(),
            labels,
            assertions: self.assertions.values().map(|&p| ids[p]).collect(),
        }
    }
}

/// A condition as a list of conjuncts; those of a negated disjunction, too.
pub(crate) fn guards(terms: &Terms, condition: Term) -> Vec<Term> {
    let (inner, negated) = terms.strip_not(condition);
    let parts = terms.disjuncts(inner);
    if negated && parts.len() > 1 {
        return parts.into_iter().map(|t| terms.not(t)).collect();
    }
    terms.conjuncts(condition)
}
