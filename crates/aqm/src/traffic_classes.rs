//! The classes of a scheme that sorts packets by host and codepoint, for those who ask which of them a packet
//! would be in.

use crate::header::HeaderFields;
use crate::parts::ClassMap;

/// The classes that have packets, in their order, and which of them a packet is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficClasses {
    /// What each is called, and where it stands.
    pub classes: Vec<TrafficClass>,
    pub(crate) map: ClassMap,
}

/// A class that has packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficClass {
    /// Its key in the scheme's table: `classes.2`.
    pub key: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Whether it says itself whose packets it takes, by host or codepoint.
    pub is_selective: bool,
}

impl TrafficClasses {
    /// The place of the class of a packet with this codepoint, from one address to another.
    #[must_use]
    pub fn class_of(&self, dscp: u8, source: u32, destination: u32) -> usize {
        self.map.class_of(&HeaderFields { flow_hash: 0, dscp, source, destination })
    }

    /// Whether any packet at all would be in the class at this place: whether the classes before it leave it
    /// anything.
    #[must_use]
    pub fn leads_to(&self, place: usize) -> bool {
        self.map.leads_to(place)
    }
}
