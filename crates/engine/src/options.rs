//! Options of engines. Each is declared once, by [`options!`](crate::options): parsing, listing and
//! documentation all use the type, the default and the help text given there.

use std::collections::BTreeMap;

/// The description of an option, for users.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// Its help text, in one line.
    pub help: &'static str,
    /// A description of valid values, such as "a natural number".
    pub wanted: fn() -> String,
    /// Its default in the notation of users.
    pub default: fn() -> String,
    /// The canonical form of a value; `None` if the value is invalid.
    pub canonical: fn(&str) -> Option<String>,
    /// Whether its values are methods of interpolation.
    pub interpolates: bool,
}

impl OptionSpec {
    /// Checks the value of the option, if it was set.
    pub fn check(&self, settings: &Settings) -> Result<(), BadOption> {
        match settings.get(self.name) {
            Some(text) if (self.canonical)(text).is_none() => {
                Err(BadOption::value(self.name, text, &(self.wanted)()))
            }
            _ => Ok(()),
        }
    }
}

/// An option has an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option `{name}`: {problem}")]
pub struct BadOption {
    /// The option.
    pub name: String,
    /// The problem.
    pub problem: String,
}

impl BadOption {
    fn value(name: &str, text: &str, wanted: &str) -> BadOption {
        BadOption {
            name: name.to_string(),
            problem: format!("`{text}` is not {wanted}"),
        }
    }
}

/// The options set by the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// The value of an option, if it was set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Overwrites `value` if the option was set.
    pub fn read<T: OptionValue>(&self, name: &str, value: &mut T) -> Result<(), BadOption> {
        if let Some(text) = self.get(name) {
            let bad = || BadOption::value(name, text, &T::wanted());
            *value = T::read(text).ok_or_else(bad)?;
        }
        Ok(())
    }

    /// Names of all options that were set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

/// The options of an engine after parsing; [`options!`](crate::options) implements it.
pub trait Options: Default {
    /// The descriptions of the options.
    const OPTIONS: &'static [OptionSpec];

    /// Applies the settings of the user.
    fn with(self, settings: &Settings) -> Result<Self, BadOption>;

    /// The defaults with the settings of the user.
    fn read(settings: &Settings) -> Result<Self, BadOption> {
        Self::default().with(settings)
    }
}

/// A type of option values.
pub trait OptionValue: Sized {
    /// Whether values are methods of interpolation, so that the name of a method is a value.
    const INTERPOLATES: bool = false;

    /// A description of valid values, such as "a natural number".
    fn wanted() -> String;

    /// Parses a value.
    fn read(text: &str) -> Option<Self>;

    /// The notation of the value.
    fn text(&self) -> String;
}

/// Declares the options of an engine as a struct with defaults that implements [`Options`].
///
/// The comment of a field is the help text of its option, whose name follows in parentheses.
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $Config:ident {
        $($(#[doc = $help:literal])+ $field:ident($name:literal): $type:ty = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $Config {
            $($(#[doc = $help])+ $vis $field: $type,)*
        }

        impl Default for $Config {
            fn default() -> $Config {
                $Config { $($field: $default,)* }
            }
        }

        impl $crate::Options for $Config {
            const OPTIONS: &'static [$crate::OptionSpec] = &[$($crate::OptionSpec {
                name: $name,
                help: concat!($($help),+).trim_ascii(),
                wanted: <$type as $crate::OptionValue>::wanted,
                default: || $crate::OptionValue::text(&$Config::default().$field),
                canonical: |text| {
                    let value = <$type as $crate::OptionValue>::read(text)?;
                    Some($crate::OptionValue::text(&value))
                },
                interpolates: <$type as $crate::OptionValue>::INTERPOLATES,
            },)*];

            fn with(mut self, settings: &$crate::Settings) -> Result<$Config, $crate::BadOption> {
                $(settings.read($name, &mut self.$field)?;)*
                Ok(self)
            }
        }
    };
}

/// Implements [`OptionValue`] for a type with a few named values; further words are synonyms.
#[macro_export]
macro_rules! choices {
    ($Type:ty { $($value:ident = $word:literal $(| $synonym:literal)*,)* }) => {
        impl $crate::OptionValue for $Type {
            fn wanted() -> String {
                format!("one of {}", [$($word),*].join(", "))
            }

            fn read(text: &str) -> Option<$Type> {
                match text {
                    $($word $(| $synonym)* => Some(<$Type>::$value),)*
                    _ => None,
                }
            }

            fn text(&self) -> String {
                let words = [$((<$Type>::$value, $word)),*];
                let word = words.iter().find(|(value, _)| value == self);
                word.map_or_else(String::new, |(_, word)| (*word).to_string())
            }
        }
    };
}

impl OptionValue for bool {
    fn wanted() -> String {
        "on or off".to_string()
    }

    fn read(text: &str) -> Option<bool> {
        match text {
            "on" | "true" => Some(true),
            "off" | "false" => Some(false),
            _ => None,
        }
    }

    fn text(&self) -> String {
        if *self { "on" } else { "off" }.to_string()
    }
}

impl OptionValue for u64 {
    fn wanted() -> String {
        "a natural number".to_string()
    }

    fn read(text: &str) -> Option<u64> {
        text.parse().ok()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for usize {
    fn wanted() -> String {
        u64::wanted()
    }

    fn read(text: &str) -> Option<usize> {
        u64::read(text).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// An optional limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtMost(pub u64);

impl AtMost {
    /// No limit.
    pub const UNLIMITED: AtMost = AtMost(u64::MAX);
}

impl OptionValue for AtMost {
    fn wanted() -> String {
        "a natural number or unlimited".to_string()
    }

    fn read(text: &str) -> Option<AtMost> {
        match text {
            "unlimited" => Some(AtMost::UNLIMITED),
            _ => u64::read(text).map(AtMost),
        }
    }

    fn text(&self) -> String {
        match *self {
            AtMost::UNLIMITED => "unlimited".to_string(),
            AtMost(number) => number.to_string(),
        }
    }
}

/// A value, or none if the engine chooses.
impl<T: OptionValue> OptionValue for Option<T> {
    fn wanted() -> String {
        format!("{} or auto", T::wanted())
    }

    fn read(text: &str) -> Option<Option<T>> {
        match text {
            "auto" => Some(None),
            _ => T::read(text).map(Some),
        }
    }

    fn text(&self) -> String {
        self.as_ref()
            .map_or_else(|| "auto".to_string(), OptionValue::text)
    }
}

/// A list separated by commas.
impl<T: OptionValue> OptionValue for Vec<T> {
    const INTERPOLATES: bool = T::INTERPOLATES;

    fn wanted() -> String {
        format!("a list whose elements are {}", T::wanted())
    }

    fn read(text: &str) -> Option<Vec<T>> {
        text.split(',').map(|part| T::read(part.trim())).collect()
    }

    fn text(&self) -> String {
        let texts: Vec<String> = self.iter().map(OptionValue::text).collect();
        texts.join(",")
    }
}
