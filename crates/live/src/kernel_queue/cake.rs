//! CAKE in the words of tc(8).
//!
//! The kernel's CAKE counts the bytes of a frame for its shaper and its turns alike. It is handed IP lengths,
//! as every discipline of a link here, and takes the 14 bytes of a device's header off before it adds an
//! `overhead`: these are added first.
//!
//! Sources: tc-cake(8); Linux 6: `net/sched/sch_cake.c`; iproute2 6.1: `tc/q_cake.c`.

use super::words::{DEVICE_BYTES, Discipline, Translated, words};
use crate::devices::ETHERNET_BYTES;
use aqmlab_aqm::algorithms::cake;
use aqmlab_aqm::parts::{AckFiltering, Isolation, LineCoding, TinShare, Tins, quantum_of_rate};
use aqmlab_units::Rate;

/// What the kernel has, whatever it is told.
const FLOWS: u32 = 1024;
const DEVICE_PACKETS: u32 = 10_240;
/// The kernel counts the memory that packets take, which is more than their length: with less than its own
/// least buffer that is felt.
const LEAST_BUFFER_BYTES: u64 = 4 << 20;
/// `tc` takes no longer `overhead`.
const MOST_OVERHEAD_BYTES: i32 = 256 - HEADER_BYTES;
/// What the kernel takes off a frame before it adds an `overhead`.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // fourteen
const HEADER_BYTES: i32 = ETHERNET_BYTES as i32;
/// The largest packet of a link here.
const FULL_PACKET_BYTES: u32 = 1500;
/// A turn of a kernel's CAKE without a rate.
const LONG_TURN_BYTES: u32 = 1514;

/// The kernel's CAKE has as many queues as it was compiled with, always marks, and makes quantum, target and
/// interval of the rate of its shaper; without one they do not follow from the link's rate.
pub(super) fn cake(given: &cake::Params, link: Rate) -> Result<Discipline, String> {
    let kernel = Translated("cake");
    let cake::Params {
        rate_mbps,
        overhead_bytes,
        minimum_frame_bytes,
        framing,
        limit_packets,
        memory_limit_bytes,
        flows,
        quantum_bytes: _,
        isolation,
        tins,
        ack_filter,
        wash,
        ingress,
        autorate_ingress,
        hardware_queues,
        target_ms: _,
        interval_ms: _,
        mtu_bytes,
        ecn,
    } = *given;
    kernel.fixed("flows", &flows, &FLOWS)?;
    kernel.fixed("limit_packets", &limit_packets, &DEVICE_PACKETS)?;
    kernel.fixed("hardware_queues", &hardware_queues, &1)?;
    kernel.fixed("ecn", &ecn, &true)?;
    kernel.fixed("mtu_bytes", &mtu_bytes, &DEVICE_BYTES)?;
    if !(LEAST_BUFFER_BYTES..=u64::from(u32::MAX)).contains(&memory_limit_bytes) {
        return Err(format!(
            "cake: memory_limit_bytes = {memory_limit_bytes}: legal in the kernel, which counts the memory that packets \
             take, are {LEAST_BUFFER_BYTES} to {}",
            u32::MAX
        ));
    }
    turns(given, link)?;
    if autorate_ingress {
        kernel.fixed("quantum_bytes", &given.quantum_bytes, &None)?;
    }
    let rtt = round_trip(given)?;
    let shaped = match rate_mbps.map(Rate::from_megabits_per_second) {
        None => {
            unshaped(given, link)?;
            "unlimited raw".to_owned()
        }
        Some(rate) => {
            if overhead_bytes > MOST_OVERHEAD_BYTES {
                return Err(format!(
                    "cake: overhead_bytes = {overhead_bytes}: legal in the kernel is at most {MOST_OVERHEAD_BYTES}"
                ));
            }
            format!(
                "bandwidth {}bit{} overhead {} mpu {minimum_frame_bytes} {}",
                rate.bits_per_second(),
                if autorate_ingress { " autorate-ingress" } else { "" },
                overhead_bytes + HEADER_BYTES,
                coding(framing)
            )
        }
    };
    let words = words(&format!(
        "cake {shaped} {} {} {} {} {} rtt {rtt} memlimit {memory_limit_bytes}",
        of_tins(tins),
        of_isolation(isolation),
        if wash { "wash" } else { "nowash" },
        of_filter(ack_filter),
        if ingress { "ingress" } else { "egress" },
    ));
    Ok(Discipline { words, below: Vec::new(), is_one_queue: false, limit_packets: None })
}

/// `rtt`: the interval, of which the kernel's target is a twentieth.
fn round_trip(given: &cake::Params) -> Result<String, String> {
    let kernel = Translated("cake");
    let time = kernel.time("interval_ms", given.interval_ms)?;
    let target_us = ((given.interval_ms * 1e3).round() / 20.0).floor().max(1.0);
    kernel.fixed("target_ms", &given.target_ms, &(target_us / 1e3))?;
    Ok(time)
}

/// The shares of the tins in the rate of the shaper, or of the link.
fn shares(given: &cake::Params, link: Rate) -> Vec<TinShare> {
    let rate = given.rate_mbps.map_or(link, Rate::from_megabits_per_second);
    given.tins.shares(rate.bits_per_second() / 8)
}

/// A turn is a 4096th of a second of a tin's rate, up to a frame of Ethernet, which it is without a rate.
fn turns(given: &cake::Params, link: Rate) -> Result<(), String> {
    for share in shares(given, link) {
        let ours = given.quantum_bytes.unwrap_or_else(|| quantum_of_rate(share.rate(), FULL_PACKET_BYTES));
        let of_kernel = match given.rate_mbps {
            Some(_) => quantum_of_rate(share.rate(), LONG_TURN_BYTES),
            None => LONG_TURN_BYTES,
        };
        if ours != of_kernel {
            let legal = if given.tins == Tins::Besteffort || given.rate_mbps.is_none() {
                format!("legal in the kernel at this rate is {of_kernel}")
            } else {
                "legal in the kernel with tins is a rate_mbps of at most 49.15, and no quantum_bytes"
                    .to_owned()
            };
            return Err(format!("cake: quantum_bytes = {ours}: {legal}"));
        }
    }
    Ok(())
}

/// Without a rate the kernel's target is what it is told: ours is, where four of the largest packets pass
/// within it. The kernel counts no frames then.
fn unshaped(given: &cake::Params, link: Rate) -> Result<(), String> {
    let kernel = Translated("cake without rate_mbps");
    kernel.fixed("ingress", &given.ingress, &false)?;
    let four_ms = 4.0 * f64::from(DEVICE_BYTES) * 8e3 / link.bits_per_second() as f64;
    if four_ms > given.target_ms {
        return Err(format!(
            "cake without rate_mbps: legal in the kernel, whose target does not follow from the link's rate, are links on \
             which four packets of {DEVICE_BYTES} bytes pass within {} ms",
            given.target_ms
        ));
    }
    Ok(())
}

const fn coding(framing: LineCoding) -> &'static str {
    match framing {
        LineCoding::None => "noatm",
        LineCoding::Atm => "atm",
        LineCoding::Ptm => "ptm",
    }
}

const fn of_tins(tins: Tins) -> &'static str {
    match tins {
        Tins::Besteffort => "besteffort",
        Tins::Diffserv3 => "diffserv3",
        Tins::Diffserv4 => "diffserv4",
        Tins::Diffserv8 => "diffserv8",
        Tins::Precedence => "precedence",
    }
}

const fn of_isolation(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::None => "flowblind",
        Isolation::Source => "srchost",
        Isolation::Destination => "dsthost",
        Isolation::Hosts => "hosts",
        Isolation::Flows => "flows",
        Isolation::DualSource => "dual-srchost",
        Isolation::DualDestination => "dual-dsthost",
        Isolation::Triple => "triple-isolate",
    }
}

const fn of_filter(filter: AckFiltering) -> &'static str {
    match filter {
        AckFiltering::None => "no-ack-filter",
        AckFiltering::Conservative => "ack-filter",
        AckFiltering::Aggressive => "ack-filter-aggressive",
    }
}

#[cfg(test)]
mod tests {
    use super::super::told;

    const LINUX: &str = "scheme = \"cake\", mtu_bytes = 1514";

    fn cake(more: &str) -> Result<String, String> {
        told(&format!("{LINUX}{more}"))
    }

    /// What tc-cake(8) calls `bandwidth 8Mbit`: the 14 bytes of Ethernet count. Here they come on top of
    /// those that the kernel takes off.
    #[test]
    fn a_shaper_counts_frames_and_a_target_is_a_twentieth_of_the_round_trip() {
        let found = cake(", rate_mbps = 8.0, overhead_bytes = 14").unwrap();
        let wanted = "cake bandwidth 8000000bit overhead 28 mpu 0 noatm besteffort triple-isolate nowash no-ack-filter \
                      egress rtt 100000us memlimit 4194304";
        assert_eq!(found, wanted);
        let found = cake(
            ", rate_mbps = 2.0, overhead_bytes = 30, minimum_frame_bytes = 64, framing = \"ptm\", tins = \"diffserv4\", \
             isolation = \"dual_source\", ack_filter = \"aggressive\", wash = true, ingress = true, interval_ms = 30.0, \
             target_ms = 1.5, memory_limit_bytes = 8388608",
        );
        let wanted = "cake bandwidth 2000000bit overhead 44 mpu 64 ptm diffserv4 dual-srchost wash ack-filter-aggressive \
                      ingress rtt 30000us memlimit 8388608";
        assert_eq!(found.as_deref(), Ok(wanted));
        let follows = cake(", rate_mbps = 8.0, autorate_ingress = true").unwrap();
        assert!(follows.starts_with("cake bandwidth 8000000bit autorate-ingress overhead 14 "), "{follows}");
    }

    /// Below 10 Mbit/s, four packets of 1,514 bytes take 4.84 ms.
    #[test]
    fn without_a_shaper_turns_are_a_frame_and_ip_lengths_count() {
        let found = cake(", quantum_bytes = 1514, overhead_bytes = 14").unwrap();
        let wanted = "cake unlimited raw besteffort triple-isolate nowash no-ack-filter egress rtt 100000us memlimit 4194304";
        assert_eq!(found, wanted);
        assert_eq!(
            cake(""),
            Err("cake: quantum_bytes = 305: legal in the kernel at this rate is 1514".to_owned())
        );
        let slow = cake(", quantum_bytes = 1514, interval_ms = 80.0, target_ms = 4.0").unwrap_err();
        assert!(slow.ends_with("four packets of 1514 bytes pass within 4 ms"), "{slow}");
    }

    #[test]
    fn what_the_kernels_cake_has_not_is_refused_with_what_it_has() {
        for (more, refusal) in [
            (", rate_mbps = 8.0, flows = 512", "cake: flows = 512: legal in the kernel is 1024"),
            (", rate_mbps = 8.0, ecn = false", "cake: ecn = false: legal in the kernel is true"),
            (", rate_mbps = 8.0, target_ms = 4.0", "cake: target_ms = 4.0: legal in the kernel is 5.0"),
            (
                ", rate_mbps = 8.0, overhead_bytes = 250",
                "cake: overhead_bytes = 250: legal in the kernel is at most 242",
            ),
            (
                ", rate_mbps = 8.0, quantum_bytes = 1514",
                "cake: quantum_bytes = 1514: legal in the kernel at this rate is 300",
            ),
            (
                ", rate_mbps = 8.0, tins = \"diffserv3\", quantum_bytes = 1514",
                "cake: quantum_bytes = 1514: legal in the kernel with tins is a rate_mbps of at most 49.15, and no \
                 quantum_bytes",
            ),
            (
                ", rate_mbps = 8.0, memory_limit_bytes = 60000",
                "cake: memory_limit_bytes = 60000: legal in the kernel, which counts the memory that packets take, are \
                 4194304 to 4294967295",
            ),
            (
                ", quantum_bytes = 1514, ingress = true",
                "cake without rate_mbps: ingress = true: legal in the kernel is false",
            ),
        ] {
            assert_eq!(cake(more), Err(refusal.to_owned()), "{more}");
        }
        assert_eq!(
            told("scheme = \"cake\", rate_mbps = 8.0"),
            Err("cake: mtu_bytes = 1500: legal in the kernel is 1514".to_owned())
        );
    }
}
