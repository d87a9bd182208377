"""What the server answers at all: requests for its own names, from its own pages, of a reasonable size."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

MOST_BYTES = 2**20
"""Bytes of a request's body."""
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'; form-action 'none'"
)
"""What a browser lets the page do: nothing beyond this server."""


def guard(server: Any, hosts: Collection[str] | None) -> None:
    """Refuse other requests to a Flask server, so that no page elsewhere can reach it by way of the user's browser.

    `hosts` are the names that it is asked under, None for any.
    """
    from flask import abort, request

    server.config["MAX_CONTENT_LENGTH"] = MOST_BYTES

    @server.before_request
    def check() -> None:
        if hosts is not None and _name(request.host) not in hosts:
            abort(403, "this name is not served")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            abort(403, "another page asked for this")

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
