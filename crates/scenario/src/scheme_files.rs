//! Schemes in files: `scheme = "my_red.py:MyRed"` names a file and what is in it, and the file is part of the
//! scenario.
//!
//! The text of the file is kept in `[files]` as that of every other file that a scenario names, that of a
//! library as base64: a resolved scenario needs no file any more, other processes run it as it is, and
//! whatever the file says is part of the address of its runs. What the text means is not known here: a
//! [`SchemeLoader`] says it.

use crate::error::{Place, ScenarioError};
use crate::files::{TEXTS, read_bytes, read_text};
use crate::mistakes::{Mistakes, joined};
use crate::scheme_names::{is_scheme_in_file, parts};
use crate::text::{Node, Value};
use aqmlab_aqm::{Declaration, DeclaredSchemes, RegistrationError, register_declared};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// A scheme in a file, as a scenario names it.
#[derive(Clone, Copy, Debug)]
pub struct SchemeInFile<'a> {
    /// The file as it is named: for messages.
    pub file: &'a str,
    /// What is meant in it: a class, or a symbol.
    pub object: &'a str,
    /// Its text; of a [library](SchemeInFile::is_library), its bytes in base64.
    pub text: &'a str,
}

/// Says what a scheme in a file is, or in words why it cannot be used.
pub type SchemeLoader = fn(&SchemeInFile<'_>) -> Result<Arc<dyn Declaration>, String>;

static LOADER: OnceLock<SchemeLoader> = OnceLock::new();

/// Makes schemes in files known to scenarios, for as long as the program runs. The first loader stays.
pub fn set_scheme_loader(loader: SchemeLoader) {
    let _ = LOADER.set(loader);
}

const LIBRARIES: [&str; 2] = [".so", ".dylib"];
const LEGAL: &str = "FILE.py:CLASS or LIBRARY.so:SYMBOL, the file of at most 1 MiB, its path absolute or seen from the scenario's folder";

/// What a file was found to declare. Scenarios own it.
struct Loaded {
    declaration: Weak<dyn Declaration>,
    /// Of a library, which is never unloaded: it would be loaded once more.
    _kept: Option<Arc<dyn Declaration>>,
}

/// The schemes in files that scenarios name now, so that each is loaded once.
fn in_use() -> MutexGuard<'static, BTreeMap<String, Loaded>> {
    static IN_USE: Mutex<BTreeMap<String, Loaded>> = Mutex::new(BTreeMap::new());
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SchemeInFile<'_> {
    /// Whether the file is a shared library.
    #[must_use]
    pub fn is_library(&self) -> bool {
        is_library(self.file)
    }

    /// The bytes of a library.
    ///
    /// # Errors
    /// In words, when the text is not what was once made of a library.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        BASE64_STANDARD.decode(self.text).map_err(|error| format!("{}: not base64: {error}", self.file))
    }

    /// Its name in the tree of a scenario: two texts of one file are two schemes.
    fn unique_name(&self) -> String {
        let bytes = self.file.bytes().chain([0]).chain(self.text.bytes());
        // FNV-1a, 64 bits: against mistakes, not against malice.
        let digest = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{}:{}@{digest:016x}", self.file, self.object)
    }

    /// Its name in the tree, and what it declares.
    fn load(&self) -> Result<(String, Arc<dyn Declaration>), String> {
        let name = self.unique_name();
        if let Some(declaration) = in_use().get(&name).and_then(|loaded| loaded.declaration.upgrade()) {
            return Ok((name, declaration));
        }
        let loader = LOADER.get().ok_or("schemes in files need the Python package")?;
        // Without the lock: a loader may wait for whoever waits for it.
        let declaration = loader(self)?;
        let kept = self.is_library().then(|| Arc::clone(&declaration));
        let mut in_use = in_use();
        in_use.retain(|_, loaded| loaded.declaration.strong_count() > 0);
        in_use.insert(name.clone(), Loaded { declaration: Arc::downgrade(&declaration), _kept: kept });
        Ok((name, declaration))
    }
}

fn is_library(file: &str) -> bool {
    LIBRARIES.iter().any(|ending| file.ends_with(ending))
}

/// The schemes in files that a scenario names.
#[derive(Default)]
pub(crate) struct OwnSchemes {
    pub(crate) declared: DeclaredSchemes,
    /// The schemas of their tables, by their names in the scenario's tree.
    pub(crate) schemas: BTreeMap<String, serde_json::Value>,
}

/// Loads every scheme in a file that `tree` names, keeps the texts of the files in the tree, and puts the
/// names under which the schemes are declared into it. `folder` is where relative names are looked for;
/// without it nothing is read.
pub(crate) fn load_schemes(
    tree: &mut Node,
    folder: Option<&Path>,
    source_name: &str,
) -> Result<OwnSchemes, ScenarioError> {
    let mut named = Vec::new();
    collect(tree, "", &mut named);
    let mut mistakes = Mistakes::new(source_name, tree);
    let (mut names, mut texts) = (BTreeMap::new(), BTreeMap::new());
    let mut own = OwnSchemes::default();
    for (key, name) in named {
        let loaded = load(&name, tree, folder, &mut texts).and_then(|(unique_name, declaration)| {
            let schema =
                own.declared.declare(&unique_name, declaration).map_err(|error| error.to_string())?;
            own.schemas.insert(unique_name.clone(), schema);
            Ok(unique_name)
        });
        match loaded {
            Ok(unique_name) => _ = names.insert(name, unique_name),
            Err(why) => mistakes.value(&key, format!("\"{name}\": {why}"), LEGAL),
        }
    }
    mistakes.into_result()?;
    rename(tree, &names);
    if let (Value::Table(members), false) = (&mut tree.value, texts.is_empty()) {
        let empty = || Node { place: Place::Whole, value: Value::Table(BTreeMap::new()) };
        if let Value::Table(files) = &mut members.entry(TEXTS.to_owned()).or_insert_with(empty).value {
            let node = |text| Node { place: Place::Whole, value: Value::String(text) };
            files.extend(texts.into_iter().map(|(file, text)| (file, node(text))));
        }
    }
    Ok(own)
}

/// Every key below `node` that names a scheme in a file, with the name.
fn collect(node: &Node, path: &str, named: &mut Vec<(String, String)>) {
    match &node.value {
        Value::Table(members) => {
            for (key, member) in members {
                match &member.value {
                    Value::String(name) if is_scheme_in_file(key, name) => {
                        named.push((joined(path, key), name.clone()));
                    }
                    _ => collect(member, &joined(path, key), named),
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

/// Puts other names in the place of those that are known.
fn rename(node: &mut Node, names: &BTreeMap<String, String>) {
    match &mut node.value {
        Value::Table(members) => {
            for (key, member) in members {
                match &mut member.value {
                    Value::String(name) if is_scheme_in_file(key, name) => name.clone_from(&names[name]),
                    _ => rename(member, names),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| rename(element, names)),
        _ => {}
    }
}

/// Why a file holds no scheme; of C source what to type first.
fn not_loadable(file: &str) -> String {
    let Some(stem) = file.strip_suffix(".c") else {
        return "neither a file of Python nor a library; legal: FILE.py:CLASS, or LIBRARY.so:SYMBOL"
            .to_owned();
    };
    format!(
        "C source; compile it first: cc -O2 -ffp-contract=off -shared -fPIC -I \"$(aqmlab scheme include)\" {file} -o \
         {stem}.so"
    )
}

fn load(
    name: &str,
    tree: &Node,
    folder: Option<&Path>,
    texts: &mut BTreeMap<String, String>,
) -> Result<(String, Arc<dyn Declaration>), String> {
    let (file, object) = parts(name).ok_or("no FILE:NAME")?;
    if !file.ends_with(".py") && !is_library(file) {
        return Err(not_loadable(file));
    }
    let kept = tree.child(TEXTS).and_then(|files| match &files.value {
        Value::Table(files) => files.get(file),
        _ => None,
    });
    if let Some(Node { value: Value::String(text), .. }) = kept {
        return SchemeInFile { file, object, text }.load();
    }
    if !texts.contains_key(file) {
        let folder = folder.ok_or("its text is not there")?;
        texts.insert(file.to_owned(), read(&folder.join(file))?);
    }
    SchemeInFile { file, object, text: &texts[file] }.load()
}

/// Registers a scheme in a file that stands in a folder, for those who ask about a scheme without a scenario;
/// returns the name under which [`aqmlab_aqm::Scheme::names`] lists it.
///
/// # Errors
/// In words, what is wrong with the file or the scheme.
pub fn load_scheme_in_file(folder: &Path, name: &str) -> Result<String, String> {
    let nothing = Node { place: Place::Whole, value: Value::Table(BTreeMap::new()) };
    let (name, declaration) = load(name, &nothing, Some(folder), &mut BTreeMap::new())?;
    match register_declared(&name, declaration) {
        Ok(()) | Err(RegistrationError::Taken(_)) => Ok(name),
        Err(error) => Err(error.to_string()),
    }
}

fn read(path: &Path) -> Result<String, String> {
    if is_library(&path.to_string_lossy()) {
        Ok(BASE64_STANDARD.encode(read_bytes(path)?))
    } else {
        read_text(path)
    }
}
