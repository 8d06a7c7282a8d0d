//! The family of a file, read with a given number of processes.

use sectile_base::{Diagnostics, Source};
use sectile_certify::every::{
    Counted, Instance, Qualified, Served, Waiting, WrittenProof, qualify, responses,
};
use sectile_certify::{Outcome, every};
use sectile_driver::{Loaded, load_text, load_text_with};
use sectile_frontend::input::InputError;
use sectile_frontend::sct::{scheme, scheme_formula};
use sectile_frontend::{Frontend, ReadOptions, certificate};
use sectile_model::scheme::{Response, Scheme, SchemeClaim, Use, UseKind};
use sectile_model::{Certificate, PropertyKind, Task};
use sectile_report::Warning;
use sectile_solver::SolverError;
use sectile_terms::{Sort, Symbol, Term};

/// A family of any size.
pub struct Family {
    source: Source,
    frontend: &'static dyn Frontend,
    /// The parameters without the size.
    parameters: Vec<(String, String)>,
    /// The parameter that is the number of processes.
    pub size: String,
    scheme: Scheme,
}

/// A counter by its name, as a text such as `count i in 0..n-1: P[i].pc = critical`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The name that clauses use.
    pub name: String,
    /// Its definition.
    pub text: String,
    /// See [`Counted`].
    pub witnesses: usize,
}

/// A proof for every size, as texts in the language of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EveryProof {
    /// The property.
    pub property: String,
    /// The smallest size.
    pub first: i64,
    /// The clauses of the invariant.
    pub clauses: Vec<String>,
    /// The counters that they use.
    pub counters: Vec<Counter>,
    /// The names of arbitrary numbers in clauses.
    pub numbers: Vec<String>,
    /// The proof that waiting processes are served, if that is the property.
    pub waiting: Option<WaitingProof>,
    /// Certificates of single small sizes, as texts.
    pub own: Vec<(i64, String)>,
}

/// A proof that waiting processes are served, in the language of the file; a process is called `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitingProof {
    /// The index range of processes, such as `0..n-1`.
    pub range: String,
    /// The states in which a process waits.
    pub region: String,
    /// The terms that decrease until it is served.
    pub ranks: Vec<String>,
    /// Additional values for instantiating clauses about arbitrary numbers.
    pub values: Vec<(String, String)>,
}

impl WaitingProof {
    /// A formula about one process, quantified over all.
    pub fn about_all(&self, body: &str) -> String {
        format!("forall i in {}: {body}", self.range)
    }

    /// `x >= 0`, for a decreasing term.
    pub fn bounded(&self, rank: &str) -> String {
        self.about_all(&format!("({rank}) >= 0"))
    }
}

/// An instance with the clauses of an invariant.
pub struct ReadInstance {
    pub loaded: Loaded,
    pub clauses: Vec<Term>,
    pub counters: Vec<Counted>,
    pub numbers: Vec<Symbol>,
    pub served: Option<Served>,
}

impl Family {
    /// The family of a file, for every value of a parameter.
    pub fn of(loaded: &Loaded, size: &str) -> Result<Family, InputError> {
        let is_parameter = loaded
            .reading
            .module
            .parameters
            .iter()
            .any(|(n, _)| n == size);
        if loaded.frontend.info().name != "sct" || !is_parameter {
            return Err(InputError {
                message: format!("error[every-n]: the file has no parameter `{size}`\n"),
            });
        }
        let parameters = loaded.parameters.iter().filter(|(n, _)| n != size);
        let parameters: Vec<(String, String)> = parameters.cloned().collect();
        let options = ReadOptions {
            parameters: parameters.clone(),
            ..ReadOptions::default()
        };
        let scheme = scheme(&loaded.source, &options, size);
        Ok(Family {
            scheme: scheme.map_err(|d| InputError::of(&d, &loaded.source))?,
            source: loaded.source.clone(),
            frontend: loaded.frontend,
            parameters,
            size: size.to_string(),
        })
    }

    /// Its text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The parameters that all instances share.
    pub fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// The instance of a size.
    pub fn load(&self, size: i64) -> Result<Loaded, InputError> {
        let text = self.source.text().to_string();
        load_text(self.source.name(), text, self.frontend, &self.given(size))
    }

    fn given(&self, size: i64) -> Vec<(String, String)> {
        let mut parameters = self.parameters.clone();
        parameters.push((self.size.clone(), size.to_string()));
        parameters
    }

    /// The same without fairness: proofs are about all paths.
    fn load_unfair(&self, size: i64) -> Result<Loaded, InputError> {
        let text = self.source.text().to_string();
        let options = ReadOptions {
            parameters: self.given(size),
            unfair: true,
            ..ReadOptions::default()
        };
        load_text_with(self.source.name(), text, self.frontend, options)
    }

    /// The index structure of a formula of a proof.
    pub fn used(&self, proof: &EveryProof, text: &str) -> Result<Use, Diagnostics> {
        let options = ReadOptions {
            parameters: self.parameters.clone(),
            ..ReadOptions::default()
        };
        let known = proof.counters.iter().map(|c| &c.name);
        let known: Vec<String> = known.chain(&proof.numbers).cloned().collect();
        let formula = Source::new("clause", text);
        scheme_formula(&self.source, &options, &self.size, &known, &formula)
    }

    /// Whether a property is an invariant.
    pub fn claims_invariant(&self, property: &str) -> bool {
        matches!(self.says(property), Some(SchemeClaim::Always(_)))
    }

    /// The property, if it says that waiting processes are served.
    pub fn response(&self, property: &str) -> Option<&Response> {
        match self.says(property)? {
            SchemeClaim::Response(response) => Some(response),
            SchemeClaim::Always(_) | SchemeClaim::Other => None,
        }
    }

    fn says(&self, property: &str) -> Option<&SchemeClaim> {
        let claim = self.scheme.claims.iter().find(|c| c.0 == property);
        claim.map(|(_, _, says)| says)
    }

    /// The reason why a property cannot be proved for every size, if there is one.
    pub fn refusal(&self, property: &str) -> Option<Warning> {
        let found = qualify(&self.scheme, property, &WrittenProof::default());
        found.err().map(|d| Warning::at(&d, &self.source))
    }

    /// The instance size needed for a proof with these clauses and counters.
    pub fn qualified(&self, proof: &EveryProof) -> Result<Qualified, String> {
        let claim = Claimed::new(self, proof)?;
        let found = qualify(&self.scheme, &proof.property, &claim.said);
        found.map_err(|d| d.render(&self.source))
    }

    /// An instance with the clauses and counters of a proof.
    pub fn read(&self, size: i64, proof: &EveryProof) -> Result<ReadInstance, String> {
        let loaded = match self.response(&proof.property) {
            Some(_) => self.load_unfair(size),
            None => self.load(size),
        };
        let mut loaded = loaded.map_err(|e| e.message)?;
        let told = |source: &Source, d: &Diagnostics| d.render(source);
        let mut counters = Vec::new();
        for counter in &proof.counters {
            let scope = &mut loaded.reading.scope;
            let symbol = scope.constant(&loaded.terms, &counter.name);
            let symbol = symbol.ok_or_else(|| format!("the name `{}` is taken", counter.name))?;
            let text = Source::new("counter", counter.text.as_str());
            let count = loaded.reading.scope.term(&loaded.terms, symbol, &text);
            counters.push(Counted {
                symbol,
                count: count.map_err(|d| told(&text, &d))?,
                witnesses: counter.witnesses,
            });
        }
        let mut numbers = Vec::new();
        for name in &proof.numbers {
            let symbol = loaded.reading.scope.constant(&loaded.terms, name);
            numbers.push(symbol.ok_or_else(|| format!("the name `{name}` is taken"))?);
        }
        let mut clauses = Vec::new();
        for clause in &proof.clauses {
            let text = Source::new("clause", clause.as_str());
            let read = loaded.reading.scope.formula(&loaded.terms, &text);
            clauses.push(read.map_err(|d| told(&text, &d))?);
        }
        let served = match &proof.waiting {
            Some(waiting) => Some(self.served(&loaded, &proof.property, waiting)?),
            None => None,
        };
        Ok(ReadInstance {
            loaded,
            clauses,
            counters,
            numbers,
            served,
        })
    }

    /// The proof data of each waiting process.
    fn served(
        &self,
        loaded: &Loaded,
        property: &str,
        waiting: &WaitingProof,
    ) -> Result<Served, String> {
        let (terms, scope) = (&loaded.terms, &loaded.reading.scope);
        let told = |source: &Source, d: &Diagnostics| d.render(source);
        let number = |text: &str| {
            let source = Source::new("rank", text);
            let read = scope.number(terms, Sort::Int, &source);
            read.map_err(|d| told(&source, &d))
        };
        let mut served = Served {
            regions: Vec::new(),
            ranks: Vec::new(),
            values: Vec::new(),
        };
        for (name, value) in &waiting.values {
            let symbol = terms.symbol(name);
            let symbol = symbol.ok_or_else(|| format!("there is no number `{name}`"))?;
            served.values.push((symbol, number(value)?));
        }
        for index in self.indices(loaded, property)? {
            let source = format!("forall i in {index}..{index}: {}", waiting.region);
            let source = Source::new("waiting", source);
            let region = scope.formula(terms, &source);
            served.regions.push(region.map_err(|d| told(&source, &d))?);
            let ranks = waiting.ranks.iter();
            let ranks = ranks.map(|r| number(&format!("sum i in {index}..{index}: ({r})")));
            served.ranks.push(ranks.collect::<Result<_, _>>()?);
        }
        Ok(served)
    }

    /// The index range of a property about waiting, in an instance.
    pub fn indices(&self, loaded: &Loaded, property: &str) -> Result<std::ops::Range<i64>, String> {
        let wrong = "the property is not about waiting processes";
        let response = self.response(property).ok_or(wrong)?;
        let binder = response.binders.first().ok_or(wrong)?;
        let UseKind::Number(first) = binder.low.kind else {
            return Err(wrong.to_string());
        };
        let found = loaded.reading.module.property(property).ok_or(wrong)?;
        let PropertyKind::Ctl(formula) = &found.kind else {
            return Err(wrong.to_string());
        };
        let pairs = responses(&loaded.terms, formula).ok_or(wrong)?;
        let count = i64::try_from(pairs.len()).unwrap_or(0);
        Ok(first..first + count)
    }
}

/// A proof with its texts parsed.
pub struct Claimed<'c> {
    family: &'c Family,
    proof: &'c EveryProof,
    said: WrittenProof,
}

impl<'c> Claimed<'c> {
    /// Reads the texts of a proof.
    pub fn new(family: &'c Family, proof: &'c EveryProof) -> Result<Claimed<'c>, String> {
        let used = |text: &str| {
            let used = family.used(proof, text);
            used.map_err(|d| d.render(&Source::new("clause", text)))
        };
        let clauses = proof.clauses.iter().map(|c| used(c));
        let counters = proof.counters.iter();
        let counters = counters.map(|c| Ok::<_, String>((used(&c.text)?, c.witnesses)));
        let waiting = proof.waiting.as_ref().map(|w| {
            let ranks = w.ranks.iter().map(|r| used(&w.bounded(r)));
            let values = w.values.iter().map(|(n, v)| used(&format!("{n} = {v}")));
            Ok::<_, String>(Waiting {
                region: used(&w.about_all(&w.region))?,
                ranks: ranks.collect::<Result<_, _>>()?,
                values: values.collect::<Result<_, _>>()?,
            })
        });
        let said = WrittenProof {
            clauses: clauses.collect::<Result<_, _>>()?,
            counters: counters.collect::<Result<_, _>>()?,
            waiting: waiting.transpose()?,
        };
        Ok(Claimed {
            family,
            proof,
            said,
        })
    }
}

impl every::Family for Claimed<'_> {
    fn scheme(&self) -> &Scheme {
        &self.family.scheme
    }

    fn property(&self) -> &str {
        &self.proof.property
    }

    fn said(&self) -> &WrittenProof {
        &self.said
    }

    fn first(&self) -> i64 {
        self.proof.first
    }

    fn at(
        &self,
        size: i64,
        look: &mut dyn FnMut(&Instance<'_>) -> Result<Outcome, SolverError>,
    ) -> Result<Outcome, String> {
        let read = self.family.read(size, self.proof)?;
        let module = &read.loaded.reading.module;
        let property = module.property(&self.proof.property);
        let property = property.ok_or("the model has no such property")?;
        let own = self.proof.own.iter().find(|(n, _)| *n == size);
        let own = match own {
            Some((_, text)) => Some(own_certificate(&read.loaded, text, &property.name)?),
            None => None,
        };
        let instance = Instance {
            task: Task::new(&read.loaded.terms, &module.model, property),
            clauses: read.clauses,
            counters: read.counters,
            numbers: read.numbers,
            served: read.served,
            own,
        };
        look(&instance).map_err(|e| e.to_string())
    }
}

/// The certificate of a single size.
fn own_certificate(loaded: &Loaded, text: &str, property: &str) -> Result<Certificate, String> {
    let source = Source::new("certificate", text);
    let reading = &loaded.reading;
    let read = certificate::read(&loaded.terms, &reading.module, &reading.scope, &source);
    let list = read.map_err(|d| d.render(&source))?;
    let found = list.into_iter().find(|c| c.holds && c.property == property);
    let found = found.map(|c| c.certificate);
    found.ok_or_else(|| "the certificate of a single size is about something else".to_string())
}
