"""Threaded code: what the compiled engine runs for a program's steps, as functions that go on to the next.

There is a function for each operation, and of LETs, CALLs and BRANCHes for each function or comparison and for which
operands are constants. The engine's own table of steps has the function's address in each row (`CODE`). A function
does its step and jumps to the function of the next one, with what it works on in registers of the processor: that is
threaded code (J. R. Bell, "Threaded code", Communications of the ACM 16, 1973). Where a thread waits or ends, or
something is wrong, it goes back to the loop.

Each step is counted, and `left` says how many may be run: one where each step is seen by itself (a trace), else what
is left of the budget. The functions are written in LLVM's intermediate representation, as numba has no jump from one
function into another (`musttail`). What is more than arithmetic is numba's (`simio.engines.operations`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.llvm import place
from simio.engines.outcome import Ints
from simio.machines.door import numbered
from simio.program.steps import NO_REGISTER, STRIDE, Compare, Fn, Op

CODE = c.STEP_COLUMNS - 1
"""Column of the address of a step's function."""
CONVENTION = "preserve_nonecc"
"""LLVM's calling convention for interpreters: arguments are in registers that functions of C leave as they are."""
STEP, INSTANCE = 8 * c.STEP_COLUMNS, 8 * c.FLAGS
"""Bytes of a row of the table, and from a thread's registers to its flags."""
STATUS = "{ i64, i64, i64 }"
"""The next step (on an error the one at fault), how many more may be run, and the status."""
LEAVE, NEXT = "step.leave", "step.next"
"""Functions that go back to the loop before a step, and on to the thread that runs next."""

_ARGUMENTS = "ptr %step, ptr %thread, i64 %left, ptr %control"
_CONDITIONS = {
    Compare.EQ: "eq", Compare.NE: "ne", Compare.LT: "slt", Compare.LE: "sle", Compare.GT: "sgt", Compare.GE: "sge",
    Compare.ANY: "ne", Compare.NONE: "eq",
}  # fmt: skip
_CHECKED = {Fn.ADD: "sadd", Fn.SUB: "ssub", Fn.MUL: "smul", Fn.SINCE: "ssub"}
OPERATIONS = (
    Op.END, Op.ADVANCE, Op.SEIZE, Op.RELEASE, Op.PUT, Op.GET, Op.FORK, Op.JOIN, Op.MARK, Op.DRAW,
)  # fmt: skip
"""Operations whose functions are numba's, in the order of their places.

The loop and its choice of the next thread are in the places before them.
"""
_INTRINSICS = {f"llvm.{kind}.with.overflow.i64": ("{ i64, i1 }", "i64") for kind in ("sadd", "ssub", "smul")} | {
    "llvm.smin.i64": ("i64", "i64"),
    "llvm.smax.i64": ("i64", "i64"),
    "llvm.cttz.i64": ("i64", "i1"),
}
SHIFT = len(Fn)
"""DIV by a constant power of two, which rounds toward minus infinity as it has to."""
MASK = len(Fn) + 1
"""MOD by a constant power of two."""
_LETS = 4 * (len(Fn) + 2)
_CALLS = _LETS + 2 * len(Compare)
_WORDS = _CALLS + 8
_JUMP = _WORDS + 2
_LOOP = _JUMP + 1
_FIRST_OPERATION = _LOOP + 1
"""Rows of `names`: where the functions of each operation begin."""


def names() -> list[str]:
    """Names of the functions: that of a step is at the row of `kinds`, the last one goes on to the next thread."""
    return [*(f"step.{kind}" for kind in range(_FIRST_OPERATION + len(OPERATIONS))), NEXT]


def kinds(steps: Ints, functions: Ints) -> Ints:
    """The row of `names` of each of these steps, where CALLs are of these machine functions."""
    op, constant = steps[:, 0], steps[:, 3:7] == NO_REGISTER
    function, number = steps[:, 2], steps[:, 6]
    power = constant[:, 2] & (number > 0) & (number & (number - 1) == 0)
    function = np.where(power & (function == Fn.DIV), SHIFT, np.where(power & (function == Fn.MOD), MASK, function))
    found = np.zeros(len(steps), dtype=np.int64)
    for operation, kind in (
        (Op.LET, 4 * function + 2 * constant[:, 0] + constant[:, 2]),
        (Op.BRANCH, _LETS + 2 * steps[:, 1] + constant[:, 0]),
        (Op.CALL, _CALLS + 4 * (steps[:, 3] < 0) + 2 * (steps[:, 4] < 0) + (steps[:, STRIDE] != 0)),
        (Op.JUMP, _JUMP),
        (Op.LOOP, _LOOP),
        *((operation, _FIRST_OPERATION + number) for number, operation in enumerate(OPERATIONS)),
    ):
        found = np.where(op == operation, kind, found)
    calls = np.flatnonzero(op == Op.CALL)
    for one in set(functions[calls].tolist()):
        if numbered(one).word is not None:
            rows = calls[functions[calls] == one]
            found[rows] = _WORDS + (steps[rows, STRIDE] != 0)
    return found


def intermediate(module: str) -> str:
    """LLVM's intermediate representation of all functions, to be appended to a module's."""
    functions = [_leave(), _next_thread()]
    for fn in (*Fn, SHIFT, MASK):
        functions += [_function(4 * fn + kind, _let(fn, bool(kind & 2), bool(kind & 1))) for kind in range(4)]
    for comparison in Compare:
        functions += [_function(_LETS + 2 * comparison + kind, _branch(comparison, bool(kind))) for kind in range(2)]
    for kind in range(8):
        functions.append(_function(_CALLS + kind, _call(bool(kind & 4), bool(kind & 2), bool(kind & 1))))
    functions += [_function(_WORDS + kind, _word(bool(kind))) for kind in range(2)]
    functions += [_function(_JUMP, _jump()), _function(_LOOP, _loop())]
    functions += [_function(_FIRST_OPERATION + number, _operation(2 + number)) for number in range(len(OPERATIONS))]
    declared = [f"declare {kind} @{name}(i64, {second})" for name, (kind, second) in _INTRINSICS.items()]
    missing = [line for name, line in zip(_INTRINSICS, declared, strict=True) if f"@{name}(" not in module]
    return "\n".join(["", *missing, *functions, ""])


def _function(kind: int, body: Iterator[str]) -> str:
    return _defined(f"step.{kind}", body)


def _defined(name: str, body: Iterator[str]) -> str:
    lines = "\n".join(f"  {line}" if not line.endswith(":") else line for line in body)
    return f'define {CONVENTION} {STATUS} @"{name}"({_ARGUMENTS}) nounwind {{\n{lines}\n}}'


def _leave() -> str:
    return _defined(LEAVE, _answer("step", "left", str(c.RUNNING)))


def _answer(step: str, left: str, status: str) -> Iterator[str]:
    """Go back to the loop at a step."""
    yield from _number("number", step)
    yield f"%answer.1 = insertvalue {STATUS} undef, i64 %number, 0"
    yield f"%answer.2 = insertvalue {STATUS} %answer.1, i64 %{left}, 1"
    yield f"%answer.3 = insertvalue {STATUS} %answer.2, i64 {status}, 2"
    yield f"ret {STATUS} %answer.3"


def _number(name: str, step: str) -> Iterator[str]:
    """The number of a step."""
    yield from _control(f"{name}.steps", c.STEPS_AT)
    yield f"%{name}.here = ptrtoint ptr %{step} to i64"
    yield f"%{name}.bytes = sub i64 %{name}.here, %{name}.steps"
    yield f"%{name} = ashr exact i64 %{name}.bytes, {STEP.bit_length() - 1}"


def _step(name: str, number: str) -> Iterator[str]:
    """The step of a number."""
    yield from _control(f"{name}.steps", c.STEPS_AT)
    yield f"%{name}.bytes = shl i64 %{number}, {STEP.bit_length() - 1}"
    yield f"%{name}.place = add i64 %{name}.steps, %{name}.bytes"
    yield f"%{name} = inttoptr i64 %{name}.place to ptr"


def _fail(status: int) -> Iterator[str]:
    yield "fail:"
    yield "%after = sub i64 %left, 1"
    yield from _answer("step", "after", str(status))


def _go(to: str, label: str) -> Iterator[str]:
    """Go on to a step, if it may be run."""
    yield f"%rest.{label} = sub nuw i64 %left, 1"
    yield f"%over.{label} = icmp eq i64 %rest.{label}, 0"
    yield f"br i1 %over.{label}, label %leave.{label}, label %on.{label}"
    yield f"leave.{label}:"
    yield from _tail(f'@"{LEAVE}"', to, label, f"out.{label}")
    yield f"on.{label}:"
    yield from _code(f"code.{label}", to)
    yield from _tail(f"%code.{label}", to, label, f"in.{label}")


def _tail(function: str, to: str, label: str, name: str) -> Iterator[str]:
    yield from _jump_to(function, to, "thread", f"rest.{label}", name)


def _jump_to(function: str, step: str, thread: str, left: str, name: str) -> Iterator[str]:
    arguments = f"ptr %{step}, ptr %{thread}, i64 %{left}, ptr %control"
    yield f"%{name} = musttail call {CONVENTION} {STATUS} {function}({arguments})"
    yield f"ret {STATUS} %{name}"


def _code(name: str, step: str) -> Iterator[str]:
    """The function of a step."""
    yield f"%{name}.at = getelementptr i8, ptr %{step}, i64 {8 * CODE}"
    yield f"%{name} = load ptr, ptr %{name}.at"


def _next() -> Iterator[str]:
    yield f"%next = getelementptr i8, ptr %step, i64 {STEP}"
    yield from _go("next", "next")


def _target(column: int) -> Iterator[str]:
    """The step that a column names."""
    yield from _column("target.number", column)
    yield from _step("target", "target.number")
    yield from _go("target", "target")


def _column(name: str, column: int) -> Iterator[str]:
    yield f"%{name}.at = getelementptr i8, ptr %step, i64 {8 * column}"
    yield f"%{name} = load i64, ptr %{name}.at"


def _control(name: str, column: int) -> Iterator[str]:
    yield f"%{name}.at = getelementptr i8, ptr %control, i64 {8 * column}"
    yield f"%{name} = load i64, ptr %{name}.at"


def _register_at(name: str, number: str) -> Iterator[str]:
    """The place of a register."""
    yield f"%{name}.first = getelementptr i8, ptr %thread, i64 {8 * c.REGISTERS}"
    yield f"%{name} = getelementptr i64, ptr %{name}.first, i64 %{number}"


def _register(name: str, column: int) -> Iterator[str]:
    """The register that a column names, and what is in it."""
    yield from _column(f"{name}.number", column)
    yield from _register_at(f"{name}.register", f"{name}.number")
    yield f"%{name} = load i64, ptr %{name}.register"


def _operand(name: str, column: int, constant: bool) -> Iterator[str]:
    """A register that a column names, or the constant in the next."""
    yield from _column(name, column + 1) if constant else _register(name, column)


def _argument(name: str, column: int, constant: bool) -> Iterator[str]:
    """An argument of a CALL: a register, or ~constant."""
    if not constant:
        yield from _register(name, column)
        return
    yield from _column(f"{name}.not", column)
    yield f"%{name} = xor i64 %{name}.not, -1"


def _store(column: int) -> Iterator[str]:
    """Put the value into the register that a column names, and go on."""
    yield from _column("result.number", column)
    yield from _register_at("result", "result.number")
    yield "store i64 %value, ptr %result"
    yield from _next()


def _let(fn: int, a: bool, b: bool) -> Iterator[str]:
    yield from _operand("a", 3, a)
    if fn not in (Fn.SET, Fn.SINCE):
        yield from _operand("b", 5, b)
    if fn in _CHECKED:
        yield from _checked(fn)
    elif fn in (Fn.DIV, Fn.MOD):
        yield from _divided(fn)
    elif fn in (Fn.MIN, Fn.MAX):
        yield f"%value = call i64 @llvm.s{Fn(fn).name.lower()}.i64(i64 %a, i64 %b)"
    elif fn == SHIFT:
        yield "%power = call i64 @llvm.cttz.i64(i64 %b, i1 true)"
        yield "%value = ashr i64 %a, %power"
    elif fn == MASK:
        yield "%mask = sub i64 %b, 1"
        yield "%value = and i64 %a, %mask"
    else:
        yield "%value = add i64 %a, 0"
    yield from _store(1)
    if fn in _CHECKED or fn in (Fn.DIV, Fn.MOD):
        yield from _fail(codes.OVERFLOW)


def _checked(fn: int) -> Iterator[str]:
    """A sum, difference or product that has to fit 64 bits."""
    first, second = "a", "b"
    if fn == Fn.SINCE:
        yield from _control("now", c.NOW)
        first, second = "now", "a"
    yield f"%both = call {{ i64, i1 }} @llvm.{_CHECKED[Fn(fn)]}.with.overflow.i64(i64 %{first}, i64 %{second})"
    yield "%value = extractvalue { i64, i1 } %both, 0"
    yield "%wrapped = extractvalue { i64, i1 } %both, 1"
    yield "br i1 %wrapped, label %fail, label %fits"
    yield "fits:"


def _divided(fn: int) -> Iterator[str]:
    """A quotient that is rounded toward minus infinity, or what is left of it, which has the divisor's sign."""
    yield "%none = icmp eq i64 %b, 0"
    yield f"%least = icmp eq i64 %a, {-(2**63)}"
    yield "%negates = icmp eq i64 %b, -1"
    yield "%wraps = and i1 %least, %negates"
    if fn == Fn.DIV:
        yield "%bad = or i1 %none, %wraps"
    else:
        yield "%bad = or i1 %none, false"
    yield "br i1 %bad, label %fail, label %fits"
    yield "fits:"
    # A processor divides the least number by -1 no more than by 0.
    yield "%by = select i1 %wraps, i64 1, i64 %b"
    yield "%quotient = sdiv i64 %a, %by"
    yield "%remainder = srem i64 %a, %by"
    yield "%signs = xor i64 %remainder, %by"
    yield "%differ = icmp slt i64 %signs, 0"
    yield "%some = icmp ne i64 %remainder, 0"
    yield "%below = and i1 %differ, %some"
    if fn == Fn.DIV:
        yield "%one = zext i1 %below to i64"
        yield "%value = sub i64 %quotient, %one"
    else:
        yield "%more = select i1 %below, i64 %by, i64 0"
        yield "%value = add i64 %remainder, %more"


def _branch(comparison: Compare, constant: bool) -> Iterator[str]:
    yield from _register("a", 2)
    yield from _operand("b", 3, constant)
    if comparison in (Compare.ANY, Compare.NONE):
        yield "%common = and i64 %a, %b"
        yield f"%holds = icmp {_CONDITIONS[comparison]} i64 %common, 0"
    else:
        yield f"%holds = icmp {_CONDITIONS[comparison]} i64 %a, %b"
    yield "br i1 %holds, label %taken, label %passed"
    yield "taken:"
    yield from _target(5)
    yield "passed:"
    yield from _next()


def _named(column: int, strided: bool) -> Iterator[str]:
    """The row `base` that a column names for the instance of the thread."""
    if not strided:
        yield from _column("base", column)
        return
    yield from _column("first", column)
    yield from _column("stride", STRIDE)
    yield f"%flags.at = getelementptr i8, ptr %thread, i64 {INSTANCE}"
    yield "%flags = load i64, ptr %flags.at"
    yield f"%instance = ashr i64 %flags, {c.INSTANCE}"
    yield "%apart = mul i64 %stride, %instance"
    yield "%base = add i64 %first, %apart"


def _call(a: bool, b: bool, strided: bool) -> Iterator[str]:
    yield from _column("function.number", 1)
    yield "%function = inttoptr i64 %function.number to ptr"
    yield from _control("words", c.STATE_AT)
    yield from _named(2, strided)
    yield from _control("now", c.NOW)
    yield from _argument("a", 3, a)
    yield from _argument("b", 4, b)
    yield "%value = call i64 %function(i64 %words, i64 %base, i64 %now, i64 %a, i64 %b)"
    yield from _unless_refused()


def _word(strided: bool) -> Iterator[str]:
    """A CALL for a word of a machine's state, whose place is in column 1."""
    yield from _column("offset", 1)
    yield from _control("words", c.STATE_AT)
    yield from _named(2, strided)
    yield "%place = add i64 %base, %offset"
    yield "%state = inttoptr i64 %words to ptr"
    yield "%word = getelementptr i64, ptr %state, i64 %place"
    yield "%value = load i64, ptr %word"
    yield from _unless_refused()


def _unless_refused() -> Iterator[str]:
    yield "%refused = icmp slt i64 %value, 0"
    yield "br i1 %refused, label %fail, label %answered"
    yield "answered:"
    yield from _store(5)
    yield from _fail(codes.MACHINE)


def _jump() -> Iterator[str]:
    yield from _target(1)


def _operation(number: int) -> Iterator[str]:
    """A step whose function is numba's, in a place."""
    yield "%step.word = ptrtoint ptr %step to i64"
    yield "%thread.word = ptrtoint ptr %thread to i64"
    arguments = "ptr %control, i64 %step.word, i64 %thread.word, i64 0, i64 0"
    yield f'%status = call i64 @"{place(number)}"({arguments})'
    yield "switch i64 %status, label %fail [ " + " ".join(
        f"i64 {status}, label %{label}"
        for status, label in ((c.RUNNING, "done"), (c.SUSPENDED, "waits"), (c.ENDED, "ended"))
    ) + " ]"  # fmt: skip
    yield "done:"
    yield from _next()
    yield "waits:"
    yield f"%behind = getelementptr i8, ptr %step, i64 {STEP}"
    yield from _suspend("behind")
    yield "ended:"
    yield from _suspend("step")
    yield "fail:"
    yield "%after = sub i64 %left, 1"
    yield from _answer("step", "after", "%status")


def _suspend(step: str) -> Iterator[str]:
    """Go on to the next thread; this one is to go on at a step."""
    yield from _number(f"{step}.pc", step)
    yield f"store i64 %{step}.pc, ptr %thread"
    yield f"%rest.{step} = sub nuw i64 %left, 1"
    yield from _tail(f'@"{NEXT}"', step, step, f"out.{step}")


def _next_thread() -> str:
    """Have the next thread chosen, which is in a place, and go on to its step."""
    return _defined(NEXT, _chosen())


def _chosen() -> Iterator[str]:
    yield f'%found = call i64 @"{place(1)}"(ptr %control, i64 0, i64 0, i64 0, i64 0)'
    yield f"%some = icmp eq i64 %found, {c.RUNNING}"
    yield "br i1 %some, label %goes, label %none"
    yield "none:"
    yield from _answer("step", "left", "%found")
    yield "goes:"
    yield from _control("threads", c.THREADS_AT)
    yield from _control("slot", c.SLOT)
    yield f"%row = mul i64 %slot, {8 * c.THREAD_COLUMNS}"
    yield "%chosen.at = add i64 %threads, %row"
    yield "%chosen = inttoptr i64 %chosen.at to ptr"
    yield "%pc = load i64, ptr %chosen"
    yield from _step("target", "pc")
    yield "%spent = icmp eq i64 %left, 0"
    yield "br i1 %spent, label %leave, label %on"
    yield "leave:"
    yield from _jump_to(f'@"{LEAVE}"', "target", "chosen", "left", "out")
    yield "on:"
    yield from _code("code", "target")
    yield from _jump_to("%code", "target", "chosen", "left", "in")


def _loop() -> Iterator[str]:
    yield from _register("before", 1)
    yield "%value = sub i64 %before, 1"
    yield "store i64 %value, ptr %before.register"
    yield "%goes = icmp sgt i64 %value, 0"
    yield "br i1 %goes, label %again, label %ended"
    yield "again:"
    yield from _target(2)
    yield "ended:"
    yield from _next()
