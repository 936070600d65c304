//! The rate of an 802.11ac radio by distance.
//!
//! ```text
//! received     transmit_power_dbm - loss
//! loss         40.05 + 20·lg(5.25/2.4) + 20·lg(min(d, 5)) + 35·lg(max(d, 5)/5) + 5·walls
//! modulation   the fastest whose minimum sensitivity is received
//! rate         bits of a symbol/3.6 µs
//! ```
//!
//! Loss in decibels by distance d in metres: the residential scenario of *TGax simulation scenarios* (S.
//! Merlin and others, IEEE 802.11-14/0980), on one floor at 5.25 GHz, without shadowing. Sensitivities: IEEE
//! 802.11-2020, section 21.3.18.1, packet error rate of 10 %; 3 dB more for each doubling of the channel.
//! Rates: section 21.5, short guard interval. Real receivers need some decibels less, and real rate control
//! keeps some in hand.

/// A transmitter, a channel and what stands between it and the receiver.
pub(super) struct Radio {
    pub(super) channel_mhz: u32,
    pub(super) spatial_streams: u32,
    pub(super) transmit_power_dbm: f64,
    pub(super) walls: u32,
}

pub(super) const CHANNELS_MHZ: [u32; 4] = [20, 40, 80, 160];
/// Subcarriers with data in these channels.
const DATA_SUBCARRIERS: [u32; 4] = [52, 108, 234, 468];

/// A modulation and coding scheme.
struct Modulation {
    bits_per_subcarrier: u32,
    /// Numerator and denominator of the coding rate.
    coding: (u32, u32),
    /// Minimum sensitivity in a channel of 20 MHz, in dBm.
    sensitivity_dbm: f64,
}

const fn modulation(bits_per_subcarrier: u32, coding: (u32, u32), sensitivity_dbm: f64) -> Modulation {
    Modulation { bits_per_subcarrier, coding, sensitivity_dbm }
}

/// VHT-MCS 0 to 9.
const MODULATIONS: [Modulation; 10] = [
    modulation(1, (1, 2), -82.0),
    modulation(2, (1, 2), -79.0),
    modulation(2, (3, 4), -77.0),
    modulation(4, (1, 2), -74.0),
    modulation(4, (3, 4), -70.0),
    modulation(6, (2, 3), -66.0),
    modulation(6, (3, 4), -65.0),
    modulation(6, (5, 6), -64.0),
    modulation(8, (3, 4), -59.0),
    modulation(8, (5, 6), -57.0),
];

const SYMBOL_US: f64 = 3.6;
const WALL_DB: f64 = 5.0;
/// Where the loss begins to grow faster.
const BREAKPOINT_M: f64 = 5.0;

impl Radio {
    /// Which of the channels it has; the narrowest if none.
    fn channel(&self) -> usize {
        CHANNELS_MHZ.iter().position(|&mhz| mhz == self.channel_mhz).unwrap_or(0)
    }

    /// What the channel needs above one of 20 MHz.
    fn width_db(&self) -> f64 {
        3.0 * self.channel() as f64
    }

    fn loss_db(&self, distance_m: f64) -> f64 {
        let near = 20.0 * libm::log10(distance_m.min(BREAKPOINT_M));
        let far = 35.0 * libm::log10((distance_m / BREAKPOINT_M).max(1.0));
        at_a_metre_db() + near + far + WALL_DB * f64::from(self.walls)
    }

    /// The rate of a modulation in Mbit/s; none where a symbol has no whole number of bits: MCS 9 in 20 MHz.
    fn rate_of(&self, modulation: &Modulation) -> Option<f64> {
        let (numerator, denominator) = modulation.coding;
        let subcarriers = DATA_SUBCARRIERS[self.channel()];
        let coded = subcarriers * modulation.bits_per_subcarrier * self.spatial_streams * numerator;
        (coded % denominator == 0).then(|| f64::from(coded / denominator) / SYMBOL_US)
    }

    /// The highest rate at a distance in Mbit/s; none beyond its reach.
    pub(super) fn rate_mbps(&self, distance_m: f64) -> Option<f64> {
        let received_dbm = self.transmit_power_dbm - self.loss_db(distance_m);
        let heard = |modulation: &&Modulation| received_dbm >= modulation.sensitivity_dbm + self.width_db();
        MODULATIONS.iter().rev().filter(heard).find_map(|modulation| self.rate_of(modulation))
    }

    /// The weakest signal that is understood.
    pub(super) fn least_dbm(&self) -> f64 {
        MODULATIONS[0].sensitivity_dbm + self.width_db()
    }

    /// The distance at which that arrives.
    pub(super) fn reach_m(&self) -> f64 {
        let over_db = self.transmit_power_dbm - self.least_dbm() - self.loss_db(BREAKPOINT_M);
        let decay = if over_db > 0.0 { 35.0 } else { 20.0 };
        BREAKPOINT_M * libm::pow(10.0, over_db / decay)
    }
}

fn at_a_metre_db() -> f64 {
    40.05 + 20.0 * libm::log10(5.25 / 2.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radio(channel_mhz: u32, spatial_streams: u32) -> Radio {
        Radio { channel_mhz, spatial_streams, transmit_power_dbm: 20.0, walls: 0 }
    }

    /// IEEE 802.11-2020, tables of section 21.5: rates of one stream with the short guard interval.
    #[test]
    fn rates_are_those_that_the_standard_prints() {
        let printed: [(u32, [f64; 10]); 4] = [
            (20, [7.2, 14.4, 21.7, 28.9, 43.3, 57.8, 65.0, 72.2, 86.7, 0.0]),
            (40, [15.0, 30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0, 180.0, 200.0]),
            (80, [32.5, 65.0, 97.5, 130.0, 195.0, 260.0, 292.5, 325.0, 390.0, 433.3]),
            (160, [65.0, 130.0, 195.0, 260.0, 390.0, 520.0, 585.0, 650.0, 780.0, 866.7]),
        ];
        for (channel_mhz, rates) in printed {
            let one = MODULATIONS.each_ref().map(|each| radio(channel_mhz, 1).rate_of(each).unwrap_or(0.0));
            assert_eq!(one.map(|rate| (rate * 10.0).round() / 10.0), rates, "{channel_mhz} MHz");
            let two = MODULATIONS.each_ref().map(|each| radio(channel_mhz, 2).rate_of(each).unwrap_or(0.0));
            assert_eq!(two, one.map(|rate| 2.0 * rate));
        }
    }

    /// 46.85 dB at a metre and 60.83 at 5 m. Of 20 dBm there arrive -40.8 at 5 m, -51.4 at 10 m, -61.9 at
    /// 20 m and -75.8 at 50 m; 80 MHz need -51 for MCS 9, -53 for 8, -64 for 4 and -76 for 0.
    #[test]
    fn the_rate_falls_with_the_distance() {
        let radio = radio(80, 2);
        assert!((radio.loss_db(1.0) - 46.849).abs() < 1e-3);
        assert!((radio.loss_db(5.0) - 60.828).abs() < 1e-3);
        let rates = [5.0, 10.0, 20.0, 50.0].map(|distance_m| radio.rate_mbps(distance_m).unwrap());
        assert_eq!(rates.map(f64::round), [867.0, 780.0, 390.0, 65.0]);
        // 96 dB: 5·10^((96 - 60.828)/35).
        assert!((radio.reach_m() - 50.57).abs() < 0.01);
        assert_eq!(radio.rate_mbps(50.6), None);
        assert!(radio.rate_mbps(50.5).is_some());
    }

    /// Two walls are 10 dB: at 15 m -57.5 dBm becomes -67.5, which is MCS 3 instead of MCS 7.
    #[test]
    fn walls_take_decibels() {
        let behind = |walls| Radio { walls, ..radio(80, 2) }.rate_mbps(15.0).unwrap();
        assert_eq!([0, 2].map(|walls| behind(walls).round()), [650.0, 260.0]);
        // 20 dBm less 10·5 dB of walls leave 46 dB for a distance: 20·lg(d) = 46 - 46.849.
        let near = Radio { walls: 10, ..radio(80, 2) };
        assert!((near.reach_m() - 0.907).abs() < 1e-3);
    }
}
