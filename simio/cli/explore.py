"""simio explore: a local web page to change a scenario's values on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simio.cli.options import tell

if TYPE_CHECKING:
    from simio.explore.session import Session

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PORT = 8050


@click.command()
@click.argument("place", type=click.Path(), metavar="SCENARIO|DIR")
@click.option("--knob", "more", multiple=True, metavar="KEY", help="Let this value be changed, too.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: a free one.")
@click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy"]),
    help="compiled (the default) or the SimPy reference.",
)
def explore(place: str, more: tuple[str, ...], host: str, port: int, engine: str | None) -> None:
    """Serve a page to change a scenario's values on, and see at once what comes of it.

    Sliders are what the scenario varies and the values of its workloads. Ctrl-C ends it.
    """
    from simio.errors import SimioError
    from simio.explore.session import Session

    try:
        import dash  # noqa: F401
    except ImportError:
        raise SimioError("simio explore needs the package dash: pip install 'simio[explore]'") from None
    session = Session(place, more, engine)
    if host not in LOOPBACK:
        tell(f"listening on {host}: whoever reaches this machine can use the page, and save scenarios here")
    _serve(session, host, port)


def _serve(session: Session, host: str, port: int) -> None:
    import logging
    from socket import AF_INET, AF_INET6, create_server

    from werkzeug.serving import make_server

    from simio.errors import SimioError
    from simio.explore.app import make_app

    # A wildcard address is reached under names that cannot be known; the warning has been given.
    names = None if host in ("0.0.0.0", "::") else {*LOOPBACK, host}
    app = make_app(session, names)
    if session.engine != "simpy":
        from simio.engines.native import entry

        entry(tell)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    name = host.strip("[]")
    try:
        listening = create_server((name, port), family=AF_INET6 if ":" in name else AF_INET)
    except OSError as error:
        raise SimioError(f"cannot listen on {host}:{port}: {error.strerror or error}; --port sets another") from error
    with listening:
        server = make_server(name, port, app.server, threaded=True, fd=listening.fileno())
        click.echo(f"http://{host}:{listening.getsockname()[1]}/   (Ctrl-C ends it)")
        server.serve_forever()
    # The server has taken the interrupt that ended it.
    raise KeyboardInterrupt
