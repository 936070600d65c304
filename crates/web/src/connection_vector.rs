//! What the two ends of a connection write, and when.

use aqmlab_units::Span;

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The one that opens it.
    Initiator,
    /// The one that it is opened to.
    Acceptor,
}

/// What an end does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which end.
    pub party: Party,
    /// How long after the step before it: after its write if that was of the same end, else after its
    /// arrival. Of the first, after the connection is open at this end.
    pub wait: Span,
    /// How much it writes, below 2³²; 0: it closes.
    pub bytes: u64,
}

/// A connection to be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionVector {
    /// From the start of the trace.
    pub starts: Span,
    /// The round-trip time, if the vector has one.
    pub round_trip: Option<Span>,
    /// Of a sequential connection all steps, and none; of a concurrent one those of the initiator, and those
    /// of the acceptor.
    pub tracks: [Vec<Step>; 2],
}

impl ConnectionVector {
    /// The request and the response of an exchange that begins with this step of a sequential connection:
    /// data of the initiator that the acceptor answers.
    #[must_use]
    pub fn exchange_at(&self, step: usize) -> Option<(u32, u64)> {
        let [steps, of_acceptor] = &self.tracks;
        let [request, response] = [steps.get(step)?, steps.get(step + 1)?];
        let asked = request.party == Party::Initiator && response.party == Party::Acceptor;
        let exchange = of_acceptor.is_empty() && asked && request.bytes > 0 && response.bytes > 0;
        u32::try_from(request.bytes).ok().filter(|_| exchange).map(|request| (request, response.bytes))
    }

    /// How many exchanges it has.
    pub(super) fn exchanges(&self) -> usize {
        (0..self.tracks[0].len()).filter(|&step| self.exchange_at(step).is_some()).count()
    }

    /// Bytes of both ends together.
    pub(super) fn bytes(&self) -> u64 {
        self.tracks.iter().flatten().map(|step| step.bytes).sum()
    }
}
