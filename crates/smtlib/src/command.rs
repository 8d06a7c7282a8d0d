//! The commands of SMT-LIB scripts.

use crate::reader;
use crate::sexp::{Sexp, Tree};
use sectile_base::{Diagnostic, Diagnostics, Span};

const COMMAND: &str = "smt-command";

/// One command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'s> {
    /// Its kind with its arguments.
    pub kind: CommandKind<'s>,
    /// Its position.
    pub span: Span,
}

/// The kinds of commands. Terms and sorts are still expressions of the script's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind<'s> {
    /// `(set-logic NAME)`
    SetLogic(&'s str),
    /// `(set-option :NAME VALUE)`
    SetOption(&'s str, Option<Sexp>),
    /// `(set-info :NAME VALUE)`
    SetInfo(&'s str, Option<Sexp>),
    /// `(declare-fun NAME (SORT ...) SORT)` or `(declare-const NAME SORT)`
    DeclareFun {
        /// The declared name.
        name: &'s str,
        /// The sorts of the arguments.
        arguments: Vec<Sexp>,
        /// The sort of the result.
        result: Sexp,
    },
    /// `(define-fun NAME ((NAME SORT) ...) SORT TERM)`
    DefineFun {
        /// The defined name.
        name: &'s str,
        /// The parameters with their sorts.
        parameters: Vec<(&'s str, Sexp)>,
        /// The sort of the result.
        result: Sexp,
        /// The defining term.
        body: Sexp,
    },
    /// `(declare-datatypes ((NAME 0) ...) (((CONSTRUCTOR (SELECTOR SORT) ...) ...) ...))` or
    /// `(declare-datatype NAME ((CONSTRUCTOR (SELECTOR SORT) ...) ...))`: names, each with its list
    /// of constructors.
    DeclareDatatypes(Vec<(&'s str, Sexp)>),
    /// `(declare-sort NAME N)`; the number may be left out if it is 0
    DeclareSort(&'s str, usize),
    /// `(define-sort NAME () SORT)`
    DefineSort(&'s str, Sexp),
    /// `(assert TERM)`
    Assert(Sexp),
    /// `(push N)`
    Push(usize),
    /// `(pop N)`
    Pop(usize),
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (LITERAL ...))`
    CheckSatAssuming(Vec<Sexp>),
    /// `(get-model)`
    GetModel,
    /// `(get-value (TERM ...))`
    GetValue(Vec<Sexp>),
    /// `(get-assignment)`
    GetAssignment,
    /// `(get-assertions)`
    GetAssertions,
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-proof)`
    GetProof,
    /// `(get-interpolants PARTITION ...)`
    GetInterpolants(Vec<Sexp>),
    /// `(get-info :NAME)`
    GetInfo(&'s str),
    /// `(get-option :NAME)`
    GetOption(&'s str),
    /// `(echo "TEXT")`
    Echo(String),
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(exit)`
    Exit,
    /// `(declare-rel NAME (SORT ...))`, of the fixed-point dialect
    DeclareRel(&'s str, Vec<Sexp>),
    /// `(declare-var NAME SORT)`, of the fixed-point dialect
    DeclareVar(&'s str, Sexp),
    /// `(rule TERM [NAME])`, of the fixed-point dialect
    Rule(Sexp),
    /// `(query TERM)`, of the fixed-point dialect
    Query(Sexp),
}

/// A script: its tree, and its commands in order.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The expressions that the commands refer to.
    pub tree: Tree<'s>,
    /// The commands.
    pub commands: Vec<Command<'s>>,
}

/// Reads a script. All wrong commands are reported, not only the first.
pub fn read_script(text: &str) -> Result<Script<'_>, Diagnostics> {
    let tree = reader::read(text)?;
    let mut commands = Vec::new();
    let mut wrong = Diagnostics::new();
    for &e in tree.roots() {
        match read_command(&tree, e) {
            Ok(kind) => commands.push(Command {
                kind,
                span: tree.span(e),
            }),
            Err(diagnostic) => wrong.push(diagnostic),
        }
        if wrong.is_full() {
            break;
        }
    }
    if wrong.has_errors() {
        return Err(wrong);
    }
    Ok(Script { tree, commands })
}

/// Reads one command.
pub fn read_command<'s>(tree: &Tree<'s>, e: Sexp) -> Result<CommandKind<'s>, Diagnostic> {
    let list = tree.list(e).unwrap_or(&[]);
    let Some(name) = list.first().and_then(|&head| tree.symbol(head)) else {
        let message = "a command looks like (name argument ...)";
        return Err(tree.error(COMMAND, e, message));
    };
    if let Some(why) = unsupported(name) {
        return Err(tree.error("smt-unsupported", e, why));
    }
    kind(tree, name, &list[1..]).ok_or_else(|| match usage(name) {
        Some(usage) => tree.error(COMMAND, e, format!("this command looks like {usage}")),
        None => tree.error(COMMAND, e, format!("there is no command `{name}`")),
    })
}

/// The reason why a standard command is not supported.
fn unsupported(name: &str) -> Option<&'static str> {
    Some(match name {
        "define-fun-rec" | "define-funs-rec" => "recursive definitions are not supported",
        _ => return None,
    })
}

/// The command with these arguments; `None` if it is malformed.
fn kind<'s>(tree: &Tree<'s>, name: &str, arguments: &[Sexp]) -> Option<CommandKind<'s>> {
    let list = |e: Sexp| Some(tree.list(e)?.to_vec());
    Some(match (name, arguments) {
        ("set-logic", &[logic]) => CommandKind::SetLogic(tree.symbol(logic)?),
        ("set-option", &[key, ref value @ ..]) if value.len() <= 1 => {
            CommandKind::SetOption(tree.keyword(key)?, value.first().copied())
        }
        ("set-info", &[key, ref value @ ..]) if value.len() <= 1 => {
            CommandKind::SetInfo(tree.keyword(key)?, value.first().copied())
        }
        ("get-info", &[key]) => CommandKind::GetInfo(tree.keyword(key)?),
        ("get-option", &[key]) => CommandKind::GetOption(tree.keyword(key)?),
        ("echo", &[text]) => CommandKind::Echo(tree.string(text)?.into_owned()),
        ("assert", &[term]) => CommandKind::Assert(term),
        ("rule", &[term] | &[term, _]) => CommandKind::Rule(term),
        ("query", &[term, ..]) => CommandKind::Query(term),
        ("push", &[]) => CommandKind::Push(1),
        ("pop", &[]) => CommandKind::Pop(1),
        ("push", &[n]) => CommandKind::Push(tree.numeral(n)?.parse().ok()?),
        ("pop", &[n]) => CommandKind::Pop(tree.numeral(n)?.parse().ok()?),
        ("check-sat", []) => CommandKind::CheckSat,
        ("check-sat-assuming", &[literals]) => CommandKind::CheckSatAssuming(list(literals)?),
        ("get-value", &[terms]) => CommandKind::GetValue(list(terms)?),
        ("get-interpolants", parts) => CommandKind::GetInterpolants(parts.to_vec()),
        ("get-model", []) => CommandKind::GetModel,
        ("get-assignment", []) => CommandKind::GetAssignment,
        ("get-assertions", []) => CommandKind::GetAssertions,
        ("get-unsat-core", []) => CommandKind::GetUnsatCore,
        ("get-unsat-assumptions", []) => CommandKind::GetUnsatAssumptions,
        ("get-proof", []) => CommandKind::GetProof,
        ("declare-datatypes", &[names, bodies]) => {
            CommandKind::DeclareDatatypes(data_types(tree, names, bodies)?)
        }
        ("declare-datatype", &[name, body]) => {
            CommandKind::DeclareDatatypes(vec![(tree.symbol(name)?, body)])
        }
        ("reset", []) => CommandKind::Reset,
        ("reset-assertions", []) => CommandKind::ResetAssertions,
        ("exit", []) => CommandKind::Exit,
        (_, &[symbol, ref rest @ ..]) => {
            return declaration(tree, name, tree.symbol(symbol)?, rest);
        }
        _ => return None,
    })
}

/// Names of data types without parameters, each with its constructors.
fn data_types<'s>(tree: &Tree<'s>, names: Sexp, bodies: Sexp) -> Option<Vec<(&'s str, Sexp)>> {
    let (names, bodies) = (tree.list(names)?, tree.list(bodies)?);
    if names.len() != bodies.len() {
        return None;
    }
    let pairs = names.iter().zip(bodies).map(|(&name, &body)| {
        let &[name, arity] = tree.list(name)? else {
            return None;
        };
        (tree.numeral(arity)? == "0").then_some((tree.symbol(name)?, body))
    });
    pairs.collect()
}

/// A declaration or definition of a symbol.
fn declaration<'s>(
    tree: &Tree<'s>,
    command: &str,
    name: &'s str,
    rest: &[Sexp],
) -> Option<CommandKind<'s>> {
    let (parameters, result, body) = match (command, rest) {
        ("declare-rel", &[sorts]) => {
            return Some(CommandKind::DeclareRel(name, tree.list(sorts)?.to_vec()));
        }
        ("declare-sort", &[]) => return Some(CommandKind::DeclareSort(name, 0)),
        ("declare-sort", &[count]) => {
            let count = tree.numeral(count)?.parse().ok()?;
            return Some(CommandKind::DeclareSort(name, count));
        }
        ("define-sort", &[parameters, sort]) if tree.list(parameters)?.is_empty() => {
            return Some(CommandKind::DefineSort(name, sort));
        }
        ("declare-var", &[sort]) => return Some(CommandKind::DeclareVar(name, sort)),
        ("declare-fun", &[sorts, result]) => (tree.list(sorts)?, result, None),
        ("declare-const", &[result]) => (&[][..], result, None),
        ("define-fun", &[parameters, result, body]) => (tree.list(parameters)?, result, Some(body)),
        ("define-const", &[result, body]) => (&[][..], result, Some(body)),
        _ => return None,
    };
    let Some(body) = body else {
        return Some(CommandKind::DeclareFun {
            name,
            arguments: parameters.to_vec(),
            result,
        });
    };
    let parameters = parameters.iter().map(|&p| {
        let &[name, sort] = tree.list(p)? else {
            return None;
        };
        Some((tree.symbol(name)?, sort))
    });
    Some(CommandKind::DefineFun {
        name,
        parameters: parameters.collect::<Option<_>>()?,
        result,
        body,
    })
}

/// The syntax of a command; `None` if there is no such command.
fn usage(name: &str) -> Option<String> {
    let arguments = match name {
        "set-logic" => " NAME",
        "set-option" | "set-info" => " :NAME VALUE",
        "get-info" | "get-option" => " :NAME",
        "echo" => " \"TEXT\"",
        "declare-fun" => " NAME (SORT ...) SORT",
        "declare-const" | "declare-var" => " NAME SORT",
        "declare-rel" => " NAME (SORT ...)",
        "declare-sort" => " NAME 0",
        "define-sort" => " NAME () SORT",
        "define-fun" => " NAME ((NAME SORT) ...) SORT TERM",
        "declare-datatype" => " NAME ((CONSTRUCTOR (SELECTOR SORT) ...) ...)",
        "declare-datatypes" => " ((NAME 0) ...) (((CONSTRUCTOR (SELECTOR SORT) ...) ...) ...)",
        "define-const" => " NAME SORT TERM",
        "assert" | "rule" | "query" => " TERM",
        "push" | "pop" => " N",
        "check-sat-assuming" => " (LITERAL ...)",
        "get-value" => " (TERM ...)",
        "check-sat"
        | "get-model"
        | "get-assignment"
        | "get-assertions"
        | "get-unsat-core"
        | "get-unsat-assumptions"
        | "get-proof"
        | "reset"
        | "reset-assertions"
        | "exit" => "",
        _ => return None,
    };
    Some(format!("({name}{arguments})"))
}
