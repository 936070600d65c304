//! FreeBSD 4.x: NewReno, slow but steady.
//!
//! Source: FreeBSD RELENG_4 of August 2001, tcp_input.c 1.107.2.16 (ACK processing, `tcp_newreno`), tcp_timer.c
//! 1.34.2.11 (`tcp_timer_rexmt`). With w the smaller of congestion window and peer's window, all in bytes:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd <= ssthresh | cwnd += MSS, whatever it acknowledges |
//! | new acknowledgement, cwnd > ssthresh | cwnd += ⌊MSS² / cwnd⌋ |
//! | 3rd duplicate | ssthresh = max(2, ⌊w / 2 MSS⌋) MSS; recover = highest sent; resend one; cwnd = ssthresh + 3 MSS |
//! | 3rd duplicate, but ack < recover | nothing is resent: cwnd += MSS, the count starts again |
//! | further duplicates | cwnd += MSS |
//! | partial acknowledgement of a bytes | resend one; cwnd -= a - MSS; timer restarted (slow but steady) |
//! | full acknowledgement | cwnd = ssthresh, or flight + MSS if the flight is smaller; then as a new one |
//! | timeout | ssthresh as for duplicates; cwnd = MSS; go back; recover = highest sent |
//!
//! Parameters: none of its own; cwnd never exceeds 65,535 bytes shifted by the window scale.
//!
//! Departures and silences:
//! - The 2001 code keeps a count of one or two duplicates across a new acknowledgement and then does not grow the
//!   window; here a new acknowledgement clears the count (it matters only with reordering).
//! - "Bad retransmit" recovery (an acknowledgement within half a round trip of a first timeout restores the
//!   window) is left out, as is the route metrics cache.
//! - Deflation by more than the window would wrap around in C; here one segment is the least.

use super::{DUPLICATE_THRESHOLD, byte_window};
use crate::endpoint::{Context, Endpoint, Reduction};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Ecn, HostProfile};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

/// A client's SYN times out before the MSS is known: two default segments of 512 bytes (`tcp_mssdflt`).
pub(crate) const THRESHOLD_AFTER_LOST_SYN: u32 = 2 * 512;

#[inline]
pub(crate) fn on_new_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    echo: bool,
    out: &mut Outbox,
) {
    if endpoint.duplicates >= DUPLICATE_THRESHOLD {
        if number.before(endpoint.recover) {
            on_partial_acknowledgement(endpoint, now, context, number, out);
            return;
        }
        leave_recovery(endpoint, context.profile, number);
    }
    endpoint.duplicates = 0;
    endpoint.take_sample(now, context, number);
    if !echo || context.profile.ecn == Ecn::Kame {
        grow(endpoint, context.profile);
    }
    endpoint.advance(number, out);
    endpoint.restart_timer(now, context);
}

#[inline]
pub(super) fn grow(endpoint: &mut Endpoint, profile: &HostProfile) {
    let mss = profile.segment_bytes();
    let window = endpoint.window as u32;
    let increment = if window > endpoint.threshold { mss * mss / window } else { mss };
    endpoint.window = f64::from((window + increment).min(profile.scaled_window_ceiling()));
}

fn on_partial_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    out: &mut Outbox,
) {
    let mss = f64::from(context.profile.segment_bytes());
    let acknowledged = f64::from(number.distance_from(endpoint.unacknowledged));
    endpoint.advance(number, out);
    endpoint.timed_since = Time::MAX;
    endpoint.retransmit_first(now, context, out);
    endpoint.start_timer(now, context);
    endpoint.window = (endpoint.window - (acknowledged - mss)).max(mss);
}

fn leave_recovery(endpoint: &mut Endpoint, profile: &HostProfile, number: SequenceNumber) {
    let flight = endpoint.highest.distance_from(number);
    let window =
        if flight < endpoint.threshold { flight + profile.segment_bytes() } else { endpoint.threshold };
    endpoint.window = f64::from(window);
    endpoint.reduction = Reduction::None;
}

pub(crate) fn on_duplicate(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    out: &mut Outbox,
) -> bool {
    if endpoint.duplicates < DUPLICATE_THRESHOLD {
        return false;
    }
    if endpoint.duplicates == DUPLICATE_THRESHOLD {
        if !endpoint.unacknowledged.before(endpoint.recover) {
            endpoint.threshold = half_window(endpoint, context.profile);
            enter_recovery(endpoint, now, context, out);
            return false;
        }
        // RFC 3168 forbids a second reduction in the window of an ECN reaction, not the retransmission.
        if endpoint.reduction == Reduction::Echo && context.profile.ecn == Ecn::Rfc3168 {
            enter_recovery(endpoint, now, context, out);
            return false;
        }
        endpoint.duplicates = 0;
    }
    endpoint.window += f64::from(context.profile.segment_bytes());
    true
}

fn enter_recovery(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    endpoint.recover = endpoint.highest;
    endpoint.reduction = Reduction::Duplicates;
    endpoint.timed_since = Time::MAX;
    endpoint.statistics.count_fast_recovery();
    endpoint.retransmit_first(now, context, out);
    endpoint.start_timer(now, context);
    endpoint.marks.set(Marks::REDUCED);
    let inflation = u32::from(DUPLICATE_THRESHOLD) * context.profile.segment_bytes();
    endpoint.window = f64::from(endpoint.threshold + inflation);
}

/// Half of what may be in flight, in whole segments, at least two.
pub(super) fn half_window(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    let mss = profile.segment_bytes();
    (byte_window(endpoint, profile) / 2 / mss).max(2) * mss
}

pub(crate) fn on_timeout(endpoint: &mut Endpoint, context: &Context<'_>) {
    endpoint.threshold = half_window(endpoint, context.profile);
    endpoint.window = f64::from(context.profile.segment_bytes());
    endpoint.marks.clear(Marks::ECN_WAIT);
}
