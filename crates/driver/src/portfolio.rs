//! Several engines on one property, in turns.
//!
//! Every engine has a thread of its own and works when it is its turn; with `jobs` above one, so
//! many work at the same time. A turn is an amount of counted work, not of time, and the turns grow
//! from round to round: no engine waits for another one that never ends, and none starts again.
//! With one job, which engine decides depends on the input and the seed only, not on the machine.
//!
//! Without threads an engine cannot wait in the middle of its work: it ends with its turn, and begins
//! anew with the next one. Since turns double, that costs about as much again.
//!
//! The thread that hands out the turns watches the limits as well. An engine that does not stop
//! when it is told to is left behind: nobody waits for it longer than a moment.

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
    /// How long its turns are, compared with those of the others.
    pub weight: u32,
}

/// The engine that decided the property before this one, and the work that it took: it begins, since
/// the properties of a file are often alike.
#[derive(Clone)]
pub(crate) struct Leader {
    pub member: Member,
    pub work: u64,
}

/// The longest first turn of a leader.
const LONGEST_LEAD: Duration = Duration::from_millis(400);

/// The first turn of every engine of a table, on the clock of counted work: what is easy for one of
/// them is decided before any of them works for long. Those that are in no table have a part of it.
const FIRST_TURN: Duration = Duration::from_millis(8);

/// The second turn of an engine of weight one. From then on turns double.
const SECOND_TURN: Duration = Duration::from_millis(15);

/// Interval between checks of the limits.
const LIMIT_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Grace period for an engine that was asked to stop.
const GRACE_PERIOD: Duration = Duration::from_millis(250);

/// What came out of a portfolio.
pub(crate) struct Outcome {
    /// The engine that answered, with its answer.
    pub winner: Option<(&'static str, Box<Ended>)>,
    /// An engine whose answer did not pass its check, with that answer.
    pub refused: Option<(&'static str, Box<Ended>)>,
    /// The engine that ended last, or the winner, with the work that it took, in the units of its turns.
    pub last: Option<Leader>,
    /// Why there is no answer, for those that gave none.
    pub unknowns: Vec<(&'static str, Unknown)>,
    /// What was found out on the way.
    pub findings: Findings,
    /// Bugs of ours.
    pub failures: Vec<Failure>,
    /// The limit that ended it, if one did.
    pub limit: Option<Exhausted>,
}

/// A bug of ours that was noticed.
pub(crate) struct Failure {
    /// What happened.
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

/// An engine whose turn it is.
struct AtWork {
    index: usize,
    /// When the turn should be over, on the wall clock of a busy machine.
    late: Instant,
    /// When the turn should be over by far.
    overdue: Instant,
}

/// A turn may take this many times as long on the wall clock as on the clock of counted work, and
/// [`OVERDUE_SLACK`] more, before somebody else begins: whoever forgets to count must not stop the others.
const OVERDUE_FACTOR: u32 = 20;

/// After this many times as long on the wall clock as on that of counted work, a turn is late.
const LATE_FACTOR: u32 = 4;

/// Longer than any run.
const FOREVER: Duration = Duration::from_secs(1 << 31);

/// See [`OVERDUE_FACTOR`].
const OVERDUE_SLACK: Duration = Duration::from_secs(3);

/// How far an engine is.
enum Progress {
    /// It has not begun.
    New,
    /// It works or waits.
    Begun(Worker),
    /// It has ended.
    Over,
}

/// The one who hands out turns.
pub(crate) struct Portfolio<'p> {
    members: Vec<Member>,
    asked: &'p Asked<'p>,
    watch: &'p Budget,
    progress: Vec<Progress>,
    rounds: Vec<u32>,
    /// Who begins, and with how long a turn.
    lead: Option<(usize, u64)>,
    /// After this many turns an engine rests.
    most_turns: u32,
    queue: VecDeque<usize>,
    /// Those that have had all their turns.
    resting: Vec<usize>,
    /// A smaller instance of the model, until it is decided.
    small: Option<Loaded>,
    /// What proves it.
    lemmas: Vec<Term>,
    working: Vec<AtWork>,
    /// Where the engines write what others may use; an engine alone needs none.
    board: Option<Board>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    speaker: Option<usize>,
    said: Vec<(&'static str, Claim)>,
    result: Outcome,
}

impl<'p> Portfolio<'p> {
    /// A portfolio that has not begun.
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

    /// The same, in which this engine begins, if it is one of them.
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

    /// The same after another one: who contradicts its winner is noticed.
    pub(crate) fn after(mut self, (engine, ended): &(&'static str, Box<Ended>)) -> Portfolio<'p> {
        let said = ended.decided.as_ref().ok().and_then(|d| d.said);
        self.said.extend(said.map(|claim| (*engine, claim)));
        self
    }

    /// The same, in which engines are told what proves this smaller instance of the model.
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
            // Who has an answer already may contradict the winner.
            self.listen(Duration::ZERO, observer);
        }
        self.compare();
        Ok(self.result)
    }

    /// Gives the engines some turns on a smaller instance, and those that can use what proves it a new
    /// beginning. At first it has twice as long as the instance that was asked about, and less and less of
    /// the time the longer it takes.
    fn look_at_small_instance(&mut self, turns: u32) -> Result<(), BadRequest> {
        let Some(small) = self.small.take() else {
            return Ok(());
        };
        let options = CheckOptions {
            properties: vec![self.asked.task.property.name.clone()],
            turns: Some(2 + turns / 2),
            ..self.asked.options.within(self.watch.remaining())
        };
        match small::lemmas(self.asked.loaded, &small, &options)? {
            Some(lemmas) => self.inform(lemmas),
            None => self.small = Some(small),
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
            // Reading the memory takes a while; whether somebody has ended the work is seen at once.
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
                // Whoever worked is done: that is heard before somebody else begins.
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

    /// Whether all turns are used up, and whoever still works does not count its work.
    fn is_out_of_turns(&self) -> bool {
        let now = Instant::now();
        self.most_turns < u32::MAX
            && self.queue.is_empty()
            && self.working.iter().all(|w| w.late < now)
    }

    /// As many engines work as there are jobs, after every one had its first turn.
    ///
    /// The first turns are one after the other: what is easy has the same evidence every time,
    /// however many jobs there are.
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
                        self.result.failures.push(Failure::of_engine(why));
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

    /// The next turn of an engine: after a short one as long as its weight says, and twice as long
    /// every time.
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

    fn begin(&mut self, index: usize, turn: u64, interest: Interest) -> Result<Worker, String> {
        let member = &self.members[index];
        let notice = self.sender.clone();
        let turns = match self.asked.options.threads {
            true => Turns::new(move || {
                // Nobody listens any more if another engine was faster.
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
        let mut job = job.map_err(|e| e.to_string())?;
        job.turns = Some(worker.turns.clone());
        let started = start(index, member.clone(), job, budget, self.sender.clone());
        started.map_err(|e| format!("no thread for {}: {e}", member.engine))?;
        Ok(worker)
    }

    /// An engine that is alone goes by the wall clock; those in turns go by their work.
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
            // What is left is shared with the others, of whom many end soon.
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
                    // It has begun anew as another member.
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

    /// Passes an event on, after a word about whose it is if that has changed.
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
            // A verdict that failed its own check is a bug of one engine: the others go on, but
            // its evidence is kept for the report of the bug.
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

    /// Hears what those who were told to stop still have to say, for so long at most.
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

    /// Two engines that contradict each other are a bug, whatever was checked.
    fn compare(&mut self) {
        let contradiction = contradiction(&self.said).map(|text| Failure {
            text,
            contradiction: true,
        });
        self.result.failures.extend(contradiction);
    }
}

/// What two engines say that cannot both be right.
fn contradiction(said: &[(&'static str, Claim)]) -> Option<String> {
    let (first, claim) = said.first()?;
    let (other, _) = said.iter().find(|(_, c)| c != claim)?;
    let word = match claim {
        Claim::Holds => "holds",
        Claim::Violated => "is violated",
    };
    Some(format!(
        "{first} found that the property {word}, and {other} the contrary"
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
