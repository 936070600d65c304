//! Segments as the text of a conversation writes them.

use aqmlab_tcp::{ByteCounts, Flags, Segment, SegmentOptions, SequenceNumber, Timestamps};

/// One of the counts of an option of accurate ECN, by its name in RFC 9768.
fn count(counts: &mut ByteCounts, name: &str, value: u32) {
    match name {
        "e1b" => counts.ect1 = value,
        "ceb" => counts.marked = value,
        _ => counts.ect0 = value,
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

/// The segment that `words` say, its options, and whether it was marked on the way.
pub(crate) fn parse_segment(words: &[&str]) -> Result<(Segment, SegmentOptions, bool), String> {
    let mut segment = Segment {
        sequence: SequenceNumber::INITIAL,
        acknowledgement: SequenceNumber::INITIAL,
        payload: 0,
        flags: Flags::NONE,
        ect: false,
        unread: 0,
    };
    let mut options = SegmentOptions::default();
    let (mut marked, mut in_blocks) = (false, false);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let flag = match word {
            "SYN" => Flags::SYN,
            "FIN" => Flags::FIN,
            "RST" => Flags::RST,
            "AE" => Flags::AE,
            "ECE" => Flags::ECE,
            "CWR" => Flags::CWR,
            "ack" => {
                let value = words.next().ok_or("ack needs a number")?;
                segment.acknowledgement = SequenceNumber::new(number(value)?);
                Flags::ACK
            }
            "unread" => {
                segment.unread = number(words.next().ok_or("unread needs a number")?)? as u16;
                Flags::NONE
            }
            "CE" => {
                (segment.ect, marked) = (true, true);
                Flags::NONE
            }
            "ECT" => {
                segment.ect = true;
                Flags::NONE
            }
            "e1b" | "ceb" | "e0b" => {
                let value = number(words.next().ok_or("a count needs a number")?)?;
                count(options.counts.get_or_insert_with(ByteCounts::default), word, value);
                Flags::NONE
            }
            "sack" => {
                in_blocks = true;
                Flags::NONE
            }
            "ts" => {
                let mut next = || words.next().map_or(Err("ts 1 echo 2".to_string()), |text| number(text));
                let value = next()?;
                words.next();
                let echo = number(words.next().ok_or("ts 1 echo 2")?)?;
                options.timestamps = Some(Timestamps { value, echo });
                Flags::NONE
            }
            range => {
                let (start, end) = range.split_once(':').ok_or_else(|| format!("not a range: {range}"))?;
                let (start, end) = (number(start)?, number(end)?);
                if in_blocks {
                    options.blocks.push((SequenceNumber::new(start), SequenceNumber::new(end)));
                    continue;
                }
                segment.sequence = SequenceNumber::new(start);
                segment.payload = (end - start) as u16;
                Flags::NONE
            }
        };
        segment.flags = segment.flags.with(flag);
    }
    Ok((segment, options, marked))
}
