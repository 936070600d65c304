//! The ends of datagrams: sockets that send, the one that takes all, and what became of each.
//!
//! Everybody is in this process and has one clock: a source remembers what it has sent, in order, and a
//! datagram says which one it is. The router keeps the order of a source, so that those before one that
//! arrives are lost. Delays end when this thread hears of an arrival: up to what the audit calls lateness
//! later than the kernel.

use super::ends::Scratch;
use super::sockets::{SERVER_PORT, address, bound, no_address};
use crate::addresses::{Addresses, Party};
use crate::clock::Clock;
use crate::error::LiveError;
use crate::hosts::traffic_class;
use aqmlab_driver::datagram_sources;
use aqmlab_record::{DatagramArrivals, Datagrams, MeasuredWindow, SentDatagram, Table};
use aqmlab_scenario::{DatagramGroup, NodeIndex, Scenario};
use aqmlab_session::Datagram;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockType, SockaddrIn, recvmsg, sendto, setsockopt, sockopt,
};
use std::collections::VecDeque;
use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};

/// Bytes in which a datagram says which one of its source it is, as far as it has room for them.
const SEQUENCE_BYTES: usize = size_of::<u32>();
/// Both bits of the codepoint: congestion experienced (RFC 3168, section 5).
const CONGESTION_EXPERIENCED: u8 = 0b11;

/// A source of datagrams.
struct Source {
    socket: OwnedFd,
    to: SockaddrIn,
    /// What it has sent of which nobody knows yet what became, in order.
    under_way: VecDeque<(u32, SentDatagram)>,
    /// The source that sends back what has arrived.
    echo: Option<usize>,
}

/// All sources, and their receivers.
pub(crate) struct DatagramEnds {
    sources: Vec<Source>,
    /// Of each machine the places of its sources, by the numbers of their addresses.
    sent_by: Vec<Vec<usize>>,
    records: Datagrams,
    arrivals: Option<DatagramArrivals>,
}

/// Something that has arrived.
struct Arrival {
    /// Its source.
    place: usize,
    /// As many bytes of its number as it had room for, the lowest first.
    sequence: Vec<u8>,
    is_marked: bool,
}

impl DatagramEnds {
    /// A socket for each source, on the machine that sends.
    pub(crate) fn new(
        scenario: &Scenario,
        addresses: &Addresses,
        window: MeasuredWindow,
    ) -> Result<Self, LiveError> {
        let mut sent_by = vec![Vec::new(); addresses.machines()];
        let mut sources: Vec<Source> = Vec::new();
        let mut first_places = Vec::new();
        for group in &scenario.datagrams {
            let first = sources.len();
            first_places.push(first);
            for &[from, to] in &group.sources {
                let ends = [from, to].map(|node: NodeIndex| addresses.machine(node));
                let of_machine = &mut sent_by[ends[0] as usize];
                let number = u32::try_from(of_machine.len()).unwrap_or(u32::MAX);
                of_machine.push(sources.len());
                sources.push(Source::new(group, addresses, ends, number)?);
            }
            if let Some(probes) = group.echo_of.map(|place| first_places[place]) {
                for place in 0..group.sources.len() {
                    sources[probes + place].echo = Some(first + place);
                }
            }
        }
        let records = Datagrams::new(window, sources.len());
        let arrivals = scenario.record.datagrams.then(DatagramArrivals::default);
        Ok(Self { sources, sent_by, records, arrivals })
    }

    /// Sends a datagram now; answers whether the system took it.
    pub(crate) fn send(&mut self, datagram: &Datagram, clock: &Clock, scratch: &Scratch) -> bool {
        let Datagram { source, sequence, ip_bytes } = *datagram;
        let sent = SentDatagram { sent: clock.now(), ip_bytes };
        self.send_off(source.place(), sequence, sent, scratch)
    }

    /// Sends one that was sent now, or is sent back.
    fn send_off(&mut self, place: usize, sequence: u32, sent: SentDatagram, scratch: &Scratch) -> bool {
        let source = &mut self.sources[place];
        let mut payload = scratch.zeros(sent.ip_bytes - DatagramGroup::HEADER_BYTES).to_vec();
        for (byte, value) in payload.iter_mut().zip(sequence.to_le_bytes()) {
            *byte = value;
        }
        let is_taken =
            sendto(source.socket.as_raw_fd(), &payload, &source.to, MsgFlags::MSG_DONTWAIT).is_ok();
        if is_taken {
            self.records.sent(place, sent);
            source.under_way.push_back((sequence, sent));
        }
        is_taken
    }

    /// Takes what has come to the servers' socket, and sends back what is to be; answers with how many of
    /// these the system refused.
    pub(crate) fn take_all(
        &mut self,
        sink: &OwnedFd,
        addresses: &Addresses,
        clock: &Clock,
        scratch: &Scratch,
    ) -> u64 {
        let mut refused = 0;
        while let Some(taken) = take(sink) {
            let Some(arrival) = taken.and_then(|taken| self.arrival(&taken, addresses)) else { continue };
            let now = clock.now();
            let Some((sequence, sent)) = self.settle(&arrival) else { continue };
            let place = arrival.place;
            self.records.received(place, sent, now, arrival.is_marked);
            if let (Some(arrivals), Ok(source)) = (&mut self.arrivals, u32::try_from(place)) {
                arrivals.received(source, sent, now);
            }
            if let Some(echo) = self.sources[place].echo {
                refused += u64::from(!self.send_off(echo, sequence, sent, scratch));
            }
        }
        refused
    }

    /// Whose something is, if it is from a source of this run.
    fn arrival(&self, taken: &Taken, addresses: &Addresses) -> Option<Arrival> {
        let Party::Opener { machine, number } = addresses.party(taken.from.0, taken.from.1)? else {
            return None;
        };
        let place = *self.sent_by.get(machine as usize)?.get(number as usize)?;
        Some(Arrival { place, sequence: taken.head.clone(), is_marked: taken.is_marked })
    }

    /// What arrived, of all that the source knows to be under way; those before it are lost.
    fn settle(&mut self, arrival: &Arrival) -> Option<(u32, SentDatagram)> {
        let under_way = &mut self.sources[arrival.place].under_way;
        let is_it =
            |(sequence, _): &(u32, SentDatagram)| sequence.to_le_bytes().starts_with(&arrival.sequence);
        let before = under_way.iter().position(is_it)?;
        for (_, lost) in under_way.drain(..before) {
            self.records.lost(arrival.place, lost);
        }
        under_way.pop_front()
    }

    /// A source of which more was received and lost than it sent, which cannot be.
    pub(crate) fn overdrawn(&self) -> Option<usize> {
        self.records.overdrawn()
    }

    /// The table `datagrams`, where there are any, and `datagram_arrivals`, where it is wanted.
    pub(crate) fn into_tables(self, scenario: &Scenario) -> [Option<Table>; 2] {
        let identity = datagram_sources::columns(scenario);
        let arrivals = self.arrivals.map(|arrivals| arrivals.into_table(&identity));
        [(!self.sources.is_empty()).then(|| self.records.into_table(identity)), arrivals]
    }
}

impl Source {
    fn new(
        group: &DatagramGroup,
        addresses: &Addresses,
        [from, to]: [u32; 2],
        number: u32,
    ) -> Result<Self, LiveError> {
        let at = addresses.opener(from, number).ok_or_else(no_address)?;
        let socket = bound(SockType::Datagram, at).map_err(LiveError::setup("a socket for datagrams"))?;
        let class = i32::from(traffic_class(group.dscp, group.ecn));
        setsockopt(&socket, sockopt::Ipv4Tos, &class).map_err(LiveError::setup("a codepoint"))?;
        let to = address(addresses.answerer(to), SERVER_PORT);
        Ok(Self { socket, to, under_way: VecDeque::new(), echo: None })
    }
}

/// What the kernel says of a datagram.
struct Taken {
    /// Address and port of its sender.
    from: (u32, u16),
    /// Its first bytes.
    head: Vec<u8>,
    is_marked: bool,
}

/// The next datagram at a socket, if there is one; nothing of one that says not enough of itself.
fn take(sink: &OwnedFd) -> Option<Option<Taken>> {
    let mut bytes = [0; SEQUENCE_BYTES];
    let mut room = nix::cmsg_space!(u8);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let received =
        recvmsg::<SockaddrIn>(sink.as_raw_fd(), &mut parts, Some(&mut room), MsgFlags::MSG_DONTWAIT).ok()?;
    let classes = received.cmsgs().into_iter().flatten().find_map(|said| match said {
        ControlMessageOwned::Ipv4Tos(class) => Some(class),
        _ => None,
    });
    let from = received.address.map(|from| (u32::from(from.ip()), from.port()));
    let length = received.bytes;
    let is_marked = classes.is_some_and(|class| class & CONGESTION_EXPERIENCED == CONGESTION_EXPERIENCED);
    Some(from.map(|from| Taken { from, head: bytes[..length.min(SEQUENCE_BYTES)].to_vec(), is_marked }))
}
