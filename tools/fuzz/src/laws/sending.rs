//! A law of what senders with proportional rate reduction bring to a link, from `run.json` alone.
//!
//! A sender may have as many segments in the network as its window; what room there is in the window, it
//! fills. What makes room:
//!
//! - a segment that arrives makes one, and lets the window grow by one at most (RFC 5681 section 3.1, RFC
//!   9438 section 4), and what it says may be answered with a probe (RFC 8985 section 7);
//! - a reduction leaves β times the window, which is filled where more than the rest of it was lost. Growth
//!   of one is room once for every reduction after it, β + β² + … = β / (1 − β) in all;
//! - the beginning of a connection makes an initial window, at either end;
//! - a reduction or a timeout leaves two segments at the least (RFC 5681 equation 4), and one leaves at once.
//!
//! What is lost makes none: a recovery lets out what arrives (RFC 9937). Every segment that arrives has
//! departed from each link on its way. So a sender that answers losses cannot bring many times what departs
//! to a link, however much is lost; one that takes its reductions back does.

use super::Broken;
use aqmlab_record::Summary;
use aqmlab_scenario::{HostProfile, Scenario, StartRule};

/// The greatest β of these senders: that of CUBIC (RFC 9438 section 4.6), in Linux's 1,024ths.
const BETA: f64 = 717.0 / 1024.0;
/// Segments that one that arrives lets out: itself, growth, a probe.
const FOR_EACH_ARRIVAL: f64 = 3.0 + BETA / (1.0 - BETA);
/// Segments that a reduction or a timeout lets out, whatever the window.
const FOR_EACH_REDUCTION: f64 = 3.0;

pub(super) fn check(summary: &Summary, scenario: &Scenario, broken: &mut Broken) {
    let whole = summary.measured_from_s == 0.0 && summary.measured_until_s >= scenario.duration.seconds();
    // Who is met in the middle of everything has the window of a past that no counter knows.
    let stationary = scenario.populations.iter().any(|users| users.start == StartRule::Stationary);
    let reduces = profiles(scenario).all(|profile| profile.extensions().proportional_rate_reduction);
    if !whole || stationary || !reduces {
        return;
    }
    let tcp = &summary.tcp;
    let initial = profiles(scenario).map(|profile| u64::from(profile.initial_window_segments)).max();
    let allowance = Allowance {
        initial_windows: 2 * tcp.connections * initial.unwrap_or(1),
        reductions: tcp.fast_recoveries + tcp.timeouts + tcp.ecn_reductions.unwrap_or(0),
    };
    for link in &summary.links {
        let Some(data) = link.counters.by_class.get("data") else { continue };
        // Of what came and was not discarded some may still wait.
        let (come, passed) = (data.arrived_packets, data.arrived_packets - data.discarded_packets);
        let most = allowance.most_for(passed);
        broken.unless(come as f64 <= most, || {
            format!(
                "{}: senders bring {come} data packets where {passed} pass, more than {most:.0}",
                link.name
            )
        });
    }
}

fn profiles(scenario: &Scenario) -> impl Iterator<Item = &HostProfile> {
    let of_users = scenario.populations.iter().map(|population| &population.profile);
    of_users.chain(scenario.flows.iter().map(|group| &group.profile))
}

/// What senders may send whatever arrives.
struct Allowance {
    /// Segments that both ends of all connections begin with.
    initial_windows: u64,
    /// Reductions and timeouts.
    reductions: u64,
}

impl Allowance {
    /// Segments that senders bring to a link at most, where so many pass.
    fn most_for(&self, passed: u64) -> f64 {
        FOR_EACH_ARRIVAL * passed as f64
            + self.initial_windows as f64
            + FOR_EACH_REDUCTION * self.reductions as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `crates/sim/tests/retransmission_storm.rs` has the scenario. Seed 1, as it was when a retransmission
    /// of one recovery took back the reduction of the next: 250,986 data packets came, 241,263 were
    /// discarded, in 1,401 recoveries and a timeout.
    #[test]
    fn the_storm_of_retransmissions_breaks_it() {
        let allowance = Allowance { initial_windows: 2 * 10, reductions: 1_401 + 1 };
        assert!(250_986.0 > 4.0 * allowance.most_for(250_986 - 241_263));
    }

    /// Slow start doubles what is sent with every round trip: 10, 20, 40 segments, of which all but those of
    /// the last round have arrived, and then all of that are lost.
    #[test]
    fn slow_start_into_a_wall_keeps_it() {
        let allowance = Allowance { initial_windows: 2 * 10, reductions: 0 };
        for rounds in 1..20 {
            let sent = 10.0 * f64::from((1 << rounds) - 1);
            let arrived = 10 * ((1 << (rounds - 1)) - 1);
            assert!(sent <= allowance.most_for(arrived), "{rounds} rounds");
        }
    }
}
