//! Congestion control: how the window grows, what a loss does to it, how recovery sends.
//!
//! One file per stack. Each answers the same questions about an [`Endpoint`]; the profile says whom to ask.
//! Adding a controller is a file, a variant of [`Congestion`], and its arms below.
//!
//! The window is an `f64`. Stacks that count whole bytes keep whole numbers in it, which `f64` holds exactly;
//! ns-2's counts segments.

pub(crate) mod bsd_newreno;
pub(crate) mod bsd_reno;
pub(crate) mod ns2_newreno;
pub(crate) mod rfc5681;

use crate::endpoint::{Context, Endpoint, Reduction};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Congestion, Ecn, HostProfile};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

/// Duplicate acknowledgements that are taken for a loss (RFC 5681 section 3.2).
pub(crate) const DUPLICATE_THRESHOLD: u16 = 3;

/// Sets the initial window and threshold when the opening segment is sent.
pub(crate) fn begin(endpoint: &mut Endpoint, profile: &HostProfile) {
    let segments = f64::from(profile.initial_window_segments);
    let threshold = profile.initial_slow_start_threshold_bytes.unwrap_or(profile.window_bytes);
    if profile.congestion == Congestion::Ns2NewReno {
        endpoint.window = segments;
        endpoint.threshold = threshold / profile.segment_bytes();
    } else {
        endpoint.window = segments * f64::from(profile.segment_bytes());
        endpoint.threshold = threshold;
    }
}

/// The handshake is over: what it does to the initial window.
pub(crate) fn open(endpoint: &mut Endpoint, profile: &HostProfile) {
    let syn_lost = endpoint.marks.has(Marks::SYN_LOST);
    if profile.congestion == Congestion::Ns2NewReno {
        // An echo before any data are acknowledged asks for nothing (tcp.cc: `recover_` starts as the SYN's number).
        endpoint.recover = endpoint.highest;
    }
    if syn_lost && profile.syn_loss_reduces_initial_window {
        endpoint.window = one_segment(profile);
    }
    if profile.passive_window_quirk && !endpoint.marks.has(Marks::ACTIVE) {
        endpoint.window += one_segment(profile);
    }
    if syn_lost && profile.congestion == Congestion::BsdReno {
        endpoint.threshold = bsd_reno::threshold_after_lost_syn(endpoint, profile);
    } else if syn_lost && endpoint.marks.has(Marks::ACTIVE) {
        match profile.congestion {
            Congestion::BsdNewReno => endpoint.threshold = bsd_newreno::THRESHOLD_AFTER_LOST_SYN,
            Congestion::Ns2NewReno => ns2_newreno::open_after_lost_syn(endpoint),
            Congestion::BsdReno | Congestion::Rfc5681Reno | Congestion::Rfc5681NewReno => {}
        }
    }
}

/// A pause: the window starts again from the initial one.
pub(crate) fn restart(endpoint: &mut Endpoint, profile: &HostProfile) {
    let initial = f64::from(profile.initial_window_segments) * one_segment(profile);
    endpoint.window = match profile.congestion {
        // FreeBSD sets it outright, RFC 5681 never raises it.
        Congestion::BsdReno | Congestion::BsdNewReno => initial,
        _ => endpoint.window.min(initial),
    };
}

/// `number` acknowledges something new. `echo` says that it carries an ECN-Echo on an ECN connection.
#[inline]
pub(crate) fn on_new_acknowledgement(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    number: SequenceNumber,
    echo: bool,
    out: &mut Outbox,
) {
    match context.profile.congestion {
        Congestion::BsdReno => bsd_reno::on_new_acknowledgement(endpoint, now, context, number, echo, out),
        Congestion::BsdNewReno => {
            bsd_newreno::on_new_acknowledgement(endpoint, now, context, number, echo, out);
        }
        Congestion::Rfc5681Reno | Congestion::Rfc5681NewReno => {
            rfc5681::on_new_acknowledgement(endpoint, now, context, number, echo, out);
        }
        Congestion::Ns2NewReno => {
            ns2_newreno::on_new_acknowledgement(endpoint, now, context, number, echo, out);
        }
    }
}

/// One more duplicate has been counted. Answers whether the output routine should run.
pub(crate) fn on_duplicate(
    endpoint: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    out: &mut Outbox,
) -> bool {
    match context.profile.congestion {
        Congestion::BsdReno => bsd_reno::on_duplicate(endpoint, now, context, out),
        Congestion::BsdNewReno => bsd_newreno::on_duplicate(endpoint, now, context, out),
        Congestion::Rfc5681Reno | Congestion::Rfc5681NewReno => {
            rfc5681::on_duplicate(endpoint, now, context, out)
        }
        Congestion::Ns2NewReno => ns2_newreno::on_duplicate(endpoint, now, context, out),
    }
}

/// The retransmission timer has fired with something outstanding.
pub(crate) fn on_timeout(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    match context.profile.congestion {
        Congestion::BsdReno | Congestion::BsdNewReno => bsd_newreno::on_timeout(endpoint, context),
        Congestion::Rfc5681Reno | Congestion::Rfc5681NewReno => rfc5681::on_timeout(endpoint, context),
        Congestion::Ns2NewReno => ns2_newreno::on_timeout(endpoint, context),
    }
    // Go back: everything outstanding is sent again, as the window allows.
    endpoint.next = endpoint.unacknowledged;
    endpoint.recover = endpoint.highest;
    endpoint.duplicates = 0;
    endpoint.reduction = Reduction::Timeout;
    endpoint.marks.clear(Marks::RECOVERING);
    endpoint.marks.clear(Marks::PARTIAL_SEEN);
    endpoint.marks.set(Marks::REDUCED);
    endpoint.round_trip_time.back_off(&context.profile.retransmission, &context.clock, false);
    endpoint.output(now, context, out);
}

/// The retransmission timer has fired with nothing outstanding: the window was too small to send.
pub(crate) fn on_quiet_timeout(endpoint: &mut Endpoint, now: Time, context: &Context<'_>, out: &mut Outbox) {
    if context.profile.congestion == Congestion::Ns2NewReno {
        ns2_newreno::restart(endpoint);
    } else {
        endpoint.marks.clear(Marks::ECN_WAIT);
    }
    endpoint.output(now, context, out);
}

/// The reaction to an ECN-Echo of the stacks that count bytes.
pub(crate) fn reduce_on_echo(endpoint: &mut Endpoint, now: Time, context: &Context<'_>) {
    let profile = context.profile;
    let mss = profile.segment_bytes();
    let window = byte_window(endpoint, profile);
    if profile.ecn == Ecn::Kame {
        if window / mss <= 1 {
            return;
        }
        endpoint.threshold = window / mss / 2 * mss;
        endpoint.window = f64::from(endpoint.threshold);
    } else {
        if window <= mss {
            // RFC 3168 section 6.1.2: only the retransmission timer may release the next segment.
            endpoint.marks.set(Marks::ECN_WAIT);
            endpoint.start_timer(now, context);
        }
        endpoint.window = f64::from((window / 2).max(mss));
        endpoint.threshold = (window / 2).max(2 * mss);
    }
    endpoint.recover = endpoint.highest;
    endpoint.reduction = Reduction::Echo;
    endpoint.marks.set(Marks::REDUCED);
    endpoint.statistics.count_ecn_reduction();
}

/// The smaller of congestion window and peer's window, in whole bytes.
#[inline]
pub(crate) fn byte_window(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    (endpoint.window as u32).min(profile.window_bytes)
}

/// How many bytes may be outstanding after the next segment, in the stacks that count bytes: the smaller window, plus what
/// limited transmit adds.
#[inline]
pub(crate) fn sending_window(endpoint: &Endpoint, profile: &HostProfile) -> u32 {
    if endpoint.marks.has(Marks::ECN_WAIT) {
        return 0;
    }
    let extra = rfc5681::limited_transmit_bytes(endpoint, profile);
    (endpoint.window as u32).saturating_add(extra).min(profile.window_bytes)
}

pub(crate) fn window_bytes(endpoint: &Endpoint, profile: &HostProfile) -> f64 {
    endpoint.window * bytes_per_unit(profile)
}

pub(crate) fn threshold_bytes(endpoint: &Endpoint, profile: &HostProfile) -> f64 {
    f64::from(endpoint.threshold) * bytes_per_unit(profile)
}

fn bytes_per_unit(profile: &HostProfile) -> f64 {
    match profile.congestion {
        Congestion::Ns2NewReno => f64::from(profile.segment_bytes()),
        _ => 1.0,
    }
}

/// One segment in the unit of the window.
fn one_segment(profile: &HostProfile) -> f64 {
    f64::from(profile.segment_bytes()) / bytes_per_unit(profile)
}
