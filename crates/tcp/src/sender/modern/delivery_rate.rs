//! How fast data arrive at the peer, as one acknowledgement tells it.
//!
//! Source: draft-ietf-ccwg-bbr section 4.1 ("Delivery Rate Samples"; first
//! draft-cheng-iccrg-delivery-rate-estimation), counted in segments as Linux net/ipv4/tcp_rate.c does:
//!
//! | when | what |
//! | --- | --- |
//! | a segment leaves | kept: how many had been delivered by then, since when, and when the flight began to leave that it belongs to |
//! | segments are delivered | the one that was sent last of them counts |
//! | then | the rate is what was delivered since it left, in the longer of two times: that in which its flight left, and that in which its flight was acknowledged |
//! | something is written while the window has room and nothing waits | what leaves until everything now in the network is delivered is limited by the application |
//!
//! No rate follows where that time is shorter than the least round trip: acknowledgements came in a bunch.
//!
//! Departures and silences: what leaves at one instant is one entry, so that the work of an acknowledgement
//! does not grow with the window; a segment that arrives after one that was sent later gives no rate of its
//! own.

use crate::congestion::DeliveryRate;
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// What was known when segments left, at one instant.
#[derive(Clone, Copy, Debug)]
struct Departure {
    at: Time,
    /// Segments delivered by then, and when the last of them was.
    delivered: u64,
    delivered_at: Time,
    /// When the flight began to leave.
    flight_began: Time,
    application_limited: bool,
}

/// What a modern sender keeps to tell the rate.
#[derive(Clone, Debug, Default)]
pub(super) struct Deliveries {
    /// In the order of time; those before the last one delivered are forgotten.
    departures: VecDeque<Departure>,
    /// When the last of them left.
    sent_at: Time,
    /// Segments delivered.
    delivered: u64,
    delivered_at: Time,
    flight_began: Time,
    /// The application limits what leaves until so many are delivered.
    limited_until: Option<u64>,
}

impl Deliveries {
    /// A segment leaves, the only one outstanding or not.
    #[inline]
    pub(super) fn note_sent(&mut self, now: Time, only_one: bool) {
        if only_one {
            (self.flight_began, self.delivered_at) = (now, now);
            self.departures.clear();
        } else if self.sent_at == now {
            return;
        }
        self.sent_at = now;
        self.departures.push_back(Departure {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            flight_began: self.flight_began,
            application_limited: self.limited_until.is_some(),
        });
    }

    /// The application had nothing more to send, with so many segments in the network and room for others.
    pub(super) fn note_limited(&mut self, in_flight: u32) {
        self.limited_until = Some(self.delivered + u64::from(in_flight));
    }

    /// Whether it limits what leaves now.
    #[inline]
    pub(super) const fn is_limited(&self) -> bool {
        self.limited_until.is_some()
    }

    /// Segments that ever were delivered.
    #[inline]
    pub(super) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// So many segments were delivered, of which the last was sent at `sent_at`. What was in the network then
    /// and lost since, others know.
    pub(super) fn note_delivered(
        &mut self,
        now: Time,
        segments: u32,
        sent_at: Option<Time>,
        least_round_trip: Span,
    ) -> Option<DeliveryRate> {
        if segments == 0 {
            return None;
        }
        self.delivered += u64::from(segments);
        self.delivered_at = now;
        self.limited_until = self.limited_until.filter(|&limit| self.delivered <= limit);
        let departure = self.forget_before(sent_at?)?;
        self.flight_began = departure.at;
        let interval = (departure.at - departure.flight_began).max(now - departure.delivered_at);
        let rate = DeliveryRate {
            segments: (self.delivered - departure.delivered) as u32,
            interval,
            application_limited: departure.application_limited,
            in_flight: 0,
            lost_since: 0,
        };
        (interval > Span::ZERO && interval >= least_round_trip).then_some(rate)
    }

    /// What left at this instant; what left before it will not be asked for.
    fn forget_before(&mut self, at: Time) -> Option<Departure> {
        while self.departures.front().is_some_and(|departure| departure.at < at) {
            self.departures.pop_front();
        }
        self.departures.front().copied().filter(|departure| departure.at == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Span = Span::from_milliseconds(100);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    fn told(rate: Option<DeliveryRate>) -> Option<(u32, u64, bool)> {
        rate.map(|rate| {
            let milliseconds = rate.interval.div_floor(Span::from_milliseconds(1));
            (rate.segments, milliseconds, rate.application_limited)
        })
    }

    /// Ten segments leave at once, and the path lets one through every 10 ms: 100 of a second.
    #[test]
    fn a_burst_is_acknowledged_at_the_rate_of_the_path() {
        let mut deliveries = Deliveries::default();
        (0..10).for_each(|segment| deliveries.note_sent(at(0), segment == 0));
        for segment in 1..=10_u64 {
            let now = 100 + 10 * (segment - 1);
            let rate = deliveries.note_delivered(at(now), 1, Some(at(0)), ROUND_TRIP);
            // All ten left at 0, when nothing had been delivered.
            assert_eq!(told(rate), Some((segment as u32, now, false)));
            deliveries.note_sent(at(now), false);
        }
        // The first one that an acknowledgement had let out: since 100 ms ten arrived, of which one was
        // delivered by then.
        let rate = deliveries.note_delivered(at(200), 1, Some(at(100)), ROUND_TRIP);
        assert_eq!(told(rate), Some((10, 100, false)));
    }

    /// Two segments left in 190 ms, and their acknowledgement came 100 ms after the one before: no faster
    /// than they left.
    #[test]
    fn what_is_acknowledged_in_a_bunch_is_no_faster_than_it_left() {
        let mut deliveries = Deliveries::default();
        deliveries.note_sent(at(0), true);
        deliveries.note_sent(at(100), false);
        let rate = deliveries.note_delivered(at(190), 1, Some(at(0)), ROUND_TRIP);
        assert_eq!(told(rate), Some((1, 190, false)));
        deliveries.note_sent(at(190), false);
        let rate = deliveries.note_delivered(at(290), 2, Some(at(190)), ROUND_TRIP);
        assert_eq!(told(rate), Some((2, 190, false)));
    }

    #[test]
    fn a_time_shorter_than_the_least_round_trip_tells_nothing() {
        let mut deliveries = Deliveries::default();
        deliveries.note_sent(at(0), true);
        assert_eq!(deliveries.note_delivered(at(99), 1, Some(at(0)), ROUND_TRIP), None);
        deliveries.note_sent(at(200), true);
        assert!(deliveries.note_delivered(at(300), 1, Some(at(200)), ROUND_TRIP).is_some());
        assert_eq!(deliveries.note_delivered(at(400), 0, None, ROUND_TRIP), None, "nothing arrived");
        deliveries.note_sent(at(500), true);
        assert_eq!(deliveries.note_delivered(at(500), 1, Some(at(500)), Span::ZERO), None, "in no time");
    }

    /// A flight is counted from when it begins to leave: a pause does not make it slower.
    #[test]
    fn a_pause_is_no_part_of_the_time() {
        let mut deliveries = Deliveries::default();
        deliveries.note_sent(at(0), true);
        deliveries.note_delivered(at(100), 1, Some(at(0)), ROUND_TRIP);
        deliveries.note_sent(at(5_000), true);
        let rate = deliveries.note_delivered(at(5_100), 1, Some(at(5_000)), ROUND_TRIP);
        assert_eq!(told(rate), Some((1, 100, false)));
    }

    #[test]
    fn what_the_application_limits_is_so_until_what_was_in_the_network_is_delivered() {
        let mut deliveries = Deliveries::default();
        (0..2).for_each(|segment| deliveries.note_sent(at(0), segment == 0));
        deliveries.note_limited(2);
        deliveries.note_sent(at(50), false);
        let rate = deliveries.note_delivered(at(100), 2, Some(at(0)), ROUND_TRIP);
        assert_eq!(told(rate), Some((2, 100, false)), "it left before");
        deliveries.note_sent(at(100), false);
        let rate = deliveries.note_delivered(at(150), 1, Some(at(50)), ROUND_TRIP);
        assert_eq!(told(rate), Some((3, 150, true)));
        deliveries.note_sent(at(150), false);
        assert!(
            deliveries.note_delivered(at(200), 1, Some(at(100)), ROUND_TRIP).unwrap().application_limited
        );
        let rate = deliveries.note_delivered(at(250), 1, Some(at(150)), ROUND_TRIP);
        assert_eq!(told(rate), Some((2, 100, false)));
    }

    #[test]
    fn what_arrives_behind_something_sent_later_counts_as_delivered_and_tells_nothing() {
        let mut deliveries = Deliveries::default();
        deliveries.note_sent(at(0), true);
        deliveries.note_sent(at(10), false);
        deliveries.note_sent(at(20), false);
        let rate = deliveries.note_delivered(at(110), 1, Some(at(10)), ROUND_TRIP);
        assert_eq!(told(rate), Some((1, 110, false)));
        assert_eq!(deliveries.note_delivered(at(115), 1, Some(at(0)), ROUND_TRIP), None);
        let rate = deliveries.note_delivered(at(120), 1, Some(at(20)), ROUND_TRIP);
        assert_eq!(told(rate), Some((3, 120, false)));
    }
}
