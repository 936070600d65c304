//! The topology that a `[line]` stands for.
//!
//! ```text
//! internet-0 ... ── provider ══ modem ── router ── home ── device, device ...
//!                      down →   ← up     router-down →
//!                                        ← router-up
//! ```
//!
//! With `sold_..._mbps` there is one more router, between the provider's and the modem, and the line behind
//! it carries all that it is sent.

use super::{Connection, DeviceTable, Line, LineWay};
use crate::document::{LinkTable, NodeTable, ShaperTable, Topology};
use crate::{NodeKind, Scheme};
use aqmlab_aqm::parts::{LineCoding, LinkLayer};
use aqmlab_link::Medium;

/// The nodes that are no devices.
pub(crate) const RESERVED: [&str; 7] = [INTERNET, PROVIDER, STREET, MODEM, ROUTER, HOME, AUTORATE];
pub(crate) const INTERNET: &str = "internet";
const PROVIDER: &str = "provider";
/// Where the line proper begins, behind a provider who holds it to what is sold.
const STREET: &str = "street";
const MODEM: &str = "modem";
const ROUTER: &str = "router";
const HOME: &str = "home";
/// The program in the router that pings, where shapers follow the line.
pub(crate) const AUTORATE: &str = "autorate";

/// What Linux counts with each packet where nobody says: the header of Ethernet.
const ETHERNET_HEADER_BYTES: i32 = 14;
/// The frames of which a provider's rate is sold (Ethernet without preamble and gap).
pub(crate) const SOLD: LinkLayer =
    LinkLayer { overhead_bytes: 18, minimum_frame_bytes: 64, coding: LineCoding::None };

/// The keys of a document that say the queue and the rate of a link, by its name.
pub(crate) fn keys_of(link: &str) -> Option<[&'static str; 2]> {
    Some(match link {
        "down" => ["line.provider_queue", "line.down_mbps"],
        "up" => ["line.modem_queue", "line.up_mbps"],
        "router-down" => ["line.router_queue_down", "line.down_mbps"],
        "router-up" => ["line.router_queue_up", "line.up_mbps"],
        _ => return None,
    })
}

/// Whether a link of this name is a port of the router.
pub(crate) fn is_in_router(link: &str) -> bool {
    link.starts_with("router-")
}

impl Line {
    /// The network of this line and these devices.
    pub(crate) fn unfolded(&self, devices: &[DeviceTable]) -> Topology {
        let [down, up] = self.ways();
        let is_held = down.sold_mbps.or(up.sold_mbps).is_some();
        let street = if is_held { STREET } else { PROVIDER };
        let routers = [Some(PROVIDER), is_held.then_some(STREET), Some(MODEM), Some(ROUTER), Some(HOME)];
        let mut nodes = vec![node(INTERNET, NodeKind::Host, self.server_machines)];
        nodes.extend(routers.into_iter().flatten().map(|name| node(name, NodeKind::Router, 1)));
        nodes.extend(devices.iter().map(|device| node(&device.name, NodeKind::Host, 1)));
        let follows = self.cake_autorate.is_some();
        nodes.extend(follows.then(|| node(AUTORATE, NodeKind::Host, 1)));
        let mut links = vec![LinkTable { both_ways: true, ..self.port(INTERNET, PROVIDER) }];
        links.extend(self.of_way(&down, [PROVIDER, street, MODEM]));
        links.extend(self.of_way(&up, [PROVIDER, street, MODEM]));
        links.push(self.in_router(&up, [ROUTER, MODEM]));
        links.push(self.port(MODEM, ROUTER));
        links.push(self.in_router(&down, [ROUTER, HOME]));
        links.push(self.port(HOME, ROUTER));
        links.extend(devices.iter().flat_map(|device| self.to_device(device)));
        links.extend(follows.then(|| LinkTable::between(AUTORATE, ROUTER)));
        Topology { nodes, links }
    }

    /// The links of one way over the line, one or two; the one with the queue has the name of the way.
    fn of_way(&self, way: &LineWay<'_>, [provider, street, modem]: [&str; 3]) -> Vec<LinkTable> {
        let is_down = way.name == "down";
        let ends = |near: &str, far: &str| if is_down { self.port(near, far) } else { self.port(far, near) };
        let line = LinkTable {
            rate_mbps: Some(way.rate_mbps),
            delay_ms: self.delay_ms.unwrap_or_default(),
            medium: way.medium.clone(),
            rate_trace_file: way.trace.cloned(),
            conditions_file: way.conditions.cloned(),
            conditions_way: way.conditions.map(|_| way.conditions_way),
            conditions_end: way.conditions_end,
            netem: way.netem,
            ..framed(ends(street, modem), self.link_layer())
        };
        let named = |link: LinkTable, queue: &Scheme| LinkTable {
            name: Some(way.name.to_owned()),
            queue: Some(queue.clone()),
            monitored: Some(true),
            loss_probability: way.loss_probability,
            ..link
        };
        let Some(queue) = way.queue else { return vec![line] };
        if provider == street {
            return vec![named(line, queue)];
        }
        // The slower of the two has the buffer. Where the provider is the slower one up, the modem's fills
        // only as far as the line itself is too slow.
        let Some(sold_mbps) = way.sold_mbps.filter(|sold| *sold < way.rate_mbps) else {
            return vec![ends(provider, street), named(line, queue)];
        };
        let sold = LinkTable { rate_mbps: Some(sold_mbps), ..framed(ends(provider, street), SOLD) };
        // Packets that are shorter than those the sold rate was compared with may still wait behind it.
        let behind = LinkTable { queue: Some(queue.clone()), monitored: Some(false), ..line };
        vec![named(sold, queue), behind]
    }

    /// The router's port of one way.
    fn in_router(&self, way: &LineWay<'_>, [from, to]: [&str; 2]) -> LinkTable {
        LinkTable {
            name: Some(format!("router-{}", way.name)),
            queue: way.router_queue.cloned(),
            shaper: self.shaper(way),
            monitored: Some(true),
            ..self.port(from, to)
        }
    }

    /// The shaper of one way in the router, if it has one: to a share of what limits this way, counted as
    /// that counts.
    fn shaper(&self, way: &LineWay<'_>) -> Option<ShaperTable> {
        let (rate_mbps, link_layer) = match way.sold_mbps.filter(|sold| *sold < way.rate_mbps) {
            Some(sold_mbps) => (sold_mbps, SOLD),
            None => (way.rate_mbps, self.link_layer()),
        };
        let told = if self.shapers_know_framing {
            link_layer
        } else {
            LinkLayer { overhead_bytes: ETHERNET_HEADER_BYTES, ..LinkLayer::default() }
        };
        Some(ShaperTable {
            rate_mbps: way.shaped_share? * rate_mbps,
            overhead_bytes: told.overhead_bytes,
            minimum_frame_bytes: told.minimum_frame_bytes,
            framing: told.coding,
            burst_bytes: 0,
        })
    }

    fn to_device(&self, device: &DeviceTable) -> Vec<LinkTable> {
        let (there, back) = (self.port(HOME, &device.name), self.port(&device.name, HOME));
        match (device.connection, device.wifi_mbps) {
            (Some(Connection::Wifi), Some(rate_mbps)) => {
                [there, back].map(|link| on_the_air(link, rate_mbps)).to_vec()
            }
            _ => vec![LinkTable { both_ways: true, ..there }],
        }
    }

    /// A link that never is the slowest, and queues without limit.
    fn port(&self, from: &str, to: &str) -> LinkTable {
        LinkTable { rate_mbps: self.interface_rate_mbps, both_ways: false, ..LinkTable::between(from, to) }
    }
}

fn node(name: &str, kind: NodeKind, count: u32) -> NodeTable {
    NodeTable { name: name.to_owned(), kind, count }
}

fn framed(link: LinkTable, link_layer: LinkLayer) -> LinkTable {
    LinkTable {
        layer2_overhead_bytes: link_layer.overhead_bytes.unsigned_abs(),
        layer2_minimum_frame_bytes: link_layer.minimum_frame_bytes,
        layer2_gap_bytes: 0,
        layer2_coding: link_layer.coding,
        ..link
    }
}

/// On the radio of the home, with the queue that Linux's access points and devices have.
fn on_the_air(link: LinkTable, rate_mbps: f64) -> LinkTable {
    let made = |json| serde_json::from_value::<Medium>(json).expect("a medium with its defaults");
    let queue = serde_json::json!({ "scheme": "fq-codel" });
    LinkTable {
        rate_mbps: Some(rate_mbps),
        medium: Some(made(serde_json::json!({ "wifi": { "channel": HOME } }))),
        queue: Some(serde_json::from_value(queue).expect("a scheme with its defaults")),
        monitored: Some(false),
        ..link
    }
}
