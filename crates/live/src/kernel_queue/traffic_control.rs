//! The pair of devices around a queue discipline of the kernel: how it is made, and what the kernel counted.

use super::classes::{DEVICE, HANDLE};
use super::words::Discipline;
use crate::error::LiveError;
use crate::namespace::{command, ip};
use crate::packet::headers::MTU;
use aqmlab_scenario::{Link, LinkIndex};
use serde::Serialize;
use serde_json::Value;
use std::process::Command;

/// What an idle link may send ahead of its rate, and a late kernel catch up with, in microseconds of it. A
/// wire sends nothing ahead; without any, each late wake-up of the kernel would be lost to the link.
const BURST_US: u64 = 1_000;

/// What the kernel's discipline counted in the whole run, beside what the router saw of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counted {
    /// The link.
    pub(crate) link: String,
    /// The discipline in the words of tc(8).
    pub(crate) discipline: String,
    /// Packets that it let go.
    pub(crate) sent: u64,
    /// Packets that it threw away.
    pub(crate) dropped: u64,
    /// Packets that waited when the run was over.
    pub(crate) waiting: u64,
    /// Of the same the router: what it handed over, what it missed, what was marked.
    pub(crate) router_arrived: u64,
    pub(crate) router_discarded: u64,
    pub(crate) router_marked: u64,
}

impl Counted {
    /// In what the kernel and the router differ, if they do.
    pub(crate) fn difference(&self) -> Option<String> {
        let came = self.sent + self.dropped + self.waiting;
        let (kernel, router) = ((came, self.dropped), (self.router_arrived, self.router_discarded));
        // The router hears of most discards when the next packet (of several queues: of the flow) comes out:
        // of what came behind those that wait, not yet.
        let behind_them = self.waiting * self.dropped / self.sent.max(1);
        let unheard = kernel.1 / 100 + 10 + behind_them;
        let agree = kernel.0 == router.0 && router.1 <= kernel.1 && kernel.1 - router.1 <= unheard;
        (!agree).then(|| {
            let link = &self.link;
            format!("the kernel counted {kernel:?} packets that came to {link} and were dropped, the router {router:?}")
        })
    }
}

/// The names of the devices of a link's queue: where packets enter, and where they come out.
pub(super) fn devices(number: LinkIndex) -> [String; 2] {
    ["in", "out"].map(|end| format!("aqmlab{}{end}", number.0))
}

/// Makes the devices and the discipline in the namespace of this thread.
pub(super) fn make(
    [entrance, exit]: &[String; 2],
    link: &Link,
    discipline: &Discipline,
) -> Result<(), LiveError> {
    ip(&format!(
        "link add {entrance} type veth peer name {exit}\nlink set {entrance} mtu {MTU} up\nlink set {exit} mtu {MTU} up\n"
    ))?;
    command("tc", &commands(entrance, link, discipline))
}

/// What `tc` is told: sizes without the frame's header, for the discipline; with all that takes time on the
/// wire, for the rate.
fn commands(device: &str, link: &Link, discipline: &Discipline) -> String {
    let rate = link.rate.map_or(0, |rate| rate.bits_per_second());
    let burst = (rate * BURST_US / 8_000_000).max(1);
    let empty = link.framing.wire_bytes(0);
    let overhead = link.framing.overhead_bytes + link.framing.gap_bytes;
    let words = discipline.words.join(" ");
    let below: String = discipline.below.iter().map(|line| line.replacen(DEVICE, device, 1) + "\n").collect();
    format!(
        "qdisc add dev {device} root handle 1: stab overhead -14 htb default 1\n\
         class add dev {device} parent 1: classid 1:1 htb rate {rate}bit ceil {rate}bit burst {burst}b cburst {burst}b \
         quantum {MTU} overhead {overhead} mpu {empty}\n\
         qdisc add dev {device} parent 1:1 handle {HANDLE} {words}\n{below}"
    )
}

/// What the discipline of a device has counted since it was made.
pub(super) fn count(device: &str) -> Result<Counted, LiveError> {
    let told = Command::new("tc").args(["-s", "-j", "qdisc", "show", "dev", device]).output();
    let told = told.map_err(LiveError::setup("tc"))?;
    let all: Vec<Value> = serde_json::from_slice(&told.stdout).unwrap_or_default();
    let one = all.iter().find(|one| one["handle"] == HANDLE);
    let of = |key: &str| one.and_then(|one| one[key].as_u64());
    match (of("packets"), of("drops"), of("qlen")) {
        (Some(sent), Some(dropped), Some(waiting)) => {
            Ok(Counted { sent, dropped, waiting, ..Counted::default() })
        }
        _ => Err(LiveError::Run(format!("tc printed nothing about the queue discipline of {device}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_scenario::Scenario;

    #[test]
    fn the_kernel_is_told_rates_and_sizes_as_the_link_has_them() {
        let text = "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 120 }\n[users]\nper_side = 1\n";
        let scenario = Scenario::from_toml(text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let place = scenario.network.links.iter().position(|link| link.name == "left-to-right").unwrap();
        let discipline =
            super::super::discipline_of(&scenario, LinkIndex(u32::try_from(place).unwrap())).unwrap();
        let told = commands("x0", &scenario.network.links[place], &discipline);
        // 1 ms of 10 Mbit/s is 1,250 bytes. Ethernet: 18 bytes around a packet, at least 64, and 20 of
        // preamble and gap.
        let class = "class add dev x0 parent 1: classid 1:1 htb rate 10000000bit ceil 10000000bit burst 1250b cburst 1250b \
                     quantum 1500 overhead 38 mpu 84";
        assert!(told.contains(class), "{told}");
        assert!(told.contains("root handle 1: stab overhead -14 htb default 1\n"));
        assert!(told.ends_with("qdisc add dev x0 parent 1:1 handle 10: pfifo limit 120\n"));
    }

    #[test]
    fn kernel_and_router_agree_about_what_came_and_almost_about_what_was_dropped() {
        let counted =
            Counted { sent: 900, dropped: 95, waiting: 5, router_arrived: 1_000, ..Counted::default() };
        assert_eq!(Counted { router_discarded: 95, ..counted.clone() }.difference(), None);
        // As many are dropped as are sent, and 20 wait: 20 more are unheard of, and 16 that are allowed
        // anyway.
        let flood =
            Counted { sent: 650, dropped: 650, waiting: 20, router_arrived: 1_320, ..Counted::default() };
        assert_eq!(Counted { router_discarded: 650 - 36, ..flood.clone() }.difference(), None);
        assert!(Counted { router_discarded: 650 - 37, ..flood }.difference().is_some());
        assert_eq!(Counted { router_discarded: 85, ..counted.clone() }.difference(), None);
        assert!(Counted { router_discarded: 84, ..counted.clone() }.difference().is_some());
        assert!(Counted { router_discarded: 96, ..counted.clone() }.difference().is_some());
        assert!(Counted { router_arrived: 999, ..counted }.difference().is_some());
    }
}
