"""An experiment as data, checked whole before anything runs.

The schema and every check live in the Rust core; this module reads files and converts Python values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from aqmlab import _core, arguments, shown
from aqmlab.errors import Mistake, ScenarioError
from aqmlab.files.reading import read_text
from aqmlab.files.toml_text import Written, to_toml, toml_value
from aqmlab.seeds import SEED_MAX
from aqmlab.terminal.spelling import plain, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

ScenarioLike: TypeAlias = "Scenario | Path | str | Mapping[str, Any]"
"""A scenario, the path of a TOML file, TOML text, or its document."""


_LABELS = ("name", "description")
_LEGAL = "a Scenario, the path of a file, TOML text or a dict"
_LEGAL_OVERRIDES = "a dict of dotted keys and values"


@dataclass(frozen=True)
class Scenario:
    """A checked scenario with every default filled in.

    Created by `from_file`, `from_toml` or `of`. Two are equal if they resolve to the same document.

    Attributes:
        resolved_json: The resolved document as canonical JSON, with the contents of its files.
        folder: Base folder for files in overrides: that of the scenario's file, or the current folder.
        written: The source text, if known, for `as_toml`.
    """

    resolved_json: str
    folder: Path | None = field(default=None, compare=False, repr=False)
    written: Written | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_file(cls, path: str | Path, *, overrides: Mapping[str, object] | None = None) -> Self:
        """Reads and checks a TOML file.

        Args:
            path: The file.
            overrides: Dotted keys with the values that replace the file's, as in `with_overrides`.

        Raises:
            ScenarioError: The file cannot be read, or something in it is refused; the message says where.
        """
        if not isinstance(path, str | Path):
            raise ScenarioError(f"a file is a path, not {quoted(path)}; a dict is read by Scenario.of")
        text = read_text(path, ScenarioError)
        folder = Path(path).absolute().parent
        return cls.from_toml(text, source_name=str(path), folder=folder, overrides=overrides)

    @classmethod
    @arguments.checked(ScenarioError, source_name=arguments.text, folder=arguments.optional(arguments.path))
    def from_toml(
        cls,
        text: str,
        *,
        source_name: str = "scenario",
        folder: str | Path | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Self:
        """Checks TOML text.

        Args:
            text: The scenario.
            source_name: What messages call it.
            folder: Where files are looked for that it names by relative paths; without it the current folder.
            overrides: Dotted keys with the values that replace the text's, as in `with_overrides`.

        Raises:
            ScenarioError: Something in it is refused; the message names the place, line and key.
        """
        if not isinstance(text, str):
            raise ScenarioError(f"TOML is text, not {quoted(text)}; a dict is read by Scenario.of")
        folder = Path(folder).absolute() if folder is not None else None
        text, overriding = _encodable(text, source_name), _as_texts(overrides)
        core = _core.Scenario.from_toml(text, plain(source_name), folder or Path(), overriding)
        return cls._of_core(core, folder, Written(text, tuple(overriding)))

    @classmethod
    @arguments.checked(ScenarioError)
    def of(cls, scenario: ScenarioLike, *, overrides: Mapping[str, object] | None = None) -> Scenario:
        """Takes a scenario, a file path, TOML text (a string of more than one line), or a document.

        A document is a dict of the same tables and keys as in TOML, such as a resolved scenario.

        Args:
            scenario: One of these.
            overrides: Dotted keys with the values that replace the scenario's, as in `with_overrides`.

        Raises:
            ScenarioError: It cannot be read, or something in it is refused.

        >>> from aqmlab import Scenario, ScenarioError
        >>> queue = {"scheme": "pie", "limit_packets": 250}
        >>> link = {"rate_mpbs": 8, "queue": queue}
        >>> flows = [{"count": 2, "direction": "left-to-right"}]
        >>> try:
        ...     Scenario.of({"name": "home", "duration_s": 20, "dumbbell": link, "flows": flows})
        ... except ScenarioError as error:
        ...     print(error.mistakes[0].key, error.value, error.nearest)
        dumbbell rate_mpbs rate_mbps
        """
        if isinstance(scenario, Scenario):
            return scenario.with_overrides(overrides) if overrides else scenario
        if isinstance(scenario, Mapping):
            try:
                return cls.from_toml(_as_toml(scenario), overrides=overrides)
            except ScenarioError as error:  # lines of a text that nobody wrote mean nothing
                raise error.in_document() from None
        if not isinstance(scenario, str | Path):
            raise ScenarioError(
                f"a scenario is {_LEGAL}, not {quoted(scenario)}",
                place="scenario",
                value=scenario,
                legal=_LEGAL,
            )
        if isinstance(scenario, str) and "\n" in scenario:
            return cls.from_toml(scenario, overrides=overrides)
        return cls.from_file(scenario, overrides=overrides)

    @classmethod
    def _of_core(cls, core: _core.Scenario, folder: Path | None, written: Written | None = None) -> Self:
        made = cls(core.to_json(), folder, written)
        made.__dict__["core"] = core
        return made

    @cached_property
    def core(self) -> _core.Scenario:
        """The scenario in the compiled core, parsed and checked once."""
        return _core.Scenario.from_json(self.resolved_json)

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The resolved document, with every default filled in."""
        document: dict[str, Any] = json.loads(self.resolved_json)
        return document

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self.resolved["name"])

    @property
    def duration_s(self) -> float:
        """Total simulated time in seconds."""
        return float(self.resolved["duration_s"])

    @arguments.checked(ScenarioError, overrides=arguments.mapping)
    def with_overrides(self, overrides: Mapping[str, object]) -> Scenario:
        """The same scenario with some values replaced, checked again.

        Args:
            overrides: Dotted keys as in the TOML file and their new values (numbers, text, booleans, lists,
                tables), for instance `{"dumbbell.queue.q_ref_packets": 240, "users.left": 8000}`. Files that
                they name are looked for in `folder`; one that the scenario holds already is not read again.

        Raises:
            ScenarioError: A key is unknown or a value is refused.
        """
        folder = self.folder or Path()
        overriding = _as_texts(overrides)
        core = self.core.with_overrides(folder, overriding)
        return self._of_core(core, self.folder, self.written and self.written.replaced(overriding))

    def as_toml(self) -> str:
        """Self-contained TOML text of this scenario, with replaced values.

        It holds the texts of the files that the scenario names. Where nothing was written, or the text with
        its values replaced resolves to something else, it is the resolved document.
        """
        text = self._written_toml()
        return to_toml(self.resolved) if text is None else text

    def _written_toml(self) -> str | None:
        if self.written is None:
            return None
        try:
            document = self.written.document()
            files = {"files": self.resolved["files"]} if self.resolved.get("files") else {}
            text = to_toml({**document, **files})
            return text if Scenario.from_toml(text, folder=self.folder) == self else None
        except ValueError:  # which a ScenarioError is
            return None

    def uncongested_twin(self) -> Scenario:
        """The same users on an uncongested link and queue.

        Raises:
            ScenarioError: The scenario does not say what its uncongested network is.
        """
        return self._of_core(self.core.uncongested_twin(), self.folder)

    @arguments.checked(ScenarioError, kept_flows=arguments.texts("['bulk']"))
    def offering_twin(self, kept_flows: Sequence[str] = ()) -> Scenario:
        """The uncongested twin without endless flows, except those of the given groups.

        Raises:
            ScenarioError: There is no such twin, or nothing is left on it.
        """
        return self._of_core(self.core.offering_twin(list(kept_flows)), self.folder)

    @arguments.checked(ScenarioError, seed=arguments.whole(0, SEED_MAX))
    def content_address(self, seed: int) -> str:
        """Hash of all that the run of this scenario with this seed depends on.

        Two runs with the same address have the same results: it is a hash of the resolved document, which
        holds the texts of the files that it names, the seed, and the sources that the run depends on: the
        simulator's core and the schemes in the network. The scenario's name and description are labels and do
        not count, so that one uncongested twin serves every scheme.

        Returns:
            40 hexadecimal digits.
        """
        facts = {
            "scenario": {key: value for key, value in self.resolved.items() if key not in _LABELS},
            "seed": seed,
            "sources": self.core.sources(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:40]

    def _repr_html_(self) -> str:
        """What notebooks show: the picture of the network that `aqmlab draw` makes."""
        return shown.html(self)

    def __repr__(self) -> str:
        return f"Scenario({self.name!r}, {self.duration_s:g} s)"


def core_of(document: Mapping[str, Any]) -> _core.Scenario:
    """The resolved scenario of a result in the compiled core, parsed once for all who ask."""
    return _parsed(json.dumps(document))


@lru_cache(maxsize=64)
def _parsed(resolved_json: str) -> _core.Scenario:
    return _core.Scenario.from_json(resolved_json)


def _as_toml(document: Mapping[str, Any]) -> str:
    try:
        return to_toml(document)
    except TypeError as error:
        raise ScenarioError(f"the scenario's document: {error}") from None


def _as_texts(overrides: Mapping[str, object] | None) -> list[tuple[str, str]]:
    if overrides is not None and not isinstance(overrides, Mapping):
        raise ScenarioError(
            f"overrides: {_LEGAL_OVERRIDES}, not {quoted(overrides)}",
            place="overrides",
            value=overrides,
            legal=_LEGAL_OVERRIDES,
        )
    return [
        (_encodable(key, "an override's key"), _encodable(_as_value(key, value), plain(key), overrides=True))
        for key, value in (overrides or {}).items()
    ]


def _as_value(key: str, value: object) -> str:
    try:
        return toml_value(value)
    except TypeError as error:
        raise ScenarioError(f"{plain(key)}: {error}", place=plain(key), value=value) from None


def _encodable(text: str, place: str, *, overrides: bool = False) -> str:
    """The text, unless it holds what the command line makes of bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        wrong = plain(text[error.start : error.end])
        sentence = f"not UTF-8 text: {wrong}"
        mistake = Mistake(f"{plain(place)}: {sentence}", plain(place), overrides=overrides, sentence=sentence)
        raise ScenarioError(mistake.message, [mistake]) from None
    return text


def at_key(resolved: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 (whatever stands there)
    """What stands at a dotted key of a resolved scenario."""
    found: Any = resolved
    for name in key.split("."):
        found = found[int(name)] if isinstance(found, list) else found[name]
    return found


def clouds_of(resolved: Mapping[str, Any]) -> frozenset[str]:
    """The populations of a resolved scenario that are clouds of connections, in which nobody is a person."""
    models = _core.cloud_models()

    def is_cloud(population: Mapping[str, Any] | None) -> bool:
        return ((population or {}).get("model") or {}).get("model") in models

    sides = ("left", "right") if is_cloud(resolved.get("users")) else ()
    named = (each["name"] for each in resolved.get("populations") or () if is_cloud(each))
    return frozenset((*sides, *named))
