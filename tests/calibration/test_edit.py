"""Datasheets are edited in place: what is not meant stays as it was."""

from __future__ import annotations

import pytest
import yaml

from simio.calibration.edit import aliases, edited, flow, scalar
from simio.errors import SimioError

SHEET = """\
# head
kind: x
values:
  a:   # what it is
    value: 3.6 us    # as it was
    basis: fitted
    # why this study
    source: "one/two"
    interval: [1 us,
               5 us]
    bounds: [0.5 us, 20 us]

  b: {value: 1 us, basis: fitted, source: one/two, interval: [1 us, 2 us], bounds: [0 us, 3 us]}
  c:
    value: 2
    notes: >
      folded
      text

# tail
"""


def test_comments_order_and_layout_stay():
    found = edited(SHEET, {"a": {"value": "4 us", "interval": "[2 us, 5 us]", "fit": "{rows: 9}"}})
    expected = SHEET.replace("value: 3.6 us ", "value: 4 us ")
    expected = expected.replace("[1 us,\n               5 us]", "[2 us, 5 us]")
    expected = expected.replace("    bounds: [0.5 us, 20 us]\n", "    bounds: [0.5 us, 20 us]\n    fit: {rows: 9}\n")
    assert found == expected


def test_entries_are_added_in_the_style_around_them():
    found = yaml.safe_load(edited(SHEET, {"b": {"fit": "{rows: 9}"}, "c": {"interval": "[1, 3]"}}))
    assert found["values"]["b"]["fit"] == {"rows": 9}
    assert list(found["values"]["c"]) == ["value", "interval", "notes"]
    assert found["values"]["c"]["notes"] == "folded text\n"


def test_lists_in_lines_of_their_own_are_written_beside_their_keys():
    lists = "    bounds:\n    - 0\n    - 9\n    interval:  # so far\n      - 1\n      - 2\n"
    sheet = f"values:\n  a:\n    value: 1\n{lists}"
    found = edited(sheet, {"a": {"interval": "[1, 3]", "bounds": "[0, 8]", "fit": "{rows: 9}"}})
    assert yaml.safe_load(found)["values"]["a"] == {
        "value": 1,
        "bounds": [0, 8],
        "interval": [1, 3],
        "fit": {"rows": 9},
    }


def test_aliases_are_found():
    assert aliases("values:\n  a: {bounds: &it [0, 9], interval: *it}\n  b: *it\n") == [(2, 37), (3, 6)]
    assert aliases(SHEET) == []


def test_an_edit_can_be_edited_again():
    once = edited(SHEET, {"a": {"value": "4 us", "fit": "{rows: 9}"}})
    assert edited(once, {"a": {"value": "4 us", "fit": "{rows: 9}"}}) == once
    assert edited(once, {"a": {"fit": "{rows: 8}"}}).count("fit:") == 1


def test_the_last_line_need_not_end():
    assert edited("values:\n  a:\n    value: 1", {"a": {"fit": "{}"}}) == "values:\n  a:\n    value: 1\n    fit: {}"


def test_a_value_that_is_not_there_is_refused():
    with pytest.raises(SimioError, match="no value 'd'"):
        edited(SHEET, {"d": {"value": "1"}})


@pytest.mark.parametrize("text", ["600 us", "one/two, one/three", "a: b", "# no", "{x}", 'say "no"', "true", "1.5"])
def test_texts_read_back_as_they_were(text):
    assert yaml.safe_load(f"{{key: {scalar(text)}, other: 1}}")["key"] == text


def test_mappings_are_written_on_one_line():
    assert yaml.safe_load(flow({"rows": 3, "of": {"a/b.c": "-0.20"}})) == {"rows": 3, "of": {"a/b.c": -0.2}}
