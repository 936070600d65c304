//! What is refused, and in which words: the place, what was wrong, what is legal, what was probably meant.

use aqmlab_scenario::Scenario;

const GOOD: &str = r#"name = "pi-24-90"
duration_s = 1200.0
warm_up_s = 300.0

[dumbbell]
rate_mbps = 100.0
queue = { scheme = "red", limit_packets = 240 }

[users]
per_side = 8568
"#;

fn refuse(text: &str) -> String {
    match Scenario::from_toml(text, "le.toml", &[]) {
        Ok(_) => panic!("was accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The good scenario with one line in place of another.
fn with(line: &str, instead: &str) -> String {
    assert!(GOOD.contains(line), "{line}");
    GOOD.replace(line, instead)
}

#[test]
fn show() {
    Scenario::from_toml(GOOD, "le.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    for (a, b) in [
        ("limit_packets", "limit_packtes"),
        ("rate_mbps = 100.0", "rate_kbps = 100.0"),
        ("rate_mbps = 100.0", "rate_mbps = \"fast\""),
        ("rate_mbps = 100.0", "rate_mbps = -3"),
        ("rate_mbps = 100.0", "rate_mbps = nan"),
        ("rate_mbps = 100.0", "rate_mbps = 0"),
        ("rate_mbps = 100.0", ""),
        ("\"red\"", "\"reed\""),
        ("scheme = \"red\", ", ""),
        ("per_side = 8568", "per_side = 0"),
        ("per_side = 8568", "per_side = 1.5"),
        ("per_side = 8568", "per_side = 99999999"),
        ("per_side = 8568", "left = 3"),
        ("per_side = 8568", "per_side = 3\nprofile = \"bsd44\""),
        ("warm_up_s = 300.0", "warm_up_s = 1200"),
        ("warm_up_s = 300.0", "warm_up_ms = 1200"),
        ("per_side = 8568", "per_side = 3\nduration_s = 3"),
        ("limit_packets = 240", "limit_packets = 240, min_th_packets = 30, max_th_packets = 10"),
        ("limit_packets = 240", "limit_packets = 240, w_q = \"x\""),
        ("limit_packets = 240", "limit_packets = 240, w_q = { time_s = 3 }"),
        ("limit_packets = 240", "limit_packets = 240, spacing = \"clasic\""),
        ("[users]", "[usres]"),
        ("per_side = 8568", "per_side = 3\nmodel = { model = \"unk\" }"),
        ("per_side = 8568", "per_side = 3\nmodel = { model = \"unc\", persistent_connection_share = 3.0 }"),
        ("per_side = 8568", "per_side = 3\n[topology]\nnodes=[]\nlinks=[]"),
        ("name =", "name = 2020-01-01 #"),
    ] {
        println!("{b:?}\n   {}", refuse(&with(a, b)).replace("\n", "\n   "));
    }
}
