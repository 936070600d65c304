//! The seam for transports that are not TCP: connections whose ends exchange packets of their own.
//!
//! TCP's endpoints are known to the fabric and compiled into it. Any other transport is a [`TransportEnd`] on
//! each side (`aqmlab-transport`). Its packets pass the same links, its connections have the same owners,
//! places and events.

use crate::identifiers::ProfileId;
use aqmlab_random::Key;
use aqmlab_scenario::{DatagramGroup, Scenario, StartRule, TrafficGroup};
use aqmlab_tcp::Endpoint;
use aqmlab_transport::{Connecting, MakeEnds, OutgoingPacket, TransportEnd};
use aqmlab_units::Time;
use std::fmt;

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

/// The populations and groups of flows of a run whose connections are not TCP's; by default none.
///
/// [`Transports::of`] has those that a scenario names, and [`Transports::set`] puts others in their place.
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
    /// Those that a scenario names.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let groups = scenario.connection_groups().enumerate();
        let named = groups.filter_map(|(place, group)| Some((ProfileId::of(place), group.transport?)));
        Self { of_groups: named.map(|(place, transport)| (place, transport.make_ends())).collect() }
    }

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
        self.of_groups.insert(0, (ProfileId::of(place), make));
        Ok(())
    }

    /// The ends of a new connection; none where they are TCP's.
    pub(crate) fn ends(&mut self, group: ProfileId, key: impl FnOnce() -> Key) -> Option<[End; 2]> {
        let (_, make) = self.of_groups.iter_mut().find(|(own, _)| *own == group)?;
        Some(make.make(&Connecting { key: key() }).map(End::Other))
    }
}

/// Fails where a packet is shorter than its headers.
pub(crate) fn check_length(packet: &OutgoingPacket) {
    let least = DatagramGroup::HEADER_BYTES;
    assert!(packet.ip_bytes >= least, "a packet of {} bytes has headers of {least}", packet.ip_bytes);
}
