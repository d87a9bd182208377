"""Datasheets of computers: processor, memory, and the host's own values."""

from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Flag,
    Frequency,
    Limit,
    OptionalCount,
    OptionalRate,
    Quantity,
    Rate,
    Share,
    Time,
    refusal,
)
from simio.description.sheets.base import TIMER, Sheet, register_sheet

OptionalFrequency = Annotated[Fraction | None, Quantity("frequency", positive=True, word="none")]
"""A frequency, or none."""
ThreadRate = Annotated[Fraction, Quantity("share", positive=True)]
"""A share of a core's rate."""


class Cpu(Sheet):
    """A processor."""

    work = {
        "clock": "CPU clock",
        **dict.fromkeys(("line_near", "line_far"), "cache lines that move"),
        **dict.fromkeys(("line_l2", "line_llc", "line_memory"), "cache misses"),
        **dict.fromkeys(("copy_l1", "copy_l2", "copy_llc", "copy_far"), "copies"),
        **dict.fromkeys(("idle_exit", "idle_deep_exit", "idle_deep_cold"), "sleep states"),
        "idle_deep": TIMER,
        **dict.fromkeys(("clock_least", "clock_period"), TIMER),
        "aes_gcm": "encryption",
        "coding": "parity",
    }

    clock: Frequency = Field(description="clock rate; kernel costs scale with it")
    clock_least: OptionalFrequency = Field(
        None,
        description="clock of a core that has little to do, between which and `clock` its governor chooses; "
        "none: clocks stay",
    )
    clock_period: Duration = Field(10**10, description="time from one such choice to the next")
    cache: Extent = Field(description="largest cache of one CPU")
    whole_lines: Flag = Field(
        False, description="whether copies write whole cache lines without fetching them from memory before"
    )
    l1: Limit = Field(None, description="first data cache of a core; none: not separate")
    copy_l1: OptionalRate = Field(
        None, description="rate of a core's copies between buffers that lie in l1; none: the memory's copy_rate"
    )
    copy_l2: OptionalRate = Field(None, description="the same where they lie in cache")
    copy_llc: OptionalRate = Field(None, description="the same where they lie in the last-level cache of the socket")
    copy_far: OptionalRate = Field(None, description="the same where the source lies in memory of another socket")
    aes_gcm: OptionalRate = Field(
        None, description="rate at which a core encrypts or decrypts by AES-256-GCM; none: not known, so no TLS"
    )
    coding: OptionalRate = Field(
        None,
        description="rate at which a core multiplies bytes in GF(2^8) and adds them up, for a parity each: "
        "erasure codes and RAIDZ; none: the memory's xor_rate",
    )
    smt: Flag = Field(
        False, description="whether each core has two hardware threads, so that half of the host's CPUs are cores"
    )
    thread_rate: ThreadRate = Field(
        Fraction(65, 100),
        description="rate of a hardware thread while its sibling works, as a share of that of a core alone: up to "
        "30% more by both together (Marr and others, Intel Technology Journal 6(1), 2002)",
    )
    socket_cores: OptionalCount = Field(None, description="cores of a socket; none: all of the host are in one")
    line_near: Time = Field(0, description="time to get a cache line that another core of the socket wrote last")
    line_far: Time = Field(0, description="the same from a core of another socket")
    line_l2: Time = Field(0, description="time to load a cache line from cache, beyond that from l1")
    line_llc: Time = Field(0, description="the same from the last-level cache of the socket")
    line_memory: Time = Field(0, description="the same from memory")
    idle_exit: Time = Field(0, description="time until an idle core runs again")
    idle_deep: Time = Field(
        0, description="time after which an idle core is in its deeper sleep state; 0 s: it has none"
    )
    idle_deep_exit: Time = Field(0, description="time until it runs again from there")
    idle_deep_cold: Time = Field(0, description="time by which the first work after that takes longer")

    @property
    def threads(self) -> int:
        """Hardware threads of a core."""
        return 2 if self.smt else 1

    @model_validator(mode="after")
    def _within_the_core(self) -> Self:
        if self.clock_least is not None and self.clock_least > self.clock:
            raise refusal(f"{float(self.clock_least):g} Hz", "at most the clock", field="clock_least")
        if self.thread_rate > 1:
            raise refusal(f"{float(100 * self.thread_rate):g} %", "at most 100 %", field="thread_rate")
        return self


class Memory(Sheet):
    """Main memory as the I/O path sees it: one server that bytes pass through.

    Channels are interleaved by address, in steps of a few cache lines, so that the bytes of a page are spread over
    all of them, and all are busy alike. So they are one server with the rate of all (docs/pcie.md).
    """

    work = {"copy_rate": "copies", "xor_rate": "parity"}
    alternatives = ("rate", "channels", "channel_rate", "reached")

    size: Extent = Field(description="capacity")
    rate: OptionalRate = Field(
        None,
        description="bytes a second that memory moves for reads and writes together; none: what `reached` says of "
        "its channels",
    )
    channels: OptionalCount = Field(
        None, description="channels that addresses are interleaved over, each with modules; none: `rate` says it"
    )
    channel_rate: OptionalRate = Field(
        None, description="bytes a second of a channel: 8 bytes a transfer (JEDEC), as 25.6 GB/s of DDR4-3200"
    )
    reached: Share = Field(None, description="share of the channels' rate that streams reach")
    copy_rate: Rate = Field(
        description="rate at which one CPU, alone, copies from the kernel's memory to a program's"
    )
    xor_rate: Rate = Field(description="rate at which one CPU, alone, works through buffers to compute parity")

    @property
    def moved(self) -> Fraction:
        """Bytes a second that memory moves for reads and writes together."""
        if self.rate is not None:
            return self.rate
        assert self.channels
        assert self.channel_rate
        assert self.reached
        return self.channels * self.channel_rate * self.reached

    @model_validator(mode="after")
    def _one_rate(self) -> Self:
        channels = {name: getattr(self, name) for name in ("channels", "channel_rate", "reached")}
        given = [name for name, value in channels.items() if value is not None]
        if self.rate is not None and given:
            raise refusal(
                f"{given[0]} beside a rate",
                "either the rate of all or channels",
                f"write 'rate: none' to count channels, or none for {' and '.join(given)}",
                field="rate",
            )
        if self.rate is None and len(given) < len(channels):
            missing = next(name for name in channels if name not in given)
            raise refusal("none", "a value, or a rate of all", f"{', '.join(channels)} go together", missing)
        if self.reached is not None and self.reached > 1:
            raise refusal(f"{float(100 * self.reached):g} %", "at most 100 %", field="reached")
        return self


class HostSheet(Sheet):
    """A computer: the values that belong to no part of it."""

    cpus: Count = Field(description="number of CPUs")


register_sheet("cpu", "cpu", Cpu)
register_sheet("memory", "memory", Memory)
register_sheet("host", "host", HostSheet)
