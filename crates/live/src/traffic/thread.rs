//! The thread of the applications: alarms and what the kernel says, in real time, until the end of the run.

use super::datagrams::DatagramEnds;
use super::sockets::{ServerSockets, address, bound};
use super::transport::{SocketTransport, Totals};
use crate::addresses::{ANSWERER, GUEST};
use crate::audit::Probes;
use crate::clock::{Clock, timeout};
use crate::devices::Backend;
use crate::error::LiveError;
use crate::hosts::HostSettings;
use crate::kernel_counts::KernelCounts;
use crate::namespace;
use crate::router::connections::{PROBE_PORT, Registration};
use aqmlab_driver::{CongestionWindows, Control, measured_window, session};
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_session::{ConnectionEventKind, Session};
use aqmlab_units::{Span, Time};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::socket::{MsgFlags, SockType, SockaddrIn, recvfrom, sendto};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::mpsc::Sender;

/// By which the kernel says which of these it means.
const LISTENER: u64 = u64::MAX;
const ECHO: u64 = u64::MAX - 1;
const PROBE: u64 = u64::MAX - 2;
const SINK: u64 = u64::MAX - 3;

/// The longest time without a look at the caller.
const LONGEST_WAIT: Span = Span::from_milliseconds(20);
const PROBE_INTERVAL: Span = Span::from_milliseconds(100);

/// What was counted at an edge of the measured window.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrafficEdge {
    pub(crate) totals: Totals,
    pub(crate) delivered: Vec<u64>,
    pub(crate) kernel: KernelCounts,
}

/// What the thread leaves behind.
pub(crate) struct Traffic {
    pub(crate) session: Session,
    pub(crate) edges: [TrafficEdge; 2],
    pub(crate) totals: Totals,
    pub(crate) probes: Probes,
    pub(crate) datagrams: DatagramEnds,
    pub(crate) congestion_windows: CongestionWindows,
    /// Packets that the device of the namespace dropped.
    pub(crate) device_drops: u64,
}

/// What the thread works on.
pub(crate) struct Work<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) seed: u64,
    pub(crate) settings: HostSettings,
    pub(crate) backend: Backend,
    pub(crate) clock: Clock,
    pub(crate) control: &'a Control,
}

struct Loop<'a> {
    work: Work<'a>,
    transport: SocketTransport,
    session: Session,
    servers: ServerSockets,
    probe: OwnedFd,
    probe_to: SockaddrIn,
    next_probe: Time,
    probes: Probes,
    edges: [Option<TrafficEdge>; 2],
    congestion_windows: CongestionWindows,
}

/// Lives the applications of a scenario, in the namespace of those who open connections.
pub(crate) fn run(
    work: Work<'_>,
    servers: ServerSockets,
    router: Sender<Registration>,
) -> Result<Traffic, LiveError> {
    let Work { scenario, seed, settings, clock, .. } = work;
    let window = measured_window(scenario);
    let failed = |error: aqmlab_driver::RunError| LiveError::Run(error.to_string());
    let session = session(scenario, window, Key::from_seed(seed)).map_err(failed)?;
    let transport = SocketTransport::new(scenario, seed, settings, clock, router)?;
    let probe = bound(SockType::Datagram, (GUEST, 0)).map_err(LiveError::setup("a socket for probes"))?;
    for (socket, number) in [
        (servers.listener.as_fd(), LISTENER),
        (servers.echo.as_fd(), ECHO),
        (probe.as_fd(), PROBE),
        (servers.sink.as_fd(), SINK),
    ] {
        let event = EpollEvent::new(EpollFlags::EPOLLIN, number);
        transport.epoll.add(socket, event).map_err(LiveError::setup("epoll"))?;
    }
    let probes = Probes::default();
    let probe_to = address(ANSWERER, PROBE_PORT);
    let next_probe = Time::ZERO + PROBE_INTERVAL;
    let edges = [None, None];
    let congestion_windows = CongestionWindows::new(scenario);
    Loop { work, transport, session, servers, probe, probe_to, next_probe, probes, edges, congestion_windows }
        .live()
}

impl Loop<'_> {
    fn live(mut self) -> Result<Traffic, LiveError> {
        let end = Time::ZERO + self.work.scenario.duration;
        while self.work.clock.now() == Time::ZERO {
            let _ = ppoll(&mut [], Some(timeout(Span::from_microseconds(200))), None);
        }
        self.transport.tick();
        let control = self.work.control;
        let check = || control.check().map_err(|_| LiveError::Cancelled);
        self.session.start(&mut self.transport, check)?;
        self.handle_events();
        let mut events = vec![EpollEvent::empty(); 1 << 9];
        loop {
            let now = self.transport.tick();
            if now >= end {
                break;
            }
            check()?;
            control.report(now.seconds() / end.seconds());
            self.pass_edges(now);
            self.probe(now);
            self.sample(now);
            while let Some(alarm) = self.transport.due() {
                self.session.wake(alarm, &mut self.transport);
                self.handle_events();
                self.transport.tick();
            }
            if self.listen(&mut events)? == 0 {
                self.wait(end)?;
            }
        }
        self.pass_edges(end);
        control.report_done();
        let edges = self.edges.map(Option::unwrap_or_default);
        let device_drops = namespace::device_drops(self.work.backend);
        let totals = self.transport.totals;
        let (session, probes, datagrams) = (self.session, self.probes, self.transport.datagrams);
        let congestion_windows = self.congestion_windows;
        Ok(Traffic { session, edges, totals, probes, datagrams, congestion_windows, device_drops })
    }

    /// Hears what the kernel has to say, without waiting; answers with how much it was.
    fn listen(&mut self, events: &mut [EpollEvent]) -> Result<usize, LiveError> {
        let count = match self.transport.epoll.wait(events, EpollTimeout::ZERO) {
            Ok(count) => count,
            Err(nix::Error::EINTR) => 0,
            Err(error) => return Err(LiveError::setup("epoll")(error)),
        };
        for event in &events[..count] {
            self.transport.tick();
            match event.data() {
                LISTENER => self.accept(),
                ECHO => self.echo(),
                PROBE => self.hear_probes(),
                SINK => self.take_datagrams(),
                number => self.transport.look(number),
            }
            self.handle_events();
        }
        Ok(count)
    }

    /// Waits until something is due, or the kernel has something to say.
    fn wait(&self, end: Time) -> Result<(), LiveError> {
        let sample = self.congestion_windows.next();
        let next = self.transport.next_alarm().min(self.next_probe).min(sample).min(end);
        let now = self.work.clock.now();
        let span = if next <= now { return Ok(()) } else { (next - now).min(LONGEST_WAIT) };
        let mut sockets = [PollFd::new(self.transport.epoll.0.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut sockets, Some(timeout(span)), None) {
            Ok(_) | Err(nix::Error::EINTR) => Ok(()),
            Err(error) => Err(LiveError::setup("ppoll")(error)),
        }
    }

    fn handle_events(&mut self) {
        while let Some(event) = self.transport.poll() {
            self.session.handle(&event, &mut self.transport);
            if event.kind == ConnectionEventKind::Ended && self.transport.end(&event) {
                self.session.forget(event.connection, event.owner);
            }
        }
    }

    fn take_datagrams(&mut self) {
        self.transport.take_datagrams(&self.servers.sink);
        while let Some((source, sequence)) = self.transport.datagrams.next_heard() {
            self.session.hear(source, sequence, &mut self.transport);
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, peer)) = self.servers.listener.accept() {
            self.transport.accept(stream, peer);
            self.handle_events();
        }
    }

    fn pass_edges(&mut self, now: Time) {
        let window = measured_window(self.work.scenario);
        for (place, edge) in [window.from, window.until].into_iter().enumerate() {
            if now >= edge && self.edges[place].is_none() {
                self.edges[place] = Some(TrafficEdge {
                    totals: self.transport.totals,
                    delivered: self.session.delivered().to_vec(),
                    kernel: KernelCounts::read(),
                });
            }
        }
    }

    /// Samples the senders if that is due; what was due long ago is passed over.
    fn sample(&mut self, now: Time) {
        let mut is_due = false;
        while self.congestion_windows.strikes(now) {
            is_due = true;
        }
        if is_due {
            self.transport.sample(now, &mut self.congestion_windows);
        }
    }

    /// Sends a probe if one is due: the instant at which it was.
    fn probe(&mut self, now: Time) {
        if now < self.next_probe {
            return;
        }
        self.next_probe = now + PROBE_INTERVAL;
        self.probes.sent += 1;
        let sent = now.nanoseconds().to_be_bytes();
        let _ = sendto(self.probe.as_raw_fd(), &sent, &self.probe_to, MsgFlags::MSG_DONTWAIT);
    }

    /// A server sends back what it gets.
    fn echo(&self) {
        let mut bytes = [0; 8];
        while let Ok((8, Some(from))) = recvfrom::<SockaddrIn>(self.servers.echo.as_raw_fd(), &mut bytes) {
            let _ = sendto(self.servers.echo.as_raw_fd(), &bytes, &from, MsgFlags::MSG_DONTWAIT);
        }
    }

    fn hear_probes(&mut self) {
        let mut bytes = [0; 8];
        while let Ok((8, _)) = recvfrom::<SockaddrIn>(self.probe.as_raw_fd(), &mut bytes) {
            let sent = Time::from_nanoseconds(u64::from_be_bytes(bytes));
            self.probes.hear(sent, self.work.clock.now());
        }
    }
}
