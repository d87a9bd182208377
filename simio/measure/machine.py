"""Description of a machine by its own system: processors, memory, devices, and the settings of the kernel."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from simio.measure.log import Log, Unavailable

SYS = Path("/sys")
PROC = Path("/proc")


@dataclass
class OwnMachine:
    """Facts of the machine: sizes in bytes, clocks in Hz; 0 or empty if unknown."""

    cpus: int = 0
    model: str = ""
    clock: float = 0.0
    cache: int = 0
    whole_lines: bool = False
    virtual: str = ""
    memory: int = 0
    page: int = 4096
    kernel: str = ""
    sysctl: dict[str, str] = field(default_factory=dict)
    load: float = 0.0

    @property
    def title(self) -> str:
        """The processor, and how many of them."""
        where = f", virtual machine ({self.virtual})" if self.virtual else ""
        return f"{self.cpus} x {self.model or 'CPU'}, {self.memory / 2**30:.0f} GiB, {self.kernel}{where}"


def machine(log: Log) -> OwnMachine:
    """All facts that the system has; missing ones are listed in the log, and raw output is kept."""
    found = OwnMachine(cpus=len(os.sched_getaffinity(0)), page=os.sysconf("SC_PAGE_SIZE"))
    found.kernel = f"Linux {platform.release()}"
    found.load = os.getloadavg()[0]
    log.keep("raw/uname.txt", f"{platform.system()} {platform.release()} {platform.machine()}\n")
    text = log.attempt("lscpu", lambda: log.run(["lscpu", "-J"]))
    if text:
        log.keep("raw/lscpu.json", text)
        _processors(found, text)
    if not found.clock:
        _clock(found, log)
    memory = log.attempt("memory", lambda: _read(PROC / "meminfo"))
    if memory:
        log.keep("raw/meminfo.txt", memory)
        match = re.search(r"MemTotal:\s+(\d+) kB", memory)
        found.memory = int(match[1]) * 1024 if match else 0
    _devices(log)
    for name in ("net/ipv4/tcp_wmem", "net/ipv4/tcp_rmem", "net/ipv4/tcp_congestion_control", "net/core/rmem_default",
                 "net/core/netdev_max_backlog"):  # fmt: skip
        value = log.attempt(f"sysctl {name}", partial(_read, PROC / "sys" / name))
        if value:
            found.sysctl[name] = value.strip()
    log.keep("raw/sysctl.txt", "".join(f"{key} = {value}\n" for key, value in found.sysctl.items()))
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}") from None


def _processors(found: OwnMachine, text: str) -> None:
    told = dict(_flat(json.loads(text).get("lscpu", [])))
    found.model = told.get("Model name", "")
    clock = re.search(r"@ ([\d.]+) ?GHz", found.model)
    most = told.get("CPU max MHz") or told.get("CPU MHz")
    if most:
        found.clock = float(most) * 1e6
    elif clock:
        found.clock = float(clock[1]) * 1e9
    elif told.get("BogoMIPS"):
        # Twice the clock of the time stamp counter on x86 (arch/x86/kernel/tsc.c: loops_per_jiffy).
        found.clock = float(told["BogoMIPS"]) * 1e6 / 2
    flags = told.get("Flags", "").split()
    found.whole_lines = "erms" in flags
    found.virtual = told.get("Hypervisor vendor", "")
    found.cache = _cache(told.get("L2 cache", told.get("L2", "")))


def _flat(entries: list[Mapping[str, object]]) -> list[tuple[str, str]]:
    """Field and value of each entry, and of those below it."""
    pairs = []
    for entry in entries:
        pairs.append((str(entry["field"]).rstrip(":"), str(entry.get("data") or "")))
        below = entry.get("children")
        pairs += _flat(below) if isinstance(below, list) else []
    return pairs


def _cache(text: str) -> int:
    """Bytes of one cache, of a text such as `4 MiB (2 instances)`."""
    match = re.match(r"([\d.]+) ?([KMG])i?B?(?: \((\d+) instances?\))?", text)
    if not match:
        return 0
    return int(float(match[1]) * 1024 ** ("KMG".index(match[2]) + 1)) // int(match[3] or 1)


def _clock(found: OwnMachine, log: Log) -> None:
    text = log.attempt("clock", lambda: _read(PROC / "cpuinfo")) or ""
    match = re.search(r"cpu MHz\s*:\s*([\d.]+)", text)
    if match:
        found.clock = float(match[1]) * 1e6
    else:
        log.lacks("clock", "neither lscpu nor /proc/cpuinfo tells it")


def _devices(log: Log) -> None:
    """Raw output of the tools that list PCI, NVMe, block and network devices."""
    text = log.attempt("lspci", lambda: log.run(["lspci", "-vv"]))
    if text is not None:
        if text.strip():
            log.keep("raw/lspci.txt", text)
        else:
            log.lacks("lspci", "there is no PCI bus")
    drives = sorted(SYS.glob("class/nvme/nvme*"))
    if not drives:
        log.lacks("nvme id-ctrl", "there is no NVMe controller")
    for drive in drives:
        text = log.attempt(f"nvme id-ctrl {drive.name}", partial(log.run, ["nvme", "id-ctrl", f"/dev/{drive.name}"]))
        if text:
            log.keep(f"raw/nvme-{drive.name}.txt", text)
    lines = []
    for queue in sorted(SYS.glob("block/*/queue")):
        if queue.parent.name.startswith(("loop", "ram", "zram")):
            continue
        for key in ("rotational", "scheduler", "nr_requests", "max_sectors_kb", "read_ahead_kb", "write_cache"):
            if (queue / key).is_file():
                lines.append(f"{queue.parent.name}/{key} = {(queue / key).read_text().strip()}\n")
    if lines:
        log.keep("raw/block.txt", "".join(lines))
    else:
        log.lacks("/sys/block", "there is no block device")
    cards = [path.name for path in sorted(SYS.glob("class/net/*")) if (path / "device").exists()]
    if not cards:
        log.lacks("ethtool", "there is no network card")
    for card in cards:
        parts = []
        for option in ("-i", "-k", "-g", "-c", "-l"):
            text = log.attempt(f"ethtool {option} {card}", partial(log.run, ["ethtool", option, card]))
            parts.append(text or "")
        log.keep(f"raw/ethtool-{card}.txt", "\n".join(parts))
