//! A link without a queue discipline: it needs no event of its own to send.

use crate::engine::Rank;
use crate::identifiers::Hop;
use aqmlab_driver::serializer_of;
use aqmlab_link::Serializer;
use aqmlab_scenario::Link;
use aqmlab_units::{Span, Time};

/// The interface of a machine or router, whose unlimited queue is first in, first out, so that the instant at
/// which a packet has been sent is known when it is handed over; or a wire, which only delays.
#[derive(Clone)]
pub(crate) struct Interface {
    pub(crate) to: Hop,
    /// Among which packets its own travel while they are under way.
    pub(crate) rank: Rank,
    delay: Span,
    /// None for a wire, which takes no time to send.
    serializer: Option<Serializer>,
    /// Whether nothing stands at the far end but a machine that only answers: see `responders.rs`.
    pub(crate) leads_to_responder: bool,
    /// When the last packet arrives of those that are under way to such a machine.
    pub(crate) pending_until: Time,
}

impl Interface {
    /// An idle link whose packets travel among those of `rank`.
    pub(crate) fn new(link: &Link, to: Hop, rank: Rank) -> Self {
        Self {
            to,
            rank,
            delay: link.delay,
            serializer: serializer_of(link),
            leads_to_responder: false,
            pending_until: Time::ZERO,
        }
    }

    /// Hands over a packet; answers when it arrives at the far end.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, ip_bytes: u16) -> Time {
        let Some(serializer) = &mut self.serializer else { return now + self.delay };
        serializer.send(now, u32::from(ip_bytes)) + self.delay
    }

    /// Whether sending takes time; a wire only delays.
    pub(crate) const fn takes_time_to_send(&self) -> bool {
        self.serializer.is_some()
    }
}
