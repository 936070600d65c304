//! What Linux's netem does to packets: jitter, reordering, duplicates and bursts of loss.
//!
//! Source: tc-netem(8) of iproute2 6.1 and `net/sched/sch_netem.c` of Linux 6.1; bursts after E. N. Gilbert,
//! *Capacity of a burst-noise channel* (Bell System Technical Journal 39, 1960) and E. O. Elliott, *Estimates
//! of error rates for codes on burst-noise channels* (the same, 42, 1963).
//!
//! ```text
//! loss         each packet first moves the state: good to bad with p, bad to good with r; it is lost by the
//!              state before that: with 1-h in the bad one, with 1-k in the good one
//! jitter       uniform: from -jitter to +jitter; normal: standard deviation jitter; pareto: as the table
//!              that iproute2 makes, (4/3)·(u^(-1/3) - 3/2)·jitter, at most 4·jitter
//! reordering   the packets behind the first gap-1 are, each with the probability, not delayed at all
//! duplicates   a packet comes a second time, right behind itself
//! ```
//!
//! Departures. Bursts and duplicates are decided in front of the link's queue, jitter and reordering behind
//! its transmission, as of the path's delay; in netem all stand in front of a queue of its own. A duplicate
//! is never lost where the packet was not. Packets that would overtake others wait for them unless
//! `keeps_order` is false, which is netem's way. Correlated numbers keep their distribution: they follow a
//! Gaussian copula with lag-1 correlation ρ of the underlying normal process, where netem mixes uniform ones,
//! which narrows them. Normal jitter ends at four standard deviations, as netem's table does.

use aqmlab_random::{Key, normal_cumulative, normal_quantile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What Linux's netem does to the packets of a link, but for its delay, rate and independent losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Netem {
    /// How far the delay varies around the link's: the most of a uniform distribution, the standard deviation
    /// of the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub jitter_ms: f64,

    /// Distribution of the jitter; absent: uniform.
    #[serde(default, skip_serializing_if = "Jitter::is_uniform")]
    pub jitter_distribution: Jitter,

    /// How much the jitter of a packet depends on that of the packet before.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.999))]
    pub jitter_correlation: f64,

    /// Time for which one jitter holds for all packets; 0: each packet has its own.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub jitter_interval_ms: f64,

    /// Whether packets wait for those sent before them; absent: they do; false: they overtake them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub keeps_order: bool,

    /// Probability with which a packet is not delayed at all, and so overtakes others.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reorder_probability: f64,

    /// How much that depends on whether the packet before was reordered.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.999))]
    pub reorder_correlation: f64,

    /// Only each so many-th packet may be reordered, counted from the last that was; absent: each.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reorder_gap: u32,

    /// Probability with which a packet comes twice.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub duplicate_probability: f64,

    /// How much that depends on whether the packet before came twice.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.999))]
    pub duplicate_correlation: f64,

    /// Losses in bursts, by the model of Gilbert and Elliott; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gilbert_elliott: Option<GilbertElliott>,
}

/// Losses in bursts: a state, good or bad, that each packet may change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability of going from the good state to the bad one, with each packet: p.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub to_bad_probability: f64,

    /// Probability of going back: r.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub to_good_probability: f64,

    /// Probability of loss in the bad state: 1-h.
    #[serde(default = "certain")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bad_loss_probability: f64,

    /// Probability of loss in the good state: 1-k.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub good_loss_probability: f64,
}

/// Distributions of jitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Jitter {
    /// Every value alike.
    #[default]
    Uniform,
    /// Normal.
    Normal,
    /// A Pareto distribution with shape 3: mostly early, now and then very late.
    Pareto,
}

const fn yes() -> bool {
    true
}

const fn one() -> u32 {
    1
}

const fn certain() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_one(value: &u32) -> bool {
    *value == 1
}

impl Default for Netem {
    /// Nothing happens.
    fn default() -> Self {
        Self {
            jitter_ms: 0.0,
            jitter_distribution: Jitter::Uniform,
            jitter_correlation: 0.0,
            jitter_interval_ms: 0.0,
            keeps_order: true,
            reorder_probability: 0.0,
            reorder_correlation: 0.0,
            reorder_gap: 1,
            duplicate_probability: 0.0,
            duplicate_correlation: 0.0,
            gilbert_elliott: None,
        }
    }
}

impl GilbertElliott {
    /// The share of packets that are lost in the long run; none where the state never changes, and the first
    /// one, the good, lasts.
    #[must_use]
    pub fn loss_probability(&self) -> f64 {
        let (p, r) = (self.to_bad_probability, self.to_good_probability);
        let bad = if p > 0.0 { p / (p + r) } else { 0.0 };
        bad * self.bad_loss_probability + (1.0 - bad) * self.good_loss_probability
    }
}

impl Jitter {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    const fn is_uniform(&self) -> bool {
        matches!(self, Self::Uniform)
    }

    /// The jitter at a quantile, in units of `jitter_ms`.
    pub(crate) fn quantile(self, u: f64) -> f64 {
        const LARGEST: f64 = 4.0;
        match self {
            Self::Uniform => 2.0 * u - 1.0,
            Self::Normal => normal_quantile(inside(u)).clamp(-LARGEST, LARGEST),
            Self::Pareto => {
                let tail = libm::pow(1.0 - u, -1.0 / 3.0);
                (4.0 / 3.0 * (tail - 1.5)).min(LARGEST)
            }
        }
    }
}

/// From the middle of one of 2⁵³ equal shares: a normal quantile has no end.
fn inside(u: f64) -> f64 {
    (u + 0.5 / (1_u64 << 53) as f64).min(1.0 - f64::EPSILON / 2.0)
}

/// Uniform numbers, one after the other, that depend on the one before.
#[derive(Clone)]
pub(crate) struct Correlated {
    key: Key,
    drawn: u64,
    correlation: f64,
    level: f64,
}

impl Correlated {
    pub(crate) const fn new(key: Key, correlation: f64) -> Self {
        Self { key, drawn: 0, correlation, level: 0.0 }
    }

    /// How many have been drawn.
    pub(crate) const fn drawn(&self) -> u64 {
        self.drawn
    }

    pub(crate) fn next(&mut self) -> f64 {
        let uniform = self.key.uniform(self.drawn);
        self.drawn += 1;
        if self.correlation == 0.0 {
            return uniform;
        }
        let normal = normal_quantile(inside(uniform));
        let rest = libm::sqrt(1.0 - self.correlation * self.correlation);
        self.level = if self.drawn == 1 { normal } else { self.correlation * self.level + rest * normal };
        normal_cumulative(self.level)
    }
}

/// The state of a link that loses packets in bursts.
#[derive(Clone)]
pub struct LossBursts {
    model: GilbertElliott,
    key: Key,
    packets: u64,
    is_bad: bool,
}

impl LossBursts {
    /// A link in the good state; its random numbers are at a key.
    #[must_use]
    pub const fn new(model: GilbertElliott, key: Key) -> Self {
        Self { model, key, packets: 0, is_bad: false }
    }

    /// Whether the next packet is lost.
    pub fn loses(&mut self) -> bool {
        let [turn, coin] = [0, 1].map(|number| self.key.uniform(2 * self.packets + number));
        self.packets += 1;
        let was_bad = self.is_bad;
        let GilbertElliott {
            to_bad_probability,
            to_good_probability,
            bad_loss_probability,
            good_loss_probability,
        } = self.model;
        self.is_bad = if was_bad { turn >= to_good_probability } else { turn < to_bad_probability };
        coin < if was_bad { bad_loss_probability } else { good_loss_probability }
    }
}

/// The state of a link on which packets come twice.
#[derive(Clone)]
pub struct Repeats {
    probability: f64,
    numbers: Correlated,
}

impl Repeats {
    /// A link on which packets come twice with this probability; its random numbers are at a key. None if
    /// they never do.
    #[must_use]
    pub fn new(netem: &Netem, key: Key) -> Option<Self> {
        let (probability, correlation) = (netem.duplicate_probability, netem.duplicate_correlation);
        (probability > 0.0).then(|| Self { probability, numbers: Correlated::new(key, correlation) })
    }

    /// Whether the next packet comes twice.
    pub fn repeats(&mut self) -> bool {
        self.numbers.next() < self.probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 400_000;

    fn lost(model: GilbertElliott) -> Vec<bool> {
        let mut bursts = LossBursts::new(model, Key::from_seed(1));
        (0..DRAWS).map(|_| bursts.loses()).collect()
    }

    /// Share p/(p+r) and bursts of mean length 1/r, a geometric law (Gilbert 1960).
    #[test]
    fn bursts_have_the_share_and_the_length_of_the_closed_forms() {
        let (p, r) = (0.02, 0.25);
        let model = GilbertElliott {
            to_bad_probability: p,
            to_good_probability: r,
            bad_loss_probability: 1.0,
            good_loss_probability: 0.0,
        };
        let lost = lost(model);
        let count = |of: &dyn Fn(usize) -> bool| (1..DRAWS).filter(|n| of(*n)).count() as f64;
        let losses = count(&|n| lost[n]);
        let begun = count(&|n| lost[n] && !lost[n - 1]);
        // Of a chain with memory m = 1-p-r the variance of a share is share·(1-share)/n·(1+m)/(1-m).
        let share = p / (p + r);
        let memory = 1.0 - p - r;
        let error = (share * (1.0 - share) / DRAWS as f64 * (1.0 + memory) / (1.0 - memory)).sqrt();
        assert!((losses / DRAWS as f64 - share).abs() < 4.0 * error, "{losses}");
        assert!((model.loss_probability() - share).abs() < 1e-12);
        // The standard deviation of a geometric law of mean 1/r is √(1-r)/r.
        let error = (1.0_f64 - r).sqrt() / r / begun.sqrt();
        assert!((losses / begun - 1.0 / r).abs() < 4.0 * error, "{}", losses / begun);
    }

    /// Losses in both states: (p·(1-h) + r·(1-k))/(p+r) (Elliott 1963).
    #[test]
    fn both_states_lose_their_share() {
        let model = GilbertElliott {
            to_bad_probability: 0.1,
            to_good_probability: 0.3,
            bad_loss_probability: 0.5,
            good_loss_probability: 0.02,
        };
        let share = 0.25 * 0.5 + 0.75 * 0.02;
        assert!((model.loss_probability() - share).abs() < 1e-12);
        let found = lost(model).iter().filter(|lost| **lost).count() as f64 / DRAWS as f64;
        // Of a two-state chain with memory 0.6 in the probabilities: below four times that of a coin.
        assert!((found - share).abs() < 4.0 * 2.0 * (share / DRAWS as f64).sqrt(), "{found}");
    }

    #[test]
    fn correlated_numbers_stay_uniform_and_depend_on_the_one_before() {
        let correlation = 0.6;
        let mut numbers = Correlated::new(Key::from_seed(2), correlation);
        let drawn: Vec<f64> = (0..DRAWS).map(|_| numbers.next()).collect();
        let below = |quantile: f64| drawn.iter().filter(|u| **u < quantile).count() as f64 / DRAWS as f64;
        for quantile in [0.05, 0.25, 0.5, 0.9] {
            // (1+0.6)/(1-0.6) = 4: at most twice the standard error of independent ones.
            let error = 2.0 * (quantile * (1.0 - quantile) / DRAWS as f64).sqrt();
            assert!((below(quantile) - quantile).abs() < 4.0 * error, "{quantile}: {}", below(quantile));
        }
        // Spearman's correlation of a normal copula: 6/π·asin(ρ/2).
        let centred = |u: f64| u - 0.5;
        let product: f64 = drawn.windows(2).map(|pair| centred(pair[0]) * centred(pair[1])).sum();
        let wanted = 6.0 / std::f64::consts::PI * (correlation / 2.0).asin();
        let found = 12.0 * product / (DRAWS - 1) as f64;
        assert!((found - wanted).abs() < 0.01, "{found}, not {wanted}");
    }

    /// Shape 3 has mean 3/2 and variance 3/4: in units of 4/3, mean 0 and variance 4/3 but for the cut at 4.
    #[test]
    fn quantiles_of_jitter_are_those_of_the_laws() {
        assert!((Jitter::Uniform.quantile(0.75) - 0.5).abs() < 1e-12);
        assert!((Jitter::Normal.quantile(0.975) - 1.959_964).abs() < 1e-6);
        assert!((Jitter::Normal.quantile(0.0) + 4.0).abs() < 1e-12);
        // u^(-1/3) = 2 at 1/8.
        assert!((Jitter::Pareto.quantile(7.0 / 8.0) - 4.0 / 3.0 * 0.5).abs() < 1e-12);
        assert!((Jitter::Pareto.quantile(0.0) + 2.0 / 3.0).abs() < 1e-12);
        assert!((Jitter::Pareto.quantile(0.9999) - 4.0).abs() < 1e-12);
    }
}
