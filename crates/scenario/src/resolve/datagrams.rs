//! Sources of datagrams.

use super::quantity::{megabits_per_second, seconds};
use super::traffic::{Starts, check_start, check_stop, ends};
use crate::document::{AdaptiveVideoTable, DatagramsTable, Document, VideoTable};
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use crate::scenario::{AdaptiveVideo, DatagramGroup, OnOff, Sending, Video};
use aqmlab_units::Span;
use std::collections::BTreeSet;

/// Every group of datagrams, then what is sent back, of each group that is. Their names address their random
/// numbers, so that these differ.
pub(super) fn resolve(
    document: &Document,
    network: &Network,
    mistakes: &mut Mistakes<'_>,
) -> Vec<DatagramGroup> {
    let mut names = BTreeSet::new();
    let mut answered = Vec::new();
    let groups = document.datagrams.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("datagrams.{index}");
        let name = table.name.clone().unwrap_or_default();
        if !names.insert(name.clone()) {
            let wrong = format!("a second group of datagrams named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        if let Some(answer) = Answer::to(table) {
            answered.push((index, answer));
        }
        let starts = Starts { start_s: table.start_s, start_spread_s: table.start_spread_s };
        check_start(document, &path, starts, mistakes);
        check_stop(&path, starts, table.stop_s, mistakes);
        let sending = sending(table, &path, mistakes);
        let asked = (table.direction, table.senders.as_deref(), table.receivers.as_deref());
        Some(DatagramGroup {
            name,
            sources: ends(document, network, &path, asked, mistakes)?.in_turn(table.count),
            packet_bytes: table.packet_bytes,
            sending: sending?,
            start: seconds(table.start_s),
            start_spread: seconds(table.start_spread_s),
            stop: table.stop_s.map(seconds),
            ecn: table.ecn,
            dscp: table.dscp,
            answers: None,
        })
    });
    let mut groups: Vec<DatagramGroup> = groups.collect();
    // Places are those of the document where every group was resolved; else there are mistakes already.
    if groups.len() == document.datagrams.len() {
        for (place, answer) in answered {
            let answers = answer.group(&groups[place], place);
            if !names.insert(answers.name.clone()) {
                let wrong =
                    format!("what is sent back would be named \"{}\", as another group", answers.name);
                mistakes.value(&joined(&format!("datagrams.{place}"), answer.key()), wrong, "another name");
            }
            groups.push(answers);
        }
    }
    groups
}

/// What the receivers of a group send.
enum Answer {
    /// Every datagram, back.
    Echo,
    /// Reports of what has arrived, at this interval.
    Feedback(Span),
}

impl Answer {
    fn to(table: &DatagramsTable) -> Option<Self> {
        let of_call =
            |video: &AdaptiveVideoTable| Self::Feedback(Span::from_seconds(video.feedback_ms / 1e3));
        table.adaptive_video.as_ref().map(of_call).or_else(|| table.echo.then_some(Self::Echo))
    }

    /// The key that asks for it.
    const fn key(&self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Feedback(_) => "adaptive_video",
        }
    }

    /// Those who answer a group.
    fn group(&self, group: &DatagramGroup, place: usize) -> DatagramGroup {
        let (name, sending) = match self {
            Self::Echo => ("echo", group.sending.clone()),
            &Self::Feedback(interval) => ("feedback", Sending::Feedback(interval)),
        };
        DatagramGroup {
            name: format!("{}-{name}", group.name),
            sources: group.sources.iter().map(|&[from, to]| [to, from]).collect(),
            sending,
            answers: Some(place),
            ..group.clone()
        }
    }
}

/// At a rate, as a video, or as a call that adapts: one of them.
fn sending(table: &DatagramsTable, path: &str, mistakes: &mut Mistakes<'_>) -> Option<Sending> {
    match (table.rate_mbps, &table.video, &table.adaptive_video) {
        (Some(rate), None, None) => {
            let on_off = on_off(table, path, mistakes);
            Some(Sending::AtRate { rate: megabits_per_second(rate), on_off })
        }
        (None, Some(video), None) => video_of(table, video, path, mistakes),
        (None, None, Some(video)) => adaptive_video_of(table, video, path, mistakes),
        (None, None, None) => {
            mistakes.missing_key(path, "rate_mbps", "a rate, or a video or an adaptive_video instead");
            None
        }
        (Some(_), _, None) => {
            let wrong = "given together with video, whose frames define the rate";
            mistakes.value(&joined(path, "rate_mbps"), wrong, "rate_mbps or video");
            None
        }
        (_, _, Some(_)) => {
            let wrong = "given together with rate_mbps or video";
            mistakes.value(
                &joined(path, "adaptive_video"),
                wrong,
                "one of rate_mbps, video and adaptive_video",
            );
            None
        }
    }
}

/// Periods interrupt no video.
fn refuse_periods(table: &DatagramsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let periods = [("on_s", table.on_s.is_some()), ("off_s", table.off_s.is_some())];
    for (key, _) in periods.into_iter().chain([("periods", table.periods.is_some())]).filter(|(_, is)| *is) {
        mistakes.value(&joined(path, key), "a video sends all the time", "on_s and off_s with rate_mbps");
    }
}

/// Whether packets have room for more than so many bytes of headers.
fn has_room(table: &DatagramsTable, header_bytes: u16, path: &str, mistakes: &mut Mistakes<'_>) -> bool {
    let has_room = table.packet_bytes > header_bytes;
    if !has_room {
        let wrong = format!("{} leaves no room for a frame after the headers", table.packet_bytes);
        let legal = format!("{} to 65535 with such frames", header_bytes + 1);
        mistakes.value(&joined(path, "packet_bytes"), wrong, legal);
    }
    has_room
}

/// A call with rates in their order, whose packets have room for frames.
fn adaptive_video_of(
    table: &DatagramsTable,
    video: &AdaptiveVideoTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<Sending> {
    refuse_periods(table, path, mistakes);
    if table.echo {
        let wrong = "given together with adaptive_video, whose receiver reports of what arrives";
        mistakes.value(&joined(path, "echo"), wrong, "echo with rate_mbps or video");
    }
    let [least, greatest] = [video.minimum_mbps, video.maximum_mbps];
    if least > greatest {
        let wrong = format!("{least} is more than maximum_mbps, {greatest}");
        mistakes.value(&joined(path, "adaptive_video.minimum_mbps"), wrong, "at most maximum_mbps");
    }
    let start = video.start_mbps.unwrap_or(greatest);
    if least <= greatest && !(least..=greatest).contains(&start) {
        let legal = format!("minimum_mbps to maximum_mbps, {least} to {greatest}");
        mistakes.value(&joined(path, "adaptive_video.start_mbps"), start.to_string(), legal);
    }
    check_frames(table, video, path, mistakes);
    has_room(table, DatagramGroup::CALL_HEADER_BYTES, path, mistakes).then(|| {
        Sending::AdaptiveVideo(AdaptiveVideo {
            frame_interval_s: 1.0 / video.frames_hz,
            rates: [least, greatest].map(megabits_per_second),
            start_rate: megabits_per_second(start),
            edition: video.edition,
            variation: video.variation,
        })
    })
}

/// A frame has a packet at least, at the least rate too, and no more than can be numbered at the greatest.
fn check_frames(table: &DatagramsTable, video: &AdaptiveVideoTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let mbps = |frame_bytes: f64| frame_bytes * 8.0 * video.frames_hz / 1e6;
    let least = mbps(f64::from(DatagramGroup::CALL_HEADER_BYTES) + 1.0);
    if video.minimum_mbps < least {
        let wrong = format!(
            "{} leaves no packet for each of {} frames a second",
            video.minimum_mbps, video.frames_hz
        );
        mistakes.value(&joined(path, "adaptive_video.minimum_mbps"), wrong, format!("at least {least}"));
    }
    let greatest = mbps(f64::from(u16::MAX) * f64::from(table.packet_bytes));
    if video.maximum_mbps > greatest {
        let wrong = format!("{} makes frames of more than 65535 packets", video.maximum_mbps);
        mistakes.value(&joined(path, "adaptive_video.maximum_mbps"), wrong, format!("at most {greatest}"));
    }
}

/// Frames that packets have room for, and that nothing interrupts.
fn video_of(
    table: &DatagramsTable,
    video: &VideoTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<Sending> {
    refuse_periods(table, path, mistakes);
    if !has_room(table, DatagramGroup::HEADER_BYTES, path, mistakes) {
        return None;
    }
    let bytes = |kind: char| match kind {
        'I' => Some(video.i_frame_bytes),
        'P' => Some(video.p_frame_bytes),
        'B' => Some(video.b_frame_bytes),
        _ => None,
    };
    let Some(frame_bytes) = video.pattern.chars().map(bytes).collect::<Option<Vec<u32>>>() else {
        let wrong = format!("\"{}\" has a frame that is none of these", video.pattern);
        mistakes.value(&joined(path, "video.pattern"), wrong, "frames I, P and B, such as \"IBBPBBPBB\"");
        return None;
    };
    Some(Sending::Video(Video {
        frame_interval_s: 1.0 / video.frames_hz,
        frame_bytes,
        variation: video.variation,
        spacing: video.spacing,
    }))
}

/// Both periods or none.
fn on_off(table: &DatagramsTable, path: &str, mistakes: &mut Mistakes<'_>) -> Option<OnOff> {
    match (table.on_s, table.off_s, table.periods) {
        (Some(on), Some(off), law) => {
            Some(OnOff { on: seconds(on), off: seconds(off), law: law.unwrap_or_default() })
        }
        (None, None, None) => None,
        (None, None, Some(_)) => {
            let wrong = "a source without on_s and off_s always sends";
            mistakes.value(&joined(path, "periods"), wrong, "periods together with on_s and off_s");
            None
        }
        (on, _, _) => {
            let (given, missing) = if on.is_some() { ("on_s", "off_s") } else { ("off_s", "on_s") };
            let wrong = format!("given without {missing}");
            mistakes.value(&joined(path, given), wrong, "on_s together with off_s, or neither");
            None
        }
    }
}
