//! How a user's connection fares where nobody is in its way: TCP's own endpoints over a path without queues.
//!
//! One response without end is sent over each kind of path (population, and minimum delay of the connection)
//! until its rounds repeat one another. The path is the one between the first machines of a population, which
//! has the links of all others: their propagation delays, and the time that packets take on each.

use super::path::AddedDelay;
use aqmlab_driver::serializer_of;
use aqmlab_link::Serializer;
use aqmlab_scenario::{LinkIndex, MinimumDelay, Network, Population, Routes, Scenario, StartRule};
use aqmlab_session::{IdlePath, PopulationId, Round};
use aqmlab_tcp::{Context, Endpoint, HostProfile, Outbox, Segment, SegmentOptions};
use aqmlab_units::{Span, Time};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A request of the usual length.
const REQUEST_BYTES: u64 = 350;
/// More than is sent until rounds repeat one another.
const RESPONSE_BYTES: u64 = 1 << 40;
/// So many rounds of one size follow one another when the window grows no more.
const EQUAL_ROUNDS: usize = 3;
/// Where rounds never are of one size, the last half of so many is averaged.
const MOST_ROUNDS: usize = 64;
const MOST_DELIVERIES: usize = 1 << 15;

/// The places of the two ends.
const BROWSER: usize = 0;
const SERVER: usize = 1;

/// The idle paths of all populations that need them.
#[derive(Clone)]
pub(crate) struct IdlePaths {
    populations: Vec<Option<PopulationPaths>>,
}

impl IdlePaths {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let routes = Routes::new(&scenario.network);
        let paths = |population: &Population| {
            let needed = population.start == StartRule::Stationary && population.users > 0;
            needed.then(|| PopulationPaths::new(population, &scenario.network, &routes))
        };
        Self { populations: scenario.populations.iter().map(paths).collect() }
    }

    /// The path of a connection of this population with this delay in front of the network, from the browser.
    ///
    /// # Panics
    /// If the population does not start in the middle of everything.
    pub(crate) fn of(&mut self, population: PopulationId, from_browser: AddedDelay) -> Arc<IdlePath> {
        let paths = self.populations[population.place()].as_mut();
        paths.expect("a population that starts stationary").of(from_browser)
    }
}

/// The idle paths of a population, by what its connections add to their delay.
#[derive(Clone)]
struct PopulationPaths {
    profile: HostProfile,
    /// From the browser to the server, and back.
    ways: [Way; 2],
    minimum_delay: MinimumDelay,
    known: BTreeMap<Span, Arc<IdlePath>>,
}

impl PopulationPaths {
    fn new(population: &Population, network: &Network, routes: &Routes<'_>) -> Self {
        let (browser, server) = (population.browsers[0], population.servers[0]);
        let way = |from, to| Way::new(network, routes.path(from, to).unwrap_or_default().as_slice());
        Self {
            profile: population.profile.clone(),
            ways: [way(browser, server), way(server, browser)],
            minimum_delay: population.minimum_delay,
            known: BTreeMap::new(),
        }
    }

    fn of(&mut self, from_browser: AddedDelay) -> Arc<IdlePath> {
        let added = match from_browser {
            AddedDelay::None => Span::ZERO,
            AddedDelay::Own(delay) | AddedDelay::Pipe(_, delay) => delay,
            AddedDelay::Ticks(_, delay) => self.minimum_delay.mean_of(delay),
        };
        let Self { profile, ways: [there, back], known, .. } = self;
        let found = known.entry(added).or_insert_with(|| {
            let there = Way { delay: there.delay + added, ..there.clone() };
            Arc::new(Trial::new(profile, [there, back.clone()]).idle_path())
        });
        Arc::clone(found)
    }
}

/// A way through the network: delays, and links that take time to send, each packet after the one before.
#[derive(Clone)]
struct Way {
    delay: Span,
    links: Vec<Serializer>,
}

impl Way {
    fn new(network: &Network, links: &[LinkIndex]) -> Self {
        let links = || links.iter().map(|&index| network.link(index));
        let delay = links().fold(Span::ZERO, |sum, link| sum + link.delay);
        Self { delay, links: links().filter_map(serializer_of).collect() }
    }

    /// When a packet arrives that is sent now.
    fn send(&mut self, now: Time, ip_bytes: u16) -> Time {
        let through = |instant: Time, link: &mut Serializer| link.send(instant, u32::from(ip_bytes));
        self.links.iter_mut().fold(now, through) + self.delay
    }
}

/// A connection between two hosts that nobody else uses.
struct Trial<'a> {
    profile: &'a HostProfile,
    now: Time,
    /// The browser's and the server's.
    ends: [Endpoint; 2],
    /// What each end sends to the other, with the instants of arrival.
    ways: [Way; 2],
    under_way: [VecDeque<(Time, Segment, SegmentOptions)>; 2],
    opened: Time,
    request_bytes_missing: u64,
    /// Bytes that have reached the browser.
    bytes: u64,
    rounds: Vec<Round>,
    deliveries: usize,
}

impl<'a> Trial<'a> {
    fn new(profile: &'a HostProfile, ways: [Way; 2]) -> Self {
        Self {
            profile,
            now: Time::ZERO,
            ends: [Endpoint::active(), Endpoint::passive()],
            ways,
            under_way: [VecDeque::new(), VecDeque::new()],
            opened: Time::ZERO,
            request_bytes_missing: REQUEST_BYTES,
            bytes: 0,
            rounds: Vec::new(),
            deliveries: 0,
        }
    }

    fn idle_path(mut self) -> IdlePath {
        self.act(BROWSER, |end, now, context, outbox| end.connect(now, context, outbox));
        while !self.is_settled() {
            if !self.step() {
                return IdlePath::in_vain(self.now - Time::ZERO);
            }
        }
        let settled = if self.repeats_itself() { EQUAL_ROUNDS } else { MOST_ROUNDS / 2 };
        // The last round may not be complete.
        self.rounds.pop();
        let last = self.rounds.len() - 1;
        let first = last.saturating_sub(settled - 1);
        let between = (last - first).max(1) as u64;
        let bytes = self.rounds[last].bytes - self.rounds[first].bytes;
        let time = self.rounds[last].begins - self.rounds[first].begins;
        IdlePath {
            opens: true,
            time_to_open: self.opened - Time::ZERO,
            period: Span::from_nanoseconds((time.nanoseconds() / between).max(1)),
            bytes_per_period: (bytes / between).max(1),
            rounds: self.rounds,
            keeps_window: self.profile.keeps_window_when_idle(),
        }
    }

    fn is_settled(&self) -> bool {
        let enough = self.rounds.len() > MOST_ROUNDS || self.deliveries > MOST_DELIVERIES;
        self.rounds.len() > 1 && (enough || self.repeats_itself())
    }

    /// Whether the last rounds but the last, which may go on, are of one size.
    fn repeats_itself(&self) -> bool {
        let ends: Vec<u64> =
            self.rounds.iter().rev().skip(1).take(EQUAL_ROUNDS + 1).map(|each| each.bytes).collect();
        ends.len() > EQUAL_ROUNDS && ends.windows(3).all(|ends| ends[0] - ends[1] == ends[1] - ends[2])
    }

    /// The next arrival, or the next timer if that comes before it; answers whether there was one. Nothing is
    /// lost, but a host gives up that waits too long for an answer.
    fn step(&mut self) -> bool {
        let arrival = |from: usize| self.under_way[from].front().map_or(Time::MAX, |&(instant, ..)| instant);
        let from = usize::from(arrival(1) < arrival(0));
        let timers = [0, 1].map(|side| self.ends[side].deadline());
        let timer = usize::from(timers[1] < timers[0]);
        if timers[timer] < arrival(from) {
            self.now = timers[timer];
            return !self.act(timer, |end, now, context, outbox| end.on_timer(now, context, outbox)).gave_up;
        }
        let Some((instant, segment, said)) = self.under_way[from].pop_front() else { return false };
        self.now = instant;
        let answer = self.act(1 - from, |end, now, context, outbox| {
            if context.profile.has_options() {
                end.on_segment_with_options(now, context, (&segment, &said), false, outbox);
            } else {
                end.on_segment(now, context, &segment, false, outbox);
            }
        });
        if from == SERVER {
            self.at_browser(&answer);
        } else {
            self.at_server(&answer);
        }
        true
    }

    /// Lets an end act, and sends what it wants to send.
    fn act(
        &mut self,
        side: usize,
        action: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox),
    ) -> Outbox {
        let context = Context { profile: self.profile, clock: self.profile.clock(Span::ZERO) };
        let mut outbox = Outbox::new();
        action(&mut self.ends[side], self.now, &context, &mut outbox);
        for segment in &outbox.segments {
            let said = self.ends[side].options(self.now, self.profile, segment);
            let arrival = self.ways[side].send(self.now, said.ip_bytes(segment, self.profile));
            self.under_way[side].push_back((arrival, *segment, said));
        }
        outbox
    }

    /// The browser asks as soon as it can, and takes what comes.
    fn at_browser(&mut self, answer: &Outbox) {
        if answer.established {
            self.opened = self.now;
            self.act(BROWSER, |end, now, context, outbox| end.write(now, context, REQUEST_BYTES, outbox));
        }
        if answer.delivered > 0 {
            self.deliver(u64::from(answer.delivered));
        }
    }

    /// The server answers when the request is complete.
    fn at_server(&mut self, answer: &Outbox) {
        if answer.delivered == 0 {
            return;
        }
        self.request_bytes_missing -= u64::from(answer.delivered);
        if self.request_bytes_missing == 0 {
            self.act(SERVER, |end, now, context, outbox| end.write(now, context, RESPONSE_BYTES, outbox));
        }
    }

    /// Bytes of the response reach the browser: with those shortly before them, or in a round of their own. A
    /// round lasts a round trip at most.
    fn deliver(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.deliveries += 1;
        let (instant, round_trip) = (self.now - self.opened, self.opened - Time::ZERO);
        let half = Span::from_nanoseconds(round_trip.nanoseconds() / 2);
        match self.rounds.last_mut() {
            Some(round) if instant < round.ends + half && instant < round.begins + round_trip => {
                round.ends = instant;
                round.bytes = self.bytes;
            }
            _ => self.rounds.push(Round { begins: instant, ends: instant, bytes: self.bytes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Control, run};
    use aqmlab_record::ColumnValues;

    /// One user, whose every page is one object of this size on a connection of its own, 80 ms away from her
    /// server.
    fn scenario(profile: &str, bytes: u64) -> Scenario {
        let text = format!(
            r#"
name = "alone"
duration_s = 300.0
[dumbbell]
rate_mbps = 100.0
queue = {{ scheme = "drop-tail", limit_packets = 1000 }}
[users]
left = 0
right = 1
start = "stationary"
profile = "{profile}"
minimum_delay_ms = {{ low = 80, high = 80 }}
[users.model]
model = "unc"
persistent_connection_share = 0.0
embedded_objects_per_page_cdf_file = "none.cdf"
think_time_seconds_cdf_file = "think.cdf"
request_bytes_cdf_file = "request.cdf"
response_bytes_cdf_file = "response.cdf"
[files]
"none.cdf" = "0 1"
"think.cdf" = "5 1"
"request.cdf" = "350 1"
"response.cdf" = "{bytes} 1"
[record]
responses = "rows"
"#
        );
        Scenario::from_toml(&text, "alone", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The response times that a run shows, in seconds.
    fn response_times(scenario: &Scenario) -> Vec<f64> {
        let output = run(scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let rows = output.tables.iter().find(|table| table.name == "responses").unwrap();
        let times = rows.columns.iter().find(|column| column.name == "response_time_s").unwrap();
        let ColumnValues::F64(times) = &times.values else { panic!("{:?}", times.values) };
        times.clone()
    }

    #[test]
    fn a_response_takes_as_long_as_in_a_run_where_nobody_is_in_its_way() {
        // Within the time of a few packets. In bsd228 a delayed acknowledgement waits for a clock of 200 ms
        // whose phase the path does not know, and Nagle makes the end of a response wait for a round trip.
        let exact = 0.001;
        let bsd228 = exact + 0.2 + 0.0804;
        for (profile, bytes, within) in [
            ("bsd45", 1_000, exact),
            ("bsd45", 5_000, exact),
            ("bsd45", 20_000, exact),
            ("bsd45", 100_000, exact),
            ("bsd45", 3_000_000, exact),
            ("bsd228", 1_000, exact),
            ("bsd228", 3_000_000, bsd228),
            ("rfc5681", 20_000, exact),
            ("rfc5681", 3_000_000, exact),
        ] {
            let scenario = scenario(profile, bytes);
            let delay = AddedDelay::Own(Span::from_milliseconds(80));
            let path = IdlePaths::new(&scenario).of(PopulationId::of(1), delay);
            let foreseen = (path.time_to_open + path.response_time(0, bytes)).seconds();
            let times = response_times(&scenario);
            assert!(times.len() > 5, "{profile} {bytes}: {times:?}");
            for time in &times {
                let near = (time - foreseen).abs() < within;
                assert!(near, "{profile}, {bytes} bytes: {foreseen} s foreseen, {time} s in a run");
            }
        }
    }

    #[test]
    fn a_path_beyond_the_patience_of_its_host_opens_nothing() {
        // FreeBSD gives an attempt up after 75 s.
        let scenario = scenario("bsd45", 1_000);
        for (delay_ms, opens) in [(74_000, true), (76_000, false)] {
            let delay = AddedDelay::Own(Span::from_milliseconds(delay_ms));
            let path = IdlePaths::new(&scenario).of(PopulationId::of(1), delay);
            assert_eq!(path.opens, opens, "{delay_ms} ms");
            let seconds = if opens { 74.0 } else { 75.0 };
            assert!((path.time_to_open.seconds() - seconds).abs() < 0.1, "{:?}", path.time_to_open);
        }
    }
}
