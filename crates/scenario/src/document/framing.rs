//! Frames of a link layer: four keys of every network.

/// Declares a table with the keys of frames between its own keys; their defaults are Ethernet's.
macro_rules! framed_table {
    (
        $(#[$about:meta])*
        pub struct $table:ident {
            $($(#[$meaning:meta])* pub $key:ident: $type:ty,)*
            ..framing,
            $($(#[$meaning_behind:meta])* pub $key_behind:ident: $type_behind:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $table {
            $($(#[$meaning])* pub $key: $type,)*

            /// Header and check sequence of a frame, in its bytes.
            #[serde(default = "crate::document::ethernet_overhead")]
            #[schemars(range(max = 10_000))]
            #[schemars(extend("x-decides" = crate::document::Decides::Network))]
            pub layer2_overhead_bytes: u32,

            /// The shortest frame.
            #[serde(default = "crate::document::ethernet_minimum_frame")]
            #[schemars(range(max = 10_000))]
            #[schemars(extend("x-decides" = crate::document::Decides::Network))]
            pub layer2_minimum_frame_bytes: u32,

            /// Preamble and gap between frames: time that frame bytes do not count.
            #[serde(default = "crate::document::ethernet_gap")]
            #[schemars(range(max = 10_000))]
            #[schemars(extend("x-decides" = crate::document::Decides::Network))]
            pub layer2_gap_bytes: u32,

            /// Line code, whose bytes the rate counts too: ATM cells of 53 bytes for 48, PTM's 65 for 64, or
            /// none.
            #[serde(default, skip_serializing_if = "aqmlab_aqm::parts::LineCoding::is_none")]
            #[schemars(extend("x-decides" = crate::document::Decides::Network))]
            pub layer2_coding: aqmlab_aqm::parts::LineCoding,

            $($(#[$meaning_behind])* pub $key_behind: $type_behind,)*
        }

        impl $table {
            /// The frames of its links.
            pub(crate) const fn framing(&self) -> aqmlab_link::Framing {
                aqmlab_link::Framing {
                    overhead_bytes: self.layer2_overhead_bytes,
                    minimum_frame_bytes: self.layer2_minimum_frame_bytes,
                    gap_bytes: self.layer2_gap_bytes,
                    coding: self.layer2_coding,
                }
            }
        }
    };
}
pub(super) use framed_table;

/// IEEE 802.3: 14 bytes of header, 4 of check sequence.
pub(crate) const fn ethernet_overhead() -> u32 {
    18
}

/// IEEE 802.3: 64 bytes, header and check sequence included.
pub(crate) const fn ethernet_minimum_frame() -> u32 {
    64
}

/// IEEE 802.3: 8 bytes of preamble, the time of 12 between frames.
pub(crate) const fn ethernet_gap() -> u32 {
    20
}
