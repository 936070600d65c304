//! Connections whose two ends write what a vector says, each step in its turn.

use crate::answers::{Made, PendingAnswer};
use crate::browser_connection::ExchangeUnderWay;
use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::tracks::Track;
use crate::transport::{
    Alarm, ConnectionEvent, ConnectionEventKind, ConnectionId, Side, Transport, UserConnection,
};
use aqmlab_units::Span;
use aqmlab_web::{ConnectionVector, Exchange, ObjectKind, Party, Step};

const fn side_of(party: Party) -> Side {
    match party {
        Party::Initiator => Side::Active,
        Party::Acceptor => Side::Passive,
    }
}

impl Browsing {
    fn vector(&self, UserConnection { population, ordinal, .. }: UserConnection) -> &ConnectionVector {
        let vector = self.populations[population.place()].users.vector(ordinal);
        vector.expect("a connection of a dialogue has a vector")
    }

    fn step(&self, Track { whose, track }: Track, place: usize) -> Option<Step> {
        self.vector(whose).tracks[track].get(place).copied()
    }

    /// One end of such a connection has something to say.
    pub(crate) fn handle_dialogue(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let ConnectionEvent { connection, side, .. } = *event;
        match event.kind {
            ConnectionEventKind::Established => self.begin_dialogue(connection, side, whose, transport),
            ConnectionEventKind::Delivered { bytes } => {
                self.hear(connection, (side, bytes), whose, transport);
            }
            ConnectionEventKind::PeerClosed => self.hear_close(connection, side, whose, transport),
            ConnectionEventKind::GaveUp | ConnectionEventKind::Ended => {}
        }
    }

    /// The connection is open at one end: the tracks that begin there do.
    fn begin_dialogue(
        &mut self,
        connection: ConnectionId,
        side: Side,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        for track in [0, 1].map(|track| Track { whose, track }) {
            if let Some(first) = self.step(track, 0).filter(|first| side_of(first.party) == side) {
                self.wait(connection, track, first.wait, transport);
            }
        }
    }

    /// Data have arrived at one end: if they are all that the other wrote, the next step may be this end's.
    fn hear(
        &mut self,
        connection: ConnectionId,
        (side, bytes): (Side, u32),
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let dialogue = self.connections.dialogue(connection);
        let missing = &mut dialogue.under_way[side.other() as usize];
        *missing -= u64::from(bytes);
        if *missing > 0 {
            return;
        }
        let next = dialogue.next[0];
        if side == Side::Active && self.connections.at(connection).under_way.is_some() {
            self.record_response(connection, whose, transport);
            self.connections.at(connection).under_way = None;
        }
        let track = Track { whose, track: 0 };
        let [before, due] = [next.checked_sub(1), Some(next)].map(|place| self.step(track, place?));
        // Of a concurrent connection no end waits for the other: a track has one party.
        let answers = before.is_some_and(|before| side_of(before.party) == side.other());
        if let Some(due) = due.filter(|due| answers && side_of(due.party) == side) {
            self.wait(connection, track, due.wait, transport);
        }
    }

    /// The other end has closed: this one closes too, unless it has steps of its own left, the last of which
    /// is its close.
    fn hear_close(
        &mut self,
        connection: ConnectionId,
        side: Side,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let next = self.connections.dialogue(connection).next;
        let left = self
            .vector(whose)
            .tracks
            .iter()
            .zip(next)
            .any(|(steps, next)| steps[next..].iter().any(|step| side_of(step.party) == side));
        if !left {
            self.hang_up(connection, side, whose, transport);
        }
    }

    /// The connection is lost at the end that opened it.
    pub(crate) fn fail_dialogue(
        &mut self,
        connection: ConnectionId,
        whose @ UserConnection { population, user, ordinal }: UserConnection,
        transport: &mut impl Transport,
    ) {
        let record = self.connections.at(connection);
        let (connecting, under_way) = (record.is_connecting(), record.under_way.take().is_some());
        record.browser_gave_up = true;
        let group = &mut self.populations[population.place()];
        if group.open.find((user, ordinal), Some(connection), &self.connections).is_none() {
            return;
        }
        group.open.remove(user, connection, &mut self.connections);
        if connecting {
            self.note_exchange(whose, 0);
        }
        if connecting || under_way {
            self.count_exchange(population, ExchangeCounts::FAILED, transport);
        }
    }

    fn wait(&mut self, connection: ConnectionId, track: Track, wait: Span, transport: &mut impl Transport) {
        if wait == Span::ZERO {
            return self.say_next(connection, track, transport);
        }
        let number = self.connections.at(connection).number;
        let answer = PendingAnswer { connection, number, made: Made::Step(track) };
        let answer = self.answers.insert(answer);
        transport.wake_at(transport.now() + wait, Alarm::Answer { answer });
    }

    /// The next step of a track is due, and those of the same end that follow at once. Data and a close
    /// behind them are one call.
    pub(crate) fn say_next(
        &mut self,
        connection: ConnectionId,
        track: Track,
        transport: &mut impl Transport,
    ) {
        loop {
            let place = self.connections.dialogue(connection).next[track.track];
            let Some(step) = self.step(track, place) else { return };
            let next = self.step(track, place + 1).filter(|next| next.party == step.party);
            let closes =
                step.bytes > 0 && next.is_some_and(|next| next.bytes == 0 && next.wait == Span::ZERO);
            self.connections.dialogue(connection).next[track.track] = place + 1 + usize::from(closes);
            self.take_step(connection, (track, place), (step, closes), transport);
            match next {
                _ if closes => return,
                None => return,
                Some(next) if next.wait > Span::ZERO => {
                    return self.wait(connection, track, next.wait, transport);
                }
                Some(_) => {}
            }
        }
    }

    fn take_step(
        &mut self,
        connection: ConnectionId,
        (track, place): (Track, usize),
        (step, closes): (Step, bool),
        transport: &mut impl Transport,
    ) {
        let side = side_of(step.party);
        if step.bytes == 0 {
            return self.hang_up(connection, side, track.whose, transport);
        }
        if let Some(exchange) = self.vector(track.whose).exchange_at(place) {
            self.begin_exchange(connection, track.whose, (place, exchange), transport);
        }
        self.connections.dialogue(connection).under_way[side as usize] += step.bytes;
        if closes {
            self.forget_open(connection, side, track.whose);
            transport.write_and_close(connection, side, step.bytes);
        } else {
            transport.write(connection, side, step.bytes);
        }
    }

    /// Data are written that the other end will answer. The first exchange of a connection began with its
    /// opening if nothing was written before.
    fn begin_exchange(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        (place, (request_bytes, response_bytes)): (usize, (u32, u64)),
        transport: &mut impl Transport,
    ) {
        let opens = place == 0;
        let record = self.connections.at(connection);
        record.exchanges += 1;
        record.under_way = Some(ExchangeUnderWay {
            request_bytes,
            response_bytes,
            kind: kind_of(opens),
            began: if opens { record.opened } else { transport.now() },
            missing_bytes: response_bytes,
            first_on_connection: opens,
            completed: false,
        });
        self.note_exchange(whose, place);
        if !opens {
            self.count_exchange(whose.population, ExchangeCounts::STARTED, transport);
        }
    }

    /// Counts what an exchange asks for.
    fn note_exchange(&mut self, whose: UserConnection, place: usize) {
        let Some((request_bytes, response_bytes)) = self.vector(whose).exchange_at(place) else { return };
        let exchange = Exchange {
            object: u32::try_from(place / 2).unwrap_or(u32::MAX),
            page: 0,
            kind: kind_of(place == 0),
            on_persistent_connection: true,
            request_bytes,
            response_bytes,
            server_time: Span::ZERO,
            server_closes: false,
        };
        self.populations[whose.population.place()].note_generated(&exchange);
    }

    fn hang_up(
        &mut self,
        connection: ConnectionId,
        side: Side,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        self.forget_open(connection, side, whose);
        transport.close(connection, side);
    }

    /// A connection that its initiator closes is no longer among those that are open.
    fn forget_open(
        &mut self,
        connection: ConnectionId,
        side: Side,
        UserConnection { population, user, .. }: UserConnection,
    ) {
        if side == Side::Active {
            self.populations[population.place()].open.remove(user, connection, &mut self.connections);
        }
    }
}

const fn kind_of(opens: bool) -> ObjectKind {
    if opens { ObjectKind::TopLevel } else { ObjectKind::Embedded }
}
