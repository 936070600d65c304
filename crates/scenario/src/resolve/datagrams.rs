//! Sources of datagrams.

use super::quantity::seconds;
use super::traffic::{Starts, check_start, check_stop, ends};
use crate::document::{DatagramsTable, Document};
use crate::legal::either;
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use crate::scenario::{DatagramGroup, Role};
use aqmlab_applications::{Answers, ApplicationModel, Mistake};
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
        let starts = Starts { start_s: table.start_s, start_spread_s: table.start_spread_s };
        check_start(document, &path, starts, mistakes);
        check_stop(&path, starts, table.stop_s, mistakes);
        let application = application(table, &path, mistakes);
        let asked = (table.direction, table.senders.as_deref(), table.receivers.as_deref());
        let ends = ends(document, network, &path, asked, table.device.as_deref(), mistakes)?;
        let application = application?;
        answered.extend(Answer::to(table, &application).map(|answer| (index, answer)));
        Some(DatagramGroup {
            name,
            sources: ends.in_turn(table.count),
            packet_bytes: table.packet_bytes,
            sends: application.facts(table.packet_bytes).sender,
            application,
            role: Role::Sender,
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
                let key = joined(&format!("datagrams.{place}"), answer.key(&groups[place]));
                mistakes.value(&key, wrong, "another name");
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
    /// Packets of their own, as the application says.
    Own(Answers),
}

impl Answer {
    fn to(table: &DatagramsTable, application: &ApplicationModel) -> Option<Self> {
        let own = application.facts(table.packet_bytes).receiver;
        own.map(Self::Own).or_else(|| table.echo.then_some(Self::Echo))
    }

    /// The key that asks for it.
    const fn key(&self, group: &DatagramGroup) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Own(_) => group.application.key(),
        }
    }

    /// Those who answer a group.
    fn group(&self, group: &DatagramGroup, place: usize) -> DatagramGroup {
        let answering = DatagramGroup {
            sources: group.sources.iter().map(|&[from, to]| [to, from]).collect(),
            answers: Some(place),
            ..group.clone()
        };
        match self {
            Self::Echo => {
                DatagramGroup { name: format!("{}-echo", group.name), role: Role::Echo, ..answering }
            }
            Self::Own(own) => DatagramGroup {
                name: format!("{}-{}", group.name, own.name),
                role: Role::Receiver(own.interval),
                packet_bytes: own.packet_bytes,
                sends: own.sends,
                stop: group.stop.filter(|_| own.stops_with_sender),
                ..answering
            },
        }
    }
}

/// The one application that a group names, if it is legal there.
fn application(table: &DatagramsTable, path: &str, mistakes: &mut Mistakes<'_>) -> Option<ApplicationModel> {
    let mut named = table.application_models();
    let Some(model) = named.pop() else {
        let legal = format!("a rate, or the table {} instead", either(&ApplicationModel::KEYS[1..]));
        mistakes.missing_key(path, "rate_mbps", &legal);
        return None;
    };
    if !named.is_empty() {
        let others: Vec<&str> = named.iter().map(ApplicationModel::key).collect();
        let wrong = format!("given together with {}", others.join(" and "));
        let legal = either(ApplicationModel::KEYS);
        mistakes.value(&joined(path, model.key()), wrong, legal);
        return None;
    }
    let of_keys = match model {
        ApplicationModel::Packets(_) => table.packets.check(),
        _ => table.packets.refused_beside(model.key()),
    };
    let own = model.check(table.packet_bytes);
    let is_legal = of_keys.is_empty() && own.is_empty();
    for Mistake { key, wrong, legal, .. } in of_keys.into_iter().chain(own) {
        mistakes.value(&joined(path, &key), wrong, legal);
    }
    if table.echo && model.facts(table.packet_bytes).receiver.is_some() {
        let wrong = format!("given together with {}, whose receiver sends packets of its own", model.key());
        let legal = ApplicationModel::keys_where(|facts| facts.receiver.is_none());
        mistakes.value(&joined(path, "echo"), wrong, format!("echo with {}", either(&legal)));
    }
    is_legal.then_some(model)
}
