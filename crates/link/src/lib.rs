//! What a link does in virtual time, without an event queue: the queue in front of it, the driver's ring, and
//! the transmission.
//!
//! A driver calls: a packet arrives, a transmission ends, time has come to ask again. The link answers with
//! what its driver has to remember: when the transmission ends that has begun, and when to ask again. So one
//! link serves the simulator, the live router and a replay, and what differs between them is never the link.
//!
//! | file | idea |
//! | --- | --- |
//! | `link.rs` | port, ring and the packets that are being sent: who is taken, and when |
//! | `prediction.rs` | links on which a departure is known on arrival |
//! | `transmitter.rs` | the time that a link spends sending, and what it has sent |
//! | `service/` | how long a transmission takes, and how many packets it carries: one file per model; `capacity.rs`: what a link can carry |
//! | `backlog.rs` | when what waits has been sent |
//! | `channel.rs` | whose turn it is where several links share a channel |
//! | `path.rs` | one way of a line for programs with endpoints of their own: queue, link and propagation |
//! | `serializer.rs` | a link with an unlimited queue, first in, first out: it holds no packet |
//! | `propagation.rs` | when a packet that has been sent arrives, where that varies |
//! | `netem.rs` | jitter, reordering, duplicates and bursts of loss by the laws of Linux's netem |
//! | `conditions.rs`, `steps.rs` | values that hold from an instant to the next, and a file of them |
//! | `cake_autorate.rs` | rates of shapers that follow a line |
//! | `framing.rs` | what the link layer adds to a packet |
//! | `monitored.rs` | what can be seen and counted of a link with a queue |
//! | `conformance/` | what every driver of a link owes: random cases and a reference |
//!
//! ```
//! use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Queued, Scheme, algorithms::drop_tail};
//! use aqmlab_link::{Framing, Link, ServiceModel};
//! use aqmlab_random::Key;
//! use aqmlab_units::{Rate, Span, Time};
//!
//! #[derive(Clone, Copy)]
//! struct Packet(PacketFacts);
//!
//! impl Queued for Packet {
//!     fn facts(&self) -> PacketFacts {
//!         self.0
//!     }
//!     fn mark(&mut self) {
//!         self.0.codepoint = Codepoint::Ce;
//!     }
//! }
//!
//! let rate = Rate::from_megabits_per_second(10.0);
//! let scheme = Scheme::DropTail(drop_tail::Params { limit_packets: Some(60), ..drop_tail::Params::default() });
//! let port = Port::new(&scheme, PortFacts::new(rate), Key::from_seed(1).stream());
//! let service = (&ServiceModel::Constant, Key::from_seed(2));
//! let mut link = Link::new(port, service, rate, Framing::NONE, 0);
//!
//! let packet =
//!     Packet(PacketFacts { flow: 7, bytes: 1250, codepoint: Codepoint::NotEct, class: PacketClass::Data });
//! let news = link.arrive(Time::ZERO, packet, &mut |_, reason| panic!("discarded: {}", reason.name()));
//! // 1,250 bytes take 1 ms at 10 Mbit/s.
//! let ends = Time::ZERO + Span::from_milliseconds(1);
//! assert_eq!(news.begun, Some(ends));
//! assert_eq!(link.end_transmission().0.flow, 7);
//! assert_eq!(link.serve(ends, &mut |_, _| {}).begun, None);
//! ```
#![deny(missing_docs)]

mod backlog;
mod cake_autorate;
mod channel;
mod conditions;
pub mod conformance;
mod framing;
mod link;
mod monitored;
mod netem;
mod path;
mod prediction;
mod propagation;
mod serializer;
mod service;
mod steps;
mod transmitter;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use backlog::BacklogClock;
pub use cake_autorate::{Autorate, CakeAutorate, FollowedRates, Measures};
pub use channel::Channel;
pub use conditions::{Conditions, ConditionsError, Way, mean_rate};
pub use framing::Framing;
pub use link::{Link, News};
pub use monitored::{LinkSnapshot, MonitoredLink, MonitoredQueue, Sent};
pub use netem::{GilbertElliott, Jitter, LossBursts, Netem, Repeats};
pub use path::Path;
pub use propagation::{DelayModel, VaryingDelay};
pub use serializer::Serializer;
pub use service::{Aggregation, Load, Medium, RateTrace, Service, ServiceModel, Slots, VaryingRate, Wifi};
pub use steps::{StepClock, Steps};
pub use transmitter::Transmitter;
