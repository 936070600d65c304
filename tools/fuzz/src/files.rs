//! The files that a scenario names: distributions, connections to replay, conditions of links over time and
//! traces of their rates.

use crate::dice::Dice;
use crate::line::remove;
use crate::schema::Schema;
use aqmlab_link::RateTrace;
use serde_json::{Map, Value as Json, json};

/// Lends a text to keys that name a file: to some where a law has a default, and to laws of a file and to
/// those who replay connections always. Some links get conditions or traces.
pub(crate) fn give_files(document: &mut Json, schema: &Schema, dice: &mut Dice) {
    let mut files = Map::new();
    for flow in document["flows"].as_array_mut().into_iter().flatten() {
        if flow.get("bytes").is_some_and(|law| law.get("law").is_some_and(|name| name == "empirical")) {
            give(&mut flow["bytes"], "cdf_file", distribution("_bytes_", dice), &mut files);
        }
        if flow.get("base_rtt_ms").is_some_and(|law| law.as_object().is_some_and(Map::is_empty)) {
            give(&mut flow["base_rtt_ms"], "cdf_file", distribution("_ms_", dice), &mut files);
        }
    }
    give_files_of_links(document, &mut files, dice);
    let mut models: Vec<&mut Json> = Vec::new();
    let (mut users, mut populations) = (document["users"].take(), document["populations"].take());
    models.extend(users.get_mut("model"));
    let groups = populations.as_array_mut().into_iter().flatten();
    models.extend(groups.filter_map(|group| group.get_mut("model")));
    for model in models.into_iter().filter(|model| model.is_object()) {
        if model["model"] == "tmix" {
            give(model, "vectors_file", vectors(dice), &mut files);
        } else if dice.chance(0.5) {
            give_distributions(model, schema, dice, &mut files);
        }
    }
    for (key, group) in [("users", users), ("populations", populations)] {
        match document.as_object_mut() {
            Some(document) if group.is_null() => _ = document.remove(key),
            _ => document[key] = group,
        }
    }
    if !files.is_empty() {
        document["files"] = Json::Object(files);
    }
}

/// Names a file at a key, and keeps its text.
fn give(model: &mut Json, key: &str, text: String, files: &mut Map<String, Json>) {
    let name = format!("file {}", files.len());
    model[key] = json!(name);
    files.insert(name, json!(text));
}

/// Files in place of some of the laws of a model.
fn give_distributions(model: &mut Json, schema: &Schema, dice: &mut Dice, files: &mut Map<String, Json>) {
    let density = *dice.choose(&[0.2, 0.5, 1.0]);
    let known = schema.alternatives(schema.definition("UserModel")).into_iter();
    let own = known.map(|known| &known["properties"]).find(|keys| keys["model"]["const"] == model["model"]);
    for key in own.and_then(Json::as_object).into_iter().flat_map(Map::keys) {
        if key.ends_with("_cdf_file") && dice.chance(density) {
            give(model, key, distribution(key, dice), files);
        }
    }
}

/// Values that rise, each with the share up to it; in the form of ns-2, with a count between them, one time
/// in three.
fn distribution(key: &str, dice: &mut Dice) -> String {
    let (least, most) = match key {
        _ if key.contains("_bytes_") => (1.0, if dice.is_wild() { 1e5 } else { 2e4 }),
        _ if key.contains("_seconds_") => (0.01, if dice.is_wild() { 1e3 } else { 5.0 }),
        _ if key.contains("_ms_") => (0.1, if dice.is_wild() { 1e5 } else { 300.0 }),
        _ if key.contains("_gaps_") => (1e-3, 1e3),
        _ => (1.0, 12.0),
    };
    let knots = dice.count(1, 12);
    let whole = !["_seconds_", "_ms_", "_gaps_"].iter().any(|unit| key.contains(unit));
    let mut values: Vec<f64> = (0..knots).map(|_| dice.logarithmic(least, most)).collect();
    values.iter_mut().filter(|_| whole).for_each(|value| *value = value.round());
    values.sort_by(f64::total_cmp);
    values.dedup();
    let (last, counts) = (values.len(), dice.chance(0.3));
    let line = |(number, value): (usize, f64)| {
        let share = if number == last { 1.0 } else { number as f64 / last as f64 };
        if counts { format!("{value} {number} {share}\n") } else { format!("{value} {share}\n") }
    };
    (1..).zip(values).map(line).collect()
}

/// Connections of every kind, in either form.
fn vectors(dice: &mut Dice) -> String {
    let connections = (0..dice.count(1, 20)).map(|_| {
        let most = if dice.is_wild() { 4_000_000_000 } else { 30_000 };
        let mut number = |most: u64| dice.count(1, most);
        let [start, us, a, b] = [number(1_500_000), number(200_000), number(most), number(most)];
        match number(6) {
            1 => format!("SEQ {start} 1 0 0\nr {us}\n> {a}\nt 0\n< {b}\nt {us}\n> {b}\n"),
            2 => format!("SEQ {start} 1 0 0\nr 0\n< {a}\nt {us}\n< {b}\nt 7\n"),
            3 => format!("CONC {start} 2 1 0 0\nr {us}\nc> {a}\nc< {b}\nt> {us}\nc> {b}\nt< 5\n"),
            4 => format!("CONC {start} 0 1 0 0\nr {us}\nt< {us}\nc< {a}\n"),
            5 => format!("S {start} 1 0 0\nr {us}\nI 0 0 {a}\nA 0 {us} {b}\nA {us} 0 0\n"),
            _ => format!("C {start} 1 1 0 0\nr 1\nA 0 0 {a}\nI {us} 0 {b}\nI 0 0 {a}\n"),
        }
    });
    connections.collect()
}

/// Conditions over time or traces of rates, in the place of what else says how a link sends.
fn give_files_of_links(document: &mut Json, files: &mut Map<String, Json>, dice: &mut Dice) {
    if let Some(line) = document.get_mut("line") {
        match dice.between(0, 4) {
            0 => {
                let text = conditions(dice);
                remove(line, &["down_mbps", "up_mbps", "delay_ms", "medium_down", "medium_up"]);
                remove(line, &["sold_down_mbps", "sold_up_mbps", "rates_vary", "reconfigurations"]);
                remove(line, &["loss_probability_down", "loss_probability_up"]);
                give(line, "conditions_file", text, files);
            }
            1 => {
                remove(line, &["down_mbps", "medium_down", "sold_down_mbps", "reconfigurations"]);
                give(line, "rate_down_trace_file", trace(dice), files);
            }
            _ => {}
        }
    }
    if document.get("dumbbell").is_some() && dice.chance(0.15) {
        let (text, dumbbell) = (trace(dice), &mut document["dumbbell"]);
        if let Ok(trace) = RateTrace::parse(&text) {
            dumbbell["rate_mbps"] = json!(trace.mean_rate().bits_per_second() as f64 / 1e6);
            remove(dumbbell, &["medium", "conditions_file"]);
            give(dumbbell, "rate_trace_file", text, files);
        }
    }
    let links = document.get_mut("topology").and_then(|topology| topology["links"].as_array_mut());
    for link in links.into_iter().flatten() {
        if link.get("queue").is_some() && link["both_ways"] == false && dice.chance(0.3) {
            remove(link, &["rate_mbps", "delay_ms", "loss_probability", "drop", "medium"]);
            let way = *dice.choose(&["down", "up"]);
            link["conditions_way"] = json!(way);
            give(link, "conditions_file", conditions(dice), files);
        }
    }
}

/// Rows of all columns or of some: rates always, of which one is above 0.
fn conditions(dice: &mut Dice) -> String {
    let others: Vec<&str> = ["rtt_ms", "loss_percent"].into_iter().filter(|_| dice.chance(0.6)).collect();
    let columns = [&["t_s", "down_mbps", "up_mbps"], &*others].concat();
    let mut text = columns.join(",") + "\n";
    let mut instant_s = 0.0;
    let last = dice.count(0, 12);
    for row in 0..=last {
        text += &format!("{instant_s}");
        for column in &columns[1..] {
            let outage = row < last && dice.chance(0.1);
            let most = if dice.is_wild() { 2_000.0 } else { 100.0 };
            let value = match *column {
                "loss_percent" => dice.uniform() * if dice.is_wild() { 100.0 } else { 5.0 },
                _ if outage => 0.0,
                _ => dice.logarithmic(0.2, most),
            };
            text += &format!(",{value:.4}");
        }
        text += "\n";
        instant_s += dice.logarithmic(0.001, 1.0);
    }
    text
}

/// Instants of Mahimahi, in whole milliseconds.
fn trace(dice: &mut Dice) -> String {
    let mut instant_ms = dice.between(0, 30);
    let mut text = String::new();
    let longest_ms = if dice.is_wild() { 3_000 } else { 20 };
    for _ in 0..dice.count(1, 300) {
        text += &format!("{instant_ms}\n");
        instant_ms += dice.count(0, longest_ms);
    }
    text + &format!("{}\n", instant_ms + 1)
}
