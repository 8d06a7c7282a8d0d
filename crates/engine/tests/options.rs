//! Options that are declared once.

use sectile_engine::{AtMost, OptionValue, Options, Settings, choices, options};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    Red,
    Green,
}

choices!(Colour {
    Red = "red" | "rot",
    Green = "green",
});

options! {
    /// Some options.
    struct Config {
        /// how many of them,
        /// at most
        most("most"): AtMost = AtMost::UNLIMITED,
        /// which one
        colours("colours"): Vec<Colour> = vec![Colour::Green, Colour::Red],
        /// whether to
        flag("a-flag"): bool = true,
        /// how deep
        depth("depth"): Option<u64> = None,
    }
}

fn read(settings: &[(&str, &str)]) -> Result<Config, String> {
    let mut all = Settings::default();
    settings
        .iter()
        .for_each(|(name, value)| all.set(*name, *value));
    Config::read(&all).map_err(|e| e.to_string())
}

#[test]
fn what_is_shown_is_what_is_used() {
    let shown: Vec<String> = Config::OPTIONS.iter().map(|o| (o.default)()).collect();
    assert_eq!(shown, ["unlimited", "green,red", "on", "auto"]);
    assert_eq!(Config::OPTIONS[0].help, "how many of them, at most");
    let names = Config::OPTIONS.iter().map(|o| o.name);
    let given: Vec<(&str, &str)> = names.zip(shown.iter().map(String::as_str)).collect();
    assert_eq!(read(&given), Ok(Config::default()));
}

#[test]
fn what_is_not_set_keeps_its_default() {
    let config = read(&[("colours", "rot, green"), ("depth", "3")]).unwrap();
    let expected = Config {
        colours: vec![Colour::Red, Colour::Green],
        depth: Some(3),
        ..Config::default()
    };
    assert_eq!(config, expected);
    assert_eq!(config.colours.text(), "red,green");
}

#[test]
fn values_that_an_option_cannot_have_are_refused() {
    let refused = |name: &str, value: &str| read(&[(name, value)]).unwrap_err();
    assert_eq!(
        refused("most", "-1"),
        "option `most`: `-1` is not a natural number or unlimited"
    );
    assert_eq!(
        refused("colours", "green,,red"),
        "option `colours`: `green,,red` is not a list whose elements are one of red, green"
    );
    assert_eq!(
        refused("a-flag", "1"),
        "option `a-flag`: `1` is not on or off"
    );
    for (name, value) in [("most", "x"), ("a-flag", ""), ("depth", "deep")] {
        let mut settings = Settings::default();
        settings.set(name, value);
        let option = Config::OPTIONS.iter().find(|o| o.name == name).unwrap();
        assert!(option.check(&settings).is_err(), "{name}={value}");
    }
}
