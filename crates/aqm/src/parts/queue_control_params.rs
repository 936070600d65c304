//! The parameters that the controllers of a queue share (PI, REM): declared and checked in one place.

/// Declares the `Params` of a scheme that steers the queue to a reference: those that all such schemes share,
/// around the scheme's own, each with its default. The schemes differ in two of the shared defaults.
macro_rules! queue_control_params {
    (
        $(#[$about:meta])*
        struct Params {
            q_ref_packets = $q_ref:expr;
            mean_packet_bytes = $mean:expr;
            $($(#[$meaning:meta])* $key:ident: $type:ty = $default:expr,)*
        }
    ) => {
        crate::parts::buffered_params! {
            $(#[$about])*
            struct Params {
                /// Target queue length, in packets of mean size.
                q_ref_packets: f64 = $q_ref,
                $($(#[$meaning])* $key: $type = $default,)*
                /// Unit in which the queue, and the rate if any, is measured.
                measure: crate::parts::Measure = crate::parts::Measure::Packets,
                /// How the probability depends on a packet's size.
                scale_probability: crate::parts::ScaleProbability = crate::parts::ScaleProbability::None,
                /// Length of a mean packet (IP length): the unit of a queue measured in bytes and of the link
                /// rate, and the reference of sizes.
                mean_packet_bytes: u32 = $mean,
                /// Length of the largest packet, for scale_probability = "max".
                max_packet_bytes: u32 = 1500,
                /// Whether selected ECN-capable packets are marked instead of dropped.
                ecn: bool = false,
            }
        }

        impl Params {
            const fn gauge(&self) -> crate::parts::Gauge {
                crate::parts::Gauge { measure: self.measure, mean_packet_bytes: self.mean_packet_bytes }
            }

            fn onset_of_reference(&self) -> crate::onset::Onset {
                let q_ref = self.q_ref_packets;
                crate::onset::Onset::of_queue("q_ref_packets", q_ref, q_ref, self.gauge())
            }

            const fn scale(&self) -> crate::parts::PacketScale {
                crate::parts::PacketScale {
                    mode: self.scale_probability,
                    mean_packet_bytes: self.mean_packet_bytes,
                    max_packet_bytes: self.max_packet_bytes,
                }
            }

            fn validate_shared(&self) -> Result<(), crate::parameter_error::ParameterError> {
                crate::parameter_error::require_not_negative("q_ref_packets", self.q_ref_packets)?;
                crate::parameter_error::require_packet_bytes("mean_packet_bytes", self.mean_packet_bytes)?;
                crate::parameter_error::require_packet_bytes("max_packet_bytes", self.max_packet_bytes)
            }
        }
    };
}
pub(crate) use queue_control_params;
