//! The files that a scenario names: read once, when the scenario is, and kept in it with their text.
//!
//! A resolved scenario needs no file any more. It runs again on another machine, in another folder and years
//! later, and its text, which holds the files' texts, is the whole of what its runs depend on.

use crate::mistakes::{Mistakes, joined};
use crate::own_names::file_named;
use crate::recognised::unreadable_kind;
use crate::text::{Node, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that a scenario may name, as its text is part of every result: two million lines of a
/// rate trace, five minutes at 100 Mbit/s or three hours at 3. The largest of Mahimahi's has some megabytes.
pub(crate) const LARGEST_FILE_BYTES: u64 = 16 << 20;

/// The control characters that a text of lines may hold.
pub(crate) const SPACING: [char; 3] = ['\n', '\r', '\t'];

/// The key of the table that keeps the texts.
pub(crate) const TEXTS: &str = "files";

/// What a file that is named must be.
const LEGAL: &str = "a text file of at most 16 MiB, its path absolute or seen from the scenario's folder";

/// Reads each file that `tree` names and whose text is not among `texts`, and forgets the texts that nothing
/// names. `folder` is where relative names are looked for; without it nothing is read.
pub(crate) fn read_files(
    tree: &Node,
    folder: Option<&Path>,
    texts: &mut BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) {
    let mut named = Vec::new();
    collect(tree, "", &mut named);
    for (key, name) in &named {
        if texts.contains_key(name) {
            continue;
        }
        match folder.map(|folder| read_text(&folder.join(name), LARGEST_FILE_BYTES)) {
            Some(Ok(text)) => _ = texts.insert(name.clone(), text),
            Some(Err(why)) => mistakes.value(key, format!("\"{name}\": {why}"), LEGAL),
            None => mistakes.value(key, format!("\"{name}\": its text is not there"), "a name in [files]"),
        }
    }
    let names: BTreeSet<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
    if let Some(unused) = texts.keys().find(|name| !names.contains(name.as_str()))
        && mistakes.is_written(TEXTS)
    {
        let wrong = format!(
            "the text of \"{unused}\", which no ..._file key names, nor any scheme, traffic model or controller"
        );
        mistakes.sentence(TEXTS, wrong);
    }
    texts.retain(|name, _| names.contains(name.as_str()));
}

/// How models read the texts of files that the scenario keeps.
pub(crate) fn loader(files: &BTreeMap<String, String>) -> impl Fn(&str) -> Result<String, String> + '_ {
    |name| files.get(name).cloned().ok_or_else(|| "its text is not there".to_owned())
}

/// Every key below `node` that names a file, with the name.
fn collect(node: &Node, path: &str, named: &mut Vec<(String, String)>) {
    match &node.value {
        Value::Table(members) => {
            for (key, member) in members {
                let path = joined(path, key);
                match &member.value {
                    Value::String(name) if key.ends_with("_file") => named.push((path, name.clone())),
                    Value::Array(names) if key.ends_with("_file") => {
                        named.extend(names.iter().filter_map(|node| match &node.value {
                            Value::String(name) => Some((path.clone(), name.clone())),
                            _ => None,
                        }));
                    }
                    Value::String(name) => {
                        named.extend(file_named(key, name).map(|file| (path, file.to_owned())));
                    }
                    _ => collect(member, &path, named),
                }
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, &joined(path, &index.to_string()), named);
            }
        }
        _ => {}
    }
}

/// The bytes of a file of at most so many, or why there are none, in words. Devices and pipes are never
/// opened: they may not end, or wait.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let facts = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if facts.is_dir() {
        return Err(format!("{} is a folder", path.display()));
    }
    if !facts.is_file() {
        return Err(format!("{} is a device, a pipe or a socket, and no file", path.display()));
    }
    let mut bytes = Vec::new();
    // One byte more than is legal: a file that grows meanwhile is found out.
    let limited = |file: File| file.take(most + 1).read_to_end(&mut bytes);
    File::open(path).and_then(limited).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > most {
        let size = format!("{} has {} bytes", path.display(), facts.len().max(bytes.len() as u64));
        return Err(for_what_it_is(path, &bytes).unwrap_or(size));
    }
    Ok(bytes)
}

/// The text of a file of at most so many bytes, or why there is none, in words.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let bytes = read_bytes(path, most)?;
    let line_at =
        |offset: usize, bytes: &[u8]| 1 + bytes[..offset].iter().filter(|&&byte| byte == b'\n').count();
    let text = String::from_utf8(bytes).map_err(|error| {
        if let Some(said) = for_what_it_is(path, error.as_bytes()) {
            return said;
        }
        let line = line_at(error.utf8_error().valid_up_to(), error.as_bytes());
        format!("{}, line {line}: not UTF-8 text", path.display())
    })?;
    match text.find(|one: char| one.is_control() && !SPACING.contains(&one)) {
        Some(at) => Err(for_what_it_is(path, text.as_bytes()).unwrap_or_else(|| {
            format!("{}, line {}: a control character", path.display(), line_at(at, text.as_bytes()))
        })),
        None => Ok(text),
    }
}

/// A file that is no text of ours, named for what it is.
fn for_what_it_is(path: &Path, bytes: &[u8]) -> Option<String> {
    let name = path.display().to_string();
    unreadable_kind(&name, bytes).map(|what| format!("{name} is {what}"))
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {}", path.display()),
        _ => format!("{} cannot be read: {error}", path.display()),
    }
}
