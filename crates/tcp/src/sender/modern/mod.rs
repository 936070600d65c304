//! The modern sender: what Linux does about losses, in parts that can be switched, and a congestion
//! controller.
//!
//! | file | what it decides |
//! | --- | --- |
//! | `acknowledgement.rs` | what an acknowledgement means, in Linux's order; what a timeout does |
//! | `prediction.rs` | the same of a plain one, while nothing is being repaired |
//! | `scoreboard.rs` | what is in the network, what has arrived, what three duplicates tell (RFC 6675) |
//! | `sent.rs` | what is known of a segment that is not acknowledged |
//! | `delivery.rs` | what one acknowledgement has brought |
//! | `rack.rs` | what the time of sending tells (RFC 8985) |
//! | `delivery_rate.rs` | how fast data arrive at the peer |
//! | `round_trip.rs` | the round trip, and the timeout that follows |
//! | `opening.rs` | which first window a lost SYN leaves |
//! | `timers.rs` | which timer runs: reordering, probe, timeout, closed window |
//! | `undoing.rs` | what shows that a reduction was a mistake (RFC 5682, RFC 3522, RFC 2883) |
//! | `pacer.rs` | when the next segment of a paced sender leaves |
//!
//! How large the window is the controller says (`congestion/`), and everything that it is told it is told
//! here.

mod acknowledgement;
mod delivery;
mod delivery_rate;
mod opening;
mod pacer;
mod prediction;
mod rack;
mod round_trip;
mod scoreboard;
mod sent;
mod timers;
mod undoing;

pub(crate) use acknowledgement::Reductions;
pub(crate) use sent::Sent;
pub(crate) use timers::Due;

use crate::accurate_ecn::MarkedPackets;
use crate::clock::HostClock;
use crate::congestion::{
    Acknowledged, AnswersMarks, CongestionController, DeliveryRate, Feedback, Habits, Opening, Phase,
    Sent as SentSegment, Settings,
};
use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::ecn_path::EcnPath;
use crate::hosts::{HostProfile, Modern};
use crate::interrupts::Interrupts;
use crate::options::{Blocks, SegmentOptions, stamp};
use crate::sender::{RoundTripTime, SendSequence};
use crate::sequence::SequenceNumber;
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use delivery::Delivery;
use delivery_rate::Deliveries;
use opening::OpeningSegments;
use pacer::Pacer;
use rack::Rack;
use round_trip::RoundTripEstimate;
use scoreboard::Scoreboard;
use timers::Timers;
use undoing::{Repeats, Undo};

/// Nanoseconds in a microsecond.
const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;
/// Microseconds in the unit of timestamps.
const MICROSECONDS_PER_STAMP: u64 = 1_000;

/// What the sender lends for a call: where the connection stands, and what both kinds of senders keep.
pub(crate) struct Lent<'a> {
    pub(crate) now: Time,
    pub(crate) context: &'a Context<'a>,
    pub(crate) sequence: SendSequence,
    pub(crate) flags: &'a mut SenderFlags,
    pub(crate) timeout: &'a mut RoundTripTime,
}

/// How far the window was used, by which it may grow (Linux `tcp_cwnd_validate`).
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    limited: bool,
    most_segments: u32,
    until: SequenceNumber,
    /// Since when the application has not used it up, and the most segments outstanding meanwhile (Linux
    /// `snd_cwnd_stamp`, `snd_cwnd_used`).
    unused_since: Option<Time>,
    used: u32,
}

/// What a modern sender remembers.
#[derive(Clone, Debug)]
pub(crate) struct ModernSender {
    controller: CongestionController,
    /// Whether that [models the path](crate::congestion::Habits::models_path).
    models_path: bool,
    /// Whether it answers the share of marks, also by the echo of RFC 3168.
    counts_echoes: bool,
    /// Whether its pace is exactly its window: then the window is used where the pace holds data back.
    paces_exactly: bool,
    phase: Phase,
    /// The number up to which the present phase lasts.
    recover: SequenceNumber,
    pub(crate) opening: OpeningSegments,
    pub(crate) board: Scoreboard,
    rack: Rack,
    estimate: RoundTripEstimate,
    pub(crate) timers: Timers,
    /// What tells that a reduction was a mistake; it outlives the episode, until the next reduction.
    undo: Option<Undo>,
    repeats: Repeats,
    /// Whether, in the open phase, something has arrived out of turn or was sent again.
    disordered: bool,
    /// The timestamp of the first retransmission of those that are outstanding, or of this episode (Linux
    /// `retrans_stamp`).
    first_retransmission: Option<u32>,
    /// Whether the retransmission timer has expired since SND.UNA last moved (Linux `icsk_retransmits`).
    timed_out: bool,
    /// Whether a timeout may still turn out to be spurious.
    pub(crate) forward: bool,
    /// Probes of a closed window since it was open, and since the peer last answered (Linux `icsk_backoff`,
    /// `icsk_probes_out`).
    window_probes: u8,
    pub(crate) unanswered_probes: u8,
    /// Whether the application is writing what leaves now.
    pub(crate) is_writing: bool,
    /// Whether new data leave before anything is sent again, to find that out.
    pub(crate) new_first: bool,
    /// Whether a recovery has begun whose first retransmission leaves whatever the window (RFC 6675 section
    /// 5, step 4.3).
    pub(crate) at_once: bool,
    marked: MarkedPackets,
    /// What becomes of its codepoints.
    ecn_path: EcnPath,
    /// What the peer tells of marks.
    feedback: Feedback,
    usage: Usage,
    /// What was sent when the present round of data began, and the present one of slow start.
    round_until: SequenceNumber,
    slow_start_round_until: SequenceNumber,
    pacer: Pacer,
    deliveries: Deliveries,
    /// The last rate that an acknowledgement told.
    delivery_rate: Option<DeliveryRate>,
    /// What the options of the acknowledgement say that is being processed.
    options: SegmentOptions,
}

impl ModernSender {
    /// That of a connection whose first segment is being sent.
    pub(crate) fn new(profile: &HostProfile, modern: &Modern, clock: &HostClock) -> Self {
        let settings = Settings {
            initial_window: u32::from(profile.initial_window_segments),
            packet_bytes: u32::from(profile.maximum_segment_bytes + profile.header_bytes),
            proportional_rate_reduction: modern.extensions.proportional_rate_reduction,
            pacing: modern.extensions.pacing,
            hystart: modern.extensions.hystart,
            classic_ecn_fallback: modern.extensions.classic_ecn_fallback,
            classic_ecn_fallback_everywhere: modern.extensions.classic_ecn_fallback_everywhere,
            interrupts: Interrupts::of(&modern.extensions, clock),
            answers_marks: modern.extensions.answers_marks,
        };
        let Habits { models_path, needs_pacing, .. } = modern.congestion.habits();
        Self {
            controller: CongestionController::new(modern.congestion, &settings),
            models_path,
            counts_echoes: modern.extensions.answers_marks != AnswersMarks::Never,
            paces_exactly: needs_pacing && !models_path,
            phase: Phase::Open,
            recover: SequenceNumber::INITIAL,
            opening: OpeningSegments::default(),
            board: Scoreboard::new(models_path),
            rack: Rack::default(),
            estimate: RoundTripEstimate::default(),
            timers: Timers::default(),
            undo: None,
            repeats: Repeats::default(),
            disordered: false,
            first_retransmission: None,
            timed_out: false,
            forward: false,
            window_probes: 0,
            unanswered_probes: 0,
            is_writing: false,
            new_first: false,
            at_once: false,
            marked: MarkedPackets::default(),
            ecn_path: EcnPath::new(modern.extensions.continuous_mark_test),
            feedback: Feedback::None,
            usage: Usage::default(),
            round_until: SequenceNumber::INITIAL,
            slow_start_round_until: SequenceNumber::INITIAL,
            pacer: Pacer::default(),
            deliveries: Deliveries::default(),
            delivery_rate: None,
            options: SegmentOptions::default(),
        }
    }

    /// The connection is open; `max` is one past the SYN.
    pub(crate) fn on_established(&mut self, opening: Opening, max: SequenceNumber) {
        self.controller.on_established(opening);
        self.feedback = opening.feedback;
        self.recover = max;
    }

    /// Nothing that leaves is ECN-capable any more: nothing tells of marks.
    pub(crate) fn on_feedback_lost(&mut self) {
        self.feedback = Feedback::None;
        self.controller.on_feedback_lost();
    }

    /// The random numbers of the connection have this address.
    pub(crate) fn draw_from(&mut self, key: Key) {
        self.controller.draw_from(key);
    }

    /// The least round trip of the connection; none before the first.
    pub(crate) fn least_round_trip(&self) -> Option<Span> {
        self.rack.round_trip_seen()
    }

    /// What the controller answers.
    pub(crate) const fn controller(&self) -> &CongestionController {
        &self.controller
    }

    /// Sets the window of a controller that leaves it to others; answers whether it does.
    pub(crate) fn set_window(&mut self, segments: u32) -> bool {
        self.controller.set_window(segments)
    }

    /// The options of the segment that is about to be processed.
    pub(crate) fn take_in_options(&mut self, options: &SegmentOptions) {
        self.options.timestamps = options.timestamps;
        self.options.counts = options.counts;
        // Where there are none nothing is copied but that.
        self.options.blocks = if options.blocks.is_empty() { Blocks::default() } else { options.blocks };
    }

    /// The timestamp that the acknowledgement echoes, in milliseconds.
    pub(crate) fn echoed_stamp(&self) -> Option<u32> {
        self.options.timestamps.map(|stamps| stamps.echo).filter(|&echo| echo > 0)
    }

    /// The smoothed round trip.
    pub(crate) fn smoothed(&self) -> Span {
        Span::from_microseconds(self.estimate.smoothed())
    }

    /// Whether nothing goes on that an acknowledgement without news could end, while nothing is outstanding.
    #[inline]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.phase == Phase::Open
            && !self.new_first
            && self.undo.is_none()
            && self.first_retransmission.is_none()
            && self.timers.are_stopped()
            && self.board.is_empty()
    }

    /// When one of its timers fires.
    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.timers.deadline()
    }

    /// Whether its controller ever took its queue for one that marks as RFC 3168 has it.
    pub(crate) fn has_fallen_back(&self) -> bool {
        self.controller.has_fallen_back()
    }

    /// The congestion window in bytes.
    #[inline]
    pub(crate) fn window_bytes(&self, profile: &HostProfile) -> u32 {
        self.controller.window().saturating_mul(profile.segment_bytes())
    }

    /// The slow-start threshold in bytes.
    pub(crate) fn threshold_bytes(&self, profile: &HostProfile) -> u32 {
        self.controller.slow_start_threshold().saturating_mul(profile.segment_bytes())
    }

    /// Bytes that may be outstanding: the window bounds what is in the network, counted in whole segments.
    #[inline]
    pub(crate) fn usable_window(&self, profile: &HostProfile, outstanding: u32) -> u32 {
        let in_flight = self.board.in_flight() * profile.segment_bytes();
        let beyond = outstanding as i32 - in_flight as i32;
        self.window_bytes(profile).saturating_add_signed(beyond)
    }

    /// Whether pacing holds back what may be sent otherwise.
    pub(crate) fn waits_for_its_pace(&mut self, now: Time) -> bool {
        self.pacer.holds_back(now)
    }

    /// An IP packet with data leaves: those behind it keep their distance.
    pub(crate) fn keep_pace(&mut self, now: Time, ip_bytes: u16) {
        if let Some(rate) = self.controller.pacing_rate() {
            self.pacer.note_sent(now, ip_bytes, rate, self.controller.send_quantum());
        }
    }

    /// When what pacing holds back may leave; `Time::MAX` if it holds nothing back.
    pub(crate) const fn pacing_deadline(&self) -> Time {
        self.pacer.deadline()
    }

    /// Nothing that waits for its turn is waited for.
    pub(crate) const fn stop_pacing(&mut self) {
        self.pacer.stop();
    }

    /// No data were sent for so many interrupts of the kernel: the controller hears how many timeouts that
    /// are more than one (Linux `tcp_slow_start_after_idle_check`).
    pub(crate) fn note_pause(&mut self, now: Time, paused: u64, timeout: u64) {
        if paused > timeout {
            (self.usage.unused_since, self.usage.used) = (Some(now), 0);
            let timeouts = (paused - 1) / timeout.max(1);
            self.controller.on_idle(u32::try_from(timeouts).unwrap_or(u32::MAX));
        }
    }

    /// A driver gives a connection its past: so many segments were acknowledged, with no loss.
    pub(crate) fn grow(&mut self, now: Time, segments: u32) {
        self.controller.on_acknowledged(&Acknowledged {
            now,
            delivered: segments,
            delivered_ever: self.deliveries.delivered(),
            marked: 0,
            lost: 0,
            in_flight: 0,
            advanced: true,
            may_grow: true,
            round_trip: None,
            delivery_rate: None,
            window_unused: false,
            window_full: false,
            round_begins: false,
            phase: Phase::Open,
        });
    }

    /// The round trip of a SYN, or SYN/ACK, that was sent again, by the timestamp that the answer echoes.
    pub(crate) fn round_trip_by_stamp(&self, now: Time) -> Option<Span> {
        let echo = self.echoed_stamp()?;
        let stamps = u64::from(stamp(now).saturating_sub(echo)).max(1);
        Some(Span::from_microseconds(stamps * MICROSECONDS_PER_STAMP))
    }

    /// The handshake, or a driver, has given a round trip.
    pub(crate) fn begin_estimate(&mut self, lent: &mut Lent<'_>, round_trip: Span) {
        let timer = &lent.context.profile.retransmission;
        let max = lent.sequence.max;
        let sample = round_trip.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        let minimum = timer.minimum.nanoseconds() / NANOSECONDS_PER_MICROSECOND;
        self.estimate.sample(sample, minimum, max, max);
        self.rack.note_round_trip(round_trip);
        lent.timeout.adopt(timer, &lent.context.clock, self.estimate.timeout());
    }

    /// A segment has left, of new data or again. [`Self::note_all_sent`] follows, once for all that leave
    /// together.
    pub(crate) fn note_sent(
        &mut self,
        now: Time,
        (start, end): (SequenceNumber, SequenceNumber),
        is_new: bool,
    ) {
        let application_limited = self.deliveries.is_limited();
        if is_new {
            self.board.push(now, (start, end), self.is_writing, application_limited);
            self.window_probes = 0;
        } else {
            self.note_sent_again(now, start, application_limited);
        }
        self.deliveries.note_sent(now, is_new && self.board.outstanding() == 1);
        let (in_flight, phase) = (self.board.in_flight(), self.phase);
        self.controller.on_sent(&SentSegment { now, again: !is_new, in_flight, application_limited, phase });
    }

    /// New segments have left, as many as may leave together: how far the window is used, and the timer that
    /// waits for what answers them (`tcp_write_xmit`). The application may have written more than has left.
    pub(crate) fn note_all_sent(&mut self, lent: &Lent<'_>, waits: bool) {
        self.note_usage(lent.sequence);
        if lent.context.profile.extensions().window_validation {
            self.validate_window(lent, waits);
        }
        if !self.schedule_probe(lent, false) && matches!(self.timers.due(), None | Some(Due::Probe)) {
            self.rearm_timeout(lent);
        }
    }

    /// Data wait, and none may leave.
    pub(crate) fn note_held(&mut self, sequence: SendSequence) {
        if self.board.in_flight() >= self.controller.window() {
            self.note_usage(sequence);
        }
    }

    /// The application writes, and everything written before has been sent (Linux
    /// `tcp_rate_check_app_limited`).
    pub(crate) fn note_write(&mut self) {
        let in_flight = self.board.in_flight();
        if in_flight < self.controller.window() && self.board.lost() <= self.board.sent_again() {
            self.deliveries.note_limited(in_flight);
        }
    }

    /// How fast data arrived by the last acknowledgement that tells it, in bits of IP packets.
    pub(crate) fn delivery_rate(&self, profile: &HostProfile) -> Option<Rate> {
        let packet_bytes = u32::from(profile.maximum_segment_bytes + profile.header_bytes);
        self.delivery_rate.map(|rate| rate.rate(packet_bytes))
    }

    /// A segment leaves again. A probe is none of a recovery's retransmissions (Linux `tcp_send_loss_probe`
    /// does without `tcp_retransmit_skb`, which counts them).
    fn note_sent_again(&mut self, now: Time, start: SequenceNumber, limited: bool) {
        let was_lost = self.board.send_again(now, start, limited);
        self.repeats.sent_again += 1;
        if was_lost {
            self.first_retransmission.get_or_insert(stamp(now));
            if let Some(undo) = &mut self.undo {
                undo.note_retransmission();
            }
        }
    }

    /// How far the window is used (Linux `tcp_cwnd_validate`).
    fn note_usage(&mut self, sequence: SendSequence) {
        let paced = self.paces_exactly && self.pacing_deadline() < Time::MAX;
        let limited = paced || self.board.in_flight() >= self.controller.window();
        let outstanding = self.board.outstanding();
        let more = !self.usage.limited && outstanding > self.usage.most_segments;
        if limited || more || !sequence.una.before(self.usage.until) {
            self.usage = Usage { limited, most_segments: outstanding, until: sequence.max, ..self.usage };
        }
    }

    /// A window that was not used up for a timeout says nothing of what the path holds (RFC 2861, Linux
    /// `tcp_cwnd_validate` and `tcp_cwnd_application_limited`); nor is it the application that leaves it
    /// unused where data wait.
    fn validate_window(&mut self, lent: &Lent<'_>, waits: bool) {
        if self.used_its_window() {
            (self.usage.unused_since, self.usage.used) = (Some(lent.now), 0);
            return;
        }
        // The end of a reduction has said what the window is.
        if self.phase != Phase::Open {
            self.usage.unused_since = None;
            return;
        }
        self.usage.used = self.usage.used.max(self.board.outstanding());
        let (timer, clock) = (&lent.context.profile.retransmission, &lent.context.clock);
        let interrupts = Interrupts::of(lent.context.profile.extensions(), clock);
        let since = *self.usage.unused_since.get_or_insert(lent.now);
        let unused = interrupts.at(lent.now) - interrupts.at(since);
        if unused < interrupts.in_span(lent.timeout.timeout(timer, clock)) {
            return;
        }
        if !self.disordered && !waits {
            self.controller.on_unused(self.usage.used);
            self.usage.used = 0;
        }
        self.usage.unused_since = Some(lent.now);
    }

    /// Whether the window, and not the application, has limited what was sent (Linux `tcp_is_cwnd_limited`).
    fn used_its_window(&self) -> bool {
        if self.usage.limited {
            return true;
        }
        let window = self.controller.window();
        window < self.controller.slow_start_threshold() && window < 2 * self.usage.most_segments
    }
}

#[cfg(test)]
mod random_conversation;

#[cfg(test)]
mod spied;

#[cfg(test)]
mod splitting;

#[cfg(test)]
#[path = "told.rs"]
mod told;

#[cfg(test)]
#[path = "what_is_learnt.rs"]
mod what_is_learnt;
