//! The seam for transports that are not TCP: connections whose ends exchange packets of their own.
//!
//! TCP's endpoints are known to the fabric and compiled into it. Any other transport (QUIC, say) is a
//! [`TransportEnd`] on each side: a state machine without I/O or clock, which is handed payloads and answers
//! with payloads. Its packets pass the same links, its connections have the same owners, places and events,
//! and applications cannot tell the difference, except that it may have several streams.

use crate::identifiers::ProfileId;
use aqmlab_aqm::Codepoint;
use aqmlab_scenario::{DatagramGroup, Scenario, StartRule, TrafficGroup};
use aqmlab_session::StreamId;
use aqmlab_tcp::Endpoint;
use aqmlab_units::Time;
use dyn_clone::DynClone;
use std::fmt;

/// One end of a connection over a transport that is not TCP.
///
/// The rules are those of [`Endpoint`]: each call returns at once, what it leads to stands in the [`Answer`],
/// and the driver calls [`TransportEnd::on_timer`] at the latest at [`TransportEnd::deadline`].
pub trait TransportEnd: Send + DynClone {
    /// Opens the connection. Called once, at the end that opens.
    fn connect(&mut self, now: Time, answer: &mut Answer);

    /// The application writes so many bytes on a stream; before the connection is open they wait.
    fn write(&mut self, now: Time, stream: StreamId, bytes: u64, answer: &mut Answer);

    /// Bytes that were written and never sent, of all streams.
    fn unsent_bytes(&self) -> u64;

    /// The application writes no more.
    fn close(&mut self, now: Time, answer: &mut Answer);

    /// Takes back what was never sent, and closes.
    fn withdraw_and_close(&mut self, now: Time, answer: &mut Answer);

    /// A packet of the other end arrives, with the ECN field that it has now.
    fn on_packet(&mut self, now: Time, payload: &[u8], codepoint: Codepoint, answer: &mut Answer);

    /// The deadline has been reached.
    fn on_timer(&mut self, now: Time, answer: &mut Answer);

    /// When it wants to be called, whatever else happens; `Time::MAX`: not at all.
    fn deadline(&self) -> Time;
}

dyn_clone::clone_trait_object!(TransportEnd);

/// A packet that an end sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingPacket {
    /// What the other end is handed.
    pub payload: Box<[u8]>,
    /// Length of the IP packet, headers included; at least that of the headers of IPv4 and UDP.
    pub ip_bytes: u16,
    /// With which it leaves.
    pub codepoint: Codepoint,
}

/// What a call of an end leads to. The caller owns it, and clears it before each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Packets to send now, in order.
    pub packets: Vec<OutgoingPacket>,
    /// Bytes that have newly arrived in order, by stream; at least one each.
    pub delivered: Vec<(StreamId, u32)>,
    /// The connection is open: both ends may write.
    pub established: bool,
    /// The other end has closed, and everything that it wrote has been delivered.
    pub peer_closed: bool,
    /// This end is over, well or not: nothing more is asked of it.
    pub finished: bool,
    /// The connection is lost. `finished` is set too.
    pub gave_up: bool,
}

impl Answer {
    /// Empties it for the next call.
    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.delivered.clear();
        (self.established, self.peer_closed, self.finished, self.gave_up) = (false, false, false, false);
    }
}

/// One end of a connection. TCP's stands in place, in the cache lines of its connection.
#[derive(Clone)]
pub(crate) enum End {
    Tcp(Endpoint),
    Other(Box<dyn TransportEnd>),
}

impl End {
    /// When it wants to be called.
    #[inline(always)]
    pub(crate) fn deadline(&self) -> Time {
        match self {
            Self::Tcp(end) => end.deadline(),
            Self::Other(end) => end.deadline(),
        }
    }

    /// Sets the congestion window of a TCP that leaves it to others.
    pub(crate) fn set_congestion_window(&mut self, segments: u32) {
        if let Self::Tcp(end) = self {
            end.set_congestion_window(segments);
        }
    }

    /// TCP's endpoint, if it is one.
    #[inline(always)]
    pub(crate) const fn tcp(&self) -> Option<&Endpoint> {
        match self {
            Self::Tcp(end) => Some(end),
            Self::Other(_) => None,
        }
    }
}

/// Makes both ends of a connection: the one that the application opens it from, and the other. A function
/// that can be cloned is one; a copied simulation has a clone of it.
pub trait MakeEnds: FnMut() -> [Box<dyn TransportEnd>; 2] + Send + DynClone {}

impl<F: FnMut() -> [Box<dyn TransportEnd>; 2] + Send + DynClone> MakeEnds for F {}

dyn_clone::clone_trait_object!(MakeEnds);

/// The populations and groups of flows of a run whose connections are not TCP's; by default none.
#[derive(Clone, Default)]
pub struct Transports {
    of_groups: Vec<(ProfileId, Box<dyn MakeEnds>)>,
}

impl fmt::Debug for Transports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.of_groups.iter().map(|(group, _)| group.place());
        f.debug_list().entries(groups).finish()
    }
}

/// Why a group cannot have another transport than TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportRefused(String);

impl fmt::Display for TransportRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TransportRefused {}

impl Transports {
    /// Has the connections of the population or group of flows of this name made by `make`.
    ///
    /// # Errors
    /// [`TransportRefused`]: no group with connections has the name; or it is a population that starts
    /// stationary, or has a host that sends one way, both of which only TCP knows.
    pub fn set(
        &mut self,
        scenario: &Scenario,
        name: &str,
        make: Box<dyn MakeEnds>,
    ) -> Result<(), TransportRefused> {
        let place = scenario.connection_groups().position(|group| group.name == name);
        let Some((place, group)) = place.zip(scenario.traffic().nth(place.unwrap_or(0))) else {
            let names: Vec<&str> = scenario.connection_groups().map(|group| group.name).collect();
            let legal = names.join(", ");
            return Err(TransportRefused(format!("no population or flows \"{name}\": legal is {legal}")));
        };
        let is_stationary = match group {
            TrafficGroup::Users(population) => population.start == StartRule::Stationary,
            _ => false,
        };
        let is_one_way = group.connections().is_some_and(|group| group.profile.is_one_way());
        if is_stationary || is_one_way {
            let why = if is_one_way { "its profile sends one way" } else { "start = \"stationary\"" };
            return Err(TransportRefused(format!("\"{name}\" is possible over TCP alone: {why}")));
        }
        self.of_groups.push((ProfileId::of(place), make));
        Ok(())
    }

    /// The ends of a new connection; none where they are TCP's.
    pub(crate) fn ends(&mut self, group: ProfileId) -> Option<[End; 2]> {
        let (_, make) = self.of_groups.iter_mut().find(|(own, _)| *own == group)?;
        Some(make().map(End::Other))
    }
}

impl OutgoingPacket {
    /// Fails where it is shorter than its headers.
    pub(crate) fn check(&self) {
        let least = DatagramGroup::HEADER_BYTES;
        assert!(self.ip_bytes >= least, "a packet of {} bytes has headers of {least}", self.ip_bytes);
    }
}
