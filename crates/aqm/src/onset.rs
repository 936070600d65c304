//! The queue from which on a scheme signals, and buffers that never hold one so long.

use crate::limit::Limit;
use crate::measure::{Gauge, Measure};
use aqmlab_units::Rate;
use std::borrow::Cow;

/// The longest packets that are usual on a link, in bytes: as many as a limit in packets may mean.
const LONGEST_PACKET_BYTES: f64 = 1_500.0;

/// The queue from which on a scheme signals congestion, or at which it aims.
#[derive(Clone, Debug, PartialEq)]
pub struct Onset {
    /// The parameter that sets it, by its name in a scenario.
    pub key: Cow<'static, str>,
    /// The value of that parameter, in its unit.
    pub value: f64,
    queue: Waiting,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Waiting {
    Packets(f64),
    Bytes(f64),
}

/// An [`Onset`] that the buffer never reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreachableOnset {
    /// The parameter that sets it, by its name in a scenario.
    pub key: Cow<'static, str>,
    /// The value of that parameter, in its unit.
    pub value: f64,
    /// The value that it has to be below, with this buffer.
    pub value_below: f64,
    /// The parameter that limits the buffer, by its name in a scenario.
    pub limit_key: &'static str,
    /// The limit, in packets or bytes.
    pub limit: f64,
    /// The limit that it has to be above, with this onset.
    pub limit_above: f64,
}

impl Onset {
    /// A queue of so many packets of mean size, which `value` of the parameter `key` gives.
    #[must_use]
    pub fn of_queue(key: &'static str, value: f64, packets: f64, gauge: Gauge) -> Self {
        let queue = match gauge.measure {
            Measure::Packets => Waiting::Packets(packets),
            Measure::Bytes => Waiting::Bytes(packets * f64::from(gauge.mean_packet_bytes)),
        };
        Self { key: key.into(), value, queue }
    }

    /// What a link of this rate sends in the delay that the parameter `key` gives, in milliseconds.
    #[must_use]
    pub fn of_delay(key: &'static str, delay_ms: f64, rate: Rate) -> Self {
        let bytes = delay_ms / 1e3 * rate.bits_per_second() as f64 / 8.0;
        Self { key: key.into(), value: delay_ms, queue: Waiting::Bytes(bytes) }
    }

    /// The same of a scheme whose parameters stand in the table `outer`.
    #[must_use]
    pub(crate) fn within(self, outer: &str) -> Self {
        Self { key: format!("{outer}.{}", self.key).into(), ..self }
    }

    /// This onset if a buffer with this limit never holds so much: hardly anything but overflows signals
    /// congestion there. A limit in bytes says nothing of a queue that is counted in packets.
    #[must_use]
    pub fn unreachable(self, limit: &Limit) -> Option<UnreachableOnset> {
        let in_packets = limit.packets.map(|packets| ("limit_packets", f64::from(packets)));
        let in_bytes = limit.bytes.map(|bytes| ("limit_bytes", bytes as f64));
        // The least limit that would do, in the unit of each limit that stands.
        let needed = match self.queue {
            Waiting::Packets(packets) => [in_packets.map(|limit| (limit, packets)), None],
            Waiting::Bytes(bytes) => {
                let packets = bytes / LONGEST_PACKET_BYTES;
                [in_packets.map(|limit| (limit, packets)), in_bytes.map(|limit| (limit, bytes))]
            }
        };
        let beyond = needed.into_iter().flatten().find(|((_, limit), needed)| needed >= limit);
        beyond.map(|((limit_key, limit), limit_above)| UnreachableOnset {
            key: self.key,
            value: self.value,
            value_below: self.value * limit / limit_above,
            limit_key,
            limit,
            limit_above,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;
    use crate::port_facts::PortFacts;

    /// Key, value, bound of the value, limit, bound of the limit.
    fn unreachable(scheme: &str, rate_mbps: f64) -> Option<(String, f64, f64, f64, f64)> {
        let scheme: Scheme = serde_json::from_str(scheme).unwrap_or_else(|error| panic!("{error}"));
        let facts = PortFacts::new(Rate::from_megabits_per_second(rate_mbps));
        let found = scheme.unreachable_onset(&facts)?;
        Some((found.key.into_owned(), found.value, found.value_below, found.limit, found.limit_above))
    }

    #[test]
    fn a_reference_is_unreachable_at_the_limit_and_above() {
        let pi = |limit| unreachable(&format!(r#"{{"scheme": "pi", "limit_packets": {limit}}}"#), 5.0);
        assert_eq!(pi(50), Some(("q_ref_packets".to_owned(), 200.0, 50.0, 50.0, 200.0)));
        assert!(pi(200).is_some() && pi(201).is_none());
        let rem = unreachable(r#"{"scheme": "rem", "limit_packets": 20}"#, 5.0);
        assert_eq!(rem.map(|found| found.0), Some("q_ref_packets".to_owned()));
    }

    #[test]
    fn a_queue_in_bytes_is_held_against_either_limit() {
        // 200 packets of 500 bytes are 100,000 bytes: 66 2/3 packets of 1,500 bytes.
        let pi = |limit: &str| {
            unreachable(&format!(r#"{{"scheme": "pi", "measure": "bytes", {limit}}}"#), 5.0)
                .map(|found| found.2)
        };
        assert_eq!(pi(r#""limit_bytes": 50000"#), Some(100.0));
        assert_eq!(pi(r#""limit_bytes": 100001"#), None);
        assert!(pi(r#""limit_packets": 66"#).is_some() && pi(r#""limit_packets": 67"#).is_none());
    }

    #[test]
    fn a_lower_threshold_or_the_delay_behind_it_is_named() {
        let red = |settings: &str| {
            unreachable(&format!(r#"{{"scheme": "red", "limit_packets": 50, {settings}}}"#), 100.0)
        };
        let given = red(r#""min_th_packets": 60, "max_th_packets": 180"#);
        assert_eq!(given, Some(("min_th_packets".to_owned(), 60.0, 50.0, 50.0, 60.0)));
        // 100 Mbit/s carry 25,000 packets of 500 bytes a second; half of 5 ms are 62.5 packets.
        let derived = red(r#""target_delay_ms": 5"#);
        assert_eq!(derived, Some(("target_delay_ms".to_owned(), 5.0, 4.0, 50.0, 62.5)));
        assert_eq!(red(r#""min_th_packets": 40"#), None);
        let inner =
            r#"{"scheme": "fq", "limit_packets": 50, "inner": {"scheme": "red", "min_th_packets": 60}}"#;
        assert_eq!(unreachable(inner, 100.0).map(|found| found.0), Some("inner.min_th_packets".to_owned()));
    }

    #[test]
    fn a_delay_is_unreachable_where_the_longest_packets_take_less() {
        // 10 packets of 1,500 bytes take 12 ms at 10 Mbit/s.
        let pie = |limit| unreachable(&format!(r#"{{"scheme": "pie", "limit_packets": {limit}}}"#), 10.0);
        let (key, target_ms, below_ms, limit, above) = pie(10).expect("15 ms are more");
        assert_eq!((key.as_str(), target_ms, limit), ("target_ms", 15.0, 10.0));
        assert!(
            (below_ms - 12.0).abs() < 1e-9 && (above - 12.5).abs() < 1e-9,
            "{below_ms} ms, {above} packets"
        );
        assert!(pie(12).is_some() && pie(13).is_none());
        assert_eq!(unreachable(r#"{"scheme": "drop-tail", "limit_packets": 1}"#, 10.0), None);
    }
}
