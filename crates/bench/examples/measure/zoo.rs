//! Queries about models of the zoo, as SMT-LIB.

use crate::root;
use anyhow::{Context as _, bail, ensure};
use sectile_base::Source;
use sectile_engine::{Unroller, violating_states};
use sectile_frontend::{Frontend as _, ReadOptions, Reading, sct::Sct};
use sectile_model::Model;
use sectile_smtlib::{Logic, Vocabulary, script};
use sectile_terms::{Term, Terms};

/// A model with values of its parameters, and one of its properties.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Its file in `models`, without the ending.
    pub file: &'static str,
    /// Values of parameters.
    pub parameters: &'static [(&'static str, &'static str)],
    /// The property.
    pub property: &'static str,
}

impl Subject {
    /// A name for tables.
    pub fn name(&self) -> String {
        let values = self.parameters.iter().map(|(k, v)| format!(" {k}={v}"));
        format!(
            "{}{} {}",
            self.file,
            values.collect::<String>(),
            self.property
        )
    }

    /// Reads the model.
    pub fn load(&self) -> anyhow::Result<Loaded> {
        let path = root().join("models").join(format!("{}.sct", self.file));
        let text = std::fs::read_to_string(&path).context("a model of the zoo")?;
        let parameters = self.parameters.iter();
        let options = ReadOptions {
            parameters: parameters
                .map(|(k, v)| ((*k).to_string(), (*v).to_string()))
                .collect(),
            ..ReadOptions::default()
        };
        let terms = Terms::new();
        let source = Source::new(self.file, text);
        match Sct.read(&terms, &source, &options) {
            Ok(reading) => Ok(Loaded { terms, reading }),
            Err(diagnostics) => bail!("{}", diagnostics.render(&source)),
        }
    }
}

/// A model that was read.
pub struct Loaded {
    terms: Terms,
    reading: Reading,
}

impl Loaded {
    fn question(&self, property: &str) -> anyhow::Result<(Unroller<'_>, Term)> {
        let module = &self.reading.module;
        let property = module.property(property).context("a property")?;
        let bad = violating_states(&self.terms, &property.kind).context("an invariant")?;
        Ok((Unroller::new(&self.terms, self.system()?), bad))
    }

    fn system(&self) -> anyhow::Result<&Model> {
        let model = &self.reading.module.model;
        ensure!(
            model.is_system(),
            "the zoo's .sct files are transition systems"
        );
        Ok(model)
    }

    /// The incremental search for a violation of 0, 1, ..., `depth` steps, as `bmc` makes it.
    pub fn unrolling(&self, property: &str, depth: u32) -> anyhow::Result<String> {
        let (unroller, bad) = self.question(property)?;
        let mut vocabulary = Vocabulary::new(&self.terms);
        let mut text = String::new();
        let mut logic = Logic::default();
        let mut assert = |t: Term, scoped: bool, text: &mut String| -> anyhow::Result<()> {
            logic = logic.join(Logic::of(&self.terms, &[t]));
            if scoped {
                vocabulary.push();
                text.push_str("(push 1)\n");
            }
            vocabulary.introduce(&[t], text)?;
            text.push_str(&format!("(assert {})\n", vocabulary.text(t)));
            if scoped {
                vocabulary.pop();
                text.push_str("(check-sat)\n(pop 1)\n");
            }
            Ok(())
        };
        assert(unroller.start(), false, &mut text)?;
        for k in 0..=depth {
            if k > 0 {
                assert(unroller.step(k - 1), false, &mut text)?;
            }
            let bad = unroller.at(bad, k);
            assert(bad, true, &mut text)?;
            assert(self.terms.not(bad), false, &mut text)?;
        }
        Ok(format!("(set-logic {})\n{text}", logic.name()))
    }

    /// One query: is there a violation of exactly `depth` steps?
    pub fn violation(&self, property: &str, depth: u32) -> anyhow::Result<String> {
        let (unroller, bad) = self.question(property)?;
        let mut parts = vec![unroller.start()];
        parts.extend((0..depth).map(|k| unroller.step(k)));
        parts.push(unroller.at(bad, depth));
        Ok(script(&self.terms, &parts)?)
    }

    /// One query: are `k` good states in a row followed by a bad one?
    pub fn induction(&self, property: &str, k: u32) -> anyhow::Result<String> {
        let (unroller, bad) = self.question(property)?;
        let mut parts = vec![unroller.any_state(0)];
        for i in 0..k {
            parts.push(self.terms.not(unroller.at(bad, i)));
            parts.push(unroller.step(i));
        }
        parts.push(unroller.at(bad, k));
        Ok(script(&self.terms, &parts)?)
    }

    /// One query for each command: can it lead from a good state to a bad one?
    pub fn edges(&self, property: &str) -> anyhow::Result<String> {
        let (unroller, bad) = self.question(property)?;
        let terms = &self.terms;
        let before = [unroller.any_state(0), terms.not(unroller.at(bad, 0))];
        let mut vocabulary = Vocabulary::new(terms);
        let mut text = String::new();
        let mut logic = Logic::default();
        for command in self.system()?.commands() {
            let step = terms.at_step(command.formula(terms), 0);
            let parts = [before[0], before[1], step, unroller.at(bad, 1)];
            logic = logic.join(Logic::of(terms, &parts));
            text.push_str("(push 1)\n");
            vocabulary.push();
            vocabulary.introduce(&parts, &mut text)?;
            for t in parts {
                text.push_str(&format!("(assert {})\n", vocabulary.text(t)));
            }
            text.push_str("(check-sat)\n(pop 1)\n");
            vocabulary.pop();
        }
        Ok(format!("(set-logic {})\n{text}", logic.name()))
    }
}
