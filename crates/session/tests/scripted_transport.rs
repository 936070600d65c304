//! Sessions over a transport that only writes down what it is asked for: events and answers worked out by
//! hand.

#[path = "script/in_words.rs"]
mod in_words;

use aqmlab_random::Key;
use aqmlab_record::{ColumnValues, MeasuredWindow, Pages, Responses, Rows, Table};
use aqmlab_session::{
    Alarm, BrowsingPopulation, BrowsingSettings, ConnectionEvent, ConnectionEventKind, ConnectionId,
    ExchangeCounts, FlowId, IdlePath, Owner, PopulationId, Records, ResponseEnd, Round, Session, Side,
    StreamId, Transfer, UNLIMITED_BYTES,
};
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    ConnectionOrdinal, MahParameters, PackMimeParameters, Parameters, Population, StartRule, TmixParameters,
    WebtrafParameters,
};
use in_words::Script;

/// A connection opens so long after the order; then a first round of 1,000 bytes 100 ms after the request,
/// and 1,000 more every 100 ms.
fn opens_in(time_to_open: Span) -> IdlePath {
    let round_trip = Span::from_milliseconds(100);
    IdlePath {
        opens: true,
        time_to_open,
        rounds: vec![Round { begins: round_trip, ends: round_trip, bytes: 1_000 }],
        period: round_trip,
        bytes_per_period: 1_000,
        keeps_window: false,
    }
}

/// A session and its script, driven by hand.
struct Conversation {
    session: Session,
    script: Script,
}

const USER: Alarm = Alarm::User { population: PopulationId::from_number(0), user: 0 };

impl Conversation {
    /// One user of Mah's model, whose think times are 5 s, pages one object, requests 300 B and responses
    /// 2,000 B; and these transfers.
    fn new(response_end: ResponseEnd, transfers: Vec<Transfer>) -> Self {
        Self::with_objects("1", response_end, transfers)
    }

    /// The same with so many objects of each page, all of these sizes.
    fn with_objects(objects: &str, response_end: ResponseEnd, transfers: Vec<Transfer>) -> Self {
        let named = |name: &str| Some(name.to_owned());
        let parameters = MahParameters {
            think_time_seconds_cdf_file: named("5"),
            files_per_document_cdf_file: named(objects),
            primary_request_bytes_cdf_file: named("300"),
            primary_response_bytes_cdf_file: named("2000"),
            secondary_request_bytes_cdf_file: named("300"),
            secondary_response_bytes_cdf_file: named("2000"),
            ..MahParameters::default()
        };
        Self::starting(StartRule::Fresh { spread: Span::ZERO }, None, &parameters, response_end, transfers)
    }

    /// A user of these parameters who starts by this rule; connections of her past fared so.
    fn starting(
        start: StartRule,
        idle_path: Option<IdlePath>,
        parameters: &MahParameters,
        response_end: ResponseEnd,
        transfers: Vec<Transfer>,
    ) -> Self {
        let constant = |name: &str| Ok(format!("{name} 1\n"));
        let users = parameters.build(1, Key::from_seed(1), &constant).unwrap();
        Self::of(users, start, idle_path, response_end, transfers)
    }

    /// A population that starts by this rule.
    fn of(
        users: Population,
        start: StartRule,
        idle_path: Option<IdlePath>,
        response_end: ResponseEnd,
        transfers: Vec<Transfer>,
    ) -> Self {
        let window = MeasuredWindow { from: Time::ZERO, until: Time::from_seconds(100.0) };
        let settings = BrowsingSettings {
            window,
            response_end,
            responses: Responses::new(1, Rows::All),
            pages: Pages::new(1, window, Rows::All),
        };
        let session =
            Session::new(vec![BrowsingPopulation::new(users, start)], settings, transfers, Vec::new());
        let script = Script { idle_path, ..Script::default() };
        let mut conversation = Self { session, script };
        conversation.session.start(&mut conversation.script, || Ok::<(), ()>(())).unwrap();
        conversation
    }

    /// What was asked for since the last call.
    fn calls(&mut self) -> Vec<String> {
        std::mem::take(&mut self.script.calls)
    }

    fn wake(&mut self, at: f64, alarm: Alarm) -> Vec<String> {
        self.script.now = Time::from_seconds(at);
        self.session.wake(alarm, &mut self.script);
        self.calls()
    }

    fn event(
        &mut self,
        at: f64,
        owner: Owner,
        place: u32,
        side: Side,
        kind: ConnectionEventKind,
    ) -> Vec<String> {
        self.script.now = Time::from_seconds(at);
        let connection = ConnectionId::from_number(place);
        self.session.handle(
            &ConnectionEvent { connection, owner, side, stream: StreamId::FIRST, kind },
            &mut self.script,
        );
        self.calls()
    }

    /// An event of the user's connection with this ordinal.
    fn user_event(&mut self, at: f64, ordinal: u32, side: Side, kind: ConnectionEventKind) -> Vec<String> {
        let ordinal_of_visit = ConnectionOrdinal::new(ordinal);
        let population = PopulationId::from_number(0);
        let owner = Owner::User { population, user: 0, ordinal: ordinal_of_visit };
        self.event(at, owner, ordinal, side, kind)
    }

    /// The user's connection with this ordinal carries its exchange in half a second and is closed.
    fn whole_exchange(&mut self, at: f64, ordinal: u32) {
        self.user_event(at + 0.1, ordinal, Side::Active, ConnectionEventKind::Established);
        self.user_event(at + 0.2, ordinal, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
        self.user_event(at + 0.5, ordinal, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
        self.user_event(at + 0.5, ordinal, Side::Active, ConnectionEventKind::PeerClosed);
    }

    fn counts(&self) -> ExchangeCounts {
        self.session.populations()[0].in_run()
    }
}

const fn counts(started: u64, completed: u64, failed: u64) -> ExchangeCounts {
    ExchangeCounts { started, completed, failed }
}

/// The columns of the table `pages` that are real numbers, then those that are whole, row by row; the run
/// ends at 100 s.
fn pages(talk: Conversation) -> Vec<(f64, f64, Vec<u64>)> {
    let tables =
        talk.session.into_records(Time::from_seconds(100.0)).pages.into_tables(&["users".to_owned()]);
    let rows = tables.iter().find(|table| table.name == "pages").unwrap();
    let column = |name: &str| &rows.columns.iter().find(|column| column.name == name).unwrap().values;
    let real = |name: &str| match column(name) {
        ColumnValues::F64(values) => values.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let whole = |name: &str, row: usize| match column(name) {
        ColumnValues::U8(values) => u64::from(values[row]),
        ColumnValues::U32(values) => u64::from(values[row]),
        ColumnValues::U64(values) => values[row],
        other => panic!("{name}: {other:?}"),
    };
    let (began, times) = (real("began_s"), real("page_load_time_s"));
    let numbers = ["page", "ended", "objects", "failed_objects", "response_bytes"];
    let row = |row| (began[row], times[row], numbers.iter().map(|name| whole(name, row)).collect());
    (0..rows.rows()).map(row).collect()
}

#[track_caller]
fn assert_pages(talk: Conversation, expected: &[(f64, f64, [u64; 5])]) {
    let found = pages(talk);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        let near = (found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9;
        assert!(near && found.2 == expected.2, "{found:?} is not {expected:?}");
    }
}

/// A column of real numbers.
fn rows_of(tables: &[Table], name: &str, column: &str) -> Vec<f64> {
    let table = tables.iter().find(|table| table.name == name).unwrap();
    let values = &table.columns.iter().find(|found| found.name == column).unwrap().values;
    let ColumnValues::F64(values) = values else { panic!("{column}: {values:?}") };
    values.clone()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_page_ends_with_its_last_object_and_what_is_under_way_at_the_end_is_unfinished() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(5.3, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    talk.user_event(5.5, 0, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
    // The server's close follows, for which this response time does not wait.
    talk.user_event(5.6, 0, Side::Active, ConnectionEventKind::PeerClosed);
    // She thinks for five seconds; the next page finds no server.
    talk.wake(10.6, USER);
    talk.user_event(85.6, 1, Side::Active, ConnectionEventKind::GaveUp);
    talk.wake(90.6, USER);
    assert_pages(
        talk,
        &[
            // Began, took; page, ended, objects, failed, bytes.
            (5.0, 0.5, [0, 1, 1, 0, 2000]),
            (10.6, 75.0, [1, 1, 0, 1, 0]),
            (90.6, 9.4, [2, 0, 0, 0, 0]),
        ],
    );
}

#[test]
fn a_page_may_end_with_the_servers_close() {
    let mut talk = Conversation::new(ResponseEnd::ConnectionClosed, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(5.3, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    talk.user_event(5.5, 0, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
    talk.user_event(5.6, 0, Side::Active, ConnectionEventKind::PeerClosed);
    assert_pages(talk, &[(5.0, 0.6, [0, 1, 1, 0, 2000])]);
}

#[test]
fn a_page_of_one_object_is_asked_for_answered_and_closed() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    assert_eq!(talk.calls(), ["wake at 5"]);
    assert_eq!(talk.wake(5.0, USER), ["open 0 of user 0"]);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    let mut event = |at, side, kind| talk.user_event(at, 0, side, kind);
    assert_eq!(event(5.1, Side::Passive, ConnectionEventKind::Established), NOTHING);
    assert_eq!(event(5.2, Side::Active, ConnectionEventKind::Established), ["write 300 at Active 0"]);
    assert_eq!(event(5.3, Side::Passive, ConnectionEventKind::Delivered { bytes: 299 }), NOTHING);
    let answer = event(5.3, Side::Passive, ConnectionEventKind::Delivered { bytes: 1 });
    assert_eq!(answer, ["write 2000 at Passive 0", "close Passive 0"]);
    assert_eq!(event(5.4, Side::Active, ConnectionEventKind::Delivered { bytes: 1460 }), NOTHING);
    assert_eq!(event(5.5, Side::Active, ConnectionEventKind::Delivered { bytes: 540 }), NOTHING);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 1, 0), vec![0]));
    let end = talk.user_event(5.6, 0, Side::Active, ConnectionEventKind::PeerClosed);
    assert_eq!(end, ["close Active 0", "wake at 10.6"]);
    // Half a second from the opening to the last byte.
    let tables =
        talk.session.into_records(Time::from_seconds(100.0)).responses.into_tables(&["users".to_owned()]);
    let times = rows_of(&tables, "responses", "response_time_s");
    assert!(times.len() == 1 && (times[0] - 0.5).abs() < 1e-9, "{times:?}");
}

#[test]
fn a_response_time_may_end_with_the_servers_close() {
    let mut talk = Conversation::new(ResponseEnd::ConnectionClosed, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(5.3, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    talk.user_event(5.5, 0, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    talk.user_event(5.6, 0, Side::Active, ConnectionEventKind::PeerClosed);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 1, 0), vec![0]));
}

#[test]
fn a_connection_that_gives_up_at_both_ends_fails_one_exchange_and_counts_once() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    assert_eq!(talk.user_event(70.0, 0, Side::Passive, ConnectionEventKind::GaveUp), NOTHING);
    assert_eq!(talk.counts(), counts(1, 0, 0), "the browser does not know yet");
    let think = talk.user_event(80.0, 0, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!(think, ["wake at 85"]);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 1), vec![0]));
    assert_eq!(talk.session.populations()[0].gave_up(), 1);
}

/// What a user wanted is demand whether its connection opened or not, and once.
#[test]
fn an_exchange_whose_connection_never_opened_was_asked_for_all_the_same() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    let asked_for = |talk: &Conversation| talk.session.populations()[0].generated().objects();
    talk.wake(5.0, USER);
    assert_eq!(asked_for(&talk), 0, "no request is written yet");
    talk.user_event(80.0, 0, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!(asked_for(&talk), 1);
    talk.wake(85.0, USER);
    talk.user_event(85.1, 1, Side::Active, ConnectionEventKind::Established);
    assert_eq!(asked_for(&talk), 2);
    talk.user_event(95.0, 1, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!(asked_for(&talk), 2, "its request was counted when it was written");
}

#[test]
fn a_page_and_its_embedded_object_are_told_apart_and_their_connections_counted() {
    let mut talk = Conversation::with_objects("2", ResponseEnd::LastByte, Vec::new());
    let ordinal = ConnectionOrdinal::new(0);
    let owner = Owner::User { population: PopulationId::from_number(0), user: 0, ordinal };
    let place = ConnectionId::from_number(0);
    talk.wake(5.0, USER);
    assert_eq!(talk.session.exchanges(place, owner), 0);
    talk.whole_exchange(5.0, 0);
    assert_eq!(talk.session.exchanges(place, owner), 1);
    assert_eq!(talk.session.exchanges(place, Owner::Flow { flow: FlowId::from_number(0) }), 0);
    talk.whole_exchange(5.5, 1);
    assert_eq!(talk.counts(), counts(2, 2, 0));
    let tables =
        talk.session.into_records(Time::from_seconds(100.0)).responses.into_tables(&["users".to_owned()]);
    let rows = tables.iter().find(|table| table.name == "responses").unwrap();
    let objects = rows.columns.iter().find(|column| column.name == "object").unwrap();
    let ColumnValues::Names(objects) = &objects.values else { panic!("{:?}", objects.values) };
    assert_eq!(objects.iter().collect::<Vec<_>>(), [Some("page"), Some("embedded")]);
    let numbers = rows.columns.iter().find(|column| column.name == "connection").unwrap();
    assert_eq!(numbers.values, ColumnValues::U32(vec![1_000, 1_001]));
}

/// A request whose connection is lost fails; a response that is there does not, though its server's close
/// never comes.
#[test]
fn an_object_fails_with_its_connection_unless_it_is_there() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(20.0, 0, Side::Active, ConnectionEventKind::GaveUp);
    talk.wake(25.0, USER);
    talk.user_event(25.2, 1, Side::Active, ConnectionEventKind::Established);
    talk.user_event(25.3, 1, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    talk.user_event(25.5, 1, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
    talk.user_event(40.0, 1, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!(talk.counts(), counts(2, 1, 1));
    assert_eq!(talk.session.populations()[0].gave_up(), 2);
    assert_pages(talk, &[(5.0, 15.0, [0, 1, 0, 1, 0]), (25.0, 0.5, [1, 1, 1, 0, 2000])]);
}

/// The window ends at 100 s.
#[test]
fn an_exchange_is_counted_in_the_window_in_which_it_begins_and_in_that_in_which_it_ends() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(99.0, USER);
    let in_window = |talk: &Conversation| talk.session.populations()[0].in_window();
    talk.user_event(99.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(120.0, 0, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!((in_window(&talk), talk.counts()), (counts(1, 0, 0), counts(1, 0, 1)));
    assert_eq!(talk.session.populations()[0].gave_up(), 0, "after it");
    talk.wake(125.0, USER);
    assert_eq!((in_window(&talk), talk.counts()), (counts(1, 0, 0), counts(2, 0, 1)));
}

#[test]
fn what_arrives_behind_the_browsers_close_says_nothing() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(5.0, USER);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(5.3, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    talk.user_event(5.5, 0, Side::Active, ConnectionEventKind::Delivered { bytes: 2000 });
    talk.user_event(5.6, 0, Side::Active, ConnectionEventKind::PeerClosed);
    assert_eq!(talk.user_event(5.7, 0, Side::Active, ConnectionEventKind::GaveUp), NOTHING);
    assert_eq!(talk.counts(), counts(1, 1, 0), "its exchange is complete");
    assert_eq!(talk.session.populations()[0].gave_up(), 1, "but the connection was lost");
}

#[test]
fn a_connection_that_is_over_waits_for_nobody_whatever_its_place_held() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.wake(5.0, USER);
    assert_eq!(talk.session.unfinished(), [1]);
    let ordinal = ConnectionOrdinal::new(0);
    let owner = Owner::User { population: PopulationId::from_number(0), user: 0, ordinal };
    talk.session.forget(ConnectionId::from_number(0), owner);
    assert_eq!(talk.session.unfinished(), [0]);
}

#[test]
fn a_transfer_writes_its_bytes_and_closes_and_one_without_end_does_not() {
    let starts = Time::from_seconds(1.0);
    let transfers = vec![
        Transfer { starts, stops: Time::MAX, bytes: Some(9_000), writes: None, next: None },
        Transfer { starts, stops: Time::MAX, bytes: None, writes: None, next: None },
    ];
    let mut talk = Conversation::new(ResponseEnd::LastByte, transfers);
    assert_eq!(talk.calls(), ["wake at 5", "wake at 1", "wake at 1"]);
    let flows = [0, 1].map(FlowId::from_number);
    assert_eq!(talk.wake(1.0, Alarm::Flow { flow: flows[0] }), ["open 0 of flow 0"]);
    assert_eq!(talk.wake(1.0, Alarm::Flow { flow: flows[1] }), ["open 1 of flow 1"]);
    let owners = flows.map(|flow| Owner::Flow { flow });
    let established = ConnectionEventKind::Established;
    assert_eq!(
        talk.event(1.1, owners[0], 0, Side::Active, established),
        ["write 9000 at Active 0", "close Active 0"]
    );
    let without_end = [format!("write {UNLIMITED_BYTES} at Active 1")];
    assert_eq!(talk.event(1.1, owners[1], 1, Side::Active, established), without_end);
    assert_eq!(talk.event(1.1, owners[1], 1, Side::Passive, established), NOTHING);
    for bytes in [1460, 540] {
        talk.event(1.2, owners[1], 1, Side::Passive, ConnectionEventKind::Delivered { bytes });
    }
    // What the sender hears is no delivery to the receiver.
    talk.event(1.2, owners[0], 0, Side::Active, ConnectionEventKind::Delivered { bytes: 7 });
    assert_eq!(talk.session.delivered(), [0, 2000]);
    let closed = talk.event(1.3, owners[0], 0, Side::Passive, ConnectionEventKind::PeerClosed);
    assert_eq!(closed, ["close Passive 0"]);
}

#[test]
fn a_transfer_stops_once_wherever_it_is() {
    let (starts, stops) = (Time::from_seconds(1.0), Time::from_seconds(2.0));
    let transfer = |starts, bytes| Transfer { starts, stops, bytes, writes: None, next: None };
    let transfers = vec![transfer(starts, None), transfer(starts, Some(9)), transfer(stops, None)];
    let mut talk = Conversation::new(ResponseEnd::LastByte, transfers);
    assert_eq!(talk.calls(), ["wake at 5", "wake at 1", "wake at 1"], "the third never begins");
    let flows = [0, 1].map(FlowId::from_number);
    let owners = flows.map(|flow| Owner::Flow { flow });
    for (number, flow) in flows.into_iter().enumerate() {
        let begun = talk.wake(1.0, Alarm::Flow { flow });
        assert_eq!(begun, [format!("open {number} of flow {number}"), "wake at 2".to_owned()]);
    }
    talk.event(1.1, owners[1], 1, Side::Active, ConnectionEventKind::Established);
    talk.event(1.2, owners[1], 1, Side::Active, ConnectionEventKind::Ended);
    assert_eq!(talk.wake(2.0, Alarm::Flow { flow: flows[1] }), NOTHING, "its place is another's by now");
    assert_eq!(talk.wake(2.0, Alarm::Flow { flow: flows[0] }), ["withdraw and close Active 0"]);
    let late = talk.event(2.1, owners[0], 0, Side::Active, ConnectionEventKind::Established);
    assert_eq!(late, NOTHING, "it opens too late to write");
}

#[test]
fn starting_stops_where_the_driver_says_so() {
    let mut talk = Conversation::new(ResponseEnd::LastByte, Vec::new());
    talk.calls();
    let stopped = talk.session.start(&mut talk.script, || Err("enough"));
    assert_eq!((stopped, talk.calls().len()), (Err("enough"), 0));
}

/// A copy of a file of one connection that begins at 1 s, before it does.
fn dialogue(vector: &str) -> Conversation {
    let parameters = TmixParameters::of_file("own.cvec".to_owned());
    let users = parameters.build(1, Key::from_seed(4), &|_| Ok(vector.to_owned())).unwrap();
    let mut talk = Conversation::of(users, StartRule::Steady, None, ResponseEnd::LastByte, Vec::new());
    assert_eq!(talk.calls(), ["wake at 1"]);
    assert_eq!(talk.wake(1.0, USER), ["open 0 of user 0"]);
    talk
}

#[test]
fn steps_of_a_sequential_connection_wait_for_arrivals_and_writes_and_its_exchanges_are_counted() {
    let established = ConnectionEventKind::Established;
    let delivered = |bytes| ConnectionEventKind::Delivered { bytes };
    let mut talk =
        dialogue("SEQ 1000000 3 1 1\nr 1\n> 300\nt 500000\n< 900\nt 250000\n< 100\nt 2000000\n> 40\n");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    assert_eq!(talk.user_event(1.1, 0, Side::Passive, established), NOTHING);
    assert_eq!(talk.user_event(1.1, 0, Side::Active, established), ["write 300 at Active 0"]);
    assert_eq!(talk.user_event(1.2, 0, Side::Passive, delivered(200)), NOTHING, "not all of it");
    assert_eq!(talk.user_event(1.3, 0, Side::Passive, delivered(100)), ["wake at 1.8"]);
    let answer = talk.script.alarms.pop().unwrap();
    assert_eq!(talk.wake(1.8, answer), ["write 900 at Passive 0", "wake at 2.05"]);
    assert_eq!(talk.user_event(1.9, 0, Side::Active, delivered(900)), NOTHING, "the server has more to say");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 1, 0), vec![0]));
    let answer = talk.script.alarms.pop().unwrap();
    assert_eq!(talk.wake(2.05, answer), ["write 100 at Passive 0"]);
    assert_eq!(talk.user_event(2.2, 0, Side::Active, delivered(100)), ["wake at 4.2"]);
    let answer = talk.script.alarms.pop().unwrap();
    assert_eq!(talk.wake(4.2, answer), ["write 40 at Active 0", "close Active 0"]);
    assert_eq!(talk.user_event(4.3, 0, Side::Passive, delivered(40)), NOTHING);
    assert_eq!(talk.user_event(4.3, 0, Side::Passive, ConnectionEventKind::PeerClosed), ["close Passive 0"]);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 1, 0), vec![0]));
}

#[test]
fn ends_of_a_concurrent_connection_write_by_their_own_clocks() {
    let established = ConnectionEventKind::Established;
    let mut talk = dialogue("CONC 1000000 1 2 1 1\nr 1\nc< 190\nt< 500000\nc> 396\nt> 6000000\nc< 46\n");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(0, 0, 0), vec![0]), "nobody waits");
    let of_server = talk.user_event(2.0, 0, Side::Passive, established);
    assert_eq!(of_server, ["write 190 at Passive 0", "wake at 2.5"]);
    let second = talk.script.alarms.pop().unwrap();
    let of_client = talk.user_event(2.1, 0, Side::Active, established);
    assert_eq!(of_client, ["write 396 at Active 0", "wake at 8.1"]);
    let close = talk.script.alarms.pop().unwrap();
    assert_eq!(talk.wake(2.5, second), ["write 46 at Passive 0", "close Passive 0"]);
    assert_eq!(
        talk.user_event(3.0, 0, Side::Active, ConnectionEventKind::PeerClosed),
        NOTHING,
        "it has a step left"
    );
    assert_eq!(talk.wake(8.1, close), ["close Active 0"]);
}

#[test]
fn what_a_lost_connection_was_yet_to_say_is_not_said() {
    let mut talk = dialogue("SEQ 1000000 1 1 1\nr 1\n> 300\nt 500000\n< 900\n");
    talk.user_event(1.1, 0, Side::Active, ConnectionEventKind::Established);
    talk.user_event(1.3, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    assert_eq!(talk.user_event(1.4, 0, Side::Active, ConnectionEventKind::GaveUp), NOTHING);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 1), vec![0]));
    let answer = talk.script.alarms.pop().unwrap();
    assert_eq!(talk.wake(1.8, answer), NOTHING);
}

/// A user who is met while she waits for a response of 10 MB that takes 1,000 s: 100 ms for each 1,000 bytes,
/// and 100 ms to open its connection.
fn met_in_a_long_response(idle_path: IdlePath) -> Conversation {
    let named = |name: &str| Some(name.to_owned());
    let parameters = MahParameters {
        think_time_seconds_cdf_file: named("5"),
        files_per_document_cdf_file: named("1"),
        primary_request_bytes_cdf_file: named("300"),
        primary_response_bytes_cdf_file: named("10000000"),
        ..MahParameters::default()
    };
    Conversation::starting(
        StartRule::Stationary,
        Some(idle_path),
        &parameters,
        ResponseEnd::LastByte,
        Vec::new(),
    )
}

/// The number behind a word of a call.
fn number_behind(call: &str, word: &str) -> f64 {
    let (_, rest) = call.split_once(word).unwrap_or_else(|| panic!("no {word} in {call}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_response_under_way_at_the_start_goes_on_with_its_window_and_lasts_from_its_true_beginning() {
    let mut talk = met_in_a_long_response(opens_in(Span::from_milliseconds(100)));
    let calls = talk.calls();
    let [resumed, wake] = &calls[..] else { panic!("{calls:?}") };
    let carried = number_behind(resumed, "resume 0 of user 0 behind ") as u64;
    assert!(carried > 0 && carried % 1_000 == 0 && carried < 10_000_000, "{resumed}");
    let goes_on = number_behind(wake, "wake at ");
    assert!((0.0..=0.1).contains(&goes_on), "{wake}");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    assert_eq!(talk.session.populations()[0].in_window(), counts(0, 0, 0), "it began before every window");
    let missing = 10_000_000 - carried;
    let (owner, continuation) = (talk.script.owners[0], talk.script.alarms[0]);
    let answer = talk.wake(goes_on, continuation);
    assert_eq!(answer, [format!("write {missing} at Passive 0"), "close Passive 0".to_owned()]);
    // Here everything arrives at once. By then the connection has taken 100 ms to open, and each round as
    // long.
    let bytes = u32::try_from(missing).unwrap();
    talk.event(goes_on, owner, 0, Side::Active, ConnectionEventKind::Delivered { bytes });
    talk.event(goes_on, owner, 0, Side::Active, ConnectionEventKind::PeerClosed);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 1, 0), vec![0]));
    assert_eq!(talk.session.populations()[0].generated().objects(), 0, "it was asked for before the run");
    // The page has no load time, and the next one is another.
    talk.wake(50.0, USER);
    let Records { responses, pages, .. } = talk.session.into_records(Time::from_seconds(100.0));
    assert_eq!(rows_of(&pages.into_tables(&["users".to_owned()]), "pages", "began_s"), [50.0]);
    let times = rows_of(&responses.into_tables(&["users".to_owned()]), "responses", "response_time_s");
    let expected = 0.1 + (carried / 1_000 + 1) as f64 * 0.1;
    assert!(times.len() == 1 && (times[0] - expected).abs() < 1e-6, "{times:?} is not {expected}");
}

#[test]
fn a_connection_that_was_being_opened_at_the_start_is_open_when_it_would_have_been() {
    // Longer than everybody has lived.
    let mut talk = met_in_a_long_response(opens_in(Span::from_milliseconds(20_000_000)));
    let calls = talk.calls();
    assert_eq!(calls[0], "resume 0 of user 0 behind 0 B");
    let opens_at = number_behind(&calls[1], "wake at ");
    assert!(opens_at > 10_000.0, "{opens_at}");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    let (owner, continuation) = (talk.script.owners[0], talk.script.alarms[0]);
    assert_eq!(talk.wake(opens_at, continuation), ["write 300 at Active 0"]);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]), "counted once");
    let answer = talk.event(opens_at, owner, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: 300 });
    assert_eq!(answer, ["write 10000000 at Passive 0", "close Passive 0"]);
}

#[test]
fn a_connection_that_would_never_have_opened_is_tried_again_at_the_start() {
    // She thinks for 5 s and waits for 600 s, three times in her past.
    let mut talk = met_in_a_long_response(IdlePath::in_vain(Span::from_milliseconds(600_000)));
    assert_eq!(talk.calls(), ["open 0 of user 0"]);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 0), vec![1]));
    talk.event(75.0, talk.script.owners[0], 0, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(1, 0, 1), vec![0]));
}

/// A cloud all of whose connections carry several exchanges, before its first connection.
fn cloud() -> Conversation {
    let parameters = PackMimeParameters { persistent_share: 1.0, ..PackMimeParameters::default() };
    let cloud = parameters.build(1, Key::from_seed(4), &|_| panic!("there is no file")).unwrap();
    let mut talk = Conversation::of(cloud, StartRule::Steady, None, ResponseEnd::LastByte, Vec::new());
    assert!(matches!(talk.calls()[..], [ref wake] if wake.starts_with("wake at ")));
    assert_eq!(talk.script.alarms, [USER]);
    talk
}

/// How many bytes a call writes.
fn bytes_of(call: &str) -> u32 {
    call.split(' ').nth(1).and_then(|bytes| bytes.parse().ok()).unwrap_or_else(|| panic!("{call}"))
}

#[test]
fn a_cloud_opens_its_next_connection_whatever_becomes_of_the_one_before() {
    let mut talk = cloud();
    for (number, at) in [(0, 1.0), (1, 1.5), (2, 90.0)] {
        let calls = talk.wake(at, USER);
        assert_eq!(calls[0], format!("open {number} of user 0"), "{calls:?}");
        assert!(calls[1].starts_with("wake at ") && calls.len() == 2, "{calls:?}");
    }
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(3, 0, 0), vec![3]));
    let failed = talk.user_event(91.0, 1, Side::Active, ConnectionEventKind::GaveUp);
    assert_eq!(failed, NOTHING, "nobody asks again");
    assert_eq!((talk.counts(), talk.session.unfinished()), (counts(3, 0, 1), vec![2]));
}

#[test]
fn a_server_takes_its_time_and_closes_behind_the_last_response() {
    let mut talk = cloud();
    talk.wake(1.0, USER);
    let mut event = |at, side, kind| talk.user_event(at, 0, side, kind);
    let request = event(1.1, Side::Active, ConnectionEventKind::Established);
    let request = bytes_of(&request[0]);
    let (mut now, mut closed, mut exchanges) = (1.1, false, 0);
    while !closed {
        now += 0.1;
        let asked = talk.user_event(now, 0, Side::Passive, ConnectionEventKind::Delivered { bytes: request });
        assert!(asked.len() == 1 && asked[0].starts_with("wake at "), "{asked:?}");
        let answer = talk.script.alarms.pop().unwrap();
        assert!(matches!(answer, Alarm::Answer { .. }), "{answer:?}");
        now += 0.1;
        let response = talk.wake(now, answer);
        closed = response.len() == 2;
        assert!(response.get(1).is_none_or(|call| call == "close Passive 0"), "{response:?}");
        let bytes = bytes_of(&response[0]);
        now += 0.1;
        let next = talk.user_event(now, 0, Side::Active, ConnectionEventKind::Delivered { bytes });
        exchanges += 1;
        if closed {
            assert_eq!(next, ["close Active 0"]);
        } else {
            assert!(next.len() == 1 && next[0].starts_with("wake at "), "the next request waits: {next:?}");
            now += 1000.0;
            // Arrivals are due meanwhile; the request is among what is due.
            let mut written = Vec::new();
            while !written.iter().any(|call: &String| call.starts_with("write")) {
                written = talk.wake(now, USER);
            }
            assert_eq!(written, [format!("write {request} at Active 0")]);
        }
    }
    assert!(exchanges > 1);
    assert_eq!(talk.counts().completed, exchanges);
    let pages = talk.session.into_records(Time::from_seconds(now)).pages.into_tables(&["cloud".to_owned()]);
    assert_eq!(rows_of(&pages, "pages", "page_load_time_s").len(), 0, "nobody waits for pages");
}

#[test]
fn a_response_for_a_connection_that_is_lost_is_never_written() {
    let mut talk = cloud();
    talk.wake(1.0, USER);
    let request = talk.user_event(1.1, 0, Side::Active, ConnectionEventKind::Established);
    let bytes = bytes_of(&request[0]);
    talk.user_event(1.2, 0, Side::Passive, ConnectionEventKind::Delivered { bytes });
    let answer = talk.script.alarms.pop().unwrap();
    talk.user_event(1.25, 0, Side::Passive, ConnectionEventKind::GaveUp);
    assert_eq!(talk.wake(1.3, answer), NOTHING);
}

/// One session of Webtraf whose pages have a single object of 960 bytes.
fn one_way_session() -> Conversation {
    let parameters = WebtrafParameters {
        objects_per_page: 1,
        object_bytes_mean: 500.0,
        object_bytes_shape: 100.0, // at least 495 bytes, and 960 once in 10^29
        packet_bytes: 960,
        request_bytes: 960,
        ..WebtrafParameters::default()
    };
    let users = parameters.build(1, Key::from_seed(1), &|_| panic!("there is no file")).unwrap();
    let window = MeasuredWindow { from: Time::ZERO, until: Time::from_seconds(100.0) };
    let settings = BrowsingSettings {
        window,
        response_end: ResponseEnd::LastByte,
        responses: Responses::new(1, Rows::All),
        pages: Pages::new(1, window, Rows::All),
    };
    let group = BrowsingPopulation::new(users, StartRule::Fresh { spread: Span::ZERO });
    let session = Session::new(vec![group.over_one_way_connections()], settings, Vec::new(), Vec::new());
    let mut conversation = Conversation { session, script: Script::default() };
    conversation.session.start(&mut conversation.script, || Ok::<(), ()>(())).unwrap();
    conversation
}

#[test]
fn over_one_way_connections_the_server_answers_when_the_request_is_acknowledged() {
    use ConnectionEventKind::{Delivered, Ended, Established};
    let mut talk = one_way_session();
    talk.calls();
    assert_eq!(talk.wake(5.0, USER), ["open 0 of user 0"]);
    let ordinal = ConnectionOrdinal::new(0);
    let owner = Owner::User { population: PopulationId::from_number(0), user: 0, ordinal };
    let mut event = |at, place, side, kind| talk.event(at, owner, place, side, kind);
    assert_eq!(event(5.05, 0, Side::Passive, Established), NOTHING, "the server has nothing to write there");
    assert_eq!(event(5.1, 0, Side::Active, Established), ["write 960 at Active 0", "close Active 0"]);
    assert_eq!(
        event(5.15, 0, Side::Passive, Delivered { bytes: 960 }),
        NOTHING,
        "not before it is acknowledged"
    );
    assert_eq!(event(5.2, 0, Side::Active, Ended), ["close Passive 0", "open 1 of user 0"]);
    assert_eq!(event(5.25, 1, Side::Active, Established), NOTHING, "the browser has asked already");
    assert_eq!(event(5.3, 1, Side::Passive, Established), ["write 960 at Passive 1", "close Passive 1"]);
    assert_eq!(event(5.35, 1, Side::Active, Delivered { bytes: 960 }), NOTHING, "she learns of it later");
    let thinks = event(5.4, 1, Side::Passive, Ended);
    assert_eq!(thinks[0], "close Active 1");
    assert!(thinks[1].starts_with("wake at "), "{thinks:?}");
    assert_eq!(talk.script.openers, [Side::Active, Side::Passive]);
    assert_eq!(talk.counts(), counts(1, 1, 0));
    let tables =
        talk.session.into_records(Time::from_seconds(100.0)).responses.into_tables(&["users".to_owned()]);
    let times = rows_of(&tables, "responses", "response_time_s");
    assert!(matches!(times[..], [time] if (time - 0.4).abs() < 1e-9), "{times:?}");
}

#[test]
fn a_request_that_is_not_acknowledged_is_unfinished() {
    let mut talk = one_way_session();
    talk.wake(5.0, USER);
    assert_eq!(talk.session.unfinished(), [1]);
    talk.user_event(5.1, 0, Side::Active, ConnectionEventKind::Established);
    assert_eq!(talk.session.unfinished(), [1]);
    talk.user_event(5.2, 0, Side::Active, ConnectionEventKind::Ended);
    assert_eq!(talk.session.unfinished(), [1], "once, though it has had two connections");
}
