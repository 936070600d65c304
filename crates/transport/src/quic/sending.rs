//! What the application has written on the streams of an end, and which of it is handed over next.

use crate::{StreamId, Urgency};
use std::collections::BTreeMap;

/// A stream that this end writes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// Bytes that are not handed over yet.
    pub(super) waiting: u64,
    /// Bytes that are.
    pub(super) handed_over: u64,
    pub(super) urgency: Urgency,
    /// Nothing follows what is waiting.
    pub(super) is_finished: bool,
}

/// Streams that cannot go on until the peer says more.
#[derive(Debug, Default)]
pub(super) struct Blocked {
    /// The peer has no room for what follows on them.
    pub(super) streams: Vec<StreamId>,
    /// No stream of this number or above can be opened.
    pub(super) from: Option<StreamId>,
}

impl Blocked {
    fn has(&self, stream: StreamId) -> bool {
        self.from.is_some_and(|from| stream >= from) || self.streams.contains(&stream)
    }
}

/// All streams that this end writes on, until their end is handed over.
#[derive(Debug, Default)]
pub(super) struct Sending {
    streams: BTreeMap<StreamId, Written>,
    /// Of streams on which nothing is written yet.
    urgencies: BTreeMap<StreamId, Urgency>,
    /// Streams whose end was handed over.
    ended: u64,
    /// Who had its turn last.
    last: Option<StreamId>,
}

impl Sending {
    pub(super) fn write(&mut self, stream: StreamId, bytes: u64) {
        let urgency = self.urgencies.remove(&stream).unwrap_or(Urgency::DEFAULT);
        let new = Written { waiting: 0, handed_over: 0, urgency, is_finished: false };
        let written = self.streams.entry(stream).or_insert(new);
        written.waiting = written.waiting.saturating_add(bytes);
    }

    pub(super) fn prioritize(&mut self, stream: StreamId, urgency: Urgency) {
        match self.streams.get_mut(&stream) {
            Some(written) => written.urgency = urgency,
            None => {
                self.urgencies.insert(stream, urgency);
            }
        }
    }

    pub(super) fn finish(&mut self, stream: StreamId) {
        if let Some(written) = self.streams.get_mut(&stream) {
            written.is_finished = true;
        }
    }

    pub(super) fn finish_all(&mut self) {
        self.streams.values_mut().for_each(|written| written.is_finished = true);
    }

    /// Takes back what waits.
    pub(super) fn withdraw(&mut self) {
        self.streams.values_mut().for_each(|written| written.waiting = 0);
    }

    pub(super) fn waiting(&self) -> u64 {
        self.streams.values().fold(0, |sum, written| sum.saturating_add(written.waiting))
    }

    /// How many streams this end has written on.
    pub(super) fn count(&self) -> u64 {
        self.ended + self.streams.len() as u64
    }

    /// Whether the end of each was handed over.
    pub(super) fn have_all_ended(&self) -> bool {
        self.streams.is_empty()
    }

    /// Whose turn it is, among those that have something to hand over and are not `blocked`: the most urgent,
    /// and of those the one behind who had its turn last, round and round.
    pub(super) fn next(&self, blocked: &Blocked) -> Option<(StreamId, Written)> {
        let is_ready = |(stream, written): &(&StreamId, &Written)| {
            let has_something = written.waiting > 0 || written.is_finished;
            has_something && !blocked.has(**stream)
        };
        let urgent = self.streams.iter().filter(is_ready).map(|(_, written)| written.urgency).min()?;
        let ready = || self.streams.iter().filter(is_ready).filter(|(_, written)| written.urgency == urgent);
        let behind = ready().find(|(stream, _)| self.last.is_some_and(|last| **stream > last));
        let (stream, written) = behind.or_else(|| ready().next())?;
        Some((*stream, *written))
    }

    /// So many bytes of a stream were handed over, and perhaps its end.
    pub(super) fn handed_over(&mut self, stream: StreamId, bytes: u64, has_ended: bool) {
        self.last = Some(stream);
        if has_ended {
            self.streams.remove(&stream);
            self.ended += 1;
        } else if let Some(written) = self.streams.get_mut(&stream) {
            written.waiting -= bytes;
            written.handed_over += bytes;
        }
    }
}
