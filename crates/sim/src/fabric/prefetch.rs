//! Asking for memory before it is needed.
//!
//! With thousands of connections, most of what a delivery touches is not in the nearest caches. A packet that
//! is taken into service will be delivered a few events later: long enough to fetch its connection meanwhile.

/// Has the processor fetch the cache lines of a value. Never changes what a program computes.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start: *const u8 = core::ptr::from_ref(value).cast();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch of any address is allowed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
