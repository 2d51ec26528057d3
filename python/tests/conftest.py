"""The real server, started once; each test has a user of its own in it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from holdfast import AsyncHoldfast, Holdfast
from holdfast._local import LocalServer

_users = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    started = LocalServer(tmp_path_factory.mktemp("holdfast") / "store")
    yield started
    started.stop()


@pytest.fixture
def user() -> str:
    return f"user-{next(_users)}"


@pytest.fixture
def client(server: LocalServer, user: str) -> Iterator[Holdfast]:
    with Holdfast(server.base_url, user=user, session="s") as made:
        yield made


@pytest.fixture
async def async_client(server: LocalServer, user: str) -> AsyncIterator[AsyncHoldfast]:
    async with AsyncHoldfast(server.base_url, user=user, session="s") as made:
        yield made


class Either:
    """Both clients in one way, so that one test walks both: what is returned is awaited, if it is to be."""

    def __init__(self, client: Holdfast | AsyncHoldfast, called: set[str]) -> None:
        self._client = client
        self.called = called

    def scoped(self, **ids: str | None) -> Either:
        self.called.add("scoped")
        return Either(self._client.scoped(**ids), self.called)

    async def all(self, name: str, **arguments: Any) -> list[Any]:
        """A stream, to its end."""
        self.called.add(name)
        stream = getattr(self._client, name)(**arguments)
        return list(stream) if inspect.isgenerator(stream) else [item async for item in stream]

    async def first(self, name: str, count: int, **arguments: Any) -> list[Any]:
        """The first items of a stream that stays open."""
        self.called.add(name)
        stream = getattr(self._client, name)(**arguments)
        if inspect.isgenerator(stream):
            items = list(itertools.islice(stream, count))
            stream.close()
            return items
        items = []
        async for item in stream:
            items.append(item)
            if len(items) == count:
                break
        await stream.aclose()
        return items

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            self.called.add(name)
            result = method(*arguments, **named)
            return await result if inspect.isawaitable(result) else result

        return call


@pytest.fixture(params=["sync", "async"])
def either(request: pytest.FixtureRequest, client: Holdfast, async_client: AsyncHoldfast) -> Either:
    return Either(client if request.param == "sync" else async_client, set())
