//! Single fields of a named profile, changed by a scenario.

use super::{
    AckCounting, Classic, ClassicWindow, Ecn, EcnFallback, Extensions, HostProfile, Modern, OutputRoutine,
    Stack, TimerPhase, WindowUpdates,
};
use crate::congestion::{AnswersMarks, Congestion, HyStart};
use aqmlab_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Timestamps in a header of whole words (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u16 = 12;
/// The same beside the option that permits selective acknowledgements, which shares its words.
const TIMESTAMP_BYTES_IN_SYN: u16 = 8;
/// Least headers with timestamps; and the greatest that leave room for blocks.
const HEADER_WITH_TIMESTAMPS: u16 = 40 + TIMESTAMP_BYTES;
const SYN_HEADER_WITH_TIMESTAMPS: u16 = 60;
const HEADER_WITH_BLOCKS: u16 = 84;
/// In effect unlimited.
const MOST_WINDOW_BYTES: u32 = 1_000_000_000;
const MOST_ACKNOWLEDGED_SEGMENTS: u8 = 100;

/// Declares the overrides: optional fields, with the least and the greatest value of those that have a range,
/// for the schema and for the check.
macro_rules! overrides {
    ($(#[$about:meta])* pub struct $overrides:ident {
        $($(#[$meaning:meta])* pub $key:ident: Option<$type:ty> $(= $least:literal to $most:expr)?,)+
    }) => {
        $(#[$about])*
        pub struct $overrides {
            $($(#[$meaning])* $(#[schemars(range(min = $least, max = $most))])? pub $key: Option<$type>,)+
        }

        impl $overrides {
            /// The names of all of them.
            pub const KEYS: &'static [&'static str] = &[$(stringify!($key)),+];

            /// Refuses the first value that is out of its range.
            fn check_ranges(&self) -> Result<(), IllegalOverride> {
                $($(
                    if let Some(value) = self.$key {
                        within(stringify!($key), value, $least, $most)?;
                    }
                )?)+
                Ok(())
            }
        }
    };
}

overrides! {
/// Changes to a named [`HostProfile`]; missing keys keep the profile's value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostOverrides {
    /// Maximum segment size in bytes of data.
    pub maximum_segment_bytes: Option<u16> = 1 to 9_000,
    /// IP and TCP header of every segment but SYN in bytes: 52 with timestamps.
    pub header_bytes: Option<u16> = 40 to 120,
    /// IP and TCP header of SYN and SYN/ACK in bytes: 60 with MSS, window scale and timestamps.
    pub syn_header_bytes: Option<u16> = 40 to 120,
    /// The receive buffer, the advertised window when everything is read, in bytes, at least one segment; the
    /// greatest is in effect unlimited.
    pub window_bytes: Option<u32> = 1 to MOST_WINDOW_BYTES,
    /// Initial congestion window in segments, before the passive opener's quirk.
    pub initial_window_segments: Option<u8> = 1 to 100,
    /// Whether the handshake's acknowledgement opens the passive opener's window by a segment.
    pub passive_window_quirk: Option<bool>,
    /// Whether the first two duplicate acknowledgements release a new segment each.
    pub limited_transmit: Option<bool>,
    /// Most segments sent at a time; the greatest: no limit in effect.
    pub maximum_burst_segments: Option<u16> = 1 to 65_535,
    /// Timeout of the first SYN and of data before a round-trip sample, in milliseconds; in whole ticks, at
    /// least one, in `bsd228` (500 ms), `bsd45`, `ns2-oneway` and `ns2-full` (10 ms).
    pub initial_rto_ms: Option<u32> = 10 to 60_000,
    /// Least retransmission timeout in milliseconds.
    pub minimum_rto_ms: Option<u32> = 0 to 60_000,
    /// Greatest retransmission timeout in milliseconds.
    pub maximum_rto_ms: Option<u32> = 1_000 to 600_000,
    /// Acknowledge every n-th segment at once: 1 delays none, except short segments in `bsd228` and
    /// `ns2-full`, which count bytes; there n segments are at most 65,535 bytes.
    pub acknowledge_every_segments: Option<u8> = 1 to MOST_ACKNOWLEDGED_SEGMENTS,
    /// How long an acknowledgement may be delayed in milliseconds; in `bsd45` in whole ticks of 10 ms, at
    /// least one.
    pub delayed_ack_ms: Option<u32> = 1 to 500,
    /// When the application reads, and sends an update if the window moved by two segments or half of the
    /// buffer: `"never"` (it reads before acknowledgements leave), `"each-segment"` or
    /// `"each-acknowledgement"` (it reads after each of them). `ns2-oneway` and `ns2-full` have `"never"`
    /// alone.
    pub window_updates: Option<WindowUpdates>,
    /// Whether a partial segment waits while data are outstanding.
    pub nagle: Option<bool>,
    /// Whether the socket layer hands writes to TCP in clusters and small buffers, as FreeBSD's; `false`:
    /// whole.
    pub cluster_writes: Option<bool>,
    /// Whether writes of 101 to 207 bytes are cut after 100 bytes, as in FreeBSD 2.2; `true` in `bsd228`
    /// alone.
    pub small_write_split: Option<bool>,
    /// Congestion control of a `linux6` profile, instead of the one in its name; `"dctcp"`, `"prague"` and
    /// `"bbr-l4s-v2"` bring accurate ECN, `"ledbat"` yields, `"agent"` has a window that is set during the
    /// run.
    pub congestion: Option<Congestion>,
    /// Explicit congestion notification: `"off"`, `"on"` (as the profile's stack does it), `"rfc3168"`,
    /// `"kame"`, `"accurate"`.
    pub ecn: Option<EcnRule>,
    /// The window in segments below which an ECN-Echo does not take it, 1 or 2: 1 by KAME's rule, 2 as after
    /// a loss in FreeBSD. Of `ecn = "kame"` alone.
    pub ecn_least_window_segments: Option<u8> = 1 to 2,
    /// Whether a lost SYN gives up ECN for the connection, and in profiles other than `linux6` a lost
    /// SYN/ACK; in `linux6` it does unless this is `false` (`tcp_ecn_fallback`). Accurate ECN is given up
    /// after two of either.
    pub ecn_fallback_on_syn_loss: Option<bool>,
    /// Whether every segment carries a timestamp (RFC 7323). Without them headers are 12 bytes smaller and
    /// segments as much larger, where these are not given. `true` in `linux6` alone.
    pub timestamps: Option<bool>,
    /// Whether the window shrinks as data arrive (RFC 6937) instead of at once (RFC 6675); `true` in `linux6`
    /// alone.
    pub proportional_rate_reduction: Option<bool>,
    /// Whether losses are detected by send times (RFC 8985) instead of three duplicates (RFC 6675); `true` in
    /// `linux6` alone.
    pub rack: Option<bool>,
    /// Whether a probe is sent after two round trips without an acknowledgement (RFC 8985 section 7); `true`
    /// in `linux6` alone.
    pub tail_loss_probe: Option<bool>,
    /// Whether a timeout is taken back when originals are acknowledged after it (RFC 5682, F-RTO); `true` in
    /// `linux6` alone.
    pub forward_recovery: Option<bool>,
    /// Whether segments leave at a rate, as of Linux's `fq`; `true` in `linux6` alone, and always with Prague
    /// and the BBR controllers.
    pub pacing: Option<bool>,
    /// Whether a receiver acknowledges every segment while the connection is young; `true` in `linux6` alone.
    pub quick_acknowledgements: Option<bool>,
    /// Whether a receiver reports what lies beyond a hole at once three times only, then for a millisecond at
    /// a time (Linux `tcp_comp_sack_delay_ns`); `true` in `linux6` alone.
    pub acknowledgement_compression: Option<bool>,
    /// Whether acknowledgements also count bytes, in an option of 12 bytes (RFC 9768 section 3.2.3): marks
    /// stay exact where acknowledgements get lost or are filtered. Only with accurate ECN.
    pub accurate_ecn_option: Option<bool>,
    /// Whether a sender gives up ECN for a connection whose first four rounds came back with everything
    /// marked, be it by a queue, as RFC 9768 section 3.2.2.3 advises; `false`, the default, goes on, as
    /// Linux. Only with accurate ECN.
    pub continuous_mark_test: Option<bool>,
    /// Whether Prague detects, by how its round trip varies, queues that mark by RFC 3168, and then reduces
    /// its window at a mark nearly as CUBIC does; `false` by default, as in Linux. Only with `congestion =
    /// "prague"`, and with ECN.
    pub classic_ecn_fallback: Option<bool>,
    /// Whether that fallback takes any queue that marks for a classic one, as kernels of the L4S team do
    /// whose α has 24 bits: its constants are those for 20 there. Only with `classic_ecn_fallback`.
    pub classic_ecn_fallback_everywhere: Option<bool>,
    /// Whether a BBR sender answers marks by their share: `"never"`, `"up-to-5-ms"` (from the first round
    /// trip of 5 ms or less on) or `"always"`; with accurate ECN it sends ECT(1) then. `"never"` in
    /// `bbr-linux-v2` and `bbr-linux-v3`, `"always"` in `bbr-l4s-v2`; no other controller has it. Only with
    /// ECN.
    pub answers_marks: Option<AnswersMarks>,
    /// Whether a receiver with ECN of RFC 3168 echoes just whether the last segment was marked, and
    /// acknowledges at once where that changes (RFC 8257 section 3.2), as Google's hosts with BBR; `false`
    /// echoes a mark until the sender has reacted. `linux6` alone.
    pub exact_echo: Option<bool>,
    /// Whether a window that the application did not use up for a timeout is halved towards what it used (RFC
    /// 2861, Linux `tcp_cwnd_application_limited`); `false`, the default: only pauses reduce it. `linux6`
    /// alone.
    pub window_validation: Option<bool>,
    /// Interrupts a second at which the kernel's timers fire, late by up to two of them and 8/63 of the wait
    /// (Linux; 250 in most distributions); 0, the default: exactly. `linux6` alone.
    pub timer_hz: Option<u16> = 0 to 1000,
    /// Which hosts share the interrupts of `timer_hz`: `"own"`, the default (each machine has a random
    /// phase), or `"shared"` (all hosts, like network namespaces of one machine). Only with `timer_hz`.
    pub timer_phase: Option<TimerPhase>,
    /// How slow start ends before a loss: `"off"`, `"linux"` (HyStart), `"plus-plus"` (RFC 9406); in
    /// `linux6-cubic` alone.
    pub hystart: Option<HyStart>,
}
}

/// Declares the extensions that are on or off: each has the name of its override.
macro_rules! switches {
    ($($key:ident,)+) => {
        impl HostOverrides {
            fn switches(&self) -> impl IntoIterator<Item = (&'static str, Option<bool>)> {
                [$((stringify!($key), self.$key)),+]
            }
        }

        impl Extensions {
            fn switch(&mut self, overrides: &HostOverrides) {
                $(set(&mut self.$key, overrides.$key);)+
            }
        }
    };
}

switches! {
    timestamps, proportional_rate_reduction, rack, tail_loss_probe, forward_recovery, pacing,
    quick_acknowledgements, acknowledgement_compression, accurate_ecn_option, continuous_mark_test,
    classic_ecn_fallback, classic_ecn_fallback_everywhere, exact_echo, window_validation,
}

/// Names of the rules of explicit congestion notification in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnRule {
    /// Not negotiated.
    Off,
    /// As the profile's stack does it: KAME in `bsd228` (which had none) and `bsd45`, RFC 3168 in `rfc5681`,
    /// `linux6-reno` and `linux6-cubic`, accurate in `linux6-dctcp`, ns-2's in `ns2-oneway` and `ns2-full`.
    On,
    /// RFC 3168 to the letter; not for `ns2-oneway`, `ns2-full` and `linux6-dctcp`.
    Rfc3168,
    /// The KAME/ALTQ lineage; only for `bsd228`, `bsd45` and `rfc5681`.
    Kame,
    /// Acknowledgements count marked packets (RFC 9768); only for the `linux6` profiles.
    Accurate,
}

/// A value that a profile cannot take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalOverride {
    /// The field, by its name in [`HostOverrides`].
    pub key: &'static str,
    /// The value offered.
    pub value: String,
    /// What is legal.
    pub legal: String,
}

impl fmt::Display for IllegalOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: legal is {}", self.key, self.value, self.legal)
    }
}

impl std::error::Error for IllegalOverride {}

/// Refuses a value that does not lie between the bounds, both included.
fn within<N: PartialOrd + fmt::Display>(
    key: &'static str,
    value: N,
    least: N,
    most: N,
) -> Result<(), IllegalOverride> {
    if value >= least && value <= most {
        Ok(())
    } else {
        Err(IllegalOverride { key, value: value.to_string(), legal: format!("{least} to {most}") })
    }
}

/// Changes a setting, where an override does.
fn set<T>(setting: &mut T, wanted: Option<T>) {
    if let Some(wanted) = wanted {
        *setting = wanted;
    }
}

fn milliseconds(number: u32) -> Span {
    Span::from_milliseconds(number.into())
}

/// A switch of a stack that this profile is not.
fn not_in(key: &'static str, profile: &str) -> IllegalOverride {
    IllegalOverride {
        key,
        value: "true".into(),
        legal: format!("false in {profile}, whose stack does not do that"),
    }
}

impl HostProfile {
    /// This profile with some fields changed.
    ///
    /// # Errors
    /// [`IllegalOverride`] for the first value out of its range, or that contradicts another.
    pub fn with(mut self, overrides: &HostOverrides) -> Result<Self, IllegalOverride> {
        overrides.check_ranges()?;
        self.change_sizes(overrides)?;
        self.change_sending(overrides)?;
        self.change_timers(overrides)?;
        self.change_acknowledging(overrides)?;
        self.change_writing(overrides)?;
        self.change_extensions(overrides)?;
        if let Some(rule) = overrides.ecn {
            self.ecn = self.ecn_rule(rule)?;
        }
        self.check_uses_of_ecn(overrides)?;
        if let Some(segments) = overrides.ecn_least_window_segments {
            self.ecn_least_window_segments = self.least_window_on_echo(segments)?;
        }
        if let Some(fallback) = overrides.ecn_fallback_on_syn_loss {
            self.ecn_fallback = match fallback {
                false => EcnFallback::Never,
                true if self.has_options() => EcnFallback::Syn,
                true => EcnFallback::SynAndSynAck,
            };
        }
        Ok(self)
    }

    /// Refuses what is about marks, or about reports of them, without the kind of ECN that it is about.
    fn check_uses_of_ecn(&self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        let refused = |key, value: &str, legal: &str| {
            Err(IllegalOverride { key, value: value.into(), legal: legal.into() })
        };
        let extensions = self.extensions();
        let of_accurate_ecn = [
            ("accurate_ecn_option", extensions.accurate_ecn_option),
            ("continuous_mark_test", extensions.continuous_mark_test),
        ];
        if let Some((key, _)) =
            of_accurate_ecn.into_iter().find(|(_, is_on)| *is_on && self.ecn != Ecn::Accurate)
        {
            return refused(key, "true", "false without accurate ECN, which it is about");
        }
        if extensions.exact_echo && self.ecn != Ecn::Rfc3168 {
            return refused("exact_echo", "true", "false without ECN of RFC 3168, whose echo it is about");
        }
        if self.ecn != Ecn::Off {
            return Ok(());
        }
        if extensions.classic_ecn_fallback {
            let legal = "false with ecn = \"off\": there is no mark to answer";
            return refused("classic_ecn_fallback", "true", legal);
        }
        // A controller may have a rule of its own, which asks for nothing.
        match overrides.answers_marks.filter(|rule| *rule != AnswersMarks::Never) {
            Some(rule) => {
                refused("answers_marks", rule.name(), "never without ECN: give ecn = \"on\" as well")
            }
            None => Ok(()),
        }
    }

    fn change_sizes(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        set(&mut self.maximum_segment_bytes, overrides.maximum_segment_bytes);
        set(&mut self.header_bytes, overrides.header_bytes);
        set(&mut self.syn_header_bytes, overrides.syn_header_bytes);
        set(&mut self.window_bytes, overrides.window_bytes);
        within("window_bytes", self.window_bytes, self.segment_bytes(), MOST_WINDOW_BYTES)
    }

    fn change_sending(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        set(&mut self.initial_window_segments, overrides.initial_window_segments);
        let name = self.name;
        match &mut self.stack {
            Stack::Classic(classic) => classic.change(name, overrides)?,
            Stack::Modern(_) if overrides.passive_window_quirk == Some(true) => {
                return Err(not_in("passive_window_quirk", name));
            }
            Stack::Modern(_) if overrides.limited_transmit == Some(false) => {
                return Err(IllegalOverride {
                    key: "limited_transmit",
                    value: "false".into(),
                    legal: format!("true in {name}, whose scoreboard implies it"),
                });
            }
            Stack::Modern(_) => {}
        }
        set(&mut self.maximum_burst_segments, overrides.maximum_burst_segments.map(Some));
        set(&mut self.nagle, overrides.nagle);
        Ok(())
    }

    fn change_timers(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        let timer = &mut self.retransmission;
        set(&mut timer.initial, overrides.initial_rto_ms.map(milliseconds));
        set(&mut timer.minimum, overrides.minimum_rto_ms.map(milliseconds));
        set(&mut timer.maximum, overrides.maximum_rto_ms.map(milliseconds));
        if timer.minimum.max(timer.initial) > timer.maximum {
            return Err(IllegalOverride {
                key: "maximum_rto_ms",
                value: timer.maximum.div_floor(Span::from_milliseconds(1)).to_string(),
                legal: "at least initial_rto_ms and minimum_rto_ms".into(),
            });
        }
        Ok(())
    }

    fn change_acknowledging(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        set(&mut self.delayed_ack.every_segments, overrides.acknowledge_every_segments);
        set(&mut self.delayed_ack.delay, overrides.delayed_ack_ms.map(milliseconds));
        if let Some(updates) = overrides.window_updates {
            self.window_updates = self.updates_of(updates)?;
        }
        if self.delayed_ack.counting == AckCounting::Bytes {
            // What is owed is counted in 16 bits, which also bound every window that is not scaled.
            let most = (u32::from(u16::MAX) / self.segment_bytes()).min(MOST_ACKNOWLEDGED_SEGMENTS.into());
            let every = u32::from(self.delayed_ack.every_segments);
            within("acknowledge_every_segments", every, 1, most)?;
        }
        Ok(())
    }

    fn updates_of(&self, updates: WindowUpdates) -> Result<WindowUpdates, IllegalOverride> {
        let name = match updates {
            WindowUpdates::Never => return Ok(updates),
            WindowUpdates::EachSegment => "each-segment",
            WindowUpdates::EachAcknowledgement => "each-acknowledgement",
        };
        if self.output_routine() == Some(OutputRoutine::TcpOutput) {
            return Ok(updates);
        }
        let legal = format!("never in {}, whose receivers advertise no window", self.name);
        Err(IllegalOverride { key: "window_updates", value: name.into(), legal })
    }

    fn change_writing(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        if overrides.cluster_writes == Some(true) && self.write_cluster_bytes.is_none() {
            return Err(not_in("cluster_writes", self.name));
        }
        if overrides.small_write_split == Some(true) && self.small_write.is_none() {
            return Err(not_in("small_write_split", self.name));
        }
        if overrides.cluster_writes == Some(false) {
            self.write_cluster_bytes = None;
            self.small_write = None;
        }
        if overrides.small_write_split == Some(false) {
            self.small_write = None;
        }
        Ok(())
    }

    fn change_extensions(&mut self, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        let name = self.name;
        if let (true, Some(congestion)) = (self.has_options(), overrides.congestion) {
            if let Congestion::Own(own) = congestion {
                let refused = |(value, legal)| IllegalOverride { key: "congestion", value, legal };
                own.validate().map_err(refused)?;
            }
            let accurate = congestion.habits().needs_accurate_ecn;
            self.ecn = if accurate { Ecn::Accurate } else { Ecn::Off };
            self.stack = Self::linux6(congestion);
        }
        let Stack::Modern(modern) = &mut self.stack else { return overrides.refuse_extensions(name) };
        let had_timestamps = modern.extensions.timestamps;
        modern.change(name, overrides)?;
        let has_timestamps = modern.extensions.timestamps;
        if had_timestamps && !has_timestamps {
            self.leave_out_timestamps(overrides);
        }
        let (least, least_of_syn) =
            if has_timestamps { (HEADER_WITH_TIMESTAMPS, SYN_HEADER_WITH_TIMESTAMPS) } else { (40, 40) };
        within("header_bytes", self.header_bytes, least, HEADER_WITH_BLOCKS)?;
        within("syn_header_bytes", self.syn_header_bytes, least_of_syn, HEADER_WITH_BLOCKS)?;
        Ok(())
    }

    /// What timestamps leave free are data, where a scenario does not say sizes itself.
    fn leave_out_timestamps(&mut self, overrides: &HostOverrides) {
        if overrides.header_bytes.is_none() {
            self.header_bytes -= TIMESTAMP_BYTES;
        }
        if overrides.syn_header_bytes.is_none() {
            self.syn_header_bytes -= TIMESTAMP_BYTES_IN_SYN;
        }
        if overrides.maximum_segment_bytes.is_none() {
            self.maximum_segment_bytes += TIMESTAMP_BYTES;
        }
    }

    fn least_window_on_echo(&self, segments: u8) -> Result<u8, IllegalOverride> {
        if segments > 1 && self.ecn != Ecn::Kame {
            return Err(IllegalOverride {
                key: "ecn_least_window_segments",
                value: segments.to_string(),
                legal: "1, or 2 together with ecn = \"kame\"".into(),
            });
        }
        Ok(segments)
    }

    fn ecn_rule(&self, rule: EcnRule) -> Result<Ecn, IllegalOverride> {
        let ecn = match &self.stack {
            Stack::Classic(classic) => classic.ecn_rule(rule),
            Stack::Modern(modern) => modern.ecn_rule(rule),
        };
        ecn.map_err(|legal| IllegalOverride {
            key: "ecn",
            value: format!("{rule:?}").to_lowercase(),
            legal: format!("{legal} in {}", self.name),
        })
    }
}

impl HostOverrides {
    /// What only modern stacks have is refused by a classic one.
    fn refuse_extensions(&self, name: &str) -> Result<(), IllegalOverride> {
        if let Some((key, _)) = self.switches().into_iter().find(|(_, wanted)| *wanted == Some(true)) {
            return Err(not_in(key, name));
        }
        let refused = |key, value: String, legal| Err(IllegalOverride { key, value, legal });
        if let Some(hz) = self.timer_hz.filter(|hz| *hz > 0) {
            return refused("timer_hz", hz.to_string(), format!("0 in {name}, whose timers are its own"));
        }
        if let Some(phase) = self.timer_phase {
            return refused("timer_phase", phase_name(phase), PHASE_WITHOUT_INTERRUPTS.into());
        }
        if let Some(congestion) = self.congestion {
            let legal = format!("none in {name}, which has a window of its own; linux6 profiles take one");
            return refused("congestion", congestion.name().into(), legal);
        }
        if let Some(rule) = self.answers_marks.filter(|rule| *rule != AnswersMarks::Never) {
            return Err(no_answer(rule, name, "its own window"));
        }
        match self.hystart {
            None | Some(HyStart::Off) => Ok(()),
            Some(rule) => {
                refused("hystart", hystart_name(rule), format!("off in {name}, which is not CUBIC"))
            }
        }
    }
}

/// Marks are answered by their share where a controller has that.
fn no_answer(rule: AnswersMarks, profile: &str, what: &str) -> IllegalOverride {
    let legal = format!("never in {profile} with {what}; BBR of versions 2 and 3 has it");
    IllegalOverride { key: "answers_marks", value: rule.name().into(), legal }
}

/// What is legal for a phase of interrupts that there are not.
const PHASE_WITHOUT_INTERRUPTS: &str = "none without timer_hz, whose interrupts it is about";

fn phase_name(phase: TimerPhase) -> String {
    if phase == TimerPhase::Own { "own" } else { "shared" }.into()
}

fn hystart_name(rule: HyStart) -> String {
    if rule == HyStart::Linux { "linux" } else { "plus-plus" }.into()
}

impl Classic {
    fn change(&mut self, name: &str, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        set(&mut self.passive_window_quirk, overrides.passive_window_quirk);
        if let Some(limited) = overrides.limited_transmit {
            if limited && (self.is_bsd() || self.output_routine == OutputRoutine::Foutput) {
                return Err(IllegalOverride {
                    key: "limited_transmit",
                    value: "true".into(),
                    legal: format!("false in {name}, which does not have it"),
                });
            }
            self.limited_transmit = limited;
        }
        Ok(())
    }

    const fn is_bsd(&self) -> bool {
        matches!(self.window, ClassicWindow::FreeBsd2 | ClassicWindow::FreeBsd4)
    }

    /// What a rule means to this stack, or what is legal.
    const fn ecn_rule(&self, rule: EcnRule) -> Result<Ecn, &'static str> {
        match (rule, self.window) {
            (EcnRule::Off, _) => Ok(Ecn::Off),
            (EcnRule::On, ClassicWindow::Ns2) => Ok(Ecn::Ns2),
            (EcnRule::On, ClassicWindow::Ns2Full) => Ok(Ecn::Ns2Full),
            (_, ClassicWindow::Ns2 | ClassicWindow::Ns2Full) => Err("off or on"),
            (EcnRule::Accurate, _) => Err("off, on, rfc3168 or kame"),
            (EcnRule::On, _) if self.is_bsd() => Ok(Ecn::Kame),
            (EcnRule::On | EcnRule::Rfc3168, _) => Ok(Ecn::Rfc3168),
            (EcnRule::Kame, _) => Ok(Ecn::Kame),
        }
    }
}

impl Modern {
    fn change(&mut self, name: &str, overrides: &HostOverrides) -> Result<(), IllegalOverride> {
        if overrides.pacing == Some(false) && self.congestion.habits().needs_pacing {
            let legal = format!("true in {name} with {}, which sends at a rate", self.congestion.name());
            return Err(IllegalOverride { key: "pacing", value: "false".into(), legal });
        }
        self.extensions.switch(overrides);
        if self.extensions.classic_ecn_fallback && !self.congestion.habits().has_classic_ecn_fallback {
            let legal = format!("false in {name} with {}, which does not have it", self.congestion.name());
            return Err(IllegalOverride { key: "classic_ecn_fallback", value: "true".into(), legal });
        }
        if self.extensions.classic_ecn_fallback_everywhere && !self.extensions.classic_ecn_fallback {
            let (key, legal) = ("classic_ecn_fallback_everywhere", "false without classic_ecn_fallback");
            return Err(IllegalOverride { key, value: "true".into(), legal: legal.into() });
        }
        set(&mut self.extensions.timer_hz, overrides.timer_hz);
        if let Some(phase) = overrides.timer_phase {
            if self.extensions.timer_hz == 0 {
                let legal = PHASE_WITHOUT_INTERRUPTS.into();
                return Err(IllegalOverride { key: "timer_phase", value: phase_name(phase), legal });
            }
            self.extensions.timer_phase = phase;
        }
        if let Some(rule) = overrides.answers_marks {
            if rule != AnswersMarks::Never && self.congestion.habits().answers_marks.is_none() {
                return Err(no_answer(rule, name, self.congestion.name()));
            }
            self.extensions.answers_marks = rule;
        }
        if let Some(rule) = overrides.hystart {
            if rule != HyStart::Off && !self.congestion.habits().has_hystart {
                let legal = format!("off in {name} with {}, which does not have it", self.congestion.name());
                return Err(IllegalOverride { key: "hystart", value: hystart_name(rule), legal });
            }
            self.extensions.hystart = rule;
        }
        Ok(())
    }

    /// What a rule means to this stack, or what is legal.
    const fn ecn_rule(&self, rule: EcnRule) -> Result<Ecn, &'static str> {
        match (rule, self.congestion.habits().needs_accurate_ecn) {
            (EcnRule::Off, _) => Ok(Ecn::Off),
            (EcnRule::Accurate, _) | (EcnRule::On, true) => Ok(Ecn::Accurate),
            (_, true) => Err("off, on or accurate"),
            (EcnRule::On | EcnRule::Rfc3168, false) => Ok(Ecn::Rfc3168),
            (EcnRule::Kame, false) => Err("off, on, rfc3168 or accurate"),
        }
    }
}

#[cfg(test)]
mod tests;
