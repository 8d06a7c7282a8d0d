//! Selects the values of an unknown that are tried.

use crate::domain::Domain;
use crate::error::ExploreError;
use crate::interval::{Interval, narrow};
use crate::machine::Machine;
use crate::plan::{Choice, Plan, Role, Unknown};
use crate::word::Word;
use sectile_base::{Int, Rat, Rng};
use sectile_terms::Sort;

/// How values are chosen if a plan leaves a choice.
pub(crate) enum Choosing<'a> {
    /// All values, within a domain if there are infinitely many.
    All(Option<&'a Domain>),
    /// A few values, for simulation.
    Some(Sampling<'a>),
}

/// How a simulation chooses values.
pub(crate) struct Sampling<'a> {
    /// Values outside of the user's domain, if any, are not tried.
    pub domain: Option<&'a Domain>,
    /// Additional values to try, for unknowns of their sorts.
    pub hints: &'a [(Sort, Word)],
    /// The distance from the ends of an interval and from the current value within which to look.
    pub window: i64,
    /// The source of randomness; without it, values are tried in ascending order.
    pub rng: Option<&'a mut Rng>,
}

/// The values that remain to be tried.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// The multiples of a step (of one if there is none) up to the last.
    Grid {
        /// The next multiple.
        next: Int,
        /// The last multiple.
        last: Int,
        /// The step, unless it is one.
        step: Option<Rat>,
    },
    /// A list of values, in reverse.
    List(Vec<Word>),
}

impl Values {
    fn range(next: Int, last: Int) -> Values {
        Values::Grid {
            next,
            last,
            step: None,
        }
    }

    /// The next value.
    pub(crate) fn next(&mut self, machine: &mut Machine) -> Option<Word> {
        match self {
            Values::List(list) => list.pop(),
            Values::Grid { next, last, step } => {
                if *next > *last {
                    return None;
                }
                let number = match step {
                    None => Rat::from(&*next),
                    Some(step) => &Rat::from(&*next) * &*step,
                };
                *next += &Int::ONE;
                Some(machine.numbers.word(number))
            }
        }
    }
}

/// The values to try, and whether others were omitted.
pub(crate) struct Selection {
    /// The values.
    pub values: Values,
    /// Whether there may be solutions with other values.
    pub clipped: bool,
}

/// Selects the values of an unknown.
pub(crate) fn select(
    plan: &Plan,
    choice: &Choice,
    machine: &mut Machine,
    choosing: &mut Choosing<'_>,
) -> Result<Selection, ExploreError> {
    let unknown = &plan.unknowns[choice.unknown];
    let all = |values: Values| {
        let clipped = false;
        Ok(Selection { values, clipped })
    };
    if let Some(size) = unknown.size {
        let range = Values::range(Int::ZERO, Int::from(i64::from(size) - 1));
        return all(shuffled(range, machine, choosing));
    }
    if let Some(arrays) = &unknown.arrays {
        if !arrays.all && matches!(choosing, Choosing::All(_)) {
            return Err(ExploreError::AnyArray {
                variable: unknown.name.clone(),
                context: plan.context.clone(),
            });
        }
        let mut words: Vec<Word> = arrays.words.to_vec();
        if let Choosing::Some(sampling) = choosing {
            let hints = sampling.hints.iter().filter(|(s, _)| *s == unknown.sort);
            words.extend(hints.map(|(_, w)| *w));
        }
        words.reverse();
        return Ok(Selection {
            values: shuffled(Values::List(words), machine, choosing),
            clipped: !arrays.all,
        });
    }
    let interval = narrow(plan, choice, machine);
    if interval.is_empty() {
        return all(Values::List(Vec::new()));
    }
    if let Some(point) = interval.point() {
        let word = machine.numbers.word(point.clone());
        return all(Values::List(vec![word]));
    }
    let missing = || ExploreError::NeedsDomain {
        variable: unknown.name.clone(),
        context: plan.context.clone(),
    };
    match choosing {
        Choosing::All(domain) if unknown.sort == Sort::Int => {
            let domain = domain.filter(|_| unknown.role != Role::Ranged);
            all_integers(&interval, domain).ok_or_else(missing)
        }
        Choosing::All(domain) => {
            let domain = domain.ok_or_else(missing)?;
            Ok(Selection {
                values: grid(&interval, domain),
                clipped: true,
            })
        }
        Choosing::Some(sampling) => {
            let domain = sampling.domain.filter(|_| unknown.role != Role::Ranged);
            let few = few_integers(unknown, &interval, domain, sampling.window);
            Ok(match few {
                Some(mut all) => {
                    all.values = shuffled(all.values, machine, choosing);
                    all
                }
                None => sample(unknown, &interval, machine, sampling),
            })
        }
    }
}

/// All integers of an interval, within the domain if there is one.
fn all_integers(interval: &Interval, domain: Option<&Domain>) -> Option<Selection> {
    let low = interval.low.as_ref().map(Rat::ceil);
    let high = interval.high.as_ref().map(Rat::floor);
    let Some(domain) = domain else {
        return Some(Selection {
            values: Values::range(low?, high?),
            clipped: false,
        });
    };
    let inside = |end: &Int| domain.low <= *end && *end <= domain.high;
    let clipped = !(low.as_ref().is_some_and(inside) && high.as_ref().is_some_and(inside));
    let low = low.map_or(domain.low.clone(), |l| l.max(domain.low.clone()));
    let high = high.map_or(domain.high.clone(), |h| h.min(domain.high.clone()));
    Some(Selection {
        values: Values::range(low, high),
        clipped,
    })
}

/// The multiples of the domain's step in an interval of reals.
fn grid(interval: &Interval, domain: &Domain) -> Values {
    let low = interval.low.iter().cloned().chain([Rat::from(&domain.low)]);
    let high = interval
        .high
        .iter()
        .cloned()
        .chain([Rat::from(&domain.high)]);
    let step = &domain.step;
    Values::Grid {
        next: (&low.max().unwrap_or_default() / step).ceil(),
        last: (&high.min().unwrap_or_default() / step).floor(),
        step: (!step.is_one()).then(|| step.clone()),
    }
}

/// All integers of an interval, if there are so few that sampling would not save anything.
fn few_integers(
    unknown: &Unknown,
    interval: &Interval,
    domain: Option<&Domain>,
    window: i64,
) -> Option<Selection> {
    let (low, high) = (interval.low.as_ref()?, interval.high.as_ref()?);
    let few = unknown.sort == Sort::Int && high - low <= Rat::from(4 * window);
    few.then(|| all_integers(interval, domain)).flatten()
}

/// Some numbers of an interval: near its ends and near the current value.
fn sample(
    unknown: &Unknown,
    interval: &Interval,
    machine: &mut Machine,
    sampling: &mut Sampling<'_>,
) -> Selection {
    let present = unknown.origin.map_or(0, |slot| machine.registers[slot]);
    let present = Rat::from(machine.numbers.number(present).floor());
    let mut numbers: Vec<Rat> = Vec::new();
    let ends = [interval.low.as_ref(), interval.high.as_ref()];
    for centre in ends.into_iter().flatten().chain([&present]) {
        for distance in -sampling.window..=sampling.window {
            let point = centre + &Rat::from(distance);
            if unknown.sort == Sort::Real {
                numbers.push(&point + &Rat::from_ratio(1, 2));
            }
            numbers.push(point);
        }
    }
    if let [Some(low), Some(high)] = ends
        && unknown.sort == Sort::Real
    {
        numbers.push(&(low + high) / &Rat::from(2));
    }
    let hints = sampling.hints.iter().filter(|(s, _)| *s == unknown.sort);
    numbers.extend(hints.map(|(_, w)| machine.numbers.number(*w)));
    let in_domain =
        |n: &Rat| unknown.role == Role::Ranged || sampling.domain.is_none_or(|d| d.contains(n));
    let above = |n: &Rat| interval.low.as_ref().is_none_or(|l| l <= n);
    let below = |n: &Rat| interval.high.as_ref().is_none_or(|h| n <= h);
    numbers.retain(|n| in_domain(n) && above(n) && below(n));
    numbers.sort_unstable();
    numbers.dedup();
    numbers.reverse();
    let mut words: Vec<Word> = numbers
        .into_iter()
        .map(|n| machine.numbers.word(n))
        .collect();
    if let Some(rng) = sampling.rng.as_deref_mut() {
        rng.shuffle(&mut words);
    }
    Selection {
        values: Values::List(words),
        clipped: true,
    }
}

/// Shuffles the values of a finite sort if a simulation asks for random order.
fn shuffled(mut values: Values, machine: &mut Machine, choosing: &mut Choosing<'_>) -> Values {
    let Choosing::Some(Sampling { rng: Some(rng), .. }) = choosing else {
        return values;
    };
    let mut list: Vec<Word> = std::iter::from_fn(|| values.next(machine)).collect();
    rng.shuffle(&mut list);
    Values::List(list)
}
