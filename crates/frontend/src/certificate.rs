//! The text of certificates: see `docs/format/certificate.md`.

use crate::Scope;
use crate::certificate_ctl::CellDraft;
use crate::certificate_unrolled::UnrolledDraft;
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::{
    Certificate, Initial, Invariants, LocationId, Model, Module, State, Step, Trace,
};
use sectile_terms::{NativePrinter, Symbol, Term, Terms, Value, display_value};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The first line of every certificate.
const HEADER: &str = "sectile certificate 1";

/// A certificate as read.
#[derive(Clone, Debug)]
pub struct ReadCertificate {
    /// The property it is about.
    pub property: String,
    /// Whether it claims that the property holds (or else that it is violated).
    pub holds: bool,
    /// The evidence.
    pub certificate: Certificate,
}

/// One directive with the lines that belong to it.
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

pub(crate) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("certificate", span, message)
        .help("docs/format/certificate.md describes the format")
}

/// The `param NAME = VALUE` lines: the model must be read with them first.
pub fn parameters(source: &Source) -> Result<Vec<(String, String)>, Diagnostics> {
    let all = blocks(source);
    match all.first() {
        Some(block) if block.text == HEADER => {}
        Some(block) => {
            return Err(error(block.span, format!("the first line must be `{HEADER}`")).into());
        }
        None => return Err(error(Span::new(0, 0), "the certificate is empty").into()),
    }
    let mut found = Vec::new();
    for block in &all {
        if let Some(rest) = block.text.strip_prefix("param ") {
            let Some((name, value)) = rest.split_once('=') else {
                return Err(error(block.span, "expected `param NAME = VALUE`").into());
            };
            found.push((name.trim().to_string(), value.trim().to_string()));
        }
    }
    Ok(found)
}

/// Reads all certificates of a text, in the scope of the model they are about.
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
        modular: Cell::new(false),
        scope,
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
        return Err(error(Span::new(end, end), "there is no `property` in it").into());
    }
    Ok(reader.found)
}

/// A certificate of which not all directives were read yet.
struct Draft {
    span: Span,
    property: String,
    holds: Option<bool>,
    depth: Option<(u32, bool)>,
    invariant: Option<Term>,
    locations: BTreeMap<LocationId, Term>,
    cut_points: bool,
    unrolled: Option<UnrolledDraft>,
    trace: Option<Trace>,
    proof: Option<CellDraft>,
}

struct Reader<'r> {
    terms: &'r Terms,
    module: &'r Module,
    /// Whether the certificate is about contracts.
    modular: Cell<bool>,
    scope: &'r Scope,
    source: &'r Source,
    found: Vec<ReadCertificate>,
    draft: Option<Draft>,
}

impl Reader<'_> {
    fn block(&mut self, block: &Block<'_>) -> Result<(), Diagnostics> {
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
            return Err(error(block.span, "`property NAME` must come first").into());
        };
        let result = self.directive(&mut draft, word, rest, block);
        self.draft = Some(draft);
        result
    }

    fn start(&mut self, block: &Block<'_>, name: &str) -> Result<(), Diagnostics> {
        self.finish()?;
        if self.module.property(name).is_none() {
            let known: Vec<&str> = self
                .module
                .properties
                .iter()
                .map(|p| p.name.as_str())
                .collect();
            let message = format!("the model has no property `{name}`");
            let help = format!("it has {}", known.join(", "));
            return Err(error(block.span, message).help(help).into());
        }
        self.draft = Some(Draft {
            span: block.span,
            property: name.to_string(),
            holds: None,
            depth: None,
            invariant: None,
            locations: BTreeMap::new(),
            cut_points: false,
            unrolled: None,
            trace: None,
            proof: None,
        });
        Ok(())
    }

    fn directive(
        &self,
        draft: &mut Draft,
        word: &str,
        rest: &str,
        block: &Block<'_>,
    ) -> Result<(), Diagnostics> {
        match (word, rest) {
            ("holds", "") => draft.holds = Some(true),
            ("violated", "") => draft.holds = Some(false),
            ("k-inductive", _) => draft.depth = Some(depth(rest, block)?),
            ("cut-points", "") => draft.cut_points = true,
            ("contracts", "") => self.modular.set(true),
            ("unrolled", "") => draft.unrolled = Some(UnrolledDraft::default()),
            ("unroll", _) => unrolled_of(draft, block)?.unroll(rest, block)?,
            ("cut", "") => unrolled_of(draft, block)?.cut(block)?,
            ("invariant", "") => draft.invariant = Some(self.formulas(block)?),
            ("at", _) if draft.unrolled.is_some() => {
                let invariant = self.formulas(block)?;
                unrolled_of(draft, block)?.at(rest, block.span, invariant)?;
            }
            ("at", _) => {
                let location = self.location(rest, block)?;
                draft.locations.insert(location, self.formulas(block)?);
            }
            ("constants", "") => {
                let symbols = &self.model().rigid;
                trace_of(draft).rigid = self.values(symbols, block)?;
            }
            ("state", _) => {
                let name = rest.strip_prefix("at ");
                if name.is_none() && !rest.is_empty() {
                    return Err(error(block.span, "expected `state at LOCATION`").into());
                }
                let location = self.place(name, block)?;
                let values = self.values(&self.model().variables, block)?;
                trace_of(draft).states.push(State { location, values });
            }
            ("step", _) => {
                let step = self.step(rest, block)?;
                trace_of(draft).steps.push(step);
            }
            ("back", _) => {
                let number = rest.strip_prefix("to ").and_then(|k| k.trim().parse().ok());
                let target = number.ok_or_else(|| error(block.span, "expected `back to K`"))?;
                trace_of(draft).back_to = Some(target);
            }
            ("cell", _) => {
                let (number, name) = match rest.split_once(" at ") {
                    Some((number, name)) => (number, Some(name)),
                    None => (rest, None),
                };
                let location = self.place(name, block)?;
                let formula = self.formulas(block)?;
                proof_of(draft).cell(number, block.span, location, formula)?;
            }
            ("renaming", _) => {
                let symbol = |name: &str| self.terms.symbol(name);
                proof_of(draft).renaming(rest, block, &symbol)?;
            }
            ("image", _) => proof_of(draft).image(rest, block.span)?,
            ("leads", _) => proof_of(draft).leads(rest, block.span)?,
            ("claims", _) => proof_of(draft).claims(rest, block)?,
            ("initial", _) => proof_of(draft).initial(rest, block.span)?,
            ("choice", _) => {
                let symbol = |name: &str| self.terms.symbol(name);
                let term = |symbol: Symbol, text: &str, span: Span| {
                    self.read_at(span, text, |s| self.scope.term(self.terms, symbol, s))
                };
                proof_of(draft).choice(rest, block, &symbol, &term)?;
            }
            _ => {
                let message = format!("there is no directive `{}`", block.text);
                return Err(error(block.span, message).into());
            }
        }
        Ok(())
    }

    /// The model that the certificate is about.
    fn model(&self) -> &Model {
        match (self.modular.get(), &self.module.contracts) {
            (true, Some(contracts)) => &contracts.model,
            _ => &self.module.model,
        }
    }

    /// A location that must be named where there are several.
    fn place(&self, name: Option<&str>, block: &Block<'_>) -> Result<LocationId, Diagnostics> {
        match name {
            Some(name) => self.location(name.trim(), block),
            None if self.model().is_system() => Ok(self.model().entry),
            None => Err(error(block.span, "expected `at LOCATION`").into()),
        }
    }

    fn location(&self, name: &str, block: &Block<'_>) -> Result<LocationId, Diagnostics> {
        if self.model().is_system() {
            return Err(error(block.span, "the model is a system: it has no locations").into());
        }
        let missing = || error(block.span, format!("the program has no location `{name}`")).into();
        self.model().location(name).ok_or_else(missing)
    }

    /// Reads a body part. Only if that fails it is read at its own place, so that messages point
    /// into the certificate: long certificates have many parts far below their beginning.
    fn read_at<T>(
        &self,
        span: Span,
        text: &str,
        read: impl Fn(&Source) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics> {
        if let Ok(found) = read(&Source::new(self.source.name(), text)) {
            return Ok(found);
        }
        let at = self.source.position(span.start);
        let padding = "\n".repeat(at.line - 1) + &" ".repeat(at.column - 1);
        let excerpt = Source::new(self.source.name(), padding + text);
        read(&excerpt).map_err(|d| d.relocated(&excerpt, self.source))
    }

    /// The conjunction of the formulas in a body.
    fn formulas(&self, block: &Block<'_>) -> Result<Term, Diagnostics> {
        let mut conjuncts = Vec::new();
        let mut pending: Option<(Span, String)> = None;
        for &(line, span) in &block.body {
            let (pending_span, text) = pending.get_or_insert((span, String::new()));
            // Line breaks are kept, so that columns of later lines stay right.
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

    /// `NAME = VALUE` lines, one for each symbol.
    fn values(&self, symbols: &[Symbol], block: &Block<'_>) -> Result<Vec<Value>, Diagnostics> {
        let mut given: BTreeMap<&str, Value> = BTreeMap::new();
        for &(line, span) in &block.body {
            let Some((name, text)) = line.split_once(" = ") else {
                return Err(error(span, "expected `NAME = VALUE`").into());
            };
            let symbol = symbols.iter().find(|&&s| self.terms.name(s) == name.trim());
            let Some(&symbol) = symbol else {
                let message = format!("`{}` is not among the values to be given here", name.trim());
                return Err(error(span, message).into());
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
            let missing = || error(block.span, format!("`{name}` has no value here")).into();
            given.get(name).cloned().ok_or_else(missing)
        };
        symbols.iter().map(value_of).collect()
    }

    fn step(&self, rest: &str, block: &Block<'_>) -> Result<Step, Diagnostics> {
        let (number, name) = rest
            .split_once(':')
            .ok_or_else(|| error(block.span, "expected `step K: NAME`"))?;
        let (number, rests_on) = match number.split_once(" on ") {
            Some((number, list)) => (number, list.split_whitespace().collect()),
            None => (number, Vec::new()),
        };
        let index: usize = number
            .trim()
            .parse()
            .map_err(|_| error(block.span, "the number of the step's command is missing"))?;
        let rests_on: Result<Vec<usize>, _> = rests_on.into_iter().map(str::parse).collect();
        let rests_on = rests_on.map_err(|_| error(block.span, "expected numbers of states"))?;
        let Some(command) = self.model().command(index) else {
            return Err(error(block.span, format!("the model has no command {index}")).into());
        };
        if one_line(&command.name) != name.trim() {
            let message = format!("command {index} is called `{}`", command.name);
            return Err(error(block.span, message).into());
        }
        Ok(Step {
            command: index,
            inputs: self.values(&command.inputs, block)?,
            rests_on,
        })
    }

    /// Closes the certificate that was being read.
    fn finish(&mut self) -> Result<(), Diagnostics> {
        let Some(draft) = self.draft.take() else {
            return Ok(());
        };
        let span = draft.span;
        let missing = |what: &str| -> Diagnostics { error(span, what).into() };
        let holds = draft
            .holds
            .ok_or_else(|| missing("`holds` or `violated` is missing"))?;
        let property = draft.property.clone();
        let certificate = self.evidence(draft, &missing)?;
        let certificate = match self.modular.replace(false) {
            true => Certificate::Modular(Box::new(certificate)),
            false => certificate,
        };
        self.found.push(ReadCertificate {
            property,
            holds,
            certificate,
        });
        Ok(())
    }

    fn evidence(
        &self,
        draft: Draft,
        missing: &dyn Fn(&str) -> Diagnostics,
    ) -> Result<Certificate, Diagnostics> {
        if let Some(proof) = draft.proof {
            let proof = proof.finish(draft.trace);
            let proof = proof.ok_or_else(|| missing("the cell of the initial state is missing"))?;
            return Ok(Certificate::Ctl(Box::new(proof)));
        }
        if let Some(trace) = draft.trace {
            return Ok(Certificate::Trace(trace));
        }
        let model = self.model();
        let property = self.module.property(&draft.property);
        if let (Some(unrolled), Some(property)) = (draft.unrolled, property) {
            let proof = unrolled.finish(model, &property.kind);
            return Ok(Certificate::Unrolled(Box::new(proof)));
        }
        let all = (0..model.locations.len()).map(LocationId);
        let given = all.map(|l| draft.locations.get(&l).copied());
        let at: Vec<Option<Term>> = match draft.locations.is_empty() && !draft.cut_points {
            false if draft.cut_points => given.collect(),
            false => given.map(|i| i.or(Some(self.terms.tt()))).collect(),
            true => {
                let one = draft.invariant;
                let one = one.ok_or_else(|| missing("there is no evidence in it"))?;
                vec![Some(one); model.locations.len()]
            }
        };
        let (depth, simple_paths) = draft.depth.unwrap_or((1, false));
        Ok(Certificate::Invariants(Invariants {
            at,
            depth,
            simple_paths,
        }))
    }
}

fn depth(rest: &str, block: &Block<'_>) -> Result<(u32, bool), Diagnostics> {
    let (number, simple) = match rest.strip_suffix("simple-paths") {
        Some(number) => (number.trim(), true),
        None => (rest, false),
    };
    let depth = number.parse().map_err(|_| {
        error(
            block.span,
            "expected `k-inductive K` or `k-inductive K simple-paths`",
        )
    })?;
    Ok((depth, simple))
}

fn unrolled_of<'d>(
    draft: &'d mut Draft,
    block: &Block<'_>,
) -> Result<&'d mut UnrolledDraft, Diagnostics> {
    let missing = || error(block.span, "`unrolled` must come before it").into();
    draft.unrolled.as_mut().ok_or_else(missing)
}

fn proof_of(draft: &mut Draft) -> &mut CellDraft {
    draft.proof.get_or_insert_default()
}

fn trace_of(draft: &mut Draft) -> &mut Trace {
    draft.trace.get_or_insert_with(|| Trace {
        rigid: Vec::new(),
        states: Vec::new(),
        steps: Vec::new(),
        back_to: None,
    })
}

/// The name of a command on one line: statements may be longer.
fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of certificates about one model.
pub fn print(terms: &Terms, module: &Module, file: &str, list: &[ReadCertificate]) -> String {
    let mut out = format!("{HEADER}\nmodel {file}\n");
    for (name, value) in &module.parameters {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "param {name} = {value}");
    }
    for entry in list {
        let claim = if entry.holds { "holds" } else { "violated" };
        let _ = writeln!(out, "property {}\n{claim}", entry.property);
        print_evidence(terms, &module.model, module, &entry.certificate, &mut out);
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
        Certificate::Unrolled(proof) => {
            let conjuncts = |formula, out: &mut String| print_conjuncts(terms, formula, out);
            crate::certificate_unrolled::print(proof, out, conjuncts);
        }
        Certificate::Ctl(proof) => {
            crate::certificate_ctl::print(terms, model, proof, out);
            if let Initial::One(rigid, state, _) = &proof.initial {
                let start = Trace {
                    rigid: rigid.clone(),
                    states: vec![state.clone()],
                    steps: Vec::new(),
                    back_to: None,
                };
                print_trace(terms, model, &start, out);
            }
        }
        Certificate::Modular(inner) => {
            if let Some(contracts) = &module.contracts {
                out.push_str("contracts\n");
                print_evidence(terms, &contracts.model, module, inner, out);
            }
        }
        Certificate::Trace(trace) => print_trace(terms, model, trace, out),
    }
}

fn print_invariants(terms: &Terms, model: &Model, proof: &Invariants, out: &mut String) {
    if !proof.is_inductive() {
        let simple = if proof.simple_paths {
            " simple-paths"
        } else {
            ""
        };
        let _ = writeln!(out, "k-inductive {}{simple}", proof.depth);
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

fn print_conjuncts(terms: &Terms, invariant: Term, out: &mut String) {
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
