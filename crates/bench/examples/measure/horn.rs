//! Linear Horn clauses, unrolled or one by one.
//!
//! A small reader for measurements: clauses `forall vars. body => head` whose bodies mention at
//! most one predicate, as a conjunct. A derivation of `k` steps is a sequence of predicates with
//! arguments: `loc_k` says which predicate is at step `k` (0 for a violation), `a_p_i_k` is its
//! `i`-th argument. Files that say more are passed over.

use crate::files::File;
use sectile_smtlib::{Sexp, Tree, read};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Steps of an unrolling.
const DEPTH: usize = 10;
/// Longer scripts are not used.
const LARGEST: usize = 1_000_000;

/// `wanted` files made from a folder, evenly spread over those that can be used.
pub fn files(folder: &Path, wanted: usize) -> anyhow::Result<Vec<File>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut usable = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Ok(tree) = read(&text)
            && let Some(system) = Clauses::of(&tree)
            && let Some(unrolled) = system.unrolled()
            && let Some(single) = system.one_by_one()
            && unrolled.len() < LARGEST
        {
            usable.push((name.into_owned(), unrolled, single));
        }
    }
    let count = usable.len();
    let mut list = Vec::new();
    for (i, (name, unrolled, single)) in usable.into_iter().enumerate() {
        // The i-th file is taken if it enters the next of the `wanted` equal parts.
        if i > 0 && i * wanted / count == (i - 1) * wanted / count {
            continue;
        }
        // Every third one clause by clause, the others unrolled.
        let (group, text) = if list.len() % 3 == 2 {
            ("Horn, single clauses", single)
        } else {
            ("Horn, unrolled", unrolled)
        };
        list.push(File { name, group, text });
        if list.len() == wanted {
            break;
        }
    }
    Ok(list)
}

struct Clause {
    variables: Vec<(String, String)>,
    conditions: Vec<Sexp>,
    body: Option<Sexp>,
    head: Option<Sexp>,
}

struct Clauses<'t, 's> {
    tree: &'t Tree<'s>,
    /// The sorts of the arguments of each predicate.
    predicates: BTreeMap<String, Vec<String>>,
    clauses: Vec<Clause>,
}

fn usable_sort(sort: &str) -> bool {
    ["Int", "Real", "Bool"].contains(&sort)
}

impl<'t, 's> Clauses<'t, 's> {
    fn of(tree: &'t Tree<'s>) -> Option<Self> {
        let mut all = Clauses {
            tree,
            predicates: BTreeMap::new(),
            clauses: Vec::new(),
        };
        for &e in tree.roots() {
            let list = tree.list(e)?;
            match (tree.symbol(*list.first()?)?, &list[1..]) {
                ("declare-fun", [name, sorts, _]) => {
                    let sorts = tree.list(*sorts)?.iter();
                    let sorts: Vec<String> = sorts.map(|&s| tree.source(s).to_string()).collect();
                    if !sorts.iter().all(|s| usable_sort(s)) {
                        return None;
                    }
                    all.predicates
                        .insert(tree.symbol(*name)?.to_string(), sorts);
                }
                ("assert", [formula]) => {
                    let clause = all.clause(*formula)?;
                    all.clauses.push(clause);
                }
                _ => {}
            }
        }
        Some(all)
    }

    /// The head symbol and arguments of an application.
    fn application(&self, e: Sexp) -> (&'s str, &[Sexp]) {
        let (head, arguments) = match self.tree.list(e) {
            Some([head, arguments @ ..]) => (*head, arguments),
            _ => (e, &[][..]),
        };
        (self.tree.symbol(head).unwrap_or_default(), arguments)
    }

    fn is_predicate(&self, e: Sexp) -> bool {
        self.predicates.contains_key(self.application(e).0)
    }

    fn mentions_predicate(&self, e: Sexp) -> bool {
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match self.tree.list(e) {
                Some(list) => stack.extend(list),
                None if self.is_predicate(e) => return true,
                None => {}
            }
        }
        false
    }

    fn variables(&self, bound: Sexp) -> Option<Vec<(String, String)>> {
        let mut variables = Vec::new();
        for &pair in self.tree.list(bound)? {
            let [name, sort] = self.tree.list(pair)? else {
                return None;
            };
            let sort = self.tree.source(*sort);
            if !usable_sort(sort) {
                return None;
            }
            variables.push((self.tree.symbol(*name)?.to_string(), sort.to_string()));
        }
        Some(variables)
    }

    fn clause(&self, formula: Sexp) -> Option<Clause> {
        let tree = self.tree;
        let mut clause = Clause {
            variables: Vec::new(),
            conditions: Vec::new(),
            body: None,
            head: None,
        };
        // `forall vars. before => after`, `forall vars. head`, or `not exists vars. before`.
        let (mut before, mut after) = (None, Some(formula));
        if let ("not", [inner]) = self.application(formula)
            && let ("exists", [bound, body]) = self.application(*inner)
        {
            clause.variables = self.variables(*bound)?;
            (before, after) = (Some(*body), None);
        }
        if let ("forall", [bound, body]) = self.application(formula) {
            clause.variables = self.variables(*bound)?;
            after = Some(*body);
        }
        if let Some(e) = after
            && let ("=>", [premise, conclusion]) = self.application(e)
        {
            (before, after) = (Some(*premise), Some(*conclusion));
        }
        if let Some(e) = after.filter(|&e| tree.source(e) != "false") {
            if !self.is_predicate(e) {
                return None;
            }
            clause.head = Some(e);
        }
        let mut stack: Vec<Sexp> = before.into_iter().collect();
        while let Some(e) = stack.pop() {
            if let ("and", list) = self.application(e) {
                stack.extend(list.iter().rev());
            } else if self.is_predicate(e) {
                if clause.body.replace(e).is_some() {
                    return None;
                }
            } else if self.mentions_predicate(e) {
                return None;
            } else {
                clause.conditions.push(e);
            }
        }
        Some(clause)
    }

    /// The text of an expression with other names for some symbols.
    fn renamed(&self, e: Sexp, names: &BTreeMap<&str, String>, out: &mut String) {
        enum Item {
            Open(Sexp),
            Close,
        }
        let mut stack = vec![Item::Open(e)];
        while let Some(item) = stack.pop() {
            match item {
                Item::Close => out.push_str(") "),
                Item::Open(e) => match self.tree.list(e) {
                    Some(list) => {
                        out.push('(');
                        stack.push(Item::Close);
                        stack.extend(list.iter().rev().map(|&e| Item::Open(e)));
                    }
                    None => {
                        let other = self.tree.symbol(e).and_then(|name| names.get(name));
                        out.push_str(other.map_or(self.tree.source(e), String::as_str));
                        out.push(' ');
                    }
                },
            }
        }
    }

    fn number(&self, predicate: &str) -> usize {
        let found = self.predicates.keys().position(|p| p == predicate);
        found.map_or(0, |i| i + 1)
    }

    /// `loc_k` is the predicate of an application and `a_p_i_k` are its arguments.
    fn at_step(&self, e: Sexp, k: usize, names: &BTreeMap<&str, String>, out: &mut String) {
        let (predicate, arguments) = self.application(e);
        let p = self.number(predicate);
        // Writing to a String cannot fail.
        let _ = write!(out, "(= loc_{k} {p}) ");
        for (i, &argument) in arguments.iter().enumerate() {
            let _ = write!(out, "(= a_{p}_{i}_{k} ");
            self.renamed(argument, names, out);
            out.push_str(") ");
        }
    }

    /// The step to `k` by a clause, as a conjunction; its variables are declared first.
    fn step(&self, index: usize, k: usize, declarations: &mut String) -> String {
        let clause = &self.clauses[index];
        let mut names = BTreeMap::new();
        for (i, (name, sort)) in clause.variables.iter().enumerate() {
            let fresh = format!("v_{index}_{i}_{k}");
            let _ = writeln!(declarations, "(declare-fun {fresh} () {sort})");
            names.insert(name.as_str(), fresh);
        }
        let mut text = String::from("(and true ");
        for &condition in &clause.conditions {
            self.renamed(condition, &names, &mut text);
        }
        if let Some(body) = clause.body {
            self.at_step(body, k.saturating_sub(1), &names, &mut text);
        }
        match clause.head {
            Some(head) => self.at_step(head, k, &names, &mut text),
            None => {
                let _ = write!(text, "(= loc_{k} 0)");
            }
        }
        text.push(')');
        text
    }

    fn logic(&self) -> &'static str {
        let of_clauses = self.clauses.iter().flat_map(|c| &c.variables);
        let mut sorts = self
            .predicates
            .values()
            .flatten()
            .chain(of_clauses.map(|v| &v.1));
        // The locations are integers.
        if sorts.any(|s| s == "Real") {
            "QF_LIRA"
        } else {
            "QF_LIA"
        }
    }

    fn declare_step(&self, k: usize, out: &mut String) {
        let _ = writeln!(out, "(declare-fun loc_{k} () Int)");
        for (predicate, sorts) in &self.predicates {
            let p = self.number(predicate);
            for (i, sort) in sorts.iter().enumerate() {
                let _ = writeln!(out, "(declare-fun a_{p}_{i}_{k} () {sort})");
            }
        }
    }

    /// Asserts that one of the clauses leads to step `k`.
    fn assert_step(&self, k: usize, facts: bool, out: &mut String) -> Option<()> {
        let fitting = (0..self.clauses.len()).filter(|&i| self.clauses[i].body.is_none() == facts);
        let parts: Vec<String> = fitting.map(|i| self.step(i, k, out)).collect();
        if parts.is_empty() {
            return None;
        }
        let _ = writeln!(out, "(assert (or false {}))", parts.join(" "));
        Some(())
    }

    /// Is there a derivation of a violation of 0, 1, ... steps?
    fn unrolled(&self) -> Option<String> {
        let mut out = format!("(set-logic {})\n", self.logic());
        for k in 0..=DEPTH {
            self.declare_step(k, &mut out);
            self.assert_step(k, k == 0, &mut out)?;
            let _ = writeln!(out, "(push 1)(assert (= loc_{k} 0))(check-sat)(pop 1)");
        }
        Some(out)
    }

    /// Can each of the clauses be used at all, and twice in a row?
    fn one_by_one(&self) -> Option<String> {
        let mut out = format!("(set-logic {})\n", self.logic());
        for k in 0..=2 {
            self.declare_step(k, &mut out);
        }
        for i in (0..self.clauses.len()).filter(|&i| self.clauses[i].body.is_some()) {
            out.push_str("(push 1)\n");
            for k in 1..=2 {
                let step = self.step(i, k, &mut out);
                let _ = writeln!(out, "(assert {step})\n(check-sat)");
            }
            out.push_str("(pop 1)\n");
        }
        Some(out)
    }
}
