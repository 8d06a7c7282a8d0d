//! Models built by hand, for the tests of the exports.

use sectile_base::{Rat, Span};
use sectile_model::{
    Command, Ctl, Edge, Location, LocationId, Model, Module, Property, PropertyKind, Update,
};
use sectile_smtlib::{Scope, Undeclared, parse_term, read};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

/// Parses a formula in SMT-LIB over the declared variables.
pub fn formula(terms: &Terms, text: &str) -> Term {
    let tree = read(text).expect("the text is well-formed");
    let mut scope = Scope::new(Undeclared::FromStore);
    match parse_term(terms, &tree, tree.roots()[0], &mut scope) {
        Ok(t) => t,
        Err(d) => panic!("{text}: {}", d.message),
    }
}

pub fn declare(terms: &Terms, names: &[&str], sort: Sort, kind: SymbolKind) -> Vec<Symbol> {
    let one = |n: &&str| terms.declare(n, sort, kind).expect("the name is free");
    names.iter().map(one).collect()
}

/// A command of guards and relations, with updates `x := e` written as pairs.
pub fn command(
    terms: &Terms,
    name: &str,
    conditions: &[&str],
    updates: &[(&str, &str)],
) -> Command {
    let mut command = Command::new(name, Span::default());
    command.relations = conditions.iter().map(|c| formula(terms, c)).collect();
    command.updates = updates
        .iter()
        .map(|(x, e)| Update {
            symbol: terms.symbol(x).expect("it is declared"),
            value: formula(terms, e),
        })
        .collect();
    command.normalise(terms);
    command
}

/// Adds `x := x` for every variable without an update.
pub fn keep_rest(terms: &Terms, mut command: Command, variables: &[Symbol]) -> Command {
    for symbol in command.unassigned(variables) {
        let value = terms.var(symbol);
        command.updates.push(Update { symbol, value });
    }
    command
}

pub fn property(name: &str, kind: PropertyKind) -> Property {
    Property {
        name: name.to_string(),
        kind,
        span: Span::default(),
    }
}

pub fn module(model: Model, properties: Vec<Property>) -> Module {
    Module {
        model,
        properties,
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
    }
}

/// The elevator (M1); `limited` says whether the first input is limited, without which it fails.
pub fn elevator(terms: &Terms, limited: bool) -> Module {
    let names = ["pc", "current", "req", "input"];
    let variables = declare(terms, &names, Sort::Int, SymbolKind::State);
    let rigid = declare(terms, &["Max"], Sort::Int, SymbolKind::Rigid);
    let mut init = vec![
        formula(terms, "(= pc 0)"),
        formula(terms, "(<= current Max)"),
    ];
    if limited {
        init.push(formula(terms, "(<= input Max)"));
    }
    let c = |name: &str, conditions: &[&str]| command(terms, name, conditions, &[]);
    let same = "(= current!next current)";
    let kept = "(= req!next req)";
    let commands = vec![
        c(
            "request",
            &["(= pc 0)", "(= pc!next 1)", same, "(= req!next input)"],
        ),
        c(
            "ready",
            &[
                "(>= pc 1)",
                "(= req current)",
                "(= pc!next 0)",
                same,
                kept,
                "(<= input!next Max)",
            ],
        ),
        c(
            "up",
            &["(= pc 1)", "(> req current)", "(= pc!next 2)", same, kept],
        ),
        c(
            "down",
            &["(= pc 1)", "(< req current)", "(= pc!next 3)", same, kept],
        ),
        c(
            "moveUp",
            &[
                "(= pc 2)",
                "(> req current)",
                "(= pc!next 2)",
                "(= current!next (+ current 1))",
                kept,
            ],
        ),
        c(
            "moveDn",
            &[
                "(= pc 3)",
                "(< req current)",
                "(= pc!next 3)",
                "(= current!next (- current 1))",
                kept,
            ],
        ),
    ];
    let system = Model {
        name: "elevator".to_string(),
        variables,
        rigid,
        init,
        ..Model::system(commands)
    };
    let error = PropertyKind::Error(formula(terms, "(> current Max)"));
    module(system, vec![property("safe", error)])
}

/// Readers and writers (M5), with one property that holds, one that does not and one of CTL.
pub fn readers_writers(terms: &Terms) -> Module {
    let variables = declare(terms, &["nr", "nw"], Sort::Int, SymbolKind::State);
    let init = vec![formula(terms, "(= nr 0)"), formula(terms, "(= nw 0)")];
    let restrict = vec![formula(terms, "(>= nr 0)"), formula(terms, "(>= nw 0)")];
    let c = |name: &str, guards: &[&str], updates: &[(&str, &str)]| {
        keep_rest(terms, command(terms, name, guards, updates), &variables)
    };
    let commands = vec![
        c("start-w", &["(= nw 0)", "(= nr 0)"], &[("nw", "1")]),
        c("end-w", &["(> nw 0)"], &[("nw", "(- nw 1)")]),
        c("start-r", &["(= nw 0)"], &[("nr", "(+ nr 1)")]),
        c("end-r", &["(> nr 0)"], &[("nr", "(- nr 1)")]),
    ];
    let state = |text: &str| Box::new(Ctl::State(formula(terms, text)));
    let properties = vec![
        property(
            "exclusive",
            PropertyKind::Invariant(formula(terms, "(=> (> nr 0) (= nw 0))")),
        ),
        property("few", PropertyKind::Invariant(formula(terms, "(<= nr 2)"))),
        property("live", PropertyKind::Ctl(Ctl::Af(state("(> nr 0)")))),
        property("one", PropertyKind::Ctl(Ctl::Ag(state("(<= nw 1)")))),
    ];
    let system = Model {
        name: "rw".to_string(),
        variables,
        init,
        restrict,
        ..Model::system(commands)
    };
    module(system, properties)
}

/// Two processes with enumerations, tickets from inputs, and names that need bars.
pub fn tickets(terms: &Terms) -> Module {
    let names = ["idle", "waiting", "critical"].map(String::from);
    let phase = Sort::Enum(terms.declare_enum("phase", &names));
    let mut variables = declare(terms, &["P[1].pc", "P[2].pc"], phase, SymbolKind::State);
    variables.extend(declare(
        terms,
        &["P[1].num", "P[2].num"],
        Sort::Int,
        SymbolKind::State,
    ));
    let v = declare(terms, &["v"], Sort::Int, SymbolKind::Input)[0];
    let mut commands = Vec::new();
    for (i, j) in [(1, 2), (2, 1)] {
        let (pc, num, other) = (
            format!("P[{i}].pc"),
            format!("P[{i}].num"),
            format!("P[{j}].num"),
        );
        let at = |k: u32| format!("(= |{pc}| {k})");
        let step = |name: &str, guards: &[&str], updates: &[(&str, &str)]| {
            command(terms, &format!("P[{i}].{name}"), guards, updates)
        };
        let set_pc = |mut c: Command, k: u32| {
            let symbol = terms.symbol(&pc).expect("it is declared");
            let Sort::Enum(id) = phase else {
                unreachable!()
            };
            let value = terms.variant(id, k);
            c.updates.push(Update { symbol, value });
            keep_rest(terms, c, &variables)
        };
        let mut take = step(
            "take",
            &[&at(0), &format!("(> v |{other}|)"), "(> v 0)"],
            &[(&num, "v")],
        );
        take.inputs.push(v);
        commands.push(set_pc(take, 1));
        let free = format!("(or (= |{other}| 0) (< |{num}| |{other}|))");
        commands.push(set_pc(step("enter", &[&at(1), &free], &[]), 2));
        commands.push(set_pc(step("leave", &[&at(2)], &[(&num, "0")]), 0));
    }
    let init = ["P[1].pc", "P[2].pc", "P[1].num", "P[2].num"]
        .map(|n| formula(terms, &format!("(= |{n}| 0)")))
        .to_vec();
    let both = |k: u32| {
        formula(
            terms,
            &format!("(not (and (= |P[1].pc| {k}) (= |P[2].pc| {k})))"),
        )
    };
    let properties = vec![
        property("mutex", PropertyKind::Invariant(both(2))),
        property("alone", PropertyKind::Invariant(both(1))),
    ];
    let system = Model {
        name: "tickets".to_string(),
        variables,
        init,
        ..Model::system(commands)
    };
    module(system, properties)
}

/// A program: `i := 0; r := 1/2; while (i < N) { i := i + 1; r := r + 1/2 }`, with locations of
/// which one has the name of a variable.
pub fn counting(terms: &Terms) -> Module {
    let mut variables = declare(terms, &["i"], Sort::Int, SymbolKind::State);
    variables.extend(declare(terms, &["r"], Sort::Real, SymbolKind::State));
    let rigid = declare(terms, &["N"], Sort::Int, SymbolKind::Rigid);
    let locations = ["start", "loop", "i", "bad"].map(|name| Location::new(name, Span::default()));
    let edge = |from: usize, to: usize, name: &str, guards: &[&str], updates: &[(&str, &str)]| {
        let command = command(terms, name, guards, updates);
        Edge::new(
            LocationId(from),
            LocationId(to),
            keep_rest(terms, command, &variables),
        )
    };
    let edges = vec![
        edge(0, 1, "i := 0; r := 1/2", &[], &[("i", "0"), ("r", "0.5")]),
        edge(
            1,
            1,
            "loop",
            &["(< i N)"],
            &[("i", "(+ i 1)"), ("r", "(+ r 0.5)")],
        ),
        edge(1, 2, "exit", &["(>= i N)"], &[]),
        edge(1, 3, "overrun", &["(> i N)", "(>= N 0)"], &[]),
    ];
    let half = terms.number(Rat::from_ratio(1, 2), Sort::Real);
    let r = terms.var(variables[1]);
    let at_end = terms.and([formula(terms, "(=> (>= N 0) (= i N))"), terms.ge(r, half)]);
    let at = |l: usize| Box::new(Ctl::At(LocationId(l)));
    let positive = Box::new(Ctl::State(formula(terms, "(>= i 0)")));
    let away = |l: usize| Box::new(Ctl::Or(Box::new(Ctl::Not(at(l))), positive.clone()));
    let properties = vec![
        property("end", PropertyKind::AtLocation(LocationId(2), at_end)),
        property("never", PropertyKind::Unreachable(vec![LocationId(3)])),
        property(
            "nowhere",
            PropertyKind::Unreachable(vec![LocationId(2), LocationId(3)]),
        ),
        property(
            "small",
            PropertyKind::Invariant(formula(terms, "(<= r 3.0)")),
        ),
        property("inside", PropertyKind::Ctl(Ctl::Ag(away(1)))),
        property("outside", PropertyKind::Ctl(Ctl::Ag(away(0)))),
        property("ends", PropertyKind::Ctl(Ctl::Af(at(2)))),
    ];
    let graph = Model {
        name: "counting".to_string(),
        variables: variables.clone(),
        rigid,
        locations: locations.to_vec(),
        edges,
        ..Model::default()
    };
    module(graph, properties)
}
