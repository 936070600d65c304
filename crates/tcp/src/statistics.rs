//! What an endpoint counts about itself.

/// Counters of one endpoint since it was opened. They saturate instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Segments with data or FIN that were sent again.
    pub retransmitted_segments: u32,
    /// Expiries of the retransmission timer after the connection was opened.
    pub timeouts: u16,
    /// Entries into fast retransmit.
    pub fast_recoveries: u16,
    /// Reductions of the congestion window on an ECN-Echo.
    pub ecn_reductions: u16,
    /// Retransmissions of SYN or SYN/ACK.
    pub syn_retransmissions: u16,
}

impl Statistics {
    pub(crate) fn count_timeout(&mut self) {
        self.timeouts = self.timeouts.saturating_add(1);
    }

    pub(crate) fn count_fast_recovery(&mut self) {
        self.fast_recoveries = self.fast_recoveries.saturating_add(1);
    }

    pub(crate) fn count_ecn_reduction(&mut self) {
        self.ecn_reductions = self.ecn_reductions.saturating_add(1);
    }

    pub(crate) fn count_syn_retransmission(&mut self) {
        self.syn_retransmissions = self.syn_retransmissions.saturating_add(1);
    }

    pub(crate) fn count_retransmission(&mut self) {
        self.retransmitted_segments = self.retransmitted_segments.saturating_add(1);
    }
}
