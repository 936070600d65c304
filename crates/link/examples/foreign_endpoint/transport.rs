//! A small transport without I/O that knows nothing of this workspace: one file, integers, bytes.
//!
//! It stands for yours. It has what QUIC has, in little: packet numbers, an acknowledgement for each packet,
//! losses by packet threshold and probe time-out (RFC 9002, sections 6.1.1 and 6.2), slow start and
//! NewReno's congestion avoidance (section 7), and a reaction to ECN's marks (section 7.1).

use std::collections::{BTreeMap, BTreeSet};

/// Payload bytes of a full datagram.
const FULL: usize = 1200;
/// A packet is lost when one so much later was acknowledged.
const REORDERING: u64 = 3;
const DATA: u8 = 0;
const ACKNOWLEDGEMENT: u8 = 1;

/// One end of a transfer. Time is in nanoseconds.
pub(crate) struct Endpoint {
    /// Pieces of the transfer that are to be sent, again or for the first time.
    unsent: BTreeSet<u64>,
    next_number: u64,
    /// Sent and neither acknowledged nor lost: piece and instant, by packet number.
    in_flight: BTreeMap<u64, (u64, u64)>,
    window: f64,
    threshold: f64,
    /// Losses of packets before this one have been answered.
    recovered: u64,
    smoothed_rtt: Option<f64>,
    marks_seen: u64,
    probes: u32,
    /// What the other end has to be told: packet number, and marks so far.
    answers: Vec<(u64, u64)>,
    marks: u64,
    received: BTreeSet<u64>,
}

impl Endpoint {
    /// An end with so many full pieces to send; 0 for one that receives.
    pub(crate) fn new(pieces: u64) -> Self {
        Self {
            unsent: (0..pieces).collect(),
            next_number: 0,
            in_flight: BTreeMap::new(),
            window: 10.0,
            threshold: f64::INFINITY,
            recovered: 0,
            smoothed_rtt: None,
            marks_seen: 0,
            probes: 0,
            answers: Vec::new(),
            marks: 0,
            received: BTreeSet::new(),
        }
    }

    /// How many pieces have arrived here.
    pub(crate) fn received(&self) -> usize {
        self.received.len()
    }

    /// Whether everything was sent and acknowledged.
    pub(crate) fn is_done(&self) -> bool {
        self.unsent.is_empty() && self.in_flight.is_empty()
    }

    /// The next datagram to send, if there is one.
    pub(crate) fn poll_transmit(&mut self, now: u64) -> Option<Vec<u8>> {
        if let Some((number, marks)) = self.answers.pop() {
            return Some(datagram(ACKNOWLEDGEMENT, number, marks, 17));
        }
        if self.in_flight.len() as f64 >= self.window {
            return None;
        }
        let piece = self.unsent.pop_first()?;
        let number = self.next_number;
        self.next_number += 1;
        self.in_flight.insert(number, (piece, now));
        Some(datagram(DATA, number, piece, FULL))
    }

    /// A datagram has come, with or without a mark of ECN. What is no datagram of this transport is ignored.
    pub(crate) fn handle_datagram(&mut self, now: u64, datagram: &[u8], marked: bool) {
        let word = |at: usize| Some(u64::from_be_bytes(datagram.get(at..at + 8)?.try_into().ok()?));
        let (Some(&kind), Some(number), Some(other)) = (datagram.first(), word(1), word(9)) else { return };
        if kind == DATA {
            self.marks += u64::from(marked);
            self.received.insert(other);
            self.answers.push((number, self.marks));
        } else {
            self.on_acknowledgement(now, number, other);
        }
    }

    /// When to call [`Endpoint::handle_timeout`].
    pub(crate) fn poll_timeout(&self) -> Option<u64> {
        let (_, sent) = self.in_flight.values().max_by_key(|(_, sent)| *sent)?;
        let wait = 2.0 * self.smoothed_rtt.unwrap_or(333e6) + 25e6;
        Some(sent + ((wait as u64) << self.probes.min(6)))
    }

    /// Nothing was heard for long: sends the oldest packet again.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        if self.poll_timeout().is_none_or(|due| due > now) {
            return;
        }
        self.probes += 1;
        if let Some((_, (piece, _))) = self.in_flight.pop_first() {
            self.unsent.insert(piece);
        }
    }

    fn on_acknowledgement(&mut self, now: u64, number: u64, marks: u64) {
        let Some((_, sent)) = self.in_flight.remove(&number) else { return };
        self.probes = 0;
        let rtt = (now - sent) as f64;
        self.smoothed_rtt = Some(self.smoothed_rtt.map_or(rtt, |before| 0.875 * before + 0.125 * rtt));
        self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
        let first_kept = (number + 1).saturating_sub(REORDERING);
        let lost: Vec<u64> = self.in_flight.range(..first_kept).map(|(number, _)| *number).collect();
        for number in &lost {
            let (piece, _) = self.in_flight.remove(number).expect("it is in flight");
            self.unsent.insert(piece);
        }
        if marks > self.marks_seen || !lost.is_empty() {
            self.marks_seen = self.marks_seen.max(marks);
            let last = lost.last().copied().unwrap_or(number);
            if last >= self.recovered {
                self.window = (self.window / 2.0).max(2.0);
                self.threshold = self.window;
                self.recovered = self.next_number;
            }
        }
    }
}

fn datagram(kind: u8, number: u64, other: u64, bytes: usize) -> Vec<u8> {
    let mut datagram = vec![kind];
    datagram.extend(number.to_be_bytes());
    datagram.extend(other.to_be_bytes());
    datagram.resize(bytes, 0);
    datagram
}
