//! The formatter: the whole zoo keeps its meaning, and what was formatted stays as it is.

use sectile_base::{Rng, Source};
use sectile_frontend::ReadOptions;
use sectile_frontend::input::frontend_for;
use sectile_frontend::sct::print_module;
use sectile_terms::Terms;
use sectile_testkit::files::{files_in, root};
use std::path::Path;

fn formatted(path: &Path, text: &str) -> String {
    let name = path.to_string_lossy();
    let frontend = frontend_for(&name, None).expect("the ending is known");
    let source = Source::new(&*name, text);
    let formatted = frontend.format(&source).expect("there is a formatter");
    formatted.unwrap_or_else(|mistakes| panic!("{name}: {}", mistakes.render(&source)))
}

/// The model that a text is read as, and what its headers expect.
fn model(path: &Path, text: &str) -> String {
    let name = path.to_string_lossy();
    let frontend = frontend_for(&name, None).expect("the ending is known");
    let (terms, source) = (Terms::new(), Source::new(&*name, text));
    let reading = frontend.read(&terms, &source, &ReadOptions::default());
    let module = match reading {
        Ok(reading) => reading.module,
        Err(mistakes) => panic!("{}\n{text}", mistakes.render(&source)),
    };
    let edges = module.model.edges.len();
    let printed = print_module(&terms, &module);
    format!("{edges} {printed} {:?}", module.expectations)
}

/// The text with other blanks: the line breaks stay, and so does what follows `//`.
fn disturbed(text: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let (code, comment) = match line.find("//") {
            Some(at) => line.split_at(at),
            None => (line, ""),
        };
        out.push_str(&" ".repeat(rng.below(5) as usize));
        for c in code.trim_start().chars() {
            out.push(c);
            if c == ' ' && rng.below(3) == 0 {
                out.push_str(&" ".repeat(rng.below(4) as usize));
            }
        }
        out.push_str(comment);
        out.push_str(["\n", " \n", "\n\n"][rng.below(3) as usize]);
    }
    out
}

#[test]
fn the_zoo_keeps_its_meaning_and_is_formatted_once() {
    let mut rng = Rng::new(19);
    let folders = ["", "channels", "functions", "liveness", "protocols"];
    let folders = folders.map(|f| root().join("models").join(f));
    let files: Vec<_> = folders
        .iter()
        .flat_map(|f| files_in(f, &["sct", "imp"]))
        .collect();
    assert!(files.len() > 40, "the zoo is complete");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the zoo can be read");
        let once = formatted(&path, &text);
        assert_eq!(once, text, "{} is formatted", path.display());
        let expected = model(&path, &text);
        for _ in 0..3 {
            let other = disturbed(&text, &mut rng);
            let once = formatted(&path, &other);
            assert_eq!(once, formatted(&path, &once), "{}", path.display());
            assert_eq!(model(&path, &once), expected, "{}", path.display());
        }
    }
}

#[test]
fn blanks_are_put_where_they_belong() {
    let text = "param   n=3
process P[ i:0..n - 1 ]{
var pc:{ a,b } = a   // where it is
      var total  : int=-1
  go:pc=a-->pc:=b,total:=total+ 1/2*( - total)
  stop :   pc = b   --> pc := a
     relation r any v : int,w:real:pc' =a and( forall k in 0..n:k>v )
   /* a comment
      of two lines */
 }
invariant ok:abs (P[0].total)>=0 and not(P[0].pc in{a})
ctl c:AG EF (P[0].pc=a)
process Q
{ var y:[int]bool=[int->false]
}


error  e :  P[n - 1].total<0
";
    let expected = "param n = 3
process P[i : 0..n-1] {
  var pc    : {a, b} = a // where it is
  var total : int = -1
  go:   pc = a --> pc := b, total := total + 1/2 * (-total)
  stop: pc = b --> pc := a
  relation r any v : int, w : real: pc' = a and (forall k in 0..n: k > v)
  /* a comment
      of two lines */
}
invariant ok: abs(P[0].total) >= 0 and not (P[0].pc in {a})
ctl c: AG EF (P[0].pc = a)
process Q
{ var y : [int]bool = [int -> false]
}

error e: P[n - 1].total < 0
";
    assert_eq!(formatted(Path::new("t.sct"), text), expected);
}

#[test]
fn labels_stand_in_a_column_of_their_own() {
    let text = "var x:int;
start: x:=0;
 // once more
l:while(x<3){ x:=x+1; again: skip }
if (*)
x := 1
else {
skip
}
end:
always p:l=>x>=0
";
    let expected = "var x : int;
start: x := 0;
       // once more
l:     while (x < 3) { x := x + 1; again: skip }
       if (*)
         x := 1
       else {
         skip
       }
end:
always p: l => x >= 0
";
    assert_eq!(formatted(Path::new("t.imp"), text), expected);
}

#[test]
fn texts_with_mistakes_are_left_alone() {
    let source = Source::new("t.sct", "var x : \n");
    let frontend = frontend_for("t.sct", None).expect("the ending is known");
    let mistakes = frontend.format(&source).expect("there is a formatter");
    assert!(mistakes.is_err());
    let boogie = frontend_for("t.bpl", None).expect("the ending is known");
    assert!(boogie.format(&source).is_none());
}

#[test]
fn a_quotient_has_blanks_on_both_sides_or_is_a_number() {
    let text = "var x, y : real = 1/2\ninvariant p: (x + y)/2 <= x /3 + 3/2\n";
    let wanted = "var x, y : real = 1/2\ninvariant p: (x + y) / 2 <= x / 3 + 3/2\n";
    assert_eq!(formatted(Path::new("quotient.sct"), text), wanted);
}
