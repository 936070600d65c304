//! The standards as written: RFC 5681, with or without NewReno (RFC 6582) and limited transmit (RFC 3042).
//!
//! Source: RFC 5681 sections 3.1 and 3.2 (equations 2 to 4), RFC 6582 section 3.2, RFC 3042 section 2. In bytes:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of N bytes, cwnd < ssthresh | cwnd += min(N, MSS) (eq. 2) |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += MSS² / cwnd (eq. 3) |
//! | 1st, 2nd duplicate | one new segment each beyond cwnd (RFC 3042) |
//! | 3rd duplicate | ssthresh = max(flight / 2, 2 MSS) (eq. 4); resend one; cwnd = ssthresh + 3 MSS |
//! | further duplicates | cwnd += MSS, at most one new segment each |
//! | partial acknowledgement of N bytes (RFC 6582) | resend one; cwnd -= N, += MSS if N >= MSS; timer restarted at the first only (impatient) |
//! | full acknowledgement | RFC 6582: cwnd = min(ssthresh, max(flight, MSS) + MSS); RFC 5681: cwnd = ssthresh |
//! | timeout | ssthresh as eq. 4, but kept at a repeated timeout; cwnd = MSS; go back |
//!
//! RFC 6582 enters fast recovery only if the acknowledgement covers more than `recover`, the highest number sent
//! at the last reduction.
//!
//! Departures and silences:
//! - RFC 5681 says that data sent by limited transmit do not count in the flight: the flight is taken as no more
//!   than cwnd.
//! - RFC 5681 does not say whether an application-limited sender grows its window; here it does.
//! - A loss in the window of an ECN reaction is repaired without a second reduction (RFC 3168 section 6.1.2).

use super::DUPLICATE_THRESHOLD;
use crate::endpoint::{Context, Endpoint, Reduction};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Congestion, HostProfile};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

#[inline]
pub(crate) fn on_new_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    echo: bool,
    out: &mut Outbox,
) {
    let newreno = context.profile.congestion == Congestion::Rfc5681NewReno;
    let recovering = endpoint.marks.has(Marks::RECOVERING);
    if recovering && newreno && number.before(endpoint.recover) {
        on_partial_acknowledgement(endpoint, now, context, number, out);
        return;
    }
    endpoint.duplicates = 0;
    endpoint.take_sample(now, context, number);
    if recovering {
        leave_recovery(endpoint, context.profile, number);
    } else if !echo {
        let acknowledged = number.distance_from(endpoint.unacknowledged);
        grow(endpoint, context.profile, acknowledged);
    }
    endpoint.advance(number, out);
    endpoint.restart_timer(now, context);
}

#[inline]
fn grow(endpoint: &mut Endpoint, profile: &HostProfile, acknowledged: u32) {
    let mss = profile.segment_bytes();
    endpoint.window += if endpoint.window < f64::from(endpoint.threshold) {
        f64::from(acknowledged.min(mss))
    } else {
        f64::from(mss) * f64::from(mss) / endpoint.window
    };
}

fn on_partial_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    out: &mut Outbox,
) {
    let mss = context.profile.segment_bytes();
    let acknowledged = number.distance_from(endpoint.unacknowledged);
    endpoint.advance(number, out);
    endpoint.timed_since = Time::MAX;
    if !endpoint.marks.has(Marks::PARTIAL_SEEN) {
        endpoint.marks.set(Marks::PARTIAL_SEEN);
        endpoint.start_timer(now, context);
    }
    endpoint.retransmit_first(now, context, out);
    let refill = if acknowledged >= mss { f64::from(mss) } else { 0.0 };
    endpoint.window = (endpoint.window - f64::from(acknowledged) + refill).max(f64::from(mss));
}

fn leave_recovery(endpoint: &mut Endpoint, profile: &HostProfile, number: SequenceNumber) {
    let mss = profile.segment_bytes();
    let flight = endpoint.highest.distance_from(number);
    let window = match profile.congestion {
        Congestion::Rfc5681NewReno => endpoint.threshold.min(flight.max(mss) + mss),
        _ => endpoint.threshold,
    };
    endpoint.window = f64::from(window);
    endpoint.marks.clear(Marks::RECOVERING);
    endpoint.reduction = Reduction::None;
}

pub(crate) fn on_duplicate(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    out: &mut Outbox,
) -> bool {
    if endpoint.marks.has(Marks::RECOVERING) {
        endpoint.window += f64::from(context.profile.segment_bytes());
        endpoint.output_one(now, context, out);
    } else if endpoint.duplicates == DUPLICATE_THRESHOLD {
        consider_recovery(endpoint, now, context, out);
    } else if limited_transmit_bytes(endpoint, context.profile) > 0 {
        endpoint.output_one(now, context, out);
    }
    // One segment for one duplicate (RFC 5681 section 3.2 step 5, RFC 3042 section 2): no more.
    false
}

fn consider_recovery(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    let mss = context.profile.segment_bytes();
    let covers_more = endpoint.recover.before(endpoint.unacknowledged);
    if !covers_more && endpoint.reduction == Reduction::Echo {
        // Already reduced for this window of data.
    } else if covers_more || context.profile.congestion == Congestion::Rfc5681Reno {
        endpoint.threshold = half_flight(endpoint, mss);
    } else {
        return;
    }
    endpoint.recover = endpoint.highest;
    endpoint.reduction = Reduction::Duplicates;
    endpoint.marks.set(Marks::RECOVERING);
    endpoint.marks.set(Marks::REDUCED);
    endpoint.marks.clear(Marks::PARTIAL_SEEN);
    endpoint.timed_since = Time::MAX;
    endpoint.statistics.count_fast_recovery();
    endpoint.retransmit_first(now, context, out);
    endpoint.start_timer(now, context);
    endpoint.window = f64::from(endpoint.threshold + u32::from(DUPLICATE_THRESHOLD) * mss);
}

/// Equation 4 of RFC 5681.
fn half_flight(endpoint: &Endpoint, mss: u32) -> u32 {
    let flight = endpoint.outstanding().min(endpoint.window as u32);
    (flight / 2).max(2 * mss)
}

pub(crate) fn on_timeout(endpoint: &mut Endpoint, context: &Context<'_>) {
    let mss = context.profile.segment_bytes();
    if endpoint.round_trip_time.backoffs() == 0 {
        endpoint.threshold = half_flight(endpoint, mss);
    }
    endpoint.window = f64::from(mss);
    endpoint.marks.clear(Marks::ECN_WAIT);
}

/// What the first two duplicates let out beyond the congestion window (RFC 3042 section 2).
#[inline]
pub(crate) fn limited_transmit_bytes(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    let first_duplicates =
        !endpoint.marks.has(Marks::RECOVERING) && endpoint.duplicates < DUPLICATE_THRESHOLD;
    if profile.limited_transmit && first_duplicates {
        u32::from(endpoint.duplicates) * profile.segment_bytes()
    } else {
        0
    }
}
