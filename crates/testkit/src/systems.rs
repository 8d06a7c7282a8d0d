//! Random finite systems with random CTL formulas, and damaged evidence.

use crate::verdicts::{accepted, explored, run, settings};
use sectile_base::{Rng, Span};
use sectile_certify::Claim;
use sectile_engine::Engine;
use sectile_model::{
    Certificate, Command, Ctl, Diagram, DiagramProof, Initial, Model, Property, PropertyKind, Task,
    Update, Verdict,
};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use sectile_transform::run_engine;

/// Numbers are between 0 and this.
pub const HIGH: i64 = 3;

struct Random<'r> {
    rng: Rng,
    /// Whether sums and multiples occur, which zones do not support.
    sums: bool,
    terms: &'r Terms,
    flag: Symbol,
    numbers: [Symbol; 2],
}

impl Random<'_> {
    fn number(&self, n: i64) -> Term {
        self.terms.int(n)
    }

    fn operand(&mut self) -> Term {
        match self.rng.below(3) {
            0 => {
                let n = self.rng.range(0..=HIGH);
                self.number(n)
            }
            k => self.terms.var(self.numbers[k as usize - 1]),
        }
    }

    /// A sum or a multiple of variables.
    fn sum(&mut self) -> Term {
        let (a, b) = (self.operand(), self.operand());
        let factor = sectile_base::Rat::from(self.rng.range(1..=2));
        self.terms.add(self.terms.scale(a, &factor), b)
    }

    fn atom(&mut self) -> Term {
        let (mut a, b) = (self.operand(), self.operand());
        if self.sums && self.rng.chance(1, 2) {
            a = self.sum();
        }
        match self.rng.below(5) {
            0 => self.terms.var(self.flag),
            1 => self.terms.not(self.terms.var(self.flag)),
            2 => self.terms.eq(a, b),
            3 => self.terms.le(a, b),
            _ => self.terms.lt(a, b),
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.atom(), self.atom());
        match self.rng.below(3) {
            0 => a,
            1 => self.terms.or2(a, b),
            _ => self.terms.and2(a, b),
        }
    }

    fn command(&mut self, k: usize) -> Command {
        let mut command = Command::new(format!("c{k}"), Span::new(0, 0));
        command.guards.push(self.formula());
        for symbol in self.numbers {
            // A variable without an update may become anything within its range.
            if self.rng.chance(1, 6) {
                continue;
            }
            let value = match self.rng.below(4) {
                0 => self.terms.var(symbol),
                1 if self.sums => self.sum(),
                1 => self.operand(),
                2 => self.terms.add(self.terms.var(symbol), self.number(1)),
                _ => self.terms.sub(self.terms.var(symbol), self.number(1)),
            };
            command.updates.push(Update { symbol, value });
        }
        let value = match self.rng.below(3) {
            0 => self.terms.var(self.flag),
            1 => self.terms.not(self.terms.var(self.flag)),
            _ => self.formula(),
        };
        let symbol = self.flag;
        command.updates.push(Update { symbol, value });
        command
    }

    fn system(&mut self) -> Model {
        let range = |s: &Symbol| {
            let x = self.terms.var(*s);
            let low = self.terms.le(self.number(0), x);
            [low, self.terms.le(x, self.number(HIGH))]
        };
        let restrict = self.numbers.iter().flat_map(range).collect();
        let init = vec![self.formula()];
        let count = 1 + self.rng.below(4) as usize;
        Model {
            name: "random".to_string(),
            variables: vec![self.flag, self.numbers[0], self.numbers[1]],
            init,
            restrict,
            ..Model::system((0..count).map(|k| self.command(k)).collect())
        }
    }

    fn ctl(&mut self, depth: u32) -> Ctl {
        let leaf = Ctl::State(self.formula());
        if depth == 0 {
            return leaf;
        }
        let a = Box::new(self.ctl(depth - 1));
        let other = self.rng.below(u64::from(depth)) as u32;
        let b = Box::new(self.ctl(other));
        match self.rng.below(14) {
            0 => Ctl::Not(a),
            1 => Ctl::And(a, b),
            2 => Ctl::Or(a, b),
            3 => Ctl::Ex(a),
            4 => Ctl::Ax(a),
            5 => Ctl::Ef(a),
            6 => Ctl::Af(a),
            7 => Ctl::Eg(a),
            8 => Ctl::Ag(a),
            9 => Ctl::Eu(a, b),
            10 => Ctl::Au(a, b),
            11 => Ctl::Ew(a, b),
            12 => Ctl::Aw(a, b),
            _ => leaf,
        }
    }
}

/// A damaged version of the evidence, which should be refused.
pub fn damaged(certificate: &Certificate, rng: &mut Rng) -> Option<Certificate> {
    let proof = match certificate {
        Certificate::Ctl(proof) => proof,
        Certificate::Diagrams(proof) => return Some(damaged_diagrams(proof, rng)),
        _ => return None,
    };
    let mut proof = proof.clone();
    let root = proof.claims.len() - 1;
    match rng.below(3) {
        0 => proof.claims[root].clear(),
        1 => proof.initial = Initial::All(Vec::new()),
        _ => {
            let k = rng.below(proof.claims.len() as u64) as usize;
            proof.claims.remove(k);
        }
    }
    Some(Certificate::Ctl(proof))
}

fn damaged_diagrams(proof: &DiagramProof, rng: &mut Rng) -> Certificate {
    let mut proof = proof.clone();
    match rng.below(3) {
        0 => proof.sets.truncate(proof.sets.len() - 1),
        1 => {
            let last = proof.sets.len() - 1;
            proof.sets[last] = Diagram::EMPTY;
        }
        _ => {
            let last = proof.sets.len() - 1;
            proof.sets[last] = proof.diagram.nodes.len() + Diagram::FIRST;
        }
    }
    Certificate::Diagrams(Box::new(proof))
}

/// A random system with a random formula, and the verdict of explicit search.
pub struct Example {
    /// The store of its terms.
    pub terms: Terms,
    /// The system.
    pub model: Model,
    /// The formula.
    pub property: Property,
    /// The verdict of explicit search.
    pub expected: Claim,
    /// Number of states in the explicit search.
    pub states: usize,
    /// For further random choices.
    pub rng: Rng,
}

/// The example of a seed; `sums` enables sums and multiples, which zones do not support.
pub fn example(seed: u64, sums: bool) -> Example {
    let terms = Terms::new();
    let flag = terms.declare("b", Sort::Bool, SymbolKind::State).unwrap();
    let x = terms.declare("x", Sort::Int, SymbolKind::State).unwrap();
    let y = terms.declare("y", Sort::Int, SymbolKind::State).unwrap();
    let mut random = Random {
        rng: Rng::new(seed),
        sums,
        terms: &terms,
        flag,
        numbers: [x, y],
    };
    let system = random.system();
    let depth = 1 + random.rng.below(3) as u32;
    let formula = random.ctl(depth);
    let rng = random.rng;
    Example::new(terms, system, PropertyKind::Ctl(formula), rng)
}

impl Example {
    /// A model with a property, and the verdict of explicit search.
    pub fn new(terms: Terms, model: Model, kind: PropertyKind, rng: Rng) -> Example {
        let mut example = Example {
            terms,
            model,
            property: Property {
                name: "f".to_string(),
                kind,
                span: Span::new(0, 0),
            },
            expected: Claim::Holds,
            states: 0,
            rng,
        };
        (example.expected, example.states) = explored(&example.task());
        example
    }

    /// The model with the property.
    pub fn task(&self) -> Task<'_> {
        Task {
            terms: &self.terms,
            model: &self.model,
            property: &self.property,
        }
    }
}

/// The verdict of an engine with some options.
pub fn verdict_of(engine: &dyn Engine, task: &Task<'_>, settings: &[(&str, &str)]) -> Verdict {
    run_engine(engine, task, &mut run(&self::settings(settings))).unwrap()
}

/// The claim, after a check of its evidence; evidence for the opposite must be refused.
pub fn checked(seed: u64, example: &mut Example, verdict: Verdict) -> Option<Claim> {
    let (claim, opposite, certificate) = match verdict {
        Verdict::Holds(c) => (Claim::Holds, Claim::Violated, c),
        Verdict::Violated(c) => (Claim::Violated, Claim::Holds, c),
        Verdict::Unknown(_) => return None,
    };
    let kind = &example.property.kind;
    assert_eq!(claim, example.expected, "seed {seed}: {kind:?}");
    let task = example.task();
    assert!(
        accepted(&task, claim, &certificate),
        "seed {seed}: evidence"
    );
    assert!(
        !accepted(&task, opposite, &certificate),
        "seed {seed}: opposite"
    );
    // Without initial states, nothing has to be proved.
    let wrong = damaged(&certificate, &mut example.rng);
    if let Some(wrong) = wrong.filter(|_| example.states > 0) {
        assert!(
            !accepted(&example.task(), claim, &wrong),
            "seed {seed}: damaged evidence"
        );
    }
    Some(claim)
}
