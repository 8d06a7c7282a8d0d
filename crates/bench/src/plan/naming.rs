//! Names of tasks.

use crate::suite::Entry;

/// How the tasks of one file and one choice of parameters are called.
pub(super) struct Naming<'e> {
    pub entry: &'e Entry,
    /// The name of the file, without its ending.
    pub stem: &'e str,
    pub parameters: &'e [(String, String)],
    /// What a table says about the file.
    pub cells: &'e [(String, String)],
    /// Whether there is more than one group of properties.
    pub several: bool,
}

impl Naming<'_> {
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

    /// The pattern with its braces replaced; `value` is what stands for a parameter.
    fn filled(
        &self,
        pattern: String,
        properties: &[String],
        value: impl Fn(&str) -> String,
    ) -> String {
        let replaced = |name: String, (parameter, chosen): &(String, String)| {
            name.replace(&format!("{{{parameter}}}"), &value(chosen))
        };
        let name = self.parameters.iter().fold(pattern, replaced);
        let name = name.replace("{stem}", self.stem);
        name.replace("{property}", &properties.join(","))
    }

    /// The name of the task with these properties.
    pub fn name(&self, properties: &[String]) -> String {
        self.filled(self.template(), properties, ToString::to_string)
    }

    /// The family: as given, with columns of the table in braces, or the name without what changes.
    pub fn family(&self, properties: &[String]) -> String {
        if let Some(family) = &self.entry.family {
            let replaced = |name: String, (column, cell): &(String, String)| {
                name.replace(&format!("{{{column}}}"), cell)
            };
            return self.cells.iter().fold(family.clone(), replaced);
        }
        let pattern = match &self.entry.name {
            Some(_) => self.template(),
            None if self.several => "{stem} {property}".to_string(),
            None => "{stem}".to_string(),
        };
        let name = self.filled(pattern, properties, |_| String::new());
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
