//! A scheduler and a guard that lock their link out, and what the conformance suite says of them: each works
//! while a burst lasts, and once the port has run empty nobody comes in, or out, any more.

use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{
    Admission, Backlogs, Behind, Discipline, End, Guard, HeaderFields, InnerScheme, PacketFacts,
    ParameterError, Parameters, PortFacts, QueueLimit, Reason, RegistrationError, Scheduled, Scheduler, Turn,
    Victim, conformance, register,
};
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// After that an empty port locks everybody out.
const FIRST_BURST: Time = Time::from_nanoseconds(100_000_000);

/// Takes turns in order, until it has seen all queues empty after the burst: from then on it holds back
/// whatever comes for a millisecond more each time.
#[derive(Clone)]
struct LockedScheduler {
    is_locked: bool,
}

impl Scheduler for LockedScheduler {
    fn classify(&mut self, now: Time, _: &PacketFacts, _: &HeaderFields, queues: &dyn Backlogs) -> usize {
        self.is_locked |= queues.waiting() == 0 && now > FIRST_BURST;
        0
    }

    fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        match queues.waiting() {
            0 => Turn::Nobody,
            _ if self.is_locked => Turn::At(now + Span::from_milliseconds(1)),
            _ => Turn::Queue(0),
        }
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

    fn on_empty(&mut self, _: Time, _: usize) {}

    fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
        Victim { queue: 0, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }
}

/// As a RED with an average that nothing ages, in front of the queue.
#[derive(Clone)]
struct LockedGuard;

impl Guard for LockedGuard {
    fn admits(
        &mut self,
        now: Time,
        _: &PacketFacts,
        _: &HeaderFields,
        behind: &Behind<'_>,
        _: &mut Stream,
    ) -> Admission {
        let is_locked = behind.packets == 0 && now > FIRST_BURST;
        if is_locked { Admission::Refuse(Reason::Filter) } else { Admission::Pass }
    }
}

/// Parameters of one of them, and how a port under it is built.
macro_rules! locked {
    ($($name:ident, $guarded:expr, $build:expr;)+) => {$(
        /// Wrong.
        #[derive(Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        struct $name {
            /// Packets that may wait.
            limit_packets: Option<u32>,
        }

        impl Parameters for $name {
            fn validate(&self) -> Result<(), ParameterError> {
                Ok(())
            }

            fn limit(&self) -> Limit {
                Limit { packets: self.limit_packets, bytes: None, rule: LimitRule::HoldLimit }
            }

            fn ecn(&self) -> bool {
                false
            }

            fn is_one_queue(&self) -> bool {
                false
            }

            fn is_guarded_at_will(&self) -> bool {
                $guarded
            }

            fn build(&self, facts: &PortFacts) -> Discipline {
                let build: fn(&PortFacts) -> Scheduled = $build;
                Discipline::Scheduled(build(facts))
            }
        }
    )+};
}

locked! {
    WithScheduler, false, |facts| {
        let queues = vec![InnerScheme::default().build(facts)];
        Scheduled::queues(Box::new(LockedScheduler { is_locked: false }), queues)
    };
    WithGuard, true, |facts| {
        Scheduled::guarded_queue(Box::new(LockedGuard), InnerScheme::default().build(facts), QueueLimit::OfPort)
    };
}

/// What is found about the law of links.
fn found(name: &'static str, registered: Result<(), RegistrationError>) -> String {
    registered.expect("a new name");
    let findings = conformance::check(name, 20);
    let law = findings.iter().find(|finding| finding.property.starts_with("keeping an overloaded link busy"));
    law.map(|finding| finding.wrong.clone()).unwrap_or_default()
}

#[test]
fn a_scheduler_that_holds_everything_back_for_ever_is_found() {
    let wrong = found("locked-scheduler", register::<WithScheduler>("locked-scheduler"));
    assert!(wrong.contains("the link stays idle, where 0.5 times"), "{wrong}");
}

#[test]
fn a_guard_that_refuses_everything_for_ever_is_found() {
    let wrong = found("locked-guard", register::<WithGuard>("locked-guard"));
    assert!(wrong.contains("the link stays idle, where 0.5 times"), "{wrong}");
}
