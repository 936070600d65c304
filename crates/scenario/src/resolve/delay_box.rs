//! `delay_box` of users, populations and flows.

use crate::document::DelayBoxTable;
use crate::mistakes::{Mistakes, joined};
use crate::scenario::DelayBox;

/// The box of a table at `path`, if it has one.
pub(super) fn resolve(
    table: Option<DelayBoxTable>,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<DelayBox> {
    let table = table?;
    let path = joined(path, "delay_box");
    if table == DelayBoxTable::default() {
        let wrong = "a box without a rate and without losses";
        mistakes.value(&path, wrong, "rate_mbps, loss_probability or both, or no delay_box");
    }
    let rate_mbps = table.rate_mbps.map(|rate| rate.range());
    let loss_probability = table.loss_probability.map_or([0.0; 2], |loss| loss.range());
    for (key, [low, high]) in rate_mbps
        .map(|range| ("rate_mbps", range))
        .into_iter()
        .chain([("loss_probability", loss_probability)])
    {
        if low > high {
            let wrong = format!("low = {low} is above high = {high}");
            mistakes.value(&joined(&path, &format!("{key}.low")), wrong, format!("at most {high}"));
        }
    }
    Some(DelayBox { rate_mbps, loss_probability })
}
