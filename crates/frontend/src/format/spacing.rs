//! Decides about blanks between the tokens of a line.

use super::Form;
use super::pieces::{Piece, PieceKind};
use crate::syntax::TokenKind;

/// The role of a token, which its neighbours do not determine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Role {
    /// A sign before its only operand.
    pub prefix: bool,
    /// A colon between a name and its type or range.
    pub typing: bool,
    /// A brace around declarations or statements.
    pub block: bool,
    /// An operator that is written without blanks, as in the range `0..n-1`.
    pub tight: bool,
    /// The name of a label.
    pub label: bool,
    /// The number of brackets that are open before it.
    pub depth: usize,
}

/// Finds the roles of all tokens.
pub(super) fn roles(pieces: &[Piece<'_>], form: &Form) -> Vec<Role> {
    let tokens: Vec<usize> = (0..pieces.len())
        .filter(|&i| !pieces[i].is_comment())
        .collect();
    let mut roles = vec![Role::default(); pieces.len()];
    if form.labels {
        labels(pieces, &tokens, form, &mut roles);
    }
    brackets(pieces, &tokens, form, &mut roles);
    prefixes(pieces, &tokens, &mut roles);
    ranges(pieces, &tokens, &mut roles);
    fractions(pieces, &tokens, &mut roles);
    colons(pieces, &tokens, form, &mut roles);
    roles
}

/// Finds labels: names with a colon before a statement, another label, or the end of a block.
fn labels(pieces: &[Piece<'_>], tokens: &[usize], form: &Form, roles: &mut [Role]) {
    let mut behind: Option<usize> = None;
    for pair in tokens.windows(2).rev() {
        let (name, colon) = (&pieces[pair[0]], &pieces[pair[1]]);
        if name.is(":") {
            behind = Some(pair[1]);
            continue;
        }
        let before = behind.take().filter(|_| colon.is(":"));
        let last = colon.is(":") && tokens.last() == Some(&pair[1]);
        let follows = |i: usize| {
            let piece = &pieces[i];
            roles[i].label || piece.is("}") || form.starts.contains(&piece.start)
        };
        let label = name.is_name() && (last || before.is_some_and(follows));
        roles[pair[0]].label = label;
    }
}

/// Computes depths, and finds braces that are blocks: the next token begins a declaration or a
/// statement.
fn brackets(pieces: &[Piece<'_>], tokens: &[usize], form: &Form, roles: &mut [Role]) {
    let mut open: Vec<bool> = Vec::new();
    for (k, &i) in tokens.iter().enumerate() {
        let piece = &pieces[i];
        if piece.is_any(&[")", "]", "}"]) {
            roles[i].block = open.pop().unwrap_or(false);
        }
        roles[i].depth = open.len();
        if piece.is_any(&["(", "[", "{"]) {
            let next = tokens.get(k + 1).map(|&j| &pieces[j]);
            let label = tokens.get(k + 1).is_some_and(|&j| roles[j].label);
            let begins = next.is_some_and(|p| label || form.starts.contains(&p.start));
            roles[i].block = piece.is("{") && begins;
            open.push(roles[i].block);
        }
    }
}

/// Finds prefix signs: those without an operand before them.
fn prefixes(pieces: &[Piece<'_>], tokens: &[usize], roles: &mut [Role]) {
    for (k, &i) in tokens.iter().enumerate() {
        let before = k.checked_sub(1).map(|b| &pieces[tokens[b]]);
        let operand = before.is_some_and(ends_operand);
        let may_be = pieces[i].is_any(&["-", "+", "!", "?"]);
        roles[i].prefix = may_be && !operand || pieces[i].is_any(&["!", "?"]);
    }
}

fn ends_operand(piece: &Piece<'_>) -> bool {
    let closes = [")", "]", "}", "'", "true", "false"];
    piece.is_name() || piece.is_number() || piece.is_any(&closes)
}

/// Finds operators of ranges, on both sides of `..`.
fn ranges(pieces: &[Piece<'_>], tokens: &[usize], roles: &mut [Role]) {
    for (k, &i) in tokens.iter().enumerate() {
        if !pieces[i].is("..") {
            continue;
        }
        let depth = roles[i].depth;
        let belongs = |&&j: &&usize| {
            let piece = &pieces[j];
            let inside = roles[j].depth > depth || piece.is_any(&["(", "[", ")", "]"]);
            let arithmetic = piece.is_any(&["+", "-", "*", "/", ".", "'"]);
            let operand = piece.is_name() || piece.is_number();
            roles[j].depth >= depth && (inside || arithmetic || operand)
        };
        let left = tokens[..k].iter().rev().take_while(belongs);
        let right = tokens[k + 1..].iter().take_while(belongs);
        let found: Vec<usize> = left.chain(right).copied().collect();
        for j in found {
            roles[j].tight = pieces[j].is_any(ARITHMETIC);
        }
    }
    indices(pieces, tokens, roles);
}

const ARITHMETIC: &[&str] = &["+", "-", "*", "/"];

/// Finds operators directly inside square brackets, as in `x[n-1]`, which may be written without
/// blanks.
fn indices(pieces: &[Piece<'_>], tokens: &[usize], roles: &mut [Role]) {
    let mut open: Vec<bool> = Vec::new();
    for three in tokens.windows(3) {
        let [_, i, next] = [three[0], three[1], three[2]];
        let piece = &pieces[i];
        if piece.is_any(&["(", "[", "{"]) {
            open.push(piece.is("["));
        } else if piece.is_any(&[")", "]", "}"]) {
            open.pop();
        }
        let inside = open.last() == Some(&true);
        let close = piece.gap == 0 && pieces[next].gap == 0;
        roles[i].tight |= inside && close && piece.is_any(ARITHMETIC);
    }
}

/// Finds fractions: `3/2` is a number if it was written without blanks.
fn fractions(pieces: &[Piece<'_>], tokens: &[usize], roles: &mut [Role]) {
    for three in tokens.windows(3) {
        let [a, slash, b] = [0, 1, 2].map(|k| &pieces[three[k]]);
        let close = slash.gap == 0 && b.gap == 0;
        let is_number = slash.is("/") && a.is_number() && b.is_number() && close;
        roles[three[1]].tight |= is_number;
    }
}

/// Words that are followed by names with types.
const TYPED: &[&str] = &["var", "const", "param", "clock"];

/// Finds colons before types and ranges.
fn colons(pieces: &[Piece<'_>], tokens: &[usize], form: &Form, roles: &mut [Role]) {
    let mut typed = false;
    // Whether the token is inside of `any v : int, w : real`.
    let mut chosen = false;
    for (k, &i) in tokens.iter().enumerate() {
        let piece = &pieces[i];
        let back = |n: usize| k.checked_sub(n).map(|b| &pieces[tokens[b]]);
        if form.starts.contains(&piece.start) || roles[i].label {
            let word = ["chan", "function"].contains(&piece.text) && piece.is_name();
            let next = tokens.get(k + 1).map(|&j| &pieces[j]);
            typed = piece.is_any(TYPED) || word && next.is_some_and(Piece::is_name);
            chosen = false;
        }
        if !piece.is(":") {
            continue;
        }
        let before_name = back(2);
        let after_any = before_name.is_some_and(|p| p.is("any"));
        chosen = after_any || chosen && before_name.is_some_and(|p| p.is(","));
        let listed = before_name.is_some_and(|p| p.is_any(&["[", "{", ","]))
            && back(1).is_some_and(Piece::is_name);
        let bracketed = listed && bracket_before(pieces, tokens, roles, k);
        roles[i].typing = typed || chosen || bracketed;
    }
}

/// Whether the innermost bracket around the token `k` is `[`, or the brace of a record.
fn bracket_before(pieces: &[Piece<'_>], tokens: &[usize], roles: &[Role], k: usize) -> bool {
    let depth = roles[tokens[k]].depth;
    let mut before = (0..k).rev();
    let open = before.find(|&b| roles[tokens[b]].depth < depth);
    let Some(open) = open else {
        return false;
    };
    let record = open > 0 && pieces[tokens[open - 1]].text == "record";
    pieces[tokens[open]].is("[") || pieces[tokens[open]].is("{") && record
}

/// Words that are written like function calls.
const CALLED: &[&str] = &["abs", "min", "max", "real", "keep"];

/// Names that are not functions, although a parenthesis may follow.
const NOT_CALLED: &[&str] = &["with", "of"];

/// Operators that are written like functions, or like `not`.
const TEMPORAL: &[&str] = &["AX", "EX", "AF", "EF", "AG", "EG", "X", "F", "G"];

/// Whether there is a blank between two neighbours in a line.
pub(super) fn blank(a: &Piece<'_>, of_a: Role, b: &Piece<'_>, of_b: Role) -> bool {
    if a.is_comment() || b.is_comment() {
        return true;
    }
    if a.is("{") && b.is("}") {
        return false;
    }
    if of_a.block && a.is("{") || of_b.block && b.is("}") {
        return true;
    }
    if a.is_any(&["(", "[", "{", ".", ".."]) || of_a.prefix || of_a.tight {
        return false;
    }
    if b.is_any(&[")", "]", "}", ",", ";", "'", ".", ".."]) || of_b.tight {
        return false;
    }
    if b.is(":") {
        return of_b.typing;
    }
    if b.is("(") {
        if TEMPORAL.contains(&a.text) {
            return b.gap > 0;
        }
        let called = a.is_name() && !NOT_CALLED.contains(&a.text);
        return !(called || a.is_any(CALLED) || a.is_any(&["]", ")"]));
    }
    if b.is("[") {
        return !(a.is_name() || a.is_any(&["]", ")", "'", "}"]));
    }
    if a.is("]") && !is_operator(b) {
        // `[int]bool` is a type, but `f[i] with` is not: keep the author's choice.
        return b.gap > 0;
    }
    !(a.is("}") && b.is("*"))
}

fn is_operator(piece: &Piece<'_>) -> bool {
    let words = ["bool", "int", "nat", "real"];
    let sign = piece.kind == PieceKind::Token(TokenKind::Sign);
    sign || piece.kind == PieceKind::Token(TokenKind::Word) && !piece.is_any(&words)
}
