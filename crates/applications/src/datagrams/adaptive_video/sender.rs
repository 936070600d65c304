//! The sender of a call: frames become packets, and packets leave one after the other.

use super::{AdaptiveVideo, CALL_HEADER_BYTES, Frames, Piece, Report};
use crate::Setup;
use crate::frame_lengths::{varying, whole_bytes};
use crate::google_congestion_control::{GoogleCongestionControl, RateLimits, ReportedPacket};
use aqmlab_random::{Key, Law};
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// How much faster than the target packets leave.
const PACING_FACTOR: f64 = 2.5;

/// A packet that was sent, and of which nothing is known yet.
#[derive(Clone, Copy, Debug)]
struct SentPiece {
    piece: Piece,
    sent: Time,
}

/// A sender at work.
#[derive(Clone)]
pub(super) struct Sender {
    frame_interval_s: f64,
    /// Law of the length of a frame over that which the bit rate gives it, of mean 1.
    variation: Law,
    key: Key,
    longest: u16,
    control: GoogleCongestionControl,
    limits: RateLimits,
    /// The target that somebody else has set.
    kept_bps: Option<f64>,
    starts: Time,
    next_frame: Time,
    /// What has not left, each with whether it had left before.
    waiting: VecDeque<(Piece, bool)>,
    /// When the next packet may leave.
    free: Time,
    /// What is under way or unheard of, from one packet on.
    sent: VecDeque<Option<SentPiece>>,
    first_sent: u32,
}

impl Sender {
    pub(super) fn new(settings: &AdaptiveVideo, setup: &Setup) -> Self {
        let [_, _, start_bps] = settings.rates_bps();
        Self {
            frame_interval_s: 1.0 / settings.frames_hz,
            variation: varying(1.0, settings.variation),
            key: setup.key.named("frames"),
            longest: setup.packet_bytes,
            control: GoogleCongestionControl::new(start_bps, settings.limits(), settings.edition),
            limits: settings.limits(),
            kept_bps: None,
            starts: setup.starts,
            next_frame: setup.starts,
            waiting: VecDeque::new(),
            free: setup.starts,
            sent: VecDeque::new(),
            first_sent: 0,
        }
    }

    /// The bit rates between which it may be set.
    pub(super) fn bit_rates(&self) -> [Rate; 2] {
        let RateLimits { least_bps, greatest_bps } = self.limits;
        [least_bps, greatest_bps].map(|bps| Rate::from_megabits_per_second(bps / 1e6))
    }

    /// The target is this from now on.
    pub(super) fn keep_to(&mut self, rate: Rate) {
        self.kept_bps = Some(rate.bits_per_second() as f64);
    }

    /// The bit rate of now.
    fn target_bps(&self) -> f64 {
        self.kept_bps.unwrap_or(self.control.target_bps())
    }

    /// When something is due next: a frame, or a packet of one.
    pub(super) fn due(&self) -> Time {
        if self.waiting.is_empty() { self.next_frame } else { self.next_frame.min(self.free) }
    }

    /// Captures the frames that are due at an instant.
    pub(super) fn capture(&mut self, now: Time, frames: &mut Frames) {
        self.control.on_time(now);
        while self.next_frame <= now {
            let number = frames.captured();
            let target_bps = self.target_bps();
            let share = self.variation.draw(self.key, number.into());
            let longest = u64::from(self.longest);
            let whole = whole_bytes(target_bps / 8.0 * self.frame_interval_s * share)
                .min(longest * u64::from(u16::MAX));
            let packets = u16::try_from(whole.div_ceil(longest)).unwrap_or(u16::MAX);
            let least = u64::from(CALL_HEADER_BYTES) + 1;
            let mut bytes = 0;
            for piece in 0..packets {
                let [begins, ends] =
                    [piece, piece + 1].map(|part| whole * u64::from(part) / u64::from(packets));
                let ip_bytes =
                    u16::try_from((ends - begins).max(least)).unwrap_or(self.longest).min(self.longest);
                bytes += u32::from(ip_bytes);
                self.waiting.push_back((Piece { frame: number, number: piece, ip_bytes }, false));
            }
            let captured = self.next_frame;
            let row = VideoCallFrame { captured, target_bps, bytes, resent_packets: 0, shown: None };
            frames.capture(row, packets);
            self.next_frame = self.starts + Span::from_seconds(f64::from(number + 1) * self.frame_interval_s);
        }
    }

    /// The packet that leaves now, if one does: the first that waits and is of use.
    pub(super) fn send(&mut self, now: Time, frames: &mut Frames) -> Option<u16> {
        if self.free > now {
            return None;
        }
        let piece = loop {
            let (piece, is_again) = self.waiting.pop_front()?;
            if frames.may_leave(piece, is_again, now) {
                break piece;
            }
        };
        let takes = f64::from(piece.ip_bytes) * 8.0 / (PACING_FACTOR * self.target_bps());
        // Where time is real a packet leaves a little late, and the next one is not put off by that.
        let was_free = if self.free + Span::from_milliseconds(1) < now { now } else { self.free };
        self.free = was_free + Span::from_seconds(takes).max(Span::from_nanoseconds(1));
        self.sent.push_back(Some(SentPiece { piece, sent: now }));
        Some(piece.ip_bytes)
    }

    /// What a packet carries that has arrived; it stays known until a report speaks of it.
    pub(super) fn piece(&self, sequence: u32) -> Option<Piece> {
        let place = sequence.checked_sub(self.first_sent)? as usize;
        self.sent.get(place)?.map(|sent| sent.piece)
    }

    /// A report has come.
    pub(super) fn hear(&mut self, report: &Report, now: Time, frames: &mut Frames) {
        let mut packets = Vec::with_capacity((report.until - report.from) as usize);
        for &(sequence, arrived) in &report.arrived {
            let Some(SentPiece { piece, sent }) = self.settle(sequence) else { continue };
            packets.push(ReportedPacket { sent, arrived: Some(arrived), ip_bytes: piece.ip_bytes });
        }
        let mut lost = Vec::new();
        for sequence in report.from..report.until {
            let Some(SentPiece { piece, sent }) = self.settle(sequence) else { continue };
            packets.push(ReportedPacket { sent, arrived: None, ip_bytes: piece.ip_bytes });
            lost.push(piece);
        }
        self.control.on_report(now, &packets);
        let unheard = self.take_unheard(report.from);
        for piece in unheard.into_iter().chain(lost).rev() {
            if frames.misses(piece) {
                self.waiting.push_front((piece, true));
            }
        }
    }

    /// Something is known of a packet now.
    fn settle(&mut self, sequence: u32) -> Option<SentPiece> {
        let place = sequence.checked_sub(self.first_sent)? as usize;
        self.sent.get_mut(place)?.take()
    }

    /// Takes what was sent before a packet and was never spoken of, so that its report was lost; forgets what
    /// is settled.
    fn take_unheard(&mut self, before: u32) -> Vec<Piece> {
        let mut unheard = Vec::new();
        while let Some(first) = self.sent.front() {
            if let Some(SentPiece { piece, .. }) = *first {
                if self.first_sent >= before {
                    break;
                }
                unheard.push(piece);
            }
            self.sent.pop_front();
            self.first_sent += 1;
        }
        unheard
    }
}
