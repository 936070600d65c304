//! The transport of the applications over the kernel's TCP.

use super::datagrams::DatagramEnds;
use super::ends::{End, Scratch};
use super::sender_info;
use super::sockets::{SERVER_PORT, address, bound, no_address, set_congestion_control};
use crate::addresses::{Addresses, Party};
use crate::clock::Clock;
use crate::error::LiveError;
use crate::hosts::HostSettings;
use crate::router::connections::Registration;
use aqmlab_driver::{CongestionWindows, Place, Places, measured_window};
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_session::{
    Alarm, ConnectionEvent, ConnectionEventKind, ConnectionId, Datagram, Opened, Opening, Owner, Side,
    StreamId, Transport,
};
use aqmlab_units::Time;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::socket::{SockType, connect, setsockopt, sockopt};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::Sender;

/// A connection with its two ends.
struct Connection {
    owner: Owner,
    /// The machine that opened it, and which of its connections it is.
    opener: (u32, u32),
    /// How often its place was used: what the kernel says of earlier owners is told apart by it.
    generation: u32,
    ends: [End; 2],
    /// Of which ends the last event was handled.
    heard: [bool; 2],
    exists: bool,
}

/// An alarm: its instant, its order, the place of what it is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Due(Time, u64, usize);

/// What connections did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) opened: u64,
    pub(crate) gave_up: u64,
    /// Connections and datagrams that the system refused to begin: for want of descriptors, addresses or
    /// memory.
    pub(crate) refused: u64,
}

/// Where a connection leads.
#[derive(Clone, Copy)]
struct Route {
    /// The machine that answers.
    answerer: u32,
    /// Codepoint of services of its packets.
    dscp: u8,
}

/// The transport.
pub(crate) struct SocketTransport {
    clock: Clock,
    now: Time,
    settings: HostSettings,
    places: Places<u32>,
    /// Codepoint of services, by place among the groups that have connections.
    dscps: Vec<u8>,
    addresses: Addresses,
    router: Sender<Registration>,
    pub(crate) epoll: Epoll,
    connections: Vec<Connection>,
    free: Vec<u32>,
    /// Of each machine the places of the connections that it opened, by their numbers.
    opened_by: Vec<Vec<u32>>,
    pub(crate) datagrams: DatagramEnds,
    alarms: BinaryHeap<Reverse<Due>>,
    alarm_kinds: Vec<Option<Alarm>>,
    free_alarms: Vec<usize>,
    alarms_set: u64,
    said: VecDeque<ConnectionEvent>,
    scratch: Scratch,
    kinds: Vec<ConnectionEventKind>,
    pub(crate) totals: Totals,
}

impl SocketTransport {
    pub(crate) fn new(
        scenario: &Scenario,
        seed: u64,
        settings: HostSettings,
        clock: Clock,
        router: Sender<Registration>,
    ) -> Result<Self, LiveError> {
        let addresses = Addresses::of(scenario);
        let datagrams = DatagramEnds::new(scenario, &addresses, measured_window(scenario))?;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(LiveError::setup("epoll"))?;
        Ok(Self {
            clock,
            now: Time::ZERO,
            settings,
            places: Places::new(scenario, Key::from_seed(seed), |end| addresses.machine(end.node)),
            dscps: scenario.connection_groups().map(|group| group.dscp).collect(),
            opened_by: vec![Vec::new(); addresses.machines()],
            addresses,
            router,
            epoll,
            connections: Vec::new(),
            free: Vec::new(),
            datagrams,
            alarms: BinaryHeap::new(),
            alarm_kinds: Vec::new(),
            free_alarms: Vec::new(),
            alarms_set: 0,
            said: VecDeque::new(),
            scratch: Scratch::new(),
            kinds: Vec::new(),
            totals: Totals::default(),
        })
    }

    /// Takes the datagrams that have come to the servers' socket.
    pub(crate) fn take_datagrams(&mut self, sink: &OwnedFd) {
        let Self { datagrams, addresses, clock, scratch, .. } = self;
        self.totals.refused += datagrams.take_all(sink, addresses, clock, scratch);
    }

    /// Looks at the clock.
    pub(crate) fn tick(&mut self) -> Time {
        self.now = self.now.max(self.clock.now());
        self.now
    }

    /// The next alarm that is due, if one is.
    pub(crate) fn due(&mut self) -> Option<Alarm> {
        let &Reverse(Due(at, _, place)) = self.alarms.peek()?;
        if at > self.now {
            return None;
        }
        self.alarms.pop();
        self.free_alarms.push(place);
        self.alarm_kinds[place].take()
    }

    /// When the next alarm is due.
    pub(crate) fn next_alarm(&self) -> Time {
        self.alarms.peek().map_or(Time::MAX, |&Reverse(Due(at, ..))| at)
    }

    /// What happened to connections, one thing after the other.
    pub(crate) fn poll(&mut self) -> Option<ConnectionEvent> {
        self.said.pop_front()
    }

    /// Samples the end that opened each connection of a flow: it is the one that sends.
    pub(crate) fn sample(&self, now: Time, windows: &mut CongestionWindows) {
        for connection in self.connections.iter().filter(|connection| connection.exists) {
            let Owner::Flow { flow } = connection.owner else { continue };
            if let Some(sender) = connection.ends[0].socket.as_ref().and_then(sender_info::sample) {
                windows.sample(now, flow, &sender);
            }
        }
    }

    /// The kernel has something to say about the socket with this number.
    #[allow(clippy::cast_possible_truncation)] // 31 bits
    pub(crate) fn look(&mut self, number: u64) {
        let (place, side) = ((number >> 1 & 0x7fff_ffff) as usize, side_of(number & 1));
        let generation = number >> 32;
        let Some(connection) = self.connections.get_mut(place) else { return };
        if !connection.exists || u64::from(connection.generation) != generation {
            return;
        }
        let mut kinds = std::mem::take(&mut self.kinds);
        connection.ends[side as usize].look(&mut self.scratch, &mut kinds);
        self.say(ConnectionId::of(place), side, kinds);
    }

    /// A server has a new connection.
    pub(crate) fn accept(&mut self, stream: TcpStream, peer: SocketAddr) {
        let SocketAddr::V4(peer) = peer else { return };
        let party = self.addresses.party(u32::from(*peer.ip()), peer.port());
        let Some(Party::Opener { machine, number }) = party else { return };
        let Some(&place) = self.opened_by[machine as usize].get(number as usize) else { return };
        let connection = &mut self.connections[place as usize];
        let is_waited_for = connection.exists && connection.opener == (machine, number);
        if !is_waited_for || connection.ends[1].ended || connection.ends[1].socket.is_some() {
            return;
        }
        let Ok(()) = stream.set_nonblocking(true) else { return };
        let socket = OwnedFd::from(stream);
        let dscp = self.dscps[self.places.group_of(connection.owner)];
        if dscp != 0 {
            let _ = setsockopt(&socket, sockopt::Ipv4Tos, &i32::from(dscp << 2));
        }
        let number = socket_number(place, connection.generation, Side::Passive);
        if self.epoll.add(&socket, watched(number)).is_err() {
            self.totals.refused += 1;
            return;
        }
        connection.ends[1] = End::accepted(socket);
        self.say(ConnectionId::from_number(place), Side::Passive, vec![ConnectionEventKind::Established]);
    }

    /// One end is over: whether both are, so that the place is free.
    pub(crate) fn end(&mut self, event: &ConnectionEvent) -> bool {
        let connection = &mut self.connections[event.connection.place()];
        connection.heard[event.side as usize] = true;
        let passive = &mut connection.ends[1];
        if event.side == Side::Active && passive.socket.is_none() && !passive.ended {
            // Nobody ever answered.
            passive.ended = true;
            connection.heard[1] = true;
        }
        let is_over = connection.exists && connection.heard == [true; 2];
        if is_over {
            connection.exists = false;
            connection.generation = connection.generation.wrapping_add(1);
            self.free.push(event.connection.number());
        }
        is_over
    }

    fn say(&mut self, connection: ConnectionId, side: Side, mut kinds: Vec<ConnectionEventKind>) {
        let owner = self.connections[connection.place()].owner;
        for kind in kinds.drain(..) {
            self.totals.gave_up += u64::from(kind == ConnectionEventKind::GaveUp);
            self.said.push_back(ConnectionEvent { connection, owner, side, stream: StreamId::FIRST, kind });
        }
        self.kinds = kinds;
    }

    fn act(
        &mut self,
        connection: ConnectionId,
        side: Side,
        act: impl FnOnce(&mut End, &Scratch, &mut Vec<ConnectionEventKind>),
    ) {
        let mut kinds = std::mem::take(&mut self.kinds);
        let end = &mut self.connections[connection.place()].ends[side as usize];
        act(end, &self.scratch, &mut kinds);
        self.say(connection, side, kinds);
    }

    /// Makes the record of a connection; answers with its place and its number in the run.
    fn add(&mut self, owner: Owner, opener: (u32, u32)) -> (u32, u32) {
        let number = u32::try_from(self.totals.opened).unwrap_or(u32::MAX);
        self.totals.opened += 1;
        let ends = [End::default(), End::default()];
        let mut connection =
            Connection { owner, opener, generation: 0, ends, heard: [false; 2], exists: true };
        if let Some(place) = self.free.pop() {
            let previous = &mut self.connections[place as usize];
            connection.generation = previous.generation;
            *previous = connection;
            return (place, number);
        }
        self.connections.push(connection);
        (u32::try_from(self.connections.len() - 1).unwrap_or(u32::MAX), number)
    }

    /// A socket that is about to connect.
    fn connect(&self, opener: (u32, u32), route: Route, number: u64) -> Result<OwnedFd, LiveError> {
        let Route { answerer, dscp } = route;
        let from = self.addresses.opener(opener.0, opener.1).ok_or_else(no_address)?;
        let socket = bound(SockType::Stream, from).map_err(LiveError::setup("a socket"))?;
        set_congestion_control(&socket, self.settings)?;
        if dscp != 0 {
            let class = i32::from(dscp << 2);
            setsockopt(&socket, sockopt::Ipv4Tos, &class).map_err(LiveError::setup("a codepoint"))?;
        }
        let to = address(self.addresses.answerer(answerer), SERVER_PORT);
        match connect(socket.as_raw_fd(), &to) {
            Ok(()) | Err(nix::Error::EINPROGRESS) => {}
            Err(error) => return Err(LiveError::setup("connect")(error)),
        }
        self.epoll.add(&socket, watched(number)).map_err(LiveError::setup("epoll"))?;
        Ok(socket)
    }
}

impl Transport for SocketTransport {
    fn now(&self) -> Time {
        self.now
    }

    fn open(&mut self, opening: &Opening) -> Opened {
        let Place { machines: [machine, answerer], delays } = self.places.of(opening);
        let nth = u32::try_from(self.opened_by[machine as usize].len()).unwrap_or(u32::MAX);
        let opener = (machine, nth);
        let (at, number) = self.add(opening.owner, opener);
        self.opened_by[machine as usize].push(at);
        let connection = ConnectionId::from_number(at);
        // The router knows the connection before its first packet comes.
        let delays = delays.map(Option::unwrap_or_default);
        let _ = self.router.send(Registration { owner: opening.owner, opener, delays });
        let generation = self.connections[connection.place()].generation;
        let route = Route { answerer, dscp: self.dscps[self.places.group_of(opening.owner)] };
        match self.connect(opener, route, socket_number(at, generation, Side::Active)) {
            Ok(socket) => self.connections[connection.place()].ends[0] = End::connecting(socket),
            Err(_) => {
                self.totals.refused += 1;
                self.act(connection, Side::Active, |end, _, said| {
                    said.push(ConnectionEventKind::GaveUp);
                    end.end(said);
                });
            }
        }
        Opened { connection, number }
    }

    fn write(&mut self, connection: ConnectionId, side: Side, bytes: u64) {
        self.act(connection, side, |end, scratch, said| end.write(bytes, scratch, said));
    }

    fn unsent(&self, connection: ConnectionId, side: Side) -> u64 {
        self.connections[connection.place()].ends[side as usize].pending
    }

    fn close(&mut self, connection: ConnectionId, side: Side) {
        self.act(connection, side, |end, scratch, said| end.close(scratch, said));
    }

    fn withdraw_and_close(&mut self, connection: ConnectionId, side: Side) {
        self.act(connection, side, |end, scratch, said| {
            end.withdraw();
            end.close(scratch, said);
        });
    }

    fn send(&mut self, datagram: &Datagram) {
        let is_taken = self.datagrams.send(datagram, &self.clock, &self.scratch);
        self.totals.refused += u64::from(!is_taken);
    }

    fn wake_at(&mut self, instant: Time, alarm: Alarm) {
        let place = self.free_alarms.pop().unwrap_or(self.alarm_kinds.len());
        if place == self.alarm_kinds.len() {
            self.alarm_kinds.push(None);
        }
        self.alarm_kinds[place] = Some(alarm);
        self.alarms_set += 1;
        self.alarms.push(Reverse(Due(instant, self.alarms_set, place)));
    }
}

/// By which the kernel says which socket it means.
fn socket_number(place: u32, generation: u32, side: Side) -> u64 {
    u64::from(generation) << 32 | u64::from(place) << 1 | side as u64
}

const fn side_of(bit: u64) -> Side {
    if bit == 0 { Side::Active } else { Side::Passive }
}

fn watched(number: u64) -> EpollEvent {
    let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
    EpollEvent::new(flags, number)
}
