//! Frames that come at a constant rate and have the sizes of their kinds, each in as many packets as it
//! needs.
//!
//! Defaults: a typical MPEG-1 trace as Chung, Claypool and Kinicki 2004 (section 5.4) describe it. Nothing is
//! heard back.

use crate::facts::{Facts, Sends};
use crate::frame_lengths::{varying, whole_bytes};
use crate::headers::check_room;
use crate::{Application, End, HEADER_BYTES, Mistake, Next, Parameters, Setup, Step};
use aqmlab_random::{Key, Law, Stream};
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video in groups of pictures, as in MPEG-1: frames at a constant rate with sizes in a repeating pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "VideoTable")]
pub struct Video {
    /// Frames per second.
    #[schemars(range(min = 0.001, max = 100_000.0))]
    pub frames_hz: f64,

    /// Frames of a group of pictures in the order of sending: I, P and B.
    #[schemars(length(min = 1, max = 1000))]
    pub pattern: String,

    /// Mean length of an intra-coded frame, without packet headers.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub i_frame_bytes: u32,

    /// Mean length of a frame predicted from an earlier one.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub p_frame_bytes: u32,

    /// Mean length of a frame predicted from earlier and later ones.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub b_frame_bytes: u32,

    /// Coefficient of variation of the lengths of one kind, lognormal; 0: constant.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub variation: f64,

    /// When the packets of a frame leave.
    pub spacing: FrameSpacing,
}

/// When the packets of a frame leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameSpacing {
    /// All with the frame, one after the other at the rate of the machine's interface.
    #[default]
    Burst,
    /// Evenly over the time until the next frame.
    Even,
}

impl Default for Video {
    /// 1.04 Mbit/s of frames.
    fn default() -> Self {
        Self {
            frames_hz: 30.0,
            pattern: "IBBPBBPBB".to_owned(),
            i_frame_bytes: 11_000,
            p_frame_bytes: 8000,
            b_frame_bytes: 2000,
            variation: 0.0,
            spacing: FrameSpacing::Burst,
        }
    }
}

impl Video {
    /// Mean lengths of the frames of a group of pictures in their order; those of no kind are left out.
    fn frame_bytes(&self) -> impl Iterator<Item = u32> {
        self.pattern.chars().filter_map(|kind| match kind {
            'I' => Some(self.i_frame_bytes),
            'P' => Some(self.p_frame_bytes),
            'B' => Some(self.b_frame_bytes),
            _ => None,
        })
    }

    /// From one frame to the next.
    fn interval_s(&self) -> f64 {
        1.0 / self.frames_hz
    }
}

impl Parameters for Video {
    fn check(&self, packet_bytes: u16) -> Vec<Mistake> {
        if let Some(mistake) = check_room(packet_bytes, HEADER_BYTES) {
            return vec![mistake];
        }
        let wrong = format!("\"{}\" has a frame that is none of these", self.pattern);
        let mistake = Mistake::new("pattern", wrong, "frames I, P and B, such as \"IBBPBBPBB\"");
        let has_others = self.frame_bytes().count() < self.pattern.chars().count();
        has_others.then_some(mistake).into_iter().collect()
    }

    fn facts(&self, packet_bytes: u16) -> Facts {
        let frames = self.frame_bytes().count() as f64;
        let bytes: f64 = self.frame_bytes().map(f64::from).sum();
        let payload = f64::from(packet_bytes - HEADER_BYTES);
        let packets_per_second = bytes / frames / self.interval_s() / payload + 1.0 / self.interval_s();
        // Of frames alike in any number of intervals no more than in these and one group of pictures.
        let of_group = packets_per_second * (self.interval_s() * frames) + 2.0;
        let sender = Sends {
            burst_packets: (self.variation == 0.0).then_some(of_group),
            ..Sends::at_times(packets_per_second, HEADER_BYTES + 1)
        };
        Facts { sender, receiver: None, frames: None }
    }

    fn build(&self, setup: Setup) -> Box<dyn Application> {
        Box::new(FrameClock::new(self, &setup))
    }

    fn drawn(dice: &mut Stream) -> Self {
        let patterns = ["I", "IBBPBBPBB", "IP", "BBI"];
        let pattern = patterns[usize::try_from(dice.below(4)).unwrap_or(0)].to_owned();
        let mut bytes = || 1 + u32::try_from(dice.below(12_000)).unwrap_or(0);
        let [i_frame_bytes, p_frame_bytes, b_frame_bytes] = [bytes(), bytes(), bytes()];
        Self {
            frames_hz: 1.0 + 30.0 * dice.uniform(),
            pattern,
            i_frame_bytes,
            p_frame_bytes,
            b_frame_bytes,
            variation: if dice.uniform() < 0.5 { 0.0 } else { dice.uniform() },
            spacing: if dice.uniform() < 0.5 { FrameSpacing::Burst } else { FrameSpacing::Even },
        }
    }
}

/// When the packets of a video are due.
#[derive(Clone)]
struct FrameClock {
    packet_bytes: u16,
    starts: Time,
    interval_s: f64,
    /// Laws of the lengths of frames in bytes, one after the other and again from the first.
    bytes: Vec<Law>,
    is_even: bool,
    key: Key,
    /// The present frame.
    number: u64,
    /// Of its bytes those that are not sent, and its packets, sent and in all.
    left_bytes: u64,
    sent_packets: u64,
    packets: u64,
}

impl FrameClock {
    fn new(video: &Video, setup: &Setup) -> Self {
        Self {
            packet_bytes: setup.packet_bytes,
            starts: setup.starts,
            interval_s: video.interval_s(),
            bytes: video.frame_bytes().map(|mean| varying(f64::from(mean), video.variation)).collect(),
            is_even: video.spacing == FrameSpacing::Even,
            key: setup.key.named("frames"),
            number: 0,
            left_bytes: 0,
            sent_packets: 0,
            packets: 0,
        }
    }

    fn length_of_frame(&self) -> u64 {
        let place = usize::try_from(self.number % self.bytes.len() as u64).expect("a place in a list");
        whole_bytes(self.bytes[place].draw(self.key, self.number))
    }

    fn next(&mut self) -> Next {
        let through_frame = if self.left_bytes == 0 {
            self.number += 1;
            0.0
        } else if self.is_even {
            self.sent_packets as f64 / self.packets as f64
        } else {
            return Next::AtOnce;
        };
        let frames = self.number as f64 + through_frame;
        Next::At(self.starts + Span::from_seconds(frames * self.interval_s))
    }
}

impl Application for FrameClock {
    fn wake(&mut self, _end: End, _due: Time, _now: Time) -> Step {
        let payload = u64::from(self.packet_bytes - HEADER_BYTES);
        if self.left_bytes == 0 {
            self.left_bytes = self.length_of_frame();
            self.packets = self.left_bytes.div_ceil(payload);
            self.sent_packets = 0;
        }
        let carried = self.left_bytes.min(payload);
        self.left_bytes -= carried;
        self.sent_packets += 1;
        let length = HEADER_BYTES + u16::try_from(carried).expect("fewer than a packet has");
        Step { sends: Some(length), next: self.next() }
    }
}
