//! A run that is taken step by step, watched and acted on.

mod action;
mod groups;
mod observation;
mod steering;

pub use action::{Action, ActionError};
pub use groups::GroupObservation;
pub use observation::{LinkObservation, Observation};
pub use steering::{Steering, SteeringError, WINDOW_SEGMENTS};

use crate::fabric::{CapturedPorts, Departures, Settings, Transports};
use crate::output::{Output, gather};
use crate::simulation::EventLoop;
use action::ActedOn;
use aqmlab_driver::{Control, RunError, deviations};
use aqmlab_random::Key;
use aqmlab_scenario::{ConnectionGroup, Scenario};
use aqmlab_units::Time;
use groups::WatchedGroups;
use observation::Watched;
use std::borrow::Cow;

/// A simulation under way.
///
/// [`Simulation::advance_until`] serves events, [`Simulation::observe`] looks at the monitored links,
/// [`Simulation::act`] changes what may be changed while a run goes on, and [`Simulation::finish`] returns
/// what the run leaves behind. Steps and looks change nothing: without an action the output is that of
/// [`crate::run`], byte for byte, but for the number of events. The cool-down is taken to its end, as with
/// `record.cool_down`.
///
/// ```
/// use aqmlab_sim::{Action, Control, Scenario, Simulation, Span};
///
/// let text = r#"
///     name = "a limit that follows the delay"
///     duration_s = 5.0
///     warm_up_s = 1.0
///     [dumbbell]
///     rate_mbps = 10.0
///     queue = { scheme = "drop-tail", limit_packets = 400 }
///     [[flows]]
///     direction = "left-to-right"
///     count = 4
/// "#;
/// let scenario = Scenario::from_toml(text, "agent.toml", &[])?;
/// let control = Control::default();
/// let mut simulation = Simulation::new(&scenario, 1, &control)?;
/// while simulation.now() < simulation.end() {
///     simulation.advance_until(simulation.now() + Span::from_milliseconds(100), &control)?;
///     let link = &simulation.observe().links[0];
///     let limit = if link.queueing_delay() > Span::from_milliseconds(20) { 16 } else { 400 };
///     simulation.act("left-to-right", &Action::parameter("limit_packets", limit))?;
/// }
/// let output = simulation.finish(&control)?;
/// assert!(output.summary.links[0].counters.discarded["overflow"].packets > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Simulation<'a> {
    /// As the run has it.
    scenario: Cow<'a, Scenario>,
    seed: u64,
    event_loop: EventLoop,
    /// When it was observed last.
    observed: Time,
    watched: Vec<Watched>,
    watched_groups: WatchedGroups,
    acted_on: Vec<ActedOn>,
}

impl<'a> Simulation<'a> {
    /// The simulation of a scenario with a seed, at time zero.
    ///
    /// # Errors
    /// As [`crate::run`], and [`RunError::Steps`] for a scenario with `end_after`: whoever takes the steps
    /// goes by the clock.
    pub fn new(scenario: &'a Scenario, seed: u64, control: &Control) -> Result<Self, RunError> {
        if scenario.end_after.is_some() {
            return Err(RunError::Steps(
                "end_after: steps go on to duration_s; leave the key out".to_owned(),
            ));
        }
        // Who acts on a link later must not find packets gone that it has not sent yet.
        let departures = Departures::ByEvents;
        let captured = &CapturedPorts::default();
        let settings = Settings { captured, transports: Transports::of(scenario), departures };
        let mut simulation = Self::begin(scenario, seed, control, settings)?;
        simulation.event_loop.keep_cool_down();
        let key = Key::from_seed(seed);
        let links = simulation.event_loop.fabric.network().monitored_links();
        let described =
            links.map(|queued| (queued.position, simulation.scenario.network.link(queued.number)));
        (simulation.watched, simulation.acted_on) = described
            .map(|(position, link)| (Watched::new(position, link), ActedOn::new(position, link, key)))
            .unzip();
        Ok(simulation)
    }

    pub(crate) fn begin(
        scenario: &'a Scenario,
        seed: u64,
        control: &Control,
        settings: Settings<'_>,
    ) -> Result<Self, RunError> {
        let scenario = deviations::of_run(scenario, seed);
        let event_loop = EventLoop::new(&scenario, seed, control, settings)?;
        Ok(Self {
            scenario,
            seed,
            event_loop,
            observed: Time::ZERO,
            watched: Vec::new(),
            watched_groups: WatchedGroups::default(),
            acted_on: Vec::new(),
        })
    }

    /// The same simulation with a copy of the scenario of its own.
    #[must_use]
    pub fn into_owned(self) -> Simulation<'static> {
        Simulation { scenario: Cow::Owned(self.scenario.into_owned()), ..self }
    }

    /// A copy that goes on by itself.
    ///
    /// # Errors
    /// [`RunError::Steps`] where connections use a transport that cannot be copied; [`Clone`] panics there.
    pub fn copied(&self) -> Result<Self, RunError> {
        let refuses = |group: ConnectionGroup<'_>| {
            let transport = group.transport.filter(|other| !other.transport.can_be_copied)?.transport;
            let (name, over) = (group.name, transport.name);
            Some(format!("a copy: the connections of \"{name}\" are {over}'s, which cannot be copied"))
        };
        match self.scenario.connection_groups().find_map(refuses) {
            Some(why) => Err(RunError::Steps(why)),
            None => Ok(self.clone()),
        }
    }

    /// The present instant of the simulated time.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.event_loop.events.now()
    }

    /// When the run ends.
    #[must_use]
    pub fn end(&self) -> Time {
        self.event_loop.end
    }

    /// Serves all events up to `time`, those at that instant included. A time beyond the end of the run is
    /// its end; one that has passed is no step.
    ///
    /// # Errors
    /// [`RunError`]: cancelled through `control`, after which the run may be taken up again, or larger than
    /// the simulator can hold.
    pub fn advance_until(&mut self, time: Time, control: &Control) -> Result<(), RunError> {
        let time = time.min(self.end());
        if time < self.now() { Ok(()) } else { self.event_loop.advance_until(time, control) }
    }

    /// What an agent at the queue, or a teacher, may see of each monitored link and of each group of traffic
    /// now, and what happened there since the last observation.
    pub fn observe(&mut self) -> Observation {
        let now = self.now();
        let since = std::mem::replace(&mut self.observed, now);
        let EventLoop { fabric, session, closed_flows, .. } = &mut self.event_loop;
        let groups = self.watched_groups.look(&self.scenario, fabric, session, closed_flows);
        let queued = &mut fabric.network_mut().queued;
        let links = self.watched.iter_mut().map(|watched| watched.look(queued, (since, now)));
        Observation { now, since, links: links.collect(), groups }
    }

    /// Changes a monitored link from now on: its rate, and those parameters of its queue's scheme that are
    /// [adjustable](aqmlab_aqm::Scheme::adjustable). A transmission under way ends as it was to. What a
    /// scheme has worked out from the rate of its link at the start stays as it was.
    ///
    /// # Errors
    /// [`ActionError`], which names what is legal; then nothing was changed.
    pub fn act(&mut self, link: &str, action: &Action) -> Result<(), ActionError> {
        let now = self.now();
        let network = &self.scenario.network;
        let queued = &mut self.event_loop.fabric.network_mut().queued;
        let Some(place) = self.acted_on.iter().position(|own| own.is_named(link)) else {
            let legal = queued.iter().filter(|queued| queued.monitored.is_some());
            let legal = legal.map(|queued| network.link(queued.number).name.clone()).collect();
            return Err(ActionError::Link { name: link.to_owned(), legal });
        };
        let rate = self.acted_on[place].apply(now, action, queued)?;
        self.watched[place].rate = rate;
        Ok(())
    }

    /// Changes the senders of a group of traffic from now on: windows with the next acknowledgement, bit
    /// rates with the next frame. Windows are set of the connections that are open.
    ///
    /// # Errors
    /// [`SteeringError`], which names what is legal; then nothing was changed.
    pub fn steer(&mut self, group: &str, steering: &Steering) -> Result<(), SteeringError> {
        let EventLoop { fabric, session, .. } = &mut self.event_loop;
        steering::steer(&self.scenario, (fabric, session), group, steering)
    }

    /// Serves what is left of the run and returns what it leaves behind.
    ///
    /// # Errors
    /// [`RunError`], as [`crate::run`].
    pub fn finish(mut self, control: &Control) -> Result<Output, RunError> {
        self.advance_until(self.end(), control)?;
        control.report_done();
        gather(self.event_loop, &self.scenario, self.seed)
    }
}
