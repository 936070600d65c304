//! A program in the router that pings reflectors and sets the shapers by how long that takes.
//!
//! Its pings are packets like others: they wait in the router, the modem and at the provider's, and may be
//! lost. They belong to no group of traffic, and no table has them. Drivers carry them, say when they arrive,
//! and set the shapers.

use aqmlab_link::{Autorate, Sent};
use aqmlab_record::{MeasuredWindow, ShaperSummary};
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// Bytes of a ping: 56 behind the headers of ICMP and IP (fping(8)).
pub const PING_BYTES: u16 = 84;
/// What Linux counts of a packet on an interface beside its IP length.
const ETHERNET_HEADER_BYTES: u64 = 14;

/// The program, with the shapers that it sets.
#[derive(Clone)]
pub struct ShaperFollower {
    autorate: Autorate,
    ping_interval: Span,
    pingers: Vec<Pinger>,
    shapers: [FollowedShaper; 2],
    load_measured: Time,
}

/// The pings of one reflector.
#[derive(Clone, Default)]
struct Pinger {
    sent: u32,
    /// How long pings took up that are on their way down, by their numbers.
    turned: VecDeque<(u32, Span)>,
}

/// A shaper, what was sent behind it until the load was measured, and its rates in the measured window.
#[derive(Clone)]
struct FollowedShaper {
    /// Place of the link among those of the driver with a queue.
    position: usize,
    name: String,
    sent_bytes: u64,
    rate: Rate,
    since: Time,
    window: MeasuredWindow,
    /// Bits that the rate would have let through.
    bits: f64,
    extremes: Option<[Rate; 2]>,
    changes: u64,
}

impl ShaperFollower {
    /// The program of a scenario, if it has one. The driver says where it keeps a link.
    pub fn new(
        scenario: &Scenario,
        position_of: impl Fn(LinkIndex) -> Option<usize>,
        window: MeasuredWindow,
    ) -> Option<Self> {
        let described = scenario.shaper_follower.as_ref()?;
        let autorate = Autorate::new(described.parameters, described.rates);
        let rates = autorate.rates();
        let shaper = |way: usize| {
            let number = described.links[way];
            FollowedShaper {
                position: position_of(number)
                    .unwrap_or_else(|| unreachable!("a shaper stands behind a queue")),
                name: scenario.network.link(number).name.clone(),
                sent_bytes: 0,
                rate: rates[way],
                since: Time::ZERO,
                window,
                bits: 0.0,
                extremes: None,
                changes: 0,
            }
        };
        Some(Self {
            autorate,
            ping_interval: Span::from_seconds(described.parameters.ping_interval_s),
            pingers: vec![Pinger::default(); described.reflectors.len()],
            shapers: [0, 1].map(shaper),
            load_measured: Time::ZERO,
        })
    }

    /// When each reflector is pinged first: in turn, each once in an interval.
    pub fn first_pings(&self) -> impl Iterator<Item = (Span, u32)> {
        let count = self.pingers.len() as u64;
        let interval = self.ping_interval.nanoseconds();
        (0..count)
            .zip(0..)
            .map(move |(pinger, place)| (Span::from_nanoseconds(interval * pinger / count), place))
    }

    /// From one ping to the next of the same reflector.
    #[must_use]
    pub const fn ping_interval(&self) -> Span {
        self.ping_interval
    }

    /// From one measurement of the load to the next.
    #[must_use]
    pub fn load_interval(&self) -> Span {
        self.autorate.load_interval()
    }

    /// A reflector is pinged; answers with the number of the ping.
    pub fn ping(&mut self, pinger: u32) -> u32 {
        let sent = &mut self.pingers[pinger as usize].sent;
        *sent += 1;
        *sent
    }

    /// A ping has arrived at its reflector.
    pub fn turn(&mut self, pinger: usize, number: u32, up: Span) {
        self.pingers[pinger].turned.push_back((number, up));
    }

    /// A response has arrived, so long after the ping was sent. Pings before it whose responses did not are
    /// given up. Tells which links are shaped to another rate from now on.
    pub fn hear(
        &mut self,
        now: Time,
        (pinger, number): (usize, u32),
        round_trip: Span,
        mut change: impl FnMut(usize, Rate),
    ) {
        let turned = &mut self.pingers[pinger].turned;
        while turned.front().is_some_and(|(own, _)| *own < number) {
            turned.pop_front();
        }
        let Some(&(_, up)) = turned.front().filter(|(own, _)| *own == number) else { return };
        turned.pop_front();
        self.autorate.on_response(now, pinger, [round_trip - up, up]);
        for (shaper, rate) in self.shapers.iter_mut().zip(self.autorate.rates()) {
            if rate != shaper.rate {
                shaper.pass(now);
                (shaper.rate, shaper.changes) = (rate, shaper.changes + 1);
                change(shaper.position, rate);
            }
        }
    }

    /// The load of both shapers since it was measured last, of what each link has sent in all.
    pub fn measure_load(&mut self, now: Time, sent: impl Fn(usize) -> Sent) {
        let seconds = (now - self.load_measured).seconds();
        self.load_measured = now;
        let loads = self.shapers.each_mut().map(|shaper| {
            let sent = sent(shaper.position);
            let bytes = sent.ip_bytes + ETHERNET_HEADER_BYTES * sent.frames;
            let since = bytes - std::mem::replace(&mut shaper.sent_bytes, bytes);
            8.0 * since as f64 / seconds
        });
        self.autorate.on_load(loads);
    }

    /// What the shapers were set to in the measured window.
    #[must_use]
    pub fn summaries(&self) -> Vec<ShaperSummary> {
        self.shapers.iter().map(FollowedShaper::summary).collect()
    }
}

impl FollowedShaper {
    /// The rate has held until now.
    fn pass(&mut self, now: Time) {
        let from = self.since.max(self.window.from);
        let until = now.min(self.window.until);
        if from < until {
            self.bits += self.rate.bits_per_second() as f64 * (until - from).seconds();
            let [least, most] = self.extremes.unwrap_or([self.rate; 2]);
            self.extremes = Some([least.min(self.rate), most.max(self.rate)]);
        }
        self.since = now;
    }

    fn summary(&self) -> ShaperSummary {
        let mut over = self.clone();
        over.pass(self.window.until);
        let mbps = |rate: Rate| rate.bits_per_second() as f64 / 1e6;
        let [least, most] = over.extremes.unwrap_or([over.rate; 2]);
        ShaperSummary {
            link: over.name.clone(),
            mean_mbps: over.bits / 1e6 / self.window.length().seconds(),
            minimum_mbps: mbps(least),
            maximum_mbps: mbps(most),
            changes: over.changes,
        }
    }
}
