//! Applications that write at a rate of their own: what they write when, worked out by hand.

mod script;

use aqmlab_session::{
    ConnectionEvent, ConnectionEventKind, ConnectionId, FlowId, Owner, Side, StreamId, Transfer, Writes,
};
use aqmlab_units::{Rate, Span, Time};
use script::{Script, session};

/// Milliseconds, and what was written then on a connection that is open 100 ms after it was asked for.
fn written(transfer: Transfer, until_ms: u64) -> Vec<(u64, String)> {
    let (until, milliseconds) = (Time::ZERO + Span::from_milliseconds(until_ms), 1_000_000);
    let (mut session, mut script) = (session(vec![transfer], Vec::new(), until), Script::default());
    session.start(&mut script, || Ok::<(), ()>(())).unwrap();
    let (began, first) = script.next_alarm().unwrap();
    script.now = began;
    session.wake(first, &mut script);
    script.now = began + Span::from_milliseconds(100);
    let established = ConnectionEvent {
        connection: ConnectionId::from_number(0),
        owner: Owner::Flow { flow: FlowId::from_number(0) },
        side: Side::Active,
        stream: StreamId::FIRST,
        kind: ConnectionEventKind::Established,
    };
    session.handle(&established, &mut script);
    while let Some((instant, alarm)) = script.next_alarm() {
        if instant > until {
            break;
        }
        script.now = instant;
        session.wake(alarm, &mut script);
    }
    script.written.into_iter().map(|(at, what)| (at.nanoseconds() / milliseconds, what)).collect()
}

fn at_rate(mbps: f64, bytes: Option<u64>, stops: Time) -> Transfer {
    let writes = Writes { rate: Rate::from_megabits_per_second(mbps), every: Span::from_milliseconds(10) };
    Transfer { starts: Time::from_seconds(1.0), stops, bytes, writes: Some(writes), next: None }
}

fn words(expected: &[(u64, &str)]) -> Vec<(u64, String)> {
    expected.iter().map(|&(at, what)| (at, what.to_owned())).collect()
}

/// 0.8 Mbit/s: 1,000 bytes in 10 ms.
#[test]
fn an_application_writes_a_little_at_a_time_and_closes_behind_its_last_byte() {
    let found = written(at_rate(0.8, Some(2_500), Time::MAX), 9_000);
    assert_eq!(
        found,
        words(&[(1_100, "1000 on 0"), (1_110, "1000 on 0"), (1_120, "500 on 0"), (1_120, "close 0")])
    );
}

#[test]
fn one_that_is_stopped_writes_nothing_more() {
    let found = written(at_rate(0.8, None, Time::from_seconds(1.115)), 9_000);
    assert_eq!(found, words(&[(1_100, "1000 on 0"), (1_110, "1000 on 0"), (1_115, "withdraw and close 0")]));
}

/// 1 kbit/s: 1.25 bytes in 10 ms, ten in 80.
#[test]
fn slow_writes_come_to_the_rate_in_the_mean() {
    let found = written(at_rate(0.001, None, Time::MAX), 1_179);
    let bytes: Vec<String> = found.into_iter().map(|(_, what)| what).collect();
    assert_eq!(bytes, ["1", "1", "1", "2", "1", "1", "1", "2"].map(|bytes| format!("{bytes} on 0")));
}
