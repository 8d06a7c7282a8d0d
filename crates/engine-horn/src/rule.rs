//! Rules: the engine's form of clauses, with the clauses each rule was made of.

use sectile_base::Rat;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Instance};
use sectile_terms::{
    Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate,
};

/// `body and constraint => head`, over symbols that occur in no other rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub body: Vec<Application>,
    pub constraint: Vec<Term>,
    /// The head; `None` in queries, which derive `false`.
    pub head: Option<Application>,
    /// The clauses from which it was made; the first one has the head of the rule.
    pub origin: Vec<Origin>,
    /// Its size, for comparisons.
    pub size: usize,
}

/// All rules, with the original clauses.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'r> {
    pub terms: &'r Terms,
    pub clauses: &'r HornClauses,
    pub list: &'r [Rule],
}

impl Rules<'_> {
    /// The names of the clauses in a rule.
    pub fn name_of(&self, rule: usize) -> String {
        let origin = self.list[rule].origin.iter();
        let numbers: Vec<String> = origin.map(|o| (o.clause + 1).to_string()).collect();
        let word = if numbers.len() == 1 {
            "clause"
        } else {
            "clauses"
        };
        format!("{word} {}", numbers.join(", "))
    }
}

/// A clause in a rule.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub clause: usize,
    /// The values of its variables, over the variables of the rule.
    pub values: Vec<Term>,
    pub premises: Vec<Premise>,
}

/// The premise of a predicate in the body of a clause inside a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Premise {
    /// The application at this position of the rule's body.
    Body(usize),
    /// The head of this clause of the rule.
    Inner(usize),
}

/// The rules of the clauses, without irrelevant queries.
pub(crate) fn rules(terms: &Terms, clauses: &HornClauses, queries: &[usize]) -> Vec<Rule> {
    let mut found = Vec::new();
    for (i, clause) in clauses.clauses.iter().enumerate() {
        if clause.head.is_none() && !queries.contains(&i) {
            continue;
        }
        let origin = Origin {
            clause: i,
            values: clause.variables.iter().map(|&v| terms.var(v)).collect(),
            premises: (0..clause.body.len()).map(Premise::Body).collect(),
        };
        let rule = Rule {
            body: clause.body.clone(),
            constraint: clause.constraint.clone(),
            head: clause.head.clone(),
            origin: vec![origin],
            size: 0,
        };
        let mut rule = rule.renamed(terms);
        rule.simplify(terms);
        if !rule.is_void(terms) {
            found.push(rule);
        }
    }
    found
}

impl Rule {
    /// All terms in the rule that affect its meaning.
    fn parts(&self) -> Vec<Term> {
        let applications = self.body.iter().chain(&self.head);
        let arguments = applications.flat_map(|a| a.arguments.iter().copied());
        arguments.chain(self.constraint.iter().copied()).collect()
    }

    /// The variables of the rule, including those needed only for evidence.
    pub fn variables(&self, terms: &Terms) -> Vec<Symbol> {
        let mut all = self.parts();
        all.extend(self.origin.iter().flat_map(|o| o.values.iter().copied()));
        let vars = terms.free_vars_of(&all);
        vars.into_iter().map(|(symbol, _)| symbol).collect()
    }

    pub fn constraint_formula(&self, terms: &Terms) -> Term {
        terms.and(self.constraint.iter().copied())
    }

    /// Whether the constraint is trivially false.
    pub fn is_void(&self, terms: &Terms) -> bool {
        self.constraint_formula(terms) == terms.ff()
    }

    fn substitute(&mut self, terms: &Terms, map: &Substitution) {
        let replace = |t: &mut Term| *t = terms.substitute(*t, map);
        let applications = self.body.iter_mut().chain(&mut self.head);
        applications
            .flat_map(|a| &mut a.arguments)
            .for_each(replace);
        self.constraint.iter_mut().for_each(replace);
        let origin = self.origin.iter_mut();
        origin.flat_map(|o| &mut o.values).for_each(replace);
    }

    /// The same rule over fresh symbols.
    pub fn renamed(mut self, terms: &Terms) -> Rule {
        let fresh = |symbol: Symbol| {
            let sort = terms.symbol_sort(symbol);
            terms.var(terms.fresh("h", sort, SymbolKind::State))
        };
        let variables = self.variables(terms);
        let map: Substitution = variables
            .into_iter()
            .map(|v| (terms.var(v), fresh(v)))
            .collect();
        self.substitute(terms, &map);
        self
    }

    /// Replaces a predicate in this rule's body by the body of a rule for it.
    pub fn resolved(&self, terms: &Terms, position: usize, with: &Rule) -> Rule {
        let with = with.clone().renamed(terms);
        let mut rule = self.clone();
        let used = rule.body.remove(position);
        let offset = rule.origin.len();
        let inserted = with.body.len();
        let outer = |premise: &mut Premise| {
            if let Premise::Body(i) = *premise {
                *premise = match i.cmp(&position) {
                    std::cmp::Ordering::Less => Premise::Body(i),
                    std::cmp::Ordering::Equal => Premise::Inner(offset),
                    std::cmp::Ordering::Greater => Premise::Body(i + inserted - 1),
                };
            }
        };
        let origins = rule.origin.iter_mut();
        origins.flat_map(|o| &mut o.premises).for_each(outer);
        let mut inner = with.origin;
        for premise in inner.iter_mut().flat_map(|o| &mut o.premises) {
            *premise = match *premise {
                Premise::Body(i) => Premise::Body(i + position),
                Premise::Inner(i) => Premise::Inner(i + offset),
            };
        }
        rule.origin.extend(inner);
        rule.body.splice(position..position, with.body);
        rule.constraint.extend(with.constraint);
        if let Some(head) = with.head {
            let pairs = head.arguments.iter().zip(&used.arguments);
            rule.constraint.extend(pairs.map(|(&a, &b)| terms.eq(a, b)));
        }
        rule.simplify(terms);
        rule
    }

    /// Splits conjunctions and eliminates variables that equations define.
    pub fn simplify(&mut self, terms: &Terms) {
        loop {
            let whole = self.constraint_formula(terms);
            self.constraint = terms.conjuncts(whole);
            let mut parts = self.constraint.iter().enumerate();
            let solved = parts.find_map(|(i, &part)| Some((i, solution(terms, part)?)));
            let Some((i, (variable, value))) = solved else {
                self.size = terms.size(whole) + self.body.len() + 1;
                return;
            };
            self.constraint.remove(i);
            self.substitute(terms, &[(variable, value)].into_iter().collect());
        }
    }

    /// The instances of clauses in the rule for given values of its variables.
    ///
    /// `premises` are the positions of the instances that derive the body.
    pub fn instances(
        &self,
        terms: &Terms,
        value: &dyn Fn(Symbol) -> Option<Value>,
        premises: &[usize],
        found: &mut Vec<Instance>,
    ) -> Option<usize> {
        let valuation = |symbol: Symbol, _: Stage| value(symbol);
        let mut places: Vec<Option<usize>> = vec![None; self.origin.len()];
        let mut stack = vec![0];
        while let Some(&top) = stack.last() {
            let origin = &self.origin[top];
            let open = origin.premises.iter().find_map(|p| match *p {
                Premise::Inner(i) if places[i].is_none() => Some(i),
                _ => None,
            });
            if let Some(open) = open {
                stack.push(open);
                continue;
            }
            stack.pop();
            let values = origin.values.iter();
            let values: Option<Vec<Value>> = values
                .map(|&v| evaluate(terms, v, &valuation).ok())
                .collect();
            let rests = origin.premises.iter().map(|p| match *p {
                Premise::Body(i) => premises.get(i).copied(),
                Premise::Inner(i) => places[i],
            });
            let premises: Option<Vec<usize>> = rests.collect();
            places[top] = Some(found.len());
            found.push(Instance {
                clause: origin.clause,
                values: values?,
                premises: premises?,
            });
        }
        places.first().copied().flatten()
    }
}

/// The variable and its value, if a conjunct is such an equation.
fn solution(terms: &Terms, part: Term) -> Option<(Term, Term)> {
    let occurs = |v: Term, t: Term| match terms.node(v) {
        Node::Var(symbol, stage) => terms.free_vars(t).contains(&(*symbol, *stage)),
        _ => true,
    };
    let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
    match *terms.node(part) {
        Node::Var(..) => Some((part, terms.tt())),
        Node::Not(inner) if is_variable(inner) => Some((inner, terms.ff())),
        Node::Eq(a, b) => {
            let ways = [(a, b), (b, a)];
            let mut ways = ways.into_iter();
            ways.find(|&(v, t)| is_variable(v) && !occurs(v, t))
        }
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let sort = terms.sort(sum);
            linear.monomials().iter().find_map(|(m, c)| {
                let fits = is_variable(*m) && terms.sort(*m) == sort;
                if !fits || (sort == Sort::Int && !c.abs().is_one()) {
                    return None;
                }
                let mut rest = linear.clone();
                rest.add_term(*m, &-c);
                rest.scale(&-(&Rat::ONE / c));
                let value = terms.sum(rest, sort);
                (!occurs(*m, value)).then_some((*m, value))
            })
        }
        _ => None,
    }
}
