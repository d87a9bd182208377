"""The compiled engine's tables as its functions see them, by their addresses in `control`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from simio.engines import layout as c
from simio.engines.jit import OPTIONS

_written_out = njit(inline="always", **OPTIONS)  # type: ignore[call-overload]
"""Inlined by numba: without reference counts no function may return an array."""
WORDS = types.CPointer(types.int64)


@intrinsic
def pointer(typing: Any, address: Any) -> Any:
    """The words at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(WORDS))

    return WORDS(address), generate


def _array(dimensions: int) -> Any:
    kind = types.Array(types.int64, dimensions, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        array = context.make_array(kind)(context, builder)
        shape = arguments[1:]
        strides = [word(8)] if dimensions == 1 else [builder.mul(shape[1], word(8)), word(8)]
        populate_array(array, arguments[0], shape, strides, word(8), None)
        return array._getvalue()

    return kind, generate


@intrinsic
def row(typing: Any, at: Any, count: Any) -> Any:
    """An array of words. numba's own `carray` is not to be had without reference counts."""
    kind, generate = _array(1)
    return kind(at, count), generate


@intrinsic
def table(typing: Any, at: Any, rows: Any, columns: Any) -> Any:
    """An array of rows."""
    kind, generate = _array(2)
    return kind(at, rows, columns), generate


@_written_out
def heap(control):
    """Pending events."""
    return table(pointer(control[c.HEAP_AT]), control[c.THREADS] + c.HEAP_SPARE, c.HEAP_COLUMNS)


@_written_out
def threads(control):
    """All threads, those that have ended among them."""
    return table(pointer(control[c.THREADS_AT]), control[c.THREADS], c.THREAD_COLUMNS)


@_written_out
def resources(control):
    """Resources, by their number in the program."""
    return table(pointer(control[c.RESOURCES_AT]), control[c.RESOURCES], c.RESOURCE_COLUMNS)


@_written_out
def containers(control):
    """Containers, by their number in the program."""
    return table(pointer(control[c.CONTAINERS_AT]), control[c.CONTAINERS], c.CONTAINER_COLUMNS)


@_written_out
def timeline(control):
    """Instants and rows of the timeline."""
    times = row(pointer(control[c.TIMES_AT]), control[c.SAMPLES])
    return times, table(pointer(control[c.SAMPLES_AT]), control[c.SAMPLES], control[c.SAMPLE_COLUMNS])
