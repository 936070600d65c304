//! What will be written later: responses of servers that take their time, and steps of dialogues.

use crate::tracks::Track;
use crate::transport::{AnswerId, ConnectionId, Side, Transport};
use aqmlab_web::Respond;

/// What is ready when its time has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made {
    /// A response.
    Response(Respond),
    /// The next step of a track.
    Step(Track),
}

/// Something that will be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingAnswer {
    pub(crate) connection: ConnectionId,
    /// The connection's number within the run: its place may be another's when the response is made.
    pub(crate) number: u32,
    pub(crate) made: Made,
}

/// All of them; places are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingAnswers {
    all: Vec<PendingAnswer>,
    free: Vec<AnswerId>,
}

impl PendingAnswers {
    pub(crate) fn insert(&mut self, answer: PendingAnswer) -> AnswerId {
        if let Some(place) = self.free.pop() {
            self.all[place.place()] = answer;
            return place;
        }
        self.all.push(answer);
        AnswerId::of(self.all.len() - 1)
    }

    pub(crate) fn take(&mut self, place: AnswerId) -> PendingAnswer {
        self.free.push(place);
        self.all[place.place()]
    }
}

/// Writes a response, and closes behind it if it says so.
pub(crate) fn respond(connection: ConnectionId, response: &Respond, transport: &mut impl Transport) {
    if response.then_close {
        transport.write_and_close(connection, Side::Passive, response.bytes);
    } else {
        transport.write(connection, Side::Passive, response.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Span;

    #[test]
    fn places_are_used_again_and_answers_kept_apart() {
        let mut answers = PendingAnswers::default();
        let answer = |number: u32| PendingAnswer {
            connection: ConnectionId::from_number(number),
            number,
            made: Made::Response(Respond { bytes: u64::from(number), then_close: false, after: Span::ZERO }),
        };
        let [first, second] = [1, 2].map(|number| answers.insert(answer(number)));
        assert_eq!(answers.take(first).number, 1);
        let third = answers.insert(answer(3));
        assert_eq!(third, first);
        assert_eq!([answers.take(second).number, answers.take(third).number], [2, 3]);
        assert_eq!(answers.all.len(), 2);
    }
}
