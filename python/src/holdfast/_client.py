"""The two clients. Both have the verbs of `_calls`; here is how they are driven, with and without `await`."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import os
import re
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import httpx

from . import _calls
from ._calls import Flow, Request, Stream
from ._local import LocalServer
from ._transport import (
    PATIENCE_S,
    TAIL_SILENCE_S,
    Attempt,
    Lines,
    accepted,
    arguments,
    problem,
    settings,
    unanswered,
    wait_before_again,
)
from ._types import Operation, Scope

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", httpx.Client, httpx.AsyncClient)
S = TypeVar("S", bound="_Client[Any]")
M = TypeVar("M", bound=Callable[..., Any])

DEFAULT_URL = "http://127.0.0.1:8765"
TIMEOUT_S = 30.0
RETRIES = 3


@dataclass
class _Connection(Generic[C]):
    """What a client and those that were scoped from it share."""

    http: C
    base_url: str
    api_key: str | None
    retries: int
    server: LocalServer | None = None


def _named_as(verb: Callable[..., Any], method: M) -> M:
    """Its name, its documentation and its signature are the verb's: what is asked of it, and what the flow comes to."""
    functools.update_wrapper(method, verb)
    signature = inspect.signature(verb)
    scope, *asked = signature.parameters.values()
    result = re.sub(r"^Flow\[(.*)\]$", r"\1", str(signature.return_annotation))
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[scope.replace(name="self", annotation=inspect.Parameter.empty), *asked], return_annotation=result
    )
    return method


class _Client(Generic[C]):
    """What both clients are made of."""

    _connection: _Connection[C]
    #: Whose memory, and where in their work.
    scope: Scope
    #: Only the client that opened the connection closes it.
    _is_owner: bool

    @property
    def base_url(self) -> str:
        return self._connection.base_url

    @property
    def has_key(self) -> bool:
        return self._connection.api_key is not None

    @property
    def server(self) -> LocalServer | None:
        """The server that `local` started."""
        return self._connection.server

    def scoped(self: S, **ids: str | None) -> S:
        """A client with another scope over the same connection: `client.scoped(user="lin", session="mon")`. What is not named stays;
        `None` takes it back to the default."""
        other = object.__new__(type(self))
        other._connection = self._connection
        other.scope = dataclasses.replace(self.scope, **ids)
        other._is_owner = False
        return other

    def _set_up(self, http: C, api_key: str | None, retries: int, scope: Scope) -> None:
        self._connection = _Connection(http, str(http.base_url).rstrip("/"), api_key, retries)
        self.scope = scope
        self._is_owner = True

    def _wait(self, request: Request, attempt: Attempt, attempts: int) -> float | None:
        return wait_before_again(request, attempt, attempts, self._connection.retries)

    def _accepted(self, attempt: Attempt) -> httpx.Response:
        return accepted(attempt, self._connection.base_url, self._connection.server)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, {self.scope})"


# ------------------------------------------------------------------------------------------------------------------- sync


def _sync(verb: Callable[Concatenate[Scope, P], Flow[T]]) -> Callable[Concatenate[Holdfast, P], T]:
    def method(self: Holdfast, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._drive(verb(self.scope, *args, **kwargs))

    return _named_as(verb, method)


def _sync_stream(
    verb: Callable[Concatenate[Scope, P], Stream], silence: float, of: type[T]
) -> Callable[Concatenate[Holdfast, P], Generator[T, None, None]]:
    def method(self: Holdfast, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._stream(verb(self.scope, *args, **kwargs), silence)

    return _named_as(verb, method)


class Holdfast(_Client[httpx.Client]):
    """A client of a Holdfast server.

    >>> with Holdfast.local("memory", user="lin") as memory:
    ...     memory.observe("以后周报都先写结论")
    ...     print(memory.context("写周报").text)

    It may be used by several threads. `retries` is how often a request is sent again where that is safe: reads, writes with an
    idempotency key, and whatever the server asked to send later.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        *,
        tenant: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        task: str | None = None,
        timeout: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        http = httpx.Client(**settings(base_url, api_key, timeout))
        self._set_up(http, api_key, retries, Scope(tenant, user, agent, session, task))

    @classmethod
    def local(
        cls,
        directory: str | os.PathLike[str],
        *,
        binary: str | os.PathLike[str] | None = None,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        **client: Any,
    ) -> Holdfast:
        """A client with a server of its own, over the store in `directory`; it ends with the client, or when Python does.

        The program is `binary`, what HOLDFAST_BINARY names, `holdfast` of the PATH, or the release build of a source tree. `arguments`
        are further ones of `holdfast serve`; the rest goes to the client.
        """
        server = LocalServer(directory, binary=binary, arguments=arguments, environment=environment)
        try:
            made = cls(server.base_url, **client)
            made._connection.server = server
            made.ready()
        except BaseException:
            server.stop()
            raise
        return made

    def _drive(self, flow: Flow[T]) -> T:
        try:
            request = next(flow)
            while True:
                request = flow.send(self._exchange(request))
        except StopIteration as done:
            result: T = done.value
            return result

    def _exchange(self, request: Request) -> httpx.Response:
        attempts = 0
        while True:
            attempts += 1
            attempt: Attempt
            try:
                attempt = self._connection.http.request(**arguments(request))
            except httpx.TransportError as error:
                attempt = error
            wait = self._wait(request, attempt, attempts)
            if wait is None:
                return self._accepted(attempt)
            time.sleep(wait)

    def _stream(self, stream: Stream, silence: float) -> Generator[Any, None, None]:
        connection = self._connection
        read, lines = stream.reader(), Lines()
        try:
            with connection.http.stream(**arguments(stream.request, silence)) as response:
                if not response.is_success:
                    response.read()
                    raise problem(response)
                for piece in response.iter_bytes():
                    for line in lines.feed(piece):
                        if (item := read(line)) is not None:
                            yield item
        except httpx.TransportError as error:
            raise unanswered(error, connection.base_url, connection.server) from error

    def close(self) -> None:
        """Closes the connection, and ends the server that `local` started."""
        if self._is_owner:
            self._connection.http.close()
            if self._connection.server is not None:
                self._connection.server.stop()

    def __enter__(self) -> Holdfast:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    observe = _sync(_calls.observe)
    observe_many = _sync(_calls.observe_many)
    events = _sync(_calls.events)
    event = _sync(_calls.event)
    event_history = _sync(_calls.event_history)
    restore = _sync(_calls.restore)
    context = _sync(_calls.context)
    recall = _sync(_calls.recall)
    start_task = _sync(_calls.start_task)
    tasks = _sync(_calls.tasks)
    task = _sync(_calls.task)
    update = _sync(_calls.update)
    end_task = _sync(_calls.end_task)
    abandon_step = _sync(_calls.abandon_step)
    memories = _sync(_calls.memories)
    memory = _sync(_calls.memory)
    memory_history = _sync(_calls.memory_history)
    add_memory = _sync(_calls.add_memory)
    confirm = _sync(_calls.confirm)
    retract = _sync(_calls.retract)
    feedback = _sync(_calls.feedback)
    learn = _sync(_calls.learn)
    manage = _sync(_calls.manage)
    forget = _sync(_calls.forget)
    undo = _sync(_calls.undo)
    journal = _sync(_calls.journal)
    verify_journal = _sync(_calls.verify_journal)
    report = _sync(_calls.report)
    report_page = _sync(_calls.report_page)
    import_lines = _sync(_calls.import_lines)
    archive = _sync(_calls.archive)
    status = _sync(_calls.status)
    health = _sync(_calls.health)
    ready = _sync(_calls.ready)
    export = _sync_stream(_calls.export, PATIENCE_S, str)
    tail = _sync_stream(_calls.tail, TAIL_SILENCE_S, Operation)


# ------------------------------------------------------------------------------------------------------------------ async


def _async(
    verb: Callable[Concatenate[Scope, P], Flow[T]],
) -> Callable[Concatenate[AsyncHoldfast, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncHoldfast, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._drive(verb(self.scope, *args, **kwargs))

    return _named_as(verb, method)


def _async_stream(
    verb: Callable[Concatenate[Scope, P], Stream], silence: float, of: type[T]
) -> Callable[Concatenate[AsyncHoldfast, P], AsyncGenerator[T, None]]:
    def method(self: AsyncHoldfast, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        return self._stream(verb(self.scope, *args, **kwargs), silence)

    return _named_as(verb, method)


class AsyncHoldfast(_Client[httpx.AsyncClient]):
    """As `Holdfast`, with `await`; `export` and `tail` are read with `async for`."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        *,
        tenant: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        task: str | None = None,
        timeout: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        http = httpx.AsyncClient(**settings(base_url, api_key, timeout))
        self._set_up(http, api_key, retries, Scope(tenant, user, agent, session, task))

    @classmethod
    async def local(
        cls,
        directory: str | os.PathLike[str],
        *,
        binary: str | os.PathLike[str] | None = None,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        **client: Any,
    ) -> AsyncHoldfast:
        """As `Holdfast.local`: `async with await AsyncHoldfast.local("memory") as memory: ...`"""
        start = functools.partial(LocalServer, directory, binary=binary, arguments=arguments, environment=environment)
        server = await asyncio.to_thread(start)
        try:
            made = cls(server.base_url, **client)
            made._connection.server = server
            await made.ready()
        except BaseException:
            server.stop()
            raise
        return made

    async def _drive(self, flow: Flow[T]) -> T:
        try:
            request = next(flow)
            while True:
                request = flow.send(await self._exchange(request))
        except StopIteration as done:
            result: T = done.value
            return result

    async def _exchange(self, request: Request) -> httpx.Response:
        attempts = 0
        while True:
            attempts += 1
            attempt: Attempt
            try:
                attempt = await self._connection.http.request(**arguments(request))
            except httpx.TransportError as error:
                attempt = error
            wait = self._wait(request, attempt, attempts)
            if wait is None:
                return self._accepted(attempt)
            await asyncio.sleep(wait)

    async def _stream(self, stream: Stream, silence: float) -> AsyncGenerator[Any, None]:
        connection = self._connection
        read, lines = stream.reader(), Lines()
        try:
            async with connection.http.stream(**arguments(stream.request, silence)) as response:
                if not response.is_success:
                    await response.aread()
                    raise problem(response)
                async for piece in response.aiter_bytes():
                    for line in lines.feed(piece):
                        if (item := read(line)) is not None:
                            yield item
        except httpx.TransportError as error:
            raise unanswered(error, connection.base_url, connection.server) from error

    async def close(self) -> None:
        """Closes the connection, and ends the server that `local` started."""
        if self._is_owner:
            await self._connection.http.aclose()
            if self._connection.server is not None:
                await asyncio.to_thread(self._connection.server.stop)

    async def __aenter__(self) -> AsyncHoldfast:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    observe = _async(_calls.observe)
    observe_many = _async(_calls.observe_many)
    events = _async(_calls.events)
    event = _async(_calls.event)
    event_history = _async(_calls.event_history)
    restore = _async(_calls.restore)
    context = _async(_calls.context)
    recall = _async(_calls.recall)
    start_task = _async(_calls.start_task)
    tasks = _async(_calls.tasks)
    task = _async(_calls.task)
    update = _async(_calls.update)
    end_task = _async(_calls.end_task)
    abandon_step = _async(_calls.abandon_step)
    memories = _async(_calls.memories)
    memory = _async(_calls.memory)
    memory_history = _async(_calls.memory_history)
    add_memory = _async(_calls.add_memory)
    confirm = _async(_calls.confirm)
    retract = _async(_calls.retract)
    feedback = _async(_calls.feedback)
    learn = _async(_calls.learn)
    manage = _async(_calls.manage)
    forget = _async(_calls.forget)
    undo = _async(_calls.undo)
    journal = _async(_calls.journal)
    verify_journal = _async(_calls.verify_journal)
    report = _async(_calls.report)
    report_page = _async(_calls.report_page)
    import_lines = _async(_calls.import_lines)
    archive = _async(_calls.archive)
    status = _async(_calls.status)
    health = _async(_calls.health)
    ready = _async(_calls.ready)
    export = _async_stream(_calls.export, PATIENCE_S, str)
    tail = _async_stream(_calls.tail, TAIL_SILENCE_S, Operation)
