//! Files that traffic models and laws are read from.

use crate::mistakes::{Mistakes, joined};
use crate::recognised::{FileKind, mistaken};
use aqmlab_web::FileError;
use std::collections::BTreeMap;

/// Refuses a file that the table at `path` names and whose text is among `files`.
pub(super) fn refuse(
    path: &str,
    error: &FileError,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) {
    let FileError { key, path: file, line, reason, legal } = error;
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let text = files.get(file).map_or(&b""[..], String::as_bytes);
    let wrong = mistaken(file, text, expected(key))
        .map_or(format!("\"{file}\"{line}: {reason}"), |what| format!("\"{file}\" is {what}"));
    mistakes.value(&joined(path, key), wrong, *legal);
}

/// What belongs into the file that a key names.
fn expected(key: &str) -> Option<FileKind> {
    match key {
        "pages_file" => Some(FileKind::Pages),
        key if key.ends_with("cdf_file") => Some(FileKind::Distribution),
        _ => None,
    }
}
