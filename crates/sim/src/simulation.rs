//! The event loop: one instant after the other, until the end of the run.

use crate::agenda::{Agenda, Pending, Timer};
use crate::browsing::Populations;
use crate::connection::Connections;
use crate::control::{Control, RunError};
use crate::flow_rows::FlowRows;
use crate::flows::Flows;
use crate::losses::LossCounts;
use crate::monitor::{Boundary, Monitor, Window};
use crate::network::{Hop, Network, QueuedLink};
use crate::packet::Packet;
use crate::schedule::MAXIMUM_SOURCES;
use crate::snapshot::Snapshot;
use crate::trace::{Trace, TraceEvent};
use crate::transport::Hosts;
use aqmlab_aqm::{PacketClass, Reason};
use aqmlab_random::Key;
use aqmlab_record::{Responses, Rows};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{ResponseEnd, Scenario, ThroughputLayer};
use aqmlab_tcp::Outbox;
use aqmlab_units::Time;
use aqmlab_web::Command;

/// Beyond this many exchanges, `responses = "auto"` keeps histograms alone.
const AUTOMATIC_ROWS: usize = 5_000_000;

pub(crate) struct Simulation {
    pub(crate) now: Time,
    pub(crate) window: Window,
    throughput_layer: ThroughputLayer,
    pub(crate) response_end: ResponseEnd,
    pub(crate) agenda: Agenda,
    pub(crate) network: Network,
    pub(crate) hosts: Hosts,
    pub(crate) connections: Connections,
    pub(crate) populations: Populations,
    pub(crate) flows: Flows,
    pub(crate) responses: Responses,
    pub(crate) monitor: Monitor,
    pub(crate) losses: LossCounts,
    /// Connections that gave up so far.
    pub(crate) gave_up: u64,
    pub(crate) trace: Trace,
    pub(crate) flow_rows: FlowRows,
    pub(crate) at_begin: Option<Snapshot>,
    pub(crate) at_end: Option<Snapshot>,
    pub(crate) events: u64,
    /// Reused buffers of what an endpoint or a user answered.
    pub(crate) outbox: Outbox,
    pub(crate) commands: Vec<Command>,
}

impl Simulation {
    pub(crate) fn new(scenario: &Scenario, seed: u64) -> Result<Self, RunError> {
        let key = Key::from_seed(seed);
        let mut network = Network::new(scenario, key)?;
        let hosts = Hosts::new(scenario, key);
        let flows = Flows::new(scenario, &mut network, key);
        let populations = Populations::new(scenario, key)?;
        let sources = Agenda::FIXED_SOURCES + network.queued.len() + network.pipe_ends.len();
        if sources > MAXIMUM_SOURCES {
            let what =
                format!("{sources} links, interfaces and flows, at most {MAXIMUM_SOURCES} are possible");
            return Err(RunError::TooLarge(what));
        }
        let mut simulation = Self {
            now: Time::ZERO,
            window: Window::of(scenario),
            throughput_layer: scenario.record.throughput_layer,
            response_end: scenario.record.response_end,
            agenda: Agenda::new(&network.queued, &network.pipe_ends),
            monitor: Monitor::new(scenario, &network),
            network,
            hosts,
            connections: Connections::default(),
            responses: Responses::new(populations.count(), rows(scenario)),
            populations,
            flows,
            losses: LossCounts::default(),
            gave_up: 0,
            trace: Trace::new(scenario.record.packets),
            flow_rows: FlowRows::new(scenario.record.flows),
            at_begin: None,
            at_end: None,
            events: 0,
            outbox: Outbox::default(),
            commands: Vec::new(),
        };
        simulation.start();
        Ok(simulation)
    }

    fn start(&mut self) {
        self.agenda.set_sample(self.monitor.next());
        self.start_users();
        self.start_flows();
    }

    /// Runs until `end`, events at `end` included.
    pub(crate) fn run(&mut self, end: Time, control: &Control) -> Result<(), RunError> {
        while let Some((instant, pending)) = self.agenda.first() {
            if instant > end {
                break;
            }
            debug_assert!(instant >= self.now, "time ran backwards: {instant} after {}", self.now);
            self.now = instant;
            self.events += 1;
            match pending {
                Pending::Transmission { link } => self.end_transmission(link),
                Pending::Pipe { pipe } => {
                    let node = self.agenda.end_of_pipe(pipe);
                    let packet = self.agenda.take_from_pipe(pipe);
                    self.forward(node, packet);
                }
                Pending::Delayed => {
                    let packet = self.agenda.take_delayed();
                    self.forward(packet.at, packet);
                }
                Pending::Timer => self.wake(),
                Pending::Sample => self.sample(end, control)?,
            }
        }
        self.now = end;
        Ok(())
    }

    fn sample(&mut self, end: Time, control: &Control) -> Result<(), RunError> {
        let boundary = self.monitor.sample(self.now, &mut self.network);
        match boundary {
            Boundary::None => {}
            Boundary::WindowBegins => self.at_begin = Some(self.snapshot()),
            Boundary::WindowEnds => self.at_end = Some(self.snapshot()),
        }
        self.agenda.set_sample(self.monitor.next());
        control.report(self.now.seconds() / end.seconds());
        if control.is_cancelled() { Err(RunError::Cancelled) } else { Ok(()) }
    }

    fn wake(&mut self) {
        match self.agenda.take_timer() {
            Timer::Endpoint { connection, generation, side } => {
                self.on_endpoint_timer(connection, generation, side);
            }
            Timer::User { population, user } => self.on_user_timer(population, user),
            Timer::FlowStart { flow } => self.start_flow(flow),
        }
    }

    /// Moves a packet on from `node`.
    #[inline]
    pub(crate) fn forward(&mut self, mut node: u16, mut packet: Packet) {
        while node != packet.destination {
            let link = self.network.route(node, packet.destination);
            match &mut self.network.hops[link] {
                Hop::Queued(_) => return self.arrive_at_queue(link as u16, packet),
                Hop::Interface(interface) => {
                    let arrival = interface.send(self.now, &packet);
                    if let Some(pipe) = interface.pipe {
                        return self.agenda.push(pipe, arrival, packet);
                    }
                    packet.at = interface.to;
                    return self.agenda.delay(arrival, packet);
                }
                Hop::Wire { to, delay } if delay.nanoseconds() == 0 => node = *to,
                Hop::Wire { to, delay } => {
                    packet.at = *to;
                    return self.agenda.delay(self.now + *delay, packet);
                }
            }
        }
        self.receive(packet);
    }

    fn arrive_at_queue(&mut self, link: u16, packet: Packet) {
        let Self { network, connections, losses, trace, agenda, now, .. } = self;
        let Some(queued) = network.queued_link_mut(link) else { return };
        trace.record(*now, TraceEvent::Arrival, link, &packet);
        let monitored = queued.monitored;
        let mut discarded = |packet: Packet, _reason: Reason| {
            trace.record(*now, TraceEvent::Discard, link, &packet);
            if monitored {
                note_loss(connections, losses, &packet);
            }
        };
        queued.port.arrive(*now, packet, &mut discarded);
        if queued.has_room_below() {
            if let Some(ends) = queued.serve_next(*now, &mut discarded) {
                agenda.set_transmission(queued.position, Some(ends));
            }
        }
    }

    /// The packet in service has left: the next one is taken into service, then the first moves on.
    fn end_transmission(&mut self, link: u16) {
        let Self { network, connections, losses, trace, agenda, now, populations, throughput_layer, .. } =
            self;
        let Some(queued) = network.queued_link_mut(link) else { return };
        let Some(packet) = queued.in_service.take() else { return };
        let frame_bytes = queued.count_sent(&packet);
        let (to, propagation, monitored) = (queued.to, queued.propagation, queued.monitored);
        trace.record(*now, TraceEvent::Departure, link, &packet);
        if monitored && populations.counts_bytes_per_user() {
            let bytes = match throughput_layer {
                ThroughputLayer::Frame => frame_bytes,
                ThroughputLayer::Ip => u32::from(packet.ip_bytes),
            };
            populations.count_bytes(*now, queued.position, &packet, connections, bytes);
        }
        let mut discarded = |packet: Packet, _reason: Reason| {
            trace.record(*now, TraceEvent::Discard, link, &packet);
            if monitored {
                note_loss(connections, losses, &packet);
            }
        };
        let ends = queued.serve_next(*now, &mut discarded);
        agenda.set_transmission(queued.position, ends);
        match propagation {
            Some((pipe, delay)) => agenda.push(pipe, *now + delay, packet),
            None => self.forward(to, packet),
        }
    }

    /// The monitored links, in the order of their codes in the tables.
    pub(crate) fn monitored_links(&self) -> impl Iterator<Item = (usize, &QueuedLink)> {
        self.network.queued_links().filter(|(_, queued)| queued.monitored)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            links: self.monitored_links().map(|(_, queued)| queued.snapshot()).collect(),
            tcp: self.connections.statistics(),
            opened: self.connections.opened(),
            gave_up: self.gave_up,
            losses: self.losses,
            flows: self.flows.delivered(),
        }
    }
}

/// Counts a packet that a monitored queue discarded, for its connection and for all.
#[cold]
fn note_loss(connections: &mut Connections, losses: &mut LossCounts, packet: &Packet) {
    let Some(connection) = connections.current(packet.connection, packet.generation) else { return };
    let before = connection.losses.total;
    connection.losses.total.handshake(packet.class());
    if packet.class() == PacketClass::Data {
        let highest_sent = connection.ends[packet.from() as usize].highest_sent();
        connection.losses.data(packet.from(), packet.segment().sequence, highest_sent);
    }
    *losses = losses.plus(connection.losses.total.minus(before));
}

fn rows(scenario: &Scenario) -> Rows {
    match scenario.record.responses {
        scenario::Responses::Auto => Rows::UpTo(AUTOMATIC_ROWS),
        scenario::Responses::Rows => Rows::All,
        scenario::Responses::Histogram | scenario::Responses::None => Rows::None,
    }
}
