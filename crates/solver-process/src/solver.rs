//! The solver: assertions are kept here and sent to a process when there is a query.

use crate::dialect::Dialect;
use crate::live::{Frames, Live};
use crate::session::Failure;
use sectile_base::{Budget, Exhausted};
use sectile_smtlib::{Logic, NotPortable, Scope, Tree, Undeclared, parse_term_of, read};
use sectile_solver::{Answer, Assignment, Solver, SolverError, Undecided};
use sectile_terms::{Sort, Stage, Symbol, Term, Terms, Value};
use std::collections::BTreeMap;

/// A solver that is a process.
///
/// The process is started by the first query. It is killed when a limit is reached, and when this
/// value is dropped; the next query starts another one and tells it all assertions again.
pub struct ProcessSolver<'t> {
    terms: &'t Terms,
    dialect: Dialect,
    memory: Option<u64>,
    frames: Frames,
    live: Option<Live<'t>>,
    model: Assignment,
    /// The assumptions of the last refutation.
    core: Vec<Term>,
}

/// The result of a query, without a borrow of the solver.
enum Outcome {
    Sat,
    Unsat,
    Unknown(Undecided),
}

/// Why a query was aborted.
enum Stopped {
    Failure(Failure),
    Error(SolverError),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failure(failure)
    }
}

impl From<SolverError> for Stopped {
    fn from(error: SolverError) -> Stopped {
        Stopped::Error(error)
    }
}

impl From<NotPortable> for Stopped {
    fn from(error: NotPortable) -> Stopped {
        Stopped::Error(SolverError::Unsupported(error.to_string()))
    }
}

impl<'t> ProcessSolver<'t> {
    /// A solver that will use the program of the dialect, with at most this many bytes of memory.
    pub fn new(terms: &'t Terms, dialect: Dialect, memory: Option<u64>) -> ProcessSolver<'t> {
        ProcessSolver {
            terms,
            dialect,
            memory,
            frames: vec![Vec::new()],
            live: None,
            model: Assignment::default(),
            core: Vec::new(),
        }
    }

    /// The process id, if a process is running.
    pub fn process_id(&self) -> Option<u32> {
        self.live.as_ref().map(|live| live.session.id())
    }

    fn query(&mut self, assumptions: &[Term], budget: &Budget) -> Result<Outcome, Stopped> {
        let mut live = self.ready(assumptions)?;
        let result = self.ask(&mut live, assumptions, budget);
        if result.is_ok() {
            self.live = Some(live);
        }
        // After a failure the process is in an unknown state; dropping it kills it.
        result
    }

    /// A process for the assertions: the present one, or a new one.
    fn ready(&mut self, assumptions: &[Term]) -> Result<Live<'t>, Stopped> {
        let mut logic = Logic::default();
        if let Some(mut live) = self.live.take() {
            let mut new: Vec<Term> = live.unsent(&self.frames).collect();
            new.extend(assumptions);
            logic = Logic::of(self.terms, &new);
            if live.covers(&self.dialect, logic) && !live.session.has_ended() {
                return Ok(live);
            }
            logic = logic.join(live.logic);
        }
        let mut all: Vec<Term> = self.frames.iter().flatten().copied().collect();
        all.extend(assumptions);
        let logic = logic.join(Logic::of(self.terms, &all));
        Ok(Live::start(self.terms, &self.dialect, logic, self.memory)?)
    }

    fn ask(
        &mut self,
        live: &mut Live<'t>,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Outcome, Stopped> {
        live.catch_up(&self.frames)?;
        let proxies = live.proxies(assumptions)?;
        live.limit_time(&self.dialect, budget);
        let command = if proxies.is_empty() {
            "(check-sat)\n".to_string()
        } else {
            format!("(check-sat-assuming ({}))\n", proxies.join(" "))
        };
        live.session.send(command);
        let answer = self.receive(live, budget)?;
        Ok(match answer.as_str() {
            "sat" => {
                self.read_model(live, budget)?;
                Outcome::Sat
            }
            "unsat" => {
                self.read_core(live, assumptions, &proxies, budget)?;
                Outcome::Unsat
            }
            "unknown" | "timeout" => Outcome::Unknown(self.reason(live, budget)?),
            _ => return Err(self.nonsense(&answer).into()),
        })
    }

    /// The next answer other than `success`; an `(error ...)` answer becomes an error.
    fn receive(&self, live: &mut Live<'t>, budget: &Budget) -> Result<String, Stopped> {
        loop {
            let answer = live.session.receive(budget)?;
            if answer == "success" {
                continue;
            }
            if answer.starts_with("(error") {
                return Err(self.complaint(&answer));
            }
            return Ok(answer);
        }
    }

    fn complaint(&self, answer: &str) -> Stopped {
        if is_about_memory(answer) {
            return Failure::Exhausted(Exhausted::Memory).into();
        }
        let tree = read(answer).ok();
        let text = tree.as_ref().and_then(|tree| {
            let list = tree.list(*tree.roots().first()?)?;
            tree.string(*list.get(1)?)
        });
        let text = text.map_or_else(|| answer.to_string(), |t| t.trim().to_string());
        let name = &self.dialect.name;
        SolverError::Broken(format!("{name} says: {text}")).into()
    }

    fn nonsense(&self, answer: &str) -> SolverError {
        let shown: String = answer.chars().take(200).collect();
        let name = &self.dialect.name;
        SolverError::Broken(format!(
            "{name} answered `{shown}`, which makes no sense here"
        ))
    }

    /// Requests the values of all variables that the process knows.
    fn read_model(&mut self, live: &mut Live<'t>, budget: &Budget) -> Result<(), Stopped> {
        self.model = Assignment::default();
        let terms = self.terms;
        let is_array = |v: &(Symbol, Stage)| matches!(terms.symbol_sort(v.0), Sort::Array(_));
        let known = live.vocabulary.variables();
        let known: Vec<_> = known.filter(|v| !terms.is_function(v.0)).collect();
        let (arrays, others): (Vec<_>, Vec<_>) = known.into_iter().partition(is_array);
        let asked = others.iter().map(|&(s, g)| terms.var_at(s, g)).collect();
        let values = self.values(live, asked, budget)?;
        for ((symbol, stage), value) in others.into_iter().zip(values) {
            self.model.set(symbol, stage, value);
        }
        // Arrays may be printed in ways that are not SMT-LIB, different for each solver: their
        // values stay unknown.
        let asked: Vec<Term> = arrays.iter().map(|&(s, g)| terms.var_at(s, g)).collect();
        let (values, _) = self.answers(live, &asked, budget)?;
        for ((symbol, stage), value) in arrays.into_iter().zip(values) {
            if let Some(value) = value {
                self.model.set(symbol, stage, value);
            }
        }
        self.read_tables(live, budget)
    }

    /// The values of terms in the process.
    fn values(
        &mut self,
        live: &mut Live<'t>,
        asked: Vec<Term>,
        budget: &Budget,
    ) -> Result<Vec<Value>, Stopped> {
        let (values, answer) = self.answers(live, &asked, budget)?;
        let values: Option<Vec<Value>> = values.into_iter().collect();
        values.ok_or_else(|| self.nonsense(&answer).into())
    }

    /// The same, with nothing for unreadable values, and the text of the answer.
    fn answers(
        &mut self,
        live: &mut Live<'t>,
        asked: &[Term],
        budget: &Budget,
    ) -> Result<(Vec<Option<Value>>, String), Stopped> {
        if asked.is_empty() {
            return Ok((Vec::new(), String::new()));
        }
        let texts = asked.iter().map(|&t| live.vocabulary.text(t));
        let texts: Vec<String> = texts.collect();
        live.session
            .send(format!("(get-value ({}))\n", texts.join(" ")));
        let answer = self.receive(live, budget)?;
        match parse_values(self.terms, &answer, asked) {
            Some(values) => Ok((values, answer)),
            None => Err(self.nonsense(&answer).into()),
        }
    }

    /// Requests the values of functions at their applications; elsewhere they may be anything.
    fn read_tables(&mut self, live: &mut Live<'t>, budget: &Budget) -> Result<(), Stopped> {
        let terms = self.terms;
        let is_value = |t: &Term| !matches!(terms.sort(*t), Sort::Array(_));
        let applications = live.vocabulary.applications().filter_map(|t| {
            let (function, mut parts) = terms.application(t)?;
            parts.push(t);
            parts.iter().all(is_value).then_some((function, parts))
        });
        let applications: Vec<(Symbol, Vec<Term>)> = applications.collect();
        let asked = applications.iter().flat_map(|(_, parts)| parts);
        let mut values = self
            .values(live, asked.copied().collect(), budget)?
            .into_iter();
        for (function, parts) in applications {
            let mut arguments: Vec<Value> = values.by_ref().take(parts.len()).collect();
            let Some(result) = arguments.pop() else {
                break;
            };
            let known = self.model.get(function, Stage::Now).cloned();
            let empty = || Value::some_of(terms, terms.symbol_sort(function));
            let table = terms.entered(known.unwrap_or_else(empty), &arguments, result);
            self.model.set(function, Stage::Now, table);
        }
        Ok(())
    }

    /// Requests the core.
    fn read_core(
        &mut self,
        live: &mut Live<'t>,
        assumptions: &[Term],
        proxies: &[String],
        budget: &Budget,
    ) -> Result<(), Stopped> {
        self.core = assumptions.to_vec();
        if assumptions.is_empty() {
            return Ok(());
        }
        live.session.send("(get-unsat-assumptions)\n".to_string());
        let answer = match self.receive(live, budget) {
            // The whole set is a core too.
            Err(Stopped::Error(_)) if !self.dialect.cores => return Ok(()),
            received => received?,
        };
        let names = proxies.iter().map(String::as_str);
        let by_name: BTreeMap<&str, Term> = names.zip(assumptions.iter().copied()).collect();
        match parse_core(&answer, &by_name) {
            Some(core) => self.core = core,
            None if self.dialect.cores => return Err(self.nonsense(&answer).into()),
            None => {}
        }
        Ok(())
    }

    /// Requests the reason for a missing answer.
    fn reason(&self, live: &mut Live<'t>, budget: &Budget) -> Result<Undecided, Stopped> {
        live.session
            .send("(get-info :reason-unknown)\n".to_string());
        let answer = match self.receive(live, budget) {
            Ok(answer) => answer,
            Err(Stopped::Error(_)) => return Ok(Undecided::Incomplete("no reason given".into())),
            Err(stopped) => return Err(stopped),
        };
        let text = answer
            .trim_start_matches("(:reason-unknown")
            .trim_end_matches(')')
            .trim()
            .trim_matches('"');
        let mentions = |words: &[&str]| words.iter().any(|w| text.contains(w));
        Ok(if is_about_memory(text) {
            Exhausted::Memory.into()
        } else if mentions(&["timeout", "canceled", "interrupted"]) {
            Exhausted::Time.into()
        } else if mentions(&["resource"]) {
            Exhausted::Steps.into()
        } else {
            Undecided::Incomplete(text.to_string())
        })
    }
}

impl Solver for ProcessSolver<'_> {
    fn push(&mut self) {
        self.frames.push(Vec::new());
    }

    fn pop(&mut self) {
        if self.frames.len() < 2 {
            debug_assert!(false, "there is no scope to close");
            return;
        }
        self.frames.pop();
        if let Some(live) = &mut self.live {
            live.pop(self.frames.len());
        }
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        debug_assert_eq!(self.terms.sort(formula), Sort::Bool);
        let innermost = self.frames.last_mut();
        let innermost = innermost.expect("the outermost scope is never closed");
        innermost.push(formula);
        Ok(())
    }

    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError> {
        if let Err(exhausted) = budget.poll() {
            return Ok(Answer::Unknown(exhausted.into()));
        }
        match self.query(assumptions, budget) {
            Ok(Outcome::Sat) => Ok(Answer::Sat(&self.model)),
            Ok(Outcome::Unsat) => Ok(Answer::Unsat(&self.core)),
            Ok(Outcome::Unknown(why)) => Ok(Answer::Unknown(why)),
            Err(Stopped::Failure(Failure::Exhausted(e))) => Ok(Answer::Unknown(e.into())),
            Err(Stopped::Failure(Failure::Died(text))) if is_about_memory(&text) => {
                Ok(Answer::Unknown(Exhausted::Memory.into()))
            }
            Err(Stopped::Failure(Failure::Died(text))) => Err(SolverError::Broken(text)),
            Err(Stopped::Error(error)) => Err(error),
        }
    }
}

fn is_about_memory(text: &str) -> bool {
    text.contains("out of memory") || text.contains("memout")
}

/// The values in an answer to `get-value`, in the order of the terms; nothing for values that are
/// not SMT-LIB.
fn parse_values(terms: &Terms, answer: &str, asked: &[Term]) -> Option<Vec<Option<Value>>> {
    let tree = read(answer).ok()?;
    let pairs = tree.list(*tree.roots().first()?)?;
    if pairs.len() != asked.len() {
        return None;
    }
    let mut scope = Scope::new(Undeclared::Refused);
    let value_of = |(pair, asked): (&sectile_smtlib::Sexp, &Term)| {
        let &[_, value] = tree.list(*pair)? else {
            return None;
        };
        let sort = terms.sort(*asked);
        let term = parse_term_of(terms, &tree, value, &mut scope, sort).ok()?;
        Value::from_term(terms, term)
    };
    Some(pairs.iter().zip(asked).map(value_of).collect())
}

/// The assumptions named in an answer to `get-unsat-assumptions`.
fn parse_core(answer: &str, by_name: &BTreeMap<&str, Term>) -> Option<Vec<Term>> {
    let tree: Tree<'_> = read(answer).ok()?;
    let names = tree.list(*tree.roots().first()?)?;
    let term_of = |&e| by_name.get(tree.symbol(e)?).copied();
    names.iter().map(term_of).collect()
}
