"""The sentences that users read about results: the one home of wording.

Terminal, reports, notebooks and `aqmlab play` print these sentences. `amounts` writes numbers with the unit
people use, `comparison` says what a queue discipline changes, `calls` how good calls and games are, `play`
what one run shows, `line` what users ask of it and whose boxes hold its queues, `live` what the audit of a
live run found, `pages` what pages of one's own consist of, `explained` what a name of a scenario stands for.
What is said of one kind of test alone stands beside its table.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aqmlab.show.words.amounts import counted, duration, listed, span
    from aqmlab.show.words.comparison import answer, page_sentences, sentences, verdicts
    from aqmlab.show.words.line import offered_load

__all__ = [
    "answer",
    "counted",
    "duration",
    "listed",
    "offered_load",
    "page_sentences",
    "sentences",
    "span",
    "verdicts",
]

# Imported when first asked for: what explains a name needs no comparison.
_HOMES = {
    **dict.fromkeys(("counted", "duration", "listed", "span"), "aqmlab.show.words.amounts"),
    **dict.fromkeys(("answer", "page_sentences", "sentences", "verdicts"), "aqmlab.show.words.comparison"),
    "offered_load": "aqmlab.show.words.line",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
