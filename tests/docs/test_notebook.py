"""The example notebook: its cells run, and give what stands in it."""

from __future__ import annotations

import notebook_cells as cells
import pytest

pytestmark = pytest.mark.slow


def test_the_notebook_gives_what_stands_in_it():
    pytest.importorskip("pandas")
    notebook = cells.read()
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = cells.run(notebook)
    assert [cells.words(outputs) for outputs in found] == [cells.words(outputs) for outputs in stored]


def test_the_notebook_has_the_form_of_one():
    notebook = cells.read()
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        assert ("outputs" in cell) == (cell["cell_type"] == "code")
