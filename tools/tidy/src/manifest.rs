//! As much of TOML as manifests need: which key stands in which section.

/// A `key = value` line of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// Counted from 1.
    pub(crate) line: usize,
    /// The section without its brackets.
    pub(crate) section: &'a str,
    /// The key as written, dots included; of a section's own line, empty.
    pub(crate) key: &'a str,
    /// The value as written.
    pub(crate) value: &'a str,
}

/// The entries of a manifest, sections included, without comment lines.
pub(crate) fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut section = "";
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            section = header.0.trim_matches(['[', ']']);
            entries.push(Entry { line: index + 1, section, key: "", value: "" });
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            entries.push(Entry { line: index + 1, section, key: key.trim(), value: value.trim() });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_belong_to_the_section_above_them() {
        let text = "[package]\nname = \"a\"\n\n# x = 1\n[dependencies]\nserde.workspace = true\n";
        let read: Vec<_> = entries(text).iter().map(|e| (e.line, e.section, e.key, e.value)).collect();
        assert_eq!(
            read,
            [
                (1, "package", "", ""),
                (2, "package", "name", "\"a\""),
                (5, "dependencies", "", ""),
                (6, "dependencies", "serde.workspace", "true"),
            ]
        );
    }
}
