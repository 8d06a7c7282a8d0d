//! Checks a model, within limits.

use super::error::Error;
use super::event::{Detail, Event};
use super::model::Model;
use super::outcome::Outcome;
use sectile_base::Stopper;
use sectile_driver::{CheckOptions, Checked, Progress};
use sectile_engine::{Interest, Observer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A handle that ends checks, from any thread. Clones share their state.
///
/// ```
/// use sectile::{Cancel, Check, Language, Model, Verdict};
///
/// let model = Model::read(Language::Sct, "var x : int = 0\nup: true --> x := x + 1\ninvariant p: x >= 0")?;
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let outcome = Check::new(&model).cancel(&cancel).run()?;
/// assert_eq!(outcome.verdict(), Verdict::Unknown);
/// assert_eq!(outcome.properties()[0].reason(), Some("cancelled"));
/// # Ok::<(), sectile::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    flag: AtomicBool,
    running: Mutex<Vec<Stopper>>,
}

impl Cancel {
    /// A handle that has not been used yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends everything that was given this handle, now or later: undecided properties become
    /// unknown.
    pub fn cancel(&self) {
        let running = self.0.running.lock();
        self.0.flag.store(true, Ordering::Release);
        let running = running.unwrap_or_else(PoisonError::into_inner);
        running.iter().for_each(Stopper::stop);
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::Acquire)
    }

    /// Stops a computation when the handle is used, or at once if it has been.
    pub(crate) fn also_stops(&self, stopper: Stopper) {
        let running = self.0.running.lock();
        let mut running = running.unwrap_or_else(PoisonError::into_inner);
        if self.is_cancelled() {
            stopper.stop();
        }
        running.push(stopper);
    }
}

type Callback<'c> = Box<dyn FnMut(&Event<'_>) + 'c>;

/// A check to be run: what to check in a model, and within which limits.
///
/// ```
/// use sectile::{Check, Language, Model, Verdict, What};
/// use std::time::Duration;
///
/// let model = Model::read(
///     Language::Sct,
///     "var x : int = 0\nvar y : int = 0
///      step: true --> x := x + 1, y := y + 2
///      invariant twice: y = 2 * x",
/// )?;
/// let mut engines = Vec::new();
/// let outcome = Check::new(&model)
///     .property("twice")
///     .timeout(Duration::from_secs(10))
///     .memory(2 << 30)
///     .observe(|event| {
///         if let What::Started { engine, .. } = event.what() {
///             engines.push(engine.to_string());
///         }
///     })
///     .run()?;
/// assert_eq!(outcome.verdict(), Verdict::Holds);
/// assert!(engines.contains(&outcome.properties()[0].engine().to_string()));
/// # Ok::<(), sectile::Error>(())
/// ```
pub struct Check<'c> {
    model: &'c Model,
    options: CheckOptions,
    predicates: Vec<String>,
    detail: Detail,
    callback: Option<Callback<'c>>,
}

impl std::fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Check");
        shown.field("model", self.model);
        shown.finish_non_exhaustive()
    }
}

impl<'c> Check<'c> {
    /// A check of all properties of a model, without limits.
    pub fn new(model: &'c Model) -> Check<'c> {
        let options = CheckOptions {
            minimise: true,
            ..CheckOptions::default()
        };
        Check::with(model, options)
    }

    /// For the command line, which has more options.
    #[doc(hidden)]
    pub fn with(model: &'c Model, options: CheckOptions) -> Check<'c> {
        Check {
            model,
            options,
            predicates: Vec::new(),
            detail: Detail::default(),
            callback: None,
        }
    }

    /// Adds a property to check. Without any, all are checked.
    pub fn property(mut self, name: impl Into<String>) -> Check<'c> {
        self.options.properties.push(name.into());
        self
    }

    /// Adds an engine to use. Without any, all that suit the model take turns. `sectile engines`
    /// lists them.
    pub fn engine(mut self, name: impl Into<String>) -> Check<'c> {
        self.options.engines.push(name.into());
        self
    }

    /// Sets an option of engines, as `--set NAME=VALUE` does.
    pub fn set(mut self, name: impl Into<String>, value: impl ToString) -> Check<'c> {
        self.options.settings.set(name, value.to_string());
        self
    }

    /// Adds predicates over the state that engines should try first, as conditions in the language
    /// of the model, separated by `;`.
    pub fn predicates(mut self, text: impl Into<String>) -> Check<'c> {
        self.predicates.push(text.into());
        self
    }

    /// Limits the time for each property. What is not decided by then is unknown.
    ///
    /// The limit is checked once the engines have been chosen, which takes milliseconds unless the
    /// model is huge.
    pub fn timeout(mut self, time: Duration) -> Check<'c> {
        self.options.timeout = Some(time);
        self
    }

    /// Limits the memory of the whole process, in bytes. A property is unknown if the limit is
    /// exceeded during its check.
    pub fn memory(mut self, bytes: u64) -> Check<'c> {
        self.options.memory = Some(bytes);
        self
    }

    /// Sets how many engines work at the same time; the default is 1. With one, the outcome of a
    /// check that reaches no limit depends only on the model and the seed.
    pub fn jobs(mut self, jobs: usize) -> Check<'c> {
        self.options.jobs = jobs.max(1);
        self
    }

    /// Sets the seed for all random choices; the default is 0.
    pub fn seed(mut self, seed: u64) -> Check<'c> {
        self.options.seed = seed;
        self
    }

    /// Chooses the solver: `native`, the embedded one (the default), `z3`, `cvc5`, or a command line
    /// that speaks SMT-LIB. Verdicts then depend on that solver.
    pub fn solver(mut self, solver: impl Into<String>) -> Check<'c> {
        self.options.solver = solver.into();
        self
    }

    /// Sets whether proofs are minimised, which takes some time; the default is true.
    pub fn short_proofs(mut self, wanted: bool) -> Check<'c> {
        self.options.minimise = wanted;
        self
    }

    /// Ends the check at the first violated property.
    pub fn first_violation(mut self) -> Check<'c> {
        self.options.first_violation = true;
        self
    }

    /// Sets a handle that ends the check.
    pub fn cancel(self, handle: &Cancel) -> Check<'c> {
        handle.also_stops(self.options.budget.stopper());
        self
    }

    /// Calls a function for every event, on the thread that runs the check.
    pub fn observe(mut self, callback: impl FnMut(&Event<'_>) + 'c) -> Check<'c> {
        self.callback = Some(Box::new(callback));
        self
    }

    /// Sets how detailed the events are.
    pub fn detail(mut self, detail: Detail) -> Check<'c> {
        self.detail = detail;
        self
    }

    /// Runs the check.
    pub fn run(mut self) -> Result<Outcome, Error> {
        let mut listener = Listener {
            begun: Instant::now(),
            interest: self.detail.interest(),
            callback: self.callback.take(),
        };
        let model = self.model;
        let checked = self.told(&mut listener, &mut |_| {})?;
        Outcome::new(model, checked)
    }

    /// Runs the check with an observer of the engines themselves, for the command line: it prints
    /// verdicts as they come, and keeps evidence that failed its own check.
    #[doc(hidden)]
    pub fn told(
        mut self,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Checked, Error> {
        let loaded = self.model.loaded();
        for text in &self.predicates {
            let read = loaded.formulas("<predicates>", text)?;
            self.options.predicates.extend(read);
        }
        Ok(sectile_driver::check_each(
            loaded,
            &self.options,
            observer,
            tell,
        )?)
    }
}

/// Passes events on to a function.
struct Listener<'c> {
    begun: Instant,
    interest: Interest,
    callback: Option<Callback<'c>>,
}

impl Observer for Listener<'_> {
    fn event(&mut self, event: &sectile_engine::Event) {
        if let Some(callback) = &mut self.callback {
            let seconds = self.begun.elapsed().as_secs_f64();
            callback(&Event { event, seconds });
        }
    }

    fn interest(&self) -> Interest {
        match self.callback.is_some() {
            true => self.interest,
            false => Interest::Counters,
        }
    }
}
