//! What is usual of a line by its technology: one table, from which a `[line]` takes what it does not say.
//!
//! Where each number comes from, and how sure it is: `docs/reference/presets.md`.

use aqmlab_aqm::parts::{LineCoding, LinkLayer};
use aqmlab_link::Medium;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of access line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Technology {
    /// Television cable (DOCSIS).
    Cable,
    /// VDSL2, from a cabinet in the street.
    Vdsl,
    /// ADSL2+ over ATM.
    Adsl,
    /// Fibre to the home.
    Fibre,
    /// LTE at a fixed place: rates vary.
    Lte,
    /// 5G at a fixed place: rates vary.
    #[serde(rename = "5g")]
    FiveG,
    /// Satellites in low orbits: rates vary.
    Starlink,
    /// Any other, whose rates count IP packets.
    Other,
}

/// How a line frames packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LineFraming {
    /// Rates count IP packets.
    None,
    /// Ethernet with preamble and gap: 38 bytes a packet, 84 at least.
    Ethernet,
    /// DOCSIS, whose rates count Ethernet frames: 18 bytes a packet, 64 at least.
    Docsis,
    /// PTM with PPPoE: 30 bytes a packet, 65 bytes for 64.
    Ptm,
    /// ATM with PPPoE over LLC/SNAP: 40 bytes a packet, in whole cells of 53 bytes for 48.
    Atm,
}

impl LineFraming {
    /// What each packet costs: tc-cake(8), "Overhead compensation parameters", by the names `docsis`,
    /// `ethernet`, `pppoe-ptm` and `pppoe-llcsnap`.
    pub(crate) const fn link_layer(self) -> LinkLayer {
        let (overhead_bytes, minimum_frame_bytes, coding) = match self {
            Self::None => (0, 0, LineCoding::None),
            Self::Ethernet => (38, 84, LineCoding::None),
            Self::Docsis => (18, 64, LineCoding::None),
            Self::Ptm => (30, 0, LineCoding::Ptm),
            Self::Atm => (40, 0, LineCoding::Atm),
        };
        LinkLayer { overhead_bytes, minimum_frame_bytes, coding }
    }
}

/// What is usual.
pub(crate) struct Usual {
    pub(crate) down_mbps: f64,
    pub(crate) up_mbps: f64,
    pub(crate) delay_ms: f64,
    /// How long what waits at the far side of the line takes at the rate down.
    pub(crate) provider_buffer_ms: f64,
    /// How long what waits in the modem takes at the rate up.
    pub(crate) modem_buffer_ms: f64,
    /// The framing without a word, and others that such lines have.
    pub(crate) framing: &'static [LineFraming],
    /// Coefficient of variation and correlation time in seconds of rates that vary.
    variation: Option<(f64, f64)>,
}

impl Usual {
    /// How the rates vary, if they do.
    pub(crate) fn medium(&self) -> Option<Medium> {
        let (coefficient_of_variation, correlation_time_s) = self.variation?;
        let varying = serde_json::json!({ "varying_rate": {
            "coefficient_of_variation": coefficient_of_variation,
            "correlation_time_s": correlation_time_s,
        }});
        Some(serde_json::from_value(varying).expect("a medium with both of its numbers"))
    }
}

impl Technology {
    /// What is usual of it.
    pub(crate) fn usual(self) -> Usual {
        const WIRED: &[LineFraming] = &[LineFraming::None, LineFraming::Ethernet];
        let usual = |rates: [f64; 2], delay_ms, buffers: [f64; 2], framing, variation| Usual {
            down_mbps: rates[0],
            up_mbps: rates[1],
            delay_ms,
            provider_buffer_ms: buffers[0],
            modem_buffer_ms: buffers[1],
            framing,
            variation,
        };
        match self {
            Self::Cable => usual(
                [100.0, 10.0],
                5.0,
                [100.0, 250.0],
                &[LineFraming::Docsis, LineFraming::None, LineFraming::Ethernet],
                None,
            ),
            Self::Vdsl => {
                usual([50.0, 10.0], 6.0, [130.0, 260.0], &[LineFraming::Ptm, LineFraming::Atm], None)
            }
            Self::Adsl => {
                usual([16.0, 1.0], 20.0, [130.0, 640.0], &[LineFraming::Atm, LineFraming::Ptm], None)
            }
            Self::Fibre => usual([300.0, 150.0], 1.0, [100.0, 100.0], WIRED, None),
            Self::Lte => usual([30.0, 8.0], 20.0, [1000.0, 1000.0], WIRED, Some((0.3, 5.0))),
            Self::FiveG => usual([200.0, 30.0], 10.0, [500.0, 500.0], WIRED, Some((0.3, 5.0))),
            Self::Other => usual(
                [100.0, 10.0],
                5.0,
                [100.0, 250.0],
                &[
                    LineFraming::None,
                    LineFraming::Ethernet,
                    LineFraming::Docsis,
                    LineFraming::Ptm,
                    LineFraming::Atm,
                ],
                None,
            ),
            Self::Starlink => usual([150.0, 15.0], 15.0, [150.0, 400.0], WIRED, Some((0.25, 15.0))),
        }
    }
}
