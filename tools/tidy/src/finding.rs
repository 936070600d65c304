//! What a check reports.

use std::fmt;

/// One thing that is wrong, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the tree.
    pub path: String,
    /// The line, counted from 1; of a whole file, 1.
    pub line: usize,
    /// What is there.
    pub wrong: String,
    /// What should be there.
    pub expected: String,
    /// What to do.
    pub mend: String,
}

impl Finding {
    /// A finding at a line (counted from 1) of a file.
    pub(crate) fn new(
        path: &str,
        line: usize,
        wrong: impl Into<String>,
        expected: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), line, wrong: wrong.into(), expected: expected.into(), mend: mend.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}:{}: {}", self.path, self.line, self.wrong)?;
        writeln!(out, "    expected: {}", self.expected)?;
        write!(out, "    mend: {}", self.mend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_what_was_expected_and_how_to_mend_it() {
        let finding = Finding::new("a/b.rs", 7, "too long", "short", "split it");
        assert_eq!(finding.to_string(), "a/b.rs:7: too long\n    expected: short\n    mend: split it");
    }
}
