//! `docs/reference/scenario.md` and the pages of its tables say what the schema says, and their examples run.

use aqmlab_scenario::{Scenario, TableReference, reference};

const OVERVIEW: &str = include_str!("../../../docs/reference/scenario.md");

/// The pages of a scenario: the overview, and one for each of its tables.
const PAGES: [&str; 11] = [
    OVERVIEW,
    include_str!("../../../docs/reference/scenario/datagrams.md"),
    include_str!("../../../docs/reference/scenario/dumbbell.md"),
    include_str!("../../../docs/reference/scenario/flows.md"),
    include_str!("../../../docs/reference/scenario/line.md"),
    include_str!("../../../docs/reference/scenario/links.md"),
    include_str!("../../../docs/reference/scenario/parking-lot.md"),
    include_str!("../../../docs/reference/scenario/record.md"),
    include_str!("../../../docs/reference/scenario/star.md"),
    include_str!("../../../docs/reference/scenario/topology.md"),
    include_str!("../../../docs/reference/scenario/users.md"),
];

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

/// Tables that name the keys which stand word for word in another one, with the link to it.
const SHARED: [(&str, &str, &str); 4] = [
    ("populations", "users", "#users"),
    ("parking_lot", "dumbbell", "dumbbell.md"),
    ("star", "dumbbell", "dumbbell.md"),
    ("topology.links", "dumbbell", "dumbbell.md"),
];

/// A table of the page without the rows of another one, and the names of these below it.
fn rendered_beside(table: &TableReference, tables: &[TableReference]) -> String {
    let Some((_, other, link)) = SHARED.iter().find(|(path, ..)| *path == table.path) else {
        return rendered(table);
    };
    let theirs = tables.iter().find(|each| each.path == *other).expect("the other table");
    let (shared, keys): (Vec<_>, Vec<_>) =
        table.keys.iter().cloned().partition(|key| theirs.keys.contains(key));
    let names: Vec<_> = shared.iter().map(|key| format!("`{}`", key.key)).collect();
    assert!(!names.is_empty(), "[{}] shares no key with [{other}]", table.path);
    let own = rendered(&TableReference { keys, ..table.clone() });
    format!("{own}\nAs of [`[{other}]`]({link}): {}.\n", names.join(", "))
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
    let tables = reference();
    for table in tables.iter().filter(|table| described_here(table)) {
        let expected = rendered_beside(table, &tables);
        assert!(
            PAGES.iter().any(|page| page.contains(&expected)),
            "no page of docs/reference/scenario/ has the table of [{}]:\n\n{expected}",
            table.path
        );
    }
}

fn blocks(page: &'static str, language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let after_openings = page.split(opening.as_str()).skip(1);
    after_openings.map(|text| text.split("```").next().expect("a split has a first part")).collect()
}

#[test]
fn every_example_is_a_scenario() {
    let examples: Vec<_> = PAGES.iter().flat_map(|page| blocks(page, "toml")).collect();
    assert!(examples.len() >= 12, "the pages have {} examples", examples.len());
    for example in examples {
        if let Err(error) = Scenario::from_toml(example, "docs/reference/scenario", &[]) {
            panic!("{error}\nin the example\n{example}");
        }
    }
}

#[test]
fn the_first_example_has_ten_lines() {
    let lines = blocks(OVERVIEW, "toml")[0].lines().filter(|line| !line.trim().is_empty()).count();
    assert_eq!(lines, 10);
}

/// Each message of the page follows from one override of the first example.
#[test]
fn every_message_on_the_page_is_what_is_said() {
    let [block] = blocks(OVERVIEW, "text")[..] else { panic!("one block of messages") };
    let mut messages = 0;
    for message in block.lines().filter(|line| line.starts_with("in --set ")) {
        let given = message["in --set ".len()..].split(": ").next().expect("a split has a first part");
        let (key, value) = given.split_once('=').expect("key=value");
        let set = [(key.to_owned(), value.to_owned())];
        let error = Scenario::from_toml(blocks(OVERVIEW, "toml")[0], "example.toml", &set).unwrap_err();
        assert_eq!(format!("in --set {error}"), message);
        messages += 1;
    }
    assert!(messages >= 4, "{messages} messages");
}
