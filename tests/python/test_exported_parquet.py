"""`aqmlab export parquet`: results for programs that read no Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from aqmlab import Result
from aqmlab.errors import FolderError, ResultError
from aqmlab.runs.store import save_as_parquet
from small import BULK, aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "bulk.toml").write_text(BULK)
    done = aqmlab_run("run", "bulk.toml", "--seeds", "1-2", "--output", "kept", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_each_result_of_a_folder_has_its_place_in_the_other(here: Path) -> None:
    done = aqmlab_run("export", "parquet", "kept", "-o", "out", cwd=here)
    assert (done.returncode, done.stdout) == (0, "out/seed-1\nout/seed-2\n")
    for seed in (1, 2):
        kept = Result.load(here / "kept" / f"seed-{seed}")
        place = here / "out" / f"seed-{seed}"
        files = {file.name for file in place.iterdir()}
        assert files == {"run.json", "SHA256SUMS", *(f"{name}.parquet" for name in kept.tables)}
        assert pq.read_table(place / "queue.parquet").equals(kept.queue)
        assert Result.load(place).run == kept.run


def test_one_result_is_the_folder_itself(here: Path) -> None:
    (place,) = save_as_parquet(here / "kept" / "seed-2", here / "out")
    assert place == here / "out"
    assert (place / "queue.parquet").is_file()


def test_what_is_there_is_not_replaced_and_what_is_no_result_is_said(here: Path) -> None:
    (here / "out").mkdir()
    with pytest.raises(FolderError, match="out: exists already"):
        save_as_parquet(here / "kept", here / "out")
    (here / "empty").mkdir()
    with pytest.raises(ResultError, match="empty: holds no result; legal: a folder that aqmlab run"):
        save_as_parquet(here / "empty", here / "other")
    with pytest.raises(ResultError, match="nowhere: there is no such folder"):
        save_as_parquet(here / "nowhere", here / "other")
    refused = aqmlab_run("export", "parquet", "nowhere", "-o", "other", cwd=here)
    assert refused.returncode == 2
    assert not (here / "other").exists()
