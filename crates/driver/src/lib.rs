//! What a scenario is to any driver, in virtual time or in real time.
//!
//! Both drivers call the same applications, give connections the same delays, put the same ports in front of
//! links, and leave the same tables and summaries behind. What is here knows no clock and carries no packet.
//!
//! | file | idea |
//! | --- | --- |
//! | `applications.rs` | a scenario's applications (`aqmlab-session`) |
//! | `access_delay.rs`, `places.rs` | the minimum delays of users' connections; where connections are opened |
//! | `links.rs` | the links of a scenario (`aqmlab-link`) |
//! | `replay.rs` | what a link does with arrivals that were recorded elsewhere |
//! | `monitor.rs`, `queue_summary.rs`, `sampling_clock.rs` | what is sampled of monitored links |
//! | `queue_counts.rs`, `transfers.rs`, `datagram_sources.rs`, `table_names.rs` | tables of queues and transfers; what tells sources of datagrams apart; the names in tables |
//! | `traffic.rs`, `congestion_windows.rs`, `flow_groups.rs` | what links sent of each group; what senders know over time; which flow of which group one is |
//! | `named_ports.rs` | ports by name |
//! | `summaries.rs`, `settling.rs`, `warnings.rs`, `scenario_warning.rs`, `traps.rs`, `tight_buffers.rs` | what `run.json` says; what a reader should know of the run, and of its scenario |
//! | `shaper_follower.rs` | the program in a router that sets its shapers |
//! | `deviations.rs` | a run's own rates and delays |
//! | `window.rs`, `control.rs` | what of a run counts, and whether it may end behind that; its caller |
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod access_delay;
mod applications;
mod congestion_windows;
mod control;
pub mod datagram_sources;
pub mod deviations;
mod flow_groups;
mod links;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod monitor;
mod named_ports;
mod places;
pub mod queue_counts;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod queue_summary;
mod replay;
mod sampling_clock;
mod scenario_warning;
mod scheme_state;
#[allow(clippy::cast_possible_truncation)] // samples of seven digits, in tests
mod settling;
mod shaper_follower;
mod starvation;
mod summaries;
mod table_names;
mod tight_buffers;
mod traffic;
pub mod transfers;
mod traps;
pub mod warnings;
mod window;

pub use applications::session;
pub use congestion_windows::{CongestionWindows, SenderSample};
pub use control::{Control, RunError};
pub use flow_groups::FlowGroups;
pub use links::{
    channels, key_of_service, link_of, port_facts_of, serializer_of, shares_a_channel, varying_delay,
};
pub use monitor::{Boundary, Monitor};
pub use named_ports::{UnknownPort, named_ports};
pub use places::{EndOfGroup, Place, Places, UsersOrFlow};
pub use replay::{ReplayedArrival, ReplayedEvent, replay};
pub use sampling_clock::SamplingClock;
pub use scenario_warning::ScenarioWarning;
pub use settling::Unsettled;
pub use shaper_follower::{PING_BYTES, ShaperFollower};
pub use starvation::Starved;
pub use summaries::{FORMAT, WatchedLink, amount, document, flows, link_summaries, populations};
pub use table_names::TableNames;
pub use traffic::{CountedPacket, Traffic, Whose};
pub use window::{may_end_in_cool_down, measured_window};
