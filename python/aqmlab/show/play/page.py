"""The page as files and facts, whoever makes its runs: the server here, or WebAssembly in a browser."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING, Any

import aqmlab
from aqmlab.presets.line import AS_IT_IS
from aqmlab.show.figures.looks import dash_lengths, hue_of, looks_of_names
from aqmlab.show.words.play import of_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.show.play.played import Played

ASSETS = {
    "address.js": ("aqmlab.show.play", "address.js", "text/javascript"),
    "charts.js": ("aqmlab.show.play", "charts.js", "text/javascript"),
    "comparison.js": ("aqmlab.show.play", "comparison.js", "text/javascript"),
    "controls.js": ("aqmlab.show.play", "controls.js", "text/javascript"),
    "detail.js": ("aqmlab.show.play", "detail.js", "text/javascript"),
    "page.js": ("aqmlab.show.play", "page.js", "text/javascript"),
    "server.js": ("aqmlab.show.play", "server.js", "text/javascript"),
    "page.css": ("aqmlab.show.play", "page.css", "text/css"),
    "ticks.js": ("aqmlab.show.report", "templates/ticks.js", "text/javascript"),
    "hues.css": ("aqmlab.show.report", "templates/hues.css", "text/css"),
    "uplot.js": ("aqmlab.show.report", "vendored/uplot/uPlot.iife.min.js", "text/javascript"),
    "uplot.css": ("aqmlab.show.report", "vendored/uplot/uPlot.min.css", "text/css"),
}
"""Scripts and styles by name: the package of each, its file there and what it is."""


def page_facts(link: Played[Any]) -> dict[str, Any]:
    """What the page is told once: what can be turned, where it stands, and how lines look."""
    facts = link.facts()
    home = facts.get("home")
    looks = {scheme: look_of(scheme) for scheme in facts["parameters"]}
    if home is not None:
        looks[AS_IT_IS] = look_of(home["own_scheme"])
    name = link.scenario.name
    return {
        **facts,
        "name": name,
        "version": aqmlab.__version__.partition("+")[0],
        "words": of_page(name, home=home is not None),
        "simulated_s": link.simulated_s,
        "looks": looks,
    }


def page_with(engine: Sequence[str], address: str, token: str = "") -> str:
    """The page, whose engine makes the runs: a server's here, WebAssembly in the page of `make browser`."""
    text = (resources.files("aqmlab.show.play") / "page.html").read_text(encoding="utf-8")
    scripts = "\n".join(f'<script src="asset/{name}"></script>' for name in engine)
    text = text.replace("{{ engine }}", scripts).replace("{{ token }}", token)
    return re.sub(r'"asset/([a-z.]+)"', lambda found: f'"{address.format(found[1])}"', text)


def look_of(scheme: str) -> dict[str, Any]:
    """How the lines of a scheme look, as in every figure; black is the ink of the page."""
    look = looks_of_names([scheme])[scheme]
    hue = hue_of(look)
    return {"colour": "--ink" if hue is None else f"--hue-{hue}", "dash": dash_lengths(look.pattern)}
