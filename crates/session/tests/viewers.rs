//! A viewer of videos over a transport that opens one connection and says nothing by itself: what is recorded
//! of the segments.

use aqmlab_random::Key;
use aqmlab_record::{MeasuredWindow, Pages, Responses, Rows};
use aqmlab_session::{
    Alarm, BrowsingPopulation, BrowsingSettings, ConnectionEvent, ConnectionEventKind, ConnectionId,
    Datagram, ExchangeCounts, Opened, Opening, Owner, PopulationId, ResponseEnd, Session, Side, StreamId,
    Transport,
};
use aqmlab_units::{Span, Time};
use aqmlab_web::{ConnectionOrdinal, Parameters, StartRule, VideoStreamingParameters};

/// Nothing but the time.
struct Silent(Time);

impl Transport for Silent {
    fn now(&self) -> Time {
        self.0
    }

    fn open(&mut self, _: &Opening) -> Opened {
        Opened { connection: ConnectionId::from_number(0), number: 0 }
    }

    fn write(&mut self, _: ConnectionId, _: Side, _: u64) {}

    fn unsent(&self, _: ConnectionId, _: Side) -> u64 {
        0
    }

    fn close(&mut self, _: ConnectionId, _: Side) {}

    fn withdraw_and_close(&mut self, _: ConnectionId, _: Side) {}

    fn send(&mut self, _: &Datagram) {}

    fn wake_at(&mut self, _: Time, _: Alarm) {}
}

#[test]
fn a_segment_that_arrives_is_an_exchange_and_a_segment_and_no_response() {
    let mut parameters = VideoStreamingParameters::default();
    parameters.choose_among(1);
    let users = parameters.build(1, Key::from_seed(1), &|_| panic!("there is no file")).unwrap();
    let window = MeasuredWindow { from: Time::ZERO, until: Time::from_seconds(100.0) };
    let settings = BrowsingSettings {
        window,
        response_end: ResponseEnd::LastByte,
        responses: Responses::new(1, Rows::All),
        pages: Pages::new(1, window, Rows::All),
    };
    let viewers = BrowsingPopulation::new(users, StartRule::Fresh { spread: Span::ZERO });
    let mut session = Session::new(vec![viewers], settings, Vec::new(), Vec::new());
    let mut transport = Silent(Time::ZERO);
    session.start(&mut transport, || Ok::<(), ()>(())).unwrap();
    let population = PopulationId::from_number(0);
    session.wake(Alarm::User { population, user: 0 }, &mut transport);
    // The first segment has the lowest bit rate: 3 s of 230 kbit/s for a request of 500 bytes.
    let events = [
        (1.0, Side::Active, ConnectionEventKind::Established),
        (2.0, Side::Passive, ConnectionEventKind::Delivered { bytes: 500 }),
        (3.0, Side::Active, ConnectionEventKind::Delivered { bytes: 86_250 }),
    ];
    for (at_s, side, kind) in events {
        transport.0 = Time::from_seconds(at_s);
        let owner = Owner::User { population, user: 0, ordinal: ConnectionOrdinal::new(0) };
        let connection = ConnectionId::from_number(0);
        session.handle(
            &ConnectionEvent { connection, owner, side, stream: StreamId::FIRST, kind },
            &mut transport,
        );
    }
    let counted = session.populations()[0].in_run();
    assert_eq!(counted, ExchangeCounts { started: 1, completed: 1, failed: 0 });
    let records = session.into_records(Time::from_seconds(3.0));
    let names = ["tv".to_owned()];
    let responses = records.responses.into_tables(&names);
    assert_eq!(responses.iter().map(aqmlab_record::Table::rows).sum::<usize>(), 0, "{responses:?}");
    let segments = records.video_segments.unwrap().into_table(&names);
    assert_eq!(segments.rows(), 1);
}
