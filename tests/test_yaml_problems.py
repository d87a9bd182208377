"""Refusals of YAML: with their place, and within bounds of labour."""

import pytest
from yaml_texts import problems

from simio.loading import yamltree
from simio.loading.yamltree import parse_yaml

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
            "a:\n  # about b\n  b\n    c: 2",
            "f:3:3: found 'b'; expected 'key: value'; every line of a map has a key and a ':'",
        ),
        (
            "a: 1\nb\n# about c\nc: 2",
            "f:2:1: found 'b'; expected 'key: value'; every line of a map has a key and a ':'",
        ),
        ("a:\n  b:20 ms\n  c: 2", "f:2:3: found 'b:20 ms'; expected 'key: value'; a space belongs behind the ':'"),
        ("a: 1\nb:20 ms\nc: 2", "f:2:1: found 'b:20 ms'; expected 'key: value'; a space belongs behind the ':'"),
        (
            "a:\n  -{b: 1, c: 2}\n",
            "f:2:3: found '-{b: 1, c: 2}'; expected '- ' and an item; a space belongs behind the '-' of a list",
        ),
        (
            "a: a text\n  of lines\n  with a note: here",
            "f:3:14: found ': here'; expected one 'key: value' a line; "
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
