//! What a test saw at a link, beside what the reference says.

use super::{Arrival, Case, Outcome, expected};
use aqmlab_units::Time;

/// What a driver saw at the queue of a link, or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A packet came.
    Arrival(Arrival),
    /// The last of a packet left.
    Departure(Time),
    /// The packet that came last was discarded.
    Overflow,
}

/// Compares what was seen until an instant, in its order, with the reference. Returns how many packets came.
///
/// # Errors
/// The first packet of which something else became than the reference says.
pub fn check(case: &Case, seen: &[Observed], until: Time) -> Result<usize, String> {
    let (arrivals, outcomes) = outcomes(seen)?;
    let expected = expected(case, &arrivals);
    for (number, (outcome, expected)) in outcomes.iter().zip(&expected).enumerate() {
        let agree = match (outcome, expected) {
            (None, Outcome::Departs(left)) => *left > until,
            (outcome, expected) => *outcome == Some(*expected),
        };
        if !agree {
            let arrival = arrivals[number];
            return Err(format!("packet {number}, {arrival:?}: {outcome:?}, not {expected:?}; {case:?}"));
        }
    }
    Ok(arrivals.len())
}

/// The arrivals, and what became of each; nothing of what was under way at the end. Packets leave in the
/// order in which they came.
fn outcomes(seen: &[Observed]) -> Result<(Vec<Arrival>, Vec<Option<Outcome>>), String> {
    let (mut arrivals, mut outcomes, mut next) = (Vec::new(), Vec::new(), 0);
    for event in seen {
        match event {
            Observed::Arrival(arrival) => {
                arrivals.push(*arrival);
                outcomes.push(None);
            }
            Observed::Overflow => {
                *outcomes.last_mut().ok_or("a discard before any arrival")? = Some(Outcome::Overflows);
            }
            Observed::Departure(left) => {
                while outcomes.get(next) == Some(&Some(Outcome::Overflows)) {
                    next += 1;
                }
                *outcomes.get_mut(next).ok_or("more departures than arrivals")? =
                    Some(Outcome::Departs(*left));
                next += 1;
            }
        }
    }
    Ok((arrivals, outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Framing, ServiceModel};
    use aqmlab_random::Key;
    use aqmlab_units::{Rate, Span};

    /// Packets of 1,250 bytes take 1 ms at 10 Mbit/s, and one may wait.
    #[test]
    fn a_packet_of_which_something_else_became_is_found() {
        let case = Case {
            rate: Rate::from_megabits_per_second(10.0),
            service: ServiceModel::Constant,
            key: Key::from_seed(1),
            framing: Framing::NONE,
            ring_packets: 0,
            limit_packets: 1,
        };
        let at = |ms| Time::ZERO + Span::from_milliseconds(ms);
        let came = |ms| Observed::Arrival(Arrival { at: at(ms), ip_bytes: 1_250 });
        let (left, full) = (|ms| Observed::Departure(at(ms)), Observed::Overflow);
        let of = |seen: &[Observed], until| check(&case, seen, at(until));
        assert_eq!(of(&[came(0), came(0), came(0), full, left(1), left(2)], 9), Ok(3));
        assert_eq!(of(&[came(0), came(0), left(1)], 1), Ok(2), "the second is under way");
        for wrong in [
            &[came(0), came(0), left(1), left(3)][..],
            &[came(0), came(0), full, left(1)],
            &[came(0), came(0), came(0), left(1), left(2), left(3)],
            &[came(0), came(0), left(1)],
            &[left(1)],
            &[full],
        ] {
            assert!(of(wrong, 9).is_err(), "{wrong:?}");
        }
    }
}
