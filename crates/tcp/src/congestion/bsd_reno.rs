//! FreeBSD 2.2: Reno, as 4.4BSD had it.
//!
//! Source: FreeBSD 2.2 tcp_input.c (ACK processing) and tcp_timer.c (`tcp_timers`); W. R. Stevens, *TCP/IP
//! Illustrated* volume 2, chapters 28 and 29. With w the smaller of congestion window and peer's window, all in
//! bytes:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd <= ssthresh | cwnd += MSS, whatever it acknowledges |
//! | new acknowledgement, cwnd > ssthresh | cwnd += ⌊MSS² / cwnd⌋ |
//! | 3rd duplicate | ssthresh = max(2, ⌊w / 2 MSS⌋) MSS; resend one; cwnd = ssthresh + 3 MSS |
//! | further duplicates | cwnd += MSS |
//! | any new acknowledgement after that | cwnd = ssthresh if it is larger; then as a new one |
//! | timeout | ssthresh as for duplicates; cwnd = MSS; go back |
//!
//! There is no `recover`: a partial acknowledgement ends fast recovery, so a second loss in a window waits for three
//! more duplicates or the timer, and duplicates caused by going back may start another fast retransmit.
//!
//! Parameters: none of its own; cwnd never exceeds 65,535 bytes shifted by the window scale.
//!
//! Departures and silences: the header prediction of the original does not grow a congestion window that exceeds the
//! peer's; here it grows on, which nothing can see, since both the sending and the halving take the smaller window.
//! The stack has no ECN; if a scenario switches it on, an acknowledgement with an echo does not grow the window.

use super::DUPLICATE_THRESHOLD;
use super::bsd_newreno::{THRESHOLD_AFTER_LOST_SYN, grow, half_window};
use crate::endpoint::{Context, Endpoint, Reduction};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::HostProfile;
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
    if endpoint.duplicates >= DUPLICATE_THRESHOLD {
        endpoint.window = endpoint.window.min(f64::from(endpoint.threshold));
        endpoint.reduction = Reduction::None;
    }
    endpoint.duplicates = 0;
    endpoint.take_sample(now, context, number);
    if !echo {
        grow(endpoint, context.profile);
    }
    endpoint.advance(number, out);
    endpoint.restart_timer(now, context);
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
    if endpoint.duplicates > DUPLICATE_THRESHOLD {
        endpoint.window += f64::from(context.profile.segment_bytes());
        return true;
    }
    endpoint.threshold = half_window(endpoint, context.profile);
    endpoint.reduction = Reduction::Duplicates;
    endpoint.timed_since = Time::MAX;
    endpoint.statistics.count_fast_recovery();
    endpoint.retransmit_first(now, context, out);
    endpoint.start_timer(now, context);
    endpoint.marks.set(Marks::REDUCED);
    let inflation = u32::from(DUPLICATE_THRESHOLD) * context.profile.segment_bytes();
    endpoint.window = f64::from(endpoint.threshold + inflation);
    false
}

/// The timer that repeats a SYN halves the window like any other: two segments remain. A client does not know the
/// segment size yet and counts in default segments of 512 bytes.
pub(crate) fn threshold_after_lost_syn(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    if endpoint.marks.has(Marks::ACTIVE) { THRESHOLD_AFTER_LOST_SYN } else { 2 * profile.segment_bytes() }
}
