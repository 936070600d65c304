//! The links of a scenario, as both drivers have them.

use aqmlab_aqm::{Port, PortFacts, Queued, Scheme};
use aqmlab_link::{Channel, Link, Serializer, VaryingDelay};
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_units::Rate;
use std::collections::BTreeMap;

/// Only a link with a queue has something to be recorded.
pub(crate) fn is_monitored(link: &scenario::Link) -> bool {
    link.monitored && link.rate.is_some() && link.queue.is_some()
}

/// A link with this rate and scheme. The random numbers of its queue and of its service belong to its name
/// under the key of the run.
#[must_use]
pub fn link_of<P: Queued>(link: &scenario::Link, (rate, scheme): (Rate, &Scheme), key: Key) -> Link<P> {
    let coins = key_of_queue(link, key).named("coins").stream();
    let port = Port::new(scheme, port_facts_of(link, rate, key), coins);
    let service = (&link.service, key_of_service(link, key));
    Link::new(port, service, rate, link.framing, link.transmit_ring_packets)
}

/// Where the random numbers of a link's service are, under the key of the run.
#[must_use]
pub fn key_of_service(link: &scenario::Link, key: Key) -> Key {
    key_of_queue(link, key).named("service")
}

/// What the scheme of a link with this rate may know of its port, under the key of the run.
#[must_use]
pub fn port_facts_of(link: &scenario::Link, rate: Rate, key: Key) -> PortFacts {
    let key = key_of_queue(link, key);
    let facts = PortFacts::new(rate).with_timer_phase(key.named("timer phase").uniform(0));
    let facts = facts.with_flow_salt(key.named("flow salt").bits(0));
    facts.with_layer2_queued_bytes(link.layer2_queued_bytes).shaped(link.shaping)
}

/// How long packets are under way behind a link, where that varies, and whether they may overtake one
/// another. Its random numbers belong to the link's name under the key of the run.
#[must_use]
pub fn varying_delay(link: &scenario::Link, key: Key) -> Option<(VaryingDelay, bool)> {
    let model = link.delay_model.as_ref()?;
    Some((VaryingDelay::new(model, key_of_queue(link, key).named("propagation")), model.reorders()))
}

fn key_of_queue(link: &scenario::Link, key: Key) -> Key {
    key.named("queue").named(&link.name)
}

/// What sends on a link without a queue discipline; none of a wire, on which sending takes no time.
#[must_use]
pub fn serializer_of(link: &scenario::Link) -> Option<Serializer> {
    link.rate.map(|rate| Serializer::new(rate, link.framing))
}

/// The channels that several of these links share. Links have their places in the list as numbers.
pub fn channels<'a>(links: impl IntoIterator<Item = &'a scenario::Link>) -> Vec<Channel> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, link) in links.into_iter().enumerate() {
        if let Some(name) = link.service.channel() {
            members.entry(name).or_default().push(place);
        }
    }
    members.into_values().filter(|places| places.len() > 1).map(Channel::new).collect()
}

/// Whether a link of a network takes turns with others: what it sends then hangs on theirs.
#[must_use]
pub fn shares_a_channel(network: &scenario::Network, link: &scenario::Link) -> bool {
    let name = link.service.channel();
    name.is_some() && network.links.iter().filter(|other| other.service.channel() == name).count() > 1
}
