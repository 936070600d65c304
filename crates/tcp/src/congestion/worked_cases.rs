//! The worked cases in `tests/controllers/`: one file per controller of the `linux6` profiles, worked by hand from its source.
//!
//! A case is a list of settings and of facts. Right of the bar stand the window and the threshold after the fact, in segments:
//! `-` no threshold yet, `*` not looked at.
//!
//! | fact | |
//! | --- | --- |
//! | `established`, `established after lost SYN` | the connection is open |
//! | `acked N` `rtt MS` `limited` `marked N` `round` `x K` | N segments are acknowledged, with a round trip; the application limits what is sent; so many were marked; it ends a round; K times |
//! | `loss`, `ecn`, `recovered` | a loss or a mark begins a reduction, which is complete |
//! | `timeout`, `timeout again` | the timer has expired; once more without progress |
//! | `mistake` | nothing was lost at the last loss or timeout |
//! | `idle N` | N timeouts have passed without data |

use super::{Acknowledged, CongestionControl, CongestionController, Loss, Opening, Timeout};
use crate::profile::{HostProfile, HyStart};
use aqmlab_units::{Span, Time};

/// Thresholds from here on are none.
const NO_THRESHOLD: u32 = 1_000_000;

struct Bench {
    profile: HostProfile,
    controller: CongestionController,
    /// Window and threshold before the last reduction, in bytes.
    prior: (u32, u32),
}

impl Bench {
    fn new(name: &str, settings: &[(&str, &str)]) -> Self {
        let mut profile =
            HostProfile::named(&format!("linux6-{name}")).expect("a profile of this controller");
        for (key, value) in settings {
            match (*key, *value) {
                ("hystart", "off") => profile.extensions.hystart = HyStart::Off,
                ("hystart", "linux") => profile.extensions.hystart = HyStart::Linux,
                ("hystart", "plus-plus") => profile.extensions.hystart = HyStart::PlusPlus,
                _ => panic!("no setting {key} = {value}"),
            }
        }
        let controller = CongestionController::new(&profile);
        Self { profile, controller, prior: (0, 0) }
    }

    fn segments(&self, bytes: u32) -> u32 {
        bytes / self.profile.segment_bytes()
    }

    /// Keeps what the sender would restore.
    fn keep(&mut self) {
        let mss = self.profile.segment_bytes();
        let (window, threshold) =
            (self.controller.window(&self.profile), self.controller.slow_start_threshold(&self.profile));
        let segments = window / mss;
        self.prior = (window, threshold.max((segments / 2 + segments / 4) * mss));
    }

    fn acknowledge(&mut self, now: Time, words: &[&str]) {
        let mut words = words.iter();
        let mss = self.profile.segment_bytes();
        let mut number = || words.next().and_then(|word| word.parse::<u32>().ok());
        let mut acknowledged = Acknowledged {
            now,
            bytes: number().expect("acked N") * mss,
            ce_bytes: 0,
            round_trip: None,
            delivery_rate: None,
            application_limited: false,
            round_begins: false,
        };
        let mut times = 1;
        while let Some(&word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<u32>().ok()).expect("a number");
            match word {
                "rtt" => acknowledged.round_trip = Some(Span::from_milliseconds(u64::from(number()))),
                "marked" => acknowledged.ce_bytes = number() * mss,
                "limited" => acknowledged.application_limited = true,
                "round" => acknowledged.round_begins = true,
                "x" => times = number(),
                _ => panic!("what is {word}?"),
            }
        }
        for _ in 0..times {
            self.controller.on_acknowledged(&self.profile, &acknowledged);
        }
    }

    fn happen(&mut self, now: Time, words: &[&str]) {
        let flight_bytes = self.controller.window(&self.profile);
        match words {
            ["established", lost @ ..] => {
                let lost = !lost.is_empty();
                let opening = Opening { active: false, syn_lost: lost, reduces_window: lost };
                self.controller.on_established(&self.profile, opening);
            }
            ["acked", words @ ..] => self.acknowledge(now, words),
            ["loss"] => {
                self.keep();
                self.controller.on_loss(&self.profile, &Loss { now, flight_bytes });
            }
            ["ecn"] => _ = self.controller.on_echo(&self.profile),
            ["recovered"] => {
                let threshold = self.controller.slow_start_threshold(&self.profile);
                self.controller.set_window(&self.profile, threshold);
            }
            ["timeout", again @ ..] => {
                let repeated = again == ["again"];
                if !repeated {
                    self.keep();
                }
                let timeout = Timeout { now, flight_bytes, repeated, reduced_on_echo: false };
                self.controller.on_timeout(&self.profile, &timeout);
            }
            ["mistake"] => self.controller.restore(&self.profile, self.prior.0, self.prior.1),
            ["idle", timeouts] => {
                let timeouts: u32 = timeouts.parse().expect("a number of timeouts");
                (0..timeouts).for_each(|_| self.controller.on_idle(&self.profile));
            }
            _ => panic!("no fact: {words:?}"),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (fact, expected) = line.split_once('|').expect("a fact | window threshold");
        let words: Vec<&str> = fact.split_whitespace().collect();
        self.happen(Time::from_seconds(words[0].parse().expect("a time")), &words[1..]);
        let threshold = self.segments(self.controller.slow_start_threshold(&self.profile));
        let threshold = if threshold < NO_THRESHOLD { threshold.to_string() } else { "-".to_owned() };
        let found = [self.segments(self.controller.window(&self.profile)).to_string(), threshold];
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let agrees = |(found, expected): (&String, &&str)| *expected == "*" || found == expected;
        let holds = expected.len() == 2 && found.iter().zip(&expected).all(agrees);
        holds.then_some(()).ok_or_else(|| format!("{line}\nwindow and threshold are {found:?}"))
    }
}

fn play((name, text): (&str, &str)) {
    let cases: Vec<&str> = text.split("\ncase: ").skip(1).collect();
    assert!(!cases.is_empty(), "{name} has no case");
    for case in cases {
        let lines: Vec<&str> = case.lines().map(str::trim).collect();
        let told = |line: &&&str| !line.is_empty() && !line.starts_with('#');
        let is_setting = |line: &&str| line.starts_with("set ");
        let settings: Vec<(&str, &str)> = lines
            .iter()
            .filter(|line| is_setting(line))
            .map(|line| line["set ".len()..].split_once(" = ").expect("key = value"))
            .collect();
        let mut bench = Bench::new(name, &settings);
        let facts = lines[1..].iter().filter(told).filter(|line| !is_setting(line));
        for line in facts {
            bench.line(line).unwrap_or_else(|error| panic!("{name}: {}\n{error}", lines[0]));
        }
    }
}

#[test]
fn every_controller_follows_its_worked_cases() {
    [
        ("reno", include_str!("../../tests/controllers/reno.txt")),
        ("cubic", include_str!("../../tests/controllers/cubic.txt")),
        ("dctcp", include_str!("../../tests/controllers/dctcp.txt")),
    ]
    .into_iter()
    .for_each(play);
}
