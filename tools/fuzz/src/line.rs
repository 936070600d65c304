//! Random lines to the Internet, with the devices behind them.

use crate::dice::Dice;
use crate::schema::Schema;
use serde_json::{Value as Json, json};

/// A `[line]` with devices; answers with its machine groups, that of the Internet first.
pub(crate) fn draw_line(document: &mut Json, schema: &Schema, dice: &mut Dice) -> Vec<(String, u64)> {
    let mut line = schema.draw_table(schema.definition("Line"), dice);
    let most = if dice.is_wild() { 300 } else { 20 };
    let machines = dice.count(1, most);
    line["server_machines"] = json!(machines);
    remove(&mut line, &["cake_autorate"]);
    if dice.chance(0.5) {
        draw_shapers(&mut line, schema, dice);
    }
    if line.get("reconfigurations").is_some() {
        // It says what else would say how rates vary.
        remove(&mut line, &["medium_down", "medium_up", "rates_vary"]);
    }
    document["line"] = line;
    let mut groups = vec![("internet".to_owned(), machines)];
    let mut devices = Vec::new();
    for number in 0..dice.between(1, 5) {
        let mut device = schema.draw_table(schema.definition("DeviceTable"), dice);
        let name = format!("device{number}");
        device["name"] = json!(name);
        devices.push(device);
        groups.push((name, 1));
    }
    document["devices"] = Json::Array(devices);
    groups
}

/// Shapers in the router, which follow the line in half of the cases.
fn draw_shapers(line: &mut Json, schema: &Schema, dice: &mut Dice) {
    let mut follow = schema.draw_table(schema.definition("CakeAutorate"), dice);
    let (least, most) = (0.01 + 0.3 * dice.uniform(), 1.0 + dice.uniform());
    (follow["minimum_share"], follow["maximum_share"]) = (json!(least), json!(most));
    for key in ["shaped_share_down", "shaped_share_up"] {
        line[key] = json!(least + (1.0 - least) * dice.uniform());
    }
    if dice.chance(0.5) {
        line["cake_autorate"] = follow;
    }
}

/// Leaves keys out.
pub(crate) fn remove(table: &mut Json, keys: &[&str]) {
    if let Some(table) = table.as_object_mut() {
        keys.iter().for_each(|key| _ = table.remove(*key));
    }
}
