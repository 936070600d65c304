//! What can make a live run wrong without a word, measured: how late the router was, what the kernel dropped,
//! how far a probe's round trip was from what it should have been.

use crate::hosts::seen::HostsSeen;
use crate::kernel_queue::Counted;
use crate::lateness::Lateness;
use crate::packet::headers::Refusal;
use crate::program::Ran;
use aqmlab_units::{Span, Time};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;

/// The limits of a valid run, in milliseconds.
const LATENESS_P99_MS: f64 = 0.5;
const LATENESS_P99_9_MS: f64 = 5.0;
const PROBE_ERROR_P50_MS: f64 = 0.5;

/// What a probe would take if machines took no time: the router's delay, there and back.
const PROBE_NOMINAL: Span = Span::from_milliseconds(20);

/// Round trips of probes, past all queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probes {
    pub(crate) sent: u64,
    errors_ns: Vec<u32>,
}

impl Probes {
    /// A probe came back.
    pub(crate) fn hear(&mut self, sent: Time, now: Time) {
        let error = (now - sent).saturating_sub(PROBE_NOMINAL);
        self.errors_ns.push(u32::try_from(error.nanoseconds()).unwrap_or(u32::MAX));
    }
}

/// Quantiles of a time that should be zero, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Delays {
    /// How many there are.
    pub count: u64,
    /// Median.
    pub p50_ms: f64,
    /// 99 % are below.
    pub p99_ms: f64,
    /// 99.9 % are below.
    pub p99_9_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Delays {
    fn of(mut nanoseconds: Vec<u32>) -> Self {
        nanoseconds.sort_unstable();
        let at = |per_mille: usize| {
            let place = (nanoseconds.len() * per_mille).div_ceil(1000).max(1) - 1;
            nanoseconds.get(place).map_or(0.0, |&ns| f64::from(ns) / 1e6)
        };
        Self {
            count: nanoseconds.len() as u64,
            p50_ms: at(500),
            p99_ms: at(990),
            p99_9_ms: at(999),
            max_ms: at(1000),
        }
    }
}

/// The audit of a live run.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// `valid` or `suspect`.
    pub verdict: &'static str,
    /// Why it is suspect.
    pub reasons: Vec<String>,
    /// How late packets were handed over.
    pub lateness: Delays,
    /// The longest time that the router was away, in milliseconds.
    pub longest_stall_ms: f64,
    /// By how much probes took longer than the router delayed them.
    pub probe_error: Delays,
    /// Probes that never came back.
    pub probes_lost: u64,
    /// Time that the hypervisor took from this machine, over all cores, in milliseconds.
    pub stolen_ms: u64,
    /// Packets that devices dropped because the router was late.
    pub device_drops: u64,
    /// Packets that could not be handed over.
    pub write_errors: u64,
    /// Connections and datagrams that the system refused to begin.
    pub refused_openings: u64,
    /// Connections that servers' queues of new ones had no room for.
    pub listen_overflows: u64,
    /// Packets that hosts threw away for a wrong checksum.
    pub checksum_errors: u64,
    /// Packets that the router refused, by reason.
    pub refused_packets: BTreeMap<&'static str, u64>,
    /// Packets of connections that nobody had registered.
    pub unregistered_packets: u64,
    /// How the router and the applications were scheduled.
    pub scheduling: String,
    /// How packets came to the router.
    pub backend: &'static str,
    /// Host settings of the kernel.
    pub hosts: &'static str,
    /// Whether the hosts negotiate ECN.
    pub ecn: bool,
    /// The largest windows that were announced by those who open connections and by those who answer, in
    /// bytes.
    pub largest_windows_bytes: [u32; 2],
    /// Most segments that an end sent before it had heard of any, of the same.
    pub first_flights_segments: [u16; 2],
    /// SYN segments of those who open connections.
    pub syns: u64,
    /// Those of them that ask for ECN.
    pub ecn_syns: u64,
    /// Segments of data that an end sent twice in a row.
    pub repeats: u64,
    /// The shortest time between the two, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_repeat_ms: Option<f64>,
    /// Version of the kernel.
    pub kernel: String,
    /// What its queue disciplines counted, where the queues are theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kernel_queues: Vec<Counted>,
    /// What became of a program of the user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Ran>,
}

/// What the audit is made of.
pub(crate) struct Findings {
    pub(crate) lateness: Lateness,
    pub(crate) probes: Probes,
    pub(crate) stolen_ms: u64,
    pub(crate) device_drops: u64,
    pub(crate) write_errors: u64,
    pub(crate) refused_openings: u64,
    pub(crate) listen_overflows: u64,
    pub(crate) checksum_errors: u64,
    pub(crate) refused: [u64; Refusal::COUNT],
    pub(crate) unregistered: u64,
    pub(crate) scheduling: String,
    pub(crate) hosts: crate::HostSettings,
    pub(crate) backend: crate::Backend,
    pub(crate) ecn: bool,
    pub(crate) seen: HostsSeen,
    pub(crate) kernel_queues: Vec<Counted>,
}

impl Audit {
    pub(crate) fn of(findings: Findings) -> Self {
        let Findings { lateness, probes, seen, .. } = findings;
        let came_back = probes.errors_ns.len() as u64;
        // The last ones may still be under way.
        let probes_lost = probes.sent.saturating_sub(came_back + 1);
        let mut audit = Self {
            verdict: "valid",
            reasons: Vec::new(),
            longest_stall_ms: lateness.longest_stall.seconds() * 1e3,
            lateness: Delays::of(lateness.late_ns),
            probe_error: Delays::of(probes.errors_ns),
            probes_lost,
            stolen_ms: findings.stolen_ms,
            device_drops: findings.device_drops,
            write_errors: findings.write_errors,
            refused_openings: findings.refused_openings,
            listen_overflows: findings.listen_overflows,
            checksum_errors: findings.checksum_errors,
            refused_packets: Refusal::NAMES
                .into_iter()
                .zip(findings.refused)
                .filter(|(_, count)| *count > 0)
                .collect(),
            unregistered_packets: findings.unregistered,
            scheduling: findings.scheduling,
            backend: findings.backend.name(),
            hosts: findings.hosts.name(),
            ecn: findings.ecn,
            largest_windows_bytes: seen.largest_windows,
            first_flights_segments: seen.first_flights,
            syns: seen.syns,
            ecn_syns: seen.ecn_syns,
            repeats: seen.repeats.count,
            shortest_repeat_ms: seen.repeats.shortest.map(|after| after.seconds() * 1e3),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
            kernel_queues: findings.kernel_queues,
            program: None,
        };
        let mut others = findings.hosts.differences(findings.ecn, &seen);
        others.extend(audit.kernel_queues.iter().filter_map(Counted::difference));
        audit.judge(others);
        audit
    }

    fn judge(&mut self, others: Vec<String>) {
        let mut reasons = Vec::new();
        let mut above = |what: &str, found: f64, limit: f64| {
            if found >= limit {
                reasons.push(format!("{what} {found:.2} ms, at most {limit} ms"));
            }
        };
        above("99 % of the packets were delivered within", self.lateness.p99_ms, LATENESS_P99_MS);
        above("99.9 % of the packets were delivered within", self.lateness.p99_9_ms, LATENESS_P99_9_MS);
        above("median extra delay of probes", self.probe_error.p50_ms, PROBE_ERROR_P50_MS);
        for (what, count) in [
            ("packets dropped by a device because the router was late", self.device_drops),
            ("packets that could not be delivered", self.write_errors),
            ("connections or datagrams that the system refused", self.refused_openings),
            ("new connections refused by a full server", self.listen_overflows),
            ("packets whose checksum was wrong", self.checksum_errors),
            ("packets of unregistered connections", self.unregistered_packets),
        ] {
            if count > 0 {
                reasons.push(format!("{count} {what}"));
            }
        }
        if self.probe_error.count == 0 {
            reasons.push("no probe came back".to_owned());
        }
        reasons.extend(others);
        if !reasons.is_empty() {
            self.verdict = "suspect";
        }
        self.reasons = reasons;
    }
}

/// Time that the hypervisor has taken from this machine since it started, in milliseconds.
pub(crate) fn stolen_ms() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let total = text.lines().next().unwrap_or_default();
    // cpu user nice system idle iowait irq softirq steal, in hundredths of a second.
    total.split_whitespace().nth(8).and_then(|steal| steal.parse::<u64>().ok()).unwrap_or(0) * 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_times() {
        let delays = Delays::of((1..=1000).rev().map(|ms| ms * 1_000_000).collect());
        let expected = Delays { count: 1000, p50_ms: 500.0, p99_ms: 990.0, p99_9_ms: 999.0, max_ms: 1000.0 };
        assert_eq!(delays, expected);
        assert_eq!(Delays::of(Vec::new()), Delays::default());
    }
}
