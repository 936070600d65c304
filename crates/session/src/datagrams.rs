//! Applications that send datagrams at a rate of their own: always, or in periods with silence between them.
//!
//! A source owns no connection and hears nothing back. It is woken for each datagram, sends it, and asks to be woken
//! for the next. Its clock stands still while it is silent, so that its mean rate is its rate times the share of the
//! time in which it is on, however short its periods are.

use crate::transport::{Alarm, Datagram, DatagramSourceId, Transport};
use aqmlab_random::{Key, Law};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};

/// One source, as it is set up.
#[derive(Clone, Debug)]
pub struct DatagramSource {
    /// When it sends its first datagram, at the beginning of a period if it has periods.
    pub starts: Time,
    /// From when on it sends nothing.
    pub stops: Time,
    /// Length of the IP packets.
    pub ip_bytes: u16,
    /// Rate of IP packets while it is on.
    pub rate: Rate,
    /// Periods of sending and of silence; none for a source that is always on.
    pub periods: Option<Periods>,
}

/// Lengths of the periods of a source, in seconds: those of sending and those of silence.
#[derive(Clone, Debug)]
pub struct Periods {
    /// Law of the periods of sending, whose mean is above zero.
    pub on: Law,
    /// Law of the periods of silence.
    pub off: Law,
    /// The source's own random numbers.
    pub key: Key,
}

/// A source at work.
struct Source {
    settings: DatagramSource,
    /// Time from one datagram to the next, while it is on.
    interval: TransmissionClock,
    /// The end of the present period of sending.
    on_until: Time,
    /// Periods of sending so far.
    periods: u64,
    /// Datagrams so far.
    sequence: u32,
}

/// All sources of a run.
pub(crate) struct DatagramSources {
    all: Vec<Source>,
}

impl DatagramSources {
    pub(crate) fn new(all: Vec<DatagramSource>) -> Self {
        Self { all: all.into_iter().map(Source::new).collect() }
    }

    pub(crate) fn start(&self, transport: &mut impl Transport) {
        for (place, source) in self.all.iter().enumerate() {
            if source.settings.starts < source.settings.stops {
                let alarm = Alarm::Datagrams { source: DatagramSourceId::of(place) };
                transport.wake_at(source.settings.starts, alarm);
            }
        }
    }

    /// A datagram is due.
    pub(crate) fn send(&mut self, source: DatagramSourceId, transport: &mut impl Transport) {
        let own = &mut self.all[source.place()];
        transport.send(&Datagram { source, sequence: own.sequence, ip_bytes: own.settings.ip_bytes });
        own.sequence = own.sequence.wrapping_add(1);
        let next = own.after(transport.now());
        if next < own.settings.stops {
            transport.wake_at(next, Alarm::Datagrams { source });
        }
    }
}

impl Source {
    fn new(settings: DatagramSource) -> Self {
        let mut source = Self {
            interval: TransmissionClock::new(settings.rate),
            on_until: Time::MAX,
            periods: 0,
            sequence: 0,
            settings,
        };
        source.on_until = source.settings.starts + source.next_on();
        source
    }

    /// When the datagram behind the one of this instant is due: an interval of sending later, periods of silence left
    /// out. At the end of a period it is due with the beginning of the next.
    fn after(&mut self, now: Time) -> Time {
        let (mut from, mut wait) = (now, self.interval.transmit(u32::from(self.settings.ip_bytes)));
        while wait >= self.on_until - from {
            wait = wait - (self.on_until - from);
            from = self.on_until + self.off();
            self.on_until = from + self.next_on();
            if from >= self.settings.stops {
                return Time::MAX;
            }
        }
        from + wait
    }

    /// Draws the length of the next period of sending.
    fn next_on(&mut self) -> Span {
        let Some(Periods { on, key, .. }) = &self.settings.periods else { return ALWAYS };
        self.periods += 1;
        Span::from_seconds(on.draw(key.named("on"), self.periods))
    }

    /// Length of the silence behind the present period of sending.
    fn off(&self) -> Span {
        let Some(Periods { off, key, .. }) = &self.settings.periods else { return Span::ZERO };
        Span::from_seconds(off.draw(key.named("off"), self.periods))
    }
}

/// Longer than any run.
const ALWAYS: Span = Span::from_nanoseconds(1 << 62);
