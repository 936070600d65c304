//! What applications, scenarios and reports have to know of a traffic model.

use crate::Handshake;

/// What the connections of a population carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// One exchange at a time; its end is reported as [`crate::UserEvent::Response`].
    Exchanges {
        /// Whether servers close a connection once they have written the response, which is complete only
        /// then.
        servers_close: bool,
    },
    /// Several exchanges at once behind this handshake, each reported by its object:
    /// [`crate::UserEvent::Object`].
    Streams(Handshake),
    /// What a [`crate::ConnectionVector`] says: the driver has both ends write it, and reports nothing of it.
    Dialogues,
}

/// What the users of a population wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// Pages. What they ask for does not depend on the network.
    Pages,
    /// The segments of a video, each from a [`crate::UserEvent::Wake`] to the next
    /// [`crate::Command::Think`]. What they ask for follows what the network carries.
    Segments {
        /// How many a video has.
        per_video: u32,
        /// How many have arrived when its playback begins.
        before_playback: u32,
    },
    /// Nothing: connections of a cloud and of a trace arrive by themselves.
    Nothing,
}

impl WaitsFor {
    /// Whether it is for segments of videos.
    #[must_use]
    pub const fn segments(self) -> bool {
        matches!(self, Self::Segments { .. })
    }
}

/// What others have to know of a traffic model with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// What its connections carry.
    pub connections: Connections,
    /// What users wait for.
    pub waits_for: WaitsFor,
    /// Whether it works between hosts that send one way alone, where request and response take a connection
    /// each.
    pub works_one_way: bool,
}

impl ModelFacts {
    /// Users who wait for pages, over connections that carry one exchange at a time and that the browser
    /// closes.
    pub const USUAL: Self = Self {
        connections: Connections::Exchanges { servers_close: false },
        waits_for: WaitsFor::Pages,
        works_one_way: false,
    };

    /// Whether servers close each connection behind the response.
    #[must_use]
    pub const fn servers_close(&self) -> bool {
        matches!(self.connections, Connections::Exchanges { servers_close: true })
    }
}
