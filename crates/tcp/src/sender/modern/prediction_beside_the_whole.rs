//! Header prediction against the processing that it shortens: both ends of random conversations meet every
//! acknowledgement both ways.

use super::super::random_conversation::{Packet, Path, Watcher, converse};
use crate::Endpoint;
use crate::context::Context;
use crate::hosts::{Ecn, HostProfile};
use crate::outbox::Outbox;
use aqmlab_units::Time;

/// How many acknowledgements were predicted, and how many were not.
#[derive(Default)]
struct BothWays {
    predicted: u32,
    others: u32,
}

impl Watcher for BothWays {
    fn look(&mut self, now: Time, context: &Context<'_>, end: &Endpoint, packet: &Packet) {
        let Packet { segment, options, marked, .. } = packet;
        let mut short = end.clone();
        if !short.predicts_modern_acknowledgement(context, segment, options) {
            self.others += u32::from(segment.payload == 0);
            return;
        }
        let mut whole = short.clone();
        if let Some(modern) = whole.sender.modern_mut() {
            modern.take_in_options(options);
        }
        let (mut brief, mut long) = (Outbox::new(), Outbox::new());
        short.on_predicted_modern_acknowledgement(now, context, segment, &mut brief);
        whole.process(now, context, segment, *marked, &mut long);
        assert!(brief == long, "at {now}, {segment:?}: {brief:?}, and the whole of it {long:?}");
        // What an option said is forgotten at the next segment.
        if let Some(modern) = short.sender.modern_mut() {
            modern.take_in_options(options);
        }
        let (short, whole) = (format!("{short:?}"), format!("{whole:?}"));
        assert!(short == whole, "at {now}, {segment:?}:\n{short}\nand the whole of it\n{whole}");
        self.predicted += 1;
    }
}

#[test]
fn a_predicted_acknowledgement_leaves_what_the_whole_of_its_processing_leaves() {
    // With the least share of the acknowledgements that are predicted, in per cent.
    let kind = Path { lost: 0.0, late: 0.0, marked: 0.0, hostile: 0.0 };
    let busy = Path { lost: 0.2, late: 0.3, marked: 10.0, hostile: 1.0 };
    let bad = Path { lost: 2.0, late: 3.0, marked: 2.0, hostile: 20.0 };
    for name in HostProfile::NAMES.iter().filter(|name| name.starts_with("linux6")) {
        for ecn in [Ecn::Off, Ecn::Rfc3168] {
            let mut profile = HostProfile::named(name).unwrap();
            profile.ecn = ecn;
            for (seed, (path, least)) in (0..).zip([(kind, 90), (busy, 30), (bad, 5)]) {
                let mut both = BothWays::default();
                (0..6).for_each(|number| converse(&profile, path, 10 * seed + number, &mut both));
                let BothWays { predicted, others } = both;
                let share = 100 * predicted / (predicted + others);
                assert!(share >= least, "{name}, {ecn:?}, path {seed}: {predicted} and {others} others");
            }
        }
    }
}
