"""simio validate: every measured row beside what is simulated."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.options import tell, write

if TYPE_CHECKING:
    from simio.studies import Library, Row
    from simio.studies.baseline import Baseline
    from simio.studies.simulate import Done, Key
    from simio.studies.validation import Validation

OUTSIDE = 1
"""Exit status where a bar does not hold, a row is not simulated or engines differ."""
SIMPY_STEPS = 350_000
"""About how many steps SimPy takes in a second."""
WORTH_TELLING = 20
"""Seconds of SimPy that are told beforehand."""


@click.command()
@click.argument("studies", nargs=-1, metavar="[STUDY]...")
@click.option("--rows", "all_rows", is_flag=True, help="Show every row, not only those of named studies.")
@click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy", "both"]),
    default="compiled",
    help="compiled (the default), the SimPy reference, or both compared.",
)
@click.option(
    "--processes", type=click.IntRange(1, 1024), metavar="N", help="So many processes; one a CPU by default."
)
@click.option(
    "--cross-validate",
    metavar="HOW",
    help="Refit without the rows to be predicted: each run in turn, table by table, or in so many folds.",
)
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Tell what changed since this one.")
@click.option("--update-baseline", is_flag=True, help="Keep what is simulated now as the baseline.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page with plots.")
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write JUnit's XML for CI.")
@click.option("--plots", type=click.Path(), metavar="DIR", help="Write an SVG a table, and of all tables one.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write there, not to the screen."
)
def validate(
    studies: tuple[str, ...],
    all_rows: bool,
    engine: str,
    processes: int | None,
    cross_validate: str | None,
    baseline: str | None,
    update_baseline: bool,
    as_json: bool,
    html: str | None,
    junit: str | None,
    plots: str | None,
    output: str | None,
) -> None:
    """Simulate what was measured and print the errors.

    A STUDY is a published document (sgi-hippi) or one of its tables (sgi-hippi/table-1); all by default. Ends with
    status 1 where a table is outside its tolerance.

    \b
    simio validate                           every table in a line
    simio validate sgi-hippi/table-2         every row of one table
    simio validate --html page.html          measured against simulated, as plots
    simio validate --cross-validate each     errors of rows that the values were not fitted to
    """
    if cross_validate is not None:
        _refuse_beside(click.get_current_context())
        write(output, _cross_validated(studies, cross_validate, as_json, to_file=output is not None))
        return
    from simio.studies import Library, rows

    library = Library()
    wanted = rows(studies, library)
    check_writable((html, junit, output), plots)
    kept_in = Path(baseline) if baseline else library.tables / "baseline.json"
    kept = _baseline(kept_in, needed=baseline is not None and not update_baseline)
    found = _validated(wanted, library, kept, engine, processes, str(kept_in))
    detailed = library.names if all_rows else library.chosen(studies) if studies else ()
    write(output, _text(found, detailed, as_json, to_file=output is not None))
    _files(found, html, junit, plots, whole=not studies)
    if update_baseline and found.complete:
        _update(found, kept, kept_in)
    if not found.complete:
        sys.exit(130)
    if found.failures:
        sys.exit(OUTSIDE)


def _refuse_beside(context: click.Context) -> None:
    """Cross-validation has no rows to show, no plots and no baseline: an option for these is an error."""
    used = [
        option.opts[0]
        for option in context.command.params
        if option.name not in ("studies", "cross_validate", "as_json", "output")
        and context.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE
    ]
    if used:
        raise click.UsageError(
            f"{', '.join(used)} cannot be used with --cross-validate; only --json and --output can"
        )


def _cross_validated(studies: Sequence[str], how: str, as_json: bool, to_file: bool) -> str:
    """The errors of rows that are left out, beside those of rows that are fitted to."""
    from rich.console import Console

    from simio.calibration.crossval import check_folds
    from simio.calibration.groups import cross_validated
    from simio.report.crossval import crossval_json, show

    check_folds(how)
    groups = []
    for group in cross_validated(studies, how):
        groups.append(group)
        tell(f"{', '.join(group.studies)}: done")
    if as_json:
        return crossval_json(groups)
    console = Console(highlight=False, width=160 if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console, groups)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def check_writable(files: Sequence[str | None], plots: str | None) -> None:
    """Refuse files and a folder that cannot be written before the time of a validation is spent."""
    from simio.errors import SimioError, quote

    for path in filter(None, files):
        folder = Path(path).parent
        if not folder.is_dir():
            raise SimioError(f"cannot write {quote(path)}: no folder {quote(str(folder))}")
    if plots and Path(plots).exists() and not Path(plots).is_dir():
        raise SimioError(f"cannot write plots to {quote(plots)}, which is no folder")


def _baseline(path: Path, needed: bool) -> Baseline:
    """The baseline there; an empty one where it may be missing."""
    from simio.studies.baseline import Baseline, read_baseline

    return read_baseline(path) if needed or path.exists() else Baseline()


def _validated(
    rows: list[Row], library: Library, kept: Baseline, engine: str, processes: int | None, baseline: str
) -> Validation:
    """Run what the rows need; an interrupt leaves what is done."""
    import time

    from simio.cli.run import Progress
    from simio.studies.simulate import collected, needed, run
    from simio.studies.summary import summaries, verdicts
    from simio.studies.validation import Validation
    from simio.version import VERSION

    done: dict[Key, Done] = {}
    keys = needed(rows, kept.steps)
    if engine != "compiled":
        _tell_time(sum(keys.values()))
    begun = time.monotonic()
    complete = True
    try:
        with Progress(len(keys)) as progress:

            def take(key: Key, outcome: Done) -> None:
                done[key] = outcome
                progress.step()

            run(list(keys), take, library, None, engine, processes, tell)
    except KeyboardInterrupt:
        complete = False
    tell(f"{len(done)} of {len(keys)} cases in {time.monotonic() - begun:.1f} s")
    simulated = collected(rows, done)
    tables = summaries(rows, simulated, library)
    known = bool(kept.tables)
    return Validation(
        tables=tuple(tables),
        verdicts=tuple(verdicts(tables, library)),
        engine=engine,
        version=VERSION,
        baseline=baseline if known else "",
        changes=tuple(kept.changes(simulated)) if known else (),
        gone=tuple(kept.gone(rows)) if known else (),
        complete=complete,
    )


def _tell_time(steps: float) -> None:
    """How long SimPy will take, as far as the baseline knows the steps."""
    seconds = steps / SIMPY_STEPS
    if seconds > WORTH_TELLING:
        minutes = f"some {seconds / 60:.0f} minutes of one CPU" if seconds > 90 else f"some {seconds:.0f} s"
        tell(f"{steps:,.0f} steps, for which SimPy needs {minutes}; fewer STUDY names need less")


def _text(found: Validation, detailed: Sequence[str], as_json: bool, to_file: bool) -> str:
    if as_json:
        from simio.report.validation_data import validation_json

        return validation_json(found)
    from rich.console import Console

    from simio.report.validation import show

    console = Console(highlight=False, width=160 if to_file or not sys.stdout.isatty() else None)
    with console.capture() as capture:
        show(console, found, detailed)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


def _files(found: Validation, html: str | None, junit: str | None, plots: str | None, whole: bool) -> None:
    from simio.files import write_whole

    if html:
        from simio.report.validation_page import page

        write_whole(html, page(found))
    if junit:
        from simio.report.validation_data import junit_xml

        write_whole(junit, junit_xml(found))
    if plots:
        from simio.report.validation_svg import write_plots

        write_plots(found, plots, whole)


def _update(found: Validation, kept: Baseline, path: Path) -> None:
    from simio.errors import SimioError

    if any(row.fault for row in found.rows):
        raise SimioError("the baseline stays as it is: not all rows were simulated")
    kept.updated(found.rows).write(path)
    tell(f"kept {len(found.rows)} rows in {path}")
