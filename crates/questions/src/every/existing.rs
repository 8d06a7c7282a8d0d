//! Candidates that say that a process exists.

use super::words::{Number, Words};
use sectile_terms::Sort;

/// A clause about any number that says that some process exists.
pub struct Existing {
    pub text: String,
    /// The value of the number for which it is used.
    pub value: String,
}

/// The integers of a list.
pub fn integers(list: &[Number]) -> impl Iterator<Item = &str> + Clone {
    let integers = list.iter().filter(|n| n.sort == Sort::Int);
    integers.map(|n| n.text.as_str())
}

/// For every number between two shared ones there is a process that has it.
pub fn tickets(words: &Words, name: &str, range: &str) -> Vec<Existing> {
    let shared = integers(&words.shared_numbers);
    let mut found = Vec::new();
    for low in shared.clone() {
        for high in shared.clone().filter(|h| *h != low) {
            for own in integers(&words.local_numbers) {
                for elsewhere in &words.main {
                    let own = own.replace('@', "i");
                    let elsewhere = elsewhere.text.replace('@', "i");
                    let who = format!("not ({elsewhere}) and {own} = {name}");
                    found.push(Existing {
                        text: format!(
                            "{low} <= {name} and {name} < {high} => exists i in {range}: {who}"
                        ),
                        value: low.to_string(),
                    });
                }
            }
        }
    }
    found
}

/// Some process is at a location, or something holds of the shared variables.
pub fn somebody(words: &Words, range: &str) -> Vec<String> {
    let mut otherwise: Vec<String> = words.shared.iter().map(|c| c.text.clone()).collect();
    for (k, one) in words.shared_numbers.iter().enumerate() {
        let rest = words.shared_numbers[k + 1..].iter().chain(&words.constants);
        let same = rest.filter(|other| other.sort == one.sort);
        otherwise.extend(same.map(|other| format!("{} = {}", one.text, other.text)));
    }
    let mut found = Vec::new();
    for there in &words.main {
        let somebody = format!("exists i in {range}: {}", there.text.replace('@', "i"));
        found.extend(otherwise.iter().map(|o| format!("{o} or ({somebody})")));
        found.push(somebody);
    }
    found
}
