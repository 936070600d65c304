//! The header is what cbindgen makes of the library, and a C program that includes it works.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where it is not, the one that it should be stands in a folder of this test.
#[test]
fn the_header_is_that_of_the_library() {
    let folder = crate_folder();
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("cbindgen.toml");
    let header = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs")).generate();
    let mut text = Vec::new();
    header.expect("a header").write(&mut text);
    let (text, path) = (String::from_utf8(text).expect("UTF-8"), folder.join("include/aqmlab_queue.h"));
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aqmlab_queue.h");
    std::fs::write(&made, &text).expect("a file that can be written");
    let stands = std::fs::read_to_string(&path).expect("a header");
    assert!(stands == text, "mend it: cp {} {}", made.display(), path.display());
}

/// The shared library that Cargo has built beside this test.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folders = test.ancestors().skip(1).take(2).map(Path::to_path_buf);
    let name = format!("{}aqmlab_queue{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let found = folders.into_iter().find(|folder| folder.join(&name).exists());
    found.unwrap_or_else(|| panic!("{name} is not beside {}", test.display()))
}

fn output(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(1) && output.status.code().is_some(), "{command:?}: {said}");
    output
}

/// The example's line is offered 10/9 of what it carries, for ten seconds: 11,112 packets, of which it can
/// send 10,000. CoDel's target is 5 ms, its interval 100 ms.
#[test]
fn the_example_in_c_keeps_every_packet_and_a_short_queue() {
    let made = tempfile::tempdir().expect("a folder");
    let (program, library) = (made.path().join("home_line"), library_folder());
    let (include, source) = (crate_folder().join("include"), crate_folder().join("examples/home_line.c"));
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg(source)
        .arg("-I")
        .arg(include);
    compiler.arg("-L").arg(&library).arg("-laqmlab_queue").arg(format!("-Wl,-rpath,{}", library.display()));
    output(compiler.arg("-o").arg(&program));
    let ran = output(&mut Command::new(&program));
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    let number = |name: &str| -> u64 {
        let behind = text.split(&format!("{name} ")).nth(1).and_then(|rest| rest.split_whitespace().next());
        behind.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name}: {text}"))
    };
    assert_eq!(number("arrived"), 11_112);
    assert_eq!(number("sent") + number("discarded") + number("waiting"), 11_112, "{text}");
    assert_eq!(number("handed back"), number("discarded") + number("waiting"), "{text}");
    assert!(number("sent") >= 9_990, "the line was full: {text}");
    assert!(number("longest wait") < 100_000, "drop-tail would wait a second: {text}");
    let refused = output(Command::new(&program).arg(r#"{"scheme": "codel", "limit": 3}"#));
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("limit_packets"), "the keys are listed");
}
