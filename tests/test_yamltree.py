"""The YAML reader: values of the core schema, places, every problem at once, and no crash on any text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yaml_texts import SCENARIO, value_of

from simio.errors import Place, ScenarioError
from simio.loading.yamltree import parse_yaml

# ---------------------------------------------------------------- values


def test_a_scenario_as_plain_data():
    assert parse_yaml(SCENARIO, "s.yaml").plain() == {
        "title": "raw blast",
        "hosts": {
            "challenge": {"model": "hosts/sgi-challenge-l", "cpus": 2, "kernel": {"page_pin": "3 us"}},
            "onyx": {"like": "challenge"},
        },
        "links": [
            {"model": "links/hippi-800", "between": ["challenge.hippi", "onyx.hippi"], "length": "10 m"},
            {"model": "links/fc", "gain": 1000.0},
        ],
        "workload": {"blast": {"size": "256 B", "packets": 16, "sink": True, "other": None}},
        "about": "two\nlines\n",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("0o17", 15),
        ("0x1F", 31),
        ("-12", -12),
        ("+12", 12),
        ("0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0x00000000000000000000000000000000001", 1),
        ("0.32", 0.32),
        (".5", 0.5),
        ("5.", 5.0),
        ("010.5", 10.5),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        ("0e5", 0.0),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("'010'", "010"),
        ('"1"', "1"),
        ("''", ""),
        ("10 MB/s", "10 MB/s"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("!!str 10", "10"),
        ("! 10", "10"),
        ("!!int '10'", 10),
        ("!!float 3", 3.0),
        ("!!bool true", True),
        ("!!null ''", None),
    ],
)
def test_scalars_of_the_core_schema(text, value):
    found = value_of(text)
    assert found == value
    assert type(found) is type(value)


@given(st.from_regex(r"\A[-+~.\w]{0,6}(\.\w{1,3})?( ?[A-Za-z]\w{0,4})?\Z"))
@example("007")
@example("null")
@example("true")
@example("1 KiB")
@example("0x1F")
@example("99999999999999999999999")
def test_a_word_is_read_as_a_line_of_it_is(text):
    told = []
    for written in (text, f"{text}\n"):
        try:
            told.append(repr(parse_yaml(written, "f")))
        except ScenarioError as error:
            told.append(str(error))
    assert told[0] == told[1]


def test_the_text_of_a_scalar_is_kept_as_written():
    root = parse_yaml("[0.320, 1e3, 'x y', 0x10, ~]", "f")
    assert [node.text for node in root.elements] == ["0.320", "1e3", "x y", "0x10", "~"]


def test_an_alias_stands_for_what_it_names_and_keeps_its_place():
    root = parse_yaml("a: &x {k: [1, 2]}\nb: *x\nc: [*x, &y text, *y]\n", "f")
    assert root.plain() == {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": [{"k": [1, 2]}, "text", "text"]}
    assert root.at(["b", "k"]).place == root.at(["a", "k"]).place


def test_the_latest_anchor_of_a_name_holds():
    assert parse_yaml("[&a 1, *a, &a 2, *a]", "f").plain() == [1, 1, 2, 2]


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("path", "value_at", "key_at"),
    [
        ([], (1, 1), (1, 1)),
        (["title"], (1, 8), (1, 1)),
        (["hosts", "challenge"], (3, 14), (3, 3)),
        (["hosts", "challenge", "kernel", "page_pin"], (3, 73), (3, 63)),
        (["links", 0, "between", 1], (6, 57), (6, 57)),
        (["links", 1], (7, 5), (7, 5)),
        (["links", 1, "gain"], (8, 11), (8, 5)),
        (["about"], (11, 8), (11, 1)),
    ],
)
def test_places_of_values_and_keys(path, value_at, key_at):
    root = parse_yaml(SCENARIO, "s.yaml")
    assert root.at(path).place == Place("s.yaml", *value_at)
    if path:
        above, last = root.at(path[:-1]), path[-1]
        assert above.key_places.get(last, root.at(path).place) == Place("s.yaml", *key_at)


@pytest.mark.parametrize("path", [["links", 5], ["links", -1], ["links", "0"], ["links", "model", "x"]])
def test_a_path_that_ends_early_gives_the_nearest_node(path):
    root = parse_yaml(SCENARIO, "f")
    assert root.at(path) is root.entries["links"]


def test_columns_count_characters_and_a_byte_order_mark_counts_nothing():
    root = parse_yaml("\ufeff{größe: 1, b: 2}", "f")
    assert root.key_places["b"] == Place("f", 1, 12)


def test_windows_line_ends():
    assert parse_yaml("a: 1\r\nb:\r\n  - x\r\n", "f").at(["b", 0]).place == Place("f", 3, 5)
