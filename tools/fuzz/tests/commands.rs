//! What the command line says of words that it does not know: a campaign that ignored one would be another
//! campaign.

use std::process::{Command, Output};

fn answer(words: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_aqmlab-fuzz")).args(words).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn help_is_given_and_nothing_is_run() {
    for words in [&["--help"][..], &["networks", "--help"], &["networks", "--cases", "1", "-h"], &[]] {
        let (code, told, wrong) = answer(words);
        assert_eq!((code, wrong.as_str()), (Some(0), ""), "{words:?}");
        assert!(told.starts_with("aqmlab-fuzz networks [--cases N]") && !told.contains("passed"), "{told}");
    }
}

#[test]
fn what_is_not_understood_is_named_and_nothing_is_run() {
    for (words, what) in [
        (&["network"][..], "network: no command"),
        (&["replay", "1:2", "3"], "replay: no command, or not so many words behind it"),
        (&["networks", "--cases", "1", "--sede", "2"], "--sede: no option of networks"),
        (&["networks", "--cases"], "--cases: its value is missing"),
        (&["networks", "--cases", "-1"], "--cases: \"-1\" is no whole number"),
        (&["networks", "--hours", "inf"], "--hours: \"inf\" is no number of hours"),
    ] {
        let (code, told, wrong) = answer(words);
        assert_eq!((code, told.as_str()), (Some(2), ""), "{words:?}");
        assert!(wrong.starts_with(what), "{words:?}: {wrong}");
    }
}
