//! Large pages for what a run walks at random.
//!
//! With 100,000 users packets touch connections that lie in tens of megabytes. In pages of 4 KiB nearly every
//! one of them misses the processor's table of pages, too.

/// What is smaller stays in small pages, which are a table's worth at most.
const LEAST_BYTES: usize = 8 << 20;

/// A list whose items are found by their places, in large pages where the system has them and it is long.
pub(crate) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() && 2 * size_of_val(list.as_slice()) >= LEAST_BYTES {
        move_to_large_pages(list);
    }
    list.push(item);
}

/// Twice the room, asked for before anything is written there.
#[cold]
#[inline(never)]
fn move_to_large_pages<T>(list: &mut Vec<T>) {
    let mut larger = Vec::with_capacity(2 * list.len());
    advise(larger.as_mut_ptr(), size_of::<T>() * larger.capacity());
    larger.append(list);
    *list = larger;
}

/// Asks for large pages in a stretch of memory. Never changes what a program computes.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise<T>(start: *mut T, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    /// Of the largest pages that are called small.
    const ALIGNMENT: usize = 64 << 10;
    let skipped = start.cast::<u8>().align_offset(ALIGNMENT);
    let Some(rest) = bytes.checked_sub(skipped) else { return };
    // SAFETY: the stretch lies within an allocation of ours, and its contents do not change. What the kernel
    // answers does not matter: without large pages all goes on in small ones.
    let _ =
        unsafe { madvise(start.wrapping_byte_add(skipped).cast(), rest & !(ALIGNMENT - 1), MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_start: *mut T, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_items_when_it_moves() {
        let mut list = Vec::new();
        let items = 3 * LEAST_BYTES as u64 / 8;
        (0..items).for_each(|item| push(&mut list, item));
        assert!((0..items).eq(list));
    }
}
