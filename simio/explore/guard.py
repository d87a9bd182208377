"""Requests that the server answers: for its own names, from its own pages, in their form, of a reasonable size."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlsplit

MOST_BYTES = 2**20
"""Bytes of a request's body."""
MOST_AT_ONCE = 16
"""Requests that are answered, or wait for one another, at once."""
VALUES = "/_dash-update-component"
"""The address for values; every computation is requested here."""
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'; form-action 'none'"
)
"""Content security policy: nothing beyond this server."""
MOST_PARTS = 1000
"""Values of one kind in a request, such as places of sliders."""


def guard(server: Any, hosts: Collection[str] | None, callbacks: Mapping[str, Any]) -> None:
    """Refuse other requests to a Flask server, so that no page elsewhere can reach it through the user's browser.

    `hosts` are the names of the server, None for any; `callbacks` are Dash's records of the page's outputs.
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
            abort(403, "the request comes from another page")
        if request.path == VALUES and request.method == "POST":
            try:
                reason = refusal(request.get_json(), callbacks)
            except (RecursionError, ValueError) as error:
                reason = f"no JSON that can be read: {type(error).__name__}"
            if reason:
                abort(400, f"this is no request of the page: {reason}")
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


# --- requests for values -----------------------------------------------------------------------------------


def refusal(body: object, callbacks: Mapping[str, Any]) -> str:
    """The reason why no page would send a request; empty if one would.

    `callbacks` has for each output what Dash knows of it: `inputs` and `state`, each an id and a property.
    """
    if not isinstance(body, dict):
        return "expected an object"
    output = body.get("output")
    known = callbacks.get(output) if isinstance(output, str) else None
    if known is None or "callback" not in known:
        return "the output is none of this page"
    places: list[Sequence[str]] = []
    for name, wanted in (
        ("inputs", known["inputs"]),
        ("state", known["state"]),
        ("outputs", _outputs(known)),
    ):
        given = body.get(name, [])
        if not isinstance(given, list) or len(given) != len(wanted):
            return f"{name} are not those of {output}"
        for one, each in zip(given, wanted, strict=True):
            if not _fits(one, each, places):
                return f"{name} are not those of {output}"
    if any(each != places[0] for each in places):
        return "the page's parts do not fit one another"
    if not _changed(body.get("changedPropIds", []), body.get("inputs", [])):
        return "what changed is none of the inputs"
    return ""


def _outputs(known: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"id": each.component_id_str(), "property": each.component_property} for each in known["output"]]


def _fits(given: object, wanted: Mapping[str, str], places: list[Sequence[str]]) -> bool:
    """True if this is the part wanted, or a list of its instances, whose keys are added to `places`."""
    name = wanted["id"]
    if not name.startswith("{"):
        return _named(given, name, wanted["property"])
    if not isinstance(given, list) or len(given) > MOST_PARTS:
        return False
    kind = json.loads(name)["type"]
    keys = []
    for one in given:
        found = one.get("id") if isinstance(one, dict) else None
        if not isinstance(found, dict) or found.keys() != {"type", "key"} or found["type"] != kind:
            return False
        if not isinstance(found["key"], str) or not _named(one, found, wanted["property"]):
            return False
        keys.append(found["key"])
    places.append(keys)
    return len(set(keys)) == len(keys)


def _named(given: object, name: object, prop: str) -> bool:
    if not isinstance(given, dict) or not isinstance(given.get("property"), str):
        return False
    # Of several callbacks that set one place, all but the first have a hash behind an @.
    return bool(given.get("id") == name and given["property"].partition("@")[0] == prop)


def _changed(changed: object, inputs: Sequence[Any]) -> bool:
    """True if everything reported as changed is among the inputs."""
    flat = [one for each in inputs for one in (each if isinstance(each, list) else [each])]
    known = {f"{_text(one['id'])}.{one['property']}" for one in flat}
    return isinstance(changed, list) and all(isinstance(each, str) and each in known for each in changed)


def _text(name: object) -> str:
    return name if isinstance(name, str) else json.dumps(name, sort_keys=True, separators=(",", ":"))
