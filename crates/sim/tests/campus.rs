//! Users of Mah's model on the campus network of Christiansen, Jeffay, Ott, Smith (SIGCOMM 2000), without
//! congestion.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{numbers, real, table, whole, words};
use std::collections::BTreeMap;

const CAMPUS: &str = r#"
name = "campus"
duration_s = 500.0
warm_up_s = 20.0
[dumbbell]
rate_mbps = 100.0
browser_machines_per_side = 7
interface_rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 0
right = 700
model = { model = "mah" }
profile = "bsd228"
minimum_delay_ms = { low = 7, high = 137, per = "machine-pair", power = 0.806 }
[record]
queue_summary_interval_ms = 100.0
response_end = "connection_closed"
responses = "rows"
"#;

fn simulate(seed: u64, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(CAMPUS, "campus", &overrides).unwrap();
    run(&scenario, seed, &Control::default()).unwrap()
}

/// Response times in seconds of each user, in order of their ends.
fn response_times(output: &Output) -> BTreeMap<u32, Vec<f64>> {
    let responses = table(output, "responses");
    let (user, time) = (words(responses, "user"), real(responses, "response_time_s"));
    let mut of_users: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (&user, &time) in user.iter().zip(time) {
        of_users.entry(user).or_default().push(time);
    }
    of_users
}

#[test]
fn the_close_comes_after_the_last_byte_and_changes_nothing_else() {
    // One connection at a time and nothing cut at the start, so that the n-th response of a user is the same
    // exchange.
    let one_at_a_time = [("users.model.parallel_connections", "1"), ("warm_up_s", "0")];
    let last_byte = [one_at_a_time[0], one_at_a_time[1], ("record.response_end", "last_byte")];
    let (closed, bytes) = (simulate(3, &one_at_a_time), simulate(3, &last_byte));
    assert_eq!(
        format!("{:?}", closed.summary.links),
        format!("{:?}", bytes.summary.links),
        "when a response time ends is nothing to the network"
    );
    let (closed, bytes) = (response_times(&closed), response_times(&bytes));
    let (mut later, mut all) = (0, 0);
    for (user, closed) in &closed {
        let bytes = &bytes[user];
        // An exchange whose last byte came before the end of the run and whose close did not is one of the
        // others'.
        assert!(bytes.len() - closed.len() <= 1);
        for (closed, last_byte) in closed.iter().zip(bytes) {
            assert!(closed >= last_byte, "{closed} before {last_byte}");
            later += u32::from(closed > last_byte);
            all += 1;
        }
    }
    assert!(later > 0 && later < all && all > 5_000, "{later} of {all}");
}

#[test]
fn an_uncongested_campus_looks_as_the_paper_says() {
    let output = simulate(1, &[]);
    let population = &output.summary.populations[1];
    assert_eq!((population.failed, output.summary.tcp.timeouts), (0, 0));
    // Section 4: the mean datagram of responses is just over 1,000 bytes.
    let departed = output.summary.links[0].counters.departed;
    let mean_bytes = departed.bytes as f64 / departed.packets as f64;
    assert!(mean_bytes > 1_000.0 && mean_bytes < 1_100.0, "{mean_bytes}");
}

/// The share of responses within 500 ms, mean and standard deviation over seeds.
fn share_within_500_ms(overrides: &[(&str, &str)]) -> (f64, f64) {
    const SEEDS: u64 = 5;
    let shares: Vec<f64> = (1..=SEEDS)
        .map(|seed| {
            let times = numbers(table(&simulate(seed, overrides), "responses"), "response_time_s");
            times.iter().filter(|&&time| time <= 0.5).count() as f64 / times.len() as f64
        })
        .collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let squares: f64 = shares.iter().map(|share| (share - mean) * (share - mean)).sum();
    (mean, (squares / (shares.len() - 1) as f64).sqrt())
}

#[test]
fn the_published_share_within_500_ms_lies_between_two_readings_of_the_hosts() {
    // Section 3.4 and figure 6: "about 90 %"; a share of table 3 is held to three points.
    const PUBLISHED: f64 = 0.90;
    const TOLERANCE: f64 = 0.03;
    let uncut = ("users.host.small_write_split", "false");
    let whole = ("users.host.cluster_writes", "false");
    // Three readings of the socket layer, each of which makes fewer responses wait for a delayed
    // acknowledgement: short writes cut after 100 bytes, as the stack does; writes in clusters of 2,048
    // bytes, as the experiment has them; whole writes.
    let (cut, _) = share_within_500_ms(&[]);
    let (clusters, scatter) = share_within_500_ms(&[uncut]);
    let (whole, _) = share_within_500_ms(&[uncut, whole]);
    assert!(cut < clusters && clusters < PUBLISHED && PUBLISHED < whole, "{cut} {clusters} {whole}");
    assert!(whole - PUBLISHED < TOLERANCE, "{whole}");
    // A known gap: the experiment's reading is three points short, by no more than runs scatter beyond the
    // tolerance; the clusters are its cause. The stack's own cut of short writes is out of reach: the
    // experiment switches it off.
    assert!(PUBLISHED - clusters < TOLERANCE + scatter, "{clusters}, of which runs scatter by {scatter}");
    assert!(PUBLISHED - cut > TOLERANCE + 3.0 * scatter, "{cut}");
}

#[test]
fn every_pair_of_machines_has_its_own_delay_and_no_connection_is_faster() {
    // Pairs have delays of at least 30 ms; connect and request take a round trip each.
    let output = simulate(2, &[("users.minimum_delay_ms.low", "30")]);
    let times = real(table(&output, "responses"), "response_time_s");
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((0.060..0.064).contains(&least), "{least}");
}

#[test]
fn queue_summaries_cover_every_interval_and_every_packet() {
    let output = simulate(1, &[("dumbbell.rate_mbps", "1.5"), ("duration_s", "60")]);
    let summary = table(&output, "queue_summary");
    let (time, link) = (real(summary, "time_s"), whole(summary, "link"));
    let samples = numbers(summary, "samples");
    let minimum = numbers(summary, "minimum_packets");
    let maximum = numbers(summary, "maximum_packets");
    let (mean, variance) = (numbers(summary, "mean_packets"), numbers(summary, "variance_packets2"));
    assert_eq!(time.len(), 2 * 600);
    for row in 0..time.len() {
        assert!((time[row] - 0.1 * (row / 2 + 1) as f64).abs() < 1e-9);
        assert_eq!(link[row], (row % 2) as u64);
        // 100 ms hold 33 or 34 multiples of 3 ms.
        assert!(samples[row] == 33.0 || samples[row] == 34.0);
        assert!(minimum[row] <= mean[row] && mean[row] <= maximum[row]);
        let half_range = (maximum[row] - minimum[row]) / 2.0;
        assert!(variance[row] >= 0.0 && variance[row] <= half_range * half_range + 1e-3, "Popoviciu's bound");
    }
    assert!(maximum.contains(&50.0), "a full queue is seen");
    let sent: f64 = numbers(summary, "sent_packets").iter().sum();
    let by_link: f64 = numbers(table(&output, "link"), "packets").iter().sum();
    assert_eq!(sent, by_link);
    assert!(numbers(summary, "discarded_packets").iter().sum::<f64>() > 0.0);
}
