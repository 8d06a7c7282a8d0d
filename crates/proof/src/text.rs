//! Refutations as text: see `docs/format/proof.md`.
//!
//! The caller provides a printer and a parser for terms; here a term is any S-expression.

use crate::refutation::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};
use crate::rule::{Arguments, Lemma, Rule};
use sectile_terms::Term;
use std::fmt::Write as _;

/// The text is not a refutation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {offset}: {message}")]
pub struct SyntaxError {
    /// The byte at which the error starts.
    pub offset: usize,
    /// The expectation at that position.
    pub message: String,
}

/// Writes a refutation; `term` writes a term as one S-expression.
pub fn print(refutation: &Refutation, mut term: impl FnMut(Term) -> String) -> String {
    let mut out = String::from("(refutation\n(variables");
    for &v in &refutation.variables {
        out.push_str("\n  ");
        out.push_str(&term(v));
    }
    out.push_str(")\n(atoms");
    for atom in &refutation.atoms {
        print_atom(atom, &mut term, &mut out);
    }
    out.push_str(")\n(steps");
    for step in &refutation.steps {
        print_step(step, &mut term, &mut out);
    }
    out.push_str("))\n");
    out
}

// Writing to a String cannot fail, so the results of `write!` are dropped below.

fn print_atom(atom: &ProofAtom, term: &mut impl FnMut(Term) -> String, out: &mut String) {
    match atom {
        ProofAtom::Formula(t) => {
            let _ = write!(out, "\n  (formula {})", term(*t));
        }
        ProofAtom::Bound {
            sum,
            bound,
            strict,
            integral,
        } => {
            let relation = if *strict { "<" } else { "<=" };
            let sort = if *integral { "int" } else { "real" };
            let _ = write!(out, "\n  ({relation} {sort} {bound}");
            for (v, c) in sum {
                let _ = write!(out, " ({c} {v})");
            }
            out.push(')');
        }
    }
}

fn print_step(step: &ProofStep, term: &mut impl FnMut(Term) -> String, out: &mut String) {
    out.push_str("\n  ((");
    for (i, lit) in step.clause.iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        let sign = if lit.positive { '+' } else { '-' };
        let _ = write!(out, "{space}{sign}{}", lit.atom);
    }
    out.push_str(") ");
    match &step.inference {
        Inference::Input(Source::Assertion(i)) => out.push_str(&format!("assertion {i}")),
        Inference::Input(Source::Assumption(i)) => out.push_str(&format!("assumption {i}")),
        Inference::Definition(t) => out.push_str(&format!("definition {}", term(*t))),
        Inference::Lemma(lemma) => {
            out.push_str(lemma.rule.name());
            let numbers = lemma.numbers.iter();
            numbers.for_each(|c| out.push_str(&format!(" {c}")));
            let parts = lemma.terms.iter();
            parts.for_each(|&t| out.push_str(&format!(" {}", term(t))));
        }
        Inference::Resolution(chain) => {
            out.push_str("resolution");
            chain.iter().for_each(|s| out.push_str(&format!(" {s}")));
        }
    }
    out.push(')');
}

/// Reads a refutation; `term` reads one S-expression as a term, or says why it cannot.
///
/// # Errors
/// If the text is not a refutation. [`replay`](crate::replay) checks whether the refutation is
/// valid.
pub fn parse(
    text: &str,
    term: impl FnMut(&str) -> Result<Term, String>,
) -> Result<Refutation, SyntaxError> {
    let tree = read(text)?;
    if tree.first().is_none_or(|only| only.next < tree.len()) {
        return Err(error(text.len(), "expected one refutation"));
    }
    let mut reader = Reader { text, tree, term };
    let &[head, variables, atoms, steps] = reader.list(0)?.as_slice() else {
        return Err(reader.expected(0, "`(refutation ...)`"));
    };
    reader.keyword(head, "refutation")?;
    let variables = reader.section(variables, "variables")?;
    let atoms = reader.section(atoms, "atoms")?;
    let steps = reader.section(steps, "steps")?;
    Ok(Refutation {
        variables: reader.each(&variables, Reader::term)?,
        atoms: reader.each(&atoms, Reader::atom)?,
        steps: reader.each(&steps, Reader::step)?,
    })
}

fn error(offset: usize, message: &str) -> SyntaxError {
    let message = message.to_string();
    SyntaxError { offset, message }
}

/// An S-expression; the parts of a list follow it.
struct Sexp {
    /// Where its text begins and ends.
    start: usize,
    end: usize,
    /// The index after the expression and its parts.
    next: usize,
    is_list: bool,
}

fn read(text: &str) -> Result<Vec<Sexp>, SyntaxError> {
    let bytes = text.as_bytes();
    let find = |at: usize, b: &[u8]| bytes[at..].iter().position(|c| b.contains(c));
    let mut tree: Vec<Sexp> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'(' => open.push(tree.len()),
            b')' => {
                let top = open.pop();
                let top = top.ok_or_else(|| error(start, "nothing to close"))?;
                (tree[top].end, tree[top].next) = (at, tree.len());
                continue;
            }
            b';' => {
                at += find(at, b"\n").unwrap_or(bytes.len() - at);
                continue;
            }
            b'|' | b'"' => {
                let end = find(at, &[byte]);
                at += 1 + end.ok_or_else(|| error(start, "a quote is not closed"))?;
            }
            _ if byte.is_ascii_whitespace() => continue,
            _ => at += find(at, b" \t\n\r\x0c();|\"").unwrap_or(bytes.len() - at),
        }
        tree.push(Sexp {
            start,
            end: at,
            next: tree.len() + 1,
            is_list: byte == b'(',
        });
    }
    match open.pop() {
        Some(top) => Err(error(tree[top].start, "a parenthesis is not closed")),
        None => Ok(tree),
    }
}

/// Expressions are named by their indices.
struct Reader<'s, F> {
    text: &'s str,
    tree: Vec<Sexp>,
    term: F,
}

impl<'s, F: FnMut(&str) -> Result<Term, String>> Reader<'s, F> {
    fn source(&self, e: usize) -> &'s str {
        &self.text[self.tree[e].start..self.tree[e].end]
    }

    fn expected(&self, e: usize, what: &str) -> SyntaxError {
        error(self.tree[e].start, &format!("expected {what}"))
    }

    fn list(&self, e: usize) -> Result<Vec<usize>, SyntaxError> {
        if !self.tree[e].is_list {
            return Err(self.expected(e, "a list"));
        }
        let inside = |at: &usize| *at < self.tree[e].next;
        let parts = std::iter::successors(Some(e + 1), |&at| Some(self.tree.get(at)?.next));
        Ok(parts.take_while(inside).collect())
    }

    fn keyword(&self, e: usize, word: &str) -> Result<(), SyntaxError> {
        let found = (self.source(e) == word).then_some(());
        found.ok_or_else(|| self.expected(e, &format!("`{word}`")))
    }

    fn section(&self, e: usize, word: &str) -> Result<Vec<usize>, SyntaxError> {
        let mut parts = self.list(e)?;
        if parts.is_empty() {
            return Err(self.expected(e, &format!("`({word} ...)`")));
        }
        self.keyword(parts.remove(0), word).map(|()| parts)
    }

    fn each<T>(
        &mut self,
        list: &[usize],
        one: impl Fn(&mut Self, usize) -> Result<T, SyntaxError>,
    ) -> Result<Vec<T>, SyntaxError> {
        list.iter().map(|&e| one(self, e)).collect()
    }

    fn term(&mut self, e: usize) -> Result<Term, SyntaxError> {
        let source = self.source(e);
        (self.term)(source).map_err(|message| error(self.tree[e].start, &message))
    }

    fn number<N: std::str::FromStr>(&mut self, e: usize) -> Result<N, SyntaxError> {
        let number = self.source(e).parse();
        number.map_err(|_| self.expected(e, "a number"))
    }

    fn atom(&mut self, e: usize) -> Result<ProofAtom, SyntaxError> {
        let parts = self.list(e)?;
        let kind = parts.first().map_or("", |&head| self.source(head));
        let (sort, bound, sum) = match (kind, parts.as_slice()) {
            ("formula", &[_, t]) => return self.term(t).map(ProofAtom::Formula),
            ("<" | "<=", &[_, sort, bound, ref sum @ ..]) => (sort, bound, sum),
            ("<" | "<=", _) => return Err(self.expected(e, "a sort and a limit")),
            _ => return Err(self.expected(e, "a formula or a bound")),
        };
        let integral = match self.source(sort) {
            "int" => true,
            "real" => false,
            _ => return Err(self.expected(sort, "`int` or `real`")),
        };
        Ok(ProofAtom::Bound {
            sum: self.each(sum, |reader, e| match *reader.list(e)? {
                [c, v] => Ok((reader.number(v)?, reader.number(c)?)),
                _ => Err(reader.expected(e, "a coefficient and a variable")),
            })?,
            bound: self.number(bound)?,
            strict: kind == "<",
            integral,
        })
    }

    fn literal(&mut self, e: usize) -> Result<ProofLit, SyntaxError> {
        let source = self.source(e);
        let positive = source.starts_with('+');
        let digits = source.strip_prefix(['+', '-']);
        // `parse` would accept a second sign.
        let digits = digits.filter(|d| d.starts_with(|c: char| c.is_ascii_digit()));
        match digits.and_then(|d| d.parse().ok()) {
            Some(atom) => Ok(ProofLit { atom, positive }),
            None => Err(self.expected(e, "a literal")),
        }
    }

    fn lemma(&mut self, at: usize, list: &[usize]) -> Result<Lemma, SyntaxError> {
        let name = self.source(at);
        let rule = Rule::ALL.into_iter().find(|r| r.name() == name);
        Ok(match rule.map(|r| (r, r.arguments())) {
            Some((rule, Arguments::NumberPerLiteral)) => {
                Lemma::with_numbers(rule, self.each(list, Self::number)?)
            }
            Some((rule, Arguments::Terms(count))) if count == list.len() => {
                Lemma::with_terms(rule, self.each(list, Self::term)?)
            }
            _ => return Err(self.expected(at, "a rule with its arguments")),
        })
    }

    fn step(&mut self, e: usize) -> Result<ProofStep, SyntaxError> {
        let parts = self.list(e)?;
        let &[clause, rule, ref arguments @ ..] = parts.as_slice() else {
            return Err(self.expected(e, "a clause and a rule"));
        };
        let inference = match (self.source(rule), arguments) {
            ("assertion", &[i]) => Inference::Input(Source::Assertion(self.number(i)?)),
            ("assumption", &[i]) => Inference::Input(Source::Assumption(self.number(i)?)),
            ("definition", &[t]) => Inference::Definition(self.term(t)?),
            ("resolution", list) => Inference::Resolution(self.each(list, Self::number)?),
            (_, list) => Inference::Lemma(self.lemma(rule, list)?),
        };
        let clause = self.list(clause)?;
        Ok(ProofStep {
            clause: self.each(&clause, Self::literal)?,
            inference,
        })
    }
}
