"""From the text of a file to a scheme, for the compiled core."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from aqmlab.classes.loaded import LoadedClass, loaded_from, uncalled
from aqmlab.schemes import guard, scheduler, scheme
from aqmlab.schemes.guard import Guard
from aqmlab.schemes.scheduler import Scheduler
from aqmlab.schemes.scheme import Port, Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class Loaded(LoadedClass[Own]):
    """A class of a scheme, scheduler or guard, or why there is none.

    Attributes:
        role: Whether it is a `queue`'s scheme, a `scheduler` or a `guard`.
        methods: The methods that its class has of its own.
        observed: What it reports of itself.
        needs_arrival_instants: Whether packets say when they were queued.
        evicts: Whether arrivals may discard packets that wait.
    """

    def _note(self, found: type[Own]) -> None:
        [role] = _roles(found)
        self.role = role.name
        self.methods = [name for name in role.methods if _has(found, role, name)]
        self.observed = list(found.observed)
        self.needs_arrival_instants = bool(getattr(found, "needs_arrival_instants", False))
        self.evicts = bool(getattr(found, "evicts", False))

    def _wrong(self, values: Mapping[str, Any], key: str) -> str | None:
        """The value as text: at a port the core writes what is wrong with it."""
        value = values.get(key)
        return None if value is None else str(value)

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


def _compiled(instance: CompiledScheme, port: Port) -> tuple[bytes, list[tuple[str, int]]]:
    return instance.initial_state(port), type(instance).addresses()


_MOST_QUEUES = 65_536


def _roles(found: object) -> list[Role]:
    """The roles that a class might have; one alone is meant."""
    return [role for role in _ROLES if isinstance(found, type) and issubclass(found, role.base)]


def _has(found: type, role: Role, method: str) -> bool:
    return getattr(found, method) is not getattr(role.base, method)


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    of = "aqmlab.schemes.Scheme, Scheduler or Guard"
    return loaded_from((file, name, text), Loaded, _is_scheme, of=of, wrong=_wrong)


def _is_scheme(found: object) -> TypeGuard[type[Own]]:
    return len(_roles(found)) == 1


def _wrong(found: type[Own]) -> str:
    """What to say of a class that cannot be meant so; else empty."""
    [role] = _roles(found)
    return uncalled(found, role.base, (*role.methods, *role.asked)) or _missing(found, role)


def _missing(found: type[Own], role: Role) -> str:
    """What to say of a method that has to be there; else empty."""
    missing = [name for name in role.required if not _has(found, role, name)]
    return f"a {role.name} needs the method {missing[0]}" if missing else ""
