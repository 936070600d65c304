//! Applications that send: a number of bytes from an instant on, or without end, until they are told to stop;
//! as fast as the connection takes it, or at a rate of their own.

use crate::starts::check_now_and_then;
use crate::transport::{
    Alarm, ConnectionEvent, ConnectionEventKind, ConnectionId, FlowId, Opening, Owner, Side, Transport,
    UNLIMITED_BYTES,
};
use aqmlab_record::Settled;
use aqmlab_units::{Rate, Span, Time};
use aqmlab_web::MinimumDelay;
use std::collections::BTreeMap;

/// One transfer: its sender opens a connection, writes, and closes it behind the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When the connection is opened.
    pub starts: Time,
    /// When the sender takes back what it has not sent, and closes; [`Time::MAX`] for never. One that stops
    /// before it starts does neither.
    pub stops: Time,
    /// What is sent; without end if nothing is said.
    pub bytes: Option<u64>,
    /// At which rate its application writes; none: as fast as the connection takes it.
    pub writes: Option<Writes>,
    /// What its user does then.
    pub next: Option<Next>,
}

/// The transfer that a user begins when another has arrived, or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// So many places further on.
    pub further: usize,
    /// After so much time.
    pub after: Span,
}

/// An application that writes at a rate of its own, from the instant on at which it has a connection: what
/// this does not take waits at the sender, as the data of a camera or of a log do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Bytes of data.
    pub rate: Rate,
    /// From one write to the next, above zero.
    pub every: Span,
}

impl Writes {
    /// What the first so many writes come to, rounded down.
    fn bytes_of(self, writes: u64) -> u64 {
        let bits = u128::from(self.rate.bits_per_second()) * u128::from(self.every.nanoseconds());
        u64::try_from(bits * u128::from(writes) / 8_000_000_000).unwrap_or(UNLIMITED_BYTES)
    }
}

/// What an application with a rate of its own has written.
#[derive(Clone, Copy, Debug)]
struct Written {
    /// When it began.
    since: Time,
    writes: u64,
}

impl Transfer {
    /// Whether it begins at all, and until `end`.
    #[must_use]
    pub fn begins_until(&self, end: Time) -> bool {
        self.starts < self.stops && self.starts <= end
    }
}

/// How far the sender of a transfer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waits,
    /// It has this connection, which may still be opening.
    Open(ConnectionId),
    Over,
}

/// All transfers of a run.
#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    all: Vec<Transfer>,
    stages: Vec<Stage>,
    /// Bytes that reached each receiver's application so far.
    delivered: Vec<u64>,
    /// When the last byte of each did.
    completed: Vec<Option<Time>>,
    /// Of those with a rate of their own.
    written: BTreeMap<FlowId, Written>,
    settled: Settled,
}

impl Transfers {
    pub(crate) fn new(all: Vec<Transfer>) -> Self {
        let (stages, delivered, completed) =
            (vec![Stage::Waits; all.len()], vec![0; all.len()], vec![None; all.len()]);
        Self { stages, delivered, completed, all, written: BTreeMap::new(), settled: Settled::default() }
    }

    pub(crate) fn start<E>(
        &self,
        transport: &mut impl Transport,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for (place, transfer) in self.all.iter().enumerate() {
            check_now_and_then(place, &mut check)?;
            if transfer.begins_until(Time::MAX) {
                transport.wake_at(transfer.starts, Alarm::Flow { flow: FlowId::of(place) });
            }
        }
        Ok(())
    }

    /// The instant has come at which a transfer begins, writes, or stops.
    pub(crate) fn wake(&mut self, flow: FlowId, transport: &mut impl Transport) {
        let Transfer { stops, writes, .. } = self.all[flow.place()];
        match self.stages[flow.place()] {
            Stage::Waits => self.begin(flow, transport),
            Stage::Open(connection) if writes.is_some() && transport.now() < stops => {
                self.write_next(connection, flow, transport);
            }
            Stage::Open(connection) => transport.withdraw_and_close(connection, Side::Active),
            Stage::Over => {}
        }
    }

    fn begin(&mut self, flow: FlowId, transport: &mut impl Transport) {
        let delay = MinimumDelay::Drawn(0.0);
        let owner = Owner::Flow { flow };
        let opening = Opening { owner, machine: 0, server: 0, delay, opener: Side::Active };
        self.stages[flow.place()] = Stage::Open(transport.open(&opening).connection);
        let stops = self.all[flow.place()].stops;
        if stops < Time::MAX {
            transport.wake_at(stops, Alarm::Flow { flow });
        }
    }

    #[inline]
    pub(crate) fn handle(&mut self, event: &ConnectionEvent, flow: FlowId, transport: &mut impl Transport) {
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                let delivered = &mut self.delivered[flow.place()];
                *delivered += u64::from(bytes);
                if self.all[flow.place()].bytes == Some(*delivered) {
                    self.completed[flow.place()] = Some(transport.now());
                    self.go_on(flow, transport);
                }
            }
            (Side::Active, ConnectionEventKind::Established) => {
                self.write(event.connection, flow, transport);
            }
            (Side::Active, ConnectionEventKind::Ended) => {
                self.stages[flow.place()] = Stage::Over;
                if self.completed[flow.place()].is_none() {
                    self.go_on(flow, transport);
                }
            }
            (Side::Passive, ConnectionEventKind::PeerClosed) => {
                transport.close(event.connection, Side::Passive);
            }
            _ => {}
        }
    }

    /// A transfer is over, and its user begins the next one.
    fn go_on(&mut self, flow: FlowId, transport: &mut impl Transport) {
        let Some(Next { further, after }) = self.all[flow.place()].next else { return };
        let next = flow.place() + further;
        self.all[next].starts = transport.now() + after;
        if self.all[next].begins_until(Time::MAX) {
            transport.wake_at(self.all[next].starts, Alarm::Flow { flow: FlowId::of(next) });
        }
    }

    /// The connection is open: one that opens behind the instant at which it was to stop has nothing to send.
    fn write(&mut self, connection: ConnectionId, flow: FlowId, transport: &mut impl Transport) {
        let transfer = &self.all[flow.place()];
        match transfer.bytes {
            _ if transport.now() >= transfer.stops => {}
            _ if transfer.writes.is_some() => {
                self.written.insert(flow, Written { since: transport.now(), writes: 0 });
                self.write_next(connection, flow, transport);
            }
            Some(bytes) => transport.write_and_close(connection, Side::Active, bytes),
            None => transport.write(connection, Side::Active, UNLIMITED_BYTES),
        }
    }

    /// Writes what an application with a rate of its own has next, and closes behind the last byte.
    fn write_next(&mut self, connection: ConnectionId, flow: FlowId, transport: &mut impl Transport) {
        let Transfer { stops, bytes: all, writes, .. } = self.all[flow.place()];
        let (Some(application), Some(written)) = (writes, self.written.get_mut(&flow)) else { return };
        let most = all.unwrap_or(UNLIMITED_BYTES);
        let before = application.bytes_of(written.writes).min(most);
        written.writes += 1;
        let until_now = application.bytes_of(written.writes).min(most);
        if until_now == most {
            self.written.remove(&flow);
            transport.write_and_close(connection, Side::Active, most - before);
            return;
        }
        if until_now > before {
            transport.write(connection, Side::Active, until_now - before);
        }
        let next = written.since + application.every * written.writes;
        if next < stops {
            transport.wake_at(next, Alarm::Flow { flow });
        }
    }

    /// Whether each transfer of a size that begins until `end` has come to its end, or never will.
    pub(crate) fn are_settled(&mut self, end: Time) -> bool {
        let Self { all, stages, completed, settled, .. } = self;
        settled.are_all(all.len(), |flow| {
            let is_followed = all[flow].bytes.is_some() && all[flow].begins_until(end);
            !is_followed || completed[flow].is_some() || stages[flow] == Stage::Over
        })
    }

    /// Each transfer, and when its last byte reached the receiver.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Transfer, Option<Time>)> {
        self.all.iter().copied().zip(self.completed.iter().copied())
    }

    pub(crate) fn delivered(&self) -> &[u64] {
        &self.delivered
    }
}
