//! An end in the middle of a connection: for drivers whose runs begin there.
//!
//! The end is as if it had been opened, had sent for a while without a loss, and everything had been
//! acknowledged: its congestion controller has seen the acknowledgements that this takes, one for as many
//! segments as the peer's rule of delayed acknowledgements says, until its window is the peer's, beyond which
//! it makes no difference. Its round-trip time is that of a path without queues.
//!
//! Departures and silences: sequence numbers begin behind the handshake all the same, because nothing depends
//! on them.

use super::Endpoint;
use crate::connection_flags::ConnectionFlags;
use crate::context::Context;
use crate::hosts::Ecn;
use crate::outbox::Outbox;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// What a connection has behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// The round-trip time of its path without queues.
    pub round_trip: Span,
    /// Bytes that this end has sent without a pause, all acknowledged.
    pub acknowledged_bytes: u64,
}

impl Endpoint {
    /// Puts an end that has not begun into the middle of a connection: it is open, and nothing is
    /// outstanding.
    ///
    /// # Panics
    /// If the end has begun to open a connection.
    pub fn resume(&mut self, now: Time, context: &Context<'_>, past: Past) {
        assert!(
            self.highest_sent() == SequenceNumber::INITIAL,
            "resume() on an end that is {:?}",
            self.state
        );
        self.receiver.begin(context.profile);
        self.sender.begin(now, context);
        self.sender.stop_timing();
        self.sender.sequence.una = self.sender.sequence.max;
        self.receiver.nxt = SequenceNumber::INITIAL.plus(1);
        if context.profile.ecn != Ecn::Off {
            self.flags.set(ConnectionFlags::ECN);
        }
        self.open(now, context, &mut Outbox::new());
        let timer = &context.profile.retransmission;
        self.sender.round_trip_time.sample(timer, &context.clock, now, now + past.round_trip);
        self.sender.begin_estimate(now, context, past.round_trip);
        self.grow_window(now, context, past);
    }

    fn grow_window(&mut self, now: Time, context: &Context<'_>, past: Past) {
        let profile = context.profile;
        let per_acknowledgement =
            u32::from(profile.delayed_ack.every_segments.max(1)) * profile.segment_bytes();
        let mut left = past.acknowledged_bytes;
        while left > 0 && self.sender.window(profile) < profile.window_bytes {
            let bytes = left.min(u64::from(per_acknowledgement)) as u32;
            left -= u64::from(bytes);
            self.sender.grow_by(now, profile, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::HostProfile;

    const ROUND_TRIP: Span = Span::from_milliseconds(80);

    fn server(profile: &HostProfile, acknowledged_bytes: u64) -> Endpoint {
        let context = Context { profile, clock: profile.clock(Span::ZERO) };
        let mut server = Endpoint::passive();
        server.resume(Time::ZERO, &context, Past { round_trip: ROUND_TRIP, acknowledged_bytes });
        server
    }

    #[test]
    fn the_window_is_that_of_slow_start_after_so_many_bytes_and_at_most_the_peers() {
        let bsd45 = HostProfile::named("bsd45").unwrap();
        let segments = |acknowledged: u64| {
            server(&bsd45, acknowledged).congestion_window_bytes(&bsd45) / f64::from(bsd45.segment_bytes())
        };
        // One segment and the one of the handshake's last acknowledgement; then one for every second segment.
        assert_eq!([0, 2 * 1460, 4 * 1460, 12 * 1460].map(segments), [2.0, 3.0, 4.0, 8.0]);
        // 20 segments make the window 12, the peer's; nothing that comes later can be seen.
        assert_eq!([20 * 1460, 40 * 1460, 1 << 40].map(segments), [12.0; 3]);
    }

    /// RFC 5681 section 3.1 in segments: slow start opens the window by what is acknowledged, from ten on.
    #[test]
    fn the_window_of_linux_grows_by_what_was_acknowledged() {
        let linux = HostProfile::named("linux6-reno").unwrap();
        let bytes = u64::from(linux.segment_bytes());
        let segments = |acknowledged: u64| {
            let window = server(&linux, acknowledged * bytes).congestion_window_bytes(&linux);
            window / f64::from(linux.segment_bytes())
        };
        assert_eq!([0, 2, 20, 21].map(segments), [10.0, 12.0, 30.0, 31.0]);
    }

    #[test]
    fn it_sends_its_window_at_once_when_the_application_writes() {
        let profile = HostProfile { maximum_burst_segments: None, ..HostProfile::named("bsd45").unwrap() };
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        for (acknowledged, segments) in [(0, 2), (12 * 1460, 8), (1 << 30, 12)] {
            let mut outbox = Outbox::new();
            let mut server = server(&profile, acknowledged);
            assert_eq!(server.deadline(), Time::MAX, "no timer runs");
            server.write(Time::ZERO, &context, 1 << 30, &mut outbox);
            assert_eq!(outbox.segments.len(), segments, "after {acknowledged} bytes");
        }
    }

    #[test]
    fn both_ends_understand_each_other_and_close() {
        for name in ["bsd228", "bsd45", "rfc5681"] {
            let profile = HostProfile { ecn: Ecn::Rfc3168, ..HostProfile::named(name).unwrap() };
            let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
            let (mut browser, mut server) = (Endpoint::active(), server(&profile, 5_000));
            browser.resume(Time::ZERO, &context, Past { round_trip: ROUND_TRIP, acknowledged_bytes: 0 });
            let (mut sent, mut answered) = (Outbox::new(), Outbox::new());
            server.write(Time::ZERO, &context, 1_000, &mut sent);
            server.close(Time::ZERO, &context, &mut sent);
            let mut delivered = 0;
            for _ in 0..4 {
                for segment in std::mem::take(&mut sent.segments) {
                    answered.clear();
                    browser.on_segment(Time::from_seconds(0.04), &context, &segment, false, &mut answered);
                    delivered += answered.delivered;
                    for answer in std::mem::take(&mut answered.segments) {
                        server.on_segment(Time::from_seconds(0.08), &context, &answer, false, &mut sent);
                    }
                    if answered.peer_closed {
                        browser.close(Time::from_seconds(0.04), &context, &mut answered);
                        for answer in std::mem::take(&mut answered.segments) {
                            server.on_segment(Time::from_seconds(0.08), &context, &answer, false, &mut sent);
                        }
                    }
                }
            }
            assert_eq!((delivered, sent.finished), (1_000, true), "{name}");
        }
    }
}
