//! Names of tasks.

use crate::suite::Entry;
use std::path::Path;

/// How the tasks of one file and one choice of parameters are called.
pub(super) struct Naming<'e> {
    entry: &'e Entry,
    stem: String,
    parameters: &'e [(String, String)],
    cells: &'e [(String, String)],
    several: bool,
}

impl<'e> Naming<'e> {
    /// `cells` is what a table says about the file; `several` says whether there is more than one group of properties.
    pub fn new(
        entry: &'e Entry,
        file: &str,
        parameters: &'e [(String, String)],
        cells: &'e [(String, String)],
        several: bool,
    ) -> Naming<'e> {
        let stem = Path::new(file).file_stem().unwrap_or_default();
        Naming {
            entry,
            stem: stem.to_string_lossy().into_owned(),
            parameters,
            cells,
            several,
        }
    }

    /// The pattern of the names: as given, or the file, its parameters and its property.
    fn template(&self) -> String {
        let mut template = self.entry.name.clone().unwrap_or_else(|| {
            let values = self.parameters.iter().map(|(n, _)| format!(" {n}={{{n}}}"));
            "{stem}".to_string() + &values.collect::<String>()
        });
        if self.several && !template.contains("{property}") {
            template.push_str(" {property}");
        }
        template
    }

    /// The name of the task with these properties.
    pub fn name(&self, properties: &[String]) -> String {
        let mut name = self.template();
        for (parameter, value) in self.parameters {
            name = name.replace(&format!("{{{parameter}}}"), value);
        }
        name = name.replace("{stem}", &self.stem);
        name.replace("{property}", &properties.join(","))
    }

    /// The family: as given, with columns of the table in braces, or the name without what changes.
    pub fn family(&self, properties: &[String]) -> String {
        if let Some(family) = &self.entry.family {
            let replaced = |name: String, (column, cell): &(String, String)| {
                name.replace(&format!("{{{column}}}"), cell)
            };
            return self.cells.iter().fold(family.clone(), replaced);
        }
        let mut name = match &self.entry.name {
            Some(_) => self.template(),
            None if self.several => "{stem} {property}".to_string(),
            None => "{stem}".to_string(),
        };
        for (parameter, _) in self.parameters {
            name = name.replace(&format!("{{{parameter}}}"), "");
        }
        name = name.replace("{stem}", &self.stem);
        name = name.replace("{property}", &properties.join(","));
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        name.replace(" ,", ",").trim_matches([',', ' ']).to_string()
    }

    /// The value that grows along a family: of the first parameter that takes several values, or
    /// of the first one.
    pub fn size(&self) -> Option<f64> {
        let declared = &self.entry.parameters;
        let varied = declared.iter().position(|(_, values)| values.len() > 1);
        let (_, value) = self.parameters.get(varied.unwrap_or(0))?;
        value.parse().ok()
    }
}
