//! Large blocks: which locations stay, how large formulas get, which variables matter.

#![allow(clippy::unwrap_used)]

use sectile_base::Span;
use sectile_engine::BlockSize;
use sectile_model::*;
use sectile_terms::*;
use sectile_transform::*;

struct Program {
    terms: Terms,
    graph: Model,
}

impl Program {
    fn new(variables: &[&str], locations: &[&str]) -> Program {
        let terms = Terms::new();
        let declare = |n: &&str| terms.declare(n, Sort::Int, SymbolKind::State).unwrap();
        let graph = Model {
            name: "test".into(),
            variables: variables.iter().map(declare).collect(),
            locations: locations
                .iter()
                .map(|n| Location::new(n.to_string(), Span::default()))
                .collect(),
            edges: Vec::new(),
            ..Model::default()
        };
        Program { terms, graph }
    }

    fn var(&self, name: &str) -> Term {
        self.terms.var(self.terms.symbol(name).unwrap())
    }

    /// An edge with a guard and one assignment `name := name + by`.
    fn edge(&mut self, from: &str, to: &str, guard: Option<Term>, add: Option<(&str, i64)>) {
        let terms = &self.terms;
        let mut command = Command::new(format!("{from} to {to}"), Span::default());
        command.guards.extend(guard);
        for &symbol in &self.graph.variables {
            let mut value = terms.var(symbol);
            if let Some((name, by)) = add
                && terms.name(symbol) == name
            {
                value = terms.add(value, terms.int(by));
            }
            command.updates.push(Update { symbol, value });
        }
        let [from, to] = [from, to].map(|name| self.graph.location(name).unwrap());
        self.graph.edges.push(Edge::new(from, to, command));
    }

    fn blocks(&self, error: &str, size: BlockSize) -> Model {
        let property = Property {
            name: "p".into(),
            kind: PropertyKind::Unreachable(vec![self.graph.location(error).unwrap()]),
            span: Span::default(),
        };
        let applied = LargeBlocks::of(size).apply(&Task::new(&self.terms, &self.graph, &property));
        applied.unwrap().model
    }
}

/// Program P of the paper, as its Figure 2 has it.
fn program_p() -> Program {
    let names = [
        "main", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9", "l10", "l11",
    ];
    let mut p = Program::new(&["x", "y", "z", "n"], &names);
    let (x, y, z, n) = (p.var("x"), p.var("y"), p.var("z"), p.var("n"));
    let t = &p.terms;
    let zero = t.int(0);
    let start = t.and([t.eq(n, x), t.eq(y, zero), t.eq(z, zero)]);
    let (done, wrong) = (t.eq(x, zero), t.neq(n, t.add(y, z)));
    let (go_on, failed) = (t.not(done), t.and2(done, wrong));
    p.edge("main", "l1", Some(start), None);
    p.edge("l1", "l2", Some(go_on), None);
    p.edge("l1", "l3", Some(failed), None);
    for (at, one, two, next, a, b) in [
        ("l2", "l4", "l5", "l6", ("x", 1), ("y", -1)),
        ("l6", "l7", "l8", "l9", ("y", 1), ("z", -1)),
        ("l9", "l10", "l11", "l1", ("x", -1), ("z", 1)),
    ] {
        p.edge(at, one, None, None);
        p.edge(at, next, None, None);
        p.edge(one, two, None, Some(a));
        p.edge(two, next, None, Some(b));
    }
    p
}

/// Paper: [ErHoPoSc11, Fig. 3].
#[test]
fn program_p_has_the_blocks_of_the_paper() {
    let p = program_p();
    let graph = p.blocks("l3", BlockSize::Loops);
    let names: Vec<&str> = graph.locations.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["main", "l1", "l3"]);
    let ends = |e: &Edge| (graph.location_name(e.from), graph.location_name(e.to));
    let edges: Vec<_> = graph.edges.iter().map(ends).collect();
    assert_eq!(edges, [("main", "l1"), ("l1", "l1"), ("l1", "l3")]);
    let conjuncts = graph.edges[1].command.conjuncts(&p.terms);
    let choices: Vec<usize> = conjuncts
        .iter()
        .map(|&c| p.terms.disjuncts(c).len())
        .filter(|&n| n > 1)
        .collect();
    assert_eq!(choices, [2, 2, 2], "three two-way disjunctions");
    let leave = graph.edges[1].command.guards.first().copied();
    assert_eq!(leave, Some(p.terms.neq(p.var("x"), p.terms.int(0))));
}

#[test]
fn other_sizes_keep_more_locations() {
    let p = program_p();
    let count = |size| p.blocks("l3", size).locations.len();
    assert_eq!(count(BlockSize::Sequences), 5, "main, l1, l3, l6, l9");
    assert_eq!(count(BlockSize::Parallel), 12);
    assert_eq!(p.blocks("l3", BlockSize::Single).edges.len(), 15);
}

/// A chain of branches that meet again, each with a way to the error.
fn diamonds(count: usize, with_errors: bool) -> usize {
    let mut names = vec!["error".to_string()];
    for i in 0..=count {
        names.extend([format!("a{i}"), format!("b{i}"), format!("c{i}")]);
    }
    let list: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut p = Program::new(&["x", "y"], &list);
    p.graph.entry = p.graph.location("a0").unwrap();
    let (x, y) = (p.var("x"), p.var("y"));
    for i in 0..count {
        let at = |l: &str, i: usize| format!("{l}{i}");
        let guard = p.terms.le(x, p.terms.add(y, p.terms.int(i as i64)));
        let other = p.terms.not(guard);
        p.edge(&at("a", i), &at("b", i), Some(guard), Some(("x", 1)));
        p.edge(&at("a", i), &at("c", i), Some(other), Some(("y", 2)));
        p.edge(&at("b", i), &at("a", i + 1), None, None);
        p.edge(&at("c", i), &at("a", i + 1), None, None);
        if with_errors {
            let bad = p.terms.eq(x, p.terms.int(1000 + i as i64));
            p.edge(&at("b", i), "error", Some(bad), None);
        }
    }
    let bad = p.terms.eq(x, y);
    p.edge(&format!("a{count}"), "error", Some(bad), None);
    let graph = p.blocks("error", BlockSize::Loops);
    assert_eq!(graph.edges.len(), 1);
    let formula = graph.edges[0].command.formula(&p.terms);
    let all = p.terms.post_order(&[formula]);
    let mut size = 0;
    for t in all {
        size += 1;
        p.terms.node(t).for_each_child(|_| size += 1);
    }
    size
}

#[test]
fn formulas_are_linear_in_the_number_of_branches() {
    for with_errors in [false, true] {
        let small = diamonds(50, with_errors);
        let large = diamonds(400, with_errors);
        assert!(large < 9 * small, "{small} and {large}");
    }
}

#[test]
fn variables_that_do_not_matter_are_left_out() {
    let mut p = Program::new(&["x", "y"], &["start", "head", "end", "error", "rest"]);
    let bad = p.terms.eq(p.var("x"), p.terms.int(7));
    p.edge("start", "head", None, Some(("y", 1)));
    p.edge("head", "head", None, Some(("y", 3)));
    p.edge("head", "end", None, Some(("x", 1)));
    p.edge("end", "error", Some(bad), None);
    p.edge("end", "rest", None, None);
    p.edge("rest", "rest", None, None);
    let graph = p.blocks("error", BlockSize::Loops);
    assert_eq!(graph.locations.len(), 3, "start, head, error");
    let y = p.terms.symbol("y").unwrap();
    for edge in &graph.edges {
        let formula = edge.command.formula(&p.terms);
        let used = p.terms.free_vars(formula);
        assert!(used.iter().all(|v| v.0 != y), "y does not matter");
    }
}
