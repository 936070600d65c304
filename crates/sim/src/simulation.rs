//! The event loop: one instant after the other, until the end of the run.

use crate::agenda::{Agenda, Next, Timer};
use crate::browsing::Populations;
use crate::connection::{Connections, Owner};
use crate::control::{Control, RunError};
use crate::flow_rows::FlowRows;
use crate::flows::Flows;
use crate::identifiers::{Junction, MonitoredId, QueuedId, Step};
use crate::losses::LossCounts;
use crate::monitor::{Boundary, Monitor, Window};
use crate::network::Network;
use crate::packet::{Packet, Side};
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

/// Events between two looks at what the caller wants: a few milliseconds.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 14;

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
    /// How often the caller was looked at, and how many events are left until the next time.
    looks: u64,
    events_until_look: u64,
    /// Reused buffers of what an endpoint or a user answered.
    pub(crate) outbox: Outbox,
    pub(crate) commands: Vec<Command>,
    /// What a queue has discarded in the present event.
    discarded: Vec<Packet>,
}

impl Simulation {
    pub(crate) fn new(scenario: &Scenario, seed: u64, control: &Control) -> Result<Self, RunError> {
        let key = Key::from_seed(seed);
        let mut network = Network::new(scenario, key);
        let mut hosts = Hosts::new(scenario, key);
        let flows = Flows::new(scenario, &mut network, &mut hosts, key);
        let populations = Populations::new(scenario, &network, &mut hosts, key)?;
        let mut simulation = Self {
            now: Time::ZERO,
            window: Window::of(scenario),
            throughput_layer: scenario.record.throughput_layer,
            response_end: scenario.record.response_end,
            agenda: Agenda::new(network.queued.len()),
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
            looks: 0,
            events_until_look: EVENTS_BETWEEN_LOOKS,
            outbox: Outbox::default(),
            commands: Vec::new(),
            discarded: Vec::new(),
        };
        simulation.start(control)?;
        Ok(simulation)
    }

    fn start(&mut self, control: &Control) -> Result<(), RunError> {
        self.agenda.set_sample(self.monitor.next());
        self.start_users(control)?;
        self.start_flows();
        Ok(())
    }

    /// Runs until `end`, events at `end` included.
    pub(crate) fn run(&mut self, end: Time, control: &Control) -> Result<(), RunError> {
        control.check()?;
        loop {
            let (instant, next) = self.agenda.next();
            if instant > end {
                break;
            }
            debug_assert!(instant >= self.now, "time ran backwards: {instant} after {}", self.now);
            self.now = instant;
            self.events_until_look -= 1;
            if self.events_until_look == 0 {
                self.look(end, control)?;
            }
            match next {
                Next::Transmission => self.end_transmission(self.agenda.transmissions.first_link()),
                Next::Packet => {
                    let packet = self.agenda.take_packet();
                    self.forward(packet.at(), packet);
                }
                Next::Timer => self.wake(),
                Next::Sample => self.sample(),
            }
        }
        self.now = end;
        Ok(())
    }

    /// Looks at what the caller wants, and says how far the run is.
    #[cold]
    fn look(&mut self, end: Time, control: &Control) -> Result<(), RunError> {
        self.events_until_look = EVENTS_BETWEEN_LOOKS;
        self.looks += 1;
        control.check()?;
        control.report(self.now.seconds() / end.seconds());
        if self.agenda.is_worn_out() {
            let what = "more packets and timers than can be put into order: cut the run into shorter ones";
            return Err(RunError::TooLarge(what.to_owned()));
        }
        Ok(())
    }

    /// Events that were served so far.
    pub(crate) const fn events(&self) -> u64 {
        self.looks * EVENTS_BETWEEN_LOOKS + (EVENTS_BETWEEN_LOOKS - self.events_until_look)
    }

    fn sample(&mut self) {
        let boundary = self.monitor.sample(self.now, &mut self.network);
        match boundary {
            Boundary::None => {}
            Boundary::WindowBegins => self.at_begin = Some(self.snapshot()),
            Boundary::WindowEnds => self.at_end = Some(self.snapshot()),
        }
        self.agenda.set_sample(self.monitor.next());
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

    /// Moves a packet on from a junction.
    #[inline(always)]
    pub(crate) fn forward(&mut self, at: Junction, packet: Packet) {
        self.take(self.network.step(at, packet.destination()), packet);
    }

    /// Moves a packet on by a step.
    #[inline(always)]
    pub(crate) fn take(&mut self, step: Step, packet: Packet) {
        if step == Step::DELIVERY {
            self.receive(packet);
        } else if step.place() < self.network.queued.len() {
            self.arrive_at_queue(step.place(), packet);
        } else if let Some(passage) = self.network.passage(step) {
            let arrival = passage.send(self.now, packet.ip_bytes());
            self.agenda.push(passage.rank, arrival, packet.towards(passage.to));
        } else {
            self.take_if_not_lost(step, packet);
        }
    }

    #[inline(always)]
    fn arrive_at_queue(&mut self, position: usize, packet: Packet) {
        let Self { network, connections, populations, discarded, trace, agenda, now, .. } = self;
        let queued = &mut network.queued[position];
        trace.record(*now, TraceEvent::Arrival, queued.monitored, &packet);
        connections.prefetch_owner(packet.connection());
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        queued.port.arrive(*now, packet, &mut discard);
        if queued.has_room_below() {
            if let Some(packet) = queued.serve(*now, agenda, &mut discard) {
                prefetch_delivery(connections, populations, &packet);
            }
        }
        if !self.discarded.is_empty() {
            self.note_discards(position);
        }
    }

    /// The packet in service has left: the next one is taken into service, then the first moves on.
    #[inline(always)]
    fn end_transmission(&mut self, link: QueuedId) {
        let position = link.place();
        let Self { network, connections, discarded, trace, agenda, now, populations, .. } = self;
        let queued = &mut network.queued[position];
        let (packet, frame_bytes) = queued.end_transmission();
        trace.record(*now, TraceEvent::Departure, queued.monitored, &packet);
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        match queued.serve(*now, agenda, &mut discard) {
            Some(packet) => prefetch_delivery(connections, populations, &packet),
            None => agenda.transmissions.end(link),
        }
        let (to, propagation) = (queued.to, queued.propagation);
        if let Some(link) = queued.monitored.filter(|_| populations.counts_bytes_per_user()) {
            self.count_bytes_per_user(link, &packet, frame_bytes);
        }
        if !self.discarded.is_empty() {
            self.note_discards(position);
        }
        match propagation {
            Some((pipe, delay)) => self.agenda.push(pipe, self.now + delay, packet.towards(to)),
            None => self.forward(to, packet),
        }
    }

    #[inline(never)]
    fn count_bytes_per_user(&mut self, link: MonitoredId, packet: &Packet, frame_bytes: u32) {
        let bytes = match self.throughput_layer {
            ThroughputLayer::Frame => frame_bytes,
            ThroughputLayer::Ip => u32::from(packet.ip_bytes()),
        };
        self.populations.count_bytes(self.now, link, packet, &mut self.connections, bytes);
    }

    /// A packet is lost on its way to a queue.
    pub(crate) fn lose_before_queue(&mut self, position: usize, packet: Packet) {
        let Self { network, discarded, trace, now, .. } = self;
        let queued = &mut network.queued[position];
        trace.record(*now, TraceEvent::Arrival, queued.monitored, &packet);
        queued.port.lose(packet, &mut |packet, _reason| discarded.push(packet));
        self.note_discards(position);
    }

    /// Records what a link with a queue has just discarded.
    #[cold]
    #[inline(never)]
    fn note_discards(&mut self, position: usize) {
        let Self { network, connections, discarded, losses, trace, now, window, .. } = self;
        let queued = &network.queued[position];
        for packet in discarded.drain(..) {
            trace.record(*now, TraceEvent::Discard, queued.monitored, &packet);
            if queued.monitored.is_some() {
                note_loss(connections, losses, &packet, window.contains(*now));
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            links: self.network.monitored_links().map(|queued| queued.snapshot(self.now)).collect(),
            impaired: self.network.impaired.iter().map(|impaired| impaired.counts).collect(),
            tcp: self.connections.statistics(),
            opened: self.connections.opened(),
            gave_up: self.gave_up,
            losses: self.losses,
            flows: self.flows.delivered(),
        }
    }
}

/// Fetches what the delivery of a packet that is now being sent will touch.
#[inline(always)]
fn prefetch_delivery(connections: &Connections, populations: &Populations, packet: &Packet) {
    let side = packet.from().other();
    let owner = connections.prefetch_end(packet.connection(), side);
    if let (Side::Active, Some(Owner::User { population, user, .. })) = (side, owner) {
        populations.prefetch(population, user);
    }
}

/// Counts a packet that a monitored queue discarded, for its connection and for all.
fn note_loss(connections: &mut Connections, losses: &mut LossCounts, packet: &Packet, measured: bool) {
    let Some(connection) = connections.current(packet.connection(), packet.generation()) else { return };
    let handshake = LossCounts::of_handshake(packet.class());
    connection.losses.total = connection.losses.total.plus(handshake);
    *losses = losses.plus(handshake);
    if packet.class() == PacketClass::Data {
        let highest_sent = connection.ends[packet.from() as usize].highest_sent();
        let sequence = packet.segment().sequence;
        *losses = losses.plus(connection.losses.data(packet.from(), sequence, highest_sent, measured));
    }
}

fn rows(scenario: &Scenario) -> Rows {
    match scenario.record.responses {
        scenario::Responses::Auto => Rows::UpTo(AUTOMATIC_ROWS),
        scenario::Responses::Rows => Rows::All,
        scenario::Responses::Histogram | scenario::Responses::None => Rows::None,
    }
}
