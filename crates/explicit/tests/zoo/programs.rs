//! M8 and M9 as program graphs.

use super::{Words, module, property, updates};
use sectile_base::Span;
use sectile_model::{Command, Edge, Location, LocationId, Model, Module, PropertyKind};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

pub struct GraphBuilder<'t> {
    pub terms: &'t Terms,
    pub graph: Model,
}

impl<'t> GraphBuilder<'t> {
    pub fn new(terms: &'t Terms, locations: usize) -> GraphBuilder<'t> {
        let location = |i| Location::new(format!("l{i}"), Span::default());
        GraphBuilder {
            terms,
            graph: Model {
                name: "test".into(),
                locations: (0..locations).map(location).collect(),
                ..Model::default()
            },
        }
    }

    pub fn int(&mut self, name: &str) -> Symbol {
        let symbol = self
            .terms
            .declare(name, Sort::Int, SymbolKind::State)
            .unwrap();
        self.graph.variables.push(symbol);
        symbol
    }

    pub fn rigid(&mut self, name: &str) -> Symbol {
        let symbol = self
            .terms
            .declare(name, Sort::Int, SymbolKind::Rigid)
            .unwrap();
        self.graph.rigid.push(symbol);
        symbol
    }

    pub fn edge(&mut self, from: usize, to: usize, guards: &[Term], sets: &[(Symbol, Term)]) {
        self.edge_with(from, to, &[], guards, sets);
    }

    pub fn edge_with(
        &mut self,
        from: usize,
        to: usize,
        inputs: &[Symbol],
        guards: &[Term],
        sets: &[(Symbol, Term)],
    ) {
        let mut command = Command::new(format!("{from}-{to}"), Span::default());
        command.inputs = inputs.to_vec();
        command.guards = guards.to_vec();
        command.updates = updates(self.terms, &self.graph.variables, sets);
        let edge = Edge::new(LocationId(from), LocationId(to), command);
        self.graph.edges.push(edge);
    }
}

/// M9 (a), or (b) with `abs`.
pub fn lecture_ab(terms: &Terms, abs: bool) -> Module {
    let (mut g, w) = (GraphBuilder::new(terms, 5), Words(terms));
    let (i, x, n) = (g.int("i"), g.int("x"), g.rigid("N"));
    let start = if abs {
        terms.add(terms.abs(terms.var(n)), w.n(1))
    } else {
        terms.var(n)
    };
    let stay = terms.and2(
        terms.ge(terms.var(x), w.n(0)),
        terms.lt(terms.var(x), terms.var(n)),
    );
    g.edge(0, 1, &[], &[(i, start)]);
    g.edge(1, 2, &[stay], &[]);
    g.edge(2, 3, &[], &[(i, w.plus(i, -1))]);
    g.edge(3, 1, &[], &[(x, w.plus(x, 1))]);
    g.edge(1, 4, &[terms.not(stay)], &[]);
    let good = terms.ge(terms.var(i), w.n(0));
    let kind = PropertyKind::AtLocation(LocationId(4), good);
    module(g.graph, vec![property("end", kind)])
}

/// M9 (c); locations l0..l10, l13 is l11 here.
pub fn lecture_c(terms: &Terms) -> Module {
    let (mut g, w) = (GraphBuilder::new(terms, 12), Words(terms));
    let [lock, c, t, b] = ["L", "C", "t", "b"].map(|n| g.int(n));
    let any = terms.declare("any", Sort::Int, SymbolKind::Input).unwrap();
    let positive = |s: Symbol| terms.gt(terms.var(s), w.n(0));
    let not_negative = terms.ge(terms.var(b), w.n(0));
    g.edge(0, 1, &[], &[(lock, w.n(0))]);
    g.edge(1, 2, &[], &[(c, w.n(0))]);
    g.edge(2, 3, &[positive(t)], &[]);
    g.edge(2, 11, &[terms.not(positive(t))], &[]);
    g.edge_with(3, 4, &[any], &[], &[(b, terms.var(any))]);
    g.edge(4, 5, &[not_negative], &[]);
    g.edge(4, 8, &[terms.not(not_negative)], &[]);
    g.edge(5, 6, &[], &[(lock, w.n(1))]);
    g.edge(6, 8, &[], &[(c, w.plus(c, 1))]);
    g.edge(8, 9, &[positive(c)], &[]);
    g.edge(8, 10, &[terms.not(positive(c))], &[]);
    g.edge(9, 10, &[], &[(lock, w.n(0))]);
    g.edge(10, 2, &[], &[(t, w.plus(t, -1))]);
    let take = PropertyKind::AtLocation(LocationId(5), w.is(lock, 0));
    let release = PropertyKind::AtLocation(LocationId(9), w.is(lock, 1));
    let properties = vec![property("take", take), property("release", release)];
    module(g.graph, properties)
}

/// M8 as blocks: a loop of three two-way disjunctions in sequence, over intermediate values.
pub fn sum(terms: &Terms, bug: bool) -> Module {
    let (mut g, w) = (GraphBuilder::new(terms, 3), Words(terms));
    let n = g.rigid("n");
    let [x, y, z] = ["x", "y", "z"].map(|v| g.int(v));
    let names = ["x1", "y1", "y2", "z2", "x3", "z3"];
    let [x1, y1, y2, z2, x3, z3] =
        names.map(|v| terms.declare(v, Sort::Int, SymbolKind::Input).unwrap());
    let v = |s: Symbol| terms.var(s);
    let eq = |s: Symbol, t: Term| terms.eq(v(s), t);
    g.graph.init = vec![terms.eq(v(n), v(x)), w.is(y, 0), w.is(z, 0)];
    g.edge(0, 1, &[], &[]);
    let either = |a: [Term; 2], b: [Term; 2]| terms.or2(terms.and(a), terms.and(b));
    let gain = if bug { 2 } else { 1 };
    let guards = [
        terms.not(w.is(x, 0)),
        either(
            [eq(x1, w.plus(x, 1)), eq(y1, w.plus(y, -1))],
            [eq(x1, v(x)), eq(y1, v(y))],
        ),
        either(
            [eq(y2, w.plus(y1, 1)), eq(z2, w.plus(z, -1))],
            [eq(y2, v(y1)), eq(z2, v(z))],
        ),
        either(
            [eq(x3, w.plus(x1, -1)), eq(z3, w.plus(z2, gain))],
            [eq(x3, v(x1)), eq(z3, v(z2))],
        ),
    ];
    let sets = [(x, v(x3)), (y, v(y2)), (z, v(z3))];
    g.edge_with(1, 1, &[x1, y1, y2, z2, x3, z3], &guards, &sets);
    let wrong = terms.neq(v(n), terms.add(v(y), v(z)));
    g.edge(1, 2, &[w.is(x, 0), wrong], &[]);
    let kind = PropertyKind::Unreachable(vec![LocationId(2)]);
    module(g.graph, vec![property("safe", kind)])
}

/// Counts from 0 to 2 and stops; the last location is never reached.
pub fn counter(terms: &Terms) -> Module {
    let (mut g, w) = (GraphBuilder::new(terms, 4), Words(terms));
    let i = g.int("i");
    g.graph.init = vec![w.is(i, 0)];
    g.edge(0, 1, &[], &[]);
    g.edge(
        1,
        0,
        &[terms.lt(terms.var(i), w.n(2))],
        &[(i, w.plus(i, 1))],
    );
    g.edge(1, 2, &[terms.ge(terms.var(i), w.n(2))], &[(i, w.n(0))]);
    g.edge(2, 2, &[w.is(i, 0)], &[(i, w.n(7))]);
    g.edge(2, 3, &[w.is(i, 8)], &[]);
    module(g.graph, Vec::new())
}
