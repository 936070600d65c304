//! What an arriving acknowledgement, or none, means to a modern sender.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_ack`, `tcp_fastretrans_alert`, `tcp_process_loss`,
//! `tcp_process_tlp_ack`, `tcp_enter_loss`; RFC 6675 section 5, RFC 5682 section 3.1 (F-RTO with SACK), RFC
//! 8985 section 7.4 (which probes stand for a loss). The parts are asked in Linux's order: what has arrived,
//! the round trip, probes, the end of a phase, what is lost, the window, the timers, and then what may be
//! sent.
//!
//! Departures and silences: an acknowledgement older than SND.UNA is not looked at; a peer that shrinks its
//! window, or takes back what it reported, is not provided for.

use super::undoing::was_delayed;
use super::{Delivery, Lent, MICROSECONDS_PER_STAMP, ModernSender, NANOSECONDS_PER_MICROSECOND, Sent, Undo};
use crate::congestion::{Acknowledged, Codepoint, DeliveryRate, Loss, Marks, Phase, Recovered, Timeout};
use crate::connection_flags::SenderFlags;
use crate::hosts::{Ecn, HostProfile};
use crate::options::stamp;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// What an acknowledgement has brought.
#[derive(Default)]
pub(super) struct News {
    delivery: Delivery,
    /// Whether SND.UNA has moved.
    advanced: bool,
    /// Whether a duplicate was reported.
    duplicate: bool,
    /// Whether it asks for a smaller window, as ECN does.
    echo: bool,
    /// Packets that arrived with a mark.
    marked: u32,
    /// Whether it ends a round trip of data.
    round_begins: bool,
    /// The round trip of the newest segment that it brings, if that was sent once.
    round_trip: Option<Span>,
    delivery_rate: Option<DeliveryRate>,
}

impl News {
    /// SND.UNA has moved, and nothing else is said.
    pub(super) fn of_new_data(delivery: Delivery, round_begins: bool) -> Self {
        Self { delivery, advanced: true, round_begins, ..Self::default() }
    }
}

/// What an acknowledgement has made smaller.
#[derive(Default)]
pub(super) struct Reductions {
    pub(super) echoes: u16,
    pub(super) recovery: bool,
    /// Whether nothing more is taken for lost before the retransmissions are answered.
    waits: bool,
    /// Whether something may be sent again.
    pub(super) resends: bool,
}

impl ModernSender {
    /// What the acknowledgement says has arrived, and was marked where it counts that. SND.UNA is still that
    /// of before.
    pub(super) fn take_in(&mut self, lent: &Lent<'_>, segment: &Segment, counts_marks: bool) -> News {
        let (number, max) = (segment.acknowledgement, lent.sequence.max);
        let advanced = lent.sequence.una.before(number);
        let (delivery, duplicate) = self.deliver(number);
        if let Some(end) = duplicate {
            let of_probe = self.timers.probed.is_some_and(|(until, _)| until == end);
            if !of_probe {
                self.rack.note_duplicate(number, max);
            }
            if let Some(undo) = &mut self.undo {
                undo.note_duplicate(end);
            }
        }
        self.timed_out &= !advanced;
        self.rack.note(lent.now, &delivery);
        let marked = if counts_marks { self.marked.news(segment.flags, delivery.delivered) } else { 0 };
        let round_begins = advanced && self.begins_round(number, max);
        let echo = segment.flags.contains(Flags::ECE);
        let duplicate = duplicate.is_some();
        News { delivery, advanced, duplicate, echo, marked, round_begins, ..News::default() }
    }

    /// Takes in what an acknowledgement of everything before `number` says has arrived. Answers with that,
    /// and whether it reports a duplicate (RFC 2883 section 4), by its end.
    fn deliver(&mut self, number: SequenceNumber) -> (Delivery, Option<SequenceNumber>) {
        let mut delivery = Delivery { recover: self.recover, ..Delivery::default() };
        let blocks = std::mem::take(&mut self.options.blocks);
        let blocks = blocks.as_slice();
        let duplicate = match *blocks {
            [(start, end), ..] if start.before(number) => Some(end),
            [(start, end), (from, to), ..] if !start.before(from) && !to.before(end) => Some(end),
            _ => None,
        };
        self.board.acknowledge_selectively(&blocks[usize::from(duplicate.is_some())..], &mut delivery);
        self.board.acknowledge(number, &mut delivery);
        (delivery, duplicate)
    }

    /// Whether an acknowledgement of everything before `number` ends a round, where everything before `max`
    /// was sent.
    pub(super) fn begins_round(&mut self, number: SequenceNumber, max: SequenceNumber) -> bool {
        let over = self.round_until.before(number);
        if over {
            self.round_until = max;
        }
        over
    }

    /// What follows from it, with SND.UNA moved: for the round trip, the phase, the window, the timers.
    pub(super) fn answer(&mut self, lent: &mut Lent<'_>, news: &mut News) -> Reductions {
        self.sample(lent, news);
        self.note_delivered(lent.now, news);
        let mut reductions = self.respond(lent, news);
        self.restart_timers(lent, news);
        reductions.resends = !reductions.waits && (self.new_first || self.board.misses_any());
        reductions
    }

    /// Samples the round trip: of the first segment that was sent once, or else by the timestamp.
    pub(super) fn sample(&mut self, lent: &mut Lent<'_>, news: &mut News) {
        let (now, timer) = (lent.now, &lent.context.profile.retransmission);
        let sample = match (news.delivery.sent, self.echoed_stamp()) {
            (Some((first, last)), _) => {
                news.round_trip = Some(now - last);
                self.rack.note_round_trip(now - last);
                (now - first).nanoseconds() / NANOSECONDS_PER_MICROSECOND
            }
            (None, Some(echo)) if news.advanced => {
                u64::from(stamp(now).saturating_sub(echo)) * MICROSECONDS_PER_STAMP
            }
            _ => return,
        };
        let minimum = timer.minimum.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        self.estimate.sample(sample, minimum, lent.sequence.una, lent.sequence.max);
        lent.timeout.adopt(timer, &lent.context.clock, self.estimate.timeout());
    }

    /// How fast they arrived.
    pub(super) fn note_delivered(&mut self, now: Time, news: &mut News) {
        let Delivery { delivered, latest, .. } = news.delivery;
        let sent_at = latest.map(|arrived| arrived.at);
        news.delivery_rate = self.deliveries.note_delivered(now, delivered, sent_at, self.rack.least());
        if news.delivery_rate.is_some() {
            self.delivery_rate = news.delivery_rate;
        }
    }

    /// What follows for the phase and the window.
    fn respond(&mut self, lent: &mut Lent<'_>, news: &News) -> Reductions {
        let mut reductions = Reductions::default();
        self.settle_probe(lent, news);
        let scalable = self.controller.codepoint() == Codepoint::Ect1;
        let asks = match lent.context.profile.ecn {
            Ecn::Off => false,
            Ecn::Accurate => news.marked > 0 && !scalable,
            _ => news.echo,
        };
        if asks {
            self.forbid_undo();
        }
        reductions.waits = self.end_phase(lent, news);
        if asks {
            reductions.echoes += u16::from(self.reduce_on_marks(lent, news.marked.max(1)));
        }
        let mut lost = 0;
        if !reductions.waits {
            (lost, reductions.recovery) = self.lose_what_is_overtaken(lent);
        }
        let before = self.controller.window();
        self.tell(lent.now, news, lost);
        let shrunk = scalable && news.marked > 0 && self.controller.window() < before;
        reductions.echoes += u16::from(shrunk && !self.phase.is_reduction());
        reductions
    }

    /// The controller hears of an acknowledgement.
    pub(super) fn tell(&mut self, now: Time, news: &News, lost: u32) {
        self.controller.on_acknowledged(&Acknowledged {
            now,
            delivered: news.delivery.delivered,
            marked: news.marked,
            lost,
            in_flight: self.board.in_flight(),
            advanced: news.advanced,
            round_trip: news.round_trip,
            delivery_rate: news.delivery_rate,
            application_limited: !self.used_its_window(),
            round_begins: news.round_begins,
            phase: self.phase,
        });
    }

    /// An unanswered probe may be answered (RFC 8985 section 7.4).
    fn settle_probe(&mut self, lent: &mut Lent<'_>, news: &News) {
        let una = lent.sequence.una;
        let Some((until, again)) = self.timers.probed else { return };
        if una.before(until) {
            return;
        }
        let both_arrived = !news.advanced && news.delivery.delivered == 0;
        if !again || news.duplicate || both_arrived {
            self.timers.probed = None;
        } else if until.before(una) {
            // The probe has repaired a loss, of which nobody else tells.
            self.timers.probed = None;
            if self.phase == Phase::Open {
                self.tell_of_loss(lent.now, false, true);
                lent.flags.set(SenderFlags::CWR_PENDING);
            }
        }
    }

    fn tell_of_loss(&mut self, now: Time, reduced: bool, repaired: bool) {
        let in_flight = self.board.in_flight();
        self.controller.on_loss(&Loss { now, in_flight, reduced, repaired });
    }

    /// Takes what is overdue for lost. Answers how many segments that are.
    fn detect(&mut self, lent: &Lent<'_>) -> u32 {
        if !lent.context.profile.extensions().rack {
            return self.board.detect_by_duplicates();
        }
        self.timers.reordering = Time::MAX;
        let in_recovery = matches!(self.phase, Phase::Recovery | Phase::Loss);
        let smoothed = self.smoothed();
        let Some(judgement) = self.rack.judgement(self.board.sacked(), in_recovery, smoothed) else {
            return 0;
        };
        let (lost, left) = self.board.detect_by_time(lent.now, &judgement);
        if let Some(left) = left {
            self.timers.wait_for_reordering(lent.now, lent.context, left);
        }
        lost
    }

    /// Takes what is overtaken for lost, and begins a recovery if that is new. Answers how many segments that
    /// are, and whether a recovery begins.
    fn lose_what_is_overtaken(&mut self, lent: &mut Lent<'_>) -> (u32, bool) {
        let before = self.board.sent_again();
        let lost = self.detect(lent);
        let again = self.board.sent_again() < before;
        let begins = match self.phase {
            Phase::Open | Phase::Reducing => self.board.lost() > 0,
            Phase::Recovery => false,
            Phase::Loss => again,
        };
        if begins {
            self.begin_recovery(lent);
        } else if matches!(self.phase, Phase::Open | Phase::Reducing) {
            self.forget_retransmissions_that_arrived();
        }
        (lost, begins)
    }

    /// What was overtaken has had its time. Answers whether a recovery begins.
    pub(super) fn lose_what_is_overdue(&mut self, lent: &mut Lent<'_>) -> bool {
        let lost = self.detect(lent);
        let begins = lost > 0 && self.phase != Phase::Recovery;
        if begins {
            self.begin_recovery(lent);
            // Linux counts one segment as delivered, so that the window admits the retransmission
            // (tcp_rack_reo_timeout).
            let one = Delivery { delivered: 1, ..Delivery::default() };
            let news = News { delivery: one, ..News::default() };
            self.tell(lent.now, &news, lost);
        }
        begins
    }

    /// The present phase may be over, or may have been a mistake. Answers whether nothing more is to be taken
    /// for lost: what arrives was only delayed, but retransmissions are still out.
    fn end_phase(&mut self, lent: &Lent<'_>, news: &News) -> bool {
        let (una, profile) = (lent.sequence.una, lent.context.profile);
        let recovered = !una.before(self.recover);
        match self.phase {
            // The last of the duplicates comes when the recovery is over.
            Phase::Open if self.all_answered() => self.take_back(),
            Phase::Open => {}
            Phase::Reducing if self.recover.before(una) => self.leave_reduction(),
            Phase::Reducing => {}
            Phase::Recovery if recovered => self.end_recovery(profile),
            Phase::Recovery => return self.undo_in_recovery(profile, news),
            Phase::Loss => self.end_loss(lent, news, recovered),
        }
        false
    }

    /// Everything has arrived that was sent when the recovery began.
    fn end_recovery(&mut self, profile: &HostProfile) {
        if self.undo.is_some() && (self.all_answered() || self.was_delayed(profile)) {
            return self.take_back();
        }
        self.rack.note_recovered();
        self.leave_reduction();
    }

    /// A recovery goes on: what fills a hole may have been delayed, or each retransmission may be a
    /// duplicate. Answers as [`Self::end_phase`] does (Linux `tcp_try_undo_partial`, `tcp_try_undo_dsack`).
    fn undo_in_recovery(&mut self, profile: &HostProfile, news: &News) -> bool {
        if news.advanced && self.undo.is_some() && self.was_delayed(profile) {
            self.rack.note_reordering();
            if self.board.sent_again() > 0 {
                return true;
            }
            self.board.find_all();
            self.take_back();
        } else if self.all_answered() {
            self.take_back();
        }
        false
    }

    /// After a timeout: it was none if originals arrive (RFC 5682), and is over when everything sent by then
    /// has arrived.
    fn end_loss(&mut self, lent: &Lent<'_>, news: &News, recovered: bool) {
        let (max, profile) = (lent.sequence.max, lent.context.profile);
        let mistake =
            news.advanced && self.undo.is_some() && (self.all_answered() || self.was_delayed(profile));
        if mistake || self.forward && news.delivery.original {
            self.board.find_all();
            return self.take_back();
        }
        if self.forward {
            let sent_since = self.recover.before(max);
            if sent_since {
                // New data were sent, and what arrives was sent again: the loss was real.
                self.forward = (news.advanced || news.duplicate) && news.delivery.sacked == 0;
            } else if news.advanced && !recovered {
                // Two new segments are sent next, if there are any, and nothing again.
                self.recover = max;
                self.new_first = true;
            }
        }
        if recovered {
            (self.phase, self.forward) = (Phase::Open, false);
        }
    }

    /// A reduction is complete.
    fn leave_reduction(&mut self) {
        self.controller.on_recovered(Recovered::Complete);
        self.phase = Phase::Open;
    }

    /// The reduction was a mistake: the window is what it was.
    fn take_back(&mut self) {
        self.phase = Phase::Open;
        self.forward = false;
        self.timed_out = false;
        if self.undo.take().is_some_and(|undo| undo.restores) {
            self.controller.on_recovered(Recovered::Mistaken);
        }
    }

    /// An echo asks for a reduction: the one that is under way stands, whatever shows later.
    fn forbid_undo(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.restores = false;
        }
    }

    /// Marks were reported: the window is reduced, once for what was sent by now. Answers whether it is.
    fn reduce_on_marks(&mut self, lent: &mut Lent<'_>, marked: u32) -> bool {
        if self.phase != Phase::Open {
            return false;
        }
        self.controller.on_marks(&Marks { now: lent.now, marked });
        self.phase = Phase::Reducing;
        self.undo = None;
        self.recover = lent.sequence.max;
        lent.flags.set(SenderFlags::CWR_PENDING);
        true
    }

    /// Something was lost: the window is reduced, unless a mark has done that for this window of data.
    fn begin_recovery(&mut self, lent: &mut Lent<'_>) {
        let reduced = self.phase == Phase::Reducing;
        self.forget_retransmissions_that_arrived();
        self.begin_undo(lent.sequence.una, !reduced);
        self.phase = Phase::Recovery;
        self.forward = false;
        self.tell_of_loss(lent.now, reduced, false);
        if !reduced {
            self.recover = lent.sequence.max;
            self.timers.probed = None;
            lent.flags.set(SenderFlags::CWR_PENDING);
        }
        self.at_once = true;
    }

    /// The retransmission timer has expired: everything that has not arrived is taken for lost.
    pub(super) fn lose_everything(&mut self, lent: &mut Lent<'_>) {
        let (sequence, profile) = (lent.sequence, lent.context.profile);
        let repeated = std::mem::replace(&mut self.timed_out, true);
        let fresh = matches!(self.phase, Phase::Open | Phase::Reducing);
        let reduces = self.phase == Phase::Open
            || !sequence.una.before(self.recover)
            || self.phase == Phase::Loss && !repeated;
        self.forward = profile.extensions().forward_recovery && (fresh || repeated);
        self.board.lose_all();
        if reduces {
            self.begin_undo(sequence.una, true);
        }
        self.phase = Phase::Loss;
        self.recover = sequence.max;
        self.timers.probed = None;
        self.timers.reordering = Time::MAX;
        self.controller.on_timeout(&Timeout { now: lent.now, repeated: !reduces });
        lent.flags.set(SenderFlags::CWR_PENDING);
        lent.timeout.back_off(&profile.retransmission, &lent.context.clock, false);
    }

    /// The next segment to be sent again, if the window has room for one.
    pub(super) fn next_lost(&mut self) -> Option<Sent> {
        let admitted = self.at_once || self.board.in_flight() < self.controller.window();
        if admitted { self.board.next_lost() } else { None }
    }

    /// No retransmission is outstanding any more: the next one is the first (Linux
    /// `tcp_retrans_stamp_cleanup`).
    fn forget_retransmissions_that_arrived(&mut self) {
        if !self.board.any_sent_again() {
            self.first_retransmission = None;
        }
    }

    /// A reduction begins that may turn out to be a mistake, with `una` acknowledged.
    fn begin_undo(&mut self, una: SequenceNumber, restores: bool) {
        let probes = u32::from(matches!(self.timers.probed, Some((_, true))));
        self.undo = Some(Undo::new(una, restores, self.board.sent_again() + probes));
    }

    /// Whether what this acknowledgement covers had only been delayed (RFC 3522).
    fn was_delayed(&self, profile: &HostProfile) -> bool {
        let echoed = self.echoed_stamp().filter(|_| profile.extensions().timestamps);
        was_delayed(self.first_retransmission, echoed)
    }

    /// Whether each retransmission was reported as a duplicate (RFC 3708).
    pub(super) fn all_answered(&self) -> bool {
        self.undo.as_ref().is_some_and(Undo::all_answered)
    }

    /// An acknowledgement was processed. The retransmission timer starts afresh where SND.UNA moves, and
    /// where something arrived that was sent before the first segment was sent last, and cannot tell of it
    /// (Linux `tcp_clean_rtx_queue`).
    fn restart_timers(&mut self, lent: &Lent<'_>, news: &News) {
        if lent.sequence.outstanding() == 0 {
            return self.timers.stop();
        }
        let older = || {
            let first = news.delivery.sent.zip(self.board.first());
            first.is_some_and(|((sent, _), first)| sent < first.at)
        };
        if news.advanced || older() {
            self.set_timeout(lent);
        }
        self.schedule_probe(lent);
    }
}
