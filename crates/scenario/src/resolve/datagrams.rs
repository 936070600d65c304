//! Sources of datagrams.

use super::quantity::{megabits_per_second, seconds};
use super::traffic::{check_start, check_stop, ends};
use crate::document::{DatagramsTable, Document};
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use crate::scenario::{DatagramGroup, OnOff};
use std::collections::BTreeSet;

/// Every group of datagrams. Their names address their random numbers, so that these differ.
pub(super) fn resolve(
    document: &Document,
    network: &Network,
    mistakes: &mut Mistakes<'_>,
) -> Vec<DatagramGroup> {
    let mut names = BTreeSet::new();
    let groups = document.datagrams.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("datagrams.{index}");
        let name = table.name.clone().unwrap_or_default();
        if !names.insert(name.clone()) {
            let wrong = format!("a second group of datagrams named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        check_start(document, &path, (table.start_s, table.start_spread_s), mistakes);
        check_stop(&path, (table.start_s, table.start_spread_s), table.stop_s, mistakes);
        let on_off = on_off(table, &path, mistakes);
        let asked = (table.direction, table.senders.as_deref(), table.receivers.as_deref());
        Some(DatagramGroup {
            name,
            sources: ends(document, network, &path, asked, mistakes)?.in_turn(table.count),
            packet_bytes: table.packet_bytes,
            rate: megabits_per_second(table.rate_mbps),
            on_off,
            start: seconds(table.start_s),
            start_spread: seconds(table.start_spread_s),
            stop: table.stop_s.map(seconds),
            ecn: table.ecn,
            dscp: table.dscp,
        })
    });
    groups.collect()
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
