"""Holdfast in LangGraph: a `BaseStore`, and memory around a node.

How an item lies in Holdfast:

- A namespace is an agent of the client's user, named `langgraph:["memories","lin"]`: the store keeps what is in it apart from other
  namespaces and from what agents said, and searches it alone. "Forget everything of this user" reaches it.
- A key is a session of that agent. Each `put` is an event in it (source `system`, kind `note`): the value as its metadata, the
  indexed text as its content. Nothing is learned from it, and no task is touched by it.
- `put` over an item hides the earlier value: no longer found, kept for audit. `delete` erases the item with all its earlier values from
  every copy, as `forget --erase` does.

What is different from a plain key-value store:

- Secrets (passwords, keys, cards, e-mail addresses, ...) are replaced before anything is stored: `get` gives back «password:1».
- `search` with a query returns what is relevant and does not fill up with the rest; at most 100 items of a namespace are looked at.
  What was just put is found by its words at once, and by its meaning a moment later. Scores compare within a namespace; over several
  of them they are a rough guide.
- A value may take 60 KiB of JSON and be nested 30 deep. A namespace or a key may be about 500 bytes long.
- There is no TTL. A background policy of the server (`serve --policy`) lets go of items as it does of any other event.
- Overwriting and deleting need an API key of the role operator that is bound to no agent.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.base import coerce_to_runnable
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from ._calls import KIND_OF
from ._client import Holdfast
from ._types import ContextBlock, Event, NewEvent, Observed, moment

__all__ = ["HoldfastMemory", "HoldfastStore"]

#: Where an event's metadata has the item.
_ITEM = "langgraph"
#: Below what the server takes as metadata, with room for the names around the value.
VALUE_BYTES_MAX = 60 * 1024
#: What the server returns for a query at most.
_HITS_MAX = 100
_PAGE = 1000


class HoldfastStore(BaseStore):
    """Items in Holdfast; see the module for how they lie there.

    `fields` are the paths of a value that are searched unless `put` says otherwise; by default all of its text is.
    """

    def __init__(self, client: Holdfast, *, name: str = "langgraph", fields: Sequence[str] = ("$",)) -> None:
        # Named, so that "which namespaces are there" asks about nobody else's.
        self._client = client.scoped(user=client.scope.user or "default", session=None, task=None)
        self._name = name
        self._fields = list(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        # Reads see the state before the batch, and of two writes to one item the last counts: as in LangGraph's own stores.
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                results.append(self._get(op.namespace, op.key))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._list_namespaces(op))
            elif isinstance(op, PutOp):
                puts[(op.namespace, op.key)] = op
                results.append(None)
            else:
                raise ValueError(f"unknown operation: {op!r}")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    # ------------------------------------------------------------------------------------------------------- one item

    def _at(self, namespace: tuple[str, ...], key: str | None = None) -> Holdfast:
        agent = f"{self._name}:{json.dumps(list(namespace), ensure_ascii=False, separators=(',', ':'))}"
        return self._client.scoped(agent=agent, session=None if key is None else f"item:{key}")

    def _versions(self, namespace: tuple[str, ...], key: str) -> list[Event]:
        """The events of an item that are in view: the last is its value, earlier ones are left of a `put` that was cut short."""
        return [event for event in _all_events(self._at(namespace, key)) if _ITEM in event.metadata]

    def _get(self, namespace: tuple[str, ...], key: str) -> Item | None:
        versions = self._versions(namespace, key)
        return Item(**_fields(versions[-1])) if versions else None

    def _put(self, op: PutOp) -> None:
        at = self._at(op.namespace, op.key)
        if op.value is None:
            at.forget(session=True, how="erase", reason="an item of the store was deleted")
            return
        size = len(json.dumps(op.value, ensure_ascii=False, allow_nan=False).encode())
        if size > VALUE_BYTES_MAX:
            raise ValueError(
                f"the value of {op.key!r} takes {size} bytes of JSON; an item takes {VALUE_BYTES_MAX} at most. "
                "Long texts belong into the log: Holdfast.observe"
            )
        earlier = self._versions(op.namespace, op.key)
        item: dict[str, Any] = {"namespace": list(op.namespace), "key": op.key, "value": op.value}
        if earlier:
            item["created_at"] = _fields(earlier[0])["created_at"].isoformat()
        text = "" if op.index is False else _text(op.value, self._fields if op.index is None else op.index)
        if not text:
            item["unsearched"] = True
        # No event is without words.
        at.observe(text or "…", source="system", kind="note", metadata={_ITEM: item})
        if earlier:
            ids = [event.id for event in earlier]
            at.forget(events=ids, how="hide", reason="an item of the store was overwritten")

    # ----------------------------------------------------------------------------------------------------- many items

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        for namespace in self._namespaces():
            if namespace[: len(op.namespace_prefix)] == op.namespace_prefix:
                found += self._relevant(namespace, op.query) if op.query else self._everything(namespace)
        found = [item for item in found if all(_matches(item.value.get(k), v) for k, v in (op.filter or {}).items())]
        # Best first; without a query, what changed last.
        found.sort(key=lambda item: (item.score or 0.0, item.updated_at), reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _everything(self, namespace: tuple[str, ...]) -> list[SearchItem]:
        latest = {event.session: event for event in _all_events(self._at(namespace)) if _ITEM in event.metadata}
        return [SearchItem(**_fields(event)) for event in latest.values()]

    def _relevant(self, namespace: tuple[str, ...], query: str) -> list[SearchItem]:
        recalled = self._at(namespace).recall(query, limit=_HITS_MAX, sources=["system"], kinds=["note"])
        # Best first, so the first hit of an item counts.
        best: dict[str, SearchItem] = {}
        for hit in recalled.hits:
            event = hit.event
            if event is None or _ITEM not in event.metadata or event.metadata[_ITEM].get("unsearched"):
                continue
            best.setdefault(event.session, SearchItem(**_fields(event), score=hit.score))
        return list(best.values())

    def _namespaces(self) -> list[tuple[str, ...]]:
        """Those that may have items: what was erased leaves its owner's name."""
        scope, marked = self._client.scope, f"{self._name}:["
        namespaces = []
        for owner in self._client.status().owners:
            if owner["user"] == scope.user and owner["agent"].startswith(marked) and owner["tenant"] == self._tenant():
                namespaces.append(tuple(json.loads(owner["agent"].removeprefix(f"{self._name}:"))))
        return sorted(namespaces)

    def _tenant(self) -> str:
        if self._client.scope.tenant is None:
            # The key's, or the default: any answer about an event names it, and there may be none. So it is worked out once.
            owners = {owner["tenant"] for owner in self._client.status().owners}
            has_key = self._client.has_key
            self._client = self._client.scoped(tenant=owners.pop() if has_key and len(owners) == 1 else "default")
        return str(self._client.scope.tenant)

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        wanted = [
            namespace
            for namespace in self._namespaces()
            if all(_is_match(condition, namespace) for condition in op.match_conditions or ()) and self._at(namespace).events(limit=1).items
        ]
        if op.max_depth is not None:
            wanted = sorted({namespace[: op.max_depth] for namespace in wanted})
        return wanted[op.offset : op.offset + op.limit]


def _all_events(client: Holdfast) -> list[Event]:
    events: list[Event] = []
    after: int | None = None
    while True:
        page = client.events(after=after, limit=_PAGE)
        events += page.items
        after = page.next
        if after is None:
            return events


def _fields(event: Event) -> dict[str, Any]:
    item = event.metadata[_ITEM]
    updated = moment(event.recorded_at)
    created = item.get("created_at")
    return {
        "value": item["value"],
        "key": item["key"],
        "namespace": tuple(item["namespace"]),
        "created_at": moment(created) if created else updated,
        "updated_at": updated,
    }


def _text(value: Mapping[str, Any], paths: Sequence[str]) -> str:
    """What of a value is searched. All of it is its words, without the signs of JSON."""
    texts: list[str] = []
    for path in paths:
        texts += _words(value) if path == "$" else get_text_at_path(value, tokenize_path(path))
    return "\n".join(text for text in texts if text)


def _words(value: Any, name: str = "") -> list[str]:
    if isinstance(value, Mapping):
        return [text for key, inner in value.items() for text in _words(inner, str(key))]
    if isinstance(value, (list, tuple)):
        return [text for inner in value for text in _words(inner, name)]
    if value is None:
        return []
    return [f"{name}: {value}" if name else str(value)]


def _matches(value: Any, wanted: Any) -> bool:
    """LangGraph's filters: a value, or `{"$gte": 3}`."""
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(value, operator, operand) for operator, operand in wanted.items())
        return isinstance(value, Mapping) and all(_matches(value.get(key), inner) for key, inner in wanted.items())
    if isinstance(wanted, (list, tuple)):
        same_length = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return same_length and all(_matches(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compare(value: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return bool(value == operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"unknown operator: {operator}")
    try:
        value, operand = float(value), float(operand)
    except (TypeError, ValueError):
        return False
    return bool({"$gt": value > operand, "$gte": value >= operand, "$lt": value < operand, "$lte": value <= operand}[operator])


def _is_match(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", one) for one, wanted in zip(part, path, strict=True))


# ---------------------------------------------------------------------------------------------------- memory around a node


class HoldfastMemory:
    """Memory around the node that calls a model: what is new is recorded before, the block is put in, the answer is recorded after.

    >>> memory = HoldfastMemory(client)
    >>> graph.add_node("model", memory.around(call_model))

    The run's `thread_id` is the session, and its `user_id`, if there is one, the user. The block goes before the last turn of the user,
    as a message of its own; the graph's state never holds it. A message that was recorded already is recognised by its id.
    """

    def __init__(self, client: Holdfast, *, budget_tokens: int | None = None, messages_key: str = "messages") -> None:
        self._client = client
        self._budget_tokens = budget_tokens
        self._key = messages_key

    def around(self, node: Any) -> Runnable[Any, Any]:
        """The node with memory around it: a function of the state (and the config), sync or async, or a runnable."""
        inner = coerce_to_runnable(node)

        def call(state: Any, config: RunnableConfig) -> Any:
            update = inner.invoke(self.remind(state, config), config)
            self._record_update(update, config)
            return update

        async def acall(state: Any, config: RunnableConfig) -> Any:
            reminded = await asyncio.to_thread(self.remind, state, config)
            update = await inner.ainvoke(reminded, config)
            await asyncio.to_thread(self._record_update, update, config)
            return update

        return RunnableLambda(call, afunc=acall, name=getattr(node, "__name__", "model"))

    def remind(self, state: Any, config: RunnableConfig) -> Any:
        """The state with the block in its messages; what is new in them is recorded."""
        messages = convert_to_messages(state[self._key])
        recorded = self.record(messages, config)
        at = max((place for place, message in enumerate(messages) if isinstance(message, HumanMessage)), default=None)
        if at is None:
            return state
        block = self.block(str(messages[at].text), config, except_events=recorded)
        # A block without a line of memory has nothing to say.
        if not block.served:
            return state
        return {**state, self._key: [*messages[:at], HumanMessage(content=block.text), *messages[at:]]}

    def block(self, query: str, config: RunnableConfig, *, except_events: Sequence[str] = ()) -> ContextBlock:
        """The block for a query, in the run's session."""
        return self._in(config).context(query, budget_tokens=self._budget_tokens, except_events=except_events)

    def record(self, messages: Sequence[AnyMessage | BaseMessage], config: RunnableConfig) -> list[str]:
        """Record the messages that are not recorded yet; the events of all of them."""
        client = self._in(config)
        thread = client.scope.session or ""
        events = [event for place, message in enumerate(messages) for event in _of_message(message, thread, place)]
        observed = client.observe_many(events)
        # A turn that addressed several tasks is an event for each.
        return [part.id for event in observed if isinstance(event, Observed) for part in (event, *event.also)]

    def _record_update(self, update: Any, config: RunnableConfig) -> None:
        """What the node answered. A message without an id gets one here, which LangGraph keeps: so it is recognised in the next run."""
        said = update.get(self._key, []) if isinstance(update, Mapping) else []
        messages = said if isinstance(said, list) else [said]
        told = [message for message in messages if isinstance(message, BaseMessage)]
        for message in told:
            if message.id is None:
                message.id = str(uuid.uuid4())
        if told:
            self.record(told, config)

    def _in(self, config: RunnableConfig) -> Holdfast:
        named = config.get("configurable") or {}
        ids = {"session": named.get("thread_id"), "user": named.get("user_id")}
        return self._client.scoped(**{name: str(value) for name, value in ids.items() if value is not None})


def _of_message(message: BaseMessage, thread: str, place: int) -> list[NewEvent]:
    """A message as events: what was said, and each call of a tool. System messages are the operator's, and no event."""
    text = str(message.text)
    # Without an id, its place and its words: the same words later on are another message.
    name = message.id or f"{place}:{text}"
    key = "langgraph:" + hashlib.sha256(f"{thread}\0{name}".encode()).hexdigest()
    if isinstance(message, HumanMessage):
        source, kind = "user", KIND_OF["user"]
    elif isinstance(message, AIMessage):
        source, kind = "agent", KIND_OF["agent"]
    elif isinstance(message, ToolMessage):
        source, kind = "tool", KIND_OF["tool"]
    else:
        return []
    events: list[NewEvent] = []
    if text.strip():
        events.append({"content": text, "source": source, "kind": kind, "idempotency_key": key})  # type: ignore[typeddict-item]
    if isinstance(message, AIMessage):
        for number, call in enumerate(message.tool_calls):
            content = f"{call['name']}({json.dumps(call['args'], ensure_ascii=False)})"
            events.append({"content": content, "source": "agent", "kind": "tool_call", "idempotency_key": f"{key}:call{number}"})
    return events
