//! `docs/reference/scenario.md` says what the schema says, and its examples run.

use aqmlab_scenario::{Scenario, TableReference, reference};

const PAGE: &str = include_str!("../../../docs/reference/scenario.md");

/// A table of the page, as it must stand there.
fn rendered(table: &TableReference) -> String {
    let mut text = String::from("| key | meaning | default | legal |\n| --- | --- | --- | --- |\n");
    for key in &table.keys {
        let default = match key.default.as_str() {
            word @ ("required" | "absent" | "none" | "the defaults of its keys") => word.to_owned(),
            value => format!("`{value}`"),
        };
        text += &format!("| `{}` | {} | {default} | {} |\n", key.key, key.meaning, key.legal);
    }
    text
}

/// The settings of a host profile, as they must stand on the page of the profiles: all have the profile's
/// default.
fn rendered_settings(table: &TableReference) -> String {
    let mut text = String::from("| key | meaning | legal |\n| --- | --- | --- |\n");
    for key in &table.keys {
        assert_eq!(key.default, "absent", "{}", key.key);
        text += &format!("| `{}` | {} | {} |\n", key.key, key.meaning, key.legal);
    }
    text
}

#[test]
fn every_setting_of_a_host_stands_on_the_page_of_the_profiles() {
    const PROFILES: &str = include_str!("../../../docs/reference/tcp.md");
    let tables = reference();
    let hosts: Vec<_> = tables.iter().filter(|table| !described_here(table)).collect();
    assert_eq!(hosts.len(), 3, "of users, of populations and of flows");
    for table in hosts {
        let expected = rendered_settings(table);
        assert!(
            PROFILES.contains(&expected),
            "docs/reference/tcp.md lacks the table of `host`:\n\n{expected}"
        );
    }
}

/// Settings of a host profile are described with the profiles, not here.
fn described_here(table: &TableReference) -> bool {
    !table.path.ends_with("host")
}

#[test]
fn every_key_stands_on_the_page_with_its_meaning_default_and_legal_values() {
    for table in reference().iter().filter(|table| described_here(table)) {
        let expected = rendered(table);
        assert!(
            PAGE.contains(&expected),
            "docs/reference/scenario.md lacks the table of [{}]:\n\n{expected}",
            table.path
        );
    }
}

fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let after_openings = PAGE.split(opening.as_str()).skip(1);
    after_openings.map(|text| text.split("```").next().expect("a split has a first part")).collect()
}

#[test]
fn every_example_is_a_scenario() {
    let examples = blocks("toml");
    assert!(examples.len() >= 3, "the page has {} examples", examples.len());
    for example in examples {
        if let Err(error) = Scenario::from_toml(example, "docs/reference/scenario.md", &[]) {
            panic!("{error}\nin the example\n{example}");
        }
    }
}

#[test]
fn the_first_example_has_ten_lines() {
    let lines = blocks("toml")[0].lines().filter(|line| !line.trim().is_empty()).count();
    assert_eq!(lines, 10);
}

/// Each message of the page follows from one override of the first example.
#[test]
fn every_message_on_the_page_is_what_is_said() {
    let [block] = blocks("text")[..] else { panic!("one block of messages") };
    let mut messages = 0;
    for message in block.lines().filter(|line| line.starts_with("in --set ")) {
        let given = message["in --set ".len()..].split(": ").next().expect("a split has a first part");
        let (key, value) = given.split_once('=').expect("key=value");
        let set = [(key.to_owned(), value.to_owned())];
        let error = Scenario::from_toml(blocks("toml")[0], "example.toml", &set).unwrap_err();
        assert_eq!(error.to_string(), message);
        messages += 1;
    }
    assert!(messages >= 4, "{messages} messages");
}
