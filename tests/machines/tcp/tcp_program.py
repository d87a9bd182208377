"""A program in which two endpoints exchange segments, for either engine."""

from __future__ import annotations

from tcp_bench import MS

from simio.machines.tcp import TcpSettings, buffers, connection, initial, receiving, sending, timers
from simio.machines.tcp.layout import TIMER
from simio.program.builder import Builder
from simio.program.steps import Program

SIZE = 60_000


def transfer(settings: TcpSettings) -> Program:
    """Every 10 ms each end has its turn: timers, what it writes, what it sends, of which one in 20 is lost."""
    p = Builder()
    seen = p.observation("received")
    lossy = p.uniform("loss", 0, 20)
    ends = [p.machine(name, initial(settings)) for name in ("A", "B")]

    def turn(end: int, left) -> None:
        here, there = ends[end], ends[1 - end]
        bits, size, word, luck = (p.register() for _ in range(4))
        second, third, fourth, fifth = (p.register() for _ in range(4))
        p.call(bits, connection.expire, here)
        p.call(bits, timers.sleep, here)
        with p.when(left, ">", 0):
            p.call(size, buffers.room, here, left)
            with p.when(size, ">", 0):
                p.call(bits, buffers.append, here, size)
                p.let(left, "SUB", left, size)
        with p.until(word, "<", TIMER):
            p.call(word, sending.output, here)
            p.let(word, "SUB", word, 1)
            with p.when(word, ">=", TIMER):
                p.call(second, sending.acknowledgement, here)
                p.call(third, connection.stamps, here)
                p.call(fourth, receiving.block, here, 0)
                p.call(fifth, receiving.block, here, 1)
                p.draw(luck, lossy)
                with p.when(luck, ">", 0):
                    p.call(bits, connection.take_stamps, there, third)
                    p.call(bits, connection.take_blocks, there, fourth, fifth)
                    p.call(bits, connection.accept, there, word, second)
        p.call(size, receiving.read, here, 2000)
        p.mark(seen, size)
        p.call(bits, sending.wants, here)

    with p.thread("both"):
        left, none, opened = p.register(SIZE), p.register(0), p.register()
        p.call(opened, connection.open_up, ends[1], 0)
        p.call(opened, connection.open_up, ends[0], 1)
        with p.loop(6000):
            turn(0, left)
            turn(1, none)
            p.advance(10 * MS)
    return p.build()
