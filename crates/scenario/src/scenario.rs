//! The resolved scenario: what a driver consumes.

use crate::document::{DelayOn, DelayOwner, Document, EcnCodepoint, Responses, ThroughputLayer};
use crate::network::{LinkIndex, Network, NodeIndex};
use crate::{HostProfile, ResponseEnd, StartRule, UserModel};
use aqmlab_applications::{ApplicationModel, FramesFacts, HEADER_BYTES, Sends};
use aqmlab_link::{CakeAutorate, FollowedRates};
use aqmlab_random::Law;
use aqmlab_session::Writes;
use aqmlab_transport::OtherTransport;
use aqmlab_units::Span;
use aqmlab_web::{RoundTripLaw, SizeLaw};

/// A checked experiment, with every default filled in and every name resolved to an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name of the experiment.
    pub name: String,
    /// What it is for, in its author's words; may be empty.
    pub description: String,
    /// Simulated time in all, longer than `warm_up + cool_down`.
    pub duration: Span,
    /// Cut at the start: nothing in it is measured.
    pub warm_up: Span,
    /// Cut at the end: nothing in it is measured.
    pub cool_down: Span,
    /// An earlier end, if the clock does not decide alone.
    pub end_after: Option<EndAfter>,
    /// Each link's clock is off its rate by a share drawn from `-rate_tolerance..rate_tolerance`.
    pub rate_tolerance: f64,
    /// Each rated link, and each flow's added delay, is longer by a time drawn from `[0, delay_phase)`.
    pub delay_phase: Span,
    /// Nodes and links.
    pub network: Network,
    /// Browsing users.
    pub populations: Vec<Population>,
    /// Long-lived flows.
    pub flows: Vec<FlowGroup>,
    /// Sources of datagrams.
    pub datagrams: Vec<DatagramGroup>,
    /// The router's shapers, if they follow the line.
    pub shaper_follower: Option<ShaperFollower>,
    /// What a run records.
    pub record: Record,
    /// What all of it was resolved from: a scenario comes from a checked document and from nothing else.
    pub(crate) document: Document,
}

/// A program in a router that pings reflectors and sets two shapers by how long that takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaperFollower {
    /// Its rule.
    pub parameters: CakeAutorate,
    /// Where it runs.
    pub node: NodeIndex,
    /// Whom it pings, one after the other.
    pub reflectors: Vec<NodeIndex>,
    /// The links behind its shapers, down and up.
    pub links: [LinkIndex; 2],
    /// What these may be set to.
    pub rates: [FollowedRates; 2],
}

/// The exchanges with which a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndAfter {
    /// The place of the population whose they are.
    pub population: usize,
    /// How many of those that end in the measured window.
    pub exchanges: u64,
}

/// Browsing users alike in everything but their random draws. User `i` sits at machine
/// `browsers[i % browsers.len()]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// Unique among populations; `left` and `right` in a dumbbell.
    pub name: String,
    /// How many users; a side of a dumbbell may have none.
    pub users: u32,
    /// The machines they sit at; never empty.
    pub browsers: Vec<NodeIndex>,
    /// The machines they browse; never empty.
    pub servers: Vec<NodeIndex>,
    /// How they browse.
    pub model: UserModel,
    /// Their state when the run begins.
    pub start: StartRule,
    /// The delay on the browser's outbound packets.
    pub minimum_delay: MinimumDelay,
    /// What packets meet at the routers that their senders hang on.
    pub delay_box: Option<DelayBox>,
    /// The TCP of browsers and servers; where they have another transport, the one that comes nearest.
    pub profile: HostProfile,
    /// What carries their connections; none: TCP.
    pub transport: Option<OtherTransport>,
    /// Differentiated services codepoint of the packets, both ways, from 0 to 63.
    pub dscp: u8,
}

impl Population {
    /// Whether its hosts send one way alone, so that request and response have a connection each.
    #[must_use]
    pub fn sends_one_way(&self) -> bool {
        self.profile.is_one_way()
    }
}

/// A minimum round-trip delay in whole milliseconds of `low_ms..=high_ms`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimumDelay {
    /// The shortest.
    pub low_ms: u32,
    /// The longest, at least `low_ms`.
    pub high_ms: u32,
    /// Who has a delay of its own.
    pub per: DelayOwner,
    /// Shape: a share u of the delays lies below low + (high - low) u^power.
    pub power: f64,
    /// The tick of the machines' kernel clocks that release delayed packets; none: each is delayed exactly. A
    /// packet counts from the last tick, for whole ticks of its delay, as in FreeBSD's dummynet
    /// (ip_dummynet.c).
    pub clock_tick: Option<Span>,
}

impl MinimumDelay {
    /// Whether every packet is delayed: what is shorter than a tick is not.
    #[must_use]
    pub fn takes_time(&self) -> bool {
        let shortest = Span::from_milliseconds(u64::from(self.low_ms));
        shortest > Span::ZERO && self.clock_tick.is_none_or(|tick| shortest >= tick)
    }

    /// How long packets are delayed on average whose delay is `nominal`: with a clock, half a tick less than
    /// its whole ticks.
    #[must_use]
    pub fn mean_of(&self, nominal: Span) -> Span {
        match self.clock_tick {
            None => nominal,
            Some(tick) => match nominal.div_floor(tick) {
                0 => Span::ZERO,
                ticks => tick * ticks - Span::from_nanoseconds(tick.nanoseconds() / 2),
            },
        }
    }
}

/// Long-lived flows alike in everything but their delays and machines.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowGroup {
    /// Unique among flow groups.
    pub name: String,
    /// The flows; never empty.
    pub flows: Vec<Flow>,
    /// Whether the flows have their delays as they stand, or a run draws them from its seed.
    pub delays: FlowDelays,
    /// When each flow starts.
    pub starts: FlowStarts,
    /// When they stop; none: never, or when all of `bytes` have arrived.
    pub stop: Option<Span>,
    /// The TCP of both ends; where they have another transport, the one that comes nearest.
    pub profile: HostProfile,
    /// What carries their connections; none: TCP.
    pub transport: Option<OtherTransport>,
    /// Differentiated services codepoint of the packets, both ways, from 0 to 63.
    pub dscp: u8,
    /// Bytes each flow carries before it closes; none: without end.
    pub bytes: Option<SizeLaw>,
    /// At which rate its application writes; none: as fast as the connection takes it.
    pub writes: Option<Writes>,
    /// What packets meet at the routers that their senders hang on.
    pub delay_box: Option<DelayBox>,
}

/// A DelayBox: bottleneck rate and loss, which each connection draws once, uniform from the lowest to the
/// highest, for the packets of either end. Each end has a bottleneck of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayBox {
    /// The lowest and the highest rate in Mbit/s, of IP; none: packets pass at once.
    pub rate_mbps: Option<[f64; 2]>,
    /// The lowest and the highest probability that a packet is lost.
    pub loss_probability: [f64; 2],
}

/// When the flows of a group start. One whose instant is behind the end of the run never does.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowStarts {
    /// Each at an instant drawn uniformly from `[first, first + spread)`; of no spread all at once.
    Spread {
        /// The first instant possible.
        first: Span,
        /// Over which they are spread.
        spread: Span,
    },
    /// One after another, with exponential intervals.
    Poisson {
        /// When the process begins.
        first: Span,
        /// Seconds from one to the next, in the mean.
        mean_interval_s: f64,
    },
    /// The first of each user as of [`FlowStarts::Spread`], and each other one when this user has thought
    /// about the one before.
    Thinking {
        /// The first instant possible.
        first: Span,
        /// Over which first flows are spread.
        spread: Span,
        /// Users, to whom the flows are dealt in turn.
        users: u32,
        /// Seconds from the end of one to the start of the next.
        think: Law,
    },
    /// Each at its own instant.
    Listed(Vec<Span>),
    /// Each at an instant drawn uniformly from the first so many of its own time, at whose end it stops.
    Phases {
        /// Of each flow.
        lives: Vec<Life>,
        /// Over which starts are spread, shorter than any life.
        spread: Span,
    },
}

/// From when until when a flow is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// The first instant at which it may start.
    pub from: Span,
    /// When it stops.
    pub until: Span,
}

/// Where the delays of the flows of a group come from.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowDelays {
    /// Each flow has its own.
    Given,
    /// The flows have them in an order that a run draws.
    Dealt,
    /// A run draws each from a law; until then flows have its shortest.
    Drawn {
        /// The law.
        law: RoundTripLaw,
        /// Whose packets carry the delay.
        on: DelayOn,
    },
}

/// One long-lived flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The machine that sends the data.
    pub sender: NodeIndex,
    /// The machine that receives it.
    pub receiver: NodeIndex,
    /// Delay added to each packet that leaves the sender.
    pub delay_from_sender: Span,
    /// Delay added to each packet that leaves the receiver.
    pub delay_from_receiver: Span,
}

impl Flow {
    /// The flow with a round-trip delay, on the packets of whom `on` says.
    #[must_use]
    pub fn delayed(self, round_trip: Span, on: DelayOn) -> Self {
        let half = Span::from_nanoseconds(round_trip.nanoseconds() / 2);
        let (delay_from_sender, delay_from_receiver) = match on {
            DelayOn::Both => (half, round_trip - half),
            DelayOn::Sender => (round_trip, Span::ZERO),
            DelayOn::Receiver => (Span::ZERO, round_trip),
        };
        Self { delay_from_sender, delay_from_receiver, ..self }
    }
}

/// Sources of datagrams alike in everything but their machines and random draws.
#[derive(Clone, Debug, PartialEq)]
pub struct DatagramGroup {
    /// Unique among groups of datagrams.
    pub name: String,
    /// The machines of each source, sender and receiver; never empty.
    pub sources: Vec<[NodeIndex; 2]>,
    /// Length of the IP packets, at least [`DatagramGroup::HEADER_BYTES`]; the greatest where they differ.
    pub packet_bytes: u16,
    /// The application, legal with packets of its sender's length.
    pub application: ApplicationModel,
    /// Which part of it these sources are.
    pub role: Role,
    /// What each source sends.
    pub sends: Sends,
    /// The first instant at which a source may start.
    pub start: Span,
    /// Each source starts at an instant drawn uniformly from `[start, start + start_spread)`.
    pub start_spread: Span,
    /// When the sources stop; none: never.
    pub stop: Option<Span>,
    /// With which packets leave.
    pub ecn: EcnCodepoint,
    /// Differentiated services codepoint of the packets, from 0 to 63.
    pub dscp: u8,
    /// The place, among all groups, of the one whose datagrams these sources answer, source by source; none
    /// of senders.
    pub answers: Option<usize>,
}

/// Which part of an application the sources of a group are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The senders.
    Sender,
    /// The receivers, which send packets of their own; each is woken first within this interval from the
    /// start on.
    Receiver(Span),
    /// Those who send back what has arrived, as it arrives. What they send is what the senders do.
    Echo,
}

impl DatagramGroup {
    /// Frames that each source records; none if it records none.
    #[must_use]
    pub fn frames(&self) -> Option<FramesFacts> {
        let is_sender = self.role == Role::Sender;
        self.application.facts(self.packet_bytes).frames.filter(|_| is_sender)
    }

    /// Bytes of the headers of IPv4 and UDP: what a datagram has at least.
    pub const HEADER_BYTES: u16 = HEADER_BYTES;
}

/// How a monitored queue is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSummary {
    /// Between two samples.
    pub sample: Span,
    /// Over which they are summed up, at least `sample`.
    pub interval: Span,
}

/// What a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Between two samples of a monitored queue.
    pub queue_interval: Span,
    /// The bin of a monitored link's throughput.
    pub link_interval: Span,
    /// Which bytes throughput, offered load and bytes per user count.
    pub throughput_layer: ThroughputLayer,
    /// Packet and byte counts per millisecond at monitored links.
    pub arrivals: bool,
    /// How response times are recorded.
    pub responses: Responses,
    /// When a response time ends.
    pub response_end: ResponseEnd,
    /// Means and extremes of the monitored queues over intervals; none: not kept.
    pub queue_summary: Option<QueueSummary>,
    /// Between two looks at what the schemes of monitored links tell of themselves; none: not kept.
    pub scheme_state_interval: Option<Span>,
    /// One row per connection or flow.
    pub flows: bool,
    /// Between two samples of the congestion windows of long-lived flows; none: not kept.
    pub congestion_window_interval: Option<Span>,
    /// Packets that monitored links sent, marked and discarded, of each population and group of flows.
    pub traffic: bool,
    /// Over which these, and datagrams, are counted one after another; none: not kept.
    pub traffic_interval: Option<Span>,
    /// Bytes per user and direction in the measured window.
    pub users: bool,
    /// One row per packet at monitored links: for small runs.
    pub packets: bool,
    /// One row per datagram that arrived.
    pub datagrams: bool,
    /// The cool-down to its end, whatever is still measured.
    pub cool_down: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_clock_delays_are_whole_ticks_less_half_a_tick_on_average() {
        let ms = Span::from_milliseconds;
        let law = |low_ms, clock_tick| MinimumDelay {
            low_ms,
            high_ms: 50,
            per: DelayOwner::Connection,
            power: 1.0,
            clock_tick,
        };
        let ticking = law(9, Some(ms(10)));
        assert_eq!([9, 10, 25, 30].map(|delay| ticking.mean_of(ms(delay))), [0, 5, 15, 25].map(ms));
        assert_eq!(law(9, None).mean_of(ms(25)), ms(25));
        let takes_time = [(0, None), (1, None), (9, Some(ms(10))), (10, Some(ms(10)))]
            .map(|(low_ms, tick)| law(low_ms, tick).takes_time());
        assert_eq!(takes_time, [false, true, false, true]);
    }
}
