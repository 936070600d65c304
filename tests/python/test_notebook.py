"""The notebook for teachers runs from its first cell to its last, and is kept without outputs."""

from __future__ import annotations

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
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert kinds.count("display_data") == 2, "two figures"
    buffer_s, schemes, evenings = (
        cell.outputs[-1] for cell in cells if cell.outputs[-1:] and "execute" in cell.outputs[-1].output_type
    )
    assert buffer_s["data"]["text/plain"] == "0.192"  # 64 * 1500 * 8 bits at 4 Mbit/s
    assert "fq-codel" in schemes["data"]["text/html"]
    assert evenings["data"]["text/plain"].count("\n") == 7
