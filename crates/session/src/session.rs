//! All applications of a run: which of them an event is for.

use crate::browsing::{Browsing, BrowsingPopulation, BrowsingSettings, Records};
use crate::datagrams::{DatagramSource, DatagramSources};
use crate::transfers::{Transfer, Transfers};
use crate::transport::{
    Alarm, ConnectionEvent, ConnectionId, DatagramSourceId, Owner, Transport, UserConnection,
};
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Rate, Time};

/// The applications of a run and what they did: a state machine that a driver calls with what happens.
#[derive(Clone)]
pub struct Session {
    browsing: Browsing,
    transfers: Transfers,
    datagrams: DatagramSources,
}

impl Session {
    /// Populations of users, transfers and sources of datagrams, none of whom has started.
    #[must_use]
    pub fn new(
        populations: Vec<BrowsingPopulation>,
        settings: BrowsingSettings,
        transfers: Vec<Transfer>,
        datagrams: Vec<DatagramSource>,
    ) -> Self {
        Self {
            browsing: Browsing::new(populations, settings),
            transfers: Transfers::new(transfers),
            datagrams: DatagramSources::new(datagrams),
        }
    }

    /// Starts everybody, at [`Time::ZERO`]. Now and then `check` is asked whether to go on.
    ///
    /// # Errors
    /// What `check` says.
    pub fn start<E>(
        &mut self,
        transport: &mut impl Transport,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        self.browsing.start(transport, &mut check)?;
        self.transfers.start(transport, &mut check)?;
        self.datagrams.start(transport, check)
    }

    /// The instant has come for which an application asked.
    pub fn wake(&mut self, alarm: Alarm, transport: &mut impl Transport) {
        match alarm {
            Alarm::User { population, user } => self.browsing.wake(population, user, transport),
            Alarm::Flow { flow } => self.transfers.wake(flow, transport),
            Alarm::Continuation { continuation } => self.browsing.go_on(continuation, transport),
            Alarm::Answer { answer } => self.browsing.answer_now(answer, transport),
            Alarm::Datagrams { source } => self.datagrams.wake(source, transport),
        }
    }

    /// Something happened to a connection.
    #[inline]
    pub fn handle(&mut self, event: &ConnectionEvent, transport: &mut impl Transport) {
        match event.owner {
            Owner::User { population, user, ordinal } => {
                self.browsing.handle(event, UserConnection { population, user, ordinal }, transport);
            }
            Owner::Flow { flow } => self.transfers.handle(event, flow, transport),
        }
    }

    /// A datagram has arrived, with this number of its source. Only those need be told of which the
    /// application hears.
    pub fn hear(&mut self, source: DatagramSourceId, sequence: u32, transport: &mut impl Transport) {
        self.datagrams.hear(source, sequence, transport);
    }

    /// Whether nothing more can come to what is recorded of the time before an instant, which has passed:
    /// pages, segments and frames of that time have ended or were given up, and every transfer of a size that
    /// begins until `end`.
    pub fn is_settled(&mut self, before: Time, end: Time) -> bool {
        self.datagrams.are_settled(before)
            && self.transfers.are_settled(end)
            && self.browsing.is_settled(before)
    }

    /// Both ends of a connection have ended: its place will be used again.
    pub fn forget(&mut self, connection: ConnectionId, owner: Owner) {
        if matches!(owner, Owner::User { .. }) {
            self.browsing.forget(connection);
        }
    }

    /// The populations, in the order in which they were given.
    #[must_use]
    pub fn populations(&self) -> &[BrowsingPopulation] {
        &self.browsing.populations
    }

    /// Exchanges of each population whose response time has not ended.
    #[must_use]
    pub fn unfinished(&self) -> Vec<u64> {
        self.browsing.unfinished()
    }

    /// Exchanges that a connection has carried or carries; none where it is no user's.
    #[must_use]
    pub fn exchanges(&self, connection: ConnectionId, owner: Owner) -> u32 {
        match owner {
            Owner::User { .. } => self.browsing.connection(connection).map_or(0, |record| record.exchanges),
            Owner::Flow { .. } => 0,
        }
    }

    /// Bytes that reached the receiver of each transfer so far.
    #[must_use]
    pub fn delivered(&self) -> &[u64] {
        self.transfers.delivered()
    }

    /// Each transfer, and when its last byte reached the receiver; none where it has not.
    pub fn transfers(&self) -> impl Iterator<Item = (Transfer, Option<Time>)> {
        self.transfers.all()
    }

    /// Takes the frames of applications that record any: of each the place of its sender's source, and its
    /// frames.
    pub fn take_frames(&mut self) -> Vec<(u32, Vec<VideoCallFrame>)> {
        self.datagrams.take_frames()
    }

    /// The bit rates between which that of a sender of datagrams may be set, by the place of its source; none
    /// where it has none to set.
    #[must_use]
    pub fn bit_rates(&self, source: usize) -> Option<[Rate; 2]> {
        self.datagrams.bit_rates(source)
    }

    /// A sender of datagrams keeps to this bit rate from now on, which is one of [`Session::bit_rates`].
    pub fn keep_to(&mut self, source: usize, rate: Rate) {
        self.datagrams.keep_to(source, rate);
    }

    /// What was recorded so far of the frames of a sender of datagrams; nothing of one without.
    #[must_use]
    pub fn frames(&self, source: usize) -> &[VideoCallFrame] {
        self.datagrams.frames(source)
    }

    /// What was recorded of users, at the end of a run, which is `now`: pages under way stay unfinished.
    #[must_use]
    pub fn into_records(self, now: Time) -> Records {
        self.browsing.into_records(now)
    }
}
