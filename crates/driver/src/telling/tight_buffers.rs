//! Buffers of less than two packets, where packets come just as transmissions end: whether they find a place
//! hangs on how instants are rounded.

use aqmlab_scenario::{Link, LinkIndex, NodeIndex, Routes, Scenario, SteadyRate};
use std::collections::BTreeSet;

/// Arrivals and ends of transmissions meet again and again where so many of these are a whole number of the
/// spaces between those.
const MOST_TRANSMISSIONS: u32 = 10;
/// Instants are whole nanoseconds.
const ONE_NANOSECOND: f64 = 1.0;

/// What is said of each such buffer.
pub(crate) fn of(scenario: &Scenario) -> Vec<String> {
    let routes = Routes::new(&scenario.network);
    let mut said = BTreeSet::new();
    for group in &scenario.datagrams {
        let Some(SteadyRate { rate, .. }) = group.sends.steady else { continue };
        let ip_bytes = u32::from(group.packet_bytes);
        let space_ns = f64::from(ip_bytes) * 8e9 / rate.bits_per_second() as f64;
        let first = group.sources.first().copied();
        let traffic = Traffic { name: &group.name, ip_bytes, space_ns: Some(space_ns) };
        said.extend(first.and_then(|ends| traffic.on_its_way(ends, scenario, &routes)));
    }
    for group in &scenario.flows {
        let ip_bytes = u32::from(group.profile.maximum_segment_bytes) + u32::from(group.profile.header_bytes);
        let first = group.flows.first().map(|flow| [flow.sender, flow.receiver]);
        let traffic = Traffic { name: &group.name, ip_bytes, space_ns: None };
        said.extend(first.and_then(|ends| traffic.on_its_way(ends, scenario, &routes)));
    }
    said.into_iter().collect()
}

/// Full packets of a group.
struct Traffic<'a> {
    name: &'a str,
    ip_bytes: u32,
    /// From one to the next as they are sent; none where only links space them.
    space_ns: Option<f64>,
}

impl Traffic<'_> {
    /// What is said of the first buffer on its way that is too small, and that it meets in step.
    fn on_its_way(
        &self,
        [from, to]: [NodeIndex; 2],
        scenario: &Scenario,
        routes: &Routes<'_>,
    ) -> Option<String> {
        let path: Vec<LinkIndex> = routes.path(from, to)?;
        let links: Vec<&Link> = path.iter().map(|&index| scenario.network.link(index)).collect();
        let (place, link) = links.iter().enumerate().find(|(_, link)| self.fills(link))?;
        let own_ns = self.transmission_ns(link)?;
        let of_links = links[..place].iter().filter_map(|before| self.transmission_ns(before));
        let meets = self.space_ns.into_iter().chain(of_links).any(|space_ns| is_in_step(own_ns, space_ns));
        meets.then(|| self.said_of(link))
    }

    /// Whether a second packet finds no place behind a first.
    fn fills(&self, link: &Link) -> bool {
        let counted = self.ip_bytes + link.layer2_queued_bytes;
        let room = link.queue.as_ref().map(|scheme| scheme.limit().room());
        room.is_some_and(|room| !room.admits(1, counted.into(), counted))
    }

    fn transmission_ns(&self, link: &Link) -> Option<f64> {
        let wire_bits = f64::from(link.framing.wire_bytes(self.ip_bytes)) * 8.0;
        Some(wire_bits * 1e9 / link.rate.filter(|_| link.service.is_constant())?.bits_per_second() as f64)
    }

    fn said_of(&self, link: &Link) -> String {
        format!(
            "{} holds less than two packets of {}, which arrive within a nanosecond of the end of a transmission: whether they \
             find a place hangs on how instants are rounded: set rate_tolerance_ppm, such as 100, or a limit of two packets or \
             more",
            link.name, self.name
        )
    }
}

/// Whether some transmissions take a whole number of spaces.
fn is_in_step(transmission_ns: f64, space_ns: f64) -> bool {
    (1..=MOST_TRANSMISSIONS).any(|count| {
        let span_ns = f64::from(count) * transmission_ns;
        let spaces = (span_ns / space_ns).round();
        spaces >= 1.0 && (span_ns - spaces * space_ns).abs() <= ONE_NANOSECOND
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dumbbell of 10 Mbit/s without framing, behind interfaces of this rate, and a stream of 1,000-byte
    /// packets.
    fn said(queue: &str, interface_mbps: f64, stream_mbps: f64) -> Vec<String> {
        let text = format!(
            "name = \"tight\"\nduration_s = 2.0\n[dumbbell]\nrate_mbps = 10.0\ninterface_rate_mbps = {interface_mbps}\n\
             layer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n\
             queue = {{ scheme = \"drop-tail\", {queue} }}\n[[datagrams]]\nname = \"stream\"\ncount = 1\n\
             direction = \"left-to-right\"\npacket_bytes = 1000\nrate_mbps = {stream_mbps}\n"
        );
        of(&Scenario::from_toml(&text, "tight", &[]).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn a_buffer_of_one_packet_is_named_where_packets_come_as_transmissions_end() {
        let warnings = said("limit_packets = 1", 977.13, 20.0);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].starts_with("left-to-right holds less than two packets of stream"),
            "{}",
            warnings[0]
        );
        assert!(warnings[0].contains("rate_tolerance_ppm"), "{}", warnings[0]);
        // 0.8 ms at the queue; every 0.4 ms a packet at 20 Mbit/s, every 0.64 ms at 12.5: four of them are
        // five.
        for (queue, stream) in
            [("limit_packets = 1", 12.5), ("limit_bytes = 1999", 20.0), ("limit_packets = 1", 10.0)]
        {
            assert_eq!(said(queue, 977.13, stream).len(), 1, "{queue} {stream}");
        }
        for (queue, stream) in
            [("limit_packets = 2", 20.0), ("limit_bytes = 2000", 20.0), ("limit_packets = 1", 13.7)]
        {
            assert_eq!(said(queue, 977.13, stream), Vec::<String>::new(), "{queue} {stream}");
        }
        // Ten packets of an interface of 100 Mbit/s take as long as one of the queue.
        assert_eq!(said("limit_packets = 1", 100.0, 13.7).len(), 1);
    }
}
