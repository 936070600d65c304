//! A transport that writes down in words what it is asked for.

use aqmlab_session::{
    Alarm, ConnectionId, Datagram, IdlePath, Opened, Opening, Owner, PastTransport, Side, Transport,
};
use aqmlab_units::Time;
use std::sync::Arc;

/// What was asked for, in words; connections have the places 0, 1, 2… and the numbers 1000, 1001, 1002…
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) now: Time,
    pub(crate) opened: u32,
    pub(crate) calls: Vec<String>,
    pub(crate) alarms: Vec<Alarm>,
    pub(crate) owners: Vec<Owner>,
    pub(crate) openers: Vec<Side>,
    /// What is said to be unsent, whoever asks.
    pub(crate) unsent: u64,
    /// How connections fared before the start.
    pub(crate) idle_path: Option<IdlePath>,
}

impl Transport for Script {
    fn now(&self) -> Time {
        self.now
    }

    fn open(&mut self, opening: &Opening) -> Opened {
        let place = self.opened;
        self.opened += 1;
        let whose = match opening.owner {
            Owner::User { user, .. } => format!("user {user}"),
            Owner::Flow { flow } => format!("flow {}", flow.number()),
        };
        self.owners.push(opening.owner);
        self.openers.push(opening.opener);
        self.calls.push(format!("open {place} of {whose}"));
        Opened { connection: ConnectionId::from_number(place), number: 1_000 + place }
    }

    fn past(&mut self) -> Option<&mut dyn PastTransport> {
        Some(self)
    }

    fn write(&mut self, connection: ConnectionId, side: Side, bytes: u64) {
        self.calls.push(format!("write {bytes} at {side:?} {}", connection.number()));
    }

    fn unsent(&self, _connection: ConnectionId, _side: Side) -> u64 {
        self.unsent
    }

    fn close(&mut self, connection: ConnectionId, side: Side) {
        self.calls.push(format!("close {side:?} {}", connection.number()));
    }

    fn withdraw_and_close(&mut self, connection: ConnectionId, side: Side) {
        self.calls.push(format!("withdraw and close {side:?} {}", connection.number()));
    }

    fn send(&mut self, Datagram { source, sequence, ip_bytes }: &Datagram) {
        self.calls.push(format!("send {ip_bytes} B number {sequence} of {}", source.number()));
    }

    fn wake_at(&mut self, instant: Time, alarm: Alarm) {
        self.alarms.push(alarm);
        self.calls.push(format!("wake at {}", instant.seconds()));
    }
}

impl PastTransport for Script {
    fn idle_path(&mut self, _opening: &Opening) -> Arc<IdlePath> {
        Arc::new(self.idle_path.clone().expect("only a past asks for it"))
    }

    fn resume(&mut self, opening: &Opening, carried_bytes: u64) -> Opened {
        let opened = self.open(opening);
        let said = self.calls.pop().unwrap_or_default().replace("open", "resume");
        self.calls.push(format!("{said} behind {carried_bytes} B"));
        opened
    }
}
