//! The certificate of a proof for every size as a text: see `docs/format/certificate.md`.

use super::family::{Counter, EveryProof, Family, WaitingProof};
use sectile_base::Source;
use std::fmt::Write as _;
use std::path::Path;

/// The first line.
const HEADER: &str = "sectile certificate for every size 1";

/// Whether a text is such a certificate.
pub fn is_every(text: &str) -> bool {
    text.lines().next().is_some_and(|l| l.trim() == HEADER)
}

/// The certificates as a text.
pub fn print(family: &Family, proofs: &[EveryProof]) -> String {
    let name = Path::new(family.source().name());
    let file = name.file_name().and_then(|n| n.to_str()).unwrap_or("-");
    let mut out = format!("{HEADER}\nmodel {file}\nsize {}\n", family.size);
    // Writing to a String cannot fail.
    for (name, value) in family.parameters() {
        let _ = writeln!(out, "param {name} = {value}");
    }
    for proof in proofs {
        let _ = writeln!(out, "\nproperty {}\nfrom {}", proof.property, proof.first);
        for counter in &proof.counters {
            let Counter {
                name,
                text,
                witnesses,
            } = counter;
            let _ = writeln!(out, "counter {witnesses} {name}: {text}");
        }
        for number in &proof.numbers {
            let _ = writeln!(out, "number {number}");
        }
        for clause in &proof.clauses {
            let _ = writeln!(out, "clause {clause}");
        }
        if let Some(waiting) = &proof.waiting {
            print_waiting(waiting, &mut out);
        }
        for (size, own) in &proof.own {
            let _ = writeln!(out, "instance {size}");
            for line in own.lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    out
}

fn print_waiting(waiting: &WaitingProof, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "waiting i in {}: {}", waiting.range, waiting.region);
    for rank in &waiting.ranks {
        let _ = writeln!(out, "rank {rank}");
    }
    for (number, value) in &waiting.values {
        let _ = writeln!(out, "value {number} = {value}");
    }
}

/// The parameter that is the size, other parameters, and the proofs.
pub struct Read {
    pub size: String,
    pub parameters: Vec<(String, String)>,
    pub proofs: Vec<EveryProof>,
}

/// Reads the certificates of a text; an error names the line.
pub fn read(source: &Source) -> Result<Read, String> {
    let mut found = Read {
        size: String::new(),
        parameters: Vec::new(),
        proofs: Vec::new(),
    };
    for (number, line) in source.text().lines().enumerate() {
        let wrong = |why: &str| format!("{}:{}: {why}", source.name(), number + 1);
        if let Some(inside) = line.strip_prefix("  ") {
            let own = found.proofs.last_mut().and_then(|p| p.own.last_mut());
            let (_, text) = own.ok_or_else(|| wrong("`instance` must come first"))?;
            text.push_str(inside);
            text.push('\n');
            continue;
        }
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" | "model" | "sectile" => continue,
            "size" => found.size = rest.to_string(),
            "param" => {
                let (name, value) = rest
                    .split_once('=')
                    .ok_or_else(|| wrong("expected `param NAME = VALUE`"))?;
                found
                    .parameters
                    .push((name.trim().to_string(), value.trim().to_string()));
            }
            "property" => found.proofs.push(EveryProof {
                property: rest.to_string(),
                first: 1,
                ..EveryProof::default()
            }),
            _ => {
                let proof = found.proofs.last_mut();
                let proof = proof.ok_or_else(|| wrong("`property NAME` must come first"))?;
                directive(proof, word, rest).ok_or_else(|| wrong("this is not understood"))?;
            }
        }
    }
    match found.proofs.is_empty() {
        true => Err(format!("{}: there is no `property` in it", source.name())),
        false => Ok(found),
    }
}

fn directive(proof: &mut EveryProof, word: &str, rest: &str) -> Option<()> {
    match word {
        "from" => proof.first = rest.parse().ok()?,
        "clause" => proof.clauses.push(rest.to_string()),
        "counter" => {
            let (head, text) = rest.split_once(':')?;
            let (witnesses, name) = head.trim().split_once(' ')?;
            proof.counters.push(Counter {
                name: name.trim().to_string(),
                text: text.trim().to_string(),
                witnesses: witnesses.parse().ok()?,
            });
        }
        "number" => proof.numbers.push(rest.to_string()),
        "waiting" => {
            let (range, region) = rest.strip_prefix("i in ")?.split_once(':')?;
            proof.waiting = Some(WaitingProof {
                range: range.trim().to_string(),
                region: region.trim().to_string(),
                ..WaitingProof::default()
            });
        }
        "rank" => proof.waiting.as_mut()?.ranks.push(rest.to_string()),
        "value" => {
            let (number, value) = rest.split_once('=')?;
            let pair = (number.trim().to_string(), value.trim().to_string());
            proof.waiting.as_mut()?.values.push(pair);
        }
        "instance" => proof.own.push((rest.parse().ok()?, String::new())),
        _ => return None,
    }
    Some(())
}
