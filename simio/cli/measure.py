"""simio measure: datasheets and a study of the machine that it runs on."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.main import INTERRUPTED
from simio.cli.options import COMPLETING, force_option, forced, parsed, tell
from simio.cli.progress import Line
from simio.errors import SimioError

if TYPE_CHECKING or not COMPLETING:
    from simio.measure.collect import Wanted
    from simio.measure.collect import measure as measured
    from simio.measure.log import Log, Unavailable
    from simio.measure.namespaces import end_group
    from simio.measure.network import ASKING, PORT
    from simio.measure.network import serve as started
    from simio.measure.small import Small


@click.command()
@click.option("--output", "-o", metavar="DIR", type=click.Path(), help="Write datasheets and study to DIR.")
@force_option
@click.option("--device", metavar="DEV", help="Also read this block device with fio; it is never written.")
@click.option("--scratch", default="256 MiB", metavar="SIZE", help="Size of the scratch file in DIR (256 MiB).")
@click.option("--limit", default="5 min", metavar="TIME", help="End after this time, with the tests so far (5 min).")
@click.option("--repeats", default=2, type=click.IntRange(1, 100), metavar="N", help="Keep the best of N tests (2).")
@click.option("--no-network", is_flag=True, help="Leave out the tests in network namespaces.")
@click.option("--peer", metavar="HOST", help="Also run iperf3 to this host, on which simio measure --serve runs.")
@click.option("--serve", is_flag=True, help="Serve as the peer of another machine until Ctrl-C.")
@click.option("--bind", default="127.0.0.1", metavar="ADDRESS", help="Address to serve on (127.0.0.1).")
@click.option("--tests", type=click.IntRange(1), metavar="N", help="Run at most N tests of each kind.")
def measure(
    output: str | None,
    device: str | None,
    scratch: str,
    limit: str,
    repeats: int,
    no_network: bool,
    peer: str | None,
    serve: bool,
    bind: str,
    tests: int | None,
) -> None:
    """Measure this Linux machine, and write its datasheets and a study.

    Reads the description of the hardware from the system; measures system calls, context switches, copies and page
    faults; reads a scratch file in DIR with fio; runs iperf3 and requests between two network namespaces of its own.
    Writes only to DIR. The report lists each test that was not possible, with the reason.

    \b
    simio measure -o my-host       datasheets, raw output, scenarios and tables
    simio calibrate my-host        fit the values that no test measures, to half of the rows
    simio validate my-host         errors; the rows without a part in the fit have tables of their own
    simio measure --serve --bind 192.0.2.7         a peer for --peer of another machine
    """
    # A signal that ends this process ends the processes that it started, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if serve:
        _serve(bind)
        return
    if output is None:
        raise click.UsageError("give a folder: -o DIR")
    if not sys.platform.startswith("linux"):
        raise SimioError("simio measure reads what Linux tells; this is another system")
    wanted = Wanted(
        limit=parsed("--limit", limit, "time") / 10**12,
        repeats=repeats,
        scratch=parsed("--scratch", scratch, "size"),
        device=device,
        network=not no_network,
        peer=peer,
        tests=tests,
    )
    line = Line()
    try:
        found = measured(Path(output), wanted, lambda text: line.show(f"{text} (Ctrl-C ends)"), forced())
    except KeyboardInterrupt:
        line.clear()
        tell(f"interrupted; raw output so far is in {output}")
        sys.exit(INTERRUPTED)
    line.clear()
    click.echo(found.machine.title)
    click.echo(f"written to {output}: datasheets, raw output" + ("".join(f", {name}" for name in found.studies)))
    if found.missing:
        click.echo("\nnot measured:")
        for what, why in found.missing:
            click.echo(f"  {what}: {why}")
    if found.studies:
        click.echo(f"\nsimio calibrate {output} fits what is left; simio validate {output} judges it")


def _serve(address: str) -> None:
    """Run the servers of a peer until Ctrl-C."""
    with tempfile.TemporaryDirectory(prefix="simio-") as folder:
        log = Log(Path(folder), time.monotonic() + 3600)
        try:
            servers = started(log, address, Small(log, Path(folder)).program)
        except Unavailable as error:
            raise SimioError(str(error)) from None
        click.echo(f"serving on {address}, TCP ports {PORT} and {ASKING}; Ctrl-C ends")
        sys.stdout.flush()
        try:
            while all(server.poll() is None for server in servers):
                time.sleep(0.2)
        finally:
            for server in servers:
                end_group(server)
