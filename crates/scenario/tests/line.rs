//! `[line]` and `[[devices]]`: the network that they stand for.

use aqmlab_aqm::parts::LineCoding;
use aqmlab_scenario::{Link, LinkIndex, Scenario};

const HOME: &str = r#"
name = "home"
duration_s = 60.0
[line]
technology = "adsl"
down_mbps = 18.0
up_mbps = 0.9
[[devices]]
name = "laptop"
kind = "laptop"
[[devices]]
name = "console"
kind = "console"
[[flows]]
name = "backup"
count = 1
direction = "up"
device = "laptop"
base_rtt_ms = 20
[[datagrams]]
name = "game"
count = 1
direction = "down"
device = "console"
packet_bytes = 150
rate_mbps = 0.1
"#;

fn read(overrides: &[(&str, &str)]) -> Scenario {
    read_text(HOME, overrides)
}

fn read_text(text: &str, overrides: &[(&str, &str)]) -> Scenario {
    let owned: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::from_toml(text, "home.toml", &owned).unwrap_or_else(|error| panic!("{error}"))
}

fn link<'a>(scenario: &'a Scenario, name: &str) -> &'a Link {
    let found = scenario.network.links.iter().find(|link| link.name == name);
    found.unwrap_or_else(|| panic!("no link {name}"))
}

fn mbps(link: &Link) -> f64 {
    link.rate.map_or(0.0, |rate| rate.bits_per_second() as f64 / 1e6)
}

/// A modem's rate counts cells; 640 ms of what 0.9 Mbit/s of cells leave to packets of 1,500 bytes, 33 cells
/// each, are 0.9e6/8 · 1500/(33·53) · 0.64 bytes.
#[test]
fn a_line_has_the_rate_framing_and_buffers_of_its_technology() {
    let home = read(&[]);
    let (down, up) = (link(&home, "down"), link(&home, "up"));
    assert_eq!((mbps(down), mbps(up)), (18.0, 0.9));
    assert_eq!((up.framing.overhead_bytes, up.framing.coding), (40, LineCoding::Atm));
    assert_eq!(up.framing.wire_bytes(1500), 33 * 53);
    let bytes: f64 = 0.9e6 / 8.0 * 1500.0 / (33.0 * 53.0) * 0.64;
    let limit = up.queue.as_ref().map(|queue| queue.limit().bytes).unwrap_or_default();
    assert_eq!(limit, Some(bytes.round() as u64));
    assert_eq!(up.delay, down.delay);
    assert!((up.delay.seconds() - 0.02).abs() < 1e-12);
}

#[test]
fn four_links_are_measured_and_their_queues_have_keys() {
    let home = read(&[]);
    let keys: Vec<_> = (0_u32..)
        .zip(&home.network.links)
        .filter(|(_, link)| link.monitored)
        .map(|(place, link)| (link.name.as_str(), home.queue_key(LinkIndex(place)).unwrap_or_default()))
        .collect();
    let expected = [
        ("down", "line.provider_queue"),
        ("up", "line.modem_queue"),
        ("router-up", "line.router_queue_up"),
        ("router-down", "line.router_queue_down"),
    ];
    assert_eq!(keys, expected.map(|(link, key)| (link, key.to_owned())));
}

/// Laptops are on the air without a word, consoles are not; all that is sent by radio shares one channel.
#[test]
fn devices_are_connected_as_such_devices_are() {
    let home = read(&[]);
    let on_the_air: Vec<&str> = home
        .network
        .links
        .iter()
        .filter(|link| link.service.channel().is_some())
        .map(|link| link.name.as_str())
        .collect();
    assert_eq!(on_the_air, ["home-to-laptop", "laptop-to-home"]);
    assert_eq!(mbps(link(&home, "home-to-console")), 1000.0);
    let wired = read(&[("devices.0.connection", "wired")]);
    assert_eq!(mbps(link(&wired, "home-to-laptop")), 1000.0);
}

/// The shares that sqm-scripts and tc-cake(8) speak of: of the modem's rate, counted as the modem counts.
#[test]
fn a_shaper_in_the_router_counts_as_the_line_unless_it_is_not_told_how() {
    let home = read(&[("line.shaped_share_up", "0.95")]);
    let shaping = link(&home, "router-up").shaping.expect("a shaper");
    assert_eq!(shaping.rate.bits_per_second(), 855_000);
    assert_eq!(shaping.link_layer.bytes(1500), 33 * 53);
    assert!(link(&home, "router-down").shaping.is_none());
    let blind = read(&[("line.shaped_share_up", "0.95"), ("line.shapers_know_framing", "false")]);
    assert_eq!(link(&blind, "router-up").shaping.expect("a shaper").link_layer.bytes(1500), 1514);
}

/// A line that is faster than what was bought: the provider holds it back, with the buffer, and a shaper goes
/// by that rate.
#[test]
fn what_is_sold_below_the_lines_rate_is_where_the_queue_is() {
    let home = read(&[
        ("line.technology", "vdsl"),
        ("line.down_mbps", "63.0"),
        ("line.sold_down_mbps", "50.0"),
        ("line.up_mbps", "12.0"),
        ("line.shaped_share_down", "0.9"),
    ]);
    let down = link(&home, "down");
    assert_eq!((mbps(down), home.network.node(down.from).name.as_str()), (50.0, "provider"));
    assert_eq!(mbps(link(&home, "street-to-modem")), 63.0);
    assert_eq!(mbps(link(&home, "up")), 12.0);
    assert_eq!(link(&home, "router-down").shaping.expect("a shaper").rate.bits_per_second(), 45_000_000);
}

#[test]
fn what_is_resolved_is_resolved_to_itself() {
    for technology in ["cable", "vdsl", "adsl", "fibre", "lte", "5g", "starlink"] {
        let text = HOME.replace("\"adsl\"", &format!("\"{technology}\""));
        let once = read_text(&text, &[]);
        let again = Scenario::from_json(&once.to_json()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(once, again, "{technology}");
        let twin = once.uncongested_twin().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(twin.uncongested_twin().unwrap_or_else(|error| panic!("{error}")), twin, "{technology}");
    }
}

/// An override of a resolved line is that of the text: what followed from the old value follows from the new.
#[test]
fn what_follows_from_an_overridden_key_follows_anew() {
    for (key, value) in [
        ("line.technology", "vdsl"),
        ("line.up_mbps", "10.0"),
        ("line.framing", "ptm"),
        ("devices.0.connection", "wired"),
        ("devices.1.kind", "phone"),
    ] {
        let later = read(&[]).with_overrides(&[(key.to_owned(), value.to_owned())]);
        let later = later.unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(later, read(&[(key, value)]), "{key}");
    }
}

#[test]
fn a_provider_limits_what_the_line_carries_and_no_rate_that_varies() {
    let sold = |text: &str, sold: &str| {
        let text = text.replace("up_mbps = 0.9", &format!("up_mbps = 0.9\nsold_down_mbps = {sold}"));
        Scenario::from_toml(&text, "home.toml", &[]).map_err(|error| error.to_string())
    };
    assert!(sold(HOME, "15.6").is_ok());
    // 18 Mbit/s of cells carry 18 * 1518/1749.
    let refused = sold(HOME, "15.7").unwrap_err();
    assert!(refused.contains("the line itself is the limit; legal: below 15.623"), "{refused}");
    let varying = sold(&HOME.replace("adsl", "lte"), "5").unwrap_err();
    assert!(varying.contains("line.sold_down_mbps: the rate of this line varies"), "{varying}");
}

#[test]
fn a_home_that_names_no_device_has_one_computer() {
    let text = "name = \"x\"\nduration_s = 9\n[line]\ntechnology = \"fibre\"\n[[flows]]\ncount = 1\ndirection = \"up\"\n";
    let home = read_text(text, &[]);
    let sender = home.flows[0].flows[0].sender;
    assert_eq!(home.network.node(sender).name, "computer");
    assert_eq!(home.document().flows[0].receivers.as_deref(), Some("internet"));
}

#[test]
fn what_says_how_a_line_varies_is_refused_beside_another_by_the_key_that_was_written() {
    let said = |keys: &str, file: &str| {
        let line = format!("technology = \"adsl\"\n{keys}\n");
        let text = HOME.replace("technology = \"adsl\"\n", &line) + "[files]\n" + file;
        let text = text.replace("down_mbps = 18.0\n", "").replace("up_mbps = 0.9\n", "");
        Scenario::from_toml(&text, "home.toml", &[]).map(|_| ()).unwrap_err().to_string()
    };
    let rows = "\"line.csv\" = \"t_s,down_mbps\\n0,18\\n\"\n";
    assert_eq!(
        said("conditions_file = \"line.csv\"\nreconfigurations = { delay_deviation_ms = 2.0 }", rows),
        "home.toml:7: line.reconfigurations: given together with conditions_file; legal: one of the two"
    );
    assert_eq!(
        said(
            "rate_up_trace_file = \"up.trace\"\nreconfigurations = { rate_variation = 0.2 }",
            "\"up.trace\" = \"12\\n\"\n"
        ),
        "home.toml:7: line.reconfigurations.rate_variation: given together with rate_up_trace_file; legal: one of the two"
    );
}
