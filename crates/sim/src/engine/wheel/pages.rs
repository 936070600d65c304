//! Entries of pages to come, written one after the other.
//!
//! A page is a list of chunks. Chunks that were emptied last are filled first, so memory follows what is
//! pending, and what is written now lies close to what was written just before.

use super::bits::Bits;
use super::entry::{Entry, NONE};

/// How many pages can be told apart.
pub(super) const PAGES: u64 = 512;
const COUNT: usize = 512;
const _: () = assert!(COUNT as u64 == PAGES);
/// Entries of a chunk.
const CHUNK: usize = 16;
const FULL: u32 = 16;
const _: () = assert!(FULL as usize == CHUNK);

#[derive(Clone, Copy)]
struct Page {
    /// The chunk being filled; the others follow, all full.
    chunk: u32,
    /// Entries in it.
    filled: u32,
}
#[derive(Clone)]

pub(super) struct Pages<T> {
    pages: Box<[Page; COUNT]>,
    occupied: Bits<{ COUNT / 64 }>,
    /// Chunk c holds entries 16 c to 16 c + 15.
    entries: Vec<Entry<T>>,
    /// The chunk after each.
    next: Vec<u32>,
    free: u32,
}

/// Where a page is kept, given its number counted from time zero.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // to the bits of a place
const fn number_of(page: u64) -> usize {
    page as usize % COUNT
}

impl<T: Copy> Pages<T> {
    pub(super) fn new() -> Self {
        Self {
            pages: Box::new([Page { chunk: NONE, filled: FULL }; COUNT]),
            occupied: Bits::EMPTY,
            entries: Vec::new(),
            next: Vec::new(),
            free: NONE,
        }
    }

    /// Adds an entry to a page; no two pages that hold something may lie [`PAGES`] or more apart.
    #[inline(always)]
    pub(super) fn push(&mut self, page: u64, entry: Entry<T>) {
        let number = number_of(page);
        if self.pages[number].filled == FULL {
            self.add_chunk(number, entry);
        }
        let page = &mut self.pages[number];
        let place = page.chunk as usize * CHUNK + page.filled as usize;
        page.filled += 1;
        self.entries[place] = entry;
    }

    /// Puts an empty chunk before the others of a page. `filler` is any entry.
    #[inline(never)]
    fn add_chunk(&mut self, number: usize, filler: Entry<T>) {
        let chunk = match self.next.get(self.free as usize) {
            Some(&next) => std::mem::replace(&mut self.free, next),
            None => {
                self.entries.resize(self.entries.len() + CHUNK, filler);
                let place = u32::try_from(self.next.len()).ok().filter(|&place| place != NONE);
                self.next.push(NONE);
                place.expect("as many chunks as have places fill the memory of no machine")
            }
        };
        self.next[chunk as usize] = self.pages[number].chunk;
        self.pages[number] = Page { chunk, filled: 0 };
        self.occupied.insert(number);
    }

    /// At least every entry that waits: taken ones are there until their chunk is filled again.
    pub(super) fn remembered(&self) -> impl Iterator<Item = &Entry<T>> {
        self.entries.iter()
    }

    /// The next page after `page` that holds something.
    pub(super) fn next_after(&self, page: u64) -> Option<u64> {
        let here = number_of(page);
        let found = self.occupied.next_round(here)?;
        Some(page + (found + COUNT - here) as u64 % PAGES)
    }

    /// Takes everything out of a page, in the order in which it was put there.
    #[inline(always)]
    pub(super) fn drain(&mut self, page: u64, mut take: impl FnMut(&Entry<T>)) {
        let number = number_of(page);
        let empty = Page { chunk: NONE, filled: FULL };
        let Page { chunk: last, filled: filled_of_last } = std::mem::replace(&mut self.pages[number], empty);
        self.occupied.remove(number);
        let mut chunk = self.turn_round(last);
        while let Some(next) = self.next.get_mut(chunk as usize) {
            let begin = chunk as usize * CHUNK;
            let filled = if chunk == last { filled_of_last as usize } else { CHUNK };
            self.entries[begin..begin + filled].iter().for_each(&mut take);
            let after = std::mem::replace(next, self.free);
            self.free = chunk;
            chunk = after;
        }
    }

    /// Turns a list of chunks round; answers with its new first one.
    #[inline(always)]
    fn turn_round(&mut self, mut chunk: u32) -> u32 {
        let mut before = NONE;
        while let Some(next) = self.next.get_mut(chunk as usize) {
            let after = std::mem::replace(next, before);
            (before, chunk) = (chunk, after);
        }
        before
    }
}
