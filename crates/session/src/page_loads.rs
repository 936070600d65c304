//! The page that each user waits for; of a viewer the segment of a video.
//!
//! A page begins when its user wants it, her think time over, and ends when the response time of its last
//! object ends or that object has failed. Handshakes, objects that wait for a connection and the round trips
//! between them lie within it: it is what a person waits for. Of a page that was under way when the run began
//! it is not known how long it was waited for under this queue: it has a number, and no load time.

use aqmlab_record::{PageLoad, Settled};
use aqmlab_units::Time;

/// The page of a user who waits, or the number of her next one.
#[derive(Clone, Copy, Debug)]
struct PageUnderWay {
    /// `Time::MAX` while she thinks, and of a page that was under way when the run began.
    began: Time,
    /// When the last object so far was there or failed.
    latest: Time,
    response_bytes: u64,
    page: u32,
    objects: u32,
    failed_objects: u32,
}

impl PageUnderWay {
    const fn none(page: u32) -> Self {
        Self { began: Time::MAX, latest: Time::ZERO, response_bytes: 0, page, objects: 0, failed_objects: 0 }
    }

    fn is_under_way_since(&self, before: Time) -> bool {
        self.began < before
    }

    fn load(&self, (population, user): (u16, u32), seen_until: Time, ended: bool) -> PageLoad {
        let Self { began, response_bytes, page, objects, failed_objects, .. } = *self;
        PageLoad { began, seen_until, ended, population, user, page, objects, failed_objects, response_bytes }
    }
}

/// The pages that the users of a population wait for.
#[derive(Clone, Debug)]
pub(crate) struct PageLoads {
    of_users: Vec<PageUnderWay>,
    settled: Settled,
}

impl PageLoads {
    /// Of so many users, who think.
    pub(crate) fn new(users: usize) -> Self {
        Self { of_users: vec![PageUnderWay::none(0); users], settled: Settled::default() }
    }

    /// A user asks for her next page, or for more of the one that she waits for.
    pub(crate) fn begin(&mut self, user: u32, now: Time) {
        let page = &mut self.of_users[user as usize];
        if page.began == Time::MAX {
            page.began = now;
            page.latest = now;
        }
    }

    /// An object of her page has arrived; answers with the number of the page.
    pub(crate) fn object_arrived(&mut self, user: u32, now: Time, response_bytes: u64) -> u32 {
        let page = &mut self.of_users[user as usize];
        page.latest = now;
        page.objects += 1;
        page.response_bytes += response_bytes;
        page.page
    }

    /// An object of her page will never come.
    pub(crate) fn object_failed(&mut self, user: u32, now: Time) {
        let page = &mut self.of_users[user as usize];
        page.latest = now;
        page.failed_objects += 1;
    }

    /// She thinks: her page is over, if she waited for one. Answers with its load, if it began in the run.
    pub(crate) fn end(&mut self, population: u16, user: u32) -> Option<PageLoad> {
        let page = &mut self.of_users[user as usize];
        if page.began == Time::MAX && page.objects + page.failed_objects == 0 {
            return None;
        }
        let ended = std::mem::replace(page, PageUnderWay::none(page.page + 1));
        (ended.began < Time::MAX).then(|| ended.load((population, user), ended.latest, true))
    }

    /// Whether no page that was begun before an instant, which has passed, is under way. What was under way
    /// when the run began is not recorded, and so not waited for.
    pub(crate) fn are_settled(&mut self, before: Time) -> bool {
        let of_users = &self.of_users;
        self.settled.are_all(of_users.len(), |user| !of_users[user].is_under_way_since(before))
    }

    /// The same of segments, and whether the playback of each video has begun that was asked for before the
    /// instant. Of a video asked for later with few segments this says no as well.
    pub(crate) fn are_playing(&mut self, before: Time, per_video: u32, before_playback: u32) -> bool {
        let of_users = &self.of_users;
        self.settled.are_all(of_users.len(), |user| {
            let segment = &of_users[user];
            let arrived = segment.page % per_video.max(1);
            !segment.is_under_way_since(before) && (arrived == 0 || arrived >= before_playback)
        })
    }

    /// The pages that are under way at the end of a run.
    pub(crate) fn unfinished(&self, population: u16, now: Time) -> impl Iterator<Item = PageLoad> {
        let waiting = (0..).zip(&self.of_users).filter(|(_, page)| page.began < Time::MAX);
        waiting.map(move |(user, page)| page.load((population, user), now, false))
    }
}

/// Bytes that the page of a user takes.
pub const PAGE_BYTES_PER_USER: usize = size_of::<PageUnderWay>();
