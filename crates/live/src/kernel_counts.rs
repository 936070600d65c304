//! What the kernel counts of TCP in a namespace.

use crate::namespace;

/// The kernel's own counters of TCP in a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelCounts {
    pub(crate) timeouts: u64,
    pub(crate) syn_retransmissions: u64,
    pub(crate) fast_recoveries: u64,
    pub(crate) retransmitted_segments: u64,
    pub(crate) listen_overflows: u64,
    pub(crate) checksum_errors: u64,
}

impl KernelCounts {
    /// Of the namespace of this thread, until now.
    pub(crate) fn read() -> Self {
        let of = |name| namespace::counter("TcpExt", name);
        Self {
            timeouts: of("TCPTimeouts"),
            syn_retransmissions: of("TCPSynRetrans"),
            fast_recoveries: of("TCPRenoRecovery") + of("TCPSackRecovery"),
            retransmitted_segments: namespace::counter("Tcp", "RetransSegs"),
            listen_overflows: of("ListenOverflows") + of("ListenDrops"),
            checksum_errors: namespace::counter("Tcp", "InCsumErrors")
                + namespace::counter("Udp", "InCsumErrors"),
        }
    }

    /// Since earlier ones, of two namespaces together.
    pub(crate) fn since(ends: [Self; 2], begins: [Self; 2]) -> Self {
        let sum = |of: &dyn Fn(&Self) -> u64| {
            let total = |counts: &[Self; 2]| counts.iter().map(of).sum::<u64>();
            total(&ends) - total(&begins)
        };
        Self {
            timeouts: sum(&|counts| counts.timeouts),
            syn_retransmissions: sum(&|counts| counts.syn_retransmissions),
            fast_recoveries: sum(&|counts| counts.fast_recoveries),
            retransmitted_segments: sum(&|counts| counts.retransmitted_segments),
            listen_overflows: sum(&|counts| counts.listen_overflows),
            checksum_errors: sum(&|counts| counts.checksum_errors),
        }
    }
}
