"""Clients of the Model Context Protocol that others wrote: PyPI's `mcp` and the npm inspector's command line, over both transports."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from holdfast._local import LocalServer, find_binary

TOOLS = {"remember", "recall", "context", "task_start", "task_update", "task_end", "forget", "why", "report"}
#: Said in one conversation, and wanted in the block of another.
SAID = [
    ("以后周报都先写结论，再列数据", "写周报", "先写结论"),
    ("From now on, always answer in bullet points", "write the summary", "bullet points"),
]


class Reached:
    """The memory over one of the two transports."""

    def __init__(self, store: Path, server: LocalServer | None) -> None:
        self.command = [find_binary(), "--store", str(store), "--embedding", "none", "--user", "林悦", "--session", "s", "mcp"]
        self.url = f"{server.base_url}/mcp?user=%E6%9E%97%E6%82%A6&session=s" if server else None

    @asynccontextmanager
    async def session(self) -> AsyncIterator[ClientSession]:
        if self.url:
            transport: Any = streamable_http_client(self.url)
        else:
            transport = stdio_client(StdioServerParameters(command=self.command[0], args=self.command[1:], env=dict(os.environ)))
        async with transport as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            yield session


@pytest.fixture(params=["stdio", "http"])
def reached(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reached]:
    server = LocalServer(tmp_path / "store", arguments=["--embedding", "none"]) if request.param == "http" else None
    yield Reached(tmp_path / "store", server)
    if server:
        server.stop()


@pytest.mark.parametrize(("said", "asked", "wanted"), SAID, ids=["zh", "en"])
async def test_the_mcp_package(reached: Reached, said: str, asked: str, wanted: str) -> None:
    async with reached.session() as session:
        assert {tool.name for tool in (await session.list_tools()).tools} == TOOLS

        async def call(name: str, **arguments: Any) -> str:
            result = await session.call_tool(name, arguments)
            assert not result.is_error, result
            return str(result.content[0].text)

        await call("remember", text=said, said_by="user")
        await call("task_start", title=asked)
        assert wanted in await call("context", query=asked)
        assert wanted in await call("recall", query=said)
        # The task in hand, whose title it is.
        assert asked in (await session.read_resource("holdfast://context")).contents[0].text
        prompt = await session.get_prompt("resume", {"what": asked})
        assert asked in prompt.messages[0].content.text
        wrong = await session.call_tool("remember", {"no_such_field": 1})
        assert wrong.is_error


class Inspector:
    """The inspector's command line: one question, one answer."""

    def __init__(self, reached: Reached, home: Path) -> None:
        self.program = os.environ.get("HOLDFAST_INSPECTOR", "")
        if not self.program:
            pytest.skip("HOLDFAST_INSPECTOR does not name the npm inspector's program; .ci/run installs it")
        self.target = [reached.url, "--transport", "http"] if reached.url else reached.command
        self.home = home

    def ask(self, *arguments: str) -> dict[str, Any]:
        ran = subprocess.run(
            [self.program, "--cli", *self.target, *arguments],
            env={**os.environ, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=50,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return dict(json.loads(ran.stdout))


def test_the_inspector(reached: Reached, tmp_path: Path) -> None:
    inspector = Inspector(reached, tmp_path)
    # --strict: nothing in the tools' schemas that some clients don't take.
    assert {tool["name"] for tool in inspector.ask("--method", "tools/list", "--strict")["tools"]} == TOOLS
    (said, asked, wanted), _ = SAID

    def call(name: str, *arguments: str) -> str:
        result = inspector.ask(
            "--method", "tools/call", "--tool-name", name, *(word for pair in arguments for word in ("--tool-arg", pair))
        )
        assert not result.get("isError"), result
        return str(result["content"][0]["text"])

    call("remember", f"text={said}", "said_by=user")
    call("task_start", f"title={asked}")
    assert wanted in call("context", f"query={asked}")
    assert wanted in call("recall", f"query={said}")
    read = inspector.ask("--method", "resources/read", "--uri", "holdfast://context")
    assert asked in read["contents"][0]["text"]
    prompt = inspector.ask("--method", "prompts/get", "--prompt-name", "resume", "--prompt-args", f"what={asked}")
    assert asked in prompt["messages"][0]["content"]["text"]
