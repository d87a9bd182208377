"""Datasheets of a measured machine, each value with the command that gave it; what is left is taken from a base."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simio.loading.catalogue import sheet
from simio.loading.datasheet import ValueEntry
from simio.measure.machine import OwnMachine
from simio.measure.small import Values

KERNEL = "kernels/linux-6.x"
STACK = "stacks/linux-6.x"
FILES = "filesystems/ext2"
TCP, REQUESTS, CACHED = "tcp", "requests", "cached"
"""The scenarios of the study; the tables are called so with -fit and -judge behind it."""


@dataclass(frozen=True)
class SheetValue:
    """A value of a datasheet, with its origin; a fitted one has bounds."""

    text: str
    basis: str
    source: str
    bounds: tuple[str, str] | None = None


Origin = Callable[[str, str], SheetValue]
"""A measured value of this text; the other text says by which means."""


def fitted(first: str, low: str, high: str, *studies: str) -> SheetValue:
    """A value to fit to these studies, with a first guess and the bounds of the search."""
    tables = " and ".join(f"{study}-fit" for study in studies)
    return SheetValue(first, "fitted", f"{tables}; a first guess until simio calibrate has fitted it", (low, high))


def write_sheets(
    folder: Path, machine: OwnMachine, small: Values, way: str, when: str, studies: Sequence[str]
) -> None:
    """Write cpu, memory, kernel, stack, file system and host into a folder.

    `way` says how the small measurements were made; `studies` are the scenarios with measured rows, to which values
    can be fitted.
    """
    by = f"simio measure, {when}"

    def told(text: str, what: str) -> SheetValue:
        return SheetValue(text, "measured", f"{what}; {by}")

    def small_one(text: str, words: str) -> SheetValue:
        return told(text, f"{way}, `small {words}`, raw/small-{words.split()[0]}.txt")

    _write(folder / "cpu.yaml", "cpu", f"{machine.model or 'CPU'} as measured", _cpu(machine, small, told, small_one))
    _write(folder / "memory.yaml", "memory", "Memory as measured", _memory(machine, small, told, small_one))
    _write(folder / "kernel.yaml", "unix", f"{machine.kernel} as measured", _kernel(machine, small, told, small_one))
    _write(folder / "stack.yaml", "tcp-ip", f"TCP/IP of {machine.kernel}", _stack(machine, told, studies))
    _write(folder / "files.yaml", "cached", f"Page cache of {machine.kernel}", _files(machine, studies))
    _write(
        folder / "veth.yaml",
        "virtual-network",
        "End of a veth pair, packets of which another CPU takes",
        _veth(small, small_one),
    )
    _host(folder / "host.yaml", machine, told)


def _cpu(machine: OwnMachine, small: Values, told: Origin, small_one: Origin) -> dict[str, SheetValue]:
    found = {
        "clock": told(f"{machine.clock / 1e9:.4g} GHz", "lscpu, raw/lscpu.json")
        if machine.clock
        else SheetValue("3 GHz", "assumed", "the machine does not tell; a usual clock"),
        "cache": told(f"{machine.cache >> 10} KiB", "lscpu, L2 of a core, raw/lscpu.json")
        if machine.cache
        else SheetValue("1 MiB", "assumed", "the machine does not tell; a usual L2"),
        "whole_lines": told(str(machine.whole_lines).lower(), "lscpu, flag erms: fast string operations"),
    }
    if "wake_ns" in small:
        # The time until the woken process runs has the waker's call and the switch in it, costs of their own.
        rest = small["wake_ns"] - small["waking_write_ns"] - small.get("context_switch_ns", 0)
        found["idle_exit"] = small_one(f"{max(rest, 0):.1f} ns", "wakes")
    return found


def _memory(machine: OwnMachine, small: Values, told: Origin, small_one: Origin) -> dict[str, SheetValue]:
    together = sum(rate for name, rate in small.items() if name.startswith("copy_of_"))
    crossings = 2 if machine.whole_lines else 3
    largest = max((int(name.split("_")[1]) for name in small if name.split("_")[1].isdigit()), default=0)
    size = f"{largest >> 20} MiB"
    found = {
        "size": told(f"{machine.memory >> 20} MiB", "/proc/meminfo, raw/meminfo.txt")
        if machine.memory
        else SheetValue("4 GiB", "assumed", "the machine does not tell"),
        "rate": small_one(f"{crossings * together:.0f} MB/s", f"together {size} {machine.cpus}")
        if together
        else SheetValue(
            "20 GB/s", "assumed", "a usual rate of two channels; copies of all CPUs together were not measured"
        ),
    }
    for key, name, usual in (("copy_rate", "copy_to_buffer_MBps", "5 GB/s"), ("xor_rate", "xor_MBps", "8 GB/s")):
        found[key] = (
            small_one(f"{small[name]:.0f} MB/s", f"copy {size}")
            if name in small
            else SheetValue(usual, "assumed", "a usual rate of a core; it was not measured")
        )
    return found


def _kernel(machine: OwnMachine, small: Values, told: Origin, small_one: Origin) -> dict[str, SheetValue]:
    values = _base(KERNEL)
    values["page"] = told(f"{machine.page} B", "getconf PAGE_SIZE")
    if machine.clock:
        values["reference_clock"] = SheetValue(
            f"{machine.clock / 1e9:.4g} GHz", "defined", "that of the processor, cpu.yaml"
        )
    for key, name, words in (
        ("system_call", "system_call_ns", "calls"), ("context_switch", "context_switch_ns", "switches"),
        ("page_fault", "file_fault_ns", "faults"), ("map_call", "map_call_ns", "faults"),
    ):  # fmt: skip
        if name in small:
            values[key] = small_one(f"{max(small[name], 0.1):.1f} ns", words)
    return values


def _stack(machine: OwnMachine, told: Origin, studies: Sequence[str]) -> dict[str, SheetValue]:
    values = _base(STACK)
    for key, name in (("send_space", "net/ipv4/tcp_wmem"), ("receive_space", "net/ipv4/tcp_rmem")):
        words = machine.sysctl.get(name, "").split()
        if len(words) == 3:
            values[key] = told(f"{words[2]} B", f"sysctl {name.replace('/', '.')}, the most that autotuning reaches")
    if "net/core/rmem_default" in machine.sysctl:
        size = machine.sysctl["net/core/rmem_default"]
        values["datagram_receive_space"] = told(f"{size} B", "sysctl net.core.rmem_default")
    values["congestion_control"] = SheetValue("cubic", "defined", "what iperf3 asks for, -C cubic")
    values["copies"] = SheetValue("true", "standard", "Linux copies, but for sendfile and MSG_ZEROCOPY")
    both = [study for study in (TCP, REQUESTS) if study in studies]
    guesses = {"socket_call": "0.5 us", "tcp_send": "0.8 us", "tcp_receive": "0.8 us"}
    for key, first in guesses.items():
        if both:
            values[key] = fitted(first, "0.02 us", "20 us", *both)
        else:
            values[key] = SheetValue(first, "assumed", "a guess; TCP was not measured here")
    for key in ("ip_send", "ip_receive"):
        values[key] = SheetValue("0 s", "derived", "in the costs of TCP: nothing tells the two apart from outside")
    for key in ("udp_send", "udp_receive"):
        values[key] = SheetValue("0.8 us", "assumed", "as a segment of TCP; datagrams were not measured")
    return values


def _veth(small: Values, small_one: Origin) -> dict[str, SheetValue]:
    values = _base("adapters/veth")
    values["wake_cost"] = (
        small_one(f"{max(small['waking_write_ns'], 0):.1f} ns", "wakes")
        if "wake_ns" in small
        else SheetValue("10 us", "assumed", "a guess; wake-ups were not measured")
    )
    return values


def _files(machine: OwnMachine, studies: Sequence[str]) -> dict[str, SheetValue]:
    values = _base(FILES)
    values["cache"] = SheetValue(f"{max(machine.memory // 2, 2**26) >> 20} MiB", "assumed", "half of the memory")
    values["dirty_limit"] = SheetValue(
        f"{max(machine.memory // 10, 2**24) >> 20} MiB", "standard", "Linux sysctl vm.dirty_background_ratio: 10 %"
    )
    values["page_cost"] = SheetValue(
        "0.5 us", "assumed", "a page is allocated, zeroed or filled, and entered; not measured"
    )
    values["lookup_cost"] = (
        fitted("50 ns", "1 ns", "2 us", CACHED) if CACHED in studies else SheetValue("50 ns", "assumed", "a guess")
    )
    values.pop("index_span", None)
    return values


def _base(name: str) -> dict[str, SheetValue]:
    """The values of a part of the catalogue that have an origin, as they are there."""
    entry = sheet(name)
    return {key: _as_there(name, value) for key, value in entry.values.items()}


def _as_there(name: str, value: ValueEntry) -> SheetValue:
    basis = "assumed" if value.basis == "fitted" else value.basis
    return SheetValue(value.text, basis, f"as {name}: {value.source}")


def _host(path: Path, machine: OwnMachine, told: Origin) -> None:
    parts = {
        "cpu": "./cpu.yaml", "memory": "./memory.yaml", "kernel": "./kernel.yaml", "stack": "./stack.yaml",
        "buses": {"bus": "buses/ideal"}, "adapters": {"eth": {"model": "./veth.yaml", "bus": "bus"}},
    }  # fmt: skip
    _write(path, "host", machine.title, {"cpus": told(str(machine.cpus), "lscpu, raw/lscpu.json")}, parts)


def _write(
    path: Path, kind: str, title: str, values: Mapping[str, SheetValue], parts: Mapping[str, object] | None = None
) -> None:
    lines = [f"kind: {kind}", f"title: {quoted(title)}", "values:"]
    for key, value in values.items():
        lines += [f"  {key}:", f"    value: {_scalar(value.text)}", f"    basis: {value.basis}"]
        lines.append(f"    source: {quoted(value.source)}")
        if value.bounds:
            low, high = value.bounds
            lines += [f"    interval: [{low}, {high}]", f"    bounds: [{low}, {high}]"]
    if parts:
        lines.append("parts:")
        lines += [f"  {key}: {json.dumps(part) if isinstance(part, dict) else part}" for key, part in parts.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def quoted(text: str) -> str:
    """A text as YAML has it in quotes."""
    return json.dumps(text, ensure_ascii=False)


def _scalar(text: str) -> str:
    return text if text not in ("", "none") else "none"
