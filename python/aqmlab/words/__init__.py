"""The sentences that users read about results: the one home of wording.

Terminal, reports, notebooks and `aqmlab play` print these sentences. `amounts` writes numbers with the unit
people use, `comparison` says what a queue discipline changes, `play` what one run
shows, `offered` what users ask of the link.
"""

from aqmlab.words.amounts import counted, duration, listed, span
from aqmlab.words.comparison import answer, page_sentences, sentences, verdicts
from aqmlab.words.offered import offered_load

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
