//! The pages `docs/reference/schemes/<scheme>.md`: one per scheme, with every key and with legal settings.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/settings.rs"]
mod settings;

use aqmlab_aqm::Scheme;
use keys::parse;
use settings::table;

fn page(name: &str) -> String {
    let path = format!("{}/../../docs/reference/schemes/{name}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_setting_of_a_study_is_legal() {
    for name in Scheme::names() {
        let page = page(name);
        let blocks: Vec<&str> =
            page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "{name}: no settings");
        for block in blocks {
            let settings: Vec<(&str, &str)> =
                block.lines().filter_map(|line| line.split_once(" = ")).collect();
            let scheme = parse(&table(&settings)).unwrap_or_else(|error| panic!("{name}: {error}\n{block}"));
            assert_eq!(scheme.name(), *name);
            assert_eq!(scheme.validate(), Ok(()), "{block}");
        }
    }
}

#[test]
fn every_key_has_its_place_on_the_page() {
    for name in Scheme::names() {
        let (page, schema) = (page(name), Scheme::parameter_schema(name).expect("a registered name"));
        for key in schema.get("properties").and_then(|keys| keys.as_object()).expect("properties").keys() {
            assert!(page.contains(&format!("`{key}`")), "{name}.md does not mention `{key}`");
        }
    }
}
