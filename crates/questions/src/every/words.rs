//! What candidates for an invariant are made of: the words of an instance, without its numbers.

use sectile_certify::every::Qualified;
use sectile_driver::Loaded;
use sectile_model::Model;
use sectile_terms::{Node, Sort, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// More numbers of the file are not compared with variables.
const MOST_NUMBERS: usize = 4;

/// A condition on one field: the field, and the condition with `@` for the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub field: String,
    pub text: String,
}

/// A number, with `@` for the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub text: String,
    pub sort: Sort,
}

/// The words of a family.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Conditions on fields with finitely many values.
    pub local: Vec<Condition>,
    /// Those on the field that has the most values: the location of a process.
    pub main: Vec<Condition>,
    /// Conditions on a field for two processes, `#` for the second one.
    pub pairs: Vec<Condition>,
    /// Conditions on shared variables.
    pub shared: Vec<Condition>,
    /// Conditions on shared variables that hold an index.
    pub pointers: Vec<Condition>,
    pub local_numbers: Vec<Number>,
    pub shared_numbers: Vec<Number>,
    pub constants: Vec<Number>,
}

impl Words {
    /// The words of an instance; the numbers of some formulas are among them.
    pub fn of(loaded: &Loaded, qualified: &Qualified, more: &[Term]) -> Words {
        let (terms, model) = (&loaded.terms, &loaded.reading.module.model);
        let mut words = Words::default();
        let mut places = Owners::new(model, qualified);
        for &symbol in model.variables.iter().chain(&model.rigid) {
            let sort = terms.symbol_sort(symbol);
            match places.place(terms, symbol) {
                Owner::Skipped => {}
                Owner::Pair(text) => words.pairs.extend(conditions(terms, sort, &text)),
                Owner::Local(text) => match sort {
                    Sort::Int | Sort::Real => words.local_numbers.push(Number { text, sort }),
                    _ => {
                        let list = conditions(terms, sort, &text);
                        if list.len() > words.main.len() {
                            words.main.clone_from(&list);
                        }
                        words.local.extend(list);
                    }
                },
                Owner::Shared(text) => match (sort, qualified.pointers.get(&text)) {
                    (Sort::Int, Some(offset)) => words.point(&text, *offset),
                    (Sort::Int | Sort::Real, _) => {
                        let list = match model.rigid.contains(&symbol) {
                            true => &mut words.constants,
                            false => &mut words.shared_numbers,
                        };
                        list.push(Number { text, sort });
                    }
                    _ => words.shared.extend(conditions(terms, sort, &text)),
                },
            }
        }
        words.constants.extend(numerals(terms, model, more));
        words
    }

    /// Adds whether shared integers are more than zero.
    pub fn add_thresholds(&mut self) {
        let numbers = self.shared_numbers.iter().filter(|n| n.sort == Sort::Int);
        for number in numbers {
            for relation in ["<=", ">"] {
                self.shared.push(Condition {
                    field: number.text.clone(),
                    text: format!("{} {relation} 0", number.text),
                });
            }
        }
    }

    fn point(&mut self, name: &str, offset: i64) {
        let sum = match offset {
            0 => "@".to_string(),
            _ => format!("@ + {offset}"),
        };
        for relation in ["=", "!="] {
            self.pointers.push(Condition {
                field: name.to_string(),
                text: format!("{name} {relation} {sum}"),
            });
        }
        if offset > 0 {
            for relation in ["=", "!="] {
                self.shared.push(Condition {
                    field: name.to_string(),
                    text: format!("{name} {relation} 0"),
                });
            }
        }
    }
}

/// All conditions on a field of a finite sort.
fn conditions(terms: &Terms, sort: Sort, text: &str) -> Vec<Condition> {
    let field = text.to_string();
    let texts = match sort {
        Sort::Bool => vec![text.to_string(), format!("not {text}")],
        Sort::Enum(id) => {
            let values = terms.enum_info(id).variants.clone();
            values.iter().map(|v| format!("{text} = {v}")).collect()
        }
        _ => Vec::new(),
    };
    let all = texts.into_iter();
    all.map(|text| Condition {
        field: field.clone(),
        text,
    })
    .collect()
}

/// The numbers of the file that variables may be compared with.
fn numerals(terms: &Terms, model: &Model, more: &[Term]) -> Vec<Number> {
    let mut found: BTreeSet<i64> = BTreeSet::from([0, 1]);
    let conditions = model.init.iter().chain(&model.restrict).copied();
    let guards = model.commands().flat_map(|c| c.guards.iter().copied());
    let mut open: Vec<Term> = conditions
        .chain(guards)
        .chain(more.iter().copied())
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = terms.node(term);
        if let Node::Number(value) = node
            && let Ok(number) = value.to_string().parse::<i64>()
            && number.abs() <= 9
        {
            found.insert(number);
        }
        node.for_each_child(|c| open.push(c));
    }
    let numbers = found.into_iter().take(MOST_NUMBERS);
    let texts = numbers.map(|n| n.to_string());
    let both = texts.flat_map(|text| {
        [Sort::Int, Sort::Real].map(|sort| Number {
            text: text.clone(),
            sort,
        })
    });
    both.collect()
}

/// Where a variable belongs.
enum Owner {
    Local(String),
    Pair(String),
    Shared(String),
    Skipped,
}

struct Owners<'m> {
    model: &'m Model,
    low: i64,
    /// How many processes there are in families whose number depends on the size.
    processes: i64,
    /// The indices with which arrays outside of processes are declared.
    elements: BTreeMap<String, BTreeSet<i64>>,
}

impl<'m> Owners<'m> {
    fn new(model: &'m Model, qualified: &Qualified) -> Owners<'m> {
        let mut elements: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for field in model.families.fields.values() {
            if let (None, [e]) = (field.process, &*field.elements) {
                elements.entry(field.name.clone()).or_default().insert(*e);
            }
        }
        Owners {
            model,
            low: qualified.low,
            processes: qualified.size() + qualified.shift - qualified.low + 1,
            elements,
        }
    }

    fn place(&mut self, terms: &Terms, symbol: Symbol) -> Owner {
        let name = terms.name(symbol).to_string();
        let Some(field) = self.model.families.field(symbol) else {
            return Owner::Shared(name);
        };
        let full = |family: usize| self.model.families.list.get(family);
        // Several indices at once belong to the name.
        let (own, element) = match *field.elements {
            [] => (field.name.clone(), None),
            [element] => (field.name.clone(), Some(element)),
            _ => (field.own_name(), None),
        };
        match (field.process, element) {
            (Some((family, index)), element) => {
                let Some(family) = full(family) else {
                    return Owner::Skipped;
                };
                if i64::try_from(family.size()) != Ok(self.processes) {
                    return Owner::Shared(name);
                }
                let process = &family.name;
                match (index == self.low, element) {
                    (true, None) => Owner::Local(format!("{process}[@].{own}")),
                    (true, Some(e)) if e == self.low + 1 => {
                        Owner::Pair(format!("{process}[@].{own}[#]"))
                    }
                    _ => Owner::Skipped,
                }
            }
            (None, Some(element)) => {
                let all = self.elements.get(&own);
                let first = all.and_then(|a| a.first().copied());
                match first == Some(element) && element == self.low {
                    true => Owner::Local(format!("{own}[@]")),
                    false => Owner::Skipped,
                }
            }
            (None, None) => Owner::Shared(name),
        }
    }
}
