//! SFB in the words of tc(8).
//!
//! Sources: tc-sfb(8); Linux 6: `net/sched/sch_sfb.c`; for what becomes of probabilities `tc/q_sfb.c` of
//! iproute2.

use super::words::{Discipline, Translated, words};
use aqmlab_aqm::algorithms::sfb::{self, BoxOn, FullBins, Penalty};
use aqmlab_aqm::parts::Limit;

/// What the kernel was compiled with.
const LEVELS: u32 = 8;
const BINS: u32 = 16;
/// What its probabilities are parts of, and how far rounding to them may move one.
const PROBABILITY_PARTS: f64 = 65_535.0;
const ROUNDING: f64 = 0.002;

/// A bin of the kernel is full with `target` packets, ours with one more than `bin_packets`: an arrival finds
/// so many. With `max` of them in all of its bins it is dropped.
pub(super) fn sfb(given: &sfb::Params) -> Result<Discipline, String> {
    let kernel = Translated("sfb");
    let sfb::Params {
        limit_packets,
        limit_bytes,
        limit_rule,
        levels,
        bins,
        bin_packets,
        mean_packet_bytes: _,
        full_bins,
        increment,
        decrement,
        freeze_ms,
        threshold,
        box_on,
        penalty,
        rehash_ms,
        warm_up_ms,
        drop_above_half,
        ecn,
    } = *given;
    let limit =
        kernel.limit_packets(Limit { packets: limit_packets, bytes: limit_bytes, rule: limit_rule })?;
    kernel.fixed("levels", &levels, &LEVELS)?;
    kernel.fixed("bins", &bins, &BINS)?;
    kernel.fixed("freeze_ms", &freeze_ms, &0.0)?;
    kernel.fixed("threshold", &threshold, &1.0)?;
    kernel.fixed("box_on", &box_on, &BoxOn::Least)?;
    kernel.fixed("drop_above_half", &drop_above_half, &true)?;
    kernel.fixed("ecn", &ecn, &true)?;
    let target =
        bin_packets.ok_or("sfb: no bin_packets, and the kernel's do not follow from the buffer")? + 1;
    let most = match full_bins {
        FullBins::AllDrop => target,
        FullBins::Pass => limit.max(target),
        FullBins::AnyDrops => {
            return Err("sfb: full_bins = \"any_drops\": legal in the kernel are \"all_drop\" and \"pass\""
                .to_owned());
        }
    };
    let Penalty::Tokens { rate_hz, burst } = penalty else {
        return Err(
            "sfb: penalty: legal in the kernel is { tokens = { rate_hz = ..., burst = ... } }".to_owned()
        );
    };
    if rate_hz.fract() != 0.0 {
        return Err("sfb: penalty.tokens.rate_hz: legal in the kernel are whole numbers".to_owned());
    }
    let (rise, fall) = (part("increment", increment)?, part("decrement", decrement)?);
    let (rehash, warm_up) = (milliseconds("rehash_ms", rehash_ms)?, milliseconds("warm_up_ms", warm_up_ms)?);
    let words = words(&format!(
        "sfb rehash {rehash} db {warm_up} limit {limit} max {most} target {target} increment {rise:.9} decrement {fall:.9} \
         penalty_rate {rate_hz} penalty_burst {burst}"
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: true, limit_packets: Some(limit.into()) })
}

/// A step of a probability, as the kernel has it.
fn part(key: &str, wanted: f64) -> Result<f64, String> {
    let part = (wanted * PROBABILITY_PARTS).round().max(1.0) / PROBABILITY_PARTS;
    if (part - wanted).abs() <= ROUNDING * wanted {
        Ok(part)
    } else {
        Err(format!("sfb: {key} = {wanted}: legal in the kernel are parts of 1/65535, such as {part:.3e}"))
    }
}

fn milliseconds(key: &str, ms: f64) -> Result<f64, String> {
    if ms.fract() == 0.0 {
        Ok(ms)
    } else {
        Err(format!("sfb: {key}: legal in the kernel are whole milliseconds"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::told;

    /// tc's defaults, but for `max`: 33 and 3 parts of 65535, and bins that are full with 20 packets.
    const LINUX: &str = "scheme = \"sfb\", limit_packets = 1000, levels = 8, bins = 16, freeze_ms = 0.0, threshold = 1.0, \
        drop_above_half = true, ecn = true, rehash_ms = 600000.0, warm_up_ms = 60000.0, penalty = { tokens = { rate_hz = 10.0, \
        burst = 20 } }, increment = 0.000503548, decrement = 4.57771e-5";

    fn sfb(more: &str) -> Result<String, String> {
        told(&format!("{LINUX}, {more}"))
    }

    #[test]
    fn a_bin_is_full_with_one_packet_more_and_probabilities_are_parts_of_65535() {
        let found = sfb("bin_packets = 19, full_bins = \"all_drop\"").unwrap();
        let wanted = "sfb rehash 600000 db 60000 limit 1000 max 20 target 20 increment 0.000503548 decrement 0.000045777 \
                      penalty_rate 10 penalty_burst 20";
        assert_eq!(found, wanted);
        // iproute2 takes the nearest part.
        let parts = |word: &str| {
            let given: f64 = found.split_once(word).unwrap().1.split(' ').next().unwrap().parse().unwrap();
            (given * 65_535.0).round()
        };
        assert_eq!([" increment ", " decrement "].map(parts), [33.0, 3.0]);
        let passes = sfb("bin_packets = 19, full_bins = \"pass\"").unwrap();
        assert!(passes.contains(" limit 1000 max 1000 target 20 "), "a bin never has more: {passes}");
    }

    #[test]
    fn what_the_kernels_sfb_has_not_is_refused_with_what_it_has() {
        for (more, refusal) in [
            (
                "full_bins = \"all_drop\"",
                "sfb: no bin_packets, and the kernel's do not follow from the buffer",
            ),
            (
                "bin_packets = 19",
                "sfb: full_bins = \"any_drops\": legal in the kernel are \"all_drop\" and \"pass\"",
            ),
        ] {
            assert_eq!(sfb(more), Err(refusal.to_owned()), "{more}");
        }
        for (given, other, refusal) in [
            ("levels = 8", "levels = 3", "sfb: levels = 3: legal in the kernel is 8"),
            ("ecn = true", "ecn = false", "sfb: ecn = false: legal in the kernel is true"),
            ("freeze_ms = 0.0", "freeze_ms = 100.0", "sfb: freeze_ms = 100.0: legal in the kernel is 0.0"),
            (
                "4.57771e-5",
                "0.00005",
                "sfb: decrement = 0.00005: legal in the kernel are parts of 1/65535, such as 4.578e-5",
            ),
            (
                "{ tokens = { rate_hz = 10.0, burst = 20 } }",
                "{ interval = { box_ms = 15.0 } }",
                "sfb: penalty: legal in the kernel is { tokens = { rate_hz = ..., burst = ... } }",
            ),
            ("60000.0,", "0.5,", "sfb: warm_up_ms: legal in the kernel are whole milliseconds"),
        ] {
            let queue = LINUX.replacen(given, other, 1);
            let found = told(&format!("{queue}, bin_packets = 19, full_bins = \"all_drop\""));
            assert_eq!(found, Err(refusal.to_owned()), "{other}");
        }
    }
}
