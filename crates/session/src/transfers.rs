//! Applications that send: a number of bytes from an instant on, or without end.

use crate::transport::{
    Alarm, ConnectionEvent, ConnectionEventKind, FlowId, Opening, Owner, Side, Transport, UNLIMITED_BYTES,
};
use aqmlab_units::Time;

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
}

impl Transfers {
    pub(crate) fn new(all: Vec<Transfer>) -> Self {
        Self { delivered: vec![0; all.len()], all }
    }

    pub(crate) fn start(&self, transport: &mut impl Transport) {
        for (place, transfer) in self.all.iter().enumerate() {
            transport.wake_at(transfer.starts, Alarm::Flow { flow: FlowId::of(place) });
        }
    }

    pub(crate) fn begin(flow: FlowId, transport: &mut impl Transport) {
        transport.open(&Opening { owner: Owner::Flow { flow }, server: 0, delay_draw: 0.0 });
    }

    #[inline]
    pub(crate) fn handle(&mut self, event: &ConnectionEvent, flow: FlowId, transport: &mut impl Transport) {
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                self.delivered[flow.place()] += u64::from(bytes);
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

    pub(crate) fn delivered(&self) -> &[u64] {
        &self.delivered
    }
}
