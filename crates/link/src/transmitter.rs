//! The time that a link spends sending, and what it has sent.

use crate::framing::Framing;
use crate::monitored::Sent;
use crate::service::{Load, Service, ServiceModel};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time, TransmissionClock};

/// The plain case stands beside the others, so that it pays for a test alone.
#[derive(Clone)]
pub(crate) enum Pace {
    Constant(TransmissionClock),
    Varying(Box<dyn Service>),
}

/// Sends, one transmission after the other, and counts.
#[derive(Clone)]
pub struct Transmitter {
    pub(crate) pace: Pace,
    /// When the present transmission ends, or the last one did.
    ends: Time,
    /// Time without a transmission before the present or last one began.
    idle: Span,
    framing: Framing,
    sent: Sent,
}

impl Transmitter {
    /// An idle link of this rate, which is constant.
    #[must_use]
    pub fn constant(rate: Rate, framing: Framing) -> Self {
        Self::at_pace(Pace::Constant(TransmissionClock::new(rate)), framing)
    }

    /// An idle link of this rate; what is random of its service has its numbers at a key.
    pub(crate) fn new((service, key): (&ServiceModel, Key), rate: Rate, framing: Framing) -> Self {
        let constant = || Self::constant(rate, framing);
        let varying = |service| Self::at_pace(Pace::Varying(service), framing);
        service.varying(rate, key).map_or_else(constant, varying)
    }

    pub(crate) fn at_pace(pace: Pace, framing: Framing) -> Self {
        Self { pace, ends: Time::ZERO, idle: Span::ZERO, framing, sent: Sent::default() }
    }

    /// Takes another rate for the transmissions to come, if transmissions take the time of their bytes at a
    /// rate; answers whether they do.
    pub(crate) fn change_rate(&mut self, rate: Rate) -> bool {
        let Pace::Constant(clock) = &mut self.pace else { return false };
        *clock = TransmissionClock::new(rate);
        true
    }

    /// What a packet of `ip_bytes` is alone in a transmission.
    #[inline(always)]
    pub(crate) const fn load_of(&self, ip_bytes: u32) -> Load {
        Load { packets: 1, wire_bytes: self.framing.wire_bytes(ip_bytes) }
    }

    /// Whether every transmission takes the time of its bytes at one rate.
    #[inline(always)]
    pub(crate) const fn is_constant(&self) -> bool {
        matches!(self.pace, Pace::Constant(_))
    }

    /// Whether a transmission may carry so much.
    pub(crate) fn carries(&self, load: Load) -> bool {
        match &self.pace {
            Pace::Constant(_) => false,
            Pace::Varying(service) => service.carries(load),
        }
    }

    /// A transmission begins, the one before it being over; returns when it ends.
    #[inline(always)]
    pub fn begin(&mut self, now: Time, load: Load) -> Time {
        // Zero where one transmission follows the other.
        self.idle += now - self.ends;
        self.ends = match &mut self.pace {
            Pace::Constant(clock) => now + clock.transmit(load.wire_bytes),
            Pace::Varying(service) => service.transmit(now, load),
        };
        self.ends
    }

    /// A packet of `ip_bytes` that came at `now` is sent when those before it are; returns when the last of
    /// it has left.
    pub fn send(&mut self, now: Time, ip_bytes: u32) -> Time {
        let ends = self.begin(now.max(self.ends), self.load_of(ip_bytes));
        self.count(ip_bytes);
        ends
    }

    /// The last of a packet of `ip_bytes` has left.
    #[inline(always)]
    pub(crate) fn count(&mut self, ip_bytes: u32) {
        self.sent.frames += 1;
        self.sent.frame_bytes += u64::from(self.framing.frame_bytes(ip_bytes));
        self.sent.ip_bytes += u64::from(ip_bytes);
    }

    /// When the present transmission ends, or the last one did.
    #[must_use]
    #[inline(always)]
    pub const fn ends(&self) -> Time {
        self.ends
    }

    /// What the link layer adds.
    #[must_use]
    #[inline(always)]
    pub const fn framing(&self) -> Framing {
        self.framing
    }

    /// What has left so far.
    #[must_use]
    pub const fn sent(&self) -> Sent {
        self.sent
    }

    /// How long it has been sending until `now`: of the present transmission the part that is over, gaps
    /// between frames counted.
    #[must_use]
    pub fn transmitting(&self, now: Time) -> Span {
        let idle = self.idle + (now.max(self.ends) - self.ends);
        (now - Time::ZERO) - idle
    }
}
