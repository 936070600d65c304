//! In which classes the traffic of a scenario is, at ports that sort packets into classes, and how much links
//! carry of it.

use crate::conversations::{Conversation, TrafficGroup, Way};
use crate::network::{LinkIndex, NodeIndex};
use crate::routes::Routes;
use crate::scenario::Scenario;
use aqmlab_aqm::parts::Shaping;
use aqmlab_aqm::{Scheme, TrafficClasses};
use aqmlab_units::Rate;
use std::collections::BTreeMap;

/// The classes of a link's queue, and which of them have packets.
#[derive(Clone, Debug)]
pub struct ReachedClasses {
    /// The link.
    pub link: LinkIndex,
    /// Its classes.
    pub classes: TrafficClasses,
    /// Of each, whether any packet that counts is in it.
    pub has_packets: Vec<bool>,
}

impl ReachedClasses {
    /// Whether a class has packets; where no class has any, all could.
    fn is_in_use(&self, class: usize) -> bool {
        self.has_packets[class] || !self.has_packets.contains(&true)
    }
}

/// Packets that have one codepoint, from each of some machines to each of others.
struct Sent<'a> {
    dscp: u8,
    way: Way<'a>,
}

impl Scenario {
    /// The ports with classes, and which classes have data of the demands that count, by their places in
    /// [`Scenario::demands`].
    pub fn classes_with_data(&self, counts: impl Fn(usize) -> bool) -> Vec<ReachedClasses> {
        let answers = |group| matches!(group, TrafficGroup::Datagrams(group) if group.answers.is_some());
        let groups = self.traffic().enumerate().filter(|(place, own)| !answers(*own) && counts(*place));
        self.classes_reached(groups.flat_map(|(_, group)| {
            let dscp = dscp_of(group);
            group.conversations().map(move |own| Sent { dscp, way: seated(own, group).data() })
        }))
    }

    /// The same of all packets: requests, acknowledgements, echoes and pings among them.
    #[must_use]
    pub fn classes_with_packets(&self) -> Vec<ReachedClasses> {
        let sent = self.traffic().flat_map(|group| {
            let dscp = dscp_of(group);
            let ways = group.conversations().flat_map(move |own| seated(own, group).ways());
            ways.map(move |way| Sent { dscp, way })
        });
        let pings = self.pings().flat_map(|own| own.ways()).map(|way| Sent { dscp: 0, way });
        self.classes_reached(sent.chain(pings))
    }

    /// What each link carries of full packets if something always waits, as [`crate::Link::capacity`] says
    /// it, of the demands that count: where its queue has classes, no more than those let go that have their
    /// data.
    pub fn capacities_of(&self, counts: impl Fn(usize) -> bool) -> Vec<Option<Rate>> {
        let mut found: Vec<Option<Rate>> = self.network.links.iter().map(crate::Link::capacity).collect();
        for reached in self.classes_with_data(counts) {
            let link = self.network.link(reached.link);
            found[reached.link.0 as usize] = link.capacity_of_classes(&|class| reached.is_in_use(class));
        }
        found
    }

    /// The classes of the ports that have some.
    #[must_use]
    pub fn traffic_classes(&self) -> BTreeMap<LinkIndex, TrafficClasses> {
        let links = (0..).zip(&self.network.links);
        let of = |(number, link): (u32, &crate::Link)| {
            Some((LinkIndex(number), link.queue.as_ref()?.traffic_classes()?))
        };
        links.filter_map(of).collect()
    }

    /// The shaper that the queue of a link is itself, if it is one: of classes no more than those let go that
    /// have data.
    #[must_use]
    pub fn queue_shaping(&self, link: LinkIndex) -> Option<Shaping> {
        let queue = self.network.link(link).queue.as_ref()?;
        let reached = self.classes_with_data(|_| true).into_iter().find(|own| own.link == link);
        queue.own_shaping(&|class| reached.as_ref().is_none_or(|own| own.is_in_use(class)))
    }

    fn classes_reached<'a>(&self, all: impl Iterator<Item = Sent<'a>>) -> Vec<ReachedClasses> {
        let of_link = |(link, classes): (LinkIndex, TrafficClasses)| {
            let has_packets = vec![false; classes.classes.len()];
            ReachedClasses { link, classes, has_packets }
        };
        let mut found: Vec<ReachedClasses> = self.traffic_classes().into_iter().map(of_link).collect();
        if found.is_empty() {
            return found;
        }
        let washes = self
            .network
            .links
            .iter()
            .any(|link| matches!(&link.queue, Some(Scheme::Cake(cake)) if cake.wash));
        let routes = Routes::new(&self.network);
        for Sent { dscp, way } in all {
            // Behind a queue that clears codepoints packets have none.
            let codepoints = [dscp, if washes { 0 } else { dscp }];
            for (&to, &from) in way.to.iter().flat_map(|to| way.from.iter().map(move |from| (to, from))) {
                let path = routes.path(from, to).unwrap_or_default();
                for reached in found.iter_mut().filter(|own| path.contains(&own.link)) {
                    for dscp in codepoints {
                        reached.has_packets[reached.classes.class_of(dscp, from.0, to.0)] = true;
                    }
                }
            }
        }
        found
    }
}

/// Users take their machines in turn: where nobody sits, nobody sends.
fn seated<'a>(own: Conversation<'a>, group: TrafficGroup<'_>) -> Conversation<'a> {
    let most = |ends: &'a [NodeIndex]| &ends[..ends.len().min(group.size())];
    let mut seated = own;
    seated.ends[1 - own.data_from] = most(own.ends[1 - own.data_from]);
    seated
}

fn dscp_of(group: TrafficGroup<'_>) -> u8 {
    match group {
        TrafficGroup::Users(own) => own.dscp,
        TrafficGroup::Flows(own) => own.dscp,
        TrafficGroup::Datagrams(own) => own.dscp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Two customers of a site of 100 Mbit/s behind a link of 120: Ann has 40 and at most 80, Ben 20 and at
    /// most 50, of which calls have 2 at most; and a third, who has no class.
    fn plans() -> Scenario {
        let mut text = "name = \"plans\"\nduration_s = 1.0\n".to_owned();
        for (name, kind) in
            [("server", "host"), ("provider", "router"), ("site", "router"), ("ann", "host"), ("ben", "host")]
        {
            let _ = write!(text, "[[topology.nodes]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
        }
        text += "[[topology.links]]\nfrom = \"provider\"\nto = \"site\"\nrate_mbps = 120.0\nboth_ways = false\n\
                 layer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n\
                 uncongested_rate_mbps = 1000.0\n\
                 [topology.links.queue]\nscheme = \"htb\"\ndefault = \"ben\"\nclasses = [\n\
                 { name = \"site\", rate_mbps = 100.0 },\n\
                 { name = \"calls\", parent = \"site\", rate_mbps = 2.0, dscp = [46], hosts = [\"ben\"] },\n\
                 { name = \"ann\", parent = \"site\", rate_mbps = 40.0, ceil_mbps = 80.0, hosts = [\"ann\"] },\n\
                 { name = \"ben\", parent = \"site\", rate_mbps = 20.0, ceil_mbps = 50.0, hosts = [\"ben\"] },\n]\n";
        for (from, to, both) in [
            ("site", "provider", false),
            ("server", "provider", true),
            ("site", "ann", true),
            ("site", "ben", true),
        ] {
            let _ = write!(
                text,
                "[[topology.links]]\nfrom = \"{from}\"\nto = \"{to}\"\nboth_ways = {both}\nrate_mbps = 1000.0\n"
            );
        }
        for (to, dscp) in [("ann", 0), ("ben", 0), ("ben", 46)] {
            let _ = write!(
                text,
                "[[flows]]\nname = \"to-{to}-{dscp}\"\ncount = 1\nbytes = 1000000\nsenders = \"server\"\nreceivers = \"{to}\"\n\
                 dscp = {dscp}\nbase_rtt_ms = 20.0\n"
            );
        }
        Scenario::from_toml(&text, "plans", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    fn mbps(rate: Option<Rate>) -> f64 {
        rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64 / 1e6)
    }

    #[test]
    fn a_demand_has_the_ceilings_of_its_classes_and_all_together_that_of_the_site() {
        let scenario = plans();
        let of = |counts: &[usize]| mbps(scenario.capacities_of(|place| counts.contains(&place))[0]);
        // Ann 80, Ben 50, his calls 2: together no more than the site, as of nobody.
        assert_eq!([of(&[0]), of(&[1]), of(&[2]), of(&[1, 2])], [80.0, 50.0, 2.0, 52.0]);
        assert_eq!([of(&[0, 1, 2]), of(&[])], [100.0, 100.0]);
        let shaping = scenario.queue_shaping(LinkIndex(0)).map(|own| own.rate);
        assert_eq!(mbps(shaping), 100.0);
        assert_eq!(scenario.queue_shaping(LinkIndex(1)), None);
    }

    #[test]
    fn acknowledgements_are_in_classes_and_are_no_data() {
        let scenario = plans();
        let has = |found: Vec<ReachedClasses>| found[0].has_packets.clone();
        assert_eq!(has(scenario.classes_with_packets()), [true; 3]);
        assert_eq!(has(scenario.classes_with_data(|place| place == 2)), [true, false, false]);
    }

    #[test]
    fn no_class_holds_anything_back_in_the_uncongested_twin() {
        let twin = plans().uncongested_twin().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mbps(twin.network.links[0].capacity()), 1000.0);
        assert!(twin.traffic_classes().is_empty());
    }
}
