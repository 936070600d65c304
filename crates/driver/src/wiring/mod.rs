//! Before a run: what of a scenario applications, links and connections are made of.
//!
//! | file | idea |
//! | --- | --- |
//! | `applications.rs`, `datagram_sources.rs` | a scenario's applications (`aqmlab-session`); what tells sources of datagrams apart |
//! | `access_delay.rs`, `places.rs` | the minimum delays of users' connections; where connections are opened |
//! | `links.rs`, `named_ports.rs` | the links of a scenario (`aqmlab-link`); ports by name |
//! | `deviations.rs` | a run's own rates and delays |
//! | `replay.rs` | what a link does with arrivals that were recorded elsewhere |
//! | `shaper_follower.rs` | the program in a router that sets its shapers |

mod access_delay;
mod applications;
pub mod datagram_sources;
pub mod deviations;
pub(crate) mod links;
mod named_ports;
mod places;
mod replay;
mod shaper_follower;

pub use applications::session;
pub use links::{
    channels, key_of_service, link_of, port_facts_of, serializer_of, shares_a_channel, varying_delay,
};
pub use named_ports::{UnknownPort, named_ports};
pub use places::{EndOfGroup, Place, Places, UsersOrFlow};
pub use replay::{ReplayedArrival, ReplayedEvent, replay};
pub use shaper_follower::{PING_BYTES, ShaperFollower};
