"""Every quantity against a naive computation (`naive_quantities.py`), over random and over real results."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
import naive_quantities as naive
import naive_rows
from aqmlab.errors import MissingDataError
from aqmlab.statistics.quantities import QUANTITIES, quantity
from aqmlab.statistics.stretches import OF_STRETCHES
from aqmlab.statistics.traffic import OF_TRAFFIC
from random_cases import in_two
from synthetic_results import CLASSES, SyntheticResult, names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.statistics import Recorded

PEOPLE = ("left", "right")
VIEWERS = "tv"
DEVICES = ("laptop", "phone", "console")
DATAGRAMS = ("calls", "meeting", "meeting-feedback")
FRAME = {
    "source": pa.uint32(), "frame": pa.uint32(), "captured_s": pa.float64(), "target_mbps": pa.float64(),
    "bytes": pa.uint32(), "resent_packets": pa.uint32(), "shown_s": pa.float64(),
}  # fmt: skip
SEGMENT = {
    "user": pa.uint32(), "segment": pa.uint32(), "requested_at_s": pa.float64(),
    "download_time_s": pa.float64(), "arrived": pa.uint8(), "bytes": pa.uint64(),
}  # fmt: skip
PAGE = {
    "population": pa.string(), "began_s": pa.float64(), "page_load_time_s": pa.float64(),
    "ended": pa.uint8(), "objects": pa.uint32(),
}  # fmt: skip
PLACES = {"left-to-right": ("a", "b"), "right-to-left": ("b", "a"), "right-to-far": ("b", "c")}
COUNTED = ("completed", "followed", "unfinished", "failed")
INTERVAL_S = 0.5
TRANSFERS = 12
WIDTH = 0.001


def test_the_page_lists_every_quantity_with_its_second_computation() -> None:
    from quantities_page import PAGE, page

    said = "python tests/python/quantities_page.py writes it anew"
    assert PAGE.read_text(encoding="utf-8") == page(), said


def test_every_quantity_has_a_second_computation() -> None:
    assert naive.NAIVE.keys() == QUANTITIES.keys()
    known = {kind: numbers.keys() for kind, numbers in OF_TRAFFIC.items()}
    assert {kind: numbers.keys() for kind, numbers in naive.NAIVE_OF_TRAFFIC.items()} == known
    assert naive.NAIVE_OF_STRETCHES.keys() == OF_STRETCHES.keys()


# -------------------------------------------------------------------------------------------- random results


MEASURED_OF_LINKS = (
    "throughput_mbps", "throughput_ip_mbps", "throughput_frame_mbps",
    "queue_packets_mean", "wait_mean_s", "mean_frame_bytes",
)  # fmt: skip


class Made:
    """A random result: several links, populations, groups; some tables empty, some counters zero."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.links = [*PLACES][: self.number(1, 4)]
        self.window = 10.0, 10.0 + INTERVAL_S * self.number(8, 30)

    def number(self, low: int, high: int) -> int:
        return int(self.draw.integers(low, high))

    def often(self, share: float = 0.8) -> bool:
        return bool(self.draw.random() < share)

    def some(self, high: int) -> int:
        """A count, zero now and then."""
        return self.number(0, high) if self.often() else 0

    def result(self) -> SyntheticResult:
        populations = [
            {"name": name, "completed": self.some(90), "failed": self.some(30), "unfinished": self.some(9)}
            for name in (*PEOPLE, VIEWERS)
        ]
        links = [self.link(name) for name in self.links]
        links[self.number(0, len(links))]["carries_data"] = self.often(0.95)
        tcp = {name: self.some(50) for name in ("timeouts", "loss_episodes", "loss_episodes_multiple")}
        player, frames_hz = self.player(), float(self.number(5, 60))
        record = {"queue_summary_interval_ms": 1000 * INTERVAL_S, "traffic_interval_ms": 1000 * INTERVAL_S}
        run = {
            "scenario": {
                "record": record,
                "duration_s": self.window[1] + 3.0,
                "populations": [
                    {"name": VIEWERS, "model": player, "browsers": "phone"},
                    {"name": PEOPLE[0], "model": {"model": "unc"}, "browsers": "laptop"},
                ],
                "devices": [{"name": name} for name in DEVICES],
                "flows": [
                    {"name": "bulk", "senders": "internet", "receivers": "laptop"},
                    {"name": "bulk", "senders": "internet", "receivers": "phone"},
                    {"name": "bulk", "senders": "laptop", "receivers": "internet"},
                    {"name": "bulk", "senders": "phone", "receivers": "internet"},
                    {"name": "short", "bytes": 9, "senders": "internet", "receivers": "laptop"},
                ],
                "datagrams": [
                    {"name": "calls", "senders": "phone", "receivers": "internet"},
                    {"name": "meeting", "adaptive_video": {"frames_hz": frames_hz}},
                ],
            },
            "measured_from_s": self.window[0],
            "measured_until_s": self.window[1],
            "links": links,
            "populations": populations,
            "flows": [
                {"name": "bulk", "delivered_bytes": [self.some(10**6) for _ in range(3)]},
                {"name": "short", "delivered_bytes": [0] * TRANSFERS, "alone_s": self.alone()},
            ],
            "tcp": tcp,
        }
        tables = {
            "response_histogram": self.histogram({"size_class": 3}),
            "page_histogram": self.histogram({}, COUNTED),
            **({"pages": self.pages()} if self.often(0.6) else {}),
            "queue_summary": self.queue_summary(),
            "queue": self.queue(),
            "traffic": self.traffic(),
            "traffic_series": self.traffic_series(),
            "scheme_state": self.scheme_state(),
            "responses": self.responses(),
            "datagrams": self.datagrams(),
            "video_segments": self.video_segments(player),
            "video_call_frames": self.video_call_frames(frames_hz),
            "transfers": self.transfers(),
        }
        return SyntheticResult(run, {name: table for name, table in tables.items() if self.often(0.95)})

    def alone(self) -> list[float]:
        """How long each transfer would take alone; now and then not said."""
        return self.draw.uniform(0.01, 2.0, TRANSFERS).tolist() if self.often() else []

    def transfers(self) -> pa.Table:
        """Some of them, all before the window now and then; a third of them unfinished."""
        count = self.number(0, TRANSFERS)
        latest_s = self.window[1] + 2.0 if self.often() else self.window[0]
        started = np.sort(self.draw.uniform(0.0, latest_s, count))
        # Whole halves of a second: some take equally long.
        took = 0.5 * self.draw.integers(1, 6, count)
        took[self.draw.random(count) < 1 / 3] = math.nan
        return pa.table(
            {
                "flow_group": pa.array(["short"] * count, pa.string()).dictionary_encode(),
                "flow": pa.array(range(count), pa.uint32()),
                "started_s": started,
                "completed_s": started + took,
                "transfer_time_s": took,
            }
        )

    def link(self, name: str) -> dict[str, Any]:
        at_risk = self.some(10**5)
        counted = {
            each: {"packets": self.number(0, at_risk // 4 + 1)}
            for each in ("early", "filter", "overflow", "marked")
        }
        marked = counted.pop("marked")
        by_class = {each: {"at_risk_packets": at_risk, "discarded_packets": 0} for each in CLASSES}
        return {
            "name": name,
            "from": PLACES[name][0],
            "to": PLACES[name][1],
            "carries_data": self.often(),
            **{key: float(self.draw.random() * 9.0) for key in MEASURED_OF_LINKS},
            "busy_share": float(self.draw.random()),
            "counters": {
                "at_risk": {"packets": at_risk},
                "marked": marked,
                "discarded": counted,
                "by_class": by_class,
            },
        }

    def histogram(self, codes: dict[str, int], counted: Sequence[str] = ()) -> pa.Table:
        """Bins 0.1 % wide from 10 ms to a minute, a few of them shared by several rows."""
        size = self.some(60)
        places = self.draw.choice(np.arange(-4600, 4100, 7 if self.often() else 900), size=size)
        columns = {
            "population": names(self.draw.integers(0, 2, size), PEOPLE),
            **{name: pa.array(self.draw.integers(0, high, size)) for name, high in codes.items()},
            "lower_s": (1.0 + WIDTH) ** places.astype(np.float64),
            "upper_s": (1.0 + WIDTH) ** (places + 1.0),
            "count": pa.array(self.draw.integers(1, 9, size).astype(np.uint64)),
        }
        if counted:
            columns["counted"] = names(self.draw.integers(0, len(counted), size), counted)
        return pa.table(columns)

    def pages(self) -> pa.Table:
        """Of users who wait all the time: some begin before the window, outlast it, get nothing or no end."""
        end_s, rows = self.window[1] + 3.0, []
        for _ in range(self.some(6)):
            at_s = float(self.draw.uniform(0.0, self.window[1]))
            while at_s < end_s:
                took_s = float(self.draw.lognormal(0.0, 1.5))
                took_s = 0.5 if self.often(0.3) else took_s
                rows.append({"population": str(self.draw.choice(PEOPLE)), "began_s": at_s,
                             "page_load_time_s": min(took_s, end_s - at_s),
                             "ended": int(at_s + took_s < end_s), "objects": self.some(9)})  # fmt: skip
                at_s += took_s + float(self.draw.random())
        made = {name: pa.array([row[name] for row in rows], type=kind) for name, kind in PAGE.items()}
        return pa.table({**made, "population": made["population"].dictionary_encode()})

    def instants(self, step_s: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        """From the beginning of the run to three seconds behind the window."""
        return np.asarray(step_s * np.arange(1, round((self.window[1] + 3.0) / step_s) + 1))

    def per_link(self, step_s: float, columns: dict[str, Callable[[int], object]]) -> pa.Table:
        instants = self.instants(step_s)
        size = instants.size * len(self.links)
        links = np.tile(np.arange(len(self.links)), instants.size)
        made = {name: make(size) for name, make in columns.items()}
        return pa.table(
            {"time_s": np.repeat(instants, len(self.links)), "link": names(links, self.links), **made}
        )

    def queue_summary(self) -> pa.Table:
        return self.per_link(INTERVAL_S, {"maximum_packets": lambda size: self.draw.integers(0, 99, size)})

    def queue(self) -> pa.Table:
        """Samples, of which some meet nothing although something waited since the one before."""

        met = 0.7 if self.often() else 0.0

        def packets(size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
            return np.asarray(self.draw.integers(0, 60, size) * (self.draw.random(size) < met))

        made = self.per_link(
            0.1, {"packets": packets, "mean_packets": lambda size: 60 * self.draw.random(size)}
        )
        sizes = self.draw.integers(40, 1500, made.num_rows)
        return made.append_column("bytes", pa.array(made["packets"].to_numpy() * sizes))

    def scheme_state(self) -> pa.Table:
        told = ("notification_rate", "filter_is_on", "other")
        return self.per_link(
            0.25,
            {
                "quantity": lambda size: names(self.draw.integers(0, 3, size), told),
                "value": self.draw.random,
            },
        )

    def responses(self) -> pa.Table:
        size = self.some(200)
        return pa.table(
            {
                "completed_at_s": np.sort(self.draw.uniform(*self.window, size)).round(4),
                "response_time_s": self.draw.lognormal(size=size),
                "response_bytes": self.draw.integers(1, 10**5, size),
                "population": names(self.draw.integers(0, 2, size), PEOPLE),
            }
        )

    def datagrams(self) -> pa.Table:
        """Sources of all groups; now and then none, or one of which nothing arrived or much is under way."""
        size = self.some(8)
        fates = {
            "received": [self.some(500) for _ in range(size)],
            "lost": [self.some(500) for _ in range(size)],
            "under_way": [self.some(100) if self.often(0.3) else 0 for _ in range(size)],
        }
        fates["sent"] = [sum(each) for each in zip(*fates.values(), strict=True)]
        columns = dict(
            zip(("minimum", "p50", "p95", "p99"), np.sort(self.draw.random((4, size)), axis=0), strict=True)
        )
        columns["minimum"] = np.where(np.array(fates["received"]) > 0, columns["minimum"], np.nan)
        ends = {}
        for name in ("p50", "p95", "p99"):
            near = np.where(np.array(fates["under_way"]) > 0, self.draw.uniform(0.0, 0.2, size), 0.0)
            far = self.draw.random(size) < 0.3
            ends[f"delay_{name}_least_s"] = columns[name] * (1.0 - near)
            ends[f"delay_{name}_most_s"] = np.where(far & (near > 0.0), np.inf, columns[name] * (1.0 + near))
        return pa.table(
            {
                "group": names(np.sort(self.draw.integers(0, len(DATAGRAMS), size)), DATAGRAMS),
                **{f"{name}_packets": pa.array(each, type=pa.uint64()) for name, each in fates.items()},
                "arrived_bytes": pa.array([200 * each for each in fates["received"]], type=pa.uint64()),
                **{f"delay_{name}_s": each for name, each in columns.items()},
                **ends,
            }
        )

    def player(self) -> dict[str, Any]:
        return {
            "model": "video-streaming",
            "segment_seconds": float(self.number(1, 4)),
            "segments_per_video": self.number(1, 6),
            "start_buffer_seconds": float(self.number(1, 5)),
        }

    def video_segments(self, model: dict[str, Any]) -> pa.Table:
        """Three viewers, whose segments come too late now and then, the last of each perhaps not at all."""
        rows = []
        for user in range(self.some(4)):
            at_s, end_s = float(self.draw.random() * 9.0), self.window[1] + 3.0
            for segment in range(self.number(1, 30)):
                took_s = float(self.draw.lognormal() * model["segment_seconds"] / 1.5)
                arrived = at_s + took_s < end_s
                rows.append({"user": user, "segment": segment, "requested_at_s": at_s,
                             "download_time_s": took_s if arrived else end_s - at_s, "arrived": int(arrived),
                             "bytes": self.number(1, 10**6) if arrived else 0})  # fmt: skip
                if not arrived:
                    break
                at_s += took_s + (9.0 if (segment + 1) % model["segments_per_video"] == 0 else 0.0)
                if at_s >= end_s:
                    break
        made = {name: pa.array([row[name] for row in rows], type=kind) for name, kind in SEGMENT.items()}
        return pa.table({"population": names(np.zeros(len(rows)), (VIEWERS,)), **made})

    def video_call_frames(self, frames_hz: float) -> pa.Table:
        """Calls at any time of the run; packets wait now and then, frames are given up, some show nothing."""
        rows, end_s = [], self.window[1] + 3.0
        for source in range(self.some(4)):
            begin_s = float(self.draw.uniform(0.0, end_s if self.often(0.2) else 8.0))
            stop_s = float(self.draw.uniform(begin_s, end_s)) if self.often(0.2) else end_s
            given_up = 1.0 if self.often(0.05) else float(self.draw.random() ** 4)
            delay_s, shown_s, frame = 0.05, 0.0, 0
            while begin_s + frame / frames_hz < stop_s:
                captured_s = begin_s + frame / frames_hz
                delay_s = 0.03 + 0.8 * delay_s + (float(self.draw.exponential(0.4)) if self.often(0.1) else 0)
                arrived_s = max(shown_s, captured_s + delay_s)
                is_shown = arrived_s < end_s and not self.often(given_up)
                shown_s = arrived_s if is_shown else shown_s
                rows.append({"source": source, "frame": frame, "captured_s": captured_s, "target_mbps": 1.0,
                             "bytes": self.number(60, 9000), "resent_packets": self.some(3),
                             "shown_s": shown_s if is_shown else math.nan})  # fmt: skip
                frame += 1
        made = {name: pa.array([row[name] for row in rows], type=kind) for name, kind in FRAME.items()}
        return pa.table({"group": names(np.zeros(len(rows)), ("meeting",)), **made})

    def traffic(self) -> pa.Table:
        """What each link on its way sent of what the one before sent."""
        rows = []
        for column, name in (("population", "left"), ("population", "right"), ("flow_group", "bulk")):
            for sender in ("browser", "server"):
                left = self.some(10**4)
                passed = self.draw.permutation(self.links)[: self.number(0, len(self.links)) + 1]
                for link in sorted(map(str, passed), key=[*PLACES].index):
                    discarded = self.number(0, left // 3 + 1)
                    left -= discarded
                    rows.append({column: name, "sender": sender, "link": link,
                                 "sent_packets": left, "discarded_packets": discarded})  # fmt: skip
        return table_of(rows, ("population", "flow_group", "sender", "link"))

    def traffic_series(self) -> pa.Table:
        groups = [("population", "left"), ("population", "right"), ("flow_group", "bulk"),
                  ("datagram_group", "calls")]  # fmt: skip
        links = {group: str(self.draw.choice(self.links)) for group in groups}
        rows = []
        for from_s in np.arange(*self.window, INTERVAL_S):
            for column, name in groups:
                for sender in ("browser", "server"):
                    if not self.often(0.7):
                        continue
                    several = self.often(0.005)
                    link = str(self.draw.choice(self.links)) if several else links[column, name]
                    counts = {f"{what}_{unit}": self.some(99) for what in ("sent", "discarded")
                              for unit in ("packets", "bytes")}  # fmt: skip
                    rows.append({"from_s": float(from_s), column: name, "sender": sender, "link": link,
                                 "marked_packets": 0, **counts})  # fmt: skip
        return table_of(rows, ("population", "flow_group", "datagram_group", "sender", "link"))


def table_of(rows: Sequence[dict[str, Any]], named: Sequence[str]) -> pa.Table:
    """Rows as a table in which these columns are names, null where a row has none."""
    keys = dict.fromkeys([*named, *(key for row in rows for key in row)])
    columns = {key: pa.array([row.get(key) for row in rows]) for key in keys}
    encoded = {key: columns[key].cast(pa.string()).dictionary_encode() for key in named}
    return pa.table({**columns, **encoded})


@cache
def made(seed: int) -> SyntheticResult:
    return Made(seed).result()


# --------------------------------------------------------------------------------------------- comparisons


def number(compute: Callable[[], float], absent: type[Exception]) -> float | None:
    try:
        return float(compute())
    except absent:
        return None


def assert_same(name: str, result: Recorded, second: Callable[[], float], where: object) -> bool:
    """Whether there is a number at all; both computations must say the same."""
    ours = number(lambda: quantity(name)(result), MissingDataError)
    theirs = number(second, naive_rows.NoNumberError)
    place = f"{name}, {where}: ours {ours}, by plain loops {theirs}"
    if ours is None or theirs is None:
        assert ours is theirs, place
        return False
    assert not math.isnan(ours), place
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9), place
    return True


def stretches_of(result: Recorded, draw: np.random.Generator) -> list[tuple[float, float]]:
    """Some that follow one another with gaps, made of whole intervals of the measured window."""
    begin, end = naive_rows.window(result)
    steps = round((end - begin) / INTERVAL_S)
    edges = np.sort(draw.choice(steps + 1, size=2 * int(draw.integers(1, 3)), replace=False))
    return [(begin + INTERVAL_S * one, begin + INTERVAL_S * other) for one, other in edges.reshape(-1, 2)]


def parts_of(kind: str) -> list[str]:
    known = {
        "links": [*PLACES], "populations": [*PEOPLE, VIEWERS], "flows": ["bulk", "short"],
        "datagrams": [*DATAGRAMS], "devices": [*DEVICES, "down", "up"],
    }  # fmt: skip
    return [f"{kind}.{name}" for name in (*known[kind], "nobody")]


@pytest.mark.parametrize("seeds", in_two(150))
@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_of_random_runs(name: str, seeds: range) -> None:
    second = naive.NAIVE[name]
    there = [assert_same(name, made(seed), partial(second, made(seed)), seed) for seed in seeds]
    assert any(there), "no run has such a number"


@pytest.mark.parametrize("seeds", in_two(150))
@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, numbers in OF_TRAFFIC.items() for what in numbers]
)
def test_a_part_of_the_traffic_of_random_runs(kind: str, what: str, seeds: range) -> None:
    there = []
    for seed in seeds:
        for part in parts_of(kind):
            second = partial(naive.NAIVE_OF_TRAFFIC[kind][what], made(seed), part)
            there.append(assert_same(f"{what}/{part}", made(seed), second, seed))
    assert any(there)


@pytest.mark.parametrize("seeds", in_two(60))
@pytest.mark.parametrize("what", OF_STRETCHES)
def test_a_part_of_random_runs(what: str, seeds: range) -> None:
    there = []
    for seed in seeds:
        draw, result = np.random.default_rng(seed), made(seed)
        for part in (part for kind in OF_STRETCHES[what].kinds for part in parts_of(kind)):
            pairs = stretches_of(result, draw)
            said = "+".join(f"{begin:g}-{until:g}" for begin, until in pairs)
            second = partial(naive.NAIVE_OF_STRETCHES[what], result, part, pairs)
            there.append(assert_same(f"{what}/{part}@{said}", result, second, seed))
    assert any(there)


# --------------------------------------------------------------------------------------------- real results

REAL = """
name = "real"
duration_s = 15.0
warm_up_s = 2.0
cool_down_s = 4.0
[dumbbell]
rate_mbps = 2.0
queue = { scheme = "pi", limit_packets = 40 }
[users]
per_side = 60
[[flows]]
name = "bulk"
count = 2
direction = "left-to-right"
[[datagrams]]
name = "calls"
count = 3
direction = "right-to-left"
packet_bytes = 200
rate_mbps = 0.08
[record]
responses = "rows"
traffic = true
traffic_interval_ms = 500
queue_summary_interval_ms = 500
"""


@pytest.fixture(scope="module", params=[1, 2, 3])
def real(request: pytest.FixtureRequest) -> aqmlab.Result:
    return aqmlab.run(REAL, seed=request.param)


def test_every_quantity_of_a_real_run(real: aqmlab.Result) -> None:
    for name, second in naive.NAIVE.items():
        assert_same(name, real, partial(second, real), "real")
    for part in ("populations.left", "populations.right", "flows.bulk", "datagrams.calls"):
        kind = part.partition(".")[0]
        for what, of_part in naive.NAIVE_OF_TRAFFIC[kind].items():
            if what == "loss_percent" and kind != "datagrams":
                continue  # what is on its way when the window ends is in one of the two and not in the other
            assert_same(f"{what}/{part}", real, partial(of_part, real, part), "real")


def test_response_times_of_a_real_run_by_its_rows(real: aqmlab.Result) -> None:
    times = sorted(row["response_time_s"] for row in naive_rows.rows(real, "responses"))
    assert quantity("completed_exchanges")(real) == len(times)
    for share in naive.SHARES:
        # A share of n values is there with the value number ceil(share n); bins are 0.1 % wide.
        exact = times[math.ceil(share * len(times)) - 1]
        assert quantity(f"response_p{100 * share:g}_s")(real) == pytest.approx(exact, rel=0.0011)
    mean = math.fsum(min(time, 2.0) for time in times) / len(times)
    assert quantity("response_restricted_mean_2s_s")(real) == pytest.approx(mean, rel=0.0011)


def test_page_load_times_of_a_real_run_by_its_rows(real: aqmlab.Result) -> None:
    begin, end = naive_rows.window(real)
    rows = naive_rows.rows(real, "pages")
    began = [row for row in rows if begin <= row["began_s"] < end]
    assert quantity("unfinished_pages")(real) == sum(not row["ended"] for row in began)
    assert quantity("failed_pages")(real) == sum(row["ended"] and not row["objects"] for row in began)
    # The share of those at each age that are not loaded at it; nobody is at an age that was not watched.
    pages = [naive.page_of_row(real, row) for row in rows if naive.is_waited_for(real, row)]
    assert any(entered for entered, *_ in pages)
    longer, steps = 1.0, []
    for time in sorted(seen for _, (seen, _), loaded, _ in pages if loaded):
        longer *= 1.0 - 1.0 / sum(1 for entered, (seen, _), *_ in pages if entered < time <= seen)
        steps.append((1.0 - longer, time))
    for share in naive.PAGE_SHARES:
        exact = next((time for within, time in steps if within >= share - 1e-9), math.inf)
        assert quantity(f"page_followed_p{100 * share:g}_s")(real) == pytest.approx(exact, rel=1e-12)


def test_what_the_links_of_a_real_run_sent_by_its_rows(real: aqmlab.Result) -> None:
    series, begin, end = naive_rows.rows(real, "traffic_series"), *naive_rows.window(real)
    for link in real.run["links"]:
        own = [row for row in series if row["link"] == link["name"]]
        sent = sum(row["sent_bytes"] for row in own)
        ip = quantity("throughput_ip_mbps")(real, [link["name"]])
        assert ip == pytest.approx(8.0 * sent / 1e6 / (end - begin), rel=1e-9)
        lost, came = sum(row["discarded_packets"] for row in own), link["counters"]["at_risk"]["packets"]
        assert quantity("loss_percent")(real, [link["name"]]) == pytest.approx(100.0 * lost / came)
        busy = [
            row["utilization"]
            for row in naive_rows.rows(real, "link")
            if row["link"] == link["name"] and begin + 1e-6 < row["time_s"] < end + 1e-6
        ]
        assert quantity("utilization_percent")(real, [link["name"]]) == pytest.approx(
            100.0 * sum(busy) / len(busy), rel=1e-5
        )
