//! What a middle box does to the ECN field of the packets that pass it.

use aqmlab_aqm::Codepoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a box in front of a link makes of the ECN field of every packet (RFC 3168 section 18 has what is
/// legal).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnField {
    /// Every packet keeps its codepoint.
    #[default]
    Kept,
    /// Every packet is not ECN-capable from there on, and a mark is lost: bleaching.
    Cleared,
    /// Every packet is marked from there on, those that are not ECN-capable too.
    CeOnAll,
    /// Every ECN-capable packet is marked from there on.
    CeOnEct,
}

impl EcnField {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        *self == Self::Kept
    }

    /// The codepoint behind the box of a packet that came with another.
    #[must_use]
    pub const fn behind(self, came: Codepoint) -> Codepoint {
        match self {
            Self::Kept => came,
            Self::Cleared => Codepoint::NotEct,
            Self::CeOnAll => Codepoint::Ce,
            Self::CeOnEct => match came {
                Codepoint::NotEct => Codepoint::NotEct,
                _ => Codepoint::Ce,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Codepoint::{Ce, Ect0, Ect1, NotEct};

    #[test]
    fn a_box_changes_what_it_is_called_by() {
        let behind = |field: EcnField| [NotEct, Ect0, Ect1, Ce].map(|came| field.behind(came));
        assert_eq!(behind(EcnField::Kept), [NotEct, Ect0, Ect1, Ce]);
        assert_eq!(behind(EcnField::Cleared), [NotEct; 4]);
        assert_eq!(behind(EcnField::CeOnAll), [Ce; 4]);
        assert_eq!(behind(EcnField::CeOnEct), [NotEct, Ce, Ce, Ce]);
    }
}
