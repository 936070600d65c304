//! The same scenario and seed give the same bytes; demand does not depend on the queue.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, table, whole, words};
use std::collections::BTreeMap;

const BROWSING: &str = r#"
name = "browsing"
duration_s = 40.0
warm_up_s = 5.0
[dumbbell]
rate_mbps = 5.0
queue = { scheme = "red", limit_packets = 100, min_th_packets = 5.0, max_th_packets = 15.0 }
[users]
per_side = 450
[record]
responses = "rows"
packets = true
"#;

fn simulate(seed: u64, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(BROWSING, "browsing", &overrides).unwrap();
    run(&scenario, seed, &Control::default()).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_any_thread() {
    let alone = simulate(7, &[]);
    let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(|| simulate(7, &[]))).collect();
    for thread in threads {
        let beside = thread.join().unwrap();
        assert_eq!(alone.summary.to_json(), beside.summary.to_json());
        assert_eq!(alone.tables, beside.tables);
    }
    assert!(alone.summary.links[0].loss_ratio > 0.0, "a run without a loss would prove little");
}

#[test]
fn another_seed_gives_another_run() {
    assert_ne!(simulate(7, &[]).tables, simulate(8, &[]).tables);
}

#[test]
fn a_queue_that_marks_and_hosts_without_ecn_are_warned_about() {
    let queue =
        "{ scheme = \"red\", limit_packets = 100, min_th_packets = 5.0, max_th_packets = 15.0, ecn = true }";
    let warned = |overrides: &[(&str, &str)]| {
        let warnings = simulate(7, overrides).summary.warnings;
        warnings.iter().any(|warning| warning.contains("no ECN-capable packet arrived"))
    };
    assert!(warned(&[("dumbbell.queue", queue)]));
    assert!(!warned(&[("dumbbell.queue", queue), ("users.host.ecn", "on")]));
    assert!(!warned(&[]));
}

/// Sizes of the pages (top-level objects) each user fetched, in order.
fn pages(output: &Output) -> BTreeMap<(String, u32), Vec<u64>> {
    let responses = table(output, "responses");
    let (population, user) = (labels(responses, "population"), words(responses, "user"));
    let (object, size) = (labels(responses, "object"), whole(responses, "response_bytes"));
    let mut pages: BTreeMap<(String, u32), Vec<u64>> = BTreeMap::new();
    for row in (0..size.len()).filter(|&row| object[row] == "page") {
        pages.entry((population[row].to_owned(), user[row])).or_default().push(size[row]);
    }
    pages
}

#[test]
fn users_ask_for_the_same_pages_whatever_the_queue_does() {
    let red = pages(&simulate(3, &[("warm_up_s", "0.0")]));
    let fifo = [("warm_up_s", "0.0"), ("dumbbell.queue", "{ scheme = \"drop-tail\", limit_packets = 20 }")];
    let drop_tail = pages(&simulate(3, &fifo));
    let mut compared = 0;
    for (user, under_red) in &red {
        let Some(under_drop_tail) = drop_tail.get(user) else { continue };
        let common = under_red.len().min(under_drop_tail.len());
        assert_eq!(under_red[..common], under_drop_tail[..common], "user {user:?}");
        compared += common;
    }
    assert!(compared > 500, "only {compared} pages were fetched under both");
    assert_ne!(red, drop_tail, "congestion changes when, so some users get further");
}

#[test]
fn one_more_user_changes_no_other_user() {
    let fewer = pages(&simulate(5, &[("warm_up_s", "0.0"), ("dumbbell.rate_mbps", "1000.0")]));
    let one_more = [("warm_up_s", "0.0"), ("dumbbell.rate_mbps", "1000.0"), ("users.per_side", "451")];
    let mut more = pages(&simulate(5, &one_more));
    more.retain(|(_, user), _| *user < 450);
    assert_eq!(fewer, more);
}
