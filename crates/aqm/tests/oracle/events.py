"""Arrivals and departures that cases are made of: lists of what happens when (ms)."""


def burst(start, step, count, sizes=(1000,), ecns=("not_ect",), depart_every=0):
    """Arrivals every `step` ms, with a departure half a step after each `depart_every`-th."""
    events = []
    for n in range(count):
        time = round(start + n * step, 6)
        events.append((time, "arrive", sizes[n % len(sizes)], 1 + n % 3, ecns[n % len(ecns)]))
        if depart_every and n % depart_every == depart_every - 1:
            events.append((round(time + step / 2, 6), "depart"))
    return events


def drain(start, step, count):
    return [(round(start + n * step, 6), "depart") for n in range(count)]


TEN = dict(link_mbps=10)


def seed(n):
    return dict(TEN, seed=n)


def packets(start, step, flows, sizes=(1000,), ecns=("not_ect",)):
    """An arrival every `step` ms, of one flow after the other."""
    return [
        (round(start + n * step, 6), "arrive", sizes[n % len(sizes)], flow, ecns[n % len(ecns)])
        for n, flow in enumerate(flows)
    ]


def merged(*lists):
    """All events in the order of time; equal instants in the order of the lists."""
    return sorted((event for events in lists for event in events), key=lambda event: event[0])
