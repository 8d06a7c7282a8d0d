//! A thread in which one engine works, on its own copy of the model.

use crate::check::CheckOptions;
use crate::portfolio::Member;
use crate::registry;
use crate::session::{Decided, Session};
use sectile_base::{Budget, Source, Turns};
use sectile_certify::Claim;
use sectile_engine::{Board, Event, Interest, Observer, Statistics};
use sectile_model::{Certificate, Invariants, Module, Task};
use sectile_solver::{CountedBackend, QueryCount};
use sectile_terms::Terms;
use sectile_transform::Applied;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;

/// One property of a file, in a store of its own: the input of an engine's thread.
pub(crate) struct Job {
    pub terms: Terms,
    pub module: Module,
    /// The result of the passes that every engine needs.
    pub reduced: Option<Applied>,
    /// The graph of blocks that the engine wants, if other engines want it, too.
    pub graph: Option<Applied>,
    pub source: Source,
    /// The position of the property in the file.
    pub position: usize,
    pub options: CheckOptions,
    pub interest: Interest,
    /// The engine's view of the portfolio's board.
    pub board: Option<Board>,
    /// The engine's turns, unless it runs alone.
    pub turns: Option<Turns>,
}

/// A message from a thread to the one that started it.
pub(crate) enum Message {
    /// An event of an engine.
    Event(usize, Event),
    /// An engine waits for its next turn.
    Paused(usize),
    /// An engine is done.
    Ended(usize, Box<Ended>),
}

/// The result of an engine's thread.
pub(crate) struct Ended {
    /// The result, or the failure inside the engine.
    pub decided: Result<Decided, String>,
    /// The store of the certificate.
    pub terms: Terms,
    pub statistics: Statistics,
    pub solver_calls: u64,
    pub solver_seconds: f64,
}

impl Ended {
    /// The invariants that prove the property, if the result is such a proof.
    pub fn proof(&self) -> Option<&Invariants> {
        match &self.decided.as_ref().ok()?.certificate {
            Some((Claim::Holds, Certificate::Invariants(proof))) => Some(proof),
            _ => None,
        }
    }
}

/// Stack size of threads: that of the main thread on most systems.
const STACK: usize = 16 << 20;

/// Starts the thread. It is never joined: when the receiver is gone, nothing waits for it. Without
/// threads the work is done when this returns.
pub(crate) fn start(
    index: usize,
    member: Member,
    job: Job,
    budget: Budget,
    sender: Sender<Message>,
) -> std::io::Result<()> {
    let (name, threads) = (member.engine.to_string(), job.options.threads);
    let work = move || {
        let mut observer = Sending {
            index,
            interest: job.interest,
            sender,
            statistics: Statistics::default(),
        };
        // A panic is a bug of one engine; the others may still answer.
        let work = AssertUnwindSafe(|| job.work(&member, &budget, &mut observer));
        let ended = catch_unwind(work).unwrap_or_else(|payload| Ended {
            decided: Err(panic_text(payload.as_ref())),
            ..Ended::default()
        });
        // Later work on these terms must not wait for a turn of this engine, which has ended.
        job.terms.count_no_more();
        let ended = Ended {
            terms: job.terms,
            statistics: observer.statistics,
            ..ended
        };
        // The receiver may be gone if another engine was faster.
        let _ = observer.sender.send(Message::Ended(index, Box::new(ended)));
    };
    if !threads {
        work();
        return Ok(());
    }
    let builder = std::thread::Builder::new().name(name).stack_size(STACK);
    builder.spawn(work).map(drop)
}

/// The message of a panic.
pub fn panic_text(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_string())
}

/// Sends events to the receiving thread, and counts for the statistics.
struct Sending {
    index: usize,
    interest: Interest,
    sender: Sender<Message>,
    statistics: Statistics,
}

impl Default for Ended {
    fn default() -> Ended {
        Ended {
            decided: Err(String::new()),
            terms: Terms::new(),
            statistics: Statistics::default(),
            solver_calls: 0,
            solver_seconds: 0.0,
        }
    }
}

impl Observer for Sending {
    fn event(&mut self, event: &Event) {
        self.statistics.event(event);
        let _ = self.sender.send(Message::Event(self.index, event.clone()));
    }

    fn interest(&self) -> Interest {
        self.interest
    }
}

/// Reports the solver time before every step, to observers of steps.
struct Timing<'o> {
    inner: &'o mut Sending,
    count: &'o QueryCount,
}

impl Observer for Timing<'_> {
    fn event(&mut self, event: &Event) {
        if let Event::Abstraction { .. } = event
            && self.inner.interest >= Interest::Pictures
        {
            let milliseconds = u64::try_from(self.count.time().as_millis()).unwrap_or(u64::MAX);
            self.inner.event(&Event::SolverTime { milliseconds });
        }
        self.inner.event(event);
    }

    fn interest(&self) -> Interest {
        self.inner.interest
    }
}

impl Job {
    /// The task.
    pub(crate) fn task(&self) -> Task<'_> {
        let property = &self.module.properties[self.position];
        Task::new(&self.terms, &self.module.model, property)
    }

    fn work(&self, member: &Member, budget: &Budget, observer: &mut Sending) -> Ended {
        let backend = self.options.backend().map_err(|e| e.to_string());
        let engine = registry::engine(member.engine).ok_or("the engine is not there".to_string());
        let (engine, backend) = match (engine, backend) {
            (Ok(engine), Ok(backend)) => (engine, backend),
            (Err(why), _) | (_, Err(why)) => {
                return Ended {
                    decided: Err(why),
                    ..Ended::default()
                };
            }
        };
        self.terms.count_on(budget);
        let counted = CountedBackend::new(backend.as_ref());
        let mut timing = Timing {
            inner: observer,
            count: counted.count(),
        };
        let session = Session {
            job: self,
            backend: &counted,
        };
        let decided = session.decide(engine.as_ref(), &member.settings, budget, &mut timing);
        Ended {
            decided,
            solver_calls: counted.count().calls(),
            solver_seconds: counted.count().time().as_secs_f64(),
            ..Ended::default()
        }
    }
}
