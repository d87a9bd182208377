"""Two network namespaces of their own with a veth pair between them, which go when the last process in them ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from simio.measure.log import Log, Unavailable

ADDRESSES = ("198.18.0.1", "198.18.0.2")
"""Addresses of the range for benchmarks (RFC 2544, appendix C.2.2), in namespaces that nothing else can reach."""
DEVICES = ("simio0", "simio1")
LIFETIME = 1800
"""Seconds after which the namespaces end by themselves, should nobody end them."""


class VethPair:
    """A veth pair between two namespaces; each end has one CPU of its own for programs and for what arrives.

    Segmentation and receive offloads are off, so that packets are what TCP sends. Use as a context. Raises
    Unavailable where the system does not allow it.
    """

    def __init__(self, log: Log, mtu: int) -> None:
        self.log, self.mtu = log, mtu
        self.holders: list[subprocess.Popen[bytes]] = []
        self.servers: list[subprocess.Popen[bytes]] = []
        self.cpus = sorted(os.sched_getaffinity(0))[:2]
        self.rootless = os.geteuid() != 0

    def __enter__(self) -> VethPair:
        for tool in ("unshare", "nsenter", "ip", "ethtool", "taskset", "mount"):
            if not shutil.which(tool):
                raise Unavailable(f"{tool} is not installed")
        if len(self.cpus) < 2:
            raise Unavailable("there is one CPU alone, and each end needs one")
        try:
            self._make()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._end()

    def _make(self) -> None:
        first = ["unshare", *(["--user", "--map-root-user"] if self.rootless else []), "--net"]
        self._hold([*first, "sleep", str(LIFETIME)])
        self._hold([*(self._enter(0) if self.rootless else []), "unshare", "--net", "sleep", str(LIFETIME)])
        ours = self._enter(0)
        self.log.run(
            [*ours, "ip", "link", "add", DEVICES[0], "type", "veth", "peer", "name", DEVICES[1],
             "netns", str(self.holders[1].pid)], shown="ip link add",
        )  # fmt: skip
        for end, device in enumerate(DEVICES):
            for words in (
                ["ip", "link", "set", "lo", "up"],
                ["ip", "address", "add", f"{ADDRESSES[end]}/30", "dev", device],
                ["ip", "link", "set", device, "mtu", str(self.mtu), "up"],
                ["ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off"],
            ):
                self.log.run([*self._enter(end), *words], shown=" ".join(words[:3]))
            mask = f"{1 << self.cpus[end]:x}"
            steer = f"mount -t sysfs none /sys && echo {mask} > /sys/class/net/{device}/queues/rx-0/rps_cpus"
            self.log.run(
                [*self._enter(end), "unshare", "--mount", "sh", "-c", steer], shown="receive packet steering"
            )

    def _hold(self, command: Sequence[str]) -> None:
        """Start a process whose namespace is used until it ends."""
        before = os.readlink("/proc/self/ns/net")
        holder = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.holders.append(holder)
        seen = {before, *(_namespace(other.pid) for other in self.holders[:-1])}
        for _ in range(200):
            if holder.poll() is not None:
                said = holder.stderr.read().decode(errors="replace").strip() if holder.stderr else ""
                raise Unavailable(f"namespaces are not allowed here: {said}")
            if _namespace(holder.pid) not in seen:
                return
            time.sleep(0.02)
        raise Unavailable("a network namespace did not come about")

    def _enter(self, end: int) -> list[str]:
        """The beginning of a command in the namespace of an end."""
        user = ["--user", "--preserve-credentials"] if self.rootless else []
        return ["nsenter", "--target", str(self.holders[end].pid), *user, "--net"]

    def command(self, end: int, words: Sequence[str]) -> list[str]:
        """A command that runs in the namespace and on the CPU of an end."""
        return [*self._enter(end), "taskset", "-c", str(self.cpus[end]), *words]

    def serve(self, words: Sequence[str]) -> None:
        """Start a server at the second end, until the pair ends. Raises Unavailable if it does not start."""
        server = subprocess.Popen(
            self.command(1, words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self.servers.append(server)
        time.sleep(0.3)
        if server.poll() is not None:
            raise Unavailable(f"{words[0]} did not start as a server")

    def _end(self) -> None:
        for server in self.servers:
            end_group(server)
        for holder in self.holders:
            holder.kill()
            holder.wait()
            if holder.stderr:
                holder.stderr.close()


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started in a session of its own, with its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _namespace(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return os.readlink("/proc/self/ns/net")
