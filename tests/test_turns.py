"""The benchmark that sets two versions against each other: what it calls a loss."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import measures as scripts  # noqa: E402
import turns  # noqa: E402
from turns import FILE, ROOT, Measure, OutOfTimeError, Tree, is_asked, losses, table, version_before  # noqa: E402

RUN, SWEEP, NEW = Measure("run"), Measure("sweep"), Measure("new")


def test_a_loss_is_of_the_median_round_and_more_than_allowed() -> None:
    """A round of the earlier version on a processor in a fast phase is not what the other is measured by."""
    before = Tree("before", Path(), {"run": [1.0, 1.0, 0.5], "sweep": [1.0, 2.0, 1.0]})
    now = Tree("now", Path(), {"run": [1.14, 0.9, 1.0], "sweep": [1.25, 2.0, 1.2], "new": [5.0]})
    trees, measures = [before, now], [RUN, SWEEP, NEW]
    assert losses(trees, measures, 0.15) == ["sweep"]
    assert losses(trees, measures, None) == []
    assert table(trees, measures).splitlines()[2:] == [
        "| run | 0.5 | 0.9 | 0.88 |",
        "| sweep | 1 | 1.2 | 0.83 |",
        "| new | missing | 5 |  |",
    ]


def test_a_loss_by_the_median_or_the_least_alone_is_measured_again_and_is_none() -> None:
    slow_phase = [Tree("before", Path(), {"run": [0.7, 0.9, 0.7]}), Tree("now", Path(), {"run": [0.9, 0.74, 0.85]})]
    fast_phase = [Tree("before", Path(), {"run": [0.5, 0.9, 0.9]}), Tree("now", Path(), {"run": [0.9, 0.9, 0.9]})]
    for trees in (slow_phase, fast_phase):
        assert losses(trees, [RUN], 0.15) == []
        assert losses(trees, [RUN], 0.15, surely=False) == ["run"]


def test_versions_take_turns_at_being_first(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []
    monkeypatch.setattr(Tree, "measure", lambda tree, one, work: order.append(tree.name))
    turns.compare([Tree("before", Path()), Tree("now", Path())], [RUN], Path(), 3, None)
    assert order == ["before", "now", "now", "before", "before", "now"]


def test_what_fails_now_is_lost() -> None:
    trees = [Tree("before", Path(), {"run": [1.0, 1.0]}), Tree("now", Path())]
    assert losses(trees, [RUN], 0.15) == ["run"]


def test_what_fails_has_no_figure_and_its_error_is_told(tmp_path: Path) -> None:
    tree = Tree("before", tmp_path)
    tree.measure(Measure("broken", (FILE + "a.yaml",), "import sys; print(0.1); sys.exit(sys.argv[1])"), tmp_path)
    assert tree.seconds == {}
    assert table([tree, tree], [Measure("broken")]).splitlines()[2::4] == [
        "| broken | missing | missing |  |",
        f"- before: broken: {tmp_path / 'a.yaml'}",
    ]


def test_a_sweep_whose_runs_fail_has_no_figure(tmp_path: Path) -> None:
    tree = Tree("now", ROOT)
    tree.measure(Measure("sweep", ("no-such-file.yaml",), scripts.SWEEP), tmp_path)
    assert tree.seconds == {}
    assert "no-such-file.yaml" in tree.errors["sweep"]


def test_only_what_is_asked_for_is_measured() -> None:
    tandem, hosts = Measure("tandem: engine"), Measure("1000 hosts: engine")
    assert [is_asked(tandem, asked) for asked in (None, ["engine"], ["hosts", "tan"], ["hosts"])] == [
        True, True, True, False,
    ]  # fmt: skip
    assert is_asked(hosts, ["hosts"])


@pytest.mark.parametrize(("long", "runs"), [((False, True), "a"), ((True, True), "ab")])
def test_only_long_measures_are_run_once_before_if_there_are_no_others(
    tmp_path: Path, long: tuple[bool, bool], runs: str
) -> None:
    note = "import sys; open('notes', 'a').write(sys.argv[1]); print(0.1)"
    both = [Measure(name, (name,), note, long=each) for name, each in zip("ab", long, strict=True)]
    tree = Tree("now", tmp_path)
    turns.prepare([tree], both, tmp_path)
    assert (tmp_path / "notes").read_text() == runs
    assert tree.seconds == {}


def test_what_had_no_time_yet_is_not_lost() -> None:
    trees = [Tree("before", Path(), {"run": [1.0]}), Tree("now", Path())]
    assert losses(trees, [RUN], 0.15) == []


def test_a_process_ends_with_the_seconds_that_are_left(tmp_path: Path) -> None:
    tree = Tree("now", Path(), most=0.5)
    with pytest.raises(OutOfTimeError):
        tree.measure(Measure("endless", script="while True: pass"), tmp_path)
    with pytest.raises(OutOfTimeError):
        tree.measure(Measure("short", script="print(0)"), tmp_path)
    assert tree.seconds == {}


def test_the_version_before_is_half_a_day_older(tmp_path: Path) -> None:
    def git(*words: str, day: str = "2026-01-05T12:00:00Z") -> str:
        dates = {**os.environ, "GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day}
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(
            ["git", *who, *words], cwd=tmp_path, env=dates, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    assert version_before(tmp_path) == ""
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "older", day="2026-01-04T12:00:00Z")
    assert version_before(tmp_path) == ""
    git("commit", "-q", "--allow-empty", "-m", "yesterday's last", day="2026-01-04T23:59:00Z")
    yesterday = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", "today's first", day="2026-01-05T10:00:00Z")
    git("commit", "-q", "--allow-empty", "-m", "today's second")
    assert version_before(tmp_path) == yesterday[:8]


def test_a_clone_without_history_compares_with_nothing(tmp_path: Path) -> None:
    assert not turns._extract("", tmp_path)
    assert not turns._extract("no-such-revision", tmp_path)
