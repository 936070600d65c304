//! Packets of one length at a rate of their own, always or in periods with silence between them.
//!
//! The clock of a sender with periods stands still while it is silent, so that its mean rate is its rate
//! times the share of the time in which it is on, however short its periods are. Nothing is heard back.

use crate::facts::{Facts, Sends, SteadyRate};
use crate::{Application, End, Mistake, Next, Parameters, Setup, Step};
use aqmlab_random::{Key, Law, Stream};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The keys of packets at a rate, which stand in the group itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketKeys {
    /// Bits of IP packets per second that each source sends while it is on. This, or the table of another
    /// application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_mbps: Option<f64>,

    /// Length of the periods in which a source sends, or its mean; with `off_s`. Absent: it always sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    pub on_s: Option<f64>,

    /// Length of the silent periods between them, or its mean; with `on_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    pub off_s: Option<f64>,

    /// How long single periods are; only with `on_s` and `off_s`, then exponential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<PeriodLaw>,
}

/// Distribution of a source's on and off periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeriodLaw {
    /// Exponential.
    #[default]
    Exponential,
    /// Constant.
    Fixed,
}

/// Packets at a rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Packets {
    /// Mbit/s of IP packets while it is on.
    pub rate_mbps: f64,
    /// The mean lengths of the periods of sending and of silence, in seconds, and their law; none for a
    /// sender that is always on.
    pub periods: Option<([f64; 2], PeriodLaw)>,
}

impl Default for Packets {
    fn default() -> Self {
        Self { rate_mbps: 1.0, periods: None }
    }
}

impl PacketKeys {
    /// Fills in the default that depends on other keys.
    pub fn settle(&mut self) {
        if self.on_s.is_some() && self.off_s.is_some() {
            self.periods.get_or_insert_default();
        }
    }

    /// The application, where they name it.
    #[must_use]
    pub fn application(&self) -> Option<Packets> {
        let periods =
            self.on_s.zip(self.off_s).map(|(on, off)| ([on, off], self.periods.unwrap_or_default()));
        self.rate_mbps.map(|rate_mbps| Packets { rate_mbps, periods })
    }

    /// What is wrong with the keys of the periods, both of which are given or none.
    #[must_use]
    pub fn check(&self) -> Vec<Mistake> {
        let mistake = match (self.on_s, self.off_s, self.periods) {
            (Some(_), Some(_), _) | (None, None, None) => return Vec::new(),
            (None, None, Some(_)) => {
                let wrong = "a source without on_s and off_s always sends";
                Mistake::of_group("periods", wrong, "periods together with on_s and off_s")
            }
            (on, _, _) => {
                let (given, missing) = if on.is_some() { ("on_s", "off_s") } else { ("off_s", "on_s") };
                let wrong = format!("given without {missing}");
                Mistake::of_group(given, wrong, "on_s together with off_s, or neither")
            }
        };
        vec![mistake]
    }

    /// What is wrong with them beside an application with a table, which has no such periods.
    #[must_use]
    pub fn refused_beside(&self, application: &str) -> Vec<Mistake> {
        let given = [
            ("on_s", self.on_s.is_some()),
            ("off_s", self.off_s.is_some()),
            ("periods", self.periods.is_some()),
        ];
        let refused = |(key, _): (&str, bool)| {
            let wrong = format!("{application} sends all the time");
            Mistake::of_group(key, wrong, "on_s and off_s with rate_mbps")
        };
        given.into_iter().filter(|(_, is_given)| *is_given).map(refused).collect()
    }
}

impl Packets {
    fn rate(&self) -> Rate {
        Rate::from_megabits_per_second(self.rate_mbps)
    }
}

impl Parameters for Packets {
    fn facts(&self, packet_bytes: u16) -> Facts {
        let rate = self.rate();
        let sender = Sends {
            packets_per_second: rate.packets_per_second(packet_bytes.into()),
            shortest_bytes: packet_bytes,
            burst_packets: Some(2.0),
            steady: Some(SteadyRate { rate, is_always_on: self.periods.is_none() }),
            periods_per_second: self.periods.map_or(0.0, |([on_s, off_s], _)| {
                1.0 / (Span::from_seconds(on_s) + Span::from_seconds(off_s)).seconds()
            }),
            is_heard: false,
        };
        Facts { sender, receiver: None, frames: None }
    }

    fn build(&self, setup: Setup) -> Box<dyn Application> {
        Box::new(PacketClock::new(self, &setup))
    }

    fn drawn(dice: &mut Stream) -> Self {
        let mut seconds = || 0.001 + dice.uniform();
        let periods = ([seconds(), seconds()], PeriodLaw::Exponential);
        Self {
            rate_mbps: 0.01 + 0.2 * dice.uniform(),
            periods: Some(periods).filter(|_| dice.uniform() < 0.5),
        }
    }
}

/// When packets are due.
#[derive(Clone)]
struct PacketClock {
    packet_bytes: u16,
    periods: Option<DrawnPeriods>,
    stops: Time,
    /// Time from one packet to the next, while it is on.
    interval: TransmissionClock,
    /// The end of the present period of sending.
    on_until: Time,
    /// Periods of sending so far.
    begun: u64,
}

/// Laws of the lengths of periods in seconds.
#[derive(Clone)]
struct DrawnPeriods {
    on: Law,
    off: Law,
    key: Key,
}

impl PacketClock {
    fn new(packets: &Packets, setup: &Setup) -> Self {
        let key = setup.key.named("periods");
        let periods = packets.periods.map(|([on_s, off_s], law)| {
            // Periods are whole nanoseconds.
            let law = |mean_s: f64| match law {
                PeriodLaw::Fixed => Law::Constant(Span::from_seconds(mean_s).seconds()),
                PeriodLaw::Exponential => Law::Exponential { mean: Span::from_seconds(mean_s).seconds() },
            };
            DrawnPeriods { on: law(on_s), off: law(off_s), key }
        });
        let mut clock = Self {
            packet_bytes: setup.packet_bytes,
            periods,
            stops: setup.stops,
            interval: TransmissionClock::new(packets.rate()),
            on_until: Time::MAX,
            begun: 0,
        };
        clock.on_until = setup.starts + clock.next_on();
        clock
    }

    /// When the packet behind the one of this instant is due: an interval of sending later, periods of
    /// silence left out. At the end of a period it is due with the beginning of the next.
    fn after(&mut self, now: Time) -> Time {
        let (mut from, mut wait) = (now, self.interval.transmit(self.packet_bytes.into()));
        while wait >= self.on_until - from {
            wait = wait - (self.on_until - from);
            from = self.on_until + self.off();
            self.on_until = from + self.next_on();
            if from >= self.stops {
                return Time::MAX;
            }
        }
        from + wait
    }

    /// Draws the length of the next period of sending.
    fn next_on(&mut self) -> Span {
        let Some(DrawnPeriods { on, key, .. }) = &self.periods else { return ALWAYS };
        self.begun += 1;
        Span::from_seconds(on.draw(key.named("on"), self.begun))
    }

    /// Length of the silence behind the present period of sending.
    fn off(&self) -> Span {
        let Some(DrawnPeriods { off, key, .. }) = &self.periods else { return Span::ZERO };
        Span::from_seconds(off.draw(key.named("off"), self.begun))
    }
}

impl Application for PacketClock {
    fn wake(&mut self, _end: End, due: Time, _now: Time) -> Step {
        Step { sends: Some(self.packet_bytes), next: Next::At(self.after(due)) }
    }
}

/// Longer than any run.
const ALWAYS: Span = Span::from_nanoseconds(1 << 62);
