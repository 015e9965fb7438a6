"""HTTP requests to a service, with a size limit and a total deadline."""

import json
import threading
import time
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from crewmem.errors import ServiceError

MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a response."""

TRIES = 3
MAX_RETRY_AFTER = 20.0
"""Maximum wait in seconds, even if a service asks for more."""

MAX_REASON = 200
"""Maximum characters of a service's own words about an error."""

RETRIED_STATUSES = (429, 500, 502, 503, 504)

REFUSING_STATUSES = (401, 403, 404, 429, 503)
"""Statuses with which a service refuses any request: by its key, address or rate, or because it is
overloaded or in maintenance."""


class HTTPStatusError(ServiceError):
    """A service responded with an error status."""

    def __init__(self, message: str, *, http_status: int) -> None:
        super().__init__(message, code="service-failed")
        self.http_status = http_status

    @property
    def may_depend_on_text(self) -> bool:
        """Whether the service may accept another text."""
        return self.http_status not in REFUSING_STATUSES


def post_json(
    url: str,
    body: Any,
    *,
    headers: dict[str, str] | None = None,
    deadline: float = 60.0,
    tries: int = TRIES,
) -> Any:
    """Send *body* as JSON and return the parsed JSON response.

    Retries network errors and RETRIED_STATUSES, with exponential backoff and jitter. Does not
    follow redirects, so keys in *headers* reach no other host.

    Args:
        deadline: Maximum total seconds, including the waits between tries.
        tries: Maximum number of requests.

    Raises:
        HTTPStatusError: If the service responds with an error status.
        ServiceError: If it does not respond in time, or not with JSON.
    """
    import random  # both only for requests

    import httpx

    end = time.monotonic() + deadline
    try:
        host = urlsplit(url).netloc
    except ValueError:
        host = ""
    if not host or not url.startswith(("http://", "https://")):
        raise ServiceError(f"'{url}' is not an HTTP URL", code="bad-url")
    for value in (headers or {}).values():
        if not (value.isascii() and value.isprintable()):
            raise ServiceError(f"the key for {host} contains invalid characters", code="bad-key")
    failure: ServiceError | None = None
    for attempt in range(tries):
        wait = random.uniform(0.5, 1.0) * 2**attempt  # noqa: S311 - jitter, not a secret
        try:
            return _post_once(url, body, headers or {}, end, host)
        except HTTPStatusError as error:
            if error.http_status not in RETRIED_STATUSES:
                raise
            failure = error
            wait = min(max(wait, error.details.get("retry_after", 0.0)), MAX_RETRY_AFTER)
        except httpx.HTTPError as error:
            failure = ServiceError(
                f"{host} cannot be reached: {type(error).__name__}", code="service-unreachable"
            )
        except httpx.InvalidURL as error:
            raise ServiceError(f"'{url}' is not an HTTP URL", code="bad-url") from error
        if attempt + 1 < tries and time.monotonic() + wait < end:
            time.sleep(wait)
        else:
            break
    raise failure or ServiceError(f"{host} did not answer", code="service-unreachable")


def _post_once(url: str, body: Any, headers: dict[str, str], end: float, host: str) -> Any:
    """Send one request; raises httpx errors too.

    The request runs in a thread that is abandoned at the deadline: no library's timeout stops a
    server that sends its headers byte by byte, or a silent name server.
    """
    responses: list[Any] = []
    failures: list[Exception] = []

    def run() -> None:
        try:
            responses.append(_read_response(url, body, headers, end, host))
        except Exception as error:  # noqa: BLE001 - raised below, in the caller's thread
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, end - time.monotonic()))
    if failures:
        raise failures[0]
    if not responses:
        raise ServiceError(f"{host} did not answer in time", code="service-timeout")
    return responses[0]


@cache
def _create_tls_context() -> Any:
    """Return the TLS context, cached because reading the certificates takes 30 ms."""
    import httpx  # only for requests

    return httpx.create_ssl_context(trust_env=False)


def _read_response(url: str, body: Any, headers: dict[str, str], end: float, host: str) -> Any:
    import httpx  # only for requests

    parts = []
    size = 0
    with (
        httpx.Client(
            timeout=max(0.01, end - time.monotonic()),
            follow_redirects=False,
            trust_env=False,
            verify=_create_tls_context() if url.startswith("https:") else False,
        ) as client,
        client.stream("POST", url, json=body, headers=headers) as response,
    ):
        for part in response.iter_bytes():
            size += len(part)
            if size > MAX_BYTES:
                raise ServiceError(f"the response of {host} is too long", code="service-failed")
            if time.monotonic() > end:
                raise ServiceError(f"{host} did not answer in time", code="service-timeout")
            parts.append(part)
    if response.status_code != 200:
        message = f"{host} answered with status {response.status_code}"
        if reason := _find_reason(b"".join(parts), secrets=headers.values()):
            message += f": {reason}"
        error = HTTPStatusError(message, http_status=response.status_code)
        retry_after = response.headers.get("retry-after", "")
        if retry_after.isdecimal():
            error.details["retry_after"] = float(retry_after)
        raise error
    try:
        return json.loads(b"".join(parts))
    except (ValueError, RecursionError) as error:
        raise ServiceError(f"{host} did not answer with JSON", code="service-failed") from error


def _find_reason(body: bytes, *, secrets: Iterable[str]) -> str:
    """Return what a service says about an error, without *secrets* of the request; "" for nothing.

    >>> _find_reason(b'{"error": {"message": "no such model"}}', secrets=())
    'no such model'
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message"):
        if isinstance(answer, dict):
            answer = answer.get(name, answer)
    if not isinstance(answer, str):
        return ""
    for secret in filter(None, secrets):
        answer = answer.replace(secret.rpartition(" ")[2], "…")
    return " ".join(answer.split())[:MAX_REASON]
