//! Somebody who watches videos: a state machine that a driver tells what happened.

use super::VideoStreamingModel;
use super::buffer::PlaybackBuffer;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, StartRule};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// Somebody who watches videos.
#[derive(Clone, Debug)]
pub struct Viewer {
    key: Key,
    /// The video, counted from 0.
    video: u32,
    /// The segment of it that is wanted next, or under way.
    segment: u32,
    /// Requests of this video, failed ones included.
    requests: u32,
    /// Connections of this video that were opened.
    opened: u32,
    connection: Option<Open>,
    /// Bytes of the segment under way.
    under_way: Option<u64>,
    buffer: PlaybackBuffer,
}

/// The open connection, or the one that is being opened.
#[derive(Clone, Copy, Debug)]
struct Open {
    ordinal: ConnectionOrdinal,
    established: bool,
}

impl Viewer {
    pub(super) const fn new(key: Key) -> Self {
        Self {
            key,
            video: 0,
            segment: 0,
            requests: 0,
            opened: 0,
            connection: None,
            under_way: None,
            buffer: PlaybackBuffer::empty(),
        }
    }

    /// The first video begins within a segment's length, or within the spread of a fresh start.
    pub(super) fn start(&self, start: StartRule, model: &VideoStreamingModel, out: &mut Vec<Command>) {
        let within = match start {
            StartRule::Steady | StartRule::Stationary => model.segment,
            StartRule::Fresh { spread } => spread,
        };
        let wait = within.seconds() * self.key.named("start").uniform(0);
        out.push(Command::Think { until: Time::ZERO + Span::from_seconds(wait) });
    }

    pub(super) fn request_segment(&mut self, now: Time, model: &VideoStreamingModel, out: &mut Vec<Command>) {
        assert!(self.under_way.is_none(), "woken while a segment is under way");
        self.buffer.play_until(now);
        self.under_way = Some(model.segment_bytes(self.buffer.level()));
        match self.connection {
            Some(open) => out.push(self.request(open.ordinal, model)),
            None => self.open(model, out),
        }
    }

    pub(super) fn on_connected(
        &mut self,
        connection: ConnectionOrdinal,
        model: &VideoStreamingModel,
        out: &mut Vec<Command>,
    ) {
        let open = self.connection.as_mut().filter(|open| open.ordinal == connection && !open.established);
        open.unwrap_or_else(|| panic!("{connection} was not being opened")).established = true;
        out.push(self.request(connection, model));
    }

    pub(super) fn on_segment(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &VideoStreamingModel,
        out: &mut Vec<Command>,
    ) {
        assert!(self.under_way.take().is_some(), "no segment was expected on {connection}");
        self.buffer.play_until(now);
        self.buffer.add(model.segment, model.playback_begins_at);
        self.segment += 1;
        if self.segment == model.parameters.segments_per_video {
            return self.end_video(now, model, out);
        }
        let room_for_one = model.buffer_at_most - model.segment;
        out.push(Command::Think { until: now + self.buffer.until_down_to(room_for_one) });
    }

    /// Answers with the exchange that was under way on the connection, or waited for its opening: it is asked
    /// for again over another one.
    pub(super) fn on_failed(
        &mut self,
        connection: ConnectionOrdinal,
        model: &VideoStreamingModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let open = self.connection.take().filter(|open| open.ordinal == connection);
        let open = open.unwrap_or_else(|| panic!("{connection} is not open"));
        let bytes = self.under_way?;
        self.requests += u32::from(!open.established);
        let failed = self.exchange(self.requests - 1, bytes, model);
        self.open(model, out);
        Some(failed)
    }

    fn video_key(&self) -> Key {
        self.key.named("video").indexed(u64::from(self.video))
    }

    fn open(&mut self, model: &VideoStreamingModel, out: &mut Vec<Command>) {
        let (video, ordinal) = (self.video_key(), ConnectionOrdinal::new(self.opened));
        self.opened += 1;
        self.connection = Some(Open { ordinal, established: false });
        out.push(Command::Open {
            connection: ordinal,
            visit: self.video,
            server: video.named("server").below(0, u64::from(model.parameters.server_count)) as u32,
            machine: None,
            delay: MinimumDelay::Drawn(video.named("delay").uniform(0)),
            persistent: true,
            reopened: false,
        });
    }

    fn request(&mut self, connection: ConnectionOrdinal, model: &VideoStreamingModel) -> Command {
        let bytes = self.under_way.expect("a request is for a segment");
        self.requests += 1;
        Command::Request { connection, exchange: self.exchange(self.requests - 1, bytes, model) }
    }

    fn exchange(&self, request: u32, response_bytes: u64, model: &VideoStreamingModel) -> Exchange {
        Exchange {
            object: request,
            page: self.segment,
            kind: ObjectKind::TopLevel,
            on_persistent_connection: true,
            request_bytes: model.parameters.request_bytes,
            response_bytes,
            server_time: Span::ZERO,
            server_closes: false,
        }
    }

    /// What is in the buffer is played, then comes a pause.
    fn end_video(&mut self, now: Time, model: &VideoStreamingModel, out: &mut Vec<Command>) {
        let pause = model.pause_seconds.draw(self.video_key().named("pause"), 0);
        let until = now + self.buffer.level() + Span::from_seconds(pause);
        let open = self.connection.take().expect("the last segment came over a connection");
        out.push(Command::Close { connection: open.ordinal });
        out.push(Command::Think { until });
        self.video = self.video.wrapping_add(1);
        (self.segment, self.requests, self.opened) = (0, 0, 0);
        self.buffer = PlaybackBuffer::empty();
    }
}
