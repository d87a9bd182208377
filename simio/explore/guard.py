"""What the server answers at all: requests for its own names, from its own pages, of a reasonable size."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlsplit

from simio.explore.request import refusal

MOST_BYTES = 2**20
"""Bytes of a request's body."""
MOST_AT_ONCE = 16
"""Requests that are answered, or wait for one another, at once."""
VALUES = "/_dash-update-component"
"""Where pages ask for values; all that is computed is asked for here."""
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'; form-action 'none'"
)
"""What a browser lets the page do: nothing beyond this server."""


def guard(server: Any, hosts: Collection[str] | None, callbacks: Mapping[str, Any]) -> None:
    """Refuse other requests to a Flask server, so that no page elsewhere can reach it by way of the user's browser.

    `hosts` are the names that it is asked under, None for any; `callbacks` what can be asked for, as Dash has it.
    """
    from dash.exceptions import DependencyException
    from flask import abort, g, request
    from werkzeug.exceptions import NotFound

    free = BoundedSemaphore(MOST_AT_ONCE)
    server.register_error_handler(DependencyException, lambda _: NotFound().get_response())
    server.config["MAX_CONTENT_LENGTH"] = MOST_BYTES

    @server.before_request
    def check() -> None:
        if hosts is not None and _name(request.host) not in hosts:
            abort(403, "this name is not served")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            abort(403, "another page asked for this")
        if request.path == VALUES and request.method == "POST":
            try:
                told = refusal(request.get_json(), callbacks)
            except (RecursionError, ValueError) as error:
                told = f"no JSON that can be read: {type(error).__name__}"
            if told:
                abort(400, f"this is no request of the page: {told}")
            if not free.acquire(blocking=False):
                abort(503, f"{MOST_AT_ONCE} requests are being answered; ask again")
            g.taken = True

    @server.teardown_request
    def leave(_: BaseException | None) -> None:
        if g.pop("taken", False):
            free.release()

    @server.after_request
    def headers(response: Any) -> Any:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response


def _name(host: str) -> str:
    """The name in `name:port`, brackets of an IPv6 address included."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
