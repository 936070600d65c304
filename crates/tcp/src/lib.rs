//! TCP without I/O: senders and receivers as state machines, and the hosts they run on as data.
//!
//! An [`Endpoint`] is one end of a connection. A driver tells it what happens (`connect`, a segment, a write, a
//! close, the deadline) and sends what it finds in the [`Outbox`]. A [`HostProfile`] says which TCP it is:
//! `bsd228` and `bsd45` (the hosts of the SIGCOMM 2000 and 2003 studies), `rfc5681` (the standards as written), `ns2-oneway` and
//! `ns2-full` (ns-2's one-way and two-way agents). A [`HostClock`] is the machine's tick clock, whose phase no two machines share.
//!
//! Nothing here reads a clock, allocates per packet or dispatches dynamically. Data are counted, not carried.
//!
//! ```
//! use aqmlab_tcp::{Context, Endpoint, HostProfile, Outbox};
//! use aqmlab_units::{Span, Time};
//!
//! let profile = HostProfile::named("bsd45").unwrap();
//! let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
//! let (mut client, mut server) = (Endpoint::active(), Endpoint::passive());
//! let (mut sent, mut answered) = (Outbox::new(), Outbox::new());
//!
//! client.connect(Time::ZERO, &context, &mut sent);
//! server.on_segment(Time::from_seconds(0.04), &context, &sent.segments[0], false, &mut answered);
//! sent.clear();
//! client.on_segment(Time::from_seconds(0.08), &context, &answered.segments[0], false, &mut sent);
//! assert!(sent.established);
//! assert_eq!(sent.segments[0].to_string(), "1:1 ack 1");
//! ```
#![deny(missing_docs)]

mod accurate_ecn;
mod acknowledgement;
mod clock;
pub mod congestion;
mod connection_flags;
mod context;
mod described;
mod ecn;
mod endpoint;
mod foutput;
mod handshake;
mod kernel_timer;
mod options;
mod outbox;
mod output;
mod overrides;
mod process_ack;
mod profile;
mod profiles;
mod range_set;
mod reassembly;
mod receiver;
mod recovery;
mod reporting;
mod resume;
mod round_trip_time;
mod segment;
mod selective_acknowledgement;
mod send_much;
mod sender;
mod sequence;
mod state;
mod statistics;

pub use clock::HostClock;
pub use context::Context;
pub use endpoint::Endpoint;
pub use options::{Block, Blocks, SegmentOptions, Timestamps};
pub use outbox::Outbox;
pub use overrides::{EcnRule, HostOverrides, IllegalOverride};
pub use profile::{
    AckCounting, AckTimer, Congestion, DelayedAck, Ecn, EcnFallback, Extensions, Handshake, HostProfile,
    HyStart, IdleRestart, OutputRoutine, Recovery, RetransmissionTimer, RtoAlgorithm, SmallWrite, TimerPhase,
    WindowUpdates,
};
pub use resume::Past;
pub use segment::{Flags, Segment, respond_to_stray};
pub use sequence::SequenceNumber;
pub use statistics::Statistics;
