//! The sending half of a connection: its sequence space, its buffer, its timer.
//!
//! Source: RFC 9293 section 3.3.1 (send sequence space), RFC 6298 rules 5.1 to 5.3 (the timer), Karn's rule
//! (RFC 6298 section 3). There are two kinds of senders, of which a connection has one:
//!
//! | kind | knows | its window | file |
//! | --- | --- | --- | --- |
//! | classic | the cumulative acknowledgement | a recovery of its stack inflates it | `classic/` |
//! | modern | what has arrived, segment by segment | a congestion controller answers with it (`congestion/`) | `modern/` |
//!
//! What a whole end does with either is in `endpoint/`.

pub(crate) mod classic;
pub(crate) mod modern;
mod round_trip_time;
mod rules;

pub(crate) use classic::DUPLICATE_THRESHOLD;
pub(crate) use modern::{Lent, ModernSender};
pub(crate) use round_trip_time::RoundTripTime;

use crate::congestion::{Codepoint, Opening};
use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::hosts::{Ecn, HostProfile, IdleRestart, RtoAlgorithm};
use crate::interrupts::Interrupts;
use crate::segment::Segment;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use classic::{ClassicSender, Timeout};
use rules::Rules;

/// Least interval of the persist timer (FreeBSD 4.x `TCPTV_PERSMIN`).
const PERSIST: Span = Span::from_milliseconds(5_000);

/// The send sequence space of RFC 9293 section 3.3.1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendSequence {
    /// SND.UNA: the oldest number sent but not acknowledged.
    pub(crate) una: SequenceNumber,
    /// SND.NXT: the next number to send; behind `max` while going back after a timeout.
    pub(crate) nxt: SequenceNumber,
    /// SND.MAX of BSD: one past the highest number ever sent.
    pub(crate) max: SequenceNumber,
}

impl SendSequence {
    /// Numbers sent and not acknowledged.
    #[inline]
    pub(crate) const fn outstanding(self) -> u32 {
        self.max.distance_from(self.una)
    }

    /// Everything before `number` has arrived. Answers with how many numbers are new.
    #[inline]
    pub(crate) fn advance(&mut self, number: SequenceNumber) -> u32 {
        let numbers = number.distance_from(self.una);
        self.una = number;
        self.nxt = self.nxt.later_of(number);
        numbers
    }
}

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
    /// When the connection was last active: when it began to open, and then the last event that `IdleRestart`
    /// counts from.
    pub(crate) active_at: Time,
    pub(crate) round_trip_time: RoundTripTime,
    /// By which rules it goes: see above.
    rules: Rules,
    pub(crate) flags: SenderFlags,
    /// Bytes that the peer's application had not read when it last advertised its window: see
    /// [`Segment::unread`].
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
            rules: Rules::default(),
            flags: SenderFlags::default(),
            peer_unread: 0,
        }
    }
}

impl Sender {
    /// The opening segment is being sent and timed. What was written or closed before waits.
    pub(crate) fn begin(&mut self, now: Time, context: &Context<'_>) {
        self.rules = Rules::new(context.profile, &context.clock);
        if self.modern().is_some_and(|modern| modern.controller().paces()) {
            self.flags.set(SenderFlags::PACED);
        }
        self.round_trip_time = RoundTripTime::new(&context.profile.retransmission, &context.clock);
        self.sequence.nxt = SequenceNumber::INITIAL.plus(1);
        self.sequence.max = self.sequence.nxt;
        self.timed_since = now;
        self.timed_number = SequenceNumber::INITIAL;
        self.active_at = now;
        self.start_opening_timer(now, context);
    }

    /// What a classic sender remembers; none of a modern one.
    #[inline]
    pub(crate) fn classic(&self) -> Option<&ClassicSender> {
        self.rules.classic()
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn classic_mut(&mut self) -> Option<&mut ClassicSender> {
        self.rules.classic_mut()
    }

    /// What a modern sender remembers; none of a classic one.
    #[inline]
    pub(crate) fn modern(&self) -> Option<&ModernSender> {
        self.rules.modern()
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn modern_mut(&mut self) -> Option<&mut ModernSender> {
        self.rules.modern_mut()
    }

    /// Calls a modern sender with what it is lent, and keeps the first of its timers as the one that fires.
    #[inline]
    pub(crate) fn with_modern<R>(
        &mut self,
        now: Time,
        context: &Context<'_>,
        act: impl FnOnce(&mut ModernSender, &mut Lent<'_>) -> R,
    ) -> Option<R> {
        let modern = self.rules.modern_mut()?;
        let (flags, timeout) = (&mut self.flags, &mut self.round_trip_time);
        let answer = act(modern, &mut Lent { now, context, sequence: self.sequence, flags, timeout });
        self.retransmission_deadline = modern.deadline();
        Some(answer)
    }

    /// The connection is open, and nothing has been sent yet.
    pub(crate) fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
        let max = self.sequence.max;
        self.rules.on_established(profile, opening, max);
    }

    /// The congestion window in bytes with its fraction, as a trace would show it.
    pub(crate) fn congestion_window(&self, profile: &HostProfile) -> f64 {
        self.rules.congestion_window(profile)
    }

    /// The congestion window in bytes, inflated or not.
    #[inline]
    pub(crate) fn window(&self, profile: &HostProfile) -> u32 {
        self.rules.window(profile)
    }

    /// So many bytes were acknowledged, and nothing is being repaired.
    pub(crate) fn grow_by(&mut self, now: Time, profile: &HostProfile, bytes: u32) {
        self.rules.grow_by(now, profile, bytes);
    }

    /// A classic recovery is over, as after a timeout.
    pub(crate) fn forget_recovery(&mut self) {
        let max = self.sequence.max;
        if let Some(classic) = self.classic_mut() {
            classic.recovery.on_timeout(max);
        }
    }

    /// Slow-start threshold in bytes.
    pub(crate) fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
        self.rules.slow_start_threshold(profile)
    }

    /// Whether its data are ECT(1).
    #[inline]
    pub(crate) fn is_scalable(&self) -> bool {
        self.modern().is_some_and(|modern| modern.controller().codepoint() == Codepoint::Ect1)
    }

    /// Bytes written but not sent, counted from SND.NXT.
    #[inline]
    pub(crate) fn data_left(&self) -> u64 {
        let behind = self.sequence.max.distance_from(self.sequence.nxt);
        let fin = u32::from(self.flags.has(SenderFlags::FIN_SENT));
        self.unsent + u64::from(behind.saturating_sub(fin))
    }

    /// The application begins or ends to write what may leave meanwhile.
    #[inline]
    pub(crate) fn note_writing(&mut self, is_writing: bool) {
        if let Some(modern) = self.modern_mut() {
            modern.is_writing = is_writing;
        }
    }

    /// The application writes more.
    #[inline]
    pub(crate) fn note_write(&mut self) {
        if self.unsent == 0
            && let Some(modern) = self.modern_mut()
        {
            modern.note_write();
        }
    }

    /// Whether everything written has been sent, and nothing is to be sent again or closed. Whether the
    /// sender has paused, and must restart its window, can wait until it has data: the pause will not be
    /// shorter then.
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

    /// Whether an acknowledgement of what was acknowledged before can tell a modern sender nothing.
    #[inline]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.modern().is_some_and(ModernSender::is_at_rest)
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
        let advertised = profile.window_bytes.saturating_sub(u32::from(self.peer_unread));
        self.rules.usable_window(profile, self.sequence.outstanding()).min(advertised)
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
        self.modern_mut().is_some_and(|modern| modern.waits_for_its_pace(now))
    }

    /// An IP packet with data leaves: those behind it keep their distance, if there is a pace.
    #[inline(always)]
    pub(crate) fn pace(&mut self, now: Time, profile: &HostProfile, segment: &Segment) {
        if self.flags.has(SenderFlags::PACED) {
            self.keep_pace(now, segment.ip_bytes(profile));
        }
    }

    #[inline(never)]
    fn keep_pace(&mut self, now: Time, ip_bytes: u16) {
        if let Some(modern) = self.modern_mut() {
            modern.keep_pace(now, ip_bytes);
        }
    }

    /// When what pacing holds back may leave; `Time::MAX` if it holds nothing back.
    #[inline(always)]
    pub(crate) fn pacing_deadline(&self) -> Time {
        if self.flags.has(SenderFlags::PACED) { self.deadline_of_pacer() } else { Time::MAX }
    }

    #[inline(never)]
    fn deadline_of_pacer(&self) -> Time {
        self.modern().map_or(Time::MAX, ModernSender::pacing_deadline)
    }

    /// Nothing is sent any more: no timer runs.
    pub(crate) fn stop(&mut self) {
        self.retransmission_deadline = Time::MAX;
        self.stop_pacing();
    }

    /// Nothing that waits for its turn is waited for.
    pub(crate) fn stop_pacing(&mut self) {
        if let Some(modern) = self.modern_mut() {
            modern.stop_pacing();
        }
    }

    /// A modern sender has sent a segment.
    #[inline(never)]
    pub(crate) fn note_sent(&mut self, now: Time, ends: (SequenceNumber, SequenceNumber), is_new: bool) {
        self.active_at = now;
        if let Some(modern) = self.modern_mut() {
            modern.note_sent(now, ends, is_new);
        }
    }

    /// All segments have left that may leave together.
    #[inline(always)]
    pub(crate) fn end_burst(&mut self, now: Time, context: &Context<'_>) {
        if context.profile.has_options() {
            self.note_all_sent(now, context);
        }
    }

    /// Data wait that the window does not admit.
    #[inline]
    pub(crate) fn note_held(&mut self) {
        let sequence = self.sequence;
        if let Some(modern) = self.modern_mut() {
            modern.note_held(sequence);
        }
    }

    /// The timers of a modern sender run for what it has sent.
    #[inline(never)]
    fn note_all_sent(&mut self, now: Time, context: &Context<'_>) {
        let waits = self.data_left() > 0;
        self.with_modern(now, context, |modern, lent| modern.note_all_sent(lent, waits));
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
        }
    }

    /// The round trip is sampled, and a classic window may grow. `echo` says that the acknowledgement of
    /// everything before `number` carries an ECN-Echo.
    #[inline]
    pub(crate) fn grow(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber, echo: bool) {
        let bytes = number.distance_from(self.sequence.una);
        self.take_sample(now, context, number, echo);
        if let Some(classic) = self.classic_mut() {
            classic.window.on_acknowledged(context.profile, bytes, echo);
        }
    }

    /// Takes a round-trip sample if `number` acknowledges the segment being timed. It ends the back-off,
    /// unless ns-2's ECN made that and the echo goes on.
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
        self.begin_estimate(now, context, round_trip);
        self.timed_since = Time::MAX;
        round_trip
    }

    /// The peer has answered a SYN, or acknowledged a SYN/ACK: where that was sent again the timestamp still
    /// tells the round trip (Linux `tcp_ack_update_rtt`).
    pub(crate) fn sample_handshake(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        if self.take_sample(now, context, number, false).is_some() {
            return;
        }
        if let Some(round_trip) = self.modern().and_then(|modern| modern.round_trip_by_stamp(now)) {
            self.begin_estimate(now, context, round_trip);
        }
    }

    /// The handshake, or a driver, has given a round trip, which a modern sender estimates from.
    pub(crate) fn begin_estimate(&mut self, now: Time, context: &Context<'_>, round_trip: Span) {
        self.with_modern(now, context, |modern, lent| modern.begin_estimate(lent, round_trip));
    }

    /// The timer, the round trip and the back-off at an acknowledgement of something new, in the order of
    /// ns-2's two-way agent.
    pub(crate) fn newack(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber, echo: bool) {
        if number == self.sequence.max {
            self.retransmission_deadline = Time::MAX;
        } else {
            self.start_timer(now, context);
        }
        let backoffs = self.round_trip_time.backoffs();
        self.take_sample(now, context, number, echo);
        if echo && self.flags.has(SenderFlags::ECN_WAIT) {
            self.round_trip_time.set_backoffs(backoffs);
        } else {
            self.round_trip_time.set_backoffs(0);
            self.flags.clear(SenderFlags::ECN_WAIT);
        }
    }

    /// What is sent again makes every measurement of it ambiguous (Karn).
    pub(crate) fn stop_timing(&mut self) {
        self.timed_since = Time::MAX;
    }

    /// A partial acknowledgement ends the measurement; in ns-2 only that of a segment that it covers, and
    /// then the back-off too (tcp-newreno.cc `partialnewack`).
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

    /// The update that the peer owes may be lost (FreeBSD 4.x `tcp_setpersist`; Linux
    /// `tcp_check_probe_timer`).
    #[cold]
    #[inline(never)]
    pub(crate) fn start_persist_timer(&mut self, now: Time, context: &Context<'_>) {
        if context.profile.has_options() {
            self.with_modern(now, context, |modern, lent| modern.wait_for_the_window(lent));
            return;
        }
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
        if context.profile.extensions().timer_hz > 0 {
            self.retransmission_deadline = context.timer(now, self.retransmission_deadline - now);
        }
        self.retransmission_deadline = self.retransmission_deadline.min(self.gives_up_opening_at(context));
    }

    /// When an attempt to open the connection has taken too long.
    pub(crate) fn gives_up_opening_at(&self, context: &Context<'_>) -> Time {
        context.profile.retransmission.connection_timeout.map_or(Time::MAX, |limit| self.active_at + limit)
    }

    /// Stops the timer when nothing is outstanding, otherwise starts it afresh (RFC 6298 rules 5.2 and 5.3).
    /// It runs on when it must release a sender that ECN makes wait (RFC 3168 section 6.1.2). ns-2 stops it
    /// when nothing is left to send, and remembers since when.
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time, context: &Context<'_>) {
        let remembers_pause = context.profile.idle_restart() == Some(IdleRestart::SinceAcknowledged);
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

    /// The retransmission timer of a classic sender has expired: everything outstanding is sent again, as the
    /// window allows.
    pub(crate) fn go_back(&mut self, context: &Context<'_>) {
        let (max, flight_bytes) = (self.sequence.max, self.sequence.outstanding());
        let repeated = self.round_trip_time.backoffs() > 0;
        if let Some(classic) = self.classic_mut() {
            classic.on_timeout(context.profile, Timeout { flight_bytes, repeated }, max);
        }
        if !matches!(context.profile.ecn, Ecn::Ns2 | Ecn::Ns2Full) {
            self.flags.clear(SenderFlags::ECN_WAIT);
        }
        self.stop_timing();
        self.retransmission_deadline = Time::MAX;
        self.sequence.nxt = self.sequence.una;
        self.flags.set(SenderFlags::CWR_PENDING);
        self.round_trip_time.back_off(&context.profile.retransmission, &context.clock, false);
    }

    /// The timer of ns-2's two-way agent expired with nothing outstanding: it reduces the window all the
    /// same, and runs on.
    pub(crate) fn time_out_quietly(&mut self, now: Time, context: &Context<'_>) {
        let max = self.sequence.max;
        if let Some(classic) = self.classic_mut() {
            classic.on_timeout(context.profile, Timeout { flight_bytes: 0, repeated: false }, max);
        }
        self.stop_timing();
        self.flags.set(SenderFlags::CWR_PENDING);
        self.start_timer(now, context);
    }

    /// A pause that ns-2 ends as if the retransmission timer had expired, with nothing to send again.
    pub(crate) fn restart_after_silence(&mut self, profile: &HostProfile) {
        if let Some(classic) = self.classic_mut() {
            classic.window.on_idle(profile);
        }
        self.forget_recovery();
        self.stop_timing();
        self.flags.set(SenderFlags::CWR_PENDING);
    }

    /// A pause has made the congestion window worthless as an estimate of what the path holds.
    pub(crate) fn restart_after_idle(&mut self, now: Time, context: &Context<'_>) {
        let (timer, clock) = (&context.profile.retransmission, &context.clock);
        let Some(idle_restart) = context.profile.idle_restart() else {
            let timeout = self.round_trip_time.timeout(timer, clock);
            let interrupts = Interrupts::of(context.profile.extensions(), clock);
            let paused = interrupts.at(now) - interrupts.at(self.active_at);
            if let Some(modern) = self.modern_mut() {
                modern.note_pause(now, paused, interrupts.in_span(timeout));
            }
            return;
        };
        let paused = match idle_restart {
            IdleRestart::Never | IdleRestart::SinceAcknowledged => false,
            IdleRestart::SinceReceived => {
                let (tick, timeout) = (clock.tick(), self.round_trip_time.timeout(timer, clock));
                // A clock counts less than a tick more than has passed: mostly that is enough to know.
                let silence = now - self.active_at;
                silence + tick > timeout && tick * clock.ticks_between(self.active_at, now) >= timeout
            }
            IdleRestart::SinceSent => now - self.active_at > self.round_trip_time.timeout(timer, clock),
            // Before the first data there is no pause.
            IdleRestart::SinceData => {
                self.active_at <= now
                    && clock.ticks_between(self.active_at, now) > self.round_trip_time.base_ticks()
            }
        };
        if paused {
            if let Some(classic) = self.classic_mut() {
                classic.window.on_idle(context.profile);
            }
            if idle_restart == IdleRestart::SinceData {
                self.flags.set(SenderFlags::CWR_PENDING);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_has_room_for_what_a_scoreboard_or_a_larger_controller_needs_on_top() {
        assert_eq!((size_of::<Sender>(), align_of::<Sender>()), (88, 8));
    }
}
