//! Schedulers and schemes that fair queues mostly have, called directly.
//!
//! A packet of FQ-CoDel asks its scheduler and scheme eight times. Behind a pointer each of these is an
//! indirect call, none is compiled into the port, and what they answer goes through memory. All others stand
//! behind one.

use crate::algorithms::{cobalt::Cobalt, codel::CoDel};
use crate::aqm::{Aqm, Departing, Verdict};
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::parts::{DeficitRoundRobin, HostFairness};
use crate::queue_view::QueueView;
use crate::scheduler::{Backlogs, Scheduler, Turn};
use aqmlab_random::Stream;
use aqmlab_units::Time;
use std::ops::{Deref, DerefMut};

/// Asks whichever it is.
macro_rules! ask {
    ($of:expr, $($known:ident)|+, $one:ident => $call:expr) => {
        match $of {
            $(Self::$known($one) => $call,)+
            Self::Other($one) => $call,
        }
    };
}

/// The scheduler of a port.
#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a port, and each call would look behind a pointer"
)]
pub(crate) enum PortScheduler {
    RoundRobin(DeficitRoundRobin),
    HostFairness(HostFairness),
    Other(Box<dyn Scheduler>),
}

impl From<Box<dyn Scheduler>> for PortScheduler {
    fn from(scheduler: Box<dyn Scheduler>) -> Self {
        let any = (*scheduler).as_any();
        if let Some(known) = any.downcast_ref::<DeficitRoundRobin>() {
            Self::RoundRobin(known.clone())
        } else if let Some(known) = any.downcast_ref::<HostFairness>() {
            Self::HostFairness(known.clone())
        } else {
            Self::Other(scheduler)
        }
    }
}

impl Deref for PortScheduler {
    type Target = dyn Scheduler;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::RoundRobin(known) => known,
            Self::HostFairness(known) => known,
            Self::Other(other) => &**other,
        }
    }
}

impl DerefMut for PortScheduler {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::RoundRobin(known) => known,
            Self::HostFairness(known) => known,
            Self::Other(other) => &mut **other,
        }
    }
}

// What every packet asks: see `Scheduler`.
impl PortScheduler {
    #[inline(always)]
    pub(crate) fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &impl Backlogs,
    ) -> usize {
        ask!(self, RoundRobin | HostFairness, one => one.classify(now, packet, header, queues))
    }

    #[inline(always)]
    pub(crate) fn on_queued(
        &mut self,
        now: Time,
        queue: usize,
        packet: &PacketFacts,
        queues: &impl Backlogs,
    ) {
        ask!(self, RoundRobin | HostFairness, one => one.on_queued(now, queue, packet, queues));
    }

    #[inline(always)]
    pub(crate) fn next(&mut self, now: Time, queues: &impl Backlogs) -> Turn {
        ask!(self, RoundRobin | HostFairness, one => one.next(now, queues))
    }

    #[inline(always)]
    pub(crate) fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        ask!(self, RoundRobin | HostFairness, one => one.on_sent(now, queue, bytes));
    }

    #[inline(always)]
    pub(crate) fn on_empty(&mut self, now: Time, queue: usize) {
        ask!(self, RoundRobin | HostFairness, one => one.on_empty(now, queue));
    }
}

/// The scheme of a queue.
#[derive(Clone)]
pub(crate) enum QueueScheme {
    CoDel(CoDel),
    Cobalt(Cobalt),
    Other(Box<dyn Aqm>),
}

impl From<Box<dyn Aqm>> for QueueScheme {
    fn from(scheme: Box<dyn Aqm>) -> Self {
        let any = (*scheme).as_any();
        if let Some(known) = any.downcast_ref::<CoDel>() {
            Self::CoDel(known.clone())
        } else if let Some(known) = any.downcast_ref::<Cobalt>() {
            Self::Cobalt(known.clone())
        } else {
            Self::Other(scheme)
        }
    }
}

impl Deref for QueueScheme {
    type Target = dyn Aqm;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::CoDel(known) => known,
            Self::Cobalt(known) => known,
            Self::Other(other) => &**other,
        }
    }
}

impl DerefMut for QueueScheme {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::CoDel(known) => known,
            Self::Cobalt(known) => known,
            Self::Other(other) => &mut **other,
        }
    }
}

// What every packet asks: see `Aqm`.
impl QueueScheme {
    #[inline(always)]
    pub(crate) fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        ask!(self, CoDel | Cobalt, one => one.on_departure(now, packet, queue, coins))
    }

    #[inline(always)]
    pub(crate) fn on_idle(&mut self, now: Time) {
        ask!(self, CoDel | Cobalt, one => one.on_idle(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Scheme;
    use crate::discipline::Discipline;
    use crate::port_facts::PortFacts;
    use aqmlab_units::Rate;

    /// Whether scheduler and schemes are called directly.
    fn directly(name: &str) -> (bool, bool) {
        let scheme: Scheme =
            serde_json::from_str(&format!(r#"{{ "scheme": "{name}", "limit_packets": 100 }}"#))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let Discipline::Scheduled(mut scheduled) = scheme.build(&facts) else {
            panic!("{name} has one queue")
        };
        let scheduler = PortScheduler::from(scheduled.scheduler.expect("a scheduler"));
        let queue = QueueScheme::from(scheduled.queues.remove(0));
        (!matches!(scheduler, PortScheduler::Other(_)), !matches!(queue, QueueScheme::Other(_)))
    }

    #[test]
    fn fair_queues_of_today_are_called_directly_and_others_behind_a_pointer() {
        assert_eq!(
            ["fq-codel", "cake", "dualpi2"].map(directly),
            [(true, true), (true, true), (false, false)]
        );
    }
}
