"""The files that help texts take for granted: scenarios, sweeps, captures of a browser, and results."""

from __future__ import annotations

import itertools
import json
import shlex
import shutil
from typing import TYPE_CHECKING

from documented import ROOT
from line_files import LOADED, SAW, WAVEFORM, flent, iperf3, ping_log
from small import TWO_HOPS, WEB

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commands.installation import Installation

# A search makes hundreds of runs of it.
_WEB = WEB.split("[record]", maxsplit=1)[0].replace("20.0\nwarm_up_s = 5.0", "9.0\nwarm_up_s = 3.0")


def _named(name: str, scenario: str = _WEB, *, queue: str = "") -> str:
    text = scenario.replace('name = "web"', f'name = "{name}"').replace(
        'name = "two hops"', f'name = "{name}"'
    )
    assert f'name = "{name}"' in text
    return text.replace('scheme = "pi", limit_packets = 500', queue) if queue else text


_RED = 'scheme = "red", limit_packets = 480, min_th_packets = 5, max_th_packets = 200'
_SFG = 'scheme = "sfg", limit_packets = 480'
_PI = 'scheme = "pi", limit_packets = 500, q_ref_packets = {}'
_LINK = """
name = "link"
duration_s = 60.0
warm_up_s = 2.0
cool_down_s = 2.0

[dumbbell]
rate_mbps = 8.0
queue = { scheme = "drop-tail", limit_packets = 100 }

[users]
left = 0
right = 10
model = { model = "pages" }
profile = "linux6-cubic"
"""
_LINE = """
name = "my-link"
duration_s = 16.0
warm_up_s = 2.0
cool_down_s = 2.0

[line]
technology = "cable"
down_mbps = 8.0
up_mbps = 8.0

[[devices]]
name = "computer"

[[populations]]
name = "readers"
browsers = "computer"
servers = "internet"
count = 10
model = { model = "pages", think_time_median_seconds = 2.0 }
profile = "linux6-cubic"
"""
_HOME = (
    _LINE.replace("my-link", "home")
    + """
[[datagrams]]
name = "call-up"
count = 1
direction = "up"
packet_bytes = 200
rate_mbps = 0.08
"""
)
_BULK = """
name = "bulk"
duration_s = 12.0
warm_up_s = 2.0

[dumbbell]
rate_mbps = 8.0
queue = { scheme = "drop-tail", limit_packets = 100 }

[[flows]]
name = "bulk"
count = 2
direction = "left-to-right"

[record]
congestion_window_interval_ms = 100.0
"""


def _sweep(scenario: str) -> str:
    points = '"dumbbell.queue.max_p" = [0.05, 0.1]\n'
    return f'scenario = "{scenario}"\nreplications = 2\n[grid]\n{points}'


def _capture(*sizes: int) -> str:
    entries = [
        {
            "startedDateTime": f"2026-11-20T10:00:0{place}.000Z",
            "time": 50.0,
            "request": {"method": "GET", "url": f"https://news.example/{place}", "headersSize": 400},
            "response": {"status": 200, "headersSize": 300, "bodySize": size, "_transferSize": 300 + size},
            "timings": {"send": 0, "wait": 30, "receive": 20},
        }
        for place, size in enumerate(sizes)
    ]
    pages = [{"startedDateTime": entries[0]["startedDateTime"], "id": "page", "title": "news"}]
    return json.dumps({"log": {"version": "1.2", "pages": pages, "entries": entries}})


_RRUL: dict[str, list[float | None]] = {
    "TCP download BE": [*[None] * 25, *[90.0] * 100, *[None] * 25],
    "TCP upload BE": [*[None] * 25, *[9.0] * 100, *[None] * 25],
    "Ping (ms) ICMP": [*[20.0] * 25, *[200.0] * 100, *[20.0] * 25],
}
_UNLOADED, _LOADED = "20.0\n" * 20, "".join(f"{20 + wait:.1f}\n" for wait in SAW * 5)


TEXTS: Mapping[str, str] = {
    "rrul.flent.gz": flent(_RRUL),  # what is in one is recognised, packed or not
    "ping.log": ping_log([*LOADED, *LOADED]),
    "download.json": iperf3(9.0, way="down", at_s=10),
    "upload.json": iperf3(5.0, way="up", at_s=50),
    "bufferbloat.csv": WAVEFORM.format(",", ".", _UNLOADED, _LOADED, _UNLOADED),
    "pi.toml": _named("pi"),
    "pi-24.toml": _named("pi-24", queue=_PI.format(24)),
    "pi-240.toml": _named("pi-240", queue=_PI.format(240)),
    "pi-24-90.toml": _named("pi-24-90"),
    "drop-tail.toml": _named("drop-tail", queue='scheme = "drop-tail", limit_packets = 60'),
    "sfg.toml": _named("sfg", queue=_SFG) + "[record]\nscheme_state_interval_ms = 100.0\n",
    "bulk.toml": _BULK,
    "web.toml": _named("web", queue=_RED),
    "campus.toml": _named("campus", queue=_RED),
    "link.toml": _LINK,
    "home-line.toml": _HOME,
    "my-link.toml": _LINE,
    "household.toml": _LINE.replace("my-link", "household"),
    "two-bottlenecks.toml": _named("two-bottlenecks", TWO_HOPS),
    "pi-hops.toml": _named("pi", TWO_HOPS),
    "drop-tail-hops.toml": _named("drop-tail", TWO_HOPS),
    "red-line.toml": _named("red-line", queue=_RED),
    "red.toml": _sweep("red-line.toml"),
    "my-sweep.toml": _sweep("red-line.toml"),
    "front.har": _capture(30_000, 12_000),
    "article.har": _capture(20_000, 90_000, 4_000),
    "site/page.html": "<p>a page</p>" * 1000,
}
"""What is in each."""

MADE: Mapping[str, tuple[str, ...]] = {
    "red.toml": ("cp {red-line.toml} .",),
    "my-sweep.toml": ("cp {red-line.toml} .",),
    "site/": ("mkdir site", "cp {site/page.html} site/"),
    "my_aimd.py": ("cp examples/my_aimd.py .",),
    "my_aimd.c": ("cp examples/my_aimd.c .",),
    "my_aimd.so": (
        "cp examples/my_aimd.c .",
        'cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab controller include)" my_aimd.c -o my_aimd.so',
    ),
    "my_pages.py": ("cp examples/my_pages.py .",),
    "my_red.py": ("cp examples/my_red.py .",),
    "my_red.c": ("cp examples/my_red.c .",),
    "my_red.so": (
        "cp examples/my_red.c .",
        'cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_red.c -o my_red.so',
    ),
    "results/pi-24-90": ("aqmlab run {pi-24-90.toml} --seeds 1-6",),
    "results/compare-link": ("aqmlab compare {link.toml} --schemes drop-tail,pie --seeds 1-6",),
    "results/compare-home": ("aqmlab compare {home-line.toml} --schemes drop-tail,pie --seeds 1-2",),
    "results/pi": ("aqmlab run {pi-hops.toml} --seeds 1-6 --set topology.links.1.queue.scheme=pi",),
    "results/drop-tail": ("aqmlab run {drop-tail-hops.toml} --seeds 1-6",),
    "results/pi/seed-1": ("aqmlab run {pi.toml}",),
    "results/bulk/seed-1": ("aqmlab run {bulk.toml}",),
    "results/sfg/seed-1": ("aqmlab run {sfg.toml}",),
}
"""What has to be done before there is a file or a result, with the files in braces that this takes."""


def give(line: str, folder: Path, installation: Installation) -> None:
    """Makes what a line reads: small files, also in place of what a line before has left under the name."""
    if not (folder / "examples").exists():
        shutil.copytree(ROOT / "examples", folder / "examples")
    words = [word.split(":")[0] for word in shlex.split(line.replace("$(aqmlab scheme include)", ""))]
    written = {after for word, after in itertools.pairwise(words) if word in {"-o", "--output", ">"}}
    for name in words:
        if name in written or (name not in TEXTS and (folder / name).exists()):
            continue
        if name in TEXTS.keys() | MADE.keys():
            _make(name, folder, installation)


def _make(name: str, folder: Path, installation: Installation) -> None:
    if name in TEXTS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(TEXTS[name], encoding="utf-8")
    for line in MADE.get(name, ()):
        for file in (word[1:-1] for word in line.split() if word.startswith("{")):
            _make_aside(file, folder)
        done = installation.run(line.replace("{", "given/").replace("}", ""), folder)
        assert done.returncode == 0, f"{line}: {done.stderr}"


def _make_aside(file: str, folder: Path) -> None:
    place = folder / "given" / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(TEXTS[file], encoding="utf-8")
