"""Mutation testing of one source: a sample of small changes, and which of them no test notices.

    python tests/reliability/mutants.py simio/machines/tcp/ranges.py tests/machines/tcp/test_ranges.py -n 40

A mutant is made in a copy of the package, so that the checkout stays as it is. Arguments after the source are
pytest's. A mutant that makes tests run ten times as long counts as noticed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
"""What stands in place of an operator."""
NAMES = {"min": "max", "max": "min"}

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
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield _swap(node, line, type(node.ops[0]), lambda new: node.ops.__setitem__(0, new))
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        yield _swap(node, line, type(node.op), lambda new: setattr(node, "op", new))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"line {line}: {node.value} -> {node.value + 1}", lambda: setattr(node, "value", node.value + 1)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"line {line}: {node.id} -> {NAMES[node.id]}", lambda: setattr(node, "id", NAMES[node.id])
    elif isinstance(node, ast.If | ast.While):
        told = f"line {line}: {type(node).__name__.lower()} {ast.unparse(node.test)} -> not"
        yield told, lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _swap(node: ast.AST, line: int, old: type[ast.AST], put: Callable[[ast.AST], None]) -> Change:
    new = SWAPS[old]
    return f"line {line}: {old.__name__} -> {new.__name__} in {ast.unparse(node)[:70]!r}", lambda: put(new())


def passes(package: Path, arguments: list[str], limit: float | None = None) -> bool:
    """Whether all tests pass with the package in this folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_DISABLE_JIT": "1",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--no-header",
        *arguments,
    ]
    try:
        return (
            subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=limit).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def main() -> None:
    """Make the mutants, run the tests on each, and print those that no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("-n", type=int, default=40, help="mutants to sample; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    options, arguments = parser.parse_known_args()
    text = (ROOT / options.source).read_text()
    number = len(list(changes(ast.parse(text))))
    sample = sorted(random.Random(options.seed).sample(range(number), min(options.n or number, number)))
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder)
        shutil.copytree(ROOT / "simio", package / "simio", ignore=shutil.ignore_patterns("__pycache__"))
        begun = time.monotonic()
        source = package / options.source
        source.write_text("raise ImportError\n")
        if passes(package, arguments):
            sys.exit("the tests do not import the source")
        source.write_text(text)
        if not passes(package, arguments):
            sys.exit("the tests fail without any mutant")
        limit = 10 * (time.monotonic() - begun) + 10
        survived = []
        for index in sample:
            tree = copy.deepcopy(ast.parse(text))
            told, make = list(changes(tree))[index]
            make()
            source.write_text(ast.unparse(ast.fix_missing_locations(tree)))
            if passes(package, arguments, limit):
                survived.append(told)
                print("survived:", told, flush=True)
    print(f"{options.source}: {len(sample)} of {number} mutants, {len(sample) - len(survived)} noticed")


if __name__ == "__main__":
    main()
