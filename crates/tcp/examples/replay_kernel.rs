//! `make crosscheck-kernel`: recorded conversations with a kernel, played to our endpoint in its place.
//!
//! `replay_kernel FILE... [--differences N]` prints a table of groups and the first difference of N
//! conversations (default 5); `--show GROUP NUMBER` prints one conversation from its beginning. Exits with 0
//! whatever it finds: floors are the tests'.
#![allow(clippy::print_stdout, reason = "a program whose answer is text")]

#[path = "../tests/replay/mod.rs"]
mod replay;

use aqmlab_units::{Span, Time};
use replay::file;
use replay::recording::{Recording, Replay, recordings};
use replay::table::Table;
use std::path::Path;
use std::process::ExitCode;

/// Lines shown before a difference, and how long after it.
const LINES_BEFORE: usize = 14;
const AFTER: Span = Span::from_milliseconds(20);

struct Request {
    files: Vec<String>,
    differences: usize,
    show: Option<(String, String)>,
}

fn main() -> ExitCode {
    match request(std::env::args().skip(1)).and_then(|request| answer(&request)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}\nreplay_kernel FILE... [--differences N] [--show GROUP NUMBER]");
            ExitCode::from(2)
        }
    }
}

fn request(mut words: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut request = Request { files: Vec::new(), differences: 5, show: None };
    while let Some(word) = words.next() {
        let mut value = |what: &str| words.next().ok_or(format!("{word} needs {what}"));
        match word.as_str() {
            "--differences" => {
                let count = value("a number")?;
                request.differences =
                    count.parse().map_err(|_| format!("--differences needs a number, not {count}"))?;
            }
            "--show" => request.show = Some((value("a group")?, value("a number")?)),
            _ => request.files.push(word),
        }
    }
    if request.files.is_empty() { Err("no file of recordings".into()) } else { Ok(request) }
}

fn answer(request: &Request) -> Result<(), String> {
    let mut table = Table::new();
    let mut differences = Vec::new();
    for file in &request.files {
        let text = file::text(Path::new(file))?;
        for line in text.lines().take_while(|line| line.starts_with('#')) {
            println!("{line}");
        }
        for recording in recordings(&text) {
            let replay = recording.replay();
            if let Some((group, number)) = &request.show {
                if recording.group == group && recording.number == number {
                    print_lines(&recording, &replay);
                }
                continue;
            }
            table.add(&recording, &replay);
            if !replay.verdict.is_identical() && differences.len() < request.differences {
                differences.push(difference(&recording, &replay));
            }
        }
    }
    if request.show.is_none() {
        println!("{table}");
        differences.iter().for_each(|text| println!("{text}"));
    }
    Ok(())
}

/// Where a conversation first differs, with what went before.
fn difference(recording: &Recording<'_>, replay: &Replay) -> String {
    let mut text = format!("{} {}: {}\n", recording.group, recording.number, replay.verdict);
    if let Some((at, kernel, ours)) = replay.window {
        text += &format!("  first window apart: at {:.4} s kernel {kernel}, ours {ours}\n", at.seconds());
    }
    let at = replay.verdict.at().unwrap_or(Time::MAX);
    let seen = replay.lines.iter().take_while(|(time, _)| *time <= at + AFTER).count();
    let before = replay.lines.iter().take_while(|(time, _)| *time < at).count();
    for (time, line) in &replay.lines[before.saturating_sub(LINES_BEFORE)..seen] {
        text += &format!("  {:9.4}  {line}\n", time.seconds());
    }
    text
}

fn print_lines(recording: &Recording<'_>, replay: &Replay) {
    println!("{} {}: {}", recording.group, recording.number, replay.verdict);
    for (time, line) in &replay.lines {
        println!("  {:9.4}  {line}", time.seconds());
    }
}
