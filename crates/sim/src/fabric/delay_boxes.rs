//! DelayBoxes: what the packets of a connection meet at the router that their sender hangs on.
//!
//! Each end of a connection has a box of its own: a bottleneck, which packets pass one after the other, and a
//! coin for each packet, which is lost before the bottleneck. Rate and probability are drawn once, when the
//! connection opens, by whose connection it is; the coin by the packet's ordinal at its end. So every queue
//! discipline meets the same boxes (common random numbers). Connections without a box never come here.

use super::impairments::{ImpairedCounts, coins_of, count};
use super::packet::Packet;
use crate::identifiers::{ConnectionIdentity, ProfileId};
use aqmlab_aqm::Tally;
use aqmlab_link::{Framing, Serializer};
use aqmlab_random::Key;
use aqmlab_scenario::{DelayBox, Scenario};
use aqmlab_session::{Owner, Side};
use aqmlab_units::{Rate, Time};

/// The boxes of all connections.
#[derive(Clone)]
pub(crate) struct DelayBoxes {
    key: Key,
    /// By the profile of a population or group of flows, of which each has its own.
    laws: Vec<Option<DelayBox>>,
    /// What came to the boxes of each population or group, and what of it was lost and went on.
    counts: Vec<(ImpairedCounts, Tally)>,
    /// By the place of the connection, one for each of its ends.
    boxes: Vec<[Option<EndBox>; 2]>,
}

/// The box of one end of a connection.
#[derive(Clone, Copy)]
struct EndBox {
    generation: u16,
    profile: ProfileId,
    /// None where packets pass at once.
    bottleneck: Option<Serializer>,
    loss_probability: f64,
    coins: Key,
    packets: u64,
}

impl DelayBoxes {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Self {
        let laws: Vec<_> = scenario.connection_groups().map(|group| group.delay_box).collect();
        let counts = vec![(ImpairedCounts::default(), Tally::default()); laws.len()];
        Self { key: key.named("delay box"), laws, counts, boxes: Vec::new() }
    }

    /// Whether any population or group has boxes.
    pub(crate) fn are_used(&self) -> bool {
        self.laws.iter().any(Option::is_some)
    }

    /// Whether the connections of a population or group have boxes.
    pub(crate) fn has(&self, profile: ProfileId) -> bool {
        self.laws[profile.place()].is_some()
    }

    /// Draws the boxes of a connection that was just opened, if it has any.
    pub(crate) fn open(&mut self, connection: ConnectionIdentity, profile: ProfileId, owner: Owner) {
        let Some(law) = self.laws[profile.place()] else { return };
        let place = connection.place as usize;
        if self.boxes.len() <= place {
            self.boxes.resize(place + 1, [None; 2]);
        }
        // What both ends have in common stands at a third number.
        let drawn = coins_of(self.key, owner).indexed(2);
        let uniform = |[low, high]: [f64; 2], n| low + (high - low) * drawn.uniform(n);
        let rate = law.rate_mbps.map(|range| Rate::from_megabits_per_second(uniform(range, 0)));
        let loss_probability = uniform(law.loss_probability, 1);
        self.boxes[place] = [Side::Active, Side::Passive].map(|side| {
            Some(EndBox {
                generation: connection.generation,
                profile,
                bottleneck: rate.map(|rate| Serializer::new(rate, Framing::NONE)),
                loss_probability,
                coins: coins_of(self.key, owner).indexed(side as u64),
                packets: 0,
            })
        });
    }

    /// When a packet has passed the box at which it arrives at an instant; none if it is lost there. What is
    /// sent for a connection that is over passes at once: nobody waits for it.
    pub(crate) fn pass(&mut self, packet: &Packet, arrival: Time) -> Option<Time> {
        let found = self.boxes.get_mut(packet.connection() as usize);
        let found = found.and_then(|ends| ends[packet.from() as usize].as_mut());
        let Some(own) = found.filter(|own| own.generation == packet.generation()) else {
            return Some(arrival);
        };
        let (seen, passed) = &mut self.counts[own.profile.place()];
        count(&mut seen.arrived, packet);
        own.packets += 1;
        if own.coins.uniform(own.packets) < own.loss_probability {
            count(&mut seen.lost, packet);
            return None;
        }
        count(passed, packet);
        let Some(bottleneck) = &mut own.bottleneck else { return Some(arrival) };
        Some(bottleneck.send(arrival, u32::from(packet.ip_bytes())))
    }

    /// What came to the boxes of each population or group so far, and what was lost.
    pub(crate) fn counts(&self) -> impl Iterator<Item = ImpairedCounts> {
        self.counts.iter().map(|&(counts, _)| counts)
    }

    /// The first population or group whose packets did not all go on that were not lost.
    pub(crate) fn unbalanced(&self) -> Option<String> {
        let wrong = |(seen, passed): &(ImpairedCounts, Tally)| seen.arrived.minus(seen.lost) != *passed;
        let (place, (seen, passed)) = self.counts.iter().enumerate().find(|(_, counts)| wrong(counts))?;
        Some(format!("the boxes of profile {place} count {seen:?}, and {passed:?} went on"))
    }
}
