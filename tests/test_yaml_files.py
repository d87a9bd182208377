"""Files of YAML, and whatever text: read, or refused with a place."""

import os

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from yaml_texts import SCENARIO

from simio.errors import ScenarioError
from simio.loading import yamltree
from simio.loading.yamltree import parse_yaml
from simio.reading import decode, read_file

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


@given(TREES.filter(lambda tree: tree is not None), st.booleans())
def test_what_is_dumped_is_read_back(tree, flow):
    found = parse_yaml(dumped(tree, flow), "f").plain()
    assert found == tree
    assert repr(found) == repr(tree)


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


@given(MUTATIONS)
def test_a_mutated_scenario_never_crashes(mutations):
    text = SCENARIO
    for start, length, new in mutations:
        text = text[:start] + new + text[start + length :]
    assert read_or_problem(text)


@given(st.text(st.sampled_from("ab01:-?,[]{}#&*!|>'\"%@`\n\t \\.~<=é\u2028\x85\ufeff"), max_size=40) | st.text())
def test_any_text_is_read_or_refused(text):
    assert read_or_problem(text)


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
