//! Evaluates expressions over named processes, each in a known local state.

use super::super::ast::Item;
use super::code::{Code, bracket};
use super::family::{Binding, Bindings, Families, Family, literal, range, refused, squeezed};
use crate::syntax::{
    Binder, Comparison, Connective, Expr, ExprKind, Name, Operator, Quantified, Quantifier, Sign,
};
use sectile_base::{Diagnostic, Source, Span};

/// The named processes, and the meanings of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    /// The local states of the named processes, which are distinct processes.
    pub states: Vec<usize>,
    /// The meanings of names.
    pub names: Bindings,
    /// The process whose local variables are used without an index.
    pub own: Option<usize>,
}

impl Scene {
    /// The scene with another name for a process.
    pub fn with(&self, name: &Name, process: usize) -> Scene {
        let mut scene = self.clone();
        let binding = Binding::Process(process);
        scene.names.insert(name.text.to_string(), binding);
        scene
    }

    /// The scene with one more process.
    pub fn with_other(&self, name: &Name, state: usize) -> Scene {
        let mut scene = self.with(name, self.states.len());
        scene.states.push(state);
        scene
    }

    /// The number of named processes in a local state.
    pub fn inside(&self, state: usize) -> usize {
        self.states.iter().filter(|&&s| s == state).count()
    }
}

/// Evaluates expressions.
pub(super) struct Evaluator<'e> {
    pub source: &'e Source,
    pub items: &'e [Item],
    pub families: &'e Families<'e>,
}

type Evaluated = Result<Code, Diagnostic>;

/// The error for an index that belongs to no single family.
const MIXED: &str = "an index is used for processes of different families: counters do not know \
                     that they have the same number";

/// The error for an expression that counters cannot represent.
pub(super) const NOT_SAID: &str = "counters cannot express this";

impl<'e> Evaluator<'e> {
    /// The family of the process whose local variables are used without an index.
    pub fn own_family(&self, scene: &Scene) -> Option<&'e Family<'e>> {
        let own = scene.own?;
        Some(self.families.of(scene.states[own]))
    }

    /// The condition that there is a process in a local state besides the named ones.
    pub fn another(&self, scene: &Scene, state: usize) -> Code {
        let needed = scene.inside(state) + 1;
        Code::Text(format!("({} >= {needed})", self.families.counters[state]))
    }

    fn others(&self, scene: &Scene, state: usize) -> String {
        let counter = &self.families.counters[state];
        match scene.inside(state) {
            0 => counter.clone(),
            k => format!("({counter} - {k})"),
        }
    }

    /// The value of an expression.
    pub fn value(&self, expr: &Expr, scene: &Scene) -> Evaluated {
        match &expr.kind {
            ExprKind::Bool(b) => Ok(Code::Bool(*b)),
            ExprKind::Number(..) => Ok(match literal(expr) {
                Some(k) => Code::Int(k),
                None => Code::Text(squeezed(self.source, expr.span)),
            }),
            ExprKind::Name(name) => self.name(name, scene),
            ExprKind::Reference(_) => self.reference(expr, scene),
            ExprKind::Call(call) => self.call(&call.name, &call.arguments, scene),
            ExprKind::Not(inner) => Ok(self.value(inner, scene)?.not()),
            ExprKind::Connected(connective, parts) => self.connected(*connective, parts, scene),
            ExprKind::Compared(first, rest) => self.compared(first, rest, scene),
            ExprKind::Quantified(q) => self.quantified(q, scene),
            ExprKind::If(branches, otherwise) => {
                let mut result = self.value(otherwise, scene)?;
                for (condition, value) in branches.iter().rev() {
                    let value = self.value(value, scene)?;
                    result = match self.value(condition, scene)? {
                        Code::Bool(true) => value,
                        Code::Bool(false) => result,
                        other => Code::If(other.text(), Box::new(value), Box::new(result)),
                    };
                }
                Ok(result)
            }
            ExprKind::Negate(inner) => Ok(match self.value(inner, scene)? {
                Code::Int(k) => Code::Int(-k),
                other => Code::Text(format!("(-{})", bracket(&other.text()))),
            }),
            ExprKind::Sum(parts) => self.sum(parts, scene),
            ExprKind::Product(first, rest) => {
                let mut text = bracket(&self.value(first, scene)?.text());
                for (factor, part) in rest {
                    let word = Operator::Factor(*factor).spelling();
                    let part = bracket(&self.value(part, scene)?.text());
                    text = format!("{text} {word} {part}");
                }
                Ok(Code::Text(format!("({text})")))
            }
            ExprKind::Builtin(function, arguments) => {
                let arguments = self.texts(arguments, scene)?;
                Ok(Code::Text(format!("{}({arguments})", function.name())))
            }
            _ => Err(refused(expr.span, NOT_SAID)),
        }
    }

    /// The values of several expressions, separated by commas.
    fn texts(&self, list: &[Expr], scene: &Scene) -> Result<String, Diagnostic> {
        let texts = list.iter().map(|e| Ok(self.value(e, scene)?.text()));
        Ok(texts.collect::<Result<Vec<String>, _>>()?.join(", "))
    }

    fn name(&self, name: &Name, scene: &Scene) -> Evaluated {
        match scene.names.get(&*name.text) {
            Some(Binding::Code(code)) => return Ok(code.clone()),
            Some(Binding::Process(_)) => {
                let why = format!("the index `{}` is used as a number", name.text);
                let help = "processes that are distinguished by their numbers cannot be counted";
                return Err(refused(name.span, why).help(help));
            }
            None => {}
        }
        if let (Some(own), Some(family)) = (scene.own, self.own_family(scene))
            && let Some(local) = family.local(&name.text)
        {
            return Ok(family.value(scene.states[own], local));
        }
        if self.definition(name, scene).is_some() {
            return self.call(name, &[], scene);
        }
        let value = Code::Value(name.text.to_string());
        let mut locals = self.families.list.iter().flat_map(|f| &f.locals);
        let is_local_value = locals.any(|l| l.values.contains(&value));
        let is_value = is_local_value
            || self.items.iter().any(|item| match item {
                Item::Enumeration(_, values) => values.iter().any(|v| v.text == name.text),
                _ => false,
            });
        let text = match name.quoted {
            true => format!("`{}`", name.text),
            false => name.text.to_string(),
        };
        Ok(match is_value {
            true => Code::Value(text),
            false => Code::Text(text),
        })
    }

    fn reference(&self, expr: &Expr, scene: &Scene) -> Evaluated {
        if let Some((process, local)) = self.place(expr, scene)? {
            let state = scene.states[process];
            return Ok(self.families.of(state).value(state, local));
        }
        let ExprKind::Reference(reference) = &expr.kind else {
            return Err(refused(expr.span, NOT_SAID));
        };
        let is_type = |item: &Item| match item {
            Item::Enumeration(name, _) => name.text == reference.base.text,
            _ => false,
        };
        if let (Some((member, _)), true) = (&reference.member, self.items.iter().any(is_type)) {
            return Ok(Code::Value(member.text.to_string()));
        }
        if reference.prime.is_some() || reference.member.is_some() {
            return Err(refused(expr.span, NOT_SAID));
        }
        let indices = self.texts(&reference.indices, scene)?;
        Ok(Code::Text(format!("{}[{indices}]", reference.base.text)))
    }

    /// The process and the local variable of `P[j].x`; `None` for other expressions.
    pub fn place(&self, expr: &Expr, scene: &Scene) -> Result<Option<(usize, usize)>, Diagnostic> {
        let ExprKind::Reference(reference) = &expr.kind else {
            return Ok(None);
        };
        let mut families = self.families.list.iter();
        let named = families.position(|f| f.item.name.text == reference.base.text);
        let Some(number) = named else {
            return Ok(None);
        };
        let whole = "only `P[j].x` with an index `j` that a quantifier or the process binds";
        let wrong = |span: Span, why: &str| Err(refused(span, why).help(whole));
        let [index] = &reference.indices[..] else {
            return wrong(expr.span, "this does not name a process");
        };
        let Some((process, _)) = Self::process(index, scene) else {
            let why = "a particular process is named, but counters do not distinguish processes by number";
            return wrong(index.span, why);
        };
        let family = &self.families.list[number];
        if self.families.number_of(scene.states[process]) != number {
            return Err(refused(index.span, MIXED));
        }
        match &reference.member {
            Some((member, indices)) if indices.is_empty() && reference.prime.is_none() => {
                match family.local(&member.text) {
                    Some(local) => Ok(Some((process, local))),
                    None => wrong(member.span, "this is not a local variable"),
                }
            }
            _ => wrong(expr.span, NOT_SAID),
        }
    }

    /// The parameters and body of a definition, and whether it belongs to the process.
    fn definition(&self, name: &Name, scene: &Scene) -> Option<(&[Name], &Expr, bool)> {
        let own = self.own_family(scene).into_iter();
        let all = own.flat_map(|f| &f.item.items).map(|i| (i, true));
        let mut all = all.chain(self.items.iter().map(|i| (i, false)));
        all.find_map(|(item, local)| match item {
            Item::Definition(n, parameters, body) if n.text == name.text => {
                Some((&parameters[..], body, local))
            }
            _ => None,
        })
    }

    fn call(&self, name: &Name, arguments: &[Expr], scene: &Scene) -> Evaluated {
        let found = self.definition(name, scene);
        let Some((parameters, body, local)) = found else {
            let why = format!("`{}` is not a definition", name.text);
            return Err(refused(name.span, why));
        };
        let mut inner = Scene {
            states: scene.states.clone(),
            names: Bindings::new(),
            own: scene.own.filter(|_| local),
        };
        if let (true, Some(own), Some(family)) = (local, scene.own, self.own_family(scene))
            && let [index] = &family.item.indices[..]
        {
            let binding = Binding::Process(own);
            inner.names.insert(index.name.text.to_string(), binding);
        }
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let known = match &argument.kind {
                ExprKind::Name(n) => scene.names.get(&*n.text),
                _ => None,
            };
            let binding = match known {
                Some(binding) => binding.clone(),
                None => Binding::Code(self.value(argument, scene)?),
            };
            inner.names.insert(parameter.text.to_string(), binding);
        }
        self.value(body, &inner)
    }

    fn connected(&self, connective: Connective, parts: &[Expr], scene: &Scene) -> Evaluated {
        let mut codes = Vec::new();
        for part in parts {
            let code = self.value(part, scene)?;
            // An invalid index after a deciding operand is never evaluated.
            match (connective, &code) {
                (Connective::And, Code::Bool(false)) | (Connective::Or, Code::Bool(true)) => {
                    return Ok(code);
                }
                (Connective::Implies, Code::Bool(false)) if codes.is_empty() => {
                    return Ok(Code::Bool(true));
                }
                _ => codes.push(code),
            }
        }
        let unit = Code::Bool(true);
        Ok(match connective {
            Connective::And => Code::and(codes),
            Connective::Or => Code::or(codes),
            Connective::Implies => {
                let last = codes.pop().unwrap_or(unit);
                codes
                    .into_iter()
                    .rfold(last, |then, when| when.implies(then))
            }
            Connective::Iff => codes.into_iter().fold(unit, |a, b| match (a, b) {
                (Code::Bool(true), x) | (x, Code::Bool(true)) => x,
                (Code::Bool(false), x) | (x, Code::Bool(false)) => x.not(),
                (a, b) => {
                    let (a, b) = (bracket(&a.text()), bracket(&b.text()));
                    Code::Text(format!("({a} <=> {b})"))
                }
            }),
        })
    }

    fn compared(&self, first: &Expr, rest: &[(Comparison, Expr)], scene: &Scene) -> Evaluated {
        let mut left = first;
        let mut parts = Vec::new();
        for (comparison, right) in rest {
            parts.push(self.pair(left, *comparison, right, scene)?);
            left = right;
        }
        Ok(Code::and(parts))
    }

    fn process<'n>(expr: &'n Expr, scene: &Scene) -> Option<(usize, &'n Name)> {
        let ExprKind::Name(name) = &expr.kind else {
            return None;
        };
        match scene.names.get(&*name.text) {
            Some(Binding::Process(p)) => Some((*p, name)),
            _ => None,
        }
    }

    fn pair(&self, left: &Expr, c: Comparison, right: &Expr, scene: &Scene) -> Evaluated {
        if let (Some((p, name)), Some((q, _))) =
            (Self::process(left, scene), Self::process(right, scene))
        {
            let family = |process: usize| self.families.number_of(scene.states[process]);
            if family(p) != family(q) {
                return Err(refused(name.span, MIXED));
            }
            return match c {
                Comparison::Equal => Ok(Code::Bool(p == q)),
                Comparison::NotEqual => Ok(Code::Bool(p != q)),
                _ if p == q => Ok(Code::Bool(matches!(
                    c,
                    Comparison::LessEqual | Comparison::GreaterEqual
                ))),
                _ => {
                    let why = "indices are compared by their order";
                    let help = "`i < j` may stand only at the beginning of a property; write `i != j` elsewhere";
                    Err(refused(name.span, why).help(help))
                }
            };
        }
        let value = self.value(left, scene)?;
        if c == Comparison::In {
            return self.member(value, right, scene);
        }
        let other = self.value(right, scene)?;
        Ok(compare(c, &value, &other))
    }

    fn member(&self, value: Code, right: &Expr, scene: &Scene) -> Evaluated {
        match &right.kind {
            ExprKind::Set(list) => {
                let mut parts = Vec::new();
                for element in list {
                    let element = self.value(element, scene)?;
                    parts.push(compare(Comparison::Equal, &value, &element));
                }
                Ok(Code::or(parts))
            }
            ExprKind::Range(ends) => {
                let low = self.value(&ends.0, scene)?;
                let high = self.value(&ends.1, scene)?;
                Ok(Code::and([
                    compare(Comparison::LessEqual, &low, &value),
                    compare(Comparison::LessEqual, &value, &high),
                ]))
            }
            _ => Err(refused(right.span, NOT_SAID)),
        }
    }

    fn sum(&self, parts: &[(Sign, Expr)], scene: &Scene) -> Evaluated {
        let mut text = String::new();
        let mut known = Some(0i64);
        for (sign, part) in parts {
            let value = self.value(part, scene)?;
            let minus = *sign == Sign::Minus;
            known = match (known, &value) {
                (Some(sum), Code::Int(k)) => Some(if minus { sum - k } else { sum + k }),
                _ => None,
            };
            let word = match (text.is_empty(), minus) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text.push_str(word);
            text.push_str(&bracket(&value.text()));
        }
        Ok(match known {
            Some(k) => Code::Int(k),
            None => Code::Text(format!("({text})")),
        })
    }

    /// The families whose index range is that of a binder. If there are several, the body decides.
    pub fn candidates(&self, binder: &Binder) -> Result<Vec<usize>, Diagnostic> {
        let range = range(self.source, binder);
        let families = self.families.list.iter().enumerate();
        let found = families.filter(|(_, f)| f.range == range);
        let found: Vec<usize> = found.map(|(k, _)| k).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let (low, high) = &self.families.list[0].range;
        let name = &binder.name.text;
        let why = format!("`{name}` does not range over all processes");
        let help = format!("write `{low}..{high}`, as in the declaration of the process");
        Err(refused(binder.low.span, why).help(help))
    }

    /// The processes of a family to which an index may refer: each of the named ones, or another
    /// one in some local state, with the condition that it exists.
    pub fn choices(&self, name: &Name, family: usize, scene: &Scene) -> Vec<(Code, Scene)> {
        let named = self.named(family, scene).into_iter();
        let named = named.map(|process| (Code::Bool(true), scene.with(name, process)));
        let others = self.families.list[family].states();
        let others = others.map(|s| (self.another(scene, s), scene.with_other(name, s)));
        named.chain(others).collect()
    }

    /// The named processes of a family.
    fn named(&self, family: usize, scene: &Scene) -> Vec<usize> {
        let states = scene.states.iter().enumerate();
        let own = states.filter(|(_, s)| self.families.number_of(**s) == family);
        own.map(|(process, _)| process).collect()
    }

    fn quantified(&self, q: &Quantified, scene: &Scene) -> Evaluated {
        for binder in &q.binders {
            self.candidates(binder)?;
        }
        self.over(q, &q.binders, scene)
    }

    fn over(&self, q: &Quantified, binders: &[Binder], scene: &Scene) -> Evaluated {
        let Some((binder, rest)) = binders.split_first() else {
            let body = self.value(&q.body, scene)?;
            return Ok(match (q.quantifier, body) {
                (Quantifier::Count, Code::Bool(b)) => Code::Int(i64::from(b)),
                (Quantifier::Count, other) => {
                    Code::If(other.text(), Box::new(Code::Int(1)), Box::new(Code::Int(0)))
                }
                (_, body) => body,
            });
        };
        let candidates = self.candidates(binder)?;
        first_that_fits(candidates, |family| {
            self.over_family(q, (binder, family), rest, scene)
        })
    }

    fn over_family(
        &self,
        q: &Quantified,
        (binder, family): (&Binder, usize),
        rest: &[Binder],
        scene: &Scene,
    ) -> Evaluated {
        let mut parts = Vec::new();
        let named = self.named(family, scene).len();
        let first = self.families.list[family].states().start;
        let choices = self.choices(&binder.name, family, scene);
        for (k, (there, inner)) in choices.into_iter().enumerate() {
            let body = self.over(q, rest, &inner)?;
            parts.push(match q.quantifier {
                Quantifier::Forall => there.implies(body),
                Quantifier::Exists => Code::and([there, body]),
                Quantifier::Sum | Quantifier::Count if k < named => body,
                Quantifier::Sum | Quantifier::Count => {
                    let number = self.others(scene, first + k - named);
                    body.times(&number).ok_or_else(|| {
                        let why = "a sum over values that are not constant";
                        refused(q.span, why)
                            .help("count processes with `count j in ...: condition`")
                    })?
                }
                Quantifier::Max | Quantifier::Min => {
                    let why = "the largest or smallest value over processes is not counted";
                    return Err(refused(q.span, why));
                }
            });
        }
        Ok(match q.quantifier {
            Quantifier::Forall => Code::and(parts),
            Quantifier::Exists => Code::or(parts),
            _ => Code::sum(parts),
        })
    }
}

/// The first successful result; the first error if there is none.
pub(super) fn first_that_fits<C, R>(
    candidates: impl IntoIterator<Item = C>,
    mut attempt: impl FnMut(C) -> Result<R, Diagnostic>,
) -> Result<R, Diagnostic> {
    let mut refusal = None;
    for candidate in candidates {
        match attempt(candidate) {
            Ok(result) => return Ok(result),
            Err(why) => {
                refusal.get_or_insert(why);
            }
        }
    }
    Err(refusal.unwrap_or_else(|| refused(Span::default(), NOT_SAID)))
}

/// The comparison of two values.
pub(super) fn compare(c: Comparison, a: &Code, b: &Code) -> Code {
    let equal = match c {
        Comparison::Equal => Some(true),
        Comparison::NotEqual => Some(false),
        _ => None,
    };
    match (equal, a, b) {
        (Some(equal), a, b) if a.is_constant() && b.is_constant() => Code::Bool((a == b) == equal),
        (Some(equal), Code::Bool(truth), other) | (Some(equal), other, Code::Bool(truth)) => {
            match *truth == equal {
                true => other.clone(),
                false => other.clone().not(),
            }
        }
        (None, Code::Int(a), Code::Int(b)) => Code::Bool(match c {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            _ => a >= b,
        }),
        _ => {
            let word = Operator::Comparison(c).spelling();
            Code::Text(format!("({} {word} {})", a.text(), b.text()))
        }
    }
}
