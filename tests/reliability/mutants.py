"""Mutation testing of one source: a sample of small changes, and which of them no test notices.

    python tests/reliability/mutants.py simio/machines/tcp/ranges.py tests/machines/tcp/test_ranges.py -n 40

A mutant is made in a copy of the package, so that the checkout stays as it is, and tested in a process of its own,
which is forked from one that has loaded what tests need besides. Nothing is compiled: machines and engines run as
Python. Arguments after the source are pytest's. A mutant that makes tests take three times as long counts as noticed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[2]
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
"""What stands in place of an operator."""
NAMES = {"min": "max", "max": "min"}

LOADED = ("hypothesis", "networkx", "numba", "numpy", "pydantic", "pytest", "simpy", "yaml")
"""What is loaded once for all mutants; nothing of simio."""

Change = tuple[str, Callable[[], None]]


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every change of the functions of a tree: what it is, and how to make it."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for statement in function.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            for node in ast.walk(statement):
                yield from _changes_of(node)


def _changes_of(node: ast.AST) -> Iterator[Change]:
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name) and node.right.id.isupper():
        return  # the place of a field in a machine's state
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield _swap(node, line, type(node.ops[0]), lambda new: node.ops.__setitem__(0, new))
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        yield _swap(node, line, type(node.op), lambda new: setattr(node, "op", new))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"line {line}: {node.value} -> {node.value + 1}", lambda: setattr(node, "value", node.value + 1)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"line {line}: {node.id} -> {NAMES[node.id]}", lambda: setattr(node, "id", NAMES[node.id])
    elif _leaves_something(node):
        yield f"line {line}: without {ast.unparse(node)[:90]}", lambda: _empty(node)
    elif isinstance(node, ast.If | ast.While):
        told = f"line {line}: {type(node).__name__.lower()} {ast.unparse(node.test)} -> not"
        yield told, lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _swap(node: ast.AST, line: int, old: type[ast.AST], put: Callable[[ast.AST], None]) -> Change:
    new = SWAPS[old]
    return f"line {line}: {old.__name__} -> {new.__name__} in {ast.unparse(node)[:70]!r}", lambda: put(new())


def _leaves_something(node: ast.AST) -> bool:
    """True if a statement does something that can be left out: store a field, or call something for what it does."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _empty(node: ast.AST) -> None:
    """Leave nothing of a statement: what it is becomes a constant on its own."""
    node.__class__ = ast.Expr
    node.value = ast.Constant(None)  # type: ignore[attr-defined]


def mutant(text: str, index: int) -> tuple[str, str]:
    """The change of this number, and the source with it."""
    tree = ast.parse(text)
    told, make = list(changes(tree))[index]
    make()
    return told, ast.unparse(ast.fix_missing_locations(tree))


def difference(text: str, changed: str) -> str:
    """The lines that a mutant changes."""
    plain = ast.unparse(ast.parse(text)).splitlines()
    found = difflib.unified_diff(plain, changed.splitlines(), lineterm="", n=2)
    return "\n".join(f"    {line}" for line in list(found)[3:])


def passes(package: Path, arguments: list[str], seconds: float = 3600) -> bool:
    """True if all tests pass with the package in this folder, in so many seconds of processor time."""
    child = os.fork()
    if not child:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
            sys.path.insert(0, str(package))
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
                status = int(importlib.import_module("pytest").main(["-xqp", "no:cacheprovider", *arguments]))
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    """Make the mutants, run the tests on each, and print those that no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("-n", type=int, default=40, help="mutants to sample; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, action="append", help="test this one")
    options, arguments = parser.parse_known_args()
    text = (ROOT / options.source).read_text()
    number = len(list(changes(ast.parse(text))))
    drawn = random.Random(options.seed).sample(range(number), min(options.n or number, number))
    sample = sorted(options.only or drawn)
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.dont_write_bytecode = True
    os.chdir(ROOT)
    for name in LOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        for part in ("simio", "models", "scenarios", "validation"):
            shutil.copytree(ROOT / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
        survived = survivors(package, options.source, text, sample, arguments)
    print(f"{options.source}: {len(sample)} of {number} mutants, {len(sample) - survived} noticed")


def survivors(package: Path, name: Path, text: str, sample: list[int], arguments: list[str]) -> int:
    """Number of mutants that survive; each is printed."""
    source = package / name
    source.write_text("raise ImportError\n")
    if passes(package, arguments):
        sys.exit("the tests do not import the source")
    source.write_text(text)
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if not passes(package, arguments):
        sys.exit("the tests fail without any mutant")
    seconds = 3 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun) + 5
    survived = 0
    for index in sample:
        told, changed = mutant(text, index)
        source.write_text(changed)
        if passes(package, arguments, seconds):
            survived += 1
            print(f"survived {index}: {told}\n{difference(text, changed)}", flush=True)
    return survived


if __name__ == "__main__":
    main()
