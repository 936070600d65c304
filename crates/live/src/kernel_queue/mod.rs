//! A queue discipline of the kernel as the queue of a link.
//!
//! The router hands a packet that comes to such a link to one end of a pair of veth devices, at the instant
//! at which it is due, and takes it from the other end when the kernel has let it go. At the first end stands
//! `htb` with the link's rate, which lets one packet go after the other as a wire would, with the scheme's
//! discipline as its child. Sizes are those of IP packets to the discipline, and those on the wire to the
//! rate. What waits is kept here as well, by a number that stands in place of the sender's address of each
//! frame: what never comes out was thrown away, and what comes out with another codepoint was marked or
//! washed.
//!
//! | file | idea |
//! | --- | --- |
//! | `words.rs` | a scheme's parameters in the words of tc(8), or why the kernel cannot express them |
//! | `cake.rs`, `sfb.rs` | the same of CAKE and SFB |
//! | `schemes.rs` | which discipline a scheme is |
//! | `classes.rs` | the same of schemes with classes: classes, their queues, and filters |
//! | `traffic_control.rs` | the devices, what `tc` is told, and what the kernel counted |

mod cake;
mod classes;
mod schemes;
mod sfb;
mod traffic_control;
mod words;

use crate::addresses::Addresses;
use crate::clock::Clock;
use crate::devices::{ETHERNET_BYTES, PacketSocket};
use crate::error::LiveError;
use crate::lateness::Lateness;
use crate::packet::Packet;
use aqmlab_aqm::{Codepoint, Counters, Event, Occupancy, QueueCounters, Queued, Reason};
use aqmlab_link::{MonitoredQueue, ServiceModel};
use aqmlab_scenario::{Link, LinkIndex, Scenario, Scheme};
use aqmlab_units::{Probability, Span, Time};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags};
use std::collections::BTreeMap;
use std::os::fd::AsFd;
pub(crate) use traffic_control::Counted;
pub use words::Discipline;

/// The type of the packet in a frame, and the byte of its header with the codepoints of DSCP and ECN.
const CODEPOINT_AT: usize = ETHERNET_BYTES + 1;
const CE: u8 = 0b11;

/// A link's queue in the kernel.
pub(crate) struct KernelQueue {
    device: String,
    discipline: Discipline,
    /// Where packets enter, and where they come out.
    entrance: PacketSocket,
    exit: PacketSocket,
    /// What is in the kernel, in the order in which it came, each packet with the instant at which it did.
    held: BTreeMap<u32, (Time, Packet)>,
    bytes: u64,
    occupancy: Occupancy,
    came: u32,
    counters: Counters,
    lateness: Lateness,
    /// By what lateness is measured; set when the run begins.
    pub(crate) clock: Clock,
    /// Packets that the kernel had no room for before its queue discipline.
    pub(crate) refused: u64,
}

impl KernelQueue {
    /// Makes the queue of a link in the namespace of this thread.
    ///
    /// # Errors
    /// [`LiveError`]: the kernel cannot express the scheme, or refuses something.
    pub(crate) fn of(scenario: &Scenario, number: LinkIndex) -> Result<Self, LiveError> {
        let link = scenario.network.link(number);
        let discipline = discipline_of(scenario, number)
            .map_err(|why| LiveError::Unsupported(format!("queue of {} in the kernel: {why}", link.name)))?;
        let devices = traffic_control::devices(number);
        traffic_control::make(&devices, link, &discipline)?;
        let missing = |error| LiveError::Missing(format!("no packet socket: {error}"));
        let [entrance, exit] = devices.each_ref().map(|device| PacketSocket::at(device, Default::default()));
        let (mut entrance, exit) = (entrance.map_err(missing)?, exit.map_err(missing)?);
        entrance.hold_all_that_waits().map_err(missing)?;
        let [device, _] = devices;
        Ok(Self {
            device,
            discipline,
            entrance,
            exit,
            held: BTreeMap::new(),
            bytes: 0,
            occupancy: Occupancy::ZERO,
            came: 0,
            counters: Counters::default(),
            lateness: Lateness::default(),
            clock: Clock::starting_in(Span::ZERO),
            refused: 0,
        })
    }

    /// Hands a packet that was due at `due` to the kernel; answers with it where the kernel threw it away at
    /// once.
    pub(crate) fn come(&mut self, due: Time, packet: Packet) -> Option<(Packet, Reason)> {
        let facts = packet.facts();
        self.counters.count(Event::Arrival, &facts);
        let number = self.came;
        self.came = self.came.wrapping_add(1);
        let entered = self.entrance.send_frame(&header_of(number), packet.buffer.bytes());
        let entered_at = self.clock.now();
        self.lateness.note(due, entered_at);
        if let Err(error) = entered {
            // What a discipline throws away on arrival is said so to the sender (net_xmit_errno of the
            // kernel), but for what RED, CHOKe and SFB decide to drop: they answer with NET_XMIT_CN.
            self.refused += u64::from(error != Errno::ENOBUFS);
            let full = self.discipline.limit_packets.is_none_or(|limit| self.held.len() as u64 >= limit);
            let reason = if full { Reason::Overflow } else { Reason::Early };
            self.counters.count(Event::Discard(reason), &facts);
            return Some((packet, reason));
        }
        self.occupancy = self.occupancy(entered_at);
        self.bytes += u64::from(facts.bytes);
        self.held.insert(number, (entered_at, packet));
        None
    }

    /// The next packet that the kernel has let go, if there is one, and those before it that it must have
    /// thrown away.
    pub(crate) fn leave(&mut self, discarded: &mut impl FnMut(Packet, Reason)) -> Option<Packet> {
        let mut frame = [0; CODEPOINT_AT + 1];
        loop {
            let length = self.exit.take(&mut frame)?;
            let Some(number) = number_of(&frame[..length.min(frame.len())]) else { continue };
            let now = self.clock.now();
            self.occupancy = self.occupancy(now);
            let Some((_, mut packet)) = self.held.remove(&number) else { continue };
            self.bytes -= u64::from(packet.facts().bytes);
            self.discard_before(number, (now, packet.facts().flow), discarded);
            if frame[CODEPOINT_AT] & CE == CE && packet.facts().codepoint != Codepoint::Ce {
                self.counters.count(Event::Mark, &packet.facts());
                packet.mark();
            }
            if frame[CODEPOINT_AT] >> 2 == 0 && packet.header.dscp != 0 {
                packet.wash();
            }
            self.counters.count(Event::Departure, &packet.facts());
            return Some(packet);
        }
    }

    /// Packets of one queue come out in the order in which they came; of several queues, those of a flow.
    /// What was thrown away is taken to have waited until now, in vain.
    fn discard_before(
        &mut self,
        number: u32,
        (now, flow): (Time, u64),
        discarded: &mut impl FnMut(Packet, Reason),
    ) {
        let overtaken = |packet: &Packet| self.discipline.is_one_queue || packet.facts().flow == flow;
        let gone: Vec<u32> = self
            .held
            .range(..number)
            .filter(|(_, (_, packet))| overtaken(packet))
            .map(|(&gone, _)| gone)
            .collect();
        for (came, packet) in gone.iter().filter_map(|gone| self.held.remove(gone)) {
            self.bytes -= u64::from(packet.facts().bytes);
            self.counters.count_wait_in_vain(now - came);
            self.counters.count(Event::Discard(Reason::Early), &packet.facts());
            discarded(packet, Reason::Early);
        }
    }

    pub(crate) fn readable(&self) -> PollFd<'_> {
        PollFd::new(self.exit.as_fd(), PollFlags::POLLIN)
    }

    /// How late packets were handed to the kernel.
    pub(crate) fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    /// Packets that came out and found no room where the router takes them.
    pub(crate) fn overflows(&self) -> u64 {
        self.exit.overflows()
    }

    /// What the kernel counted, beside what was counted here.
    ///
    /// # Errors
    /// [`LiveError`]: `tc` does not tell.
    pub(crate) fn counted(&self, link: &str) -> Result<Counted, LiveError> {
        let mut counted = traffic_control::count(&self.device)?;
        counted.link = link.to_owned();
        let lines = [&[self.discipline.words.join(" ")], &*self.discipline.below].concat();
        counted.discipline = lines.join("; ");
        counted.router_arrived = self.counters.arrivals().total().packets - self.refused;
        counted.router_discarded = self.counters.all_discards().total().packets - self.refused;
        counted.router_marked = self.counters.marks().total().packets;
        Ok(counted)
    }

    /// Checks that what is kept is what was counted.
    pub(crate) fn check_conservation(&self) -> Result<(), String> {
        let waiting = self.counters.waiting().total();
        let kept: u64 = self.held.values().map(|(_, packet)| u64::from(packet.facts().bytes)).sum();
        let holds = waiting.packets == self.held.len() as u64 && waiting.bytes == kept && kept == self.bytes;
        if holds {
            Ok(())
        } else {
            Err(format!("{waiting:?} wait, and {} packets are kept", self.held.len()))
        }
    }
}

impl MonitoredQueue for KernelQueue {
    fn advance(&mut self, _now: Time) {}

    fn packets(&self) -> u32 {
        u32::try_from(self.held.len()).unwrap_or(u32::MAX)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn occupancy(&self, now: Time) -> Occupancy {
        self.occupancy.advanced(now, self.packets())
    }

    fn signal_probability(&self) -> Option<Probability> {
        None
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn observe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}

    fn parts(&self) -> Option<Vec<(u32, QueueCounters)>> {
        None
    }
}

/// The kernel's discipline with the parameters of the scheme of a link.
///
/// # Errors
/// What of the link or its scheme the kernel has not, and what it has instead.
pub fn discipline_of(scenario: &Scenario, link: LinkIndex) -> Result<Discipline, String> {
    let link = scenario.network.link(link);
    if !link.service.is_constant() {
        return Err(match &link.service {
            ServiceModel::Medium(medium) => format!(
                "medium = {{ {} = ... }}: the kernel's queue is emptied packet by packet at a constant rate; legal \
                 without --kernel",
                medium.name()
            ),
            _ => "a rate that varies: htb has a constant one".to_owned(),
        });
    }
    if let Some(shaper) = link.shaping {
        let mbps = shaper.rate.bits_per_second() as f64 / 1e6;
        return Err(format!(
            "a shaper of {mbps} Mbit/s in front of the link: the kernel's queue is emptied at the link's rate; legal \
             without --kernel"
        ));
    }
    if link.transmit_ring_packets > 0 {
        return Err(
            "transmit_ring_packets: packets leave the kernel's discipline one by one; legal is 0".to_owned()
        );
    }
    if link.layer2_queued_bytes > 0 {
        return Err("layer2_queued_bytes: the kernel's discipline is told IP lengths; legal is 0".to_owned());
    }
    let (Some(scheme), Some(rate)) = (&link.queue, link.rate) else {
        return Err("it has no scheme".to_owned());
    };
    match (scheme, scheme.traffic_classes()) {
        (Scheme::Prio(given), Some(bands)) => classes::prio(given, &bands, rate),
        (Scheme::Htb(given), _) => classes::htb(given, rate, &Addresses::of(scenario)),
        _ => schemes::discipline_of_scheme(scheme, rate),
    }
}

/// Why a scenario cannot be run with the kernel's queue disciplines, if it cannot.
pub(crate) fn refusal(scenario: &Scenario) -> Option<String> {
    let mut links = (0..).zip(&scenario.network.links).filter(|(_, link)| is_queued(link));
    links.find_map(|(number, link)| {
        let why = discipline_of(scenario, LinkIndex(number)).err()?;
        Some(format!("queue of {} in the kernel: {why}", link.name))
    })
}

/// Whether a link's queue is the kernel's in such a run.
pub(crate) fn is_queued(link: &Link) -> bool {
    link.monitored && link.queue.is_some() && link.rate.is_some()
}

/// To nobody: the kernel behind the exit takes nothing that is addressed to others. The number is the
/// sender's.
fn header_of(number: u32) -> [u8; ETHERNET_BYTES] {
    let [a, b, c, d] = number.to_be_bytes();
    [2, 0, 0, 0, 0, 3, 2, 1, a, b, c, d, 0x08, 0x00]
}

fn number_of(frame: &[u8]) -> Option<u32> {
    let ours = frame.len() > CODEPOINT_AT && frame[..8] == header_of(0)[..8];
    ours.then(|| u32::from_be_bytes([frame[8], frame[9], frame[10], frame[11]]))
}

/// What the kernel is told of a queue of a link of 10 Mbit/s.
#[cfg(test)]
fn told(queue: &str) -> Result<String, String> {
    told_of(queue, &[])
}

#[cfg(test)]
fn told_of(queue: &str, overrides: &[(String, String)]) -> Result<String, String> {
    let text = format!(
        "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\nqueue = {{ {queue} }}\n[users]\nper_side = 1\n"
    );
    let scenario = Scenario::from_toml(&text, "x", overrides).unwrap_or_else(|error| panic!("{error}"));
    let place = scenario.network.links.iter().position(|link| link.name == "left-to-right").unwrap();
    discipline_of(&scenario, LinkIndex(u32::try_from(place).unwrap()))
        .map(|discipline| discipline.words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_carries_its_number_and_others_carry_none() {
        for number in [0, 1, 0x0102_0304, u32::MAX] {
            let mut frame = header_of(number).to_vec();
            assert_eq!(number_of(&frame), None, "there is no packet in it");
            frame.extend([0x45, 0]);
            assert_eq!(number_of(&frame), Some(number));
            frame[6] = 6;
            assert_eq!(number_of(&frame), None, "somebody else's");
        }
    }
}
