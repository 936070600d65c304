"""The server of `aqmlab live --serve` says nothing of clients that hang up."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import aqmlab

SERVER = Path(aqmlab.__file__).parent / "runs/live/file_server.py"

# A reset instead of a FIN: nothing is waited for.
RESET = struct.pack("ii", 1, 0)


def test_a_client_that_hangs_up_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(20_000_000))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVER), str(port), str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as served:
        try:
            client = _connected(port)
            client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(1_000).startswith(b"HTTP/1.1 200")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            client.close()
            # It goes on serving.
            with urlopen(f"http://127.0.0.1:{port}/large") as answer:
                assert len(answer.read()) == 20_000_000
        finally:
            served.terminate()
        assert served.stderr is not None
        assert served.stderr.read() == ""


def _connected(port: int) -> socket.socket:
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10.0)
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise AssertionError("the server does not listen")
