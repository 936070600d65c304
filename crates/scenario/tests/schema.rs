//! The JSON Schema says what the types and the checks say.

use aqmlab_scenario::{Scenario, Scheme, json_schema, reference};

/// Every table of the schema, with the path to it.
fn tables(schema: &serde_json::Value, path: &str, visit: &mut dyn FnMut(&str, &serde_json::Value)) {
    if schema.get("properties").is_some() {
        visit(path, schema);
    }
    let parts = schema.as_object().into_iter().flatten();
    for (key, part) in parts {
        tables(part, &format!("{path}/{key}"), visit);
    }
    for (index, part) in schema.as_array().into_iter().flatten().enumerate() {
        tables(part, &format!("{path}/{index}"), visit);
    }
}

#[test]
fn no_table_takes_unknown_keys() {
    let mut count = 0;
    tables(&json_schema(), "", &mut |path, table| {
        count += 1;
        // What else stands beside a controller in a file is held against that file's class.
        let of_class = table["properties"].get("controller").is_some();
        assert!(of_class || table["additionalProperties"] == false, "{path}");
    });
    assert!(count > 10, "{count} tables");
}

#[test]
fn every_key_of_every_table_has_a_meaning() {
    for table in reference() {
        for key in &table.keys {
            assert!(!key.meaning.is_empty(), "{}.{} has no description", table.path, key.key);
            assert!(!key.legal.contains("any value"), "{}.{} takes anything", table.path, key.key);
        }
    }
}

#[test]
fn the_names_of_schemes_are_those_of_the_registry() {
    let schema = json_schema();
    let variants = schema.pointer("/$defs/Scheme/oneOf").and_then(serde_json::Value::as_array).unwrap();
    let names: Vec<&str> =
        variants.iter().filter_map(|variant| variant["properties"]["scheme"]["const"].as_str()).collect();
    assert_eq!(names, Scheme::names());
}

/// The reader looks up every default in the types; the schema prints them: they are the same.
#[test]
fn the_defaults_in_the_schema_are_those_of_a_scenario() {
    let text = "name = \"x\"\nduration_s = 1\n[dumbbell]\nrate_mbps = 100\n\
                queue = { scheme = \"drop-tail\", limit_packets = 240 }\n[users]\nper_side = 5\n";
    let scenario: serde_json::Value =
        serde_json::from_str(&Scenario::from_toml(text, "x.toml", &[]).unwrap().to_json()).unwrap();
    let schema = json_schema();
    let mut compared = 0;
    for (definition, at) in [("Dumbbell", "/dumbbell"), ("UsersTable", "/users"), ("RecordTable", "/record")]
    {
        let properties = schema.pointer(&format!("/$defs/{definition}/properties")).unwrap();
        for (key, part) in properties.as_object().unwrap() {
            let Some(default) = part.get("default").filter(|default| !default.is_null()) else { continue };
            assert_eq!(scenario.pointer(&format!("{at}/{key}")), Some(default), "{definition}.{key}");
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared} defaults");
}

#[test]
fn every_default_is_legal_and_every_range_is_a_range() {
    tables(&json_schema(), "", &mut |path, table| {
        for (key, part) in table["properties"].as_object().unwrap() {
            let number = |keyword: &str| part.get(keyword).and_then(serde_json::Value::as_f64);
            let (least, most) = (number("minimum"), number("maximum"));
            if let (Some(least), Some(most)) = (least, most) {
                assert!(least < most, "{path}.{key}: {least} to {most}");
            }
            if let Some(default) = number("default") {
                assert!(least.is_none_or(|least| default >= least), "{path}.{key} = {default}");
                assert!(most.is_none_or(|most| default <= most), "{path}.{key} = {default}");
            }
        }
    });
}

/// The keys whose values nothing says what they decide, each by its path. What a key decides holds for what
/// is below it.
fn undecided(schema: &serde_json::Value, node: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    if node.get("x-decides").is_some() || node["type"] == "null" {
        return;
    }
    if let Some(name) = node["$ref"].as_str() {
        let definition = schema.pointer(name.trim_start_matches('#')).unwrap();
        return undecided(schema, definition, path, found);
    }
    let choices = ["anyOf", "oneOf"].iter().filter_map(|how| node[how].as_array()).flatten();
    let mut below: Vec<(String, &serde_json::Value)> =
        choices.chain(node.get("items")).map(|each| (path.to_owned(), each)).collect();
    for (key, part) in node["properties"].as_object().into_iter().flatten() {
        below.push((format!("{path}.{key}").trim_start_matches('.').to_owned(), part));
    }
    if below.is_empty() {
        found.push(path.to_owned());
    }
    for (path, part) in below {
        undecided(schema, part, &path, found);
    }
}

#[test]
fn every_key_says_what_it_decides() {
    let schema = json_schema();
    let mut found = Vec::new();
    undecided(&schema, &schema, "", &mut found);
    assert!(found.is_empty(), "without x-decides: {}", found.join(", "));
}

/// The test above names a key that says nothing, in a list within a table within a choice too.
#[test]
fn a_key_that_says_nothing_is_found() {
    let part = serde_json::json!({ "properties": {
        "name": { "type": "string", "x-decides": "nothing" },
        "link": { "anyOf": [{ "$ref": "#/$defs/Link" }, { "type": "null" }] },
    }, "$defs": { "Link": { "items": { "properties": {
        "colour": { "type": "string" },
        "queue": { "$ref": "#/$defs/Link", "x-decides": "queue" },
    } } } } });
    let mut found = Vec::new();
    undecided(&part, &part, "", &mut found);
    assert_eq!(found, ["link.colour"]);
}
