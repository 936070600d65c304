//! Applications that send datagrams at a rate of their own (always, or in periods with silence between them),
//! or the frames of a video.
//!
//! A source owns no connection and hears nothing back. It is woken for each datagram or frame, sends it, and
//! asks to be woken for the next. The clock of one with periods stands still while it is silent, so that its
//! mean rate is its rate times the share of the time in which it is on, however short its periods are.

use crate::starts::check_now_and_then;
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
    /// Length of the IP packets, the greatest if they differ.
    pub ip_bytes: u16,
    /// What is sent when.
    pub sends: Sends,
}

/// What a source sends when.
#[derive(Clone, Debug)]
pub enum Sends {
    /// Packets of one length at a rate.
    Packets {
        /// Rate of IP packets while it is on.
        rate: Rate,
        /// Periods of sending and of silence; none for a source that is always on.
        periods: Option<Periods>,
    },
    /// The frames of a video.
    Frames(Frames),
}

/// Frames at a constant rate, each in as many packets as it needs.
#[derive(Clone, Debug)]
pub struct Frames {
    /// From one frame to the next, in seconds; above zero.
    pub interval_s: f64,
    /// Laws of the lengths of frames in bytes, one after the other and again from the first; never empty.
    pub bytes: Vec<Law>,
    /// Bytes of headers of a packet, fewer than the packet's.
    pub header_bytes: u16,
    /// Whether the packets of a frame leave evenly until the next, and not all with the frame.
    pub even: bool,
    /// The source's own random numbers.
    pub key: Key,
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
    starts: Time,
    stops: Time,
    ip_bytes: u16,
    work: Work,
    /// When the next datagram is due: where time is real it is sent a little later, and the one after it is
    /// not put off by that.
    due: Time,
    /// Datagrams so far.
    sequence: u32,
}

enum Work {
    Packets(PacketClock),
    Frames(FrameClock),
}

/// When the packets of a source with a rate are due.
struct PacketClock {
    periods: Option<Periods>,
    stops: Time,
    /// Time from one datagram to the next, while it is on.
    interval: TransmissionClock,
    /// The end of the present period of sending.
    on_until: Time,
    /// Periods of sending so far.
    begun: u64,
}

/// When the packets of a video are due.
struct FrameClock {
    frames: Frames,
    starts: Time,
    /// The present frame.
    number: u64,
    /// Of its bytes those that are not sent, and its packets, sent and in all.
    left_bytes: u64,
    sent_packets: u64,
    packets: u64,
}

/// What a source has sent is followed by another datagram: with it, or at an instant.
enum Next {
    AtOnce,
    At(Time),
}

/// All sources of a run.
pub(crate) struct DatagramSources {
    all: Vec<Source>,
}

impl DatagramSources {
    pub(crate) fn new(all: Vec<DatagramSource>) -> Self {
        Self { all: all.into_iter().map(Source::new).collect() }
    }

    pub(crate) fn start<E>(
        &self,
        transport: &mut impl Transport,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for (place, source) in self.all.iter().enumerate() {
            check_now_and_then(place, &mut check)?;
            if source.starts < source.stops {
                let alarm = Alarm::Datagrams { source: DatagramSourceId::of(place) };
                transport.wake_at(source.starts, alarm);
            }
        }
        Ok(())
    }

    /// A datagram is due, or a frame.
    pub(crate) fn send(&mut self, source: DatagramSourceId, transport: &mut impl Transport) {
        let own = &mut self.all[source.place()];
        loop {
            let (ip_bytes, next) = own.step(own.due);
            transport.send(&Datagram { source, sequence: own.sequence, ip_bytes });
            own.sequence = own.sequence.wrapping_add(1);
            let Next::At(next) = next else { continue };
            own.due = next;
            if next < own.stops {
                transport.wake_at(next, Alarm::Datagrams { source });
            }
            return;
        }
    }
}

impl Source {
    fn new(settings: DatagramSource) -> Self {
        let DatagramSource { starts, stops, ip_bytes, sends } = settings;
        let work = match sends {
            Sends::Packets { rate, periods } => {
                Work::Packets(PacketClock::new(rate, periods, (starts, stops)))
            }
            Sends::Frames(frames) => Work::Frames(FrameClock::new(frames, starts)),
        };
        Self { starts, stops, ip_bytes, work, due: starts, sequence: 0 }
    }

    /// Length of the datagram that is due now, and what follows it.
    fn step(&mut self, now: Time) -> (u16, Next) {
        match &mut self.work {
            Work::Packets(clock) => (self.ip_bytes, Next::At(clock.after(now, self.ip_bytes))),
            Work::Frames(clock) => clock.step(self.ip_bytes),
        }
    }
}

impl PacketClock {
    fn new(rate: Rate, periods: Option<Periods>, (starts, stops): (Time, Time)) -> Self {
        let interval = TransmissionClock::new(rate);
        let mut clock = Self { periods, stops, interval, on_until: Time::MAX, begun: 0 };
        clock.on_until = starts + clock.next_on();
        clock
    }

    /// When the datagram behind the one of this instant is due: an interval of sending later, periods of
    /// silence left out. At the end of a period it is due with the beginning of the next.
    fn after(&mut self, now: Time, ip_bytes: u16) -> Time {
        let (mut from, mut wait) = (now, self.interval.transmit(u32::from(ip_bytes)));
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
        let Some(Periods { on, key, .. }) = &self.periods else { return ALWAYS };
        self.begun += 1;
        Span::from_seconds(on.draw(key.named("on"), self.begun))
    }

    /// Length of the silence behind the present period of sending.
    fn off(&self) -> Span {
        let Some(Periods { off, key, .. }) = &self.periods else { return Span::ZERO };
        Span::from_seconds(off.draw(key.named("off"), self.begun))
    }
}

impl FrameClock {
    const fn new(frames: Frames, starts: Time) -> Self {
        Self { frames, starts, number: 0, left_bytes: 0, sent_packets: 0, packets: 0 }
    }

    fn step(&mut self, ip_bytes: u16) -> (u16, Next) {
        let payload = u64::from(ip_bytes - self.frames.header_bytes);
        if self.left_bytes == 0 {
            self.left_bytes = self.length_of_frame();
            self.packets = self.left_bytes.div_ceil(payload);
            self.sent_packets = 0;
        }
        let carried = self.left_bytes.min(payload);
        self.left_bytes -= carried;
        self.sent_packets += 1;
        let length = self.frames.header_bytes + u16::try_from(carried).expect("fewer than a packet has");
        (length, self.next())
    }

    /// At least a byte. What a law draws is far below what 64 bits hold.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn length_of_frame(&self) -> u64 {
        let place = usize::try_from(self.number % self.frames.bytes.len() as u64).expect("a place in a list");
        let bytes = self.frames.bytes[place].draw(self.frames.key, self.number);
        (bytes + 0.5).max(1.0) as u64
    }

    fn next(&mut self) -> Next {
        let through_frame = if self.left_bytes == 0 {
            self.number += 1;
            0.0
        } else if self.frames.even {
            self.sent_packets as f64 / self.packets as f64
        } else {
            return Next::AtOnce;
        };
        let frames = self.number as f64 + through_frame;
        Next::At(self.starts + Span::from_seconds(frames * self.frames.interval_s))
    }
}

/// Longer than any run.
const ALWAYS: Span = Span::from_nanoseconds(1 << 62);
