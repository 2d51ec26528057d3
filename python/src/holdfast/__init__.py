"""Memory for AI agents whose work goes on for days: the Python client of Holdfast.

`Holdfast` and `AsyncHoldfast` talk to a server; `Holdfast.local(directory)` starts one. `holdfast.langgraph` and `holdfast.agents` fit it
into LangGraph and the OpenAI Agents SDK.
"""

from ._client import AsyncHoldfast, Holdfast
from ._errors import HoldfastConnectionError, HoldfastError, HoldfastStartError
from ._types import (
    ContextBlock,
    Event,
    Forgotten,
    History,
    Hit,
    Lesson,
    Managed,
    Memory,
    NewEvent,
    Observed,
    Operation,
    Page,
    Recalled,
    Refused,
    Report,
    Scope,
    Status,
    Task,
    Undone,
    Updated,
    moment,
)

__version__ = "0.1.0"

__all__ = [
    "AsyncHoldfast",
    "ContextBlock",
    "Event",
    "Forgotten",
    "History",
    "Hit",
    "Holdfast",
    "HoldfastConnectionError",
    "HoldfastError",
    "HoldfastStartError",
    "Lesson",
    "Managed",
    "Memory",
    "NewEvent",
    "Observed",
    "Operation",
    "Page",
    "Recalled",
    "Refused",
    "Report",
    "Scope",
    "Status",
    "Task",
    "Undone",
    "Updated",
    "moment",
]
