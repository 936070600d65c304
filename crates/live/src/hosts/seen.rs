//! What hosts show of their TCP to whoever sees their headers: how wide their windows are, how many segments
//! they send before they hear of any, whether they ask for ECN, and how long they wait before they repeat
//! themselves.
//!
//! What the kernel was told is one thing, and what it does another: a run is judged by this.

use aqmlab_units::{Span, Time};
use aqmlab_wire::{Flags, TcpFields};

/// What was seen of one end of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    shift: u8,
    /// New segments of data before the peer had anything to say of them.
    first_flight: u16,
    /// Whether the peer has, or this end has sent a segment again: what follows is none of the flight.
    flight_is_over: bool,
    /// The segment of data that it sent last, and when.
    last: Option<(u32, Time)>,
    /// The last of its segments of data in their order.
    foremost: Option<u32>,
}

/// What was seen of a connection: of the end that opened it, and of the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen([End; 2]);

/// Segments of data that were the last of their end, and then the next of it too: nothing but a timeout
/// repeats these, where hosts have neither probes nor selective acknowledgements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repeats {
    pub(crate) count: u64,
    /// Those that came before the least timeout of the settings.
    pub(crate) early: u64,
    /// The shortest time between the two.
    pub(crate) shortest: Option<Span>,
}

/// What was seen of all hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostsSeen {
    /// Largest windows in bytes, as scaled, of those who open connections and of those who answer.
    pub(crate) largest_windows: [u32; 2],
    /// Most segments of a first flight, of the same.
    pub(crate) first_flights: [u16; 2],
    /// SYN segments, and those that ask for ECN (RFC 3168 section 6.1.1).
    pub(crate) syns: u64,
    pub(crate) ecn_syns: u64,
    pub(crate) repeats: Repeats,
    /// The least timeout of the settings.
    pub(crate) least_timeout: Span,
}

impl HostsSeen {
    /// A segment came from one end, 0 or 1, of a connection.
    pub(crate) fn note(&mut self, connection: &mut Seen, side: usize, tcp: TcpFields, now: Time) {
        if tcp.flags.contains(Flags::SYN) {
            connection.0[side].shift = tcp.window_shift.unwrap_or(0).min(14);
            let (is_first, asks) =
                (!tcp.flags.contains(Flags::ACK), tcp.flags.contains(Flags::ECE.with(Flags::CWR)));
            self.syns += u64::from(is_first);
            self.ecn_syns += u64::from(is_first && asks);
            return;
        }
        let peer = &mut connection.0[1 - side];
        peer.flight_is_over |= tcp.flags.contains(Flags::ACK) && peer.first_flight > 0;
        let end = &mut connection.0[side];
        let window = u32::from(tcp.window) << end.shift;
        self.largest_windows[side] = self.largest_windows[side].max(window);
        if tcp.payload == 0 {
            return;
        }
        if let Some((_, at)) = end.last.filter(|&(sequence, _)| sequence == tcp.sequence) {
            self.repeats.note(now - at, self.least_timeout);
        }
        end.last = Some((tcp.sequence, now));
        if end.foremost.is_some_and(|foremost| !is_after(tcp.sequence, foremost)) {
            end.flight_is_over = true;
            return;
        }
        end.foremost = Some(tcp.sequence);
        if !end.flight_is_over {
            end.first_flight = end.first_flight.saturating_add(1);
            self.first_flights[side] = self.first_flights[side].max(end.first_flight);
        }
    }
}

/// Whether a sequence number follows another: they wrap (RFC 9293 section 3.4).
const fn is_after(sequence: u32, other: u32) -> bool {
    let distance = sequence.wrapping_sub(other);
    distance != 0 && distance < 1 << 31
}

impl Repeats {
    fn note(&mut self, after: Span, least_timeout: Span) {
        self.count += 1;
        self.early += u64::from(after < least_timeout);
        self.shortest = Some(self.shortest.map_or(after, |shortest| shortest.min(after)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: TcpFields =
        TcpFields { flags: Flags::ACK, window: 100, window_shift: None, sequence: 0, payload: 1_460 };

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(ms)
    }

    #[test]
    fn a_first_flight_ends_with_the_first_word_of_the_peer() {
        let (mut hosts, mut connection) = (HostsSeen::default(), Seen::default());
        let syn = TcpFields {
            flags: Flags::SYN.with(Flags::ECE).with(Flags::CWR),
            window_shift: Some(2),
            payload: 0,
            ..DATA
        };
        hosts.note(&mut connection, 0, syn, at(0));
        let answer = TcpFields { flags: Flags::SYN.with(Flags::ACK).with(Flags::ECE), payload: 0, ..DATA };
        hosts.note(&mut connection, 1, answer, at(1));
        for segment in 0..3 {
            let data = TcpFields { sequence: 1 + 1_460 * segment, ..DATA };
            hosts.note(&mut connection, 0, data, at(2));
        }
        hosts.note(&mut connection, 1, TcpFields { payload: 0, ..DATA }, at(3));
        hosts.note(&mut connection, 0, TcpFields { sequence: 4_381, ..DATA }, at(4));
        assert_eq!(hosts.first_flights, [3, 0]);
        assert_eq!((hosts.syns, hosts.ecn_syns), (1, 1));
        assert_eq!(hosts.largest_windows, [400, 100], "one end shifts its windows by two bits");
    }

    #[test]
    fn a_first_flight_ends_with_the_first_segment_that_is_sent_again() {
        let (mut hosts, mut connection) = (HostsSeen::default(), Seen::default());
        // Ten, which are lost; a probe of new data (RFC 8985 section 7.3); a timeout's retransmissions, and
        // what follows.
        let flight = (0..11_u32).chain([0, 1, 2, 11, 12]);
        for (segment, ms) in flight.zip(0..) {
            let sequence = 0xffff_f000_u32.wrapping_add(1_460 * segment);
            hosts.note(&mut connection, 1, TcpFields { sequence, ..DATA }, at(ms));
        }
        assert_eq!(hosts.first_flights, [0, 11]);
    }

    #[test]
    fn a_segment_that_is_the_last_and_the_next_is_a_repetition_and_no_more_of_a_flight() {
        let least_timeout = Span::from_milliseconds(1_000);
        let mut hosts = HostsSeen { least_timeout, ..HostsSeen::default() };
        let mut connection = Seen::default();
        let segment = |sequence| TcpFields { sequence, ..DATA };
        for (sequence, ms) in [(1, 0), (1_461, 1), (1, 400), (1, 1_400), (1, 1_900)] {
            hosts.note(&mut connection, 1, segment(sequence), at(ms));
        }
        // The third is another one than the second: a fast retransmission may come at any time.
        let shortest = Some(Span::from_milliseconds(500));
        assert_eq!(hosts.repeats, Repeats { count: 2, early: 1, shortest });
    }
}
