//! `[[devices]]`: what stands in the home behind a `[line]`.

use super::Decides;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A device in the home. Traffic names it: `device = "phone"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceTable {
    /// Name of the device, and of its machine group.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub name: String,

    /// What it is: says how it is connected where `connection` does not.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub kind: DeviceKind,

    /// How it is connected to the router; absent: phones, tablets and laptops by Wi-Fi, others by wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub connection: Option<Connection>,

    /// Rate of its radio, which its distance to the router decides; absent: 400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub wifi_mbps: Option<f64>,
}

/// Kinds of devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A computer that stays where it is.
    #[default]
    Computer,
    /// A laptop.
    Laptop,
    /// A phone.
    Phone,
    /// A tablet.
    Tablet,
    /// A games console.
    Console,
    /// A television set.
    Television,
}

/// How a device is connected to the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// By a cable of its own.
    Wired,
    /// By the home's radio: its devices send one at a time, in turns of equal airtime, as far as they have
    /// something to send.
    Wifi,
}

/// 802.11ac with two streams in 80 MHz a room away: MCS 5 has 468 Mbit/s (IEEE 802.11-2020, clause 21).
const USUAL_WIFI_MBPS: f64 = 400.0;

impl DeviceTable {
    /// The one device of a home that names none.
    pub(crate) fn only(name: &str) -> Self {
        Self { name: name.to_owned(), kind: DeviceKind::Computer, connection: None, wifi_mbps: None }
    }

    const fn usual_connection(&self) -> Connection {
        match self.kind {
            DeviceKind::Laptop | DeviceKind::Phone | DeviceKind::Tablet => Connection::Wifi,
            DeviceKind::Computer | DeviceKind::Console | DeviceKind::Television => Connection::Wired,
        }
    }

    /// Without what `settle` fills in again.
    pub(crate) fn unsettled(&self) -> Self {
        let usual = self.usual_connection();
        Self {
            connection: self.connection.filter(|own| *own != usual),
            wifi_mbps: self.wifi_mbps.filter(|own| *own != USUAL_WIFI_MBPS),
            ..self.clone()
        }
    }

    /// Fills in what follows from its kind.
    pub(crate) fn settle(&mut self) {
        let usual = self.usual_connection();
        if *self.connection.get_or_insert(usual) == Connection::Wifi {
            self.wifi_mbps.get_or_insert(USUAL_WIFI_MBPS);
        }
    }
}
