//! Shapers that follow a line whose rate varies: the rule of cake-autorate.
//!
//! Source: `cake-autorate.sh` and `defaults.sh` of github.com/lynxthecat/cake-autorate at commit 94238be
//! (19 August 2026), with its defaults. Every reflector is pinged; each response counts for both ways:
//!
//! ```text
//! delay        half of the round trip for each way, or that of the way itself
//! baseline     of each reflector and way, at first 100 ms: moves by 0.001 of a longer delay, 0.9 of a shorter
//! delta        delay - baseline
//! thresholds   30 ms (delayed), 10 ms (largest step up), 60 ms (largest step down), each and a full packet's
//!              time at the shaper's rate
//! window       the last 6 responses: the mean delta, and bufferbloat if 3 or more are delayed
//! load         every 200 ms (or ten times a full packet's time both ways, if that is longer) what was sent:
//!              high above 75 per cent of the shaper's rate, in whole per cent: from 76 on
//! bufferbloat  not within 300 ms of the last: rate times 0.99 where the mean is at the threshold, down to
//!              0.75 where it is at that of the largest step down, linear between
//! load high    once for each measurement of the load, not within 300 ms of a bufferbloat: rate times 1.0
//!              where the mean is at the threshold, up to 1.04 at that of the largest step up
//! otherwise    once a second: towards the base rate by 0.99 or 1.01
//! ```
//!
//! Departures. Rates and times have fractions where the script has whole kbit/s and microseconds. Reflectors
//! are all well: none is replaced. Pingers never sleep, and a stall, which changes nothing by default, is not
//! looked for. The shaper's own settings that CAKE derives from its rate stay those of the base rate.

use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shapers that follow the line by cake-autorate's rule, from the shaped shares as base rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CakeAutorate {
    /// Lowest rate of the shapers, as a share of the line's rate.
    #[serde(default = "minimum_share")]
    #[schemars(range(min = 0.01, max = 1.0))]
    pub minimum_share: f64,

    /// Highest rate of the shapers, as a share of the line's rate.
    #[serde(default = "maximum_share")]
    #[schemars(range(min = 0.01, max = 10.0))]
    pub maximum_share: f64,

    /// Delay above the baseline from which a response counts as delayed.
    #[serde(default = "delay_threshold_ms")]
    #[schemars(range(min = 1.0, max = 1_000.0))]
    pub delay_threshold_ms: f64,

    /// What is measured of a response: `round-trip`, half of which counts for each way, or `one-way`.
    #[serde(default)]
    pub measures: Measures,

    /// Reflectors that are pinged.
    #[serde(default = "pingers")]
    #[schemars(range(min = 1, max = 100))]
    pub pingers: u32,

    /// Time from one ping to the next of the same reflector.
    #[serde(default = "ping_interval_s")]
    #[schemars(range(min = 0.01, max = 10.0))]
    pub ping_interval_s: f64,
}

/// What is measured of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measures {
    /// The round trip, as with fping (`pinger_method=fping`).
    #[default]
    RoundTrip,
    /// Each way, as with ICMP timestamps (`pinger_method=fping-ts` or `tsping`).
    OneWay,
}

const fn minimum_share() -> f64 {
    0.25
}

const fn maximum_share() -> f64 {
    1.5
}

const fn delay_threshold_ms() -> f64 {
    30.0
}

const fn pingers() -> u32 {
    6
}

const fn ping_interval_s() -> f64 {
    0.3
}

const WINDOW: usize = 6;
const DELAYED_RESPONSES: usize = 3;
const FIRST_BASELINE_S: f64 = 0.1;
const BASELINE_INCREASE: f64 = 0.001;
const BASELINE_DECREASE: f64 = 0.9;
const LARGEST_STEP_UP_S: f64 = 0.010;
const LARGEST_STEP_DOWN_S: f64 = 0.060;
const STEPS_DOWN: [f64; 2] = [0.99, 0.75];
const STEPS_UP: [f64; 2] = [1.0, 1.04];
const DECAYS: [f64; 2] = [0.99, 1.01];
const HIGH_LOAD_PERCENT: f64 = 75.0;
const BUFFERBLOAT_REFRACTORY: Span = Span::from_milliseconds(300);
const DECAY_REFRACTORY: Span = Span::from_milliseconds(1_000);
const LOAD_INTERVAL: Span = Span::from_milliseconds(200);
const FULL_PACKETS_PER_LOAD_INTERVAL: f64 = 10.0;

/// What a shaper may be set to, and what a full packet counts there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowedRates {
    /// Where it begins, and where it returns to.
    pub base: Rate,
    /// The lowest rate.
    pub minimum: Rate,
    /// The highest rate.
    pub maximum: Rate,
    /// Bytes of a full packet as the shaper counts it.
    pub full_packet_bytes: u32,
}

/// One way.
#[derive(Clone, Debug)]
struct WayState {
    limits: FollowedRates,
    bits_per_second: f64,
    load_is_high: bool,
    load_is_new: bool,
    deltas_s: [f64; WINDOW],
    delayed: [bool; WINDOW],
    bufferbloat: Time,
    decay: Time,
}

/// The state of both shapers, down and up.
#[derive(Clone, Debug)]
pub struct Autorate {
    parameters: CakeAutorate,
    ways: [WayState; 2],
    /// By reflector.
    baselines_s: Vec<[f64; 2]>,
    responses: usize,
}

impl Autorate {
    /// Shapers at their base rates, down and up.
    #[must_use]
    pub fn new(parameters: CakeAutorate, limits: [FollowedRates; 2]) -> Self {
        let way = |limits: FollowedRates| WayState {
            bits_per_second: limits.base.bits_per_second() as f64,
            limits,
            load_is_high: false,
            load_is_new: false,
            deltas_s: [0.0; WINDOW],
            delayed: [false; WINDOW],
            bufferbloat: Time::ZERO,
            decay: Time::ZERO,
        };
        let baselines_s = vec![[FIRST_BASELINE_S; 2]; parameters.pingers as usize];
        Self { parameters, ways: limits.map(way), baselines_s, responses: 0 }
    }

    /// The rates of both shapers.
    #[must_use]
    pub fn rates(&self) -> [Rate; 2] {
        [0, 1].map(|way| self.ways[way].rate())
    }

    /// How long the load is measured from now on.
    #[must_use]
    pub fn load_interval(&self) -> Span {
        let both_ways_s: f64 = self.ways.iter().map(WayState::full_packet_s).sum();
        LOAD_INTERVAL.max(Span::from_seconds(FULL_PACKETS_PER_LOAD_INTERVAL * both_ways_s))
    }

    /// What was sent in the last interval, in bits per second.
    pub fn on_load(&mut self, bits_per_second: [f64; 2]) {
        for (way, achieved) in self.ways.iter_mut().zip(bits_per_second) {
            way.load_is_high = (100.0 * achieved / way.bits_per_second).floor() > HIGH_LOAD_PERCENT;
            way.load_is_new = true;
        }
    }

    /// A reflector has responded now, after these delays down and up.
    pub fn on_response(&mut self, now: Time, reflector: usize, [down, up]: [Span; 2]) {
        let delays_s = match self.parameters.measures {
            Measures::RoundTrip => [(down + up).seconds() / 2.0; 2],
            Measures::OneWay => [down.seconds(), up.seconds()],
        };
        let place = self.responses % WINDOW;
        self.responses += 1;
        let threshold_s = self.parameters.delay_threshold_ms / 1e3;
        let baselines_s = &mut self.baselines_s[reflector];
        for ((way, baseline_s), delay_s) in self.ways.iter_mut().zip(baselines_s).zip(delays_s) {
            let weight = if delay_s >= *baseline_s { BASELINE_INCREASE } else { BASELINE_DECREASE };
            *baseline_s += weight * (delay_s - *baseline_s);
            way.hear(place, delay_s - *baseline_s, threshold_s);
            way.act(now, threshold_s);
        }
    }
}

impl WayState {
    fn rate(&self) -> Rate {
        Rate::from_bits_per_second(self.bits_per_second.round().max(1.0) as u64)
    }

    fn full_packet_s(&self) -> f64 {
        8.0 * f64::from(self.limits.full_packet_bytes) / self.bits_per_second
    }

    fn hear(&mut self, place: usize, delta_s: f64, threshold_s: f64) {
        self.deltas_s[place] = delta_s;
        self.delayed[place] = delta_s > threshold_s + self.full_packet_s();
    }

    fn act(&mut self, now: Time, threshold_s: f64) {
        let mean_s = self.deltas_s.iter().sum::<f64>() / WINDOW as f64 - self.full_packet_s();
        // Where the mean lies between the threshold and that of the largest step, from 0 to 1.
        let towards = |largest_s: f64| {
            let width_s = largest_s - threshold_s;
            let passed = (mean_s - threshold_s) / width_s;
            if width_s == 0.0 { 1.0 } else { passed.clamp(0.0, 1.0) }
        };
        let between = |[least, largest]: [f64; 2], share: f64| least + share * (largest - least);
        let is_refractory = now <= self.bufferbloat + BUFFERBLOAT_REFRACTORY;
        if self.delayed.iter().filter(|delayed| **delayed).count() >= DELAYED_RESPONSES {
            if !is_refractory {
                let largest_s = LARGEST_STEP_DOWN_S.max(threshold_s);
                self.bits_per_second *= between(STEPS_DOWN, towards(largest_s));
                (self.bufferbloat, self.decay) = (now, now);
            }
        } else if self.load_is_high {
            if self.load_is_new && !is_refractory {
                let largest_s = LARGEST_STEP_UP_S.min(threshold_s);
                self.bits_per_second *= between(STEPS_UP, towards(largest_s));
                (self.load_is_new, self.decay) = (false, now);
            }
        } else if now > self.decay + DECAY_REFRACTORY {
            let base = self.limits.base.bits_per_second() as f64;
            let [down, up] = DECAYS.map(|factor| factor * self.bits_per_second);
            self.bits_per_second = if self.bits_per_second > base { down.max(base) } else { up.min(base) };
            self.decay = now;
        }
        let [minimum, maximum] =
            [self.limits.minimum, self.limits.maximum].map(|rate| rate.bits_per_second() as f64);
        self.bits_per_second = self.bits_per_second.clamp(minimum, maximum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: CakeAutorate = CakeAutorate {
        minimum_share: 0.25,
        maximum_share: 1.5,
        delay_threshold_ms: 30.0,
        measures: Measures::RoundTrip,
        pingers: 1,
        ping_interval_s: 0.3,
    };

    fn mbps(rate: f64) -> Rate {
        Rate::from_megabits_per_second(rate)
    }

    /// 20 Mbit/s from 5 to 80, with packets that count for nothing.
    fn shapers(parameters: CakeAutorate) -> Autorate {
        let limits =
            FollowedRates { base: mbps(20.0), minimum: mbps(5.0), maximum: mbps(80.0), full_packet_bytes: 0 };
        Autorate::new(parameters, [limits; 2])
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(ms)
    }

    /// Responses of these delays, the same both ways, each 50 ms after the other from an instant on.
    fn respond(shapers: &mut Autorate, from_ms: u64, delays_ms: &[u64]) {
        for (n, delay) in (0..).zip(delays_ms) {
            shapers.on_response(at(from_ms + 50 * n), 0, [Span::from_milliseconds(*delay); 2]);
        }
    }

    fn down_mbps(shapers: &Autorate) -> f64 {
        shapers.rates()[0].bits_per_second() as f64 / 1e6
    }

    /// After enough responses of 20 ms the baseline is 20 ms.
    fn settled(parameters: CakeAutorate) -> Autorate {
        let mut shapers = shapers(parameters);
        respond(&mut shapers, 0, &[20; 30]);
        shapers
    }

    #[test]
    fn three_late_responses_of_six_take_the_rate_down_and_the_next_ones_wait() {
        let mut shapers = settled(DEFAULTS);
        respond(&mut shapers, 2_000, &[20, 220, 220]);
        assert!((down_mbps(&shapers) - 20.0).abs() < 1e-9, "two are not enough");
        // Mean of six: three times 200 ms over six, 100 ms, above 60: times 0.75.
        respond(&mut shapers, 2_150, &[220]);
        assert!((down_mbps(&shapers) - 15.0).abs() < 1e-5);
        respond(&mut shapers, 2_200, &[220; 5]);
        assert!((down_mbps(&shapers) - 15.0).abs() < 1e-5, "within 300 ms");
        respond(&mut shapers, 2_500, &[220]);
        assert!((down_mbps(&shapers) - 11.25).abs() < 1e-5);
        respond(&mut shapers, 3_000, &[220; 200]);
        assert!((down_mbps(&shapers) - 5.0).abs() < 1e-9, "never below the minimum");
    }

    /// Deltas of 0.999 · 80 ms: the mean of three among six is 39.96 ms, 0.332 of the way from 30 to 60 ms.
    #[test]
    fn a_small_delay_takes_the_rate_down_by_little() {
        let mut shapers = settled(DEFAULTS);
        respond(&mut shapers, 2_000, &[100; 3]);
        // The baseline follows each of them by a thousandth.
        let deltas = [1, 2, 3].map(|n| 0.08 * libm::pow(0.999, f64::from(n)));
        let mean = deltas.iter().sum::<f64>() / 6.0;
        let wanted = 20.0 * (0.99 - 0.24 * (mean - 0.03) / 0.03);
        assert!((down_mbps(&shapers) - wanted).abs() < 1e-5, "{}, not {wanted}", down_mbps(&shapers));
    }

    #[test]
    fn high_load_without_delay_takes_the_rate_up_once_for_each_measurement() {
        let mut shapers = settled(DEFAULTS);
        for n in 0..3 {
            shapers.on_load([1e9, 0.0]);
            respond(&mut shapers, 2_000 + 200 * n, &[20; 4]);
        }
        let [down, up] = shapers.rates().map(|rate| rate.bits_per_second() as f64 / 1e6);
        assert!((down - 20.0 * 1.04 * 1.04 * 1.04).abs() < 1e-5, "{down}");
        assert!((up - 20.0).abs() < 1e-9, "the other way carries nothing");
        for n in 0..100 {
            shapers.on_load([1e9, 0.0]);
            respond(&mut shapers, 3_000 + 200 * n, &[20]);
        }
        assert!((down_mbps(&shapers) - 80.0).abs() < 1e-9, "never above the maximum");
    }

    #[test]
    fn an_idle_line_returns_to_its_base_rate_by_a_hundredth_a_second() {
        let mut shapers = settled(DEFAULTS);
        respond(&mut shapers, 2_000, &[20, 220, 220, 220]);
        assert!((down_mbps(&shapers) - 15.0).abs() < 1e-5);
        respond(&mut shapers, 2_200, &[20; 6]);
        // The next steps come just behind 3.15 and then every 1.05 s, of responses every 50 ms.
        respond(&mut shapers, 3_200, &[20; 42]);
        assert!((down_mbps(&shapers) - 15.0 * 1.01 * 1.01).abs() < 1e-5, "{}", down_mbps(&shapers));
        respond(&mut shapers, 6_000, &[20; 1_000]);
        assert!((down_mbps(&shapers) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn one_way_delays_count_for_their_way_alone_and_round_trips_for_both() {
        let late = [Span::from_milliseconds(420), Span::from_milliseconds(20)];
        let rates = |measures| {
            let mut shapers = settled(CakeAutorate { measures, ..DEFAULTS });
            (0..3).for_each(|n| shapers.on_response(at(2_000 + 50 * n), 0, late));
            shapers.rates().map(|rate| rate.bits_per_second() as f64 / 1e6)
        };
        assert_eq!(rates(Measures::OneWay).map(f64::round), [15.0, 20.0]);
        assert_eq!(rates(Measures::RoundTrip).map(f64::round), [15.0, 15.0]);
    }

    /// At 1 Mbit/s a packet of 1,500 bytes takes 12 ms: 40 ms are not late there, and ten packets both ways
    /// take longer than 200 ms.
    #[test]
    fn a_full_packet_counts_at_slow_rates() {
        let limits = FollowedRates {
            base: mbps(1.0),
            minimum: mbps(0.5),
            maximum: mbps(2.0),
            full_packet_bytes: 1500,
        };
        let mut slow = Autorate::new(DEFAULTS, [limits; 2]);
        assert_eq!(slow.load_interval(), Span::from_milliseconds(240));
        respond(&mut slow, 0, &[20; 30]);
        respond(&mut slow, 2_000, &[60; 6]);
        assert_eq!(slow.rates(), [mbps(1.0); 2]);
        respond(&mut slow, 3_000, &[64; 6]);
        assert!(down_mbps(&slow) < 1.0);
    }
}
