//! Schemes, traffic models and congestion controllers in files: `scheme = "my_red.py:MyRed"` names a file and
//! what is in it, and the file is part of the scenario.
//!
//! The text of the file is kept in `[files]` as that of every other file that a scenario names, that of a
//! library as base64: a resolved scenario needs no file any more, other processes run it as it is, and
//! whatever the file says is part of the address of its runs. What the text means is not known here: a
//! [`SchemeLoader`], a [`ModelLoader`] or a [`ControllerLoader`] says it.

use crate::error::{Place, ScenarioError};
use crate::files::{TEXTS, read_bytes, read_text};
use crate::mistakes::{Mistakes, joined};
use crate::own_names::{
    CONGESTION, MODEL, SCHEME, is_controller, is_file_alone, is_in_file, is_library, parts,
};
use crate::text::{Node, Value};
use aqmlab_aqm::{Declaration, DeclaredSchemes, RegistrationError, register_declared};
use aqmlab_tcp::congestion::own::{CONTROLLER, ControllerDeclaration, DeclaredControllers};
use aqmlab_web::{DeclaredModels, ModelDeclaration};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// A scheme, a traffic model or a congestion controller in a file, as a scenario names it.
#[derive(Clone, Copy, Debug)]
pub struct InFile<'a> {
    /// The file as it is named: for messages.
    pub file: &'a str,
    /// What is meant in it: a class, or a symbol.
    pub object: &'a str,
    /// Its text; of a [library](InFile::is_library), its bytes in base64.
    pub text: &'a str,
}

/// Says what a scheme in a file is, or in words why it cannot be used.
pub type SchemeLoader = fn(&InFile<'_>) -> Result<Arc<dyn Declaration>, String>;

/// Says what a traffic model in a file is, or in words why it cannot be used.
pub type ModelLoader = fn(&InFile<'_>) -> Result<Arc<dyn ModelDeclaration>, String>;

/// Says what a congestion controller in a file is, or in words why it cannot be used.
pub type ControllerLoader = fn(&InFile<'_>) -> Result<Arc<dyn ControllerDeclaration>, String>;

static LOADER: OnceLock<SchemeLoader> = OnceLock::new();
static MODEL_LOADER: OnceLock<ModelLoader> = OnceLock::new();
static CONTROLLER_LOADER: OnceLock<ControllerLoader> = OnceLock::new();

/// Makes schemes in files known to scenarios, for as long as the program runs. The first loader stays.
pub fn set_scheme_loader(loader: SchemeLoader) {
    let _ = LOADER.set(loader);
}

/// Makes traffic models in files known to scenarios, as [`set_scheme_loader`] does schemes.
pub fn set_model_loader(loader: ModelLoader) {
    let _ = MODEL_LOADER.set(loader);
}

/// Makes congestion controllers in files known to scenarios, as [`set_scheme_loader`] does schemes.
pub fn set_controller_loader(loader: ControllerLoader) {
    let _ = CONTROLLER_LOADER.set(loader);
}

/// The largest file of a scheme or a model.
const LARGEST_CODE_BYTES: u64 = 1 << 20;
const LEGAL_CLASS: &str =
    "FILE.py:CLASS, the file of at most 1 MiB, its path absolute or seen from the scenario's folder";
const LEGAL: &str = "FILE.py:CLASS or LIBRARY.so:SYMBOL, the file of at most 1 MiB, its path absolute or seen from the scenario's folder";

/// What a file was found to declare. Scenarios own it.
struct Loaded {
    declaration: Weak<dyn Declaration>,
    /// Of a library, which is never unloaded: it would be loaded once more.
    _kept: Option<Arc<dyn Declaration>>,
}

/// Congestion controllers of libraries, by their names in trees: kept as schemes of libraries are.
static LIBRARY_CONTROLLERS: Mutex<BTreeMap<String, Arc<dyn ControllerDeclaration>>> =
    Mutex::new(BTreeMap::new());

fn library_controllers() -> MutexGuard<'static, BTreeMap<String, Arc<dyn ControllerDeclaration>>> {
    LIBRARY_CONTROLLERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The schemes in files that scenarios name now, so that each is loaded once.
fn in_use() -> MutexGuard<'static, BTreeMap<String, Loaded>> {
    static IN_USE: Mutex<BTreeMap<String, Loaded>> = Mutex::new(BTreeMap::new());
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl InFile<'_> {
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

    /// Its name in the tree, and the traffic model that it declares. Loaded anew each time: to find a class
    /// in a text that was run before costs little.
    fn load_model(&self) -> Result<(String, Arc<dyn ModelDeclaration>), String> {
        let loader = MODEL_LOADER.get().ok_or("traffic models in files need the Python package")?;
        Ok((self.unique_name(), loader(self)?))
    }

    /// The same of a congestion controller; one of a library is loaded once.
    fn load_controller(&self) -> Result<(String, Arc<dyn ControllerDeclaration>), String> {
        let name = self.unique_name();
        if let Some(declaration) = library_controllers().get(&name) {
            return Ok((name, Arc::clone(declaration)));
        }
        let loader =
            CONTROLLER_LOADER.get().ok_or("congestion controllers in files need the Python package")?;
        let declaration = loader(self)?;
        if self.is_library() {
            library_controllers().insert(name.clone(), Arc::clone(&declaration));
        }
        Ok((name, declaration))
    }

    /// Its name in the tree, and the scheme that it declares.
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

/// The schemes, traffic models and congestion controllers in files that a scenario names.
#[derive(Default)]
pub(crate) struct OwnInFiles {
    pub(crate) schemes: DeclaredSchemes,
    pub(crate) models: DeclaredModels,
    pub(crate) controllers: DeclaredControllers,
    /// The schemas of their tables, by their names in the scenario's tree.
    pub(crate) schemas: BTreeMap<String, serde_json::Value>,
}

impl OwnInFiles {
    /// Adds what a key names; answers with its name in the tree.
    fn add(&mut self, key: &str, file: &InFile<'_>) -> Result<String, String> {
        let (name, schema) = if is_controller(key) {
            let (name, declaration) = file.load_controller()?;
            let schema = self.controllers.declare(&name, declaration)?;
            (name, schema)
        } else if is_model(key) {
            let (name, declaration) = file.load_model()?;
            let schema = self.models.declare(&name, declaration)?;
            (name, schema)
        } else {
            let (name, declaration) = file.load()?;
            let schema = self.schemes.declare(&name, declaration).map_err(|error| error.to_string())?;
            (name, schema)
        };
        self.schemas.insert(name.clone(), schema);
        Ok(name)
    }
}

/// Whether a dotted key names a traffic model.
fn is_model(key: &str) -> bool {
    key.rsplit('.').next() == Some(MODEL)
}

/// Loads every scheme, traffic model and controller in a file that `tree` names, keeps the texts of the files
/// in the tree, and puts the names under which they are declared into it. `folder` is where relative names
/// are looked for; without it nothing is read.
pub(crate) fn load_own(
    tree: &mut Node,
    folder: Option<&Path>,
    source_name: &str,
) -> Result<OwnInFiles, ScenarioError> {
    let mut named = Vec::new();
    collect(tree, "", &mut named);
    let mut mistakes = Mistakes::new(source_name, tree);
    let (mut names, mut texts) = (BTreeMap::new(), BTreeMap::new());
    let mut own = OwnInFiles::default();
    for (key, name) in named {
        let legal = if is_model(&key) { LEGAL_CLASS } else { LEGAL };
        if let Some((what, legal)) = without_object(&name) {
            mistakes.value(&key, format!("\"{name}\": {what}"), format!("\"{legal}\""));
            continue;
        }
        match in_file(&key, &name, tree, folder, &mut texts) {
            Err(why) => mistakes.value(&key, format!("\"{name}\": {why}"), legal),
            Ok(file) => match own.add(&key, &file) {
                Ok(unique_name) => _ = names.insert(name, unique_name),
                // The file is there: what is legal in it is for the loader to say.
                Err(why) => mistakes.sentence(&key, format!("\"{name}\": {why}")),
            },
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

/// What is wrong with the name of a file alone, and what would be legal; none where something in it is named.
fn without_object(name: &str) -> Option<(&'static str, String)> {
    let (file, object) = parts(name).unwrap_or((name, ""));
    match object {
        "" if is_library(file) => Some(("no symbol of this library is named", format!("{file}:SYMBOL"))),
        "" if file.ends_with(".py") => Some(("no class of this file is named", format!("{file}:CLASS"))),
        _ => None,
    }
}

/// Every key below `node` that names something in a file, or a file alone, with the name.
fn collect(node: &Node, path: &str, named: &mut Vec<(String, String)>) {
    match &node.value {
        Value::Table(members) => {
            for (key, member) in members.iter().filter(|(key, _)| !(path.is_empty() && *key == TEXTS)) {
                match &member.value {
                    Value::String(name) if is_in_file(key, name) || is_file_alone(key, name) => {
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

/// Puts other names in the place of those that are known. A controller that was a name alone is then a table
/// of its own, which has its parameters.
fn rename(node: &mut Node, names: &BTreeMap<String, String>) {
    match &mut node.value {
        Value::Table(members) => {
            for (key, member) in members {
                match &mut member.value {
                    Value::String(name) if key == CONGESTION && is_in_file(key, name) => {
                        let Some(unique) = names.get(name) else { continue };
                        let place = member.place.clone();
                        let named = Node { place, value: Value::String(unique.clone()) };
                        member.value = Value::Table(BTreeMap::from([(CONTROLLER.to_owned(), named)]));
                    }
                    Value::String(name) if is_in_file(key, name) => {
                        // What looks like a name in the text of a file was not loaded.
                        names.get(name).into_iter().for_each(|unique| name.clone_from(unique));
                    }
                    _ => rename(member, names),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| rename(element, names)),
        _ => {}
    }
}

/// Why a file holds nothing that a key can name; of C source what to type first.
fn not_loadable(key: &str, file: &str) -> String {
    let Some(stem) = file.strip_suffix(".c") else {
        return "neither a file of Python nor a library".to_owned();
    };
    let command = if is_controller(key) { "controller" } else { "scheme" };
    format!(
        "C source; compile it first: cc -O2 -ffp-contract=off -shared -fPIC -I \"$(aqmlab {command} include)\" {file} -o \
         {stem}.so"
    )
}

/// As [`in_file`] without a scenario, for those who say nothing of what is legal.
fn in_folder<'a>(
    key: &str,
    name: &'a str,
    tree: &'a Node,
    folder: &Path,
    texts: &'a mut BTreeMap<String, String>,
) -> Result<InFile<'a>, String> {
    let legal = if is_model(key) { "FILE.py:CLASS" } else { "FILE.py:CLASS or LIBRARY.so:SYMBOL" };
    in_file(key, name, tree, Some(folder), texts).map_err(|wrong| format!("{wrong}; legal: {legal}"))
}

/// The file that a key's name means, with its text: that which the tree keeps, or else that in the folder,
/// which is added to `texts`.
fn in_file<'a>(
    key: &str,
    name: &'a str,
    tree: &'a Node,
    folder: Option<&Path>,
    texts: &'a mut BTreeMap<String, String>,
) -> Result<InFile<'a>, String> {
    let (file, object) = parts(name).ok_or("no FILE:NAME")?;
    if is_model(key) && !file.ends_with(".py") {
        return Err("not a file of Python".to_owned());
    }
    if !file.ends_with(".py") && !is_library(file) {
        return Err(not_loadable(key, file));
    }
    let kept = tree.child(TEXTS).and_then(|files| match &files.value {
        Value::Table(files) => files.get(file),
        _ => None,
    });
    if let Some(Node { value: Value::String(text), .. }) = kept {
        return Ok(InFile { file, object, text });
    }
    if !texts.contains_key(file) {
        let folder = folder.ok_or("its text is not there")?;
        texts.insert(file.to_owned(), read(&folder.join(file))?);
    }
    Ok(InFile { file, object, text: &texts[file] })
}

/// An empty scenario.
fn nothing() -> Node {
    Node { place: Place::Whole, value: Value::Table(BTreeMap::new()) }
}

/// A traffic model in a file that stands in a folder, and the JSON schema of its table, for those who ask
/// about it without a scenario.
///
/// # Errors
/// In words, what is wrong with the file or the model.
pub fn load_model_in_file(
    folder: &Path,
    name: &str,
) -> Result<(Arc<dyn ModelDeclaration>, serde_json::Value), String> {
    let (tree, mut texts) = (nothing(), BTreeMap::new());
    let file = in_folder(MODEL, name, &tree, folder, &mut texts)?;
    let (_, declaration) = file.load_model()?;
    let schema = DeclaredModels::default().declare(name, Arc::clone(&declaration))?;
    Ok((declaration, schema))
}

/// A congestion controller in a file that stands in a folder: the JSON schema of its table, for those who ask
/// about it without a scenario.
///
/// # Errors
/// In words, what is wrong with the file or the controller.
pub fn load_controller_in_file(folder: &Path, name: &str) -> Result<serde_json::Value, String> {
    let (tree, mut texts) = (nothing(), BTreeMap::new());
    let file = in_folder(CONGESTION, name, &tree, folder, &mut texts)?;
    let (_, declaration) = file.load_controller()?;
    DeclaredControllers::default().declare(name, declaration)
}

/// Hands a file that stands in a folder, and what is meant in it, to whoever asks about a congestion
/// controller there.
///
/// # Errors
/// In words, what is wrong with the file; or what `ask` says.
pub fn with_controller_file<T>(
    folder: &Path,
    name: &str,
    ask: impl FnOnce(&InFile<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let (tree, mut texts) = (nothing(), BTreeMap::new());
    ask(&in_folder(CONGESTION, name, &tree, folder, &mut texts)?)
}

/// Registers a scheme in a file that stands in a folder, for those who ask about a scheme without a scenario;
/// returns the name under which [`aqmlab_aqm::Scheme::names`] lists it.
///
/// # Errors
/// In words, what is wrong with the file or the scheme.
pub fn load_scheme_in_file(folder: &Path, name: &str) -> Result<String, String> {
    let (tree, mut texts) = (nothing(), BTreeMap::new());
    let (name, declaration) = in_folder(SCHEME, name, &tree, folder, &mut texts)?.load()?;
    match register_declared(&name, declaration) {
        Ok(()) | Err(RegistrationError::Taken(_)) => Ok(name),
        Err(error) => Err(error.to_string()),
    }
}

fn read(path: &Path) -> Result<String, String> {
    if is_library(&path.to_string_lossy()) {
        Ok(BASE64_STANDARD.encode(read_bytes(path, LARGEST_CODE_BYTES)?))
    } else {
        read_text(path, LARGEST_CODE_BYTES)
    }
}
