//! When a timer of a Linux kernel fires.
//!
//! Source: Linux `kernel/time/timer.c` since 4.8 (the wheel without cascades). Time is counted in interrupts
//! (`CONFIG_HZ`, 250 in most distributions). A timer waits for a number of whole ones, and then for the next
//! slot of its level: of one interrupt for waits below 63, of 8 below 504, of 64 below 4,032, and so on. So
//! at 250 a second a wait of 200 ms takes up to 8 ms more, one of 300 ms up to 36 ms, one of 3 s up to 260
//! ms: timers fire late, and never early.

use crate::clock::HostClock;
use crate::hosts::{Extensions, TimerPhase};
use crate::interrupts::Interrupts;
use aqmlab_units::{Span, Time};

/// Slots of a level, as a power of two less one: waits of fewer units belong to it.
const LEVEL_UNITS: u64 = 63;
/// Each level's unit is eight of the one below, and there are nine.
const LEVEL_BITS: u32 = 3;
const LAST_LEVEL: u32 = 8;

/// Of a kernel whose timers fire exactly, which has to count time nevertheless.
const OTHERWISE_HZ: u16 = 1_000;

/// When a timer fires that is set `now` for `wait`, with the interrupts of these extensions; without any,
/// exactly then.
#[inline]
pub(crate) fn expiry(extensions: &Extensions, clock: &HostClock, now: Time, wait: Span) -> Time {
    if extensions.timer_hz == 0 { now + wait } else { slot(extensions, clock, now, wait) }
}

/// The time between two interrupts of the kernel with these extensions, if it has any.
pub(crate) fn interrupt(extensions: &Extensions) -> Option<Span> {
    (extensions.timer_hz > 0).then(|| Span::from_nanoseconds(1_000_000_000 / u64::from(extensions.timer_hz)))
}

impl Interrupts {
    /// Those of a host with these extensions; a millisecond apart, from the start of the run on, where it has
    /// none.
    #[inline]
    pub(crate) fn of(extensions: &Extensions, clock: &HostClock) -> Self {
        let hz = if extensions.timer_hz == 0 { OTHERWISE_HZ } else { extensions.timer_hz };
        let own = extensions.timer_hz > 0 && extensions.timer_phase == TimerPhase::Own;
        Self::new(hz, own.then_some(clock))
    }
}

#[cold]
#[inline(never)]
fn slot(extensions: &Extensions, clock: &HostClock, now: Time, wait: Span) -> Time {
    let interrupts = Interrupts::of(extensions, clock);
    let (counted, waited) = (interrupts.at(now), interrupts.in_span(wait));
    let level = (0..LAST_LEVEL).find(|level| waited < LEVEL_UNITS << (level * LEVEL_BITS));
    let bits = level.unwrap_or(LAST_LEVEL) * LEVEL_BITS;
    interrupts.instant_of((((counted + waited) >> bits) + 1) << bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: fn(u64) -> HostClock =
        |phase_ms| HostClock::new(Span::from_milliseconds(8), Span::from_milliseconds(phase_ms));

    const OWN: Extensions = Extensions { timer_hz: 250, ..Extensions::NONE };

    fn fires_ms(now_us: u64, wait_ms: u64) -> u64 {
        let now = Time::from_nanoseconds(now_us * 1_000);
        expiry(&OWN, &CLOCK(0), now, Span::from_milliseconds(wait_ms)).nanoseconds() / 1_000_000
    }

    #[test]
    fn a_timer_waits_for_whole_interrupts_and_then_for_a_slot_of_its_level() {
        // Interrupts of 4 ms. Set at 9 ms, within the third: two are counted.
        assert_eq!(fires_ms(9_000, 40), 4 * (2 + 10 + 1));
        assert_eq!(fires_ms(9_000, 200), 4 * (2 + 50 + 1));
        // 62 are of the first level, 63 (249 to 252 ms) of the second: (2 + 63) / 8 = 8 slots, and one.
        assert_eq!(fires_ms(9_000, 248), 4 * (2 + 62 + 1));
        assert_eq!(fires_ms(9_000, 249), 4 * 8 * 9);
        // 1 s: (2 + 250) / 8 = 31 slots of 32 ms, and one. 3 s: (2 + 750) / 64 = 11 of 256 ms, and one.
        assert_eq!(fires_ms(9_000, 1_000), 32 * 32);
        assert_eq!(fires_ms(9_000, 3_000), 256 * 12);
    }

    #[test]
    fn interrupts_of_one_kernel_come_to_all_hosts_at_once_whatever_their_own_phases() {
        let shared = Extensions { timer_phase: TimerPhase::Shared, ..OWN };
        let fires = |extensions: &Extensions, phase_ms| {
            let wait = Span::from_milliseconds(200);
            expiry(extensions, &CLOCK(phase_ms), Time::from_nanoseconds(9_000_000), wait).nanoseconds()
        };
        // As above: two were counted, 50 are waited for, and one.
        assert_eq!([0, 3, 7].map(|phase_ms| fires(&shared, phase_ms)), [4_000_000 * (2 + 50 + 1); 3]);
        // A phase of 6 of 8 ms is one of 3 of 4 ms: interrupts at 1, 5, 9 ms, and the third is counted at 9
        // ms.
        assert_eq!(fires(&OWN, 6), 4_000_000 * (3 + 50 + 1) - 3_000_000);
    }

    #[test]
    fn without_interrupts_it_fires_exactly() {
        let now = Time::from_nanoseconds(9_000_001);
        let wait = Span::from_nanoseconds(200_000_003);
        assert_eq!(expiry(&Extensions::NONE, &CLOCK(3), now, wait), now + wait);
    }

    #[test]
    fn it_is_late_by_less_than_two_slots_and_an_interrupt_and_never_early() {
        for (now_us, wait_us) in (0..4_000_u64).map(|step| (step * 7_919, step * step * 13)) {
            for phase_ms in [0, 3, 7] {
                let (now, wait) =
                    (Time::from_nanoseconds(now_us * 1_000), Span::from_nanoseconds(wait_us * 1_000));
                let late = expiry(&OWN, &CLOCK(phase_ms), now, wait) - (now + wait);
                // An interrupt, and a slot: 8/63 of the least wait of its level, or an interrupt of the
                // first.
                let most = Span::from_nanoseconds(8_000_000 + wait.nanoseconds() * 8 / 63);
                assert!(late <= most, "{now_us} us, {wait_us} us: late by {late}");
            }
        }
    }
}
