"""NFS over RDMA: calls by hand, what goes in a message or a chunk, credits, threads of the server."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from rdma_bench import Bus, crossing, described, marks, ran, tallies

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import SimioError
from simio.lower import lower

MS = 10**9
FREE = "rpc: 0 s, nfs_client: 0 s, nfs_server: 0 s, nfs_page: 0 s, nfs_lookup: 0 s"
SCENARIO = f"""
title: A mount over RDMA
hosts:
  a:
    model: hosts/server-2023-2s
    kernel: {{model: kernels/linux-6.x, context_switch: 0 s, interrupt: 0 s, system_call: 0 s}}
    stack: {{model: stacks/linux-6.x, {FREE}}}
    adapters:
      roce: {{model: adapters/connectx-5-rdma, bus: slot, post_cost: 0 s, doorbell: 0 s, poll_cost: 0 s,
             register_cost: 0 s, register_page: 0 s}}
  b: {{like: a}}
links:
  - {{name: wire, model: links/ethernet-100g-jumbo, between: [a.roce, b.roce], length: 2 m}}
workload:
  nfs: {{from: a, to: b, transport: rdma, size: 4 KiB, transfer: 4 KiB, programs: 1}}
"""
ALONE = "workload.nfs.arrivals={rate: 1000 /s, process: constant}"
"""One READ or WRITE past the client's cache."""
SLOW = "hosts.b.stack.nfs_server=1 ms"
HEADER, LIST = 28, 24
"""The transport's header (RFC 8166, 4.2), and what a chunk of one segment adds to it."""


def took(folder: Path, *sets: str, engine: ModuleType = compiled) -> list[int]:
    """Times in ps of the operations."""
    program, outcome = ran(folder, ALONE, *sets, engine=engine, text=SCENARIO)
    return [value for _, value in marks(program, outcome, "nfs: operation")]


class Message:
    """Times of the parts of a call by hand, in ps."""

    def __init__(self, folder: Path) -> None:
        self.bus = Bus(described(folder, text=SCENARIO))
        self.bell = self.bus.time(8 + self.bus.request) + self.bus.delay
        self.end = self.bus.write(64) + self.bus.delay

    def send(self, size: int, key: int = 0) -> int:
        """A SEND alone, to the completion at the other end; one that invalidates a key has 4 bytes more."""
        bus = self.bus
        there = bus.read(size) + crossing(44 + key + size) + bus.write(size)
        return self.bell + bus.read(64) + there + self.end


# Version 3. READ: 72 of RPC, a handle of 36, place and length; the reply 128. WRITE: a word more, how stable; 160.
READ, READ_REPLY, WRITE, WRITE_REPLY = 120, 128, 128, 160


def test_a_read_is_written_into_the_clients_memory_before_its_reply(tmp_path: Path, engine: ModuleType) -> None:
    m = Message(tmp_path)
    bus = m.bus
    # WRITE and SEND are posted together; the reply goes behind the data, and is there before these are written.
    data = bus.read(4096) + crossing(44 + 16 + 4096) + bus.write(4096)
    reply = m.bell + bus.read(128) + data + bus.write(HEADER + LIST + READ_REPLY) + m.end
    assert took(tmp_path, engine=engine) == [m.send(HEADER + LIST + READ) + reply]


def test_the_server_reads_what_is_written_out_of_the_clients_memory(tmp_path: Path, engine: ModuleType) -> None:
    m = Message(tmp_path)
    bus = m.bus
    response = bus.read(4096) + crossing(44 + 4 + 4096) + bus.write(4096)
    read = m.bell + bus.read(64) + crossing(44 + 16) + response + m.end
    call, reply = m.send(HEADER + LIST + WRITE), m.send(HEADER + WRITE_REPLY, key=4)
    assert took(tmp_path, "workload.nfs.access=write", engine=engine) == [call + read + reply]


def test_what_fits_goes_in_the_message(tmp_path: Path, engine: ModuleType) -> None:
    m, small = Message(tmp_path), "workload.nfs.size=1001 B"
    # Data are padded to 1004 bytes, and no key has to be made invalid.
    read = m.send(HEADER + READ) + m.send(HEADER + READ_REPLY + 1004)
    assert took(tmp_path, small, engine=engine) == [read]
    write = m.send(HEADER + WRITE + 1004) + m.send(HEADER + WRITE_REPLY)
    assert took(tmp_path, small, "workload.nfs.access=write", engine=engine) == [write]
    # With a limit of 1 KiB it is a chunk, whose WRITE leaves while the reply's data are still read.
    assert took(tmp_path, small, "workload.nfs.inline=1 KiB")[0] < read


def test_data_in_a_message_are_copied_and_those_of_a_chunk_are_not(tmp_path: Path) -> None:
    copies = "hosts.a.stack.copies=true"
    assert took(tmp_path, copies) == took(tmp_path)
    inline = "workload.nfs.inline=16 KiB"
    assert took(tmp_path, inline, copies) > took(tmp_path, inline)


def test_registration_costs_the_client_and_only_for_chunks(tmp_path: Path) -> None:
    costs = "hosts.a.adapters.roce.register_cost=1 us"
    # Costs are of a core at 3 GHz, and these have 2.6.
    assert took(tmp_path, costs)[0] == took(tmp_path)[0] + -(-1_000_000 * 30 // 26)
    assert took(tmp_path, costs, "workload.nfs.inline=16 KiB") == took(tmp_path, "workload.nfs.inline=16 KiB")


def blocks(folder: Path, *sets: str) -> int:
    """Whole milliseconds that a program waits for 32 KiB of eight READs."""
    whole = ("workload.nfs.size=32 KiB", "workload.nfs.block=32 KiB", SLOW)
    program, outcome = ran(folder, *whole, *sets, text=SCENARIO)
    return marks(program, outcome, "nfs: block")[0][1] // MS


@pytest.mark.parametrize(
    ("sets", "waits"),
    [
        (["nfsds=16"], 1),
        (["nfsds=16", "credits=2"], 4),
        (["nfsds=16", "credits=2", "nconnect=2"], 2),
        (["nfsds=16", "version=4", "slots=2", "nconnect=2"], 4),
        (["nfsds=2"], 4),
    ],
)
def test_credits_are_of_a_queue_pair_and_slots_of_a_session(tmp_path: Path, sets: list[str], waits: int) -> None:
    assert blocks(tmp_path, *(f"workload.nfs.{each}" for each in sets)) == waits


@pytest.mark.parametrize("access", ["read", "write"])
def test_every_byte_of_files_arrives_once_and_engines_agree(tmp_path: Path, access: str) -> None:
    sets = (
        "size=37 KiB",
        "block=12 KiB",
        "transfer=8 KiB",
        "nconnect=2",
        "programs=2",
        "nfsds=3",
        f"access={access}",
    )
    lossy = ("links.wire.loss=0.1", "hosts.a.adapters.roce.ack_timeout=100 us", "run.until=9 ms")
    program = lower(described(tmp_path, *(f"workload.nfs.{each}" for each in sets), *lossy, text=SCENARIO))
    options = Options(seed=1, until=9 * MS)
    outcome = compiled.run(program, options)
    assert outcome.differences(reference.run(program, options)) == []
    assert sum(size for _, size in marks(program, outcome, "delivered")) == 2 * 37 * 1024
    assert tallies(program, outcome, "packets sent again")


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["workload.nfs.transport=tcp", "workload.nfs.credits=9"], "transport: rdma"),
        (["workload.nfs.transport=udp", "workload.nfs.inline=1 KiB"], "transport: rdma"),
        (["workload.nfs.inline=512 B"], "1 KiB"),
        (["workload.nfs.credits=129"], "128"),
        (["workload.nfs.version=2"], "over RDMA"),
        (["workload.nfs.biods=2"], "over RDMA"),
        (["hosts.b.adapters.roce={model: adapters/ideal-ethernet, bus: slot}"], "rdma-ethernet"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: list[str], said: str) -> None:
    with pytest.raises(SimioError) as caught:
        lower(described(tmp_path, *sets, text=SCENARIO))
    assert said in str(caught.value)
