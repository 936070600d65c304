//! Segments as worked cases and the crosscheck with a kernel spell them.

use aqmlab_aqm::Acknowledgement;

/// Flags beside ACK, by their bits: those of RFC 9293 section 3.1, and Accurate ECN's third bit as
/// `aqmlab-wire` has it.
const FLAGS: [(&str, u8); 5] = [("fin", 0x01), ("psh", 0x08), ("ae", 0x20), ("ece", 0x40), ("cwr", 0x80)];

/// What a segment acknowledges: `ack:5000;ts:10/3;sack:6000-7000;ece;data`. None of `-`.
pub(crate) fn acknowledgement(segment: &str) -> Option<Acknowledgement> {
    let pair = |text: &str, between| {
        let (one, other) = text.split_once(between)?;
        Some([one.parse().ok()?, other.parse().ok()?])
    };
    let words = || segment.split(';');
    let argument = |name: &str| words().find_map(|word| word.strip_prefix(name));
    let has = |name: &str| words().any(|word| word == name);
    let flags = FLAGS.iter().filter(|(name, _)| has(name)).fold(0x10, |flags, (_, bit)| flags | bit);
    let number = argument("ack:")?.parse().ok()?;
    let timestamps = argument("ts:").and_then(|text| pair(text, '/'));
    let said = Acknowledgement::of_segment(flags, number, timestamps, has("data"));
    let blocks = words().filter_map(|word| pair(word.strip_prefix("sack:")?, '-'));
    blocks.fold(said, |said, block| said.map(|said| said.with_block(block)))
}
