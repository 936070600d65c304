"""The notebook for teachers runs from its first cell to its last, and is kept without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.exhaustive  # a kernel

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def test_there_is_one() -> None:
    assert [notebook.name for notebook in NOTEBOOKS] == ["a_queue_in_class.ipynb"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs(file: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs for cell in cells), "keep it without outputs: they would only grow old"
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in cells for output in cell.outputs]
    figures = [each for each in shown if "image/png" in each.get("data", {})]
    assert len(figures) == 2
    sounds = [each for each in shown if "<audio" in each.get("data", {}).get("text/html", "")]
    # What is said, what arrives, a conversation, and what arrives under another queue.
    assert len(sounds) == 4
    plain = " ".join(str(each.get("data", {}).get("text/plain", "")) for each in shown)
    assert "0.2470352" in plain  # 308,794 * 8 bits at 10 Mbit/s
    found = re.search(r"{'packets': (\d+), 'lost': (\d+), 'late': (\d+), 'silence, %': (\d+)}", plain)
    assert found is not None
    packets, lost, late, share = map(int, found.groups())
    # 12 s of speech in packets of 20 ms. A buffer of 250 ms loses none; behind the backup they are late.
    assert (packets, lost) == (600, 0)
    assert share == round(100 * late / 600) > 50
    html = [str(each.get("data", {}).get("text/html", "")) for each in shown]
    # Drop-tail's buffer makes the call silent, a queue of its own leaves it whole.
    queues = next(each for each in html if "the call is silent" in each)
    silence = dict(re.findall(r"<th>([\w-]+)</th>\s*<td>([\d.]+)</td>", queues))
    assert float(silence["drop-tail"]) > 50.0
    assert float(silence["FQ-CoDel"]) == float(silence["CAKE"]) == 0.0
    assert any("The game changes most: unusable" in each for each in html)
    assert any("Set CAKE at 95 % in your router" in each for each in html)
