//! Links that share a channel, beside what is worked out without one.

mod packet;

use aqmlab_aqm::{
    Codepoint, PacketClass, PacketFacts, Port, PortFacts, Reason, Scheme, algorithms::drop_tail,
};
use aqmlab_link::{Channel, Framing, Link, Load, News, Service, ServiceModel};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use packet::Packet;

/// A preamble, then so long for each byte; as many packets as take so long.
#[derive(Clone, Copy)]
struct Station {
    preamble_us: u64,
    byte_us: u64,
    most_us: u64,
}

impl Service for Station {
    fn carries(&self, load: Load) -> bool {
        load.packets == 1 || u64::from(load.wire_bytes) * self.byte_us <= self.most_us
    }

    fn transmit(&mut self, now: Time, load: Load) -> Time {
        now + Span::from_microseconds(self.preamble_us + u64::from(load.wire_bytes) * self.byte_us)
    }
}

/// A transmission: of which link, from when to when in microseconds, and how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    link: usize,
    from: u64,
    to: u64,
    bytes: u32,
}

/// What stations send of arrivals of so many bytes at links, at instants in microseconds, as a driver has
/// them send; without `shares` each has a channel for itself.
fn sent(stations: &[Station], arrivals: &[(u64, usize, u32)], ring: u32, shares: bool) -> Vec<Sent> {
    let mut driver = Driver {
        links: stations.iter().map(|station| link(*station, ring)).collect(),
        channel: shares.then(|| Channel::new(0..stations.len())),
        under_way: vec![None; stations.len()],
        sent: Vec::new(),
    };
    for (number, &(at, link, bytes)) in arrivals.iter().enumerate() {
        driver.pass_until(at);
        let facts = PacketFacts {
            flow: number as u64,
            bytes,
            codepoint: Codepoint::NotEct,
            class: PacketClass::Data,
        };
        let news = driver.links[link].arrive(instant(at), Packet(facts), &mut nothing_is_lost);
        driver.note(at, link, news);
    }
    driver.pass_until(u64::MAX >> 20);
    driver.sent
}

fn link(station: Station, ring: u32) -> Link<Packet> {
    let limit_packets = Some(1_000_000);
    let scheme = Scheme::DropTail(drop_tail::Params { limit_packets, ..drop_tail::Params::default() });
    let rate = Rate::from_megabits_per_second(8.0);
    let port = Port::new(&scheme, PortFacts::new(rate), Key::from_seed(1).stream());
    Link::new(port, (&ServiceModel::Constant, Key::from_seed(1)), rate, Framing::NONE, ring)
        .served_by(Box::new(station))
}

fn nothing_is_lost(_: Packet, reason: Reason) {
    panic!("{}", reason.name());
}

fn instant(microseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(microseconds)
}

struct Driver {
    links: Vec<Link<Packet>>,
    channel: Option<Channel>,
    under_way: Vec<Option<(u64, u64)>>,
    sent: Vec<Sent>,
}

impl Driver {
    /// Ends transmissions up to and at an instant.
    fn pass_until(&mut self, until: u64) {
        loop {
            let ends = |link: usize| self.under_way[link].map(|(_, to)| (to, link));
            let Some((now, link)) = (0..self.links.len()).filter_map(ends).min() else { return };
            if now > until {
                return;
            }
            self.end(now, link);
        }
    }

    fn end(&mut self, now: u64, link: usize) {
        let (from, to) = self.under_way[link].take().unwrap();
        let mut bytes = 0;
        while self.links[link].is_sending() {
            bytes += self.links[link].end_transmission().0.bytes;
        }
        self.sent.push(Sent { link, from, to, bytes });
        let Some(channel) = &mut self.channel else {
            let news = self.links[link].serve(instant(now), &mut nothing_is_lost);
            return self.note(now, link, news);
        };
        channel.end(instant(now), |each| self.links[each].hold(false));
        while let Some(next) = self.channel.as_mut().unwrap().next(|each| self.links[each].has_something()) {
            let news = self.links[next].serve(instant(now), &mut nothing_is_lost);
            self.note(now, next, news);
            if news.begun.is_some() {
                return;
            }
        }
    }

    fn note(&mut self, now: u64, link: usize, news: News) {
        let Some(ends) = news.begun else { return };
        self.under_way[link] = Some((now, (ends - Time::ZERO).div_floor(Span::from_microseconds(1))));
        if let Some(channel) = &mut self.channel {
            channel.begin(link, instant(now), |other| self.links[other].hold(true));
        }
    }
}

/// So many packets of 1,000 bytes at each link, all there from the beginning.
fn saturated(links: usize, packets: usize) -> Vec<(u64, usize, u32)> {
    (0..packets * links).map(|number| (0, number % links, 1_000)).collect()
}

fn airtime(sent: &[Sent], link: usize) -> u64 {
    sent.iter().filter(|each| each.link == link).map(|each| each.to - each.from).sum()
}

const ALIKE: Station = Station { preamble_us: 200, byte_us: 1, most_us: 4_000 };

#[test]
fn two_stations_that_always_send_share_half_and_half() {
    let seen = sent(&[ALIKE; 2], &saturated(2, 400), 0, true);
    // The first packet finds the channel idle and travels alone; then 4 at a time in turns.
    assert_eq!(seen[0], Sent { link: 0, from: 0, to: 1_200, bytes: 1_000 });
    for (number, pair) in seen[1..180].windows(2).enumerate() {
        assert_ne!(pair[0].link, pair[1].link, "turn {number}");
        assert_eq!((pair[0].to, pair[0].to - pair[0].from), (pair[1].from, 4_200));
    }
}

#[test]
fn a_station_alone_has_all_of_the_channel() {
    let alone: Vec<(u64, usize, u32)> = (0..100).map(|number| (number * 700, 0, 1_000)).collect();
    for ring in [0, 3] {
        let seen = sent(&[ALIKE; 3], &alone, ring, true);
        assert_eq!(seen, sent(&[ALIKE; 3], &alone, ring, false));
    }
}

#[test]
fn stations_of_unequal_rates_share_airtime_and_not_bytes() {
    let slow = Station { byte_us: 10, most_us: 10_000, ..ALIKE };
    // Of 1,000 bytes: 4 take 4.2 ms, one of the slow station's 10.2 ms.
    let seen = sent(&[ALIKE, slow], &saturated(2, 4_000), 0, true);
    let both_send: Vec<Sent> = seen.iter().copied().take_while(|each| each.to < 2_000_000).collect();
    let [fast_us, slow_us] = [airtime(&both_send, 0), airtime(&both_send, 1)];
    assert!(fast_us.abs_diff(slow_us) <= 10_200, "{fast_us} and {slow_us}: one transmission at most");
    let bytes =
        |link| both_send.iter().filter(|each| each.link == link).map(|each| f64::from(each.bytes)).sum();
    let [fast, slow]: [f64; 2] = [bytes(0), bytes(1)];
    // In equal airtime 4,000 bytes each 4.2 ms, and 1,000 each 10.2 ms.
    let expected = (4_000.0 / 4_200.0) / (1_000.0 / 10_200.0);
    assert!((fast / slow / expected - 1.0).abs() < 0.02, "{} and {expected}", fast / slow);
}

#[test]
fn a_station_that_was_silent_has_saved_nothing_up() {
    let mut arrivals: Vec<(u64, usize, u32)> = (0..2_000).map(|_| (0, 0, 1_000)).collect();
    arrivals.extend((0..1_000).map(|_| (500_000, 1, 1_000)));
    let seen = sent(&[ALIKE; 2], &arrivals, 0, true);
    let later: Vec<Sent> =
        seen.into_iter().filter(|each| each.from >= 510_000 && each.to <= 900_000).collect();
    assert!(airtime(&later, 0).abs_diff(airtime(&later, 1)) <= 4_200, "turns from then on");
}

fn random(dice: &mut Stream, links: u64, bytes: impl Fn(&mut Stream) -> u32) -> Vec<(u64, usize, u32)> {
    let (mut at, mut pace) = (0, 1);
    (0..600)
        .map(|_| {
            if dice.below(10) == 0 {
                pace = 1 + dice.below(6_000);
            }
            at += dice.below(pace);
            let link = usize::try_from(dice.below(links)).unwrap();
            (at, link, bytes(dice))
        })
        .collect()
}

#[test]
fn one_sends_at_a_time_and_the_channel_is_never_idle_while_something_waits() {
    for seed in 0..200 {
        let mut dice = Key::from_seed(seed).stream();
        let station = |dice: &mut Stream| Station {
            preamble_us: dice.below(300),
            byte_us: 1 + dice.below(4),
            most_us: dice.below(9_000),
        };
        let stations: Vec<Station> = (0..2 + dice.below(3)).map(|_| station(&mut dice)).collect();
        let arrivals = random(&mut dice, stations.len() as u64, |dice| 28 + dice.below(1_473) as u32);
        let seen = sent(&stations, &arrivals, dice.below(3) as u32, true);
        assert!(seen.windows(2).all(|pair| pair[0].to <= pair[1].from), "airtime beyond one");
        let sum = |bytes: &mut dyn Iterator<Item = u32>| bytes.map(u64::from).sum::<u64>();
        let came = sum(&mut arrivals.iter().map(|arrival| arrival.2));
        assert_eq!(sum(&mut seen.iter().map(|each| each.bytes)), came, "all is sent");
        // Idle from one transmission to the next: what came before has been sent, and what comes ends it.
        for pair in seen.windows(2).filter(|pair| pair[0].to < pair[1].from) {
            let before = sum(&mut arrivals.iter().filter(|one| one.0 < pair[1].from).map(|one| one.2));
            let out = sum(&mut seen.iter().filter(|one| one.to <= pair[0].to).map(|one| one.bytes));
            assert_eq!(before, out, "seed {seed}: something waits at {}", pair[0].to);
        }
    }
}

/// Where every packet takes equally long, whoever sends it, the channel is one server: its departures are
/// those of Lindley's recursion over all arrivals.
#[test]
fn with_equal_packets_the_channel_is_one_queue() {
    let station = Station { preamble_us: 300, byte_us: 1, most_us: 0 };
    for seed in 0..100 {
        let mut dice = Key::from_seed(seed).stream();
        let arrivals = random(&mut dice, 3, |_| 700);
        let mut ends = 0;
        let expected: Vec<u64> = arrivals
            .iter()
            .map(|&(at, ..)| {
                ends = ends.max(at) + 1_000;
                ends
            })
            .collect();
        let seen: Vec<u64> = sent(&[station; 3], &arrivals, 0, true).iter().map(|each| each.to).collect();
        assert_eq!(seen, expected, "seed {seed}");
    }
}
