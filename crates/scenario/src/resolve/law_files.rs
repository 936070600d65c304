//! Files that traffic models and laws are read from.

use crate::mistakes::{Mistakes, joined};
use aqmlab_web::FileError;

/// Refuses a file that the table at `path` names.
pub(super) fn refuse(path: &str, error: &FileError, mistakes: &mut Mistakes<'_>) {
    let FileError { key, path: file, line, reason, legal } = error;
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    mistakes.value(&joined(path, key), format!("\"{file}\"{line}: {reason}"), *legal);
}
