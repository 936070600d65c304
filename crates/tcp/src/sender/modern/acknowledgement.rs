//! What an arriving acknowledgement, or none, means to a modern sender.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_ack`, `tcp_fastretrans_alert`, `tcp_process_loss`,
//! `tcp_process_tlp_ack`, `tcp_enter_loss`; RFC 6675 section 5, RFC 5682 section 3.1 (F-RTO with SACK), RFC
//! 8985 section 7.4 (which probes stand for a loss). The parts are asked in Linux's order: what has arrived,
//! the round trip, probes, the end of a phase, what is lost, the window, the timers, and then what may be
//! sent.
//!
//! An acknowledgement below SND.UNA, which another one overtook, still tells what has arrived beyond a hole
//! and what came twice: its blocks are heeded, and nothing else (`tcp_ack`, `old_ack`).
//!
//! Departures and silences: a peer that shrinks its window, or takes back what it reported, is not provided
//! for.

use super::sent::Departed;
use super::timers::Due;
use super::undoing::was_delayed;
use super::{Delivery, Lent, MICROSECONDS_PER_STAMP, ModernSender, NANOSECONDS_PER_MICROSECOND, Sent, Undo};
use crate::congestion::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Phase, Recovered, Timeout,
};
use crate::connection_flags::SenderFlags;
use crate::ecn_path::Told;
use crate::hosts::HostProfile;
use crate::kernel_timer;
use crate::options::stamp;
use crate::options::{Block, MOST_BLOCKS};
use crate::segment::{Flags, Segment};
use crate::sender::SendSequence;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// What an acknowledgement has brought.
#[derive(Default)]
pub(crate) struct News {
    pub(super) delivery: Delivery,
    /// Whether SND.UNA has moved.
    advanced: bool,
    /// Whether a duplicate was reported that may be an answer to what was sent again.
    duplicate: bool,
    /// Whether that was of a probe.
    duplicate_of_probe: bool,
    /// Whether it came with data.
    with_data: bool,
    /// SND.UNA before it.
    una_before: SequenceNumber,
    /// Whether something was outstanding before it.
    answers: bool,
    /// Whether the timer starts afresh.
    restarts_timer: bool,
    /// Whether it asks for a smaller window, as ECN does.
    echo: bool,
    /// Packets that arrived with a mark.
    pub(crate) marked: u32,
    /// Whether it shows that the path changes codepoints.
    pub(crate) is_mangled: bool,
    /// Whether it ends a round trip of data.
    round_begins: bool,
    /// The round trip of the newest segment that it brings, if that was sent once.
    round_trip: Option<Span>,
    delivery_rate: Option<DeliveryRate>,
}

impl News {
    /// SND.UNA has moved, and nothing else is said.
    pub(super) fn of_new_data(delivery: Delivery, round_begins: bool) -> Self {
        Self { delivery, advanced: true, answers: true, round_begins, ..Self::default() }
    }
}

/// What an acknowledgement has made smaller.
#[derive(Default)]
pub(crate) struct Reductions {
    pub(crate) echoes: u16,
    pub(crate) recovery: bool,
    /// Whether nothing more is taken for lost before the retransmissions are answered.
    waits: bool,
    /// Whether something may be sent again.
    pub(crate) resends: bool,
}

impl ModernSender {
    /// What the acknowledgement says has arrived, and was marked where it counts that. SND.UNA is still that
    /// of before.
    pub(crate) fn take_in(&mut self, lent: &Lent<'_>, segment: &Segment, counts_marks: bool) -> News {
        let (number, max) = (segment.acknowledgement, lent.sequence.max);
        let mut news = News {
            advanced: lent.sequence.una.before(number),
            echo: segment.flags.contains(Flags::ECE),
            with_data: segment.payload > 0,
            una_before: lent.sequence.una,
            answers: self.board.outstanding() > 0,
            ..News::default()
        };
        self.deliver(lent, number, &mut news);
        self.timed_out &= !news.advanced;
        self.unanswered_probes = 0;
        if self.timers.due() == Some(Due::Window) {
            // If the window is still closed, the wait for it begins anew.
            self.timers.stop();
        }
        if counts_marks {
            let (flags, delivered) = (segment.flags, news.delivery.delivered);
            news.marked = match self.options.counts {
                Some(counts) => {
                    let bytes = lent.context.profile.segment_bytes();
                    self.marked.news_by_bytes(flags, delivered, counts, bytes)
                }
                None => self.marked.news(flags, delivered),
            };
        }
        news.round_begins = news.advanced && self.begins_round(number, max);
        if counts_marks {
            news.is_mangled = self.ecn_path.is_mangled(&Told {
                number,
                highest_sent: max,
                delivered: news.delivery.delivered,
                marked: news.marked,
                round_begins: news.round_begins,
                counts: self.options.counts,
            });
        }
        news
    }

    /// Takes in what an acknowledgement of everything before `number` says has arrived, and has come twice.
    fn deliver(&mut self, lent: &Lent<'_>, number: SequenceNumber, news: &mut News) {
        let mut delivery = Delivery {
            now: lent.now,
            recover: self.recover,
            least: self.rack.least(),
            echo: self.echoed_stamp(),
            highest_before: self.board.highest(),
            ..Delivery::default()
        };
        let said = std::mem::take(&mut self.options.blocks);
        let said = said.as_slice();
        let mut repeated_late = None;
        if let Some(twice) = repeated(said, number) {
            repeated_late = self.take_in_duplicate(lent, twice, news);
        }
        let una = lent.sequence.una.later_of(number);
        let (blocks, count) = ascending(said, una, lent.sequence.max);
        self.board.acknowledge_selectively(&blocks[..count], &mut delivery);
        let bytes = lent.context.profile.segment_bytes();
        if let Some(highest) =
            self.board.highest().filter(|_| self.phase != Phase::Loss || self.undo.is_some())
        {
            for low in [delivery.reported_late, repeated_late].into_iter().flatten() {
                self.rack.note_reordering(low, highest, bytes);
            }
        }
        self.board.acknowledge(number, &mut delivery);
        // Against what had arrived before: an acknowledgement that moves SND.UNA up to a hole and reports
        // what lies beyond it tells of no reordering (`tcp_clean_rtx_queue`, prior_fack).
        if let Some((low, before)) = delivery.lowest_passed.zip(delivery.highest_before)
            && low.before(before)
        {
            self.rack.note_reordering(low, self.board.highest().unwrap_or(una), bytes);
        }
        self.rack.note(&delivery);
        delivery.delivered += news.delivery.delivered;
        news.delivery = delivery;
    }

    /// The peer reports that numbers came twice. What came twice was delivered too (`tcp_dsack_seen`).
    /// Answers where the lowest segment begins that it had reported before.
    fn take_in_duplicate(
        &mut self,
        lent: &Lent<'_>,
        twice: Block,
        news: &mut News,
    ) -> Option<SequenceNumber> {
        let (start, end) = twice;
        let profile = lent.context.profile;
        let bytes = end.distance_from(start);
        if !start.before(end) || bytes > profile.window_bytes {
            return None;
        }
        let segments = bytes.div_ceil(profile.segment_bytes());
        if !self.repeats.explain(segments) {
            return None;
        }
        news.duplicate = true;
        news.duplicate_of_probe = segments == 1 && self.timers.probed.is_some_and(|(until, _)| until == end);
        news.delivery.delivered = segments;
        if !news.duplicate_of_probe {
            self.rack.note_duplicate();
        }
        let undo = self.undo.as_mut();
        if !lent.sequence.una.before(end) {
            if let Some(undo) = undo {
                undo.note_duplicates(end, segments);
            }
            return None;
        }
        let (sent_again, lowest) = self.board.find_repeated(twice);
        if let Some(undo) = undo {
            undo.note_duplicates(end, sent_again);
        }
        lowest
    }

    /// An acknowledgement from before SND.UNA tells what has arrived beyond a hole since, and what came
    /// twice; of the round trip, the rate and the window it tells nothing.
    pub(crate) fn answer_old(&mut self, lent: &mut Lent<'_>, segment: &Segment) -> Reductions {
        let mut reductions = Reductions::default();
        if self.options.blocks.is_empty() {
            return reductions;
        }
        let mut news = News { with_data: segment.payload > 0, ..News::default() };
        self.deliver(lent, segment.acknowledgement, &mut news);
        reductions.waits = self.end_phase(lent, &news);
        reductions.recovery = self.lose_what_is_overtaken(lent).1;
        reductions.resends = self.may_send_again();
        reductions
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

    /// The same of a round of slow start, which ends where that goes on: none ends in a recovery, and the
    /// first acknowledgement after one that was taken back ends that of before (Linux `hystart_update`).
    fn begins_round_of_slow_start(&mut self, sequence: SendSequence) -> bool {
        let over = self.slow_start_round_until.before(sequence.una)
            && self.controller.window() < self.controller.slow_start_threshold();
        if over {
            self.slow_start_round_until = sequence.max;
        }
        over
    }

    /// What follows from it, with SND.UNA moved: for the round trip, the phase, the window, the timers.
    pub(crate) fn answer(&mut self, lent: &mut Lent<'_>, news: &mut News) -> Reductions {
        self.sample(lent, news);
        self.note_delivered(lent.now, news);
        if let Some(latest) = news.delivery.latest {
            self.rack.widen(lent.now, latest.at);
        }
        let mut reductions = self.respond(lent, news);
        reductions.resends = !reductions.waits && self.may_send_again();
        reductions
    }

    /// Whether something is to be sent again, or new data in its place.
    fn may_send_again(&self) -> bool {
        self.new_first || self.board.misses_any()
    }

    /// Samples the round trip (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`): of the first segment that
    /// SND.UNA has passed, unless one of them was sent again; or else of the first that a block reports; or
    /// else by the timestamp. The controller and RACK are told that of the last.
    pub(super) fn sample(&mut self, lent: &mut Lent<'_>, news: &mut News) {
        let (now, timer) = (lent.now, &lent.context.profile.retransmission);
        let Delivery { passed, passed_ambiguous, reported, .. } = news.delivery;
        let passed = passed.filter(|_| !passed_ambiguous);
        let (first, last) = match (passed.or(reported), self.echoed_stamp()) {
            (Some((first, last)), _) => (now - first, now - reported.map_or(last, |(_, last)| last)),
            (None, Some(echo)) if news.advanced => {
                let stamps = u64::from(stamp(now).saturating_sub(echo)).max(1);
                let round_trip = Span::from_microseconds(stamps * MICROSECONDS_PER_STAMP);
                (round_trip, round_trip)
            }
            _ => {
                news.restarts_timer = news.advanced;
                return;
            }
        };
        news.round_trip = Some(last);
        let round_begins = self.begins_round_of_slow_start(lent.sequence);
        self.controller.on_round_trip(&Measured { now, round_trip: last, round_begins });
        self.rack.note_round_trip(last);
        let older = || {
            let head = self.board.first();
            head.is_some_and(|head| reported.is_some_and(|(first, _)| first < head.at))
        };
        // Where something arrived that was sent before the first segment was sent last, it cannot tell of it.
        news.restarts_timer = news.advanced || older();
        let minimum = timer.minimum.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        let sample = first.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
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
        let was_calm = self.phase == Phase::Open && !self.disordered;
        self.settle_probe(lent, news);
        let asks = match self.feedback {
            Feedback::None => false,
            Feedback::Classic => news.echo,
            Feedback::Accurate => news.marked > 0 && !self.controller.answers_marks(),
        };
        if asks {
            self.forbid_undo();
        }
        reductions.waits = self.end_phase(lent, news);
        if asks {
            reductions.echoes += u16::from(self.reduce_on_marks(lent, news.marked.max(1)));
        }
        let mut lost = 0;
        self.timers.armed = false;
        let is_plain = news.advanced && news.delivery.sacked == 0 && !news.duplicate && !news.echo;
        let is_dubious = self.phase != Phase::Open || !(was_calm && is_plain);
        if !is_dubious {
            // Even where what was sent again before has overtaken what is outstanding (`tcp_ack_is_dubious`).
            self.rack.skip_judgement();
        } else if !reductions.waits {
            (lost, reductions.recovery) = self.lose_what_is_overtaken(lent);
        }
        if self.phase == Phase::Open && is_dubious {
            self.note_order();
        }
        if news.restarts_timer && !self.timers.armed {
            self.restart_timer(lent);
        }
        // With nothing outstanding an acknowledgement can only take a reduction back.
        if !news.answers {
            return reductions;
        }
        let before = self.controller.window();
        self.tell(lent.now, news, lost);
        let shrunk = self.controller.answers_marks() && news.marked > 0 && self.controller.window() < before;
        reductions.echoes += u16::from(shrunk && !self.phase.is_reduction());
        reductions
    }

    /// Whether something has arrived out of turn, or was sent again, in the open phase (Linux's *disorder*,
    /// `tcp_try_keep_open`): then no probe is sent.
    fn note_order(&mut self) {
        self.disordered = self.board.sacked() > 0 || self.board.lost() > 0 || self.board.any_sent_again();
    }

    /// What was marked of what an acknowledgement brings: with an echo of RFC 3168 all of it, if the
    /// controller counts shares of that (Linux `tcp_newly_delivered`).
    fn marked_of(&self, news: &News) -> u32 {
        let all = self.counts_echoes && self.feedback == Feedback::Classic && news.echo;
        if all { news.delivery.delivered } else { news.marked }
    }

    /// The controller hears of an acknowledgement.
    pub(super) fn tell(&mut self, now: Time, news: &News, lost: u32) {
        let Departed { in_flight, lost: lost_before } = news.delivery.departed;
        let lost_since = self.board.lost_ever().wrapping_sub(lost_before);
        self.controller.on_acknowledged(&Acknowledged {
            now,
            delivered: news.delivery.delivered,
            delivered_ever: self.deliveries.delivered(),
            marked: self.marked_of(news),
            lost,
            in_flight: self.board.in_flight(),
            advanced: news.advanced,
            may_grow: news.advanced || news.delivery.sacked > 0 && self.rack.reaches_far(),
            round_trip: news.round_trip,
            delivery_rate: news.delivery_rate.map(|rate| DeliveryRate { in_flight, lost_since, ..rate }),
            window_unused: !self.used_its_window(),
            window_full: self.usage.limited,
            round_begins: news.round_begins,
            phase: self.phase,
        });
        if self.models_path && self.controller.limits_samples() {
            self.deliveries.note_limited(self.board.in_flight());
        }
    }

    /// An unanswered probe may be answered (RFC 8985 section 7.4).
    fn settle_probe(&mut self, lent: &mut Lent<'_>, news: &News) {
        let una = lent.sequence.una;
        let Some((until, again)) = self.timers.probed else { return };
        if una.before(until) {
            return;
        }
        let both_arrived = !(news.advanced || news.with_data) && news.delivery.sacked == 0;
        if !again || news.duplicate_of_probe {
            self.timers.probed = None;
        } else if until.before(una) {
            // The probe has repaired a loss, of which nobody else tells.
            self.timers.probed = None;
            if self.phase == Phase::Open {
                self.tell_of_loss(lent.now, false, true);
                lent.flags.set(SenderFlags::CWR_PENDING);
                self.note_order();
            }
        } else if both_arrived {
            self.timers.probed = None;
        }
    }

    fn tell_of_loss(&mut self, now: Time, reduced: bool, repaired: bool) {
        let in_flight = self.board.in_flight();
        self.controller.on_loss(&Loss { now, in_flight, reduced, repaired });
    }

    /// The controller hears of each segment that is taken for lost since it last did, if it models the path.
    fn tell_of_lost_segments(&mut self, now: Time) {
        let Some(mut losses) = self.board.losses.take() else { return };
        let delivered_ever = self.deliveries.delivered();
        // The last of them is the last that was taken for lost.
        let mut lost = self.board.lost_ever().wrapping_sub(losses.len() as u32);
        for (place, Sent { departed, limited, .. }) in losses.drain(..) {
            lost = lost.wrapping_add(1);
            self.controller.on_lost(&LostSegment {
                now,
                delivered_ever,
                place,
                in_flight: departed.in_flight,
                lost_since: lost.wrapping_sub(departed.lost),
                application_limited: limited,
            });
        }
        self.board.losses = Some(losses);
    }

    /// Takes what is overdue for lost, if something has arrived since that was asked last, and waits for what
    /// is overtaken and not overdue. Answers how many segments that are.
    fn detect(&mut self, lent: &Lent<'_>) -> u32 {
        if !lent.context.profile.extensions().rack {
            self.rack.skip_judgement();
            return self.board.detect_by_duplicates();
        }
        let (in_recovery, smoothed) = (self.is_recovering(), self.smoothed());
        let Some(judgement) = self.rack.next_judgement(self.board.sacked(), in_recovery, smoothed) else {
            return 0;
        };
        let (lost, left) = self.board.detect_by_time(lent.now, &judgement);
        if let Some(left) = left {
            self.wait_for_reordering(lent, left);
        }
        lost
    }

    fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }

    /// Takes what is overtaken for lost, and begins a recovery if that is new. Answers how many segments that
    /// are, and whether a recovery begins.
    fn lose_what_is_overtaken(&mut self, lent: &mut Lent<'_>) -> (u32, bool) {
        let before = self.board.sent_again();
        let lost = self.detect(lent);
        self.tell_of_lost_segments(lent.now);
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
    pub(crate) fn lose_what_is_overdue(&mut self, lent: &mut Lent<'_>) -> bool {
        let (in_recovery, smoothed) = (self.is_recovering(), self.smoothed());
        let judgement = self.rack.judgement(self.board.sacked(), in_recovery, smoothed);
        let lost = judgement.map_or(0, |judgement| self.board.detect_by_time(lent.now, &judgement).0);
        self.tell_of_lost_segments(lent.now);
        let begins = lost > 0 && self.phase != Phase::Recovery;
        if begins {
            self.begin_recovery(lent);
        }
        // One that models the path is told of acknowledgements alone.
        if begins && !self.models_path {
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
            Phase::Open => self.take_back_if_all_answered(),
            Phase::Reducing if self.recover.before(una) => self.leave_reduction(),
            Phase::Reducing => {}
            Phase::Recovery if recovered => {
                self.end_recovery(profile);
                self.take_back_if_all_answered();
            }
            Phase::Recovery => return self.undo_in_recovery(una, profile, news),
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
    fn undo_in_recovery(&mut self, una: SequenceNumber, profile: &HostProfile, news: &News) -> bool {
        if news.advanced && self.undo.is_some() && self.was_delayed(profile) {
            let highest = self.board.highest().unwrap_or(una);
            self.rack.note_reordering(news.una_before, highest, profile.segment_bytes());
            if self.board.sent_again() > 0 {
                return true;
            }
            self.board.find_all();
            self.take_back();
        }
        self.take_back_if_all_answered();
        false
    }

    /// Each retransmission was a duplicate (`tcp_try_undo_dsack`).
    fn take_back_if_all_answered(&mut self) {
        if self.all_answered() {
            self.rack.note_mistake();
            self.take_back();
        }
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
            if self.undo.is_some() && self.all_answered() {
                return self.take_back();
            }
            self.rack.note_recovered();
            (self.phase, self.forward) = (Phase::Open, false);
            self.controller.on_recovered(Recovered::AfterTimeout);
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
        self.rack.judge_again();
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
        // In proportion to what arrives, the first one is admitted by the reduction.
        self.at_once = !lent.context.profile.extensions().proportional_rate_reduction;
    }

    /// The retransmission timer has expired: everything that has not arrived is taken for lost.
    pub(crate) fn lose_everything(&mut self, lent: &mut Lent<'_>) {
        let (sequence, profile) = (lent.sequence, lent.context.profile);
        let repeated = std::mem::replace(&mut self.timed_out, true);
        let fresh = matches!(self.phase, Phase::Open | Phase::Reducing);
        let reduces = self.phase == Phase::Open
            || !sequence.una.before(self.recover)
            || self.phase == Phase::Loss && !repeated;
        self.forward = profile.extensions().forward_recovery && (fresh || repeated);
        let sacked = self.board.sacked();
        let round_trip = self.rack.round_trip().filter(|_| profile.extensions().rack);
        self.board.lose_all(lent.now, round_trip);
        self.tell_of_lost_segments(lent.now);
        if reduces {
            self.begin_undo(sequence.una, true);
        }
        if fresh {
            self.rack.note_timeout(sacked);
        }
        self.phase = Phase::Loss;
        self.recover = sequence.max;
        self.timers.probed = None;
        self.round_until = sequence.max;
        self.slow_start_round_until = sequence.max;
        let in_flight = self.board.in_flight();
        self.controller.on_timeout(&Timeout { now: lent.now, in_flight, repeated: !reduces });
        lent.flags.set(SenderFlags::CWR_PENDING);
        if let Some(interrupt) = kernel_timer::interrupt(profile.extensions()) {
            lent.timeout.count_in(interrupt);
        }
        lent.timeout.back_off(&profile.retransmission, &lent.context.clock, false);
    }

    /// The next segment to be sent again, if the window has room for one.
    pub(crate) fn next_lost(&mut self) -> Option<Sent> {
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
}

/// The block that reports a duplicate, in an acknowledgement of everything before `number` (RFC 2883 section
/// 4).
fn repeated(blocks: &[Block], number: SequenceNumber) -> Option<Block> {
    match *blocks {
        [(start, end), ..] if start.before(number) => Some((start, end)),
        [(start, end), (from, to), ..] if !start.before(from) && !to.before(end) => Some((start, end)),
        _ => None,
    }
}

/// Of what is reported, the blocks that lie within what is outstanding beyond `una`, ascending.
fn ascending(said: &[Block], una: SequenceNumber, max: SequenceNumber) -> ([Block; MOST_BLOCKS], usize) {
    let mut blocks = [Block::default(); MOST_BLOCKS];
    let mut count = 0;
    for &(start, end) in said {
        if una.before(start) && start.before(end) && !max.before(end) {
            let place = blocks[..count].iter().take_while(|known| known.0.before(start)).count();
            blocks.copy_within(place..count, place + 1);
            blocks[place] = (start, end);
            count += 1;
        }
    }
    (blocks, count)
}
