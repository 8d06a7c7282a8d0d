//! Compatible predicates: pairs that prove the property of a small instance.

use crate::alpha::scope;
use crate::candidates::property_predicates;
use crate::decide::Question;
use crate::imprecision::Imprecision;
use sectile_engine::{Event, Run, Stop};
use sectile_model::PropertyKind;
use sectile_terms::{Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The pairs of predicates that prove the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compatibility {
    /// Symmetric; the diagonal is unused.
    pub table: Vec<Vec<bool>>,
}

impl Compatibility {
    /// The numbers of compatible and of incompatible pairs.
    pub fn counts(&self) -> (usize, usize) {
        let rows = self.table.iter().enumerate();
        let pairs = rows.flat_map(|(i, row)| row[..i].iter());
        let yes = pairs.clone().filter(|c| **c).count();
        (yes, pairs.count() - yes)
    }

    /// Precision and recall of imprecision as a predictor of incompatibility, where defined.
    ///
    /// Paper: [YaMe, Table 4].
    pub fn predicted_by(&self, imprecision: &Imprecision) -> (Option<f64>, Option<f64>) {
        let (mut imprecise, mut wrong, mut both) = (0u32, 0u32, 0u32);
        for i in 0..self.table.len() {
            for j in 0..i {
                let (a, b) = (imprecision.pairwise[i][j] > 0, !self.table[i][j]);
                imprecise += u32::from(a);
                wrong += u32::from(b);
                both += u32::from(a && b);
            }
        }
        let share = |of: u32| (of > 0).then(|| f64::from(both) / f64::from(of));
        (share(imprecise), share(wrong))
    }
}

/// The predicates of a property that mention variables abstracted by the given predicates.
///
/// Paper: [YaMe, Fig. 8, lines 5 to 11].
pub fn with_property(terms: &Terms, predicates: &[Term], property: &PropertyKind) -> Vec<Term> {
    let abstracted: BTreeSet<Symbol> = predicates.iter().flat_map(|&p| scope(terms, p)).collect();
    let mut list = predicates.to_vec();
    for own in property_predicates(terms, property) {
        let (atom, _) = terms.strip_not(own);
        let known = list.iter().any(|&p| terms.strip_not(p).0 == atom);
        if !known && !scope(terms, own).is_disjoint(&abstracted) {
            list.push(own);
        }
    }
    list
}

/// The goal for a pair of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The property holds in the abstract system. [YaMe, Fig. 8, line 14]
    Abstractly,
    /// It does, and its proof carries over: no state without a step invalidates an eventuality.
    Conclusively,
}

impl Aim {
    /// Whether some predicates reach the goal.
    pub fn is_reached(
        self,
        question: &Question<'_, '_>,
        predicates: &[Term],
        run: &mut Run<'_>,
    ) -> Result<bool, Stop> {
        match self {
            Aim::Abstractly => question.holds_abstractly(predicates, run),
            Aim::Conclusively => question.holds(predicates, run),
        }
    }
}

/// Checks the instance with each pair of predicates.
///
/// Paper: [YaMe, Fig. 8].
pub fn compatibility(
    question: &Question<'_, '_>,
    predicates: &[Term],
    aim: Aim,
    run: &mut Run<'_>,
) -> Result<Compatibility, Stop> {
    let terms = question.task.terms;
    let count = predicates.len();
    let mut table = vec![vec![false; count]; count];
    let mut done = 0;
    let of = count * count.saturating_sub(1) / 2;
    for i in 0..count {
        for j in i + 1..count {
            run.budget.check()?;
            done += 1;
            run.tell(Event::Part {
                index: done,
                of,
                name: "pair of predicates".to_string(),
            });
            let pair = [predicates[i], predicates[j]];
            let tried = with_property(terms, &pair, &question.task.property.kind);
            let holds = aim.is_reached(question, &tried, run)?;
            table[i][j] = holds;
            table[j][i] = holds;
        }
    }
    Ok(Compatibility { table })
}
