"""A program as text: what there is, then every step with its operands by name.

The text is meant to be read and to be compared with `diff`: names instead of row numbers, one step a line, bodies of
forked threads, loops and conditions indented. Step numbers move when a step is added above; leave them out to
compare two programs of which one has more steps.
"""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simio import units
from simio.errors import one_line
from simio.machines.door import numbered
from simio.machines.layout import Words
from simio.program.digest import SHOWN, function_name, program_hash
from simio.program.steps import NAMING, NO_REGISTER, STRIDE, UNBOUNDED, Compare, Draw, Fn, Op, Program, Table

_INDENT = "  "
_WIDTH = 106
"""Width of a line of a machine's state."""
_MOST = 1000
"""Values of a table, or words without names, of a machine that are listed."""
_SIGNS = {
    Compare.EQ: "==",
    Compare.NE: "!=",
    Compare.LT: "<",
    Compare.LE: "<=",
    Compare.GT: ">",
    Compare.GE: ">=",
    Compare.ANY: "has a bit of",
    Compare.NONE: "has no bit of",
}
_INFIX = {Fn.ADD: "+", Fn.SUB: "-", Fn.MUL: "*", Fn.DIV: "div", Fn.MOD: "mod"}


def listing(program: Program, numbers: bool = True) -> str:
    """The program as text, its hash in the first line; without `numbers`, steps and targets are not numbered."""
    lines = [f"program {program_hash(program)[:SHOWN]}", ""]
    for title, rows in _declarations(program, numbers):
        lines += [title, *(f"{_INDENT}{row}" for row in rows), ""] if rows else []
    lines += ["steps", *_Steps(program, numbers).lines()]
    return "\n".join(line.rstrip() for line in lines) + "\n"


# --- declarations ------------------------------------------------------------------------------------------


def _declarations(program: Program, numbers: bool) -> Iterator[tuple[str, list[str]]]:
    yield "workloads", [_name(name) for name in program.workloads]
    yield (
        "resources",
        [f"{_name(r.name)}: {_count(r.units, 'unit')}{', lock' if r.lock else ''}" for r in program.resources],
    )
    yield (
        "containers",
        [
            f"{_name(c.name)}: {c.level} {c.unit}, of {c.capacity} at most"
            if c.capacity < UNBOUNDED
            else f"{_name(c.name)}: {c.level} {c.unit}, unbounded"
            for c in program.containers
        ],
    )
    yield "marks", [f"{_name(m.name)}: {m.role}{f', {m.unit}' if m.unit else ''}" for m in program.marks]
    yield (
        "draws",
        [
            f"{_name(name)}: {_distribution(program, row)}"
            for name, row in zip(program.draw_names, program.draws.tolist(), strict=True)
        ],
    )
    yield "machines", list(_machines(program))
    yield "threads", list(_threads(program, numbers))
    yield (
        "guests",
        [f"{_name(g.name)}: {function_name(g.function)}{', daemon' if g.daemon else ''}" for g in program.guests],
    )


def _threads(program: Program, numbers: bool) -> Iterator[str]:
    for start in program.starts:
        parts = [
            _count(start.count, "thread"),
            f"from {_time(start.time)}",
            *(["daemon"] if start.daemon else []),
            f"workload {_name(program.workloads[start.workload])}",
            *([f"step {start.entry}"] if numbers else []),
            *([f"instance {start.instance}"] if start.instance else []),
        ]
        yield f"{_name(start.name)}: {', '.join(parts)}"


def _machines(program: Program) -> Iterator[str]:
    """Every machine with its initial state, so that a changed constant of a device shows."""
    starts = [offset for _, offset in program.machines] + [len(program.state)]
    names = program.words or [()] * len(program.machines)
    for (name, offset), end, words in zip(program.machines, starts[1:], names, strict=True):
        values = program.state[offset:end]
        yield f"{_name(name)}: {_count(len(values), 'value')}"
        for line in _state(values, words):
            # Of a million lines few need to be broken.
            short = len(_INDENT) + len(line) <= _WIDTH
            yield from (
                [_INDENT + line]
                if short
                else textwrap.wrap(line, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
            )


def _state(values: Table, words: tuple[Words, ...]) -> Iterator[str]:
    """A line for each word that is not 0 and for each table; words without names follow as they are."""
    at = 0
    for named in words:
        own = values[at : at + (named.count or 0)]
        at += len(own)
        if named.is_table:
            places = np.flatnonzero(own)
            told = [f"[{place}] {own[place]}" for place in places[:_MOST]]
            listed = _shortened(told, len(places), ", ") or "all 0"
            yield f"{named.name}, {_count(len(own), 'value')}: {listed} {named.unit}".rstrip()
        elif own[0]:
            yield f"{named.name} {own[0]} {named.unit}".rstrip()
    if at < len(values):
        yield _shortened([str(value) for value in values[at : at + _MOST]], len(values) - at, " ")


def _shortened(first: list[str], count: int, separator: str) -> str:
    """The first of so many values; the mapping of an SSD has millions."""
    more = [f"and {count - len(first)} more"] if count > len(first) else []
    return separator.join([*first, *more])


def _distribution(program: Program, row: list[int]) -> str:
    kind, a, b, length = row
    if kind == Draw.UNIFORM:
        return f"uniform, {a} to {b}"
    if kind == Draw.EXPONENTIAL:
        return f"exponential, mean {a}"
    before, told = 0, []
    for value, sum_of_weights in program.draw_table[b : b + length].tolist():
        told.append(f"{value} (weight {sum_of_weights - before})")
        before = sum_of_weights
    return f"one of {', '.join(told)}"


# --- structure ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """Steps `start` to `end` (excluded) that are indented, under a heading where there is something to say."""

    start: int
    end: int
    heading: str


def _blocks(program: Program) -> list[_Block]:
    """Bodies, loops and conditions, outer ones first; what would overlap another without nesting is left out."""
    names = {entry: program.names[number] for entry, _, number in program.bodies}
    found = [_Block(start, end, f"{_name(names[start])}:") for start, end, _ in program.bodies]
    for number, step in enumerate(program.steps.tolist()):
        op, target = step[0], _target(step)
        if op in (Op.LOOP, Op.JUMP, Op.BRANCH) and target is not None and target <= number:
            found.append(_Block(target, number + 1, "forever:" if op == Op.JUMP else "repeat:"))
        elif op == Op.BRANCH and target is not None and target > number + 1:
            found.append(_Block(number + 1, target, ""))
    nested: list[_Block] = []
    open_ends: list[int] = []
    for block in sorted(found, key=lambda b: (b.start, -b.end, b.heading != "repeat:")):
        while open_ends and open_ends[-1] <= block.start:
            open_ends.pop()
        if not open_ends or block.end <= open_ends[-1]:
            nested.append(block)
            open_ends.append(block.end)
    return nested


def _target(step: list[int]) -> int | None:
    column = {Op.JUMP: 1, Op.LOOP: 2, Op.BRANCH: 5}.get(Op(step[0]))
    return None if column is None else step[column]


class _Steps:
    """The lines of a program's steps."""

    def __init__(self, program: Program, numbers: bool) -> None:
        self.program = program
        self.numbers = numbers
        self.margin = max(4, len(str(len(program.steps))))

    def lines(self) -> Iterator[str]:
        """Every step in order, headed and indented by the blocks that it is in."""
        waiting = _blocks(self.program)[::-1]
        ends: list[int] = []
        for number, step in enumerate(self.program.steps.tolist()):
            while ends and ends[-1] <= number:
                ends.pop()
            while waiting and waiting[-1].start == number:
                block = waiting.pop()
                if block.heading:
                    yield self._line("", len(ends), block.heading)
                ends.append(block.end)
            yield self._line(str(number), len(ends), self._step(number, step))

    def _line(self, number: str, depth: int, text: str) -> str:
        margin = f"{number:>{self.margin}}" if self.numbers else ""
        return f"{margin}{_INDENT}{_INDENT * depth}{text}"

    def _step(self, number: int, step: list[int]) -> str:
        op = Op(step[0])
        detail = getattr(self, f"_{op.name.lower()}")(number, *step[1:])
        detail += ", of instance 0" if op in NAMING and step[STRIDE] else ""
        return f"{op.name.lower()} {detail}".rstrip()

    def _to(self, number: int, target: int) -> str:
        return f"to {target}" if self.numbers else f"by {target - number:+d}"

    def _end(self, *_: int) -> str:
        return ""

    def _join(self, *_: int) -> str:
        return ""

    def _advance(self, _number: int, fixed: int, reg: int, numerator: int, denominator: int, *_: int) -> str:
        if reg == NO_REGISTER:
            return _time(fixed)
        factor = f"{numerator}" if denominator == 1 else f"{numerator}/{denominator}"
        amount = f"r{reg} ps" if factor == "1" else f"r{reg} * {factor} ps"
        return f"{_time(fixed)} + {amount}" if fixed else amount

    def _seize(self, _number: int, resource: int, count: int, priority: int, *_: int) -> str:
        return f"{self._units(resource, count)}, priority {priority}"

    def _release(self, _number: int, resource: int, count: int, *_: int) -> str:
        return self._units(resource, count)

    def _units(self, resource: int, count: int) -> str:
        name = _name(self.program.resources[resource].name)
        return name if count == 1 else f"{count} units of {name}"

    def _put(self, _number: int, container: int, reg: int, amount: int, *_: int) -> str:
        row = self.program.containers[container]
        return f"{_amount(reg, amount, row.unit)} into {_name(row.name)}"

    def _get(self, _number: int, container: int, reg: int, amount: int, *_: int) -> str:
        row = self.program.containers[container]
        return f"{_amount(reg, amount, row.unit)} from {_name(row.name)}"

    def _fork(self, number: int, entry: int, delay: int, joined: int, daemon: int, name: int, *_: int) -> str:
        told = [_name(self.program.names[name])]
        told += [f"after {_time(delay)}"] if delay else []
        told += ["joined"] if joined else []
        told += ["daemon"] if daemon else []
        # A body stands two steps below its fork unless somebody wrote the program otherwise.
        told += [] if entry == number + 2 else [f"body {self._to(number, entry)}"]
        return ", ".join(told)

    def _jump(self, number: int, target: int, *_: int) -> str:
        return self._to(number, target)

    def _loop(self, number: int, reg: int, target: int, *_: int) -> str:
        return f"{self._to(number, target)} while r{reg} - 1 > 0"

    def _branch(self, number: int, sign: int, reg: int, other: int, constant: int, target: int, *_: int) -> str:
        return f"{self._to(number, target)} if r{reg} {_SIGNS[Compare(sign)]} {_value(other, constant)}"

    def _let(self, _number: int, reg: int, function: int, ra: int, a: int, rb: int, b: int, *_: int) -> str:
        left, right = _value(ra, a), _value(rb, b)
        if function == Fn.SET:
            return f"r{reg} = {left}"
        if function == Fn.SINCE:
            return f"r{reg} = now" if left == "0" else f"r{reg} = now - {left}"
        if function in _INFIX:
            return f"r{reg} = {left} {_INFIX[Fn(function)]} {right}"
        return f"r{reg} = {Fn(function).name.lower()}({left}, {right})"

    def _mark(self, _number: int, mark: int, reg: int, value: int, *_: int) -> str:
        row = self.program.marks[mark]
        return f"{_name(row.name)}, {_value(reg, value)} {row.unit}".rstrip()

    def _draw(self, _number: int, reg: int, distribution: int, *_: int) -> str:
        return f"r{reg} from {_name(self.program.draw_names[distribution])}"

    def _call(self, _number: int, function: int, offset: int, ra: int, rb: int, reg: int, *_: int) -> str:
        called = numbered(function)
        given = [self._machine(offset), *map(_argument, (ra, rb)[: called.arguments])]
        return f"r{reg} = {called.name}({', '.join(given)})"

    def _machine(self, offset: int) -> str:
        number = bisect_right(self.program.machines, offset, key=lambda machine: machine[1]) - 1
        if number < 0:
            return f"state {offset}"
        name, start = self.program.machines[number]
        return _name(name) if start == offset else f"{_name(name)} + {offset - start}"


# --- words -------------------------------------------------------------------------------------------------


def _name(name: str) -> str:
    return f"'{one_line(name)}'"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _value(reg: int, constant: int) -> str:
    return str(constant) if reg == NO_REGISTER else f"r{reg}"


def _argument(operand: int) -> str:
    return f"r{operand}" if operand >= 0 else str(-1 - operand)


def _amount(reg: int, constant: int, unit: str) -> str:
    one = reg == NO_REGISTER and constant == 1
    return f"{_value(reg, constant)} {unit.removesuffix('s') if one else unit}".rstrip()


def _time(value: int) -> str:
    """A time for a reader, and exactly."""
    return f"{units.format_quantity(value, 'time')} ({value} ps)" if value else "0 s"
