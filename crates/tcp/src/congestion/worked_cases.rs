//! The worked cases in `tests/controllers/`: one file per controller, worked by hand from its source.
//!
//! A case is a list of settings and of facts. Right of the bar stand the window and the threshold after the
//! fact, in segments: `-` no threshold yet, `*` not looked at.
//!
//! | fact | |
//! | --- | --- |
//! | `established`, `established after lost SYN`, `established rtt MS` | the connection is open, after a handshake with a round trip |
//! | `acked N` `rtt MS` `limited` `marked N` `round` `x K` | N segments are acknowledged, with a round trip; the application limits what is sent; so many were marked; it ends a round; K times |
//! | `acked N` `flight N` `lost N` | the same in a reduction, which leaves so many segments in the network and takes so many for lost |
//! | `acked N` `rate N MS` | the same, where so many arrived in so long |
//! | `lost N flight N` | so many segments are taken for lost, of which each left with so many in the network and N, N − 1, … have been lost since |
//! | `sent`, `sent alone` | a segment leaves, with others in the network or not |
//! | `loss`, `ecn`, `probe` | a loss, a mark, or a loss that a probe has repaired |
//! | `recovered`, `mistake` | the reduction is complete, or nothing had been lost |
//! | `timeout`, `timeout again` | the timer has expired; once more without progress |
//! | `over` | everything sent before a timeout has arrived, of which the controller is told with the next acknowledgement |
//! | `idle N` | N timeouts have passed without data |
//! | `set N` | an agent sets the window |
//! | `unused N` | N segments were used at most for a timeout |

use super::{
    Acknowledged, AnswersMarks, Congestion, CongestionController, DeliveryRate, Feedback, HyStart, Loss,
    LostSegment, Marks, Measured, Opening, Phase, Recovered, Sent, Settings, Timeout,
};
use crate::interrupts::Interrupts;
use aqmlab_units::{Span, Time};

/// Thresholds from here on are none.
const NO_THRESHOLD: u32 = 1_000_000;

/// A host with ten segments at first, packets of 1,500 bytes and everything switched on but pacing and
/// HyStart.
pub(super) const SETTINGS: Settings = Settings {
    initial_window: 10,
    packet_bytes: 1_500,
    proportional_rate_reduction: true,
    pacing: false,
    hystart: HyStart::Off,
    classic_ecn_fallback: false,
    classic_ecn_fallback_everywhere: false,
    interrupts: Interrupts::milliseconds(),
    answers_marks: AnswersMarks::Never,
};

struct Bench {
    controller: CongestionController,
    phase: Phase,
    delivered: u64,
    lost: u64,
}

impl Bench {
    fn new(congestion: Congestion, settings: &[(&str, &str)]) -> Self {
        let mut bench = SETTINGS;
        for (key, value) in settings {
            match (*key, *value) {
                ("hystart", "off") => bench.hystart = HyStart::Off,
                ("hystart", "linux") => bench.hystart = HyStart::Linux,
                ("hystart", "plus-plus") => bench.hystart = HyStart::PlusPlus,
                ("answers_marks", "always") => bench.answers_marks = AnswersMarks::Always,
                ("answers_marks", "up-to-5-ms") => bench.answers_marks = AnswersMarks::UpTo5Ms,
                ("proportional_rate_reduction", "false") => bench.proportional_rate_reduction = false,
                _ => panic!("no setting {key} = {value}"),
            }
        }
        let controller = CongestionController::new(congestion, &bench);
        Self { controller, phase: Phase::Open, delivered: 0, lost: 0 }
    }

    fn acknowledge(&mut self, now: Time, words: &[&str]) {
        let mut words = words.iter();
        let number = |word: Option<&&str>| word.and_then(|word| word.parse::<u32>().ok()).expect("a number");
        let mut acknowledged = Acknowledged {
            now,
            delivered: number(words.next()),
            delivered_ever: 0,
            marked: 0,
            lost: 0,
            in_flight: self.controller.window(),
            advanced: true,
            may_grow: true,
            round_trip: None,
            delivery_rate: None,
            window_unused: false,
            window_full: false,
            round_begins: false,
            phase: self.phase,
        };
        let mut times = 1;
        while let Some(&word) = words.next() {
            match word {
                "rtt" => {
                    let milliseconds = u64::from(number(words.next()));
                    acknowledged.round_trip = Some(Span::from_milliseconds(milliseconds));
                }
                "rate" => {
                    let segments = number(words.next());
                    let interval = Span::from_milliseconds(u64::from(number(words.next())));
                    acknowledged.delivery_rate = Some(DeliveryRate {
                        segments,
                        interval,
                        application_limited: false,
                        in_flight: segments,
                        lost_since: 0,
                    });
                }
                "marked" => acknowledged.marked = number(words.next()),
                "flight" => acknowledged.in_flight = number(words.next()),
                "lost" => acknowledged.lost = number(words.next()),
                "limited" => acknowledged.window_unused = true,
                "round" => acknowledged.round_begins = true,
                "x" => times = number(words.next()),
                _ => panic!("what is {word}?"),
            }
        }
        for _ in 0..times {
            self.delivered += u64::from(acknowledged.delivered);
            acknowledged.delivered_ever = self.delivered;
            if let Some(round_trip) = acknowledged.round_trip {
                let round_begins = acknowledged.round_begins;
                self.controller.on_round_trip(&Measured { now, round_trip, round_begins });
            }
            self.controller.on_acknowledged(&acknowledged);
        }
    }

    fn recover(&mut self, recovered: Recovered) {
        self.phase = Phase::Open;
        self.controller.on_recovered(recovered);
    }

    fn happen(&mut self, now: Time, words: &[&str]) {
        let in_flight = self.controller.window();
        let controller = &mut self.controller;
        match words {
            ["established", words @ ..] => {
                let round_trip = match words {
                    ["rtt", milliseconds] => milliseconds.parse().ok().map(Span::from_milliseconds),
                    _ => None,
                };
                let lost = words.contains(&"lost");
                controller.on_established(Opening {
                    now,
                    round_trip,
                    active: false,
                    syn_lost: lost,
                    reduces_window: lost,
                    feedback: Feedback::Accurate,
                });
            }
            ["acked", words @ ..] => self.acknowledge(now, words),
            ["sent", alone @ ..] => {
                let in_flight = if alone.is_empty() { in_flight } else { 1 };
                let (again, application_limited) = (false, false);
                controller.on_sent(&Sent { now, again, in_flight, application_limited, phase: self.phase });
            }
            ["lost", segments, "flight", in_flight] => {
                let segments: u32 = segments.parse().expect("a number of segments");
                for since in (1..=segments).rev() {
                    self.lost += 1;
                    controller.on_lost(&LostSegment {
                        now,
                        delivered_ever: self.delivered,
                        place: self.lost,
                        in_flight: in_flight.parse().expect("a number of segments"),
                        lost_since: since,
                        application_limited: false,
                    });
                }
            }
            ["loss"] => {
                let reduced = self.phase == Phase::Reducing;
                self.phase = Phase::Recovery;
                controller.on_loss(&Loss { now, in_flight, reduced, repaired: false });
            }
            ["probe"] => controller.on_loss(&Loss { now, in_flight, reduced: false, repaired: true }),
            ["ecn"] => {
                self.phase = Phase::Reducing;
                controller.on_marks(&Marks { now, marked: 1 });
            }
            ["timeout", again @ ..] => {
                self.phase = Phase::Loss;
                controller.on_timeout(&Timeout { now, in_flight: 0, repeated: again == ["again"] });
            }
            ["recovered"] => self.recover(Recovered::Complete),
            ["mistake"] => self.recover(Recovered::Mistaken),
            ["over"] => self.recover(Recovered::AfterTimeout),
            ["set", segments] => {
                assert!(controller.set_window(segments.parse().expect("a number of segments")));
            }
            ["unused", used] => controller.on_unused(used.parse().expect("a number of segments")),
            ["idle", timeouts] => controller.on_idle(timeouts.parse().expect("a number of timeouts")),
            _ => panic!("no fact: {words:?}"),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (fact, expected) = line.split_once('|').expect("a fact | window threshold");
        let words: Vec<&str> = fact.split_whitespace().collect();
        self.happen(Time::from_seconds(words[0].parse().expect("a time")), &words[1..]);
        let threshold = self.controller.slow_start_threshold();
        let threshold = if threshold < NO_THRESHOLD { threshold.to_string() } else { "-".to_owned() };
        let found = [self.controller.window().to_string(), threshold];
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let agrees = |(found, expected): (&String, &&str)| *expected == "*" || found == expected;
        let holds = expected.len() == 2 && found.iter().zip(&expected).all(agrees);
        holds.then_some(()).ok_or_else(|| format!("{line}\nwindow and threshold are {found:?}"))
    }
}

fn play(congestion: Congestion) {
    let name = congestion.name();
    let cases: Vec<&str> = congestion.worked_cases().split("\ncase: ").skip(1).collect();
    assert!(!cases.is_empty(), "{name} has no case");
    for case in cases {
        let mut lines = case.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let title = lines.next().expect("a title");
        let (settings, facts): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("set "));
        let settings: Vec<(&str, &str)> = settings
            .iter()
            .map(|line| line["set ".len()..].split_once(" = ").expect("key = value"))
            .collect();
        let mut bench = Bench::new(congestion, &settings);
        for line in facts {
            bench.line(line).unwrap_or_else(|error| panic!("{name}: {title}\n{error}"));
        }
    }
}

#[test]
fn every_controller_follows_its_worked_cases() {
    Congestion::ALL.iter().for_each(|congestion| play(*congestion));
}
