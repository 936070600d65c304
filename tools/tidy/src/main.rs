//! `cargo run -p aqmlab-tidy [folder]`: lists what is wrong with the sources, and fails if anything is.

use aqmlab_tidy::{Tree, findings};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> io::Result<ExitCode> {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::args_os().nth(1).map_or(workspace, PathBuf::from);
    let findings = findings(&Tree::read(&root)?);
    let mut out = io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}\n")?;
    }
    writeln!(out, "{} findings", findings.len())?;
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
