//! Reading of s-expressions and commands.

use sectile_base::Source;
use sectile_smtlib::{
    Atom, CommandKind, Meaning, Scope, Undeclared, View, declare, parse_term, print_term, read,
    read_script,
};
use sectile_terms::{Sort, SymbolKind, Terms};

#[test]
fn all_kinds_of_words_are_told_apart() {
    let text = "; comment\nx |a b| :named 12 3.50 #xfF #b10 \"say \"\"hi\"\"\" (f (g) ())";
    let tree = read(text).unwrap();
    let atoms: Vec<_> = tree.roots()[..8].iter().map(|&e| tree.view(e)).collect();
    assert_eq!(
        atoms,
        [
            View::Atom(Atom::Symbol, "x"),
            View::Atom(Atom::Symbol, "a b"),
            View::Atom(Atom::Keyword, "named"),
            View::Atom(Atom::Numeral, "12"),
            View::Atom(Atom::Decimal, "3.50"),
            View::Atom(Atom::Hexadecimal, "fF"),
            View::Atom(Atom::Binary, "10"),
            View::Atom(Atom::String, "say \"\"hi\"\""),
        ]
    );
    assert_eq!(tree.string(tree.roots()[7]).unwrap(), "say \"hi\"");
    let list = tree.roots()[8];
    assert_eq!(tree.list(list).map(<[_]>::len), Some(3));
    assert_eq!(tree.source(list), "(f (g) ())");
}

#[test]
fn mistakes_have_a_place() {
    let fails = |text: &str, line: usize, column: usize, message: &str| {
        let diagnostic = read(text).unwrap_err();
        let at = Source::new("t", text).position(diagnostic.span.start);
        assert_eq!((at.line, at.column), (line, column), "{text}");
        assert!(
            diagnostic.message.contains(message),
            "{}",
            diagnostic.message
        );
    };
    fails("(a\n (b)", 1, 1, "never closed");
    fails("(a)\n)", 2, 1, "closes nothing");
    fails("(a |b", 1, 4, "never ends");
    fails("(a \"b", 1, 4, "never ends");
    fails("|a\\b|", 1, 3, "backslash");
    fails("x'", 1, 2, "cannot stand here");
    fails("é", 1, 1, "cannot stand here");
    fails("12a", 1, 1, "not a number");
    fails("1.", 1, 2, "after the decimal point");
    fails("#q", 1, 1, "cannot stand here");
    fails("#x", 1, 1, "not a number");
    fails(": a", 1, 2, "cannot stand here");
    fails("#", 1, 1, "cannot stand here");
}

#[test]
fn ten_megabytes_of_parentheses_are_read() {
    let half = 5_000_000;
    let text = "(".repeat(half) + &")".repeat(half);
    assert_eq!(read(&text).unwrap().roots().len(), 1);
    assert!(read(&"(".repeat(2 * half)).is_err());
    assert!(read(&")".repeat(2 * half)).is_err());
}

#[test]
fn binary_rubbish_is_refused_without_panic() {
    let mut rng = sectile_base::Rng::new(5);
    let alphabet: Vec<char> = "()|\"; :#xb10.9aé\\\n!\u{0}".chars().collect();
    for _ in 0..20_000 {
        let length = rng.below(12);
        let text: String = (0..length).map(|_| *rng.pick(&alphabet).unwrap()).collect();
        if let Err(diagnostic) = read(&text) {
            diagnostic.render(&Source::new("t", text.as_str()));
        }
        let _ = read_script(&text);
    }
}

#[test]
fn commands_are_read_with_their_places() {
    let text = "(set-logic QF_LIA)(set-option :produce-models true)\n(declare-const x Int)\
        (define-fun f ((y Int)) Int (+ y x))(assert (! (= (f 1) 2) :named a))(push 2)(pop)\
        (check-sat-assuming (a (not a)))(get-value (x))(get-interpolants a (b c))\
        (echo \"a\"\"b\")(exit)";
    let script = read_script(text).unwrap();
    let kinds: Vec<_> = script.commands.iter().map(|c| &c.kind).collect();
    assert_eq!(kinds.len(), 12);
    assert_eq!(*kinds[0], CommandKind::SetLogic("QF_LIA"));
    assert!(
        matches!(kinds[2], CommandKind::DeclareFun { name: "x", arguments, .. } if arguments.is_empty())
    );
    assert_eq!(*kinds[5], CommandKind::Push(2));
    assert_eq!(*kinds[6], CommandKind::Pop(1));
    assert!(matches!(kinds[7], CommandKind::CheckSatAssuming(list) if list.len() == 2));
    assert_eq!(*kinds[10], CommandKind::Echo("a\"b".to_string()));
    assert_eq!(script.commands[1].span.start, 18);
}

#[test]
fn all_wrong_commands_are_reported() {
    let text = "(declare-sort S x)\n(assert)\n(frobnicate)\nx\n(define-fun f (x) Int 1)\n(declare-datatypes ((T 1)) ())\n(get-model 1)";
    let wrong = read_script(text).unwrap_err();
    let rendered = wrong.render(&Source::new("t.smt2", text));
    for (line, expected) in [
        (1, "this command looks like (declare-sort NAME 0)"),
        (2, "this command looks like (assert TERM)"),
        (3, "there is no command `frobnicate`"),
        (4, "a command looks like (name argument ...)"),
        (5, "(define-fun NAME ((NAME SORT) ...) SORT TERM)"),
        (
            6,
            "this command looks like (declare-datatypes ((NAME 0) ...) (((CONSTRUCTOR (SELECTOR SORT) ...) ...) ...))",
        ),
        (7, "this command looks like (get-model)"),
    ] {
        assert!(rendered.contains(expected), "{expected}");
        assert!(rendered.contains(&format!("t.smt2:{line}:1")), "{line}");
    }
}

#[test]
fn declarations_and_definitions_give_names_meanings() {
    let text = "(declare-fun x () Int)(define-fun twice ((y Int)) Int (+ y y))\
        (define-fun z () Real 1)(assert (= (twice (twice x)) 8))(assert (> z 0.5))";
    let script = read_script(text).unwrap();
    let terms = Terms::new();
    let mut scope = Scope::new(Undeclared::Refused);
    let mut asserted = Vec::new();
    for command in &script.commands {
        let kind = SymbolKind::Rigid;
        declare(
            &terms,
            &script.tree,
            &command.kind,
            command.span,
            kind,
            &mut scope,
        )
        .unwrap();
        if let CommandKind::Assert(e) = command.kind {
            asserted.push(parse_term(&terms, &script.tree, e, &mut scope).unwrap());
        }
    }
    let x = terms.var(terms.symbol("x").unwrap());
    assert_eq!(asserted, [terms.eq(x, terms.int(2)), terms.tt()]);
    assert!(
        matches!(scope.meaning(&terms, "z"), Some(Meaning::Term(t)) if terms.sort(t) == Sort::Real)
    );
}

#[test]
fn second_declarations_and_what_is_no_term_are_refused() {
    for (text, expected) in [
        (
            "(declare-const x Int)(declare-const x Int)",
            "declared already",
        ),
        (
            "(declare-fun f (Int) Int)(declare-fun f (Int) Int)",
            "declared already",
        ),
        (
            "(declare-fun f (Int Int) Int)(define-fun g () Int (f 1))",
            "`f` needs 2 arguments",
        ),
        (
            "(declare-fun f (Int) Int)(define-fun g () Int f)",
            "`f` needs 1 arguments",
        ),
        (
            "(declare-fun f (Int) Int)(define-fun g () Int (f true))",
            "an argument of `f` has the wrong sort",
        ),
        ("(declare-sort S 0)", "sorts of one's own are not supported"),
        (
            "(define-sort S () Int)(define-sort S () Real)",
            "there is a sort `S` already",
        ),
        (
            "(declare-const x (_ BitVec 8))",
            "this sort is not supported",
        ),
        ("(define-fun f () Int true)", "must be of sort Int"),
        ("(define-fun f ((x Int) (y Int)) Int (* x y))", "not linear"),
    ] {
        let script = read_script(text).unwrap();
        let terms = Terms::new();
        let mut scope = Scope::new(Undeclared::Refused);
        let results = script.commands.iter().map(|c| {
            let kind = SymbolKind::Rigid;
            declare(&terms, &script.tree, &c.kind, c.span, kind, &mut scope)
        });
        let error = results.filter_map(Result::err).next().unwrap();
        assert!(error.message.contains(expected), "{}", error.message);
    }
}

#[test]
fn chains_of_definitions_do_not_explode() {
    let mut text = String::from("(define-fun f0 ((y Int)) Int (+ y y))");
    for k in 1..60 {
        text.push_str(&format!(
            "(define-fun f{k} ((y Int)) Int (ite (< y {k}) (f{} y) (f{} (+ y 1))))",
            k - 1,
            k - 1
        ));
    }
    let script = read_script(&text).unwrap();
    let terms = Terms::new();
    let mut scope = Scope::new(Undeclared::Refused);
    for c in &script.commands {
        declare(
            &terms,
            &script.tree,
            &c.kind,
            c.span,
            SymbolKind::Rigid,
            &mut scope,
        )
        .unwrap();
    }
    // Without sharing, the last body would have 2^60 leaves.
    assert!(terms.len() < 100_000, "{}", terms.len());
}

#[test]
fn functions_are_read_and_written() {
    let text = "(define-sort Key () Int)\n(declare-fun f (Key Bool) Real)\n(declare-fun p (Key) Bool)\n\
                (declare-const x Key)\n(assert (and (p x) (< (f x (p (+ x 1))) (f 1 true))))";
    let script = read_script(text).unwrap();
    let terms = Terms::new();
    let mut scope = Scope::new(Undeclared::Refused);
    let mut formula = terms.tt();
    for command in &script.commands {
        let kind = SymbolKind::State;
        let declared = declare(
            &terms,
            &script.tree,
            &command.kind,
            command.span,
            kind,
            &mut scope,
        );
        declared.unwrap();
        if let CommandKind::Assert(e) = command.kind {
            formula = parse_term(&terms, &script.tree, e, &mut scope).unwrap();
        }
    }
    let printed = sectile_smtlib::script(&terms, &[formula]).unwrap();
    for line in [
        "(set-logic ALL)",
        "(declare-fun f (Int Bool) Real)",
        "(declare-fun p (Int) Bool)",
        "(assert (and (p x) (< (f x (p (+ x 1))) (f 1 true))))",
    ] {
        assert!(printed.lines().any(|l| l == line), "{line}\n{printed}");
    }
    // What was printed is read as the same term, by the names of the store.
    let text = print_term(&terms, formula);
    let tree = read(&text).unwrap();
    let mut scope = Scope::new(Undeclared::FromStore);
    let again = parse_term(&terms, &tree, tree.roots()[0], &mut scope).unwrap();
    assert_eq!(again, formula);
}
