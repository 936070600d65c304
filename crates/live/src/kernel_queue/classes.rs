//! Schemes with classes in the words of tc(8): the discipline, and what is added below it, a class, a queue
//! or a filter a line.
//!
//! The router hands packets over through packet sockets, which give all of them priority 0: what a kernel
//! that forwards reads from codepoints, filters read here.
//!
//! Sources: tc-prio(8), tc-htb(8), tc-u32(8); Linux 6: `net/sched/sch_htb.c`, `net/sched/sch_prio.c`.

use super::schemes::discipline_of_scheme;
use super::words::{Discipline, words};
use crate::addresses::Addresses;
use aqmlab_aqm::algorithms::htb;
use aqmlab_aqm::algorithms::prio;
use aqmlab_aqm::parts::LineCoding;
use aqmlab_aqm::{PortFacts, TrafficClasses};
use aqmlab_scenario::{NodeIndex, Scheme};
use aqmlab_units::Rate;

/// The handle of a link's discipline, and that of the queue in its first class, less one.
pub(super) const HANDLE: &str = "10:";
const FIRST_HANDLE: usize = 0x100;
/// What stands for the device in a line.
pub(super) const DEVICE: &str = "DEV";
/// What no scenario reaches, as the kernel's have no limit of all classes together.
const UNLIMITED_PACKETS: u32 = 65_536;

/// The queue of the class of this number, from 1.
fn queue(number: usize, scheme: &Scheme, rate: Rate) -> Result<String, String> {
    let inner = discipline_of_scheme(scheme, rate)?;
    let handle = FIRST_HANDLE + number;
    Ok(format!(
        "qdisc add dev {DEVICE} parent {HANDLE}{number:x} handle {handle:x}: {}",
        inner.words.join(" ")
    ))
}

/// Packets that fit lead to the class of this number, from 1; filters of a lower rank are asked first.
fn filter(rank: usize, fits: &str, number: usize) -> String {
    format!(
        "filter add dev {DEVICE} parent {HANDLE} protocol ip prio {rank} u32 {fits}flowid {HANDLE}{number:x}"
    )
}

fn with_codepoint(dscp: u8) -> String {
    format!("match ip dsfield {:#04x} 0xfc ", dscp << 2)
}

fn limited(scheme: &str, packets: u32) -> Result<(), String> {
    if packets == UNLIMITED_PACKETS {
        return Ok(());
    }
    Err(format!(
        "{scheme}: limit_packets = {packets}: legal in the kernel is {UNLIMITED_PACKETS}: queues have limits there"
    ))
}

fn with_classes(line: &str, below: Vec<String>) -> Discipline {
    Discipline { words: words(line), below, is_one_queue: false, limit_packets: None }
}

pub(super) fn prio(
    given: &prio::Params<Scheme>,
    classes: &TrafficClasses,
    rate: Rate,
) -> Result<Discipline, String> {
    let count = given.bands.len();
    if count < 2 {
        return Err("prio: 1 band: legal in the kernel are 2 to 16".to_owned());
    }
    limited("prio", given.limit_packets)?;
    let bands: Vec<usize> = given.priomap.iter().map(|&band| usize::from(band).min(count - 1)).collect();
    let queues = (1..).zip(&given.bands).map(|(number, band)| queue(number, &band.queue, rate));
    let mut below = queues.collect::<Result<Vec<String>, String>>()?;
    let otherwise = bands.first().copied().unwrap_or_default();
    for dscp in 0..64 {
        let band = classes.class_of(dscp, 0, 0);
        if band != otherwise {
            below.push(filter(1, &with_codepoint(dscp), band + 1));
        }
    }
    let priomap: Vec<String> = bands.iter().map(ToString::to_string).collect();
    Ok(with_classes(&format!("prio bands {count} priomap {}", priomap.join(" ")), below))
}

pub(super) fn htb(
    given: &htb::Params<Scheme>,
    rate: Rate,
    addresses: &Addresses,
) -> Result<Discipline, String> {
    limited("htb", given.limit_packets)?;
    let given = given.with_classes();
    let overhead = given.overhead_bytes;
    if overhead < 0 {
        return Err(format!("htb: overhead_bytes = {overhead}: legal in the kernel is 0 or more"));
    }
    let layer = match given.framing {
        LineCoding::None => "",
        LineCoding::Atm => " linklayer atm",
        LineCoding::Ptm => {
            return Err("htb: framing = \"ptm\": legal in the kernel is none or atm".to_owned());
        }
    };
    let facts = PortFacts::new(rate);
    let mut below = Vec::new();
    let mut default = 0;
    for (place, class) in given.classes.iter().enumerate() {
        let number = place + 1;
        let parent = given.parent(place).map(|parent| format!("{:x}", parent + 1)).unwrap_or_default();
        let own = class.rate(&facts);
        let ceil = class.ceil_mbps.map_or(own, Rate::from_megabits_per_second);
        let [burst, ceil_burst] =
            [class.burst_bytes, class.ceil_burst_bytes].map(|bytes| bytes.unwrap_or(htb::USUAL_BURST_BYTES));
        let (prio, quantum, minimum) = (class.prio, class.quantum(&facts), given.minimum_frame_bytes);
        below.push(format!(
            "class add dev {DEVICE} parent {HANDLE}{parent} classid {HANDLE}{number:x} htb rate {}bit ceil {}bit \
             burst {burst}b cburst {ceil_burst}b prio {prio} quantum {quantum} overhead {overhead} mpu {minimum}{layer}",
            own.bits_per_second(),
            ceil.bits_per_second()
        ));
        if given.is_leaf(place) {
            below.push(queue(number, &class.queue, ceil.min(rate))?);
            below.extend(filters(place, class, addresses));
            let is_default = given.default.as_ref().is_none_or(|name| *name == class.name);
            default = if is_default { number } else { default };
        }
    }
    Ok(with_classes(&format!("htb default {default:x}"), below))
}

/// The filters of a class: hosts and codepoints that fit together, whichever end a host is.
fn filters(place: usize, class: &htb::Class<Scheme>, addresses: &Addresses) -> Vec<String> {
    let of_hosts: Vec<String> = if class.hosts.is_empty() {
        vec!["match u32 0 0 ".to_owned()]
    } else {
        let block = |&node: &u32| addresses.block(addresses.machine(NodeIndex(node)));
        let ends = |(value, mask): (u32, u32)| {
            [12, 16].map(|at| format!("match u32 {value:#010x} {mask:#010x} at {at} "))
        };
        class.addresses.iter().map(block).flat_map(ends).collect()
    };
    let codepoints: Vec<String> = if class.dscp.is_empty() {
        vec![String::new()]
    } else {
        class.dscp.iter().map(|&dscp| with_codepoint(dscp)).collect()
    };
    let pairs = of_hosts
        .iter()
        .flat_map(|hosts| codepoints.iter().map(move |codepoint| format!("{hosts}{codepoint}")));
    pairs.map(|fits| filter(place + 1, &fits, place + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::discipline_of;
    use aqmlab_scenario::{LinkIndex, Scenario};

    fn told(queue: &str) -> Result<Vec<String>, String> {
        let text = format!(
            "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\nqueue = {{ {queue} }}\n[[flows]]\ncount = 1\n\
             direction = \"left-to-right\"\nbase_rtt_ms = 10.0\n"
        );
        let scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let place = scenario.network.links.iter().position(|link| link.name == "left-to-right").unwrap();
        let found = discipline_of(&scenario, LinkIndex(u32::try_from(place).unwrap()))?;
        Ok(std::iter::once(found.words.join(" ")).chain(found.below).collect())
    }

    /// 46 << 2 is 0xb8; packets from packet sockets have priority 0, which the usual priomap puts in band 1,
    /// and of bits ...01. and ...10. there are sixteen codepoints each.
    #[test]
    fn bands_have_queues_and_filters_for_the_codepoints_that_priority_0_does_not_lead_to() {
        let found = told(
            "scheme = \"prio\", bands = [{ dscp = [46], queue = { scheme = \"drop-tail\", limit_packets = 50 } }, {}]",
        );
        let [prio, first, second, filters @ ..] = &*found.unwrap() else { panic!("too few lines") };
        assert_eq!(prio, "prio bands 2 priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1");
        assert_eq!(first, "qdisc add dev DEV parent 10:1 handle 101: pfifo limit 50");
        assert_eq!(second, "qdisc add dev DEV parent 10:2 handle 102: pfifo limit 1000");
        assert_eq!(filters.len(), 17);
        let ef =
            "filter add dev DEV parent 10: protocol ip prio 1 u32 match ip dsfield 0xb8 0xfc flowid 10:1";
        assert!(filters.iter().any(|line| line == ef), "{filters:?}");
        assert_eq!(
            told("scheme = \"prio\", bands = [{}]"),
            Err("prio: 1 band: legal in the kernel are 2 to 16".to_owned())
        );
    }

    #[test]
    fn classes_have_rates_queues_and_filters_in_the_order_of_the_list() {
        let found = told(
            "scheme = \"htb\", overhead_bytes = 14, default = \"rest\", classes = [{ name = \"all\", rate_mbps = 8.0 }, \
             { name = \"calls\", parent = \"all\", rate_mbps = 1.0, ceil_mbps = 2.0, prio = 1, dscp = [46] }, \
             { name = \"rest\", parent = \"all\", rate_mbps = 7.0, quantum_bytes = 3000 }]",
        )
        .unwrap();
        let common = "burst 1600b cburst 1600b prio";
        // What a tenth of a second sends at 8 and at 1 Mbit/s: 100,000 and 12,500 bytes.
        assert_eq!(
            found,
            [
                "htb default 3".to_owned(),
                format!("class add dev DEV parent 10: classid 10:1 htb rate 8000000bit ceil 8000000bit {common} 0 quantum 100000 overhead 14 mpu 0"),
                format!("class add dev DEV parent 10:1 classid 10:2 htb rate 1000000bit ceil 2000000bit {common} 1 quantum 12500 overhead 14 mpu 0"),
                "qdisc add dev DEV parent 10:2 handle 102: pfifo limit 1000".to_owned(),
                "filter add dev DEV parent 10: protocol ip prio 2 u32 match u32 0 0 match ip dsfield 0xb8 0xfc flowid 10:2".to_owned(),
                format!("class add dev DEV parent 10:1 classid 10:3 htb rate 7000000bit ceil 7000000bit {common} 0 quantum 3000 overhead 14 mpu 0"),
                "qdisc add dev DEV parent 10:3 handle 103: pfifo limit 1000".to_owned(),
                "filter add dev DEV parent 10: protocol ip prio 3 u32 match u32 0 0 flowid 10:3".to_owned(),
            ]
        );
        let refused = told("scheme = \"htb\", overhead_bytes = -4").unwrap_err();
        assert_eq!(refused, "htb: overhead_bytes = -4: legal in the kernel is 0 or more");
        let inner = told("scheme = \"htb\", classes = [{ rate_mbps = 1.0, queue = { scheme = \"pi\", limit_packets = 9 } }]")
            .unwrap_err();
        assert_eq!(inner, "Linux has no discipline pi");
    }
}
