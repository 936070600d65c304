//! Conversations with Linux's own TCP, recorded by `make crosscheck-kernel` and played to our endpoint in the
//! kernel's place: how many are identical, segment by segment (`replay/judgement.rs` says what that is).
//!
//! The first line of `kernel/recordings.txt.gz` says which kernel it was and how it was recorded; everything
//! that was drawn is there, none was chosen.

mod replay;

use aqmlab_units::{Span, Time};
use replay::judgement::{Room, Sent, Verdict, judge};
use replay::recording::recordings;
use replay::table::{Row, Table};
use std::path::Path;

/// What share of the recorded conversations is identical at the least, in percent.
const FLOORS: [(Row, f64); 4] = [
    (Row::SendersWithLosses, 90.0),
    (Row::DelayedAcknowledgementsFewLosses, 95.0),
    (Row::SendersWithoutLosses, 97.0),
    // Not promised: what differs is when a receiver acknowledges at once after a hole, and its estimate of
    // short segments. What has been reached is held.
    (Row::Group("receiver"), 60.0),
];
/// A row of fewer conversations would say little.
const LEAST_CONVERSATIONS: u32 = 40;

#[test]
fn our_hosts_send_what_the_kernel_sent() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel/recordings.txt.gz");
    let text = replay::file::text(&file).unwrap();
    let mut table = Table::new();
    for recording in recordings(&text) {
        table.add(&recording, &recording.replay());
    }
    for (row, floor) in FLOORS {
        let count = table.count(row);
        assert!(count.conversations >= LEAST_CONVERSATIONS, "{row:?}: {count:?}");
        assert!(count.percent() >= floor, "{row:?} below {floor} %:\n{table}");
    }
}

/// Scripts state instants to a tenth of a millisecond; timers of this kernel wait for up to two interrupts
/// more.
const ROOM_OF_FACTS: Room = Room { least: Span::from_milliseconds(12), percent_of_silence: 13 };

/// Where Linux learns something else from an acknowledgement's advance and its blocks one after the other,
/// and what: `kernel/splitting.txt`. That it learns the same in all other cases is a property of random
/// conversations (`splitting.rs` of the modern sender).
#[test]
fn where_the_parts_of_an_acknowledgement_say_something_else_they_do_so_to_the_kernel_too() {
    let facts: Vec<_> = recordings(include_str!("kernel/splitting.txt")).collect();
    for fact in &facts {
        let replay = fact.replay_within(ROOM_OF_FACTS);
        let name = format!("{} {}", fact.group, fact.number);
        assert!(replay.verdict.is_identical(), "{name}: {}", replay.verdict);
        assert_eq!(replay.window, None, "{name}");
    }
    assert_eq!(facts.len(), 8);
}

fn sent(list: &[(f64, &str)]) -> Vec<Sent> {
    list.iter().map(|(at, what)| Sent { at: Time::from_seconds(*at), what: (*what).into() }).collect()
}

/// Of a sender that was watched until the tenth second.
fn verdict(kernel: &[(f64, &str)], ours: &[(f64, &str)]) -> Verdict {
    judge(&sent(kernel), &sent(ours), Time::from_seconds(10.0), Room::SENDER)
}

const KERNEL: [(f64, &str); 3] = [(1.0, "1:1001"), (1.1, "1001:2001"), (3.1, "1001:2001")];

#[test]
fn the_same_segments_at_their_instants_are_identical() {
    assert_eq!(verdict(&KERNEL, &KERNEL), Verdict::Identical);
    // 45 ms, and after a silence of two seconds 13 % of it: 260 ms.
    let near = [(1.044, "1:1001"), (1.056, "1001:2001"), (3.359, "1001:2001")];
    assert_eq!(verdict(&KERNEL, &near), Verdict::Identical);
}

#[test]
fn a_segment_beyond_its_room_is_late_or_early() {
    for (place, at) in [(0, 1.046), (0, 0.954), (1, 1.146), (2, 3.361), (2, 2.839)] {
        let mut ours = KERNEL;
        ours[place].0 = at;
        let expected = Verdict::Untimely(sent(&KERNEL)[place].clone(), sent(&ours)[place].clone());
        assert_eq!(verdict(&KERNEL, &ours), expected);
        let word = if at > KERNEL[place].0 { "late: kernel" } else { "early: kernel" };
        assert!(expected.to_string().starts_with(word));
    }
}

#[test]
fn another_segment_in_its_place_is_another_number() {
    let ours = [(1.0, "1:1001"), (1.1, "2001:3001"), (3.1, "1001:2001")];
    let expected = Verdict::Other(sent(&KERNEL)[1].clone(), sent(&ours)[1].clone());
    assert_eq!(verdict(&KERNEL, &ours), expected);
    // The other order, too, at the same instant.
    let pair = [(1.0, "1:1001"), (1.0, "1001:2001")];
    let other_way = [pair[1], pair[0]];
    assert_eq!(verdict(&pair, &other_way), Verdict::Other(sent(&pair)[0].clone(), sent(&pair)[1].clone()));
}

#[test]
fn what_one_side_alone_sends_is_missing_or_too_much() {
    assert_eq!(verdict(&KERNEL, &KERNEL[..2]), Verdict::Missing(sent(&KERNEL)[2].clone()));
    assert_eq!(verdict(&KERNEL[..2], &KERNEL), Verdict::Extra(sent(&KERNEL)[2].clone()));
    // The kernel was not watched for long enough to tell: 13 % of 7 s.
    let at_the_end = [KERNEL[0], KERNEL[1], KERNEL[2], (9.99, "2001:3001")];
    assert_eq!(verdict(&KERNEL, &at_the_end), Verdict::Identical);
}

#[test]
fn an_acknowledgement_has_ten_milliseconds_of_room() {
    let receiver = |at: f64| {
        let kernel = [(1.0, "ack 1001"), (2.0, "ack 2001 sack 3001:4001")];
        let ours = [(1.0, "ack 1001"), (at, "ack 2001 sack 3001:4001")];
        judge(&sent(&kernel), &sent(&ours), Time::from_seconds(10.0), Room::RECEIVER)
    };
    assert_eq!(receiver(2.009), Verdict::Identical);
    assert!(matches!(receiver(2.011), Verdict::Untimely(..)));
}

/// Two of a sender's conversations: in the second the kernel is said to have sent a segment that ours does
/// not send, and to have a window of three segments after what lets ours have eleven.
const TWO: &str = "# how it was made
conversation cubic 0
about acknowledges_every 2
about segments 40
about lost 2
about retransmissions 2
profile linux6-cubic
set timestamps = false
set maximum_segment_bytes = 1000
open server
0.0 < SYN 0:0
0.0001 > SYN 0:0 ack 1
0.1 < 1:1 ack 1
0.1 write 1000
0.1001 > 1:1001 ack 1 ts 5 echo 6
0.2 < 1:1 ack 1001
0.2001 = cwnd 11000
0.5 end
conversation cubic 1
about segments 40
about lost 4
profile linux6-cubic
set timestamps = false
set maximum_segment_bytes = 1000
open server
0.0 < SYN 0:0
0.0001 > SYN 0:0 ack 1
0.1 < 1:1 ack 1
0.1 write 1000
0.1001 > 1:1001 ack 1 ts 5 echo 6
0.2 < 1:1 ack 1001
0.2001 = cwnd 3000
0.2001 > 1:1001 ack 1
0.5 end
";

#[test]
fn a_file_of_recordings_becomes_a_table() {
    let mut table = Table::new();
    let mut windows = Vec::new();
    for recording in recordings(TWO) {
        let replay = recording.replay();
        table.add(&recording, &replay);
        windows.push(replay.window.map(|(at, kernel, ours)| (at.seconds(), kernel, ours)));
    }
    let count = |row: Row| (table.count(row).conversations, table.count(row).identical);
    assert_eq!(count(Row::Group("cubic")), (2, 1));
    assert_eq!(count(Row::SendersWithLosses), (1, 1));
    assert_eq!(count(Row::DelayedAcknowledgementsFewLosses), (1, 1));
    assert_eq!(count(Row::SendersWithoutLosses), (1, 0));
    assert_eq!(windows[1], Some((0.2001, 3000.0, windows[1].unwrap().2)));
    assert_eq!(table.count(Row::Group("cubic")).percent(), 50.0);
}

/// A timeout that the kernel of the recording took at 404 ms and ours takes at 416, with the next slot of its
/// wheel. An echo of 404 as it stands would be older than our retransmission, and say that the timeout was
/// none.
const ECHO: &str = "# how it was made
conversation cubic-timestamps 0
profile linux6-cubic
set timestamps = true
set tail_loss_probe = false
set timer_hz = 250
set timer_phase = shared
set maximum_segment_bytes = 1000
open server
0.0 < SYN 0:0 ts 1 echo 0
0.0 > SYN 0:0 ack 1 ts 0
0.1 < 1:1 ack 1 ts 101 echo 0
0.1 write 10000
0.1 > 1:1001 ack 1 ts 100
0.1 > 1001:2001 ack 1 ts 100
0.1 > 2001:3001 ack 1 ts 100
0.1 > 3001:4001 ack 1 ts 100
0.1 > 4001:5001 ack 1 ts 100
0.1 > 5001:6001 ack 1 ts 100
0.1 > 6001:7001 ack 1 ts 100
0.1 > 7001:8001 ack 1 ts 100
0.1 > 8001:9001 ack 1 ts 100
0.1 > 9001:10001 ack 1 ts 100
0.404 > 1:1001 ack 1 ts 404
0.5 < 1:1 ack 1001 ts 501 echo 404
0.5001 = cwnd 2000
0.5001 > 1001:2001 ack 1 ts 500
0.5001 > 2001:3001 ack 1 ts 500
0.5002 end
";

#[test]
fn an_echo_is_that_of_our_segment_in_the_same_place() {
    let recording = recordings(ECHO).next().unwrap();
    let replay = recording.replay();
    // The timeout was just, so that the window is one segment and what is acknowledged: ours fires at 416 ms.
    assert_eq!((replay.verdict, replay.window), (Verdict::Identical, None));
    let ours = &replay.ours[11];
    assert_eq!((ours.at.seconds(), ours.what.as_str()), (0.416, "1:1001 ack 1"));
}
