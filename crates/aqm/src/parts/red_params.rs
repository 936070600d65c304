//! The parameters that RED and its kin share: declared, checked and turned into a detector in one place.

/// Declares the `Params` of a scheme that decides as RED does: those that all such schemes share, around the
/// scheme's own, each with its default. The schemes differ in the default of `w_q`.
macro_rules! red_params {
    (
        $(#[$about:meta])*
        struct Params {
            w_q = $w_q:expr;
            $($(#[$meaning:meta])* $key:ident: $type:ty = $default:expr,)*
        }
    ) => {
        crate::parts::buffered_params! {
            $(#[$about])*
            struct Params {
                /// Average queue, in packets of mean size, from which on packets are signalled. Unset: half
                /// of the target queue but at least 5, or 5 without a target delay.
                min_th_packets: Option<f64> = None,
                /// Average queue, in packets of mean size, at which the probability reaches max_p. Unset:
                /// three times the lower threshold.
                max_th_packets: Option<f64> = None,
                /// Target of the average queueing delay, in milliseconds, from which the thresholds are
                /// derived, instead of giving them. Unset: none in RED; 5 in Adaptive RED, unless thresholds
                /// are given.
                target_delay_ms: Option<f64> = None,
                /// Weight of each arrival's sample in the average queue: a number, or { time_constant_s = ...
                /// }.
                w_q: crate::parts::Weight = $w_q,
                /// Base probability at max_th.
                max_p: f64 = 0.1,
                $($(#[$meaning])* $key: $type = $default,)*
                /// How signals are spread over the arrivals.
                spacing: crate::parts::Spacing = crate::parts::Spacing::Classic,
                /// How idle time ages the average.
                idle: crate::parts::IdleRule = crate::parts::IdleRule::Paper,
                /// Unit in which the queue is measured.
                measure: crate::parts::Measure = crate::parts::Measure::Packets,
                /// How the probability depends on a packet's size.
                scale_probability: crate::parts::ScaleProbability = crate::parts::ScaleProbability::None,
                /// Length of a mean packet (IP length): the clock of idle time, the unit of the link rate,
                /// and the reference of sizes.
                mean_packet_bytes: u32 = 500,
                /// Length of the largest packet, for scale_probability = "max".
                max_packet_bytes: u32 = 1500,
                /// Whether selected ECN-capable packets are marked, according to ecn_rule, instead of
                /// dropped.
                ecn: bool = false,
                /// What happens to a selected ECN-capable packet.
                ecn_rule: crate::parts::EcnRule = crate::parts::EcnRule::MarkBelowMaxTh,
                /// Base probability below which packets are marked, for ecn_rule = "mark_p": 1 drops only
                /// where it is 1.
                mark_p: f64 = 0.1,
                /// Never select an arrival that finds at most one packet waiting (measured in bytes: at most
                /// one byte).
                spare_nearly_empty: bool = false,
                /// Never select the first arrival after the average has risen above min_th.
                spare_first_in_region: bool = false,
            }
        }

        impl Params {
            const fn given_thresholds(&self) -> crate::parts::Thresholds {
                crate::parts::Thresholds {
                    min_th_packets: self.min_th_packets,
                    max_th_packets: self.max_th_packets,
                    target_delay_ms: self.target_delay_ms,
                }
            }

            const fn settings(&self) -> crate::parts::DetectorSettings {
                crate::parts::DetectorSettings {
                    spacing: self.spacing,
                    gauge: crate::parts::Gauge {
                        measure: self.measure,
                        mean_packet_bytes: self.mean_packet_bytes,
                    },
                    scale: crate::parts::PacketScale {
                        mode: self.scale_probability,
                        mean_packet_bytes: self.mean_packet_bytes,
                        max_packet_bytes: self.max_packet_bytes,
                    },
                    ecn: self.ecn,
                    ecn_rule: self.ecn_rule,
                    mark_p: self.mark_p,
                    spare_nearly_empty: self.spare_nearly_empty,
                    spare_first_in_region: self.spare_first_in_region,
                }
            }

            /// Checks the shared parameters, the thresholds as they are in force.
            fn validate_shared(
                &self,
                thresholds: &crate::parts::Thresholds,
            ) -> Result<(), crate::parameter_error::ParameterError> {
                thresholds.validate()?;
                self.w_q.validate("w_q")?;
                crate::parameter_error::require_share("max_p", self.max_p)?;
                self.settings().validate()
            }

            /// The lower threshold, by the parameter that is in force.
            fn onset_of_thresholds(
                &self,
                facts: &crate::port_facts::PortFacts,
                thresholds: &crate::parts::Thresholds,
            ) -> crate::onset::Onset {
                let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
                let (min_th, _) = thresholds.resolve(packets_per_second);
                let (key, value) = match thresholds.target_delay_ms {
                    Some(target_ms) => ("target_delay_ms", target_ms),
                    None => ("min_th_packets", min_th),
                };
                crate::onset::Onset::of_queue(key, value, min_th, self.settings().gauge)
            }

            /// Thresholds and weight as the detector has them, and the target from which they follow, if they
            /// do.
            fn in_force_at(
                &self,
                facts: &crate::port_facts::PortFacts,
                thresholds: &crate::parts::Thresholds,
            ) -> Vec<(&'static str, f64)> {
                let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
                let (min_th, max_th) = thresholds.resolve(packets_per_second);
                let weight = self.w_q.value(packets_per_second);
                let found = [("min_th_packets", min_th), ("max_th_packets", max_th), ("w_q", weight)];
                let target = thresholds.target_delay_ms.map(|target_ms| ("target_delay_ms", target_ms));
                found.into_iter().chain(target).collect()
            }

            /// The detector whose curve rises to max_p between the thresholds; `shape` says how it goes on.
            fn detector(
                &self,
                facts: &crate::port_facts::PortFacts,
                thresholds: &crate::parts::Thresholds,
                shape: impl FnOnce(crate::parts::RedCurve) -> crate::parts::RedCurve,
            ) -> crate::parts::Detector {
                let settings = self.settings();
                let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
                let (min_th, max_th) = thresholds.resolve(packets_per_second);
                let curve = shape(crate::parts::RedCurve::new(min_th, max_th, self.max_p));
                let average = crate::parts::AverageQueue::new(self.w_q, settings.gauge, self.idle, facts);
                crate::parts::Detector::new(settings, average, curve)
            }
        }
    };
}
pub(crate) use red_params;

/// What such a scheme's [`Parameters`](crate::Parameters) offer alike, by the method that gives the
/// thresholds in force.
macro_rules! red_parameters {
    ($thresholds:ident) => {
        fn onset(&self, facts: &crate::port_facts::PortFacts) -> Option<crate::onset::Onset> {
            Some(self.onset_of_thresholds(facts, &self.$thresholds()))
        }

        fn limit(&self) -> crate::limit::Limit {
            self.buffer()
        }

        fn ecn(&self) -> bool {
            self.ecn
        }

        fn in_force(&self, facts: &crate::port_facts::PortFacts) -> Vec<(&'static str, f64)> {
            self.in_force_at(facts, &self.$thresholds())
        }
    };
}
pub(crate) use red_parameters;
