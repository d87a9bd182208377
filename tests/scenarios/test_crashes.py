"""Crashes and resets as scenarios ask for them: what can have them, what each costs, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_faults import Ran, described, run

from simio.errors import ScenarioError

pytestmark = pytest.mark.slow

SCENARIOS = Path(__file__).parents[2] / "scenarios"

SUN = """
title: a host crashes
hosts:
  a: {model: hosts/sun-e450-400}
  b: {like: a}
  c: {model: hosts/sgi-challenge-l}
links:
  - {model: links/ethernet-1000, between: [a.ge, b.ge], length: 20 m}
workload:
"""
NFS = SUN + "  nfs: {from: a, to: b, access: write, transfer: 8 KiB, size: 1 MiB}\n"
TTCP = SUN + "  ttcp: {from: a, to: b, size: 64 KiB, writes: 10}\n"
PLAIN = SUN + "  requests: {from: a, to: b, request: 1 KiB, response: 1 KiB, count: 10}\n"


def fault(*each: str) -> str:
    return "faults:\n" + "".join(f"  - {{{one}}}\n" for one in each)


@pytest.mark.parametrize(
    ("text", "given", "told"),
    [
        (
            NFS,
            "kind: crash, of: a, at: 0 s, for: 1 s",
            "'a', which is workload.nfs.from; expected a host that only",
        ),
        (
            TTCP,
            "kind: crash, of: a, at: 0 s, for: 1 s",
            "'a', which is workload.ttcp.from; expected a host that only",
        ),
        (PLAIN, "kind: crash, of: b, at: 0 s, for: 1 s", "'b', which is workload.requests.to; expected"),
        (NFS, "kind: crash, of: b.ge, at: 0 s, for: 1 s", "the adapter 'b.ge'; expected a host"),
        (NFS, "kind: crash, of: bb, at: 0 s, for: 1 s", "the unknown host 'bb'"),
        (NFS, "kind: crash, of: b, at: 0 s", "faults.fault1.for: found nothing"),
        (NFS, "kind: crash, of: b, at: 0 s, for: 1 s, watchdog: 1 s", "the unknown key 'watchdog'"),
        (NFS, "kind: reset, of: a, at: 0 s, for: 1 s", "the host 'a'; expected an adapter"),
        (
            NFS,
            "kind: reset, of: c.hippi, at: 0 s, for: 1 s",
            "expected an adapter of a kind that can be reset",
        ),
        (
            NFS,
            "kind: reset, of: a.ge, at: 0 s, for: 1 s, watchdog: -1 s",
            "faults.fault1.watchdog: found '-1 s'",
        ),
    ],
)
def test_errors_tell_what_is_wrong(text: str, given: str, told: str) -> None:
    with pytest.raises(ScenarioError) as error:
        described(text + fault(given))
    assert told in str(error.value)
    assert str(error.value).startswith("faults.yaml:12:")


def test_a_host_with_a_hippi_adapter_in_use_cannot_crash() -> None:
    text = """
title: a host with HIPPI crashes
hosts: {a: hosts/sgi-challenge-l, b: hosts/sgi-onyx}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi], length: 10 m}]
workload: {ttcp: {from: a, to: b, size: 60 KiB, writes: 8}}
"""
    with pytest.raises(
        ScenarioError, match="a hippi adapter in use, 'hippi' .*expected a host whose adapters can be"
    ):
        described(text + fault("kind: crash, of: b, at: 0 s, for: 1 s"))


def test_the_port_of_a_storage_manager_cannot_crash() -> None:
    text = (SCENARIOS / "server-third-party.yaml").read_text(encoding="utf-8")
    (workload,) = described(text).workloads.values()
    port = workload.params.to[0]
    with pytest.raises(ScenarioError, match=f"'{port}', which is workload.{workload.name}.to; expected a host that"):
        described(text + fault(f"kind: crash, of: {port}, at: 0 s, for: 1 s"))


def test_calls_that_a_server_can_never_take_are_refused_where_the_transfer_stands() -> None:
    with pytest.raises(ScenarioError) as error:
        described(NFS, "hosts.b.stack.rpc_receive_space=8 KiB")
    # 72 bytes of RPC's header, 56 of WRITE's arguments, the data, and 16 for the sender's address.
    assert str(error.value) == (
        "faults.yaml:10:40: workload.nfs.transfer: found calls of 8336 B to 'b', which keeps 8 KiB of them; expected "
        "at most 8 KiB; set hosts.b.stack.rpc_receive_space, or a smaller transfer"
    )
    # Data that are read come in replies, which no socket of the server has to take.
    described(NFS, "hosts.b.stack.rpc_receive_space=8 KiB", "workload.nfs.access=read")


@pytest.mark.parametrize("transfer", ["8 KiB", "32 KiB"])
def test_a_sun_takes_writes_that_are_larger_than_its_sockets(transfer: str) -> None:
    ran = run(NFS, f"workload.nfs.transfer={transfer}")
    assert ran.delivered() == 2**20
    assert not ran.marks("nfs at b dropped")
    assert not ran.marks("nfs: retransmission")


def test_a_crash_yet_to_come_changes_nothing_and_the_fault_varies_like_any_other_value() -> None:
    still = run(NFS)
    assert run(NFS + fault("kind: crash, of: b, at: 1 h, for: 1 s")).marks("delivered") == still.marks("delivered")
    crashed = run(NFS + fault("kind: crash, of: b, at: 1 h, for: 2 s"), "faults.fault1.at=5 ms")
    assert crashed.delivered() == still.delivered()
    assert 2 < crashed.outcome.end / 10**12 < 2 + 2.8 + 0.7


# --- files on a server's disk ----------------------------------------------------------------------------------

DISK = """
title: a server crashes that has its files on a disk
hosts:
  client:
    model: hosts/linux-2002-dual-p3
    stack: stacks/linux-2.4
    adapters: {ge: {model: adapters/gigabit-pc, bus: pci}}
  server: {like: client, adapters: {scsi: {model: adapters/aic-7899, bus: pci}}}
disks: {d: {model: disks/atlas-10k, file_system: filesystems/ext2}}
links:
  - {model: links/ethernet-1000, between: [client.ge, server.ge], length: 20 m}
  - {model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}
workload:
  nfs: {from: client, to: server, storage: d, version: %d, access: %s, size: 800 KiB, biods: 4, timeout: 100 ms}
"""


def busy(ran: Ran, name: str) -> int:
    names = [resource.name for resource in ran.program.resources]
    return int(ran.outcome.resources[names.index(name), 0])


@pytest.mark.parametrize(("version", "access"), [(3, "read"), (2, "write"), (3, "write")])
@pytest.mark.parametrize("at", ["5 ms", "12 ms", "21 ms"])
def test_files_on_a_disk_are_whole_after_crashes(version: int, access: str, at: str) -> None:
    text = DISK % (version, access)
    ran = run(
        text
        + fault(f"kind: crash, of: server, at: {at}, for: 50 ms", "kind: crash, of: server, at: 220 ms, for: 1 us")
    )
    assert ran.delivered() == 800 * 1024
    assert ran.marks("nfs: retransmission")


def test_what_was_read_before_a_crash_is_not_read_again() -> None:
    text = DISK % (3, "read")
    still = run(text)
    half = still.outcome.end // 2 // 10**9
    ran = run(text + fault(f"kind: crash, of: server, at: {half} ms, for: 50 ms"))
    # The media are read from where the client goes on, not from the beginning of the file; the file system's window
    # and what the drive reads ahead come on top.
    assert busy(ran, "d") < 1.5 * busy(still, "d")
