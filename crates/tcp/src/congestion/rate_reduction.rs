//! Proportional rate reduction: how much is sent while the window shrinks.
//!
//! Source: RFC 6937 section 3 and RFC 9937 section 6, counted in segments and with the bound of slow start,
//! as Linux `tcp_init_cwnd_reduction` and `tcp_cwnd_reduction` have it.

/// A reduction that is under way, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RateReduction {
    /// The window when it began (RecoverFS).
    prior: u32,
    /// What has arrived since (`prr_delivered`).
    delivered: u32,
    /// What was sent since (`prr_out`).
    pub(crate) sent: u32,
}

impl RateReduction {
    /// The window, of so many segments, begins to shrink.
    pub(crate) const fn begin(prior: u32) -> Self {
        Self { prior, delivered: 0, sent: 0 }
    }

    /// So many segments have arrived, with this many in the network, a window of `threshold` to be reached,
    /// and `safe`: the acknowledgement tells of no loss. Answers with the window, if it changes.
    pub(crate) fn window(
        &mut self,
        delivered: u32,
        in_flight: u32,
        threshold: u32,
        safe: bool,
    ) -> Option<u32> {
        if delivered == 0 || self.prior == 0 {
            return None;
        }
        self.delivered += delivered;
        let share = if in_flight > threshold {
            let whole = u64::from(threshold) * u64::from(self.delivered);
            (whole.div_ceil(u64::from(self.prior)) as u32).saturating_sub(self.sent)
        } else {
            let conserved = self.delivered.saturating_sub(self.sent).max(delivered);
            (conserved + u32::from(safe)).min(threshold - in_flight)
        };
        // The first retransmission leaves in any case.
        Some(in_flight + share.max(u32::from(self.sent == 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937 section 4, figure with 20 segments, of which the first is lost, and CUBIC's or Reno's
    /// threshold of half: one segment for every two acknowledged.
    #[test]
    fn half_the_segments_are_sent_while_the_window_is_halved() {
        let mut reduction = RateReduction::begin(20);
        let (mut in_flight, mut sent_after) = (20 - 3 - 1, Vec::new());
        for acknowledgement in 3..20 {
            let delivered = if acknowledgement == 3 { 3 } else { 1 };
            if acknowledgement > 3 {
                in_flight -= 1;
            }
            let window = reduction.window(delivered, in_flight, 10, false).unwrap();
            let sent = window.saturating_sub(in_flight);
            reduction.sent += sent;
            in_flight += sent;
            sent_after.push(sent);
        }
        // The first acknowledgement allows two at once; then every second one.
        assert_eq!(sent_after[0], 2);
        assert_eq!(sent_after.iter().sum::<u32>(), 10, "{sent_after:?}");
        assert_eq!(in_flight, 10, "the window that was to be reached: {sent_after:?}");
    }

    #[test]
    fn below_the_threshold_as_much_is_sent_as_arrived_and_one_more_if_that_is_safe() {
        let mut reduction = RateReduction::begin(20);
        reduction.sent = 4;
        reduction.delivered = 4;
        assert_eq!(reduction.window(1, 3, 10, false), Some(4));
        reduction.sent = 5;
        assert_eq!(reduction.window(1, 3, 10, true), Some(5));
        assert_eq!(reduction.window(0, 3, 10, true), None);
    }

    /// RFC 9937 section 6.2: where nothing was sent since the reduction began, one segment leaves though
    /// there is no room.
    #[test]
    fn the_first_retransmission_leaves_whatever_is_in_the_network() {
        let mut reduction = RateReduction::begin(20);
        assert_eq!(reduction.window(1, 10, 10, false), Some(11), "as much is in the network as may be");
        reduction.sent = 1;
        assert_eq!(reduction.window(1, 10, 10, false), Some(10));
        // Above the threshold: of ⌈10 · 3 / 20⌉ = 2 to be sent one was.
        assert_eq!(reduction.window(1, 12, 10, false), Some(13));
        assert_eq!(RateReduction::begin(20).window(1, 12, 10, false), Some(13));
    }
}
