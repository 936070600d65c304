//! A video call that adapts: frames as large as the controller allows, their packets paced, lost ones sent
//! again, and a receiver that reports what has arrived and shows frames in order.
//!
//! ```text
//! frame        every 1/frames_hz, target / frames_hz * a draw of mean 1; in the fewest packets, evenly
//! set          from the frame on that follows, the target is what an agent sets, if one does
//! pacing       a packet follows the one before after its own time at 2.5 times the target
//! report       every feedback interval in which something has arrived: which packets, and when
//! lost         what a report passes over is sent again in front of all that waits; so is what has not arrived
//!              and no report spoke of, because it was lost, when the next one comes
//! shown        a frame that has arrived whole, and all before it
//! given up     a frame of which something is to leave a second after its capture (or a frame interval, if
//!              that is longer), or when one captured so much later is whole
//! ```
//!
//! Sources. The controller: `google_congestion_control.rs`. Pacing at 2.5 times the target, packets of even
//! length and repairs by retransmission (RFC 4588) are WebRTC's; the report's length is that of
//! transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01): 20 bytes, a byte for each
//! arrival and two for each seven packets. Both ends are in this process: what a report says is kept until it
//! arrives.
//!
//! Departures. No key frames on request, no forward error correction, no layers, no playout delay: a frame is
//! shown when it can be. What is given up is repaired by nothing, and the frames after it can be shown;
//! WebRTC keeps what waits at the sender below two seconds in other ways. After a lost report the sender
//! repairs just what is missing, as if the receiver had asked for it. Packets that overtake others are taken
//! for lost ones that were repaired. A report is one packet, cut to the longest.

mod frames;
mod receiver;
mod sender;

use crate::facts::{Answers, Facts, FramesFacts, Sends, Viewers};
use crate::google_congestion_control::{GccEdition, RateLimits};
use crate::headers::{RTP_HEADER_BYTES, check_room};
use crate::{Application, End, HEADER_BYTES, Mistake, Next, Parameters, Setup, Step};
use aqmlab_random::Stream;
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Rate, Span, Time};
use frames::Frames;
use receiver::{Receiver, Report};
use schemars::JsonSchema;
use sender::Sender;
use serde::{Deserialize, Serialize};

/// Bytes of the headers of a packet: those of RTP and the extension that numbers packets.
const CALL_HEADER_BYTES: u16 = RTP_HEADER_BYTES + 8;

/// A video call as browsers make it: its bit rate follows Google's congestion control (GCC), from delays and
/// losses that its receiver reports; lost packets are sent again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "AdaptiveVideoTable")]
pub struct AdaptiveVideo {
    /// The least bit rate, of IP packets.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub minimum_mbps: f64,

    /// The greatest: that of the best picture the call has.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub maximum_mbps: f64,

    /// The bit rate at the beginning; absent: the greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub start_mbps: Option<f64>,

    /// Frames per second.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub frames_hz: f64,

    /// Coefficient of variation of the lengths of frames at one bit rate, lognormal; 0: constant.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub variation: f64,

    /// The text of the congestion control: what browsers ship, or the IETF's.
    pub edition: GccEdition,

    /// Time from one report of the receiver to the next.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    pub feedback_ms: f64,
}

impl Default for AdaptiveVideo {
    /// 720p at 30 frames a second: up to 2.5 Mbit/s; reports every 50 ms, as libwebrtc sends them where they
    /// are less than 5 % of the bit rate.
    fn default() -> Self {
        Self {
            minimum_mbps: 0.1,
            maximum_mbps: 2.5,
            start_mbps: None,
            frames_hz: 30.0,
            variation: 0.1,
            edition: GccEdition::Libwebrtc,
            feedback_ms: 50.0,
        }
    }
}

impl AdaptiveVideo {
    /// The least and the greatest bit rate, and the first, in bit/s.
    fn rates_bps(&self) -> [f64; 3] {
        let start_mbps = self.start_mbps.unwrap_or(self.maximum_mbps);
        [self.minimum_mbps, self.maximum_mbps, start_mbps].map(|mbps| bits_per_second(mbps) as f64)
    }

    fn limits(&self) -> RateLimits {
        let [least_bps, greatest_bps, _] = self.rates_bps();
        RateLimits { least_bps, greatest_bps }
    }

    fn feedback_interval(&self) -> Span {
        Span::from_seconds(self.feedback_ms / 1e3)
    }

    /// The rates in their order.
    fn check_rates(&self) -> Option<Mistake> {
        let [least, greatest] = [self.minimum_mbps, self.maximum_mbps];
        if least > greatest {
            let wrong = format!("{least} is more than maximum_mbps, {greatest}");
            return Some(Mistake::new("minimum_mbps", wrong, "at most maximum_mbps"));
        }
        let start = self.start_mbps.unwrap_or(greatest);
        let legal = format!("minimum_mbps to maximum_mbps, {least} to {greatest}");
        (!(least..=greatest).contains(&start)).then(|| Mistake::new("start_mbps", start.to_string(), legal))
    }

    /// A frame has a packet at least, at the least rate too, and no more than can be numbered at the
    /// greatest.
    fn check_frames(&self, packet_bytes: u16) -> Vec<Mistake> {
        let mbps = |frame_bytes: f64| frame_bytes * 8.0 * self.frames_hz / 1e6;
        let mut mistakes = Vec::new();
        let least = mbps(f64::from(CALL_HEADER_BYTES) + 1.0);
        if self.minimum_mbps < least {
            let wrong = format!(
                "{} leaves no packet for each of {} frames a second",
                self.minimum_mbps, self.frames_hz
            );
            mistakes.push(Mistake::new("minimum_mbps", wrong, format!("at least {least}")));
        }
        let greatest = mbps(f64::from(u16::MAX) * f64::from(packet_bytes));
        if self.maximum_mbps > greatest {
            let wrong = format!("{} makes frames of more than 65535 packets", self.maximum_mbps);
            mistakes.push(Mistake::new("maximum_mbps", wrong, format!("at most {greatest}")));
        }
        mistakes
    }
}

/// Rounded to the nearest bit per second.
fn bits_per_second(mbps: f64) -> u64 {
    Rate::from_megabits_per_second(mbps).bits_per_second()
}

impl Parameters for AdaptiveVideo {
    fn check(&self, packet_bytes: u16) -> Vec<Mistake> {
        let frames = self.check_frames(packet_bytes);
        let room = check_room(packet_bytes, CALL_HEADER_BYTES);
        self.check_rates().into_iter().chain(frames).chain(room).collect()
    }

    fn facts(&self, packet_bytes: u16) -> Facts {
        let greatest = Rate::from_megabits_per_second(self.maximum_mbps);
        // At the greatest rate, each frame's last packet a short one.
        let packets_per_second =
            greatest.packets_per_second(packet_bytes.into()) + 1.0 / (1.0 / self.frames_hz);
        // Frames vary, and lost packets are sent again.
        let sender = Sends { is_heard: true, ..Sends::at_times(packets_per_second, CALL_HEADER_BYTES + 1) };
        let reports_per_second = 1.0 / self.feedback_interval().seconds();
        let reports = Sends {
            burst_packets: Some(2.0),
            is_heard: true,
            ..Sends::at_times(reports_per_second, HEADER_BYTES + 1)
        };
        let receiver = Answers {
            name: "feedback",
            interval: self.feedback_interval(),
            stops_with_sender: false,
            packet_bytes,
            sends: reports,
        };
        let [least, greatest, _] = self.rates_bps();
        let frames = FramesFacts {
            hz: 1.0 / (1.0 / self.frames_hz),
            rates_bps: [least, greatest],
            viewers: Viewers::Talking,
        };
        Facts { sender, receiver: Some(receiver), frames: Some(frames) }
    }

    fn build(&self, setup: Setup) -> Box<dyn Application> {
        Box::new(VideoCall::new(self, &setup))
    }

    fn drawn(dice: &mut Stream) -> Self {
        let (least, greatest) = (0.03 + 0.5 * dice.uniform(), 0.53 + 2.0 * dice.uniform());
        Self {
            minimum_mbps: least,
            maximum_mbps: greatest,
            start_mbps: Some(least + (greatest - least) * dice.uniform()),
            frames_hz: 1.0 + 60.0 * dice.uniform(),
            variation: if dice.uniform() < 0.5 { 0.0 } else { dice.uniform() },
            edition: if dice.uniform() < 0.5 { GccEdition::Libwebrtc } else { GccEdition::Draft02 },
            feedback_ms: 10.0 + 200.0 * dice.uniform(),
        }
    }
}

/// A part of a frame, in one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// The frame's number, from 0.
    frame: u32,
    /// Which of its packets.
    number: u16,
    /// Length of the IP packet.
    ip_bytes: u16,
}

/// A call at work.
#[derive(Clone)]
struct VideoCall {
    sender: Sender,
    receiver: Receiver,
    frames: Frames,
    stops: Time,
    feedback_interval: Span,
    /// Reports that were sent.
    reports: u32,
    longest_report: u16,
    /// When the last report was due, while there is nothing to say: nobody is woken for the next.
    silent_since: Option<Time>,
}

impl VideoCall {
    fn new(settings: &AdaptiveVideo, setup: &Setup) -> Self {
        Self {
            frames: Frames::new(1.0 / settings.frames_hz),
            stops: setup.stops,
            receiver: Receiver::default(),
            feedback_interval: settings.feedback_interval(),
            reports: 0,
            longest_report: setup.packet_bytes,
            silent_since: None,
            sender: Sender::new(settings, setup),
        }
    }

    /// A frame is captured, or a packet leaves.
    fn go_on(&mut self, now: Time) -> Step {
        self.sender.capture(now, &mut self.frames);
        let sends = self.sender.send(now, &mut self.frames);
        let next = if sends.is_some() { Next::AtOnce } else { Next::At(self.sender.due()) };
        Step { sends, next }
    }

    /// A report is due, if there is something to say.
    fn report(&mut self, due: Time) -> Step {
        let sends = self.receiver.report(self.reports, self.longest_report);
        if sends.is_none() {
            self.silent_since = Some(due);
            return Step { sends, next: Next::Never };
        }
        self.reports = self.reports.wrapping_add(1);
        Step { sends, next: Next::At(due + self.feedback_interval) }
    }

    /// When the report is due that breaks the silence, by the clock of all reports; none if there is none.
    fn next_report(&mut self, now: Time) -> Option<Time> {
        let last = self.silent_since.take()?;
        let passed = (now - last).div_floor(self.feedback_interval);
        Some(last + self.feedback_interval * (passed + 1))
    }
}

impl Application for VideoCall {
    fn wake(&mut self, end: End, due: Time, now: Time) -> Step {
        match end {
            End::Sender => self.go_on(now),
            End::Receiver => self.report(due),
        }
    }

    fn hear(&mut self, from: End, number: u32, now: Time) -> Option<Time> {
        match from {
            End::Sender => {
                if let Some(piece) = self.sender.piece(number) {
                    self.frames.arrive(piece, now);
                }
                self.receiver.arrive(number, now);
                self.next_report(now)
            }
            End::Receiver => {
                let report = self.receiver.take(number)?;
                self.sender.hear(&report, now, &mut self.frames);
                // What is sent again leaves before what was due.
                Some(self.sender.due().max(now))
            }
        }
    }

    fn is_settled(&self, before: Time) -> bool {
        self.frames.are_settled(before, self.stops <= before)
    }

    fn bit_rates(&self) -> Option<[Rate; 2]> {
        Some(self.sender.bit_rates())
    }

    fn keep_to(&mut self, rate: Rate) {
        self.sender.keep_to(rate);
    }

    fn frames(&self) -> &[VideoCallFrame] {
        self.frames.rows()
    }

    fn take_frames(&mut self) -> Option<Vec<VideoCallFrame>> {
        Some(self.frames.take_rows())
    }
}
