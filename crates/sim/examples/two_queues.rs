//! A download over a home's line behind two queues, on the same seed: how long do its packets wait?
//! `cargo run --package aqmlab-sim --example two_queues`
#![allow(clippy::print_stdout, reason = "an example prints")]

use aqmlab_sim::{Control, Scenario, run};
use std::error::Error;

const HOME: &str = r#"
name = "home"
duration_s = 30.0
[dumbbell]
rate_mbps = 20.0
queue = { scheme = "drop-tail", limit_packets = 256 }
[[flows]]
name = "download"
count = 1
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"
"#;

fn mean_wait_ms(scheme: &str, seed: u64) -> Result<f64, Box<dyn Error>> {
    let queue = ("dumbbell.queue.scheme".to_owned(), scheme.to_owned());
    let scenario = Scenario::from_toml(HOME, "home.toml", &[queue])?;
    let output = run(&scenario, seed, &Control::default())?;
    Ok(1000.0 * output.summary.links[0].wait_mean_s.ok_or("no packet left the queue")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    for scheme in ["drop-tail", "fq-codel"] {
        println!("{scheme}: packets wait {:.1} ms", mean_wait_ms(scheme, 1)?);
    }
    Ok(())
}
