//! Who reads the headers of arrivals for a port.

use crate::acknowledgement::Acknowledgement;
use crate::header::HeaderFields;
use crate::packet::Queued;

/// Who reads the headers of arrivals for a port. A function is one, from a packet to its fields: of
/// acknowledgements the packet itself knows then.
pub trait Headers<P> {
    /// What several queues sort a packet by. Asked only where the port sorts.
    fn fields(&self, packet: &P) -> HeaderFields;

    /// What a segment acknowledges; none of a packet that is no segment with the flag ACK, or opens a
    /// connection. Asked only where the port filters acknowledgements.
    fn acknowledgement(&self, packet: &P) -> Option<Acknowledgement>;
}

impl<P: Queued, F: Fn(&P) -> HeaderFields> Headers<P> for F {
    fn fields(&self, packet: &P) -> HeaderFields {
        self(packet)
    }

    fn acknowledgement(&self, packet: &P) -> Option<Acknowledgement> {
        packet.acknowledgement()
    }
}
