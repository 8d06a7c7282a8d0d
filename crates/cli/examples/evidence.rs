//! Certificates: kept as text, checked later by somebody who trusts nobody.

use sectile::{Certificate, Certify, Check, Error, Judged, Language, Reader};
use std::fmt::Write as _;
use std::time::Duration;

const MODEL: &str = "
param size = 4
var free : int = size
var used : int = 0
take: free > 0 --> free := free - 1, used := used + 1
give: used > 0 --> free := free + 1, used := used - 1
invariant never_more: used <= size
";

fn main() -> Result<(), Error> {
    print!("{}", report()?);
    Ok(())
}

/// What the example prints.
pub fn report() -> Result<String, Error> {
    let producer = Reader::new(Language::Sct).name("pool.sct").read(MODEL)?;
    let outcome = Check::new(&producer).run()?;
    let kept = outcome.certificate().map(Certificate::to_string);
    let kept = kept.unwrap_or_default();
    let mut text = kept.clone();

    let weaker = kept.replace("invariant\n", "invariant\n  true;\n");
    let wrong = kept.replace("free", "used");
    // Writing to a String cannot fail.
    for (what, certificate) in [
        ("as it is", kept.clone()),
        ("longer", weaker),
        ("wrong", wrong),
    ] {
        let _ = writeln!(text, "{what}: {}", judged(certificate, 4)?);
    }
    let _ = writeln!(text, "of a larger pool: {}", judged(kept, 5)?);
    Ok(text)
}

/// What the checker says of a certificate, about a pool of this size.
fn judged(certificate: String, size: u32) -> Result<String, Error> {
    let model = Reader::new(Language::Sct)
        .define("size", size)
        .read(MODEL)?;
    let certificate = Certificate::from(certificate);
    let certification = Certify::new(&model, &certificate)
        .timeout(Duration::from_secs(10))
        .run()?;
    if let Some(other) = certification.differing().first() {
        return Ok(format!("about {} = {}", other.name, other.certificate));
    }
    let mut said = Vec::new();
    for judgement in certification.judgements() {
        said.push(match &judgement.judged {
            Judged::Accepted { .. } => {
                format!("accepted, {} {}", judgement.property, judgement.claim)
            }
            Judged::Refused { obligation, .. } => format!("refused, {obligation} fails"),
            _ => "not decided".to_string(),
        });
    }
    Ok(said.join("; "))
}
