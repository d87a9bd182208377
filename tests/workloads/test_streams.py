"""Requests of a reader: order, places, sizes, how many at a time, and of which device when.

Requests take 10 us each, whatever they ask for.
"""

from __future__ import annotations

import pytest

from simio.description.model import Workload
from simio.engines import compiled, reference
from simio.errors import RunError
from simio.program.builder import Builder
from simio.workloads.common.streams import Access, emit
from simio.workloads.reader import Reader

US = 1_000_000
KIB = 1024


class Device:
    sector = 512

    def __init__(self, name: str, capacity: int) -> None:
        self.name, self.capacity = name, capacity


class Timed(Access):
    """A request takes 10 us and marks the address it asked for, when it is done, under the device's name."""

    def __init__(self, p: Builder, device: Device) -> None:
        self.p = p
        self.seen = p.observation(f"at {device.name}")
        self.sizes = p.observation(f"size on {device.name}")
        self.passes = p.observation(f"pass over {device.name}")

    def rewind(self) -> None:
        self.p.mark(self.passes, 1)

    def request(self, at, size, aligned, again) -> None:
        self.p.advance(10 * US)
        self.p.mark(self.seen, at)
        self.p.mark(self.sizes, size)


class Site:
    """What `emit` asks of a site."""

    def __init__(self, capacity: int) -> None:
        self.p = Builder()
        self.capacity = capacity

    def device(self, host: str, name: str, reports_failures: bool = False) -> Device:
        return Device(name, self.capacity)

    def alike(self, devices):
        return devices

    def goes_over_once(self, targets) -> None:
        """Nothing to tell a bound here."""

    def stream(self, name: str):
        return self.p.observation(name, "delivered", "bytes")


def run(targets=("d1",), capacity: int = 1 << 30, **params) -> dict[str, list[tuple[int, int]]]:
    """(time in us, value) of every mark of a reader with these parameters; both engines agree on it."""
    site = Site(capacity)
    reader = Reader.model_validate({"host": "h", "from": "d", **params}, context={"text": True})
    workload = Workload("r", "reader", reader)
    emit(site, workload, targets, lambda device, thread, span, stream: Timed(site.p, device))
    program = site.p.build()
    outcome = reference.run(program)
    assert outcome.differences(compiled.run(program)) == []
    found: dict[str, list[tuple[int, int]]] = {mark.name: [] for mark in program.marks}
    for time, mark, value in outcome.marks.tolist():
        found[program.marks[mark].name].append((time // US, value))
    return found


def test_sequential_blocks_follow_one_another_and_the_rest_comes_last():
    found = run(block="4 KiB", size="10 KiB")
    assert found["at d1"] == [(10, 0), (20, 4096), (30, 8192)]
    assert [size for _, size in found["size on d1"]] == [4096, 4096, 2048]
    assert found["r: block"] == [(10, 10 * US), (20, 10 * US), (30, 10 * US)]


def test_a_thread_for_each_device_by_default():
    found = run(("d1", "d2"), block="4 KiB", size="8 KiB")
    assert found["at d1"] == found["at d2"] == [(10, 0), (20, 4096)]


def test_one_thread_visits_the_devices_in_turn():
    found = run(("d1", "d2"), block="4 KiB", size="8 KiB", threads="one")
    assert found["at d1"] == [(10, 0), (30, 4096)]
    assert found["at d2"] == [(20, 0), (40, 4096)]


def test_strides_skip():
    found = run(block="4 KiB", size="12 KiB", pattern="strided", stride="64 KiB")
    assert [at for _, at in found["at d1"]] == [0, 65536, 131072]


def test_processes_share_a_device_in_parts():
    found = run(block="4 KiB", size="16 KiB", processes=2)
    assert found["at d1"] == [(10, 0), (10, 8192), (20, 4096), (20, 12288)]


def test_a_thread_keeps_several_requests_outstanding():
    found = run(block="4 KiB", size="20 KiB", depth=2)
    assert found["at d1"] == [(10, 0), (10, 4096), (20, 8192), (20, 12288), (30, 16384)]


def test_passes_go_over_the_same_range():
    found = run(block="4 KiB", size="8 KiB", passes=3)
    assert [at for _, at in found["at d1"]] == [0, 4096] * 3
    assert [time for time, _ in found["pass over d1"]] == [0, 20, 40]


def test_random_places_are_whole_blocks_all_over_the_device():
    found = run(block="4 KiB", size="8 MiB", pattern="random", capacity=64 * KIB)
    places = [at for _, at in found["at d1"]]
    assert set(places) == {4096 * n for n in range(16)}
    assert len(places) == 2048


def test_mixed_sizes_come_in_proportion_to_their_weights():
    found = run(block={"4 KiB": 3, "64 KiB": 1}, size="19 MiB", pattern="random")
    sizes = [size for _, size in found["size on d1"]]
    assert len(sizes) == 19 * 1024 // 19
    assert sizes.count(4096) / len(sizes) == pytest.approx(0.75, abs=0.05)
    assert all(at % size == 0 for (_, at), size in zip(found["at d1"], sizes, strict=True))


def test_pauses_come_before_requests():
    found = run(block="4 KiB", size="4 MiB", think="30 us")
    times = [time for time, _ in found["at d1"]]
    assert times[-1] / len(times) == pytest.approx(40, rel=0.1)
    assert {latency for _, latency in found["r: block"]} == {10 * US}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"block": "4 KiB", "size": "2 MiB"}, "workload 'r' needs 2 MiB of 'd1', which holds 1 MiB"),
        (
            {"block": "4 KiB", "size": "40 KiB", "pattern": "strided", "stride": "512 KiB"},
            "workload 'r' needs 4.723 MB of 'd1', which holds 1 MiB",
        ),
        ({"block": "2 MiB", "size": "2 MiB", "pattern": "random"}, "needs 2 MiB of 'd1', which holds 1 MiB"),
        ({"block": "4 KiB", "size": "4100 B"}, "has a size of 4.1 kB; 'd1' takes whole sectors of 512 B"),
        ({"block": "1000 B", "size": "4 KiB"}, "has a block of 1 kB; 'd1' takes whole sectors of 512 B"),
    ],
)
def test_what_does_not_fit_the_device_is_refused(params, told):
    with pytest.raises(RunError, match=told):
        run(capacity=1 << 20, **params)


def test_one_thread_can_visit_so_many_devices_only():
    with pytest.raises(RunError, match="workload 'r' has one thread for 33 devices; it can visit 32 in turn"):
        run([f"d{number}" for number in range(33)], block="4 KiB", size="4 KiB", threads="one")
