"""The words that results print as verdicts: what each means, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.study.bloat import GRADES, thresholds, thresholds_of_losses
from aqmlab.study.evaluation.harm import DISTANCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CLAIM = "reproduce: a claim"
_CONCLUSION = "scorecard: a published number or statement"
_CURVES = "reproduce, report: two curves of response times"
_LINE = "line --from: the queue that a measurement shows"
_NUMBER = "reproduce: a number beside the published one"
_RPM = "rpm"
_STATEMENT = "reproduce: a statement of a claim"
_STRANGERS = "reproduce strangers, scorecard: a number that others measured"
_TODAY = "reproduce --hosts: a statement with hosts of today"
_TIMING = "live, crossvalidate, --live: the timing of a run"
_UNJUDGED = "the runs were too short or too few to decide"
_VERDICT = "compare, report, play, sqm: a call, a game, a meeting, pages or videos"

_HARM = "evaluate CONTROLLER: a number"
_STANDARD = (
    f"CUBIC (beside Reno: than Reno) by more than {DISTANCE:g} of harm, or {100 * DISTANCE:g} % of other "
    "numbers, beyond chance"
)
_LIMITS = "limits of each application: docs/explanation/statistics.md"
_MEANINGS: Mapping[str, Mapping[str, str]] = {
    "good": {
        _VERDICT: f"the worst of its numbers is below the first limit ({_LIMITS})",
        _RPM: "1,000 to below 6,000 round trips per minute",
    },
    "fair": {
        _VERDICT: f"the worst of its numbers lies between the first and the second limit ({_LIMITS})",
        _RPM: "300 to below 1,000 round trips per minute",
    },
    "poor": {
        _VERDICT: f"the worst of its numbers lies between the second and the third limit ({_LIMITS})",
        _RPM: "below 300 round trips per minute",
    },
    "unusable": {_VERDICT: f"a number is beyond the last limit, or nothing arrives ({_LIMITS})"},
    "excellent": {_RPM: "6,000 round trips per minute or more"},
    "or worse": {_VERDICT: "runs ended too early to know more than a bound, behind which lies a worse word"},
    "too short": {_VERDICT: "the measured window is shorter than the buffer of the video's player"},
    "may be chance": {_VERDICT: "too few seeds to tell a difference from chance: six can"},
    "worse": {
        _HARM: f"worse than {_STANDARD}",
        _CURVES: "fewer responses are done in time: the 95 % band lies below zero over a tenth of the "
        "responses or more, and nowhere above +0.01",
    },
    "better": {
        _HARM: f"better than {_STANDARD}",
        _CURVES: "more responses are done in time: the 95 % band lies above zero over a tenth of the "
        "responses or more, and nowhere below -0.01",
    },
    "equivalent": {_CURVES: "the whole 95 % band lies within 0.02 of zero"},
    "trade-off": {_CURVES: "the 95 % band lies above +0.01 at some times and below -0.01 at others"},
    "cannot be judged": {_CURVES: "the 95 % band is too wide, or there are too few runs or responses"},
    "low": {f"{_RPM}: confidence": "the test was too short to judge whether RPM or goodput were stable"},
    "medium": {f"{_RPM}: confidence": "RPM or goodput still changed when time was up"},
    "high": {f"{_RPM}: confidence": "RPM and goodput were stable at the end"},
    "valid": {_TIMING: "packets left when they were due, within the limits of docs/explanation/live-runs.md"},
    "suspect": {
        _TIMING: "the machine was late, lost packets of its own, or a host or queue behaved differently; the "
        "reasons stand beside it. Numbers may be the machine's (docs/explanation/live-runs.md)"
    },
    "reproduced": {
        _CONCLUSION: "a number lies within its tolerance with its whole 95 % interval; a statement holds",
        _CLAIM: "every statement holds",
    },
    "holds as far as judged": {_CLAIM: "some statements hold, none differs, and some are not decided"},
    "partly": {_CLAIM: "some statements hold, others differ"},
    "not": {_CLAIM: "no statement holds, and at least one differs"},
    "not run": {
        _CLAIM: "its runs are not there",
        _STATEMENT: "its runs are not there",
        _CONCLUSION: "its runs are not there, or need what is not modelled",
    },
    "holds": {_STATEMENT: "its interval, or band, shows it"},
    "differs": {
        _STATEMENT: "its interval, or band, excludes it",
        _NUMBER: "outside its tolerance",
        _STRANGERS: "outside the published spread widened by ours",
    },
    "differs, cause known": {_CONCLUSION: "ours differs, and further runs prove why"},
    "differs, cause unknown": {_CONCLUSION: "ours differs, and no runs prove why; there may be a conjecture"},
    "not identifiable": {_CONCLUSION: "ours differs, and runs show that the paper's text does not decide"},
    "scale cannot judge": dict.fromkeys((_CONCLUSION, _CLAIM, _STATEMENT, _NUMBER), _UNJUDGED),
    "within": {
        _NUMBER: "within its tolerance",
        _STRANGERS: "within the published spread widened by ours",
    },
    "within here alone": {_NUMBER: "within its tolerance at this scale, and outside at the paper's length"},
    "scale": {_NUMBER: "outside its tolerance at this scale, and within at the paper's length"},
    "inside": {
        _STRANGERS: "within the published spread widened by ours (aqmlab/experiments/strangers/ledger.toml)"
    },
    "not modelled": {
        _STRANGERS: "it needs something that is not simulated, which stands beside it: not run, not counted",
        "Linux's tc in --scheme, explain --linux": "a word without effect here: the queue runs without it",
    },
    "in-sample": {_NUMBER: "the models were chosen by it, so that it tests nothing; marked †"},
    "still holds": {_TODAY: "it holds with the study's hosts and with today's"},
    "no longer holds": {_TODAY: "it holds with the study's hosts, and differs with today's"},
    "holds only today": {_TODAY: "it differs with the study's hosts, and holds with today's"},
    "holds with neither": {_TODAY: "it differs with the study's hosts and with today's"},
    "independent of hosts": {_TODAY: "no run can change it"},
    "undecided": {_TODAY: f"with one of the two {_UNJUDGED}"},
    "controlled": {_LINE: "it keeps delays short by dropping or marking early, as PIE and CoDel do"},
    "flows isolated": {_LINE: "probes do not wait behind the load, as with FQ-CoDel and CAKE"},
    "flows isolated, or not full": {_LINE: "probes do not wait; the load may not have filled the line"},
    "short": {_LINE: "a short buffer, or a controlled queue: the measurement does not say which"},
    "none seen": {_LINE: "the load's own packets do not wait either"},
    "not known": {_LINE: "too few round trips under load to say"},
}
_OF_GRADES = "bloat: delay under load"


def words_of_results() -> list[str]:
    """Every word that is explained."""
    return [*_MEANINGS, *(grade.name for grade in GRADES)]


def word_explained(word: str) -> str | None:
    """What a word of a result means, wherever results print it; none where none does."""
    found = {each.lower(): each for each in words_of_results()}.get(word.lower())
    return None if found is None else "\n".join([found, "", "Word of a result.", *_told(found)])


def _told(word: str) -> Iterator[str]:
    of_grades = {_OF_GRADES: f"{thresholds()} (DSLReports); {thresholds_of_losses()} (ITU-T G.1010)"}
    for where, meaning in _MEANINGS.get(word, of_grades).items():
        yield from ["", f"  {where}", f"      {meaning}."]
    yield ""
