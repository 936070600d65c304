"""What the files of an experiment's folder hold."""

from __future__ import annotations

from aqmlab.files.shape import ANY, COUNT, FLAG, NUMBER, PLAIN, TEXT, Kind, ListOf, Table, TableOf, one_of

_LINE = Table({"bits_per_second_per_user": NUMBER, "intercept_mbps": NUMBER})

_SENTENCE = Kind("a sentence", lambda value: isinstance(value, str) and bool(value.strip()))
_OVERRIDES = TableOf(ANY)  # dotted keys of a scenario, which checks them itself
_LOADS = ListOf(NUMBER)

_PUBLISHED_TABLE = Table(
    required={"id": TEXT, "file": TEXT, "load": TEXT},
    optional={
        "title": TEXT,
        "note": TEXT,
        "cell": TEXT,
        "key": ListOf(TEXT),
        "groups": ListOf(TEXT),
        "every_cell": FLAG,
        "every_row": FLAG,
        "run_to_run": FLAG,
        "columns": ListOf(Table({"column": TEXT, "quantity": TEXT, "tolerance": TEXT})),
        "criterion": TEXT,
        "criteria": TableOf(
            Table({"quantities": ListOf(TEXT, shortest=1), "best": one_of("highest", "lowest")})
        ),
        "candidates": ListOf(TEXT),
        "least_window_s": NUMBER,
        "least_warm_up_s": NUMBER,
        "fitted": ListOf(
            Table(
                {"input": TEXT, "cells": ListOf(TEXT), "quantities": ListOf(TEXT)}, {"loads_percent": _LOADS}
            )
        ),
        "at_length": Table({"file": TEXT, "measured": TEXT}),
    },
)

_SCALE = Table(
    required={
        "description": TEXT,
        "duration_s": NUMBER,
        "warm_up_s": NUMBER,
        "replications": COUNT,
        "load_matched": FLAG,
        "start": TEXT,
    },
    optional={
        "cool_down_s": NUMBER,
        "loads_percent": _LOADS,
        "groups": ListOf(TEXT),
        "cells": ListOf(TEXT),
        "overrides": _OVERRIDES,
        "users_from": TEXT,
        "calibration": Table(
            optional={"users_per_side": ListOf(COUNT), "overrides": _OVERRIDES, "replications": COUNT}
        ),
    },
)

_CONFIGURATION = Table(
    required={"name": TEXT, "label": TEXT, "group": TEXT},
    optional={
        "twin": FLAG,
        "extends": TEXT,
        "published": TableOf(PLAIN),
        "overrides": _OVERRIDES,
        "loads_percent": _LOADS,
        "users": TableOf(COUNT),
    },
)

_VARIANT = Table(
    required={
        "suffix": TEXT,
        "label": TEXT,
        "group": TEXT,
        "of": ListOf(TEXT, shortest=1),
        "overrides": _OVERRIDES,
    },
    optional={"loads_percent": _LOADS},
)

_FIGURE = Table(
    required={
        "id": TEXT,
        "title": TEXT,
        "kind": one_of(
            *("calibration", "cdf", "ccdf", "queue", "scatter", "users", "requests-per-second"),
            *("bytes-requested-per-second", "response-time-per-second", "over-time", "false-positives"),
        ),
    },
    optional={
        "cells": ListOf(TEXT),
        "loads_percent": _LOADS,
        "calibration": FLAG,
        "discarded_s": NUMBER,
        "population": TEXT,
        "of": TEXT,
        "every_s": NUMBER,
        "bins": COUNT,
        "trials": COUNT,
    },
)

EXPERIMENT = Table(
    required={
        "title": TEXT,
        "paper": TEXT,
        "scenario": TEXT,
        "loads_percent": ListOf(NUMBER, shortest=1),
        "published": Table({"claims": TEXT}, {"calibration": _LINE, "tables": ListOf(_PUBLISHED_TABLE)}),
        "scales": TableOf(_SCALE),
        "configurations": ListOf(_CONFIGURATION, shortest=1),
        "figures": ListOf(_FIGURE),
    },
    optional={
        "users_per_side_at_100_percent": COUNT,
        "variants": ListOf(_VARIANT),
        "comparisons": Table({"baseline": TEXT, "groups": ListOf(TEXT)}),
        "response_times": Table({"of": TEXT}, {"beside": ListOf(TEXT), "stop_after_completed": COUNT}),
    },
)

_STATEMENT = Table(
    {"says": TEXT, "check": ListOf(TEXT, shortest=1)},
    {"each": TableOf(ListOf(PLAIN, shortest=1))},
    open=True,  # to what its check is given
)

CLAIMS = Table(
    {
        "claims": ListOf(
            Table(
                {
                    "id": TEXT,
                    "where": TEXT,
                    "claim": TEXT,
                    "measured_as": TEXT,
                    "statements": ListOf(_STATEMENT, shortest=1),
                }
            )
        )
    },
    {"words": TableOf(NUMBER)},
)

TOLERANCES = Table({"tolerance": TableOf(Table(optional={"absolute": NUMBER, "relative": NUMBER}))})

_NUMBERS = Table(
    {"table": TEXT, "cells": ListOf(TEXT, shortest=1)},
    {"loads_percent": _LOADS, "quantities": ListOf(TEXT)},
)

DIFFERENCES = Table(
    {
        "differences": ListOf(
            Table(
                optional={
                    "cause": _SENTENCE,
                    "not_identifiable": _SENTENCE,
                    "claims": ListOf(TEXT),
                    "numbers": ListOf(_NUMBERS),
                }
            )
        )
    }
)
