//! The 22 cases of the draft's appendix ("BBR Example Test Cases"), each on a line of its own, by their
//! numbers there.

use super::super::line::Line;
use super::super::worked_cases::SETTINGS;
use super::super::{CongestionControl, Loss, LostSegment, Recovered, Timeout};
use super::{Bbr, NONE, State};

type Draft = Bbr<super::super::bbr_draft_2026_08::Draft>;
type Trial = Line<Draft>;

/// 10 Mbit/s and 40 ms: a product of 33.3 segments, with a buffer of so many.
fn line(buffer: u32) -> Trial {
    Line::new(Draft::new(&SETTINGS), 10.0, 40, buffer)
}

/// A line that has reached this state for the first time.
fn in_state(mut trial: Trial, state: State) -> Trial {
    assert!(trial.run(20.0, |trial| trial.controller.state == state), "never in {state:?}");
    trial
}

/// The state that comes next, within so many seconds.
fn next(trial: &mut Trial, seconds: f64) -> State {
    let state = trial.controller.state;
    trial.run(seconds, |trial| trial.controller.state != state);
    trial.controller.state
}

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found / expected - 1.0).abs() <= share
}

#[test]
fn case_1_startup_ends_when_the_rate_grows_no_more() {
    let mut trial = line(1_000);
    let mut rounds = 0;
    while next(&mut trial, 0.001) == State::Startup {
        rounds = rounds.max(trial.controller.growth.rounds());
    }
    let controller = &trial.controller;
    assert_eq!((rounds, trial.controller.state), (2, State::Drain), "the third ends it");
    assert!(controller.growth.filled && controller.growth.filled_now);
    assert!(
        is_near(controller.greatest_rate(), trial.segments_per_s, 0.02),
        "{}",
        controller.greatest_rate()
    );
}

#[test]
fn case_2_startup_ends_with_losses_though_the_application_limits_it() {
    let mut trial = line(1_000);
    trial.written_per_s = Some(500.0);
    assert!(!trial.run(1.0, |trial| trial.controller.growth.filled));
    trial.loses_every = Some(3);
    assert!(trial.run(2.0, |trial| trial.controller.growth.filled));
    assert!(trial.was_limited && trial.controller.long != NONE);
    assert!(matches!(trial.controller.state, State::Drain | State::Down));
}

#[test]
fn case_3_drain_ends_when_no_more_is_in_the_network_than_the_path_holds() {
    let mut trial = in_state(line(1_000), State::Drain);
    assert_eq!(trial.controller.gains().0, 0.5);
    let began = trial.now_ns;
    // With headroom enough the same acknowledgement ends down as well.
    assert!(matches!(next(&mut trial, 2.0), State::Down | State::Cruise));
    let rounds = (trial.now_ns - began) as f64 / trial.round_trip_ns as f64;
    assert!(rounds < 3.0, "{rounds}");
}

#[test]
fn case_4_drain_ends_after_three_rounds_whatever_is_in_the_network() {
    let mut trial = in_state(line(1_000), State::Drain);
    trial.segments_per_s *= 0.9;
    trial.told_in_flight = Some(500);
    let round = trial.controller.rounds.count;
    assert_eq!(next(&mut trial, 5.0), State::Down);
    assert_eq!(trial.controller.rounds.count, round + 4, "more than three later");
}

#[test]
fn case_5_up_ends_when_the_rate_grows_no_more() {
    let mut trial = in_state(line(1_000), State::Up);
    assert_eq!(next(&mut trial, 5.0), State::Down);
    assert!(trial.controller.growth.filled_now && trial.lost == 0);
}

#[test]
fn case_6_up_ends_with_losses_though_the_application_limits_it() {
    let mut trial = in_state(line(1_000), State::Up);
    trial.written_per_s = Some(400.0);
    assert!(!trial.run(0.3, |trial| trial.controller.state != State::Up));
    assert!(trial.was_limited);
    trial.loses_every = Some(10);
    assert!(matches!(next(&mut trial, 1.0), State::Down | State::Cruise));
    // What the application limits says nothing of how much is too much.
    assert!(trial.controller.search.too_high && trial.controller.long == NONE);
}

#[test]
fn case_7_what_the_application_limits_without_a_loss_goes_on() {
    let mut startup = line(1_000);
    startup.written_per_s = Some(300.0);
    assert!(!startup.run(4.9, |trial| trial.controller.state != State::Startup));
    let mut up = in_state(line(1_000), State::Up);
    up.written_per_s = Some(300.0);
    let left_s = 4.5 - up.controller.probe.recent_at.seconds();
    assert!(left_s > 1.0, "a search for the round trip comes first");
    assert!(!up.run(1.0, |trial| trial.controller.state != State::Up));
}

#[test]
fn case_8_down_ends_with_headroom_and_no_more_than_the_path_holds() {
    let mut trial = in_state(line(1_000), State::Down);
    assert_eq!(trial.controller.gains().0, 0.9);
    assert_eq!(next(&mut trial, 3.0), State::Cruise);
}

#[test]
fn case_9_down_that_never_drains_is_followed_by_refill() {
    let mut trial = in_state(line(1_000), State::Down);
    trial.segments_per_s *= 0.9;
    trial.told_in_flight = Some(500);
    let began = trial.now_ns;
    assert_eq!(next(&mut trial, 5.0), State::Refill);
    let waited_s = (trial.now_ns - began) as f64 / 1e9;
    assert!((1.0..3.1).contains(&waited_s), "{waited_s}");
}

#[test]
fn case_10_a_round_trip_is_searched_for_after_five_seconds() {
    let trial = in_state(line(1_000), State::Cruise);
    let mut trial = in_state(trial, State::RoundTrip);
    assert!(trial.now().seconds() >= 5.0 && trial.controller.gains().1 == 0.5);
    let began = trial.now_ns;
    assert_eq!(next(&mut trial, 2.0), State::Cruise);
    let lasted_ms = (trial.now_ns - began) / 1_000_000;
    assert!((200..500).contains(&lasted_ms), "{lasted_ms}");
    let held = trial.product();
    trial.run(0.5, |_| false);
    assert!(f64::from(trial.controller.window) > 1.5 * held, "{}", trial.controller.window);
}

#[test]
fn case_11_after_a_pause_no_round_trip_is_searched_for() {
    let mut trial = in_state(line(1_000), State::Cruise);
    // One segment a hundred seconds after the next is a pause.
    trial.written_per_s = Some(0.01);
    trial.run(6.0, |_| false);
    trial.written_per_s = Some(300.0);
    trial.resume();
    assert!(trial.run(1.0, |trial| trial.controller.probe.restarts));
    assert!(!trial.run(1.0, |trial| trial.controller.state == State::RoundTrip));
}

#[test]
fn case_12_startup_finds_the_rate_of_a_line_with_aggregation() {
    let mut trial = line(1_000);
    trial.bunch_ns = 20_000_000;
    let mut widest = 0;
    while next(&mut trial, 0.001) == State::Startup {
        widest = widest.max(trial.controller.window);
    }
    assert!(trial.controller.aggregation.greatest() > 0);
    assert!(f64::from(widest) > 2.0 * trial.product(), "{widest}");
    let found = trial.controller.greatest_rate();
    assert!(found > 0.95 * trial.segments_per_s, "{found}");
}

#[test]
fn case_13_cruise_uses_a_line_with_aggregation() {
    let mut trial = in_state(line(1_000), State::Cruise);
    trial.bunch_ns = 30_000_000;
    trial.run(1.0, |_| false);
    assert!(trial.controller.aggregation.greatest() >= 10);
    let before = trial.delivered;
    trial.run(2.0, |_| false);
    let share = (trial.delivered - before) as f64 / 2.0 / trial.segments_per_s;
    assert!(share > 0.95, "{share}");
}

#[test]
fn case_14_a_path_that_holds_less_than_a_segment_has_a_window_of_four() {
    // 64 kbit/s: a segment takes 187.5 ms.
    let mut trial = Line::new(Draft::new(&SETTINGS), 0.064, 20, 100);
    assert!(trial.run(120.0, |trial| trial.controller.state == State::Cruise));
    assert!(trial.controller.window >= 4);
    let pace = trial.controller.pace.rate().bits_per_second() as f64;
    assert!(is_near(pace, 64_000.0, 0.1), "{pace}");
    let before = trial.delivered;
    trial.run(60.0, |_| false);
    let share = (trial.delivered - before) as f64 / 60.0 / trial.segments_per_s;
    assert!(share > 0.9, "{share}");
}

#[test]
fn case_15_ten_times_the_rate_is_found_in_few_rounds() {
    // A buffer of a quarter of the product: the first search sets the long bound.
    let mut trial = line(8);
    assert!(
        trial.run(10.0, |trial| trial.controller.long != NONE && trial.controller.state == State::Cruise)
    );
    trial.segments_per_s *= 10.0;
    trial.buffer = 80;
    let mut steps = Vec::new();
    let mut rounds = 0;
    while !is_near(trial.controller.greatest_rate(), trial.segments_per_s, 0.1) && rounds < 1_000 {
        let (long, up) = (trial.controller.long, trial.controller.state == State::Up);
        let round = trial.controller.rounds.count;
        trial.run(2.0, |trial| trial.controller.rounds.count > round);
        if up && trial.controller.state == State::Up {
            steps.push(trial.controller.long - long);
        }
        rounds += 1;
    }
    // 333 segments from 33: nine doublings, and what it waits for before it searches.
    assert!(rounds < 150, "{rounds}");
    let doubles = |pair: &[u32]| pair[0] > 0 && pair[1] >= 2 * pair[0] - pair[0].div_ceil(4);
    assert!(steps.windows(2).filter(|pair| doubles(pair)).count() >= 3, "{steps:?}");
}

#[test]
fn case_16_a_tenth_of_the_rate_is_found_by_losses_and_then_by_two_cycles() {
    let mut trial = Line::new(Draft::new(&SETTINGS), 100.0, 40, 300);
    assert!(trial.run(10.0, |trial| trial.controller.state == State::Cruise));
    trial.segments_per_s /= 10.0;
    trial.buffer = 30;
    trial.run(1.5, |_| false);
    assert!(trial.controller.rate() < 3.0 * trial.segments_per_s, "{}", trial.controller.rate());
    trial.run(20.0, |_| false);
    assert!(is_near(trial.controller.greatest_rate(), trial.segments_per_s, 0.1));
}

#[test]
fn case_17_a_policer_is_followed_without_lasting_loss() {
    let mut trial = Line::new(Draft::new(&SETTINGS), 100.0, 40, 1_000);
    let tokens = 10e6 / 12_000.0;
    trial.policer = Some((tokens, 200.0));
    let mut short = false;
    for _ in 0..2_000 {
        trial.run(0.01, |_| false);
        short |= trial.controller.short != NONE && trial.controller.rate() < trial.controller.greatest_rate();
    }
    assert!(short, "bounds of the short term follow");
    let (delivered, lost) = (trial.delivered, trial.lost);
    trial.run(20.0, |_| false);
    let arrived = (trial.delivered - delivered) as f64;
    let share = f64::from(trial.lost - lost) / arrived;
    assert!(share < 0.1 && arrived > 0.8 * 20.0 * tokens, "{share} of {arrived}");
}

/// Up, where a recovery begins that was none; answers bounds and window of before, and the state after it.
fn mistaken(times_out: bool) -> (Trial, [u32; 3]) {
    let mut trial = line(8);
    assert!(
        trial.run(10.0, |trial| trial.controller.long != NONE && trial.controller.state == State::Cruise)
    );
    let mut trial = in_state(trial, State::Up);
    let now = trial.now();
    let controller = &mut trial.controller;
    let before = [controller.window, controller.short, controller.long];
    for place in 0..10 {
        controller.on_lost(&LostSegment {
            now,
            delivered_ever: controller.delivered,
            place,
            in_flight: 20,
            lost_since: place as u32 + 1,
            application_limited: false,
        });
    }
    assert_eq!(controller.state, State::Down);
    assert!(controller.long < before[2]);
    if times_out {
        controller.on_timeout(&Timeout { now, in_flight: 0, repeated: false });
        assert_eq!(controller.window, 1);
    } else {
        controller.on_loss(&Loss { now, in_flight: 20, reduced: false, repaired: false });
    }
    (trial, before)
}

#[test]
fn case_18_a_mistaken_recovery_leads_back_to_the_search() {
    let (mut trial, [window, short, long]) = mistaken(false);
    let controller = &mut trial.controller;
    controller.on_recovered(Recovered::Mistaken);
    assert_eq!(controller.state, State::Refill);
    assert!(controller.window >= window && controller.short >= short && controller.long >= long);
}

#[test]
fn case_19_a_mistaken_timeout_leads_back_to_the_search() {
    let (mut trial, [window, short, long]) = mistaken(true);
    let controller = &mut trial.controller;
    controller.on_recovered(Recovered::Mistaken);
    assert_eq!(controller.state, State::Refill);
    assert!(controller.window >= window && controller.short >= short && controller.long >= long);
}

#[test]
fn case_20_a_search_for_the_round_trip_in_startup_leads_back_to_it() {
    let mut trial = line(1_000);
    trial.written_per_s = Some(300.0);
    let mut trial = in_state(trial, State::RoundTrip);
    assert!(!trial.controller.growth.filled);
    assert_eq!(next(&mut trial, 2.0), State::Startup);
}

#[test]
fn case_21_losses_in_up_lower_the_long_bound_by_three_tenths_at_most() {
    let mut trial = line(8);
    assert!(
        trial.run(10.0, |trial| trial.controller.long != NONE && trial.controller.state == State::Cruise)
    );
    let mut trial = in_state(trial, State::Up);
    trial.loses_every = Some(5);
    let target = trial.controller.target();
    let long = trial.controller.long;
    assert_eq!(next(&mut trial, 2.0), State::Down);
    let after = trial.controller.long;
    assert!(after <= long.max(target) && f64::from(after) >= (0.7 * f64::from(target)).floor(), "{after}");
}

#[test]
fn case_22_a_pause_in_refill_lowers_no_rate() {
    let mut trial = in_state(line(1_000), State::Refill);
    let before = trial.controller.greatest_rate();
    trial.written_per_s = Some(100.0);
    assert_eq!(next(&mut trial, 2.0), State::Up);
    assert!(trial.controller.greatest_rate() >= before);
    trial.run(0.1, |_| false);
    assert!(trial.was_limited && trial.controller.greatest_rate() >= before);
}
