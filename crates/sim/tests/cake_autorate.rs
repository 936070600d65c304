//! Shapers that follow a line by cake-autorate's rule, in whole runs.

use aqmlab_record::ShaperSummary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, Simulation, run};
use aqmlab_units::{Span, Time};

/// A line of 20 Mbit/s, at which every packet counts its IP length, and a home that downloads.
const HOME: &str = r#"
name = "home"
duration_s = 60.0
warm_up_s = 20.0
[line]
technology = "other"
LINE
delay_ms = 10.0
shaped_share_down = 0.8
shaped_share_up = 0.8
[[flows]]
name = "download"
count = 4
direction = "down"
profile = "linux6-cubic"
[[datagrams]]
name = "probe"
count = 1
senders = "internet"
receivers = "computer"
packet_bytes = 200
rate_mbps = 0.05
"#;

fn read(line: &str) -> Scenario {
    let text = HOME.replace("LINE", line);
    Scenario::from_toml(&text, "home.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(line: &str) -> Output {
    run(&read(line), 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn down(output: &Output) -> &ShaperSummary {
    output.summary.shapers.iter().find(|shaper| shaper.link == "router-down").expect("a shaper that follows")
}

/// Packets that waited at the provider's, on average.
fn waiting_at_provider(output: &Output) -> f64 {
    output.summary.links.iter().find(|link| link.name == "down").map(|link| link.queue_packets_mean).unwrap()
}

/// Where the line is faster than the highest rate of the shaper, no response is ever late: under a full load
/// the shaper rises to that rate and stays there.
#[test]
fn without_delay_a_loaded_shaper_rises_to_its_maximum() {
    let output = simulate("down_mbps = 20.0\nup_mbps = 20.0\ncake_autorate = { maximum_share = 0.95 }");
    let &ShaperSummary { mean_mbps, minimum_mbps, maximum_mbps, .. } = down(&output);
    assert_eq!((mean_mbps.round(), minimum_mbps, maximum_mbps), (19.0, 19.0, 19.0));
    let up = &output.summary.shapers[1];
    assert_eq!((up.link.as_str(), up.mean_mbps.round(), up.changes), ("router-up", 16.0, 0));
}

/// A line that falls to half: the shaper comes down with it, and what waited at the provider's waits in the
/// router.
#[test]
fn a_line_that_falls_takes_the_shaper_with_it() {
    let rows = "conditions_file = \"line.csv\"\nconditions_end = \"hold\"";
    let files = "\n[files]\n\"line.csv\" = \"t_s,down_mbps,up_mbps\\n0,20,20\\n10,10,20\\n20,10,20\\n\"";
    let text = |own: &str| HOME.replace("LINE", &format!("{rows}\n{own}")) + files;
    let finish = |text: &str| {
        let scenario = Scenario::from_toml(text, "home.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
    };
    // The mean is 40/3 Mbit/s, of which 0.8 are above the ten that are left.
    let followed = finish(&text("cake_autorate = {}"));
    let fixed = finish(&text(""));
    let shaper = down(&followed);
    assert!(shaper.minimum_mbps < 10.0, "the provider's queue is emptied: {shaper:?}");
    let [with, without] = [&followed, &fixed].map(waiting_at_provider);
    assert!(with < without / 2.0, "{with} packets instead of {without}");
}

/// Pings are nobody's traffic: the tables are of the same groups, and a run in steps is the same run.
#[test]
fn a_run_is_the_same_again_and_in_steps() {
    let line = "down_mbps = 20.0\nup_mbps = 20.0\nmedium_down = { varying_rate = { coefficient_of_variation = 0.3, correlation_time_s = 5.0 } }\n\
                cake_autorate = { measures = \"one-way\" }";
    let scenario = read(line);
    let [once, again] = [(); 2].map(|()| simulate(line));
    assert_eq!(format!("{:?}", once.tables), format!("{:?}", again.tables));
    assert!(down(&once).changes > 100);
    let control = Control::default();
    let mut simulation = Simulation::new(&scenario, 1, &control).unwrap_or_else(|error| panic!("{error}"));
    while simulation.now() < simulation.end() {
        let next: Time = simulation.now() + Span::from_milliseconds(700);
        simulation.advance_until(next, &control).unwrap_or_else(|error| panic!("{error}"));
    }
    let stepped = simulation.finish(&control).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(format!("{:?}", once.tables), format!("{:?}", stepped.tables));
    assert_eq!(format!("{:?}", once.summary.shapers), format!("{:?}", stepped.summary.shapers));
    assert!(once.summary.invariants.iter().all(|invariant| invariant.holds));
}
