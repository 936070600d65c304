//! Laws of the frames that applications record: captured at their rate, within the limits, and shown in
//! order.

use super::Broken;
use super::columns::named;
use aqmlab_record::Table;
use aqmlab_scenario::Scenario;

pub(super) fn check(table: &Table, scenario: &Scenario, broken: &mut Broken) {
    let [source, number, captured, target, shown] =
        ["source", "frame", "captured_s", "target_mbps", "shown_s"].map(|name| named(table, name));
    let group = named(table, "group");
    let end = scenario.duration.seconds();
    let mut last_shown = 0.0;
    for row in 0..table.rows() {
        let is_first = number[row] == 0.0;
        let follows = row > 0
            && (group[row - 1], source[row - 1], number[row - 1])
                == (group[row], source[row], number[row] - 1.0);
        broken
            .unless(is_first || follows, || format!("video_call_frames: frame {} out of place", number[row]));
        let Some(frames) = scenario.datagrams[group[row] as usize].frames() else {
            broken.unless(false, || "video_call_frames: a group that records none".to_owned());
            continue;
        };
        if follows {
            let late = captured[row] - captured[row - 1] - 1.0 / frames.hz;
            broken.unless(late.abs() < 1e-6, || format!("video_call_frames: a frame {late} s off"));
        }
        let [least, greatest] = frames.rates_bps.map(|bps| bps / 1e6);
        let within = (least * (1.0 - 1e-9)..=greatest * (1.0 + 1e-9)).contains(&target[row]);
        broken
            .unless(within, || format!("video_call_frames: {} Mbit/s of {least} to {greatest}", target[row]));
        if is_first {
            last_shown = 0.0;
        }
        if !shown[row].is_nan() {
            let in_order = shown[row] >= last_shown && shown[row] >= captured[row] && shown[row] <= end;
            broken.unless(in_order, || {
                format!("video_call_frames: shown at {} after {last_shown}", shown[row])
            });
            last_shown = shown[row];
        }
    }
}
