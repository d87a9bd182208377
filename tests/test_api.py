"""simio from Python: sweeps as frames, and what results and bounds show of themselves."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

import pytest

import simio
from simio.errors import SimioError

HIPPI = Path(__file__).parents[1] / "scenarios" / "sgi-hippi-raw.yaml"
ONE = ["workload.blast.packets=2", "workload.blast.sink=true", "workload.blast.processes=2"]
SIZE = "workload.blast.size"
HOSTILE = """
title: <script>alert(1)</script> & "more"
hosts: {a: {model: hosts/sgi-challenge-l}, b: {like: a}}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi]}]
workload: {blast: {from: a, to: b, size: 4 KiB, packets: 3}}
"""


@pytest.fixture(autouse=True)
def _own_results(tmp_path, monkeypatch):
    """No test finds results of another."""
    monkeypatch.setattr("simio.sweeps.cache._folder", lambda: tmp_path / "results")


def test_a_sweep_is_a_frame_with_a_row_a_configuration():
    pytest.importorskip("pandas")
    study = simio.load(HIPPI, ONE)
    told = []
    frame = study.sweep(
        {SIZE: ["4 KiB", "64 KiB"], "workload.blast.packets": [2, 0]}, progress=lambda *n: told.append(n)
    )
    assert list(frame.index) == [1, 2, 3, 4]
    assert list(frame[SIZE]) == ["4 KiB", "4 KiB", "64 KiB", "64 KiB"]
    assert told[-1] == (4, 4)
    # The rows of no packets say why, and have no throughput.
    assert frame["throughput (MB/s)"].isna().tolist() == [False, True, False, True]
    assert "packets" in frame["error"][2]
    alone = simio.load(HIPPI, [*ONE, f"{SIZE}=64 KiB"]).run().cases[0]
    assert frame["throughput (MB/s)"][3] == pytest.approx(float(alone.rate) / 1e6, rel=1e-5)


def test_values_may_be_written_as_on_the_command_line():
    pytest.importorskip("pandas")
    study = simio.load(HIPPI, ONE)
    frame = study.sweep({SIZE: "4KiB..16KiB:x2"}, measures=["utilisation of onyx.cpu"])
    assert list(frame[SIZE]) == ["4 KiB", "8 KiB", "16 KiB"]
    assert frame["utilisation of onyx.cpu"].between(0, 1, inclusive="neither").all()
    sampled = study.sweep({SIZE: "4KiB..1MiB:log"}, sample=4, seed=2)
    assert sampled[SIZE].nunique() == 4
    with pytest.raises(SimioError, match="without a step"):
        study.sweep({SIZE: "4KiB..1MiB"})


def test_results_and_bounds_show_themselves():
    study = simio.load(HIPPI, [*ONE, f"{SIZE}=64 KiB"])
    result, bound = study.run()._repr_html_(), study.bound()._repr_html_()
    assert "Raw HIPPI between two SGI hosts" in result
    assert "█" in result
    # The picture is an image, so that its style is not that of the notebook.
    (picture,) = re.findall(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]+)">', result)
    assert "utilisation, %" in b64decode(picture).decode()
    assert "at most" in bound
    assert "blast: sink on onyx" in bound


def test_at_the_prompt_a_result_is_its_answer_and_not_its_data():
    study = simio.load(HIPPI, [*ONE, f"{SIZE}=64 KiB"])
    result, bound = repr(study.run()), repr(study.bound())
    assert result.startswith("Raw HIPPI between two SGI hosts")
    assert len(result.splitlines()) < 60
    assert "at most" in bound


def test_a_study_explains_itself_and_says_what_sets_another_apart():
    small, large = (simio.load(HIPPI, [*ONE, f"{SIZE}={size}"]) for size in ("4 KiB", "64 KiB"))
    found = small.explain()
    assert found.profile.rows[0].component.name in repr(found)
    assert found.waterfall.named in repr(found)
    assert "<pre" in found._repr_html_()
    contrast = small.compare(large)
    gained = large.run(cases=[0]).cases[0].rate - small.run(cases=[0]).cases[0].rate
    assert contrast.whole == pytest.approx(float(gained))
    assert f"{SIZE}: 4 KiB -> 64 KiB" in repr(contrast)


def test_what_a_scenario_says_is_no_markup(tmp_path):
    path = tmp_path / "hostile.yaml"
    path.write_text(HOSTILE)
    study = simio.load(path)
    for shown in (study.run()._repr_html_(), study.bound()._repr_html_()):
        tags = set(re.findall(r"</?([a-z]+)", shown))
        assert tags <= {"pre", "span", "img"}
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in shown
