//! Everything that is pending in a run, in one place.

use crate::packet::{Packet, Side};
use crate::schedule::{Source, Tournament, Wheel};
use aqmlab_units::Time;
use std::collections::VecDeque;

// Packets with a delay of their own: slots of 4 µs, a horizon of 0.27 s (longer delays go through the heap).
const PACKET_SLOT_WIDTH_LOG2: u32 = 12;
const PACKET_SLOTS_LOG2: u32 = 16;
// Timers: slots of 0.26 ms, a horizon of 17 s, which holds all but long think times.
const TIMER_SLOT_WIDTH_LOG2: u32 = 18;
const TIMER_SLOTS_LOG2: u32 = 16;

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    /// The next instant at which something is sampled.
    Sample,
    /// A link with a queue finishes a transmission.
    Transmission { link: u16 },
    /// The first packet of a pipe arrives.
    Pipe { pipe: u16 },
    /// A packet with a delay of its own arrives.
    Delayed,
    /// A user or an endpoint wanted to be woken.
    Timer,
}

/// Who wanted to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    User { population: u8, user: u32 },
    Endpoint { connection: u32, generation: u16, side: Side },
    FlowStart { flow: u32 },
}

/// Packets that arrive in the order in which they were sent.
struct Pipe {
    packets: VecDeque<(Time, Packet)>,
    source: Source,
    /// Node at its end.
    to: u16,
}

pub(crate) struct Agenda {
    tournament: Tournament,
    pending: Vec<Pending>,
    pipes: Vec<Pipe>,
    delayed: Wheel<Packet>,
    timers: Wheel<Timer>,
    delayed_source: Source,
    timer_source: Source,
}

impl Agenda {
    /// An agenda for the links numbered `queued_links` (those with a queue) and pipes that end at `pipe_ends`.
    ///
    /// Sources are numbered in the order in which equal instants are served: samples, transmissions, pipes,
    /// delayed packets, timers.
    pub(crate) fn new(queued_links: &[u16], pipe_ends: &[u16]) -> Self {
        let mut pending = vec![Pending::Sample];
        pending.extend(queued_links.iter().map(|&link| Pending::Transmission { link }));
        let first_pipe = pending.len();
        pending.extend((0..pipe_ends.len()).map(|pipe| Pending::Pipe { pipe: pipe as u16 }));
        let delayed_source = Source(pending.len() as u16);
        pending.extend([Pending::Delayed, Pending::Timer]);
        let pipe = |(index, &to): (usize, &u16)| Pipe {
            packets: VecDeque::new(),
            source: Source((first_pipe + index) as u16),
            to,
        };
        Self {
            tournament: Tournament::new(pending.len()),
            pipes: pipe_ends.iter().enumerate().map(pipe).collect(),
            delayed: Wheel::new(PACKET_SLOT_WIDTH_LOG2, PACKET_SLOTS_LOG2),
            timers: Wheel::new(TIMER_SLOT_WIDTH_LOG2, TIMER_SLOTS_LOG2),
            timer_source: Source(delayed_source.0 + 1),
            delayed_source,
            pending,
        }
    }

    /// How many sources there are beside links and pipes.
    pub(crate) const FIXED_SOURCES: usize = 3;

    #[inline]
    pub(crate) fn first(&self) -> Option<(Time, Pending)> {
        let (instant, source) = self.tournament.first()?;
        Some((instant, self.pending[usize::from(source.0)]))
    }

    pub(crate) fn set_sample(&mut self, instant: Time) {
        self.tournament.set(Source(0), instant);
    }

    /// `position` counts the links with a queue.
    #[inline]
    pub(crate) fn set_transmission(&mut self, position: u16, finished: Option<Time>) {
        let source = Source(1 + position);
        match finished {
            Some(instant) => self.tournament.set(source, instant),
            None => self.tournament.clear(source),
        }
    }

    /// Sends a packet through a pipe, to arrive at `instant`.
    #[inline]
    pub(crate) fn push(&mut self, pipe: u16, instant: Time, packet: Packet) {
        let pipe = &mut self.pipes[usize::from(pipe)];
        debug_assert!(pipe.packets.back().is_none_or(|last| last.0 <= instant), "a pipe keeps the order");
        if pipe.packets.is_empty() {
            self.tournament.set(pipe.source, instant);
        }
        pipe.packets.push_back((instant, packet));
    }

    /// The node at the end of a pipe.
    #[inline]
    pub(crate) fn end_of_pipe(&self, pipe: u16) -> u16 {
        self.pipes[usize::from(pipe)].to
    }

    /// The packet at the head of a pipe, which is not empty.
    #[inline]
    pub(crate) fn take_from_pipe(&mut self, pipe: u16) -> Packet {
        let pipe = &mut self.pipes[usize::from(pipe)];
        let Some(&(_, packet)) = pipe.packets.front() else { unreachable!("an empty pipe is not pending") };
        pipe.packets.pop_front();
        match pipe.packets.front() {
            Some(&(next, _)) => self.tournament.set(pipe.source, next),
            None => self.tournament.clear(pipe.source),
        }
        packet
    }

    /// Delays a packet, to arrive at node `packet.at` at `instant`.
    #[inline]
    pub(crate) fn delay(&mut self, instant: Time, packet: Packet) {
        if self.delayed.insert(instant, packet) {
            self.tournament.set(self.delayed_source, instant);
        }
    }

    #[inline]
    pub(crate) fn take_delayed(&mut self) -> Packet {
        let packet = self.delayed.pop();
        match self.delayed.head() {
            Some(next) => self.tournament.set(self.delayed_source, next),
            None => self.tournament.clear(self.delayed_source),
        }
        packet
    }

    #[inline]
    pub(crate) fn wake(&mut self, instant: Time, timer: Timer) {
        if self.timers.insert(instant, timer) {
            self.tournament.set(self.timer_source, instant);
        }
    }

    #[inline]
    pub(crate) fn take_timer(&mut self) -> Timer {
        let timer = self.timers.pop();
        match self.timers.head() {
            Some(next) => self.tournament.set(self.timer_source, next),
            None => self.tournament.clear(self.timer_source),
        }
        timer
    }
}
