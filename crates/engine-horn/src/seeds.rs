//! Abstraction predicates to begin with: the conditions of the rules that are about arguments.

use crate::rule::Rule;
use sectile_model::HornClauses;
use sectile_model::horn::Application;
use sectile_terms::{Node, Substitution, Term, Terms};

/// More conditions of one predicate are not taken.
const MOST: usize = 12;

/// For each predicate, conditions on its parameters that rules test, and their opposites.
pub(crate) fn seeds(terms: &Terms, clauses: &HornClauses, rules: &[Rule]) -> Vec<Vec<Term>> {
    let mut found: Vec<Vec<Term>> = vec![Vec::new(); clauses.predicates.len()];
    for rule in rules {
        let atoms = terms.atoms(rule.constraint_formula(terms));
        for application in rule.body.iter().chain(&rule.head) {
            let map = parameters(terms, clauses, application);
            let known = &mut found[application.predicate];
            for &atom in &atoms {
                let vars = terms.free_vars(atom);
                let mut vars = vars.iter().map(|v| terms.var_at(v.0, v.1));
                let about = !terms.free_vars(atom).is_empty() && vars.all(|v| map.contains_key(&v));
                let here = terms.substitute(atom, &map);
                let opposite = terms.not(here);
                let is_new = !known.contains(&here) && !known.contains(&opposite);
                if about && is_new && known.len() < 2 * MOST && terms.as_bool(here).is_none() {
                    known.extend([here, opposite]);
                }
            }
        }
    }
    found
}

/// The parameters for which variables stand as arguments.
fn parameters(terms: &Terms, clauses: &HornClauses, application: &Application) -> Substitution {
    let mut map = Substitution::default();
    let parameters = &clauses.predicates[application.predicate].parameters;
    for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
        if let Node::Var(..) = terms.node(argument) {
            map.entry(argument).or_insert(terms.var(parameter));
        }
    }
    map
}
