//! Sequence numbers modulo 2³².
//!
//! Source: RFC 9293 section 3.4 (sequence numbers compare modulo 2³²); the rule `a < b when b - a < 2³¹` is
//! RFC 1982 section 3.2. Two numbers that are exactly 2³¹ apart have no order in RFC 1982; here the
//! smaller distance forward does not exist, so neither is before the other.

/// A TCP sequence number. Arithmetic wraps; the order is meaningful only between numbers less than 2³¹ apart,
/// which every window guarantees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SequenceNumber(u32);

impl SequenceNumber {
    /// The initial sequence number of every connection. Real hosts draw it at random for safety against
    /// forgery; nothing in a model depends on its value.
    pub const INITIAL: Self = Self(0);

    /// The number with this value.
    #[must_use]
    pub const fn new(value: u32) -> Self {
        Self(value)
    }

    /// The bare number on the wire.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// Whether `self` comes strictly before `other`.
    #[must_use]
    #[inline]
    pub const fn before(self, other: Self) -> bool {
        // As a signed number: half the circle away is negative, so it has no order.
        other.0.wrapping_sub(self.0) as i32 > 0
    }

    /// The number `count` bytes later.
    #[must_use]
    #[inline]
    pub const fn plus(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }

    /// How many bytes `self` lies after `earlier`, modulo 2³².
    #[must_use]
    #[inline]
    pub const fn distance_from(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }

    /// The later of two numbers.
    #[must_use]
    #[inline]
    pub const fn later_of(self, other: Self) -> Self {
        if self.before(other) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let last = SequenceNumber::new(u32::MAX);
        let wrapped = last.plus(2);
        assert_eq!(wrapped, SequenceNumber::new(1));
        assert!(last.before(wrapped) && !wrapped.before(last));
        assert_eq!(wrapped.distance_from(last), 2);
        assert_eq!(last.later_of(wrapped), wrapped);
    }

    #[test]
    fn a_number_is_not_before_itself_and_half_the_circle_away_has_no_order() {
        let a = SequenceNumber::new(7);
        assert!(!a.before(a));
        let opposite = a.plus(1 << 31);
        assert!(!a.before(opposite) && !opposite.before(a));
        assert!(a.before(a.plus((1 << 31) - 1)));
    }
}
