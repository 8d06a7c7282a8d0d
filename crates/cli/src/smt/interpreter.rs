//! Executes the commands of an SMT-LIB script.

use super::sorts::DeclaredSorts;
use sectile_base::{Budget, Diagnostic, Source};
use sectile_smtlib::{
    Command, CommandKind, Scope, Sexp, Tree, Undeclared, annotations, declare, parse_term_of, read,
    read_command, refuse_second_sort,
};
use sectile_solver::Assignment;
use sectile_solver::{Answer, Solver, SolverError};
use sectile_solver_native::interpolate::Settings;
use sectile_solver_native::refutation::Refutation;
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// Logics that the solver decides.
const LOGICS: &[&str] = &[
    "ALL",
    "QF_LRA",
    "QF_LIA",
    "QF_LIRA",
    "QF_IDL",
    "QF_RDL",
    "QF_AX",
    "QF_ALIA",
    "QF_ALIRA",
    "QF_UF",
    "QF_UFIDL",
    "QF_UFLIA",
    "QF_UFLRA",
    "QF_UFLIRA",
    "QF_AUFLIA",
    "QF_AUFLIRA",
];

/// Options of the user besides the script.
#[derive(Clone, Copy)]
pub struct RunOptions<'o> {
    /// The limits of each check.
    pub limits: &'o dyn Fn() -> Budget,
    /// How interpolants are computed.
    pub interpolation: Settings,
    /// Whether the interpolants of all methods are shown for comparison.
    pub compare: bool,
}

/// Receives the proof of a check, with its number from 1 on, as a script for other solvers.
pub type TakeProof<'p> = &'p mut dyn FnMut(usize, &str);

/// Runs a script; every response goes to `respond`. Returns the number of commands that failed. If
/// `take` is given, it receives the proof of every `unsat`, as a script in which every answer must
/// be `unsat`.
pub fn run(
    text: &str,
    options: RunOptions<'_>,
    respond: &mut dyn FnMut(&str),
    mut take: Option<TakeProof<'_>>,
) -> usize {
    let terms = Terms::new();
    let source = Source::new("script", text);
    let tree = match read(text) {
        Ok(tree) => tree,
        Err(diagnostic) => {
            respond(&error_line(&source, &diagnostic));
            return 1;
        }
    };
    let mut interpreter = Interpreter::new(&terms, &tree, options);
    interpreter.explaining = take.is_some();
    let mut errors = 0;
    for &e in tree.roots() {
        let command = read_command(&tree, e).map(|kind| Command {
            kind,
            span: tree.span(e),
        });
        let told = command.as_ref().map_or(true, |c| tells(&c.kind));
        let result = command.and_then(|command| {
            let end = command.kind == CommandKind::Exit;
            interpreter.execute(&command, respond)?;
            if let Some(take) = take.as_deref_mut() {
                interpreter.explain(&command, take)?;
            }
            Ok(end)
        });
        match result {
            Ok(true) => break,
            Ok(false) => {}
            Err(diagnostic) => {
                errors += 1;
                if told {
                    interpreter.record_failure();
                }
                respond(&error_line(&source, &diagnostic));
            }
        }
    }
    errors
}

/// Whether a command changes the state of the solver. A failed query does no harm.
fn tells(kind: &CommandKind<'_>) -> bool {
    !matches!(
        kind,
        CommandKind::CheckSat
            | CommandKind::CheckSatAssuming(_)
            | CommandKind::Echo(_)
            | CommandKind::Exit
            | CommandKind::GetAssertions
            | CommandKind::GetAssignment
            | CommandKind::GetInfo(_)
            | CommandKind::GetInterpolants(_)
            | CommandKind::GetModel
            | CommandKind::GetOption(_)
            | CommandKind::GetProof
            | CommandKind::GetUnsatAssumptions
            | CommandKind::GetUnsatCore
            | CommandKind::GetValue(_)
            | CommandKind::SetInfo(..)
            | CommandKind::SetOption(..)
    )
}

/// `(error "line 3 column 7: ...")`, with quotes doubled as SMT-LIB wants it.
fn error_line(source: &Source, diagnostic: &Diagnostic) -> String {
    let at = source.position(diagnostic.span.start);
    let help = diagnostic.help.as_ref().map(|h| format!("; {h}"));
    let text = format!(
        "line {} column {}: {}{}",
        at.line,
        at.column,
        diagnostic.message,
        help.unwrap_or_default()
    );
    format!("(error \"{}\")", text.replace('"', "\"\""))
}

/// An active assertion.
#[derive(Clone, Debug)]
pub(crate) struct Assertion {
    pub name: Option<String>,
    pub formula: Term,
    /// Its number in proofs, if it was passed to the solver.
    pub partition: Option<u32>,
}

/// The result of the last check, as long as nothing has been asserted since.
pub(crate) enum Last {
    Nothing,
    Sat(Assignment),
    Unsat {
        core: Vec<Term>,
        assumptions: Vec<Term>,
    },
    Unknown(String),
}

/// Options set by the script.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub success: bool,
    pub proofs: bool,
    pub cores: bool,
}

/// A constant or function declared by the script.
pub(crate) struct Declared {
    pub symbol: Symbol,
    /// Its counterpart with the sorts that the script declares.
    pub sorted: Option<Symbol>,
}

pub(crate) struct Interpreter<'t, 's> {
    pub terms: &'t Terms,
    pub tree: &'t Tree<'s>,
    pub scope: Scope,
    pub declared: Vec<Declared>,
    /// The sorts declared by the script, if there are any.
    pub sorts: Option<DeclaredSorts>,
    pub assertions: Vec<Assertion>,
    /// Lengths of `declared` and `assertions` at every push.
    marks: Vec<(usize, usize)>,
    solver: Option<NativeSolver<'t>>,
    pub last: Last,
    pub wanted: Wanted,
    logic: Option<String>,
    pub options: RunOptions<'t>,
    /// Every formula passed to the solver, by its number; `true` for popped ones.
    pub told: Vec<Term>,
    /// Whether proofs are kept because the caller wants them, regardless of the script.
    explaining: bool,
    /// The number of checks so far.
    pub checks: usize,
    /// The smallest number of open scopes at which a command failed: until that scope is closed,
    /// the solver does not know everything in the script.
    failed_scope: Option<usize>,
}

impl<'t, 's> Interpreter<'t, 's> {
    fn new(terms: &'t Terms, tree: &'t Tree<'s>, options: RunOptions<'t>) -> Self {
        Interpreter {
            terms,
            tree,
            scope: Scope::new(Undeclared::Refused),
            declared: Vec::new(),
            sorts: DeclaredSorts::of(tree),
            assertions: Vec::new(),
            marks: Vec::new(),
            solver: None,
            last: Last::Nothing,
            wanted: Wanted::default(),
            logic: None,
            options,
            told: Vec::new(),
            explaining: false,
            checks: 0,
            failed_scope: None,
        }
    }

    /// Records that a command of the innermost scope failed.
    fn record_failure(&mut self) {
        let scopes = self.marks.len();
        self.failed_scope = Some(self.failed_scope.map_or(scopes, |m| m.min(scopes)));
        self.last = Last::Nothing;
    }

    pub fn budget(&self) -> Budget {
        (self.options.limits)()
    }

    pub fn fail(&self, command: &Command<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("smt", command.span, message)
    }

    fn execute(
        &mut self,
        command: &Command<'_>,
        respond: &mut dyn FnMut(&str),
    ) -> Result<(), Diagnostic> {
        let answer = self.answer(command)?;
        match answer {
            Some(text) => respond(&text),
            None if self.wanted.success => respond("success"),
            None => {}
        }
        Ok(())
    }

    /// Executes a command; returns `None` if it has no answer of its own.
    fn answer(&mut self, command: &Command<'_>) -> Result<Option<String>, Diagnostic> {
        match &command.kind {
            CommandKind::SetLogic(name) => self.set_logic(command, name)?,
            CommandKind::SetOption(name, value) => return self.set_option(command, name, *value),
            CommandKind::SetInfo(..) | CommandKind::Exit => {}
            CommandKind::DeclareFun { .. }
            | CommandKind::DefineFun { .. }
            | CommandKind::DefineSort(..) => self.declare(command)?,
            CommandKind::DeclareSort(name, arguments) => {
                self.declare_sort(command, name, *arguments)?;
            }
            CommandKind::Assert(e) => self.assert(*e)?,
            CommandKind::Push(n) => (0..*n).for_each(|_| self.push()),
            CommandKind::Pop(n) => self.pop(command, *n)?,
            CommandKind::CheckSat => return self.check(command, &[]).map(Some),
            CommandKind::CheckSatAssuming(list) => {
                let assumptions: Result<Vec<Term>, Diagnostic> =
                    list.iter().map(|&e| self.formula(e)).collect();
                return self.check(command, &assumptions?).map(Some);
            }
            CommandKind::ResetAssertions => self.reset_assertions(),
            CommandKind::Reset => {
                self.reset_assertions();
                self.wanted = Wanted::default();
                self.logic = None;
            }
            CommandKind::Echo(text) => {
                return Ok(Some(format!("\"{}\"", text.replace('"', "\"\""))));
            }
            CommandKind::GetModel => return self.get_model(command).map(Some),
            CommandKind::GetValue(list) => return self.get_value(command, list).map(Some),
            CommandKind::GetAssertions => return Ok(Some(self.get_assertions())),
            CommandKind::GetUnsatCore => return self.get_unsat_core(command).map(Some),
            CommandKind::GetUnsatAssumptions => {
                return self.get_unsat_assumptions(command).map(Some);
            }
            CommandKind::GetProof => return self.get_proof(command).map(Some),
            CommandKind::GetInterpolants(list) => {
                return self.get_interpolants(command, list).map(Some);
            }
            CommandKind::GetInfo(name) => return Ok(Some(self.get_info(name))),
            CommandKind::GetAssignment | CommandKind::GetOption(_) => {
                return Ok(Some("unsupported".to_string()));
            }
            CommandKind::DeclareDatatypes(_) => {
                return Err(self.fail(command, "data types are not supported"));
            }
            CommandKind::DeclareRel(..)
            | CommandKind::DeclareVar(..)
            | CommandKind::Rule(_)
            | CommandKind::Query(_) => {
                return Err(self
                    .fail(command, "fixed-point commands are not for the solver")
                    .help("`sectile check` reads Horn clauses"));
            }
        }
        Ok(None)
    }

    fn set_logic(&mut self, command: &Command<'_>, name: &str) -> Result<(), Diagnostic> {
        if !LOGICS.contains(&name) {
            let help = format!("the solver decides {}", LOGICS.join(", "));
            let message = format!("the logic {name} is not supported");
            return Err(self.fail(command, message).help(help));
        }
        self.logic = Some(name.to_string());
        Ok(())
    }

    fn set_option(
        &mut self,
        command: &Command<'_>,
        name: &str,
        value: Option<Sexp>,
    ) -> Result<Option<String>, Diagnostic> {
        let on = value.and_then(|v| self.tree.symbol(v)) == Some("true");
        let late = |what: &str| {
            let message = format!("{what} must be asked for before the first assertion");
            Err(self.fail(command, message))
        };
        let flag = match name.trim_start_matches(':') {
            "produce-proofs" if self.solver.is_some() => return late("proofs"),
            "produce-unsat-cores" if self.solver.is_some() => return late("cores"),
            "print-success" => &mut self.wanted.success,
            "produce-proofs" => &mut self.wanted.proofs,
            "produce-unsat-cores" => &mut self.wanted.cores,
            "produce-models"
            | "produce-interpolants"
            | "produce-unsat-assumptions"
            | "interactive-mode"
            | "produce-assertions" => return Ok(None),
            _ => return Ok(Some("unsupported".to_string())),
        };
        *flag = on;
        Ok(None)
    }

    fn declare(&mut self, command: &Command<'_>) -> Result<(), Diagnostic> {
        let Command { kind, span } = command;
        let state = SymbolKind::State;
        let sorted = match &mut self.sorts {
            Some(sorts) => sorts.declare(self.tree, kind, *span)?,
            None => None,
        };
        let symbol = declare(self.terms, self.tree, kind, *span, state, &mut self.scope)?;
        self.declared
            .extend(symbol.map(|symbol| Declared { symbol, sorted }));
        Ok(())
    }

    fn declare_sort(
        &mut self,
        command: &Command<'_>,
        name: &str,
        arguments: usize,
    ) -> Result<(), Diagnostic> {
        if arguments > 0 {
            return Err(self.fail(command, "sorts with arguments are not supported"));
        }
        refuse_second_sort(&self.scope, name, command.span)?;
        self.scope.define_sort(name, Sort::Int);
        if let Some(sorts) = &mut self.sorts {
            sorts.declare_sort(name);
        }
        Ok(())
    }

    pub fn formula(&mut self, e: Sexp) -> Result<Term, Diagnostic> {
        if let Some(sorts) = &mut self.sorts {
            sorts.check_formula(self.tree, e)?;
        }
        parse_term_of(self.terms, self.tree, e, &mut self.scope, Sort::Bool)
    }

    fn solver(&mut self) -> &mut NativeSolver<'t> {
        let proofs = self.wanted.proofs || self.explaining;
        let terms = self.terms;
        self.solver
            .get_or_insert_with(|| NativeSolver::with_options(terms, Options { proofs }))
    }

    /// The refutation behind the last answer, which was `unsat`. The solver has not been used
    /// since: an assertion or a pop discards the answer.
    pub fn refutation(&self) -> Option<Refutation> {
        self.solver.as_ref()?.refutation()
    }

    fn assert(&mut self, e: Sexp) -> Result<(), Diagnostic> {
        let formula = self.formula(e)?;
        let is_annotated = self
            .tree
            .list(e)
            .is_some_and(|l| l.first().and_then(|&h| self.tree.symbol(h)) == Some("!"));
        let name = annotations(self.tree, e)
            .filter(|_| is_annotated)
            .find(|(key, _)| key.trim_start_matches(':') == "named")
            .and_then(|(_, value)| value.and_then(|v| self.tree.symbol(v)))
            .map(ToString::to_string);
        self.last = Last::Nothing;
        // With cores, named assertions are assumed at every check instead.
        let mut partition = None;
        if name.is_none() || !self.wanted.cores {
            let number = self.solver().assert_partition(formula);
            self.told.resize(number as usize + 1, self.terms.tt());
            self.told[number as usize] = formula;
            partition = Some(number);
        }
        self.assertions.push(Assertion {
            name,
            formula,
            partition,
        });
        Ok(())
    }

    fn push(&mut self) {
        self.last = Last::Nothing;
        self.marks
            .push((self.declared.len(), self.assertions.len()));
        self.scope.push();
        self.sorts.iter_mut().for_each(DeclaredSorts::push);
        self.solver().push();
    }

    fn pop(&mut self, command: &Command<'_>, n: usize) -> Result<(), Diagnostic> {
        if n > self.marks.len() {
            return Err(self.fail(command, "there are not that many scopes"));
        }
        self.last = Last::Nothing;
        for _ in 0..n {
            let Some((declared, assertions)) = self.marks.pop() else {
                break;
            };
            self.declared.truncate(declared);
            for popped in self.assertions.drain(assertions..) {
                if let Some(number) = popped.partition {
                    self.told[number as usize] = self.terms.tt();
                }
            }
            self.scope.pop();
            self.sorts.iter_mut().for_each(DeclaredSorts::pop);
            self.solver().pop();
        }
        self.failed_scope = self.failed_scope.filter(|m| *m <= self.marks.len());
        Ok(())
    }

    fn reset_assertions(&mut self) {
        self.scope = Scope::new(Undeclared::Refused);
        self.sorts.iter_mut().for_each(DeclaredSorts::reset);
        self.declared.clear();
        self.assertions.clear();
        self.marks.clear();
        self.told.clear();
        self.solver = None;
        self.last = Last::Nothing;
        self.failed_scope = None;
    }

    fn check(&mut self, command: &Command<'_>, given: &[Term]) -> Result<String, Diagnostic> {
        if self.failed_scope.is_some() {
            self.checks += 1;
            self.last = Last::Unknown("an earlier command failed".to_string());
            return Ok("unknown".to_string());
        }
        let named = self.assertions.iter().filter(|a| a.partition.is_none());
        let mut assumptions: Vec<Term> = named.map(|a| a.formula).collect();
        assumptions.extend(given);
        let variables = self.declared.iter().map(|d| (d.symbol, Stage::Now));
        let variables: Vec<(Symbol, Stage)> = variables.collect();
        let budget = self.budget();
        let terms = self.terms;
        self.checks += 1;
        self.solver();
        let Some(solver) = self.solver.as_mut() else {
            unreachable!("the solver was just made")
        };
        let last = match solver.check(&assumptions, &budget) {
            Ok(Answer::Sat(model)) => Last::Sat(model.snapshot(terms, &variables)),
            Ok(Answer::Unsat(refutation)) => Last::Unsat {
                core: refutation.core(),
                assumptions,
            },
            Ok(Answer::Unknown(why)) => Last::Unknown(format!("{why:?}")),
            Err(SolverError::Unsupported(what)) => {
                return Err(self.fail(command, format!("the solver does not support {what}")));
            }
            Err(error) => return Err(self.fail(command, error.to_string())),
        };
        let text = match &last {
            Last::Sat(_) => "sat",
            Last::Unsat { .. } => "unsat",
            Last::Unknown(_) | Last::Nothing => "unknown",
        };
        self.last = last;
        Ok(text.to_string())
    }
}
