//! Settings as the worked cases and the pages of `docs/reference/schemes` write them.

use schemars::{Schema, json_schema};

/// Settings in the simplest form of TOML, a line `key = value` each, dotted keys for nesting, as a nested
/// table.
pub(crate) fn table(settings: &[(&str, &str)]) -> Schema {
    let mut table = json_schema!({});
    for &(key, value) in settings {
        let Some((outer, _)) = key.split_once('.') else {
            insert_scalar(&mut table, key, value);
            continue;
        };
        let prefix = format!("{outer}.");
        let inner: Vec<(&str, &str)> =
            settings.iter().filter_map(|&(key, value)| Some((key.strip_prefix(&prefix)?, value))).collect();
        table.insert(outer.to_owned(), self::table(&inner).to_value());
    }
    table
}

fn insert_scalar(table: &mut Schema, key: &str, value: &str) {
    if value.starts_with('[') {
        let list = serde_json::from_str(value).unwrap_or_else(|error| panic!("{key}: {error}"));
        table.insert(key.to_owned(), list);
        return;
    }
    let value = match (value.strip_prefix('"'), value.parse::<bool>(), value.parse::<u64>()) {
        (Some(quoted), ..) => quoted.trim_end_matches('"').into(),
        (_, Ok(flag), _) => flag.into(),
        (_, _, Ok(integer)) => integer.into(),
        _ => value.parse::<f64>().unwrap_or_else(|_| panic!("{key}: no number: {value}")).into(),
    };
    table.insert(key.to_owned(), value);
}
