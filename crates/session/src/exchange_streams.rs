//! The exchanges of a connection that gives each a stream of its own.

use crate::streams::Stream;
use aqmlab_transport::StreamId;
use std::collections::BTreeMap;

/// An exchange, and what of it is not at the other end.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    stream: Stream,
    missing_of_request: u64,
    missing_of_response: u64,
}

/// The exchanges of a connection, by their streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeparateStreams {
    under_way: BTreeMap<StreamId, UnderWay>,
    begun: u32,
}

impl SeparateStreams {
    /// The browser asks. Answers with the stream.
    pub(crate) fn ask(&mut self, stream: Stream) -> StreamId {
        let id = StreamId::from_number(self.begun);
        self.begun += 1;
        let missing_of_request = u64::from(stream.request_bytes);
        let missing_of_response = stream.response_bytes;
        self.under_way.insert(id, UnderWay { stream, missing_of_request, missing_of_response });
        id
    }

    /// Bytes of a request have arrived. Answers with the length of the response once all of it is there.
    pub(crate) fn on_server_bytes(&mut self, id: StreamId, bytes: u32) -> Option<u64> {
        let under_way = self.under_way.get_mut(&id)?;
        under_way.missing_of_request -= u64::from(bytes);
        (under_way.missing_of_request == 0).then_some(under_way.stream.response_bytes)
    }

    /// Bytes of a response have arrived. Answers with the exchange once it is complete.
    pub(crate) fn on_browser_bytes(&mut self, id: StreamId, bytes: u32) -> Option<Stream> {
        let under_way = self.under_way.get_mut(&id)?;
        under_way.missing_of_response -= u64::from(bytes);
        if under_way.missing_of_response > 0 {
            return None;
        }
        self.under_way.remove(&id).map(|complete| complete.stream)
    }

    /// Exchanges whose request was written and whose response is not complete.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// The browser has given up. Answers with how many exchanges were under way.
    pub(crate) fn give_up(&mut self) -> usize {
        std::mem::take(&mut self.under_way).len()
    }
}
