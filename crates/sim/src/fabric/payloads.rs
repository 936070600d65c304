//! Payloads of packets under way that are neither TCP's nor datagrams': beside the packets, which name their
//! place.

/// The payloads of all packets under way that have one.
#[derive(Default)]
pub(crate) struct Payloads {
    places: Vec<Box<[u8]>>,
    free: Vec<u32>,
}

impl Payloads {
    /// Keeps a payload. Answers with the place.
    pub(crate) fn keep(&mut self, payload: Box<[u8]>) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = payload;
            return place;
        }
        let place = u32::try_from(self.places.len()).ok();
        self.places.push(payload);
        place.expect("as many packets as have places fill the memory of no machine")
    }

    /// The packet is under way no more. Answers with its payload.
    pub(crate) fn take(&mut self, place: u32) -> Box<[u8]> {
        self.free.push(place);
        std::mem::take(&mut self.places[place as usize])
    }

    /// How many packets are under way.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.places.len() - self.free.len()
    }
}
