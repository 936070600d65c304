//! Packets as a pcapng file, which Wireshark and tshark read.
//!
//! Source: draft-ietf-opsawg-pcapng (section header, interface description and enhanced packet blocks;
//! little-endian), link type 101 (raw IP).

use aqmlab_units::Time;
use std::io::{self, Write};

/// Raw IP, whose version stands in the packet.
const LINK_TYPE_RAW: u16 = 101;

/// Writes a pcapng file with one interface.
pub struct PcapNg<W>(W);

impl<W: Write> PcapNg<W> {
    /// Begins a file of what passed an interface of this name.
    ///
    /// # Errors
    /// What writing says.
    pub fn new(out: W, interface: &str) -> io::Result<Self> {
        let mut file = Self(out);
        let mut section = vec![0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0];
        section.extend(u64::MAX.to_le_bytes());
        option(&mut section, 4, concat!("aqmlab ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(&mut section, 0, &[]);
        file.block(0x0a0d_0d0a, &section)?;
        let mut description = Vec::new();
        description.extend(LINK_TYPE_RAW.to_le_bytes());
        description.extend([0; 6]);
        option(&mut description, 2, interface.as_bytes());
        // Timestamps count 10⁻⁹ s.
        option(&mut description, 9, &[9]);
        option(&mut description, 0, &[]);
        file.block(1, &description)?;
        Ok(file)
    }

    /// Adds a packet, from its IP header on, that passed at this instant.
    ///
    /// # Errors
    /// What writing says.
    pub fn write(&mut self, at: Time, bytes: &[u8]) -> io::Result<()> {
        let at = at.nanoseconds();
        let mut content = Vec::with_capacity(20 + bytes.len() + 3);
        content.extend(0_u32.to_le_bytes());
        content.extend(((at >> 32) as u32).to_le_bytes());
        content.extend((at as u32).to_le_bytes());
        content.extend((bytes.len() as u32).to_le_bytes());
        content.extend((bytes.len() as u32).to_le_bytes());
        content.extend(bytes);
        self.block(6, &content)
    }

    /// Hands everything on.
    ///
    /// # Errors
    /// What writing says.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn block(&mut self, kind: u32, content: &[u8]) -> io::Result<()> {
        let padded = content.len().next_multiple_of(4);
        let length = (padded as u32 + 12).to_le_bytes();
        self.0.write_all(&kind.to_le_bytes())?;
        self.0.write_all(&length)?;
        self.0.write_all(content)?;
        self.0.write_all(&[0; 3][..padded - content.len()])?;
        self.0.write_all(&length)
    }
}

/// Adds an option of a block, of which the last has code 0.
fn option(content: &mut Vec<u8>, code: u16, value: &[u8]) {
    // Names of links are far shorter.
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    content.extend(code.to_le_bytes());
    content.extend(length.to_le_bytes());
    content.extend(&value[..usize::from(length)]);
    content.resize(content.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_blocks_of_whole_words_that_say_their_length_twice() {
        let mut file = Vec::new();
        let mut writer = PcapNg::new(&mut file, "left-to-right").unwrap();
        let at = Time::from_nanoseconds(5_000_000_001);
        writer.write(at, &[0x45; 44]).unwrap();
        writer.finish().unwrap();
        let word = |place: usize| u32::from_le_bytes(file[place..place + 4].try_into().unwrap());
        let (mut place, mut kinds) = (0, Vec::new());
        while place < file.len() {
            let length = word(place + 4) as usize;
            assert_eq!((length % 4, word(place + length - 4) as usize), (0, length));
            kinds.push(word(place));
            if word(place) == 6 {
                // 5,000,000,001 is 2³² and 705,032,705.
                let fields: Vec<u32> = (2..7).map(|field| word(place + 4 * field)).collect();
                assert_eq!(fields, [0, 1, 705_032_705, 44, 44]);
            }
            place += length;
        }
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 6]);
    }
}
