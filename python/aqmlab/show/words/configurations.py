"""How a configuration, and who shares its network, is named in tables and in sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.presets.line import AS_IT_IS

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_SCHEMES = 2
"""So many schemes of a line have room in the head of a row."""
_LIVE = " (live)"
_WAY = re.compile(r"(?P<who>.+)-(?P<way>up|down)")
_PROPER = re.compile(r"[A-Z0-9]")


def named(configuration: str) -> str:
    """A configuration as people write it: PIE, FQ-CoDel (live), as it is; others as users named them."""
    own, live = _live_apart(configuration)
    return f"{spelt(own)}{live}"


def under(configuration: str) -> str:
    """Under which configuration something is so: `with PIE`; of the one called so, `as it is`."""
    return configuration if configuration == AS_IT_IS else f"with {named(configuration)}"


def itself(configuration: str) -> str:
    """A configuration that something is compared with: `PIE`, `the network as it is`."""
    return f"the network {configuration}" if configuration == AS_IT_IS else named(configuration)


def now(schemes: Sequence[str]) -> str:
    """What a table calls a line as it is, by its queue disciplines: `now (drop-tail)`."""
    return f"now ({', '.join(map(spelt, schemes))})" if len(schemes) <= _MOST_SCHEMES else "now"


def of_row(configuration: str, schemes: Sequence[str]) -> str:
    """What a table calls a configuration of a line that has these queue disciplines now."""
    own, live = _live_apart(configuration)
    return f"{now(schemes)}{live}" if own == AS_IT_IS else named(configuration)


def _live_apart(configuration: str) -> tuple[str, str]:
    """A configuration and, of one that was run over Linux TCP, what says so."""
    own = configuration.removesuffix(_LIVE)
    return own, configuration[len(own) :]


def the(group: str) -> str:
    """A group in a sentence: `the backup`, `the call on the way up`; capitals and digits take no article."""
    found = _WAY.fullmatch(group)
    name, way = (found["who"], f" on the way {found['way']}") if found else (group, "")
    return f"{_with_article(name, name)}{way}"


def briefly(group: str) -> str:
    """A group in a table: `call, up`."""
    found = _WAY.fullmatch(group)
    return f"{found['who']}, {found['way']}" if found else group


def whose(group: str, what: str) -> str:
    """Something of a group: `the meeting's video on the way up`, `the photos' transfers`."""
    found = _WAY.fullmatch(group)
    name, way = (found["who"], f" on the way {found['way']}") if found else (group, "")
    own = f"{name}'" if name.endswith("s") else f"{name}'s"
    return f"{_with_article(name, own)} {what}{way}"


def _with_article(name: str, written: str) -> str:
    return written if _PROPER.search(name) else f"the {written}"
