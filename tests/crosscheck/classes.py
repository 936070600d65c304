"""The bands of prio and the shares of htb, asked of a kernel: user-mode Linux.

    python -m tests.crosscheck.classes        asks, and writes crates/aqm/tests/kernel/classes, which `cargo test` compares with ours

UML names a user-mode Linux, by default the one that `make uml-kernel` built, else that of Debian's packages user-mode-linux and kmod. No privileges are needed; it takes three minutes. The status is 3 if
there is no such kernel.
"""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

from .measurement import FOLDER
from .user_mode_linux import asked, nothing_to_ask

ANSWERS = FOLDER.parents[1] / "crates" / "aqm" / "tests" / "kernel" / "classes"
MISSING = 3
DSCPS = (8, 16, 24, 32)
Tree = list[dict[str, Any]]


def _leaves(parents: str | list[str], **keys: list[float]) -> Tree:
    """Full classes, each with its own codepoint and its value of every key."""
    rows = [dict(zip(keys, values, strict=True)) for values in zip(*keys.values(), strict=True)]
    above = [parents] * len(rows) if isinstance(parents, str) else parents
    return [
        {"parent": parent, "dscp": [dscp], **row}
        for parent, dscp, row in zip(above, DSCPS, rows, strict=False)
    ]


def _trees() -> dict[str, Tree]:
    """By what each is about; at most 4 Mbit/s, where a machine that is late changes little."""
    line: Tree = [{"name": "line", "rate_mbps": 4.0}]
    sites: Tree = [
        {"name": "north", "parent": "line", "rate_mbps": 2.4, "ceil_mbps": 4.0},
        {"name": "south", "parent": "line", "rate_mbps": 1.6, "ceil_mbps": 4.0},
    ]
    narrow = [{**site, "ceil_mbps": ceil} for site, ceil in zip(sites, (2.6, 4.0), strict=True)]
    of_sites = ["north", "north", "south", "south"]
    return {
        "rates alone": line + _leaves("line", rate_mbps=[1.0, 2.0]),
        "usual turns": line + _leaves("line", rate_mbps=[0.5, 1.5], ceil_mbps=[4.0, 4.0]),
        "turns of 1 to 3": line
        + _leaves("line", rate_mbps=[1.0, 1.0], ceil_mbps=[4.0, 4.0], quantum_bytes=[1500, 4500]),
        "short turns": line
        + _leaves("line", rate_mbps=[0.2, 0.4], ceil_mbps=[4.0, 4.0], quantum_bytes=[500, 1500]),
        "priority": line + _leaves("line", rate_mbps=[0.5, 0.5], ceil_mbps=[4.0, 4.0], prio=[1, 0]),
        "priority up to a ceiling": line
        + _leaves("line", rate_mbps=[0.5, 0.5, 0.5], ceil_mbps=[4.0, 2.0, 4.0], prio=[2, 0, 1]),
        "ceilings below the line": line + _leaves("line", rate_mbps=[0.5, 1.0], ceil_mbps=[1.5, 2.0]),
        "ceilings that bind": line + _leaves("line", rate_mbps=[0.8, 0.8], ceil_mbps=[3.2, 2.0]),
        "ceilings that bind, short turns": line
        + _leaves("line", rate_mbps=[0.8, 0.8], ceil_mbps=[3.2, 2.0], quantum_bytes=[1500, 1500]),
        "ceilings that bind, bursts": line
        + _leaves(
            "line",
            rate_mbps=[0.8, 0.8],
            ceil_mbps=[3.2, 2.0],
            burst_bytes=[20_000, 20_000],
            ceil_burst_bytes=[20_000, 20_000],
        ),
        "two sites": line
        + sites
        + _leaves(of_sites, rate_mbps=[1.0, 1.4, 0.8, 0.8], ceil_mbps=[4.0, 4.0, 4.0, 4.0]),
        "two sites, one idle circuit": line
        + sites
        + _leaves(["north", "south", "south"], rate_mbps=[1.0, 0.4, 0.8], ceil_mbps=[4.0, 4.0, 4.0]),
        "two sites, one with a ceiling": line
        + narrow
        + _leaves(of_sites, rate_mbps=[0.5, 0.5, 0.2, 0.4], ceil_mbps=[4.0, 4.0, 1.0, 4.0]),
        "two sites, priorities": line
        + sites
        + _leaves(
            of_sites, rate_mbps=[0.5, 0.5, 0.5, 0.5], ceil_mbps=[4.0, 4.0, 4.0, 4.0], prio=[1, 0, 0, 1]
        ),
    }


def main() -> int:
    """Asks, and writes what came."""
    if missing := nothing_to_ask():
        print(missing)
        return MISSING
    trees = _trees()
    release, lines = asked("classes.py", map(json.dumps, trees.values()), ("BANDS", "RATES"))
    rates = [line.removeprefix("RATES ") for line in lines if line.startswith("RATES ")]
    bands = [line for line in lines if line.startswith("BANDS ")]
    if len(rates) < len(trees) or not bands:
        raise SystemExit(f"the kernel answered {len(bands)} and {len(rates)} of 1 and {len(trees)} cases")
    today = datetime.datetime.now(tz=datetime.UTC).date()
    stored = [
        f"# What prio and htb of Linux {release} do, {today}: written by python -m tests.crosscheck.classes."
    ]
    stored += bands
    stored += [
        f"RATES {name} | {json.dumps(tree)} | {found}"
        for (name, tree), found in zip(trees.items(), rates, strict=True)
    ]
    ANSWERS.write_text("".join(f"{line}\n" for line in stored), encoding="utf-8")
    print(f"{ANSWERS}: cargo test -p aqmlab-aqm --test classes compares")
    return 0


if __name__ == "__main__":
    sys.exit(main())
