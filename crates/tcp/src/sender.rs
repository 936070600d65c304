//! The sending half of a connection: its sequence space, its buffer, its timer.
//!
//! Source: RFC 9293 section 3.3.1 (send sequence space), RFC 6298 rules 5.1 to 5.3 (the timer), Karn's rule (RFC 6298
//! section 3). How large the window is says its congestion controller, what is sent again its recovery.

use crate::congestion::{Acknowledged, CongestionControl, CongestionController, Pacer, Timeout};
use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::profile::{Ecn, HostProfile, IdleRestart, RtoAlgorithm};
use crate::recovery::{RecoveryState, ReducedBy, SendSequence, Sending};
use crate::round_trip_time::RoundTripTime;
use crate::segment::Segment;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Rate, Span, Time};

/// Least interval of the persist timer (FreeBSD 4.x `TCPTV_PERSMIN`).
const PERSIST: Span = Span::from_milliseconds(5_000);

/// The sending half. Its parts are packed where padding would push an endpoint beyond two cache lines.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    /// SND.UNA, SND.NXT, SND.MAX.
    pub(crate) sequence: SendSequence,
    /// The number whose acknowledgement ends the measurement of a round trip.
    timed_number: SequenceNumber,
    /// Bytes written by the application and never sent.
    pub(crate) unsent: u64,
    /// When the retransmission timer fires, or the attempt to open is given up; `Time::MAX` if it is stopped.
    pub(crate) retransmission_deadline: Time,
    /// When the segment being timed was sent; `Time::MAX` if none is.
    timed_since: Time,
    /// When the connection was last active: when it began to open, and then the last event that `IdleRestart` counts
    /// from.
    pub(crate) active_at: Time,
    pub(crate) round_trip_time: RoundTripTime,
    pub(crate) congestion: CongestionController,
    pub(crate) recovery: RecoveryState,
    pub(crate) flags: SenderFlags,
    /// Bytes that the peer's application had not read when it last advertised its window: see [`Segment::unread`].
    pub(crate) peer_unread: u16,
}

impl Default for Sender {
    fn default() -> Self {
        Self {
            sequence: SendSequence::default(),
            timed_number: SequenceNumber::default(),
            unsent: 0,
            retransmission_deadline: Time::MAX,
            timed_since: Time::MAX,
            active_at: Time::ZERO,
            round_trip_time: RoundTripTime::default(),
            congestion: CongestionController::default(),
            recovery: RecoveryState::default(),
            flags: SenderFlags::default(),
            peer_unread: 0,
        }
    }
}

impl Sender {
    /// The opening segment is being sent and timed. What was written or closed before waits.
    pub(crate) fn begin(&mut self, now: Time, context: &Context<'_>) {
        self.congestion = CongestionController::new(context.profile);
        if self.congestion.pacer().is_some() {
            self.flags.set(SenderFlags::PACED);
        }
        self.recovery = RecoveryState::new(context.profile);
        self.round_trip_time = RoundTripTime::new(&context.profile.retransmission, &context.clock);
        self.sequence.nxt = SequenceNumber::INITIAL.plus(1);
        self.sequence.max = self.sequence.nxt;
        self.timed_since = now;
        self.timed_number = SequenceNumber::INITIAL;
        self.active_at = now;
        self.start_opening_timer(now, context);
    }

    /// What a recovery needs to know.
    #[inline]
    pub(crate) fn sending<'a>(&self, now: Time, context: &Context<'a>) -> Sending<'a> {
        Sending { profile: context.profile, sequence: self.sequence, now }
    }

    /// Bytes written but not sent, counted from SND.NXT.
    #[inline]
    pub(crate) fn data_left(&self) -> u64 {
        let behind = self.sequence.max.distance_from(self.sequence.nxt);
        let fin = u32::from(self.flags.has(SenderFlags::FIN_SENT));
        self.unsent + u64::from(behind.saturating_sub(fin))
    }

    /// Whether everything written has been sent, and nothing is to be sent again or closed. Whether the sender has
    /// paused, and must restart its window, can wait until it has data: the pause will not be shorter then.
    #[inline]
    pub(crate) fn has_nothing_to_send(&self) -> bool {
        self.unsent == 0 && self.sequence.nxt == self.sequence.max && !self.flags.has(SenderFlags::CLOSING)
    }

    /// Whether nothing is or will be under way, and an acknowledgement up to `number` says so.
    #[inline(always)]
    pub(crate) fn is_quiet_at(&self, number: SequenceNumber) -> bool {
        let SendSequence { una, nxt, max } = self.sequence;
        (number == una) & (nxt == una) & (max == una) & (self.unsent == 0)
    }

    /// Whether the peer has everything that was ever written, and our FIN if there was one.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.unsent == 0 && self.sequence.outstanding() == 0
    }

    /// Whether our FIN was sent and acknowledged: it occupies the last number.
    #[inline]
    pub(crate) fn fin_is_acknowledged(&self) -> bool {
        self.flags.has(SenderFlags::FIN_SENT) && self.sequence.outstanding() == 0
    }

    /// Bytes that both windows let be outstanding: the smaller one, plus what limited transmit adds.
    #[inline]
    pub(crate) fn usable_window(&self, profile: &HostProfile) -> u32 {
        if self.flags.has(SenderFlags::ECN_WAIT) {
            return 0;
        }
        let beyond = self.recovery.beyond_window(profile, self.sequence.outstanding());
        let advertised = profile.window_bytes.saturating_sub(u32::from(self.peer_unread));
        self.congestion.window(profile).saturating_add_signed(beyond).min(advertised)
    }

    /// Bytes that such a window still admits.
    #[inline]
    pub(crate) fn admitted(&self, window: u32) -> u32 {
        window.saturating_sub(self.sequence.nxt.distance_from(self.sequence.una))
    }

    /// Bytes that both windows still admit.
    #[inline]
    pub(crate) fn sendable(&self, profile: &HostProfile) -> u32 {
        self.admitted(self.usable_window(profile))
    }

    /// Whether pacing holds back what may be sent otherwise.
    #[inline(always)]
    pub(crate) fn is_held_back(&mut self, now: Time) -> bool {
        self.flags.has(SenderFlags::PACED) && self.waits_for_its_pace(now)
    }

    #[inline(never)]
    fn waits_for_its_pace(&mut self, now: Time) -> bool {
        self.congestion.pacer_mut().is_some_and(|pacer| pacer.holds_back(now))
    }

    /// An IP packet with data leaves: those behind it keep their distance, if there is a pace.
    #[inline(always)]
    pub(crate) fn pace(&mut self, now: Time, profile: &HostProfile, segment: &Segment) {
        if self.flags.has(SenderFlags::PACED) {
            self.keep_pace(now, profile, segment.ip_bytes(profile));
        }
    }

    #[inline(never)]
    fn keep_pace(&mut self, now: Time, profile: &HostProfile, ip_bytes: u16) {
        let Some(rate) = self.congestion.pacing_rate(profile) else { return };
        if let Some(pacer) = self.congestion.pacer_mut() {
            pacer.note_sent(now, ip_bytes, rate);
        }
    }

    /// When what pacing holds back may leave; `Time::MAX` if it holds nothing back.
    #[inline(always)]
    pub(crate) fn pacing_deadline(&self) -> Time {
        if self.flags.has(SenderFlags::PACED) { self.deadline_of_pacer() } else { Time::MAX }
    }

    #[inline(never)]
    fn deadline_of_pacer(&self) -> Time {
        self.congestion.pacer().map_or(Time::MAX, Pacer::deadline)
    }

    /// Nothing is sent any more: no timer runs.
    pub(crate) fn stop(&mut self) {
        self.retransmission_deadline = Time::MAX;
        self.stop_pacing();
    }

    /// Nothing that waits for its turn is waited for.
    pub(crate) fn stop_pacing(&mut self) {
        if let Some(pacer) = self.congestion.pacer_mut() {
            pacer.stop();
        }
    }

    /// Numbers up to `end` are sent for the first time: they leave the buffer, and one segment is timed.
    #[inline]
    pub(crate) fn send_first_time(
        &mut self,
        now: Time,
        start: SequenceNumber,
        end: SequenceNumber,
        fin: bool,
    ) {
        let had_fin = self.flags.has(SenderFlags::FIN_SENT);
        let new_numbers = end.distance_from(self.sequence.max);
        self.unsent -= u64::from(new_numbers - u32::from(fin && !had_fin));
        if fin {
            self.flags.set(SenderFlags::FIN_SENT);
        }
        self.sequence.max = end;
        if self.timed_since == Time::MAX {
            self.timed_since = now;
            self.timed_number = start;
            if let Some(mark) = self.congestion.delivery_mark() {
                *mark = self.sequence.una;
            }
        }
    }

    /// Everything before `number` has arrived at the peer. Answers with how many numbers are new.
    #[inline]
    pub(crate) fn advance(&mut self, number: SequenceNumber) -> u32 {
        let numbers = number.distance_from(self.sequence.una);
        self.sequence.una = number;
        self.sequence.nxt = self.sequence.nxt.later_of(number);
        numbers
    }

    /// The round trip is sampled, and the window may grow. `echo` says that the acknowledgement of everything before
    /// `number` carries an ECN-Echo.
    #[inline]
    pub(crate) fn grow(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber, echo: bool) {
        let acknowledged = self.acknowledged(now, context, number, echo);
        self.congestion.on_acknowledged(context.profile, &acknowledged);
    }

    /// What the congestion controller is told.
    #[inline]
    fn acknowledged(
        &mut self,
        now: Time,
        context: &Context<'_>,
        number: SequenceNumber,
        echo: bool,
    ) -> Acknowledged {
        let bytes = number.distance_from(self.sequence.una);
        let round_trip = self.take_sample(now, context, number, echo);
        Acknowledged {
            now,
            bytes,
            ce_bytes: if echo { bytes } else { 0 },
            round_trip,
            delivery_rate: round_trip.and_then(|span| self.delivery_rate(number, span)),
            application_limited: self.unsent == 0,
            round_begins: false,
        }
    }

    /// What was acknowledged per second while the segment that was timed was under way, if the controller asks.
    #[inline]
    fn delivery_rate(&mut self, number: SequenceNumber, round_trip: Span) -> Option<Rate> {
        let mark = self.congestion.delivery_mark()?;
        let bits = 8 * u128::from(number.distance_from(*mark));
        let per_second = bits * u128::from(Span::from_milliseconds(1_000).nanoseconds());
        let rate = per_second / u128::from(round_trip.nanoseconds().max(1));
        Some(Rate::from_bits_per_second(u64::try_from(rate).unwrap_or(u64::MAX)))
    }

    /// Takes a round-trip sample if `number` acknowledges the segment being timed. It ends the back-off, unless ns-2's
    /// ECN made that and the echo goes on.
    #[inline(always)]
    pub(crate) fn take_sample(
        &mut self,
        now: Time,
        context: &Context<'_>,
        number: SequenceNumber,
        echo: bool,
    ) -> Option<Span> {
        if self.timed_since == Time::MAX || !self.timed_number.before(number) {
            return None;
        }
        Some(self.end_sample(now, context, echo))
    }

    #[inline(never)]
    fn end_sample(&mut self, now: Time, context: &Context<'_>, echo: bool) -> Span {
        let backoffs = self.round_trip_time.backoffs();
        self.round_trip_time.sample(&context.profile.retransmission, &context.clock, self.timed_since, now);
        if echo && context.profile.ecn == Ecn::Ns2 && self.flags.has(SenderFlags::ECN_WAIT) {
            self.round_trip_time.set_backoffs(backoffs);
        }
        let round_trip = now - self.timed_since;
        self.begin_estimate(context, round_trip);
        self.timed_since = Time::MAX;
        round_trip
    }

    /// What is sent again makes every measurement of it ambiguous (Karn).
    pub(crate) fn stop_timing(&mut self) {
        self.timed_since = Time::MAX;
    }

    /// A partial acknowledgement ends the measurement; in ns-2 only that of a segment that it covers, and then the
    /// back-off too (tcp-newreno.cc `partialnewack`).
    pub(crate) fn stop_timing_at_partial(&mut self, context: &Context<'_>, number: SequenceNumber) {
        if context.profile.retransmission.algorithm != RtoAlgorithm::Ns2 {
            self.stop_timing();
        } else if self.timed_since != Time::MAX && self.timed_number.before(number) {
            self.stop_timing();
            self.round_trip_time.set_backoffs(0);
        }
    }

    /// Starts the retransmission timer afresh.
    #[inline]
    pub(crate) fn start_timer(&mut self, now: Time, context: &Context<'_>) {
        let timer = &context.profile.retransmission;
        self.retransmission_deadline = self.round_trip_time.deadline(timer, &context.clock, now);
    }

    /// Whether data wait for the peer to open its window, with nothing under way that will be answered.
    #[inline]
    pub(crate) fn waits_for_the_window(&self) -> bool {
        self.peer_unread > 0
            && self.sequence.outstanding() == 0
            && self.unsent > 0
            && self.retransmission_deadline == Time::MAX
    }

    /// The update that the peer owes may be lost (FreeBSD 4.x `tcp_setpersist`).
    #[cold]
    #[inline(never)]
    pub(crate) fn start_persist_timer(&mut self, now: Time, context: &Context<'_>) {
        self.retransmission_deadline = if context.profile.timers_fire_on_ticks() {
            context.clock.callout(context.clock.whole_ticks(PERSIST), now)
        } else {
            now + PERSIST
        };
    }

    /// The same where it did not run: seldom, while data flow.
    #[cold]
    #[inline(never)]
    pub(crate) fn start_stopped_timer(&mut self, now: Time, context: &Context<'_>) {
        self.start_timer(now, context);
    }

    /// The same while the connection opens, when it fires at the latest when the attempt is given up.
    pub(crate) fn start_opening_timer(&mut self, now: Time, context: &Context<'_>) {
        self.start_timer(now, context);
        if context.profile.extensions.timer_hz > 0 {
            self.retransmission_deadline = context.timer(now, self.retransmission_deadline - now);
        }
        self.retransmission_deadline = self.retransmission_deadline.min(self.gives_up_opening_at(context));
    }

    /// When an attempt to open the connection has taken too long.
    pub(crate) fn gives_up_opening_at(&self, context: &Context<'_>) -> Time {
        context.profile.retransmission.connection_timeout.map_or(Time::MAX, |limit| self.active_at + limit)
    }

    /// Stops the timer when nothing is outstanding, otherwise starts it afresh (RFC 6298 rules 5.2 and 5.3). It runs on
    /// when it must release a sender that ECN makes wait (RFC 3168 section 6.1.2). ns-2 stops it when nothing is left to
    /// send, and remembers since when.
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time, context: &Context<'_>) {
        let remembers_pause = context.profile.idle_restart == IdleRestart::SinceAcknowledged;
        let may_stop =
            if remembers_pause { self.unsent == 0 } else { !self.flags.has(SenderFlags::ECN_WAIT) };
        if self.sequence.outstanding() > 0 || !may_stop {
            return self.start_timer(now, context);
        }
        self.retransmission_deadline = Time::MAX;
        if remembers_pause {
            self.active_at = now;
        }
    }

    /// The retransmission timer has expired: everything outstanding is sent again, as the window allows.
    pub(crate) fn go_back(&mut self, now: Time, context: &Context<'_>) {
        let timeout = Timeout {
            now,
            flight_bytes: self.sequence.outstanding(),
            repeated: self.round_trip_time.backoffs() > 0,
            reduced_on_echo: self.recovery.episode().reduced_by == ReducedBy::Echo,
        };
        self.congestion.on_timeout(context.profile, &timeout);
        if !matches!(context.profile.ecn, Ecn::Ns2 | Ecn::Ns2Full) {
            self.flags.clear(SenderFlags::ECN_WAIT);
        }
        self.stop_timing();
        self.retransmission_deadline = Time::MAX;
        self.recovery.on_timeout(self.sequence.max);
        self.sequence.nxt = self.sequence.una;
        self.flags.set(SenderFlags::CWR_PENDING);
        self.round_trip_time.back_off(&context.profile.retransmission, &context.clock, false);
    }

    /// A pause that ns-2 ends as if the retransmission timer had expired, with nothing to send again.
    pub(crate) fn restart_after_silence(&mut self, profile: &HostProfile) {
        self.congestion.on_idle(profile);
        self.recovery.on_timeout(self.sequence.max);
        self.stop_timing();
        self.flags.set(SenderFlags::CWR_PENDING);
    }

    /// The congestion window is halved for every retransmission timeout that has passed without data.
    fn decay(&mut self, now: Time, context: &Context<'_>) {
        let timeout = self.round_trip_time.timeout(&context.profile.retransmission, &context.clock);
        let mut left = now - self.active_at;
        let least = context.profile.initial_window();
        while left > timeout && self.congestion.window(context.profile) > least {
            self.congestion.on_idle(context.profile);
            left = left.saturating_sub(timeout);
        }
    }

    /// A pause has made the congestion window worthless as an estimate of what the path holds.
    pub(crate) fn restart_after_idle(&mut self, now: Time, context: &Context<'_>) {
        let timer = &context.profile.retransmission;
        let paused = match context.profile.idle_restart {
            IdleRestart::Never | IdleRestart::SinceAcknowledged => false,
            IdleRestart::Decays => return self.decay(now, context),
            IdleRestart::SinceReceived => {
                let (tick, timeout) =
                    (context.clock.tick(), self.round_trip_time.timeout(timer, &context.clock));
                // A clock counts less than a tick more than has passed: mostly that is enough to know.
                let silence = now - self.active_at;
                silence + tick > timeout && tick * context.clock.ticks_between(self.active_at, now) >= timeout
            }
            IdleRestart::SinceSent => {
                now - self.active_at > self.round_trip_time.timeout(timer, &context.clock)
            }
            // Before the first data there is no pause.
            IdleRestart::SinceData => {
                self.active_at <= now
                    && context.clock.ticks_between(self.active_at, now) > self.round_trip_time.base_ticks()
            }
        };
        if paused {
            self.congestion.on_idle(context.profile);
            if context.profile.idle_restart == IdleRestart::SinceData {
                self.flags.set(SenderFlags::CWR_PENDING);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Congestion;

    #[test]
    fn a_sender_has_room_for_what_a_scoreboard_or_a_larger_controller_needs_on_top() {
        assert_eq!((size_of::<Sender>(), align_of::<Sender>()), (88, 8));
    }

    /// Three segments of 1,000 bytes at 1 s, timed from the first; 500 bytes wait.
    fn with_three_segments(context: &Context<'_>) -> Sender {
        let mut sender = Sender::default();
        sender.begin(Time::ZERO, context);
        sender.stop_timing();
        sender.sequence.una = sender.sequence.max;
        sender.unsent = 3_500;
        for _ in 0..3 {
            let start = sender.sequence.max;
            sender.send_first_time(Time::from_seconds(1.0), start, start.plus(1_000), false);
        }
        sender
    }

    #[test]
    fn a_controller_is_told_the_facts_of_an_acknowledgement() {
        let rfc5681 = HostProfile::named("rfc5681").unwrap();
        let profile = HostProfile { congestion: Congestion::Fixed, ..rfc5681 };
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        let mut sender = with_three_segments(&context);
        let first = sender.sequence.una;
        // 2,000 bytes in 0.2 s are 80,000 bit/s.
        let now = Time::from_seconds(1.2);
        let found = sender.acknowledged(now, &context, first.plus(2_000), false);
        sender.advance(first.plus(2_000));
        let told = Acknowledged {
            now,
            bytes: 2_000,
            ce_bytes: 0,
            round_trip: Some(Span::from_milliseconds(200)),
            delivery_rate: Some(Rate::from_bits_per_second(80_000)),
            application_limited: false,
            round_begins: false,
        };
        assert_eq!(found, told);

        sender.unsent = 0;
        let now = Time::from_seconds(1.3);
        let found = sender.acknowledged(now, &context, first.plus(3_000), true);
        let told = Acknowledged {
            now,
            bytes: 1_000,
            ce_bytes: 1_000,
            round_trip: None,
            delivery_rate: None,
            application_limited: true,
            round_begins: false,
        };
        assert_eq!(found, told);
    }
}
