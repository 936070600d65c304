//! ns-2's one-way NewReno agent.
//!
//! Source: ns-2.35 tcp.cc, tcp-reno.cc and tcp-newreno.cc with the defaults of ns-default.tcl (`bugFix_`,
//! `bugfix_ss_`, `singledup_`, `partial_window_deflation_`, `precisionReduce_`, `slow_start_restart_` true;
//! `newreno_changes1_` 1; `maxburst_` 0). The window counts segments as a real number; with w = min(cwnd +
//! dupwnd, window_):
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd < ssthresh | cwnd += 1 |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 / cwnd |
//! | 1st, 2nd duplicate | one new segment if outstanding < cwnd + duplicates (limited transmit) |
//! | 3rd duplicate | ssthresh = max(2, ⌊w / 2⌋), cwnd = w / 2, dupwnd = 3; resend one; timer restarted |
//! | further duplicates | dupwnd += 1, at most two segments sent |
//! | partial acknowledgement of n segments | dupwnd -= n - 1 while larger, else cwnd -= n - dupwnd, dupwnd = 1; resend one; timer restarted at the first only (impatient) |
//! | full acknowledgement | dupwnd = 0, then as a new one |
//! | timeout | ssthresh = max(2, ⌊w / 2⌋), kept after an ECN reaction; cwnd = 1; go back |
//! | retransmission timer with nothing outstanding | cwnd = 1 |
//! | SYN sent again | ssthresh = 2; with ECN, as after an echo |
//! | ECN-Echo, once per window | ssthresh = max(2, ⌊w / 2⌋), cwnd = w / 2, even below 1 |
//!
//! Fast retransmit is entered when everything sent at the last reduction is acknowledged (careful), or when the
//! first data segment is missing. It sends while outstanding < ⌊cwnd⌋ + dupwnd.
//!
//! Departures and silences:
//! - ns-2 numbers packets; here bytes are counted, and a segment at the end of a write may be short. n is rounded
//!   up to whole segments.
//! - The idle timer that ns-2 lets run is evaluated when the application writes again.
//! - ns-2 would "resend" a segment that was never sent if a third duplicate came with nothing outstanding; so
//!   would this, but it would not send it twice.

use super::DUPLICATE_THRESHOLD;
use crate::endpoint::{Context, Endpoint, Reduction};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::HostProfile;
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

/// Least slow-start threshold in segments (tcp.cc `slowdown`).
const LEAST_THRESHOLD: u32 = 2;
/// Most segments sent on one duplicate acknowledgement in fast recovery (tcp-newreno.cc `recv`).
const SEGMENTS_PER_DUPLICATE: u16 = 2;

/// The SYN had to be sent again. The acknowledgement that agrees to ECN carries the flag of an echo, and after a timeout
/// ns-2 takes it for one.
pub(crate) fn open_after_lost_syn(endpoint: &mut Endpoint) {
    endpoint.threshold = LEAST_THRESHOLD;
    if endpoint.marks.has(Marks::ECN) {
        endpoint.recover = endpoint.highest;
        endpoint.reduction = Reduction::Echo;
        endpoint.marks.set(Marks::REDUCED);
        endpoint.marks.set(Marks::ECN_WAIT);
    }
}

pub(crate) fn on_new_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    echo: bool,
    out: &mut Outbox,
) {
    if endpoint.reduction == Reduction::Duplicates && number.before(endpoint.recover) {
        on_partial_acknowledgement(endpoint, now, context, number, out);
        return;
    }
    if endpoint.inflation > 0 {
        endpoint.inflation = 0;
        if endpoint.reduction == Reduction::Duplicates {
            endpoint.reduction = Reduction::None;
        }
    }
    endpoint.marks.clear(Marks::PARTIAL_SEEN);
    endpoint.duplicates = 0;
    sample(endpoint, now, context, number, echo);
    endpoint.advance(number, out);
    if endpoint.outstanding() == 0 && endpoint.unsent == 0 {
        endpoint.retransmission_deadline = Time::MAX;
        endpoint.active_at = now;
    } else {
        endpoint.start_timer(now, context);
    }
    if !echo {
        endpoint.marks.clear(Marks::ECN_WAIT);
        grow(endpoint);
    }
}

/// A sample ends the back-off, unless ECN made it and the echo goes on.
fn sample(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, number: SequenceNumber, echo: bool) {
    let backoffs = endpoint.round_trip_time.backoffs();
    let keep = echo && endpoint.marks.has(Marks::ECN_WAIT);
    endpoint.take_sample(now, context, number);
    if keep {
        endpoint.round_trip_time.set_backoffs(backoffs);
    }
}

#[inline]
fn grow(endpoint: &mut Endpoint) {
    endpoint.window +=
        if endpoint.window < f64::from(endpoint.threshold) { 1.0 } else { 1.0 / endpoint.window };
}

fn on_partial_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    out: &mut Outbox,
) {
    if !endpoint.marks.has(Marks::PARTIAL_SEEN) {
        endpoint.marks.set(Marks::PARTIAL_SEEN);
        endpoint.start_timer(now, context);
    }
    let bytes = number.distance_from(endpoint.unacknowledged);
    deflate(endpoint, bytes.div_ceil(context.profile.segment_bytes()));
    if endpoint.timed_since != Time::MAX && endpoint.timed_number.before(number) {
        endpoint.timed_since = Time::MAX;
        endpoint.round_trip_time.set_backoffs(0);
    }
    endpoint.advance(number, out);
    endpoint.retransmit_first(now, context, out);
}

fn deflate(endpoint: &mut Endpoint, segments: u32) {
    let inflation = u32::from(endpoint.inflation);
    if inflation > segments {
        endpoint.inflation -= (segments - 1) as u16;
    } else {
        endpoint.window -= f64::from(segments - inflation);
        endpoint.inflation = 1;
    }
    endpoint.window = endpoint.window.max(1.0);
}

pub(crate) fn on_duplicate(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    out: &mut Outbox,
) -> bool {
    if endpoint.duplicates < DUPLICATE_THRESHOLD {
        if context.profile.limited_transmit {
            send_one(endpoint, now, context, out);
        }
        return false;
    }
    if endpoint.duplicates == DUPLICATE_THRESHOLD {
        consider_recovery(endpoint, now, context, out);
    } else if endpoint.reduction == Reduction::Duplicates {
        endpoint.inflation = endpoint.inflation.saturating_add(1);
    }
    true
}

fn consider_recovery(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    let first_data = SequenceNumber::INITIAL.plus(1);
    let recovered = endpoint.recover.before(endpoint.unacknowledged);
    if recovered || endpoint.unacknowledged == first_data {
        endpoint.recover = endpoint.highest;
        halve(endpoint, context.profile);
    } else if endpoint.reduction != Reduction::Echo {
        return;
    }
    endpoint.reduction = Reduction::Duplicates;
    endpoint.timed_since = Time::MAX;
    endpoint.statistics.count_fast_recovery();
    endpoint.start_timer(now, context);
    endpoint.retransmit_first(now, context, out);
    endpoint.inflation = DUPLICATE_THRESHOLD;
}

/// Halves window and threshold (tcp.cc `slowdown(CLOSE_SSTHRESH_HALF|CLOSE_CWND_HALF)`).
fn halve(endpoint: &mut Endpoint, profile: &HostProfile) {
    let half = half_window(endpoint, profile);
    endpoint.threshold = (half as u32).max(LEAST_THRESHOLD);
    endpoint.window = half;
    endpoint.marks.set(Marks::REDUCED);
}

fn half_window(endpoint: &Endpoint, profile: &HostProfile) -> f64 {
    let inflated = endpoint.window + f64::from(endpoint.inflation);
    inflated.min(f64::from(profile.window_segments())) / 2.0
}

pub(crate) fn on_timeout(endpoint: &mut Endpoint, context: &Context<'_>) {
    endpoint.inflation = 0;
    endpoint.window = endpoint.window.max(1.0);
    if endpoint.reduction != Reduction::Echo {
        let half = half_window(endpoint, context.profile);
        endpoint.threshold = (half as u32).max(LEAST_THRESHOLD);
    }
    endpoint.window = 1.0;
}

/// The retransmission timer fired with nothing outstanding: after a pause, or with a window below one.
pub(crate) fn restart(endpoint: &mut Endpoint) {
    endpoint.window = 1.0;
    endpoint.inflation = 0;
    endpoint.duplicates = 0;
    endpoint.recover = endpoint.highest;
    endpoint.reduction = Reduction::Timeout;
    endpoint.timed_since = Time::MAX;
    endpoint.marks.set(Marks::REDUCED);
}

pub(crate) fn on_congestion_echo(endpoint: &mut Endpoint, context: &Context<'_>, number: SequenceNumber) {
    if !endpoint.recover.before(number) && endpoint.reduction != Reduction::Timeout {
        return;
    }
    endpoint.recover = endpoint.highest;
    endpoint.reduction = Reduction::Echo;
    if endpoint.window > 1.0 {
        endpoint.marks.clear(Marks::ECN_WAIT);
    } else if endpoint.marks.has(Marks::ECN_WAIT) {
        endpoint.round_trip_time.back_off(&context.profile.retransmission, &context.clock, false);
    } else {
        endpoint.marks.set(Marks::ECN_WAIT);
    }
    halve(endpoint, context.profile);
    endpoint.statistics.count_ecn_reduction();
}

/// Segments that may be outstanding.
#[inline]
pub(crate) fn sending_segments(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    (endpoint.window as u32 + u32::from(endpoint.inflation)).min(profile.window_segments())
}

/// tcp.cc `send_much`.
pub(crate) fn output(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    let paused = endpoint.outstanding() == 0 && endpoint.retransmission_deadline == Time::MAX;
    if paused {
        let timer = &context.profile.retransmission;
        if now >= endpoint.active_at + endpoint.round_trip_time.timeout(timer, &context.clock) {
            restart(endpoint);
        }
    }
    let limit = if endpoint.duplicates >= DUPLICATE_THRESHOLD {
        Some(SEGMENTS_PER_DUPLICATE)
    } else {
        context.profile.maximum_burst_segments
    };
    let mss = context.profile.segment_bytes();
    let admitted = sending_segments(endpoint, context.profile) * mss;
    let mut sent = 0;
    while limit.is_none_or(|most| sent < most)
        && endpoint.next.distance_from(endpoint.unacknowledged) < admitted
        && send_next(endpoint, now, context, out)
    {
        sent = sent.saturating_add(1);
    }
    let stuck = endpoint.unsent > 0 && endpoint.outstanding() == 0;
    if stuck && endpoint.retransmission_deadline == Time::MAX {
        // The timer that ran on through the pause.
        let timer = &context.profile.retransmission;
        endpoint.retransmission_deadline =
            endpoint.round_trip_time.deadline(timer, &context.clock, endpoint.active_at);
    }
    if endpoint.marks.has(Marks::ACK_NOW) {
        endpoint.emit_acknowledgement(context, out);
    }
}

/// tcp.cc `send_one`: limited transmit.
fn send_one(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    let mss = context.profile.segment_bytes();
    let outstanding = endpoint.next.distance_from(endpoint.unacknowledged).div_ceil(mss);
    let admitted = endpoint.window + f64::from(endpoint.duplicates);
    if outstanding < context.profile.window_segments() && f64::from(outstanding + 1) <= admitted {
        send_next(endpoint, now, context, out);
    }
}

fn send_next(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) -> bool {
    let mss = u64::from(context.profile.segment_bytes());
    let length = endpoint.data_left().min(mss) as u32;
    if length > 0 {
        endpoint.emit(now, context, length, false, out);
    }
    length > 0
}
