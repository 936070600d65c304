"""The gate that sees time, told how long programs take."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH = Path(__file__).parents[2] / "tools" / "bench"
OWN, RELEASE = Path("own"), Path("release")


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("pairs")


@pytest.mark.parametrize(
    ("ratios", "is_slower"),
    [
        # All of sixteen: one chance in 65,536.
        ([1.10] * 16, True),
        # Fourteen of sixteen: (1 + 16 + 120) / 65,536 = 0.0021; thirteen: 697 / 65,536 = 0.0106.
        ([1.10] * 14 + [0.99] * 2, True),
        ([1.10] * 13 + [0.99] * 3, False),
        # By less than four per cent, and as fast.
        ([1.03] * 16, False),
        ([1.01, 0.99] * 8, False),
        ([0.90] * 16, False),
    ],
)
def test_slower_is_by_more_than_is_allowed_and_not_by_chance(
    pairs: Any,  # noqa: ANN401
    ratios: Sequence[float],
    is_slower: bool,
) -> None:
    assert pairs.Verdict([*ratios]).is_slower is is_slower


@pytest.mark.parametrize(("factor", "refused"), [(1.1, 1), (1.0, 0), (0.8, 0)])
def test_it_refuses_what_takes_longer_twice_and_passes_what_does_not(
    pairs: Any,  # noqa: ANN401
    factor: float,
    refused: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def takes(program: Path, side: int, arguments: Sequence[str]) -> float:
        # Whoever runs second finds the caches warm.
        return 200.0 * (factor if program == OWN else 1.0) * (1.0 - 0.01 * side) + len(arguments)

    monkeypatch.setattr(pairs, "_ns_per_packet", takes)
    assert pairs.compare(OWN, RELEASE, 16, ledger=False) == refused
    assert ("once more, 32 pairs" in capsys.readouterr().out) == bool(refused)
