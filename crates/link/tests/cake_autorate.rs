//! Our rule of cake-autorate, given what the script itself heard: the rates are those that it set.
//!
//! `python -m tests.crosscheck.autorate` has run the script with the configuration that `aqmlab sqm` prints,
//! on a line whose rate varies; `cake_autorate.txt` is what it heard and did. It counts in whole kbit/s,
//! microseconds and thousandths of a step, and ours in fractions: that may add up to `TOLERANCE`.

use aqmlab_link::{Autorate, CakeAutorate, FollowedRates};
use aqmlab_units::{Rate, Span, Time};

const RECORDED: &str = include_str!("cake_autorate.txt");
/// The largest difference of a rate, as a share of it.
const TOLERANCE: f64 = 0.01;

/// The number that the printed configuration has for a key, in kbit/s.
fn printed(key: &str) -> Rate {
    let line =
        RECORDED.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix('='));
    Rate::from_bits_per_second(1_000 * line.expect(key).parse::<u64>().expect("whole kbit/s"))
}

fn limits(way: &str) -> FollowedRates {
    let of = |which: &str| printed(&format!("{which}_{way}_shaper_rate_kbps"));
    FollowedRates { base: of("base"), minimum: of("min"), maximum: of("max"), full_packet_bytes: 1_500 }
}

#[test]
fn the_rates_are_those_of_the_script() {
    let parameters: CakeAutorate = serde_json::from_str("{}").unwrap();
    let mut ours = Autorate::new(parameters, [limits("dl"), limits("ul")]);
    let (mut responses, mut moves) = (0, [0, 0]);
    let mut before = [0.0; 2];
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "|").collect();
        let numbers: Vec<u64> = words[1..].iter().map(|word| word.parse().expect("a whole number")).collect();
        if words[0] == "load" {
            ours.on_load([numbers[1], numbers[2]].map(|kbps| kbps as f64 * 1e3));
            continue;
        }
        let [down, up] = [numbers[2], numbers[3]].map(Span::from_microseconds);
        let now = Time::ZERO + Span::from_microseconds(numbers[0]);
        ours.on_response(now, usize::try_from(numbers[1]).unwrap(), [down, up]);
        responses += 1;
        for (way, (rate, theirs)) in ours.rates().into_iter().zip(&numbers[4..6]).enumerate() {
            let (rate, theirs) = (rate.bits_per_second() as f64 / 1e3, *theirs as f64);
            moves[way] += usize::from(before[way] != theirs);
            before[way] = theirs;
            let away = (rate / theirs - 1.0).abs();
            assert!(away < TOLERANCE, "{line}: {rate} kbit/s, way {way}, after {responses} responses");
        }
    }
    assert!(responses > 1_000 && moves.iter().all(|count| *count > 50), "{responses} {moves:?}");
}
