//! A game that runs on a server far away: a video of it comes down, what the player does goes up.
//!
//! | number | value | source |
//! | --- | --- | --- |
//! | frames | 60 a second, each rate / 60 on average | TR 38.838, cloud gaming |
//! | lengths of frames | normal, standard deviation 10.5 % of the mean, cut at 50 and 150 % | the same |
//! | what the player does | a packet of 100 bytes every 4 ms | the same, pose and control |
//! | bit rate | 30 Mbit/s | the same; Stadia and GeForce Now send up to 45 (Di Domenico et al.) |
//! | headers | IP, UDP and RTP | Stadia and GeForce Now use RTP (Di Domenico et al.) |
//!
//! Sources. 3GPP TR 38.838 V17.0.0 (2021-12), read in ns-3's `traffic-generator-3gpp-generic-video.cc` and
//! `…-pose-control.cc`, which implement it, and not in the report itself. A. Di Domenico, G. Perna, M.
//! Trevisan, L. Vassio and D. Giordano, "A network analysis on cloud gaming: Stadia, GeForce Now and PSNow",
//! Network 1(3), 2021.
//!
//! Choices without a source. The packets of a frame leave with it, one after the other at the rate of the
//! machine's interface. A frame is shown when it is whole, unless a later one has been; nothing is sent
//! again.
//! The length of what the player sends counts the headers.
//!
//! Departures. Frames come evenly: the jitter of up to 4 ms that an encoder adds in TR 38.838 is left out, as
//! it would be taken for the network's. The bit rate does not adapt, as those of the services do. No sound.

use crate::facts::{Answers, Facts, FramesFacts, Sends, SteadyRate, Viewers};
use crate::frame_lengths::whole_bytes;
use crate::headers::{RTP_HEADER_BYTES, check_room};
use crate::{Application, End, Mistake, Next, Parameters, Setup, Step};
use aqmlab_random::{Key, Stream, normal_cumulative, normal_quantile};
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A cloud game as 3GPP TR 38.838 models it: frames of a video down, input of the player up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CloudGame {
    /// Frames per second.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub frames_hz: f64,

    /// Mean bit rate of the frames, without packet headers.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_mbps: f64,

    /// Standard deviation of the lengths of frames over their mean, normal and cut at half and one and a half
    /// times the mean; 0: constant.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub variation: f64,

    /// Packets per second that the player sends.
    #[schemars(range(min = 0.1, max = 10_000.0))]
    pub input_hz: f64,

    /// Length of such an IP packet, with the headers of IP and UDP (28 bytes).
    #[schemars(range(min = 28, max = 1500))]
    pub input_bytes: u16,
}

impl Default for CloudGame {
    fn default() -> Self {
        Self { frames_hz: 60.0, rate_mbps: 30.0, variation: 0.105, input_hz: 250.0, input_bytes: 100 }
    }
}

/// Of the mean, the shortest frame; the longest is as much longer.
const SHORTEST: f64 = 0.5;
/// Longer frames are no picture.
const LONGEST_FRAME_BYTES: f64 = 1e8;

impl CloudGame {
    fn mean_frame_bytes(&self) -> f64 {
        self.rate_mbps * 1e6 / 8.0 / self.frames_hz
    }

    fn interval_s(&self) -> f64 {
        1.0 / self.frames_hz
    }
}

impl Parameters for CloudGame {
    fn check(&self, packet_bytes: u16) -> Vec<Mistake> {
        let longest = self.mean_frame_bytes() * (2.0 - SHORTEST);
        let wrong = format!("{} makes frames of {longest} bytes", self.rate_mbps);
        let most_mbps = self.rate_mbps * LONGEST_FRAME_BYTES / longest;
        let too_long = Mistake::new("rate_mbps", wrong, format!("at most {most_mbps}"));
        let too_long = (longest > LONGEST_FRAME_BYTES).then_some(too_long);
        check_room(packet_bytes, RTP_HEADER_BYTES).into_iter().chain(too_long).collect()
    }

    fn facts(&self, packet_bytes: u16) -> Facts {
        let payload = f64::from(packet_bytes.saturating_sub(RTP_HEADER_BYTES));
        // Each frame's last packet is a short one.
        let packets_per_second = self.frames_hz * (self.mean_frame_bytes() / payload + 1.0);
        let sender = Sends { is_heard: true, ..Sends::at_times(packets_per_second, RTP_HEADER_BYTES + 1) };
        let input_bps = self.input_hz * f64::from(self.input_bytes) * 8.0;
        let input = Sends {
            burst_packets: Some(2.0),
            steady: Some(SteadyRate {
                rate: Rate::from_megabits_per_second(input_bps / 1e6),
                is_always_on: true,
            }),
            ..Sends::at_times(self.input_hz, self.input_bytes)
        };
        let receiver = Answers {
            name: "input",
            interval: Span::from_seconds(1.0 / self.input_hz),
            stops_with_sender: true,
            packet_bytes: self.input_bytes,
            sends: input,
        };
        let frames = FramesFacts {
            hz: self.frames_hz,
            rates_bps: [self.rate_mbps * 1e6; 2],
            viewers: Viewers::Playing,
        };
        Facts { sender, receiver: Some(receiver), frames: Some(frames) }
    }

    fn build(&self, setup: Setup) -> Box<dyn Application> {
        Box::new(Game {
            parameters: self.clone(),
            starts: setup.starts,
            stops: setup.stops,
            payload_bytes: u64::from(setup.packet_bytes - RTP_HEADER_BYTES),
            key: setup.key.named("frames"),
            left_bytes: 0,
            sent_packets: 0,
            frames: Vec::new(),
            open: VecDeque::new(),
        })
    }

    fn drawn(dice: &mut Stream) -> Self {
        Self {
            frames_hz: 1.0 + 60.0 * dice.uniform(),
            rate_mbps: 0.01 + dice.uniform(),
            variation: if dice.uniform() < 0.5 { 0.0 } else { dice.uniform() },
            input_hz: 1.0 + 100.0 * dice.uniform(),
            input_bytes: 28 + u16::try_from(dice.below(100)).unwrap_or(0),
        }
    }
}

/// A frame that may yet be shown.
#[derive(Clone, Copy)]
struct OpenFrame {
    /// Its place among all.
    place: usize,
    /// The number of its first packet, modulo 2³².
    first_packet: u32,
    missing_packets: u64,
}

/// A game at work.
#[derive(Clone)]
struct Game {
    parameters: CloudGame,
    starts: Time,
    stops: Time,
    payload_bytes: u64,
    key: Key,
    /// Of the present frame what has not been sent.
    left_bytes: u64,
    sent_packets: u32,
    frames: Vec<VideoCallFrame>,
    /// Those behind the last one that was shown.
    open: VecDeque<OpenFrame>,
}

impl Game {
    /// Bytes of a frame: the standard normal law between two bounds, by its quantile function.
    fn draw_frame_bytes(&self, number: u64) -> u64 {
        let CloudGame { variation, .. } = self.parameters;
        let share = if variation == 0.0 {
            1.0
        } else {
            let lowest = normal_cumulative((SHORTEST - 1.0) / variation);
            1.0 + variation * normal_quantile(lowest + (1.0 - 2.0 * lowest) * self.key.uniform(number))
        };
        whole_bytes(self.parameters.mean_frame_bytes() * share)
    }

    fn begin_frame(&mut self, captured: Time) {
        let place = self.frames.len();
        self.left_bytes = self.draw_frame_bytes(place as u64);
        let packets = self.left_bytes.div_ceil(self.payload_bytes);
        let bytes = self.left_bytes + packets * u64::from(RTP_HEADER_BYTES);
        self.frames.push(VideoCallFrame {
            captured,
            target_bps: self.parameters.rate_mbps * 1e6,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            resent_packets: 0,
            shown: None,
        });
        self.open.push_back(OpenFrame { place, first_packet: self.sent_packets, missing_packets: packets });
    }

    /// The packet of a frame that leaves now.
    fn send(&mut self, due: Time) -> Step {
        if self.left_bytes == 0 {
            self.begin_frame(due);
        }
        let carried = self.left_bytes.min(self.payload_bytes);
        self.left_bytes -= carried;
        self.sent_packets = self.sent_packets.wrapping_add(1);
        let ip_bytes = RTP_HEADER_BYTES + u16::try_from(carried).expect("fewer than a packet has");
        let next_frame = self.frames.len() as f64 * self.parameters.interval_s();
        let next = if self.left_bytes > 0 {
            Next::AtOnce
        } else {
            Next::At(self.starts + Span::from_seconds(next_frame))
        };
        Step { sends: Some(ip_bytes), next }
    }
}

impl Application for Game {
    fn wake(&mut self, end: End, due: Time, _now: Time) -> Step {
        match end {
            End::Sender => self.send(due),
            End::Receiver => Step {
                sends: Some(self.parameters.input_bytes),
                next: Next::At(due + Span::from_seconds(1.0 / self.parameters.input_hz)),
            },
        }
    }

    /// A packet of a frame has arrived. One of a frame behind which a later one was shown is of no use.
    fn hear(&mut self, _from: End, number: u32, now: Time) -> Option<Time> {
        let first = self.open.front()?.first_packet;
        let behind = number.wrapping_sub(first);
        if behind >= self.sent_packets.wrapping_sub(first) {
            return None;
        }
        let at = self.open.partition_point(|frame| frame.first_packet.wrapping_sub(first) <= behind) - 1;
        let frame = &mut self.open[at];
        frame.missing_packets -= 1;
        if frame.missing_packets == 0 {
            self.frames[frame.place].shown = Some(now);
            self.open.drain(..=at);
        }
        None
    }

    fn is_settled(&self, before: Time) -> bool {
        VideoCallFrame::are_settled(&self.frames, before) || self.stops <= before && self.open.is_empty()
    }

    fn frames(&self) -> &[VideoCallFrame] {
        &self.frames
    }

    fn take_frames(&mut self) -> Option<Vec<VideoCallFrame>> {
        Some(std::mem::take(&mut self.frames))
    }
}
