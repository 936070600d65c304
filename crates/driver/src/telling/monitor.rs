//! Sampling of monitored links.

use crate::telling::queue_summary::QueueSummaries;
use crate::telling::sampling_clock::SamplingClock;
use crate::telling::scheme_state::SchemeStates;
use crate::telling::settling::{self, Unsettled};
use crate::telling::starvation::{Starved, starved};
use crate::telling::table_names::TableNames;
use aqmlab_aqm::Occupancy;
use aqmlab_link::{MonitoredLink, Sent};
use aqmlab_record::{ColumnValues, MeasuredWindow, Table};
use aqmlab_scenario::{Record, Scenario};
use aqmlab_units::{Probability, Span, Time};

/// The interval of the arrival counts.
const ARRIVALS_INTERVAL: Span = Span::from_milliseconds(1);

/// What to do at a sampling instant, beside the samples themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing.
    None,
    /// The measured window begins.
    WindowBegins,
    /// It ends.
    WindowEnds,
}

/// Samples of the monitored links of a run.
#[derive(Clone)]
pub struct Monitor {
    queue_clock: SamplingClock,
    link_clock: SamplingClock,
    arrivals_clock: SamplingClock,
    window: MeasuredWindow,
    begun: bool,
    ended: bool,
    /// In the order of their codes.
    monitored: Vec<Watched>,
    queue: QueueRows,
    link: LinkRows,
    arrivals: ArrivalRows,
    summaries: Option<QueueSummaries>,
    states: Option<SchemeStates>,
    /// By link, at the end of the window.
    starved: Vec<Vec<Starved>>,
}

/// A monitored link with what had left and arrived at the last row.
#[derive(Clone)]
struct Watched {
    /// Its place among the links with a queue.
    position: usize,
    code: u16,
    occupancy: Occupancy,
    sent: Sent,
    transmitting: Span,
    arrived_packets: u64,
    arrived_bytes: u64,
}

#[derive(Clone, Default)]
struct QueueRows {
    time_s: Vec<f64>,
    link: Vec<u16>,
    packets: Vec<u32>,
    mean_packets: Vec<f32>,
    bytes: Vec<u64>,
    signal_probability: Vec<f32>,
}

#[derive(Clone, Default)]
struct LinkRows {
    time_s: Vec<f64>,
    link: Vec<u16>,
    packets: Vec<u64>,
    frame_bytes: Vec<u64>,
    utilization: Vec<f32>,
}

#[derive(Clone, Default)]
struct ArrivalRows {
    time_s: Vec<f64>,
    link: Vec<u16>,
    packets: Vec<u64>,
    bytes: Vec<u64>,
}

impl Monitor {
    /// A monitor of the links at these positions of the slice that [`Monitor::sample`] is handed, in the
    /// order of their codes in the tables.
    #[must_use]
    pub fn new(
        scenario: &Scenario,
        window: MeasuredWindow,
        positions: impl Iterator<Item = usize> + Clone,
    ) -> Self {
        let Record { queue_interval, link_interval, arrivals, queue_summary, scheme_state_interval, .. } =
            scenario.record;
        let watched = positions.clone().zip(0..).map(|(position, code)| Watched {
            position,
            code,
            occupancy: Occupancy::ZERO,
            sent: Sent::default(),
            transmitting: Span::ZERO,
            arrived_packets: 0,
            arrived_bytes: 0,
        });
        Self {
            queue_clock: SamplingClock::every(queue_interval),
            link_clock: SamplingClock::every(link_interval),
            arrivals_clock: if arrivals {
                SamplingClock::every(ARRIVALS_INTERVAL)
            } else {
                SamplingClock::STOPPED
            },
            window,
            begun: false,
            ended: false,
            monitored: watched.collect(),
            queue: QueueRows::default(),
            link: LinkRows::default(),
            arrivals: ArrivalRows::default(),
            summaries: queue_summary.map(|settings| QueueSummaries::new(settings, positions.clone())),
            states: scheme_state_interval.map(|interval| SchemeStates::new(interval, positions)),
            starved: Vec::new(),
        }
    }

    /// The next instant at which something is to be sampled.
    #[must_use]
    pub fn next(&self) -> Time {
        let clocks = self.queue_clock.next.min(self.link_clock.next).min(self.arrivals_clock.next);
        let begins = if self.begun { Time::MAX } else { self.window.from };
        let ends = if self.ended { Time::MAX } else { self.window.until };
        let summaries = self.summaries.as_ref().map_or(Time::MAX, QueueSummaries::next);
        let states = self.states.as_ref().map_or(Time::MAX, SchemeStates::next);
        clocks.min(begins).min(ends).min(summaries).min(states)
    }

    /// The window ends at this instant, which has not come, and not where the scenario had its end.
    pub const fn end_window_at(&mut self, until: Time) {
        self.window.until = until;
    }

    /// Samples what is due at `now`. Samples at the window's edges belong to the time before.
    pub fn sample(&mut self, now: Time, links: &mut [impl MonitoredLink]) -> Boundary {
        if self.queue_clock.strikes(now) {
            self.sample_queues(now, links);
        }
        if self.link_clock.strikes(now) {
            self.sample_links(now, links);
        }
        if self.arrivals_clock.strikes(now) {
            self.sample_arrivals(now, links);
        }
        if let Some(summaries) = &mut self.summaries {
            summaries.sample(now, links);
        }
        if let Some(states) = &mut self.states {
            states.sample(now, links);
        }
        if !self.begun && self.window.from <= now {
            self.begun = true;
            return Boundary::WindowBegins;
        }
        if !self.ended && self.window.until <= now {
            self.ended = true;
            self.starved = self.monitored.iter().map(|own| starved(now, &mut links[own.position])).collect();
            return Boundary::WindowEnds;
        }
        Boundary::None
    }

    fn sample_queues(&mut self, now: Time, links: &mut [impl MonitoredLink]) {
        for watched in &mut self.monitored {
            let link = &mut links[watched.position];
            let queue = link.queue_mut();
            queue.advance(now);
            self.queue.time_s.push(now.seconds());
            self.queue.link.push(watched.code);
            self.queue.packets.push(queue.packets());
            // Samples alias with traffic of a constant period; the mean since the last one does not.
            let occupancy = queue.occupancy(now);
            self.queue.mean_packets.push(occupancy.mean_packets_since(&watched.occupancy) as f32);
            watched.occupancy = occupancy;
            self.queue.bytes.push(queue.bytes());
            let probability = queue.signal_probability().map_or(f64::NAN, Probability::value);
            self.queue.signal_probability.push(probability as f32);
        }
    }

    fn sample_links(&mut self, now: Time, links: &[impl MonitoredLink]) {
        let seconds = self.link_clock.interval().seconds();
        for watched in &mut self.monitored {
            let link = &links[watched.position];
            let sent = link.sent().minus(watched.sent);
            watched.sent = link.sent();
            let transmitting = link.transmitting(now);
            let share = (transmitting - watched.transmitting).seconds() / seconds;
            watched.transmitting = transmitting;
            self.link.time_s.push(now.seconds());
            self.link.link.push(watched.code);
            self.link.packets.push(sent.frames);
            self.link.frame_bytes.push(sent.frame_bytes);
            self.link.utilization.push(share as f32);
        }
    }

    fn sample_arrivals(&mut self, now: Time, links: &[impl MonitoredLink]) {
        for watched in &mut self.monitored {
            let link = &links[watched.position];
            let arrived = link.queue().counters().arrivals().total();
            self.arrivals.time_s.push(now.seconds());
            self.arrivals.link.push(watched.code);
            self.arrivals.packets.push(arrived.packets - watched.arrived_packets);
            self.arrivals.bytes.push(arrived.bytes - watched.arrived_bytes);
            (watched.arrived_packets, watched.arrived_bytes) = (arrived.packets, arrived.bytes);
        }
    }

    /// The classes at a monitored link that were starved, until the end of the measured window.
    #[must_use]
    pub fn starved(&self, code: u16) -> &[Starved] {
        self.starved.get(usize::from(code)).map_or(&[], Vec::as_slice)
    }

    /// Where the controller at a monitored link entered the measured window, if that is not where it stayed.
    #[must_use]
    pub fn unsettled(&self, code: u16) -> Option<Unsettled> {
        let (from, until) = (self.window.from.seconds(), self.window.until.seconds());
        let rows = self.queue.time_s.iter().zip(&self.queue.link).zip(&self.queue.signal_probability);
        let of_link = rows.filter(|((time, link), _)| **link == code && from < **time && **time <= until);
        settling::unsettled(&of_link.map(|(_, &probability)| probability).collect::<Vec<f32>>())
    }

    /// The tables `queue` and `link`, and where they are wanted `arrivals`, `queue_summary` and
    /// `scheme_state`.
    #[must_use]
    pub fn into_tables(self, names: &TableNames) -> Vec<Table> {
        let mut tables = vec![self.queue.into_table(names), self.link.into_table(names)];
        if !self.arrivals.time_s.is_empty() {
            tables.push(self.arrivals.into_table(names));
        }
        tables.extend(self.summaries.map(|summaries| summaries.into_table(names)));
        tables.extend(self.states.map(|states| states.into_table(names)));
        tables
    }
}

impl QueueRows {
    fn into_table(self, names: &TableNames) -> Table {
        Table::new(
            "queue",
            vec![
                ("time_s", ColumnValues::F64(self.time_s)),
                ("link", names.of_links(&self.link)),
                ("packets", ColumnValues::U32(self.packets)),
                ("mean_packets", ColumnValues::F32(self.mean_packets)),
                ("bytes", ColumnValues::U64(self.bytes)),
                ("signal_probability", ColumnValues::F32(self.signal_probability)),
            ],
        )
    }
}

impl LinkRows {
    fn into_table(self, names: &TableNames) -> Table {
        Table::new(
            "link",
            vec![
                ("time_s", ColumnValues::F64(self.time_s)),
                ("link", names.of_links(&self.link)),
                ("packets", ColumnValues::U64(self.packets)),
                ("frame_bytes", ColumnValues::U64(self.frame_bytes)),
                ("utilization", ColumnValues::F32(self.utilization)),
            ],
        )
    }
}

impl ArrivalRows {
    fn into_table(self, names: &TableNames) -> Table {
        Table::new(
            "arrivals",
            vec![
                ("time_s", ColumnValues::F64(self.time_s)),
                ("link", names.of_links(&self.link)),
                ("packets", ColumnValues::U64(self.packets)),
                ("bytes", ColumnValues::U64(self.bytes)),
            ],
        )
    }
}
