"""Faults that a scenario injects: what is lost, what is delivered all the same, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from simio.bound import bound
from simio.components.faults.condition import Schedule
from simio.components.host.host import PROCESS
from simio.description.faults import base
from simio.description.faults.down import Down
from simio.description.model import System
from simio.engines.execute import execute
from simio.engines.outcome import Options, Outcome
from simio.errors import RunError, ScenarioError
from simio.loading.scenario import ScenarioFile
from simio.lower import lower
from simio.program.builder import Builder
from simio.program.digest import program_hash
from simio.program.steps import Program
from simio.running import check

MS = 10**9
ENGINES = ("compiled", "simpy")


@dataclass(frozen=True)
class Ran:
    """A program and what came of it."""

    program: Program
    outcome: Outcome

    def marks(self, name: str) -> list[tuple[int, int]]:
        """(time in ps, value) of the marks of this name."""
        numbers = [n for n, mark in enumerate(self.program.marks) if mark.name == name]
        rows = self.outcome.marks[np.isin(self.outcome.marks[:, 1], numbers)]
        return [(int(time), int(value)) for time, _, value in rows]

    def delivered(self) -> int:
        roles = [mark.role for mark in self.program.marks]
        return sum(value for _, mark, value in self.outcome.marks.tolist() if roles[mark] == "delivered")

    def silence(self) -> int:
        """The longest time between two deliveries, in ps."""
        return max(after - before for (before, _), (after, _) in pairwise(self.marks("delivered")))

    def counted(self, owner: str, what: str) -> int:
        """Count that a machine made by itself."""
        found = [t for t in self.program.tallies if (t.owner, t.what) == (owner, what)]
        return int(self.outcome.state[found[0].at])


def described(text: str, *sets: str) -> Any:
    """The system of a scenario's text."""
    return ScenarioFile("faults.yaml", text).scenario(sets).cases[0].system


@cache
def run(text: str, *sets: str) -> Ran:
    """Run a scenario's text, on both engines: they must agree, and lie under the bound."""
    program = lower(described(text, *sets))
    first, second = (execute(program, Options(), engine) for engine in ENGINES)
    assert first.differences(second) == []
    check(program, first, bound(program))
    return Ran(program, first)


# --- a link or port that is down -----------------------------------------------------------------------------

TCP = """
title: a link goes down
hosts:
  a: {model: hosts/sun-e450-400}
  b: {like: a}
switches: {switch: switches/catalyst-6509}
links:
  - {model: links/ethernet-1000, between: [a.ge, switch], length: 20 m}
  - {model: links/ethernet-1000, between: [b.ge, switch], length: 20 m, name: uplink}
workload:
  ttcp: {from: a, to: b, size: 64 KiB, writes: 40, window: 64 KiB}
run: {warm_up: 0 s}
"""
WHOLE = 40 * 65536


def down(of: str, at: str, for_: str) -> str:
    return f"faults: [{{kind: down, of: {of}, at: {at}, for: {for_}}}]\n"


@pytest.mark.parametrize(("lasts", "timeouts", "silent"), [("5 ms", 1, 190), ("300 ms", 2, 590), ("1 s", 3, 1390)])
def test_tcp_delivers_all_after_an_outage_when_its_timer_has_backed_off_past_it(
    lasts: str, timeouts: int, silent: int
) -> None:
    ran = run(TCP + down("uplink", "320 ms", lasts))
    assert ran.delivered() == WHOLE
    assert ran.counted("ttcp at a", "timed out") == timeouts
    # The least timeout of Solaris 7, 20 ticks of 10 ms of which the first is under way, and then twice as long each
    # time (RFC 6298, rule 5.5): 190, 190 + 400 and 190 + 400 + 800 ms.
    assert silent * MS < ran.silence() < (silent + 10) * MS
    waited = ran.counted("ttcp at a", "its retransmission timer")
    assert (silent - 10) * MS < waited < (silent + 10) * MS


@pytest.mark.slow
def test_what_ends_before_an_outage_or_begins_after_it_is_not_touched() -> None:
    still = run(TCP)
    for at in ("0 s", "10 s"):
        ran = run(TCP + down("uplink", at, "1 us"))
        assert ran.marks("delivered") == still.marks("delivered")
    assert not still.marks("switch>b.ge lost")


def test_a_switch_that_is_down_takes_all_its_links_with_it() -> None:
    ran = run(TCP + down("switch", "320 ms", "5 ms"))
    one = run(TCP + down("a.ge", "320 ms", "1 ms"))
    assert ran.marks("a.ge>switch lost")
    assert ran.marks("b.ge>switch lost")
    assert one.marks("a.ge>switch lost")
    assert not one.marks("b.ge>switch lost")
    assert ran.delivered() == one.delivered() == WHOLE


HIPPI = """
title: a HIPPI port is down
hosts:
  a: {model: hosts/sgi-challenge-l}
  b: {like: a}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m, name: cable}]
workload:
"""
RAW = HIPPI + "  blast: {from: a, to: b, size: 64 KiB, packets: 1}\n"
IP = HIPPI + "  ttcp: {from: a, to: b, size: 61440 B, writes: 8, window: 512 KiB}\n"


@pytest.mark.parametrize("text", [RAW, IP])
def test_over_hippi_a_source_waits_and_nothing_is_lost(text: str) -> None:
    still, ran = run(text), run(text + down("cable", "0 s", "1 s"))
    assert [value for _, value in ran.marks("delivered")] == [value for _, value in still.marks("delivered")]
    # The connection is there after a second, and a packet on its way to it had to wait for no longer than that.
    assert 0.99 < (ran.outcome.end - still.outcome.end) / 10**12 <= 1


def test_a_scenario_without_faults_has_the_program_it_had() -> None:
    hashes = {program_hash(lower(described(TCP + more))) for more in ("", "faults:\n", "faults: []\n")}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("{kind: down, of: uplnk, at: 0 s, for: 1 s}", "unknown link, switch or adapter 'uplnk'"),
        ("{kind: down, of: uplnk, at: 0 s, for: 1 s}", "did you mean 'uplink'?"),
        ("{kind: dwn, of: uplink, at: 0 s, for: 1 s}", "the unknown kind of fault 'dwn'"),
        ("{kind: down, of: a, at: 0 s, for: 1 s}", "the host 'a'; expected a link, switch or adapter"),
        ("{kind: down, of: uplink, at: 0 s}", "faults.fault1.for: found nothing"),
        ("{kind: down, of: uplink, at: 0 s, for: 0 s}", "expected a time above zero"),
        ("{of: uplink, at: 0 s, for: 1 s}", "faults.fault1.kind: found nothing"),
        ("7", "found 7; expected a mapping with kind and of"),
    ],
)
def test_errors_tell_what_is_wrong(fault: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        described(TCP + f"faults:\n  - {fault}\n")
    assert told in str(error.value)
    assert str(error.value).startswith("faults.yaml:14:")


def test_a_link_that_nothing_models_the_failure_of_is_refused() -> None:
    text = """
title: an array on a bus of its own
hosts: {a: {model: hosts/sgi-challenge-l, adapters: {ipi: {model: adapters/sgi-ipi, bus: hio}}}}
disks: {d: disks/ipi-array-1994}
links: [{model: links/ipi-25, between: [a.ipi, d], length: 10 m, name: bus}]
workload: {reader: {host: a, from: d, block: 64 KiB, size: 1 MiB}}
"""
    with pytest.raises(ScenarioError, match="expected a link of a kind that can be down"):
        described(text + down("bus", "0 s", "1 s"))


def test_a_kind_of_fault_may_have_the_effect_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(Down):
        """A link is down twice, and up for as long in between."""

        def applied(self, system: System) -> System:
            later = self.at + 2 * self.for_
            once = super().applied(system)
            links = [replace(link, down=(*link.down, (later, later + self.for_))) for link in once.links]
            return replace(once, links=tuple(links))

    monkeypatch.setitem(base._KINDS, "twice", Twice)
    system = described(TCP + down("uplink", "1 ms", "2 ms").replace("kind: down", "kind: twice"))
    assert [link.down for link in system.links if link.name == "uplink"] == [((MS, 3 * MS), (5 * MS, 7 * MS))]


def test_an_outage_varies_like_any_other_value() -> None:
    text = TCP + down("uplink", "320 ms", "1 ms") + "vary: {faults.fault1.for: [1 ms, 1 s]}\n"
    spans = [case.system.links[1].down for case in ScenarioFile("faults.yaml", text).scenario().cases]
    assert spans == [((320 * MS, 321 * MS),), ((320 * MS, 1320 * MS),)]


# --- disks that have failed -----------------------------------------------------------------------------------

ARRAY = """
title: a disk has failed
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks: {d: {model: disks/atlas-10k, count: 9, write_cache: false}}
volumes:
  raid: {kind: raid5, of: [d1, d2, d3], unit: 32 KiB}
  pair: {kind: mirror, of: [d4, d5]}
  steps: {kind: raid3, of: [d6, d7, d8]}
links: [{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}]
"""
READER = "workload: {reader: {host: server, from: %s, block: 64 KiB, size: 4 MiB, depth: 2}}\n"
WRITER = "workload: {writer: {host: server, to: %s, block: 16 KiB, size: 1 MiB}}\n"


def failed(*disks: str) -> str:
    return "faults:\n" + "".join(f"  - {{kind: failed, of: {disk}}}\n" for disk in disks)


@pytest.mark.parametrize(("volume", "disk"), [("raid", "d2"), ("pair", "d5"), ("steps", "d7"), ("steps", "d8")])
@pytest.mark.parametrize("work", [READER, WRITER])
def test_all_is_delivered_without_a_disk_that_is_never_used(volume: str, disk: str, work: str) -> None:
    still, ran = (run(ARRAY + work % volume + more) for more in ("", failed(disk)))
    assert ran.delivered() == still.delivered() == (4 * 2**20 if work == READER else 2**20)
    used = {r.name: busy for r, busy in zip(ran.program.resources, ran.outcome.resources[:, 0], strict=True)}
    assert used[disk] == 0
    # The parity of a RAID 3 is read only in the place of data.
    others = {"d2": ("d1", "d3"), "d5": ("d4",), "d7": ("d6", "d8"), "d8": ("d6", "d7")}
    assert all(used[other] for other in others[disk])


@pytest.mark.parametrize(
    ("disks", "told"),
    [
        (
            ("d9",),
            "'d9', whose data nothing else has; expected a disk of a volume of kind raid5, raid6, "
            "erasure, raidz1 to raidz3, mirror or raid3",
        ),
        (("d1", "d3"), "'d1' and 'd3' failed; expected at most 1 of 'raid'"),
        (("d4", "d5"), "'d4' and 'd5' failed; expected at most 1 of 'pair'"),
        (("d10",), "the unknown disk 'd10'"),
        (("d6", "d8"), "'d6' and 'd8' failed; expected at most 1 of 'steps'"),
        (("raid",), "the unknown disk 'raid'"),
    ],
)
def test_a_failure_that_loses_data_is_an_error(disks: tuple[str, ...], told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        described(ARRAY + READER % "raid" + failed(*disks))
    assert told in str(error.value)


def test_a_failed_disk_cannot_be_read_by_itself() -> None:
    with pytest.raises(RunError, match="'d1' has failed and cannot be used by itself; use volume 'raid'"):
        run(ARRAY + READER % "d1" + failed("d1"))


# --- a host that stands still, and NFS that asks again -----------------------------------------------------------

NFS = """
title: a server does not answer
hosts:
  client: {model: hosts/sgi-challenge-l, adapters: {net: {model: adapters/fddi-1994, bus: hio}}}
  server: {like: client}
links: [{model: links/fddi, between: [client.net, server.net], length: 100 m, name: ring}]
workload:
  nfs: {from: client, to: server, version: 2, access: %s, transfer: 8 KiB, size: 400 KiB, biods: 4, nfsds: 4}
"""


def fault(kind: str, of: str, at: str, for_: str) -> str:
    return f"faults: [{{kind: {kind}, of: {of}, at: {at}, for: {for_}}}]\n"


@pytest.mark.parametrize("access", ["read", "write"])
@pytest.mark.parametrize(
    ("kind", "of", "lasts", "silent"),
    [
        # The server has the calls in its memory, and goes on where it was.
        ("stall", "server", "5 ms", 5),
        ("stall", "server", "3 s", 3000),
        # They are lost, and repeated after 0.7 s, 1.4 s after that and so on, until one comes after the end.
        ("down", "ring", "5 ms", 700),
        ("down", "ring", "3 s", 700 + 1400 + 2800),
    ],
)
def test_nfs_asks_until_it_is_answered_and_each_block_counts_once(
    access: str, kind: str, of: str, lasts: str, silent: int
) -> None:
    ran = run(NFS % access + fault(kind, of, "20 ms", lasts))
    assert [size for _, size in ran.marks("delivered")] == [8192] * 50
    assert silent * MS <= ran.silence() < (silent + 8) * MS
    repeated = len(ran.marks("nfs: retransmission"))
    lost = len(ran.marks("server.net>client.net lost")) + len(ran.marks("client.net>server.net lost"))
    # Over FDDI a call or reply of 8 KiB are two fragments; what was repeated in vain has been answered before.
    assert (lost == 0) == (kind == "stall")
    assert (repeated == 0) == (kind == "stall" and lasts == "5 ms")
    if kind == "stall":
        assert ran.counted("nfs", "answered before") == repeated


def test_a_stall_begins_when_all_processors_are_free_and_ends_when_it_is_to() -> None:
    p = Builder()
    cpu, done = p.resource("cpu", 2), p.observation("done")
    with p.thread("process", count=2), p.loop(5), p.hold(cpu, priority=PROCESS):
        p.advance(10 * MS)
        p.mark(done, 1)
    Schedule(p, [(25 * MS, 45 * MS), (200 * MS, 300 * MS)]).occupy("stall", cpu, 2)
    program = p.build()
    first, second = (execute(program, Options(), engine) for engine in ENGINES)
    assert first.differences(second) == []
    # Both processors are in a quantum until 30 ms; nobody waits for the second stall.
    assert [time // MS for time in first.marks[::2, 0].tolist()] == [10, 20, 30, 55, 65]
    assert first.end == 65 * MS


def test_only_a_host_can_stand_still() -> None:
    with pytest.raises(ScenarioError, match="the link 'ring'; expected a host"):
        described(NFS % "read" + fault("stall", "ring", "0 s", "1 s"))
