//! Sources of datagrams.

use super::quantity::{megabits_per_second, seconds};
use super::traffic::{Starts, check_start, check_stop, ends};
use crate::document::{DatagramsTable, Document, VideoTable};
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use crate::scenario::{DatagramGroup, OnOff, Sending, Video};
use std::collections::BTreeSet;

/// Every group of datagrams, then what is sent back, of each group that is. Their names address their random
/// numbers, so that these differ.
pub(super) fn resolve(
    document: &Document,
    network: &Network,
    mistakes: &mut Mistakes<'_>,
) -> Vec<DatagramGroup> {
    let mut names = BTreeSet::new();
    let mut echoed = Vec::new();
    let groups = document.datagrams.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("datagrams.{index}");
        let name = table.name.clone().unwrap_or_default();
        if !names.insert(name.clone()) {
            let wrong = format!("a second group of datagrams named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        if table.echo {
            echoed.push(index);
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
            echo_of: None,
        })
    });
    let mut groups: Vec<DatagramGroup> = groups.collect();
    // Places are those of the document where every group was resolved; else there are mistakes already.
    if groups.len() == document.datagrams.len() {
        for place in echoed {
            let echo = echo(&groups[place], place);
            if !names.insert(echo.name.clone()) {
                let wrong = format!("what is sent back would be named \"{}\", as another group", echo.name);
                mistakes.value(&joined(&format!("datagrams.{place}"), "echo"), wrong, "another name");
            }
            groups.push(echo);
        }
    }
    groups
}

/// What the receivers of a group send back.
fn echo(group: &DatagramGroup, place: usize) -> DatagramGroup {
    DatagramGroup {
        name: format!("{}-echo", group.name),
        sources: group.sources.iter().map(|&[from, to]| [to, from]).collect(),
        echo_of: Some(place),
        ..group.clone()
    }
}

/// At a rate, or as a video: one of them.
fn sending(table: &DatagramsTable, path: &str, mistakes: &mut Mistakes<'_>) -> Option<Sending> {
    match (table.rate_mbps, &table.video) {
        (Some(rate), None) => {
            let on_off = on_off(table, path, mistakes);
            Some(Sending::AtRate { rate: megabits_per_second(rate), on_off })
        }
        (None, Some(video)) => video_of(table, video, path, mistakes),
        (None, None) => {
            mistakes.missing_key(path, "rate_mbps", "a rate, or a video instead");
            None
        }
        (Some(_), Some(_)) => {
            let wrong = "given together with video, whose frames define the rate";
            mistakes.value(&joined(path, "rate_mbps"), wrong, "rate_mbps or video");
            None
        }
    }
}

/// Frames that packets have room for, and that nothing interrupts.
fn video_of(
    table: &DatagramsTable,
    video: &VideoTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<Sending> {
    let periods = [("on_s", table.on_s.is_some()), ("off_s", table.off_s.is_some())];
    for (key, _) in periods.into_iter().chain([("periods", table.periods.is_some())]).filter(|(_, is)| *is) {
        mistakes.value(&joined(path, key), "a video sends all the time", "on_s and off_s with rate_mbps");
    }
    if table.packet_bytes <= DatagramGroup::HEADER_BYTES {
        let wrong = format!("{} leaves no room for a frame after the headers", table.packet_bytes);
        mistakes.value(&joined(path, "packet_bytes"), wrong, "29 to 65535 with video");
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
