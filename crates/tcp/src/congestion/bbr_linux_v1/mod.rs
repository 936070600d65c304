//! BBR version 1, as Linux has it (`tcp_bbr.c`, 4.9 to today; 2016): it sends at the rate at which data
//! arrive, and looks every eight round trips whether more would arrive if it sent more.
//!
//! Source: N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016, and
//! draft-cardwell-iccrg-bbr-congestion-control-00, with what Linux adds: the excess of aggregated
//! acknowledgements (5.1) and long-term sampling behind policers.
//!
//! | state | pace / rate | window / (rate · least round trip) | until |
//! | --- | --- | --- | --- |
//! | startup | 2.89 | 2.89 | the rate grew by less than a quarter in three rounds |
//! | drain | 0.35 | 2.89 | no more is in the network than the path holds |
//! | bandwidth | 1.25, 0.75, six times 1, a least round trip each; the first until a quarter more is in the network or something is lost, the second until no more is than the path holds | 2 | |
//! | round trip | 1 | four segments | 200 ms and a round; from ten seconds without a round trip as short as the least |
//!
//! The rate is the greatest of ten rounds, the window two thirds of it by what aggregation adds, and three
//! quanta. In the first round of a recovery as much is sent as arrives; later the window grows again, and
//! behind it is what it was. Two intervals of 4 to 16 rounds with 20 % of losses and equal rates are a
//! policer's: that rate is used for 48 rounds. Marks mean nothing to it.
//!
//! Departures and silences:
//! - Rates are floating-point numbers, and times nanoseconds: Linux counts 2⁻²⁴ segments per microsecond, and
//!   interrupts of its kernel.
//! - What will be in the network at the next departure (`bbr_packets_in_net_at_edt`) is what is in it now.
//! - No acknowledgement counts as delayed by the peer (`is_ack_delayed`) when the least round trip is
//!   renewed.
//! - A timeout ends no interval of a policer (`bbr_set_state` samples one).
//! - Before an acknowledgement as much was in the network as after it, and what it brought and showed lost.

mod states;

use super::Habits;
use super::control::{CongestionControl, Settings};
use super::facts::{
    Acknowledged, DeliveryRate, Loss, LostSegment, Marks, Opening, Phase, Recovered, Sent, Timeout,
};
use super::path_model::{Aggregation, GreatestOfRounds, LEAST_WINDOW, Pace, Quanta, product};
use super::policer::{Counted, Policer};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { needs_pacing: true, models_path: true, ..Habits::NONE };

/// 2 / ln 2 in 1/256.
const HIGH_GAIN: f64 = 739.0 / 256.0;
const DRAIN_GAIN: f64 = 88.0 / 256.0;
const WINDOW_GAIN: f64 = 2.0;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const RATE_ROUNDS: u64 = 10;
const AGGREGATION_ROUNDS: u32 = 5;
/// What aggregation adds is worth this at the most.
const AGGREGATION_S: f64 = 0.1;
/// `TCP_INIT_CWND`.
const FIRST_WINDOW: u32 = 10;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    Bandwidth,
    RoundTrip,
}

/// The controller.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    mode: Mode,
    window: u32,
    /// What it was before a recovery or a probe of the round trip.
    window_before: u32,
    pace: Pace,
    rates: GreatestOfRounds,
    policer: Policer,
    aggregation: Aggregation,
    round: u64,
    round_begins: bool,
    /// The round ends when something arrives that left when so many had arrived.
    round_until: u64,
    filled: bool,
    best_rate: f64,
    rounds_without_growth: u32,
    least_round_trip: Option<Span>,
    least_at: Time,
    probe_until: Option<Time>,
    probe_round_over: bool,
    restarts: bool,
    phase: usize,
    phase_began: Time,
    recovering: bool,
    conserves: bool,
    lost: u64,
    random: Stream,
}

impl Controller {
    fn rate(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.rates.greatest())
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::Bandwidth if self.policer.rate().is_some() => (1.0, WINDOW_GAIN),
            Mode::Bandwidth => (CYCLE[self.phase], WINDOW_GAIN),
            Mode::RoundTrip => (1.0, 1.0),
        }
    }

    /// Segments that the path holds at such a rate, times a gain.
    fn held(&self, rate: f64, gain: f64) -> u32 {
        self.least_round_trip.map_or(FIRST_WINDOW, |least| product(rate, least, gain))
    }

    /// With three quanta for both ends, an even number, and two more while it looks for bandwidth.
    const fn with_quanta(&self, segments: u32) -> u32 {
        let even = (segments + 3 * self.pace.quantum() + 1) & !1;
        if matches!(self.mode, Mode::Bandwidth) && self.phase == 0 { even + 2 } else { even }
    }

    fn target(&self, gain: f64) -> u32 {
        self.with_quanta(self.held(self.rates.greatest(), gain))
    }

    fn keep_window(&mut self) {
        let reduced = self.recovering || self.mode == Mode::RoundTrip;
        self.window_before = if reduced { self.window_before.max(self.window) } else { self.window };
    }

    fn note_rate(&mut self, acknowledged: &Acknowledged, rate: &DeliveryRate) {
        if acknowledged.delivered_ever - u64::from(rate.segments) >= self.round_until {
            self.round_until = acknowledged.delivered_ever;
            self.round += 1;
            self.round_begins = true;
            self.conserves = false;
        }
        let limited = rate.application_limited;
        let counted = Counted { delivered: acknowledged.delivered_ever, lost: self.lost };
        let round = self.round_begins.then_some(self.mode == Mode::Bandwidth);
        if self.policer.look(acknowledged.now, counted, round, acknowledged.lost > 0, limited) {
            self.enter_bandwidth(acknowledged.now);
        }
        let sample = f64::from(rate.segments) / rate.interval.seconds();
        if !limited || sample >= self.rates.greatest() {
            self.rates.note(RATE_ROUNDS, self.round, sample);
        }
        let bandwidth = self.rate();
        let (now, segments) = (acknowledged.now, acknowledged.delivered);
        self.aggregation.note(now, segments, bandwidth, self.window, self.round_begins, AGGREGATION_ROUNDS);
    }

    fn set_window(&mut self, acknowledged: &Acknowledged) {
        let Acknowledged { delivered, lost, in_flight, phase, .. } = *acknowledged;
        if delivered > 0 {
            self.window = self.window.saturating_sub(lost).max(1);
            let (was, is) = (self.recovering, matches!(phase, Phase::Recovery | Phase::Loss));
            if phase == Phase::Recovery && !was {
                self.conserves = true;
                self.round_until = acknowledged.delivered_ever;
                self.window = in_flight + delivered;
            } else if was && !is {
                self.conserves = false;
                self.window = self.window.max(self.window_before);
            }
            self.recovering = is;
            if self.conserves {
                self.window = self.window.max(in_flight + delivered);
            } else {
                self.approach(acknowledged);
            }
        }
        if self.mode == Mode::RoundTrip {
            self.window = self.window.min(LEAST_WINDOW);
        }
    }

    /// Grows by what arrived, up to what the path holds.
    fn approach(&mut self, acknowledged: &Acknowledged) {
        let (_, gain) = self.gains();
        let mut target = self.held(self.rate(), gain);
        if self.filled {
            target += self.aggregation.greatest().min((self.rate() * AGGREGATION_S) as u32);
        }
        let target = self.with_quanta(target);
        if self.filled {
            self.window = (self.window + acknowledged.delivered).min(target);
        } else if self.window < target || acknowledged.delivered_ever < u64::from(FIRST_WINDOW) {
            self.window += acknowledged.delivered;
        }
        self.window = self.window.max(LEAST_WINDOW);
    }
}

impl CongestionControl for Controller {
    fn new(settings: &Settings) -> Self {
        let mut pace = Pace::new(settings.packet_bytes, Quanta::MILLISECOND);
        pace.begin(settings.initial_window, HIGH_GAIN, None);
        Self {
            mode: Mode::Startup,
            window: settings.initial_window,
            window_before: 0,
            pace,
            rates: GreatestOfRounds::default(),
            policer: Policer::new(settings.packet_bytes),
            aggregation: Aggregation::new(true),
            round: 0,
            round_begins: false,
            round_until: 0,
            filled: false,
            best_rate: 0.0,
            rounds_without_growth: 0,
            least_round_trip: None,
            least_at: Time::ZERO,
            probe_until: None,
            probe_round_over: false,
            restarts: false,
            phase: 0,
            phase_began: Time::ZERO,
            recovering: false,
            conserves: false,
            lost: 0,
            random: Key::from_seed(0).stream(),
        }
    }

    fn draw_from(&mut self, key: Key) {
        self.random = key.stream();
    }

    fn on_established(&mut self, opening: Opening) {
        if opening.reduces_window {
            self.window = 1;
        }
        self.least_round_trip = opening.round_trip;
        self.least_at = opening.now;
        self.aggregation.restart(opening.now);
        self.pace.begin(self.window, HIGH_GAIN, opening.round_trip);
    }

    fn on_sent(&mut self, sent: &Sent) {
        if sent.in_flight == 1 && sent.application_limited {
            self.restarts = true;
            self.aggregation.restart(sent.now);
            match self.mode {
                Mode::Bandwidth => self.pace.follow(self.rate(), 1.0, self.filled),
                Mode::RoundTrip => self.end_probe(sent.now),
                Mode::Startup | Mode::Drain => {}
            }
        }
    }

    fn on_acknowledged(&mut self, acknowledged: &Acknowledged) {
        self.round_begins = false;
        if let Some(rate) = &acknowledged.delivery_rate {
            self.note_rate(acknowledged, rate);
        }
        if self.mode == Mode::Bandwidth {
            self.advance_cycle(acknowledged);
        }
        let limited = acknowledged.delivery_rate.is_some_and(|rate| rate.application_limited);
        self.fill_and_drain(acknowledged, limited);
        self.note_round_trip(acknowledged);
        let (gain, _) = self.gains();
        self.pace.follow(self.rate(), gain, self.filled);
        self.set_window(acknowledged);
    }

    fn on_lost(&mut self, _: &LostSegment) {
        self.lost += 1;
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !loss.reduced {
            self.keep_window();
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.keep_window();
        }
        self.recovering = true;
        (self.best_rate, self.round_begins) = (0.0, true);
        self.window = timeout.in_flight + 1;
    }

    fn on_marks(&mut self, _: &Marks) {
        self.keep_window();
    }

    fn on_recovered(&mut self, recovered: Recovered) {
        if recovered == Recovered::Mistaken {
            (self.best_rate, self.rounds_without_growth) = (0.0, 0);
            self.policer.forget();
        }
    }

    fn on_idle(&mut self, _: u32) {}

    fn window(&self) -> u32 {
        self.window
    }

    /// It has none.
    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace.rate())
    }

    fn send_quantum(&self) -> u32 {
        self.pace.quantum()
    }

    fn limits_samples(&self) -> bool {
        self.mode == Mode::RoundTrip
    }
}
