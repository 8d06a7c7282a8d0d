//! Several engines that work on one property in turns.
//!
//! Every engine has a thread of its own and works when it has a turn; with `--jobs N`, up to N
//! engines work at the same time. A turn is an amount of counted work, not of time, and turns grow
//! from round to round: no engine waits for one that never ends, and none starts again. With one
//! job, the engine that decides depends only on the input and the seed, not on the machine.
//!
//! Without threads an engine cannot pause: it ends with its turn, and restarts with the next one.
//! Since turns double, this costs at most about the same amount of work again.
//!
//! The thread that hands out the turns also watches the limits. An engine that does not stop when
//! it is asked to is abandoned after a short grace period.

use crate::check::{Asked, BadRequest, CheckOptions};
use crate::registry;
use crate::session::Decided;
use crate::small;
use crate::tables::TABLE_SHARE;
use crate::worker::{Ended, Message, start};
use sectile_base::pace::{time_of, units_of};
use sectile_base::{Budget, Exhausted, Stopper, Turns};
use sectile_certify::Claim;
use sectile_engine::{Board, Event, Interest, Observer, Settings};
use sectile_frontend::load::Loaded;
use sectile_model::{ReasonCode, Unknown};
use sectile_report::Findings;
use sectile_terms::Term;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// An engine of a portfolio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The engine.
    pub engine: &'static str,
    /// Its options.
    pub settings: Settings,
    /// The length of its turns, relative to those of the others.
    pub weight: u32,
}

/// The engine that decided the previous property, and the work that it took. It goes first, since
/// the properties of a file are often alike.
#[derive(Clone)]
pub(crate) struct Leader {
    pub member: Member,
    pub work: u64,
}

/// The longest first turn of a leader.
const LONGEST_LEAD: Duration = Duration::from_millis(400);

/// The first turn of every engine of a table, on the clock of counted work: whatever is easy for
/// one of them is decided before any of them works for long. Engines that are in no table get a
/// part of it.
const FIRST_TURN: Duration = Duration::from_millis(8);

/// The second turn of an engine of weight one. From then on turns double.
const SECOND_TURN: Duration = Duration::from_millis(15);

/// Interval between checks of the limits.
const LIMIT_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Grace period for an engine that was asked to stop.
const GRACE_PERIOD: Duration = Duration::from_millis(250);

/// The result of a portfolio.
pub(crate) struct Outcome {
    /// The engine that answered, with its answer.
    pub winner: Option<(&'static str, Box<Ended>)>,
    /// An engine whose answer did not pass its check, with that answer.
    pub refused: Option<(&'static str, Box<Ended>)>,
    /// The engine that ended last, or the winner, and its work, in the units of its turns.
    pub last: Option<Leader>,
    /// The reasons of the engines that gave no answer.
    pub unknowns: Vec<(&'static str, Unknown)>,
    /// Facts found on the way.
    pub findings: Findings,
    /// Bugs in engines.
    pub failures: Vec<Failure>,
    /// The limit that ended it, if one did.
    pub limit: Option<Exhausted>,
}

/// A detected bug.
pub(crate) struct Failure {
    /// A description.
    pub text: String,
    /// Whether a verdict is in doubt, even one that passed its check.
    pub contradiction: bool,
}

impl Failure {
    fn of_engine(text: String) -> Failure {
        Failure {
            text,
            contradiction: false,
        }
    }
}

/// An engine at work.
struct Worker {
    turns: Turns,
    stopper: Stopper,
}

/// An engine during its turn.
struct AtWork {
    index: usize,
    /// The expected end of the turn, on the wall clock of a busy machine.
    late: Instant,
    /// The time from which the turn counts as overdue.
    overdue: Instant,
}

/// A turn may take this many times as long on the wall clock as on the clock of counted work, plus
/// [`OVERDUE_SLACK`], before another engine starts: an engine that does not count its work must not
/// block the others.
const OVERDUE_FACTOR: u32 = 20;

/// A turn is late if it takes this many times as long on the wall clock as on that of counted work.
const LATE_FACTOR: u32 = 4;

/// Longer than any check.
const FOREVER: Duration = Duration::from_secs(1 << 31);

/// See [`OVERDUE_FACTOR`].
const OVERDUE_SLACK: Duration = Duration::from_secs(3);

/// The progress of an engine.
enum Progress {
    /// It has not begun.
    New,
    /// It works or waits.
    Begun(Worker),
    /// It has ended.
    Over,
}

/// The scheduler of the engines.
pub(crate) struct Portfolio<'p> {
    members: Vec<Member>,
    asked: &'p Asked<'p>,
    watch: &'p Budget,
    progress: Vec<Progress>,
    rounds: Vec<u32>,
    /// The engine that goes first, and the length of its first turn.
    lead: Option<(usize, u64)>,
    /// Maximum number of turns of an engine before it rests.
    most_turns: u32,
    queue: VecDeque<usize>,
    /// The engines that have used all their turns.
    resting: Vec<usize>,
    /// A smaller instance of the model, while it is undecided.
    small: Option<Loaded>,
    /// The lemmas that prove it.
    lemmas: Vec<Term>,
    working: Vec<AtWork>,
    /// Where the engines share facts; a single engine needs none.
    board: Option<Board>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    speaker: Option<usize>,
    said: Vec<(&'static str, Claim)>,
    result: Outcome,
}

impl<'p> Portfolio<'p> {
    /// A portfolio that has not started.
    pub(crate) fn new(
        members: &[Member],
        asked: &'p Asked<'p>,
        watch: &'p Budget,
    ) -> Portfolio<'p> {
        let (sender, receiver) = channel();
        Portfolio {
            members: members.to_vec(),
            asked,
            watch,
            progress: members.iter().map(|_| Progress::New).collect(),
            rounds: vec![0; members.len()],
            lead: None,
            most_turns: asked.options.turns.unwrap_or(u32::MAX),
            queue: (0..members.len()).collect(),
            resting: Vec::new(),
            small: None,
            lemmas: Vec::new(),
            working: Vec::new(),
            board: (members.len() > 1).then(|| Board::new(asked.loaded.copied_terms())),
            sender,
            receiver,
            speaker: None,
            said: Vec::new(),
            result: Outcome {
                winner: None,
                refused: None,
                last: None,
                unknowns: Vec::new(),
                findings: Findings::default(),
                failures: Vec::new(),
                limit: None,
            },
        }
    }

    /// The same portfolio with this engine first, if it is a member.
    pub(crate) fn led_by(mut self, leader: Option<&Leader>) -> Portfolio<'p> {
        let place =
            leader.and_then(|l| Some((l, self.members.iter().position(|m| *m == l.member)?)));
        if let Some((leader, index)) = place {
            self.queue.retain(|&i| i != index);
            self.queue.push_front(index);
            let twice = leader.work.saturating_mul(2).min(units_of(LONGEST_LEAD));
            self.lead = Some((index, twice));
        }
        self
    }

    /// The same portfolio after another one: a contradiction with the winner of that one is
    /// reported.
    pub(crate) fn after(mut self, (engine, ended): &(&'static str, Box<Ended>)) -> Portfolio<'p> {
        let said = ended.decided.as_ref().ok().and_then(|d| d.said);
        self.said.extend(said.map(|claim| (*engine, claim)));
        self
    }

    /// The same portfolio, in which engines get the lemmas that prove this smaller instance of the
    /// model.
    pub(crate) fn beside(mut self, small: Option<Loaded>) -> Portfolio<'p> {
        self.small = small;
        self
    }

    /// Works until an engine answers, all have given up, or a limit is met.
    pub(crate) fn run(mut self, observer: &mut dyn Observer) -> Result<Outcome, BadRequest> {
        let most = self.most_turns;
        let mut turns = small::TURNS_BEFORE;
        loop {
            self.most_turns = match self.small {
                Some(_) => turns.min(most),
                None => most,
            };
            self.queue.extend(std::mem::take(&mut self.resting));
            self.work(observer);
            let is_over = self.result.winner.is_some() || self.result.limit.is_some();
            if is_over || self.resting.is_empty() || self.most_turns == most {
                break;
            }
            self.look_at_small_instance(turns)?;
            turns += small::TURNS_BETWEEN;
        }
        if self.result.limit.is_none() {
            self.stop_all(Exhausted::Cancelled);
            // Engines that already have an answer may contradict the winner.
            self.listen(Duration::ZERO, observer);
        }
        self.compare();
        Ok(self.result)
    }

    /// Gives the engines some turns on a smaller instance, and restarts those that can use the
    /// lemmas that prove it. At first it gets twice the time of the original instance, and a
    /// smaller and smaller share the longer it takes.
    fn look_at_small_instance(&mut self, turns: u32) -> Result<(), BadRequest> {
        let Some(small) = &self.small else {
            return Ok(());
        };
        let options = CheckOptions {
            properties: vec![self.asked.task.property.name.clone()],
            turns: Some(2 + turns / 2),
            ..self.asked.options.within(self.watch.remaining())
        };
        if let Some(lemmas) = small::lemmas(self.asked.loaded, small, &options)? {
            self.small = None;
            self.inform(lemmas);
        }
        Ok(())
    }

    fn inform(&mut self, lemmas: Vec<Term>) {
        if lemmas.is_empty() {
            return;
        }
        self.lemmas = lemmas;
        for index in 0..self.members.len() {
            let engine = registry::engine(self.members[index].engine);
            let Progress::Begun(worker) = &self.progress[index] else {
                continue;
            };
            if engine.is_some_and(|e| e.info().uses_lemmas) {
                worker.stopper.stop_for(Exhausted::Cancelled);
                self.progress[index] = Progress::Over;
                self.resting.retain(|&i| i != index);
                self.queue.push_back(self.members.len());
                self.members.push(self.members[index].clone());
                self.progress.push(Progress::New);
                self.rounds.push(self.rounds[index] - 1);
            }
        }
    }

    /// Works until an engine answers, all have given up or rest, or a limit is met.
    fn work(&mut self, observer: &mut dyn Observer) {
        let mut looked = None::<Instant>;
        while self.result.winner.is_none() {
            let due = looked.is_none_or(|at| at.elapsed() >= LIMIT_CHECK_INTERVAL);
            if due {
                looked = Some(Instant::now());
            }
            // Reading the memory usage is slow, so it is done rarely; a cancellation is noticed at
            // once.
            let watched = match due {
                true => self.watch.check(),
                false => self.watch.poll(),
            };
            if let Err(limit) = watched {
                self.stop_all(limit);
                self.result.limit = Some(limit);
                self.listen(GRACE_PERIOD, observer);
                break;
            }
            if !self.asked.options.threads {
                // Process all messages of engines that finished before others start.
                while let Ok(message) = self.receiver.try_recv() {
                    self.hear(message, observer);
                }
                if self.result.winner.is_some() {
                    break;
                }
            }
            self.hand_out_turns(observer.interest());
            if self.working.is_empty() || self.is_out_of_turns() {
                return;
            }
            let left = self.watch.remaining().unwrap_or(LIMIT_CHECK_INTERVAL);
            match self.receiver.recv_timeout(left.min(LIMIT_CHECK_INTERVAL)) {
                Ok(message) => self.hear(message, observer),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Whether all turns are used up, or an engine that still works does not count its work.
    fn is_out_of_turns(&self) -> bool {
        let now = Instant::now();
        self.most_turns < u32::MAX
            && self.queue.is_empty()
            && self.working.iter().all(|w| w.late < now)
    }

    /// Starts engines until as many work as there are jobs; every engine first has its first turn.
    ///
    /// The first turns are sequential: easy properties have the same evidence every time, whatever
    /// the number of jobs.
    fn hand_out_turns(&mut self, interest: Interest) {
        loop {
            let first_round = self.progress.iter().any(|p| matches!(p, Progress::New));
            let jobs = match first_round {
                true => 1,
                false => self.asked.options.jobs.max(1),
            };
            let now = Instant::now();
            if self.working.iter().filter(|w| w.overdue > now).count() >= jobs {
                return;
            }
            let Some(next) = self.queue.pop_front() else {
                return;
            };
            if self.rounds[next] >= self.most_turns {
                self.resting.push(next);
                continue;
            }
            let turn = self.turn(next);
            match &self.progress[next] {
                Progress::Over => continue,
                Progress::Begun(worker) => worker.turns.grant(turn),
                Progress::New => match self.begin(next, turn, interest) {
                    Ok(worker) => self.progress[next] = Progress::Begun(worker),
                    Err(why) => {
                        self.progress[next] = Progress::Over;
                        // A task that cannot be made is a bug; a thread that cannot is a limit.
                        if why.code == ReasonCode::Incomplete {
                            let failure = Failure::of_engine(why.reached.clone());
                            self.result.failures.push(failure);
                        }
                        self.result.unknowns.push((self.members[next].engine, why));
                        continue;
                    }
                },
            }
            let usual = time_of(turn).saturating_mul(OVERDUE_FACTOR) + OVERDUE_SLACK;
            self.working.push(AtWork {
                index: next,
                late: now
                    .checked_add(time_of(turn).saturating_mul(LATE_FACTOR))
                    .unwrap_or(now),
                overdue: now.checked_add(usual).unwrap_or(now + FOREVER),
            });
        }
    }

    /// The length of the next turn of an engine: a short first one, then one given by its weight,
    /// which doubles every time.
    fn turn(&mut self, index: usize) -> u64 {
        if self.members.len() == 1 {
            return u64::MAX;
        }
        let round = self.rounds[index];
        self.rounds[index] += 1;
        let Some(doublings) = round.checked_sub(1) else {
            let share = self.members[index].weight.clamp(1, TABLE_SHARE);
            let first = units_of(FIRST_TURN) * u64::from(share) / u64::from(TABLE_SHARE);
            let lead = self.lead.filter(|(leader, _)| *leader == index);
            return lead.map_or(first, |(_, turn)| turn.max(first));
        };
        let second = units_of(SECOND_TURN) * u64::from(self.members[index].weight.max(1));
        second.saturating_mul(1 << doublings.min(32))
    }

    fn begin(&mut self, index: usize, turn: u64, interest: Interest) -> Result<Worker, Unknown> {
        let member = &self.members[index];
        let notice = self.sender.clone();
        let turns = match self.asked.options.threads {
            true => Turns::new(move || {
                // Nobody receives the message if another engine was faster.
                let _ = notice.send(Message::Paused(index));
            }),
            false => {
                let rest = self.watch.remaining();
                Turns::alone(rest.and_then(|rest| Instant::now().checked_add(rest)))
            }
        };
        turns.grant(turn);
        let budget = self.budget(&turns, member.weight);
        let worker = Worker {
            turns,
            stopper: budget.stopper(),
        };
        let board = match (&self.board, registry::engine(member.engine)) {
            (Some(board), Some(engine)) => Some(board.place_of(&engine.info())),
            _ => None,
        };
        let job = self.asked.job(member, &self.lemmas, board, interest);
        let mut job = job.map_err(|e| Unknown::new(ReasonCode::Incomplete, e.to_string()))?;
        job.turns = Some(worker.turns.clone());
        let started = start(index, member.clone(), job, budget, self.sender.clone());
        let memory = ReasonCode::Exhausted(Exhausted::Memory);
        started.map_err(|e| Unknown::new(memory, format!("no thread could be started: {e}")))?;
        Ok(worker)
    }

    /// The budget of an engine: a single engine uses the wall clock, one with turns its counted
    /// work.
    fn budget(&self, turns: &Turns, weight: u32) -> Budget {
        let rest = self.watch.remaining();
        if self.members.len() == 1 {
            let budget = Budget::unlimited();
            return match rest {
                Some(rest) => budget.with_time(rest),
                None => budget,
            };
        }
        let budget = Budget::paced(turns);
        let all: u32 = self.members.iter().map(|m| m.weight).sum();
        match rest {
            // The rest is shared with the other engines, many of which end soon.
            Some(rest) => budget.planned(rest / all.max(1) * weight * 2),
            None => budget,
        }
    }

    fn hear(&mut self, message: Message, observer: &mut dyn Observer) {
        match message {
            Message::Event(index, event) => self.tell(index, &event, observer),
            Message::Paused(index) => {
                self.working.retain(|w| w.index != index);
                self.queue.push_back(index);
            }
            Message::Ended(index, ended) => {
                self.working.retain(|w| w.index != index);
                let before = std::mem::replace(&mut self.progress[index], Progress::Over);
                if let Progress::Over = before {
                    // It was restarted as another member.
                    return;
                }
                if self.ended_with_its_turn(&before, &ended) {
                    self.progress[index] = Progress::New;
                    self.queue.push_back(index);
                    return;
                }
                if let Progress::Begun(worker) = before
                    && self.result.winner.is_none()
                {
                    self.result.last = Some(Leader {
                        member: self.members[index].clone(),
                        work: worker.turns.used(),
                    });
                }
                self.end(index, ended);
            }
        }
    }

    /// Whether an engine without a thread found nothing because its turn was over.
    fn ended_with_its_turn(&self, progress: &Progress, ended: &Ended) -> bool {
        let Progress::Begun(worker) = progress else {
            return false;
        };
        let undecided = |d: &Decided| d.unknown.is_some() && d.failure.is_none();
        let open = ended.decided.as_ref().is_ok_and(undecided);
        !self.asked.options.threads && open && worker.turns.is_used_up()
    }

    /// Passes an event on, preceded by an event with the engine's name if the engine has changed.
    fn tell(&mut self, index: usize, event: &Event, observer: &mut dyn Observer) {
        let engine = self.members[index].engine;
        if self.speaker.is_some_and(|s| s != index) && !matches!(event, Event::Started { .. }) {
            observer.event(&Event::Resumed { engine });
        }
        self.speaker = Some(index);
        self.result.findings.hear(engine, event);
        observer.event(event);
    }

    fn end(&mut self, index: usize, mut ended: Box<Ended>) {
        let engine = self.members[index].engine;
        let decided = match &mut ended.decided {
            Ok(decided) => decided,
            Err(why) => {
                let unknown = Unknown::new(ReasonCode::Incomplete, why.clone());
                self.result.unknowns.push((engine, unknown));
                let failure = Failure::of_engine(format!("{engine}: {why}"));
                self.result.failures.push(failure);
                return;
            }
        };
        self.said.extend(decided.said.map(|claim| (engine, claim)));
        let Decided {
            unknown, failure, ..
        } = decided;
        let failed = failure.clone().map(Failure::of_engine);
        self.result.failures.extend(failed);
        match unknown.take() {
            // A verdict that failed its own check is a bug of one engine: the others continue, but
            // its evidence is kept for the bug report.
            Some(unknown) => {
                self.result.unknowns.push((engine, unknown));
                if failure.is_some() && self.result.refused.is_none() {
                    self.result.refused = Some((engine, ended));
                }
            }
            None if self.result.winner.is_none() => self.result.winner = Some((engine, ended)),
            None => {}
        }
    }

    fn stop_all(&self, reason: Exhausted) {
        for engine in &self.progress {
            if let Progress::Begun(worker) = engine {
                worker.stopper.stop_for(reason);
            }
        }
    }

    /// Receives the last messages of engines that were asked to stop, for at most this time.
    fn listen(&mut self, patience: Duration, observer: &mut dyn Observer) {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let at_work = self
                .progress
                .iter()
                .any(|p| matches!(p, Progress::Begun(_)));
            if !at_work {
                return;
            }
            match self.receiver.recv_timeout(left) {
                Ok(message) => self.hear(message, observer),
                Err(_) => return,
            }
        }
    }

    /// Reports a bug if two engines contradict each other, whether or not their evidence was
    /// checked.
    fn compare(&mut self) {
        let contradiction = contradiction(&self.said).map(|text| Failure {
            text,
            contradiction: true,
        });
        self.result.failures.extend(contradiction);
    }
}

/// The claims of two engines that cannot both be right.
fn contradiction(said: &[(&'static str, Claim)]) -> Option<String> {
    let (first, claim) = said.first()?;
    let (other, _) = said.iter().find(|(_, c)| c != claim)?;
    let word = match claim {
        Claim::Holds => "holds",
        Claim::Violated => "is violated",
    };
    Some(format!(
        "{first} found that the property {word}, and {other} found the contrary"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_engines_that_disagree_are_noticed() {
        let said = [
            ("kojak", Claim::Holds),
            ("slab", Claim::Holds),
            ("bmc", Claim::Violated),
        ];
        assert_eq!(contradiction(&said[..2]), None);
        let found = contradiction(&said).expect("they disagree");
        assert!(found.contains("kojak") && found.contains("bmc"), "{found}");
    }
}
