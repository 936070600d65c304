//! What counts as a hang: processor time, not the time that other programs took from a case.
#![cfg(target_os = "linux")]

use aqmlab_fuzz::{Campaign, CaseNumber, Report};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// A campaign of one case, which a shell script stands in for.
fn campaign(name: &str, script: &str) -> Report {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&program, format!("#!/bin/sh\necho begin 0\n{script}\necho end 0 passed 1\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let patience = Duration::from_millis(200);
    Campaign { program, seed: 1, first: 0, until: 1, workers: 1, deadline: None, patience }.run().unwrap()
}

// One test, since a script that another thread still writes cannot be run.
#[test]
fn a_case_that_waits_is_no_hang_and_one_that_computes_or_never_wakes_is() {
    let case = CaseNumber { seed: 1, case: 0 };

    let starved = campaign("starved.sh", "sleep 0.6");
    assert_eq!((starved.passed, starved.failed.get(&case)), (1, None));

    let busy = campaign("busy.sh", "while :; do :; done");
    assert_eq!(busy.failed[&case], "no end after 0.2 s of processor time");

    let asleep = campaign("asleep.sh", "exec sleep 60");
    assert_eq!(asleep.failed[&case], "no end after 2 s");
}
