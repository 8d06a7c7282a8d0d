//! Reading a model with counters in place of its processes.

use crate::load::{InputError, Loaded, load_text, read_text, rendered};
use sectile_base::Source;
use sectile_frontend::{ReadOptions, frontends, sct};

/// The counter system of a file as a text in the native language, with the name it is read under.
pub fn translate(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<(String, String), InputError> {
    let is_native = match input {
        Some(name) => name == "sct",
        None => file.ends_with(".sct"),
    };
    if !is_native {
        return Err(InputError {
            message: "error[counters]: only models in the native language (.sct) have families \
                      of processes\n"
                .to_string(),
        });
    }
    let (name, text) = read_text(file)?;
    let source = Source::new(name.as_str(), text);
    let options = ReadOptions {
        parameters: parameters.to_vec(),
    };
    match sct::counter_system(&source, &options) {
        Ok((text, warnings)) => {
            let notes = warnings.render(&source);
            let comment: String = notes.lines().map(|l| format!("// {l}\n")).collect();
            Ok((format!("{name} (counters)"), comment + &text))
        }
        Err(diagnostics) => Err(rendered(&diagnostics, &source)),
    }
}

/// Reads the counter system of a file.
pub fn load(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<Loaded, InputError> {
    let (name, text) = translate(file, input, parameters)?;
    let native = frontends().iter().find(|f| f.name() == "sct");
    let native = native.copied().expect("the native language is registered");
    load_text(&name, text, native, parameters)
}
