//! The ends of datagrams: packets in and out of them, and what became of each.
//!
//! A source owns no connection, and applications hear of nothing but calls that adapt: what arrives is
//! counted here, where TCP counts what it did, and sent back at once where the group says so. What is sent
//! back has a source of its own, whose datagrams are round trips: sent when the first was, lost on either
//! way. A packet that is a datagram says so by its class, and names its source where no connection is;
//! whoever looks for its connection finds none and asks here.

use super::events::{Events, Timer};
use super::network::Network;
use super::packet::Packet;
use super::path::{AddedDelay, Path};
use aqmlab_aqm::Codepoint;
use aqmlab_driver::{PING_BYTES, ShaperFollower, datagram_sources};
use aqmlab_link::MonitoredLink;
use aqmlab_record::{
    DatagramArrivals, Datagrams, DatagramsInRun, MeasuredWindow, SentDatagram, SourceColumns, Table,
};
use aqmlab_scenario::{EcnCodepoint, Scenario};
use aqmlab_session::{Datagram, DatagramSourceId};
use aqmlab_units::Time;
use std::collections::VecDeque;

/// How the datagrams of a source travel.
#[derive(Clone)]
struct Source {
    path: Path,
    codepoint: Codepoint,
    /// Who sends back what has arrived.
    echo: Option<DatagramSourceId>,
    /// Whether applications hear of what arrives.
    is_heard: bool,
}

/// All sources of datagrams, and their receivers.
#[derive(Clone)]
pub(crate) struct DatagramEnds {
    sources: Vec<Source>,
    records: Datagrams,
    arrivals: Option<DatagramArrivals>,
    /// What has arrived now and applications have not heard of, each with its number.
    unheard: VecDeque<(DatagramSourceId, u32)>,
    identity: SourceColumns,
    /// How many sources are of groups; behind them are those of pings and of the responses.
    of_groups: usize,
    pings: usize,
    follower: Option<ShaperFollower>,
}

impl DatagramEnds {
    pub(crate) fn new(scenario: &Scenario, network: &mut Network, window: MeasuredWindow) -> Self {
        let mut sources = Vec::new();
        let mut answers =
            datagram_sources::echoes(scenario).into_iter().zip(datagram_sources::heard(scenario));
        for group in &scenario.datagrams {
            let codepoint = codepoint(group.ecn);
            for (&[from, to], (echo, is_heard)) in group.sources.iter().zip(answers.by_ref()) {
                let path = network.path(from, to, AddedDelay::None);
                let echo = echo.map(DatagramSourceId::from_number);
                sources.push(Source { path, codepoint, echo, is_heard });
            }
        }
        let of_groups = sources.len();
        let ends = datagram_sources::pings(scenario);
        let pings = ends.len() / 2;
        for (place, [from, to]) in ends.into_iter().enumerate() {
            let path = network.path(from, to, AddedDelay::None);
            let echo = (place < pings).then(|| DatagramSourceId::of(of_groups + pings + place));
            sources.push(Source { path, codepoint: Codepoint::NotEct, echo, is_heard: false });
        }
        let records = Datagrams::new(window, of_groups);
        let arrivals = scenario.record.datagrams.then(DatagramArrivals::default);
        let (unheard, identity) = (VecDeque::new(), datagram_sources::columns(scenario));
        let position_of = |number| network.queued.iter().position(|queued| queued.number == number);
        let follower = ShaperFollower::new(scenario, position_of, window);
        Self { sources, records, arrivals, unheard, identity, of_groups, pings, follower }
    }

    pub(crate) fn send(&mut self, datagram: &Datagram, network: &mut Network, events: &mut Events) {
        let Datagram { source, sequence, ip_bytes } = *datagram;
        let sent = SentDatagram { sent: events.now(), ip_bytes };
        self.each_way(source, |records, place| records.sent(place, sent));
        self.send_off((source, sequence), sent, events.now(), network, events);
    }

    /// Sends a datagram off at an instant, as one that was sent then or earlier.
    fn send_off(
        &mut self,
        (source, sequence): (DatagramSourceId, u32),
        sent: SentDatagram,
        now: Time,
        network: &mut Network,
        events: &mut Events,
    ) {
        let Source { path, codepoint, .. } = &self.sources[source.place()];
        let packet = Packet::datagram((source, sequence), sent, *codepoint, path);
        if !network.send_off(packet, path, None, now, events) {
            self.lose(&packet);
        }
    }

    /// Something arrives that is for no connection: a datagram, or a late packet of a connection that is
    /// over, for which nobody waits.
    #[cold]
    #[inline(never)]
    pub(crate) fn receive(&mut self, now: Time, packet: &Packet, network: &mut Network, events: &mut Events) {
        // Of a datagram that comes twice applications hear once.
        let Some((source, sent)) = packet.as_datagram().filter(|_| !packet.is_copy()) else { return };
        if source.place() >= self.of_groups {
            return self.receive_ping(now, packet, (source, sent), network, events);
        }
        self.records.received(source.place(), sent, now, packet.is_marked());
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.received(source.number(), sent, now);
        }
        let Source { echo, is_heard, .. } = self.sources[source.place()];
        if is_heard {
            self.unheard.push_back((source, packet.segment().sequence.value()));
            events.wake_at(now, Timer::HeardDatagram);
        }
        if let Some(echo) = echo {
            self.send_off((echo, packet.segment().sequence.value()), sent, now, network, events);
        }
    }

    /// A program in the router pings a reflector.
    pub(crate) fn ping(&mut self, pinger: u32, network: &mut Network, events: &mut Events) {
        let Some(follower) = &mut self.follower else { return };
        events.wake_at(events.now() + follower.ping_interval(), Timer::Ping { pinger });
        let number = follower.ping(pinger);
        let source = DatagramSourceId::of(self.of_groups + pinger as usize);
        let sent = SentDatagram { sent: events.now(), ip_bytes: PING_BYTES };
        self.send_off((source, number), sent, events.now(), network, events);
    }

    /// A ping has arrived at its reflector, or the response to one.
    fn receive_ping(
        &mut self,
        now: Time,
        packet: &Packet,
        (source, sent): (DatagramSourceId, SentDatagram),
        network: &mut Network,
        events: &mut Events,
    ) {
        let Some(follower) = &mut self.follower else { return };
        let (place, number) = (source.place() - self.of_groups, packet.segment().sequence.value());
        let so_far = now - sent.sent;
        match self.sources[source.place()].echo {
            Some(echo) => {
                follower.turn(place, number, so_far);
                self.send_off((echo, number), sent, now, network, events);
            }
            None => follower.hear(now, (place - self.pings, number), so_far, |position, rate| {
                let changed = network.queued[position].link.port_mut().change_shaped_rate(rate);
                debug_assert!(changed, "a shaper stands behind a queue");
            }),
        }
    }

    /// The program in the router that sets the shapers, if there is one.
    pub(crate) const fn follower(&self) -> Option<&ShaperFollower> {
        self.follower.as_ref()
    }

    /// It measures the load of its shapers.
    pub(crate) fn measure_load(&mut self, network: &Network, events: &mut Events) {
        if let Some(follower) = &mut self.follower {
            follower.measure_load(events.now(), |position| network.queued[position].sent());
            events.wake_at(events.now() + follower.load_interval(), Timer::ShaperLoad);
        }
    }

    /// The next datagram that has arrived and of which applications are to hear.
    pub(crate) fn next_heard(&mut self) -> Option<(DatagramSourceId, u32)> {
        self.unheard.pop_front()
    }

    /// A packet was discarded by a queue or lost on its way to a link.
    #[inline]
    pub(crate) fn lose(&mut self, packet: &Packet) {
        if let Some((source, sent)) = packet.as_datagram().filter(|_| !packet.is_copy()) {
            self.each_way(source, |records, place| records.lost(place, sent));
        }
    }

    /// What happens to a datagram happens to its round trip too, where it is to be sent back.
    fn each_way(&mut self, source: DatagramSourceId, happens: impl Fn(&mut Datagrams, usize)) {
        if source.place() >= self.of_groups {
            return;
        }
        happens(&mut self.records, source.place());
        if let Some(echo) = self.sources[source.place()].echo {
            happens(&mut self.records, echo.place());
        }
    }

    /// How many sources there are.
    pub(crate) fn sources(&self) -> usize {
        self.of_groups
    }

    /// What became so far of the datagrams of a source.
    pub(crate) fn in_run(&self, source: usize) -> DatagramsInRun {
        self.records.in_run(source)
    }

    /// Whether it is known of each datagram sent in the measured window, which has passed, what became of it.
    pub(crate) fn are_settled(&mut self) -> bool {
        self.records.are_settled()
    }

    /// A source that sent less than was received and lost, which cannot be.
    pub(crate) fn overdrawn(&self) -> Option<usize> {
        self.records.overdrawn()
    }

    /// The table `datagrams`, where there are any, and `datagram_arrivals`, where they are wanted.
    pub(crate) fn into_tables(self, end: Time) -> [Option<Table>; 2] {
        let Self { of_groups, records, arrivals, identity, .. } = self;
        let arrivals = arrivals.map(|arrivals| arrivals.into_table(&identity));
        let table = (of_groups > 0).then(|| records.into_table(identity, end));
        [table, arrivals]
    }
}

const fn codepoint(ecn: EcnCodepoint) -> Codepoint {
    match ecn {
        EcnCodepoint::NotEct => Codepoint::NotEct,
        EcnCodepoint::Ect0 => Codepoint::Ect0,
        EcnCodepoint::Ect1 => Codepoint::Ect1,
    }
}
