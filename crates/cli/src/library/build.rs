//! Builds models in Rust.

use super::error::Error;
use super::expr::{Expr, quoted};
use super::model::{Language, Model, Reader};
use std::fmt::Write as _;

/// The type of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// `true` and `false`.
    Bool,
    /// All integers.
    Int,
    /// All real numbers.
    Real,
    /// The integers between two bounds, inclusive. Steps that would leave the range do not exist.
    Range(i64, i64),
    /// One of these names.
    Enum(Vec<String>),
    /// An array with an element of the second type for every value of the first.
    Array(Box<Type>, Box<Type>),
}

impl Type {
    /// An enumeration of names.
    ///
    /// ```
    /// use sectile::Type;
    /// assert_eq!(Type::of_names(["idle", "busy"]).to_string(), "{idle, busy}");
    /// ```
    pub fn of_names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Type {
        Type::Enum(names.into_iter().map(Into::into).collect())
    }

    /// An array from one type to another.
    pub fn array(index: Type, element: Type) -> Type {
        Type::Array(Box::new(index), Box::new(element))
    }

    /// The names of enumerations in the type.
    fn names(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Type::Enum(names) => found.extend(names.iter().map(String::as_str)),
                Type::Array(index, element) => open.extend([&**index, &**element]),
                Type::Bool | Type::Int | Type::Real | Type::Range(..) => {}
            }
        }
        found
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Real => f.write_str("real"),
            Type::Range(low, high) => write!(f, "{low}..{high}"),
            Type::Enum(names) => {
                let names: Vec<String> = names.iter().map(|n| quoted(n)).collect();
                write!(f, "{{{}}}", names.join(", "))
            }
            Type::Array(index, element) => write!(f, "[{index}]{element}"),
        }
    }
}

/// A transition system under construction.
///
/// It becomes a [`Model`] through the native language: [`System::text`] is the text that is read, and the
/// one that messages and line numbers refer to. The same text can be given to the command line.
///
/// ```
/// use sectile::{Check, Expr, System, Type, Verdict};
///
/// let mut system = System::new();
/// let pc = system.var("pc", Type::of_names(["idle", "busy"]));
/// let jobs = system.var("jobs", Type::Int);
/// system.init(pc.equals(Expr::name("idle")) & jobs.equals(0));
/// system
///     .step("accept")
///     .when(pc.equals(Expr::name("idle")))
///     .set("pc", Expr::name("busy"))
///     .set("jobs", &jobs + 1);
/// system
///     .step("finish")
///     .when(pc.equals(Expr::name("busy")))
///     .set("pc", Expr::name("idle"))
///     .set("jobs", &jobs - 1);
/// system.invariant("one", jobs.le(1));
/// system.ctl("returns", "AG EF pc = idle");
///
/// let model = system.model()?;
/// assert_eq!(Check::new(&model).run()?.verdict(), Verdict::Holds);
/// # Ok::<(), sectile::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct System {
    declarations: String,
    steps: Vec<Step>,
    properties: String,
    /// Names that cannot be written in the language.
    refused: Vec<String>,
}

/// A step of a [`System`]: its condition and its assignments. Variables that are not assigned keep their
/// values.
#[derive(Clone, Debug)]
pub struct Step {
    name: String,
    guards: Vec<Expr>,
    actions: Vec<String>,
    names: Vec<String>,
}

impl System {
    /// A system without variables.
    pub fn new() -> System {
        System::default()
    }

    /// Declares a variable, which initially has any value of its type.
    pub fn var(&mut self, name: &str, of: Type) -> Expr {
        self.declare("var", name, &of)
    }

    /// Declares a constant: it has any value of its type, which never changes.
    pub fn constant(&mut self, name: &str, of: Type) -> Expr {
        self.declare("const", name, &of)
    }

    /// Adds an assumption about the constants.
    pub fn assume(&mut self, condition: impl Into<Expr>) -> &mut System {
        self.line("assume", condition.into())
    }

    /// Adds a condition on the initial states.
    pub fn init(&mut self, condition: impl Into<Expr>) -> &mut System {
        self.line("init", condition.into())
    }

    /// Adds a condition on all states: steps that would violate it do not exist.
    pub fn restrict(&mut self, condition: impl Into<Expr>) -> &mut System {
        self.line("restrict", condition.into())
    }

    /// Adds a step, which is always enabled and changes nothing until it is told otherwise.
    pub fn step(&mut self, name: &str) -> &mut Step {
        self.steps.push(Step {
            name: name.to_string(),
            guards: Vec::new(),
            actions: Vec::new(),
            names: vec![name.to_string()],
        });
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// Adds a property: every reachable state satisfies the condition.
    pub fn invariant(&mut self, name: &str, condition: impl Into<Expr>) -> &mut System {
        self.property("invariant", name, &condition.into().to_string())
    }

    /// Adds a property: no reachable state satisfies the condition.
    pub fn error(&mut self, name: &str, condition: impl Into<Expr>) -> &mut System {
        self.property("error", name, &condition.into().to_string())
    }

    /// Adds a property as a CTL formula in the native language, such as `AG(busy => AF not busy)`.
    pub fn ctl(&mut self, name: &str, formula: &str) -> &mut System {
        self.property("ctl", name, formula)
    }

    /// Adds a property as an LTL formula in the native language, such as `G F idle`.
    pub fn ltl(&mut self, name: &str, formula: &str) -> &mut System {
        self.property("ltl", name, formula)
    }

    /// The model as text in the native language.
    pub fn text(&self) -> String {
        let mut text = self.declarations.clone();
        for step in &self.steps {
            step.write(&mut text);
        }
        text + &self.properties
    }

    /// The model.
    pub fn model(&self) -> Result<Model, Error> {
        self.model_named("<system>")
    }

    /// The model, with a name for messages and certificates.
    pub fn model_named(&self, name: &str) -> Result<Model, Error> {
        let in_steps = self.steps.iter().flat_map(|s| s.names.iter());
        let in_steps = in_steps.filter(|n| !is_writable(n));
        if let Some(name) = self.refused.iter().chain(in_steps).next() {
            let why = "a name has one line and no backquotes";
            return Err(Error::Request(format!("{name:?} cannot be a name: {why}")));
        }
        Reader::new(Language::Sct).name(name).read(self.text())
    }

    fn declare(&mut self, word: &str, name: &str, of: &Type) -> Expr {
        for name in of.names().into_iter().chain([name]) {
            self.expect_writable(name);
        }
        // Writing to a String cannot fail.
        let _ = writeln!(self.declarations, "{word} {} : {of}", quoted(name));
        Expr::name(name)
    }

    fn line(&mut self, word: &str, condition: Expr) -> &mut System {
        let _ = writeln!(self.declarations, "{word} {condition}");
        self
    }

    fn property(&mut self, word: &str, name: &str, formula: &str) -> &mut System {
        self.expect_writable(name);
        let _ = writeln!(self.properties, "{word} {}: {formula}", quoted(name));
        self
    }

    fn expect_writable(&mut self, name: &str) {
        if !is_writable(name) {
            self.refused.push(name.to_string());
        }
    }
}

/// Whether a name can be written in backquotes.
fn is_writable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['`', '\n', '\r'])
}

impl Step {
    /// Adds a condition under which the step is enabled; all conditions must hold.
    pub fn when(&mut self, condition: impl Into<Expr>) -> &mut Step {
        self.guards.push(condition.into());
        self
    }

    /// Assigns a value, computed in the old state: all assignments happen at once.
    pub fn set(&mut self, variable: &str, value: impl Into<Expr>) -> &mut Step {
        self.action(variable, |name| format!("{name} := {}", value.into()))
    }

    /// Assigns any value of its type.
    pub fn havoc(&mut self, variable: &str) -> &mut Step {
        self.action(variable, |name| format!("havoc {name}"))
    }

    /// Chooses a value that satisfies a condition. The other conditions and values of this step may use
    /// it by its name.
    ///
    /// ```
    /// use sectile::{Check, Expr, System, Type, Verdict};
    ///
    /// let mut system = System::new();
    /// let (c, d) = (system.var("c", Type::Real), Expr::name("d"));
    /// system.init(c.equals(0));
    /// system.step("wait").choose("d", Type::Real, d.gt(0)).set("c", &c + &d);
    /// system.invariant("never_back", c.ge(0));
    /// assert_eq!(Check::new(&system.model()?).run()?.verdict(), Verdict::Holds);
    /// # Ok::<(), sectile::Error>(())
    /// ```
    pub fn choose(&mut self, name: &str, of: Type, condition: impl Into<Expr>) -> &mut Step {
        self.names.extend(of.names().into_iter().map(String::from));
        let condition = condition.into();
        self.action(name, |name| format!("any {name} : {of} where {condition}"))
    }

    fn action(&mut self, name: &str, text: impl FnOnce(String) -> String) -> &mut Step {
        self.names.push(name.to_string());
        self.actions.push(text(quoted(name)));
        self
    }

    fn write(&self, text: &mut String) {
        let guard = Expr::all(self.guards.iter().cloned());
        let actions = match self.actions.is_empty() {
            true => "skip".to_string(),
            false => self.actions.join(", "),
        };
        let _ = writeln!(text, "{}: {guard} --> {actions}", quoted(&self.name));
    }
}
