//! From statements as written to statements with terms.

use super::ast::{self, Condition, StatementKind};
use super::core::{Action, Arm, Block, Choice, Node, NodeKind};
use super::declare::Declared;
use super::text::one_line;
use crate::elaborate::{Elaborated, Entity};
use crate::syntax::{Expr, Name, Reported};
use sectile_base::{Diagnostic, Source, Span};
use sectile_model::Property;
use sectile_terms::{Symbol, SymbolKind, Term};

/// An assertion, before its location is known.
pub struct Assertion {
    pub name: String,
    pub formula: Term,
    pub span: Span,
}

/// The statements with their assertions. Mistakes are added to the diagnostics, and the
/// statements that have them are left out.
pub fn resolve(
    source: &Source,
    declared: &mut Declared<'_>,
    body: &ast::Block,
) -> (Block, Vec<Assertion>) {
    let mut resolver = Resolver {
        source,
        declared,
        assertions: Vec::new(),
        unnamed: 0,
    };
    let block = resolver.block(body);
    (block, resolver.assertions)
}

struct Resolver<'r, 't> {
    source: &'r Source,
    declared: &'r mut Declared<'t>,
    assertions: Vec<Assertion>,
    unnamed: usize,
}

impl Resolver<'_, '_> {
    fn block(&mut self, block: &ast::Block) -> Block {
        let nodes = block.statements.iter().filter_map(|s| {
            let kind = self.statement(s).ok()?;
            Some(Node {
                labels: s.labels.clone(),
                kind,
                span: s.span,
            })
        });
        Block {
            nodes: nodes.collect(),
            end_labels: block.end_labels.clone(),
        }
    }

    fn statement(&mut self, statement: &ast::Statement) -> Elaborated<NodeKind> {
        let action = match &statement.kind {
            StatementKind::Assign(name, value) => {
                let symbol = self.target(name)?;
                let sort = self.declared.terms.symbol_sort(symbol);
                let value = self.declared.elaborator().expect(value, sort)?;
                Action::Assign(symbol, value)
            }
            StatementKind::Havoc(name) => {
                let symbol = self.target(name)?;
                Action::Havoc(symbol, self.input_for(symbol))
            }
            StatementKind::Test(formula) => {
                Action::Test(self.declared.elaborator().formula(formula)?)
            }
            StatementKind::Assert(name, formula) => {
                self.assertion(name.as_ref(), formula, statement.span)?
            }
            StatementKind::Skip => Action::Skip,
            StatementKind::If(branches, otherwise) => {
                let arms: Vec<_> = branches.iter().map(|b| self.arm(b)).collect();
                let otherwise = otherwise.as_ref().map(|b| self.block(b));
                let arms: Elaborated<Vec<Arm>> = arms.into_iter().collect();
                return Ok(NodeKind::If(arms?, otherwise.unwrap_or_default()));
            }
            StatementKind::While(condition, body) => {
                let choice = self.choice(condition);
                let body = self.block(body);
                return Ok(NodeKind::While(choice?, body));
            }
            StatementKind::Loop(body) => {
                let choice = self.free_choice();
                return Ok(NodeKind::While(choice, self.block(body)));
            }
            StatementKind::Block(body) => return Ok(NodeKind::Block(self.block(body))),
        };
        let text = one_line(self.source.slice(statement.span));
        Ok(NodeKind::Step(action, text))
    }

    fn arm(&mut self, branch: &ast::Branch) -> Elaborated<Arm> {
        let choice = self.choice(&branch.condition);
        let body = self.block(&branch.body);
        Ok(Arm {
            choice: choice?,
            body,
            span: branch.span,
        })
    }

    fn choice(&mut self, condition: &Condition) -> Elaborated<Choice> {
        let Condition::Formula(expr) = condition else {
            return Ok(self.free_choice());
        };
        let yes = self.declared.elaborator().formula(expr)?;
        let text = one_line(self.source.slice(expr.span));
        Ok(Choice {
            yes,
            no: self.declared.terms.not(yes),
            yes_text: format!("?{text}"),
            no_text: format!("?not ({text})"),
        })
    }

    fn free_choice(&self) -> Choice {
        let tt = self.declared.terms.tt();
        Choice {
            yes: tt,
            no: tt,
            yes_text: "?true".into(),
            no_text: "?true".into(),
        }
    }

    /// The variable that a name on the left of `:=` is.
    fn target(&mut self, name: &Name) -> Elaborated<Symbol> {
        let text = &name.text;
        let message = match self.declared.names.entity(text) {
            Some(Entity::Family(family)) => return Ok(family.symbols[0]),
            Some(_) => format!("`{text}` is a parameter and cannot be assigned"),
            None if !self.declared.names.variants(text).is_empty() => {
                format!("`{text}` is a value and cannot be assigned")
            }
            // Its declaration has a mistake, which was reported.
            None => return Err(Reported),
        };
        let diagnostic = Diagnostic::error("assignment", name.span, message);
        Err(self.declared.error(diagnostic))
    }

    /// The input whose value `x := *` gives to `x`; statements about one variable share it.
    fn input_for(&mut self, symbol: Symbol) -> Symbol {
        let terms = self.declared.terms;
        let sort = terms.symbol_sort(symbol);
        let mut name = format!("{}_any", terms.name(symbol));
        loop {
            let free = self.declared.names.entity(&name).is_none();
            if free && let Ok(input) = terms.declare(&name, sort, SymbolKind::Input) {
                return input;
            }
            name.push('_');
        }
    }

    fn assertion(&mut self, name: Option<&Name>, formula: &Expr, span: Span) -> Elaborated<Action> {
        let formula = self.declared.elaborator().formula(formula);
        let name = match name {
            Some(name) => name.text.to_string(),
            None => {
                self.unnamed += 1;
                format!("assert{}", self.unnamed)
            }
        };
        self.assertions.push(Assertion {
            name,
            formula: formula?,
            span,
        });
        Ok(Action::Assert(self.assertions.len() - 1))
    }
}

/// Adds a property unless its name is taken.
pub fn add_property(declared: &mut Declared<'_>, list: &mut Vec<Property>, property: Property) {
    if list.iter().any(|p| p.name == property.name) {
        let message = format!("there are two properties called `{}`", property.name);
        let diagnostic = Diagnostic::error("duplicate", property.span, message);
        declared.error(diagnostic.help("name them: `assert NAME: Q`, `always NAME: l => Q`"));
        return;
    }
    list.push(property);
}
