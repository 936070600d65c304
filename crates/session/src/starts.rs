//! Starting many applications at once, which a driver may want to stop.

/// Users, flows or sources that start between two questions to the driver whether to go on.
const STARTS_BETWEEN_CHECKS: usize = 1 << 10;

/// Asks whether to go on before the application at `place` starts, at the first and now and then.
///
/// # Errors
/// What `check` says.
pub(crate) fn check_now_and_then<E>(place: usize, check: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    if place % STARTS_BETWEEN_CHECKS == 0 { check() } else { Ok(()) }
}
