//! The validity question behind every abstract edge, with its answer.

use super::picture::Picture;
use crate::commands::bad;
use crate::commands::prove::values;
use sectile_base::Budget;
use sectile_engine_predabs::{Kind, Transformers};
use sectile_model::Command;
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Sort, Stage, Symbol, Term};
use std::fmt::Write as _;

/// The maximum number of predicates: with more, there are too many questions to read.
const MOST_PREDICATES: usize = 5;

impl Picture<'_> {
    /// The questions, by command. An edge from `A` to `B` exists exactly if `A -> [step] not B` is
    /// not valid.
    ///
    /// Paper: [Fr23, Theorem 6], with the axioms for assignments and tests applied.
    pub fn questions(&mut self, backend: &dyn Backend, budget: &Budget) -> anyhow::Result<String> {
        let (loaded, subject) = (self.loaded, self.subject);
        let variables = self.abstracted.alpha.variables().iter();
        let predicates: Vec<Term> = variables
            .filter(|v| v.kind == Kind::Predicate)
            .map(|v| v.meanings[1])
            .collect();
        if predicates.len() > MOST_PREDICATES {
            let why = format!("--questions shows at most {MOST_PREDICATES} predicates");
            return Err(bad(why));
        }
        let terms = &loaded.terms;
        let states: Vec<Term> = (0..1usize << predicates.len())
            .map(|bits| {
                let literals = predicates.iter().enumerate();
                terms.and(literals.map(|(i, &p)| match bits >> i & 1 {
                    1 => p,
                    _ => terms.not(p),
                }))
            })
            .collect();
        let mut transformers = Transformers::new(terms, &subject.system, backend, budget);
        let mut out = String::from("questions\n");
        for command in subject.system.commands() {
            let _ = writeln!(out, "  {}", command.name);
            for &from in &states {
                for &to in &states {
                    let line = self.question(command, from, to, &mut transformers)?;
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        Ok(out)
    }

    fn question<'t>(
        &mut self,
        command: &Command,
        from: Term,
        to: Term,
        transformers: &mut Transformers<'t>,
    ) -> anyhow::Result<String> {
        let terms = &self.loaded.terms;
        let printer = NativePrinter::new(terms);
        let system = &self.subject.system;
        let step = system.step_formula(terms, command);
        let guards = self.data_guards(command);
        let before = transformers.pre_with(command, &[], to)?;
        let mut reduced = printer.print(terms.simplify(terms.not(before.formula)));
        if !before.exact {
            reduced = format!("{reduced}, roughly");
        }
        let premise = terms.and([from].into_iter().chain(guards.iter().copied()));
        let asked = format!(
            "{} -> [] not ({}), that is {} -> {reduced}",
            printer.print(from),
            printer.print(to),
            printer.print(premise),
        );
        let there = terms.and([from, step, terms.prime(to)]);
        // Only variables that occur in the question are shown.
        let mut wanted: Vec<(Symbol, Stage)> = Vec::new();
        for (symbol, _) in terms.free_vars_of(&[premise, before.formula]) {
            let is_control = matches!(terms.symbol_sort(symbol), Sort::Enum(_));
            if !is_control && !wanted.contains(&(symbol, Stage::Now)) {
                wanted.push((symbol, Stage::Now));
            }
        }
        Ok(match self.prover.model(there, &wanted)? {
            None => format!("{asked}: valid, no edge"),
            Some(model) => {
                let values = values(terms, model.iter());
                match values.is_empty() {
                    true => format!("{asked}: not valid, edge"),
                    false => format!("{asked}: not valid for {values}, edge"),
                }
            }
        })
    }

    /// The guards about data, without those about the program location.
    fn data_guards(&self, command: &Command) -> Vec<Term> {
        let terms = &self.loaded.terms;
        let conjuncts = command.guards.iter().flat_map(|&g| terms.conjuncts(g));
        let is_control = |t: &Term| {
            let used = terms.free_vars(*t);
            let is_enum = |s: Symbol| matches!(terms.symbol_sort(s), Sort::Enum(_));
            !used.is_empty() && used.iter().all(|v| is_enum(v.0))
        };
        conjuncts.filter(|t| !is_control(t)).collect()
    }
}
