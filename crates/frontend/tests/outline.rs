//! Outlines: what they say of names is true, since names can be changed by them.

use sectile_base::Source;
use sectile_frontend::ReadOptions;
use sectile_frontend::input::frontend_for;
use sectile_frontend::outline::{Outline, OutlineKind};
use sectile_terms::Terms;
use sectile_testkit::files::{files_in, root};

fn outline(name: &str, text: &str) -> Outline {
    let frontend = frontend_for(name, None).expect("the ending is known");
    let outline = frontend.outline(&Source::new(name, text));
    outline.expect("the language has outlines")
}

/// The text with all uses of a symbol changed.
fn renamed(text: &str, outline: &Outline, symbol: usize, name: &str) -> String {
    let mut out = text.to_string();
    let mut uses: Vec<_> = outline.uses_of(symbol).collect();
    uses.sort_by_key(|u| u.span.start);
    for place in uses.iter().rev() {
        let range = place.span.start as usize..place.span.end as usize;
        out.replace_range(range, name);
    }
    out
}

#[test]
fn every_name_of_the_zoo_can_be_changed() {
    let folders = ["", "channels", "functions", "protocols"];
    let folders = folders.map(|f| root().join("models").join(f));
    let mut changed = 0;
    for path in folders.iter().flat_map(|f| files_in(f, &["sct", "imp"])) {
        let name = path.to_string_lossy().into_owned();
        let frontend = frontend_for(&name, None).expect("the ending is known");
        let text = std::fs::read_to_string(&path).expect("the zoo can be read");
        let known = outline(&name, &text);
        for (i, symbol) in known.symbols.iter().enumerate() {
            assert_eq!(
                known.at(symbol.span.start).map(|u| u.symbol),
                Some(i),
                "{name}"
            );
            let other = renamed(&text, &known, i, "zzNew");
            let (terms, source) = (Terms::new(), Source::new(&*name, &*other));
            if let Err(mistakes) = frontend.read(&terms, &source, &ReadOptions::default()) {
                let (old, kind) = (&symbol.name, symbol.kind.word());
                panic!("{name}: {kind} {old}\n{}", mistakes.render(&source));
            }
            // The same symbol, under its new name, is used in the same places.
            let again = outline(&name, &other);
            assert_eq!(again.uses_of(i).count(), known.uses_of(i).count(), "{name}");
            changed += 1;
        }
    }
    assert!(changed > 800, "{changed}");
}

#[test]
fn the_innermost_declaration_is_meant() {
    let text = "type msg = record {kind : {ask, tell}, from : int}
var m : msg
var x[i : 0..1] : int = i
process P[i : 0..1] {
  var x : int = i
  go[k : 0..1]: forall i in 0..1: x = i --> x := any v where v > k, m := {kind = ask, from = v}
}
invariant q: P[0].x + x[0] > 0 and m.kind = ask
";
    let found = outline("t.sct", text);
    let uses = |kind: OutlineKind, name: &str, nth: usize| {
        let is = |s: &&usize| {
            let symbol = &found.symbols[**s];
            symbol.kind == kind && symbol.name == name
        };
        let all: Vec<usize> = (0..found.symbols.len()).collect();
        let symbol = *all.iter().filter(is).nth(nth).expect("it is there");
        let uses: Vec<_> = found.uses_of(symbol).collect();
        (uses.len(), uses.iter().filter(|u| u.written).count())
    };
    assert_eq!(uses(OutlineKind::Variable, "x", 0), (2, 0));
    assert_eq!(uses(OutlineKind::Variable, "x", 1), (4, 1));
    assert_eq!(uses(OutlineKind::Variable, "m", 0), (3, 1));
    assert_eq!(uses(OutlineKind::Field, "kind", 0), (3, 0));
    assert_eq!(uses(OutlineKind::Value, "ask", 0), (3, 0));
    assert_eq!(uses(OutlineKind::Local, "v", 0), (3, 0));
    // Those of the family, of the process and of the quantifier.
    for (nth, count) in [(0, 2), (1, 2), (2, 2)] {
        assert_eq!(uses(OutlineKind::Local, "i", nth).0, count, "{nth}");
    }
}

#[test]
fn texts_with_mistakes_have_outlines() {
    let found = outline("t.sct", "var x : int\nstep: x > \nvar y : int = x\n");
    let names: Vec<&str> = found.symbols.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(found.uses_of(0).count(), 3);
}
