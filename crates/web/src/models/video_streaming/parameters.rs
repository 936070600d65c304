//! The parameters of video streaming.

use crate::ParameterError;
use crate::parameter_error::within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Viewers of videos in segments, whose player chooses each segment's bit rate by its buffer (BOLA).
///
/// Absent keys take their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VideoStreamingParameters {
    /// Bit rates that a segment may have in kbit/s, increasing; 1 to 50 of them, each 1 to 1e6. Default 230,
    /// 331, 477, 688, 991, 1427, 2056, 2962, 5027 and 6000.
    pub bitrates_kbps: Vec<f64>,
    /// Length of a segment in seconds; 0.1 to 60. Default 3.
    pub segment_seconds: f64,
    /// Segments of a video; 1 to 1,000,000. Default 100.
    pub segments_per_video: u32,
    /// Longest buffer in seconds; 2 segments to 3600. Default 25.
    pub most_buffer_seconds: f64,
    /// Buffer in seconds at which playback begins, and goes on after a stall; 0.001 to the longest buffer
    /// less a segment. Default 3.
    pub start_buffer_seconds: f64,
    /// γp of BOLA: how much a full buffer is worth beside a high bit rate; 0.01 to 1000. Default 5.
    pub full_buffer_weight: f64,
    /// Length of every request in bytes; 1 to 65,535. Default 500.
    pub request_bytes: u32,
    /// Mean time in seconds from the end of a video to the wish for the next; 0.001 to 1e6. Default 10.
    pub pause_mean_seconds: f64,
    /// Number of servers among which a video chooses uniformly; at least 1. Default 8.
    pub server_count: u32,
}

impl Default for VideoStreamingParameters {
    fn default() -> Self {
        Self {
            bitrates_kbps: vec![230.0, 331.0, 477.0, 688.0, 991.0, 1427.0, 2056.0, 2962.0, 5027.0, 6000.0],
            segment_seconds: 3.0,
            segments_per_video: 100,
            most_buffer_seconds: 25.0,
            start_buffer_seconds: 3.0,
            full_buffer_weight: 5.0,
            request_bytes: 500,
            pause_mean_seconds: 10.0,
            server_count: 8,
        }
    }
}

const MOST_BIT_RATES: usize = 50;

impl VideoStreamingParameters {
    pub(super) fn validate(&self) -> Result<(), ParameterError> {
        self.validate_bit_rates()?;
        within("segment_seconds", self.segment_seconds, 0.1, 60.0)?;
        within("segments_per_video", f64::from(self.segments_per_video), 1.0, 1_000_000.0)?;
        within("most_buffer_seconds", self.most_buffer_seconds, 2.0 * self.segment_seconds, 3600.0)?;
        let room_seconds = self.most_buffer_seconds - self.segment_seconds;
        within("start_buffer_seconds", self.start_buffer_seconds, 0.001, room_seconds)?;
        within("full_buffer_weight", self.full_buffer_weight, 0.01, 1000.0)?;
        within("request_bytes", f64::from(self.request_bytes), 1.0, 65_535.0)?;
        within("pause_mean_seconds", self.pause_mean_seconds, 0.001, 1e6)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))
    }

    fn validate_bit_rates(&self) -> Result<(), ParameterError> {
        let rates = &self.bitrates_kbps;
        let increasing = rates.windows(2).all(|pair| pair[0] < pair[1]);
        if !(1..=MOST_BIT_RATES).contains(&rates.len()) || !increasing {
            return Err(ParameterError {
                key: "bitrates_kbps",
                value: format!("{rates:?}"),
                legal: format!("1 to {MOST_BIT_RATES} increasing numbers"),
            });
        }
        rates.iter().try_for_each(|&kbps| within("bitrates_kbps", kbps, 1.0, 1e6))
    }

    /// Segments that have arrived when playback begins: as many as it begins with, or the whole video.
    pub(super) fn segments_before_playback(&self) -> u32 {
        // Rounding alone is no further segment.
        let segments = (self.start_buffer_seconds / self.segment_seconds - 1e-9).ceil();
        (segments as u32).clamp(1, self.segments_per_video.max(1))
    }

    /// Bytes of a segment of this bit rate.
    pub(super) fn segment_bytes(&self, kbps: f64) -> u64 {
        ((kbps * self.segment_seconds * 1000.0 / 8.0 + 0.5) as u64).max(1)
    }
}
