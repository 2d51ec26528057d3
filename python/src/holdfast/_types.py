"""What the server answers, as data. Each type names the fields that callers use; `raw` is the whole answer, so that a field which
a newer server adds is there (`answer["field"]`) and no error."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar

Source = Literal["user", "agent", "tool", "system"]
Kind = Literal[
    "query",
    "response",
    "plan",
    "tool_call",
    "tool_result",
    "status_change",
    "task_switch",
    "feedback",
    "note",
    "imported",
]
Trust = Literal["trusted", "untrusted"]
Outcome = Literal["success", "failure", "abandoned", "cancelled"]
MemoryKind = Literal["preference", "rule", "fact", "lesson", "procedure", "summary", "inference"]
Effect = Literal["helped", "hurt", "ignored"]
Forgetting = Literal["hide", "erase", "unhide"]

#: A typed action of an update: `{"action": "complete_step", "result": "41 minutes"}`.
Action = Mapping[str, Any]

T = TypeVar("T")
R = TypeVar("R", bound="Record")


class NewEvent(TypedDict, total=False):
    """One event for `observe_many`. Only `content` is needed; the ids are those of the client's scope unless given."""

    content: str
    source: Source
    kind: Kind
    occurred_at: str | datetime
    trust: Trust
    metadata: Mapping[str, Any]
    idempotency_key: str
    update: Mapping[str, Any] | Sequence[Action]
    user: str
    agent: str
    session: str
    task: str


@dataclass(frozen=True)
class Scope:
    """Whose memory it is (tenant, user, agent), and where in their work (session, task). `None`: the server's default, or the
    key's."""

    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    task: str | None = None

    def params(self) -> dict[str, str]:
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Record:
    """An answer, or a part of one."""

    raw: Mapping[str, Any] = dataclasses.field(repr=False)

    @classmethod
    def of(cls: type[R], raw: Mapping[str, Any]) -> R:
        """The named fields out of an answer. One that is missing keeps its default; what is not named stays in `raw`."""
        given: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            if field.name != "raw" and raw.get(field.name) is not None:
                read = field.metadata.get("read")
                given[field.name] = read(raw[field.name]) if read else raw[field.name]
        return cls(raw=raw, **given)

    def __getitem__(self, name: str) -> Any:
        return self.raw[name]


def _each(record: type[R]) -> Any:
    """A field that is a list of records."""
    return dataclasses.field(default_factory=list, metadata={"read": lambda raw: [record.of(one) for one in raw]})


def _maybe(record: type[R]) -> Any:
    """A field that is a record, or is not there."""
    return dataclasses.field(default=None, metadata={"read": record.of})


@dataclass(frozen=True)
class Observed(Record):
    """What became of an event."""

    id: str = ""
    seq: int = 0
    #: Its idempotency key was known: this is the first one, and nothing was written.
    duplicate: bool = False
    task: str | None = None
    attribution: str = ""
    switched: bool = False
    opened: bool = False
    redactions: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    changes: list[str] = dataclasses.field(default_factory=list)
    statuses: list[str] = dataclasses.field(default_factory=list)
    overturned: list[str] = dataclasses.field(default_factory=list)
    #: Why the update that came with it was not applied.
    refused_update: str | None = None
    #: The other events that the utterance was taken apart into.
    also: list[Observed] = dataclasses.field(default_factory=list, metadata={"read": lambda raw: [Observed.of(one) for one in raw]})


@dataclass(frozen=True)
class Refused(Record):
    """A line of `observe_many` that was not recorded, and why."""

    error: str = ""
    code: str = ""


@dataclass(frozen=True)
class Event(Record):
    """An event as it is in the log."""

    id: str = ""
    seq: int = 0
    tenant: str = ""
    user: str = ""
    agent: str = ""
    session: str = ""
    task: str | None = None
    source: str = ""
    kind: str = ""
    content: str = ""
    occurred_at: str = ""
    recorded_at: str = ""
    trust: str = ""
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: `content` is a summary: the body is in cold storage, and `Holdfast.event` brings it along.
    archived: bool = False
    hidden: bool = False


@dataclass(frozen=True)
class ContextBlock(Record):
    """The block for a prompt. Put `text` into it as data, not as a system instruction."""

    text: str = ""
    tokens: int = 0
    tokenizer: str = ""
    #: The same fingerprint: nothing needs to be sent again.
    fingerprint: str = ""
    #: The first bytes (UTF-8) of `text` that change only when goal, constraints or warnings do.
    prefix_bytes: int = 0
    prefix_fingerprint: str = ""
    task: str | None = None
    about: dict[str, Any] = dataclasses.field(default_factory=dict)
    served: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    cut: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Memory(Record):
    """Something known beyond a task."""

    id: str = ""
    kind: str = ""
    subject: str = ""
    attribute: str = ""
    content: str = ""
    value: str = ""
    importance: int = 0
    confidence: float = 0.0
    status: str = ""
    version: int = 0
    origin: str = ""
    valid_from: str = ""
    valid_to: str | None = None
    sources: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    reason: str | None = None


@dataclass(frozen=True)
class Hit(Record):
    """One thing that was found: an event, a memory, or a fact of the task."""

    score: float = 0.0

    @property
    def layer(self) -> str:
        return str(self.raw["found"]["layer"])

    @property
    def event(self) -> Event | None:
        found = self.raw["found"]
        return Event.of(found["event"]) if self.layer == "event" else None

    @property
    def memory(self) -> Memory | None:
        found = self.raw["found"]
        return Memory.of(found["memory"]) if self.layer == "memory" else None

    @property
    def text(self) -> str:
        """What answers the query: a memory or fact as it stands; of an event, the parts that bear on it."""
        found = self.raw["found"]
        if self.layer == "memory":
            return str(found["memory"]["content"])
        if self.layer != "event":
            return str(found.get("text", ""))
        body = str(found["event"]["content"]).encode()
        # The server counts bytes of UTF-8.
        parts = [body[span["start"] : span["end"]].decode(errors="replace") for span in found.get("excerpt", [])]
        return " … ".join(parts) if parts else body.decode()


@dataclass(frozen=True)
class Recalled(Record):
    """The answer to a query, best first."""

    route: str = ""
    task: str | None = None
    about: dict[str, Any] = dataclasses.field(default_factory=dict)
    hits: list[Hit] = _each(Hit)
    #: Only if it was asked for.
    explain: dict[str, Any] | None = None


@dataclass(frozen=True)
class Task(Record):
    """A task and, while it goes on, its working memory: `frames`, the task's own first."""

    id: str = ""
    title: str = ""
    status: str = ""
    phase: str = ""
    version: int = 0
    frames: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    items: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    facts: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    closing: dict[str, Any] | None = None
    opened_at: str = ""
    last_activity: str = ""

    @property
    def frame(self) -> dict[str, Any] | None:
        """The frame in hand."""
        return self.frames[-1] if self.frames else None


@dataclass(frozen=True)
class Updated(Record):
    """What an update led to."""

    task: Task = dataclasses.field(default_factory=lambda: Task({}), metadata={"read": Task.of})
    #: The version that the next update may expect.
    version: int = 0
    #: The idempotency key was known: nothing was changed.
    repeated: bool = False
    changes: list[str] = dataclasses.field(default_factory=list)
    overturned: list[str] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Operation(Record):
    """A line of the journal."""

    position: int = 0
    id: str = ""
    at: str = ""
    actor: str = ""
    verb: str = ""
    target: str = ""
    target_id: str | None = None
    reason: str = ""
    cause: str | None = None
    run: str = ""
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class History(Record):
    """An event or a memory, and the operations on it."""

    event: Event | None = _maybe(Event)
    memory: Memory | None = _maybe(Memory)
    operations: list[Operation] = _each(Operation)


@dataclass(frozen=True)
class Lesson(Record):
    """What was learned, and why not the rest."""

    events: int = 0
    changes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    refused: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Managed(Record):
    """What became of each event in a run of the manager."""

    run: str = ""
    policy: str = ""
    dry_run: bool = False
    events: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    stage_summaries: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Forgotten(Record):
    """How far a forgetting reaches, or the receipt of one that was done: then it has an `id`."""

    id: str | None = None
    how: str | None = None
    events: int = 0
    tasks: int = 0
    memories: int = 0
    operations: int = 0
    #: Pieces of what was erased that were found in the store's files: 0, or it is not done.
    left: int = 0
    scanned: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class Undone(Record):
    """What is undone, or would be."""

    operations: list[Operation] = _each(Operation)
    dependants: list[Operation] = _each(Operation)
    refused: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    tasks: int = 0
    memories: int = 0
    events: int = 0


@dataclass(frozen=True)
class Report(Record):
    """What was done, counted."""

    operations: int = 0
    blocks_served: int = 0
    items_served: int = 0
    remembered: int = 0
    tasks: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Status(Record):
    """What the store holds, and which model serves."""

    version: str = ""
    owners: list[dict[str, str]] = dataclasses.field(default_factory=list)
    embedding: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: Only without API keys: where it lies and what all tenants keep in it.
    store: dict[str, Any] | None = None


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of a list. `next` is the cursor (`after=`) of the page behind it; `None`: this was the last."""

    items: list[T]
    next: Any = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def moment(text: str) -> datetime:
    """A time of the server's (RFC 9557: nanoseconds, perhaps with its zone in brackets) as a `datetime` with its offset."""
    found = re.match(r"([^.\[Z+]+?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)(?:\[.*\])?$", text)
    if not found:
        raise ValueError(f"not a moment with its offset: {text!r}")
    seconds, fraction, offset = found.groups()
    # Python before 3.11 reads six digits or none, and no Z.
    return datetime.fromisoformat(f"{seconds}.{(fraction or '0')[:6].ljust(6, '0')}{'+00:00' if offset == 'Z' else offset}")
