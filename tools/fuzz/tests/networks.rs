//! Hundreds of random legal networks run without a fault. When one fails: `docs/how-to/fuzzing.md`.

use aqmlab_fuzz::Campaign;
use std::ops::Range;
use std::time::Duration;

/// The cases of seed 1 up to this one are tried by `make test`, all below the other by `make test-all`. They
/// are always the same; `make fuzz-networks` looks for others.
const SOME: u64 = 60;
const ALL: u64 = 1000;

#[test]
fn random_legal_networks_run_and_break_no_law() {
    run_and_break_no_law(0..SOME);
}

#[test]
#[ignore = "exhaustive"]
fn a_thousand_random_legal_networks_run_and_break_no_law() {
    run_and_break_no_law(SOME..ALL);
}

fn run_and_break_no_law(cases: Range<u64>) {
    let campaign = Campaign {
        program: env!("CARGO_BIN_EXE_aqmlab-fuzz").into(),
        seed: 1,
        first: cases.start,
        until: cases.end,
        workers: 2,
        deadline: None,
        patience: Duration::from_secs(300),
    };
    let report = campaign.run().unwrap();
    let failed: Vec<String> =
        report.failed.iter().map(|(number, wrong)| format!("{number}: {wrong}")).collect();
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(report.cases(), cases.end - cases.start);
    // A generator whose drafts were refused or left out would prove little.
    assert!(report.accepted_share() > 0.9, "{report:?}");
    assert!(report.events / report.passed > 1_000, "{report:?}");
}
