"""Templates: programs that differ only in some words, as a sweep has them by the thousand.

A template is a program with holes. What is computed from its programs (the bound, say) is traced once and then
repeated by its arithmetic alone (`simio.program.tape`), as long as every answer on the way stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from simio.program.records import changed, field_names
from simio.program.steps import Program
from simio.program.tape import Number, Recomputation, Tape, TracedValue

T = TypeVar("T")
Fill = Callable[[Sequence[Any]], Any]
"""Makes a value again, with these numbers in its holes."""

TRACES = 8
"""Most traces that are kept of a function, the latest first."""
TRIALS = 24
"""Times that a function is traced in vain before it is always called."""


class Template:
    """A program with holes; `program` is the first that was made of it.

    `changing` are the names of the fields that have holes, `step_words` the places of those in its flat steps.
    """

    def __init__(self, traced: Program) -> None:
        """Make a template of a program with traced values, its tables being arrays of objects.

        Raises TypeError for a traced value that is neither in a table nor in a tuple.
        """
        self.holes: list[TracedValue] = []
        self._tables: dict[str, np.ndarray] = {}
        self._tuples: dict[str, Fill] = {}
        self._spans: dict[str, tuple[int, int]] = {}
        self._latest: dict[str, tuple[Sequence[Number], Any]] = {}
        self._traces: dict[Callable[[Program], Any], _Traces] = {}
        first: dict[str, Any] = {}
        for name in (item.name for item in fields(Program)):
            begin, value = len(self.holes), getattr(traced, name)
            if isinstance(value, np.ndarray):
                first[name] = self._table(name, value)
            elif fill := holed(value, self.holes):
                self._tuples[name] = fill
                first[name] = fill([hole.value for hole in self.holes])
            if len(self.holes) > begin:
                self._spans[name] = begin, len(self.holes)
        self.program = replace(traced, **first)
        self.changing = frozenset(self._spans)
        self.step_words = self._tables.get("steps", np.empty(0, dtype=np.int64))

    def fill(self, words: Sequence[Number]) -> Program:
        """The program with these words in its holes. Raises OverflowError if a word does not fit 64 bits.

        A field with the same words as in the last program is the same object.
        """
        filled = {}
        for name, (begin, end) in self._spans.items():
            own = words[begin:end]
            latest = self._latest.get(name)
            if latest is None or latest[0] != own:
                latest = self._latest[name] = own, self._filled(name, words, np.int64)
            filled[name] = latest[1]
        return changed(self.program, filled)

    def compute(self, function: Callable[[Program], T], program: Program, words: Sequence[Number]) -> T:
        """A function of the program with these words, by a trace of the function if one holds."""
        traces = self._traces.setdefault(function, _Traces())
        for trace in traces.known:
            found: T | None = trace(words)
            if found is not None:
                traces.trials = min(traces.trials + 1, TRIALS)
                return found
        found = function(program)
        if traces.trials > 0:
            traces.trials -= 1
            self._trace(function, words, found, traces)
        return found

    def _trace(
        self, function: Callable[[Program], Any], words: Sequence[Number], found: Any, traces: _Traces
    ) -> None:
        """Trace a function, and keep the trace if it gives the same again."""
        tape = Tape(words)
        try:
            names = self._spans
            program = replace(self.program, **{name: self._filled(name, tape.inputs, object) for name in names})
            trace = _Trace(tape, function(program))
            same = trace(words) == found
        except Exception:
            # Something was done that cannot be traced: the function is then called each time.
            same = False
        if not same:
            traces.trials = 0
            return
        traces.known.insert(0, trace)
        del traces.known[TRACES:]

    def _table(self, name: str, traced: np.ndarray) -> Any:
        words = traced.ravel().tolist()
        own = [at for at, word in enumerate(words) if type(word) is TracedValue]
        self.holes += (words[at] for at in own)
        if own:
            self._tables[name] = np.array(own, dtype=np.int64)
        known = [word.value if type(word) is TracedValue else word for word in words]
        return np.array(known, dtype=np.int64).reshape(traced.shape)

    def _filled(self, name: str, words: Sequence[Any], dtype: type) -> Any:
        if name not in self._tables:
            return self._tuples[name](words)
        begin, end = self._spans[name]
        table = getattr(self.program, name).astype(dtype)
        table.ravel()[self._tables[name]] = words[begin:end]
        return table


@dataclass
class _Traces:
    """The traces of a function."""

    known: list[_Trace] = field(default_factory=list)
    trials: int = TRIALS


class _Trace:
    """Repeats a function for other words: its result, or None if the function would do something else."""

    def __init__(self, tape: Tape, result: Any) -> None:
        holes: list[TracedValue] = []
        self._result = result
        self._fill = holed(result, holes)
        self._replay: Recomputation = tape.replay(holes)

    def __call__(self, words: Sequence[Number]) -> Any:
        numbers = self._replay(words)
        if numbers is None:
            return None
        return self._fill(numbers) if self._fill else self._result


def holed(value: Any, holes: list[TracedValue], clear: set[int] | None = None) -> Fill | None:
    """Add the traced values inside of tuples and records to `holes`; returns what fills them, None if there are none.

    `clear` are the ids of tuples that are known to have none, as many steps share a label. Raises TypeError for a
    traced value inside of anything else that can be looked through.
    """
    kind: Any = type(value)
    if kind is TracedValue:
        at = len(holes)
        holes.append(value)
        return lambda numbers: numbers[at]
    clear = set() if clear is None else clear
    if issubclass(kind, tuple):
        if id(value) in clear:
            return None
        fills = [None if type(each) in _PLAIN else holed(each, holes, clear) for each in value]
        if not any(fills):
            clear.add(id(value))
            return None
        make = getattr(kind, "_make", tuple)
        filled = [(at, fill) for at, fill in enumerate(fills) if fill]
        return lambda numbers: make(_with(list(value), filled, numbers))
    if issubclass(kind, (list, dict, set, frozenset)):
        inside: list[TracedValue] = []
        # These tuples are gone when the call ends, and their ids are free for others.
        if holed(tuple(value), inside) or (kind is dict and holed(tuple(value.values()), inside)):
            raise TypeError("a traced value that is in no tuple or record")
        return None
    changing: dict[str, Fill] = {}
    for name in field_names(kind):
        each = getattr(value, name)
        if type(each) not in _PLAIN and (fill := holed(each, holes, clear)):
            changing[name] = fill
    if not changing:
        return None
    return lambda numbers: changed(value, {name: fill(numbers) for name, fill in changing.items()})


def _with(values: list[Any], filled: Sequence[tuple[int, Fill]], numbers: Sequence[Any]) -> list[Any]:
    for at, fill in filled:
        values[at] = fill(numbers)
    return values


_PLAIN = frozenset({int, float, bool, str, Fraction, type(None)})
