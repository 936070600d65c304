//! The vectors in `vectors/`, which others run, say what the tables say that `tables.rs` runs.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/settings.rs"]
mod settings;

use aqmlab_aqm::Scheme;
use keys::parse;
use serde::Deserialize;
use serde_json::Value;
use settings::table;

fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_vectors_of_every_scheme_are_its_worked_cases() {
    for name in Scheme::names() {
        let vectors: Value = serde_json::from_str(&read(&format!("vectors/{name}.json"))).expect("JSON");
        assert_eq!((&vectors["format"], &vectors["scheme"]), (&1.into(), &(*name).into()));
        let text = read(&format!("tests/tables/{name}"));
        let cases: Vec<&str> = text.split("\ncase: ").skip(1).collect();
        let vectors = vectors["cases"].as_array().expect("cases");
        assert_eq!(vectors.len(), cases.len(), "{name}");
        cases.iter().zip(vectors).for_each(|(case, vector)| agree(case, vector));
    }
}

fn agree(case: &str, vector: &Value) {
    let (title, body) = case.split_once('\n').expect("a title");
    assert_eq!(vector["title"], title);
    let (settings, events) = body.split_once("\n\n").expect("settings, an empty line, events");
    let settings: Vec<(&str, &str)> = settings.lines().filter_map(|line| line.split_once(" = ")).collect();
    let port = ["link_mbps", "timer_phase", "flow_salt", "seed"];
    let (of_port, of_scheme): (Vec<_>, Vec<_>) =
        settings.into_iter().partition(|(key, _)| port.contains(key));
    assert_eq!(of_port.len(), vector["port"].as_object().expect("a table").len(), "{title}");
    for (key, value) in of_port {
        assert_eq!(vector["port"][key].as_f64(), value.parse().ok(), "{title}: {key}");
    }
    let scheme = Scheme::deserialize(&vector["scheme"]).map_err(|error| error.to_string());
    assert_eq!(scheme, parse(&table(&of_scheme)), "{title}");
    let mut lines = events.lines().map(|line| line.split_whitespace().filter(|cell| *cell != "|"));
    let columns: Vec<&str> = lines.next().expect("a heading").collect();
    assert_eq!(vector["columns"], Value::from(columns), "{title}");
    let rows = vector["events"].as_array().expect("events");
    assert_eq!(rows.len(), lines.clone().count(), "{title}");
    for (line, row) in lines.zip(rows) {
        let row = row.as_array().expect("a row");
        assert_eq!(row.len(), line.clone().count(), "{title}");
        line.zip(row).for_each(|(cell, value)| assert!(says(value, cell), "{title}: {value} for {cell}"));
    }
}

fn says(value: &Value, cell: &str) -> bool {
    match value {
        Value::Null => cell == "-",
        Value::String(word) => word == cell,
        number => cell.parse().ok() == number.as_f64(),
    }
}
