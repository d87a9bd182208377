"""simio calibrate, simio sensitivity and their options, as a user calls them."""

from __future__ import annotations

import json
import math
from pathlib import Path

from click.testing import CliRunner

from simio.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
RAW = str(SCENARIOS / "sgi-hippi-raw.yaml")


def run(*arguments: str):
    return CliRunner().invoke(main, arguments)


def test_all_unknown_studies_are_told_and_nothing_is_fitted():
    done = run("calibrate", "sgi-hippi/tabel-1", "nowhere")
    assert done.exit_code == 2
    assert "no study 'sgi-hippi/tabel-1'; did you mean 'sgi-hippi/table-1'?" in done.output
    assert "no study 'nowhere'" in done.output


def test_too_few_rows_are_refused_with_the_rule_and_a_way_out():
    done = run("calibrate", "slac-gige/datamove8", "--dry-run")
    assert done.exit_code == 2
    assert "5 rows of 5 independent runs for 2 values " in done.output
    assert "expected at least 4 rows a value, 8 here" in done.output
    assert "slac-gige/hosts" in done.output
    assert "slac-gige/tersk03" in done.output


def test_an_interrupt_tells_the_best_so_far_and_writes_nothing(monkeypatch):
    from simio.calibration import model

    calls = []
    simulated = model.Model.simulated

    def interrupted(self, texts, rows):
        calls.append(texts)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return simulated(self, texts, rows)

    monkeypatch.setattr(model.Model, "simulated", interrupted)
    sheet = Path(__file__).parents[2] / "models" / "adapters" / "iris-hippi.yaml"
    before = sheet.read_bytes()
    done = run("calibrate", "sgi-hippi/table-1")
    assert done.exit_code == 130
    assert "interrupted after 1 simulation of all rows; nothing was written. Best so far: " in done.output
    assert "adapters/iris-hippi.receive_cost = 554 us" in done.output
    assert sheet.read_bytes() == before


def test_sensitivity_ranks_and_tells_what_has_no_effect():
    data = json.loads(run("sensitivity", RAW, "--case", "27", "--json").output)
    ranked = {each["name"]: each for each in data["values"]}
    # Two MiB by two processes, where the cable limits: its clock is nearly the answer, and a page costs something.
    assert 0.7 < ranked["links/hippi-800.clock"]["elasticity"] < 1.05
    assert ranked["kernels/irix-5.2.page_pin"]["high"] < 0 < ranked["kernels/irix-5.2.page_pin"]["low"]
    assert ranked["adapters/iris-hippi.receive_cost"]["elasticity"] < 0
    assert ranked["adapters/iris-hippi.ip_packet_time"]["elasticity"] == 0
    sizes = [
        max(abs(each["elasticity"] or 0) * math.log(1.1), abs(each["low"] or 0), abs(each["high"] or 0))
        for each in data["values"]
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0.05
    assert sizes[-1] == 0


def test_a_value_that_the_scenario_gives_is_none_of_the_catalogue():
    sets = ("--set", "hosts.onyx.adapters.hippi.receive_dma=125 MB/s", "--set",
            "hosts.challenge.adapters.hippi.receive_dma=125 MB/s")  # fmt: skip
    data = json.loads(run("sensitivity", RAW, "--case", "27", "--json", *sets).output)
    assert "adapters/iris-hippi.receive_dma" not in {each["name"] for each in data["values"]}


def test_a_value_is_moved_as_far_as_the_parts_accept_it(tmp_path):
    path = tmp_path / "requests.yaml"
    path.write_text(
        "title: Requests\n"
        "hosts: {a: {model: hosts/sun-e450-400}, b: {like: a}}\n"
        "links: [{model: links/ethernet-1000, between: [a.ge, b.ge], length: 20 m}]\n"
        "workload: {requests: {from: a, to: b, request: 100 B, response: 8 KiB, count: 20}}\n"
    )
    data = json.loads(run("sensitivity", str(path), "--json").output)
    (delay,) = [each for each in data["values"] if each["name"].endswith(".coalesce_delay")]
    # Its interval begins at 0, which no timer can have.
    assert delay["low"] is not None
    assert 0 < delay["at"][0] < delay["at"][1]
    assert "as far as the parts accept it" in run("sensitivity", str(path)).output


ARRIVING = """
title: Blocks at a rate
hosts: {server: {model: hosts/linux-2002-dual-p3}}
disks: {d: {model: disks/fc-15k-2002}}
links: [{model: links/fc-2g, between: [server.fc, d], length: 10 m}]
workload:
  reader:
    {host: server, from: d, access: raw, block: 4 KiB, size: 1 GiB, pattern: random, arrivals: {rate: 20 /s}}
run: {until: 5 s, warm_up: 0 s, replications: 1}
"""


def test_values_are_ranked_by_a_time_where_throughput_is_what_arrives(tmp_path):
    path = tmp_path / "offered.yaml"
    path.write_text(ARRIVING)
    told = run("sensitivity", str(path)).output
    assert "a tenth more of any value moves throughput by less than 1%; " in told
    assert "--measure 'mean of reader: block (s)' ranks them by a time" in " ".join(told.split())
    of = ("--measure", "mean of reader: block (s)")
    data = json.loads(run("sensitivity", str(path), *of, "--json").output)
    ranked = {each["name"]: each for each in data["values"]}
    # A seek of 3.6 ms, half a turn of 4 ms and a command: a tenth of the seek is most of what one value does.
    assert 0.005 < data["answer"] < 0.008
    assert 0.2 < ranked["disks/fc-15k-2002.seek_average"]["elasticity"] < 0.6
    assert ranked["disks/fc-15k-2002.rotation"]["elasticity"] < 0
    shown = run("sensitivity", str(path), *of).output
    assert "\nmean of reader: block 6." in shown
    assert "mean of reader: block over it" in shown


def test_a_measure_that_there_is_not_is_told_with_those_that_there_are():
    told = run("sensitivity", RAW, "--case", "27", "--measure", "troughput")
    assert told.exit_code == 2
    assert "found no measure 'troughput'; did you mean 'throughput'?" in told.output
    told = run("sensitivity", RAW, "--case", "27", "--measure", "speed")
    assert "expected one of throughput, " in told.output
    assert "or utilisation of a part" in told.output


def test_a_measure_named_as_in_a_promise_is_told_with_those_of_its_workload(tmp_path):
    path = tmp_path / "offered.yaml"
    path.write_text(ARRIVING)
    told = run("sensitivity", str(path), "--measure", "p99 of reader").output
    assert "found no measure 'p99 of reader'; did you mean '99% of reader: block (s)'?" in told
    assert "99% of reader: block (s)" in told
    assert "busy" not in told


def test_an_interrupted_ranking_shows_the_values_that_were_varied(monkeypatch):
    varied: list[object] = []

    def some(tasks, do):
        varied.extend(tasks[0].share)
        yield tasks[0], do(None, tasks[0])
        raise KeyboardInterrupt

    monkeypatch.setattr("simio.calibration.effects.run_many", some)
    done = run("sensitivity", RAW, "--case", "27", "--json")
    assert done.exit_code == 130
    values = json.loads(done.stdout)["values"]
    assert len(values) == len(varied) > 1
    assert "interrupted: " in done.stderr


def test_a_case_that_there_is_not_is_refused():
    done = run("sensitivity", RAW, "--case", "99")
    assert done.exit_code == 2
    assert "--case: found 99" in done.output


def test_cross_validation_refuses_what_is_no_way():
    done = run("validate", "--cross-validate", "some")
    assert done.exit_code == 2
    assert "expected each, table, or a number" in done.output
