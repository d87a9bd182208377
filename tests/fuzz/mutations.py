"""Mutations of YAML files: of the text, of the tree, and of single values; each is drawn from a random generator."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from typing import Any

Place = tuple[Any, int | str]
"""A container and a key or index of it."""

FRAGMENTS = (
    "\t", "\0", "\ufeff", "\u2028", "\x85", "é", "😀", "&a ", "*a", "<<: ", "!!python/object:os.system ",
    "!!int ", "? ", "- ", ": ", "#", "'", '"', "{", "}", "[", "]", "|", ">", "%", "@", "`", "---\n", "...\n", "\n",
    "  ", "0x", "\\", "a: &a [*a]", "9" * 400, "[" * 70, "{" * 30 + "a: ",
    "~", "null", ".inf", "-", "1e999", "=", ",", "$HOME", "../",
)  # fmt: skip
"""Changes that a slip of the finger, an editor or somebody malicious makes to a text."""

QUANTITY = re.compile(r"(\d+(?:\.\d+)?(?:e\d+)?) ?([A-Za-z][^ ]*)")
BINARY = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
NUMBERS = (0, 1, -1, 2, 3, 7, 10**6, 10**9, 2**31 - 1, 2**31, 2**62, 2**63 - 1, 0.5, 1e-300, 1e300, -0.0)
AMOUNTS = (
    "0",
    "1",
    "3",
    "7",
    "0.5",
    "1e3",
    "1e6",
    "1e9",
    "1e12",
    "1e15",
    "1e-3",
    "1e-12",
    "999999",
    "4096",
    "-1",
    "1_000",
)
UNITS = (
    "B", "KiB", "MiB", "GiB", "TiB", "kB", "bit", "ps", "ns", "us", "ms", "s", "h", "B/s", "MB/s", "GiB/s", "Mbit/s",
    "Hz", "MHz", "GHz", "rpm", "baud", "Gbaud", "mm", "m", "km", "ns/m", "", "KB", "parsec", "%",
)  # fmt: skip
ODD = (None, True, False, "", " ", "none", "auto", "x", "a.b", "../..", "./mutated.yaml", "/dev/zero", [], {}, [[]],
       {"a": 1}, {"model": "x"}, ["a", "b"], {"4 KiB": 1, "8 KiB": 2})  # fmt: skip


def mutated(rng: random.Random, tree: Any, others: list[Any]) -> str | bytes:
    """A file in the likeness of `tree`, changed in one to three places; `others` are trees to take parts from."""
    tree = copy.deepcopy(tree)
    wild = rng.random() < 0.4
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice((_value, _value, _key, _structure, _graft) if wild else (_scale,))(rng, tree, others)
    text = json.dumps(tree, indent=rng.choice((None, 1)), ensure_ascii=False, default=str)
    return mangled(rng, text) if rng.random() < 0.05 else text


def mangled(rng: random.Random, text: str) -> str | bytes:
    """A text with letters, lines or bytes that are other, missing, or there twice."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        text = rng.choice((_insert, _delete, _replace, _line, _truncate))(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1 and data:
        at = rng.randrange(len(data))
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return text


def _insert(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(FRAGMENTS) + text[at:]


def _delete(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at + rng.choice((1, 1, 2, 10)) :]


def _replace(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) + text[at + 1 :]


def _line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = rng.choice((" ", "  ", "\t", "- ")) + lines[at]
    return "".join(lines)


def _truncate(rng: random.Random, text: str) -> str:
    return text[: rng.randint(0, len(text))]


def places(tree: Any) -> Iterator[Place]:
    """Every place of a tree below its root."""
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from places(tree[key])


def _place(rng: random.Random, tree: Any, leaf: bool = False) -> Place | None:
    found = [place for place in places(tree) if not leaf or not isinstance(place[0][place[1]], dict | list)]
    return rng.choice(found) if found else None


def _value(rng: random.Random, tree: Any, _others: list[Any]) -> None:
    place = _place(rng, tree, leaf=True)
    if place:
        place[0][place[1]] = value(rng, place[0][place[1]])


def _scale(rng: random.Random, tree: Any, _others: list[Any]) -> None:
    """A number, quantity or switch that is another of its kind, and may well be accepted."""
    found = [place for place in places(tree) if scaled(rng, place[0][place[1]]) is not None]
    if found:
        holder, key = rng.choice(found)
        holder[key] = scaled(rng, holder[key])


def scaled(rng: random.Random, old: Any) -> Any:
    """A value like `old` that is larger, smaller or the other way round; None for what is no amount."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return rng.choice((1, 2, 3, old + 1, max(old - 1, 1), old * 2, old * 10, old * 1000, old * 10**6))
    match = QUANTITY.fullmatch(old) if isinstance(old, str) else None
    if match is None:
        return None
    number = float(match[1])
    scale = rng.choice((1, 1, 2, 10, 100, 1000, 10**6, 10**9, 0.5, 0.25, 0.1, 0.01, 1e-3, 1e-6))
    changed = number * scale + rng.choice((0, 0, 0, 1, -1))
    whole = abs(changed - round(changed)) < 1e-9
    if not whole and match[2] in BINARY:
        # Sizes are of whole bytes.
        return f"{max(round(changed * BINARY[match[2]]), 1)} B"
    return f"{round(changed) if whole else format(max(changed, 0), '.12f').rstrip('0').rstrip('.')} {match[2]}"


def value(rng: random.Random, old: Any) -> Any:
    """Another value, mostly of the same type: a quantity keeps its unit more often than not."""
    if isinstance(old, bool) or rng.random() < 0.1:
        return rng.choice((not old, *ODD))
    if isinstance(old, int | float):
        return rng.choice((*NUMBERS, old + 1, old - 1, old * 2))
    match = QUANTITY.fullmatch(old) if isinstance(old, str) else None
    if match:
        unit = match[2] if rng.random() < 0.7 else rng.choice(UNITS)
        return f"{rng.choice(AMOUNTS)} {unit}"
    return rng.choice((old, f"{rng.choice(AMOUNTS)} {rng.choice(UNITS)}", *ODD, *NUMBERS))


def _key(rng: random.Random, tree: Any, _others: list[Any]) -> None:
    """A key that is missing, misspelt, or there under another name as well."""
    place = _place(rng, tree)
    if place is None or not isinstance(place[0], dict):
        return
    holder, key = place
    match rng.randrange(3):
        case 0:
            del holder[key]
        case 1:
            holder[rng.choice((f"{key}x", str(key)[1:], f"{key}.a", "", "model", "kind"))] = holder.pop(key)
        case _:
            holder[f"{key}2"] = copy.deepcopy(holder[key])


def _structure(rng: random.Random, tree: Any, _others: list[Any]) -> None:
    """A value in a list or map of its own, or in the place of another."""
    first, second = _place(rng, tree), _place(rng, tree)
    if first is None or second is None:
        return
    held = copy.deepcopy(second[0][second[1]])
    first[0][first[1]] = rng.choice((held, [held], {"a": held}, [held, held], [held] * 40))


def _graft(rng: random.Random, tree: Any, others: list[Any]) -> None:
    """A part of another file, at the same key if there is one."""
    place, given = _place(rng, tree), _place(rng, rng.choice(others))
    if place is None or given is None:
        return
    holder, key = place
    if isinstance(holder, dict) and isinstance(given[1], str) and rng.random() < 0.5:
        holder[given[1]] = copy.deepcopy(given[0][given[1]])
    else:
        holder[key] = copy.deepcopy(given[0][given[1]])
