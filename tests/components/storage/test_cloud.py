"""A volume of a service: its rates, its bursts, and commands of NVMe that are fetched together."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import pytest
from drive_bench import Interface
from pydantic import ValidationError

from simio.components.storage.cloud import CloudDrive
from simio.description.sheets.cloud import CloudVolume
from simio.machines.ssd import queues
from simio.program.builder import Builder
from simio.result import usage

MS = 10**9


def sheet(**values) -> CloudVolume:
    given = {
        "capacity": "1 GB", "sector": "4 KiB", "requests": "100 /s", "rate": "4.096 MB/s", "unit": "64 KiB",
        "latency": "1 ms", "largest": "256 KiB",
    }  # fmt: skip
    return CloudVolume.model_validate(given | values, context={"text": True})


def ends(engine: ModuleType, count: int, size: int = 4096, **values) -> list[float]:
    """Ends in ms of so many requests, all of which come at once."""
    p = Builder()
    drive = CloudDrive(p, SimpleNamespace(name="v", part=SimpleNamespace(sheet=sheet(**values))))
    interface, seen = Interface(p), p.observation("seen")
    with p.thread("user", count=count):
        sector = p.register(0)
        drive.read(sector, size, interface)
        p.mark(seen, 0)
    return [time / MS for time, _, _ in engine.run(p.build()).marks.tolist()]


def test_requests_pass_at_the_provisioned_rate(engine: ModuleType) -> None:
    assert ends(engine, 4) == [1, 11, 21, 31]


def test_large_requests_count_as_several_and_pass_at_the_rate_of_bytes(engine: ModuleType) -> None:
    assert ends(engine, 3, 128 * 1024) == [1, 33, 65]
    assert ends(engine, 3, 128 * 1024, rate="409.6 MB/s") == [1, 21, 41]


def test_a_burst_goes_on_until_credits_are_spent(engine: ModuleType) -> None:
    """Five requests in 1 ms each, and of each a tenth is provisioned; then one in 10 ms."""
    values = {"burst_requests": "1000 /s", "credits": 5}
    got = ends(engine, 9, **values)
    assert got[:6] == [1, 2, 3, 4, 5, 6]
    assert [after - before for before, after in zip(got[6:], got[7:], strict=False)] == [10, 10]


def test_bursts_have_credits() -> None:
    with pytest.raises(ValidationError, match="burst_requests and credits"):
        sheet(credits=5)
    with pytest.raises(ValidationError, match="at least requests"):
        sheet(credits=5, burst_requests="50 /s")


def test_entries_that_wait_for_a_fetch_come_with_the_next() -> None:
    """A doorbell takes 10, a read 100, each further entry of it 1; three at most."""
    state = list(queues.initial(10, 100, 1, 3))
    at = lambda now: now + queues.submit(state, 0, now)  # noqa: E731
    assert at(0) == 110
    assert [at(20), at(30), at(40), at(50)] == [210, 211, 212, 312]
    assert at(1000) == 1110
    assert (state[queues.ENTRIES], state[queues.FETCHES]) == (6, 4)


def tallies(engine: ModuleType, count: int, size: int = 4096, **values) -> dict[str, int]:
    """Waits and credits when so many requests have come at once, in ms and requests."""
    p = Builder()
    drive = CloudDrive(p, SimpleNamespace(name="v", part=SimpleNamespace(sheet=sheet(**values))))
    interface = Interface(p)
    with p.thread("user", count=count):
        drive.read(p.register(0), size, interface)
    program = p.build()
    found = usage.tallies(program, engine.run(program))
    return {each.what: each.value // MS if each.unit == "ps" else each.value for each in found}


def test_waits_are_told_by_what_is_waited_for_and_counted_once(engine: ModuleType) -> None:
    """Four requests wait for 30 ms in all, three of them at a time: not for 10, 20 and 30 one after another."""
    assert tallies(engine, 4) == {"its provisioned requests": 30}
    assert tallies(engine, 3, 128 * 1024, requests="1000 /s") == {"its provisioned bytes": 64}


def test_a_burst_waits_for_its_own_rate_and_says_what_credits_are_left(engine: ModuleType) -> None:
    """Of 100 credits 20 requests that come at once leave 80; they wait for one another at 1 ms each."""
    values = {"burst_requests": "1000 /s", "credits": 100}
    assert tallies(engine, 20, **values) == {"its burst rate of requests": 19, "credits left": 80}
