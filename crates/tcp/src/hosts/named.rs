//! The named host profiles.

use super::{
    AckCounting, AckTimer, Classic, ClassicWindow, DelayedAck, Ecn, EcnFallback, Extensions, Handshake,
    HostProfile, IdleRestart, Modern, OutputRoutine, Recovery, RetransmissionTimer, RtoAlgorithm, SmallWrite,
    Stack, TimerPhase, WindowUpdates,
};
use crate::congestion::{AnswersMarks, Congestion, HyStart};
use aqmlab_units::Span;

impl HostProfile {
    /// Every name that [`HostProfile::named`] knows.
    pub const NAMES: [&'static str; 8] = [
        "bsd228",
        "bsd45",
        "rfc5681",
        "ns2-oneway",
        "ns2-full",
        "linux6-reno",
        "linux6-cubic",
        "linux6-dctcp",
    ];

    /// The profile with this name, if there is one.
    ///
    /// - `bsd228`: the FreeBSD 2.2.8 hosts of Christiansen, Jeffay, Ott and Smith, SIGCOMM 2000.
    /// - `bsd45`: the FreeBSD 4.5 hosts of Le, Aikat, Jeffay and Smith, SIGCOMM 2003.
    /// - `rfc5681`: the standards, RFC 5681, 6582, 3042, 6298, as written.
    /// - `ns2-oneway`: Agent/TCP/Newreno with TCPSink of ns-2.35.
    /// - `ns2-full`: Agent/TCP/FullTcp/Newreno of ns-2.35, as PackMime uses it in studies with many congested
    ///   links.
    /// - `linux6-reno`, `linux6-cubic`, `linux6-dctcp`: Linux of the 6 series, with these congestion
    ///   controls.
    #[must_use]
    pub const fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"bsd228" => Some(Self::BSD228),
            b"bsd45" => Some(Self::BSD45),
            b"rfc5681" => Some(Self::RFC5681),
            b"ns2-oneway" => Some(Self::NS2_ONEWAY),
            b"ns2-full" => Some(Self::NS2_FULL),
            b"linux6-reno" => Some(Self::LINUX6_RENO),
            b"linux6-cubic" => Some(Self::LINUX6_CUBIC),
            b"linux6-dctcp" => Some(Self::LINUX6_DCTCP),
            _ => None,
        }
    }

    const BSD228: Self = Self {
        name: "bsd228",
        maximum_segment_bytes: 1460,
        header_bytes: 40,
        syn_header_bytes: 44,
        window_bytes: 17_520,
        initial_window_segments: 1,
        syn_loss_reduces_initial_window: true,
        stack: Stack::Classic(Classic {
            handshake: Handshake::ThreeWay,
            window: ClassicWindow::FreeBsd2,
            recovery: Recovery::BsdReno,
            output_routine: OutputRoutine::TcpOutput,
            idle_restart: IdleRestart::SinceReceived,
            limited_transmit: false,
            passive_window_quirk: true,
            initial_slow_start_threshold_bytes: Some(65_535 << 14),
        }),
        maximum_burst_segments: None,
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Bsd { minimum_before_backoff: false, counts_first_tick: true },
            tick: Span::from_milliseconds(500),
            initial: Span::from_milliseconds(3_000),
            minimum: Span::from_milliseconds(1_000),
            maximum: Span::from_milliseconds(64_000),
            linear_syn_backoff: false,
            maximum_retransmissions: Some(12),
            connection_timeout: Some(Span::from_milliseconds(75_000)),
            repeated_syn_answered: false,
        },
        delayed_ack: DelayedAck {
            every_segments: 2,
            delay: Span::from_milliseconds(200),
            counting: AckCounting::Bytes,
            timer: AckTimer::MachineTick,
        },
        window_updates: WindowUpdates::EachSegment,
        nagle: true,
        write_cluster_bytes: Some(2048),
        write_announces_more: false,
        small_write: Some(SmallWrite { piece_bytes: 100, cluster_from_bytes: 208 }),
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Never,
    };

    const BSD45: Self = Self {
        name: "bsd45",
        maximum_segment_bytes: 1460,
        header_bytes: 40,
        syn_header_bytes: 44,
        window_bytes: 17_520,
        initial_window_segments: 1,
        syn_loss_reduces_initial_window: false,
        stack: Stack::Classic(Classic {
            handshake: Handshake::ThreeWay,
            window: ClassicWindow::FreeBsd4,
            recovery: Recovery::BsdNewReno,
            output_routine: OutputRoutine::TcpOutput,
            idle_restart: IdleRestart::SinceReceived,
            limited_transmit: false,
            passive_window_quirk: true,
            // TCP_MAXWIN << TCP_MAX_WINSHIFT: slow start ends at the first loss.
            initial_slow_start_threshold_bytes: Some(65_535 << 14),
        }),
        maximum_burst_segments: Some(4),
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Bsd { minimum_before_backoff: true, counts_first_tick: false },
            tick: Span::from_milliseconds(10),
            initial: Span::from_milliseconds(3_000),
            minimum: Span::from_milliseconds(1_000),
            maximum: Span::from_milliseconds(64_000),
            linear_syn_backoff: true,
            maximum_retransmissions: Some(12),
            connection_timeout: Some(Span::from_milliseconds(75_000)),
            repeated_syn_answered: true,
        },
        delayed_ack: DelayedAck {
            every_segments: 2,
            delay: Span::from_milliseconds(100),
            counting: AckCounting::Segments,
            timer: AckTimer::OwnTimer,
        },
        window_updates: WindowUpdates::EachAcknowledgement,
        nagle: false,
        write_cluster_bytes: Some(2048),
        write_announces_more: true,
        small_write: None,
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Never,
    };

    const RFC5681: Self = Self {
        name: "rfc5681",
        maximum_segment_bytes: 1460,
        header_bytes: 40,
        syn_header_bytes: 44,
        window_bytes: 65_535,
        initial_window_segments: 3,
        syn_loss_reduces_initial_window: true,
        stack: Stack::Classic(Classic {
            handshake: Handshake::ThreeWay,
            window: ClassicWindow::Rfc5681,
            recovery: Recovery::NewReno,
            output_routine: OutputRoutine::TcpOutput,
            idle_restart: IdleRestart::SinceSent,
            limited_transmit: true,
            passive_window_quirk: false,
            initial_slow_start_threshold_bytes: Some(u32::MAX),
        }),
        maximum_burst_segments: None,
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Rfc6298,
            tick: Span::from_milliseconds(1),
            initial: Span::from_milliseconds(1_000),
            minimum: Span::from_milliseconds(1_000),
            maximum: Span::from_milliseconds(60_000),
            linear_syn_backoff: false,
            maximum_retransmissions: Some(15),
            connection_timeout: Some(Span::from_milliseconds(180_000)),
            repeated_syn_answered: true,
        },
        delayed_ack: DelayedAck {
            every_segments: 2,
            delay: Span::from_milliseconds(200),
            counting: AckCounting::Segments,
            timer: AckTimer::OwnTimer,
        },
        window_updates: WindowUpdates::Never,
        nagle: false,
        write_cluster_bytes: None,
        write_announces_more: true,
        small_write: None,
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Never,
    };

    const NS2_ONEWAY: Self = Self {
        name: "ns2-oneway",
        maximum_segment_bytes: 960,
        header_bytes: 40,
        syn_header_bytes: 40,
        window_bytes: 20 * 960,
        initial_window_segments: 2,
        syn_loss_reduces_initial_window: true,
        stack: Stack::Classic(Classic {
            handshake: Handshake::OneWay,
            window: ClassicWindow::Ns2,
            recovery: Recovery::Ns2NewReno,
            output_routine: OutputRoutine::SendMuch,
            idle_restart: IdleRestart::SinceAcknowledged,
            limited_transmit: true,
            passive_window_quirk: false,
            initial_slow_start_threshold_bytes: None,
        }),
        maximum_burst_segments: None,
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Ns2,
            tick: Span::from_milliseconds(10),
            initial: Span::from_milliseconds(3_000),
            minimum: Span::from_milliseconds(200),
            maximum: Span::from_milliseconds(60_000),
            linear_syn_backoff: false,
            maximum_retransmissions: None,
            connection_timeout: None,
            repeated_syn_answered: true,
        },
        delayed_ack: DelayedAck {
            every_segments: 1,
            delay: Span::from_milliseconds(100),
            counting: AckCounting::Segments,
            timer: AckTimer::OwnTimer,
        },
        window_updates: WindowUpdates::Never,
        nagle: false,
        write_cluster_bytes: None,
        write_announces_more: true,
        small_write: None,
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Never,
    };

    /// The first timeout is that of ns-2 since 2006-01-21, before which it was 6 s; PackMime entered it
    /// twelve days later. The minimum is what PackMime's own scripts set; ns-2's default is 0.2 s since
    /// 2004-10-14.
    const NS2_FULL: Self = Self {
        name: "ns2-full",
        maximum_segment_bytes: 1460,
        header_bytes: 40,
        syn_header_bytes: 40,
        window_bytes: 30 * 1460,
        initial_window_segments: 2,
        syn_loss_reduces_initial_window: false,
        stack: Stack::Classic(Classic {
            handshake: Handshake::ThreeWay,
            window: ClassicWindow::Ns2Full,
            recovery: Recovery::Ns2FullNewReno,
            output_routine: OutputRoutine::Foutput,
            idle_restart: IdleRestart::SinceData,
            limited_transmit: false,
            passive_window_quirk: false,
            initial_slow_start_threshold_bytes: None,
        }),
        maximum_burst_segments: None,
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Ns2,
            tick: Span::from_milliseconds(10),
            initial: Span::from_milliseconds(3_000),
            minimum: Span::from_milliseconds(1_000),
            maximum: Span::from_milliseconds(60_000),
            linear_syn_backoff: false,
            maximum_retransmissions: None,
            connection_timeout: None,
            repeated_syn_answered: false,
        },
        delayed_ack: DelayedAck {
            every_segments: 1,
            delay: Span::from_milliseconds(100),
            counting: AckCounting::Bytes,
            timer: AckTimer::RunTick,
        },
        window_updates: WindowUpdates::Never,
        nagle: true,
        write_cluster_bytes: None,
        write_announces_more: true,
        small_write: None,
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Never,
    };

    /// Defaults of its `sysctl`s: SACK, timestamps, RACK and TLP (`tcp_recovery` 1, `tcp_early_retrans` 3),
    /// F-RTO (`tcp_frto` 2), an initial window of ten (RFC 6928), restart after a pause; timeouts of 200 ms
    /// to 120 s, 1 s before a sample (include/net/tcp.h), six SYNs more after four a second apart. The
    /// receive window is the greatest of `tcp_rmem`, 6 MiB, from the first segment on.
    const LINUX6_RENO: Self = Self {
        name: "linux6-reno",
        maximum_segment_bytes: 1448,
        header_bytes: 52,
        syn_header_bytes: 60,
        window_bytes: 6_291_456,
        initial_window_segments: 10,
        syn_loss_reduces_initial_window: true,
        stack: Self::linux6(Congestion::Reno),
        maximum_burst_segments: None,
        retransmission: RetransmissionTimer {
            algorithm: RtoAlgorithm::Linux,
            tick: Span::from_milliseconds(1),
            initial: Span::from_milliseconds(1_000),
            minimum: Span::from_milliseconds(200),
            maximum: Span::from_milliseconds(120_000),
            linear_syn_backoff: true,
            maximum_retransmissions: Some(15),
            connection_timeout: Some(Span::from_milliseconds(131_000)),
            repeated_syn_answered: true,
        },
        delayed_ack: DelayedAck {
            every_segments: 2,
            delay: Span::from_milliseconds(40),
            counting: AckCounting::Adaptive,
            timer: AckTimer::Adaptive,
        },
        window_updates: WindowUpdates::Never,
        nagle: false,
        write_cluster_bytes: None,
        write_announces_more: true,
        small_write: None,
        ecn: Ecn::Off,
        ecn_least_window_segments: 1,
        ecn_fallback: EcnFallback::Syn,
    };

    const LINUX6_CUBIC: Self =
        Self { name: "linux6-cubic", stack: Self::linux6(Congestion::Cubic), ..Self::LINUX6_RENO };

    const LINUX6_DCTCP: Self = Self {
        name: "linux6-dctcp",
        stack: Self::linux6(Congestion::Dctcp),
        ecn: Ecn::Accurate,
        ..Self::LINUX6_RENO
    };

    /// Linux's stack with a controller; HyStart is that of Linux where the controller has it.
    pub(super) const fn linux6(congestion: Congestion) -> Stack {
        let hystart = if congestion.habits().has_hystart { HyStart::Linux } else { HyStart::Off };
        let answers_marks = match congestion.habits().answers_marks {
            Some(rule) => rule,
            None => AnswersMarks::Never,
        };
        Stack::Modern(Modern {
            congestion,
            extensions: Extensions {
                timestamps: true,
                proportional_rate_reduction: true,
                rack: true,
                tail_loss_probe: true,
                forward_recovery: true,
                hystart,
                pacing: congestion.habits().needs_pacing,
                quick_acknowledgements: true,
                acknowledgement_compression: true,
                accurate_ecn_option: false,
                continuous_mark_test: false,
                classic_ecn_fallback: false,
                classic_ecn_fallback_everywhere: false,
                answers_marks,
                exact_echo: false,
                window_validation: false,
                timer_hz: 0,
                timer_phase: TimerPhase::Own,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_profile_and_no_other_name_has_one() {
        for name in HostProfile::NAMES {
            assert_eq!(HostProfile::named(name).map(|profile| profile.name), Some(name));
        }
        assert_eq!(HostProfile::named("bsd44"), None);
    }

    #[test]
    fn the_bsd_window_is_twelve_segments_and_its_ceiling_unscaled() {
        assert_eq!(HostProfile::named("bsd228").unwrap().window_bytes, 12 * 1460);
        let bsd45 = HostProfile::named("bsd45").unwrap();
        assert_eq!(bsd45.window_bytes, 12 * 1460);
        assert_eq!(bsd45.scaled_window_ceiling(), 65_535);
        let wide = HostProfile { window_bytes: 100_000, ..bsd45 };
        assert_eq!(wide.scaled_window_ceiling(), 131_070);
    }
}
