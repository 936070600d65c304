//! Digests the sources that decide what a run computes, so that stored results of other sources are not
//! reused.
//!
//! There are three kinds of digest: of all sources, which is part of the version; of each scheme of queue
//! management; and of the core, which is everything but the schemes. A run depends on the core and on the
//! schemes that stand in its network, so a scheme may be added or changed without a word about the stored
//! runs of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

// These make a run's result, with all crates that their manifests name; `python` only converts.
const MAKE_RESULTS: [&str; 2] = ["sim", "plugin"];
const UNRELATED: [&str; 4] = ["tests", "benches", "examples", "proptest-regressions"];
const ALGORITHMS: &str = "crates/aqm/src/algorithms";

/// Contents of files by their names, seen from the root.
type Sources = BTreeMap<String, Vec<u8>>;

/// A line of the list of schemes: `"red" => red::Red,`.
struct Registered {
    line: String,
    name: String,
    module: String,
}

fn main() {
    // Relative, as Cargo runs this in the package's folder: a checkout that moves with its target folder
    // stays right.
    let root = PathBuf::from("../..");
    let mut files = vec![root.join("Cargo.lock")];
    for name in crates_behind_results(&root) {
        for path in related(&root.join("crates").join(name)) {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(path, &mut files);
        }
    }
    println!("cargo::rerun-if-changed={}", files[0].display());
    let sources: Sources = files.iter().map(|file| (name_of(&root, file), read(file))).collect();
    let (core, schemes) = apart(&sources);
    println!("cargo::rustc-env=AQMLAB_SOURCE_DIGEST={:016x}", digest(&sources));
    println!("cargo::rustc-env=AQMLAB_CORE_DIGEST={:016x}", digest(&core));
    let schemes: Vec<String> =
        schemes.iter().map(|(name, files)| format!("{name}={:016x}", digest(files))).collect();
    println!("cargo::rustc-env=AQMLAB_SCHEME_DIGESTS={}", schemes.join(" "));
}

/// The crates that make results, those that they depend on, and so on.
fn crates_behind_results(root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut unread: Vec<String> = MAKE_RESULTS.map(str::to_owned).into();
    while let Some(name) = unread.pop() {
        let manifest = read(&root.join("crates").join(&name).join("Cargo.toml"));
        if found.insert(name) {
            unread.extend(dependencies(&String::from_utf8_lossy(&manifest)));
        }
    }
    found
}

/// The crates of this workspace that a manifest names as dependencies, without their common prefix.
fn dependencies(manifest: &str) -> Vec<String> {
    let (before_tests, _) = manifest.split_once("\n[dev-dependencies]").unwrap_or((manifest, ""));
    let (_, after) = before_tests.split_once("\n[dependencies]\n").unwrap_or_default();
    let lines = after.lines().take_while(|line| !line.starts_with('['));
    let named = lines.filter_map(|line| line.strip_prefix("aqmlab-")?.split(['.', ' ', '=']).next());
    let named: Vec<String> = named.map(str::to_owned).collect();
    // The package's own name is one more. A crate that was passed over would be missed by stored results.
    // What a feature turns on is named among the dependencies too.
    let features = before_tests.split_once("\n[features]\n").map_or("", |(_, after)| after);
    let features = features.split("\n[").next().unwrap_or_default();
    let mentioned = before_tests.matches("aqmlab-").count() - features.matches("aqmlab-").count();
    assert_eq!(mentioned, named.len() + 1, "a dependency in a form that is not known here: {manifest}");
    named
}

/// A file, or all files below a folder.
fn collect(path: PathBuf, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        related(&path).into_iter().for_each(|path| collect(path, files));
    } else {
        files.push(path);
    }
}

/// What lies in a folder and may change a result.
fn related(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.filter(|path| !UNRELATED.iter().any(|name| path.ends_with(name))).collect()
}

fn name_of(root: &Path, file: &Path) -> String {
    let name = file.strip_prefix(root).expect("below the root").to_string_lossy();
    name.replace(std::path::MAIN_SEPARATOR, "/")
}

fn read(file: &Path) -> Vec<u8> {
    fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The core's sources, and those of each scheme by its name: its line in the list, its file, and the files of
/// the schemes that it builds on. A scheme that the core itself names is part of the core.
fn apart(sources: &Sources) -> (Sources, BTreeMap<String, Sources>) {
    let list = format!("{ALGORITHMS}/mod.rs");
    let (without_lines, registered) = registered(&String::from_utf8_lossy(&sources[&list]));
    let mut core = sources.clone();
    core.insert(list, without_lines.into_bytes());
    let modules: BTreeSet<&str> = registered.iter().map(|scheme| scheme.module.as_str()).collect();
    for module in &modules {
        core.retain(|name, _| !is_of(name, module));
    }
    let named_by_core: BTreeSet<&str> = core.values().flat_map(|content| named(content, &modules)).collect();
    core.extend(files_of(sources, &named_by_core));
    let own = |scheme: &Registered| {
        let mut files = files_of(sources, &built_on(sources, &scheme.module, &modules));
        files.insert("its line".to_owned(), scheme.line.clone().into_bytes());
        (scheme.name.clone(), files)
    };
    (core, registered.iter().map(own).collect())
}

/// The list of schemes without its lines, and the lines.
fn registered(list: &str) -> (String, Vec<Registered>) {
    let (before, block) = list.split_once("\nregister! {\n").expect("the list of schemes begins so");
    let (lines, after) = block.split_once("\n}\n").expect("the list of schemes has an end");
    let scheme = |line: &str| {
        let (name, path) = line.trim().split_once(" => ").expect("a line is `\"name\" => module::Scheme,`");
        let (module, _) = path.split_once("::").expect("a line is `\"name\" => module::Scheme,`");
        let name = name.trim_matches('"').to_owned();
        Registered { line: line.trim().to_owned(), name, module: module.to_owned() }
    };
    (format!("{before}\n{after}"), lines.lines().map(scheme).collect())
}

/// Whether a file is the module's, `red.rs` or one in the folder `red`.
fn is_of(name: &str, module: &str) -> bool {
    let rest = name.strip_prefix(ALGORITHMS).and_then(|rest| rest.strip_prefix('/')?.strip_prefix(module));
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn files_of(sources: &Sources, modules: &BTreeSet<&str>) -> Sources {
    let chosen = sources.iter().filter(|(name, _)| modules.iter().any(|module| is_of(name, module)));
    chosen.map(|(name, content)| (name.clone(), content.clone())).collect()
}

/// The module and those that it names, and those that they name.
fn built_on<'a>(sources: &Sources, module: &'a str, modules: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut all = BTreeSet::from([module]);
    loop {
        let files = files_of(sources, &all);
        let more: BTreeSet<&str> = files.values().flat_map(|content| named(content, modules)).collect();
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            return all;
        }
    }
}

/// The modules that a source names in its code: `super::red`, `algorithms::red`.
fn named<'a>(content: &[u8], modules: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let text = String::from_utf8_lossy(content);
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let is_named = |module: &str| {
        let after = |path: &str| code.iter().any(|line| names_after(line, path, module));
        after("super::") || after("algorithms::") || after("{") || after(", ")
    };
    modules.iter().copied().filter(|module| is_named(module)).collect()
}

/// Whether `path` stands in the line with the module right behind it, as a path: `super::red::`.
fn names_after(line: &str, path: &str, module: &str) -> bool {
    let starts = line.match_indices(path).map(|(start, _)| &line[start + path.len()..]);
    starts.filter_map(|rest| rest.strip_prefix(module)).any(|rest| rest.starts_with("::"))
}

/// FNV-1a, 64 bits, over names and contents: it guards against mistakes, not against malice.
fn digest(sources: &Sources) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for (name, content) in sources {
        for byte in name.bytes().chain([0]).chain(content.iter().copied()).chain([0]) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    state
}
