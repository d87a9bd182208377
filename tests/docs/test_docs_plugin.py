"""The plug-in that docs/extending.md shows, installed as pip would: what it computes, by hand and on both engines."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from docs_pages import ROOT, Place, blocks

pytestmark = pytest.mark.slow

DOCUMENT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder with the files of docs/extending.md, and the plug-in installed."""
    made = Place(tmp_path)
    for block in blocks(DOCUMENT):
        if block.mark == "file":
            made.write(block.argument, block.text)
    return made


def run(place: Place, arguments: str) -> dict:
    """The result of `simio run --json`."""
    return json.loads(place.run(f"simio run --json {arguments}"))


def test_both_engines_run_the_new_kind_alike(place: Place) -> None:
    compiled = place.run("simio run --json frames.yaml")
    assert compiled == place.run("simio run --json frames.yaml --engine simpy")
    assert json.loads(compiled)["cases"][0]["status"] == "done"


def test_a_frame_takes_what_its_datasheets_say(place: Place) -> None:
    # The sender alone limits: call 0.5 us and driver 10 us at 700 MHz on 733 MHz, DMA of 1500 B at 200 MB/s,
    # and 1508 B on a line of 1.28 Gbit/s, one after another.
    scale = Fraction(700, 733)
    frame = scale * (Fraction("0.5") + 10) + Fraction(1500, 200) + Fraction(1508, 160)
    (case,) = run(place, "frames.yaml")["cases"]
    assert case["throughput"] == pytest.approx(float(1500 / frame), rel=1e-6)


def test_a_full_card_makes_frames_wait(place: Place) -> None:
    slow = "--set hosts.right.adapters.myri.frame_cost='100 us' --set hosts.right.adapters.myri.buffer='3000 B'"
    (case,) = run(place, f"frames.yaml {slow}")["cases"]
    arrived = next(c for c in case["containers"] if c["name"] == "right arrived")
    assert arrived["highest"] == 3000
    assert case["limiter"]["name"] == "frames: receiver on right"


def test_the_pace_keeps_the_backlog_near_its_limit(place: Place) -> None:
    (case,) = run(place, "paced.yaml")["cases"]
    arrived = next(c for c in case["containers"] if c["name"] == "right arrived")
    # A frame is permitted while the backlog is below the limit; those under way add a few more.
    assert 6000 <= arrived["highest"] <= 12000
    assert case["throughput"] <= case["bound"]


def test_a_python_process_does_not_run_on_the_compiled_engine(place: Place) -> None:
    told = place.run("simio run paced.yaml --engine compiled; echo $?")
    assert "paced: pace" in told
    assert told.endswith("\n2\n")


def test_packets_of_an_own_protocol_share_a_link_and_the_rest_is_dropped(place: Place) -> None:
    (case,) = run(place, "probe.yaml")["cases"]
    assert run(place, "probe.yaml --engine simpy")["cases"] == [case]
    # In Mbit/s: 1500 of 1538 bytes of the link are packets, and it is not full at the beginning.
    assert 0.95 < case["throughput"] / (1000 * 1500 / 1538) < 1
    assert case["throughput"] <= case["bound"]
    (dropped,) = (each for each in case["observations"] if each["name"] == "switch dropped")
    assert dropped["least"] == dropped["most"] == 1500


def test_a_kind_of_fault_holds_the_processor_for_its_time(place: Place) -> None:
    (case,) = run(place, "offline.yaml")["cases"]
    assert run(place, "offline.yaml --engine simpy")["cases"] == [case]
    (still,) = run(place, "offline.yaml --set faults.repair.at='1 s'")["cases"]
    # The sender waits for its processor, but for what it had begun before.
    assert 0 <= 10**9 - (case["end"] - still["end"]) < 30 * 10**6


def test_a_kind_of_fault_is_checked_like_the_others(place: Place) -> None:
    told = place.run("simio run offline.yaml --set faults.repair.of=link1")
    assert "faults.repair.of: found the link 'link1'; expected a host" in told


def test_a_machine_of_the_plug_in_runs_on_both_engines(place: Place) -> None:
    (case,) = run(place, "shaped.yaml")["cases"]
    assert run(place, "shaped.yaml --engine simpy")["cases"] == [case]
    # The bucket lets ten frames go at once, whose sender needs less than 100 us each; then it has the say.
    assert case["throughput"] == pytest.approx(1500 / 100, rel=0.01)
    assert "shaped: bucket" in place.run("simio show --program shaped.yaml")


def test_without_the_plug_in_its_kinds_are_unknown(place: Place) -> None:
    told = place.run(f"PYTHONPATH={ROOT} simio run frames.yaml")
    assert "'myrinet'" in told
    assert "'frames'" in told


def test_the_schema_knows_the_new_kinds(place: Place) -> None:
    schema = json.loads(place.run("simio schema"))
    assert {"frames", "paced", "blast", "reader"} <= set(schema["properties"]["workload"]["properties"])
