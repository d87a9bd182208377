"""The YAML reader: values of the core schema, places, every problem at once, and no crash on any text."""

import os

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simio.errors import Place, ScenarioError
from simio.loading import yamltree
from simio.loading.yamlfiles import decode, read_file
from simio.loading.yamltree import parse_yaml

SCENARIO = """\
title: raw blast   # a comment
hosts:
  challenge: {model: hosts/sgi-challenge-l, cpus: 2, kernel: {page_pin: 3 us}}
  onyx: &onyx {like: challenge}
links:
  - {model: links/hippi-800, between: [challenge.hippi, onyx.hippi], length: 10 m}
  - model: links/fc
    gain: 1e3
workload:
  blast: {size: "256 B", packets: 0x10, sink: true, other: ~}
about: |
  two
  lines
"""


def problems(text):
    with pytest.raises(ScenarioError) as caught:
        parse_yaml(text, "f")
    return str(caught.value).splitlines()


def value_of(text):
    return parse_yaml(f"- {text}\n", "f").plain()[0]


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


# ---------------------------------------------------------------- problems


def test_every_fault_of_a_file_is_reported_with_place_and_path():
    text = """\
x: 010
y: [1, {z: .inf}]
x: 1e999
1: 2
~: 3
<<: {a: 1}
deep: {a: {a: 1, a: 2}}
loop: &l [1, *l]
who: *nobody
id: !uuid 5
big: 123456789012345678901234567890
"""
    assert problems(text) == [
        "f:1:4: x: found '010', which may be read as octal; expected a number without leading zeros; "
        "write 10, or put it in quotes if it is a text",
        "f:2:12: y[1].z: found '.inf'; expected a finite number",
        "f:3:1: x: found the same key again; expected each key once; it is first at line 1",
        "f:3:4: x: found the number 1e999, which is too large; expected a number below 1.7e308",
        "f:4:1: found the key '1', which is not a text; expected a text as key; put it in quotes: \"1\"",
        "f:5:1: found the key '~', which is not a text; expected a text as key",
        "f:6:1: found the merge key '<<'; expected a key of its own; YAML 1.2 has no merge keys",
        "f:7:18: deep.a.a: found the same key again; expected each key once; it is first at line 7",
        "f:8:14: loop[1]: found the alias '*l' inside what it names; expected no value within itself",
        "f:9:6: who: found the alias '*nobody'; expected an alias of an earlier '&nobody'; "
        "put a text that starts with '*' in quotes",
        "f:10:5: id: found the tag '!uuid'; expected a value without a tag",
        "f:11:6: big: found the number 123456789012345678901234567890; expected a whole number of at most 64 bits",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: found an empty file; expected 'key: value' lines"),
        ("# only a comment\n", "f:1:1: found an empty file; expected 'key: value' lines"),
        ("---\n", "f:1:1: found an empty file; expected 'key: value' lines"),
        ("a:\n\tb: 1", "f:2:1: found a tab; expected spaces; YAML is indented with spaces"),
        ("a: 1e-5\n\t\n", "f:2:1: found a tab; expected spaces; YAML is indented with spaces"),
        (
            "a: b: c",
            "f:1:5: found ': c'; expected one 'key: value' a line; "
            "check the indentation, and put a text with ': ' in it in quotes",
        ),
        (
            "a: 1\n b: 2",
            "f:2:3: found ': 2'; expected one 'key: value' a line; "
            "check the indentation, and put a text with ': ' in it in quotes",
        ),
        (
            "a: [1,\nb: 2\n",
            "f:1:4: found an opening [ that is never closed; expected a closing ] before the end of the file",
        ),
        (
            "a:\n  b: {c: 1",
            "f:2:6: found an opening { that is never closed; expected a closing } before the end of the file",
        ),
        (
            "a: 'x\nb: 2\n",
            "f:1:4: found an opening ' that is never closed; expected a closing ' before the end of the file",
        ),
        (
            "a: [1 2, {b: 1 ]\n",
            "f:1:16: found ']'; expected ',' or '}'; it was opened at line 1, column 10",
        ),
        ("a: @x", "f:1:4: found '@x'; expected a value; put a text that starts with '@' in quotes"),
        ("a: %x", "f:1:4: found '%x'; expected a value; put a text that starts with '%' in quotes"),
        (
            "a: 'x' y",
            "f:1:8: found 'y'; expected the next key; "
            "check indentation and quotes of this line and the one before",
        ),
        ("- a\nb: 1", "f:2:1: found 'b: 1'; expected the next '- ' of the list; check the indentation"),
        ("a: }", "f:1:4: found '}'; expected a value"),
        (
            'a: "C:\\q"',
            "f:1:7: found '\\q\"'; expected a known escape; "
            "in single quotes a backslash is just a backslash",
        ),
        ("a: \x07", "f:1:4: found the character U+0007; expected printable text"),
        ("a: 1\nb: \ud800", "f:2:4: found the character U+D800; expected printable text"),
        ("a: 1\n---\nb: 2", "f:2:1: found a second document; expected one document a file; "
         "remove the line '---'"),
        ("? [a]\n: 1", "f:1:3: found a list as key; expected a text as key; "
         "a text that starts with '{' or '[' needs quotes"),
        ("? {a: 1}\n: 1", "f:1:3: found a map as key; expected a text as key; "
         "a text that starts with '{' or '[' needs quotes"),
        ("? \n: 1", "f:1:2: found an empty key; expected a text as key"),
        ("a: &k b\n*k : 1", "f:2:1: found the alias '*k' as key; expected a text as key"),
        ("a: &abc 1\nb: *abd", "f:2:4: b: found the alias '*abd'; expected an alias of an earlier '&abd'; "
         "did you mean 'abc'?"),
        ("a: 1e-999", "f:1:4: a: found the number 1e-999, which is too small; "
         "expected a number above 1e-307, or 0"),
        ("a: -007", "f:1:4: a: found '-007', which may be read as octal; "
         "expected a number without leading zeros; write -7, or put it in quotes if it is a text"),
        ("a: !!binary aGk=", "f:1:4: a: found the tag '!!binary'; expected a value without a tag"),
        ("a: !!set {b}", "f:1:4: a: found the tag '!!set'; expected a value without a tag"),
        ("a: !!python/name:os.system ''",
         "f:1:4: a: found the tag '!!python/name:os.system'; expected a value without a tag"),
        ("a: !!int x", "f:1:4: a: found 'x' with the tag '!!int'; expected a value of type int"),
        ("a: !!int true", "f:1:4: a: found 'true' with the tag '!!int'; expected a value of type int"),
        ("a: !!map [1]", "f:1:4: a: found the tag '!!map'; expected a value without a tag"),
    ],
)  # fmt: skip
def test_faults_word_for_word(text, message):
    assert problems(text) == [message]


def test_faults_before_a_fault_of_syntax_are_kept():
    assert [line.split(": ")[0] for line in problems("a: 010\nb: .nan\nc: }\nd: 010\n")] == [
        "f:1:4",
        "f:2:4",
        "f:3:4",
    ]


def test_a_quoted_merge_sign_is_a_key_like_any_other():
    assert parse_yaml("'<<': 1", "f").plain() == {"<<": 1}


def test_a_key_of_yaml_1_1_truth_is_a_text():
    assert parse_yaml("{on: 1, no: 2, y: 3}", "f").plain() == {"on": 1, "no": 2, "y": 3}


def test_the_number_of_faults_is_bounded():
    assert len(problems("a: 1\n" * 5000)) == yamltree.MAX_PROBLEMS


# ---------------------------------------------------------------- bounds


def nested(depth):
    return "[" * depth + "]" * depth


def test_nesting_is_bounded_to_the_level():
    assert parse_yaml(nested(yamltree.MAX_DEPTH), "f").plain()
    assert problems(nested(yamltree.MAX_DEPTH + 1))[0].endswith("more than 64 levels of nesting; expected at most 64")


def test_nesting_through_aliases_counts():
    half = yamltree.MAX_DEPTH // 2
    # The outer map and the lists around the alias add to the depth of what it names.
    deep = "a: &a {}\nb: {}*a{}\n"
    assert parse_yaml(deep.format(nested(half), "[" * (half - 1), "]" * (half - 1)), "f")
    assert "levels of nesting" in problems(deep.format(nested(half), "[" * half, "]" * half))[0]


def test_aliases_that_multiply_are_stopped_at_once():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    # There are 10^30 of them, which nobody could go through.
    (line,) = problems("\n".join(lines))
    assert line.endswith("found more than 100000 values; expected at most 100000, aliases counted in full")


@pytest.mark.parametrize(
    "text", ["[", "{", "- ", "? ", "&a ", "a: ", "!", "*", '"', "a: &a [*a, ", "[a, ", "%", ": "]
)
def test_hostile_repetition_ends(text):
    assert problems((text * 2**20)[: 2**20])


def test_size_is_bounded_in_bytes():
    most = yamltree.MAX_BYTES
    assert parse_yaml("a" * most, "f").text == "a" * most
    too_large = ["f:1:1: found a file of more than 1 MiB; expected at most 1 MiB"]
    assert problems("a" * (most + 1)) == too_large
    assert problems("é" * (most // 2 + 1)) == too_large


def test_long_numbers_are_refused_without_labour():
    for text in ("9" * 10**6, "0x" + "f" * 10**6, "0o" + "7" * 10**6):
        (line,) = problems(text)
        assert line.endswith("expected a whole number of at most 64 bits")
        assert len(line) < 200


# ---------------------------------------------------------------- files


def test_a_file_is_read_as_text(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_bytes("\ufefftitle: Größe\n".encode())
    assert read_file(path) == "title: Größe\n"
    assert read_file(str(path)) == "title: Größe\n"


def file_problem(path):
    with pytest.raises(ScenarioError) as caught:
        read_file(path)
    return str(caught.value)


def test_a_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / "sgi-hippi.yaml").write_text("a: 1")
    for name in ("sgi-hipi.yaml", "sgi-hippi", "sgi_hippi.yml"):
        path = tmp_path / name
        near = tmp_path / "sgi-hippi.yaml"
        assert file_problem(path) == f"{path}: found no such file; expected a YAML file; did you mean '{near}'?"
    path = tmp_path / "b.yaml"
    assert file_problem(path) == f"{path}: found no such file; expected a YAML file"
    assert "no such file" in file_problem(tmp_path / "none" / "b.yaml")


def test_what_is_not_a_file(tmp_path):
    assert file_problem(tmp_path) == f"{tmp_path}: found a directory; expected a YAML file"
    assert "a file that cannot be read (embedded null byte)" in file_problem("a\0b")
    assert "a file that cannot be read (" in file_problem("x" * 5000)
    (tmp_path / "f.yaml").write_text("a: 1")
    assert "a file that cannot be read (Not a directory)" in file_problem(tmp_path / "f.yaml" / "g.yaml")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    assert file_problem(path) == f"{path}: found a file that may not be read; expected a readable YAML file"


def test_bytes_that_are_not_utf_8_are_placed():
    with pytest.raises(ScenarioError) as caught:
        decode("a: 1\nä: ".encode() + b"\xe4\n", "f")
    assert str(caught.value) == "f:2:4: found the byte 0xe4; expected UTF-8 text; save the file as UTF-8"
    with pytest.raises(ScenarioError, match="the file seems to be UTF-16"):
        decode("a: 1".encode("utf-16"), "f")


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_bytes(b"#" * (yamltree.MAX_BYTES + 1))
    assert file_problem(path) == f"{path}:1:1: found a file of more than 1 MiB; expected at most 1 MiB"


# ---------------------------------------------------------------- properties

KEYS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=8)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    KEYS,
    st.sampled_from(["yes", "010", "1:30", "<<", "~", "a: b", "- a", "#", "1e3", "a\nb", " x ", "0x1"]),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def dumped(tree, flow):
    """YAML with every text in quotes, for PyYAML writes by the rules of YAML 1.1."""
    dumper = type("Dumper", (yaml.SafeDumper,), {"ignore_aliases": lambda self, data: True})
    dumper.add_representer(str, lambda d, s: d.represent_scalar("tag:yaml.org,2002:str", s, style='"'))
    return yaml.dump(tree, Dumper=dumper, default_flow_style=flow, allow_unicode=True, sort_keys=False)


@settings(deadline=None)
@given(TREES.filter(lambda tree: tree is not None), st.booleans())
def test_what_is_dumped_is_read_back(tree, flow):
    found = parse_yaml(dumped(tree, flow), "f").plain()
    assert found == tree
    assert repr(found) == repr(tree)


@settings(deadline=None)
@given(TREES.filter(lambda tree: tree is not None), st.booleans())
def test_every_place_points_at_what_is_written_there(tree, flow):
    text = dumped(tree, flow)
    lines = text.split("\n")

    def check(node):
        for key, inner in node.entries.items():
            place = node.key_places[key]
            assert lines[place.line - 1][place.column - 1] in ('"', "?")
            check(inner)
        for inner in node.elements:
            check(inner)
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            assert lines[node.place.line - 1][node.place.column - 1 :].startswith(node.text)

    check(parse_yaml(text, "f"))


SNIPPETS = [
    "", "\t", "\n", "\n\n", " ", ":", ": ", "- ", "[", "]", "{", "}", "&a ", "*a ", "!x ", "!!int ", "|", ">",
    "'", '"', "#", "%", "@", "`", "? ", "<<: ", "---\n", "...\n", "010", ".nan", "1e999", "\\", "\0",
    "\ufeff", "\u2028", "\x85", "\ud800", "\U0001f600", ",",
]  # fmt: skip
MUTATIONS = st.lists(
    st.tuples(st.integers(0, len(SCENARIO)), st.integers(0, 4), st.sampled_from(SNIPPETS)),
    min_size=1,
    max_size=6,
)


def read_or_problem(text):
    """Reads, and checks that what is refused is refused in a form that can be shown."""
    try:
        parse_yaml(text, "f").plain()
    except ScenarioError as error:
        lines = str(error).split("\n")
        return len(lines) == len(error.problems) and all(
            line.isprintable() and problem.place and problem.place.file == "f" and problem.found and problem.expected
            for line, problem in zip(lines, error.problems, strict=True)
        )
    return True


@settings(deadline=None)
@given(MUTATIONS)
def test_a_mutated_scenario_never_crashes(mutations):
    text = SCENARIO
    for start, length, new in mutations:
        text = text[:start] + new + text[start + length :]
    assert read_or_problem(text)


@settings(deadline=None)
@given(st.text(st.sampled_from("ab01:-?,[]{}#&*!|>'\"%@`\n\t \\.~<=é\u2028\x85\ufeff"), max_size=40) | st.text())
def test_any_text_is_read_or_refused(text):
    assert read_or_problem(text)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_text_or_refused_with_a_place(data):
    try:
        text = decode(data, "f")
    except ScenarioError as error:
        place = error.problems[0].place
    else:
        assert text.encode() == data.removeprefix(b"\xef\xbb\xbf")
        return
    assert 1 <= place.line <= data.count(b"\n") + 1
