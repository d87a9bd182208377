"""The command `simio`: finds the subcommand, imports only that, and prints errors for the person at the terminal."""

from __future__ import annotations

import errno
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""
CUT_OFF = 3
"""Exit status where the step budget of a run was spent: the answer is of the time until then."""
DEFECT = 1
"""Exit status after an error that simio did not foresee."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("simio.cli.run:run", "Run a scenario and print throughput and bottleneck."),
    "bound": ("simio.cli.explain:bound", "Compute an upper bound on throughput, without a run."),
    "show": ("simio.cli.show:show", "Print the parts, the wiring or the program of a scenario."),
    "explain": ("simio.cli.explain:explain", "Explain where the time goes and which change would help."),
    "compare": ("simio.cli.explain:compare", "Compare two runs, and attribute the difference to changes."),
    "sweep": ("simio.cli.sweep:sweep", "Run many configurations of a scenario as a table."),
    "optimize": ("simio.cli.optimize:optimize", "Find the best values of some keys, and their cost."),
    "capacity": ("simio.cli.capacity:capacity", "Find the largest load that keeps promises."),
    "new": ("simio.cli.new:new", "Print a scenario to begin with."),
    "scenarios": ("simio.cli.scenarios:scenarios", "List the ready scenarios and their questions."),
    "validate": ("simio.cli.validate:validate", "Compare simulated with measured values."),
    "models": ("simio.cli.models:models", "List the catalogue of parts, with the sources of values."),
    "sensitivity": ("simio.cli.sensitivity:sensitivity", "Rank the values of the catalogue by their effect."),
    "measure": ("simio.cli.measure:measure", "Measure this machine: datasheets and a study."),
    "calibrate": ("simio.cli.calibrate:calibrate", "Fit values of the catalogue to measured rows."),
    "explore": ("simio.cli.explore:explore", "Serve a local page with a slider for each value."),
    "nomograph": ("simio.cli.charts:nomograph", "Compute how long a user waits for an object of a size."),
    "trace": ("simio.cli.trace:trace", "Write a timeline of a run, for Perfetto."),
    "plot": ("simio.cli.charts:plot", "Draw throughput against a varied value."),
    "schema": ("simio.cli.new:schema", "Print the JSON Schema of scenario files, for editors."),
    "completion": ("simio.cli.complete:completion", "Print a completion script for a shell."),
}
"""Each subcommand with its place and its line of help, so that help imports none of them."""


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are used; `lazy` maps a name to (module:attribute, help)."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]] | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table, which is the order of use."""
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of this name, imported, or None."""
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the arguments begin with; the error for an unknown one names the nearest."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            from simio.errors import did_you_mean, quote

            near = did_you_mean(name, known) or f"there are {', '.join(known)}"
            ctx.fail(f"no command {quote(name)}; {near}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of subcommands in help, from the table."""
        rows = [(name, text) for name, (_, text) in self.lazy.items()]
        rows += [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """The context of a command; help that cannot be written ends here, as a message and an exit status."""
        try:
            return super().make_context(*args, **more)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            from simio.errors import SimioError

            unwritten = SimioError(f"cannot write the output: {error.strerror}")
            click.echo(str(unwritten), err=True)
            raise click.exceptions.Exit(unwritten.exit_status) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; whatever goes wrong in it ends here, as a message and an exit status."""
        _tolerate_encoding()
        try:
            with _interruptible():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except Exception as error:
            # The reader of our output has gone (`| head`); click ends quietly.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            _end(ctx, error, debug=bool(ctx.params.get("debug")))


UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors that keep output from being written, and that simio cannot foresee."""


def _end(ctx: click.Context, error: Exception, debug: bool) -> NoReturn:
    from simio.errors import SimioError, one_line

    if isinstance(error, OSError) and error.errno in UNWRITABLE:
        error = SimioError(f"cannot write the output: {error.strerror}")
    if debug:
        import traceback

        traceback.print_exception(error)
    expected = isinstance(error, SimioError)
    if expected and not debug:
        click.echo(str(error), err=True)
    elif not debug:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        click.echo(f"simio: internal error: {one_line(what)}; run with --debug for the traceback", err=True)
    ctx.exit(error.exit_status if isinstance(error, SimioError) else DEFECT)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt while there is work to lose, unless it is ignored; then as before."""
    main_thread = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not main_thread or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _tolerate_encoding() -> None:
    """A terminal that cannot show a character gets a question mark, not an error."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from simio.version import VERSION

        click.echo(f"simio {VERSION}")
        ctx.exit()


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def main(debug: bool) -> None:
    """Simulate I/O paths from end to end, from the drive to the wire and back.

    A scenario describes hosts, devices, links and a workload; simio computes the throughput of the path and its
    bottleneck. A SCENARIO is a YAML file or the name of a ready scenario.

    \b
    simio run training-drives          a ready scenario
    simio new nvme -o mine.yaml        a scenario to change
    """
