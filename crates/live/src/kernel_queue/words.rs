//! A scheme's parameters in the words of tc(8).
//!
//! Only what means the same is translated. A parameter that the kernel's discipline has not, or has with
//! another meaning, is refused with what it would have to be, so that a run in the kernel is one of the
//! scheme that the scenario names.
//!
//! Sources: the manual pages tc-pfifo(8), tc-bfifo(8), tc-red(8), tc-choke(8), tc-codel(8), tc-pie(8),
//! tc-fq_codel(8), tc-fq(8), tc-dualpi2(8); for units and fixed constants Linux 6: `net/sched/sch_fifo.c`,
//! `sch_red.c` with `include/net/red.h`, `sch_choke.c`, `sch_codel.c` with `include/net/codel_impl.h`,
//! `sch_pie.c` with `include/net/pie.h`, `sch_fq_codel.c`, `sch_fq.c`, `sch_dualpi2.c` (6.17); for what `tc`
//! makes of `burst`, `tc/tc_red.c` of iproute2.

use aqmlab_aqm::algorithms::choke::{self, DrawsInRegion};
use aqmlab_aqm::algorithms::codel::NearlyEmpty;
use aqmlab_aqm::algorithms::{codel, drop_tail, dualpi2, fq_codel, linux_fq, pie, red};
use aqmlab_aqm::parts::{
    CeThresholdEcn, Classifier, EcnRule, EmptiedNewQueue, FlowHashing, IdleRule, Limit, LimitRule, Measure,
    ScaleProbability, Spacing, TurnEnds, Weight,
};
use serde::Serialize;

/// A queue discipline of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discipline {
    /// Its name and arguments, as tc(8) takes them.
    pub words: Vec<String>,
    /// What is added below it, with `DEV` in place of the device: classes, queues and filters, as tc(8) takes
    /// them.
    pub below: Vec<String>,
    /// Whether all packets leave it in the order in which they came.
    pub is_one_queue: bool,
    /// Packets that it holds, where its limit is one of packets.
    pub limit_packets: Option<u64>,
}

/// Bytes of the largest packet and an Ethernet header: what the kernel's CoDel takes for its device's largest
/// packet.
pub(super) const DEVICE_BYTES: u32 = 1_514;
/// What `alpha` and `beta` of the kernel's PIE are parts of.
const PIE_PARTS: f64 = 16.0;
/// What those of the kernel's DualPI2 are rounded to parts of, and how far that may move them: 0.16, its
/// default, becomes 41/256.
const DUALPI2_PARTS: f64 = 256.0;
const DUALPI2_ROUNDING: f64 = 0.002;
/// The longest queue of the kernel's CHOKe.
const MOST_CHOKE_PACKETS: u32 = (128 << 10) - 1;

/// A scheme whose parameters are translated.
#[derive(Clone, Copy)]
pub(super) struct Translated(pub(super) &'static str);

impl Translated {
    /// Accepts what the kernel has for a parameter, and nothing else.
    pub(super) fn fixed<T: PartialEq + Serialize>(
        self,
        key: &str,
        found: &T,
        legal: &T,
    ) -> Result<(), String> {
        if found == legal {
            return Ok(());
        }
        let [found, legal] = [found, legal].map(|value| serde_json::to_string(value).unwrap_or_default());
        let legal = if legal == "null" { "not to give it" } else { &legal };
        Err(format!("{}: {key} = {found}: legal in the kernel is {legal}", self.0))
    }

    /// A limit of packets, where the kernel has no other.
    pub(super) fn limit_packets(self, limit: Limit) -> Result<u32, String> {
        self.fixed("limit_bytes", &limit.bytes, &None)?;
        self.fixed("limit_rule", &limit.rule, &LimitRule::HoldLimit)?;
        limit
            .packets
            .ok_or_else(|| format!("{}: no limit_packets, and the kernel's limit is one of packets", self.0))
    }

    /// A time of tc(8), which the kernel takes in whole microseconds.
    pub(super) fn time(self, key: &str, ms: f64) -> Result<String, String> {
        let us = ms * 1e3;
        let whole = us.round();
        if (us - whole).abs() > 1e-6 || whole < 1.0 {
            return Err(format!("{}: {key}: legal in the kernel are whole microseconds", self.0));
        }
        Ok(format!("{whole}us"))
    }

    /// The words for marks, which CoDel may make for a threshold of their own.
    fn marks(self, ecn: bool, ce_threshold_ms: Option<f64>) -> Result<String, String> {
        let threshold = ce_threshold_ms.map(|ms| self.time("ce_threshold_ms", ms)).transpose()?;
        let threshold = threshold.map(|time| format!(" ce_threshold {time}"));
        Ok(format!("{}{}", ecn_word(ecn), threshold.unwrap_or_default()))
    }
}

const fn ecn_word(ecn: bool) -> &'static str {
    if ecn { "ecn" } else { "noecn" }
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub(super) fn drop_tail(given: &drop_tail::Params) -> Result<Discipline, String> {
    let drop_tail::Params { limit_packets, limit_bytes, limit_rule } = *given;
    Translated("drop-tail").fixed("limit_rule", &limit_rule, &LimitRule::HoldLimit)?;
    let words = match (limit_packets, limit_bytes) {
        (Some(packets), None) => words(&format!("pfifo limit {packets}")),
        (None, Some(bytes)) => words(&format!("bfifo limit {bytes}")),
        _ => return Err("drop-tail: limit_packets and limit_bytes: the kernel's have one of them".to_owned()),
    };
    Ok(Discipline {
        words,
        below: Vec::new(),
        is_one_queue: true,
        limit_packets: limit_packets.map(u64::from),
    })
}

pub(super) fn codel(given: &codel::Params) -> Result<Discipline, String> {
    let kernel = Translated("codel");
    let codel::Params {
        limit_packets,
        limit_bytes,
        limit_rule,
        target_ms,
        interval_ms,
        mtu_bytes,
        ecn,
        ce_threshold_ms,
        ce_threshold_ecn,
    } = *given;
    // The kernel's selector is one of fq_codel.
    kernel.fixed("ce_threshold_ecn", &ce_threshold_ecn, &CeThresholdEcn::Any)?;
    let limit =
        kernel.limit_packets(Limit { packets: limit_packets, bytes: limit_bytes, rule: limit_rule })?;
    kernel.fixed("mtu_bytes", &mtu_bytes, &DEVICE_BYTES)?;
    let (target, interval) = (kernel.time("target_ms", target_ms)?, kernel.time("interval_ms", interval_ms)?);
    let marks = kernel.marks(ecn, ce_threshold_ms)?;
    let words = words(&format!("codel limit {limit} target {target} interval {interval} {marks}"));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: true, limit_packets: Some(limit.into()) })
}

pub(super) fn fq_codel(given: &fq_codel::Params) -> Result<Discipline, String> {
    let kernel = Translated("fq-codel");
    let fq_codel::Params {
        limit_packets,
        memory_limit_bytes,
        flows,
        quantum_bytes,
        hash,
        classify,
        drop_batch_packets,
        turn_ends,
        emptied_new_queue,
        target_ms,
        interval_ms,
        mtu_bytes,
        count_overflows,
        nearly_empty,
        ecn,
        ce_threshold_ms,
        ce_threshold_ecn,
    } = *given;
    kernel.fixed("mtu_bytes", &mtu_bytes, &DEVICE_BYTES)?;
    kernel.fixed("hash", &hash, &FlowHashing::Plain)?;
    kernel.fixed("classify", &classify, &Classifier::Flow)?;
    kernel.fixed("turn_ends", &turn_ends, &TurnEnds::AtZero)?;
    kernel.fixed("emptied_new_queue", &emptied_new_queue, &EmptiedNewQueue::BecomesOldBehindOthers)?;
    kernel.fixed("count_overflows", &count_overflows, &true)?;
    kernel.fixed("nearly_empty", &nearly_empty, &NearlyEmpty::AllQueues)?;
    // Linux counts the memory that packets take in the kernel, which is more than their length: out of reach,
    // it is no limit.
    kernel.fixed("memory_limit_bytes", &memory_limit_bytes, &(32 << 20))?;
    let (target, interval) = (kernel.time("target_ms", target_ms)?, kernel.time("interval_ms", interval_ms)?);
    let selector = match (ce_threshold_ms, ce_threshold_ecn) {
        (Some(_), CeThresholdEcn::Ect1) => " ce_threshold_selector 0x1/0x3",
        _ => "",
    };
    let words = words(&format!(
        "fq_codel limit {limit_packets} flows {flows} target {target} interval {interval} quantum {quantum_bytes} {}{selector} \
         memory_limit {memory_limit_bytes} drop_batch {drop_batch_packets}",
        kernel.marks(ecn, ce_threshold_ms)?,
    ));
    Ok(Discipline {
        words,
        below: Vec::new(),
        is_one_queue: false,
        limit_packets: Some(limit_packets.into()),
    })
}

/// The kernel's fq sorts packets that it passes on by as many hashes as its mask has values: powers of two.
pub(super) fn linux_fq(given: &linux_fq::Params) -> Result<Discipline, String> {
    let kernel = Translated("linux-fq");
    let linux_fq::Params {
        limit_packets,
        flow_limit_packets,
        flows,
        quantum_bytes,
        initial_quantum_bytes,
        refill_delay_ms,
        ce_threshold_ms,
    } = *given;
    if !flows.is_power_of_two() {
        return Err("linux-fq: flows: legal in the kernel are powers of two".to_owned());
    }
    let refill = kernel.time("refill_delay_ms", refill_delay_ms)?;
    let threshold = ce_threshold_ms.map(|ms| kernel.time("ce_threshold_ms", ms)).transpose()?;
    let threshold = threshold.map(|time| format!("ce_threshold {time}")).unwrap_or_default();
    let words = words(&format!(
        "fq limit {limit_packets} flow_limit {flow_limit_packets} quantum {quantum_bytes} \
         initial_quantum {initial_quantum_bytes} orphan_mask {} refill_delay {refill} {threshold}",
        flows - 1
    ));
    Ok(Discipline {
        words,
        below: Vec::new(),
        is_one_queue: flows == 1,
        limit_packets: Some(limit_packets.into()),
    })
}

/// The kernel's PIE spreads its signals, caps its steps, and gives bursts 150 ms, whatever it is told; its
/// `alpha` and `beta` are sixteenths per second. It spares two of its device's largest packets, of which
/// nothing is said here.
pub(super) fn pie(given: &pie::Params) -> Result<Discipline, String> {
    let kernel = Translated("pie");
    let pie::Params {
        limit_packets,
        limit_bytes,
        limit_rule,
        target_ms,
        update_interval_ms,
        alpha_hz,
        beta_hz,
        auto_tuning,
        max_burst_ms,
        latency,
        derandomize,
        cap_adjustment,
        // The kernel always has both, and older scenarios neither.
        high_delay_step: _,
        largest_probability: _,
        activation_share,
        scale_probability,
        mean_packet_bytes: _,
        max_packet_bytes: _,
        ecn,
        mark_ecn_threshold,
        fixed_probability,
    } = *given;
    let limit =
        kernel.limit_packets(Limit { packets: limit_packets, bytes: limit_bytes, rule: limit_rule })?;
    kernel.fixed("fixed_probability", &fixed_probability, &None)?;
    kernel.fixed("auto_tuning", &auto_tuning, &true)?;
    kernel.fixed("derandomize", &derandomize, &true)?;
    kernel.fixed("cap_adjustment", &cap_adjustment, &true)?;
    kernel.fixed("max_burst_ms", &max_burst_ms, &150.0)?;
    kernel.fixed("latency", &latency, &pie::Latency::Sojourn)?;
    kernel.fixed("activation_share", &activation_share, &None)?;
    kernel.fixed("scale_probability", &scale_probability, &ScaleProbability::None)?;
    kernel.fixed("mark_ecn_threshold", &mark_ecn_threshold, &0.1)?;
    let part = |key: &str, gain_hz: f64| {
        let parts = gain_hz * PIE_PARTS;
        let legal = parts.fract() == 0.0 && (1.0..=32.0).contains(&parts);
        if legal {
            Ok(parts)
        } else {
            Err(format!("pie: {key}: legal in the kernel are sixteenths, 1/16 to 2"))
        }
    };
    let (alpha, beta) = (part("alpha_hz", alpha_hz)?, part("beta_hz", beta_hz)?);
    let target = kernel.time("target_ms", target_ms)?;
    let update = kernel.time("update_interval_ms", update_interval_ms)?;
    let ecn = ecn_word(ecn);
    let words = words(&format!(
        "pie limit {limit} target {target} tupdate {update} alpha {alpha} beta {beta} {ecn} nobytemode"
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: true, limit_packets: Some(limit.into()) })
}

/// The kernel's DualPI2 has a step instead of a ramp, which packets feel that found `min_qlen_step` before
/// them, decides when packets leave, and spares all while less than two of the largest wait. Its Classic
/// queue drops what could be marked where p' reaches 1/k.
pub(super) fn dualpi2(given: &dualpi2::Params) -> Result<Discipline, String> {
    let kernel = Translated("dualpi2");
    let dualpi2::Params {
        limit_packets,
        limit_bytes,
        target_ms,
        update_interval_ms,
        alpha_hz,
        beta_hz,
        coupling,
        highest_marking,
        ramp_from_us,
        ramp_range_us,
        queue_length_packets,
        length_tested_on,
        schedule,
        overload,
        spare_nearly_empty,
        mtu_bytes,
        ecn,
        low_latency_dscp,
        queue_protection,
    } = *given;
    let limit = limit_packets.ok_or("dualpi2: no limit_packets, and the kernel's limit is one of packets")?;
    kernel.fixed("limit_bytes", &limit_bytes, &None)?;
    kernel.fixed("ecn", &ecn, &true)?;
    kernel.fixed("ramp_range_us", &ramp_range_us, &0.0)?;
    kernel.fixed("low_latency_dscp", &low_latency_dscp, &None)?;
    kernel.fixed("queue_protection", &queue_protection, &None)?;
    kernel.fixed("length_tested_on", &length_tested_on, &dualpi2::LengthTestedOn::Arrival)?;
    kernel.fixed("spare_nearly_empty", &spare_nearly_empty, &true)?;
    kernel.fixed("mtu_bytes", &mtu_bytes, &DEVICE_BYTES)?;
    let within = |key: &str, value: f64, most: f64| {
        if value.fract() == 0.0 && (1.0..=most).contains(&value) {
            Ok(value)
        } else {
            Err(format!("dualpi2: {key}: legal in the kernel are whole numbers, 1 to {most}"))
        }
    };
    let coupling = within("coupling", coupling, 255.0)?;
    kernel.fixed("highest_marking", &highest_marking, &(1.0 / (coupling * coupling)))?;
    let step = within("ramp_from_us", ramp_from_us, 4e9)?;
    let dualpi2::Schedule::Weighted { classic_share } = schedule else {
        return Err("dualpi2: schedule: the kernel's is weighted".to_owned());
    };
    let percent = (classic_share * 1e4).round() / 100.0;
    let percent = within("schedule.weighted.classic_share in per cent", percent, 99.0)?;
    let overload = match overload {
        dualpi2::Overload::Drop => "drop_on_overload",
        dualpi2::Overload::Overflow => "overflow",
    };
    let gain = |key: &str, wanted: f64| {
        let parts = (wanted * DUALPI2_PARTS).round();
        if (parts / DUALPI2_PARTS - wanted).abs() <= DUALPI2_ROUNDING * wanted && parts >= 1.0 {
            Ok(wanted)
        } else {
            Err(format!("dualpi2: {key}: legal in the kernel are parts of 1/256"))
        }
    };
    let (alpha, beta) = (gain("alpha_hz", alpha_hz)?, gain("beta_hz", beta_hz)?);
    let target = kernel.time("target_ms", target_ms)?;
    let update = kernel.time("update_interval_ms", update_interval_ms)?;
    let words = words(&format!(
        "dualpi2 limit {limit} coupling_factor {coupling} step_thresh {step}us min_qlen_step {} {overload} drop_dequeue l4s_ect \
         classic_protection {percent}% target {target} tupdate {update} alpha {alpha} beta {beta} no_split_gso",
        u64::from(queue_length_packets) + 1
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: false, limit_packets: Some(limit.into()) })
}

/// The kernel's RED measures in bytes, is not gentle, and averages with powers of two.
pub(super) fn red(given: &red::Params, rate: u64) -> Result<Discipline, String> {
    let kernel = Translated("red");
    let red::Params {
        limit_packets,
        limit_bytes,
        limit_rule,
        min_th_packets,
        max_th_packets,
        target_delay_ms,
        w_q,
        max_p,
        gentle,
        spacing,
        idle,
        measure,
        scale_probability,
        mean_packet_bytes,
        max_packet_bytes: _,
        ecn,
        ecn_rule,
        mark_p: _,
        spare_nearly_empty,
        spare_first_in_region,
    } = *given;
    kernel.fixed("limit_packets", &limit_packets, &None)?;
    kernel.fixed("limit_rule", &limit_rule, &LimitRule::HoldLimit)?;
    kernel.fixed("target_delay_ms", &target_delay_ms, &None)?;
    kernel.fixed("measure", &measure, &Measure::Bytes)?;
    kernel.fixed("gentle", &gentle, &false)?;
    kernel.fixed("spacing", &spacing, &Spacing::Classic)?;
    kernel.fixed("idle", &idle, &IdleRule::Paper)?;
    kernel.fixed("scale_probability", &scale_probability, &ScaleProbability::None)?;
    kernel.fixed("spare_nearly_empty", &spare_nearly_empty, &false)?;
    kernel.fixed("spare_first_in_region", &spare_first_in_region, &false)?;
    let Some(limit) = limit_bytes else {
        return Err("red: no limit_bytes, and the kernel's limit is one of bytes".to_owned());
    };
    let marks = match (ecn, ecn_rule) {
        (false, _) => "",
        (true, EcnRule::MarkBelowMaxTh) => "ecn harddrop",
        (true, EcnRule::MarkAlways) => "ecn",
        (true, rule) => {
            let rule = serde_json::to_string(&rule).unwrap_or_default();
            return Err(format!("red: ecn_rule = {rule}: the kernel has mark_below_max_th and mark_always"));
        }
    };
    let Weight::Fixed(weight) = w_q else {
        return Err("red: w_q: legal in the kernel is a number, a power of two".to_owned());
    };
    let mean = f64::from(mean_packet_bytes);
    let least = min_th_packets.unwrap_or(5.0) * mean;
    let most = max_th_packets.map_or(3.0 * least, |most| most * mean);
    if least.fract() != 0.0 || most.fract() != 0.0 {
        return Err("red: thresholds: legal in the kernel are whole bytes".to_owned());
    }
    let burst = burst_for(kernel, weight, least / mean)?;
    let words = words(&format!(
        "red limit {limit} min {least} max {most} avpkt {mean} burst {burst} bandwidth {rate}bit probability {max_p} {marks}"
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: true, limit_packets: None })
}

/// The kernel's CHOKe measures in packets, is not gentle, draws one packet for each arrival, and averages
/// with powers of two.
pub(super) fn choke(given: &choke::Params, rate: u64) -> Result<Discipline, String> {
    let kernel = Translated("choke");
    let choke::Params {
        limit_packets,
        limit_bytes,
        limit_rule,
        min_th_packets,
        max_th_packets,
        target_delay_ms,
        w_q,
        max_p,
        gentle,
        regions,
        draws_in_region,
        // One draw ends with its match.
        stop_at_first_match: _,
        spacing,
        idle,
        measure,
        scale_probability,
        mean_packet_bytes,
        max_packet_bytes: _,
        ecn,
        ecn_rule,
        mark_p: _,
        spare_nearly_empty,
        spare_first_in_region,
    } = *given;
    let limit =
        kernel.limit_packets(Limit { packets: limit_packets, bytes: limit_bytes, rule: limit_rule })?;
    kernel.fixed("target_delay_ms", &target_delay_ms, &None)?;
    kernel.fixed("measure", &measure, &Measure::Packets)?;
    kernel.fixed("gentle", &gentle, &false)?;
    kernel.fixed("regions", &regions, &1)?;
    kernel.fixed("draws_in_region", &draws_in_region, &DrawsInRegion::Odd)?;
    kernel.fixed("spacing", &spacing, &Spacing::Classic)?;
    kernel.fixed("idle", &idle, &IdleRule::Paper)?;
    kernel.fixed("scale_probability", &scale_probability, &ScaleProbability::None)?;
    kernel.fixed("spare_nearly_empty", &spare_nearly_empty, &false)?;
    kernel.fixed("spare_first_in_region", &spare_first_in_region, &false)?;
    if ecn {
        kernel.fixed("ecn_rule", &ecn_rule, &EcnRule::MarkAlways)?;
    }
    let Weight::Fixed(weight) = w_q else {
        return Err("choke: w_q: legal in the kernel is a number, a power of two".to_owned());
    };
    let least = min_th_packets.unwrap_or(5.0);
    let most = max_th_packets.unwrap_or(3.0 * least);
    if least.fract() != 0.0 || most.fract() != 0.0 {
        return Err("choke: thresholds: legal in the kernel are whole packets".to_owned());
    }
    if limit > MOST_CHOKE_PACKETS || most > f64::from(limit) {
        return Err(format!(
            "choke: limit_packets = {limit}: legal in the kernel are {most} (max_th_packets) to {MOST_CHOKE_PACKETS}"
        ));
    }
    let burst = burst_for(kernel, weight, least)?;
    let words = words(&format!(
        "choke limit {limit} min {least} max {most} avpkt {mean_packet_bytes} burst {burst} bandwidth {rate}bit \
         probability {max_p} {}",
        if ecn { "ecn" } else { "" }
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: true, limit_packets: Some(limit.into()) })
}

/// The `burst` for which `tc` chooses this weight: it takes the first power of two w for which burst + 1 -
/// min/avpkt is at most (1 - (1 - w)^burst) / w.
fn burst_for(kernel: Translated, weight: f64, least_packets: f64) -> Result<u32, String> {
    let chosen = |burst: u32| {
        let wanted = f64::from(burst) + 1.0 - least_packets;
        let fits = |w: f64| wanted <= (1.0 - libm::pow(1.0 - w, f64::from(burst))) / w;
        let mut powers = (1..32).map(|power| libm::ldexp(1.0, -power));
        if wanted < 1.0 { None } else { powers.find(|&w| fits(w)) }
    };
    let legal = || {
        let nearest = libm::exp2(libm::log2(weight.max(1e-9)).round());
        format!("{}: w_q = {weight}: legal in the kernel are powers of two, such as {nearest}", kernel.0)
    };
    (1..100_000).find(|&burst| chosen(burst) == Some(weight)).ok_or_else(legal)
}

#[cfg(test)]
mod tests {
    use super::super::{told, told_of};

    #[test]
    fn schemes_are_told_in_the_units_of_the_manual() {
        for (queue, words) in [
            ("scheme = \"drop-tail\", limit_packets = 120", "pfifo limit 120"),
            ("scheme = \"drop-tail\", limit_bytes = 60000", "bfifo limit 60000"),
            (
                "scheme = \"codel\", limit_packets = 1000, mtu_bytes = 1514, ecn = true",
                "codel limit 1000 target 5000us interval 100000us ecn",
            ),
            // The defaults of the kernel: alpha 2, beta 20 (tc-pie(8)).
            (
                "scheme = \"pie\", limit_packets = 1000, derandomize = true, cap_adjustment = true",
                "pie limit 1000 target 15000us tupdate 15000us alpha 2 beta 20 noecn nobytemode",
            ),
            (
                "scheme = \"fq-codel\", mtu_bytes = 1514, emptied_new_queue = \"becomes_old_behind_others\", \
                 count_overflows = true, nearly_empty = \"all_queues\"",
                "fq_codel limit 10240 flows 1024 target 5000us interval 100000us quantum 1514 ecn memory_limit 33554432 \
                 drop_batch 64",
            ),
            (
                "scheme = \"fq-codel\", mtu_bytes = 1514, emptied_new_queue = \"becomes_old_behind_others\", \
                 count_overflows = true, nearly_empty = \"all_queues\", ce_threshold_ms = 1.0, ce_threshold_ecn = \"ect1\"",
                "fq_codel limit 10240 flows 1024 target 5000us interval 100000us quantum 1514 ecn ce_threshold 1000us \
                 ce_threshold_selector 0x1/0x3 memory_limit 33554432 drop_batch 64",
            ),
            // The defaults of tc-fq(8).
            (
                "scheme = \"linux-fq\"",
                "fq limit 10000 flow_limit 100 quantum 3028 initial_quantum 15140 orphan_mask 1023 refill_delay 40000us",
            ),
            (
                "scheme = \"linux-fq\", flows = 1, limit_packets = 42, flow_limit_packets = 42, ce_threshold_ms = 5.0",
                "fq limit 42 flow_limit 42 quantum 3028 initial_quantum 15140 orphan_mask 0 refill_delay 40000us \
                 ce_threshold 5000us",
            ),
        ] {
            assert_eq!(told(queue).as_deref(), Ok(words));
        }
    }

    #[test]
    fn frames_are_not_counted_in_the_kernel() {
        let header = [("dumbbell.layer2_queued_bytes".to_owned(), "14".to_owned())];
        let refused = told_of("scheme = \"drop-tail\", limit_bytes = 60000", &header).unwrap_err();
        assert!(refused.contains("layer2_queued_bytes") && refused.contains("legal is 0"), "{refused}");
    }

    const LINUX_DUALPI2: &str = "scheme = \"dualpi2\", limit_packets = 10000, ramp_from_us = 1000, ramp_range_us = 0, \
        length_tested_on = \"arrival\", queue_length_packets = 0, spare_nearly_empty = true, mtu_bytes = 1514";

    /// The defaults that tc-dualpi2(8) prints, but for `min_qlen_step`: the least that our packets can be
    /// told to find is one.
    #[test]
    fn dualpi2_is_told_its_gains_per_second_and_its_share_in_per_cent() {
        let told_of = |more: &str| told(&format!("{LINUX_DUALPI2}, {more}"));
        let found = told_of("schedule = { weighted = { classic_share = 0.1 } }");
        let wanted = "dualpi2 limit 10000 coupling_factor 2 step_thresh 1000us min_qlen_step 1 drop_on_overload drop_dequeue l4s_ect \
                      classic_protection 10% target 15000us tupdate 16000us alpha 0.16 beta 3.2 no_split_gso";
        assert_eq!(found.as_deref(), Ok(wanted));
        let weighted = "schedule = { weighted = { classic_share = 0.1 } }";
        for (more, refusal) in [
            (
                "schedule = { time_shifted = { shift_ms = 50 } }".to_owned(),
                "dualpi2: schedule: the kernel's is weighted",
            ),
            (
                format!("{weighted}, alpha_hz = 0.03"),
                "dualpi2: alpha_hz: legal in the kernel are parts of 1/256",
            ),
            (
                format!("{weighted}, highest_marking = 0.5"),
                "dualpi2: highest_marking = 0.5: legal in the kernel is 0.25",
            ),
        ] {
            assert_eq!(told_of(&more), Err(refusal.to_owned()), "{more}");
        }
    }

    /// The example of tc-red(8): thresholds of 30 and 90 kB, mean packets of 1,000 bytes, a burst of 55, at
    /// 10 Mbit/s. With 56 - 30 = 26 the first power of two is 2⁻⁵, of which the sum is (1 - (31/32)⁵⁵)·32 =
    /// 26.4 (2⁻⁴: 15.5).
    #[test]
    fn red_is_told_in_bytes_with_the_burst_of_its_weight() {
        let red = "scheme = \"red\", limit_bytes = 400000, min_th_packets = 30.0, max_th_packets = 90.0, mean_packet_bytes = 1000, \
                   max_p = 0.02, gentle = false, measure = \"bytes\", ecn = true";
        let found = told(&format!("{red}, w_q = 0.03125")).unwrap();
        let burst: f64 = found.split_once(" burst ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        let sum = |w: f64| (1.0 - libm::pow(1.0 - w, burst)) / w;
        assert!(sum(1.0 / 16.0) < burst - 29.0 && burst - 29.0 <= sum(1.0 / 32.0), "{found}");
        assert!(found.starts_with("red limit 400000 min 30000 max 90000 avpkt 1000 burst "));
        assert!(found.ends_with(" bandwidth 10000000bit probability 0.02 ecn harddrop"), "{found}");
        let always = told(&format!("{red}, w_q = 0.03125, ecn_rule = \"mark_always\"")).unwrap();
        assert!(always.ends_with("probability 0.02 ecn"), "{always}");
        let refused = told(&format!("{red}, w_q = 0.002")).unwrap_err();
        assert_eq!(refused, "red: w_q = 0.002: legal in the kernel are powers of two, such as 0.001953125");
    }

    /// Thresholds in packets. `tc` takes the first power of two w with burst + 1 - 83 <=
    /// (1 - (1 - w)^burst)/w.
    #[test]
    fn choke_is_told_in_packets_with_the_burst_of_its_weight() {
        let choke = "scheme = \"choke\", limit_packets = 1000, min_th_packets = 83.0, max_th_packets = 250.0, \
                     mean_packet_bytes = 1000, max_p = 0.02, gentle = false, w_q = 0.015625";
        let found = told(choke).unwrap();
        let burst: f64 = found.split_once(" burst ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        let sum = |w: f64| (1.0 - libm::pow(1.0 - w, burst)) / w;
        assert!(sum(1.0 / 32.0) < burst - 82.0 && burst - 82.0 <= sum(1.0 / 64.0), "{found}");
        assert!(found.starts_with("choke limit 1000 min 83 max 250 avpkt 1000 burst "), "{found}");
        assert!(found.ends_with(" bandwidth 10000000bit probability 0.02"), "{found}");
        let marks = told(&format!("{choke}, ecn = true, ecn_rule = \"mark_always\"")).unwrap();
        assert!(marks.ends_with(" probability 0.02 ecn"), "{marks}");
    }

    #[test]
    fn what_the_kernel_has_not_is_refused_with_what_it_has() {
        for (queue, refusal) in [
            ("scheme = \"pi\", limit_packets = 240", "Linux has no discipline pi"),
            (
                "scheme = \"codel\", limit_packets = 9, ce_threshold_ms = 1.0, ce_threshold_ecn = \"ect1\"",
                "codel: ce_threshold_ecn = \"ect1\": legal in the kernel is \"any\"",
            ),
            ("scheme = \"linux-fq\", flows = 100", "linux-fq: flows: legal in the kernel are powers of two"),
            ("scheme = \"codel\", limit_packets = 9", "codel: mtu_bytes = 1500: legal in the kernel is 1514"),
            (
                "scheme = \"drop-tail\", limit_packets = 9, limit_rule = \"hold_limit_minus_one\"",
                "drop-tail: limit_rule = \"hold_limit_minus_one\": legal in the kernel is \"hold_limit\"",
            ),
            (
                "scheme = \"red\", limit_packets = 9",
                "red: limit_packets = 9: legal in the kernel is not to give it",
            ),
            ("scheme = \"pie\", limit_packets = 9", "pie: derandomize = false: legal in the kernel is true"),
            (
                "scheme = \"fq-codel\", mtu_bytes = 1514, hash = \"set_associative\"",
                "fq-codel: hash = \"set_associative\": legal in the kernel is \"plain\"",
            ),
            (
                "scheme = \"red\", limit_bytes = 400000, gentle = false, measure = \"bytes\", w_q = { time_constant_s = 0.1 }",
                "red: w_q: legal in the kernel is a number, a power of two",
            ),
            (
                "scheme = \"dualpi2\", limit_packets = 9",
                "dualpi2: ramp_range_us = 400.0: legal in the kernel is 0.0",
            ),
            ("scheme = \"choke\", limit_packets = 99", "choke: gentle = true: legal in the kernel is false"),
            (
                "scheme = \"choke\", limit_packets = 99, gentle = false, regions = 5",
                "choke: regions = 5: legal in the kernel is 1",
            ),
            (
                "scheme = \"choke\", limit_packets = 99, gentle = false, ecn = true",
                "choke: ecn_rule = \"mark_below_max_th\": legal in the kernel is \"mark_always\"",
            ),
            (
                "scheme = \"choke\", limit_packets = 9, gentle = false, w_q = 0.0625",
                "choke: limit_packets = 9: legal in the kernel are 15 (max_th_packets) to 131071",
            ),
        ] {
            assert_eq!(told(queue), Err(refusal.to_owned()));
        }
    }
}
