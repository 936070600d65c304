"""Writes the page of `make browser`: static files that run the simulator in a browser, from any folder.

    python tools/browser/build.py MODULE.wasm FOLDER

The page is that of `aqmlab play`, with another engine. What can be set, rules, limits, labels and the
household come from the Python package when the page is built, so that page and package cannot differ. Besides
`index.html`, its scripts and the module there is `folder.js`: the module and the worker as text, which the
page loads instead of both when it is opened as a file, where browsers let no page fetch.
"""

from __future__ import annotations

import base64
import json
import math
import shutil
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from aqmlab.comparison.verdict import PAGES, VIDEO
from aqmlab.load.queue_place import PLACES
from aqmlab.load.queues import LIMITS, placed
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.household import household
from aqmlab.presets.line import AS_IT_IS
from aqmlab.scenario import Scenario
from aqmlab.show.play import PlayedHome
from aqmlab.show.play.household import SENDERS, faults_of
from aqmlab.show.play.page import ASSETS, page_facts, page_with
from aqmlab.show.words.play import of_verdict
from aqmlab.show.words.verdict import AS_SAID
from aqmlab.statistics import voice
from aqmlab.statistics.experience import KINDS, LEAST_MBPS, MOST_MBPS, WORST_BADNESS, Grade

PAGE = Path(__file__).parent / "page"
OTHERS = ("codel", "cobalt", "dualpi2")
"""Queue disciplines to choose from, beside those that every household's page names."""
BESIDE = "fq-codel"
"""The queue that stands beside the line as it is when the page is opened."""
ENGINE = ("data.js", "household.js", "words.js", "simulator.js")
"""What makes the runs of the page, in the place of `aqmlab play`'s server."""
WORKER = ("household.js", "engine.js", "statistics.js", "worker.js")
WORDS = {
    "title": "What your router's queue does to calls, games and web pages",
    "tab": "What your router's queue does – aqmlab",
    "command": "The same numbers without a browser, of the saved scenario:",
    "compare": "The same line under other queues, with eight seeds and confidence intervals:",
    "no_strip": "No call and no game is on: switch one on to see its delay.",
}
QUEUES = ("provider_queue", "modem_queue", "router_queue_down", "router_queue_up")
_GROUPS = ("populations", "flows", "datagrams")


def rules() -> dict[str, Any]:
    """What is judged by which numbers and limits, and how numbers are written."""
    kinds = {**KINDS, PAGES.name: PAGES, VIDEO.name: VIDEO}
    return {
        "kinds": {
            name: {
                "criteria": [
                    {
                        "quantity": getattr(each.of("datagrams.any"), "base", None),
                        "best": each.best,
                        "limits": list(each.limits),
                        "worst": None if math.isinf(each.worst) else each.worst,
                    }
                    for each in kind.criteria
                ],
                "shows_frames": kind.shows_frames,
            }
            for name, kind in kinds.items()
        },
        "call_mbps": [LEAST_MBPS, MOST_MBPS],
        "voice": voice.constants(),
        "all_good": of_verdict("", all_good=True),
        "grades": [grade.word for grade in Grade],
        "worst_badness": WORST_BADNESS,
        "as_said": {base: [what, write.__name__] for base, (what, write) in AS_SAID.items()},
    }


def home(technology: str) -> dict[str, Any]:
    """The household of `aqmlab new home` on a line of a technology, and what each fault sets in it."""
    document = tomllib.loads(household(technology=technology))
    return {"document": document, "faults": faults_of(Scenario.of(document).resolved)}


def queue_tables(scheme: str, place: str) -> dict[str, Any]:
    """The keys of a `[line]` that put a scheme at a place, and the queues that keep the line's bytes.

    Raises:
        SystemExit: They depend on the line by more than that limit, which the page knows.
    """
    found = [_queue_tables(scheme, place, technology) for technology in ("cable", "adsl")]
    if found[0] != found[1]:
        raise SystemExit(f"{scheme} in {place}: the page cannot make its table for every line")
    return found[0]


def _queue_tables(scheme: str, place: str, technology: str) -> dict[str, Any]:
    own = home(technology)["document"]
    scenario = Scenario.of(own)
    before, after = scenario.resolved["line"], placed(scenario, scheme, PLACES[place], None).resolved["line"]
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    tables = {key: {"scheme": scheme, **_limits(value)} for key, value in changed.items() if key in QUEUES}
    made = Scenario.of({**own, "line": {**own["line"], **changed, **tables}}).resolved["line"]
    if made != after:
        raise SystemExit(f"{scheme} in {place}: another queue than `aqmlab compare` puts there")
    keeps = [key for key, table in tables.items() if table.pop("limit_bytes", None) is not None]
    return {"line": {**changed, **tables}, "keeps_bytes_of": keeps}


def _limits(table: dict[str, Any]) -> dict[str, int]:
    return {name: table[name] for name in LIMITS if table.get(name) is not None}


def facts() -> dict[str, Any]:
    """What can be set on the page, as `aqmlab play` tells it, with the queues that this page has."""
    homes = {name: Scenario.from_toml(household(technology=name)) for name in TECHNOLOGIES}
    found = page_facts(PlayedHome(next(iter(homes.values())), technologies=homes))
    for own in (found, *found["technologies"].values()):
        own["home"]["others"] = [each for each in own["home"]["others"] if each["name"] in OTHERS]
        named = [each["name"] for each in (*own["home"]["schemes"], *own["home"]["others"])]
        own["parameters"] = {name: [] for name in named}
    looks = {name: look for name, look in found["looks"].items() if name in found["parameters"]}
    return {**found, "looks": looks, "words": {**found["words"], **WORDS}, "beside": BESIDE}


def data() -> dict[str, Any]:
    """Everything that the page knows of the package."""
    told = facts()
    return {
        "facts": told,
        "rules": rules(),
        "homes": {technology: home(technology) for technology in TECHNOLOGIES},
        "as_it_is": AS_IT_IS,
        "queues": {
            scheme: {place: queue_tables(scheme, place) for place in PLACES}
            for scheme in told["parameters"]
            if scheme != AS_IT_IS
        },
        "senders": SENDERS,
    }


def write(module: bytes, folder: Path) -> None:
    """Writes all files of the page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "engine.wasm").write_bytes(module)
    worker = "\n".join((PAGE / name).read_text() for name in WORKER)
    (folder / "worker.js").write_text(worker)
    apart = {"worker": worker, "module": base64.b64encode(module).decode()}
    (folder / "folder.js").write_text(f"globalThis.aqmlabFolder = {json.dumps(apart)};\n")
    (folder / "data.js").write_text(f"globalThis.aqmlabData = {json.dumps(data())};\n")
    for name in ENGINE[1:]:
        shutil.copyfile(PAGE / name, folder / name)
    for name, (package, file, _) in ASSETS.items():
        if name != "server.js":
            (folder / name).write_text(resources.files(package).joinpath(file).read_text())
    (folder / "index.html").write_text(page_with(ENGINE, "{}"))


if __name__ == "__main__":
    source, target = sys.argv[1:]
    write(Path(source).read_bytes(), Path(target))
    print(f"{target}/index.html")
