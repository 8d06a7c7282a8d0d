//! Replaces applications of functions by variables.

use rustc_hash::FxHashMap;
use sectile_solver::ModelView;
use sectile_terms::{Node, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value};

/// An application with function-free arguments, and its variable.
pub(crate) struct Application {
    pub function: Symbol,
    pub arguments: Vec<Term>,
    pub variable: Term,
}

/// The applications that were replaced so far.
pub(crate) struct Purifier<'t> {
    terms: &'t Terms,
    pub applications: Vec<Application>,
    /// By application: its variable.
    pure: FxHashMap<Term, Term>,
    /// By variable: its application.
    real: Substitution,
}

impl<'t> Purifier<'t> {
    pub fn new(terms: &'t Terms) -> Purifier<'t> {
        Purifier {
            terms,
            applications: Vec::new(),
            pure: FxHashMap::default(),
            real: Substitution::default(),
        }
    }

    /// The term with a variable in place of each application.
    pub fn pure(&mut self, root: Term) -> Term {
        let terms = self.terms;
        for t in terms.post_order_unless(&[root], |t| self.pure.contains_key(&t)) {
            let pure = match terms.application(t) {
                Some((function, arguments)) => {
                    let arguments = arguments.iter().map(|a| self.pure[a]);
                    let arguments = arguments.collect();
                    self.replaced(t, function, arguments)
                }
                None if terms.is_partial_application(t) => t,
                None => terms.rebuild(t, |c| self.pure[&c]),
            };
            self.pure.insert(t, pure);
        }
        self.pure[&root]
    }

    /// The variable of an application, the same in every query.
    fn replaced(&mut self, t: Term, function: Symbol, arguments: Vec<Term>) -> Term {
        let terms = self.terms;
        let name = format!("{}!{}", terms.name(function), t.index());
        let (sort, kind) = (terms.sort(t), SymbolKind::Rigid);
        let symbol = terms.declare(&name, sort, kind);
        let variable = terms.var(symbol.unwrap_or_else(|_| terms.fresh(&name, sort, kind)));
        self.real.insert(variable, t);
        self.applications.push(Application {
            function,
            arguments,
            variable,
        });
        variable
    }

    /// The variable of a function applied to function-free arguments, and whether it is new.
    pub fn apply(&mut self, function: Symbol, arguments: &[Term]) -> bool {
        let arguments: Vec<Term> = arguments.iter().map(|&a| self.real(a)).collect();
        let before = self.applications.len();
        self.pure(self.terms.apply(function, &arguments));
        self.applications.len() > before
    }

    /// The term with the applications restored.
    pub fn real(&self, t: Term) -> Term {
        self.terms.substitute(t, &self.real)
    }

    /// Whether an application mentions one of some variables.
    pub fn applies_to(&self, vars: &[Term]) -> bool {
        let arguments = self.applications.iter().flat_map(|a| &a.arguments);
        let arguments: Vec<Term> = arguments.copied().collect();
        let mentioned = self.terms.post_order(&arguments);
        mentioned.iter().any(|t| vars.contains(t))
    }

    /// Equal arguments give equal results, for two applications of one function.
    pub fn congruence(&self, pair: (usize, usize)) -> Term {
        let terms = self.terms;
        let (s, t) = (&self.applications[pair.0], &self.applications[pair.1]);
        let arguments = s.arguments.iter().zip(&t.arguments);
        let differ = arguments.map(|(&a, &b)| terms.neq(a, b));
        terms.or(differ.chain([terms.eq(s.variable, t.variable)]))
    }
}

/// A model in which the variables of applications have the values of the applications.
pub(crate) struct PureModel<'p, 't> {
    pub purifier: &'p Purifier<'t>,
    pub model: &'p dyn ModelView,
}

impl ModelView for PureModel<'_, '_> {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        let Purifier { terms, real, .. } = self.purifier;
        match real.get(&terms.var_at(symbol, stage)) {
            Some(&application) => self.model.eval(terms, application).ok(),
            None => self.model.value(symbol, stage),
        }
    }
}

/// Whether a formula mentions a function.
pub(crate) fn has_functions(terms: &Terms, formulas: &[Term]) -> bool {
    let is_function = |t: &Term| matches!(*terms.node(*t), Node::Var(s, _) if terms.is_function(s));
    terms.has_functions() && terms.post_order(formulas).iter().any(is_function)
}
