//! Sources of datagrams: the ends of applications (`aqmlab-applications`), woken and told what arrives.
//!
//! A source owns no connection. It is woken for each packet, sends it, and asks to be woken for the next. An
//! application has one source for its sender, and one for its receiver where that sends packets of its own.

use crate::starts::check_now_and_then;
use crate::transport::{Alarm, Datagram, DatagramSourceId, Transport};
use aqmlab_applications::{Application, End, Next, Step};
use aqmlab_record::{Settled, VideoCallFrame};
use aqmlab_units::{Rate, Time};

/// One source, as it is set up.
#[derive(Clone)]
pub struct DatagramSource {
    /// When it is woken first.
    pub starts: Time,
    /// From when on it sends nothing.
    pub stops: Time,
    /// Whose packets it sends.
    pub sends: DatagramsOf,
}

/// Whose packets a source sends.
#[derive(Clone)]
pub enum DatagramsOf {
    /// The sender's of an application.
    Sender(Box<dyn Application>),
    /// Those of the receiver of an application.
    Receiver {
        /// The place of the sender's source among all.
        sender: usize,
    },
    /// What has arrived of another source and is sent back, which takes no application.
    Echo,
}

/// A source at work.
#[derive(Clone)]
struct Source {
    starts: Time,
    stops: Time,
    /// The application by its place, and which end of it this is; none if nothing is woken here.
    end: Option<(usize, End)>,
    /// The source of the other end, where there is one.
    other: Option<usize>,
    /// When it is to be woken next: where time is real it is a little later.
    due: Time,
    /// Datagrams so far.
    sequence: u32,
}

/// All sources of a run.
#[derive(Clone)]
pub(crate) struct DatagramSources {
    all: Vec<Source>,
    applications: Vec<Box<dyn Application>>,
    settled: Settled,
}

impl DatagramSources {
    pub(crate) fn new(settings: Vec<DatagramSource>) -> Self {
        let all = Vec::with_capacity(settings.len());
        let mut sources = Self { all, applications: Vec::new(), settled: Settled::default() };
        settings.into_iter().for_each(|source| sources.add(source));
        sources
    }

    /// Adds a source, a receiver's after its sender's.
    fn add(&mut self, settings: DatagramSource) {
        let DatagramSource { starts, stops, sends } = settings;
        let (end, other) = match sends {
            DatagramsOf::Sender(application) => {
                self.applications.push(application);
                (Some((self.applications.len() - 1, End::Sender)), None)
            }
            DatagramsOf::Receiver { sender } => {
                self.all[sender].other = Some(self.all.len());
                (self.all[sender].end.map(|(application, _)| (application, End::Receiver)), Some(sender))
            }
            DatagramsOf::Echo => (None, None),
        };
        self.all.push(Source { starts, stops, end, other, due: starts, sequence: 0 });
    }

    pub(crate) fn start<E>(
        &self,
        transport: &mut impl Transport,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for (place, source) in self.all.iter().enumerate() {
            check_now_and_then(place, &mut check)?;
            if source.starts < source.stops && source.end.is_some() {
                let alarm = Alarm::Datagrams { source: DatagramSourceId::of(place) };
                transport.wake_at(source.starts, alarm);
            }
        }
        Ok(())
    }

    /// A source is woken. An alarm for what has been done already, as something heard came before it, is
    /// passed over.
    pub(crate) fn wake(&mut self, source: DatagramSourceId, transport: &mut impl Transport) {
        let own = &mut self.all[source.place()];
        let now = transport.now();
        let Some((application, end)) = own.end.filter(|_| now >= own.due) else { return };
        let application = &mut self.applications[application];
        loop {
            let Step { sends, next } = application.wake(end, own.due, now);
            if let Some(ip_bytes) = sends {
                transport.send(&Datagram { source, sequence: own.sequence, ip_bytes });
                own.sequence = own.sequence.wrapping_add(1);
            }
            own.due = match next {
                Next::AtOnce => continue,
                Next::At(instant) => instant,
                Next::Never => Time::MAX,
            };
            if own.due < own.stops {
                transport.wake_at(own.due, Alarm::Datagrams { source });
            }
            return;
        }
    }

    /// A datagram of a source has arrived, at the other end of its application.
    pub(crate) fn hear(&mut self, source: DatagramSourceId, sequence: u32, transport: &mut impl Transport) {
        let Source { end, other, .. } = self.all[source.place()];
        let Some((application, from)) = end else { return };
        let wanted = self.applications[application].hear(from, sequence, transport.now());
        let (Some(due), Some(other)) = (wanted, other) else { return };
        let own = &mut self.all[other];
        if due < own.due && due < own.stops {
            own.due = due;
            transport.wake_at(due, Alarm::Datagrams { source: DatagramSourceId::of(other) });
        }
    }

    /// Whether what is recorded of frames captured before an instant, which has passed, is final.
    pub(crate) fn are_settled(&mut self, before: Time) -> bool {
        let applications = &self.applications;
        self.settled.are_all(applications.len(), |application| applications[application].is_settled(before))
    }

    /// The application of a sender; none of a source of another kind.
    fn sender(&self, source: usize) -> Option<usize> {
        match self.all[source].end {
            Some((application, End::Sender)) => Some(application),
            _ => None,
        }
    }

    /// The bit rates between which that of a sender may be set: see [`Application::bit_rates`].
    pub(crate) fn bit_rates(&self, source: usize) -> Option<[Rate; 2]> {
        self.applications[self.sender(source)?].bit_rates()
    }

    /// A sender keeps to this bit rate: see [`Application::keep_to`].
    pub(crate) fn keep_to(&mut self, source: usize, rate: Rate) {
        if let Some(application) = self.sender(source) {
            self.applications[application].keep_to(rate);
        }
    }

    /// What was recorded so far of the frames of a sender.
    pub(crate) fn frames(&self, source: usize) -> &[VideoCallFrame] {
        self.sender(source).map_or(&[], |application| self.applications[application].frames())
    }

    /// Takes the frames of all applications that record any: of each the place of its sender's source, and
    /// its frames.
    pub(crate) fn take_frames(&mut self) -> Vec<(u32, Vec<VideoCallFrame>)> {
        let mut taken = Vec::new();
        for (place, source) in (0..).zip(&self.all) {
            let Some((application, End::Sender)) = source.end else { continue };
            let frames = self.applications[application].take_frames();
            taken.extend(frames.map(|frames| (place, frames)));
        }
        taken
    }
}
