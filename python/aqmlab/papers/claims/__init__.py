"""Published claims as functions of stored results.

A claim stands in its experiment's `claims.toml` as statements: what has to be true, in words, the check that
answers, the cells that it looks at and the numbers that decide. Checks that several papers need are here:
`curves` of response times, `numbers` of runs; those of one paper lie beside its file, in
`experiments/<paper>/claims/`. `registry` lists what a statement may name; `evaluate` asks all statements and
makes one outcome per published claim.
"""

from aqmlab.papers.claims.evaluation import decided_without_runs, evaluate
from aqmlab.papers.claims.outcome import Answer, Finding, Outcome, Part, Question, Verdict
from aqmlab.papers.claims.registry import registry_of

__all__ = [
    "Answer",
    "Finding",
    "Outcome",
    "Part",
    "Question",
    "Verdict",
    "decided_without_runs",
    "evaluate",
    "registry_of",
]
