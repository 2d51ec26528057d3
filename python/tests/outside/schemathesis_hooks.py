"""What a schema can't say of the HTTP API: how lines of JSON are written, and that an id is bounded in bytes."""

from __future__ import annotations

import json
from typing import Any

import schemathesis

SCOPE_ID_BYTES_MAX = 512


@schemathesis.serializer("application/x-ndjson")
def lines_of_json(context: Any, value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


@schemathesis.hook
def filter_query(context: Any, query: dict[str, Any] | None) -> bool:
    ids = [value for value in (query or {}).values() if isinstance(value, str)]
    return all(len(value.encode(errors="replace")) <= SCOPE_ID_BYTES_MAX for value in ids)
