//! One end of a connection: a socket, what is still to be written to it, and what became of it.

use aqmlab_session::ConnectionEventKind;
use nix::errno::Errno;
use nix::sys::socket::{
    MsgFlags, Shutdown, SockaddrIn, getpeername, getsockopt, recv, send, shutdown, sockopt,
};
use std::os::fd::{AsRawFd, OwnedFd};

/// Most bytes that one call writes, or reads.
const CHUNK: usize = 1 << 18;

/// What is written, and where what is read would go if it were kept.
pub(crate) struct Scratch {
    zeros: Vec<u8>,
    read: Vec<u8>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self { zeros: vec![0; CHUNK], read: vec![0; CHUNK] }
    }

    /// So many bytes to be written.
    pub(crate) fn zeros(&self, bytes: u16) -> &[u8] {
        &self.zeros[..usize::from(bytes)]
    }
}

/// One end.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// None before the end exists, and when it is over.
    pub(crate) socket: Option<OwnedFd>,
    /// Bytes that the application wrote and the kernel has not taken.
    pub(crate) pending: u64,
    connected: bool,
    closes: bool,
    closed: bool,
    peer_closed: bool,
    pub(crate) ended: bool,
}

impl End {
    /// An end whose connection is being opened.
    pub(crate) fn connecting(socket: OwnedFd) -> Self {
        Self { socket: Some(socket), ..Self::default() }
    }

    /// An end whose connection is open.
    pub(crate) fn accepted(socket: OwnedFd) -> Self {
        Self { socket: Some(socket), connected: true, ..Self::default() }
    }

    pub(crate) fn write(&mut self, bytes: u64, scratch: &Scratch, said: &mut Vec<ConnectionEventKind>) {
        self.pending = self.pending.saturating_add(bytes);
        self.flush(scratch, said);
    }

    pub(crate) fn close(&mut self, scratch: &Scratch, said: &mut Vec<ConnectionEventKind>) {
        self.closes = true;
        self.flush(scratch, said);
    }

    pub(crate) fn withdraw(&mut self) {
        self.pending = 0;
    }

    /// The kernel has something to say: notes what happened, in the order that applications expect.
    pub(crate) fn look(&mut self, scratch: &mut Scratch, said: &mut Vec<ConnectionEventKind>) {
        let Some(socket) = &self.socket else { return };
        if !self.connected {
            match getsockopt(socket, sockopt::SocketError) {
                Ok(0) if getpeername::<SockaddrIn>(socket.as_raw_fd()).is_ok() => self.connected = true,
                Ok(0) => return,
                _ => return self.give_up(said),
            }
            said.push(ConnectionEventKind::Established);
        }
        self.read(scratch, said);
        self.flush(scratch, said);
    }

    fn read(&mut self, scratch: &mut Scratch, said: &mut Vec<ConnectionEventKind>) {
        let mut bytes = 0_u64;
        let ended = loop {
            let Some(socket) = &self.socket else { return };
            // What arrives is counted and thrown away by the kernel, not copied (tcp(7)).
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC;
            match recv(socket.as_raw_fd(), &mut scratch.read, flags) {
                Ok(0) => break Ok(true),
                Ok(count) => bytes += count as u64,
                Err(Errno::EAGAIN) => break Ok(false),
                Err(Errno::EINTR) => {}
                Err(_) => break Err(()),
            }
        };
        if bytes > 0 {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            said.push(ConnectionEventKind::Delivered { bytes });
        }
        match ended {
            Ok(true) if !self.peer_closed => {
                self.peer_closed = true;
                said.push(ConnectionEventKind::PeerClosed);
                self.end_if_done(said);
            }
            Ok(_) => {}
            Err(()) => self.give_up(said),
        }
    }

    /// Hands the kernel what it takes, and the end behind the last byte.
    fn flush(&mut self, scratch: &Scratch, said: &mut Vec<ConnectionEventKind>) {
        if !self.connected || self.closed {
            return;
        }
        while self.pending > 0 {
            let Some(socket) = &self.socket else { return };
            let chunk = usize::try_from(self.pending).unwrap_or(CHUNK).min(CHUNK);
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
            match send(socket.as_raw_fd(), &scratch.zeros[..chunk], flags) {
                Ok(count) => self.pending -= count as u64,
                Err(Errno::EAGAIN) => return,
                Err(Errno::EINTR) => {}
                Err(_) => return self.give_up(said),
            }
        }
        let Some(socket) = self.socket.as_ref().filter(|_| self.closes) else { return };
        // A connection that was reset meanwhile says so when it is read.
        let _ = shutdown(socket.as_raw_fd(), Shutdown::Write);
        self.closed = true;
        self.end_if_done(said);
    }

    fn end_if_done(&mut self, said: &mut Vec<ConnectionEventKind>) {
        if self.closed && self.peer_closed {
            self.end(said);
        }
    }

    fn give_up(&mut self, said: &mut Vec<ConnectionEventKind>) {
        said.push(ConnectionEventKind::GaveUp);
        self.end(said);
    }

    /// The socket goes back to the kernel, which finishes what is under way.
    pub(crate) fn end(&mut self, said: &mut Vec<ConnectionEventKind>) {
        if !self.ended {
            self.socket = None;
            self.ended = true;
            said.push(ConnectionEventKind::Ended);
        }
    }
}
