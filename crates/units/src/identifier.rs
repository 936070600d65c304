//! Numbers by which a run tells things apart.

/// Declares a number that stands for a thing at a place: a population, a link, a connection.
///
/// Each is as narrow as the records that carry it need, and each is made by a checked conversion: a number
/// that does not fit ends the run with a message instead of becoming another one's.
///
/// ```
/// aqmlab_units::identifier! {
///     /// A population of users.
///     pub struct PopulationId(u16);
/// }
///
/// assert_eq!(PopulationId::of(7).place(), 7);
/// ```
#[macro_export]
macro_rules! identifier {
    ($(#[$meaning:meta])* $visibility:vis struct $name:ident($width:ty);) => {
        $(#[$meaning])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $visibility struct $name($width);

        impl $name {
            /// The identifier of the thing at this place.
            ///
            /// # Panics
            /// If it is beyond what the identifier can hold: the scenario check has let too large a scenario
            /// through.
            #[must_use]
            #[inline]
            $visibility fn of(place: usize) -> Self {
                match <$width>::try_from(place) {
                    Ok(number) => Self(number),
                    Err(_) => panic!("{} {place} is beyond {}", stringify!($name), <$width>::MAX),
                }
            }

            /// The identifier that was kept as this number.
            #[allow(dead_code)] // only some are kept as numbers
            #[must_use]
            #[inline(always)]
            $visibility const fn from_number(number: $width) -> Self {
                Self(number)
            }

            /// The number as it is kept.
            #[allow(dead_code)] // only some are kept as numbers
            #[must_use]
            #[inline(always)]
            $visibility const fn number(self) -> $width {
                self.0
            }

            /// The place of the thing.
            #[allow(dead_code)]
            #[must_use]
            #[inline(always)]
            $visibility const fn place(self) -> usize {
                self.0 as usize
            }
        }
    };
}

#[cfg(test)]
mod tests {
    crate::identifier! {
        /// One of at most 256 things.
        struct SmallId(u8);
    }

    #[test]
    fn an_identifier_says_which_place_it_stands_for() {
        assert_eq!((SmallId::of(255).place(), SmallId::of(255)), (255, SmallId::from_number(255)));
    }

    #[test]
    #[should_panic(expected = "SmallId 256 is beyond 255")]
    fn a_place_that_does_not_fit_is_refused_and_never_another_ones() {
        let _ = SmallId::of(256);
    }
}
