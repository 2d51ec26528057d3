"""Every verb of the HTTP API once, as a flow: it yields the requests it needs, is sent their responses, and returns the result.

It knows neither sockets nor `await`: `Holdfast` and `AsyncHoldfast` drive the same flows.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import httpx

from ._types import (
    Action,
    ContextBlock,
    Effect,
    Event,
    Forgetting,
    Forgotten,
    History,
    Kind,
    Lesson,
    Managed,
    Memory,
    MemoryKind,
    NewEvent,
    Observed,
    Operation,
    Outcome,
    Page,
    Recalled,
    Record,
    Refused,
    Report,
    Scope,
    Source,
    Status,
    Task,
    Trust,
    Undone,
    Updated,
)

T = TypeVar("T")
R = TypeVar("R", bound=Record)

#: Lines of `observe_many` in one request. Each is answered by a line while the rest is still being sent, and this client reads
#: the answer behind its own last line: so many answers fit into the buffers between the two, however long they are.
LINES_TOGETHER = 200
#: And bytes, so that a request with long events stays short enough to be sent again.
LINES_BYTES = 4 * 1024 * 1024

#: What an event is taken for when only its source was told: as the server does for a single one.
KIND_OF: dict[str, Kind] = {"user": "query", "agent": "response", "tool": "tool_result", "system": "note"}


@dataclass(frozen=True)
class Request:
    method: Literal["GET", "POST"]
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    lines: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Sent twice, it does the same as once: it may be sent again when the connection broke.
    repeatable: bool = False
    #: Its answer takes as long as it takes.
    patient: bool = False


#: A verb under way.
Flow = Generator[Request, httpx.Response, T]


@dataclass(frozen=True)
class Stream:
    """A request whose answer comes line by line, and how to read them."""

    request: Request
    #: Fed with each line; what it returns, if anything, is handed on.
    reader: Callable[[], Callable[[str], Any]]


# ---------------------------------------------------------------------------------------------------------------- helpers


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that were given: what is left out is the server's default."""
    return {name: value for name, value in fields.items() if value is not None}


def _time(moment: str | datetime | None) -> str | None:
    if not isinstance(moment, datetime):
        return moment
    if moment.utcoffset() is None:
        raise ValueError("a time needs its offset: datetime.now().astimezone(), for example")
    return moment.isoformat()


def _update(update: Mapping[str, Any] | Sequence[Action] | None) -> Mapping[str, Any] | None:
    """An update, or only its actions."""
    return update if update is None or isinstance(update, Mapping) else {"actions": list(update)}


def _part(id: str) -> str:
    """An id as a part of a path: with every sign, and no way up."""
    return quote(id, safe="").replace(".", "%2E")


def _task_of(scope: Scope, task: str | None) -> str:
    name = task or scope.task
    if name is None:
        raise ValueError("which task? Give its id, or use a client that is scoped to it: client.scoped(task=...)")
    return _part(name)


def _get(scope: Scope, path: str, **params: Any) -> Request:
    words = {k: str(v).lower() if isinstance(v, bool) else v for k, v in _given(**params).items()}
    return Request("GET", f"/v1{path}", {**scope.params(), **words}, repeatable=True)


def _post(scope: Scope, path: str, body: Any, **how: Any) -> Request:
    return Request("POST", f"/v1{path}", scope.params(), json=body, **how)


def _page(response: httpx.Response, name: str, record: type[R]) -> Page[R]:
    body = response.json()
    return Page([record.of(raw) for raw in body[name]], body.get("next"))


# ----------------------------------------------------------------------------------------------------------------- events


def observe(
    scope: Scope,
    content: str,
    *,
    source: Source = "user",
    kind: Kind | None = None,
    occurred_at: str | datetime | None = None,
    trust: Trust | None = None,
    metadata: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
    update: Mapping[str, Any] | Sequence[Action] | None = None,
) -> Flow[Observed]:
    """Record an event; it is on disk when this returns. Secrets in it are replaced before anything is stored.

    Without an idempotency key it gets one of its own, so that sending it again after a broken connection records it once. `update`
    (or a list of its actions) changes working memory in the same transaction.
    """
    body = _given(
        content=content,
        source=source,
        kind=kind,
        occurred_at=_time(occurred_at),
        trust=trust,
        metadata=metadata,
        idempotency_key=idempotency_key or uuid.uuid4().hex,
        update=_update(update),
    )
    return Observed.of((yield _post(scope, "/events", body, repeatable=True)).json())


def _line(event: NewEvent | str) -> bytes:
    line: dict[str, Any] = {"content": event} if isinstance(event, str) else {**event}
    source = line.setdefault("source", "user")
    line.setdefault("kind", KIND_OF.get(source, "note"))
    if line.get("idempotency_key") is None:
        line["idempotency_key"] = uuid.uuid4().hex
    if line.get("occurred_at") is not None:
        line["occurred_at"] = _time(line["occurred_at"])
    if line.get("update") is not None:
        line["update"] = _update(line["update"])
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _batches(events: Iterable[NewEvent | str]) -> Iterator[bytes]:
    lines: list[bytes] = []
    size = 0
    for line in map(_line, events):
        if lines and (len(lines) == LINES_TOGETHER or size + len(line) > LINES_BYTES):
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def observe_many(scope: Scope, events: Iterable[NewEvent | str]) -> Flow[list[Observed | Refused]]:
    """Record many events, some hundred with each request; the answers are in their order. A bad one keeps no other out: it is a
    `Refused` with its reason."""
    answers: list[Observed | Refused] = []
    for lines in _batches(events):
        headers = {"content-type": "application/x-ndjson"}
        request = Request("POST", "/v1/events/batch", scope.params(), lines=lines, headers=headers, repeatable=True, patient=True)
        response = yield request
        for line in response.text.split("\n"):
            if line:
                raw = json.loads(line)
                answers.append(Refused.of(raw) if "error" in raw else Observed.of(raw))
    return answers


def events(scope: Scope, *, after: int | None = None, limit: int | None = None) -> Flow[Page[Event]]:
    """A page of the log, in the order of recording; of the scope's session and task, if it names them."""
    return _page((yield _get(scope, "/events", after=after, limit=limit)), "events", Event)


def event(scope: Scope, id: str) -> Flow[Event]:
    """An event with its whole body."""
    return Event.of((yield _get(scope, f"/events/{_part(id)}")).json())


def event_history(scope: Scope, id: str) -> Flow[History]:
    """Everything that was done to an event, and why."""
    return History.of((yield _get(scope, f"/events/{_part(id)}/history")).json())


def restore(scope: Scope, id: str) -> Flow[Event]:
    """Bring an archived event's body back."""
    return Event.of((yield _post(scope, f"/events/{_part(id)}/restore", None, repeatable=True)).json())


# ----------------------------------------------------------------------------------------------------------------- recall


def context(
    scope: Scope,
    query: str,
    *,
    preceding: Sequence[str] = (),
    budget_tokens: int | None = None,
    tokenizer: str | None = None,
    language: Literal["zh", "en"] | None = None,
    step: bool = False,
    except_events: Sequence[str] = (),
    now: str | datetime | None = None,
) -> Flow[ContextBlock]:
    """The block for the next prompt, within a budget of tokens: where the task stands, and what memory has on the query.

    `query` is the request or the step in hand, not the history; `preceding` are the turns just before, newest last. `except_events`
    are in the prompt already. With `step` it is the prompt of the task's next step, refused until the step before is written back.
    """
    body = _given(
        query=query,
        preceding=list(preceding),
        budget_tokens=budget_tokens,
        tokenizer=tokenizer,
        language=language,
        step=step,
        now=_time(now),
    )
    body["except"] = list(except_events)
    return ContextBlock.of((yield _post(scope, "/context", body, repeatable=not step)).json())


def recall(
    scope: Scope,
    query: str,
    *,
    limit: int | None = None,
    since: str | datetime | None = None,
    as_of: str | datetime | None = None,
    known_at: str | datetime | None = None,
    history: bool = False,
    sources: Sequence[Source] = (),
    kinds: Sequence[Kind] = (),
    in_session: bool = False,
    explain: bool = False,
    now: str | datetime | None = None,
) -> Flow[Recalled]:
    """Search the memory: what is relevant and no more, best first. `explain` says of each candidate why it is there or not."""
    body = _given(
        query=query,
        limit=limit,
        since=_time(since),
        as_of=_time(as_of),
        known_at=_time(known_at),
        history=history,
        sources=list(sources),
        kinds=list(kinds),
        in_session=in_session,
        explain=explain,
        now=_time(now),
    )
    return Recalled.of((yield _post(scope, "/recall", body, repeatable=True)).json())


# ------------------------------------------------------------------------------------------------------------------ tasks


def start_task(scope: Scope, title: str, *, goal: str | None = None, constraints: Sequence[str] = ()) -> Flow[Task]:
    """Open a task and put the session on it. The scope's task, if it names one, is the new one's id."""
    body = _given(title=title, goal=goal, constraints=list(constraints))
    return Task.of((yield _post(scope, "/tasks", body)).json())


def tasks(scope: Scope, *, all: bool = False, after: str | None = None, limit: int | None = None) -> Flow[Page[Task]]:
    """A page of tasks, most recently active first; with `all`, ended ones too."""
    return _page((yield _get(scope, "/tasks", all=all, after=after, limit=limit)), "tasks", Task)


def task(scope: Scope, id: str | None = None) -> Flow[Task]:
    """A task with its working memory; the scope's, unless an id is given."""
    return Task.of((yield _get(scope, f"/tasks/{_task_of(scope, id)}")).json())


def update(
    scope: Scope,
    actions: Sequence[Action],
    *,
    task: str | None = None,
    expected_version: int | None = None,
    idempotency_key: str | None = None,
) -> Flow[Updated]:
    """Apply a typed update, whole or not at all: `[{"action": "complete_step", "result": "41 minutes"}, {"action": "next_step"}]`.

    Another version than the expected one is a "version_conflict" whose `more["current_version"]` names it. Without an idempotency
    key it gets one of its own.
    """
    body = _given(
        actions=list(actions),
        expected_version=expected_version,
        idempotency_key=idempotency_key or uuid.uuid4().hex,
    )
    return Updated.of((yield _post(scope, f"/tasks/{_task_of(scope, task)}/updates", body, repeatable=True)).json())


def end_task(
    scope: Scope,
    outcome: Outcome = "success",
    *,
    reason: str | None = None,
    task: str | None = None,
    expected_version: int | None = None,
    idempotency_key: str | None = None,
) -> Flow[Updated]:
    """End a task. Its frames are cleared, its log stays, and what it taught is kept; of a failure, the reason."""
    headers = {"idempotency-key": idempotency_key or uuid.uuid4().hex}
    if expected_version is not None:
        headers["if-match"] = f'"{expected_version}"'
    body = _given(outcome=outcome, reason=reason)
    request = _post(scope, f"/tasks/{_task_of(scope, task)}/end", body, headers=headers, repeatable=True)
    return Updated.of((yield request).json())


def abandon_step(scope: Scope, *, task: str | None = None) -> Flow[None]:
    """Give up the step whose prompt is out, after its loop died."""
    yield _post(scope, f"/tasks/{_task_of(scope, task)}/abandon-step", None)


# --------------------------------------------------------------------------------------------------------------- memories


def memories(scope: Scope, *, status: str | None = None, after: str | None = None, limit: int | None = None) -> Flow[Page[Memory]]:
    """A page of long-term memory: what is active, pending or fading, or only of one status; "all" is every one."""
    return _page((yield _get(scope, "/memories", status=status, after=after, limit=limit)), "memories", Memory)


def memory(scope: Scope, id: str) -> Flow[Memory]:
    """A memory with its evidence."""
    return Memory.of((yield _get(scope, f"/memories/{_part(id)}")).json())


def memory_history(scope: Scope, id: str) -> Flow[History]:
    """Every version of a memory: who, why, from which event."""
    return History.of((yield _get(scope, f"/memories/{_part(id)}/history")).json())


def add_memory(
    scope: Scope,
    content: str,
    *,
    kind: MemoryKind = "fact",
    subject: str | None = None,
    attribute: str | None = None,
    applies: Literal["everywhere", "user", "task_kind", "task"] | None = None,
    to: str | None = None,
    importance: int | None = None,
) -> Flow[Memory]:
    """Have something remembered, on an operator's word. What users and agents say belongs into the log: `observe`.

    `applies` with `to` is where it holds: `applies="task_kind", to="周报"`.
    """
    where = None if applies is None else _given(applies=applies, to=to)
    body = _given(content=content, kind=kind, subject=subject, attribute=attribute, applies=where, importance=importance)
    return Memory.of((yield _post(scope, "/memories", body)).json())


def confirm(scope: Scope, id: str, *, reason: str = "") -> Flow[Memory]:
    """It is so: a pending memory comes into force, a doubted one is sure again."""
    return Memory.of((yield _post(scope, f"/memories/{_part(id)}/confirm", {"reason": reason})).json())


def retract(scope: Scope, id: str, *, reason: str = "") -> Flow[Memory]:
    """It is not so: a pending memory is rejected, a known one taken back."""
    return Memory.of((yield _post(scope, f"/memories/{_part(id)}/retract", {"reason": reason})).json())


def feedback(scope: Scope, memories: Sequence[str], effect: Effect) -> Flow[list[Memory]]:
    """Report what served memories did to the work."""
    body = {"memories": list(memories), "effect": effect}
    return [Memory.of(raw) for raw in (yield _post(scope, "/feedback", body)).json()]


def learn(scope: Scope, *, dry_run: bool = False) -> Flow[Lesson]:
    """Learn from the log by rules what is worth knowing beyond a task. It runs by itself too; this makes up for the rest."""
    return Lesson.of((yield _post(scope, "/learn", {"dry_run": dry_run}, repeatable=dry_run, patient=True)).json())


# ------------------------------------------------------------------------------------------------------ the store, the journal


def manage(
    scope: Scope,
    policy: str | None = None,
    *,
    policy_toml: str | None = None,
    dry_run: bool = False,
    force: bool = False,
    over_budget: bool = False,
) -> Flow[Managed]:
    """Let go of what a policy no longer keeps. Nothing goes at once, and whatever was done is undone by its run."""
    body = _given(policy=policy, policy_toml=policy_toml, dry_run=dry_run, force=force, over_budget=over_budget)
    return Managed.of((yield _post(scope, "/manage", body, repeatable=dry_run, patient=True)).json())


def forget(
    scope: Scope,
    *,
    events: Sequence[str] = (),
    matching: str | None = None,
    session: bool = False,
    task: bool = False,
    everything: bool = False,
    how: Forgetting | None = None,
    reason: str = "",
    max: int | None = None,
) -> Flow[list[Forgotten]]:
    """Forget these events, what has these words, the scope's session or task, or everything of its user or agent.

    Without `how` nothing is touched: the answer says how far it would reach. "hide" takes it out of view, "unhide" brings that back,
    "erase" takes it out of every copy, and nobody can bring it back. `reason` stands in the journal: better without a word of
    what is forgotten. More events than `max` are not touched.
    """
    body = _given(
        events=list(events),
        matching=matching,
        session=session,
        task=task,
        everything=everything,
        how=how,
        reason=reason,
        max=max,
    )
    response = yield _post(scope, "/forget", body, repeatable=how is None, patient=True)
    return [Forgotten.of(raw) for raw in response.json()]


def undo(
    scope: Scope,
    *,
    operation: str | None = None,
    run: str | None = None,
    to: str | datetime | None = None,
    preview: bool = False,
    with_dependants: bool = False,
    reason: str = "",
) -> Flow[Undone]:
    """Undo an operation, a run, or everything after a moment; with `preview`, only say how far it would reach."""
    body = _given(
        operation=operation,
        run=run,
        to=_time(to),
        preview=preview,
        with_dependants=with_dependants,
        reason=reason,
    )
    return Undone.of((yield _post(scope, "/undo", body, repeatable=preview, patient=True)).json())


def journal(
    scope: Scope,
    *,
    run: str | None = None,
    verb: str | None = None,
    event: str | None = None,
    memory: str | None = None,
    after: int | None = None,
    newest_first: bool = True,
    limit: int | None = None,
) -> Flow[Page[Operation]]:
    """A page of the journal: every change, and what was served."""
    request = _get(
        scope,
        "/journal",
        run=run,
        verb=verb,
        event=event,
        memory=memory,
        after=after,
        newest_first=newest_first,
        limit=limit,
    )
    return _page((yield request), "operations", Operation)


def verify_journal(scope: Scope) -> Flow[dict[str, Any]]:
    """Check every link of the journal's chain."""
    checked: dict[str, Any] = (yield _get(scope, "/journal/verify")).json()
    return checked


def report(scope: Scope, *, run: str | None = None) -> Flow[Report]:
    """What was done: stored, redacted, superseded, served, let go. Of the scope's task, if it names one."""
    return Report.of((yield _get(scope, "/report", run=run)).json())


def report_page(scope: Scope, *, format: Literal["text", "html"] = "text", run: str | None = None) -> Flow[str]:
    """The report for people to read."""
    return (yield _get(scope, "/report", run=run, format=format)).text


def import_lines(scope: Scope, lines: Iterable[str]) -> Flow[dict[str, Any]]:
    """Bring an export back. What is there already is left as it is; the answer says what was brought in, and why not the rest."""
    body = "".join(line if line.endswith("\n") else line + "\n" for line in lines).encode()
    headers = {"content-type": "application/x-ndjson"}
    request = Request("POST", "/v1/import", scope.params(), lines=body, headers=headers, repeatable=True, patient=True)
    brought: dict[str, Any] = (yield request).json()
    return brought


def archive(scope: Scope, *, older_than_days: int | None = None) -> Flow[dict[str, Any]]:
    """Move old bodies to cold storage; their summaries stay searchable."""
    request = _post(scope, "/archive", _given(older_than_days=older_than_days), repeatable=True, patient=True)
    moved: dict[str, Any] = (yield request).json()
    return moved


def status(scope: Scope) -> Flow[Status]:
    """What the store holds of the key's tenant, and which model serves."""
    return Status.of((yield _get(scope, "/status")).json())


def health(scope: Scope) -> Flow[dict[str, Any]]:
    """Whether the server answers. It needs no key."""
    answer: dict[str, Any] = (yield Request("GET", "/health", repeatable=True)).json()
    return answer


def ready(scope: Scope) -> Flow[dict[str, Any]]:
    """Whether its store does. It needs no key."""
    answer: dict[str, Any] = (yield Request("GET", "/ready", repeatable=True)).json()
    return answer


# ---------------------------------------------------------------------------------------------------------------- streams


def export(scope: Scope, *, all: bool = False) -> Stream:
    """Everything of an owner, as lines of JSON for `import_lines`; with `all`, of every owner that the key opens."""
    return Stream(_get(scope, "/export", all=all), lambda: lambda line: line or None)


def tail(
    scope: Scope,
    *,
    after: int | None = None,
    verb: str | None = None,
    run: str | None = None,
    event: str | None = None,
    memory: str | None = None,
) -> Stream:
    """The journal as it is written: each operation that is new, or behind the position `after`. It ends when the server does; the
    last `position` is where to go on."""
    return Stream(_get(scope, "/journal/tail", after=after, verb=verb, run=run, event=event, memory=memory), _sent)


def _sent() -> Callable[[str], Operation | None]:
    """Reads server-sent events: lines of `field: value`, an empty one behind each event, comments to keep the line open."""
    data: list[str] = []

    def read(line: str) -> Operation | None:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text = "\n".join(data)
            data.clear()
            return Operation.of(json.loads(text))
        return None

    return read
