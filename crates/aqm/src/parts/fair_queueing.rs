//! The parameters that all schemes share which give each flow a queue: declared, checked and turned into a
//! scheduler in one place.

use crate::parameter_error::{ParameterError, require};
use crate::parts::{
    Classifier, DeficitRoundRobin, EmptiedNewQueue, FlowHashing, FlowTable, Limit, LimitRule,
    RoundRobinSettings, TurnEnds, WAYS,
};
use crate::port_facts::PortFacts;

/// How flows are sorted into queues, and how these are served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairQueueing {
    pub(crate) limit_packets: u32,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) flows: u32,
    pub(crate) quantum_bytes: u32,
    pub(crate) hash: FlowHashing,
    pub(crate) classify: Classifier,
    pub(crate) drop_batch_packets: u32,
    pub(crate) turn_ends: TurnEnds,
    pub(crate) emptied_new_queue: EmptiedNewQueue,
}

impl FairQueueing {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        require(self.limit_packets >= 1, "limit_packets", self.limit_packets, "at least 1")?;
        require(self.memory_limit_bytes >= 1, "memory_limit_bytes", self.memory_limit_bytes, "at least 1")?;
        require((1..=65_536).contains(&self.flows), "flows", self.flows, "from 1 to 65536 queues")?;
        let sets = self.hash == FlowHashing::Plain || self.flows as usize % WAYS == 0;
        require(sets, "flows", self.flows, "a multiple of 8 where hash = \"set_associative\"")?;
        let legal = "at least 256 bytes: a smaller one takes many turns for one packet";
        require(self.quantum_bytes >= 256, "quantum_bytes", self.quantum_bytes, legal)?;
        require(self.drop_batch_packets >= 1, "drop_batch_packets", self.drop_batch_packets, "at least 1")
    }

    pub(crate) const fn limit(&self) -> Limit {
        Limit {
            packets: Some(self.limit_packets),
            bytes: Some(self.memory_limit_bytes),
            rule: LimitRule::HoldLimit,
        }
    }

    /// How many queues there are.
    pub(crate) const fn queues(&self) -> usize {
        self.flows as usize
    }

    pub(crate) fn scheduler(&self, facts: &PortFacts) -> Box<DeficitRoundRobin> {
        let settings = RoundRobinSettings {
            classify: self.classify,
            quantum_bytes: self.quantum_bytes,
            turn_ends: self.turn_ends,
            emptied_new_queue: self.emptied_new_queue,
            drop_batch_packets: self.drop_batch_packets,
        };
        let flows = FlowTable::new(self.queues(), self.hash, facts.flow_salt);
        Box::new(DeficitRoundRobin::new(settings, self.queues(), flows))
    }
}

/// Declares the `Params` of a scheme that gives each flow a queue: those of [`FairQueueing`], then the
/// scheme's own, each with its default.
macro_rules! fair_queueing_params {
    (
        $(#[$about:meta])*
        struct Params$(<$inner:ident: $bound:path>)? {
            $($(#[$meaning:meta])* $key:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Params$(<$inner: $bound>)? {
            /// Packets that may wait in all queues together.
            pub limit_packets: u32,
            /// Bytes (IP lengths) that may wait in all queues together.
            pub memory_limit_bytes: u64,
            /// Number of queues for flows.
            pub flows: u32,
            /// Bytes (IP lengths) that a queue may send in one turn.
            pub quantum_bytes: u32,
            /// How flows are sorted into queues.
            pub hash: crate::parts::FlowHashing,
            /// How arrivals are classified.
            pub classify: crate::parts::Classifier,
            /// Most packets discarded at once from the longest queue, up to half of its bytes, when the limit
            /// is exceeded; 1 discards one packet.
            pub drop_batch_packets: u32,
            /// When a queue's turn ends.
            pub turn_ends: crate::parts::TurnEnds,
            /// What happens to a new queue that has become empty.
            pub emptied_new_queue: crate::parts::EmptiedNewQueue,
            $($(#[$meaning])* pub $key: $type,)*
        }

        impl$(<$inner: $bound>)? Default for Params$(<$inner>)? {
            fn default() -> Self {
                Self {
                    limit_packets: 10_240,
                    memory_limit_bytes: 32 << 20,
                    flows: 1024,
                    quantum_bytes: 1514,
                    hash: crate::parts::FlowHashing::Plain,
                    classify: crate::parts::Classifier::Flow,
                    drop_batch_packets: 64,
                    turn_ends: crate::parts::TurnEnds::AtZero,
                    emptied_new_queue: crate::parts::EmptiedNewQueue::BecomesOld,
                    $($key: $default,)*
                }
            }
        }

        impl$(<$inner: $bound>)? Params$(<$inner>)? {
            fn fair_queueing(&self) -> crate::parts::FairQueueing {
                crate::parts::FairQueueing {
                    limit_packets: self.limit_packets,
                    memory_limit_bytes: self.memory_limit_bytes,
                    flows: self.flows,
                    quantum_bytes: self.quantum_bytes,
                    hash: self.hash,
                    classify: self.classify,
                    drop_batch_packets: self.drop_batch_packets,
                    turn_ends: self.turn_ends,
                    emptied_new_queue: self.emptied_new_queue,
                }
            }
        }
    };
}
pub(crate) use fair_queueing_params;
