//! Amounts of data: bytes and packets are different quantities.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// An amount of data in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

/// A number of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets(u64);

macro_rules! amount {
    ($name:ident, $unit:literal) => {
        impl $name {
            /// Nothing.
            pub const ZERO: Self = Self(0);

            /// This many.
            #[must_use]
            pub const fn new(count: u64) -> Self {
                Self(count)
            }

            /// As a bare number.
            #[must_use]
            pub const fn count(self) -> u64 {
                self.0
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                assert!(self.0 >= other.0, "an amount cannot be negative: {self} - {other}");
                Self(self.0 - other.0)
            }
        }

        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} {}", self.0, $unit)
            }
        }
    };
}

amount!(Bytes, "B");
amount!(Packets, "packets");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "an amount cannot be negative: 3 B - 4 B")]
    fn a_negative_amount_is_a_bug() {
        let _ = Bytes::new(3) - Bytes::new(4);
    }
}
