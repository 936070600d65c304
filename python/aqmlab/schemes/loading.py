"""From the text of a file to a scheme, for the compiled core."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.classes import files
from aqmlab.classes.methods import misspelt, own_methods
from aqmlab.classes.parameters import IllegalParameter, declared
from aqmlab.schemes import guard, scheduler, scheme
from aqmlab.schemes.guard import Guard
from aqmlab.schemes.scheduler import Scheduler
from aqmlab.schemes.scheme import Port, Scheme

if TYPE_CHECKING:
    from types import ModuleType, TracebackType

    from aqmlab.schemes.compiled import CompiledScheme

Own = Scheme | Scheduler | Guard
"""What a class in a file may make."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a class is at a port.

    Attributes:
        name: As the core calls it.
        base: The class that it inherits from.
        methods: The methods that the port calls.
        required: Those among them that it must have.
        asked: Other methods that are called, before the run.
    """

    name: str
    base: type[Own]
    methods: tuple[str, ...]
    required: tuple[str, ...] = ()
    asked: tuple[str, ...] = ("check", "start")


_ROLES = (
    Role("queue", Scheme, scheme.METHODS),
    Role("scheduler", Scheduler, scheduler.METHODS, ("classify", "next"), ("check", "start", "queues")),
    Role("guard", Guard, guard.METHODS, ("admits",)),
)


class Loaded:
    """A class of a scheme, scheduler or guard, or why there is none.

    Attributes:
        refusal: In words, why it cannot be used; otherwise none.
        name: File and class, as scenarios name it.
        role: Whether it is a `queue`'s scheme, a `scheduler` or a `guard`.
        meaning: What it is, from its documentation.
        properties_json: The JSON schemas of its parameters.
        methods: The methods that its class has of its own.
        observed: What it reports of itself.
        needs_arrival_instants: Whether packets say when they were queued.
        evicts: Whether arrivals may discard packets that wait.
    """

    def __init__(self, file: str, name: str, found: type[Own] | None, refusal: str | None) -> None:
        self.refusal = refusal
        self.name = f"{file}:{name}"
        self._file = file
        role = _role(found)
        if found is None or role is None:
            return
        self._scheme = found
        self._parameters = declared(found)
        self.role = role.name
        self.meaning = (found.__doc__ or f"{name}: nothing is said about it.").strip()
        self.properties_json = json.dumps({key: own.schema() for key, own in self._parameters.items()})
        self.methods = [name for name in role.methods if _has(found, role, name)]
        self.observed = list(found.observed)
        self.needs_arrival_instants = bool(getattr(found, "needs_arrival_instants", False))
        self.evicts = bool(getattr(found, "evicts", False))

    def refusal_of(self, values_json: str) -> tuple[str, str | None, str] | None:
        """The parameter that the scheme refuses, with its value and what would be legal."""
        values = json.loads(values_json)
        try:
            self._instance(values).check()
        except IllegalParameter as error:
            value = values.get(error.key)
            return error.key, None if value is None else str(value), error.legal
        return None

    def queues_of(self, values_json: str) -> int:
        """How many queues a scheduler has."""
        instance = self._instance(json.loads(values_json))
        queues = instance.queues() if isinstance(instance, Scheduler) else 1
        if isinstance(queues, bool) or not isinstance(queues, int) or not 1 <= queues <= _MOST_QUEUES:
            raise TypeError(f"queues returned {queues!r}; legal: a whole number from 1 to {_MOST_QUEUES}")
        return queues

    def make(
        self, values_json: str, port: tuple[int, float, int]
    ) -> tuple[Own, tuple[bytes, list[tuple[str, int]]] | None]:
        """An instance at a port; of a compiled one also its state's bytes and where its functions are."""
        instance = self._instance(json.loads(values_json))
        from aqmlab.schemes.compiled import CompiledScheme  # noqa: PLC0415  (it asks for Numba)

        if isinstance(instance, CompiledScheme):
            return instance, _compiled(instance, Port(*port))
        instance.start(Port(*port))
        return instance, None

    def described(self, error: BaseException, places: TracebackType | None) -> str:
        """The message of an exception, with its line in the file."""
        return files.described(self._file, self.name, error, places)

    def _instance(self, values: dict[str, Any]) -> Own:
        instance = self._scheme.__new__(self._scheme)
        files.with_values(instance, values, self._parameters)
        return instance


def _compiled(instance: CompiledScheme, port: Port) -> tuple[bytes, list[tuple[str, int]]]:
    return instance.initial_state(port), type(instance).addresses()


_MOST_QUEUES = 65_536


def _role(found: object) -> Role | None:
    """The role of a class; none where it has none or several."""
    fitting = [role for role in _ROLES if isinstance(found, type) and issubclass(found, role.base)]
    return fitting[0] if len(fitting) == 1 else None


def _has(found: type, role: Role, method: str) -> bool:
    return getattr(found, method) is not getattr(role.base, method)


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    module = files.module_of(file, text)
    if isinstance(module, str):
        return Loaded(file, name, None, module)
    found = getattr(module, name, None)
    role = _role(found)
    if found is None or role is None:
        own = ", ".join(_schemes(module)) or "none"
        legal = "aqmlab.schemes.Scheme, Scheduler or Guard"
        return Loaded(file, name, None, f"{file} has no class {name} of {legal}; it has {own}")
    if wrong := _misspelt(found, role) or _missing(found, role):
        return Loaded(file, name, None, f"{file}: {name}: {wrong}")
    try:
        return Loaded(file, name, found, None)
    except Exception as error:  # noqa: BLE001
        return Loaded(file, name, None, f"{file}: {name}: {error}")


def _missing(found: type[Own], role: Role) -> str:
    """What to say of a method that has to be there; else empty."""
    missing = [name for name in role.required if not _has(found, role, name)]
    return f"a {role.name} needs the method {missing[0]}" if missing else ""


def _misspelt(found: type[Own], role: Role) -> str:
    """What to say of a method that nothing calls, though it looks meant for the port; else empty."""
    known = (*role.methods, *role.asked)
    if wrong := misspelt(found, role.base, known):
        return wrong
    events = [name for name in own_methods(found, role.base) if name.startswith("on_")]
    return f"{events[0]}: nothing calls this method; legal: {', '.join(known)}" if events else ""


def _schemes(module: ModuleType) -> list[str]:
    """The schemes, schedulers and guards that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if _role(value) is not None and value.__module__ == module.__name__
    ]
