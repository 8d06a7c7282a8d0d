//! Prints generated programs as Boogie.

use super::{Comparison, Condition, Operand, Program, Statement, Sum, VARIABLES};
use std::fmt::Write as _;

/// The text of a program, with a comment on its first line.
pub fn print(program: &Program, comment: &str) -> String {
    let shape = program.shape;
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "// {comment}: width {}, height {}, block {}",
        shape.width, shape.height, shape.block
    );
    let _ = writeln!(out, "procedure main()\n{{");
    let _ = writeln!(out, "  var {} : int;", VARIABLES.join(", "));
    block(&mut out, &program.statements, 1);
    for assertion in &program.assertions {
        let _ = writeln!(out, "  assert {};", condition(assertion));
    }
    out.push_str("}\n");
    out
}

/// Recursion is bounded by the nesting of the program.
fn block(out: &mut String, statements: &[Statement], depth: usize) {
    let indent = "  ".repeat(depth);
    for statement in statements {
        match statement {
            Statement::Assign(target, value) => {
                let _ = writeln!(out, "{indent}{} := {};", VARIABLES[*target], sum(value));
            }
            Statement::If(test, then, otherwise) => {
                let _ = writeln!(out, "{indent}if ({}) {{", condition(test));
                block(out, then, depth + 1);
                let _ = writeln!(out, "{indent}}} else {{");
                block(out, otherwise, depth + 1);
                let _ = writeln!(out, "{indent}}}");
            }
            Statement::While(test, body) => {
                let _ = writeln!(out, "{indent}while ({}) {{", condition(test));
                block(out, body, depth + 1);
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }
}

fn condition(condition: &Condition) -> String {
    match condition {
        Condition::One(c) => comparison(c),
        Condition::Both(a, b) => format!("({}) && ({})", comparison(a), comparison(b)),
        Condition::Either(a, b) => format!("({}) || ({})", comparison(a), comparison(b)),
    }
}

fn comparison(comparison: &Comparison) -> String {
    let sign = if comparison.less { "<" } else { ">" };
    let left = VARIABLES[comparison.left];
    format!("{left} {sign} {}", sum(&comparison.right))
}

fn sum(sum: &Sum) -> String {
    let mut out = operand(sum.first);
    for (minus, next) in &sum.rest {
        out.push_str(if *minus { " - " } else { " + " });
        out.push_str(&operand(*next));
    }
    out
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Variable(v) => VARIABLES[v].to_string(),
        Operand::Constant(c) => c.to_string(),
    }
}
