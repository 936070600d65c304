//! How much may wait in front of a link. Implementations differ by one packet, so the rule has a name.

use crate::parameter_error::{ParameterError, require, require_given};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a limit of L means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitRule {
    /// At most L packets or bytes may wait, including the arrival (ALTQ, Linux, ns-3, and ns-2's RED and PI
    /// in packets).
    #[default]
    HoldLimit,
    /// At most L - 1 may wait, including the arrival (ns-2's DropTail and REM).
    HoldLimitMinusOne,
    /// The arrival is refused only when L wait already, whatever its own size: bytes may overshoot L by less
    /// than one packet (ns-2's RED and PI in bytes). In packets the same as `hold_limit`.
    RefuseWhenFull,
}

/// A buffer's size: in packets, in bytes, or in both, whichever is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Limit in packets.
    pub packets: Option<u32>,
    /// Limit in bytes (IP lengths).
    pub bytes: Option<u64>,
    /// What the limits mean.
    pub rule: LimitRule,
}

impl Limit {
    /// A buffer for this many packets.
    #[must_use]
    pub const fn of_packets(packets: u32) -> Self {
        Self { packets: Some(packets), bytes: None, rule: LimitRule::HoldLimit }
    }

    /// Requires at least one limit, and room for at least one packet or byte.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        let given = self.packets.is_some() || self.bytes.is_some();
        require_given(given, "limit_packets", "a number of packets, or limit_bytes, or both")?;
        let least = if self.rule == LimitRule::HoldLimitMinusOne { 2 } else { 1 };
        let legal = format!("at least {least} under this limit_rule");
        let packets = self.packets.unwrap_or(u32::MAX);
        require(packets >= least, "limit_packets", packets, &*legal)?;
        let bytes = self.bytes.unwrap_or(u64::MAX);
        require(bytes >= u64::from(least), "limit_bytes", bytes, legal)
    }

    /// The limit in the form that is tested on each arrival.
    #[must_use]
    pub fn room(&self) -> Room {
        let withheld = u8::from(self.rule == LimitRule::HoldLimitMinusOne);
        Room {
            packets: self.packets.map_or(u32::MAX, |limit| limit.saturating_sub(withheld.into())),
            bytes: self.bytes.map_or(u64::MAX, |limit| limit.saturating_sub(withheld.into())),
            counts_arrival: self.rule != LimitRule::RefuseWhenFull,
        }
    }
}

/// How much may wait at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    packets: u32,
    bytes: u64,
    counts_arrival: bool,
}

impl Room {
    /// Room for whatever comes.
    pub(crate) const UNLIMITED: Self = Self { packets: u32::MAX, bytes: u64::MAX, counts_arrival: true };

    /// Whether so many packets and bytes may wait.
    #[must_use]
    pub const fn holds(&self, packets: u32, bytes: u64) -> bool {
        packets <= self.packets && bytes <= self.bytes
    }

    /// Whether a packet of `arriving` bytes finds room behind `packets` and `bytes` that wait.
    #[must_use]
    #[inline]
    pub const fn admits(&self, packets: u32, bytes: u64, arriving: u32) -> bool {
        // Without counting the arrival, one byte must still be free.
        let needed = if self.counts_arrival { arriving as u64 } else { 1 };
        packets < self.packets && bytes + needed <= self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(packets: Option<u32>, bytes: Option<u64>, rule: LimitRule) -> Limit {
        Limit { packets, bytes, rule }
    }

    #[test]
    fn a_limit_of_24_packets_holds_24_or_23() {
        // The SIGCOMM 2003 buffer, and ns-2's DropTail, which holds one packet less than it is told.
        for (rule, held) in
            [(LimitRule::HoldLimit, 24), (LimitRule::HoldLimitMinusOne, 23), (LimitRule::RefuseWhenFull, 24)]
        {
            let room = limit(Some(24), None, rule).room();
            assert!(room.admits(held - 1, 0, 1500) && !room.admits(held, 0, 1500), "{rule:?}");
        }
    }

    #[test]
    fn a_byte_limit_counts_the_arrival_or_not() {
        let waiting = |rule| limit(None, Some(10_000), rule).room();
        assert!(waiting(LimitRule::HoldLimit).admits(9, 9_000, 1000));
        assert!(!waiting(LimitRule::HoldLimit).admits(9, 9_001, 1000));
        assert!(!waiting(LimitRule::HoldLimitMinusOne).admits(9, 9_000, 1000));
        assert!(waiting(LimitRule::RefuseWhenFull).admits(9, 9_999, 1000));
        assert!(!waiting(LimitRule::RefuseWhenFull).admits(9, 10_000, 1));
    }

    #[test]
    fn with_two_limits_the_first_to_be_reached_counts() {
        let room = limit(Some(3), Some(2_000), LimitRule::HoldLimit).room();
        assert!(room.admits(2, 120, 40));
        assert!(!room.admits(3, 120, 40));
        assert!(!room.admits(1, 1_500, 1_500));
    }

    #[test]
    fn a_buffer_needs_a_limit_that_holds_something() {
        let refused = |packets, bytes, rule| limit(packets, bytes, rule).validate().unwrap_err().key;
        assert_eq!(refused(None, None, LimitRule::HoldLimit), "limit_packets");
        assert_eq!(refused(Some(0), None, LimitRule::HoldLimit), "limit_packets");
        assert_eq!(refused(Some(1), None, LimitRule::HoldLimitMinusOne), "limit_packets");
        assert_eq!(refused(Some(5), Some(0), LimitRule::HoldLimit), "limit_bytes");
        assert_eq!(limit(Some(1), None, LimitRule::HoldLimit).validate(), Ok(()));
        assert_eq!(limit(None, Some(1), LimitRule::HoldLimit).validate(), Ok(()));
    }
}
