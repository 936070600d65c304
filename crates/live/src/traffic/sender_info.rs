//! What the kernel knows of a connection at the end that sends: `TCP_INFO` of tcp(7), which nix lacks.

use aqmlab_driver::SenderSample;
use aqmlab_units::Span;
use nix::libc;
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::GetStruct;
use std::os::fd::OwnedFd;

/// The option, which can only be read.
#[derive(Clone, Copy)]
struct TcpInfo;

nix::getsockopt_impl!(TcpInfo, libc::IPPROTO_TCP, libc::TCP_INFO, Start, GetStruct<Start>);

/// The first 104 bytes of the kernel's `struct tcp_info` (`include/uapi/linux/tcp.h`), which every Linux
/// since 2.6 has. Later ones are longer, and nix panics where a kernel fills less than was asked for.
#[repr(C)]
#[derive(Clone, Copy)]
struct Start {
    state: u8,
    _to_retransmission_timeout: [u8; 7],
    retransmission_timeout_us: u32,
    _delayed_acknowledgement_us: u32,
    segment_bytes: u32,
    _received_segment_bytes: u32,
    outstanding_segments: u32,
    _to_round_trip: [u32; 10],
    smoothed_round_trip_us: u32,
    _round_trip_variation_us: u32,
    slow_start_threshold_segments: u32,
    congestion_window_segments: u32,
    _rest: [u32; 5],
}

const _: () = assert!(size_of::<Start>() == 104);

/// The slow-start threshold of Linux before the first loss: `TCP_INFINITE_SSTHRESH`.
const INFINITE_THRESHOLD: u32 = 0x7fff_ffff;
/// States before a connection is established: no round trip was measured.
const SYN_SENT: u8 = 2;

/// A sample of a socket; none where the kernel gives none, or the connection is still being opened.
pub(super) fn sample(socket: &OwnedFd) -> Option<SenderSample> {
    let info = getsockopt(socket, TcpInfo).ok().filter(|info| info.state != SYN_SENT)?;
    let segment_bytes = f64::from(info.segment_bytes);
    let threshold = info.slow_start_threshold_segments;
    let microseconds = |us: u32| Span::from_microseconds(u64::from(us));
    Some(SenderSample {
        congestion_window_bytes: f64::from(info.congestion_window_segments) * segment_bytes,
        slow_start_threshold_bytes: if threshold >= INFINITE_THRESHOLD {
            f64::INFINITY
        } else {
            f64::from(threshold) * segment_bytes
        },
        outstanding_bytes: info.outstanding_segments.saturating_mul(info.segment_bytes),
        smoothed_round_trip: (info.smoothed_round_trip_us > 0)
            .then(|| microseconds(info.smoothed_round_trip_us)),
        retransmission_timeout: microseconds(info.retransmission_timeout_us),
    })
}
