"""Evidence that validate shows in place of errors: cross-validation, cover of intervals, blind predictions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from simio.cli.options import COMPLETING, tell
from simio.cli.progress import Line, Progress
from simio.cli.rowruns import kept_baseline, run_rows

if TYPE_CHECKING or not COMPLETING:
    from simio.calibration.cover import as_data, covers, renewed
    from simio.calibration.crossval import check_folds
    from simio.calibration.freeze import cases_of, frozen, held_rows
    from simio.calibration.groups import Group, cross_validated
    from simio.calibration.modelerror import all_evidence, evidence_file
    from simio.report import blind as blind_report
    from simio.report import cover as cover_report
    from simio.report import crossval
    from simio.report.console import printed
    from simio.studies import Library, rows
    from simio.studies.blind import blind_tests, records
    from simio.studies.simulate import collected
    from simio.wording import counted


def cover_text(studies: Sequence[str], update: bool, as_json: bool, to_file: bool) -> str:
    """The share of rows inside their interval; the evidence is written if `update`."""
    if update:
        evidence = renewed(studies, Library(), lambda name: tell(f"{name} ..."))
        evidence_file().write_text(json.dumps(as_data(evidence), indent=0) + "\n")
        all_evidence.cache_clear()
        tell(f"kept {counted(len(evidence), 'row')} in {evidence_file()}")
    found = covers(studies)
    if as_json:
        return cover_report.cover_json(found)
    return printed(partial(cover_report.show, found=found), to_file)


def record_text(studies: Sequence[str], commit: str) -> str:
    """The predictions of withheld rows, as a record of a commit."""
    library = Library()
    held = held_rows(studies, library)
    total = sum(len(cases_of(each)) for each in held.values())
    with Progress(total) as progress:

        def step(scenario: str, cases: int) -> None:
            if not cases:
                progress.clear()
                tell(f"{progress.done} of {total} cases; {scenario} ...")
            for _ in range(cases):
                progress.step()

        return frozen(held, library, commit, step)


def blind_text(as_json: bool, processes: int | None, to_file: bool) -> str:
    """The blind predictions as a table or JSON, beside measured and simulated values."""
    library = Library()
    kept = records(library)
    wanted = {(each.table.partition("/")[0], each.case) for record in kept for each in record.rows}
    published = rows(list(dict.fromkeys(study for study, _ in wanted)), library)
    # By row, as a run may have become longer since its prediction, and then has another name.
    predicted = {id(each.of) for test in blind_tests(kept, published, {}) for each in test.rows}
    chosen = [row for row in published if id(row) in predicted]
    steps = kept_baseline(library.tables / "baseline.json", needed=False)
    done, _ = run_rows(chosen, library, steps, "compiled", processes)
    now = {f"{each.row.table}: {each.row.name}": each.value for each in collected(chosen, done)}
    tests = blind_tests(kept, published, now)
    return blind_report.blind_json(tests) if as_json else printed(partial(blind_report.show, found=tests), to_file)


def cross_validation_text(studies: Sequence[str], how: str, as_json: bool, to_file: bool) -> tuple[str, bool]:
    """The errors of rows that are left out of the fit, beside those of rows in it; False if interrupted.

    Raises KeyboardInterrupt before any group is done.
    """
    check_folds(how)
    groups: list[Group] = []
    line = Line()
    simulated = count(1)

    def step() -> None:
        done = f"{counted(next(simulated), 'run')} of cases; {counted(len(groups), 'group')} of studies done"
        line.show(f"{done} (Ctrl-C keeps what is done)")

    complete = True
    try:
        for group in cross_validated(studies, how, progress=step):
            groups.append(group)
            line.clear()
            tell(f"{', '.join(group.studies)}: done")
    except KeyboardInterrupt:
        line.clear()
        if not groups:
            raise
        complete = False
        tell(f"interrupted: {counted(len(groups), 'group')} of studies done, and shown")
    text = crossval.crossval_json(groups) if as_json else printed(partial(crossval.show, groups=groups), to_file)
    return text, complete
