//! Recorded conversations with a kernel, and our endpoint in the kernel's place.
//!
//! A file holds many, each as the text of a conversation (`conversation.rs`) below lines of its own:
//!
//! ```text
//! conversation cubic 17        its group and number
//! about loss 0.06              one of its numbers: how it was drawn, or what happened in it
//! 0.512 > 1001:2001 ack 1      what the kernel sent
//! 0.612 = cwnd 14000           the kernel's window from here on, in bytes, where it was asked
//! 9.500 end                    until here the kernel was watched
//! ```
//!
//! An echo of a timestamp names a segment of the kernel, so that our endpoint is given the timestamp of its
//! own that stands in the same place: its timers may fire some milliseconds apart, and an echo older than a
//! retransmission would say that it was for nothing.

use super::judgement::{Room, Sent, Verdict, judge};
use super::script::Script;
use super::stage::Stage;
use aqmlab_units::{Span, Time};
use std::collections::BTreeMap;

/// Our endpoint goes on for so long after the last line: what it sends late is late, and not missing.
const AFTER_THE_END: Span = Span::from_milliseconds(400);

/// One recorded conversation.
pub(crate) struct Recording<'text> {
    pub(crate) group: &'text str,
    pub(crate) number: &'text str,
    about: BTreeMap<&'text str, f64>,
    script: Script<'text>,
}

/// What happened when the endpoint was given the kernel's part.
pub(crate) struct Replay {
    pub(crate) verdict: Verdict,
    pub(crate) kernel: Vec<Sent>,
    pub(crate) ours: Vec<Sent>,
    /// When and how the kernel's window and ours, in bytes, came to differ for the first time.
    pub(crate) window: Option<(Time, f64, f64)>,
    /// Everything in its order, for people.
    pub(crate) lines: Vec<(Time, String)>,
}

/// The recordings in the text of a file.
pub(crate) fn recordings(text: &str) -> impl Iterator<Item = Recording<'_>> {
    let text = text.split_once("conversation ").map_or("", |(_, rest)| rest);
    text.split("\nconversation ").filter(|text| !text.is_empty()).map(Recording::parse)
}

impl<'text> Recording<'text> {
    fn parse(text: &'text str) -> Self {
        let (title, rest) = text.split_once('\n').expect("lines below a title");
        let (group, number) = title.split_once(' ').expect("a group and a number");
        let script = Script::new(rest);
        let about = script
            .head("about ")
            .map(|line| line.split_once(' ').expect("about NAME NUMBER"))
            .map(|(name, value)| (name, value.parse().expect("a number")))
            .collect();
        Self { group, number, about, script }
    }

    /// One of its numbers, zero where it has none of that name.
    pub(crate) fn about(&self, name: &str) -> f64 {
        self.about.get(name).copied().unwrap_or(0.0)
    }

    /// Whether the kernel sends data and its peer acknowledges them, or the other way round.
    pub(crate) fn kernel_sends(&self) -> bool {
        self.group != "receiver"
    }

    /// Whether the kernel took something for lost and sent it again.
    pub(crate) fn has_losses(&self) -> bool {
        self.about("retransmissions") > 0.0
    }

    /// Plays the peer's part to our endpoint and compares what it sends with what the kernel sent.
    pub(crate) fn replay(&self) -> Replay {
        self.replay_within(if self.kernel_sends() { Room::SENDER } else { Room::RECEIVER })
    }

    /// The same with another room for instants.
    pub(crate) fn replay_within(&self, room: Room) -> Replay {
        let mut player = Player::new(self.script.stage());
        for (number, line) in self.script.events() {
            player
                .line(line)
                .unwrap_or_else(|error| panic!("{} {}, line {number}: {error}", self.group, self.number));
        }
        let end = player.end.expect("a line `end`");
        player.ours_until(end + AFTER_THE_END, true);
        let verdict = judge(&player.kernel, &player.ours, end, room);
        let Player { kernel, ours, window, mut lines, .. } = player;
        lines.sort_by_key(|(at, _)| *at);
        Replay { verdict, kernel, ours, window, lines }
    }
}

struct Player {
    stage: Stage,
    kernel: Vec<Sent>,
    ours: Vec<Sent>,
    kernels_stamps: Vec<Option<u32>>,
    our_stamps: Vec<Option<u32>>,
    window: Option<(Time, f64, f64)>,
    lines: Vec<(Time, String)>,
    end: Option<Time>,
}

impl Player {
    fn new(stage: Stage) -> Self {
        Self {
            stage,
            kernel: Vec::new(),
            ours: Vec::new(),
            kernels_stamps: Vec::new(),
            our_stamps: Vec::new(),
            window: None,
            lines: Vec::new(),
            end: None,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (time, rest) = line.split_once(' ').ok_or("no action")?;
        let now = Time::from_seconds(time.parse().map_err(|_| format!("not a time: {time}"))?);
        let words: Vec<&str> = rest.split_whitespace().collect();
        match words[..] {
            [">", ref segment @ ..] => {
                let text = segment.join(" ");
                self.lines.push((now, format!("kernel > {text}")));
                self.kernels_stamps.push(stamp(&text, "ts"));
                self.kernel.push(sent(now, &text));
            }
            ["=", "cwnd", bytes] => {
                let bytes: f64 = bytes.parse().map_err(|_| format!("not a number: {bytes}"))?;
                let ours = self.stage.window_bytes();
                self.lines.push((now, format!("       = cwnd {bytes}, ours {ours}")));
                if ours != bytes && self.window.is_none() {
                    self.window = Some((now, bytes, ours));
                }
            }
            ["end"] => self.end = Some(now),
            _ => {
                self.ours_until(now, false);
                self.lines.push((now, rest.to_owned()));
                let echo = stamp(rest, "echo").map(|echo| self.our_stamp_for(echo).to_string());
                let words: Vec<&str> = match &echo {
                    Some(echo) => [&words[..words.len() - 1], &[echo]].concat(),
                    None => words,
                };
                self.stage.stimulus(now, &words)?;
                self.collect();
            }
        }
        Ok(())
    }

    /// The timestamp of our segment in the place of the kernel's last one with `stamp`.
    fn our_stamp_for(&self, stamp: u32) -> u32 {
        let place = self.kernels_stamps.iter().rposition(|value| *value == Some(stamp));
        place.and_then(|place| *self.our_stamps.get(place)?).unwrap_or(stamp)
    }

    fn ours_until(&mut self, now: Time, at_it: bool) {
        self.stage.run_timers(now, at_it);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some((at, text)) = self.stage.sent() {
            self.lines.push((at, format!("         ours > {text}")));
            self.our_stamps.push(stamp(&text, "ts"));
            self.ours.push(sent(at, &text));
        }
    }
}

/// The number behind `word` in the text of a segment.
fn stamp(text: &str, word: &str) -> Option<u32> {
    let mut words = text.split(' ').skip_while(|other| *other != word);
    words.nth(1)?.parse().ok()
}

/// A segment without what is not compared: timestamps and its codepoint of ECN.
fn sent(at: Time, text: &str) -> Sent {
    let kept = text.split(" ts ").next().unwrap_or(text);
    Sent { at, what: kept.split_whitespace().filter(|word| *word != "ECT").collect::<Vec<_>>().join(" ") }
}
