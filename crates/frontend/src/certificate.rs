//! Reads and writes the text of certificates: see `docs/format/certificate.md`.

use crate::Scope;
use crate::{certificate_ctl, certificate_diagram, certificate_unrolled};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::{
    Certificate, CtlProof, DiagramProof, GraphChange, Initial, Invariants, LocationId, Model,
    Module, Part, Property, State, Step, Trace, UnrolledProof,
};
use sectile_terms::{NativePrinter, Symbol, Term, Terms, Value, display_value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

/// The first line of every certificate.
const HEADER: &str = "sectile certificate 1";

/// A certificate that was read.
#[derive(Clone, Debug)]
pub struct ReadCertificate {
    /// The property it is about.
    pub property: String,
    /// The part of the property that it is about; the whole if there is none.
    pub part: Option<Part>,
    /// Whether it claims that the property holds; otherwise it claims a violation.
    pub holds: bool,
    /// The evidence.
    pub certificate: Certificate,
}

/// One directive with its lines.
pub(crate) struct Block<'s> {
    text: &'s str,
    pub(crate) span: Span,
    pub(crate) body: Vec<(&'s str, Span)>,
}

/// Splits the text into directives, without comments and blank lines.
fn blocks(source: &Source) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut offset = 0;
    for line in source.text().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let code = line.split("//").next().unwrap_or("").trim_end();
        let text = code.trim_start();
        if text.is_empty() {
            continue;
        }
        let indent = code.len() - text.len();
        let span = Span::new(start + indent, start + code.len());
        match found.last_mut() {
            Some(block) if indent > 0 => block.body.push((text, span)),
            _ => found.push(Block {
                text,
                span,
                body: Vec::new(),
            }),
        }
    }
    found
}

/// A result, or the errors.
pub(crate) type Read<T> = Result<T, Diagnostics>;

pub(crate) fn error(span: Span, message: impl Into<String>) -> Diagnostics {
    let diagnostic = Diagnostic::error("certificate", span, message);
    diagnostic
        .help("docs/format/certificate.md describes the format")
        .into()
}

pub(crate) fn number<T: FromStr>(text: &str, span: Span) -> Read<T> {
    let text = text.trim();
    let wrong = |_| error(span, format!("`{text}` is not a number"));
    text.parse().map_err(wrong)
}

pub(crate) fn numbers(text: &str, span: Span) -> Read<Vec<usize>> {
    text.split_whitespace().map(|t| number(t, span)).collect()
}

/// Numbers, separated by blanks.
pub(crate) fn list(numbers: impl IntoIterator<Item = impl ToString>) -> String {
    let texts: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    texts.join(" ")
}

/// The values of the `param NAME = VALUE` lines: the model must be read with them.
pub fn parameters(source: &Source) -> Result<Vec<(String, String)>, Diagnostics> {
    let all = blocks(source);
    match all.first() {
        Some(block) if block.text == HEADER => {}
        Some(block) => {
            return Err(error(
                block.span,
                format!("the first line must be `{HEADER}`"),
            ));
        }
        None => return Err(error(Span::new(0, 0), "the certificate is empty")),
    }
    let mut found = Vec::new();
    for block in &all {
        if let Some(rest) = block.text.strip_prefix("param ") {
            let Some((name, value)) = rest.split_once('=') else {
                return Err(error(block.span, "expected `param NAME = VALUE`"));
            };
            found.push((name.trim().to_string(), value.trim().to_string()));
        }
    }
    Ok(found)
}

/// Reads all certificates in a text, in the scope of their model.
pub fn read(
    terms: &Terms,
    module: &Module,
    scope: &Scope,
    source: &Source,
) -> Result<Vec<ReadCertificate>, Diagnostics> {
    parameters(source)?;
    let mut reader = Reader {
        terms,
        module,
        scope: scope.clone(),
        source,
        found: Vec::new(),
        draft: None,
    };
    for block in blocks(source).iter().skip(1) {
        reader.block(block)?;
    }
    reader.finish()?;
    if reader.found.is_empty() {
        let end = source.text().len();
        return Err(error(Span::new(end, end), "there is no `property` in it"));
    }
    Ok(reader.found)
}

/// A certificate whose directives have not all been read.
#[derive(Default)]
struct Draft {
    span: Span,
    property: String,
    part: Option<Part>,
    holds: Option<bool>,
    /// Whether it is about contracts.
    modular: bool,
    depth: Option<(u32, bool)>,
    invariant: Option<Term>,
    locations: BTreeMap<LocationId, Term>,
    cut_points: bool,
    unrolled: Option<Vec<GraphChange>>,
    trace: Option<Trace>,
    proof: Option<CtlProof>,
    diagrams: Option<DiagramProof>,
}

pub(crate) struct Reader<'r> {
    pub terms: &'r Terms,
    module: &'r Module,
    pub scope: Scope,
    source: &'r Source,
    found: Vec<ReadCertificate>,
    draft: Option<Draft>,
}

impl<'r> Reader<'r> {
    fn block(&mut self, block: &Block<'_>) -> Read<()> {
        let (word, rest) = match block.text.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (block.text, ""),
        };
        match word {
            "model" | "param" => return Ok(()),
            "property" => return self.start(block, rest),
            _ => {}
        }
        let Some(mut draft) = self.draft.take() else {
            return Err(error(block.span, "`property NAME` must come first"));
        };
        let result = self.directive(&mut draft, word, rest, block);
        self.draft = Some(draft);
        result
    }

    fn start(&mut self, block: &Block<'_>, name: &str) -> Read<()> {
        self.finish()?;
        if self.module.property(name).is_none() {
            let known = self.module.properties.iter().map(|p| p.name.as_str());
            let help = format!("it has {}", known.collect::<Vec<_>>().join(", "));
            let message = format!("the model has no property `{name}`");
            let diagnostic = Diagnostic::error("certificate", block.span, message);
            return Err(diagnostic.help(help).into());
        }
        self.draft = Some(Draft {
            span: block.span,
            property: name.to_string(),
            ..Draft::default()
        });
        Ok(())
    }

    fn directive(
        &mut self,
        draft: &mut Draft,
        word: &str,
        rest: &str,
        block: &Block<'_>,
    ) -> Read<()> {
        if word == "for-all" {
            return self.bind(rest, block);
        }
        let model = self.model(draft);
        match (word, rest) {
            ("part", _) => draft.part = Some(self.part(draft, rest, block)?),
            ("holds", "") => draft.holds = Some(true),
            ("violated", "") => draft.holds = Some(false),
            ("k-inductive", _) => draft.depth = Some(depth(rest, block)?),
            ("cut-points", "") => draft.cut_points = true,
            ("contracts", "") => draft.modular = true,
            ("unrolled", "") => draft.unrolled = Some(Vec::new()),
            ("unroll", _) | ("cut", "") => {
                let missing = || error(block.span, "`unrolled` must come before it");
                let changes = draft.unrolled.as_mut().ok_or_else(missing)?;
                changes.push(match word {
                    "cut" => certificate_unrolled::cut(block)?,
                    _ => certificate_unrolled::unroll(rest, block)?,
                });
            }
            ("invariant", "") => draft.invariant = Some(self.formulas(block)?),
            ("at", _) => {
                let location = match &draft.unrolled {
                    Some(_) => LocationId(number(rest, block.span)?),
                    None => location(model, rest, block)?,
                };
                draft.locations.insert(location, self.formulas(block)?);
            }
            ("constants", "") => trace_of(draft).rigid = self.values(&model.rigid, block)?,
            ("state", _) => {
                let name = rest.strip_prefix("at ");
                if name.is_none() && !rest.is_empty() {
                    return Err(error(block.span, "expected `state at LOCATION`"));
                }
                let location = self.place(model, name, block)?;
                let values = self.values(&model.variables, block)?;
                trace_of(draft).states.push(State { location, values });
            }
            ("step", _) => {
                let step = self.step(model, rest, block)?;
                trace_of(draft).steps.push(step);
            }
            ("back", _) => {
                let number = rest.strip_prefix("to ").and_then(|k| k.trim().parse().ok());
                let target = number.ok_or_else(|| error(block.span, "expected `back to K`"))?;
                trace_of(draft).back_to = Some(target);
            }
            ("cell" | "renaming" | "image" | "leads" | "claims" | "initial" | "choice", _) => {
                let proof = draft.proof.get_or_insert_with(certificate_ctl::empty);
                self.ctl_directive(proof, model, (word, rest), block)?;
            }
            ("node" | "sets", _) => {
                let proof = draft
                    .diagrams
                    .get_or_insert_with(certificate_diagram::empty);
                match word {
                    "node" => certificate_diagram::node(self, model, proof, rest, block)?,
                    _ => certificate_diagram::sets(proof, rest, block)?,
                }
            }
            _ => {
                let message = format!("there is no directive `{}`", block.text);
                return Err(error(block.span, message));
            }
        }
        Ok(())
    }

    /// Reads `k l`: names that range over all integers in the following formulas.
    fn bind(&mut self, names: &str, block: &Block<'_>) -> Read<()> {
        for name in names.split_whitespace() {
            let plain = name.trim_matches('`');
            let bound = self.scope.bound(self.terms, plain);
            let taken = || error(block.span, format!("`{plain}` is a name of the model"));
            bound.ok_or_else(taken)?;
        }
        Ok(())
    }

    /// Reads `0 2 of 3`: some conjuncts of the property.
    fn part(&self, draft: &Draft, rest: &str, block: &Block<'_>) -> Read<Part> {
        let (conjuncts, of) = rest
            .split_once("of ")
            .ok_or_else(|| error(block.span, "expected `part K ... of N`"))?;
        let part = Part {
            conjuncts: numbers(conjuncts, block.span)?,
            of: number(of, block.span)?,
        };
        if self.module.model.contracts.is_some() {
            let message = "properties of programs with contracts have no parts";
            return Err(error(block.span, message));
        }
        let property = self.module.property(&draft.property);
        match property.and_then(|p| p.part(self.terms, &part)) {
            Some(_) => Ok(part),
            None => {
                let count = property.map_or(0, |p| p.conjuncts(self.terms).len());
                let message = format!(
                    "there is no such part: the property has {count} conjuncts, counted from 0"
                );
                Err(error(block.span, message))
            }
        }
    }

    /// The property or the part of it that the certificate is about.
    fn property(&self, draft: &Draft) -> Option<Property> {
        let property = self.module.property(&draft.property)?;
        match &draft.part {
            Some(part) => property.part(self.terms, part),
            None => Some(property.clone()),
        }
    }

    /// The model that the certificate is about.
    fn model(&self, draft: &Draft) -> &'r Model {
        match (draft.modular, &self.module.model.contracts) {
            (true, Some(contracts)) => &contracts.model,
            _ => self.module.model.for_property(&draft.property),
        }
    }

    /// A location, whose name is required if there are several.
    pub fn place(&self, model: &Model, name: Option<&str>, block: &Block<'_>) -> Read<LocationId> {
        match name {
            Some(name) => location(model, name.trim(), block),
            None if model.is_system() => Ok(model.entry),
            None => Err(error(block.span, "expected `at LOCATION`")),
        }
    }

    /// Reads a part of a body, with messages at the right positions.
    pub fn read_at<T>(&self, span: Span, text: &str, read: impl Fn(&Source) -> Read<T>) -> Read<T> {
        crate::input::read_at(self.source, span.start as usize, text, read)
    }

    /// The conjunction of the formulas in a body.
    pub fn formulas(&self, block: &Block<'_>) -> Read<Term> {
        let mut conjuncts = Vec::new();
        let mut pending: Option<(Span, String)> = None;
        for &(line, span) in &block.body {
            let (pending_span, text) = pending.get_or_insert((span, String::new()));
            // Line breaks are kept so that columns in later lines are right.
            let missing = self.source.position(span.start).line
                - self.source.position(pending_span.start).line
                - text.matches('\n').count();
            if missing > 0 {
                text.push_str(&"\n".repeat(missing));
                text.push_str(&" ".repeat(self.source.position(span.start).column - 1));
            }
            match line.strip_suffix(';') {
                Some(last) => {
                    text.push_str(last);
                    conjuncts.extend(pending.take());
                }
                None => text.push_str(line),
            }
        }
        conjuncts.extend(pending);
        let mut terms = Vec::new();
        for (span, text) in conjuncts {
            let read = |source: &Source| self.scope.formula(self.terms, source);
            terms.push(self.read_at(span, &text, read)?);
        }
        Ok(self.terms.and(terms))
    }

    /// Reads `NAME = VALUE` lines, one for each symbol.
    fn values(&self, symbols: &[Symbol], block: &Block<'_>) -> Read<Vec<Value>> {
        let mut given: BTreeMap<&str, Value> = BTreeMap::new();
        for &(line, span) in &block.body {
            let Some((name, text)) = line.split_once(" = ") else {
                return Err(error(span, "expected `NAME = VALUE`"));
            };
            let symbol = symbols.iter().find(|&&s| self.terms.name(s) == name.trim());
            let Some(&symbol) = symbol else {
                let message = format!("`{}` is not among the values to be given here", name.trim());
                return Err(error(span, message));
            };
            let at = Span::new(
                span.start as usize + line.len() - text.len(),
                span.end as usize,
            );
            let read = |source: &Source| self.scope.value(self.terms, symbol, source);
            let value = self.read_at(at, text, read)?;
            given.insert(name.trim(), value);
        }
        let value_of = |&s: &Symbol| {
            let name = self.terms.name(s);
            let missing = || error(block.span, format!("`{name}` has no value here"));
            given.get(name).cloned().ok_or_else(missing)
        };
        symbols.iter().map(value_of).collect()
    }

    fn step(&self, model: &Model, rest: &str, block: &Block<'_>) -> Read<Step> {
        let span = block.span;
        let (head, name) = rest
            .split_once(':')
            .ok_or_else(|| error(span, "expected `step K: NAME`"))?;
        let (index, states) = head.split_once(" on ").unwrap_or((head, ""));
        let (index, rests_on) = (number(index, span)?, numbers(states, span)?);
        let Some(command) = model.command(index) else {
            return Err(error(span, format!("the model has no command {index}")));
        };
        if one_line(&command.name) != name.trim() {
            let message = format!("command {index} is called `{}`", command.name);
            return Err(error(span, message));
        }
        Ok(Step {
            command: index,
            inputs: self.values(&command.inputs, block)?,
            rests_on,
        })
    }

    /// Completes the current certificate.
    fn finish(&mut self) -> Read<()> {
        let Some(draft) = self.draft.take() else {
            return Ok(());
        };
        let missing = || error(draft.span, "`holds` or `violated` is missing");
        let holds = draft.holds.ok_or_else(missing)?;
        let (property, modular) = (draft.property.clone(), draft.modular);
        let part = draft.part.clone();
        let mut certificate = self.evidence(draft)?;
        if modular {
            certificate = Certificate::Modular(Box::new(certificate));
        }
        self.found.push(ReadCertificate {
            property,
            part,
            holds,
            certificate,
        });
        Ok(())
    }

    fn evidence(&self, draft: Draft) -> Read<Certificate> {
        let model = self.model(&draft);
        if let Some(proof) = draft.proof {
            let missing = || error(draft.span, "the cell of the initial state is missing");
            let proof = certificate_ctl::finish(proof, draft.trace).ok_or_else(missing)?;
            return Ok(Certificate::Ctl(Box::new(proof)));
        }
        if let Some(proof) = draft.diagrams {
            let proof = certificate_diagram::finish(proof, draft.trace);
            return Ok(Certificate::Diagrams(Box::new(proof)));
        }
        if let Some(trace) = draft.trace {
            return Ok(Certificate::Trace(trace));
        }
        let given = |count: usize| {
            let all = (0..count).map(LocationId);
            all.map(|l| draft.locations.get(&l).copied())
        };
        let property = self.property(&draft);
        if let (Some(changes), Some(property)) = (draft.unrolled, property) {
            let mut proof = UnrolledProof {
                changes,
                invariants: Vec::new(),
            };
            let count = proof.origins(model, &property.kind).len();
            proof.invariants = given(count).collect();
            return Ok(Certificate::Unrolled(Box::new(proof)));
        }
        let given = given(model.locations.len());
        let at: Vec<Option<Term>> = if draft.cut_points {
            given.collect()
        } else if draft.locations.is_empty() {
            let missing = || error(draft.span, "there is no evidence in it");
            let one = draft.invariant.ok_or_else(missing)?;
            vec![Some(one); model.locations.len()]
        } else {
            given.map(|i| i.or(Some(self.terms.tt()))).collect()
        };
        let (depth, simple_paths) = draft.depth.unwrap_or((1, false));
        Ok(Certificate::Invariants(Invariants {
            at,
            depth,
            simple_paths,
        }))
    }
}

fn location(model: &Model, name: &str, block: &Block<'_>) -> Read<LocationId> {
    if model.is_system() {
        return Err(error(
            block.span,
            "the model is a system: it has no locations",
        ));
    }
    let missing = || error(block.span, format!("the program has no location `{name}`"));
    model.location(name).ok_or_else(missing)
}

fn depth(rest: &str, block: &Block<'_>) -> Read<(u32, bool)> {
    let (number, simple) = match rest.strip_suffix("simple-paths") {
        Some(number) => (number.trim(), true),
        None => (rest, false),
    };
    let expected = "expected `k-inductive K` or `k-inductive K simple-paths`";
    let depth = number.parse().map_err(|_| error(block.span, expected))?;
    Ok((depth, simple))
}

fn trace_of(draft: &mut Draft) -> &mut Trace {
    draft.trace.get_or_insert_default()
}

/// The name of a command on one line: statements may have several lines.
fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Prints certificates about one model.
pub fn print(terms: &Terms, module: &Module, file: &str, all: &[ReadCertificate]) -> String {
    let mut out = format!("{HEADER}\nmodel {file}\n");
    for (name, value) in &module.parameters {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "param {name} = {value}");
    }
    for entry in all {
        let claim = if entry.holds { "holds" } else { "violated" };
        let _ = writeln!(out, "property {}", entry.property);
        if let Some(part) = &entry.part {
            let _ = writeln!(out, "part {} of {}", list(&part.conjuncts), part.of);
        }
        let _ = writeln!(out, "{claim}");
        let model = module.model.for_property(&entry.property);
        print_evidence(terms, model, module, &entry.certificate, &mut out);
    }
    out
}

fn print_evidence(
    terms: &Terms,
    model: &Model,
    module: &Module,
    certificate: &Certificate,
    out: &mut String,
) {
    match certificate {
        Certificate::Invariants(proof) => print_invariants(terms, model, proof, out),
        Certificate::Unrolled(proof) => certificate_unrolled::print(terms, proof, out),
        Certificate::Ctl(proof) => {
            certificate_ctl::print(terms, model, proof, out);
            if let Initial::One(rigid, state, _) = &proof.initial {
                print_start(terms, model, (rigid, state), out);
            }
        }
        Certificate::Diagrams(proof) => {
            certificate_diagram::print(terms, proof, out);
            if let Some((rigid, state)) = &proof.initial {
                print_start(terms, model, (rigid, state), out);
            }
        }
        Certificate::Modular(inner) => {
            if let Some(contracts) = &module.model.contracts {
                out.push_str("contracts\n");
                print_evidence(terms, &contracts.model, module, inner, out);
            }
        }
        Certificate::Trace(trace) => print_trace(terms, model, trace, out),
    }
}

/// An initial state: a run without steps.
fn print_start(terms: &Terms, model: &Model, (rigid, state): (&[Value], &State), out: &mut String) {
    let start = Trace {
        rigid: rigid.to_vec(),
        states: vec![state.clone()],
        ..Trace::default()
    };
    print_trace(terms, model, &start, out);
}

fn print_invariants(terms: &Terms, model: &Model, proof: &Invariants, out: &mut String) {
    if !proof.is_inductive() {
        let simple = match proof.simple_paths {
            true => " simple-paths",
            false => "",
        };
        let _ = writeln!(out, "k-inductive {}{simple}", proof.depth);
    }
    let formulas: Vec<Term> = proof.at.iter().copied().flatten().collect();
    let bound = terms.bound_symbols(&formulas).into_iter();
    let bound: Vec<String> = bound
        .map(|s| NativePrinter::new(terms).print(terms.var(s)))
        .collect();
    if !bound.is_empty() {
        let _ = writeln!(out, "for-all {}", bound.join(" "));
    }
    if proof.at_all().is_none() {
        out.push_str("cut-points\n");
    }
    for (location, invariant) in model.locations.iter().zip(&proof.at) {
        let Some(invariant) = invariant else { continue };
        match model.is_system() {
            true => out.push_str("invariant\n"),
            false => _ = writeln!(out, "at {}", location.name),
        }
        print_conjuncts(terms, *invariant, out);
    }
}

pub(crate) fn print_conjuncts(terms: &Terms, invariant: Term, out: &mut String) {
    let printer = NativePrinter::new(terms);
    let conjuncts = terms.conjuncts(invariant);
    if conjuncts.is_empty() {
        out.push_str("  true\n");
    }
    for (k, &conjunct) in conjuncts.iter().enumerate() {
        let end = if k + 1 < conjuncts.len() { ";" } else { "" };
        let _ = writeln!(out, "  {}{end}", printer.print(conjunct));
    }
}

fn print_trace(terms: &Terms, model: &Model, trace: &Trace, out: &mut String) {
    let values = |symbols: &[Symbol], values: &[Value], out: &mut String| {
        for (s, v) in symbols.iter().zip(values) {
            let _ = writeln!(out, "  {} = {}", terms.name(*s), display_value(terms, v));
        }
    };
    if !model.rigid.is_empty() {
        out.push_str("constants\n");
        values(&model.rigid, &trace.rigid, out);
    }
    for (k, state) in trace.states.iter().enumerate() {
        match model.is_system() {
            true => out.push_str("state\n"),
            false => _ = writeln!(out, "state at {}", model.location_name(state.location)),
        }
        values(&model.variables, &state.values, out);
        if let Some(step) = trace.steps.get(k)
            && let Some(command) = model.command(step.command)
        {
            let _ = write!(out, "step {}", step.command);
            for (i, state) in step.rests_on.iter().enumerate() {
                let _ = write!(out, "{}{state}", if i == 0 { " on " } else { " " });
            }
            let _ = writeln!(out, ": {}", one_line(&command.name));
            values(&command.inputs, &step.inputs, out);
        }
    }
    if let Some(k) = trace.back_to {
        let _ = writeln!(out, "back to {k}");
    }
}
