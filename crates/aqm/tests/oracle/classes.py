"""Bands and classes once more: strict priority from the order of steps in Linux's sch_prio.c, hierarchical token
buckets from that in sch_htb.c, with its trees, feeds and pointers, and from tc-htb(8); and their cases. The class
of a packet is said by its codepoint.
"""

import itertools
from fractions import Fraction

from events import TEN, drain, merged
from schemes import Scheme

SECOND_NS = 10**9


class Fifo:
    """A class's queue: first in, first out, with a limit."""

    def __init__(self, queue):
        assert queue.get("scheme", "drop-tail") == "drop-tail"
        self.limit, self.packets = queue.get("limit_packets", 1000), []


class Classful(Scheme):
    tosses = False

    def arrive(self, now, packet):
        self.run_timers(now)
        fifo = self.fifo_of(packet.get("dscp", 0))
        self.last_arrival = self.fifos.index(fifo)
        if len(fifo.packets) >= fifo.limit:
            return "overflow"
        fifo.packets.append(packet)
        self.on_packet(now, fifo)
        if sum(len(each.packets) for each in self.fifos) > self.limit_packets:
            longest = max(self.fifos, key=lambda each: sum(p["bytes"] for p in each.packets))
            longest.packets.pop()
            return "overflow"
        return "pass"

    def on_packet(self, now, fifo):
        pass

    def seen(self):
        return {"class_of_last_arrival": self.last_arrival}


class Prio(Classful):
    name = "prio"
    columns = ["class_of_last_arrival"]
    defaults = dict(
        limit_packets=65_536, bands=[{}, {}, {}], priomap=[1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    )

    def start(self):
        self.fifos = [Fifo(band.get("queue", {})) for band in self.bands]

    def fifo_of(self, dscp):
        for band, fifo in zip(self.bands, self.fifos):
            if dscp in band.get("dscp", []):
                return fifo
        # ip_tos2prio, an entry for each even type of service without its precedence: best effort, bulk,
        # interactive, interactive bulk, each for 4 of them.
        tos = dscp << 2
        priority = [0, 0, 2, 2, 6, 6, 4, 4][(tos & 0x1E) >> 2]
        return self.fifos[min(self.priomap[priority], len(self.fifos) - 1)]

    def depart(self, now):
        for fifo in self.fifos:
            if fifo.packets:
                fifo.packets.pop(0)
                return "sent"
        return "idle"


CAN_SEND, MAY_BORROW, CANT_SEND = "can send", "may borrow", "can't send"
DEPTH = 8


class Served:
    """A tree of classes that wait to be served, by number: a row of a level, or what a class feeds, of one prio."""

    def __init__(self):
        self.classes, self.ptr, self.last = [], None, None

    def add(self, one):
        self.classes = sorted([*self.classes, one], key=lambda each: each.number)

    def move_on(self):
        """htb_next_rb_node."""
        self.ptr = next((each for each in self.classes if each.number > self.ptr.number), None)


class Class:
    """struct htb_class."""

    def __init__(self, number, keys, parent):
        self.number, self.parent, self.children = number, parent, []
        self.rate, self.ceil = (
            Fraction(str(keys["rate_mbps"])),
            Fraction(str(keys.get("ceil_mbps") or keys["rate_mbps"])),
        )
        self.buffer = self.time(keys.get("burst_bytes", 1600), self.rate)
        self.cbuffer = self.time(keys.get("ceil_burst_bytes", 1600), self.ceil)
        self.tokens, self.ctokens, self.t_c = self.buffer, self.cbuffer, Fraction(0)
        self.prio = keys.get("prio", 0)
        usual = min(200_000, max(1000, self.rate * 10**6 / 8 / 10))
        self.quantum = keys.get("quantum_bytes") or int(usual)
        self.deficit = [0] * DEPTH
        self.feeds, self.active, self.cmode = [Served() for _ in range(8)], set(), CAN_SEND
        self.level, self.fifo, self.dscp = 0, None, keys.get("dscp", [])
        if parent:
            parent.children.append(self)

    def time(self, size, rate):
        return Fraction(size * 8 * 1000) / rate

    def passed(self, now):
        return min(now - self.t_c, Fraction(60 * SECOND_NS))

    def mode(self, now):
        if self.ctokens + self.passed(now) < 0:
            return CANT_SEND
        return CAN_SEND if self.tokens + self.passed(now) >= 0 else MAY_BORROW

    def path(self):
        return (self.parent.path() if self.parent else []) + [self]


class Htb(Classful):
    name = "htb"
    columns = ["class_of_last_arrival", "sent_at_own_rate_bytes", "sent_borrowed_bytes"]
    defaults = dict(limit_packets=65_536, classes=[], default=None)

    def start(self):
        self.all, names = [], {}
        for number, keys in enumerate(self.classes):
            one = Class(number, {"rate_mbps": self.mbps, **keys}, names.get(keys.get("parent")))
            names[keys.get("name")] = one
            self.all.append(one)
        for one in self.all:
            if one.children:
                one.level = (one.parent.level if one.parent else DEPTH) - 1
        self.leaves = [one for one in self.all if not one.children]
        for leaf in self.leaves:
            leaf.fifo = Fifo(self.classes[leaf.number].get("queue", {}))
        self.fifos = [leaf.fifo for leaf in self.leaves]
        self.default_leaf = names[self.default] if self.default else self.leaves[-1]
        self.rows = [[Served() for _ in range(8)] for _ in range(DEPTH)]
        self.own, self.borrowed = 0, 0

    def fifo_of(self, dscp):
        fits = [leaf for leaf in self.leaves if not leaf.dscp or dscp in leaf.dscp]
        return (fits[0] if fits else self.default_leaf).fifo

    def activate(self, one):
        """htb_activate_prios."""
        wanted = set(one.active)
        while one.cmode == MAY_BORROW and one.parent and wanted:
            for prio in list(wanted):
                if one.parent.feeds[prio].classes:
                    wanted.remove(prio)
                one.parent.feeds[prio].add(one)
            one = one.parent
            one.active |= wanted
        if one.cmode == CAN_SEND:
            for prio in wanted:
                self.rows[one.level][prio].add(one)

    def deactivate(self, one):
        """htb_deactivate_prios: a feed remembers the number of the one that its pointer was at, a row moves on."""
        gone = set(one.active)
        while one.cmode == MAY_BORROW and one.parent and gone:
            for prio in list(gone):
                feed = one.parent.feeds[prio]
                if feed.ptr is one:
                    feed.ptr, feed.last = None, one.number
                feed.classes.remove(one)
                if feed.classes:
                    gone.remove(prio)
            one = one.parent
            one.active -= gone
        if one.cmode == CAN_SEND:
            for prio in gone:
                row = self.rows[one.level][prio]
                if row.ptr is one:
                    row.move_on()
                row.classes.remove(one)

    def change_mode(self, one, mode):
        """htb_change_class_mode."""
        if mode == one.cmode:
            return
        if one.cmode != CANT_SEND:
            self.deactivate(one)
        one.cmode = mode
        if mode != CANT_SEND:
            self.activate(one)

    def on_packet(self, now, fifo):
        leaf = self.leaves[self.fifos.index(fifo)]
        if not leaf.active:
            leaf.active = {leaf.prio}
            self.activate(leaf)

    def depart(self, now):
        now = Fraction(str(now)) * 10**6
        for one in self.all:
            self.change_mode(one, one.mode(now))
        for level, prio in itertools.product(range(DEPTH), range(8)):
            if self.rows[level][prio].classes:
                return self.send(now, level, prio, self.look_up(self.rows[level][prio], prio))
        return "idle"

    def look_up(self, row, prio):
        """htb_lookup_leaf."""
        stack = [row]
        while True:
            at = stack[-1]
            if at.ptr is None and at.last is not None:
                at.ptr = next((each for each in at.classes if each.number >= at.last), None)
            at.last = None
            if at.ptr is None:
                at.ptr = at.classes[0]
                if len(stack) > 1:
                    stack.pop()
                    stack[-1].move_on()
            elif at.ptr.children:
                stack.append(at.ptr.feeds[prio])
            else:
                return at.ptr

    def send(self, now, level, prio, leaf):
        packet = leaf.fifo.packets.pop(0)
        size = packet["bytes"]
        leaf.deficit[level] -= size
        if leaf.deficit[level] < 0:
            leaf.deficit[level] += leaf.quantum
            (leaf.parent.feeds[prio] if level else self.rows[0][prio]).move_on()
        if not leaf.fifo.packets:
            self.deactivate(leaf)
            leaf.active = set()
        for one in reversed(leaf.path()):
            passed = one.passed(now)
            if one.level >= level:
                one.tokens = min(one.tokens + passed, one.buffer) - one.time(size, one.rate)
            else:
                one.tokens += passed
            one.ctokens = min(one.ctokens + passed, one.cbuffer) - one.time(size, one.ceil)
            one.t_c = now
            self.change_mode(one, one.mode(now))
        if level:
            self.borrowed += size
        else:
            self.own += size
        return "sent"

    def seen(self):
        return {
            **super().seen(),
            "sent_at_own_rate_bytes": self.own,
            "sent_borrowed_bytes": self.borrowed,
        }


def marked(start, step, count, dscps, size=1000):
    """An arrival every `step` ms, with one codepoint after the other, each a flow."""
    return [
        (
            round(start + n * step, 6),
            "arrive",
            size,
            1 + dscps[n % len(dscps)],
            "not_ect",
            {"dscp": dscps[n % len(dscps)]},
        )
        for n in range(count)
    ]


def prio_cases():
    yield (
        "the first band that has a packet sends it: bulk waits for best effort, that for what is interactive",
        Prio,
        TEN,
        {},
        merged(marked(0, 0.5, 24, (2, 0, 4)), drain(0.9, 0.8, 30)),
    )
    yield (
        "Linux reads two bits: EF and CS1 are best effort, AF11 is bulk, AF12 is interactive",
        Prio,
        TEN,
        {},
        merged(marked(0, 0.1, 12, (46, 8, 10, 12)), drain(2, 0.8, 14)),
    )
    yield (
        "bands that name codepoints; a full band loses what comes, and the others nothing",
        Prio,
        TEN,
        dict(
            bands=[
                {"dscp": [46, 44], "queue": {"scheme": "drop-tail", "limit_packets": 2}},
                {"queue": {"scheme": "drop-tail", "limit_packets": 3}},
            ],
        ),
        merged(marked(0, 0.2, 40, (46, 0, 44, 8)), drain(0.3, 0.8, 20)),
    )
    yield (
        "a full buffer: the last packet of the band with most bytes",
        Prio,
        TEN,
        dict(limit_packets=6),
        merged(marked(0, 0.2, 30, (4, 2, 2, 0)), drain(0.3, 0.8, 16)),
    )


def plan(**keys):
    return {"parent": "line", **keys}


def htb_cases():
    line = {"name": "line", "rate_mbps": 8}
    often = drain(0.5, 0.5, 120)
    yield (
        "a rate and a burst: two packets at once, then one each millisecond of a rate of 8 Mbit/s",
        Htb,
        TEN,
        dict(classes=[{"name": "one", "rate_mbps": 8, "burst_bytes": 2000, "ceil_burst_bytes": 2000}]),
        merged(marked(0, 0.01, 12, (0,)), drain(0.2, 0.2, 70)),
    )
    yield (
        "two classes with 2 and 6 Mbit/s that both want more, and no one lends",
        Htb,
        TEN,
        dict(classes=[line, plan(rate_mbps=2, dscp=[8]), plan(rate_mbps=6)]),
        merged(marked(0, 0.4, 90, (8, 0)), often),
    )
    yield (
        "what one does not want the other borrows, up to its ceiling",
        Htb,
        TEN,
        dict(classes=[line, plan(rate_mbps=2, ceil_mbps=6, dscp=[8]), plan(rate_mbps=6)]),
        merged(marked(0, 0.5, 60, (8,)), marked(10, 1.5, 14, (0,)), often),
    )
    yield (
        "what is left goes to the first priority first",
        Htb,
        TEN,
        dict(
            classes=[
                line,
                plan(rate_mbps=1, ceil_mbps=8, prio=1, dscp=[8]),
                plan(rate_mbps=1, ceil_mbps=8, prio=0, dscp=[46]),
                plan(rate_mbps=1, ceil_mbps=8, prio=1),
            ]
        ),
        merged(marked(0, 0.3, 150, (8, 46, 0)), often),
    )
    yield (
        "what is left is shared in turns of a quantum: 1500 and 3000 bytes",
        Htb,
        TEN,
        dict(
            classes=[
                line,
                plan(rate_mbps=0.5, ceil_mbps=8, quantum_bytes=1500, dscp=[8]),
                plan(rate_mbps=0.5, ceil_mbps=8, quantum_bytes=3000),
            ]
        ),
        merged(marked(0, 0.4, 120, (8, 0)), often),
    )
    yield (
        "a tree of sites: a circuit borrows of its site first, and a site at its ceiling borrows nothing",
        Htb,
        TEN,
        dict(
            classes=[
                line,
                plan(name="north", rate_mbps=3, ceil_mbps=3),
                plan(name="south", rate_mbps=5, ceil_mbps=8),
                {"parent": "north", "rate_mbps": 1, "ceil_mbps": 3, "dscp": [8]},
                {"parent": "north", "rate_mbps": 1, "ceil_mbps": 3, "dscp": [16]},
                {"parent": "south", "rate_mbps": 2, "ceil_mbps": 8, "dscp": [24]},
                {"parent": "south", "name": "rest", "rate_mbps": 2, "ceil_mbps": 4},
            ],
            default="rest",
        ),
        merged(marked(0, 0.25, 120, (8, 16, 24, 32)), marked(31, 0.5, 60, (8, 24)), drain(0.5, 0.4, 190)),
    )
    def site(name, rate_mbps):
        return plan(name=name, rate_mbps=rate_mbps, ceil_mbps=8)

    def circuit(parent, quantum_bytes, *dscp):
        return {
            "parent": parent, "rate_mbps": 0.5, "ceil_mbps": 8, "quantum_bytes": quantum_bytes, "dscp": dscp
        }

    yield (
        "turns within sites: quanta of 1000 and 3000 bytes below one, of 2000 and 1000 below the other",
        Htb,
        TEN,
        dict(
            classes=[
                line,
                site("north", 3),
                site("south", 3),
                circuit("north", 1000, 8),
                circuit("south", 2000, 24),
                circuit("north", 3000, 16),
                circuit("south", 1000, 0),
            ],
        ),
        merged(
            marked(0, 0.25, 160, (8, 16, 24, 0)),
            marked(41, 0.3, 70, (24, 8)),
            marked(45, 2.1, 9, (0,)),
            drain(0.5, 0.4, 260),
        ),
    )
    yield (
        "after a pause: a class that was idle sends its burst at its rate, whatever others have borrowed",
        Htb,
        TEN,
        dict(
            classes=[
                line,
                plan(rate_mbps=4, ceil_mbps=8, burst_bytes=5000, dscp=[8]),
                plan(rate_mbps=4, ceil_mbps=8),
            ]
        ),
        merged(marked(0, 0.8, 60, (0,)), marked(20, 0.05, 9, (8,)), drain(0.5, 0.45, 130)),
    )
