#!/usr/bin/env python3
"""Writes the tables of worked cases, ../tables/<scheme>: python3 work.py. The crate takes no part in it."""

import itertools
import pathlib

from cases import all_cases
from schemes import CoDel, DropTail, FqCoDel


def number(value):
    if value is None:
        return "-"
    return format(value, ".9g")


def settings(table, prefix=""):
    """One line per setting, nested ones with dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            yield f"{prefix}{key} = {str(value).lower()}"
        else:
            yield f'{prefix}{key} = "{value}"' if isinstance(value, str) else f"{prefix}{key} = {value}"


def counted(verdict):
    """Equal fates in a row are counted: early+early+sent is early*2+sent."""
    runs = [(fate, len(list(run))) for fate, run in itertools.groupby(verdict.split("+"))]
    return "+".join(fate if times == 1 else f"{fate}*{times}" for fate, times in runs)


def work(title, scheme, facts, keys, events):
    """The text of one case: settings, then one line per event."""
    aqm = scheme(facts, keys)
    lines = [f"case: {title}"]
    lines += settings({**facts, "scheme": scheme.name, **keys})
    random = scheme not in (CoDel, DropTail, FqCoDel)
    heading = ["time_ms", "do", "bytes", "flow", "ecn", "|", "verdict"]
    rows = [heading + (["coin", "chance"] if random else []) + scheme.columns]
    for time, do, *packet in events:
        size, flow, ecn = packet or ("-", "-", "-")
        if do == "arrive":
            verdict = aqm.arrive(time, dict(bytes=size, flow=flow, ecn=ecn))
        else:
            verdict = aqm.depart(time) if do == "depart" else aqm.wait(time)
        row = [number(time), do, str(size), str(flow), ecn, "|", counted(verdict)]
        if random:
            row += [number(aqm.coins.last), number(aqm.chance)]
        rows.append(row + [number(aqm.seen()[name]) for name in scheme.columns])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines += [""] + [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(__file__).parent.parent / "tables"
    for cases in all_cases():
        name = cases[0][1].name
        heading = f"# Worked cases of {name}: written by ../oracle/work.py, read by ../tables.rs.\n"
        (folder / name).write_text("\n".join([heading] + [work(*case) for case in cases]))


if __name__ == "__main__":
    main()
