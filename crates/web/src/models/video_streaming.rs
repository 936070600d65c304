//! Video streaming with bit-rate adaptation (DASH, HLS): segments over HTTP, a buffer, and a player that
//! chooses the bit rate of each segment by how full the buffer is.
//!
//! **Source.** K. Spiteri, R. Urgaonkar, R. K. Sitaraman, *BOLA: Near-Optimal Bitrate Adaptation for Online
//! Videos* (IEEE INFOCOM 2016): the algorithm (BOLA-BASIC), its test video (Big Buck Bunny, ten bit rates,
//! segments of 3 s), its buffer of 25 s and γp = 5, quoted from memory. Reference players use it (dash.js).
//!
//! **A viewer.** Watch a video, pause, watch the next. A video is a number of segments, fetched one after the
//! other over one connection. Each is a request and a response of bit rate × length. A segment is requested
//! as soon as the one before has arrived and the buffer has room for it. Playback begins with so many seconds
//! in the buffer. An empty buffer stalls it, until there are as many again.
//!
//! ```text
//! utility      υ_m = ln(S_m / S_1) of bit rate m with S_m bits a segment
//! weight       V = (Q_max - 1) / (υ_M + γp);  Q, Q_max: the buffer and its limit, in segments
//! choice       the m of the greatest (V (υ_m + γp) - Q) / S_m; of equals the higher bit rate
//! ```
//!
//! | quantity | law | default | certainty |
//! | --- | --- | --- | --- |
//! | bit rates, kbit/s | constant | 230 to 6,000, ten of them | the paper's video |
//! | length of a segment, s | constant | 3 | the paper |
//! | segments of a video | constant | 100 | assumption: 5 minutes |
//! | buffer at most, s | constant | 25 | the paper |
//! | buffer when playback begins, s | constant | 3 | assumption: a segment |
//! | γp | constant | 5 | the paper |
//! | request, bytes | constant | 500 | assumption |
//! | pause between videos, s | exponential | mean 10 | assumption |
//! | server of a video | uniform | | assumption |
//!
//! **Departures and silences.** All segments of a bit rate have one size. The player does not abandon a
//! segment under way, and has no start-up rule of its own: the first segment has the lowest bit rate. A
//! segment whose connection failed is requested again over another one. No TLS. Requests depend on the
//! network, as they do in a real player; a segment's number still names the same seconds of the same video.
//! Viewers begin their videos in the run, with empty buffers: there is no stationary start.

mod buffer;
mod parameters;
mod user;

use crate::unused::{BesideModel, UnusedKey};
use crate::{
    Command, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population, StartRule,
    UserEvent, WaitsFor, Workload,
};
use aqmlab_random::{Key, Law};
use aqmlab_units::{Span, Time};
pub use parameters::VideoStreamingParameters;
pub use user::Viewer;

impl Parameters for VideoStreamingParameters {
    fn facts(&self) -> ModelFacts {
        let before_playback = self.segments_before_playback();
        let waits_for = WaitsFor::Segments { per_video: self.segments_per_video, before_playback };
        ModelFacts { waits_for, ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let wrong = "viewers begin their videos in the run, with empty buffers";
        let stationary = beside.start == StartRule::Stationary;
        stationary.then(|| UnusedKey::new("start", wrong, "\"steady\" or \"fresh\"")).into_iter().collect()
    }

    fn length_of_requests(&self) -> Option<u32> {
        Some(self.request_bytes)
    }

    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let segments_per_second = 1.0 / self.segment_seconds;
        Ok(Habits {
            user_bytes: size_of::<Viewer>(),
            plan_bytes: 1.0, // she has none; estimates count in whole bytes
            connections: 1.0,
            connections_per_second: segments_per_second / f64::from(self.segments_per_video),
            exchanges_per_second: segments_per_second,
            pages_per_second: segments_per_second,
        })
    }

    /// At the highest bit rate.
    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let highest_kbps = self.bitrates_kbps.last().copied().unwrap_or_default();
        Ok(Workload {
            exchanges: 1.0,
            exchange_bytes: self.segment_bytes(highest_kbps) as f64,
            seconds: self.segment_seconds,
            connections: Some(1.0),
        })
    }

    fn build(&self, count: u32, key: Key, _: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(VideoStreamingModel::new(self)?, self.facts(), count, key))
    }
}

/// A bit rate that a segment may have.
#[derive(Clone, Copy, Debug)]
struct BitRate {
    segment_bytes: u64,
    /// ln(S_m / S_1) + γp.
    weighted_utility: f64,
}

/// The model with its parameters: immutable, shared by all viewers of a population.
#[derive(Clone, Debug)]
pub struct VideoStreamingModel {
    parameters: VideoStreamingParameters,
    bit_rates: Vec<BitRate>,
    segment: Span,
    buffer_at_most: Span,
    playback_begins_at: Span,
    pause_seconds: Law,
    /// V of the paper.
    weight: f64,
}

impl VideoStreamingModel {
    /// Prepares the utilities of the bit rates.
    ///
    /// # Errors
    /// [`crate::ParameterError`]: a number outside its legal range.
    pub fn new(parameters: &VideoStreamingParameters) -> Result<Self, crate::ParameterError> {
        parameters.validate()?;
        let lowest_kbps = parameters.bitrates_kbps[0];
        let bit_rates: Vec<BitRate> = parameters
            .bitrates_kbps
            .iter()
            .map(|&kbps| BitRate {
                segment_bytes: parameters.segment_bytes(kbps),
                weighted_utility: libm::log(kbps / lowest_kbps) + parameters.full_buffer_weight,
            })
            .collect();
        let most_segments = parameters.most_buffer_seconds / parameters.segment_seconds;
        let highest = bit_rates.last().map_or(0.0, |rate| rate.weighted_utility);
        Ok(Self {
            bit_rates,
            weight: (most_segments - 1.0) / highest,
            segment: Span::from_seconds(parameters.segment_seconds),
            buffer_at_most: Span::from_seconds(parameters.most_buffer_seconds),
            playback_begins_at: Span::from_seconds(parameters.start_buffer_seconds),
            pause_seconds: Law::Exponential { mean: parameters.pause_mean_seconds },
            parameters: parameters.clone(),
        })
    }

    /// Bytes of the next segment, with so much in the buffer.
    fn segment_bytes(&self, buffer: Span) -> u64 {
        let segments = buffer.seconds() / self.segment.seconds();
        let worth =
            |rate: &BitRate| (self.weight * rate.weighted_utility - segments) / rate.segment_bytes as f64;
        let best = self
            .bit_rates
            .iter()
            .copied()
            .reduce(|best, rate| if worth(&rate) >= worth(&best) { rate } else { best });
        best.expect("a video has a bit rate").segment_bytes
    }
}

impl Model for VideoStreamingModel {
    type User = Viewer;

    fn user(&self, key: Key, _: u32) -> Viewer {
        Viewer::new(key)
    }

    fn handle(
        &self,
        user: &mut Viewer,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(start) => user.start(start, self, out),
            UserEvent::Wake => user.request_segment(now, self, out),
            UserEvent::Connected(connection) => user.on_connected(connection, self, out),
            UserEvent::Response(connection) => user.on_segment(now, connection, self, out),
            UserEvent::Failed(connection) => return user.on_failed(connection, self, out),
            UserEvent::Object(..) => panic!("{event:?} is no event of this model's users"),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The utilities of the paper's table of bit rates, three decimals.
    #[test]
    fn utilities_are_those_of_the_papers_table() {
        let model = VideoStreamingModel::new(&VideoStreamingParameters::default()).unwrap();
        let utilities: Vec<f64> =
            model.bit_rates.iter().map(|rate| (rate.weighted_utility - 5.0) * 1000.0).collect();
        let printed = [0.0, 364.0, 729.0, 1096.0, 1461.0, 1825.0, 2190.0, 2556.0, 3084.0, 3261.0];
        for (utility, printed) in utilities.iter().zip(printed) {
            assert!((utility - printed).abs() < 1.0, "{utility} where {printed} is printed");
        }
    }

    /// Between two bit rates the choice changes where both are worth the same:
    /// Q = V (υ_m S_n - υ_n S_m) / (S_n - S_m) + V γp.
    #[test]
    fn a_fuller_buffer_gets_higher_bit_rates_at_the_buffers_that_the_formula_gives() {
        let parameters = VideoStreamingParameters {
            bitrates_kbps: vec![1_000.0, 2_000.0],
            segment_seconds: 2.0,
            most_buffer_seconds: 22.0,
            start_buffer_seconds: 2.0,
            full_buffer_weight: 5.0,
            ..VideoStreamingParameters::default()
        };
        let model = VideoStreamingModel::new(&parameters).unwrap();
        // V = 10 / (ln 2 + 5) = 1.7564, and the change is at V (5 - ln 2) = 7.5648 segments, 15.130 s.
        let bytes = |ms: u64| model.segment_bytes(Span::from_milliseconds(ms));
        assert_eq!([bytes(0), bytes(15_120)], [250_000; 2]);
        assert_eq!([bytes(15_140), bytes(20_000)], [500_000; 2]);
    }
}
