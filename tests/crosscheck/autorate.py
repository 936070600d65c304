"""cake-autorate itself, run with the configuration that `aqmlab sqm` prints, before a line whose rate varies.

    python -m tests.crosscheck.autorate            runs it, and writes crates/link/tests/cake_autorate.txt, which `cargo test` compares with ours

AUTORATE names a folder with cake-autorate.sh, defaults.sh and lib.sh (github.com/lynxthecat/cake-autorate). It needs root for a namespace, runs in real time, 80 seconds,
and with a line of ours in the place of fping and of the kernel's queues (`autorate_line.py`). What the script heard, and the rates that it then set, are kept; the rule of
`crates/link/src/cake_autorate.rs` is given the same. The status is 3 if there is no script.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aqmlab
from aqmlab.study.sqm.typed import IFB, RouterShaper, autorate_config

from .autorate_line import COUNTED, SECONDS
from .measurement import FOLDER

KEPT = FOLDER.parents[1] / "crates" / "link" / "tests" / "cake_autorate.txt"
MISSING = 3
SHARE = 0.8
LINE = """
name = "lte"
duration_s = 1.0

[line]
technology = "lte"
down_mbps = 30.0
up_mbps = 8.0
shaped_share_down = 0.8
shaped_share_up = 0.8
cake_autorate = {}

[[flows]]
count = 1
direction = "down"
profile = "linux6-cubic"
"""
_WORDS = "output_processing_stats=1 output_load_stats=1 enable_sleep_function=0 log_file_max_size_KB=100000".split()
_TC = """#!/bin/sh
case "$*" in
*show*) echo "qdisc cake 1: root refcnt 2 bandwidth 1Mbit noatm overhead 0" ;;
*batch*) while read -r line; do set -- $line; echo "${8%Kbit}" > "$AUTORATE_LINE/$5.new"; mv "$AUTORATE_LINE/$5.new" "$AUTORATE_LINE/$5"; done ;;
*) echo "${8%Kbit}" > "$AUTORATE_LINE/$5.new"; mv "$AUTORATE_LINE/$5.new" "$AUTORATE_LINE/$5" ;;
esac
"""
_CLOCK = """
printf() {
    if [[ $1 == -v && $2 == processing_stats ]]; then
        builtin printf -v processing_stats "$3" "${t_start_us:0:-6}.${t_start_us: -6}" "${@:5}"
    else
        builtin printf "$@"
    fi
}
"""
"""Its statistics begin with the instant by which it decides, in the place of that at which they are printed."""
_NAMESPACE = """
mount -t tmpfs none /sys/class/net
for each in {interfaces}; do
    mkdir -p /sys/class/net/$each/statistics
    echo 1500 > /sys/class/net/$each/mtu
    echo 0 > /sys/class/net/$each/statistics/tx_bytes
done
exec bash {script} {config}
"""


def printed() -> list[str]:
    """The configuration as `aqmlab sqm` prints it."""
    shapers = tuple(
        RouterShaper(way, SHARE * rate, 0, 0, "none", None, "triple") for way, rate in (("down", 30.0), ("up", 8.0))
    )
    return autorate_config(aqmlab.Scenario.from_toml(LINE), shapers, "wan")


def recorded(scripts: Path, folder: Path) -> str:
    """The log of a run."""
    assert COUNTED == (IFB, "wan")
    programs = folder / "bin"
    programs.mkdir()
    (programs / "tc").write_text(_TC)
    here = Path(__file__).resolve().parent / "autorate_line.py"
    (programs / "fping").write_text(f'#!/bin/sh\nexec {sys.executable} {here} "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    for interface in COUNTED:
        (folder / interface).write_text("0")
    (folder / "clock.sh").write_text(_CLOCK)
    config = folder / "config.crosscheck.sh"
    config.write_text("\n".join([*printed(), *_WORDS, f"log_file_path_override={folder}"]) + "\n")
    shell = _NAMESPACE.format(
        interfaces=" ".join(COUNTED), script=scripts / "cake-autorate.sh", config=config
    )
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "AUTORATE_LINE": str(folder),
        "BASH_ENV": str(folder / "clock.sh"),
        "CAKE_AUTORATE_SCRIPT_PREFIX": str(scripts),
    }
    command = ["unshare", "--net", "--mount", "bash", "-c", shell]
    log = folder / "cake-autorate.crosscheck.log"
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as running:
        deadline = time.monotonic() + 2 * SECONDS
        while not (folder / "over").exists() and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.5)
        running.terminate()
        running.wait(30)
    return log.read_text()


def steps(log: str) -> list[str]:
    """What the script heard and did, a line each, by its own clock from its start on."""
    rows = [[cell.strip() for cell in line.split(";")] for line in log.splitlines()]
    began = next(float(row[2]) for row in rows if row[0] == "INFO" and "Started" in row[3])
    found = []
    places: dict[str, int] = {}
    for kind, _, _, *cells in rows:
        if kind not in {"LOAD", "DATA"} or "." not in cells[0]:
            continue
        instant_us = max(0, round((float(cells[0]) - began) * 1e6))
        if kind == "LOAD":
            found.append(f"load {instant_us} {cells[1]} {cells[2]}")
        else:
            place = places.setdefault(cells[6], len(places))
            found.append(f"response {instant_us} {place} {cells[9]} {cells[14]} | {cells[28]} {cells[29]}")
    return found


def main() -> int:
    """Runs it."""
    scripts = os.environ.get("AUTORATE")
    if not scripts or not (Path(scripts) / "cake-autorate.sh").exists():
        print(f"AUTORATE={scripts}: no cake-autorate.sh there", file=sys.stderr)
        return MISSING
    with tempfile.TemporaryDirectory() as folder:
        found = steps(recorded(Path(scripts).resolve(), Path(folder)))
    head = [
        "# What cake-autorate heard, and the rates in kbit/s that it set then; python -m tests.crosscheck.autorate",
        "# load: microsecond, kbit/s down and up; response: microsecond, reflector, microseconds each way | down, up",
        *(f"# {word}" for word in printed()),
    ]
    KEPT.write_text("\n".join([*head, *found]) + "\n")
    print(f"{len(found)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
