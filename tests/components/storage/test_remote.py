"""Drives over NVMe/TCP and iSCSI: data units in order, the time of a command, and who may be at the ends."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from simio.components.site import Site
from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome
from simio.errors import SimioError
from simio.loading import load
from simio.lower import lower
from simio.machines.network import mailbox
from simio.program.steps import Program

KIB = 1024
SCENARIO = """
title: A drive of a target
hosts:
  client:
    model: hosts/server-2023-2s
    kernel: kernels/linux-6.3
    adapters:
      eth: {model: adapters/ideal-ethernet, bus: slot}
      nvme: {model: adapters/nvme-linux, bus: pcie, command_cost: 0 s}
      remote: {model: adapters/REMOTE-linux, bus: slot, command_cost: 0 s, pdu_cost: 0 s}
  target: {like: client}
disks:
  d: {model: disks/datacentre-tlc-2023, capacity: 100 GB, placement: empty}
  near: {model: disks/datacentre-tlc-2023, capacity: 100 GB, placement: empty}
links:
  - {model: links/nvme, between: [target.nvme, d], length: 0 m}
  - {model: links/nvme, between: [client.nvme, near], length: 0 m}
  - {model: links/ethernet-10g, between: [client.eth, target.eth], length: 0 m}
  - {name: far, model: links/LINK, between: [client.remote, d], command_cost: 0 s, pdu_cost: 0 s}
workload:
  direct: {host: client, to: d, depth: 1, requests: 1, span: 4 MiB}
run: {until: 10 ms, warm_up: 0 s, replications: 1}
"""


def described(folder: Path, *sets: str, link: str = "nvme-tcp-spdk"):
    text = SCENARIO.replace("LINK", link).replace("REMOTE", link.rpartition("-")[0])
    (folder / "remote.yaml").write_text(text)
    return load(str(folder / "remote.yaml"), list(sets)).cases[0].system


def ran(
    folder: Path, *sets: str, link: str = "nvme-tcp-spdk", engine: ModuleType = compiled
) -> tuple[Program, Outcome]:
    program = lower(described(folder, *sets, link=link))
    return program, engine.run(program, Options(seed=1))


def units(program: Program, outcome: Outcome, direction: str) -> list[int]:
    """Bytes of what a connection carried in a direction, message by message."""
    [offset] = [at for name, at in program.machines if name == f"far connection 1 to the {direction} lengths"]
    state = outcome.state[offset:]
    ring = range(mailbox.RING, mailbox.RING + mailbox.MESSAGE * int(state[mailbox.TAIL]), mailbox.MESSAGE)
    return [int(state[at]) + 4 for at in ring]


def sequence(folder: Path, *sets: str, link: str) -> tuple[list[int], list[int]]:
    """Bytes of the messages to the target, and of those to the initiator."""
    program, outcome = ran(folder, *sets, "links.far.connections=1", link=link)
    return units(program, outcome, "target"), units(program, outcome, "initiator")


WRITE = "workload.direct.reads=0%"


@pytest.mark.parametrize(
    ("link", "sets", "out", "back"),
    [
        # CapsuleCmd; C2HData, whose SUCCESS flag stands for the reply.
        ("nvme-tcp-spdk", ("block=4 KiB",), [72], [24 + 4096]),
        # CapsuleResp follows where that flag is not set.
        ("nvme-tcp-nvmet", ("block=4 KiB",), [72], [24 + 4096 + 24]),
        # A write of 4 KiB is in its capsule; CapsuleResp.
        ("nvme-tcp-spdk", ("block=4 KiB", "reads=0%"), [72 + 4096], [24]),
        # One of 128 KiB waits for R2T, and then comes in H2CData; CapsuleResp.
        ("nvme-tcp-spdk", ("block=128 KiB", "reads=0%"), [72, 24 + 128 * KIB], [24, 24]),
        # Data-In of 256 KiB at most, of which the last has the status.
        ("iscsi-lio", ("block=512 KiB",), [48], [2 * 48 + 512 * KIB]),
        # Immediate data fill a first burst.
        ("iscsi-lio", ("block=128 KiB", "reads=0%"), [48 + 128 * KIB], [48]),
    ],
)
def test_data_units_of_a_command(
    tmp_path: Path, link: str, sets: tuple[str, ...], out: list[int], back: list[int]
) -> None:
    assert sequence(tmp_path, *(f"workload.direct.{each}" for each in sets), link=link) == (out, back)


def test_digests_are_four_bytes_each(tmp_path: Path) -> None:
    digests = ("links.far.header_digest=true", "links.far.data_digest=true", "workload.direct.block=128 KiB")
    found = sequence(tmp_path, *digests, WRITE, link="nvme-tcp-spdk")
    assert found == ([76, 24 + 4 + 128 * KIB + 4], [28, 28])
    # Data in the capsule have a digest of their own.
    found = sequence(tmp_path, *digests, WRITE, "workload.direct.block=4 KiB", link="nvme-tcp-spdk")
    assert found == ([76 + 4096 + 4], [28])


def test_a_write_over_iscsi_goes_by_bursts(tmp_path: Path) -> None:
    sets = ("first_burst=64 KiB", "max_burst=256 KiB", "unit_out=32 KiB")
    sets = (*(f"links.far.{each}" for each in sets), "workload.direct.block=512 KiB", WRITE)
    out, back = sequence(tmp_path, *sets, link="iscsi-lio")
    # 32 KiB with the command, 32 KiB behind it unasked; then 256 and 192 KiB, each asked for, in units of 32 KiB.
    first = 48 + 32 * KIB + 48 + 32 * KIB
    assert out == [first, 8 * 48 + 256 * KIB, 6 * 48 + 192 * KIB]
    assert back == [48, 48, 48]
    out, _ = sequence(tmp_path, *sets, "links.far.initial_r2t=true", "links.far.immediate=false", link="iscsi-lio")
    assert out == [48, 8 * 48 + 256 * KIB, 8 * 48 + 256 * KIB]


def took(folder: Path, *sets: str) -> int:
    """Time of the second request, in ps: the first waits for the connections, too."""
    program, outcome = ran(folder, "workload.direct.requests=2", *sets)
    index = [mark.name for mark in program.marks].index("direct: request")
    _, second = [value for _, mark, value in outcome.marks.tolist() if mark == index]
    return second


def test_a_read_takes_the_time_of_its_segments_more_than_at_home(tmp_path: Path) -> None:
    kernel = "{model: kernels/linux-6.3, context_switch: 0 s}"
    sets = (f"hosts.client.kernel={kernel}",)
    far, near = took(tmp_path, *sets), took(tmp_path, *sets, "workload.direct.to=near")
    # The capsule in one segment, with a header of 52; 4120 bytes in two full segments of 1448 and one of 1224. A
    # frame adds 26 bytes, and a gap of 12 to the one before. 10 Gbit/s are 0.8 ns a byte.
    wire = (72 + 52 + 26) + 2 * (1500 + 26 + 12) + (1224 + 52 + 26)
    assert far - near == wire * 800


@pytest.mark.parametrize(
    ("link", "sets"),
    [
        ("nvme-tcp-spdk", ("workload.direct.reads=50%", "workload.direct.depth=6", "links.far.connections=3")),
        ("nvme-tcp-card", ("workload.direct.block=64 KiB", "links.far.data_digest=true")),
        ("iscsi-lio", ("workload.direct.reads=30%", "workload.direct.block=300 KiB", "links.far.pdu_cost=1 us")),
    ],
)
def test_engines_agree(tmp_path: Path, link: str, sets: tuple[str, ...]) -> None:
    program = lower(described(tmp_path, *sets, "workload.direct.requests=12", link=link))
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


def test_a_flush_goes_to_the_target(tmp_path: Path) -> None:
    site = Site(described(tmp_path, "disks.d.volatile_cache=true", "links.far.connections=1"))
    device = site.device("client", "d")
    with site.p.thread("program"):
        device.flush()
    program = site.p.build()
    outcome = compiled.run(program, Options(seed=1))
    assert [units(program, outcome, way) for way in ("target", "initiator")] == [[72], [24]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("between: [client.remote, d]", "between: [client.remote, near]", "no other host of the scenario has the"),
        ("between: [client.remote, d]", "between: [client.remote, target.remote, d]", "expected one adapter"),
        ("between: [client.remote, d]", "between: [client.eth, d]", "link for adapters/ideal-ethernet"),
        ("pdu_cost: 0 s}\nw", "pdu_cost: 0 s, unit_out: 1 KiB}\nw", "at least 4096 B, the least MAXH2CDATA"),
        ("pdu_cost: 0 s}\nw", "pdu_cost: 0 s, card: true, cores: 0}\nw", "the cores of the card"),
    ],
)
def test_mistakes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    assert old in SCENARIO
    monkeypatch.setitem(globals(), "SCENARIO", SCENARIO.replace(old, new))
    with pytest.raises(SimioError, match=message):
        ran(tmp_path, "workload.direct.to=near" if "near]" in new else "workload.direct.depth=1")


def test_a_drive_that_fails_during_the_run_is_refused_behind_a_target(tmp_path: Path) -> None:
    """No error goes back to the initiator, so that its volume would wait, or be rebuilt too early."""
    scenario = tmp_path / "failing.yaml"
    text = SCENARIO.replace("LINK", "nvme-tcp-spdk").replace("REMOTE", "nvme-tcp").replace("to: d,", "to: pair,")
    scenario.write_text(
        text + "volumes: {pair: {kind: mirror, of: [near, d]}}\nfaults: [{kind: failed, of: d, at: 1 ms}]\n"
    )
    with pytest.raises(SimioError, match="'d' is a drive of a target and fails commands during the run"):
        lower(load(str(scenario)).cases[0].system)
