//! A path between the two ends of one application: it takes the same time for every packet and loses some.

use aqmlab_applications::{Answers, Application, End, Facts, Next, Step};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// A packet that an end sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) from: End,
    pub(crate) number: u32,
    pub(crate) ip_bytes: u16,
}

/// An end as a driver keeps it.
#[derive(Clone)]
struct Woken {
    end: End,
    stops: Time,
    due: Time,
    sent: u32,
    is_heard: bool,
}

/// An application over a path.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) application: Box<dyn Application>,
    delay: Span,
    ends: Vec<Woken>,
    arrivals: VecDeque<(Time, Sent)>,
    pub(crate) sent: Vec<Sent>,
}

impl Path {
    /// The sender is woken first at 0, the receiver an interval later; both stop at an instant, a receiver
    /// only if it stops with its sender.
    pub(crate) fn new(application: Box<dyn Application>, facts: &Facts, delay: Span, stops: Time) -> Self {
        let sender =
            Woken { end: End::Sender, stops, due: Time::ZERO, sent: 0, is_heard: facts.sender.is_heard };
        let receiver = facts.receiver.map(|Answers { interval, stops_with_sender, sends, .. }| Woken {
            end: End::Receiver,
            stops: if stops_with_sender { stops } else { Time::MAX },
            due: Time::ZERO + interval,
            sent: 0,
            is_heard: sends.is_heard,
        });
        let ends = [sender].into_iter().chain(receiver).collect();
        Self { application, delay, ends, arrivals: VecDeque::new(), sent: Vec::new() }
    }

    /// Runs until an instant; `loses` says which packets are lost. Ends are woken before packets arrive.
    pub(crate) fn run(&mut self, until: Time, mut loses: impl FnMut(&Sent) -> bool) {
        loop {
            let due = self.ends.iter().filter(|end| end.due < end.stops).map(|end| end.due).min();
            let arrival = self.arrivals.front().map(|(at, _)| *at);
            let Some(now) = due.into_iter().chain(arrival).min().filter(|now| *now <= until) else { return };
            if due == Some(now) {
                self.wake(now, &mut loses);
            } else if let Some((_, packet)) = self.arrivals.pop_front() {
                self.hear(now, packet);
            }
        }
    }

    fn wake(&mut self, now: Time, loses: &mut impl FnMut(&Sent) -> bool) {
        let own =
            self.ends.iter_mut().find(|end| end.due == now && end.due < end.stops).expect("an end is due");
        for times in 0.. {
            assert!(times < 100_000, "packets without end at one instant");
            let Step { sends, next } = self.application.wake(own.end, own.due, now);
            if let Some(ip_bytes) = sends {
                let packet = Sent { at: now, from: own.end, number: own.sent, ip_bytes };
                own.sent += 1;
                self.sent.push(packet);
                if !loses(&packet) {
                    self.arrivals.push_back((now + self.delay, packet));
                }
            }
            match next {
                Next::AtOnce => continue,
                Next::At(at) => {
                    assert!(at > now, "woken again at {at} and not after {now}");
                    own.due = at;
                }
                Next::Never => own.due = Time::MAX,
            }
            return;
        }
    }

    fn hear(&mut self, now: Time, packet: Sent) {
        if !self.ends.iter().any(|end| end.end == packet.from && end.is_heard) {
            return;
        }
        let wanted = self.application.hear(packet.from, packet.number, now);
        let Some(other) = self.ends.iter_mut().find(|end| end.end != packet.from) else { return };
        if let Some(due) = wanted.filter(|due| *due < other.due && *due < other.stops) {
            assert!(due >= now, "to be woken at {due}, which is before {now}");
            other.due = due;
        }
    }

    /// Whether no end is to be woken any more, unless it hears something.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.ends.iter().all(|end| end.due >= end.stops)
    }

    /// What an end sent.
    pub(crate) fn sent_by(&self, end: End) -> Vec<Sent> {
        self.sent.iter().filter(|packet| packet.from == end).copied().collect()
    }
}
