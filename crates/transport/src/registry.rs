//! The transports that a scenario can name beside TCP.

use crate::making::{MakeEnds, Settings};

/// A transport that is not TCP.
#[derive(Debug)]
pub struct Transport {
    /// As scenarios name it.
    pub name: &'static str,
    /// What it is, in a sentence or more.
    pub meaning: &'static str,
    /// The congestion controllers that it has, the usual one first.
    pub congestions: &'static [&'static str],
    /// Memory of a connection in bytes, both ends: for estimates.
    pub connection_bytes: f64,
    /// Whether its ends can be copied, with a simulation that they are part of.
    pub can_be_copied: bool,
    /// None where this build leaves it out.
    make: Option<fn(Settings) -> Box<dyn MakeEnds>>,
}

/// All of them: a transport is its folder and an entry here.
static TRANSPORTS: &[Transport] = &[Transport {
    name: "quic",
    meaning: "QUIC (RFC 9000) with HTTP/3's stream for each exchange: one round trip to open with TLS 1.3, and a \
              lost packet delays only the responses whose bytes it carried. Packets are UDP to the network.",
    congestions: &["cubic", "reno"],
    connection_bytes: 30_000.0,
    can_be_copied: false,
    #[cfg(feature = "quic")]
    make: Some(crate::quic::make_ends),
    #[cfg(not(feature = "quic"))]
    make: None,
}];

impl PartialEq for Transport {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Transport {
    /// The one that every host has, and that is none of these.
    pub const TCP: &'static str = "tcp";

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TRANSPORTS.iter().find(|transport| transport.name == name)
    }

    /// The names of all, TCP's first, whether this build has them or not.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once(Self::TCP).chain(TRANSPORTS.iter().map(|transport| transport.name))
    }

    /// What TCP is beside these.
    pub const MEANING_OF_TCP: &'static str =
        "What carries connections where nothing else is said. A profile says which stack, host its settings.";

    /// The keys of `host` that apply to it, each with its legal values.
    #[must_use]
    pub const fn host_keys(&self) -> [(&'static str, &'static [&'static str]); 2] {
        [("congestion", self.congestions), ("ecn", &["off", "on"])]
    }

    /// Whether this build has it.
    #[must_use]
    pub const fn is_built(&self) -> bool {
        self.make.is_some()
    }
}

/// The transport of a population or a group of flows, which is not TCP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherTransport {
    /// Which.
    pub transport: &'static Transport,
    /// With what.
    pub settings: Settings,
}

impl OtherTransport {
    /// What makes the ends of its connections.
    ///
    /// # Panics
    /// If this build has no such transport, which the check of a scenario has refused.
    #[must_use]
    pub fn make_ends(&self) -> Box<dyn MakeEnds> {
        let make = self.transport.make.expect("the scenario was checked");
        make(self.settings)
    }
}
