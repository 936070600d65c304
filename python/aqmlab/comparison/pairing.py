"""Which results may be paired: the same seeds, users, windows and links on both sides.

With common random numbers two runs of one seed saw the same users asking for the same pages, so the
difference of the pair is what the queue did. What cannot be paired is refused.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aqmlab.errors import RefusalError
from aqmlab.statistics import judged_links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics import Recorded

SAME_USERS = ("browsers", "servers", "model", "start", "minimum_delay_ms")
"""Settings of a population that both sides must share; those of hosts may differ (they negotiate ECN)."""


class ComparisonError(RefusalError):
    """The results cannot be paired; the message says which seed or which setting stands in the way."""


def paired(
    a: Sequence[Recorded],
    b: Sequence[Recorded],
    *,
    names: tuple[str, str] = ("a", "b"),
    same_users: bool = True,
) -> list[tuple[Recorded, Recorded]]:
    """The results of both sides by seed, in the order of the seeds.

    Raises:
        ComparisonError: Seeds are unpaired or repeated, or windows or users differ.
    """
    left, right = _by_seed(a, names[0]), _by_seed(b, names[1])
    if left.keys() != right.keys():
        only = (sorted(left.keys() - right.keys()), sorted(right.keys() - left.keys()))
        said = ", ".join(f"only in {name} {seeds or 'none'}" for name, seeds in zip(names, only, strict=True))
        raise ComparisonError(f"seeds are unpaired: {said}")
    pairs = [(left[seed], right[seed]) for seed in sorted(left)]
    for pair in pairs:
        _require_same_window(pair, names)
        if same_users:
            _require_same_users(pair, names)
    windows = {_window(one) for one, _ in pairs}
    if len(windows) > 1:
        raise ComparisonError(f"replications were measured over different windows: {sorted(windows)}")
    return pairs


def _by_seed(results: Sequence[Recorded], side: str) -> dict[int, Recorded]:
    if not results:
        raise ComparisonError(f"there is no result in {side}")
    seeds = Counter(int(result.run["seed"]) for result in results)
    repeated = sorted(seed for seed, count in seeds.items() if count > 1)
    if repeated:
        raise ComparisonError(f"seeds {repeated} are in {side} more than once: a replication counts once")
    return {int(result.run["seed"]): result for result in results}


def _require_same_window(pair: tuple[Recorded, Recorded], names: tuple[str, str]) -> None:
    (one, other), (a, b) = pair, names
    seed = one.run["seed"]
    if _window(one) != _window(other):
        raise ComparisonError(
            f"seed {seed}: measured over {_window(one)} s in {a} but {_window(other)} s in {b}"
        )
    left, right = (result.run["scenario"].get("duration_s") for result in pair)
    if left != right:
        raise ComparisonError(
            f"seed {seed}: duration_s is {left} in {a} but {right} in {b}; pages are followed to the end"
        )
    if _response_end(one) != _response_end(other):
        raise ComparisonError(
            f"seed {seed}: record.response_end differs between {a} and {b}: two kinds of response time"
        )


def _require_same_users(pair: tuple[Recorded, Recorded], names: tuple[str, str]) -> None:
    (one, other), (a, b) = pair, names
    seed = one.run["seed"]
    if _users(one) != _users(other):
        raise ComparisonError(
            f"seed {seed}: {_users(one)} in {a} but {_users(other)} in {b}; the same users must be compared"
        )
    left, right = _populations(one), _populations(other)
    for name in left.keys() | right.keys():
        for setting in SAME_USERS:
            if left.get(name, {}).get(setting) != right.get(name, {}).get(setting):
                raise ComparisonError(f"seed {seed}: {name}.{setting} differs between {a} and {b}")


def _response_end(result: Recorded) -> str:
    return str(result.run["scenario"].get("record", {}).get("response_end", "last_byte"))


def _window(result: Recorded) -> tuple[float, float]:
    return float(result.run["measured_from_s"]), float(result.run["measured_until_s"])


def _users(result: Recorded) -> str:
    return (
        ", ".join(f"{entry['users']} users {entry['name']}" for entry in result.run["populations"])
        or "no users"
    )


def _populations(result: Recorded) -> dict[str, Mapping[str, object]]:
    """What the scenario says of its users, by the place where it says it."""
    scenario = result.run["scenario"]
    sides = {"users": scenario["users"]} if scenario.get("users") else {}
    return sides | {f"populations.{each['name']}": each for each in scenario.get("populations", ())}


def same_links(pairs: Sequence[tuple[Recorded, Recorded]], links: Sequence[str]) -> tuple[str, ...]:
    """The names of the judged links, which must be one list for all results."""
    of_results = {
        tuple(link["name"] for link in judged_links(result, links)) for pair in pairs for result in pair
    }
    if len(of_results) > 1:
        lists = " and ".join(", ".join(names) for names in sorted(of_results))
        raise ComparisonError(f"other links carry data in other results ({lists}): choose them with links=")
    (judged,) = of_results
    return judged
