//! Packets must reach their destinations, and time must pass on the way there and back.

use aqmlab_scenario::Scenario;

/// Two machines behind a router; each test says what the links, the people and the flows between them are
/// like.
fn refusal(links: [&str; 2], traffic: &str) -> Option<String> {
    let [left, right] = links;
    let text = format!(
        r#"
name = "line"
duration_s = 60.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 2
[[topology.nodes]]
name = "middle"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "middle"
{left}
[[topology.links]]
from = "middle"
to = "site"
{right}
{traffic}"#
    );
    Scenario::from_toml(&text, "a.toml", &[]).err().map(|error| error.to_string())
}

fn people(low: u32) -> String {
    format!(
        "[[populations]]\nname = \"people\"\nbrowsers = \"readers\"\nservers = \"site\"\ncount = 3\n\
         minimum_delay_ms = {{ low = {low}, high = 20 }}\n"
    )
}

fn flows(keys: &str) -> String {
    format!("[[flows]]\nsenders = \"site\"\nreceivers = \"readers\"\ncount = 3\n{keys}\n")
}

const LEGAL: &str = "legal: a delay above 0, or a link with rate_mbps or delay_ms on the way";

#[test]
fn a_round_trip_of_ideal_wires_without_a_delay_is_refused() {
    assert_eq!(
        refusal(["", ""], &people(0)),
        Some(format!(
            "a.toml:27: populations.0.minimum_delay_ms.low: nothing on the way from readers-0 to site and back takes \
             time; {LEGAL}"
        ))
    );
    let of_flows = "nothing on the way from site to readers-0 and back takes time";
    assert_eq!(
        refusal(["", ""], &flows("")),
        Some(format!("a.toml:22: flows.0.base_rtt_ms: {of_flows}; {LEGAL}"))
    );
    // One flow without a delay is enough, and a delay below half a nanosecond is none.
    for delay in ["{ first = 0.0, last = 10.0 }", "{ first = 10.0, last = 0.0 }", "0.0000001"] {
        let message = refusal(["", "delay_ms = 0.0"], &flows(&format!("base_rtt_ms = {delay}")));
        assert_eq!(message, Some(format!("a.toml:26: flows.0.base_rtt_ms: {of_flows}; {LEGAL}")), "{delay}");
    }
}

#[test]
fn anything_on_the_way_that_takes_time_is_enough() {
    assert_eq!(refusal(["", ""], &people(1)), None);
    assert_eq!(refusal(["", ""], &flows("base_rtt_ms = 0.000001\ndelay_on = \"receiver\"")), None);
    for link in ["rate_mbps = 1000000.0", "delay_ms = 0.000001", "delay_ms = 5.0\nboth_ways = false"] {
        let back = if link.ends_with("false") {
            "[[topology.links]]\nfrom = \"middle\"\nto = \"readers\"\nboth_ways = false\n"
        } else {
            ""
        };
        for traffic in [people(0), flows("")] {
            assert_eq!(refusal([link, ""], &format!("{back}{traffic}")), None, "{link}");
        }
    }
}
