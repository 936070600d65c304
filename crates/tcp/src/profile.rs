//! What a host's TCP does, as data: [`HostProfile`].
//!
//! The core is one state machine; everything in which BSD, the RFCs and ns-2 differ is a field here, with the
//! place it was taken from. The named profiles are in `profiles.rs`, single fields are changed through
//! [`crate::HostOverrides`].
//!
//! Abbreviations of sources: *FreeBSD 2.2* is the BSD stack of that generation, before tick timers, as it
//! survives in RTEMS' network stack (tcp_input.c, tcp_output.c, tcp_timer.c, uipc_socket.c; some of its files were
//! renewed later, so it stands in for 2.2.8); *FreeBSD 4.x* is the RELENG_4 stack of August 2001 (tcp_input.c 1.107.2.16,
//! tcp_output.c 1.39.2.10, tcp_timer.c 1.34.2.11, tcp_subr.c 1.73.2.22); *KAME* is the ECN code of the
//! KAME/ALTQ lineage as found in OpenBSD's tcp_input.c and tcp_output.c; *ns-2.35* is that release's tcp.cc,
//! tcp-reno.cc, tcp-newreno.cc, tcp-sink.cc and tcp-full.cc with the defaults of ns-default.tcl.

use crate::clock::HostClock;
use aqmlab_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that distinguishes one host's TCP from another's. Plain, immutable data, shared by reference.
#[derive(Clone, Debug, PartialEq)]
pub struct HostProfile {
    /// The name the profile started from: one of [`HostProfile::NAMES`].
    pub name: &'static str,
    /// Sender maximum segment size (MSS) in bytes of data: 1460 on Ethernet (RFC 9293 section 3.7.1).
    pub maximum_segment_bytes: u16,
    /// IP and TCP header of every segment but SYN, in bytes: 40 without options, 52 with timestamps.
    pub header_bytes: u16,
    /// IP and TCP header of SYN and SYN/ACK, in bytes: 44 with the MSS option alone (RFC 9293 section 3.2).
    pub syn_header_bytes: u16,
    /// The receive buffer, and the greatest window that it lets a peer advertise, in bytes. FreeBSD 4.x
    /// rounds a 16 KB socket buffer up to whole segments: 12 · 1460 = 17,520.
    pub window_bytes: u32,
    /// How a connection is opened.
    pub handshake: Handshake,
    /// Initial congestion window in segments, before any quirk (RFC 5681 section 3.1; FreeBSD 4.x
    /// `slowstart_flightsize` 1; ns-2.35 `windowInit_` 2).
    pub initial_window_segments: u8,
    /// The acknowledgement of the SYN/ACK passes through normal acknowledgement processing, so that the
    /// congestion window of the passive opener grows by one segment before it sends data (FreeBSD 4.x
    /// tcp_input.c, SYN_RECEIVED falls into ACK processing with `acked` = 1).
    pub passive_window_quirk: bool,
    /// A lost SYN or SYN/ACK reduces the initial window to one segment (RFC 5681 section 3.1; ns-2.35
    /// `bugfix_ss_`); where a scoreboard is kept, one that was sent again twice (`recovery/selective/opening.rs`).
    pub syn_loss_reduces_initial_window: bool,
    /// Initial slow-start threshold in bytes; none means the window (ns-2.35 `ssthresh_ = window_`).
    pub initial_slow_start_threshold_bytes: Option<u32>,
    /// Growth of the congestion window, and what a loss or a mark does to it.
    pub congestion: Congestion,
    /// What is sent again after a loss, and when.
    pub recovery: Recovery,
    /// Which segments are sent while the windows admit some.
    pub output_routine: OutputRoutine,
    /// The first and second duplicate acknowledgement each release one new segment (RFC 3042; ns-2.35
    /// `singledup_`).
    pub limited_transmit: bool,
    /// Most segments that one call of the output routine sends; none is no limit (FreeBSD 4.x `TCP_MAXBURST`).
    pub maximum_burst_segments: Option<u16>,
    /// What a pause does to the congestion window.
    pub idle_restart: IdleRestart,
    /// Round-trip time estimation and the retransmission timer.
    pub retransmission: RetransmissionTimer,
    /// When acknowledgements of data are sent.
    pub delayed_ack: DelayedAck,
    /// When the application reads, and the peer is told how far the window has moved.
    pub window_updates: WindowUpdates,
    /// Hold back a partial segment while data are outstanding (RFC 896; RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// Hand a write to TCP in pieces of this many bytes, with a "more to come" hint on all but the last; none
    /// hands it over whole. FreeBSD 4.x uses mbuf clusters of 2048 bytes (sosend). Visible through Nagle (the
    /// last piece finds the connection busy) and through the burst limit (which counts per piece).
    pub write_cluster_bytes: Option<u32>,
    /// Whether the socket layer announces, with each piece of a write, that more follows (FreeBSD 4.x
    /// `PRUS_MORETOCOME`; FreeBSD 2.2 does not, so that each piece is judged as if it were all there is).
    pub write_announces_more: bool,
    /// How the socket layer cuts a write, or the rest of one, that is too short for a cluster; none leaves it
    /// whole. It shows only where `write_announces_more` is false.
    pub small_write: Option<SmallWrite>,
    /// What came after RFC 5681: only stacks with [`Recovery::Selective`] have any of it.
    pub extensions: Extensions,
    /// Explicit congestion notification.
    pub ecn: Ecn,
    /// The window in segments below which an echo does not take it; more than one by [`Ecn::Kame`] alone.
    pub ecn_least_window_segments: u8,
    /// Which packet of the handshake gives ECN up for the connection when it is lost.
    pub ecn_fallback: EcnFallback,
}

/// What hosts do that have a scoreboard ([`Recovery::Selective`]): each can be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Every segment carries a timestamp and echoes one (RFC 7323): a retransmission can be told from its original. Their
    /// room is in `header_bytes` and `syn_header_bytes`.
    pub timestamps: bool,
    /// In fast recovery what is sent follows what arrives (RFC 6937, RFC 9937); without it the window is the threshold at
    /// once (RFC 6675).
    pub proportional_rate_reduction: bool,
    /// Losses are told by the time of sending (RFC 8985 section 6) instead of by three duplicates (RFC 6675).
    pub rack: bool,
    /// A probe is sent when nothing comes back for two round trips (RFC 8985 section 7).
    pub tail_loss_probe: bool,
    /// A timeout after which the originals are acknowledged was none (RFC 5682).
    pub forward_recovery: bool,
    /// How slow start ends before it loses; of CUBIC alone.
    pub hystart: HyStart,
    /// Segments leave at a rate: twice the window per round trip in slow start, 1.2 times it later (Linux with the `fq`
    /// queue; without that it has none).
    pub pacing: bool,
    /// A receiver acknowledges every segment while a connection is young (Linux).
    pub quick_acknowledgements: bool,
    /// Interrupts of the kernel a second, at which its timers fire (`CONFIG_HZ` of Linux); 0: timers fire exactly.
    pub timer_hz: u16,
    /// Whose those interrupts are; of no meaning where timers fire exactly.
    pub timer_phase: TimerPhase,
}

impl Extensions {
    /// None of them.
    pub const NONE: Self = Self {
        timestamps: false,
        proportional_rate_reduction: false,
        rack: false,
        tail_loss_probe: false,
        forward_recovery: false,
        hystart: HyStart::Off,
        pacing: false,
        quick_acknowledgements: false,
        timer_hz: 0,
        timer_phase: TimerPhase::Own,
    };
}

/// Which machines share the interrupts that fire timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerPhase {
    /// Each machine has its own, with a random phase.
    Own,
    /// Those of one kernel, which come to all hosts at once and are counted from the start of the run: hosts are network
    /// namespaces of one machine.
    Shared,
}

/// How slow start ends before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HyStart {
    /// It does not.
    Off,
    /// When the least round trip of a round exceeds that of the connection by an eighth, or acknowledgements have come
    /// without a pause for half of it (Ha and Rhee, "Taming the elephants", 2011, as Linux has it).
    Linux,
    /// When the least round trip of a round exceeds that of the round before by an eighth: then it grows by a quarter for
    /// five rounds, or goes back where that was a mistake (RFC 9406).
    PlusPlus,
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

/// Growth of the congestion window, and what a loss or a mark does to it: see `congestion/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
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
    /// Linux `reno`: whole segments, and no growth while the window is not used.
    LinuxReno,
    /// RFC 9438.
    Cubic,
    /// RFC 8257.
    Dctcp,
    /// A window that never changes.
    #[cfg(test)]
    Fixed,
    /// The same, sent at a rate.
    #[cfg(test)]
    Paced,
}

/// What is sent again after a loss, and when: see `recovery/`.
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
    /// A scoreboard of what was selectively acknowledged (RFC 6675), and what [`Extensions`] says.
    Selective,
}

/// Which segments are sent while the windows admit some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRoutine {
    /// FreeBSD's `tcp_output`: bytes, full segments first, Nagle (RFC 9293 section 3.8.6.2.1): see `output.rs`.
    TcpOutput,
    /// ns-2.35's `send_much`: segments while the window has room for one: see `send_much.rs`.
    SendMuch,
    /// ns-2.35's `foutput`: bytes, full segments first, Nagle asked for each: see `foutput.rs`. Acknowledgements are
    /// processed in ns-2's order then: see `process_ack.rs`.
    Foutput,
    /// As `TcpOutput`, after what the scoreboard takes for lost: see `selective_acknowledgement.rs`.
    Selective,
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
    /// The retransmission timer runs on after the last acknowledgement; when it fires the window is one segment
    /// (ns-2.35 tcp.cc `timeout` with `slow_start_restart_` and `restart_bugfix_`).
    SinceAcknowledged,
    /// No data sent for a retransmission timeout: the window is halved for each that has passed, to the initial window at
    /// the least (RFC 2861; Linux `tcp_slow_start_after_idle`).
    Decays,
    /// No data sent for a retransmission timeout without its minimum and back-off: back to the initial window (ns-2.35
    /// tcp-full.cc `idle_restart`).
    SinceData,
}

/// Round-trip time estimation and the retransmission timer.
#[derive(Clone, Debug, PartialEq)]
pub struct RetransmissionTimer {
    /// The arithmetic.
    pub algorithm: RtoAlgorithm,
    /// Granularity of the host's clock: 10 ms in FreeBSD 4.x (hz = 100) and ns-2.35 (`tcpTick_`).
    pub tick: Span,
    /// Timeout before the first round-trip sample, hence of the first SYN: 3 s (RFC 1122, RFC 2988) or 1 s
    /// (RFC 6298).
    pub initial: Span,
    /// Least timeout: 1 s (RFC 6298 rule 2.4; FreeBSD 4.x `TCPTV_MIN`), 0.2 s (ns-2.28 and later).
    pub minimum: Span,
    /// Greatest timeout: 64 s (FreeBSD 4.x `TCPTV_REXMTMAX`), 60 s (RFC 6298 rule 2.5; ns-2.35 `maxrto_`).
    pub maximum: Span,
    /// A client's SYN is repeated at 1, 1, 1, 1, 1, 2, 4, 8… times the initial timeout instead of 1, 2, 4, 8…
    /// times (FreeBSD 4.x `tcp_syn_backoff`; Linux since 6.5, whose server's SYN/ACK is not repeated so). Not of `Ns2`.
    pub linear_syn_backoff: bool,
    /// Retransmissions of one segment after which the connection is dropped; none is never (FreeBSD 4.x
    /// `TCP_MAXRXTSHIFT` 12; RFC 9293 section 3.8.3, R2).
    pub maximum_retransmissions: Option<u8>,
    /// How long an attempt to open may last; none is for ever (FreeBSD 4.x `TCPTV_KEEP_INIT` 75 s).
    pub connection_timeout: Option<Span>,
    /// Whether a server in SYN-RECEIVED answers a repeated SYN at once (as a SYN cache does) instead of leaving it
    /// to the timer (FreeBSD 2.2 drops a segment without acknowledgement in that state).
    pub repeated_syn_answered: bool,
}

/// Short writes in FreeBSD 2.2: `sosend` fills header mbufs of 100 bytes as long as less than a cluster is worth
/// taking is left, and hands each to TCP. With Nagle the second waits for the acknowledgement of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallWrite {
    /// Data bytes of one piece: `MHLEN`, 100.
    pub piece_bytes: u16,
    /// From this many bytes on a cluster is taken: `MINCLSIZE`, 208.
    pub cluster_from_bytes: u16,
}

/// Arithmetic of the retransmission timeout; each is described in `round_trip_time.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoAlgorithm {
    /// BSD integers, SRTT scaled by 32 and RTTVAR by 16 ticks. FreeBSD 4.x applies the minimum before the
    /// back-off, the 2.2 generation after it.
    Bsd {
        /// Whether the minimum applies to the base value rather than to the backed-off one.
        minimum_before_backoff: bool,
        /// Whether the tick in which a segment was sent counts as one: FreeBSD 2.2 counts up from 1 in its slow
        /// timer, FreeBSD 4.x subtracts clock readings.
        counts_first_tick: bool,
    },
    /// ns-2.35 integers, SRTT scaled by 8 and RTTVAR by 4 ticks.
    Ns2,
    /// RFC 6298, exact to an eighth of a microsecond.
    Rfc6298,
    /// Linux: the minimum is that of the variation, which is the greatest of a round trip and falls slowly.
    Linux,
}

/// When acknowledgements of data in order are sent. Anything out of order is acknowledged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// Every n-th segment is acknowledged at once, whatever its size: 2 in FreeBSD 4.x and RFC 5681 section
    /// 4.2, 1 (every segment) in ns-2's TCPSink.
    pub every_segments: u8,
    /// How long an acknowledgement may wait: 100 ms in FreeBSD 4.x (`tcp_delacktime` hz/10), at most 500 ms in
    /// RFC 5681 section 4.2.
    pub delay: Span,
    /// What n segments means.
    pub counting: AckCounting,
    /// When the waiting ends.
    pub timer: AckTimer,
}

/// What the receiver counts before it acknowledges at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckCounting {
    /// Segments, whatever their size (FreeBSD 4.x: the delayed-acknowledgement timer is already running).
    Segments,
    /// Bytes, n times the segment size: the reader has emptied the buffer and the window could move by so much
    /// (FreeBSD 2.2 tcp_output.c); ns-2.35 tcp-full.cc `need_send`.
    Bytes,
    /// More bytes than all but one of n segments hold, or every segment for a while: see `reporting.rs` (Linux
    /// `__tcp_ack_snd_check`).
    Adaptive,
}

/// What ends the wait of a delayed acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimer {
    /// A timer of the connection, `delay` after the segment that started it.
    OwnTimer,
    /// The next tick of a clock of the whole machine that ticks every `delay`: up to `delay` later, uniformly (4.4BSD
    /// `tcp_fasttimo`).
    MachineTick,
    /// The next whole multiple of `delay` since the run began (ns-2.35 tcp-full.cc: the timer of a connection starts at such
    /// an instant, and then fires every `interval_`).
    RunTick,
    /// A timer of the connection, which adapts to how far apart segments arrive: `delay` at the least (Linux).
    Adaptive,
}

/// When the application reads what has come, which decides the window that acknowledgements advertise. Where they leave
/// before it has read, reading moves the window; by two segments or half of the receive buffer, and the peer is told with a
/// segment of its own, a window update (FreeBSD 2.2 and 4.x tcp_output.c, called from `soreceive` by way of `PRU_RCVD`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowUpdates {
    /// Before an acknowledgement leaves: the whole buffer is always advertised, and no update is sent.
    Never,
    /// After each segment has been processed, so that an acknowledgement leaves with the segment that made it unread. Of
    /// full segments in order two in three are answered: the second of a pair by its acknowledgement, the next one by an
    /// update.
    EachSegment,
    /// Only when they have been acknowledged, because the second of two segments comes before the program has its turn. An
    /// acknowledgement of two full segments advertises a window without them, and an update follows it. Less than an update
    /// is worth is forgotten, not added to what comes later.
    EachAcknowledgement,
}

/// Which packet of the handshake gives ECN up for the connection when it is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnFallback {
    /// None.
    Never,
    /// A SYN, which then asks for none (RFC 3168 section 6.1.1.1). An answer that agrees to what an earlier one asked for
    /// is taken all the same (Linux since 4.2, `tcp_ecn_fallback`).
    Syn,
    /// A SYN or a SYN/ACK (KAME).
    SynAndSynAck,
}

/// Explicit congestion notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// Not negotiated.
    Off,
    /// RFC 3168.
    Rfc3168,
    /// KAME/ALTQ, the lineage of the code that could run on FreeBSD 4.x.
    Kame,
    /// ns-2.35 `ecn_ 1`, one way.
    Ns2,
    /// ns-2.35 `ecn_ 1`, two-way.
    Ns2Full,
    /// RFC 9768: acknowledgements count the marked packets. Which codepoint data have is the controller's: see
    /// [`crate::congestion::CongestionControl::is_scalable`].
    Accurate,
}

impl HostProfile {
    /// A clock of this host's granularity with the given phase; see [`HostClock::new`].
    ///
    /// # Panics
    /// If `phase` is not shorter than a tick.
    #[must_use]
    pub fn clock(&self, phase: Span) -> HostClock {
        HostClock::new(self.retransmission.tick, phase)
    }

    /// Whether an application's last write and its close are one call, so that the FIN may leave with the data (ns-2's
    /// `sendmsg` with `MSG_EOF`): see [`crate::Endpoint::write_and_close`].
    #[must_use]
    pub const fn closes_with_last_write(&self) -> bool {
        matches!(self.output_routine, OutputRoutine::Foutput)
    }

    /// Whether its segments carry options, or anything else that an end says only when it is asked:
    /// [`crate::Endpoint::options`].
    #[must_use]
    #[inline]
    pub const fn has_options(&self) -> bool {
        matches!(self.recovery, Recovery::Selective)
    }

    /// MSS as the number that window arithmetic uses.
    #[inline]
    pub(crate) const fn segment_bytes(&self) -> u32 {
        self.maximum_segment_bytes as u32
    }

    /// The initial congestion window in bytes, before any quirk.
    pub(crate) const fn initial_window(&self) -> u32 {
        self.initial_window_segments as u32 * self.segment_bytes()
    }

    /// The initial slow-start threshold in bytes.
    pub(crate) const fn initial_threshold(&self) -> u32 {
        match self.initial_slow_start_threshold_bytes {
            Some(bytes) => bytes,
            None => self.window_bytes,
        }
    }

    /// The peer's window in whole segments.
    #[inline]
    pub(crate) const fn window_segments(&self) -> u32 {
        self.window_bytes / self.segment_bytes()
    }

    /// Whether timers fire only on ticks of the host's clock, as BSD callouts do.
    #[inline]
    pub(crate) const fn timers_fire_on_ticks(&self) -> bool {
        matches!(self.retransmission.algorithm, RtoAlgorithm::Bsd { .. })
    }

    /// Greatest congestion window of FreeBSD 4.x in bytes: 65,535 shifted by the window scale that the window
    /// needs (`TCP_MAXWIN << snd_scale`).
    #[inline]
    pub(crate) const fn scaled_window_ceiling(&self) -> u32 {
        let mut ceiling: u32 = 65_535;
        while ceiling < self.window_bytes {
            ceiling <<= 1;
        }
        ceiling
    }
}
