//! What the C functions of a congestion controller are told: the facts as plain structures of numbers.
//!
//! `aqmlab_controller.h` says the same to C compilers. Instants and times are nanoseconds, a time that is
//! absent is [`NEVER`], what is true is 1.

use crate::table::NEVER;
use aqmlab_tcp::congestion::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Opening, Phase, Recovered,
    Sent, Timeout,
};
use aqmlab_units::Span;

/// `aqmlab_opening`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawOpening {
    now_ns: u64,
    round_trip_ns: u64,
    active: u32,
    syn_lost: u32,
    reduces_window: u32,
    feedback: u32,
}

/// `aqmlab_sent`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawSent {
    now_ns: u64,
    again: u32,
    in_flight: u32,
    application_limited: u32,
    phase: u32,
}

/// `aqmlab_round_trip`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawRoundTrip {
    now_ns: u64,
    round_trip_ns: u64,
    round_begins: u32,
}

/// `aqmlab_delivery_rate`; all zero if there is none.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RawDeliveryRate {
    interval_ns: u64,
    segments: u32,
    application_limited: u32,
    in_flight: u32,
    lost_since: u32,
}

/// `aqmlab_acknowledged`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawAcknowledged {
    now_ns: u64,
    delivered_ever: u64,
    round_trip_ns: u64,
    delivery_rate: RawDeliveryRate,
    delivered: u32,
    marked: u32,
    lost: u32,
    in_flight: u32,
    advanced: u32,
    may_grow: u32,
    window_unused: u32,
    window_full: u32,
    round_begins: u32,
    phase: u32,
}

/// `aqmlab_lost_segment`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawLostSegment {
    now_ns: u64,
    delivered_ever: u64,
    place: u64,
    in_flight: u32,
    lost_since: u32,
    application_limited: u32,
}

/// `aqmlab_loss`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawLoss {
    now_ns: u64,
    in_flight: u32,
    reduced: u32,
    repaired: u32,
}

/// `aqmlab_timeout`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawTimeout {
    now_ns: u64,
    in_flight: u32,
    repeated: u32,
}

/// `aqmlab_marks`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawMarks {
    now_ns: u64,
    marked: u32,
}

const fn nanoseconds(time: Option<Span>) -> u64 {
    match time {
        Some(time) => time.nanoseconds(),
        None => NEVER,
    }
}

const fn number_of_phase(phase: Phase) -> u32 {
    match phase {
        Phase::Open => 0,
        Phase::Reducing => 1,
        Phase::Recovery => 2,
        Phase::Loss => 3,
    }
}

/// The number of the end of a reduction.
pub(crate) const fn number_of_end(how: Recovered) -> u32 {
    match how {
        Recovered::Complete => 0,
        Recovered::Mistaken => 1,
        Recovered::AfterTimeout => 2,
    }
}

impl From<&Opening> for RawOpening {
    fn from(told: &Opening) -> Self {
        let Opening { now, round_trip, active, syn_lost, reduces_window, feedback } = *told;
        Self {
            now_ns: now.nanoseconds(),
            round_trip_ns: nanoseconds(round_trip),
            active: active.into(),
            syn_lost: syn_lost.into(),
            reduces_window: reduces_window.into(),
            feedback: match feedback {
                Feedback::None => 0,
                Feedback::Classic => 1,
                Feedback::Accurate => 2,
            },
        }
    }
}

impl From<&Sent> for RawSent {
    fn from(told: &Sent) -> Self {
        let Sent { now, again, in_flight, application_limited, phase } = *told;
        Self {
            now_ns: now.nanoseconds(),
            again: again.into(),
            in_flight,
            application_limited: application_limited.into(),
            phase: number_of_phase(phase),
        }
    }
}

impl From<&Measured> for RawRoundTrip {
    fn from(told: &Measured) -> Self {
        let Measured { now, round_trip, round_begins } = *told;
        Self {
            now_ns: now.nanoseconds(),
            round_trip_ns: round_trip.nanoseconds(),
            round_begins: round_begins.into(),
        }
    }
}

impl From<DeliveryRate> for RawDeliveryRate {
    fn from(rate: DeliveryRate) -> Self {
        let DeliveryRate { segments, interval, application_limited, in_flight, lost_since } = rate;
        Self {
            interval_ns: interval.nanoseconds(),
            segments,
            application_limited: application_limited.into(),
            in_flight,
            lost_since,
        }
    }
}

impl From<&Acknowledged> for RawAcknowledged {
    fn from(told: &Acknowledged) -> Self {
        Self {
            now_ns: told.now.nanoseconds(),
            delivered_ever: told.delivered_ever,
            round_trip_ns: nanoseconds(told.round_trip),
            delivery_rate: told.delivery_rate.map_or_else(RawDeliveryRate::default, Into::into),
            delivered: told.delivered,
            marked: told.marked,
            lost: told.lost,
            in_flight: told.in_flight,
            advanced: told.advanced.into(),
            may_grow: told.may_grow.into(),
            window_unused: told.window_unused.into(),
            window_full: told.window_full.into(),
            round_begins: told.round_begins.into(),
            phase: number_of_phase(told.phase),
        }
    }
}

impl From<&LostSegment> for RawLostSegment {
    fn from(told: &LostSegment) -> Self {
        let LostSegment { now, delivered_ever, place, in_flight, lost_since, application_limited } = *told;
        Self {
            now_ns: now.nanoseconds(),
            delivered_ever,
            place,
            in_flight,
            lost_since,
            application_limited: application_limited.into(),
        }
    }
}

impl From<&Loss> for RawLoss {
    fn from(told: &Loss) -> Self {
        let Loss { now, in_flight, reduced, repaired } = *told;
        Self { now_ns: now.nanoseconds(), in_flight, reduced: reduced.into(), repaired: repaired.into() }
    }
}

impl From<&Timeout> for RawTimeout {
    fn from(told: &Timeout) -> Self {
        let Timeout { now, in_flight, repeated } = *told;
        Self { now_ns: now.nanoseconds(), in_flight, repeated: repeated.into() }
    }
}

impl From<&Marks> for RawMarks {
    fn from(told: &Marks) -> Self {
        Self { now_ns: told.now.nanoseconds(), marked: told.marked }
    }
}
