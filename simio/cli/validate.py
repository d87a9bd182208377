"""simio validate: every measured row beside what is simulated."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simio.cli.evidence import blind_text, cover_text, cross_validation_text, record_text
from simio.cli.main import INTERRUPTED
from simio.cli.options import (
    COMPLETING,
    file_option,
    folder_option,
    output_option,
    processes_option,
    tell,
    write,
    write_file,
)
from simio.cli.rowruns import kept_baseline, run_rows
from simio.errors import SimioError
from simio.extras import needs
from simio.version import VERSION

if TYPE_CHECKING or not COMPLETING:
    from simio.report import validation
    from simio.report.console import printed
    from simio.report.validation_data import junit_xml, validation_json
    from simio.report.validation_page import page
    from simio.report.validation_svg import write_plots
    from simio.studies import Library, Row, rows
    from simio.studies.baseline import Baseline
    from simio.studies.own import with_own
    from simio.studies.simulate import collected
    from simio.studies.summary import summaries, verdicts
    from simio.studies.validation import Validation
    from simio.wording import counted

OUTSIDE = 1
"""Exit status if a tolerance is exceeded, a row is not simulated or engines differ."""


@click.command()
@click.argument("studies", nargs=-1, metavar="[STUDY]...")
@click.option("--rows", "all_rows", is_flag=True, help="Show every row, not only those of named studies.")
@click.option(
    "--engine",
    type=click.Choice(["compiled", "simpy", "both"]),
    default="compiled",
    help="Engine: compiled (the default), the SimPy reference, or both, compared.",
)
@processes_option
@click.option(
    "--cross-validate",
    metavar="HOW",
    help="Fit without the rows to predict, left out one by one ('each'), by 'table', or in a number of folds.",
)
@click.option("--cover", is_flag=True, help="Show the share of rows inside their 90% interval.")
@click.option(
    "--record", metavar="COMMIT", help="Predict the withheld rows, and record the predictions under this commit."
)
@click.option("--blind", is_flag=True, help="Show the recorded predictions of withheld rows beside those of today.")
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Show the differences from this baseline.")
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Write the simulated values as the new baseline; with --cover, the evidence for the intervals.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@file_option("--html", help="Write a page with plots to FILE.")
@file_option("--junit", help="Write the tables as JUnit XML, for CI, to FILE.")
@folder_option("--plots", help="Write a plot for each table, and one for all, to DIR, as SVG.")
@output_option()
def validate(
    studies: tuple[str, ...],
    all_rows: bool,
    engine: str,
    processes: int | None,
    cross_validate: str | None,
    cover: bool,
    record: str | None,
    blind: bool,
    baseline: str | None,
    update_baseline: bool,
    as_json: bool,
    html: str | None,
    junit: str | None,
    plots: str | None,
    output: str | None,
) -> None:
    """Simulate the measured rows and print the errors.

    A STUDY is a published document (sgi-hippi), one of its tables (sgi-hippi/table-1), a table of your own
    (./mine.yaml), or a folder of them (./measurements). The default is all published documents. The exit status is 1
    if a table is outside its tolerance.

    \b
    simio validate                           a line for every table
    simio validate sgi-hippi/table-2         every row of one table
    simio validate --html page.html          plots of simulated against measured values
    simio validate --cross-validate each     errors of rows that took no part in the fit
    simio validate --cover                   share of rows inside the intervals of 'simio run --interval'
    simio validate --blind                   errors of predictions that were made before anyone saw the rows
    """
    if cover:
        _refuse_beside("--cover", ("studies", "cover", "update_baseline", "as_json", "output"))
        write(output, cover_text(studies, update_baseline, as_json, to_file=output is not None))
        return
    if cross_validate is not None:
        needs("scipy", "--cross-validate")
        _refuse_beside("--cross-validate", ("studies", "cross_validate", "as_json", "output"))
        text, complete = cross_validation_text(studies, cross_validate, as_json, to_file=output is not None)
        write(output, text)
        if not complete:
            sys.exit(INTERRUPTED)
        return
    if record is not None:
        _refuse_beside("--record", ("studies", "record", "output"))
        write(output, record_text(studies, record))
        return
    if blind:
        _refuse_beside("--blind", ("blind", "as_json", "output", "processes"))
        write(output, blind_text(as_json, processes, to_file=output is not None))
        return
    library, named = with_own(studies)
    wanted = rows(named, library)
    if update_baseline and library.own and baseline is None:
        raise SimioError("--update-baseline: found tables of your own; expected --baseline FILE to keep them in")
    kept_in = Path(baseline) if baseline else library.tables / "baseline.json"
    kept = kept_baseline(kept_in, needed=baseline is not None and not update_baseline)
    found = _validated(wanted, library, kept, engine, processes, str(kept_in))
    detailed = library.names if all_rows else library.chosen(named) if named else ()
    write(output, _text(found, detailed, as_json, to_file=output is not None))
    _files(found, html, junit, plots, whole=not studies)
    if update_baseline and found.complete:
        _update(found, kept, kept_in)
    if not found.complete:
        sys.exit(INTERRUPTED)
    if found.failures:
        sys.exit(OUTSIDE)


def _refuse_beside(chosen: str, fitting: Sequence[str]) -> None:
    """Raise UsageError for arguments and options that do not fit beside the one that was `chosen`."""
    context = click.get_current_context()
    params = {str(param.name): param for param in context.command.params}
    used = [
        _typed(params[name])
        for name in params
        if name not in fitting and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if used:
        others = [typed for name in fitting if (typed := _typed(params[name])) != chosen]
        from simio.wording import listed

        raise click.UsageError(f"{', '.join(used)} cannot be used with {chosen}; only {listed(others)} can")


def _typed(param: click.Parameter) -> str:
    """An argument or option, as the help of the command shows it."""
    return param.human_readable_name.strip("[].") if isinstance(param, click.Argument) else param.opts[0]


def _validated(
    rows: list[Row], library: Library, kept: Baseline, engine: str, processes: int | None, baseline: str
) -> Validation:
    """Run the cases of the rows; an interrupt keeps those that are done."""
    done, complete = run_rows(rows, library, kept, engine, processes)
    simulated = collected(rows, done)
    tables = summaries(rows, simulated, library)
    known = bool(kept.tables)
    # The baseline of simio knows nothing of a table of the user's own.
    kept_rows = [each for each in simulated if each.row.table not in library.own or each.row.table in kept.tables]
    return Validation(
        tables=tuple(tables),
        verdicts=tuple(verdicts(tables, library)),
        engine=engine,
        version=VERSION,
        baseline=baseline if known else "",
        changes=tuple(kept.changes(kept_rows)) if known else (),
        gone=tuple(kept.gone(rows)) if known else (),
        complete=complete,
    )


def _text(found: Validation, detailed: Sequence[str], as_json: bool, to_file: bool) -> str:
    if as_json:
        return validation_json(found)
    return printed(partial(validation.show, found=found, detailed=detailed), to_file)


def _files(found: Validation, html: str | None, junit: str | None, plots: str | None, whole: bool) -> None:
    if html:
        write_file(html, page(found))
    if junit:
        write_file(junit, junit_xml(found))
    if plots:
        write_plots(found, plots, whole)


def _update(found: Validation, kept: Baseline, path: Path) -> None:
    if any(row.fault for row in found.rows):
        raise SimioError("the baseline stays as it is: not all rows were simulated")
    kept.updated(found.rows).write(path)
    tell(f"kept {counted(len(found.rows), 'row')} in {path}")
