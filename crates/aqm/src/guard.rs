//! The trait of a guard: what stands in front of the queues of a port and may refuse what arrives.

use crate::aqm::Reason;
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::shared::Shared;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use dyn_clone::DynClone;

/// What a guard says of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It goes on to what is behind.
    Pass,
    /// It goes on with a mark, if it can be marked and ECN is on; otherwise the port discards it as
    /// [`Reason::Early`].
    Signal,
    /// The port discards it, whatever its codepoint.
    Refuse(Reason),
}

/// What became of a packet behind a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It was queued as it came.
    Queued,
    /// It was marked: on arrival, then it was queued too, or on departure, then it was sent too.
    Marked,
    /// It was discarded, on arrival, while it waited, or on departure.
    Discarded(Reason),
    /// It was sent on the link as it had been queued.
    Sent,
}

/// What a guard may see of the queues behind it.
#[derive(Clone, Copy)]
pub struct Behind<'a> {
    /// Packets that wait, in all queues together.
    pub packets: u32,
    /// Bytes that wait.
    pub bytes: u64,
    signals: &'a dyn Fn() -> Probability,
}

impl<'a> Behind<'a> {
    /// Queues in which so many packets and bytes wait, whose schemes signal as `signals` says when it is
    /// asked.
    #[must_use]
    pub const fn new(packets: u32, bytes: u64, signals: &'a dyn Fn() -> Probability) -> Self {
        Self { packets, bytes, signals }
    }

    /// The probability with which the schemes behind now signal congestion to a packet of average size: the
    /// mean over the queues, each by the packets that wait in it. Worked out when asked, over all queues.
    #[must_use]
    pub fn signal_probability(&self) -> Probability {
        (self.signals)()
    }
}

/// A filter in front of the queues of a port. It may refuse arrivals, or signal congestion to them, and it is
/// told what the schemes behind it decide about the packets that it let through: which flows are signalled
/// most tells who does not respond.
///
/// Guards stand in a row. An arrival that one refuses is unknown to those behind it, to the scheduler, and to
/// the schemes. A guard owns no clock, no generator and no packet.
pub trait Guard: Send + DynClone {
    /// Whether an arrival goes on to what is behind.
    fn admits(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission;

    /// What became of a packet that this guard has let through. A packet that is queued is reported again
    /// when it leaves or is discarded.
    fn on_decision(&mut self, now: Time, packet: &PacketFacts, decision: Decision) {
        let _ = (now, packet, decision);
    }

    /// Whether [`Guard::on_decision`] has to be called for packets that are queued or sent as they came.
    /// Answering false is for speed alone. Asked once, when the port is built.
    fn hears_of_all(&self) -> bool {
        true
    }

    /// The next instant at which [`Guard::on_timer`] is due, by the rules of [`crate::Aqm::next_timer`].
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer is due. Called with the due instant itself.
    fn on_timer(&mut self, due: Time, behind: &Behind<'_>) {
        let _ = (due, behind);
    }

    /// Reports names (with their unit, where there is one) and values of the state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }
}

dyn_clone::clone_trait_object!(Guard);

/// The guards of a port, in the order in which they are asked.
#[derive(Clone)]
pub(crate) struct Guards {
    row: Vec<Box<dyn Guard>>,
    /// Whether there are any, and whether any hears of packets that are queued or sent as they came.
    hear_of_some: bool,
    hear_of_all: bool,
}

impl Guards {
    pub(crate) fn new(row: Vec<Box<dyn Guard>>) -> Self {
        let hear_of_all = row.iter().any(|guard| guard.hears_of_all());
        Self { hear_of_some: !row.is_empty(), hear_of_all, row }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Asks the guards in their order: whether the arrival is to be marked, or why it is discarded.
    #[inline(always)]
    pub(crate) fn admission(
        &mut self,
        now: Time,
        facts: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        port: &mut Shared,
    ) -> Result<bool, Reason> {
        let mut signalled = false;
        for guard in &mut self.row {
            match guard.admits(now, facts, header, behind, &mut port.coins) {
                Admission::Pass => {}
                Admission::Signal if port.ecn && facts.codepoint.can_be_marked() => signalled = true,
                Admission::Signal => return Err(Reason::Early),
                Admission::Refuse(reason) => return Err(reason),
            }
        }
        Ok(signalled)
    }

    /// Whether they have to be [told](Self::tell) of such a decision.
    #[inline(always)]
    pub(crate) const fn hear_of(&self, decision: Decision) -> bool {
        match decision {
            Decision::Queued | Decision::Sent => self.hear_of_all,
            Decision::Marked | Decision::Discarded(_) => self.hear_of_some,
        }
    }

    /// All guards hear what became of a packet behind them.
    #[inline(always)]
    pub(crate) fn tell(&mut self, now: Time, facts: &PacketFacts, decision: Decision) {
        self.row.iter_mut().for_each(|guard| guard.on_decision(now, facts, decision));
    }

    /// The next timer of a guard; `Time::MAX` without one.
    pub(crate) fn next_timer(&self) -> Time {
        self.row.iter().filter_map(|guard| guard.next_timer()).min().unwrap_or(Time::MAX)
    }

    /// Runs the timers that are due at this instant.
    ///
    /// # Panics
    /// If a timer has not moved forward.
    pub(crate) fn run_timers(&mut self, due: Time, behind: &Behind<'_>) {
        for guard in self.row.iter_mut().filter(|guard| guard.next_timer() == Some(due)) {
            guard.on_timer(due, behind);
            let next = guard.next_timer().unwrap_or(Time::MAX);
            assert!(next > due, "a timer must move forward: {next} after {due}");
        }
    }

    pub(crate) fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.row.iter().for_each(|guard| guard.observe(sink));
    }
}
