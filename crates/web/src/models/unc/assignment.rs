//! Assignment: which object of a page travels on which connection.
//!
//! A pure function of the page and of what earlier pages of the visit left over. It knows nothing of the
//! order in which responses arrive, so no queue can change it.

/// How many requests a connection carries in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) requests: u32,
    pub(super) persistent: bool,
}

/// How many objects a page has, the top-level one included, and from how many servers they come. Object j
/// (from 0, the top-level one) comes from server slot j mod `servers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageShape {
    pub(super) objects: u32,
    pub(super) servers: u32,
}

/// What has become of the connection itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// No command to open it was given yet.
    NotOpened,
    /// Between the command to open it and the news that it is established.
    Connecting,
    /// Established.
    Open,
    /// It gave up, or the server closed it; it is opened again when it is needed.
    Lost,
    /// Closed by the browser: nothing more may be said about it.
    Closed,
}

/// A connection of the visit with its part of the current page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedConnection {
    pub(super) ordinal: u32,
    /// Requests that later pages of the visit may still put on it.
    pub(super) quota_left: u32,
    /// Objects of this page that it has still to bring, the one in progress included.
    pub(super) remaining: u32,
    /// The next of them (or the one in progress), counted within the page.
    pub(super) next_object: u32,
    pub(super) server_slot: u32,
    pub(super) transport: Transport,
    pub(super) persistent: bool,
    /// Whether it holds one of the places for parallel work.
    pub(super) working: bool,
}

impl PlannedConnection {
    fn new(ordinal: u32, server_slot: u32, quota: Quota) -> Self {
        Self {
            ordinal,
            quota_left: quota.requests,
            remaining: 0,
            next_object: 0,
            server_slot,
            transport: Transport::NotOpened,
            persistent: quota.persistent,
            working: false,
        }
    }

    /// Takes as many of `objects` objects as the quota allows, beginning with `first`.
    fn take(&mut self, first: u32, objects: u32) -> u32 {
        let taken = self.quota_left.min(objects);
        self.quota_left -= taken;
        self.remaining = taken;
        self.next_object = first;
        taken
    }

    /// Whether it has a part of the page that nobody works on.
    pub(super) fn waits(&self) -> bool {
        self.remaining > 0 && !self.working
    }
}

/// Assigns the objects of a page to `connections`, which hold what earlier pages left over (in the order of
/// their numbers); new connections are appended and counted in `next_ordinal`. `quota` gives the quota of a
/// connection by its number.
pub(super) fn assign_page(
    connections: &mut Vec<PlannedConnection>,
    page: PageShape,
    next_ordinal: &mut u32,
    quota: impl Fn(u32) -> Quota,
) {
    for server_slot in 0..page.servers.min(page.objects) {
        let mut first = server_slot;
        let mut objects = (page.objects - server_slot).div_ceil(page.servers);
        let left_over = connections.iter_mut().filter(|c| c.server_slot == server_slot);
        for connection in left_over {
            if objects == 0 {
                break;
            }
            let taken = connection.take(first, objects);
            first += taken * page.servers;
            objects -= taken;
        }
        while objects > 0 {
            let mut connection = PlannedConnection::new(*next_ordinal, server_slot, quota(*next_ordinal));
            *next_ordinal += 1;
            let taken = connection.take(first, objects);
            first += taken * page.servers;
            objects -= taken;
            connections.push(connection);
        }
    }
}

/// Forgets the connections whose requests are used up: what remains is what the page leaves to the next one.
pub(super) fn keep_left_over(connections: &mut Vec<PlannedConnection>) {
    connections.retain(|connection| connection.quota_left > 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Quota = Quota { requests: 1, persistent: false };

    /// Assigns a page, all of whose objects then arrive. Rows: (connection, objects in order).
    fn assign(
        connections: &mut Vec<PlannedConnection>,
        next_ordinal: &mut u32,
        (objects, servers): (u32, u32),
        persistent: &[(u32, u32)],
    ) -> Vec<(u32, Vec<u32>)> {
        let quota = |ordinal| {
            let found = persistent.iter().find(|row| row.0 == ordinal);
            found.map_or(PLAIN, |row| Quota { requests: row.1, persistent: true })
        };
        assign_page(connections, PageShape { objects, servers }, next_ordinal, quota);
        let assigned = connections.iter().filter(|c| c.remaining > 0);
        let rows =
            assigned.map(|c| (c.ordinal, (0..c.remaining).map(|k| c.next_object + k * servers).collect()));
        let rows = rows.collect();
        connections.iter_mut().for_each(|c| c.remaining = 0);
        keep_left_over(connections);
        rows
    }

    #[test]
    fn objects_fill_what_is_left_over_and_then_new_connections() {
        // Worked by hand: connections 1 and 4 are persistent with 4 and 3 requests, the others carry one.
        let (mut connections, mut next) = (Vec::new(), 0);
        let mut page = |objects| assign(&mut connections, &mut next, (objects, 1), &[(1, 4), (4, 3)]);
        assert_eq!(page(3), [(0, vec![0]), (1, vec![1, 2])]);
        assert_eq!(page(1), [(1, vec![0])]);
        assert_eq!(page(5), [(1, vec![0]), (2, vec![1]), (3, vec![2]), (4, vec![3, 4])]);
        assert_eq!(page(2), [(4, vec![0]), (5, vec![1])]);
        assert_eq!(page(1), [(6, vec![0])]);
    }

    #[test]
    fn connections_serve_their_own_server_only() {
        // Two servers: even objects from slot 0, odd ones from slot 1. Connection 0 (slot 0) may carry 5
        // requests, connection 1 (slot 1) may carry 2.
        let (mut connections, mut next) = (Vec::new(), 0);
        let mut page =
            |objects, servers| assign(&mut connections, &mut next, (objects, servers), &[(0, 5), (1, 2)]);
        assert_eq!(page(4, 2), [(0, vec![0, 2]), (1, vec![1, 3])]);
        assert_eq!(page(3, 2), [(0, vec![0, 2]), (2, vec![1])]);
        assert_eq!(page(2, 1), [(0, vec![0]), (3, vec![1])]);
        // More servers than objects: the servers beyond the objects see nothing.
        assert_eq!(page(2, 7), [(4, vec![0]), (5, vec![1])]);
    }

    #[test]
    fn several_connections_left_over_are_used_lowest_number_first() {
        let (mut connections, mut next) = (Vec::new(), 0);
        let left =
            |ordinal, left| PlannedConnection::new(ordinal, 0, Quota { requests: left, persistent: true });
        connections.extend([left(2, 1), left(5, 2), left(9, 4)]);
        next += 10;
        assert_eq!(
            assign(&mut connections, &mut next, (4, 1), &[]),
            [(2, vec![0]), (5, vec![1, 2]), (9, vec![3])]
        );
        assert_eq!(connections.iter().map(|c| (c.ordinal, c.quota_left)).collect::<Vec<_>>(), [(9, 3)]);
    }
}
