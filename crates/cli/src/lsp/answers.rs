//! Answers to requests about the names in a text.

use super::document::Document;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, DocumentSymbol, DocumentSymbolResponse,
    GotoDefinitionResponse, Hover, HoverContents, Location, MarkupContent, MarkupKind, Position,
    PrepareRenameResponse, Range, SymbolKind, TextEdit, WorkspaceEdit,
};
use sectile_base::Source;
use sectile_frontend::outline::{OutlineKind, OutlineSymbol, Use};
use std::collections::BTreeSet;

/// The use of a name at a position, with its symbol.
fn use_at(document: &Document, at: Position) -> Option<(Use, &OutlineSymbol)> {
    let found = document.outline.at(document.offset(at))?;
    Some((found, &document.outline.symbols[found.symbol]))
}

/// The kind of a name, its type, the places that assign it, and its declaration.
pub fn hover(document: &Document, at: Position) -> Option<Hover> {
    let (found, symbol) = use_at(document, at)?;
    let mut text = format!("```\n{}\n```\n", headline(document, symbol));
    text += &format!("{} `{}`", symbol.kind.word(), symbol.name);
    if !symbol.sort.is_empty() {
        text += &format!(" : `{}`", symbol.sort);
    }
    if let Some(parent) = symbol.parent {
        let parent = &document.outline.symbols[parent];
        text += &format!(" of {} `{}`", parent.kind.word(), parent.name);
    }
    let assigned = writers(document, found.symbol);
    if !assigned.is_empty() {
        text += &format!("\n\nassigned in {}", assigned.join(", "));
    }
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text,
    });
    let range = Some(document.range(found.span));
    Some(Hover { contents, range })
}

/// The first lines of a declaration.
fn headline(document: &Document, symbol: &OutlineSymbol) -> String {
    const LONGEST: usize = 8;
    let text = document.source.slice(symbol.whole);
    let lines = match symbol.kind {
        OutlineKind::Process => 1,
        _ => LONGEST,
    };
    let shown: Vec<&str> = text.lines().take(lines).collect();
    let more = if text.lines().count() > lines {
        " ..."
    } else {
        ""
    };
    shown.join("\n") + more
}

/// The commands, or the lines, in which a symbol is assigned.
fn writers(document: &Document, symbol: usize) -> Vec<String> {
    let outline = &document.outline;
    let mut found = Vec::new();
    for place in outline.uses_of(symbol).filter(|u| u.written) {
        let around = |s: &&OutlineSymbol| {
            let inside = s.whole.start <= place.span.start && place.span.end <= s.whole.end;
            s.kind == OutlineKind::Command && inside
        };
        let line = document.source.position(place.span.start).line;
        let text = match outline.symbols.iter().find(around) {
            Some(command) => format!("`{}` (line {line})", command.name),
            None => format!("line {line}"),
        };
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The declaration of a name.
pub fn definition(document: &Document, at: Position) -> Option<GotoDefinitionResponse> {
    let (_, symbol) = use_at(document, at)?;
    let range = document.range(symbol.span);
    let place = Location::new(document.uri.clone(), range);
    Some(GotoDefinitionResponse::Scalar(place))
}

/// The uses of a symbol.
pub fn references(document: &Document, at: Position, whole: bool) -> Option<Vec<Location>> {
    let (found, _) = use_at(document, at)?;
    let uses = document.outline.uses_of(found.symbol);
    let uses = uses.filter(|u| whole || !u.declares);
    let places = uses.map(|u| Location::new(document.uri.clone(), document.range(u.span)));
    Some(places.collect())
}

/// Whether the name at a position can be changed.
pub fn prepare_rename(document: &Document, at: Position) -> Option<PrepareRenameResponse> {
    let (found, symbol) = use_at(document, at)?;
    Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: document.range(found.span),
        placeholder: symbol.name.clone(),
    })
}

/// The edits that rename a symbol everywhere.
pub fn rename(
    document: &Document,
    at: Position,
    name: &str,
) -> Result<Option<WorkspaceEdit>, String> {
    let Some((found, symbol)) = use_at(document, at) else {
        return Ok(None);
    };
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_quoted = name.len() > 2
        && name.starts_with('`')
        && name.ends_with('`')
        && !name[1..name.len() - 1].contains(['`', '\n']);
    if !is_plain && !is_quoted {
        return Err(format!("`{name}` is not a name"));
    }
    if document.outline.keywords.contains(&name) {
        return Err(format!("`{name}` is a keyword"));
    }
    let taken = document.outline.symbols.iter();
    let mut taken = taken.filter(|s| s.name == name && s.span != symbol.span);
    // A name in another process or quantifier does not clash outside of its scope.
    let uses: Vec<Use> = document.outline.uses_of(found.symbol).collect();
    let clash = taken.any(|other| {
        let same_owner = other.parent == symbol.parent;
        let seen = uses.iter().any(|u| {
            document
                .outline
                .known_at(u.span.start)
                .any(|k| std::ptr::eq(k, other))
        });
        let local = other.kind == OutlineKind::Local || symbol.kind == OutlineKind::Local;
        seen || same_owner && !local
    });
    if clash {
        return Err(format!("there is a `{name}` already"));
    }
    let edits = uses.iter().map(|u| TextEdit {
        range: document.range(u.span),
        new_text: name.to_string(),
    });
    let mut edits: Vec<TextEdit> = edits.collect();
    if symbol.kind == OutlineKind::Property {
        edits.extend(headers(document, &symbol.name, name));
    }
    let mut edit = WorkspaceEdit::default();
    #[allow(clippy::mutable_key_type)] // The key type is fixed by the protocol.
    let changes = std::collections::HashMap::from([(document.uri.clone(), edits)]);
    edit.changes = Some(changes);
    Ok(Some(edit))
}

/// Header comments mention properties as well: `// expect: mutex holds`.
fn headers(document: &Document, old: &str, new: &str) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    let mut start = 0;
    for line in document.source.text().split_inclusive('\n') {
        let header = line.trim_start();
        let begins = ["// expect:", "// expect("]
            .iter()
            .any(|h| header.starts_with(h));
        let colon = header.find(": ").filter(|_| begins);
        if let Some(colon) = colon {
            let name_at = start + (line.len() - header.len()) + colon + 2;
            let rest = &document.source.text()[name_at..];
            if rest.strip_prefix(old).is_some_and(|r| r.starts_with(' ')) {
                let span = sectile_base::Span::new(name_at, name_at + old.len());
                edits.push(TextEdit {
                    range: document.range(span),
                    new_text: new.to_string(),
                });
            }
        }
        start += line.len();
    }
    edits
}

/// The completions at a position: members after a dot, otherwise all known names, and keywords.
pub fn completion(document: &Document, at: Position) -> Option<CompletionResponse> {
    let offset = document.offset(at);
    let before = document.source.text().get(..offset as usize)?;
    let typed = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let symbols: Vec<&OutlineSymbol> = match typed.strip_suffix('.') {
        Some(owner) if !owner.ends_with('.') => members(document, owner),
        _ => document.outline.known_at(offset).collect(),
    };
    let member = typed.ends_with('.');
    let mut seen = BTreeSet::new();
    let mut items = Vec::new();
    for symbol in symbols {
        let shown = !member && symbol.kind == OutlineKind::Field;
        if shown || !seen.insert(symbol.name.as_str()) {
            continue;
        }
        items.push(CompletionItem {
            label: symbol.name.clone(),
            kind: Some(completion_kind(symbol.kind)),
            detail: Some(match symbol.sort.is_empty() {
                true => symbol.kind.word().to_string(),
                false => format!("{} : {}", symbol.kind.word(), symbol.sort),
            }),
            ..CompletionItem::default()
        });
    }
    if !member {
        let keywords = document.outline.keywords.iter();
        items.extend(keywords.map(|word| CompletionItem {
            label: (*word).to_string(),
            kind: Some(CompletionItemKind::KEYWORD),
            ..CompletionItem::default()
        }));
    }
    Some(CompletionResponse::Array(items))
}

/// The completions after `owner.`; the owner may have indices.
fn members<'d>(document: &'d Document, owner: &str) -> Vec<&'d OutlineSymbol> {
    let mut depth = 0_i32;
    let name_end = owner.char_indices().rev().find(|&(_, c)| {
        let inside = depth > 0 || c == ']';
        depth += i32::from(c == ']') - i32::from(c == '[');
        !inside
    });
    let end = name_end.map_or(0, |(i, c)| i + c.len_utf8());
    let name = owner[..end]
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    let outline = &document.outline;
    let named = |s: &OutlineSymbol| Some(s.name.as_str()) == name && s.kind != OutlineKind::Local;
    match outline.symbols.iter().position(named) {
        Some(symbol) => outline.members_of(symbol),
        None => Vec::new(),
    }
}

fn completion_kind(kind: OutlineKind) -> CompletionItemKind {
    match kind {
        OutlineKind::Parameter | OutlineKind::Constant => CompletionItemKind::CONSTANT,
        OutlineKind::Variable | OutlineKind::Clock | OutlineKind::Channel | OutlineKind::Local => {
            CompletionItemKind::VARIABLE
        }
        OutlineKind::Type => CompletionItemKind::STRUCT,
        OutlineKind::Value => CompletionItemKind::ENUM_MEMBER,
        OutlineKind::Field => CompletionItemKind::FIELD,
        OutlineKind::Function | OutlineKind::Definition => CompletionItemKind::FUNCTION,
        OutlineKind::Command => CompletionItemKind::EVENT,
        OutlineKind::Process => CompletionItemKind::MODULE,
        OutlineKind::Property => CompletionItemKind::PROPERTY,
        OutlineKind::Label => CompletionItemKind::REFERENCE,
    }
}

/// The declarations of a text, as a tree.
pub fn symbols(document: &Document) -> Option<DocumentSymbolResponse> {
    let all = document.outline.symbols.iter().enumerate();
    // Values and local names would hide the declarations that contain them.
    let small = [OutlineKind::Local, OutlineKind::Value];
    let outer = all.filter(|(_, s)| s.parent.is_none() && !small.contains(&s.kind));
    let tree = outer.map(|(i, s)| symbol(document, Some(i), s));
    Some(DocumentSymbolResponse::Nested(tree.collect()))
}

#[allow(deprecated)] // The field is deprecated, but must be set.
fn symbol(document: &Document, index: Option<usize>, symbol: &OutlineSymbol) -> DocumentSymbol {
    let members = index.into_iter().flat_map(|i| document.outline.members(i));
    let members = members.filter(|s| s.kind != OutlineKind::Local);
    let children: Vec<DocumentSymbol> = members.map(|s| self::symbol(document, None, s)).collect();
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: (!symbol.sort.is_empty()).then(|| symbol.sort.clone()),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: document.range(symbol.whole.to(symbol.span)),
        selection_range: document.range(symbol.span),
        children: (!children.is_empty()).then_some(children),
    }
}

fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Parameter | OutlineKind::Constant => SymbolKind::CONSTANT,
        OutlineKind::Variable | OutlineKind::Clock | OutlineKind::Channel | OutlineKind::Local => {
            SymbolKind::VARIABLE
        }
        OutlineKind::Type => SymbolKind::STRUCT,
        OutlineKind::Value => SymbolKind::ENUM_MEMBER,
        OutlineKind::Field => SymbolKind::FIELD,
        OutlineKind::Function | OutlineKind::Definition => SymbolKind::FUNCTION,
        OutlineKind::Command => SymbolKind::EVENT,
        OutlineKind::Process => SymbolKind::MODULE,
        OutlineKind::Property => SymbolKind::PROPERTY,
        OutlineKind::Label => SymbolKind::KEY,
    }
}

/// The edit that formats a text; `None` for a text with mistakes.
pub fn formatted(document: &Document) -> Option<Vec<TextEdit>> {
    let text = document.frontend.format(&document.source)?.ok()?;
    if text == document.source.text() {
        return Some(Vec::new());
    }
    Some(vec![TextEdit {
        range: whole(&document.source, document),
        new_text: text,
    }])
}

fn whole(source: &Source, document: &Document) -> Range {
    document.range(sectile_base::Span::new(0, source.text().len()))
}
