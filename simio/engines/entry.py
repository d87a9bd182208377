"""The compiled engine's loop behind a C interface, which is what machine code is made of."""

from __future__ import annotations

from numba import carray, cfunc, types

from simio.engines import layout as c
from simio.engines.families import TABLE
from simio.engines.kernel import advance


@cfunc(types.int64(*[TABLE] * len(c.TABLES)), error_model="numpy")
def entry(
    steps, threads, heap, ring, free, resources, containers, draws, draw_table, state, streams, stats, sums,
    gauges, log, trace, times, samples, control, sizes,
):  # fmt: skip
    """`advance` behind a C interface: the addresses of the tables, in the order of `layout.TABLES`."""
    n = carray(sizes, (c.SIZE_COLUMNS,))
    return advance(
        carray(steps, (n[c.STEPS], c.STEP_COLUMNS)),
        carray(threads, (n[c.THREADS], c.THREAD_COLUMNS)),
        carray(heap, (n[c.THREADS] + c.HEAP_SPARE, c.HEAP_COLUMNS)),
        carray(ring, (n[c.THREADS],)),
        carray(free, (n[c.THREADS],)),
        carray(resources, (n[c.RESOURCES], c.RESOURCE_COLUMNS)),
        carray(containers, (n[c.CONTAINERS], c.CONTAINER_COLUMNS)),
        carray(draws, (n[c.DRAWS], c.DRAW_COLUMNS)),
        carray(draw_table, (n[c.DRAW_ROWS], c.DRAW_ROW_COLUMNS)),
        carray(state, (n[c.STATE],)),
        carray(streams, (n[c.DRAWS], c.STREAM_COLUMNS)),
        carray(stats, (n[c.NAMES], c.STAT_COLUMNS)),
        carray(sums, (n[c.MARKS],)),
        carray(gauges, (n[c.GAUGES],)),
        carray(log, (n[c.LOG], c.LOG_COLUMNS)),
        carray(trace, (n[c.TRACE], c.TRACE_COLUMNS)),
        carray(times, (n[c.SAMPLES],)),
        carray(samples, (n[c.SAMPLES], n[c.SAMPLE_COLUMNS])),
        carray(control, (c.CONTROL_COLUMNS,)),
        n[c.USED_REGISTERS],
        n[c.UNTIL],
        n[c.BUDGET],
        n[c.RECORDS],
        n[c.TRACING],
    )
