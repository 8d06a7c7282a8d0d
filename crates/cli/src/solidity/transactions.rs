//! The transactions behind a derivation from clauses of the Solidity compiler.
//!
//! The compiler has a predicate for each contract between two transactions (`interface_`), and one
//! for each function that may be called from outside (`summary_`), whose arguments are the state
//! before and after, inputs and outputs. Names of arguments are those of the variables in clauses:
//! `total_7_0` is the variable `total`, which is number 7 of the compiler, at the first time.

use sectile_base::Int;
use sectile_driver::Loaded;
use sectile_model::Trace;
use sectile_smtlib::export::{Access, Signature};
use sectile_smtlib::{Sexp, Tree, read};
use sectile_terms::{Value, display_value};
use std::collections::BTreeMap;

/// A call from outside, and the state after it.
#[derive(Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The function with its inputs.
    pub call: String,
    /// The values of state variables afterwards.
    pub state: String,
}

/// The transactions of a derivation, in order; the last one fails.
pub fn transactions(loaded: &Loaded, trace: &Trace) -> Vec<Transaction> {
    let Ok(tree) = read(loaded.source.text()) else {
        return Vec::new();
    };
    let reader = Reader {
        loaded,
        trace,
        names: argument_names(&tree),
    };
    let mut list = Vec::new();
    // The last state is `false`; its premise is the target of the check.
    let mut at = reader.premises(trace.steps.len()).first().copied();
    while let Some(state) = at {
        let premises = reader.premises(state);
        let find = |prefix: &str| {
            let mut all = premises.iter().copied();
            all.find(|&p| reader.name(p).starts_with(prefix))
        };
        list.extend(find("summary_").and_then(|s| reader.transaction(s)));
        at = find("interface_");
        if at.is_none() {
            // The constructor comes first, after some predicates of its own.
            break;
        }
    }
    list.reverse();
    list
}

/// For each predicate, the names of the variables used as its arguments in some clause.
fn argument_names<'t>(tree: &'t Tree<'_>) -> BTreeMap<&'t str, Vec<&'t str>> {
    let mut names = BTreeMap::new();
    let mut open: Vec<Sexp> = tree.roots().to_vec();
    while let Some(e) = open.pop() {
        let Some(list) = tree.list(e) else { continue };
        open.extend(list);
        let symbols: Option<Vec<&str>> = list.iter().map(|&e| tree.symbol(e)).collect();
        if let Some([name, arguments @ ..]) = symbols.as_deref()
            && ["summary_", "interface_"]
                .iter()
                .any(|p| name.starts_with(p))
        {
            names.insert(*name, arguments.to_vec());
        }
    }
    names
}

/// Arrays with more elements are told by their length.
const MOST_ELEMENTS: i64 = 8;

/// An argument of a predicate: the variable that stands for it, and its value.
struct Argument<'r> {
    name: &'r str,
    text: String,
    /// Whether it is a single number or truth value. Mappings look like arrays, so others are told of inputs only.
    is_plain: bool,
}

struct Reader<'r> {
    loaded: &'r Loaded,
    trace: &'r Trace,
    names: BTreeMap<&'r str, Vec<&'r str>>,
}

impl Reader<'_> {
    /// The states from which a state was derived.
    fn premises(&self, state: usize) -> Vec<usize> {
        let Some(k) = state.checked_sub(1) else {
            return Vec::new();
        };
        let named = self.trace.steps.get(k).map(|s| s.rests_on.clone());
        let all = named.filter(|n| !n.is_empty()).unwrap_or_else(|| vec![k]);
        all.into_iter().filter(|s| *s > 0).collect()
    }

    fn name(&self, state: usize) -> &str {
        let location = self.trace.states[state].location;
        self.loaded.reading.module.model.location_name(location)
    }

    /// The arguments of the predicate of a state.
    fn arguments(&self, state: usize) -> Option<Vec<Argument<'_>>> {
        let (model, state_of) = (&self.loaded.reading.module.model, &self.trace.states[state]);
        let names = self.names.get(self.name(state))?;
        let signature = self
            .loaded
            .reading
            .signatures
            .get(state_of.location.0 - 1)?;
        let own = model.variables_at(state_of.location).iter();
        let mut values = own.filter_map(|v| {
            let at = model.variables.iter().position(|s| s == v)?;
            state_of.values.get(at)
        });
        let mut found = Vec::new();
        for (name, argument) in names.iter().zip(&signature.arguments) {
            let leaves: Vec<&Value> = values.by_ref().take(argument.leaves.len()).collect();
            let plain = match leaves.as_slice() {
                [value] if argument.leaves[0].is_empty() => self.text(value),
                _ => None,
            };
            found.push(Argument {
                name,
                is_plain: plain.is_some(),
                text: plain.unwrap_or_else(|| self.whole(&leaves)),
            });
        }
        Some(found)
    }

    /// A value that is no plain one: the elements of an array, or the fields of a record.
    fn whole(&self, leaves: &[&Value]) -> String {
        let text = |v: &Value| self.text(v).unwrap_or_else(|| "...".to_string());
        if let [Value::Array(elements), Value::Int(length)] = leaves {
            let count = length.to_i64().filter(|n| (0..=MOST_ELEMENTS).contains(n));
            let Some(count) = count else {
                return format!("[{length} elements]");
            };
            let shown = (0..count).map(|k| text(elements.get(&Value::Int(Int::from(k)))));
            return format!("[{}]", shown.collect::<Vec<_>>().join(", "));
        }
        let fields = leaves.iter().map(|v| text(v));
        format!("({})", fields.collect::<Vec<_>>().join(", "))
    }

    fn text(&self, value: &Value) -> Option<String> {
        match value {
            Value::Array(_) => None,
            _ => Some(display_value(&self.loaded.terms, value)),
        }
    }

    fn transaction(&self, summary: usize) -> Option<Transaction> {
        let arguments = self.arguments(summary)?;
        let state_variables = self.state_variables();
        let count = |base: &str| {
            arguments
                .iter()
                .filter(|a| self::base(a.name) == base)
                .count()
        };
        // Inputs are there before and after; outputs are there after only.
        let mut inputs = Vec::new();
        let mut after: BTreeMap<usize, String> = BTreeMap::new();
        let mut seen: Vec<&str> = Vec::new();
        for argument in &arguments {
            let base = base(argument.name);
            let first = !seen.contains(&base);
            seen.push(base);
            let Some(plain) = plain(base) else {
                continue;
            };
            if let Some(place) = state_variables.iter().position(|v| *v == base) {
                if argument.is_plain {
                    after.insert(place, format!("{plain} = {}", argument.text));
                }
            } else if first && count(base) > 1 {
                inputs.push(argument.text.clone());
            }
        }
        let state: Vec<String> = after.into_values().collect();
        Some(Transaction {
            call: format!(
                "{}({}){}",
                self.function(summary),
                inputs.join(", "),
                self.message(summary)
            ),
            state: state.join(", "),
        })
    }

    /// The state variables of the contract, in order.
    fn state_variables(&self) -> Vec<&str> {
        let interface = self.names.iter().find(|(n, _)| n.starts_with("interface_"));
        let names = interface.map(|(_, names)| names.as_slice());
        let names = names.unwrap_or_default().iter().map(|n| base(n));
        names.filter(|b| plain(b).is_some()).collect()
    }

    /// The contract and the function of a summary: `summary_8_function_bad__62_73` is `bad`.
    fn function(&self, summary: usize) -> String {
        let interface = self.names.keys().find(|n| n.starts_with("interface_"));
        let interface = interface.copied().unwrap_or_default();
        let contract = without_number(interface.trim_start_matches("interface_"), true);
        let contract = without_number(contract, false);
        let rest = self.name(summary).trim_start_matches("summary_");
        if rest.starts_with("constructor") {
            return format!("{contract}.constructor");
        }
        let rest = without_number(rest, true);
        let rest = without_number(without_number(rest, false), false);
        let name = rest.trim_start_matches("function_").trim_end_matches('_');
        format!("{contract}.{name}")
    }

    /// The sender, and the amount of money sent, unless it is zero.
    fn message(&self, summary: usize) -> String {
        let state = &self.trace.states[summary];
        let model = &self.loaded.reading.module.model;
        let signature = self.loaded.reading.signatures.get(state.location.0 - 1);
        let own = model.variables_at(state.location);
        let value = |field: &str| {
            let k = leaf(signature?, field)?;
            let at = model.variables.iter().position(|s| Some(s) == own.get(k))?;
            let text = self.text(state.values.get(at)?)?;
            (text != "0").then(|| format!("{field}: {text}"))
        };
        let all: Vec<String> = ["msg.sender", "msg.value"]
            .into_iter()
            .filter_map(value)
            .collect();
        match all.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", all.join(", ")),
        }
    }
}

/// The position of the leaf with this selector.
fn leaf(signature: &Signature, field: &str) -> Option<usize> {
    let mut leaves = signature.arguments.iter().flat_map(|a| &a.leaves);
    let is_field = |path: &Vec<Access>| match path.as_slice() {
        [Access::Function(name)] => name.trim_matches('|') == field,
        _ => false,
    };
    leaves.position(is_field)
}

/// A variable without its time index: `total_7_1` is `total_7`.
fn base(name: &str) -> &str {
    without_number(name, false)
}

/// The name of a variable of the contract: `total_7` is `total`; `None` for variables of the
/// compiler.
fn plain(base: &str) -> Option<&str> {
    let base = base.strip_suffix("_length_pair").unwrap_or(base);
    let name = without_number(base, false);
    (name.len() < base.len()).then_some(name)
}

/// A name without the number at its start (`3_f`) or at its end (`f_3`).
fn without_number(name: &str, at_start: bool) -> &str {
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let parts = match at_start {
        true => name.split_once('_'),
        false => name.rsplit_once('_').map(|(a, b)| (b, a)),
    };
    match parts {
        Some((number, rest)) if is_number(number) => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{base, plain, without_number};

    #[test]
    fn names_of_the_compiler() {
        assert_eq!(base("total_7_1"), "total_7");
        assert_eq!(plain("total_7"), Some("total"));
        assert_eq!(plain("balance_5_length_pair"), Some("balance"));
        assert_eq!(plain("state"), None);
        assert_eq!(
            without_number("8_function_bad__62_73", true),
            "function_bad__62_73"
        );
        assert_eq!(without_number("Token_73", false), "Token");
    }
}
