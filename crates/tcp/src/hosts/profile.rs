//! What a host's TCP does, as data: [`HostProfile`].
//!
//! The core is one state machine; everything in which BSD, the RFCs and ns-2 differ is a field here, with the
//! place it was taken from. The named profiles are in `named.rs`, single fields are changed through
//! [`crate::HostOverrides`].
//!
//! Abbreviations of sources: *FreeBSD 2.2* is the BSD stack of that generation, before tick timers, as it
//! survives in RTEMS' network stack (tcp_input.c, tcp_output.c, tcp_timer.c, uipc_socket.c; some of its files
//! were renewed later, so it stands in for 2.2.8); *FreeBSD 4.x* is the RELENG_4 stack of August 2001
//! (tcp_input.c 1.107.2.16, tcp_output.c 1.39.2.10, tcp_timer.c 1.34.2.11, tcp_subr.c 1.73.2.22); *KAME* is
//! the ECN code of the KAME/ALTQ lineage as found in OpenBSD's tcp_input.c and tcp_output.c; *ns-2.35* is
//! that release's tcp.cc, tcp-reno.cc, tcp-newreno.cc, tcp-sink.cc and tcp-full.cc with the defaults of
//! ns-default.tcl.

use super::classic::{Classic, Handshake, IdleRestart, OutputRoutine};
use super::modern::{Extensions, Modern};
use crate::clock::HostClock;
use crate::congestion::Congestion;
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
    /// Initial congestion window in segments, before any quirk (RFC 5681 section 3.1; FreeBSD 4.x
    /// `slowstart_flightsize` 1; ns-2.35 `windowInit_` 2).
    pub initial_window_segments: u8,
    /// A lost SYN or SYN/ACK reduces the initial window to one segment (RFC 5681 section 3.1; ns-2.35
    /// `bugfix_ss_`); of a modern stack, one that was sent again twice (`sender/modern/opening.rs`).
    pub syn_loss_reduces_initial_window: bool,
    /// How losses are found and repaired, and how large the window is.
    pub stack: Stack,
    /// Most segments that one call of the output routine sends; none is no limit (FreeBSD 4.x
    /// `TCP_MAXBURST`).
    pub maximum_burst_segments: Option<u16>,
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
    /// Explicit congestion notification.
    pub ecn: Ecn,
    /// The window in segments below which an echo does not take it; more than one by [`Ecn::Kame`] alone.
    pub ecn_least_window_segments: u8,
    /// Which packet of the handshake gives ECN up for the connection when it is lost.
    pub ecn_fallback: EcnFallback,
}

/// How losses are found and repaired, and how large the window is. What only one of the two has stands in it,
/// so that a host with parts of both cannot be written.
#[derive(Clone, Debug, PartialEq)]
pub enum Stack {
    /// By the cumulative acknowledgement alone.
    Classic(Classic),
    /// By a scoreboard of what has arrived, with a congestion controller.
    Modern(Modern),
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
    /// times (FreeBSD 4.x `tcp_syn_backoff`; Linux since 6.5, whose server's SYN/ACK is not repeated so). Not
    /// of `Ns2`.
    pub linear_syn_backoff: bool,
    /// Retransmissions of one segment after which the connection is dropped; none is never (FreeBSD 4.x
    /// `TCP_MAXRXTSHIFT` 12; RFC 9293 section 3.8.3, R2).
    pub maximum_retransmissions: Option<u8>,
    /// How long an attempt to open may last; none is for ever (FreeBSD 4.x `TCPTV_KEEP_INIT` 75 s).
    pub connection_timeout: Option<Span>,
    /// Whether a server in SYN-RECEIVED answers a repeated SYN at once (as a SYN cache does) instead of
    /// leaving it to the timer (FreeBSD 2.2 drops a segment without acknowledgement in that state).
    pub repeated_syn_answered: bool,
}

/// Short writes in FreeBSD 2.2: `sosend` fills header mbufs of 100 bytes as long as less than a cluster is
/// worth taking is left, and hands each to TCP. With Nagle the second waits for the acknowledgement of the
/// first.
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
        /// Whether the tick in which a segment was sent counts as one: FreeBSD 2.2 counts up from 1 in its
        /// slow timer, FreeBSD 4.x subtracts clock readings.
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
    /// How long an acknowledgement may wait: 100 ms in FreeBSD 4.x (`tcp_delacktime` hz/10), at most 500 ms
    /// in RFC 5681 section 4.2.
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
    /// Bytes, n times the segment size: the reader has emptied the buffer and the window could move by so
    /// much (FreeBSD 2.2 tcp_output.c); ns-2.35 tcp-full.cc `need_send`.
    Bytes,
    /// More bytes than all but one of n segments hold, or every segment for a while: see `reporting.rs`
    /// (Linux `__tcp_ack_snd_check`).
    Adaptive,
}

/// What ends the wait of a delayed acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimer {
    /// A timer of the connection, `delay` after the segment that started it.
    OwnTimer,
    /// The next tick of a clock of the whole machine that ticks every `delay`: up to `delay` later, uniformly
    /// (4.4BSD `tcp_fasttimo`).
    MachineTick,
    /// The next whole multiple of `delay` since the run began (ns-2.35 tcp-full.cc: the timer of a connection
    /// starts at such an instant, and then fires every `interval_`).
    RunTick,
    /// A timer of the connection, which adapts to how far apart segments arrive: `delay` at the least
    /// (Linux).
    Adaptive,
}

/// When the application reads what has come, which decides the window that acknowledgements advertise. Where
/// they leave before it has read, reading moves the window; by two segments or half of the receive buffer,
/// and the peer is told with a segment of its own, a window update (FreeBSD 2.2 and 4.x tcp_output.c, called
/// from `soreceive` by way of `PRU_RCVD`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowUpdates {
    /// Before an acknowledgement leaves: the whole buffer is always advertised, and no update is sent.
    Never,
    /// After each segment has been processed, so that an acknowledgement leaves with the segment that made it
    /// unread. Of full segments in order two in three are answered: the second of a pair by its
    /// acknowledgement, the next one by an update.
    EachSegment,
    /// Only when they have been acknowledged, because the second of two segments comes before the program has
    /// its turn. An acknowledgement of two full segments advertises a window without them, and an update
    /// follows it. Less than an update is worth is forgotten, not added to what comes later.
    EachAcknowledgement,
}

/// Which packet of the handshake gives ECN up for the connection when it is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnFallback {
    /// None.
    Never,
    /// A SYN, which then asks for none (RFC 3168 section 6.1.1.1). An answer that agrees to what an earlier
    /// one asked for is taken all the same (Linux since 4.2, `tcp_ecn_fallback`).
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
    /// RFC 9768: acknowledgements count the marked packets. Which codepoint data have is the controller's:
    /// see [`crate::congestion::CongestionControl::codepoint`].
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

    /// Whether an application's last write and its close are one call, so that the FIN may leave with the
    /// data (ns-2's `sendmsg` with `MSG_EOF`): see [`crate::Endpoint::write_and_close`].
    #[must_use]
    pub const fn closes_with_last_write(&self) -> bool {
        self.is_foutput()
    }

    /// Whether its segments carry options, or anything else that an end says only when it is asked:
    /// [`crate::Endpoint::options`].
    #[must_use]
    #[inline]
    pub const fn has_options(&self) -> bool {
        matches!(self.stack, Stack::Modern(_))
    }

    /// Whether connections carry data one way only, as those of ns-2's one-way agents: [`Handshake::OneWay`].
    #[must_use]
    #[inline]
    pub const fn is_one_way(&self) -> bool {
        matches!(&self.stack, Stack::Classic(classic) if matches!(classic.handshake, Handshake::OneWay))
    }

    /// Whether a pause leaves the congestion window alone.
    #[must_use]
    pub const fn keeps_window_when_idle(&self) -> bool {
        matches!(self.idle_restart(), Some(IdleRestart::Never))
    }

    /// What a modern stack has beside its window; nothing of a classic one.
    #[must_use]
    #[inline]
    pub const fn extensions(&self) -> &Extensions {
        match &self.stack {
            Stack::Classic(_) => &Extensions::NONE,
            Stack::Modern(modern) => &modern.extensions,
        }
    }

    /// The congestion controller of a modern stack.
    #[must_use]
    pub const fn congestion(&self) -> Option<Congestion> {
        match &self.stack {
            Stack::Classic(_) => None,
            Stack::Modern(modern) => Some(modern.congestion),
        }
    }

    /// What a pause does to the window of a classic stack; a modern one has its own rule.
    #[inline]
    pub(crate) const fn idle_restart(&self) -> Option<IdleRestart> {
        match &self.stack {
            Stack::Classic(classic) => Some(classic.idle_restart),
            Stack::Modern(_) => None,
        }
    }

    /// Which segments a classic stack sends; a modern one has FreeBSD's routine, behind what is sent again.
    #[inline]
    pub(crate) const fn output_routine(&self) -> Option<OutputRoutine> {
        match &self.stack {
            Stack::Classic(classic) => Some(classic.output_routine),
            Stack::Modern(_) => None,
        }
    }

    /// Whether acknowledgements are processed in the order of ns-2's two-way agent.
    #[inline]
    pub(crate) const fn is_foutput(&self) -> bool {
        matches!(self.output_routine(), Some(OutputRoutine::Foutput))
    }

    /// Whether the first duplicates each release a segment beyond the window of a classic stack.
    #[inline]
    pub(crate) const fn limits_transmit(&self) -> bool {
        matches!(&self.stack, Stack::Classic(classic) if classic.limited_transmit)
    }

    /// Whether the window of a passive opener grows by a segment before it sends.
    pub(crate) const fn has_passive_window_quirk(&self) -> bool {
        matches!(&self.stack, Stack::Classic(classic) if classic.passive_window_quirk)
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
