//! How many recorded conversations are identical, by groups.

use super::recording::{Recording, Replay};
use std::fmt;

/// A row of the table, and who belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// The recordings of one kind: of a sender by congestion control, with or without timestamps; of a
    /// receiver.
    Group(&'static str),
    SendersWithLosses,
    /// ... whose receiver delays acknowledgements, and at most [`FEW_LOSSES`] of the segments were lost.
    DelayedAcknowledgementsFewLosses,
    SendersWithoutLosses,
}

/// Share of the segments that is lost at most where losses are few.
const FEW_LOSSES: f64 = 0.06;

const ROWS: [Row; 8] = [
    Row::Group("cubic"),
    Row::Group("cubic-timestamps"),
    Row::Group("reno"),
    Row::Group("reno-timestamps"),
    Row::Group("receiver"),
    Row::SendersWithLosses,
    Row::DelayedAcknowledgementsFewLosses,
    Row::SendersWithoutLosses,
];

impl Row {
    fn holds(self, recording: &Recording<'_>) -> bool {
        let (sender, losses) = (recording.kernel_sends(), recording.has_losses());
        match self {
            Self::Group(name) => recording.group == name,
            Self::SendersWithLosses => sender && losses,
            Self::DelayedAcknowledgementsFewLosses => {
                let lost = recording.about("lost") / recording.about("segments").max(1.0);
                sender && losses && recording.about("acknowledges_every") > 1.0 && lost <= FEW_LOSSES
            }
            Self::SendersWithoutLosses => sender && !losses,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Group(name) => name,
            Self::SendersWithLosses => "senders, with losses",
            Self::DelayedAcknowledgementsFewLosses => "  ACKs delayed, <= 6 % lost",
            Self::SendersWithoutLosses => "senders, without losses",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) conversations: u32,
    pub(crate) identical: u32,
}

impl Count {
    /// Conversations that are identical, in percent.
    pub(crate) fn percent(self) -> f64 {
        100.0 * f64::from(self.identical) / f64::from(self.conversations.max(1))
    }
}

pub(crate) struct Table {
    counts: [Count; ROWS.len()],
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { counts: [Count::default(); ROWS.len()] }
    }

    pub(crate) fn add(&mut self, recording: &Recording<'_>, replay: &Replay) {
        for (row, count) in ROWS.iter().zip(&mut self.counts) {
            if row.holds(recording) {
                count.conversations += 1;
                count.identical += u32::from(replay.verdict.is_identical());
            }
        }
    }

    pub(crate) fn count(&self, row: Row) -> Count {
        let place = ROWS.iter().position(|other| *other == row).expect("a row of the table");
        self.counts[place]
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:30} {:>13} {:>10}", "group", "conversations", "identical")?;
        for (row, count) in ROWS.iter().zip(self.counts).filter(|(_, count)| count.conversations > 0) {
            let (all, identical, percent) = (count.conversations, count.identical, count.percent());
            writeln!(f, "{:30} {all:>13} {identical:>10}  {percent:5.1} %", row.name())?;
        }
        Ok(())
    }
}
