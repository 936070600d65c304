//! A channel that several links share: one of them sends at a time, whoever has something to send.
//!
//! ```text
//! tag of a transmission    S = max(V, F of its link);  V = S
//! when it is over          F = S + the time that it took
//! next                     of the links that have something to send the one with the least max(V, F); of equals
//!                          the first
//! nobody has anything      V = the greatest F
//! ```
//!
//! Source: P. Goyal, H. Vin and H. Cheng, *Start-time fair queueing* (SIGCOMM 1996), section 2, with airtime
//! in the place of bytes, as Linux shares it among stations (T. Høiland-Jørgensen and others, *Ending the
//! anomaly*, USENIX ATC 2017, section 3.2). Links that always have something get equal airtime, to within one
//! transmission; what one does not need is the others', and nobody saves it up.
//!
//! The driver keeps the links. It [holds](crate::Link::hold) those that do not send, and asks the
//! [next](Channel::next) one when a transmission is over: no link waits for an instant of its own.

use aqmlab_units::{Span, Time};

/// The turns of the links on a channel.
#[derive(Clone, Debug)]
pub struct Channel {
    members: Vec<Member>,
    /// V: the tag of the present or last transmission.
    virtual_time: Span,
    /// The member that sends, and since when.
    sends: Option<(usize, Time)>,
}

#[derive(Clone, Debug)]
struct Member {
    /// As the driver numbers it.
    link: usize,
    /// F: the end of its last transmission in airtime.
    finished: Span,
    /// Whether it was asked since the last transmission.
    asked: bool,
}

impl Channel {
    /// A channel of links with these numbers, on which nobody sends.
    #[must_use]
    pub fn new(links: impl IntoIterator<Item = usize>) -> Self {
        let member = |link| Member { link, finished: Span::ZERO, asked: false };
        Self { members: links.into_iter().map(member).collect(), virtual_time: Span::ZERO, sends: None }
    }

    /// The numbers of its links.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().map(|member| member.link)
    }

    /// A link begins to send. The others are to be [held](crate::Link::hold): `hold` is called with each.
    ///
    /// # Panics
    /// If another link sends, or the link is not on the channel.
    pub fn begin(&mut self, link: usize, now: Time, hold: impl FnMut(usize)) {
        assert!(self.sends.is_none(), "one link sends at a time");
        let place = self.members.iter().position(|member| member.link == link);
        let place = place.expect("the link is on the channel");
        self.virtual_time = self.tag(place);
        self.members.iter_mut().for_each(|member| member.asked = false);
        self.sends = Some((place, now));
        self.links().filter(|&other| other != link).for_each(hold);
    }

    /// The transmission is over. No link is to be held any more: `release` is called with each.
    ///
    /// # Panics
    /// If nobody sends.
    pub fn end(&mut self, now: Time, release: impl FnMut(usize)) {
        let (place, since) = self.sends.take().expect("a link sends");
        self.members[place].finished = self.virtual_time + (now - since);
        self.links().for_each(release);
    }

    /// The link that is asked next after a transmission, of those that have something to send; each once,
    /// until one begins. None where none is left: nobody sends, and whoever does next begins a busy period.
    pub fn next(&mut self, mut has_something: impl FnMut(usize) -> bool) -> Option<usize> {
        let waiting = (0..self.members.len())
            .filter(|&place| !self.members[place].asked && has_something(self.members[place].link));
        let Some(place) = waiting.min_by_key(|&place| self.tag(place)) else {
            let greatest = self.members.iter().map(|member| member.finished).max();
            self.virtual_time = self.virtual_time.max(greatest.unwrap_or_default());
            self.members.iter_mut().for_each(|member| member.asked = false);
            return None;
        };
        self.members[place].asked = true;
        Some(self.members[place].link)
    }

    fn tag(&self, place: usize) -> Span {
        self.virtual_time.max(self.members[place].finished)
    }
}
