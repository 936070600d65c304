//! The ends of datagrams: sockets that send, the one that takes all, and what became of each.
//!
//! Everybody is in this process and has one clock: a source remembers what it has sent, in order, and a
//! datagram says which one it is. Queues keep the order of a source, so that those before one that arrives
//! are lost; what a second dual queue lets overtake counts as lost too. Delays end when this thread hears of
//! an arrival: up to what the audit calls lateness later than the kernel.

use super::ends::Scratch;
use super::sockets::{SERVER_PORT, address, bound, no_address};
use crate::addresses::{Addresses, Party};
use crate::clock::Clock;
use crate::error::LiveError;
use crate::hosts::traffic_class;
use aqmlab_driver::datagram_sources;
use aqmlab_record::{DatagramArrivals, Datagrams, MeasuredWindow, SentDatagram, Table};
use aqmlab_scenario::{DatagramGroup, Scenario};
use aqmlab_session::{Datagram, DatagramSourceId};
use aqmlab_units::Time;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockType, SockaddrIn, recvmsg, sendmsg, setsockopt, sockopt,
};
use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
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
    /// Whether applications hear of what arrives.
    is_heard: bool,
}

/// All sources, and their receivers.
pub(crate) struct DatagramEnds {
    sources: Vec<Source>,
    /// Of each machine the places of its sources, by the numbers of their addresses.
    sent_by: Vec<Vec<DatagramSourceId>>,
    records: Datagrams,
    arrivals: Option<DatagramArrivals>,
    /// What has arrived and applications have not heard of, each with its number.
    unheard: VecDeque<(DatagramSourceId, u32)>,
}

impl DatagramEnds {
    /// A socket for each source, on the machine that sends.
    pub(crate) fn new(
        scenario: &Scenario,
        addresses: &Addresses,
        window: MeasuredWindow,
    ) -> Result<Self, LiveError> {
        let mut numbers = vec![0; addresses.machines()];
        let mut sources: Vec<Source> = Vec::new();
        let mut answers =
            datagram_sources::echoes(scenario).into_iter().zip(datagram_sources::heard(scenario));
        for group in &scenario.datagrams {
            for (ends, (echo, is_heard)) in group.sources.iter().zip(answers.by_ref()) {
                let ends = ends.map(|node| addresses.machine(node));
                let number = &mut numbers[ends[0] as usize];
                let socket = socket_of(group, addresses, (ends[0], *number))?;
                *number += 1;
                let to = address(addresses.answerer(ends[1]), SERVER_PORT);
                let echo = echo.map(|place| place as usize);
                sources.push(Source { socket, to, under_way: VecDeque::new(), echo, is_heard });
            }
        }
        let sent_by = addresses.datagram_sources(scenario);
        let records = Datagrams::new(window, sources.len());
        let arrivals = scenario.record.datagrams.then(DatagramArrivals::default);
        Ok(Self { sources, sent_by, records, arrivals, unheard: VecDeque::new() })
    }

    /// Sends a datagram now; answers whether the system took it.
    pub(crate) fn send(&mut self, datagram: &Datagram, clock: &Clock, scratch: &Scratch) -> bool {
        let Datagram { source, sequence, ip_bytes } = *datagram;
        let sent = SentDatagram { sent: clock.now(), ip_bytes };
        let is_taken = self.send_off(source.place(), sequence, sent, scratch);
        if is_taken {
            self.each_way(source.place(), |records, place| records.sent(place, sent));
        }
        is_taken
    }

    /// Sends one that was sent now, or is sent back.
    fn send_off(&mut self, place: usize, sequence: u32, sent: SentDatagram, scratch: &Scratch) -> bool {
        let source = &mut self.sources[place];
        let payload = usize::from(sent.ip_bytes - DatagramGroup::HEADER_BYTES);
        let number = sequence.to_le_bytes();
        let number = &number[..payload.min(SEQUENCE_BYTES)];
        let rest = &scratch.zeros(sent.ip_bytes)[..payload - number.len()];
        let parts = [IoSlice::new(number), IoSlice::new(rest)];
        let to = Some(&source.to);
        let is_taken = sendmsg(source.socket.as_raw_fd(), &parts, &[], MsgFlags::MSG_DONTWAIT, to).is_ok();
        if is_taken {
            source.under_way.push_back((sequence, sent));
        }
        is_taken
    }

    /// What happens to a datagram happens to its round trip too, where it is to be sent back.
    fn each_way(&mut self, place: usize, happens: impl Fn(&mut Datagrams, usize)) {
        happens(&mut self.records, place);
        if let Some(echo) = self.sources[place].echo {
            happens(&mut self.records, echo);
        }
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
            let now = clock.now();
            let Some(place) = self.source_of(&taken, addresses) else { continue };
            let Some((sequence, sent)) = self.settle(place, taken.number()) else { continue };
            self.records.received(place, sent, now, taken.is_marked);
            if let (Some(arrivals), Ok(source)) = (&mut self.arrivals, u32::try_from(place)) {
                arrivals.received(source, sent, now);
            }
            if self.sources[place].is_heard {
                self.unheard.push_back((DatagramSourceId::of(place), sequence));
            }
            if let Some(echo) = self.sources[place].echo {
                let is_refused = !self.send_off(echo, sequence, sent, scratch);
                if is_refused {
                    self.records.lost(echo, sent);
                }
                refused += u64::from(is_refused);
            }
        }
        refused
    }

    /// The next datagram that has arrived and of which applications are to hear.
    pub(crate) fn next_heard(&mut self) -> Option<(DatagramSourceId, u32)> {
        self.unheard.pop_front()
    }

    /// Whose something is, if it is from a source of this run.
    fn source_of(&self, taken: &Taken, addresses: &Addresses) -> Option<usize> {
        let (address, port) = taken.from?;
        let Party::Opener { machine, number } = addresses.party(address, port)? else { return None };
        Some(self.sent_by.get(machine as usize)?.get(number as usize)?.place())
    }

    /// What arrived, of all that a source knows to be under way, by the lowest bytes of its number; those
    /// before it are lost.
    fn settle(&mut self, place: usize, number: &[u8]) -> Option<(u32, SentDatagram)> {
        let Source { under_way, echo, .. } = &mut self.sources[place];
        let is_it = |(sequence, _): &(u32, SentDatagram)| sequence.to_le_bytes().starts_with(number);
        let before = under_way.iter().position(is_it)?;
        for (_, lost) in under_way.drain(..before) {
            self.records.lost(place, lost);
            if let Some(echo) = *echo {
                self.records.lost(echo, lost);
            }
        }
        under_way.pop_front()
    }

    /// A source of which more was received and lost than it sent, which cannot be.
    pub(crate) fn overdrawn(&self) -> Option<usize> {
        self.records.overdrawn()
    }

    /// The table `datagrams`, where there are any, and `datagram_arrivals`, where it is wanted.
    pub(crate) fn into_tables(self, scenario: &Scenario, end: Time) -> [Option<Table>; 2] {
        let identity = datagram_sources::columns(scenario);
        let arrivals = self.arrivals.map(|arrivals| arrivals.into_table(&identity));
        [(!self.sources.is_empty()).then(|| self.records.into_table(identity, end)), arrivals]
    }
}

/// The socket of a source on a machine that sends, with the number of its address there.
fn socket_of(
    group: &DatagramGroup,
    addresses: &Addresses,
    (machine, number): (u32, u32),
) -> Result<OwnedFd, LiveError> {
    let at = addresses.opener(machine, number).ok_or_else(no_address)?;
    let socket = bound(SockType::Datagram, at).map_err(LiveError::setup("a socket for datagrams"))?;
    let class = i32::from(traffic_class(group.dscp, group.ecn));
    setsockopt(&socket, sockopt::Ipv4Tos, &class).map_err(LiveError::setup("a codepoint"))?;
    Ok(socket)
}

/// What the kernel says of a datagram.
struct Taken {
    /// Address and port of its sender.
    from: Option<(u32, u16)>,
    /// Its first bytes, and how many these are.
    head: [u8; SEQUENCE_BYTES],
    length: usize,
    is_marked: bool,
}

impl Taken {
    /// The lowest bytes of its number, as far as it has room for them.
    fn number(&self) -> &[u8] {
        &self.head[..self.length]
    }
}

/// The next datagram at a socket, if there is one.
fn take(sink: &OwnedFd) -> Option<Taken> {
    let mut head = [0; SEQUENCE_BYTES];
    let mut room = nix::cmsg_space!(u8);
    let mut parts = [IoSliceMut::new(&mut head)];
    let received =
        recvmsg::<SockaddrIn>(sink.as_raw_fd(), &mut parts, Some(&mut room), MsgFlags::MSG_DONTWAIT).ok()?;
    let class = received.cmsgs().into_iter().flatten().find_map(|said| match said {
        ControlMessageOwned::Ipv4Tos(class) => Some(class),
        _ => None,
    });
    let from = received.address.map(|from| (u32::from(from.ip()), from.port()));
    let length = received.bytes.min(SEQUENCE_BYTES);
    let is_marked = class.is_some_and(|class| class & CONGESTION_EXPERIENCED == CONGESTION_EXPERIENCED);
    Some(Taken { from, head, length, is_marked })
}
