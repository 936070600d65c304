//! Connections and where they are kept.
//!
//! Both ends of a connection live in one record. Records are reused, the last freed first, so that memory
//! follows the number of open connections and the hottest records stay in cache. A generation number tells
//! packets and timers of an earlier owner apart.

use super::losses::ConnectionLosses;
use super::path::Path;
use super::prefetch::prefetch;
use super::transport_end::End;
use crate::identifiers::{ClockId, ConnectionIdentity, ProfileId};
use aqmlab_session::{ConnectionId, Owner, Side};
use aqmlab_tcp::Endpoint;
use aqmlab_units::Time;

/// How many connections of a run have numbers of their own.
pub(crate) const MAXIMUM_NUMBERED: u64 = 1 << u32::BITS;

/// A connection with both its ends.
///
/// What every packet touches lies together.
#[repr(C, align(64))]
#[derive(Clone)]
pub(crate) struct Connection {
    /// When the pending timer entry fires, for whichever end; `Time::MAX` without one.
    pub(crate) timer: Time,
    pub(crate) paths: [Path; 2],
    /// The clock of each end's machine: see `hosts.rs`.
    pub(crate) clocks: [ClockId; 2],
    pub(crate) generation: u16,
    pub(crate) profile: ProfileId,
    pub(crate) finished: [bool; 2],
    pub(crate) gave_up: bool,
    pub(crate) owner: Owner,
    pub(crate) opened: Time,
    /// When both ends had finished; in a one-way connection, whose receiver never does, when the sender had.
    pub(crate) closed: Option<Time>,
    pub(crate) ends: [End; 2],
    /// Its number within the run: see [`Connections::number`].
    pub(crate) number: u32,
    pub(crate) losses: ConnectionLosses,
}

/// TCP's own events, summed over endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TcpTotals {
    pub(crate) timeouts: u64,
    pub(crate) syn_retransmissions: u64,
    pub(crate) fast_recoveries: u64,
    pub(crate) retransmitted_segments: u64,
    pub(crate) ecn_reductions: u64,
    pub(crate) classic_fallbacks: u64,
}

impl TcpTotals {
    fn add(&mut self, other: &Self) {
        self.timeouts += other.timeouts;
        self.syn_retransmissions += other.syn_retransmissions;
        self.fast_recoveries += other.fast_recoveries;
        self.retransmitted_segments += other.retransmitted_segments;
        self.ecn_reductions += other.ecn_reductions;
        self.classic_fallbacks += other.classic_fallbacks;
    }

    fn add_endpoint(&mut self, end: &Endpoint) {
        let statistics = end.statistics();
        self.timeouts += u64::from(statistics.timeouts);
        self.syn_retransmissions += u64::from(statistics.syn_retransmissions);
        self.fast_recoveries += u64::from(statistics.fast_recoveries);
        self.retransmitted_segments += u64::from(statistics.retransmitted_segments);
        self.ecn_reductions += u64::from(statistics.ecn_reductions);
        self.classic_fallbacks += u64::from(end.has_fallen_back());
    }
}

/// All connections, open ones and free places.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    places: Vec<Connection>,
    free: Vec<u32>,
    opened: u64,
    /// Statistics of the connections that were closed.
    closed: TcpTotals,
}

impl Connections {
    /// Opens a connection whose packets travel by these paths, between machines with these clocks.
    pub(crate) fn open(
        &mut self,
        now: Time,
        owner: Owner,
        profile: ProfileId,
        paths: [Path; 2],
        clocks: [ClockId; 2],
        ends: [End; 2],
    ) -> u32 {
        let number = self.number();
        self.opened += 1;
        let mut connection = Connection {
            timer: Time::MAX,
            paths,
            clocks,
            generation: 0,
            profile,
            finished: [false; 2],
            gave_up: false,
            owner,
            ends,
            opened: now,
            closed: None,
            number,
            losses: ConnectionLosses::NONE,
        };
        if let Some(place) = self.free.pop() {
            let previous = &mut self.places[place as usize];
            connection.generation = previous.generation;
            *previous = connection;
            return place;
        }
        let place = u32::try_from(self.places.len()).ok().filter(|&place| place != u32::MAX);
        self.places.push(connection);
        place.expect("as many connections as have places fill the memory of no machine")
    }

    /// Frees the place of a connection; packets and timers that still name it will find another generation.
    pub(crate) fn close(&mut self, place: u32) {
        let connection = &mut self.places[place as usize];
        self.closed.add(&connection.totals());
        connection.finished = [true; 2];
        connection.generation += 1;
        // A place whose generations are used up is left: with the first one again, a late packet of its first
        // owner would pass for the present one's.
        if connection.generation < u16::MAX {
            self.free.push(place);
        }
    }

    #[inline]
    pub(crate) fn at(&mut self, place: u32) -> &mut Connection {
        &mut self.places[place as usize]
    }

    /// One end of the connection at a place.
    pub(crate) fn end(&self, place: u32, side: Side) -> &End {
        &self.places[place as usize].ends[side as usize]
    }

    /// Fetches what says whose a connection is.
    #[inline(always)]
    pub(crate) fn prefetch_owner(&self, place: u32) {
        if let Some(connection) = self.places.get(place as usize) {
            prefetch(&connection.owner);
        }
    }

    /// Fetches what a packet for the end at `side` will touch.
    #[inline(always)]
    pub(crate) fn prefetch_end(&self, place: u32, side: Side) {
        if let Some(connection) = self.places.get(place as usize) {
            prefetch(&connection.timer);
            prefetch(&connection.ends[side as usize]);
        }
    }

    /// The connection at a place, if it is still the one that is meant; none is where datagrams say they are
    /// from.
    #[inline]
    pub(crate) fn current(&mut self, identity: ConnectionIdentity) -> Option<&mut Connection> {
        let connection = self.places.get_mut(identity.place as usize)?;
        (connection.generation == identity.generation).then_some(connection)
    }

    /// The number of the connection that is opened next: how many were opened before it. Places are reused,
    /// numbers are not: they are the key of the tables. Beyond [`MAXIMUM_NUMBERED`] they stay at the last.
    fn number(&self) -> u32 {
        u32::try_from(self.opened).unwrap_or(u32::MAX)
    }

    /// How many connections were opened so far.
    pub(crate) const fn opened(&self) -> u64 {
        self.opened
    }

    /// Statistics of all connections so far, closed and open.
    pub(crate) fn statistics(&self) -> TcpTotals {
        let mut all = self.closed;
        for (_, connection) in self.open_ones() {
            all.add(&connection.totals());
        }
        all
    }

    /// The connections that are not over, by place.
    pub(crate) fn open_ones(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        let places = (0..).map(ConnectionId::from_number).zip(&self.places);
        places.filter(|(_, connection)| !connection.is_over())
    }

    /// The same, to be changed.
    pub(crate) fn open_ones_mut(&mut self) -> impl Iterator<Item = &mut Connection> {
        self.places.iter_mut().filter(|connection| !connection.is_over())
    }
}

impl Connection {
    /// What TCP did at its two ends.
    pub(crate) fn totals(&self) -> TcpTotals {
        let mut totals = TcpTotals::default();
        self.ends.iter().filter_map(End::tcp).for_each(|end| totals.add_endpoint(end));
        totals
    }

    /// Whether the two ends have both finished.
    pub(crate) fn is_over(&self) -> bool {
        self.finished == [true; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::path::Delayed;
    use crate::identifiers::{Column, Egress, Hop};
    use aqmlab_session::FlowId;

    fn open(connections: &mut Connections) -> u32 {
        let path = Path {
            delay_ns: 0,
            egress: Egress::DELIVERY,
            at: Hop::ARRIVED,
            destination: Column::of(0),
            rank: Path::AT_ONCE,
            delayed: Delayed::AtNode,
        };
        let owner = Owner::Flow { flow: FlowId::of(0) };
        let ends = [End::Tcp(Endpoint::active()), End::Tcp(Endpoint::passive())];
        connections.open(Time::ZERO, owner, ProfileId::of(0), [path; 2], [ClockId::of(0); 2], ends)
    }

    #[test]
    fn a_late_packet_never_passes_for_one_of_a_later_owner() {
        let mut connections = Connections::default();
        let first = open(&mut connections);
        connections.close(first);
        for owner in 1..200_000 {
            let place = open(&mut connections);
            assert!(
                connections.current(ConnectionIdentity { place: first, generation: 0 }).is_none(),
                "owner {owner} at place {place} is taken for the first"
            );
            connections.close(place);
        }
        assert_eq!(connections.places.len(), 4, "a place serves 65,535 connections");
    }

    #[test]
    fn a_connection_is_seven_cache_lines() {
        assert_eq!(size_of::<Connection>(), 448);
    }
}
