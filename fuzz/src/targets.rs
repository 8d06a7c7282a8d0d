//! What is fuzzed.

use sectile_base::Source;
use sectile_frontend::{ReadOptions, certificate, frontends};
use sectile_terms::Terms;
use std::path::Path;

/// A parser with the texts it starts from.
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// Folders of texts and the ending they must have.
    pub folders: &'static [(&'static str, &'static str)],
    /// Words that are inserted.
    pub words: &'static [&'static str],
    /// Reads a text; tells whether it was understood.
    pub run: fn(&str) -> bool,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "sct",
        folders: &[("models", "sct"), ("crates/frontend/tests/bad", "sct")],
        words: SCT_WORDS,
        run: |text| read("sct", text),
    },
    Target {
        name: "imp",
        folders: &[("models", "imp"), ("crates/frontend/tests/bad_imp", "imp")],
        words: IMP_WORDS,
        run: |text| read("imp", text),
    },
    Target {
        name: "boogie",
        folders: &[
            ("models", "bpl"),
            ("crates/frontend/tests/bad_boogie", "bpl"),
            ("crates/frontend/tests/good_boogie", "bpl"),
        ],
        words: BOOGIE_WORDS,
        run: |text| read("boogie", text),
    },
    Target {
        name: "certificate",
        folders: &[("models/certificates", "cert")],
        words: CERTIFICATE_WORDS,
        run: read_certificate,
    },
    Target {
        name: "smt2",
        folders: &[("fuzz/corpus", "smt2")],
        words: SMT_WORDS,
        run: |text| sectile_smtlib::read_script(text).is_ok(),
    },
];

const SCT_WORDS: &[&str] = &[
    "param",
    "enum",
    "const",
    "assume",
    "define",
    "var",
    "init",
    "restrict",
    "process",
    "relation",
    "compose synchronous",
    "clock",
    "stay",
    "invariant",
    "error",
    "ctl",
    "-->",
    ":=",
    "any",
    "where",
    "havoc",
    "skip",
    "when",
    "keep",
    "forall",
    "exists",
    "sum",
    "max",
    "count",
    "in",
    "..",
    "and",
    "or",
    "not",
    "=>",
    "<=>",
    "<=",
    "!=",
    "div",
    "mod",
    "if",
    "then",
    "else",
    "AG",
    "AF",
    "A[",
    "U",
    "'",
    "`",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "99999999999999999999999",
    "0",
    "1.5",
    "nat",
    "real",
];

const IMP_WORDS: &[&str] = &[
    "while",
    "if",
    "else",
    "loop",
    "assume",
    "assert",
    "always",
    "ctl",
    "param",
    "var",
    "init",
    "skip",
    ":=",
    "*",
    "?",
    ";",
    "{",
    "}",
    "(",
    ")",
    "l1:",
    "&&",
    "||",
    "!",
    "->",
    "==",
    "abs(",
    "}*",
    "true",
    "99999999999999999999999",
];

const BOOGIE_WORDS: &[&str] = &[
    "procedure P()",
    "implementation P()",
    "returns (r : int)",
    "requires",
    "ensures",
    "modifies g;",
    "free",
    "var x : int;",
    "const unique c : int;",
    "axiom",
    "function f(x : int) returns (int)",
    "type T = int;",
    "call",
    "call x := P(1);",
    "assert",
    "assume",
    "havoc x;",
    "while (*)",
    "invariant",
    "if (x > 0) {",
    "} else {",
    "goto l, m;",
    "l:",
    "break;",
    "return;",
    "old(",
    ":=",
    "x, y := y, x;",
    "==>",
    "<==>",
    "<==",
    "&&",
    "||",
    "!",
    "==",
    "div",
    "mod",
    "%",
    "/",
    "*",
    "if c then 1 else 2",
    "(forall i : int :: ",
    "[int]int",
    "m[i]",
    "m[i := 1]",
    "where",
    "3bv8",
    "1.5e3",
    "{:inline 1}",
    "fork 1 P();",
    "atomic {",
    "/*",
    "*/",
    "//",
    "(",
    ")",
    "{",
    "}",
    ";",
    "99999999999999999999999",
];

const CERTIFICATE_WORDS: &[&str] = &[
    "sectile certificate 1\n",
    "property ",
    "holds\n",
    "violated\n",
    "invariant\n",
    "at ",
    "state\n",
    "step 0: ",
    "back to 0\n",
    "k-inductive 2\n",
    "constants\n",
    "  x = 1\n",
    ";",
    "param n = 2\n",
];

const SMT_WORDS: &[&str] = &[
    "(",
    ")",
    "(assert ",
    "(check-sat)",
    "(declare-fun x () Int)",
    "(let ((a ",
    "(forall ((x Int)) ",
    "(! ",
    ":named a)",
    "|x y|",
    "\"s\"",
    "#b01",
    "#xff",
    "(push 1)",
    "(pop 1)",
    "1.0",
    "-",
    "0",
    "(get-interpolants A B)",
    "(define-fun f ((x Int)) Int ",
    ";c\n",
];

fn read(language: &str, text: &str) -> bool {
    let frontend = frontends().iter().find(|f| f.info().name == language);
    let Some(frontend) = frontend else {
        return false;
    };
    let source = Source::new("fuzz", text);
    match frontend.read(&Terms::new(), &source, &ReadOptions::default()) {
        Ok(_) => true,
        Err(diagnostics) => {
            // Rendering is part of what users get.
            let _ = diagnostics.render(&source);
            false
        }
    }
}

/// Reads a certificate in the scope of a fixed model with most features.
fn read_certificate(text: &str) -> bool {
    let model = "param n = 2\nconst Max : int\nvar pc : int = 0\nvar current, req, input : int\n\
        process P[i : 0..n-1] { var at : {think, try, cr} = think  var a : int = 0 \
        go: at = think --> a := any v where v > a, at := try }\n\
        relation request: pc = 0 and pc' = 1\ninvariant safe: current <= Max\ninvariant mutex: true\n";
    let Some(frontend) = frontends().iter().find(|f| f.info().name == "sct") else {
        return false;
    };
    let terms = Terms::new();
    let source = Source::new("model", model);
    let Ok(reading) = frontend.read(&terms, &source, &ReadOptions::default()) else {
        unreachable!("the model is right")
    };
    let source = Source::new("fuzz", text);
    match certificate::read(&terms, &reading.module, &reading.scope, &source) {
        Ok(_) => true,
        Err(diagnostics) => {
            let _ = diagnostics.render(&source);
            false
        }
    }
}

/// The texts to start from, in a fixed order.
pub fn corpus(root: &Path, target: &Target) -> Vec<String> {
    let mut files = Vec::new();
    for (folder, ending) in target.folders {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten();
        let paths = entries.flatten().map(|e| e.path());
        files.extend(paths.filter(|p| p.extension().is_some_and(|e| e == *ending)));
    }
    files.sort();
    let texts = files.iter().filter_map(|f| std::fs::read_to_string(f).ok());
    texts.chain([String::new()]).collect()
}
