//! What a sender may send in a recovery, from the packets at its side alone.
//!
//! Source: RFC 6937 section 3 and RFC 9937 section 6, in segments. With RecoverFS in the network and a window
//! of ssthresh to be reached, an acknowledgement lets out, beside the first retransmission,
//!
//! - either what keeps `prr_out` at ⌈`prr_delivered` · ssthresh / RecoverFS⌉, while more than ssthresh is in
//!   the network,
//! - or max(`prr_delivered` − `prr_out`, DeliveredData), and one more where it moves SND.UNA, up to ssthresh
//!   in the network.
//!
//! The timer of reordering (RFC 8985 section 6.3) leaves the window as it is, so that each segment that it
//! takes for lost is sent again at once; no rule of rate reduction is about it.
//!
//! Which of the two applies depends on what the sender takes for lost. Here nothing of that is known: one of
//! the two must hold, and of what the second one needs the bounds that follow from packets, wide enough for
//! every sender that is right. It follows that a recovery sends, without what timers send again, at most one
//! segment more than has arrived and the acknowledgements that move SND.UNA.
//!
//! The network keeps the order and loses no acknowledgement.

use crate::network::{Fate, Sent, Side, is_data};
use aqmlab_tcp::SequenceNumber;
use aqmlab_units::{Span, Time};
use std::collections::{BTreeSet, VecDeque};

/// An acknowledgement on its way to the sender.
struct Acknowledgement {
    arrives: Time,
    number: SequenceNumber,
    /// Where the segments begin that arrived since the one before left.
    reports: Vec<u32>,
}

/// A recovery that is under way.
struct Recovery {
    /// Everything before it was sent when the recovery began.
    until: SequenceNumber,
    delivered: u32,
    sent: u32,
    sent_by_timers: u32,
    advances: u32,
    /// At least ssthresh / RecoverFS.
    proportion: f64,
    /// At least ssthresh, in segments.
    threshold: f64,
}

/// What has arrived and what was sent at one instant.
#[derive(Default)]
struct Turn {
    delivered: u32,
    advances: u32,
    sent: u32,
    sent_again: u32,
}

/// The sending rate of a server, judged instant by instant.
pub(crate) struct SendingRate {
    /// Acknowledgements of recoveries that let something out.
    pub(crate) judged: u32,
    beta: f64,
    one_way: Span,
    seen: usize,
    on_the_way: VecDeque<(Time, u32)>,
    received: BTreeSet<u32>,
    acknowledgements: VecDeque<Acknowledgement>,
    una: SequenceNumber,
    max: SequenceNumber,
    /// `max` when the instant before was over.
    max_before: SequenceNumber,
    /// Where the segments begin that were sent again, and are not reported.
    sent_again: BTreeSet<u32>,
    /// Segments that were reported to the sender.
    delivered: u32,
    sent: u32,
    dropped: u32,
    /// Of these, sent and neither lost nor reported when the instant before was over.
    in_network_before: u32,
    segment_bytes: u32,
    /// The most that was outstanding since the last recovery began, in segments: at least the window.
    most_outstanding: f64,
    recovery: Option<Recovery>,
    now: Time,
    turn: Turn,
}

impl SendingRate {
    /// Of a sender that multiplies its window by `beta` on a loss.
    pub(crate) fn new(beta: f64, round_trip: Span) -> Self {
        Self {
            judged: 0,
            beta,
            one_way: Span::from_nanoseconds(round_trip.nanoseconds() / 2),
            seen: 0,
            on_the_way: VecDeque::new(),
            received: BTreeSet::new(),
            acknowledgements: VecDeque::new(),
            una: SequenceNumber::INITIAL,
            max: SequenceNumber::INITIAL,
            max_before: SequenceNumber::INITIAL,
            sent_again: BTreeSet::new(),
            delivered: 0,
            sent: 0,
            dropped: 0,
            in_network_before: 0,
            segment_bytes: 1,
            most_outstanding: 0.0,
            recovery: None,
            now: Time::ZERO,
            turn: Turn::default(),
        }
    }

    /// Takes in what has happened up to `now`.
    ///
    /// # Errors
    /// When an instant has let out more than it may.
    pub(crate) fn observe(&mut self, trace: &[Sent], now: Time) -> Result<(), String> {
        if now != self.now {
            self.judge()?;
            (self.now, self.turn) = (now, Turn::default());
        }
        self.take_acknowledgements();
        for sent in &trace[self.seen..] {
            match sent.from {
                Side::Client => self.note_acknowledgement(sent),
                Side::Server if is_data(&sent.segment) => self.note_data(sent),
                Side::Server => {
                    self.max = self.max.later_of(sent.segment.sequence.plus(sent.segment.sequence_length()));
                }
            }
        }
        self.seen = trace.len();
        Ok(())
    }

    fn take_acknowledgements(&mut self) {
        while self.acknowledgements.front().is_some_and(|front| front.arrives <= self.now) {
            let Some(front) = self.acknowledgements.pop_front() else { return };
            self.turn.advances += u32::from(self.una.before(front.number));
            self.una = self.una.later_of(front.number);
            for start in front.reports {
                self.turn.delivered += 1;
                self.delivered += 1;
                self.sent_again.remove(&start);
            }
        }
    }

    /// The receiver reports at once what is out of order, and no later than with this acknowledgement what is
    /// in order.
    fn note_acknowledgement(&mut self, sent: &Sent) {
        let mut reports = Vec::new();
        while let Some(&(_, start)) = self.on_the_way.front().filter(|(arrives, _)| *arrives <= sent.at) {
            self.on_the_way.pop_front();
            if self.received.insert(start) {
                reports.push(start);
            }
        }
        let arrives = sent.at + self.one_way;
        self.acknowledgements.push_back(Acknowledgement {
            arrives,
            number: sent.segment.acknowledgement,
            reports,
        });
    }

    fn note_data(&mut self, sent: &Sent) {
        let start = sent.segment.sequence;
        self.segment_bytes = u32::from(sent.segment.payload);
        self.turn.sent += 1;
        self.sent += 1;
        if start.before(self.max) {
            self.turn.sent_again += 1;
            self.sent_again.insert(start.value());
        }
        self.max = self.max.later_of(start.plus(self.segment_bytes));
        match sent.fate {
            Fate::Drop => self.dropped += 1,
            Fate::Late(more) => self.on_the_way.push_back((sent.at + self.one_way + more, start.value())),
            _ => self.on_the_way.push_back((sent.at + self.one_way, start.value())),
        }
    }

    /// Segments that were sent, not lost, and not reported: a sender that is right counts at least these.
    fn in_network(&self) -> u32 {
        self.sent - self.dropped - self.delivered
    }

    /// The instant is over.
    fn judge(&mut self) -> Result<(), String> {
        let ends = self.recovery.take_if(|recovery| !self.una.before(recovery.until)).is_some();
        // Where a recovery ends and what it sent again is still out, Linux begins another at once
        // (`tcp_time_to_recover`).
        let goes_on = ends && !self.sent_again.is_empty();
        if self.recovery.is_none() && (self.turn.sent_again > 0 || goes_on) {
            self.begin();
        }
        self.max_before = self.max;
        let outstanding = f64::from(self.max.distance_from(self.una)) / f64::from(self.segment_bytes);
        self.most_outstanding = self.most_outstanding.max(outstanding);
        self.in_network_before = self.in_network();
        let in_network = f64::from(self.in_network_before);
        let Some(recovery) = &mut self.recovery else { return Ok(()) };
        self.judged += u32::from(self.turn.sent > 0);
        recovery.judge(&self.turn, in_network).map_err(|wrong| format!("at {}: {wrong}", self.now))
    }

    fn begin(&mut self) {
        // The window is at least what was in the network before, and at most what was outstanding then; two
        // segments remain.
        let before = f64::from(self.in_network_before);
        // Where a timer begins a recovery, nothing arrives, and one segment counts as delivered (Linux
        // `tcp_rack_reo_timeout`).
        let by_timer = u32::from(self.turn.delivered == 0);
        self.recovery = Some(Recovery {
            until: self.max_before,
            delivered: by_timer,
            sent: 0,
            sent_by_timers: 0,
            advances: 0,
            proportion: self.beta.max(2.0 / before).min(1.0),
            threshold: (self.beta * self.most_outstanding).max(2.0),
        });
        self.most_outstanding = 0.0;
    }
}

impl Recovery {
    fn judge(&mut self, turn: &Turn, in_network: f64) -> Result<(), String> {
        let unspent = (self.delivered + turn.delivered).saturating_sub(self.sent);
        self.delivered += turn.delivered;
        self.advances += turn.advances;
        let first = self.sent == 0;
        self.sent += turn.sent;
        let in_proportion = f64::from(self.sent) <= (self.proportion * f64::from(self.delivered)).ceil();
        let conserved =
            turn.sent <= unspent.max(turn.delivered) + turn.advances && in_network <= self.threshold;
        let timer = !first && turn.delivered == 0 && turn.advances == 0 && turn.sent == turn.sent_again;
        self.sent_by_timers += if timer { turn.sent } else { 0 };
        let may = turn.sent == 0 || timer || first && turn.sent <= 1 || in_proportion || conserved;
        if may && self.sent <= self.delivered + self.advances + self.sent_by_timers + 1 {
            return Ok(());
        }
        Err(format!(
            "{} sent where {} arrive, {in_network} in the network; in the recovery {} sent, {} arrived, {:.3} of them to be sent, up \
             to {:.1} in the network",
            turn.sent, turn.delivered, self.sent, self.delivered, self.proportion, self.threshold
        ))
    }
}
