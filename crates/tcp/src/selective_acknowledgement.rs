//! What an arriving acknowledgement, or none, means to a sender with a scoreboard.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_ack`, `tcp_fastretrans_alert`, `tcp_process_loss`, `tcp_process_tlp_ack`,
//! `tcp_cong_control`, and tcp_output.c `tcp_xmit_retransmit_queue`, `tcp_send_loss_probe`; RFC 6675 section 5, RFC 5682
//! section 3.1 (F-RTO with SACK), RFC 8985 section 7 (tail loss probes). The parts are in `recovery/selective/`; here they
//! are asked in Linux's order: what has arrived, the round trip, probes, the end of a phase, what is lost, the window, the
//! timers, and then what may be sent.
//!
//! Departures and silences: an acknowledgement older than SND.UNA is not looked at; a retransmission is as long as the
//! segment was; a peer that shrinks its window, or takes back what it reported, is not provided for.

use crate::congestion::{Acknowledged, CongestionControl, Loss, Timeout};
use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::options::stamp;
use crate::outbox::Outbox;
use crate::profile::{Ecn, HostProfile};
use crate::recovery::{Delivery, Due, Phase, Prior, RateReduction, SelectiveState, Sent};
use crate::segment::{Flags, Segment};
use crate::sender::Sender;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// Nanoseconds in a microsecond.
const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;
/// Microseconds in the unit of timestamps.
const MICROSECONDS_PER_STAMP: u64 = 1_000;

/// What an acknowledgement has brought.
struct News {
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
}

impl Endpoint {
    /// Processes an acceptable acknowledgement, and sends again what is lost.
    pub(crate) fn on_selective_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        let number = segment.acknowledgement;
        if number.before(self.sender.sequence.una) {
            return;
        }
        let advanced = self.sender.sequence.una.before(number);
        let Some(mut news) = self.sender.take_in(now, segment, advanced) else { return };
        if advanced {
            self.advance(number, out);
        }
        self.sender.estimate(now, context, &mut news);
        let reductions = self.sender.respond(now, context, &news);
        self.statistics.ecn_reductions = self.statistics.ecn_reductions.saturating_add(reductions.echoes);
        if reductions.recovery {
            self.statistics.count_fast_recovery();
        }
        self.sender.restart_timers(now, context, &news);
        if !reductions.waits {
            self.send_lost(now, context, out);
        }
    }

    /// Sends again what is taken for lost, as the window allows; or, where new data may show that nothing was lost, these.
    pub(crate) fn send_lost(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let recovery = &mut self.sender.recovery;
        if recovery.selective_mut().is_some_and(|selective| std::mem::take(&mut selective.new_first)) {
            let before = self.sender.sequence.max;
            self.output(now, context, out);
            if before != self.sender.sequence.max {
                return;
            }
            if let Some(selective) = self.sender.recovery.selective_mut() {
                selective.forward = false;
            }
        }
        while let Some(lost) = self.sender.next_lost(context.profile) {
            if self.sender.is_held_back(now) {
                break;
            }
            self.resend(now, context, &lost, out);
            if let Some(selective) = self.sender.recovery.selective_mut() {
                selective.at_once = false;
            }
        }
    }

    /// Sends a segment again, as it was.
    fn resend(&mut self, now: Time, context: &Context<'_>, sent: &Sent, out: &mut Outbox) {
        let sequence = &mut self.sender.sequence;
        let fin = self.sender.flags.has(SenderFlags::FIN_SENT) && sent.end == sequence.max;
        sequence.nxt = sent.start;
        self.emit_apart(now, context, sent.end.distance_from(sent.start) - u32::from(fin), fin, out);
        self.sender.sequence.nxt = self.sender.sequence.max;
    }

    /// One of the timers has fired.
    pub(crate) fn on_selective_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let sender = &mut self.sender;
        let Some(selective) = sender.recovery.selective_mut() else { return };
        match selective.timers.due(now) {
            Due::Reordering => {
                if sender.lose_what_is_overdue(now, context) {
                    self.statistics.count_fast_recovery();
                }
                self.send_lost(now, context, out);
                self.output(now, context, out);
                self.sender.resume_timeout(now, context);
            }
            Due::Probe => self.probe(now, context, out),
            Due::Timeout => self.time_out(now, context, out),
        }
    }

    /// A tail loss probe: new data if there are any, else the last segment again.
    fn probe(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        let sequence = self.sender.sequence;
        let length = self.sender.data_left().min(u64::from(profile.segment_bytes())) as u32;
        let Some(selective) = self.sender.recovery.selective_mut() else { return };
        selective.timers.probe = Time::MAX;
        let last = selective.board.last().copied();
        if selective.timers.probed.is_none() {
            let admitted = sequence.outstanding() + length <= profile.window_bytes;
            let is_new = length > 0 && admitted;
            if is_new {
                self.emit_apart(now, context, length, false, out);
            } else if let Some(last) = last {
                self.resend(now, context, &last, out);
            }
            let max = self.sender.sequence.max;
            if let Some(selective) = self.sender.recovery.selective_mut() {
                selective.timers.probed = Some((max, !is_new));
            }
        }
        self.sender.restart_timeout(now, context);
        self.sender.cancel_probe();
    }

    /// The retransmission timeout: everything that has not arrived is taken for lost.
    fn time_out(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let timer = &context.profile.retransmission;
        if self.sender.sequence.outstanding() == 0 {
            self.sender.stop();
            return self.output(now, context, out);
        }
        if timer.maximum_retransmissions.is_some_and(|most| self.sender.round_trip_time.backoffs() >= most) {
            return self.give_up(out);
        }
        self.statistics.count_timeout();
        self.sender.lose_everything(now, context);
        self.send_lost(now, context, out);
        self.output(now, context, out);
        self.sender.restart_timeout(now, context);
        self.sender.cancel_probe();
    }
}

/// What an acknowledgement has made smaller.
#[derive(Default)]
struct Reductions {
    echoes: u16,
    recovery: bool,
    /// Whether nothing more is taken for lost, or sent again, before the retransmissions are answered.
    waits: bool,
}

impl Sender {
    /// What the acknowledgement says has arrived, and was marked.
    fn take_in(&mut self, now: Time, segment: &Segment, advanced: bool) -> Option<News> {
        let selective = self.recovery.selective_mut()?;
        let (delivery, duplicate) = selective.deliver(segment.acknowledgement);
        if let Some(end) = duplicate {
            let of_probe = selective.timers.probed.is_some_and(|(until, _)| until == end);
            if !of_probe {
                selective.rack.note_duplicate(segment.acknowledgement, self.sequence.max);
            }
            if let Some(undo) = &mut selective.undo {
                undo.note_duplicate(end);
            }
        }
        selective.timed_out &= !advanced;
        selective.rack.note(now, &delivery);
        let marked = selective.marked.news(segment.flags, delivery.delivered);
        let round_begins = advanced && selective.begins_round(segment.acknowledgement, self.sequence.max);
        let echo = segment.flags.contains(Flags::ECE);
        let duplicate = duplicate.is_some();
        Some(News { delivery, advanced, duplicate, echo, marked, round_begins, round_trip: None })
    }

    /// Samples the round trip: of the first segment that was sent once, or else by the timestamp.
    fn estimate(&mut self, now: Time, context: &Context<'_>, news: &mut News) {
        let timer = &context.profile.retransmission;
        let Some(selective) = self.recovery.selective_mut() else { return };
        let sample = match (news.delivery.sent, selective.echoed_stamp()) {
            (Some((first, last)), _) => {
                news.round_trip = Some(now - last);
                selective.rack.note_round_trip(now - last);
                (now - first).nanoseconds() / NANOSECONDS_PER_MICROSECOND
            }
            (None, Some(echo)) if news.advanced => {
                u64::from(stamp(now).saturating_sub(echo)) * MICROSECONDS_PER_STAMP
            }
            _ => return,
        };
        let minimum = timer.minimum.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        selective.estimate.sample(sample, minimum, self.sequence.una, self.sequence.max);
        self.round_trip_time.adopt(timer, &context.clock, selective.estimate.timeout());
    }

    /// What follows for the phase and the window.
    fn respond(&mut self, now: Time, context: &Context<'_>, news: &News) -> Reductions {
        let profile = context.profile;
        let mut reductions = Reductions::default();
        self.settle_probe(now, profile, news);
        let scalable = self.congestion.is_scalable();
        let asks = match profile.ecn {
            Ecn::Off => false,
            Ecn::Accurate => news.marked > 0 && !scalable,
            _ => news.echo,
        };
        if asks {
            self.forbid_undo();
        }
        reductions.waits = self.end_phase(profile, news);
        if asks {
            reductions.echoes += u16::from(self.reduce_on_echo(profile));
        }
        let mut lost = 0;
        if !reductions.waits {
            (lost, reductions.recovery) = self.lose_what_is_overtaken(now, context);
        }
        let shrinking = self.recovery.selective().is_some_and(SelectiveState::is_shrinking);
        if shrinking {
            self.shrink(profile, news, lost);
        } else if news.advanced && news.delivery.delivered > 0 {
            let before = self.congestion.window(profile);
            self.grow_selectively(now, profile, news);
            let shrunk = scalable && news.marked > 0 && self.congestion.window(profile) < before;
            reductions.echoes += u16::from(shrunk);
        }
        reductions
    }

    /// An unanswered probe may be answered (RFC 8985 section 7.4).
    fn settle_probe(&mut self, now: Time, profile: &HostProfile, news: &News) {
        let sequence = self.sequence;
        let Some(selective) = self.recovery.selective_mut() else { return };
        let Some((until, again)) = selective.timers.probed else { return };
        if sequence.una.before(until) {
            return;
        }
        let both_arrived = !news.advanced && news.delivery.delivered == 0;
        if !again || news.duplicate || both_arrived {
            selective.timers.probed = None;
        } else if until.before(sequence.una) {
            // The probe has repaired a loss, of which nobody else tells.
            selective.timers.probed = None;
            if selective.phase == Phase::Open {
                let flight_bytes = sequence.outstanding();
                self.congestion.on_loss(profile, &Loss { now, flight_bytes });
                self.congestion.set_window(profile, self.congestion.slow_start_threshold(profile));
                self.flags.set(SenderFlags::CWR_PENDING);
            }
        }
    }

    /// Takes what is overtaken for lost, and begins a recovery if that is new. Answers how many segments that are, and whether a
    /// recovery begins.
    fn lose_what_is_overtaken(&mut self, now: Time, context: &Context<'_>) -> (u32, bool) {
        let Some(selective) = self.recovery.selective_mut() else { return (0, false) };
        let before = selective.board.sent_again();
        let lost = selective.detect(now, context);
        let again = selective.board.sent_again() < before;
        let begins = match selective.phase {
            Phase::Open | Phase::Reducing => selective.board.lost() > 0,
            Phase::Recovery => false,
            Phase::Loss => again,
        };
        if begins {
            self.begin_recovery(now, context.profile);
        } else if matches!(selective.phase, Phase::Open | Phase::Reducing) {
            selective.forget_retransmissions_that_arrived();
        }
        (lost, begins)
    }

    /// The present phase may be over, or may have been a mistake. Answers whether nothing more is to be taken for lost: what
    /// arrives was only delayed, but retransmissions are still out.
    fn end_phase(&mut self, profile: &HostProfile, news: &News) -> bool {
        let una = self.sequence.una;
        let Some(selective) = self.recovery.selective_mut() else { return false };
        let recover = selective.recover();
        let recovered = !una.before(recover);
        let answered = selective.all_answered();
        match selective.phase {
            // The last of the duplicates comes when the recovery is over.
            Phase::Open if answered => self.take_back(profile),
            Phase::Open => {}
            Phase::Reducing if recover.before(una) => self.leave_reduction(profile),
            Phase::Reducing => {}
            Phase::Recovery if recovered => self.end_recovery(profile),
            Phase::Recovery => return self.undo_in_recovery(profile, news),
            Phase::Loss => self.end_loss(profile, news, recovered),
        }
        false
    }

    /// Everything has arrived that was sent when the recovery began.
    fn end_recovery(&mut self, profile: &HostProfile) {
        let Some(selective) = self.recovery.selective_mut() else { return };
        if selective.undo.is_some() && (selective.all_answered() || selective.was_delayed(profile)) {
            return self.take_back(profile);
        }
        selective.rack.note_recovered();
        self.leave_reduction(profile);
    }

    /// A recovery goes on: what fills a hole may have been delayed, or each retransmission may be a duplicate. Answers as
    /// [`Self::end_phase`] does (Linux `tcp_try_undo_partial`, `tcp_try_undo_dsack`).
    fn undo_in_recovery(&mut self, profile: &HostProfile, news: &News) -> bool {
        let Some(selective) = self.recovery.selective_mut() else { return false };
        if news.advanced && selective.undo.is_some() && selective.was_delayed(profile) {
            selective.rack.note_reordering();
            if selective.board.sent_again() > 0 {
                return true;
            }
            selective.board.find_all();
            self.take_back(profile);
        } else if selective.all_answered() {
            self.take_back(profile);
        }
        false
    }

    /// After a timeout: it was none if originals arrive (RFC 5682), and is over when everything sent by then has arrived.
    fn end_loss(&mut self, profile: &HostProfile, news: &News, recovered: bool) {
        let max = self.sequence.max;
        let Some(selective) = self.recovery.selective_mut() else { return };
        let mistake = news.advanced
            && selective.undo.is_some()
            && (selective.all_answered() || selective.was_delayed(profile));
        if mistake || selective.forward && news.delivery.original {
            selective.board.find_all();
            return self.take_back(profile);
        }
        if selective.forward {
            let sent_since = selective.recover().before(max);
            if sent_since {
                // New data were sent, and what arrives was sent again: the loss was real.
                selective.forward = (news.advanced || news.duplicate) && news.delivery.sacked == 0;
            } else if news.advanced && !recovered {
                // Two new segments are sent next, if there are any, and nothing again.
                selective.set_recover(max);
                selective.new_first = true;
            }
        }
        let Some(selective) = self.recovery.selective_mut() else { return };
        if recovered {
            (selective.phase, selective.forward) = (Phase::Open, false);
        }
    }

    /// A reduction is complete.
    fn leave_reduction(&mut self, profile: &HostProfile) {
        let threshold = self.congestion.slow_start_threshold(profile);
        self.congestion.set_window(profile, threshold);
        let Some(selective) = self.recovery.selective_mut() else { return };
        selective.phase = Phase::Open;
    }

    /// The reduction was a mistake: the window is what it was.
    fn take_back(&mut self, profile: &HostProfile) {
        let Some(selective) = self.recovery.selective_mut() else { return };
        selective.phase = Phase::Open;
        selective.forward = false;
        selective.timed_out = false;
        if let Some(prior) = selective.undo.take().and_then(|undo| undo.prior) {
            self.congestion.restore(profile, prior.window, prior.threshold);
        }
    }

    /// An echo asks for a reduction: the one that is under way stands, whatever shows later.
    fn forbid_undo(&mut self) {
        if let Some(undo) = self.recovery.selective_mut().and_then(|selective| selective.undo.as_mut()) {
            undo.prior = None;
        }
    }

    /// What a reduction that begins now would restore; of the threshold three quarters of the window at the least (Linux
    /// `tcp_current_ssthresh`).
    fn prior(&self, profile: &HostProfile) -> Prior {
        let (window, mss) = (self.congestion.window(profile), profile.segment_bytes());
        let segments = window / mss;
        let threshold = self.congestion.slow_start_threshold(profile);
        Prior { window, threshold: threshold.max((segments / 2 + segments / 4) * mss) }
    }

    /// A mark was reported: the window is reduced, once for what was sent by now. Answers whether it is.
    fn reduce_on_echo(&mut self, profile: &HostProfile) -> bool {
        let max = self.sequence.max;
        let window = self.congestion.window(profile);
        let Some(selective) = self.recovery.selective_mut() else { return false };
        if selective.phase != Phase::Open {
            return false;
        }
        self.congestion.on_echo(profile);
        selective.phase = Phase::Reducing;
        selective.undo = None;
        selective.set_recover(max);
        self.begin_reduction(profile, window);
        true
    }

    /// Something was lost: the window is reduced, unless a mark has done that for this window of data.
    fn begin_recovery(&mut self, now: Time, profile: &HostProfile) {
        let sequence = self.sequence;
        let prior = self.prior(profile);
        let Some(selective) = self.recovery.selective_mut() else { return };
        let reduces = selective.phase != Phase::Reducing;
        selective.forget_retransmissions_that_arrived();
        selective.begin_undo(sequence.una, reduces.then_some(prior));
        selective.phase = Phase::Recovery;
        selective.forward = false;
        if reduces {
            selective.set_recover(sequence.max);
            selective.timers.probed = None;
            let flight_bytes = sequence.outstanding();
            self.congestion.on_loss(profile, &Loss { now, flight_bytes });
            self.begin_reduction(profile, prior.window);
        }
        if let Some(selective) = self.recovery.selective_mut() {
            selective.at_once = true;
        }
    }

    fn begin_reduction(&mut self, profile: &HostProfile, window: u32) {
        self.flags.set(SenderFlags::CWR_PENDING);
        if !profile.extensions.proportional_rate_reduction {
            return self.congestion.set_window(profile, self.congestion.slow_start_threshold(profile));
        }
        if let Some(selective) = self.recovery.selective_mut() {
            selective.reduction = RateReduction::begin(window / profile.segment_bytes());
        }
    }

    /// The window follows what arrives.
    fn shrink(&mut self, profile: &HostProfile, news: &News, lost: u32) {
        self.shrink_by(profile, news.delivery.delivered, news.advanced && lost == 0);
    }

    /// The window while so many segments have arrived, and `safe`: nothing more is lost.
    fn shrink_by(&mut self, profile: &HostProfile, delivered: u32, safe: bool) {
        if !profile.extensions.proportional_rate_reduction {
            return;
        }
        let threshold = self.congestion.slow_start_threshold(profile) / profile.segment_bytes();
        let Some(selective) = self.recovery.selective_mut() else { return };
        let in_flight = selective.board.in_flight();
        if let Some(segments) = selective.reduction.window(delivered, in_flight, threshold, safe) {
            self.congestion.set_window(profile, segments.saturating_mul(profile.segment_bytes()));
        }
    }

    fn grow_selectively(&mut self, now: Time, profile: &HostProfile, news: &News) {
        let mss = profile.segment_bytes();
        let window = self.congestion.window(profile);
        let in_slow_start = window < self.congestion.slow_start_threshold(profile);
        let Some(selective) = self.recovery.selective_mut() else { return };
        let acknowledged = Acknowledged {
            now,
            bytes: news.delivery.delivered * mss,
            ce_bytes: news.marked * mss,
            round_trip: news.round_trip,
            delivery_rate: None,
            application_limited: !selective.used_its_window(window / mss, in_slow_start),
            round_begins: news.round_begins,
        };
        self.congestion.on_acknowledged(profile, &acknowledged);
    }

    /// The next segment to be sent again, if the window has room for one.
    fn next_lost(&mut self, profile: &HostProfile) -> Option<Sent> {
        let window = self.congestion.window(profile) / profile.segment_bytes();
        let selective = self.recovery.selective_mut()?;
        let admitted = selective.at_once || selective.board.in_flight() < window;
        if admitted { selective.board.next_lost() } else { None }
    }

    /// What was overtaken has had its time. Answers whether a recovery begins.
    fn lose_what_is_overdue(&mut self, now: Time, context: &Context<'_>) -> bool {
        let profile = context.profile;
        let Some(selective) = self.recovery.selective_mut() else { return false };
        let begins = selective.detect(now, context) > 0 && selective.phase != Phase::Recovery;
        if begins {
            self.begin_recovery(now, profile);
            // Linux counts one segment as delivered, so that the window admits the retransmission.
            self.shrink_by(profile, 1, false);
        }
        begins
    }

    /// The retransmission timer has expired.
    fn lose_everything(&mut self, now: Time, context: &Context<'_>) {
        let profile = context.profile;
        let sequence = self.sequence;
        let prior = self.prior(profile);
        let Some(selective) = self.recovery.selective_mut() else { return };
        let repeated = std::mem::replace(&mut selective.timed_out, true);
        let fresh = matches!(selective.phase, Phase::Open | Phase::Reducing);
        let reduces = selective.phase == Phase::Open
            || !sequence.una.before(selective.recover())
            || selective.phase == Phase::Loss && !repeated;
        selective.forward = profile.extensions.forward_recovery && (fresh || repeated);
        selective.board.lose_all();
        if reduces {
            selective.begin_undo(sequence.una, Some(prior));
        }
        selective.phase = Phase::Loss;
        selective.set_recover(sequence.max);
        selective.timers.probed = None;
        selective.timers.reordering = Time::MAX;
        let timeout =
            Timeout { now, flight_bytes: sequence.outstanding(), repeated: !reduces, reduced_on_echo: false };
        self.congestion.on_timeout(profile, &timeout);
        self.flags.set(SenderFlags::CWR_PENDING);
        self.round_trip_time.back_off(&profile.retransmission, &context.clock, false);
    }

    /// A segment has left.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_sent_selectively(
        &mut self,
        now: Time,
        context: &Context<'_>,
        (start, end): (SequenceNumber, SequenceNumber),
        is_new: bool,
    ) {
        let profile = context.profile;
        let window = self.congestion.window(profile) / profile.segment_bytes();
        let timeout = self.round_trip_time.timeout(&profile.retransmission, &context.clock);
        let sequence = self.sequence;
        let Some(selective) = self.recovery.selective_mut() else { return };
        selective.note_sent(now, (start, end), is_new);
        if is_new {
            selective.note_usage(window, sequence.una, sequence.max);
        }
        let first = selective.board.outstanding() == 1 || start == sequence.una;
        if first || selective.timers.timeout == Time::MAX {
            selective.timers.timeout = context.timer(now, timeout);
        }
        self.schedule_probe(now, context);
    }

    /// Something was sent or acknowledged: if nothing comes back, a probe is sent; not while something is being repaired.
    fn schedule_probe(&mut self, now: Time, context: &Context<'_>) {
        let Some(selective) = self.recovery.selective_mut() else { return };
        let smoothed = selective.smoothed();
        let board = &selective.board;
        let calm = matches!(selective.phase, Phase::Open | Phase::Reducing) && board.sacked() == 0;
        let outstanding = board.outstanding();
        if context.profile.extensions.tail_loss_probe && calm && outstanding > 0 {
            selective.timers.schedule_probe(now, context, (smoothed, outstanding));
        } else {
            selective.timers.probe = Time::MAX;
        }
        self.note_deadline();
    }

    /// An acknowledgement was processed. The retransmission timer starts afresh where SND.UNA moves, and where something arrived
    /// that was sent before the first segment was sent last, and cannot tell of it (Linux `tcp_clean_rtx_queue`).
    fn restart_timers(&mut self, now: Time, context: &Context<'_>, news: &News) {
        if self.sequence.outstanding() == 0 {
            if let Some(selective) = self.recovery.selective_mut() {
                selective.timers.stop();
            }
            return self.note_deadline();
        }
        let first = self.recovery.selective().and_then(|selective| selective.board.first());
        let older = news.delivery.sent.zip(first).is_some_and(|((sent, _), first)| sent < first.at);
        if news.advanced || older {
            self.restart_timeout(now, context);
        }
        self.schedule_probe(now, context);
    }

    /// The retransmission timer starts afresh.
    fn restart_timeout(&mut self, now: Time, context: &Context<'_>) {
        let timeout = self.round_trip_time.timeout(&context.profile.retransmission, &context.clock);
        if let Some(selective) = self.recovery.selective_mut() {
            selective.timers.timeout = context.timer(now, timeout);
        }
        self.note_deadline();
    }

    /// Another timer has fired: the retransmission timer runs on.
    fn resume_timeout(&mut self, now: Time, context: &Context<'_>) {
        if let Some(selective) = self.recovery.selective_mut() {
            selective.timers.resume_timeout(now, context);
        }
        self.note_deadline();
    }

    fn cancel_probe(&mut self) {
        if let Some(selective) = self.recovery.selective_mut() {
            selective.timers.probe = Time::MAX;
        }
        self.note_deadline();
    }

    /// The first of the timers is the one that fires.
    fn note_deadline(&mut self) {
        if let Some(selective) = self.recovery.selective() {
            self.retransmission_deadline = selective.timers.deadline();
        }
    }

    /// The peer has answered a SYN, or acknowledged a SYN/ACK: where that was sent again the timestamp still tells the round trip
    /// (Linux `tcp_ack_update_rtt`).
    pub(crate) fn sample_handshake(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        if self.take_sample(now, context, number, false).is_some() {
            return;
        }
        let echoed = self.recovery.selective().and_then(SelectiveState::echoed_stamp);
        if let Some(echo) = echoed {
            let stamps = u64::from(stamp(now).saturating_sub(echo)).max(1);
            self.begin_estimate(context, Span::from_microseconds(stamps * MICROSECONDS_PER_STAMP));
        }
    }

    /// The handshake, or a driver, has given a round trip.
    pub(crate) fn begin_estimate(&mut self, context: &Context<'_>, round_trip: Span) {
        let timer = &context.profile.retransmission;
        let max = self.sequence.max;
        let Some(selective) = self.recovery.selective_mut() else { return };
        let sample = round_trip.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        let minimum = timer.minimum.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        selective.estimate.sample(sample, minimum, max, max);
        selective.rack.note_round_trip(round_trip);
        self.round_trip_time.adopt(timer, &context.clock, selective.estimate.timeout());
    }
}
