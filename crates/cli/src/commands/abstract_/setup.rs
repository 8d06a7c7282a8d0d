//! Turns the options of the user into an abstraction relation and a method.

use crate::args::{AbstractArgs, MethodName};
use crate::commands::bad;
use crate::commands::prove::Subject;
use clap::ValueEnum;
use sectile_base::Budget;
use sectile_driver::Loaded;
use sectile_engine_predabs::{Alpha, Discharge, Method, Prover, Recipe, discharge, inv};
use sectile_model::Model;
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Term, Terms};

/// The largest range of values that is accepted.
const MOST_VALUES: i64 = 1000;

/// The abstraction relation: the predicates, the case distinctions, then copies of all finite
/// variables.
pub fn alpha(
    loaded: &Loaded,
    subject: &Subject,
    args: &AbstractArgs,
    backend: &dyn Backend,
    budget: &Budget,
) -> anyhow::Result<Alpha> {
    let terms = &loaded.terms;
    let mut alpha = Alpha::new();
    let given = loaded.formulas("<--predicates>", &args.predicates)?;
    for (k, &p) in given.iter().enumerate() {
        alpha.add_predicate(terms, &format!("a{}", k + 1), p);
    }
    let mut prover = Prover::new(terms, backend, budget)?;
    for text in &args.data {
        let (name, cases) = cases(loaded, text)?;
        if alpha.variables().iter().any(|v| v.name == name) {
            return Err(bad(format!("there are two abstract variables `{name}`")));
        }
        let domain = subject.system.restrict_formula(terms);
        let apart = disjoint(terms, cases, domain, &mut prover)?;
        if apart.len() < 2 {
            let why = format!("--data: all states have the same value of `{name}`");
            return Err(bad(why));
        }
        alpha.add_data(&name, &apart);
    }
    for text in &args.relation {
        let (name, cases) = cases(loaded, text)?;
        if alpha.variables().iter().any(|v| v.name == name) {
            return Err(bad(format!("there are two abstract variables `{name}`")));
        }
        let domain = subject.system.restrict_formula(terms);
        alpha.add_relation(&name, &total(terms, cases, domain, &mut prover)?);
    }
    alpha.add_copies(terms, &subject.system);
    Ok(alpha)
}

/// The cases, completed by `other` if some state satisfies none of them: every state must have a
/// value.
fn total(
    terms: &Terms,
    mut cases: Vec<(String, Term)>,
    domain: Term,
    prover: &mut Prover<'_>,
) -> anyhow::Result<Vec<(String, Term)>> {
    let rest = terms.not(terms.or(cases.iter().map(|c| c.1)));
    if prover.satisfiable(terms.and2(domain, rest))? {
        cases.push(("other".to_string(), terms.simplify(rest)));
    }
    Ok(cases)
}

/// The states for which the abstraction must be correct: all states, those of the property if
/// `--relative` has no formula, or those of its formula.
pub fn relative(loaded: &Loaded, subject: &Subject, asked: Option<&str>) -> anyhow::Result<Term> {
    match asked.map(str::trim) {
        None => Ok(loaded.terms.tt()),
        Some("") => {
            let why = "--relative needs a --property, or a formula: --relative=\"x > 0\"";
            subject.property.ok_or_else(|| bad(why))
        }
        Some(text) => Ok(loaded.terms.and(loaded.formulas("<--relative>", text)?)),
    }
}

/// Proves an invariant by rule Inv; an error if it is not inductive.
pub fn established(
    loaded: &Loaded,
    system: &Model,
    text: &str,
    prover: &mut Prover<'_>,
) -> anyhow::Result<Term> {
    let known = loaded.terms.and(loaded.formulas("<--known>", text)?);
    for obligation in inv(&loaded.terms, system, known, None) {
        if discharge(prover, system, &obligation)? != Discharge::Valid {
            let why = format!(
                "--known: `{text}` is not established: `{}` fails (see `sectile prove --invariant`)",
                obligation.name
            );
            return Err(bad(why));
        }
    }
    Ok(known)
}

/// The name and the cases of `NAME: C1 | C2` or `NAME = EXPRESSION in LO..HI`.
fn cases(loaded: &Loaded, text: &str) -> anyhow::Result<(String, Vec<(String, Term)>)> {
    let wrong =
        || bad("--data is `NAME: CONDITION | CONDITION | ...` or `NAME = EXPRESSION in LO..HI`");
    let colon = text.find(':');
    let equals = text.find('=');
    let printer = NativePrinter::new(&loaded.terms);
    let values = |list: Vec<String>| -> anyhow::Result<Vec<Term>> {
        Ok(loaded.formulas("<--data>", &list.join("; "))?)
    };
    match (colon, equals) {
        (Some(c), e) if e.is_none_or(|e| c < e) => {
            let list = text[c + 1..].split('|').map(str::to_string).collect();
            let named = |t: Term| (format!("[{}]", printer.print(t)), t);
            let cases = values(list)?.into_iter().map(named);
            Ok((name(&text[..c]).ok_or_else(wrong)?, cases.collect()))
        }
        (_, Some(e)) => {
            let (expression, range) = text[e + 1..].rsplit_once(" in ").ok_or_else(wrong)?;
            let (low, high) = range.split_once("..").ok_or_else(wrong)?;
            let number = |t: &str| t.trim().parse::<i64>().map_err(|_| wrong());
            let (low, high) = (number(low)?, number(high)?);
            if high < low || high - low >= MOST_VALUES {
                return Err(wrong());
            }
            let list = (low..=high).map(|k| format!("({expression}) = {k}"));
            let labels = (low..=high).map(|k| k.to_string());
            let cases = labels.zip(values(list.collect())?);
            Ok((name(&text[..e]).ok_or_else(wrong)?, cases.collect()))
        }
        _ => Err(wrong()),
    }
}

fn name(text: &str) -> Option<String> {
    let name = text.trim();
    let fits = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(fits)).then(|| name.to_string())
}

/// The cases without overlap (a state belongs to the first one that it satisfies), completed by
/// `other` if some state satisfies none.
fn disjoint(
    terms: &Terms,
    cases: Vec<(String, Term)>,
    domain: Term,
    prover: &mut Prover<'_>,
) -> anyhow::Result<Vec<(String, Term)>> {
    let mut apart = Vec::new();
    let mut rest = terms.tt();
    for (label, case) in cases {
        let here = match prover.implies(terms.and2(domain, case), rest)? {
            true => case,
            false => terms.and2(case, rest),
        };
        if prover.satisfiable(terms.and2(domain, here))? {
            apart.push((label, here));
        }
        rest = terms.and2(rest, terms.not(case));
    }
    if prover.satisfiable(terms.and2(domain, rest))? {
        apart.push(("other".to_string(), terms.simplify(rest)));
    } else if let Some(last) = apart.last_mut() {
        // States outside of the domain need a value, too: they belong to the last case.
        last.1 = terms.or2(last.1, rest);
    }
    Ok(apart)
}

/// Whether simulation has to be checked, because the construction does not guarantee it: values or
/// blocks overlap.
pub fn is_in_doubt(recipe: &Recipe, alpha: &Alpha) -> bool {
    let overlap = match &recipe.method {
        Method::Partition(blocks) => {
            let named: usize = blocks.iter().map(Vec::len).sum();
            named > alpha.variables().len()
        }
        _ => false,
    };
    overlap || !alpha.relations().is_empty()
}

/// The method with its options.
pub fn recipe(args: &AbstractArgs, alpha: &Alpha) -> anyhow::Result<Recipe> {
    let method = match (args.method, &args.partition) {
        (MethodName::Partition, None) => {
            return Err(bad("--method partition needs --partition \"A, B; C\""));
        }
        (MethodName::Partition | MethodName::Auto, Some(text)) => {
            Method::Partition(partition(text, alpha)?)
        }
        (_, Some(_)) => {
            return Err(bad("--partition belongs to --method partition"));
        }
        (MethodName::Auto, None) => Method::Auto,
        (MethodName::Substitution, None) => Method::Substitution,
        (MethodName::Elimination, None) => Method::Elimination,
        (MethodName::Literals, None) => Method::Literals,
        (MethodName::Models, None) => Method::Models,
    };
    if args.fewest && !matches!(method, Method::Partition(_) | Method::Elimination) {
        let how = "--method elimination or --partition";
        return Err(bad(format!("--fewest belongs to {how}")));
    }
    let mut recipe = Recipe::new(method);
    recipe.fewest = args.fewest;
    for part in args.without.iter().filter_map(ValueEnum::to_possible_value) {
        recipe.without(part.get_name());
    }
    Ok(recipe)
}

/// Blocks of variables, given by name, which may overlap; each variable that is not named is a block
/// of its own.
fn partition(text: &str, alpha: &Alpha) -> anyhow::Result<Vec<Vec<usize>>> {
    let mut blocks = Vec::new();
    let mut used = vec![false; alpha.variables().len()];
    for piece in text.split(';').filter(|p| !p.trim().is_empty()) {
        let mut block = Vec::new();
        for name in piece.split(',').map(str::trim) {
            let position = alpha.variables().iter().position(|v| v.name == name);
            let why = format!("--partition: there is no abstract variable `{name}`");
            let position = position.ok_or_else(|| bad(why))?;
            if block.contains(&position) {
                let why = format!("--partition: `{name}` is in a block twice");
                return Err(bad(why));
            }
            used[position] = true;
            block.push(position);
        }
        blocks.push(block);
    }
    let rest = (0..used.len()).filter(|&v| !used[v]);
    blocks.extend(rest.map(|v| vec![v]));
    Ok(blocks)
}
