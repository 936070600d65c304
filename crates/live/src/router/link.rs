//! Links with a queue: of ours, or of the kernel.

use crate::error::LiveError;
use crate::kernel_queue::KernelQueue;
use crate::packet::Packet;
use aqmlab_aqm::Scheme;
use aqmlab_driver::{link_of, varying_delay};
use aqmlab_link::{Link, MonitoredLink, MonitoredQueue, Sent, Transmitter, VaryingDelay};
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_scenario::LinkIndex;
use aqmlab_units::{Rate, Span, Time};

/// A link with a queue discipline.
pub(crate) struct QueuedLink {
    pub(crate) number: LinkIndex,
    /// Its place among the monitored links.
    pub(crate) monitored: Option<usize>,
    /// The channel that it shares with others.
    pub(crate) channel: Option<usize>,
    /// Propagation delay, where it is constant.
    delay: Span,
    varying: Option<Box<VaryingDelay>>,
    /// Whether packets that wait may still be discarded or marked.
    pub(crate) decides_about_waiting: bool,
    pub(crate) queue: Queue,
}

/// Who decides about packets.
pub(crate) enum Queue {
    Own(Box<Link<Packet>>),
    Kernel(Box<KernelLink>),
}

/// A link behind a queue of the kernel, which lets packets go at the link's rate.
pub(crate) struct KernelLink {
    pub(crate) queue: KernelQueue,
    /// Packets that have left it and have not begun to be sent on.
    leaving: u64,
    transmitter: Transmitter,
}

impl KernelLink {
    /// The kernel has let a packet go, which is sent on later.
    pub(crate) fn expect(&mut self) {
        self.leaving += 1;
    }

    /// Sends it on; answers with the end of its transmission, which begins when those before it are over.
    pub(crate) fn send_on(&mut self, now: Time, ip_bytes: u32) -> Time {
        self.leaving -= 1;
        self.transmitter.send(now, ip_bytes)
    }
}

impl QueuedLink {
    pub(crate) fn new(
        (number, monitored): (LinkIndex, Option<usize>),
        link: &scenario::Link,
        (rate, scheme): (Rate, &Scheme),
        key: Key,
    ) -> Self {
        let own: Link<Packet> = link_of(link, (rate, scheme), key);
        Self {
            number,
            monitored,
            channel: None,
            delay: link.delay,
            varying: varying_delay(link, key).map(|(delay, _)| Box::new(delay)),
            decides_about_waiting: own.port().decides_about_waiting(),
            queue: Queue::Own(Box::new(own)),
        }
    }

    /// Puts the kernel's queue discipline, made in the namespace of this thread, in the place of its own.
    pub(crate) fn take_kernel_queue(&mut self, scenario: &scenario::Scenario) -> Result<(), LiveError> {
        let link = scenario.network.link(self.number);
        let Some(rate) = link.rate else { return Ok(()) };
        self.queue = Queue::Kernel(Box::new(KernelLink {
            queue: KernelQueue::of(scenario, self.number)?,
            leaving: 0,
            transmitter: Transmitter::constant(rate, link.framing),
        }));
        Ok(())
    }

    /// When a packet arrives behind the link that has been sent at an instant, none before an earlier one.
    pub(crate) fn arrival(&mut self, sent: Time) -> Time {
        self.varying.as_mut().map_or(sent + self.delay, |delay| delay.arrival(sent))
    }

    /// The link, where the queue is ours.
    pub(crate) fn own_mut(&mut self) -> Option<&mut Link<Packet>> {
        match &mut self.queue {
            Queue::Own(link) => Some(link),
            Queue::Kernel(_) => None,
        }
    }

    pub(crate) fn kernel(&self) -> Option<&KernelLink> {
        match &self.queue {
            Queue::Own(_) => None,
            Queue::Kernel(kernel) => Some(kernel),
        }
    }

    pub(crate) fn kernel_mut(&mut self) -> Option<&mut KernelLink> {
        match &mut self.queue {
            Queue::Own(_) => None,
            Queue::Kernel(kernel) => Some(kernel),
        }
    }

    /// Packets that wait or are being sent.
    pub(crate) fn held(&self) -> u64 {
        u64::from(self.queue().packets()) + self.under_way()
    }

    /// Packets that have left the queue and not the link.
    pub(crate) fn under_way(&self) -> u64 {
        match &self.queue {
            Queue::Own(link) => link.under_way(),
            Queue::Kernel(kernel) => kernel.leaving,
        }
    }

    /// Checks that every packet that came to the queue has left, was discarded, or waits.
    pub(crate) fn check_conservation(&self) -> Result<(), String> {
        match &self.queue {
            Queue::Own(link) => link.port().check_conservation().map_err(|error| error.to_string()),
            Queue::Kernel(kernel) => kernel.queue.check_conservation(),
        }
    }
}

impl MonitoredLink for QueuedLink {
    fn queue(&self) -> &dyn MonitoredQueue {
        match &self.queue {
            Queue::Own(link) => link.queue(),
            Queue::Kernel(kernel) => &kernel.queue,
        }
    }

    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue {
        match &mut self.queue {
            Queue::Own(link) => link.queue_mut(),
            Queue::Kernel(kernel) => &mut kernel.queue,
        }
    }

    fn sent(&self) -> Sent {
        match &self.queue {
            Queue::Own(link) => link.sent(),
            Queue::Kernel(kernel) => kernel.transmitter.sent(),
        }
    }

    fn transmitting(&self, now: Time) -> Span {
        match &self.queue {
            Queue::Own(link) => link.transmitting(now),
            Queue::Kernel(kernel) => kernel.transmitter.transmitting(now),
        }
    }
}
