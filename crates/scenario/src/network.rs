//! The resolved network: nodes, one-way links, and what a datagram costs on them.

use crate::{EcnField, Scheme};
use aqmlab_aqm::parts::{Limit, Shaping};
use aqmlab_link::{DelayModel, Framing, Netem, ServiceModel, Steps};
use aqmlab_units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in [`Network::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// A place in [`Network::links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkIndex(pub u32);

/// Nodes and the one-way links between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Every node; [`NodeIndex`] counts them.
    pub nodes: Vec<Node>,
    /// Every one-way link; [`LinkIndex`] counts them.
    pub links: Vec<Link>,
}

impl Network {
    /// The node at an index.
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0 as usize]
    }

    /// The link at an index.
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn link(&self, index: LinkIndex) -> &Link {
        &self.links[index.0 as usize]
    }

    /// The hosts of a machine group, in order; empty when no host belongs to it.
    #[must_use]
    pub fn machines(&self, group: &str) -> Vec<NodeIndex> {
        let hosts = self.nodes.iter().zip(0..).filter(|(node, _)| node.kind == NodeKind::Host);
        hosts.filter(|(node, _)| node.group == group).map(|(_, index)| NodeIndex(index)).collect()
    }
}

/// A host or a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique in its network, such as `browsers-left-3`.
    pub name: String,
    /// The machine group it belongs to, such as `browsers-left`; a router is its own group.
    pub group: String,
    /// What it does with datagrams.
    pub kind: NodeKind,
}

/// What a node does with datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// Sends and receives; never forwards.
    Host,
    /// Forwards; no traffic begins or ends here.
    Router,
}

/// A link in one direction, with the queue in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique in its network; `left-to-right` and `right-to-left` are the bottleneck of a dumbbell.
    pub name: String,
    /// The sending node.
    pub from: NodeIndex,
    /// The node at the far end.
    pub to: NodeIndex,
    /// Transmission rate; none is an ideal wire, which delivers after `delay` alone and never queues.
    pub rate: Option<Rate>,
    /// How it serves packets at this rate, which is the mean where it varies.
    pub service: ServiceModel,
    /// Propagation delay, one way; the mean where it varies.
    pub delay: Span,
    /// How it varies; none: not at all.
    pub delay_model: Option<DelayModel>,
    /// What the link layer adds to a datagram.
    pub framing: Framing,
    /// The queue discipline; none is an unlimited first-in first-out queue.
    pub queue: Option<Scheme>,
    /// The shaper that holds back what the queue sends, below the link's rate; none: the link alone empties
    /// it.
    pub shaping: Option<Shaping>,
    /// Bytes of the link layer that the queue counts with each packet, on top of its IP length.
    pub layer2_queued_bytes: u32,
    /// Packets that the interface's driver takes out of the queue ahead of transmission.
    pub transmit_ring_packets: u32,
    /// What is lost or changed on the way to it; none: nothing.
    pub impairment: Option<Impairment>,
    /// Whether the drivers record this link.
    pub monitored: bool,
}

impl Link {
    /// Whether it is a wire that takes no time at all: it only leads to the next node.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        self.rate.is_none() && self.delay == Span::ZERO
    }

    /// How long in seconds full-size packets wait in a full buffer in front of this link. None where the
    /// scheme keeps waiting times at a target, and of a link without a rate or a queue discipline. Where the
    /// rate varies, at its mean.
    #[must_use]
    pub fn felt_buffer_s(&self) -> Option<f64> {
        Some(self.felt_buffer_packets()? / self.full_packets_per_second()?)
    }

    /// The same in full-size packets.
    #[must_use]
    pub fn felt_buffer_packets(&self) -> Option<f64> {
        let limit = self.queue.as_ref()?.felt_limit()?;
        let packets = limit.packets.map_or(f64::INFINITY, f64::from);
        let of_bytes = limit.bytes.map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(FULL_PACKET_BYTES));
        Some(packets.min(of_bytes))
    }

    /// Bits per second, preambles and gaps among them but nothing of cells, that it carries of IP packets of
    /// 1,500 bytes if something always waits; none of a wire, on which sending takes no time.
    #[must_use]
    pub fn capacity(&self) -> Option<Rate> {
        self.capacity_of_classes(&|_| true)
    }

    /// The same where its queue has classes, of which those have packets whose places `has_packets` accepts:
    /// a class lets go no more than its ceiling.
    pub(crate) fn capacity_of_classes(&self, has_packets: &dyn Fn(usize) -> bool) -> Option<Rate> {
        let service = self.service.capacity(self.rate?, self.framing, FULL_PACKET_BYTES);
        let framed = self.framing.frame_bytes(FULL_PACKET_BYTES) + self.framing.gap_bytes;
        let of_link = share(service, framed, self.framing.wire_bytes(FULL_PACKET_BYTES));
        let of_queue = self.queue.as_ref().and_then(|queue| queue.own_shaping(has_packets));
        let shapers = self.shaping.into_iter().chain(of_queue);
        let of_shapers = shapers.map(|own| share(own.rate, framed, own.link_layer.bytes(FULL_PACKET_BYTES)));
        of_shapers.chain([of_link]).min()
    }

    /// Whether a shaper holds back what waits in front of it below its rate: one of its own, or that of its
    /// queue, as of CAKE and HTB.
    #[must_use]
    pub fn is_shaped(&self) -> bool {
        let of_queue = self.queue.as_ref().and_then(|queue| queue.own_shaping(&|_| true));
        self.shaping.is_some() || of_queue.is_some_and(|own| self.rate.is_none_or(|rate| own.rate <= rate))
    }

    /// The rate at which its queue is emptied: its own, or that of the shaper in front of it.
    #[must_use]
    pub fn queue_rate(&self) -> Option<Rate> {
        self.shaping.map(|own| own.rate).or(self.rate)
    }

    /// A usual buffer for this link in full-size packets: what it sends in 100 ms, the bandwidth-delay
    /// product of a long round trip (the interval of RFC 8289), and 20 at least, the first windows of two
    /// connections (RFC 6928). None of a link without a rate.
    #[must_use]
    pub fn usual_buffer_packets(&self) -> Option<u32> {
        const LONG_ROUND_TRIP_S: f64 = 0.1;
        const TWO_FIRST_WINDOWS: f64 = 20.0;
        let product = (LONG_ROUND_TRIP_S * self.full_packets_per_second()?).ceil();
        Some(product.max(TWO_FIRST_WINDOWS) as u32)
    }

    /// The buffer that a second fills with full-size packets; none of a link without a rate.
    #[must_use]
    pub fn buffer_of_a_second(&self) -> Option<Limit> {
        self.full_packets_per_second().map(|packets| Limit::of_packets(packets as u32))
    }

    fn full_packets_per_second(&self) -> Option<f64> {
        let bytes = match self.shaping {
            Some(own) => own.link_layer.bytes(FULL_PACKET_BYTES),
            None => self.framing.wire_bytes(FULL_PACKET_BYTES),
        };
        Some(self.queue_rate()?.bits_per_second() as f64 / (8.0 * f64::from(bytes)))
    }
}

/// So many bytes of so many at a rate.
fn share(rate: Rate, part: u32, of: u32) -> Rate {
    if part == of {
        return rate;
    }
    let bits = u128::from(rate.bits_per_second()) * u128::from(part) / u128::from(of.max(1));
    Rate::from_bits_per_second(u64::try_from(bits).unwrap_or(u64::MAX).max(1))
}

/// A full-size packet (IP length).
const FULL_PACKET_BYTES: u32 = 1_500;

/// What happens to packets on their way to a link that no queue decides: losses, of chosen packets and by
/// chance, duplicates, and another ECN field.
#[derive(Clone, Debug, PartialEq)]
pub struct Impairment {
    /// Ordinals of the packets that are lost, from 1, ascending; each connection's packets over the link are
    /// counted by themselves, whatever they are.
    pub drop: Vec<u32>,
    /// Probability with which any other packet is lost, 0 to 1.
    pub loss_probability: f64,
    /// The same over time, in place of that.
    pub losses: Option<Steps<f64>>,
    /// Bursts of loss and duplicates.
    pub netem: Option<Netem>,
    /// What becomes of the ECN field of what is not lost.
    pub ecn_field: EcnField,
}

impl Impairment {
    const NONE: Self = Self {
        drop: Vec::new(),
        loss_probability: 0.0,
        losses: None,
        netem: None,
        ecn_field: EcnField::Kept,
    };

    /// The impairment with these losses, and this for the ECN field; none if nothing is lost or changed.
    pub(crate) fn new(drop: &[u32], loss_probability: f64, ecn_field: EcnField) -> Option<Self> {
        let mut drop = drop.to_vec();
        drop.sort_unstable();
        let any = !drop.is_empty() || loss_probability > 0.0 || !ecn_field.is_kept();
        any.then_some(Self { drop, loss_probability, ecn_field, ..Self::NONE })
    }

    /// The same with losses over time, and what netem does in front of a queue.
    pub(crate) fn with(own: Option<Self>, losses: Option<Steps<f64>>, netem: Option<Netem>) -> Option<Self> {
        let netem = netem.filter(|own| own.duplicate_probability > 0.0 || own.gilbert_elliott.is_some());
        if losses.is_none() && netem.is_none() {
            return own;
        }
        Some(Self { losses, netem, ..own.unwrap_or(Self::NONE) })
    }
}
