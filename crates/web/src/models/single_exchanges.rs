//! Exchanges under way of a browser whose connections carry one each.

use crate::ConnectionOrdinal;

/// What is being fetched, by its number, which is also the number of its connection.
#[derive(Clone, Debug)]
pub(in crate::models) struct SingleExchanges(Vec<SingleExchange>);

#[derive(Clone, Copy, Debug)]
struct SingleExchange {
    number: u32,
    connected: bool,
}

impl SingleExchanges {
    pub(in crate::models) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(in crate::models) fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::models) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The connection of this number is being opened.
    pub(in crate::models) fn open(&mut self, number: u32) {
        self.0.push(SingleExchange { number, connected: false });
    }

    /// It is established; answers with its number.
    ///
    /// # Panics
    /// If it was not being opened.
    pub(in crate::models) fn connect(&mut self, connection: ConnectionOrdinal) -> u32 {
        let place = self.find(connection);
        let exchange = &mut self.0[place];
        assert!(!exchange.connected, "{connection} established twice");
        exchange.connected = true;
        exchange.number
    }

    /// Its response is complete: it is no longer under way.
    ///
    /// # Panics
    /// If it is not established.
    pub(in crate::models) fn complete(&mut self, connection: ConnectionOrdinal) {
        let place = self.find(connection);
        assert!(self.0[place].connected, "a response on {connection}, which is not established");
        self.0.swap_remove(place);
    }

    /// It gave up: it is no longer under way; answers with its number.
    ///
    /// # Panics
    /// If it is neither open nor being opened.
    pub(in crate::models) fn fail(&mut self, connection: ConnectionOrdinal) -> u32 {
        let place = self.find(connection);
        self.0.swap_remove(place).number
    }

    /// Gives the memory of the list back: most users think, most of the time.
    pub(in crate::models) fn release(&mut self) {
        self.0 = Vec::new();
    }

    /// Memory of the list, in bytes.
    pub(in crate::models) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<SingleExchange>()
    }

    fn find(&self, connection: ConnectionOrdinal) -> usize {
        let found = self.0.iter().position(|exchange| exchange.number == connection.number());
        found.unwrap_or_else(|| panic!("{connection} is not there"))
    }
}
