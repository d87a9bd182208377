"""`simio schema`: JSON on the screen or in a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

from click.testing import CliRunner

from simio.cli.main import main
from simio.loading.schema import scenario_schema


def test_the_schema_is_printed_or_written(tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, ["schema"])
    assert json.loads(printed.stdout) == scenario_schema()
    path = tmp_path / "schema.json"
    done = CliRunner().invoke(main, ["schema", "--output", str(path)])
    assert (done.exit_code, done.output) == (0, "")
    assert path.read_text(encoding="utf-8") == printed.stdout
    assert os.listdir(tmp_path) == ["schema.json"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["schema", "-o", str(tmp_path / "none" / "schema.json")])
    assert done.exit_code == 2
    assert "cannot write" in done.stderr
    assert "no folder" in done.stderr


def test_weights_of_classes_are_one_number_or_up_to_eight() -> None:
    weights = scenario_schema()["properties"]["links"]["items"]["properties"]["weights"]
    listed, single = weights["anyOf"]
    assert (listed["type"], listed["maxItems"], single["type"]) == ("array", 8, "integer")
    assert "maxLength" not in json.dumps(weights)
