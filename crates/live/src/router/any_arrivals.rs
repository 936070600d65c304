//! The links of the router under random arrivals, beside the reference that every driver of a link is
//! compared with.

use super::capture::CapturedPorts;
use super::fuzz::network;
use super::log::{Log, LogEvent};
use crate::addresses::Half;
use aqmlab_aqm::Reason;
use aqmlab_driver::key_of_service;
use aqmlab_link::conformance::{Arrival, Case, Observed, check};
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_units::Time;
use aqmlab_wire::{WireAddress, WirePacket, WirePayload};

#[test]
fn the_router_sends_and_refuses_what_the_reference_of_links_does() {
    let until = Time::from_seconds(900.0);
    let mut compared = 0;
    for seed in 0..60 {
        let mut dice = Key::from_seed(seed).stream();
        let mut case = Case::drawn(&mut dice);
        let text = format!("duration_s = 900.0\n{}[users]\nper_side = 1\n", case.scenario_text());
        let scenario = Scenario::from_toml(&text, "case", &[]).unwrap_or_else(|error| panic!("{error}"));
        case.key = key_of_service(&scenario.network.links[0], Key::from_seed(1));
        let (mut network, addresses) = network(&text, Log::new(true, &CapturedPorts::default()));
        let (opener, port) = addresses.opener(0, 0).unwrap();
        let answerers = u32::try_from(addresses.machines()).unwrap();
        let packet = |ip_bytes| WirePacket {
            at: Time::ZERO,
            source: WireAddress { address: opener.octets(), port },
            destination: WireAddress { address: addresses.answerer(answerers - 1).octets(), port: 80 },
            traffic_class: 0,
            ip_bytes,
            payload: WirePayload::Udp,
        };
        for Arrival { at, ip_bytes } in case.arrivals(150, &mut dice) {
            network.arrive(at, Half::Active, &packet(u16::try_from(ip_bytes).unwrap()).bytes());
            network.run_until(at, &mut |_, _, _| {});
        }
        network.run_until(until, &mut |_, _, _| {});
        assert_eq!((network.under_way(), network.balance.refused), (0, [0; 5]));
        let rows = network.log.into_parts().0;
        let seen: Vec<Observed> = rows
            .iter()
            .map(|row| match row.event {
                LogEvent::Arrival => Observed::Arrival(Arrival { at: row.at, ip_bytes: row.facts.bytes }),
                LogEvent::Departure => Observed::Departure(row.at),
                LogEvent::Discard(Reason::Overflow) => Observed::Overflow,
                LogEvent::Discard(reason) => panic!("{reason:?}"),
            })
            .collect();
        compared += check(&case, &seen, until).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    assert_eq!(compared, 60 * 150);
}
