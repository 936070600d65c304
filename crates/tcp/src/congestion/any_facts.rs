//! Whatever happens, in whatever order a sender may tell it: the laws that hold for every controller in the
//! list, and those of the kin of Reno, which answer a loss with a smaller window.
//!
//! | law of every controller | source |
//! | --- | --- |
//! | a window is a segment or more, and a threshold two | RFC 5681 equation 4 |
//! | after a timeout the window lets one segment leave | RFC 5681 section 3.1 |
//! | a pause opens no window | RFC 2861 |
//! | a mistake that is taken back leaves no smaller window than there was | RFC 3522, RFC 5682 |
//! | a paced sender has a rate above nothing from its first round trip on | `tcp_update_pacing_rate` |
//! | a quantum is a segment or more | draft-ietf-ccwg-bbr section 5.6.3 |
//!
//! | law of Reno's kin | source |
//! | --- | --- |
//! | no acknowledgement opens the window by more than it covers, or by one for what was counted before, outside of a reduction | RFC 5681 section 3.1, RFC 9438 section 4.4 |
//! | what the application limits opens no window | RFC 9438 section 5.8, RFC 7661; Linux `tcp_is_cwnd_limited` |
//! | a loss, a mark or a timeout leaves a threshold within the window, and a second one for the same data leaves it | RFC 5681 equation 4 and after it, RFC 3168 section 6.1.2 |
//! | the end of a reduction leaves the threshold | RFC 5681 section 3.2 step 6 |
//!
//! | law of those that model the path | source |
//! | --- | --- |
//! | an acknowledgement opens the window by no more than it covers, or beyond what is in the network, or to what it was before, after a loss, a timeout or a probe of the round trip | draft-ietf-ccwg-bbr section 5.6.4.6 |

use super::{
    Acknowledged, AnswersMarks, Congestion, CongestionController, DeliveryRate, Feedback, HyStart, Loss,
    LostSegment, Marks, Measured, Opening, Phase, Recovered, Sent, Settings, Timeout,
};
use crate::interrupts::Interrupts;
use aqmlab_units::{Span, Time};
use proptest::prelude::*;

/// No window of a test comes near to it: arithmetic has gone below zero.
const ABSURD: u32 = 1 << 30;

/// What may happen next, with a time that passes before.
#[derive(Clone, Debug)]
enum Fact {
    Sent {
        again: bool,
    },
    Acknowledged(Report),
    Loss {
        repaired: bool,
    },
    Marks(u32),
    Timeout,
    Recovered(Recovered),
    /// Everything sent before a timeout has arrived.
    Over,
    Idle(u32),
}

/// The random part of an acknowledgement.
#[derive(Clone, Debug)]
struct Report {
    delivered: u32,
    marked: u32,
    lost: u32,
    in_flight: u32,
    advanced: bool,
    round_trip: Option<u64>,
    rate: Option<u32>,
    application_limited: bool,
    round_begins: bool,
}

fn any_report() -> impl Strategy<Value = Report> {
    let segments = || prop_oneof![4 => 0..4_u32, 2 => 0..200_u32, 1 => 0..100_000_u32];
    let round_trip = prop::option::of(prop_oneof![0..1_000_000_u64, 0..20_000_000_000_u64]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let counts = (segments(), segments(), 0..20_u32, segments());
    (counts, round_trip, prop::option::of(1..1_000_u32), flags).prop_map(
        |((delivered, marked, lost, in_flight), round_trip, rate, (advanced, limited, round))| Report {
            delivered,
            marked: marked.min(delivered),
            lost,
            in_flight,
            advanced,
            round_trip,
            rate,
            application_limited: limited,
            round_begins: advanced && round,
        },
    )
}

fn any_fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        4 => any::<bool>().prop_map(|again| Fact::Sent { again }),
        12 => any_report().prop_map(Fact::Acknowledged),
        1 => any::<bool>().prop_map(|repaired| Fact::Loss { repaired }),
        1 => (1..100_u32).prop_map(Fact::Marks),
        1 => Just(Fact::Timeout),
        2 => Just(Fact::Recovered(Recovered::Complete)),
        1 => Just(Fact::Recovered(Recovered::Mistaken)),
        1 => Just(Fact::Over),
        1 => (1..1_000_000_u32).prop_map(Fact::Idle),
    ]
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let hystart = prop_oneof![Just(HyStart::Off), Just(HyStart::Linux), Just(HyStart::PlusPlus)];
    let answers = [AnswersMarks::Never, AnswersMarks::UpTo5Ms, AnswersMarks::Always];
    let answers = prop::sample::select(answers.to_vec());
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    (1..=100_u32, 41..=9_120_u32, switches, hystart, answers).prop_map(
        |(initial_window, packet_bytes, switches, hystart, answers_marks)| {
            let (proportional_rate_reduction, pacing, classic_ecn_fallback) = switches;
            Settings {
                initial_window,
                packet_bytes,
                proportional_rate_reduction,
                pacing,
                hystart,
                classic_ecn_fallback,
                classic_ecn_fallback_everywhere: classic_ecn_fallback && pacing,
                interrupts: Interrupts::milliseconds(),
                answers_marks,
            }
        },
    )
}

/// A controller, and what its sender is doing: facts that no sender tells in a phase are passed over.
struct Trial {
    controller: CongestionController,
    phase: Phase,
    now: Time,
    in_flight: u32,
    timed_out: bool,
    paces: bool,
    models_path: bool,
    /// What arrived, was sent and lost, and the widest window, ever.
    delivered: u64,
    sent: u64,
    lost: u32,
    widest: u32,
}

impl Trial {
    fn new(congestion: Congestion, settings: &Settings, opening: Opening) -> Self {
        let mut controller = CongestionController::new(congestion, settings);
        controller.on_established(opening);
        let now = Time::from_seconds(1.0);
        Self {
            widest: controller.window(),
            controller,
            phase: Phase::Open,
            now,
            in_flight: 0,
            timed_out: false,
            paces: false,
            models_path: congestion.habits().models_path,
            delivered: 0,
            sent: 0,
            lost: 0,
        }
    }

    fn happen(&mut self, fact: &Fact, paced: bool) {
        self.widest = self.widest.max(self.controller.window());
        match fact {
            Fact::Sent { again } => {
                self.in_flight += 1;
                self.sent += 1;
                let Self { now, in_flight, phase, .. } = *self;
                let application_limited = self.sent.is_multiple_of(3);
                self.controller.on_sent(&Sent { now, again: *again, in_flight, application_limited, phase });
            }
            Fact::Acknowledged(report) => self.acknowledge(report, paced),
            Fact::Loss { repaired } => self.lose(*repaired),
            Fact::Marks(marked) if self.phase == Phase::Open => {
                let before = self.levels();
                self.controller.on_marks(&Marks { now: self.now, marked: *marked });
                self.phase = Phase::Reducing;
                self.has_reduced(before, true);
            }
            Fact::Timeout => {
                let before = self.levels();
                let in_flight = self.in_flight % 100;
                self.lose_segments(in_flight);
                self.controller.on_timeout(&Timeout { now: self.now, in_flight, repeated: self.timed_out });
                let repeated = std::mem::replace(&mut self.timed_out, true);
                self.phase = Phase::Loss;
                assert_eq!(self.controller.window(), in_flight + 1);
                self.has_reduced(before, !repeated);
            }
            Fact::Recovered(recovered) => self.recover(*recovered),
            Fact::Over if self.phase == Phase::Loss => self.recover(Recovered::AfterTimeout),
            Fact::Idle(timeouts) if self.phase == Phase::Open => {
                let (window, _) = self.levels();
                self.controller.on_idle(*timeouts);
                assert!(self.controller.window() <= window);
            }
            Fact::Marks(_) | Fact::Over | Fact::Idle(_) => {}
        }
    }

    fn acknowledge(&mut self, report: &Report, paced: bool) {
        self.lose_segments(report.lost);
        let (window, _) = self.levels();
        self.in_flight = report.in_flight;
        self.delivered += u64::from(report.delivered);
        let delivered = self.delivered;
        let rate = |segments: u32| DeliveryRate {
            segments: segments.min(u32::try_from(delivered).unwrap_or(u32::MAX)),
            interval: Span::from_milliseconds(10),
            application_limited: report.application_limited,
            in_flight: report.in_flight + segments,
            lost_since: report.lost,
        };
        if let Some(round_trip) = report.round_trip.map(Span::from_nanoseconds) {
            let (now, round_begins) = (self.now, report.round_begins);
            self.controller.on_round_trip(&Measured { now, round_trip, round_begins });
        }
        self.controller.on_acknowledged(&Acknowledged {
            now: self.now,
            delivered: report.delivered,
            delivered_ever: self.delivered,
            marked: report.marked,
            lost: report.lost,
            in_flight: report.in_flight,
            advanced: report.advanced,
            may_grow: report.advanced,
            round_trip: report.round_trip.map(Span::from_nanoseconds),
            delivery_rate: report.rate.map(rate),
            window_unused: report.application_limited,
            window_full: !report.application_limited,
            round_begins: report.round_begins,
            phase: self.phase,
        });
        self.timed_out &= !report.advanced;
        if self.models_path {
            let after = self.controller.window();
            let before = window.max(report.in_flight).max(self.widest).max(4);
            let most = before.saturating_add(report.delivered);
            assert!(after <= most, "from {window} to {after} with {report:?}");
            return;
        }
        if self.phase.is_reduction() {
            return;
        }
        let grown = self.controller.window().saturating_sub(window);
        assert!(grown <= report.delivered.max(1), "{grown} of {report:?}");
        assert!(grown == 0 || !report.application_limited, "{grown} of {report:?}");
        let measured =
            report.advanced && report.delivered > 0 && report.round_trip.is_some_and(|time| time > 0);
        self.paces |= paced && measured;
    }

    /// So many segments are taken for lost, one by one.
    fn lose_segments(&mut self, segments: u32) {
        for _ in 0..segments.min(20) {
            self.lost += 1;
            self.controller.on_lost(&LostSegment {
                now: self.now,
                delivered_ever: self.delivered,
                place: u64::from(2 * self.lost),
                in_flight: self.in_flight + 1,
                lost_since: 1 + self.lost % 7,
                application_limited: self.lost.is_multiple_of(5),
            });
        }
    }

    fn lose(&mut self, repaired: bool) {
        // A probe stands for a loss where nothing else does, and a recovery does not begin in one.
        if self.phase == Phase::Recovery || repaired && self.phase != Phase::Open {
            return;
        }
        let before = self.levels();
        let reduced = self.phase == Phase::Reducing;
        self.controller.on_loss(&Loss { now: self.now, in_flight: self.in_flight, reduced, repaired });
        if !repaired {
            self.phase = Phase::Recovery;
        }
        self.has_reduced(before, !reduced);
    }

    fn recover(&mut self, recovered: Recovered) {
        if recovered == Recovered::Complete && !self.phase.is_reduction() {
            return;
        }
        let before = self.levels();
        self.controller.on_recovered(recovered);
        (self.phase, self.timed_out) = (Phase::Open, false);
        let (window, threshold) = self.levels();
        match recovered {
            Recovered::Complete => assert!(self.models_path || window == threshold),
            Recovered::Mistaken => assert!(window >= before.0 && threshold >= before.1),
            Recovered::AfterTimeout => assert!(self.models_path || (window, threshold) == before),
        }
    }

    /// Window and threshold.
    fn levels(&self) -> (u32, u32) {
        (self.controller.window(), self.controller.slow_start_threshold())
    }

    /// A signal of congestion came at these levels; whether it is the first of its window of data.
    fn has_reduced(&self, (window, threshold): (u32, u32), first: bool) {
        let (_, after) = self.levels();
        if self.models_path {
            return;
        }
        if first {
            assert!(after <= window.max(2), "a threshold of {after} is left of a window of {window}");
        } else {
            assert_eq!(after, threshold);
        }
    }

    fn check(&self) {
        let (window, threshold) = self.levels();
        assert!((1..ABSURD).contains(&window), "a window of {window}");
        assert!(threshold >= 2, "a threshold of {threshold}");
        let rate = self.controller.pacing_rate();
        assert!(rate.is_none_or(|rate| rate.bits_per_second() > 0), "{rate:?}");
        assert!(rate.is_some() || !self.paces, "paced at no rate");
        assert!(self.controller.send_quantum() >= 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_controller_keeps_the_laws(
        settings in any_settings(),
        (active, syn_lost, reduces) in any::<(bool, bool, bool)>(),
        feedback in prop::sample::select(vec![Feedback::None, Feedback::Classic, Feedback::Accurate]),
        facts in prop::collection::vec((prop_oneof![Just(0_u64), 0..3_000_000_000_u64], any_fact()), 1..200),
    ) {
        let round_trip = (!syn_lost).then_some(Span::from_milliseconds(30));
        let now = Time::from_seconds(1.0);
        let reduces_window = syn_lost && reduces;
        let opening = Opening { now, round_trip, active, syn_lost, reduces_window, feedback };
        for congestion in Congestion::ALL {
            let mut trial = Trial::new(*congestion, &settings, opening);
            trial.check();
            for (pause, fact) in &facts {
                trial.now += Span::from_nanoseconds(*pause);
                trial.happen(fact, settings.pacing);
                trial.check();
            }
        }
    }
}
