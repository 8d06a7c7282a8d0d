//! The types of Horn clauses, and their representation by variables.
//!
//! A value of a nonrecursive data type is represented by a list of its fields, its *leaves*: a type
//! with a single constructor is a record; one with several has a tag and the fields of all
//! constructors, with default values in the fields of the other constructors. An array of such
//! values becomes one array per leaf, and an array indexed by them is indexed by the leaves of the
//! index, one after the other. Bit-vectors are bounded integers.

use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::digraph::Digraph;
use sectile_base::{Diagnostic, Int, Rat};
use sectile_smtlib::export::{Access, Argument, Shape};
use sectile_smtlib::{Atom, Command, CommandKind, Sexp, Tree, View};
use sectile_terms::{EnumId, Sort, Term, Terms, Value};

/// The maximum number of leaves of a value.
const MOST_LEAVES: usize = 4_096;

/// The maximum nesting of types.
const DEEPEST: usize = 200;

const UNSUPPORTED: &str = "chc-unsupported";

/// Identifies a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeId(usize);

/// The structure of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    /// A sort of the store.
    Plain(Sort),
    /// Bit-vectors of this width.
    Bits(u32),
    /// A declared data type, by its position.
    Data(usize),
    /// Arrays that are not a sort of the store.
    Array(TypeId, TypeId),
}

/// One step of the path from a value to a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The tag of a value, which determines the constructor: a data type.
    Tag(usize),
    /// A field: data type, constructor and position.
    Field(usize, usize, usize),
    /// The number that represents a bit-vector.
    Number,
    /// An element of an array with this index type.
    Element(TypeId),
}

/// A part of a value that is represented by a term.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub path: Vec<Step>,
    pub sort: Sort,
}

/// A constructor with its fields.
#[derive(Clone, Debug)]
pub(super) struct Constructor {
    pub name: String,
    pub fields: Vec<(String, TypeId)>,
}

/// A declared data type.
#[derive(Clone, Debug)]
pub(super) struct DataType {
    pub name: String,
    pub constructors: Vec<Constructor>,
    /// The enumeration of constructors, if there are several.
    pub tag: Option<EnumId>,
}

struct Info {
    shape: Type,
    leaves: Vec<Leaf>,
    /// Whether some lists of leaves do not represent a value.
    is_restricted: bool,
    depth: usize,
}

/// All types of a script.
pub(super) struct Types<'t> {
    terms: &'t Terms,
    all: Vec<Info>,
    ids: FxHashMap<Type, TypeId>,
    pub data: Vec<DataType>,
    names: FxHashMap<String, usize>,
    /// Sorts that the script declares or defines.
    sorts: FxHashMap<String, Sort>,
    constructors: FxHashMap<String, (usize, usize)>,
    selectors: FxHashMap<String, (usize, usize, usize)>,
}

impl<'t> Types<'t> {
    pub fn new(terms: &'t Terms) -> Types<'t> {
        Types {
            terms,
            all: Vec::new(),
            ids: FxHashMap::default(),
            data: Vec::new(),
            names: FxHashMap::default(),
            sorts: FxHashMap::default(),
            constructors: FxHashMap::default(),
            selectors: FxHashMap::default(),
        }
    }

    /// Declares all data types of a script at once, because scripts use some before their
    /// declaration.
    pub fn declare_all(
        &mut self,
        tree: &Tree<'_>,
        commands: &[Command<'_>],
    ) -> Result<(), Diagnostic> {
        let mut declared: Vec<(&str, Sexp)> = Vec::new();
        for command in commands {
            if let CommandKind::DeclareDatatypes(list) = &command.kind {
                declared.extend(list.iter().copied());
            }
        }
        for (k, &(name, body)) in declared.iter().enumerate() {
            if self.names.insert(name.to_string(), k).is_some() {
                let message = format!("the data type `{name}` is declared already");
                return Err(tree.error("smt-name", body, message));
            }
            self.data.push(DataType {
                name: name.to_string(),
                constructors: Vec::new(),
                tag: None,
            });
        }
        for k in self.order(tree, &declared)? {
            self.define(tree, k, declared[k].1)?;
        }
        Ok(())
    }

    /// The data types in an order in which each contains only earlier ones.
    fn order(&self, tree: &Tree<'_>, declared: &[(&str, Sexp)]) -> Result<Vec<usize>, Diagnostic> {
        let mut uses = Digraph::new(declared.len());
        for (k, &(name, body)) in declared.iter().enumerate() {
            let parts = self.mentioned(tree, body);
            if parts.contains(&k) {
                return Err(recursive(tree, name, body));
            }
            parts.into_iter().for_each(|part| uses.add_edge(part, k));
        }
        if let Some(order) = uses.topological_order() {
            return Ok(order);
        }
        let cycles = uses.strongly_connected_components();
        let cycle = cycles.iter().find(|c| c.len() > 1);
        let first = cycle.and_then(|c| c.iter().min()).copied().unwrap_or(0);
        let (name, body) = declared[first];
        Err(recursive(tree, name, body))
    }

    /// The data types that occur in the sorts of fields.
    fn mentioned(&self, tree: &Tree<'_>, body: Sexp) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let constructors = tree.list(body).unwrap_or(&[]).iter();
        let fields = constructors.flat_map(|&c| tree.list(c).unwrap_or(&[]));
        let sorts = fields.filter_map(|&f| tree.list(f)?.get(1).copied());
        let mut waiting: Vec<Sexp> = sorts.collect();
        while let Some(e) = waiting.pop() {
            waiting.extend(tree.list(e).unwrap_or(&[]));
            let known = tree.symbol(e).and_then(|name| self.names.get(name));
            found.extend(known.copied());
        }
        found
    }

    fn define(&mut self, tree: &Tree<'_>, k: usize, body: Sexp) -> Result<(), Diagnostic> {
        let constructors = tree.list(body).unwrap_or(&[]);
        if constructors.is_empty() {
            let message = format!("the data type `{}` has no constructor", self.data[k].name);
            return Err(tree.error(UNSUPPORTED, body, message));
        }
        for (c, &constructor) in constructors.iter().enumerate() {
            let (name, fields) = self.constructor(tree, constructor)?;
            if self.constructors.insert(name.clone(), (k, c)).is_some() {
                let message = format!("the constructor `{name}` is declared already");
                return Err(tree.error("smt-name", constructor, message));
            }
            for (f, (selector, _)) in fields.iter().enumerate() {
                if self.selectors.insert(selector.clone(), (k, c, f)).is_some() {
                    let message = format!("the selector `{selector}` is declared already");
                    return Err(tree.error("smt-name", constructor, message));
                }
            }
            self.data[k].constructors.push(Constructor { name, fields });
        }
        if constructors.len() > 1 {
            let list = &self.data[k].constructors;
            let variants: Vec<String> = list.iter().map(|c| c.name.clone()).collect();
            let tag = self.terms.declare_enum(&self.data[k].name, &variants);
            self.data[k].tag = Some(tag);
        }
        self.known(Type::Data(k))
            .map(|_| ())
            .map_err(|why| tree.error(UNSUPPORTED, body, why))
    }

    /// Reads a constructor with its fields: `(name (selector sort) ...)`, or only its name.
    fn constructor(
        &mut self,
        tree: &Tree<'_>,
        e: Sexp,
    ) -> Result<(String, Vec<(String, TypeId)>), Diagnostic> {
        let shape = || {
            let message = "a constructor looks like (name (selector sort) ...)";
            tree.error("smt-syntax", e, message)
        };
        if let Some(name) = tree.symbol(e) {
            return Ok((name.to_string(), Vec::new()));
        }
        let (&name, fields) = tree
            .list(e)
            .and_then(<[_]>::split_first)
            .ok_or_else(shape)?;
        let name = tree.symbol(name).ok_or_else(shape)?;
        let mut list = Vec::new();
        for &field in fields {
            let Some(&[selector, sort]) = tree.list(field) else {
                return Err(shape());
            };
            let selector = tree.symbol(selector).ok_or_else(shape)?;
            list.push((selector.to_string(), self.parse(tree, sort)?));
        }
        Ok((name.to_string(), list))
    }

    /// Declares the name of a sort.
    pub fn declare_sort(&mut self, name: &str, sort: Sort) {
        self.sorts.insert(name.to_string(), sort);
    }

    /// Reads a type.
    pub fn parse(&mut self, tree: &Tree<'_>, e: Sexp) -> Result<TypeId, Diagnostic> {
        let mut stack = vec![(e, false)];
        let mut found: Vec<TypeId> = Vec::new();
        while let Some((at, expanded)) = stack.pop() {
            let shape = match tree.view(at) {
                View::Atom(Atom::Symbol, "Bool") => Type::Plain(Sort::Bool),
                View::Atom(Atom::Symbol, "Int") => Type::Plain(Sort::Int),
                View::Atom(Atom::Symbol, "Real") => Type::Plain(Sort::Real),
                View::Atom(Atom::Symbol, name) if self.names.contains_key(name) => {
                    Type::Data(self.names[name])
                }
                View::Atom(Atom::Symbol, name) if self.sorts.contains_key(name) => {
                    Type::Plain(self.sorts[name])
                }
                View::List(&[head, index, element]) if tree.symbol(head) == Some("Array") => {
                    if !expanded {
                        stack.extend([(at, true), (element, false), (index, false)]);
                        continue;
                    }
                    let element = found.pop().expect("the element's type was read");
                    let index = found.pop().expect("the index's type was read");
                    Type::Array(index, element)
                }
                View::List(_) if width(tree, at).is_some() => {
                    Type::Bits(width(tree, at).expect("there is one"))
                }
                _ => {
                    return Err(tree
                        .error("smt-unsupported", at, "this sort is not supported")
                        .help("sorts are Bool, Int, Real, bit-vectors, declared data types and (Array S T) of them"));
                }
            };
            let id = self.known(shape);
            found.push(id.map_err(|why| tree.error(UNSUPPORTED, at, why))?);
        }
        Ok(found.pop().expect("every expression gives one type"))
    }

    /// The identifier of a type, which may be new; an error if the type is refused.
    fn known(&mut self, shape: Type) -> Result<TypeId, String> {
        let shape = self.normal(shape);
        if let Some(&id) = self.ids.get(&shape) {
            return Ok(id);
        }
        let info = self.info(shape)?;
        if info.leaves.len() > MOST_LEAVES || info.depth > DEEPEST {
            return Err("this type has too many parts".to_string());
        }
        let id = TypeId(self.all.len());
        self.all.push(info);
        self.ids.insert(shape, id);
        Ok(id)
    }

    /// Normalises arrays of plain sorts to plain sorts.
    fn normal(&self, shape: Type) -> Type {
        match shape {
            Type::Array(index, element) => match (self.shape(index), self.shape(element)) {
                (Type::Plain(i), Type::Plain(e)) => Type::Plain(self.terms.array_sort(i, e)),
                _ => shape,
            },
            _ => shape,
        }
    }

    fn info(&self, shape: Type) -> Result<Info, String> {
        let single = |sort: Sort| {
            vec![Leaf {
                path: Vec::new(),
                sort,
            }]
        };
        let mut depth = 0;
        let (leaves, is_restricted) = match shape {
            Type::Plain(sort) => (single(sort), false),
            Type::Bits(_) => {
                let number = Leaf {
                    path: vec![Step::Number],
                    sort: Sort::Int,
                };
                (vec![number], true)
            }
            Type::Data(k) => {
                let data = &self.data[k];
                let mut leaves = Vec::new();
                let mut is_restricted = false;
                if let Some(tag) = data.tag {
                    let fields = data.constructors.iter().map(|c| c.fields.len());
                    is_restricted = fields.sum::<usize>() > 0;
                    leaves.push(Leaf {
                        path: vec![Step::Tag(k)],
                        sort: Sort::Enum(tag),
                    });
                }
                for (c, constructor) in data.constructors.iter().enumerate() {
                    for (f, (_, field)) in constructor.fields.iter().enumerate() {
                        let inner = &self.all[field.0];
                        is_restricted |= inner.is_restricted;
                        depth = depth.max(inner.depth);
                        leaves.extend(
                            inner
                                .leaves
                                .iter()
                                .map(|leaf| under(Step::Field(k, c, f), leaf)),
                        );
                    }
                }
                (leaves, is_restricted)
            }
            Type::Array(index, element) => {
                let (i, e) = (&self.all[index.0], &self.all[element.0]);
                if i.is_restricted || e.is_restricted {
                    return Err("arrays of bit-vectors, or of data types with several constructors, are not supported".to_string());
                }
                depth = i.depth.max(e.depth);
                let curried = |leaf: &Leaf| {
                    let keys = i.leaves.iter().rev();
                    let sort =
                        keys.fold(leaf.sort, |sort, key| self.terms.array_sort(key.sort, sort));
                    Leaf {
                        sort,
                        ..under(Step::Element(index), leaf)
                    }
                };
                (e.leaves.iter().map(curried).collect(), false)
            }
        };
        Ok(Info {
            shape,
            leaves,
            is_restricted,
            depth: depth + 1,
        })
    }

    /// The type of a sort of the store.
    pub fn plain(&mut self, sort: Sort) -> TypeId {
        self.known(Type::Plain(sort))
            .expect("sorts of the store are never refused")
    }

    /// The type of bit-vectors of this width.
    pub fn bits(&mut self, width: u32) -> TypeId {
        self.known(Type::Bits(width))
            .expect("bit-vectors are never refused")
    }

    /// The type of a declared data type.
    pub fn data_type(&mut self, k: usize) -> TypeId {
        self.known(Type::Data(k))
            .expect("data types are known from their declaration on")
    }

    pub fn shape(&self, id: TypeId) -> Type {
        self.all[id.0].shape
    }

    pub fn leaves(&self, id: TypeId) -> &[Leaf] {
        &self.all[id.0].leaves
    }

    /// The sort, if values of the type are plain terms.
    pub fn sort(&self, id: TypeId) -> Option<Sort> {
        match self.shape(id) {
            Type::Plain(sort) => Some(sort),
            _ => None,
        }
    }

    pub fn constructor_named(&self, name: &str) -> Option<(usize, usize)> {
        self.constructors.get(name).copied()
    }

    pub fn selector_named(&self, name: &str) -> Option<(usize, usize, usize)> {
        self.selectors.get(name).copied()
    }

    /// The range of the leaves of a field among those of a value, and the type of the field.
    pub fn field(&self, (k, c, f): (usize, usize, usize)) -> (std::ops::Range<usize>, TypeId) {
        let data = &self.data[k];
        let size = |(_, id): &(String, TypeId)| self.leaves(*id).len();
        let earlier = data.constructors[..c].iter().flat_map(|c| &c.fields);
        let earlier = earlier.chain(&data.constructors[c].fields[..f]);
        let start = usize::from(data.tag.is_some()) + earlier.map(size).sum::<usize>();
        let field = &data.constructors[c].fields[f];
        (start..start + size(field), field.1)
    }

    /// The conditions under which a list of leaves represents a value of the type.
    ///
    /// Recurses on the nesting of types, which is bounded.
    pub fn condition(&self, id: TypeId, leaves: &[Term]) -> Vec<Term> {
        let terms = self.terms;
        if !self.all[id.0].is_restricted {
            return Vec::new();
        }
        match self.shape(id) {
            Type::Plain(_) | Type::Array(..) => Vec::new(),
            Type::Bits(width) => {
                let largest = terms.number(power(width) - Rat::ONE, Sort::Int);
                vec![
                    terms.le(terms.int(0), leaves[0]),
                    terms.le(leaves[0], largest),
                ]
            }
            Type::Data(k) => {
                let mut all = Vec::new();
                for (c, constructor) in self.data[k].constructors.iter().enumerate() {
                    let mut own = Vec::new();
                    let mut other = Vec::new();
                    for f in 0..constructor.fields.len() {
                        let (range, field) = self.field((k, c, f));
                        own.extend(self.condition(field, &leaves[range.clone()]));
                        other.extend(
                            leaves[range]
                                .iter()
                                .map(|&l| terms.eq(l, default(terms, terms.sort(l)))),
                        );
                    }
                    all.extend(match self.is_constructor((k, c), leaves) {
                        None => own,
                        Some(here) => vec![
                            terms.implies(here, terms.and(own)),
                            terms.or2(here, terms.and(other)),
                        ],
                    });
                }
                all
            }
        }
    }

    /// The condition that a value has this constructor; `None` if there is only one.
    pub fn is_constructor(&self, (k, c): (usize, usize), leaves: &[Term]) -> Option<Term> {
        let tag = self.data[k].tag?;
        let variant = self
            .terms
            .variant(tag, u32::try_from(c).unwrap_or(u32::MAX));
        Some(self.terms.eq(leaves[0], variant))
    }

    /// The type in SMT-LIB syntax.
    pub fn print(&self, id: TypeId) -> String {
        let mut text = String::new();
        let mut pending = vec![Ok(id)];
        while let Some(item) = pending.pop() {
            match item {
                Err(piece) => text.push_str(piece),
                Ok(id) => match self.shape(id) {
                    Type::Plain(sort) => {
                        text.push_str(&sectile_smtlib::print_sort(self.terms, sort))
                    }
                    Type::Bits(width) => text.push_str(&format!("(_ BitVec {width})")),
                    Type::Data(k) => text.push_str(&sectile_smtlib::quote(&self.data[k].name)),
                    Type::Array(i, e) => {
                        pending.extend([Err(")"), Ok(e), Err(" "), Ok(i), Err("(Array ")]);
                    }
                },
            }
        }
        text
    }

    /// The description of an argument of this type, for models over the types of the file.
    pub fn argument(&self, id: TypeId) -> Argument {
        let quoted = |name: &str| sectile_smtlib::quote(name).into_owned();
        let constructors = |k: usize| {
            let list = self.data[k].constructors.iter();
            list.map(|c| quoted(&c.name)).collect()
        };
        let access = |step: &Step| match *step {
            Step::Tag(k) => Access::Tag(constructors(k)),
            Step::Field(k, c, f) => {
                let constructor = &self.data[k].constructors[c];
                let selector = quoted(&constructor.fields[f].0);
                match self.data[k].tag {
                    None => Access::Function(selector),
                    Some(_) => Access::Field(quoted(&constructor.name), selector),
                }
            }
            Step::Number => Access::Function("bv2nat".to_string()),
            Step::Element(index) => Access::Element(self.value_shape(index)),
        };
        let leaves = self.leaves(id).iter();
        Argument {
            sort: self.print(id),
            shape: self.value_shape(id),
            leaves: leaves
                .map(|l| l.path.iter().map(access).collect())
                .collect(),
        }
    }

    /// How a value is composed of its leaves. Recurses on the nesting of types, which is bounded.
    fn value_shape(&self, id: TypeId) -> Shape {
        let k = match self.shape(id) {
            Type::Data(k) => k,
            Type::Plain(_) => return Shape::Leaf,
            Type::Bits(width) => return Shape::Bits(width),
            Type::Array(index, element) => {
                return Shape::Array {
                    sort: self.print(id),
                    index: Box::new(self.value_shape(index)),
                    element: Box::new(self.value_shape(element)),
                };
            }
        };
        let made = |c: &Constructor| {
            let parts = c.fields.iter().map(|(_, field)| self.value_shape(*field));
            let name = sectile_smtlib::quote(&c.name).into_owned();
            (name, parts.collect())
        };
        match self.data[k].constructors.as_slice() {
            [only] => {
                let (name, parts) = made(only);
                Shape::Made(name, parts)
            }
            all => Shape::Chosen(all.iter().map(made).collect()),
        }
    }

    /// The name of a leaf of a variable with this name.
    pub fn leaf_name(&self, name: &str, leaf: &Leaf) -> String {
        let mut text = name.to_string();
        for step in &leaf.path {
            match *step {
                Step::Tag(_) => text.push_str(".is"),
                Step::Field(k, c, f) => {
                    text.push('.');
                    text.push_str(&self.data[k].constructors[c].fields[f].0);
                }
                Step::Number | Step::Element(_) => {}
            }
        }
        text
    }
}

fn recursive(tree: &Tree<'_>, name: &str, body: Sexp) -> Diagnostic {
    let message = format!("the data type `{name}` contains itself");
    tree.error(UNSUPPORTED, body, message)
        .help("data types without recursion are supported")
}

fn under(step: Step, leaf: &Leaf) -> Leaf {
    let mut path = vec![step];
    path.extend(&leaf.path);
    Leaf {
        path,
        sort: leaf.sort,
    }
}

/// The width of `(_ BitVec n)`.
fn width(tree: &Tree<'_>, e: Sexp) -> Option<u32> {
    let &[underscore, name, width] = tree.list(e)? else {
        return None;
    };
    let named = tree.symbol(underscore) == Some("_") && tree.symbol(name) == Some("BitVec");
    let width: u32 = tree.numeral(width)?.parse().ok()?;
    (named && (1..=65_536).contains(&width)).then_some(width)
}

/// The default value of a sort.
pub(super) fn default(terms: &Terms, sort: Sort) -> Term {
    Value::some_of(terms, sort).to_term(terms)
}

/// Two to the power of `k`.
pub(super) fn power(k: u32) -> Rat {
    let mut result = Rat::ONE;
    let (mut base, mut rest) = (Rat::from(Int::from(2_i64)), k);
    while rest > 0 {
        if rest & 1 == 1 {
            result = &result * &base;
        }
        base = &base * &base;
        rest >>= 1;
    }
    result
}
