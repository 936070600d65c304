"""The benchmark of packets as `make release` would build it: counted, trained, and built again.

The training differs from what is measured: shorter runs, other numbers of users, every registered scheme.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import programs

FOLDER = programs.ROOT / "target" / "profile-guided"
TRAINING_USERS = "3000"


def build() -> dict[str, Path]:
    """Every program by name; the one of packets trained, the others as they are."""
    counted = FOLDER / "counted"
    for old in counted.glob("*.profraw"):
        old.unlink()
    instrumented = programs.build(("packets",), FOLDER / "instrumented", f"-Cprofile-generate={counted}")
    train(instrumented["packets"], programs.cases(instrumented["packets"]))
    merged = FOLDER / "merged.profdata"
    raw = sorted(str(path) for path in counted.glob("*.profraw"))
    subprocess.run([str(llvm_profdata()), "merge", "-o", str(merged), *raw], check=True)
    optimised = programs.build(("packets",), FOLDER / "optimised", f"-Cprofile-use={merged}")
    return programs.build() | optimised


def train(program: Path, schemes: list[str]) -> None:
    """Long-lived flows and users under every scheme."""
    programs.run(program, ["bulk", "drop-tail", "40"])
    for scheme in schemes:
        programs.run(program, ["bulk", scheme, "5"])
        programs.run(program, ["web", TRAINING_USERS, scheme, "10"])
    programs.run(program, ["le2003", "pi", "5"])


def llvm_profdata() -> Path:
    """The compiler's own merger of profiles: another version's may not read them."""
    made = subprocess.run(["rustc", "--print", "sysroot"], check=True, stdout=subprocess.PIPE, text=True)
    found = sorted(Path(made.stdout.strip()).rglob("llvm-profdata*"))
    if not found or not os.access(found[0], os.X_OK):
        raise SystemExit("llvm-profdata is missing: rustup component add llvm-tools")
    return found[0]
