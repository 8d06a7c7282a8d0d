//! A process together with the assertions that were sent to it.

use crate::dialect::Dialect;
use crate::session::{Failure, Session};
use sectile_base::Budget;
use sectile_smtlib::{Logic, NotPortable, Vocabulary};
use sectile_terms::{Term, Terms};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The scopes of assertions that a solver has, outermost first.
pub(crate) type Frames = Vec<Vec<Term>>;

/// Options set for every solver.
const PREAMBLE: &str = "(set-option :print-success false)
(set-option :produce-models true)
(set-option :produce-unsat-assumptions true)
";

/// A process, and the part of the assertions that it has.
pub(crate) struct Live<'t> {
    pub(crate) session: Session,
    pub(crate) vocabulary: Vocabulary<'t>,
    /// For every scope open in the process: how many assertions of it were sent.
    sent: Vec<usize>,
    /// For every scope open in the process: the assumptions with their Boolean names.
    proxies: Vec<BTreeMap<Term, String>>,
    /// The features of its logic.
    pub(crate) logic: Logic,
    /// The time limit in force in the process.
    limit: Option<String>,
}

impl<'t> Live<'t> {
    /// Starts a process that decides formulas of the logic.
    pub(crate) fn start(
        terms: &'t Terms,
        dialect: &Dialect,
        logic: Logic,
        memory: Option<u64>,
    ) -> Result<Live<'t>, Failure> {
        let session = Session::start(dialect, memory)?;
        let name = dialect.logic.unwrap_or(logic.name());
        session.send(format!("{PREAMBLE}(set-logic {name})\n"));
        Ok(Live {
            session,
            vocabulary: Vocabulary::new(terms),
            sent: vec![0],
            proxies: vec![BTreeMap::new()],
            logic,
            limit: None,
        })
    }

    /// Whether the process accepts formulas of this logic.
    pub(crate) fn covers(&self, dialect: &Dialect, logic: Logic) -> bool {
        dialect.logic.is_some() || self.logic.join(logic).name() == self.logic.name()
    }

    /// Mirrors a `pop` of the solver, from a scope at this depth.
    pub(crate) fn pop(&mut self, depth: usize) {
        // The process has fewer scopes than the solver if the last ones are empty.
        if self.sent.len() > depth {
            self.session.send("(pop 1)\n".to_string());
            self.sent.pop();
            self.proxies.pop();
            self.vocabulary.pop();
        }
    }

    /// The assertions that were not sent yet.
    pub(crate) fn unsent<'f>(&self, frames: &'f Frames) -> impl Iterator<Item = Term> + 'f {
        let sent = self.sent.clone();
        frames.iter().enumerate().flat_map(move |(i, frame)| {
            let known = sent.get(i).copied().unwrap_or(0);
            frame[known..].iter().copied()
        })
    }

    /// Sends all assertions that were not sent yet.
    pub(crate) fn catch_up(&mut self, frames: &Frames) -> Result<(), NotPortable> {
        let mut text = String::new();
        // Empty scopes at the end are opened only when something is asserted in them.
        let used = frames.iter().rposition(|f| !f.is_empty());
        for (i, frame) in frames[..used.map_or(0, |i| i + 1)].iter().enumerate() {
            if i == self.sent.len() {
                text.push_str("(push 1)\n");
                self.sent.push(0);
                self.proxies.push(BTreeMap::new());
                self.vocabulary.push();
            }
            let new = &frame[self.sent[i]..];
            self.vocabulary.introduce(new, &mut text)?;
            for &formula in new {
                let formula = self.vocabulary.text(formula);
                // Writing to a String cannot fail.
                let _ = writeln!(text, "(assert {formula})");
            }
            self.sent[i] = frame.len();
        }
        self.session.send(text);
        Ok(())
    }

    /// Boolean names for the assumptions: `check-sat-assuming` takes nothing else.
    pub(crate) fn proxies(&mut self, assumptions: &[Term]) -> Result<Vec<String>, NotPortable> {
        let mut names = Vec::new();
        for &assumption in assumptions {
            let known = self.proxies.iter().find_map(|p| p.get(&assumption));
            if let Some(name) = known {
                names.push(name.clone());
                continue;
            }
            let mut text = String::new();
            self.vocabulary.introduce(&[assumption], &mut text)?;
            let formula = self.vocabulary.text(assumption);
            let name = format!("$a{}", self.vocabulary.fresh_number());
            // Writing to a String cannot fail.
            let _ = writeln!(text, "(declare-fun {name} () Bool)");
            let _ = writeln!(text, "(assert (=> {name} {formula}))");
            self.session.send(text);
            let innermost = self.proxies.last_mut();
            let innermost = innermost.expect("the outermost scope is open");
            innermost.insert(assumption, name.clone());
            names.push(name);
        }
        Ok(names)
    }

    /// Sets the time limit of the next query, if the program supports one: a little less than the
    /// remaining time, so that the process ends the query itself and need not be killed.
    pub(crate) fn limit_time(&mut self, dialect: &Dialect, budget: &Budget) {
        let Some((option, never)) = dialect.time else {
            return;
        };
        let left = budget.remaining();
        let limit = left.map(|left| left - (left / 10).min(Duration::from_millis(50)));
        let limit = match limit {
            // The option is a 32-bit number of milliseconds, the largest of which means unlimited.
            Some(time) if time < Duration::from_secs(4_000_000) => {
                time.as_millis().max(1).to_string()
            }
            Some(_) | None => never.to_string(),
        };
        if self.limit.as_deref().unwrap_or(never) != limit {
            let text = format!("(set-option {option} {limit})\n");
            self.session.send(text);
            self.limit = Some(limit);
        }
    }
}
