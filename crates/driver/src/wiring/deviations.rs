//! How a run has links and delays that its scenario leaves to the seed: delays of flows that are dealt or
//! drawn, and by how much links and delays deviate, where that is allowed.
//!
//! Packets that reach a full queue at one instant are served in a fixed order. Links of one rate keep their
//! packets in step, so that the order can favour some flows for ever; no two real clocks do.

use aqmlab_aqm::{PortFacts, Scheme};
use aqmlab_random::Key;
use aqmlab_scenario::{FlowDelays, FlowGroup, Link, Scenario};
use aqmlab_units::{Rate, Span};
use std::borrow::Cow;

/// The scenario as the run with this seed has it.
#[must_use]
pub fn of_run(scenario: &Scenario, seed: u64) -> Cow<'_, Scenario> {
    let deviations = Deviations {
        key: Key::from_seed(seed).named("deviation"),
        rate_tolerance: scenario.rate_tolerance,
        delay_phase: scenario.delay_phase,
    };
    let given = scenario.flows.iter().all(|group| group.delays == FlowDelays::Given);
    if deviations.delay_phase == Span::ZERO && deviations.rate_tolerance == 0.0 && given {
        return Cow::Borrowed(scenario);
    }
    let mut run = scenario.clone();
    for group in &mut run.flows {
        settle_delays(group, Key::from_seed(seed));
    }
    run.network.links.iter_mut().for_each(|link| deviations.apply(link));
    for group in &mut run.flows {
        let key = deviations.key.named("flow").named(&group.name);
        for (flow, index) in group.flows.iter_mut().zip(0..) {
            flow.delay_from_sender += deviations.phase(key.indexed(index));
        }
    }
    Cow::Owned(run)
}

/// Gives the flows of a group their delays, where these come from the seed.
fn settle_delays(group: &mut FlowGroup, seed: Key) {
    match &group.delays {
        FlowDelays::Given => {}
        FlowDelays::Dealt => deal(group, seed.named("delays of flows").named(&group.name)),
        FlowDelays::Drawn { law, on } => {
            let key = seed.named("round trips of flows").named(&group.name);
            for (flow, index) in group.flows.iter_mut().zip(0..) {
                *flow = flow.delayed(law.draw(key.indexed(index)), *on);
            }
        }
    }
}

/// Deals the delays of a group to its flows in an order drawn at a key: each order is as likely as any other.
fn deal(group: &mut FlowGroup, key: Key) {
    let mut delays: Vec<[Span; 2]> =
        group.flows.iter().map(|flow| [flow.delay_from_sender, flow.delay_from_receiver]).collect();
    for place in (1..delays.len()).rev() {
        let number = place as u64;
        let other = usize::try_from(key.below(number, number + 1)).expect("a place is below another");
        delays.swap(place, other);
    }
    for (flow, [from_sender, from_receiver]) in group.flows.iter_mut().zip(delays) {
        flow.delay_from_sender = from_sender;
        flow.delay_from_receiver = from_receiver;
    }
}

struct Deviations {
    key: Key,
    rate_tolerance: f64,
    delay_phase: Span,
}

impl Deviations {
    /// A link's own rate and delay. Where a controller is designed for its link so closely that a slower one
    /// leaves it no design, the link keeps its rate.
    fn apply(&self, link: &mut Link) {
        let Some(nominal) = link.rate else { return };
        let key = self.key.named("link").named(&link.name);
        let share = self.rate_tolerance * (2.0 * key.named("rate").uniform(0) - 1.0);
        let megabits_per_second = nominal.bits_per_second() as f64 / 1e6;
        let rate = Rate::from_megabits_per_second(megabits_per_second * (1.0 + share));
        let fits = |scheme: &Scheme| scheme.validate_at(&PortFacts::new(rate)).is_ok();
        // What a trace lets through has no clock of the link's own.
        if link.service.is_constant() && link.queue.as_ref().is_none_or(fits) {
            link.rate = Some(rate);
        }
        let phase = self.phase(key.named("delay"));
        link.delay += phase;
        if let Some(model) = &mut link.delay_model {
            model.delay = model.delay.map(|delay| delay + phase);
        }
    }

    fn phase(&self, key: Key) -> Span {
        Span::from_seconds(self.delay_phase.seconds() * key.uniform(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trips of 10, 20, … 90 ms, as a run with this seed deals them.
    fn dealt(seed: u64, order: &str) -> Vec<u64> {
        let text = format!(
            "name = \"x\"\nduration_s = 9.0\n[dumbbell]\nrate_mbps = 1.0\nqueue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n\
             [[flows]]\ncount = 9\ndirection = \"left-to-right\"\nbase_rtt_ms = {{ first = 10, last = 90, order = \"{order}\" }}\n"
        );
        let scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let run = of_run(&scenario, seed);
        let round_trip = |flow: &aqmlab_scenario::Flow| flow.delay_from_sender + flow.delay_from_receiver;
        run.flows[0].flows.iter().map(|flow| round_trip(flow).nanoseconds() / 1_000_000).collect()
    }

    #[test]
    fn delays_are_dealt_in_an_order_of_the_seed_and_none_is_lost() {
        let ascending: Vec<u64> = (1..10).map(|tens| 10 * tens).collect();
        assert_eq!(dealt(1, "ascending"), ascending);
        let orders: Vec<Vec<u64>> = (1..5).map(|seed| dealt(seed, "drawn")).collect();
        for (place, order) in orders.iter().enumerate() {
            assert_eq!(&dealt(place as u64 + 1, "drawn"), order);
            assert!(*order != ascending && !orders[..place].contains(order), "{order:?}");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, ascending);
        }
    }

    /// A group of flows whose round trips a run with this seed draws from PackMime's law, in milliseconds.
    fn drawn(seed: u64, group: &str, count: usize) -> Vec<f64> {
        let text = format!(
            "name = \"x\"\nduration_s = 9.0\n[dumbbell]\nrate_mbps = 1.0\nqueue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n\
             [[flows]]\nname = \"{group}\"\ncount = {count}\ndirection = \"left-to-right\"\nbase_rtt_ms = {{ law = \"packmime\" }}\n"
        );
        let scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let run = of_run(&scenario, seed);
        let flows = run.flows[0].flows.iter();
        flows
            .map(|flow| {
                let [there, back] = [flow.delay_from_sender, flow.delay_from_receiver];
                assert!(back.nanoseconds() - there.nanoseconds() <= 1, "half on each side");
                (there + back).seconds() * 1e3
            })
            .collect()
    }

    #[test]
    fn round_trips_are_drawn_for_each_flow_from_its_address() {
        let ten = drawn(1, "a", 10);
        assert_eq!(drawn(1, "a", 10), ten, "the seed's own");
        assert_eq!(drawn(1, "a", 4), ten[..4], "however many flows there are");
        assert!(
            drawn(2, "a", 10).iter().zip(&ten).all(|(other, one)| other != one),
            "other seeds have others"
        );
        assert!(drawn(1, "b", 10).iter().zip(&ten).all(|(other, one)| other != one), "as other groups");
        let mut sorted = ten;
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "no two alike: {sorted:?}");
    }

    #[test]
    fn drawn_round_trips_have_the_quantiles_of_the_law() {
        // The study's own: "a median of 65 ms and a mean of 106 ms".
        let mut drawn = drawn(1, "many", 20_000);
        drawn.sort_by(f64::total_cmp);
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        assert!((drawn[10_000] - 65.0).abs() < 3.0, "{}", drawn[10_000]);
        assert!((mean - 106.0).abs() < 6.0, "{mean}");
    }
}
