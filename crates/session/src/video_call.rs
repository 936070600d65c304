//! A video call that adapts: frames as large as the controller allows, their packets paced, lost ones sent
//! again, and a receiver that reports what has arrived and shows frames in order.
//!
//! ```text
//! frame        every 1/frames_hz, target / frames_hz * a draw of mean 1; in the fewest packets, evenly
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

use crate::google_congestion_control::{GccEdition, RateLimits};
use aqmlab_random::{Key, Law};
use aqmlab_units::Span;
pub(crate) use frames::Frames;
pub(crate) use receiver::{Receiver, Report};
pub(crate) use sender::Sender;

/// A call that adapts, as it is set up.
#[derive(Clone, Debug)]
pub struct AdaptiveVideo {
    /// From one frame to the next, in seconds; above zero.
    pub frame_interval_s: f64,
    /// The least and the greatest bit rate, in bits of IP packets per second; above zero.
    pub rates_bps: [f64; 2],
    /// The bit rate at the beginning.
    pub start_bps: f64,
    /// The text of the controller that is followed.
    pub edition: GccEdition,
    /// Law of the length of a frame over that which the bit rate gives it, of mean 1.
    pub variation: Law,
    /// Bytes of headers of a packet: of IP, UDP and RTP; fewer than the packet's.
    pub header_bytes: u16,
    /// The call's own random numbers.
    pub key: Key,
}

impl AdaptiveVideo {
    const fn limits(&self) -> RateLimits {
        let [least_bps, greatest_bps] = self.rates_bps;
        RateLimits { least_bps, greatest_bps }
    }
}

/// What the receiver of a call sends, as it is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The place of the call among all sources of datagrams.
    pub call: usize,
    /// From one report to the next; above zero.
    pub interval: Span,
}

/// A part of a frame, in one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The frame's number, from 0.
    pub(crate) frame: u32,
    /// Which of its packets.
    pub(crate) number: u16,
    /// Length of the IP packet.
    pub(crate) ip_bytes: u16,
}

/// A call at work: both of its ends.
#[derive(Clone)]
pub(crate) struct VideoCall {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) frames: Frames,
}

impl VideoCall {
    pub(crate) fn new(settings: AdaptiveVideo, ip_bytes: u16, starts: aqmlab_units::Time) -> Self {
        let frames = Frames::new(settings.frame_interval_s);
        Self { sender: Sender::new(settings, ip_bytes, starts), receiver: Receiver::default(), frames }
    }
}
