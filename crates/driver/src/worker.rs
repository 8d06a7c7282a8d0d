//! A thread in which one engine works, on its own reading of the file.

use crate::load::{Loaded, load_text};
use crate::parcel::Parcel;
use crate::registry;
use crate::session::{Care, Decided, Session};
use sectile_base::{Budget, Source};
use sectile_engine::{Event, Interest, Observer, Settings, Statistics};
use sectile_frontend::Frontend;
use sectile_model::Task;
use sectile_solver::CountedBackend;
use sectile_solver_native::interpolate::Method;
use sectile_terms::{Term, Terms};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// What all engines on one property are told.
pub(crate) struct Orders {
    pub name: String,
    pub text: String,
    pub frontend: &'static dyn Frontend,
    pub parameters: Vec<(String, String)>,
    /// Whether formulas speak of infinite paths only.
    pub infinite_paths: bool,
    /// The position of the property in the file.
    pub property: usize,
    pub solver: String,
    pub interpolation: Option<Method>,
    pub memory: Option<u64>,
    pub seed: u64,
    pub care: Care,
    pub interest: Interest,
}

/// What one of them is told besides.
pub(crate) struct Assignment {
    pub index: usize,
    pub engine: &'static str,
    pub settings: Settings,
    pub budget: Budget,
    pub predicates: Parcel,
    pub lemmas: Parcel,
    /// Formulas that other engines came upon, in the native language: lemmas that may hold.
    pub facts: Vec<String>,
    pub orders: Arc<Orders>,
    pub sender: Sender<Message>,
}

/// What a thread tells the one that started it.
pub(crate) enum Message {
    /// Something happened in the work of an engine.
    Event(usize, Event),
    /// An engine waits for its next turn.
    Paused(usize),
    /// An engine is done.
    Ended(usize, Box<Ended>),
}

/// What an engine leaves.
pub(crate) struct Ended {
    /// The result, or what went wrong inside the engine.
    pub decided: Result<Decided, String>,
    /// The store of the certificate.
    pub terms: Terms,
    pub statistics: Statistics,
    pub solver_calls: u64,
    pub solver_seconds: f64,
}

/// Threads get as much stack as the main thread of most systems.
const STACK: usize = 16 << 20;

/// Starts the thread. It is never joined: whoever does not listen any more need not wait.
pub(crate) fn start(assignment: Assignment) -> std::io::Result<()> {
    let builder = std::thread::Builder::new()
        .name(assignment.engine.to_string())
        .stack_size(STACK);
    builder.spawn(move || work(assignment)).map(drop)
}

fn work(assignment: Assignment) {
    let (index, sender) = (assignment.index, assignment.sender.clone());
    // A panic is a bug of one engine; the others may still answer.
    let result = catch_unwind(AssertUnwindSafe(|| ended(assignment)));
    let ended = result.unwrap_or_else(|payload| Ended {
        decided: Err(panic_text(payload.as_ref())),
        terms: Terms::new(),
        statistics: Statistics::default(),
        solver_calls: 0,
        solver_seconds: 0.0,
    });
    // Nobody listens any more if another engine was faster.
    let _ = sender.send(Message::Ended(index, Box::new(ended)));
}

fn panic_text(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_string())
}

/// Sends events to the thread that listens, and counts for the statistics.
struct Sending {
    index: usize,
    interest: Interest,
    sender: Sender<Message>,
    statistics: Statistics,
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

fn ended(assignment: Assignment) -> Ended {
    let mut observer = Sending {
        index: assignment.index,
        interest: assignment.orders.interest,
        sender: assignment.sender.clone(),
        statistics: Statistics::default(),
    };
    let mut ended = Ended {
        decided: Err(String::new()),
        terms: Terms::new(),
        statistics: Statistics::default(),
        solver_calls: 0,
        solver_seconds: 0.0,
    };
    match reading(&assignment.orders) {
        Err(why) => ended.decided = Err(why),
        Ok(loaded) => {
            ended.decided = decided(&assignment, &loaded, &mut observer, &mut ended);
            ended.terms = loaded.terms;
        }
    }
    ended.statistics = observer.statistics;
    ended
}

fn reading(orders: &Orders) -> Result<Loaded, String> {
    let text = orders.text.clone();
    let loaded = load_text(&orders.name, text, orders.frontend, &orders.parameters);
    let mut loaded = loaded.map_err(|e| format!("the input cannot be read a second time: {e}"))?;
    if orders.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok(loaded)
}

fn decided(
    assignment: &Assignment,
    loaded: &Loaded,
    observer: &mut Sending,
    ended: &mut Ended,
) -> Result<Decided, String> {
    let orders = &assignment.orders;
    let engine = registry::engine(assignment.engine).ok_or("the engine is not there")?;
    let backend = registry::chosen_backend(&orders.solver, orders.interpolation, orders.memory);
    let backend = backend.map_err(|e| e.to_string())?;
    let counted = CountedBackend::new(backend.as_ref());
    let module = &loaded.reading.module;
    let property = module.properties.get(orders.property);
    let different = |e: sectile_terms::Different| e.to_string();
    let predicates = assignment
        .predicates
        .unpack(&loaded.terms)
        .map_err(different)?;
    let mut lemmas = assignment.lemmas.unpack(&loaded.terms).map_err(different)?;
    lemmas.extend(known_formulas(loaded, &assignment.facts));
    let session = Session {
        loaded,
        backend: &counted,
        task: Task {
            terms: &loaded.terms,
            model: &module.model,
            property: property.ok_or("the property is not there")?,
        },
        seed: orders.seed,
        predicates: &predicates,
        lemmas: &lemmas,
        care: orders.care,
    };
    let (settings, budget) = (&assignment.settings, &assignment.budget);
    let decided = session.decide(engine.as_ref(), settings, budget, observer);
    ended.solver_calls = counted.count().calls();
    ended.solver_seconds = counted.count().time().as_secs_f64();
    decided
}

/// The formulas that mean something in the words of the file.
fn known_formulas(loaded: &Loaded, texts: &[String]) -> Vec<Term> {
    let read = |text: &String| {
        let source = Source::new("fact", text.clone());
        loaded.reading.scope.formula(&loaded.terms, &source).ok()
    };
    texts.iter().filter_map(read).collect()
}
