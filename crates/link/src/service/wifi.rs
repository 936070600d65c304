//! Wi-Fi: aggregates of limited airtime, at the rate that the distance allows, beside others on the channel.
//!
//! Source: IEEE 802.11-2020 with the radio of 802.11ac (VHT, clause 21). A station that has won the medium
//! sends what waits as one A-MPDU, behind one preamble and answered by one block acknowledgement (section
//! 10.12). T. Høiland-Jørgensen and others, *Ending the anomaly* (USENIX ATC 2017), section 2, work out
//! throughput from the same parts.
//!
//! ```text
//! transmission   the first packet that waits, and the next ones while their bytes take at most
//!                most_airtime_ms, and they are at most most_packets and 1,048,575 bytes
//! airtime        overhead_us + bytes/rate
//! takes          airtime/(1 - others_airtime_share);  all its packets arrive when it ends
//! overhead       43 µs of AIFS, 67.5 µs of mean backoff (7.5 slots of 9 µs), 40 µs of preamble (of one
//!                stream; each further one takes 4 µs), 16 µs of SIFS, 32 µs of block acknowledgement (32
//!                bytes at 24 Mbit/s): 198.5 µs
//! rate           the link's: that of the best modulation at distance_m (`rate.rs`), if that is given
//! ```
//!
//! Departures and silences. The link is one to a single station, or to stations that are all alike: an
//! aggregate mixes their packets. Links with the same `channel` send one at a time, with equal airtime
//! ([`Channel`](crate::Channel)), as where airtime is scheduled; contention gives equal numbers of
//! transmissions. Stations that are no links of the scenario take a constant share of the airtime, whether
//! they have something to send or not. The backoff is its mean, there are no collisions and
//! no lost frames, and the rate depends on nothing but distance. What waits is taken when the wait for the
//! medium begins, not when it ends.

mod rate;

use super::{Load, MediumModel, Service, capacity};
use aqmlab_aqm::ParameterError;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use rate::Radio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Wi-Fi between an access point and a station: aggregates, airtime and distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wifi {
    /// Distance between the two, at which `rate_mbps` is the rate of the radio. Absent: any rate of a radio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.1, max = 1_000.0))]
    pub distance_m: Option<f64>,

    /// Walls between them, of 5 dB each.
    #[serde(default)]
    #[schemars(range(max = 20))]
    pub walls: u32,

    /// Width of the channel: 20, 40, 80 or 160.
    #[serde(default = "channel_mhz")]
    #[schemars(range(min = 20, max = 160))]
    pub channel_mhz: u32,

    /// Spatial streams, as many as the station has antennas.
    #[serde(default = "spatial_streams")]
    #[schemars(range(min = 1, max = 2))]
    pub spatial_streams: u32,

    /// Transmit power, antenna gains included.
    #[serde(default = "transmit_power_dbm")]
    #[schemars(range(min = -10.0, max = 36.0))]
    pub transmit_power_dbm: f64,

    /// Time of each transmission beside its bytes: contention, preamble, acknowledgement.
    #[serde(default = "overhead_us")]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub overhead_us: f64,

    /// Time that the bytes of a transmission take at most. A longer packet travels alone.
    #[serde(default = "most_airtime_ms")]
    #[schemars(range(min = 0.001, max = 5.484))]
    pub most_airtime_ms: f64,

    /// Packets that a transmission carries at most.
    #[serde(default = "most_packets")]
    #[schemars(range(min = 1, max = 256))]
    pub most_packets: u32,

    /// Channel whose links send one at a time and share its airtime equally, as far as they have something to
    /// send; absent: one for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub channel: Option<String>,

    /// Share of the airtime that others take: stations, or the other direction, without this `channel`.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub others_airtime_share: f64,
}

const fn channel_mhz() -> u32 {
    80
}

const fn spatial_streams() -> u32 {
    2
}

const fn transmit_power_dbm() -> f64 {
    20.0
}

/// The sum of the table at the head of this file.
const fn overhead_us() -> f64 {
    198.5
}

/// Below the 5.484 ms of the longest transmission (aPPDUMaxTime).
const fn most_airtime_ms() -> f64 {
    4.0
}

/// The window of a block acknowledgement before 802.11ax.
const fn most_packets() -> u32 {
    64
}

/// The longest A-MPDU of 802.11ac.
const MOST_BYTES: f64 = 1_048_575.0;

/// How far the link's rate may be from that of the radio, as a share of it: it is written by hand.
const LARGEST_DEVIATION: f64 = 0.01;

impl Wifi {
    const fn radio(&self) -> Radio {
        Radio {
            channel_mhz: self.channel_mhz,
            spatial_streams: self.spatial_streams,
            transmit_power_dbm: self.transmit_power_dbm,
            walls: self.walls,
        }
    }

    /// Bytes that a transmission carries at most at this rate.
    pub(crate) fn most_bytes(&self, rate: Rate) -> u32 {
        let in_airtime = rate.bits_per_second() as f64 * self.most_airtime_ms / 8e3;
        in_airtime.min(MOST_BYTES) as u32
    }

    /// Time that others take for each unit of this link's airtime.
    pub(crate) fn others_ratio(&self) -> f64 {
        self.others_airtime_share / (1.0 - self.others_airtime_share)
    }

    /// Checks that the link has the rate of its distance.
    fn check_distance(&self, distance_m: f64, rate: Rate) -> Result<(), ParameterError> {
        let radio = self.radio();
        let refuse = |legal: String| {
            Err(ParameterError { key: "distance_m".into(), value: Some(distance_m.to_string()), legal })
        };
        let Some(radio_mbps) = radio.rate_mbps(distance_m) else {
            let (least, reach) = (radio.least_dbm(), (radio.reach_m() * 10.0).floor() / 10.0);
            return refuse(format!("at most {reach}, where {least} dBm arrive, which the lowest rate needs"));
        };
        let rate_mbps = rate.bits_per_second() as f64 / 1e6;
        if (rate_mbps / radio_mbps - 1.0).abs() > LARGEST_DEVIATION {
            return refuse(format!(
                "one with the rate {rate_mbps} Mbit/s; at {distance_m} m rate_mbps is {radio_mbps:.1}"
            ));
        }
        Ok(())
    }
}

impl MediumModel for Wifi {
    fn validate(&self, rate: Rate) -> Result<(), ParameterError> {
        if !rate::CHANNELS_MHZ.contains(&self.channel_mhz) {
            let (key, value) = ("channel_mhz".into(), Some(self.channel_mhz.to_string()));
            return Err(ParameterError { key, value, legal: "20, 40, 80 or 160".to_owned() });
        }
        self.distance_m.map_or(Ok(()), |distance_m| self.check_distance(distance_m, rate))
    }

    fn service(&self, rate: Rate, _key: Key) -> Box<dyn Service> {
        Box::new(Transmitting {
            clock: TransmissionClock::new(rate),
            overhead: Span::from_seconds(self.overhead_us / 1e6),
            most_packets: self.most_packets,
            most_bytes: self.most_bytes(rate),
            others_ratio: self.others_ratio(),
        })
    }

    fn channel(&self) -> Option<&str> {
        self.channel.as_deref()
    }

    fn capacity(&self, rate: Rate, wire_bytes: u32) -> Rate {
        let mut service = MediumModel::service(self, rate, Key::from_seed(0)); // nothing of it is random
        capacity::of_full_transmissions(service.as_mut(), wire_bytes)
    }

    fn drawn(dice: &mut Stream) -> Self {
        Self {
            distance_m: None,
            walls: 0,
            channel_mhz: channel_mhz(),
            spatial_streams: spatial_streams(),
            transmit_power_dbm: transmit_power_dbm(),
            overhead_us: dice.below(3) as f64 * dice.uniform() * 500.0,
            most_airtime_ms: 0.001 + 5.0 * dice.uniform(),
            most_packets: 1 + dice.below(8) as u32,
            channel: None,
            others_airtime_share: dice.below(2) as f64 * 0.9 * dice.uniform(),
        }
    }
}

#[derive(Clone)]
struct Transmitting {
    clock: TransmissionClock,
    overhead: Span,
    most_packets: u32,
    most_bytes: u32,
    others_ratio: f64,
}

impl Service for Transmitting {
    fn carries(&self, load: Load) -> bool {
        load.packets <= self.most_packets && load.wire_bytes <= self.most_bytes
    }

    fn transmit(&mut self, now: Time, load: Load) -> Time {
        let own = self.overhead + self.clock.transmit(load.wire_bytes);
        let others = (own.nanoseconds() as f64 * self.others_ratio).round();
        now + own + Span::from_nanoseconds(others as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wifi(table: serde_json::Value) -> Wifi {
        serde_json::from_value(table).unwrap()
    }

    fn mbps(rate: f64) -> Rate {
        Rate::from_megabits_per_second(rate)
    }

    /// AIFS of best effort: SIFS and three slots. A block acknowledgement of 32 bytes, 16 bits of service and
    /// 6 of tail are three symbols of 96 bits and 4 µs at 24 Mbit/s, behind 20 µs of preamble. A preamble of
    /// one stream: 20 µs, VHT-SIG-A of 8, and 4 each of VHT-STF, VHT-LTF and VHT-SIG-B.
    #[test]
    fn the_overhead_is_the_sum_of_its_parts() {
        let aifs = 16.0 + 3.0 * 9.0;
        let backoff = 15.0 / 2.0 * 9.0;
        let preamble = 20.0 + 8.0 + 3.0 * 4.0;
        let acknowledgement = 20.0 + 4.0 * f64::ceil((16.0 + 6.0 + 8.0 * 32.0) / 96.0);
        assert_eq!(overhead_us(), aifs + backoff + preamble + 16.0 + acknowledgement);
    }

    /// 300 Mbit/s for 4 ms are 150,000 bytes: 97 packets of 1,540, of which 64 are acknowledged at once. At
    /// 30 Mbit/s they are 15,000 bytes: 9 packets.
    #[test]
    fn airtime_limits_aggregates_at_low_rates_and_the_acknowledgement_at_high_ones() {
        let model = wifi(serde_json::json!({}));
        for (rate, packets) in [(300.0, 64), (30.0, 9)] {
            let service = model.service(mbps(rate), Key::from_seed(1));
            let carries = |packets| service.carries(Load { packets, wire_bytes: packets * 1_540 });
            assert!(carries(packets) && !carries(packets + 1), "{rate}");
        }
        let fastest = model.most_bytes(mbps(5_000.0));
        assert_eq!(fastest, 1_048_575);
    }

    /// 12,500 bytes at 100 Mbit/s are 1 ms, and an overhead of 0.2 ms: 1.2 ms, where others take half of the
    /// airtime 2.4 ms, where they take three quarters 4.8 ms.
    #[test]
    fn others_take_their_share_of_the_airtime() {
        for (share, us) in [(0.0, 1_200), (0.5, 2_400), (0.75, 4_800)] {
            let model = wifi(serde_json::json!({ "overhead_us": 200.0, "others_airtime_share": share }));
            let load = Load { packets: 10, wire_bytes: 12_500 };
            let ends = model.service(mbps(100.0), Key::from_seed(1)).transmit(Time::ZERO, load);
            assert_eq!(ends, Time::ZERO + Span::from_microseconds(us));
        }
    }

    #[test]
    fn a_rate_that_the_distance_does_not_have_is_refused() {
        let refused = |table, rate| wifi(table).validate(mbps(rate)).map_err(|error| error.to_string());
        let at = |distance_m: f64| serde_json::json!({ "distance_m": distance_m });
        assert_eq!(refused(at(10.0), 780.0), Ok(()));
        assert_eq!(refused(at(5.0), 866.7), Ok(()));
        let wrong = "`distance_m` is 10: it must be one with the rate 500 Mbit/s; at 10 m rate_mbps is 780.0";
        assert_eq!(refused(at(10.0), 500.0), Err(wrong.into()));
        let far =
            "`distance_m` is 60: it must be at most 50.5, where -76 dBm arrive, which the lowest rate needs";
        assert_eq!(refused(at(60.0), 65.0), Err(far.into()));
        let narrow = serde_json::json!({ "channel_mhz": 60 });
        assert_eq!(refused(narrow, 65.0), Err("`channel_mhz` is 60: it must be 20, 40, 80 or 160".into()));
    }
}
