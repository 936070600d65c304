//! A shaper: what leaves a port is held to a rate of its own.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE*, IEEE LANMAN 2018, section III.A: a clock of
//! when the next packet may leave takes the place of a bucket of tokens. With a burst the clock may stand so
//! much behind: a bucket, as of Linux's tbf and htb, but that a packet may leave on credit, as under htb.

use super::{CapacityEstimate, OneQueue};
use crate::aqm::{Departing, Load, Verdict};
use crate::discipline::{Discipline, QueueLimit, Scheduled};
use crate::header::HeaderFields;
use crate::line_coding::LinkLayer;
use crate::packet::PacketFacts;
use crate::scheduler::{Backlogs, Scheduler, Turn, Victim};
use crate::shaping::Shaping;
use aqmlab_units::{Probability, Rate, Span, Time, TransmissionClock};

/// A virtual link of some rate in front of the real one. The next packet may leave when this one would have
/// been sent on it. While packets wait nothing is lost that the real link, or whoever asks, came late for;
/// what nobody needed is, beyond the burst.
#[derive(Clone, Debug)]
pub struct Shaper {
    clock: TransmissionClock,
    link_layer: LinkLayer,
    burst: Span,
    opens: Time,
    /// Where discards count as well: when what left by itself, at two thirds of the rate, would let the next
    /// packet go. However much is discarded, so much leaves.
    failsafe: Option<Time>,
}

impl Shaper {
    /// A shaper, open at the beginning.
    #[must_use]
    pub fn new(Shaping { rate, link_layer, burst_bytes }: Shaping) -> Self {
        let burst = TransmissionClock::new(rate).transmit(burst_bytes);
        Self { clock: TransmissionClock::new(rate), link_layer, burst, opens: Time::ZERO, failsafe: None }
    }

    /// The same, which counts what is discarded behind it as well: the line that brought it is in front.
    #[must_use]
    pub const fn counting_discards(self) -> Self {
        Self { failsafe: Some(Time::ZERO), ..self }
    }

    /// Holds the packets to come to another rate; the one that has left counts as it did.
    fn change_rate(&mut self, rate: Rate) {
        self.clock = TransmissionClock::new(rate);
    }

    /// A packet has come to an empty port: time that nobody needed is not made up for, but for the burst.
    fn begin(&mut self, now: Time) {
        if self.failsafe.is_some() && self.opens < now {
            self.failsafe = Some(now);
        }
        let earliest = now.nanoseconds().saturating_sub(self.burst.nanoseconds());
        self.opens = self.opens.max(Time::from_nanoseconds(earliest));
    }

    /// A packet of so many bytes has left. Returns what it counts on the line.
    fn on_sent(&mut self, ip_bytes: u32) -> u32 {
        let counted = self.link_layer.bytes(ip_bytes);
        let takes = self.clock.transmit(counted);
        self.opens += takes;
        if let Some(failsafe) = &mut self.failsafe {
            *failsafe += takes + Span::from_nanoseconds(takes.nanoseconds() / 2);
        }
        counted
    }

    /// A packet of so many bytes was discarded. Returns what it counts on the line.
    fn on_discarded(&mut self, ip_bytes: u32) -> u32 {
        let counted = self.link_layer.bytes(ip_bytes);
        self.opens += self.clock.transmit(counted);
        counted
    }

    /// From when on the next packet may leave.
    fn opens(&self) -> Time {
        self.failsafe.map_or(self.opens, |failsafe| self.opens.min(failsafe))
    }
}

/// A scheduler whose queues are held together to a rate below the link's.
#[derive(Clone)]
pub struct Shaped<S> {
    shaper: Shaper,
    /// What the queues count with each packet, on top of its IP length.
    layer2_bytes: u32,
    /// Where the rate follows what comes.
    capacity: Option<CapacityEstimate>,
    /// Whether the scheduler goes on with its turn: what was discarded counts, and nothing was sent yet.
    goes_on: bool,
    scheduler: S,
}

impl<S: Scheduler> Shaped<S> {
    /// This scheduler behind a shaper. The shaper goes by IP lengths, also where the queues count
    /// `layer2_bytes` more; a scheduler that counts bytes is told those of the line, as Linux's are.
    pub const fn new(shaper: Shaper, layer2_bytes: u32, scheduler: S) -> Self {
        Self { shaper, layer2_bytes, capacity: None, goes_on: false, scheduler }
    }

    /// The same, whose rate follows what comes.
    #[must_use]
    pub fn following(self, capacity: CapacityEstimate) -> Self {
        Self { capacity: Some(capacity), ..self }
    }

    /// What a turn is charged for a packet that counts so much in its queue, and so much on the line. Turns
    /// are of the line's bytes where the shaper knows them: 40 bytes of acknowledgement that fill two cells
    /// count 106.
    fn charged(&self, in_queue: u32, on_line: u32) -> u32 {
        let knows_line = self.shaper.link_layer != LinkLayer::default();
        if knows_line { on_line } else { in_queue }
    }
}

impl<S: Scheduler + Clone + 'static> Scheduler for Shaped<S> {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        self.scheduler.classify(now, packet, header, queues)
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        if queues.waiting() == 1 {
            self.shaper.begin(now);
        }
        if let Some(capacity) = &mut self.capacity
            && let Some(rate) = capacity.on_arrival(now, packet.bytes)
        {
            self.shaper.clock = TransmissionClock::new(rate);
            self.scheduler.on_rate(rate);
        }
        self.scheduler.on_queued(now, queue, packet, queues);
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let goes_on = std::mem::take(&mut self.goes_on);
        if queues.waiting() > 0 && now < self.shaper.opens() && !goes_on {
            return Turn::At(self.shaper.opens());
        }
        self.scheduler.next(now, queues)
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        self.scheduler.on_departure(now, queue, packet, queues)
    }

    fn watches_departures(&self) -> bool {
        self.scheduler.watches_departures()
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        let counted = self.shaper.on_sent(bytes - self.layer2_bytes);
        self.scheduler.on_sent(now, queue, self.charged(bytes, counted));
    }

    fn on_discarded(&mut self, now: Time, queue: usize, bytes: u32, had_turn: bool) {
        let counted = self.shaper.on_discarded(bytes - self.layer2_bytes);
        self.goes_on |= had_turn;
        self.scheduler.on_discarded(now, queue, self.charged(bytes, counted), had_turn);
    }

    fn counts_discards(&self) -> bool {
        self.scheduler.counts_discards()
    }

    fn load(&self, queue: usize) -> Load {
        self.scheduler.load(queue)
    }

    fn tells_load(&self) -> bool {
        self.capacity.is_some() || self.scheduler.tells_load()
    }

    fn on_rate(&mut self, rate: Rate) {
        self.scheduler.on_rate(rate);
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        self.scheduler.on_empty(now, queue);
    }

    fn asks_again_after_discard(&self) -> bool {
        self.scheduler.asks_again_after_discard()
    }

    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        self.scheduler.victim(now, queues)
    }

    fn victim_of_class(&mut self, now: Time, class: usize, queues: &dyn Backlogs) -> Victim {
        self.scheduler.victim_of_class(now, class, queues)
    }

    fn advance(&mut self, now: Time, queues: &dyn Backlogs) {
        self.scheduler.advance(now, queues);
    }

    fn signal_probability(&self, queue: usize) -> Option<Probability> {
        self.scheduler.signal_probability(queue)
    }

    fn change_shaped_rate(&mut self, rate: Rate) -> bool {
        self.shaper.change_rate(rate);
        true
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.scheduler.observe(sink);
    }
}

impl Discipline {
    /// This discipline behind a shaper, whose queues count `layer2_bytes` with each packet on top of its IP
    /// length.
    #[must_use]
    pub fn shaped(self, shaping: Shaping, layer2_bytes: u32) -> Self {
        let mut scheduled = match self {
            Self::Fifo(queue) => {
                let (guards, queues, queue_limit) = (Vec::new(), vec![queue], QueueLimit::OfPort);
                Scheduled {
                    guards,
                    scheduler: None,
                    queues,
                    queue_limit,
                    ack_filter: None,
                    washes: false,
                    classes: Vec::new(),
                }
            }
            Self::Scheduled(scheduled) => scheduled,
        };
        let counts_discards = scheduled.scheduler.as_ref().is_some_and(|several| several.counts_discards());
        let shaper = Shaper::new(shaping);
        let shaper = if counts_discards { shaper.counting_discards() } else { shaper };
        let scheduler: Box<dyn Scheduler> = match scheduled.scheduler {
            Some(several) => Box::new(Shaped::new(shaper, layer2_bytes, several)),
            None => Box::new(Shaped::new(shaper, layer2_bytes, OneQueue::default())),
        };
        scheduled.scheduler = Some(scheduler);
        Self::Scheduled(scheduled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::LineCoding;

    const ONE_MBPS: Shaping = Shaping {
        rate: Rate::from_bits_per_second(1_000_000),
        link_layer: LinkLayer { overhead_bytes: 0, minimum_frame_bytes: 0, coding: LineCoding::None },
        burst_bytes: 0,
    };

    fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(1_000_000 * milliseconds)
    }

    #[test]
    fn packets_of_1000_bytes_leave_every_8_ms_at_a_megabit_per_second_and_late_ones_are_made_up_for() {
        let mut shaper = Shaper::new(ONE_MBPS);
        shaper.begin(at(3));
        shaper.on_sent(1000);
        assert_eq!(shaper.opens, at(11));
        // Sent at 20 ms instead of 11: the one after it may still leave at 19 ms, that is at once.
        shaper.on_sent(1000);
        assert_eq!(shaper.opens, at(19));
        shaper.on_sent(1000);
        shaper.begin(at(100));
        shaper.on_sent(1000);
        assert_eq!(shaper.opens, at(108), "idle time is lost");
    }

    #[test]
    fn another_rate_is_that_of_the_packets_to_come() {
        let mut shaper = Shaper::new(ONE_MBPS);
        shaper.begin(at(0));
        shaper.on_sent(1000);
        shaper.change_rate(Rate::from_bits_per_second(2_000_000));
        assert_eq!(shaper.opens, at(8), "the packet that left counts as it did");
        shaper.on_sent(1000);
        assert_eq!(shaper.opens, at(12));
    }

    #[test]
    fn an_overhead_takes_its_time_with_every_packet() {
        let link_layer = LinkLayer { overhead_bytes: 250, ..LinkLayer::default() };
        let mut shaper = Shaper::new(Shaping { link_layer, ..ONE_MBPS });
        (0..4).for_each(|_| assert_eq!(shaper.on_sent(1000), 1250));
        assert_eq!(shaper.opens, at(40));
    }

    #[test]
    fn after_a_pause_a_burst_may_leave_at_once() {
        let mut shaper = Shaper::new(Shaping { burst_bytes: 2000, ..ONE_MBPS });
        shaper.begin(at(100));
        // 2,000 bytes ahead of the rate: the clock stands at 84 ms, and the third packet waits no longer.
        (0..3).for_each(|_| _ = shaper.on_sent(1000));
        assert_eq!(shaper.opens, at(108));
        shaper.begin(at(110));
        assert_eq!(shaper.opens, at(108), "only 2 ms were not needed");
    }
}
