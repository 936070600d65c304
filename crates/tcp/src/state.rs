//! The states of a connection.
//!
//! Source: RFC 9293 section 3.3.2. A close before the connection is open waits for it (section 3.10.4,
//! SYN-SENT and SYN-RECEIVED): the FIN is queued, and the state goes through ESTABLISHED.
//!
//! Departures and silences: TIME-WAIT is where every connection ends that was closed both ways, after
//! LAST-ACK too. It is not kept: its endpoint is finished, and a driver that goes on calling it gets the FIN
//! acknowledged again.

/// Where a connection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// CLOSED: a client before it connects, or an end that was aborted.
    #[default]
    Closed,
    /// LISTEN: a server waiting for a SYN.
    Listen,
    /// SYN-SENT: a client waiting for the SYN/ACK.
    SynSent,
    /// SYN-RECEIVED: a server waiting for the acknowledgement of its SYN/ACK.
    SynReceived,
    /// ESTABLISHED: open both ways.
    Established,
    /// FIN-WAIT-1: our application has closed; the peer has not acknowledged that.
    FinWait1,
    /// FIN-WAIT-2: our close is acknowledged, the peer goes on.
    FinWait2,
    /// CLOSE-WAIT: the peer has closed, our application has not.
    CloseWait,
    /// CLOSING: both have closed, at once; the peer has not acknowledged ours.
    Closing,
    /// LAST-ACK: the peer closed first, and has not acknowledged our close.
    LastAck,
    /// TIME-WAIT: over.
    TimeWait,
}

impl State {
    /// Whether the connection is open in at least one direction.
    #[inline]
    pub(crate) const fn is_synchronized(self) -> bool {
        matches!(
            self,
            Self::Established
                | Self::FinWait1
                | Self::FinWait2
                | Self::CloseWait
                | Self::Closing
                | Self::LastAck
        )
    }

    /// Whether everything that the peer will ever send has arrived.
    pub(crate) const fn peer_has_closed(self) -> bool {
        matches!(self, Self::CloseWait | Self::Closing | Self::LastAck | Self::TimeWait)
    }

    /// The application closes.
    pub(crate) const fn after_close(self) -> Self {
        match self {
            Self::Established => Self::FinWait1,
            Self::CloseWait => Self::LastAck,
            Self::Closed | Self::Listen => Self::Closed,
            other => other,
        }
    }

    /// The peer has acknowledged our FIN.
    pub(crate) const fn after_fin_acknowledged(self) -> Self {
        match self {
            Self::FinWait1 => Self::FinWait2,
            Self::Closing | Self::LastAck => Self::TimeWait,
            other => other,
        }
    }

    /// The peer's FIN has arrived, and everything before it.
    pub(crate) const fn after_peer_fin(self) -> Self {
        match self {
            Self::Established => Self::CloseWait,
            Self::FinWait1 => Self::Closing,
            Self::FinWait2 => Self::TimeWait,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9293 figure 5, from ESTABLISHED on.
    #[test]
    fn every_way_of_closing_ends_in_time_wait() {
        let open = State::Established;
        let active = open.after_close().after_fin_acknowledged();
        assert_eq!(active, State::FinWait2);
        assert_eq!(active.after_peer_fin(), State::TimeWait);
        let simultaneous = open.after_close().after_peer_fin();
        assert_eq!(simultaneous, State::Closing);
        assert_eq!(simultaneous.after_fin_acknowledged(), State::TimeWait);
        let passive = open.after_peer_fin();
        assert_eq!((passive, passive.after_close()), (State::CloseWait, State::LastAck));
        assert_eq!(passive.after_close().after_fin_acknowledged(), State::TimeWait);
        for state in [active, simultaneous, passive, passive.after_close()] {
            assert!(state.is_synchronized());
            assert_eq!(state.peer_has_closed(), state != active, "{state:?}");
        }
    }
}
