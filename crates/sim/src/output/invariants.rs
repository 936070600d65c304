//! Laws that every run must obey. A run that breaks one is an error, because nothing in it can be trusted.

use crate::simulation::EventLoop;
use aqmlab_aqm::Reason;
use aqmlab_link::MonitoredLink;
use aqmlab_record::Invariant;

/// Checks every law at the end of a run.
pub(super) fn check(simulation: &EventLoop) -> Vec<Invariant> {
    let mut laws = vec![
        Invariant::of(
            "packets and bytes that arrived at each port = departed + discarded + waiting",
            ports_conserve(simulation).and_then(|()| impairments_agree(simulation)),
        ),
        Invariant::of(
            "packets that departed from each port = sent on its link + in service or in the driver's ring",
            links_send_what_departs(simulation),
        ),
        Invariant::of(
            "exchanges that each population started = completed + failed + under way at the end",
            exchanges_end(simulation),
        ),
    ];
    if simulation.fabric.network().delay_boxes.are_used() {
        laws.push(Invariant::of(
            "packets that came to the delay boxes = lost + sent on",
            boxes_conserve(simulation),
        ));
    }
    if simulation.fabric.datagrams().sources() > 0 {
        laws.push(Invariant::of(
            "datagrams that each source sent >= received + lost",
            datagrams_exist(simulation),
        ));
    }
    laws
}

fn ports_conserve(simulation: &EventLoop) -> Result<(), String> {
    let mut links = simulation.fabric.network().queued_links();
    links.try_for_each(|(link, queued)| {
        queued.link.port().check_conservation().map_err(|error| format!("link {link}: {error}"))
    })
}

/// What an impaired link loses before its queue is counted on both sides.
fn impairments_agree(simulation: &EventLoop) -> Result<(), String> {
    let network = simulation.fabric.network();
    network.impaired.iter().try_for_each(|impaired| {
        let Some(queued) = network.queued.get(impaired.egress.place()) else { return Ok(()) };
        let (counts, counters) = (impaired.counts, queued.link.port().counters());
        let seen = (counters.arrivals().total(), counters.discards(Reason::Impairment).total());
        let came = counts.arrived + counts.duplicated;
        let passed = counts.arrived.minus(counts.lost);
        let agree = seen == (came, counts.lost) && counts.ecn_changed.packets <= passed.packets;
        agree.then_some(()).ok_or_else(|| {
            format!("{:?}: the impairment counts {counts:?}, the queue {seen:?}", impaired.link)
        })
    })
}

fn links_send_what_departs(simulation: &EventLoop) -> Result<(), String> {
    simulation.fabric.network().queued_links().try_for_each(|(link, queued)| {
        let departed = queued.link.port().counters().departures().total().packets;
        let (sent, under_way) = (queued.sent().frames, queued.link.under_way());
        let holds = departed == sent + under_way;
        holds.then_some(()).ok_or_else(|| {
            format!(
                "link {link}: {departed} packets left the queue, {sent} the link, {under_way} are under way"
            )
        })
    })
}

fn exchanges_end(simulation: &EventLoop) -> Result<(), String> {
    let session = &simulation.session;
    let mut populations = session.populations().iter().enumerate().zip(session.unfinished());
    populations.try_for_each(|((place, population), unfinished)| {
        let counts = population.in_run();
        counts.leaves(unfinished).then_some(()).ok_or_else(|| {
            format!("population {place}: {counts:?} exchanges, {unfinished} under way at the end")
        })
    })
}

fn boxes_conserve(simulation: &EventLoop) -> Result<(), String> {
    simulation.fabric.network().delay_boxes.unbalanced().map_or(Ok(()), Err)
}

fn datagrams_exist(simulation: &EventLoop) -> Result<(), String> {
    match simulation.fabric.datagrams().overdrawn() {
        Some(source) => Err(format!("source {source} of datagrams sent fewer than were received and lost")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{CapturedPorts, Departures, Packet, Settings, Transports};
    use aqmlab_aqm::{Port, PortFacts};
    use aqmlab_driver::{Control, RunError};
    use aqmlab_link::Link;
    use aqmlab_random::Key;
    use aqmlab_scenario::Scenario;
    use aqmlab_units::Time;

    const TEXT: &str = "name = \"flows\"\nduration_s = 2.0\n[dumbbell]\nrate_mbps = 1.0\n\
                        queue = { scheme = \"drop-tail\", limit_packets = 9 }\n\
                        [[flows]]\ncount = 2\ndirection = \"left-to-right\"\n";

    fn finished() -> (Scenario, EventLoop) {
        let scenario = Scenario::from_toml(TEXT, "flows", &[]).unwrap_or_else(|error| panic!("{error}"));
        let control = Control::default();
        let captured = &CapturedPorts::default();
        let settings =
            Settings { captured, transports: Transports::default(), departures: Departures::Predicted };
        let mut simulation = EventLoop::new(&scenario, 1, &control, settings).unwrap();
        simulation.advance_until(Time::ZERO + scenario.duration, &control).unwrap();
        (scenario, simulation)
    }

    /// A link whose port let a packet go that it was never handed.
    fn link_behind_which_a_packet_vanished(scenario: &Scenario, packet: Packet) -> Link<Packet> {
        let link = &scenario.network.links[0];
        let (rate, scheme) = (link.rate.unwrap(), link.queue.as_ref().unwrap());
        let mut port = Port::new(scheme, PortFacts::new(rate), Key::from_seed(1).stream());
        port.arrive(Time::ZERO, packet, &mut |_, reason| panic!("{reason:?}"));
        port.depart(Time::ZERO, &mut |_, reason| panic!("{reason:?}"));
        Link::new(port, (&link.service, Key::from_seed(1)), rate, link.framing, 0)
    }

    #[test]
    fn a_packet_that_no_link_was_handed_breaks_one_law_and_fails_the_run() {
        let (scenario, mut simulation) = finished();
        let kept = check(&simulation);
        assert!(kept.iter().all(|law| law.holds && law.breach.is_none()), "{kept:?}");
        let queued = &mut simulation.fabric.network_mut().queued[0];
        let packet = *queued.link.packets().next().unwrap();
        queued.link = link_behind_which_a_packet_vanished(&scenario, packet);
        let broken = check(&simulation);
        assert_eq!(broken.iter().map(|law| law.holds).collect::<Vec<_>>(), [true, false, true]);
        let breach = broken[1].breach.as_deref().unwrap_or_default();
        assert!(breach.starts_with("link 0: ") && breach.contains("packets left the queue"), "{breach}");
        let refused = crate::output::gather(simulation, &scenario, 1).map(|_| ());
        let Err(RunError::Invariant(said)) = refused else { panic!("{refused:?}") };
        assert!(said.starts_with("packets that departed from each port") && said.contains(breach), "{said}");
    }
}
