//! Links that share a channel: one sends, the others wait for their turn.

use super::Fabric;
use super::events::Events;
use super::network::Network;
use super::packet::Packet;
use crate::identifiers::{ChannelId, QueuedId};
use aqmlab_aqm::Reason;
use aqmlab_units::Time;

impl Network {
    /// A link with a queue has begun to send on its channel.
    #[cold]
    pub(super) fn begin_turn(&mut self, position: usize, channel: ChannelId, now: Time) {
        let Self { channels, queued, .. } = self;
        channels[channel.place()].begin(position, now, |other| queued[other].link.hold(true));
    }
}

impl Fabric {
    /// The transmission of a link has ended, and this was its last packet: who is next on the channel begins,
    /// then the packet moves on.
    #[cold]
    #[inline(never)]
    pub(super) fn end_turn(
        &mut self,
        link: QueuedId,
        channel: ChannelId,
        packet: Packet,
        events: &mut Events,
    ) {
        events.transmissions.end(link);
        let Network { channels, queued, .. } = &mut self.network;
        channels[channel.place()].end(events.now(), |each| queued[each].link.hold(false));
        loop {
            let Self { network, discarded, .. } = self;
            let Network { channels, queued, .. } = network;
            let next = channels[channel.place()].next(|each| queued[each].link.has_something());
            let Some(position) = next else { break };
            let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
            let has_begun = queued[position].serve(events, &mut discard).is_some();
            if has_begun {
                network.begin_turn(position, channel, events.now());
            }
            if !self.discarded.is_empty() {
                self.note_discards(position, events);
            }
            if has_begun {
                break;
            }
        }
        self.leave(link.place(), packet, events);
    }
}
