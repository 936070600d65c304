//! TCP without I/O: senders and receivers as state machines, and the hosts they run on as data.
//!
//! An [`Endpoint`] is one end of a connection. A driver tells it what happens (`connect`, a segment, a write,
//! a close, the deadline) and sends what it finds in the [`Outbox`]. A [`HostProfile`] says which TCP it is:
//! `bsd228` and `bsd45` (the hosts of the SIGCOMM 2000 and 2003 studies), `rfc5681` (the standards as
//! written), `ns2-oneway` and `ns2-full` (ns-2's one-way and two-way agents), the `linux6` profiles (today's
//! hosts). A [`HostClock`] is the machine's tick clock, whose phase no two machines share.
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
mod clock;
pub mod congestion;
mod connection_flags;
mod context;
mod ecn_path;
mod endpoint;
mod hosts;
mod interrupts;
mod kernel_timer;
mod options;
mod outbox;
mod range_set;
mod reassembly;
mod receiver;
mod reporting;
mod segment;
mod sender;
mod sequence;
mod state;
mod statistics;

pub use clock::HostClock;
pub use congestion::{AnswersMarks, Congestion, HyStart};
pub use context::Context;
pub use endpoint::{Endpoint, Past};
pub use hosts::{
    AckCounting, AckTimer, Classic, ClassicWindow, DelayedAck, Ecn, EcnFallback, EcnRule, Extensions,
    Handshake, HostOverrides, HostProfile, IdleRestart, IllegalOverride, Modern, OutputRoutine, Recovery,
    RetransmissionTimer, RtoAlgorithm, SmallWrite, Stack, TimerPhase, WindowUpdates,
};
pub use options::{Block, Blocks, ByteCounts, SegmentOptions, Timestamps};
pub use outbox::Outbox;
pub use segment::{Flags, Segment, respond_to_stray};
pub use sequence::SequenceNumber;
pub use statistics::Statistics;
