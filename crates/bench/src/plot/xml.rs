//! A check that a text is well-formed XML, as far as our pictures use it: elements, attributes in
//! double quotes, the named entities. No comments, no declarations.

/// Says what is wrong, and at which byte.
pub fn check(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text;
    let at = |rest: &str| text.len() - rest.len();
    while let Some(start) = rest.find('<') {
        let before = &rest[..start];
        characters(before).map_err(|e| format!("{e} before byte {}", at(rest) + start))?;
        if open.is_empty() && !before.trim().is_empty() {
            return Err(format!(
                "text outside of the root before byte {}",
                at(rest) + start
            ));
        }
        let inside = &rest[start + 1..];
        let end = tag_end(inside).ok_or_else(|| format!("a tag at byte {start} does not end"))?;
        let tag = &inside[..end];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(expected) if expected == name.trim_end() => {}
                expected => return Err(format!("</{name}> closes {expected:?}")),
            }
        } else {
            let (tag, empty) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            let name = element(tag)?;
            roots += usize::from(open.is_empty());
            if !empty {
                open.push(name);
            }
        }
        rest = &inside[end + 1..];
    }
    match (open.last(), roots, rest.trim()) {
        (Some(name), _, _) => Err(format!("<{name}> is not closed")),
        (None, 1, "") => Ok(()),
        (None, 1, _) => Err("text behind the root".to_string()),
        (None, count, _) => Err(format!("{count} root elements")),
    }
}

/// The place of the `>` that ends a tag: not one within quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quoted = false;
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return Some(i),
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || "-:_".contains(c))
}

/// The name of an element whose attributes are right.
fn element(tag: &str) -> Result<&str, String> {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    if !is_name(name) {
        return Err(format!("<{name}> is no element"));
    }
    let mut seen: Vec<&str> = Vec::new();
    while !rest.trim().is_empty() {
        let (attribute, behind) = rest.split_once('=').ok_or("an attribute has no value")?;
        let attribute = attribute.trim();
        if !is_name(attribute) || seen.contains(&attribute) {
            return Err(format!("`{attribute}` is no attribute, or there twice"));
        }
        seen.push(attribute);
        let quoted = behind.strip_prefix('"');
        let (value, behind) = quoted
            .and_then(|q| q.split_once('"'))
            .ok_or_else(|| format!("the value of `{attribute}` is not quoted"))?;
        if value.contains('<') {
            return Err(format!("the value of `{attribute}` contains markup"));
        }
        characters(value)?;
        rest = behind;
    }
    Ok(name)
}

/// No stray ampersands and no control characters.
fn characters(text: &str) -> Result<(), String> {
    if text
        .chars()
        .any(|c| c.is_control() && !"\n\t\r".contains(c))
    {
        return Err("a control character".to_string());
    }
    for part in text.split('&').skip(1) {
        let entity = part.split_once(';').map(|(name, _)| name);
        let known = ["amp", "lt", "gt", "quot", "apos"];
        if !entity.is_some_and(|e| known.contains(&e)) {
            return Err("a stray ampersand".to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_and_wrong_texts_are_told_apart() {
        for right in [
            "<a/>",
            "<a><b c=\"d > e\"/>f &amp; g</a>\n",
            "<svg xmlns=\"x\" a-b=\"c\"></svg>",
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "",
            "a",
            "<a>",
            "<a></b>",
            "<a/><b/>",
            "<a b=c/>",
            "<a b=\"1\" b=\"2\"/>",
            "<a b/>",
            "<a>x & y</a>",
            "<a>\u{1}</a>",
            "<a b=\"<\"/>",
            "<a/>x",
            "<a",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
