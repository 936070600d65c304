//! `docs/how-to/library.md` and the README show the example as it is, and what it prints.

use aqmlab_sim::{Control, Scenario, run};

const PAGE: &str = include_str!("../../../docs/how-to/library.md");
const README: &str = include_str!("../README.md");
const EXAMPLE: &str = include_str!("../examples/two_queues.rs");

/// The first block in this language below a heading; without one, of the whole page.
fn block<'a>(page: &'a str, heading: &str, language: &str) -> &'a str {
    let (_, below) = page.split_once(heading).expect("the page has this heading");
    let (_, block) = below.split_once(&format!("```{language}\n")).expect("a block in this language");
    block.split_once("```").expect("the block ends").0
}

const HEADING: &str = "\n## A whole simulation in Rust\n";

#[test]
fn both_pages_show_the_example_as_it_is() {
    let (_, code) = EXAMPLE.split_once("prints\")]\n\n").expect("code follows the attribute");
    assert_eq!(block(PAGE, HEADING, "rust"), code);
    assert_eq!(block(README, "", "rust"), code);
}

#[test]
fn the_page_shows_what_the_example_prints() {
    let (_, text) = EXAMPLE.split_once("r#\"\n").expect("a scenario");
    let (text, _) = text.split_once("\"#").expect("its end");
    let wait_ms = |scheme: &str| {
        let queue = ("dumbbell.queue.scheme".to_owned(), scheme.to_owned());
        let scenario = Scenario::from_toml(text, "page", &[queue]).expect("a legal scenario");
        let output = run(&scenario, 1, &Control::default()).expect("it runs");
        1000.0 * output.summary.links[0].wait_mean_s.expect("packets left")
    };
    let waits = ["drop-tail", "fq-codel"].map(|scheme| (scheme, wait_ms(scheme)));
    // 256 frames of 1,538 bytes take 157.5 ms at 20 Mbit/s. CUBIC leaves a full buffer with 0.7 of its
    // window, of which 20 ms are the round trip without a queue: never less than 104 ms. CoDel aims at 5 ms.
    assert!((104.0..157.5).contains(&waits[0].1), "{waits:?}");
    assert!((1.0..10.0).contains(&waits[1].1), "{waits:?}");
    let printed: String =
        waits.iter().map(|(scheme, wait)| format!("{scheme}: packets wait {wait:.1} ms\n")).collect();
    assert_eq!(block(PAGE, HEADING, "text"), printed);
}
