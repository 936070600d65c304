//! Google's congestion control for calls in browsers (GCC): the bit rate that a sender of video allows
//! itself, after what its receiver reports of each packet.
//!
//! Sources: libwebrtc (modules/congestion_controller/goog_cc, and modules/remote_bitrate_estimator for
//! aimd_rate_control.cc), whose files `edition.rs` names;
//! draft-ietf-rmcat-gcc-02 (Holmer et al., 2016); and Carlucci, De Cicco, Holmer and Mascolo, "Analysis and
//! design of the Google congestion control for Web real-time communication", MMSys 2016.
//!
//! ```text
//! edition.rs          libwebrtc's numbers or the draft's
//! delay_trend.rs      does the one-way delay grow?      over-use, normal, under-use
//! rate_control.rs     after over-use 85 % of what arrives, then 8 % a second, slowly near the known capacity
//! loss_control.rs     more than 10 % lost: less; under 2 %: more
//! silence             after 3 s without a report a fifth less, and again every second
//! the rate            the lesser of all, within the limits of the call
//! ```
//!
//! **Editions and departures.** Two editions differ in the numbers that `edition.rs` lists. Common to both is
//! how the growth of the delay is estimated: by libwebrtc's straight line through the delays of 20 groups of
//! packets, with its gain. Section 5.3 of the draft allows any adaptive filter, and has a Kalman filter. The
//! loop runs at the sender, with reports of every packet; losses are judged once a second, where section 6 of
//! the draft says with each report, which came about so often in 2016. A call is under way when the run
//! begins: it starts at a rate that is given, and the probes by which libwebrtc finds one within the first
//! seconds are not sent. Congestion marks are not heard.

mod delay_trend;
mod edition;
mod loss_control;
mod packet_groups;
mod rate_control;
mod received_rate;

use aqmlab_units::{Span, Time};
use delay_trend::DelayTrend;
pub use edition::GccEdition;
use loss_control::LossControl;
use packet_groups::PacketGroups;
use rate_control::RateControl;
use received_rate::ReceivedRate;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportedPacket {
    /// When it was sent.
    pub(crate) sent: Time,
    /// When it arrived; none if it did not.
    pub(crate) arrived: Option<Time>,
    /// Length of the IP packet.
    pub(crate) ip_bytes: u16,
}

/// How the one-way delay of a call develops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usage {
    /// It grows: more is sent than the path carries.
    Over,
    Normal,
    /// It falls: a queue empties.
    Under,
}

/// The bit rates between which a call keeps, in bits of IP packets per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RateLimits {
    pub(crate) least_bps: f64,
    pub(crate) greatest_bps: f64,
}

impl RateLimits {
    const fn clamp(self, rate_bps: f64) -> f64 {
        rate_bps.max(self.least_bps).min(self.greatest_bps)
    }
}

/// The controller of one call.
#[derive(Clone, Debug)]
pub(crate) struct GoogleCongestionControl {
    groups: PacketGroups,
    trend: DelayTrend,
    received: ReceivedRate,
    by_delay: RateControl,
    by_loss: LossControl,
    /// Since when nothing was heard, or since the rate was lowered for that.
    silent_since: Option<Time>,
    is_silent: bool,
}

/// After so long without a report the rate is lowered, and again after each further interval: by how much.
const SILENCE: Span = Span::from_milliseconds(3000);
const SILENCE_GOES_ON: Span = Span::from_milliseconds(1000);
const AFTER_SILENCE: f64 = 0.8;

impl GoogleCongestionControl {
    /// A call that begins at a rate.
    pub(crate) fn new(start_bps: f64, limits: RateLimits, edition: GccEdition) -> Self {
        let start_bps = limits.clamp(start_bps);
        let constants = edition.constants();
        Self {
            groups: PacketGroups::new(&constants),
            trend: DelayTrend::new(&constants),
            received: ReceivedRate::default(),
            by_delay: RateControl::new(start_bps, limits, constants),
            by_loss: LossControl::new(start_bps, limits, &constants),
            silent_since: None,
            is_silent: false,
        }
    }

    /// The bit rate that is allowed now, packets' headers included.
    pub(crate) const fn target_bps(&self) -> f64 {
        self.by_delay.rate_bps().min(self.by_loss.rate_bps())
    }

    /// Time has passed: without a report for three seconds a fifth of the rate goes, and again every second.
    pub(crate) fn on_time(&mut self, now: Time) {
        let since = *self.silent_since.get_or_insert(now);
        let patience = if self.is_silent { SILENCE_GOES_ON } else { SILENCE };
        if now >= since + patience {
            self.by_loss.lower(AFTER_SILENCE);
            (self.silent_since, self.is_silent) = (Some(now), true);
        }
    }

    /// A report has come: packets in the order in which they arrived, the lost ones anywhere between.
    pub(crate) fn on_report(&mut self, now: Time, packets: &[ReportedPacket]) {
        (self.silent_since, self.is_silent) = (Some(now), false);
        let mut last_sent = None;
        for packet in packets {
            let Some(arrived) = packet.arrived else { continue };
            last_sent = Some(packet.sent);
            self.received.add(arrived, packet.ip_bytes);
            if let Some(change) = self.groups.add(packet.sent, arrived) {
                self.trend.add(&change);
            }
        }
        if let Some(sent) = last_sent {
            self.by_delay.update(now, self.trend.usage(), self.received.bps(), now - sent);
        }
        let lost = packets.iter().filter(|packet| packet.arrived.is_none()).count();
        self.by_loss.update(now, lost, packets.len(), self.by_delay.rate_bps());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Span;

    const LIMITS: RateLimits = RateLimits { least_bps: 1e5, greatest_bps: 4e6 };

    /// A call over a link of its own with a queue that is never full, and 20 ms each way: what it was
    /// allowed, and how long its last packet waited, every 50 ms.
    fn alone(capacity_bps: impl Fn(f64) -> f64, seconds: u32, loses: impl Fn(u64) -> bool) -> Vec<[f64; 2]> {
        let mut control = GoogleCongestionControl::new(2e6, LIMITS, GccEdition::Libwebrtc);
        let (mut free_s, mut sent_s, mut number) = (0.0_f64, 0.0, 0);
        let mut course = Vec::new();
        for report in 1..=20 * seconds {
            let mut packets = Vec::new();
            let (now_s, mut wait_s) = (f64::from(report) * 0.05, 0.0);
            while sent_s < now_s {
                free_s = free_s.max(sent_s) + 9600.0 / capacity_bps(sent_s);
                wait_s = free_s - sent_s;
                let arrived = (!loses(number)).then(|| Time::from_seconds(free_s + 0.02));
                packets.push(ReportedPacket { sent: Time::from_seconds(sent_s), arrived, ip_bytes: 1200 });
                number += 1;
                sent_s += 9600.0 / control.target_bps();
            }
            let back = Time::from_seconds(free_s.max(now_s) + 0.04) + Span::from_milliseconds(1);
            control.on_report(back, &packets);
            course.push([control.target_bps(), wait_s]);
        }
        course
    }

    fn mean(values: &[[f64; 2]], of: usize) -> f64 {
        values.iter().map(|row| row[of]).sum::<f64>() / values.len() as f64
    }

    #[test]
    fn a_call_that_has_room_grows_by_eight_percent_a_second_to_its_greatest_rate() {
        let course = alone(|_| 1e8, 30, |_| false);
        let [at_two_s, at_seven_s] = [course[39][0], course[139][0]];
        let grown = at_seven_s / at_two_s;
        // 1.08 to the fifth; the part that goes by losses takes a step a second, and the windows one more or
        // less.
        assert!((1.0 / 1.081..1.081).contains(&(grown / 1.469_328)), "{grown}");
        assert_eq!(course[599][0], LIMITS.greatest_bps);
    }

    #[test]
    fn on_a_narrow_link_it_stays_below_the_capacity_and_keeps_the_queue_short() {
        let course = alone(|_| 1e6, 120, |_| false);
        let later = &course[600..];
        let rate = mean(later, 0);
        assert!((0.75e6..1e6).contains(&rate), "{rate} bit/s of 1 Mbit/s");
        assert!(mean(later, 1) < 0.1, "a mean wait of {} s", mean(later, 1));
    }

    #[test]
    fn it_gives_way_when_the_capacity_falls_and_comes_back() {
        let course = alone(|at_s| if (40.0..80.0).contains(&at_s) { 5e5 } else { 3e6 }, 160, |_| false);
        let narrow = mean(&course[1000..1600], 0);
        assert!(narrow < 5.2e5, "{narrow}");
        assert!(mean(&course[1200..1600], 1) < 0.2);
        assert!(course[3199][0] > 1.5e6, "{}", course[3199][0]);
    }

    #[test]
    fn losses_that_are_rare_change_nothing_and_many_lower_it() {
        let rare = alone(|_| 1e8, 60, |number| number % 100 == 7);
        assert_eq!(rare[1199][0], LIMITS.greatest_bps);
        // A sixth lost: after each second (1 - 0.5/6) of the rate, until the least is reached.
        let many = alone(|_| 1e8, 60, |number| number % 6 == 5);
        assert!(many[1199][0] < 1.2e5, "{}", many[1199][0]);
    }

    #[test]
    fn without_reports_a_fifth_of_the_rate_goes_after_three_seconds_and_each_second_after() {
        let mut control = GoogleCongestionControl::new(1e6, LIMITS, GccEdition::Libwebrtc);
        let after = |control: &mut GoogleCongestionControl, seconds: f64| {
            control.on_time(Time::from_seconds(seconds));
            control.target_bps().round()
        };
        let rates = [0.0, 2.9, 3.0, 3.9, 4.0, 5.0].map(|seconds| after(&mut control, seconds));
        assert_eq!(rates, [1e6, 1e6, 8e5, 8e5, 6.4e5, 5.12e5]);
        (0..40).for_each(|second| _ = after(&mut control, 6.0 + f64::from(second)));
        assert_eq!(control.target_bps(), LIMITS.least_bps);
    }

    #[test]
    fn a_report_ends_the_silence_and_three_seconds_begin_anew() {
        let mut control = GoogleCongestionControl::new(1e6, LIMITS, GccEdition::Libwebrtc);
        [0.0, 3.0, 4.0].into_iter().for_each(|seconds| control.on_time(Time::from_seconds(seconds)));
        assert_eq!(control.target_bps().round(), 6.4e5);
        let sent = Time::from_seconds(4.4);
        let arrived = Some(Time::from_seconds(4.45));
        control.on_report(Time::from_seconds(4.5), &[ReportedPacket { sent, arrived, ip_bytes: 1200 }]);
        let heard_bps = control.target_bps();
        let mut after = |seconds: f64| {
            control.on_time(Time::from_seconds(seconds));
            control.target_bps() / heard_bps
        };
        assert_eq!([5.6, 7.4, 7.5].map(&mut after), [1.0, 1.0, 0.8]);
    }

    #[test]
    fn a_report_of_losses_alone_is_no_news_of_delay() {
        let mut control = GoogleCongestionControl::new(1e6, LIMITS, GccEdition::Libwebrtc);
        let lost = ReportedPacket { sent: Time::ZERO, arrived: None, ip_bytes: 1200 };
        control.on_report(Time::from_seconds(2.0), &[lost; 4]);
        assert_eq!(control.target_bps(), 5e5);
    }
}
