//! Names and families of tasks.

use crate::suite::Entry;

/// The data for naming the tasks of one file and one choice of parameters.
pub(super) struct Naming<'e> {
    pub entry: &'e Entry,
    /// The name of the file, without its extension.
    pub stem: &'e str,
    pub parameters: &'e [(String, String)],
    /// The cells of a table's line about the file.
    pub cells: &'e [(String, String)],
    /// Whether there is more than one group of properties.
    pub several: bool,
}

impl Naming<'_> {
    /// The pattern of the names: as given, or composed of the file, its parameters and its
    /// property.
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

    /// The pattern with its placeholders replaced; `value` maps the value of a parameter to its
    /// text.
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

    /// The family: as given, with table columns in braces replaced, or the name without its varying
    /// parts.
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

    /// The size along a family: the value of the first parameter with several values, or of the
    /// first parameter.
    pub fn size(&self) -> Option<f64> {
        let declared = &self.entry.parameters;
        let varied = declared.iter().position(|(_, values)| values.len() > 1);
        let (_, value) = self.parameters.get(varied.unwrap_or(0))?;
        value.parse().ok()
    }
}
