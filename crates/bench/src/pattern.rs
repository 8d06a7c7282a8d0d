//! File name patterns with `*` and `?`.

use regex_lite::Regex;
use std::path::{Component, Path, PathBuf};

/// Whether a text is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether a pattern matches the whole text: `*` stands for any text, `?` for one character.
pub fn matches(pattern: &str, text: &str) -> bool {
    let regex = regex_lite::escape(pattern);
    let regex = regex.replace("\\*", ".*").replace("\\?", ".");
    Regex::new(&format!("(?s)^{regex}$")).is_ok_and(|r| r.is_match(text))
}

/// Whether what the user typed selects a name: as a pattern, or as a part of the name.
pub fn selects(typed: &str, name: &str) -> bool {
    if is_pattern(typed) {
        matches(typed, name)
    } else {
        name.contains(typed)
    }
}

/// The files that match a pattern, sorted by name. Hidden files are left out.
pub fn files(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    for component in Path::new(pattern).components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        found = found
            .iter()
            .flat_map(|path| match component {
                Component::Normal(_) if is_pattern(&name) => children(path, &name),
                _ => vec![path.join(&name)],
            })
            .collect();
    }
    found.retain(|path| path.is_file());
    found
}

fn children(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|e| e.file_name());
    let mut names: Vec<String> = names
        .map(|n| n.to_string_lossy().into_owned())
        .filter(|n| !n.starts_with('.') && matches(pattern, n))
        .collect();
    names.sort();
    names.iter().map(|n| folder.join(n)).collect()
}

/// The path without detours such as `folder/..`.
pub fn tidy(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for component in path.components() {
        let last = short.components().next_back();
        match (component, last) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                short.pop();
            }
            _ => short.push(component),
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text) in [
            ("*.bpl", "a.bpl"),
            ("a*b*c", "a-b-b-c"),
            ("?", "x"),
            ("*", ""),
            ("a**", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("*.bpl", "a.bp"), ("?", ""), ("a*b", "a-c"), ("", "x")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn typed_names_select_by_part() {
        assert!(selects("Bakery", "Bakery 3"));
        assert!(selects("Bakery ?", "Bakery 3"));
        assert!(!selects("Bakery ?", "Bakery 10"));
    }

    #[test]
    fn paths_lose_their_detours() {
        let short = |t: &str| tidy(Path::new(t)).to_string_lossy().into_owned();
        assert_eq!(short("bench/../models/x.sct"), "models/x.sct");
        assert_eq!(short("bench/../../shared/./x"), "../shared/x");
        assert_eq!(short("../x"), "../x");
    }

    #[test]
    fn patterns_find_files_in_order() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = files(here, "src/*/mod.rs");
        let names: Vec<String> = found
            .iter()
            .map(|p| p.strip_prefix(here).unwrap().display().to_string())
            .collect();
        assert_eq!(
            names,
            ["execute", "generate", "plot", "suite", "work"]
                .map(|name| format!("src/{name}/mod.rs"))
        );
        assert!(files(here, "nowhere/*.rs").is_empty());
    }
}
