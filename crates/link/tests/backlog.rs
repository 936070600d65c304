//! When a backlog has been sent, beside links that send it: the reference of the conformance tests works out
//! the departures without a clock of backlogs.

use aqmlab_link::conformance::{Arrival, Case, Outcome, expected};
use aqmlab_link::{Aggregation, BacklogClock, Framing, Medium, RateTrace, ServiceModel};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};

/// IEEE 802.3: 14 bytes of header and 4 of check sequence, 64 at least, 8 of preamble and 12 of gap.
const ETHERNET: Framing =
    Framing { overhead_bytes: 18, minimum_frame_bytes: 64, gap_bytes: 20, ..Framing::NONE };

fn microseconds(span: Span) -> u64 {
    span.div_floor(Span::from_microseconds(1))
}

#[test]
fn what_waits_is_framed_as_ieee_802_3_does() {
    let rate = Rate::from_megabits_per_second(8.0); // a byte takes a microsecond
    let mut clock = BacklogClock::new((&ServiceModel::Constant, Key::from_seed(1)), rate, ETHERNET);
    let mut takes = |packets, ip_bytes| microseconds(clock.sent_after(Time::ZERO, packets, ip_bytes));
    assert_eq!(takes(0, 0), 0);
    assert_eq!(takes(1, 40), 84);
    assert_eq!(takes(256, 256 * 40), 256 * 84);
    assert_eq!(takes(2, 3_000), 2 * 1_538);
    assert_eq!([takes(1, 46), takes(1, 47)], [84, 85]);
}

/// One opportunity of 1,504 bytes at 2 ms, three at 10 ms, over and over.
#[test]
fn what_waits_for_a_trace_leaves_at_its_opportunities() {
    let trace = ServiceModel::Trace(RateTrace::parse("2\n10\n10\n10\n").unwrap());
    let done = |at_us: u64, bytes: u64| {
        let rate = Rate::from_megabits_per_second(1.0);
        let mut clock = BacklogClock::new((&trace, Key::from_seed(1)), rate, Framing::NONE);
        let now = Time::ZERO + Span::from_microseconds(at_us);
        at_us + microseconds(clock.sent_after(now, 1, bytes))
    };
    let cases = [(0, 1_504, 2), (0, 1_505, 10), (2_000, 1_504, 2), (2_500, 4_512, 10), (2_500, 4_513, 12)];
    for (at_us, bytes, done_ms) in cases {
        assert_eq!(done(at_us, bytes), done_ms * 1_000, "{bytes} bytes at {at_us} µs");
    }
    assert_eq!([done(9_000, 1), done(10_500, 1_504), done(21_000, 1_504 * 9)], [10_000, 12_000, 42_000]);
}

/// Packets of one size come at once to a link of any kind. The first is alone in its transmission; what waits
/// when that ends has been sent when the reference says.
#[test]
fn a_backlog_leaves_when_the_last_of_its_packets_does() {
    let mut dice = Key::from_seed(11).stream();
    for number in 0..400 {
        let case = Case { ring_packets: 0, limit_packets: 10_000, ..Case::drawn(&mut dice) };
        let (packets, ip_bytes) = (2 + below(&mut dice, 200), 40 + below(&mut dice, 1_461));
        let came = Time::ZERO + Span::from_microseconds(dice.below(3_000_000));
        let arrivals = vec![Arrival { at: came, ip_bytes }; packets as usize];
        let left: Vec<Time> = expected(&case, &arrivals).into_iter().map(departure).collect();
        let (first, last) = (left[0], *left.last().unwrap());
        let mut clock = BacklogClock::new((&case.service, case.key), case.rate, case.framing);
        let waiting = packets - 1;
        let wait = clock.sent_after(first, waiting, u64::from(waiting) * u64::from(ip_bytes));
        let late = (first + wait).nanoseconds() as i64 - last.nanoseconds() as i64;
        if matches!(case.service, ServiceModel::Trace(_)) {
            // What is left of the opportunity at which the first packet went is not known: the clock takes it
            // for whole. With as much more to send it is never early.
            let more = 1 + 1_504_u32.div_ceil(case.framing.wire_bytes(ip_bytes));
            let longer =
                clock.sent_after(first, waiting + more, u64::from(waiting + more) * u64::from(ip_bytes));
            assert!(late <= 0 && first + longer >= last, "case {number}: {late} ns");
        } else {
            // A nanosecond is rounded for each transmission.
            assert!(late.abs() <= i64::from(packets) + 1, "case {number}: {late} ns of {case:?}");
        }
    }
}

fn departure(outcome: Outcome) -> Time {
    let Outcome::Departs(at) = outcome else { unreachable!("10,000 packets may wait") };
    at
}

fn below(dice: &mut Stream, bound: u32) -> u32 {
    dice.below(u64::from(bound)) as u32
}

/// Of 64 packets of 1,250 bytes and 1 ms beside: 64·10,000 bits in 1 ms and 64 ms at 10 Mbit/s.
#[test]
fn a_medium_that_takes_time_of_its_own_carries_less_than_its_rate() {
    let rate = Rate::from_megabits_per_second(10.0);
    let medium = Aggregation { overhead_us: 1_000.0, most_packets: 64, most_bytes: 1_000_000 };
    let model = ServiceModel::Medium(Medium::Aggregation(medium));
    let capacity = model.capacity(rate, Framing::NONE, 1_250).bits_per_second() as f64;
    assert!((capacity - 640_000.0 / 65e-3).abs() < 1.0, "{capacity}");
    assert_eq!(ServiceModel::Constant.capacity(rate, ETHERNET, 1_500), rate);
}
