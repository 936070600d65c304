//! Applications that send datagrams at a rate of their own (always, or in periods with silence between them),
//! the frames of a video, or those of a call that adapts.
//!
//! A source owns no connection. It is woken for each datagram or frame, sends it, and asks to be woken for
//! the next. The clock of one with periods stands still while it is silent, so that its mean rate is its rate
//! times the share of the time in which it is on, however short its periods are. None but a call hears
//! anything back: its receiver is a source too, of reports (`video_call.rs`).

use crate::starts::check_now_and_then;
use crate::transport::{Alarm, Datagram, DatagramSourceId, Transport};
use crate::video_call::{AdaptiveVideo, Feedback, VideoCall};
use aqmlab_random::{Key, Law};
use aqmlab_record::VideoCallFrame;
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
    /// The frames of a call whose bit rate adapts.
    AdaptiveVideo(AdaptiveVideo),
    /// Reports of what has arrived of a call.
    Feedback(Feedback),
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
#[derive(Clone)]
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
#[derive(Clone)]

enum Work {
    Packets(PacketClock),
    Frames(FrameClock),
    /// The sender of a call, by the place of the call.
    Call(usize),
    Feedback(Feedback),
}

/// When the packets of a source with a rate are due.
#[derive(Clone)]
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
#[derive(Clone)]
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
#[derive(Clone)]
pub(crate) struct DatagramSources {
    all: Vec<Source>,
    calls: Vec<VideoCall>,
}

impl DatagramSources {
    pub(crate) fn new(all: Vec<DatagramSource>) -> Self {
        let mut calls = Vec::new();
        let all = all.into_iter().map(|settings| Source::new(settings, &mut calls)).collect();
        Self { all, calls }
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

    /// A datagram is due, or a frame, or a report.
    pub(crate) fn send(&mut self, source: DatagramSourceId, transport: &mut impl Transport) {
        let own = &mut self.all[source.place()];
        match own.work {
            Work::Packets(_) | Work::Frames(_) => own.send(source, transport),
            Work::Call(call) => own.send_call(source, &mut self.calls[call], transport),
            Work::Feedback(feedback) => self.report(source, feedback, transport),
        }
    }

    /// A datagram has arrived, of a call or of one's receiver.
    pub(crate) fn hear(&mut self, source: DatagramSourceId, sequence: u32, transport: &mut impl Transport) {
        match self.all[source.place()].work {
            Work::Call(call) => {
                let now = transport.now();
                let VideoCall { sender, receiver, frames } = &mut self.calls[call];
                if let Some(piece) = sender.piece(sequence) {
                    frames.arrive(piece, now);
                }
                receiver.arrive(sequence, now);
            }
            Work::Feedback(Feedback { call, .. }) => self.hear_report(call, sequence, transport),
            Work::Packets(_) | Work::Frames(_) => {}
        }
    }

    /// A report has reached the sender of a call, whose place among the sources this is.
    fn hear_report(&mut self, of: usize, number: u32, transport: &mut impl Transport) {
        let own = &mut self.all[of];
        let Work::Call(call) = own.work else { return };
        let VideoCall { sender, receiver, frames } = &mut self.calls[call];
        let Some(report) = receiver.take(number) else { return };
        let now = transport.now();
        sender.hear(&report, now, frames);
        // What is sent again leaves before what was due, unless the call is over.
        let due = sender.due().max(now);
        if due < own.due && due < own.stops {
            own.due = due;
            transport.wake_at(due, Alarm::Datagrams { source: DatagramSourceId::of(of) });
        }
    }

    /// A report is due.
    fn report(&mut self, source: DatagramSourceId, feedback: Feedback, transport: &mut impl Transport) {
        let Work::Call(call) = self.all[feedback.call].work else { return };
        let own = &mut self.all[source.place()];
        if let Some(ip_bytes) = self.calls[call].receiver.report(own.sequence, own.ip_bytes) {
            transport.send(&Datagram { source, sequence: own.sequence, ip_bytes });
            own.sequence = own.sequence.wrapping_add(1);
        }
        own.due += feedback.interval;
        transport.wake_at(own.due, Alarm::Datagrams { source });
    }

    /// Takes the frames of all calls: of each the place of its source, and its frames.
    pub(crate) fn take_frames(&mut self) -> Vec<(u32, Vec<VideoCallFrame>)> {
        let mut calls = std::mem::take(&mut self.calls).into_iter();
        let is_call = |(_, source): &(u32, &Source)| matches!(source.work, Work::Call(_));
        let places = (0..).zip(&self.all).filter(is_call);
        places.filter_map(|(place, _)| Some((place, calls.next()?.frames.into_rows()))).collect()
    }
}

impl Source {
    fn new(settings: DatagramSource, calls: &mut Vec<VideoCall>) -> Self {
        let DatagramSource { starts, stops, ip_bytes, sends } = settings;
        let work = match sends {
            Sends::Packets { rate, periods } => {
                Work::Packets(PacketClock::new(rate, periods, (starts, stops)))
            }
            Sends::Frames(frames) => Work::Frames(FrameClock::new(frames, starts)),
            Sends::AdaptiveVideo(video) => {
                calls.push(VideoCall::new(video, ip_bytes, starts));
                Work::Call(calls.len() - 1)
            }
            Sends::Feedback(feedback) => Work::Feedback(feedback),
        };
        Self { starts, stops, ip_bytes, work, due: starts, sequence: 0 }
    }

    /// A datagram is due, or a frame.
    fn send(&mut self, source: DatagramSourceId, transport: &mut impl Transport) {
        loop {
            let (ip_bytes, next) = self.step(self.due);
            transport.send(&Datagram { source, sequence: self.sequence, ip_bytes });
            self.sequence = self.sequence.wrapping_add(1);
            let Next::At(next) = next else { continue };
            self.due = next;
            if next < self.stops {
                transport.wake_at(next, Alarm::Datagrams { source });
            }
            return;
        }
    }

    /// Something of a call is due: a frame is captured, or a packet leaves. An alarm for what has been done
    /// already, as what is sent again came before it, is passed over.
    fn send_call(&mut self, source: DatagramSourceId, call: &mut VideoCall, transport: &mut impl Transport) {
        let now = transport.now();
        if now < self.due {
            return;
        }
        call.sender.capture(now, &mut call.frames);
        while let Some(ip_bytes) = call.sender.send(now, &mut call.frames) {
            transport.send(&Datagram { source, sequence: self.sequence, ip_bytes });
            self.sequence = self.sequence.wrapping_add(1);
        }
        self.due = call.sender.due();
        if self.due < self.stops {
            transport.wake_at(self.due, Alarm::Datagrams { source });
        }
    }

    /// Length of the datagram that is due now, and what follows it.
    fn step(&mut self, now: Time) -> (u16, Next) {
        match &mut self.work {
            Work::Packets(clock) => (self.ip_bytes, Next::At(clock.after(now, self.ip_bytes))),
            Work::Frames(clock) => clock.step(self.ip_bytes),
            Work::Call(_) | Work::Feedback(_) => unreachable!("calls are sent by their senders"),
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
