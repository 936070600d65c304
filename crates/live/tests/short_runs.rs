//! Short live runs, on a kernel that lets us.

mod machine;

use aqmlab_live::{Backend, HostSettings, Settings, check};
use machine::{FLOWS, fill_the_link, ran, scenario};

#[test]
fn long_lived_flows_fill_the_link_at_its_rate_over_a_tun_device() {
    fill_the_link(Backend::Tun);
}

#[test]
fn long_lived_flows_fill_the_link_at_its_rate_over_a_packet_socket() {
    fill_the_link(Backend::AfPacket);
}

const USERS: &str = r#"
name = "users"
duration_s = 3.0
warm_up_s = 1.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "pi", q_ref_packets = 20, limit_packets = 240, ecn = true }
[users]
per_side = 400
start = "fresh"
start_spread_s = 1.0
host = { ecn = "on" }
"#;

#[test]
fn users_browse_over_the_kernels_tcp() {
    let Some(output) = ran(USERS, HostSettings::Papers2003, Backend::of_this_machine()) else { return };
    let (audit, summary) = (&output.audit, &output.summary);
    let of = |name: &str| summary.links[0].counters.by_codepoint[name].arrived_packets;
    assert!(of("ect0") > 100 && of("not_ect") > 100, "data are ECN-capable, acknowledgements are not");
    // The profile's 16 kB, announced by either side.
    let windows = audit.largest_windows_bytes;
    assert!(windows.iter().all(|&bytes| (8_000..=17_520).contains(&bytes)), "{windows:?}");
    // Two segments at first, a timeout of a second at least, and ECN asked for by every first SYN.
    assert_eq!(audit.first_flights_segments[1], 2, "{audit:?}");
    assert!(audit.shortest_repeat_ms.is_none_or(|ms| ms >= 1_000.0), "{audit:?}");
    assert!(audit.ecn_syns > 100 && audit.ecn_syns <= audit.syns, "{audit:?}");
    assert!(!audit.reasons.iter().any(|reason| reason.starts_with("hosts are not")), "{audit:?}");
    assert!(!summary.warnings.iter().any(|warning| warning.starts_with("all hosts had")), "Reno both");
    assert!(audit.unregistered_packets == 0 && audit.write_errors == 0 && audit.refused_openings == 0);
    let completed: u64 = summary.populations.iter().map(|users| users.whole_run.completed).sum();
    assert!(completed > 100, "{completed}");
    let delays = output.tables.iter().find(|table| table.name == "responses").expect("rows");
    assert!(delays.rows() > 50);
}

#[test]
fn a_run_says_whose_congestion_control_its_hosts_had() {
    let ledbat = "base_rtt_ms = 40.0\nprofile = \"linux6-cubic\"\nhost = { congestion = \"ledbat\" }";
    let text = FLOWS.replace("base_rtt_ms = 40.0", ledbat);
    let Some(output) = ran(&text, HostSettings::LinuxReno, Backend::of_this_machine()) else { return };
    let said = "all hosts had the kernel's reno, where the scenario has ledbat";
    assert!(output.summary.warnings.iter().any(|warning| warning == said), "{:?}", output.summary.warnings);
}

#[test]
fn what_only_the_simulator_has_is_refused_with_its_name() {
    let refused = |more: &str| {
        let text = format!("{FLOWS}\n{more}");
        let settings = Settings::of(HostSettings::LinuxReno, Backend::Tun);
        let checked = check(&scenario(&text), &settings);
        checked.expect_err("is refused").to_string()
    };
    assert!(refused("[record]\npackets = true").starts_with("record.packets: "));
    assert!(refused("[users]\nper_side = 1\nstart = \"stationary\"").contains("\"steady\" or \"fresh\""));
    let datagrams =
        "[[datagrams]]\ncount = 1\ndirection = \"left-to-right\"\nrate_mbps = 1.0\npacket_bytes = 1501";
    assert!(refused(datagrams).contains("an MTU of 1500 bytes"));
    assert!(refused("[users]\nper_side = 1\nhost = { ecn = \"on\" }").starts_with("hosts with ECN beside"));
}

#[test]
fn impaired_lines_are_refused_by_name_and_delays_that_vary_are_not() {
    let refused = |line: &str, files: &str| {
        let text = format!(
            "name = \"line\"\nduration_s = 9.0\n[line]\ntechnology = \"fibre\"\n{line}\n\
             [[flows]]\ncount = 1\ndirection = \"down\"\nprofile = \"linux6-reno\"\n{files}"
        );
        let settings = Settings::of(HostSettings::LinuxReno, Backend::Tun);
        check(&scenario(&text), &settings).map(|_| ()).map_err(|error| error.to_string())
    };
    let shaped = "shaped_share_down = 0.8\nshaped_share_up = 0.8\ncake_autorate = {}";
    assert_eq!(refused(shaped, ""), Ok(()), "shapers follow in live runs too");
    assert_eq!(refused("netem_down = { jitter_ms = 2.0 }", ""), Ok(()));
    let duplicates = refused("netem_down = { duplicate_probability = 0.1 }", "").unwrap_err();
    assert!(duplicates.starts_with("down: a live run has no impaired links"), "{duplicates}");
    let rows = |columns: &str| format!("[files]\n\"line.csv\" = \"t_s,{columns}\"\n");
    let file = "conditions_file = \"line.csv\"";
    assert_eq!(refused(file, &rows("rtt_ms\\n0,40\\n")), Ok(()), "so do round trips");
    assert!(refused(file, &rows("loss_percent\\n0,1\\n")).unwrap_err().contains("no impaired links"));
    assert_eq!(refused(file, &rows("down_mbps\\n0,40\\n")), Ok(()), "rates vary in live runs too");
}
