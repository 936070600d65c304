//! Files of laws: values and cumulative shares.

use crate::mistakes::{Mistakes, joined};
use aqmlab_web::CdfFileError;
use std::collections::BTreeMap;

/// What a CDF file must hold.
const LEGAL: &str = "lines of a value and its cumulative share, both never decreasing, the last share 1";

/// How models read the texts of files that the scenario keeps.
pub(super) fn loader(files: &BTreeMap<String, String>) -> impl Fn(&str) -> Result<String, String> + '_ {
    |name| files.get(name).cloned().ok_or_else(|| "its text is not there".to_owned())
}

/// Refuses a file that the table at `path` names.
pub(super) fn refuse(path: &str, error: &CdfFileError, mistakes: &mut Mistakes<'_>) {
    let CdfFileError { key, path: file, line, reason } = error;
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    mistakes.value(&joined(path, key), format!("\"{file}\"{line}: {reason}"), LEGAL);
}
