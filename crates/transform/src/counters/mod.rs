//! Replaces the processes of a family by counters.
//!
//! The counter system is made from the text of a model with its quantifiers over processes, so that
//! it represents any number of them. This module has the way back, to the family with a fixed
//! number of processes: in an invariant, a counter becomes the number of processes in its local
//! state; in a run, every step of counters becomes a step of processes.
//!
//! Paper: [BeGrLa, Sect. 1]: counters for the number of components in each state.

mod run;

use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use sectile_base::Int;
use sectile_model::{Certificate, Field, Model, Property, Task};
use sectile_terms::{Sort, Substitution, Symbol, Term, Terms, Value};

/// The pass that replaces a family by a given counter system.
pub struct Counters {
    /// The counter system.
    pub system: Model,
    /// Its properties.
    pub properties: Vec<Property>,
    /// The counted states.
    pub counters: Vec<CountedState>,
    /// Constants of the counter system with a fixed value in the family.
    pub constants: Vec<(Symbol, Int)>,
}

/// The meaning of a counter.
pub struct CountedState {
    /// The counter.
    pub counter: Symbol,
    /// The family of the processes.
    pub family: usize,
    /// The values of their local variables, by name.
    pub values: Vec<(String, String)>,
}

impl Counters {
    /// Maximum number of processes for back-translation: sums over more get too long.
    pub const MOST_PROCESSES: usize = 50;
}

impl Pass for Counters {
    fn name(&self) -> &'static str {
        "counters"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let name = &task.property.name;
        let counted = self.properties.iter().find(|p| p.name == *name);
        let counted = counted.ok_or("the property is not translated")?;
        let back = self.back(task.terms, task.model, task.property)?;
        Ok(Applied::new(self.system.clone(), counted.clone(), back))
    }
}

impl Counters {
    fn back(&self, terms: &Terms, model: &Model, property: &Property) -> Result<Back, String> {
        let families = &model.families.list;
        let most = Counters::MOST_PROCESSES;
        let size = families.iter().map(|f| f.size()).sum::<usize>();
        if size > most {
            return Err(format!("{size} processes are more than {most}"));
        }
        let numbers = 0..families.len();
        let processes = numbers.map(|family| self.processes(model, family));
        let processes: Vec<Vec<Vec<Symbol>>> = processes.collect::<Result<_, _>>()?;
        let state = |counted: &CountedState| {
            let locals = processes.get(counted.family).and_then(|list| list.first());
            let locals = locals.map_or(&[][..], |l| l);
            let values = counted.values.iter().zip(locals);
            let values = values.map(|((_, text), &s)| value(terms, terms.symbol_sort(s), text));
            let values = values.collect::<Result<_, String>>()?;
            Ok((counted.counter, counted.family, values))
        };
        let states = self.counters.iter().map(state);
        let states = states.collect::<Result<_, String>>()?;
        Ok(Back {
            family: model.clone(),
            property: property.clone(),
            variables: self.system.variables.clone(),
            rigid: self.system.rigid.clone(),
            constants: self.constants.clone(),
            processes,
            states,
        })
    }
}

impl Counters {
    /// The local variables of every process of a family.
    fn processes(&self, model: &Model, family: usize) -> Result<Vec<Vec<Symbol>>, String> {
        let symbols = model.families.symbols();
        let mut counted = self.counters.iter();
        let names = counted.find(|c| c.family == family).map(|c| &c.values[..]);
        let local = |index: i64, name: &String| {
            let field = Field {
                process: Some((family, index)),
                name: name.clone(),
                elements: Vec::new(),
            };
            let symbol = symbols.get(&field).copied();
            symbol.ok_or_else(|| format!("no process has a variable `{name}`"))
        };
        let names = names.ok_or("there is a family that is not counted")?;
        let process = |index| names.iter().map(|(n, _)| local(index, n)).collect();
        let (first, last) = model.families.list[family].range;
        (first..=last).map(process).collect()
    }
}

/// The value of a sort that a text denotes.
fn value(terms: &Terms, sort: Sort, text: &str) -> Result<Value, String> {
    let found = match sort {
        Sort::Bool => text.parse().ok().map(Value::Bool),
        Sort::Int => text.parse::<i64>().ok().map(|k| Value::Int(Int::from(k))),
        Sort::Enum(id) => {
            let mut variants = terms.enum_info(id).variants.iter();
            let place = variants.position(|v| v == text);
            place.map(|k| Value::Enum(id, k as u32))
        }
        _ => None,
    };
    found.ok_or_else(|| format!("`{text}` is not a value of a local variable"))
}

/// The way back to the family.
struct Back {
    family: Model,
    property: Property,
    /// The variables of the counter system, and its constants.
    variables: Vec<Symbol>,
    rigid: Vec<Symbol>,
    constants: Vec<(Symbol, Int)>,
    /// The local variables of every process of every family.
    processes: Vec<Vec<Vec<Symbol>>>,
    /// For every counter, the family of the processes that it counts and the values of their local
    /// variables.
    states: Vec<(Symbol, usize, Vec<Value>)>,
}

impl BackTranslate for Back {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            // Different states of processes may have the same counters.
            Certificate::Invariants(proof) if proof.simple_paths => Err(unexpected(certificate)),
            Certificate::Invariants(proof) => {
                let meaning = self.meaning(terms);
                let told = |f: &Option<Term>| f.map(|f| terms.substitute(f, &meaning));
                Ok(proof.with(proof.at.iter().map(told).collect()))
            }
            Certificate::Trace(trace) => Ok(Certificate::Trace(self.run(terms, trace)?)),
            Certificate::Ctl(proof) if self.is_invariant(terms) => {
                let closed = proof.states_of_the_whole(terms);
                let closed = closed.ok_or_else(|| unexpected(certificate))?;
                self.certificate(terms, &Certificate::invariant(closed))
            }
            _ => Err(unexpected(certificate)),
        }
    }
}

impl Back {
    /// Whether the property is about single states.
    fn is_invariant(&self, terms: &Terms) -> bool {
        let kind = &self.property.kind;
        kind.safe_at(terms, self.family.entry).is_some()
    }

    /// Counters as sums over processes, and constants as numbers.
    fn meaning(&self, terms: &Terms) -> Substitution {
        let number = |k: &Int| Value::Int(k.clone()).to_term(terms);
        let constants = self.constants.iter();
        let constants = constants.map(|(s, k)| (terms.var(*s), number(k)));
        let counters = self.states.iter().map(|(counter, family, values)| {
            let each = self.processes[*family].iter().map(|locals| {
                let equations = locals.iter().zip(values);
                let equations = equations.map(|(s, v)| terms.eq(terms.var(*s), v.to_term(terms)));
                terms.ite(terms.and(equations), terms.int(1), terms.int(0))
            });
            (terms.var(*counter), terms.add_all(each, Sort::Int))
        });
        constants.chain(counters).collect()
    }
}
