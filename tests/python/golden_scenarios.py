"""The runs of `crates/sim/tests/golden_tables.rs` as scenarios, for whoever runs them elsewhere.

What each case is stands there. Here the same names lead to the same scenarios; the digests of their tables,
in `golden_tables.txt` beside that file, say whether they do.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import Scenario, _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ROOT = Path(__file__).parents[2]
_GOLDEN = _ROOT / "crates/sim/tests/golden"
SEED = 17
_QUEUES = {
    "users": ("dumbbell.queue",),
    "flows": ("topology.links.0.queue", "topology.links.1.queue"),
    "mixed": ("topology.links.2.queue",),
    "datagrams": ("topology.links.2.queue",),
}
_PROFILES = {
    "users": ("bsd228", "rfc5681", "ns2-full", "linux6-reno", "linux6-cubic", "linux6-dctcp"),
    "flows": (
        "bsd228", "rfc5681", "ns2-full", "ns2-oneway", "linux6-reno", "linux6-cubic", "linux6-dctcp",
    ),
}  # fmt: skip
_LIGHTER = "page_bytes_median = 100000, objects_per_page_median = 20, think_time_median_seconds = 3"


def golden_digests() -> dict[str, dict[str, str]]:
    """The committed digest of each table, by case and table."""
    found: dict[str, dict[str, str]] = {}
    for line in (_GOLDEN.parent / "golden_tables.txt").read_text().splitlines():
        case, table, digest = line.split()
        found.setdefault(case, {})[table] = digest
    return found


def golden_scenarios() -> dict[str, Scenario]:
    """The scenario of each case, by its name."""
    cases = [*_schemes(), *_settings(), *_hosts(), *_browsing(), *_pages(), *_traces(), *_datagrams()]
    return {name: _base(network).with_overrides(overrides) for name, network, overrides in cases}


Case = tuple[str, str, dict[str, Any]]


def _base(network: str) -> Scenario:
    return Scenario.of(tomllib.loads((_GOLDEN / f"{network}.toml").read_text()))


def _value(toml: str) -> Any:  # noqa: ANN401
    return tomllib.loads(f"value = {toml}")["value"]


def _acting(scheme: str, *, ecn: bool) -> str:
    """A scheme set so that it acts in seconds at a few Mbit/s, as its page has it."""
    page = (_ROOT / f"docs/reference/schemes/{scheme}.md").read_text()
    block = page.split("## On a slow link")[1].split("```toml\n")[1].split("```")[0]
    lines = [line.replace("false", "true") if ecn and _is_ecn(line) else line for line in block.splitlines()]
    return f"{{ {', '.join(lines)} }}"


def _is_ecn(line: str) -> bool:
    return line == "ecn = false" or line.endswith(".ecn = false")


def _has_ecn(scheme: str) -> bool:
    return any(_is_ecn(line.strip()) for line in _acting(scheme, ecn=False)[2:-2].split(", "))


def _queued(network: str, queue: str) -> dict[str, Any]:
    return {key: _value(queue) for key in _QUEUES[network]}


def _host(network: str, key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    tables = ("users",) if network == "users" else ("flows.0", "flows.1")
    return {f"{table}.{key}": value for table in tables}


def _schemes() -> Iterator[Case]:
    for network in ("users", "flows", "mixed"):
        for scheme in _core.scheme_names():
            yield f"{network}-{scheme}", network, _queued(network, _acting(scheme, ecn=False))
            if _has_ecn(scheme):
                hosts = {} if network == "mixed" else _host(network, "host.ecn", "on")
                overrides = _queued(network, _acting(scheme, ecn=True)) | hosts
                yield f"{network}-{scheme}-ecn", network, overrides


def _settings() -> Iterator[Case]:
    red = 'scheme = "red", limit_packets = 30, min_th_packets = 5.0, max_th_packets = 15.0, w_q = 0.02'
    ared = red.replace('"red"', '"ared"')
    spares = "spare_nearly_empty = true, spare_first_in_region = true"
    pi = 'scheme = "pi", limit_packets = 60, q_ref_packets = 5.0'
    rem = 'scheme = "rem", limit_packets = 30, q_ref_packets = 10.0, gamma = 0.05, ecn = true'
    queues = {
        "red-ns2": f'{red}, spacing = "ns2_wait", idle = "ns2", {spares}',
        "red-altq": f'{red}, spacing = "altq", idle = "altq", gentle = false, {spares}',
        "red-mark_p": f'{red}, ecn = true, ecn_rule = "mark_p"',
        "red-bytes": f'{red}, measure = "bytes", scale_probability = "mean"',
        "ared-ns2": f'{ared}, adapt_on = "arrivals", gentle_frozen = true',
        "ared-bottom": f'{ared}, bottom = "from_link_rate", interval_ms = 50.0',
        "pi-designed": f"{pi}, gains = {{ designed = {{ flows = 6.0, rtt_ms = 150.0 }} }}",
        "rem-ns2": f'{rem}, point = "dequeue", not_ect = "pass"',
    }
    for name, queue in queues.items():
        overrides = _queued("mixed", f"{{ {queue} }}")
        yield f"mixed-{name}", "mixed", {**overrides, "topology.links.2.transmit_ring_packets": 0}


def _hosts() -> Iterator[Case]:
    for network, profiles in _PROFILES.items():
        for profile in profiles:
            for ecn in ("off", "on"):
                queue = _queued(network, _acting("red", ecn=ecn == "on"))
                host = _host(network, "profile", profile) | _host(network, "host.ecn", ecn)
                yield f"{network}-{profile}-ecn-{ecn}", network, queue | host


def _browsing() -> Iterator[Case]:
    queue = _queued("users", _acting("red", ecn=False))
    laws: Mapping[str, Any] = {
        "no-delay": {"low": 0, "high": 0},
        "delay-of-connections": {"low": 20, "high": 40},
        "delay-of-machine-pairs": {"low": 7, "high": 137, "per": "machine-pair", "power": 0.806},
    }
    for name, law in laws.items():
        for ring in (0, 4):
            delays = {"users.minimum_delay_ms": law, "dumbbell.transmit_ring_packets": ring}
            yield f"users-{name}-ring-{ring}", "users", queue | delays
    for profile in ("bsd228", "bsd45", "rfc5681"):
        for end in ("last_byte", "connection_closed"):
            own = {"users.profile": profile, "users.model": {"model": "mah"}, "record.response_end": end}
            yield f"mah-{profile}-{end}", "users", {**queue, **own, "users.left": 700, "users.right": 750}
    for start in ("steady", "fresh"):
        for responses in ("histogram", "none"):
            own = {"users.start": start, "record.responses": responses}
            yield f"users-{start}-responses-{responses}", "users", queue | own


def _pages() -> Iterator[Case]:
    queue = _queued("users", _acting("red", ecn=False))
    kinds = (("1.1", "none", "stationary"), ("1.1", "1.2", "steady"), ("2", "1.3", "stationary"),
             ("2", "1.2", "fresh"))  # fmt: skip
    for http, tls, start in kinds:
        model = _value(f'{{ model = "pages", http = "{http}", tls = "{tls}", {_LIGHTER} }}')
        own = {"users.model": model, "users.start": start, "users.left": 20, "users.right": 25}
        yield f"pages-{http}-{tls}-{start}", "users", queue | own


def _traces() -> Iterator[Case]:
    for scheme in ("drop-tail", "pie"):
        own = {
            "files": {"own.trace": "0\n0\n1\n9\n10\n30\n30\n31\n48\n"},
            "dumbbell.rate_trace_file": "own.trace",
            "dumbbell.rate_mbps": 2.256,
        }
        yield f"users-{scheme}-trace", "users", _queued("users", _acting(scheme, ecn=False)) | own


def _datagrams() -> Iterator[Case]:
    for scheme, ecn in (
        ("drop-tail", False),
        ("red", True),
        ("codel", False),
        ("fq", True),
        ("fq-codel", True),
    ):
        yield f"datagrams-{scheme}", "datagrams", _queued("datagrams", _acting(scheme, ecn=ecn))
