//! The patterns of the root's `.gitignore`: what is never part of the sources.
//!
//! Understood are names with `*`, a trailing `/` (folders only), and a `/` elsewhere (a path from the root).
//! Other forms of the language are refused rather than misread.

use std::io;

/// The patterns of a `.gitignore` file.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    segments: Vec<String>,
    anchored: bool,
    folders_only: bool,
}

impl Ignored {
    /// Reads the patterns.
    ///
    /// # Errors
    /// A pattern with `!`, `**`, `?`, `[` or `\`, which this reader does not understand.
    pub(crate) fn parse(text: &str) -> io::Result<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(Self { patterns: lines.map(pattern).collect::<io::Result<_>>()? })
    }

    /// Whether this path (from the root, with `/`) is left out.
    pub(crate) fn covers(&self, path: &str, is_folder: bool) -> bool {
        let segments: Vec<&str> = path.split('/').collect();
        self.patterns.iter().any(|pattern| pattern.covers(&segments, is_folder))
    }
}

impl Pattern {
    fn covers(&self, path: &[&str], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let compared = if self.anchored { path } else { &path[path.len() - 1..] };
        compared.len() == self.segments.len()
            && compared.iter().zip(&self.segments).all(|(name, glob)| matches(name, glob))
    }
}

fn pattern(line: &str) -> io::Result<Pattern> {
    if line.contains("**") || line.contains(['!', '?', '[', '\\']) {
        let message = format!(".gitignore: `{line}` is a form that tools/tidy does not read");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let path = line.trim_end_matches('/');
    Ok(Pattern {
        segments: path.trim_start_matches('/').split('/').map(str::to_owned).collect(),
        anchored: path.contains('/'),
        folders_only: line.ends_with('/'),
    })
}

/// Whether a name matches a pattern whose `*` stand for any characters.
fn matches(name: &str, glob: &str) -> bool {
    let Some((before, after)) = glob.split_once('*') else { return name == glob };
    let Some(rest) = name.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|skipped| rest.get(skipped..).is_some_and(|rest| matches(rest, after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_slash_binds_a_pattern_to_the_root() {
        let ignored = Ignored::parse("/target/\n").unwrap();
        assert!(ignored.covers("target", true));
        assert!(!ignored.covers("crates/target", true));
        assert!(!ignored.covers("target", false), "only folders are meant");
    }

    #[test]
    fn a_name_or_a_star_matches_at_any_depth() {
        let ignored = Ignored::parse("# caches\n__pycache__/\n*.so\n").unwrap();
        assert!(ignored.covers("python/lab/__pycache__", true));
        assert!(ignored.covers("python/lab/_core.abi3.so", false));
        assert!(!ignored.covers("python/lab/core.sol", false));
    }

    #[test]
    fn a_path_with_a_star_matches_one_folder_only() {
        let ignored = Ignored::parse("docs/*.svg").unwrap();
        assert!(ignored.covers("docs/queue.svg", false));
        assert!(!ignored.covers("docs/figures/queue.svg", false));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(Ignored::parse("!keep.so").is_err());
        assert!(Ignored::parse("docs/**/x").is_err());
    }
}
