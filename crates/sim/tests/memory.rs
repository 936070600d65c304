//! The estimate of a run's memory beside what the kernel counts: each case runs in a process of its own.
#![cfg(target_os = "linux")]

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, memory_estimate, run};
use std::process::Command;

const CASE: &str = "AQMLAB_MEMORY_CASE";

/// Name, users a side, flows, keys of `[record]`.
const CASES: [(&str, u32, u32, &str); 16] = [
    ("many users, histograms alone", 100_000, 0, "responses = \"histogram\""),
    ("many users, rows of exchanges", 40_000, 0, "responses = \"rows\""),
    ("users, rows of connections and users", 20_000, 0, "responses = \"rows\"\nflows = true\nusers = true"),
    ("flows, every packet", 1, 50, "responses = \"none\"\npackets = true"),
    ("many flows", 1, 20_000, "responses = \"none\""),
    ("close samples", 1, 5, "responses = \"none\"\nqueue_interval_ms = 0.02\narrivals = true"),
    (MANY_QUEUES, 10, 1, "responses = \"none\""),
    ("today's pages, histograms alone", 500, 0, "responses = \"histogram\""),
    ("today's pages of many users, histograms alone", 5_000, 0, "responses = \"histogram\""),
    ("today's pages, rows of exchanges and connections", 2_000, 0, "responses = \"rows\"\nflows = true"),
    ("today's pages on a slow line, histograms alone", 2_000, 0, "responses = \"histogram\""),
    ("today's pages over HTTP/1.1, histograms alone", 2_000, 0, "responses = \"histogram\""),
    ("PackMime's clouds, histograms alone", 40, 0, "responses = \"histogram\""),
    ("many of PackMime's clouds, histograms alone", 150, 0, "responses = \"histogram\""),
    ("PackMime's clouds, rows of exchanges and connections", 40, 0, "responses = \"rows\"\nflows = true"),
    ("PackMime's clouds of many connections, histograms alone", 2, 0, "responses = \"histogram\""),
];

/// The case whose links have as many queues as there can be.
const MANY_QUEUES: &str = "queues for flows";

fn scenario(case: usize) -> Scenario {
    let (name, users, flows, record) = CASES[case];
    let scheme = if name == MANY_QUEUES { "fq-codel\", flows = 65536" } else { "drop-tail\"" };
    // What 9,520 users a side ask for is 100 Mbit/s; of today's pages each user asks for 0.7.
    let pages = name.contains("today's pages");
    // A connection of a cloud brings some 8.4 kB.
    let cloud_hz = if name.contains("many connections") { 1_000.0 } else { 20.0 };
    let of_user = if name.contains("slow line") {
        0.2
    } else if pages {
        0.7
    } else if name.contains("PackMime") {
        cloud_hz * 0.0672
    } else {
        100.0 / 9_520.0
    };
    let demanded = f64::from(users) * of_user;
    let rate = (demanded / 0.9).max(100.0);
    let model = match (pages, name.contains("HTTP/1.1")) {
        (false, _) if name.contains("PackMime") => {
            format!(
                "model = {{ model = \"packmime\", connections_per_second = {cloud_hz:?} }}\nprofile = \"ns2-full\"\n"
            )
        }
        (false, _) => String::new(),
        (true, true) => "model = { model = \"pages\", http = \"1.1\" }\nprofile = \"rfc5681\"\n".to_owned(),
        (true, false) => "model = { model = \"pages\" }\nprofile = \"rfc5681\"\n".to_owned(),
    };
    let flows = if flows == 0 {
        String::new()
    } else {
        format!("[[flows]]\ndirection = \"left-to-right\"\ncount = {flows}\nbase_rtt_ms = 60.0\n")
    };
    let text = format!(
        "name = \"memory\"\nduration_s = 20.0\n[dumbbell]\nrate_mbps = {rate}\ninterface_rate_mbps = 1000.0\n\
         queue = {{ scheme = \"{scheme}, limit_packets = 500 }}\n[users]\nper_side = {users}\n{model}{flows}\n[record]\n{record}\n"
    );
    Scenario::from_toml(&text, "memory", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Peak resident memory of this process.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0
}

#[test]
#[ignore = "a part of the test below, in a process of its own"]
#[allow(clippy::disallowed_methods, clippy::print_stdout)]
fn one_run() {
    // Named by the test below; tests that are ignored are also run all together.
    let Ok(case) = std::env::var(CASE) else { return };
    let case = case.parse().unwrap();
    let output = run(&scenario(case), 1, &Control::default()).unwrap();
    let people = &output.summary.populations[0];
    println!("peak {} {} {}", peak_bytes(), people.completed, output.summary.tcp.connections);
}

#[test]
#[ignore = "exhaustive"]
fn a_run_takes_about_the_memory_that_was_estimated() {
    let mut report = String::new();
    let mut wrong = false;
    for (case, (name, ..)) in CASES.iter().enumerate() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "one_run", "--ignored", "--nocapture"])
            .env(CASE, case.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8(child.stdout).unwrap();
        let line = said.lines().find(|line| line.contains("peak ")).unwrap_or_else(|| panic!("{said}"));
        let words: Vec<&str> = line.split("peak ").nth(1).unwrap().split_whitespace().collect();
        let measured: f64 = words[0].parse().unwrap();
        let estimated = memory_estimate(&scenario(case));
        let ratio = estimated / measured;
        wrong |= !(0.67..=2.0).contains(&ratio);
        report += &format!(
            "{name}: estimated {:.1} MiB, measured {:.1} MiB, ratio {ratio:.2} (completed, connections: {:?})\n",
            estimated / 1048576.0,
            measured / 1048576.0,
            &words[1..]
        );
    }
    assert!(!wrong, "\n{report}");
}
