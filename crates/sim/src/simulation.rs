//! The event loop: one instant after the other, until the end of the run.

use crate::engine::EventKind;
use crate::fabric::{Events, Fabric, Settings, Timer};
use crate::identifiers::ConnectionIdentity;
use crate::recording::{ClosedFlows, FlowRows, Snapshot, congestion_windows};
use crate::transport::SimulatedTransport;
use aqmlab_driver::{
    Boundary, CongestionWindows, Control, Monitor, RunError, may_end_in_cool_down, measured_window, session,
};
use aqmlab_random::Key;
use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::{EndAfter, Scenario};
use aqmlab_session::{Alarm, ConnectionEvent, ConnectionEventKind, Session};
use aqmlab_units::{Span, Time};

/// Events between two looks at what the caller wants: a few milliseconds.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 14;

/// A run: what is pending, the network, the applications, and what is recorded of them.
#[derive(Clone)]
pub(crate) struct EventLoop {
    pub(crate) window: MeasuredWindow,
    pub(crate) events: Events,
    pub(crate) fabric: Fabric,
    pub(crate) session: Session,
    pub(crate) monitor: Monitor,
    pub(crate) flow_rows: FlowRows,
    pub(crate) closed_flows: ClosedFlows,
    pub(crate) congestion_windows: CongestionWindows,
    pub(crate) at_begin: Option<Snapshot>,
    pub(crate) at_end: Option<Snapshot>,
    /// How often the caller was looked at, and how many events are left until the next time.
    looks: u64,
    events_until_look: u64,
    /// The exchanges that end the run before its last instant, until they have.
    end_after: Option<EndAfter>,
    /// Whether the run ends in its cool-down, once nothing that is measured can change.
    ends_in_cool_down: bool,
    /// The last instant of the run.
    pub(crate) end: Time,
}

impl EventLoop {
    pub(crate) fn new(
        scenario: &Scenario,
        seed: u64,
        control: &Control,
        settings: Settings<'_>,
    ) -> Result<Self, RunError> {
        let key = Key::from_seed(seed);
        let window = measured_window(scenario);
        let fabric = Fabric::new(scenario, window, key, settings);
        let mut simulation = Self {
            window,
            events: fabric.event_queue(),
            session: session(scenario, window, key)?,
            monitor: Monitor::new(scenario, window, fabric.network().monitored_positions()),
            flow_rows: FlowRows::new(scenario),
            closed_flows: ClosedFlows::new(scenario),
            congestion_windows: CongestionWindows::new(scenario),
            fabric,
            at_begin: None,
            at_end: None,
            looks: 0,
            events_until_look: EVENTS_BETWEEN_LOOKS,
            end_after: scenario.end_after,
            ends_in_cool_down: may_end_in_cool_down(scenario),
            end: Time::ZERO + scenario.duration,
        };
        simulation.start(control)?;
        Ok(simulation)
    }

    fn start(&mut self, control: &Control) -> Result<(), RunError> {
        self.events.set_sample(self.next_sample());
        let Self { fabric, events, session, .. } = self;
        fabric.start_pings(events);
        session.start(&mut SimulatedTransport { fabric, events }, || control.check())
    }

    /// Runs until an instant, events at that instant included. Fails before an event, not during one.
    pub(crate) fn advance_until(&mut self, until: Time, control: &Control) -> Result<(), RunError> {
        control.check()?;
        loop {
            let (instant, kind) = self.events.next();
            if instant > until.min(self.end) {
                break;
            }
            self.events.advance(instant);
            self.events_until_look -= 1;
            if self.events_until_look == 0 {
                self.look(control)?;
            }
            let Self { fabric, events, .. } = self;
            match kind {
                EventKind::Transmission => fabric.end_transmission(events),
                EventKind::Packet | EventKind::PacketSoon => {
                    fabric.arrive(events.take_packet(kind), events);
                }
                EventKind::Timer => {
                    self.wake();
                    self.end_if_complete();
                }
                EventKind::Sample => self.sample(),
            }
            while let Some(event) = self.fabric.poll() {
                self.handle(&event);
                self.end_if_complete();
            }
        }
        let until = until.min(self.end);
        self.events.advance(until);
        self.fabric.network_mut().catch_up(until);
        Ok(())
    }

    /// Ends the run if the exchange that ends it is complete.
    fn end_if_complete(&mut self) {
        if let Some(EndAfter { population, exchanges }) = self.end_after
            && self.session.populations()[population].in_window().completed >= exchanges
        {
            self.end_now();
        }
    }

    /// The exchange that ends the run is complete. The window contains its instant, and so ends behind it.
    #[cold]
    fn end_now(&mut self) {
        self.end_after = None;
        self.end = self.end.min(self.events.now() + Span::from_nanoseconds(1));
        self.window.until = self.end;
        self.monitor.end_window_at(self.end);
        self.events.set_sample(self.next_sample());
    }

    /// Somebody wanted to be woken now.
    fn wake(&mut self) {
        let Self { fabric, events, session, .. } = self;
        let alarm = match events.take_timer() {
            Timer::Connection { connection, generation } => {
                return fabric.fire(ConnectionIdentity { place: connection, generation }, events);
            }
            Timer::Port { link } => return fabric.ask_port_again(link, events),
            Timer::Ping { pinger } => return fabric.ping(pinger, events),
            Timer::ShaperLoad => return fabric.measure_shaper_load(events),
            Timer::HeardDatagram => return self.hear(),
            Timer::User { population, user } => Alarm::User { population, user },
            Timer::Flow { flow } => Alarm::Flow { flow },
            Timer::Continuation { continuation } => Alarm::Continuation { continuation },
            Timer::Answer { answer } => Alarm::Answer { answer },
            Timer::Datagrams { source } => Alarm::Datagrams { source },
        };
        session.wake(alarm, &mut SimulatedTransport { fabric, events });
    }

    /// A datagram has arrived: its application acts.
    fn hear(&mut self) {
        let Self { fabric, events, session, .. } = self;
        if let Some((source, sequence)) = fabric.next_heard() {
            session.hear(source, sequence, &mut SimulatedTransport { fabric, events });
        }
    }

    /// Something happened to a connection: its application acts.
    #[inline(always)]
    fn handle(&mut self, event: &ConnectionEvent) {
        let Self { fabric, events, session, .. } = self;
        session.handle(event, &mut SimulatedTransport { fabric, events });
        if event.kind == ConnectionEventKind::Ended {
            self.end_connection(event);
        }
    }

    /// One end of a connection is over, and perhaps the connection.
    fn end_connection(&mut self, event: &ConnectionEvent) {
        let Self { fabric, events, session, flow_rows, closed_flows, .. } = self;
        let Some(connection) = fabric.end(event, events) else { return };
        flow_rows.record(connection, || session.exchanges(event.connection, event.owner));
        closed_flows.add(connection);
        session.forget(event.connection, event.owner);
        fabric.release(event.connection);
    }

    fn sample(&mut self) {
        let now = self.events.now();
        self.fabric.network_mut().catch_up_before(now);
        congestion_windows::sample(&mut self.congestion_windows, now, &self.fabric);
        let boundary = self.monitor.sample(now, &mut self.fabric.network_mut().queued);
        match boundary {
            Boundary::None => {}
            Boundary::WindowBegins => self.at_begin = Some(self.snapshot()),
            Boundary::WindowEnds => self.at_end = Some(self.snapshot()),
        }
        if self.ends_in_cool_down && self.at_end.is_some() && self.is_settled() {
            self.end = now;
        }
        self.events.set_sample(self.next_sample());
    }

    /// The run goes on to its end, whatever is still measured.
    pub(crate) const fn keep_cool_down(&mut self) {
        self.ends_in_cool_down = false;
    }

    /// Whether nothing that is measured can change any more. Asked where samples are taken, so that it does
    /// not depend on the way in which packets are served.
    fn is_settled(&mut self) -> bool {
        self.fabric.datagrams_are_settled() && self.session.is_settled(self.window.until, self.end)
    }

    fn next_sample(&self) -> Time {
        self.monitor.next().min(self.congestion_windows.next())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.events.now(), &self.fabric, &self.session)
    }

    /// Looks at what the caller wants, and says how far the run is.
    #[cold]
    fn look(&mut self, control: &Control) -> Result<(), RunError> {
        self.events_until_look = EVENTS_BETWEEN_LOOKS;
        self.looks += 1;
        control.check()?;
        control.report(self.events.now().seconds() / self.end.seconds());
        if self.events.is_worn_out() {
            let what = "more packets and timers than can be put into order: cut the run into shorter ones";
            return Err(RunError::TooLarge(what.to_owned()));
        }
        Ok(())
    }

    /// Events that were served so far.
    pub(crate) const fn events_served(&self) -> u64 {
        self.looks * EVENTS_BETWEEN_LOOKS + (EVENTS_BETWEEN_LOOKS - self.events_until_look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{CapturedPorts, Departures, Transports};

    /// Two clouds of 500 connections a second behind a full FQ-CoDel: what is kept follows the connections
    /// that are open and the packets under way.
    #[test]
    fn hashes_of_connections_do_not_outlive_their_packets() {
        let text = "name = \"short connections\"\nduration_s = 110.0\nwarm_up_s = 1.0\n[dumbbell]\nrate_mbps = 60.0\n\
                    queue = { scheme = \"fq-codel\" }\n[users]\nper_side = 1\nprofile = \"ns2-full\"\n\
                    model = { model = \"packmime\", connections_per_second = 500.0 }\n";
        let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
        let control = Control::default();
        let captured = CapturedPorts::default();
        let (transports, departures) = (Transports::default(), Departures::Predicted);
        let settings = Settings { captured: &captured, transports, departures };
        let simulation = EventLoop::new(&scenario, 1, &control, settings);
        let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
        let run = simulation.advance_until(Time::ZERO + scenario.duration, &control);
        run.unwrap_or_else(|error| panic!("{error}"));
        let (opened, kept) = (simulation.fabric.opened(), simulation.fabric.kept_hashes());
        assert!(opened > 100_000, "{opened}");
        assert!((kept as u64) < opened / 10, "{kept} of {opened}");
    }
}
