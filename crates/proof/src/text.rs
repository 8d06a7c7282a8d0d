//! Refutations as text: see `docs/format/proof.md`.
//!
//! How terms are written is left to the caller, who has a printer and a parser for them; here a
//! term is any S-expression.

use crate::refutation::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};
use crate::rule::{Arguments, Lemma, Rule};
use sectile_terms::Term;
use std::fmt::Write as _;

/// The text is not a refutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The byte at which the trouble starts.
    pub offset: usize,
    /// What was expected there.
    pub message: String,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for SyntaxError {}

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
/// If the text is not a refutation. Whether the refutation is a good one is for
/// [`replay`](crate::replay) to say.
pub fn parse(
    text: &str,
    term: impl FnMut(&str) -> Result<Term, String>,
) -> Result<Refutation, SyntaxError> {
    let tree = read(text)?;
    let mut reader = Reader { text, term };
    let parts = match tree.as_slice() {
        [only] => reader.list(only)?,
        _ => return Err(error(text.len(), "expected one refutation")),
    };
    let [head, variables, atoms, steps] = parts else {
        return Err(error(tree[0].start, "expected `(refutation ...)`"));
    };
    reader.keyword(head, "refutation")?;
    let variables = reader.section(variables, "variables")?;
    let atoms = reader.section(atoms, "atoms")?;
    let steps = reader.section(steps, "steps")?;
    Ok(Refutation {
        variables: reader.each(variables, Reader::term)?,
        atoms: reader.each(atoms, Reader::atom)?,
        steps: reader.each(steps, Reader::step)?,
    })
}

fn error(offset: usize, message: &str) -> SyntaxError {
    let message = message.to_string();
    SyntaxError { offset, message }
}

/// An S-expression: where it is, and its parts if it is a list.
struct Sexp {
    start: usize,
    end: usize,
    parts: Option<Vec<Sexp>>,
}

impl Drop for Sexp {
    /// Takes deep expressions apart without recursion.
    fn drop(&mut self) {
        let mut rest = self.parts.take().unwrap_or_default();
        while let Some(mut next) = rest.pop() {
            rest.append(&mut next.parts.take().unwrap_or_default());
        }
    }
}

fn read(text: &str) -> Result<Vec<Sexp>, SyntaxError> {
    let bytes = text.as_bytes();
    let mut open: Vec<(usize, Vec<Sexp>)> = Vec::new();
    let mut done = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        let finished = match byte {
            b'(' => {
                open.push((start, std::mem::take(&mut done)));
                continue;
            }
            b')' => {
                let top = open.pop();
                let (start, before) = top.ok_or_else(|| error(start, "nothing to close"))?;
                let parts = Some(std::mem::replace(&mut done, before));
                (start, parts)
            }
            b';' => {
                at = bytes[at..]
                    .iter()
                    .position(|&b| b == b'\n')
                    .map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'|' | b'"' => {
                let end = bytes[at..].iter().position(|&b| b == byte);
                at += 1 + end.ok_or_else(|| error(start, "a quote is not closed"))?;
                (start, None)
            }
            _ if byte.is_ascii_whitespace() => continue,
            _ => {
                let ends = |b: &u8| b.is_ascii_whitespace() || b"();|\"".contains(b);
                at = bytes[at..]
                    .iter()
                    .position(ends)
                    .map_or(bytes.len(), |n| at + n);
                (start, None)
            }
        };
        let (start, parts) = finished;
        done.push(Sexp {
            start,
            end: at,
            parts,
        });
    }
    match open.pop() {
        Some((start, _)) => Err(error(start, "a parenthesis is not closed")),
        None => Ok(done),
    }
}

struct Reader<'s, F> {
    text: &'s str,
    term: F,
}

impl<'s, F: FnMut(&str) -> Result<Term, String>> Reader<'s, F> {
    fn source(&self, e: &Sexp) -> &'s str {
        &self.text[e.start..e.end]
    }

    fn list<'e>(&self, e: &'e Sexp) -> Result<&'e [Sexp], SyntaxError> {
        let parts = e.parts.as_deref();
        parts.ok_or_else(|| error(e.start, "expected a list"))
    }

    fn keyword(&self, e: &Sexp, word: &str) -> Result<(), SyntaxError> {
        if self.source(e) == word {
            return Ok(());
        }
        Err(error(e.start, &format!("expected `{word}`")))
    }

    fn section<'e>(&self, e: &'e Sexp, word: &str) -> Result<&'e [Sexp], SyntaxError> {
        match self.list(e)? {
            [head, rest @ ..] => self.keyword(head, word).map(|()| rest),
            [] => Err(error(e.start, &format!("expected `({word} ...)`"))),
        }
    }

    fn each<T>(
        &mut self,
        list: &[Sexp],
        one: impl Fn(&mut Self, &Sexp) -> Result<T, SyntaxError>,
    ) -> Result<Vec<T>, SyntaxError> {
        list.iter().map(|e| one(self, e)).collect()
    }

    fn term(&mut self, e: &Sexp) -> Result<Term, SyntaxError> {
        let source = self.source(e);
        (self.term)(source).map_err(|message| error(e.start, &message))
    }

    fn number<N: std::str::FromStr>(&mut self, e: &Sexp) -> Result<N, SyntaxError> {
        let number = self.source(e).parse();
        number.map_err(|_| error(e.start, "expected a number"))
    }

    fn atom(&mut self, e: &Sexp) -> Result<ProofAtom, SyntaxError> {
        let (strict, parts) = match self.list(e)? {
            [head, t] if self.source(head) == "formula" => {
                return self.term(t).map(ProofAtom::Formula);
            }
            [head, rest @ ..] if self.source(head) == "<" => (true, rest),
            [head, rest @ ..] if self.source(head) == "<=" => (false, rest),
            _ => return Err(error(e.start, "expected a formula or a bound")),
        };
        let [sort, bound, sum @ ..] = parts else {
            return Err(error(e.start, "expected a sort and a limit"));
        };
        let integral = match self.source(sort) {
            "int" => true,
            "real" => false,
            _ => return Err(error(sort.start, "expected `int` or `real`")),
        };
        Ok(ProofAtom::Bound {
            sum: self.each(sum, |reader, e| match reader.list(e)? {
                [c, v] => Ok((reader.number(v)?, reader.number(c)?)),
                _ => Err(error(e.start, "expected a coefficient and a variable")),
            })?,
            bound: self.number(bound)?,
            strict,
            integral,
        })
    }

    fn literal(&mut self, e: &Sexp) -> Result<ProofLit, SyntaxError> {
        let source = self.source(e);
        let positive = source.starts_with('+');
        let digits = source.strip_prefix(['+', '-']);
        // `parse` would take a second sign for itself.
        let digits = digits.filter(|d| d.starts_with(|c: char| c.is_ascii_digit()));
        match digits.and_then(|d| d.parse().ok()) {
            Some(atom) => Ok(ProofLit { atom, positive }),
            None => Err(error(e.start, "expected a literal")),
        }
    }

    fn lemma(&mut self, at: &Sexp, name: &str, list: &[Sexp]) -> Result<Lemma, SyntaxError> {
        let rule = Rule::ALL.into_iter().find(|r| r.name() == name);
        Ok(match rule.map(|r| (r, r.arguments())) {
            Some((rule, Arguments::NumberPerLiteral)) => {
                Lemma::with_numbers(rule, self.each(list, Self::number)?)
            }
            Some((rule, Arguments::Terms(count))) if count == list.len() => {
                Lemma::with_terms(rule, self.each(list, Self::term)?)
            }
            _ => return Err(error(at.start, "expected a rule with its arguments")),
        })
    }

    fn step(&mut self, e: &Sexp) -> Result<ProofStep, SyntaxError> {
        let [clause, rule, arguments @ ..] = self.list(e)? else {
            return Err(error(e.start, "expected a clause and a rule"));
        };
        let inference = match (self.source(rule), arguments) {
            ("assertion", [i]) => Inference::Input(Source::Assertion(self.number(i)?)),
            ("assumption", [i]) => Inference::Input(Source::Assumption(self.number(i)?)),
            ("definition", [t]) => Inference::Definition(self.term(t)?),
            ("resolution", list) => Inference::Resolution(self.each(list, Self::number)?),
            (name, list) => Inference::Lemma(self.lemma(rule, name, list)?),
        };
        let clause = self.list(clause)?;
        Ok(ProofStep {
            clause: self.each(clause, Self::literal)?,
            inference,
        })
    }
}
