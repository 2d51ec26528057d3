"""A server of one's own goes when its program does, however that went."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from holdfast import Holdfast

STARTS = """
import sys, time
from holdfast._local import LocalServer
server = LocalServer(sys.argv[1], arguments=["--embedding", "none"])
print(server.pid, server.base_url, flush=True)
time.sleep(600)
"""


def test_a_killed_program_leaves_no_server_behind(tmp_path: Path) -> None:
    store = tmp_path / "记忆"
    parent = subprocess.Popen([sys.executable, "-c", STARTS, str(store)], stdout=subprocess.PIPE, encoding="utf-8")
    assert parent.stdout is not None
    pid, base_url = parent.stdout.readline().split()
    with Holdfast(base_url, user="林悦") as memory:
        memory.observe("以后周报都先写结论")
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    # The store is free again: another server of the same store starts only once the first one has let it go.
    with Holdfast.local(store, user="林悦", arguments=["--embedding", "none"]) as again:
        assert "先写结论" in str(again.context("写周报"))
    assert not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
