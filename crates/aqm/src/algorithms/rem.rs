//! REM: Random Exponential Marking.
//!
//! Source: Athuraliya, Li, Low, Yin, *REM: Active Queue Management*, IEEE Network 15(3), 2001; ns-2.35
//! `rem.cc` by its authors.
//!
//! ```text
//! every update interval   x̂ ← (1 − w)·x̂ + w·x                         x: packets that came in the interval
//!                         price ← max(0, price + γ·(α·(q − q_ref) + x̂ − c))
//!                         p = 1 − φ^(−price)
//! on each arrival, or on each departure    signal with probability p
//! ```
//!
//! c is what the link can send in an interval, and x what was offered, or c and what the queue grew by
//! (`arrivals`). All amounts are packets (of mean size).
//!
//! | parameter | unit | authors' code | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | | at least one of them |
//! | `q_ref_packets` | packets of mean size | 20 | 0 or above |
//! | `gamma` | price per packet | 0.001 | above 0 |
//! | `alpha` | | 0.1 | 0 or above |
//! | `phi` | | 1.001 | above 1 |
//! | `update_interval_ms` | ms | 2 | 0.001 to 1e9 |
//! | `arrivals` | | `offered` | `offered`, `queue_growth` |
//! | `rate_filter_weight` | | 1, no filter | above 0, at most 1 |
//! | `mean_packet_bytes` | bytes | 1000 | 1 or more |
//!
//! Departures and silences. The rate counts what is offered, also what is then lost (`arrivals = "offered"`,
//! as in ns-2). Where more comes than the link sends the queue grows by the difference, so that an
//! implementation needs no counter (Le et al. 2003, section 2; `arrivals = "queue_growth"`); what is lost,
//! and what an idle link could have sent, then do not count. The price has no upper bound: after a long
//! overload p stays near 1 for a while. ns-2 fixes α at 0.1; drops on arrival; marks on departure and lets
//! packets that cannot be marked pass (`point = "dequeue"`, `not_ect = "pass"`); holds one packet less than
//! its limit (`limit_rule`). The price and p start at 0. An arrival that finds no room is an overflow, and no
//! coin is tossed.

use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::packet::PacketFacts;
use crate::parameter_error::{
    ParameterError, require, require_not_negative, require_period_ms, require_positive, require_share,
};
use crate::parameters::Parameters;
use crate::parts::{Ewma, Gauge, Limit, PacketScale, Ticker, queue_control_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a packet is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Point {
    /// When it arrives.
    #[default]
    Enqueue,
    /// When it leaves for the link: the signal is younger by the queueing delay (ns-2's marking).
    Dequeue,
}

/// Which packets count as arrivals in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// All offered packets, including those lost (ns-2).
    #[default]
    Offered,
    /// The link's capacity plus the growth of the queue since the last update (Le et al. 2003, section 2).
    QueueGrowth,
}

/// What happens to a selected packet that cannot be marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotEct {
    /// It is dropped.
    #[default]
    Drop,
    /// It passes: only a full queue drops it (ns-2's marking). Needs ecn = true.
    Pass,
}

queue_control_params! {
    /// REM: a price rises with excess rate and queue; the probability is exponential in it, so that prices
    /// add along a path.
    ///
    /// Source: Athuraliya, Li, Low and Yin 2001, with the defaults of its authors' ns-2 code. A scenario that
    /// repeats an ns-2 study with marking sets point = "dequeue", not_ect = "pass", limit_rule =
    /// "hold_limit_minus_one".
    struct Params {
        q_ref_packets = 20.0;
        mean_packet_bytes = 1000;
        /// Price per packet of excess.
        gamma: f64 = 0.001,
        /// Share of the queue's deviation that counts as excess in one interval.
        alpha: f64 = 0.1,
        /// Base of the exponential.
        phi: f64 = 1.001,
        /// Time between two updates of the price, in milliseconds.
        update_interval_ms: f64 = 2.0,
        /// Which packets count as arrivals in an interval.
        arrivals: Arrivals = Arrivals::Offered,
        /// Weight of each interval's rate in the average rate; 1 averages nothing.
        rate_filter_weight: f64 = 1.0,
        /// When a packet is selected.
        point: Point = Point::Enqueue,
        /// What happens to a selected packet that cannot be marked.
        not_ect: NotEct = NotEct::Drop,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.validate_shared()?;
        require_positive("gamma", self.gamma)?;
        require_not_negative("alpha", self.alpha)?;
        require(self.phi > 1.0 && self.phi.is_finite(), "phi", self.phi, "a number above 1")?;
        require_period_ms("update_interval_ms", self.update_interval_ms)?;
        require_share("rate_filter_weight", self.rate_filter_weight)?;
        let spares_everything = self.not_ect == NotEct::Pass && !self.ecn;
        require(!spares_everything, "not_ect", "\"pass\"", "\"drop\" when ecn is false")
    }

    fn onset(&self, _facts: &PortFacts) -> Option<Onset> {
        Some(self.onset_of_reference())
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        (self.arrivals == Arrivals::Offered).then_some(
            "its price grows by what is offered beyond the link's capacity, whatever becomes of it (Athuraliya et al. 2001; \
             arrivals = \"offered\"): without an answer it grows for ever",
        )
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let interval_s = self.update_interval_ms / 1e3;
        let price = Price {
            gamma: self.gamma,
            alpha: self.alpha,
            q_ref: self.q_ref_packets,
            capacity: interval_s * facts.link_rate.packets_per_second(self.mean_packet_bytes),
            log_phi: libm::log(self.phi),
            value: 0.0,
        };
        Discipline::fifo(Rem {
            price,
            gauge: self.gauge(),
            scale: self.scale(),
            point: self.point,
            spare_not_ect: self.not_ect == NotEct::Pass,
            ticker: Ticker::new(interval_s, facts),
            arrivals: self.arrivals,
            rate: Ewma::new(self.rate_filter_weight),
            last_length: 0.0,
            probability: 0.0,
            offered_packets: 0,
            offered_bytes: 0,
        })
    }
}

/// The price of the link, with the rule that moves it.
#[derive(Clone, Copy, Debug)]
struct Price {
    gamma: f64,
    alpha: f64,
    q_ref: f64,
    capacity: f64,
    log_phi: f64,
    value: f64,
}

impl Price {
    /// One interval in which packets came at `rate` per interval, ending with a queue of `q` packets.
    fn update(&mut self, rate: f64, q: f64) {
        let excess = self.alpha * (q - self.q_ref) + rate - self.capacity;
        self.value = (self.value + self.gamma * excess).max(0.0);
    }

    /// `1 − φ^(−price)`, without cancellation at small prices.
    fn probability(&self) -> f64 {
        -libm::expm1(-self.value * self.log_phi)
    }
}

/// REM at a port.
#[derive(Clone, Debug)]
pub struct Rem {
    price: Price,
    gauge: Gauge,
    scale: PacketScale,
    point: Point,
    spare_not_ect: bool,
    ticker: Ticker,
    arrivals: Arrivals,
    rate: Ewma,
    /// The queue at the last update.
    last_length: f64,
    probability: f64,
    offered_packets: u64,
    offered_bytes: u64,
}

impl Rem {
    /// What came since the last update, with a queue of `length` now.
    fn came(&self, length: f64) -> f64 {
        match self.arrivals {
            Arrivals::Offered => self.gauge.amount(self.offered_packets, self.offered_bytes),
            Arrivals::QueueGrowth => self.price.capacity + length - self.last_length,
        }
    }

    fn toss(&self, packet: &PacketFacts, coins: &mut Stream) -> Verdict {
        if coins.uniform() >= self.scale.apply(self.probability, packet.bytes) {
            return Verdict::Pass;
        }
        if self.spare_not_ect && !packet.codepoint.can_be_marked() {
            return Verdict::Pass;
        }
        Verdict::Signal(Reason::Early)
    }
}

impl Aqm for Rem {
    fn on_arrival(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.offered_packets += 1;
        self.offered_bytes += u64::from(packet.bytes);
        if self.point == Point::Dequeue || !queue.has_room_for(packet.bytes) {
            return Verdict::Pass;
        }
        self.toss(packet, coins)
    }

    fn on_departure(
        &mut self,
        _now: Time,
        packet: &Departing,
        _queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        match self.point {
            Point::Enqueue => Verdict::Pass,
            Point::Dequeue => self.toss(&packet.facts, coins),
        }
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, _due: Time, queue: &QueueView<'_>) {
        let length = self.gauge.length(queue);
        self.rate.sample(self.came(length));
        (self.offered_packets, self.offered_bytes, self.last_length) = (0, 0, length);
        self.price.update(self.rate.average(), length);
        self.probability = self.price.probability();
        self.ticker.advance();
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.probability)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.probability);
        sink("price", self.price.value);
        sink("rate_packets", self.rate.average());
        sink("capacity_packets", self.price.capacity);
    }

    fn watches_departures(&self) -> bool {
        self.point == Point::Dequeue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_10_MBIT: Price = Price {
        gamma: 0.001,
        alpha: 0.1,
        q_ref: 20.0,
        capacity: 2.5,
        // ln 1.001 = 0.001 − 0.001²/2 + 0.001³/3 − …
        log_phi: 0.000_999_500_333_083_5,
        value: 0.0,
    };

    #[test]
    fn probabilities_of_published_prices() {
        for (price, probability) in [(10.055, 0.01), (51.319, 0.05), (105.413, 0.1), (693.494, 0.5)] {
            let found = Price { value: price, ..AT_10_MBIT }.probability();
            assert!((found - probability).abs() < 5e-7, "{price}: {found}");
        }
        let found = Price { value: 100.0, ..AT_10_MBIT }.probability();
        assert!((found - 0.0951174).abs() < 5e-8, "{found}");
    }

    #[test]
    fn one_interval_moves_the_price_by_queue_and_rate() {
        let after = |rate, q| {
            let mut price = Price { value: 1.0, ..AT_10_MBIT };
            price.update(rate, q);
            price.value - 1.0
        };
        assert!((after(2.5, 120.0) - 0.01).abs() < 1e-12, "100 packets above the reference");
        assert!((after(3.5, 20.0) - 0.001).abs() < 1e-12, "one packet more than the link sends");
    }

    #[test]
    fn the_price_is_never_negative() {
        let mut price = AT_10_MBIT;
        price.update(0.0, 0.0);
        assert_eq!(price.value, 0.0);
        assert_eq!(price.probability(), 0.0);
    }
}
