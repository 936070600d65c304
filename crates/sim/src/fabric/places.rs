//! Places for what stands beside packets under way, which name their place. One that is taken is free again.

/// Things of one kind, each in its place until it is taken.
#[derive(Clone)]
pub(crate) struct Places<T> {
    row: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { row: Vec::new(), free: Vec::new() }
    }
}

impl<T: Default> Places<T> {
    /// Keeps a thing. Answers with its place.
    #[inline]
    pub(crate) fn keep(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.row[place as usize] = thing;
            return place;
        }
        let place = u32::try_from(self.row.len()).ok();
        self.row.push(thing);
        place.expect("as many packets as have places fill the memory of no machine")
    }

    /// What stands in a place.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> &T {
        &self.row[place as usize]
    }

    /// The packet that names this place is under way no more. Answers with what stood there.
    #[inline]
    pub(crate) fn take(&mut self, place: u32) -> T {
        self.free.push(place);
        std::mem::take(&mut self.row[place as usize])
    }

    /// As [`Places::take`], of what is copied: the place keeps it until another takes its place.
    #[inline]
    pub(crate) fn release(&mut self, place: u32) -> &T
    where
        T: Copy,
    {
        self.free.push(place);
        &self.row[place as usize]
    }

    /// How many places are taken.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.row.len() - self.free.len()
    }
}
