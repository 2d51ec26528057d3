"""What sync and async sending share: which requests go out again and when, what an answer means, and how a stream falls into lines."""

from __future__ import annotations

import ipaddress
import random
from typing import Any
from urllib.parse import urlsplit

import httpx

from ._calls import Request
from ._errors import HoldfastConnectionError, HoldfastError
from ._local import LocalServer

#: For an answer that takes as long as it takes: a manager's run, an erasure that searches every file.
PATIENCE_S = 600.0
#: Between two lines of a live tail: the server sends a comment every 15 s.
TAIL_SILENCE_S = 60.0
#: Before the second attempt; doubled before each further one, and shortened at random so that clients don't come back together.
BACKOFF_S = 0.1
#: A server that asks for more than this is not waited for.
RETRY_AFTER_MAX_S = 30.0
#: Below the 64 requests at a time that a server allows a key by default.
CONNECTIONS = 32

#: It is certain that the server did not begin with it.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

Attempt = httpx.Response | httpx.TransportError


def settings(base_url: str, api_key: str | None, timeout: float) -> dict[str, Any]:
    """The arguments of `httpx.Client` and `httpx.AsyncClient`."""
    address = urlsplit(base_url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError(f"base_url is no address like http://127.0.0.1:8765: {base_url!r}")
    headers = {"user-agent": "holdfast-python/0.1.0"}
    if api_key is not None:
        headers["authorization"] = f"Bearer {api_key}"
    return {
        "base_url": base_url.rstrip("/"),
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, 5.0)),
        "limits": httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
        # A proxy of the environment can't reach what listens on this machine only.
        "trust_env": not _is_loopback(address.hostname),
    }


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def arguments(request: Request, timeout: float | None = None) -> dict[str, Any]:
    """The arguments of `client.request` and `client.stream`."""
    given: dict[str, Any] = {
        "method": request.method,
        "url": request.path,
        "params": request.params,
        "headers": request.headers,
    }
    if request.lines is not None:
        given["content"] = request.lines
    elif request.json is not None:
        given["json"] = request.json
    if timeout is None and request.patient:
        timeout = PATIENCE_S
    if timeout is not None:
        given["timeout"] = httpx.Timeout(timeout, connect=5.0)
    return given


def wait_before_again(request: Request, attempt: Attempt, attempts: int, retries: int) -> float | None:
    """Seconds until the request is sent again; `None`: it is not. A request goes out again if the server never began with it, if it
    asked to come back later, or if twice is the same as once."""
    if attempts > retries:
        return None
    if isinstance(attempt, httpx.Response):
        if attempt.status_code not in (429, 503):
            return None
        asked = attempt.headers.get("retry-after", "")
        if not asked.isdigit():
            return None
        return float(asked) if float(asked) <= RETRY_AFTER_MAX_S else None
    if request.repeatable or isinstance(attempt, _NOT_SENT):
        return float(BACKOFF_S * 2 ** (attempts - 1) * random.uniform(0.5, 1.0))
    return None


def accepted(attempt: Attempt, base_url: str, server: LocalServer | None) -> httpx.Response:
    """A response that says it is done, or the error."""
    if isinstance(attempt, httpx.TransportError):
        raise unanswered(attempt, base_url, server) from attempt
    if attempt.is_success:
        return attempt
    raise problem(attempt)


def problem(response: httpx.Response) -> HoldfastError:
    """An `application/problem+json` as an error. Whatever else answers (a proxy, another program) gets a code of its own."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or "code" not in body:
        said = response.text.strip()[:200]
        detail = f"{response.url} answered {response.status_code}, and not as Holdfast does: {said or 'nothing'}"
        return HoldfastError("unexpected_answer", detail, status=response.status_code)
    more = {k: v for k, v in body.items() if k not in ("type", "code", "status", "title", "detail", "request_id")}
    return HoldfastError(
        str(body["code"]),
        str(body.get("detail", "")),
        status=response.status_code,
        request_id=body.get("request_id"),
        more=more,
    )


def unanswered(error: httpx.TransportError, base_url: str, server: LocalServer | None) -> HoldfastConnectionError:
    """Why no answer came, and what to do."""
    if server is not None and (ended := server.last_words()) is not None:
        return HoldfastConnectionError("unreachable", f"the server that this client started has ended: {ended}")
    why = str(error) or type(error).__name__
    if isinstance(error, _NOT_SENT):
        detail = (
            f"nothing answers at {base_url} ({why}). Start a server with `holdfast serve`, give the address it says it listens on, "
            "or let the client start one: Holdfast.local(directory)"
        )
        return HoldfastConnectionError("unreachable", detail)
    if isinstance(error, httpx.TimeoutException):
        detail = f"{base_url} did not answer in time ({why}). Give the client a longer timeout, or see what the server is busy with"
        return HoldfastConnectionError("timeout", detail)
    detail = f"{base_url} broke off before its answer was whole ({why}). Is the server still running? Its log says why it ended"
    return HoldfastConnectionError("broken_off", detail)


class Lines:
    """A stream of bytes as lines. Only \\n ends one: texts hold other signs that Python takes for the end of a line."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[str]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return [line.removesuffix(b"\r").decode() for line in lines]
