//! What only a host has that keeps a scoreboard of what has arrived.

use crate::congestion::{AnswersMarks, Congestion, HyStart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stack with selective acknowledgements: Linux's, with any of the controllers.
#[derive(Clone, Debug, PartialEq)]
pub struct Modern {
    /// How large the window is.
    pub congestion: Congestion,
    /// What can be switched.
    pub extensions: Extensions,
}

/// What a modern stack does beside its window: each can be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Every segment carries a timestamp and echoes one (RFC 7323): a retransmission can be told from its
    /// original. Their room is in `header_bytes` and `syn_header_bytes`.
    pub timestamps: bool,
    /// In fast recovery what is sent follows what arrives (RFC 6937, RFC 9937); without it the window is the
    /// threshold at once (RFC 6675).
    pub proportional_rate_reduction: bool,
    /// Losses are told by the time of sending (RFC 8985 section 6) instead of by three duplicates (RFC 6675).
    pub rack: bool,
    /// A probe is sent when nothing comes back for two round trips (RFC 8985 section 7).
    pub tail_loss_probe: bool,
    /// A timeout after which the originals are acknowledged was none (RFC 5682).
    pub forward_recovery: bool,
    /// How slow start ends before a loss; of CUBIC alone.
    pub hystart: HyStart,
    /// Segments leave at a rate: twice the window per round trip in slow start, 1.2 times it later (Linux
    /// with the `fq` queue; without that it has none).
    pub pacing: bool,
    /// A receiver acknowledges every segment while a connection is young (Linux).
    pub quick_acknowledgements: bool,
    /// A receiver reports what lies beyond a hole at once three times, and then for a millisecond at a time
    /// (Linux `tcp_comp_sack_*`).
    pub acknowledgement_compression: bool,
    /// Whether acknowledgements of accurate ECN have an option that counts bytes (RFC 9768 section 3.2.3).
    pub accurate_ecn_option: bool,
    /// Whether a sender with accurate ECN gives it up where all packets of its first four rounds were marked.
    pub continuous_mark_test: bool,
    /// Whether Prague looks for queues that mark as RFC 3168 has it, and answers them as CUBIC does.
    pub classic_ecn_fallback: bool,
    /// Whether it takes any queue that marks for one of these.
    pub classic_ecn_fallback_everywhere: bool,
    /// Whether the controller answers marks by their share, of those that can.
    pub answers_marks: AnswersMarks,
    /// A receiver echoes whether the last segment was marked (RFC 8257 section 3.2), with ECN of RFC 3168.
    pub exact_echo: bool,
    /// A window that was not used up for a timeout is halved towards what was used (RFC 2861, Linux
    /// `tcp_cwnd_application_limited`).
    pub window_validation: bool,
    /// Interrupts of the kernel a second, at which its timers fire (`CONFIG_HZ` of Linux); 0: timers fire
    /// exactly.
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
        acknowledgement_compression: false,
        accurate_ecn_option: false,
        continuous_mark_test: false,
        classic_ecn_fallback: false,
        classic_ecn_fallback_everywhere: false,
        answers_marks: AnswersMarks::Never,
        exact_echo: false,
        window_validation: false,
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
    /// Those of one kernel, which come to all hosts at once and are counted from the start of the run: hosts
    /// are network namespaces of one machine.
    Shared,
}
