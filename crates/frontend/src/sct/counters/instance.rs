//! Relates evidence about a counter system to an instance of the process family.

use super::CounterSystem;
use sectile_base::Int;
use sectile_model::{Model, Module, Trace};
use sectile_terms::{Symbol, Terms, Value};

impl CounterSystem {
    /// A size, given or not, that asks for more than this many processes, if there is one.
    pub fn more_processes<'p>(
        &'p self,
        parameters: &'p [(String, String)],
        most: i64,
    ) -> Option<&'p (String, String)> {
        let given = parameters.iter().filter(|(n, _)| self.sizes.contains(n));
        let is_given = |name: &String| parameters.iter().any(|(n, _)| n == name);
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '-');
        let others = self.defaults.iter();
        let others = others.filter(|(n, value)| !is_given(n) && is_number(value));
        let mut sizes = given.chain(others);
        sizes.find(|(_, value)| value.parse::<i64>().map_or(true, |k| k.abs() > most))
    }

    /// The sizes in a run of the counter system.
    pub fn sizes_of_run(
        &self,
        terms: &Terms,
        system: &Model,
        run: &Trace,
    ) -> Vec<(String, String)> {
        let rigid = system.rigid.iter().zip(&run.rigid);
        let size = |(symbol, value): (&Symbol, &Value)| match value {
            Value::Int(k) if self.is_size(terms, *symbol) => {
                Some((terms.name(*symbol).to_string(), k.to_string()))
            }
            _ => None,
        };
        rigid.filter_map(size).collect()
    }

    /// The constants of the counter system that are sizes, with their values in an instance of the
    /// family.
    pub fn constants(&self, terms: &Terms, system: &Model, family: &Module) -> Vec<(Symbol, Int)> {
        let sizes = system.rigid.iter().filter(|s| self.is_size(terms, **s));
        let value = |&symbol: &Symbol| {
            let mut all = family.parameters.iter();
            let (_, value) = all.find(|(n, _)| n == terms.name(symbol))?;
            Some((symbol, value.clone()))
        };
        sizes.filter_map(value).collect()
    }

    fn is_size(&self, terms: &Terms, symbol: Symbol) -> bool {
        self.sizes.iter().any(|n| n == terms.name(symbol))
    }
}
