//! Applications that send: a number of bytes from an instant on, or without end.

use crate::transport::{
    Alarm, ConnectionEvent, ConnectionEventKind, FlowId, Opening, Owner, Side, Transport, UNLIMITED_BYTES,
};
use aqmlab_units::Time;
use aqmlab_web::MinimumDelay;

/// One transfer: its sender opens a connection, writes, and closes it behind the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When the connection is opened.
    pub starts: Time,
    /// What is sent; without end if nothing is said.
    pub bytes: Option<u64>,
}

/// All transfers of a run.
#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    all: Vec<Transfer>,
    /// Bytes that reached each receiver's application so far.
    delivered: Vec<u64>,
    /// When the last byte of each did.
    completed: Vec<Option<Time>>,
}

impl Transfers {
    pub(crate) fn new(all: Vec<Transfer>) -> Self {
        Self { delivered: vec![0; all.len()], completed: vec![None; all.len()], all }
    }

    pub(crate) fn start(&self, transport: &mut impl Transport) {
        for (place, transfer) in self.all.iter().enumerate() {
            transport.wake_at(transfer.starts, Alarm::Flow { flow: FlowId::of(place) });
        }
    }

    pub(crate) fn begin(flow: FlowId, transport: &mut impl Transport) {
        let delay = MinimumDelay::Drawn(0.0);
        transport.open(&Opening { owner: Owner::Flow { flow }, machine: 0, server: 0, delay });
    }

    #[inline]
    pub(crate) fn handle(&mut self, event: &ConnectionEvent, flow: FlowId, transport: &mut impl Transport) {
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                let delivered = &mut self.delivered[flow.place()];
                *delivered += u64::from(bytes);
                if self.all[flow.place()].bytes == Some(*delivered) {
                    self.completed[flow.place()] = Some(transport.now());
                }
            }
            (Side::Active, ConnectionEventKind::Established) => match self.all[flow.place()].bytes {
                Some(bytes) => transport.write_and_close(event.connection, Side::Active, bytes),
                None => transport.write(event.connection, Side::Active, UNLIMITED_BYTES),
            },
            (Side::Passive, ConnectionEventKind::PeerClosed) => {
                transport.close(event.connection, Side::Passive);
            }
            _ => {}
        }
    }

    /// Each transfer, and when its last byte reached the receiver.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Transfer, Option<Time>)> {
        self.all.iter().copied().zip(self.completed.iter().copied())
    }

    pub(crate) fn delivered(&self) -> &[u64] {
        &self.delivered
    }
}
