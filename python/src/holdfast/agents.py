"""Holdfast in the OpenAI Agents SDK: a `Session` whose turns are remembered, and a filter that puts the block before each call.

Each item of the session is an event: what a user said is a user's turn, a call of a tool and its output are a tool's, and memory
learns from them as from any talk. The item itself is kept with the event, so that `get_items` gives it back field for field, except
for secrets: they are replaced before anything is stored.

`pop_item` and `clear_session` erase, from every copy; they need an API key of the role operator (or a server without keys).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

from agents import SessionSettings, TResponseInputItem
from agents.memory import SessionABC
from agents.run import CallModelData, ModelInputData

from ._client import AsyncHoldfast
from ._errors import HoldfastError
from ._types import Event, Kind, NewEvent, Refused, Source

__all__ = ["HoldfastSession", "context_filter"]

#: Where an event's metadata has the item.
_ITEM = "openai_agents"
#: An item that takes more bytes of JSON than this is kept without its text, which is the event's own. Metadata may take 64 KiB.
_WHOLE_BYTES_MAX = 32 * 1024
_PAGE = 1000


class HoldfastSession(SessionABC):
    """A session of the Agents SDK in Holdfast.

    >>> session = HoldfastSession("mon", client)
    >>> await Runner.run(agent, "接着把周报弄完", session=session)
    """

    def __init__(self, session_id: str, client: AsyncHoldfast, *, session_settings: SessionSettings | None = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._writes = client.scoped(session=session_id)
        # A session is read whole, whichever of its tasks the client is on.
        self._reads = client.scoped(session=session_id, task=None)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        kept = [events for events in await self._kept() if events]
        if limit is not None:
            kept = kept[-limit:] if limit > 0 else []
        return [await self._item(events) for events in kept]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if not items:
            return
        for answer in await self._writes.observe_many([_event_of(item) for item in items]):
            if isinstance(answer, Refused):
                raise HoldfastError(answer.code, f"an item of the session was not recorded: {answer.error}")

    async def pop_item(self) -> TResponseInputItem | None:
        kept = await self._kept()
        if not kept:
            return None
        item = await self._item(kept[-1])
        ids = [event.id for event in kept[-1]]
        await self._reads.forget(events=ids, how="erase", reason="the last item of the session was taken back")
        return item

    async def clear_session(self) -> None:
        await self._reads.forget(session=True, how="erase", reason="the session was cleared")

    async def _kept(self) -> list[list[Event]]:
        """The events of each item, in order. They are several where a turn addressed several tasks."""
        items: dict[str, list[Event]] = {}
        after: int | None = None
        while True:
            page = await self._reads.events(after=after, limit=_PAGE)
            for event in page:
                if _ITEM in event.metadata:
                    items.setdefault(event.metadata[_ITEM]["id"], []).append(event)
            after = page.next
            if after is None:
                return list(items.values())

    async def _item(self, events: list[Event]) -> TResponseInputItem:
        event = events[0]
        kept = event.metadata[_ITEM]
        item = kept["item"]
        if "text_at" in kept:
            if event.archived:
                event = await self._reads.event(event.id)
            *path, last = kept["text_at"]
            place = item
            for step in path:
                place = place[step]
            place[last] = event.content
        return cast(TResponseInputItem, item)


def _event_of(item: TResponseInputItem) -> NewEvent:
    raw: dict[str, Any] = json.loads(json.dumps(item, ensure_ascii=False))
    source, kind = _speaker(raw)
    texts = list(_texts(raw))
    content = "\n".join(text for _, text in texts)
    if raw.get("type") == "function_call":
        content = f"{raw.get('name')}({raw.get('arguments', '')})"
    kept: dict[str, Any] = {"id": uuid.uuid4().hex, "item": raw}
    if len(json.dumps(raw, ensure_ascii=False).encode()) > _WHOLE_BYTES_MAX and len(texts) == 1:
        path = texts[0][0]
        place: Any = raw
        for step in path[:-1]:
            place = place[step]
        content, place[path[-1]] = place[path[-1]], ""
        kept["text_at"] = path
    # No event is without words: a reasoning item may have none, an image has none.
    if not content.strip():
        content = f"({raw.get('type') or raw.get('role') or 'item'})"
    return {"content": content, "source": source, "kind": kind, "metadata": {_ITEM: kept}}


def _speaker(raw: dict[str, Any]) -> tuple[Source, Kind]:
    role, type = raw.get("role"), str(raw.get("type") or "")
    if role == "user":
        return "user", "query"
    if role in ("system", "developer"):
        return "system", "note"
    if type.endswith("_output"):
        return "tool", "tool_result"
    if type.endswith("_call"):
        return "agent", "tool_call"
    if role == "assistant":
        return "agent", "response"
    return "agent", "note"


def _texts(raw: dict[str, Any]) -> Iterator[tuple[list[str | int], str]]:
    """The words of an item, each with where it stands in it."""
    for name in ("content", "output", "summary"):
        value = raw.get(name)
        if isinstance(value, str):
            yield [name], value
        elif isinstance(value, list):
            for number, part in enumerate(value):
                if isinstance(part, dict) and isinstance(part.get("text"), str):
                    yield [name, number, "text"], part["text"]


def context_filter(client: AsyncHoldfast, *, budget_tokens: int | None = None) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig(call_model_input_filter=...)`: the block goes before the last turn of the user, as data, in a message of its own.
    The session never holds it."""

    async def put_in(data: CallModelData[Any]) -> ModelInputData:
        items = list(data.model_data.input)
        turns = [number for number, item in enumerate(items) if isinstance(item, dict) and item.get("role") == "user"]
        if not turns:
            return data.model_data
        raw = cast("dict[str, Any]", items[turns[-1]])
        query = "\n".join(text for _, text in _texts(raw))
        if not query.strip():
            return data.model_data
        block = await client.context(query, budget_tokens=budget_tokens)
        if not block.served:
            return data.model_data
        message = cast(TResponseInputItem, {"role": "user", "content": block.text})
        return ModelInputData(input=[*items[: turns[-1]], message, *items[turns[-1] :]], instructions=data.model_data.instructions)

    return put_in
