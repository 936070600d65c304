//! The bottleneck of random dumbbells, beside the reference that every driver of a link is compared with.

mod columns;

use aqmlab_driver::key_of_service;
use aqmlab_link::conformance::{Arrival, Case, Observed, check};
use aqmlab_random::{Key, Stream};
use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use aqmlab_units::Time;
use columns::{names, real, table, words};

const DURATION_S: f64 = 6.0;

/// Three groups of datagrams that fill the link and let it run empty.
fn traffic(case: &Case, dice: &mut Stream) -> String {
    let rate_mbps = case.rate.bits_per_second() as f64 / 1e6;
    let group = |_| {
        let share = 0.2 + 0.8 * dice.uniform();
        format!(
            "[[datagrams]]\ncount = 2\ndirection = \"left-to-right\"\npacket_bytes = {}\nrate_mbps = {:.6}\n\
             on_s = {:.3}\noff_s = {:.3}\n",
            28 + dice.below(1_473),
            rate_mbps * share,
            0.05 + 0.3 * dice.uniform(),
            0.05 + 0.3 * dice.uniform(),
        )
    };
    (0..3).map(group).collect()
}

fn seen(packets: &Table) -> Vec<Observed> {
    let (times, bytes) = (real(packets, "time_s"), words(packets, "ip_bytes"));
    let (events, links) = (names(packets, "event"), names(packets, "link"));
    let bottleneck = links.names().iter().position(|name| name == "left-to-right").unwrap();
    let rows = (0..times.len()).filter(|&row| links.codes()[row] as usize == bottleneck);
    rows.map(|row| {
        let at = Time::from_seconds(times[row]);
        match events.names()[events.codes()[row] as usize].as_str() {
            "arrival" => Observed::Arrival(Arrival { at, ip_bytes: bytes[row] }),
            "departure" => Observed::Departure(at),
            _ => Observed::Overflow,
        }
    })
    .collect()
}

#[test]
fn the_simulator_sends_and_refuses_what_the_reference_of_links_does() {
    let (mut came, mut lost) = (0, 0);
    for seed in 0..60 {
        let mut dice = Key::from_seed(seed).stream();
        let mut case = Case::drawn(&mut dice);
        let text = format!(
            "duration_s = {DURATION_S}\n{}interface_rate_mbps = 1000.0\n{}[record]\npackets = true\n",
            case.scenario_text(),
            traffic(&case, &mut dice)
        );
        let scenario = Scenario::from_toml(&text, "case", &[]).unwrap_or_else(|error| panic!("{error}"));
        case.key = key_of_service(&scenario.network.links[0], Key::from_seed(seed));
        let output = run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let packets = table(&output, "packets");
        let seen = seen(packets);
        let until = Time::from_seconds(DURATION_S);
        came += check(&case, &seen, until).unwrap_or_else(|wrong| panic!("{wrong}"));
        lost += seen.iter().filter(|event| **event == Observed::Overflow).count();
    }
    assert!(came > 20_000 && lost > came / 20, "{lost} of {came}");
}
