//! The contents of a file: a model, its properties and the expected verdicts.

use crate::model::Model;
use crate::property::Property;
use sectile_base::Int;
use sectile_terms::Terms;

/// A model with its properties.
#[derive(Clone, Debug)]
pub struct Module {
    /// The model.
    pub model: Model,
    /// Its properties, in the order of the source.
    pub properties: Vec<Property>,
    /// Parameters with the values used, in the order of the source.
    pub parameters: Vec<(String, Int)>,
    /// Verdicts expected by header comments of the file.
    pub expectations: Vec<Expectation>,
    /// Sizes of state spaces expected by header comments of the file.
    pub state_spaces: Vec<StateSpace>,
}

impl Module {
    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.name == name)
    }

    /// The expectation of a property under the parameters in use. A header that does not name one
    /// of the `given` parameters does not apply, because it may be about another value.
    pub fn expectation(&self, property: &str, given: &[(String, String)]) -> Option<&Expectation> {
        let used = |(name, value): &(String, Int)| {
            let mut parameters = self.parameters.iter();
            parameters.any(|(n, v)| n == name && v == value)
        };
        let fits = |e: &&Expectation| {
            let named = |name: &str| e.parameters.iter().any(|(n, _)| n == name);
            e.property == property
                && given.iter().all(|(name, _)| named(name))
                && e.parameters.iter().all(used)
        };
        self.expectations.iter().find(fits)
    }
}

/// An expected verdict: `// expect(n=2, bug=1): mutex violated in 6 steps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Parameter values under which it is expected.
    pub parameters: Vec<(String, Int)>,
    /// The property.
    pub property: String,
    /// The expected verdict.
    pub expected: Expected,
}

/// An expected verdict of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It holds.
    Holds,
    /// It is violated; the number of steps of the shortest run, if known.
    Violated(Option<usize>),
}

/// An expected state space: `// explore(n=5): 20 states, 0 deadlocks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpace {
    /// Parameter values under which it is expected.
    pub parameters: Vec<(String, Int)>,
    /// Number of reachable states.
    pub states: usize,
    /// Number of states without a step, if given.
    pub deadlocks: Option<usize>,
}

/// One question: whether the model has the property.
#[derive(Clone, Copy)]
pub struct Task<'m> {
    /// The store of all terms in the model and the property.
    pub terms: &'m Terms,
    /// The model.
    pub model: &'m Model,
    /// The property.
    pub property: &'m Property,
}

impl<'m> Task<'m> {
    /// The question whether a model has a property.
    ///
    /// A property that needs a monitor is about the model with its monitor.
    pub fn new(terms: &'m Terms, model: &'m Model, property: &'m Property) -> Task<'m> {
        Task {
            terms,
            model: model.for_property(&property.name),
            property,
        }
    }

    /// The locations that must not be reached; an error for other kinds of properties.
    pub fn errors(&self) -> Result<Vec<usize>, String> {
        let errors = self.property.errors()?;
        Ok(errors.iter().map(|e| e.0).collect())
    }

    /// The same question about the program whose calls are replaced by contracts.
    pub fn by_contract(&self) -> Option<Task<'m>> {
        let contracts = self.model.contracts.as_deref()?;
        let mut properties = contracts.properties.iter();
        let property = properties.find(|p| p.name == self.property.name)?;
        Some(Task::new(self.terms, &contracts.model, property))
    }

    /// The model, if it has only one location.
    pub fn system(&self) -> Result<&'m Model, String> {
        match self.model.is_system() {
            true => Ok(self.model),
            false => Err("it takes transition systems only".to_string()),
        }
    }
}
