//! What engines say about their options is what they do.

use sectile_driver::registry;
use sectile_engine::Settings;

/// Every default, as `sectile engines` shows it, is a value that means the default.
#[test]
fn shown_defaults_are_the_defaults() {
    for engine in registry::engines() {
        let info = engine.info();
        let mut settings = Settings::default();
        for option in &info.options {
            let default = (option.default)();
            let read = (option.canonical)(&default);
            assert_eq!(
                read.as_ref(),
                Some(&default),
                "{} {}",
                info.name,
                option.name
            );
            settings.set(option.name, default);
        }
        let checked = engine.check_options(&settings);
        assert_eq!(checked, Ok(()), "{}", info.name);
    }
}

#[test]
fn no_option_is_listed_twice_and_none_takes_anything() {
    for engine in registry::engines() {
        let info = engine.info();
        let mut names: Vec<&str> = info.options.iter().map(|o| o.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", info.name);
        for option in &info.options {
            let mut settings = Settings::default();
            settings.set(option.name, "");
            let refused = engine.check_options(&settings);
            let handed_on = info.name == "partial" && option.name.starts_with("poly-");
            let handed_on = handed_on || (info.name == "partial" && option.name == "sets");
            // No nodes to split by hand are a list, too.
            let is_list = option.name == "guide";
            assert!(
                refused.is_err() || handed_on || is_list,
                "{} {}",
                info.name,
                option.name
            );
        }
    }
}
