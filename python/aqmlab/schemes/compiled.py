"""Schemes whose methods Numba compiles: called as C functions, without the interpreter and its lock.

Numba is not asked for until a class is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aqmlab import _core
from aqmlab.schemes.scheme import METHODS, Port, Scheme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["NEVER", "CompiledScheme", "uniform"]

NEVER = np.uint64(2**64 - 1)
"""An instant that is none: what `next_timer` returns without a timer."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_STEP = 1.0 / (1 << 53)


def _uniform(call: Any) -> float:  # noqa: ANN401
    """The next uniform number in [0, 1) of a call's stream."""
    key = call.coins_key
    z = call.coins_next * _MULTIPLIER + key
    call.coins_next += np.uint64(1)
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z = (z ^ (z >> np.uint64(31))) ^ ((key << np.uint64(32)) | (key >> np.uint64(32)))
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) * _STEP


try:
    from numba import njit
except ImportError:
    uniform: Callable[[Any], float] = _uniform
else:
    uniform = njit(_uniform, error_model="numpy")


class CompiledScheme(Scheme):
    """A scheme whose methods are functions of its state, which Numba compiles.

    Methods are static, and are given the state and a call instead of `self` and objects; of a call they read
    `now_ns`, `bytes`, `codepoint` (0 not ECN-capable, 1 ECT(0), 2 ECT(1), 3 CE), `packet_class`, `flow`,
    `arrived_ns`, `queue_packets`, `queue_bytes` and `has_room`, and draw from it with `uniform(call)`. What
    they return is a whole number: a `Verdict`'s.

    - `on_arrival(state, call)` and `on_departure(state, call)` answer with a verdict.
    - `on_overflow(state, call)`, `on_timer(state, call)`, `on_idle(state, now_ns)`, `on_room_made(state,
      now_ns, packets)`.
    - `next_timer(state)` answers with nanoseconds or `NEVER`, `signal_probability(state)` with a probability,
      `observe(state, values)` writes the values of what `observed` names.

    Attributes:
        state: Names and NumPy types of what the scheme remembers, `[("average", "f8"), ("count", "i8")]`.
    """

    state: ClassVar[Sequence[tuple[str, str]]] = ()

    def begin(self, port: Port, state: Any) -> None:  # noqa: ANN401
        """The scheme is put at a port: sets its state, which is zero so far. Ordinary Python, called once."""

    def initial_state(self, port: Port) -> bytes:
        """The bytes of the state at the start."""
        state = np.zeros(1, dtype=_layout(type(self)))
        self.begin(port, state[0])
        return state.tobytes()

    @classmethod
    def addresses(cls) -> list[tuple[str, int]]:
        """The addresses of the compiled methods, which stay valid as long as the class is there."""
        return [(name, function.address) for name, function in _functions(cls).items()]


def _layout(scheme: type[CompiledScheme]) -> np.dtype[Any]:
    return np.dtype(list(scheme.state) or [("nothing", "u1")], align=True)


_compiled: dict[type[CompiledScheme], dict[str, Any]] = {}
"""The C functions of each class, by name. They are kept: their addresses are in use."""


def _functions(scheme: type[CompiledScheme]) -> dict[str, Any]:
    if scheme not in _compiled:
        _compiled[scheme] = _compile(scheme)
    return _compiled[scheme]


def _compile(scheme: type[CompiledScheme]) -> dict[str, Any]:
    import numba as nb  # noqa: PLC0415  (heavy, and only for those who compile)

    state = nb.types.CPointer(nb.from_dtype(_layout(scheme)))
    call = nb.types.CPointer(nb.from_dtype(_call_layout()))
    signatures = {
        "on_arrival": nb.int32(state, call),
        "on_departure": nb.int32(state, call),
        "on_overflow": nb.void(state, call),
        "on_timer": nb.void(state, call),
        "on_idle": nb.void(state, nb.uint64),
        "on_room_made": nb.void(state, nb.uint64, nb.uint32),
        "next_timer": nb.uint64(state),
        "signal_probability": nb.float64(state),
        "observe": nb.void(state, nb.types.CPointer(nb.float64)),
    }
    observed = len(scheme.observed)
    return {
        name: nb.cfunc(signatures[name], error_model="numpy")(_entry(name, getattr(scheme, name), observed))
        for name in METHODS
        if getattr(scheme, name) is not getattr(Scheme, name)
    }


def _entry(name: str, method: Callable[..., Any], observed: int) -> Callable[..., Any]:
    """The C function of a method: what it is given are addresses."""
    from numba import carray, njit  # noqa: PLC0415

    inner = njit(method, error_model="numpy")
    if name in {"on_arrival", "on_departure", "on_overflow", "on_timer"}:
        return lambda state, call: inner(carray(state, 1)[0], carray(call, 1)[0])
    if name == "on_idle":
        return lambda state, now_ns: inner(carray(state, 1)[0], now_ns)
    if name == "on_room_made":
        return lambda state, now_ns, packets: inner(carray(state, 1)[0], now_ns, packets)
    if name == "observe":
        return lambda state, values: inner(carray(state, 1)[0], carray(values, observed))
    return lambda state: inner(carray(state, 1)[0])


def _call_layout() -> np.dtype[Any]:
    length, fields = _core.call_layout()
    names, offsets, types = (list(column) for column in zip(*fields, strict=True))
    return np.dtype({"names": names, "offsets": offsets, "formats": types, "itemsize": length})
