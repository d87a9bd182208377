"""Questions to a folder of scenarios, without a page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from simio.errors import ScenarioError, SimioError
from simio.explore import session as sessions
from simio.explore.knobs import UNSET, _about
from simio.explore.session import Session
from simio.loading import load
from simio.running import run_case

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("sgi-hippi-raw", "linux-fc-raw", "ftp-overlapped", "random-reads"):
        shutil.copy(SCENARIOS / f"{name}.yaml", tmp_path)
    return tmp_path


def test_what_varies_and_what_workloads_say_can_be_changed(folder: Path) -> None:
    found = {knob.key: knob for knob in Session(str(folder)).open("linux-fc-raw").knobs}
    # A count has all values from the least to the largest that the file names.
    assert found["disks.d.count"].values == tuple("12345678")
    assert found["disks.d.count"].values[found["disks.d.count"].start] == "8"
    assert found["workload.reader.access"].values == ("raw", "direct")
    assert found["workload.reader.pattern"].values == ("sequential", "strided", "random")
    block = found["workload.reader.block"]
    assert block.values[block.start] == "4 MiB"
    assert block.values[block.start - 1 : block.start + 2] == ("2 MiB", "4 MiB", "8 MiB")
    # Names of hosts and disks are nothing to slide.
    assert "workload.reader.host" not in found


def test_a_value_has_a_group_a_name_and_what_the_schema_says_of_it(folder: Path) -> None:
    found = {knob.key: knob for knob in Session(str(folder)).open("linux-fc-raw").knobs}
    count, block, access = (
        found[f"{key}"] for key in ("disks.d.count", "workload.reader.block", "workload.reader.access")
    )
    assert (count.group, count.name, count.about) == ("Disks d", "count", "number of alike disks")
    assert (block.group, block.name) == ("Workload reader", "block")
    assert block.about.startswith("bytes a request")
    assert [knob.words for knob in (count, block, access)] == [False, False, True]


def test_values_of_parts_are_described(folder: Path) -> None:
    keys = ("hosts.server.kernel.page_pin", "disks.d.queue_depth", "run.until", "hosts.a.model")
    root = Session(str(folder)).open("linux-fc-raw").source.root
    assert all(_about(root, key) for key in keys)
    assert _about(root, "title") == _about(root, "faults.outage.at") == ""


def test_many_whole_numbers_have_a_curve_of_those_that_the_file_names(folder: Path) -> None:
    text = (folder / "sgi-hippi-raw.yaml").read_text(encoding="utf-8")
    head = text[: text.index("vary:")]
    (folder / "many.yaml").write_text(f"{head}vary: {{workload.blast.processes: [1, 3, 40]}}\n", encoding="utf-8")
    session = Session(str(folder))
    opened = session.open("many")
    (knob,) = [knob for knob in opened.knobs if knob.key == "workload.blast.processes"]
    assert knob.values == tuple(map(str, range(1, 41)))
    result, _ = session.curve(opened, {"workload.blast.packets": "3", knob.key: "7"}, knob.key)
    assert [case.settings[knob.key] for case in result.cases] == ["1", "3", "7", "40"]


def test_it_begins_with_the_scenario_that_the_readme_names_first(folder: Path) -> None:
    session = Session(str(folder))
    assert session.first() == "ftp-overlapped"
    (folder / "README.md").write_text(
        "[gone](gone.yaml), [a](random-reads.yaml), [b](linux-fc-raw.yaml)", encoding="utf-8"
    )
    assert session.first() == "random-reads"


def test_without_a_place_it_begins_with_a_ready_scenario_of_today_and_saves_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session()
    assert session.first() == "nfs-nconnect"
    opened = session.open("random-reads")
    assert session.save(opened, {}, "mine").resolve() == tmp_path / "mine.yaml"
    assert session.open("mine").path.resolve() == tmp_path / "mine.yaml"
    with pytest.raises(SimioError, match="there already"):
        session.save(opened, {}, "linux-fc-raw")


def test_a_scenario_that_is_not_there_is_told_with_a_near_one(folder: Path) -> None:
    with pytest.raises(SimioError, match="did you mean 'linux-fc-raw'"):
        Session(str(folder)).open("linux-fc-row")


def test_the_page_begins_with_the_first_case(folder: Path) -> None:
    session = Session(str(folder))
    for name in session.names():
        opened = session.open(name)
        first = load(folder / f"{name}.yaml").cases[0]
        chosen = session.chosen(opened, {})
        assert {key: chosen[key] for key in first.settings} == first.settings
        others = [knob for knob in opened.knobs if UNSET in knob.values]
        assert all(chosen[knob.key] == UNSET for knob in others if knob.key not in first.settings)


def test_an_answer_is_that_of_the_scenario_with_these_values(folder: Path) -> None:
    session = Session(str(folder))
    opened = session.open("sgi-hippi-raw")
    for case in opened.scenario.cases[:6]:
        found = session.answer(opened, case.settings).result
        alone = run_case(case)
        assert (found.rate, found.hash, found.limiter) == (alone.rate, alone.hash, alone.limiter)


def test_what_was_asked_before_is_not_run_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(str(folder))
    opened = session.open("sgi-hippi-raw")
    first = session.answer(opened, {})
    monkeypatch.setattr(sessions, "run_program", lambda *_: pytest.fail("it was run"))
    assert session.answer(opened, {}) is first
    assert session.answer(opened, {"workload.blast.size": "256 B"}) is first


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"workload.blast.size": "65537 B"}, "expected one of 256 B, 512 B"),
        ({"workload.blast.size": "{a: 1}"}, "expected one of"),
        ({"workload.blast.from": "onyx"}, "nothing called 'workload.blast.from' can be changed"),
    ],
)
def test_only_what_is_offered_can_be_set(folder: Path, values: dict[str, str], said: str) -> None:
    session = Session(str(folder))
    with pytest.raises(SimioError, match=said):
        session.answer(session.open("sgi-hippi-raw"), values)


def test_values_that_do_not_go_together_are_told_as_for_a_file(folder: Path) -> None:
    session = Session(str(folder))
    with pytest.raises(ScenarioError, match=r"workload\.reader\.stride"):
        session.answer(session.open("linux-fc-raw"), {"workload.reader.pattern": "strided"})


@pytest.mark.parametrize("name", ["", "..", "../sgi-hippi-raw", "/etc/passwd", "sgi-hippi-raw.yaml", "none"])
def test_only_files_of_the_folder_can_be_opened(folder: Path, name: str) -> None:
    (folder.parent / "outside.yaml").write_text("title: outside\n")
    for asked in (name, "../outside"):
        with pytest.raises(SimioError, match="no scenario"):
            Session(str(folder)).open(asked)


def test_a_file_that_is_not_there_is_told_with_those_alike(folder: Path) -> None:
    expected = r"sgi-hippi-row\.yaml: found no such file; expected a scenario .*; did you mean 'sgi-hippi-raw'\?"
    with pytest.raises(SimioError, match=expected):
        Session(str(folder / "sgi-hippi-row.yaml"))


def test_a_single_file_is_all_that_there_is(folder: Path) -> None:
    session = Session(str(folder / "sgi-hippi-raw.yaml"))
    assert session.names() == ["sgi-hippi-raw"]
    with pytest.raises(SimioError, match="no scenario 'linux-fc-raw'"):
        session.open("linux-fc-raw")
    session.save(session.open("sgi-hippi-raw"), {}, "mine")
    assert session.names() == ["mine", "sgi-hippi-raw"]


def test_a_long_run_is_cut_off_and_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "RUN_STEPS", 1_500_000)
    session = Session(str(folder))
    found = session.answer(session.open("linux-fc-raw"), {})
    assert "cut off" in found.note
    assert found.result.steps <= 1_500_000
    assert found.result.rate > 0
    # The disks have got going by then, if not more.
    whole = run_case(load(folder / "linux-fc-raw.yaml").cases[0])
    assert found.result.end < whole.end


def test_a_random_scenario_is_run_once(folder: Path) -> None:
    session = Session(str(folder))
    found = session.answer(session.open("random-reads"), {})
    assert len(found.result.seeds) == 1
    assert "random" in found.note


def test_a_curve_has_a_point_for_each_value_and_what_was_measured(folder: Path) -> None:
    session = Session(str(folder))
    opened = session.open("sgi-hippi-raw")
    result, note = session.curve(opened, {}, "workload.blast.size")
    assert note == ""
    table = {case.settings["workload.blast.size"]: case for case in opened.scenario.cases[:28:2]}
    assert [case.settings["workload.blast.size"] for case in result.cases] == list(opened.knobs[0].values)
    for case in result.cases:
        assert case.measured == table[case.settings["workload.blast.size"]].measured
    # With twice the packets it is no longer what was measured.
    result, _ = session.curve(opened, {"workload.blast.packets": "24"}, "workload.blast.size")
    assert not any(case.measured for case in result.cases)


def test_points_that_cannot_be_run_are_left_out_and_told(folder: Path) -> None:
    session = Session(str(folder))
    result, note = session.curve(session.open("linux-fc-raw"), {}, "workload.reader.pattern")
    assert [case.settings["workload.reader.pattern"] for case in result.cases] == ["sequential", "random"]
    assert note.startswith("1 of 3 points are missing")


def test_what_is_saved_runs_as_what_was_shown(folder: Path) -> None:
    session = Session(str(folder))
    opened = session.open("sgi-hippi-raw")
    values = {"workload.blast.size": "32 KiB", "workload.blast.processes": "1"}
    path = session.save(opened, values, "smaller")
    assert path == folder / "smaller.yaml"
    (case,) = load(path).cases
    assert run_case(case).hash == session.answer(opened, values).result.hash


@pytest.mark.parametrize("name", ["", "..", "a/b", "/tmp/x", "a.yaml", "-x", "a b", "a\n", "ü", "x" * 65, "a\0"])
def test_names_that_are_none_are_refused(folder: Path, name: str) -> None:
    session = Session(str(folder))
    before = sorted(folder.iterdir())
    with pytest.raises(SimioError, match="expected a name"):
        session.save(session.open("sgi-hippi-raw"), {}, name)
    assert sorted(folder.iterdir()) == before


def test_no_file_is_replaced(folder: Path) -> None:
    session = Session(str(folder))
    text = (folder / "linux-fc-raw.yaml").read_text()
    (folder / "link.yaml").symlink_to(folder.parent / "elsewhere.yaml")
    for name in ("linux-fc-raw", "link"):
        with pytest.raises(SimioError, match="there already"):
            session.save(session.open("sgi-hippi-raw"), {}, name)
    assert (folder / "linux-fc-raw.yaml").read_text() == text
    assert not (folder.parent / "elsewhere.yaml").exists()


def test_more_can_be_asked_for_by_its_key_path(folder: Path) -> None:
    session = Session(str(folder / "linux-fc-raw.yaml"), ["run.until"])
    opened = session.open("linux-fc-raw")
    knob = opened.knobs[-1]
    assert knob.key == "run.until"
    assert knob.values[knob.start] == "1 s"
    assert session.answer(opened, {"run.until": "62.5 ms"}).result.end == 62_500_000_000
    with pytest.raises(SimioError, match="--knob: found 'run.none'"):
        Session(str(folder / "linux-fc-raw.yaml"), ["run.none"])
