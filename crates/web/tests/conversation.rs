//! One visit worked by hand, command by command.

mod driver;

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, ConnectionOrdinal, StartRule, UncModel, UncParameters, User};

/// Every page has 5 objects, every visit 2 pages, every connection carries 3 requests; two at once.
fn model() -> UncModel {
    let file = |name: &str| Some(name.to_owned());
    let parameters = UncParameters {
        embedded_objects_per_page_cdf_file: file("4"),
        pages_per_server_visit_cdf_file: file("2"),
        requests_per_persistent_connection_cdf_file: file("3"),
        think_time_seconds_cdf_file: file("12.5"),
        request_bytes_cdf_file: file("300"),
        top_level_response_bytes_cdf_file: file("9000"),
        embedded_response_bytes_cdf_file: file("0"),
        persistent_connection_share: 1.0,
        netscape_share: 0.0,
        ..UncParameters::default()
    };
    UncModel::new(&parameters, &|value| Ok(format!("{value} 1\n"))).unwrap()
}

struct Conversation {
    model: UncModel,
    user: User,
    now: Time,
    commands: Vec<Command>,
}

impl Conversation {
    fn new(start: StartRule) -> Self {
        let model = model();
        let mut user = User::new(Key::from_seed(51), &model);
        let mut commands = Vec::new();
        user.start(&model, start, &mut commands);
        Self { model, user, now: Time::ZERO, commands }
    }

    /// Reports one event, a second after the last one: "wake", or what happened to which connection.
    fn report(&mut self, event: &str) -> String {
        self.now += Span::from_milliseconds(1000);
        let (what, number) = event.split_once(' ').unwrap_or((event, "0"));
        let connection = ConnectionOrdinal::new(number.parse().unwrap());
        let (user, now, model, out) = (&mut self.user, self.now, &self.model, &mut self.commands);
        match what {
            "wake" => user.on_wake(now, model, out),
            "connected" => user.on_connected(now, connection, model, out),
            "response" => user.on_response(now, connection, model, out),
            "failed" => drop(user.on_failed(now, connection, model, out)),
            "closed" => drop(user.on_peer_closed(now, connection, model, out)),
            _ => panic!("no such event: {what}"),
        }
        self.heard()
    }

    /// The commands since the last event, in short.
    fn heard(&mut self) -> String {
        let now = self.now;
        let short = |command: Command| match command {
            Command::Open { connection, reopened: false, .. } => format!("open {}", connection.number()),
            Command::Open { connection, reopened: true, .. } => format!("reopen {}", connection.number()),
            Command::Request { connection, exchange } => {
                let (object, bytes) = (exchange.object, exchange.response_bytes);
                assert_eq!(exchange.request_bytes, 300);
                format!("request {} object {object} of {bytes} B", connection.number())
            }
            Command::Close { connection } => format!("close {}", connection.number()),
            Command::Wait { until } => format!("wait {} s", (until - now).seconds()),
            Command::Think { until } => format!("think {} s", (until - now).seconds()),
        };
        self.commands.drain(..).map(short).collect::<Vec<_>>().join(", ")
    }

    fn follows(&mut self, script: &[(&str, &str)]) {
        for (line, (event, commands)) in script.iter().enumerate() {
            assert_eq!(self.report(event), *commands, "line {line}: {event}");
        }
    }
}

const FRESH: StartRule = StartRule::Fresh { spread: Span::ZERO };

#[test]
fn a_visit_of_two_pages() {
    let mut conversation = Conversation::new(FRESH);
    assert_eq!(conversation.heard(), "think 12.5 s");
    conversation.follows(&[
        // Page 0: connection 0 has objects 0, 1, 2; connection 1 has 3, 4 and one request left.
        ("wake", "open 0"),
        ("connected 0", "request 0 object 0 of 9000 B"),
        ("response 0", "request 0 object 1 of 1 B, open 1"),
        ("connected 1", "request 1 object 3 of 1 B"),
        ("response 1", "request 1 object 4 of 1 B"),
        ("response 1", ""),
        ("response 0", "request 0 object 2 of 1 B"),
        ("response 0", "close 0, think 12.5 s"),
        // Page 1: connection 1 brings the top-level object; 2 has objects 6, 7, 8; 3 has 9.
        ("wake", "request 1 object 5 of 9000 B"),
        ("response 1", "close 1, open 2, open 3"),
        ("connected 3", "request 3 object 9 of 1 B"),
        ("connected 2", "request 2 object 6 of 1 B"),
        ("response 3", ""),
        ("response 2", "request 2 object 7 of 1 B"),
        ("response 2", "request 2 object 8 of 1 B"),
        // Connection 3 has two requests left, but the visit is over.
        ("response 2", "close 2, close 3, think 12.5 s"),
        ("wake", "open 0"),
    ]);
}

#[test]
fn a_lost_connection_costs_one_exchange_and_is_opened_again_for_the_rest() {
    let mut conversation = Conversation::new(FRESH);
    conversation.heard();
    conversation.follows(&[
        ("wake", "open 0"),
        // The top-level object fails with the connection; the page goes on.
        ("failed 0", "reopen 0, open 1"),
        ("connected 1", "request 1 object 3 of 1 B"),
        ("connected 0", "request 0 object 1 of 1 B"),
        ("closed 1", "close 1, reopen 1"),
        ("failed 0", "reopen 0"),
        // Connection 1 has lost both of its objects now, and has one request left for the next page.
        ("failed 1", ""),
        ("connected 0", "request 0 object 2 of 1 B"),
        ("response 0", "close 0, think 12.5 s"),
        ("wake", "reopen 1"),
        ("connected 1", "request 1 object 5 of 9000 B"),
        ("response 1", "close 1, open 2, open 3"),
    ]);
}

#[test]
fn an_idle_connection_that_is_lost_is_opened_again_when_it_is_needed() {
    let mut conversation = Conversation::new(FRESH);
    conversation.heard();
    let page = ["wake", "connected 0", "response 0", "connected 1", "response 1", "response 1", "response 0"];
    page.iter().for_each(|event| drop(conversation.report(event)));
    conversation.follows(&[
        ("response 0", "close 0, think 12.5 s"),
        ("failed 1", ""),
        ("wake", "reopen 1"),
        ("connected 1", "request 1 object 5 of 9000 B"),
    ]);
}

#[test]
fn a_failed_exchange_is_returned_even_if_it_was_never_asked_for() {
    let mut conversation = Conversation::new(FRESH);
    conversation.report("wake");
    let first = ConnectionOrdinal::new(0);
    let (now, model) = (conversation.now, model());
    let failed = conversation.user.on_failed(now, first, &model, &mut conversation.commands).unwrap();
    assert_eq!((failed.object, failed.request_bytes, failed.response_bytes), (0, 300, 9000));
}

#[test]
#[should_panic(expected = "a response on connection 0, Connecting, without a request")]
fn a_response_before_the_connection_is_a_bug_of_the_driver() {
    let mut conversation = Conversation::new(FRESH);
    conversation.report("wake");
    conversation.report("response 0");
}

#[test]
#[should_panic(expected = "woken while TopLevel")]
fn a_wake_up_during_a_page_is_a_bug_of_the_driver() {
    let mut conversation = Conversation::new(FRESH);
    conversation.report("wake");
    conversation.report("wake");
}

#[test]
#[should_panic(expected = "connection 7 of visit 0 is not there")]
fn an_unknown_connection_is_a_bug_of_the_driver() {
    let mut conversation = Conversation::new(FRESH);
    conversation.report("wake");
    conversation.report("connected 7");
}
