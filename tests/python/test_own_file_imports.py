"""A file of classes stands alone: what it imports of other files of the user is not in any result."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from aqmlab import Scenario, ScenarioError
from aqmlab.classes.files import module_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = "import sys, os\nsys.path.insert(0, {folder!r})\n"
"""What a file does so that it finds another one."""
REASON = "a file stands alone, because results keep its text and no other's"
LEGAL = "legal: one file, or an installed package"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    modules, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("beside"):
            del sys.modules[name]


def beside(folder: Path) -> None:
    """Modules of the user's beside a file."""
    folder.mkdir(exist_ok=True)
    (folder / "beside.py").write_text("STEP = 0.5\n")
    (folder / "beside_package").mkdir()
    (folder / "beside_package" / "__init__.py").write_text("")
    (folder / "beside_package" / "inner.py").write_text("STEP = 0.5\n")
    (folder / "beside_folder").mkdir()
    (folder / "beside_folder" / "deep.py").write_text("STEP = 0.5\n")


def file(folder: Path, text: str) -> tuple[str, str]:
    path = folder / "own.py"
    path.write_text(text)
    return str(path), text


IMPORTS = {
    "a module": ("import beside", "beside.py"),
    "a name of it": ("from beside import STEP", "beside.py"),
    "a package": ("import beside_package", "beside_package/__init__.py"),
    "a module of a package": ("from beside_package.inner import STEP", "beside_package/"),
    "one without its own file": ("import beside_folder.deep", "beside_folder/deep.py"),
    "one of a word": ("import importlib\nimportlib.import_module('beside')", "beside.py"),
    "one that a method imports": ("def grow():\n    import beside", "beside.py"),
    "a module of a folder": ("from beside_folder import deep", "beside_folder"),
    "a folder that a method imports": ("def grow():\n    from beside_folder import deep", "beside_folder"),
}


@pytest.mark.parametrize("what", IMPORTS)
@pytest.mark.parametrize("times", [1, 2])
def test_a_file_beside_it_is_refused_each_time(what: str, times: int, tmp_path: Path) -> None:
    statement, name = IMPORTS[what]
    beside(tmp_path)
    for _ in range(times):
        refused = module_of(*file(tmp_path, HEAD.format(folder=str(tmp_path)) + statement))
    assert isinstance(refused, str)
    assert refused.startswith(f"{tmp_path / 'own.py'} imports {name}")
    assert REASON in refused
    assert refused.endswith(LEGAL)


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_one_for_type_checkers_alone_is_no_import(test: str, tmp_path: Path) -> None:
    beside(tmp_path)
    head = HEAD.format(folder=str(tmp_path)) + "import typing\nfrom typing import TYPE_CHECKING\n"
    for_types = f"{head}if {test}:\n    from beside import STEP\nKEPT = 1\n"
    loaded = module_of(*file(tmp_path, for_types))
    assert not isinstance(loaded, str), loaded
    assert loaded.KEPT == 1
    # What stands behind its else runs.
    refused = module_of(*file(tmp_path, f"{for_types}if {test}:\n    pass\nelse:\n    import beside\n"))
    assert isinstance(refused, str)
    assert REASON in refused


def test_a_file_may_begin_with_a_mark_of_byte_order(tmp_path: Path) -> None:
    """As editors of Windows write it."""
    beside(tmp_path)
    mark = "\N{BYTE ORDER MARK}"
    loaded = module_of(*file(tmp_path, f"{mark}STEP = 0.5\n"))
    assert not isinstance(loaded, str), loaded
    assert loaded.STEP == 0.5
    refused = module_of(*file(tmp_path, mark + HEAD.format(folder=str(tmp_path)) + "import beside"))
    assert isinstance(refused, str)
    assert REASON in refused


def test_one_that_the_program_has_already_is_refused(tmp_path: Path) -> None:
    beside(tmp_path)
    sys.path.insert(0, str(tmp_path))
    importlib.import_module("beside")
    assert "imports beside.py" in str(module_of(*file(tmp_path, "from beside import STEP")))


def test_a_folder_that_the_file_has_searched_is_refused(tmp_path: Path) -> None:
    beside(tmp_path / "parts")
    text = HEAD.format(folder=str(tmp_path / "parts")) + "import beside"
    assert "imports beside.py" in str(module_of(*file(tmp_path, text)))


def test_a_name_seen_from_the_scenarios_folder_is_found_beside(tmp_path: Path) -> None:
    beside(tmp_path)
    _, text = file(tmp_path, HEAD.format(folder=str(tmp_path)) + "import beside")
    assert str(module_of("own.py", text)).startswith("own.py imports beside.py")


def test_installed_packages_are_imported_also_below_the_folder(tmp_path: Path) -> None:
    installed = tmp_path / ".venv" / "lib" / "site-packages"
    installed.mkdir(parents=True)
    beside(installed)
    vendored = installed / "beside_package" / "vendored"
    vendored.mkdir()
    (vendored / "beside_vendored.py").write_text("")
    (installed / "beside_package" / "__init__.py").write_text(
        f"import sys\nsys.path.append({str(vendored)!r})\nimport beside_vendored\n"
    )
    sys.path.append(str(installed))
    text = "import beside, beside_package\nfrom aqmlab.controllers import Controller\nSTEP = beside.STEP\n"
    module = module_of(*file(tmp_path, text))
    assert not isinstance(module, str), module
    assert module.STEP == 0.5


def test_a_scenario_says_it_at_the_place_of_the_controller(tmp_path: Path) -> None:
    beside(tmp_path)
    body = "class Own(Controller):\n    '''An own one.'''\n"
    head = HEAD.format(folder=str(tmp_path)) + "from aqmlab.controllers import *\nfrom beside import STEP\n"
    (tmp_path / "own.py").write_text(head + body)
    text = (
        'name = "own"\nduration_s = 2.0\n[dumbbell]\nrate_mbps = 10.0\n'
        'queue = { scheme = "drop-tail", limit_packets = 30 }\n[[flows]]\ncount = 1\n'
        'direction = "left-to-right"\nbase_rtt_ms = 40.0\nprofile = "linux6-reno"\n'
        'host = { congestion = "own.py:Own" }\n'
    )
    for _ in range(2):
        with pytest.raises(ScenarioError, match=r"own\.py imports beside\.py; a file stands") as refused:
            Scenario.from_toml(text, folder=tmp_path)
        assert "flows.0.host.congestion" in str(refused.value)
        assert str(refused.value).count("legal: ") == 1
