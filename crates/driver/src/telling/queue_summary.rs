//! Samples of monitored queues, summed up over intervals: the table `queue_summary`.
//!
//! The monitor of Christiansen, Jeffay, Ott, Smith, *Tuning RED for Web Traffic* (SIGCOMM 2000, section 3.1)
//! samples a queue every 3 ms and logs mean, variance, least and greatest every 100 ms, with what was
//! transmitted and dropped.

use crate::telling::sampling_clock::SamplingClock;
use crate::telling::table_names::TableNames;
use aqmlab_link::MonitoredLink;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::QueueSummary;
use aqmlab_units::Time;

/// Samples and sums of all monitored links.
#[derive(Clone)]
pub(crate) struct QueueSummaries {
    sample_clock: SamplingClock,
    interval_clock: SamplingClock,
    links: Vec<Watched>,
    rows: Rows,
}
#[derive(Clone)]

struct Watched {
    /// Its place among the links with a queue.
    position: usize,
    code: u16,
    samples: Samples,
    sent_packets: u64,
    discarded_packets: u64,
}

/// What has been seen since the last row, one sample at least: they are no further apart than the rows. Sums
/// of whole packets are exact.
#[derive(Clone, Copy, Default)]
struct Samples {
    count: u32,
    sum: u64,
    sum_of_squares: u64,
    minimum: u32,
    maximum: u32,
}

impl Samples {
    fn add(&mut self, packets: u32) {
        self.minimum = if self.count == 0 { packets } else { self.minimum.min(packets) };
        self.maximum = self.maximum.max(packets);
        self.count += 1;
        self.sum += u64::from(packets);
        self.sum_of_squares += u64::from(packets) * u64::from(packets);
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / f64::from(self.count)
    }

    /// Of the samples themselves: divided by their number, not by one less.
    fn variance(&self) -> f64 {
        let count = u64::from(self.count);
        // Exact until the division; never negative (Cauchy-Schwarz).
        (count * self.sum_of_squares - self.sum * self.sum) as f64 / (count * count) as f64
    }
}

#[derive(Clone, Default)]
struct Rows {
    time_s: Vec<f64>,
    link: Vec<u16>,
    samples: Vec<u32>,
    mean_packets: Vec<f32>,
    variance_packets2: Vec<f32>,
    minimum_packets: Vec<u32>,
    maximum_packets: Vec<u32>,
    sent_packets: Vec<u64>,
    discarded_packets: Vec<u64>,
}

impl QueueSummaries {
    pub(crate) fn new(settings: QueueSummary, positions: impl Iterator<Item = usize>) -> Self {
        let watched = positions.zip(0..).map(|(position, code)| Watched {
            position,
            code,
            samples: Samples::default(),
            sent_packets: 0,
            discarded_packets: 0,
        });
        Self {
            sample_clock: SamplingClock::every(settings.sample),
            interval_clock: SamplingClock::every(settings.interval),
            links: watched.collect(),
            rows: Rows::default(),
        }
    }

    /// The next instant at which something is to be done.
    pub(crate) fn next(&self) -> Time {
        self.sample_clock.next.min(self.interval_clock.next)
    }

    /// Does what is due at `now`. A sample at the end of an interval belongs to it.
    pub(crate) fn sample(&mut self, now: Time, links: &mut [impl MonitoredLink]) {
        if self.sample_clock.strikes(now) {
            for watched in &mut self.links {
                let link = &mut links[watched.position];
                let queue = link.queue_mut();
                queue.advance(now);
                watched.samples.add(queue.packets());
            }
        }
        if self.interval_clock.strikes(now) {
            self.end_interval(now, links);
        }
    }

    fn end_interval(&mut self, now: Time, links: &[impl MonitoredLink]) {
        let rows = &mut self.rows;
        for watched in &mut self.links {
            let link = &links[watched.position];
            let (sent, discarded) =
                (link.sent().frames, link.queue().counters().all_discards().total().packets);
            let samples = std::mem::take(&mut watched.samples);
            rows.time_s.push(now.seconds());
            rows.link.push(watched.code);
            rows.samples.push(samples.count);
            rows.mean_packets.push(samples.mean() as f32);
            rows.variance_packets2.push(samples.variance() as f32);
            rows.minimum_packets.push(samples.minimum);
            rows.maximum_packets.push(samples.maximum);
            rows.sent_packets.push(sent - watched.sent_packets);
            rows.discarded_packets.push(discarded - watched.discarded_packets);
            (watched.sent_packets, watched.discarded_packets) = (sent, discarded);
        }
    }

    pub(crate) fn into_table(self, names: &TableNames) -> Table {
        let rows = self.rows;
        Table::new(
            "queue_summary",
            vec![
                ("time_s", ColumnValues::F64(rows.time_s)),
                ("link", names.of_links(&rows.link)),
                ("samples", ColumnValues::U32(rows.samples)),
                ("mean_packets", ColumnValues::F32(rows.mean_packets)),
                ("variance_packets2", ColumnValues::F32(rows.variance_packets2)),
                ("minimum_packets", ColumnValues::U32(rows.minimum_packets)),
                ("maximum_packets", ColumnValues::U32(rows.maximum_packets)),
                ("sent_packets", ColumnValues::U64(rows.sent_packets)),
                ("discarded_packets", ColumnValues::U64(rows.discarded_packets)),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_of_a_few_samples() {
        let mut samples = Samples::default();
        for packets in [2, 4, 4, 4, 5, 5, 7, 9] {
            samples.add(packets);
        }
        // The usual example: mean 5, standard deviation 2.
        assert_eq!((samples.mean(), samples.variance()), (5.0, 4.0));
        assert_eq!((samples.minimum, samples.maximum, samples.count), (2, 9, 8));
    }

    #[test]
    fn equal_samples_have_no_variance() {
        let mut samples = Samples::default();
        (0..33).for_each(|_| samples.add(480));
        assert_eq!((samples.mean(), samples.variance()), (480.0, 0.0));
    }
}
