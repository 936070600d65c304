//! Losses that no queue decides, of packets chosen by their ordinal, by chance and in bursts, duplicates, and
//! boxes that change the ECN field.
//!
//! An impaired link is an egress of its own in front of the link proper, so that other links pay nothing for
//! it. Both kinds of losses belong to a connection's packet and not to an instant: the coin for the n-th
//! packet of a connection, or of a source of datagrams, has an address, and falls the same way under every
//! queue discipline (common random numbers). Bursts and duplicates are of the link: the numbers for its n-th
//! packet have an address, whoever sent it.

use super::packet::Packet;
use crate::identifiers::Egress;
use aqmlab_aqm::{Queued, Tally};
use aqmlab_link::{LossBursts, Repeats, StepClock};
use aqmlab_random::Key;
use aqmlab_scenario::{Impairment, Link, LinkIndex};
use aqmlab_session::{DatagramSourceId, Owner, Side};
use aqmlab_units::Time;

/// What came to an impaired link, and what of it was lost or changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImpairedCounts {
    pub(crate) arrived: Tally,
    pub(crate) lost: Tally,
    /// Packets that came a second time.
    pub(crate) duplicated: Tally,
    /// Packets whose codepoint was changed; before they come a second time.
    pub(crate) ecn_changed: Tally,
}

impl ImpairedCounts {
    pub(crate) fn minus(self, earlier: Self) -> Self {
        Self {
            arrived: self.arrived.minus(earlier.arrived),
            lost: self.lost.minus(earlier.lost),
            duplicated: self.duplicated.minus(earlier.duplicated),
            ecn_changed: self.ecn_changed.minus(earlier.ecn_changed),
        }
    }
}

/// A link that loses or changes packets on their way to it.
#[derive(Clone)]
pub(crate) struct ImpairedLink {
    /// Its number in the scenario.
    pub(crate) link: LinkIndex,
    /// The egress that packets take which are not lost.
    pub(crate) egress: Egress,
    pub(crate) counts: ImpairedCounts,
    impairment: Impairment,
    /// Probabilities of loss over time.
    losses: Option<StepClock<f64>>,
    bursts: Option<LossBursts>,
    repeats: Option<Repeats>,
    key: Key,
    /// By the place of the connection, one for each of its ends.
    passing: Vec<[Option<Passing>; 2]>,
    /// By the source of datagrams.
    passing_datagrams: Vec<Option<Passing>>,
}

/// The packets of one end of a connection, or of a source of datagrams, that came here so far.
#[derive(Clone, Copy)]
struct Passing {
    generation: u16,
    packets: u32,
    coins: Key,
}

impl ImpairedLink {
    /// The impairment of a link, by the link's number and egress; none if it loses nothing.
    pub(crate) fn new((link, egress): (LinkIndex, Egress), described: &Link, key: Key) -> Option<Self> {
        let impairment = described.impairment.clone()?;
        let key = key.named("impairment").named(&described.name);
        let bursts = impairment.netem.and_then(|netem| netem.gilbert_elliott);
        Some(Self {
            link,
            egress,
            counts: ImpairedCounts::default(),
            losses: impairment.losses.clone().map(StepClock::new),
            bursts: bursts.map(|model| LossBursts::new(model, key.named("bursts"))),
            repeats: impairment.netem.and_then(|netem| Repeats::new(&netem, key.named("duplicates"))),
            impairment,
            key,
            passing: Vec::new(),
            passing_datagrams: Vec::new(),
        })
    }

    /// Whether a packet is lost. Packets of a connection that is over, which has no owner any more, pass:
    /// nobody waits for them.
    pub(crate) fn loses(&mut self, packet: &Packet, owner: Option<Owner>, now: Time) -> bool {
        count(&mut self.counts.arrived, packet);
        let in_burst = self.bursts.as_mut().is_some_and(LossBursts::loses);
        let lost = self.loses_single(packet, owner, now) || in_burst;
        if lost {
            count(&mut self.counts.lost, packet);
        }
        lost
    }

    /// The codepoint of a packet that is not lost becomes what the box on its way makes of it.
    pub(crate) fn change_codepoint(&mut self, packet: &mut Packet) {
        let came = packet.codepoint();
        let behind = self.impairment.ecn_field.behind(came);
        if behind != came {
            packet.change_codepoint(behind);
            count(&mut self.counts.ecn_changed, packet);
        }
    }

    /// Whether a packet that is not lost comes a second time.
    pub(crate) fn repeats(&mut self, packet: &Packet) -> bool {
        let repeats = self.repeats.as_mut().is_some_and(Repeats::repeats);
        if repeats {
            count(&mut self.counts.duplicated, packet);
        }
        repeats
    }

    fn loses_single(&mut self, packet: &Packet, owner: Option<Owner>, now: Time) -> bool {
        let passing = match (packet.as_datagram(), owner) {
            (Some((source, _)), _) => self.passing_datagrams(source),
            (None, Some(owner)) => self.passing(packet, owner),
            (None, None) => return false,
        };
        passing.packets = passing.packets.saturating_add(1);
        let Passing { packets: ordinal, coins, .. } = *passing;
        let Impairment { drop, loss_probability, .. } = &self.impairment;
        let probability = self.losses.as_mut().map_or(*loss_probability, |losses| losses.at(now));
        drop.binary_search(&ordinal).is_ok() || coins.uniform(u64::from(ordinal)) < probability
    }

    fn passing(&mut self, packet: &Packet, owner: Owner) -> &mut Passing {
        let (place, side) = (packet.connection() as usize, packet.from());
        if self.passing.len() <= place {
            self.passing.resize(place + 1, [None; 2]);
        }
        let passing = &mut self.passing[place][side as usize];
        // A place is reused: a packet of another connection begins to count anew.
        *passing = passing.filter(|passing| passing.generation == packet.generation());
        passing.get_or_insert_with(|| Passing {
            generation: packet.generation(),
            packets: 0,
            coins: coins(self.key, owner, side),
        })
    }

    fn passing_datagrams(&mut self, source: DatagramSourceId) -> &mut Passing {
        let place = source.place();
        if self.passing_datagrams.len() <= place {
            self.passing_datagrams.resize(place + 1, None);
        }
        let coins = self.key.named("datagrams").indexed(u64::from(source.number()));
        self.passing_datagrams[place].get_or_insert(Passing { generation: 0, packets: 0, coins })
    }
}

/// The coins of what one end of a connection sends.
fn coins(key: Key, owner: Owner, side: Side) -> Key {
    coins_of(key, owner).indexed(side as u64)
}

/// The key of a connection below `key`: whose connection it is does not depend on what the network does.
pub(super) fn coins_of(key: Key, owner: Owner) -> Key {
    match owner {
        Owner::User { population, user, ordinal } => key
            .named("user")
            .indexed(population.place() as u64)
            .indexed(u64::from(user))
            .indexed(u64::from(ordinal.number())),
        Owner::Flow { flow } => key.named("flow").indexed(flow.place() as u64),
    }
}

pub(super) fn count(tally: &mut Tally, packet: &Packet) {
    tally.packets += 1;
    tally.bytes += u64::from(packet.facts().bytes);
}
