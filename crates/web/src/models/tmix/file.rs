//! Connection vectors from a file, in either of Tmix's two forms.
//!
//! | original | alternate | meaning |
//! | --- | --- | --- |
//! | `SEQ start epochs id id` | `S start epochs id id` | a sequential connection begins, at so many microseconds |
//! | `CONC start initiator acceptor id id` | `C …` | a concurrent one; how many data units each end has is passed over, and so are the numbers |
//! | `r us` | `r us` | round-trip time |
//! | `w bytes bytes`, `l share share`, `m bytes bytes` | the same | windows, loss rates, segment sizes: passed over |
//! | `> bytes`, `< bytes` | `I us us bytes`, `A us us bytes` | data of the initiator, of the acceptor; in the alternate form behind waits after its own write and after an arrival, and 0 bytes are a close |
//! | `t us` | | the time between two data units, or before the close |
//! | `c> bytes`, `c< bytes`, `t> us`, `t< us` | | the same of each end of a concurrent connection |
//!
//! What follows a `#` is passed over.

use crate::connection_vector::{ConnectionVector, Party, Step};
use crate::{FileError, LoadFile};
use aqmlab_units::Span;

/// The parameter that names the file.
const KEY: &str = "vectors_file";
/// Ten million seconds, in microseconds.
const LONGEST_US: u64 = 10_000_000_000_000;
/// Sizes are numbers of 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;
/// What such a file must hold.
const LEGAL: &str = "connection vectors of Tmix, in the original form or the alternate one";

/// Reads the vectors of a file; with `round_trips` each has to have a round-trip time.
pub(super) fn parse(
    path: &str,
    round_trips: bool,
    load_file: &LoadFile<'_>,
) -> Result<Vec<ConnectionVector>, FileError> {
    let refuse = |line, reason| FileError { key: KEY, path: path.to_owned(), line, reason, legal: LEGAL };
    let text = load_file(path).map_err(|reason| refuse(None, reason))?;
    let (mut vectors, mut draft): (Vec<ConnectionVector>, Option<Draft>) = (Vec::new(), None);
    let mut finish = |draft: Option<Draft>| -> Result<(), FileError> {
        let Some(draft) = draft else { return Ok(()) };
        let line = draft.line;
        vectors.push(draft.finished(round_trips).map_err(|reason| refuse(Some(line), reason))?);
        Ok(())
    };
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(word) = words.next() else { continue };
        let numbers: Vec<&str> = words.collect();
        if let "SEQ" | "S" | "CONC" | "C" = word {
            finish(draft.take())?;
            let begun = Draft::begin(word, &numbers, line_number);
            draft = Some(begun.map_err(|reason| refuse(Some(line_number), reason))?);
            continue;
        }
        let vector = draft.as_mut().ok_or_else(|| {
            refuse(Some(line_number), format!("\"{word}\" before the first connection (SEQ, CONC, S or C)"))
        })?;
        vector.take(word, &numbers).map_err(|reason| refuse(Some(line_number), reason))?;
    }
    finish(draft.take())?;
    if vectors.is_empty() {
        return Err(refuse(None, "there is no connection".to_owned()));
    }
    Ok(vectors)
}

/// A vector that is being read.
struct Draft {
    line: usize,
    concurrent: bool,
    starts: Span,
    round_trip: Option<Span>,
    tracks: [Vec<Step>; 2],
    /// The time that was read behind the last data, of each track.
    pending: [Option<Span>; 2],
}

impl Draft {
    fn begin(word: &str, numbers: &[&str], line: usize) -> Result<Self, String> {
        let concurrent = word.starts_with('C');
        let columns: &[&str] = if concurrent {
            &["start", "data units of the initiator", "of the acceptor", "id", "id"]
        } else {
            &["start", "epochs", "id", "id"]
        };
        let all = whole_numbers(word, numbers, columns, LONGEST_US)?;
        let starts = Span::from_microseconds(all[0]);
        Ok(Self {
            line,
            concurrent,
            starts,
            round_trip: None,
            tracks: Default::default(),
            pending: [None; 2],
        })
    }

    /// A line behind the first.
    fn take(&mut self, word: &str, numbers: &[&str]) -> Result<(), String> {
        match (word, self.concurrent) {
            ("r", _) => {
                let us = whole_numbers(word, numbers, &["round-trip time"], LONGEST_US)?[0];
                self.round_trip = Some(Span::from_microseconds(us));
                Ok(())
            }
            ("w" | "m", _) => {
                whole_numbers(word, numbers, &["of the initiator", "of the acceptor"], MOST_BYTES).map(drop)
            }
            ("l", _) => shares(numbers),
            (">" | "c>", concurrent) if concurrent == (word == "c>") => {
                self.data(Party::Initiator, size(word, numbers)?)
            }
            ("<" | "c<", concurrent) if concurrent == (word == "c<") => {
                self.data(Party::Acceptor, size(word, numbers)?)
            }
            ("t", false) => self.time(0, time(word, numbers)?),
            ("t>", true) => self.time(0, time(word, numbers)?),
            ("t<", true) => self.time(1, time(word, numbers)?),
            ("I", _) => self.alternate(Party::Initiator, word, numbers),
            ("A", _) => self.alternate(Party::Acceptor, word, numbers),
            (_, true) => {
                Err(format!("\"{word}\" in a concurrent connection, where c>, c<, t>, t<, I and A are legal"))
            }
            (_, false) => {
                Err(format!("\"{word}\" in a sequential connection, where >, <, t, I and A are legal"))
            }
        }
    }

    const fn track_of(&self, party: Party) -> usize {
        match party {
            Party::Acceptor if self.concurrent => 1,
            _ => 0,
        }
    }

    /// Data of the original form.
    fn data(&mut self, party: Party, bytes: u64) -> Result<(), String> {
        let track = self.track_of(party);
        let wait = self.pending[track].take().unwrap_or(Span::ZERO);
        self.push(Step { party, wait, bytes })
    }

    /// A time of the original form.
    fn time(&mut self, track: usize, time: Span) -> Result<(), String> {
        if !self.concurrent && self.tracks[0].is_empty() {
            return Err("a time before the first data".to_owned());
        }
        match self.pending[track].replace(time) {
            Some(_) => Err("a time after a time".to_owned()),
            None => Ok(()),
        }
    }

    /// A line of the alternate form.
    fn alternate(&mut self, party: Party, word: &str, numbers: &[&str]) -> Result<(), String> {
        let columns = ["wait after its write", "wait after an arrival", "bytes"];
        let all = whole_numbers(word, numbers, &columns, LONGEST_US)?;
        let [behind_own, behind_arrival, bytes] = all[..] else { unreachable!("there are three") };
        if bytes > MOST_BYTES {
            return Err(format!("bytes {bytes}, legal are 0 to {MOST_BYTES}"));
        }
        let before = self.tracks[self.track_of(party)].last().map(|step| step.party);
        let (wait, meaningless) = match before {
            None => (behind_own.max(behind_arrival), 0),
            Some(before) if before == party => (behind_own, behind_arrival),
            Some(_) => (behind_arrival, behind_own),
        };
        if meaningless > 0 {
            let own = before == Some(party);
            let [here, there] =
                if own { ["an arrival", "its own data"] } else { ["its own data", "the other's"] };
            return Err(format!("a wait of {meaningless} us behind {here}, and before it come {there}"));
        }
        self.push(Step { party, wait: Span::from_microseconds(wait), bytes })
    }

    fn push(&mut self, step: Step) -> Result<(), String> {
        let track = &mut self.tracks[self.track_of(step.party)];
        let closed = track.last().is_some_and(|last| last.bytes == 0);
        if closed && step.bytes > 0 {
            return Err("data behind a close".to_owned());
        }
        // The other end closes when it learns of the first close.
        if !closed {
            track.push(step);
        }
        Ok(())
    }

    /// The vector, each of whose tracks ends with a close.
    fn finished(mut self, round_trips: bool) -> Result<ConnectionVector, String> {
        if self.tracks.iter().flatten().all(|step| step.bytes == 0) {
            return Err("a connection without data".to_owned());
        }
        if round_trips && self.round_trip.is_none() {
            return Err("a connection without a round-trip time (a line r)".to_owned());
        }
        for (track, pending) in self.tracks.iter_mut().zip(self.pending) {
            let Some(&last) = track.last() else { continue };
            if last.bytes > 0 {
                track.push(Step { party: last.party, wait: pending.unwrap_or(Span::ZERO), bytes: 0 });
            }
        }
        let Self { line: _, starts, round_trip, tracks, .. } = self;
        Ok(ConnectionVector { starts, round_trip, tracks })
    }
}

fn size(word: &str, numbers: &[&str]) -> Result<u64, String> {
    numbers_within(word, numbers, &["bytes"], (1, MOST_BYTES)).map(|all| all[0])
}

fn time(word: &str, numbers: &[&str]) -> Result<Span, String> {
    whole_numbers(word, numbers, &["time"], LONGEST_US).map(|all| Span::from_microseconds(all[0]))
}

fn whole_numbers(word: &str, numbers: &[&str], columns: &[&str], most: u64) -> Result<Vec<u64>, String> {
    numbers_within(word, numbers, columns, (0, most))
}

/// The numbers of a line, as many as there are columns.
fn numbers_within(
    word: &str,
    numbers: &[&str],
    columns: &[&str],
    (least, most): (u64, u64),
) -> Result<Vec<u64>, String> {
    if numbers.len() != columns.len() {
        let expected = columns.join(", ");
        return Err(format!("expected {expected} after \"{word}\", found {} numbers", numbers.len()));
    }
    let number = |(text, column): (&&str, &&str)| {
        let value = text.parse().ok().filter(|value| (least..=most).contains(value));
        value.ok_or_else(|| format!("{column} \"{text}\", legal are {least} to {most}"))
    };
    numbers.iter().zip(columns).map(number).collect()
}

fn shares(numbers: &[&str]) -> Result<(), String> {
    let legal = |text: &&str| text.parse::<f64>().is_ok_and(|share| (0.0..=1.0).contains(&share));
    if numbers.len() == 2 && numbers.iter().all(legal) {
        return Ok(());
    }
    Err(format!("expected two loss rates of 0 to 1 after \"l\", found \"{}\"", numbers.join(" ")))
}
