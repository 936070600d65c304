//! What the shorthands of networks share: ports, each with a rate and a scheme that one key or another says.

use crate::Scheme;

/// A link with a queue in front of it, of a network that a shorthand stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Port<'a> {
    /// The node that sends on it, by its place among the network's nodes.
    pub(crate) from: u32,
    /// The node at the far end.
    pub(crate) to: u32,
    pub(crate) rate_mbps: f64,
    /// The dotted key that says the rate.
    pub(crate) rate_key: String,
    pub(crate) delay_ms: f64,
    pub(crate) queue: &'a Scheme,
    /// The dotted key that says the queue.
    pub(crate) queue_key: String,
}

/// A network whose links with a queue come first, two for each of its `links`.
pub(crate) trait Ports {
    /// How many links with a queue it has.
    fn port_count(&self) -> usize;

    /// The port at a place below that number: the place of its link among the network's links.
    fn port(&self, place: usize) -> Port<'_>;

    /// All of them, in order.
    fn ports(&self) -> impl Iterator<Item = Port<'_>>
    where
        Self: Sized,
    {
        (0..self.port_count()).map(|place| self.port(place))
    }
}

/// Where a port's settings are looked up: in the table of its own link, if there is one, before the
/// shorthand's; of the direction back, in its own key before the one for both.
pub(super) struct Lookup {
    /// The shorthand's table.
    pub(super) path: &'static str,
    /// The place of the link's own table, if there is one.
    pub(super) own: Option<usize>,
    pub(super) is_back: bool,
}

impl Lookup {
    /// A setting and the key that says it, of the keys for both directions and for the one back: those of the
    /// link's own table, and the shorthand's, of which the one for both is always given.
    pub(super) fn of<'a, T>(
        &self,
        [both, back]: [&str; 2],
        own: [Option<&'a T>; 2],
        (shared_both, shared_back): (&'a T, Option<&'a T>),
    ) -> (&'a T, String) {
        let Self { path, is_back, .. } = *self;
        let back_only = |value: Option<&'a T>| value.filter(|_| is_back);
        let own_key = |name: &str| format!("{path}.links.{}.{name}", self.own.unwrap_or_default());
        if let Some(value) = back_only(own[1]) {
            (value, own_key(back))
        } else if let Some(value) = own[0] {
            (value, own_key(both))
        } else if let Some(value) = back_only(shared_back) {
            (value, format!("{path}.{back}"))
        } else {
            (shared_both, format!("{path}.{both}"))
        }
    }
}

/// Machines alike behind one router, each with an interface of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MachineGroup {
    pub(crate) name: String,
    pub(crate) count: u32,
    /// The router, by its place among the network's nodes.
    pub(crate) router: u32,
    pub(crate) rate_mbps: f64,
    pub(crate) delay_ms: f64,
}
