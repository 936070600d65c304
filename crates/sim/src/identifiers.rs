//! The numbers by which a run tells things apart.
//!
//! Each is as narrow as the records that carry it need, and each is made by a checked conversion: a number that does
//! not fit ends the run with a message instead of becoming another one's. `aqmlab_scenario::limits` says what fits,
//! and the scenario check refuses the rest, so no legal scenario comes that far. Lints refuse unchecked conversions in
//! this crate.

macro_rules! identifier {
    ($(#[$meaning:meta])* $name:ident($width:ty)) => {
        $(#[$meaning])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $name($width);

        impl $name {
            /// The identifier of the thing at this place.
            ///
            /// # Panics
            /// If it is beyond what the identifier can hold: the scenario check has let too large a scenario through.
            #[inline]
            pub(crate) fn of(place: usize) -> Self {
                match <$width>::try_from(place) {
                    Ok(number) => Self(number),
                    Err(_) => panic!("{} {place} is beyond {}", stringify!($name), <$width>::MAX),
                }
            }

            /// The identifier that was kept as this number.
            #[allow(dead_code)] // only some are kept as numbers
            #[inline(always)]
            pub(crate) const fn from_number(number: $width) -> Self {
                Self(number)
            }

            /// The number as it is kept.
            #[allow(dead_code)] // only some are kept as numbers
            #[inline(always)]
            pub(crate) const fn number(self) -> $width {
                self.0
            }

            /// The place of the thing.
            #[allow(dead_code)]
            #[inline(always)]
            pub(crate) const fn place(self) -> usize {
                self.0 as usize
            }
        }
    };
}

identifier! {
    /// A population of users.
    PopulationId(u16)
}
identifier! {
    /// A host profile: one for each population and each group of flows.
    ProfileId(u16)
}
identifier! {
    /// The clock of a machine under a profile.
    ClockId(u32)
}
identifier! {
    /// A long-lived flow, counted over all groups.
    FlowId(u32)
}
identifier! {
    /// A monitored link, by its place in `links` of the summary: its code in the tables.
    MonitoredId(u16)
}
identifier! {
    /// A group of long-lived flows, by its place in `flows` of the summary.
    GroupId(u16)
}
identifier! {
    /// A link with a queue, counted among these.
    QueuedId(u16)
}
identifier! {
    /// A place where a packet's next step is looked up: see [`crate::route_table`].
    Junction(u16)
}
identifier! {
    /// Destinations that are reached alike: see [`crate::route_table`].
    Column(u16)
}
identifier! {
    /// What a packet does next: it takes a link that takes time, or has arrived. Links with a queue come first, in their
    /// own order, the others follow.
    Step(u32)
}

impl Junction {
    /// Of a machine that was reached: packets end here.
    pub(crate) const ARRIVED: Self = Self(0);
}

impl Step {
    /// Nothing but ideal wires lies between here and the destination.
    pub(crate) const DELIVERY: Self = Self(u32::MAX);
}
