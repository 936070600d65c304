//! The parameters that the controllers of a queue share (PI, REM): declared and checked in one place.

/// Declares the `Params` of a scheme that steers the queue to a reference: those that all such schemes share, around the
/// scheme's own, each with its default. The schemes differ in two of the shared defaults.
macro_rules! queue_control_params {
    (
        $(#[$about:meta])*
        struct Params {
            q_ref_packets = $q_ref:expr;
            mean_packet_bytes = $mean:expr;
            $($(#[$meaning:meta])* $key:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Params {
            /// Packets that may wait. At least one of the two limits has to be given.
            pub limit_packets: Option<u32>,
            /// Bytes (IP lengths) that may wait.
            pub limit_bytes: Option<u64>,
            /// What a limit of L means.
            pub limit_rule: crate::parts::LimitRule,
            /// Queue that is aimed at, in packets of mean size.
            pub q_ref_packets: f64,
            $($(#[$meaning])* pub $key: $type,)*
            /// In what the queue is measured, and the rate where there is one.
            pub measure: crate::parts::Measure,
            /// How the probability depends on a packet's size.
            pub scale_probability: crate::parts::ScaleProbability,
            /// Length of a mean packet (IP length): the unit of a queue measured in bytes and of the link rate, and the
            /// reference of sizes.
            pub mean_packet_bytes: u32,
            /// Length of the largest packet, for scale_probability = "max".
            pub max_packet_bytes: u32,
            /// Whether selected packets that are ECN-capable are marked instead of dropped.
            pub ecn: bool,
        }

        impl Default for Params {
            fn default() -> Self {
                Self {
                    limit_packets: None,
                    limit_bytes: None,
                    limit_rule: crate::parts::LimitRule::HoldLimit,
                    q_ref_packets: $q_ref,
                    $($key: $default,)*
                    measure: crate::parts::Measure::Packets,
                    scale_probability: crate::parts::ScaleProbability::None,
                    mean_packet_bytes: $mean,
                    max_packet_bytes: 1500,
                    ecn: false,
                }
            }
        }

        impl Params {
            const fn buffer(&self) -> crate::parts::Limit {
                crate::parts::Limit {
                    packets: self.limit_packets,
                    bytes: self.limit_bytes,
                    rule: self.limit_rule,
                }
            }

            const fn gauge(&self) -> crate::parts::Gauge {
                crate::parts::Gauge { measure: self.measure, mean_packet_bytes: self.mean_packet_bytes }
            }

            const fn scale(&self) -> crate::parts::PacketScale {
                crate::parts::PacketScale {
                    mode: self.scale_probability,
                    mean_packet_bytes: self.mean_packet_bytes,
                    max_packet_bytes: self.max_packet_bytes,
                }
            }

            fn validate_shared(&self) -> Result<(), crate::parameters::ParameterError> {
                crate::parameters::require_not_negative("q_ref_packets", self.q_ref_packets)?;
                crate::parameters::require_packet_bytes("mean_packet_bytes", self.mean_packet_bytes)?;
                crate::parameters::require_packet_bytes("max_packet_bytes", self.max_packet_bytes)
            }
        }
    };
}
pub(crate) use queue_control_params;
