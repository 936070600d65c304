"""Writes the page of `make browser`: static files that run the simulator in a browser, from any folder.

    python tools/browser/build.py MODULE.wasm FOLDER

Rules, limits, labels and the household come from the Python package when the page is built, so that page and
package cannot differ. Besides `index.html`, its scripts and the module there is `folder.js`: the module and
the worker as text, which the page loads instead of both when it is opened as a file, where browsers let no
page fetch.
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

import aqmlab
from aqmlab.comparison.making import DEFAULT_SCHEMES
from aqmlab.comparison.verdict import PAGES, VIDEO, application_name
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.placed_schemes import placed
from aqmlab.load.queue_place import LINE_LINKS, PLACES
from aqmlab.load.queues import LIMITS
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.household import BBR, CUBIC, DOWNLOADS, household
from aqmlab.presets.line import AS_IT_IS
from aqmlab.scenario import Scenario
from aqmlab.show.figures.looks import dash_lengths, hue_of, looks_of_names
from aqmlab.show.words.play import of_application, of_place
from aqmlab.show.words.verdict import AS_SAID
from aqmlab.statistics import voice
from aqmlab.statistics.experience import KINDS, LEAST_MBPS, MOST_MBPS, WORST_BADNESS, Grade

PAGE = Path(__file__).parent / "page"
SCHEMES = (*DEFAULT_SCHEMES, "codel", "cobalt", "dualpi2")
"""Queue disciplines to choose from, beside the line as it is."""
SHARED = {
    "controls.js": ("aqmlab.show.play", "controls.js"),
    "charts.js": ("aqmlab.show.play", "charts.js"),
    "play.css": ("aqmlab.show.play", "page.css"),
    "ticks.js": ("aqmlab.show.report", "templates/ticks.js"),
    "hues.css": ("aqmlab.show.report", "templates/hues.css"),
    "uplot.js": ("aqmlab.show.report", "vendored/uplot/uPlot.iife.min.js"),
    "uplot.css": ("aqmlab.show.report", "vendored/uplot/uPlot.min.css"),
}
"""What the page has in common with `aqmlab play` and with reports."""
OWN = ("index.html", "browser.css", "household.js", "words.js", "page.js")
WORKER = ("household.js", "engine.js", "statistics.js", "worker.js")
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
        "grades": [grade.word for grade in Grade],
        "worst_badness": WORST_BADNESS,
        "as_said": {base: [what, write.__name__] for base, (what, write) in AS_SAID.items()},
    }


def home(technology: str) -> dict[str, Any]:
    """The household of `aqmlab new home` on a line of a technology, and what its applications are called."""
    document = tomllib.loads(household(technology=technology))
    resolved = Scenario.of(document).resolved
    applications: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for table in _GROUPS:
        for group in resolved.get(table) or ():
            applications.setdefault(application_name(group["name"]), []).append((table, group))
    labels = {name: of_application(name, groups) for name, groups in applications.items()}
    return {"document": document, "applications": labels}


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


def look(scheme: str) -> dict[str, Any]:
    """The line of a scheme in charts, as in reports: the page's colour for it, and its dashes."""
    line = looks_of_names([scheme])[scheme]
    hue = hue_of(line)
    return {"colour": "--ink" if hue is None else f"--hue-{hue}", "dash": list(dash_lengths(line.pattern))}


def data() -> dict[str, Any]:
    """Everything that the page knows of the package."""
    return {
        "version": aqmlab.__version__.partition("+")[0],
        "rules": rules(),
        "homes": {technology: home(technology) for technology in TECHNOLOGIES},
        "as_it_is": AS_IT_IS,
        "schemes": [
            {
                "name": scheme,
                "label": spelt(scheme),
                "look": look(scheme),
                "at": {place: queue_tables(scheme, place) for place in PLACES},
            }
            for scheme in SCHEMES
        ],
        "own_look": look("drop-tail"),
        "places": [
            {"name": name, "label": of_place(place), "down": place.links[0] != LINE_LINKS[1]}
            for name, place in PLACES.items()
        ],
        "senders": {name: tomllib.loads(DOWNLOADS[name]) for name in (CUBIC, "reno", BBR)},
        "scenes": json.loads((PAGE / "scenes.json").read_text()),
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
    for name in OWN:
        shutil.copyfile(PAGE / name, folder / name)
    for name, (package, file) in SHARED.items():
        (folder / name).write_text(resources.files(package).joinpath(file).read_text())


if __name__ == "__main__":
    source, target = sys.argv[1:]
    write(Path(source).read_bytes(), Path(target))
    print(f"{target}/index.html")
