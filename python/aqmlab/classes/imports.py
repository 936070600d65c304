"""Whether a file of classes imports another file of the user's: results keep its text and no other's."""

from __future__ import annotations

import ast
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@dataclass(frozen=True)
class Imports:
    """The modules and the search path that a program had before it ran a file.

    Attributes:
        modules: Names of the modules.
        path: Folders that are searched for modules.
    """

    modules: frozenset[str]
    path: tuple[str, ...]

    @classmethod
    def before(cls) -> Imports:
        """Those of now."""
        return cls(frozenset(sys.modules), tuple(sys.path))

    def refusal(self, file: str, text: str) -> str | None:
        """Why a file that ran cannot be used; none where all that it imports is installed.

        A refused file leaves nothing behind: the next one that imports the same is refused as well.
        """
        folder, name = Path(file).absolute().parent.resolve(), Path(file).name
        added = self._added(folder)
        beside: dict[Path, bool] = {}
        for module, place in self._imported(text):
            root = _root(module, place)
            if root not in beside:
                beside[root] = root == folder or root in added or _is_text(root / name, text)
            if beside[root]:
                self._undo(root)
                other = place.relative_to(root).as_posix() if place.is_relative_to(root) else place.name
                return (
                    f"{file} imports {other}; a file stands alone, because results keep its text and no "
                    "other's; legal: one file, or an installed package"
                )
        return None

    def _added(self, folder: Path) -> set[Path]:
        """The folders that the file made Python search; installed packages add some inside their own."""
        own = (Path(entry).resolve() for entry in self.path)
        installed = [entry for entry in own if not folder.is_relative_to(entry)]
        added = {Path(entry).resolve() for entry in sys.path if entry not in self.path}
        return {entry for entry in added if not any(entry.is_relative_to(each) for each in installed)}

    def _imported(self, text: str) -> Iterator[tuple[str, Path]]:
        """Modules that are new, and those that the text names.

        What the program had before is not new, and a method may import later.
        """
        for name, module in list(sys.modules.items()):
            place = getattr(module, "__file__", None)
            if name not in self.modules and _package(name) != "aqmlab" and isinstance(place, str):
                yield name, Path(place).absolute()
        for name in sorted(_named(text)):
            try:
                found = importlib.util.find_spec(name)
            except (ImportError, ValueError):
                continue
            if found is not None and found.has_location and found.origin:
                yield name, Path(found.origin).absolute()
            elif found is not None and found.submodule_search_locations:  # a folder without __init__.py
                yield from ((name, Path(folder).absolute()) for folder in found.submodule_search_locations)

    def _undo(self, root: Path) -> None:
        for name, module in list(sys.modules.items()):
            if name not in self.modules and any(_root(name, place) == root for place in _places(module)):
                del sys.modules[name]
        sys.path[:] = self.path


def source_of(text: str) -> str:
    """The text of a file without the mark of byte order that some editors begin it with."""
    return text.removeprefix("\ufeff")


def _named(text: str) -> set[str]:
    """The packages and modules that a text imports, this package aside."""
    names: set[str] = set()
    for node in _running(ast.parse(source_of(text))):
        if isinstance(node, ast.Import):
            names.update(_package(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(_package(node.module))
    return names - {"aqmlab"}


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything in a syntax tree but what stands under `if TYPE_CHECKING:`, which never runs."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        never = node.body if isinstance(node, ast.If) and _is_for_types(node.test) else []
        waiting += [child for child in ast.iter_child_nodes(node) if child not in never]


def _is_for_types(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`, by itself or of a module."""
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _places(module: ModuleType) -> list[Path]:
    """Where a module was found: its file, or of a folder without one the folder."""
    file = getattr(module, "__file__", None)
    found = [file] if isinstance(file, str) else [*getattr(module, "__path__", [])]
    return [Path(each).absolute() for each in found]


def _package(module: str) -> str:
    return module.partition(".")[0]


def _root(module: str, place: Path) -> Path:
    """The folder in which a module was found, of a package's module that of the package."""
    depth = module.count(".") + (place.stem == "__init__")
    return place.parents[min(depth, len(place.parents) - 1)].resolve()


def _is_text(file: Path, text: str) -> bool:
    try:
        return file.is_file() and file.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
