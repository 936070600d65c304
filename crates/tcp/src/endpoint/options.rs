//! The options of an endpoint's segments: what it says in them, and what it hears.
//!
//! Departures and silences: Linux answers an acknowledgement that a timestamp proves to be old.

use super::Endpoint;
use crate::context::Context;
use crate::hosts::HostProfile;
use crate::options::{BLOCKS_BESIDE_TIMESTAMPS, MOST_BLOCKS, SegmentOptions, Timestamps, stamp};
use crate::outbox::Outbox;
use crate::reporting::Reporting;
use crate::segment::{Flags, Segment};
use aqmlab_units::Time;

impl Endpoint {
    /// What the options of a segment say that this end has put into the outbox in its last call; only of a
    /// host with options ([`HostProfile::has_options`]), in the order of the segments, each once.
    pub fn options(&mut self, now: Time, profile: &HostProfile, segment: &Segment) -> SegmentOptions {
        let timestamps = self.timestamps(now, profile, segment);
        if self.reports_with(segment) {
            self.report(profile, timestamps)
        } else {
            SegmentOptions { timestamps, ..SegmentOptions::default() }
        }
    }

    /// The part of [`Endpoint::options`] that is nearly always all: asked first, and each segment once.
    #[inline(always)]
    pub fn timestamps(&mut self, now: Time, profile: &HostProfile, segment: &Segment) -> Option<Timestamps> {
        let reporting = self.receiver.reporting_mut()?;
        let has_stamps = profile.extensions().timestamps && !segment.flags.contains(Flags::RST);
        let echo = reporting.recent_stamp();
        if segment.flags.contains(Flags::ACK) {
            reporting.note_acknowledged(segment.acknowledgement);
        }
        if segment.payload > 0 {
            reporting.note_sent(now);
        }
        has_stamps.then(|| Timestamps { value: stamp(now), echo })
    }

    /// Whether the segment says more than that: then the other part is asked.
    #[inline(always)]
    pub fn reports_with(&self, segment: &Segment) -> bool {
        segment.payload == 0
            && !segment.flags.intersects(Flags::SYN.with(Flags::RST))
            && self.receiver.reporting().is_some_and(Reporting::has_something_to_say)
    }

    /// The other part, with the first: what arrived beyond a hole, and what was marked.
    #[inline(never)]
    pub fn report(&mut self, profile: &HostProfile, timestamps: Option<Timestamps>) -> SegmentOptions {
        let mut options = SegmentOptions { timestamps, ..SegmentOptions::default() };
        if let Some(reporting) = self.receiver.reporting_mut() {
            let most = if profile.extensions().timestamps { BLOCKS_BESIDE_TIMESTAMPS } else { MOST_BLOCKS };
            options.blocks = reporting.blocks(most);
            options.counts = reporting.counts(&options.blocks);
        }
        options
    }

    /// A segment with options arrives: as [`Endpoint::on_segment`], of which this is the other half.
    #[inline(always)]
    pub fn on_segment_with_options(
        &mut self,
        now: Time,
        context: &Context<'_>,
        (segment, options): (&Segment, &SegmentOptions),
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        self.receiver.begin(context.profile);
        if self.is_overtaken(context, segment, options) {
            return;
        }
        let is_stamped = options.timestamps.is_some() && !self.is_beyond_what_was_sent(segment);
        if let Some(reporting) = self.receiver.reporting_mut().filter(|_| is_stamped) {
            reporting.note_stamp(segment, options.timestamps);
        }
        let plain = segment.payload > 0 && options.blocks.is_empty();
        if plain && self.predicts(segment) && self.sender.is_at_rest() {
            return self.on_predicted(now, context, segment, out);
        }
        if self.predicts_modern_acknowledgement(context, segment, options) {
            return self.on_predicted_modern_acknowledgement(now, context, segment, out);
        }
        self.process_with_options(now, context, (*segment, *options), ce_marked, out);
    }

    /// What an acknowledgement or data say that nobody expected.
    #[inline(never)]
    fn process_with_options(
        &mut self,
        now: Time,
        context: &Context<'_>,
        (segment, options): (Segment, SegmentOptions),
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if let Some(modern) = self.sender.modern_mut() {
            modern.take_in_options(&options);
        }
        self.process(now, context, &segment, ce_marked, out);
    }

    /// Whether an acknowledgement without data carries an older timestamp than another that came before it:
    /// it is not looked at (RFC 7323 section 5.3), unless it could be the next in order (Linux
    /// `tcp_paws_check`, with an allowance of one, and `tcp_disordered_ack`).
    fn is_overtaken(&self, context: &Context<'_>, segment: &Segment, options: &SegmentOptions) -> bool {
        if segment.payload > 0 || segment.flags != Flags::ACK {
            return false;
        }
        let Some((stamps, reporting)) = options.timestamps.zip(self.receiver.reporting()) else {
            return false;
        };
        let age = reporting.recent_stamp().wrapping_sub(stamps.value) as i32;
        age > 1
            && context.profile.extensions().timestamps
            && self.state.is_synchronized()
            && !(segment.acknowledgement == self.sender.sequence.una
                && segment.sequence == { self.receiver.nxt })
    }
}
