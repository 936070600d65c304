//! The thread of the router: packets between two devices and the network in virtual time.

use super::network::Network;
use crate::addresses::Half;
use crate::clock::{Clock, timeout};
use crate::devices::{Backend, Device, ROOM};
use crate::error::LiveError;
use crate::kernel_counts::KernelCounts;
use crate::kernel_queue::Counted;
use crate::lateness::Lateness;
use crate::namespace;
use aqmlab_driver::Control;
use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::Scenario;
use aqmlab_units::{Span, Time};
use nix::poll::{PollFd, ppoll};

/// Most packets that are read from one device before the other has its turn.
const BATCH: usize = 32;
/// The longest time without a look at the caller.
const LONGEST_WAIT: Span = Span::from_milliseconds(20);

/// What the thread leaves behind.
pub(crate) struct Routed {
    pub(crate) network: Network,
    pub(crate) lateness: Lateness,
    pub(crate) write_errors: u64,
    /// Packets that devices of the servers' namespace dropped, and that found no room where the router takes
    /// them.
    pub(crate) device_drops: u64,
    /// Of the servers' namespace, at the edges of the measured window.
    pub(crate) kernel: [KernelCounts; 2],
    /// What the kernel's queue disciplines counted, where the queues are theirs.
    pub(crate) kernel_queues: Vec<Counted>,
}

/// The devices of the halves of the network.
pub(crate) struct Devices {
    pub(crate) active: Device,
    pub(crate) passive: Device,
    pub(crate) backend: Backend,
}

impl Devices {
    fn of(&mut self, half: Half) -> &mut Device {
        match half {
            Half::Active => &mut self.active,
            Half::Passive => &mut self.passive,
        }
    }

    fn drops(&self) -> u64 {
        namespace::device_drops(self.backend) + self.active.overflows() + self.passive.overflows()
    }
}

/// Routes packets until the end.
pub(crate) fn run(
    mut network: Network,
    mut devices: Devices,
    (clock, window, scenario): (Clock, MeasuredWindow, &Scenario),
    control: &Control,
) -> Result<Routed, LiveError> {
    let end = Time::ZERO + scenario.duration;
    network.begin(clock);
    let mut lateness = Lateness::default();
    let mut write_errors = 0;
    let mut kernel = [None; 2];
    let mut bytes = [0; ROOM];
    let mut looked = clock.now();
    let mut slept = Span::ZERO;
    loop {
        control.check().map_err(|_| LiveError::Cancelled)?;
        let now = clock.now();
        lateness.longest_stall = lateness.longest_stall.max((now - looked).saturating_sub(slept));
        looked = now;
        let mut full = false;
        for half in [Half::Active, Half::Passive] {
            for place in 0..=BATCH {
                let Some(packet) = devices.of(half).take(&mut bytes) else { break };
                match packet {
                    Ok(packet) => network.arrive(clock.now(), half, packet),
                    Err(refusal) => network.refuse(refusal),
                }
                full |= place == BATCH;
            }
        }
        network.take_from_kernel();
        let now = clock.now().min(end);
        network.run_until(now, &mut |due, half, packet| {
            write_errors += u64::from(!devices.of(half).hand_over(packet));
            lateness.note(due, clock.now());
        });
        for (edge, count) in [window.from, window.until].into_iter().zip(&mut kernel) {
            if now >= edge && count.is_none() {
                *count = Some(KernelCounts::read());
            }
        }
        if now >= end {
            break;
        }
        slept = if full { Span::ZERO } else { sleep(&network, &devices, clock, end)? };
    }
    let kernel = kernel.map(Option::unwrap_or_default);
    let mut device_drops = devices.drops();
    for (_, queue) in network.kernel_queues() {
        lateness.join(queue.lateness());
        write_errors += queue.refused;
        device_drops += queue.overflows();
    }
    let counted =
        network.kernel_queues().map(|(link, queue)| queue.counted(&scenario.network.link(link).name));
    let kernel_queues = counted.collect::<Result<_, _>>()?;
    Ok(Routed { network, lateness, write_errors, device_drops, kernel, kernel_queues })
}

/// Sleeps until something is due or a packet comes; answers with how long it meant to.
fn sleep(network: &Network, devices: &Devices, clock: Clock, end: Time) -> Result<Span, LiveError> {
    let (next, now) = (network.next().min(end), clock.now());
    let Some(span) = next.checked_since(now).filter(|&span| span > Span::ZERO) else { return Ok(Span::ZERO) };
    let span = span.min(LONGEST_WAIT);
    let hosts = [&devices.active, &devices.passive].map(Device::readable);
    let queues = network.kernel_queues().map(|(_, queue)| queue.readable());
    let mut fds: Vec<PollFd<'_>> = hosts.into_iter().chain(queues).collect();
    match ppoll(&mut fds, Some(timeout(span)), None) {
        Ok(_) | Err(nix::Error::EINTR) => Ok(span),
        Err(error) => Err(LiveError::setup("ppoll")(error)),
    }
}
