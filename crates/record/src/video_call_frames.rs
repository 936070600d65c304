//! Frames of video calls that adapt, each from its capture to its showing, of the whole run.

use crate::{ColumnValues, SourceColumns, Table};
use aqmlab_units::Time;

/// A frame of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VideoCallFrame {
    /// When the camera took it.
    pub captured: Time,
    /// The bit rate that congestion control allowed then, in bits of IP packets per second.
    pub target_bps: f64,
    /// Length of its IP packets, each counted once.
    pub bytes: u32,
    /// How many of them were sent again.
    pub resent_packets: u32,
    /// When it was shown; none if it was given up, or was under way at the end of the run.
    pub shown: Option<Time>,
}

impl VideoCallFrame {
    /// Whether it is known of all frames of a call that were captured before an instant whether and when each
    /// was shown, and until when the last picture stood: none was captured, or a later one has been shown.
    #[must_use]
    pub fn are_settled(in_order: &[Self], before: Time) -> bool {
        let last_shown = in_order.iter().rfind(|frame| frame.shown.is_some());
        in_order.first().is_none_or(|first| first.captured >= before)
            || last_shown.is_some_and(|last| last.captured >= before)
    }
}

/// What says whose a frame is.
const KEYS: [&str; 2] = ["group", "source"];

/// The table `video_call_frames`, of the calls among all sources of datagrams: the place of each, and its
/// frames in their order. `identity` are the columns that tell sources apart, with a row for each.
///
/// # Panics
/// If a source has no row in these columns.
#[must_use]
pub fn video_call_frames(calls: Vec<(u32, Vec<VideoCallFrame>)>, identity: &SourceColumns) -> Table {
    let of_call = |(place, frames): &(u32, Vec<VideoCallFrame>)| std::iter::repeat_n(*place, frames.len());
    let places: Vec<u32> = calls.iter().flat_map(of_call).collect();
    let keys = identity.iter().filter(|(name, _)| KEYS.contains(name));
    let mut columns: SourceColumns = keys.map(|(name, values)| (*name, values.at(&places))).collect();
    let numbers = calls.iter().flat_map(|(_, frames)| (0..).zip(frames).map(|(number, _)| number)).collect();
    let frames: Vec<VideoCallFrame> = calls.into_iter().flat_map(|(_, frames)| frames).collect();
    let real = |of: &dyn Fn(&VideoCallFrame) -> f64| ColumnValues::F64(frames.iter().map(of).collect());
    let whole = |of: &dyn Fn(&VideoCallFrame) -> u32| ColumnValues::U32(frames.iter().map(of).collect());
    columns.extend([
        ("frame", ColumnValues::U32(numbers)),
        ("captured_s", real(&|frame| frame.captured.seconds())),
        ("target_mbps", real(&|frame| frame.target_bps / 1e6)),
        ("bytes", whole(&|frame| frame.bytes)),
        ("resent_packets", whole(&|frame| frame.resent_packets)),
        ("shown_s", real(&|frame| frame.shown.map_or(f64::NAN, Time::seconds))),
    ]);
    Table::new("video_call_frames", columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_has_the_group_and_number_of_its_call() {
        let frame = |bytes| VideoCallFrame {
            captured: Time::from_seconds(0.5),
            target_bps: 2e6,
            bytes,
            resent_packets: 1,
            shown: (bytes > 1).then(|| Time::from_seconds(0.75)),
        };
        let identity = vec![
            ("group", ColumnValues::names(vec![0, 1, 1], ["game", "call"])),
            ("source", ColumnValues::U32(vec![0, 0, 1])),
            ("from", ColumnValues::names(vec![0, 0, 0], ["server"])),
        ];
        let table = video_call_frames(vec![(1, vec![frame(2), frame(3)]), (2, vec![frame(1)])], &identity);
        let columns: Vec<_> = table.columns.into_iter().map(|column| (column.name, column.values)).collect();
        assert_eq!(
            columns[..3],
            [
                ("group", ColumnValues::names(vec![1, 1, 1], ["game", "call"])),
                ("source", ColumnValues::U32(vec![0, 0, 1])),
                ("frame", ColumnValues::U32(vec![0, 1, 0])),
            ]
        );
        assert_eq!(columns[5], ("bytes", ColumnValues::U32(vec![2, 3, 1])));
        let ColumnValues::F64(shown) = &columns[7].1 else { panic!("{:?}", columns[7]) };
        assert!(shown[..2] == [0.75, 0.75] && shown[2].is_nan(), "{shown:?}");
    }
}
