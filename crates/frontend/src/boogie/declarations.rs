//! Parser of declarations.

use super::ast::{
    Clause, Constant, File, Function, Implementation, Name, Procedure, Role, Type, TypeDeclaration,
    TypeKind, Variable,
};
use super::definitions;
use super::expressions::{one_type, type_parameters};
use super::parser::{LANGUAGE, Parsed, Parser, attributes};
use super::statements::body;
use crate::syntax::TokenKind;
use sectile_base::{Diagnostics, Source, Span};
use std::sync::Arc;

/// Reads all of a source; mistakes are collected.
pub fn parse(source: &Source) -> (File, Diagnostics, Vec<Span>) {
    let mut p = Parser::new(source, LANGUAGE);
    let mut file = File::default();
    while !p.at_end() {
        p.type_parameters.clear();
        let start = p.previous();
        if declaration(&mut p, &mut file).is_err() {
            // Unreadable text is skipped even if it starts a declaration.
            if p.previous() == start {
                p.advance();
            }
            after_mistake(&mut p);
        }
    }
    definitions::from_axioms(&mut file);
    let (diagnostics, comments) = p.finish();
    (file, diagnostics, comments)
}

const DECLARATIONS: &[&str] = &[
    "type",
    "const",
    "function",
    "axiom",
    "var",
    "procedure",
    "implementation",
];

fn declaration(p: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    if !p.at_any(DECLARATIONS) {
        let help = "declarations are `type`, `const`, `function`, `axiom`, `var`, `procedure` \
                    and `implementation`";
        return Err(p.unexpected("a declaration", Some(help)));
    }
    let word = p.advance().text;
    let names = attributes(p)?;
    match word {
        "type" => type_declaration(p, file),
        "const" => constant(p, file),
        "function" => function(p, file, &names),
        "axiom" => {
            file.axioms.push(p.expression()?);
            p.expect(";").map(|_| ())
        }
        "var" => variables(p).map(|list| file.globals.extend(list)),
        "procedure" => procedure(p, file),
        _ => implementation(p, file),
    }
}

/// Skips to the next declaration. A stray `var` inside a broken body may be taken for one: that
/// causes unnecessary messages, but no mistake is missed.
fn after_mistake(p: &mut Parser<'_>) {
    while !p.at_end() && !p.at_any(DECLARATIONS) {
        p.advance();
    }
}

fn type_declaration(p: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    p.eat("finite");
    let declared = p.comma_list(|p| {
        let name = p.name("the name of a type")?;
        let mut parametric = false;
        while p.peek().kind == TokenKind::Name {
            let parameter = p.name("a type parameter")?;
            p.type_parameters.push(parameter.text);
            parametric = true;
        }
        let meaning = p.eat("=").then(|| one_type(p)).transpose()?;
        Ok(TypeDeclaration {
            name,
            parametric,
            meaning,
        })
    })?;
    file.types.extend(declared);
    p.expect(";").map(|_| ())
}

fn constant(p: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    let unique = p.eat("unique");
    let names = p.comma_list(|p| p.name("a constant"))?;
    p.expect(":")?;
    let of = one_type(p)?;
    // `extends a, b complete` orders constants of types that are unsupported anyway.
    while !p.at(";") && !p.at_end() && !p.at_any(DECLARATIONS) {
        if !p.at_any(&["extends", "complete", ",", "unique"]) && p.peek().kind != TokenKind::Name {
            break;
        }
        p.advance();
    }
    let declared = names.into_iter().map(|name| Constant {
        name,
        of: of.clone(),
        unique,
    });
    file.constants.extend(declared);
    p.expect(";").map(|_| ())
}

/// `x, y : int where e, z : bool;` after `var`.
pub fn variables(p: &mut Parser<'_>) -> Parsed<Vec<Variable>> {
    let list = p.comma_list(typed_names)?;
    p.expect(";")?;
    Ok(list.into_iter().flatten().collect())
}

/// `x, y : int where e`.
fn typed_names(p: &mut Parser<'_>) -> Parsed<Vec<Variable>> {
    attributes(p)?;
    let names = p.comma_list(|p| p.name("a variable"))?;
    p.expect_with(":", "a variable has a type: `x : int`")?;
    let of = one_type(p)?;
    let condition = p.behind("where")?;
    let variable = |name: Name| Variable {
        name,
        of: of.clone(),
        condition: condition.clone(),
    };
    Ok(names.into_iter().map(variable).collect())
}

/// `(x, y : int, z : bool)`.
fn parameters(p: &mut Parser<'_>) -> Parsed<Vec<Variable>> {
    let list = in_parentheses(p, |p| p.optional_list(")", typed_names))?;
    Ok(list.into_iter().flatten().collect())
}

fn in_parentheses<T>(
    p: &mut Parser<'_>,
    inside: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
) -> Parsed<T> {
    let open = p.expect("(")?.span;
    let found = inside(p)?;
    p.close(open, ")")?;
    Ok(found)
}

/// The name, parameters and results of a procedure.
fn signature(p: &mut Parser<'_>) -> Parsed<(Name, Vec<Variable>, Vec<Variable>)> {
    let name = p.name("the name of a procedure")?;
    type_parameters(p)?;
    let inputs = parameters(p)?;
    let results = match p.eat("returns") {
        true => parameters(p)?,
        false => Vec::new(),
    };
    Ok((name, inputs, results))
}

/// The attributes that define a function without a body in the language of a solver.
const MEANINGS: &[&str] = &["builtin", "bvbuiltin", "smtdefined", "overapproximation"];

fn function(p: &mut Parser<'_>, file: &mut File, attributes: &[&str]) -> Parsed<()> {
    let name = p.name("the name of a function")?;
    type_parameters(p)?;
    let list = in_parentheses(p, |p| p.optional_list(")", function_parameter))?;
    let result = if p.eat("returns") {
        in_parentheses(p, function_parameter)?.of
    } else {
        p.expect_with(":", "a function has a result: `returns (int)`")?;
        one_type(p)?
    };
    let mut body = None;
    if p.at("{") {
        let open = p.advance().span;
        body = Some(p.expression()?);
        p.close(open, "}")?;
    } else {
        p.expect(";")?;
    }
    file.functions.push(Function {
        name,
        parameters: untied(list),
        result,
        body,
        foreign: attributes.iter().any(|a| MEANINGS.contains(a)),
    });
    Ok(())
}

/// `x : int` or only `int`.
fn function_parameter(p: &mut Parser<'_>) -> Parsed<Variable> {
    attributes(p)?;
    let start = p.peek();
    let named = start.kind == TokenKind::Name && (p.at_ahead(1, ":") || p.at_ahead(1, ","));
    let name = match named {
        true => p.name("a parameter")?,
        false => Name {
            text: Arc::from(""),
            span: start.span,
            quoted: false,
        },
    };
    // The type of `x` in `x, y : int` comes later: `untied` fills it in.
    let of = match named && !p.eat(":") {
        true => Type {
            kind: TypeKind::Named(name.text.clone()),
            span: name.span,
        },
        false => one_type(p)?,
    };
    Ok(Variable {
        name,
        of,
        condition: None,
    })
}

/// Gives `x` in `x, y : int` its type. `f(T, U)`, where `T` and `U` are types, is left unchanged
/// because its last parameter has no type after a colon.
fn untied(mut list: Vec<Variable>) -> Vec<Variable> {
    let mut behind: Option<Type> = None;
    for variable in list.iter_mut().rev() {
        let bare = matches!(&variable.of.kind, TypeKind::Named(t) if *t == variable.name.text);
        match (&behind, bare) {
            (Some(of), true) => variable.of = of.clone(),
            (_, true) => {}
            _ if variable.name.text.is_empty() => behind = None,
            _ => behind = Some(variable.of.clone()),
        }
    }
    list
}

fn procedure(p: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    let (name, parameters, results) = signature(p)?;
    let declared_only = p.eat(";");
    let mut procedure = Procedure {
        name,
        parameters,
        results,
        clauses: Vec::new(),
        modifies: Vec::new(),
        body: None,
    };
    while p.at_any(&["free", "requires", "ensures", "modifies"]) {
        clause(p, &mut procedure)?;
    }
    let mut outcome = Ok(());
    if !declared_only {
        let body = match p.at("{") {
            true => body(p),
            false => Err(p.unexpected("`{` or `;`", None)),
        };
        outcome = body.map(|body| procedure.body = Some(body));
    }
    file.procedures.push(procedure);
    outcome
}

/// `free requires e;`, `modifies x, y;`
fn clause(p: &mut Parser<'_>, procedure: &mut Procedure) -> Parsed<()> {
    let start = p.peek().span;
    let free = p.eat("free");
    let word = p.advance();
    attributes(p)?;
    let role = match word.text {
        "requires" => Role::Requires,
        "ensures" => Role::Ensures,
        "modifies" => {
            if !p.at(";") {
                let names = p.comma_list(|p| p.name("a variable"))?;
                procedure.modifies.extend(names);
            }
            return p.expect(";").map(|_| ());
        }
        _ => return Err(p.unexpected("`requires` or `ensures`", None)),
    };
    let condition = p.expression()?;
    p.expect(";")?;
    procedure.clauses.push(Clause {
        role,
        free,
        condition,
        span: start.to(p.previous()),
    });
    Ok(())
}

fn implementation(p: &mut Parser<'_>, file: &mut File) -> Parsed<()> {
    let (name, parameters, results) = signature(p)?;
    let body = body(p)?;
    file.implementations.push(Implementation {
        name,
        parameters,
        results,
        body,
    });
    Ok(())
}
