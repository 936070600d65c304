//! What happened in each queue of a port with several, in the measured window: the table `queues`.

use crate::telling::table_names::TableNames;
use aqmlab_aqm::{QueueCounters, Reason, Tally};
use aqmlab_link::LinkSnapshot;
use aqmlab_record::{ColumnValues, Table};

/// One queue that packets came to or went from.
#[derive(Clone)]
struct Row {
    link: u16,
    queue: u32,
    counts: QueueCounters,
}

/// The reasons for which a queue discards: what guards refuse and what is lost on the way to a port never
/// comes to one.
const REASONS: [(Reason, &str); 4] = [
    (Reason::Overflow, "overflow_packets"),
    (Reason::Early, "early_packets"),
    (Reason::Forced, "forced_packets"),
    (Reason::Match, "match_packets"),
];

/// The table, where a monitored port has several queues. Of these, those stand in it that saw a packet.
#[must_use]
pub fn table(begin: &[LinkSnapshot], end: &[LinkSnapshot], names: &TableNames) -> Option<Table> {
    end.iter().any(|link| link.queues.is_some()).then(|| table_of(&rows(begin, end), names))
}

fn rows(begin: &[LinkSnapshot], end: &[LinkSnapshot]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (link, (begin, end)) in (0..).zip(begin.iter().zip(end)) {
        // What has seen a packet at the beginning has at the end.
        let mut begin = begin.queues.iter().flatten().peekable();
        for (queue, end) in end.queues.iter().flatten() {
            let before = begin.next_if(|(number, _)| number == queue).map(|(_, counters)| *counters);
            let (queue, counts) = (*queue, end.minus(&before.unwrap_or_default()));
            if counts != QueueCounters::default() {
                rows.push(Row { link, queue, counts });
            }
        }
    }
    rows
}

fn table_of(rows: &[Row], names: &TableNames) -> Table {
    let links: Vec<u16> = rows.iter().map(|row| row.link).collect();
    let count = |of: &dyn Fn(&QueueCounters) -> u64| {
        ColumnValues::U64(rows.iter().map(|row| of(&row.counts)).collect())
    };
    let packets = |of: &dyn Fn(&QueueCounters) -> Tally| count(&|counts| of(counts).packets);
    let bytes = |of: &dyn Fn(&QueueCounters) -> Tally| count(&|counts| of(counts).bytes);
    let mut columns = vec![
        ("link", names.of_links(&links)),
        ("queue", ColumnValues::U32(rows.iter().map(|row| row.queue).collect())),
        ("arrived_packets", packets(&|counts| counts.arrivals)),
        ("arrived_bytes", bytes(&|counts| counts.arrivals)),
        ("sent_packets", packets(&|counts| counts.departures)),
        ("sent_bytes", bytes(&|counts| counts.departures)),
        ("marked_packets", packets(&|counts| counts.marks)),
        ("discarded_packets", packets(&QueueCounters::all_discards)),
    ];
    columns.extend(REASONS.map(|(reason, name)| (name, packets(&|counts| counts.discards(reason)))));
    Table::new("queues", columns)
}
