"""An explanation of a case of more steps than it runs: what the first of them show, and how far they go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import CUT_OFF, main
from simio.explaining import causal

SCENARIO = """
title: Reads without end
hosts:
  server: {model: hosts/linux-2002-dual-p3}
disks:
  d: {model: disks/fc-15k-2002}
switches:
  fabric: {model: switches/fc-2g}
links:
  - {model: links/fc-2g, between: [server.fc, fabric], length: 10 m}
  - {model: links/fc-2g, between: [fabric, d], length: 10 m}
workload: {reader: {host: server, from: d, access: raw, block: 64 KiB, size: 10 GiB}}
"""


def explained(tmp_path: Path, *options: str) -> Result:
    path = tmp_path / "s.yaml"
    path.write_text(SCENARIO)
    return CliRunner().invoke(main, ["explain", str(path), *options])


def test_a_spent_budget_leaves_an_explanation_of_the_time_until_then(tmp_path: Path) -> None:
    done = explained(tmp_path, "--set", "run.step_budget=60000")
    assert done.exit_code == CUT_OFF, done.output
    _, first, _, answer, *rest = done.stdout.splitlines()
    assert first.startswith("cut off at ")
    assert first.endswith("the step budget of 60,000 is spent; raise run.step_budget for more")
    assert float(answer.split()[0]) > 0
    assert any(line.startswith("gained by a component") for line in rest)
    assert any(line.startswith("time of 64 KiB") for line in rest)
    data = json.loads(explained(tmp_path, "--set", "run.step_budget=60000", "--json").stdout)
    assert data["profile"]["cut_off"] == first


def test_a_larger_budget_is_not_run_for_an_explanation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal, "DEFAULT_BUDGET", 60_000)
    done = explained(tmp_path, "--set", "run.step_budget=1000000000")
    assert done.exit_code == CUT_OFF, done.output
    first = done.stdout.splitlines()[1]
    assert first.startswith("explained are the first ")
    assert first.endswith(" simulated: more than 60,000 steps are not run for it")
