//! The frames of a call: which packets of each have arrived, and when each was shown.

use super::Piece;
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// A frame is given up when one captured so much later has arrived whole.
const GIVEN_UP_AFTER: Span = Span::from_milliseconds(1000);

/// A frame that has not been shown, nor given up.
struct OpenFrame {
    arrived: Vec<bool>,
    missing: usize,
}

/// All frames of a call.
#[derive(Default)]
pub(crate) struct Frames {
    rows: Vec<VideoCallFrame>,
    /// The last ones of them.
    open: VecDeque<OpenFrame>,
    /// When the last frame of all that are whole was captured.
    last_whole_captured: Time,
}

impl Frames {
    /// A frame is captured, of so many packets.
    pub(crate) fn capture(&mut self, frame: VideoCallFrame, packets: u16) {
        self.rows.push(frame);
        self.open.push_back(OpenFrame { arrived: vec![false; packets.into()], missing: packets.into() });
    }

    /// How many were captured: the number of the next.
    pub(crate) fn captured(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The frames whose packets are still of use.
    fn first_open(&self) -> usize {
        self.rows.len() - self.open.len()
    }

    /// A lost packet is to be sent again; answers whether it is of use.
    pub(crate) fn send_again(&mut self, piece: Piece) -> bool {
        let place = piece.frame as usize;
        let is_of_use = place
            .checked_sub(self.first_open())
            .is_some_and(|open| !self.open[open].arrived[usize::from(piece.number)]);
        if is_of_use {
            self.rows[place].resent_packets += 1;
        }
        is_of_use
    }

    /// A packet has arrived.
    pub(crate) fn arrive(&mut self, piece: Piece, now: Time) {
        let place = piece.frame as usize;
        let Some(open) = place.checked_sub(self.first_open()) else { return };
        let frame = &mut self.open[open];
        if std::mem::replace(&mut frame.arrived[usize::from(piece.number)], true) {
            return;
        }
        frame.missing -= 1;
        if frame.missing == 0 {
            self.last_whole_captured = self.last_whole_captured.max(self.rows[place].captured);
            self.show(now);
        }
    }

    /// Shows the frames that can be, and gives up those that are too old.
    fn show(&mut self, now: Time) {
        while let Some(frame) = self.open.front() {
            let place = self.first_open();
            let row = &mut self.rows[place];
            if frame.missing == 0 {
                row.shown = Some(now);
            } else if self.last_whole_captured < row.captured + GIVEN_UP_AFTER {
                return;
            }
            self.open.pop_front();
        }
    }

    /// What is recorded of each.
    pub(crate) fn into_rows(self) -> Vec<VideoCallFrame> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(milliseconds * 1_000_000)
    }

    /// Frames of two packets each, captured every 100 ms.
    fn frames(count: u32) -> Frames {
        let mut frames = Frames::default();
        for number in 0..count {
            let captured = at(100 * u64::from(number));
            let row =
                VideoCallFrame { captured, target_bps: 1e6, bytes: 2000, resent_packets: 0, shown: None };
            frames.capture(row, 2);
        }
        frames
    }

    fn arrive(frames: &mut Frames, pieces: &[(u32, u16, u64)]) {
        for &(frame, number, now) in pieces {
            frames.arrive(Piece { frame, number, ip_bytes: 1000 }, at(now));
        }
    }

    fn shown(frames: Frames) -> Vec<Option<u64>> {
        let milliseconds = |row: &VideoCallFrame| row.shown.map(|shown| shown.nanoseconds() / 1_000_000);
        frames.into_rows().iter().map(milliseconds).collect()
    }

    #[test]
    fn a_frame_is_shown_when_it_and_all_before_it_are_whole() {
        let mut frames = frames(3);
        arrive(&mut frames, &[(0, 0, 10), (1, 0, 110), (1, 1, 111), (0, 1, 150), (0, 1, 151), (2, 1, 300)]);
        assert_eq!(shown(frames), [Some(150), Some(150), None]);
    }

    #[test]
    fn a_frame_is_given_up_a_second_later() {
        let mut frames = frames(12);
        arrive(&mut frames, &[(0, 0, 10), (0, 1, 11), (1, 0, 110), (2, 0, 210), (2, 1, 211)]);
        arrive(&mut frames, &[(10, 0, 1010), (10, 1, 1011)]);
        // Frame 10 was captured 900 ms after frame 1, frame 11 a second after it.
        assert!(frames.send_again(Piece { frame: 1, number: 1, ip_bytes: 1000 }));
        arrive(&mut frames, &[(11, 0, 1110), (11, 1, 1111)]);
        assert!(!frames.send_again(Piece { frame: 1, number: 1, ip_bytes: 1000 }), "nobody waits for it");
        arrive(&mut frames, &[(1, 1, 1200)]);
        let expected = [Some(11), None, Some(1111)].into_iter().chain([None; 9]);
        assert_eq!(shown(frames), expected.collect::<Vec<_>>());
    }

    #[test]
    fn what_has_arrived_is_not_sent_again() {
        let mut frames = frames(1);
        arrive(&mut frames, &[(0, 0, 10)]);
        assert!(!frames.send_again(Piece { frame: 0, number: 0, ip_bytes: 1000 }));
        assert!(frames.send_again(Piece { frame: 0, number: 1, ip_bytes: 1000 }));
        assert_eq!(frames.into_rows()[0].resent_packets, 1);
    }
}
