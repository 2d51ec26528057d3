"""What goes wrong, and what a caller is told."""

from __future__ import annotations

import http.server
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from holdfast import AsyncHoldfast, Holdfast, HoldfastConnectionError, HoldfastError, HoldfastStartError
from holdfast._calls import Request
from holdfast._local import LocalServer, find_binary
from holdfast._transport import Lines, wait_before_again


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_wrong_port_says_what_to_do() -> None:
    with Holdfast(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(HoldfastConnectionError) as error:
        client.status()
    assert error.value.code == "unreachable" and "holdfast serve" in error.value.detail and "Holdfast.local" in error.value.detail


async def test_a_wrong_port_async() -> None:
    async with AsyncHoldfast(f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(HoldfastConnectionError, match="unreachable"):
            await client.observe("x")
        with pytest.raises(HoldfastConnectionError, match="unreachable"):
            _ = [line async for line in client.export()]


@pytest.mark.parametrize("address", ["127.0.0.1:8765", "", "ftp://x"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        Holdfast(address)


def test_problems_have_code_status_detail_and_request(client: Holdfast) -> None:
    with pytest.raises(HoldfastError) as error:
        client.observe("")
    assert (error.value.code, error.value.status) == ("event_refused", 422)
    assert error.value.request_id and error.value.request_id in str(error.value)
    with pytest.raises(HoldfastError) as error:
        client.update([{"action": "dance"}], task="t")
    assert error.value.code == "body_refused" and error.value.more["field"] == "actions[0].action"
    with pytest.raises(ValueError, match="which task"):
        client.task()
    for name in ("nope", "../../health", "不在"):
        with pytest.raises(HoldfastError, match="no_such_task"):
            client.task(name)


def test_something_else_that_answers() -> None:
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    with Holdfast(f"http://127.0.0.1:{other.server_port}") as client, pytest.raises(HoldfastError) as error:
        client.status()
    other.shutdown()
    other.server_close()
    assert (error.value.code, error.value.status) == ("unexpected_answer", 501) and "not as Holdfast does" in error.value.detail


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[LocalServer, str, str]]:
    """A server with an operator's key and an agent's, which allows little."""
    keys = []
    for role in ("operator", "agent"):
        command = [find_binary(), "--store", str(tmp_path / "store"), "key", "create", "--role", role]
        made = subprocess.run(command, capture_output=True, text=True, check=True)
        keys.append(made.stdout.split()[-1])
    server = LocalServer(tmp_path / "store", arguments=["--embedding", "none", "--requests-per-second", "2"])
    yield server, keys[0], keys[1]
    server.stop()


def test_keys_roles_and_limits(guarded: tuple[LocalServer, str, str]) -> None:
    server, operator, agent = guarded
    with Holdfast(server.base_url) as client, pytest.raises(HoldfastError) as error:
        client.status()
    assert (error.value.code, error.value.status) == ("key_missing", 401)
    with Holdfast(server.base_url, "hf_wrong") as client, pytest.raises(HoldfastError) as error:
        client.observe("x")
    assert (error.value.code, error.value.status) == ("key_unknown", 401)
    assert "hf_wrong" not in str(error.value)
    with Holdfast(server.base_url, agent) as client:
        client.observe("以后都用PDF")
        with pytest.raises(HoldfastError) as error:
            client.add_memory("x")
    assert (error.value.code, error.value.status) == ("role_too_low", 403)
    # Two a second, four in a burst: the fifth is turned away, or waits if it may.
    with Holdfast(server.base_url, operator, retries=0) as client:
        with pytest.raises(HoldfastError) as error:
            for _ in range(20):
                client.status()
        assert (error.value.code, error.value.status) == ("too_many_requests", 429)
    with Holdfast(server.base_url, operator, retries=5) as client:
        for _ in range(3):
            client.status()


def test_a_server_that_dies_in_between(tmp_path: Path) -> None:
    client = Holdfast.local(tmp_path / "store", arguments=["--embedding", "none"], retries=1)
    client.observe("first")
    assert client.server is not None
    client.server._process.kill()
    with pytest.raises(HoldfastConnectionError) as error:
        client.observe("second")
    assert error.value.code == "unreachable" and "signal 9" in error.value.detail and "listening on" in error.value.detail
    client.close()
    # What was acknowledged is there, and the store opens again.
    with Holdfast.local(tmp_path / "store", arguments=["--embedding", "none"]) as again:
        assert [event.content for event in again.events()] == ["first"]


async def test_a_tail_ends_with_its_server(tmp_path: Path) -> None:
    client = await AsyncHoldfast.local(tmp_path / "store", arguments=["--embedding", "none"])
    await client.observe("first")
    seen = []
    assert client.server is not None
    async for operation in client.tail(after=0):
        seen.append(operation.verb)
        client.server._process.terminate()
    assert seen == ["observe"]
    await client.close()


def test_a_server_that_cannot_start_says_why(tmp_path: Path, server: LocalServer) -> None:
    with pytest.raises(HoldfastStartError) as error:
        Holdfast.local("/proc/nowhere")
    assert error.value.code == "not_started" and "can't be written" in error.value.detail and "exit code 1" in error.value.detail
    with Holdfast.local(tmp_path / "store"), pytest.raises(HoldfastStartError, match="written by another process"):
        Holdfast.local(tmp_path / "store")
    with pytest.raises(HoldfastStartError, match="no_binary"):
        Holdfast.local(tmp_path / "other", binary="/nowhere/holdfast")
    with pytest.raises(HoldfastStartError, match="unexpected argument"):
        Holdfast.local(tmp_path / "other", arguments=["--nonsense"])


def test_without_a_binary_it_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BINARY", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HoldfastStartError, match="cargo install"):
        Holdfast.local(tmp_path / "store")


def test_it_ends_with_its_client_and_with_python(tmp_path: Path) -> None:
    with Holdfast.local(tmp_path / "store") as client:
        assert client.server is not None
        process = client.server._process
        client.scoped(user="x").close()
        assert process.poll() is None, "a scoped client closes nothing"
    assert process.returncode == 0
    script = f"from holdfast import Holdfast; c = Holdfast.local({str(tmp_path / 'other')!r}); print(c.server.pid)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)


# Which requests go out again. Here no server could be made to fail in each of these ways on cue.
READ, WRITE, KEYED = Request("GET", "/", repeatable=True), Request("POST", "/"), Request("POST", "/", repeatable=True)
BROKEN, NOT_SENT = httpx.ReadError("broke off"), httpx.ConnectError("refused")


def answer(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, headers=[(name.replace("_", "-"), value) for name, value in headers.items()])


@pytest.mark.parametrize(
    ("request_", "attempt", "again"),
    [
        (READ, BROKEN, True),
        (KEYED, BROKEN, True),
        (WRITE, BROKEN, False),
        (WRITE, NOT_SENT, True),
        (WRITE, answer(429, retry_after="1"), True),
        (WRITE, answer(503, retry_after="1"), True),
        (READ, answer(503), False),
        (READ, answer(429, retry_after="3600"), False),
        (READ, answer(500, retry_after="1"), False),
        (READ, answer(404), False),
        (READ, answer(200), False),
    ],
)
def test_what_is_sent_again(request_: Request, attempt: httpx.Response | httpx.TransportError, again: bool) -> None:
    assert (wait_before_again(request_, attempt, attempts=1, retries=3) is not None) is again
    assert wait_before_again(request_, attempt, attempts=4, retries=3) is None


def test_a_connection_that_breaks_is_tried_again_and_the_write_is_one(server: LocalServer, user: str) -> None:
    """Between client and server, a relay that swallows the first answer: the write was done, and the client can't know."""
    host, port = "127.0.0.1", int(server.base_url.rsplit(":", 1)[1])
    relay = socket.create_server((host, 0))
    broken = 0

    def carry(inside: socket.socket, is_first: bool) -> None:
        with inside, socket.create_connection((host, port)) as outside:
            while request := inside.recv(65536):
                outside.sendall(request)
                if b"\r\n\r\n" in request and request.endswith(b"\r\n\r\n"):
                    continue
                reply = outside.recv(65536)
                if is_first:
                    return
                inside.sendall(reply)

    def serve() -> None:
        nonlocal broken
        try:
            while True:
                inside, _ = relay.accept()
                broken += 1
                threading.Thread(target=carry, args=(inside, broken == 1), daemon=True).start()
        except OSError:
            return

    threading.Thread(target=serve, daemon=True).start()
    with Holdfast(f"http://{host}:{relay.getsockname()[1]}", user=user) as client:
        said = client.observe("只记一次")
        assert said.duplicate, "the first attempt had recorded it"
    relay.close()
    with Holdfast(server.base_url, user=user) as client:
        assert [event.content for event in client.events()] == ["只记一次"]
    assert broken == 2


def test_lines_end_with_newlines_only() -> None:
    lines = Lines()
    text = '{"a":"\u2028\u0085\x0b"}\n\r\n一'.encode()
    got = [line for place in range(len(text)) for line in lines.feed(text[place : place + 1])]
    assert got == ['{"a":"\u2028\u0085\x0b"}', ""]
    assert lines.feed(b"\n") == ["一"]


def test_no_time_is_lost_in_a_tail(client: Holdfast) -> None:
    """What is written while it is read arrives."""

    def write() -> None:
        time.sleep(0.2)
        client.observe("later")

    writer = threading.Thread(target=write)
    writer.start()
    tail = client.tail()
    assert next(tail).verb == "observe"
    tail.close()
    writer.join()
