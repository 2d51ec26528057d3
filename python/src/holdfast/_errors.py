"""What goes wrong, as a caller can act on it: a stable code, what to do, and the request's id for the server's log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class HoldfastError(Exception):
    """The server did not do what it was asked for.

    `code` is stable ("no_such_task", "version_conflict", ...); `detail` is for people and says what to do. `more` has what else
    the server told, such as `current_version` after a conflict.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.request_id = request_id
        self.more = dict(more or {})

    def __str__(self) -> str:
        where = f" [request {self.request_id}]" if self.request_id else ""
        return f"{self.code}: {self.detail}{where}"


class HoldfastConnectionError(HoldfastError):
    """No answer came, or not the whole of it: `code` is "unreachable", "timeout" or "broken_off".

    After the last two, a write without an idempotency key may or may not have been done.
    """


class HoldfastStartError(HoldfastError):
    """`Holdfast.local` could not start a server: `code` is "no_binary" or "not_started"."""
