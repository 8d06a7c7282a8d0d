//! Constrained Horn clauses, with interpretations that satisfy and derivations that refute them.
//!
//! The clauses are satisfiable if some [`Interpretation`] of the predicates makes all of them true.
//! They are unsatisfiable if there is a [`Derivation`] of `false`.

use sectile_base::Span;
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// An uninterpreted predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name in the file.
    pub name: String,
    /// One symbol for each argument, used in meanings. Predicates may share symbols.
    pub parameters: Vec<Symbol>,
    /// The position of its declaration.
    pub span: Span,
}

/// A predicate with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// The position of the predicate.
    pub predicate: usize,
    /// The arguments, over the variables of the clause.
    pub arguments: Vec<Term>,
}

/// `forall variables. body and constraint => head`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its position.
    pub span: Span,
    /// The variables, as symbols.
    pub variables: Vec<Symbol>,
    /// The names of the variables in the file.
    pub names: Vec<String>,
    /// The predicates of the body.
    pub body: Vec<Application>,
    /// Conjuncts without predicates.
    pub constraint: Vec<Term>,
    /// The predicate of the head; a clause without one is a query.
    pub head: Option<Application>,
}

impl Clause {
    /// A clause over all variables that occur in it, under their own names.
    pub fn closed(
        terms: &Terms,
        span: Span,
        body: Vec<Application>,
        constraint: Vec<Term>,
        head: Option<Application>,
    ) -> Clause {
        let applications = body.iter().chain(&head);
        let mut all: Vec<Term> = applications.flat_map(|a| a.arguments.clone()).collect();
        all.extend(&constraint);
        let variables: BTreeSet<Symbol> = terms.free_vars_of(&all).iter().map(|v| v.0).collect();
        let names = variables.iter().map(|&v| terms.name(v).to_string());
        Clause {
            span,
            names: names.collect(),
            variables: variables.into_iter().collect(),
            body,
            constraint,
            head,
        }
    }

    /// The same clause over fresh variables with the old names, so that it shares none with
    /// predicates. Symbolic constants are global and stay.
    pub fn renamed_apart(&self, terms: &Terms) -> Clause {
        let named = self.variables.iter().zip(&self.names);
        let named = named.filter(|(v, _)| terms.symbol_kind(**v) != SymbolKind::Rigid);
        let renamed = named.map(|(&old, name)| {
            let new = terms.fresh(name, terms.symbol_sort(old), SymbolKind::Input);
            (old, new, name.clone())
        });
        let renamed: Vec<(Symbol, Symbol, String)> = renamed.collect();
        let pairs = renamed.iter();
        let map: Substitution = { pairs.clone() }
            .map(|(old, new, _)| (terms.var(*old), terms.var(*new)))
            .collect();
        let said = |t: &Term| terms.substitute(*t, &map);
        let of = |a: &Application| Application {
            predicate: a.predicate,
            arguments: a.arguments.iter().map(said).collect(),
        };
        Clause {
            span: self.span,
            variables: pairs.clone().map(|(_, new, _)| *new).collect(),
            names: pairs.map(|(_, _, name)| name.clone()).collect(),
            body: self.body.iter().map(of).collect(),
            constraint: self.constraint.iter().map(said).collect(),
            head: self.head.as_ref().map(of),
        }
    }

    /// The constraint as one formula.
    pub fn constraint_formula(&self, terms: &Terms) -> Term {
        terms.and(self.constraint.iter().copied())
    }
}

/// Clauses about predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HornClauses {
    /// Their name, usually the file's stem.
    pub name: String,
    /// The predicates, in the order of their declarations.
    pub predicates: Vec<Predicate>,
    /// The clauses, in the order of the source.
    pub clauses: Vec<Clause>,
}

/// A formula for each predicate, over its parameters.
pub type Interpretation = Vec<Term>;

/// The meaning of an application under an interpretation.
pub fn applied(
    terms: &Terms,
    clauses: &HornClauses,
    interpretation: &[Term],
    application: &Application,
) -> Term {
    let parameters = &clauses.predicates[application.predicate].parameters;
    let pairs = parameters.iter().zip(&application.arguments);
    let map: Substitution = pairs.map(|(&p, &a)| (terms.var(p), a)).collect();
    terms.substitute(interpretation[application.predicate], &map)
}

/// A clause with values for its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The position of the clause.
    pub clause: usize,
    /// The values of its variables, in its order.
    pub values: Vec<Value>,
    /// For each predicate of the body, the earlier instance that derives it.
    pub premises: Vec<usize>,
}

/// Instances of clauses, each with earlier ones as premises; the last one is an instance of a
/// query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The instances.
    pub instances: Vec<Instance>,
}

impl Derivation {
    /// The same derivation without duplicates and unused instances.
    pub fn shared(&self, terms: &Terms, clauses: &HornClauses) -> Derivation {
        let mut first: BTreeMap<(usize, Vec<Value>), usize> = BTreeMap::new();
        let stands_for = |(k, instance): (usize, &Instance)| {
            let clause = clauses.clauses.get(instance.clause);
            let head = clause.and_then(|c| c.head.as_ref());
            let fact = head.and_then(|h| {
                let arguments = instance.arguments(terms, clauses, h)?;
                Some((h.predicate, arguments))
            });
            fact.map_or(k, |fact| *first.entry(fact).or_insert(k))
        };
        let instances = self.instances.iter().enumerate();
        let stands_for: Vec<usize> = instances.map(stands_for).collect();
        let premise = |p: &usize| stands_for.get(*p).copied().unwrap_or(*p);
        let mut needed = vec![false; self.instances.len()];
        needed.last_mut().into_iter().for_each(|last| *last = true);
        for (k, instance) in self.instances.iter().enumerate().rev() {
            if needed[k] {
                let rests = instance.premises.iter().map(premise);
                rests.filter(|&p| p < k).for_each(|p| needed[p] = true);
            }
        }
        let mut place = vec![usize::MAX; self.instances.len()];
        let mut kept: Vec<Instance> = Vec::new();
        for (k, instance) in self
            .instances
            .iter()
            .enumerate()
            .filter(|(k, _)| needed[*k])
        {
            place[k] = kept.len();
            let rests = instance.premises.iter().map(premise);
            let premises = rests.map(|p| place.get(p).copied().unwrap_or(usize::MAX));
            kept.push(Instance {
                premises: premises.collect(),
                ..instance.clone()
            });
        }
        Derivation { instances: kept }
    }
}

impl Instance {
    /// The value of a term over the variables of the clause; `None` if it has none.
    pub fn value(&self, terms: &Terms, clauses: &HornClauses, t: Term) -> Option<Value> {
        let variables = &clauses.clauses.get(self.clause)?.variables;
        let valuation = |symbol: Symbol, _: Stage| {
            let at = variables.iter().position(|v| *v == symbol)?;
            self.values.get(at).cloned()
        };
        evaluate(terms, t, &valuation).ok()
    }

    /// The values of the arguments of an application in the clause.
    pub fn arguments(
        &self,
        terms: &Terms,
        clauses: &HornClauses,
        application: &Application,
    ) -> Option<Vec<Value>> {
        let arguments = application.arguments.iter();
        arguments.map(|&a| self.value(terms, clauses, a)).collect()
    }
}
