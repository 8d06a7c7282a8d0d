//! What the passes make of small models, and what they refuse.

#![allow(clippy::unwrap_used)]

use sectile_base::Span;
use sectile_model::*;
use sectile_terms::*;
use sectile_transform::*;

fn property(kind: PropertyKind) -> Property {
    Property {
        name: "p".into(),
        kind,
        span: Span::default(),
    }
}

fn set(command: &mut Command, symbol: Symbol, value: Term) {
    command.updates.push(Update { symbol, value });
}

/// Figure 10 of [BeGrLa]: x runs away from y, so that the third location is not reached.
struct Fig10 {
    terms: Terms,
    pc: Symbol,
    system: Model,
    safe: Term,
}

fn fig10() -> Fig10 {
    let terms = Terms::new();
    let id = terms.declare_enum("pc", &["l0".into(), "l1".into(), "l2".into()]);
    let declare = |name, sort| terms.declare(name, sort, SymbolKind::State).unwrap();
    let pc = declare("pc", Sort::Enum(id));
    let (x, y) = (declare("x", Sort::Int), declare("y", Sort::Int));
    let at = |k| terms.eq(terms.var(pc), terms.variant(id, k));
    let command = |name: &str, guards: Vec<Term>, to: u32, vx: Term, vy: Term| {
        let mut c = Command::new(name, Span::default());
        c.guards = guards;
        set(&mut c, pc, terms.variant(id, to));
        set(&mut c, x, vx);
        set(&mut c, y, vy);
        c
    };
    let (vx, vy) = (terms.var(x), terms.var(y));
    let one = terms.int(1);
    let commands = vec![
        command("a", vec![at(0)], 1, one, terms.int(0)),
        command("b", vec![at(1)], 1, terms.add(vx, one), vy),
        command("c", vec![at(1), terms.eq(vx, vy)], 2, vx, vy),
    ];
    let safe = terms.not(at(2));
    let system = Model {
        name: "fig10".into(),
        variables: vec![pc, x, y],
        init: vec![at(0)],
        ..Model::system(commands)
    };
    Fig10 {
        pc,
        system,
        safe,
        terms,
    }
}

fn graph_of(model: &Model) -> &Model {
    assert!(!model.is_system(), "locations are expected");
    model
}

fn system_of(model: &Model) -> &Model {
    assert!(model.is_system(), "a system is expected");
    model
}

fn edges(terms: &Terms, graph: &Model) -> Vec<String> {
    let print = |t: Term| NativePrinter::new(terms).print(t);
    let text = |e: &Edge| {
        let guards: Vec<String> = e.command.guards.iter().map(|&g| print(g)).collect();
        format!(
            "{}->{} {} [{}]",
            graph.location_name(e.from),
            graph.location_name(e.to),
            e.command.name,
            guards.join(", ")
        )
    };
    graph.edges.iter().map(text).collect()
}

#[test]
fn the_control_of_figure_10_is_found_and_split() {
    let f = fig10();
    let p = property(PropertyKind::Invariant(f.safe));
    let model = f.system;
    let split = ControlSplit::automatic().apply(&Task::new(&f.terms, &model, &p));
    let split = split.unwrap();
    let graph = graph_of(&split.model);
    assert_eq!(
        edges(&f.terms, graph),
        ["l0->l1 a []", "l1->l1 b []", "l1->l2 c [x = y]"]
    );
    assert_eq!(graph.variables.len(), 2);
    assert!(graph.init.is_empty());
    let l2 = graph.location("l2").unwrap();
    assert_eq!(split.property.kind, PropertyKind::Unreachable(vec![l2]));
    // The invariant x > y at l1 comes back as one about the system.
    let [x, y] = graph.variables[..] else {
        panic!("two variables")
    };
    let more = f.terms.gt(f.terms.var(x), f.terms.var(y));
    let found = Certificate::invariants(vec![f.terms.tt(), more, f.terms.ff()]);
    let Certificate::Invariants(proof) = split.back.certificate(&f.terms, &found).unwrap() else {
        panic!("an invariant")
    };
    let [Some(back)] = proof.at[..] else {
        panic!("a system has one location")
    };
    let text = NativePrinter::new(&f.terms).print(back);
    assert_eq!(text, "pc = l0 or pc = l1 and x > y");
}

#[test]
fn the_counter_encoding_names_and_orders() {
    let f = fig10();
    let p = property(PropertyKind::Invariant(f.safe));
    let system = f.system.clone();
    let there = Pipeline::new()
        .then(ControlSplit::on(vec![f.pc]))
        .then(PcEncoding);
    let made = there.apply(&Task::new(&f.terms, &system, &p)).unwrap();
    let encoded = system_of(&made.model);
    // `pc` exists in the store but not in the graph, with the same values: it is used again.
    assert_eq!(encoded.variables, f.system.variables);
    assert_eq!(made.property, p);
    assert_eq!(encoded.init, f.system.init);
    let names: Vec<&str> = encoded.commands().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["l0->l1: a", "l1->l1: b", "l1->l2: c"]);
    for (new, old) in encoded.commands().zip(f.system.commands()) {
        assert_eq!(new.formula(&f.terms), old.formula(&f.terms));
    }
}

/// A graph whose only variable is called `pc` and whose locations are called like it.
fn awkward(terms: &Terms) -> Model {
    let pc = terms.declare("pc", Sort::Int, SymbolKind::State).unwrap();
    let location = |name: &str| Location::new(name, Span::default());
    let edge = |from, to| {
        let mut command = Command::new("skip", Span::default());
        set(&mut command, pc, terms.var(pc));
        Edge::new(LocationId(from), LocationId(to), command)
    };
    Model {
        name: "awkward".into(),
        variables: vec![pc],
        locations: vec![location("pc"), location("error")],
        edges: vec![edge(0, 1), edge(0, 1)],
        ..Model::default()
    }
}

#[test]
fn new_names_do_not_clash() {
    let terms = Terms::new();
    let model = awkward(&terms);
    let p = property(PropertyKind::Unreachable(vec![LocationId(1)]));
    let made = PcEncoding.apply(&Task::new(&terms, &model, &p)).unwrap();
    let system = system_of(&made.model);
    let counter = system.variables[0];
    assert_eq!(terms.name(counter), "pc_");
    let Sort::Enum(id) = terms.symbol_sort(counter) else {
        panic!("an enumeration")
    };
    assert_eq!(terms.enum_info(id).variants, ["pc_", "error"]);
    assert_eq!(system.edges[0].command.name, "pc->error: skip");
    assert_eq!(system.edges[1].command.name, "pc->error: skip_");
    let again = PcEncoding.apply(&Task::new(&terms, &model, &p)).unwrap();
    assert_eq!(again.model, made.model, "the second time gives the same");

    let zero = terms.eq(terms.var(system.variables[1]), terms.int(0));
    let p = property(PropertyKind::AtLocation(LocationId(1), zero));
    let made = ErrorLocation.apply(&Task::new(&terms, &model, &p)).unwrap();
    let graph = graph_of(&made.model);
    assert_eq!(graph.locations[2].name, "error_");
    assert_eq!(edges(&terms, graph)[2], "error->error_ violation [pc != 0]");
}

#[test]
fn several_initial_locations_get_an_entry() {
    let mut f = fig10();
    f.system.init = vec![f.safe];
    let formula = Ctl::Ag(Box::new(Ctl::State(f.safe)));
    let model = f.system;
    let pass = ControlSplit::on(vec![f.pc]);
    let split = pass.apply(&Task::new(
        &f.terms,
        &model,
        &property(PropertyKind::Ctl(formula)),
    ));
    let split = split.unwrap();
    let graph = graph_of(&split.model);
    assert_eq!(graph.location_name(graph.entry), "init");
    assert_eq!(
        edges(&f.terms, graph)[..2],
        ["init->l0 start []", "init->l1 start []"]
    );
    assert!(matches!(split.property.kind, PropertyKind::Ctl(Ctl::Ax(_))));
    // A lasso moves with its run.
    let state = |l, x: i64| State {
        location: LocationId(l),
        values: vec![Value::Int(x.into()), Value::Int(0.into())],
    };
    let step = |command| Step::new(command, vec![]);
    let lasso = Trace {
        rigid: vec![],
        states: vec![state(0, 3), state(2, 3), state(2, 4)],
        steps: vec![step(1), step(3), step(3)],
        back_to: Some(2),
    };
    let back = split.back.certificate(&f.terms, &Certificate::Trace(lasso));
    let Ok(Certificate::Trace(back)) = back else {
        panic!("a trace")
    };
    assert_eq!(back.back_to, Some(1));
    assert_eq!(back.states.len(), 2);
    assert_eq!(back.steps[0].command, 1);
    assert_eq!(back.states[0].values.len(), 3);
    assert_eq!(back.states[0].location, LocationId(0));
}

#[test]
fn ranges_are_control_where_they_are_restricted() {
    let terms = Terms::new();
    let k = terms.declare("k", Sort::Int, SymbolKind::State).unwrap();
    let (vk, zero, two) = (terms.var(k), terms.int(0), terms.int(2));
    let mut up = Command::new("up", Span::default());
    up.guards.push(terms.lt(vk, terms.int(7)));
    set(&mut up, k, terms.add(vk, terms.int(1)));
    let mut system = Model {
        name: "range".into(),
        variables: vec![k],
        init: vec![terms.eq(vk, zero)],
        restrict: vec![terms.and2(terms.le(zero, vk), terms.le(vk, two))],
        ..Model::system(vec![up])
    };
    let p = property(PropertyKind::Error(terms.eq(vk, terms.int(5))));
    let pass = ControlSplit::automatic();
    let split = pass.apply(&Task::new(&terms, &system, &p));
    let split = split.unwrap();
    let graph = graph_of(&split.model);
    // The step to 3 would leave the range: there is no such edge.
    assert_eq!(edges(&terms, graph), ["k=0->k=1 up []", "k=1->k=2 up []"]);
    assert_eq!(split.property.kind, PropertyKind::Unreachable(vec![]));

    system.restrict.pop();
    let refused = pass.apply(&Task::new(&terms, &system, &p));
    let reason = refused.err().unwrap().to_string();
    assert_eq!(
        reason,
        "control-split does not apply: no finite variable behaves like a program counter"
    );
    let named = ControlSplit::on(vec![k]);
    let refused = named.apply(&Task::new(&terms, &system, &p));
    assert!(refused.err().unwrap().contains("`k` has too many"));
}

#[test]
fn limits_are_kept() {
    let f = fig10();
    let p = property(PropertyKind::Invariant(f.safe));
    let pass = ControlSplit {
        control: Control::Variables(vec![f.pc]),
        most_locations: 2,
    };
    let refused = pass.apply(&Task::new(&f.terms, &f.system, &p));
    assert!(refused.is_err());
}

#[test]
fn the_wrong_kind_of_model_or_property_is_refused() {
    let f = fig10();
    let terms = &f.terms;
    let system = f.system.clone();
    let invariant = property(PropertyKind::Invariant(f.safe));
    let located = property(PropertyKind::AtLocation(LocationId(0), f.safe));
    let at = property(PropertyKind::Ctl(Ctl::Ef(Box::new(Ctl::At(LocationId(0))))));
    assert!(
        PcEncoding
            .apply(&Task::new(terms, &system, &invariant))
            .is_err()
    );
    for p in [&located, &at] {
        assert!(
            ControlSplit::automatic()
                .apply(&Task::new(terms, &system, p))
                .is_err()
        );
    }
    // The location of a system is one like others: violations lead away from it.
    let graph = ErrorLocation
        .apply(&Task::new(terms, &system, &invariant))
        .unwrap();
    assert_eq!(graph_of(&graph.model).locations.len(), 2);
    assert_eq!(graph.model.edges.len(), 4);
    let pass = ControlSplit::automatic();
    assert!(
        pass.apply(&Task::new(terms, &graph.model, &invariant))
            .is_err()
    );
    assert!(
        ErrorLocation
            .apply(&Task::new(terms, &graph.model, &at))
            .is_err()
    );
    assert!(
        ErrorLocation
            .apply(&Task::new(terms, &system, &at))
            .is_err()
    );
    // AG p is an invariant in other words.
    let ag = property(PropertyKind::Ctl(Ctl::Ag(Box::new(Ctl::State(f.safe)))));
    assert!(ErrorLocation.apply(&Task::new(terms, &system, &ag)).is_ok());
    // And so is AG of a formula about locations.
    let away = Ctl::implies(Ctl::At(LocationId(0)), Ctl::State(f.safe));
    let ag = property(PropertyKind::Ctl(Ctl::Ag(Box::new(away))));
    let made = ErrorLocation
        .apply(&Task::new(terms, &system, &ag))
        .unwrap();
    assert_eq!(graph_of(&made.model).edges.len(), 4);
    let made = PcEncoding
        .apply(&Task::new(terms, &graph.model, &ag))
        .unwrap();
    let PropertyKind::Ctl(formula) = &made.property.kind else {
        panic!("a formula stays one")
    };
    assert!(formula.as_invariant(terms).is_some());
}

#[test]
fn evidence_of_the_wrong_kind_is_lost_with_a_reason() {
    let f = fig10();
    let p = property(PropertyKind::Invariant(f.safe));
    let model = f.system;
    let pipeline = Pipeline::new().then(ErrorLocation);
    let made = pipeline.apply(&Task::new(&f.terms, &model, &p)).unwrap();
    let wrong = Certificate::Ctl(Box::new(CtlProof {
        cells: vec![],
        renamings: vec![],
        images: vec![],
        claims: vec![],
        initial: Initial::All(vec![]),
    }));
    let lost = made.back.certificate(&f.terms, &wrong).unwrap_err();
    assert!(lost.0.starts_with("by error-location: "));
    let short = Certificate::invariant(f.terms.tt());
    assert!(made.back.certificate(&f.terms, &short).is_err());
    let empty = Certificate::Trace(Trace {
        rigid: vec![],
        states: vec![],
        steps: vec![],
        back_to: None,
    });
    assert!(made.back.certificate(&f.terms, &empty).is_err());
}
