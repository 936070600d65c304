//! Queues with active queue management: the port in front of a link, and the schemes that decide what is
//! marked or dropped there.
//!
//! ```
//! use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Queued, Scheme, algorithms::red};
//! use aqmlab_random::Key;
//! use aqmlab_units::{Rate, Time};
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
//! let scheme = Scheme::Red(red::Params { limit_packets: Some(60), ecn: true, ..red::Params::default() });
//! scheme.validate()?;
//! let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
//! let mut port = Port::new(&scheme, facts, Key::from_seed(1).named("queue").stream());
//!
//! let packet =
//!     Packet(PacketFacts { flow: 7, bytes: 1500, codepoint: Codepoint::Ect0, class: PacketClass::Data });
//! port.arrive(Time::ZERO, packet, &mut |_, reason| panic!("discarded: {}", reason.name()));
//! let next = port.depart(Time::ZERO, &mut |_, _| {});
//! assert_eq!(next.map(|packet| packet.0.flow), Some(7));
//! # Ok::<(), aqmlab_aqm::ParameterError>(())
//! ```
//!
//! # Where things are
//!
//! - [`Port`]: holds the waiting packets, asks the scheme, marks or discards, counts. Generic over what a
//!   packet is: a small record in simulation, a buffer in live mode.
//! - [`Discipline`]: what a scheme puts in front of a link: one queue, or guards and a scheduler in front of
//!   one or several.
//! - [`Scheduler`]: sorts arrivals into queues by their [`HeaderFields`], says which queue is served and
//!   when, and from which packets are discarded when too much waits.
//! - [`Guard`]: refuses arrivals in front of the queues, and hears what the schemes behind it decide.
//! - [`Aqm`]: the trait of a scheme. It sees [`PacketFacts`] and a [`QueueView`], and answers with a
//!   [`Verdict`]. It owns no clock, no generator and no packet.
//! - [`algorithms`]: one file per scheme, and the one list in which they are registered.
//! - [`Scheme`]: any registered scheme with its parameters, as data: parsed strictly, checked, described.
//! - [`register`]: adds a scheme from outside this crate to them while the program runs;
//!   [`register_declared`] one whose parameters are declared as data; [`DeclaredSchemes`] belong to whoever
//!   names them, and to nobody else.
//! - [`conformance`]: what every scheme owes, tried on any scheme by one call.
//! - [`parts`]: formulas that several schemes share, for new ones to build on.
//! - [`Counters`]: what happened at a port, by codepoint and packet class.
//!
//! # What all schemes share
//!
//! The queue's length excludes the packet on the link and the packet that is being decided about. Sizes are
//! IP lengths. A probability is compared as `U < p` with U uniform in `[0, 1)`. Timers run at their own due
//! instants, lazily: between an arrival and a departure nothing can change that a tick would see.
//!
//! # Adding a scheme
//!
//! One file `src/algorithms/<name>.rs` with its `Params` and its implementation of [`Aqm`]; one line in
//! `src/algorithms/mod.rs`; one table of worked cases `tests/tables/<name>`; one page
//! `docs/reference/schemes/<name>.md`, with settings under which it acts within seconds. With these every
//! scenario may name it, and the checks that all schemes share try it. Commands then write its golden digests
//! (`crates/sim/tests`) and its instructions per packet (`make bench-check UPDATE=1`). `aqmlab tune` searches
//! what `python/aqmlab/study/tuning/ranges.toml` says of it, and `docs/README.md` lists its page.
#![deny(missing_docs)]

mod ack_filter;
mod acknowledgement;
mod adjustment;
pub mod algorithms;
mod aqm;
mod as_any;
pub mod conformance;
mod conservation;
mod counters;
mod direct_calls;
mod discipline;
mod fifo;
mod guard;
mod header;
mod headers;
mod limit;
mod line_coding;
mod measure;
mod number_range;
mod occupancy;
mod onset;
mod packet;
mod parameter_error;
mod parameters;
pub mod parts;
mod place_set;
mod port;
mod port_facts;
mod queue;
mod queue_view;
mod scheduled_queues;
mod scheduler;
mod shaping;
mod shared;
mod traffic_classes;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use acknowledgement::Acknowledgement;
pub use adjustment::{Adjusted, AdjustmentError};
pub use algorithms::{
    Declaration, DeclaredSchemes, InnerScheme, OutsideParameters, OutsideScheme, RegistrationError, Scheme,
    UnknownScheme, describe_parameters, register, register_declared,
};
pub use aqm::{Aqm, Departing, Load, Positions, Reason, Verdict};
pub use as_any::AsAny;
pub use conservation::ConservationError;
pub use counters::{Breakdown, Counters, Entry, Event, QueueCounters, Tally};
pub use discipline::{Discipline, QueueClass, QueueLimit, Scheduled};
pub use guard::{Admission, Behind, Decision, Guard};
pub use header::{FiveTuple, HeaderFields};
pub use headers::Headers;
pub use number_range::NumberRange;
pub use occupancy::Occupancy;
pub use onset::{Onset, UnreachableOnset};
pub use packet::{Codepoint, PacketClass, PacketFacts, Queued};
pub use parameter_error::ParameterError;
pub use parameters::Parameters;
pub use port::{Port, QueueReport};
pub use port_facts::PortFacts;
pub use queue_view::QueueView;
pub use scheduler::{Backlogs, End, Scheduler, Turn, Victim};
pub use traffic_classes::{TrafficClass, TrafficClasses};
