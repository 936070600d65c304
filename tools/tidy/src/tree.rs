//! The files that belong to the repository, read once.

use crate::ignored::Ignored;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Larger files are reported, not read.
pub(crate) const LARGEST_FILE_BYTES: u64 = 2_000_000;

/// The files of a repository: all that its `.gitignore` does not leave out. Symbolic links are not followed.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, File>,
}

#[derive(Debug)]
struct File {
    bytes: u64,
    text: Option<String>,
}

impl Tree {
    /// Reads the tree below a folder.
    ///
    /// # Errors
    /// What the file system reports, and a `.gitignore` with forms that are not understood.
    pub fn read(root: &Path) -> io::Result<Self> {
        let ignored = match fs::read_to_string(root.join(".gitignore")) {
            Ok(text) => Ignored::parse(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ignored::default(),
            Err(error) => return Err(error),
        };
        let mut tree = Self::default();
        tree.read_folder(root, "", &ignored)?;
        Ok(tree)
    }

    /// The text of a file (by its path from the root, with `/`), unless it is missing, large or not UTF-8.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }

    /// All paths, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All paths and sizes in bytes, in order.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file.bytes))
    }

    /// All files with text, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.text.as_deref()?)))
    }

    /// Files with text whose path ends in this extension, without the dot.
    pub(crate) fn with_extension(&self, extension: &str) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, end)| end == extension))
    }

    /// Whether this path is a file or a folder of the tree.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.range(folder.clone()..).next().is_some_and(|(next, _)| next.starts_with(&folder))
    }

    /// The folders right below `above` that hold a `Cargo.toml`, by name, with the manifest's path and text.
    pub(crate) fn crates<'a>(&'a self, above: &str) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
        let above = format!("{above}/");
        self.texts().filter_map(move |(path, text)| {
            let name = path.strip_prefix(&above)?.strip_suffix("/Cargo.toml")?;
            (!name.contains('/')).then_some((name, path, text))
        })
    }

    fn read_folder(&mut self, folder: &Path, below: &str, ignored: &Ignored) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            if path == ".git" || ignored.covers(&path, kind.is_dir()) {
                continue;
            }
            if kind.is_dir() {
                self.read_folder(&entry.path(), &path, ignored)?;
            } else if kind.is_file() {
                self.files.insert(path, File::read(&entry.path())?);
            }
        }
        Ok(())
    }
}

impl File {
    fn read(path: &Path) -> io::Result<Self> {
        let bytes = fs::metadata(path)?.len();
        let text = if bytes > LARGEST_FILE_BYTES { None } else { String::from_utf8(fs::read(path)?).ok() };
        Ok(Self { bytes, text })
    }
}

#[cfg(test)]
impl Tree {
    /// A tree made up of these paths and texts.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |text: &str| File { bytes: text.len() as u64, text: Some(text.to_owned()) };
        Self { files: files.iter().map(|&(path, text)| (path.to_owned(), file(text))).collect() }
    }

    /// The same with one more file, of this size and unread.
    pub(crate) fn and_unread(mut self, path: &str, bytes: u64) -> Self {
        self.files.insert(path.to_owned(), File { bytes, text: None });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_exist_through_their_files() {
        let tree = Tree::of(&[("docs/algorithms/pi.md", ""), ("docs-old.md", "")]);
        assert!(tree.has("docs") && tree.has("docs/algorithms") && tree.has("docs/algorithms/pi.md"));
        assert!(!tree.has("doc") && !tree.has("docs/algorithms/pi") && !tree.has("docs-old"));
    }

    #[test]
    fn what_git_ignores_and_what_links_point_to_is_not_read() {
        let root = std::env::temp_dir().join(format!("aqmlab-tidy-{}", std::process::id()));
        for folder in ["target/debug", ".git", "src"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["target/debug/a.rs", ".git/b.rs", "src/c.rs"] {
            fs::write(root.join(file), "text").unwrap();
        }
        fs::write(root.join(".gitignore"), "/target/\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("src", root.join("linked")).unwrap();

        let tree = Tree::read(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(tree.paths().collect::<Vec<_>>(), [".gitignore", "src/c.rs"]);
        assert_eq!(tree.text("src/c.rs"), Some("text"));
    }
}
