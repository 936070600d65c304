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

/// What the links of a network have in common.
pub(crate) struct CommonSettings<'a> {
    pub(crate) rate_mbps: f64,
    pub(crate) delay_ms: f64,
    pub(crate) queue: &'a Scheme,
    /// Of the direction back, where that differs.
    pub(crate) rate_back_mbps: Option<f64>,
    pub(crate) queue_back: Option<&'a Scheme>,
}

/// What the table of a link gives that differs from the others.
#[derive(Clone, Copy, Default)]
pub(crate) struct OwnSettings<'a> {
    pub(crate) rate_mbps: Option<f64>,
    pub(crate) delay_ms: Option<f64>,
    pub(crate) queue: Option<&'a Scheme>,
    pub(crate) rate_back_mbps: Option<f64>,
    pub(crate) queue_back: Option<&'a Scheme>,
}

/// A network whose links with a queue come first, the two directions of each together. Its links are alike,
/// but for those with a table of their own.
pub(crate) trait Ports {
    /// The shorthand's table.
    const PATH: &'static str;
    /// The key that says of which link a table is, which is what a link is called.
    const LINK: &'static str;
    /// The keys of the direction back.
    const RATE_BACK: &'static str;
    const QUEUE_BACK: &'static str;

    /// How many links there are.
    fn link_count(&self) -> u32;

    /// The nodes that a link joins, by their places among the network's nodes, in the direction there.
    fn ends(link: u32) -> (u32, u32);

    fn common(&self) -> CommonSettings<'_>;

    /// The links with a table of their own, in the order of the tables.
    fn links_with_a_table(&self) -> impl Iterator<Item = u32>;

    /// What a table gives, by its place.
    fn own(&self, table: usize) -> OwnSettings<'_>;

    /// How many links with a queue it has.
    fn port_count(&self) -> usize {
        2 * self.link_count() as usize
    }

    /// The port at a place below that number: the place of its link among the network's links.
    fn port(&self, place: usize) -> Port<'_> {
        let (link, is_back) = (place as u32 / 2, place % 2 == 1);
        let table = self.links_with_a_table().position(|own| own == link);
        let (common, own) = (self.common(), table.map(|table| self.own(table)).unwrap_or_default());
        let lookup = Lookup { path: Self::PATH, table, is_back };
        let (rate_mbps, rate_key) = lookup.of(
            ["rate_mbps", Self::RATE_BACK],
            [own.rate_mbps, own.rate_back_mbps],
            (common.rate_mbps, common.rate_back_mbps),
        );
        let (queue, queue_key) = lookup.of(
            ["queue", Self::QUEUE_BACK],
            [own.queue, own.queue_back],
            (common.queue, common.queue_back),
        );
        let delay_ms = own.delay_ms.unwrap_or(common.delay_ms);
        let (near, far) = Self::ends(link);
        let (from, to) = if is_back { (far, near) } else { (near, far) };
        Port { from, to, rate_mbps, rate_key, delay_ms, queue, queue_key }
    }

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
struct Lookup {
    /// The shorthand's table.
    path: &'static str,
    /// The place of the link's own table, if there is one.
    table: Option<usize>,
    is_back: bool,
}

impl Lookup {
    /// A setting and the key that says it, of the keys for both directions and for the one back: those of the
    /// link's own table, and the shorthand's, of which the one for both is always given.
    fn of<T: Copy>(
        &self,
        [both, back]: [&str; 2],
        own: [Option<T>; 2],
        (common_both, common_back): (T, Option<T>),
    ) -> (T, String) {
        let Self { path, is_back, .. } = *self;
        let back_only = |value: Option<T>| value.filter(|_| is_back);
        let own_key = |name: &str| format!("{path}.links.{}.{name}", self.table.unwrap_or_default());
        if let Some(value) = back_only(own[1]) {
            (value, own_key(back))
        } else if let Some(value) = own[0] {
            (value, own_key(both))
        } else if let Some(value) = back_only(common_back) {
            (value, format!("{path}.{back}"))
        } else {
            (common_both, format!("{path}.{both}"))
        }
    }
}

/// Rate and queue of both directions, and of the direction back where those differ, to be changed.
pub(super) struct BothWays<'a> {
    pub(super) rate_mbps: &'a mut f64,
    pub(super) queue: &'a mut Scheme,
    pub(super) rate_back_mbps: &'a mut Option<f64>,
    pub(super) queue_back: &'a mut Option<Scheme>,
}

impl BothWays<'_> {
    /// The same discipline or rate said twice is the same: one form for equal scenarios, and an override of
    /// `queue` then changes both directions.
    pub(super) fn settle(self) {
        if self.queue_back.as_ref() == Some(&*self.queue) {
            *self.queue_back = None;
        }
        if *self.rate_back_mbps == Some(*self.rate_mbps) {
            *self.rate_back_mbps = None;
        }
    }

    /// Both directions take this rate and this queue.
    pub(super) fn become_alike(self, rate_mbps: f64, queue: &Scheme) {
        (*self.rate_mbps, *self.rate_back_mbps) = (rate_mbps, None);
        (*self.queue, *self.queue_back) = (queue.clone(), None);
    }
}

/// Makes a network whose links are alike, but for those in its `links`, one with [`Ports`].
macro_rules! ports {
    (
        $network:ident at $path:literal: $count:ident, each a $link:ident from $ends:expr;
        back: $rate_back:ident, $queue_back:ident;
    ) => {
        impl $network {
            fn both_ways(&mut self) -> BothWays<'_> {
                BothWays {
                    rate_mbps: &mut self.rate_mbps,
                    queue: &mut self.queue,
                    rate_back_mbps: &mut self.$rate_back,
                    queue_back: &mut self.$queue_back,
                }
            }

            pub(crate) fn settle(&mut self) {
                self.both_ways().settle();
            }

            /// Every link takes its uncongested rate and queue.
            pub(crate) fn become_uncongested(&mut self) {
                let links = self.ports().map(|port| (port.rate_mbps, port.queue));
                let rate_mbps = twin_rate_mbps((self.uncongested_rate_mbps, &self.uncongested_queue), links);
                let queue = self.uncongested_queue.clone();
                self.uncongested_rate_mbps = rate_mbps;
                self.both_ways().become_alike(rate_mbps, &queue);
                for own in &mut self.links {
                    (own.rate_mbps, own.$rate_back) = (None, None);
                    (own.queue, own.$queue_back) = (None, None);
                }
                // What is left of a link's own is its delay.
                self.links.retain(|own| own.delay_ms.is_some());
            }
        }

        impl Ports for $network {
            const PATH: &'static str = $path;
            const LINK: &'static str = stringify!($link);
            const RATE_BACK: &'static str = stringify!($rate_back);
            const QUEUE_BACK: &'static str = stringify!($queue_back);

            fn link_count(&self) -> u32 {
                self.$count
            }

            fn ends(link: u32) -> (u32, u32) {
                let ends: fn(u32) -> (u32, u32) = $ends;
                ends(link)
            }

            fn common(&self) -> CommonSettings<'_> {
                CommonSettings {
                    rate_mbps: self.rate_mbps,
                    delay_ms: self.delay_ms,
                    queue: &self.queue,
                    rate_back_mbps: self.$rate_back,
                    queue_back: self.$queue_back.as_ref(),
                }
            }

            fn links_with_a_table(&self) -> impl Iterator<Item = u32> {
                self.links.iter().map(|own| own.$link)
            }

            fn own(&self, table: usize) -> OwnSettings<'_> {
                let own = &self.links[table];
                OwnSettings {
                    rate_mbps: own.rate_mbps,
                    delay_ms: own.delay_ms,
                    queue: own.queue.as_ref(),
                    rate_back_mbps: own.$rate_back,
                    queue_back: own.$queue_back.as_ref(),
                }
            }
        }
    };
}
pub(super) use ports;

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
