//! The parameters of the buffer, which every scheme with one queue has: declared in one place.

/// Declares the `Params` of a scheme: the limits of its buffer, and behind them the scheme's own, each with
/// its default.
macro_rules! buffered_params {
    (
        $(#[$about:meta])*
        struct Params {
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
            $($(#[$meaning])* pub $key: $type,)*
        }

        impl Default for Params {
            fn default() -> Self {
                Self {
                    limit_packets: None,
                    limit_bytes: None,
                    limit_rule: crate::parts::LimitRule::HoldLimit,
                    $($key: $default,)*
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
        }
    };
}
pub(crate) use buffered_params;
