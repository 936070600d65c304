//! The network fabric: links, queues, routes, and the ends of all connections.
//!
//! A driver hands it what is due (a packet that arrives, a transmission that ends, a timer of an endpoint)
//! and then asks it with [`Fabric::poll`] what that means to applications, until it has nothing more to say.
//! It never calls anybody: what applications want, they ask for between two events (open, write, close).
//!
//! | file | idea |
//! | --- | --- |
//! | `forwarding.rs` | what happens to a packet at a link, and where it goes next |
//! | `turns.rs` | links that share a channel |
//! | `network.rs`, `route_table.rs`, `packed_rows.rs` | links and routes; any topology |
//! | `queued_link.rs`, `interface.rs` | what a link does with a packet: with a queue, and without |
//! | `predicted_departures.rs` | queues whose departures are known on arrival, and need no event |
//! | `impairments.rs` | losses that no queue decides, by ordinal and by chance, and boxes that change the ECN field |
//! | `delay_boxes.rs` | what a connection meets at its own routers: a bottleneck, and losses |
//! | `packet.rs`, `path.rs` | a TCP segment or a datagram in its IP packet, 24 bytes; how it travels |
//! | `options.rs` | what segments under way say in their options |
//! | `endpoints.rs` | packets in and out of the ends of connections, timers, events for applications |
//! | `connections.rs` | both ends of a connection, and where connections are kept |
//! | `shaper_follower.rs` | a program in the router that pings, and sets shapers by it |
//! | `datagrams.rs` | the ends of datagrams, which own no connection, and what became of each |
//! | `hosts.rs`, `locations.rs` | machines and their clocks; who sits where |
//! | `idle_paths.rs` | how connections fare where nobody is in their way |
//! | `responders.rs` | machines that only answer, and are asked in advance |
//! | `flow_hashes.rs` | addresses and ports of connections, by which ports with several queues sort packets |
//! | `events.rs` | what can be pending |
//! | `prefetch.rs` | asking for memory before it is needed; the only unsafe code |
//! | `trace.rs`, `capture.rs`, `losses.rs`, `user_bytes.rs` | what is recorded of single packets |

mod capture;
mod connections;
mod datagrams;
mod delay_boxes;
mod endpoints;
mod events;
mod flow_hashes;
mod forwarding;
mod headers;
mod hosts;
mod idle_paths;
mod impairments;
mod interface;
mod locations;
mod losses;
mod network;
mod options;
mod other_ends;
mod packed_rows;
mod packet;
mod path;
mod places;
mod predicted_departures;
mod prefetch;
mod queued_link;
mod responders;
mod route_table;
#[cfg(test)]
mod several_streams;
mod trace;
mod transport_end;
mod turns;
mod user_bytes;

pub(crate) use connections::{Connection, MAXIMUM_NUMBERED, TcpTotals};
pub(crate) use events::{Events, Timer};
pub(crate) use impairments::ImpairedCounts;
pub(crate) use interface::Interface;
pub(crate) use losses::LossCounts;
pub(crate) use network::Network;
pub(crate) use queued_link::QueuedLink;

use crate::identifiers::{ConnectionIdentity, EndpointId};
use aqmlab_driver::{TableNames, Traffic};
use aqmlab_random::Key;
use aqmlab_record::{MeasuredWindow, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::{
    ConnectionEvent, ConnectionId, Datagram, DatagramSourceId, IdlePath, Opened, Opening, Owner, StreamId,
    Urgency,
};
use aqmlab_tcp::{Context, Past};
use aqmlab_units::Time;
use capture::Capturing;
pub use capture::{Capture, CaptureRefused, CapturedPorts};
use datagrams::DatagramEnds;
use endpoints::Endpoints;
pub(crate) use flow_hashes::FlowHashes;
use hosts::Hosts;
use idle_paths::IdlePaths;
use locations::Locations;
pub(crate) use packet::Packet;
use std::sync::Arc;
use trace::Trace;
pub use transport_end::{TransportRefused, Transports};
use user_bytes::UserBytes;

/// How the packets of a queue leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departures {
    /// Without an event where the instant is known on arrival: see `predicted_departures.rs`.
    Predicted,
    /// Each by an event, so that the link may change meanwhile.
    ByEvents,
}

/// What a run is beside its scenario and its seed.
pub(crate) struct Settings<'a> {
    /// The ports whose packets are kept.
    pub(crate) captured: &'a CapturedPorts,
    /// The transports of connections that are not TCP's.
    pub(crate) transports: Transports,
    pub(crate) departures: Departures,
}

/// The network of a run with everything that is attached to it.
#[derive(Clone)]
pub(crate) struct Fabric {
    network: Network,
    endpoints: Endpoints,
    locations: Locations,
    idle_paths: IdlePaths,
    flow_hashes: FlowHashes,
    window: MeasuredWindow,
    losses: LossCounts,
    trace: Trace,
    user_bytes: Option<UserBytes>,
    traffic: Option<Traffic>,
    /// What a queue has discarded in the present event.
    discarded: Vec<Packet>,
    /// The last instant of the run.
    end: Time,
}

impl Fabric {
    pub(crate) fn new(
        scenario: &Scenario,
        window: MeasuredWindow,
        key: Key,
        Settings { captured, transports, departures }: Settings<'_>,
    ) -> Self {
        let mut network = Network::new(scenario, key);
        let mut hosts = Hosts::new(scenario, key);
        let locations = Locations::new(scenario, &mut network, &mut hosts, key);
        let datagrams = DatagramEnds::new(scenario, &mut network, window);
        let user_bytes = UserBytes::new(scenario, &network, window);
        let traffic = Traffic::new(scenario, window);
        let trace = Trace::new(scenario.record.packets, Capturing::new(captured, scenario));
        if departures == Departures::Predicted
            && !trace.is_wanted()
            && user_bytes.is_none()
            && traffic.is_none()
        {
            predicted_departures::predict(scenario, &mut network);
        }
        let classifies = network.queued.iter().any(|queued| queued.link.port().classifies());
        Self {
            flow_hashes: FlowHashes::new(classifies, scenario, key),
            user_bytes,
            traffic,
            network,
            endpoints: Endpoints::new(hosts, datagrams, transports),
            locations,
            idle_paths: IdlePaths::new(scenario),
            window,
            losses: LossCounts::default(),
            trace,
            discarded: Vec::new(),
            end: Time::ZERO + scenario.duration,
        }
    }

    /// An empty event queue for this network.
    pub(crate) fn event_queue(&self) -> Events {
        Events::new(self.network.queued.len())
    }

    /// The next thing that has happened to a connection, if there is one.
    #[inline(always)]
    pub(crate) fn poll(&mut self) -> Option<ConnectionEvent> {
        self.endpoints.poll()
    }

    /// The instant has come for which an end of a connection asked.
    pub(crate) fn fire(&mut self, connection: ConnectionIdentity, events: &mut Events) {
        self.endpoints.fire(connection, &mut self.network, events);
    }

    /// Begins to open a connection.
    pub(crate) fn open(&mut self, opening: &Opening, events: &mut Events) -> Opened {
        let opened = self.add(opening, events);
        let end = EndpointId { connection: opened.connection, side: opening.opener };
        self.endpoints.connect(end, &mut self.network, events);
        opened
    }

    /// How a connection fares over its path if nobody is in its way.
    pub(crate) fn idle_path(&mut self, opening: &Opening) -> Arc<IdlePath> {
        let Owner::User { population, .. } = opening.owner else {
            unreachable!("only users have a past: {opening:?}")
        };
        let [from_browser, _] = self.locations.of(opening).added_delay;
        self.idle_paths.of(population, from_browser)
    }

    /// Makes a connection that has been open for a while.
    pub(crate) fn resume(&mut self, opening: &Opening, carried_bytes: u64, events: &Events) -> Opened {
        let round_trip = self.idle_path(opening).time_to_open;
        let opened = self.add(opening, events);
        let pasts = [0, carried_bytes].map(|acknowledged_bytes| Past { round_trip, acknowledged_bytes });
        self.endpoints.resume(opened.connection, pasts, events.now());
        opened
    }

    /// Makes a connection, of which nothing is under way.
    fn add(&mut self, opening: &Opening, events: &Events) -> Opened {
        let Self { network, endpoints, locations, flow_hashes, trace, .. } = self;
        let location = locations.of(opening);
        let connection = endpoints.add(events.now(), opening, &location, network);
        let record = endpoints.connections.at(connection.number());
        let number = record.number;
        let nodes = location.machines.map(|machine| machine.node);
        let identity = ConnectionIdentity { place: connection.number(), generation: record.generation };
        trace.opened(identity, number, (nodes, location.profile));
        flow_hashes.open(nodes, location.profile, identity);
        if flow_hashes.is_crowded() {
            let waiting = network.queued.iter().flat_map(|queued| queued.link.packets()).copied();
            flow_hashes.forget_all_but(events.remembered_packets().chain(waiting));
        }
        Opened { connection, number }
    }

    /// Writes at one end of a connection, on one of its streams.
    pub(crate) fn write(&mut self, end: EndpointId, stream: StreamId, bytes: u64, events: &mut Events) {
        self.endpoints.write(end, stream, bytes, &mut self.network, events);
    }

    /// Nothing more is written at one end of a connection on a stream.
    pub(crate) fn finish(&mut self, end: EndpointId, stream: StreamId, events: &mut Events) {
        self.endpoints.finish(end, stream, &mut self.network, events);
    }

    /// What is written at one end of a connection on a stream from now on is so urgent.
    pub(crate) fn prioritize(&mut self, end: EndpointId, stream: StreamId, urgency: Urgency) {
        self.endpoints.prioritize(end, stream, urgency);
    }

    /// Bytes that were written at one end of a connection and never sent.
    pub(crate) fn unsent(&self, end: EndpointId) -> u64 {
        self.endpoints.unsent(end)
    }

    /// Closes one end of a connection.
    pub(crate) fn close(&mut self, end: EndpointId, events: &mut Events) {
        self.endpoints.close(end, &mut self.network, events);
    }

    /// Writes the last data at one end of a connection and closes it.
    pub(crate) fn write_and_close(&mut self, end: EndpointId, bytes: u64, events: &mut Events) {
        self.endpoints.write_and_close(end, bytes, &mut self.network, events);
    }

    /// Takes back what was written at one end of a connection and never sent, and closes it.
    pub(crate) fn withdraw_and_close(&mut self, end: EndpointId, events: &mut Events) {
        self.endpoints.withdraw_and_close(end, &mut self.network, events);
    }

    /// Sends a datagram.
    pub(crate) fn send(&mut self, datagram: &Datagram, events: &mut Events) {
        self.endpoints.datagrams.send(datagram, &mut self.network, events);
    }

    /// The program in the router begins to ping, where there is one.
    pub(crate) fn start_pings(&self, events: &mut Events) {
        if let Some(follower) = self.endpoints.datagrams.follower() {
            for (after, pinger) in follower.first_pings() {
                events.wake_at(events.now() + after, Timer::Ping { pinger });
            }
            events.wake_at(events.now() + follower.load_interval(), Timer::ShaperLoad);
        }
    }

    /// A program in the router pings a reflector.
    pub(crate) fn ping(&mut self, pinger: u32, events: &mut Events) {
        self.endpoints.datagrams.ping(pinger, &mut self.network, events);
    }

    /// A program in the router measures the load of its shapers.
    pub(crate) fn measure_shaper_load(&mut self, events: &mut Events) {
        self.endpoints.datagrams.measure_load(&self.network, events);
    }

    /// The next datagram that has arrived and of which applications are to hear.
    pub(crate) fn next_heard(&mut self) -> Option<(DatagramSourceId, u32)> {
        self.endpoints.datagrams.next_heard()
    }

    /// One end of a connection has ended, and everybody was told; answers with the connection if it is over.
    pub(crate) fn end(&mut self, event: &ConnectionEvent, events: &Events) -> Option<&Connection> {
        self.endpoints.end(event.connection, event.side, events.now())
    }

    /// Gives the place of a connection that is over to the next one.
    pub(crate) fn release(&mut self, connection: ConnectionId) {
        self.endpoints.connections.close(connection.number());
    }
}

// What was recorded.
impl Fabric {
    pub(crate) const fn network(&self) -> &Network {
        &self.network
    }

    /// The network, for those who let the queues run up to the present before they look.
    pub(crate) const fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    /// Losses at monitored links so far.
    pub(crate) const fn losses(&self) -> LossCounts {
        self.losses
    }

    /// What TCP did so far.
    pub(crate) fn tcp_totals(&self) -> TcpTotals {
        self.endpoints.connections.statistics()
    }

    /// Connections that were opened so far.
    pub(crate) const fn opened(&self) -> u64 {
        self.endpoints.connections.opened()
    }

    /// Connections of which a hash is kept.
    #[cfg(test)]
    pub(crate) fn kept_hashes(&self) -> usize {
        self.flow_hashes.kept()
    }

    /// Connections that gave up so far.
    pub(crate) const fn gave_up(&self) -> u64 {
        self.endpoints.gave_up
    }

    /// The connections that are not over, with their places.
    pub(crate) fn open_connections(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.endpoints.connections.open_ones()
    }

    /// The same, to change what their ends may be told.
    pub(crate) fn open_connections_mut(&mut self) -> impl Iterator<Item = &mut Connection> {
        self.endpoints.connections.open_ones_mut()
    }

    /// What the sender of a flow knows of its host.
    pub(crate) fn context_of_sender(&self, connection: &Connection) -> Context<'_> {
        self.endpoints.hosts.context(connection.profile, connection.clocks[0])
    }

    /// What became of datagrams.
    pub(crate) const fn datagrams(&self) -> &DatagramEnds {
        &self.endpoints.datagrams
    }

    /// Whether it is known of each datagram sent in the measured window, which has passed, what became of it.
    pub(crate) fn datagrams_are_settled(&mut self) -> bool {
        self.endpoints.datagrams.are_settled()
    }

    /// The tables `users`, `traffic`, `traffic_series` and `packets`, where they are wanted, `datagrams`,
    /// where there are any, and `datagram_arrivals`, where it is wanted; and what was captured.
    pub(crate) fn into_tables(self, names: &TableNames, end: Time) -> ([Option<Table>; 6], Vec<Capture>) {
        let users = self.user_bytes.map(|bytes| bytes.into_table(names));
        let [traffic, traffic_series] =
            self.traffic.map_or([None, None], |traffic| traffic.into_tables(names));
        let (packets, captures) = self.trace.into_table(names);
        let [datagrams, arrivals] = self.endpoints.datagrams.into_tables(end);
        ([users, traffic, traffic_series, packets, datagrams, arrivals], captures)
    }
}
