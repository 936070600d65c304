//! What happened at a port, counted in packets and bytes by codepoint and packet class.
//!
//! The hot path adds to one cell per event, indexed by codepoint and class; every total is a sum over cells,
//! taken when somebody asks.

use crate::aqm::Reason;
use crate::packet::{Codepoint, PacketClass, PacketFacts};
use aqmlab_units::Span;
use std::ops::{Add, AddAssign};

/// A number of packets and the bytes in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of packets.
    pub packets: u64,
    /// Their IP lengths together.
    pub bytes: u64,
}

impl Tally {
    /// What was counted since `earlier`.
    ///
    /// # Panics
    /// If `earlier` holds more than `self`: counts never decrease.
    #[must_use]
    pub fn minus(self, earlier: Self) -> Self {
        let ordered = self.packets >= earlier.packets && self.bytes >= earlier.bytes;
        assert!(ordered, "counts never decrease: {self:?} after {earlier:?}");
        Self { packets: self.packets - earlier.packets, bytes: self.bytes - earlier.bytes }
    }
}

impl Tally {
    pub(crate) fn count(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

impl Add for Tally {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Rows of cells are eight long, one per class and one unused, so that an index is a shift and an or.
const CLASS_BITS: usize = 3;
const CELLS: usize = Codepoint::COUNT << CLASS_BITS;
const _: () = assert!(PacketClass::COUNT <= 1 << CLASS_BITS);

/// The tally of one kind of event by codepoint and packet class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakdown([Tally; CELLS]);

impl Breakdown {
    pub(crate) const EMPTY: Self = Self([Tally { packets: 0, bytes: 0 }; CELLS]);

    #[inline]
    pub(crate) fn count(&mut self, facts: &PacketFacts) {
        let cell = &mut self.0[Self::cell(facts.codepoint, facts.class)];
        cell.packets += 1;
        cell.bytes += u64::from(facts.bytes);
    }

    #[inline]
    const fn cell(codepoint: Codepoint, class: PacketClass) -> usize {
        codepoint.index() << CLASS_BITS | class.index()
    }

    /// Packets of one codepoint and class. The codepoint is that of the packet at the event (before marking,
    /// among marks).
    #[must_use]
    pub const fn of(&self, codepoint: Codepoint, class: PacketClass) -> Tally {
        self.0[Self::cell(codepoint, class)]
    }

    /// Packets of one class, whatever their codepoint.
    #[must_use]
    pub fn of_class(&self, class: PacketClass) -> Tally {
        Codepoint::ALL.iter().fold(Tally::default(), |sum, &codepoint| sum + self.of(codepoint, class))
    }

    /// Packets of one codepoint, whatever their class.
    #[must_use]
    pub fn of_codepoint(&self, codepoint: Codepoint) -> Tally {
        PacketClass::ALL.iter().fold(Tally::default(), |sum, &class| sum + self.of(codepoint, class))
    }

    /// All packets.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.0.iter().fold(Tally::default(), |sum, &cell| sum + cell)
    }

    /// Whatever either holds.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|cell| self.0[cell] + other.0[cell]))
    }

    fn minus(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|cell| self.0[cell].minus(earlier.0[cell])))
    }
}

/// Something that a port counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet came.
    Arrival,
    /// A packet went out on the link.
    Departure,
    /// A packet was selected and marked (or was marked already, and stayed so).
    Mark,
    /// A packet was discarded.
    Discard(Reason),
}

impl Event {
    /// The events, in the order of [`Counters::entries`].
    pub const ALL: [Self; 3 + Reason::COUNT] = {
        let mut all = [Self::Arrival; 3 + Reason::COUNT];
        all[1] = Self::Departure;
        all[2] = Self::Mark;
        let mut reason = 0;
        while reason < Reason::COUNT {
            all[3 + reason] = Self::Discard(Reason::ALL[reason]);
            reason += 1;
        }
        all
    };

    /// The name of this kind of event, as results print it: `arrivals`, `departures`, `marks`, or the name
    /// of the reason of a discard.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrivals",
            Self::Departure => "departures",
            Self::Mark => "marks",
            Self::Discard(reason) => reason.name(),
        }
    }
}

/// One cell of [`Counters`], with what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// To packets of this codepoint.
    pub codepoint: Codepoint,
    /// And of this class.
    pub class: PacketClass,
    /// So often.
    pub tally: Tally,
}

/// Everything that happened at a port since it was built (or, after [`Counters::minus`], in a window).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    pub(crate) arrivals: Breakdown,
    pub(crate) departures: Breakdown,
    pub(crate) marks: Breakdown,
    pub(crate) discards: [Breakdown; Reason::COUNT],
    /// Nanoseconds that packets had waited which were then discarded.
    waited_in_vain: u128,
}

impl Default for Counters {
    /// Nothing has happened.
    fn default() -> Self {
        Self::ZERO
    }
}

impl Counters {
    pub(crate) const ZERO: Self = Self {
        arrivals: Breakdown::EMPTY,
        departures: Breakdown::EMPTY,
        marks: Breakdown::EMPTY,
        discards: [Breakdown::EMPTY; Reason::COUNT],
        waited_in_vain: 0,
    };

    /// A packet is discarded that had waited so long, for who keeps packets as for [`Counters::count`].
    pub fn count_wait_in_vain(&mut self, waited: Span) {
        self.waited_in_vain += u128::from(waited.nanoseconds());
    }

    /// Packet-seconds that packets had waited which were then discarded.
    #[must_use]
    pub fn waited_in_vain_s(&self) -> f64 {
        self.waited_in_vain as f64 / 1e9
    }

    /// Counts an event, for who keeps packets in another queue than a [`crate::Port`]: the facts are those of
    /// the packet at the event, before it is marked among marks.
    pub fn count(&mut self, event: Event, facts: &PacketFacts) {
        let breakdown = match event {
            Event::Arrival => &mut self.arrivals,
            Event::Departure => &mut self.departures,
            Event::Mark => &mut self.marks,
            Event::Discard(reason) => &mut self.discards[reason.index()],
        };
        breakdown.count(facts);
    }

    /// Packets that arrived, by the codepoint they arrived with.
    #[must_use]
    pub const fn arrivals(&self) -> &Breakdown {
        &self.arrivals
    }

    /// Packets that left on the link, by the codepoint they left with.
    #[must_use]
    pub const fn departures(&self) -> &Breakdown {
        &self.departures
    }

    /// Packets that were marked, by the codepoint they had before.
    #[must_use]
    pub const fn marks(&self) -> &Breakdown {
        &self.marks
    }

    /// Packets discarded for one reason, by the codepoint they had then.
    #[must_use]
    pub const fn discards(&self, reason: Reason) -> &Breakdown {
        &self.discards[reason.index()]
    }

    /// Packets discarded for any reason.
    #[must_use]
    pub fn all_discards(&self) -> Breakdown {
        self.discards.iter().fold(Breakdown::EMPTY, |sum, discards| sum.plus(discards))
    }

    /// The breakdown of one kind of event.
    #[must_use]
    pub const fn of(&self, event: Event) -> &Breakdown {
        match event {
            Event::Arrival => &self.arrivals,
            Event::Departure => &self.departures,
            Event::Mark => &self.marks,
            Event::Discard(reason) => self.discards(reason),
        }
    }

    /// Packets that wait, by the codepoint they have now: what arrived and neither left nor was discarded. Of
    /// all that happened since the port was built, not of a window.
    ///
    /// # Panics
    /// If more left or was discarded than arrived: these are then the counters of a window.
    #[must_use]
    pub fn waiting(&self) -> Breakdown {
        let mut came = self.arrivals;
        for class in PacketClass::ALL {
            // A mark moves a packet to CE, within its class.
            came.0[Breakdown::cell(Codepoint::Ce, class)] += self.marks.of_class(class);
        }
        came.minus(&self.departures).minus(&self.all_discards()).minus(&self.marks)
    }

    /// What happened since `earlier`: the counters of a measured window.
    ///
    /// # Panics
    /// If `earlier` holds more than `self` anywhere: it is then not an earlier state of the same port.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        Self {
            arrivals: self.arrivals.minus(&earlier.arrivals),
            departures: self.departures.minus(&earlier.departures),
            marks: self.marks.minus(&earlier.marks),
            discards: std::array::from_fn(|reason| self.discards[reason].minus(&earlier.discards[reason])),
            waited_in_vain: self.waited_in_vain - earlier.waited_in_vain,
        }
    }

    /// Every cell with what it counts, zeros included: events, then codepoints, then classes.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        Event::ALL.into_iter().flat_map(move |event| {
            Codepoint::ALL.into_iter().flat_map(move |codepoint| {
                PacketClass::ALL.into_iter().map(move |class| {
                    let tally = self.of(event).of(codepoint, class);
                    Entry { event, codepoint, class, tally }
                })
            })
        })
    }
}

/// What happened in one of several queues of a port. What guards refused never came to a queue, and a packet
/// that was lost on its way to the port neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Packets that the scheduler sent to this queue.
    pub arrivals: Tally,
    /// Packets that left it for the link.
    pub departures: Tally,
    /// Packets that were marked, on arrival or departure.
    pub marks: Tally,
    pub(crate) discards: [Tally; Reason::COUNT],
}

impl QueueCounters {
    /// Packets discarded for one reason.
    #[must_use]
    pub const fn discards(&self, reason: Reason) -> Tally {
        self.discards[reason.index()]
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        let mut discards = self.discards;
        for (tally, before) in discards.iter_mut().zip(earlier.discards) {
            *tally = tally.minus(before);
        }
        Self {
            arrivals: self.arrivals.minus(earlier.arrivals),
            departures: self.departures.minus(earlier.departures),
            marks: self.marks.minus(earlier.marks),
            discards,
        }
    }

    /// Packets discarded for any reason.
    #[must_use]
    pub fn all_discards(&self) -> Tally {
        self.discards.iter().fold(Tally::default(), |sum, &tally| sum + tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_elsewhere_waits_until_it_leaves_or_is_discarded() {
        let facts = |bytes, codepoint| PacketFacts { flow: 1, bytes, codepoint, class: PacketClass::Data };
        let mut counters = Counters::default();
        for bytes in [1_500, 100, 700] {
            counters.count(Event::Arrival, &facts(bytes, Codepoint::Ect0));
        }
        counters.count(Event::Mark, &facts(100, Codepoint::Ect0));
        counters.count(Event::Discard(Reason::Early), &facts(1_500, Codepoint::Ect0));
        let waiting = counters.waiting();
        assert_eq!(waiting.of_codepoint(Codepoint::Ce), Tally { packets: 1, bytes: 100 });
        assert_eq!(waiting.of_codepoint(Codepoint::Ect0), Tally { packets: 1, bytes: 700 });
        counters.count(Event::Departure, &facts(100, Codepoint::Ce));
        assert_eq!(counters.waiting().total(), Tally { packets: 1, bytes: 700 });
    }

    #[test]
    fn what_was_counted_since_is_a_difference() {
        let (earlier, later) = (Tally { packets: 2, bytes: 3_000 }, Tally { packets: 5, bytes: 3_120 });
        assert_eq!(later.minus(earlier), Tally { packets: 3, bytes: 120 });
    }

    #[test]
    #[should_panic(expected = "counts never decrease")]
    fn fewer_packets_with_more_bytes_are_no_later_count() {
        let _ = Tally { packets: 1, bytes: 9_000 }.minus(Tally { packets: 2, bytes: 3_000 });
    }

    #[test]
    #[should_panic(expected = "counts never decrease")]
    fn more_packets_with_fewer_bytes_are_no_later_count() {
        let _ = Tally { packets: 3, bytes: 1_000 }.minus(Tally { packets: 2, bytes: 3_000 });
    }
}
