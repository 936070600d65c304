//! What the kernel knows of a connection at the end that sends: `TCP_INFO` of tcp(7), which nix lacks.

use aqmlab_driver::SenderSample;
use aqmlab_units::Span;
use nix::libc::{self, tcp_info};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::GetStruct;
use std::os::fd::OwnedFd;

/// The option, which can only be read.
#[derive(Clone, Copy)]
struct TcpInfo;

nix::getsockopt_impl!(TcpInfo, libc::IPPROTO_TCP, libc::TCP_INFO, tcp_info, GetStruct<tcp_info>);

/// The slow-start threshold of Linux before the first loss: `TCP_INFINITE_SSTHRESH`.
const INFINITE_THRESHOLD: u32 = 0x7fff_ffff;
/// States before a connection is established: no round trip was measured.
const SYN_SENT: u8 = 2;

/// A sample of a socket; none where the kernel gives none, or the connection is still being opened.
pub(super) fn sample(socket: &OwnedFd) -> Option<SenderSample> {
    let info = getsockopt(socket, TcpInfo).ok().filter(|info| info.tcpi_state != SYN_SENT)?;
    let segment_bytes = f64::from(info.tcpi_snd_mss);
    let threshold = info.tcpi_snd_ssthresh;
    let microseconds = |us: u32| Span::from_microseconds(u64::from(us));
    Some(SenderSample {
        congestion_window_bytes: f64::from(info.tcpi_snd_cwnd) * segment_bytes,
        slow_start_threshold_bytes: if threshold >= INFINITE_THRESHOLD {
            f64::INFINITY
        } else {
            f64::from(threshold) * segment_bytes
        },
        outstanding_bytes: info.tcpi_unacked.saturating_mul(info.tcpi_snd_mss),
        smoothed_round_trip: (info.tcpi_rtt > 0).then(|| microseconds(info.tcpi_rtt)),
        retransmission_timeout: microseconds(info.tcpi_rto),
    })
}
