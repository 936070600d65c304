//! What only a host has that knows the cumulative acknowledgement alone.

/// A stack without selective acknowledgements, in the parts in which FreeBSD, the RFCs and ns-2 differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// How a connection is opened.
    pub handshake: Handshake,
    /// Growth of the congestion window, and what a loss or a mark does to it.
    pub window: ClassicWindow,
    /// What is sent again after a loss, and when.
    pub recovery: Recovery,
    /// Which segments are sent while the windows admit some.
    pub output_routine: OutputRoutine,
    /// What a pause does to the congestion window.
    pub idle_restart: IdleRestart,
    /// The first and second duplicate acknowledgement each release one new segment (RFC 3042; ns-2.35
    /// `singledup_`).
    pub limited_transmit: bool,
    /// The acknowledgement of the SYN/ACK passes through normal acknowledgement processing, so that the
    /// congestion window of the passive opener grows by one segment before it sends data (FreeBSD 4.x
    /// tcp_input.c, SYN_RECEIVED falls into ACK processing with `acked` = 1).
    pub passive_window_quirk: bool,
    /// Initial slow-start threshold in bytes; none means the window (ns-2.35 `ssthresh_ = window_`).
    pub initial_slow_start_threshold_bytes: Option<u32>,
}

impl Classic {
    /// The initial slow-start threshold in bytes, of a host with this receive window.
    pub(crate) const fn initial_threshold(&self, window_bytes: u32) -> u32 {
        match self.initial_slow_start_threshold_bytes {
            Some(bytes) => bytes,
            None => window_bytes,
        }
    }
}

/// How a connection is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// SYN, SYN/ACK, ACK, all retransmitted as needed; closed by a FIN each way (RFC 9293 section 3.5).
    ThreeWay,
    /// ns-2's one-way agents: the active opener alone sends data. Its SYN is acknowledged like a packet, by a
    /// sink that has no timer; data follow at once; there is no FIN.
    OneWay,
}

/// Growth of the congestion window, and what a loss or a mark does to it: see `sender/classic/window/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassicWindow {
    /// FreeBSD 2.2: whole bytes, halves in whole segments.
    FreeBsd2,
    /// FreeBSD 4.x: the same, with KAME's ECN and a SYN cache.
    FreeBsd4,
    /// RFC 5681: bytes as a real number, half the flight.
    Rfc5681,
    /// ns-2.35, one way: segments as a real number.
    Ns2,
    /// ns-2.35, two-way: the same, inflated in place.
    Ns2Full,
}

/// What is sent again after a loss, and when: see `sender/classic/recovery/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// FreeBSD 2.2: Reno.
    BsdReno,
    /// FreeBSD 4.x: slow-but-steady NewReno.
    BsdNewReno,
    /// RFC 5681 without NewReno: the first new acknowledgement ends fast recovery.
    Reno,
    /// RFC 6582: NewReno, the impatient variant that the RFC recommends.
    NewReno,
    /// ns-2.35 Agent/TCP/Newreno: impatient.
    Ns2NewReno,
    /// ns-2.35 Agent/TCP/FullTcp/Newreno: slow but steady.
    Ns2FullNewReno,
}

/// Which segments are sent while the windows admit some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRoutine {
    /// FreeBSD's `tcp_output`: bytes, full segments first, Nagle (RFC 9293 section 3.8.6.2.1): see
    /// `output.rs`.
    TcpOutput,
    /// ns-2.35's `send_much`: segments while the window has room for one: see `send_much.rs`.
    SendMuch,
    /// ns-2.35's `foutput`: bytes, full segments first, Nagle asked for each: see `foutput.rs`.
    /// Acknowledgements are processed in ns-2's order then: see `process_ack.rs`.
    Foutput,
}

/// What a pause does to the congestion window when nothing is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleRestart {
    /// Nothing.
    Never,
    /// No segment received for a retransmission timeout: back to the initial window (FreeBSD 4.x tcp_output).
    SinceReceived,
    /// No data sent for a retransmission timeout: at most the initial window (RFC 5681 section 4.1).
    SinceSent,
    /// The retransmission timer runs on after the last acknowledgement; when it fires the window is one
    /// segment (ns-2.35 tcp.cc `timeout` with `slow_start_restart_` and `restart_bugfix_`).
    SinceAcknowledged,
    /// No data sent for a retransmission timeout without its minimum and back-off: back to the initial window
    /// (ns-2.35 tcp-full.cc `idle_restart`).
    SinceData,
}
