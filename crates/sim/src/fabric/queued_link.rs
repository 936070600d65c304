//! A link with a queue in front of it, at its place in the network.

use super::events::{Events, Timer};
use super::packet::Packet;
use crate::engine::Rank;
use crate::identifiers::{ChannelId, Hop, MonitoredId, QueuedId};
use aqmlab_aqm::{Headers, Reason};
use aqmlab_link::{Link, MonitoredLink, MonitoredQueue, News, Sent, VaryingDelay};
use aqmlab_scenario::LinkIndex;
use aqmlab_units::{Span, Time};

/// A link with a queue discipline.
#[derive(Clone)]
pub(crate) struct QueuedLink {
    pub(crate) link: Link<Packet>,
    /// Its place among the monitored links, if it is one: its code in the tables.
    pub(crate) monitored: Option<MonitoredId>,
    pub(crate) to: Hop,
    /// Its place among the links with a queue.
    pub(crate) position: QueuedId,
    pub(crate) propagation: Option<(Rank, Span)>,
    /// How that varies, if it does; where packets overtake one another, the pipe is that of single delays.
    pub(crate) varying: Option<Box<VaryingDelay>>,
    /// The channel that it shares with others.
    pub(crate) channel: Option<ChannelId>,
    /// Its number in the scenario.
    pub(crate) number: LinkIndex,
    /// Whether packets move on when they are queued: see `predicted_departures.rs`.
    pub(crate) predicts: bool,
    /// Whether they go on to interfaces that get no others.
    pub(crate) feeds_alone: bool,
}

impl QueuedLink {
    /// This link at this place among those with a queue, at this place among the monitored ones if it is one
    /// of them, and number `number` of the scenario.
    pub(crate) fn new(
        link: Link<Packet>,
        (position, monitored, number): (QueuedId, Option<MonitoredId>, LinkIndex),
        to: Hop,
        (propagation, varying): (Option<(Rank, Span)>, Option<Box<VaryingDelay>>),
    ) -> Self {
        Self {
            link,
            monitored,
            to,
            position,
            propagation,
            varying,
            channel: None,
            number,
            predicts: false,
            feeds_alone: false,
        }
    }

    /// A packet arrives; answers with the packet that the link begins to send.
    #[inline(always)]
    pub(crate) fn arrive(
        &mut self,
        packet: Packet,
        headers: impl Headers<Packet>,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let news = self.link.arrive_with(events.now(), packet, headers, discarded);
        self.note(news, events)
    }

    /// A transmission has ended and its packets were taken; answers with the packet that the link begins to
    /// send.
    #[inline(always)]
    pub(crate) fn serve(
        &mut self,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let news = self.link.serve(events.now(), discarded);
        self.note(news, events)
    }

    /// The port is asked again, which has held back what waits; answers with the packet that the link begins
    /// to send.
    pub(crate) fn ask_again(
        &mut self,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let news = self.link.ask_again(events.now(), discarded);
        self.note(news, events)
    }

    /// Remembers what the link has to say; answers with the packet that it begins to send.
    #[inline(always)]
    fn note(&self, news: News, events: &mut Events) -> Option<Packet> {
        if let Some(opens) = news.asks_again {
            events.wake_at(opens, Timer::Port { link: self.position });
        }
        events.transmissions.begin(self.position, news.begun?);
        self.link.in_service().copied()
    }
}

impl MonitoredLink for QueuedLink {
    fn queue(&self) -> &dyn MonitoredQueue {
        self.link.queue()
    }

    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue {
        self.link.queue_mut()
    }

    fn sent(&self) -> Sent {
        self.link.sent()
    }

    fn transmitting(&self, now: Time) -> Span {
        self.link.transmitting(now)
    }
}
