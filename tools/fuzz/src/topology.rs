//! Random networks of nodes and links in which everybody reaches everybody.

use crate::dice::Dice;
use crate::schema::Schema;
use serde_json::{Value as Json, json};

/// A network in the making.
pub(crate) struct Topology {
    nodes: Vec<Json>,
    links: Vec<Json>,
    routers: Vec<String>,
    /// The machine groups and how many hosts they have.
    pub(crate) groups: Vec<(String, u64)>,
}

impl Topology {
    pub(crate) fn draw(schema: &Schema, dice: &mut Dice) -> Self {
        let mut topology =
            Self { nodes: Vec::new(), links: Vec::new(), routers: Vec::new(), groups: Vec::new() };
        // Two hosts and the link between them are a network too.
        let routers = if dice.chance(0.1) { 0 } else { dice.between(1, 8) };
        (0..routers).for_each(|number| topology.add_router(number));
        match dice.between(0, 3) {
            0 => topology.join_in_a_row(schema, dice),
            1 => topology.join_to_the_first(schema, dice),
            2 => topology.join_in_a_ring(schema, dice),
            _ => topology.join_in_a_mesh(schema, dice),
        }
        topology.add_hosts(schema, dice);
        if dice.chance(0.1) {
            topology.nodes.reverse();
        }
        if dice.chance(0.1) {
            topology.links.reverse();
        }
        topology
    }

    pub(crate) fn into_json(self) -> Json {
        json!({ "nodes": self.nodes, "links": self.links })
    }

    fn add_router(&mut self, number: u64) {
        let name = format!("r{number}");
        self.nodes.push(json!({ "name": name, "kind": "router" }));
        self.routers.push(name);
    }

    /// A parking lot.
    fn join_in_a_row(&mut self, schema: &Schema, dice: &mut Dice) {
        for place in 1..self.routers.len() {
            self.join(place - 1, place, schema, dice);
        }
    }

    fn join_to_the_first(&mut self, schema: &Schema, dice: &mut Dice) {
        for place in 1..self.routers.len() {
            self.join(0, place, schema, dice);
        }
    }

    /// One way round: data and acknowledgements share no link.
    fn join_in_a_ring(&mut self, schema: &Schema, dice: &mut Dice) {
        let routers = self.routers.clone();
        if routers.len() < 2 {
            return;
        }
        for (place, from) in routers.iter().enumerate() {
            let to = &routers[(place + 1) % routers.len()];
            self.add_link(from, to, false, schema, dice);
        }
    }

    /// A random tree, and some short cuts.
    fn join_in_a_mesh(&mut self, schema: &Schema, dice: &mut Dice) {
        let mut joined = Vec::new();
        for place in 1..self.routers.len() {
            let to = dice.between(0, place as u64 - 1) as usize;
            joined.push((to, place));
            self.join(to, place, schema, dice);
        }
        for (from, to) in (0..self.routers.len()).flat_map(|to| (0..to).map(move |from| (from, to))) {
            if !joined.contains(&(from, to)) && dice.chance(0.3) {
                self.join(from, to, schema, dice);
            }
        }
    }

    /// Machine groups, each at a router of its own choice; without routers, two hosts at the ends of a link.
    fn add_hosts(&mut self, schema: &Schema, dice: &mut Dice) {
        let alone = self.routers.is_empty();
        let groups = if alone { 2 } else { dice.between(2, 5) };
        for number in 0..groups {
            let most = if dice.is_wild() { 300 } else { 6 };
            let count = if alone { 1 } else { dice.count(1, most) };
            let name = format!("hosts{number}");
            let mut node = json!({ "name": name, "kind": "host" });
            if count > 1 || dice.chance(0.3) {
                node["count"] = json!(count);
            }
            self.nodes.push(node);
            if !alone {
                let router = dice.choose(&self.routers).clone();
                self.join_names(&name, &router, schema, dice);
            }
            self.groups.push((name, count));
        }
        if alone {
            self.join_names("hosts0", "hosts1", schema, dice);
        }
    }

    fn join(&mut self, one: usize, other: usize, schema: &Schema, dice: &mut Dice) {
        let (one, other) = (self.routers[one].clone(), self.routers[other].clone());
        self.join_names(&one, &other, schema, dice);
    }

    /// The same link both ways, or two that differ.
    fn join_names(&mut self, one: &str, other: &str, schema: &Schema, dice: &mut Dice) {
        if dice.chance(0.7) {
            return self.add_link(one, other, true, schema, dice);
        }
        self.add_link(one, other, false, schema, dice);
        self.add_link(other, one, false, schema, dice);
    }

    fn add_link(&mut self, from: &str, to: &str, both_ways: bool, schema: &Schema, dice: &mut Dice) {
        let mut link = schema.draw_table(schema.definition("LinkTable"), dice);
        let queued = dice.chance(0.5);
        for (key, wanted) in [("queue", queued), ("rate_mbps", queued || dice.chance(0.7))] {
            let part = &schema.definition("LinkTable")["properties"][key];
            match schema.draw(part, key, dice).filter(|_| wanted) {
                Some(value) => link[key] = value,
                None => _ = link.as_object_mut().map(|link| link.remove(key)),
            }
        }
        (link["from"], link["to"], link["both_ways"]) = (json!(from), json!(to), json!(both_ways));
        self.links.push(link);
    }
}
