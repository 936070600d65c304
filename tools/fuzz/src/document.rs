//! A whole random scenario, as a document that is probably legal.

use crate::dice::Dice;
use crate::files::give_files;
use crate::line::{draw_line, remove};
use crate::schema::Schema;
use crate::topology::Topology;
use aqmlab_applications::ApplicationModel;
use aqmlab_applications::datagrams::PacketKeys;
use serde_json::{Value as Json, json};

/// Simulated time, unless that costs too much.
const DURATION_S: f64 = 2.0;

/// A draft of a scenario. The check may refuse single keys: see `mend`.
pub(crate) fn draft(schema: &Schema, dice: &mut Dice) -> Json {
    let mut document = json!({ "name": *dice.choose(&["fuzz", "ü", "a b", "\"quoted\"", "[/x]"]) });
    let kind = dice.uniform();
    let groups = if kind < 0.3 {
        dumbbell(&mut document, schema, dice)
    } else if kind < 0.5 {
        draw_line(&mut document, schema, dice)
    } else {
        let topology = Topology::draw(schema, dice);
        let groups = topology.groups.clone();
        document["topology"] = topology.into_json();
        groups
    };
    draw_traffic(&mut document, &groups, schema, dice);
    give_files(&mut document, schema, dice);
    document["record"] = schema.draw_table(schema.definition("RecordTable"), dice);
    document["duration_s"] = json!(DURATION_S);
    document
}

/// Cuts a run to a length, with or without a part at its beginning and its end that is not measured.
pub(crate) fn set_duration(document: &mut Json, duration_s: f64, dice: &mut Dice) {
    document["duration_s"] = json!(duration_s);
    for key in ["warm_up_s", "cool_down_s"] {
        if dice.chance(0.3) {
            document[key] = json!(duration_s * dice.uniform() * 0.4);
        }
    }
    // Flows and datagrams that would start behind the end of the run are refused.
    for kind in ["flows", "datagrams"] {
        for group in document[kind].as_array_mut().into_iter().flatten() {
            set_start_and_stop(group, duration_s, dice);
        }
    }
}

fn set_start_and_stop(group: &mut Json, duration_s: f64, dice: &mut Dice) {
    let number = |key: &str, default: f64| group[key].as_f64().unwrap_or(default);
    let (start_s, spread_s) = (number("start_s", 0.0), number("start_spread_s", 1.0));
    let start_s = start_s.min(duration_s / 2.0);
    let stop_s = duration_s * (0.5 + 0.4 * dice.uniform());
    group["start_s"] = json!(start_s);
    group["start_spread_s"] = json!(spread_s.min(duration_s / 2.0).min(stop_s - start_s) * 0.99);
    if group.get("stop_s").is_some() {
        group["stop_s"] = json!(stop_s);
    }
    if let Some(phases) = group["phases"]["flows"].as_array().map(Vec::len) {
        let each_s = (duration_s - start_s) / phases as f64 * 0.999;
        group["phases"]["each_s"] = json!(each_s);
        group["start_spread_s"] = json!(each_s * dice.uniform());
    }
}

fn dumbbell(document: &mut Json, schema: &Schema, dice: &mut Dice) -> Vec<(String, u64)> {
    let mut dumbbell = schema.draw_table(schema.definition("Dumbbell"), dice);
    let mut groups = Vec::new();
    for (key, kind) in [("browser_machines_per_side", "browsers"), ("server_machines_per_side", "servers")] {
        let most = if dice.is_wild() { 1000 } else { 20 };
        let machines = dice.count(1, most);
        dumbbell[key] = json!(machines);
        groups.extend(["left", "right"].map(|side| (format!("{kind}-{side}"), machines)));
    }
    document["dumbbell"] = dumbbell;
    if dice.chance(0.6) {
        let mut users = schema.draw_table(schema.definition("UsersTable"), dice);
        for key in ["per_side", "left", "right"] {
            users.as_object_mut().map(|users| users.remove(key));
        }
        if dice.chance(0.5) {
            users["per_side"] = json!(user_count(dice));
        } else {
            (users["left"], users["right"]) = (json!(user_count(dice)), json!(user_count(dice)));
        }
        document["users"] = users;
    }
    groups
}

fn user_count(dice: &mut Dice) -> u64 {
    let most = if dice.is_wild() { 5_000 } else { 100 };
    dice.count(0, most)
}

/// Populations, flows and datagrams between machine groups; at least some of the first two.
fn draw_traffic(document: &mut Json, groups: &[(String, u64)], schema: &Schema, dice: &mut Dice) {
    let mut populations = Vec::new();
    // Every population makes laws of its own, which takes the check milliseconds.
    for number in 0..few(dice).min(20) {
        let mut table = schema.draw_table(schema.definition("PopulationTable"), dice);
        let (browsers, servers) = pair(groups, dice);
        (table["browsers"], table["servers"]) = (json!(browsers), json!(servers));
        (table["name"], table["count"]) = (json!(format!("people{number}")), json!(user_count(dice)));
        populations.push(table);
    }
    let users = document.get("users").is_some() || !populations.is_empty();
    let directions: &[&str] = match document {
        _ if document.get("dumbbell").is_some() => &["left-to-right", "right-to-left"],
        _ if document.get("line").is_some() => &["down", "up"],
        _ => &[],
    };
    let mut flows = Vec::new();
    for _ in 0..few(dice).max(u64::from(!users)) {
        flows.push(flow_group(directions, groups, schema, dice));
    }
    document["populations"] = Json::Array(populations);
    document["flows"] = Json::Array(flows);
    let datagrams = (0..few(dice)).map(|_| datagram_group(directions, groups, schema, dice));
    document["datagrams"] = Json::Array(datagrams.collect());
}

/// 0 to 3, or a lot.
fn few(dice: &mut Dice) -> u64 {
    let most = if dice.wildness > 0.05 && dice.chance(0.02) { 300 } else { 3 };
    dice.between(0, most)
}

fn flow_group(directions: &[&str], groups: &[(String, u64)], schema: &Schema, dice: &mut Dice) -> Json {
    let mut table = schema.draw_table(schema.definition("FlowsTable"), dice);
    draw_ends(&mut table, directions, groups, dice);
    let most = if dice.is_wild() { 300 } else { 6 };
    table["count"] = json!(dice.count(1, most));
    draw_phases(&mut table, dice);
    let begins_by = |key: &str| table.get(key).is_some_and(|value| !value.is_null());
    if ["arrivals_hz", "starts_s", "phases"].into_iter().any(begins_by) || !begins_by("bytes") {
        remove(&mut table, &["think_s", "users"]);
    }
    table
}

/// Numbers of flows that rise to `count` and fall again, or none.
fn draw_phases(table: &mut Json, dice: &mut Dice) {
    let others: &[&str] = if dice.chance(0.7) { &["phases"] } else { &["starts_s", "arrivals_hz", "stop_s"] };
    let Some(entries) = table.as_object_mut() else { return };
    others.iter().for_each(|key| _ = entries.remove(*key));
    if others.len() > 1 {
        let most = table["count"].as_u64().unwrap_or(1);
        let few = dice.between(0, most);
        table["phases"] = json!({ "each_s": 1.0, "flows": [few, most, most, dice.between(0, most)] });
    }
}

/// Rates are those at which a campaign can pay some seconds of them.
fn datagram_group(directions: &[&str], groups: &[(String, u64)], schema: &Schema, dice: &mut Dice) -> Json {
    let mut table = schema.draw_table(schema.definition("DatagramsTable"), dice);
    draw_ends(&mut table, directions, groups, dice);
    let most = if dice.is_wild() { 100 } else { 4 };
    table["count"] = json!(dice.count(1, most));
    if !dice.is_wild() {
        table["rate_mbps"] = json!(0.01 + dice.uniform() * 2.0);
        table["packet_bytes"] = json!(dice.count(28, 1500));
    }
    if let Some(table) = table.as_object_mut() {
        ApplicationModel::KEYS[1..].iter().for_each(|key| _ = table.remove(*key));
    }
    if dice.chance(0.3) {
        draw_application(&mut table, dice);
        return table;
    }
    if dice.chance(0.5) {
        (table["on_s"], table["off_s"]) = (json!(0.001 + dice.uniform()), json!(0.001 + dice.uniform()));
    } else if let Some(table) = table.as_object_mut() {
        ["on_s", "off_s", "periods"].iter().for_each(|key| _ = table.remove(*key));
    }
    table
}

/// An application with a table of its own instead of a rate; of few packets per second.
fn draw_application(table: &mut Json, dice: &mut Dice) {
    table["packet_bytes"] = json!(dice.count(100, 1500));
    let drawn = ApplicationModel::drawn(dice.stream());
    let tables = dice.choose(&drawn);
    let Some(table) = table.as_object_mut() else { return };
    ["rate_mbps", "on_s", "off_s", "periods"].iter().for_each(|key| _ = table.remove(*key));
    let named = ApplicationModel::named_by(&PacketKeys::default(), tables);
    if named.iter().any(|model| model.facts(1500).receiver.is_some()) {
        table.remove("echo");
    }
    if let Ok(Json::Object(own)) = serde_json::to_value(tables) {
        table.extend(own);
    }
}

/// Between which machine groups a group of flows or datagrams goes; where the network has directions, they
/// say it in half of all cases, and of a line together with a device.
fn draw_ends(table: &mut Json, directions: &[&str], groups: &[(String, u64)], dice: &mut Dice) {
    if let Some(table) = table.as_object_mut() {
        ["direction", "senders", "receivers", "device"].iter().for_each(|key| _ = table.remove(*key));
    }
    if !directions.is_empty() && dice.chance(0.5) {
        let direction = *dice.choose(directions);
        table["direction"] = json!(direction);
        if ["down", "up"].contains(&direction) {
            table["device"] = json!(dice.choose(&groups[1..]).0);
        }
    } else {
        let (senders, receivers) = pair(groups, dice);
        (table["senders"], table["receivers"]) = (json!(senders), json!(receivers));
    }
}

/// Two different machine groups.
fn pair<'a>(groups: &'a [(String, u64)], dice: &mut Dice) -> (&'a str, &'a str) {
    let one = dice.between(0, groups.len() as u64 - 1) as usize;
    let step = dice.between(1, groups.len() as u64 - 1) as usize;
    (&groups[one].0, &groups[(one + step) % groups.len()].0)
}
