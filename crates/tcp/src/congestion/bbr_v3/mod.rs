//! BBR versions 2 and 3: a model of the path with two bounds on what is in the network, one for as long as
//! nothing else is known and one for the time since something was lost.
//!
//! The editions differ where [`Bbr`] asks for their [`Edition`]: `bbr_draft_2026_08.rs`, `bbr_linux_v3.rs`,
//! `bbr_linux_v2.rs` and `bbr_l4s_v2.rs` say in what. The names in brackets are the draft's, and so are the
//! numbers.
//!
//! | state | pace / rate | window / (rate · least round trip) | bound | until |
//! | --- | --- | --- | --- | --- |
//! | startup | 2.77 | 2 | | the rate grew by less than a quarter in three rounds, or a round of a recovery lost 2 % in six places |
//! | drain | 0.5 | 2 | short | no more is in the network than the path holds |
//! | down | 0.9 | 2 | long, short | no more is than the path holds and 85 % of the long bound |
//! | cruise | 1 | 2 | 85 % of long, short | 2 to 3 s since down began, or as many rounds as the path holds segments, 63 at most |
//! | refill | 1 | 2 | long | a round |
//! | up | 1.25 | 2.25 | long, which grows by 1, 2, 4, … in a round | as in startup, without places; or at the long bound, if the last one was too high |
//! | round trip | 1 | 0.5 | 85 % of long, short | 200 ms and a round; from 5 s without a shorter round trip |
//!
//! Departures and silences:
//! - What is in the network is counted in segments, what the path holds rounded up, bounds rounded down.
//! - An acknowledgement that tells no rate ends no round.
//! - What will be in the network at the next departure (`bbr_packets_in_net_at_edt`) is what is in it now.
//! - Quanta are of packets, where Linux counts bytes of data.
//! - A segment counts for a burst that it leaves in: what was in the network with it is known exactly.
//! - Aggregation is the greatest of five to ten rounds, where the draft has ten.
//! - The state to go back to is that before the first loss of a recovery. By the letter of the draft a second
//!   lost segment, behind one that ends a search, would save it again and forget the search
//!   (`ResetCongestionSignals`, then `NoteLoss`).

mod bounds;
#[cfg(test)]
mod cases;
mod edition;
mod marks;
#[cfg(test)]
mod marks_cases;
mod probe;
mod search;

use super::control::{Codepoint, CongestionControl, Settings};
use super::facts::{
    Acknowledged, Feedback, Loss, LostSegment, Marks, Opening, Phase, Recovered, Sent, Timeout,
};
use super::path_model::{Aggregation, LEAST_WINDOW, Pace, product};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use bounds::{Losses, Undo};
pub(crate) use edition::Edition;
use marks::MarkShare;
use probe::Probe;
use search::{Growth, Search};
use std::marker::PhantomData;

const WINDOW_GAIN: f64 = 2.0;
const UP_PACE: f64 = 1.25;
const AGGREGATION_ROUNDS: u32 = 5;
/// A bound that there is not.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    RoundTrip,
}

/// What one acknowledgement tells [RS].
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    rate: f64,
    delivered: u32,
    /// What had arrived when the newest segment left; none without a rate.
    before: Option<u64>,
    in_flight: u32,
    lost: u32,
    limited: bool,
    /// What was marked of what was delivered, where marks are answered.
    marked: u64,
}

/// Rounds of data, and those that begin with a loss.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    count: u64,
    begins: bool,
    /// Each ends when something arrives that left when so much had arrived.
    until: u64,
    loss_until: u64,
    loss_ends: bool,
}

/// The controller, of one edition.
#[derive(Clone, Debug)]
pub(crate) struct Bbr<E: Edition> {
    state: State,
    now: Time,
    delivered: u64,
    window: u32,
    initial: u32,
    window_before: u32,
    recovering: bool,
    pace: Pace,
    /// The greatest rate of this search for bandwidth, and of the one before [max_bw].
    rates: [f64; 2],
    rate_short: f64,
    rate_latest: f64,
    long: u32,
    short: u32,
    latest: u32,
    rounds: Rounds,
    growth: Growth,
    losses: Losses,
    search: Search,
    probe: Probe,
    aggregation: Aggregation,
    least: Option<Span>,
    least_at: Time,
    undo: Undo,
    marks: Option<Box<MarkShare>>,
    /// Whether the peer tells how many packets are marked, and marks are answered.
    is_scalable: bool,
    random: Stream,
    edition: PhantomData<E>,
}

impl<E: Edition> Bbr<E> {
    const fn greatest_rate(&self) -> f64 {
        self.rates[0].max(self.rates[1])
    }

    const fn rate(&self) -> f64 {
        self.greatest_rate().min(self.rate_short)
    }

    const fn gains(&self) -> (f64, f64) {
        match self.state {
            State::Startup => E::STARTUP,
            State::Drain => E::DRAIN,
            State::Down => (E::DOWN_PACE, WINDOW_GAIN),
            State::Cruise | State::Refill => (1.0, WINDOW_GAIN),
            State::Up => (UP_PACE, E::UP_WINDOW),
            State::RoundTrip => (1.0, 0.5),
        }
    }

    const fn is_in_cycle(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// What the path holds at such a rate, times a gain.
    fn held(&self, rate: f64, gain: f64) -> u32 {
        self.least.map_or(self.initial, |least| product(rate, least, gain))
    }

    fn with_quanta(&self, segments: u32) -> u32 {
        let least = segments.max(3 * self.pace.quantum()).max(LEAST_WINDOW);
        if self.state == State::Up { least + 2 } else { least }
    }

    fn target(&self) -> u32 {
        let held = self.held(self.rate(), 1.0);
        if E::DRAFT { held } else { self.with_quanta(held) }.min(self.window)
    }

    const fn begin_round(&mut self) {
        self.rounds.until = self.delivered;
    }

    fn take_sample(&mut self, sample: &Sample) {
        let is_over = |until: u64| sample.before.is_some_and(|before| before >= until);
        self.rounds.begins = is_over(self.rounds.until);
        if self.rounds.begins {
            self.begin_round();
            self.rounds.count += 1;
            self.search.rounds_since_up += 1;
        }
        self.rate_latest = self.rate_latest.max(sample.rate);
        self.latest = self.latest.max(sample.delivered);
        self.rounds.loss_ends = is_over(self.rounds.loss_until);
        if self.rounds.loss_ends {
            self.rounds.loss_until = self.delivered;
        }
        if sample.rate > 0.0 && (sample.rate >= self.greatest_rate() || !sample.limited) {
            self.rates[0] = self.rates[0].max(sample.rate);
        }
    }
}

impl<E: Edition> CongestionControl for Bbr<E> {
    fn new(settings: &Settings) -> Self {
        let mut pace = Pace::new(settings.packet_bytes, E::QUANTA);
        pace.begin(settings.initial_window, E::STARTUP.0, None);
        Self {
            state: State::Startup,
            now: Time::ZERO,
            delivered: 0,
            window: settings.initial_window,
            initial: settings.initial_window,
            window_before: 0,
            recovering: false,
            pace,
            rates: [0.0; 2],
            rate_short: f64::INFINITY,
            rate_latest: 0.0,
            long: NONE,
            short: NONE,
            latest: 0,
            rounds: Rounds::default(),
            growth: Growth::default(),
            losses: Losses::default(),
            search: Search::new(),
            probe: Probe::default(),
            aggregation: Aggregation::new(!E::DRAFT),
            least: None,
            least_at: Time::ZERO,
            undo: Undo { state: None, rate_short: f64::INFINITY, short: NONE, long: NONE },
            marks: MarkShare::new(settings.answers_marks),
            is_scalable: false,
            random: Key::from_seed(0).stream(),
            edition: PhantomData,
        }
    }

    fn draw_from(&mut self, key: Key) {
        self.random = key.stream();
    }

    fn on_established(&mut self, opening: Opening) {
        if opening.reduces_window {
            self.window = 1;
        }
        (self.least, self.probe.recent) = (opening.round_trip, opening.round_trip);
        (self.least_at, self.probe.recent_at) = (opening.now, opening.now);
        self.aggregation.restart(opening.now);
        self.pace.begin(self.window, E::STARTUP.0, opening.round_trip);
        self.pace.note_least(self.least);
        self.is_scalable = self.marks.is_some() && opening.feedback == Feedback::Accurate;
    }

    fn on_sent(&mut self, sent: &Sent) {
        if sent.in_flight == 1 && sent.application_limited {
            (self.probe.restarts, self.now) = (true, sent.now);
            self.aggregation.restart(sent.now);
            if self.is_in_cycle() {
                self.pace.follow(self.rate(), 1.0, self.growth.filled);
            } else if self.state == State::RoundTrip {
                self.end_probe();
            }
        }
    }

    fn on_acknowledged(&mut self, acknowledged: &Acknowledged) {
        let Acknowledged { now, delivered, delivered_ever, in_flight, phase, .. } = *acknowledged;
        (self.now, self.delivered) = (now, delivered_ever);
        let mut sample = acknowledged.delivery_rate.map_or_else(Sample::default, |rate| Sample {
            rate: f64::from(rate.segments) / rate.interval.seconds(),
            delivered: rate.segments,
            before: Some(delivered_ever - u64::from(rate.segments)),
            in_flight: rate.in_flight,
            lost: rate.lost_since,
            limited: rate.application_limited,
            marked: 0,
        });
        self.take_sample(&sample);
        self.take_marks(acknowledged, &mut sample);
        self.losses.places += u32::from(!E::DRAFT && acknowledged.lost > 0);
        if delivered > 0 {
            if self.rounds.loss_ends {
                self.adapt_short();
                self.end_loss_round(&sample, phase);
                if E::VERSION_2 {
                    (self.rate_latest, self.latest) = (sample.rate, sample.delivered);
                }
            }
            let period = if self.growth.filled { AGGREGATION_ROUNDS } else { 1 };
            let (rate, window, begins) = (self.rate(), self.window, self.rounds.begins);
            self.aggregation.note(now, delivered, rate, window, begins, period);
            self.check_growth(&sample);
            self.check_drain(in_flight);
            self.advance_cycle(&sample, acknowledged);
        }
        self.note_round_trip(acknowledged);
        if self.rounds.loss_ends && !E::VERSION_2 {
            (self.rate_latest, self.latest) = (sample.rate, sample.delivered);
        }
        let (gain, _) = self.gains();
        self.pace.follow(self.rate(), gain, self.growth.filled);
        self.set_window(delivered);
        self.recovering = matches!(phase, Phase::Recovery | Phase::Loss);
    }

    fn on_lost(&mut self, lost: &LostSegment) {
        self.now = lost.now;
        self.delivered = lost.delivered_ever;
        self.note_loss(lost.delivered_ever);
        let is_apart = self.losses.places == 0 || lost.place != self.losses.last_place + 1;
        self.losses.places += u32::from(E::DRAFT && is_apart);
        self.losses.last_place = lost.place;
        if self.search.searches && Self::is_too_high(lost.lost_since, lost.in_flight) {
            // Of what was in the network before it, that with which losses were not too many.
            let (before, lost_before) = (f64::from(lost.in_flight - 1), f64::from(lost.lost_since - 1));
            let prefix = ((Self::LOSS * before - lost_before) / (1.0 - Self::LOSS)).max(0.0);
            self.fall((before + prefix) as u32, lost.application_limited);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.now = loss.now;
        if loss.repaired {
            self.note_loss(self.delivered);
            self.losses.kept = false;
            if self.search.searches && Self::is_too_high(1, self.latest + 1) {
                self.fall(self.latest + 1, false);
            }
        } else if E::DRAFT {
            self.keep_window();
        } else if !loss.reduced {
            self.keep_state();
        }
        self.recovering |= !loss.repaired;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.now = timeout.now;
        if !E::DRAFT && !timeout.repeated {
            self.keep_state();
        }
        self.window = timeout.in_flight + 1;
        if !E::DRAFT {
            self.look_for_growth(0.0);
            let searches = matches!(self.state, State::Startup | State::Refill | State::Up);
            if !searches && self.short == NONE {
                self.short = self.window.max(self.window_before);
            }
        }
        self.recovering = true;
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.now = marks.now;
        if E::DRAFT {
            self.note_loss(self.delivered);
        } else {
            self.keep_state();
        }
    }

    fn on_recovered(&mut self, recovered: Recovered) {
        if E::DRAFT || recovered != Recovered::Complete {
            self.window = self.window.max(self.window_before);
        }
        if recovered == Recovered::Mistaken {
            self.take_back();
        }
        (self.recovering, self.losses.kept) = (false, false);
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
        self.state == State::RoundTrip
    }

    fn codepoint(&self) -> Codepoint {
        if self.is_scalable { Codepoint::Ect1 } else { Codepoint::Ect0 }
    }

    fn answers_marks(&self) -> bool {
        self.marks.is_some()
    }
}
