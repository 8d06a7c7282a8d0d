//! The index terms of proofs that waiting processes are served, see `every::waiting`.

use super::{Judge, Judged, Standing, Waiting, refuse};
use sectile_base::Span;
use sectile_model::scheme::{IndexBinder, Over, Response, RuleKind, Use, UseKind};

impl Judge<'_> {
    /// The number of indices that show a violation of an obligation about waiting: those of the
    /// property, and one whose variable leaves its range.
    ///
    /// A state without a possible command must stay one when processes are removed, so no guard may
    /// range over all processes.
    pub(super) fn response(&mut self, response: &Response, span: Span) -> Judged<usize> {
        self.begin();
        let own = self.bind(&response.binders, Standing::Term)?;
        if own != 1 || response.binders.len() != 1 {
            return refuse(span, "this is about more than one process", "");
        }
        self.both(&response.from, false)?;
        self.both(&response.to, false)?;
        let width = own + self.witnesses + self.neighbours.len() + 1;
        for rule in &self.scheme.rules {
            match rule.kind {
                RuleKind::Init => {}
                RuleKind::Restrict => {
                    let why = "a condition on all states may keep processes from going on";
                    return refuse(rule.span, why, "");
                }
                RuleKind::Step | RuleKind::Relation => {
                    self.begin();
                    self.bind(&rule.binders, Standing::Any)?;
                    self.formula(&rule.when, false, true)?;
                    self.formula(&rule.condition, false, true)?;
                }
            }
        }
        Ok(width)
    }

    /// The number of indices that show that an obligation of the proof fails.
    pub(super) fn waiting(&mut self, waiting: &Waiting) -> Judged<usize> {
        self.begin();
        let (binders, region) = self.about_one(&waiting.region)?;
        self.bind(binders, Standing::Term)?;
        self.both(region, false)?;
        let width = 2 + self.witnesses + self.neighbours.len();
        for rank in &waiting.ranks {
            self.begin();
            let (binders, rank) = self.about_one(rank)?;
            self.bind(binders, Standing::Term)?;
            self.both(rank, false)?;
            self.kept(rank, binders)?;
        }
        for value in &waiting.values {
            self.begin();
            self.both(value, false)?;
            self.kept(value, &[])?;
        }
        Ok(width)
    }

    /// `forall i: ...` for all processes.
    fn about_one<'u>(&self, used: &'u Use) -> Judged<(&'u [IndexBinder], &'u Use)> {
        match &used.kind {
            UseKind::Over(Over::Forall, binders, body) if binders.len() == 1 => Ok((binders, body)),
            UseKind::Truth(_) => Ok((&[], used)),
            _ => refuse(used.span, "this is not about one process", ""),
        }
    }

    /// Checks that numbers are preserved when processes are removed: those of the process and
    /// shared ones.
    fn kept(&self, used: &Use, binders: &[IndexBinder]) -> Judged {
        let mut open = vec![used];
        while let Some(next) = open.pop() {
            match &next.kind {
                UseKind::Number(_) | UseKind::Truth(_) => {}
                UseKind::Variable(name, subscripts) => {
                    let own = |s: &Use| match s.kind {
                        UseKind::Index(id) => binders.iter().any(|b| b.id == id),
                        _ => false,
                    };
                    if !subscripts.iter().all(own) || self.pointers.contains_key(name) {
                        let why = "this may change when processes are left out";
                        return refuse(next.span, why, "");
                    }
                }
                UseKind::Sum(parts) => open.extend(parts.iter().map(|(_, part)| part)),
                UseKind::Data(parts) => open.extend(parts),
                UseKind::Compare(_, sides) => open.extend([&sides.0, &sides.1]),
                _ => {
                    let why = "a number that falls is made of variables and counters";
                    return refuse(next.span, why, "");
                }
            }
        }
        Ok(())
    }
}
