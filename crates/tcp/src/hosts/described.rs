//! What a host profile is, in words, and its values of the settings that a scenario may replace.

use super::{Ecn, HostProfile, WindowUpdates};
use crate::congestion::HyStart;
use aqmlab_units::Span;

impl HostProfile {
    /// Which stack this is, in a sentence with its source.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        match self.name {
            "bsd228" => {
                "FreeBSD 2.2.8: Reno; the hosts of Christiansen, Jeffay, Ott and Smith, SIGCOMM 2000."
            }
            "bsd45" => "FreeBSD 4.5: NewReno; the hosts of Le, Aikat, Jeffay and Smith, SIGCOMM 2003.",
            "rfc5681" => "The standards as written: RFC 5681, 6582 (NewReno), 3042 and 6298.",
            "ns2-oneway" => "ns-2.35, one way: Agent/TCP/Newreno with TCPSink.",
            "ns2-full" => "ns-2.35, two-way: Agent/TCP/FullTcp/Newreno, as PackMime uses it.",
            "linux6-reno" => "Linux 6 with Reno: selective acknowledgements, RACK, tail loss probes.",
            "linux6-cubic" => {
                "Linux 6 with CUBIC (RFC 9438), its default: selective acknowledgements, RACK, HyStart."
            }
            "linux6-dctcp" => {
                "Linux 6 with DCTCP (RFC 8257): accurate ECN, selective acknowledgements, RACK."
            }
            _ => "",
        }
    }

    /// The profile's values of the keys of [`crate::HostOverrides`], in that table's order, as a scenario
    /// writes them; what is unlimited has none.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.sending_settings();
        settings.extend(self.extension_settings());
        settings
    }

    fn sending_settings(&self) -> Vec<(&'static str, String)> {
        let milliseconds = |span: Span| span.div_floor(Span::from_milliseconds(1)).to_string();
        let timer = &self.retransmission;
        let mut settings = vec![
            ("maximum_segment_bytes", self.maximum_segment_bytes.to_string()),
            ("header_bytes", self.header_bytes.to_string()),
            ("syn_header_bytes", self.syn_header_bytes.to_string()),
            ("window_bytes", self.window_bytes.to_string()),
            ("initial_window_segments", self.initial_window_segments.to_string()),
            ("passive_window_quirk", self.has_passive_window_quirk().to_string()),
            ("limited_transmit", (self.has_options() || self.limits_transmit()).to_string()),
            ("initial_rto_ms", milliseconds(timer.initial)),
            ("minimum_rto_ms", milliseconds(timer.minimum)),
            ("maximum_rto_ms", milliseconds(timer.maximum)),
            ("acknowledge_every_segments", self.delayed_ack.every_segments.to_string()),
            ("delayed_ack_ms", milliseconds(self.delayed_ack.delay)),
            ("window_updates", quoted(update_word(self.window_updates))),
            ("nagle", self.nagle.to_string()),
            ("cluster_writes", self.write_cluster_bytes.is_some().to_string()),
            ("small_write_split", self.small_write.is_some().to_string()),
            ("ecn", quoted(if self.ecn == Ecn::Off { "off" } else { "on" })),
        ];
        if let Some(congestion) = self.congestion() {
            settings.insert(16, ("congestion", quoted(congestion.name())));
        }
        if let Some(segments) = self.maximum_burst_segments {
            settings.insert(7, ("maximum_burst_segments", segments.to_string()));
        }
        settings
    }

    fn extension_settings(&self) -> [(&'static str, String); 17] {
        let extensions = self.extensions();
        [
            ("timestamps", extensions.timestamps.to_string()),
            ("proportional_rate_reduction", extensions.proportional_rate_reduction.to_string()),
            ("rack", extensions.rack.to_string()),
            ("tail_loss_probe", extensions.tail_loss_probe.to_string()),
            ("forward_recovery", extensions.forward_recovery.to_string()),
            ("pacing", extensions.pacing.to_string()),
            ("quick_acknowledgements", extensions.quick_acknowledgements.to_string()),
            ("answers_marks", quoted(extensions.answers_marks.name())),
            ("exact_echo", extensions.exact_echo.to_string()),
            ("accurate_ecn_option", extensions.accurate_ecn_option.to_string()),
            ("continuous_mark_test", extensions.continuous_mark_test.to_string()),
            ("classic_ecn_fallback", extensions.classic_ecn_fallback.to_string()),
            ("classic_ecn_fallback_everywhere", extensions.classic_ecn_fallback_everywhere.to_string()),
            ("acknowledgement_compression", extensions.acknowledgement_compression.to_string()),
            ("window_validation", extensions.window_validation.to_string()),
            ("timer_hz", extensions.timer_hz.to_string()),
            ("hystart", quoted(start_word(extensions.hystart))),
        ]
    }
}

fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

const fn update_word(updates: WindowUpdates) -> &'static str {
    match updates {
        WindowUpdates::Never => "never",
        WindowUpdates::EachSegment => "each-segment",
        WindowUpdates::EachAcknowledgement => "each-acknowledgement",
    }
}

const fn start_word(hystart: HyStart) -> &'static str {
    match hystart {
        HyStart::Off => "off",
        HyStart::Linux => "linux",
        HyStart::PlusPlus => "plus-plus",
    }
}
