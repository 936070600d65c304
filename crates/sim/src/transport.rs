//! The fabric as the applications see it: their transport in virtual time.

use crate::fabric::{Events, Fabric, Timer};
use crate::identifiers::EndpointId;
use aqmlab_session::{
    Alarm, ConnectionId, Datagram, IdlePath, Opened, Opening, PastTransport, Side, StreamId, Transport,
    Urgency,
};
use aqmlab_units::Time;
use std::sync::Arc;

/// Lent to the session for each call.
pub(crate) struct SimulatedTransport<'a> {
    pub(crate) fabric: &'a mut Fabric,
    pub(crate) events: &'a mut Events,
}

impl Transport for SimulatedTransport<'_> {
    #[inline(always)]
    fn now(&self) -> Time {
        self.events.now()
    }

    fn open(&mut self, opening: &Opening) -> Opened {
        self.fabric.open(opening, self.events)
    }

    fn past(&mut self) -> Option<&mut dyn PastTransport> {
        Some(self)
    }

    fn write(&mut self, connection: ConnectionId, side: Side, bytes: u64) {
        self.fabric.write(EndpointId { connection, side }, StreamId::FIRST, bytes, self.events);
    }

    fn write_on(&mut self, connection: ConnectionId, side: Side, stream: StreamId, bytes: u64) {
        self.fabric.write(EndpointId { connection, side }, stream, bytes, self.events);
    }

    fn finish(&mut self, connection: ConnectionId, side: Side, stream: StreamId) {
        self.fabric.finish(EndpointId { connection, side }, stream, self.events);
    }

    fn prioritize(&mut self, connection: ConnectionId, side: Side, stream: StreamId, urgency: Urgency) {
        self.fabric.prioritize(EndpointId { connection, side }, stream, urgency);
    }

    fn unsent(&self, connection: ConnectionId, side: Side) -> u64 {
        self.fabric.unsent(EndpointId { connection, side })
    }

    fn close(&mut self, connection: ConnectionId, side: Side) {
        self.fabric.close(EndpointId { connection, side }, self.events);
    }

    fn write_and_close(&mut self, connection: ConnectionId, side: Side, bytes: u64) {
        self.fabric.write_and_close(EndpointId { connection, side }, bytes, self.events);
    }

    fn withdraw_and_close(&mut self, connection: ConnectionId, side: Side) {
        self.fabric.withdraw_and_close(EndpointId { connection, side }, self.events);
    }

    fn send(&mut self, datagram: &Datagram) {
        self.fabric.send(datagram, self.events);
    }

    fn wake_at(&mut self, instant: Time, alarm: Alarm) {
        self.events.wake_at(instant, Timer::from(alarm));
    }
}

impl PastTransport for SimulatedTransport<'_> {
    fn idle_path(&mut self, opening: &Opening) -> Arc<IdlePath> {
        self.fabric.idle_path(opening)
    }

    fn resume(&mut self, opening: &Opening, carried_bytes: u64) -> Opened {
        self.fabric.resume(opening, carried_bytes, self.events)
    }
}
