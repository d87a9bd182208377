"""The functions of threaded code, in LLVM's intermediate representation.

numba has no jump from one function into another (`musttail`). So the arithmetic of steps, and the way from one to the
next, are written here. Other work of a step is in numba's functions (`simio.engines.operations`), called by their
place.
"""

from __future__ import annotations

from llvmlite import ir

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.llvm import place
from simio.engines.threaded import (
    CODE,
    CONVENTION,
    FIRST_BRANCH,
    FIRST_CALL,
    FIRST_OPERATION,
    FIRST_PLACE,
    FIRST_WORD,
    JUMP,
    LOOP,
    MASK,
    NEXT,
    OPERATIONS,
    SHIFT,
    name,
)
from simio.program.steps import STRIDE, Compare, Fn

WORD = ir.IntType(64)
ADDRESS = WORD.as_pointer()
ANSWER = ir.LiteralStructType([WORD] * 3)
"""The next step (on an error the one at fault), how many more may be run, and the status."""
STEP = ir.FunctionType(ANSWER, [ADDRESS, ADDRESS, WORD, ADDRESS])
"""A function of threaded code gets the step's row, the thread's row, how many steps may be run, and `control`."""
PLACE = ir.FunctionType(WORD, [ADDRESS, *[WORD] * 4])
"""A function in a place, which is numba's, or a machine's."""
ROW = (8 * c.STEP_COLUMNS).bit_length() - 1
"""Bits of an offset in a row of steps."""
CONDITIONS = {
    Compare.EQ: "==", Compare.NE: "!=", Compare.LT: "<", Compare.LE: "<=", Compare.GT: ">", Compare.GE: ">=",
}  # fmt: skip


def intermediate() -> str:
    """All functions, as the text of a module that refers to the places of the loop's."""
    module = ir.Module("threaded")
    _next_thread(_Function(module, NEXT))
    for fn in (*Fn, SHIFT, MASK):
        for kind in range(4):
            _let(_Function(module, name(4 * fn + kind)), fn, bool(kind & 2), bool(kind & 1))
    for comparison in Compare:
        for kind in range(2):
            _branch(_Function(module, name(FIRST_BRANCH + 2 * comparison + kind)), comparison, bool(kind))
    for kind in range(8):
        _call(_Function(module, name(FIRST_CALL + kind)), bool(kind & 4), bool(kind & 2), bool(kind & 1))
    for kind in range(2):
        _word(_Function(module, name(FIRST_WORD + kind)), bool(kind))
    _jump(_Function(module, name(JUMP)))
    _loop(_Function(module, name(LOOP)))
    for number in range(len(OPERATIONS)):
        _operation(_Function(module, name(FIRST_OPERATION + number)), FIRST_PLACE + number)
    return str(module)


class _Function(ir.IRBuilder):
    """A function of threaded code that is being written."""

    def __init__(self, module: ir.Module, named: str) -> None:
        function = ir.Function(module, STEP, named)
        function.calling_convention = CONVENTION
        function.attributes.add("nounwind")
        self.step, self.thread, self.left, self.shared = function.args
        super().__init__(function.append_basic_block())

    def word(self, row: ir.Value, column: int | ir.Value) -> ir.Value:
        """Where a column of a row is."""
        at = WORD(column) if isinstance(column, int) else column
        return self.gep(row, [at])

    def column(self, column: int) -> ir.Value:
        """Value of a column of the step."""
        return self.load(self.word(self.step, column))

    def control(self, column: int) -> ir.Value:
        """Value of a column of `control`."""
        return self.load(self.word(self.shared, column))

    def register(self, column: int) -> ir.Value:
        """Where the register is that a column names."""
        return self.word(self.word(self.thread, c.REGISTERS), self.column(column))

    def operand(self, column: int, constant: bool) -> ir.Value:
        """A register that a column names, or the constant in the next."""
        return self.column(column + 1) if constant else self.load(self.register(column))

    def argument(self, column: int, constant: bool) -> ir.Value:
        """An argument of a CALL: a register, or ~constant."""
        return self.not_(self.column(column)) if constant else self.load(self.register(column))

    def named(self, column: int, strided: bool) -> ir.Value:
        """The row that a column names for the instance of the thread."""
        if not strided:
            return self.column(column)
        instance = self.ashr(self.load(self.word(self.thread, c.FLAGS)), WORD(c.INSTANCE))
        return self.add(self.column(column), self.mul(self.column(STRIDE), instance))

    def spent(self) -> ir.Value:
        """How many steps may be run after this one."""
        return self.sub(self.left, WORD(1))

    def number(self, step: ir.Value) -> ir.Value:
        """The number of a step."""
        apart = self.sub(self.ptrtoint(step, WORD), self.control(c.STEPS_AT))
        return self.ashr(apart, WORD(ROW))

    def numbered(self, number: ir.Value) -> ir.Value:
        """The step of a number."""
        return self.inttoptr(self.add(self.control(c.STEPS_AT), self.shl(number, WORD(ROW))), ADDRESS)

    def store_and_go(self, column: int, value: ir.Value) -> None:
        """Put a value into the register that a column names, and go on."""
        self.store(value, self.register(column))
        self.go(self.behind())

    def behind(self) -> ir.Value:
        """The step behind this one."""
        return self.word(self.step, c.STEP_COLUMNS)

    def go(self, to: ir.Value) -> None:
        """Go on to a step, if it may be run."""
        self.run(to, self.thread, self.spent())

    def run(self, step: ir.Value, thread: ir.Value, left: ir.Value) -> None:
        """Run a step of a thread, if it may be run."""
        with self.if_then(self.icmp_signed("==", left, WORD(0)), likely=False):
            self.answer(step, left, WORD(c.RUNNING))
        self.jump(self.inttoptr(self.load(self.word(step, CODE)), STEP.as_pointer()), step, thread, left)

    def jump(self, code: ir.Value, step: ir.Value, thread: ir.Value, left: ir.Value) -> None:
        """Jump to a function."""
        given = (step, thread, left, self.shared)
        self.ret(self.call(code, given, cconv=CONVENTION, tail="musttail"))

    def answer(self, step: ir.Value, left: ir.Value, status: ir.Value) -> None:
        """Go back to the loop at a step."""
        answer = ir.Constant(ANSWER, ir.Undefined)
        for at, part in enumerate((self.number(step), left, status)):
            answer = self.insert_value(answer, part, at)
        self.ret(answer)

    def fail_if(self, condition: ir.Value, status: int) -> None:
        """Go back to the loop with an error at this step."""
        with self.if_then(condition, likely=False):
            self.answer(self.step, self.spent(), WORD(status))

    def placed(self, number: int, *arguments: ir.Value, apart: bool = False) -> ir.Value:
        """Answer of the function in a place, which gets `control` and these arguments; `apart` if called rarely."""
        functions = self.module.globals
        function = functions.get(place(number)) or ir.Function(self.module, PLACE, place(number))
        rest = [*arguments, *[WORD(0)] * 4]
        return self.call(function, [self.shared, *rest[:4]], attrs=("noinline",) if apart else ())


def _let(f: _Function, fn: int, first: bool, second: bool) -> None:
    a, b = f.operand(3, first), f.operand(5, second)
    if fn == Fn.SINCE:
        a, b = f.control(c.NOW), a
    if fn in (Fn.ADD, Fn.SUB, Fn.MUL, Fn.SINCE):
        add, multiply, subtract = f.sadd_with_overflow, f.smul_with_overflow, f.ssub_with_overflow
        both = (add if fn == Fn.ADD else multiply if fn == Fn.MUL else subtract)(a, b)
        f.fail_if(f.extract_value(both, 1), codes.OVERFLOW)
        value = f.extract_value(both, 0)
    elif fn in (Fn.DIV, Fn.MOD):
        value = _divided(f, fn, a, b)
    elif fn in (Fn.MIN, Fn.MAX):
        value = f.select(f.icmp_signed("<" if fn == Fn.MIN else ">", a, b), a, b)
    elif fn == SHIFT:
        value = f.ashr(a, f.cttz(b, ir.IntType(1)(1)))
    elif fn == MASK:
        value = f.and_(a, f.sub(b, WORD(1)))
    else:
        value = a
    f.store_and_go(1, value)


def _divided(f: _Function, fn: int, a: ir.Value, b: ir.Value) -> ir.Value:
    """A quotient that is rounded toward minus infinity, or what is left of it, which has the divisor's sign."""
    wraps = f.and_(f.icmp_signed("==", a, WORD(-(2**63))), f.icmp_signed("==", b, WORD(-1)))
    none = f.icmp_signed("==", b, WORD(0))
    f.fail_if(f.or_(none, wraps) if fn == Fn.DIV else none, codes.OVERFLOW)
    # A processor divides the least number by -1 no more than by 0.
    by = f.select(wraps, WORD(1), b)
    rest = f.srem(a, by)
    differ = f.icmp_signed("<", f.xor(rest, by), WORD(0))
    below = f.and_(differ, f.icmp_signed("!=", rest, WORD(0)))
    if fn == Fn.DIV:
        return f.sub(f.sdiv(a, by), f.zext(below, WORD))
    return f.add(rest, f.select(below, by, WORD(0)))


def _branch(f: _Function, comparison: Compare, constant: bool) -> None:
    a, b = f.load(f.register(2)), f.operand(3, constant)
    if comparison in CONDITIONS:
        holds = f.icmp_signed(CONDITIONS[comparison], a, b)
    else:
        holds = f.icmp_signed("!=" if comparison == Compare.ANY else "==", f.and_(a, b), WORD(0))
    _go_if(f, holds, 5)


def _go_if(f: _Function, condition: ir.Value, column: int) -> None:
    """Go on to the step that a column names, else to the next."""
    with f.if_then(condition):
        f.go(f.numbered(f.column(column)))
    f.go(f.behind())


def _call(f: _Function, a: bool, b: bool, strided: bool) -> None:
    function = f.inttoptr(f.column(1), PLACE.as_pointer())
    state = f.inttoptr(f.control(c.STATE_AT), ADDRESS)
    arguments = f.named(2, strided), f.control(c.NOW), f.argument(3, a), f.argument(4, b)
    _answered(f, f.call(function, [state, *arguments]))


def _word(f: _Function, strided: bool) -> None:
    """A CALL for a word of a machine's state, which column 1 names."""
    state = f.inttoptr(f.control(c.STATE_AT), ADDRESS)
    _answered(f, f.load(f.word(state, f.add(f.named(2, strided), f.column(1)))))


def _answered(f: _Function, value: ir.Value) -> None:
    """Go on with a machine's answer, unless it refuses."""
    f.fail_if(f.icmp_signed("<", value, WORD(0)), codes.MACHINE)
    f.store_and_go(5, value)


def _jump(f: _Function) -> None:
    f.go(f.numbered(f.column(1)))


def _loop(f: _Function) -> None:
    counter = f.register(1)
    value = f.sub(f.load(counter), WORD(1))
    f.store(value, counter)
    _go_if(f, f.icmp_signed(">", value, WORD(0)), 2)


def _operation(f: _Function, number: int) -> None:
    """A step whose function is numba's, in a place."""
    status = f.placed(number, f.ptrtoint(f.step, WORD), f.ptrtoint(f.thread, WORD))
    with f.if_then(f.icmp_signed("==", status, WORD(c.RUNNING))):
        f.go(f.behind())
    with f.if_then(f.icmp_signed("==", status, WORD(c.SUSPENDED))):
        _suspend(f, f.behind())
    with f.if_then(f.icmp_signed("==", status, WORD(c.ENDED))):
        _suspend(f, f.step)
    f.answer(f.step, f.spent(), status)


def _suspend(f: _Function, step: ir.Value) -> None:
    """Go on to the next thread; this one is to go on at a step."""
    f.store(f.number(step), f.word(f.thread, c.PC))
    f.jump(f.module.globals[NEXT], step, f.thread, f.spent())


def _next_thread(f: _Function) -> None:
    """Have the next thread chosen, and go on to its step."""
    status = f.placed(1)
    with f.if_then(f.icmp_signed("!=", status, WORD(c.RUNNING)), likely=False):
        status = f.placed(2, apart=True)
        with f.if_then(f.icmp_signed("!=", status, WORD(c.RUNNING)), likely=False):
            f.answer(f.step, f.left, status)
    row = f.mul(f.control(c.SLOT), WORD(8 * c.THREAD_COLUMNS))
    thread = f.inttoptr(f.add(f.control(c.THREADS_AT), row), ADDRESS)
    f.run(f.numbered(f.load(f.word(thread, c.PC))), thread, f.left)
