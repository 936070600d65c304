//! A transport for sources of datagrams and senders of transfers alone, which writes down what they do.

use aqmlab_record::{MeasuredWindow, Pages, Responses, Rows};
use aqmlab_session::{
    Alarm, BrowsingSettings, ConnectionId, Datagram, DatagramSource, Opened, Opening, ResponseEnd, Session,
    Side, Transfer, Transport,
};
use aqmlab_units::Time;

/// Writes down when which datagram is sent and what is written on connections, and keeps the alarms.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) now: Time,
    pub(crate) alarms: Vec<(Time, Alarm)>,
    pub(crate) sent: Vec<(Time, Datagram)>,
    /// What was written and closed, in words; connections have the places 0, 1, 2...
    pub(crate) written: Vec<(Time, String)>,
    opened: u32,
}

impl Script {
    /// Takes the next alarm, the first asked for of several at one instant.
    pub(crate) fn next_alarm(&mut self) -> Option<(Time, Alarm)> {
        let next = (0..self.alarms.len()).min_by_key(|&place| self.alarms[place].0)?;
        Some(self.alarms.remove(next))
    }
}

/// These transfers and sources, and nobody else, in a run until an instant.
pub(crate) fn session(transfers: Vec<Transfer>, sources: Vec<DatagramSource>, until: Time) -> Session {
    let window = MeasuredWindow { from: Time::ZERO, until };
    let settings = BrowsingSettings {
        window,
        response_end: ResponseEnd::LastByte,
        responses: Responses::new(0, Rows::None),
        pages: Pages::new(0, window, Rows::None),
    };
    Session::new(Vec::new(), settings, transfers, sources)
}

impl Transport for Script {
    fn now(&self) -> Time {
        self.now
    }

    fn open(&mut self, _opening: &Opening) -> Opened {
        self.opened += 1;
        let number = self.opened - 1;
        Opened { connection: ConnectionId::from_number(number), number }
    }

    fn write(&mut self, connection: ConnectionId, _side: Side, bytes: u64) {
        self.written.push((self.now, format!("{bytes} on {}", connection.number())));
    }

    fn unsent(&self, _connection: ConnectionId, _side: Side) -> u64 {
        0
    }

    fn close(&mut self, connection: ConnectionId, _side: Side) {
        self.written.push((self.now, format!("close {}", connection.number())));
    }

    fn withdraw_and_close(&mut self, connection: ConnectionId, _side: Side) {
        self.written.push((self.now, format!("withdraw and close {}", connection.number())));
    }

    fn send(&mut self, datagram: &Datagram) {
        self.sent.push((self.now, *datagram));
    }

    fn wake_at(&mut self, instant: Time, alarm: Alarm) {
        self.alarms.push((instant, alarm));
    }
}
