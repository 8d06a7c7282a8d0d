//! Checks the links in documents: they must lead to existing files and headings, and from a chapter
//! of the book only to other chapters or to files that are part of the book.

use std::path::{Component, Path, PathBuf};

/// The folder of the book; files outside of it are not part of the book.
const BOOK: &str = "docs";

/// Reports the broken links of a document.
pub fn check(root: &Path, path: &Path, problems: &mut Vec<String>) {
    if path.extension().is_none_or(|e| e != "md") {
        return;
    }
    let Ok(text) = std::fs::read_to_string(root.join(path)) else {
        return;
    };
    for link in links(&text) {
        if let Some(why) = broken(root, path, &link) {
            problems.push(format!("{}: the link `{link}` {why}", path.display()));
        }
    }
}

/// Why a link is broken, if it is.
fn broken(root: &Path, document: &Path, link: &str) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let folder = document.parent().unwrap_or(Path::new(""));
    let target = match file {
        "" => document.to_path_buf(),
        file => resolved(&folder.join(file)),
    };
    if !root.join(&target).exists() {
        return Some("leads nowhere");
    }
    if document.starts_with(BOOK) && !target.starts_with(BOOK) {
        return Some("leaves the book: name the file instead");
    }
    let text = std::fs::read_to_string(root.join(&target)).unwrap_or_default();
    let found = heading.is_empty() || headings(&text).any(|h| h == heading);
    (!found).then_some("names a heading that is not there")
}

/// A path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// The targets of the links in a document.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        // Text in backquotes is not a link, but may be the name of one.
        let mut plain = String::new();
        for (k, piece) in line.split('`').enumerate() {
            plain.push_str(if k % 2 == 0 { piece } else { "code" });
        }
        for rest in plain.split("](").skip(1) {
            let end = rest.find([')', ' ']).unwrap_or(rest.len());
            found.push(rest[..end].to_string());
        }
    }
    found
}

/// The anchors of the headings.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = prose(text).filter(|line| line.starts_with('#'));
    titles.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text =
            "See [`a`](a.md), [b](b.md#two) and `[c](c.md)`.\n```sh\n[d](d.md)\n```\n![e](e.png)\n";
        assert_eq!(links(text), ["a.md", "b.md#two", "e.png"]);
    }

    #[test]
    fn headings_are_named_as_in_addresses() {
        let text = "# As published, and against Impact\n```sh\n# no heading\n```\n## `poly`\n";
        let names: Vec<String> = headings(text).collect();
        assert_eq!(names, ["as-published-and-against-impact", "poly"]);
    }

    #[test]
    fn broken_links_are_told_from_others() {
        let root = crate::tidy::root();
        let at = |link: &str| broken(&root, Path::new("docs/format/bench.md"), link);
        assert_eq!(at("../ctl.md#poly"), None);
        assert_eq!(at("https://example.org/x.md"), None);
        assert_eq!(at("../nobody.md"), Some("leads nowhere"));
        assert_eq!(
            at("../ctl.md#nothing"),
            Some("names a heading that is not there")
        );
        assert_eq!(
            at("../../bench/smoke.toml"),
            Some("leaves the book: name the file instead")
        );
    }
}
