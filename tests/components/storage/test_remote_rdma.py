"""NVMe over RDMA: the time of a command by hand, what a target does by interrupts, and what is refused."""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from simio.components.site import Site
from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import SimioError
from simio.loading import load
from simio.lower import lower

SCENARIO = """
title: A drive of a target, over RDMA
hosts:
  client:
    model: hosts/server-2023-2s
    kernel: {model: kernels/linux-6.3, context_switch: 0 s}
    adapters:
      roce: {model: adapters/connectx-5-rdma, bus: slot, post_cost: 0 s, doorbell: 0 s, poll_cost: 0 s,
             register_cost: 0 s, register_page: 0 s}
      nvme: {model: adapters/nvme-linux, bus: pcie, command_cost: 0 s}
      remote: {model: adapters/nvme-tcp-linux, bus: slot, command_cost: 0 s}
  target: {like: client}
disks:
  d: {model: disks/datacentre-tlc-2023, capacity: 100 GB, placement: empty}
  near: {model: disks/datacentre-tlc-2023, capacity: 100 GB, placement: empty}
links:
  - {model: links/nvme, between: [target.nvme, d], length: 0 m}
  - {model: links/nvme, between: [client.nvme, near], length: 0 m}
  - {model: links/ethernet-100g-jumbo, between: [client.roce, target.roce], length: 2 m}
  - {name: far, model: links/nvme-tcp-spdk, between: [client.remote, d], transport: rdma, command_cost: 0 s}
workload:
  direct: {host: client, to: d, depth: 1, requests: 2, span: 4 MiB}
run: {until: 10 ms, warm_up: 0 s, replications: 1}
"""


def described(folder: Path, *sets: str):
    (folder / "remote.yaml").write_text(SCENARIO)
    return load(str(folder / "remote.yaml"), list(sets)).cases[0].system


def took(folder: Path, *sets: str) -> int:
    """Time of the second request, in ps."""
    program = lower(described(folder, *sets))
    outcome = compiled.run(program, Options(seed=1))
    index = [mark.name for mark in program.marks].index("direct: request")
    return [value for _, mark, value in outcome.marks.tolist() if mark == index][1]


def test_a_read_takes_the_time_of_its_capsules_and_data_more_than_at_home(tmp_path: Path) -> None:
    system = described(tmp_path)
    bus = Site(system).host("client").pcie("slot")
    sheet, wait = bus.sheet, 2 * bus.sheet.latency + bus.root.sheet.read_latency

    def time(size: int) -> int:
        return ceil(size * bus.byte)

    def read(size: int) -> int:
        asks = time(ceil(size / sheet.read_request) * sheet.request)
        return asks + wait + time(size + ceil(size / sheet.largest_completion) * sheet.answer)

    def write(size: int) -> int:
        return time(size + ceil(size / sheet.payload) * sheet.request)

    def crossing(size: int) -> int:
        # Two adapters of 155 ns each; preamble, header and check; 2 m of fibre and the error correction.
        return 2 * 155_000 + (26 + size) * 80 + 9_800 + 51_200

    bell = time(8 + sheet.request) + sheet.latency
    end = write(64) + sheet.latency
    command = bell + read(64) + read(64) + crossing(44 + 64) + write(64) + end
    # The response is a work request behind the WRITE; both are read together, and its 16 bytes follow the data.
    reply = bell + read(128) + read(4096) + crossing(44 + 16 + 4096) + write(4096) + write(16) + end
    assert took(tmp_path) - took(tmp_path, "workload.direct.to=near") == command + reply


def test_a_large_write_is_read_by_the_target_and_a_small_one_comes_along(tmp_path: Path) -> None:
    write = "workload.direct.reads=0%"
    small, asked = took(tmp_path, write), took(tmp_path, write, "links.far.in_capsule=512 B")
    # A READ of its own: two more round trips over PCI Express, and one over the network.
    assert small + 1_000_000 < asked < small + 4_000_000


def test_a_target_by_interrupts_takes_longer_than_one_that_polls(tmp_path: Path) -> None:
    interrupt = "hosts.target.kernel.interrupt=2 us"
    assert took(tmp_path, interrupt, "links.far.cores=0") > took(tmp_path, interrupt) + 2_000_000


@pytest.mark.parametrize(
    "sets",
    [
        ("workload.direct.reads=50%", "workload.direct.depth=6", "links.far.connections=3"),
        ("workload.direct.reads=50%", "workload.direct.depth=4", "workload.direct.block=64 KiB", "links.far.cores=0"),
    ],
)
def test_engines_agree(tmp_path: Path, sets: tuple[str, ...]) -> None:
    program = lower(described(tmp_path, *sets, "workload.direct.requests=12"))
    options = Options(seed=3)
    assert compiled.run(program, options).differences(reference.run(program, options)) == []


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["links.far.data_digest=true"], "RDMA has no data units"),
        (["links.far.transport=quic"], "tcp"),
        (["links.far.depth=200"], "at most 128"),
        (["hosts.client.adapters.roce={model: adapters/ideal-ethernet, bus: slot}"], "rdma-ethernet"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, sets: list[str], said: str) -> None:
    with pytest.raises(SimioError) as caught:
        lower(described(tmp_path, *sets))
    assert said in str(caught.value)
