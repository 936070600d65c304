//! What a file of conditions says of one link, checked against what stands beside it.

use super::quantity::milliseconds;
use crate::document::{ConditionsEnd, ConditionsWay, mean_ms};
use crate::mistakes::Mistakes;
use crate::network::{Impairment, Link};
use crate::recognised::{FileKind, mistaken};
use aqmlab_link::{Conditions, ConditionsError, DelayModel, Netem, ServiceModel, Steps, Way, mean_rate};
use aqmlab_units::Span;
use std::collections::BTreeMap;

/// What a file must hold.
const LEGAL: &str = "comma-separated values: a line of the columns t_s and one or more of down_mbps, up_mbps, \
                     rtt_ms, loss_percent, and rows whose t_s begins at 0 and ascends";
/// How far a number beside the file may be from its mean, as a share of it: it is written by hand.
const LARGEST_DEVIATION: f64 = 0.01;

/// What varies over time on a link by its file; nothing where it has none.
#[derive(Clone, Default)]
pub(super) struct OverTime {
    pub(super) rates: Option<Steps<u64>>,
    delays: Option<Steps<Span>>,
    losses: Option<Steps<f64>>,
}

/// A link's file of conditions, and what stands beside it, each behind its key.
pub(super) struct Given<'a> {
    pub(super) file: (&'a str, Option<&'a String>),
    pub(super) way: ConditionsWay,
    pub(super) end: ConditionsEnd,
    pub(super) rate_mbps: (&'a str, f64),
    pub(super) delay_ms: (&'a str, f64),
    pub(super) loss_probability: (&'a str, f64),
    /// A key that says when the link sends, where there is one.
    pub(super) sends_by: Option<&'a str>,
}

impl OverTime {
    /// What the file says, which is told if it contradicts what stands beside it.
    pub(super) fn of(
        given: &Given<'_>,
        files: &BTreeMap<String, String>,
        mistakes: &mut Mistakes<'_>,
    ) -> Self {
        let (key, Some(name)) = given.file else { return Self::default() };
        // A file that could not be read is a mistake already.
        let Some(text) = files.get(name) else { return Self::default() };
        let conditions = match Conditions::parse(text) {
            Ok(conditions) => conditions,
            Err(error) => {
                refuse(key, name, text, &error, mistakes);
                return Self::default();
            }
        };
        let way = if given.way == ConditionsWay::Up { Way::Up } else { Way::Down };
        let repeats = given.end.is_repeat();
        let over_time = Self {
            rates: conditions.rates(way, repeats),
            delays: conditions.delays(repeats),
            losses: conditions.losses(repeats),
        };
        over_time.check(given, name, mistakes);
        over_time
    }

    fn check(&self, given: &Given<'_>, name: &str, mistakes: &mut Mistakes<'_>) {
        if let Some(rates) = &self.rates {
            check_rates(rates, given, name, mistakes);
        }
        if let Some(delays) = &self.delays {
            check_mean(given.delay_ms, mean_ms(delays), ("half of the mean round trip", name), mistakes);
        }
        let (key, probability) = given.loss_probability;
        if self.losses.is_some() && probability > 0.0 {
            let wrong = format!("given together with \"{name}\", which has losses");
            mistakes.value(key, wrong, "one of the two");
        }
    }

    /// The link with what varies on it; what netem does to its packets comes with it.
    pub(super) fn on(self, link: Link, netem: Option<Netem>) -> Link {
        Link {
            service: self.rates.map_or(link.service, ServiceModel::Steps),
            delay_model: DelayModel::new(link.delay, self.delays, netem),
            impairment: Impairment::with(link.impairment, self.losses, netem),
            ..link
        }
    }
}

fn check_rates(rates: &Steps<u64>, given: &Given<'_>, name: &str, mistakes: &mut Mistakes<'_>) {
    let file_key = given.file.0;
    if let Some(key) = given.sends_by {
        let own = key.rsplit('.').next().unwrap_or(key);
        let wrong = format!("given together with \"{name}\", which has rates");
        mistakes.value(key, wrong, format!("{own}, or a file without that column"));
    }
    let Some(mean) = mean_rate(rates) else {
        mistakes.value(file_key, format!("\"{name}\": nothing ever passes: every rate is 0"), LEGAL);
        return;
    };
    if !rates.repeats() && rates.values().last() == Some(&0) {
        let wrong = format!("\"{name}\": nothing passes from the last row on, whose rate is 0");
        mistakes.value(file_key, wrong, "a last row with a rate above 0, or conditions_end = \"repeat\"");
    }
    check_mean(given.rate_mbps, mean.bits_per_second() as f64 / 1e6, ("the mean rate", name), mistakes);
}

/// A number beside the file is the file's mean.
fn check_mean((key, given): (&str, f64), mean: f64, (what, name): (&str, &str), mistakes: &mut Mistakes<'_>) {
    if (given - mean).abs() > LARGEST_DEVIATION * mean {
        mistakes.value(
            key,
            format!("{given} is not {what} of \"{name}\""),
            format!("{mean:.6}, to one hundredth of it"),
        );
    }
}

fn refuse(key: &str, name: &str, text: &str, error: &ConditionsError, mistakes: &mut Mistakes<'_>) {
    let other = mistaken(name, text.as_bytes(), Some(FileKind::Rates));
    let ConditionsError { line, column, reason } = error;
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let column = column.as_ref().map(|column| format!(", column {column}")).unwrap_or_default();
    let wrong =
        other.map_or(format!("\"{name}\"{line}{column}: {reason}"), |what| format!("\"{name}\" is {what}"));
    mistakes.value(key, wrong, LEGAL);
}

/// Packets that are not delayed overtake others only where those are.
pub(super) fn check_netem(netem: Option<&Netem>, key: &str, delay_ms: f64, mistakes: &mut Mistakes<'_>) {
    let Some(netem) = netem else { return };
    let delayed = milliseconds(delay_ms) > Span::ZERO || netem.jitter_ms > 0.0;
    if netem.reorder_probability > 0.0 && !delayed {
        let wrong = "no packet is delayed on this link, so that none overtakes another";
        mistakes.value(&format!("{key}.reorder_probability"), wrong, "together with a delay of the link");
    }
    for (own, other, value, needed) in [
        ("jitter_correlation", "jitter_ms", netem.jitter_correlation, netem.jitter_ms),
        ("jitter_interval_ms", "jitter_ms", netem.jitter_interval_ms, netem.jitter_ms),
        ("reorder_correlation", "reorder_probability", netem.reorder_correlation, netem.reorder_probability),
        (
            "duplicate_correlation",
            "duplicate_probability",
            netem.duplicate_correlation,
            netem.duplicate_probability,
        ),
    ] {
        if value > 0.0 && needed == 0.0 {
            mistakes.value(
                &format!("{key}.{own}"),
                format!("there is no {other}"),
                format!("together with {other}"),
            );
        }
    }
}
