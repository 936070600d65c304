//! What is refused, and in which words: the place, what was wrong, what is legal, what was probably meant.
//! The cases are tables in `refusals/`.

use aqmlab_scenario::{Scenario, ScenarioError};

const DUMBBELL: &str = include_str!("refusals/dumbbell.txt");
const TOPOLOGY: &str = include_str!("refusals/topology.txt");
const DATAGRAMS: &str = include_str!("refusals/datagrams.txt");
const PARKING_LOT: &str = include_str!("refusals/parking_lot.txt");
const STAR: &str = include_str!("refusals/star.txt");
const LINE: &str = include_str!("refusals/line.txt");

/// One case: a text of the scenario, its replacement, and the messages that follow.
struct Case {
    from: String,
    to: String,
    messages: Vec<String>,
}

/// The scenario of a table without the comment above it, and the cases.
fn read_table(table: &str) -> (String, Vec<Case>) {
    let (scenario, rows) = table.split_once("====\n").expect("a line between scenario and cases");
    let scenario = scenario.lines().skip_while(|line| line.starts_with('#') || line.is_empty());
    let scenario = scenario.map(|line| format!("{line}\n")).collect();
    let mut cases: Vec<Case> = Vec::new();
    for row in rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (kind, text) = row.split_at(2);
        let text = text.replace("\\n", "\n");
        match kind {
            "- " => cases.push(Case { from: text, to: String::new(), messages: Vec::new() }),
            "+ " => cases.last_mut().expect("a case begins with -").to = text,
            "  " => cases.last_mut().expect("a case begins with -").messages.push(text),
            _ => panic!("neither -, + nor a message: {row}"),
        }
    }
    (scenario, cases)
}

/// Whether the text is the pattern, in which `...` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, others)) = pattern.split_once("...") else { return pattern == text };
    let Some(rest) = text.strip_prefix(first) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(others, &rest[at..]))
}

fn refused(text: &str) -> ScenarioError {
    match Scenario::from_toml(text, "le.toml", &[]) {
        Ok(_) => panic!("was accepted:\n{text}"),
        Err(error) => error,
    }
}

fn check_table(table: &str) {
    let (scenario, cases) = read_table(table);
    if let Err(error) = Scenario::from_toml(&scenario, "le.toml", &[]) {
        panic!("the scenario of the table is refused: {error}");
    }
    let mut failures = String::new();
    for Case { from, to, messages } in cases {
        assert_eq!(scenario.matches(&from).count(), 1, "\"{from}\" stands in the scenario once");
        assert!(!messages.is_empty(), "a case has messages: {to}");
        let error = refused(&scenario.replace(&from, &to)).to_string();
        let said: Vec<&str> = error.lines().collect();
        let as_expected = said.len() == messages.len()
            && messages.iter().zip(&said).all(|(pattern, message)| matches(pattern, message));
        if !as_expected {
            failures +=
                &format!("+ {to}\nexpected\n  {}\nfound\n  {}\n\n", messages.join("\n  "), said.join("\n  "));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn what_is_wrong_with_a_dumbbell_is_said_with_place_legal_values_and_nearest_name() {
    check_table(DUMBBELL);
}

#[test]
fn what_is_wrong_with_a_topology_is_said_with_place_legal_values_and_nearest_name() {
    check_table(TOPOLOGY);
}

#[test]
fn what_is_wrong_with_datagrams_is_said_with_place_legal_values_and_nearest_name() {
    check_table(DATAGRAMS);
}

#[test]
fn what_is_wrong_with_a_parking_lot_is_said_with_place_legal_values_and_nearest_name() {
    check_table(PARKING_LOT);
}

#[test]
fn what_is_wrong_with_a_star_is_said_with_place_legal_values_and_nearest_name() {
    check_table(STAR);
}

#[test]
fn what_is_wrong_with_a_line_is_said_with_place_legal_values_and_nearest_name() {
    check_table(LINE);
}

#[test]
fn patterns_match_whole_messages() {
    assert!(matches("a...c...", "abcd") && matches("a...c", "acbc") && matches("abc", "abc"));
    assert!(!matches("a...c", "abcd") && !matches("ab", "abc") && !matches("b...", "abc"));
}

#[test]
fn there_is_one_network_and_some_traffic() {
    let (scenario, _) = read_table(DUMBBELL);
    let [head, dumbbell, users, flows] = ["name", "[dumbbell]", "[users]", "[[flows]]"].map(|start| {
        let from = scenario.find(start).expect("the table begins there");
        let until = scenario[from..].find("\n\n").map_or(scenario.len(), |length| from + length + 1);
        &scenario[from..until]
    });
    let message = |parts: &[&str]| refused(&parts.concat()).to_string();
    assert_eq!(
        message(&[head, users]),
        "le.toml: there is no network: give [dumbbell], [line], [parking_lot], [star] or [topology]"
    );
    let nothing = "there is no traffic: give at least one user in [users] or [[populations]], or [[flows]] or \
                   [[datagrams]]";
    assert_eq!(message(&[head, dumbbell]), format!("le.toml: {nothing}"));
    let nobody = users.replace("8568", "0");
    assert_eq!(message(&[head, dumbbell, &nobody]), format!("le.toml:7: users: {nothing}"));
    assert!(Scenario::from_toml(&[head, dumbbell, &nobody, flows].concat(), "le.toml", &[]).is_ok());
}

#[test]
fn the_ends_of_a_range_are_legal() {
    let (scenario, _) = read_table(DUMBBELL);
    for (from, to) in [
        ("rate_mbps = 100.0", "rate_mbps = 0.001"),
        ("rate_mbps = 100.0", "rate_mbps = 1000000"),
        ("8568", "10000000"),
        ("first = 10.0, last = 150.0", "first = 0, last = 100000"),
        ("warm_up_s = 300.0", "warm_up_s = 0"),
    ] {
        let text = scenario.replace(from, to);
        assert!(text != scenario && Scenario::from_toml(&text, "le.toml", &[]).is_ok(), "{to}");
    }
}

#[test]
fn an_empty_text_lacks_what_is_required() {
    let message = refused("").to_string();
    assert_eq!(
        message,
        "le.toml: missing key \"name\"; legal: a string, not empty\n\
         le.toml: missing key \"duration_s\"; legal: 0.001 to 2000000"
    );
}

#[test]
fn an_override_is_refused_like_the_text_and_names_itself() {
    let (scenario, _) = read_table(DUMBBELL);
    let message = |key: &str, value: &str| {
        let set = [(key.to_owned(), value.to_owned())];
        Scenario::from_toml(&scenario, "le.toml", &set).expect_err("a wrong override").to_string()
    };
    assert_eq!(
        message("users.minimum_delay_ms.hihg", "200"),
        "users.minimum_delay_ms.hihg=200: users.minimum_delay_ms: unknown key \"hihg\"; \
         legal keys: clock_hz, high, low, per, power; did you mean \"high\"?"
    );
    assert_eq!(
        message("dumbbell.rate_mbps", "-1"),
        "dumbbell.rate_mbps=-1: dumbbell.rate_mbps: -1 is out of range; legal: 0.001 to 1000000"
    );
    assert_eq!(
        message("users.model.server_count", "9"),
        "users.model.server_count=9: users.model.server_count: 9 is not the number of server machines of \
         the network; legal: 8, or leave the key out"
    );
    assert_eq!(
        message("flows.7.count", "9"),
        "flows.7.count=9: flows.7.count: no element \"7\" in an array of 1; legal: 0"
    );
}

#[test]
fn a_description_has_lines_and_no_other_control_character() {
    let (scenario, _) = read_table(DUMBBELL);
    let described = |text: &str| format!("description = \"{text}\"\n{scenario}");
    assert!(Scenario::from_toml(&described("two\\nlines,\\tone tabulator"), "le.toml", &[]).is_ok());
    assert_eq!(
        refused(&described("\\u009b31m")).to_string(),
        "le.toml:1: description: holds the control character \\u{9b}; legal: text without control characters"
    );
}

#[test]
fn a_slip_in_every_element_is_told_for_the_first_twenty_and_a_long_name_is_cut() {
    let (scenario, _) = read_table(DUMBBELL);
    let group = "[[flows]]\ncount = 1\ndirection = \"left-to-right\"\ncolour = \"red\"\n";
    let message = refused(&format!("{scenario}{}", group.repeat(300))).to_string();
    assert_eq!(message.lines().count(), 21);
    assert!(message.ends_with("\nand 280 more mistakes"), "{message}");
    let long = refused(&scenario.replace("[users]", &format!("[{}]", "u".repeat(5000)))).to_string();
    assert!(long.len() < 5000 && long.contains("uuu..."), "{long}");
}

#[test]
fn a_long_override_is_told_by_its_first_200_characters_in_each_of_its_mistakes() {
    let (scenario, _) = read_table(DUMBBELL);
    let groups = "[".to_owned() + &"{ colour = \"red\" }, ".repeat(300) + "]";
    let overrides = [("flows".to_owned(), groups.clone())];
    let message = Scenario::from_toml(&scenario, "le.toml", &overrides).unwrap_err().to_string();
    let given: String = format!("flows={groups}").chars().take(200).collect();
    for line in message.lines().take(20) {
        assert!(line.starts_with(&format!("{given}...: flows.")), "{line}");
        assert!(line.len() < 500, "{line}");
    }
}
