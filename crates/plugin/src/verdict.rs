//! Verdicts as numbers: what foreign code answers with.

use aqmlab_aqm::{Positions, Reason, Verdict};

/// Largest number of waiting packets that one verdict can discard.
pub const MOST_EVICTED: usize = Positions::CAPACITY;

/// The verdict that a number stands for, together with the positions of waiting packets that it discards, of
/// which `waiting` there are.
///
/// Zero lets the packet pass. Otherwise the upper four of eight bits say what is done: 1 signal, 2 drop, 3
/// let it pass and discard those at `positions`; the lower four for which reason: 1 early, 2 forced, 3 match,
/// 4 filter.
///
/// # Errors
/// In words, what is wrong with it.
#[inline]
pub fn decode(code: i32, positions: &[u32], waiting: u32) -> Result<Verdict, String> {
    if code == 0 && positions.is_empty() {
        return Ok(Verdict::Pass);
    }
    decode_rest(code, positions, waiting)
}

#[cold]
#[inline(never)]
fn decode_rest(code: i32, positions: &[u32], waiting: u32) -> Result<Verdict, String> {
    let reason = match code & 15 {
        1 => Reason::Early,
        2 => Reason::Forced,
        3 => Reason::Match,
        4 => Reason::Filter,
        _ => return Err(format!("{code} is no verdict")),
    };
    match (code >> 4, positions.is_empty()) {
        (1, true) => Ok(Verdict::Signal(reason)),
        (2, true) => Ok(Verdict::Drop(reason)),
        (2, false) => Ok(Verdict::DropWith { positions: set_of(positions, waiting)?, reason }),
        (3, _) => Ok(Verdict::PassEvicting { positions: set_of(positions, waiting)?, reason }),
        (1, false) => Err("a signal discards no waiting packets: drop, or let pass".to_owned()),
        _ => Err(format!("{code} is no verdict")),
    }
}

fn set_of(positions: &[u32], waiting: u32) -> Result<Positions, String> {
    if positions.len() > MOST_EVICTED {
        return Err(format!("{} waiting packets to discard: at most {MOST_EVICTED}", positions.len()));
    }
    let mut set = Positions::default();
    for &position in positions {
        if position >= waiting {
            return Err(format!("no packet at position {position}: {waiting} waiting"));
        }
        if !set.insert(position) {
            return Err(format!("position {position} twice"));
        }
    }
    Ok(set)
}

/// Refuses a verdict on an arrival that discards waiting packets, from a scheme that does not say that it
/// does: a link may already have sent them on to where they will be.
///
/// # Errors
/// In words, what to say.
#[inline]
pub fn as_said(verdict: Verdict, evicts: bool) -> Result<Verdict, String> {
    match verdict {
        Verdict::DropWith { .. } | Verdict::PassEvicting { .. } if !evicts => Err(unsaid()),
        verdict => Ok(verdict),
    }
}

#[cold]
fn unsaid() -> String {
    "on_arrival discards waiting packets, and nothing says so: `evicts = True` in Python, AQMLAB_EVICTS in C"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_number() {
        assert_eq!(decode(0, &[], 0), Ok(Verdict::Pass));
        assert_eq!(decode(0x11, &[], 0), Ok(Verdict::Signal(Reason::Early)));
        assert_eq!(decode(0x12, &[], 0), Ok(Verdict::Signal(Reason::Forced)));
        assert_eq!(decode(0x24, &[], 0), Ok(Verdict::Drop(Reason::Filter)));
        let one = Positions::one(3);
        assert_eq!(decode(0x23, &[3], 4), Ok(Verdict::DropWith { positions: one, reason: Reason::Match }));
        assert_eq!(
            decode(0x31, &[3], 4),
            Ok(Verdict::PassEvicting { positions: one, reason: Reason::Early })
        );
    }

    #[test]
    fn what_is_no_verdict_is_refused_in_words() {
        let refusal = |code, positions: &[u32]| decode(code, positions, 4).expect_err("no verdict");
        for code in [-1, 1, 5, 0x10, 0x15, 0x16, 0x41, 0x111, i32::MIN] {
            assert_eq!(refusal(code, &[]), format!("{code} is no verdict"));
        }
        assert_eq!(refusal(0x21, &[4]), "no packet at position 4: 4 waiting");
        assert_eq!(refusal(0x21, &[1, 1]), "position 1 twice");
        assert_eq!(refusal(0x31, &[0; 17]), "17 waiting packets to discard: at most 16");
        assert!(refusal(0x11, &[0]).starts_with("a signal discards no waiting packets"));
        assert!(refusal(0, &[0]).starts_with("0 is no verdict"));
    }
}
