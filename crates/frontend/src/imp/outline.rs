//! The outline of a program, for editors.

use super::ast::{Block, Statement, StatementKind};
use super::parser::{DIALECT, parse};
use crate::outline::{Collector, Outline, OutlineKind, type_text};
use crate::syntax::ClaimKind;
use sectile_base::Source;

/// The declarations of a program and the uses of its names.
pub(super) fn outline(source: &Source) -> Outline {
    let text = parse(source);
    let program = &text.program;
    let mut all = Collector::new(source, DIALECT.into(), text.starts);
    for (name, _) in &program.parameters {
        all.declare(name, OutlineKind::Parameter, "int".to_string());
    }
    for (name, sort) in &program.variables {
        all.declare(name, OutlineKind::Variable, type_text(source, sort));
        all.parts(sort);
    }
    program.initial.iter().for_each(|e| all.expression(e));
    labels(&mut all, &program.body);
    program
        .body
        .for_each_statement(&mut |s| statement(&mut all, s));
    for claim in &program.claims {
        // The name of `always l => Q` is that of its label.
        let label = matches!(&claim.kind, ClaimKind::At(places, _)
            if places.iter().any(|p| p.span == claim.name.span));
        if !label {
            all.declare(&claim.name, OutlineKind::Property, String::new());
        }
        if let Some(formula) = claim.kind.formula() {
            all.expression(formula);
        }
    }
    all.finish(true)
}

fn labels(all: &mut Collector<'_>, block: &Block) {
    for label in &block.end_labels {
        all.declare(label, OutlineKind::Label, String::new());
    }
}

fn statement(all: &mut Collector<'_>, statement: &Statement) {
    for label in &statement.labels {
        all.declare(label, OutlineKind::Label, String::new());
    }
    for block in statement.blocks() {
        labels(all, block);
    }
    match &statement.kind {
        StatementKind::Assign(name, _) | StatementKind::Havoc(name) => {
            all.written.insert(name.span);
        }
        StatementKind::Assert(Some(name), _) => {
            all.declare(name, OutlineKind::Property, String::new());
        }
        _ => {}
    }
    for expression in statement.expressions() {
        all.expression(expression);
    }
}
