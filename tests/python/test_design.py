"""Loops with TCP, their margins, and how often filters are wrong: by the papers and by other ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from aqmlab import _core
from aqmlab.cli.design import design
from aqmlab.study.design import loops

if TYPE_CHECKING:
    from pathlib import Path


def leave(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(design, list(arguments))
    return found.exit_code, found.output


@pytest.mark.parametrize(
    ("flows", "rtt_s", "gain_db", "phase_degrees"),
    [(25, 0.3, 12.7, 180 - 142.7), (50, 0.5, 7.1, 180 - 158.0), (100, 0.5, 19.8, 180 - 110.2)],
)
def test_margins_of_arcs_published_gain(
    flows: float, rtt_s: float, gain_db: float, phase_degrees: float
) -> None:
    """Chung et al. 2004, equation (1), by a separate program."""
    found = loops.margins(loops.arc_loop(flows, rtt_s, 1250.0, 0.98, 1.42e-5))
    assert (found.gain_db, found.phase_degrees) == pytest.approx((gain_db, phase_degrees), abs=0.05)


@pytest.mark.parametrize("beta", [0.13, 0.3, 0.5, 0.71])
def test_a_designed_pi_has_the_phase_margin_of_its_closed_form(beta: float) -> None:
    """At the design frequency the zero cancels the window's pole: 90 degrees less arctan(beta) and beta."""
    rtt_s, packets_per_second = 0.25, 2000.0
    flows = beta * rtt_s * packets_per_second / 2
    gains = _core.pi_designed_gains(flows, rtt_s, packets_per_second, 1e5)
    assert gains is not None
    found = loops.margins(loops.pi_loop(flows, rtt_s, packets_per_second, gains, 1e5))
    assert found.phase_degrees == pytest.approx(90 - math.degrees(math.atan(beta) + beta), abs=0.05)


@pytest.mark.parametrize("probability", [1e-4, 0.004, 0.2])
def test_a_controller_of_delay_is_pi_at_any_link(probability: float) -> None:
    """Windows of sqrt(2/p) over any link: PI per packet with gains over the link's rate has the same loop."""
    rtt_s, packets_per_second = 0.1, 7000.0
    flows = rtt_s * packets_per_second / math.sqrt(2 / probability)
    control = loops.PIE_UNTUNED
    gains = (
        (control.alpha_hz + control.beta_hz) / packets_per_second,
        control.beta_hz / packets_per_second,
    )
    one = loops.delay_loop(control, probability, rtt_s)
    other = loops.pi_loop(flows, rtt_s, packets_per_second, gains, 1 / control.interval_s)
    for frequency in (0.01, 1.0, 30.0):
        assert one.magnitude(frequency) == pytest.approx(other.magnitude(frequency))
        assert one.phase_degrees(frequency) == pytest.approx(other.phase_degrees(frequency))


def test_margins_are_those_of_the_loop_in_complex_numbers() -> None:
    loop = loops.delay_loop(loops.PI2, 0.02, 0.06)
    frequency = np.logspace(-2, 4, 400_000)
    s = 1j * frequency
    # From p', the root of 0.02, to the delay: 2p'·R/(2p'²)/((1 + sR/(√2·p'))(1 + sR))·e^(−sR).
    base = math.sqrt(0.02)
    plant = 0.06 / base / (1 + s * 0.06 / (math.sqrt(2) * base)) / (1 + s * 0.06) * np.exp(-s * 0.06)
    response = (10 / s + (0.16 / 2 + 3.2)) * plant
    phase = np.degrees(np.unwrap(np.angle(response)))
    critical, crossover = np.argmax(phase < -180), np.argmax(np.abs(response) < 1)
    found = loops.margins(loop)
    assert found.gain_db == pytest.approx(-20 * math.log10(abs(response[critical])), abs=0.01)
    assert found.phase_degrees == pytest.approx(180 + phase[crossover], abs=0.01)


def test_auto_tuning_of_pie_is_the_table_of_rfc_8033() -> None:
    tuned = loops.delay_loop(loops.PIE, 5e-4, 0.1)
    untuned = loops.delay_loop(loops.PIE_UNTUNED, 5e-4, 0.1)
    assert untuned.gain / tuned.gain == 32
    assert loops.delay_loop(loops.PIE, 0.2, 0.1) == loops.delay_loop(loops.PIE_UNTUNED, 0.2, 0.1)


@pytest.mark.parametrize(
    ("flows", "rtt_ms", "place"),
    [(60, 500, "inside"), (80, 500, "inside"), (10, 500, "above"), (100, 1000, "above"), (100, 500, "below")],
)
def test_where_the_papers_gain_lies(flows: int, rtt_ms: int, place: str) -> None:
    asked = ("arc", "--flows", str(flows), "--rtt-ms", str(rtt_ms), "--link-mbps", "10", "--alpha", "1.42e-5")
    code, out = leave(*asked)
    assert (code, f"alpha = 1.42e-05 is {place}" in out) == (0, True), out


def test_a_single_flow_is_one() -> None:
    for rule in ("arc", "pi"):
        for flows, words in (("1", "1 flow"), ("1.5", "1.5 flows")):
            code, out = leave(rule, "--flows", flows, "--rtt-ms", "80", "--link-mbps", "10")
            assert code == 0
            assert f"{rule} at 10 Mbit/s, {words}, 80 ms, " in out
    _, out = leave("sfg", "--link-mbps", "10", "--rtt-ms", "80", "--misbehaving", "1")
    assert " share all their bins with 1 other; " in out


def test_filters_that_are_tried_are_wrong_as_often_as_the_formula_says() -> None:
    """Equation (3): 1.16 % at three levels; 10,000 trials have a standard deviation of 0.11 %."""
    found = _core.sfg_false_positives(3, 20, 5, 10_000) / 10_000
    assert found == pytest.approx(0.011577, abs=4 * 0.00107)
    asked = ("sfg", "--link-mbps", "10", "--rtt-ms", "300", "--misbehaving", "5", "--trials", "10000")
    code, out = leave(*asked)
    assert code == 0
    # The paper, section 4: 720 bytes.
    said = f"1.16% of flows share all their bins with 5 others, {found:.2%} of 10000 tried; 720 bytes"
    assert said in " ".join(out.split())
    assert leave(*asked[:-4], "--misbehaving", "5.5", "--trials", "10")[0] == 2


def test_the_gains_of_pis_paper_and_a_link_without_a_design() -> None:
    """Hollot et al. 2001: about 1.82e-5 and 1.81e-5 for 60 flows over 246 ms at 15 Mbit/s of 500 bytes."""
    code, out = leave("pi", "--flows", "60", "--rtt-ms", "246", "--link-mbps", "15")
    assert code == 0
    assert "a = 1.85" in out
    assert "stable: margins of" in out
    code, out = leave("pi", "--flows", "5000", "--rtt-ms", "246", "--link-mbps", "15")
    assert code == 2
    # 0.86033/2 of the 922.5 packets of the path.
    assert "fewer than 396.8 flows" in out
    code, out = leave(
        "pi", "--flows", "60", "--rtt-ms", "246", "--link-mbps", "15", "--gains", "1e-5", "2e-5"
    )
    assert (code, "the first must exceed the second" in out) == (2, True)


@pytest.mark.exhaustive
def test_designs_are_drawn(tmp_path: Path) -> None:
    link = ("--rtt-ms", "300", "--link-mbps", "10")
    for arguments, words in (
        (("arc", "--flows", "60", *link), "Gains of ARC"),
        (("pi", "--flows", "20", *link), "Phase margin of PI"),
        (("pie", "--rtt-ms", "50"), "PIE without auto-tuning"),
        (("sfg", "--misbehaving", "5", "--trials", "50", *link), "False positives of SFG"),
    ):
        file = tmp_path / f"{arguments[0]}.svg"
        code, out = leave(*arguments, "--plot", str(file))
        assert code == 0, out
        assert words in file.read_text(encoding="utf-8")
    code, out = leave("pie", "--rtt-ms", "50", "--plot", str(tmp_path / "pie.txt"))
    assert (code, "legal endings" in out) == (2, True)
