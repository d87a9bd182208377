"""simio explore: a local web page with sliders for a scenario's values."""

from __future__ import annotations

import errno
import logging
import os
from ipaddress import ip_address
from socket import AF_INET, AF_INET6, create_server
from typing import TYPE_CHECKING

import click

from simio.cli.options import COMPLETING, ScenarioName, engine_option, tell
from simio.errors import SimioError
from simio.extras import needs

if TYPE_CHECKING or not COMPLETING:
    from simio.engines.native import compiles, entry
    from simio.explore.session import Session

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PORT = 8050


@click.command()
@click.argument("place", type=ScenarioName(), metavar="[SCENARIO|DIR]", required=False)
@click.option("--knob", "more", multiple=True, metavar="KEY", help="Add a slider for this value.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0: any free one.")
@engine_option
def explore(place: str | None, more: tuple[str, ...], host: str, port: int, engine: str | None) -> None:
    """Serve a page with sliders for a scenario's values, and the answer beside them.

    Each key that the scenario varies has a slider, and each value of its workloads. Without an argument, the page
    offers all ready scenarios. Ctrl-C ends the server.

    \b
    simio explore training-drives --knob disks.d.count
    """
    needs("dash", "simio explore")
    session = Session(place, more, engine)
    if not _loopback(host):
        tell(f"listening on {host}: everyone who reaches this machine can use the page, and save scenarios here")
    _serve(session, host, port)


def _loopback(host: str) -> bool:
    """True if only this machine can reach an address; of other names than localhost that is not known."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _serve(session: Session, host: str, port: int) -> None:
    # Extras that may be missing.
    from werkzeug.serving import make_server

    from simio.explore.app import make_app

    # A wildcard address is reached under names that cannot be known; the warning has been given.
    name = host.strip("[]")
    shown = f"[{name}]" if ":" in name else name
    names = None if name in ("0.0.0.0", "::") else {*LOOPBACK, shown}
    app = make_app(session, names)
    if session.engine != "simpy" and compiles():
        # Before the page is there, as it would wait for this; what the package has is made for the first answer.
        entry(tell)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    try:
        listening = create_server((name, port), family=AF_INET6 if ":" in name else AF_INET)
    except OSError as error:
        # The text of the error itself names the address again.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)
        wrong = "port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "host"
        raise SimioError(f"cannot listen on {host}:{port}: {reason}; --{wrong} sets another") from error
    with listening:
        server = make_server(name, port, app.server, threaded=True, fd=listening.fileno())
        click.echo(f"http://{shown}:{listening.getsockname()[1]}/   (Ctrl-C ends it)")
        server.serve_forever()
    # The server has taken the interrupt that ended it.
    raise KeyboardInterrupt
