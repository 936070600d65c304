//! What the senders of long-lived flows know, over time, for those who ask
//! (`record.congestion_window_interval_ms`).

use crate::fabric::Fabric;
use aqmlab_driver::{CongestionWindows, SenderSample};
use aqmlab_session::Owner;
use aqmlab_units::Time;

/// Samples every flow that has a connection open, if that is due at `now`. The end that opened the connection
/// is the one that sends.
pub(crate) fn sample(windows: &mut CongestionWindows, now: Time, fabric: &Fabric) {
    if !windows.strikes(now) {
        return;
    }
    for (_, connection) in fabric.open_connections() {
        let Owner::Flow { flow } = connection.owner else { continue };
        let Some(sender) = connection.ends[0].tcp() else { continue };
        let context = fabric.context_of_sender(connection);
        let sample = SenderSample {
            congestion_window_bytes: sender.congestion_window_bytes(context.profile),
            slow_start_threshold_bytes: sender.slow_start_threshold_bytes(context.profile),
            outstanding_bytes: sender.outstanding(),
            smoothed_round_trip: sender.smoothed_round_trip(&context),
            retransmission_timeout: sender.retransmission_timeout(&context),
        };
        windows.sample(now, flow, &sample);
    }
}
