//! A file that a parameter names and that cannot be used.

/// A file that a parameter names and that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` = \"{path}\"{}: {reason}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct FileError {
    /// The parameter that names the file.
    pub key: &'static str,
    /// The file's path, as given.
    pub path: String,
    /// The line at fault, counted from 1, where one line is.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
    /// What such a file must hold, in words.
    pub legal: &'static str,
}
