"""What the audit of a live run says of its timing, and what became of a program behind the bottleneck."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def verdict(which: str, audit: Mapping[str, Any]) -> str:
    """Whether the timing of a run is valid, with the reasons where it is suspect."""
    reasons = "; ".join(audit["reasons"])
    return f"{which}: timing {audit['verdict']}{': ' if reasons else ''}{reasons}"


def timing(audit: Mapping[str, Any]) -> Iterator[str]:
    late, probe = audit["lateness"], audit["probe_error"]
    yield f"timing: {audit['verdict']}"
    yield (
        f"  {counted(late['count'], 'packet')} forwarded late: {late['p50_ms']:.3f} ms (median), "
        f"{late['p99_ms']:.3f} ms (99 %), {late['p99_9_ms']:.2f} ms (99.9 %), {late['max_ms']:.1f} ms at most"
    )
    yield (
        f"  probes that bypass the queues took {probe['p50_ms']:.3f} ms too long (median), "
        f"{probe['p99_ms']:.3f} ms (99 %)"
    )
    yield (
        f"  {counted(audit['device_drops'], 'packet')} dropped by devices, {audit['stolen_ms']} ms stolen; "
        f"{audit['backend']}, hosts {audit['hosts']}, ECN {'on' if audit['ecn'] else 'off'}"
    )
    yield f"  {audit['scheduling']}"
    if (machine := audit.get("user_mode")) is not None:
        clock = "in virtual time" if machine["virtual_time"] else "in real time: this kernel has no other"
        yield f"  user-mode Linux {audit['kernel']}, {clock}"
    for queue in audit.get("kernel_queues", ()):
        sent = counted(queue["sent"], "packet")
        told = f"{sent} sent, {queue['dropped']:,} dropped, {queue['waiting']} waiting"
        yield f"  queue of {queue['link']} in the kernel, {queue['discipline']}: {told}"
    if (replay := audit.get("replay")) is not None:
        said = "the simulated ports did the same" if replay["difference"] is None else replay["difference"]
        yield f"  replay of {counted(replay['events'], 'event')}: {said}"


def end_of_program(program: Mapping[str, Any]) -> str:
    took, code = program["ended_s"] - program["started_s"], program["exit_code"]
    end = "killed at the end of the run" if code is None else f"exit code {code}"
    told = f"command {shlex.join(program['command'])}: {took:.2f} s, {end}"
    return f"{told}; round trip {program['round_trip_ms']:g} ms"


def end_of_server(program: Mapping[str, Any]) -> str | None:
    """That a program's server ended before the run did; none if it did not."""
    code = program["server_exit_code"] if program["server"] else None
    return None if code is None else f"  its server ended before the run did, with exit code {code}"


def packets_of_program(program: Mapping[str, Any]) -> Iterator[str]:
    """What became of the packets of a program and of its server."""
    for key, whose in (("from_command", "sent"), ("from_server", "sent by its server")):
        count = program["packets"][key]
        sent = counted(count["sent"], "packet")
        yield (
            f"  {sent} ({count['sent_bytes']:,} bytes) {whose}: {count['handed_over']:,} "
            f"handed over, {count['marked']:,} of them marked, {count['discarded']:,} discarded by queues"
        )
