//! Formulas that require goals to be reachable from all reachable states.

use sectile_model::{NormalCtl, NormalPart, Paths, Task};
use sectile_terms::Term;

/// A condition on every reachable state: one of these formulas holds, or the goal can be reached.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Parts that are formulas about the state.
    pub states: Vec<usize>,
    /// The part stating that a goal can be reached and the part that is the goal, if there is one.
    pub goal: Option<(usize, usize)>,
}

/// A formula in normal form, as clauses about all reachable states.
pub struct Shape {
    /// The formula.
    pub formula: NormalCtl,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

const REFUSED: &str = "it takes conjunctions of `AG f` only, where `f` is made of conditions on \
                       states and `EF p` by `and`, `or` and `=>`";

impl Shape {
    /// The clauses of a property, or why it has none.
    pub fn of(task: &Task<'_>) -> Result<Shape, String> {
        let formula = NormalCtl::of_property(task.terms, &task.property.kind, true);
        let formula = formula.ok_or("it takes CTL without locations")?;
        let mut shape = Shape {
            formula,
            clauses: Vec::new(),
        };
        let tops = shape.conjuncts(shape.formula.root());
        for top in tops {
            let NormalPart::Weak(Paths::All, body, never) = shape.formula.parts[top] else {
                return Err(REFUSED.to_string());
            };
            if shape.state(never) != Some(task.terms.ff()) {
                return Err(REFUSED.to_string());
            }
            for part in shape.conjuncts(body) {
                let clause = shape.clause(part, task.terms.tt());
                shape.clauses.push(clause.ok_or(REFUSED)?);
            }
        }
        match shape.clauses.iter().any(|c| c.goal.is_some()) {
            true => Ok(shape),
            false => Err(REFUSED.to_string()),
        }
    }

    /// The state formula, if the part is one.
    pub fn state(&self, part: usize) -> Option<Term> {
        match self.formula.parts[part] {
            NormalPart::State(p) => Some(p),
            _ => None,
        }
    }

    fn conjuncts(&self, part: usize) -> Vec<usize> {
        self.flat(part, |p| match p {
            NormalPart::And(a, b) => Some([a, b]),
            _ => None,
        })
    }

    fn disjuncts(&self, part: usize) -> Vec<usize> {
        self.flat(part, |p| match p {
            NormalPart::Or(a, b) => Some([a, b]),
            _ => None,
        })
    }

    fn flat(&self, part: usize, split: impl Fn(NormalPart) -> Option<[usize; 2]>) -> Vec<usize> {
        let (mut found, mut work) = (Vec::new(), vec![part]);
        while let Some(part) = work.pop() {
            match split(self.formula.parts[part]) {
                Some([a, b]) => work.extend([b, a]),
                None => found.push(part),
            }
        }
        found
    }

    fn clause(&self, part: usize, everything: Term) -> Option<Clause> {
        let mut clause = Clause {
            states: Vec::new(),
            goal: None,
        };
        for part in self.disjuncts(part) {
            match self.formula.parts[part] {
                NormalPart::State(_) => clause.states.push(part),
                NormalPart::Until(Paths::Some, before, goal)
                    if clause.goal.is_none()
                        && self.state(before) == Some(everything)
                        && self.state(goal).is_some() =>
                {
                    clause.goal = Some((part, goal));
                }
                _ => return None,
            }
        }
        Some(clause)
    }
}
