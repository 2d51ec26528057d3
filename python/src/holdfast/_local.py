"""A server of one's own: found, started on a free port, waited for, and ended with the client."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from ._errors import HoldfastStartError

log = logging.getLogger("holdfast.server")

#: From its start until it listens: the model is read, and a store that was not closed is put in order.
START_S = 60.0
#: From being told to stop until it is killed: it finishes what is under way, for 20 s at most.
STOP_S = 30.0
#: Lines of its log that are kept for an error message.
LINES_KEPT = 20

_LISTENING = re.compile(r"listening on (http://\S+)")


def find_binary(named: str | os.PathLike[str] | None = None) -> str:
    """The `holdfast` program: the one that is named, HOLDFAST_BINARY, of the PATH, or the release build of a source tree."""
    for where, name in (("binary", named), ("HOLDFAST_BINARY", os.environ.get("HOLDFAST_BINARY"))):
        if name:
            found = shutil.which(os.path.expanduser(os.fspath(name)))
            if found is None:
                raise HoldfastStartError("no_binary", f"{where} names {os.fspath(name)!r}, which is no program")
            return found
    found = shutil.which("holdfast")
    if found is not None:
        return found
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    for start in (Path.cwd(), Path(__file__).resolve()):
        for folder in (start, *start.parents):
            if (folder / "crates" / "holdfast-server").is_dir():
                found = shutil.which(str(folder / target / "release" / "holdfast"))
                if found is not None:
                    return found
    raise HoldfastStartError(
        "no_binary",
        "the program `holdfast` was not found: `cargo install --path crates/holdfast-server` in Holdfast's source tree puts it on the "
        "PATH; or name it with binary=... or HOLDFAST_BINARY",
    )


class LocalServer:
    """`holdfast --store DIRECTORY serve` on a free port of this machine. It ends with `stop`, or when Python does."""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        binary: str | os.PathLike[str] | None = None,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        program = find_binary(binary)
        command = [program, "--store", os.fspath(directory), "serve", "--listen", "127.0.0.1:0", "--until-stdin-closes", *arguments]
        # A port that the environment asks for is another server's; its store and scope are given here.
        inherited = {k: v for k, v in os.environ.items() if k not in ("HOLDFAST_LISTEN", "HOLDFAST_LOG_JSON")}
        self.base_url = ""
        self._said: deque[str] = deque(maxlen=LINES_KEPT)
        self._listens = threading.Event()
        try:
            self._process = subprocess.Popen(
                command,
                # Its end is ours: a server must not outlive a program that was killed, and hold the store.
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**inherited, **(environment or {})},
                encoding="utf-8",
                errors="replace",
                # Ctrl-C is for the program that uses memory: it may still want to write something on its way out.
                start_new_session=True,
            )
        except OSError as error:
            raise HoldfastStartError("not_started", f"{program} can't be run: {error}") from error
        atexit.register(self.stop)
        # Its log must be read for as long as it runs, or it would wait for us.
        self._reader = threading.Thread(target=self._read_log, name="holdfast-server-log", daemon=True)
        self._reader.start()
        in_time = self._listens.wait(START_S)
        if self.base_url:
            return
        ended = self.last_words() if in_time else f"it does not listen after {START_S:.0f} s: {self._tail()}"
        self.stop()
        raise HoldfastStartError("not_started", f"`{' '.join(command)}` did not start: {ended}")

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            line = line.rstrip("\n")
            self._said.append(line)
            log.debug("%s", line)
            found = None if self.base_url else _LISTENING.search(line)
            if found:
                self.base_url = found.group(1)
                self._listens.set()
        # Its end: whoever still waits for it to listen need not any longer.
        self._process.wait()
        self._listens.set()

    def _tail(self) -> str:
        return "\n".join(self._said) or "it said nothing"

    @property
    def pid(self) -> int:
        return self._process.pid

    def last_words(self) -> str | None:
        """How it ended and what it said last; `None`: it runs."""
        try:
            # A connection breaks a moment before its process is gone.
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(1.0)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}. It said:\n{self._tail()}"

    def stop(self) -> None:
        """Ends it; what was acknowledged is on disk, and what is under way is finished."""
        atexit.unregister(self.stop)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(1.0)
        for pipe in (self._process.stdin, self._process.stderr):
            if pipe is not None:
                pipe.close()
