//! Hundreds of random legal networks run without a fault. When one fails: `docs/how-to/fuzzing.md`.

use aqmlab_fuzz::Campaign;
use std::time::Duration;

/// Cases of this test: some seconds of two cores, of the twenty that all tests together may take. They are
/// always the same; `make fuzz-networks` looks for others.
const CASES: u64 = 250;

#[test]
fn random_legal_networks_run_and_break_no_law() {
    let campaign = Campaign {
        program: env!("CARGO_BIN_EXE_aqmlab-fuzz").into(),
        seed: 1,
        first: 0,
        until: CASES,
        workers: 2,
        deadline: None,
        patience: Duration::from_secs(300),
    };
    let report = campaign.run().unwrap();
    let failed: Vec<String> =
        report.failed.iter().map(|(number, wrong)| format!("{number}: {wrong}")).collect();
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
    assert_eq!(report.cases(), CASES);
    // A generator whose drafts were refused or left out would prove little.
    assert!(report.accepted_share() > 0.9, "{report:?}");
    assert!(report.events / report.passed > 1_000, "{report:?}");
}
