//! Schemes that are wrong, each in its way, and what the conformance suite says of them.

use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{
    Aqm, Discipline, PacketFacts, ParameterError, Parameters, PortFacts, Positions, QueueView, Reason,
    RegistrationError, Verdict, conformance, register,
};
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const RANDOM: u8 = 0;
const EVICTING: u8 = 1;
const INFINITE: u8 = 2;
const COUNTING: u8 = 3;
const TIRED: u8 = 4;
const UNASKED: u8 = 5;
const LOCKED: u8 = 6;

/// Parameters of a scheme that is wrong in a way.
macro_rules! wrong {
    ($($name:ident: $way:expr,)+) => {$(
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

            fn build(&self, _: &PortFacts) -> Discipline {
                Discipline::fifo(Scheme::<$way>)
            }
        }
    )+};
}

wrong! {
    Random: RANDOM,
    Evicting: EVICTING,
    Infinite: INFINITE,
    Counting: COUNTING,
    Tired: TIRED,
    Unasked: UNASKED,
    Locked: LOCKED,
}

#[derive(Clone)]
struct Scheme<const WAY: u8>;

/// Randomness that comes from nowhere.
static ELSEWHERE: AtomicU32 = AtomicU32::new(0);

/// After that an empty queue locks everybody out.
const FIRST_BURST: Time = Time::from_nanoseconds(100_000_000);

/// The hour of the last arrival.
static HOUR: AtomicU64 = AtomicU64::new(0);

impl<const WAY: u8> Aqm for Scheme<WAY> {
    fn on_arrival(&mut self, now: Time, _: &PacketFacts, queue: &QueueView<'_>, _: &mut Stream) -> Verdict {
        if WAY == TIRED {
            HOUR.store((now.seconds() / 3600.0) as u64, Ordering::Relaxed);
        }
        match WAY {
            RANDOM if ELSEWHERE.fetch_add(1, Ordering::Relaxed) % 3 == 0 => Verdict::Drop(Reason::Early),
            UNASKED
                if queue.arrived(0).is_some_and(|queued| now.since(queued) > Span::from_milliseconds(1)) =>
            {
                Verdict::Drop(Reason::Early)
            }
            EVICTING if queue.packets() > 2 => {
                Verdict::PassEvicting { positions: Positions::one(0), reason: Reason::Match }
            }
            // As of RED with an average that nothing ages: once the queue has run empty, nobody comes in.
            LOCKED if queue.packets() == 0 && now > FIRST_BURST => Verdict::Drop(Reason::Forced),
            _ => Verdict::Pass,
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        match WAY {
            INFINITE => sink("price", f64::INFINITY),
            TIRED if HOUR.load(Ordering::Relaxed) > 0 => sink("price", f64::INFINITY),
            COUNTING => sink("calls", f64::from(ELSEWHERE.fetch_add(1, Ordering::Relaxed))),
            _ => {}
        }
    }

    fn watches_departures(&self) -> bool {
        false
    }
}

fn findings(name: &'static str, registered: Result<(), RegistrationError>) -> Vec<String> {
    registered.expect("a new name");
    let findings = conformance::check(name, 20);
    findings.into_iter().map(|finding| format!("{}: {}", finding.property, finding.wrong)).collect()
}

#[test]
fn randomness_from_elsewhere_is_found() {
    let found = findings("wrong-random", register::<Random>("wrong-random"));
    assert!(found.iter().any(|words| words.starts_with("same verdicts from the same seed: ")), "{found:?}");
}

#[test]
fn a_scheme_that_discards_what_it_says_it_never_touches_is_found() {
    let found = findings("wrong-evicting", register::<Evicting>("wrong-evicting"));
    assert!(found[0].contains("met a waiting packet, which the scheme says that it never does"), "{found:?}");
}

#[test]
fn a_number_that_is_none_is_found() {
    let found = findings("wrong-infinite", register::<Infinite>("wrong-infinite"));
    assert!(found.len() >= 4 && found[0].contains("price is inf"), "{found:?}");
}

#[test]
fn a_state_that_is_not_the_schemes_own_is_found() {
    let found = findings("wrong-counting", register::<Counting>("wrong-counting"));
    assert!(found.iter().any(|words| words.contains("calls is ")), "{found:?}");
}

#[test]
fn a_scheme_that_reads_arrival_instants_without_asking_for_them_is_found() {
    let found = findings("wrong-unasked", register::<Unasked>("wrong-unasked"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("declaring the arrival instants it reads: "), "{found:?}");
    assert!(found[0].contains("AQMLAB_NEEDS_ARRIVAL_INSTANTS"), "{found:?}");
}

#[test]
fn a_scheme_that_locks_its_link_out_is_found() {
    let found = findings("wrong-locked", register::<Locked>("wrong-locked"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("keeping an overloaded link busy")
            && found[0].contains("the link stays idle, where 0.5 times"),
        "{found:?}"
    );
}

#[test]
fn a_scheme_that_does_not_survive_an_idle_hour_is_found() {
    let found = findings("wrong-tired", register::<Tired>("wrong-tired"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("stress traffic") && found[0].contains("IdleHours: price is inf"),
        "{found:?}"
    );
}
