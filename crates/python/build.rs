//! Digests the sources that decide what a run computes, so that stored results of other sources are not reused.

use std::fs;
use std::path::{Path, PathBuf};

// Everything that a run's result depends on; `python` only converts.
const CRATES: [&str; 8] = ["units", "random", "aqm", "tcp", "web", "scenario", "record", "sim"];
const UNRELATED: [&str; 4] = ["tests", "benches", "examples", "proptest-regressions"];

fn main() {
    // Relative, as Cargo runs this in the package's folder: a checkout that moves with its target folder stays right.
    let root = PathBuf::from("../..");
    let mut files = vec![root.join("Cargo.lock")];
    for name in CRATES {
        let folder = root.join("crates").join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files);
    }
    println!("cargo::rerun-if-changed={}", files[0].display());
    files.sort();
    println!("cargo::rustc-env=AQMLAB_SOURCE_DIGEST={:016x}", digest(&root, &files));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            if !UNRELATED.iter().any(|name| path.ends_with(name)) {
                collect(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}

/// FNV-1a, 64 bits, over names and contents: it guards against mistakes, not against malice.
fn digest(root: &Path, files: &[PathBuf]) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        let content = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for byte in name.bytes().chain([0]).chain(content).chain([0]) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    state
}
