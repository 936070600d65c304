//! The frames of a call: which packets of each have arrived, and when each was shown.

use super::Piece;
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// After so long a frame is given up, and at least after the time from one frame to the next.
const GIVEN_UP_AFTER_S: f64 = 1.0;

/// A frame that has not been shown.
#[derive(Clone)]
struct OpenFrame {
    arrived: Vec<bool>,
    missing: usize,
    /// Whether its sender has given it up: nobody waits for it.
    is_given_up: bool,
}

/// All frames of a call.
#[derive(Clone)]
pub(super) struct Frames {
    /// After so long nothing of a frame is sent any more, and nobody waits for it where a frame captured so
    /// much later has arrived whole.
    given_up_after: Span,
    rows: Vec<VideoCallFrame>,
    /// The last ones of them.
    open: VecDeque<OpenFrame>,
}

impl Frames {
    /// The frames of a call with a frame every so many seconds.
    pub(super) fn new(frame_interval_s: f64) -> Self {
        let given_up_after = Span::from_seconds(frame_interval_s.max(GIVEN_UP_AFTER_S));
        Self { given_up_after, rows: Vec::new(), open: VecDeque::new() }
    }

    /// A frame is captured, of so many packets.
    pub(super) fn capture(&mut self, frame: VideoCallFrame, packets: u16) {
        self.rows.push(frame);
        let arrived = vec![false; packets.into()];
        self.open.push_back(OpenFrame { arrived, missing: packets.into(), is_given_up: false });
    }

    /// How many were captured: the number of the next.
    pub(super) fn captured(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The frames whose packets are still of use.
    fn first_open(&self) -> usize {
        self.rows.len() - self.open.len()
    }

    /// Whether a lost packet is to be sent again.
    pub(super) fn misses(&self, piece: Piece) -> bool {
        let open = (piece.frame as usize).checked_sub(self.first_open());
        open.is_some_and(|open| !self.open[open].arrived[usize::from(piece.number)])
    }

    /// Whether a packet may still leave, for the first time or again. Where it is too late for it, its frame
    /// is given up, and what was kept waiting by that is shown.
    pub(super) fn may_leave(&mut self, piece: Piece, is_again: bool, now: Time) -> bool {
        let place = piece.frame as usize;
        let Some(open) = place.checked_sub(self.first_open()) else { return false };
        let row = &mut self.rows[place];
        if now > row.captured + self.given_up_after {
            self.open[open].is_given_up = true;
            self.show(now, None);
            return false;
        }
        row.resent_packets += u32::from(is_again);
        !self.open[open].is_given_up
    }

    /// A packet has arrived.
    pub(super) fn arrive(&mut self, piece: Piece, now: Time) {
        let place = piece.frame as usize;
        let Some(open) = place.checked_sub(self.first_open()) else { return };
        let frame = &mut self.open[open];
        if std::mem::replace(&mut frame.arrived[usize::from(piece.number)], true) {
            return;
        }
        frame.missing -= 1;
        if frame.missing == 0 {
            self.show(now, Some(self.rows[place].captured));
        }
    }

    /// Shows the frames that can be, and gives up those that are too old for one that has become whole, by
    /// when it was captured. Each of these takes what is too old for it, so that nothing is left for later.
    fn show(&mut self, now: Time, whole: Option<Time>) {
        while let Some(frame) = self.open.front() {
            let place = self.first_open();
            let row = &mut self.rows[place];
            if frame.missing == 0 {
                row.shown = Some(now);
            } else if !frame.is_given_up
                && whole.is_none_or(|whole| whole < row.captured + self.given_up_after)
            {
                return;
            }
            self.open.pop_front();
        }
    }

    /// Whether what is recorded of frames captured before an instant is final: none was, or a later one has
    /// been shown; of a call that has stopped, nobody waits for any.
    pub(super) fn are_settled(&self, before: Time, has_stopped: bool) -> bool {
        VideoCallFrame::are_settled(&self.rows, before) || has_stopped && self.open.is_empty()
    }

    /// What is recorded of each so far.
    pub(super) fn rows(&self) -> &[VideoCallFrame] {
        &self.rows
    }

    /// Takes what is recorded of each, at the end.
    pub(super) fn take_rows(&mut self) -> Vec<VideoCallFrame> {
        std::mem::take(&mut self.rows)
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
        let mut frames = Frames::new(0.1);
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

    fn shown(mut frames: Frames) -> Vec<Option<u64>> {
        let milliseconds = |row: &VideoCallFrame| row.shown.map(|shown| shown.nanoseconds() / 1_000_000);
        frames.take_rows().iter().map(milliseconds).collect()
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
        assert!(frames.misses(Piece { frame: 1, number: 1, ip_bytes: 1000 }));
        arrive(&mut frames, &[(11, 0, 1110), (11, 1, 1111)]);
        assert!(!frames.misses(Piece { frame: 1, number: 1, ip_bytes: 1000 }), "nobody waits for it");
        arrive(&mut frames, &[(1, 1, 1200)]);
        let expected = [Some(11), None, Some(1111)].into_iter().chain([None; 9]);
        assert_eq!(shown(frames), expected.collect::<Vec<_>>());
    }

    #[test]
    fn an_older_frame_that_becomes_whole_later_brings_nothing_back() {
        let mut frames = frames(12);
        arrive(&mut frames, &[(11, 0, 1110), (11, 1, 1111)]);
        // Frames 0 and 1 were captured a second and more before frame 11, frame 2 was not.
        assert_eq!(
            [0, 1, 2].map(|frame| frames.misses(Piece { frame, number: 0, ip_bytes: 1000 })),
            [false, false, true]
        );
        arrive(&mut frames, &[(3, 0, 1120), (3, 1, 1121), (1, 0, 1122), (1, 1, 1123)]);
        assert!(frames.misses(Piece { frame: 2, number: 0, ip_bytes: 1000 }), "still waited for");
        arrive(&mut frames, &[(2, 0, 1130), (2, 1, 1131)]);
        let expected = [None, None, Some(1131), Some(1131)].into_iter().chain([None; 8]);
        assert_eq!(shown(frames), expected.collect::<Vec<_>>());
    }

    /// Frames captured at 0, 100 and 200 ms: what lies before 150 ms is settled when the third is shown.
    #[test]
    fn frames_before_an_instant_are_settled_when_a_later_one_is_shown() {
        let mut frames = frames(3);
        let settled = |frames: &Frames| [0, 150].map(|before| frames.are_settled(at(before), false));
        assert_eq!(settled(&frames), [true, false]);
        arrive(&mut frames, &[(0, 0, 10), (0, 1, 11), (1, 0, 110), (1, 1, 160)]);
        assert_eq!(settled(&frames), [true, false], "a picture stands until the next one is shown");
        arrive(&mut frames, &[(2, 0, 210)]);
        assert!(!frames.are_settled(at(250), true), "somebody waits for it");
        arrive(&mut frames, &[(2, 1, 211)]);
        assert_eq!(settled(&frames), [true, true]);
        assert!(!frames.are_settled(at(250), false) && frames.are_settled(at(250), true));
    }

    #[test]
    fn what_has_arrived_is_not_sent_again() {
        let mut frames = frames(1);
        arrive(&mut frames, &[(0, 0, 10)]);
        assert!(!frames.misses(Piece { frame: 0, number: 0, ip_bytes: 1000 }));
        let missing = Piece { frame: 0, number: 1, ip_bytes: 1000 };
        assert!(frames.misses(missing) && frames.may_leave(missing, true, at(60)));
        assert_eq!(frames.take_rows()[0].resent_packets, 1);
    }

    #[test]
    fn what_is_too_late_to_be_sent_holds_nothing_up() {
        let mut frames = frames(3);
        arrive(&mut frames, &[(1, 0, 110), (1, 1, 111)]);
        let late = Piece { frame: 0, number: 0, ip_bytes: 1000 };
        assert!(frames.may_leave(late, false, at(1_000)) && !frames.may_leave(late, false, at(1_001)));
        assert_eq!(shown(frames), [None, Some(1_001), None]);
    }
}
