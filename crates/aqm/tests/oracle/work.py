#!/usr/bin/env python3
"""Writes the worked cases, as tables (../tables/<scheme>) and as data for others (../../vectors/<scheme>.json): python3 work.py.
The crate takes no part in it.
"""

import itertools
import json
import pathlib

from cases import all_cases


def number(value):
    if value is None:
        return "-"
    return format(value, ".9g")


def settings(table, prefix=""):
    """One line per setting, nested ones with dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield f"{prefix}{key} = {json.dumps(value)}"
        elif isinstance(value, bool):
            yield f"{prefix}{key} = {str(value).lower()}"
        else:
            yield f'{prefix}{key} = "{value}"' if isinstance(value, str) else f"{prefix}{key} = {value}"


def counted(verdict):
    """Equal fates in a row are counted: early+early+sent is early*2+sent."""
    runs = [(fate, len(list(run))) for fate, run in itertools.groupby(verdict.split("+"))]
    return "+".join(fate if times == 1 else f"{fate}*{times}" for fate, times in runs)


def spelt(segment):
    """A segment's acknowledgement as one word: ack:5000;ts:10/3;sack:6000-7000."""
    if segment is None:
        return "-"
    words = [f"ack:{segment['ack']}"]
    if "ts" in segment:
        words.append("ts:{}/{}".format(*segment["ts"]))
    words += [f"sack:{start}-{end}" for start, end in segment.get("sack", [])]
    words += [flag for flag in ("ece", "cwr") if flag in segment["ecn"]]
    return ";".join(words + (["data"] if segment.get("data") else []))


MORE = {"dscp": str, "segment": spelt}
"""What packets of some cases have beside size, flow and codepoint."""


def work(title, scheme, facts, keys, events):
    """The text of one case: settings, then one line per event."""
    aqm = scheme(facts, keys)
    lines = [f"case: {title}"]
    lines += settings({**facts, "scheme": scheme.name, **keys})
    said = [event[5] for event in events if len(event) > 5]
    more = [name for name in MORE if any(name in packet for packet in said)]
    heading = ["time_ms", "do", "bytes", "flow", "ecn", *more, "|", "verdict"]
    random = (["drawn"] if scheme.draws_several else []) + (["coin", "chance"] if scheme.tosses else [])
    columns = scheme.columns + getattr(aqm, "more_columns", [])
    rows = [heading + random + columns]
    for time, do, *packet in events:
        size, flow, ecn, *beside = packet or ("-", "-", "-")
        beside = beside[0] if beside else {}
        before = aqm.coins.drawn
        if do == "arrive":
            verdict = aqm.arrive(time, dict(bytes=size, flow=flow, ecn=ecn, **beside))
        else:
            verdict = aqm.depart(time) if do == "depart" else aqm.wait(time)
        cells = [MORE[name](beside[name]) if name in beside else "-" for name in more]
        row = [number(time), do, str(size), str(flow), ecn, *cells, "|", counted(verdict)]
        if scheme.draws_several:
            row.append(str(aqm.coins.drawn - before))
        if scheme.tosses:
            row += [number(aqm.coins.last), number(aqm.chance)]
        rows.append(row + [number(aqm.seen()[name]) for name in columns])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines += [""] + [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]
    return "\n".join(lines) + "\n"


def vector(text):
    """A case as data, of its table: so that both say the same."""
    head, _, events = text.partition("\n\n")
    title, *settings = head.splitlines()
    keys = dict(line.split(" = ", 1) for line in settings)
    port = {name: json.loads(keys.pop(name)) for name in FACTS if name in keys}
    names, *rows = [[cell for cell in row.split() if cell != "|"] for row in events.splitlines()]
    return {
        "title": title.removeprefix("case: "),
        "port": port,
        "scheme": nested({key: json.loads(value) for key, value in keys.items()}),
        "columns": names,
        "events": [[cell_of(name, cell) for name, cell in zip(names, row)] for row in rows],
    }


FACTS = ("link_mbps", "timer_phase", "flow_salt", "seed")
WORDS = ("do", "ecn", "segment", "verdict")


def nested(keys):
    """Dotted keys as tables in tables."""
    table = {}
    for key, value in keys.items():
        *outer, last = key.split(".")
        place = table
        for name in outer:
            place = place.setdefault(name, {})
        place[last] = value
    return table


def cell_of(name, cell):
    if cell == "-":
        return None
    return cell if name in WORDS else json.loads(cell)


def as_json(name, cases):
    """One line per event: what changes shows in a comparison of files."""
    lines = []
    for case in cases:
        events = case.pop("events")
        head = json.dumps(case)[:-1]
        rows = ",\n".join(f"      {json.dumps(event)}" for event in events)
        lines.append(f'    {head}, "events": [\n{rows}\n    ]}}')
    cases = ",\n".join(lines)
    return f'{{"format": 1, "scheme": "{name}", "cases": [\n{cases}\n]}}\n'


def main():
    tests = pathlib.Path(__file__).parent.parent
    for cases in all_cases():
        name = cases[0][1].name
        texts = [work(*case) for case in cases]
        heading = f"# Worked cases of {name}: written by ../oracle/work.py, read by ../tables.rs.\n"
        (tests / "tables" / name).write_text("\n".join([heading] + texts))
        vectors = as_json(name, [vector(text) for text in texts])
        (tests.parent / "vectors" / f"{name}.json").write_text(vectors)


if __name__ == "__main__":
    main()
