"""Names of ready scenarios as a user types them."""

from __future__ import annotations

import pytest

from simio.errors import ScenarioError
from simio.loading import load
from simio.loading.ready import located


@pytest.mark.parametrize("text", ["a" * 300, "no\0such", "..", ""])
def test_a_text_that_names_no_ready_scenario_is_left_as_it_is(text: str) -> None:
    assert located(text) == text


@pytest.mark.parametrize("text", ["linux-fc-raw", "linux-fc-raw.yaml", "scenarios/linux-fc-raw.yaml"])
def test_a_ready_scenario_is_found_by_name_from_any_folder(text: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert located(text).endswith("scenarios/linux-fc-raw.yaml")
    assert located(text) != text


@pytest.mark.parametrize("text", ["linux-fc-raw", "linux-fc-raw.yaml", "scenarios/linux-fc-raw.yaml"])
def test_a_reader_of_files_alone_tells_the_file_of_a_ready_scenario(text: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScenarioError) as caught:
        load(text)
    assert str(caught.value).endswith(f"did you mean '{located(text)}'?")
    assert located(text) != text
