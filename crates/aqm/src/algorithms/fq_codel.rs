//! FQ-CoDel: a queue for each flow, CoDel in each queue, and turns in which new flows go first.
//!
//! Source: Hoeiland-Joergensen, McKenney, Taht, Gettys, Dumazet, *The Flow Queue CoDel Packet Scheduler and
//! Active Queue Management Algorithm*, RFC 8290 (2018), sections 4 and 5; the CoDel of each queue is
//! [`super::codel`].
//!
//! ```text
//! on each arrival    queue ← hash of addresses and ports; append the packet
//!                    a queue at rest: credits ← quantum, last of the new queues
//!                    too much waits: discard from the head of the queue with most bytes
//! on each departure  queue ← first of the new queues, without any the first of the old ones
//!                    credits ≤ 0: credits ← credits + quantum, last of the old queues, begin again
//!                    ask CoDel for its packet: credits ← credits − bytes, or, when none is left,
//!                    a new queue becomes the last of the old ones, an old one is at rest, begin again
//! ```
//!
//! | parameter | unit | RFC 8290 | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets` | packets | 10240 | 1 or more |
//! | `memory_limit_bytes` | bytes | (Linux: 32 MiB) | 1 or more |
//! | `flows` | queues | 1024 | 1 to 65536; a multiple of 8 with sets |
//! | `quantum_bytes` | bytes | 1514 | 256 or more |
//! | `drop_batch_packets` | packets | 64 | 1 or more |
//! | `target_ms`, `interval_ms`, `mtu_bytes`, `ce_threshold_ms` | | 5, 100 | as for CoDel |
//!
//! Departures and silences. Lengths are IP lengths: the RFC's quantum of 1514 bytes is a full Ethernet frame,
//! and Linux's memory limit counts whole buffers. `nearly_empty`, `count_overflows`, `turn_ends` and
//! `emptied_new_queue` name the other places where Linux and the RFC differ. The hash is salted anew at each
//! port; the RFC asks for a random salt. Sets of eight (`hash = "set_associative"`) are cake's and ns-3's,
//! not the RFC's.

use super::codel::{self, CoDel, InFairQueueing, NearlyEmpty};
use crate::discipline::{Discipline, Scheduled};
use crate::parameter_error::ParameterError;
use crate::parameters::Parameters;
use crate::parts::{CeThresholdEcn, Limit, fair_queueing_params};
use crate::port_facts::PortFacts;

fair_queueing_params! {
    /// FQ-CoDel: each flow has a queue under CoDel, queues take turns, and flows that send little go first.
    ///
    /// Source: RFC 8290 (2018). The defaults are the RFC's; the memory limit is that of Linux, whose fq_codel
    /// also sets emptied_new_queue = "becomes_old_behind_others", count_overflows = true and
    /// nearly_empty = "all_queues".
    struct Params {
        /// Waiting time that is always acceptable; at least the transmission time of one packet.
        target_ms: f64 = 5.0,
        /// How long the least waiting time in a queue has to exceed the target before the first drop.
        interval_ms: f64 = 100.0,
        /// Length of the largest packet (IP length): nothing is dropped while at most this many bytes remain
        /// in a queue.
        mtu_bytes: u32 = 1500,
        /// Whether packets discarded because too much waits count as drops of the CoDel in their queue.
        count_overflows: bool = false,
        /// When a queue is so short that nothing is dropped from it.
        nearly_empty: NearlyEmpty = NearlyEmpty::OwnQueue,
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = true,
        /// ECN-capable packets that waited longer are marked, whatever else is decided and also with ecn =
        /// false. Unset: none.
        ce_threshold_ms: Option<f64> = None,
        /// Which ECN-capable packets ce_threshold_ms concerns, without which it is any.
        ce_threshold_ecn: CeThresholdEcn = CeThresholdEcn::Any,
    }
}

impl Params {
    fn codel(&self) -> codel::Params {
        codel::Params {
            target_ms: self.target_ms,
            interval_ms: self.interval_ms,
            mtu_bytes: self.mtu_bytes,
            ecn: self.ecn,
            ce_threshold_ms: self.ce_threshold_ms,
            ce_threshold_ecn: self.ce_threshold_ecn,
            ..codel::Params::default()
        }
    }

    const fn among_others(&self) -> InFairQueueing {
        InFairQueueing { counts_room_made: self.count_overflows, nearly_empty: self.nearly_empty }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.fair_queueing().validate()?;
        self.codel().validate()
    }

    fn limit(&self) -> Limit {
        self.fair_queueing().limit()
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.codel().ecn()
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn can_be_class(&self) -> bool {
        true
    }

    fn queues(&self) -> usize {
        self.fair_queueing().queues()
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &[
            "limit_packets",
            "limit_bytes",
            "target_ms",
            "interval_ms",
            "mtu_bytes",
            "count_overflows",
            "nearly_empty",
            "ecn",
            "ce_threshold_ms",
            "ce_threshold_ecn",
        ]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let queue = CoDel::new(&self.codel(), self.among_others());
        let queues = (0..self.fair_queueing().queues()).map(|_| Box::new(queue.clone()) as _).collect();
        Discipline::Scheduled(Scheduled::queues(self.fair_queueing().scheduler(facts), queues))
    }
}
